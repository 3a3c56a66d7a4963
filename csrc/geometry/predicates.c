// Owns nothing. Orientation with a filter and, where that cannot decide, exact sums of float64 (J.
// R. Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates,
// 1997). Exact as long as products of coordinate differences neither overflow nor fall below
// 1e-290.
#include "geometry/polygon.h"

// Half an ulp of 1.
#define EPSILON 0x1p-53
// Relative error of the determinant computed in float64 (Shewchuk 1997, section 4.3).
#define ORIENTATION_BOUND ((3 + 16 * EPSILON) * EPSILON)

// a + b = sum + error, exactly (Knuth 1969).
static double two_sum(double a, double b, double *error) {
    double sum = a + b;
    double b_part = sum - a;
    *error = (a - (sum - b_part)) + (b - b_part);
    return sum;
}

// a = high + low with 26 bits each (Veltkamp 1968).
static double split(double a, double *low) {
    double c = 134217729.0 * a;
    double high = c - (c - a);
    *low = a - high;
    return high;
}

// a b = product + error, exactly (Dekker 1971).
static double two_product(double a, double b, double *error) {
    double product = a * b;
    double a_low, b_low;
    double a_high = split(a, &a_low), b_high = split(b, &b_low);
    *error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    return product;
}

// A sum of float64 that loses nothing: components of growing size that do not overlap, zeros left
// out.
typedef struct Expansion {
    int count;
    double terms[16];
} Expansion;

static void accumulate(Expansion *sum, double term) {
    int kept = 0;
    for (int i = 0; i < sum->count; i++) {
        double error;
        term = two_sum(sum->terms[i], term, &error);
        if (error != 0) {
            sum->terms[kept++] = error;
        }
    }
    if (term != 0) {
        sum->terms[kept++] = term;
    }
    sum->count = kept;
}

static void accumulate_product(Expansion *sum, double a, double b) {
    if (a != 0 && b != 0) {
        double error;
        double product = two_product(a, b, &error);
        accumulate(sum, error);
        accumulate(sum, product);
    }
}

static int orientation_exact(PhVec2 a, PhVec2 b, PhVec2 c) {
    // Each difference as a sum of two; the determinant is then eight exact products.
    double ax_low, ay_low, bx_low, by_low;
    double ax = two_sum(a.x, -c.x, &ax_low), ay = two_sum(a.y, -c.y, &ay_low);
    double bx = two_sum(b.x, -c.x, &bx_low), by = two_sum(b.y, -c.y, &by_low);
    Expansion sum = {0, {0}};
    accumulate_product(&sum, ax_low, by_low);
    accumulate_product(&sum, -ay_low, bx_low);
    accumulate_product(&sum, ax_low, by);
    accumulate_product(&sum, ax, by_low);
    accumulate_product(&sum, -ay_low, bx);
    accumulate_product(&sum, -ay, bx_low);
    accumulate_product(&sum, ax, by);
    accumulate_product(&sum, -ay, bx);
    double leading = sum.count ? sum.terms[sum.count - 1] : 0;
    return (leading > 0) - (leading < 0);
}

int ph_orientation(PhVec2 a, PhVec2 b, PhVec2 c) {
    double left = (a.x - c.x) * (b.y - c.y);
    double right = (a.y - c.y) * (b.x - c.x);
    double determinant = left - right;
    double bound = ORIENTATION_BOUND * (fabs(left) + fabs(right));
    if (determinant > bound || -determinant > bound) {
        return determinant > 0 ? 1 : -1;
    }
    return orientation_exact(a, b, c);
}

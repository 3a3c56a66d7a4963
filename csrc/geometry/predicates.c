// Owns nothing. Signs of cross products: a floating-point filter first; where that cannot decide,
// exact sums of float64 (J. R. Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast
// Robust Geometric Predicates, 1997); and where these would overflow or underflow, a sum with a
// wider exponent.
#include "geometry/predicates.h"

#include "geometry/polygon.h"
#include "geometry/wide_sum.h"

// Half an ulp of 1.
#define EPSILON 0x1p-53
// Relative error of the determinant computed in float64 (Shewchuk 1997, section 4.3), and its
// absolute error where products fall below the normal numbers.
#define ORIENTATION_BOUND ((3 + 16 * EPSILON) * EPSILON)
#define UNDERFLOW_BOUND 0x1p-1070
// Between these, products of two numbers and the errors of such products are normal float64.
#define SAFE_LOWER 0x1p-450
#define SAFE_UPPER 0x1p500

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

// An exact sum of float64 numbers: components of growing magnitude that do not overlap, without
// zeros.
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

// to - from = high + low, exactly.
typedef struct Difference {
    double high, low;
} Difference;

static Difference difference(double from, double to) {
    Difference d;
    d.high = two_sum(to, -from, &d.low);
    return d;
}

static bool is_safe(Difference d) {
    double high = fabs(d.high), low = fabs(d.low);
    return (high == 0 || (high >= SAFE_LOWER && high <= SAFE_UPPER)) &&
           (low == 0 || low >= SAFE_LOWER);
}

// ux vy - uy vx: each difference is a sum of two, the determinant eight exact products.
static void sum_cross(Expansion *sum, Difference ux, Difference uy, Difference vx, Difference vy) {
    sum->count = 0;
    accumulate_product(sum, ux.low, vy.low);
    accumulate_product(sum, -uy.low, vx.low);
    accumulate_product(sum, ux.low, vy.high);
    accumulate_product(sum, ux.high, vy.low);
    accumulate_product(sum, -uy.low, vx.high);
    accumulate_product(sum, -uy.high, vx.low);
    accumulate_product(sum, ux.high, vy.high);
    accumulate_product(sum, -uy.high, vx.high);
}

static void add_wide(PhWideSum *sum, PhVec2 a, PhVec2 b) {
    ph_wide_add(sum, a.x, b.y);
    ph_wide_add(sum, -a.y, b.x);
}

static int cross_sign_wide(PhArrow u, PhArrow v) {
    PhWideSum sum;
    ph_wide_clear(&sum);
    add_wide(&sum, u.to, v.to);
    add_wide(&sum, ph_neg(u.to), v.from);
    add_wide(&sum, ph_neg(u.from), v.to);
    add_wide(&sum, u.from, v.from);
    return ph_wide_sign(&sum);
}

static int cross_sign_exact(PhArrow u, PhArrow v) {
    Difference ux = difference(u.from.x, u.to.x), uy = difference(u.from.y, u.to.y);
    Difference vx = difference(v.from.x, v.to.x), vy = difference(v.from.y, v.to.y);
    if (!is_safe(ux) || !is_safe(uy) || !is_safe(vx) || !is_safe(vy)) {
        return cross_sign_wide(u, v);
    }
    Expansion sum;
    sum_cross(&sum, ux, uy, vx, vy);
    double leading = sum.count ? sum.terms[sum.count - 1] : 0;
    return (leading > 0) - (leading < 0);
}

// The sum rounded to float64, from the smallest component up. Its sign is right.
static double round_sum(const Expansion *sum) {
    double value = 0;
    for (int i = 0; i < sum->count; i++) {
        value += sum->terms[i];
    }
    return value;
}

int ph_cross_sign(PhArrow u, PhArrow v) {
    double left = (u.to.x - u.from.x) * (v.to.y - v.from.y);
    double right = (u.to.y - u.from.y) * (v.to.x - v.from.x);
    double determinant = left - right;
    double bound = ORIENTATION_BOUND * (fabs(left) + fabs(right)) + UNDERFLOW_BOUND;
    if (determinant > bound || -determinant > bound) {
        return determinant > 0 ? 1 : -1;
    }
    return cross_sign_exact(u, v);
}

int ph_orientation(PhVec2 a, PhVec2 b, PhVec2 c) {
    return ph_cross_sign(ph_arrow(c, a), ph_arrow(c, b));
}

double ph_cross_value(PhArrow u, PhArrow v) {
    Difference ux = difference(u.from.x, u.to.x), uy = difference(u.from.y, u.to.y);
    Difference vx = difference(v.from.x, v.to.x), vy = difference(v.from.y, v.to.y);
    // Both products as sums of two, with relative errors below 2^-100.
    double left_low, right_low, low;
    double left = two_product(ux.high, vy.high, &left_low);
    double right = two_product(uy.high, vx.high, &right_low);
    left_low += ux.high * vy.low + ux.low * vy.high;
    right_low += uy.high * vx.low + uy.low * vx.high;
    double value = two_sum(left, -right, &low) + (low + (left_low - right_low));
    if (!(fabs(value) >= 0x1p-46 * (fabs(left) + fabs(right)))) {
        Expansion sum;
        sum_cross(&sum, ux, uy, vx, vy);
        value = round_sum(&sum);
    }
    return value;
}

static int ring_winding_exact(const PhVec2 *vertices, int32_t count) {
    PhWideSum sum;
    ph_wide_clear(&sum);
    for (int32_t i = 0; i < count; i++) {
        add_wide(&sum, vertices[i], vertices[i + 1 < count ? i + 1 : 0]);
    }
    return ph_wide_sign(&sum);
}

int ph_ring_winding(const PhVec2 *vertices, int32_t count) {
    double area = 0, size = 0;
    for (int32_t i = 1; i + 1 < count; i++) {
        PhVec2 a = ph_sub(vertices[i], vertices[0]), b = ph_sub(vertices[i + 1], vertices[0]);
        double left = a.x * b.y, right = a.y * b.x;
        area += left - right;
        size += fabs(left) + fabs(right);
    }
    // The error of each term as above, and of a sum of `count` terms (N. Higham, Accuracy and
    // Stability of Numerical Algorithms, 2002, equation 4.4), generously.
    double bound = (4.0 + count) * (2 * EPSILON * size + UNDERFLOW_BOUND);
    if (area > bound || -area > bound) {
        return area > 0 ? 1 : -1;
    }
    return ring_winding_exact(vertices, count);
}

int ph_ray_side(PhVec2 origin, PhVec2 direction, PhVec2 point) {
    double left = direction.x * (point.y - origin.y);
    double right = direction.y * (point.x - origin.x);
    double determinant = left - right;
    double bound = ORIENTATION_BOUND * (fabs(left) + fabs(right));
    if (determinant > bound || -determinant > bound) {
        return determinant > 0 ? 1 : -1;
    }
    double x_low, y_low;
    double x = two_sum(point.x, -origin.x, &x_low), y = two_sum(point.y, -origin.y, &y_low);
    Expansion sum = {0, {0}};
    accumulate_product(&sum, direction.x, y_low);
    accumulate_product(&sum, -direction.y, x_low);
    accumulate_product(&sum, direction.x, y);
    accumulate_product(&sum, -direction.y, x);
    double leading = sum.count ? sum.terms[sum.count - 1] : 0;
    return (leading > 0) - (leading < 0);
}

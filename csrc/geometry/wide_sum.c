// Owns nothing. A fixed-point number that spans all products of two float64 (U. Kulisch, Computer
// Arithmetic and Validity, 2008: the complete register).
//
// Invariant: every term puts less than 2^36 on a limb, and carries are passed on before 2^24 terms
// have come together, so that no limb leaves int64.
#include "geometry/wide_sum.h"

#include <math.h>
#include <string.h>

// Exponent of the lowest bit of the lowest limb: that of the smallest product, 2^-1074 squared.
#define LOWEST (-2148)
#define TERMS_BETWEEN_CARRIES (1 << 24)

void ph_wide_clear(PhWideSum *sum) {
    memset(sum, 0, sizeof *sum);
}

// Limbs 0 .. last - 1 into [0, 2^32); the last one keeps the sign.
static void pass_carries(PhWideSum *sum) {
    int64_t carry = 0;
    for (int i = 0; i < PH_WIDE_LIMBS - 1; i++) {
        int64_t limb = sum->limbs[i] + carry;
        int64_t low = limb & INT64_C(0xffffffff);
        carry = (limb - low) / (INT64_C(1) << 32);
        sum->limbs[i] = low;
    }
    sum->limbs[PH_WIDE_LIMBS - 1] += carry;
    sum->terms = 0;
}

// |a| = whole 2^exponent with whole < 2^53.
static uint64_t whole_part(double a, int *exponent) {
    double fraction = frexp(fabs(a), exponent);
    *exponent -= 53;
    if (*exponent < -1074) { // subnormal: the bits below are zero
        fraction = ldexp(fraction, *exponent + 1074);
        *exponent = -1074;
    }
    return (uint64_t)ldexp(fraction, 53);
}

// sum += sign part 2^(LOWEST + place), part < 2^54.
static void add_part(PhWideSum *sum, int sign, uint64_t part, int place) {
    int limb = place / 32, shift = place % 32;
    uint64_t low = (part & 0xffffffffu) << shift, high = (part >> 32) << shift;
    sum->limbs[limb] += sign * (int64_t)(low & 0xffffffffu);
    sum->limbs[limb + 1] += sign * (int64_t)((low >> 32) + (high & 0xffffffffu));
    sum->limbs[limb + 2] += sign * (int64_t)(high >> 32);
}

void ph_wide_add(PhWideSum *sum, double a, double b) {
    if (a == 0 || b == 0) {
        return;
    }
    int a_exponent, b_exponent;
    uint64_t a_whole = whole_part(a, &a_exponent), b_whole = whole_part(b, &b_exponent);
    uint64_t mask = ((uint64_t)1 << 27) - 1;
    uint64_t a_low = a_whole & mask, a_high = a_whole >> 27;
    uint64_t b_low = b_whole & mask, b_high = b_whole >> 27;
    int place = a_exponent + b_exponent - LOWEST, sign = (a > 0) == (b > 0) ? 1 : -1;
    add_part(sum, sign, a_low * b_low, place);
    add_part(sum, sign, a_low * b_high + a_high * b_low, place + 27);
    add_part(sum, sign, a_high * b_high, place + 54);
    if (++sum->terms == TERMS_BETWEEN_CARRIES) {
        pass_carries(sum);
    }
}

int ph_wide_sign(PhWideSum *sum) {
    pass_carries(sum);
    if (sum->limbs[PH_WIDE_LIMBS - 1] < 0) {
        return -1;
    }
    for (int i = PH_WIDE_LIMBS - 1; i >= 0; i--) {
        if (sum->limbs[i] != 0) {
            return 1;
        }
    }
    return 0;
}

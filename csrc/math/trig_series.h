// The series of sine and cosine on [-pi/4, pi/4], once for numbers and once for lanes of numbers:
// the same operations in the same order, so the same bits.
//
// Source: Taylor series, whose remainder there is below a tenth of an ulp.
#ifndef PH_MATH_TRIG_SERIES_H
#define PH_MATH_TRIG_SERIES_H

#define PH_TWO_OVER_PI 0.6366197723675814
// pi/2 in three parts (W. Cody and W. Waite, "Software Manual for the Elementary Functions", 1980);
// the first two have 33 bits, so that products with a quadrant number below 2^20 are exact.
#define PH_HALF_PI_1 0x1.921fb544p+0
#define PH_HALF_PI_2 0x1.0b4611a6p-34
#define PH_HALF_PI_3 0x1.3198a2e037073p-69
// Beyond this the angle is first brought near zero modulo the float64 nearest to 2 pi.
#define PH_MAX_REDUCED 1e6

// reduce: what is left of an angle after k quarter turns, as a sum of two: the difference of the
// first parts is exact with what is left of it (D. Knuth, "The Art of Computer Programming", volume
// 2, 1969), then the third part. sine: sin(r + low) for |r| <= pi/4, |low| an ulp of r. cosine:
// likewise; 1 - z/2 is formed with its rounding error, which is larger than an ulp of the rest.
#define PH_TRIG_SERIES(Real, reduce, sine, cosine, specifier)                                      \
    specifier Real reduce(Real angle, Real k, Real *low) {                                         \
        Real a = angle - k * PH_HALF_PI_1, b = k * PH_HALF_PI_2;                                   \
        Real r = a - b, back = r - a;                                                              \
        Real rest = (a - (r - back)) - (b + back) - k * PH_HALF_PI_3;                              \
        Real reduced = r + rest;                                                                   \
        *low = (r - reduced) + rest;                                                               \
        return reduced;                                                                            \
    }                                                                                              \
    specifier Real sine(Real r, Real low) {                                                        \
        Real z = r * r;                                                                            \
        Real series =                                                                              \
            -1.0 / 6 +                                                                             \
            z * (1.0 / 120 +                                                                       \
                 z * (-1.0 / 5040 +                                                                \
                      z * (1.0 / 362880 +                                                          \
                           z * (-1.0 / 39916800 + z * (1.0 / 6227020800.0 +                        \
                                                       z * (-1.0 / 1307674368000.0 +               \
                                                            z * (1.0 / 355687428096000.0)))))));   \
        return r + (r * z * series + low * (1 - 0.5 * z));                                         \
    }                                                                                              \
    specifier Real cosine(Real r, Real low) {                                                      \
        Real z = r * r;                                                                            \
        Real series =                                                                              \
            1.0 / 24 +                                                                             \
            z * (-1.0 / 720 + z * (1.0 / 40320 + z * (-1.0 / 3628800 +                             \
                                                      z * (1.0 / 479001600 +                       \
                                                           z * (-1.0 / 87178291200.0 +             \
                                                                z * (1.0 / 20922789888000.0)))))); \
        Real half = 0.5 * z;                                                                       \
        Real head = 1 - half;                                                                      \
        return head + (((1 - head) - half) + (z * z * series - r * low));                          \
    }

#endif

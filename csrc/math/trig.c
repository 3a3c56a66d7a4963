// Owns nothing. Sine and cosine: reduction to [-pi/4, pi/4] by a three-part pi/2, then Taylor
// series (trig_series.h); four at once in math/four.h, with the same bits. Arctangent: the addition
// theorem about multiples of 1/8, then a short Taylor series.
#include "math/trig.h"

#include <stdint.h>

#include "math/trig_series.h"

#define TWO_PI 6.283185307179586

PH_TRIG_SERIES(double, reduce, sine, cosine, static)

PhRot ph_rot(double angle) {
    if (angle == 0) { // as most fixed things are; what the series gives
        return (PhRot){1, 0};
    }
    if (!(fabs(angle) <= PH_MAX_REDUCED)) {
        if (!isfinite(angle)) {
            return (PhRot){NAN, NAN};
        }
        angle = fmod(angle, TWO_PI);
    }
    double turns = angle * PH_TWO_OVER_PI;
    int32_t quadrant = (int32_t)(turns + (turns < 0 ? -0.5 : 0.5));
    double k = quadrant;
    double low, reduced = reduce(angle, k, &low);
    double s = sine(reduced, low), c = cosine(reduced, low);
    switch (quadrant & 3) {
    case 0:
        return (PhRot){c, s};
    case 1:
        return (PhRot){-s, c};
    case 2:
        return (PhRot){-c, -s};
    default:
        return (PhRot){s, -c};
    }
}

// atan(j / 8), and what rounding took from it.
static const double ATAN_HIGH[9] = {0,
                                    0x1.fd5ba9aac2f6ep-4,
                                    0x1.f5b75f92c80ddp-3,
                                    0x1.6f61941e4def1p-2,
                                    0x1.dac670561bb4fp-2,
                                    0x1.1e00babdefeb4p-1,
                                    0x1.4978fa3269ee1p-1,
                                    0x1.700a7c5784634p-1,
                                    0x1.921fb54442d18p-1};
static const double ATAN_LOW[9] = {0,
                                   -0x1.cd37686760c17p-59,
                                   0x1.8ab6e3cf7afbdp-57,
                                   -0x1.c63aae6f6e918p-56,
                                   0x1.a2b7f222f65e2p-56,
                                   -0x1.928df287a668fp-58,
                                   0x1.2419a87f2a458p-56,
                                   -0x1.8c34d25aadef6p-56,
                                   0x1.1a62633145c07p-55};

// atan(y / x) for 0 <= y <= x, x > 0, both far from the ends of the exponent's range: in [0, pi/4].
static double atan_octant(double y, double x) {
    int j = (int)(8 * (y / x) + 0.5);
    double c = 0.125 * j;
    double u = j ? (y - c * x) / (x + c * y) : y / x; // |u| <= 1/16
    double z = u * u;
    double series =
        -1.0 / 3 +
        z * (1.0 / 5 +
             z * (-1.0 / 7 + z * (1.0 / 9 + z * (-1.0 / 11 + z * (1.0 / 13 + z * (-1.0 / 15))))));
    return ATAN_HIGH[j] + (u + (u * z * series + ATAN_LOW[j]));
}

double ph_atan2(double y, double x) {
    double ax = fabs(x), ay = fabs(y);
    if (isnan(x) || isnan(y)) {
        return x + y;
    }
    if (isinf(x) || isinf(y)) {
        ax = isinf(x) ? 1 : 0;
        ay = isinf(y) ? 1 : 0;
    }
    double larger = ax > ay ? ax : ay;
    if (larger == 0) {
        return x < 0 ? PH_PI : 0;
    }
    // Powers of two keep the quotient as it is, and products away from overflow and underflow.
    if (larger > 0x1p1000) {
        ax *= 0x1p-100;
        ay *= 0x1p-100;
    } else if (larger < 0x1p-900) {
        ax *= 0x1p100;
        ay *= 0x1p100;
    }
    double angle;
    if (ay <= ax) {
        angle = atan_octant(ay, ax);
        angle = x < 0 ? PH_PI - (angle - 0x1.1a62633145c07p-53) : angle;
    } else {
        angle = atan_octant(ax, ay);
        angle = x < 0 ? 0.5 * PH_PI + (angle + 0x1.1a62633145c07p-54)
                      : 0.5 * PH_PI - (angle - 0x1.1a62633145c07p-54);
    }
    // A zero of either sign counts as positive: the result lies in (-pi, pi].
    return y < 0 ? -angle : angle;
}

double ph_wrap_angle(double angle) {
    if (angle > -PH_PI && angle <= PH_PI) {
        return angle;
    }
    if (!(fabs(angle) <= PH_MAX_REDUCED)) {
        if (!isfinite(angle)) {
            return NAN;
        }
        angle = fmod(angle, TWO_PI);
    }
    double turns = angle * (0.25 * PH_TWO_OVER_PI);
    double quadrants = 4.0 * (int32_t)(turns + (turns < 0 ? -0.5 : 0.5));
    angle =
        ((angle - quadrants * PH_HALF_PI_1) - quadrants * PH_HALF_PI_2) - quadrants * PH_HALF_PI_3;
    // Half a turn may come out on either side of it.
    if (angle > PH_PI) {
        return angle - PH_PI < 1e-15 ? PH_PI : angle - TWO_PI;
    }
    return angle <= -PH_PI ? angle + TWO_PI : angle;
}

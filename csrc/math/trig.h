// Sine, cosine and arctangent of our own, so that no libm decides about bits: the same IEEE
// operations give the same result on every platform. Accurate to about 1 ulp of float64 for |angle|
// < 1e5, and finite for every finite angle.
#ifndef PH_MATH_TRIG_H
#define PH_MATH_TRIG_H

#include "math/vec2.h"

#define PH_PI 3.141592653589793

PhRot ph_rot(
    double angle); // cosine and sine; |c|^2 + |s|^2 = 1 to rounding; NaN for non-finite input
double ph_atan2(double y, double x); // in (-pi, pi]; 0 for (0, 0)
double ph_wrap_angle(double angle);  // the same direction, in (-pi, pi]; NaN for non-finite input

static inline PhTransform ph_transform(double x, double y, double angle) {
    return (PhTransform){{x, y}, ph_rot(angle)};
}

#endif

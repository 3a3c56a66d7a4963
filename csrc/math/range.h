// Powers of two that bring numbers into the range where squares and products of a few of them
// neither overflow nor underflow. Scaling by them loses no digits of what matters.
#ifndef PH_MATH_RANGE_H
#define PH_MATH_RANGE_H

#include <math.h>

#include "math/vec2.h"

// For numbers whose largest magnitude is `size`: 1 in all ordinary cases.
static inline double ph_range_scale(double size) {
    return size > 0x1p400 ? 0x1p-600 : size < 0x1p-400 ? 0x1p600 : 1;
}

static inline double ph_largest(double size, PhVec2 v) {
    double x = fabs(v.x), y = fabs(v.y);
    size = x > size ? x : size;
    return y > size ? y : size;
}

#endif

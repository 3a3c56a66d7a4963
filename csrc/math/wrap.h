// Wrapped planes: opposite sides of a rectangle are one, so a place has images a width and a height
// apart, and the difference of two places is the one to the nearest image.
//
// All of it is float64, and the multiples of a size that are added are whole: two places whose
// difference is taken lie as near to each other as without a periodic boundary, to the rounding of
// one addition.
//
// Source: M. P. Allen, D. J. Tildesley, "Computer Simulation of Liquids" (1987), section 1.5, for
// periodic boundaries and the minimum image.
#ifndef PH_MATH_WRAP_H
#define PH_MATH_WRAP_H

#include "math/vec2.h"

typedef struct PhWrap {
    PhVec2 size, inverse; // metres and 1/m; both 0 in a direction that does not wrap
} PhWrap;

// size: infinite in a direction that does not wrap.
static inline PhWrap ph_wrap_make(PhVec2 size) {
    PhWrap wrap = {{0, 0}, {0, 0}};
    if (size.x < INFINITY) {
        wrap.size.x = size.x;
        wrap.inverse.x = 1 / size.x;
    }
    if (size.y < INFINITY) {
        wrap.size.y = size.y;
        wrap.inverse.y = 1 / size.y;
    }
    return wrap;
}

static inline bool ph_wraps(const PhWrap *wrap) {
    return wrap->size.x > 0 || wrap->size.y > 0;
}

// What has to be added to a finite difference for the least one between images.
static inline PhVec2 ph_wrap_shift(const PhWrap *wrap, PhVec2 difference) {
    return ph_vec(-wrap->size.x * floor(difference.x * wrap->inverse.x + 0.5),
                  -wrap->size.y * floor(difference.y * wrap->inverse.y + 0.5));
}

// The least of the images of a difference.
static inline PhVec2 ph_wrap_least(const PhWrap *wrap, PhVec2 difference) {
    return ph_wraps(wrap) ? ph_add(difference, ph_wrap_shift(wrap, difference)) : difference;
}

// The image of a point that is nearest to a place.
static inline PhVec2 ph_wrap_near(const PhWrap *wrap, PhVec2 place, PhVec2 point) {
    return ph_wraps(wrap) ? ph_add(point, ph_wrap_shift(wrap, ph_sub(point, place))) : point;
}

// fmod is exact, whatever the sizes; a sum may round up to the size, which is 0 again.
static inline double ph_fold(double x, double size) {
    if (size == 0 || (x >= 0 && x < size)) {
        return x;
    }
    double rest = fmod(x, size);
    rest = rest < 0 ? rest + size : rest;
    return rest < size ? rest + 0.0 : 0;
}

// The image of a finite point that lies in [0, size).
static inline PhVec2 ph_wrap_fold(const PhWrap *wrap, PhVec2 point) {
    return ph_vec(ph_fold(point.x, wrap->size.x), ph_fold(point.y, wrap->size.y));
}

#endif

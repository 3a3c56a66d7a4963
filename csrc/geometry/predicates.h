// Exact signs and accurate values of cross products. ph_orientation is declared in
// geometry/polygon.h. The signs are exact for all finite float64.
#ifndef PH_GEOMETRY_PREDICATES_H
#define PH_GEOMETRY_PREDICATES_H

#include <stdint.h>

#include "math/vec2.h"

// A vector given by its ends: nothing is lost to the rounding of a difference.
typedef struct PhArrow {
    PhVec2 from, to;
} PhArrow;

static inline PhArrow ph_arrow(PhVec2 from, PhVec2 to) {
    return (PhArrow){from, to};
}

// Exact sign of u x v: +1 when v is to the left of u, -1 to the right, 0 parallel or without
// length.
int ph_cross_sign(PhArrow u, PhArrow v);
// u x v with a relative error of a few 2^-53, however much cancels, for differences within
// [2^-400, 2^400].
double ph_cross_value(PhArrow u, PhArrow v);

// Exact sign of the signed area of a ring: +1 counter-clockwise, -1 clockwise, 0 without area.
int ph_ring_winding(const PhVec2 *vertices, int32_t count);

#endif

// Where points lie in a ring, for one point or for very many. The ring may cross itself.
#ifndef PH_GEOMETRY_LOCATE_H
#define PH_GEOMETRY_LOCATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "math/vec2.h"

// When a point that is on no edge is inside. Points on an edge always are.
typedef enum PhInsideRule {
    PH_INSIDE_WINDING,  // the ring goes round it: winding number not 0
    PH_INSIDE_EVEN_ODD, // a ray from it crosses the ring an odd number of times
} PhInsideRule;

// Exact.
bool ph_ring_holds(const PhVec2 *vertices, int32_t count, PhInsideRule rule, PhVec2 point);

// The same answers for many points, faster per point, after some preparation. inside[i] becomes 0
// or 1. PH_ERROR_MEMORY leaves inside as it was.
PhStatus ph_ring_holds_many(const PhVec2 *vertices, int32_t count, PhInsideRule rule,
                            const PhVec2 *points, int64_t point_count, uint8_t *inside);

// The methods of the texts, in plain float64, to be shown beside the exact one.
// Left of every edge of a counter-clockwise ring, right of every edge of a clockwise one; for
// convex rings only. Points on an edge are outside.
bool ph_ring_holds_by_cross_products(const PhVec2 *vertices, int32_t count, PhVec2 point);
// A ray to the right counts every edge that it meets, ends included and generously (1e-9): a vertex
// at the height of the point counts twice. Shown to fail.
bool ph_ring_holds_by_naive_crossings(const PhVec2 *vertices, int32_t count, PhVec2 point);

#endif

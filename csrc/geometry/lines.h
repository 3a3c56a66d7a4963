// Where lines, segments and rays meet. Whether they do is decided exactly; the point is computed in
// float64, to a few units in the last place of the largest coordinate involved. No point is
// returned as (NaN, NaN). A segment whose ends are equal is one point.
#ifndef PH_GEOMETRY_LINES_H
#define PH_GEOMETRY_LINES_H

#include <stdint.h>

#include "math/vec2.h"

// Of the infinite lines through a, b and through c, d. None when they are parallel (exactly), the
// same, when two points that should give a line are equal, or when they meet beyond float64.
PhVec2 ph_line_intersection(PhVec2 a, PhVec2 b, PhVec2 c, PhVec2 d);

// The first point of the segment from a to b that is on the segment from c to d; within the boxes
// of both. Ends count.
PhVec2 ph_segment_intersection(PhVec2 a, PhVec2 b, PhVec2 c, PhVec2 d);

// The first point of the segment from a to b that is on the boundary of the ring.
PhVec2 ph_segment_vs_ring(PhVec2 a, PhVec2 b, const PhVec2 *vertices, int32_t count);

// The first point of origin + t direction, t >= 0, that is on the segment from a to b; within its
// box. A direction without length makes the ray one point.
PhVec2 ph_ray_vs_segment(PhVec2 origin, PhVec2 direction, PhVec2 a, PhVec2 b);

#endif

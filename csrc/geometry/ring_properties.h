// What a single ring is: its area and centroid also where it is very thin, convex or not, its
// edges, its outward normals. Rings need not be simple.
#ifndef PH_GEOMETRY_RING_PROPERTIES_H
#define PH_GEOMETRY_RING_PROPERTIES_H

#include <stdbool.h>
#include <stdint.h>

#include "math/vec2.h"

// These three hold for coordinates of any size, as long as what they give is a float64: beyond that
// it is infinite, or 0.

// Signed area: > 0 counter-clockwise. 0 when it is exactly 0, and then only, but for underflow; of
// the exact sign for convex rings, however thin.
double ph_ring_area(const PhVec2 *vertices, int32_t count);
// Of the area; the mean of the vertices when that is exactly 0.
PhVec2 ph_ring_centroid(const PhVec2 *vertices, int32_t count);
// Polar, times the density (>= 0), about a point or (NULL) the centroid; >= 0.
double ph_ring_second_moment(const PhVec2 *vertices, int32_t count, double density,
                             const PhVec2 *about);

// Convex in either winding and with area; exact. Collinear and repeated vertices are allowed, a
// ring that doubles back or goes round twice is not convex.
bool ph_ring_is_convex(const PhVec2 *vertices, int32_t count);

// out[i] is the edge from vertex i to the next one.
void ph_ring_edges(const PhVec2 *vertices, int32_t count, PhVec2 *out);

// out[i] is the unit outward normal of edge i, NaN for one without length. Outward is to the right
// of the edges of a counter-clockwise ring (or one without area), to the left of a clockwise one's.
void ph_ring_normals(const PhVec2 *vertices, int32_t count, PhVec2 *out);

#endif

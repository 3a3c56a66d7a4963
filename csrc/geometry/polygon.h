// Functions of plain polygons: rings of vertices without a shape around them.
#ifndef PH_GEOMETRY_POLYGON_H
#define PH_GEOMETRY_POLYGON_H

#include <stdint.h>

#include "base/status.h"
#include "math/vec2.h"

typedef struct PhMassProperties {
    double area; // signed: > 0 counter-clockwise
    PhVec2 centroid;
    double inertia; // polar second moment about the centroid, signed like the area, unit density
} PhMassProperties;

// Shoelace formula about the first vertex, which keeps the digits of polygons far from the origin.
PhMassProperties ph_ring_mass(const PhVec2 *vertices, int32_t count);

// Exact sign of the area of (a, b, c): +1 counter-clockwise, -1 clockwise, 0 collinear (adaptive
// precision, Shewchuk 1997).
int ph_orientation(PhVec2 a, PhVec2 b, PhVec2 c);

// The steps of a hull: `visited` holds the points in the order in which they were examined, and
// the i-th became number height[i] of the chain, after what came behind it had been taken off. Both
// arrays have an entry per point. When the chain is closed at the end, more may be taken off.
typedef struct PhHullRecorder {
    PhVec2 *visited;
    int32_t *height;
    int32_t count; // filled so far
} PhHullRecorder;

// Exact side of the ray origin + t direction on which the point lies: +1 left, -1 right, 0 on its
// line.
int ph_ray_side(PhVec2 origin, PhVec2 direction, PhVec2 point);

// Monotone chain (Andrew 1979) with exact predicates; counter-clockwise without collinear points,
// from the lowest-leftmost. out holds count entries; returns the number written (1 or 2 for
// degenerate input). recorder may be NULL.
int32_t ph_convex_hull(const PhVec2 *points, int32_t count, PhVec2 *out, PhHullRecorder *recorder);
// The same for very many; -1 when stop (which may be NULL) wanted it to end.
int32_t ph_convex_hull_or_stop(const PhVec2 *points, int32_t count, PhVec2 *out,
                               const PhStop *stop);

// Smallest distance between parallel lines that enclose a convex counter-clockwise ring (rotating
// calipers).
double ph_convex_width(const PhVec2 *hull, int32_t count);

// -1 outside, 0 on an edge or vertex, +1 inside; winding rule with exact predicates, any simple
// ring in either winding.
int ph_ring_contains(const PhVec2 *vertices, int32_t count, PhVec2 point);

// Checks a ring for simplicity. PH_ERROR_VALUE names the crossing edges or the vertex on another
// edge.
PhStatus ph_ring_check(const PhVec2 *vertices, int32_t count, const char *name, PhError *error);

// Convex parts of a polygon with holes (outer ring counter-clockwise, holes clockwise, one after
// the other in `vertices`, starts[ring] .. starts[ring + 1]). part_starts has *part_count + 1
// entries into *indices, which index `vertices`. Both arrays come from ph_alloc and belong to the
// caller. stop may be NULL.
PhStatus ph_decompose(const PhVec2 *vertices, const int32_t *starts, int32_t ring_count,
                      const PhStop *stop, int32_t **indices, int32_t **part_starts,
                      int32_t *part_count, PhError *error);

#endif

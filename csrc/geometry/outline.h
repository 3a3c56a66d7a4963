// Shapes as other shapes: round ones as polygons, all of them elsewhere.
#ifndef PH_GEOMETRY_OUTLINE_H
#define PH_GEOMETRY_OUTLINE_H

#include "geometry/shape.h"

// Vertices that a full turn of an arc gets.
#define PH_OUTLINE_VERTICES 64

// The one chord rule of round outlines: steps of at most a full turn / PH_OUTLINE_VERTICES, and at
// least two, but one for an angle (radians, >= 0) that rounding would hide.
int32_t ph_arc_steps(double angle);
// steps + 1 points about the center, from the unit vector `from` by the angle, counter-clockwise
// when it is positive; steps >= 1.
void ph_arc_points(PhVec2 center, double radius, PhVec2 from, double angle, int32_t steps,
                   PhVec2 *out);

// Points that suffice for the outline of so many vertices: the arcs add up to one turn, its steps,
// and two more of each arc for rounding up and the end.
static inline size_t ph_outline_room(int32_t count) {
    return PH_OUTLINE_VERTICES + 3 * (size_t)count;
}
// The outline of a convex, counter-clockwise ring grown by a radius > 0: 1 vertex is the centre of
// a circle, 2 are the ends of a capsule. normals are the outward unit normals of the edges that
// begin at the vertices (unused for a circle). Returns the number of points; with out NULL, of any
// ring: corners that turn right get no arc.
int32_t ph_grow_outline(const PhVec2 *vertices, const PhVec2 *normals, int32_t count, double radius,
                        bool same_area, PhVec2 *out);

// Counter-clockwise vertices in place of a circle, capsule or rounded polygon, in the shape's
// frame. Those on arcs lie on the surface, or a little outside so that the area is exactly that of
// the shape. *points comes from ph_alloc. PH_ERROR_VALUE for a shape that is not round.
PhStatus ph_shape_outline(const PhShape *shape, bool same_area, PhVec2 **points, int32_t *count,
                          PhError *error);

// The shape moved within its frame: a new one, or the same with one more reference when `by` is
// zero. NULL with *error where the constructor refuses it. stop may be NULL.
PhShape *ph_shape_translated(PhShape *shape, PhVec2 by, const PhStop *stop, PhError *error);

#endif

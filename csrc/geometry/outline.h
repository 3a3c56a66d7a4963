// Shapes as other shapes: round ones as polygons, all of them elsewhere.
#ifndef PH_GEOMETRY_OUTLINE_H
#define PH_GEOMETRY_OUTLINE_H

#include "geometry/shape.h"

// Vertices that a full turn of an arc gets.
#define PH_OUTLINE_VERTICES 64

// Counter-clockwise vertices in place of a circle, capsule or rounded polygon, in the shape's
// frame. Those on arcs lie on the surface, or a little outside so that the area is exactly that of
// the shape. *points comes from ph_alloc. PH_ERROR_VALUE for a shape that is not round.
PhStatus ph_shape_outline(const PhShape *shape, bool same_area, PhVec2 **points, int32_t *count,
                          PhError *error);

// The shape moved within its frame: a new one, or the same with one more reference when `by` is
// zero. NULL with *error where the constructor refuses it. stop may be NULL.
PhShape *ph_shape_translated(PhShape *shape, PhVec2 by, const PhStop *stop, PhError *error);

#endif

// Cutting a body along a line: a plan that can fail, then a commit that cannot.
#ifndef PH_WORLD_BODY_SLICE_H
#define PH_WORLD_BODY_SLICE_H

#include "world/world.h"

typedef struct PhSlice PhSlice;

// Plans the cut of a body along the infinite line through two points of the world, and reserves all
// that it needs. The world is as it was, and must stay so until the commit. With fewer than 2 parts
// there is nothing to commit: the line does not part the body.
//
// What hangs together on one side of the line becomes one body, with its origin at its centre of
// mass: the pieces of one collider hang together when their areas do, different colliders when they
// come within PH_MIN_WIDTH of each other; sensors hold nothing together and go with what they
// touch. Parts keep the motion, density, material and filter, and a given mass is shared out, so
// that mass and momentum stay; forces still to act are shared out as well. Round shapes that are
// cut become polygons of the same area (geometry/outline.h). No piece is made that is thinner than
// PH_MIN_WIDTH: it stays with its neighbour across the line. Parts of a dynamic body that weigh
// nothing stay with the nearest one that does.
//
// PH_ERROR_REMOVED; PH_ERROR_VALUE: p and q are one point, numbers that are not finite, a part
// whose mass is out of range, or a shape so intricate that rounding of the cut makes it touch
// itself; PH_ERROR_CAPACITY; PH_ERROR_MEMORY.
PhStatus ph_slice_plan(PhWorld *world, PhId body, PhVec2 p, PhVec2 q, PhSlice **slice,
                       PhError *error);
uint32_t ph_slice_count(const PhSlice *slice); // of parts
// The ids that the parts will have, those on the left of p -> q first.
void ph_slice_ids(const PhWorld *world, const PhSlice *slice, PhId *ids);
// Destroys the body and makes its parts; wakes what touched it. Frees the plan.
void ph_slice_commit(PhWorld *world, PhSlice *slice);
void ph_slice_drop(PhSlice *slice); // NULL is allowed

#endif

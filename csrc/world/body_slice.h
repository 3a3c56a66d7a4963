// Cutting a body along a line: a plan that can fail, then a commit that cannot.
#ifndef PH_WORLD_BODY_SLICE_H
#define PH_WORLD_BODY_SLICE_H

#include "world/world.h"

typedef struct PhSlice PhSlice;

// Plans the cut of a body along the infinite line through two points of the world, and reserves
// everything that it needs. The world is unchanged, and must stay so until the commit. With fewer
// than 2 parts there is nothing to commit: the line does not cut the body.
//
// What is connected on one side of the line becomes one body, with its origin at its centre of
// mass. Pieces of one collider are connected where their areas are; different colliders, where they
// come within PH_MIN_WIDTH of each other. Sensors connect nothing and go with what they touch.
// Parts keep the motion, density, material and filter. A given mass is divided among them, so that
// mass and momentum are conserved; so are forces that have yet to act. Round shapes that are cut
// become polygons of the same area (geometry/outline.h). No piece thinner than PH_MIN_WIDTH is
// made: it stays with its neighbour across the line. Parts of a dynamic body without mass stay with
// the nearest part that has mass.
//
// PH_ERROR_REMOVED; PH_ERROR_VALUE: p and q are one point, a number is not finite, the mass of a
// part is out of range, or a shape is so intricate that rounding makes a part touch itself;
// PH_ERROR_CAPACITY; PH_ERROR_MEMORY.
PhStatus ph_slice_plan(PhWorld *world, PhId body, PhVec2 p, PhVec2 q, PhSlice **slice,
                       PhError *error);
uint32_t ph_slice_count(const PhSlice *slice); // of parts
// The ids that the parts will have; those on the left of p -> q come first.
void ph_slice_ids(const PhWorld *world, const PhSlice *slice, PhId *ids);
// Destroys the body and makes its parts; wakes what touched it. Frees the plan.
void ph_slice_commit(PhWorld *world, PhSlice *slice);
void ph_slice_drop(PhSlice *slice); // NULL is allowed

#endif

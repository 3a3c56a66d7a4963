// Where joints hold: poses of their sides, and what of a world follows from them. Inside of world/.
#ifndef PH_WORLD_JOINT_PLACES_H
#define PH_WORLD_JOINT_PLACES_H

#include "world/internal.h"
#include "world/joints.h"

// The pose of a side of a joint; the world's frame for PH_NULL.
static inline PhTransform ph_joint_pose_of(const PhWorld *world, uint32_t slot) {
    return slot == PH_NULL ? (PhTransform){{0, 0}, {1, 0}} : ph_body_transform(world, slot);
}

// Of an anchor, the image that is nearest to its body.
static inline PhVec2 ph_joint_image_of(const PhWorld *world, uint32_t slot, PhVec2 anchor) {
    return slot == PH_NULL ? anchor : ph_body_image_of(world, slot, anchor);
}

static inline double ph_joint_angle_of(const PhWorld *world, uint32_t slot) {
    return slot == PH_NULL ? 0 : world->state->angle[slot];
}

// From a place to another, in a wrapped world to its nearest image.
static inline PhVec2 ph_joint_gap(const PhWorld *world, PhVec2 from, PhVec2 to) {
    return ph_wrap_least(&world->wrap, ph_sub(to, from));
}

// The coordinate of a joint that has one, its rate, and what one newton (or N m) along it does to a
// and b, force and torque each: where its bodies will be if they keep their velocities for so many
// seconds.
void ph_joint_read_ahead(const PhWorld *world, uint32_t index, double ahead, double *position,
                         double *speed, double lever[2][3]);

// What the coordinates of the joints of a gear add up to now.
double ph_gear_coordinate(const PhWorld *world, const uint32_t joints[2], double ratio);

#endif

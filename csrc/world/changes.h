// Changes of a world, noted where they are made: what follows from each for the next step.
#ifndef PH_WORLD_CHANGES_H
#define PH_WORLD_CHANGES_H

#include "world/internal.h"

// The pose of a body: queries have to see it, and its transform has been made anew.
void ph_note_pose(PhWorld *world, uint32_t slot);
// A body is to be examined though no step has moved it. how: PH_MOVED_*.
void ph_note_moved(PhWorld *world, uint32_t slot, uint8_t how);
// Queries have to look again.
void ph_note_queries(PhWorld *world);
// A kinematic body was moved by the step, which lists it.
void ph_note_driven(PhWorld *world, uint32_t slot);
// The role of a body has become another.
void ph_note_role(PhWorld *world);
// A kinematic body may have begun or ceased to move.
void ph_note_kinematics(PhWorld *world);
// A body was given a force or a velocity: sums of finite numbers may not be finite.
void ph_note_force(PhWorld *world, uint32_t slot);
// All bodies that move were given forces by fields.
void ph_note_fields(PhWorld *world);
// A collider or a body came, without a place yet, or what is listed of one has changed.
void ph_note_lists(PhWorld *world);
// Proxies of a body came, went, or have another filter.
void ph_note_proxies(PhWorld *world, uint32_t slot);
// A body is fixed, or is no longer.
void ph_note_fixed(PhWorld *world);
// Others move than at the last time when pairs were found.
void ph_note_roster(PhWorld *world);
// Pairs may be missing that no enlarged proxy has.
void ph_note_pairs(PhWorld *world);
// Bodies that a joint keeps apart are others.
void ph_note_apart(PhWorld *world);
// Something else that islands, wide contacts or packs of joints are made of: a mass, a joint,
// gravity, kernels.
void ph_note_layout(PhWorld *world);
// Islands have other substep levels, or begin or cease to be solved through their joints.
void ph_note_levels(PhWorld *world);
// Anything may have changed.
void ph_note_all(PhWorld *world);

// The generation of an object in a place that was used before. Ids are never given out twice in the
// life of a world, whatever it is restored to.
static inline uint32_t ph_next_generation(const PhWorld *world, uint32_t generation) {
    uint32_t floor = world->generation_floor;
    return (generation < floor ? floor : generation) + 1;
}

static inline void ph_note_generation(PhWorld *world, uint32_t generation) {
    world->generation_top = generation > world->generation_top ? generation : world->generation_top;
}

// That of the object that takes a place now.
static inline uint32_t ph_take_generation(PhWorld *world, uint32_t before) {
    const uint32_t generation = ph_next_generation(world, before);
    ph_note_generation(world, generation);
    return generation;
}

#endif

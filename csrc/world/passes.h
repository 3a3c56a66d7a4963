// Passes over many bodies, in lanes: where they are after a step, their boxes, and whether a user
// wrote to them. One table per instruction set; the bits do not depend on which is taken.
#ifndef PH_WORLD_PASSES_H
#define PH_WORLD_PASSES_H

#include "broad/displacement_field.h"
#include "world/internal.h"

struct PhPasses {
    // Poses, transforms and centres of mass of awake dynamic bodies from what the solver left in
    // `center` and `angle`. Counts the time for which each has been slow when dt > 0. False when a
    // number may not be finite.
    bool (*place)(PhWorld *world, const uint32_t *slots, uint32_t count, double dt);
    // Grown boxes of proxies for a step of dt. Carries their predicted AABBs on; those whose pairs
    // do not hold any more get a predicted AABB made anew and PH_PROXY_ENLARGED, and are listed.
    // Returns how many. spins: set if the spin of a body may count (ph_spin_travel).
    uint32_t (*grow_boxes)(PhWorld *world, const uint32_t *proxies, uint32_t count, double dt,
                           const PhDisplacementField *displacements, uint32_t *enlarged_list,
                           bool *spins);
    // Slots, ascending, whose rows need a look: dead ones, poses that differ from the transform,
    // numbers that are not finite, and velocities and forces of what is not awake. Returns how
    // many.
    uint32_t (*scan_writes)(const PhWorld *world, uint32_t *found);
};

// The first two over all that moves, shared out to the world's team. The enlarged proxies are those
// of the world's proxies.
bool ph_place_all(PhWorld *world, double dt);
void ph_grow_all_boxes(PhWorld *world, double dt, const PhDisplacementField *displacements);

// The largest distance of a point of a piece's core from the centre of mass, or a little more: of
// the corners of the box around it, as lanes have it.
static inline double ph_spin_reach(const PhWorld *world, uint32_t proxy, PhVec2 center) {
    const PhPiece *piece = world->proxy_piece[proxy];
    const PhLanePiece *lane = &world->lane_piece[proxy];
    const PhLanePlace *place = &world->lane_place[proxy];
    if (piece->count > 1 && lane->hx == 0 && lane->hy == 0) { // it has no box
        return ph_length(ph_sub(piece->centroid, center)) + piece->extent - piece->radius;
    }
    PhVec2 arm = ph_unrotate(place->axis, ph_sub(place->middle, center));
    return ph_length(ph_vec(fabs(arm.x) + (double)lane->hx, fabs(arm.y) + (double)lane->hy));
}

// How far corners may come in a step by spin; pairs look ahead by what exceeds spin_slack.
static inline double ph_spin_travel(const PhWorld *world, uint32_t proxy, double dt) {
    uint32_t slot = world->proxies.body[proxy];
    double turn = ph_min(fabs(world->state->angular_velocity[slot]) * dt, 1);
    return turn > 0 ? turn * ph_spin_reach(world, proxy, world->body[slot].center_local) : 0;
}

const PhPasses *ph_passes(const PhKernels *kernels);
extern const PhPasses ph_passes_plain;
#if PH_HAVE_X86_KERNELS
extern const PhPasses ph_passes_avx2;
#endif

#endif

// Shared parts of continuous collision: bodies among walls (continuous.c) and among dynamic bodies
// (bullet_pairs.c).
#ifndef PH_WORLD_CONTINUOUS_H
#define PH_WORLD_CONTINUOUS_H

#include "world/images.h"

// Displacements in this step: of a body that moves and whose start was kept; of one that rests.
PhPath ph_path_of(const PhWorld *world, uint32_t slot);
PhPath ph_resting_path(const PhWorld *world, uint32_t slot);
// Whether p is the owner of a pair of proxies with q, one of a dynamic body at least.
static inline bool ph_owns(const PhWorld *world, uint32_t p, uint32_t q) {
    const uint8_t *flags = world->proxies.flags;
    bool both = flags[p] & flags[q] & PH_PROXY_DYNAMIC;
    return both ? p < q : (flags[p] & PH_PROXY_DYNAMIC) != 0;
}

// Whether where the body is now is a place at all.
bool ph_is_placed(const PhWorld *world, uint32_t slot);

// Calls go over the proxies of a body.
typedef struct PhParts {
    uint32_t collider, proxy, end;
} PhParts;
static inline PhParts ph_parts_of(const PhWorld *world, uint32_t slot) {
    return (PhParts){world->body[slot].first_collider, 0, 0};
}
static inline bool ph_next_part(const PhWorld *world, PhParts *parts, uint32_t *proxy) {
    while (parts->proxy == parts->end) {
        if (parts->collider == PH_NULL) {
            return false;
        }
        const PhCollider *collider = &world->collider[parts->collider];
        parts->proxy = collider->first_proxy;
        parts->end = parts->proxy + (uint32_t)collider->shape->piece_count;
        parts->collider = collider->next;
    }
    *proxy = parts->proxy++;
    return true;
}

// Images of a box of paths that can meet the boxes of a hierarchy. What goes around a wrapped world
// more often, so that its box meets more images of the world than that, meets nothing.
#define PH_MOST_AROUND 64
bool ph_goes_around(const PhWorld *world, PhAabb box);
PhImages ph_images_of_path(const PhWorld *world, PhAabb box, const PhBvh *bvh);
static inline PhAabb ph_box_at(const PhImages *images, PhAabb box) {
    return (PhAabb){ph_add(box.lower, images->shift), ph_add(box.upper, images->shift)};
}

// Of what rests, if it is not built; room has been reserved.
void ph_continuous_build_fixed(PhWorld *world);
void ph_continuous_build(PhWorld *world); // and what is kinematic and moves
// Lists the boxes that a body's pieces sweep, from a number of items on; only those of whole
// numbers, and of what collides. Then builds; room has been reserved.
uint32_t ph_add_paths(PhWorld *world, uint32_t slot, const PhPath *path, uint32_t count);
void ph_build_paths(PhContinuous *c, PhBvh *bvh, uint32_t count);
// A box of all that a proxy of a dynamic body, which is no fast body, may have been in.
PhAabb ph_box_of_path(const PhWorld *world, uint32_t proxy, uint32_t slot);

bool ph_is_dynamic_proxy(const PhWorld *world, uint32_t proxy); // that takes part
bool ph_may_meet(const PhWorld *world, uint32_t p, uint32_t q); // two proxies, by filters and hooks

// Whether anything is near the path of a body, which is what most of the fast ones lack.
bool ph_is_near_walls(const PhWorld *world, uint32_t slot);
// Ends a path from a time on where it leads through walls. Whether it has changed. direct: it is
// that of the step as it was; *carried is set, and never cleared, where a fast kinematic body has
// met it.
bool ph_stop_at_walls(const PhWorld *world, uint32_t slot, PhPath *path, bool direct, double from,
                      bool *carried);
bool ph_leads_through_walls(const PhWorld *world, uint32_t slot, const PhPath *path);
// Places a body at the end of a path that has changed. What it did not fall any more it must not
// have as speed.
void ph_place_at_end(PhWorld *world, uint32_t slot, const PhPath *path, bool carried);

// Writes down at which part of the step a path ended, if at none earlier; for a trace, at which
// proxy.
void ph_report_stop(const PhWorld *world, uint32_t slot, double time, uint32_t proxy);

// jointed_stops.c: what joints hold stops with what was stopped. Returns the number of fast[], to
// which bodies come.
uint32_t ph_stop_jointed(PhWorld *world, uint32_t count);

// missed_impacts.c: once fast bodies have been stopped, dynamic bodies that have come into each
// other unseen go back to where they meet.
// Reserves the memory for it, once contacts are known.
PhStatus ph_missed_impacts_reserve(PhWorld *world, double dt);
void ph_undo_missed_impacts(PhWorld *world, double dt);

// bullet_pairs.c
// When two pieces of dynamic bodies meet, one of them a bullet, if before a limit.
double ph_parts_meet(const PhWorld *world, uint32_t p, const PhPath *path_p, uint32_t q,
                     const PhPath *path_q, double limit);
// Whether there are fast bullets among the `count` fast bodies. Then all of these become fast
// bodies, in the order of slots.
bool ph_list_fast_bodies(PhWorld *world, uint32_t count);
void ph_stop_bullet_pairs(PhWorld *world); // by walls, then by what is dynamic

#endif

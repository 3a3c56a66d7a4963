// Owns the lists of what takes part in a step: awake dynamic bodies, kinematic bodies that move,
// and the proxies of both. The proxies are in two parts: those that may meet others, then those for
// which no other proxy needs a box. The cost of a step follows these lists, not the number of
// bodies.
//
// Invariant: the lists are right unless lists_stale. Every change of a role, or of the colliders of
// a body, sets it.
#include <string.h>

#include "world/internal.h"

// Those of the second list stand at the end of the array for now.
static void list_proxies(PhWorld *world, uint32_t slot) {
    PhProxies *p = &world->proxies;
    for (uint32_t c = world->body[slot].first_collider; c != PH_NULL; c = world->collider[c].next) {
        const PhCollider *collider = &world->collider[c];
        for (uint32_t k = 0; k < (uint32_t)collider->shape->piece_count; k++) {
            uint32_t proxy = collider->first_proxy + k;
            p->flags[proxy] |= PH_PROXY_MOVES;
            if (p->flags[proxy] & PH_PROXY_ENABLED) {
                p->moving[p->moving_count++] = proxy;
            } else {
                p->moving[p->capacity - ++p->aloof_count] = proxy;
            }
        }
    }
}

void ph_list_active(PhWorld *world) {
    if (!world->lists_stale) {
        return;
    }
    const PhState *state = world->state;
    PhProxies *p = &world->proxies;
    for (uint32_t k = 0; k < p->moving_count + p->aloof_count; k++) {
        p->flags[p->moving[k]] &= (uint8_t)~PH_PROXY_MOVES;
    }
    uint32_t kinematics = world->kinematic_count;
    world->dynamic_count = world->kinematic_count = p->moving_count = p->aloof_count = 0;
    world->continuous.bullets = 0;
    p->slabs = false; // what begins to move within a step has none
    bool same = true; // moving kinematic bodies as before
    unsigned resting = 0, changed = 0;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        resting |= (unsigned)(state->kind[i] == PH_DYNAMIC) & !state->awake[i];
        changed |=
            (unsigned)(world->moved[i] != PH_MOVED_NOT) & (world->role[i] < PH_ROLE_KINEMATIC);
    }
    for (uint32_t i = 0; i < world->slot_count; i++) {
        if (world->role[i] < PH_ROLE_KINEMATIC) {
            continue;
        }
        if (world->role[i] == PH_ROLE_DYNAMIC) {
            world->dynamic[world->dynamic_count++] = i;
            world->continuous.bullets += world->body[i].bullet;
        } else {
            uint32_t k = world->kinematic_count++;
            same &= k < kinematics && world->kinematic[k] == i;
            world->kinematic[k] = i;
        }
        list_proxies(world, i);
    }
    memmove(p->moving + p->moving_count, p->moving + (p->capacity - p->aloof_count),
            p->aloof_count * sizeof *p->moving);
    if (!same || world->kinematic_count != kinematics) {
        world->continuous.fixed_state = PH_FIXED_STALE;
    }
    world->has_sleepers = resting != 0;
    world->rest_changed = changed != 0;
    world->lists_stale = false;
    world->lists_made++;
    world->narrow_flags_stale = true;
}

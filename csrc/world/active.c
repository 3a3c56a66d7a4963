// Owns the lists of who takes part in a step: awake dynamic bodies, kinematic bodies that move, and
// the proxies of both. A step's cost follows these lists, not the number of bodies.
//
// Invariant: the lists are right unless lists_stale, which every change of a role or of a body's
// colliders sets.
#include <string.h>

#include "world/internal.h"

static void list_proxies(PhWorld *world, uint32_t slot) {
    for (uint32_t c = world->body[slot].first_collider; c != PH_NULL; c = world->collider[c].next) {
        const PhCollider *collider = &world->collider[c];
        for (uint32_t k = 0; k < (uint32_t)collider->shape->piece_count; k++) {
            uint32_t proxy = collider->first_proxy + k;
            world->proxies.flags[proxy] |= PH_PROXY_MOVES;
            world->proxies.moving[world->proxies.moving_count++] = proxy;
        }
    }
}

void ph_list_active(PhWorld *world) {
    if (!world->lists_stale) {
        return;
    }
    const PhState *state = world->state;
    for (uint32_t k = 0; k < world->proxies.moving_count; k++) {
        world->proxies.flags[world->proxies.moving[k]] &= (uint8_t)~PH_PROXY_MOVES;
    }
    world->mover_count = world->driver_count = world->proxies.moving_count = 0;
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
            world->mover[world->mover_count++] = i;
        } else {
            world->driver[world->driver_count++] = i;
        }
        list_proxies(world, i);
    }
    world->has_sleepers = resting != 0;
    world->rest_changed = changed != 0;
    world->lists_stale = false;
    world->lists_made++;
    world->look_stale = true;
}

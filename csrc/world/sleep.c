// Owns who is awake. Bodies of an island that has been slow for half a second fall asleep together:
// they stop, leave the solver, and form a ring, by which a single touch wakes all of them.
#include "base/status.h"
#include "world/internal.h"

static bool asleep(const PhWorld *world, uint32_t slot) {
    return ph_slot_alive(world, slot) && ph_is_dynamic(world, slot) && !world->state->awake[slot] &&
           world->body[slot].enabled;
}

void ph_wake(PhWorld *world, uint32_t slot) {
    if (!ph_slot_alive(world, slot) || !ph_is_dynamic(world, slot)) {
        return;
    }
    world->sleep_time[slot] = 0;
    if (!asleep(world, slot)) {
        return;
    }
    uint32_t at = slot;
    do {
        uint32_t next = world->body[at].sleep_next;
        world->body[at].sleep_next = at;
        world->sleep_time[at] = 0;
        world->state->awake[at] = 1;
        ph_body_update_role(world, at);
        at = next;
    } while (at != slot);
}

void ph_wake_touching(PhWorld *world, uint32_t slot) {
    ph_joints_wake(world, slot);
    bool sleepers = false;
    for (uint32_t i = 0; i < world->slot_count && !sleepers; i++) {
        sleepers = asleep(world, i);
    }
    PhPairCursor cursor = {0, 0};
    uint32_t k;
    for (const PhPairList *pairs; sleepers && ph_next_pair(&world->broad, &cursor, &pairs, &k);) {
        if (world->proxies.body[pairs->other[k]] == slot && pairs->flags[k] & PH_PAIR_ACTIVE) {
            ph_wake(world, world->proxies.body[pairs->owner[k]]);
        }
    }
}

// Rings and timers stay as they are until the step can no longer fail.
void ph_wake_in_step(PhWorld *world, uint32_t slot) {
    if (!asleep(world, slot)) {
        return;
    }
    uint32_t at = slot;
    do {
        world->state->awake[at] = 1;
        ph_body_update_role(world, at);
        world->woken[world->woken_count++] = at;
        at = world->body[at].sleep_next;
    } while (at != slot);
}

void ph_undo_wakes(PhWorld *world) {
    for (uint32_t i = 0; i < world->woken_count; i++) {
        world->state->awake[world->woken[i]] = 0;
        ph_body_update_role(world, world->woken[i]);
    }
    world->woken_count = 0;
}

void ph_commit_wakes(PhWorld *world) {
    for (uint32_t i = 0; i < world->woken_count; i++) {
        PhBody *body = &world->body[world->woken[i]];
        body->sleep_next = world->woken[i];
        world->sleep_time[world->woken[i]] = 0;
    }
    world->woken_count = 0;
}

// Puts a body to rest where it is, alone in its ring.
static void stop(PhWorld *world, uint32_t slot) {
    PhState *state = world->state;
    state->awake[slot] = 0;
    state->velocity[slot][0] = state->velocity[slot][1] = state->angular_velocity[slot] = 0;
    world->body[slot].sleep_next = slot;
    ph_body_update_role(world, slot);
    ph_refresh_slot(world, slot);
    ph_refresh_resting_boxes(world, slot);
}

// Puts the islands to sleep whose entry in island_time, by root, has reached the sleep time. Rings
// go in slot order.
static void lay_down(PhWorld *world) {
    uint32_t *tail = world->woken; // no wake is pending here
    for (uint32_t i = 0; i < world->slot_count; i++) {
        if (world->role[i] != PH_ROLE_DYNAMIC || i >= world->layout.slot_capacity) {
            continue;
        }
        uint32_t root = world->layout.island[i];
        if (root > i || world->island_time[root] < PH_SLEEP_TIME) {
            continue;
        }
        stop(world, i);
        if (root != i) { // the ring runs from the root over its members and back
            world->body[tail[root]].sleep_next = i;
            world->body[i].sleep_next = root;
        }
        tail[root] = i;
    }
}

void ph_put_to_sleep(PhWorld *world, uint32_t slot) {
    if (!ph_slot_alive(world, slot) || world->role[slot] != PH_ROLE_DYNAMIC) {
        return;
    }
    uint32_t root = slot < world->layout.slot_capacity ? world->layout.island[slot] : PH_NULL;
    if (root > slot || world->role[root] != PH_ROLE_DYNAMIC || world->layout.island[root] != root) {
        stop(world, slot); // not laid out since it was made, or its island has lost its root
        return;
    }
    for (uint32_t i = 0; i < world->slot_count; i++) {
        world->island_time[i] = i == root ? PH_SLEEP_TIME : 0;
    }
    lay_down(world);
}

void ph_sleep_islands(PhWorld *world) {
    double *least = world->island_time; // of roots
    const uint32_t *island = world->layout.island;
    for (uint32_t k = 0; k < world->mover_count; k++) {
        least[world->mover[k]] = INFINITY;
    }
    for (uint32_t k = 0; k < world->mover_count; k++) {
        uint32_t i = world->mover[k], root = island[i];
        least[root] = world->sleep_time[i] < least[root] ? world->sleep_time[i] : least[root];
    }
    bool any = false;
    for (uint32_t k = 0; k < world->mover_count; k++) {
        uint32_t i = world->mover[k];
        if (island[i] == i && least[i] >= PH_SLEEP_TIME) {
            // What lies on a moving kinematic body may be moved by it at any time.
            least[i] = ph_layout_is_driven(&world->layout, i) ? 0 : least[i];
            any |= least[i] > 0;
        }
    }
    if (any) {
        lay_down(world);
    }
}

// Owns which bodies are awake. Bodies of an island that has been slow for half a second fall asleep
// together: they stop, leave the solver, and form a ring, by which a single touch wakes all of
// them.
#include <math.h>
#include <string.h>

#include "world/contact_stage.h"
#include "world/narrow_proxies.h"

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

static bool any_asleep(const PhWorld *world) {
    bool sleepers = false;
    for (uint32_t i = 0; i < world->slot_count && !sleepers; i++) {
        sleepers = asleep(world, i);
    }
    return sleepers;
}

void ph_wake_touching(PhWorld *world, uint32_t slot) {
    ph_joints_wake(world, slot);
    const uint32_t *body = world->proxies.body;
    bool sleepers = any_asleep(world);
    PhPairCursor cursor = {0, 0};
    uint32_t k;
    for (const PhPairList *pairs; sleepers && ph_next_pair(&world->broad, &cursor, &pairs, &k);) {
        uint32_t a = body[pairs->owner[k]], b = body[pairs->other[k]];
        if ((a == slot || b == slot) && pairs->flags[k] & PH_PAIR_ACTIVE) {
            ph_wake(world, a == slot ? b : a);
        }
    }
}

void ph_wake_touching_any(PhWorld *world, const uint8_t *marked) {
    for (uint32_t i = 0; i < world->slot_count; i++) {
        if (marked[i]) {
            ph_joints_wake(world, i);
        }
    }
    const uint32_t *body = world->proxies.body;
    bool sleepers = any_asleep(world);
    PhPairCursor cursor = {0, 0};
    uint32_t k;
    for (const PhPairList *pairs; sleepers && ph_next_pair(&world->broad, &cursor, &pairs, &k);) {
        uint32_t a = body[pairs->owner[k]], b = body[pairs->other[k]];
        if (marked[b] && pairs->flags[k] & PH_PAIR_ACTIVE) {
            ph_wake(world, a);
        }
    }
}

// ------------------------------------------------------------------------------------------------
// thresholds of bodies: the pass that places them knows one for all

void ph_sleep_keep_times(PhWorld *world) {
    for (uint32_t k = 0; world->own_thresholds && k < world->dynamic_count; k++) {
        world->body[world->dynamic[k]].slow_for = world->sleep_time[world->dynamic[k]];
    }
}

void ph_sleep_judge_times(PhWorld *world, double dt) {
    for (uint32_t k = 0; world->own_thresholds && k < world->dynamic_count; k++) {
        uint32_t i = world->dynamic[k];
        const PhBody *body = &world->body[i];
        if (body->sleep_threshold >= 0) {
            PhVec2 v = ph_slot_velocity(world, i);
            double w = fabs(world->state->angular_velocity[i]);
            double speed = sqrt(v.x * v.x + v.y * v.y) + w * world->sleep_reach[i];
            world->sleep_time[i] = speed < body->sleep_threshold ? body->slow_for + dt : 0;
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
        if (world->role[i] != PH_ROLE_DYNAMIC || i >= PH_CAPACITY(world->layout.island)) {
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
    uint32_t root = slot < PH_CAPACITY(world->layout.island) ? world->layout.island[slot] : PH_NULL;
    if (root > slot || world->role[root] != PH_ROLE_DYNAMIC || world->layout.island[root] != root) {
        stop(world, slot); // not laid out since it was made, or its island has lost its root
        return;
    }
    for (uint32_t i = 0; i < world->slot_count; i++) {
        world->island_time[i] = i == root ? PH_SLEEP_TIME : 0;
    }
    lay_down(world);
}

// What is slow is not yet at rest: it may drift, begin to fall, or turn back. Twice within the
// sleep time an island is examined. What lies on a fixed body is at rest where its velocity has
// hardly changed in between; anything else, and what a motor is to move, where nothing has moved.
#define HALF_TIME (0.5 * PH_SLEEP_TIME)
// What hangs on joints in an island that lies on a fixed body may have moved by so much more.
#define NEARLY 2.0

// Of an island whose time has come, in island_time at its root. Those that sleep are at least
// PH_SLEEP_TIME.
#define STILL 3.0
#define SUPPORTED 2.0
#define SLOW 1.0
#define RESTLESS -1.0

static void set_mark(PhWorld *world, uint32_t slot) {
    const PhState *state = world->state;
    world->sleep_time[slot] = HALF_TIME;
    world->rest_mark[slot] = (PhRestMark){
        {world->center[slot][0], world->center[slot][1], state->angle[slot]},
        {state->velocity[slot][0], state->velocity[slot][1], state->angular_velocity[slot]}};
}

static double distance3(const double a[3], const double b[3], double reach) {
    double x = a[0] - b[0], y = a[1] - b[1];
    return sqrt(x * x + y * y) + reach * fabs(a[2] - b[2]);
}

void ph_note_touched(PhWorld *world, bool touched) {
    const PhContacts *contacts = &world->contacts;
    for (uint32_t i = 0; i < contacts->count; i++) {
        if (world->broad.pairs.flags[contacts->pair[i]] & PH_PAIR_TOUCHING) {
            world->body[contacts->body_a[i]].touched = touched;
            world->body[contacts->body_b[i]].touched = touched;
        }
    }
}

// Whether a body is held by springs, or by one hinge or slide that lets it swing, as a load on
// springs that stand on the ground.
static bool hangs(const PhWorld *world, uint32_t slot) {
    bool sprung = false;
    uint32_t count = 0, end = world->body[slot].first_joint;
    for (; end != PH_NULL && !sprung; end = ph_joint_next(world, end)) {
        const PhJoint *joint = &world->joints.joint[end / 2];
        sprung = ph_joint_sprung_rows(joint) != 0;
        count += ph_joint_rigid_rows(joint) == 7 || ph_joint_axis_rows(joint) ? 2 : 1;
    }
    return !world->body[slot].touched && (sprung || count == 1);
}

// How much at rest a body is.
static double rest_of(const PhWorld *world, uint32_t slot) {
    const PhState *state = world->state;
    const PhRestMark *mark = &world->rest_mark[slot];
    const double now[3] = {world->center[slot][0], world->center[slot][1], state->angle[slot]};
    const double speed[3] = {state->velocity[slot][0], state->velocity[slot][1],
                             state->angular_velocity[slot]};
    double reach = world->body[slot].extent;
    double changed = distance3(speed, mark->velocity, reach);
    double moved = ph_max(changed, distance3(now, mark->pose, reach));
    bool still = moved < world->lengths.sleep_moved;
    double own = world->body[slot].sleep_threshold;
    double most = own < 0 ? world->lengths.sleep_changed
                          : own * (world->lengths.sleep_changed / world->lengths.sleep_speed);
    bool slow =
        changed < most && (moved < NEARLY * world->lengths.sleep_moved || !hangs(world, slot));
    return still ? STILL : slow ? SLOW : RESTLESS;
}

// Islands that lie on a fixed body.
static void find_supported(PhWorld *world) {
    PhPairCursor cursor = {0, 0};
    uint32_t k;
    for (const PhPairList *pairs; ph_next_pair(&world->broad, &cursor, &pairs, &k);) {
        uint32_t body = world->proxies.body[pairs->owner[k]];
        uint32_t on = world->proxies.body[pairs->other[k]];
        if (!(pairs->flags[k] & PH_PAIR_TOUCHING) || world->role[body] != PH_ROLE_DYNAMIC ||
            world->role[on] == PH_ROLE_DYNAMIC) {
            continue;
        }
        double *rest = &world->island_time[world->layout.island[body]];
        *rest = *rest == SLOW ? SUPPORTED : *rest;
    }
}

// Of islands whose time has come, those that are not at rest stay awake.
static void judge_rest(PhWorld *world) {
    const uint32_t *island = world->layout.island;
    bool any = false;
    if (world->joints.count) {
        ph_note_touched(world, true);
    }
    for (uint32_t k = 0; k < world->dynamic_count; k++) {
        uint32_t i = world->dynamic[k];
        double *rest = &world->island_time[island[i]];
        if (*rest == STILL || *rest == SLOW) {
            *rest = ph_min(*rest, rest_of(world, i));
            *rest =
                *rest == SLOW && ph_layout_is_motored(&world->layout, island[i]) ? RESTLESS : *rest;
            any |= *rest == SLOW;
        }
    }
    if (world->joints.count) {
        ph_note_touched(world, false);
    }
    if (any) {
        find_supported(world);
    }
    for (uint32_t k = 0; k < world->dynamic_count; k++) {
        uint32_t i = world->dynamic[k];
        double rest = world->island_time[island[i]];
        if (rest == SLOW || rest == RESTLESS) {
            set_mark(world, i);
        }
    }
    for (uint32_t k = 0; k < world->dynamic_count; k++) {
        double *rest = &world->island_time[world->dynamic[k]];
        *rest = *rest == SLOW || *rest == RESTLESS ? 0 : *rest;
    }
}

// What rocks on a corner or on something round goes on for ever in theory. In a heap that lies
// still otherwise, its spin decays as in nature, or the heap would never sleep: at SPIN_DECAY, 1/s,
// where it turns slowly and its centre rises. What rolls along or begins to topple does not rise.
// Islands count SMALL_HEAP less than their bodies, and MOVING less for each that has not been slow
// for half of the sleep time; those that count at least 0 are heaps.
#define SPIN_DECAY 6.0
#define RISES 0.01 // of the speed
enum { SMALL_HEAP = 8, MOVING = 4 };

static bool rocks(const PhWorld *world, uint32_t slot) {
    PhVec2 velocity = ph_slot_velocity(world, slot), gravity = world->def.gravity;
    double spin = fabs(world->state->angular_velocity[slot]) * world->body[slot].extent;
    return spin < world->lengths.rocking_spin &&
           -ph_dot(velocity, gravity) > RISES * ph_length(velocity) * ph_length(gravity);
}

static void calm_heaps(PhWorld *world, double dt) {
    int32_t *count = (int32_t *)world->woken; // of roots; no wake is pending here
    const uint32_t *island = world->layout.island;
    const double share = ph_max(0, 1 - SPIN_DECAY * dt);
    for (uint32_t k = 0; k < world->dynamic_count; k++) {
        count[world->dynamic[k]] = -SMALL_HEAP;
    }
    for (uint32_t k = 0; k < world->dynamic_count; k++) {
        uint32_t i = world->dynamic[k];
        count[island[i]] += world->sleep_time[i] >= HALF_TIME ? 1 : 1 - MOVING;
    }
    for (uint32_t k = 0; k < world->dynamic_count; k++) {
        uint32_t i = world->dynamic[k], root = island[i];
        if (count[root] >= 0 && rocks(world, i) && world->body[i].first_joint == PH_NULL &&
            ph_layout_is_held(&world->layout, root) && !ph_layout_is_driven(&world->layout, root)) {
            world->state->angular_velocity[i] *= share;
        }
    }
}

void ph_sleep_islands(PhWorld *world, double dt) {
    double *least = world->island_time; // of roots
    const uint32_t *island = world->layout.island;
    for (uint32_t k = 0; k < world->dynamic_count; k++) {
        least[world->dynamic[k]] = INFINITY;
    }
    for (uint32_t k = 0; k < world->dynamic_count; k++) {
        uint32_t i = world->dynamic[k], root = island[i];
        double time = world->sleep_time[i];
        bool marked = time == HALF_TIME + dt; // in the last step; rounding may hide it
        if (time >= HALF_TIME && time - dt < HALF_TIME && !marked) {
            set_mark(world, i);
            time = HALF_TIME;
        }
        least[root] = time < least[root] ? time : least[root];
    }
    bool any = false;
    for (uint32_t k = 0; k < world->dynamic_count; k++) {
        uint32_t i = world->dynamic[k];
        if (island[i] == i) {
            // What lies on a moving kinematic body may be moved by it at any time.
            bool due = least[i] >= PH_SLEEP_TIME && !ph_layout_is_driven(&world->layout, i);
            least[i] = due ? STILL : 0;
            any |= due;
        }
    }
    if (any) {
        judge_rest(world);
        lay_down(world);
    }
    if (world->def.gravity.x != 0 || world->def.gravity.y != 0) {
        calm_heaps(world, dt);
    }
}

// ------------------------------------------------------------------------------------------------
// what comes into range

// Wakes the sleeper of a pair in range. A body that was made asleep is left so by the ground it was
// made on.
static void wake_partner(PhWorld *world, uint32_t a, uint32_t b) {
    uint8_t role_a = world->role[a], role_b = world->role[b];
    bool fixed_came = !ph_is_dynamic(world, b) && world->moved[b] && !world->moved[a];
    if (role_a == PH_ROLE_NONE &&
        (role_b == PH_ROLE_DYNAMIC || role_b == PH_ROLE_KINEMATIC || fixed_came)) {
        ph_wake_in_step(world, a);
    } else if (role_b == PH_ROLE_NONE && role_a == PH_ROLE_DYNAMIC) {
        ph_wake_in_step(world, b);
    }
}

void ph_wake_in_range(PhWorld *world, const PhPairList *pairs) {
    const uint8_t *flags = world->narrow_flags;
    for (uint32_t k = 0; k < pairs->count; k++) {
        uint8_t both = flags[pairs->owner[k]] | flags[pairs->other[k]];
        if (world->next_active[k] == PH_ANSWER_NEAR && both & PH_NARROW_SLEEPS) {
            wake_partner(world, world->proxies.body[pairs->owner[k]],
                         world->proxies.body[pairs->other[k]]);
        }
    }
}

// Pairs of each body with a sleeper: pair[start[slot]] .. pair[start[slot + 1] - 1], and room for a
// list of pairs. One block.
typedef struct Incidence {
    uint32_t *start, *pair, *list;
} Incidence;

static PhStatus list_incidence(const PhWorld *world, const PhPairList *pairs, Incidence *out) {
    const uint32_t *body = world->proxies.body;
    const uint8_t *role = world->role;
    uint32_t slots = world->slot_count;
    uint32_t *start = ph_alloc(slots + 2 + 3 * (size_t)pairs->count, sizeof *start);
    if (!start) {
        return PH_ERROR_MEMORY;
    }
    uint32_t *end = start + 1, *pair = start + slots + 2;
    memset(start, 0, ((size_t)slots + 2) * sizeof *start);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < pairs->count; k++) {
            uint32_t a = body[pairs->owner[k]], b = body[pairs->other[k]];
            if (!ph_is_dynamic(world, b) || (role[a] != PH_ROLE_NONE && role[b] != PH_ROLE_NONE)) {
                continue;
            }
            if (pass == 0) { // counts, two rows ahead
                start[a + 2]++;
                start[b + 2]++;
            } else {
                pair[end[a]++] = k;
                pair[end[b]++] = k;
            }
        }
        for (uint32_t i = 0; pass == 0 && i < slots; i++) {
            start[i + 2] += start[i + 1];
        }
    }
    *out = (Incidence){start, pair, pair + 2 * (size_t)pairs->count};
    return PH_OK;
}

// Examines the pairs of some of the woken bodies with sleepers, and wakes those in range.
static void wake_partners(PhWorld *world, const PhPairList *pairs, const Incidence *incidence,
                          PhRange some, double dt) {
    const uint32_t *body = world->proxies.body, *woken = world->woken + some.first;
    const uint8_t *awake = world->state->awake;
    uint8_t *next = world->next_active;
    uint32_t count = 0;
    for (uint32_t i = 0; i < some.count; i++) {
        uint32_t last = incidence->start[woken[i] + 1];
        for (uint32_t m = incidence->start[woken[i]]; m < last; m++) {
            uint32_t k = incidence->pair[m];
            bool sleeps = !awake[body[pairs->owner[k]]] || !awake[body[pairs->other[k]]];
            if (sleeps && next[k] == PH_ANSWER_FROZEN) {
                next[k] = PH_ANSWER_NEAR;
                incidence->list[count++] = k;
            }
        }
    }
    ph_examine_pairs(world, pairs, incidence->list, count, dt);
    for (uint32_t i = 0; i < some.count; i++) {
        uint32_t last = incidence->start[woken[i] + 1];
        for (uint32_t m = incidence->start[woken[i]]; m < last; m++) {
            uint32_t k = incidence->pair[m];
            if (next[k] == PH_ANSWER_NEAR) {
                wake_partner(world, body[pairs->owner[k]], body[pairs->other[k]]);
            }
        }
    }
}

PhStatus ph_spread_waking(PhWorld *world, const PhPairList *pairs, double dt) {
    Incidence incidence;
    PhStatus status = list_incidence(world, pairs, &incidence);
    if (status) {
        return status;
    }
    if (pairs != &world->broad.pairs) {
        memset(world->next_active, PH_ANSWER_FROZEN, pairs->count);
    }
    for (uint32_t done = 0; done < world->woken_count;) {
        PhRange ring = {done, world->woken_count - done};
        wake_partners(world, pairs, &incidence, ring, dt);
        done += ring.count;
    }
    ph_free(incidence.start);
    return PH_OK;
}

// Owns the way from candidate pairs to contacts: the manifold of each pair in range, and whom it
// wakes.
//
// Source: contacts ahead of time after P. Firth, "Speculative Contacts" (2011).
#include <string.h>

#include "world/internal.h"

// Corners that would meet by less than this (metres) count as passing.
#define PH_PASS_SLOP 0.005

enum { FROZEN = 2 }; // next_active of a pair without an awake member

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

PhStatus ph_list_contacts(PhWorld *world) {
    const PhPairList *pairs = &world->broad.pairs;
    PhContacts *contacts = &world->contacts;
    uint32_t count = 0;
    for (uint32_t k = 0; k < pairs->count; k++) {
        count += world->next_active[k] == 1 &&
                 world->role[world->proxies.body[pairs->owner[k]]] == PH_ROLE_DYNAMIC;
    }
    const PhColumn columns[] = {
        {&contacts->pair, sizeof *contacts->pair},
        {&contacts->body_a, sizeof *contacts->body_a},
        {&contacts->body_b, sizeof *contacts->body_b},
    };
    PhStatus status = ph_grow_columns(columns, 3, &contacts->capacity, count);
    if (status) {
        return status;
    }
    contacts->count = 0;
    for (uint32_t k = 0; k < pairs->count; k++) {
        uint32_t a = world->proxies.body[pairs->owner[k]];
        if (world->next_active[k] == 1 && world->role[a] == PH_ROLE_DYNAMIC) {
            uint32_t c = contacts->count++;
            contacts->pair[c] = k;
            contacts->body_a[c] = a;
            contacts->body_b[c] = world->proxies.body[pairs->other[k]];
        }
    }
    return PH_OK;
}

static double mix(PhMixRule rule, double a, double b) {
    switch (rule) {
    case PH_MIX_MAX:
        return a > b ? a : b;
    case PH_MIX_MIN:
        return a < b ? a : b;
    case PH_MIX_AVERAGE:
        return 0.5 * (a + b);
    case PH_MIX_MULTIPLY:
        return a * b;
    case PH_MIX_GEOMETRIC_MEAN:
        break;
    }
    return sqrt(a * b);
}

static void mix_materials(const PhWorld *world, uint32_t p, uint32_t q, PhManifoldRecord *record) {
    const PhColliderDef *a = &world->collider[world->proxies.collider[p]].def;
    const PhColliderDef *b = &world->collider[world->proxies.collider[q]].def;
    record->friction = (float)mix(world->def.friction_rule, a->friction, b->friction);
    record->restitution = (float)mix(world->def.restitution_rule, a->restitution, b->restitution);
    double radius_a = world->proxy_piece[p]->radius, radius_b = world->proxy_piece[q]->radius;
    double rolling = a->rolling_resistance > b->rolling_resistance ? a->rolling_resistance
                                                                   : b->rolling_resistance;
    record->rolling_radius = (float)(rolling * (radius_a > radius_b ? radius_a : radius_b));
    // The outward normal of a turned clockwise is the tangent, that of b its negative; a's surface
    // drives b along the first, b's drives a along the second, which is again b along the first.
    record->tangent_speed = (float)(a->tangent_speed + b->tangent_speed);
}

// Velocity of b less that of a at a point given from a's centre.
static PhVec2 relative_velocity(const PhWorld *world, uint32_t a, uint32_t b, PhVec2 from_a,
                                PhVec2 gap) {
    const double *spin = world->state->angular_velocity;
    PhVec2 va = ph_mul_add(ph_slot_velocity(world, a), spin[a], ph_left(from_a));
    PhVec2 vb = ph_mul_add(ph_slot_velocity(world, b), spin[b], ph_left(ph_sub(from_a, gap)));
    return ph_sub(vb, va);
}

static bool is_corner(const PhPiece *piece, PhTransform pose, PhVec2 point) {
    for (int32_t i = 0; i < piece->count; i++) {
        if (ph_distance_squared(ph_apply(pose, piece->vertices[i]), point) < 1e-12) {
            return true;
        }
    }
    return false;
}

// Whether two corners only graze each other on the way of this step. A contact acts along its
// present normal; between corners that pass, as on the seam of two tiles, that would be a wall
// where none is. They pass if the pieces overlap by less than the slop half way and at the end.
// Thin pieces have less slop, segments none; slow bodies are let alone.
static bool corners_pass(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb,
                         const PhManifold *manifold, PhVec2 velocity, double dt) {
    const PhManifoldPoint *point = &manifold->points[0];
    PhVec2 n = manifold->normal;
    double thin = a->width < b->width ? a->width : b->width;
    double slop = 0.05 * thin < PH_PASS_SLOP ? 0.05 * thin : PH_PASS_SLOP;
    double way = -ph_dot(velocity, n) * dt;
    // Apart: would it act in this step, or nearly? Overlapping: fast, and not deep.
    bool acts = point->separation > 0 ? way > point->separation - 0.25 * PH_SPECULATIVE
                                      : way > slop && point->separation > -slop;
    if (!acts || slop == 0 || (a->count == 1 && b->count == 1)) {
        return false;
    }
    double half = 0.5 * point->separation;
    bool corners = manifold->count == 2
                       ? ph_distance_squared(point->point, manifold->points[1].point) < slop * slop
                       : is_corner(a, ta, ph_mul_add(point->point, -half - a->radius, n)) &&
                             is_corner(b, tb, ph_mul_add(point->point, half + b->radius, n));
    for (int part = 1; corners && part <= 2; part++) {
        PhManifold later;
        PhTransform moved = {ph_mul_add(tb.p, 0.5 * part * dt, velocity), tb.q};
        ph_collide(a, ta, b, moved, 0, &later);
        for (int i = 0; i < later.count; i++) {
            corners &= later.points[i].separation > -slop;
        }
    }
    return corners;
}

// The manifold of a pair; 0 when it has no point within the margin. A function of poses and
// velocities alone, whatever the fat boxes are: the grown boxes meet wherever a contact can be.
static uint8_t find_manifold(PhWorld *world, uint32_t k, double dt) {
    uint32_t p = world->broad.pairs.owner[k], q = world->broad.pairs.other[k];
    if (!ph_overlaps(world->proxies.box[p], world->proxies.box[q])) {
        return 0;
    }
    uint32_t a = world->proxies.body[p], b = world->proxies.body[q];
    PhTransform ta, tb;
    PhManifold manifold;
    ph_pair_frames(world, a, b, &ta, &tb);
    ph_collide(world->proxy_piece[p], ta, world->proxy_piece[q], tb,
               ph_pair_margin(world, p, q, dt), &manifold);
    if (!manifold.count) {
        return 0;
    }
    PhVec2 gap = {world->center[b][0] - world->center[a][0],
                  world->center[b][1] - world->center[a][1]};
    PhManifoldRecord *record = &world->contacts.manifold[k];
    *record = (PhManifoldRecord){
        .nx = (float)manifold.normal.x,
        .ny = (float)manifold.normal.y,
        .dx = (float)gap.x,
        .dy = (float)gap.y,
        .radius_a = (float)world->proxy_piece[p]->radius,
        .radius_b = (float)world->proxy_piece[q]->radius,
    };
    mix_materials(world, p, q, record);
    double approach = 0;
    uint8_t active = 0;
    PhVec2 velocity = relative_velocity(world, a, b, manifold.points[0].point, gap);
    if (corners_pass(world->proxy_piece[p], ta, world->proxy_piece[q], tb, &manifold, velocity,
                     dt)) {
        return 0;
    }
    for (int i = 0; i < manifold.count; i++) {
        const PhManifoldPoint *point = &manifold.points[i];
        double speed = -ph_dot(relative_velocity(world, a, b, point->point, gap), manifold.normal);
        // Beyond the usual distance only what will arrive within the step.
        bool valid = point->separation <= PH_SPECULATIVE ||
                     point->separation <= speed * dt + 0.25 * PH_SPECULATIVE;
        record->point[i].x = (float)point->point.x;
        record->point[i].y = (float)point->point.y;
        record->point[i].separation = (float)point->separation;
        record->point[i].valid = valid;
        approach = valid && speed > approach ? speed : approach;
        active |= valid;
    }
    world->approach[k] = world->broad.pairs.flags[k] & PH_PAIR_TOUCHING ? 0 : approach;
    return active;
}

PhStatus ph_narrow_phase(PhWorld *world, double dt, bool *changed) {
    const PhPairList *pairs = &world->broad.pairs;
    const PhColumn columns[] = {
        {&world->next_active, sizeof *world->next_active},
        {&world->contacts.manifold, sizeof *world->contacts.manifold},
        {&world->approach, sizeof *world->approach},
    };
    PhStatus status = ph_grow_columns(columns, 3, &world->pair_capacity, pairs->count);
    if (status) {
        return status;
    }
    uint8_t *next = world->next_active;
    for (uint32_t k = 0; k < pairs->count; k++) {
        next[k] = FROZEN;
    }
    // Each round looks at the pairs that have an awake member and were not looked at; a sleeper
    // woken in one round may wake others in the next.
    uint32_t woken;
    do {
        woken = world->woken_count;
        for (uint32_t k = 0; k < pairs->count; k++) {
            uint32_t a = world->proxies.body[pairs->owner[k]],
                     b = world->proxies.body[pairs->other[k]];
            uint8_t role_a = world->role[a], role_b = world->role[b];
            if (next[k] != FROZEN ||
                (role_a != PH_ROLE_DYNAMIC && role_b != PH_ROLE_DYNAMIC &&
                 role_b != PH_ROLE_KINEMATIC && !world->moved[a] && !world->moved[b])) {
                continue;
            }
            next[k] = find_manifold(world, k, dt);
            if (next[k]) {
                wake_partner(world, a, b);
            }
        }
    } while (world->woken_count != woken);
    for (uint32_t k = 0; k < pairs->count && !*changed; k++) {
        *changed = next[k] != FROZEN && next[k] != (pairs->flags[k] & PH_PAIR_ACTIVE);
    }
    return PH_OK;
}

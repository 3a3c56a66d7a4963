// Owns the way from candidate pairs to contacts: the manifold of each pair in range, and whom it
// wakes.
//
// Source: contacts ahead of time after P. Firth, "Speculative Contacts" (2011).
#include <string.h>

#include "world/internal.h"

// Of the team, and so that what the kernels hand to each other stays in the cache.
enum { CHUNK_PAIRS = 2048, CHUNK_PROXIES = 1024 };

enum { FROZEN = 0xff }; // next_active of a pair that was not looked at

enum {          // PhWorld.look of a proxy; its PhLaneKind above
    STIRS = 1,  // its body moves or was moved: pairs with it are looked at
    SLEEPS = 2, // its body may be woken
    NEEDS_RING = 4,
    KIND_SHIFT = 4,
};

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
    const uint8_t *active = world->next_active, *role = world->role;
    const uint32_t *body = world->proxies.body;
    PhContacts *contacts = &world->contacts;
    uint32_t most = 1; // what is no contact is written behind the last one
    for (uint32_t k = 0; k < pairs->count; k++) {
        most += active[k] == 1;
    }
    const PhColumn columns[] = {
        {&contacts->pair, sizeof *contacts->pair},
        {&contacts->body_a, sizeof *contacts->body_a},
        {&contacts->body_b, sizeof *contacts->body_b},
    };
    PhStatus status = ph_grow_columns(columns, 3, &contacts->capacity, most);
    if (status) {
        return status;
    }
    uint32_t *pair = contacts->pair, *body_a = contacts->body_a, *body_b = contacts->body_b;
    uint32_t count = 0;
    for (uint32_t k = 0; k < pairs->count; k++) {
        uint32_t a = body[pairs->owner[k]];
        pair[count] = k;
        body_a[count] = a;
        body_b[count] = body[pairs->other[k]];
        count += (active[k] == 1) & (role[a] == PH_ROLE_DYNAMIC);
    }
    contacts->count = count;
    return PH_OK;
}

static float mix(PhMixRule rule, float a, float b) {
    switch (rule) {
    case PH_MIX_MAX:
        return a > b ? a : b;
    case PH_MIX_MIN:
        return a < b ? a : b;
    case PH_MIX_AVERAGE:
        return 0.5f * (a + b);
    case PH_MIX_MULTIPLY:
        return a * b;
    case PH_MIX_GEOMETRIC_MEAN:
        break;
    }
    return sqrtf(a * b);
}

static void mix_materials(const PhWorld *world, uint32_t p, uint32_t q, PhManifoldRecord *record) {
    const PhMaterial *a = &world->material[p], *b = &world->material[q];
    record->friction = mix(world->def.friction_rule, a->friction, b->friction);
    record->restitution = mix(world->def.restitution_rule, a->restitution, b->restitution);
    float rolling = a->rolling_resistance > b->rolling_resistance ? a->rolling_resistance
                                                                  : b->rolling_resistance;
    float radius_a = record->point[0].radius, radius_b = record->point[1].radius;
    record->rolling_radius = rolling * (radius_a > radius_b ? radius_a : radius_b);
    // The outward normal of a turned clockwise is the tangent, that of b its negative; a's surface
    // drives b along the first, b's drives a along the second, which is again b along the first.
    record->tangent_speed = a->tangent_speed + b->tangent_speed;
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
static uint8_t find_manifold(PhWorld *world, const PhPairList *pairs, uint32_t k, double dt) {
    uint32_t p = pairs->owner[k], q = pairs->other[k];
    if (!ph_overlaps(world->proxies.box[p], world->proxies.box[q])) {
        return 0;
    }
    uint32_t a = world->proxies.body[p], b = world->proxies.body[q];
    PhTransform ta, tb;
    PhManifold manifold;
    ph_pair_frames(world, a, b, &ta, &tb);
    ph_collide(world->proxy_piece[p], ta, world->proxy_piece[q], tb,
               ph_pair_margin(world, p, q, dt), &manifold);
    world->approach[k] = 0;
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
    };
    for (int i = 0; i < 2; i++) {
        record->point[i].radius = (float)world->proxy_piece[i ? q : p]->radius;
        record->point[i].separation = PH_NO_POINT;
    }
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
        record->point[i].separation = valid ? (float)point->separation : PH_NO_POINT;
        approach = valid && speed > approach ? speed : approach;
        active |= valid;
    }
    world->approach[k] = approach > world->def.hit_event_threshold ? (float)approach : 0;
    return active;
}

// ------------------------------------------------------------------------------------------------
// lanes

static PhLaneKind kind_of(uint8_t look) {
    return (PhLaneKind)(look >> KIND_SHIFT);
}

void ph_proxy_prepare(PhWorld *world, uint32_t proxy) {
    PhLaneKind kind = ph_lane_piece_init(world->proxy_piece[proxy], &world->lane_place[proxy],
                                         &world->lane_piece[proxy]);
    bool ring = kind == PH_LANE_RING_4 || kind == PH_LANE_RING_8;
    world->look[proxy] = (uint8_t)(kind << KIND_SHIFT | (ring ? NEEDS_RING : 0));
    world->ring_limit = ring && proxy >= world->ring_limit ? proxy + 1 : world->ring_limit;
    world->rings_missing |= ring;
}

// Rings of the polygons that came since the last step.
static PhStatus make_rings(PhWorld *world) {
    if (!world->rings_missing) {
        return PH_OK;
    }
    PhStatus status = ph_reserve_array(&world->lane_ring, &world->ring_capacity, world->ring_limit,
                                       sizeof *world->lane_ring);
    for (uint32_t i = 0; !status && i < world->ring_limit; i++) {
        if (world->look[i] & NEEDS_RING && world->proxy_piece[i]) {
            ph_lane_ring_init(world->proxy_piece[i], &world->lane_place[i], &world->lane_ring[i]);
        }
        world->look[i] &= (uint8_t)~NEEDS_RING;
    }
    world->rings_missing = status != PH_OK;
    return status;
}

static float material_number(double x) { // products stay within float32
    return (float)(x > 1e18 ? 1e18 : x < -1e18 ? -1e18 : x);
}

void ph_proxy_set_material(PhWorld *world, uint32_t proxy, const PhColliderDef *def) {
    PhMaterial material = {
        .friction = material_number(def->friction),
        .restitution = material_number(def->restitution),
        .rolling_resistance = material_number(def->rolling_resistance),
        .tangent_speed = material_number(def->tangent_speed),
    };
    if (world->live_proxies == 0) { // the first: that of all, until another comes
        world->one_material = material;
    }
    world->mixed_materials |= memcmp(&material, &world->one_material, sizeof material) != 0;
    world->material[proxy] = material;
}

static void look_at_proxy(PhWorld *world, uint32_t i) {
    uint32_t slot = world->proxies.body[i];
    uint8_t role = world->role[slot], before = world->look[i];
    bool stirs = role == PH_ROLE_DYNAMIC || role == PH_ROLE_KINEMATIC || world->moved[slot];
    if (stirs || before & STIRS) {
        PhVec2 center = {world->center[slot][0], world->center[slot][1]};
        ph_lane_piece_move(&world->lane_piece[i], &world->lane_place[i], world->transform[slot],
                           center, ph_slot_velocity(world, slot),
                           world->state->angular_velocity[slot]);
    }
    world->look[i] = (uint8_t)((kind_of(before) << KIND_SHIFT) | (stirs ? STIRS : 0) |
                               (role == PH_ROLE_NONE ? SLEEPS : 0));
}

static void look_at_movers(void *context, uint32_t chunk) {
    PhWorld *world = context;
    uint32_t first = chunk * CHUNK_PROXIES, left = world->proxies.moving_count - first;
    for (uint32_t k = 0; k < left && k < CHUNK_PROXIES; k++) {
        look_at_proxy(world, world->proxies.moving[first + k]);
    }
}

// Who is to be looked at. Pieces of what moves, and of what did in the last step, are placed anew.
// While it is always the same that moves, nothing changes for the others.
static void look_at_proxies(PhWorld *world) {
    const PhProxies *p = &world->proxies;
    ph_list_active(world);
    bool all = world->look_stale || world->rest_changed;
    for (uint32_t i = 0; all && i < p->count; i++) {
        if (p->flags[i] & PH_PROXY_ALIVE) {
            look_at_proxy(world, i);
        }
    }
    if (!all) {
        ph_jobs_run(world->jobs, look_at_movers, world,
                    (p->moving_count + CHUNK_PROXIES - 1) / CHUNK_PROXIES);
    }
    world->look_stale = world->rest_changed;
}

typedef struct Round {
    uint32_t count; // pairs to look at, in world->looked
    uint8_t any;    // what is in the looks of their members, the kind as a bit
    uint8_t kinds;  // PhLaneKinds of the members, as bits
} Round;

// Pairs that stir and were not looked at in this step; the first round looks at every pair.
static Round choose_pairs(PhWorld *world, bool first) {
    const PhPairList *pairs = &world->broad.pairs;
    const uint8_t *look = world->look;
    uint8_t *next = world->next_active;
    uint32_t *out = world->looked, count = 0;
    Round round = {0};
    for (uint32_t k = 0; k < pairs->count; k++) {
        uint8_t a = look[pairs->owner[k]], b = look[pairs->other[k]];
        bool stirs = (a | b) & STIRS && (first || next[k] == FROZEN);
        out[count] = k;
        count += stirs;
        next[k] = stirs ? PH_PAIR_APART : first ? FROZEN : next[k];
        round.any |= stirs ? a | b : 0;
        round.kinds |= (uint8_t)(stirs ? 1 << (a >> KIND_SHIFT) | 1 << (b >> KIND_SHIFT) : 0);
    }
    round.count = count;
    return round;
}

enum { TYPES = PH_LANE_KINDS * PH_LANE_KINDS };

typedef struct Look {
    PhWorld *world;
    const PhPairList *pairs; // world->looked names some of these
    const PhManifoldKernels *kernels;
    uint32_t count; // in world->looked
    uint8_t kinds;  // PhLaneKinds of the members, as bits
    double dt;
} Look;

static int type_of(const Look *look, uint32_t k) {
    const uint8_t *looks = look->world->look;
    return (int)kind_of(looks[look->pairs->owner[k]]) * PH_LANE_KINDS +
           (int)kind_of(looks[look->pairs->other[k]]);
}

// Sorts a list of pairs by type, stably. start[t] .. start[t + 1]: those of type t.
static void sort_by_type(const Look *look, const uint32_t *list, uint32_t count,
                         uint32_t *sorted, uint32_t start[TYPES + 1]) {
    uint32_t next[TYPES];
    memset(start, 0, (TYPES + 1) * sizeof *start);
    for (uint32_t i = 0; i < count; i++) {
        start[type_of(look, list[i]) + 1]++;
    }
    for (int t = 0; t < TYPES; t++) {
        start[t + 1] += start[t];
        next[t] = start[t];
    }
    for (uint32_t i = 0; i < count; i++) {
        sorted[next[type_of(look, list[i])]++] = list[i];
    }
}

// Takes those without a kernel from the list and looks at them.
static void look_at_rest(Look *look) {
    uint32_t *list = look->world->looked, left = 0;
    for (uint32_t i = 0; i < look->count; i++) {
        uint32_t k = list[i];
        int type = type_of(look, k);
        if (look->kernels->manifold[type / PH_LANE_KINDS][type % PH_LANE_KINDS]) {
            list[left++] = k;
        } else {
            look->world->next_active[k] = find_manifold(look->world, look->pairs, k, look->dt);
        }
    }
    look->count = left;
}

// Manifolds of a part of world->looked. Every pair has entries of its own, so parts do not meet;
// each has room for a vector more behind its part of world->near.
static void look_at_part(void *context, uint32_t chunk) {
    const Look *look = context;
    PhWorld *world = look->world;
    const PhManifoldKernels *kernels = look->kernels;
    bool mixed = look->kinds & (look->kinds - 1);
    uint32_t first = chunk * CHUNK_PAIRS, left = look->count - first, start[TYPES + 1] = {0};
    uint32_t *list = world->looked + first, *near = world->near + first + 8 * (size_t)chunk;
    PhLanePairs lanes = {
        .piece = world->lane_piece,
        .material = world->material,
        .one_material = !world->mixed_materials,
        .ring = world->lane_ring,
        .owner = look->pairs->owner,
        .other = look->pairs->other,
        .record = world->contacts.manifold,
        .answer = world->next_active,
        .approach = world->approach,
        .fast = (float)world->def.hit_event_threshold,
        .dt = (float)look->dt,
        .friction_rule = world->def.friction_rule,
        .restitution_rule = world->def.restitution_rule,
    };
    uint32_t count = kernels->cull(&lanes, list, left < CHUNK_PAIRS ? left : CHUNK_PAIRS, near);
    if (mixed) {
        sort_by_type(look, near, count, list, start);
    }
    uint32_t *sorted = mixed ? list : near;
    lanes.doubtful = mixed ? near : list;
    for (int t = 0; mixed && t < TYPES; t++) {
        if (start[t + 1] > start[t]) {
            kernels->manifold[t / PH_LANE_KINDS][t % PH_LANE_KINDS](&lanes, sorted + start[t],
                                                                    start[t + 1] - start[t]);
        }
    }
    if (!mixed && count) {
        int t = type_of(look, sorted[0]);
        kernels->manifold[t / PH_LANE_KINDS][t % PH_LANE_KINDS](&lanes, sorted, count);
    }
    for (uint32_t i = 0; i < lanes.doubtful_count; i++) {
        uint32_t k = lanes.doubtful[i];
        world->next_active[k] = find_manifold(world, look->pairs, k, look->dt);
    }
}

static uint32_t part_count(uint32_t pairs) {
    return pairs / CHUNK_PAIRS + (pairs % CHUNK_PAIRS != 0);
}

static void look_at_list(PhWorld *world, const PhPairList *pairs, uint32_t count, uint8_t kinds,
                         double dt) {
    Look look = {world, pairs, ph_simd_manifolds(world->kernels), count, kinds, dt};
    if (kinds & (1 << PH_LANE_NONE | 1 << PH_LANE_CHAIN)) {
        look_at_rest(&look);
    }
    ph_jobs_run(world->jobs, look_at_part, &look, part_count(look.count));
}

// Room for what is found of so many pairs. Kernels write up to a vector behind the end of each part
// of `near`.
static PhStatus reserve_pairs(PhWorld *world, uint32_t count) {
    const PhColumn columns[] = {
        {&world->next_active, sizeof *world->next_active},
        {&world->contacts.manifold, sizeof *world->contacts.manifold},
        {&world->looked, sizeof *world->looked},
        {&world->near, sizeof *world->near},
        {&world->approach, sizeof *world->approach},
    };
    return ph_grow_columns(columns, 5, &world->pair_capacity,
                           count + 8 * ((uint64_t)part_count(count) + 1));
}

// ------------------------------------------------------------------------------------------------
// waking

// Pairs of each body with a sleeper: pair[start[slot]] .. pair[start[slot + 1] - 1]. One block.
typedef struct Meetings {
    uint32_t *start, *pair;
} Meetings;

static PhStatus list_meetings(const PhWorld *world, const PhPairList *pairs, Meetings *out) {
    const uint32_t *body = world->proxies.body;
    const uint8_t *role = world->role;
    uint32_t slots = world->slot_count;
    uint32_t *start = ph_alloc(slots + 2 + 2 * (size_t)pairs->count, sizeof *start);
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
    *out = (Meetings){start, pair};
    return PH_OK;
}

// Looks at the pairs of some of the woken bodies with sleepers, and wakes those in range.
static void wake_partners(PhWorld *world, const PhPairList *pairs, const Meetings *meetings,
                          PhRange some, double dt) {
    const uint32_t *body = world->proxies.body, *woken = world->woken + some.first;
    uint8_t *next = world->next_active, kinds = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < some.count; i++) {
        uint32_t last = meetings->start[woken[i] + 1];
        for (uint32_t m = meetings->start[woken[i]]; m < last; m++) {
            uint32_t k = meetings->pair[m], p = pairs->owner[k], q = pairs->other[k];
            bool sleeps = !world->state->awake[body[p]] || !world->state->awake[body[q]];
            if (sleeps && next[k] == FROZEN) {
                next[k] = PH_PAIR_APART;
                world->looked[count++] = k;
                kinds |= (uint8_t)(1 << kind_of(world->look[p]) | 1 << kind_of(world->look[q]));
            }
        }
    }
    look_at_list(world, pairs, count, kinds, dt);
    for (uint32_t i = 0; i < some.count; i++) {
        uint32_t last = meetings->start[woken[i] + 1];
        for (uint32_t m = meetings->start[woken[i]]; m < last; m++) {
            uint32_t k = meetings->pair[m];
            if (next[k] == PH_PAIR_NEAR) {
                wake_partner(world, body[pairs->owner[k]], body[pairs->other[k]]);
            }
        }
    }
}

// Everybody who is to wake because others have: in rings around these, each pair looked at once.
// What is found of the pairs counts for this alone where they are not those of the step.
static PhStatus spread_waking(PhWorld *world, const PhPairList *pairs, double dt) {
    Meetings meetings;
    PhStatus status = reserve_pairs(world, pairs->count);
    status = status ? status : list_meetings(world, pairs, &meetings);
    if (status) {
        return status;
    }
    if (pairs != &world->broad.pairs) {
        memset(world->next_active, FROZEN, pairs->count);
    }
    for (uint32_t done = 0; done < world->woken_count;) {
        PhRange ring = {done, world->woken_count - done};
        wake_partners(world, pairs, &meetings, ring, dt);
        done += ring.count;
    }
    ph_free(meetings.start);
    return PH_OK;
}

// ------------------------------------------------------------------------------------------------

// Looks at the pairs that stir and were not looked at. Returns whether a member may be woken.
static bool look_at_pairs(PhWorld *world, double dt, bool first) {
    Round round = choose_pairs(world, first);
    look_at_list(world, &world->broad.pairs, round.count, round.kinds, dt);
    return round.any & SLEEPS;
}

PhStatus ph_narrow_phase(PhWorld *world, double dt, bool all, bool *woke, bool *changed) {
    const PhPairList *pairs = &world->broad.pairs;
    PhStatus status = reserve_pairs(world, pairs->count);
    status = status ? status : make_rings(world);
    if (status) {
        return status;
    }
    const uint8_t *next = world->next_active;
    uint32_t woken = world->woken_count;
    memset(world->approach, 0, pairs->count * sizeof *world->approach);
    look_at_proxies(world);
    bool sleepers = look_at_pairs(world, dt, true);
    for (uint32_t k = 0; sleepers && k < pairs->count; k++) {
        uint8_t looks = world->look[pairs->owner[k]] | world->look[pairs->other[k]];
        if (next[k] == PH_PAIR_NEAR && looks & SLEEPS) {
            wake_partner(world, world->proxies.body[pairs->owner[k]],
                         world->proxies.body[pairs->other[k]]);
        }
    }
    *woke = world->woken_count != woken;
    if (*woke) {
        status = spread_waking(world, all ? pairs : &world->broad.rest, dt);
        if (status || !all) {
            return status;
        }
        look_at_proxies(world);
        look_at_pairs(world, dt, false);
    }
    uint8_t differs = 0;
    for (uint32_t k = 0; k < pairs->count; k++) {
        uint8_t flips = next[k] ^ (pairs->flags[k] & PH_PAIR_ACTIVE);
        differs |= next[k] == FROZEN ? 0 : flips;
    }
    *changed |= differs != 0;
    return PH_OK;
}

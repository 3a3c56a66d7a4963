// Owns predicted contacts for the hooks: impacts of bodies so fast that continuous collision would
// stop them before they have a contact, or a pair, that a hook could judge.
//
// A body is listed if, with its velocity at the start of the step, gravity and forces, it would be
// stopped at a collider with `pre_solve`; the row has the place of the impact. The hook sees the
// list after the contacts (pre_solve.c). What it switches off stops no body in this step
// (ph_may_meet in continuous.c). The pair filter is asked ahead about the same impacts
// (pair_filter.c).
//
// Invariant: sorted by owner and other, as pairs are, without duplicates; a function of the state
// alone.
//
// Source: the times of impact are those of narrow/time_of_impact.h.
#include "geometry/distance.h"
#include "world/continuous.h"

static bool asks(const PhWorld *world, uint32_t proxy) {
    return world->collider[world->proxies.collider[proxy]].def.pre_solve;
}

// Where a body goes in this step if nothing else acts on it.
static PhPath path_ahead(const PhWorld *world, uint32_t slot, double dt) {
    const PhState *s = world->state;
    const double *center = world->center[slot];
    PhPathPose from = {{center[0], center[1]}, s->angle[slot]}, to = from;
    PhVec2 v = ph_slot_velocity(world, slot);
    double w = s->angular_velocity[slot];
    if (world->role[slot] == PH_ROLE_DYNAMIC) {
        const float *inverse = world->mass[slot];
        PhVec2 force = {s->force[slot][0], s->force[slot][1]};
        v = ph_mul_add(v, dt * world->gravity_scale[slot], world->def.gravity);
        v = ph_mul_add(v, dt * (double)inverse[0], force);
        w += dt * (double)inverse[1] * s->torque[slot];
    }
    if (world->role[slot] == PH_ROLE_DYNAMIC || world->role[slot] == PH_ROLE_KINEMATIC) {
        to.center = ph_mul_add(from.center, dt, v);
        to.angle += dt * w;
    }
    return ph_path(world->body[slot].center_local, from, to);
}

static bool is_fast(const PhWorld *world, uint32_t slot, const PhPath *path) {
    const PhPathPose *knot = path->knot;
    double turn = fabs(knot[1].angle - knot[0].angle);
    double displacement = ph_length(ph_sub(knot[1].center, knot[0].center));
    return displacement + turn * world->continuous.reach[slot] > world->continuous.limit[slot];
}

// Whether continuous collision would stop a body that moves at another one.
static bool would_stop(const PhWorld *world, uint32_t a, bool fast_a, uint32_t b, bool fast_b) {
    if (!ph_is_dynamic(world, b)) {
        return fast_a || (fast_b && world->role[b] == PH_ROLE_KINEMATIC);
    }
    bool bullet = world->body[a].bullet || (world->body[b].bullet && fast_b);
    return fast_a && bullet && !(fast_b && b < a); // of two, the first finds the other
}

// When two pieces meet, and the image of q that does; infinity: never.
static double find_impact_time(const PhWorld *world, uint32_t p, const PhPath *path_p, uint32_t q,
                               const PhPath *path_q, PhVec2 *shift) {
    const PhPiece *a = world->proxy_piece[p], *b = world->proxy_piece[q];
    bool dynamic = ph_is_dynamic(world, world->proxies.body[q]);
    PhAabb bounds = ph_path_box(path_p, a, 0, &world->lengths),
           around = ph_path_box(path_q, b, 0, &world->lengths);
    PhBvhNode alone = {bounds, 1, 0};
    const PhBvh target = {&alone, 1, 1};
    double best = INFINITY;
    if (ph_goes_around(world, bounds)) {
        return best;
    }
    for (PhImages images = ph_images_of_path(world, around, &target); ph_images_next(&images);) {
        if (!ph_overlaps(bounds, ph_box_at(&images, around))) {
            continue;
        }
        PhPath path = *path_q;
        ph_path_move(&path, images.shift);
        double time = dynamic ? ph_parts_meet(world, p, path_p, q, &path, best)
                              : ph_paths_meet(a, path_p, b, &path, 0, best, &world->lengths);
        if (time < best) {
            best = time;
            *shift = images.shift;
        }
    }
    return best;
}

static PhDistance distance_at(const PhPiece *a, const PhPath *path_a, const PhPiece *b,
                              const PhPath *path_b, double time) {
    PhPathPose pose_a = ph_path_pose(path_a, time), pose_b = ph_path_pose(path_b, time);
    PhVec2 origin = pose_a.center;
    PhTransform ta = ph_path_transform(path_a, pose_a, origin);
    PhTransform tb = ph_path_transform(path_b, pose_b, origin);
    PhDistance found = ph_distance(a, ta, b, tb);
    if (found.normal.x == 0 && found.normal.y == 0) {
        found.normal = ph_touch_normal(a, ta, b, tb);
    }
    return found;
}

// How far a point given from the centre of a path goes in the whole step as at that moment.
static PhVec2 rate_at(const PhPath *path, PhVec2 arm) {
    const PhPathPose *knot = path->knot;
    return ph_mul_add(ph_sub(knot[1].center, knot[0].center), knot[1].angle - knot[0].angle,
                      ph_left(arm));
}

// What the two pieces do to each other, if they meet.
static bool find_contact(const PhWorld *world, uint32_t p, const PhPath *path_p, uint32_t q,
                         const PhPath *path_q, double dt, PhPredictedContact *out) {
    const PhPiece *a = world->proxy_piece[p], *b = world->proxy_piece[q];
    PhVec2 shift = {0, 0};
    double time = find_impact_time(world, p, path_p, q, path_q, &shift);
    if (!(time < INFINITY)) {
        return false;
    }
    PhPath moved = *path_q;
    ph_path_move(&moved, shift);
    PhDistance then = distance_at(a, path_p, b, &moved, time); // from a's centre
    PhVec2 arm = ph_lerp(then.point_a, then.point_b, 0.5);
    PhVec2 point = ph_add(arm, ph_path_pose(path_p, time).center);
    PhVec2 from_b = ph_sub(point, ph_path_pose(&moved, time).center);
    bool p_owns = ph_owns(world, p, q);
    *out = (PhPredictedContact){
        .owner = p_owns ? p : q,
        .other = p_owns ? q : p,
        .normal = p_owns ? then.normal : ph_neg(then.normal),
        .point = p_owns ? point : ph_sub(point, shift), // beside the owner
        .separation = distance_at(a, path_p, b, &moved, 0).distance,
        .approach = ph_dot(ph_sub(rate_at(path_p, arm), rate_at(&moved, from_b)), then.normal) / dt,
    };
    return true;
}

static bool has_contact(const PhWorld *world, uint32_t owner, uint32_t other) {
    const PhPairList *pairs = &world->broad.pairs;
    uint32_t k = ph_pairs_from(pairs, owner, other);
    return k < pairs->count && pairs->owner[k] == owner && pairs->other[k] == other &&
           world->next_active[k] == 1;
}

static bool comes_before(const PhPredictedContact *a, uint32_t owner, uint32_t other) {
    return a->owner != owner ? a->owner < owner : a->other < other;
}

// Room has been reserved. Nearly all come in their order.
static void insert(PhWorld *world, const PhPredictedContact *found) {
    uint32_t k = world->predicted_count++;
    PhPredictedContact *list = world->predicted_contact;
    for (; k > 0 && !comes_before(&list[k - 1], found->owner, found->other); k--) {
        list[k] = list[k - 1];
    }
    list[k] = *found;
}

// Lists those that a piece would be stopped at.
static PhStatus predict_piece(PhWorld *world, uint32_t p, const PhPath *path, bool fast,
                              double dt) {
    const PhProxies *proxies = &world->proxies;
    uint32_t slot = proxies->body[p];
    for (uint32_t q = 0; q < proxies->count; q++) {
        uint32_t other = proxies->body[q];
        if (!(proxies->flags[q] & PH_PROXY_ALIVE) || !(asks(world, p) || asks(world, q)) ||
            other == slot || !ph_may_meet(world, p, q)) {
            continue;
        }
        PhPath path_q = path_ahead(world, other, dt);
        PhPredictedContact found;
        if (!would_stop(world, slot, fast, other, is_fast(world, other, &path_q)) ||
            !find_contact(world, p, path, q, &path_q, dt, &found) ||
            has_contact(world, found.owner, found.other)) {
            continue;
        }
        PhStatus status =
            ph_reserve_array(&world->predicted_contact, &world->predicted_capacity,
                             world->predicted_count + 1ull, sizeof *world->predicted_contact);
        if (status) {
            return status;
        }
        insert(world, &found);
    }
    return PH_OK;
}

PhStatus ph_predict_contacts(PhWorld *world, double dt) {
    bool asked = false, rush = false;
    world->predicted_count = 0;
    for (uint32_t c = 0; world->def.continuous && !asked && c < world->collider_limit; c++) {
        asked = world->collider[c].alive && world->collider[c].def.pre_solve;
    }
    for (uint32_t k = 0; asked && !rush && k < world->kinematic_count; k++) {
        PhPath path = path_ahead(world, world->kinematic[k], dt);
        rush = is_fast(world, world->kinematic[k], &path);
    }
    PhStatus status = PH_OK;
    for (uint32_t k = 0; asked && !status && k < world->dynamic_count; k++) {
        uint32_t slot = world->dynamic[k];
        PhPath path = path_ahead(world, slot, dt);
        bool fast = is_fast(world, slot, &path);
        PhParts parts = ph_parts_of(world, slot);
        for (uint32_t p; (fast || rush) && !status && ph_next_part(world, &parts, &p);) {
            status = predict_piece(world, p, &path, fast, dt);
        }
    }
    return status;
}

bool ph_is_predicted_off(const PhWorld *world, uint32_t owner, uint32_t other) {
    uint32_t low = 0, high = world->predicted_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        bool before = comes_before(&world->predicted_contact[middle], owner, other);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    if (low == world->predicted_count) {
        return false;
    }
    const PhPredictedContact *found = &world->predicted_contact[low];
    return found->owner == owner && found->other == other && found->off;
}

// ------------------------------------------------------------------------------------------------
// for the pair filter

typedef struct Unasked { // two proxies each; some more than once
    PhRawPair *pair;
    uint32_t count;
} Unasked;

static PhStatus note(const PhWorld *world, uint32_t p, uint32_t q, Unasked *unasked) {
    if (!ph_may_meet(world, p, q) || ph_verdict_of(world, p, q) != PH_UNASKED) {
        return PH_OK;
    }
    PhStatus status = PH_RESERVE(unasked->pair, unasked->count + 1ull);
    if (!status) {
        unasked->pair[unasked->count++] = (PhRawPair){p, q};
    }
    return status;
}

// Those of a hierarchy whose boxes a box meets.
static PhStatus note_met(PhWorld *world, uint32_t p, PhAabb around, const PhBvh *bvh,
                         Unasked *unasked) {
    PhStatus status = PH_OK;
    for (PhImages images = ph_images_of_path(world, around, bvh); ph_images_next(&images);) {
        PhAabb box = ph_box_at(&images, around);
        uint32_t i = ph_bvh_next(bvh, box, 0);
        for (; i < bvh->count && !status; i = ph_bvh_next(bvh, box, i + 1)) {
            status = note(world, p, bvh->node[i].id, unasked);
        }
    }
    return status;
}

static PhStatus note_moving(PhWorld *world, uint32_t p, PhAabb around, uint32_t q, double dt,
                            Unasked *unasked) {
    if (world->proxies.body[p] == world->proxies.body[q]) {
        return PH_OK;
    }
    PhPath path = path_ahead(world, world->proxies.body[q], dt);
    PhBvhNode alone = {ph_path_box(&path, world->proxy_piece[q], 0, &world->lengths), 1, q};
    const PhBvh target = {&alone, 1, 1};
    return note_met(world, p, around, &target, unasked);
}

// The longest displacement of a point of what moves.
static double farthest(const PhWorld *world, double dt) {
    double most = 0;
    for (uint32_t k = 0; k < world->dynamic_count + world->kinematic_count; k++) {
        bool dynamic = k < world->dynamic_count;
        uint32_t slot = dynamic ? world->dynamic[k] : world->kinematic[k - world->dynamic_count];
        PhPath path = path_ahead(world, slot, dt);
        const PhPathPose *knot = path.knot;
        double turn = fabs(knot[1].angle - knot[0].angle) * world->continuous.reach[slot];
        most = ph_max(most, ph_length(ph_sub(knot[1].center, knot[0].center)) + turn);
    }
    return most;
}

// What a piece of a fast body may meet that is dynamic (any: else where one of the two is a bullet)
// or, for a dynamic one, kinematic.
static PhStatus note_all_moving(PhWorld *world, uint32_t p, PhAabb around, double most, double dt,
                                Unasked *unasked) {
    const PhProxies *proxies = &world->proxies;
    uint32_t slot = proxies->body[p];
    bool any = !ph_is_dynamic(world, slot);
    PhStatus status = PH_OK;
    for (uint32_t k = 0; k < world->kinematic_count && !any && !status; k++) {
        PhParts parts = ph_parts_of(world, world->kinematic[k]);
        for (uint32_t q; !status && ph_next_part(world, &parts, &q);) {
            status = note_moving(world, p, around, q, dt, unasked);
        }
    }
    PhAabb wide = ph_grow(around, most);
    for (uint32_t q = 0; (any || world->continuous.bullets) && q < proxies->count && !status; q++) {
        bool near = world->wrapped || ph_overlaps(wide, proxies->box[q]);
        if (near && ph_is_dynamic_proxy(world, q) &&
            (any || world->body[slot].bullet || world->body[proxies->body[q]].bullet)) {
            status = note_moving(world, p, around, q, dt, unasked);
        }
    }
    return status;
}

PhStatus ph_ask_ahead(PhWorld *world, double dt) {
    if (!world->pair_filter.call || !world->def.continuous) {
        return PH_OK;
    }
    PhStatus status = ph_continuous_reserve(world);
    double most = farthest(world, dt);
    Unasked unasked = {NULL, 0};
    for (uint32_t k = 0; k < world->dynamic_count + world->kinematic_count && !status; k++) {
        bool dynamic = k < world->dynamic_count;
        uint32_t slot = dynamic ? world->dynamic[k] : world->kinematic[k - world->dynamic_count];
        PhPath path = path_ahead(world, slot, dt);
        PhParts parts = ph_parts_of(world, slot);
        for (uint32_t p; is_fast(world, slot, &path) && ph_next_part(world, &parts, &p);) {
            PhAabb box = ph_path_box(&path, world->proxy_piece[p], 0, &world->lengths);
            if (status || ph_goes_around(world, box)) {
                continue;
            }
            if (dynamic) {
                ph_continuous_build_fixed(world);
                status = note_met(world, p, box, &world->continuous.fixed, &unasked);
            }
            status = status ? status : note_all_moving(world, p, box, most, dt, &unasked);
        }
    }
    status = status ? status : ph_ask_pairs(world, unasked.pair, unasked.count);
    ph_free(unasked.pair);
    return status;
}

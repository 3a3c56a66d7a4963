// Owns the look ahead for the pre-solve hook: impacts of bodies so fast that continuous collision
// would stop them before they ever had a contact to be judged.
//
// Whoever, at the velocities at the start of the step, gravity and forces, would be stopped at a
// collider with `pre_solve` is listed, with the place where they would meet. The hook sees the list
// behind the contacts (pre_solve.c); what it switches off stops no body in this step (ph_may_meet
// in continuous.c).
//
// Invariant: sorted by owner and other, as pairs are, each once; a function of the state alone.
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

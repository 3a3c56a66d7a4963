// Owns continuous collision: who was fast in a step, what is in the way, and what becomes of the
// rest of the way.
//
// A body is fast when a point of it may have gone further than half of the way to its middle, or a
// little for what is thin. Whoever is not cannot get through anything: contacts still push it back
// to its side. The pass that places bodies lists the fast ones; only they are looked at here, and
// those that a fast kinematic body may sweep over.
//
// Each goes its way through what is static and kinematic, by itself: from the pose at the start of
// the step to the one at its end. What would lead through something ends there, and the body keeps
// still for the rest of the step, or goes along with a kinematic body that it met. Its velocity
// stays; the next step finds a contact. Where there are fast bullets, they meet dynamic bodies
// then, on ways that are known so far, the earliest meeting first. Two fast bodies (shots) that
// meet, one of them a bullet, both stay where they met; a bullet that meets a slow body goes along
// with it.
//
// Invariants: poses at the start and at the end of the step and the order of slots decide, not who
// was looked at first; so the bits do not depend on workers, lanes or the broad phase. Everything
// is reserved before the step changes anything.
//
// Sources: B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems" (1996), for times
// of impact one after the other; E. Catto, "Continuous Collision" (2013), for letting a body lose
// the rest of its step.
#include <string.h>

#include "base/sort.h"
#include "world/internal.h"

#define FAST_SHARE 0.25  // of the width of the thickest piece
#define LEAST_LIMIT 5e-3 // m; nearer things have had a contact
enum { MOST_STOPS = 3, CHUNK_BODIES = 16 };

// -------------------------------------------------------------------------------------------------
// who is fast

void ph_continuous_measure(PhWorld *world, uint32_t slot) {
    const PhBody *body = &world->body[slot];
    double limit = INFINITY;
    for (uint32_t c = body->first_collider; c != PH_NULL; c = world->collider[c].next) {
        const PhShape *shape = world->collider[c].shape;
        double width = 0;
        for (int32_t i = 0; i < shape->piece_count; i++) {
            width = ph_max(shape->pieces[i].width, width);
        }
        limit = ph_min(ph_max(FAST_SHARE * width, LEAST_LIMIT), limit);
    }
    world->continuous.limit[slot] = limit;
    world->continuous.reach[slot] = body->extent + ph_length(body->center_local);
}

void ph_continuous_begin(PhWorld *world) {
    PhContinuous *c = &world->continuous;
    atomic_store_explicit(&c->fast_count, 0, memory_order_relaxed);
    c->stopped = 0;
    c->rush = false;
    c->keeps_starts = c->bullets > 0;
}

static void keep_start(PhWorld *world, uint32_t slot) {
    double *start = world->continuous.start[slot];
    start[0] = world->transform[slot].p.x;
    start[1] = world->transform[slot].p.y;
    start[2] = world->pose_angle[slot];
}

void ph_continuous_keep(PhWorld *world, uint32_t slot) {
    keep_start(world, slot);
}

void ph_continuous_watch(PhWorld *world, uint32_t slot) {
    PhContinuous *c = &world->continuous;
    double *start = c->start[slot];
    // A target over the seam of a wrapped world is given on the other side.
    PhVec2 end = world->transform[slot].p;
    PhVec2 from = ph_wrap_near(&world->wrap, end, ph_vec(start[0], start[1]));
    start[0] = from.x;
    start[1] = from.y;
    PhVec2 way = ph_sub(end, from);
    double turn = fabs(world->pose_angle[slot] - start[2]);
    if (world->def.continuous && ph_length(way) + turn * c->reach[slot] > c->limit[slot]) {
        c->listed[slot] = PH_LISTED_FAST;
        c->rush = c->keeps_starts = true;
    }
}

// -------------------------------------------------------------------------------------------------
// what is in the way

static bool stays(const PhWorld *world, uint32_t proxy) {
    const uint32_t need = PH_PROXY_ALIVE | PH_PROXY_ENABLED;
    const uint32_t none = PH_PROXY_DYNAMIC | PH_PROXY_MOVES;
    return (world->proxies.flags[proxy] & (need | none)) == need;
}

static PhStatus reserve_items(PhContinuous *c, PhBvh *bvh, uint64_t count) {
    PhStatus status = ph_reserve_array(&c->item, &c->item_capacity, count, sizeof *c->item);
    return status ? status
                  : ph_reserve_array(&bvh->node, &bvh->capacity, 2 * count, sizeof *bvh->node);
}

PhStatus ph_continuous_reserve(PhWorld *world) {
    PhContinuous *c = &world->continuous;
    PhStatus status = PH_OK;
    ph_list_active(world);
    if (!world->def.continuous || world->mover_count + world->driver_count == 0) {
        return PH_OK;
    }
    if (c->fixed_state == PH_FIXED_STALE) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < world->proxies.count; i++) {
            count += stays(world, i);
        }
        status = reserve_items(c, &c->fixed, count);
        c->fixed_state = status ? PH_FIXED_STALE : PH_FIXED_ROOM;
    }
    if (!status && world->driver_count) {
        status = reserve_items(c, &c->driven, world->proxies.moving_count);
    }
    if (!status && c->bullets) {
        status = reserve_items(c, &c->shots, world->proxies.moving_count);
        status = status ? status
                        : ph_reserve_array(&c->shot, &c->shot_capacity, world->mover_count,
                                           sizeof *c->shot);
    }
    return status;
}

// Room has been reserved.
static void build(PhContinuous *c, PhBvh *bvh, uint32_t count) {
    PhStatus status = ph_bvh_build(bvh, c->item, count);
    PH_ASSERT(status == PH_OK);
    (void)status;
}

static void build_fixed(PhWorld *world) {
    PhContinuous *c = &world->continuous;
    uint32_t count = 0;
    if (c->fixed_state == PH_FIXED_BUILT) {
        return;
    }
    c->fixed_kinematic = false;
    for (uint32_t i = 0; i < world->proxies.count; i++) {
        if (stays(world, i)) {
            PhTransform pose = world->transform[world->proxies.body[i]];
            c->item[count++] = (PhBvhItem){ph_piece_aabb(world->proxy_piece[i], pose), i};
            c->fixed_kinematic |= !(world->proxies.flags[i] & PH_PROXY_STATIC);
        }
    }
    build(c, &c->fixed, count);
    c->fixed_state = PH_FIXED_BUILT;
}

static PhPathPose pose_now(const PhWorld *world, uint32_t slot) {
    const double *center = world->center[slot];
    return (PhPathPose){{center[0], center[1]}, world->state->angle[slot]};
}

// Of a body that moves and whose start was kept.
static PhPath path_of(const PhWorld *world, uint32_t slot) {
    const double *start = world->continuous.start[slot];
    PhVec2 pivot = world->body[slot].center_local;
    PhVec2 arm = ph_rotate(ph_rot(start[2]), pivot);
    PhPathPose from = {{start[0] + arm.x, start[1] + arm.y}, start[2]};
    return ph_path(pivot, from, pose_now(world, slot));
}

static PhPath path_at_rest(const PhWorld *world, uint32_t slot) {
    return ph_path_at_rest(world->body[slot].center_local, pose_now(world, slot));
}

// Calls go over the proxies of a body.
typedef struct Parts {
    uint32_t collider, proxy, end;
} Parts;
static Parts parts_of(const PhWorld *world, uint32_t slot) {
    return (Parts){world->body[slot].first_collider, 0, 0};
}
static bool next_part(const PhWorld *world, Parts *parts, uint32_t *proxy) {
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

// Adds the boxes that a body's pieces sweep; only those of whole numbers, and of what collides.
static uint32_t add_items(PhWorld *world, uint32_t slot, const PhPath *path, uint32_t count) {
    Parts parts = parts_of(world, slot);
    for (uint32_t p; next_part(world, &parts, &p);) {
        PhAabb box = ph_path_box(path, world->proxy_piece[p], 0);
        if (world->proxies.flags[p] & PH_PROXY_ENABLED && ph_is_box(box)) {
            world->continuous.item[count++] = (PhBvhItem){box, p};
        }
    }
    return count;
}

static void build_driven(PhWorld *world) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < world->driver_count; k++) {
        PhPath path = path_of(world, world->driver[k]);
        count = add_items(world, world->driver[k], &path, count);
    }
    build(&world->continuous, &world->continuous.driven, count);
}

// Whether the pre-solve hook has switched the pair's contact off in this step.
static bool is_switched_off(const PhWorld *world, uint32_t p, uint32_t q) {
    const PhProxies *proxies = &world->proxies;
    const PhPairList *pairs = &world->broad.pairs;
    if (!world->pre_solve.call || !(world->collider[proxies->collider[p]].def.pre_solve ||
                                    world->collider[proxies->collider[q]].def.pre_solve)) {
        return false;
    }
    bool both = proxies->flags[p] & proxies->flags[q] & PH_PROXY_DYNAMIC;
    bool p_owns = both ? p < q : (proxies->flags[p] & PH_PROXY_DYNAMIC) != 0;
    uint32_t owner = p_owns ? p : q, other = p_owns ? q : p;
    uint32_t k = ph_pairs_from(pairs, owner, other);
    return k < pairs->count && pairs->owner[k] == owner && pairs->other[k] == other &&
           world->approach[k] < 0;
}

static bool may_meet(const PhWorld *world, uint32_t p, uint32_t q) {
    const PhProxies *proxies = &world->proxies;
    return ph_proxies_collide(proxies, p, q) &&
           !ph_broad_keeps_apart(&world->broad, proxies->body[p], proxies->body[q]) &&
           !is_switched_off(world, p, q);
}

// -------------------------------------------------------------------------------------------------
// through what is static and kinematic

// How far a body's origin has gone in this step.
static double way_of(const PhWorld *world, uint32_t slot) {
    const double *start = world->continuous.start[slot];
    PhVec2 end = world->transform[slot].p;
    return ph_length(ph_vec(end.x - start[0], end.y - start[1]));
}

// Whether a body's circle is further from a face of a piece, at the end of the step, than both go.
static bool is_far(const PhWorld *world, uint32_t slot, uint32_t wall, bool moves,
                   const PhPiece *piece) {
    PhVec2 gap = ph_sub(world->transform[slot].p, world->transform[wall].p);
    PhVec2 middle = ph_unrotate(world->transform[wall].q, gap);
    double way = world->continuous.reach[slot] + way_of(world, slot);
    if (moves) {
        double turn = fabs(world->pose_angle[wall] - world->continuous.start[wall][2]);
        way += way_of(world, wall) + turn * (ph_length(gap) + way);
    }
    way += piece->radius + PH_STOP_DISTANCE;
    for (int32_t i = 0; i < piece->count && piece->count > 1; i++) {
        if (ph_dot(piece->normals[i], ph_sub(middle, piece->vertices[i])) > way) {
            return true;
        }
    }
    return false;
}

// Whether a body is slow as seen from a kinematic one that moves. Seen from there its origin goes
// straight but for turning, which adds half of its square at most.
static bool is_slow_against(const PhWorld *world, uint32_t slot, uint32_t wall) {
    const PhContinuous *c = &world->continuous;
    const double *start = c->start[slot], *from = c->start[wall];
    PhVec2 end = world->transform[slot].p, to = world->transform[wall].p;
    double turn = world->pose_angle[wall] - from[2];
    double spin = world->pose_angle[slot] - start[2] - turn;
    PhVec2 gap = {start[0] - from[0], start[1] - from[1]};
    PhVec2 way = {end.x - start[0] - (to.x - from[0]), end.y - start[1] - (to.y - from[1])};
    double bend = 0.5 * turn * turn * ph_length(gap);
    return ph_length(ph_mul_add(way, -turn, ph_left(gap))) + bend + fabs(spin) * c->reach[slot] <
           c->limit[slot];
}

// The first of the bodies of a hierarchy that ends the way of piece p, which keeps to the box,
// before *time. direct: the path is that of the step as it was.
static void find_wall(const PhWorld *world, const PhBvh *bvh, uint32_t p, const PhPath *path,
                      bool direct, PhAabb box, double from, uint32_t but, double *time,
                      uint32_t *wall) {
    const PhPiece *piece = world->proxy_piece[p];
    const PhContinuous *c = &world->continuous;
    bool moves = bvh == &c->driven;
    for (uint32_t i = ph_bvh_next(bvh, box, 0); i < bvh->count; i = ph_bvh_next(bvh, box, i + 1)) {
        uint32_t q = bvh->node[i].id, slot = world->proxies.body[q];
        const PhPiece *barrier = world->proxy_piece[q];
        if (slot == but || !may_meet(world, p, q) ||
            (direct && is_far(world, world->proxies.body[p], slot, moves, barrier))) {
            continue;
        }
        if (moves && direct && !c->listed[slot] &&
            is_slow_against(world, world->proxies.body[p], slot)) {
            continue;
        }
        PhPath other = moves ? path_of(world, slot) : path_at_rest(world, slot);
        double found = ph_paths_meet(piece, path, barrier, &other, from, *time);
        if (found < *time) {
            *time = found;
            *wall = slot;
        }
    }
}

// The first of all that does.
static double find_first_wall(const PhWorld *world, uint32_t slot, const PhPath *path, bool direct,
                              double from, uint32_t but, uint32_t *wall) {
    const PhContinuous *c = &world->continuous;
    double time = INFINITY;
    Parts parts = parts_of(world, slot);
    for (uint32_t p; next_part(world, &parts, &p);) {
        PhAabb box = ph_path_box(path, world->proxy_piece[p], from);
        find_wall(world, &c->fixed, p, path, direct, box, from, but, &time, wall);
        if (world->driver_count) {
            find_wall(world, &c->driven, p, path, direct, box, from, but, &time, wall);
        }
    }
    return time;
}

// Whether a body is near one of a hierarchy that may be in its way.
static bool is_near_any(const PhWorld *world, const PhBvh *bvh, PhAabb box, uint32_t slot) {
    bool moves = bvh == &world->continuous.driven;
    for (uint32_t i = ph_bvh_next(bvh, box, 0); i < bvh->count; i = ph_bvh_next(bvh, box, i + 1)) {
        uint32_t q = bvh->node[i].id, wall = world->proxies.body[q];
        if (!is_far(world, slot, wall, moves, world->proxy_piece[q]) &&
            !(moves && !world->continuous.listed[wall] && is_slow_against(world, slot, wall))) {
            return true;
        }
    }
    return false;
}

// Whether anything is near the way of a body, which is what most of the fast ones lack.
static bool is_near_walls(const PhWorld *world, uint32_t slot) {
    const PhContinuous *c = &world->continuous;
    const double *start = c->start[slot];
    PhVec2 from = {start[0], start[1]}, to = world->transform[slot].p;
    PhAabb box = ph_grow(ph_union((PhAabb){from, from}, (PhAabb){to, to}),
                         c->reach[slot] + PH_STOP_DISTANCE);
    return is_near_any(world, &c->fixed, box, slot) ||
           (world->driver_count && is_near_any(world, &c->driven, box, slot));
}

// Ends a way from a time on where it leads through walls. Whether it has changed. direct: it is
// that of the step as it was.
static bool stop_at_walls(const PhWorld *world, uint32_t slot, PhPath *path, bool direct,
                          double from) {
    const PhContinuous *c = &world->continuous;
    uint32_t but = PH_NULL; // what the body goes along with
    for (int stops = 0;; stops++) {
        uint32_t wall = PH_NULL;
        double time = find_first_wall(world, slot, path, direct && stops == 0, from, but, &wall);
        if (wall == PH_NULL) {
            return stops > 0;
        }
        PhPathPose pose = ph_path_pose(path, time), end = pose;
        bool moves = world->role[wall] == PH_ROLE_KINEMATIC;
        if (moves && stops + 1 < MOST_STOPS) {
            PhPath way = path_of(world, wall);
            end = ph_path_carry(&way, time, pose);
        }
        ph_path_turn_off(path, time, end);
        if (stops + 1 == MOST_STOPS || (!moves && !c->rush)) {
            return true;
        }
        from = time;
        but = moves ? wall : PH_NULL;
    }
}

// Places a body at the end of a way that has changed. What it did not fall any more it must not
// have as speed.
static void place(PhWorld *world, uint32_t slot, const PhPath *path, bool carried) {
    PhState *state = world->state;
    const PhBody *body = &world->body[slot];
    PhPathPose end = path->knot[path->count - 1];
    double *velocity = state->velocity[slot];
    PhVec2 back = {end.center.x - world->center[slot][0], end.center.y - world->center[slot][1]};
    double gain = -2 * world->gravity_scale[slot] * ph_dot(world->def.gravity, back);
    double squared = velocity[0] * velocity[0] + velocity[1] * velocity[1];
    if (gain > 0 && !carried && squared > 0) {
        double scale = sqrt(ph_max(1 - gain / squared, 0));
        velocity[0] *= scale;
        velocity[1] *= scale;
    }
    PhVec2 origin = ph_origin(body, end.center, end.angle);
    state->position[slot][0] = origin.x;
    state->position[slot][1] = origin.y;
    state->angle[slot] = end.angle;
    world->pose_angle[slot] = end.angle;
    world->transform[slot] = ph_body_transform(world, slot);
    PhVec2 center = ph_apply(world->transform[slot], body->center_local);
    world->center[slot][0] = center.x;
    world->center[slot][1] = center.y;
    world->tree_stale[slot] = 1;
}

static bool is_finite(const PhWorld *world, uint32_t slot) {
    PhPathPose now = pose_now(world, slot);
    return isfinite(now.center.x + now.center.y + now.angle);
}

typedef struct Run {
    PhWorld *world;
    uint32_t count;
    atomic_uint stopped;
} Run;

// Bodies that are no shots: each by itself.
static void stop_chunk(void *context, uint32_t chunk) {
    Run *run = context;
    PhWorld *world = run->world;
    PhContinuous *c = &world->continuous;
    uint32_t first = chunk * CHUNK_BODIES, left = run->count - first;
    for (uint32_t k = first; k < first + (left < CHUNK_BODIES ? left : CHUNK_BODIES); k++) {
        uint32_t slot = c->fast[k];
        if (c->listed[slot] != PH_LISTED_FAST || !is_finite(world, slot) ||
            !is_near_walls(world, slot)) {
            continue;
        }
        PhPath path = path_of(world, slot);
        if (stop_at_walls(world, slot, &path, true, 0)) {
            place(world, slot, &path, c->rush);
            c->listed[slot] = world->state->awake[slot] ? PH_LISTED_FAST : PH_LISTED_WAKES;
            atomic_fetch_add_explicit(&run->stopped, 1, memory_order_relaxed);
        }
    }
}

static void stop_shots_at_walls(void *context, uint32_t chunk) {
    Run *run = context;
    PhContinuous *c = &run->world->continuous;
    uint32_t first = chunk * CHUNK_BODIES, left = run->count - first;
    for (uint32_t k = first; k < first + (left < CHUNK_BODIES ? left : CHUNK_BODIES); k++) {
        PhShot *shot = &c->shot[k];
        shot->path = path_of(run->world, shot->slot);
        shot->stopped = is_near_walls(run->world, shot->slot) &&
                        stop_at_walls(run->world, shot->slot, &shot->path, true, 0);
    }
}

// A box of all that a proxy of a dynamic body, which is no shot, may have been in.
static PhAabb box_of_way(const PhWorld *world, uint32_t proxy, uint32_t slot) {
    const PhContinuous *c = &world->continuous;
    if (c->listed[slot]) {
        PhPath path = path_of(world, slot);
        return ph_path_box(&path, world->proxy_piece[proxy], 0);
    }
    return ph_grow(world->proxies.box[proxy], world->state->awake[slot] ? c->limit[slot] : 0);
}

static bool is_dynamic_proxy(const PhWorld *world, uint32_t proxy) {
    const uint32_t need = PH_PROXY_ALIVE | PH_PROXY_ENABLED | PH_PROXY_DYNAMIC;
    return (world->proxies.flags[proxy] & need) == need;
}

// Lists the slow bodies, asleep or not, that a fast kinematic one may have swept over.
static uint32_t list_swept(PhWorld *world, uint32_t count) {
    PhContinuous *c = &world->continuous;
    for (uint32_t q = 0; q < world->proxies.count; q++) {
        uint32_t slot = world->proxies.body[q];
        if (!is_dynamic_proxy(world, q) || c->listed[slot]) {
            continue;
        }
        PhAabb box = box_of_way(world, q, slot);
        for (uint32_t i = ph_bvh_next(&c->driven, box, 0); i < c->driven.count;
             i = ph_bvh_next(&c->driven, box, i + 1)) {
            uint32_t p = c->driven.node[i].id;
            if (c->listed[world->proxies.body[p]] && may_meet(world, q, p)) {
                if (!world->state->awake[slot]) {
                    keep_start(world, slot);
                }
                c->listed[slot] = PH_LISTED_FAST;
                c->fast[count++] = slot;
                break;
            }
        }
    }
    return count;
}

// -------------------------------------------------------------------------------------------------
// shots

// Whether there are fast bullets. Then all fast bodies become shots, in the order of slots.
static bool list_shots(PhWorld *world, uint32_t count) {
    PhContinuous *c = &world->continuous;
    bool bullets = false;
    c->shot_count = 0;
    for (uint32_t k = 0; k < count && !bullets; k++) {
        bullets = world->body[c->fast[k]].bullet && world->state->awake[c->fast[k]];
    }
    for (uint32_t k = 0; k < count && bullets; k++) {
        uint32_t slot = c->fast[k];
        if (world->state->awake[slot] && is_finite(world, slot) &&
            c->shot_count < c->shot_capacity) {
            c->listed[slot] = PH_LISTED_SHOT;
            c->shot[c->shot_count++] = (PhShot){.slot = slot, .bullet = world->body[slot].bullet};
        }
    }
    return bullets;
}

static void measure_shot(const PhWorld *world, PhShot *shot) {
    Parts parts = parts_of(world, shot->slot);
    shot->box = (PhAabb){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (uint32_t p; next_part(world, &parts, &p);) {
        shot->box = ph_union(shot->box, ph_path_box(&shot->path, world->proxy_piece[p], 0));
    }
}

static uint32_t shot_of(const PhContinuous *c, uint32_t slot) {
    uint32_t low = 0, high = c->shot_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(c->shot[middle].slot <= slot ? &low : &high) = middle;
    }
    return low;
}

// When two pieces of dynamic bodies meet, one of them a bullet. It is always the core of the same
// one that counts, whoever is fast: else what has been stopped by its core in one step would begin
// the next one inside.
static double meeting_of_parts(const PhWorld *world, uint32_t p, const PhPath *path_p, uint32_t q,
                               const PhPath *path_q, double limit) {
    uint32_t a = world->proxies.body[p], b = world->proxies.body[q];
    bool bullet_a = world->body[a].bullet, bullet_b = world->body[b].bullet;
    const PhPiece *piece_p = world->proxy_piece[p], *piece_q = world->proxy_piece[q];
    return bullet_a > bullet_b || (bullet_a == bullet_b && a < b)
               ? ph_paths_meet(piece_p, path_p, piece_q, path_q, 0, limit)
               : ph_paths_meet(piece_q, path_q, piece_p, path_p, 0, limit);
}

// When each bullet first meets a dynamic body that is no shot.
static void meet_bodies(PhWorld *world) {
    PhContinuous *c = &world->continuous;
    uint32_t count = 0;
    for (uint32_t k = 0; k < c->shot_count; k++) {
        c->shot[k].body_time = c->shot[k].partner_time = INFINITY;
        measure_shot(world, &c->shot[k]);
        if (c->shot[k].bullet) {
            count = add_items(world, c->shot[k].slot, &c->shot[k].path, count);
        }
    }
    build(c, &c->shots, count);
    for (uint32_t q = 0; q < world->proxies.count; q++) {
        uint32_t slot = world->proxies.body[q];
        if (!is_dynamic_proxy(world, q) || c->listed[slot] == PH_LISTED_SHOT ||
            !is_finite(world, slot)) {
            continue;
        }
        PhAabb box = box_of_way(world, q, slot);
        for (uint32_t i = ph_bvh_next(&c->shots, box, 0); i < c->shots.count;
             i = ph_bvh_next(&c->shots, box, i + 1)) {
            uint32_t p = c->shots.node[i].id;
            if (!may_meet(world, p, q)) {
                continue;
            }
            PhShot *shot = &c->shot[shot_of(c, world->proxies.body[p])];
            PhPath other = world->state->awake[slot] || c->listed[slot] ? path_of(world, slot)
                                                                        : path_at_rest(world, slot);
            double time =
                meeting_of_parts(world, p, &shot->path, q, &other, shot->body_time);
            if (time < shot->body_time) {
                shot->body_time = time;
                shot->body = slot;
            }
        }
    }
}

// When two shots meet, if before a limit.
static double meeting_of(const PhWorld *world, const PhShot *a, const PhShot *b, double limit) {
    double time = limit;
    Parts parts_a = parts_of(world, a->slot);
    for (uint32_t p; next_part(world, &parts_a, &p);) {
        PhAabb box = ph_path_box(&a->path, world->proxy_piece[p], 0);
        Parts parts_b = parts_of(world, b->slot);
        for (uint32_t q; next_part(world, &parts_b, &q);) {
            PhAabb other = ph_path_box(&b->path, world->proxy_piece[q], 0);
            if (ph_overlaps(box, other) && may_meet(world, p, q)) {
                time = ph_min(meeting_of_parts(world, p, &a->path, q, &b->path, time), time);
            }
        }
    }
    return time < limit ? time : INFINITY;
}

static void look_at_partner(const PhWorld *world, uint32_t k, uint32_t j) {
    PhShot *shot = &world->continuous.shot[k], *other = &world->continuous.shot[j];
    bool lower = k < j; // the same question whoever asks
    if (!(shot->bullet || other->bullet) || !ph_overlaps(shot->box, other->box)) {
        return;
    }
    double time = meeting_of(world, lower ? shot : other, lower ? other : shot, shot->partner_time);
    if (time < shot->partner_time) {
        shot->partner_time = time;
        shot->partner = j;
    }
}

static void look_at_partners(const PhWorld *world, uint32_t k) {
    PhShot *shot = &world->continuous.shot[k];
    shot->partner_time = INFINITY;
    for (uint32_t j = 0; j < world->continuous.shot_count; j++) {
        if (j != k) {
            look_at_partner(world, k, j);
        }
    }
}

static double time_of(const PhShot *shot) {
    return shot->settled ? INFINITY : ph_min(shot->body_time, shot->partner_time);
}

static void settle(PhWorld *world, PhShot *shot, double time, PhPathPose end) {
    ph_path_turn_off(&shot->path, time, end);
    (void)stop_at_walls(world, shot->slot, &shot->path, false, time);
    measure_shot(world, shot);
    shot->settled = shot->stopped = true;
}

// Ends the way of a shot at its meeting, and that of the shot that it meets. Returns that one's
// number if its way has changed, else its own.
static uint32_t settle_meeting(PhWorld *world, uint32_t k) {
    PhContinuous *c = &world->continuous;
    PhShot *shot = &c->shot[k];
    double time = time_of(shot);
    PhPathPose pose = ph_path_pose(&shot->path, time);
    if (shot->body_time <= shot->partner_time) {
        bool moves = world->state->awake[shot->body] || c->listed[shot->body];
        PhPath other = moves ? path_of(world, shot->body) : path_at_rest(world, shot->body);
        settle(world, shot, time, ph_path_carry(&other, time, pose));
        return k;
    }
    PhShot *partner = &c->shot[shot->partner];
    if (partner->settled) {
        settle(world, shot, time, ph_path_carry(&partner->path, time, pose));
        return k;
    }
    settle(world, shot, time, pose);
    settle(world, partner, time, ph_path_pose(&partner->path, time));
    return shot->partner;
}

static void stop_shots(PhWorld *world) {
    PhContinuous *c = &world->continuous;
    meet_bodies(world);
    for (uint32_t k = 0; k < c->shot_count; k++) {
        look_at_partners(world, k);
    }
    for (;;) {
        uint32_t first = 0;
        for (uint32_t k = 1; k < c->shot_count; k++) {
            first = time_of(&c->shot[k]) < time_of(&c->shot[first]) ? k : first;
        }
        if (!(time_of(&c->shot[first]) < INFINITY)) {
            break;
        }
        uint32_t also = settle_meeting(world, first);
        for (uint32_t k = 0; k < c->shot_count; k++) {
            PhShot *shot = &c->shot[k];
            if (shot->settled) {
                continue;
            }
            if (shot->partner_time < INFINITY &&
                (shot->partner == first || shot->partner == also)) {
                look_at_partners(world, k);
            } else {
                look_at_partner(world, k, first);
                look_at_partner(world, k, also);
            }
        }
    }
    for (uint32_t k = 0; k < c->shot_count; k++) {
        if (c->shot[k].stopped) {
            place(world, c->shot[k].slot, &c->shot[k].path, c->rush);
            c->stopped++;
        }
    }
}

// -------------------------------------------------------------------------------------------------

static bool less(const void *a, const void *b, const void *context) {
    uint32_t x, y;
    (void)context;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y;
}

static bool are_sorted(const uint32_t *values, uint32_t count) {
    for (uint32_t k = 1; k < count; k++) {
        if (values[k - 1] > values[k]) {
            return false;
        }
    }
    return true;
}

void ph_stop_fast_bodies(PhWorld *world) {
    PhContinuous *c = &world->continuous;
    uint32_t count = atomic_load_explicit(&c->fast_count, memory_order_relaxed);
    if (count == 0 && !c->rush) {
        return;
    }
    build_fixed(world);
    if (world->driver_count) {
        build_driven(world);
    }
    if (c->rush) {
        count = list_swept(world, count);
    }
    if (!are_sorted(c->fast, count)) { // workers found them in some order
        ph_sort(c->fast, count, sizeof *c->fast, less, NULL);
    }
    c->shot_count = 0;
    bool meet = c->bullets > 0 && list_shots(world, count);
    Run run = {.world = world, .count = count};
    ph_jobs_run(world->jobs, stop_chunk, &run, (count + CHUNK_BODIES - 1) / CHUNK_BODIES);
    c->stopped = atomic_load(&run.stopped);
    if (meet) {
        Run shots = {.world = world, .count = c->shot_count};
        ph_jobs_run(world->jobs, stop_shots_at_walls, &shots,
                    (c->shot_count + CHUNK_BODIES - 1) / CHUNK_BODIES);
        stop_shots(world);
    }
    for (uint32_t k = 0; k < count; k++) {
        bool wakes = c->listed[c->fast[k]] == PH_LISTED_WAKES;
        c->listed[c->fast[k]] = 0;
        if (wakes) {
            ph_wake(world, c->fast[k]);
        }
    }
    for (uint32_t k = 0; k < world->driver_count; k++) {
        c->listed[world->driver[k]] = 0;
    }
    ph_events_of_sleep(world, true);
}

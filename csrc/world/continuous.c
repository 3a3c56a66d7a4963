// Owns continuous collision: which bodies were fast in a step, what is in their path, and where the
// step ends for them.
//
// A body is fast when one of its points may have moved by more than a part of the body's width, or
// by some millimetres if the body is thin. A slower body cannot get through anything, because
// contacts still push it back to its side. The pass that places bodies lists the fast ones. Only
// these are examined here, and bodies that a fast kinematic body may sweep over.
//
// Each fast body is moved, on its own, along its path from the pose at the start of the step to the
// one at its end, among everything static and kinematic. A path that would lead through something
// ends there. The body keeps still for the rest of the step, or goes along with a kinematic body
// that it met. Its velocity stays, and the next step finds a contact. Bullets are tested against
// dynamic bodies after that (bullet_pairs.c). Bodies that joints hold to a stopped body stop too
// (jointed_stops.c).
//
// In a wrapped world paths continue over a periodic boundary, because bodies are folded later.
// Obstacles are searched for in images of the path.
//
// Invariants: the poses at the start and at the end of the step and the order of slots decide, not
// the order of the search. So the bits do not depend on workers, lanes or the broad phase.
// Everything is reserved before the step changes anything.
//
// Sources: B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems" (1996), for times
// of impact one after the other; E. Catto, "Continuous Collision" (2013), for letting a body lose
// the rest of its step.
#include <string.h>

#include "base/sort.h"
#include "narrow/impact.h"
#include "world/contact_stage.h"
#include "world/continuous.h"
#include "world/flush.h"

#define FAST_SHARE 0.25 // of the width of the thickest piece
enum { MOST_STOPS = 3, CHUNK_BODIES = 16 };
// Pieces of moving kinematic bodies, some microseconds each: so many are shared by the fast bodies
// of a step, and each of these examines so many more. One that meets still more stays where it was:
// a thousand may sweep over it from all sides.
enum { MOST_DRIVEN = 1 << 16, DRIVEN_EACH = 128 };
// So that a shift of -0, which changes no number, costs nothing.
#define SHIFTED_INLINE static inline __attribute__((always_inline))

// ------------------------------------------------------------------------------------------------
// what is fast

void ph_continuous_measure(PhWorld *world, uint32_t slot) {
    const PhBody *body = &world->body[slot];
    double limit = INFINITY, thinnest = INFINITY;
    bool meets = false; // else nothing is in its way
    int32_t pieces = 0;
    PhSpan span = {NAN, NAN, 0, 0}; // of the last one
    for (uint32_t c = body->first_collider; c != PH_NULL; c = world->collider[c].next) {
        const PhShape *shape = world->collider[c].shape;
        double width = 0;
        for (int32_t i = 0; i < shape->piece_count; i++) {
            width = ph_max(shape->pieces[i].width, width);
            thinnest = ph_min(shape->pieces[i].width, thinnest);
        }
        span = world->span[world->collider[c].first_proxy + (uint32_t)shape->piece_count - 1];
        pieces += shape->piece_count;
        limit = ph_min(ph_max(FAST_SHARE * width, world->lengths.least_fast), limit);
        meets |= ph_meets_any(&world->collider[c].def);
    }
    world->continuous.limit[slot] = meets ? limit : INFINITY;
    double reach = body->extent + ph_length(body->center_local);
    bool even = pieces == 1 && span.x >= 0;
    world->continuous.reach[slot] = reach;
    world->escapes.stale |= !world->continuous.several[slot] != (pieces < 2);
    world->continuous.several[slot] =
        pieces > 1 ? PH_SEVERAL | (ph_may_have_flush(world, slot) ? PH_SEVERAL_FLUSH : 0u) : 0;
    world->continuous.any_several |= pieces > 1;
    world->continuous.hull[slot] = (PhHull){
        .x = even ? span.x : 0,
        .y = even ? span.y : 0,
        .radius = world->off_center[slot] ? INFINITY
                  : even                  ? span.radius
                                          : reach,
        .width = thinnest,
    };
}

void ph_continuous_begin(PhWorld *world) {
    PhContinuous *c = &world->continuous;
    atomic_store_explicit(&c->fast_count, 0, memory_order_relaxed);
    c->stopped = 0;
    c->rush = false;
    c->reported = 0;
    c->keeps_starts = c->bullets > 0 || world->joints.count > 0;
    c->settled = c->fixed_state == PH_FIXED_BUILT && c->bullets == 0 &&
                 world->kinematic_count == 0 && !world->wrapped && !c->report;
    c->bounds = c->settled && c->fixed.count > 0
                    ? c->fixed.node[0].box
                    : (PhAabb){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
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

void ph_continuous_watch(PhWorld *world, uint32_t slot, bool landed) {
    PhContinuous *c = &world->continuous;
    double *start = c->start[slot];
    PhVec2 end = world->transform[slot].p, from = {start[0], start[1]};
    if (landed && world->wrapped) { // by the shortest displacement
        PhVec2 shift = ph_wrap_shift(&world->wrap, ph_sub(from, end));
        from = ph_add(from, shift);
        start[0] = from.x;
        start[1] = from.y;
        ph_sensors_shift(world, slot, shift);
    }
    PhVec2 displacement = ph_sub(end, from);
    double turn = fabs(world->pose_angle[slot] - start[2]);
    if (world->def.continuous && ph_length(displacement) + turn * c->reach[slot] > c->limit[slot]) {
        c->listed[slot] = PH_LISTED_FAST;
        c->rush = c->keeps_starts = true;
    }
}

// ------------------------------------------------------------------------------------------------
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
    if (!world->def.continuous || world->dynamic_count + world->kinematic_count == 0) {
        return PH_OK;
    }
    if (c->fixed_state == PH_FIXED_STALE) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < world->proxies.count; i++) {
            count += stays(world, i);
        }
        status = reserve_items(c, &c->fixed, count);
        status = status ? status : ph_distance_grid_reserve(&c->distance_grid, count);
        c->fixed_state = status ? PH_FIXED_STALE : PH_FIXED_ROOM;
    }
    if (!status && world->kinematic_count) {
        status = reserve_items(c, &c->driven, world->proxies.moving_count);
    }
    if (!status && world->joints.count > 0) { // each body at first, and once for an end of a joint
        status = ph_reserve_array(&c->halt, &c->halt_capacity,
                                  world->dynamic_count + 2 * (uint64_t)world->joints.limit,
                                  sizeof *c->halt);
    }
    if (!status && c->bullets) {
        status = reserve_items(c, &c->fast_bodies, world->proxies.moving_count);
        status = status ? status
                        : ph_reserve_array(&c->fast_body, &c->fast_body_capacity,
                                           world->dynamic_count, sizeof *c->fast_body);
    }
    return status;
}

void ph_build_paths(PhContinuous *c, PhBvh *bvh, uint32_t count) {
    PhStatus status = ph_bvh_build(bvh, c->item, count, NULL);
    PH_ASSERT(status == PH_OK);
    (void)status;
}

void ph_continuous_build_fixed(PhWorld *world) {
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
    ph_build_paths(c, &c->fixed, count);
    ph_distance_grid_build(&c->distance_grid, &c->fixed);
    c->fixed_state = PH_FIXED_BUILT;
}

static PhPathPose pose_now(const PhWorld *world, uint32_t slot) {
    const double *center = world->center[slot];
    return (PhPathPose){{center[0], center[1]}, world->state->angle[slot]};
}

PhPath ph_path_of(const PhWorld *world, uint32_t slot) {
    const double *start = world->continuous.start[slot];
    PhVec2 pivot = world->body[slot].center_local;
    PhVec2 arm = ph_rotate(ph_rot(start[2]), pivot);
    PhPathPose from = {{start[0] + arm.x, start[1] + arm.y}, start[2]};
    return ph_path(pivot, from, pose_now(world, slot));
}

PhPath ph_resting_path(const PhWorld *world, uint32_t slot) {
    return ph_path_at_rest(world->body[slot].center_local, pose_now(world, slot));
}

bool ph_goes_around(const PhWorld *world, PhAabb box) {
    PhVec2 size = ph_sub(box.upper, box.lower), inverse = world->wrap.inverse;
    return world->wrapped &&
           !((1 + size.x * inverse.x) * (1 + size.y * inverse.y) < PH_MOST_AROUND + 1);
}

PhImages ph_images_of_path(const PhWorld *world, PhAabb box, const PhBvh *bvh) {
    const PhAabb nowhere = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    bool none = bvh->count == 0 || ph_goes_around(world, box);
    return ph_images_within(world, box, none ? nowhere : bvh->node[0].box);
}

uint32_t ph_add_paths(PhWorld *world, uint32_t slot, const PhPath *path, uint32_t count) {
    PhParts parts = ph_parts_of(world, slot);
    for (uint32_t p; ph_next_part(world, &parts, &p);) {
        PhAabb box = ph_path_box(path, world->proxy_piece[p], 0, &world->lengths);
        if (world->proxies.flags[p] & PH_PROXY_ENABLED && ph_is_box(box) &&
            !ph_goes_around(world, box)) {
            world->continuous.item[count++] = (PhBvhItem){box, p};
        }
    }
    return count;
}

static void build_driven(PhWorld *world) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < world->kinematic_count; k++) {
        PhPath path = ph_path_of(world, world->kinematic[k]);
        count = ph_add_paths(world, world->kinematic[k], &path, count);
    }
    ph_build_paths(&world->continuous, &world->continuous.driven, count);
}

void ph_continuous_build(PhWorld *world) {
    ph_continuous_build_fixed(world);
    if (world->kinematic_count) {
        build_driven(world);
    }
}

// Whether the pre-solve hook has switched the pair's contact off in this step.
static bool is_switched_off(const PhWorld *world, uint32_t p, uint32_t q) {
    const PhProxies *proxies = &world->proxies;
    const PhPairList *pairs = &world->broad.pairs;
    if (!world->pre_solve.call || !(world->collider[proxies->collider[p]].def.pre_solve ||
                                    world->collider[proxies->collider[q]].def.pre_solve)) {
        return false;
    }
    bool p_owns = ph_owns(world, p, q);
    uint32_t owner = p_owns ? p : q, other = p_owns ? q : p;
    uint32_t k = ph_pairs_from(pairs, owner, other);
    bool listed = k < pairs->count && pairs->owner[k] == owner && pairs->other[k] == other;
    return (listed && world->next_active[k] == PH_ANSWER_OFF) ||
           ph_is_predicted_off(world, owner, other);
}

bool ph_may_meet(const PhWorld *world, uint32_t p, uint32_t q) {
    const PhProxies *proxies = &world->proxies;
    return ph_proxies_collide(proxies, p, q) &&
           !ph_broad_keeps_apart(&world->broad, proxies->body[p], proxies->body[q]) &&
           !ph_is_refused(world, p, q) && !is_switched_off(world, p, q);
}

// ------------------------------------------------------------------------------------------------
// through what is static and kinematic

// How far a body's origin has gone in this step.
static double length_of_displacement(const PhWorld *world, uint32_t slot) {
    const double *start = world->continuous.start[slot];
    PhVec2 end = world->transform[slot].p;
    return ph_length(ph_vec(end.x - start[0], end.y - start[1]));
}

// How far any point of a body has gone from where its origin is now, and its reach.
static double around(const PhWorld *world, uint32_t slot) {
    return world->continuous.reach[slot] + length_of_displacement(world, slot);
}

// Whether a body's circle is further from a face of a piece, at the end of the step, than both go.
// shift: of the body's image; displacement: around() of the body.
SHIFTED_INLINE bool is_far(const PhWorld *world, uint32_t slot, PhVec2 shift, double displacement,
                           uint32_t wall, bool moves, const PhPiece *piece) {
    PhVec2 gap = ph_sub(ph_add(world->transform[slot].p, shift), world->transform[wall].p);
    PhVec2 middle = ph_unrotate(world->transform[wall].q, gap);
    if (moves) {
        double turn = fabs(world->pose_angle[wall] - world->continuous.start[wall][2]);
        displacement +=
            length_of_displacement(world, wall) + turn * (ph_length(gap) + displacement);
    }
    displacement += piece->radius + world->lengths.stop_distance;
    for (int32_t i = 0; i < piece->count && piece->count > 1; i++) {
        if (ph_dot(piece->normals[i], ph_sub(middle, piece->vertices[i])) > displacement) {
            return true;
        }
    }
    return false;
}

// Whether a body is slow as seen from a kinematic one that moves. Seen from there its origin goes
// straight but for turning, which adds half of its square at most.
SHIFTED_INLINE bool is_slow_against(const PhWorld *world, uint32_t slot, PhVec2 shift,
                                    uint32_t wall) {
    const PhContinuous *c = &world->continuous;
    const double *start = c->start[slot], *from = c->start[wall];
    PhVec2 end = world->transform[slot].p, to = world->transform[wall].p;
    double turn = world->pose_angle[wall] - from[2];
    double spin = world->pose_angle[slot] - start[2] - turn;
    PhVec2 gap = {start[0] + shift.x - from[0], start[1] + shift.y - from[1]};
    PhVec2 displacement = {end.x - start[0] - (to.x - from[0]),
                           end.y - start[1] - (to.y - from[1])};
    double bend = 0.5 * turn * turn * ph_length(gap);
    return ph_length(ph_mul_add(displacement, -turn, ph_left(gap))) + bend +
               fabs(spin) * c->reach[slot] <
           c->limit[slot];
}

// A body's motion as the faces of what rests see it: where the middle of its hull is at the start
// and at the end, world, and how it lies then.
typedef struct Stride {
    PhVec2 first, last;
    PhVec2 axis;
    PhHull hull;
    double turned;       // how far its corners have turned
    double needed;       // metres above a face without radius, by the middle of a hull without size
    double displacement; // around()
} Stride;

// shift: of the body's image; moves: what sees it does, and asks for the displacement alone.
SHIFTED_INLINE Stride stride_of(const PhWorld *world, uint32_t slot, PhVec2 shift, bool moves) {
    if (moves) {
        return (Stride){.displacement = around(world, slot)};
    }
    const PhHull *hull = &world->continuous.hull[slot];
    const double *start = world->continuous.start[slot];
    const PhTransform *end = &world->transform[slot];
    double turn = fabs(world->pose_angle[slot] - start[2]);
    double corner = sqrt(hull->x * hull->x + hull->y * hull->y);
    return (Stride){
        .first = ph_add((PhVec2){start[0], start[1]}, shift),
        .last = ph_add(end->p, shift),
        .axis = {end->q.c, end->q.s},
        .hull = *hull,
        .turned = turn * corner,
        .needed = hull->radius + 0.125 * turn * turn * corner + 2 * world->lengths.core_distance,
        .displacement = around(world, slot),
    };
}

// Whether a body keeps to the outer side of a face of a piece that rests, but for the layer that
// may go in. Its middle goes straight; at the start its hull reaches further than at the end by no
// more than its corners have turned. So ph_paths_meet would see both ends beside the same face.
static inline bool stays_beside(const Stride *stride, PhTransform frame, const PhPiece *piece,
                                const PhLengths *lengths) {
    const PhHull *hull = &stride->hull;
    PhVec2 last = ph_unrotate(frame.q, ph_sub(stride->last, frame.p));
    PhVec2 first = ph_unrotate(frame.q, ph_sub(stride->first, frame.p));
    PhVec2 axis = ph_unrotate(frame.q, stride->axis);
    double needed = stride->needed + piece->radius - ph_stop_layer(hull->width, piece, lengths);
    for (int32_t i = 0; i < piece->count && piece->count > 1; i++) {
        PhVec2 normal = piece->normals[i], vertex = piece->vertices[i];
        double along = fabs(ph_dot(normal, axis)), across = fabs(ph_cross(normal, axis));
        double height = needed + along * hull->x + across * hull->y;
        if (ph_dot(normal, ph_sub(last, vertex)) > height &&
            ph_dot(normal, ph_sub(first, vertex)) > height + stride->turned) {
            return true;
        }
    }
    return false;
}

// Whether a piece is not in the way of a body that goes as the step had it.
SHIFTED_INLINE bool is_passed(const PhWorld *world, uint32_t slot, PhVec2 shift,
                              const Stride *stride, uint32_t wall, bool moves,
                              const PhPiece *piece) {
    return (!moves && stays_beside(stride, world->transform[wall], piece, &world->lengths)) ||
           is_far(world, slot, shift, stride->displacement, wall, moves, piece) ||
           (moves && !world->continuous.listed[wall] && is_slow_against(world, slot, shift, wall));
}

// Where in a hierarchy to look for what a box overlaps.
static inline PhDistanceGridSpan sample_grid(const PhWorld *world, const PhBvh *bvh, PhAabb box) {
    const PhContinuous *c = &world->continuous;
    return bvh == &c->fixed ? ph_distance_grid_sample(&c->distance_grid, bvh, box)
                            : (PhDistanceGridSpan){0, bvh->count};
}

// The first of the bodies of a hierarchy that ends a path, and the shift of its image.
typedef struct Wall {
    double time; // infinity: none
    uint32_t slot, proxy;
    PhVec2 shift;
    bool unknown; // which it is: there were too many that move
} Wall;

// What a piece of a moving body takes of the share: the search is longer where it spins.
static uint32_t cost_against(const PhWorld *world, uint32_t slot) {
    double turn = world->pose_angle[slot] - world->continuous.start[slot][2];
    return fabs(turn) > PH_IMPACT_SPIN ? 8 : 1;
}

// Looks for one before the time of the last, in the way of piece p, an image of which keeps to the
// box. direct: the path is that of the step as it was.
static void find_wall_in(const PhWorld *world, const PhBvh *bvh, uint32_t p, const PhPath *path,
                         bool direct, PhAabb box, PhVec2 shift, double from, uint32_t but,
                         uint32_t *left, Wall *wall) {
    const PhPiece *piece = world->proxy_piece[p];
    const PhContinuous *c = &world->continuous;
    uint32_t body = world->proxies.body[p], whose = PH_NULL;
    bool moves = bvh == &c->driven;
    Stride stride = stride_of(world, body, shift, moves);
    PhPath other; // of the last body that was found
    PhDistanceGridSpan in = sample_grid(world, bvh, box);
    for (uint32_t i = ph_bvh_next_before(bvh, box, in.first, in.end); i < in.end;
         i = ph_bvh_next_before(bvh, box, i + 1, in.end)) {
        uint32_t q = bvh->node[i].id, slot = world->proxies.body[q];
        const PhPiece *barrier = world->proxy_piece[q];
        if (slot == but || !ph_may_meet(world, p, q) ||
            (direct && is_passed(world, body, shift, &stride, slot, moves, barrier))) {
            continue;
        }
        uint32_t cost = moves ? cost_against(world, slot) : 0;
        if (*left < cost) {
            *wall = (Wall){from, slot, q, ph_neg(shift), true};
            return;
        }
        *left -= cost;
        if (slot != whose) {
            whose = slot;
            other = moves ? ph_path_of(world, slot) : ph_resting_path(world, slot);
            if (world->wrapped) {
                ph_path_move(&other, ph_neg(shift));
            }
        }
        double found =
            ph_paths_meet(piece, path, barrier, &other, from, wall->time, &world->lengths);
        if (found < wall->time || (found < INFINITY && found == wall->time && q < wall->proxy)) {
            *wall = (Wall){found, slot, q, ph_neg(shift), false};
        }
    }
}

static void find_wall(const PhWorld *world, const PhBvh *bvh, uint32_t p, const PhPath *path,
                      bool direct, PhAabb box, double from, uint32_t but, uint32_t *left,
                      Wall *wall) {
    if (!world->wrapped) {
        find_wall_in(world, bvh, p, path, direct, box, ph_vec(-0.0, -0.0), from, but, left, wall);
        return;
    }
    for (PhImages images = ph_images_of_path(world, box, bvh); ph_images_next(&images);) {
        find_wall_in(world, bvh, p, path, direct, ph_box_at(&images, box), images.shift, from, but,
                     left, wall);
    }
}

// The first of all that does.
static Wall find_first_wall(const PhWorld *world, uint32_t slot, const PhPath *path, bool direct,
                            double from, uint32_t but, uint32_t *left) {
    const PhContinuous *c = &world->continuous;
    Wall wall = {INFINITY, PH_NULL, PH_NULL, {0, 0}, false};
    PhParts parts = ph_parts_of(world, slot);
    for (uint32_t p; ph_next_part(world, &parts, &p);) {
        PhAabb box = ph_path_box(path, world->proxy_piece[p], from, &world->lengths);
        find_wall(world, &c->fixed, p, path, direct, box, from, but, left, &wall);
        if (world->kinematic_count) {
            find_wall(world, &c->driven, p, path, direct, box, from, but, left, &wall);
        }
    }
    return wall;
}

// Whether a way leads through what is kinematic and moves, as it stands at the end of the step.
static bool leads_through_driven(const PhWorld *world, uint32_t p, const PhPath *path,
                                 PhAabb around) {
    const PhBvh *driven = &world->continuous.driven;
    for (PhImages images = ph_images_of_path(world, around, driven); ph_images_next(&images);) {
        PhAabb box = ph_box_at(&images, around);
        uint32_t i = ph_bvh_next(driven, box, 0);
        for (; i < driven->count; i = ph_bvh_next(driven, box, i + 1)) {
            uint32_t q = driven->node[i].id;
            PhPath other = ph_resting_path(world, world->proxies.body[q]);
            ph_path_move(&other, ph_neg(images.shift));
            if (ph_may_meet(world, p, q) &&
                ph_paths_meet(world->proxy_piece[p], path, world->proxy_piece[q], &other, 0,
                              INFINITY, &world->lengths) < INFINITY) {
                return true;
            }
        }
    }
    return false;
}

bool ph_leads_through_walls(const PhWorld *world, uint32_t slot, const PhPath *path) {
    uint32_t left = 0;
    Wall wall = {INFINITY, PH_NULL, PH_NULL, {0, 0}, false};
    PhParts parts = ph_parts_of(world, slot);
    for (uint32_t p; wall.slot == PH_NULL && ph_next_part(world, &parts, &p);) {
        PhAabb box = ph_path_box(path, world->proxy_piece[p], 0, &world->lengths);
        find_wall(world, &world->continuous.fixed, p, path, false, box, 0, PH_NULL, &left, &wall);
        if (world->kinematic_count && leads_through_driven(world, p, path, box)) {
            return true;
        }
    }
    return wall.slot != PH_NULL;
}

// Whether a body is near one of a hierarchy that may be in its way; an image of it, in a box.
SHIFTED_INLINE bool is_near_any_in(const PhWorld *world, const PhBvh *bvh, PhAabb box, PhVec2 shift,
                                   uint32_t slot) {
    bool moves = bvh == &world->continuous.driven;
    PhDistanceGridSpan in = sample_grid(world, bvh, box);
    uint32_t i = in.first < in.end ? ph_bvh_next_before(bvh, box, in.first, in.end) : in.end;
    if (i >= in.end) {
        return false;
    }
    Stride stride = stride_of(world, slot, shift, moves);
    for (; i < in.end; i = ph_bvh_next_before(bvh, box, i + 1, in.end)) {
        uint32_t q = bvh->node[i].id, wall = world->proxies.body[q];
        if (!is_passed(world, slot, shift, &stride, wall, moves, world->proxy_piece[q])) {
            return true;
        }
    }
    return false;
}

static bool is_near_any(const PhWorld *world, const PhBvh *bvh, PhAabb box, uint32_t slot) {
    if (!world->wrapped) {
        return is_near_any_in(world, bvh, box, ph_vec(-0.0, -0.0), slot);
    }
    for (PhImages images = ph_images_of_path(world, box, bvh); ph_images_next(&images);) {
        if (is_near_any_in(world, bvh, ph_box_at(&images, box), images.shift, slot)) {
            return true;
        }
    }
    return false;
}

bool ph_is_near_walls(const PhWorld *world, uint32_t slot) {
    const PhContinuous *c = &world->continuous;
    const double *start = c->start[slot];
    PhVec2 from = {start[0], start[1]}, to = world->transform[slot].p;
    PhAabb box = ph_grow(ph_union((PhAabb){from, from}, (PhAabb){to, to}),
                         c->reach[slot] + world->lengths.stop_distance);
    return (c->fixed.count && is_near_any(world, &c->fixed, box, slot)) ||
           (world->kinematic_count && is_near_any(world, &c->driven, box, slot));
}

bool ph_stop_at_walls(const PhWorld *world, uint32_t slot, PhPath *path, bool direct, double from,
                      bool *carried) {
    const PhContinuous *c = &world->continuous;
    uint32_t but = PH_NULL; // what the body goes along with
    uint32_t left = c->driven_share;
    for (int stops = 0;; stops++) {
        Wall wall = find_first_wall(world, slot, path, direct && stops == 0, from, but, &left);
        if (wall.slot == PH_NULL) {
            return stops > 0;
        }
        PhPathPose pose = ph_path_pose(path, wall.time), end = pose;
        bool moves = world->role[wall.slot] == PH_ROLE_KINEMATIC && !wall.unknown;
        *carried |= moves && c->listed[wall.slot];
        if (moves && stops + 1 < MOST_STOPS) {
            PhPath displacement = ph_path_of(world, wall.slot);
            ph_path_move(&displacement, wall.shift);
            end = ph_path_carry(&displacement, wall.time, pose);
        }
        ph_path_turn_off(path, wall.time, end);
        ph_report_stop(world, slot, wall.time, wall.proxy);
        if (stops + 1 == MOST_STOPS || wall.unknown || (!moves && world->kinematic_count == 0)) {
            return true;
        }
        from = wall.time;
        but = moves ? wall.slot : PH_NULL;
    }
}

void ph_place_at_end(PhWorld *world, uint32_t slot, const PhPath *path, bool carried) {
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

bool ph_is_placed(const PhWorld *world, uint32_t slot) {
    PhPathPose now = pose_now(world, slot);
    return isfinite(now.center.x + now.center.y + now.angle);
}

typedef struct Run {
    PhWorld *world;
    uint32_t count;
    atomic_uint stopped;
} Run;

// Bodies that are no fast bodies: each by itself.
static void stop_chunk(void *context, uint32_t chunk) {
    Run *run = context;
    PhWorld *world = run->world;
    PhContinuous *c = &world->continuous;
    uint32_t first = chunk * CHUNK_BODIES, left = run->count - first;
    if (ph_step_stops(world)) {
        return;
    }
    uint32_t last = first + (left < CHUNK_BODIES ? left : CHUNK_BODIES);
    for (uint32_t k = first; k < last; k++) {
        uint32_t slot = c->fast[k];
        if (c->listed[slot] != PH_LISTED_FAST || !ph_is_near_walls(world, slot) ||
            !ph_is_placed(world, slot)) {
            continue;
        }
        PhPath path = ph_path_of(world, slot);
        bool carried = false;
        if (ph_stop_at_walls(world, slot, &path, true, 0, &carried)) {
            ph_place_at_end(world, slot, &path, carried);
            c->listed[slot] = world->state->awake[slot] ? PH_LISTED_FAST : PH_LISTED_WAKES;
            atomic_fetch_add_explicit(&run->stopped, 1, memory_order_relaxed);
        }
    }
}

PhAabb ph_box_of_path(const PhWorld *world, uint32_t proxy, uint32_t slot) {
    const PhContinuous *c = &world->continuous;
    if (c->listed[slot]) {
        PhPath path = ph_path_of(world, slot);
        return ph_path_box(&path, world->proxy_piece[proxy], 0, &world->lengths);
    }
    return ph_grow(world->proxies.box[proxy], world->state->awake[slot] ? c->limit[slot] : 0);
}

bool ph_is_dynamic_proxy(const PhWorld *world, uint32_t proxy) {
    const uint32_t need = PH_PROXY_ALIVE | PH_PROXY_ENABLED | PH_PROXY_DYNAMIC;
    return (world->proxies.flags[proxy] & need) == need;
}

// Whether a fast kinematic body may have swept over a piece of a slow one.
static bool is_swept(const PhWorld *world, uint32_t q, uint32_t slot) {
    const PhContinuous *c = &world->continuous;
    PhAabb around = ph_box_of_path(world, q, slot);
    for (PhImages images = ph_images_of_path(world, around, &c->driven); ph_images_next(&images);) {
        PhAabb box = ph_box_at(&images, around);
        uint32_t i = ph_bvh_next(&c->driven, box, 0);
        for (; i < c->driven.count; i = ph_bvh_next(&c->driven, box, i + 1)) {
            uint32_t p = c->driven.node[i].id;
            if (c->listed[world->proxies.body[p]] && ph_may_meet(world, q, p)) {
                return true;
            }
        }
    }
    return false;
}

// Lists the slow bodies, asleep or not, that a fast kinematic one may have swept over.
static uint32_t list_swept(PhWorld *world, uint32_t count) {
    PhContinuous *c = &world->continuous;
    for (uint32_t q = 0; q < world->proxies.count; q++) {
        uint32_t slot = world->proxies.body[q];
        if (!ph_is_dynamic_proxy(world, q) || c->listed[slot]) {
            continue;
        }
        if (is_swept(world, q, slot)) {
            if (!world->state->awake[slot]) {
                keep_start(world, slot);
            }
            c->listed[slot] = PH_LISTED_FAST;
            c->fast[count++] = slot;
        }
    }
    return count;
}

// ------------------------------------------------------------------------------------------------

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

// Rows of all that are examined, for a trace.
static void report(PhWorld *world, uint32_t count) {
    PhContinuous *c = &world->continuous;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t slot = c->fast[k];
        const double *start = c->start[slot];
        PhVec2 end = world->transform[slot].p;
        c->report[k] = (PhFastRow){
            .body = (int32_t)slot,
            .stopped_body = -1,
            .stopped_collider = -1,
            .fraction = 1,
            .start = {start[0], start[1]},
            .end = {end.x, end.y},
            .start_angle = start[2],
            .end_angle = world->pose_angle[slot],
        };
    }
    c->reported = count;
}

void ph_report_stop(const PhWorld *world, uint32_t slot, double time, uint32_t proxy) {
    const PhContinuous *c = &world->continuous;
    uint32_t low = 0, high = c->reported;
    c->lost[slot] = ph_max(c->lost[slot], 1 - time);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(c->fast[middle] <= slot ? &low : &high) = middle;
    }
    PhFastRow *row = c->report && c->fast[low] == slot ? &c->report[low] : NULL;
    if (row && (time < row->fraction || row->stopped_collider < 0)) {
        row->fraction = time;
        row->stopped_body = (int32_t)world->proxies.body[proxy];
        row->stopped_collider = (int32_t)world->proxies.collider[proxy];
    }
}

void ph_stop_fast_bodies(PhWorld *world) {
    PhContinuous *c = &world->continuous;
    uint32_t count = atomic_load_explicit(&c->fast_count, memory_order_relaxed);
    if (count == 0 && !c->rush) {
        return;
    }
    ph_continuous_build(world);
    if (c->rush) {
        count = list_swept(world, count);
    }
    if (!are_sorted(c->fast, count)) { // workers found them in some order
        ph_sort(c->fast, count, sizeof *c->fast, less, NULL);
    }
    c->driven_share = MOST_DRIVEN / (count + 1) + DRIVEN_EACH;
    if (c->report) {
        report(world, count);
    }
    c->fast_body_count = 0;
    bool meet = c->bullets > 0 && ph_list_fast_bodies(world, count);
    Run run = {.world = world, .count = count};
    ph_jobs_run(world->jobs, stop_chunk, &run, (count + CHUNK_BODIES - 1) / CHUNK_BODIES);
    c->stopped = atomic_load(&run.stopped);
    if (meet) {
        ph_stop_bullet_pairs(world);
    }
    if (c->stopped > 0 && world->joints.count > 0 && !ph_step_stops(world)) {
        count = ph_stop_jointed(world, count);
    }
    for (uint32_t k = 0; k < count; k++) {
        bool wakes = c->listed[c->fast[k]] == PH_LISTED_WAKES;
        c->listed[c->fast[k]] = 0;
        c->lost[c->fast[k]] = 0;
        if (wakes) {
            if (world->wrapped && ph_fold_slot(world, c->fast[k])) { // it is no dynamic body yet
                ph_refresh_slot(world, c->fast[k]);
            }
            ph_wake(world, c->fast[k]);
        }
    }
    for (uint32_t k = 0; k < world->kinematic_count; k++) {
        c->listed[world->kinematic[k]] = 0;
    }
    ph_events_of_sleep(world, true);
}

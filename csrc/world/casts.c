// Owns the answers about moving shapes: where a shape or a body, on a straight path or from pose to
// pose, first meets a collider, while everything else is at rest or moves too.
//
// Invariant: as with rays, the result is a function of the motion and of the pieces alone. Every
// pair of pieces is tested over the whole motion, and the least (fraction, collider, piece) wins.
// Trees only exclude pairs that cannot win.
//
// Without rotation, the query tree is searched with the swept box of a piece; else with the swept
// box of the circle in which the piece turns. Moving bodies are in a tree of their own, with the
// boxes that they sweep.
#include "narrow/impact.h"
#include "world/images.h"
#include "world/probes.h"

// ------------------------------------------------------------------------------------------------
// bodies that move

static bool is_moving(const PhWorld *world, uint32_t slot) {
    const double *v = world->state->velocity[slot];
    double w = world->state->angular_velocity[slot];
    return world->state->kind[slot] != PH_STATIC && world->body[slot].enabled &&
           (v[0] != 0 || v[1] != 0 || w != 0) && isfinite(v[0]) && isfinite(v[1]) && isfinite(w);
}

// The motion of a body at its velocities, seen from a point.
static PhSweep sweep_of_body(const PhWorld *world, uint32_t slot, PhVec2 origin, double time) {
    PhTransform pose = ph_seen_from(origin, world->transform[slot]);
    PhSweep sweep = {.from = pose.p, .to = pose.p, .angle = world->pose_angle[slot]};
    if (time > 0 && is_moving(world, slot)) {
        sweep.center = world->body[slot].center_local;
        sweep.from = ph_apply(pose, sweep.center);
        sweep.to = ph_mul_add(sweep.from, time, ph_slot_velocity(world, slot));
        sweep.turn = time * world->state->angular_velocity[slot];
    }
    return sweep;
}

// A circle that holds a piece during a motion, and where its middle is seen from the point that
// moves straight: about the piece, or where it turns, about that point.
typedef struct Circle {
    PhVec2 arm;
    double radius;
} Circle;

static Circle circle_of(const PhPiece *piece, const PhSweep *sweep, PhRot start) {
    if (sweep->turn == 0) {
        PhVec2 arm = ph_sub(piece->centroid, sweep->center);
        return (Circle){ph_rotate(start, arm), piece->extent};
    }
    double squared = 0;
    for (int32_t i = 0; i < piece->count; i++) {
        squared = ph_max(squared, ph_distance_squared(piece->vertices[i], sweep->center));
    }
    return (Circle){{0, 0}, sqrt(squared) + piece->radius};
}

// The box of a piece at the start of a motion, or of the circle in which it turns.
static PhAabb start_box(const PhPiece *piece, const PhSweep *sweep, PhRot start) {
    if (sweep->turn == 0) {
        PhVec2 origin = ph_sub(sweep->from, ph_rotate(start, sweep->center));
        return ph_piece_aabb(piece, (PhTransform){origin, start});
    }
    double radius = circle_of(piece, sweep, start).radius;
    return ph_grow((PhAabb){sweep->from, sweep->from}, radius);
}

static PhAabb swept_box(PhAabb start, PhVec2 path) {
    return ph_union(start, (PhAabb){ph_add(start.lower, path), ph_add(start.upper, path)});
}

PhStatus ph_moving_bodies_make(PhWorld *world, double time, PhMovingBodies *moving,
                               PhError *error) {
    *moving = (PhMovingBodies){.time = time};
    const PhProxies *p = &world->proxies;
    ph_query_update(world);
    if (!(time > 0)) {
        return PH_OK;
    }
    moving->item = ph_alloc(world->live_proxies, sizeof *moving->item);
    moving->proxy = ph_alloc(world->live_proxies, sizeof *moving->proxy);
    PhStatus status = moving->item && moving->proxy ? PH_OK : PH_ERROR_MEMORY;
    for (uint32_t i = 0; !status && i < p->count; i++) {
        if (!(p->flags[i] & PH_PROXY_ALIVE) || !is_moving(world, p->body[i])) {
            continue;
        }
        PhSweep sweep = sweep_of_body(world, p->body[i], ph_vec(0, 0), time);
        PhAabb box =
            swept_box(start_box(world->proxy_piece[i], &sweep, world->transform[p->body[i]].q),
                      ph_sub(sweep.to, sweep.from));
        if (ph_is_box(box)) { // not infinitely far
            moving->item[moving->count] =
                (PhBvhItem){ph_grow(box, ph_slack(ph_span(box))), moving->count};
            moving->proxy[moving->count++] = i;
        }
    }
    status = status ? status : ph_bvh_build(&moving->bvh, moving->item, moving->count, world->stop);
    if (status) {
        ph_moving_bodies_free(moving);
        return ph_fail(error, status,
                       status == PH_ERROR_STOPPED ? "stopped" : "no memory for what moves");
    }
    return PH_OK;
}

void ph_moving_bodies_free(PhMovingBodies *moving) {
    ph_free(moving->item);
    ph_free(moving->proxy);
    ph_bvh_free(&moving->bvh);
    *moving = (PhMovingBodies){0};
}

// ------------------------------------------------------------------------------------------------
// one motion

// A moving piece. Where it starts and ends is given in the world.
typedef struct CastQuery {
    const PhWorld *world;
    const PhCast *cast;
    double time;                // for which bodies move, s
    const PhColliderDef *asker; // what collides with it is met; NULL: everything
    uint32_t without;           // slot of the body that asks, or PH_NULL
    const PhPiece *piece;
    PhSweep sweep;
    PhRot start; // rotation at the start of the sweep
    Circle circle;
    PhVec2 path; // from start to end
    PhVec2 back; // from an image to what asks; -0 without a periodic boundary
    bool held;   // by the index
    bool along;  // the displacement is exact, else the end is
    bool found;
    PhWorldRayHit first;
} CastQuery;

static bool is_wanted(const CastQuery *query, uint32_t proxy) {
    const PhWorld *world = query->world;
    return ph_query_wants(world, proxy, query->cast->filter) &&
           world->proxies.body[proxy] != query->without &&
           (!query->asker ||
            ph_would_collide(query->asker, &world->collider[world->proxies.collider[proxy]].def));
}

static PhSweep seen_from(const CastQuery *query, PhVec2 origin) {
    PhSweep sweep = query->sweep;
    sweep.from = ph_sub(sweep.from, origin);
    sweep.to = query->along ? ph_add(sweep.from, query->path) : ph_sub(sweep.to, origin);
    return sweep;
}

// Whether the circles stay apart up to a fraction of the motions, with room for rounding.
static bool stay_apart(Circle a, const PhSweep *motion_a, Circle b, const PhSweep *motion_b,
                       double target, double until) {
    PhVec2 start = ph_sub(ph_add(motion_b->from, b.arm), ph_add(motion_a->from, a.arm));
    PhVec2 path =
        ph_sub(ph_sub(motion_b->to, motion_b->from), ph_sub(motion_a->to, motion_a->from));
    double squared = ph_length_squared(path), along = -ph_dot(start, path);
    if (along > 0 && squared > 0) {
        start = ph_mul_add(start, along < until * squared ? along / squared : until, path);
    }
    double reach = (a.radius + b.radius + target) * (1 + 1e-9) + ph_slack(sqrt(squared));
    return ph_length_squared(start) > reach * reach;
}

// Whether the piece is on the free side of one of a chain.
static bool is_before(const PhPiece *chain, const PhSweep *motion_chain, const PhPiece *piece,
                      const PhSweep *motion, double fraction) {
    PhVec2 center = ph_apply(ph_sweep_pose(motion, fraction), piece->centroid);
    PhVec2 local = ph_unapply(ph_sweep_pose(motion_chain, fraction), center);
    return ph_dot(chain->normals[1], ph_sub(local, chain->vertices[0])) >= 0;
}

static double limit_of(const CastQuery *query) {
    return query->found ? query->first.fraction : 1;
}

static void meet(CastQuery *query, uint32_t proxy) {
    const PhWorld *world = query->world;
    const PhProxies *p = &world->proxies;
    const PhPiece *piece = world->proxy_piece[proxy];
    double target = query->cast->target;
    PhVec2 origin = world->transform[p->body[proxy]].p;
    PhSweep other = sweep_of_body(world, p->body[proxy], origin, query->time);
    PhSweep own = seen_from(query, origin);
    Circle circle = circle_of(piece, &other, world->transform[p->body[proxy]].q);
    if (stay_apart(circle, &other, query->circle, &own, target, limit_of(query))) {
        return;
    }
    PhImpact impact =
        ph_pieces_impact(piece, &other, query->piece, &own, target, 1, PH_IMPACT_ROUNDS, NULL);
    if (!impact.hit || (piece->flags & PH_PIECE_ONE_SIDED &&
                        !is_before(piece, &other, query->piece, &own, impact.fraction))) {
        return;
    }
    PhWorldRayHit row = {.collider = (int32_t)p->collider[proxy],
                         .body = (int32_t)p->body[proxy],
                         .piece = (int32_t)p->piece[proxy],
                         .point = {impact.point.x + origin.x + query->back.x,
                                   impact.point.y + origin.y + query->back.y},
                         .normal = {impact.normal.x + 0.0, impact.normal.y + 0.0}, // no -0
                         .fraction = impact.fraction};
    if (!query->found || ph_hit_before(&row, &query->first)) {
        query->first = row;
        query->found = true;
    }
}

static double meet_resting(void *context, uint32_t proxy) {
    CastQuery *query = context;
    bool moves = query->time > 0 && is_moving(query->world, query->world->proxies.body[proxy]);
    if (!moves && is_wanted(query, proxy)) {
        meet(query, proxy);
    }
    return limit_of(query);
}

static void cast_piece(CastQuery *query) {
    PhAabb box = start_box(query->piece, &query->sweep, query->start);
    query->circle = circle_of(query->piece, &query->sweep, query->start);
    double size = ph_max(ph_span(box), ph_max(fabs(query->path.x), fabs(query->path.y)));
    box = ph_grow(box, query->cast->target * (1 + 1e-6) + ph_slack(size));
    ph_probe_sweep(query->world, query->held, box, query->path, limit_of(query), meet_resting,
                   query);
    const PhMovingBodies *moving = query->cast->moving;
    if (query->time > 0 && moving->count) {
        PhAabb swept = swept_box(box, query->path);
        for (uint32_t i = ph_bvh_next(&moving->bvh, swept, 0); i < moving->bvh.count;
             i = ph_bvh_next(&moving->bvh, swept, i + 1)) {
            uint32_t proxy = moving->proxy[moving->bvh.node[i].id];
            if (is_wanted(query, proxy)) {
                meet(query, proxy);
            }
        }
    }
}

static CastQuery make_query(const PhWorld *world, const PhCast *cast) {
    return (CastQuery){.world = world,
                       .cast = cast,
                       .time = cast->moving ? cast->moving->time : 0,
                       .back = {-0.0, -0.0},
                       .without = PH_NULL};
}

// ------------------------------------------------------------------------------------------------
// many motions

typedef struct CastBatch {
    const PhWorld *world;
    const PhProbes *probes;
    const PhCast *cast;
    uint32_t first;
    PhWorldRayHit *hits; // of row `first` on
} CastBatch;

static void cast_pieces(CastQuery *query, const PhShape *shape) {
    for (int32_t k = 0; k < shape->piece_count; k++) {
        query->piece = &shape->pieces[k];
        cast_piece(query);
    }
}

// The colliders of the body that asks.
static void cast_colliders(CastQuery *query) {
    const PhWorld *world = query->world;
    for (uint32_t c = world->body[query->without].first_collider; c != PH_NULL;
         c = world->collider[c].next) {
        const PhCollider *collider = &world->collider[c];
        query->asker = &collider->def;
        if (!collider->def.sensor || query->cast->filter.include_sensors) {
            cast_pieces(query, collider->shape);
        }
    }
}

// A shape, or the body that asks, in all images; nothing of it is further than `reach` from where
// its sweep is.
static void cast_everywhere(CastQuery *query, const PhShape *shape, double reach) {
    const PhWorld *world = query->world;
    const PhMovingBodies *moving = query->cast->moving;
    PhSweep asked = query->sweep;
    PhVec2 base = ph_wrap_fold(&world->wrap, asked.from);
    PhAabb box = ph_grow((PhAabb){base, base}, reach);
    PhImages images = moving && moving->bvh.count
                          ? ph_images_among(world, swept_box(box, query->path), ph_vec(0, 0),
                                            moving->bvh.node[0].box)
                          : ph_images(world, box, query->path, 0);
    while (ph_images_next(&images)) {
        if (world->wrapped) {
            query->sweep.from = ph_add(base, images.shift);
            query->back = ph_sub(asked.from, query->sweep.from);
            query->sweep.to = ph_sub(asked.to, query->back);
            query->held = ph_probe_is_held(world, query->sweep.from, reach, query->path);
        }
        if (shape) {
            cast_pieces(query, shape);
        } else {
            cast_colliders(query);
        }
    }
}

static void cast_one(void *context, uint32_t row) {
    const CastBatch *batch = context;
    const uint32_t i = batch->first + row;
    const PhProbes *probes = batch->probes;
    const double *pose = ph_probe_pose(probes, i);
    CastQuery query = make_query(batch->world, batch->cast);
    query.sweep = (PhSweep){.from = {pose[0], pose[1]}, .angle = pose[2]};
    query.along = !probes->end;
    query.path = ph_probe_displacement(probes, i);
    query.sweep.to = ph_add(query.sweep.from, query.path);
    if (probes->end) {
        const double *end = probes->end + (size_t)i * probes->end_step * 3;
        query.sweep.to = ph_vec(end[0], end[1]);
        query.sweep.turn = end[2] - pose[2];
    }
    query.held = ph_probe_row_is_held(batch->world, probes, i, batch->cast->target * (1 + 1e-6));
    query.start = ph_rot(pose[2]);
    const PhShape *shape = ph_probe_shape(probes, i);
    cast_everywhere(&query, shape, shape->extent + batch->cast->target * (1 + 1e-6));
    batch->hits[row] = query.found ? query.first : ph_no_hit;
}

PhStatus ph_world_cast_shapes(PhWorld *world, const PhProbes *probes, uint32_t first,
                              uint32_t count, const PhCast *cast, PhWorldRayHit *hits,
                              PhError *error) {
    PhStatus status =
        ph_probe_prepare(world, probes, first, count, cast->target * (1 + 1e-6), error);
    if (!status) {
        CastBatch batch = {world, probes, cast, first, hits};
        ph_probe_run(world, cast_one, &batch, count);
    }
    return status;
}

// ------------------------------------------------------------------------------------------------
// bodies

typedef struct BodyBatch {
    const PhWorld *world;
    const PhBodyProbes *probes;
    const PhCast *cast;
    uint32_t first;
    PhWorldRayHit *hits; // of row `first` on
} BodyBatch;

static double reach_of_body(const PhWorld *world, uint32_t slot, const PhCast *cast) {
    const PhBody *body = &world->body[slot];
    return body->extent + ph_length(body->center_local) + cast->target * (1 + 1e-6);
}

static CastQuery query_of_body(const PhWorld *world, const PhBodyProbes *probes, uint32_t i,
                               const PhCast *cast) {
    CastQuery query = make_query(world, cast);
    uint32_t slot = probes->body[i].index;
    query.without = slot;
    query.start = world->transform[slot].q;
    query.sweep = sweep_of_body(world, slot, ph_vec(0, 0), probes->end ? 0 : query.time);
    if (probes->end) {
        const double *end = probes->end + (size_t)i * probes->end_step * 3;
        query.sweep.to = ph_vec(end[0], end[1]);
        query.sweep.turn = end[2] - query.sweep.angle;
    }
    query.path = ph_sub(query.sweep.to, query.sweep.from);
    query.held =
        ph_probe_is_held(world, query.sweep.from, reach_of_body(world, slot, cast), query.path);
    return query;
}

static void cast_body(void *context, uint32_t row) {
    const BodyBatch *batch = context;
    const PhWorld *world = batch->world;
    CastQuery query = query_of_body(world, batch->probes, batch->first + row, batch->cast);
    cast_everywhere(&query, NULL, reach_of_body(world, query.without, batch->cast));
    batch->hits[row] = query.found ? query.first : ph_no_hit;
}

PhStatus ph_world_cast_bodies(PhWorld *world, const PhBodyProbes *probes, uint32_t first,
                              uint32_t count, const PhCast *cast, PhWorldRayHit *hits,
                              PhError *error) {
    for (uint32_t i = first; i < first + count; i++) {
        if (!ph_body_valid(world, probes->body[i])) {
            return ph_fail(error, PH_ERROR_REMOVED, "body %u has been removed",
                           probes->body[i].index);
        }
    }
    PhStatus status = ph_probe_index(world, count, error);
    for (uint32_t i = first; world->wrapped && !status && i < first + count; i++) {
        status = ph_images_check(world, 0, query_of_body(world, probes, i, cast).path,
                                 probes->end ? "end" : "dt", error);
    }
    bool held = !status && !world->wrapped;
    for (uint32_t i = first; held && i < first + count; i++) {
        held = query_of_body(world, probes, i, cast).held;
    }
    status = status || held ? status : ph_query_refresh(world, error);
    if (!status) {
        BodyBatch batch = {world, probes, cast, first, hits};
        ph_probe_run(world, cast_body, &batch, count);
    }
    return status;
}

// Owns the answers to moving shapes: where a shape that is moved along, or from pose to pose, or a
// body, first meets a collider; with all else at rest or moving too.
//
// Invariant: as with rays, what is found is a function of the motion and of the pieces alone. Every
// pair of pieces is asked for the whole motion, and the least (fraction, collider, piece) wins;
// trees only leave out pairs that cannot win.
//
// Where nothing turns the query tree is asked for the swept box of a piece, else for that of the
// circle in which the piece turns. What moves itself lies in a tree of its own, with the boxes that
// it sweeps.
#include <float.h>

#include "narrow/impact.h"
#include "world/probes.h"

// ---------------------------------------------------------------------------------------------
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

// The box of a piece at the start of a motion, or of the circle in which it turns.
static PhAabb start_box(const PhPiece *piece, const PhSweep *sweep) {
    if (sweep->turn == 0) {
        return ph_piece_aabb(piece, ph_sweep_pose(sweep, 0));
    }
    double squared = 0;
    for (int32_t i = 0; i < piece->count; i++) {
        squared = ph_max(squared, ph_distance_squared(piece->vertices[i], sweep->center));
    }
    return ph_grow((PhAabb){sweep->from, sweep->from}, sqrt(squared) + piece->radius);
}

static PhAabb swept_box(PhAabb start, PhVec2 way) {
    return ph_union(start, (PhAabb){ph_add(start.lower, way), ph_add(start.upper, way)});
}

PhStatus ph_movers_make(PhWorld *world, double time, PhMovers *movers, PhError *error) {
    *movers = (PhMovers){.time = time};
    const PhProxies *p = &world->proxies;
    ph_query_look(world);
    if (!(time > 0)) {
        return PH_OK;
    }
    movers->item = ph_alloc(world->live_proxies, sizeof *movers->item);
    movers->proxy = ph_alloc(world->live_proxies, sizeof *movers->proxy);
    PhStatus status = movers->item && movers->proxy ? PH_OK : PH_ERROR_MEMORY;
    for (uint32_t i = 0; !status && i < p->count; i++) {
        if (!(p->flags[i] & PH_PROXY_ALIVE) || !is_moving(world, p->body[i])) {
            continue;
        }
        PhSweep sweep = sweep_of_body(world, p->body[i], ph_vec(0, 0), time);
        PhAabb box =
            swept_box(start_box(world->proxy_piece[i], &sweep), ph_sub(sweep.to, sweep.from));
        if (ph_is_box(box)) { // not infinitely far
            movers->item[movers->count] =
                (PhBvhItem){ph_grow(box, ph_slack(ph_span(box))), movers->count};
            movers->proxy[movers->count++] = i;
        }
    }
    status = status ? status : ph_bvh_build(&movers->bvh, movers->item, movers->count);
    if (status) {
        ph_movers_free(movers);
        return ph_fail(error, status, "no memory for what moves");
    }
    return PH_OK;
}

void ph_movers_free(PhMovers *movers) {
    ph_free(movers->item);
    ph_free(movers->proxy);
    ph_bvh_free(&movers->bvh);
    *movers = (PhMovers){0};
}

// ---------------------------------------------------------------------------------------------
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
    PhVec2 way; // from start to end
    bool along; // the way is exact, else the end is
    bool found;
    PhWorldRayHit first;
} CastQuery;

static bool would_collide(const PhColliderDef *a, const PhColliderDef *b) {
    if (a->group == b->group && a->group != 0) {
        return a->group > 0;
    }
    return (a->category & b->mask) && (b->category & a->mask);
}

static bool is_wanted(const CastQuery *query, uint32_t proxy) {
    const PhWorld *world = query->world;
    return ph_query_wants(world, proxy, query->cast->filter) &&
           world->proxies.body[proxy] != query->without &&
           (!query->asker ||
            would_collide(query->asker, &world->collider[world->proxies.collider[proxy]].def));
}

static PhSweep seen_from(const CastQuery *query, PhVec2 origin) {
    PhSweep sweep = query->sweep;
    sweep.from = ph_sub(sweep.from, origin);
    sweep.to = query->along ? ph_add(sweep.from, query->way) : ph_sub(sweep.to, origin);
    return sweep;
}

// Two pieces that do not turn, the first at rest: whether the circles about them stay apart.
static bool stay_apart(const PhPiece *a, const PhSweep *still, const PhPiece *b,
                       const PhSweep *moving, double target) {
    PhVec2 start = ph_sub(ph_apply(ph_sweep_pose(moving, 0), b->centroid),
                          ph_apply(ph_sweep_pose(still, 0), a->centroid));
    PhVec2 way = ph_sub(moving->to, moving->from);
    double squared = ph_length_squared(way), along = -ph_dot(start, way);
    if (along > 0 && squared > 0) {
        start = ph_mul_add(start, along < squared ? along / squared : 1, way);
    }
    double reach = (a->extent + b->extent + target) * (1 + 1e-9) + ph_slack(ph_length(way));
    return ph_length_squared(start) > reach * reach;
}

// Whether the piece is on the free side of one of a chain.
static bool is_before(const PhPiece *chain, const PhSweep *motion_chain, const PhPiece *piece,
                      const PhSweep *motion, double fraction) {
    PhVec2 center = ph_apply(ph_sweep_pose(motion, fraction), piece->centroid);
    PhVec2 local = ph_unapply(ph_sweep_pose(motion_chain, fraction), center);
    return ph_dot(chain->normals[1], ph_sub(local, chain->vertices[0])) >= 0;
}

static void meet(CastQuery *query, uint32_t proxy) {
    const PhWorld *world = query->world;
    const PhProxies *p = &world->proxies;
    const PhPiece *piece = world->proxy_piece[proxy];
    double target = query->cast->target;
    PhVec2 origin = world->transform[p->body[proxy]].p;
    PhSweep other = sweep_of_body(world, p->body[proxy], origin, query->time);
    PhSweep own = seen_from(query, origin);
    bool plain = own.turn == 0 && other.turn == 0 && other.from.x == other.to.x &&
                 other.from.y == other.to.y;
    if (plain && stay_apart(piece, &other, query->piece, &own, target)) {
        return;
    }
    PhImpact impact = ph_pieces_impact(piece, &other, query->piece, &own, target, 1, NULL);
    if (!impact.hit || (piece->flags & PH_PIECE_ONE_SIDED &&
                        !is_before(piece, &other, query->piece, &own, impact.fraction))) {
        return;
    }
    PhWorldRayHit row = {.collider = (int32_t)p->collider[proxy],
                         .body = (int32_t)p->body[proxy],
                         .piece = (int32_t)p->piece[proxy],
                         .point = {impact.point.x + origin.x, impact.point.y + origin.y},
                         .normal = {impact.normal.x + 0.0, impact.normal.y + 0.0}, // no -0
                         .fraction = impact.fraction};
    if (!query->found || ph_hit_before(&row, &query->first)) {
        query->first = row;
        query->found = true;
    }
}

static double limit_of(const CastQuery *query) {
    double fraction = query->found ? query->first.fraction : 1;
    return fraction > 0 ? fraction : DBL_MIN; // 0 would stop: others may start at 0 too
}

static double meet_leaf(void *context, uint32_t leaf, uint64_t data, double limit) {
    CastQuery *query = context;
    uint32_t proxy = (uint32_t)data;
    (void)leaf;
    (void)limit;
    bool moves = query->time > 0 && is_moving(query->world, query->world->proxies.body[proxy]);
    if (!moves && is_wanted(query, proxy)) {
        meet(query, proxy);
    }
    return limit_of(query);
}

static void cast_piece(CastQuery *query) {
    PhAabb box = start_box(query->piece, &query->sweep);
    double size = ph_max(ph_span(box), ph_max(fabs(query->way.x), fabs(query->way.y)));
    box = ph_grow(box, query->cast->target * (1 + 1e-6) + ph_slack(size));
    PhVec2 half = ph_scale(0.5, ph_sub(box.upper, box.lower));
    PhVec2 middle = ph_add(box.lower, half);
    ph_tree_cast_box(&query->world->tree, middle, half, query->way, limit_of(query), meet_leaf,
                     query);
    const PhMovers *movers = query->cast->movers;
    if (query->time > 0 && movers->count) {
        PhAabb swept = swept_box(box, query->way);
        for (uint32_t i = ph_bvh_next(&movers->bvh, swept, 0); i < movers->bvh.count;
             i = ph_bvh_next(&movers->bvh, swept, i + 1)) {
            uint32_t proxy = movers->proxy[movers->bvh.node[i].id];
            if (is_wanted(query, proxy)) {
                meet(query, proxy);
            }
        }
    }
}

static CastQuery make_query(const PhWorld *world, const PhCast *cast) {
    return (CastQuery){.world = world,
                       .cast = cast,
                       .time = cast->movers ? cast->movers->time : 0,
                       .without = PH_NULL};
}

// ---------------------------------------------------------------------------------------------
// many motions

typedef struct CastBatch {
    const PhWorld *world;
    const PhProbes *probes;
    const PhCast *cast;
    uint32_t first, count;
    PhWorldRayHit *hits; // of row `first` on
} CastBatch;

static void cast_one(const CastBatch *batch, uint32_t i, PhWorldRayHit *hit) {
    const PhProbes *probes = batch->probes;
    const double *pose = ph_probe_pose(probes, i);
    CastQuery query = make_query(batch->world, batch->cast);
    query.sweep = (PhSweep){.from = {pose[0], pose[1]}, .angle = pose[2]};
    query.along = !probes->end;
    if (query.along) {
        const double *way = probes->translation + (size_t)i * probes->translation_step * 2;
        query.way = ph_vec(way[0], way[1]);
        query.sweep.to = ph_add(query.sweep.from, query.way);
    } else {
        const double *end = probes->end + (size_t)i * probes->end_step * 3;
        query.sweep.to = ph_vec(end[0], end[1]);
        query.sweep.turn = end[2] - pose[2];
        query.way = ph_sub(query.sweep.to, query.sweep.from);
    }
    const PhShape *shape = ph_probe_shape(probes, i);
    for (int32_t k = 0; k < shape->piece_count; k++) {
        query.piece = &shape->pieces[k];
        cast_piece(&query);
    }
    *hit = query.found ? query.first : ph_no_hit;
}

static void cast_chunk(void *context, uint32_t chunk) {
    const CastBatch *batch = context;
    uint32_t first = chunk * PH_PROBE_CHUNK, left = batch->count - first;
    for (uint32_t k = 0; k < (left < PH_PROBE_CHUNK ? left : PH_PROBE_CHUNK); k++) {
        cast_one(batch, batch->first + first + k, &batch->hits[first + k]);
    }
}

PhStatus ph_world_cast_shapes(PhWorld *world, const PhProbes *probes, uint32_t first,
                              uint32_t count, const PhCast *cast, PhWorldRayHit *hits,
                              PhError *error) {
    PhStatus status = ph_query_refresh(world, error);
    if (!status) {
        CastBatch batch = {world, probes, cast, first, count, hits};
        ph_probe_run(world, cast_chunk, &batch, count);
    }
    return status;
}

PhStatus ph_world_cast_body(PhWorld *world, PhId body, const double *end, const PhCast *cast,
                            PhWorldRayHit *hit, PhError *error) {
    if (!ph_body_valid(world, body)) {
        return ph_fail(error, PH_ERROR_REMOVED, "the body has been removed");
    }
    PhStatus status = ph_query_refresh(world, error);
    if (status) {
        return status;
    }
    CastQuery query = make_query(world, cast);
    query.without = body.index;
    query.sweep = sweep_of_body(world, body.index, ph_vec(0, 0), end ? 0 : query.time);
    if (end) {
        query.sweep.to = ph_vec(end[0], end[1]);
        query.sweep.turn = end[2] - query.sweep.angle;
    }
    query.way = ph_sub(query.sweep.to, query.sweep.from);
    for (uint32_t c = world->body[body.index].first_collider; c != PH_NULL;
         c = world->collider[c].next) {
        const PhCollider *collider = &world->collider[c];
        query.asker = &collider->def;
        for (int32_t k = 0; k < collider->shape->piece_count; k++) {
            query.piece = &collider->shape->pieces[k];
            if (!collider->def.sensor || cast->filter.include_sensors) {
                cast_piece(&query);
            }
        }
    }
    *hit = query.found ? query.first : ph_no_hit;
    return PH_OK;
}

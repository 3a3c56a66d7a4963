// Owns the answers to questions about where things are: boxes, points, overlaps, over one AABB
// tree of all proxies.
//
// Invariant: after ph_query_refresh every proxy of an enabled body has a leaf around its present
// tight box.
#include <string.h>

#include "base/sort.h"
#include "math/trig.h"
#include "narrow/overlap.h"
#include "world/images.h"
#include "world/queries.h"

// Proxies examined between two questions to world->stop.
enum { PORTION = 4096 };

void ph_query_update(PhWorld *world) {
    ph_measure_bodies(world);
    if (world->compare_poses) { // elsewhere the transforms follow the poses
        ph_refresh_poses(world);
        world->compare_poses = false;
    }
    if (world->query_stale) {
        world->query_stale = false;
        world->tree_behind = true;
        ph_targets_forget(&world->targets);
    }
}

PhStatus ph_query_refresh(PhWorld *world, PhError *error) {
    ph_query_update(world);
    if (!world->tree_behind) {
        return PH_OK;
    }
    const PhProxies *p = &world->proxies;
    for (uint32_t i = 0; i < p->count; i++) {
        if (i % PORTION == PORTION - 1 && ph_stop_wanted(world->stop)) {
            return ph_fail(error, PH_ERROR_STOPPED, "stopped");
        }
        if (!(p->flags[i] & PH_PROXY_ALIVE)) {
            continue;
        }
        uint32_t slot = p->body[i];
        if (world->tree_leaf[i] != PH_NULL && !world->tree_stale[slot]) {
            continue;
        }
        PhAabb box = ph_piece_aabb(world->proxy_piece[i], world->transform[slot]);
        if (world->tree_leaf[i] != PH_NULL) {
            ph_tree_move(&world->tree, world->tree_leaf[i], box);
        } else if (ph_tree_insert(&world->tree, box, i, &world->tree_leaf[i])) {
            world->tree_leaf[i] = PH_NULL;
            return ph_fail(error, PH_ERROR_MEMORY, "no memory for the query tree");
        }
    }
    if (world->slot_count) {
        memset(world->tree_stale, 0, world->slot_count);
    }
    world->tree_behind = false;
    return PH_OK;
}

PhStatus ph_world_tree(PhWorld *world, const PhAabbTree **tree, PhError *error) {
    PhStatus status = ph_query_refresh(world, error);
    if (!status) {
        *tree = &world->tree;
    }
    return status;
}

// ------------------------------------------------------------------------------------------------
// boxes, points, shapes
typedef struct AreaQuery {
    const PhWorld *world;
    PhQueryFilter filter;
    bool (*test)(const struct AreaQuery *query, uint32_t proxy);
    PhAabb box;
    PhVec2 point;
    const PhPiece *piece; // of the asking shape, in a frame at `point`
    PhRot rotation;
    const PhCollider *asker; // or NULL
    uint32_t *found;
    uint32_t count, seen;
    PhStatus status;
} AreaQuery;

static bool box_meets(const AreaQuery *query, uint32_t proxy) {
    PhTransform pose = query->world->transform[query->world->proxies.body[proxy]];
    return ph_overlaps(query->box, ph_piece_aabb(query->world->proxy_piece[proxy], pose));
}
static bool contains_point(const AreaQuery *query, uint32_t proxy) {
    const PhWorld *world = query->world;
    PhTransform pose = world->transform[world->proxies.body[proxy]];
    return ph_shape_contains(world->collider[world->proxies.collider[proxy]].shape,
                             ph_unapply(pose, query->point));
}
static bool piece_overlaps(const AreaQuery *query, uint32_t proxy) {
    PhTransform pose = query->world->transform[query->world->proxies.body[proxy]];
    pose.p = ph_sub(pose.p, query->point);
    return ph_pieces_overlap(query->piece, (PhTransform){{0, 0}, query->rotation},
                             query->world->proxy_piece[proxy], pose);
}

static bool collect(void *context, uint32_t leaf, uint64_t data) {
    AreaQuery *query = context;
    uint32_t proxy = (uint32_t)data;
    (void)leaf;
    if (ph_query_wants(query->world, proxy, query->filter) && query->test(query, proxy)) {
        query->status = PH_RESERVE(query->found, query->count + 1ull);
        if (!query->status) {
            query->found[query->count++] = query->world->proxies.collider[proxy];
        }
    }
    if (!query->status && ph_stops_now(query->world, &query->seen)) {
        query->status = PH_ERROR_STOPPED;
    }
    return !query->status;
}

// Asks about a box, in all images; what is asked about is given as it lies for the box's.
static void search(AreaQuery *query, PhAabb box) {
    const AreaQuery asked = *query;
    PhImages images = ph_images(query->world, box, ph_vec(0, 0), 0);
    while (!query->status && ph_images_next(&images)) {
        PhAabb here = {ph_add(box.lower, images.shift), ph_add(box.upper, images.shift)};
        query->box = here;
        query->point = ph_add(asked.point, images.shift);
        ph_tree_query(&query->world->tree, here, collect, query);
    }
    query->point = asked.point;
}

static int compare_numbers(const void *a, const void *b) {
    uint32_t p, q;
    memcpy(&p, a, sizeof p);
    memcpy(&q, b, sizeof q);
    return (p > q) - (p < q);
}

// False when stop wanted it.
static bool sort_unique(uint32_t *values, uint32_t *count, const PhStop *stop) {
    uint32_t kept = 0;
    if (*count && !ph_sort_rows(values, *count, sizeof *values, compare_numbers, stop)) {
        return false;
    }
    for (uint32_t i = 0; i < *count; i++) {
        if (i == 0 || values[i] != values[i - 1]) {
            values[kept++] = values[i];
        }
    }
    *count = kept;
    return true;
}

static PhStatus answer_area_query(AreaQuery *query, uint32_t **colliders, uint32_t *count,
                                  PhError *error) {
    if (!query->status && !sort_unique(query->found, &query->count, query->world->stop)) {
        query->status = PH_ERROR_STOPPED;
    }
    if (query->status) {
        ph_free(query->found);
        return ph_fail(error, query->status, "no memory for the answer of a query");
    }
    *count = query->count;
    *colliders = query->found;
    return PH_OK;
}

PhStatus ph_world_query_aabb(PhWorld *world, PhAabb box, PhQueryFilter filter, uint32_t **colliders,
                             uint32_t *count, PhError *error) {
    PhStatus status = ph_check_vector("lower", box.lower, error);
    status = status ? status : ph_check_vector("upper", box.upper, error);
    if (!status && !(box.lower.x <= box.upper.x && box.lower.y <= box.upper.y)) {
        status = ph_fail(error, PH_ERROR_VALUE, "upper: (%g, %g) is below lower (%g, %g)",
                         box.upper.x, box.upper.y, box.lower.x, box.lower.y);
    }
    status = status ? status : ph_query_refresh(world, error);
    if (status) {
        return status;
    }
    AreaQuery query = {.world = world, .filter = filter, .test = box_meets};
    search(&query, ph_images_clip(world, box));
    return answer_area_query(&query, colliders, count, error);
}

PhStatus ph_world_at(PhWorld *world, PhVec2 point, PhQueryFilter filter, uint32_t **colliders,
                     uint32_t *count, PhError *error) {
    PhStatus status = ph_check_vector("point", point, error);
    status = status ? status : ph_query_refresh(world, error);
    if (status) {
        return status;
    }
    point = ph_wrap_fold(&world->wrap, point);
    AreaQuery query = {.world = world, .filter = filter, .test = contains_point, .point = point};
    search(&query, (PhAabb){point, point});
    return answer_area_query(&query, colliders, count, error);
}

PhStatus ph_world_overlap(PhWorld *world, const PhShape *shape, PhVec2 position, double angle,
                          PhQueryFilter filter, uint32_t **colliders, uint32_t *count,
                          PhError *error) {
    PhStatus status = ph_check_vector("pose", position, error);
    status = status ? status : ph_check_finite("pose", angle, error);
    status = status ? status : ph_images_check(world, shape->extent, ph_vec(0, 0), "pose", error);
    status = status ? status : ph_query_refresh(world, error);
    if (status) {
        return status;
    }
    PhRot rotation = ph_rot(angle);
    position = ph_wrap_fold(&world->wrap, position);
    AreaQuery query = {.world = world,
                       .filter = filter,
                       .test = piece_overlaps,
                       .point = position,
                       .rotation = rotation};
    for (int32_t i = 0; !query.status && i < shape->piece_count; i++) {
        query.piece = &shape->pieces[i];
        search(&query, ph_piece_aabb(query.piece, (PhTransform){position, rotation}));
    }
    return answer_area_query(&query, colliders, count, error);
}

// Sensors of other bodies, for a collider of a body.
static bool meets_sensor(const AreaQuery *query, uint32_t proxy) {
    const PhWorld *world = query->world;
    const PhProxies *p = &world->proxies;
    const PhColliderDef *def = &world->collider[p->collider[proxy]].def;
    return def->sensor && p->body[proxy] != query->asker->body &&
           ph_would_collide(&query->asker->def, def) && piece_overlaps(query, proxy);
}

// Appends the colliders of sensors that a body overlaps.
static void find_sensors(AreaQuery *query, uint32_t slot) {
    const PhWorld *world = query->world;
    PhTransform pose = world->transform[slot];
    query->test = meets_sensor;
    query->point = pose.p;
    query->rotation = pose.q;
    for (uint32_t c = world->body[slot].first_collider; c != PH_NULL; c = world->collider[c].next) {
        query->asker = &world->collider[c];
        const PhShape *shape = query->asker->shape;
        for (int32_t i = 0; i < shape->piece_count && !query->status; i++) {
            query->piece = &shape->pieces[i];
            if (!query->asker->def.sensor) {
                search(query, ph_piece_aabb(query->piece, pose));
            }
        }
    }
}

PhStatus ph_world_touching(PhWorld *world, PhId body, PhQueryFilter filter, uint32_t **slots,
                           uint32_t *count, PhError *error) {
    if (!ph_body_valid(world, body)) {
        return ph_fail(error, PH_ERROR_REMOVED, "the body has been removed");
    }
    PhStatus status = filter.include_sensors ? ph_query_refresh(world, error) : PH_OK;
    if (status) {
        return status;
    }
    const PhProxies *p = &world->proxies;
    AreaQuery query = {.world = world, .filter = filter};
    if (filter.include_sensors) {
        find_sensors(&query, body.index);
        for (uint32_t i = 0; i < query.count; i++) {
            query.found[i] = world->collider[query.found[i]].body;
        }
    }
    uint32_t k;
    PhPairCursor cursor = {0, 0};
    for (const PhPairList *pairs;
         !query.status && ph_next_pair(&world->broad, &cursor, &pairs, &k);) {
        uint32_t owner = pairs->owner[k], other = pairs->other[k], a = p->body[owner],
                 b = p->body[other];
        if ((a != body.index && b != body.index) || !(pairs->flags[k] & PH_PAIR_TOUCHING) ||
            !(p->flags[owner] & p->flags[other] & PH_PROXY_ALIVE) ||
            !ph_query_wants(world, a == body.index ? other : owner, filter)) {
            continue;
        }
        query.status = PH_RESERVE(query.found, query.count + 1ull);
        if (!query.status) {
            query.found[query.count++] = a == body.index ? b : a;
        }
    }
    return answer_area_query(&query, slots, count, error);
}

PhStatus ph_world_candidates(PhWorld *world, PhAabb box, PhQueryFilter filter, uint32_t **colliders,
                             uint32_t *count, PhError *error) {
    PhStatus status = ph_query_refresh(world, error);
    if (status) {
        return status;
    }
    AreaQuery query = {.world = world, .filter = filter, .test = box_meets};
    search(&query, ph_images_clip(world, box));
    return answer_area_query(&query, colliders, count, error);
}

// Owns the answers about what is nearest: to points, or to shapes at poses.
//
// Invariant: what is found is a function of the question and of the pieces alone. Of each collider
// the piece of least distance counts, of equals the lowest; colliders are told by (distance,
// index). The walk through the tree leaves out what cannot be among the first.

#include "base/sort.h"
#include "narrow/shapes.h"
#include "world/images.h"
#include "world/probes.h"

enum { FEW = 32 }; // up to so many are kept in order while the tree is walked

typedef struct NearBatch {
    const PhWorld *world;
    const PhProbes *probes;
    PhQueryFilter filter;
    uint32_t first, k;
    double most;
    PhNearRow *rows;
    atomic_bool no_memory;
} NearBatch;

typedef struct NearQuery {
    const NearBatch *batch;
    const PhPiece *piece;
    PhVec2 position;
    PhVec2 back; // from an image to what asks; -0 without a periodic boundary
    PhRot rotation;
    double slack;
    bool held;       // by the index
    PhNearRow *rows; // found so far, of `batch->k`; or with `gather` a growing list of all
    uint32_t count;
    uint32_t seen;
    bool gather;
    PhStatus status;
} NearQuery;

static const PhNearRow none = {.collider = -1,
                               .body = -1,
                               .piece = -1,
                               .distance = NAN,
                               .point = {NAN, NAN},
                               .normal = {NAN, NAN}};

static bool is_nearer(const PhNearRow *a, const PhNearRow *b) {
    if (a->distance != b->distance) {
        return a->distance < b->distance;
    }
    return a->collider != b->collider ? a->collider < b->collider : a->piece < b->piece;
}

static int compare_rows(const void *a, const void *b) {
    return is_nearer(a, b) ? -1 : is_nearer(b, a);
}

static int compare_colliders(const void *a, const void *b) {
    const PhNearRow *p = a, *q = b;
    return p->collider != q->collider ? (p->collider > q->collider) - (p->collider < q->collider)
                                      : compare_rows(a, b);
}

// Puts the row where it belongs among the first k, in place of a worse one of its collider.
static void keep(NearQuery *query, const PhNearRow *row) {
    uint32_t at = query->count;
    for (uint32_t i = 0; i < query->count; i++) {
        if (query->rows[i].collider == row->collider) {
            at = i;
        }
    }
    if (at < query->count) {
        if (!is_nearer(row, &query->rows[at])) {
            return;
        }
    } else if (query->count < query->batch->k) {
        query->count++;
    } else if (!is_nearer(row, &query->rows[--at])) {
        return;
    }
    for (; at > 0 && is_nearer(row, &query->rows[at - 1]); at--) {
        query->rows[at] = query->rows[at - 1];
    }
    query->rows[at] = *row;
}

static void add(NearQuery *query, const PhNearRow *row) {
    if (!query->gather) {
        keep(query, row);
        return;
    }
    query->status = PH_RESERVE(query->rows, query->count + 1ull);
    if (!query->status) {
        query->rows[query->count++] = *row;
    }
}

// What may still be among the first, metres.
static double limit_of(const NearQuery *query) {
    bool full = !query->gather && query->count == query->batch->k;
    return full ? query->rows[query->count - 1].distance : query->batch->most;
}

static double visit(void *context, uint32_t proxy) {
    NearQuery *query = context;
    const PhWorld *world = query->batch->world;
    const PhProxies *p = &world->proxies;
    double limit = limit_of(query) + query->slack;
    if (!query->status && ph_stops_now(world, &query->seen)) {
        query->status = PH_ERROR_STOPPED;
    }
    if (query->status || !ph_query_wants(world, proxy, query->batch->filter)) {
        return limit;
    }
    const PhPiece *piece = world->proxy_piece[proxy];
    PhTransform pose = world->transform[p->body[proxy]];
    PhTransform here = {{0, 0}, pose.q};
    PhTransform there = {ph_sub(query->position, pose.p), query->rotation};
    if (ph_circles_apart(piece, here, query->piece, there, limit)) {
        return limit;
    }
    PhDistance found = ph_pieces_distance(piece, here, query->piece, there);
    if (!(found.distance <= query->batch->most && found.distance < INFINITY)) {
        return limit;
    }
    PhNearRow row = {.collider = (int32_t)p->collider[proxy],
                     .body = (int32_t)p->body[proxy],
                     .piece = (int32_t)p->piece[proxy],
                     .distance = found.distance,
                     .point = {found.point_a.x + pose.p.x + query->back.x,
                               found.point_a.y + pose.p.y + query->back.y},
                     .normal = {found.normal.x + 0.0, found.normal.y + 0.0}}; // no -0
    add(query, &row);
    return limit_of(query) + query->slack;
}

static void search_around(NearQuery *query, const PhPiece *piece) {
    PhAabb box = ph_piece_aabb(piece, (PhTransform){query->position, query->rotation});
    query->piece = piece;
    query->slack = ph_slack(ph_span(box));
    ph_probe_near(query->batch->world, query->held, box, limit_of(query) + query->slack, visit,
                  query);
}

// Of all that were gathered the nearest piece of each collider, and of these the first k.
static PhStatus choose(NearQuery *query, PhNearRow *rows) {
    uint32_t kept = 0;
    const PhStop *stop = query->batch->world->stop;
    if (!ph_sort_rows(query->rows, query->count, sizeof *query->rows, compare_colliders, stop)) {
        return PH_ERROR_STOPPED;
    }
    for (uint32_t i = 0; i < query->count; i++) {
        if (i == 0 || query->rows[i].collider != query->rows[i - 1].collider) {
            query->rows[kept++] = query->rows[i];
        }
    }
    if (!ph_sort_rows(query->rows, kept, sizeof *query->rows, compare_rows, stop)) {
        return PH_ERROR_STOPPED;
    }
    query->count = kept < query->batch->k ? kept : query->batch->k;
    for (uint32_t i = 0; i < query->count; i++) {
        rows[i] = query->rows[i];
    }
    return PH_OK;
}

// All pieces of what asks, or a point, in all images.
static void search_all(NearQuery *query, const PhShape *shape) {
    static const PhVec2 zero = {0, 0};
    static const PhPiece point = {.vertices = &zero, .count = 1};
    const PhWorld *world = query->batch->world;
    PhVec2 asked = query->position, base = ph_wrap_fold(&world->wrap, asked);
    PhAabb box = ph_grow((PhAabb){base, base}, shape ? shape->extent : 0);
    PhImages images = ph_images(world, box, ph_vec(0, 0), query->batch->most);
    while (!query->status && ph_images_next(&images)) {
        query->position = ph_add(base, images.shift);
        if (world->wrapped) {
            query->back = ph_sub(asked, query->position);
            query->held =
                ph_probe_is_held(world, query->position, shape ? shape->extent : 0, ph_vec(0, 0));
        }
        for (int32_t k = 0; shape && k < shape->piece_count && !query->status; k++) {
            search_around(query, &shape->pieces[k]);
        }
        if (!shape) {
            search_around(query, &point);
        }
    }
}

static PhStatus answer(const NearBatch *batch, uint32_t i, PhNearRow *rows) {
    const double *pose = ph_probe_pose(batch->probes, i);
    NearQuery query = {.batch = batch,
                       .position = {pose[0], pose[1]},
                       .back = {-0.0, -0.0},
                       .rotation = {1, 0},
                       .held = ph_probe_row_is_held(batch->world, batch->probes, i, 0),
                       .gather = batch->k > FEW,
                       .rows = batch->k > FEW ? NULL : rows};
    if (batch->probes->shape) {
        const PhShape *shape = ph_probe_shape(batch->probes, i);
        query.rotation = ph_rot(pose[2]);
        search_all(&query, shape);
    } else {
        search_all(&query, NULL);
    }
    if (query.gather) {
        if (!query.status && query.count) {
            query.status = choose(&query, rows);
        }
        ph_free(query.rows);
    }
    for (uint32_t k = query.status ? 0 : query.count; k < batch->k; k++) {
        rows[k] = none;
    }
    return query.status;
}

static void answer_row(void *context, uint32_t row) {
    NearBatch *batch = context;
    if (answer(batch, batch->first + row, batch->rows + (size_t)row * batch->k)) {
        atomic_store(&batch->no_memory, true);
    }
}

PhStatus ph_world_nearest(PhWorld *world, const PhProbes *probes, uint32_t first, uint32_t count,
                          uint32_t k, double max_distance, PhQueryFilter filter, PhNearRow *rows,
                          PhError *error) {
    PhStatus status = ph_probe_prepare(world, probes, first, count, 0, error);
    if (status) {
        return status;
    }
    NearBatch batch = {.world = world,
                       .probes = probes,
                       .filter = filter,
                       .first = first,
                       .k = k,
                       .most = max_distance,
                       .rows = rows};
    atomic_init(&batch.no_memory, false);
    ph_probe_run(world, answer_row, &batch, count);
    return atomic_load(&batch.no_memory)
               ? ph_fail(error, PH_ERROR_MEMORY, "no memory for the nearest %u", k)
               : PH_OK;
}

// Owns the answers about overlaps with their manifolds: contact points of shapes at poses with the
// colliders of the world, as geometry's collide finds them.
//
// Invariant: rows are sorted by query, then by collider, piece and own piece, whatever the order of
// the tree and the workers.
#include <string.h>

#include "base/sort.h"
#include "narrow/collide.h"
#include "narrow/faces.h"
#include "world/images.h"
#include "world/probes.h"

typedef struct OverlapBatch {
    const PhWorld *world;
    const PhProbes *probes;
    PhQueryFilter filter;
    uint32_t first;
    double margin;
    bool all_pieces;
    PhOverlapList *lists; // by chunk
    atomic_bool no_memory;
} OverlapBatch;

typedef struct OverlapQuery {
    const OverlapBatch *batch;
    PhOverlapList *list;
    uint32_t row; // of the question
    const PhPiece *piece;
    int32_t number; // of the piece
    PhVec2 position;
    PhVec2 back; // from an image to the asker; -0 without a periodic boundary
    PhRot rotation;
    double reach; // m, between boxes
    bool held;    // the index holds the pieces
    uint32_t seen;
    PhStatus status;
} OverlapQuery;

static PhStatus append(PhOverlapList *list, const PhOverlapRow *row) {
    PhStatus status = PH_RESERVE(list->row, list->count + 1ull);
    if (!status) {
        list->row[list->count++] = *row;
    }
    return status;
}

static PhOverlapRow row_of(const OverlapQuery *query, uint32_t proxy, const PhManifold *manifold) {
    const PhWorld *world = query->batch->world;
    const PhProxies *p = &world->proxies;
    PhVec2 origin = ph_add(world->transform[p->body[proxy]].p, query->back);
    PhOverlapRow row = {.query = (int32_t)query->row,
                        .collider = (int32_t)p->collider[proxy],
                        .body = (int32_t)p->body[proxy],
                        .piece = (int32_t)p->piece[proxy],
                        .own_piece = query->number,
                        .count = manifold->count,
                        .normal = {manifold->normal.x + 0.0, manifold->normal.y + 0.0}, // no -0
                        .depth = -INFINITY};
    for (int i = 0; i < 2; i++) {
        const PhManifoldPoint *point = &manifold->points[i];
        bool given = i < manifold->count;
        row.points[i][0] = given ? point->point.x + origin.x : NAN;
        row.points[i][1] = given ? point->point.y + origin.y : NAN;
        row.separations[i] = given ? point->separation : NAN;
        row.depth = given ? ph_max(row.depth, 0.0 - point->separation) : row.depth;
    }
    return row;
}

static double collide_with(void *context, uint32_t proxy) {
    OverlapQuery *query = context;
    const OverlapBatch *batch = query->batch;
    const PhWorld *world = batch->world;
    if (!query->status && ph_stops_now(world, &query->seen)) {
        query->status = PH_ERROR_STOPPED;
    }
    if (query->status || !ph_query_wants(world, proxy, batch->filter)) {
        return query->reach;
    }
    const PhPiece *piece = world->proxy_piece[proxy];
    PhTransform pose = world->transform[world->proxies.body[proxy]];
    PhTransform here = {{0, 0}, pose.q};
    PhTransform there = {ph_sub(query->position, pose.p), query->rotation};
    PhManifold manifold;
    ph_collide(piece, here, query->piece, there, batch->margin, &world->lengths, &manifold);
    if (manifold.count > 0) {
        PhOverlapRow row = row_of(query, proxy, &manifold);
        query->status = append(query->list, &row);
    }
    return query->reach;
}

static int compare_rows(const void *a, const void *b) {
    const PhOverlapRow *p = a, *q = b;
    if (p->collider != q->collider) {
        return p->collider < q->collider ? -1 : 1;
    }
    if (p->piece != q->piece) {
        return p->piece < q->piece ? -1 : 1;
    }
    if (p->own_piece != q->own_piece) {
        return p->own_piece < q->own_piece ? -1 : 1;
    }
    // The same pair in two images of a wrapped world: the deeper one first.
    return p->depth != q->depth
               ? (p->depth < q->depth) - (p->depth > q->depth)
               : (p->points[0][0] > q->points[0][0]) - (p->points[0][0] < q->points[0][0]);
}

// Sorts the rows of a question, `from` being the first. Unless all are wanted, only the deepest row
// of each collider is kept; of equals, the first.
static PhStatus arrange(PhOverlapList *list, uint32_t from, bool all, const PhStop *stop) {
    uint32_t kept = from;
    if (list->count > from && !ph_sort_rows(list->row + from, list->count - from, sizeof *list->row,
                                            compare_rows, stop)) {
        return PH_ERROR_STOPPED;
    }
    for (uint32_t i = from; i < list->count && !all; i++) {
        bool fresh = kept == from || list->row[kept - 1].collider != list->row[i].collider;
        if (fresh) {
            list->row[kept++] = list->row[i];
        } else if (list->row[i].depth > list->row[kept - 1].depth) {
            list->row[kept - 1] = list->row[i];
        }
    }
    list->count = all ? list->count : kept;
    return PH_OK;
}

static void collide_pieces(OverlapQuery *query, const PhShape *shape, double reach) {
    for (int32_t k = 0; k < shape->piece_count && !query->status; k++) {
        query->piece = &shape->pieces[k];
        query->number = k;
        PhAabb box = ph_piece_aabb(query->piece, (PhTransform){query->position, query->rotation});
        query->reach = reach + ph_slack(ph_span(box));
        ph_probe_near(query->batch->world, query->held, box, query->reach, collide_with, query);
    }
}

static PhStatus answer(const OverlapBatch *batch, uint32_t i, PhOverlapList *list) {
    const double *pose = ph_probe_pose(batch->probes, i);
    const PhShape *shape = ph_probe_shape(batch->probes, i);
    OverlapQuery query = {.batch = batch,
                          .list = list,
                          .row = i,
                          .position = {pose[0], pose[1]},
                          .back = {-0.0, -0.0},
                          .rotation = ph_rot(pose[2]),
                          .held =
                              ph_probe_row_is_held(batch->world, batch->probes, i, batch->margin)};
    // Separations are measured along faces, and may be less than distances.
    double reach = 1.01 * batch->margin + 10 * batch->world->lengths.flat_deviation;
    uint32_t from = list->count;
    PhVec2 asked = query.position, base = ph_wrap_fold(&batch->world->wrap, asked);
    PhImages images =
        ph_images(batch->world, ph_grow((PhAabb){base, base}, shape->extent), ph_vec(0, 0), reach);
    while (!query.status && ph_images_next(&images)) {
        query.position = ph_add(base, images.shift);
        if (batch->world->wrapped) {
            query.back = ph_sub(asked, query.position);
            query.held = ph_probe_is_held(batch->world, query.position,
                                          shape->extent + batch->margin, ph_vec(0, 0));
        }
        collide_pieces(&query, shape, reach);
    }
    return query.status ? query.status : arrange(list, from, batch->all_pieces, batch->world->stop);
}

static void answer_row(void *context, uint32_t row) {
    OverlapBatch *batch = context;
    if (answer(batch, batch->first + row, &batch->lists[row / PH_PROBE_CHUNK])) {
        atomic_store(&batch->no_memory, true);
    }
}

// Appends the lists of all chunks to the rows.
static PhStatus join(const OverlapBatch *batch, uint32_t chunks, PhOverlapList *list) {
    uint64_t total = list->count;
    for (uint32_t i = 0; i < chunks; i++) {
        total += batch->lists[i].count;
    }
    if (total > INT32_MAX || PH_RESERVE(list->row, total)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < chunks; i++) {
        uint32_t count = batch->lists[i].count;
        if (count) {
            memcpy(list->row + list->count, batch->lists[i].row, count * sizeof *list->row);
        }
        if (ph_stop_between(batch->world->stop, count)) {
            return PH_ERROR_STOPPED;
        }
        list->count += count;
    }
    return PH_OK;
}

PhStatus ph_world_overlaps(PhWorld *world, const PhProbes *probes, uint32_t first, uint32_t count,
                           double margin, bool all_pieces, PhQueryFilter filter,
                           PhOverlapList *list, PhError *error) {
    PhStatus status = ph_probe_prepare(world, probes, first, count, margin, error);
    if (status) {
        return status;
    }
    uint32_t chunks = count / PH_PROBE_CHUNK + (count % PH_PROBE_CHUNK != 0);
    OverlapBatch batch = {.world = world,
                          .probes = probes,
                          .filter = filter,
                          .first = first,
                          .margin = margin,
                          .all_pieces = all_pieces,
                          .lists = ph_alloc(chunks, sizeof *batch.lists)};
    atomic_init(&batch.no_memory, false);
    if (batch.lists) {
        ph_probe_run(world, answer_row, &batch, count);
        status = atomic_load(&batch.no_memory) ? PH_ERROR_MEMORY : join(&batch, chunks, list);
        for (uint32_t i = 0; i < chunks; i++) {
            ph_free(batch.lists[i].row);
        }
        ph_free(batch.lists);
    } else {
        status = PH_ERROR_MEMORY;
    }
    return status ? ph_fail(error, status, "no memory for overlaps") : PH_OK;
}

// Owns the index for many questions with shapes, and the choice between it and the query tree.
//
// Invariant: neither leaves out a piece whose box is met, so which of them answers cannot be told.
// Both deal in boxes grown by more than rounding: the tree in float64, the index in float32 about
// the middle of all (broad/ray_frame.c), which a question must be near enough for.
#include "world/probes.h"

#include <float.h>

#include "world/images.h"

// Building the index costs no more than a question down the tree for so many.
enum { PIECES_A_ROW = 4 };

typedef struct Run {
    const PhWorld *world;
    PhProbeAnswer *answer;
    void *context;
    uint32_t rows;
} Run;

static void run_chunk(void *context, uint32_t chunk) {
    const Run *run = context;
    uint32_t first = chunk * PH_PROBE_CHUNK, left = run->rows - first;
    uint32_t count = left < PH_PROBE_CHUNK ? left : PH_PROBE_CHUNK;
    for (uint32_t k = 0; k < count && (k || !ph_stop_wanted(run->world->stop)); k++) {
        run->answer(run->context, first + k);
    }
}

void ph_probe_run(PhWorld *world, PhProbeAnswer *answer, void *context, uint32_t rows) {
    uint32_t chunks = rows / PH_PROBE_CHUNK + (rows % PH_PROBE_CHUNK != 0);
    Run run = {world, answer, context, rows};
    ph_jobs_run(chunks > 1 ? ph_world_team(world) : NULL, run_chunk, &run, chunks);
}

PhStatus ph_list_targets(const PhWorld *world, PhAabb **box, uint32_t **proxy, uint32_t *count) {
    const PhProxies *p = &world->proxies;
    *box = ph_alloc(world->live_proxies, sizeof **box);
    *proxy = ph_alloc(world->live_proxies, sizeof **proxy);
    *count = 0;
    if (!*box || !*proxy) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->flags[i] & PH_PROXY_ALIVE && world->body[p->body[i]].enabled) {
            (*box)[*count] = ph_piece_aabb(world->proxy_piece[i], world->transform[p->body[i]]);
            (*proxy)[(*count)++] = i;
        }
    }
    return PH_OK;
}

static PhStatus build(const PhWorld *world, PhProbeIndex *index) {
    PhAabb *box;
    uint32_t *proxy, count;
    PhStatus status = ph_list_targets(world, &box, &proxy, &count);
    status = status ? status : PH_RESERVE(index->proxy, world->live_proxies);
    if (!status && !(count && ph_ray_frame_make(box, count, &index->frame))) {
        status = PH_ERROR_VALUE;
    }
    status = status ? status : ph_wide_build(&index->tree, &index->frame, box, count);
    for (uint32_t k = 0; !status && k < count; k++) {
        index->proxy[k] = proxy[index->tree.order[k]];
    }
    ph_free(box);
    ph_free(proxy);
    return status;
}

PhStatus ph_probe_index(PhWorld *world, uint32_t rows, PhError *error) {
    PhProbeIndex *index = &world->targets.probes;
    ph_query_update(world);
    index->asked += rows;
    if (index->built || index->fruitless || index->asked < world->live_proxies / PIECES_A_ROW + 1) {
        return PH_OK;
    }
    PhStatus status = build(world, index);
    index->built = status == PH_OK;
    index->fruitless = status == PH_ERROR_VALUE;
    return status == PH_ERROR_MEMORY ? ph_fail(error, status, "no memory for the index of a query")
                                     : PH_OK;
}

bool ph_probe_is_held(const PhWorld *world, PhVec2 place, double reach, PhVec2 displacement) {
    const PhProbeIndex *index = &world->targets.probes;
    double size =
        fabs(place.x) + fabs(place.y) + fabs(displacement.x) + fabs(displacement.y) + reach;
    // Twice: boxes are grown by a little, and may lie anywhere within reach.
    return index->built && ph_ray_frame_holds(&index->frame, place, 2 * (reach + ph_slack(size)));
}

bool ph_probe_row_is_held(const PhWorld *world, const PhProbes *probes, uint32_t i, double beyond) {
    const double *pose = ph_probe_pose(probes, i);
    PhVec2 place = {pose[0], pose[1]};
    double extent = probes->shape ? ph_probe_shape(probes, i)->extent : 0;
    return ph_probe_is_held(world, place, extent + beyond, ph_probe_displacement(probes, i));
}

PhStatus ph_probe_prepare(PhWorld *world, const PhProbes *probes, uint32_t first, uint32_t count,
                          double beyond, PhError *error) {
    PhStatus status = ph_probe_index(world, count, error);
    for (uint32_t i = first; world->wrapped && !status && i < first + count; i++) {
        double extent = probes->shape ? ph_probe_shape(probes, i)->extent : 0;
        status = ph_images_check(world, extent + beyond, ph_probe_displacement(probes, i),
                                 probes->end ? "end" : "translation", error);
    }
    // Which images there are is told by the tree.
    bool held = !status && world->targets.probes.built && !world->wrapped;
    for (uint32_t i = first; held && i < first + count; i++) {
        held = ph_probe_row_is_held(world, probes, i, beyond);
    }
    return status || held ? status : ph_query_refresh(world, error);
}

typedef struct Walk {
    PhProbeVisit *visit;
    void *context;
    const uint32_t *proxy;
    double scale; // metres of one unit of what the visitor returns
} Walk;

static double visit_place(void *context, uint32_t place) {
    const Walk *walk = context;
    return walk->scale * walk->visit(walk->context, walk->proxy[place]);
}

static double visit_leaf(void *context, uint32_t leaf, uint64_t data, double limit) {
    const Walk *walk = context;
    (void)leaf;
    (void)limit;
    double most = walk->visit(walk->context, (uint32_t)data);
    return most > 0 ? most : DBL_MIN; // 0 would stop: others may be as near
}

void ph_probe_near(const PhWorld *world, bool held, PhAabb box, double most, PhProbeVisit *visit,
                   void *context) {
    const PhProbeIndex *index = &world->targets.probes;
    Walk walk = {visit, context, index->proxy, 1};
    if (held) {
        ph_wide_near(&index->tree, ph_ray_frame_bound(&index->frame, box), most, visit_place,
                     &walk);
    } else {
        ph_tree_near(&world->tree, box, most, visit_leaf, &walk);
    }
}

void ph_probe_sweep(const PhWorld *world, bool held, PhAabb box, PhVec2 displacement, double most,
                    PhProbeVisit *visit, void *context) {
    const PhProbeIndex *index = &world->targets.probes;
    PhVec2 half = ph_scale(0.5, ph_sub(box.upper, box.lower)), middle = ph_add(box.lower, half);
    Walk walk = {visit, context, index->proxy, 1};
    PhRay ray;
    if (held && ph_ray_make(middle, displacement, &ray)) {
        PhRayPath path = ph_ray_frame_sweep(&index->frame, &ray, half);
        if (most < 1) {
            path.length = (float)(most * ray.length) + index->frame.slack;
        }
        walk.scale = ray.length;
        ph_wide_cast(&index->tree, &path, visit_place, &walk);
    } else {
        ph_tree_cast_box(&world->tree, middle, half, displacement, most, visit_leaf, &walk);
    }
}

// Owns the answers to rays. One ray goes down the query tree; many rays are worth an index of their
// own, in float32 lanes, and are cast in an order in which neighbors ask for the same part of it.
//
// Invariant: what a ray finds is a function of the ray and of the pieces alone. Every piece is
// asked for the whole ray, and the least (fraction, collider, piece) wins; trees only leave out
// pieces that cannot win. So neither the index, nor the order, nor the workers can be told from the
// answer.
#include <float.h>

#include "base/sort.h"
#include "geometry/distance.h"
#include "world/images.h"
#include "world/probes.h"

enum {
    PIECES_A_RAY = 8, // building the index costs no more than a ray down the tree for so many
    CHUNK = 256,      // rays that a worker takes at once
    CELL_BITS = 6,    // places are told apart by so many bits on each axis, and the four quadrants
    KEYS = 1 << (2 * CELL_BITS + 2),
    AHEAD = 8, // rays whose numbers are fetched early
};

typedef struct RayQuery {
    const PhWorld *world;
    PhVec2 asked;               // origin
    PhVec2 origin, translation; // in the present image
    PhRay ray;                  // the same, in another form
    double radius;
    PhQueryFilter filter;
    PhWorldRayHit first; // of `count` hits so far
    PhWorldRayHit *hits; // or all of them, a growing list
    uint32_t count, seen;
    PhStatus status;
} RayQuery;

const PhWorldRayHit ph_no_hit = {.collider = -1,
                                 .body = -1,
                                 .piece = -1,
                                 .point = {NAN, NAN},
                                 .normal = {NAN, NAN},
                                 .fraction = NAN};

static bool cast_at_piece(const RayQuery *query, const PhPiece *piece, const PhTransform *pose,
                          PhRayHit *hit) {
    PhRay ray = {ph_unapply(*pose, query->ray.origin), ph_unrotate(pose->q, query->ray.direction),
                 query->ray.length};
    return ph_piece_meet_ray(piece, &ray, hit);
}

// The path of a disc: that of its centre into the piece grown by the radius.
static bool cast_disc_at_piece(const RayQuery *query, const PhPiece *piece, const PhTransform *pose,
                               PhRayHit *hit) {
    PhRay ray = {ph_unapply(*pose, query->ray.origin), ph_unrotate(pose->q, query->ray.direction),
                 query->ray.length};
    PhPiece grown = *piece;
    grown.flags = 0;
    grown.radius += query->radius;
    grown.extent += query->radius;
    if (!ph_piece_meet_ray(&grown, &ray, hit)) {
        return false;
    }
    PhVec2 center = ph_mul_add(ray.origin, hit->fraction * ray.length, ray.direction);
    return !(piece->flags & PH_PIECE_ONE_SIDED) ||
           ph_dot(piece->normals[1], ph_sub(center, piece->vertices[0])) >= 0;
}

// Where a disc that begins on or in a piece touches it, with the normal between the surfaces.
static void describe_start(const RayQuery *query, const PhPiece *piece, const PhTransform *pose,
                           PhWorldRayHit *row) {
    static const PhVec2 zero = {0, 0};
    const PhPiece disc = {
        .vertices = &zero, .count = 1, .radius = query->radius, .extent = query->radius};
    PhTransform here = {zero, pose->q};
    PhTransform there = {ph_sub(query->origin, pose->p), {1, 0}};
    PhDistance found = ph_distance(piece, here, &disc, there);
    PhVec2 point = ph_add(found.point_a, pose->p);
    if (query->world->wrapped) {
        point = ph_add(point, ph_sub(query->asked, query->origin));
    }
    row->point[0] = point.x;
    row->point[1] = point.y;
    if (found.normal.x != 0 || found.normal.y != 0) {
        row->normal[0] = found.normal.x + 0.0; // no negative zeros
        row->normal[1] = found.normal.y + 0.0;
    }
}

// Adds what does not depend on whose piece it is.
static void describe(const RayQuery *query, PhRot q, const PhRayHit *hit, PhWorldRayHit *row) {
    PhVec2 normal = ph_rotate(q, hit->normal);
    PhVec2 point = ph_mul_add(query->asked, hit->fraction, query->translation);
    row->point[0] = point.x;
    row->point[1] = point.y;
    row->normal[0] = normal.x;
    row->normal[1] = normal.y;
    row->fraction = hit->fraction;
    if (query->radius > 0) {
        row->point[0] -= query->radius * normal.x;
        row->point[1] -= query->radius * normal.y;
    }
}

static PhWorldRayHit describe_proxy(const RayQuery *query, uint32_t proxy, PhRot q,
                                    const PhRayHit *hit) {
    const PhProxies *p = &query->world->proxies;
    PhWorldRayHit row = {.collider = (int32_t)p->collider[proxy],
                         .body = (int32_t)p->body[proxy],
                         .piece = (int32_t)p->piece[proxy]};
    describe(query, q, hit, &row);
    return row;
}

// Keeps the hit if it is the first so far.
static void offer(RayQuery *query, const PhWorldRayHit *row) {
    if (!query->count || ph_hit_before(row, &query->first)) {
        query->first = *row;
        query->count = 1;
    }
}

// ------------------------------------------------------------------------------------------------
// one ray

// Where the ray hits a proxy that is asked for.
static bool cast_at_proxy(const RayQuery *query, uint32_t proxy, PhWorldRayHit *row) {
    const PhWorld *world = query->world;
    const PhTransform *pose = &world->transform[world->proxies.body[proxy]];
    const PhPiece *piece = world->proxy_piece[proxy];
    PhRayHit hit;
    if (!ph_query_wants(world, proxy, query->filter) ||
        !(query->radius > 0 ? cast_disc_at_piece : cast_at_piece)(query, piece, pose, &hit)) {
        return false;
    }
    *row = describe_proxy(query, proxy, pose->q, &hit);
    if (query->radius > 0 && hit.fraction == 0) {
        describe_start(query, piece, pose, row);
    }
    return true;
}

static double first_hit(void *context, uint32_t leaf, uint64_t data, double limit) {
    RayQuery *query = context;
    PhWorldRayHit row;
    (void)leaf;
    if (!cast_at_proxy(query, (uint32_t)data, &row)) {
        return limit;
    }
    offer(query, &row);
    return query->first.fraction > 0 ? query->first.fraction
                                     : DBL_MIN; // 0 would stop: others may start at 0 too
}

// What boxes are grown by for a disc, with room for rounding.
static PhVec2 half_of_disc(const RayQuery *query) {
    PhVec2 o = query->origin, t = query->translation;
    double size = ph_max(fabs(o.x) + fabs(t.x), fabs(o.y) + fabs(t.y)) + query->radius;
    double half = query->radius > 0 ? query->radius + ph_slack(size) : 0;
    return ph_vec(half, half);
}

static double every_hit(void *context, uint32_t leaf, uint64_t data, double limit) {
    RayQuery *query = context;
    PhWorldRayHit row;
    (void)leaf;
    if (ph_stops_now(query->world, &query->seen)) {
        query->status = PH_ERROR_STOPPED;
        return 0;
    }
    if (!cast_at_proxy(query, (uint32_t)data, &row)) {
        return limit;
    }
    query->status = PH_RESERVE(query->hits, query->count + 1ull);
    if (query->status) {
        return 0;
    }
    query->hits[query->count++] = row;
    return limit;
}

static int compare_hits(const void *a, const void *b) {
    return ph_hit_before(a, b) ? -1 : ph_hit_before(b, a);
}

// By collider, then by fraction: the first of each collider is its nearest piece.
static int compare_colliders(const void *a, const void *b) {
    const PhWorldRayHit *p = a, *q = b;
    return p->collider != q->collider ? (p->collider > q->collider) - (p->collider < q->collider)
                                      : compare_hits(a, b);
}

// Images of a ray, which is asked for as it was asked.
static PhImages images_of_ray(const RayQuery *query) {
    PhVec2 base = ph_wrap_fold(&query->world->wrap, query->asked);
    PhAabb box = ph_grow((PhAabb){base, base}, query->radius);
    return ph_images(query->world, box, query->translation, 0);
}

// Puts the ray into the next image. The numbers have been checked.
static bool next_image(RayQuery *query, PhImages *images) {
    if (!ph_images_next(images)) {
        return false;
    }
    query->origin = ph_wrap_fold(&query->world->wrap, query->asked);
    query->origin = ph_add(query->origin, images->shift);
    (void)ph_ray_make(query->origin, query->translation, &query->ray);
    return true;
}

static PhStatus check_radius(double radius, PhError *error) {
    PhStatus status = ph_check_finite("radius", radius, error);
    return status || radius >= 0
               ? status
               : ph_fail(error, PH_ERROR_VALUE, "radius: must be >= 0, got %g", radius);
}

PhStatus ph_world_cast_ray_all(PhWorld *world, PhVec2 origin, PhVec2 translation, double radius,
                               PhQueryFilter filter, PhWorldRayHit **hits, uint32_t *count,
                               PhError *error) {
    PhStatus status = ph_check_vector("origin", origin, error);
    status = status ? status : ph_check_vector("translation", translation, error);
    status = status ? status : check_radius(radius, error);
    status = status ? status : ph_images_check(world, radius, translation, "translation", error);
    status = status ? status : ph_query_refresh(world, error);
    if (status) {
        return status;
    }
    RayQuery query = {.world = world,
                      .asked = origin,
                      .translation = translation,
                      .radius = radius,
                      .filter = filter};
    PhImages images = images_of_ray(&query);
    while (!query.status && next_image(&query, &images)) {
        ph_tree_cast_box(&world->tree, query.origin, half_of_disc(&query), translation, 1,
                         every_hit, &query);
    }
    if (query.status) {
        ph_free(query.hits);
        return ph_fail(error, query.status, "no memory for the hits of a ray");
    }
    uint32_t kept = 0;
    bool sorted = true;
    if (query.count) {
        sorted = ph_sort_rows(query.hits, query.count, sizeof *query.hits, compare_colliders,
                              world->stop);
        for (uint32_t i = 0; i < query.count; i++) {
            if (i == 0 || query.hits[i].collider != query.hits[i - 1].collider) {
                query.hits[kept++] = query.hits[i];
            }
        }
        sorted =
            sorted && ph_sort_rows(query.hits, kept, sizeof *query.hits, compare_hits, world->stop);
    }
    if (!sorted) {
        ph_free(query.hits);
        return ph_fail(error, PH_ERROR_STOPPED, "stopped");
    }
    *hits = query.hits;
    *count = kept;
    return PH_OK;
}

// ------------------------------------------------------------------------------------------------
// the index for many rays

void ph_targets_forget(PhTargets *targets) {
    targets->built = targets->fruitless = false;
    targets->asked = 0;
    targets->probes.built = targets->probes.fruitless = false;
    targets->probes.asked = 0;
}

void ph_targets_free(PhTargets *targets) {
    ph_ray_grid_free(&targets->grid);
    ph_wide_free(&targets->tree);
    ph_free(targets->target);
    ph_wide_free(&targets->probes.tree);
    ph_free(targets->probes.proxy);
    *targets = (PhTargets){0};
}

static PhStatus build_index(PhTargets *targets, const PhAabb *box, uint32_t count) {
    if (!count || !ph_ray_frame_make(box, count, &targets->frame)) {
        return PH_ERROR_VALUE;
    }
    PhStatus status = ph_ray_grid_build(&targets->grid, &targets->frame, box, count);
    targets->gridded = status == PH_OK;
    return status == PH_ERROR_VALUE ? ph_wide_build(&targets->tree, &targets->frame, box, count)
                                    : status;
}

static PhStatus build(const PhWorld *world, PhTargets *targets) {
    const PhProxies *p = &world->proxies;
    PhAabb *box;
    uint32_t *proxy, count;
    PhStatus status = ph_list_targets(world, &box, &proxy, &count);
    status = status ? status : PH_RESERVE(targets->target, world->live_proxies);
    status = status ? status : build_index(targets, box, count);
    const uint32_t *order = targets->gridded ? targets->grid.order : targets->tree.order;
    for (uint32_t k = 0; !status && k < count; k++) {
        uint32_t i = proxy[order[k]];
        const PhColliderDef *def = &world->collider[p->collider[i]].def;
        targets->target[k] = (PhTarget){.pose = world->transform[p->body[i]],
                                        .piece = world->proxy_piece[i],
                                        .category = def->category,
                                        .collider = (int32_t)p->collider[i],
                                        .body = (int32_t)p->body[i],
                                        .number = (int32_t)p->piece[i],
                                        .sensor = def->sensor};
    }
    ph_free(box);
    ph_free(proxy);
    return status;
}

// Builds the index if that many more rays make it worth while. PH_OK does not mean that there is
// one.
static PhStatus prepare_targets(PhWorld *world, uint32_t rays) {
    PhTargets *targets = &world->targets;
    targets->asked += rays;
    if (targets->built || targets->fruitless ||
        targets->asked < world->live_proxies / PIECES_A_RAY + 1) {
        return PH_OK;
    }
    PhStatus status = build(world, targets);
    targets->built = status == PH_OK;
    targets->fruitless = status == PH_ERROR_VALUE;
    return targets->fruitless ? PH_OK : status;
}

static double first_target(void *context, uint32_t place) {
    RayQuery *query = context;
    const PhTarget *target = &query->world->targets.target[place];
    PhRayHit hit;
    if (target->category & query->filter.mask &&
        (query->filter.include_sensors || !target->sensor) &&
        ph_filter_allows(query->filter, (uint32_t)target->collider) &&
        cast_at_piece(query, target->piece, &target->pose, &hit)) {
        PhWorldRayHit row = {
            .collider = target->collider, .body = target->body, .piece = target->number};
        if (!query->count || hit.fraction <= query->first.fraction) {
            describe(query, target->pose.q, &hit, &row);
            offer(query, &row);
        }
    }
    return query->count ? query->first.fraction * query->ray.length : INFINITY;
}

// ------------------------------------------------------------------------------------------------
// many rays

typedef struct Batch {
    PhWorld *world;
    PhQueryFilter filter;
    uint32_t count;
    const PhVec2 *origins, *translations;
    const double *radii;   // NULL: zeros
    const uint32_t *order; // NULL: as they come
    PhVec2 cells;          // per metre, for the order
    PhWorldRayHit *hits;
} Batch;

// Whether the index for many rays can answer; else *path is not made.
static bool enter_targets(const PhTargets *targets, const PhRay *ray, PhRayPath *path,
                          PhRayMeets *meets) {
    *meets = targets->built ? ph_ray_frame_enter(&targets->frame, ray, path) : PH_RAY_TOO_FAR;
    return *meets != PH_RAY_TOO_FAR;
}

static double first_touch(void *context, uint32_t proxy) {
    RayQuery *query = context;
    PhWorldRayHit row;
    if (cast_at_proxy(query, proxy, &row)) {
        offer(query, &row);
    }
    return query->count ? query->first.fraction : 1;
}

static void cast_disc(RayQuery *query) {
    PhVec2 half = half_of_disc(query);
    PhAabb box = {ph_sub(query->origin, half), ph_add(query->origin, half)};
    bool held = ph_probe_is_held(query->world, query->origin, query->radius, query->translation);
    ph_probe_sweep(query->world, held, box, query->translation, 1, first_touch, query);
}

static void cast_image(RayQuery *query) {
    PhRayPath path;
    PhRayMeets meets;
    if (query->radius > 0) {
        cast_disc(query);
    } else if (!enter_targets(&query->world->targets, &query->ray, &path, &meets)) {
        ph_tree_cast_ray(&query->world->tree, query->origin, query->translation, 1, first_hit,
                         query);
    } else if (meets == PH_RAY_MEETS) {
        const PhTargets *targets = &query->world->targets;
        if (targets->gridded) {
            ph_ray_grid_cast(&targets->grid, &path, first_target, query);
        } else {
            ph_wide_cast(&targets->tree, &path, first_target, query);
        }
    }
}

static void cast_one(const Batch *batch, uint32_t i) {
    RayQuery query;
    query.world = batch->world;
    query.asked = query.origin = batch->origins[i];
    query.translation = batch->translations[i];
    query.radius = batch->radii ? batch->radii[i] : 0;
    query.filter = batch->filter;
    query.count = 0;
    if (query.world->wrapped) {
        PhImages images = images_of_ray(&query);
        while (next_image(&query, &images)) {
            cast_image(&query);
        }
    } else {
        (void)ph_ray_make(query.origin, query.translation, &query.ray);
        cast_image(&query);
    }
    batch->hits[i] = query.count ? query.first : ph_no_hit;
}

static void cast_chunk(void *context, uint32_t chunk) {
    const Batch *batch = context;
    uint32_t first = chunk * CHUNK;
    if (ph_stop_wanted(batch->world->stop)) {
        return; // no answer is read
    }
    uint32_t end = batch->count - first < CHUNK ? batch->count : first + CHUNK;
    for (uint32_t k = first; k < end; k++) {
        uint32_t ahead = k + AHEAD < end ? k + AHEAD : k;
        uint32_t next = batch->order ? batch->order[ahead] : ahead;
        __builtin_prefetch(&batch->origins[next]);
        __builtin_prefetch(&batch->translations[next]);
        __builtin_prefetch(&batch->hits[next], 1);
        cast_one(batch, batch->order ? batch->order[k] : k);
    }
}

// Puts a zero before each of the low bits.
static uint32_t spread_bits(uint32_t x) {
    x = (x | x << 4) & 0x0f0f;
    x = (x | x << 2) & 0x3333;
    return (x | x << 1) & 0x5555;
}

// Rays with keys that are close meet the same targets: where they come among them along Morton's
// curve, then the quadrant that they point to. from: within the bounds of the frame.
static uint32_t key_of(const Batch *batch, PhVec2 from, PhVec2 translation) {
    const uint32_t most = (1 << CELL_BITS) - 1;
    uint32_t x = (uint32_t)(from.x * batch->cells.x + (1 << (CELL_BITS - 1)));
    uint32_t y = (uint32_t)(from.y * batch->cells.y + (1 << (CELL_BITS - 1)));
    uint32_t left = translation.x < 0, down = translation.y < 0;
    x = x < most ? x : most;
    y = y < most ? y : most;
    return (spread_bits(x) | spread_bits(y) << 1) << 2 | left << 1 | down;
}

static double clamp(double x, double most) {
    return x < -most ? -most : x > most ? most : x;
}

// The key of a ray that does not begin within the bounds of the frame; false
// when it is for the query tree.
static bool find_key(const Batch *batch, uint32_t i, uint32_t *key) {
    const PhTargets *targets = &batch->world->targets;
    PhRay ray;
    PhRayPath path;
    PhRayMeets meets;
    (void)ph_ray_make(batch->origins[i], batch->translations[i], &ray);
    bool entered = enter_targets(targets, &ray, &path, &meets);
    *key = 0;
    if (meets == PH_RAY_MEETS) {
        PhVec2 half = targets->frame.half;
        PhVec2 from = {clamp((double)path.origin[0], half.x),
                       clamp((double)path.origin[1], half.y)};
        *key = key_of(batch, from, ray.direction);
    }
    return entered;
}

// Fills order[count] by counting keys; key[count] and start[KEYS], which is zeroed, are scratch.
// Returns whether some ray is for the query tree.
static bool sort_rays(const Batch *batch, uint32_t *key, uint32_t *start, uint32_t *order) {
    const PhRayFrame *frame = &batch->world->targets.frame;
    bool some = false;
    for (uint32_t i = 0; i < batch->count; i++) {
        PhVec2 from = ph_sub(batch->origins[i], frame->middle);
        if (fabs(from.x) <= frame->half.x && fabs(from.y) <= frame->half.y) {
            key[i] = key_of(batch, from, batch->translations[i]);
        } else {
            some = !find_key(batch, i, &key[i]) || some;
        }
        start[key[i]]++;
    }
    uint32_t sum = 0;
    for (uint32_t k = 0; k < KEYS; k++) {
        uint32_t first = sum;
        sum += start[k];
        start[k] = first;
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        order[start[key[i]]++] = i;
    }
    return some;
}

static PhStatus check_rays(const Batch *batch, PhError *error) {
    for (uint32_t i = 0; i < batch->count; i++) {
        PhVec2 o = batch->origins[i], t = batch->translations[i];
        double radius = batch->radii ? batch->radii[i] : 0;
        if (isfinite(o.x) && isfinite(o.y) && isfinite(t.x) && isfinite(t.y) && radius >= 0 &&
            radius < INFINITY &&
            !(batch->world->wrapped && ph_images_check(batch->world, radius, t, "", NULL))) {
            continue;
        }
        PhStatus status = ph_check_vector("origin", o, error);
        status = status ? status : ph_check_vector("translation", t, error);
        status = status ? status : check_radius(radius, error);
        status = status ? status : ph_images_check(batch->world, radius, t, "translation", error);
        if (error) {
            error->index = i;
        }
        return status;
    }
    return PH_OK;
}

// Puts rays that are neighbors side by side, in memory for KEYS and twice the count. Returns
// whether some ray is for the query tree.
static bool order_rays(Batch *batch, uint32_t *memory) {
    const PhTargets *targets = &batch->world->targets;
    bool some = !targets->built;
    if (memory) {
        const double cells = 1 << (CELL_BITS - 1);
        double slack = (double)targets->frame.slack; // a half may be zero
        batch->cells = ph_vec(cells / (targets->frame.half.x + slack),
                              cells / (targets->frame.half.y + slack));
        batch->order = memory + KEYS + batch->count;
        return sort_rays(batch, memory + KEYS, memory, memory + KEYS + batch->count);
    }
    for (uint32_t i = 0; i < batch->count && !some; i++) {
        PhRay ray;
        PhRayPath path;
        PhRayMeets meets;
        (void)ph_ray_make(batch->origins[i], batch->translations[i], &ray);
        some = !enter_targets(targets, &ray, &path, &meets);
    }
    return some;
}

// The index for shapes answers discs.
static PhStatus prepare_discs(const Batch *batch, bool *tree_needed, PhError *error) {
    PhStatus status = ph_probe_index(batch->world, batch->count, error);
    *tree_needed = false;
    for (uint32_t i = 0; !status && i < batch->count && !*tree_needed; i++) {
        *tree_needed =
            batch->radii[i] > 0 && !ph_probe_is_held(batch->world, batch->origins[i],
                                                     batch->radii[i], batch->translations[i]);
    }
    return status;
}

static PhStatus cast_batch(Batch *batch, PhError *error) {
    PhWorld *world = batch->world;
    bool discs_need_tree = false;
    ph_query_update(world);
    PhStatus status = batch->radii ? prepare_discs(batch, &discs_need_tree, error) : PH_OK;
    if (status) {
        return status;
    }
    status = prepare_targets(world, batch->count);
    uint32_t *memory = NULL;
    if (!status && world->targets.built && batch->count > CHUNK) {
        memory = ph_alloc(KEYS + 2 * (size_t)batch->count, sizeof *memory);
        status = memory ? PH_OK : PH_ERROR_MEMORY;
    }
    if (status) {
        return ph_fail(error, status, "no memory for %u rays", batch->count);
    }
    // Which images there are is told by the tree.
    bool tree_needed = order_rays(batch, memory) || discs_need_tree || world->wrapped;
    status = tree_needed ? ph_query_refresh(world, error) : PH_OK;
    if (!status) {
        uint32_t chunks = (batch->count + CHUNK - 1) / CHUNK;
        ph_jobs_run(chunks > 1 ? ph_world_team(world) : NULL, cast_chunk, batch, chunks);
    }
    ph_free(memory);
    return status;
}

PhStatus ph_world_cast_rays(PhWorld *world, uint32_t count, const double (*origins)[2],
                            const double (*translations)[2], const double *radii,
                            PhQueryFilter filter, PhWorldRayHit *hits, PhError *error) {
    Batch batch = {.world = world,
                   .filter = filter,
                   .count = count,
                   .origins = (const PhVec2 *)origins,
                   .translations = (const PhVec2 *)translations,
                   .radii = radii,
                   .hits = hits};
    PhStatus status = check_rays(&batch, error);
    return status ? status : cast_batch(&batch, error);
}

PhStatus ph_world_cast_ray(PhWorld *world, PhVec2 origin, PhVec2 translation, double radius,
                           PhQueryFilter filter, PhWorldRayHit *hit, PhError *error) {
    Batch batch = {.world = world,
                   .filter = filter,
                   .count = 1,
                   .origins = &origin,
                   .translations = &translation,
                   .radii = radius != 0 ? &radius : NULL,
                   .hits = hit};
    PhStatus status = check_rays(&batch, error);
    return status ? status : cast_batch(&batch, error);
}

// Owns the visits to sensors: which colliders overlap a sensor at the end of a step, and which
// crossed one within it.
//
// Invariant: after a step the visits are the pairs of a sensor and a collider that overlap at the
// final poses of the step. A pair is unchanged if neither body moved or was changed, so only pairs
// with a changed body are examined. Changed pieces search a tree of sensors. Changed sensors search
// a second tree for resting pieces.
//
// A collider that is in a sensor neither before nor after a step may still have crossed it. The
// path of a step is taken as even: the centre of mass moves straight from the place where the step
// found it to where it left it, whatever stopped the body in between, and the angle changes evenly.
// Conservative advancement (narrow/impact.h) decides whether two pieces meet on their paths. The
// bounding box of a path contains the boxes of both ends. By rotation, a point at distance r leaves
// the chord of its path by no more than r turn^2 / 8, the error of linear interpolation.
//
// Source: B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems" (1996), for
// conservative advancement.
#include "world/sensors.h"

#include <string.h>

#include "base/hash.h"
#include "base/sort.h"
#include "narrow/impact.h"
#include "narrow/overlap.h"
#include "world/continuous.h"
#include "world/images.h"

enum { ARRAYS = 8 };
// Rounds of the search for the time of impact, half a microsecond each: of a pair whose spin takes
// more than a few; of all pairs of a step, and so many more for each piece. When they are used up,
// pairs are examined where they are at the end of the step alone.
enum { MOST_ROUNDS = 128, STEP_ROUNDS = 1 << 17, ROUNDS_EACH = 64 };

static void list_arrays(PhSensors *s, PhArray list[ARRAYS]) {
    const PhArray all[] = {
        PH_ARRAY(s->visit),   PH_ARRAY(s->rest), PH_ARRAY(s->stir), PH_ARRAY(s->stir_of),
        PH_ARRAY(s->resides), PH_ARRAY(s->near), PH_ARRAY(s->next), PH_ARRAY(s->spare),
    };
    _Static_assert(sizeof all / sizeof all[0] == ARRAYS, "ARRAYS");
    memcpy(list, all, sizeof all);
}

void ph_sensors_init(PhSensors *sensors, double margin) {
    *sensors = (PhSensors){0};
    ph_tree_init(&sensors->sensors, margin);
    ph_tree_init(&sensors->visitors, margin);
}

static void free_trees(PhSensors *sensors) {
    ph_tree_free(&sensors->sensors);
    ph_tree_free(&sensors->visitors);
    ph_free(sensors->leaf);
    ph_free(sensors->drifts);
}

void ph_sensors_free(PhSensors *sensors) {
    PhArray arrays[ARRAYS];
    list_arrays(sensors, arrays);
    ph_free_arrays(arrays, ARRAYS);
    free_trees(sensors);
    ph_sensors_init(sensors, sensors->sensors.margin);
}

PhStatus ph_sensors_copy(PhSensors *to, const PhSensors *from) {
    PhSensors copy = *from;
    copy.near = copy.spare = NULL;
    copy.next = NULL;
    copy.near_count = 0;
    PhArray arrays[ARRAYS];
    list_arrays(&copy, arrays);
    PhStatus status = ph_unshare_arrays(arrays, ARRAYS, NULL);
    if (status) {
        return status;
    }
    ph_tree_init(&copy.sensors, from->sensors.margin);
    ph_tree_init(&copy.visitors, from->visitors.margin);
    copy.leaf = NULL;
    copy.drifts = NULL;
    copy.planted = copy.visitors_good = false;
    *to = copy;
    return PH_OK;
}

static bool in_use(const PhSensors *sensors) {
    return sensors->count > 0 || sensors->visit_count > 0 || sensors->rest_count > 0;
}

// ------------------------------------------------------------------------------------------------
// colliders that come and go

static void pull_up(PhWorld *world, const PhCollider *collider, bool sensor) {
    PhSensors *s = &world->sensors;
    PhAabbTree *tree = sensor ? &s->sensors : &s->visitors;
    for (uint32_t k = 0; k < (uint32_t)collider->shape->piece_count; k++) {
        uint32_t proxy = collider->first_proxy + k;
        if (proxy < PH_CAPACITY(s->leaf) && s->leaf[proxy] != PH_NULL) {
            ph_tree_remove(tree, s->leaf[proxy]);
            s->leaf[proxy] = PH_NULL;
        }
    }
}

static void count_sensor(PhWorld *world, uint32_t collider, bool more) {
    world->sensors.count += more ? 1u : UINT32_MAX;
    world->bears[world->collider[collider].body] += more ? 1u : UINT32_MAX;
}

void ph_sensors_add(PhWorld *world, uint32_t collider) {
    if (world->collider[collider].def.sensor) {
        count_sensor(world, collider, true);
    }
}

void ph_sensors_drop(PhWorld *world, uint32_t collider) {
    PhSensors *s = &world->sensors;
    bool sensor = world->collider[collider].def.sensor;
    pull_up(world, &world->collider[collider], sensor);
    s->dropped |= in_use(s);
    if (sensor) {
        count_sensor(world, collider, false);
    }
}

void ph_sensors_reshape(PhWorld *world, uint32_t collider) {
    pull_up(world, &world->collider[collider], world->collider[collider].def.sensor);
}

void ph_sensors_switch(PhWorld *world, uint32_t collider) {
    bool sensor = world->collider[collider].def.sensor;
    pull_up(world, &world->collider[collider], !sensor);
    count_sensor(world, collider, sensor);
}

// ------------------------------------------------------------------------------------------------
// what sees what

// Whether a sensor would see a collider that is where it is.
static bool sees(const PhWorld *world, uint32_t sensor, uint32_t visitor) {
    const PhCollider *s = &world->collider[sensor], *v = &world->collider[visitor];
    return s->body != v->body && s->def.sensor && !v->def.sensor && world->body[s->body].enabled &&
           world->body[v->body].enabled && ph_would_collide(&s->def, &v->def);
}

static PhAabb box_of(const PhWorld *world, uint32_t proxy) {
    return ph_piece_aabb(world->proxy_piece[proxy], world->transform[world->proxies.body[proxy]]);
}

static PhAabb moved(PhAabb box, PhVec2 by) {
    return (PhAabb){ph_add(box.lower, by), ph_add(box.upper, by)};
}

// Whether the pieces of a sensor and of a visitor overlap with the poses as they are now.
static bool overlap(const PhWorld *world, uint32_t sensor, uint32_t visitor) {
    const uint32_t *body = world->proxies.body;
    PhTransform pose = world->transform[body[visitor]];
    if (world->wrapped) {
        pose.p = ph_add(pose.p, ph_image_shift(world, body[sensor], body[visitor]));
    }
    return ph_overlaps(box_of(world, sensor), ph_piece_aabb(world->proxy_piece[visitor], pose)) &&
           ph_pieces_overlap(world->proxy_piece[sensor], world->transform[body[sensor]],
                             world->proxy_piece[visitor], pose);
}

typedef struct OverlapQuery {
    const PhWorld *world;
    uint32_t sensor, proxy;
    uint32_t *found, count, seen;
    PhStatus status;
} OverlapQuery;

static bool collect_overlap(void *context, uint32_t leaf, uint64_t data) {
    OverlapQuery *query = context;
    const PhWorld *world = query->world;
    uint32_t proxy = (uint32_t)data, collider = world->proxies.collider[proxy];
    (void)leaf;
    bool known = query->count > 0 && query->found[query->count - 1] == collider;
    if (!known && sees(world, query->sensor, collider) && overlap(world, query->proxy, proxy)) {
        query->status = PH_RESERVE(query->found, query->count + 1ull);
        if (!query->status) {
            query->found[query->count++] = collider;
        }
    }
    if (!query->status && ph_stops_now(world, &query->seen)) {
        query->status = PH_ERROR_STOPPED;
    }
    return !query->status;
}

static bool number_less(const void *a, const void *b, const void *context) {
    (void)context;
    return *(const uint32_t *)a < *(const uint32_t *)b;
}

PhStatus ph_sensor_overlaps(PhWorld *world, uint32_t sensor, uint32_t **colliders, uint32_t *count,
                            PhError *error) {
    const PhCollider *collider = &world->collider[sensor];
    OverlapQuery query = {.world = world, .sensor = sensor};
    if (collider->def.sensor && world->body[collider->body].enabled) {
        PhStatus status = ph_query_refresh(world, error);
        if (status) {
            return status;
        }
        for (uint32_t k = 0; !query.status && k < (uint32_t)collider->shape->piece_count; k++) {
            query.proxy = collider->first_proxy + k;
            PhAabb box = box_of(world, query.proxy);
            PhImages images = ph_images(world, box, ph_vec(0, 0), 0);
            while (!query.status && ph_images_next(&images)) {
                ph_tree_query(&world->tree, moved(box, images.shift), collect_overlap, &query);
            }
        }
    }
    if (query.status) {
        ph_free(query.found);
        return ph_fail(error, query.status, "no memory for the overlaps of a sensor");
    }
    ph_sort(query.found, query.count, sizeof *query.found, number_less, NULL);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < query.count; i++) {
        if (i == 0 || query.found[i] != query.found[i - 1]) {
            query.found[kept++] = query.found[i];
        }
    }
    *colliders = query.found;
    *count = kept;
    return PH_OK;
}

// ------------------------------------------------------------------------------------------------
// before the step

static PhStatus reserve(PhWorld *world) {
    PhSensors *s = &world->sensors;
    uint32_t slots = world->slot_count, proxies = (uint32_t)PH_CAPACITY(s->leaf);
    PhStatus status = PH_RESERVE(s->stir, slots);
    status = status ? status : PH_RESERVE(s->stir_of, slots);
    status = status ? status : PH_RESERVE(s->resides, slots);
    status = status ? status : PH_RESERVE(s->drifts, world->proxies.count);
    status = status ? status : PH_RESERVE(s->leaf, world->proxies.count);
    for (; !status && proxies < PH_CAPACITY(s->leaf); proxies++) {
        s->leaf[proxies] = PH_NULL;
    }
    return status;
}

static void forget_stirs(PhSensors *s) {
    for (uint32_t k = 0; k < s->stir_count; k++) {
        s->stir_of[s->stir[k].slot] = 0;
    }
    s->stir_count = 0;
}

static void add_stir(PhWorld *world, uint32_t slot) {
    PhSensors *s = &world->sensors;
    s->stir[s->stir_count] = (PhStir){.slot = slot,
                                      .generation = world->body[slot].generation,
                                      .angle = world->pose_angle[slot],
                                      .from = world->transform[slot]};
    s->stir_of[slot] = ++s->stir_count;
}

static void list_stirs(PhWorld *world) {
    forget_stirs(&world->sensors);
    for (uint32_t k = 0; k < world->dynamic_count; k++) {
        add_stir(world, world->dynamic[k]);
    }
    for (uint32_t k = 0; k < world->kinematic_count; k++) {
        add_stir(world, world->kinematic[k]);
    }
    for (uint32_t i = 0; world->marked && i < world->slot_count; i++) {
        if (world->moved[i] != PH_MOVED_NOT && world->role[i] < PH_ROLE_KINEMATIC &&
            world->state->alive[i]) {
            add_stir(world, i);
        }
    }
}

static PhStatus plant(PhWorld *world, PhAabbTree *tree, uint32_t proxy) {
    uint32_t *leaf = &world->sensors.leaf[proxy];
    PhAabb box = box_of(world, proxy);
    if (*leaf != PH_NULL) {
        ph_tree_move(tree, *leaf, box);
        return PH_OK;
    }
    uint32_t made;
    PhStatus status = ph_tree_insert(tree, box, proxy, &made);
    *leaf = status ? PH_NULL : made;
    return status;
}

static PhStatus plant_sensor(PhWorld *world, const PhCollider *collider) {
    PhStatus status = PH_OK;
    for (uint32_t k = 0; !status && k < (uint32_t)collider->shape->piece_count; k++) {
        if (world->sensors.leaf[collider->first_proxy + k] == PH_NULL) {
            status = plant(world, &world->sensors.sensors, collider->first_proxy + k);
        }
    }
    return status;
}

// Sensors that are new. *any: one at least stirs.
static PhStatus plant_sensors(PhWorld *world, bool *any) {
    PhSensors *s = &world->sensors;
    uint32_t seen = 0;
    PhStatus status = PH_OK;
    for (uint32_t c = 0; !s->planted && !status && c < world->collider_limit; c++) {
        if (world->collider[c].alive && world->collider[c].def.sensor) {
            status = ph_stops_now(world, &seen) ? PH_ERROR_STOPPED
                                                : plant_sensor(world, &world->collider[c]);
        }
    }
    s->planted = !status;
    for (uint32_t k = 0; k < s->stir_count; k++) {
        uint32_t slot = s->stir[k].slot;
        uint32_t c = world->bears[slot] ? world->body[slot].first_collider : PH_NULL;
        for (; !status && c != PH_NULL; c = world->collider[c].next) {
            if (world->collider[c].def.sensor) {
                *any |= world->body[slot].enabled;
                status = plant_sensor(world, &world->collider[c]);
            }
        }
    }
    return status;
}

// All that rests, into its tree. Those that move are marked, to be examined when they rest.
static PhStatus plant_visitors(PhWorld *world) {
    PhSensors *s = &world->sensors;
    const PhProxies *p = &world->proxies;
    if (s->visitors_good && s->lists_seen == world->lists_made && !world->marked) {
        return PH_OK;
    }
    uint32_t seen = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const uint8_t both = PH_PROXY_ALIVE | PH_PROXY_ENABLED; // sensors are not enabled
        if ((p->flags[i] & both) != both) {
            continue;
        }
        if (p->flags[i] & PH_PROXY_MOVES) {
            s->drifts[i] = 1;
            continue;
        }
        bool good = s->visitors_good && s->leaf[i] != PH_NULL && !s->drifts[i] &&
                    world->moved[p->body[i]] == PH_MOVED_NOT;
        PhStatus status = good                         ? PH_OK
                          : ph_stops_now(world, &seen) ? PH_ERROR_STOPPED
                                                       : plant(world, &s->visitors, i);
        if (status) {
            s->visitors_good = false;
            return status;
        }
        s->drifts[i] = 0;
    }
    s->visitors_good = true;
    s->lists_seen = world->lists_made;
    return PH_OK;
}

PhStatus ph_sensors_prepare(PhWorld *world) {
    PhSensors *s = &world->sensors;
    if (!in_use(s)) {
        s->visitors_good = false; // nothing is noted until there is a sensor again
        return PH_OK;
    }
    ph_list_active(world);
    PhStatus status = reserve(world);
    bool any = false;
    if (!status) {
        list_stirs(world);
        status = plant_sensors(world, &any);
    }
    if (!status && any) {
        return plant_visitors(world);
    }
    s->visitors_good &= !status && s->lists_seen == world->lists_made && !world->marked;
    return status;
}

// ------------------------------------------------------------------------------------------------
// after the step: what may have met what

static const PhStir *stir_of(const PhWorld *world, uint32_t proxy) {
    const PhSensors *s = &world->sensors;
    uint32_t k = s->stir_of[world->proxies.body[proxy]];
    return k && s->stir[k - 1].moves ? &s->stir[k - 1] : NULL;
}

// Of all points that the piece passes.
static PhAabb swept_box(const PhWorld *world, const PhStir *stir, uint32_t proxy) {
    PhAabb box = box_of(world, proxy);
    if (stir) {
        PhAabb start = ph_piece_aabb(world->proxy_piece[proxy], stir->from);
        double turn = world->pose_angle[stir->slot] - stir->angle, bend = 0.125 * turn * turn;
        box = ph_grow(ph_union(box, start), world->body[stir->slot].extent * (bend < 2 ? bend : 2));
    }
    return box;
}

// Pairs of pieces that may have met in a step: more are refused. A thousand bodies in a thousand
// sensors are not.
static uint64_t most_near(const PhWorld *world) {
    return (1u << 19) + 256ull * world->proxies.count;
}

typedef struct Search {
    PhWorld *world;
    uint32_t proxy; // that looks around
    PhAabb box;     // of its path
    PhVec2 shift;   // of that in a wrapped world
    bool sensor;    // it is one
    uint32_t *seen; // until world->stop is asked
    PhStatus status;
} Search;

static bool collect_near(void *context, uint32_t leaf, uint64_t data) {
    Search *search = context;
    PhWorld *world = search->world;
    PhSensors *s = &world->sensors;
    uint32_t other = (uint32_t)data;
    (void)leaf;
    if (ph_stops_now(world, search->seen)) {
        search->status = PH_ERROR_STOPPED;
        return false;
    }
    if (search->sensor && s->stir_of[world->proxies.body[other]]) {
        return true; // finds the sensor by itself
    }
    uint32_t sensor = search->sensor ? search->proxy : other;
    uint32_t visitor = search->sensor ? other : search->proxy;
    const uint32_t *collider = world->proxies.collider;
    if (!sees(world, collider[sensor], collider[visitor])) {
        return true;
    }
    const PhStir *stir = stir_of(world, other);
    if (!ph_overlaps(search->box, swept_box(world, stir, other))) {
        return true;
    }
    bool inside = overlap(world, sensor, visitor);
    if (!inside && !stir && !stir_of(world, search->proxy)) {
        return true;
    }
    PhVec2 shift = search->sensor ? ph_neg(search->shift) : search->shift;
    search->status = s->near_count >= most_near(world) ? PH_ERROR_CAPACITY
                                                       : PH_RESERVE(s->near, s->near_count + 1ull);
    if (!search->status) {
        s->near[s->near_count++] =
            (PhNear){collider[sensor], collider[visitor], sensor, visitor, shift, inside};
    }
    return !search->status;
}

// What the pieces of a collider may have met.
static PhStatus search_around(PhWorld *world, const PhCollider *collider, const PhStir *stir,
                              uint32_t *seen) {
    PhSensors *s = &world->sensors;
    Search search = {.world = world, .sensor = collider->def.sensor, .seen = seen};
    for (uint32_t k = 0; !search.status && k < (uint32_t)collider->shape->piece_count; k++) {
        search.proxy = collider->first_proxy + k;
        PhAabb box = swept_box(world, stir, search.proxy);
        const PhAabbTree *tree = search.sensor ? &s->visitors : &s->sensors;
        PhImages images = ph_images_in(world, box, tree);
        while (!search.status && ph_images_next(&images)) {
            search.shift = images.shift;
            search.box = moved(box, images.shift);
            ph_tree_query(tree, search.box, collect_near, &search);
        }
    }
    return search.status;
}

// Whether it is the body that was listed.
static bool is_there(const PhWorld *world, const PhStir *stir) {
    return stir->slot < world->slot_count && world->state->alive[stir->slot] &&
           world->body[stir->slot].generation == stir->generation;
}

// Of the path of the centre of mass.
static PhAabb displacement_box(const PhWorld *world, const PhStir *stir) {
    PhVec2 end = {world->center[stir->slot][0], world->center[stir->slot][1]};
    PhVec2 start = ph_apply(stir->from, world->body[stir->slot].center_local);
    return ph_union((PhAabb){start, start}, (PhAabb){end, end});
}

// Whether a circle around the body comes near a sensor at all.
static bool comes_near(const PhWorld *world, const PhStir *stir) {
    const PhAabbTree *tree = &world->sensors.sensors;
    const PhBody *body = &world->body[stir->slot];
    return tree->root != PH_NULL &&
           (world->wrapped || ph_overlaps(ph_grow(displacement_box(world, stir), body->extent),
                                          tree->nodes[tree->root].box));
}

// Brings the sensors that stir to where they are. What was removed since stirs no more. Whether
// it came to its end.
static bool follow_sensors(PhWorld *world, uint32_t *seen) {
    PhSensors *s = &world->sensors;
    for (uint32_t k = 0; k < s->stir_count; k++) {
        PhStir *stir = &s->stir[k];
        uint32_t i = stir->slot;
        if (ph_stops_now(world, seen)) {
            return false;
        }
        if (!is_there(world, stir)) {
            stir->moves = false;
            continue;
        }
        const PhTransform *to = &world->transform[i];
        stir->moves = (stir->from.p.x != to->p.x || stir->from.p.y != to->p.y ||
                       stir->angle != world->pose_angle[i]) &&
                      !(world->wrapped && ph_goes_around(world, displacement_box(world, stir)));
        uint32_t c = world->bears[i] ? world->body[i].first_collider : PH_NULL;
        for (; c != PH_NULL; c = world->collider[c].next) {
            const PhCollider *collider = &world->collider[c];
            uint32_t count = collider->def.sensor ? (uint32_t)collider->shape->piece_count : 0;
            for (uint32_t n = 0; n < count; n++) {
                uint32_t proxy = collider->first_proxy + n;
                if (s->leaf[proxy] != PH_NULL) {
                    ph_tree_move(&s->sensors, s->leaf[proxy],
                                 swept_box(world, stir->moves ? stir : NULL, proxy));
                }
            }
        }
    }
    return true;
}

static PhStatus may_go_on(const PhWorld *world) {
    return ph_stop_wanted(world->stop) ? PH_ERROR_STOPPED : PH_OK;
}

static uint32_t digit_of(const PhNear *near, uint32_t pass) {
    return (pass < 4 ? near->visitor : near->sensor) >> (8 * (pass & 3)) & 255;
}

// By sensor, then by visitor: bytes of the latter first, each pass keeping the order of the one
// before (radix sort; H. Seward 1954). The order of the pieces of a pair decides nothing.
static PhStatus sort_near(PhWorld *world) {
    PhSensors *s = &world->sensors;
    PhStatus status = PH_RESERVE(s->spare, s->near_count);
    for (uint32_t pass = 0; !status && s->near_count > 1 && pass < 8; pass++) {
        uint32_t start[257] = {0};
        if ((world->collider_limit - 1) >> (8 * (pass & 3)) == 0) {
            continue;
        }
        status = may_go_on(world);
        if (status) {
            break;
        }
        const PhNear *from = s->near;
        for (uint32_t k = 0; k < s->near_count; k++) {
            start[1 + digit_of(&from[k], pass)]++;
        }
        for (int digit = 1; digit < 256; digit++) {
            start[digit] += start[digit - 1];
        }
        for (uint32_t k = 0; k < s->near_count; k++) {
            s->spare[start[digit_of(&from[k], pass)]++] = from[k];
        }
        PhNear *sorted = s->spare;
        s->spare = s->near;
        s->near = sorted;
    }
    return status;
}

static PhStatus find_near(PhWorld *world) {
    PhSensors *s = &world->sensors;
    uint32_t seen = 0;
    s->near_count = 0;
    PhStatus status = follow_sensors(world, &seen) ? PH_OK : PH_ERROR_STOPPED;
    for (uint32_t k = 0; !status && k < s->stir_count; k++) {
        const PhStir *stir = &s->stir[k];
        const PhBody *body = &world->body[stir->slot];
        if (!is_there(world, stir) || !body->enabled) {
            continue;
        }
        bool near = comes_near(world, stir);
        uint32_t c = near || world->bears[stir->slot] ? body->first_collider : PH_NULL;
        for (; !status && c != PH_NULL; c = world->collider[c].next) {
            if (near || world->collider[c].def.sensor) {
                status =
                    search_around(world, &world->collider[c], stir->moves ? stir : NULL, &seen);
            }
        }
    }
    return status ? status : sort_near(world);
}

// ------------------------------------------------------------------------------------------------
// what came and went

static PhSweep sweep_of(const PhWorld *world, uint32_t proxy) {
    uint32_t slot = world->proxies.body[proxy];
    const PhStir *stir = stir_of(world, proxy);
    PhVec2 arm = world->body[slot].center_local;
    PhVec2 to = ph_apply(world->transform[slot], arm);
    double angle = world->pose_angle[slot];
    return stir ? (PhSweep){arm, ph_apply(stir->from, arm), to, stir->angle, angle - stir->angle}
                : (PhSweep){arm, to, to, angle, 0};
}

// Whether a pair of pieces that do not overlap at the end met before.
static bool met(PhWorld *world, const PhNear *near) {
    PhSensors *s = &world->sensors;
    if (s->rounds_left <= 0) {
        return false;
    }
    const PhPiece *a = world->proxy_piece[near->sensor_proxy];
    const PhPiece *b = world->proxy_piece[near->visitor_proxy];
    PhSweep motion_a = sweep_of(world, near->sensor_proxy);
    PhSweep motion_b = sweep_of(world, near->visitor_proxy);
    if (world->wrapped) {
        motion_b.from = ph_add(motion_b.from, near->shift);
        motion_b.to = ph_add(motion_b.to, near->shift);
    }
    int32_t rounds = ph_impact_share(s->rounds_left < MOST_ROUNDS ? s->rounds_left : MOST_ROUNDS);
    PhImpact impact = ph_pieces_impact(a, &motion_a, b, &motion_b, 0, 1, rounds, NULL);
    s->rounds_left -= impact.rounds;
    // The search calls a distance of some rounding errors a hit: not for those that were beside
    // each other when the step began.
    return impact.hit && impact.fraction < 1 &&
           (impact.fraction > 0 ||
            ph_pieces_overlap(a, ph_sweep_pose(&motion_a, 0), b, ph_sweep_pose(&motion_b, 0)));
}

static uint64_t visit_key(const PhContactEvent *visit) {
    return (uint64_t)(uint32_t)visit->collider_a << 32 | (uint32_t)visit->collider_b;
}
static uint64_t near_key(const PhNear *near) {
    return (uint64_t)near->sensor << 32 | near->visitor;
}

// Both colliders are those of the visit, not others with their numbers.
static bool stands(const PhWorld *world, const PhContactEvent *visit) {
    const uint64_t id[2] = {visit->collider_id_a, visit->collider_id_b};
    return ph_collider_valid(world, (PhId){(uint32_t)id[0], (uint32_t)(id[0] >> 32)}) &&
           ph_collider_valid(world, (PhId){(uint32_t)id[1], (uint32_t)(id[1] >> 32)});
}

static bool is_stirred(const PhSensors *s, const PhContactEvent *visit) {
    return s->stir_of[visit->body_a] || s->stir_of[visit->body_b];
}

// Moves visits between the two lists: those that are to be judged, because a body stirs or a
// collider is gone, and those that are not.
static PhStatus sort_visits(PhWorld *world) {
    PhSensors *s = &world->sensors;
    bool change = s->dropped;
    for (uint32_t k = 0; !change && k < s->visit_count; k++) {
        change = !is_stirred(s, &s->visit[k]);
    }
    for (uint32_t k = 0; !change && k < s->stir_count; k++) {
        change = s->resides[s->stir[k].slot];
    }
    if (!change) {
        return PH_OK;
    }
    uint64_t total = (uint64_t)s->visit_count + s->rest_count;
    PhStatus status = PH_RESERVE(s->next, total);
    status = status ? status : PH_RESERVE(s->visit, total);
    status = status ? status : PH_RESERVE(s->rest, total);
    if (status) {
        return status;
    }
    for (uint32_t i = 0, j = 0; i + j < total;) {
        bool first = j == s->rest_count ||
                     (i < s->visit_count && visit_key(&s->visit[i]) < visit_key(&s->rest[j]));
        s->next[i + j] = first ? s->visit[i] : s->rest[j];
        i += first;
        j += !first;
    }
    memset(s->resides, 0, ph_room(s->resides));
    s->visit_count = s->rest_count = 0;
    for (uint32_t k = 0; k < total; k++) {
        const PhContactEvent *visit = &s->next[k];
        if (is_stirred(s, visit) || !stands(world, visit)) {
            s->visit[s->visit_count++] = *visit;
        } else {
            s->rest[s->rest_count++] = *visit;
            s->resides[visit->body_a] = s->resides[visit->body_b] = 1;
        }
    }
    s->dropped = false;
    return PH_OK;
}

static void add_visit(const PhSensors *s, PhEventList *list, PhContactEvent visit) {
    visit.step = s->due_step;
    ((PhContactEvent *)list->rows)[list->count++] = visit;
}

// All pairs of pieces of one sensor and one visitor that may have met. old: the visit that these
// two paid until now, or NULL. Returns whether it goes on or begins.
static bool judge(PhWorld *world, const PhNear *near, uint32_t count, const PhContactEvent *old,
                  PhContactEvent *visit) {
    PhSensors *s = &world->sensors;
    bool inside = false, crossed = false;
    for (uint32_t k = 0; !inside && k < count; k++) {
        inside = near[k].inside;
    }
    for (uint32_t k = 0; !old && !inside && !crossed && k < count; k++) {
        crossed = met(world, &near[k]);
    }
    *visit =
        old ? *old : ph_pair_event(world, near->sensor_proxy, near->visitor_proxy, s->due_step);
    if (!old && (inside || crossed)) {
        add_visit(s, &world->sensor_begin, *visit);
    }
    if (crossed || (old && !inside)) {
        add_visit(s, &world->sensor_end, *visit);
    }
    return inside;
}

static PhStatus judge_all(PhWorld *world) {
    PhSensors *s = &world->sensors;
    uint64_t most = s->near_count, ends = most + s->visit_count;
    PhStatus status = PH_RESERVE(s->next, most);
    status = status ? status : may_go_on(world);
    status = status ? status : ph_event_room(&world->sensor_begin, most, sizeof(PhContactEvent));
    status = status ? status : may_go_on(world);
    status = status ? status : ph_event_room(&world->sensor_end, ends, sizeof(PhContactEvent));
    status = status ? status : may_go_on(world);
    if (status) {
        return status;
    }
    uint32_t count = 0, seen = 0;
    const uint32_t begun = world->sensor_begin.count, ended = world->sensor_end.count;
    s->rounds_left = STEP_ROUNDS + ROUNDS_EACH * (int64_t)world->proxies.count;
    for (uint32_t i = 0, j = 0; i < s->visit_count || j < s->near_count;) {
        const PhContactEvent *old = i < s->visit_count ? &s->visit[i] : NULL;
        const PhNear *near = &s->near[j];
        if (j == s->near_count || (old && visit_key(old) < near_key(near))) {
            add_visit(s, &world->sensor_end, *old);
            i++;
            continue;
        }
        if (ph_stops_now(world, &seen)) { // all of it will be judged again
            world->sensor_begin.count = begun;
            world->sensor_end.count = ended;
            return PH_ERROR_STOPPED;
        }
        uint32_t pieces = 1;
        while (j + pieces < s->near_count && near_key(&near[pieces]) == near_key(near)) {
            pieces++;
        }
        if (old && visit_key(old) > near_key(near)) {
            old = NULL;
        } else if (old && !stands(world, old)) { // the numbers were given to others
            add_visit(s, &world->sensor_end, *old);
            old = NULL;
            i++;
        } else {
            i += old != NULL;
        }
        count += judge(world, near, pieces, old, &s->next[count]);
        j += pieces;
    }
    PhContactEvent *next = s->next;
    s->next = s->visit;
    s->visit = next;
    s->visit_count = count;
    return PH_OK;
}

PhStatus ph_world_settle_events(PhWorld *world, PhError *error) {
    PhSensors *s = &world->sensors;
    if (!s->due) {
        return PH_OK;
    }
    PhStatus status = reserve(world); // bodies may have come since
    status = status ? status : sort_visits(world);
    status = status ? status : find_near(world);
    status = status ? status : judge_all(world);
    if (status == PH_ERROR_CAPACITY) {
        return ph_fail(error, status,
                       "in a step %u sensors and %u bodies had more than %llu pairs of shapes near "
                       "each other: remove some, or let mask or group filter them",
                       s->count, world->body_count, (unsigned long long)most_near(world));
    }
    if (status) {
        return ph_fail(error, status, "no memory for the events of %u sensors", s->count);
    }
    forget_stirs(s);
    s->due = false;
    return PH_OK;
}

void ph_sensors_shift(PhWorld *world, uint32_t slot, PhVec2 by) {
    PhSensors *s = &world->sensors;
    if (slot < PH_CAPACITY(s->stir_of) && s->stir_of[slot]) {
        PhTransform *from = &s->stir[s->stir_of[slot] - 1].from;
        from->p = ph_add(from->p, by);
    }
}

void ph_sensors_finish(PhWorld *world) {
    PhSensors *s = &world->sensors;
    if (in_use(s)) {
        s->due = true;
        s->due_step = (int64_t)world->step_count;
        (void)ph_world_settle_events(world, NULL);
    }
}

// ------------------------------------------------------------------------------------------------
// reading

uint64_t ph_sensors_hash(PhWorld *world, uint64_t hash) {
    (void)ph_world_settle_events(world, NULL);
    const PhSensors *s = &world->sensors;
    for (uint32_t i = 0, j = 0; i + j < s->visit_count + s->rest_count;) {
        bool first = j == s->rest_count ||
                     (i < s->visit_count && visit_key(&s->visit[i]) < visit_key(&s->rest[j]));
        const PhContactEvent *visit = first ? &s->visit[i++] : &s->rest[j++];
        const uint64_t words[] = {visit_key(visit), stands(world, visit)};
        hash = ph_hash(hash, words, sizeof words);
    }
    return hash;
}

uint32_t ph_world_visit_count(const PhWorld *world) {
    return world->sensors.visit_count + world->sensors.rest_count;
}

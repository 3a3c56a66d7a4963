// Owns the life of a world and its settings.
#include "world/world.h"

#include <string.h>

#include "geometry/build.h"
#include "world/internal.h"
#include "world/passes.h"

PhWorldDef ph_world_def(void) {
    return (PhWorldDef){
        .gravity = {0, -9.81},
        .wrap = {INFINITY, INFINITY},
        .substeps = 8,
        .workers = 1,
        .solver = PH_SOFT_STEP,
        .broadphase = PH_BROAD_GRID,
        .sleeping = true,
        .continuous = true,
        .max_bodies = 1u << 20,
        .friction_rule = PH_MIX_GEOMETRIC_MEAN,
        .restitution_rule = PH_MIX_MAX,
        .contact_hertz = 60,
        .contact_damping_ratio = 10,
        .contact_push_speed = 3,
        .joint_hertz = 60,
        .joint_damping_ratio = 2,
        .restitution_threshold = 0.1,
        .hit_event_threshold = 1,
        .max_speed = 400,
        .max_angular_speed = 1e5,
        .iterations = 10,
        .baumgarte = 0.2,
        .slop = 0.01,
        .positional_correction = 0,
        .warm_starting = true,
        .accumulate = true,
    };
}

static PhStatus check_number(const char *name, double value, double least, double most,
                             PhError *error) {
    if (value >= least && value <= most) {
        return PH_OK;
    }
    return ph_fail(error, PH_ERROR_VALUE, "%s: must be between %s and %s, got %s", name,
                   ph_number_text(least).text, ph_number_text(most).text,
                   ph_number_text(value).text);
}

static PhStatus check_settings(const PhWorldDef *def, PhError *error) {
    const struct {
        const char *name;
        double value, least, most;
    } numbers[] = {
        {"substeps", def->substeps, 1, 1024},
        {"workers", def->workers, 1, 256},
        {"max_bodies", def->max_bodies, 1, PH_MAX_SLOTS},
        {"contact_hertz", def->contact_hertz, 1e-3, 1e6},
        {"contact_damping_ratio", def->contact_damping_ratio, 0, 1e6},
        {"contact_push_speed", def->contact_push_speed, 0, 1e9},
        {"joint_hertz", def->joint_hertz, 1e-3, 1e6},
        {"joint_damping_ratio", def->joint_damping_ratio, 0, 1e6},
        {"restitution_threshold", def->restitution_threshold, 0, 1e9},
        {"hit_event_threshold", def->hit_event_threshold, 0, 1e9},
        {"max_speed", def->max_speed, 1e-9, PH_MAX_VELOCITY},
        {"max_angular_speed", def->max_angular_speed, 1e-9, PH_MAX_VELOCITY},
        {"iterations", def->iterations, 1, 1e6},
        {"baumgarte", def->baumgarte, 0, 1},
        {"slop", def->slop, 0, 1e9},
        {"positional_correction", def->positional_correction, 0, 1},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        PhStatus status = check_number(numbers[i].name, numbers[i].value, numbers[i].least,
                                       numbers[i].most, error);
        if (status) {
            return status;
        }
    }
    PhStatus status = ph_check_finite("gravity", def->gravity.x, error);
    status = status ? status : ph_check_finite("gravity", def->gravity.y, error);
    return status ? status : ph_wrap_check(def->wrap, error);
}

static void take_kernels(PhWorld *world, const PhKernels *kernels) {
    world->kernels = kernels;
    world->passes = ph_passes(kernels);
    world->broad.avx2 = kernels->lanes == 8;
}

PhWorld *ph_world_create(const PhWorldDef *def, PhError *error) {
    if (check_settings(def, error)) {
        return NULL;
    }
    PhWorld *world = ph_alloc(1, sizeof *world);
    if (!world) {
        ph_fail(error, PH_ERROR_MEMORY, "no memory for a world");
        return NULL;
    }
    world->def = *def;
    ph_layout_init(&world->layout);
    ph_tree_init(&world->tree, 0.1);
    ph_sensors_init(&world->sensors);
    world->unmeasured = PH_NULL;
    world->query_stale = true;
    world->state = ph_state_create(def->max_bodies, error);
    if (!world->state || ph_broad_init(&world->broad, def->broadphase)) {
        if (world->state) {
            ph_fail(error, PH_ERROR_MEMORY, "no memory for a world");
        }
        ph_world_destroy(world);
        return NULL;
    }
    world->wrap = world->broad.wrap = ph_wrap_make(def->wrap);
    world->wrapped = ph_wraps(&world->wrap);
    take_kernels(world, ph_simd_default(NULL));
    return world;
}

void ph_world_list_arrays(PhWorld *world, PhArray list[PH_WORLD_ARRAYS]) {
#define ROWS(array, count)                                                                         \
    { &world->array, sizeof *world->array, world->count }
#define EVENTS(list, type)                                                                         \
    { &world->list.rows, sizeof(type), world->list.capacity }
    const PhArray all[] = {
        ROWS(body, slot_capacity),
        ROWS(role, slot_capacity),
        ROWS(moved, slot_capacity),
        ROWS(last_awake, slot_capacity),
        ROWS(tree_stale, slot_capacity),
        ROWS(bears, slot_capacity),
        ROWS(shifted, slot_capacity),
        ROWS(mass, slot_capacity),
        ROWS(center, slot_capacity),
        ROWS(gravity_scale, slot_capacity),
        ROWS(linear_damping, slot_capacity),
        ROWS(angular_damping, slot_capacity),
        ROWS(substep_level, slot_capacity),
        ROWS(transform, slot_capacity),
        ROWS(pose_angle, slot_capacity),
        ROWS(off_center, slot_capacity),
        ROWS(limited, slot_capacity),
        ROWS(sleep_reach, slot_capacity),
        ROWS(sleep_time, slot_capacity),
        ROWS(rest_mark, slot_capacity),
        ROWS(woken, slot_capacity),
        ROWS(found, slot_capacity),
        ROWS(dynamic, slot_capacity),
        ROWS(kinematic, slot_capacity),
        ROWS(island_time, slot_capacity),
        ROWS(continuous.start, slot_capacity),
        ROWS(continuous.reach, slot_capacity),
        ROWS(continuous.limit, slot_capacity),
        ROWS(continuous.hull, slot_capacity),
        ROWS(continuous.listed, slot_capacity),
        ROWS(continuous.fast, slot_capacity),
        ROWS(continuous.fixed.node, continuous.fixed.capacity),
        ROWS(continuous.distance_grid.away, continuous.distance_grid.away_capacity),
        ROWS(continuous.distance_grid.span, continuous.distance_grid.span_capacity),
        ROWS(continuous.driven.node, continuous.driven.capacity),
        ROWS(continuous.fast_bodies.node, continuous.fast_bodies.capacity),
        ROWS(continuous.item, continuous.item_capacity),
        ROWS(continuous.fast_body, continuous.fast_body_capacity),
        ROWS(collider, collider_capacity),
        ROWS(proxies.box, proxies.capacity),
        ROWS(proxies.predicted, proxies.capacity),
        ROWS(proxies.reach, proxies.capacity),
        ROWS(proxies.slab, proxies.capacity),
        ROWS(proxies.left, proxies.capacity),
        ROWS(proxies.body, proxies.capacity),
        ROWS(proxies.collider, proxies.capacity),
        ROWS(proxies.piece, proxies.capacity),
        ROWS(proxies.flags, proxies.capacity),
        ROWS(proxies.category, proxies.capacity),
        ROWS(proxies.mask, proxies.capacity),
        ROWS(proxies.group, proxies.capacity),
        ROWS(proxy_piece, proxies.capacity),
        ROWS(span, proxies.capacity),
        ROWS(proxies.moving, proxies.capacity),
        ROWS(proxies.enlarged, proxies.capacity),
        ROWS(tree_leaf, proxies.capacity),
        ROWS(lane_place, proxies.capacity),
        ROWS(lane_piece, proxies.capacity),
        ROWS(material, proxies.capacity),
        ROWS(narrow_flags, proxies.capacity),
        ROWS(free_ranges, proxies.capacity),
        ROWS(zombies, proxies.capacity),
        ROWS(next_active, pair_capacity),
        ROWS(contacts.manifold, pair_capacity),
        ROWS(approach, pair_capacity),
        ROWS(later, pair_capacity),
        ROWS(predicted_contact, predicted_capacity),
        ROWS(lane_ring, ring_capacity),
        ROWS(contacts.pair, contacts.capacity),
        ROWS(contacts.body_a, contacts.capacity),
        ROWS(contacts.body_b, contacts.capacity),
        ROWS(floors.run, floors.run_capacity),
        ROWS(floors.member, floors.member_capacity),
        ROWS(floors.group, floors.group_capacity),
        ROWS(flush.run, flush.run_capacity),
        ROWS(flush.slab, flush.slab_capacity),
        ROWS(flush.member, flush.member_capacity),
        EVENTS(begin, PhContactEvent),
        EVENTS(end, PhContactEvent),
        EVENTS(lost, PhContactEvent),
        EVENTS(hit, PhHitEvent),
        EVENTS(sleep, PhBodyEvent),
        EVENTS(wake, PhBodyEvent),
        EVENTS(joint_break, PhJointEvent),
        ROWS(joints.joint, joints.capacity),
        ROWS(joints.result, joints.result_capacity),
        ROWS(joints.effective_inertia, joints.effective_inertia_capacity),
        ROWS(joints.apart, joints.apart_capacity),
        EVENTS(sensor_begin, PhContactEvent),
        EVENTS(sensor_end, PhContactEvent),
    };
#undef ROWS
#undef EVENTS
    _Static_assert(sizeof all / sizeof all[0] == PH_WORLD_ARRAYS, "PH_WORLD_ARRAYS");
    memcpy(list, all, sizeof all);
}

void ph_world_destroy(PhWorld *world) {
    if (!world) {
        return;
    }
    for (uint32_t i = 0; i < world->collider_limit; i++) {
        if (world->collider[i].alive) {
            ph_shape_release(world->collider[i].shape);
        }
    }
    PhArray arrays[PH_WORLD_ARRAYS];
    ph_world_list_arrays(world, arrays);
    ph_free_arrays(arrays, PH_WORLD_ARRAYS);
    ph_fields_free(&world->fields);
    ph_sensors_free(&world->sensors);
    ph_broad_free(&world->broad);
    ph_layout_free(&world->layout);
    ph_tree_free(&world->tree);
    ph_targets_free(&world->targets);
    ph_state_release(world->state);
    ph_jobs_free(world->jobs);
    ph_savepoint_drop(world);
    ph_free(world);
}

PhJobs *ph_world_team(PhWorld *world) {
    if (world->def.workers > 1 && !world->jobs) {
        world->jobs = ph_jobs_create((uint32_t)world->def.workers);
    }
    ph_jobs_begin(world->jobs);
    return world->jobs;
}

const PhWorldDef *ph_world_settings(const PhWorld *world) {
    return &world->def;
}

PhStatus ph_world_set_gravity(PhWorld *world, PhVec2 gravity, PhError *error) {
    PhStatus status = ph_check_finite("gravity", gravity.x, error);
    if (!status) {
        status = ph_check_finite("gravity", gravity.y, error);
    }
    if (status) {
        return status;
    }
    if (gravity.x != world->def.gravity.x || gravity.y != world->def.gravity.y) {
        world->def.gravity = gravity;
        world->layout_dirty = true; // substep levels of islands depend on it
        for (uint32_t i = 0; i < world->slot_count; i++) {
            ph_wake(world, i);
        }
    }
    return PH_OK;
}

double ph_world_time(const PhWorld *world) {
    return world->time;
}
uint64_t ph_world_step_count(const PhWorld *world) {
    return world->step_count;
}
const char *ph_world_simd(const PhWorld *world) {
    return ph_simd_name(world->kernels);
}
PhStatus ph_world_set_simd(PhWorld *world, const char *name) {
    const PhKernels *kernels = ph_simd_find(name);
    if (!kernels) {
        return PH_ERROR_VALUE;
    }
    take_kernels(world, kernels);
    world->layout_dirty = true;
    return PH_OK;
}
PhState *ph_world_state(const PhWorld *world) {
    return world->state;
}
uint32_t ph_world_slot_count(const PhWorld *world) {
    return world->slot_count;
}
uint32_t ph_world_piece_count(const PhWorld *world) {
    return world->proxies.count;
}

uint32_t ph_world_body_count(const PhWorld *world) {
    return world->body_count;
}
uint32_t ph_world_views_moved(const PhWorld *world) {
    return world->views_moved;
}
void ph_world_set_watched(PhWorld *world, bool watched) {
    // The last view may have been written through just before it died.
    world->compare_poses = world->compare_poses || watched || world->watched;
    world->watched = watched;
}

// Owns the life of a world and its settings.
#include "world/world.h"
#include "world/changes.h"

#include <string.h>

#include "geometry/build.h"
#include "world/internal.h"
#include "world/passes.h"

PhWorldDef ph_world_def(double length_unit) {
    return (PhWorldDef){
        .length_unit = length_unit,
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
        .contact_push_speed = 3 * length_unit,
        .joint_hertz = 60,
        .joint_damping_ratio = 2,
        .restitution_threshold = 0.1 * length_unit,
        .hit_event_threshold = length_unit,
        .max_speed = 400 * length_unit,
        .max_angular_speed = 1e5,
        .iterations = 10,
        .baumgarte = 0.2,
        .slop = 0.01 * length_unit,
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
        {"length_unit", def->length_unit, PH_LEAST_UNIT, PH_MOST_UNIT},
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
        {"linear_damping", def->linear_damping, 0, 1e9},
        {"angular_damping", def->angular_damping, 0, 1e9},
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
    return status ? status : ph_wrap_check(def->wrap, def->length_unit, error);
}

static bool is_damped(const PhWorldDef *def) {
    return def->linear_damping != 0 || def->angular_damping != 0;
}

static void take_kernels(PhWorld *world, const PhKernels *kernels) {
    world->kernels = kernels;
    world->passes = ph_passes(kernels);
    world->broad.avx2 = kernels->wide_doubles;
}

PhWorld *ph_world_create(const PhWorldDef *def, PhError *error) {
    return ph_world_create_for(def, 0, NULL, error);
}

// Takes the arrays of an emptied world, and destroys it. Most are zeros then, as fresh ones are.
// Those of slots, proxies and colliders have to be cleared once it is known what will be in them.
// Those of events stay as they are: they have counts, and each row that is counted is written
// whole.
static void take_room(PhWorld *world, PhWorld *spare) {
#define TAKE(array, capacity)                                                                      \
    world->capacity = spare->capacity;                                                             \
    world->array = spare->array;                                                                   \
    spare->array = NULL;
#define TAKE_SLOT(array) TAKE(array, slot_capacity)
#define TAKE_PROXY(array) TAKE(array, proxies.capacity)
#define TAKE_COLLIDER(array) TAKE(array, collider_capacity)
#define TAKE_PAIR(array) TAKE(array, pair_capacity)
#define TAKE_CONTACT(array) TAKE(array, contacts.capacity)
#define TAKE_EVENTS(list, type) TAKE(list.rows, list.capacity)
    PH_SLOT_COLUMNS(TAKE_SLOT)
    PH_PROXY_COLUMNS(TAKE_PROXY)
    PH_COLLIDER_COLUMNS(TAKE_COLLIDER)
    PH_PAIR_COLUMNS(TAKE_PAIR)
    PH_CONTACT_COLUMNS(TAKE_CONTACT)
    PH_OWN_ARRAYS(TAKE)
    PH_EVENT_LISTS(TAKE_EVENTS)
    PhArray all[PH_WORLD_ARRAYS];
    ph_world_list_arrays(world, all);
    ph_clear_arrays(all + PH_TABLE_ARRAYS, PH_OTHER_ARRAYS);
#if defined(PH_DEBUG) // code that reads what was not written fails
#define POISON(list, type)                                                                         \
    if (world->list.rows) {                                                                        \
        memset(world->list.rows, 0xcb, world->list.capacity * sizeof(type));                       \
    }
    PH_EVENT_LISTS(POISON)
#undef POISON
#endif
    world->used_room = true;
    world->state = spare->state;
    spare->state = NULL;
    ph_world_destroy(spare);
}

// Zeros: all of the columns that have to be cleared, and of the others what is behind the first
// rows.
static void clear_columns(const PhArray *all, int count, void *const *cleared, int cleared_count,
                          uint32_t first) {
    for (int i = 0; i < count; i++) {
        bool whole = false;
        for (int k = 0; k < cleared_count; k++) {
            whole |= cleared[k] == all[i].data;
        }
        const uint32_t from = whole ? 0 : first;
        char *rows;
        memcpy(&rows, all[i].data, sizeof rows);
#if defined(PH_DEBUG) // code that reads what was not written fails
        if (from) {
            memset(rows, 0xcb, from * all[i].size);
        }
#endif
        if (all[i].capacity > from) {
            memset(rows + from * all[i].size, 0, (all[i].capacity - from) * all[i].size);
        }
    }
}

#define ADDRESS(array) &world->array,
void ph_world_clear_slots(PhWorld *world, uint32_t slots) {
    if (world->used_room) {
        void *const cleared[] = {PH_CLEARED_SLOT_COLUMNS(ADDRESS)};
        PhArray all[PH_WORLD_ARRAYS];
        ph_world_list_arrays(world, all);
        clear_columns(all, PH_SLOT_ARRAYS, cleared, sizeof cleared / sizeof cleared[0], slots);
    }
}

void ph_world_clear_colliders(PhWorld *world, uint32_t colliders, uint32_t proxies) {
    if (world->used_room) {
        void *const cleared[] = {PH_CLEARED_PROXY_COLUMNS(ADDRESS)};
        PhArray all[PH_WORLD_ARRAYS];
        ph_world_list_arrays(world, all);
        clear_columns(all + PH_SLOT_ARRAYS, PH_PROXY_ARRAYS, cleared,
                      sizeof cleared / sizeof cleared[0], proxies);
        if (world->collider_capacity > colliders) {
            memset(world->collider + colliders, 0,
                   (world->collider_capacity - colliders) * sizeof *world->collider);
        }
    }
}
#undef ADDRESS

PhWorld *ph_world_create_for(const PhWorldDef *def, uint32_t slots, PhWorld *spare,
                             PhError *error) {
    PhWorld *world = NULL;
    if (!check_settings(def, error)) {
        world = ph_alloc(1, sizeof *world);
        if (!world) {
            ph_fail(error, PH_ERROR_MEMORY, "no memory for a world");
        }
    }
    if (world && spare) {
        take_room(world, spare);
    } else {
        ph_world_destroy(spare);
    }
    if (!world) {
        return NULL;
    }
    world->def = *def;
    world->singular = is_damped(def);
    ph_layout_init(&world->layout);
    world->lengths = ph_lengths(def->length_unit);
    world->proxies.displacement_slack = world->lengths.displacement_slack;
    world->proxies.farthest_ahead = world->lengths.farthest_ahead;
    ph_tree_init(&world->tree, world->lengths.tree_margin);
    ph_sensors_init(&world->sensors, world->lengths.tree_margin);
    world->unmeasured = PH_NULL;
    ph_note_queries(world);
    if (!ph_state_clear(world->state, slots)) {
        ph_state_release(world->state);
        world->state =
            slots ? ph_state_create_small(slots, error) : ph_state_create(def->max_bodies, error);
    }
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
#define ROWS(array, capacity) {&world->array, sizeof *world->array, world->capacity},
#define BY_SLOT(array) ROWS(array, slot_capacity)
#define BY_PROXY(array) ROWS(array, proxies.capacity)
#define BY_COLLIDER(array) ROWS(array, collider_capacity)
#define BY_PAIR(array) ROWS(array, pair_capacity)
#define BY_CONTACT(array) ROWS(array, contacts.capacity)
#define EVENTS(list, type) {&world->list.rows, sizeof(type), world->list.capacity},
    const PhArray all[] = {PH_SLOT_COLUMNS(BY_SLOT) PH_PROXY_COLUMNS(BY_PROXY)
                               PH_COLLIDER_COLUMNS(BY_COLLIDER) PH_PAIR_COLUMNS(BY_PAIR)
                                   PH_CONTACT_COLUMNS(BY_CONTACT) PH_OWN_ARRAYS(ROWS)
                                       PH_EVENT_LISTS(EVENTS)};
    memcpy(list, all, sizeof all);
}

void ph_world_empty(PhWorld *world) {
    for (uint32_t i = 0; i < world->collider_limit; i++) {
        if (world->collider[i].alive) {
            ph_shape_release(world->collider[i].shape);
            ph_segments_release(world->collider[i].def.segments);
            world->collider[i].alive = false;
        }
    }
    world->collider_limit = 0;
    ph_fields_free(&world->fields);
    ph_sensors_free(&world->sensors);
    ph_broad_free(&world->broad);
    ph_layout_free(&world->layout);
    ph_tree_free(&world->tree);
    ph_targets_free(&world->targets);
    ph_jobs_free(world->jobs);
    world->jobs = NULL;
    ph_savepoint_drop(world);
    ph_world_destroy(world->spare);
    world->spare = NULL;
}

size_t ph_world_room(PhWorld *world) {
    PhArray arrays[PH_WORLD_ARRAYS];
    ph_world_list_arrays(world, arrays);
    size_t bytes = world->state ? world->state->bytes : 0;
    for (int i = 0; i < PH_WORLD_ARRAYS; i++) {
        void *rows;
        memcpy(&rows, arrays[i].data, sizeof rows);
        bytes += rows ? arrays[i].capacity * arrays[i].size : 0;
    }
    return bytes;
}

void ph_world_destroy(PhWorld *world) {
    if (!world) {
        return;
    }
    ph_world_empty(world);
    PhArray arrays[PH_WORLD_ARRAYS];
    ph_world_list_arrays(world, arrays);
    ph_free_arrays(arrays, PH_WORLD_ARRAYS);
    ph_state_release(world->state);
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

PhStatus ph_world_change(PhWorld *world, const PhWorldDef *def, PhError *error) {
    const PhWorldDef before = world->def;
    PH_ASSERT(def->max_bodies == before.max_bodies && def->length_unit == before.length_unit);
    PhStatus status = check_settings(def, error);
    status = status ? status : ph_joints_check_solver(world, def->solver, error);
    if (status) {
        return status;
    }
    if (def->workers != before.workers) {
        ph_jobs_free(world->jobs); // made anew when they are wanted
        world->jobs = NULL;
    }
    if (def->broadphase != before.broadphase) {
        world->broad.kind = def->broadphase;
        ph_note_pairs(world);
    }
    world->def = *def;
    world->singular = world->singular || is_damped(def);
    ph_note_layout(world); // wide contacts, joints, substep levels are made of the settings
    if (def->gravity.x != before.gravity.x || def->gravity.y != before.gravity.y ||
        (before.sleeping && !def->sleeping)) {
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
    ph_note_layout(world);
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

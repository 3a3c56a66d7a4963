// Owns bodies: slots, poses, masses, forces. A slot never changes while its body lives; the lowest
// free one is given out.
#include <string.h>

#include "math/trig.h"
#include "world/changes.h"
#include "world/internal.h"

static PhStatus check_least(const char *name, double value, double least, PhError *error) {
    if (isfinite(value) && value >= least) {
        return PH_OK;
    }
    return ph_fail(error, PH_ERROR_VALUE, "%s: must be finite and >= %g, got %g", name, least,
                   value);
}

PhBodyDef ph_body_def(void) {
    return (PhBodyDef){.kind = PH_DYNAMIC,
                       .gravity_scale = 1,
                       .awake = true,
                       .can_sleep = true,
                       .enabled = true,
                       .sleep_threshold = -1};
}

static PhStatus check_static(PhVec2 velocity, double angular, PhError *error) {
    if (velocity.x == 0 && velocity.y == 0 && angular == 0) {
        return PH_OK;
    }
    return ph_fail(error, PH_ERROR_VALUE,
                   "%s: a static body does not move; make it kinematic to move it",
                   angular != 0 ? "angular_velocity" : "velocity");
}

static PhStatus check_center(PhVec2 center, PhError *error) {
    if (fabs(center.x) <= PH_MAX_COORDINATE && fabs(center.y) <= PH_MAX_COORDINATE) {
        return PH_OK;
    }
    return ph_fail(error, PH_ERROR_VALUE, "center_of_mass: must be within +-%g m, got (%g, %g)",
                   PH_MAX_COORDINATE, center.x, center.y);
}

// Whether it is good at first sight: all numbers are far within their ranges, as they are of nearly
// all bodies, of which there may be many.
static bool is_modest(const PhBodyDef *def) {
    enum { MOST = 1000000 };
    _Static_assert(MOST <= (int64_t)PH_MAX_POSITION && MOST <= (int64_t)PH_MAX_ANGLE &&
                       MOST <= (int64_t)PH_MAX_VELOCITY,
                   "MOST");
    const double either[] = {def->position.x,    def->position.y,     def->angle,
                             def->velocity.x,    def->velocity.y,     def->angular_velocity,
                             def->gravity_scale, def->sleep_threshold};
    const double positive[] = {def->linear_damping, def->angular_damping, def->mass, def->inertia};
    bool modest = !def->own_center;
    for (size_t i = 0; i < sizeof either / sizeof either[0]; i++) {
        modest &= fabs(either[i]) <= MOST;
    }
    for (size_t i = 0; i < sizeof positive / sizeof positive[0]; i++) {
        modest &= (positive[i] >= 0) & (positive[i] <= MOST);
    }
    return modest;
}

PhStatus ph_body_check(const PhBodyDef *def, PhError *error) {
    if (is_modest(def)) {
        return PH_OK;
    }
    PhStatus status = ph_check_position("position", def->position, error);
    status = status ? status : ph_check_angle("angle", def->angle, error);
    status = status ? status : ph_check_velocity("velocity", def->velocity, error);
    status = status ? status
                    : ph_check_angular_velocity("angular_velocity", def->angular_velocity, error);
    status = status ? status : ph_check_finite("gravity_scale", def->gravity_scale, error);
    status = status ? status : check_least("linear_damping", def->linear_damping, 0, error);
    status = status ? status : check_least("angular_damping", def->angular_damping, 0, error);
    status = status ? status : check_least("mass", def->mass, 0, error);
    status = status ? status : check_least("inertia", def->inertia, 0, error);
    status = status || !def->own_center ? status : check_center(def->center, error);
    return status ? status : ph_check_finite("sleep_threshold", def->sleep_threshold, error);
}

static PhGivenMass given_of(const PhBodyDef *def) {
    return (PhGivenMass){def->mass, def->inertia, def->own_center ? def->center : ph_vec(0, 0),
                         def->own_center};
}

void ph_body_update_role(PhWorld *world, uint32_t slot) {
    PhState *state = world->state;
    uint8_t role = PH_ROLE_NONE;
    if (state->alive[slot] && world->body[slot].enabled) {
        bool moves = state->velocity[slot][0] != 0 || state->velocity[slot][1] != 0 ||
                     state->angular_velocity[slot] != 0;
        if (state->kind[slot] == PH_KINEMATIC) {
            state->awake[slot] = moves;
            role = moves ? PH_ROLE_KINEMATIC : PH_ROLE_FIXED;
        } else if (state->kind[slot] == PH_STATIC) {
            role = PH_ROLE_FIXED;
        } else {
            role = state->awake[slot] ? PH_ROLE_DYNAMIC : PH_ROLE_NONE;
        }
    }
    if (role != world->role[slot]) {
        world->role[slot] = role;
        ph_note_role(world);
    }
}

// ------------------------------------------------------------------------------------------------
// creation
PhStatus ph_slots_reserve(PhWorld *world, uint32_t slots, PhError *error) {
    if (slots > world->def.max_bodies) {
        return ph_fail(
            error, PH_ERROR_CAPACITY,
            "the world holds at most max_bodies = %u bodies; make it with a larger max_bodies",
            world->def.max_bodies);
    }
    PhStatus status = ph_state_grow(world, slots, error);
    if (status) {
        return status;
    }
    const PhColumn columns[] = {PH_SLOT_COLUMNS(PH_COLUMN)};
    PH_FEW_COLUMNS(columns);
    status = ph_grow_columns(columns, sizeof columns / sizeof columns[0], &world->slot_capacity,
                             slots, world->stop);
    return status ? ph_fail(error, status, "no memory for %u bodies", slots) : PH_OK;
}

static uint32_t lowest_free_slot(const PhWorld *world) {
    uint32_t hint = world->free_slot_hint;
    const uint8_t *hole = hint < world->slot_count
                              ? memchr(world->state->alive + hint, 0, world->slot_count - hint)
                              : NULL;
    return hole ? (uint32_t)(hole - world->state->alive) : world->slot_count;
}

static uint32_t take_slot(PhWorld *world) {
    uint32_t slot = lowest_free_slot(world);
    world->slot_count += slot == world->slot_count;
    world->free_slot_hint = slot + 1;
    return slot;
}

void ph_body_make(PhWorld *world, uint32_t slot, const PhBodyDef *def) {
    PhState *state = world->state;
    PhBody *body = &world->body[slot];
    const uint32_t generation = ph_take_generation(world, body->generation);
    ph_clear_row(body, sizeof *body);
    body->generation = generation;
    body->first_collider = body->last_collider = PH_NULL;
    body->sleep_next = slot;
    body->first_joint = body->lock_joint = PH_NULL;
    body->given = given_of(def);
    body->sleep_threshold = def->sleep_threshold;
    body->can_sleep = def->can_sleep;
    body->bullet = def->bullet;
    body->fixed_rotation = def->fixed_rotation;
    body->enabled = def->enabled;
    bool moves = def->kind != PH_STATIC;
    bool awake = def->kind == PH_DYNAMIC && def->enabled && def->awake;
    bool pushed = moves && (awake || def->kind == PH_KINEMATIC);
    PhVec2 place = ph_wrap_fold(&world->wrap, def->position);
    state->position[slot][0] = place.x;
    state->position[slot][1] = place.y;
    state->angle[slot] = def->angle;
    state->velocity[slot][0] = pushed ? def->velocity.x : 0;
    state->velocity[slot][1] = pushed ? def->velocity.y : 0;
    state->angular_velocity[slot] = pushed ? def->angular_velocity : 0;
    state->force[slot][0] = state->force[slot][1] = state->torque[slot] = 0;
    state->kind[slot] = (uint8_t)def->kind;
    state->alive[slot] = 1;
    state->awake[slot] = awake;
    world->last_awake[slot] = awake;
    world->gravity_scale[slot] = def->gravity_scale;
    world->linear_damping[slot] = def->linear_damping;
    world->angular_damping[slot] = def->angular_damping;
    world->singular |=
        def->gravity_scale != 1 || def->linear_damping != 0 || def->angular_damping != 0;
    world->own_thresholds |= def->sleep_threshold >= 0;
    world->substep_level[slot] = (PhSubstepLevel){0};
    world->bears[slot] = 0;
    world->shifted[slot] = 0;
    world->sleep_time[slot] = 0;
    world->limited[slot] = 0;
    ph_note_moved(world, slot, PH_MOVED_NEW);
    world->role[slot] = PH_ROLE_NONE;
    if (slot < PH_CAPACITY(world->layout.island)) {
        world->layout.island[slot] = PH_NULL;
    }
    world->body_count++;
}

PhStatus ph_bodies_reserve(PhWorld *world, uint32_t count, uint32_t leaving, PhError *error) {
    uint64_t total = (uint64_t)world->body_count - leaving + count;
    if (total > world->def.max_bodies) {
        return ph_fail(
            error, PH_ERROR_CAPACITY,
            "%llu bodies are more than max_bodies = %u; make the world with a larger max_bodies",
            (unsigned long long)total, world->def.max_bodies);
    }
    uint64_t holes = (uint64_t)world->slot_count - world->body_count + leaving;
    uint32_t limit =
        count <= holes ? world->slot_count : (uint32_t)(world->slot_count + count - holes);
    return ph_slots_reserve(world, limit, error);
}

PhStatus ph_body_next_id(PhWorld *world, PhId *id, PhError *error) {
    PhStatus status = ph_bodies_reserve(world, 1, 0, error);
    if (!status) {
        uint32_t slot = lowest_free_slot(world);
        *id = (PhId){slot, ph_next_generation(world, world->body[slot].generation)};
    }
    return status;
}

// A body that leaves is in no list any more, and its row in the live arrays says so.
static void bury(PhWorld *world, uint32_t slot) {
    while (world->body[slot].first_collider != PH_NULL) {
        ph_collider_drop(world, world->body[slot].first_collider);
    }
    PhState *state = world->state;
    state->alive[slot] = state->awake[slot] = state->kind[slot] = 0;
    ph_state_poison(state, slot);
    world->role[slot] = PH_ROLE_NONE;
    world->moved[slot] = world->last_awake[slot] = 0;
    ph_note_lists(world);
    world->body_count--;
    if (slot < world->free_slot_hint) {
        world->free_slot_hint = slot;
    }
    ph_note_layout(world);
}

// seen: NULL, or counts until world->stop is asked. Whether the body is complete.
static bool add(PhWorld *world, uint32_t slot, const PhBodyDef *def, PhShape *const *shapes,
                const PhColliderDef *materials, uint32_t material_stride, uint32_t shape_count,
                uint32_t *seen) {
    ph_body_make(world, slot, def);
    ph_refresh_slot(world, slot);
    for (uint32_t i = 0; i < shape_count; i++) {
        ph_collider_add(world, slot, shapes[i], materials + (size_t)i * material_stride);
        if (seen && ph_stops_now(world, seen)) {
            return false;
        }
    }
    PhVec2 velocity = ph_slot_velocity(world, slot); // of the centre of mass, wherever that is
    ph_body_update_mass(world, slot);
    world->state->velocity[slot][0] = velocity.x;
    world->state->velocity[slot][1] = velocity.y;
    ph_body_update_role(world, slot);
    ph_body_update_proxies(world, slot);
    ph_measure_last(world); // itself
    return true;
}

uint32_t ph_body_add(PhWorld *world, const PhBodyDef *def, PhShape *const *shapes,
                     const PhColliderDef *materials, uint32_t material_stride,
                     uint32_t shape_count) {
    uint32_t slot = take_slot(world);
    (void)add(world, slot, def, shapes, materials, material_stride, shape_count, NULL);
    return slot;
}

// Takes back the last bodies that were added, with all that came with them.
static void take_back(PhWorld *world, const uint32_t *slots, uint32_t count, uint32_t slot_count,
                      const PhColliderMark *mark) {
    ph_measure_bodies(world);
    while (count-- > 0) {
        ph_joints_drop_body(world, slots[count]); // its lock
        bury(world, slots[count]);
    }
    world->slot_count = slot_count;
    ph_colliders_take_back(world, mark);
}

// Whether one body can be made: its numbers, its material and the mass that they give.
static PhStatus check_mass(const PhBodyDef *def, PhShape *const *shapes, uint32_t shape_count,
                           double density, PhError *error) {
    PhMassData data = {0};
    double area = 0;
    for (uint32_t i = 0; i < shape_count; i++) {
        area += shapes[i]->area;
    }
    for (uint32_t i = 0; i < shape_count; i++) {
        ph_mass_add_shape(&data, shapes[i], density, area * density <= 0);
    }
    const PhGivenMass given = given_of(def);
    ph_mass_finish(&data, &given);
    return ph_mass_check(&data, &given, error);
}

static PhStatus check_rows(PhWorld *world, uint32_t count, const PhBodyDef *defs,
                           uint32_t def_stride, const PhColliderDef *collider_defs,
                           uint32_t collider_stride, PhShape *const *shapes, uint32_t shape_stride,
                           uint32_t shape_count, PhError *error) {
    uint32_t seen = 0;
    for (uint32_t row = 0; row < count; row++) {
        const PhBodyDef *def = defs + (size_t)row * def_stride;
        const PhColliderDef *material = collider_defs + (size_t)row * collider_stride;
        PhShape *const *own = shapes + (size_t)row * shape_stride;
        PhStatus status = row && !def_stride ? PH_OK : ph_body_check(def, error);
        if (!status && def->kind == PH_STATIC) {
            status = check_static(def->velocity, def->angular_velocity, error);
        }
        if (!status && (!row || collider_stride)) {
            status = ph_collider_check(material, error);
        }
        for (uint32_t i = 0; !status && material->segments && i < shape_count; i++) {
            status = ph_segments_check(material, own[i], error);
        }
        if (!status && (!row || shape_stride)) {
            status = ph_wrap_check_body(world, PH_NULL, own, shape_count, error);
        }
        bool differs = !row || def_stride || collider_stride || shape_stride;
        if (!status && def->kind == PH_DYNAMIC && differs) {
            status = check_mass(def, own, shape_count, material->density, error);
        }
        status = !status && ph_stops_now(world, &seen) ? PH_ERROR_STOPPED : status;
        if (status) {
            if (error) {
                error->index = row;
            }
            return status;
        }
    }
    return PH_OK;
}

PhStatus ph_bodies_create(PhWorld *world, uint32_t count, const PhBodyDef *defs,
                          uint32_t def_stride, const PhColliderDef *collider_defs,
                          uint32_t collider_stride, PhShape *const *shapes, uint32_t shape_stride,
                          uint32_t shape_count, uint32_t *slots, PhError *error) {
    uint64_t pieces = 0;
    uint32_t seen = 0;
    const uint64_t colliders = (uint64_t)count * shape_count;
    const uint64_t listed = shape_stride ? colliders : shape_count;
    for (uint64_t i = 0; i < listed; i++) {
        pieces += (uint64_t)shapes[i]->piece_count;
    }
    pieces *= shape_stride ? 1 : count;
    PhStatus status = ph_colliders_check_room(world, colliders, pieces, error);
    if (!status) {
        status = check_rows(world, count, defs, def_stride, collider_defs, collider_stride, shapes,
                            shape_stride, shape_count, error);
    }
    if (!status) {
        status = ph_bodies_reserve(world, count, 0, error);
    }
    if (!status) {
        status = ph_colliders_reserve(world, colliders, pieces, error);
    }
    if (status) {
        return status;
    }
    const uint32_t slot_count = world->slot_count;
    const PhColliderMark mark = ph_colliders_mark(world);
    for (uint32_t row = 0; row < count; row++) {
        slots[row] = take_slot(world);
        bool complete = add(world, slots[row], defs + (size_t)row * def_stride,
                            shapes + (size_t)row * shape_stride,
                            collider_defs + (size_t)row * collider_stride, 0, shape_count, &seen);
        if (!complete || ph_stops_now(world, &seen)) {
            take_back(world, slots, row + 1, slot_count, &mark);
            return ph_fail(error, PH_ERROR_STOPPED, "stopped");
        }
    }
    for (uint32_t row = 0; row < count; row++) {
        const PhBodyDef *def = defs + (size_t)row * def_stride;
        status = def->locks ? ph_locks_set(world, slots[row], def->locks, error) : PH_OK;
        if (status) {
            if (error) {
                error->index = row;
            }
            take_back(world, slots, count, slot_count, &mark);
            return status;
        }
        if (def->locks && !def->awake) {
            ph_put_to_sleep(world, slots[row]); // the lock has woken it
        }
    }
    return PH_OK;
}

PhStatus ph_body_destroy(PhWorld *world, PhId id, PhError *error) {
    if (!ph_body_valid(world, id)) {
        return ph_fail(error, PH_ERROR_REMOVED, "the body has been removed");
    }
    uint32_t slot = id.index;
    if (ph_is_dynamic(world, slot)) {
        ph_wake(world, slot);
    } else {
        ph_wake_touching(world, slot);
    }
    ph_joints_drop_body(world, slot);
    ph_measure_bodies(world); // a body that is no more is in no list
    bury(world, slot);
    return PH_OK;
}

PhStatus ph_bodies_destroy(PhWorld *world, const PhId *bodies, uint32_t count, PhError *error) {
    uint8_t *marked = ph_alloc((size_t)world->slot_count + 1, sizeof *marked);
    if (!marked) {
        return ph_fail(error, PH_ERROR_MEMORY, "no memory to remove %u bodies", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = bodies[i].index;
        if (!ph_body_valid(world, bodies[i])) {
            continue;
        }
        if (ph_is_dynamic(world, slot)) {
            ph_wake(world, slot);
        } else {
            marked[slot] = 1;
        }
    }
    ph_wake_touching_any(world, marked);
    ph_measure_bodies(world);
    for (uint32_t i = 0; i < count; i++) {
        if (ph_body_valid(world, bodies[i])) { // not given twice
            ph_joints_drop_body(world, bodies[i].index);
            bury(world, bodies[i].index);
        }
    }
    ph_free(marked);
    return PH_OK;
}

bool ph_slot_alive(const PhWorld *world, uint32_t slot) {
    return slot < world->slot_count && world->state->alive[slot];
}
bool ph_body_valid(const PhWorld *world, PhId id) {
    return ph_slot_alive(world, id.index) && world->body[id.index].generation == id.generation;
}
PhId ph_body_id(const PhWorld *world, uint32_t slot) {
    return (PhId){slot, world->body[slot].generation};
}

PhStatus ph_body_info(const PhWorld *world, PhId id, PhBodyInfo *info) {
    if (!ph_body_valid(world, id)) {
        return PH_ERROR_REMOVED;
    }
    uint32_t slot = id.index;
    const PhBody *body = &world->body[slot];
    *info = (PhBodyInfo){
        .kind = world->state->kind[slot],
        .mass = world->state->mass[slot],
        .inertia = world->state->inertia[slot],
        .center_local = body->center_local,
        .gravity_scale = world->gravity_scale[slot],
        .linear_damping = world->linear_damping[slot],
        .angular_damping = world->angular_damping[slot],
        .awake = world->state->awake[slot],
        .can_sleep = body->can_sleep,
        .bullet = body->bullet,
        .fixed_rotation = body->fixed_rotation,
        .enabled = body->enabled,
        .own_mass = body->given.mass > 0,
        .own_inertia = body->given.inertia > 0,
        .own_center = body->given.has_center,
        .sleep_threshold =
            body->sleep_threshold < 0 ? world->lengths.sleep_speed : body->sleep_threshold,
        .own_sleep_threshold = body->sleep_threshold >= 0,
        .locks = body->locks,
        .collider_count = body->collider_count,
    };
    return PH_OK;
}

PhTransform ph_body_transform(const PhWorld *world, uint32_t slot) {
    return (PhTransform){ph_slot_position(world, slot), ph_rot(world->state->angle[slot])};
}

PhVec2 ph_body_image_of(const PhWorld *world, uint32_t slot, PhVec2 point) {
    if (!world->wrapped) {
        return point;
    }
    return ph_wrap_near(&world->wrap, ph_body_middle(world, slot), point);
}

PhVec2 ph_body_middle(const PhWorld *world, uint32_t slot) {
    return ph_apply(ph_body_transform(world, slot), world->body[slot].middle);
}

// ------------------------------------------------------------------------------------------------
// setters
#define REQUIRE_BODY(world, id, error)                                                             \
    if (!ph_body_valid(world, id)) {                                                               \
        return ph_fail(error, PH_ERROR_REMOVED, "the body has been removed");                      \
    }
#define REQUIRE(call)                                                                              \
    do {                                                                                           \
        PhStatus status_ = (call);                                                                 \
        if (status_) {                                                                             \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

static void stop(PhWorld *world, uint32_t slot) {
    PhState *state = world->state;
    state->velocity[slot][0] = state->velocity[slot][1] = state->angular_velocity[slot] = 0;
}

PhStatus ph_body_set_kind(PhWorld *world, PhId id, PhBodyKind kind, PhError *error) {
    REQUIRE_BODY(world, id, error);
    uint32_t slot = id.index;
    PhState *state = world->state;
    if (state->kind[slot] == kind) {
        return PH_OK;
    }
    if (kind == PH_DYNAMIC) {
        PhMassData data = ph_mass_of_slot(world, slot, PH_NULL, 0);
        ph_mass_finish(&data, &world->body[slot].given);
        REQUIRE(ph_mass_check(&data, &world->body[slot].given, error));
    }
    if (ph_is_dynamic(world, slot)) {
        ph_wake(world, slot);
    } else {
        ph_wake_touching(world, slot);
    }
    if (kind == PH_STATIC || state->kind[slot] == PH_STATIC) { // or was written to through a view
        stop(world, slot);
    }
    ph_note_fixed(world);
    state->kind[slot] = (uint8_t)kind;
    world->body[slot].has_target = false;
    state->awake[slot] = kind == PH_DYNAMIC && world->body[slot].enabled;
    world->last_awake[slot] = state->awake[slot];
    world->sleep_time[slot] = 0;
    ph_note_moved(world, slot, PH_MOVED_NEW);
    ph_body_update_mass(world, slot);
    ph_body_update_role(world, slot);
    ph_body_update_proxies(world, slot);
    return PH_OK;
}

PhStatus ph_body_set_pose(PhWorld *world, PhId id, PhVec2 position, double angle, PhError *error) {
    REQUIRE_BODY(world, id, error);
    REQUIRE(ph_check_position("position", position, error));
    REQUIRE(ph_check_angle("angle", angle, error));
    PhState *state = world->state;
    PhVec2 place = ph_wrap_fold(&world->wrap, position);
    state->position[id.index][0] = place.x;
    state->position[id.index][1] = place.y;
    state->angle[id.index] = angle;
    ph_refresh_pose(world, id.index);
    ph_wake(world, id.index);
    ph_note_queries(world);
    return PH_OK;
}

PhStatus ph_body_set_velocity(PhWorld *world, PhId id, PhVec2 velocity, double angular,
                              PhError *error) {
    REQUIRE_BODY(world, id, error);
    REQUIRE(ph_check_velocity("velocity", velocity, error));
    REQUIRE(ph_check_angular_velocity("angular_velocity", angular, error));
    if (world->state->kind[id.index] == PH_STATIC) {
        REQUIRE(check_static(velocity, angular, error));
    } else {
        velocity = ph_unlocked(world, id.index, velocity);
        world->state->velocity[id.index][0] = velocity.x;
        world->state->velocity[id.index][1] = velocity.y;
        world->state->angular_velocity[id.index] = angular;
        ph_note_kinematics(world);
        ph_wake(world, id.index);
    }
    return PH_OK;
}

static PhStatus give_mass(PhWorld *world, PhId id, const char *name, PhGivenMass given,
                          PhError *error) {
    if (!ph_is_dynamic(world, id.index)) {
        return ph_fail(error, PH_ERROR_VALUE, "%s: only a dynamic body has one", name);
    }
    PhMassData data = ph_mass_of_slot(world, id.index, PH_NULL, 0);
    ph_mass_finish(&data, &given);
    REQUIRE(ph_mass_check(&data, &given, error));
    world->body[id.index].given = given;
    ph_mass_set(world, id.index, data);
    ph_wake(world, id.index);
    return PH_OK;
}

PhStatus ph_body_set_mass(PhWorld *world, PhId id, double mass, PhError *error) {
    REQUIRE_BODY(world, id, error);
    REQUIRE(check_least("mass", mass, 0, error));
    PhGivenMass given = world->body[id.index].given;
    given.mass = mass;
    return give_mass(world, id, "mass", given, error);
}

PhStatus ph_body_set_inertia(PhWorld *world, PhId id, double inertia, PhError *error) {
    REQUIRE_BODY(world, id, error);
    REQUIRE(check_least("inertia", inertia, 0, error));
    PhGivenMass given = world->body[id.index].given;
    given.inertia = inertia;
    return give_mass(world, id, "inertia", given, error);
}

PhStatus ph_body_set_center(PhWorld *world, PhId id, const PhVec2 *center, PhError *error) {
    REQUIRE_BODY(world, id, error);
    REQUIRE(center ? check_center(*center, error) : PH_OK);
    PhGivenMass given = world->body[id.index].given;
    given.has_center = center != NULL;
    given.center = center ? *center : ph_vec(0, 0);
    return give_mass(world, id, "center_of_mass", given, error);
}

PhStatus ph_body_wake_touching(PhWorld *world, PhId id, PhError *error) {
    REQUIRE_BODY(world, id, error);
    ph_wake_touching(world, id.index);
    return PH_OK;
}

PhStatus ph_body_set_awake(PhWorld *world, PhId id, bool awake, PhError *error) {
    REQUIRE_BODY(world, id, error);
    if (awake) {
        ph_wake(world, id.index);
    } else {
        ph_put_to_sleep(world, id.index);
    }
    return PH_OK;
}

PhStatus ph_body_set_flag(PhWorld *world, PhId id, PhBodyFlag flag, bool value, PhError *error) {
    REQUIRE_BODY(world, id, error);
    uint32_t slot = id.index;
    PhBody *body = &world->body[slot];
    if (flag == PH_FLAG_BULLET) {
        body->bullet = value;
        ph_note_lists(world); // which count the bullets
    } else if (flag == PH_FLAG_CAN_SLEEP && body->can_sleep != value) {
        body->can_sleep = value;
        world->sleep_reach[slot] = value ? body->extent : INFINITY;
        if (!value) {
            ph_wake(world, slot);
        }
    } else if (flag == PH_FLAG_FIXED_ROTATION && body->fixed_rotation != value) {
        body->fixed_rotation = value;
        if (ph_is_dynamic(world, slot) && value) {
            world->state->angular_velocity[slot] = 0;
        }
        ph_body_update_mass(world, slot);
        ph_wake(world, slot);
    } else if (flag == PH_FLAG_LOCK_X || flag == PH_FLAG_LOCK_Y) {
        uint8_t lock = flag == PH_FLAG_LOCK_X ? PH_LOCK_X : PH_LOCK_Y;
        uint8_t locks = (uint8_t)(value ? body->locks | lock : body->locks & ~lock);
        return locks == body->locks ? PH_OK : ph_locks_set(world, slot, locks, error);
    } else if (flag == PH_FLAG_ENABLED && body->enabled != value) {
        if (ph_is_dynamic(world, slot)) {
            ph_wake(world, slot);
        } else {
            ph_wake_touching(world, slot);
        }
        body->enabled = value;
        world->state->awake[slot] = value && ph_is_dynamic(world, slot);
        world->last_awake[slot] = world->state->awake[slot];
        ph_note_moved(world, slot, PH_MOVED_NEW);
        ph_body_update_role(world, slot);
        ph_body_update_proxies(world, slot);
    }
    return PH_OK;
}

PhStatus ph_body_set_number(PhWorld *world, PhId id, PhBodyNumber which, double value,
                            PhError *error) {
    REQUIRE_BODY(world, id, error);
    double *column = world->gravity_scale;
    if (which == PH_SLEEP_THRESHOLD) {
        REQUIRE(ph_check_finite("sleep_threshold", value, error));
        world->body[id.index].sleep_threshold = value;
        world->own_thresholds |= value >= 0;
        ph_wake(world, id.index);
        return PH_OK;
    }
    if (which == PH_GRAVITY_SCALE) {
        REQUIRE(ph_check_finite("gravity_scale", value, error));
    } else if (which == PH_LINEAR_DAMPING) {
        REQUIRE(check_least("linear_damping", value, 0, error));
        column = world->linear_damping;
    } else {
        REQUIRE(check_least("angular_damping", value, 0, error));
        column = world->angular_damping;
    }
    if (column[id.index] != value) {
        column[id.index] = value;
        world->singular |= value != (which == PH_GRAVITY_SCALE ? 1 : 0);
        ph_wake(world, id.index);
    }
    return PH_OK;
}

// ------------------------------------------------------------------------------------------------
// forces
static PhVec2 center_now(const PhWorld *world, uint32_t slot) {
    return ph_apply(ph_body_transform(world, slot), world->body[slot].center_local);
}

// From the centre of mass to the image of a point that is nearest to the body.
static PhVec2 arm_of(const PhWorld *world, uint32_t slot, PhVec2 point) {
    return ph_sub(ph_body_image_of(world, slot, point), center_now(world, slot));
}

// Wakes a body that was given a force or a velocity.
static void push(PhWorld *world, uint32_t slot) {
    ph_wake(world, slot);
    ph_note_force(world, slot);
}

PhStatus ph_body_apply_force(PhWorld *world, PhId id, PhVec2 force, const PhVec2 *point,
                             PhError *error) {
    REQUIRE_BODY(world, id, error);
    REQUIRE(ph_check_vector("force", force, error));
    if (point) {
        REQUIRE(ph_check_vector("point", *point, error));
    }
    if (!ph_is_dynamic(world, id.index)) {
        return PH_OK;
    }
    PhState *state = world->state;
    double torque = point ? ph_cross(arm_of(world, id.index, *point), force) : 0;
    if (isnan(torque)) { // what was written through a view is no place
        REQUIRE(ph_check_state_row(world, id.index, error));
    }
    state->force[id.index][0] += force.x;
    state->force[id.index][1] += force.y;
    state->torque[id.index] += torque;
    push(world, id.index);
    return PH_OK;
}

// What an impulse makes of the velocity of a dynamic body.
static PhStatus take_velocity(PhWorld *world, uint32_t slot, PhVec2 velocity, double spin,
                              PhError *error) {
    if (ph_check_velocity("velocity", velocity, NULL) ||
        ph_check_angular_velocity("angular_velocity", spin, NULL)) {
        return ph_fail(error, PH_ERROR_VALUE,
                       "impulse: gives the body a velocity of (%g, %g) m/s and %g rad/s; must be "
                       "within +-%g",
                       velocity.x, velocity.y, spin, PH_MAX_VELOCITY);
    }
    velocity = ph_unlocked(world, slot, velocity);
    PhState *state = world->state;
    state->velocity[slot][0] = velocity.x;
    state->velocity[slot][1] = velocity.y;
    state->angular_velocity[slot] = spin;
    push(world, slot);
    return PH_OK;
}

PhStatus ph_body_apply_impulse(PhWorld *world, PhId id, PhVec2 impulse, const PhVec2 *point,
                               PhError *error) {
    REQUIRE_BODY(world, id, error);
    REQUIRE(ph_check_vector("impulse", impulse, error));
    if (point) {
        REQUIRE(ph_check_vector("point", *point, error));
    }
    if (!ph_is_dynamic(world, id.index)) {
        return PH_OK;
    }
    const PhState *state = world->state;
    PhVec2 velocity = ph_slot_velocity(world, id.index);
    velocity.x += impulse.x / state->mass[id.index];
    velocity.y += impulse.y / state->mass[id.index];
    double spin = state->angular_velocity[id.index];
    if (point && world->mass[id.index][1] != 0) {
        spin += ph_cross(arm_of(world, id.index, *point), impulse) / state->inertia[id.index];
    }
    return take_velocity(world, id.index, velocity, spin, error);
}

PhStatus ph_body_apply_torque(PhWorld *world, PhId id, double torque, PhError *error) {
    REQUIRE_BODY(world, id, error);
    REQUIRE(ph_check_finite("torque", torque, error));
    if (ph_is_dynamic(world, id.index)) {
        world->state->torque[id.index] += torque;
        push(world, id.index);
    }
    return PH_OK;
}

PhStatus ph_body_apply_angular_impulse(PhWorld *world, PhId id, double impulse, PhError *error) {
    REQUIRE_BODY(world, id, error);
    REQUIRE(ph_check_finite("impulse", impulse, error));
    if (!ph_is_dynamic(world, id.index) || world->mass[id.index][1] == 0) {
        return PH_OK;
    }
    const PhState *state = world->state;
    double spin = state->angular_velocity[id.index] + impulse / state->inertia[id.index];
    return take_velocity(world, id.index, ph_slot_velocity(world, id.index), spin, error);
}

PhStatus ph_body_move_to(PhWorld *world, PhId id, PhVec2 position, double angle, double dt,
                         PhError *error) {
    REQUIRE_BODY(world, id, error);
    REQUIRE(ph_check_position("position", position, error));
    REQUIRE(ph_check_angle("angle", angle, error));
    if (!(dt > 0) || !isfinite(dt)) {
        return ph_fail(error, PH_ERROR_VALUE, "dt: must be finite and > 0, got %g", dt);
    }
    uint32_t slot = id.index;
    if (world->state->kind[slot] != PH_KINEMATIC) {
        return ph_fail(error, PH_ERROR_VALUE, "kind: only a kinematic body can be moved to a pose");
    }
    PhState *state = world->state;
    PhBody *body = &world->body[slot];
    PhVec2 goal = ph_wrap_near(&world->wrap, ph_slot_position(world, slot), position);
    double vx = (goal.x - state->position[slot][0]) / dt;
    double vy = (goal.y - state->position[slot][1]) / dt;
    double spin = (angle - state->angle[slot]) / dt;
    REQUIRE(ph_check_velocity("position / dt", ph_vec(vx, vy), error));
    REQUIRE(ph_check_angular_velocity("angle / dt", spin, error));
    state->velocity[slot][0] = body->target_velocity[0] = vx;
    state->velocity[slot][1] = body->target_velocity[1] = vy;
    state->angular_velocity[slot] = body->target_spin = spin;
    body->target = position;
    body->target_angle = angle;
    body->target_dt = dt;
    body->has_target = true;
    ph_note_kinematics(world);
    return PH_OK;
}

// Makes worlds of snapshots.
//
// Invariant: no byte is trusted. The number of rows is compared with the bytes that are left before
// memory is allocated for them. Numbers pass the checks of the calls that make bodies, shapes,
// joints and fields. Places in tables must be within bounds, free, and in order.
#include <float.h>
#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "geometry/build.h"
#include "world/changes.h"
#include "world/snapshot_reader.h"

static bool is_number(double value) {
    return fabs(value) <= 1e300;
}

// The same as is_number() of all values. As bits without the sign, infinity and NaN are larger than
// all other numbers, so that adding the difference to the sign bit sets it for them. So the tens of
// numbers of a body cost few instructions and no branch.
// values: doubles, wherever they lie.
static bool are_numbers(const void *values, int count) {
    const uint64_t sign = (uint64_t)1 << 63;
    const double most = 1e300;
    uint64_t limit, over = 0;
    memcpy(&limit, &most, sizeof limit);
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, (const char *)values + (size_t)i * sizeof bits, sizeof bits);
        over |= (bits & ~sign) + (sign - 1 - limit);
    }
    return !(over & sign);
}

// Takes the row of the section of bodies if the next one belongs to the slot. If not, the
// definition stays as in snapshots that had no such section.
static bool take_given(Reader *reader, uint32_t slot, PhBodyDef *def, uint32_t *lock_joint) {
    *lock_joint = PH_NULL;
    SectionRows *rows = &reader->section[SECTION_BODIES];
    if (!rows->count) {
        return true;
    }
    const BodySectionInPlace *row = (const void *)rows->row;
    if (row->slot != slot) {
        return true;
    }
    pass_rows(rows, 1, sizeof *row);
    def->inertia = row->inertia;
    def->own_center = row->has_center;
    def->center = ph_vec(row->center[0], row->center[1]);
    def->sleep_threshold = row->sleep_threshold;
    def->locks = row->locks;
    *lock_joint = row->lock_joint;
    return is_flag(row->has_center);
}

static bool is_near(double a, double b, double size) {
    return fabs(a - b) <= 1e-9 * size;
}

// Takes sums from the row that were computed before the shape was shifted, if they are right.
static bool take_sums(PhShape *shape, const ShapeRow *row) {
    double extent = shape->extent;
    if (!is_near(row->area, shape->area, shape->area) ||
        !is_near(row->centroid[0], shape->centroid.x, extent) ||
        !is_near(row->centroid[1], shape->centroid.y, extent) ||
        !is_near(row->inertia, shape->inertia, shape->area * extent * extent)) {
        return false;
    }
    shape->area = row->area;
    shape->centroid = ph_vec(row->centroid[0], row->centroid[1]);
    shape->inertia = row->inertia;
    return true;
}

static PhShape *read_shape(Reader *reader) {
    ShapeRow row;
    if (!take(reader, &row, sizeof row) || row.loop > 1 || row.vertices > INT32_MAX ||
        !has(reader, row.vertices, sizeof(PhVec2)) || !has(reader, row.holes, sizeof(uint64_t)) ||
        row.holes > INT32_MAX) {
        return NULL;
    }
    uint64_t all = row.vertices;
    int32_t *counts = row.holes ? ph_alloc(row.holes, sizeof *counts) : NULL;
    bool good = !row.holes || counts, memory = good;
    for (uint32_t k = 0; good && k < row.holes; k++) {
        uint64_t count;
        get(reader, &count, sizeof count);
        good = count <= INT32_MAX && (all += count) <= INT32_MAX;
        counts[k] = (int32_t)count;
    }
    good = good && has(reader, all, sizeof(PhVec2));
    PhVec2 *points = good ? ph_alloc((size_t)all, sizeof *points) : NULL;
    memory = memory && (points || !good);
    PhShape *shape = NULL;
    if (points) {
        get(reader, points, (size_t)all * sizeof *points);
        const PhShapeNumbers numbers = {
            .vertices = points,
            .holes = points + row.vertices,
            .hole_counts = counts,
            .vertex_count = (int32_t)row.vertices,
            .hole_count = (int32_t)row.holes,
            .radius = row.radius,
            .loop = row.loop,
        };
        shape = ph_shape_make(row.kind, &numbers, NULL, reader->error);
    }
    ph_free(points);
    ph_free(counts);
    if (!memory) {
        (void)ph_fail(reader->error, PH_ERROR_MEMORY, "no memory for a shape");
    }
    if (shape && !take_sums(shape, &row)) {
        ph_shape_release(shape);
        shape = NULL;
    }
    return shape;
}

static PhStatus read_shapes(Reader *reader, uint32_t count, PhShape **shapes) {
    for (uint32_t i = 0; i < count; i++) {
        reader->error->status = PH_OK;
        shapes[i] = read_shape(reader);
        if (!shapes[i]) {
            return reader->error->status == PH_ERROR_MEMORY ? PH_ERROR_MEMORY
                                                            : refuse(reader, "a shape");
        }
    }
    return PH_OK;
}

// Whether the generations of the places of a table are there.
static bool has_generations(const Reader *reader, uint32_t limit) {
    return has(reader, limit, sizeof(uint32_t));
}

// Only after has_generations().
static void get_generation(Reader *reader, PhWorld *world, uint32_t *generation) {
    get(reader, generation, sizeof *generation);
    ph_note_generation(world, *generation);
}

enum { LEVELS = 8 }; // substep levels for which solve/layout.h has arrays

static bool is_good_body(const BodyRowInPlace *row) {
    bool flags = is_flag(row->awake) && is_flag(row->last_awake) && is_flag(row->can_sleep) &&
                 is_flag(row->bullet) && is_flag(row->fixed_rotation) && is_flag(row->enabled) &&
                 is_flag(row->has_target);
    return flags && row->kind <= PH_DYNAMIC && row->moved <= PH_MOVED_PLACED &&
           (!row->awake || row->kind != PH_STATIC) && are_numbers(row->center, 2) &&
           row->sleep_time >= 0 && is_number(row->sleep_time) && are_numbers(row->rest_pose, 6) &&
           are_numbers(row->target, 7) && (!row->has_target || row->kind == PH_KINEMATIC) &&
           row->level < LEVELS && (!row->has_target || row->target_dt > 0);
}

static PhStatus make_slots(Reader *reader, PhWorld *world, uint32_t slots, uint32_t bodies) {
    if (!has_generations(reader, slots)) { // shapes are between them
        return refuse(reader, "it ends early");
    }
    PhStatus status = ph_slots_reserve(world, slots, reader->error);
    if (!status) {
        ph_world_clear_slots(world, bodies == slots ? slots : 0);
    }
    for (uint32_t i = 0; !status && i < slots; i++) {
        get_generation(reader, world, &world->body[i].generation);
    }
    world->slot_count = status ? 0 : slots;
    return status;
}

// Makes room for the bodies. Their rows are read when their colliders are known (read_bodies).
static PhStatus pass_bodies(Reader *reader, PhWorld *world, const SettingsRow *settings) {
    PhStatus status = make_slots(reader, world, settings->slots, settings->bodies);
    if (!status && !has(reader, settings->bodies, sizeof(BodyRow))) {
        status = refuse(reader, "it ends early");
    }
    if (!status) {
        reader->at += settings->bodies * sizeof(BodyRow);
    }
    return status;
}

// least: the first slot that the body may have.
static PhStatus make_body(Reader *reader, PhWorld *world, const BodyRowInPlace *row,
                          uint32_t least) {
    uint32_t slot = row->slot;
    if (slot < least || slot >= world->slot_count || world->body[slot].generation == 0 ||
        !is_good_body(row)) {
        return refuse(reader, "a body");
    }
    PhBodyDef def;
    ph_clear_row(&def, sizeof def);
    def.kind = (PhBodyKind)row->kind;
    def.position = ph_vec(row->position[0], row->position[1]);
    def.angle = row->angle;
    def.velocity = ph_vec(row->velocity[0], row->velocity[1]);
    def.angular_velocity = row->angular_velocity;
    def.gravity_scale = row->gravity_scale;
    def.linear_damping = row->linear_damping;
    def.angular_damping = row->angular_damping;
    def.awake = row->awake;
    def.can_sleep = row->can_sleep;
    def.bullet = row->bullet;
    def.fixed_rotation = row->fixed_rotation;
    def.enabled = row->enabled;
    def.mass = row->mass_override;
    def.sleep_threshold = -1;
    uint32_t lock_joint;
    if (!take_given(reader, slot, &def, &lock_joint) || ph_body_check(&def, reader->error)) {
        return refuse(reader, "a body");
    }
    world->body[slot].generation--;
    ph_body_make(world, slot, &def);
    world->body[slot].locks = def.locks;
    world->body[slot].lock_joint = lock_joint;
    return PH_OK;
}

static bool are_free(const PhWorld *world, uint32_t first, uint32_t count) {
    bool free = true;
    for (uint32_t k = first; free && k < first + count; k++) {
        free = world->proxy_piece[k] == NULL;
    }
    return free;
}

// Lists the free ranges below the last living proxy.
static void find_free_ranges(PhWorld *world) {
    PhProxies *p = &world->proxies;
    for (uint32_t k = 0, first = 0; k <= p->count; k++) {
        if (k == p->count || world->proxy_piece[k]) {
            if (k > first) {
                world->free_ranges[world->free_range_count++] = (PhRange){first, k - first};
            }
            first = k + 1;
        }
    }
}

// The rows are there. *behind: one more than the last proxy, so that room is made once. *count: the
// number of all proxies.
static PhStatus find_end(const Reader *reader, const SettingsRow *settings, PhShape *const *shapes,
                         uint64_t *behind, uint64_t *count) {
    uint64_t last = 0;
    *count = 0;
    for (uint32_t k = 0; k < settings->colliders; k++) {
        const uint8_t *row = reader->bytes + reader->at + k * sizeof(ColliderRow);
        uint32_t shape, first;
        memcpy(&shape, row + offsetof(ColliderRow, shape), sizeof shape);
        memcpy(&first, row + offsetof(ColliderRow, first_proxy), sizeof first);
        if (shape >= settings->shapes) {
            return refuse(reader, "a collider");
        }
        uint64_t end = first + (uint64_t)shapes[shape]->piece_count;
        last = end > last ? end : last;
        *count += (uint64_t)shapes[shape]->piece_count;
    }
    *behind = last;
    return PH_OK;
}

static PhStatus read_colliders(Reader *reader, PhWorld *world, const SettingsRow *settings,
                               PhShape *const *shapes) {
    uint32_t limit = settings->collider_limit;
    Reader generations = *reader; // which are read when there is room for them
    if (!has_generations(reader, limit)) {
        return refuse(reader, "it ends early");
    }
    reader->at += (size_t)limit * sizeof(uint32_t);
    if (!has(reader, settings->colliders, sizeof(ColliderRow))) {
        return refuse(reader, "it ends early");
    }
    uint64_t behind = 0, count = 0;
    PhStatus status = find_end(reader, settings, shapes, &behind, &count);
    status = status ? status : ph_colliders_reserve(world, limit, behind, reader->error);
    if (status) {
        return status;
    }
    // Their numbers differ, or the snapshot is refused. If there are as many as the highest number,
    // there is no gap.
    ph_world_clear_proxies(world, count == behind ? (uint32_t)count : 0);
    for (uint32_t c = 0; c < limit; c++) {
        get_generation(&generations, world, &world->collider[c].generation);
    }
    world->collider_limit = limit;
    world->proxies.count = (uint32_t)behind;
    return PH_OK;
}

// Whether two rows are equal except for their places.
static bool say_the_same(const ColliderRowInPlace *a, const ColliderRowInPlace *b) {
    enum { INDEX = offsetof(ColliderRow, index), GROUP = offsetof(ColliderRow, group) };
    return a->shape == b->shape && memcmp(a, b, INDEX) == 0 &&
           memcmp((const char *)a + GROUP, (const char *)b + GROUP, sizeof *a - GROUP) == 0;
}

// After read_colliders, which made room: places the next `count` colliders on a body. last: the
// collider before them, or NULL.
static PhStatus place_colliders(Reader *reader, PhWorld *world, const SettingsRow *settings,
                                PhShape *const *shapes, uint32_t slot, uint32_t count,
                                const ColliderRowInPlace **last) {
    for (uint32_t k = 0; k < count; k++) {
        const ColliderRowInPlace *row = (const void *)(reader->bytes + reader->at);
        reader->at += sizeof *row;
        PhColliderDef def = {
            .density = row->density,
            .friction = row->friction,
            .restitution = row->restitution,
            .rolling_resistance = row->rolling_resistance,
            .tangent_speed = row->tangent_speed,
            .category = row->category,
            .mask = row->mask,
            .group = row->group,
            .sensor = row->sensor,
            .pre_solve = row->pre_solve,
            .friction_rule = row->friction_rule,
            .restitution_rule = row->restitution_rule,
            .material = row->material,
        };
        PhShape *shape = shapes[row->shape];
        const bool again = *last && (*last)->shape == row->shape;
        bool good = again && say_the_same(*last, row); // this row has been checked already
        good = good || (is_flag(row->sensor) && is_flag(row->pre_solve) &&
                        (reader->section[SECTION_MATERIALS].row ||
                         !(row->friction_rule || row->restitution_rule || row->material)) &&
                        !ph_collider_check(&def, NULL));
        good = good && row->index < settings->collider_limit &&
               !world->collider[row->index].alive && world->collider[row->index].generation > 0 &&
               are_free(world, row->first_proxy, (uint32_t)shape->piece_count) &&
               !ph_wrap_check_body(world, slot, &shape, 1, NULL);
        if (!good) {
            return refuse(reader, "a collider");
        }
        PhStatus status =
            ph_snapshot_segments(reader, row->index, (uint32_t)shape->piece_count, &def.segments);
        if (!status && ph_segments_check(&def, shape, NULL)) {
            status = refuse(reader, "its segments");
        }
        if (status) {
            ph_segments_release(def.segments);
            return status;
        }
        world->collider[row->index].generation--;
        ph_collider_place(world, row->index, row->first_proxy, slot, shape, &def,
                          again ? (*last)->first_proxy : PH_NULL);
        ph_segments_release(def.segments); // the world has a reference of its own
        *last = row;
    }
    return PH_OK;
}

static bool sleeps(const PhWorld *world, uint32_t slot) {
    return world->state->alive[slot] && ph_is_dynamic(world, slot) && !world->state->awake[slot] &&
           world->body[slot].enabled;
}

// The collider of a body that has exactly one.
static const PhCollider *only_collider(const PhWorld *world, uint32_t slot) {
    const PhBody *body = &world->body[slot];
    return body->collider_count == 1 ? &world->collider[body->first_collider] : NULL;
}

static bool same_given(const PhGivenMass *a, const PhGivenMass *b) {
    return a->mass == b->mass && a->inertia == b->inertia && !a->has_center && !b->has_center;
}

// Whether everything that follows from shapes and masses is the same for both bodies, as it is in
// most scenes for consecutive bodies.
static bool are_alike(const PhWorld *world, uint32_t a, uint32_t b) {
    const PhBody *one = &world->body[a], *other = &world->body[b];
    const PhCollider *c = only_collider(world, a), *d = only_collider(world, b);
    return c && d && c->shape == d->shape && c->def.density == d->def.density &&
           ph_meets_any(&c->def) == ph_meets_any(&d->def) &&
           world->state->kind[a] == world->state->kind[b] &&
           same_given(&one->given, &other->given) && one->can_sleep == other->can_sleep &&
           one->fixed_rotation == other->fixed_rotation;
}

// After its colliders are placed: sets what the world knows of a body beside its definition.
// Returns whether they give it a valid mass. before: the body before it, or PH_NULL.
static bool finish_body(PhWorld *world, const BodyRowInPlace *row, uint32_t before) {
    uint32_t i = row->slot;
    PhState *s = world->state;
    PhBody *body = &world->body[i];
    bool alike = before != PH_NULL && are_alike(world, before, i);
    if (alike) {
        ph_mass_like(world, i, before);
    } else if (ph_body_update_mass(world, i)) {
        return false;
    }
    s->velocity[i][0] = row->velocity[0];
    s->velocity[i][1] = row->velocity[1];
    s->angular_velocity[i] = row->angular_velocity;
    s->force[i][0] = row->force[0];
    s->force[i][1] = row->force[1];
    s->torque[i] = row->torque;
    s->awake[i] = row->awake;
    ph_body_update_role(world, i);
    ph_body_update_proxies(world, i);
    world->center[i][0] = row->center[0];
    world->center[i][1] = row->center[1];
    world->last_awake[i] = row->last_awake;
    world->sleep_time[i] = row->sleep_time;
    memcpy(world->rest_mark[i].pose, row->rest_pose, sizeof row->rest_pose);
    memcpy(world->rest_mark[i].velocity, row->rest_velocity, sizeof row->rest_velocity);
    world->substep_level[i] = (PhSubstepLevel){row->level, row->calm, row->jointed, row->pressed};
    world->shifted[i] = row->shifted;
    world->limited[i] = row->limited;
    body->sleep_next = sleeps(world, i) ? row->sleep_next : i;
    body->has_target = row->has_target;
    body->target = ph_vec(row->target[0], row->target[1]);
    body->target_angle = row->target_angle;
    body->target_dt = row->target_dt;
    body->target_velocity[0] = row->target_velocity[0];
    body->target_velocity[1] = row->target_velocity[1];
    body->target_spin = row->target_spin;
    if (world->role[i] < PH_ROLE_KINEMATIC) {
        ph_refresh_resting_boxes(world, i);
    }
    ph_note_moved(world, i, row->moved);
    if (alike) { // it is compared with itself
        ph_measure_last_like(world, before);
    } else {
        ph_measure_last(world);
    }
    return true;
}

// Reads bodies with their colliders. bodies: where their rows are.
static PhStatus read_bodies(Reader *reader, PhWorld *world, const SettingsRow *settings,
                            PhShape *const *shapes, const uint8_t *bodies, bool *any_sleeps) {
    PhStatus status = PH_OK;
    uint64_t left = settings->colliders;
    uint32_t least = 0, before = PH_NULL;
    const ColliderRowInPlace *last = NULL;
    *any_sleeps = false;
    for (uint32_t k = 0; !status && k < settings->bodies; k++) {
        const BodyRowInPlace *row = (const void *)(bodies + k * sizeof *row);
        if (row->colliders > left) {
            return refuse(reader, "a body");
        }
        left -= row->colliders;
        status = make_body(reader, world, row, least);
        if (status) {
            return status;
        }
        for (; least < row->slot; least++) {
            ph_state_poison(world->state, least);
        }
        least = row->slot + 1;
        status = place_colliders(reader, world, settings, shapes, row->slot, row->colliders, &last);
        if (!status && !finish_body(world, row, before)) {
            status = refuse(reader, "a body's mass");
        }
        before = row->slot;
        *any_sleeps |= sleeps(world, row->slot);
    }
    for (; least < world->slot_count; least++) {
        ph_state_poison(world->state, least);
    }
    find_free_ranges(world);
    bool whole = left == 0 && reader->section[SECTION_BODIES].count == 0 &&
                 reader->section[SECTION_SEGMENTS].count == 0;
    return status || whole ? status : refuse(reader, "its colliders");
}

// Checks that rings of sleepers are closed and contain only sleepers.
static PhStatus check_rings(Reader *reader, PhWorld *world) {
    uint32_t *entries = world->woken; // scratch: no wake is pending
    memset(entries, 0, world->slot_count * sizeof *entries);
    for (uint32_t i = 0; i < world->slot_count; i++) {
        if (sleeps(world, i)) {
            uint32_t next = world->body[i].sleep_next;
            if (next >= world->slot_count || !sleeps(world, next) || entries[next]++ != 0) {
                return refuse(reader, "a ring of sleepers");
            }
        }
    }
    return PH_OK; // every sleeper has been entered once
}

// Takes the row of the section of tunings if the next one belongs to the joint.
static bool take_tuning(Reader *reader, uint32_t index, PhJoint *joint) {
    joint->value[PH_JOINT_TUNED_HERTZ] = joint->value[PH_JOINT_TUNED_ZETA] = NAN;
    SectionRows *rows = &reader->section[SECTION_TUNINGS];
    TuningSection row = {.joint = PH_NULL};
    if (rows->count) {
        memcpy(&row, rows->row, sizeof row);
    }
    if (row.joint != index) {
        return true;
    }
    pass_rows(rows, 1, sizeof row);
    joint->value[PH_JOINT_TUNED_HERTZ] = isnan(row.hertz) ? NAN : row.hertz;
    joint->value[PH_JOINT_TUNED_ZETA] = isnan(row.damping_ratio) ? NAN : row.damping_ratio;
    return ph_joint_is_tuned(joint);
}

static PhStatus read_joints(Reader *reader, PhWorld *world, const SettingsRow *settings) {
    PhJoints *joints = &world->joints;
    uint32_t limit = settings->joint_limit;
    if (!has_generations(reader, limit)) {
        return refuse(reader, "it ends early");
    }
    PhStatus status =
        ph_reserve_array(&joints->joint, &joints->capacity, limit, sizeof *joints->joint);
    status = status ? status
                    : ph_reserve_array(&joints->result, &joints->result_capacity, limit,
                                       sizeof *joints->result);
    if (status) {
        return status;
    }
    for (uint32_t j = 0; j < limit; j++) {
        get_generation(reader, world, &joints->joint[j].generation);
    }
    joints->limit = limit;
    if (!has(reader, settings->joints, sizeof(JointRow))) {
        return refuse(reader, "it ends early");
    }
    for (uint32_t k = 0, least = 0; k < settings->joints; k++) {
        JointRow row;
        get(reader, &row, sizeof row);
        bool good = row.index >= least && row.index < limit && row.kind < PH_JOINT_KIND_COUNT &&
                    is_flag(row.collide_connected) && is_flag(row.paired) &&
                    are_numbers(row.force, 3) && joints->joint[row.index].generation > 0;
        for (int i = 0; i < PH_JOINT_ROWS; i++) {
            good = good && fabsf(row.load[i]) <= FLT_MAX && row.state[i] <= PH_AXIS_HIGH;
        }
        if (!good) {
            return refuse(reader, "a joint");
        }
        least = row.index + 1;
        PhJoint joint = {
            .generation = joints->joint[row.index].generation,
            .kind = row.kind,
            .collide_connected = row.collide_connected,
            .body = {row.body[0], row.body[1]},
            .geared = {row.geared[0], row.geared[1]},
            .anchor = {{row.anchor[0][0], row.anchor[0][1]}, {row.anchor[1][0], row.anchor[1][1]}},
            .axis = {row.axis[0], row.axis[1]},
            .reference = row.reference,
        };
        PhJointResult result = {.force = {row.force[0], row.force[1]}, .torque = row.torque};
        memcpy(joint.value, row.value, sizeof row.value);
        if (!take_tuning(reader, row.index, &joint)) {
            return refuse(reader, "the tuning of a joint");
        }
        if (ph_joint_info(&joint)->driven && !row.paired) {
            joint.value[PH_JOINT_TURN_HERTZ] = joint.value[PH_JOINT_TURN_ZETA] = NAN;
        }
        memcpy(result.load, row.load, sizeof result.load);
        memcpy(result.state, row.state, sizeof result.state);
        if (ph_joint_place(world, row.index, &joint, &result, NULL)) {
            return refuse(reader, "a joint");
        }
    }
    if (reader->section[SECTION_TUNINGS].count) {
        return refuse(reader, "the tuning of a joint");
    }
    ph_note_apart(world);
    const bool may_lock = reader->section[SECTION_BODIES].row;
    if (may_lock && !ph_locks_take(world)) {
        return refuse(reader, "a lock");
    }
    return ph_joints_place_gears(world, NULL) ? refuse(reader, "a gear joint") : PH_OK;
}

static PhStatus read_inertias(Reader *reader, PhWorld *world, const SettingsRow *settings) {
    PhJoints *joints = &world->joints;
    if (!has(reader, settings->inertias, sizeof(InertiaRow))) {
        return refuse(reader, "it ends early");
    }
    if (settings->inertias &&
        ph_reserve_array(&joints->effective_inertia, &joints->effective_inertia_capacity,
                         world->slot_count, sizeof *joints->effective_inertia)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t k = 0; k < settings->inertias; k++) {
        InertiaRow row;
        get(reader, &row, sizeof row);
        if (row.slot >= world->slot_count || !world->state->alive[row.slot] ||
            !(row.inertia > 0 && is_number(row.inertia))) {
            return refuse(reader, "an inertia");
        }
        joints->effective_inertia[row.slot] = row.inertia;
    }
    return PH_OK;
}

static PhStatus read_fields(Reader *reader, PhWorld *world, const SettingsRow *settings) {
    PhFields *fields = &world->fields;
    uint32_t limit = settings->field_limit;
    if (!has_generations(reader, limit)) {
        return refuse(reader, "it ends early");
    }
    if (PH_RESERVE(fields->field, limit)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < limit; i++) {
        get_generation(reader, world, &fields->field[i].generation);
    }
    fields->limit = limit;
    for (uint32_t k = 0, least = 0; k < settings->fields; k++) {
        FieldRow row;
        if (!take(reader, &row, sizeof row) || row.index < least || row.index >= limit ||
            row.kind >= PH_FIELD_KIND_COUNT || fields->field[row.index].generation == 0 ||
            !has(reader, row.points, sizeof(PhVec2)) ||
            (row.points && !ph_field_kind((PhFieldKind)row.kind)->has_surface)) {
            return refuse(reader, "a field");
        }
        least = row.index + 1;
        PhVec2 *points = row.points ? ph_alloc(row.points, sizeof *points) : NULL;
        if (row.points && !points) {
            return PH_ERROR_MEMORY;
        }
        get(reader, points, row.points * sizeof *points);
        PhFieldDef def = {.kind = (PhFieldKind)row.kind,
                          .mask = row.mask,
                          .surface = {.level = row.level, .points = points, .count = row.points}};
        memcpy(def.value, row.value, sizeof def.value);
        PhStatus status = ph_field_place(world, row.index, &def, NULL);
        ph_free(points);
        if (status) {
            return status == PH_ERROR_MEMORY ? status : refuse(reader, "a field");
        }
    }
    return PH_OK;
}

// record: its place in the bytes.
static bool is_good_record(const uint8_t *record) {
    // As are_numbers(), with two floats in a word; no sum carries over to the other.
    enum { WORDS = sizeof(PhContactRecord) / sizeof(uint64_t) };
    const uint64_t each = ((uint64_t)1 << 32) + 1, sign = each << 31;
    const float most = 1e30f;
    const size_t age = offsetof(PhContactRecord, age); // the one field that is no float
    uint64_t over = 0;
    uint32_t limit;
    memcpy(&limit, &most, sizeof limit);
    for (size_t i = 0; i < WORDS; i++) {
        uint64_t word, numbers = ~sign;
        memcpy(&word, record + i * sizeof word, sizeof word);
        if (i == age / sizeof word) {
            numbers &= age % sizeof word ? UINT32_MAX : (uint64_t)UINT32_MAX << 32;
        }
        over |= (word & numbers) + (INT32_MAX - limit) * each;
    }
    return !(over & sign);
}

static PhStatus read_pairs(Reader *reader, PhWorld *world, const SettingsRow *settings) {
    PhPairList *list = &world->broad.pairs;
    const PhProxies *p = &world->proxies;
    if (!has(reader, settings->pairs, sizeof(PairRow))) {
        return refuse(reader, "it ends early");
    }
    const PhColumn columns[] = {{&list->owner, sizeof *list->owner},
                                {&list->other, sizeof *list->other},
                                {&list->flags, sizeof *list->flags},
                                {&list->record, sizeof *list->record}};
    if (ph_grow_columns(columns, 4, &list->capacity, settings->pairs, NULL)) {
        return PH_ERROR_MEMORY;
    }
    uint64_t last = 0;
    for (uint32_t k = 0; k < settings->pairs; k++) {
        PairRow row; // without its record
        const uint8_t *at = reader->bytes + reader->at, *record = at + offsetof(PairRow, record);
        memcpy(&row, at, offsetof(PairRow, record));
        reader->at += sizeof row;
        uint64_t key = (uint64_t)row.owner << 32 | row.other;
        bool good = row.owner < p->count && row.other < p->count && (k == 0 || key > last) &&
                    p->flags[row.owner] & p->flags[row.other] & PH_PROXY_ALIVE &&
                    p->body[row.owner] != p->body[row.other] &&
                    row.flags <= (PH_PAIR_ACTIVE | PH_PAIR_TOUCHING) && is_good_record(record);
        if (!good) {
            return refuse(reader, "a contact");
        }
        last = key;
        list->owner[k] = row.owner;
        list->other[k] = row.other;
        list->flags[k] = (uint8_t)row.flags;
        memcpy(&list->record[k], record, sizeof list->record[k]);
        list->count = k + 1;
    }
    world->touching_pairs = settings->touching;
    return PH_OK;
}

static PhStatus read_visits(Reader *reader, PhWorld *world, const SettingsRow *settings) {
    PhSensors *s = &world->sensors;
    if (!has(reader, settings->visits, sizeof(PhContactEvent))) {
        return refuse(reader, "it ends early");
    }
    if (PH_RESERVE(s->visit, settings->visits)) {
        return PH_ERROR_MEMORY;
    }
    uint64_t last = 0;
    for (uint32_t k = 0; k < settings->visits; k++) {
        PhContactEvent row;
        get(reader, &row, sizeof row);
        uint64_t key = (uint64_t)(uint32_t)row.collider_a << 32 | (uint32_t)row.collider_b;
        bool good = (uint32_t)row.body_a < world->slot_count &&
                    (uint32_t)row.body_b < world->slot_count &&
                    (uint32_t)row.collider_a < world->collider_limit &&
                    (uint32_t)row.collider_b < world->collider_limit && (k == 0 || key > last);
        if (!good) {
            return refuse(reader, "a visit of a sensor");
        }
        last = key;
        s->visit[s->visit_count++] = row;
    }
    return PH_OK;
}

static PhStatus read_lost(Reader *reader, PhWorld *world, const SettingsRow *settings) {
    if (!has(reader, settings->lost, sizeof(PhContactEvent))) {
        return refuse(reader, "it ends early");
    }
    if (ph_event_room(&world->lost, settings->lost, sizeof(PhTouchEvent))) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t k = 0; k < settings->lost; k++) {
        PhContactEvent row;
        get(reader, &row, sizeof row);
        if (row.body_a < 0 || row.body_b < 0 || row.collider_a < 0 || row.collider_b < 0) {
            return refuse(reader, "an event");
        }
        ((PhTouchEvent *)world->lost.rows)[k] = (PhTouchEvent){.pair = row};
    }
    world->lost.count = settings->lost;
    return PH_OK;
}

// Makes the next step examine everything that it may have to.
static void stir_all(PhWorld *world) {
    ph_note_all(world);
    ph_proxies_place_all(world);
    world->free_slot_hint = world->free_collider_hint = world->joints.free_hint = 0;
}

static PhStatus fill(Reader *reader, PhWorld *world, const SettingsRow *settings,
                     PhShape **shapes) {
    PhStatus status = ph_snapshot_materials(reader, world);
    status = status ? status : read_shapes(reader, settings->shapes, shapes);
    const size_t bodies = reader->at + (size_t)settings->slots * sizeof(uint32_t);
    status = status ? status : pass_bodies(reader, world, settings);
    status = status ? status : read_colliders(reader, world, settings, shapes);
    bool any_sleeps = false;
    status =
        status ? status
               : read_bodies(reader, world, settings, shapes, reader->bytes + bodies, &any_sleeps);
    status = status || !any_sleeps ? status : check_rings(reader, world);
    status = status ? status : read_joints(reader, world, settings);
    status = status ? status : read_inertias(reader, world, settings);
    status = status ? status : read_fields(reader, world, settings);
    status = status ? status : read_pairs(reader, world, settings);
    status = status ? status : read_visits(reader, world, settings);
    status = status ? status : read_lost(reader, world, settings);
    status = status ? status : ph_snapshot_contact_ids(reader, world);
    if (!status && reader->at != reader->size) {
        status = refuse(reader, "there is more behind its end");
    }
    if (!status) {
        ph_measure_bodies(world);
        stir_all(world);
    }
    return status;
}

static PhStatus check_head(Reader *reader) {
    Head head;
    if (!take(reader, &head, sizeof head) ||
        memcmp(head.magic, SNAPSHOT_MAGIC, sizeof head.magic) != 0) {
        return ph_fail(reader->error, PH_ERROR_VALUE, "these bytes are no snapshot of a world");
    }
    if (head.version < SNAPSHOT_PLAIN || head.version > SNAPSHOT_VERSION) {
        return ph_fail(reader->error, PH_ERROR_VALUE,
                       "the snapshot is of version %u; this library reads versions up to %u",
                       head.version, (unsigned)SNAPSHOT_VERSION);
    }
    reader->version = head.version;
    if (head.size != reader->size) {
        return ph_fail(reader->error, PH_ERROR_VALUE,
                       "the snapshot is damaged: it has %llu bytes, and should have %llu",
                       (unsigned long long)reader->size, (unsigned long long)head.size);
    }
    size_t left = reader->size - sizeof head;
    if (head.checksum != ph_checksum(reader->bytes + sizeof head, left)) {
        return refuse(reader, "its checksum differs");
    }
    return PH_OK;
}

PhWorld *ph_world_from_snapshot(const uint8_t *bytes, size_t size, int32_t workers, PhWorld *heir,
                                PhError *error) {
    PhError own;
    Reader reader = {.bytes = bytes, .size = size, .error = error ? error : &own};
    if (check_head(&reader)) {
        return NULL;
    }
    SettingsRow settings;
    PhWorld *world = ph_snapshot_settings(&reader, &settings, workers, heir);
    if (!world) {
        return NULL;
    }
    PhShape **shapes = NULL;
    PhStatus status = PH_OK;
    if (!has(&reader, settings.shapes, sizeof(ShapeRow))) {
        status = refuse(&reader, "it ends early");
    } else {
        shapes = ph_alloc((size_t)settings.shapes + 1, sizeof *shapes);
        status = shapes ? fill(&reader, world, &settings, shapes) : PH_ERROR_MEMORY;
    }
    for (uint32_t i = 0; shapes && i < settings.shapes; i++) {
        ph_shape_release(shapes[i]); // the bodies have references of their own
    }
    ph_free(shapes);
    if (status) {
        ph_world_destroy(world);
        if (status == PH_ERROR_MEMORY) {
            ph_fail(error, status, "no memory for the world of a snapshot of %zu bytes", size);
        }
        return NULL;
    }
    return world;
}

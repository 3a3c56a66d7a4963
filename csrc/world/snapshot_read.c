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

// tie: to their bodies too.
static PhStatus read_joints(Reader *reader, PhWorld *world, const SettingsRow *settings, bool tie) {
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
    if (tie) {
        ph_joints_tie_placed(world);
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

static PhStatus read_bodies(Reader *reader, PhWorld *world, const SettingsRow *settings,
                            PhShape **shapes) {
    PhStatus status = read_shapes(reader, settings->shapes, shapes);
    status = status ? status : ph_snapshot_slots(reader, world, settings);
    status = status ? status : ph_snapshot_colliders(reader, world, settings, shapes);
    return status ? status : ph_snapshot_bodies(reader, world, settings, shapes);
}

// heir: NULL, or the world that may have the same bodies. *kept: whether it has, and they are the
// world's now.
static PhStatus fill(Reader *reader, PhWorld *world, const SettingsRow *settings, PhShape **shapes,
                     PhWorld *heir, bool *kept) {
    PhStatus status = ph_snapshot_materials(reader, world);
    *kept = !status && heir && ph_snapshot_take_bodies(reader, world, heir, settings);
    status = status || *kept ? status : read_bodies(reader, world, settings, shapes);
    status = status ? status : read_joints(reader, world, settings, !*kept);
    status = status ? status : read_inertias(reader, world, settings);
    status = status ? status : read_fields(reader, world, settings);
    status = status ? status : read_pairs(reader, world, settings);
    status = status ? status : read_visits(reader, world, settings);
    status = status ? status : read_lost(reader, world, settings);
    status = status ? status : ph_snapshot_contact_ids(reader, world);
    if (!status && reader->at != reader->size) {
        status = refuse(reader, "there is more behind its end");
    }
    if (status && *kept) {
        ph_snapshot_give_back_bodies(world, heir);
    } else if (*kept) {
        ph_snapshot_move_bodies(reader, world, heir, settings);
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

// kept: see fill().
static PhWorld *world_of(const uint8_t *bytes, size_t size, int32_t workers, PhWorld *heir,
                         bool *kept, PhError *error) {
    Reader reader = {.bytes = bytes, .size = size, .error = error};
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
        status = shapes ? fill(&reader, world, &settings, shapes, heir, kept) : PH_ERROR_MEMORY;
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

// Of what is no snapshot: whatever is wrong with it.
static PhStatus refusal(PhError *error) {
    error->status = error->status == PH_ERROR_MEMORY ? PH_ERROR_MEMORY : PH_ERROR_VALUE;
    return error->status;
}

PhWorld *ph_world_from_snapshot(const uint8_t *bytes, size_t size, int32_t workers,
                                PhError *error) {
    PhError own = {.status = PH_OK};
    bool kept = false;
    error = error ? error : &own;
    PhWorld *world = world_of(bytes, size, workers, NULL, &kept, error);
    if (!world) {
        (void)refusal(error);
    }
    return world;
}

PhStatus ph_world_restore(PhWorld *world, const uint8_t *bytes, size_t size, PhError *error) {
    PhError own = {.status = PH_OK};
    bool kept = false;
    error = error ? error : &own;
    PhWorld *other = world_of(bytes, size, 0, world, &kept, error);
    if (!other) {
        return refusal(error);
    }
    const PhStatus status = ph_world_become(world, other, kept, error);
    if (status) {
        ph_world_destroy(other);
    }
    return status;
}

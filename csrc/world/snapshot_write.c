// Snapshots: the state of a world as bytes, and worlds made of them.
//
// Invariant: a world made of a snapshot has the same future as the one that it was taken of, bit
// for bit: the hash of every step, and what its events tell. Left out is what is found again
// without a trace (boxes, trees, pairs out of range, islands, colors, what follows from the
// shapes), and what is not the world's own: hooks, views, threads. The bytes are the same on every
// platform.
#include <string.h>

#include "base/hash.h"
#include "world/snapshot_rows.h"

typedef struct Writer {
    uint8_t *bytes; // NULL: they are counted
    size_t size;
    const uint8_t *expected; // NULL, or as many bytes as will be written
    bool differs;            // from what was expected
} Writer;

static void put(Writer *writer, const void *data, size_t size) {
    if (writer->bytes && size) {
        memcpy(writer->bytes + writer->size, data, size);
    }
    if (writer->expected && size) {
        writer->differs |= memcmp(writer->expected + writer->size, data, size) != 0;
    }
    writer->size += size;
}

// While rows are counted they need not be made.
static bool counted(Writer *writer, size_t size) {
    writer->size += writer->bytes ? 0 : size;
    return !writer->bytes;
}

// Shapes of living colliders, each once: by address.
typedef struct ShapeTable {
    const PhShape **shape; // in order of first use
    uint32_t *place;       // open addressing: 1 + number, 0 where there is none
    uint32_t count, mask;
} ShapeTable;

static uint32_t number_of(ShapeTable *table, const PhShape *shape) {
    uint64_t hash = (uint64_t)(uintptr_t)shape * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(hash >> 32) & table->mask;
    while (table->place[at] && table->shape[table->place[at] - 1] != shape) {
        at = (at + 1) & table->mask;
    }
    if (!table->place[at]) {
        table->shape[table->count++] = shape;
        table->place[at] = table->count;
    }
    return table->place[at] - 1;
}

static PhStatus list_shapes(const PhWorld *world, ShapeTable *table) {
    uint32_t size = 16;
    while (size / 2 < world->collider_count) {
        size *= 2;
    }
    table->shape = ph_alloc((size_t)world->collider_count + 1, sizeof *table->shape);
    table->place = ph_alloc(size, sizeof *table->place);
    table->mask = size - 1;
    if (!table->shape || !table->place) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < world->slot_count; i++) {
        uint32_t c = world->state->alive[i] ? world->body[i].first_collider : PH_NULL;
        for (; c != PH_NULL; c = world->collider[c].next) {
            (void)number_of(table, world->collider[c].shape);
        }
    }
    return PH_OK;
}

static void write_shape(Writer *writer, const PhShape *shape) {
    ShapeRow row = {.radius = shape->radius,
                    .area = shape->area,
                    .centroid = {shape->centroid.x, shape->centroid.y},
                    .inertia = shape->inertia,
                    .kind = shape->kind,
                    .loop = shape->loop,
                    .vertices = (uint32_t)shape->vertex_count,
                    .holes = (uint32_t)shape->hole_count};
    int32_t all = shape->hole_count ? shape->hole_starts[shape->hole_count] : shape->vertex_count;
    put(writer, &row, sizeof row);
    for (int32_t k = 0; k < shape->hole_count; k++) {
        uint64_t count = (uint64_t)(shape->hole_starts[k + 1] - shape->hole_starts[k]);
        put(writer, &count, sizeof count);
    }
    put(writer, shape->vertices, (size_t)all * sizeof *shape->vertices);
}

bool ph_snapshot_is_shape(const PhShape *shape, const uint8_t *bytes, size_t size) {
    Writer count = {0}, writer = {.expected = bytes};
    write_shape(&count, shape);
    if (count.size != size) {
        return false;
    }
    write_shape(&writer, shape);
    return !writer.differs;
}

static BodyRow row_of_body(const PhWorld *world, uint32_t i) {
    const PhState *s = world->state;
    const PhBody *body = &world->body[i];
    const PhSubstepLevel *level = &world->substep_level[i];
    const PhRestMark *mark = &world->rest_mark[i];
    BodyRow row = {
        .position = {s->position[i][0], s->position[i][1]},
        .angle = s->angle[i],
        .velocity = {s->velocity[i][0], s->velocity[i][1]},
        .angular_velocity = s->angular_velocity[i],
        .force = {s->force[i][0], s->force[i][1]},
        .torque = s->torque[i],
        .center = {world->center[i][0], world->center[i][1]},
        .gravity_scale = world->gravity_scale[i],
        .linear_damping = world->linear_damping[i],
        .angular_damping = world->angular_damping[i],
        .mass_override = body->given.mass,
        .sleep_time = world->sleep_time[i],
        .shifted = world->shifted[i],
        .limited = world->limited[i],
        .slot = i,
        .sleep_next = body->sleep_next,
        .colliders = body->collider_count,
        .kind = s->kind[i],
        .awake = s->awake[i],
        .moved = world->moved[i],
        .last_awake = world->last_awake[i],
        .can_sleep = body->can_sleep,
        .bullet = body->bullet,
        .fixed_rotation = body->fixed_rotation,
        .enabled = body->enabled,
        .has_target = body->has_target,
        .level = level->level,
        .calm = level->calm,
        .jointed = level->jointed,
        .pressed = level->pressed,
    };
    memcpy(row.rest_pose, mark->pose, sizeof row.rest_pose);
    memcpy(row.rest_velocity, mark->velocity, sizeof row.rest_velocity);
    if (body->has_target) {
        row.target[0] = body->target.x;
        row.target[1] = body->target.y;
        row.target_angle = body->target_angle;
        row.target_dt = body->target_dt;
        row.target_velocity[0] = body->target_velocity[0];
        row.target_velocity[1] = body->target_velocity[1];
        row.target_spin = body->target_spin;
    }
    return row;
}

static void write_bodies(Writer *writer, const PhWorld *world) {
    for (uint32_t i = 0; i < world->slot_count; i++) {
        put(writer, &world->body[i].generation, sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < world->slot_count; i++) {
        if (world->state->alive[i] && !counted(writer, sizeof(BodyRow))) {
            BodyRow row = row_of_body(world, i);
            put(writer, &row, sizeof row);
        }
    }
}

ColliderRow ph_snapshot_collider_row(const PhWorld *world, uint32_t c, uint32_t shape) {
    const PhCollider *collider = &world->collider[c];
    const PhColliderDef *def = &collider->def;
    return (ColliderRow){
        .density = def->density,
        .friction = def->friction,
        .restitution = def->restitution,
        .rolling_resistance = def->rolling_resistance,
        .tangent_speed = def->tangent_speed,
        .category = def->category,
        .mask = def->mask,
        .index = c,
        .shape = shape,
        .first_proxy = collider->first_proxy,
        .group = def->group,
        .sensor = def->sensor,
        .pre_solve = def->pre_solve,
        .friction_rule = def->friction_rule,
        .restitution_rule = def->restitution_rule,
        .material = def->material,
    };
}

static void write_colliders(Writer *writer, const PhWorld *world, ShapeTable *shapes) {
    for (uint32_t c = 0; c < world->collider_limit; c++) {
        put(writer, &world->collider[c].generation, sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < world->slot_count; i++) {
        uint32_t c = world->state->alive[i] ? world->body[i].first_collider : PH_NULL;
        for (; c != PH_NULL; c = world->collider[c].next) {
            if (!counted(writer, sizeof(ColliderRow))) {
                const ColliderRow row =
                    ph_snapshot_collider_row(world, c, number_of(shapes, world->collider[c].shape));
                put(writer, &row, sizeof row);
            }
        }
    }
}

// Whether a motor joint has a second spring, of its angle.
static bool is_paired_motor(const PhJoint *joint) {
    return ph_joint_info(joint)->driven && ph_joint_is_apart(joint);
}

static uint32_t write_joints(Writer *writer, const PhWorld *world) {
    const PhJoints *joints = &world->joints;
    for (uint32_t j = 0; j < joints->limit; j++) {
        put(writer, &joints->joint[j].generation, sizeof(uint32_t));
    }
    for (uint32_t j = 0; j < joints->limit; j++) {
        const PhJoint *joint = &joints->joint[j];
        const PhJointResult *result = &joints->result[j];
        if (!joint->alive) {
            continue;
        }
        JointRow row = {
            .anchor = {{joint->anchor[0].x, joint->anchor[0].y},
                       {joint->anchor[1].x, joint->anchor[1].y}},
            .axis = {joint->axis.x, joint->axis.y},
            .reference = joint->reference,
            .force = {result->force[0], result->force[1]},
            .torque = result->torque,
            .index = j,
            .body = {joint->body[0], joint->body[1]},
            .geared = {joint->geared[0], joint->geared[1]},
            .kind = joint->kind,
            .collide_connected = joint->collide_connected,
        };
        memcpy(row.value, joint->value, sizeof row.value); // but for the last
        row.paired = is_paired_motor(joint);
        if (ph_joint_info(joint)->driven && !row.paired) {
            row.value[PH_JOINT_TURN_HERTZ] = row.value[PH_JOINT_TURN_ZETA] = 0;
        }
        memcpy(row.load, result->load, sizeof row.load);
        memcpy(row.state, result->state, sizeof row.state);
        put(writer, &row, sizeof row);
    }
    uint32_t inertias = 0;
    for (uint32_t i = 0; i < world->slot_count && i < joints->effective_inertia_capacity; i++) {
        InertiaRow row = {joints->effective_inertia[i], i, 0};
        if (world->state->alive[i] && row.inertia != 0) {
            put(writer, &row, sizeof row);
            inertias++;
        }
    }
    return inertias;
}

static void write_fields(Writer *writer, const PhWorld *world) {
    const PhFields *fields = &world->fields;
    for (uint32_t i = 0; i < fields->limit; i++) {
        put(writer, &fields->field[i].generation, sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < fields->limit; i++) {
        const PhField *field = &fields->field[i];
        if (!field->alive) {
            continue;
        }
        FieldRow row = {.level = field->def.surface.level,
                        .mask = field->def.mask,
                        .index = i,
                        .kind = field->def.kind,
                        .points = field->points ? field->def.surface.count : 0};
        memcpy(row.value, field->def.value, sizeof row.value);
        put(writer, &row, sizeof row);
        put(writer, field->points, row.points * sizeof *field->points);
    }
}

// Pairs that are in range: their records. Those of others are empty.
static uint32_t write_pairs(Writer *writer, PhWorld *world) {
    const PhProxies *p = &world->proxies;
    const PhPairList *pairs;
    uint32_t k, count = 0;
    for (PhPairCursor cursor = {0, 0}; ph_next_pair(&world->broad, &cursor, &pairs, &k);) {
        uint32_t a = pairs->owner[k], b = pairs->other[k];
        bool alive = p->flags[a] & p->flags[b] & PH_PROXY_ALIVE;
        if (alive && pairs->flags[k] & (PH_PAIR_ACTIVE | PH_PAIR_TOUCHING)) {
            count++;
            if (!counted(writer, sizeof(PairRow))) {
                PairRow row = {a, b, pairs->flags[k], 0, *ph_record(world, pairs, k)};
                put(writer, &row, sizeof row);
            }
        }
    }
    return count;
}

// Visits of sensors, in order.
static uint32_t write_visits(Writer *writer, const PhSensors *s) {
    for (uint32_t i = 0, j = 0; i + j < s->visit_count + s->rest_count;) {
        const PhContactEvent *a = i < s->visit_count ? &s->visit[i] : NULL;
        const PhContactEvent *b = j < s->rest_count ? &s->rest[j] : NULL;
        bool first = !b || (a && (a->collider_a != b->collider_a ? a->collider_a < b->collider_a
                                                                 : a->collider_b < b->collider_b));
        put(writer, first ? a : b, sizeof *a);
        i += first;
        j += !first;
    }
    return s->visit_count + s->rest_count;
}

static SettingsRow settings_of(const PhWorld *world) {
    const PhWorldDef *d = &world->def;
    const PhStepCounts *c = &world->counts;
    return (SettingsRow){
        .gravity = {d->gravity.x, d->gravity.y},
        .wrap = {d->wrap.x, d->wrap.y},
        .contact_hertz = d->contact_hertz,
        .contact_damping_ratio = d->contact_damping_ratio,
        .contact_push_speed = d->contact_push_speed,
        .joint_hertz = d->joint_hertz,
        .joint_damping_ratio = d->joint_damping_ratio,
        .restitution_threshold = d->restitution_threshold,
        .hit_event_threshold = d->hit_event_threshold,
        .max_speed = d->max_speed,
        .max_angular_speed = d->max_angular_speed,
        .baumgarte = d->baumgarte,
        .slop = d->slop,
        .positional_correction = d->positional_correction,
        .time = world->time,
        .step_count = world->step_count,
        .substeps = (uint32_t)d->substeps,
        .workers = (uint32_t)d->workers,
        .solver = (uint32_t)d->solver,
        .broadphase = (uint32_t)d->broadphase,
        .max_bodies = d->max_bodies,
        .friction_rule = (uint32_t)d->friction_rule,
        .restitution_rule = (uint32_t)d->restitution_rule,
        .iterations = (uint32_t)d->iterations,
        .sleeping = d->sleeping,
        .continuous = d->continuous,
        .warm_starting = d->warm_starting,
        .accumulate = d->accumulate,
        .translate = d->translate,
        .slots = world->slot_count,
        .bodies = world->body_count,
        .collider_limit = world->collider_limit,
        .colliders = world->collider_count,
        .joint_limit = world->joints.limit,
        .joints = world->joints.count,
        .field_limit = world->fields.limit,
        .fields = world->fields.count,
        .lost = world->lost.count,
        .touching = world->touching_pairs,
        .counts = {c->contacts, c->islands, c->batches, c->colors, c->wide_contacts, c->rows,
                   c->left_out, c->substeps},
    };
}

static void put_section(Writer *writer, uint32_t tag, size_t row_size, uint64_t count) {
    SectionHead head = {tag, (uint32_t)row_size, count};
    put(writer, &head, sizeof head);
}

static bool has_section(const PhWorld *world, uint32_t i) {
    return world->state->alive[i] && is_special(&world->body[i]);
}

// Whether a collider has a material or rules of its own.
static bool have_sorts(const PhWorld *world) {
    bool any = false;
    for (uint32_t c = 0; world->own_surfaces && c < world->collider_limit; c++) {
        const PhColliderDef *def = &world->collider[c].def;
        any |= world->collider[c].alive &&
               (def->material || def->friction_rule || def->restitution_rule);
    }
    return any;
}

BodySection ph_snapshot_body_section(const PhWorld *world, uint32_t i) {
    const PhBody *body = &world->body[i];
    return (BodySection){.inertia = body->given.inertia,
                         .center = {body->given.center.x, body->given.center.y},
                         .sleep_threshold = body->sleep_threshold,
                         .slot = i,
                         .lock_joint = body->lock_joint,
                         .has_center = body->given.has_center,
                         .locks = body->locks};
}

SegmentSection ph_snapshot_segment_section(const PhWorld *world, uint32_t c, uint32_t k) {
    SegmentSection row = {world->collider[c].def.segments->surface[k]};
    row.surface.unused = c;
    return row;
}

static uint64_t write_segments(Writer *writer, const PhWorld *world) {
    uint64_t rows = 0;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        uint32_t c = world->state->alive[i] ? world->body[i].first_collider : PH_NULL;
        for (; c != PH_NULL; c = world->collider[c].next) {
            const PhSegments *segments = world->collider[c].def.segments;
            for (uint32_t k = 0; segments && k < segments->count; k++, rows++) {
                const SegmentSection row = ph_snapshot_segment_section(world, c, k);
                put(writer, &row, sizeof row);
            }
        }
    }
    return rows;
}

static bool have_paired_motors(const PhWorld *world) {
    bool any = false;
    for (uint32_t j = 0; j < world->joints.limit && !any; j++) {
        const PhJoint *joint = &world->joints.joint[j];
        any = joint->alive && is_paired_motor(joint);
    }
    return any;
}

// Of how many rows; none in a world in which nothing ever touched.
static uint64_t write_contact_ids(Writer *writer, const PhWorld *world) {
    const PhContactIds *ids = &world->contact_ids;
    const PhTouchEvent *lost = world->lost.rows;
    const uint64_t rows = ids->last ? 1 + (uint64_t)world->lost.count + ids->living : 0;
    if (!rows) {
        return 0;
    }
    put_section(writer, SECTION_CONTACT_IDS, sizeof(ContactIdSection), rows);
    ContactIdSection row = {ids->last, PH_NULL, PH_NULL};
    put(writer, &row, sizeof row);
    for (uint32_t i = 0; i < world->lost.count; i++) {
        row.id = lost[i].id;
        put(writer, &row, sizeof row);
    }
    for (uint32_t i = 0; i < ids->count; i++) {
        if (ids->row[i].low != PH_NULL) {
            put(writer, &ids->row[i], sizeof row);
        }
    }
    return rows;
}

// Returns of how many rows.
static uint64_t write_tunings(Writer *writer, const PhWorld *world) {
    uint64_t rows = 0;
    for (uint32_t j = 0; j < world->joints.limit; j++) {
        const PhJoint *joint = &world->joints.joint[j];
        if (joint->alive && ph_joint_is_tuned(joint)) {
            TuningSection row = {joint->value[PH_JOINT_TUNED_HERTZ],
                                 joint->value[PH_JOINT_TUNED_ZETA], j, 0};
            put(writer, &row, sizeof row);
            rows++;
        }
    }
    return rows;
}

// Whether there are any, or what older versions do not know.
static bool write_sections(Writer *writer, const PhWorld *world) {
    const PhWorldDef *d = &world->def;
    bool damped = d->linear_damping != 0 || d->angular_damping != 0;
    uint64_t bodies = 0;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        bodies += has_section(world, i);
    }
    if (damped) {
        WorldSection row = {d->linear_damping, d->angular_damping};
        put_section(writer, SECTION_WORLD, sizeof row, 1);
        put(writer, &row, sizeof row);
    }
    if (bodies) {
        put_section(writer, SECTION_BODIES, sizeof(BodySection), bodies);
    }
    for (uint32_t i = 0; bodies && i < world->slot_count; i++) {
        if (has_section(world, i)) {
            const BodySection row = ph_snapshot_body_section(world, i);
            put(writer, &row, sizeof row);
        }
    }
    bool sorts = world->material_count || have_sorts(world);
    if (sorts) {
        uint64_t pairs = (uint64_t)world->material_count * world->material_count;
        put_section(writer, SECTION_MATERIALS, sizeof(MaterialSection), pairs);
        put(writer, world->material_pairs, (size_t)pairs * sizeof(MaterialSection));
    }
    if (d->length_unit != 1) {
        UnitsSection row = {d->length_unit};
        put_section(writer, SECTION_UNITS, sizeof row, 1);
        put(writer, &row, sizeof row);
    }
    Writer count = {0};
    uint64_t segments = world->mixed_materials ? write_segments(&count, world) : 0;
    if (segments) {
        put_section(writer, SECTION_SEGMENTS, sizeof(SegmentSection), segments);
        (void)write_segments(writer, world);
    }
    uint64_t contacts = write_contact_ids(writer, world);
    uint64_t tunings = write_tunings(&count, world);
    if (tunings) {
        put_section(writer, SECTION_TUNINGS, sizeof(TuningSection), tunings);
        (void)write_tunings(writer, world);
    }
    bool timed = world->last_substep > 0 && world->last_substep != ph_usual_substep(d);
    if (timed) {
        SubstepSection row = {world->last_substep};
        put_section(writer, SECTION_SUBSTEP, sizeof row, 1);
        put(writer, &row, sizeof row);
    }
    bool any = timed || damped || bodies || sorts || d->length_unit != 1 || segments || contacts ||
               tunings || have_paired_motors(world);
    if (any) {
        put_section(writer, SECTION_END, 0, 0);
    }
    return any;
}

static void write_world(Writer *writer, PhWorld *world, ShapeTable *shapes) {
    Head head = {.version = SNAPSHOT_PLAIN};
    memcpy(head.magic, SNAPSHOT_MAGIC, sizeof head.magic);
    SettingsRow settings = settings_of(world);
    settings.shapes = shapes->count;
    put(writer, &head, sizeof head);
    size_t at = writer->size;
    put(writer, &settings, sizeof settings);
    if (write_sections(writer, world)) {
        head.version = SNAPSHOT_VERSION;
    }
    for (uint32_t i = 0; i < shapes->count; i++) {
        write_shape(writer, shapes->shape[i]);
    }
    write_bodies(writer, world);
    write_colliders(writer, world, shapes);
    settings.inertias = write_joints(writer, world);
    write_fields(writer, world);
    settings.pairs = write_pairs(writer, world);
    settings.visits = write_visits(writer, &world->sensors);
    const PhTouchEvent *lost = world->lost.rows;
    for (uint32_t i = 0; i < world->lost.count; i++) {
        put(writer, &lost[i].pair, sizeof lost[i].pair);
    }
    if (writer->bytes) {
        memcpy(writer->bytes + at, &settings, sizeof settings);
        head.size = writer->size;
        head.checksum = ph_checksum(writer->bytes + at, writer->size - at);
        memcpy(writer->bytes, &head, sizeof head);
    }
}

PhStatus ph_world_snapshot(PhWorld *world, PhRoom room, void *context, PhError *error) {
    ph_refresh_poses(world);
    for (uint32_t i = 0; i < world->slot_count; i++) {
        PhStatus status = world->state->alive[i] ? ph_check_state_row(world, i, error) : PH_OK;
        if (status) {
            return status;
        }
    }
    PhStatus status = ph_world_clean_zombies(world, error);
    status = status ? status : ph_world_settle_events(world, error);
    if (status) {
        return status;
    }
    ShapeTable shapes = {0};
    Writer count = {0}, writer = {0};
    status = list_shapes(world, &shapes);
    if (!status) {
        write_world(&count, world, &shapes);
        writer.bytes = room(context, count.size);
        status = writer.bytes ? PH_OK : PH_ERROR_MEMORY;
    }
    if (!status) {
        write_world(&writer, world, &shapes);
        PH_ASSERT(writer.size == count.size);
    }
    ph_free(shapes.shape);
    ph_free(shapes.place);
    return status
               ? ph_fail(error, status, "no memory for a snapshot of %u bodies", world->body_count)
               : PH_OK;
}

// Makes the bodies and colliders of a snapshot.
//
// Invariant: as in snapshot_read.c, no byte is trusted. Bodies that are alike are made many at once
// (alike.c), where their rows say that they differ in nothing but how they move.
#include <stddef.h>
#include <string.h>

#include "world/changes.h"
#include "world/snapshot_reader.h"

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

static bool is_good_body(const BodyRowInPlace *row) {
    bool flags = is_flag(row->awake) && is_flag(row->last_awake) && is_flag(row->can_sleep) &&
                 is_flag(row->bullet) && is_flag(row->fixed_rotation) && is_flag(row->enabled) &&
                 is_flag(row->has_target);
    return flags && row->kind <= PH_DYNAMIC && row->moved <= PH_MOVED_PLACED &&
           (!row->awake || row->kind != PH_STATIC) && are_numbers(row->center, 2) &&
           row->sleep_time >= 0 && is_number(row->sleep_time) && are_numbers(row->rest_pose, 6) &&
           are_numbers(row->target, 7) && (!row->has_target || row->kind == PH_KINEMATIC) &&
           row->level < PH_SUBSTEP_LEVELS && (!row->has_target || row->target_dt > 0);
}

bool ph_snapshot_is_plain_body(const BodyRowInPlace *row) {
    const double modest = 1e6;
    return is_good_body(row) && are_within(row->position, 2, modest) &&
           are_within(&row->angle, 1, modest) && are_within(row->velocity, 2, modest) &&
           are_within(&row->angular_velocity, 1, modest);
}

bool ph_snapshot_find_bodies(Reader *reader, const SettingsRow *settings) {
    if (!has_generations(reader, settings->slots)) {
        return false;
    }
    reader->slots = reader->bytes + reader->at;
    reader->at += (size_t)settings->slots * sizeof(uint32_t);
    if (!has(reader, settings->bodies, sizeof(BodyRow))) {
        return false;
    }
    reader->bodies = reader->bytes + reader->at;
    reader->at += (size_t)settings->bodies * sizeof(BodyRow);
    return true;
}

bool ph_snapshot_find_colliders(Reader *reader, const SettingsRow *settings) {
    if (!has_generations(reader, settings->collider_limit)) {
        return false;
    }
    reader->colliders = reader->bytes + reader->at;
    reader->at += (size_t)settings->collider_limit * sizeof(uint32_t);
    return has(reader, settings->colliders, sizeof(ColliderRow));
}

PhStatus ph_snapshot_slots(Reader *reader, PhWorld *world, const SettingsRow *settings) {
    if (!ph_snapshot_find_bodies(reader, settings)) {
        return refuse(reader, "it ends early");
    }
    PhStatus status = ph_slots_reserve(world, settings->slots, reader->error);
    if (!status) {
        ph_world_clear_slots(world, settings->bodies == settings->slots ? settings->slots : 0);
        world->slot_count = settings->slots;
    }
    return status;
}

// least: the first slot that the body may have.
static PhStatus make_body(Reader *reader, PhWorld *world, const BodyRowInPlace *row,
                          uint32_t least) {
    uint32_t slot = row->slot, generation = 0;
    if (slot >= least && slot < world->slot_count) {
        generation = generation_of(reader->slots, slot);
    }
    if (!generation || !is_good_body(row)) {
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
    world->body[slot].generation = generation - 1; // that it takes the next
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

PhStatus ph_snapshot_colliders(Reader *reader, PhWorld *world, const SettingsRow *settings,
                               PhShape *const *shapes) {
    const uint32_t limit = settings->collider_limit;
    if (!ph_snapshot_find_colliders(reader, settings)) {
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
    const bool full = settings->colliders == limit;
    ph_world_clear_colliders(world, full ? limit : 0, count == behind ? (uint32_t)count : 0);
    for (uint32_t c = 0; !full && c < limit; c++) {
        world->collider[c].generation = generation_of(reader->colliders, c);
        ph_note_generation(world, world->collider[c].generation);
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

// After ph_snapshot_colliders, which made room: places the next `count` colliders on a body. last:
// the collider before them, or NULL.
static PhStatus place_colliders(Reader *reader, PhWorld *world, PhShape *const *shapes,
                                uint32_t slot, uint32_t count, const ColliderRowInPlace **last) {
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
        bool good = *last && say_the_same(*last, row); // this row has been checked already
        good = good || (is_flag(row->sensor) && is_flag(row->pre_solve) &&
                        (reader->section[SECTION_MATERIALS].row ||
                         !(row->friction_rule || row->restitution_rule || row->material)) &&
                        !ph_collider_check(&def, NULL));
        const uint32_t generation =
            row->index < world->collider_limit ? generation_of(reader->colliders, row->index) : 0;
        good = good && generation > 0 && !world->collider[row->index].alive &&
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
        world->collider[row->index].generation = generation - 1;
        ph_collider_place(world, row->index, row->first_proxy, slot, shape, &def);
        ph_segments_release(def.segments); // the world has a reference of its own
        *last = row;
    }
    return PH_OK;
}

static bool sleeps(const PhWorld *world, uint32_t slot) {
    return world->state->alive[slot] && ph_is_dynamic(world, slot) && !world->state->awake[slot] &&
           world->body[slot].enabled;
}

static void set_velocity(PhWorld *world, const BodyRowInPlace *row) {
    PhState *s = world->state;
    uint32_t i = row->slot;
    s->velocity[i][0] = row->velocity[0];
    s->velocity[i][1] = row->velocity[1];
    s->angular_velocity[i] = row->angular_velocity;
    s->force[i][0] = row->force[0];
    s->force[i][1] = row->force[1];
    s->torque[i] = row->torque;
}

void ph_snapshot_set_motion(PhWorld *world, const BodyRowInPlace *row) {
    const uint32_t i = row->slot;
    PhVec2 place = ph_wrap_fold(&world->wrap, ph_vec(row->position[0], row->position[1]));
    world->state->position[i][0] = place.x;
    world->state->position[i][1] = place.y;
    world->state->angle[i] = row->angle;
    ph_refresh_slot(world, i);
    set_velocity(world, row);
}

void ph_snapshot_set_target(PhWorld *world, const BodyRowInPlace *row) {
    PhBody *body = &world->body[row->slot];
    body->has_target = row->has_target;
    body->target = ph_vec(row->target[0], row->target[1]);
    body->target_angle = row->target_angle;
    body->target_dt = row->target_dt;
    body->target_velocity[0] = row->target_velocity[0];
    body->target_velocity[1] = row->target_velocity[1];
    body->target_spin = row->target_spin;
}

void ph_snapshot_set_history(PhWorld *world, const BodyRowInPlace *row) {
    uint32_t i = row->slot;
    world->center[i][0] = row->center[0];
    world->center[i][1] = row->center[1];
    world->last_awake[i] = row->last_awake;
    world->sleep_time[i] = row->sleep_time;
    memcpy(world->rest_mark[i].pose, row->rest_pose, sizeof row->rest_pose);
    memcpy(world->rest_mark[i].velocity, row->rest_velocity, sizeof row->rest_velocity);
    world->substep_level[i] = (PhSubstepLevel){row->level, row->calm, row->jointed, row->pressed};
    world->shifted[i] = row->shifted;
    world->limited[i] = row->limited;
    world->body[i].sleep_next = sleeps(world, i) ? row->sleep_next : i;
    if (world->role[i] < PH_ROLE_KINEMATIC) {
        ph_refresh_resting_boxes(world, i);
    }
    ph_note_moved(world, i, row->moved);
}

// After its colliders are placed. Returns whether they give it a valid mass.
static bool finish_body(PhWorld *world, const BodyRowInPlace *row) {
    uint32_t i = row->slot;
    if (ph_body_update_mass(world, i)) {
        return false;
    }
    set_velocity(world, row);
    world->state->awake[i] = row->awake;
    ph_body_update_role(world, i);
    ph_body_update_proxies(world, i);
    ph_snapshot_set_target(world, row);
    ph_snapshot_set_history(world, row);
    ph_measure_last(world);
    return true;
}

// Whether the bodies of two rows are made alike: they differ in how they move.
static bool are_made_alike(const BodyRowInPlace *a, const BodyRowInPlace *b) {
    enum {
        GIVEN = offsetof(BodyRow, gravity_scale),
        GIVEN_END = offsetof(BodyRow, sleep_time),
        TARGET = offsetof(BodyRow, target),
        TARGET_END = offsetof(BodyRow, shifted),
        SWITCHES = offsetof(BodyRow, can_sleep),
        SWITCHES_END = offsetof(BodyRow, level),
    };
    const char *one = (const char *)a, *other = (const char *)b;
    return a->kind == b->kind && a->awake == b->awake && a->colliders == b->colliders &&
           memcmp(one + GIVEN, other + GIVEN, GIVEN_END - GIVEN) == 0 &&
           memcmp(one + TARGET, other + TARGET, TARGET_END - TARGET) == 0 &&
           memcmp(one + SWITCHES, other + SWITCHES, SWITCHES_END - SWITCHES) == 0;
}

// A body that was made, and what the rows behind its own have to be for more like it.
typedef struct Model {
    const BodyRowInPlace *row;
    const ColliderRowInPlace *collider;
    uint32_t colliders, proxies;
} Model;

// Whether the k-th body and its colliders behind a model, whose rows are there, are like it.
static bool is_like(const Reader *reader, const PhWorld *world, PhShape *const *shapes,
                    const Model *model, uint32_t k) {
    const BodyRowInPlace *row = model->row + k;
    uint32_t slot = model->row->slot + k;
    const SectionRows *given = &reader->section[SECTION_BODIES],
                      *segments = &reader->section[SECTION_SEGMENTS];
    bool like =
        row->slot == slot && slot < world->slot_count && generation_of(reader->slots, slot) > 0 &&
        are_made_alike(model->row, row) && ph_snapshot_is_plain_body(row) &&
        !(given->count && ((const BodySectionInPlace *)(const void *)given->row)->slot == slot);
    for (uint32_t c = 0; like && c < model->colliders; c++) {
        const ColliderRowInPlace *one = model->collider + c, *other = one + k * model->colliders;
        uint32_t index = one->index + k * model->colliders;
        uint32_t owner = PH_NULL;
        if (segments->count) {
            memcpy(&owner, segments->row + offsetof(SegmentSection, surface.unused), sizeof owner);
        }
        like = say_the_same(one, other) && other->index == index && index < world->collider_limit &&
               !world->collider[index].alive && generation_of(reader->colliders, index) > 0 &&
               owner != index && other->first_proxy == one->first_proxy + k * model->proxies &&
               are_free(world, other->first_proxy, (uint32_t)shapes[other->shape]->piece_count);
    }
    return like;
}

// Of a body and of its colliders.
static void set_generations(const Reader *reader, PhWorld *world, uint32_t slot) {
    PhBody *body = &world->body[slot];
    body->generation = generation_of(reader->slots, slot);
    ph_note_generation(world, body->generation);
    for (uint32_t c = body->first_collider; c != PH_NULL; c = world->collider[c].next) {
        world->collider[c].generation = generation_of(reader->colliders, c);
        ph_note_generation(world, world->collider[c].generation);
    }
}

// Of a slot without a body.
static void leave_slot(const Reader *reader, PhWorld *world, uint32_t slot) {
    world->body[slot].generation = generation_of(reader->slots, slot);
    ph_note_generation(world, world->body[slot].generation);
    ph_state_poison(world->state, slot);
}

// Makes the bodies of the rows behind a row, whose body and colliders were made last, as long as
// they are like it. most: of how many the rows and those of their colliders are there. Returns how
// many these are.
static uint32_t read_likes(Reader *reader, PhWorld *world, PhShape *const *shapes,
                           const BodyRowInPlace *row, uint64_t most) {
    enum { BLOCK = 64 }; // whose rows stay in the cache
    if (is_special(&world->body[row->slot]) || !ph_body_has_likes(world, row->slot)) {
        return 0;
    }
    Model model = {.row = row, .colliders = row->colliders};
    model.collider =
        (const ColliderRowInPlace *)(const void *)(reader->bytes + reader->at) - model.colliders;
    for (uint32_t c = 0; c < model.colliders; c++) {
        model.proxies += (uint32_t)shapes[model.collider[c].shape]->piece_count;
    }
    uint32_t made = 0, count;
    do {
        for (count = 0; count < BLOCK && made + count < most; count++) {
            if (!is_like(reader, world, shapes, &model, made + count + 1)) {
                break;
            }
        }
        ph_bodies_like(world, row->slot + made, count);
        for (uint32_t k = 0; k < count; k++) {
            const BodyRowInPlace *next = row + ++made;
            set_generations(reader, world, next->slot);
            ph_snapshot_set_motion(world, next);
            ph_snapshot_set_history(world, next);
        }
    } while (count == BLOCK);
    reader->at += (size_t)made * model.colliders * sizeof(ColliderRow);
    return made;
}

static bool is_asleep(const BodyRowInPlace *row) {
    return row->kind == PH_DYNAMIC && !row->awake && row->enabled;
}

bool ph_snapshot_are_rings(const Reader *reader, const SettingsRow *settings, uint8_t *entered) {
    const BodyRowInPlace *rows = (const void *)reader->bodies;
    for (uint32_t k = 0; k < settings->bodies; k++) {
        entered[rows[k].slot] = is_asleep(&rows[k]);
    }
    for (uint32_t k = 0; k < settings->bodies; k++) {
        const uint32_t next = rows[k].sleep_next;
        if (!is_asleep(&rows[k])) {
            continue;
        }
        if (next >= settings->slots || entered[next] != 1) {
            return false;
        }
        entered[next] = 2;
    }
    return true; // every sleeper has been entered once
}

PhStatus ph_snapshot_bodies(Reader *reader, PhWorld *world, const SettingsRow *settings,
                            PhShape *const *shapes) {
    uint64_t left = settings->colliders;
    uint32_t least = 0;
    const ColliderRowInPlace *last = NULL;
    bool any_sleeps = false;
    for (uint32_t k = 0; k < settings->bodies; k++) {
        const BodyRowInPlace *row = (const BodyRowInPlace *)(const void *)reader->bodies + k;
        if (row->colliders > left) {
            return refuse(reader, "a body");
        }
        left -= row->colliders;
        PhStatus status = make_body(reader, world, row, least);
        if (status) {
            return status;
        }
        for (; least < row->slot; least++) {
            leave_slot(reader, world, least);
        }
        status = place_colliders(reader, world, shapes, row->slot, row->colliders, &last);
        if (status) {
            return status;
        }
        if (!finish_body(world, row)) {
            return refuse(reader, "a body's mass");
        }
        any_sleeps |= sleeps(world, row->slot);
        uint64_t most = row->colliders ? left / row->colliders : 0,
                 behind = settings->bodies - k - 1;
        uint32_t likes = read_likes(reader, world, shapes, row, most < behind ? most : behind);
        left -= (uint64_t)likes * row->colliders;
        least = row->slot + likes + 1;
        k += likes;
    }
    for (; least < world->slot_count; least++) {
        leave_slot(reader, world, least);
    }
    find_free_ranges(world);
    bool whole = left == 0 && reader->section[SECTION_BODIES].count == 0 &&
                 reader->section[SECTION_SEGMENTS].count == 0;
    if (!whole) {
        return refuse(reader, "its colliders");
    }
    if (any_sleeps) {
        uint8_t *entered = (uint8_t *)world->woken; // scratch: no wake is pending
        memset(entered, 0, world->slot_count);
        whole = ph_snapshot_are_rings(reader, settings, entered);
    }
    return whole ? PH_OK : refuse(reader, "a ring of sleepers");
}

// Restores a world to a snapshot of its own bodies without making them again: their tables move to
// the world that is made of the snapshot, and only what a step changes is read.
//
// Invariant: nothing of the world that gives them is written before all of the snapshot has been
// read and found good. Then every row is as it would be if the body had been made of its rows: what
// says how a body is made is compared number by number, what a step leaves is set or cleared.
#include <stddef.h>
#include <string.h>

#include "world/changes.h"
#include "world/snapshot_reader.h"

// Where each shape of the snapshot lies in the bytes, and which of the world's it is: NULL as long
// as no collider has had it.
typedef struct ShapePlace {
    const uint8_t *row;
    size_t size;
    const PhShape *shape;
} ShapePlace;

static bool have_same_tables(const PhWorld *world, const PhWorld *heir,
                             const SettingsRow *settings) {
    const PhWorldDef *a = &world->def, *b = &heir->def;
    const bool same_rules = a->length_unit == b->length_unit && a->wrap.x == b->wrap.x &&
                            a->wrap.y == b->wrap.y && a->friction_rule == b->friction_rule &&
                            a->restitution_rule == b->restitution_rule;
    const bool same_counts = settings->slots == heir->slot_count &&
                             settings->bodies == heir->body_count &&
                             settings->collider_limit == heir->collider_limit &&
                             settings->colliders == heir->collider_count;
    const bool settled = heir->zombie_count == 0 && heir->unmeasured == PH_NULL;
    return same_rules && same_counts && settled;
}

// Notes where the shapes are, and passes them.
static bool find_shapes(Reader *reader, ShapePlace *places, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        ShapeRow row;
        places[i] = (ShapePlace){.row = reader->bytes + reader->at};
        if (!take(reader, &row, sizeof row) || !has(reader, row.holes, sizeof(uint64_t)) ||
            !has(reader, row.vertices, sizeof(PhVec2))) {
            return false;
        }
        uint64_t all = row.vertices;
        for (uint32_t k = 0; k < row.holes; k++) {
            uint64_t vertices;
            get(reader, &vertices, sizeof vertices);
            if (!has(reader, vertices, sizeof(PhVec2))) {
                return false;
            }
            all += vertices;
        }
        if (!has(reader, all, sizeof(PhVec2))) {
            return false;
        }
        reader->at += (size_t)all * sizeof(PhVec2);
        places[i].size = (size_t)(reader->bytes + reader->at - places[i].row);
    }
    return true;
}

// Whether a table of generations of bodies or colliders says the same as the rows of the world,
// which are `size` bytes each.
static bool are_generations(const uint8_t *table, uint32_t count, const void *rows, size_t at,
                            size_t size) {
    bool same = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t generation;
        memcpy(&generation, (const char *)rows + i * size + at, sizeof generation);
        same &= generation_of(table, i) == generation;
    }
    return same;
}

// Whether the next row of a section is that; if so, passes it.
static bool is_next(SectionRows *rows, const void *row, size_t size) {
    const bool same = rows->count && memcmp(rows->row, row, size) == 0;
    if (same) {
        pass_rows(rows, 1, size);
    }
    return same;
}

static bool is_made_so(Reader *reader, const PhWorld *heir, const BodyRowInPlace *row) {
    const uint32_t i = row->slot;
    const PhBody *body = &heir->body[i];
    if (is_special(body)) {
        const BodySection own = ph_snapshot_body_section(heir, i);
        if (!is_next(&reader->section[SECTION_BODIES], &own, sizeof own)) {
            return false;
        }
    }
    const double given[] = {heir->gravity_scale[i], heir->linear_damping[i],
                            heir->angular_damping[i], body->given.mass};
    _Static_assert(offsetof(BodyRow, sleep_time) - offsetof(BodyRow, gravity_scale) == sizeof given,
                   "numbers of how a body is made");
    return heir->state->alive[i] && row->kind == heir->state->kind[i] &&
           row->colliders == body->collider_count &&
           memcmp(&row->gravity_scale, given, sizeof given) == 0 &&
           row->can_sleep == body->can_sleep && row->bullet == body->bullet &&
           row->fixed_rotation == body->fixed_rotation && row->enabled == body->enabled &&
           are_within(heir->state->position[i], 2, PH_JOINT_MOST) && // joints are checked there
           are_within(&heir->state->angle[i], 1, PH_JOINT_MOST) &&
           (row->kind != PH_STATIC || are_within(row->velocity, 3, 0));
}

// After find_shapes. Whether the next rows are the colliders that the body has. *behind: no less
// than one more than their last proxy.
static bool have_same_colliders(Reader *reader, const PhWorld *heir, uint32_t slot,
                                ShapePlace *places, uint32_t shapes, uint32_t *behind) {
    for (uint32_t c = heir->body[slot].first_collider; c != PH_NULL; c = heir->collider[c].next) {
        const PhCollider *collider = &heir->collider[c];
        const ColliderRowInPlace *row = (const void *)(reader->bytes + reader->at);
        reader->at += sizeof *row;
        const PhSegments *segments = collider->def.segments;
        for (uint32_t k = 0; segments && k < segments->count; k++) {
            const SegmentSection own = ph_snapshot_segment_section(heir, c, k);
            if (!is_next(&reader->section[SECTION_SEGMENTS], &own, sizeof own)) {
                return false;
            }
        }
        const bool sorted = row->friction_rule || row->restitution_rule || row->material;
        if (row->shape >= shapes || (sorted && !reader->section[SECTION_MATERIALS].row)) {
            return false;
        }
        const ColliderRow own = ph_snapshot_collider_row(heir, c, row->shape);
        if (memcmp(&own, row, sizeof own) != 0) {
            return false;
        }
        ShapePlace *place = &places[row->shape];
        if (!place->shape && ph_snapshot_is_shape(collider->shape, place->row, place->size)) {
            place->shape = collider->shape;
        }
        if (place->shape != collider->shape) {
            return false;
        }
        const uint32_t end = collider->first_proxy + (uint32_t)collider->shape->piece_count;
        *behind = end > *behind ? end : *behind;
    }
    return true;
}

// Whether the rows from here on are those of the bodies of the heir, and say nothing that would be
// refused. Leaves the reader behind them.
static bool have_same_bodies(Reader *reader, const PhWorld *heir, const SettingsRow *settings,
                             ShapePlace *places, uint8_t *entered) {
    if (!find_shapes(reader, places, settings->shapes) ||
        !ph_snapshot_find_bodies(reader, settings) ||
        !ph_snapshot_find_colliders(reader, settings) ||
        !are_generations(reader->slots, settings->slots, heir->body, offsetof(PhBody, generation),
                         sizeof(PhBody)) ||
        !are_generations(reader->colliders, settings->collider_limit, heir->collider,
                         offsetof(PhCollider, generation), sizeof(PhCollider))) {
        return false;
    }
    // As many bodies as the heir has, ascending and each alive there, are all of them; and have as
    // many colliders as there are rows.
    const BodyRowInPlace *rows = (const void *)reader->bodies;
    uint32_t behind = 0;
    for (uint32_t k = 0, least = 0; k < settings->bodies; k++) {
        const BodyRowInPlace *row = rows + k;
        if (row->slot < least || row->slot >= settings->slots || !is_made_so(reader, heir, row) ||
            !ph_snapshot_is_plain_body(row) ||
            !have_same_colliders(reader, heir, row->slot, places, settings->shapes, &behind)) {
            return false;
        }
        least = row->slot + 1;
    }
    return behind == heir->proxies.count && reader->section[SECTION_BODIES].count == 0 &&
           reader->section[SECTION_SEGMENTS].count == 0 &&
           ph_snapshot_are_rings(reader, settings, entered);
}

// Exchanges the tables of bodies, colliders and proxies of two worlds, with the live arrays and the
// rings of the proxies.
static void exchange_tables(PhWorld *a, PhWorld *b) {
    PhArray of_a[PH_WORLD_ARRAYS], of_b[PH_WORLD_ARRAYS];
    ph_world_list_arrays(a, of_a);
    ph_world_list_arrays(b, of_b);
    for (int i = 0; i < PH_TABLE_ARRAYS; i++) {
        void *one, *other;
        memcpy(&one, of_a[i].data, sizeof one);
        memcpy(&other, of_b[i].data, sizeof other);
        memcpy(of_a[i].data, &other, sizeof other);
        memcpy(of_b[i].data, &one, sizeof one);
    }
#define EXCHANGE(type, member)                                                                     \
    do {                                                                                           \
        type kept = a->member;                                                                     \
        a->member = b->member;                                                                     \
        b->member = kept;                                                                          \
    } while (0)
    EXCHANGE(uint32_t, slot_capacity);
    EXCHANGE(uint32_t, collider_capacity);
    EXCHANGE(uint32_t, proxies.capacity);
    EXCHANGE(PhLaneRing *, lane_ring);
    EXCHANGE(uint32_t, ring_capacity);
    EXCHANGE(PhState *, state);
#undef EXCHANGE
}

// What a world knows of its tables.
static void take_counts(PhWorld *world, const PhWorld *from) {
    world->slot_count = from->slot_count;
    world->body_count = from->body_count;
    world->collider_limit = from->collider_limit;
    world->collider_count = from->collider_count;
    world->live_proxies = from->live_proxies;
    world->proxies.count = from->proxies.count;
    world->free_range_count = from->free_range_count;
    world->ring_limit = from->ring_limit;
    world->rings_missing = from->rings_missing;
    world->lane_kinds = from->lane_kinds;
    world->one_material = from->one_material;
    world->mixed_materials = from->mixed_materials;
    world->own_surfaces = from->own_surfaces;
    world->sensors.count = from->sensors.count;
    world->singular |= from->singular;
    world->own_thresholds = from->own_thresholds;
    world->continuous.any_several = from->continuous.any_several;
    world->turns = from->turns; // marks of colliders are not above it
}

bool ph_snapshot_take_bodies(Reader *reader, PhWorld *world, PhWorld *heir,
                             const SettingsRow *settings) {
    if (!have_same_tables(world, heir, settings) ||
        !has(reader, settings->shapes, sizeof(ShapeRow))) {
        return false;
    }
    const Reader before = *reader;
    ShapePlace *places = ph_alloc((size_t)settings->shapes + 1, sizeof *places);
    uint8_t *entered = ph_alloc((size_t)settings->slots + 1, sizeof *entered);
    bool same = places && entered && have_same_bodies(reader, heir, settings, places, entered);
    ph_free(entered);
    ph_free(places);
    if (!same) {
        *reader = before;
        return false;
    }
    for (uint32_t i = 0; i < settings->slots; i++) {
        ph_note_generation(world, generation_of(reader->slots, i));
    }
    for (uint32_t c = 0; c < settings->collider_limit; c++) {
        ph_note_generation(world, generation_of(reader->colliders, c));
    }
    take_counts(world, heir);
    exchange_tables(world, heir);
    return true;
}

void ph_snapshot_give_back_bodies(PhWorld *world, PhWorld *heir) {
    exchange_tables(world, heir);
    world->collider_limit = world->slot_count = 0; // it has none to release
}

// What a step leaves in the rows of proxies, as in those of new ones.
static void forget_steps(PhWorld *world) {
    PhProxies *p = &world->proxies;
    for (uint32_t i = 0; i < p->count; i++) {
        ph_proxy_forget_box(p, i);
        p->flags[i] &= (uint8_t) ~(PH_PROXY_MOVES | PH_PROXY_ENLARGED);
        world->tree_leaf[i] = PH_NULL;
    }
    for (uint32_t i = 0; i < world->slot_count; i++) {
        world->moved[i] = PH_MOVED_NOT;
        world->body[i].first_joint = PH_NULL;
    }
}

void ph_snapshot_move_bodies(const Reader *reader, PhWorld *world, PhWorld *heir,
                             const SettingsRow *settings) {
    const BodyRowInPlace *rows = (const void *)reader->bodies;
    forget_steps(world);
    for (uint32_t k = 0; k < settings->bodies; k++) {
        const BodyRowInPlace *row = rows + k;
        world->state->awake[row->slot] = row->awake;
        ph_snapshot_set_motion(world, row);
        ph_body_update_role(world, row->slot);
        ph_snapshot_set_target(world, row);
        ph_snapshot_set_history(world, row);
    }
    ph_joints_tie_placed(world);
    PhState *state = world->state; // stays where views see it: see ph_world_become
    world->state = heir->state;
    heir->state = state;
}

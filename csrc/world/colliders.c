// Owns colliders and their proxies: a collider is a shape on a body, a proxy is one piece of it in
// the broad phase.
//
// Invariant: the proxies of a collider are consecutive, and numbers are the lowest that were free,
// so that the canonical order of pairs depends on what lives, not on history.
#include <string.h>

#include "base/sort.h"

#include "geometry/build.h"
#include "world/changes.h"
#include "world/internal.h"

// Pieces are bounded by four for each body that fits, and for so many bodies at least.
enum { LEAST_BODIES = 1 << 20 };

PhColliderDef ph_collider_def(void) {
    return (PhColliderDef){.density = 1, .friction = 0.6, .category = 1, .mask = UINT64_MAX};
}

PhStatus ph_collider_check(const PhColliderDef *def, PhError *error) {
    const struct {
        const char *name;
        double value, least, most;
    } numbers[] = {
        {"density", def->density, 0, 1e30},
        {"friction", def->friction, 0, PH_MAX_SURFACE},
        {"restitution", def->restitution, 0, PH_MAX_SURFACE},
        {"rolling_resistance", def->rolling_resistance, 0, PH_MAX_SURFACE},
        {"tangent_speed", def->tangent_speed, -1e9, 1e9},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        double value = numbers[i].value;
        if (!(value >= numbers[i].least && value <= numbers[i].most)) {
            return ph_fail(error, PH_ERROR_VALUE, "%s: must be between %s and %s, got %s",
                           numbers[i].name, ph_number_text(numbers[i].least).text,
                           ph_number_text(numbers[i].most).text, ph_number_text(value).text);
        }
    }
    if (def->material > PH_MAX_MATERIALS) {
        return ph_fail(error, PH_ERROR_VALUE, "material: must be between 0 and %d, got %d",
                       PH_MAX_MATERIALS - 1, def->material - 1);
    }
    if (def->friction_rule > 1 + PH_MIX_MULTIPLY || def->restitution_rule > 1 + PH_MIX_MULTIPLY) {
        return ph_fail(error, PH_ERROR_VALUE, "friction_rule and restitution_rule: no such rule");
    }
    return PH_OK;
}

// ------------------------------------------------------------------------------------------------
// numbers of proxies

// Puts a range back, joined with its neighbours. Room is there: columns are as long as the
// proxies'.
static void give_back(PhWorld *world, PhRange range) {
    PhRange *free = world->free_ranges;
    uint32_t low = 0, high = world->free_range_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (free[middle].first < range.first) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool joins_next = low < world->free_range_count && range.first + range.count == free[low].first;
    bool joins_last = low > 0 && free[low - 1].first + free[low - 1].count == range.first;
    if (joins_last && joins_next) {
        free[low - 1].count += range.count + free[low].count;
        world->free_range_count--;
        memmove(free + low, free + low + 1, (world->free_range_count - low) * sizeof *free);
    } else if (joins_last) {
        free[low - 1].count += range.count;
    } else if (joins_next) {
        free[low] = (PhRange){range.first, range.count + free[low].count};
    } else {
        memmove(free + low + 1, free + low, (world->free_range_count - low) * sizeof *free);
        free[low] = range;
        world->free_range_count++;
    }
}

static uint32_t take_proxies(PhWorld *world, uint32_t count) {
    for (uint32_t i = 0; i < world->free_range_count; i++) {
        PhRange *range = &world->free_ranges[i];
        if (range->count < count) {
            continue;
        }
        uint32_t first = range->first;
        range->first += count;
        range->count -= count;
        if (range->count == 0) {
            world->free_range_count--;
            memmove(range, range + 1, (world->free_range_count - i) * sizeof *range);
        }
        return first;
    }
    // Behind the last that lives, so that numbers are a matter of what lives.
    uint32_t first = world->proxies.count;
    const PhRange *last = &world->free_ranges[world->free_range_count];
    if (world->free_range_count > 0 && last[-1].first + last[-1].count == first) {
        first = last[-1].first;
        world->free_range_count--;
    }
    world->proxies.count = first + count;
    return first;
}

static bool zombie_less(const void *a, const void *b, const void *context) {
    (void)context;
    return ((const PhZombie *)a)->range.first < ((const PhZombie *)b)->range.first;
}

// Ids of the owners of a proxy, alive or not. The zombies are sorted.
static void find_ids(const PhWorld *world, uint32_t proxy, uint64_t *body, uint64_t *collider) {
    const PhProxies *p = &world->proxies;
    if (p->flags[proxy] & PH_PROXY_ALIVE) {
        *body = ph_id_number(ph_body_id(world, p->body[proxy]));
        *collider = ph_id_number(ph_collider_id(world, p->collider[proxy]));
        return;
    }
    uint32_t low = 0, high = world->zombie_count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (world->zombies[middle].range.first <= proxy) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *body = world->zombies[low].body_id;
    *collider = world->zombies[low].collider_id;
}

// Ends the contact of two proxies. Of those of the same colliders the first has its id.
static PhTouchEvent end_lost(PhWorld *world, uint32_t a, uint32_t b) {
    const PhProxies *p = &world->proxies;
    PhTouchEvent event = {
        .pair = {.body_a = (int32_t)p->body[a],
                 .body_b = (int32_t)p->body[b],
                 .collider_a = (int32_t)p->collider[a],
                 .collider_b = (int32_t)p->collider[b]},
        .id = ph_contact_ids_end(&world->contact_ids, p->collider[a], p->collider[b]),
    };
    find_ids(world, a, &event.pair.body_id_a, &event.pair.collider_id_a);
    find_ids(world, b, &event.pair.body_id_b, &event.pair.collider_id_b);
    return event;
}

// Pairs of proxies that died lose their records; those that touched have ended. Then the numbers
// are free again.
PhStatus ph_world_clean_zombies(PhWorld *world, PhError *error) {
    if (world->zombie_count == 0) {
        return PH_OK;
    }
    ph_settle_records(world);
    const PhProxies *proxies = &world->proxies;
    ph_sort(world->zombies, world->zombie_count, sizeof *world->zombies, zombie_less, NULL);
    for (int pass = 0; pass < 2; pass++) {
        uint32_t ended = 0, k;
        PhPairCursor cursor = {0, 0};
        for (const PhPairList *pairs; ph_next_pair(&world->broad, &cursor, &pairs, &k);) {
            uint32_t a = pairs->owner[k], b = pairs->other[k];
            if (proxies->flags[a] & proxies->flags[b] & PH_PROXY_ALIVE) {
                continue;
            }
            bool touched = pairs->flags[k] & PH_PAIR_TOUCHING;
            ended += touched;
            if (pass == 0) {
                continue;
            }
            if (touched) {
                PhTouchEvent *rows = world->lost.rows;
                rows[world->lost.count++] = end_lost(world, a, b);
            }
            pairs->flags[k] = 0;
            pairs->record[k] = (PhContactRecord){0};
        }
        if (pass == 0 && ph_event_room(&world->lost, ended, sizeof(PhTouchEvent))) {
            return ph_fail(error, PH_ERROR_MEMORY, "no memory for %u events", ended);
        }
    }
    for (uint32_t i = 0; i < world->zombie_count; i++) {
        give_back(world, world->zombies[i].range);
    }
    world->zombie_count = 0;
    return PH_OK;
}

PhColliderMark ph_colliders_mark(const PhWorld *world) {
    return (PhColliderMark){world->collider_limit, world->free_collider_hint, world->proxies.count,
                            world->zombie_count};
}

void ph_colliders_take_back(PhWorld *world, const PhColliderMark *mark) {
    while (world->zombie_count > mark->zombies) {
        PhRange range = world->zombies[--world->zombie_count].range;
        if (range.first < mark->proxies) { // which may have gone on behind the last that lived
            uint32_t most = mark->proxies - range.first;
            range.count = range.count < most ? range.count : most;
            give_back(world, range);
        }
    }
    world->proxies.count = mark->proxies;
    world->collider_limit = mark->limit;
    world->free_collider_hint = mark->hint;
}

PhStatus ph_colliders_check_room(const PhWorld *world, uint64_t colliders, uint64_t proxies,
                                 PhError *error) {
    uint64_t most =
        4ull * (world->def.max_bodies > LEAST_BODIES ? world->def.max_bodies : LEAST_BODIES);
    if (colliders <= most && proxies <= most && world->live_proxies + proxies <= most) {
        return PH_OK;
    }
    return ph_fail(error, PH_ERROR_CAPACITY,
                   "%llu more shapes with %llu convex pieces beside the %u that are there: a world "
                   "with max_bodies = %u holds at most %llu pieces",
                   (unsigned long long)colliders, (unsigned long long)proxies, world->live_proxies,
                   world->def.max_bodies, (unsigned long long)most);
}

PhStatus ph_colliders_reserve(PhWorld *world, uint64_t colliders, uint64_t proxies,
                              PhError *error) {
    PhProxies *p = &world->proxies;
    const PhColumn columns[] = {PH_PROXY_COLUMNS(PH_COLUMN)};
    PH_FEW_COLUMNS(columns);
    PhStatus status = ph_colliders_check_room(world, colliders, proxies, error);
    status = status ? status : ph_world_clean_zombies(world, error);
    if (status) {
        return status;
    }
    status = ph_grow_columns(columns, sizeof columns / sizeof columns[0], &p->capacity,
                             p->count + proxies + 1, world->stop);
    if (!status) {
        status = ph_reserve_array(&world->collider, &world->collider_capacity,
                                  world->collider_limit + colliders, sizeof *world->collider);
    }
    return status ? ph_fail(error, PH_ERROR_MEMORY, "no memory for %llu more shapes",
                            (unsigned long long)colliders)
                  : PH_OK;
}

// ------------------------------------------------------------------------------------------------
// adding, dropping

static void set_piece_material(PhWorld *world, uint32_t proxy, uint32_t piece,
                               const PhColliderDef *def) {
    if (!def->segments) {
        ph_proxy_set_material(world, proxy, def);
        return;
    }
    PhColliderDef own = *def;
    ph_segments_apply(&own, piece);
    ph_proxy_set_material(world, proxy, &own);
    world->mixed_materials = true; // also while these pieces are the first
}

// Makes the proxies of a collider that has its shape and its first proxy.
static void make_proxies(PhWorld *world, uint32_t index) {
    const PhCollider *collider = &world->collider[index];
    const PhShape *shape = collider->shape;
    const PhColliderDef *def = &collider->def;
    uint32_t first = collider->first_proxy;
    PhProxies *p = &world->proxies;
    for (uint32_t k = 0; k < (uint32_t)shape->piece_count; k++) {
        uint32_t proxy = first + k;
        p->body[proxy] = collider->body;
        p->collider[proxy] = index;
        p->piece[proxy] = k;
        p->category[proxy] = def->category;
        p->mask[proxy] = def->mask;
        p->group[proxy] = def->group;
        world->proxy_piece[proxy] = &shape->pieces[k];
        world->span[proxy] = ph_span_of(&shape->pieces[k]);
        p->flags[proxy] = ph_is_long(&shape->pieces[k]) ? PH_PROXY_LONG : 0;
        ph_proxy_prepare(world, proxy);
        set_piece_material(world, proxy, k, def);
        ph_proxy_forget_box(p, proxy);
    }
}

void ph_collider_place(PhWorld *world, uint32_t index, uint32_t first, uint32_t slot,
                       PhShape *shape, const PhColliderDef *def) {
    PhCollider *collider = &world->collider[index];
    uint32_t count = (uint32_t)shape->piece_count;
    ph_shape_retain(shape);
    ph_segments_retain(def->segments);
    const uint32_t generation = ph_take_generation(world, collider->generation);
    ph_clear_row(collider, sizeof *collider);
    collider->generation = generation;
    collider->alive = true;
    collider->body = slot;
    collider->next = PH_NULL;
    collider->previous = world->body[slot].last_collider;
    collider->shape = shape;
    collider->def = *def;
    collider->first_proxy = first;
    collider->version = ++world->collider_version;
    for (uint32_t k = 0; k < count; k++) {
        world->tree_leaf[first + k] = PH_NULL;
    }
    make_proxies(world, index);
    PhBody *body = &world->body[slot];
    if (body->last_collider == PH_NULL) {
        body->first_collider = index;
    } else {
        world->collider[body->last_collider].next = index;
    }
    body->last_collider = index;
    body->collider_count++;
    ph_mass_grow(world, slot, collider);
    world->collider_count++;
    world->live_proxies += count;
    ph_note_queries(world);
    ph_note_lists(world);
    ph_sensors_add(world, index);
}

static uint32_t lowest_free_collider(const PhWorld *world) {
    uint32_t index = world->free_collider_hint;
    while (index < world->collider_limit && world->collider[index].alive) {
        index++;
    }
    return index;
}

PhStatus ph_collider_next_id(PhWorld *world, PhId *id, PhError *error) {
    PhStatus status = ph_colliders_reserve(world, 1, 0, error);
    if (!status) {
        uint32_t index = lowest_free_collider(world);
        *id = (PhId){index, ph_next_generation(world, world->collider[index].generation)};
    }
    return status;
}

uint32_t ph_collider_add(PhWorld *world, uint32_t slot, PhShape *shape, const PhColliderDef *def) {
    uint32_t index = lowest_free_collider(world);
    world->free_collider_hint = index + 1;
    world->collider_limit += index == world->collider_limit;
    uint32_t first = take_proxies(world, (uint32_t)shape->piece_count);
    ph_collider_place(world, index, first, slot, shape, def);
    return index;
}

static void update_flags(PhWorld *world, const PhCollider *collider) {
    uint8_t kind = world->state->kind[collider->body];
    bool enabled = world->body[collider->body].enabled && ph_meets_any(&collider->def);
    for (uint32_t k = 0; k < (uint32_t)collider->shape->piece_count; k++) {
        uint32_t proxy = collider->first_proxy + k;
        world->proxies.flags[proxy] =
            (uint8_t)((world->proxies.flags[proxy] & PH_PROXY_LONG) | PH_PROXY_ALIVE |
                      (kind == PH_DYNAMIC ? PH_PROXY_DYNAMIC : 0) |
                      (kind == PH_STATIC ? PH_PROXY_STATIC : 0) | (enabled ? PH_PROXY_ENABLED : 0) |
                      (world->span[proxy].x >= 0 ? PH_PROXY_EVEN : 0));
    }
}

// Proxies of the body are others than those that the step has listed.
static void proxies_changed(PhWorld *world, uint32_t slot) {
    ph_measure_later(world, slot);
    ph_note_proxies(world, slot);
    ph_note_moved(world, slot, PH_MOVED_NEW);
}

void ph_body_update_proxies(PhWorld *world, uint32_t slot) {
    for (uint32_t c = world->body[slot].first_collider; c != PH_NULL; c = world->collider[c].next) {
        update_flags(world, &world->collider[c]);
    }
    proxies_changed(world, slot);
}

// The proxies of a collider that has its shape still.
static void bury_proxies(PhWorld *world, uint32_t index) {
    const PhCollider *collider = &world->collider[index];
    uint32_t count = (uint32_t)collider->shape->piece_count;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t proxy = collider->first_proxy + k;
        world->proxies.flags[proxy] = 0;
        world->proxy_piece[proxy] = NULL;
        if (world->tree_leaf[proxy] != PH_NULL) {
            ph_tree_remove(&world->tree, world->tree_leaf[proxy]);
            world->tree_leaf[proxy] = PH_NULL;
        }
    }
    world->zombies[world->zombie_count++] =
        (PhZombie){{collider->first_proxy, count},
                   ph_id_number(ph_body_id(world, collider->body)),
                   ph_id_number(ph_collider_id(world, index))};
    world->live_proxies -= count;
}

void ph_collider_drop(PhWorld *world, uint32_t index) {
    PhCollider *collider = &world->collider[index];
    PhBody *body = &world->body[collider->body];
    uint32_t before = collider->previous, after = collider->next;
    *(before == PH_NULL ? &body->first_collider : &world->collider[before].next) = after;
    *(after == PH_NULL ? &body->last_collider : &world->collider[after].previous) = before;
    body->collider_count--;
    ph_mass_forget(world, collider->body);
    ph_sensors_drop(world, index);
    bury_proxies(world, index);
    ph_note_proxies(world, collider->body);
    world->collider_count--;
    collider->alive = false;
    ph_shape_release(collider->shape);
    ph_segments_release(collider->def.segments);
    collider->shape = NULL;
    collider->def.segments = NULL;
    if (index < world->free_collider_hint) {
        world->free_collider_hint = index;
    }
}

static void wake_around(PhWorld *world, uint32_t slot) {
    if (ph_is_dynamic(world, slot)) {
        ph_wake(world, slot);
    } else {
        ph_wake_touching(world, slot);
    }
}

PhStatus ph_collider_create(PhWorld *world, PhId body, PhShape *shape, const PhColliderDef *def,
                            PhId *collider, PhError *error) {
    if (!ph_body_valid(world, body)) {
        return ph_fail(error, PH_ERROR_REMOVED, "the body has been removed");
    }
    PhStatus status = ph_collider_check(def, error);
    status = status ? status : ph_segments_check(def, shape, error);
    if (!status) {
        status = ph_body_check_attach(world, body.index, shape, def->density, error);
    }
    status = status ? status : ph_wrap_check_body(world, body.index, &shape, 1, error);
    if (!status) {
        status = ph_colliders_reserve(world, 1, (uint64_t)shape->piece_count, error);
    }
    if (status) {
        return status;
    }
    uint32_t index = ph_collider_add(world, body.index, shape, def);
    ph_body_update_mass(world, body.index);
    update_flags(world, &world->collider[index]);
    proxies_changed(world, body.index);
    wake_around(world, body.index);
    *collider = ph_collider_id(world, index);
    return PH_OK;
}

PhStatus ph_collider_destroy(PhWorld *world, PhId id, PhError *error) {
    if (!ph_collider_valid(world, id)) {
        return ph_fail(error, PH_ERROR_REMOVED, "the collider has been removed");
    }
    uint32_t slot = world->collider[id.index].body;
    wake_around(world, slot);
    ph_collider_drop(world, id.index);
    ph_body_update_mass(world, slot);
    return PH_OK;
}

// Whether a collider may have another shape.
static PhStatus check_shape(PhWorld *world, uint32_t index, PhShape *shape, bool update_mass,
                            PhError *error) {
    PhCollider *collider = &world->collider[index];
    PhShape *old = collider->shape;
    PhStatus status = ph_segments_check(&collider->def, shape, error);
    collider->shape = shape; // as it would be
    status = status ? status : ph_wrap_check_body(world, collider->body, &shape, 1, error);
    if (!status && update_mass) {
        status = ph_body_check_density(world, index, collider->def.density, error);
    }
    collider->shape = old;
    uint32_t count = (uint32_t)shape->piece_count;
    if (!status && count != (uint32_t)old->piece_count) {
        status = ph_colliders_reserve(world, 0, count, error);
    }
    return status;
}

PhStatus ph_collider_set_shape(PhWorld *world, PhId id, PhShape *shape, bool update_mass,
                               PhError *error) {
    if (!ph_collider_valid(world, id)) {
        return ph_fail(error, PH_ERROR_REMOVED, "the collider has been removed");
    }
    PhStatus status = check_shape(world, id.index, shape, update_mass, error);
    if (status) {
        return status;
    }
    PhCollider *collider = &world->collider[id.index];
    PhShape *old = collider->shape;
    uint32_t slot = collider->body;
    wake_around(world, slot); // also what it leaves
    if (!update_mass) {
        ph_mass_keep(world, slot);
    }
    ph_sensors_reshape(world, id.index);
    if (shape->piece_count == old->piece_count) { // its contacts go on
        collider->shape = shape;
    } else {
        bury_proxies(world, id.index);
        collider->shape = shape;
        collider->first_proxy = take_proxies(world, (uint32_t)shape->piece_count);
        world->live_proxies += (uint32_t)shape->piece_count;
        for (uint32_t k = 0; k < (uint32_t)shape->piece_count; k++) {
            world->tree_leaf[collider->first_proxy + k] = PH_NULL;
        }
    }
    ph_shape_retain(shape);
    collider->version = ++world->collider_version;
    make_proxies(world, id.index);
    ph_shape_release(old);
    ph_mass_forget(world, slot);
    ph_body_update_mass(world, slot);
    update_flags(world, collider);
    proxies_changed(world, slot);
    ph_note_pose(world, slot);
    wake_around(world, slot);
    return PH_OK;
}

bool ph_collider_alive(const PhWorld *world, uint32_t index) {
    return index < world->collider_limit && world->collider[index].alive;
}
bool ph_collider_valid(const PhWorld *world, PhId id) {
    return ph_collider_alive(world, id.index) &&
           world->collider[id.index].generation == id.generation;
}
PhId ph_collider_id(const PhWorld *world, uint32_t index) {
    return (PhId){index, world->collider[index].generation};
}
uint32_t ph_world_collider_limit(const PhWorld *world) {
    return world->collider_limit;
}
uint32_t ph_world_collider_count(const PhWorld *world) {
    return world->collider_count;
}
uint32_t ph_body_first_collider(const PhWorld *world, uint32_t slot) {
    return world->body[slot].first_collider;
}
uint32_t ph_collider_next(const PhWorld *world, uint32_t index) {
    return world->collider[index].next;
}
uint32_t ph_collider_body(const PhWorld *world, uint32_t index) {
    return world->collider[index].body;
}
PhShape *ph_collider_shape(const PhWorld *world, uint32_t index) {
    return world->collider[index].shape;
}
PhColliderDef ph_collider_material(const PhWorld *world, uint32_t index) {
    return world->collider[index].def;
}
void ph_proxy_owner(const PhWorld *world, uint32_t proxy, uint32_t *collider, uint32_t *piece) {
    *collider = world->proxies.collider[proxy];
    *piece = world->proxies.piece[proxy];
}

PhStatus ph_collider_set_material(PhWorld *world, PhId id, const PhColliderDef *def,
                                  PhError *error) {
    if (!ph_collider_valid(world, id)) {
        return ph_fail(error, PH_ERROR_REMOVED, "the collider has been removed");
    }
    PhCollider *collider = &world->collider[id.index];
    PhStatus status = ph_collider_check(def, error);
    status = status ? status : ph_segments_check(def, collider->shape, error);
    if (!status && def->density != collider->def.density) {
        status = ph_body_check_density(world, id.index, def->density, error);
    }
    if (status) {
        return status;
    }
    PhColliderDef old = collider->def;
    collider->def = *def;
    ph_segments_retain(def->segments);
    ph_segments_release(old.segments);
    for (uint32_t k = 0; k < (uint32_t)collider->shape->piece_count; k++) {
        set_piece_material(world, collider->first_proxy + k, k, def);
    }
    if (old.sensor != def->sensor) {
        ph_sensors_switch(world, id.index);
    }
    bool filter = old.category != def->category || old.mask != def->mask ||
                  old.group != def->group || old.sensor != def->sensor;
    if (filter) {
        for (uint32_t k = 0; k < (uint32_t)collider->shape->piece_count; k++) {
            world->proxies.category[collider->first_proxy + k] = def->category;
            world->proxies.mask[collider->first_proxy + k] = def->mask;
            world->proxies.group[collider->first_proxy + k] = def->group;
        }
        update_flags(world, collider);
        proxies_changed(world, collider->body);
        collider->version = ++world->collider_version;
    }
    if (old.density != def->density) {
        ph_mass_forget(world, collider->body);
        ph_body_update_mass(world, collider->body);
    }
    wake_around(world, collider->body);
    return PH_OK;
}

PhAabb ph_collider_aabb(const PhWorld *world, uint32_t index) {
    const PhCollider *collider = &world->collider[index];
    uint32_t slot = collider->body;
    const PhTransform *seen = &world->transform[slot];
    PhVec2 position = ph_slot_position(world, slot);
    bool fresh = position.x == seen->p.x && position.y == seen->p.y &&
                 world->state->angle[slot] == world->pose_angle[slot];
    return ph_shape_aabb(collider->shape, fresh ? *seen : ph_body_transform(world, slot));
}

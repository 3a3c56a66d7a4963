// Copies of worlds: a whole second one, and taking a copy's state back.
//
// Invariant: a copy has the same future as its original, bit for bit, and the same past: events,
// counters, numbers of what was removed. Nothing is shared but the shapes and the surfaces of
// segments, each with a reference of its own. Only what is found again without a trace is left out:
// what the backends of the broad phase keep from one rebuild to the next.
#include "world/snapshot_reader.h"

static PhStatus copy_arrays(PhWorld *clone, const PhWorld *world, const PhStop *stop) {
    PhArray arrays[PH_WORLD_ARRAYS];
    ph_world_list_arrays(clone, arrays);
    PhStatus status = ph_unshare_arrays(arrays, PH_WORLD_ARRAYS, stop);
    if (status) {
        return status;
    }
    clone->collider_limit = world->collider_limit;
    for (uint32_t i = 0; i < clone->collider_limit; i++) {
        if (clone->collider[i].alive) {
            ph_shape_retain(clone->collider[i].shape);
            ph_segments_retain(clone->collider[i].def.segments);
        }
    }
    clone->state = ph_state_copy(world->state, world->slot_count);
    return clone->state ? PH_OK : PH_ERROR_MEMORY;
}

PhWorld *ph_world_clone(const PhWorld *world, const PhStop *stop, PhError *error) {
    PhWorld *clone = ph_alloc(1, sizeof *clone);
    PhStatus status = clone ? PH_OK : PH_ERROR_MEMORY;
    if (clone) {
        *clone = *world;
        clone->collider_limit = 0; // no shape is retained yet
        clone->state = NULL;
        clone->jobs = NULL;
        clone->stop = NULL;
        clone->savepoint = (PhSavepoint){0};
        clone->spare = NULL;
        clone->broad = (PhBroad){0};
        clone->fields = (PhFields){0};
        ph_sensors_init(&clone->sensors, world->sensors.sensors.margin);
        clone->targets = (PhTargets){0};
        ph_layout_init(&clone->layout);
        ph_tree_init(&clone->tree, world->tree.margin);
        status = copy_arrays(clone, world, stop);
        status = status ? status : ph_broad_copy(&clone->broad, &world->broad, stop);
        status = status ? status : ph_fields_copy(&clone->fields, &world->fields);
        status = status ? status : ph_sensors_copy(&clone->sensors, &world->sensors);
        status = status ? status : ph_layout_copy(&clone->layout, &world->layout, stop);
        status = status ? status : ph_tree_copy(&clone->tree, &world->tree);
    }
    if (status) {
        ph_world_destroy(clone);
        ph_fail(error, status, "no memory for a copy of a world of %u bodies", world->body_count);
        return NULL;
    }
    return clone;
}

// Exchanges two worlds but for what others hold of the first: the arrays that views show, its
// workers, and its room: that of the savepoint and for the next restore.
static void exchange(PhWorld *world, PhWorld *other) {
    PhWorld before = *world;
    *world = *other;
    *other = before;
    other->state = world->state;
    world->state = before.state;
    other->jobs = world->jobs;
    world->jobs = before.jobs;
    world->savepoint = before.savepoint;
    other->savepoint = (PhSavepoint){0};
    world->spare = before.spare;
    other->spare = NULL;
    world->views_moved = before.views_moved;
    world->watched = before.watched;
}

void ph_world_adopt(PhWorld *world, PhWorld *clone) {
    PH_ASSERT(world->slot_count == clone->slot_count);
    ph_state_copy_rows(world->state, clone->state, clone->slot_count);
    exchange(world, clone);
    ph_world_destroy(clone);
}

// The live arrays of a world that becomes another one.
static PhStatus take_state(PhWorld *world, const PhWorld *other, PhError *error) {
    uint32_t slots = other->slot_count, old_slots = world->slot_count;
    if (slots > world->def.max_bodies) {
        return ph_fail(error, PH_ERROR_CAPACITY,
                       "the snapshot has %u slots; this world holds at most max_bodies = %u", slots,
                       world->def.max_bodies);
    }
    PhStatus status = ph_state_grow(world, slots, error);
    if (status) {
        return status;
    }
    ph_state_copy_rows(world->state, other->state, slots);
    for (uint32_t i = slots; i < old_slots; i++) {
        world->state->alive[i] = world->state->awake[i] = world->state->kind[i] = 0;
        ph_state_poison(world->state, i);
    }
    return PH_OK;
}

PhStatus ph_world_become(PhWorld *world, PhWorld *other, bool kept, PhError *error) {
    PhStatus status = kept ? PH_OK : take_state(world, other, error);
    if (status) {
        return status;
    }
    (void)ph_world_set_simd(other, ph_world_simd(world));
    PH_ASSERT(other->collider_version >= world->collider_version); // none that it has given out
    other->generation_floor = world->generation_top > world->generation_floor
                                  ? world->generation_top
                                  : world->generation_floor;
    PhPreSolve pre_solve = world->pre_solve;
    const PhStop *stop = world->stop;
    uint32_t max_bodies = world->def.max_bodies;
    int32_t workers = world->def.workers;
    exchange(world, other);
    world->pre_solve = pre_solve;
    world->stop = stop;
    world->def.max_bodies = max_bodies;
    world->def.workers = workers;
    if (kept) {
        other->collider_limit = 0; // they are the world's
    }
    ph_world_empty(other);
    ph_world_destroy(world->spare);
    world->spare = other;
    return PH_OK;
}

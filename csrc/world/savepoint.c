// Owns the savepoint to which a step returns when it is stopped after its solver has begun.
//
// Invariant: between commit() and the last test whether the step is stopped, a step writes only the
// columns that are listed here, and scratch that the next step makes anew. It allocates nothing
// there, so the world's own numbers and pointers can be restored as a whole. The memory is kept
// from step to step while steps are long, because it takes longer to get it from the system than to
// fill it.
#include <string.h>

#include "base/memory.h"
#include "world/internal.h"

enum { WRITTEN = 22, ALIGN = 64 };

static int list_written(PhWorld *world, PhArray list[WRITTEN]) {
    PhState *state = world->state;
    PhPairList *pairs = &world->broad.pairs;
    PhJoints *joints = &world->joints;
    uint32_t slots = world->slot_count, effective_inertia = joints->effective_inertia_capacity;
#define ROWS(array, count)                                                                         \
    { &array, sizeof *array, count }
    const PhArray all[] = {
        ROWS(state->position, slots),
        ROWS(state->angle, slots),
        ROWS(state->velocity, slots),
        ROWS(state->angular_velocity, slots),
        ROWS(state->force, slots),
        ROWS(state->torque, slots),
        ROWS(state->awake, slots),
        ROWS(world->role, slots),
        ROWS(world->moved, slots),
        ROWS(world->last_awake, slots),
        ROWS(world->tree_stale, slots),
        ROWS(world->shifted, slots),
        ROWS(world->center, slots),
        ROWS(world->substep_level, slots),
        ROWS(world->transform, slots),
        ROWS(world->pose_angle, slots),
        ROWS(world->limited, slots),
        ROWS(world->sleep_time, slots),
        ROWS(pairs->flags, pairs->count),
        ROWS(pairs->record, pairs->count),
        ROWS(joints->result, joints->limit),
        ROWS(joints->effective_inertia, effective_inertia < slots ? effective_inertia : slots),
    };
#undef ROWS
    _Static_assert(sizeof all / sizeof all[0] == WRITTEN, "WRITTEN");
    memcpy(list, all, sizeof all);
    return WRITTEN;
}

static size_t padded(size_t bytes) {
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static void *rows_of(const PhArray *array) {
    void *rows;
    memcpy(&rows, array->data, sizeof rows);
    return rows;
}

// Of each body what a step writes in it: what comes next in its ring of sleepers, and whether it
// has a target. The room for them is behind the columns.
typedef struct Cold {
    uint32_t *sleep_next;
    uint8_t *has_target;
} Cold;

static Cold cold_of(const PhWorld *world, char *from) {
    return (Cold){(uint32_t *)from, (uint8_t *)from + padded(world->slot_count * sizeof(uint32_t))};
}

static bool may_wake(const PhWorld *world) {
    return world->has_sleepers || world->woken_count > 0;
}

static size_t bytes_of(PhWorld *world) {
    PhArray list[WRITTEN];
    int count = list_written(world, list);
    size_t bytes = padded(sizeof *world);
    for (int i = 0; i < count; i++) {
        bytes += padded((size_t)list[i].capacity * list[i].size);
    }
    return bytes + padded(world->slot_count * sizeof(uint32_t)) + padded(world->slot_count);
}

// In portions, between which the step may be stopped: where the room is new, the system hands over
// memory more slowly than it is copied.
static PhStatus copy_rows(char *to, const char *from, size_t bytes, const PhStop *stop) {
    enum { PORTION = 1 << 24 };
    PhStatus status = PH_OK;
    for (size_t done = 0; !status && done < bytes; done += PORTION) {
        size_t left = bytes - done;
        memcpy(to + done, from + done, left < PORTION ? left : PORTION);
        status = left > PORTION && ph_stop_wanted(stop) ? PH_ERROR_STOPPED : PH_OK;
    }
    return status;
}

PhStatus ph_savepoint_take(PhWorld *world) {
    PhSavepoint *point = &world->savepoint;
    size_t bytes = bytes_of(world);
    if (bytes > point->capacity) {
        ph_savepoint_drop(world);
        size_t room = bytes + bytes / 8;
        point->rows = ph_alloc(room, 1);
        point->capacity = point->rows ? room : 0;
    }
    if (!point->rows) {
        return PH_OK;
    }
    ph_settle_records(world);
    char *to = point->rows;
    memcpy(to, world, sizeof *world);
    to += padded(sizeof *world);
    PhArray list[WRITTEN];
    int count = list_written(world, list);
    for (int i = 0; i < count; i++) {
        size_t size = (size_t)list[i].capacity * list[i].size;
        PhStatus status = ph_stop_between(world->stop, list[i].capacity);
        status = status ? status : copy_rows(to, rows_of(&list[i]), size, world->stop);
        if (status) {
            return status;
        }
        to += padded(size);
    }
    Cold cold = cold_of(world, to);
    for (uint32_t i = 0; may_wake(world) && i < world->slot_count; i++) {
        cold.sleep_next[i] = world->body[i].sleep_next;
    }
    for (uint32_t k = 0; k < world->kinematic_count; k++) {
        cold.has_target[world->kinematic[k]] = world->body[world->kinematic[k]].has_target;
    }
    point->taken = true;
    return PH_OK;
}

void ph_savepoint_restore(PhWorld *world) {
    PhWorld now = *world;
    PH_ASSERT(now.savepoint.taken);
    char *from = now.savepoint.rows;
    memcpy(world, from, sizeof *world);
    from += padded(sizeof *world);
    world->savepoint = now.savepoint;
    world->savepoint.taken = false;
    world->views_moved = now.views_moved; // a signal's handler may have made views
    world->watched = now.watched;
    PhArray list[WRITTEN], lately[WRITTEN];
    int count = list_written(world, list);
    (void)list_written(&now, lately);
    for (int i = 0; i < count; i++) {
        size_t size = (size_t)list[i].capacity * list[i].size;
        PH_ASSERT(rows_of(&list[i]) == rows_of(&lately[i]));
        if (size) {
            memcpy(rows_of(&list[i]), from, size);
        }
        from += padded(size);
    }
    Cold cold = cold_of(world, from);
    for (uint32_t i = 0; may_wake(world) && i < world->slot_count; i++) {
        world->body[i].sleep_next = cold.sleep_next[i];
    }
    for (uint32_t k = 0; k < world->kinematic_count; k++) {
        world->body[world->kinematic[k]].has_target = cold.has_target[world->kinematic[k]];
    }
    world->floors.stale = world->flush.stale = world->escapes.stale = true;
    world->continuous.fixed_state = PH_FIXED_STALE;
}

void ph_savepoint_drop(PhWorld *world) {
    ph_free(world->savepoint.rows);
    world->savepoint = (PhSavepoint){0};
}

// Owns the live arrays: one block of memory, carved into one array per quantity, that users hold
// views of.
//
// Invariant: a block is never moved or unmapped while anything holds a reference to it. Where
// address space can be reserved it is reserved for max_bodies at once; otherwise a full block is
// replaced by a larger one and kept alive by its holders.
#include <string.h>

#include "world/internal.h"

enum { FIRST_CAPACITY = 256, ALIGNMENT = 4096 };

typedef struct Field {
    size_t offset_in_struct, row_bytes;
} Field;
#define FIELD(name, bytes)                                                                         \
    { offsetof(PhState, name), bytes }
static const Field fields[] = {
    FIELD(position, 16), FIELD(angle, 8),  FIELD(velocity, 16), FIELD(angular_velocity, 8),
    FIELD(force, 16),    FIELD(torque, 8), FIELD(mass, 8),      FIELD(inertia, 8),
    FIELD(awake, 1),     FIELD(alive, 1),  FIELD(kind, 1),
};
enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };

static size_t array_bytes(uint32_t capacity, size_t row_bytes, size_t alignment) {
    return ((size_t)capacity * row_bytes + alignment - 1) / alignment * alignment;
}

static void carve(PhState *state, size_t alignment) {
    char *at = state->base;
    for (int i = 0; i < FIELD_COUNT; i++) {
        memcpy((char *)state + fields[i].offset_in_struct, &at, sizeof at);
        at += array_bytes(state->capacity, fields[i].row_bytes, alignment);
    }
}

static PhState *create(uint32_t capacity, bool reserve) {
    size_t alignment = reserve ? ALIGNMENT : 64, bytes = 0;
    for (int i = 0; i < FIELD_COUNT; i++) {
        bytes += array_bytes(capacity, fields[i].row_bytes, alignment);
    }
    PhState *state = ph_alloc(1, sizeof *state);
    void *base = !state ? NULL : reserve ? ph_map(bytes) : ph_alloc(bytes, 1);
    if (!base) {
        ph_free(state);
        return NULL;
    }
    atomic_init(&state->references, 1);
    state->capacity = capacity;
    state->reserved = reserve;
    state->bytes = bytes;
    state->base = base;
    carve(state, alignment);
    return state;
}

PhState *ph_state_create(uint32_t max_bodies, PhError *error) {
    PhState *state = create(max_bodies, true);
    if (!state) {
        state = create(max_bodies < FIRST_CAPACITY ? max_bodies : FIRST_CAPACITY, false);
    }
    if (!state) {
        ph_fail(error, PH_ERROR_MEMORY, "no memory for the arrays of %u bodies", max_bodies);
    }
    return state;
}

PhState *ph_state_create_small(uint32_t slots, PhError *error) {
    PhState *state = create(slots, false);
    if (!state) {
        ph_fail(error, PH_ERROR_MEMORY, "no memory for the arrays of %u bodies", slots);
    }
    return state;
}

bool ph_state_clear(PhState *state, uint32_t slots) {
    bool fits = state && !state->reserved && slots > 0 && slots <= state->capacity;
    if (fits) {
        char *flags = (char *)state->awake; // the columns before are written with every body
        memset(flags, 0, (size_t)((char *)state->base + state->bytes - flags));
    }
    return fits;
}

void ph_state_copy_rows(PhState *to, const PhState *from, uint32_t slots) {
    for (int i = 0; i < FIELD_COUNT; i++) {
        void *source, *target;
        memcpy(&source, (const char *)from + fields[i].offset_in_struct, sizeof source);
        memcpy(&target, (const char *)to + fields[i].offset_in_struct, sizeof target);
        memcpy(target, source, slots * fields[i].row_bytes);
    }
}

PhState *ph_state_copy(const PhState *from, uint32_t slots) {
    PhState *state = from->reserved ? create(from->capacity, true) : NULL;
    state = state ? state : create(slots > 0 ? slots : 1, false);
    if (state) {
        ph_state_copy_rows(state, from, slots);
    }
    return state;
}

void ph_state_retain(PhState *state) {
    atomic_fetch_add_explicit(&state->references, 1, memory_order_relaxed);
}

void ph_state_release(PhState *state) {
    if (!state || atomic_fetch_sub_explicit(&state->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    if (state->reserved) {
        ph_unmap(state->base, state->bytes);
    } else {
        ph_free(state->base);
    }
    ph_free(state);
}

PhStatus ph_state_grow(PhWorld *world, uint32_t slots, PhError *error) {
    PhState *old = world->state;
    if (slots <= old->capacity) {
        return PH_OK;
    }
    PH_ASSERT(!old->reserved); // a reserved block has room for max_bodies
    uint64_t capacity = (uint64_t)slots + slots / 2;
    if (capacity > world->def.max_bodies) {
        capacity = world->def.max_bodies;
    }
    PhState *state = create((uint32_t)capacity, false);
    if (!state) {
        return ph_fail(error, PH_ERROR_MEMORY, "no memory for the arrays of %u bodies", slots);
    }
    ph_state_copy_rows(state, old, world->slot_count);
    world->state = state;
    world->views_moved++;
    ph_state_release(old);
    return PH_OK;
}

void ph_state_poison(PhState *state, uint32_t slot) {
    double nan = NAN;
    state->position[slot][0] = state->position[slot][1] = nan;
    state->velocity[slot][0] = state->velocity[slot][1] = nan;
    state->force[slot][0] = state->force[slot][1] = nan;
    state->angle[slot] = state->angular_velocity[slot] = state->torque[slot] = nan;
    state->mass[slot] = state->inertia[slot] = nan;
}

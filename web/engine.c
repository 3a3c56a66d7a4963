// The engine as a WebAssembly module: a small interface in C for pyphys2d/web/engine.js.
//
// A *page* holds a world that came as a snapshot (World.snapshot() of the Python package), the body
// that is held, and the arrays that a picture needs. Numbers and pointers alone cross the border.
// Functions that can fail return 0 or NULL; engine_error() says why.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "solve/solver.h"
#include "world/joint_primitives.h"
#include "world/joints.h"
#include "world/world.h"

#define PULL 200.0 // the most that the hand pulls with, in weights at 9.81 m/s^2 of the body
#define EXPORT __attribute__((visibility("default"), used))

enum { POSES, STATES, VELOCITIES, ISLANDS, CONTACTS, BOUNDS, JOINTS, JOINT_POINTS, ARRAYS };
enum { ASLEEP = PH_DYNAMIC + 1 }; // a state besides the kinds of bodies
enum { MOST_CONTACTS = 20000 };

typedef struct Array {
    void *data;
    uint32_t capacity, count; // elements
} Array;

typedef struct Page {
    PhWorld *world;
    PhVec2 origin; // is taken off the positions in all arrays
    PhId hand;     // the mouse joint, if it is there
    Array array[ARRAYS];
} Page;

static PhError last_error; // of this module, which has one thread

static void *grown(Array *array, uint64_t more, size_t size) {
    uint64_t need = (uint64_t)array->count + more;
    if (need > INT32_MAX || ph_reserve_array(&array->data, &array->capacity, need, size) != PH_OK) {
        ph_fail(&last_error, PH_ERROR_MEMORY, "out of memory");
        return NULL;
    }
    void *place = (char *)array->data + array->count * size;
    array->count = (uint32_t)need;
    return place;
}

// ------------------------------------------------------------------------------------------------
// bytes and worlds
EXPORT void *engine_alloc(uint32_t size) {
    return ph_alloc(size, 1);
}
EXPORT void engine_free(void *block) {
    ph_free(block);
}
EXPORT const char *engine_error(void) {
    return last_error.message;
}
// Name of the k-th kernels, best last; NULL after that.
EXPORT const char *engine_kernels(uint32_t k) {
    return ph_simd_available(k);
}

EXPORT void page_close(Page *page) {
    if (page != NULL) {
        ph_world_destroy(page->world);
        for (int k = 0; k < ARRAYS; ++k) {
            ph_free(page->array[k].data);
        }
        ph_free(page);
    }
}

EXPORT Page *page_open(const uint8_t *snapshot, uint32_t size, double origin_x, double origin_y) {
    Page *page = ph_alloc(1, sizeof *page);
    if (page == NULL) {
        ph_fail(&last_error, PH_ERROR_MEMORY, "out of memory");
        return NULL;
    }
    page->origin = ph_vec(origin_x, origin_y);
    page->hand = (PhId){PH_NULL, 0};
    page->world = ph_world_from_snapshot(snapshot, size, 1, &last_error);
    if (page->world == NULL) {
        page_close(page);
        return NULL;
    }
    return page;
}

// The snapshot that the page was opened with, or another one, takes the place of its world.
EXPORT int page_restore(Page *page, const uint8_t *snapshot, uint32_t size) {
    PhWorld *world = ph_world_from_snapshot(snapshot, size, 1, &last_error);
    if (world == NULL) {
        return 0;
    }
    ph_world_destroy(page->world);
    page->world = world;
    page->hand = (PhId){PH_NULL, 0};
    return 1;
}

EXPORT int page_set_kernels(Page *page, const char *name) {
    return ph_world_set_simd(page->world, name) == PH_OK;
}
EXPORT const char *page_kernels(const Page *page) {
    return ph_world_simd(page->world);
}
EXPORT int page_set_gravity(Page *page, double x, double y) {
    PhWorldDef def = *ph_world_settings(page->world);
    def.gravity = ph_vec(x, y);
    return ph_world_change(page->world, &def, &last_error) == PH_OK;
}
EXPORT int page_step(Page *page, double dt) {
    return ph_world_step(page->world, dt, &last_error) == PH_OK;
}
EXPORT double page_time(const Page *page) {
    return ph_world_time(page->world);
}
EXPORT double page_steps(const Page *page) {
    return (double)ph_world_step_count(page->world);
}
// Half of the hash: 0 the lower 32 bits, 1 the upper ones.
EXPORT uint32_t page_hash(Page *page, int half) {
    return (uint32_t)(ph_world_hash(page->world) >> (half != 0 ? 32 : 0));
}

// ------------------------------------------------------------------------------------------------
// the hand
static bool held(const Page *page) {
    return page->hand.index != PH_NULL && ph_joint_valid(page->world, page->hand);
}

EXPORT void page_drop(Page *page) {
    if (held(page)) {
        (void)ph_joint_destroy(page->world, page->hand, NULL);
    }
    page->hand = (PhId){PH_NULL, 0};
}

// Takes a dynamic body at a point of the world by a mouse joint.
EXPORT int page_grab(Page *page, uint32_t slot, double x, double y) {
    page_drop(page);
    if (slot >= ph_world_slot_count(page->world) || !ph_slot_alive(page->world, slot) ||
        ph_world_state(page->world)->kind[slot] != PH_DYNAMIC) {
        return 0;
    }
    double mass = ph_world_state(page->world)->mass[slot];
    PhJointDef def = ph_joint_def(PH_JOINT_MOUSE);
    def.body[0] = (PhId){PH_NULL, 0};
    def.body[1] = ph_body_id(page->world, slot);
    def.anchor[0] = def.anchor[1] = ph_vec(x, y);
    def.value[PH_JOINT_POINT] = x;
    def.value[PH_JOINT_POINT + 1] = y;
    def.value[PH_JOINT_MAX_FORCE] = PULL * 9.81 * (mass > 1e-9 ? mass : 1e-9);
    return ph_joint_create(page->world, &def, &page->hand, &last_error) == PH_OK;
}

EXPORT int page_drag(Page *page, double x, double y) {
    if (!held(page)) {
        return 0;
    }
    double value[PH_JOINT_VALUES];
    memcpy(value, ph_joint_get(page->world, page->hand.index)->value, sizeof value);
    value[PH_JOINT_POINT] = x;
    value[PH_JOINT_POINT + 1] = y;
    return ph_joint_set(page->world, page->hand, value, &last_error) == PH_OK;
}

// Puts a body somewhere, at rest: what dragging does while the world waits.
EXPORT int page_place(Page *page, uint32_t slot, double x, double y) {
    if (slot >= ph_world_slot_count(page->world) || !ph_slot_alive(page->world, slot)) {
        return 0;
    }
    PhId body = ph_body_id(page->world, slot);
    double angle = ph_world_state(page->world)->angle[slot];
    return ph_body_set_pose(page->world, body, ph_vec(x, y), angle, &last_error) == PH_OK &&
           ph_body_set_velocity(page->world, body, ph_vec(0, 0), 0, &last_error) == PH_OK;
}

// ------------------------------------------------------------------------------------------------
// what a picture needs
static void read_bodies(Page *page, int which) {
    const PhState *state = ph_world_state(page->world);
    uint32_t slots = ph_world_slot_count(page->world);
    if (which == STATES) {
        uint8_t *out = grown(&page->array[which], slots, 1);
        for (uint32_t i = 0; out != NULL && i < slots; ++i) {
            bool asleep = state->kind[i] == PH_DYNAMIC && !state->awake[i];
            out[i] = !state->alive[i] ? PH_STATIC : asleep ? ASLEEP : state->kind[i];
        }
        return;
    }
    float *out =
        grown(&page->array[which], (which == POSES ? 3 : 2) * (uint64_t)slots, sizeof *out);
    for (uint32_t i = 0; out != NULL && i < slots; ++i) {
        bool alive = state->alive[i];
        if (which == POSES) {
            *out++ = alive ? (float)(state->position[i][0] - page->origin.x) : NAN;
            *out++ = alive ? (float)(state->position[i][1] - page->origin.y) : NAN;
            *out++ = alive ? (float)state->angle[i] : NAN;
        } else {
            *out++ = alive ? (float)state->velocity[i][0] : NAN;
            *out++ = alive ? (float)state->velocity[i][1] : NAN;
        }
    }
}

static void read_islands(Page *page) {
    uint32_t slots = ph_world_slot_count(page->world);
    int32_t *out = grown(&page->array[ISLANDS], slots, sizeof *out);
    if (out != NULL && ph_world_islands(page->world, out) != PH_OK) {
        page->array[ISLANDS].count = 0;
    }
}

static void read_contacts(Page *page) {
    uint64_t limit = ph_world_contact_limit(page->world, PH_NULL);
    PhContactPoint *rows = limit < INT32_MAX ? ph_alloc(limit, sizeof *rows) : NULL;
    if (rows == NULL) {
        return;
    }
    uint64_t count = ph_world_contacts(page->world, PH_NULL, rows);
    count = count < MOST_CONTACTS ? count : MOST_CONTACTS;
    float *out = grown(&page->array[CONTACTS], 6 * count, sizeof *out);
    for (uint64_t i = 0; out != NULL && i < count; ++i) {
        *out++ = (float)(rows[i].point[0] - page->origin.x);
        *out++ = (float)(rows[i].point[1] - page->origin.y);
        *out++ = (float)rows[i].normal[0];
        *out++ = (float)rows[i].normal[1];
        *out++ = (float)rows[i].normal_impulse;
        *out++ = (float)rows[i].separation;
    }
    ph_free(rows);
}

static void read_bounds(Page *page) {
    for (uint32_t i = 0; i < ph_world_collider_limit(page->world); ++i) {
        float *out =
            ph_collider_alive(page->world, i) ? grown(&page->array[BOUNDS], 4, sizeof *out) : NULL;
        if (out != NULL) {
            PhAabb box = ph_collider_aabb(page->world, i);
            *out++ = (float)(box.lower.x - page->origin.x);
            *out++ = (float)(box.lower.y - page->origin.y);
            *out++ = (float)(box.upper.x - page->origin.x);
            *out++ = (float)(box.upper.y - page->origin.y);
        }
    }
}

static void keep_line(void *context, PhJointPrimitive kind, const PhVec2 *points, int count) {
    Page *page = context;
    uint32_t first = page->array[JOINT_POINTS].count / 2;
    float *out = grown(&page->array[JOINT_POINTS], 2 * (uint64_t)count, sizeof *out);
    for (int k = 0; out != NULL && k < count; ++k) {
        *out++ = (float)(points[k].x - page->origin.x);
        *out++ = (float)(points[k].y - page->origin.y);
    }
    int32_t *row = out != NULL ? grown(&page->array[JOINTS], 3, sizeof *row) : NULL;
    if (row != NULL) {
        row[0] = (int32_t)kind;
        row[1] = (int32_t)first;
        row[2] = count;
    }
}

static void read_joints(Page *page) {
    page->array[JOINT_POINTS].count = 0;
    for (uint32_t i = 0; i < ph_joint_limit(page->world); ++i) {
        if (ph_joint_alive(page->world, i)) {
            ph_joint_primitives(page->world, i, 0.25, keep_line, page);
        }
    }
}

// Fills an array and returns it; page_count tells how many numbers it has. JOINTS fills
// JOINT_POINTS as well, which is then read by page_array.
EXPORT const void *page_read(Page *page, int which) {
    page->array[which].count = 0;
    if (which == ISLANDS) {
        read_islands(page);
    } else if (which == CONTACTS) {
        read_contacts(page);
    } else if (which == BOUNDS) {
        read_bounds(page);
    } else if (which == JOINTS) {
        read_joints(page);
    } else if (which < ISLANDS) {
        read_bodies(page, which);
    }
    return page->array[which].data;
}
EXPORT const void *page_array(const Page *page, int which) {
    return page->array[which].data;
}
EXPORT uint32_t page_count(const Page *page, int which) {
    return page->array[which].count;
}
EXPORT uint32_t page_slots(const Page *page) {
    return ph_world_slot_count(page->world);
}
EXPORT double page_position(const Page *page, uint32_t slot, int axis) {
    return ph_world_state(page->world)->position[slot][axis != 0];
}

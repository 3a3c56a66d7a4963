// What the questions to a world share: the filter, long calls in slices, hits.
#ifndef PH_PYTHON_WORLD_QUERIES_H
#define PH_PYTHON_WORLD_QUERIES_H

#include "python/convert.h"
#include "world/queries.h"

// Every query ends with these six.
#define FILTER_KEYWORDS "mask", "include_sensors", "where", "ignore", "category", "group"
#define FILTER_DOC                                                                                 \
    "mask : int\n    Only colliders with category & mask != 0.\n"                                  \
    "include_sensors : bool\n    Whether sensors are found too.\n"                                 \
    "where : array_like of bool, shape (c,), or callable, optional\n"                              \
    "    Which colliders count: one value per collider index, as World.aabbs has rows. Or a\n"     \
    "    function that is called once for the whole call, with the indices (ascending) of all\n"   \
    "    colliders that the filter and `ignore` do not exclude and that may be near enough, and\n" \
    "    returns a boolean for each.\n"                                                            \
    "ignore : Body, Collider or sequence of them, optional\n"                                      \
    "    Bodies and colliders that are not found, such as the body that asks.\n"                   \
    "category, group : int\n"                                                                      \
    "    The filter of who asks: only colliders whose mask has a bit of the category (0: any), "   \
    "as\n"                                                                                         \
    "    for a collider of this category. Whatever the masks say, with a positive group all\n"     \
    "    colliders of the same group are found, and with a negative one none of them.\n\n"

typedef struct QueryFilter {
    PhQueryFilter filter;
    PyObject *choose;     // borrowed callable, or NULL
    PyArrayObject *where; // our copy, or NULL
    uint8_t *allowed;     // what the callable chose and what is not ignored, from ph_alloc
    PyObject *ignored;    // a tuple of Body and Collider, or NULL
    uint64_t category;    // of who asks, 0: none
    int32_t group;        // likewise
} QueryFilter;

// Reads the six. Successful or not, it must be dropped.
bool core_query_open(WorldObject *world, PyObject *const *values, QueryFilter *filter);
// Enters the gate, with the world's arrays seen. A callable is asked first, from outside of the
// gate, about the colliders in a box.
bool core_query_enter(WorldObject *world, QueryFilter *filter, PhAabb box);
void core_query_exit(WorldObject *world); // once, unless one of those below does
void core_query_drop(QueryFilter *filter);

// Where all is asked for.
#define QUERY_EVERYWHERE ((PhAabb){{-INFINITY, -INFINITY}, {INFINITY, INFINITY}})
// A box about rays or motions, to begin with nothing; at the end it is grown.
#define QUERY_NOWHERE ((PhAabb){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}})
PhAabb core_query_box(PhAabb box, double reach); // grown by the reach and what rounding may do
static inline PhAabb core_query_include(PhAabb box, PhVec2 point) {
    return ph_union(box, (PhAabb){point, point});
}

// Answers rows from `first` on.
typedef PhStatus QuerySlice(void *context, uint32_t first, uint32_t count, PhError *error);
// Answers all rows, without the GIL and with checks for signals, some `at_once` to begin with. From
// inside the gate, and leaves it. False with an exception.
bool core_query_run(WorldObject *world, QuerySlice *slice, void *context, uint32_t rows,
                    uint32_t at_once);

// A hit with its ids, taken inside the gate.
typedef struct CoreHit {
    PhWorldRayHit row;
    PhId collider, body;
} CoreHit;
void core_query_read(const PhWorld *world, const PhWorldRayHit *row, CoreHit *hit);
PyObject *core_query_hit(WorldObject *world, const CoreHit *hit); // a RayHit, outside of the gate

// Leaves the gate and returns the hit of a row; or, of no hit, None, or with an error its
// exception.
PyObject *core_query_leave(WorldObject *world, PhStatus status, const PhWorldRayHit *row,
                           const PhError *error);
// Leaves the gate; a list of Collider handles. Frees the numbers.
PyObject *core_query_leave_with(WorldObject *world, PhStatus status, uint32_t *colliders,
                                uint32_t count, const PhError *error);

#endif

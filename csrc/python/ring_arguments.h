// Polygons as arguments: arrays of vertices, holes, and the checked rings that the engine's
// functions want.
#ifndef PH_PYTHON_RING_ARGUMENTS_H
#define PH_PYTHON_RING_ARGUMENTS_H

#include <stdatomic.h>

#include "geometry/rings.h"
#include "python/core.h"

// Work on more vertices than this releases the GIL.
#define CORE_QUICK_VERTICES 2048
// Coordinates of plain polygons are within this, so that the predicates' products are finite.
#define CORE_MAX_COORDINATE 1e150

// Work on polygons without the GIL, which is taken now and then to hear signals. Not to be moved
// while at work.
typedef struct CoreLongWork {
    PyThreadState *thread; // NULL: the GIL is held
    unsigned long owner;   // the thread that listens; others are told
    atomic_bool stopped;   // a handler has raised
    double next;           // when signals are checked again, see ph_clock()
    PhStop stop;
} CoreLongWork;

// Gives the GIL away if the work is large. Returns what the engine asks; NULL for small work.
// PH_ERROR_STOPPED means that the exception of a signal handler is set.
const PhStop *core_begin_work(CoreLongWork *work, bool large);
void core_end_work(CoreLongWork *work);
// What the engine asks in work that keeps the GIL. A thread without it hears nothing.
extern const PhStop core_listening;

// All holes after one another.
typedef struct CoreHoles {
    PhVec2 *vertices;
    int32_t *counts;
    int32_t count;
} CoreHoles;

// NULL and None are no holes. On failure there is nothing to free.
bool core_to_holes(PyObject *object, CoreHoles *holes);
void core_holes_free(CoreHoles *holes);

// Shape (n, 2), finite, within CORE_MAX_COORDINATE, n >= minimum; n == 0 is taken when empty_too
// (as (0,) or (0, 2)). A copy that no Python code can reach.
PyArrayObject *core_to_plain_ring(PyObject *object, const char *name, npy_intp minimum,
                                  bool empty_too);
// A point within CORE_MAX_COORDINATE.
bool core_to_plain_point(PyObject *object, const char *name, PhVec2 *out);

// The rings of a simple polygon, checked: repeated vertices merged, outer ring counter-clockwise,
// holes clockwise. From ph_alloc.
typedef struct CoreRings {
    PhVec2 *vertices;
    int32_t *labels; // by vertex: its row when `vertices` and `holes` are put after one another
    int32_t *starts; // count + 1
    int32_t count;
} CoreRings;
// From the arguments `vertices` and `holes` (may be NULL). On failure there is nothing to free.
bool core_to_rings(const CoreState *core, PyObject *vertices, PyObject *holes, CoreRings *rings);
void core_rings_free(CoreRings *rings);

#endif

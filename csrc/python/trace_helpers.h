// What the functions behind pyphys2d.traces share: two convex shapes at poses, and read-only
// results.
#ifndef PH_PYTHON_TRACE_HELPERS_H
#define PH_PYTHON_TRACE_HELPERS_H

#include "python/convert.h"

typedef struct TraceCouple {
    const PhShape *shape_a, *shape_b;
    const PhPiece *a, *b;
    PhTransform ta, tb; // seen from the position of a
    PhVec2 origin;      // that position
    double pose_a[3], pose_b[3];
} TraceCouple;

// The convex piece of a shape that has no other; NULL with an exception.
const PhPiece *core_to_piece(const CoreState *core, PyObject *object, const char *name);
// values: a, b, pose_a, pose_b.
bool core_to_couple(PyObject *module, PyObject *const *values, TraceCouple *couple);

// A read-only array of zeros, its base an immutable bytes object. The pointer at `data` is told
// where they are, and may be written through until the array is handed out; left alone on failure.
PyObject *core_frozen_array(int type, int dimensions, const npy_intp *dims, void *data);
PyObject *core_frozen_numbers(const double *numbers, npy_intp count);
// Steals the members, of which any may be NULL with an exception set.
PyObject *core_steal_tuple(PyObject *const *members, Py_ssize_t count);

#endif

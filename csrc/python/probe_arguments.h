// Shapes or points at poses, as the caller of a world passes them: for the files that answer
// questions with shapes.
//
// Invariant: once a call has entered the gate, no Python code can reach the data that it computes
// from: references to shapes are held, numbers are copies.
#ifndef PH_PYTHON_PROBE_ARGUMENTS_H
#define PH_PYTHON_PROBE_ARGUMENTS_H

#include "python/geometry_pairs.h"
#include "python/world_queries.h"

#define SHAPES_DOC "shapes : Shape or sequence of n Shapes\n"
#define HIT_DOC                                                                                    \
    "    Columns collider, body, piece (of the collider; -1 for a miss), point, normal (unit,\n"   \
    "    out of the collider) and fraction (NaN for a miss).\n\n"
#define MANY_DOC                                                                                   \
    "    Each argument is one for all rows or has n; the GIL is released, and the workers of\n"    \
    "    the world share the rows.\n\n"
#define RAISES_DOC                                                                                 \
    "Raises\n------\n"                                                                             \
    "ValueError\n    For a wrong shape of an array, NaN, infinity or lengths that do not agree.\n" \
    "TypeError\n    For what is no Shape."

// Rows in the first slice.
#define PROBE_SLICE 8

// Numbers for n rows, or one that stands for all rows.
typedef struct Column {
    const char *name;
    PyArrayObject *array; // our copy, or NULL
    const double *data;
    npy_intp count;
    bool many;
    double zeros[3];
} Column;
// NULL stands for zeros in all rows.
bool core_to_column(PyObject *object, const char *name, int width, Column *column);

// The number of rows that all arguments together make.
typedef struct Rows {
    npy_intp count;
    bool known; // some argument had rows
} Rows;
bool core_join_rows(Rows *rows, bool many, npy_intp count, const char *name);

// Shapes with one or two columns of numbers, and the filter.
typedef struct ProbeCall {
    WorldObject *self;
    PairOperand shapes;
    Column pose, other; // other: ends of motions, or translations
    QueryFilter filter;
    PhProbes probes;
    Rows rows;
    double reach; // of the largest shape, m
    bool points;  // the call is about points, not shapes
    bool filter_open;
} ProbeCall;

// Reads a call: the shapes (unless it is about points), its columns by core_to_column, the filter;
// then joins all. It must be closed, whether it succeeded or not.
bool core_probe_shapes(ProbeCall *call, PyObject *object, const char *name);
bool core_probe_filter(ProbeCall *call, PyObject *const *values);
bool core_probe_join(ProbeCall *call);
void core_probe_close(ProbeCall *call);
// A box around the paths of all probes, if it will be needed.
PhAabb core_probe_box(const ProbeCall *call, double reach);

// A number >= 0 that may be left out.
bool core_to_amount(PyObject *object, const char *name, double *out);

#endif

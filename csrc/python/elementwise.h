// Functions that work on one element at a time and broadcast over the leading axes of their
// arguments, as NumPy's generalised universal functions do: one machinery for all of them. An
// element function in C serves single calls and arrays alike.
//
// Why no gufunc: arguments are copied and checked before the loop anyway (python/convert.h), and
// then NumPy's own loop has drawbacks that this one has not. It turns floating-point flags into
// warnings, releases the GIL by the number of elements and not by their work, cannot be
// interrupted, cannot fail for lack of memory, and names no argument in its errors.
#ifndef PH_PYTHON_ELEMENTWISE_H
#define PH_PYTHON_ELEMENTWISE_H

#include "python/convert.h"

#define CORE_MAX_INPUTS 5

// One element of an argument or of the result, with its own axes, the last of the array.
typedef enum CoreCell {
    CELL_NUMBER, // ()
    CELL_VECTOR, // (2,)
    CELL_POSE,   // (3,): x, y, angle
    CELL_BOX,    // (2, 2): lower, upper
    CELL_POINTS, // (n, 2)
    CELL_RING,   // (n, 2), n >= 3
    CELL_TRUTH,  // of results: (), bool
    CELL_SIGN,   // of results: (), int64
} CoreCell;

typedef struct CoreInput {
    CoreCell cell;
    // What a cell of finite numbers has to be and is not ("> 0"), NULL when it is right.
    const char *(*refuse)(const double *cell, int32_t n);
    bool none; // None stands for an argument that is not given
} CoreInput;

// in[i] is a cell of argument i, NULL for one that was not given; n is that of the argument with
// n vertices. out is a cell of the result: double, npy_bool or int64_t.
typedef void CoreElement(const double *const *in, int32_t n, void *out);

// Elements next to each other.
typedef struct CoreStrip {
    const double *in[CORE_MAX_INPUTS];
    const npy_intp *steps; // numbers from one cell to the next; 0: the same cell for all
    npy_intp count;
    int32_t n;
    void *out; // contiguous
} CoreStrip;
typedef PhStatus CoreStripFunction(const CoreStrip *strip);

typedef struct CoreFunction {
    CoreSignature signature; // names: of the inputs, then more of the caller's own
    int input_count;
    CoreInput inputs[CORE_MAX_INPUTS];
    CoreCell result;
    CoreElement *element;
    CoreStripFunction *strip; // instead of element by element; may be NULL. Prepares once per strip
    bool none;                // a single call returns None where an array would hold NaN
} CoreFunction;

// Names: the inputs, then "out". The body of a METH_FASTCALL | METH_KEYWORDS function.
PyObject *core_elementwise(const CoreFunction *function, PyObject *const *args, Py_ssize_t count,
                           PyObject *keywords);
// Defines core_geometry_x, the function of Python that does what x_function says.
#define CORE_ELEMENTWISE_METHOD(name)                                                              \
    PyObject *core_geometry_##name(PyObject *Py_UNUSED(module), PyObject *const *args,             \
                                   Py_ssize_t count, PyObject *keywords) {                         \
        return core_elementwise(&name##_function, args, count, keywords);                          \
    }
// The same with x_function, which maps x_of: `names` is CORE_NAMES of its inputs and "out", the
// first `required` have to be given, `cell` is that of the result. Its inputs follow.
#define CORE_ELEMENTWISE(name, names, required, cell, ...)                                         \
    static const CoreFunction name##_function = {                                                  \
        .signature = {#name, names, CORE_COUNT(names), CORE_COUNT(names) - 1, required},           \
        .input_count = CORE_COUNT(names) - 1,                                                      \
        .inputs = {__VA_ARGS__},                                                                   \
        .result = cell,                                                                            \
        .element = name##_of,                                                                      \
    };                                                                                             \
    CORE_ELEMENTWISE_METHOD(name)
#define CORE_NAMES(...) ((const char *const[]){__VA_ARGS__})
// The same with the arguments bound: values has input_count entries; out may be NULL or None.
PyObject *core_map(const CoreFunction *function, PyObject *const *values, PyObject *out);

// Before the work: whether a result of this shape and type can go to `out`. Plain numbers may be
// cast within their kind; rows go to rows of the same names and types only.
bool core_check_out(PyObject *out, int axes, const npy_intp *dims, PyArray_Descr *type);

// ValueError: the leading axes of an argument do not fit those of the ones before it. False.
bool core_raise_broadcast(const char *name, const npy_intp *dims, int axes, const npy_intp *before,
                          int axes_before);

// For CoreInput.refuse.
const char *core_refuse_negative(const double *number, int32_t n);
const char *core_refuse_upside_down(const double *box, int32_t n);
// Inputs.
#define CORE_NUMBER                                                                                \
    { .cell = CELL_NUMBER }
#define CORE_NOT_NEGATIVE                                                                          \
    { .cell = CELL_NUMBER, .refuse = core_refuse_negative }
#define CORE_VECTOR                                                                                \
    { .cell = CELL_VECTOR }
#define CORE_POSE                                                                                  \
    { .cell = CELL_POSE }
#define CORE_BOX                                                                                   \
    { .cell = CELL_BOX, .refuse = core_refuse_upside_down }
#define CORE_POINTS                                                                                \
    { .cell = CELL_POINTS }
#define CORE_RING                                                                                  \
    { .cell = CELL_RING }

static inline PhVec2 core_cell_vec2(const double *cell) {
    return ph_vec(cell[0], cell[1]);
}
static inline PhAabb core_cell_aabb(const double *cell) {
    return (PhAabb){{cell[0], cell[1]}, {cell[2], cell[3]}};
}
static inline const PhVec2 *core_cell_points(const double *cell) {
    return (const PhVec2 *)cell;
}
static inline void core_put_vec2(void *out, PhVec2 v) {
    *(PhVec2 *)out = v;
}

// Parts of docstrings.
#define CORE_OUT_DOC                                                                               \
    "out : ndarray, optional\n"                                                                    \
    "    Array for the result: of its shape, and of a dtype that can take it. It may overlap\n"    \
    "    with the arguments.\n"
#define CORE_RAISES_DOC                                                                            \
    "Raises\n------\n"                                                                             \
    "ValueError\n    For a wrong shape, shapes that do not broadcast, NaN or infinity.\n"

#endif

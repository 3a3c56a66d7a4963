// Conversion, broadcasting and the loop over rows of functions of two shapes at poses.
//
// Invariant: once a call has begun, no Python code can reach what it computes from: shapes are held
// by a tuple of our own (a list may be changed by another thread), poses are copies.
#include "python/geometry_pairs.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "math/trig.h"
#include "python/elementwise.h"
#include "python/ring_arguments.h"

#define PAIR_MAX_OPERANDS (2 + PAIR_MAX_POSES)

// Seconds between checks for signals, and rows between checks of the clock.
#define SIGNAL_PERIOD 0.05
enum { ROWS_PER_CHECK = 64 };
// Thousands of shapes do not fit the cache, and nothing else would foretell where they are: objects
// and rows ahead of the one at work are called for, of a shape the bytes from its last fields on,
// where its first piece and the vertices of that are.
enum { OBJECTS_AHEAD = 16, ROWS_AHEAD = 10, LINE = 64, LINES = 6 };

// More than any row has.
enum { MAX_ROW_BYTES = 128 };
// From this product of the shapes' numbers of vertices on a single call releases the GIL.
#define LONG_WORK 20000

typedef struct PairCall {
    const PairFunction *function;
    const CoreState *core;
    PairOperand operand[PAIR_MAX_OPERANDS]; // a, b, poses
    int count;                              // of operands
    int ndim;                               // 0: a single pair
    npy_intp dims[PAIR_MAX_DIMENSIONS + 1], size;
} PairCall;

static const char *const axis_error = "%s: has %d dimensions, at most %d are possible";

// ------------------------------------------------------------------------------------------------
// shapes

// A tuple that the garbage collector, and so Python code, cannot find before it is filled.
static PyObject *make_hidden_tuple(npy_intp count) {
    PyObject *tuple = PyTuple_New(count);
    if (tuple != NULL && count > 0) { // the empty one is shared by all
        PyObject_GC_UnTrack(tuple);
    }
    return tuple;
}

// Items of an array of objects in a tuple, its axes in the operand.
static PyObject *tuple_of_array(PyObject *object, PairOperand *operand) {
    PyArrayObject *given = (PyArrayObject *)object;
    if (PyArray_TYPE(given) != NPY_OBJECT && PyArray_SIZE(given) > 0) {
        PyErr_Format(PyExc_TypeError, "%s: must hold Shapes, got dtype %S", operand->name,
                     (PyObject *)PyArray_DESCR(given));
        return NULL;
    }
    PyArrayObject *array = (PyArrayObject *)PyArray_FROMANY(
        object, NPY_OBJECT, 0, 0,
        NPY_ARRAY_CARRAY_RO | NPY_ARRAY_ENSURECOPY | NPY_ARRAY_ENSUREARRAY);
    if (array == NULL) {
        core_blame_memory();
        return NULL;
    }
    PyObject *tuple = NULL;
    operand->ndim = PyArray_NDIM(array);
    if (operand->ndim > PAIR_MAX_DIMENSIONS) {
        PyErr_Format(PyExc_ValueError, axis_error, operand->name, operand->ndim,
                     PAIR_MAX_DIMENSIONS);
    } else {
        npy_intp count = PyArray_SIZE(array);
        PyObject *const *items = PyArray_DATA(array);
        tuple = make_hidden_tuple(count);
        for (npy_intp i = 0; tuple != NULL && i < count; ++i) {
            PyObject *item = items[i] != NULL ? items[i] : Py_None;
            Py_INCREF(item);
            PyTuple_SET_ITEM(tuple, i, item);
        }
        for (int d = 0; d < operand->ndim; ++d) {
            operand->dims[d] = PyArray_DIM(array, d);
        }
    }
    Py_DECREF(array);
    return tuple;
}

static inline void prefetch(const void *address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

// Objects ahead in a list of thousands, which do not fit the cache.
static inline void prefetch_item(PyObject *const *items, npy_intp i, npy_intp count) {
    if (i + OBJECTS_AHEAD < count) {
        prefetch(items[i + OBJECTS_AHEAD]);
    }
}

// Reads the shapes of objects; with `kept`, takes references to them too. No Python code runs.
static bool read_shapes(const CoreState *core, PyObject *const *items, PairOperand *operand,
                        PyObject *kept) {
    PyTypeObject *known = NULL; // type of a shape seen before
    for (npy_intp i = 0; i < operand->count; ++i) {
        PyObject *item = items[i];
        prefetch_item(items, i, operand->count);
        if (Py_TYPE(item) != known) {
            if (!core_is_shape(core, item)) {
                PyErr_Format(PyExc_TypeError, "%s[%zd]: must be a Shape, got %.100s%s",
                             operand->name, (Py_ssize_t)i, Py_TYPE(item)->tp_name,
                             core_shape_hint(core, item));
                return false;
            }
            known = Py_TYPE(item);
        }
        operand->shapes[i] = ((ShapeObject *)item)->shape;
        if (kept != NULL) {
            PyTuple_SET_ITEM(kept, i, Py_NewRef(item));
        }
    }
    return true;
}

static bool make_room(PairOperand *operand, npy_intp count) {
    operand->count = count;
    operand->shapes = PyMem_New(const PhShape *, (size_t)count);
    if (operand->shapes == NULL) {
        PyErr_NoMemory();
    }
    return operand->shapes != NULL;
}

// In one go over the objects, each of which is far from the next.
static bool read_list(const CoreState *core, PyObject *list, PairOperand *operand) {
    npy_intp count;
    do { // making the tuple may run the garbage collector, and that any code
        PyMem_Free(operand->shapes);
        Py_CLEAR(operand->owner);
        count = PyList_GET_SIZE(list);
        if (!make_room(operand, count) || (operand->owner = make_hidden_tuple(count)) == NULL) {
            return false;
        }
    } while (PyList_GET_SIZE(list) != count);
    operand->dims[0] = count;
    return read_shapes(core, ((PyListObject *)list)->ob_item, operand, operand->owner);
}

static bool read_tuple_of_shapes(const CoreState *core, PairOperand *operand) {
    PyObject *tuple = operand->owner;
    return tuple != NULL && make_room(operand, PyTuple_GET_SIZE(tuple)) &&
           read_shapes(core, ((PyTupleObject *)tuple)->ob_item, operand, NULL);
}

bool core_open_shapes(const CoreState *core, PyObject *object, PairOperand *operand) {
    if (core_is_shape(core, object)) {
        operand->owner = Py_NewRef(object);
        operand->shape = ((ShapeObject *)object)->shape;
        operand->count = 1;
        return true;
    }
    operand->ndim = 1;
    if (PyList_CheckExact(object)) {
        return read_list(core, object, operand);
    }
    bool array = PyArray_Check(object);
    if (!array && (!PySequence_Check(object) || PyUnicode_Check(object))) {
        PyErr_Format(PyExc_TypeError, "%s: must be a Shape or a sequence of Shapes, got %.100s%s",
                     operand->name, Py_TYPE(object)->tp_name, core_shape_hint(core, object));
        return false;
    }
    operand->owner = array ? tuple_of_array(object, operand) : PySequence_Tuple(object);
    if (!read_tuple_of_shapes(core, operand)) {
        return false;
    }
    if (!array) {
        operand->dims[0] = operand->count;
    }
    operand->shape = operand->ndim == 0 ? operand->shapes[0] : NULL;
    return true;
}

// The objects of a list, in the order they came: dropping the tuple would go backwards.
void core_close_shapes(PairOperand *operand) {
    PyObject *owner = operand->owner;
    if (operand->shapes != NULL && owner != NULL && Py_REFCNT(owner) == 1) {
        PyObject **items = ((PyTupleObject *)owner)->ob_item;
        if (operand->count > 0) {
            PyObject_GC_UnTrack(owner); // dropping an object may run Python code
        }
        for (npy_intp i = 0; i < operand->count; ++i) {
            prefetch_item(items, i, operand->count);
            Py_CLEAR(items[i]);
        }
    }
    PyMem_Free(operand->shapes);
    Py_XDECREF(owner);
}

// ------------------------------------------------------------------------------------------------
// poses

// What callers pass in loops: a tuple of plain numbers.
static bool read_tuple(PyObject *object, int width, double *out) {
    if (!PyTuple_CheckExact(object) || PyTuple_GET_SIZE(object) != width) {
        return false;
    }
    for (int i = 0; i < width; ++i) {
        PyObject *item = PyTuple_GET_ITEM(object, i);
        if (PyFloat_CheckExact(item)) {
            out[i] = PyFloat_AS_DOUBLE(item);
        } else if (PyLong_CheckExact(item)) {
            out[i] = PyLong_AsDouble(item);
            if (out[i] == -1.0 && PyErr_Occurred()) {
                PyErr_Clear();
                return false;
            }
        } else {
            return false;
        }
        if (!isfinite(out[i])) {
            return false;
        }
    }
    return true;
}

static bool to_poses(PyObject *object, int width, PairOperand *operand) {
    operand->count = 1;
    if (object == NULL) {
        memset(operand->number, 0, sizeof operand->number);
        return true;
    }
    operand->number[2] = 0;
    if (read_tuple(object, width, operand->number)) {
        return true;
    }
    PyArrayObject *array = core_to_numbers(object, operand->name);
    if (array == NULL) {
        return false;
    }
    operand->owner = (PyObject *)array;
    operand->ndim = PyArray_NDIM(array) - 1;
    if (operand->ndim == 0 && PyArray_DIM(array, 0) == 0) { // [] is no poses
        operand->ndim = 1;
        operand->numbers = PyArray_DATA(array);
        operand->count = operand->dims[0] = 0;
        return true;
    }
    if (operand->ndim < 0 || PyArray_DIM(array, operand->ndim) != width) {
        core_shape_error(operand->name, width == 2 ? "(..., 2)" : "(..., 3)", array);
        return false;
    }
    if (operand->ndim > PAIR_MAX_DIMENSIONS) {
        PyErr_Format(PyExc_ValueError, axis_error, operand->name, operand->ndim,
                     PAIR_MAX_DIMENSIONS);
        return false;
    }
    if (!core_check_finite(array, operand->name)) {
        return false;
    }
    if (operand->ndim == 0) {
        memcpy(operand->number, PyArray_DATA(array), (size_t)width * sizeof(double));
    } else {
        operand->numbers = PyArray_DATA(array);
        operand->count = PyArray_SIZE(array) / width;
        memcpy(operand->dims, PyArray_DIMS(array), (size_t)operand->ndim * sizeof(npy_intp));
    }
    return true;
}

// ------------------------------------------------------------------------------------------------
// broadcasting

// Joins the operand's axes, aligned at the last, with the last `seen` ones found so far.
static bool join_axes(PairCall *call, const PairOperand *operand, int seen) {
    int offset = call->ndim - operand->ndim;
    for (int d = 0; d < operand->ndim; ++d) {
        npy_intp *size = &call->dims[d + offset], own = operand->dims[d];
        if (*size != 1 && own != 1 && own != *size) {
            return core_raise_broadcast(operand->name, operand->dims, operand->ndim,
                                        call->dims + (call->ndim - seen), seen);
        }
    }
    for (int d = 0; d < operand->ndim; ++d) {
        npy_intp *size = &call->dims[d + offset];
        *size = *size == 1 ? operand->dims[d] : *size;
    }
    return true;
}

static bool broadcast(PairCall *call) {
    call->ndim = 0;
    for (int i = 0; i < call->count; ++i) {
        call->ndim = call->operand[i].ndim > call->ndim ? call->operand[i].ndim : call->ndim;
    }
    for (int d = 0; d < call->ndim; ++d) {
        call->dims[d] = 1;
    }
    for (int i = 0, seen = 0; i < call->count; ++i) {
        const PairOperand *operand = &call->operand[i];
        if (!join_axes(call, operand, seen)) {
            return false;
        }
        seen = operand->ndim > seen ? operand->ndim : seen;
    }
    call->size = 1;
    bool empty = false;
    for (int d = 0; d < call->ndim; ++d) {
        empty = empty || call->dims[d] == 0;
    }
    for (int d = 0; d < call->ndim && !empty; ++d) {
        if (call->size > NPY_MAX_INTP / 1024 / call->dims[d]) { // 1024: more than a row has bytes
            PyErr_NoMemory();
            return false;
        }
        call->size *= call->dims[d];
    }
    call->size = empty ? 0 : call->size;
    for (int i = 0; i < call->count; ++i) {
        PairOperand *operand = &call->operand[i];
        int offset = call->ndim - operand->ndim;
        npy_intp step = 1;
        for (int d = call->ndim - 1; d >= 0; --d) {
            npy_intp own = d >= offset ? operand->dims[d - offset] : 1;
            operand->stride[d] = own == 1 ? 0 : step;
            step *= own;
        }
    }
    return true;
}

// A call that was begun, successfully or not, must be ended.
static bool begin(PairCall *call, const PairFunction *function, PyObject *module,
                  PyObject *const *values) {
    call->function = function;
    call->core = PyModule_GetState(module);
    call->count = 2 + function->pose_count;
    for (int i = 0; i < call->count; ++i) {
        PairOperand *operand = &call->operand[i];
        operand->name = function->signature.names[i];
        operand->owner = NULL;
        operand->shapes = NULL;
        operand->numbers = NULL;
        operand->shape = NULL;
        operand->ndim = 0;
    }
    for (int i = 0; i < call->count; ++i) {
        PairOperand *operand = &call->operand[i];
        int width = function->last_is_translation && i == call->count - 1 ? 2 : 3;
        if (!(i < 2 ? core_open_shapes(call->core, values[i], operand)
                    : to_poses(values[i], width, operand))) {
            return false;
        }
    }
    return broadcast(call);
}

static void end(PairCall *call) {
    for (int i = 0; i < call->count; ++i) {
        core_close_shapes(&call->operand[i]);
    }
}

// ------------------------------------------------------------------------------------------------
// rows

static bool is_translation(const PairCall *call, int operand) {
    return call->function->last_is_translation && operand == call->count - 1;
}

static void set_pose(const PairCall *call, Pair *pair, int operand, const double *number) {
    int i = operand - 2;
    pair->position[i] = ph_vec(number[0], number[1]);
    pair->angle[i] = is_translation(call, operand) ? 0 : number[2];
    if (call->function->pose_count == 2) {
        pair->rotation[i] = ph_rot(pair->angle[i]);
    }
}

// What does not change from row to row; of a call of one pair: all.
static void set_singles(const PairCall *call, Pair *pair) {
    pair->a = call->operand[0].shape;
    pair->b = call->operand[1].shape;
    for (int i = 2; i < call->count; ++i) {
        if (call->operand[i].numbers == NULL) {
            set_pose(call, pair, i, call->operand[i].number);
        }
    }
}

static void prefetch_shape(const PairOperand *operand, npy_intp at, npy_intp stride) {
    npy_intp ahead = at + ROWS_AHEAD * stride;
    if (ahead < operand->count) {
        const char *first = (const char *)operand->shapes[ahead] + offsetof(PhShape, convex);
        for (int i = 0; i < LINES; ++i) {
            prefetch(first + (ptrdiff_t)i * LINE);
        }
    }
}

// Where the loop is: the row, the same by axes, and each operand's element.
typedef struct Cursor {
    npy_intp row;
    npy_intp index[PAIR_MAX_DIMENSIONS];
    npy_intp at[PAIR_MAX_OPERANDS];
} Cursor;

static void load_row(const PairCall *call, const Cursor *cursor, Pair *pair) {
    int last = call->ndim - 1;
    for (int i = 0; i < 2; ++i) {
        const PairOperand *operand = &call->operand[i];
        if (operand->shapes != NULL) {
            *(i == 0 ? &pair->a : &pair->b) = operand->shapes[cursor->at[i]];
            prefetch_shape(operand, cursor->at[i], operand->stride[last]);
        }
    }
    for (int i = 2; i < call->count; ++i) {
        const PairOperand *operand = &call->operand[i];
        if (operand->numbers != NULL) {
            npy_intp width = is_translation(call, i) ? 2 : 3;
            set_pose(call, pair, i, operand->numbers + width * cursor->at[i]);
        }
    }
}

// To the next row that begins the last axis anew.
static void carry(const PairCall *call, Cursor *cursor) {
    int last = call->ndim - 1;
    cursor->index[last] = 0;
    for (int i = 0; i < call->count; ++i) {
        cursor->at[i] -= call->operand[i].stride[last] * call->dims[last];
    }
    for (int d = last - 1; d >= 0; --d) {
        bool over = ++cursor->index[d] == call->dims[d];
        for (int i = 0; i < call->count; ++i) {
            npy_intp step = call->operand[i].stride[d];
            cursor->at[i] += over ? -step * (call->dims[d] - 1) : step;
        }
        if (!over) {
            return;
        }
        cursor->index[d] = 0;
    }
}

// Until all rows are done or it is time to check for signals. `work` has stopped where a row has
// heard one.
static void run_rows(const PairCall *call, Cursor *cursor, Pair *pair, const void *context,
                     char *rows, size_t row_size, const CoreLongWork *work) {
    double deadline = ph_clock() + SIGNAL_PERIOD;
    int last = call->ndim - 1;
    do {
        for (int i = 0; i < ROWS_PER_CHECK && cursor->row < call->size && !work->stopped; ++i) {
            load_row(call, cursor, pair);
            call->function->compute(pair, context, rows + (size_t)cursor->row * row_size);
            cursor->row += 1;
            for (int k = 0; k < call->count; ++k) {
                cursor->at[k] += call->operand[k].stride[last];
            }
            if (++cursor->index[last] == call->dims[last]) {
                carry(call, cursor);
            }
        }
    } while (cursor->row < call->size && !work->stopped && ph_clock() < deadline);
}

static bool fill(const PairCall *call, const void *context, char *rows, size_t row_size) {
    Cursor cursor = {0};
    Pair pair = {NULL};
    set_singles(call, &pair);
    CoreLongWork work;
    pair.stop = core_begin_work(&work, true);
    do {
        run_rows(call, &cursor, &pair, context, rows, row_size, &work);
    } while (!ph_stop_wanted(pair.stop) && cursor.row < call->size);
    core_end_work(&work);
    return !work.stopped;
}

// False with the exception of a signal's handler.
static bool compute_single(const PairCall *call, const void *context, void *row) {
    Pair pair = {NULL};
    set_singles(call, &pair);
    // Starts and ends: how long it takes is not known before.
    bool moving = call->count > 4;
    if (moving || (double)pair.a->vertex_count * pair.b->vertex_count >= LONG_WORK) {
        CoreLongWork work;
        pair.stop = core_begin_work(&work, true);
        call->function->compute(&pair, context, row);
        core_end_work(&work);
        return PyErr_Occurred() == NULL;
    }
    call->function->compute(&pair, context, row);
    return true;
}

// An array of the call's shape; of no axes when there is one pair and an array to put it into.
static PyObject *make_array(PairCall *call, const void *context, PyObject *out) {
    CoreRow row = call->function->row;
    PyArray_Descr *type = row == ROW_COUNT ? PyArray_DescrFromType(NPY_DOUBLE)
                                           : (PyArray_Descr *)Py_XNewRef(call->core->row[row]);
    if (type == NULL) { // the module was cleared
        PyErr_SetString(PyExc_RuntimeError, "the module is gone");
        return NULL;
    }
    int axes = call->ndim;
    size_t row_size = (size_t)PyDataType_ELSIZE(type);
    if (row == ROW_COUNT) {
        call->dims[axes++] = 2;
        row_size *= 2;
    }
    PyObject *result = NULL;
    if (out == NULL || core_check_out(out, axes, call->dims, type)) {
        Py_INCREF(type);
        result = PyArray_Empty(axes, call->dims, type, 0);
    }
    Py_DECREF(type);
    if (result == NULL) {
        return NULL;
    }
    char *rows = PyArray_DATA((PyArrayObject *)result);
    if (call->ndim == 0 ? !compute_single(call, context, rows)
                        : !fill(call, context, rows, row_size)) {
        Py_DECREF(result);
        return NULL;
    }
    if (out == NULL) {
        return result;
    }
    bool copied = PyArray_CopyInto((PyArrayObject *)out, (PyArrayObject *)result) == 0;
    Py_DECREF(result);
    if (!copied) {
        core_blame_memory();
    }
    return copied ? Py_NewRef(out) : NULL;
}

PyObject *core_pairs(const PairFunction *function, PyObject *module, PyObject *const *values,
                     PyObject *out, const void *context) {
    PairCall call;
    PyObject *result = NULL;
    out = out == Py_None ? NULL : out;
    if (begin(&call, function, module, values)) {
        if (call.ndim == 0 && out == NULL) {
            double row[MAX_ROW_BYTES / sizeof(double)];
            if (compute_single(&call, context, row)) {
                result = function->make(call.core, row);
            }
        } else {
            result = make_array(&call, context, out);
        }
    }
    end(&call);
    return result;
}

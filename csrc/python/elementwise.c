// The loop behind all functions whose result shape is fixed by the shapes of their arguments.
//
// Invariant: while an element function runs, it reads copies that no Python code can reach and
// writes memory that nothing else has seen; so the GIL can be away, and `out` may overlap with the
// arguments. `out` is touched only when nothing can go wrong any more.
#include "python/elementwise.h"

#include <math.h>
#include <string.h>

// Numbers read per call from which it pays to release the GIL.
#define RELEASE_WORK 4096
// Numbers read between checks for signals: some ten milliseconds.
#define SIGNAL_WORK (1 << 16)
// Shortest strip for which a strip function prepares anew.
#define STRIP_COUNT (1 << 18)
#define MAX_AXES 64 // of NumPy

typedef struct Operand {
    PyArrayObject *array; // NULL when the cell is in `small`, or not given
    const double *data;   // NULL: not given
    const npy_intp *dims; // leading axes
    int leading;
    npy_intp size; // numbers of a cell
    double small[3];
} Operand;

typedef struct Plan {
    Operand operands[CORE_MAX_INPUTS];
    int32_t n;
    npy_intp dims[MAX_AXES + 2]; // of the result: leading axes, then those of its cell
    int leading;
    npy_intp total; // product of the leading axes
} Plan;

// ------------------------------------------------------------------------------------------------
// arguments

static int axes_of(CoreCell cell) {
    switch (cell) {
    case CELL_VECTOR:
    case CELL_POSE:
        return 1;
    case CELL_BOX:
    case CELL_POINTS:
    case CELL_RING:
        return 2;
    default:
        return 0;
    }
}

static const char *shape_of(CoreCell cell) {
    switch (cell) {
    case CELL_VECTOR:
        return "(..., 2)";
    case CELL_POSE:
        return "(..., 3)";
    case CELL_BOX:
        return "(..., 2, 2)";
    case CELL_RING:
        return "(..., n, 2) with n >= 3";
    default:
        return "(..., n, 2)";
    }
}

const char *core_refuse_negative(const double *number, int32_t Py_UNUSED(n)) {
    return *number >= 0 ? NULL : ">= 0";
}

const char *core_refuse_upside_down(const double *box, int32_t Py_UNUSED(n)) {
    return box[0] <= box[2] && box[1] <= box[3] ? NULL : "[[lower], [upper]] with lower <= upper";
}

static bool read_number(PyObject *object, double *out) {
    double value = NAN;
    if (PyFloat_CheckExact(object)) {
        value = PyFloat_AS_DOUBLE(object);
    } else if (PyLong_CheckExact(object)) {
        value = PyLong_AsDouble(object);
        if (value == -1 && PyErr_Occurred()) {
            PyErr_Clear();
            return false;
        }
    }
    *out = value;
    return isfinite(value) != 0;
}

// What callers pass in loops: plain numbers, tuples of them, short arrays. Runs no Python code.
// False for whatever is not that or not finite: the slow path will say what is wrong.
static bool read_small(CoreCell cell, PyObject *object, Operand *operand) {
    if (cell == CELL_NUMBER) {
        return read_number(object, operand->small);
    }
    npy_intp length = cell == CELL_VECTOR ? 2 : 3;
    if (axes_of(cell) != 1) {
        return false;
    }
    if (PyTuple_CheckExact(object) && PyTuple_GET_SIZE(object) == length) {
        for (npy_intp i = 0; i < length; ++i) {
            if (!read_number(PyTuple_GET_ITEM(object, i), &operand->small[i])) {
                return false;
            }
        }
        return true;
    }
    PyArrayObject *array = (PyArrayObject *)object;
    if (!PyArray_CheckExact(object) || PyArray_NDIM(array) != 1 ||
        PyArray_DIM(array, 0) != length || PyArray_TYPE(array) != NPY_DOUBLE ||
        !PyArray_ISCARRAY_RO(array)) {
        return false;
    }
    memcpy(operand->small, PyArray_DATA(array), (size_t)length * sizeof(double));
    return isfinite(operand->small[0]) && isfinite(operand->small[1]) &&
           (length == 2 || isfinite(operand->small[2]));
}

// Splits the axes of the operand's array into leading ones and those of its cell.
static bool split_axes(CoreCell cell, const char *name, Operand *operand, int32_t *n) {
    PyArrayObject *array = operand->array;
    int axes = PyArray_NDIM(array), own = axes_of(cell);
    operand->dims = PyArray_DIMS(array);
    bool right = axes >= own;
    const npy_intp *own_dims = right ? operand->dims + (axes - own) : NULL;
    switch (cell) {
    case CELL_VECTOR:
        right = right && own_dims[0] == 2;
        break;
    case CELL_POSE:
        right = right && own_dims[0] == 3;
        break;
    case CELL_BOX:
        right = right && own_dims[0] == 2 && own_dims[1] == 2;
        break;
    case CELL_POINTS:
    case CELL_RING:
        right = right && own_dims[1] == 2 && own_dims[0] <= INT32_MAX / 4 &&
                (cell == CELL_POINTS || own_dims[0] >= 3);
        break;
    default:
        break;
    }
    operand->leading = axes - own;
    if (!right && axes == 1 && operand->dims[0] == 0 && cell != CELL_RING) {
        operand->size = 0; // [] is no cells, or a cell of no points
        operand->leading = cell == CELL_POINTS ? 0 : 1;
        *n = cell == CELL_POINTS ? 0 : *n;
        return true;
    }
    if (!right) {
        core_shape_error(name, shape_of(cell), array);
        return false;
    }
    operand->size = 1;
    for (int i = 0; i < own; ++i) {
        operand->size *= own_dims[i];
    }
    if (cell == CELL_POINTS || cell == CELL_RING) {
        *n = (int32_t)own_dims[0];
    }
    return true;
}

static bool raise_refused(const char *name, const char *must, const Operand *operand, npy_intp i,
                          CoreCell cell) {
    char place[160] = "";
    npy_intp rest = i, subscript[MAX_AXES];
    for (int d = operand->leading - 1; d >= 0; --d) {
        subscript[d] = rest % operand->dims[d];
        rest /= operand->dims[d];
    }
    for (int d = 0; d < operand->leading && d < 6; ++d) {
        size_t used = strlen(place);
        PyOS_snprintf(place + used, sizeof place - used, "%s%lld", d > 0 ? ", " : "[",
                      (long long)subscript[d]);
    }
    const char *close = place[0] != '\0' ? "]" : "";
    const double *v = operand->data + i * operand->size;
    PyObject *got = cell == CELL_NUMBER ? PyFloat_FromDouble(v[0])
                    : cell == CELL_BOX  ? Py_BuildValue("[[dd][dd]]", v[0], v[1], v[2], v[3])
                                        : NULL;
    if (got != NULL) {
        PyErr_Format(PyExc_ValueError, "%s%s%s: must be %s, got %R", name, place, close, must, got);
        Py_DECREF(got);
    } else if (!PyErr_Occurred()) {
        PyErr_Format(PyExc_ValueError, "%s%s%s: must be %s", name, place, close, must);
    }
    return false;
}

static bool check_cells(const CoreInput *input, const char *name, const Operand *operand,
                        int32_t n) {
    npy_intp cells = 1;
    for (int d = 0; d < operand->leading; ++d) {
        cells *= operand->dims[d];
    }
    for (npy_intp i = 0; i < cells; ++i) {
        const char *must = input->refuse(operand->data + i * operand->size, n);
        if (must != NULL) {
            return raise_refused(name, must, operand, i, input->cell);
        }
    }
    return true;
}

static bool convert(const CoreFunction *function, int i, PyObject *value, Plan *plan) {
    const CoreInput *input = &function->inputs[i];
    const char *name = function->signature.names[i];
    Operand *operand = &plan->operands[i];
    if (value == NULL || (input->none && value == Py_None)) {
        return true;
    }
    if (read_small(input->cell, value, operand)) {
        operand->data = operand->small;
    } else {
        operand->array = core_to_numbers(value, name);
        if (operand->array == NULL || !split_axes(input->cell, name, operand, &plan->n) ||
            !core_check_finite(operand->array, name)) {
            return false;
        }
        operand->data = PyArray_DATA(operand->array);
    }
    return input->refuse == NULL || check_cells(input, name, operand, plan->n);
}

bool core_raise_broadcast(const char *name, const npy_intp *dims, int axes, const npy_intp *before,
                          int axes_before) {
    PyObject *here = PyArray_IntTupleFromIntp(axes, dims);
    PyObject *others = PyArray_IntTupleFromIntp(axes_before, before);
    if (here != NULL && others != NULL) {
        PyErr_Format(PyExc_ValueError,
                     "%s: leading axes %R do not broadcast with %R of the arguments before it",
                     name, here, others);
    }
    Py_XDECREF(here);
    Py_XDECREF(others);
    return false;
}

// Widens the leading axes of the result by those of an operand.
static bool broadcast(const char *name, const Operand *operand, Plan *plan) {
    npy_intp dims[MAX_AXES];
    int axes = operand->leading > plan->leading ? operand->leading : plan->leading;
    for (int i = 1; i <= axes; ++i) {
        npy_intp ours = i <= plan->leading ? plan->dims[plan->leading - i] : 1;
        npy_intp theirs = i <= operand->leading ? operand->dims[operand->leading - i] : 1;
        if (ours != theirs && ours != 1 && theirs != 1) {
            return core_raise_broadcast(name, operand->dims, operand->leading, plan->dims,
                                        plan->leading);
        }
        dims[axes - i] = ours == 1 ? theirs : ours;
    }
    memcpy(plan->dims, dims, (size_t)axes * sizeof *dims);
    plan->leading = axes;
    return true;
}

// ------------------------------------------------------------------------------------------------
// the loop

// The leading axes, outermost first, those merged that can be walked as one.
typedef struct Walk {
    int axes;
    npy_intp dims[MAX_AXES], steps[MAX_AXES][CORE_MAX_INPUTS];
} Walk;

// The step of an operand along leading axis `axis` of the result.
static npy_intp step_along(const Plan *plan, const Operand *operand, int axis) {
    int own = axis - (plan->leading - operand->leading);
    if (operand->data == NULL || own < 0 || operand->dims[own] == 1) {
        return 0;
    }
    npy_intp step = operand->size;
    for (int d = own + 1; d < operand->leading; ++d) {
        step *= operand->dims[d];
    }
    return step;
}

static void plan_walk(const CoreFunction *function, const Plan *plan, Walk *walk) {
    walk->axes = 0;
    for (int axis = 0; axis < plan->leading; ++axis) {
        npy_intp length = plan->dims[axis], steps[CORE_MAX_INPUTS] = {0};
        if (length == 1) {
            continue;
        }
        bool merged = walk->axes > 0;
        npy_intp *outer = merged ? walk->steps[walk->axes - 1] : NULL;
        for (int i = 0; i < function->input_count; ++i) {
            steps[i] = step_along(plan, &plan->operands[i], axis);
            merged = merged && outer[i] == steps[i] * length;
        }
        int place = merged ? walk->axes - 1 : walk->axes++;
        walk->dims[place] = merged ? walk->dims[place] * length : length;
        memcpy(walk->steps[place], steps, sizeof steps);
    }
    if (walk->axes == 0) {
        walk->axes = 1;
        walk->dims[0] = 1;
        memset(walk->steps[0], 0, sizeof walk->steps[0]);
    }
}

static PhStatus do_strip(const CoreFunction *function, const CoreStrip *strip, size_t bytes) {
    if (function->strip != NULL) {
        return function->strip(strip);
    }
    const double *in[CORE_MAX_INPUTS];
    char *out = strip->out;
    memcpy(in, strip->in, sizeof in);
    for (npy_intp i = 0; i < strip->count; ++i) {
        function->element(in, strip->n, out);
        out += bytes;
        for (int k = 0; k < function->input_count; ++k) {
            if (in[k] != NULL) {
                in[k] += strip->steps[k];
            }
        }
    }
    return PH_OK;
}

// Work between two checks for signals, in elements.
static npy_intp longest_strip(const CoreFunction *function, int32_t n) {
    npy_intp least = function->strip != NULL ? STRIP_COUNT + 4 * (npy_intp)n : 1;
    npy_intp count = SIGNAL_WORK / (n + 1);
    return count > least ? count : least;
}

// bytes: of a cell of the result.
static bool run(const CoreFunction *function, const Plan *plan, void *out, size_t bytes) {
    Walk walk;
    plan_walk(function, plan, &walk);
    int inner = walk.axes - 1;
    npy_intp at[MAX_AXES] = {0}, longest = longest_strip(function, plan->n), done = 0, work = 0;
    CoreStrip strip = {.steps = walk.steps[inner], .n = plan->n};
    PhStatus status = PH_OK;
    bool signal = false;
    PyThreadState *thread = plan->total > RELEASE_WORK / (plan->n + 1) ? PyEval_SaveThread() : NULL;
    while (done < plan->total && status == PH_OK && !signal) {
        strip.count = walk.dims[inner] - at[inner];
        strip.count = strip.count < longest ? strip.count : longest;
        strip.out = (char *)out + (size_t)done * bytes;
        for (int i = 0; i < function->input_count; ++i) {
            strip.in[i] = plan->operands[i].data;
            for (int axis = 0; axis < walk.axes && strip.in[i] != NULL; ++axis) {
                strip.in[i] += at[axis] * walk.steps[axis][i];
            }
        }
        status = do_strip(function, &strip, bytes);
        done += strip.count;
        work += strip.count * (plan->n + 1);
        at[inner] += strip.count;
        for (int axis = inner; axis > 0 && at[axis] == walk.dims[axis]; --axis) {
            at[axis] = 0;
            ++at[axis - 1];
        }
        if (work >= SIGNAL_WORK && thread != NULL && done < plan->total) {
            PyEval_RestoreThread(thread);
            signal = PyErr_CheckSignals() < 0;
            thread = PyEval_SaveThread();
            work = 0;
        }
    }
    if (thread != NULL) {
        PyEval_RestoreThread(thread);
    }
    if (status != PH_OK && !signal) {
        PyErr_NoMemory();
    }
    return status == PH_OK && !signal;
}

// ------------------------------------------------------------------------------------------------
// results

static int type_of(CoreCell result) {
    return result == CELL_TRUTH ? NPY_BOOL : result == CELL_SIGN ? NPY_INT64 : NPY_DOUBLE;
}

static PyObject *single(const CoreFunction *function, const Plan *plan) {
    union {
        double numbers[2];
        int64_t sign;
        npy_bool truth;
    } cell;
    if (!run(function, plan, &cell, 0)) {
        return NULL;
    }
    switch (function->result) {
    case CELL_TRUTH:
        return PyBool_FromLong(cell.truth);
    case CELL_SIGN:
        return PyLong_FromLongLong(cell.sign);
    case CELL_NUMBER:
        return PyFloat_FromDouble(cell.numbers[0]);
    default:
        if (function->none && isnan(cell.numbers[0])) {
            Py_RETURN_NONE;
        }
        return core_from_vec2(core_cell_vec2(cell.numbers));
    }
}

bool core_check_out(PyObject *out, int axes, const npy_intp *dims, PyArray_Descr *type) {
    if (!PyArray_Check(out)) {
        PyErr_Format(PyExc_TypeError, "out: must be an array, got %.100s", Py_TYPE(out)->tp_name);
        return false;
    }
    PyArrayObject *array = (PyArrayObject *)out;
    if (!PyArray_ISWRITEABLE(array)) {
        PyErr_SetString(PyExc_ValueError, "out: must be writable");
        return false;
    }
    if (PyArray_NDIM(array) != axes || !PyArray_CompareLists(PyArray_DIMS(array), dims, axes)) {
        PyObject *right = PyArray_IntTupleFromIntp(axes, dims);
        PyObject *got = PyArray_IntTupleFromIntp(PyArray_NDIM(array), PyArray_DIMS(array));
        if (right != NULL && got != NULL) {
            PyErr_Format(PyExc_ValueError, "out: must have shape %R, got %R", right, got);
        }
        Py_XDECREF(right);
        Py_XDECREF(got);
        return false;
    }
    // NumPy would also turn numbers into strings and objects, and rows into rows with other names.
    bool number = PyTypeNum_ISNUMBER(PyArray_TYPE(array)) || PyTypeNum_ISBOOL(PyArray_TYPE(array));
    bool fits =
        PyDataType_HASFIELDS(type)
            ? PyArray_EquivTypes(type, PyArray_DESCR(array)) != 0
            : number && PyArray_CanCastTypeTo(type, PyArray_DESCR(array), NPY_SAME_KIND_CASTING);
    if (!fits) {
        PyErr_Format(PyExc_TypeError, "out: must take %S, got dtype %S", (PyObject *)type,
                     (PyObject *)PyArray_DESCR(array));
    }
    return fits;
}

static bool count_cells(Plan *plan) {
    plan->total = 1;
    for (int i = 0; i < plan->leading; ++i) {
        if (plan->dims[i] == 0) {
            plan->total = 0;
            return true;
        }
    }
    for (int i = 0; i < plan->leading; ++i) {
        if (plan->total > NPY_MAX_INTP / plan->dims[i]) {
            PyErr_NoMemory();
            return false;
        }
        plan->total *= plan->dims[i];
    }
    return true;
}

static PyObject *make_result(const CoreFunction *function, Plan *plan, PyObject *out) {
    int axes = plan->leading;
    npy_intp size = 1;
    if (function->result == CELL_VECTOR) {
        plan->dims[axes++] = size = 2;
    } else if (axes_of(function->result) == 2) {
        plan->dims[axes++] = plan->n;
        plan->dims[axes++] = 2;
        size = 2 * (npy_intp)plan->n;
    }
    int type = type_of(function->result);
    if (out != NULL) {
        PyArray_Descr *descr = PyArray_DescrFromType(type);
        bool fits = core_check_out(out, axes, plan->dims, descr);
        Py_DECREF(descr);
        if (!fits) {
            return NULL;
        }
    }
    PyObject *result = PyArray_SimpleNew(axes, plan->dims, type);
    size_t bytes = type == NPY_BOOL ? 1 : (size_t)size * sizeof(double);
    if (result == NULL || !run(function, plan, PyArray_DATA((PyArrayObject *)result), bytes)) {
        Py_XDECREF(result);
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

PyObject *core_map(const CoreFunction *function, PyObject *const *values, PyObject *out) {
    Plan plan = {.n = 0};
    bool ok = true;
    for (int i = 0; i < function->input_count && ok; ++i) {
        ok = convert(function, i, values[i], &plan);
    }
    for (int i = 0; i < function->input_count && ok; ++i) {
        ok = broadcast(function->signature.names[i], &plan.operands[i], &plan);
    }
    PyObject *result = NULL;
    if (ok && count_cells(&plan)) {
        out = out == Py_None ? NULL : out;
        bool alone = plan.leading == 0 && out == NULL && axes_of(function->result) < 2;
        result = alone ? single(function, &plan) : make_result(function, &plan, out);
    }
    for (int i = 0; i < function->input_count; ++i) {
        Py_XDECREF(plan.operands[i].array);
    }
    return result;
}

PyObject *core_elementwise(const CoreFunction *function, PyObject *const *args, Py_ssize_t count,
                           PyObject *keywords) {
    PyObject *values[CORE_MAX_INPUTS + 1];
    if (!core_bind(&function->signature, args, count, keywords, values)) {
        return NULL;
    }
    return core_map(function, values, values[function->input_count]);
}

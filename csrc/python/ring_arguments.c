// Polygons as arguments. What is returned here is a copy that no Python code can reach.
#include "python/ring_arguments.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "python/convert.h"

// ------------------------------------------------------------------------------------------------
// holes

void core_holes_free(CoreHoles *holes) {
    PyMem_Free(holes->vertices);
    PyMem_Free(holes->counts);
}

static bool copy_holes(PyArrayObject **arrays, Py_ssize_t count, CoreHoles *holes) {
    Py_ssize_t total = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
        total += PyArray_DIM(arrays[i], 0);
    }
    if (total > INT32_MAX / 4) {
        PyErr_Format(PyExc_ValueError, "holes: have too many vertices, %zd", total);
        return false;
    }
    holes->vertices = PyMem_New(PhVec2, (size_t)total + 1);
    holes->counts = PyMem_New(int32_t, (size_t)count + 1);
    if (holes->vertices == NULL || holes->counts == NULL) {
        PyErr_NoMemory();
        return false;
    }
    PhVec2 *out = holes->vertices;
    for (Py_ssize_t i = 0; i < count; ++i) {
        holes->counts[i] = (int32_t)PyArray_DIM(arrays[i], 0);
        memcpy(out, core_points(arrays[i]), (size_t)holes->counts[i] * sizeof(PhVec2));
        out += holes->counts[i];
    }
    holes->count = (int32_t)count;
    return true;
}

bool core_to_holes(PyObject *object, CoreHoles *holes) {
    *holes = (CoreHoles){0};
    if (object == NULL || object == Py_None) {
        return true;
    }
    PyObject *sequence = PySequence_Fast(object, "holes: must be a sequence of vertex lists");
    if (sequence == NULL) {
        return false;
    }
    Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence), made = 0;
    PyArrayObject **arrays = PyMem_New(PyArrayObject *, (size_t)count + 1);
    bool ok = arrays != NULL;
    if (!ok) {
        PyErr_NoMemory();
    }
    for (; ok && made < count; ++made) {
        char name[32];
        PyOS_snprintf(name, sizeof name, "holes[%zd]", made);
        // The list may shrink while an element is converted.
        PyObject *item = made < PySequence_Fast_GET_SIZE(sequence)
                             ? Py_NewRef(PySequence_Fast_GET_ITEM(sequence, made))
                             : Py_NewRef(Py_None);
        arrays[made] = core_to_ring(item, name, 3);
        Py_DECREF(item);
        if (arrays[made] == NULL) {
            ok = false;
            break;
        }
    }
    ok = ok && copy_holes(arrays, count, holes);
    while (made > 0) {
        Py_DECREF(arrays[--made]);
    }
    PyMem_Free(arrays);
    Py_DECREF(sequence);
    if (!ok) {
        core_holes_free(holes);
    }
    return ok;
}

// ------------------------------------------------------------------------------------------------
// long work

#define SIGNAL_PERIOD 0.02 // s

static bool hear_signals(void *context) {
    CoreLongWork *work = context;
    bool stopped = atomic_load_explicit(&work->stopped, memory_order_relaxed);
    if (stopped || PyThread_get_thread_ident() != work->owner || ph_clock() < work->next) {
        return stopped;
    }
    PyEval_RestoreThread(work->thread);
    stopped = PyErr_CheckSignals() < 0;
    work->thread = PyEval_SaveThread();
    work->next = ph_clock() + SIGNAL_PERIOD;
    atomic_store_explicit(&work->stopped, stopped, memory_order_relaxed);
    return stopped;
}

const PhStop *core_begin_work(CoreLongWork *work, bool large) {
    *work =
        (CoreLongWork){.owner = PyThread_get_thread_ident(), .stop = {hear_signals, work, false}};
    if (!large) {
        return NULL;
    }
    work->next = ph_clock() + SIGNAL_PERIOD;
    work->thread = PyEval_SaveThread();
    return &work->stop;
}

static bool hear_here(void *context) {
    (void)context;
    return PyGILState_Check() && (PyErr_Occurred() != NULL || PyErr_CheckSignals() < 0);
}

const PhStop core_listening = {hear_here, NULL, false};

void core_end_work(CoreLongWork *work) {
    if (work->thread != NULL) {
        PyEval_RestoreThread(work->thread);
        work->thread = NULL;
    }
}

// ------------------------------------------------------------------------------------------------
// plain vertices

static bool check_range(const double *data, npy_intp size, const char *name) {
    for (npy_intp i = 0; i < size; ++i) {
        if (fabs(data[i]) <= CORE_MAX_COORDINATE) {
            continue;
        }
        PyObject *number = PyFloat_FromDouble(data[i]);
        if (number != NULL && size == 2) {
            PyErr_Format(PyExc_ValueError, "%s[%zd]: must be within +-1e150, got %R", name,
                         (Py_ssize_t)i, number);
        } else if (number != NULL) {
            PyErr_Format(PyExc_ValueError, "%s[%zd, %zd]: must be within +-1e150, got %R", name,
                         (Py_ssize_t)(i / 2), (Py_ssize_t)(i % 2), number);
        }
        Py_XDECREF(number);
        return false;
    }
    return true;
}

PyArrayObject *core_to_plain_ring(PyObject *object, const char *name, npy_intp minimum,
                                  bool empty_too) {
    PyArrayObject *array = core_to_numbers(object, name);
    if (array == NULL) {
        return NULL;
    }
    int d = PyArray_NDIM(array);
    bool empty = (d == 1 || (d == 2 && PyArray_DIM(array, 1) == 2)) && PyArray_DIM(array, 0) == 0;
    if (empty && empty_too) {
        return array;
    }
    if (d != 2 || PyArray_DIM(array, 1) != 2 || PyArray_DIM(array, 0) < minimum ||
        PyArray_DIM(array, 0) > INT32_MAX / 64) {
        char right[48];
        PyOS_snprintf(right, sizeof right, minimum > 0 ? "(n, 2) with n >= %d" : "(n, 2)",
                      (int)minimum);
        core_shape_error(name, right, array);
    } else if (core_check_finite(array, name) &&
               check_range(PyArray_DATA(array), PyArray_SIZE(array), name)) {
        return array;
    }
    Py_DECREF(array);
    return NULL;
}

bool core_to_plain_point(PyObject *object, const char *name, PhVec2 *out) {
    PhVec2 point;
    if (!core_to_vec2(object, name, &point)) {
        return false;
    }
    const double numbers[2] = {point.x, point.y};
    if (!check_range(numbers, 2, name)) {
        return false;
    }
    *out = point;
    return true;
}

// ------------------------------------------------------------------------------------------------
// checked rings

void core_rings_free(CoreRings *rings) {
    ph_free(rings->vertices);
    ph_free(rings->labels);
    ph_free(rings->starts);
    *rings = (CoreRings){0};
}

static void add_ring(CoreRings *rings, const PhVec2 *points, int32_t count) {
    int32_t start = rings->starts[rings->count];
    int32_t kept = ph_ring_tidy(points, count, rings->vertices + start, rings->labels + start);
    rings->starts[++rings->count] = start + kept;
}

// Checked with the labels of messages, which count within a ring; then turned and labelled through.
static PhStatus check_and_turn(CoreRings *rings, int32_t count, const CoreHoles *holes,
                               const PhStop *stop, PhError *error) {
    PhRings view = {rings->vertices, rings->starts, rings->count, rings->labels, "vertices", stop};
    PhStatus status = ph_rings_check(&view, error);
    int32_t offset = 0;
    for (int32_t ring = 0; status == PH_OK && ring < rings->count; ++ring) {
        int32_t start = rings->starts[ring], end = rings->starts[ring + 1];
        ph_ring_orient(rings->vertices + start, rings->labels + start, end - start, ring == 0);
        for (int32_t i = start; i < end; ++i) {
            rings->labels[i] += offset;
        }
        offset += ring == 0 ? count : holes->counts[ring - 1];
    }
    return status;
}

static bool fill_rings(const CoreState *core, PyArrayObject *vertices, const CoreHoles *holes,
                       CoreRings *rings) {
    int32_t count = (int32_t)PyArray_DIM(vertices, 0);
    int64_t total = count;
    for (int32_t i = 0; i < holes->count; ++i) {
        total += holes->counts[i];
    }
    if (total > INT32_MAX / 64) {
        PyErr_Format(PyExc_ValueError,
                     "vertices: at most %d are possible, holes included, got %lld", INT32_MAX / 64,
                     (long long)total);
        return false;
    }
    rings->vertices = ph_alloc((size_t)total, sizeof *rings->vertices);
    rings->labels = ph_alloc((size_t)total, sizeof *rings->labels);
    rings->starts = ph_alloc((size_t)holes->count + 2, sizeof *rings->starts);
    PhError error = {.status = PH_ERROR_MEMORY};
    PhStatus status = PH_ERROR_MEMORY;
    if (rings->vertices != NULL && rings->labels != NULL && rings->starts != NULL) {
        CoreLongWork work;
        const PhStop *stop = core_begin_work(&work, total > CORE_QUICK_VERTICES);
        add_ring(rings, core_points(vertices), count);
        const PhVec2 *hole = holes->vertices;
        for (int32_t i = 0; i < holes->count; ++i) {
            add_ring(rings, hole, holes->counts[i]);
            hole += holes->counts[i];
        }
        status = check_and_turn(rings, count, holes, stop, &error);
        core_end_work(&work);
    }
    if (status != PH_OK) {
        core_rings_free(rings);
        core_raise(core, &error);
    }
    return status == PH_OK;
}

bool core_to_rings(const CoreState *core, PyObject *vertices, PyObject *hole_list,
                   CoreRings *rings) {
    CoreHoles holes;
    *rings = (CoreRings){0};
    PyArrayObject *array = core_to_plain_ring(vertices, "vertices", 3, false);
    if (array == NULL) {
        return false;
    }
    bool ok = core_to_holes(hole_list, &holes);
    if (ok) {
        npy_intp size = 0;
        for (int32_t i = 0; i < holes.count; ++i) {
            char name[32];
            PyOS_snprintf(name, sizeof name, "holes[%d]", (int)i);
            ok = ok && check_range((const double *)(holes.vertices + size),
                                   2 * (npy_intp)holes.counts[i], name);
            size += holes.counts[i];
        }
        ok = ok && fill_rings(core, array, &holes, rings);
        core_holes_free(&holes);
    }
    Py_DECREF(array);
    return ok;
}

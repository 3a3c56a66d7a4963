// Live arrays: zero-copy views on the memory of the world's state, and assignment to them.
//
// Lifetime: the base of a view is the StateOwner of the memory, never the World. The World keeps
// one owner; when anything else does too, a view is alive and steps must look for writes.
//
// In the middle of a step, which has looked already, nothing may be written: a view that is taken
// there is read-only, and what on_pre_solve writes through an older one is undone and refused.
#include <math.h>
#include <string.h>

#include "python/convert.h"
#include "python/world_methods.h"

typedef struct View {
    const char *name;
    size_t offset; // of the pointer in PhState
    int columns;   // 0: one number per slot
    int type;
    bool writable;
} View;

static const View views[] = {
    [VIEW_POSITIONS] = {"positions", offsetof(PhState, position), 2, NPY_DOUBLE, true},
    [VIEW_ANGLES] = {"angles", offsetof(PhState, angle), 0, NPY_DOUBLE, true},
    [VIEW_VELOCITIES] = {"velocities", offsetof(PhState, velocity), 2, NPY_DOUBLE, true},
    [VIEW_ANGULAR_VELOCITIES] = {"angular_velocities", offsetof(PhState, angular_velocity), 0,
                                 NPY_DOUBLE, true},
    [VIEW_FORCES] = {"forces", offsetof(PhState, force), 2, NPY_DOUBLE, true},
    [VIEW_TORQUES] = {"torques", offsetof(PhState, torque), 0, NPY_DOUBLE, true},
    [VIEW_MASSES] = {"masses", offsetof(PhState, mass), 0, NPY_DOUBLE, false},
    [VIEW_INERTIAS] = {"inertias", offsetof(PhState, inertia), 0, NPY_DOUBLE, false},
    [VIEW_AWAKE] = {"awake", offsetof(PhState, awake), 0, NPY_BOOL, false},
    [VIEW_ALIVE] = {"alive", offsetof(PhState, alive), 0, NPY_BOOL, false},
    [VIEW_KINDS] = {"kinds", offsetof(PhState, kind), 0, NPY_UINT8, false},
};

static void *data_of(const View *view, PhState *state) {
    void *data;
    memcpy(&data, (const char *)state + view->offset, sizeof data);
    return data;
}

static bool owner_is_current(const WorldObject *self) {
    return self->owner != NULL && self->owner->state == ph_world_state(self->world);
}

// Enters the gate (unless this thread is inside already) with an owner of the memory in use at
// hand. The owner is made outside: making an object may run the garbage collector, and with it
// Python code.
static bool enter_with_owner(WorldObject *self, bool inside) {
    while (inside || core_enter(self)) {
        if (owner_is_current(self)) {
            return true;
        }
        PhState *state = ph_world_state(self->world);
        ph_state_retain(state);
        if (!inside) {
            core_leave(self);
        }
        StateOwnerObject *owner = core_state_owner(self->core, state);
        ph_state_release(state);
        if (owner == NULL) {
            return false;
        }
        Py_XSETREF(self->owner, owner);
    }
    return false;
}

PyObject *core_world_get_view(PyObject *object, void *closure) {
    WorldObject *self = (WorldObject *)object;
    const View *view = &views[(intptr_t)closure];
    // A view may also be asked for from inside a step of this thread: nothing is moved or added
    // then.
    bool inside = core_is_inside(self);
    if (!enter_with_owner(self, inside)) {
        return NULL;
    }
    StateOwnerObject *owner = self->owner;
    npy_intp dims[2] = {ph_world_slot_count(self->world), view->columns};
    bool writable = view->writable && !inside;
    int flags = writable ? NPY_ARRAY_CARRAY : NPY_ARRAY_CARRAY_RO;
    PyObject *array = PyArray_New(&PyArray_Type, view->columns > 0 ? 2 : 1, dims, view->type, NULL,
                                  data_of(view, owner->state), 0, flags, NULL);
    if (array != NULL) {
        Py_INCREF(owner);
        if (PyArray_SetBaseObject((PyArrayObject *)array, (PyObject *)owner) < 0) {
            Py_CLEAR(array);
        } else if (writable) {
            self->view_taken = true;
        }
    }
    if (!inside) {
        core_leave(self);
    }
    return array;
}

static size_t columns_of(const View *view) {
    return view->columns > 0 ? (size_t)view->columns : 1;
}

enum { WRITABLE_COLUMNS = 9 }; // of all views, per slot

bool core_views_keep(WorldObject *self, KeptViews *kept) {
    *kept = (KeptViews){NULL, 0};
    bool written = owner_is_current(self) && Py_REFCNT((PyObject *)self->owner) > 1;
    uint32_t slots = ph_world_slot_count(self->world);
    if (!written || slots == 0) {
        return true;
    }
    double *copy = PyMem_New(double, (size_t)slots *WRITABLE_COLUMNS);
    if (copy == NULL) {
        PyErr_NoMemory();
        return false;
    }
    *kept = (KeptViews){copy, slots};
    for (const View *view = views; view->writable; ++view) {
        size_t count = columns_of(view) * slots;
        memcpy(copy, data_of(view, self->owner->state), count * sizeof *copy);
        copy += count;
    }
    return true;
}

bool core_views_check(WorldObject *self, KeptViews *kept) {
    const View *changed = NULL;
    uint32_t row = 0;
    const double *copy = kept->copy;
    PhState *state = ph_world_state(self->world);
    for (const View *view = views; copy != NULL && view->writable; ++view) {
        size_t columns = columns_of(view), size = columns * sizeof *copy;
        double *data = data_of(view, state);
        for (uint32_t i = 0; changed == NULL && i < kept->slots; ++i) {
            bool same = memcmp(data + i * columns, copy + i * columns, size) == 0;
            if (!same && ph_slot_alive(self->world, i)) {
                changed = view;
                row = i;
            }
        }
        memcpy(data, copy, kept->slots * size);
        copy += kept->slots * columns;
    }
    PyMem_Free(kept->copy);
    kept->copy = NULL;
    if (changed != NULL) {
        PyErr_Format(core_error(self->core, ERROR_WORLD_LOCKED),
                     "on_pre_solve: %s[%lu] was written in the middle of a step; write to the "
                     "columns of contacts, or to live arrays in on_force or between steps",
                     changed->name, (unsigned long)row);
    }
    return changed == NULL;
}

// An array of `rows` rows that NumPy's broadcasting makes of value, of own memory.
static PyArrayObject *broadcast(const View *view, PyObject *value, npy_intp rows) {
    PyArrayObject *numbers = core_to_numbers(value, view->name);
    if (numbers == NULL) {
        return NULL;
    }
    int dimensions = view->columns > 0 ? 2 : 1;
    npy_intp dims[2] = {rows, view->columns};
    if (PyArray_NDIM(numbers) == dimensions &&
        PyArray_CompareLists(PyArray_DIMS(numbers), dims, dimensions)) {
        return numbers;
    }
    PyArrayObject *result = (PyArrayObject *)PyArray_SimpleNew(dimensions, dims, NPY_DOUBLE);
    if (result != NULL && PyArray_CopyInto(result, numbers) < 0) {
        Py_CLEAR(result);
        if (PyErr_ExceptionMatches(PyExc_ValueError)) {
            char right[48];
            PyErr_Clear();
            PyOS_snprintf(right, sizeof right, view->columns > 0 ? "(%lld, 2)" : "(%lld,)",
                          (long long)rows);
            core_shape_error(view->name, right, numbers);
        }
    }
    Py_DECREF(numbers);
    return result;
}

// Writes the rows of living bodies, or none when one of them is not finite: then its row is
// returned, else -1.
static long long write_rows(WorldObject *self, const View *view, const double *source,
                            npy_intp rows) {
    size_t columns = columns_of(view);
    double *target = data_of(view, ph_world_state(self->world));
    for (npy_intp i = 0; i < rows; ++i) {
        const double *row = source + (size_t)i * columns;
        bool finite = isfinite(row[0]) && isfinite(row[columns - 1]);
        if (!finite && ph_slot_alive(self->world, (uint32_t)i)) {
            return i;
        }
    }
    for (npy_intp i = 0; i < rows; ++i) {
        if (ph_slot_alive(self->world, (uint32_t)i)) {
            memcpy(target + (size_t)i * columns, source + (size_t)i * columns,
                   columns * sizeof(double));
        }
    }
    self->view_taken = true;
    return -1;
}

int core_world_set_view(PyObject *object, PyObject *value, void *closure) {
    WorldObject *self = (WorldObject *)object;
    const View *view = &views[(intptr_t)closure];
    if (value == NULL) {
        PyErr_Format(PyExc_TypeError, "%s cannot be deleted", view->name);
        return -1;
    }
    if (!core_enter_to_change(self)) {
        return -1;
    }
    npy_intp rows = ph_world_slot_count(self->world);
    core_leave(self);
    // Converting may run Python code, which may add bodies: rows that came since then keep their
    // numbers.
    PyArrayObject *array = broadcast(view, value, rows);
    if (array == NULL) {
        return -1;
    }
    if (!core_enter_to_change(self)) {
        Py_DECREF(array);
        return -1;
    }
    const double *source = PyArray_DATA(array);
    long long bad = write_rows(self, view, source, rows);
    core_leave(self);
    if (bad >= 0) {
        const double *row = source + (size_t)bad * columns_of(view);
        PyObject *number = PyFloat_FromDouble(isfinite(row[0]) ? row[1] : row[0]);
        if (number != NULL) {
            PyErr_Format(PyExc_ValueError, "%s[%lld]: must be finite, got %R", view->name, bad,
                         number);
            Py_DECREF(number);
        }
    }
    Py_DECREF(array);
    return bad >= 0 ? -1 : 0;
}

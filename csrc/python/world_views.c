// Live arrays: zero-copy views on the memory of the world's state, and assignment to them.
//
// Lifetime: the base of a view is the StateOwner of the memory, never the World. The World keeps
// one owner; when anything else does too, a view is alive and steps must scan for writes.
//
// In the middle of a step, which has looked already, nothing may be written: a view that is taken
// there is read-only, and what on_pre_solve writes through an older one is undone and refused.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "python/call_log.h"
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
            bool logged = self->log.object != NULL && !self->log.kept;
            if (logged && !core_log_keep(self)) {
                Py_CLEAR(array);
            }
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

bool core_views_check(WorldObject *self, KeptViews *kept, const char *hook) {
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
                     "%s: %s[%lu] was written in the middle of a step; write to %slive arrays in "
                     "on_force or between steps",
                     hook, changed->name, (unsigned long)row,
                     strcmp(hook, "on_pre_solve") == 0 ? "the columns of contacts, or to " : "");
    }
    return changed == NULL;
}

bool core_views_still(WorldObject *self, KeptViews *kept, const char *hook, bool ok) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    ok = core_views_check(self, kept, hook) && ok;
    if (type != NULL) {
        PyErr_Restore(type, value, traceback);
    }
    return ok;
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

// ------------------------------------------------------------------------------------------------
// writes, for the call log
//
// NumPy writes to the arrays without a call. So the log keeps a copy of them from behind each call
// while views are about, and finds the rows of living bodies that differ before the next one.

bool core_log_keep(WorldObject *self) {
    CoreCallLog *log = &self->log;
    uint32_t slots = ph_world_slot_count(self->world);
    size_t wanted = (size_t)slots * WRITABLE_COLUMNS;
    log->kept = false;
    if (!core_world_watched(self)) {
        return true;
    }
    if (wanted > log->room) {
        double *copy = ph_alloc(wanted + wanted / 2, sizeof *copy);
        if (copy == NULL) {
            PyErr_NoMemory();
            return false;
        }
        ph_free(log->copy);
        log->copy = copy;
        log->room = wanted + wanted / 2;
    }
    double *copy = log->copy;
    for (const View *view = views; view->writable; ++view) {
        size_t count = columns_of(view) * slots;
        memcpy(copy, data_of(view, ph_world_state(self->world)), count * sizeof *copy);
        copy += count;
    }
    log->slots = slots;
    log->kept = true;
    return true;
}

static uint8_t *put(uint8_t *at, const void *number, size_t size) { // little-endian
    uint64_t bits = 0;
    if (size == sizeof bits) {
        memcpy(&bits, number, sizeof bits);
    } else {
        uint32_t half;
        memcpy(&half, number, sizeof half);
        bits = half;
    }
    for (size_t i = 0; i < size; ++i) {
        *at++ = (uint8_t)(bits >> 8 * i);
    }
    return at;
}

// The record of the rows of a view that differ from the copy: W, number of the view, count, rows,
// and what is in them now. None when there are none.
static PyObject *written_rows(WorldObject *self, const View *view, const double *copy) {
    size_t columns = columns_of(view), size = columns * sizeof *copy;
    const double *data = data_of(view, ph_world_state(self->world));
    uint32_t slots = self->log.slots, count = 0;
    if (memcmp(data, copy, slots * size) == 0) {
        Py_RETURN_NONE;
    }
    for (uint32_t i = 0; i < slots; ++i) {
        count += memcmp(data + i * columns, copy + i * columns, size) != 0 &&
                 ph_slot_alive(self->world, i);
    }
    if (count == 0) {
        Py_RETURN_NONE;
    }
    size_t rows = count * sizeof count;
    PyObject *record = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(6 + rows + count * size));
    if (record == NULL) {
        return NULL;
    }
    uint8_t *at = (uint8_t *)PyBytes_AS_STRING(record);
    *at++ = 'W';
    *at++ = (uint8_t)(view - views);
    at = put(at, &count, sizeof count);
    uint8_t *number = at + rows;
    for (uint32_t i = 0; i < slots; ++i) {
        const double *row = data + i * columns;
        if (memcmp(row, copy + i * columns, size) != 0 && ph_slot_alive(self->world, i)) {
            at = put(at, &i, sizeof i);
            for (size_t k = 0; k < columns; ++k) {
                number = put(number, &row[k], sizeof row[k]);
            }
        }
    }
    return record;
}

const char core_world__written_doc[] =
    "_written($self, /)\n--\n\n"
    "Records in the call log what was written to the live arrays since the last logged call, and\n"
    "gives the number of bytes.";

// Inside the gate. All or nothing.
static bool add_written(WorldObject *self, Py_ssize_t *bytes) {
    PyObject *records = self->log.records;
    Py_ssize_t before = PyList_GET_SIZE(records);
    const double *copy = self->log.copy;
    bool ok = true;
    for (const View *view = views; ok && view->writable; ++view) {
        PyObject *record = written_rows(self, view, copy);
        ok = record != NULL && (record == Py_None || PyList_Append(records, record) == 0);
        *bytes += ok && record != Py_None ? PyBytes_GET_SIZE(record) : 0;
        Py_XDECREF(record);
        copy += columns_of(view) * self->log.slots;
    }
    ok = ok && core_log_keep(self);
    if (!ok) {
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        (void)PyList_SetSlice(records, before, PY_SSIZE_T_MAX, NULL);
        PyErr_Restore(type, value, traceback);
    }
    return ok;
}

PyObject *core_world__written(PyObject *object, PyObject *Py_UNUSED(ignored)) {
    WorldObject *self = (WorldObject *)object;
    Py_ssize_t bytes = 0;
    // Of a world that is locked by stages() nothing is seen before the step is made or given up.
    if (self->log.object != NULL && self->stages == NULL) {
        if (!core_enter(self)) {
            return NULL;
        }
        bool there = self->log.object != NULL && self->log.kept &&
                     self->log.slots <= ph_world_slot_count(self->world);
        bool ok =
            self->log.object == NULL || (there ? add_written(self, &bytes) : core_log_keep(self));
        core_leave(self);
        if (!ok) {
            return NULL;
        }
    }
    return PyLong_FromSsize_t(bytes);
}

const char core_world__write_doc[] =
    "_write($self, array, rows, numbers, /)\n--\n\n"
    "Write rows as NumPy does, bit for bit: what _written gave.\n\n"
    "Raises\n------\n"
    "ValueError\n    For rows that no living body has, or sizes that do not go together.";

static bool good_rows(const WorldObject *self, const uint8_t *rows, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; ++i) {
        uint32_t row;
        memcpy(&row, rows + 4 * i, sizeof row);
        if (row >= ph_world_slot_count(self->world) || !ph_slot_alive(self->world, row)) {
            return false;
        }
    }
    return true;
}

PyObject *core_world__write(PyObject *object, PyObject *args) {
    WorldObject *self = (WorldObject *)object;
    int which;
    Py_buffer rows, numbers;
    if (!PyArg_ParseTuple(args, "iy*y*", &which, &rows, &numbers)) {
        return NULL;
    }
    bool known =
        which >= 0 && which < (int)(sizeof views / sizeof views[0]) && views[which].writable;
    size_t columns = known ? columns_of(&views[which]) : 1, size = columns * sizeof(double);
    Py_ssize_t count = rows.len / 4;
    bool ok = known && rows.len % 4 == 0 && numbers.len / (Py_ssize_t)size == count &&
              numbers.len % (Py_ssize_t)size == 0;
    bool entered = ok && core_enter_to_change(self);
    if (entered) {
        ok = good_rows(self, rows.buf, count);
        double *data = data_of(&views[which], ph_world_state(self->world));
        for (Py_ssize_t i = 0; ok && i < count; ++i) {
            uint32_t row;
            memcpy(&row, (const uint8_t *)rows.buf + 4 * i, sizeof row);
            memcpy(data + row * columns, (const uint8_t *)numbers.buf + (size_t)i * size, size);
        }
        self->view_taken = self->view_taken || ok;
        core_leave(self);
    }
    PyBuffer_Release(&rows);
    PyBuffer_Release(&numbers);
    if (!ok) {
        PyErr_SetString(PyExc_ValueError, "rows: must be those of living bodies, with as many "
                                          "numbers as the array has for them");
    }
    if (!ok || !entered) {
        return NULL;
    }
    Py_RETURN_NONE;
}

// Hooks of a World: on_force, called between steps (gate.c lends the gate for it), and on_pre_solve
// and pair_filter, called in the middle of one, by the thread that steps and inside of the gate, as
// are laws of springs (spring_law.c).
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "python/call_log.h"
#include "python/testing_interface.h"
#include "python/world_methods.h"

static int set_hook(PyObject **place, PyObject *value, const char *name) {
    if (value == NULL) {
        PyErr_Format(PyExc_TypeError, "%s cannot be deleted; set it to None", name);
        return -1;
    }
    if (value != Py_None && !PyCallable_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s: must be callable or None, got %.100s", name,
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    Py_XSETREF(*place, value != Py_None ? Py_NewRef(value) : NULL);
    return 0;
}

// Under the GIL alone: no step reads the hooks without it.
PyObject *core_world_get_on_force(PyObject *object, void *Py_UNUSED(closure)) {
    PyObject *hook = ((WorldObject *)object)->on_force;
    return Py_NewRef(hook != NULL ? hook : Py_None);
}

int core_world_set_on_force(PyObject *object, PyObject *value, void *Py_UNUSED(closure)) {
    return set_hook(&((WorldObject *)object)->on_force, value, "on_force");
}

PyObject *core_world_get_on_pre_solve(PyObject *object, void *Py_UNUSED(closure)) {
    PyObject *hook = ((WorldObject *)object)->on_pre_solve;
    return Py_NewRef(hook != NULL ? hook : Py_None);
}

int core_world_set_on_pre_solve(PyObject *object, PyObject *value, void *Py_UNUSED(closure)) {
    return set_hook(&((WorldObject *)object)->on_pre_solve, value, "on_pre_solve");
}

bool core_step_hook(WorldObject *self, double dt, PhError *error) {
    return self->on_force == NULL ||
           (ph_world_check_dt(dt, error) == PH_OK && core_call_hook(self, self->on_force));
}

// ------------------------------------------------------------------------------------------------
// on_pre_solve

static bool check_number(const char *name, npy_intp row, double value, double least, double most) {
    if (value >= least && value <= most) {
        return true;
    }
    PyObject *number = PyFloat_FromDouble(value);
    PyObject *bounds = Py_BuildValue("(dd)", least, most);
    if (number != NULL && bounds != NULL) {
        PyErr_Format(PyExc_ValueError, "on_pre_solve: %s[%zd]: must be within %R, got %R", name,
                     (Py_ssize_t)row, bounds, number);
    }
    Py_XDECREF(number);
    Py_XDECREF(bounds);
    return false;
}

static bool refuse_write(const PhPreSolveRow *row, const PhPreSolveRow *own, npy_intp index) {
#define COLUMN(name)                                                                               \
    { #name, offsetof(PhPreSolveRow, name) }
    static const struct {
        const char *name;
        size_t offset;
    } columns[] = {COLUMN(body_a),     COLUMN(body_b),  COLUMN(collider_a),
                   COLUMN(collider_b), COLUMN(piece_a), COLUMN(piece_b),
                   COLUMN(normal),     COLUMN(point),   COLUMN(separation),
                   COLUMN(approach),   COLUMN(id),      {NULL, offsetof(PhPreSolveRow, friction)}};
#undef COLUMN
    int i = 0;
    while (columns[i + 1].name != NULL &&
           memcmp((const char *)row + columns[i].offset, (const char *)own + columns[i].offset,
                  columns[i + 1].offset - columns[i].offset) == 0) {
        ++i;
    }
    PyErr_Format(PyExc_ValueError,
                 "on_pre_solve: %s[%zd]: cannot be changed; a hook may write the columns enabled, "
                 "friction, restitution and tangent_speed",
                 columns[i].name, (Py_ssize_t)index);
    return false;
}

// Takes over what may be written, after the hook. It may have done anything to the array; only what
// still is a table of the same size is examined.
static bool take_rows(PyArrayObject *array, PhPreSolveRow *rows, npy_intp count) {
    const PhPreSolveRow *given = PyArray_DATA(array);
    if (PyArray_NBYTES(array) != count * (npy_intp)sizeof *rows ||
        !PyArray_IS_C_CONTIGUOUS(array)) {
        PyErr_SetString(PyExc_ValueError, "on_pre_solve: the array of contacts was given another "
                                          "shape; write to its columns");
        return false;
    }
    for (npy_intp i = 0; i < count; ++i) {
        PhPreSolveRow row;
        memcpy(&row, given + i, sizeof row);
        if (memcmp(&row, &rows[i], offsetof(PhPreSolveRow, friction)) != 0) {
            return refuse_write(&row, &rows[i], i);
        }
        if (!check_number("friction", i, row.friction, 0, 1e30) ||
            !check_number("restitution", i, row.restitution, 0, 1e30) ||
            !check_number("tangent_speed", i, row.tangent_speed, -1e9, 1e9)) {
            return false;
        }
        rows[i].friction = row.friction;
        rows[i].restitution = row.restitution;
        rows[i].tangent_speed = row.tangent_speed;
        rows[i].enabled = row.enabled;
    }
    return true;
}

// Other engines ask whether a contact is to hold. Here a column says it: False would do nothing.
static bool check_answer(PyObject *answer) {
    bool truths = PyArray_Check(answer) && PyArray_TYPE((PyArrayObject *)answer) == NPY_BOOL;
    if (answer != Py_False && !truths && !PyArray_IsScalar(answer, Bool)) {
        return true;
    }
    PyErr_Format(PyExc_TypeError,
                 "on_pre_solve: must return None, got %.100s; a contact is switched off by "
                 "contacts['enabled'][k] = False",
                 Py_TYPE(answer)->tp_name);
    return false;
}

static bool show_to_hook(WorldObject *world, PyObject *hook, PhPreSolveRow *rows, uint32_t count) {
    PyObject *array = core_rows(world->core, ROW_PRE_SOLVE, rows, (Py_ssize_t)count);
    KeptViews kept;
    if (array == NULL || !core_views_keep(world, &kept)) {
        Py_XDECREF(array);
        return false;
    }
    PyObject *result = core_call_shown(world, hook, &array, 1);
    bool ok = result != NULL && check_answer(result) &&
              take_rows((PyArrayObject *)array, rows, (npy_intp)count);
    Py_XDECREF(result);
    Py_DECREF(array);
    return core_views_still(world, &kept, "on_pre_solve", ok);
}

static bool call_on_pre_solve(WorldObject *world, PyObject *hook, PhPreSolveRow *rows,
                              uint32_t count) {
    if (world->log.object == NULL) {
        return show_to_hook(world, hook, rows, count);
    }
    PhPreSolveRow *before = ph_alloc(count, sizeof *before);
    if (before == NULL) {
        PyErr_NoMemory();
        return false;
    }
    memcpy(before, rows, count * sizeof *before);
    bool ok =
        show_to_hook(world, hook, rows, count) && core_log_pre_solve(world, before, rows, count);
    ph_free(before);
    return ok;
}

static bool call(void *context, PhPreSolveRow *rows, uint32_t count) {
    CoreRun *run = context;
    if (run->saved != NULL) {
        PyEval_RestoreThread(run->saved);
    }
    bool ok = true;
    PyObject *hook = Py_XNewRef(run->world->on_pre_solve); // it may be set meanwhile
    if (hook != NULL) {
        ok = call_on_pre_solve(run->world, hook, rows, count);
        Py_DECREF(hook);
    }
    if (run->saved != NULL) {
        run->saved = PyEval_SaveThread();
    }
    return ok;
}

// ------------------------------------------------------------------------------------------------
// pair_filter

PyObject *core_world_get_pair_filter(PyObject *object, void *Py_UNUSED(closure)) {
    PyObject *hook = ((WorldObject *)object)->pair_filter;
    return Py_NewRef(hook != NULL ? hook : Py_None);
}

// Answers are those of the filter that was asked: another one begins without. A step never sees
// this change in its midst, since no hook of it gets in.
static bool replace_filter(WorldObject *self, PyObject *value, bool wake) {
    if (!core_enter_to_change(self)) {
        return false;
    }
    PyObject *before = self->pair_filter;
    self->pair_filter = value != Py_None ? Py_NewRef(value) : NULL;
    if (wake) {
        ph_world_refilter(self->world);
    } else {
        ph_world_forget_pairs(self->world);
    }
    core_leave(self);
    Py_XDECREF(before);
    return true;
}

static bool check_filter(PyObject *value) {
    if (value == NULL || (value != Py_None && !PyCallable_Check(value))) {
        PyErr_Format(PyExc_TypeError,
                     value == NULL ? "pair_filter cannot be deleted; set it to None"
                                   : "pair_filter: must be callable or None, got %.100s",
                     value == NULL ? "" : Py_TYPE(value)->tp_name);
        return false;
    }
    return true;
}

// In a call log it is a call of refilter(): the function itself has no place there.
int core_world_set_pair_filter(PyObject *object, PyObject *value, void *Py_UNUSED(closure)) {
    WorldObject *self = (WorldObject *)object;
    CoreLogged call;
    if (!check_filter(value) || !core_log_begin(self, &call, object, "refilter", NULL, 0, NULL)) {
        return -1;
    }
    PyObject *result = replace_filter(self, value, true) ? Py_NewRef(Py_None) : NULL;
    result = core_log_end(self, &call, result);
    Py_XDECREF(result);
    return result != NULL ? 0 : -1;
}

const char core_world__set_pair_filter_doc[] =
    "_set_pair_filter($self, filter, /)\n--\n\nSet pair_filter, and wake nothing.";

PyObject *core_world__set_pair_filter(PyObject *object, PyObject *value) {
    if (!check_filter(value) || !replace_filter((WorldObject *)object, value, false)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

const char core_world_refilter_doc[] =
    "refilter($self, /)\n--\n\n"
    "Have pair_filter asked again about all pairs in the next step.\n\n"
    "Call it when what the filter decides by has changed. All bodies wake. Contacts that it now\n"
    "refuses end; those that it still allows keep their impulses. For one collider, set its\n"
    "category, mask or group.";

PyObject *core_world_refilter(PyObject *object, PyObject *Py_UNUSED(ignored)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter_to_change(self)) {
        return NULL;
    }
    ph_world_refilter(self->world);
    core_leave(self);
    Py_RETURN_NONE;
}

static bool take_answers(PyObject *result, uint8_t *allowed, npy_intp count) {
    PyArrayObject *array = (PyArrayObject *)PyArray_FROM_O(result);
    if (array == NULL) {
        return false;
    }
    bool bools = PyArray_TYPE(array) == NPY_BOOL;
    bool ok = bools && PyArray_NDIM(array) == 1 && PyArray_DIM(array, 0) == count;
    if (ok) {
        const char *at = PyArray_BYTES(array);
        for (npy_intp k = 0; k < count; ++k) {
            allowed[k] = at[k * PyArray_STRIDE(array, 0)] != 0;
        }
    } else {
        PyObject *shape = PyObject_GetAttrString((PyObject *)array, "shape");
        const char *name = strrchr(Py_TYPE(result)->tp_name, '.');
        name = name != NULL ? name + 1 : Py_TYPE(result)->tp_name;
        if (shape != NULL) {
            PyErr_Format(bools ? PyExc_ValueError : PyExc_TypeError,
                         "pair_filter: must return an array of bool, shape (%zd,): whether each "
                         "pair may collide; got %.100s of %S, shape %S",
                         (Py_ssize_t)count, name, (PyObject *)PyArray_DESCR(array), shape);
            Py_DECREF(shape);
        }
    }
    Py_DECREF(array);
    return ok;
}

static bool ask_filter(WorldObject *world, const PhFilterRow *rows, uint8_t *allowed,
                       uint32_t count) {
    PyObject *array = core_rows(world->core, ROW_FILTER, rows, (Py_ssize_t)count);
    KeptViews kept;
    if (array == NULL || !core_views_keep(world, &kept)) {
        Py_XDECREF(array);
        return false;
    }
    PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE);
    PyObject *result = core_call_shown(world, world->pair_filter, &array, 1);
    bool ok = result != NULL && take_answers(result, allowed, (npy_intp)count);
    Py_XDECREF(result);
    Py_DECREF(array);
    return core_views_still(world, &kept, "pair_filter", ok) &&
           core_log_pair_filter(world, rows, allowed, count);
}

static bool call_filter(void *context, const PhFilterRow *rows, uint8_t *allowed, uint32_t count) {
    CoreRun *run = context;
    if (run->saved != NULL) {
        PyEval_RestoreThread(run->saved);
    }
    bool ok = ask_filter(run->world, rows, allowed, count);
    if (run->saved != NULL) {
        run->saved = PyEval_SaveThread();
    }
    return ok;
}

// ------------------------------------------------------------------------------------------------
// runs of steps

// How often a step listens for signals, seconds.
#define SIGNAL_PERIOD 0.05

// For tests: the question that is answered with yes, from the next one on; 0: none.
static atomic_int_fast64_t stopping_question;

void core_stop_steps(int64_t question) {
    atomic_store(&stopping_question, question > 0 ? question : 0);
}

// In the place of a signal.
static bool interrupt(void) {
    if (atomic_fetch_sub(&stopping_question, 1) != 1) {
        return false;
    }
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    return true;
}

static bool hear_signals(void *context) {
    CoreRun *run = context;
    bool stopped = atomic_load_explicit(&run->stopped, memory_order_relaxed);
    bool eager = run->stop.eager;
    if (stopped || PyThread_get_thread_ident() != run->thread ||
        (!eager && ph_clock() < run->next)) {
        return stopped;
    }
    PyEval_RestoreThread(run->saved);
    stopped = eager ? interrupt() : PyErr_CheckSignals() < 0;
    run->saved = PyEval_SaveThread();
    run->next = ph_clock() + SIGNAL_PERIOD;
    atomic_store_explicit(&run->stopped, stopped, memory_order_relaxed);
    return stopped;
}

void core_begin_run(CoreRun *run, WorldObject *self, PhWorld *world, bool release) {
    bool eager = atomic_load(&stopping_question) > 0;
    *run = (CoreRun){.world = self, .stop = {hear_signals, run, eager}};
    ph_world_set_stop(world, NULL);
    release = release || eager;
    if (release) {
        run->thread = PyThread_get_thread_ident();
        run->next = ph_clock() + SIGNAL_PERIOD;
        ph_world_set_stop(world, &run->stop);
    }
    PhPreSolve hook = {NULL, NULL};
    if (self->on_pre_solve != NULL) {
        hook = (PhPreSolve){call, run};
    }
    ph_world_set_pre_solve(world, hook);
    PhPairFilter filter = {NULL, NULL};
    if (self->pair_filter != NULL) {
        filter = (PhPairFilter){call_filter, run};
    }
    ph_world_set_pair_filter(world, filter);
    ph_world_set_spring_laws(world, core_spring_laws(run));
    run->saved = release ? PyEval_SaveThread() : NULL;
}

void core_end_run(CoreRun *run, PhWorld *world) {
    if (run->saved != NULL) {
        PyEval_RestoreThread(run->saved);
    }
    ph_world_set_pre_solve(world, (PhPreSolve){NULL, NULL});
    ph_world_set_pair_filter(world, (PhPairFilter){NULL, NULL});
    ph_world_set_spring_laws(world, (PhSpringLaws){NULL, NULL, NULL});
    ph_world_set_stop(world, NULL);
}

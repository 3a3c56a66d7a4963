// The call log of a World: how calls and steps come into it (call_log.h has the rule of order).
//
// Invariants: the records are bytes objects, complete each, in the order in which what they tell of
// happened; the first item of the list belongs to pyphys2d/_calls.py. A log is a matter of the
// process that began it.
#include "python/call_log.h"

#include <string.h>

#include "base/memory.h"
#include "python/convert.h"
#include "python/world_methods.h"

void core_log_drop(WorldObject *world) {
    CoreCallLog log = world->log;
    world->log = (CoreCallLog){0};
    ph_free(log.copy);
    Py_XDECREF(log.object);
    Py_XDECREF(log.lock);
    Py_XDECREF(log.records);
    Py_XDECREF(log.outcomes);
}

int core_log_traverse(WorldObject *world, visitproc visit, void *arg) {
    Py_VISIT(world->log.object);
    Py_VISIT(world->log.lock);
    Py_VISIT(world->log.records);
    Py_VISIT(world->log.outcomes);
    return 0;
}

// Whether there is a log, of this process. The file is the parent's after a fork.
static bool is_logged(WorldObject *world) {
    if (world->log.object != NULL && world->log.forks != core_gate_forks()) {
        core_log_drop(world);
    }
    return world->log.object != NULL;
}

// A change could not be recorded: the log ends before it. The pending exception, which says why,
// goes.
static void lose(WorldObject *world) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyObject *log = Py_XNewRef(world->log.object);
    core_log_drop(world);
    if (log != NULL && value != NULL && PyObject_SetAttrString(log, "error", value) < 0) {
        PyErr_Clear();
    }
    Py_XDECREF(log);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
}

// ------------------------------------------------------------------------------------------------
// bytes

static uint8_t *put32(uint8_t *at, uint32_t number) {
    for (int i = 0; i < 4; ++i) {
        *at++ = (uint8_t)(number >> 8 * i);
    }
    return at;
}

static uint8_t *put64(uint8_t *at, uint64_t number) {
    for (int i = 0; i < 8; ++i) {
        *at++ = (uint8_t)(number >> 8 * i);
    }
    return at;
}

static uint8_t *put_double(uint8_t *at, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return put64(at, bits);
}

static bool append(PyObject *records, PyObject *record) { // takes the record over
    bool ok = record != NULL && PyList_Append(records, record) == 0;
    Py_XDECREF(record);
    return ok;
}

static bool is_handle(const CoreState *core, PyObject *object) {
    return Py_IS_TYPE(object, core->type[TYPE_BODY]) ||
           Py_IS_TYPE(object, core->type[TYPE_COLLIDER]) || core_is_joint(core, object) ||
           core_is_field(core, object);
}

// The record: its head, and behind it the number of handles in the result, and their ids.
static PyObject *record_of(const CoreState *core, PyObject *head, PyObject *result) {
    Py_ssize_t size = PyBytes_GET_SIZE(head), count = 0;
    bool single = is_handle(core, result), several = PyList_Check(result);
    if (single || several) {
        count = single ? 1 : PyList_GET_SIZE(result);
    }
    if (count > (PY_SSIZE_T_MAX - size) / 8 - 1 || count > UINT32_MAX) {
        PyErr_NoMemory();
        return NULL;
    }
    PyObject *record = PyBytes_FromStringAndSize(NULL, size + 4 + 8 * count);
    if (record == NULL) {
        return NULL;
    }
    uint8_t *at = (uint8_t *)PyBytes_AS_STRING(record);
    memcpy(at, PyBytes_AS_STRING(head), (size_t)size);
    at = put32(at + size, (uint32_t)count);
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject *item = single ? result : PyList_GET_ITEM(result, i);
        at = put64(at, is_handle(core, item) ? core_id_number(((HandleObject *)item)->id) : 0);
    }
    return record;
}

// ------------------------------------------------------------------------------------------------
// calls

static void forget(CoreLogged *call) {
    PyObject *parts[] = {call->lock, call->records, call->values, call->head};
    *call = (CoreLogged){NULL, NULL, NULL, NULL};
    for (int i = 0; i < 4; ++i) {
        Py_XDECREF(parts[i]);
    }
}

// Of C: no bytecode runs, and so no signal is handled.
static void release(CoreLogged *call) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *result = PyObject_CallMethod(call->lock, "release", NULL);
    if (result == NULL) {
        PyErr_Clear();
    }
    Py_XDECREF(result);
    forget(call);
    PyErr_Restore(type, value, traceback);
}

static bool acquire(WorldObject *world, CoreLogged *call) {
    call->lock = Py_NewRef(world->log.lock);
    PyObject *result = PyObject_CallMethod(call->lock, "acquire", NULL);
    Py_XDECREF(result);
    if (result == NULL) {
        forget(call);
        return false;
    }
    if (!is_logged(world) || world->log.lock != call->lock) { // it ended meanwhile
        release(call);
    } else {
        call->records = Py_NewRef(world->log.records);
    }
    return true;
}

bool core_log_begin(WorldObject *world, CoreLogged *call, PyObject *self, const char *name,
                    PyObject *const *values, Py_ssize_t count, PyObject *keywords) {
    *call = (CoreLogged){NULL, NULL, NULL, NULL};
    if (!is_logged(world)) {
        return true;
    }
    if (!acquire(world, call)) {
        return false;
    }
    if (call->lock == NULL) {
        return true;
    }
    PyObject *given = PyTuple_New(count);
    for (Py_ssize_t i = 0; given != NULL && i < count; ++i) {
        PyTuple_SET_ITEM(given, i, Py_NewRef(values[i]));
    }
    PyObject *log = Py_NewRef(world->log.object);
    PyObject *answer =
        given == NULL ? NULL
                      : PyObject_CallMethod(log, "_begin", "OOsOO", (PyObject *)world, self, name,
                                            given, keywords != NULL ? keywords : Py_None);
    Py_DECREF(log);
    bool ok = answer != NULL;
    if (ok && answer != Py_None) {
        ok = PyArg_ParseTuple(answer, "O!S", &PyTuple_Type, &call->values, &call->head) != 0;
        call->values = ok ? Py_NewRef(call->values) : NULL;
        call->head = ok ? Py_NewRef(call->head) : NULL;
    } else if (ok) {
        call->values = Py_NewRef(given);
    }
    if (ok && PyTuple_GET_SIZE(call->values) != count) {
        PyErr_SetString(PyExc_SystemError, "a call log must keep the number of arguments");
        ok = false;
    }
    Py_XDECREF(answer);
    Py_XDECREF(given);
    if (!ok) {
        release(call);
    }
    return ok;
}

// The arrays behind a change, to be compared with. Those of a world that is locked by stages()
// change only by what is written to them.
static bool keep(WorldObject *world) {
    if (world->log.object == NULL || world->stages != NULL) {
        return true;
    }
    if (!core_enter(world)) {
        return false;
    }
    bool ok = core_log_keep(world);
    core_leave(world);
    return ok;
}

PyObject *core_log_end(WorldObject *world, CoreLogged *call, PyObject *result) {
    if (call->lock == NULL) {
        return result;
    }
    if (result != NULL && call->head != NULL &&
        !append(call->records, record_of(world->core, call->head, result))) {
        lose(world);
    }
    if (result != NULL && !keep(world)) {
        Py_CLEAR(result);
    }
    release(call);
    return result;
}

PyObject *core_log_fast(WorldObject *world, CoreFastMethod *method, const char *name,
                        PyObject *self, PyObject *const *args, Py_ssize_t count,
                        PyObject *keywords) {
    CoreLogged call;
    Py_ssize_t more = keywords != NULL ? PyTuple_GET_SIZE(keywords) : 0;
    if (!core_log_begin(world, &call, self, name, args, count + more, keywords)) {
        return NULL;
    }
    PyObject *const *taken = call.values != NULL ? ((PyTupleObject *)call.values)->ob_item : args;
    return core_log_end(world, &call, method(self, taken, count, keywords));
}

PyObject *core_log_one(WorldObject *world, CoreOneMethod *method, const char *name, PyObject *self,
                       PyObject *arg) {
    CoreLogged call;
    if (!core_log_begin(world, &call, self, name, &arg, arg != NULL ? 1 : 0, NULL)) {
        return NULL;
    }
    PyObject *taken = arg != NULL && call.values != NULL ? PyTuple_GET_ITEM(call.values, 0) : arg;
    return core_log_end(world, &call, method(self, taken));
}

PyObject *core_log_tuple(WorldObject *world, CoreOneMethod *method, const char *name,
                         PyObject *self, PyObject *args) {
    CoreLogged call;
    if (!core_log_begin(world, &call, self, name, ((PyTupleObject *)args)->ob_item,
                        PyTuple_GET_SIZE(args), NULL)) {
        return NULL;
    }
    return core_log_end(world, &call, method(self, call.values != NULL ? call.values : args));
}

// The name of an attribute as a call: "=velocity".
static bool attribute_call(PyTypeObject *type, setter logged, const void *closure, char *name,
                           size_t size) {
    for (; type != NULL; type = type->tp_base) {
        for (const PyGetSetDef *def = type->tp_getset; def != NULL && def->name != NULL; ++def) {
            if (def->set == logged && def->closure == closure) {
                PyOS_snprintf(name, size, "=%s", def->name);
                return true;
            }
        }
    }
    PyErr_SetString(PyExc_SystemError, "an attribute is not in the table of its type");
    return false;
}

int core_log_set(WorldObject *world, setter method, setter logged, PyObject *self, PyObject *value,
                 void *closure) {
    CoreLogged call;
    char name[64];
    if (!attribute_call(Py_TYPE(self), logged, closure, name, sizeof name) ||
        !core_log_begin(world, &call, self, name, &value, 1, NULL)) {
        return -1;
    }
    PyObject *taken = call.values != NULL ? PyTuple_GET_ITEM(call.values, 0) : value;
    PyObject *result = method(self, taken, closure) == 0 ? Py_NewRef(Py_None) : NULL;
    result = core_log_end(world, &call, result);
    Py_XDECREF(result);
    return result != NULL ? 0 : -1;
}

// ------------------------------------------------------------------------------------------------
// steps

bool core_log_before_step(WorldObject *world) {
    if (!is_logged(world)) {
        return true;
    }
    if (PyList_SetSlice(world->log.outcomes, 0, PY_SSIZE_T_MAX, NULL) < 0) {
        return false;
    }
    PyObject *log = Py_NewRef(world->log.object);
    PyObject *method = PyObject_GetAttrString(log, "_before_step");
    bool ok = method != NULL && core_call_hook(world, method);
    Py_XDECREF(method);
    Py_DECREF(log);
    return ok;
}

static bool same_row(const PhPreSolveRow *a, const PhPreSolveRow *b) {
    return memcmp(&a->friction, &b->friction, sizeof a->friction) == 0 &&
           memcmp(&a->restitution, &b->restitution, sizeof a->restitution) == 0 &&
           memcmp(&a->tangent_speed, &b->tangent_speed, sizeof a->tangent_speed) == 0 &&
           a->enabled == b->enabled;
}

bool core_log_pre_solve(WorldObject *world, const PhPreSolveRow *before, const PhPreSolveRow *after,
                        uint32_t count) {
    enum { ROW = 4 + 3 * 8 + 1 };
    if (!is_logged(world)) {
        return true;
    }
    uint32_t changed = 0;
    for (uint32_t i = 0; i < count; ++i) {
        changed += !same_row(&before[i], &after[i]);
    }
    PyObject *record = PyBytes_FromStringAndSize(NULL, 9 + (Py_ssize_t)changed * ROW);
    if (record == NULL) {
        return false;
    }
    uint8_t *at = (uint8_t *)PyBytes_AS_STRING(record);
    *at++ = 'P';
    at = put32(put32(at, count), changed);
    for (uint32_t i = 0; i < count; ++i) {
        if (!same_row(&before[i], &after[i])) {
            at = put_double(put32(at, i), after[i].friction);
            at = put_double(put_double(at, after[i].restitution), after[i].tangent_speed);
            *at++ = after[i].enabled != 0;
        }
    }
    return append(world->log.outcomes, record);
}

bool core_log_pair_filter(WorldObject *world, const PhFilterRow *rows, const uint8_t *allowed,
                          uint32_t count) {
    enum { ROW = 9 };
    if (!is_logged(world)) {
        return true;
    }
    PyObject *record = PyBytes_FromStringAndSize(NULL, 5 + (Py_ssize_t)count * ROW);
    if (record == NULL) {
        return false;
    }
    uint8_t *at = (uint8_t *)PyBytes_AS_STRING(record);
    *at++ = 'F';
    at = put32(at, count);
    for (uint32_t i = 0; i < count; ++i) {
        at = put32(put32(at, (uint32_t)rows[i].collider_a), (uint32_t)rows[i].collider_b);
        *at++ = allowed[i];
    }
    return append(world->log.records, record);
}

bool core_log_spring_law(WorldObject *world, const PhSpringLaw *law) {
    enum { ROW = 12 };
    if (!is_logged(world)) {
        return true;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < law->count; ++i) {
        count += law->row[i].acts;
    }
    PyObject *record = PyBytes_FromStringAndSize(NULL, 5 + (Py_ssize_t)count * ROW);
    if (record == NULL) {
        return false;
    }
    uint8_t *at = (uint8_t *)PyBytes_AS_STRING(record);
    *at++ = 'K';
    at = put32(at, count);
    for (uint32_t i = 0; i < law->count; ++i) {
        if (law->row[i].acts) {
            at = put_double(put32(at, law->row[i].joint.index), law->row[i].force);
        }
    }
    return append(world->log.outcomes, record);
}

static bool add_step(WorldObject *world, double dt, bool hooked) {
    enum { HOOKED = 1, HASHED = 2, FILTERED = 4 };
    CoreCallLog *log = &world->log;
    bool hashed = ph_world_step_count(world->world) % log->every == 0;
    uint64_t hash = 0;
    if (hashed) {
        core_world_sync(world);
        hash = ph_world_hash(world->world);
    }
    PyObject *record = PyBytes_FromStringAndSize(NULL, hashed ? 18 : 10);
    if (record == NULL) {
        return false;
    }
    uint8_t *at = (uint8_t *)PyBytes_AS_STRING(record);
    *at++ = 'S';
    bool filtered = world->pair_filter != NULL; // no hook of a step can set it
    *at++ = (uint8_t)((hooked ? HOOKED : 0) | (hashed ? HASHED : 0) | (filtered ? FILTERED : 0));
    at = put_double(at, dt);
    if (hashed) {
        (void)put64(at, hash);
    }
    Py_ssize_t end = PyList_GET_SIZE(log->records);
    bool ok = PyList_SetSlice(log->records, end, end, log->outcomes) == 0 &&
              append(log->records, Py_NewRef(record));
    if (!ok) { // the outcomes of a hook are nothing without their step
        (void)PyList_SetSlice(log->records, end, PY_SSIZE_T_MAX, NULL);
    }
    Py_DECREF(record);
    return ok;
}

void core_log_step(WorldObject *world, double dt, bool hooked) {
    if (!is_logged(world)) {
        return;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (!add_step(world, dt, hooked) || !core_log_keep(world)) {
        lose(world);
    }
    PyErr_Restore(type, value, traceback);
}

// ------------------------------------------------------------------------------------------------
// what pyphys2d/_calls.py stands on

const char core_world__set_log_doc[] =
    "_set_log($self, log, lock, records, every, /)\n--\n\n"
    "Begin a call log (None: end it): log._begin and log._before_step are called, under the lock,\n"
    "before each call and step, and what happened is appended to the list of records; every:\n"
    "steps between hashes.";

PyObject *core_world__set_log(PyObject *object, PyObject *args) {
    WorldObject *self = (WorldObject *)object;
    PyObject *log, *lock, *records;
    long long every;
    if (!PyArg_ParseTuple(args, "OOOL", &log, &lock, &records, &every)) {
        return NULL;
    }
    if (log == Py_None) {
        core_log_drop(self);
        Py_RETURN_NONE;
    }
    if (is_logged(self)) {
        PyErr_SetString(PyExc_ValueError, "the world has a call log already; close it first");
        return NULL;
    }
    if (!PyList_Check(records) || every < 1) {
        PyErr_SetString(PyExc_TypeError, "records: must be a list; every: must be >= 1");
        return NULL;
    }
    PyObject *outcomes = PyList_New(0);
    if (outcomes == NULL || (self->pair_filter != NULL && !core_enter(self))) {
        Py_XDECREF(outcomes);
        return NULL;
    }
    if (self->pair_filter != NULL) { // so that all that it says from here on is in the log
        ph_world_forget_pairs(self->world);
        core_leave(self);
    }
    self->log = (CoreCallLog){.object = Py_NewRef(log),
                              .lock = Py_NewRef(lock),
                              .records = Py_NewRef(records),
                              .outcomes = outcomes,
                              .forks = core_gate_forks(),
                              .every = (uint64_t)every};
    Py_RETURN_NONE;
}

const char core_world__has_log_doc[] =
    "_has_log($self, /)\n--\n\nWhether a call log is being kept.";

PyObject *core_world__has_log(PyObject *self, PyObject *Py_UNUSED(ignored)) {
    return PyBool_FromLong(is_logged((WorldObject *)self));
}

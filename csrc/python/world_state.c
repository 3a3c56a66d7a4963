// A world as a value: its state as bytes, and copies. What is more than the engine's state (names,
// user data, pickling) is in pyphys2d/_snapshot.py, which is imported when it is first needed; here
// is what calls it, and what it stands on.
#include <string.h>

#include "python/convert.h"
#include "python/ring_arguments.h"
#include "python/world_methods.h"
#include "world/recording.h"

// ------------------------------------------------------------------------------------------------
// what pyphys2d/_snapshot.py stands on

// Of names, then of user data.
enum { TABLES = 1 + CORE_DATA_KINDS };

static PyObject **table_of(WorldObject *self, int which) {
    return which == 0 ? &self->names : &self->user_data[which - 1];
}

// New copies of all; false with an exception, and none.
static bool copy_tables(WorldObject *self, PyObject *tables[TABLES]) {
    for (int i = 0; i < TABLES; ++i) {
        PyObject *table = *table_of(self, i);
        tables[i] = table != NULL ? PyDict_Copy(table) : PyDict_New();
        if (tables[i] == NULL) {
            while (i > 0) {
                Py_DECREF(tables[--i]);
            }
            return false;
        }
    }
    return true;
}

// Bytes that are made for a state, with the head of a snapshot before it: one of a world without
// names and user data is complete with these, and no copy is made of it.
enum { SIZE_AT = 16 }; // of a head: the size of the state, 64 bits

typedef struct StateBytes {
    PyObject *bytes;
    Py_buffer head; // of no or more than SIZE_AT + 8 bytes
} StateBytes;

static uint8_t *room_for_state(void *context, size_t size) {
    StateBytes *made = context;
    const size_t head = (size_t)made->head.len;
    if (size > (size_t)PY_SSIZE_T_MAX - head) {
        return NULL;
    }
    made->bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(head + size));
    if (made->bytes == NULL) {
        PyErr_Clear(); // the engine says it
        return NULL;
    }
    uint8_t *all = (uint8_t *)PyBytes_AS_STRING(made->bytes);
    if (head > 0) {
        uint64_t number = size;
        memcpy(all, made->head.buf, head);
        memcpy(all + SIZE_AT, &number, sizeof number);
    }
    return all + head;
}

const char core_world__state_doc[] = "_state($self, head=b'', /)\n--\n\n"
                                     "The engine's state as bytes, and the tables of names and "
                                     "of user data of bodies, colliders and joints\n"
                                     "by id. A head comes before "
                                     "the state; the state's size is written in it, at byte 16.";

PyObject *core_world__state(PyObject *object, PyObject *args) {
    WorldObject *self = (WorldObject *)object;
    StateBytes made = {NULL, {.buf = NULL}};
    if (!PyArg_ParseTuple(args, "|y*", &made.head)) {
        return NULL;
    }
    bool fits = made.head.len == 0 || made.head.len >= SIZE_AT + 8;
    if (!fits) {
        PyErr_Format(PyExc_ValueError, "head: must have %d bytes or more", SIZE_AT + 8);
    }
    if (!fits || !core_enter_to_change(self)) {
        PyBuffer_Release(&made.head);
        return NULL;
    }
    PhError error = {.status = PH_OK};
    core_world_sync(self);
    PhStatus status = ph_world_snapshot(self->world, room_for_state, &made, &error);
    core_leave(self);
    PyBuffer_Release(&made.head);
    PyObject *data = made.bytes;
    if (status != PH_OK) {
        Py_XDECREF(data);
        return core_raise(self->core, &error);
    }
    PyObject *tables[TABLES];
    if (!copy_tables(self, tables)) {
        Py_DECREF(data);
        return NULL;
    }
    return Py_BuildValue("NNNNN", data, tables[0], tables[1], tables[2], tables[3]);
}

// Raises what a snapshot that was refused has reported.
static void raise_refusal(const CoreState *core, const PhError *error) {
    if (error->status == PH_ERROR_VALUE) {
        PyErr_SetString(core_error(core, ERROR_SNAPSHOT), error->message);
    } else {
        core_raise(core, error);
    }
}

// The engine's world of a buffer. NULL with an exception.
static PhWorld *read_state(const CoreState *core, const Py_buffer *buffer, int32_t workers) {
    PhError error = {.status = PH_OK};
    PhWorld *world = ph_world_from_snapshot(buffer->buf, (size_t)buffer->len, workers, &error);
    if (world == NULL) {
        raise_refusal(core, &error);
    } else if (core->simd != NULL) {
        (void)ph_world_set_simd(world, core->simd);
    }
    return world;
}

static void replace_table(PyObject **table, PyObject *with) {
    PyObject *old = *table;
    *table = Py_NewRef(with);
    Py_XDECREF(old);
}

// All of the engine.
static bool become(WorldObject *self, PyObject *state) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(state, &buffer, PyBUF_SIMPLE) < 0) {
        return false;
    }
    if (!core_enter_to_step(self)) {
        PyBuffer_Release(&buffer);
        return false;
    }
    PhError error = {.status = PH_OK};
    PhStatus status = ph_world_restore(self->world, buffer.buf, (size_t)buffer.len, &error);
    if (status == PH_OK) {
        self->changes += 1;
        core_world_sync(self);
    }
    core_leave(self);
    PyBuffer_Release(&buffer);
    if (status != PH_OK) {
        raise_refusal(self->core, &error);
    }
    return status == PH_OK;
}

const char core_world__set_state_doc[] =
    "_set_state($self, state, names, user_data, collider_data={}, joint_data={}, /)\n--\n\n"
    "Take over what _state gave; all or nothing. The tables become the world's own.";

PyObject *core_world__set_state(PyObject *object, PyObject *args) {
    WorldObject *self = (WorldObject *)object;
    PyObject *state, *tables[TABLES] = {NULL};
    if (!PyArg_ParseTuple(args, "OO!O!|O!O!", &state, &PyDict_Type, &tables[0], &PyDict_Type,
                          &tables[1], &PyDict_Type, &tables[2], &PyDict_Type, &tables[3])) {
        return NULL;
    }
    PyObject *made[TABLES] = {NULL}; // where none was given
    bool ok = true;
    for (int i = 0; i < TABLES && ok; ++i) {
        made[i] = tables[i] != NULL ? Py_NewRef(tables[i]) : PyDict_New();
        ok = made[i] != NULL;
    }
    ok = ok && become(self, state);
    for (int i = 0; i < TABLES; ++i) {
        if (ok) {
            replace_table(table_of(self, i), made[i]);
        }
        Py_XDECREF(made[i]);
    }
    if (!ok) {
        return NULL;
    }
    Py_RETURN_NONE;
}

const char core_world__from_state_doc[] =
    "_from_state($type, state, names, workers=0, floor=0, /)\n--\n\n"
    "A new world of what _state gave; workers 0: as many as it had; floor: _floor of it.";

PyObject *core_world__from_state(PyObject *type, PyObject *args) {
    PyObject *state, *names;
    int workers = 0;
    unsigned int floor = 0;
    CoreState *core = core_state_of((PyTypeObject *)type);
    if (core == NULL ||
        !PyArg_ParseTuple(args, "OO!|iI", &state, &PyDict_Type, &names, &workers, &floor)) {
        return NULL;
    }
    Py_buffer buffer;
    if (PyObject_GetBuffer(state, &buffer, PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    PhWorld *world = read_state(core, &buffer, workers);
    PyBuffer_Release(&buffer);
    if (world != NULL) {
        ph_world_set_generation_floor(world, floor);
    }
    PyObject *self = world != NULL ? core_world_wrap((PyTypeObject *)type, core, world) : NULL;
    if (self != NULL) {
        replace_table(&((WorldObject *)self)->names, names);
    }
    return self;
}

const char core_world__floor_doc[] =
    "_floor($self, /)\n--\n\nWhat the ids of later objects depend on beside _state.";

PyObject *core_world__floor(PyObject *object, PyObject *Py_UNUSED(ignored)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter(self)) {
        return NULL;
    }
    uint32_t floor = ph_world_generation_floor(self->world);
    core_leave(self);
    return PyLong_FromUnsignedLong(floor);
}

const char core_world__clone_doc[] =
    "_clone($self, /)\n--\n\nA copy with the same names, user data and hooks left out.";

PyObject *core_world__clone(PyObject *object, PyObject *Py_UNUSED(ignored)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter(self)) {
        return NULL;
    }
    PhError error = {.status = PH_OK};
    core_world_sync(self);
    CoreLongWork work;
    const PhStop *stop = core_begin_work(&work, true);
    PhWorld *clone = ph_world_clone(self->world, stop, &error);
    core_end_work(&work);
    core_leave(self);
    if (clone == NULL) {
        return PyErr_Occurred() ? NULL : core_raise(self->core, &error);
    }
    ph_world_set_pre_solve(clone, (PhPreSolve){NULL, NULL});
    if (self->pair_filter != NULL) {
        ph_world_forget_pairs(clone);
    }
    ph_world_set_watched(clone, true); // it holds what was written to the world until now
    PyObject *tables[TABLES];
    if (!copy_tables(self, tables)) {
        ph_world_destroy(clone);
        return NULL;
    }
    PyObject *copy = core_world_wrap(Py_TYPE(object), self->core, clone);
    for (int i = 0; i < TABLES; ++i) {
        if (copy != NULL) {
            replace_table(table_of((WorldObject *)copy, i), tables[i]);
        }
        Py_DECREF(tables[i]);
    }
    return copy;
}

// ------------------------------------------------------------------------------------------------
// calls of pyphys2d/_snapshot.py

// name(self, *args, **keywords) of the module.
static PyObject *forward(const char *name, PyObject *self, PyObject *args, PyObject *keywords) {
    PyObject *module = PyImport_ImportModule("pyphys2d._snapshot");
    PyObject *function = module != NULL ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *first = function != NULL ? PyTuple_Pack(1, self) : NULL;
    PyObject *all = first != NULL ? PySequence_Concat(first, args) : NULL;
    PyObject *result = all != NULL ? PyObject_Call(function, all, keywords) : NULL;
    if (result == NULL && !PyErr_Occurred()) {
        PyErr_NoMemory(); // CPython 3.11 loses an exception when it has no memory for its traceback
    }
    Py_XDECREF(all);
    Py_XDECREF(first);
    Py_XDECREF(function);
    Py_XDECREF(module);
    return result;
}

#define FORWARD_AS(name, function)                                                                 \
    PyObject *core_world_##name(PyObject *self, PyObject *args, PyObject *keywords) {              \
        return forward(function, self, args, keywords);                                            \
    }
#define FORWARD(name) FORWARD_AS(name, #name)
FORWARD(snapshot)
FORWARD(restore)
FORWARD(from_snapshot)
FORWARD(fork)
FORWARD(diff)
FORWARD(check)
FORWARD(record_calls)
FORWARD_AS(__copy__, "shallow_copy")
FORWARD_AS(__deepcopy__, "deep_copy")
FORWARD_AS(__reduce_ex__, "reduce_ex")
#undef FORWARD
#undef FORWARD_AS

const char core_world_snapshot_doc[] =
    "snapshot($self, /, *, user_data=True)\n--\n\n"
    "The state of the world as bytes.\n\n"
    "All that the next step depends on is in them, and names of bodies and user data of\n"
    "bodies, colliders and joints; not the hooks. A world that is restored has the same hash after "
    "every step, on any platform, with\n"
    "any number of workers. Events of the last step are not kept.\n\n"
    "Parameters\n----------\n"
    "user_data : bool\n    Whether user data is kept; it is pickled.\n\n"
    "Returns\n-------\n"
    "bytes\n\n"
    "Raises\n------\n"
    "TypeError\n    For user data that cannot be pickled, as that of worlds that refer to each\n"
    "    other; the message names its owner.\n"
    "ValueError\n    When a live array holds a number that a step would refuse.\n"
    "WorldLockedError\n    From inside a step of the world.\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> ball = world.add_body(Circle(0.5), position=(0, 10))\n"
    ">>> start = world.snapshot()\n"
    ">>> world.step(n=60)\n"
    ">>> world.restore(start)\n"
    ">>> ball.position.tolist()\n"
    "[0.0, 10.0]";
const char core_world_restore_doc[] =
    "restore($self, snapshot, /, *, user_data=True)\n--\n\n"
    "Go back to a snapshot, of this world or of another one.\n\n"
    "Handles stay valid when their body, collider, joint or field lives in the snapshot, by id;\n"
    "others become removed. Live arrays stay where they are. Hooks and workers are left as they\n"
    "are, and max_bodies.\n\n"
    "Parameters\n----------\n"
    "snapshot : bytes-like\n    What `snapshot` gave.\n"
    "user_data : bool\n    Whether user data is taken over. It is unpickled, which can run code:\n"
    "    say False for bytes of those you do not trust. Nothing else in a snapshot can.\n\n"
    "Raises\n------\n"
    "SnapshotError\n    For what is no snapshot, or damaged: nothing changes.\n"
    "CapacityError\n    When it has more slots than this world has room for.\n"
    "WorldLockedError\n    From inside a step of the world.";
const char core_world_from_snapshot_doc[] =
    "from_snapshot($type, snapshot, /, *, user_data=True)\n--\n\n"
    "A new world from a snapshot.\n\n"
    "Parameters\n----------\n"
    "snapshot : bytes-like\n    What `snapshot` gave.\n"
    "user_data : bool\n    As for `restore`.\n\n"
    "Returns\n-------\n"
    "World\n\n"
    "Raises\n------\n"
    "SnapshotError\n    For what is no snapshot, or damaged.\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> ball = world.add_body(Circle(0.5), name='ball')\n"
    ">>> twin = World.from_snapshot(world.snapshot())\n"
    ">>> twin.bodies[0].name, twin.hash() == world.hash()\n"
    "('ball', True)";
const char core_world_fork_doc[] =
    "fork($self, n, /)\n--\n\n"
    "Copies of the world that share its immutable shapes.\n\n"
    "Each has the same ids, events and future; what is done to one does not show in another.\n"
    "User data is the same object in all; hooks are left out.\n\n"
    "Parameters\n----------\n"
    "n : int\n    How many, >= 0.\n\n"
    "Returns\n-------\n"
    "list of World\n\n"
    "Raises\n------\n"
    "MemoryError\n    If so many worlds are more than the machine has memory for.\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> [len(copy.bodies) for copy in world.fork(2)]\n"
    "[0, 0]";
const char core_world_diff_doc[] =
    "diff($self, other, /)\n--\n\n"
    "List the differences of two worlds, as far as the future depends on them.\n\n"
    "Parameters\n----------\n"
    "other : World\n\n"
    "Returns\n-------\n"
    "Diff\n    A list of (path, a, b), first settings, then bodies, colliders, joints, fields and\n"
    "    contacts by index; it prints as a table. Empty when nothing differs.\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> ball = world.add_body(Circle(0.5))\n"
    ">>> twin, = world.fork(1)\n"
    ">>> twin.bodies[0].velocity = (1, 0)\n"
    ">>> world.diff(twin)[0]\n"
    "('bodies[0].velocity', (0.0, 0.0), (1.0, 0.0))";
const char core_world_check_doc[] =
    "check($self, /, dt=None)\n--\n\n"
    "Check the scene for common mistakes.\n\n"
    "Parameters\n----------\n"
    "dt : float, optional\n    The step that will be used, seconds, to be checked too.\n\n"
    "Returns\n-------\n"
    "list of Finding\n    Each with `kind`, `message` (what, and what helps) and `objects`.\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> for x in (0, 0.1):\n"
    "...     body = world.add_body(Circle(0.5), (x, 0))\n"
    ">>> world.check()[0].kind\n"
    "'overlap'";
const char core_world_record_calls_doc[] =
    "record_calls($self, /, path, *, flush=1.0, hash_every=1, state_every=0)\n--\n\n"
    "Write a call log: this state, and every call that changes the world from now on.\n\n"
    "`pyphys2d.replay` repeats it and finds the first step that differs. One file is a bug\n"
    "report. What hooks did is in it, and what was written to live arrays; user data is not.\n\n"
    "Parameters\n----------\n"
    "path : path\n    The file; an old one is replaced.\n"
    "flush : float\n    Seconds, >= 0: what is older than this is written before the next call. A\n"
    "    process that is killed leaves a file that is whole up to there.\n"
    "hash_every : int\n    Steps between hashes, >= 1.\n"
    "state_every : int\n    Steps between whole states, which a replay that differs is compared\n"
    "    with; 0: only the last one.\n\n"
    "Returns\n-------\n"
    "CallLog\n    With close(), flush() and error; also a context manager, which closes it.\n\n"
    "Raises\n------\n"
    "OSError\n    If the file cannot be written.\n"
    "ValueError\n    When the world has a call log already, or for a number out of range.\n"
    "WorldLockedError\n    From inside a step of the world.";
const char core_world___copy___doc[] =
    "__copy__($self, /)\n--\n\nA copy; user data is the same objects.";
const char core_world___deepcopy___doc[] =
    "__deepcopy__($self, memo, /)\n--\n\nA copy, user data copied deeply.";
const char core_world___reduce_ex___doc[] =
    "__reduce_ex__($self, protocol, /)\n--\n\nFor pickle: by snapshot.";

// ------------------------------------------------------------------------------------------------
// handles

const char core_handle_reduce_doc[] =
    "__reduce__($self, /)\n--\n\nFor pickle and copy: the world, and which of it.";

PyObject *core_handle_reduce(PyObject *object, PyObject *Py_UNUSED(ignored)) {
    HandleObject *self = (HandleObject *)object;
    PyObject *make = PyObject_GetAttrString(self->world->core->module, "_handle");
    if (make == NULL) {
        return NULL;
    }
    return Py_BuildValue("N(OOK)", make, (PyObject *)self->world, Py_TYPE(object),
                         (unsigned long long)core_id_number(self->id));
}

// The type of a handle, TYPE_COUNT for another.
static CoreType handle_type(const CoreState *core, PyObject *type) {
    static const CoreType others[] = {TYPE_BODY, TYPE_COLLIDER};
    CoreType found = TYPE_COUNT;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        found = type == (PyObject *)core->type[others[i]] ? others[i] : found;
    }
    for (int kind = 0; kind < PH_JOINT_KIND_COUNT; ++kind) {
        CoreType joint = core_joint_type((PhJointKind)kind);
        found = type == (PyObject *)core->type[joint] ? joint : found;
    }
    for (int kind = 0; kind < PH_FIELD_KIND_COUNT; ++kind) {
        CoreType field = core_field_type((PhFieldKind)kind);
        found = type == (PyObject *)core->type[field] ? field : found;
    }
    return found;
}

// A handle of one type is never one of what lives as another.
static bool is_of_type(const PhWorld *world, CoreType type, PhId id) {
    bool joint = ph_joint_valid(world, id), field = ph_field_valid(world, id);
    if (type == TYPE_BODY || type == TYPE_COLLIDER) {
        return true;
    }
    for (int kind = 0; kind < PH_FIELD_KIND_COUNT; ++kind) {
        if (type == core_field_type((PhFieldKind)kind)) {
            return !field || ph_field_get(world, id.index).kind == (PhFieldKind)kind;
        }
    }
    return !joint || core_joint_type((PhJointKind)ph_joint_get(world, id.index)->kind) == type;
}

const char core_make_handle_doc[] = "_handle($module, world, type, id, /)\n--\n\n"
                                    "The handle of what lives, or lived, in the world by that id.";

PyObject *core_make_handle(PyObject *module, PyObject *args) {
    const CoreState *core = PyModule_GetState(module);
    PyObject *object, *type;
    unsigned long long number;
    if (!PyArg_ParseTuple(args, "O!O!K", core_type(core, TYPE_WORLD), &object, &PyType_Type, &type,
                          &number)) {
        return NULL;
    }
    WorldObject *world = (WorldObject *)object;
    PhId id = {(uint32_t)number, (uint32_t)(number >> 32)};
    CoreType which = handle_type(core, type);
    if (which == TYPE_COUNT) {
        PyErr_Format(PyExc_TypeError, "type: must be that of a handle, got %s",
                     ((PyTypeObject *)type)->tp_name);
        return NULL;
    }
    if (!core_enter(world)) {
        return NULL;
    }
    bool good = is_of_type(world->world, which, id);
    core_leave(world);
    if (!good) {
        PyErr_Format(core_error(core, ERROR_REMOVED), "%s %lu is not in this world",
                     ((PyTypeObject *)type)->tp_name, (unsigned long)id.index);
        return NULL;
    }
    return core_handle(world, which, id);
}

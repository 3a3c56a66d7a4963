// _Recorder: writes frames of a world into an array, step after step, without the GIL. Its
// owner, in Python, is called between steps only when there is something to decide: an array is
// full, bodies came or went, events are about to go.
//
// Invariant: between `start` and the next change of the world, the array has the layout of the
// world, and `used` is where the next frame goes. A recorder is touched inside the gate of the one
// world whose list it is in; nothing else holds its array to write to it.
#include "python/recorder.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "python/convert.h"
#include "python/world_methods.h"
#include "world/joints.h"
#include "world/recording.h"

enum { DUE_ROOM = 1, DUE_FRAME = 2, DUE_EVENTS = 4 };

typedef struct RecorderObject {
    PyObject_HEAD PyObject *owner; // called with the world when something is due
    PyArrayObject *arena;          // float64; NULL before the first start
    PyArrayObject *layout;         // rows, ROW_LAYOUT
    PyArrayObject *rows;           // float64; of contacts and joints; NULL: no room was given yet
    PhLayoutRow *scratch;          // room for as many
    uint64_t size, used, begin;    // numbers in the arena; begin: those before the layout was taken
    uint64_t frame;                // numbers of a frame
    uint64_t rows_used;            // numbers of the rows that are written
    uint64_t changes;              // of the world, when its layout was last found to be this one
    uint64_t every, next;          // steps; next: count of steps at which a frame is due
    double period, deadline;       // seconds: after so long it is asked for room anyway; 0: never
    bool wants_contacts, wants_joints, wants_events;
    int due;
} RecorderObject;

static int recorder_traverse(PyObject *object, visitproc visit, void *arg) {
    RecorderObject *self = (RecorderObject *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->owner);
    Py_VISIT(self->arena);
    Py_VISIT(self->layout);
    Py_VISIT(self->rows);
    return 0;
}

static int recorder_clear(PyObject *object) {
    RecorderObject *self = (RecorderObject *)object;
    self->size = self->used = self->begin = self->rows_used = 0;
    Py_CLEAR(self->owner);
    Py_CLEAR(self->arena);
    Py_CLEAR(self->layout);
    Py_CLEAR(self->rows);
    return 0;
}

static void recorder_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    (void)recorder_clear(object);
    ph_free(((RecorderObject *)object)->scratch);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *recorder_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    CORE_ARGUMENTS("_Recorder", 6, 6, "owner", "every", "contacts", "joints", "events", "period");
    long long every;
    bool contacts, joints, events;
    double period;
    if (!core_bind_tuple(&signature, args, keywords, values) ||
        !core_to_integer(values[1], "every", 1, INT64_MAX, &every) ||
        !core_to_bool(values[2], "contacts", &contacts) ||
        !core_to_bool(values[3], "joints", &joints) ||
        !core_to_bool(values[4], "events", &events) ||
        !core_to_double(values[5], "period", &period)) {
        return NULL;
    }
    RecorderObject *self = (RecorderObject *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->owner = Py_NewRef(values[0]);
        self->every = (uint64_t)every;
        self->wants_contacts = contacts;
        self->wants_joints = joints;
        self->wants_events = events;
        self->period = period;
    }
    return (PyObject *)self;
}

// ------------------------------------------------------------------------------------------------
// layout

// Whether the world still has the layout that the arena is for. False without an exception when
// there is no memory to compare: then it is taken anew.
static bool same_layout(RecorderObject *self, const WorldObject *world) {
    uint32_t slots = ph_world_slot_count(world->world);
    if (self->arena == NULL || PyArray_DIM(self->layout, 0) != (npy_intp)slots) {
        return false;
    }
    if (slots == 0 || self->changes == world->changes) {
        return true;
    }
    if (PH_RESERVE(self->scratch, slots) != PH_OK) {
        return false;
    }
    ph_world_layout(world->world, self->scratch);
    if (memcmp(self->scratch, PyArray_DATA(self->layout), slots * sizeof(PhLayoutRow)) != 0) {
        return false;
    }
    self->changes = world->changes;
    return true;
}

static bool has_room(const RecorderObject *self) {
    return self->size - self->used >= self->frame;
}

static WorldObject *to_world(const CoreState *core, PyObject *object) {
    PyTypeObject *type = core_type(core, TYPE_WORLD);
    if (type != NULL && !PyObject_TypeCheck(object, type)) {
        PyErr_Format(PyExc_TypeError, "world: must be a World, got %.100s",
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    return type != NULL ? (WorldObject *)object : NULL;
}

static bool is_arena(PyObject *object) {
    bool good = PyArray_Check(object) && PyArray_TYPE((PyArrayObject *)object) == NPY_DOUBLE &&
                PyArray_NDIM((PyArrayObject *)object) == 1 &&
                PyArray_ISCARRAY((PyArrayObject *)object);
    if (!good) {
        PyErr_SetString(PyExc_TypeError, "arena: must be a contiguous array of float64");
    }
    return good;
}

PyDoc_STRVAR(start_doc,
             "start($self, world, arena, used, /)\n--\n\n"
             "From now on write into this array, from that number on, frames of the bodies that "
             "are in the\nworld now.\n\n"
             "Returns\n-------\n"
             "structured ndarray\n    A row for each slot; kind -1: no body. The one of the last "
             "time while nothing has changed.");

static PyObject *recorder_start(PyObject *object, PyObject *const *args, Py_ssize_t count) {
    RecorderObject *self = (RecorderObject *)object;
    const CoreState *core = core_state_of(Py_TYPE(object));
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "start() takes world, arena, used");
        return NULL;
    }
    WorldObject *world = core != NULL ? to_world(core, args[0]) : NULL;
    long long used;
    if (world == NULL) {
        return NULL;
    }
    if (!is_arena(args[1])) {
        return NULL;
    }
    PyArrayObject *arena = (PyArrayObject *)args[1];
    if (!core_to_integer(args[2], "used", 0, PyArray_DIM(arena, 0), &used) || !core_enter(world)) {
        return NULL;
    }
    uint32_t slots = ph_world_slot_count(world->world);
    const bool same = same_layout(self, world);
    PyArrayObject *layout = same ? (PyArrayObject *)Py_NewRef((PyObject *)self->layout)
                                 : (PyArrayObject *)core_rows(core, ROW_LAYOUT, NULL, slots);
    if (layout == NULL) {
        core_leave(world);
        return NULL;
    }
    if (!same) {
        ph_world_layout(world->world, PyArray_DATA(layout));
    }
    self->frame = ph_frame_size(slots);
    self->size = (uint64_t)PyArray_DIM(arena, 0);
    self->used = self->begin = (uint64_t)used;
    self->changes = world->changes;
    self->deadline = self->period > 0 ? ph_clock() + self->period : 0;
    PyArrayObject *old[] = {self->arena, self->layout};
    self->arena = (PyArrayObject *)Py_NewRef((PyObject *)arena);
    self->layout = (PyArrayObject *)Py_NewRef((PyObject *)layout);
    core_leave(world);
    Py_XDECREF(old[0]);
    Py_XDECREF(old[1]);
    return (PyObject *)layout;
}

// ------------------------------------------------------------------------------------------------
// frames

static void write_frame(RecorderObject *self, const WorldObject *world) {
    ph_world_frame(world->world, (double *)PyArray_DATA(self->arena) + self->used);
    self->used += self->frame;
    self->next = ph_world_step_count(world->world) + self->every;
}

PyDoc_STRVAR(take_doc, "take($self, world, /)\n--\n\n"
                       "Write a frame of the world as it is. False when there is no room, or other "
                       "bodies than at\nstart.");

static PyObject *recorder_take(PyObject *object, PyObject *arg) {
    RecorderObject *self = (RecorderObject *)object;
    const CoreState *core = core_state_of(Py_TYPE(object));
    WorldObject *world = core != NULL ? to_world(core, arg) : NULL;
    if (world == NULL || !core_enter(world)) {
        return NULL;
    }
    bool ok = same_layout(self, world) && has_room(self);
    if (ok) {
        write_frame(self, world);
    }
    core_leave(world);
    return PyBool_FromLong(ok);
}

static RecorderObject *recorder_at(const WorldObject *world, Py_ssize_t i) { // borrowed
    bool there = world->recorders != NULL && i < PyList_GET_SIZE(world->recorders);
    return there ? (RecorderObject *)PyList_GET_ITEM(world->recorders, i) : NULL;
}

// The list may be another one afterwards.
static bool call_owner(WorldObject *world, RecorderObject *recorder, int due) {
    PyObject *owner = Py_XNewRef(recorder->owner);
    Py_INCREF(recorder);
    recorder->due = due;
    bool ok = owner == NULL || core_call_hook(world, owner);
    recorder->due = 0;
    Py_DECREF(recorder);
    Py_XDECREF(owner);
    return ok;
}

static bool any_events(const PhWorld *world) {
    PhEvents e = ph_world_events(world);
    return e.begin_count || e.end_count || e.sensor_begin_count || e.sensor_end_count ||
           e.hit_count || e.sleep_count || e.wake_count || e.joint_break_count;
}

bool core_recorders_before(WorldObject *self, bool events) {
    RecorderObject *recorder;
    for (Py_ssize_t i = 0; (recorder = recorder_at(self, i)) != NULL; ++i) {
        uint64_t count = ph_world_step_count(self->world);
        if (recorder->next > count + recorder->every) { // the world was put back
            recorder->next = count + recorder->every;
        }
        bool late = recorder->period > 0 && ph_clock() > recorder->deadline;
        bool room = !late && same_layout(recorder, self) && has_room(recorder);
        // A frame may be left from a step after which a signal came.
        int due = recorder->due | (room ? 0 : DUE_ROOM) |
                  (events && recorder->wants_events && any_events(self->world) ? DUE_EVENTS : 0);
        if (due && !call_owner(self, recorder, due)) {
            return false;
        }
    }
    for (Py_ssize_t i = 0; (recorder = recorder_at(self, i)) != NULL; ++i) {
        if (!same_layout(recorder, self) || !has_room(recorder)) {
            PyErr_SetString(PyExc_RuntimeError, "a recorder has no room for the next step");
            return false;
        }
    }
    return true;
}

// Contacts and joints lie one table behind the other, each behind a head.
typedef struct TableHead {
    int64_t kind, used, rows; // kind: TABLE_*; used: of the arena of frames, behind the frame
} TableHead;
enum { TABLE_CONTACTS, TABLE_JOINTS };
_Static_assert(sizeof(PhContactPoint) % sizeof(double) == 0 &&
                   sizeof(CoreJointRow) % sizeof(double) == 0 &&
                   sizeof(TableHead) % sizeof(double) == 0,
               "tables are of whole numbers");

// Room for so many rows behind a head; NULL: there is none.
static char *table_room(const RecorderObject *self, uint64_t rows, size_t size) {
    const uint64_t all = self->rows != NULL ? (uint64_t)PyArray_DIM(self->rows, 0) : 0;
    const uint64_t left = (all - self->rows_used) * sizeof(double);
    if (left < sizeof(TableHead) || rows > (left - sizeof(TableHead)) / size) {
        return NULL;
    }
    return (char *)((double *)PyArray_DATA(self->rows) + self->rows_used);
}

static void end_table(RecorderObject *self, char *at, int64_t kind, uint64_t rows, size_t size) {
    const TableHead head = {kind, (int64_t)self->used, (int64_t)rows};
    memcpy(at, &head, sizeof head);
    self->rows_used += (sizeof head + rows * size) / sizeof(double);
}

// Behind write_frame: what is wanted beside the frame. False when there is no room: then nothing
// of it is kept.
static bool write_tables(RecorderObject *self, PhWorld *world) {
    const uint64_t before = self->rows_used;
    bool ok = true;
    if (self->wants_contacts) {
        const size_t size = sizeof(PhContactPoint);
        char *at = table_room(self, ph_world_contact_limit(world, PH_NULL), size);
        ok = at != NULL;
        if (ok) {
            void *rows = at + sizeof(TableHead);
            end_table(self, at, TABLE_CONTACTS, ph_world_contacts(world, PH_NULL, rows), size);
        }
    }
    const uint64_t joints = self->wants_joints ? ph_joint_count(world) : 0;
    if (ok && joints > 0) {
        char *at = table_room(self, joints, sizeof(CoreJointRow));
        ok = at != NULL;
        if (ok) {
            void *rows = at + sizeof(TableHead);
            core_joint_rows(world, rows);
            end_table(self, at, TABLE_JOINTS, joints, sizeof(CoreJointRow));
        }
    }
    self->rows_used = ok ? self->rows_used : before;
    return ok;
}

PyDoc_STRVAR(keep_doc, "keep($self, world, arena, used, /)\n--\n\n"
                       "From now on write contacts and joints into this array, from that number "
                       "on. Each table has\nthree 64-bit integers before it: 0 for contacts or 1 "
                       "for joints, `used` behind its frame, rows.");

static PyObject *recorder_keep(PyObject *object, PyObject *const *args, Py_ssize_t count) {
    RecorderObject *self = (RecorderObject *)object;
    const CoreState *core = core_state_of(Py_TYPE(object));
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "keep() takes world, arena, used");
        return NULL;
    }
    WorldObject *world = core != NULL ? to_world(core, args[0]) : NULL;
    long long used;
    if (world == NULL || !is_arena(args[1]) ||
        !core_to_integer(args[2], "used", 0, PyArray_DIM((PyArrayObject *)args[1], 0), &used) ||
        !core_enter(world)) {
        return NULL;
    }
    PyArrayObject *old = self->rows;
    self->rows = (PyArrayObject *)Py_NewRef(args[1]);
    self->rows_used = (uint64_t)used;
    core_leave(world);
    Py_XDECREF(old);
    Py_RETURN_NONE;
}

bool core_recorders_take(const WorldObject *self) {
    RecorderObject *recorder;
    bool go_on = true;
    for (Py_ssize_t i = 0; (recorder = recorder_at(self, i)) != NULL; ++i) {
        if (ph_world_step_count(self->world) < recorder->next) {
            continue;
        }
        write_frame(recorder, self);
        recorder->due = write_tables(recorder, self->world) ? 0 : DUE_FRAME;
        go_on = go_on && !recorder->due && has_room(recorder);
    }
    return go_on;
}

bool core_recorders_after(WorldObject *self) {
    RecorderObject *recorder;
    for (Py_ssize_t i = 0; (recorder = recorder_at(self, i)) != NULL; ++i) {
        if (recorder->due && !call_owner(self, recorder, recorder->due)) {
            return false;
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------------------
// the list of a world

PyDoc_STRVAR(attach_doc,
             "attach($self, world, /)\n--\n\n"
             "Write a frame after each `every` steps of the world from now on, until detach.");

static PyObject *recorder_attach(PyObject *object, PyObject *arg) {
    RecorderObject *self = (RecorderObject *)object;
    const CoreState *core = core_state_of(Py_TYPE(object));
    WorldObject *world = core != NULL ? to_world(core, arg) : NULL;
    PyObject *list = PyList_New(0);
    if (list == NULL || world == NULL || !core_enter(world)) {
        Py_XDECREF(list);
        return NULL;
    }
    if (world->recorders == NULL) {
        world->recorders = Py_NewRef(list);
    }
    self->next = ph_world_step_count(world->world) + self->every;
    bool ok = PyList_Append(world->recorders, object) == 0;
    core_leave(world);
    Py_DECREF(list);
    return ok ? Py_NewRef(Py_None) : NULL;
}

PyDoc_STRVAR(detach_doc, "detach($self, world, /)\n--\n\n"
                         "Nothing more is written.");

static PyObject *recorder_detach(PyObject *object, PyObject *arg) {
    const CoreState *core = core_state_of(Py_TYPE(object));
    WorldObject *world = core != NULL ? to_world(core, arg) : NULL;
    if (world == NULL || !core_enter(world)) {
        return NULL;
    }
    Py_ssize_t size = world->recorders != NULL ? PyList_GET_SIZE(world->recorders) : 0;
    int ok = 0;
    for (Py_ssize_t i = 0; i < size; ++i) {
        if (PyList_GET_ITEM(world->recorders, i) == object) { // the caller holds it too
            ok = PyList_SetSlice(world->recorders, i, i + 1, NULL);
            break;
        }
    }
    core_leave(world);
    return ok == 0 ? Py_NewRef(Py_None) : NULL;
}

// ------------------------------------------------------------------------------------------------
// World.record

const char core_world_record_doc[] =
    "record($self, every=1, contacts=False, events=False, *, joints=True, path=None, flush=1.0,\n"
    "       name='')\n--\n\n"
    "Record what steps do: `with world.record() as trajectory`.\n\n"
    "Inside of the block each step adds what came of it to the Trajectory, in whatever call it is\n"
    "made. The first frame is the state at the start of the block, the last one that at its "
    "end.\n\n"
    "Parameters\n----------\n"
    "every : int\n    Steps per frame.\n"
    "contacts : bool\n    Keep the contact points of each frame, and how deep the deepest is.\n"
    "events : bool\n    Keep the events of all steps, those between frames too.\n"
    "joints : bool\n    Keep forces, torques and coordinates of the joints of each frame.\n"
    "path : path, optional\n"
    "    A file to write blocks of frames to, instead of memory. A run that is killed leaves in "
    "it\n"
    "    what was written until then; Trajectory.load reads it.\n"
    "flush : float\n    Seconds after which frames are written at the latest; 0: in whole blocks.\n"
    "name : str\n    Of the trajectory.\n\n"
    "Returns\n-------\n"
    "Recording\n    A context manager that gives the Trajectory.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a number out of range.\n"
    "OSError\n    If the file cannot be written; also from a step, which is then not made.\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> ball = world.add_body(Circle(0.5), (0, 5))\n"
    ">>> with world.record(every=2) as trajectory:\n"
    "...     world.step(n=10)\n"
    ">>> trajectory.positions.shape\n"
    "(6, 1, 2)";

PyObject *core_world_record(PyObject *self, PyObject *const *args, Py_ssize_t count,
                            PyObject *keywords) {
    PyObject *module = PyImport_ImportModule("pyphys2d._recording");
    PyObject *function = module != NULL ? PyObject_GetAttrString(module, "record") : NULL;
    Py_ssize_t total = count + (keywords != NULL ? PyTuple_GET_SIZE(keywords) : 0);
    PyObject **all = function != NULL ? PyMem_Calloc((size_t)total + 1, sizeof *all) : NULL;
    PyObject *result = NULL;
    if (all != NULL) {
        all[0] = self;
        for (Py_ssize_t i = 0; i < total; ++i) {
            all[i + 1] = args[i];
        }
        result = PyObject_Vectorcall(function, all, (size_t)count + 1, keywords);
    } else if (function != NULL) {
        PyErr_NoMemory();
    }
    PyMem_Free(all);
    Py_XDECREF(function);
    Py_XDECREF(module);
    return result;
}

// ------------------------------------------------------------------------------------------------
// type

static PyObject *get_used(PyObject *object, void *Py_UNUSED(closure)) {
    return PyLong_FromUnsignedLongLong(((RecorderObject *)object)->used);
}

static PyObject *get_rows_used(PyObject *object, void *Py_UNUSED(closure)) {
    return PyLong_FromUnsignedLongLong(((RecorderObject *)object)->rows_used);
}

static PyObject *get_frames(PyObject *object, void *Py_UNUSED(closure)) {
    RecorderObject *self = (RecorderObject *)object;
    return PyLong_FromUnsignedLongLong(self->frame ? (self->used - self->begin) / self->frame : 0);
}

static PyObject *get_frame_size(PyObject *object, void *Py_UNUSED(closure)) {
    return PyLong_FromUnsignedLongLong(((RecorderObject *)object)->frame);
}

static PyObject *get_due(PyObject *object, void *Py_UNUSED(closure)) {
    return PyLong_FromLong(((RecorderObject *)object)->due);
}

static PyMethodDef methods[] = {
    {"start", CORE_FAST(recorder_start), METH_FASTCALL, start_doc},
    {"take", recorder_take, METH_O, take_doc},
    {"keep", CORE_FAST(recorder_keep), METH_FASTCALL, keep_doc},
    {"attach", recorder_attach, METH_O, attach_doc},
    {"detach", recorder_detach, METH_O, detach_doc},
    {0},
};

static PyGetSetDef attributes[] = {
    {"used", get_used, NULL, "Numbers of the array that are written.", NULL},
    {"frames", get_frames, NULL, "Frames written since start.", NULL},
    {"frame_size", get_frame_size, NULL, "Numbers of a frame.", NULL},
    {"due", get_due, NULL,
     "Why the owner is called: 1 room for frames, 2 a frame without its contacts and joints, as "
     "there\nwas no room for them, 4 events.",
     NULL},
    {"rows_used", get_rows_used, NULL, "Numbers of the array of `keep` that are written.", NULL},
    {0},
};

PyDoc_STRVAR(recorder_doc,
             "_Recorder(owner, every, contacts, joints, events, period)\n--\n\n"
             "Writes frames of a world. owner(world) is called between steps when room is needed, "
             "and when\nevents are about to go.");

static PyType_Slot slots[] = {
    {Py_tp_new, recorder_new},
    {Py_tp_dealloc, recorder_dealloc},
    {Py_tp_traverse, recorder_traverse},
    {Py_tp_clear, recorder_clear},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_tp_doc, (void *)recorder_doc},
    {0, NULL},
};

PyType_Spec core_recorder_spec = {
    .name = "pyphys2d._core._Recorder",
    .basicsize = sizeof(RecorderObject),
    .flags = CORE_FLAGS,
    .slots = slots,
};

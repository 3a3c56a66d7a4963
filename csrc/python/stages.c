// Stages: a step in slow motion. The whole step is made at once on a copy of the world, with a
// trace; the stages are handed out one by one, and then the world takes over the state of the copy.
//
// Invariants: while clone is not NULL the world is locked: world->stages is this object, every call
// that would change the world is refused, and its state is that before the step. Both go together:
// by the last call of next, by close, or when this object dies. While `running`, a call of next is
// making objects, which may run Python code: the trace stays where it is.
#include <string.h>

#include "python/call_log.h"
#include "python/convert.h"
#include "python/recorder.h"
#include "python/ring_arguments.h"
#include "python/world_methods.h"
#include "world/step_trace.h"

typedef struct StagesObject {
    PyObject_HEAD WorldObject *world;
    PhWorld *clone; // after the step; NULL when finished or closed
    PhStepTrace trace;
    uint32_t next, count; // stages
    bool running, finished;
    double dt;
    bool hooked; // by on_pre_solve
} StagesObject;

enum { STAGE_BOUNDS, STAGE_PAIRS, STAGE_MANIFOLDS, STAGE_CONSTRAINTS, STAGE_FIRST_FRAME };

static void unlock(StagesObject *self) {
    PhWorld *clone = self->clone;
    PhStepTrace trace = self->trace;
    self->clone = NULL;
    self->trace = (PhStepTrace){0};
    if (self->world != NULL && self->world->stages == (PyObject *)self) {
        self->world->stages = NULL;
    }
    ph_world_destroy(clone);
    ph_step_trace_free(&trace);
}

// No tp_clear: the world breaks every cycle by clearing its tables.
static void stages_dealloc(PyObject *object) {
    StagesObject *self = (StagesObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    unlock(self);
    Py_XDECREF(self->world);
    type->tp_free(object);
    Py_DECREF(type);
}

static int stages_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((StagesObject *)object)->world);
    return 0;
}

// ------------------------------------------------------------------------------------------------
// one stage

// Puts array, which may be NULL with an exception set, into arrays, likewise. The reference is
// taken over.
static void put(PyObject **arrays, const char *name, PyObject *array) {
    if (*arrays != NULL && (array == NULL || PyDict_SetItemString(*arrays, name, array) < 0)) {
        Py_CLEAR(*arrays);
    }
    Py_XDECREF(array);
}

// A new array (rows, ...) with a copy of the data.
static PyObject *copy(const void *data, int type, npy_intp rows, int dimensions) {
    npy_intp dims[3] = {rows, 2, 2};
    PyObject *array = PyArray_SimpleNew(dimensions, dims, type);
    if (array != NULL && PyArray_NBYTES((PyArrayObject *)array) > 0) {
        memcpy(PyArray_DATA((PyArrayObject *)array), data,
               (size_t)PyArray_NBYTES((PyArrayObject *)array));
    }
    return array;
}

static void put_bounds(const PhStepTrace *trace, PyObject **arrays) {
    npy_intp count = trace->proxy_count;
    put(arrays, "aabbs", copy(trace->box, NPY_DOUBLE, count, 3));
    put(arrays, "fat_aabbs", copy(trace->predicted, NPY_DOUBLE, count, 3));
    put(arrays, "body", copy(trace->body, NPY_INT32, count, 1));
    put(arrays, "collider", copy(trace->collider, NPY_INT32, count, 1));
    put(arrays, "piece", copy(trace->piece, NPY_INT32, count, 1));
}

static void put_frame(const PhStepTrace *trace, uint32_t number, bool impulses, PyObject **arrays) {
    PhSolveFrame frame = ph_solve_frame(&trace->solve, number);
    npy_intp points = trace->solve.point_count, slots = trace->solve.slot_count;
    if (impulses) {
        put(arrays, "normal_impulses", copy(frame.normal_impulse, NPY_DOUBLE, points, 1));
        put(arrays, "tangent_impulses", copy(frame.tangent_impulse, NPY_DOUBLE, points, 1));
    }
    put(arrays, "positions", copy(frame.position, NPY_DOUBLE, slots, 2));
    put(arrays, "angles", copy(frame.angle, NPY_DOUBLE, slots, 1));
    put(arrays, "velocities", copy(frame.velocity, NPY_DOUBLE, slots, 2));
    put(arrays, "angular_velocities", copy(frame.angular_velocity, NPY_DOUBLE, slots, 1));
}

static void put_events(const CoreState *core, const PhWorld *world, PyObject **arrays) {
    PhEvents events = ph_world_events(world);
    put(arrays, "contact_begin",
        core_rows(core, ROW_TOUCH_EVENT, events.begin, events.begin_count));
    put(arrays, "contact_end", core_rows(core, ROW_TOUCH_EVENT, events.end, events.end_count));
    put(arrays, "contact_hit", core_rows(core, ROW_HIT_EVENT, events.hit, events.hit_count));
    put(arrays, "sensor_begin",
        core_rows(core, ROW_SENSOR_EVENT, events.sensor_begin, events.sensor_begin_count));
    put(arrays, "sensor_end",
        core_rows(core, ROW_SENSOR_EVENT, events.sensor_end, events.sensor_end_count));
    put(arrays, "joint_break",
        core_rows(core, ROW_JOINT_EVENT, events.joint_break, events.joint_break_count));
    put(arrays, "sleep", core_rows(core, ROW_BODY_EVENT, events.sleep, events.sleep_count));
    put(arrays, "wake", core_rows(core, ROW_BODY_EVENT, events.wake, events.wake_count));
    put(arrays, "body_move", core_body_moves(core, world));
}

static PyObject *make_stage(StagesObject *self, uint32_t number) {
    const CoreState *core = self->world->core;
    const PhStepTrace *trace = &self->trace;
    PyObject *arrays = PyDict_New();
    const char *name = "events";
    Py_ssize_t index = -1;
    uint32_t points = trace->solve.point_count;
    if (number == STAGE_BOUNDS) {
        name = "bounds";
        put_bounds(trace, &arrays);
    } else if (number == STAGE_PAIRS) {
        name = "pairs";
        put(&arrays, "pairs", core_rows(core, ROW_PAIR, trace->pair, trace->pair_count));
    } else if (number == STAGE_MANIFOLDS) {
        name = "manifolds";
        put(&arrays, "contacts", core_rows(core, ROW_MANIFOLD_POINT, trace->manifold, points));
    } else if (number == STAGE_CONSTRAINTS) {
        name = "constraints";
        put(&arrays, "constraints",
            core_rows(core, ROW_CONSTRAINT, trace->solve.constraint, points));
    } else if (number == self->count - 3) {
        PhSolveFrame frame = ph_solve_frame(&trace->solve, trace->solve.frame_count - 1);
        npy_intp slots = trace->solve.slot_count;
        name = "continuous";
        put(&arrays, "fast", core_rows(core, ROW_FAST, trace->fast, trace->fast_count));
        put(&arrays, "positions", copy(frame.position, NPY_DOUBLE, slots, 2));
        put(&arrays, "angles", copy(frame.angle, NPY_DOUBLE, slots, 1));
    } else if (number < self->count - 1) {
        bool poses = number == self->count - 2;
        uint32_t frame = poses ? trace->solve.frame_count - 1 : number - STAGE_FIRST_FRAME;
        bool passes = frame < trace->substeps + trace->iterations;
        name = poses               ? "poses"
               : !passes           ? "restitution"
               : trace->iterations ? "iteration"
                                   : "substep";
        index = passes ? (Py_ssize_t)frame : -1;
        put_frame(trace, frame, !poses, &arrays);
    } else {
        put_events(core, self->clone, &arrays);
    }
    return core_stage(core, name, index, arrays);
}

// ------------------------------------------------------------------------------------------------
// iteration

// The world becomes what the copy is.
static bool adopt(StagesObject *self) {
    WorldObject *world = self->world;
    if (!core_enter(world)) {
        return false;
    }
    if (!core_recorders_before(world, true)) {
        core_leave(world);
        return false;
    }
    ph_world_adopt(world->world, self->clone);
    self->clone = NULL;
    self->finished = true;
    core_log_step(world, self->dt, self->hooked);
    bool ok = core_recorders_take(world) || core_recorders_after(world);
    CoreLeavers leavers = {0};
    core_leavers_find_broken(world, &leavers);
    core_leave(world);
    unlock(self);
    core_leavers_go(world, &leavers);
    return ok;
}

static bool adopt_as_step(StagesObject *self) {
    CoreLogged call;
    if (!core_log_begin(self->world, &call, (PyObject *)self->world, "step", NULL, 0, NULL)) {
        return false;
    }
    PyObject *result = adopt(self) ? Py_NewRef(Py_None) : NULL;
    result = core_log_end(self->world, &call, result);
    Py_XDECREF(result);
    return result != NULL;
}

static bool refuse_running(const StagesObject *self) {
    if (self->running) {
        PyErr_SetString(PyExc_ValueError, "stages: a stage is being made already");
    }
    return self->running;
}

static PyObject *stages_next(PyObject *object) {
    StagesObject *self = (StagesObject *)object;
    if (refuse_running(self) || self->clone == NULL) {
        return NULL;
    }
    PyObject *stage = NULL;
    self->running = true;
    if (self->next == self->count) {
        (void)adopt_as_step(self);
    } else {
        stage = make_stage(self, self->next);
        self->next += stage != NULL;
    }
    self->running = false;
    return stage;
}

static PyObject *stages_close(PyObject *object, PyObject *Py_UNUSED(ignored)) {
    StagesObject *self = (StagesObject *)object;
    if (refuse_running(self)) {
        return NULL;
    }
    unlock(self);
    Py_RETURN_NONE;
}

static PyObject *stages_enter(PyObject *object, PyObject *Py_UNUSED(ignored)) {
    return Py_NewRef(object);
}

static PyObject *stages_exit(PyObject *object, PyObject *Py_UNUSED(args)) {
    return stages_close(object, NULL);
}

static PyObject *stages_repr(PyObject *object) {
    const StagesObject *self = (StagesObject *)object;
    if (self->clone == NULL) {
        return PyUnicode_FromFormat("<Stages, %s>", self->finished ? "finished" : "closed");
    }
    return PyUnicode_FromFormat("<Stages of a step, %lu of %lu seen>", (unsigned long)self->next,
                                (unsigned long)self->count);
}

static PyMethodDef methods[] = {
    {"close", stages_close, METH_NOARGS,
     "close($self, /)\n--\n\n"
     "Unlock the world. Before the end of the iteration the step is not made; afterwards this does "
     "nothing."},
    {"__enter__", stages_enter, METH_NOARGS, "__enter__($self, /)\n--\n\nThe iterator itself."},
    {"__exit__", stages_exit, METH_VARARGS, "__exit__($self, /, *args)\n--\n\nClose."},
    {0},
};

PyDoc_STRVAR(stages_doc, "Iterator over the stages of one step; made by World.stages.\n\n"
                         "The world is locked until the iteration has ended, close is called or "
                         "the iterator is dropped. Also a context manager.");

static PyType_Slot slots[] = {
    {Py_tp_dealloc, stages_dealloc}, {Py_tp_traverse, stages_traverse},
    {Py_tp_iter, PyObject_SelfIter}, {Py_tp_iternext, stages_next},
    {Py_tp_repr, stages_repr},       {Py_tp_methods, methods},
    {Py_tp_doc, (void *)stages_doc}, {0, NULL},
};

PyType_Spec core_stages_spec = {
    .name = "pyphys2d._core.Stages",
    .basicsize = sizeof(StagesObject),
    .flags = CORE_HANDLE_FLAGS,
    .slots = slots,
};

// ------------------------------------------------------------------------------------------------
// World.stages

const char core_world_stages_doc[] =
    "stages($self, dt=0.016666666666666666)\n--\n\n"
    "Step in slow motion: iterate over the stages of one step of dt.\n\n"
    "When the loop has ended, the world is in the state that step(dt) gives, bit for bit. Until\n"
    "then it shows the state before the step and is locked: reading works, and what would change\n"
    "it raises WorldLockedError, in every thread (names and user_data may be set). Leaving the\n"
    "loop early, or close(), unlocks the world without a step. Writes through live views are not\n"
    "seen by the step; the end of the loop overwrites them. on_force is called at once, before "
    "the\n"
    "first stage; what it did stays, also without a step.\n\n"
    "The stages, in order, with their arrays (p pieces of colliders, c contact points, n slots;\n"
    "world frame, SI):\n\n"
    "'bounds'\n    aabbs, fat_aabbs (p, 2, 2); body, collider, piece (p,).\n"
    "'pairs'\n    pairs, as World.pairs.\n"
    "'manifolds'\n    contacts: a row per contact point, before the step.\n"
    "'constraints'\n    constraints: a row per contact point, with effective masses 1 / k and the\n"
    "    impulses carried from the last step.\n"
    "'substep' (index 0, 1, ...), then 'restitution', of soft_step\n"
    "    normal_impulses, tangent_impulses (c,), given in this pass; positions, velocities (n, "
    "2),\n"
    "    angles, angular_velocities (n,), after it.\n"
    "'iteration' (index 0, 1, ...), of sequential_impulses\n"
    "    The same; impulses are the sums so far, and bodies move after the last iteration.\n"
    "'continuous'\n    fast: a row per dynamic body that was fast, or swept over by a fast\n"
    "    kinematic one: its path without being stopped, the part of the step at which it ended,\n"
    "    and the collider that ended it (-1: none); positions (n, 2), angles (n,), after it.\n"
    "'poses'\n    positions, velocities (n, 2); angles, angular_velocities (n,).\n"
    "'events'\n    contact_begin, contact_end, contact_hit, sensor_begin, sensor_end,\n"
    "    joint_break, sleep, wake, body_move, as World.events. Bodies that fall asleep stop "
    "here.\n\n"
    "Parameters\n----------\n"
    "dt : float\n    Seconds, > 0.\n\n"
    "Returns\n-------\n"
    "Stages\n    An iterator over Stage objects, with close(); also a context manager.\n\n"
    "Raises\n------\n"
    "ValueError\n    As step does; nothing is locked then.\n"
    "WorldLockedError\n    When the world is locked already.\n"
    "MemoryError\n    When the stages do not fit into memory.\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> ball = world.add_body(Circle(0.5), position=(0, 10))\n"
    ">>> [stage.name for stage in world.stages()][:4]\n"
    "['bounds', 'pairs', 'manifolds', 'constraints']\n"
    ">>> world.step_count\n"
    "1";

// The step, on a copy. Inside the gate of the world.
static PhStatus run(WorldObject *world, double dt, StagesObject *stages, PhError *error) {
    PhStatus status = PH_ERROR_MEMORY;
    CoreLongWork work;
    const PhStop *stop = core_begin_work(&work, true);
    PhWorld *clone = ph_world_clone(world->world, stop, error);
    core_end_work(&work);
    status = error->status == PH_ERROR_STOPPED ? PH_ERROR_STOPPED : status;
    if (clone != NULL) {
        CoreRun running;
        ph_world_clear_events(clone);
        ph_world_set_watched(clone, true); // it holds what was written to the world until now
        core_begin_run(&running, world, clone, true);
        status = ph_world_step_traced(clone, dt, &stages->trace, error);
        core_end_run(&running, clone);
        status = status ? status : ph_world_settle_events(clone, error);
    }
    if (status != PH_OK) {
        ph_world_destroy(clone);
        return status;
    }
    const PhStepTrace *trace = &stages->trace;
    stages->clone = clone;
    stages->count = STAGE_FIRST_FRAME + trace->solve.frame_count + 2; // continuous; events
    return PH_OK;
}

static PyObject *make_stages(PyObject *object, PyObject *const *args, Py_ssize_t count,
                             PyObject *keywords) {
    static const char *const names[] = {"dt"};
    static const CoreSignature signature = {"stages", names, 1, 1, 0};
    WorldObject *world = (WorldObject *)object;
    PyObject *value;
    double dt = 1.0 / 60;
    if (!core_bind(&signature, args, count, keywords, &value) ||
        (value != NULL && !core_to_positive(value, "dt", &dt))) {
        return NULL;
    }
    PyTypeObject *type = core_type(world->core, TYPE_STAGES);
    StagesObject *self = type != NULL ? (StagesObject *)type->tp_alloc(type, 0) : NULL;
    if (self == NULL) {
        return NULL;
    }
    self->world = (WorldObject *)Py_NewRef(object);
    if (!core_enter_to_step(world)) {
        Py_DECREF(self);
        return NULL;
    }
    PhError error = {.status = PH_OK};
    if (!core_step_hook(world, dt, &error) || !core_log_before_step(world)) {
        core_leave(world);
        Py_DECREF(self);
        return error.status != PH_OK ? core_raise(world->core, &error) : NULL;
    }
    self->dt = dt;
    self->hooked = world->on_pre_solve != NULL;
    PhStatus status = run(world, dt, self, &error);
    if (status == PH_OK) {
        world->stages = (PyObject *)self;
    }
    core_leave(world);
    if (status != PH_OK) {
        Py_DECREF(self);
        return core_raise(world->core, &error);
    }
    return (PyObject *)self;
}

PyObject *core_world_stages(PyObject *object, PyObject *const *args, Py_ssize_t count,
                            PyObject *keywords) {
    WorldObject *world = (WorldObject *)object;
    CoreLogged call;
    if (!core_log_begin(world, &call, object, "step", NULL, 0, NULL)) {
        return NULL;
    }
    return core_log_end(world, &call, make_stages(object, args, count, keywords));
}

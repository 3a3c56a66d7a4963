// World: construction, life, step. Its other methods are in world_*.c.
//
// Invariants: world is not NULL in an object that Python code can see, and is touched only inside
// the gate (settings that never change excepted). No reference to a Python object is in the
// engine's memory.
#include "base/clock.h"
#include "python/call_log.h"
#include "python/convert.h"
#include "python/pictures.h"
#include "python/recorder.h"
#include "python/world_methods.h"

// How often a long step checks for signals, seconds.
#define SIGNAL_PERIOD 0.05
// At most so many bodies times steps run without releasing the GIL, which costs about as much as
// they do.
#define QUICK_WORK 8
#define FEW_PIECES 4096

static PhWorld *make_world(const CoreState *core, const PhWorldDef *def) {
    PhError error;
    PhWorld *world = ph_world_create(def, &error);
    if (world == NULL) {
        core_raise(core, &error);
    } else if (core->simd != NULL) {
        (void)ph_world_set_simd(world, core->simd); // was checked when it was set
    }
    return world;
}

// All that it consists of comes first: as soon as the object is there, the collector shows it to
// all code, and it has a finalizer to run, whatever fails.
PyObject *core_world_wrap(PyTypeObject *type, CoreState *core, PhWorld *world) {
    enum { TABLES = 2 + CORE_DATA_KINDS };
    PyObject *tables[TABLES];
    CoreGate gate = {.lock = NULL};
    bool ok = true;
    for (int i = 0; i < TABLES; ++i) {
        tables[i] = ok ? PyDict_New() : NULL;
        ok = tables[i] != NULL;
    }
    ok = ok && core_gate_init(&gate);
    WorldObject *self = ok ? (WorldObject *)type->tp_alloc(type, 0) : NULL;
    if (self == NULL) {
        ph_world_destroy(world);
        core_gate_free(&gate);
        for (int i = 0; i < TABLES; ++i) {
            Py_XDECREF(tables[i]);
        }
        return NULL;
    }
    self->core = core;
    Py_INCREF(core->module);
    core->live_worlds += 1;
    self->shape_limit = CORE_SHAPE_LIMIT;
    self->world = world;
    self->names = tables[0];
    self->shapes = tables[1];
    for (int kind = 0; kind < CORE_DATA_KINDS; ++kind) {
        self->user_data[kind] = tables[2 + kind];
    }
    core_gate_move(&self->gate, &gate);
    return (PyObject *)self;
}

static PyObject *world_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static const CoreSignature signature = {"World", core_world_setting_names, WORLD_SETTING_COUNT,
                                            1, 0};
    PyObject *values[WORLD_SETTING_COUNT];
    PhWorldDef def = ph_world_def(1);
    if (!core_bind_tuple(&signature, args, keywords, values) || !core_to_world_def(values, &def)) {
        return NULL;
    }
    CoreState *core = core_state_of(type);
    PhWorld *world = core != NULL ? make_world(core, &def) : NULL;
    return world != NULL ? core_world_wrap(type, core, world) : NULL;
}

static int world_traverse(PyObject *object, visitproc visit, void *arg) {
    WorldObject *self = (WorldObject *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->core->module);
    Py_VISIT(self->owner);
    Py_VISIT(self->on_force);
    Py_VISIT(self->on_pre_solve);
    Py_VISIT(self->pair_filter);
    Py_VISIT(self->spring_laws);
    Py_VISIT(self->recorders);
    int logged = core_log_traverse(self, visit, arg);
    if (logged != 0) {
        return logged;
    }
    Py_VISIT(self->names);
    for (int kind = 0; kind < CORE_DATA_KINDS; ++kind) {
        Py_VISIT(self->user_data[kind]);
    }
    Py_VISIT(self->shapes);
    return 0;
}

static int world_clear(PyObject *object) {
    WorldObject *self = (WorldObject *)object;
    Py_CLEAR(self->owner);
    Py_CLEAR(self->on_force);
    Py_CLEAR(self->on_pre_solve);
    Py_CLEAR(self->pair_filter);
    Py_CLEAR(self->spring_laws);
    Py_CLEAR(self->recorders);
    core_log_drop(self);
    Py_CLEAR(self->names);
    for (int kind = 0; kind < CORE_DATA_KINDS; ++kind) {
        Py_CLEAR(self->user_data[kind]);
    }
    Py_CLEAR(self->shapes);
    return 0;
}

static void world_dealloc(PyObject *object) {
    WorldObject *self = (WorldObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject *module = self->core->module;
    PyObject_GC_UnTrack(object);
    PyObject_ClearWeakRefs(object);
    (void)world_clear(object);
    if (!core_gate_orphaned(&self->gate)) { // else it was being changed, and is left to the system
        ph_world_destroy(self->world);
    }
    core_gate_free(&self->gate);
    self->core->live_worlds -= 1;
    type->tp_free(object);
    Py_DECREF(type);
    Py_DECREF(module);
}

// Each view, and whatever was made of one, holds the owner of the memory.
static bool view_alive(const WorldObject *self) {
    return self->owner != NULL && Py_REFCNT((PyObject *)self->owner) > 1;
}

// Whether a view is alive or an array was written to through one since the
// last step.
static bool may_be_written(const WorldObject *self) {
    return self->view_taken || view_alive(self);
}

void core_world_sync(WorldObject *self) {
    ph_world_set_watched(self->world, may_be_written(self));
}

bool core_world_watched(const WorldObject *self) {
    return may_be_written(self);
}

// ------------------------------------------------------------------------------------------------
// step

// Runs until the steps are done, one fails, or it is time to check for signals; a quick run is over
// before that.
static PhStatus run_steps(WorldObject *self, double dt, bool watched, bool quick, long long *left,
                          PhError *error) {
    double end =
        quick ? 0 : ph_clock() + SIGNAL_PERIOD; // reading the clock costs as much as a step
    PhStatus status = PH_OK;
    ph_world_set_watched(self->world, watched);
    while (*left > 0) {
        status = ph_world_step(self->world, dt, error);
        if (status != PH_OK) {
            break;
        }
        *left -= 1;
        bool go_on = core_recorders_take(self);
        if (!go_on || (!quick && ph_clock() > end)) {
            break;
        }
    }
    return status;
}

// At least one step, as run_steps says; *left is how many are to be made.
static bool make_steps(WorldObject *self, double dt, long long *left, PhError *error) {
    bool quick = *left <= QUICK_WORK && *left * ph_world_body_count(self->world) <= QUICK_WORK &&
                 ph_world_piece_count(self->world) <= FEW_PIECES;
    bool watched = may_be_written(self), held = view_alive(self);
    long long before = *left;
    self->view_taken = false;
    CoreRun run;
    core_begin_run(&run, self, self->world, !quick);
    PhStatus status = run_steps(self, dt, watched, quick, left, error);
    core_end_run(&run, self->world);
    // A view that is alive while steps run in other threads may be written to, and die, after the
    // last look at the arrays. There was no look when no step was made.
    self->view_taken = self->view_taken || held || (*left == before && watched);
    return status == PH_OK && !run.stopped;
}

static bool step_world(WorldObject *self, double dt, long long n) {
    if (!core_enter_to_step(self)) {
        return false;
    }
    bool ok = true, first = true;
    PhError error = {.status = PH_OK};
    while (ok && (first || n > 0)) {
        ok = n == 0 || core_step_hook(self, dt, &error);
        ok = ok && core_recorders_before(self, first);
        ok = ok && (n == 0 || core_log_before_step(self));
        if (ok && first) { // the hook has seen the events of the last call
            ph_world_clear_events(self->world);
            first = false;
        }
        if (ok && n > 0) {
            bool single = self->on_force != NULL || self->log.object != NULL;
            bool hooked = self->on_pre_solve != NULL;
            long long batch = single ? 1 : n, left = batch;
            ok = make_steps(self, dt, &left, &error);
            n -= batch - left;
            if (left == 0 && batch == 1) {
                core_log_step(self, dt, hooked);
            }
            ok = (batch == left || PyErr_Occurred() || core_recorders_after(self)) && ok;
            ok = ok && (n == 0 || PyErr_CheckSignals() == 0);
        }
    }
    CoreLeavers leavers = {0};
    core_leavers_find_broken(self, &leavers);
    core_leave(self);
    core_leavers_go(self, &leavers);
    if (error.status != PH_OK) {
        core_raise(self->core, &error);
        return false;
    }
    return ok;
}

PyDoc_STRVAR(
    step_doc,
    "step($self, dt=0.016666666666666666, n=1)\n--\n\n"
    "Advance by n steps of dt.\n\n"
    "The GIL is released meanwhile; Ctrl-C works. Forces act in the first step and are cleared.\n"
    "on_force is called before each of the steps.\n\n"
    "Parameters\n----------\n"
    "dt : float\n    Seconds of one step, > 0 and <= 1.\n"
    "n : int\n    Number of steps, >= 0; best given by name. Substeps belong to the world.\n\n"
    "Raises\n------\n"
    "ValueError\n"
    "    For a bad argument, or when a live array holds NaN, infinity, a position or angle that\n"
    "    was written beyond 1e15 (m, rad) or a velocity beyond 1e9 (m/s, rad/s), or when a body\n"
    "    with joints has come so far: the message names the array and the first such body. Steps\n"
    "    before the failing one are kept.\n"
    "WorldLockedError\n    From inside a step of the same world, its hook included.\n"
    "Exception\n    What on_force, on_pre_solve, pair_filter or a spring law raises, as itself; "
    "that\n"
    "    step is not made.\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> world.step(1 / 60, n=60)\n"
    ">>> round(world.time, 6)\n"
    "1.0");

static PyObject *world_step(PyObject *self, PyObject *const *args, Py_ssize_t count,
                            PyObject *keywords) {
    CORE_ARGUMENTS("step", 2, 0, "dt", "n");
    double dt = 1.0 / 60;
    long long n = 1;
    if (count > 0 || keywords != NULL) {
        if (!core_bind(&signature, args, count, keywords, values) ||
            (values[0] != NULL && !core_to_positive(values[0], "dt", &dt)) ||
            (values[1] != NULL && !core_to_integer(values[1], "n", 0, INT64_MAX, &n))) {
            return NULL;
        }
    }
    WorldObject *world = (WorldObject *)self;
    CoreLogged call;
    if (!core_log_begin(world, &call, self, "step", NULL, 0, NULL)) {
        return NULL;
    }
    PyObject *result = step_world(world, dt, n) ? Py_NewRef(Py_None) : NULL;
    return core_log_end(world, &call, result);
}

// ------------------------------------------------------------------------------------------------
// the rest

static PyObject *world_repr(PyObject *object) {
    WorldObject *self = (WorldObject *)object;
    if (core_is_inside(self)) {
        return PyUnicode_FromString("<World inside its step>");
    }
    if (!core_enter(self)) {
        return NULL;
    }
    uint32_t bodies = ph_world_body_count(self->world);
    double time = ph_world_time(self->world);
    core_leave(self);
    PyObject *number = core_short_text(time);
    PyObject *text = number != NULL
                         ? PyUnicode_FromFormat("<World of %lu %s at %U s>", (unsigned long)bodies,
                                                bodies == 1 ? "body" : "bodies", number)
                         : NULL;
    Py_XDECREF(number);
    return text;
}

static PyObject *get_time(PyObject *object, void *Py_UNUSED(closure)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter_to_read(self)) {
        return NULL;
    }
    double time = ph_world_time(self->world);
    core_leave(self);
    return PyFloat_FromDouble(time);
}

static PyObject *get_step_count(PyObject *object, void *Py_UNUSED(closure)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter_to_read(self)) {
        return NULL;
    }
    uint64_t count = ph_world_step_count(self->world);
    core_leave(self);
    return PyLong_FromUnsignedLongLong(count);
}

static PyObject *get_views_moved(PyObject *object, void *Py_UNUSED(closure)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter_to_read(self)) {
        return NULL;
    }
    uint32_t count = ph_world_views_moved(self->world);
    core_leave(self);
    return PyLong_FromUnsignedLong(count);
}

static PyObject *get_simd(PyObject *self, void *Py_UNUSED(closure)) {
    return PyUnicode_FromString(ph_world_simd(((WorldObject *)self)->world));
}

static PyObject *get_collection(PyObject *self, void *closure) {
    return core_collection((WorldObject *)self, (CoreType)(intptr_t)closure);
}

#define FAST_ROW(name)                                                                             \
    {#name, CORE_FAST(core_world_##name), METH_FASTCALL | METH_KEYWORDS, core_world_##name##_doc},
#define PLAIN_ROW(name) {#name, core_world_##name, METH_NOARGS, core_world_##name##_doc},
#define STATE_ROW(name, flags)                                                                     \
    {#name, (PyCFunction)(void (*)(void))core_world_##name,                                        \
     METH_VARARGS | METH_KEYWORDS | (flags), core_world_##name##_doc},
#define PART_ROW(name, flags) {#name, core_world_##name, flags, core_world_##name##_doc},

#define LOGGED_ROW(name)                                                                           \
    {#name, CORE_FAST(core_world_##name##_logged), METH_FASTCALL | METH_KEYWORDS,                  \
     core_world_##name##_doc},
#define LOGGED(name) CORE_LOGGED_FAST(core_world_##name, #name, CORE_WORLD_ITSELF)
#define LOGGED_JOINT(KIND, name, Type) LOGGED(add_##name##_joint)
WORLD_CHANGING_METHODS(LOGGED)
PH_JOINT_KINDS(LOGGED_JOINT)
CORE_LOGGED_ONE(core_world_remove, "remove", CORE_WORLD_ITSELF)
CORE_LOGGED_ONE(core_world_refilter, "refilter", CORE_WORLD_ITSELF)
CORE_LOGGED_ONE(core_world__wake_joints, "_wake_joints", CORE_WORLD_ITSELF)
CORE_LOGGED_SET(core_world_set_setting, CORE_WORLD_ITSELF)
CORE_LOGGED_SET(core_world_set_material_pairs, CORE_WORLD_ITSELF)
CORE_LOGGED_SET(core_world_set_view, CORE_WORLD_ITSELF)

static PyObject *set_state_logged(PyObject *self, PyObject *args) {
    WorldObject *world = (WorldObject *)self;
    return world->log.object == NULL
               ? core_world__set_state(self, args)
               : core_log_tuple(world, core_world__set_state, "_set_state", self, args);
}

// Of many, a list.
static PyObject *remove_given(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 1) {
        return PyErr_Format(PyExc_TypeError, "remove() takes exactly one argument (%zd given)%s",
                            count, count > 1 ? "; several go in a list: world.remove([a, b])" : "");
    }
    return core_world_remove_logged(self, args[0]);
}

#define JOINT_ROW(KIND, name, Type)                                                                \
    {"add_" #name "_joint", CORE_FAST(core_world_add_##name##_joint_logged),                       \
     METH_FASTCALL | METH_KEYWORDS, ph_joint_##name##_doc},

static PyMethodDef methods[] = {
    {"step", CORE_FAST(world_step), METH_FASTCALL | METH_KEYWORDS, step_doc},
    CORE_PICTURE_METHODS,
    {"remove", CORE_FAST(remove_given), METH_FASTCALL, core_world_remove_doc},
    {"refilter", core_world_refilter_logged, METH_NOARGS, core_world_refilter_doc},
    {"_wake_joints", core_world__wake_joints_logged, METH_O, core_world__wake_joints_doc},
    {"contact", core_world_contact, METH_O, core_world_contact_doc},
    {"contacts_of", core_world_contacts_of, METH_O, core_world_contacts_of_doc},
    {"_set_state", set_state_logged, METH_VARARGS, core_world__set_state_doc},
    PH_JOINT_KINDS(JOINT_ROW) WORLD_CHANGING_METHODS(LOGGED_ROW) WORLD_FAST_METHODS(FAST_ROW)
        WORLD_PLAIN_METHODS(PLAIN_ROW) WORLD_STATE_METHODS(STATE_ROW)
            WORLD_STATE_PARTS(PART_ROW){0},
};

#define SETTING(i, name, doc)                                                                      \
    { name, core_world_get_setting, core_world_set_setting_logged, doc, (void *)i }
#define VIEW(i, name, doc)                                                                         \
    { name, core_world_get_view, core_world_set_view_logged, doc, (void *)i }
#define FIXED_VIEW(i, name, doc)                                                                   \
    { name, core_world_get_view, NULL, doc, (void *)i }

static PyGetSetDef attributes[] = {
    {"gravity", core_world_get_setting, core_world_set_setting_logged,
     "Acceleration of free fall, shape (2,), m/s^2. A value: assign to change it; that wakes all.",
     (void *)0},
    SETTING(1, "substeps", "Substeps of a step."),
    SETTING(2, "workers",
            "Number of threads that a step may use; the result does not depend on it."),
    SETTING(3, "solver", "'soft_step' or 'sequential_impulses'."),
    SETTING(4, "broadphase", "'grid', 'tree' or 'all_pairs': same pairs, same bits."),
    SETTING(5, "sleeping", "Whether quiet islands fall asleep."),
    SETTING(6, "continuous", "Whether fast bodies are kept from tunnelling."),
    SETTING(7, "max_bodies", "Most bodies that the world can hold."),
    SETTING(8, "contact_hertz", "Stiffness of contacts between moving bodies, Hz."),
    SETTING(9, "contact_damping_ratio", "Damping ratio of contacts; 1 is critical."),
    SETTING(10, "contact_push_speed", "Highest speed at which overlap is pushed out, m/s."),
    SETTING(11, "joint_hertz", "Stiffness of joints, Hz."),
    SETTING(12, "joint_damping_ratio", "Damping ratio of joints; 1 is critical."),
    SETTING(13, "restitution_threshold", "Contacts slower than this do not bounce, m/s."),
    SETTING(14, "hit_event_threshold", "Contacts that begin faster than this are hits, m/s."),
    SETTING(15, "max_speed", "Highest speed of a dynamic body, m/s."),
    SETTING(16, "friction_rule", "Rule by which the frictions of two colliders mix."),
    SETTING(17, "restitution_rule", "Rule by which the restitutions of two colliders mix."),
    SETTING(18, "iterations", "Iterations of sequential_impulses."),
    SETTING(19, "baumgarte", "Part of the overlap that sequential_impulses removes in a step."),
    SETTING(20, "slop", "Overlap that sequential_impulses leaves alone, metres."),
    SETTING(21, "warm_starting", "Whether sequential_impulses starts from the last impulses."),
    SETTING(22, "accumulate", "Whether sequential_impulses clamps the sums of impulses."),
    SETTING(23, "positional_correction",
            "Part of the overlap that sequential_impulses moves apart by inverse mass."),
    SETTING(24, "response",
            "'impulse' or 'translate' (bodies are moved apart and keep their velocities: a bad "
            "method)."),
    SETTING(25, "wrap",
            "Width and height of a wrapped world, shape (2,), metres (inf: not in that direction); "
            "None for a plane without end."),
    SETTING(26, "max_angular_speed", "Highest angular speed of a dynamic body, rad/s."),
    SETTING(27, "linear_damping",
            "Rate at which velocities decay, 1/s; is added to that of each body."),
    SETTING(28, "angular_damping",
            "Rate at which angular velocities decay, 1/s; is added to that of each body."),
    SETTING(29, "length_unit",
            "Number of units of length in a metre: distances and speeds that are built in "
            "follow from it."),
    SETTING(30, "damping",
            "linear_damping and angular_damping at once, 1/s; None while they differ."),
    {"material_pairs", core_world_get_material_pairs, core_world_set_material_pairs_logged,
     "Table of pairs of materials, shape (k, k, 3): friction, restitution and rolling "
     "resistance of\ncolliders whose material is the row and the column, the same in both "
     "orders; NaN: as the mixing rules\nsay. Read-only; set it as a whole, to None for no "
     "materials.",
     NULL},
    VIEW(VIEW_POSITIONS, "positions", "Live view: origins of the bodies, shape (n, 2), metres."),
    VIEW(VIEW_ANGLES, "angles", "Live view, shape (n,), radians."),
    VIEW(VIEW_VELOCITIES, "velocities",
         "Live view: velocities of the centres of mass, shape (n, 2), m/s."),
    VIEW(VIEW_ANGULAR_VELOCITIES, "angular_velocities", "Live view, shape (n,), rad/s."),
    VIEW(VIEW_FORCES, "forces",
         "Live view: forces at the centres of mass, shape (n, 2), N; cleared by each step."),
    VIEW(VIEW_TORQUES, "torques", "Live view, shape (n,), N m; cleared by each step."),
    FIXED_VIEW(VIEW_MASSES, "masses",
               "Live read-only view, shape (n,), kg; 0 for bodies that are not dynamic."),
    FIXED_VIEW(VIEW_INERTIAS, "inertias",
               "Live read-only view: about the centres of mass, shape (n,), kg m^2."),
    FIXED_VIEW(VIEW_AWAKE, "awake", "Live read-only view, shape (n,), bool."),
    FIXED_VIEW(VIEW_ALIVE, "alive", "Live read-only view: whether the slot holds a body, (n,)."),
    FIXED_VIEW(VIEW_KINDS, "kinds",
               "Live read-only view, shape (n,), uint8: 0 static, 1 kinematic, 2 dynamic."),
    {"contacts", core_world_get_contacts, NULL,
     "One row per point of touching pairs; structured array of own memory. Impulses are totals of "
     "the last step, N s; id is the number of the contact of the two colliders, from its begin to "
     "its end.",
     NULL},
    {"pairs", core_world_get_pairs, NULL,
     "Candidate pairs of the broad phase in their fixed order; structured array.", NULL},
    {"events", core_world_get_events, NULL, "Events of the last call of step.", NULL},
    {"aabbs", core_world_get_aabbs, NULL,
     "Bounds of the colliders by index, [[lower], [upper]], shape (k, 2, 2), metres; NaN where "
     "there is none.",
     NULL},
    {"bounds", core_world_get_bounds, NULL,
     "Bounds of all colliders, [[lower], [upper]], shape (2, 2), metres; NaN where there is none.",
     NULL},
    {"islands", core_world_get_islands, NULL,
     "Number of each body's island, shape (n,), int32; -1 for bodies that are not dynamic.", NULL},
    {"profile", core_world_get_profile, NULL, "Milliseconds per stage of the last step.", NULL},
    {"counters", core_world_get_counters, NULL,
     "Counts, by name.\n\n"
     "Now: bodies; awake (of these); colliders; proxies (bounding boxes in the broad phase);\n"
     "pairs (of proxies near each other); touching (pairs of colliders, asleep or not); visits\n"
     "(of colliders to sensors); bytes (of the live arrays). Of the last step: contacts (of what\n"
     "is awake alone, where world.contacts has all); islands, bins, colors, blocks and rows (its\n"
     "islands, batches of them, colors, wide contacts and solver bodies); substeps (the most of\n"
     "an island); stopped (bodies, by continuous collision); limited (bodies, at max_speed or\n"
     "max_angular_speed); left_out (contacts beyond what one place may have). Since the world\n"
     "was made: pair_rebuilds, layout_rebuilds.",
     NULL},
    {"bodies", get_collection, NULL, "Live collection of the bodies, by slot.",
     (void *)TYPE_BODIES},
    {"colliders", get_collection, NULL, "Live collection of the colliders, by index.",
     (void *)TYPE_COLLIDERS},
    {"joints", get_collection, NULL, "Live collection of the joints, by index.",
     (void *)TYPE_JOINTS},
    {"joint_separations", core_world_get_joint_separations, NULL,
     "How far joints are from what they hold: linear (metres) and angular (radians), shape (n, 2), "
     "rows as\njoint_state.",
     NULL},
    {"joint_state", core_world_get_joint_state, NULL,
     "A row per living joint, in the order of their indices, without gaps: its index (column "
     "joint), "
     "kind (a number: JOINT_KINDS[kind] is its name), bodies (-1: the world), anchors, force on b, "
     "torque, position (angle, length or translation; NaN for none), its speed, and the angle of b "
     "against "
     "a; structured array.",
     NULL},
    {"fields", get_collection, NULL, "Live collection of the force fields, by index.",
     (void *)TYPE_FIELDS},
    {"on_force", core_world_get_on_force, core_world_set_on_force,
     "None, or what is called with the world before every step, to apply forces; see "
     "docs/hooks.md. It may do anything to the world but step it. An exception that it raises "
     "comes out of step(), and the step is not made.",
     NULL},
    {"on_pre_solve", core_world_get_on_pre_solve, core_world_set_on_pre_solve,
     "None, or what is called in every step with a structured array of the contacts of colliders "
     "with pre_solve, before they act; see docs/hooks.md. Its columns enabled, friction, "
     "restitution and tangent_speed may be written, for this step. An exception that it raises "
     "comes out of step(), and the step is not made.",
     NULL},
    {"pair_filter", core_world_get_pair_filter, core_world_set_pair_filter,
     "None, or what says which colliders may collide: in steps in which some come near each other "
     "for the first time, it is called with a structured array of these pairs (body_a, body_b, "
     "collider_a, collider_b) and returns an array of as many bools. The answer holds as long as "
     "the two are near; see docs/hooks.md. An exception that it raises comes out of step(), and "
     "the step is not made. Setting it asks about all pairs anew, as refilter does.",
     NULL},
    {"spring_laws", core_world_get_spring_laws, NULL,
     "The laws of add_spring_law that have not been removed, a tuple of SpringLaw.", NULL},
    {"time", get_time, NULL, "Simulated time, seconds.", NULL},
    {"step_count", get_step_count, NULL, "Number of steps made.", NULL},
    {"views_moved", get_views_moved, NULL,
     "Times that the live arrays have moved, so that older views show old numbers; always 0 where "
     "memory can be reserved.",
     NULL},
    {"simd", get_simd, NULL, "Instruction set of the solver's kernels.", NULL},
    {0},
};

static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(WorldObject, weak_references), READONLY, NULL},
    {0},
};

PyDoc_STRVAR(
    world_doc,
    "World(gravity=(0, -9.81), *, substeps=8, workers=1, solver='soft_step', broadphase='grid',\n"
    "      sleeping=True, continuous=True, max_bodies=1048576, wrap=None, length_unit=1.0,\n"
    "      **tuning)\n--\n\n"
    "Bodies that move, collide and rest. Units are SI, y is up, angles counter-clockwise.\n\n"
    "Parameters\n----------\n"
    "gravity : array_like, shape (2,)\n    m/s^2.\n"
    "substeps : int\n    Substeps of a step: more are stiffer and slower.\n"
    "workers : int\n    Threads that a step may use; the result does not depend on it.\n"
    "solver : {'soft_step', 'sequential_impulses'}\n"
    "    The engine's own, or the textbook's for lessons.\n"
    "broadphase : {'grid', 'tree', 'all_pairs'}\n    Same pairs, same bits.\n"
    "sleeping : bool\n    Whether quiet islands fall asleep.\n"
    "continuous : bool\n    Whether fast bodies are kept from tunnelling.\n"
    "max_bodies : int\n    Address space is reserved for so many.\n"
    "wrap : array_like, shape (2,), optional\n"
    "    Width and height, 0.1 to 1e9 metres: what leaves on one side comes in on the other, and\n"
    "    touches what is there. inf: not in that direction. Bodies must be smaller than half of "
    "it,\n"
    "    and positions are in [0, width) x [0, height) after each step.\n"
    "length_unit : float\n"
    "    How many of the units in which positions are given make a metre, 1e-6 to 1e6: 100 where\n"
    "    boxes are about 100 pixels wide, 0.001 where parts are of a millimetre. All distances "
    "and\n"
    "    speeds that are built in follow from it, and the defaults in m/s and m below; gravity\n"
    "    and all that is given does not.\n"
    "**tuning\n"
    "    contact_hertz=60, contact_damping_ratio=10, contact_push_speed=3 (m/s), joint_hertz=60,\n"
    "    joint_damping_ratio=2, restitution_threshold=0.1 (m/s), hit_event_threshold=1 (m/s),\n"
    "    max_speed=400 (m/s), max_angular_speed=1e5 (rad/s), friction_rule='geometric_mean',\n"
    "    restitution_rule='max' (also 'min', 'average', 'multiply'); and for\n"
    "    'sequential_impulses' iterations=10, baumgarte=0.2, slop=0.01 (m),\n"
    "    warm_starting=True, accumulate=True, positional_correction=0,\n"
    "    response='impulse' (or 'translate'). Each can be read back as an attribute.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a number out of range or an unknown choice.\n"
    "TypeError\n    For an unknown keyword.\n\n"
    "Examples\n--------\n"
    ">>> world = World(gravity=(0, -10))\n"
    ">>> ball = world.add_body(Circle(0.5), position=(0, 10))\n"
    ">>> world.step(n=60)\n"
    ">>> bool(ball.position[1] < 10)\n"
    "True");

// A world has several collections, and says which.
static PyObject *world_item(PyObject *self, PyObject *key) {
    PyObject *hint = core_hint("item", Py_BuildValue("(O)", key));
    if (hint != NULL) {
        PyErr_Format(PyExc_TypeError, "a %s is not subscriptable%U", Py_TYPE(self)->tp_name, hint);
        Py_DECREF(hint);
    }
    return NULL;
}

static PyType_Slot slots[] = {
    {Py_tp_new, world_new},
    {Py_tp_dealloc, world_dealloc},
    {Py_tp_traverse, world_traverse},
    {Py_tp_clear, world_clear},
    {Py_tp_repr, world_repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_tp_members, members},
    {Py_tp_doc, (void *)world_doc},
    {Py_mp_subscript, world_item},
    {Py_tp_setattro, core_set_attribute},
    {0, NULL},
};

PyType_Spec core_world_spec = {
    .name = "pyphys2d._core.World",
    .basicsize = sizeof(WorldObject),
    .flags = CORE_FLAGS | Py_TPFLAGS_BASETYPE,
    .slots = slots,
};

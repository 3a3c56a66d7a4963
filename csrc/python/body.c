// Body: handle of a body. Its attributes; its methods are in body_methods.c.
//
// Every attribute enters the gate, copies plain numbers, leaves, and makes objects then.
#include <math.h>

#include "base/memory.h"
#include "python/body_methods.h"
#include "python/call_log.h"
#include "python/convert.h"
#include "python/pictures.h"
#include "python/world_methods.h"

static HandleObject *handle_of(PyObject *object) {
    return (HandleObject *)object;
}

// Leaves the gate and turns the result of a setter into Python's.
static int leave_set(HandleObject *self, PhStatus status, const PhError *error) {
    core_leave(self->world);
    if (status != PH_OK) {
        core_raise(self->world->core, error);
        return -1;
    }
    return 0;
}

static bool check_value(PyObject *value, const char *name) {
    if (value == NULL) {
        PyErr_Format(PyExc_TypeError, "%s cannot be deleted", name);
    }
    return value != NULL;
}

// ------------------------------------------------------------------------------------------------
// motion

static PyObject *get_position(PyObject *object, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    if (!core_enter_body(self)) {
        return NULL;
    }
    const double *row = ph_world_state(self->world->world)->position[self->id.index];
    PhVec2 position = {row[0], row[1]};
    core_leave(self->world);
    CoreAdvice advice = {"body", "position", "world.positions[body.index]", false};
    return core_vector(self->world->core, position, advice);
}

static int set_position(PyObject *object, PyObject *value, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    PhVec2 position;
    if (!check_value(value, "position") || !core_to_vec2(value, "position", &position) ||
        !core_enter_body_to_change(self)) {
        return -1;
    }
    PhWorld *world = self->world->world;
    PhError error;
    double angle = ph_world_state(world)->angle[self->id.index];
    return leave_set(self, ph_body_set_pose(world, self->id, position, angle, &error), &error);
}

static PyObject *get_velocity(PyObject *object, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    if (!core_enter_body(self)) {
        return NULL;
    }
    const double *row = ph_world_state(self->world->world)->velocity[self->id.index];
    PhVec2 velocity = {row[0], row[1]};
    core_leave(self->world);
    CoreAdvice advice = {"body", "velocity", "world.velocities[body.index]", false};
    return core_vector(self->world->core, velocity, advice);
}

// Above the limits of speed alone is the kind looked up.
static bool warn_speed(HandleObject *self, PhVec2 velocity, double angular) {
    const PhWorldDef *def = ph_world_settings(self->world->world);
    if (self->world->speed_warned ||
        (fmax(fabs(velocity.x), fabs(velocity.y)) <= def->max_speed * 0.7 &&
         fabs(angular) <= def->max_angular_speed)) {
        return true;
    }
    if (!core_enter_body(self)) {
        return false;
    }
    PhBodyKind kind = (PhBodyKind)ph_world_state(self->world->world)->kind[self->id.index];
    core_leave(self->world);
    return core_warn_speed(self->world, kind, velocity, angular);
}

static int set_velocity(PyObject *object, PyObject *value, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    PhVec2 velocity;
    if (!check_value(value, "velocity") || !core_to_vec2(value, "velocity", &velocity) ||
        !warn_speed(self, velocity, 0) || !core_enter_body_to_change(self)) {
        return -1;
    }
    PhWorld *world = self->world->world;
    PhError error;
    double angular = ph_world_state(world)->angular_velocity[self->id.index];
    return leave_set(self, ph_body_set_velocity(world, self->id, velocity, angular, &error),
                     &error);
}

enum { ROW_ANGLE, ROW_ANGULAR_VELOCITY, ROW_MASS, ROW_INERTIA };

static PyObject *get_row(PyObject *object, void *closure) {
    HandleObject *self = handle_of(object);
    if (!core_enter_body(self)) {
        return NULL;
    }
    const PhState *state = ph_world_state(self->world->world);
    const double *rows[] = {state->angle, state->angular_velocity, state->mass, state->inertia};
    double value = rows[(intptr_t)closure][self->id.index];
    core_leave(self->world);
    return PyFloat_FromDouble(value);
}

static int set_row(PyObject *object, PyObject *value, void *closure) {
    static const char *const names[] = {"angle", "angular_velocity"};
    HandleObject *self = handle_of(object);
    intptr_t which = (intptr_t)closure;
    double number;
    if (!check_value(value, names[which]) || !core_to_double(value, names[which], &number) ||
        (which == ROW_ANGULAR_VELOCITY && !warn_speed(self, ph_vec(0, 0), number)) ||
        !core_enter_body_to_change(self)) {
        return -1;
    }
    PhWorld *world = self->world->world;
    const PhState *state = ph_world_state(world);
    uint32_t slot = self->id.index;
    PhVec2 position = {state->position[slot][0], state->position[slot][1]};
    PhVec2 velocity = {state->velocity[slot][0], state->velocity[slot][1]};
    PhError error;
    PhStatus status = which == ROW_ANGLE
                          ? ph_body_set_pose(world, self->id, position, number, &error)
                          : ph_body_set_velocity(world, self->id, velocity, number, &error);
    return leave_set(self, status, &error);
}

// ------------------------------------------------------------------------------------------------
// mass

static bool to_mass(PyObject *value, const char *name, double *number) {
    return core_refuse_infinite_inertia(value, name) && core_to_double(value, name, number) &&
           (*number > 0 || core_refuse_number(name, "finite and > 0, or None", *number));
}

// None: from the colliders again.
static int set_mass(PyObject *object, PyObject *value, void *closure) {
    bool inertia = (intptr_t)closure == ROW_INERTIA;
    const char *name = inertia ? "inertia" : "mass";
    HandleObject *self = handle_of(object);
    double number = 0;
    if (!check_value(value, name) || (value != Py_None && !to_mass(value, name, &number)) ||
        !core_enter_body_to_change(self)) {
        return -1;
    }
    PhError error;
    PhStatus status = (inertia ? ph_body_set_inertia : ph_body_set_mass)(self->world->world,
                                                                         self->id, number, &error);
    return leave_set(self, status, &error);
}

static int set_center_of_mass(PyObject *object, PyObject *value, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    PhVec2 center;
    if (!check_value(value, "center_of_mass") ||
        (value != Py_None && !core_to_vec2(value, "center_of_mass", &center)) ||
        !core_enter_body_to_change(self)) {
        return -1;
    }
    PhError error;
    PhStatus status =
        ph_body_set_center(self->world->world, self->id, value != Py_None ? &center : NULL, &error);
    return leave_set(self, status, &error);
}

static PyObject *get_kinetic_energy(PyObject *object, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    if (!core_enter_body(self)) {
        return NULL;
    }
    const PhState *s = ph_world_state(self->world->world);
    uint32_t i = self->id.index;
    PhVec2 v = {s->velocity[i][0], s->velocity[i][1]};
    double w = s->angular_velocity[i];
    double energy = 0.5 * (s->mass[i] * ph_length_squared(v) + s->inertia[i] * w * w);
    bool dynamic = s->kind[i] == PH_DYNAMIC;
    core_leave(self->world);
    return PyFloat_FromDouble(dynamic ? energy : 0);
}

const char core_given_mass_doc[] =
    "_given_mass($module, body, /)\n--\n\n"
    "Whether mass, inertia and center_of_mass were given, and are not the colliders'.";

PyObject *core_given_mass(PyObject *module, PyObject *arg) {
    const CoreState *core = PyModule_GetState(module);
    if (!Py_IS_TYPE(arg, core->type[TYPE_BODY])) {
        return PyErr_Format(PyExc_TypeError, "body: must be a Body, got %.100s",
                            Py_TYPE(arg)->tp_name);
    }
    HandleObject *self = handle_of(arg);
    PhBodyInfo info;
    if (!core_enter_body(self)) {
        return NULL;
    }
    (void)ph_body_info(self->world->world, self->id, &info);
    core_leave(self->world);
    return Py_BuildValue("(NNN)", PyBool_FromLong(info.own_mass), PyBool_FromLong(info.own_inertia),
                         PyBool_FromLong(info.own_center));
}

// ------------------------------------------------------------------------------------------------
// properties

static bool read_info(PyObject *object, PhBodyInfo *info) {
    HandleObject *self = handle_of(object);
    if (!core_enter_body(self)) {
        return false;
    }
    PhStatus status = ph_body_info(self->world->world, self->id, info);
    core_leave(self->world);
    if (status != PH_OK) {
        core_raise_removed(self);
    }
    return status == PH_OK;
}

static PyObject *get_kind(PyObject *object, void *Py_UNUSED(closure)) {
    PhBodyInfo info;
    return read_info(object, &info) ? PyUnicode_FromString(core_kind_names[info.kind]) : NULL;
}

static int set_kind(PyObject *object, PyObject *value, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    PhBodyKind kind;
    PhError error;
    if (!check_value(value, "kind") || !core_to_kind(value, &kind) ||
        !core_enter_body_to_change(self)) {
        return -1;
    }
    return leave_set(self, ph_body_set_kind(self->world->world, self->id, kind, &error), &error);
}

static PyObject *get_center_of_mass(PyObject *object, void *Py_UNUSED(closure)) {
    PhBodyInfo info;
    CoreAdvice advice = {"body", "center_of_mass", NULL, false};
    return read_info(object, &info)
               ? core_vector(handle_of(object)->world->core, info.center_local, advice)
               : NULL;
}

// In the order of PhBodyNumber.
static const char *const number_names[] = {"gravity_scale", "linear_damping", "angular_damping",
                                           "sleep_threshold"};

static PyObject *get_number(PyObject *object, void *closure) {
    PhBodyInfo info;
    if (!read_info(object, &info)) {
        return NULL;
    }
    const double numbers[] = {info.gravity_scale, info.linear_damping, info.angular_damping,
                              info.sleep_threshold};
    if ((intptr_t)closure == PH_SLEEP_THRESHOLD && !info.own_sleep_threshold) {
        Py_RETURN_NONE;
    }
    return PyFloat_FromDouble(numbers[(intptr_t)closure]);
}

static int set_number(PyObject *object, PyObject *value, void *closure) {
    HandleObject *self = handle_of(object);
    PhBodyNumber which = (PhBodyNumber)(intptr_t)closure;
    double number;
    PhError error;
    bool threshold = which == PH_SLEEP_THRESHOLD;
    if (!check_value(value, number_names[which]) ||
        !(threshold ? core_to_threshold(value, &number)
                    : core_to_double(value, number_names[which], &number)) ||
        !core_enter_body_to_change(self)) {
        return -1;
    }
    return leave_set(self, ph_body_set_number(self->world->world, self->id, which, number, &error),
                     &error);
}

// In the order of PhBodyFlag, then awake.
enum { FLAG_AWAKE = PH_FLAG_LOCK_Y + 1 };
static const char *const flag_names[] = {"can_sleep", "bullet", "fixed_rotation", "enabled",
                                         "lock_x",    "lock_y", "awake"};

static PyObject *get_flag(PyObject *object, void *closure) {
    PhBodyInfo info;
    if (!read_info(object, &info)) {
        return NULL;
    }
    const bool flags[] = {info.can_sleep,
                          info.bullet,
                          info.fixed_rotation,
                          info.enabled,
                          (info.locks & PH_LOCK_X) != 0,
                          (info.locks & PH_LOCK_Y) != 0,
                          info.awake};
    return PyBool_FromLong(flags[(intptr_t)closure]);
}

static int set_flag(PyObject *object, PyObject *value, void *closure) {
    HandleObject *self = handle_of(object);
    intptr_t which = (intptr_t)closure;
    bool flag;
    PhError error;
    if (!check_value(value, flag_names[which]) || !core_to_bool(value, flag_names[which], &flag) ||
        !core_enter_body_to_change(self)) {
        return -1;
    }
    PhWorld *world = self->world->world;
    PhStatus status = which == FLAG_AWAKE
                          ? ph_body_set_awake(world, self->id, flag, &error)
                          : ph_body_set_flag(world, self->id, (PhBodyFlag)which, flag, &error);
    return leave_set(self, status, &error);
}

static PyObject *get_transform(PyObject *object, void *closure) {
    HandleObject *self = handle_of(object);
    if (!core_enter_body(self)) {
        return NULL;
    }
    PhTransform t = ph_body_transform(self->world->world, self->id.index);
    core_leave(self->world);
    npy_intp dims[2] = {3, 3};
    PyObject *array = PyArray_SimpleNew(2, dims, NPY_DOUBLE);
    if (array != NULL) {
        double *m = PyArray_DATA((PyArrayObject *)array);
        bool inverse = closure != NULL;
        PhVec2 p = inverse ? ph_neg(ph_unrotate(t.q, t.p)) : t.p;
        double s = inverse ? -t.q.s : t.q.s;
        // 0 - s, so that no -0 is shown.
        const double values[9] = {t.q.c, 0 - s, p.x, s, t.q.c, p.y, 0, 0, 1};
        memcpy(m, values, sizeof values);
    }
    return array;
}

// ------------------------------------------------------------------------------------------------
// identity

static bool check_alive(HandleObject *self) {
    if (!core_enter_body(self)) {
        return false;
    }
    core_leave(self->world);
    return true;
}

// For what is written: between steps alone, like all else.
static bool check_writable(HandleObject *self) {
    if (!core_enter_alive_between_steps(self, HANDLE_BODY)) {
        return false;
    }
    core_leave(self->world);
    return true;
}

static PyObject *get_name(PyObject *object, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    return check_alive(self) ? core_table_get(self->world->names, self->id) : NULL;
}

static int set_name(PyObject *object, PyObject *value, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    if (!check_value(value, "name")) {
        return -1;
    }
    if (value != Py_None && !PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "name: must be a string or None, got %.100s",
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    return check_writable(self) && core_table_set(self->world->names, self->id, value) ? 0 : -1;
}

static PyObject *get_colliders(PyObject *object, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    PhBodyInfo info;
    if (!core_enter_body(self)) {
        return NULL;
    }
    const PhWorld *world = self->world->world;
    (void)ph_body_info(world, self->id, &info);
    PhId *ids = ph_alloc(info.collider_count, sizeof *ids);
    Py_ssize_t count = 0;
    if (ids != NULL) {
        for (uint32_t i = ph_body_first_collider(world, self->id.index); i != PH_NULL;
             i = ph_collider_next(world, i)) {
            ids[count++] = ph_collider_id(world, i);
        }
    }
    core_leave(self->world);
    if (ids == NULL) {
        return PyErr_NoMemory();
    }
    PyObject *list = core_handle_list(self->world, TYPE_COLLIDER, ids, count);
    ph_free(ids);
    PyObject *tuple = list != NULL ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

static PyObject *get_joints(PyObject *object, void *Py_UNUSED(closure)) {
    return core_body_joints(handle_of(object));
}

static PyObject *get_contacts(PyObject *object, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    if (!core_enter_alive_between_steps(self, HANDLE_BODY)) {
        return NULL;
    }
    PyObject *array = core_contact_rows(self->world, self->id.index);
    core_leave(self->world);
    return array;
}

static PyObject *body_repr(PyObject *object) {
    HandleObject *self = handle_of(object);
    unsigned long index = self->id.index;
    if (core_is_inside(self->world)) {
        return PyUnicode_FromFormat("<Body %lu>", index);
    }
    if (!core_enter(self->world)) {
        return NULL;
    }
    const PhWorld *world = self->world->world;
    bool alive = ph_body_valid(world, self->id);
    PhBodyInfo info = {0};
    double p[2] = {0, 0};
    if (alive) {
        const PhState *state = ph_world_state(world);
        (void)ph_body_info(world, self->id, &info);
        p[0] = state->position[index][0];
        p[1] = state->position[index][1];
    }
    core_leave(self->world);
    if (!alive) {
        return PyUnicode_FromFormat("<Body %lu, removed>", index);
    }
    PyObject *name = core_table_get(self->world->names, self->id);
    PyObject *x = core_short_text(p[0]), *y = core_short_text(p[1]);
    PyObject *text = NULL;
    if (name != NULL && x != NULL && y != NULL) {
        const char *kind = core_kind_names[info.kind];
        text =
            name == Py_None
                ? PyUnicode_FromFormat("<Body %lu, %s, at (%U, %U)>", index, kind, x, y)
                : PyUnicode_FromFormat("<Body %lu %R, %s, at (%U, %U)>", index, name, kind, x, y);
    }
    Py_XDECREF(name);
    Py_XDECREF(x);
    Py_XDECREF(y);
    return text;
}

#define LOGGED_SET(function) CORE_LOGGED_SET(function, CORE_WORLD_OF_HANDLE)
LOGGED_SET(set_position)
LOGGED_SET(set_velocity)
LOGGED_SET(set_row)
LOGGED_SET(set_mass)
LOGGED_SET(set_center_of_mass)
LOGGED_SET(set_kind)
LOGGED_SET(set_number)
LOGGED_SET(set_flag)
LOGGED_SET(set_name)

#define NUMBER(i, name, doc)                                                                       \
    { name, get_number, set_number_logged, doc, (void *)i }
#define FLAG(i, name, doc)                                                                         \
    { name, get_flag, set_flag_logged, doc, (void *)i }
static PyGetSetDef attributes[] = {
    {"index", core_handle_index, NULL, "Slot of the body: its row in the live arrays.", NULL},
    {"id", core_handle_id, NULL, "Number that is never used again in its world.", NULL},
    {"world", core_handle_world, NULL, "The World.", NULL},
    {"alive", core_handle_alive, NULL, "Whether the body still exists.", NULL},
    {"kind", get_kind, set_kind_logged, "'static', 'kinematic' or 'dynamic'.", NULL},
    {"name", get_name, set_name_logged, "A string, or None.", NULL},
    CORE_USER_DATA,
    {"position", get_position, set_position_logged,
     "Origin of the body, shape (2,), metres, world. A value: assign to teleport.", NULL},
    {"angle", get_row, set_row_logged, "Angle, radians. Assign to turn at once.",
     (void *)ROW_ANGLE},
    {"velocity", get_velocity, set_velocity_logged,
     "Velocity of the centre of mass, shape (2,), m/s. A value: assign to change it.", NULL},
    {"angular_velocity", get_row, set_row_logged, "Angular velocity, rad/s.",
     (void *)ROW_ANGULAR_VELOCITY},
    {"mass", get_row, set_mass_logged,
     "Mass, kg; 0 unless dynamic. Setting it scales the inertia too, unless that was set. What is "
     "set\nholds whatever becomes of the colliders; None: the mass is that of the colliders again.",
     (void *)ROW_MASS},
    {"inertia", get_row, set_mass_logged,
     "Moment of inertia about the centre of mass, kg m^2; 0 unless dynamic. What is set holds, as "
     "a\nmass does, until None is set.",
     (void *)ROW_INERTIA},
    {"center_of_mass", get_center_of_mass, set_center_of_mass_logged,
     "Centre of mass, shape (2,), metres, in the body's frame. What is set holds, as a mass does, "
     "until\nNone is set; the inertia is about it and stays as it is. The body's origin stays "
     "where it is.",
     NULL},
    {"kinetic_energy", get_kinetic_energy, NULL,
     "Kinetic energy of motion and rotation, J; 0 unless the body is dynamic.", NULL},
    {"transform", get_transform, NULL,
     "Matrix from the body's frame to the world, homogeneous, shape (3, 3).", NULL},
    {"inverse_transform", get_transform, NULL,
     "Matrix from the world to the body's frame, homogeneous, shape (3, 3).", (void *)1},
    FLAG(
        FLAG_AWAKE, "awake",
        "Whether it is simulated; False: it sleeps. Setting False puts its whole island to sleep."),
    FLAG(PH_FLAG_BULLET, "bullet", "Whether it is kept from tunnelling through moving bodies too."),
    FLAG(PH_FLAG_FIXED_ROTATION, "fixed_rotation", "Whether it never turns."),
    FLAG(PH_FLAG_LOCK_X, "lock_x",
         "Whether its centre of mass keeps its x, whatever pushes, while it is dynamic."),
    FLAG(PH_FLAG_LOCK_Y, "lock_y",
         "Whether its centre of mass keeps its y, whatever pushes, while it is dynamic."),
    FLAG(PH_FLAG_ENABLED, "enabled", "Whether it takes part at all."),
    FLAG(PH_FLAG_CAN_SLEEP, "can_sleep", "Whether it may fall asleep."),
    NUMBER(PH_GRAVITY_SCALE, "gravity_scale", "Factor of the world's gravity."),
    NUMBER(PH_LINEAR_DAMPING, "linear_damping", "Rate at which the velocity decays, 1/s."),
    NUMBER(PH_ANGULAR_DAMPING, "angular_damping",
           "Rate at which the angular velocity decays, 1/s."),
    NUMBER(
        PH_SLEEP_THRESHOLD, "sleep_threshold",
        "Speed of the fastest point below which the body may fall asleep, m/s; None: 0.05; 0: it "
        "never\nsleeps."),
    {"colliders", get_colliders, NULL, "Tuple of its colliders in order of creation.", NULL},
    {"joints", get_joints, NULL, "Tuple of its joints.", NULL},
    {"contacts", get_contacts, NULL, "Rows of World.contacts that name it.", NULL},
    {0},
};

#define LOGGED_FAST_ROW(name)                                                                      \
    {#name, CORE_FAST(core_body_##name##_logged), METH_FASTCALL | METH_KEYWORDS,                   \
     core_body_##name##_doc},
#define FAST_ROW(name)                                                                             \
    {#name, CORE_FAST(core_body_##name), METH_FASTCALL | METH_KEYWORDS, core_body_##name##_doc},
#define ONE_ROW(name) {#name, core_body_##name, METH_O, core_body_##name##_doc},
#define PLAIN_ROW(name) {#name, core_body_##name, METH_NOARGS, core_body_##name##_doc},
#define LOGGED_ONE_ROW(name) {#name, core_body_##name##_logged, METH_O, core_body_##name##_doc},
#define LOGGED_PLAIN_ROW(name)                                                                     \
    {#name, core_body_##name##_logged, METH_NOARGS, core_body_##name##_doc},
#define LOGGED_FAST(name) CORE_LOGGED_FAST(core_body_##name, #name, CORE_WORLD_OF_HANDLE)
#define LOGGED_ONE(name) CORE_LOGGED_ONE(core_body_##name, #name, CORE_WORLD_OF_HANDLE)
BODY_CHANGING_FAST_METHODS(LOGGED_FAST)
BODY_CHANGING_ONE_METHODS(LOGGED_ONE)
BODY_CHANGING_PLAIN_METHODS(LOGGED_ONE)
static PyMethodDef methods[] = {
    CORE_PICTURE_METHODS,
    CORE_HANDLE_REDUCE,
    BODY_CHANGING_FAST_METHODS(LOGGED_FAST_ROW) BODY_CHANGING_ONE_METHODS(LOGGED_ONE_ROW)
        BODY_CHANGING_PLAIN_METHODS(LOGGED_PLAIN_ROW) BODY_FAST_METHODS(FAST_ROW)
            BODY_ONE_METHODS(ONE_ROW) BODY_PLAIN_METHODS(PLAIN_ROW){0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, core_handle_dealloc},
    {Py_tp_traverse, core_handle_traverse},
    {Py_tp_richcompare, core_handle_compare},
    {Py_tp_hash, core_handle_hash},
    {Py_tp_repr, body_repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_tp_members, core_handle_members},
    {Py_tp_new, core_refuse_new},
    {Py_tp_setattro, core_set_attribute},
    {Py_tp_doc, (void *)PyDoc_STR("A body of a World.\n\n"
                                  "Made by World.add_body or found in World.bodies. Two handles "
                                  "of one body are equal. Use after\nremoval raises RemovedError, "
                                  "except for index, id, world and alive.")},
    {0, NULL},
};

PyType_Spec core_body_spec = {
    .name = "pyphys2d._core.Body",
    .basicsize = sizeof(HandleObject),
    .flags = CORE_FLAGS,
    .slots = slots,
};

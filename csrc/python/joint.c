// Joint and its kinds: handles. Their properties come from the engine's table of kinds.
#include "python/joint.h"

#include <math.h>

#include "base/sort.h"

static HandleObject *handle_of(PyObject *object) {
    return (HandleObject *)object;
}

static const CoreType types[PH_JOINT_KIND_COUNT] = {
    [PH_JOINT_REVOLUTE] = TYPE_REVOLUTE_JOINT,   [PH_JOINT_DISTANCE] = TYPE_DISTANCE_JOINT,
    [PH_JOINT_PRISMATIC] = TYPE_PRISMATIC_JOINT, [PH_JOINT_WELD] = TYPE_WELD_JOINT,
    [PH_JOINT_WHEEL] = TYPE_WHEEL_JOINT,         [PH_JOINT_MOTOR] = TYPE_MOTOR_JOINT,
    [PH_JOINT_MOUSE] = TYPE_MOUSE_JOINT,         [PH_JOINT_FILTER] = TYPE_FILTER_JOINT,
    [PH_JOINT_PULLEY] = TYPE_PULLEY_JOINT,       [PH_JOINT_RATCHET] = TYPE_RATCHET_JOINT,
    [PH_JOINT_GEAR] = TYPE_GEAR_JOINT,
};

CoreType core_joint_type(PhJointKind kind) {
    return types[kind];
}

bool core_is_joint(const CoreState *core, PyObject *object) {
    return core->type[TYPE_JOINT] != NULL && PyObject_TypeCheck(object, core->type[TYPE_JOINT]);
}

static PhJointKind kind_of(PyObject *object) {
    const CoreState *core = handle_of(object)->world->core;
    int kind = 0;
    while (kind < PH_JOINT_KIND_COUNT - 1 && !Py_IS_TYPE(object, core->type[types[kind]])) {
        ++kind;
    }
    return (PhJointKind)kind;
}

// ------------------------------------------------------------------------------------------------
// numbers

bool core_to_joint_value(const PhJointParameter *parameter, PyObject *object, double *value) {
    double *out = value + parameter->at;
    return parameter->infinite ? core_to_extended(object, parameter->name, out)
                               : core_to_values(object, parameter->name, parameter->width, out);
}

static PyObject *get_value(PyObject *object, void *closure) {
    HandleObject *self = handle_of(object);
    const PhJointParameter *parameter =
        &ph_joint_kind(kind_of(object))->parameters[(intptr_t)closure];
    if (!core_enter_alive(self, HANDLE_JOINT)) {
        return NULL;
    }
    double value[PH_JOINT_VALUES];
    memcpy(value, ph_joint_get(self->world->world, self->id.index)->value, sizeof value);
    core_leave(self->world);
    if (parameter->optional && isnan(value[parameter->at])) {
        Py_RETURN_NONE;
    }
    return core_from_values(value + parameter->at, parameter->width);
}

// As core_to_joint_value, and None as when a joint is made: no limit, or what is worked out of the
// present poses.
static bool to_changed_value(const PhJointParameter *parameter, PyObject *object, double *value) {
    if (object != Py_None || isfinite(parameter->initial)) {
        return core_to_joint_value(parameter, object, value);
    }
    for (int32_t i = parameter->at; i < parameter->at + parameter->width; ++i) {
        value[i] = i == PH_JOINT_LOWER   ? parameter->least
                   : i == PH_JOINT_UPPER ? INFINITY
                                         : parameter->initial;
    }
    return true;
}

// Inside the gate, which it leaves. Changes the values of some parameters.
static bool leave_with(HandleObject *self, const PhJointParameter *parameters, int count,
                       const double *wanted) {
    double all[PH_JOINT_VALUES];
    memcpy(all, ph_joint_get(self->world->world, self->id.index)->value, sizeof all);
    for (int k = 0; k < count; ++k) {
        for (int32_t i = parameters[k].at; i < parameters[k].at + parameters[k].width; ++i) {
            all[i] = wanted[i];
        }
    }
    PhError error;
    PhStatus status = ph_joint_set(self->world->world, self->id, all, &error);
    core_leave(self->world);
    if (status == PH_OK) {
        return true;
    }
    bool limit = parameters[0].at == PH_JOINT_LOWER || parameters[0].at == PH_JOINT_UPPER;
    bool crossed = status == PH_ERROR_VALUE && all[PH_JOINT_LOWER] > all[PH_JOINT_UPPER];
    if (limit && count == 1 && crossed) {
        PyObject *text = Py_BuildValue("(dd)", all[PH_JOINT_LOWER], all[PH_JOINT_UPPER]);
        if (text != NULL) {
            PyErr_Format(PyExc_ValueError,
                         "%s: must leave lower <= upper, got %R; set_limits(lower, upper) moves "
                         "both at once",
                         parameters[0].name, text);
            Py_DECREF(text);
        }
        return false;
    }
    core_raise(self->world->core, &error);
    return false;
}

static int set_value(PyObject *object, PyObject *value, void *closure) {
    HandleObject *self = handle_of(object);
    const PhJointParameter *parameter =
        &ph_joint_kind(kind_of(object))->parameters[(intptr_t)closure];
    double wanted[PH_JOINT_VALUES];
    if (value == NULL) {
        PyErr_Format(PyExc_TypeError, "%s cannot be deleted", parameter->name);
        return -1;
    }
    bool done = to_changed_value(parameter, value, wanted) &&
                core_enter_alive_to_change(self, HANDLE_JOINT) &&
                leave_with(self, parameter, 1, wanted);
    return done ? 0 : -1;
}

PyDoc_STRVAR(
    set_limits_doc,
    "set_limits($self, lower, upper)\n--\n\n"
    "Move both limits at once, in any direction. Wakes the bodies.\n\n"
    "Parameters\n----------\n"
    "lower, upper : float or None\n"
    "    In the unit of the properties lower and upper; None: no limit on that side.\n\n"
    "Raises\n------\n"
    "ValueError\n    For lower > upper, NaN, or a number out of range: nothing is changed.\n"
    "TypeError\n    For what is no number.\n"
    "RemovedError\n    When the joint has been removed.\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> door = world.add_body(Box(1, 0.1), (0.5, 0))\n"
    ">>> hinge = world.add_revolute_joint(None, door, anchor=(0, 0), lower=0, upper=1)\n"
    ">>> hinge.set_limits(2, 3)\n"
    ">>> hinge.lower, hinge.upper\n"
    "(2.0, 3.0)");

// The limits are the first two parameters of the kinds that have them.
static PyObject *set_limits(PyObject *object, PyObject *const *args, Py_ssize_t count,
                            PyObject *keywords) {
    static const char *const names[] = {"lower", "upper"};
    static const CoreSignature signature = {"set_limits", names, 2, 2, 2};
    HandleObject *self = handle_of(object);
    const PhJointParameter *parameters = ph_joint_kind(kind_of(object))->parameters;
    PyObject *given[2];
    double wanted[PH_JOINT_VALUES];
    if (!core_bind(&signature, args, count, keywords, given) ||
        !to_changed_value(&parameters[0], given[0], wanted) ||
        !to_changed_value(&parameters[1], given[1], wanted) ||
        !core_enter_alive_to_change(self, HANDLE_JOINT) ||
        !leave_with(self, parameters, 2, wanted)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef limit_methods[] = {
    {"set_limits", CORE_FAST(set_limits), METH_FASTCALL | METH_KEYWORDS, set_limits_doc},
    {0},
};
static PyMethodDef no_methods[] = {{0}};

// ------------------------------------------------------------------------------------------------
// readings

typedef enum Reading {
    READ_ANCHOR_A,
    READ_ANCHOR_B,
    READ_AXIS,
    READ_POSITION,
    READ_SPEED,
    READ_ANGLE,
    READ_SPIN,
    READ_FORCE,
    READ_TORQUE,
} Reading;

static PyObject *get_reading(PyObject *object, void *closure) {
    HandleObject *self = handle_of(object);
    if (!core_enter_alive(self, HANDLE_JOINT)) {
        return NULL;
    }
    const PhJointResult *result = ph_joint_result(self->world->world, self->id.index);
    PhVec2 force = {result->force[0], result->force[1]};
    double torque = result->torque;
    PhJointReading reading = ph_joint_read(self->world->world, self->id.index);
    core_leave(self->world);
    switch ((Reading)(intptr_t)closure) {
    case READ_ANCHOR_A:
        return core_from_vec2(reading.anchor[0]);
    case READ_ANCHOR_B:
        return core_from_vec2(reading.anchor[1]);
    case READ_AXIS:
        return core_from_vec2(reading.axis);
    case READ_POSITION:
        return PyFloat_FromDouble(reading.position);
    case READ_SPEED:
        return PyFloat_FromDouble(reading.speed);
    case READ_ANGLE:
        return PyFloat_FromDouble(reading.angle);
    case READ_SPIN:
        return PyFloat_FromDouble(reading.spin);
    case READ_FORCE:
        return core_from_vec2(force);
    default:
        return PyFloat_FromDouble(torque);
    }
}

static PyObject *get_kind(PyObject *object, void *Py_UNUSED(closure)) {
    return PyUnicode_FromString(ph_joint_kind(kind_of(object))->name);
}

static PyObject *get_body(PyObject *object, void *closure) {
    HandleObject *self = handle_of(object);
    if (!core_enter_alive(self, HANDLE_JOINT)) {
        return NULL;
    }
    PhId id = {ph_joint_get(self->world->world, self->id.index)->body[(intptr_t)closure], 0};
    if (id.index != PH_NULL) {
        id = ph_body_id(self->world->world, id.index);
    }
    core_leave(self->world);
    if (id.index == PH_NULL) {
        Py_RETURN_NONE;
    }
    return core_handle(self->world, TYPE_BODY, id);
}

static PyObject *get_collide_connected(PyObject *object, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    if (!core_enter_alive(self, HANDLE_JOINT)) {
        return NULL;
    }
    bool collide = ph_joint_get(self->world->world, self->id.index)->collide_connected;
    core_leave(self->world);
    return PyBool_FromLong(collide);
}

static PyObject *joint_repr(PyObject *object) {
    HandleObject *self = handle_of(object);
    const char *name = strrchr(Py_TYPE(object)->tp_name, '.') + 1;
    unsigned long index = self->id.index;
    if (core_is_inside(self->world)) {
        return PyUnicode_FromFormat("<%s %lu>", name, index);
    }
    if (!core_enter(self->world)) {
        return NULL;
    }
    bool alive = ph_joint_valid(self->world->world, self->id);
    uint32_t a = PH_NULL, b = PH_NULL;
    if (alive) {
        a = ph_joint_get(self->world->world, self->id.index)->body[0];
        b = ph_joint_get(self->world->world, self->id.index)->body[1];
    }
    core_leave(self->world);
    if (!alive) {
        return PyUnicode_FromFormat("<%s %lu, removed>", name, index);
    }
    if (a == PH_NULL) {
        return PyUnicode_FromFormat("<%s %lu, the world and body %lu>", name, index,
                                    (unsigned long)b);
    }
    return PyUnicode_FromFormat("<%s %lu, bodies %lu and %lu>", name, index, (unsigned long)a,
                                (unsigned long)b);
}

typedef struct Found {
    PhId id;
    PhJointKind kind;
} Found;

static bool comes_first(const void *a, const void *b, const void *context) {
    (void)context;
    return ((const Found *)a)->id.index < ((const Found *)b)->id.index;
}

PyObject *core_body_joints(HandleObject *body) {
    if (!core_enter_body(body)) {
        return NULL;
    }
    const PhWorld *world = body->world->world;
    Py_ssize_t count = 0;
    for (uint32_t end = ph_body_first_joint(world, body->id.index); end != PH_NULL;
         end = ph_joint_next(world, end)) {
        ++count;
    }
    Found *found = PyMem_New(Found, (size_t)count + 1);
    if (found == NULL) {
        core_leave(body->world);
        return PyErr_NoMemory();
    }
    Py_ssize_t n = 0;
    for (uint32_t end = ph_body_first_joint(world, body->id.index); end != PH_NULL;
         end = ph_joint_next(world, end)) {
        const PhJoint *joint = ph_joint_get(world, end / 2);
        if (end % 2 && joint->body[0] == joint->body[1]) { // a gear may begin and end at one body
            --count;
            continue;
        }
        found[n++] = (Found){ph_joint_id(world, end / 2), (PhJointKind)joint->kind};
    }
    core_leave(body->world);
    ph_sort(found, (size_t)count, sizeof *found, comes_first, NULL);
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple != NULL && i < count; ++i) {
        PyObject *handle = core_handle(body->world, types[found[i].kind], found[i].id);
        if (handle == NULL) {
            Py_CLEAR(tuple);
        } else {
            PyTuple_SET_ITEM(tuple, i, handle);
        }
    }
    PyMem_Free(found);
    return tuple;
}

// ------------------------------------------------------------------------------------------------
// types

#define READ(name, which, doc)                                                                     \
    { name, get_reading, NULL, doc, (void *)which }

static PyGetSetDef joint_attributes[] = {
    {"index", core_handle_index, NULL, "Number of the joint in its world.", NULL},
    {"id", core_handle_id, NULL, "Number that is never used again in its world.", NULL},
    {"world", core_handle_world, NULL, "The World.", NULL},
    {"alive", core_handle_alive, NULL, "Whether the joint still exists.", NULL},
    {"kind", get_kind, NULL, "Name of the kind, such as 'revolute'.", NULL},
    {"body_a", get_body, NULL, "The first Body, or None for the world.", (void *)0},
    {"body_b", get_body, NULL, "The second Body.", (void *)1},
    {"collide_connected", get_collide_connected, NULL,
     "Whether the two bodies may collide with each other.", NULL},
    READ("anchor_a", READ_ANCHOR_A, "Where the joint holds a now, shape (2,), metres, world."),
    READ("anchor_b", READ_ANCHOR_B, "Where the joint holds b now, shape (2,), metres, world."),
    READ("force", READ_FORCE, "Mean force on b in the last step, shape (2,), N, world."),
    READ("torque", READ_TORQUE,
         "Mean torque on b in the last step, beside that of the force at the anchor, N m."),
    {0},
};

static PyMethodDef joint_methods[] = {CORE_HANDLE_REDUCE, {0}};

static PyType_Slot joint_slots[] = {
    {Py_tp_dealloc, core_handle_dealloc},
    {Py_tp_traverse, core_handle_traverse},
    {Py_tp_richcompare, core_handle_compare},
    {Py_tp_hash, core_handle_hash},
    {Py_tp_repr, joint_repr},
    {Py_tp_methods, joint_methods},
    {Py_tp_getset, joint_attributes},
    {Py_tp_members, core_handle_members},
    {Py_tp_doc,
     (void *)PyDoc_STR("Base class of all joints: what ties two bodies, or a body to the world.\n\n"
                       "Made by World.add_..._joint, taken away by World.remove, with either of "
                       "its bodies, or\nwhen it breaks; use after that raises RemovedError. "
                       "Assigning to a property wakes the bodies.")},
    {0, NULL},
};

PyType_Spec core_joint_spec = {
    .name = "pyphys2d._core.Joint",
    .basicsize = sizeof(HandleObject),
    .flags = CORE_HANDLE_FLAGS | Py_TPFLAGS_BASETYPE,
    .slots = joint_slots,
};

#define VALUE(i, name, doc)                                                                        \
    { name, get_value, set_value, doc, (void *)i }
#define BREAKS(i)                                                                                  \
    VALUE(i, "break_force",                                                                        \
          "The joint breaks when |force| of a step is more, N, >= 0; inf (or None): never.")
#define BREAKS_TWICE(i)                                                                            \
    BREAKS(i),                                                                                     \
        VALUE(i + 1, "break_torque", "The same for |torque|, N m, >= 0; inf (or None): never.")
#define SPRING(i, of)                                                                              \
    VALUE(i, "spring_hertz", "Frequency of the spring of the " of ", Hz, >= 0; 0: none."),         \
        VALUE(i + 1, "spring_damping_ratio", "Of the spring, >= 0; 1 is critical.")
// Limits and motor of a coordinate.
#define DRIVE(unit, none, speed, most, most_doc)                                                   \
    VALUE(0, "lower", "Lower limit, " unit "; " none " (or None): none."),                         \
        VALUE(1, "upper", "Upper limit, " unit "; inf (or None): none."),                          \
        VALUE(2, "motor_speed", "Speed that the motor aims at, " speed "."),                       \
        VALUE(3, most, "The most that the motor " most_doc ", >= 0; 0: no motor.")
#define SPRUNG(of, rest) SPRING(4, of), VALUE(6, "spring_target", rest)
// A way along an axis that turns with a.
#define SLIDE                                                                                      \
    READ("axis", READ_AXIS,                                                                        \
         "Direction of the axis now, shape (2,), unit, world; it turns with a."),                  \
        READ("translation", READ_POSITION,                                                         \
             "Way of b along the axis from the anchor of a, metres.")

#define JOINT_TYPE(variable, type_name, methods, doc)                                              \
    static PyType_Slot variable##_slots[] = {                                                      \
        {Py_tp_getset, variable##_attributes},                                                     \
        {Py_tp_methods, methods},                                                                  \
        {Py_tp_doc, (void *)PyDoc_STR(doc)},                                                       \
        {0, NULL},                                                                                 \
    };                                                                                             \
    PyType_Spec core_##variable##_spec = {                                                         \
        .name = "pyphys2d._core." type_name,                                                       \
        .basicsize = sizeof(HandleObject),                                                         \
        .flags = CORE_DERIVED_FLAGS | Py_TPFLAGS_DISALLOW_INSTANTIATION,                           \
        .slots = variable##_slots,                                                                 \
    }

static PyGetSetDef revolute_joint_attributes[] = {
    READ("angle", READ_POSITION,
         "Angle of b against a, 0 when the joint was made; counts turns; radians."),
    READ("speed", READ_SPEED, "Rate of the angle, rad/s."),
    DRIVE("radians", "-inf", "rad/s", "max_motor_torque", "gives, N m"),
    SPRUNG("angle", "Angle at which the spring rests, radians."),
    BREAKS_TWICE(7),
    {0},
};
JOINT_TYPE(revolute_joint, "RevoluteJoint", limit_methods,
           "Two points of two bodies are one; the bodies turn about it.\n\n"
           "Made by World.add_revolute_joint.");

static PyGetSetDef distance_joint_attributes[] = {
    READ("length", READ_POSITION, "Distance of the anchors now, metres."),
    READ("speed", READ_SPEED, "Rate of the length, m/s."),
    DRIVE("metres, >= 0", "0", "m/s; positive lengthens", "max_motor_force", "gives, N"),
    SPRUNG("length", "Length at which the spring rests, metres; None: as it is now."),
    BREAKS(7),
    {0},
};
JOINT_TYPE(distance_joint, "DistanceJoint", limit_methods,
           "Rod, rope, spring or piston between two points.\n\n"
           "Made by World.add_distance_joint.");

static PyGetSetDef prismatic_joint_attributes[] = {
    SLIDE,
    READ("speed", READ_SPEED, "Rate of the translation, m/s."),
    DRIVE("metres", "-inf", "m/s", "max_motor_force", "gives, N"),
    SPRUNG("translation", "Translation at which the spring rests, metres."),
    BREAKS_TWICE(7),
    {0},
};
JOINT_TYPE(prismatic_joint, "PrismaticJoint", limit_methods,
           "A body slides along an axis of another and does not turn against it.\n\n"
           "Made by World.add_prismatic_joint.");

static PyGetSetDef weld_joint_attributes[] = {
    READ("angle", READ_ANGLE, "Angle of b against a, 0 when the joint was made; radians."),
    SPRING(0, "place, and of the angle where that has none of its own"),
    VALUE(2, "angular_spring_hertz",
          "Frequency of the angle's own spring, Hz, >= 0; 0: the angle is held; None: place and "
          "angle are on one spring."),
    VALUE(3, "angular_spring_damping_ratio",
          "Of the angle's spring, >= 0; 1 is critical; None: as spring_damping_ratio."),
    BREAKS_TWICE(4),
    {0},
};
JOINT_TYPE(weld_joint, "WeldJoint", no_methods,
           "Two bodies are one, rigidly or softly in place, angle or both.\n\n"
           "Made by World.add_weld_joint.");

static PyGetSetDef wheel_joint_attributes[] = {
    SLIDE,
    READ("angle", READ_ANGLE, "Angle of b against a, 0 when the joint was made; radians."),
    READ("speed", READ_SPIN, "Rate of the angle, rad/s."),
    DRIVE("metres, of the translation", "-inf", "rad/s", "max_motor_torque", "gives, N m"),
    SPRUNG("translation", "Translation at which the spring rests, metres."),
    BREAKS_TWICE(7),
    {0},
};
JOINT_TYPE(wheel_joint, "WheelJoint", limit_methods,
           "A wheel on a suspension: b turns freely and slides along an axis of a.\n\n"
           "Made by World.add_wheel_joint.");

static PyGetSetDef motor_joint_attributes[] = {
    READ("angle", READ_ANGLE, "Angle of b against a, radians."),
    VALUE(0, "offset",
          "Where b's anchor is pulled to, from a's, while spring_hertz > 0; shape (2,), metres, "
          "frame of a; None: as it is now."),
    VALUE(1, "angle_offset",
          "Angle of b against a that it is pulled to, while spring_hertz > 0; radians; None: as it "
          "is now."),
    VALUE(2, "linear_velocity",
          "Velocity of b against a that it is driven at, while spring_hertz is 0; shape (2,), "
          "m/s, world."),
    VALUE(3, "angular_velocity", "The same of the spin, rad/s."),
    VALUE(4, "max_force", "The most that it pulls with, N, >= 0; inf (or None): any."),
    VALUE(5, "max_torque", "The most that it turns with, N m, >= 0; inf (or None): any."),
    VALUE(6, "spring_hertz",
          "Frequency of the spring to the offsets, Hz, >= 0; 0: it is driven at the velocities; "
          "None: 0 where one is not 0, else 5."),
    VALUE(7, "spring_damping_ratio", "Of the spring, >= 0; 1 is critical."),
    BREAKS_TWICE(8),
    {0},
};
JOINT_TYPE(motor_joint, "MotorJoint", no_methods,
           "Pulls b to a pose relative to a, or drives it at a velocity, with bounded force.\n\n"
           "Made by World.add_motor_joint.");

static PyGetSetDef mouse_joint_attributes[] = {
    VALUE(0, "target",
          "Point that the body is pulled to, shape (2,), metres, world; None: where it is now."),
    VALUE(1, "max_force", "The most that it pulls with, N, >= 0; inf (or None): any."),
    SPRING(2, "place"),
    BREAKS(4),
    {0},
};
JOINT_TYPE(mouse_joint, "MouseJoint", no_methods,
           "Pulls a point of a body to a target in the world, with bounded force.\n\n"
           "Made by World.add_mouse_joint.");

static PyGetSetDef filter_joint_attributes[] = {{0}};
JOINT_TYPE(filter_joint, "FilterJoint", no_methods,
           "Two bodies do not collide with each other.\n\nMade by World.add_filter_joint.");

// The rope: ground points, ratio and the lengths now.
typedef enum Rope { ROPE_GROUND_A, ROPE_GROUND_B, ROPE_RATIO, ROPE_LENGTH_A, ROPE_LENGTH_B } Rope;

static PyObject *get_rope(PyObject *object, void *closure) {
    HandleObject *self = handle_of(object);
    if (!core_enter_alive(self, HANDLE_JOINT)) {
        return NULL;
    }
    const PhJoint *joint = ph_joint_get(self->world->world, self->id.index);
    const double *at = joint->value + PH_JOINT_GROUND;
    PhVec2 ground[2] = {{at[0], at[1]}, {at[2], at[3]}};
    double ratio = joint->value[PH_JOINT_RATIO];
    PhJointReading reading = ph_joint_read(self->world->world, self->id.index);
    core_leave(self->world);
    switch ((Rope)(intptr_t)closure) {
    case ROPE_GROUND_A:
        return core_from_vec2(ground[0]);
    case ROPE_GROUND_B:
        return core_from_vec2(ground[1]);
    case ROPE_RATIO:
        return PyFloat_FromDouble(ratio);
    case ROPE_LENGTH_A:
        return PyFloat_FromDouble(ph_length(ph_sub(reading.anchor[0], ground[0])));
    default:
        return PyFloat_FromDouble(ph_length(ph_sub(reading.anchor[1], ground[1])));
    }
}

#define ROPE(name, which, doc)                                                                     \
    { name, get_rope, NULL, doc, (void *)which }

static PyGetSetDef pulley_joint_attributes[] = {
    ROPE("ground_a", ROPE_GROUND_A, "Where the rope of a runs to, shape (2,), metres, world."),
    ROPE("ground_b", ROPE_GROUND_B, "Where the rope of b runs to, shape (2,), metres, world."),
    ROPE("ratio", ROPE_RATIO, "How many times the rope of b counts in the length."),
    ROPE("length_a", ROPE_LENGTH_A, "Length of the rope of a now, metres."),
    ROPE("length_b", ROPE_LENGTH_B, "Length of the rope of b now, metres."),
    READ("length", READ_POSITION, "length_a + ratio length_b now, metres."),
    READ("speed", READ_SPEED, "Rate of the length, m/s."),
    DRIVE("metres, >= 0", "0", "m/s; positive lets rope out", "max_motor_force", "pulls a with, N"),
    BREAKS(4),
    {0},
};
JOINT_TYPE(pulley_joint, "PulleyJoint", limit_methods,
           "A rope from one body over two fixed points to another.\n\n"
           "Made by World.add_pulley_joint.");

static PyGetSetDef ratchet_joint_attributes[] = {
    READ("angle", READ_POSITION,
         "Angle of b against a, 0 when the joint was made; counts turns; radians."),
    READ("speed", READ_SPEED, "Rate of the angle, rad/s."),
    VALUE(0, "tooth", "Angle between teeth, radians, not 0; positive teeth let the angle grow."),
    VALUE(1, "phase", "Angle of a tooth, radians."),
    VALUE(2, "break_torque",
          "The joint breaks when |torque| of a step is more, N m, >= 0; inf (or None): never."),
    {0},
};
JOINT_TYPE(ratchet_joint, "RatchetJoint", no_methods,
           "A body turns against another one way only, tooth by tooth.\n\n"
           "Made by World.add_ratchet_joint.");

static PyObject *get_geared(PyObject *object, void *closure) {
    HandleObject *self = handle_of(object);
    if (!core_enter_alive(self, HANDLE_JOINT)) {
        return NULL;
    }
    const PhWorld *world = self->world->world;
    uint32_t index = ph_joint_get(world, self->id.index)->geared[(intptr_t)closure];
    PhId id = ph_joint_id(world, index);
    CoreType type = types[ph_joint_get(world, index)->kind];
    core_leave(self->world);
    return core_handle(self->world, type, id);
}

static PyGetSetDef gear_joint_attributes[] = {
    {"joint_a", get_geared, NULL, "The first joint.", (void *)0},
    {"joint_b", get_geared, NULL, "The second joint.", (void *)1},
    VALUE(0, "ratio", "Of the gear, not 0; what it keeps is then what it is now."),
    READ("position", READ_POSITION, "Coordinate of joint_a plus ratio times that of joint_b, now."),
    READ("speed", READ_SPEED, "Rate of the position."),
    BREAKS_TWICE(1),
    {0},
};
JOINT_TYPE(gear_joint, "GearJoint", no_methods,
           "Angles or translations of two joints move in a fixed ratio.\n\n"
           "body_a and body_b are the bodies b of the two joints; force and torque are those that "
           "the\ngear gives body_b, which has the same from its joint. A gear goes with either of "
           "its joints.\nMade by World.add_gear_joint.");

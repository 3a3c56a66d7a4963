// Joint and its kinds: handles. Classes and properties come from the engine's table of kinds.
#include "python/joint.h"

#include <math.h>

#include "base/sort.h"
#include "python/call_log.h"

static HandleObject *handle_of(PyObject *object) {
    return (HandleObject *)object;
}

CoreType core_joint_type(PhJointKind kind) {
    return (CoreType)(TYPE_JOINT + 1 + (int)kind); // they follow it in the order of their numbers
}

bool core_is_joint(const CoreState *core, PyObject *object) {
    return core->type[TYPE_JOINT] != NULL && PyObject_TypeCheck(object, core->type[TYPE_JOINT]);
}

static PhJointKind kind_of(PyObject *object) {
    const CoreState *core = handle_of(object)->world->core;
    int kind = 0;
    while (kind < PH_JOINT_KIND_COUNT - 1 &&
           !Py_IS_TYPE(object, core->type[core_joint_type((PhJointKind)kind)])) {
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
    return core_from_values(self->world->core, value + parameter->at, parameter->width,
                            (CoreAdvice){"joint", parameter->name, NULL, false});
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

// The lower one of those of a kind, which the upper one follows; NULL where it has none.
static const PhJointParameter *limits_of(PhJointKind kind) {
    const PhJointParameter *parameters = ph_joint_kind(kind)->parameters;
    for (int i = 0; i < PH_JOINT_PARAMETERS && parameters[i].name != NULL; ++i) {
        if (parameters[i].at == PH_JOINT_LOWER) {
            return &parameters[i];
        }
    }
    return NULL;
}

static PyObject *set_limits(PyObject *object, PyObject *const *args, Py_ssize_t count,
                            PyObject *keywords) {
    static const char *const names[] = {"lower", "upper"};
    static const CoreSignature signature = {"set_limits", names, 2, 2, 2};
    HandleObject *self = handle_of(object);
    const PhJointParameter *parameters = limits_of(kind_of(object));
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

CORE_LOGGED_FAST(set_limits, "set_limits", CORE_WORLD_OF_HANDLE)

static PyMethodDef limit_methods[] = {
    {"set_limits", CORE_FAST(set_limits_logged), METH_FASTCALL | METH_KEYWORDS, set_limits_doc},
    {0},
};
static PyMethodDef no_methods[] = {{0}};

// ------------------------------------------------------------------------------------------------
// readings

// What all joints have beside what the kinds say.
enum {
    READ_ANCHOR_A = 1000,
    READ_ANCHOR_B,
    READ_FORCE,
    READ_TORQUE,
    READ_LINEAR_SEPARATION,
    READ_ANGULAR_SEPARATION,
};

static PyObject *ground_of(const CoreState *core, const PhJoint *joint, int side) {
    const double *ground = joint->value + PH_JOINT_GROUND + 2 * side;
    return core_vector(core, ph_vec(ground[0], ground[1]),
                       (CoreAdvice){"joint", side ? "ground_b" : "ground_a", NULL, true});
}

static PyObject *rope_length(const PhJoint *joint, const PhJointReading *reading, int side) {
    const double *ground = joint->value + PH_JOINT_GROUND + 2 * side;
    return PyFloat_FromDouble(
        ph_length(ph_sub(reading->anchor[side], ph_vec(ground[0], ground[1]))));
}

static PyObject *get_reading(PyObject *object, void *closure) {
    HandleObject *self = handle_of(object);
    int what = (int)(intptr_t)closure;
    bool comes = what == READ_FORCE || what == READ_TORQUE; // of a step that is being made
    if (!(comes ? core_enter_alive_between_steps : core_enter_alive)(self, HANDLE_JOINT)) {
        return NULL;
    }
    const CoreState *core = self->world->core;
    const PhWorld *world = self->world->world;
    const PhJoint joint = *ph_joint_get(world, self->id.index);
    const PhJointResult result = *ph_joint_result(world, self->id.index);
    PhJointReading reading = ph_joint_read(world, self->id.index);
    double separation[2];
    if (what == READ_LINEAR_SEPARATION || what == READ_ANGULAR_SEPARATION) {
        ph_joint_separation(world, self->id.index, &separation[0], &separation[1]);
        core_leave(self->world);
        return PyFloat_FromDouble(separation[what == READ_ANGULAR_SEPARATION]);
    }
    if (what == PH_JOINT_READ_JOINT_A || what == PH_JOINT_READ_JOINT_B) {
        uint32_t index = joint.geared[what == PH_JOINT_READ_JOINT_B];
        PhId id = ph_joint_id(world, index);
        CoreType type = core_joint_type((PhJointKind)ph_joint_get(world, index)->kind);
        core_leave(self->world);
        return core_handle(self->world, type, id);
    }
    core_leave(self->world);
    switch (what) {
    case READ_ANCHOR_A:
        return core_vector(core, reading.anchor[0], (CoreAdvice){"joint", "anchor_a", NULL, true});
    case READ_ANCHOR_B:
        return core_vector(core, reading.anchor[1], (CoreAdvice){"joint", "anchor_b", NULL, true});
    case READ_FORCE:
        return core_vector(core, ph_vec(result.force[0], result.force[1]),
                           (CoreAdvice){"joint", "force", NULL, true});
    case READ_TORQUE:
        return PyFloat_FromDouble(result.torque);
    case PH_JOINT_READ_AXIS:
        return core_vector(core, reading.axis, (CoreAdvice){"joint", "axis", NULL, true});
    case PH_JOINT_READ_POSITION:
        return PyFloat_FromDouble(reading.position);
    case PH_JOINT_READ_SPEED:
        return PyFloat_FromDouble(reading.speed);
    case PH_JOINT_READ_ANGLE:
        return PyFloat_FromDouble(reading.angle);
    case PH_JOINT_READ_SPIN:
        return PyFloat_FromDouble(reading.spin);
    case PH_JOINT_READ_RATIO:
        return PyFloat_FromDouble(joint.value[PH_JOINT_RATIO]);
    case PH_JOINT_READ_GROUND_A:
        return ground_of(core, &joint, 0);
    case PH_JOINT_READ_GROUND_B:
        return ground_of(core, &joint, 1);
    case PH_JOINT_READ_ROPE_A:
        return rope_length(&joint, &reading, 0);
    default:
        return rope_length(&joint, &reading, 1);
    }
}

// ------------------------------------------------------------------------------------------------
// frames

static const char *const part_names[] = {"local_anchor_a", "local_anchor_b", "local_axis",
                                         "reference_angle"};

// Whether the kind has that part of a frame for users; else with an exception.
static bool has_part(PhJointKind kind, PhJointPart part) {
    const PhJointKindInfo *info = ph_joint_kind(kind);
    const char *told[] = {"local_anchor_a", "local_anchor_b", "axis", "reference_angle"};
    for (int i = 0; i < PH_JOINT_NAMES && info->arguments[i] != NULL; ++i) {
        if (strcmp(info->arguments[i], told[part]) == 0) {
            return true;
        }
    }
    if (info->aims && part == PH_JOINT_ANCHOR_B) { // of the body that a mouse joint pulls
        return true;
    }
    PyErr_Format(PyExc_AttributeError, "a %s joint has no %s%s", info->name, part_names[part],
                 info->driven && part == PH_JOINT_REFERENCE ? "; it has angle_offset"
                 : info->aims && part == PH_JOINT_ANCHOR_A  ? "; its point in the world is target"
                 : info->geared                             ? "; its joints may have one"
                                                            : "");
    return false;
}

static PyObject *get_part(PyObject *object, void *closure) {
    HandleObject *self = handle_of(object);
    PhJointPart part = (PhJointPart)(intptr_t)closure;
    double frame[PH_JOINT_FRAME];
    if (!core_enter_alive(self, HANDLE_JOINT)) {
        return NULL;
    }
    ph_joint_frame(self->world->world, self->id.index, frame);
    core_leave(self->world);
    if (!has_part(kind_of(object), part)) {
        return NULL;
    }
    if (part == PH_JOINT_REFERENCE) {
        return PyFloat_FromDouble(frame[PH_JOINT_FRAME - 1]);
    }
    PhVec2 v = ph_vec(frame[2 * (int)part], frame[2 * (int)part + 1]);
    return core_vector(self->world->core, v, (CoreAdvice){"joint", part_names[part], NULL, false});
}

static int set_part(PyObject *object, PyObject *value, void *closure) {
    HandleObject *self = handle_of(object);
    PhJointPart part = (PhJointPart)(intptr_t)closure;
    PhVec2 v = {0, 0};
    if (value == NULL) {
        PyErr_Format(PyExc_TypeError, "%s cannot be deleted", part_names[part]);
        return -1;
    }
    if (!has_part(kind_of(object), part)) {
        return -1;
    }
    bool told = part == PH_JOINT_REFERENCE ? core_to_double(value, part_names[part], &v.x)
                                           : core_to_vec2(value, part_names[part], &v);
    if (!told || !core_enter_alive_to_change(self, HANDLE_JOINT)) {
        return -1;
    }
    core_world_sync(self->world);
    PhError error;
    PhStatus status = ph_joint_move(self->world->world, self->id, part, v, &error);
    core_leave(self->world);
    if (status != PH_OK) {
        core_raise(self->world->core, &error);
        return -1;
    }
    return 0;
}

CORE_LOGGED_SET(set_part, CORE_WORLD_OF_HANDLE)

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

static PyObject *text_of_numbers(const char *name, const double *value, int32_t width) {
    PyObject *x = core_short_text(value[0]), *y = core_short_text(value[width - 1]), *text = NULL;
    if (x != NULL && y != NULL) {
        text = width == 1 ? PyUnicode_FromFormat(", %s=%U", name, x)
                          : PyUnicode_FromFormat(", %s=(%U, %U)", name, x, y);
    }
    Py_XDECREF(x);
    Py_XDECREF(y);
    return text;
}

// Whether a number of the joint says more than that it is as always.
static bool is_worth_telling(const PhJointParameter *parameter, const double *all) {
    const double *value = all + parameter->at;
    bool sprung = all[PH_JOINT_HERTZ] > 0 || all[PH_JOINT_STIFFNESS] > 0;
    switch (parameter->at) {
    case PH_JOINT_LOWER:
        return value[0] > parameter->least;
    case PH_JOINT_UPPER:
        return isfinite(value[0]);
    case PH_JOINT_POINT:
    case PH_JOINT_TARGET: // where a spring rests
        return sprung && !(value[0] == parameter->initial);
    default:
        return !isnan(value[0]) && (value[0] != parameter->initial ||
                                    value[parameter->width - 1] != parameter->initial);
    }
}

// What it reads now, and the numbers that differ from what they are when they are not told.
static void append_joint(PyObject **text, const PhJoint *joint, const PhJointReading *reading) {
    const PhJointKindInfo *info = ph_joint_kind((PhJointKind)joint->kind);
    for (int i = 0; i < PH_JOINT_READINGS && info->readings[i].name != NULL; ++i) {
        const char *name = info->readings[i].name;
        PhJointRead what = info->readings[i].what;
        if (what == PH_JOINT_READ_POSITION) {
            core_append(text, text_of_numbers(name, &reading->position, 1));
        } else if (what == PH_JOINT_READ_ANGLE) {
            core_append(text, text_of_numbers(name, &reading->angle, 1));
        } else if (what == PH_JOINT_READ_RATIO) {
            core_append(text, text_of_numbers(name, &joint->value[PH_JOINT_RATIO], 1));
        } else if (what == PH_JOINT_READ_JOINT_A || what == PH_JOINT_READ_JOINT_B) {
            int side = what == PH_JOINT_READ_JOINT_B;
            core_append(text,
                        PyUnicode_FromFormat(", %s=%lu", name, (unsigned long)joint->geared[side]));
        }
    }
    for (int i = 0; i < PH_JOINT_PARAMETERS && info->parameters[i].name != NULL; ++i) {
        const PhJointParameter *parameter = &info->parameters[i];
        if (is_worth_telling(parameter, joint->value)) {
            core_append(text, text_of_numbers(parameter->name, joint->value + parameter->at,
                                              parameter->width));
        }
    }
}

// "1 'car'", or "1" for a body without a name.
static PyObject *text_of_body(const WorldObject *world, PhId body) {
    PyObject *name = core_table_get(world->names, body), *text = NULL;
    if (name != NULL) {
        unsigned long slot = body.index;
        text = name == Py_None ? PyUnicode_FromFormat("%lu", slot)
                               : PyUnicode_FromFormat("%lu %R", slot, name);
    }
    Py_XDECREF(name);
    return text;
}

static PyObject *joint_repr(PyObject *object) {
    HandleObject *self = handle_of(object);
    const char *type = strrchr(Py_TYPE(object)->tp_name, '.') + 1;
    unsigned long index = self->id.index;
    if (core_is_inside(self->world)) {
        return PyUnicode_FromFormat("<%s %lu>", type, index);
    }
    if (!core_enter(self->world)) {
        return NULL;
    }
    const PhWorld *world = self->world->world;
    bool alive = ph_joint_valid(world, self->id);
    PhJoint joint = {0};
    PhJointReading reading = {0};
    PhId body[2] = {{PH_NULL, 0}, {PH_NULL, 0}};
    if (alive) {
        joint = *ph_joint_get(world, self->id.index);
        reading = ph_joint_read(world, self->id.index);
        for (int side = 0; side < 2; ++side) {
            if (joint.body[side] != PH_NULL) {
                body[side] = ph_body_id(world, joint.body[side]);
            }
        }
    }
    core_leave(self->world);
    if (!alive) {
        return PyUnicode_FromFormat("<%s %lu, removed>", type, index);
    }
    bool grounded = body[0].index == PH_NULL;
    PyObject *a = grounded ? PyUnicode_FromString("the world") : text_of_body(self->world, body[0]);
    PyObject *b = text_of_body(self->world, body[1]);
    PyObject *text = NULL;
    if (a != NULL && b != NULL) {
        const char *form = grounded ? "<%s %lu, %U and body %U" : "<%s %lu, bodies %U and %U";
        text = PyUnicode_FromFormat(form, type, index, a, b);
    }
    Py_XDECREF(a);
    Py_XDECREF(b);
    append_joint(&text, &joint, &reading);
    core_append(&text, PyUnicode_FromString(">"));
    return text;
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
        if ((end % 2 && joint->body[0] == joint->body[1]) || // a gear may begin and end at one body
            ph_joint_is_lock(world, end / 2)) {
            --count;
            continue;
        }
        found[n++] = (Found){ph_joint_id(world, end / 2), (PhJointKind)joint->kind};
    }
    core_leave(body->world);
    ph_sort(found, (size_t)count, sizeof *found, comes_first, NULL);
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple != NULL && i < count; ++i) {
        PyObject *handle = core_handle(body->world, core_joint_type(found[i].kind), found[i].id);
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
    CORE_USER_DATA,
    {"kind", get_kind, NULL, "Name of the kind, such as 'revolute'.", NULL},
    {"body_a", get_body, NULL, "The first Body, or None for the world.", (void *)0},
    {"body_b", get_body, NULL, "The second Body.", (void *)1},
    {"collide_connected", get_collide_connected, NULL,
     "Whether the two bodies may collide with each other.", NULL},
    READ("anchor_a", READ_ANCHOR_A, "Where the joint holds a now, shape (2,), metres, world."),
    READ("anchor_b", READ_ANCHOR_B, "Where the joint holds b now, shape (2,), metres, world."),
    {"local_anchor_a", get_part, set_part_logged,
     "Where the joint holds a, in the frame of a, shape (2,), metres; of joints with anchors. "
     "Setting it\nmoves the anchor.",
     (void *)PH_JOINT_ANCHOR_A},
    {"local_anchor_b", get_part, set_part_logged,
     "Where the joint holds b, in the frame of b, shape (2,), metres; of joints with anchors. "
     "Setting it\nmoves the anchor.",
     (void *)PH_JOINT_ANCHOR_B},
    {"local_axis", get_part, set_part_logged,
     "The axis in the frame of a, shape (2,), unit; of prismatic and wheel joints. A direction of "
     "any\nlength > 0 may be set.",
     (void *)PH_JOINT_AXIS},
    {"reference_angle", get_part, set_part_logged,
     "Angle of b less that of a where the joint's angle is 0, radians; of revolute, prismatic, "
     "weld, wheel\nand rotary joints.",
     (void *)PH_JOINT_REFERENCE},
    READ("linear_separation", READ_LINEAR_SEPARATION,
         "How far the joint is from the places and lengths that it holds, limits included, "
         "metres; springs hold\nnothing."),
    READ("angular_separation", READ_ANGULAR_SEPARATION,
         "How far the joint is from the angle that it holds, limits included, radians."),
    READ("force", READ_FORCE, "Mean force on b in the last step, shape (2,), N, world."),
    READ("torque", READ_TORQUE,
         "Mean torque on b in the last step, without the torque of the force at the anchor, N m."),
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
    {Py_tp_new, core_refuse_new},
    {Py_tp_setattro, core_set_attribute},
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
    .flags = CORE_FLAGS | Py_TPFLAGS_BASETYPE,
    .slots = joint_slots,
};

// ------------------------------------------------------------------------------------------------
// kinds

#define NAME(KIND, name, Type) "pyphys2d._core." #Type "Joint",
static const char *const names[PH_JOINT_KIND_COUNT] = {PH_JOINT_KINDS(NAME)};

CORE_LOGGED_SET(set_value, CORE_WORLD_OF_HANDLE)

PyObject *core_make_joint_type(CoreState *core, PyObject *module, PhJointKind kind) {
    const PhJointKindInfo *info = ph_joint_kind(kind);
    PyGetSetDef *property = core->joint_properties[kind];
    for (int i = 0; i < PH_JOINT_READINGS && info->readings[i].name != NULL; ++i) {
        const PhJointReadable *readable = &info->readings[i];
        *property++ = (PyGetSetDef){readable->name, get_reading, NULL, readable->doc,
                                    (void *)(intptr_t)readable->what};
    }
    for (int i = 0; i < PH_JOINT_PARAMETERS && info->parameters[i].name != NULL; ++i) {
        const PhJointParameter *parameter = &info->parameters[i];
        *property++ = (PyGetSetDef){parameter->name, get_value, set_value_logged, parameter->doc,
                                    (void *)(intptr_t)i};
    }
    *property = (PyGetSetDef){0};
    // Slots are not const to Python, which does not write to them.
    PyType_Slot slots[] = {
        {Py_tp_getset, core->joint_properties[kind]},
        {Py_tp_methods, limits_of(kind) != NULL ? limit_methods : no_methods},
        {Py_tp_doc, (void *)(uintptr_t)info->about},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = names[kind],
        .basicsize = sizeof(HandleObject),
        .flags = CORE_DERIVED_FLAGS,
        .slots = slots,
    };
    return PyType_FromModuleAndSpec(module, &spec, (PyObject *)core->type[TYPE_JOINT]);
}

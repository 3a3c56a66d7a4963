// Joints of a World: World.add_..._joint and World.joint_state. The handles are in joint.c.
#include <math.h>
#include <string.h>

#include "python/joint.h"
#include "python/world_methods.h"

// ------------------------------------------------------------------------------------------------
// making

enum { MOST_NAMES = 24 };

// Arguments of World.add_..._joint: those of the kind's own, its parameters (the engine's table)
// and collide_connected.
typedef struct Arguments {
    int positional, required;
    bool collide;         // may be asked for
    const char *names[8]; // before the parameters, up to NULL
} Arguments;

static const Arguments arguments[PH_JOINT_KIND_COUNT] = {
    [PH_JOINT_REVOLUTE] = {2, 2, true, {"a", "b", "anchor", "anchor_a", "anchor_b"}},
    [PH_JOINT_DISTANCE] = {2, 2, true, {"a", "b", "anchor_a", "anchor_b", "length"}},
    [PH_JOINT_PRISMATIC] = {2, 2, true, {"a", "b", "anchor", "anchor_a", "anchor_b", "axis"}},
    [PH_JOINT_WELD] = {2, 2, true, {"a", "b", "anchor", "anchor_a", "anchor_b"}},
    [PH_JOINT_WHEEL] = {2, 2, true, {"a", "b", "anchor", "anchor_a", "anchor_b", "axis"}},
    [PH_JOINT_MOTOR] = {2, 2, true, {"a", "b", "anchor", "anchor_a", "anchor_b"}},
    [PH_JOINT_MOUSE] = {1, 1, false, {"body", "anchor"}},
    [PH_JOINT_FILTER] = {2, 2, false, {"a", "b"}},
    [PH_JOINT_PULLEY] = {2,
                         4,
                         true,
                         {"a", "b", "ground_a", "ground_b", "anchor_a", "anchor_b", "ratio"}},
    [PH_JOINT_RATCHET] = {2, 3, true, {"a", "b"}},
    [PH_JOINT_GEAR] = {3, 2, true, {"joint_a", "joint_b"}},
};

typedef struct Signature {
    CoreSignature core;
    const char *names[MOST_NAMES];
} Signature;

// The core points into it.
static void fill_signature(PhJointKind kind, const char *function, Signature *signature) {
    const Arguments *own = &arguments[kind];
    const PhJointParameter *parameters = ph_joint_kind(kind)->parameters;
    int count = 0;
    for (int i = 0; own->names[i] != NULL; ++i) {
        signature->names[count++] = own->names[i];
    }
    for (int i = 0; i < PH_JOINT_PARAMETERS && parameters[i].name != NULL; ++i) {
        signature->names[count++] = parameters[i].name;
    }
    if (own->collide) {
        signature->names[count++] = "collide_connected";
    }
    signature->core =
        (CoreSignature){function, signature->names, count, own->positional, own->required};
}

// The argument of that name, NULL when it was not given or the function has none.
static PyObject *named(const CoreSignature *signature, PyObject *const *values, const char *name) {
    for (int i = 0; i < signature->count; ++i) {
        if (strcmp(signature->names[i], name) == 0) {
            return values[i];
        }
    }
    return NULL;
}

static bool to_body(WorldObject *self, PyObject *object, const char *name, bool optional,
                    HandleObject **body) {
    *body = NULL;
    if (optional && object == Py_None) {
        return true;
    }
    if (!Py_IS_TYPE(object, self->core->type[TYPE_BODY])) {
        PyErr_Format(PyExc_TypeError, "%s: must be a Body%s, got %.100s", name,
                     optional ? " or None" : "", Py_TYPE(object)->tp_name);
        return false;
    }
    if (((HandleObject *)object)->world != self) {
        PyErr_Format(PyExc_ValueError, "%s: %R belongs to another world", name, object);
        return false;
    }
    *body = (HandleObject *)object;
    return true;
}

typedef struct Places {
    bool given[2];
    PhVec2 anchor[2];
} Places;

static bool check_place(PhVec2 v, const char *name) {
    if (fabs(v.x) <= PH_JOINT_MOST && fabs(v.y) <= PH_JOINT_MOST) {
        return true;
    }
    char most[32];
    PyOS_snprintf(most, sizeof most, "be within +-%g m", PH_JOINT_MOST);
    return core_refuse_vec2(name, most, v);
}

static bool to_place(PyObject *object, const char *name, PhVec2 *out) {
    PhVec2 v;
    if (!core_to_vec2(object, name, &v) || !check_place(v, name)) {
        return false;
    }
    *out = v;
    return true;
}

static bool to_places(const CoreSignature *signature, PyObject *const *values, Places *places) {
    PyObject *both = named(signature, values, "anchor");
    PyObject *one[2] = {named(signature, values, "anchor_a"), named(signature, values, "anchor_b")};
    if (both != NULL && both != Py_None) {
        if ((one[0] != NULL && one[0] != Py_None) || (one[1] != NULL && one[1] != Py_None)) {
            PyErr_SetString(PyExc_TypeError, "anchor: give it, or anchor_a and anchor_b");
            return false;
        }
        places->given[0] = places->given[1] = true;
        if (!to_place(both, "anchor", &places->anchor[0])) {
            return false;
        }
        places->anchor[1] = places->anchor[0];
    }
    for (int i = 0; i < 2; ++i) {
        if (one[i] != NULL && one[i] != Py_None) {
            places->given[i] = true;
            if (!to_place(one[i], i ? "anchor_b" : "anchor_a", &places->anchor[i])) {
                return false;
            }
        }
    }
    return true;
}

// A direction of any length; (0, 0) stays what it is.
static bool to_axis(PyObject *object, PhVec2 *axis) {
    PhVec2 v;
    if (!core_to_vec2(object, "axis", &v)) {
        return false;
    }
    double size = fmax(fabs(v.x), fabs(v.y));
    *axis = size > 0 ? ph_vec(v.x / size, v.y / size) : v;
    return true;
}

static bool to_values(const CoreSignature *signature, PyObject *const *values, PhJointDef *def) {
    const PhJointParameter *parameters = ph_joint_kind(def->kind)->parameters;
    PyObject *length = named(signature, values, "length");
    PyObject *ratio = named(signature, values, "ratio");
    def->value[PH_JOINT_RATIO] = 1;
    bool pulley = def->kind == PH_JOINT_PULLEY;
    if (pulley && ratio != NULL && !core_to_positive(ratio, "ratio", &def->value[PH_JOINT_RATIO])) {
        return false;
    }
    for (int k = 0; k < 2; ++k) {
        const char *name = k ? "ground_b" : "ground_a";
        PyObject *ground = named(signature, values, name);
        PhVec2 point;
        if (ground == NULL) {
            continue;
        }
        if (!to_place(ground, name, &point)) {
            return false;
        }
        def->value[PH_JOINT_GROUND + 2 * k] = point.x;
        def->value[PH_JOINT_GROUND + 2 * k + 1] = point.y;
    }
    PyObject *axis = named(signature, values, "axis");
    PyObject *collide = named(signature, values, "collide_connected");
    if (length != NULL && length != Py_None && !core_to_positive(length, "length", &def->length)) {
        return false;
    }
    if (axis != NULL && !to_axis(axis, &def->axis)) {
        return false;
    }
    if (collide != NULL && !core_to_bool(collide, "collide_connected", &def->collide_connected)) {
        return false;
    }
    for (int i = 0; i < PH_JOINT_PARAMETERS && parameters[i].name != NULL; ++i) {
        PyObject *value = named(signature, values, parameters[i].name);
        bool default_none = !isfinite(parameters[i].initial);
        if (value != NULL && !(default_none && value == Py_None) &&
            !core_to_joint_value(&parameters[i], value, def->value)) {
            return false;
        }
    }
    PhVec2 target = ph_vec(def->value[PH_JOINT_POINT], def->value[PH_JOINT_POINT + 1]);
    return def->kind != PH_JOINT_MOUSE || isnan(target.x) || check_place(target, "target");
}

// Inside the gate: where anchors are that were not given.
static void place_anchors(const WorldObject *self, PhJointDef *def, const Places *places) {
    bool apart = def->kind == PH_JOINT_DISTANCE || def->kind == PH_JOINT_MOTOR ||
                 def->kind == PH_JOINT_PULLEY || def->kind == PH_JOINT_RATCHET ||
                 def->kind == PH_JOINT_FILTER;
    PhVec2 origin[2] = {{0, 0}, {0, 0}};
    for (int i = 0; i < 2; ++i) {
        if (def->body[i].index != PH_NULL && ph_body_valid(self->world, def->body[i])) {
            origin[i] = ph_body_transform(self->world, def->body[i].index).p;
        }
    }
    for (int i = 0; i < 2; ++i) {
        def->anchor[i] = places->given[i]                 ? places->anchor[i]
                         : !apart && places->given[1 - i] ? places->anchor[1 - i]
                         : apart                          ? origin[i]
                                                          : origin[1];
    }
    if (def->kind == PH_JOINT_MOUSE && !places->given[1] && !isnan(def->value[PH_JOINT_POINT])) {
        def->anchor[0] = def->anchor[1] =
            ph_vec(def->value[PH_JOINT_POINT], def->value[PH_JOINT_POINT + 1]);
    }
}

// places: NULL for what has none.
static PyObject *create(WorldObject *self, PhJointDef *def, const Places *places) {
    PhId id;
    PhError error;
    PyObject *handle = core_handle_blank(self, core_joint_type(def->kind));
    if (handle == NULL || !core_enter_to_change(self)) {
        Py_XDECREF(handle);
        return NULL;
    }
    core_world_sync(self);
    if (places != NULL) {
        place_anchors(self, def, places);
    }
    PhStatus status = ph_joint_create(self->world, def, &id, &error);
    core_leave(self);
    if (status != PH_OK) {
        Py_DECREF(handle);
        return core_raise(self->core, &error);
    }
    return core_handle_give(handle, id);
}

static PyObject *add_joint(PyObject *object, PhJointKind kind, const char *function,
                           PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    WorldObject *self = (WorldObject *)object;
    Signature own;
    const CoreSignature *signature = &own.core;
    PyObject *values[MOST_NAMES];
    fill_signature(kind, function, &own);
    PhJointDef def = ph_joint_def(kind);
    def.collide_connected = kind == PH_JOINT_RATCHET;
    Places places = {{false, false}, {{0, 0}, {0, 0}}};
    HandleObject *a = NULL, *b = NULL;
    bool mouse = kind == PH_JOINT_MOUSE;
    if (!core_bind(signature, args, count, keywords, values) ||
        (!mouse && !to_body(self, values[0], "a", true, &a)) ||
        !to_body(self, values[mouse ? 0 : 1], mouse ? "body" : "b", false, &b) ||
        !to_places(signature, values, &places) || !to_values(signature, values, &def)) {
        return NULL;
    }
    def.body[0] = a != NULL ? a->id : (PhId){PH_NULL, 0};
    def.body[1] = b->id;
    return create(self, &def, &places);
}

#define ADD_JOINT(name, kind)                                                                      \
    PyObject *core_world_add_##name##_joint(PyObject *object, PyObject *const *args,               \
                                            Py_ssize_t count, PyObject *keywords) {                \
        return add_joint(object, kind, "add_" #name "_joint", args, count, keywords);              \
    }

#define BODIES                                                                                     \
    "a : Body or None\n    None: the world, which does not move.\n"                                \
    "b : Body\n"
#define ANCHOR                                                                                     \
    "anchor : array_like, shape (2,), optional\n"                                                  \
    "    World point at which both are held; default: the position of b.\n"                        \
    "anchor_a, anchor_b : array_like, shape (2,), optional\n"                                      \
    "    Instead: two world points that the joint brings together.\n"
#define COLLIDE                                                                                    \
    "collide_connected : bool\n    Whether the two bodies may collide with each other.\n"
#define SPRINGS                                                                                    \
    "spring_hertz : float\n"                                                                       \
    "    Frequency of the two bodies on this spring, were they alone, Hz; 0: no spring.\n"         \
    "spring_damping_ratio : float\n    1 is critical.\n"
#define BREAKS                                                                                     \
    "break_force, break_torque : float, optional\n"                                                \
    "    The joint breaks, and is removed, when the mean force (N) or torque (N m) of a step is\n" \
    "    more; events.joint_break tells. Default: never.\n"
#define ERRORS                                                                                     \
    "Raises\n------\n"                                                                             \
    "ValueError\n    For NaN, a number out of range, one body twice, or a body of another "        \
    "world.\n"                                                                                     \
    "TypeError\n    For what is no body or no number.\n"                                           \
    "RemovedError\n    For a body that has been removed.\n\n"

const char core_world_add_revolute_joint_doc[] =
    "add_revolute_joint($self, a, b, *, anchor=None, anchor_a=None, anchor_b=None, lower=None,\n"
    "                   upper=None, motor_speed=0.0, max_motor_torque=0.0, spring_hertz=0.0,\n"
    "                   spring_damping_ratio=0.0, spring_target=0.0, break_force=None,\n"
    "                   break_torque=None, collide_connected=False)\n--\n\n"
    "Let two bodies turn about a common point. Wakes them.\n\n"
    "The joint's angle is that of b against a, 0 now; it counts turns.\n\n"
    "Parameters\n----------\n" BODIES ANCHOR
    "lower, upper : float, optional\n    Limits of the angle, radians, of any size.\n"
    "motor_speed : float\n    Speed that the motor aims at, rad/s.\n"
    "max_motor_torque : float\n    The most that it gives, N m; 0: no motor, and with speed 0 a "
    "friction.\n" SPRINGS "spring_target : float\n    Angle at which the spring rests, "
    "radians.\n" BREAKS COLLIDE "\nReturns\n-------\nRevoluteJoint\n\n" ERRORS
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> bob = world.add_body(Circle(0.1), (1, 0))\n"
    ">>> pin = world.add_revolute_joint(None, bob, anchor=(0, 0))\n"
    ">>> world.step(n=60)\n"
    ">>> bool(abs(np.hypot(*bob.position) - 1) < 1e-3)\n"
    "True";

ADD_JOINT(revolute, PH_JOINT_REVOLUTE)

const char core_world_add_distance_joint_doc[] =
    "add_distance_joint($self, a, b, *, anchor_a=None, anchor_b=None, length=None, lower=None,\n"
    "                   upper=None, motor_speed=0.0, max_motor_force=0.0, spring_hertz=0.0,\n"
    "                   spring_damping_ratio=0.0, spring_target=None, break_force=None,\n"
    "                   collide_connected=False)\n--\n\n"
    "Tie two points by a rod, a rope, a spring or a piston. Wakes the bodies.\n\n"
    "Without limits, spring and motor it is a rod of the given length: lower = upper = length.\n"
    "With any of them it is what they say: an upper limit alone is a rope.\n\n"
    "Parameters\n----------\n" BODIES "anchor_a, anchor_b : array_like, shape (2,), optional\n"
    "    World points; default: the positions of the bodies.\n"
    "length : float, optional\n    Of the rod, or of the spring at rest, > 0; default: as it is "
    "now.\n"
    "lower, upper : float, optional\n    Limits of the length, metres, >= 0.\n"
    "motor_speed : float\n    Speed that the motor aims at, m/s; positive lengthens.\n"
    "max_motor_force : float\n    The most that it gives, N; 0: no motor.\n" SPRINGS
    "spring_target : float, optional\n    Length of the spring at rest, metres; default: "
    "length.\n"
    "break_force : float, optional\n    The joint breaks, and is removed, when the mean force of a "
    "step is "
    "more, N;\n    events.joint_break tells.\n" COLLIDE
    "\nReturns\n-------\nDistanceJoint\n\n" ERRORS "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> bob = world.add_body(Circle(0.1), (0, -1), mass=2)\n"
    ">>> rope = world.add_distance_joint(None, bob, upper=1)\n"
    ">>> world.step(n=60)\n"
    ">>> bool(abs(rope.force[1] - 2 * 9.81) < 1e-3)\n"
    "True";

ADD_JOINT(distance, PH_JOINT_DISTANCE)

const char core_world_add_prismatic_joint_doc[] =
    "add_prismatic_joint($self, a, b, *, anchor=None, anchor_a=None, anchor_b=None, axis=(1, 0),\n"
    "                    lower=None, upper=None, motor_speed=0.0, max_motor_force=0.0,\n"
    "                    spring_hertz=0.0, spring_damping_ratio=0.0, spring_target=0.0,\n"
    "                    break_force=None, break_torque=None, collide_connected=False)\n--\n\n"
    "Let b slide along an axis of a, without turning against it. Wakes them.\n\n"
    "The joint's translation is the way of b's anchor along the axis from a's.\n\n"
    "Parameters\n----------\n" BODIES ANCHOR
    "axis : array_like, shape (2,)\n    Direction, world, of any length > 0; it turns with a.\n"
    "lower, upper : float, optional\n    Limits of the translation, metres.\n"
    "motor_speed : float\n    Speed that the motor aims at, m/s.\n"
    "max_motor_force : float\n    The most that it gives, N; 0: no motor.\n" SPRINGS
    "spring_target : float\n    Translation at which the spring rests, metres.\n" BREAKS COLLIDE
    "\nReturns\n-------\nPrismaticJoint\n\n" ERRORS "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> lift = world.add_body(Box(1, 0.2), (0, 0))\n"
    ">>> rail = world.add_prismatic_joint(None, lift, axis=(0, 1), motor_speed=0.5,\n"
    "...                                  max_motor_force=100)\n"
    ">>> world.step(n=120)\n"
    ">>> bool(abs(rail.translation - 1) < 0.01)\n"
    "True";

ADD_JOINT(prismatic, PH_JOINT_PRISMATIC)

const char core_world_add_weld_joint_doc[] =
    "add_weld_joint($self, a, b, *, anchor=None, anchor_a=None, anchor_b=None, spring_hertz=0.0,\n"
    "               spring_damping_ratio=0.0, angular_spring_hertz=None,\n"
    "               angular_spring_damping_ratio=None, break_force=None, break_torque=None,\n"
    "               collide_connected=False)\n--\n\n"
    "Make two bodies one, as they lie now, rigidly or on springs. Wakes them.\n\n"
    "Parameters\n----------\n" BODIES ANCHOR SPRINGS "angular_spring_hertz : float, optional\n"
    "    Frequency of a spring of the angle alone, were the place held, Hz; 0: the angle is held.\n"
    "    That of spring_hertz is then of the place alone, were the angle held; 0: the place is\n"
    "    held. Default: one spring of both.\n"
    "angular_spring_damping_ratio : float, optional\n"
    "    Of the angle; default: as spring_damping_ratio. With either of the two, place and angle\n"
    "    have a spring each.\n" BREAKS COLLIDE "\nReturns\n-------\nWeldJoint\n\n" ERRORS
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> shelf = world.add_body(Box(1, 0.1), (0.5, 0), density=10)\n"
    ">>> weld = world.add_weld_joint(None, shelf, anchor=(0, 0))\n"
    ">>> world.step(n=60)\n"
    ">>> bool(abs(weld.torque - 9.81 * 0.5) < 1e-2)\n"
    "True";

ADD_JOINT(weld, PH_JOINT_WELD)

const char core_world_add_wheel_joint_doc[] =
    "add_wheel_joint($self, a, b, *, anchor=None, anchor_a=None, anchor_b=None, axis=(0, 1),\n"
    "                lower=None, upper=None, motor_speed=0.0, max_motor_torque=0.0,\n"
    "                spring_hertz=0.0, spring_damping_ratio=0.0, spring_target=0.0,\n"
    "                break_force=None, break_torque=None, collide_connected=False)\n--\n\n"
    "Hang a wheel b on a: it turns freely and slides along an axis of a. Wakes them.\n\n"
    "Parameters\n----------\n" BODIES ANCHOR
    "axis : array_like, shape (2,)\n    Of the suspension, world, of any length > 0; it turns "
    "with a.\n"
    "lower, upper : float, optional\n    Limits of the translation, metres.\n"
    "motor_speed : float\n    Spin of b against a that the motor aims at, rad/s.\n"
    "max_motor_torque : float\n    The most that it gives, N m; 0: no motor.\n" SPRINGS
    "spring_target : float\n    Translation at which the spring rests, metres.\n" BREAKS COLLIDE
    "\nReturns\n-------\nWheelJoint\n\n" ERRORS "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> wheel = world.add_body(Circle(0.3), (0, 0))\n"
    ">>> hub = world.add_wheel_joint(None, wheel, spring_hertz=2, spring_damping_ratio=1)\n"
    ">>> world.step(n=180)\n"
    ">>> bool(abs(hub.translation + 9.81 / (4 * np.pi) ** 2) < 1e-3)\n"
    "True";

ADD_JOINT(wheel, PH_JOINT_WHEEL)

const char core_world_add_motor_joint_doc[] =
    "add_motor_joint($self, a, b, *, anchor=None, anchor_a=None, anchor_b=None, offset=None,\n"
    "                angle_offset=None, linear_velocity=(0, 0), angular_velocity=0.0,\n"
    "                max_force=None, max_torque=None, spring_hertz=None, "
    "spring_damping_ratio=1.0,\n"
    "                break_force=None, break_torque=None, collide_connected=False)\n--\n\n"
    "Pull b to a pose relative to a, or drive it at a velocity. Wakes them.\n\n"
    "With a spring (spring_hertz > 0) it pulls to the offsets, else it drives at the "
    "velocities: of\noffsets and velocities (other than 0) only one may be given, unless "
    "spring_hertz is.\n\n"
    "Parameters\n----------\n" BODIES
    "anchor : array_like, shape (2,), optional\n    World point of both; default: the positions "
    "of the bodies.\n"
    "anchor_a, anchor_b : array_like, shape (2,), optional\n    Instead: a point of each.\n"
    "offset : array_like, shape (2,), optional\n"
    "    Of b's anchor from a's, metres, in the frame of a; default: as it is now.\n"
    "angle_offset : float, optional\n    Angle of b against a, radians; default: as it is now.\n"
    "linear_velocity : array_like, shape (2,)\n    Of b against a, m/s, world.\n"
    "angular_velocity : float\n    Of b against a, rad/s.\n"
    "max_force, max_torque : float, optional\n    The most that it pulls (N) and turns with (N "
    "m).\n"
    "spring_hertz : float, optional\n    Default: 5, or 0 where a velocity is given.\n"
    "spring_damping_ratio : float\n    1 is critical.\n" BREAKS COLLIDE
    "\nReturns\n-------\nMotorJoint\n\n" ERRORS "Examples\n--------\n"
    ">>> world = World(gravity=(0, 0))\n"
    ">>> drone = world.add_body(Box(1, 0.2))\n"
    ">>> pull = world.add_motor_joint(None, drone, offset=(2, 1), spring_hertz=2)\n"
    ">>> world.step(n=180)\n"
    ">>> bool(np.allclose(drone.position, (2, 1), atol=1e-3))\n"
    "True";

ADD_JOINT(motor, PH_JOINT_MOTOR)

const char core_world_add_mouse_joint_doc[] =
    "add_mouse_joint($self, body, *, target=None, anchor=None, max_force=None, spring_hertz=5.0,\n"
    "                spring_damping_ratio=1.0, break_force=None)\n--\n\n"
    "Pull a point of a body to a target in the world. Wakes it.\n\n"
    "Parameters\n----------\n"
    "body : Body\n"
    "target : array_like, shape (2,), optional\n    World point; default: the anchor.\n"
    "anchor : array_like, shape (2,), optional\n"
    "    World point of the body to pull at; default: the target, else its position.\n"
    "max_force : float, optional\n    The most that it pulls with, N.\n" SPRINGS
    "break_force : float, optional\n    The joint breaks, and is removed, when the mean force of a "
    "step is "
    "more, N.\n\n"
    "Returns\n-------\nMouseJoint\n    Assign to target to move it.\n\n" ERRORS
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> body = world.add_body(Circle(0.5))\n"
    ">>> mouse = world.add_mouse_joint(body)\n"
    ">>> mouse.target = (1, 2)\n"
    ">>> world.step(n=240)\n"
    ">>> bool(np.allclose(body.position, (1, 2), atol=0.02))\n"
    "True";

ADD_JOINT(mouse, PH_JOINT_MOUSE)

const char core_world_add_filter_joint_doc[] =
    "add_filter_joint($self, a, b)\n--\n\n"
    "Keep two bodies from colliding with each other.\n\n"
    "Parameters\n----------\n"
    "a, b : Body\n\n"
    "Returns\n-------\nFilterJoint\n    World.remove takes it away.\n\n" ERRORS
    "Examples\n--------\n"
    ">>> world = World(gravity=(0, 0))\n"
    ">>> a, b = world.add_body(Box(1, 1)), world.add_body(Box(1, 1), (0.5, 0))\n"
    ">>> joint = world.add_filter_joint(a, b)\n"
    ">>> world.step()\n"
    ">>> len(world.contacts)\n"
    "0";

ADD_JOINT(filter, PH_JOINT_FILTER)

const char core_world_add_pulley_joint_doc[] =
    "add_pulley_joint($self, a, b, *, ground_a, ground_b, anchor_a=None, anchor_b=None, "
    "ratio=1.0,\n"
    "                 lower=None, upper=None, motor_speed=0.0, max_motor_force=0.0,\n"
    "                 break_force=None, collide_connected=False)\n--\n\n"
    "Tie two bodies by a rope that runs over two fixed points. Wakes them.\n\n"
    "Its length is length_a + ratio length_b, from the ground points to the anchors. Without "
    "limits "
    "and\nmotor it stays what it is now, and the rope also pushes; with upper alone the rope may "
    "be "
    "slack;\nwith a motor it is a winch.\n\n"
    "Parameters\n----------\n"
    "a, b : Body\n"
    "ground_a, ground_b : array_like, shape (2,)\n    World points over which the rope runs.\n"
    "anchor_a, anchor_b : array_like, shape (2,), optional\n"
    "    World points of the bodies; default: their positions.\n"
    "ratio : float\n    Of a block and tackle, > 0.\n"
    "lower, upper : float, optional\n    Limits of the length, metres, >= 0.\n"
    "motor_speed : float\n    Rate of the length that the motor aims at, m/s.\n"
    "max_motor_force : float\n    The most that it pulls a with, N; 0: no motor.\n"
    "break_force : float, optional\n    The joint breaks, and is removed, when the mean force on "
    "b of a step is more, N.\n" COLLIDE "\nReturns\n-------\nPulleyJoint\n\n" ERRORS
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> a = world.add_body(Box(1, 1), (-2, 0), mass=1)\n"
    ">>> b = world.add_body(Box(1, 1), (2, 0), mass=3)\n"
    ">>> rope = world.add_pulley_joint(a, b, ground_a=(-2, 5), ground_b=(2, 5))\n"
    ">>> world.step(n=30)\n"
    ">>> bool(abs(a.velocity[1] - 9.81 / 2 * 0.5) < 1e-2)\n"
    "True";

ADD_JOINT(pulley, PH_JOINT_PULLEY)

const char core_world_add_ratchet_joint_doc[] =
    "add_ratchet_joint($self, a, b, *, tooth, phase=0.0, break_torque=None,\n"
    "                  collide_connected=True)\n--\n\n"
    "Let b turn against a one way only. Wakes them.\n\n"
    "Turned back, it stops at the last tooth that it has passed. Holds no points together: use it "
    "with a\nrevolute joint.\n\n"
    "Parameters\n----------\n" BODIES
    "tooth : float\n    Angle between teeth, radians, not 0; positive teeth let the angle of b "
    "against a grow.\n"
    "phase : float\n    Angle of a tooth, radians; the angle is 0 now.\n"
    "break_torque : float, optional\n    The joint breaks, and is removed, when the mean torque "
    "of a step is more, N m.\n" COLLIDE "\nReturns\n-------\nRatchetJoint\n\n" ERRORS
    "Examples\n--------\n"
    ">>> world = World(gravity=(0, 0))\n"
    ">>> wheel = world.add_body(Circle(0.5), angular_velocity=-1)\n"
    ">>> pawl = world.add_ratchet_joint(None, wheel, tooth=0.5)\n"
    ">>> world.step(n=60)\n"
    ">>> bool(abs(pawl.angle) < 1e-3)\n"
    "True";

ADD_JOINT(ratchet, PH_JOINT_RATCHET)

const char core_world_add_gear_joint_doc[] =
    "add_gear_joint($self, joint_a, joint_b, ratio=1.0, *, break_force=None, break_torque=None,\n"
    "               collide_connected=False)\n--\n\n"
    "Let the coordinates of two joints move in a fixed ratio. Wakes their bodies.\n\n"
    "a + ratio b stays what it is now, a and b being the angle of a revolute joint or the "
    "translation\nof a prismatic one: wheels of radii r and s that touch have the ratio s / r, a "
    "wheel (joint_a) on\na rack the ratio 1 / r or -1 / r. Make the gear's bodies the second of "
    "their joints.\n\n"
    "Parameters\n----------\n"
    "joint_a, joint_b : RevoluteJoint or PrismaticJoint\n    The gear goes with either.\n"
    "ratio : float\n    Not 0; radians or metres of joint_a per one of joint_b.\n" BREAKS
    "collide_connected : bool\n    Whether the second bodies of the joints may collide.\n\n"
    "Returns\n-------\nGearJoint\n\n"
    "Raises\n------\n"
    "ValueError\n    For NaN, a number out of range, other kinds of joints, one joint twice, or a "
    "joint of\n    another world.\n"
    "TypeError\n    For what is no joint or no number.\n"
    "RemovedError\n    For a joint that has been removed.\n\n"
    "Examples\n--------\n"
    ">>> world = World(gravity=(0, 0))\n"
    ">>> small, big = world.add_body(Circle(1)), world.add_body(Circle(2), (3, 0))\n"
    ">>> pins = [world.add_revolute_joint(None, wheel) for wheel in (small, big)]\n"
    ">>> gear = world.add_gear_joint(*pins, 2)\n"
    ">>> small.angular_velocity = 3\n"
    ">>> world.step()\n"
    ">>> round(float(small.angular_velocity / big.angular_velocity), 3)\n"
    "-2.0";

static bool to_joint(WorldObject *self, PyObject *object, const char *name, PhId *id) {
    if (!core_is_joint(self->core, object)) {
        PyErr_Format(PyExc_TypeError, "%s: must be a joint, got %.100s", name,
                     Py_TYPE(object)->tp_name);
        return false;
    }
    if (((HandleObject *)object)->world != self) {
        PyErr_Format(PyExc_ValueError, "%s: %R belongs to another world", name, object);
        return false;
    }
    *id = ((HandleObject *)object)->id;
    return true;
}

PyObject *core_world_add_gear_joint(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                    PyObject *keywords) {
    WorldObject *self = (WorldObject *)object;
    Signature signature;
    PyObject *values[MOST_NAMES];
    PhJointDef def = ph_joint_def(PH_JOINT_GEAR);
    fill_signature(PH_JOINT_GEAR, "add_gear_joint", &signature);
    if (!core_bind(&signature.core, args, count, keywords, values) ||
        !to_joint(self, values[0], "joint_a", &def.geared[0]) ||
        !to_joint(self, values[1], "joint_b", &def.geared[1]) ||
        !to_values(&signature.core, values, &def)) {
        return NULL;
    }
    return create(self, &def, NULL);
}

// ------------------------------------------------------------------------------------------------
// reading

PyObject *core_world_get_joint_state(PyObject *object, void *Py_UNUSED(closure)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter(self)) {
        return NULL;
    }
    const PhWorld *world = self->world;
    PyObject *array = core_rows(self->core, ROW_JOINT, NULL, ph_joint_count(world));
    CoreJointRow *row = array != NULL ? PyArray_DATA((PyArrayObject *)array) : NULL;
    for (uint32_t i = 0; row != NULL && i < ph_joint_limit(world); ++i) {
        if (!ph_joint_alive(world, i)) {
            continue;
        }
        const PhJoint *joint = ph_joint_get(world, i);
        const PhJointResult *result = ph_joint_result(world, i);
        PhJointReading reading = ph_joint_read(world, i);
        row->joint = (int32_t)i;
        row->kind = joint->kind;
        row->body_a = joint->body[0] == PH_NULL ? -1 : (int32_t)joint->body[0];
        row->body_b = (int32_t)joint->body[1];
        for (int k = 0; k < 2; ++k) {
            double *anchor = k ? row->anchor_b : row->anchor_a;
            anchor[0] = reading.anchor[k].x;
            anchor[1] = reading.anchor[k].y;
            row->force[k] = result->force[k];
        }
        row->torque = result->torque;
        row->position = reading.position;
        row->speed = reading.speed;
        row->angle = reading.angle;
        ++row;
    }
    core_leave(self);
    return array;
}

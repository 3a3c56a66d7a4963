// Methods of Body: forces, frames, attaching.
#include "python/body_methods.h"

#include "base/memory.h"
#include "python/convert.h"

static HandleObject *handle_of(PyObject *object) {
    return (HandleObject *)object;
}

// Leaves the gate; None, or the exception of a failure.
static PyObject *leave(HandleObject *self, PhStatus status, const PhError *error) {
    core_leave(self->world);
    if (status != PH_OK) {
        return core_raise(self->world->core, error);
    }
    Py_RETURN_NONE;
}

// ------------------------------------------------------------------------------------------------
// forces

typedef PhStatus Push(PhWorld *world, PhId body, PhVec2 push, const PhVec2 *point, PhError *error);

static PyObject *push_at(HandleObject *self, const CoreSignature *signature, PyObject *const *args,
                         Py_ssize_t count, PyObject *keywords, Push *function) {
    PyObject *values[3];
    PhVec2 push, point;
    bool local = false;
    if (!core_bind(signature, args, count, keywords, values)) {
        return NULL;
    }
    bool at_point = values[1] != NULL && values[1] != Py_None;
    if (!core_to_vec2(values[0], signature->names[0], &push) ||
        (at_point && !core_to_vec2(values[1], "point", &point)) ||
        (values[2] != NULL && !core_to_bool(values[2], "local", &local)) ||
        !core_enter_body_to_change(self)) {
        return NULL;
    }
    if (local) {
        PhTransform pose = ph_body_transform(self->world->world, self->id.index);
        push = ph_rotate(pose.q, push);
        point = at_point ? ph_apply(pose, point) : point;
    }
    PhError error;
    PhStatus status =
        function(self->world->world, self->id, push, at_point ? &point : NULL, &error);
    return leave(self, status, &error);
}

const char core_body_apply_force_doc[] =
    "apply_force($self, force, point=None, *, local=False)\n--\n\n"
    "Add a force that acts during the next step; wakes the body.\n\n"
    "Parameters\n----------\n"
    "force : array_like, shape (2,)\n    N, world.\n"
    "point : array_like, shape (2,), optional\n"
    "    Point at which it acts, metres, world; by default the centre of mass.\n"
    "local : bool\n    Whether both are in the body's frame.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN or infinity.\n"
    "RemovedError\n    When the body has been removed.";

PyObject *core_body_apply_force(PyObject *self, PyObject *const *args, Py_ssize_t count,
                                PyObject *keywords) {
    static const char *const names[] = {"force", "point", "local"};
    static const CoreSignature signature = {"apply_force", names, 3, 2, 1};
    return push_at(handle_of(self), &signature, args, count, keywords, ph_body_apply_force);
}

const char core_body_apply_impulse_doc[] =
    "apply_impulse($self, impulse, point=None, *, local=False)\n--\n\n"
    "Change the velocities at once by an impulse; wakes the body.\n\n"
    "Parameters\n----------\n"
    "impulse : array_like, shape (2,)\n    N s, world.\n"
    "point : array_like, shape (2,), optional\n"
    "    Point at which it acts, metres, world; by default the centre of mass.\n"
    "local : bool\n    Whether both are in the body's frame.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN or infinity.\n"
    "RemovedError\n    When the body has been removed.";

PyObject *core_body_apply_impulse(PyObject *self, PyObject *const *args, Py_ssize_t count,
                                  PyObject *keywords) {
    static const char *const names[] = {"impulse", "point", "local"};
    static const CoreSignature signature = {"apply_impulse", names, 3, 2, 1};
    return push_at(handle_of(self), &signature, args, count, keywords, ph_body_apply_impulse);
}

typedef PhStatus Turn(PhWorld *world, PhId body, double turn, PhError *error);

static PyObject *turn_by(HandleObject *self, PyObject *arg, const char *name, Turn *function) {
    double turn;
    PhError error;
    if (!core_to_double(arg, name, &turn) || !core_enter_body_to_change(self)) {
        return NULL;
    }
    PhStatus status = function(self->world->world, self->id, turn, &error);
    return leave(self, status, &error);
}

const char core_body_apply_torque_doc[] =
    "apply_torque($self, torque, /)\n--\n\n"
    "Add a torque (N m) that acts during the next step; wakes the body.";

PyObject *core_body_apply_torque(PyObject *self, PyObject *arg) {
    return turn_by(handle_of(self), arg, "torque", ph_body_apply_torque);
}

const char core_body_apply_angular_impulse_doc[] =
    "apply_angular_impulse($self, impulse, /)\n--\n\n"
    "Change the angular velocity at once by an angular impulse (N m s); wakes the body.";

PyObject *core_body_apply_angular_impulse(PyObject *self, PyObject *arg) {
    return turn_by(handle_of(self), arg, "impulse", ph_body_apply_angular_impulse);
}

const char core_body_move_to_doc[] =
    "move_to($self, position, angle, dt)\n--\n\n"
    "Give a kinematic body the velocities that bring it to a pose in one step of dt.\n\n"
    "Parameters\n----------\n"
    "position : array_like, shape (2,)\n    Position of the origin, metres, world.\n"
    "angle : float\n    Radians.\n"
    "dt : float\n    Seconds, > 0: the dt of the next step.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a bad number, or a body that is not kinematic.\n"
    "RemovedError\n    When the body has been removed.";

PyObject *core_body_move_to(PyObject *object, PyObject *const *args, Py_ssize_t count,
                            PyObject *keywords) {
    static const char *const names[] = {"position", "angle", "dt"};
    static const CoreSignature signature = {"move_to", names, 3, 3, 3};
    HandleObject *self = handle_of(object);
    PyObject *values[3];
    PhVec2 position;
    double angle, dt;
    if (!core_bind(&signature, args, count, keywords, values) ||
        !core_to_vec2(values[0], "position", &position) ||
        !core_to_double(values[1], "angle", &angle) || !core_to_positive(values[2], "dt", &dt) ||
        !core_enter_body_to_change(self)) {
        return NULL;
    }
    PhError error;
    PhStatus status = ph_body_move_to(self->world->world, self->id, position, angle, dt, &error);
    return leave(self, status, &error);
}

static PyObject *set_awake(HandleObject *self, bool awake) {
    PhError error;
    if (!core_enter_body_to_change(self)) {
        return NULL;
    }
    PhStatus status = ph_body_set_awake(self->world->world, self->id, awake, &error);
    return leave(self, status, &error);
}

const char core_body_wake_doc[] = "wake($self, /)\n--\n\nWake the body and its island.";

PyObject *core_body_wake(PyObject *self, PyObject *Py_UNUSED(arg)) {
    return set_awake(handle_of(self), true);
}

const char core_body_wake_touching_doc[] =
    "wake_touching($self, /)\n--\n\n"
    "Wake what the body touches or is joined to, whatever its own kind.";

PyObject *core_body_wake_touching(PyObject *object, PyObject *Py_UNUSED(arg)) {
    HandleObject *self = handle_of(object);
    PhError error;
    if (!core_enter_body_to_change(self)) {
        return NULL;
    }
    PhStatus status = ph_body_wake_touching(self->world->world, self->id, &error);
    return leave(self, status, &error);
}

const char core_body_sleep_doc[] = "sleep($self, /)\n--\n\nPut the body's whole island to sleep.";

PyObject *core_body_sleep(PyObject *self, PyObject *Py_UNUSED(arg)) {
    return set_awake(handle_of(self), false);
}

// ------------------------------------------------------------------------------------------------
// frames

// Of a body; in a wrapped world points are taken by their images nearest to `middle`.
typedef struct Frame {
    PhTransform transform;
    PhWrap wrap;
    PhVec2 middle;
} Frame;

static Frame frame_of(const HandleObject *self) {
    const PhWorld *world = self->world->world;
    return (Frame){ph_body_transform(world, self->id.index),
                   ph_wrap_make(ph_world_settings(world)->wrap),
                   ph_body_middle(world, self->id.index)};
}

static bool read_frame(HandleObject *self, Frame *frame) {
    if (!core_enter_body(self)) {
        return false;
    }
    *frame = frame_of(self);
    core_leave(self->world);
    return true;
}

enum { PORTION = 1 << 18 }; // points between two checks for signals

typedef PhVec2 MapPoint(const Frame *frame, PhVec2 point);

static PhVec2 outwards(const Frame *frame, PhVec2 point) {
    return ph_apply(frame->transform, point);
}

static PhVec2 inwards(const Frame *frame, PhVec2 point) {
    return ph_unapply(frame->transform, ph_wrap_near(&frame->wrap, frame->middle, point));
}

static PhVec2 turn_outwards(const Frame *frame, PhVec2 vector) {
    return ph_rotate(frame->transform.q, vector);
}

static PhVec2 turn_inwards(const Frame *frame, PhVec2 vector) {
    return ph_unrotate(frame->transform.q, vector);
}

static PyObject *map_points(HandleObject *self, const char *name, PyObject *const *args,
                            Py_ssize_t count, PyObject *keywords, MapPoint *map, MapPoint *turn) {
    static const char *const names[] = {"points", "vectors"};
    const CoreSignature signature = {name, names, 2, 1, 1};
    PyObject *values[2];
    bool vectors = false;
    if (!core_bind(&signature, args, count, keywords, values) ||
        (values[1] != NULL && !core_to_bool(values[1], "vectors", &vectors))) {
        return NULL;
    }
    map = vectors ? turn : map;
    Frame frame;
    PyArrayObject *points = core_to_points(values[0], "points");
    PyObject *result = NULL;
    if (points != NULL && read_frame(self, &frame)) {
        result = PyArray_SimpleNew(PyArray_NDIM(points), PyArray_DIMS(points), NPY_DOUBLE);
    }
    if (result != NULL) {
        PhVec2 *out = PyArray_DATA((PyArrayObject *)result);
        npy_intp all = PyArray_SIZE(points) / 2;
        for (npy_intp i = 0; i < all && result != NULL; ++i) {
            out[i] = map(&frame, core_points(points)[i]);
            if (i % PORTION == PORTION - 1 && PyErr_CheckSignals() < 0) {
                Py_CLEAR(result);
            }
        }
    }
    Py_XDECREF(points);
    return result;
}

const char core_body_to_world_doc[] =
    "to_world($self, points, *, vectors=False)\n--\n\n"
    "Points of the body's frame in the world, shape (..., 2), metres. vectors=True: directions,\n"
    "forces and the like, which turn with the body and have no place.";

PyObject *core_body_to_world(PyObject *self, PyObject *const *args, Py_ssize_t count,
                             PyObject *keywords) {
    return map_points(handle_of(self), "to_world", args, count, keywords, outwards, turn_outwards);
}

const char core_body_to_local_doc[] = "to_local($self, points, *, vectors=False)\n--\n\n"
                                      "Points of the world in the body's frame, shape (..., 2), "
                                      "metres. vectors=True: directions and\n"
                                      "the like, which have no place.";

PyObject *core_body_to_local(PyObject *self, PyObject *const *args, Py_ssize_t count,
                             PyObject *keywords) {
    return map_points(handle_of(self), "to_local", args, count, keywords, inwards, turn_inwards);
}

const char core_body_velocity_at_doc[] =
    "velocity_at($self, points, *, local=False)\n--\n\n"
    "Velocities of the body's matter at points of the world, shape (..., 2), m/s, world.\n"
    "local=True: at points of the body's frame.";

PyObject *core_body_velocity_at(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                PyObject *keywords) {
    static const char *const names[] = {"points", "local"};
    static const CoreSignature signature = {"velocity_at", names, 2, 1, 1};
    HandleObject *self = handle_of(object);
    PyObject *values[2];
    bool local = false;
    if (!core_bind(&signature, args, count, keywords, values) ||
        (values[1] != NULL && !core_to_bool(values[1], "local", &local))) {
        return NULL;
    }
    PyArrayObject *points = core_to_points(values[0], "points");
    if (points == NULL) {
        return NULL;
    }
    if (!core_enter_body(self)) {
        Py_DECREF(points);
        return NULL;
    }
    const PhWorld *world = self->world->world;
    const PhState *state = ph_world_state(world);
    uint32_t slot = self->id.index;
    PhBodyInfo info;
    (void)ph_body_info(world, self->id, &info);
    PhVec2 center = ph_apply(ph_body_transform(world, slot), info.center_local);
    PhVec2 velocity = {state->velocity[slot][0], state->velocity[slot][1]};
    double angular = state->angular_velocity[slot];
    Frame frame = frame_of(self);
    core_leave(self->world);
    PyObject *result = PyArray_SimpleNew(PyArray_NDIM(points), PyArray_DIMS(points), NPY_DOUBLE);
    if (result != NULL) {
        PhVec2 *out = PyArray_DATA((PyArrayObject *)result);
        npy_intp all = PyArray_SIZE(points) / 2;
        for (npy_intp i = 0; i < all && result != NULL; ++i) {
            PhVec2 given = core_points(points)[i];
            PhVec2 point = local ? ph_apply(frame.transform, given)
                                 : ph_wrap_near(&frame.wrap, frame.middle, given);
            out[i] = ph_mul_add(velocity, angular, ph_left(ph_sub(point, center)));
            if (i % PORTION == PORTION - 1 && PyErr_CheckSignals() < 0) {
                Py_CLEAR(result);
            }
        }
    }
    Py_DECREF(points);
    return result;
}

// The body's shapes, each retained; count receives their number. Inside the gate.
static PhShape **collect_shapes(HandleObject *self, uint32_t *count) {
    const PhWorld *world = self->world->world;
    PhBodyInfo info;
    (void)ph_body_info(world, self->id, &info);
    PhShape **shapes = ph_alloc(info.collider_count, sizeof *shapes);
    *count = 0;
    if (shapes == NULL) {
        return NULL;
    }
    for (uint32_t i = ph_body_first_collider(world, self->id.index); i != PH_NULL;
         i = ph_collider_next(world, i)) {
        shapes[*count] = ph_collider_shape(world, i);
        ph_shape_retain(shapes[*count]);
        *count += 1;
    }
    return shapes;
}

static bool any_contains(PhShape *const *shapes, uint32_t count, PhVec2 point) {
    for (uint32_t i = 0; i < count; ++i) {
        if (ph_shape_contains(shapes[i], point)) {
            return true;
        }
    }
    return false;
}

static PyObject *test_points(PhShape *const *shapes, uint32_t shape_count, const Frame *frame,
                             PyArrayObject *points) {
    if (PyArray_NDIM(points) == 1) {
        PhVec2 local = inwards(frame, *core_points(points));
        return PyBool_FromLong(any_contains(shapes, shape_count, local));
    }
    PyObject *result = PyArray_SimpleNew(PyArray_NDIM(points) - 1, PyArray_DIMS(points), NPY_BOOL);
    if (result != NULL) {
        npy_bool *inside = PyArray_DATA((PyArrayObject *)result);
        npy_intp count = PyArray_SIZE((PyArrayObject *)result);
        npy_intp pieces = 1;
        for (uint32_t i = 0; i < shape_count; ++i) {
            pieces += shapes[i]->piece_count;
        }
        npy_intp portion = 1 + (1 << 18) / pieces;
        for (npy_intp i = 0; i < count && result != NULL; ++i) {
            PhVec2 local = inwards(frame, core_points(points)[i]);
            if (i % portion == portion - 1 && PyErr_CheckSignals() < 0) {
                Py_CLEAR(result);
            } else {
                inside[i] = any_contains(shapes, shape_count, local);
            }
        }
    }
    return result;
}

const char core_body_contains_doc[] =
    "contains($self, points, /)\n--\n\n"
    "Whether points of the world are on the body, shape (..., 2) to (...), metres.";

PyObject *core_body_contains(PyObject *object, PyObject *arg) {
    HandleObject *self = handle_of(object);
    PyArrayObject *points = core_to_points(arg, "points");
    if (points == NULL) {
        return NULL;
    }
    if (!core_enter_body(self)) {
        Py_DECREF(points);
        return NULL;
    }
    Frame frame = frame_of(self);
    uint32_t count;
    PhShape **shapes = collect_shapes(self, &count);
    core_leave(self->world);
    PyObject *result =
        shapes != NULL ? test_points(shapes, count, &frame, points) : PyErr_NoMemory();
    for (uint32_t i = 0; i < count; ++i) {
        ph_shape_release(shapes[i]);
    }
    ph_free(shapes);
    Py_DECREF(points);
    return result;
}

// ------------------------------------------------------------------------------------------------
// colliders

const char core_body_attach_doc[] =
    "attach($self, shape, *, density=1.0, friction=0.6, restitution=0.0,\n"
    "       rolling_resistance=0.0, tangent_speed=0.0, category=1, mask=18446744073709551615,\n"
    "       group=0, sensor=False, pre_solve=False, material=None, friction_rule=None,\n"
    "       restitution_rule=None, segments=None, user_data=None)\n--\n\n"
    "Add a shape to the body; its mass grows accordingly.\n\n"
    "Parameters\n----------\n"
    "shape : Shape\n    In the body's frame.\n"
    "density : float\n    kg/m^2, >= 0.\n"
    "friction, restitution : float\n    >= 0.\n"
    "rolling_resistance : float\n    Torque = coefficient x radius x normal force.\n"
    "tangent_speed : float\n    Speed of the surface, m/s.\n"
    "category, mask : int\n    64 bits each: what it is, and what it collides with.\n"
    "group : int\n    Equal positive numbers always collide, equal negative ones never.\n"
    "sensor : bool\n    Whether it only sees others (overlaps, events) and touches nothing.\n"
    "pre_solve : bool\n    Whether its contacts are shown to the pre-solve hook.\n"
    "material : int, optional\n    Row of the collider in World.material_pairs, 0 to 255.\n"
    "friction_rule, restitution_rule : str, optional\n    Mixing rule of these colliders, instead "
    "of what "
    "the world says.\n"
    "segments : dict of array_like, optional\n    For a Chain of n segments: columns of "
    "Collider.segments, each of shape (n,).\n"
    "user_data : object, optional\n    Anything.\n\n"
    "Returns\n-------\n"
    "Collider\n\n"
    "Raises\n------\n"
    "ValueError\n    For a number that is negative or not finite.\n"
    "RemovedError\n    When the body has been removed.";

// Inside the gate, which it leaves. The data, NULL for none, is in its table before the collider is
// there, as that of bodies is.
static bool leave_with_collider(HandleObject *body, PhShape *shape, const PhColliderDef *def,
                                PyObject *data, PhId *id) {
    WorldObject *self = body->world;
    PyObject *table = self->user_data[HANDLE_COLLIDER], *key = NULL;
    PhError error = {.status = PH_OK};
    PhStatus status = PH_OK;
    bool tabled = true;
    if (data != NULL && data != Py_None) {
        status = ph_collider_next_id(self->world, id, &error);
        key = status == PH_OK ? core_table_key(*id) : NULL;
        tabled = status != PH_OK || (key != NULL && core_table_put(table, key, data));
    }
    if (status == PH_OK && tabled) {
        status = ph_collider_create(self->world, body->id, shape, def, id, &error);
    }
    if (status != PH_OK && key != NULL) {
        core_table_drop(table, key); // the caller holds the data
    }
    core_leave(self);
    Py_XDECREF(key);
    if (status != PH_OK) {
        core_raise(self->core, &error);
    }
    return status == PH_OK && tabled;
}

PyObject *core_body_attach(PyObject *object, PyObject *const *args, Py_ssize_t count,
                           PyObject *keywords) {
    static const char *const names[] = {"shape", MATERIAL_KEYWORDS, "user_data"};
    enum { COUNT = 2 + MATERIAL_KEYWORD_COUNT };
    static const CoreSignature signature = {"attach", names, COUNT, 1, 1};
    HandleObject *self = handle_of(object);
    PyObject *values[COUNT];
    PhColliderDef def = ph_collider_def();
    if (!core_bind(&signature, args, count, keywords, values)) {
        return NULL;
    }
    PhShape *shape = core_to_shape(self->world->core, values[0], "shape");
    if (shape == NULL || !core_to_material(self->world->core, values + 1, &def)) {
        return NULL;
    }
    ph_shape_retain(shape);
    PyObject *handle = core_handle_blank(self->world, TYPE_COLLIDER);
    if (handle == NULL || !core_remember_shape(self->world, values[0]) ||
        !core_enter_body_to_change(self)) {
        ph_shape_release(shape);
        ph_segments_release(def.segments);
        Py_XDECREF(handle);
        return NULL;
    }
    PhId collider;
    bool ok = leave_with_collider(self, shape, &def, values[COUNT - 1], &collider);
    ph_shape_release(shape);
    ph_segments_release(def.segments);
    if (!ok) {
        Py_DECREF(handle);
        return NULL;
    }
    return core_handle_give(handle, collider);
}

// Casts and times of impact of shapes and bodies against a world; single ones and arrays of them.
#include "base/memory.h"
#include "python/probe_arguments.h"
#include "python/ring_arguments.h"
#include "python/world_methods.h"

typedef struct CastCall {
    ProbeCall call;
    PhCast cast;
    PhMovingBodies moving;
    double time;
    PhWorldRayHit *hits;
} CastCall;

static PhStatus cast_slice(void *context, uint32_t first, uint32_t count, PhError *error) {
    const CastCall *cast = context;
    return ph_world_cast_shapes(cast->call.self->world, &cast->call.probes, first, count,
                                &cast->cast, cast->hits + first, error);
}

// From inside the gate, which it leaves on failure.
static bool make_moving_bodies(CastCall *cast) {
    WorldObject *self = cast->call.self;
    PhError error;
    cast->cast.filter = cast->call.filter.filter;
    if (cast->time > 0) {
        PhStatus status = ph_moving_bodies_make(self->world, cast->time, &cast->moving, &error);
        if (status != PH_OK) {
            core_query_exit(self);
            core_raise(self->core, &error);
            return false;
        }
        cast->cast.moving = &cast->moving;
    }
    return true;
}

static bool enter_cast(CastCall *cast) {
    PhAabb box = cast->time > 0 ? QUERY_EVERYWHERE : core_probe_box(&cast->call, cast->cast.target);
    return core_query_enter(cast->call.self, &cast->call.filter, box) && make_moving_bodies(cast);
}

// A RayHit or None of a call of one row.
static PyObject *cast_single(CastCall *cast) {
    PhWorldRayHit row;
    PhError error;
    if (!enter_cast(cast)) {
        return NULL;
    }
    WorldObject *self = cast->call.self;
    CoreLongWork work;
    ph_world_set_stop(self->world, core_begin_work(&work, true));
    PhStatus status =
        ph_world_cast_shapes(self->world, &cast->call.probes, 0, 1, &cast->cast, &row, &error);
    core_end_work(&work);
    return core_query_leave(self, status, &row, &error);
}

static PyObject *cast_many(CastCall *cast) {
    npy_intp rows = cast->call.rows.count;
    WorldObject *self = cast->call.self;
    PyObject *result = core_rows(self->core, ROW_RAY_HIT, NULL, rows);
    if (result == NULL || !enter_cast(cast)) {
        Py_XDECREF(result);
        return NULL;
    }
    cast->hits = PyArray_DATA((PyArrayObject *)result);
    if (!core_query_run(self, cast_slice, cast, (uint32_t)rows, PROBE_SLICE)) {
        Py_CLEAR(result);
    }
    return result;
}

// Of one row where `many` names the function that takes more of them.
static PyObject *run_cast(CastCall *cast, const char *const *names, const char *many) {
    const ProbeCall *call = &cast->call;
    if (many != NULL && call->rows.known) {
        return PyErr_Format(PyExc_ValueError, "%s: must be of one shape; %s takes many",
                            call->pose.many    ? names[1]
                            : call->other.many ? names[2]
                                               : names[0],
                            many);
    }
    return many != NULL ? cast_single(cast) : cast_many(cast);
}

// shape, pose, translation and the filter.
static PyObject *cast_along(WorldObject *self, const char *const *names, PyObject *const *values,
                            bool single) {
    CastCall cast = {.call = {.self = self}};
    ProbeCall *call = &cast.call;
    PyObject *result = NULL;
    if (core_probe_shapes(call, values[0], names[0]) &&
        core_to_column(values[1], names[1], 3, &call->pose) &&
        core_to_column(values[2], names[2], 2, &call->other) &&
        core_probe_filter(call, values + 3) && core_probe_join(call)) {
        call->probes.translation = call->other.data;
        call->probes.translation_step = call->other.many;
        result = run_cast(&cast, names, single ? "cast_shapes" : NULL);
    }
    core_probe_close(call);
    return result;
}

const char core_world_cast_shape_doc[] =
    "cast_shape($self, shape, pose, translation, *, mask=18446744073709551615,\n"
    "           include_sensors=False, where=None, ignore=None, category=0, group=0)\n--\n\n"
    "First touch of a shape that is moved along a straight line.\n\n"
    "It does not turn. What it touches at the start is hit at fraction 0, with a zero normal "
    "where\n"
    "they are in each other by more than their rounding radii. Chains are met from their free\n"
    "side: by pieces whose centroid is there.\n\n"
    "Parameters\n----------\n"
    "shape : Shape\n"
    "pose : array_like, shape (3,)\n    x, y (metres) and angle (radians) at the start, world.\n"
    "translation : array_like, shape (2,)\n    Displacement, metres.\n" FILTER_DOC
    "Returns\n-------\n"
    "RayHit or None\n    The point is where they touch, the normal points out of the "
    "collider.\n\n" RAISES_DOC "\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> wall = world.add_body(Box(1, 10), kind='static')\n"
    ">>> world.cast_shape(Circle(0.5), (-9, 0, 0), (16, 0)).fraction\n"
    "0.5";
PyObject *core_world_cast_shape(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                PyObject *keywords) {
    CORE_ARGUMENTS("cast_shape", 3, 3, "shape", "pose", "translation", FILTER_KEYWORDS);
    return core_bind(&signature, args, count, keywords, values)
               ? cast_along((WorldObject *)object, names, values, true)
               : NULL;
}

const char core_world_cast_shapes_doc[] =
    "cast_shapes($self, shapes, poses, translations, *, mask=18446744073709551615,\n"
    "            include_sensors=False, where=None, ignore=None, category=0, group=0)\n--\n\n"
    "First touches of shapes that are moved along straight lines: cast_shape for "
    "many.\n\n"
    "Parameters\n----------\n" SHAPES_DOC
    "poses : array_like, shape (3,) or (n, 3)\n    x, y (metres) and angle (radians), world.\n"
    "translations : array_like, shape (2,) or (n, 2)\n    Metres.\n" MANY_DOC FILTER_DOC
    "Returns\n-------\n"
    "structured ndarray, shape (n,)\n" HIT_DOC RAISES_DOC "\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> wall = world.add_body(Box(1, 10), kind='static')\n"
    ">>> world.cast_shapes(Circle(0.5), (-9, 0, 0), [(16, 0), (32, 0), (-1, 0)])['fraction']\n"
    "array([0.5 , 0.25,  nan])";
PyObject *core_world_cast_shapes(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                 PyObject *keywords) {
    CORE_ARGUMENTS("cast_shapes", 3, 3, "shapes", "poses", "translations", FILTER_KEYWORDS);
    return core_bind(&signature, args, count, keywords, values)
               ? cast_along((WorldObject *)object, names, values, false)
               : NULL;
}

// ------------------------------------------------------------------------------------------------
// time of impact

// values: target, dt.
static bool to_times(PyObject *const *values, CastCall *cast) {
    cast->cast.target = 0.005;
    return core_to_amount(values[0], "target", &cast->cast.target) &&
           core_to_amount(values[1], "dt", &cast->time);
}

// shape, start, end, target, dt and the filter.
static PyObject *time_shapes(WorldObject *self, const char *const *names, PyObject *const *values,
                             bool single) {
    CastCall cast = {.call = {.self = self}};
    ProbeCall *call = &cast.call;
    PyObject *result = NULL;
    if (core_probe_shapes(call, values[0], names[0]) &&
        core_to_column(values[1], names[1], 3, &call->pose) &&
        core_to_column(values[2], names[2], 3, &call->other) && to_times(values + 3, &cast) &&
        core_probe_filter(call, values + 5) && core_probe_join(call)) {
        call->probes.end = call->other.data;
        call->probes.end_step = call->other.many;
        result = run_cast(&cast, names, single ? "times_of_impact" : NULL);
    }
    ph_moving_bodies_free(&cast.moving);
    core_probe_close(call);
    return result;
}

// Bodies as they move, or to poses.
typedef struct BodyCall {
    CastCall cast; // its other column: ends
    PhBodyProbes probes;
    PhId *ids;
    npy_intp count;
} BodyCall;

static bool is_body(const WorldObject *self, PyObject *object) {
    return Py_IS_TYPE(object, self->core->type[TYPE_BODY]);
}

// Reads bodies of this world.
static bool to_bodies(BodyCall *call, PyObject *const *items, npy_intp count) {
    WorldObject *self = call->cast.call.self;
    call->count = count;
    call->ids = ph_alloc((size_t)count, sizeof *call->ids);
    if (call->ids == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (npy_intp i = 0; i < count; ++i) {
        if (!is_body(self, items[i])) {
            PyErr_Format(PyExc_TypeError, "shapes[%zd]: must be a Body like the first, got %.100s",
                         (Py_ssize_t)i, Py_TYPE(items[i])->tp_name);
            return false;
        }
        HandleObject *body = (HandleObject *)items[i];
        if (body->world != self) {
            PyErr_Format(PyExc_ValueError, "shape: %R belongs to another world", body);
            return false;
        }
        call->ids[i] = body->id;
    }
    call->probes.body = call->ids;
    return true;
}

// values: end, target, dt and the filter. Enters the gate.
static bool enter_bodies(BodyCall *call, const char *end, bool single, PyObject *const *values) {
    ProbeCall *probe = &call->cast.call;
    Column *ends = &probe->other;
    Rows rows = {.count = 1};
    if ((values[0] != NULL && !core_to_column(values[0], end, 3, ends)) ||
        !to_times(values + 1, &call->cast)) {
        return false;
    }
    if (single && ends->many) {
        core_shape_error(end, "(3,)", ends->array);
        return false;
    }
    if (!single && (!core_join_rows(&rows, true, call->count, "shapes") ||
                    !core_join_rows(&rows, ends->many, ends->count, end))) {
        return false;
    }
    if (values[0] == NULL && !(call->cast.time > 0)) {
        PyErr_Format(PyExc_ValueError, "dt: must be > 0 for a body without %s, got 0", end);
        return false;
    }
    call->probes.end = values[0] != NULL ? ends->data : NULL;
    call->probes.end_step = ends->many;
    return core_probe_filter(probe, values + 3) &&
           core_query_enter(probe->self, &probe->filter, QUERY_EVERYWHERE) &&
           make_moving_bodies(&call->cast);
}

static void close_bodies(BodyCall *call) {
    ph_moving_bodies_free(&call->cast.moving);
    ph_free(call->ids);
    core_probe_close(&call->cast.call);
}

static PyObject *time_body(WorldObject *self, PyObject *const *values) {
    BodyCall call = {.cast = {.call = {.self = self}}};
    HandleObject *body = (HandleObject *)values[0];
    PyObject *result = NULL;
    if (to_bodies(&call, values, 1) && enter_bodies(&call, "end", true, values + 2)) {
        if (!ph_body_valid(self->world, body->id)) {
            core_query_exit(self);
            core_raise_removed(body);
        } else {
            PhWorldRayHit row;
            PhError error;
            PhStatus status;
            CoreLongWork work;
            ph_world_set_stop(self->world, core_begin_work(&work, true));
            status = ph_world_cast_bodies(self->world, &call.probes, 0, 1, &call.cast.cast, &row,
                                          &error);
            core_end_work(&work);
            result = core_query_leave(self, status, &row, &error);
        }
    }
    close_bodies(&call);
    return result;
}

static PhStatus bodies_slice(void *context, uint32_t first, uint32_t count, PhError *error) {
    const BodyCall *call = context;
    return ph_world_cast_bodies(call->cast.call.self->world, &call->probes, first, count,
                                &call->cast.cast, call->cast.hits + first, error);
}

// A list or tuple of bodies.
static PyObject *time_bodies(WorldObject *self, PyObject *const *values) {
    BodyCall call = {.cast = {.call = {.self = self}}};
    PyObject *result = NULL, *bodies = PySequence_Tuple(values[0]); // ours
    if (bodies != NULL &&
        to_bodies(&call, ((PyTupleObject *)bodies)->ob_item, PyTuple_GET_SIZE(bodies))) {
        result = core_rows(self->core, ROW_RAY_HIT, NULL, call.count);
        if (result != NULL && enter_bodies(&call, "ends", false, values + 2)) {
            call.cast.hits = PyArray_DATA((PyArrayObject *)result);
            if (!core_query_run(self, bodies_slice, &call, (uint32_t)call.count, PROBE_SLICE)) {
                Py_CLEAR(result);
            }
        } else {
            Py_CLEAR(result);
        }
    }
    Py_XDECREF(bodies);
    close_bodies(&call);
    return result;
}

// Reads start and end as missing when they are None. False: a body has been given a start.
static bool drop_nones(PyObject **values, const char *start, bool bodies) {
    for (int i = 1; i < 3; ++i) {
        values[i] = values[i] == Py_None ? NULL : values[i];
    }
    if (bodies && values[1] != NULL) {
        PyErr_Format(PyExc_TypeError, "%s: a body starts where it is", start);
        return false;
    }
    return true;
}

static bool has_motion(const CoreSignature *signature, PyObject *const *values) {
    for (int i = 1; i < 3; ++i) {
        if (values[i] == NULL) {
            PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s'",
                         signature->function, signature->names[i]);
            return false;
        }
    }
    return true;
}

#define IMPACT_DOC                                                                                 \
    "target : float\n    Metres, >= 0: a hit is when the distance falls to this.\n"                \
    "dt : float\n"                                                                                 \
    "    Seconds the motion takes, in which bodies go on at their present velocities, straight\n"  \
    "    and turning evenly about their centres of mass; 0: they stay where they are.\n"

const char core_world_time_of_impact_doc[] =
    "time_of_impact($self, shape, start=None, end=None, *, target=0.005, dt=0.0,\n"
    "               mask=18446744073709551615, include_sensors=False, where=None, "
    "ignore=None, category=0, group=0)\n--\n\n"
    "When a moving shape, or a body as it moves, first comes close to a collider.\n\n"
    "Position and angle of a shape blend evenly from start to end; it turns about the origin of\n"
    "its frame. A body starts where it is and goes on at its velocities for dt, or to an end;\n"
    "it does not meet itself, nor colliders that its own do not collide with. What is as close as\n"
    "the target at the start is hit at fraction 0. Chains are met from their free side: by pieces\n"
    "whose centroid is there.\n\n"
    "Parameters\n----------\n"
    "shape : Shape or Body\n"
    "start, end : array_like, shape (3,)\n"
    "    x, y (metres) and angle (radians), world; a body has no start.\n" IMPACT_DOC FILTER_DOC
    "Returns\n-------\n"
    "RayHit or None\n"
    "    The fraction is that of the motion, the point midway between the surfaces then, the\n"
    "    normal points out of the collider.\n\n" RAISES_DOC
    "\nRemovedError\n    When the body has been removed.\n\n"
    "Examples\n--------\n"
    ">>> world = World(gravity=(0, 0))\n"
    ">>> wall = world.add_body(Box(1, 10), (5, 0), kind='static')\n"
    ">>> ball = world.add_body(Circle(0.5), velocity=(8, 0))\n"
    ">>> world.time_of_impact(ball, dt=1, target=0).fraction\n"
    "0.5";
PyObject *core_world_time_of_impact(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                    PyObject *keywords) {
    CORE_ARGUMENTS("time_of_impact", 3, 1, "shape", "start", "end", "target", "dt",
                   FILTER_KEYWORDS);
    WorldObject *self = (WorldObject *)object;
    if (!core_bind(&signature, args, count, keywords, values)) {
        return NULL;
    }
    bool body = is_body(self, values[0]);
    if (!drop_nones(values, "start", body)) {
        return NULL;
    }
    if (body) {
        return time_body(self, values);
    }
    if (!core_is_shape(self->core, values[0])) {
        return PyErr_Format(PyExc_TypeError, "shape: must be a Shape or a Body, got %.100s",
                            Py_TYPE(values[0])->tp_name);
    }
    return has_motion(&signature, values) ? time_shapes(self, names, values, true) : NULL;
}

const char core_world_times_of_impact_doc[] =
    "times_of_impact($self, shapes, starts=None, ends=None, *, target=0.005, dt=0.0,\n"
    "                mask=18446744073709551615, include_sensors=False, where=None, "
    "ignore=None, category=0, group=0)\n--\n\n"
    "When moving shapes first come close to colliders: time_of_impact for many.\n\n"
    "Parameters\n----------\n" SHAPES_DOC "starts, ends : array_like, shape (3,) or (n, 3)\n"
    "    x, y (metres) and angle (radians), world.\n" MANY_DOC IMPACT_DOC FILTER_DOC
    "Returns\n-------\n"
    "structured ndarray, shape (n,)\n" HIT_DOC RAISES_DOC;
PyObject *core_world_times_of_impact(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                     PyObject *keywords) {
    CORE_ARGUMENTS("times_of_impact", 3, 1, "shapes", "starts", "ends", "target", "dt",
                   FILTER_KEYWORDS);
    WorldObject *self = (WorldObject *)object;
    if (!core_bind(&signature, args, count, keywords, values)) {
        return NULL;
    }
    PyObject *given = values[0];
    bool list = PyList_CheckExact(given) && PyList_GET_SIZE(given) > 0;
    bool tuple = PyTuple_CheckExact(given) && PyTuple_GET_SIZE(given) > 0;
    PyObject *first = list ? PyList_GET_ITEM(given, 0) : tuple ? PyTuple_GET_ITEM(given, 0) : NULL;
    bool bodies = first != NULL && is_body(self, first);
    if (!drop_nones(values, "starts", bodies)) {
        return NULL;
    }
    if (bodies) {
        return time_bodies(self, values);
    }
    return has_motion(&signature, values) ? time_shapes(self, names, values, false) : NULL;
}

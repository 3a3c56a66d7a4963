// Questions with shapes to a world: casts, times of impact, the nearest, overlaps with manifolds;
// single ones and arrays of them.
//
// Invariant: once a call has entered the gate, no Python code can reach what it computes from:
// shapes are held, poses are copies.
#include <math.h>

#include "base/memory.h"
#include "python/geometry_pairs.h"
#include "python/queries.h"
#include "python/world_methods.h"

#define SHAPES_DOC "shapes : Shape or sequence of n Shapes\n"
#define HIT_DOC                                                                                    \
    "    Columns collider, body, piece (of the collider; -1 for a miss), point, normal (unit, "    \
    "out\n"                                                                                        \
    "    of the collider) and fraction (NaN for a miss).\n\n"
#define MANY_DOC                                                                                   \
    "    Each argument is one for all rows or has n; the GIL is released, and the world's "        \
    "workers\n"                                                                                    \
    "    share the rows.\n\n"
#define RAISES_DOC                                                                                 \
    "Raises\n------\n"                                                                             \
    "ValueError\n    For a wrong shape of an array, NaN, infinity or lengths that do not agree.\n" \
    "TypeError\n    For what is no Shape."

// Slices to begin with, in rows.
enum { FIRST_SLICE = 512 };

// --------------------------------------------------------------------------------- columns

// Numbers for n rows, or the same for all.
typedef struct Column {
    const char *name;
    PyArrayObject *array; // our copy, or NULL
    const double *data;
    npy_intp count;
    bool many;
    double zeros[3];
} Column;

static bool to_column(PyObject *object, const char *name, int width, Column *column) {
    *column = (Column){.name = name, .count = 1};
    column->data = column->zeros;
    if (object == NULL) {
        return true;
    }
    PyArrayObject *array = column->array = core_to_numbers(object, name);
    if (array == NULL) {
        return false;
    }
    int axes = PyArray_NDIM(array);
    column->data = PyArray_DATA(array);
    if (axes == 1 && PyArray_DIM(array, 0) == 0) { // [] is no rows
        column->many = true;
        column->count = 0;
        return true;
    }
    if (axes < 1 || axes > 2 || PyArray_DIM(array, axes - 1) != width) {
        core_shape_error(name, width == 2 ? "(2,) or (n, 2)" : "(3,) or (n, 3)", array);
        return false;
    }
    column->many = axes == 2;
    column->count = column->many ? PyArray_DIM(array, 0) : 1;
    return core_check_finite(array, name);
}

static inline const double *row_of(const Column *column, npy_intp i, int width) {
    return column->data + (column->many ? i * width : 0);
}

// The rows that all make together.
typedef struct Rows {
    npy_intp count;
    bool known; // some argument had rows
} Rows;

static bool join_rows(Rows *rows, bool many, npy_intp count, const char *name) {
    if (many && rows->known && rows->count != count) {
        PyErr_Format(PyExc_ValueError, "%s: must have 1 or %zd rows, got %zd", name,
                     (Py_ssize_t)rows->count, (Py_ssize_t)count);
        return false;
    }
    if (many && count > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "%s: has too many rows: %zd", name, (Py_ssize_t)count);
        return false;
    }
    if (many) {
        rows->count = count;
        rows->known = true;
    }
    return true;
}

// ----------------------------------------------------------------------------- many shapes

// Shapes with one or two columns of numbers, and the filter.
typedef struct ProbeCall {
    WorldObject *self;
    PairOperand shapes;
    Column pose, other; // other: ends or translations
    QueryFilter filter;
    PhProbes probes;
    Rows rows;
    double reach; // of the largest shape
    bool points;  // instead of shapes
    bool filter_open;
} ProbeCall;

static void close_call(ProbeCall *call) {
    core_close_shapes(&call->shapes);
    Py_XDECREF((PyObject *)call->pose.array);
    Py_XDECREF((PyObject *)call->other.array);
    if (call->filter_open) {
        core_query_drop(&call->filter);
    }
}

static bool open_filter(ProbeCall *call, PyObject *const *values) {
    call->filter_open = true;
    return core_query_open(values, &call->filter);
}

static bool open_shapes(ProbeCall *call, PyObject *object, const char *name) {
    PairOperand *shapes = &call->shapes;
    shapes->name = name;
    if (!core_open_shapes(call->self->core, object, shapes)) {
        return false;
    }
    if (shapes->ndim > 1) {
        PyErr_Format(PyExc_ValueError, "%s: must have at most one axis, got %d", name,
                     shapes->ndim);
        return false;
    }
    return true;
}

// After all columns: the rows, and how far shapes reach.
static bool join_call(ProbeCall *call) {
    const PairOperand *shapes = &call->shapes;
    bool many = shapes->ndim == 1;
    call->rows = (Rows){.count = 1};
    if (!join_rows(&call->rows, many, shapes->count, shapes->name) ||
        !join_rows(&call->rows, call->pose.many, call->pose.count, call->pose.name) ||
        !join_rows(&call->rows, call->other.many, call->other.count, call->other.name)) {
        return false;
    }
    if (!call->points) {
        call->probes.shape = many ? shapes->shapes : &call->shapes.shape;
        call->probes.shape_step = many;
        for (npy_intp i = 0; i < shapes->count; ++i) {
            call->reach = ph_max(call->reach, (many ? shapes->shapes[i] : shapes->shape)->extent);
        }
    }
    call->probes.pose = call->pose.data;
    call->probes.pose_step = call->pose.many;
    return true;
}

// A box that holds the way of all probes.
static PhAabb box_of_call(const ProbeCall *call, double reach) {
    PhAabb box = QUERY_NOWHERE;
    if (call->filter.choose == NULL) { // nobody asks
        return box;
    }
    for (npy_intp i = 0; i < call->rows.count; ++i) {
        const double *pose = row_of(&call->pose, i, call->points ? 2 : 3);
        PhVec2 start = {pose[0], pose[1]};
        box = core_query_include(box, start);
        if (call->probes.end != NULL) {
            const double *end = row_of(&call->other, i, 3);
            box = core_query_include(box, ph_vec(end[0], end[1]));
        } else if (call->probes.translation != NULL) {
            const double *way = row_of(&call->other, i, 2);
            box = core_query_include(box, ph_add(start, ph_vec(way[0], way[1])));
        }
    }
    return core_query_box(box, call->reach + reach);
}

// A number >= 0 that may be missing.
static bool to_amount(PyObject *object, const char *name, double *out) {
    if (object != NULL && !core_to_double(object, name, out)) {
        return false;
    }
    if (*out < 0) {
        PyErr_Format(PyExc_ValueError, "%s: must be >= 0, got %R", name, object);
        return false;
    }
    return true;
}

// ----------------------------------------------------------------------------------- casts

typedef struct CastCall {
    ProbeCall call;
    PhCast cast;
    PhMovers movers;
    double time;
    PhWorldRayHit *hits;
} CastCall;

static PhStatus cast_slice(void *context, uint32_t first, uint32_t count, PhError *error) {
    const CastCall *cast = context;
    return ph_world_cast_shapes(cast->call.self->world, &cast->call.probes, first, count,
                                &cast->cast, cast->hits + first, error);
}

// From inside the gate, which it leaves on failure.
static bool make_movers(CastCall *cast) {
    WorldObject *self = cast->call.self;
    PhError error;
    cast->cast.filter = cast->call.filter.filter;
    if (cast->time > 0) {
        PhStatus status = ph_movers_make(self->world, cast->time, &cast->movers, &error);
        if (status != PH_OK) {
            core_leave(self);
            core_raise(self->core, &error);
            return false;
        }
        cast->cast.movers = &cast->movers;
    }
    return true;
}

static bool enter_cast(CastCall *cast) {
    PhAabb box = cast->time > 0 ? QUERY_EVERYWHERE : box_of_call(&cast->call, cast->cast.target);
    return core_query_enter(cast->call.self, &cast->call.filter, box) && make_movers(cast);
}

// A RayHit or None of a call of one row.
static PyObject *cast_single(CastCall *cast) {
    PhWorldRayHit row;
    PhError error;
    if (!enter_cast(cast)) {
        return NULL;
    }
    WorldObject *self = cast->call.self;
    PhStatus status;
    Py_BEGIN_ALLOW_THREADS status =
        ph_world_cast_shapes(self->world, &cast->call.probes, 0, 1, &cast->cast, &row, &error);
    Py_END_ALLOW_THREADS return core_query_leave(self, status, &row, &error);
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
    if (!core_query_run(self, cast_slice, cast, (uint32_t)rows, FIRST_SLICE)) {
        Py_CLEAR(result);
    }
    return result;
}

// shape, pose, translation and the filter.
static PyObject *cast_along(WorldObject *self, const char *const *names, PyObject *const *values,
                            bool single) {
    CastCall cast = {.call = {.self = self}};
    ProbeCall *call = &cast.call;
    PyObject *result = NULL;
    if (open_shapes(call, values[0], names[0]) && to_column(values[1], names[1], 3, &call->pose) &&
        to_column(values[2], names[2], 2, &call->other) && open_filter(call, values + 3) &&
        join_call(call)) {
        call->probes.translation = call->other.data;
        call->probes.translation_step = call->other.many;
        if (single && call->rows.known) {
            PyErr_Format(PyExc_ValueError, "%s: must be of one shape; cast_shapes takes many",
                         call->pose.many    ? names[1]
                         : call->other.many ? names[2]
                                            : names[0]);
        } else {
            result = single ? cast_single(&cast) : cast_many(&cast);
        }
    }
    close_call(call);
    return result;
}

const char core_world_cast_shape_doc[] =
    "cast_shape($self, shape, pose, translation, *, mask=18446744073709551615,\n"
    "           include_sensors=False, where=None)\n--\n\n"
    "Where a shape that is moved along a straight line first touches a collider.\n\n"
    "It does not turn. What it touches at the start is hit at fraction 0, with a zero normal "
    "where\n"
    "they are in each other by more than their rounding radii. Chains are met from their free\n"
    "side: by pieces whose centroid is there.\n\n"
    "Parameters\n----------\n"
    "shape : Shape\n"
    "pose : array_like, shape (3,)\n    x, y (metres) and angle (radians) at the start, world.\n"
    "translation : array_like, shape (2,)\n    By how much it is moved, metres.\n" FILTER_DOC
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
    static const char *const names[] = {"shape", "pose", "translation", FILTER_KEYWORDS};
    static const CoreSignature signature = {"cast_shape", names, 6, 3, 3};
    PyObject *values[6];
    return core_bind(&signature, args, count, keywords, values)
               ? cast_along((WorldObject *)object, names, values, true)
               : NULL;
}

const char core_world_cast_shapes_doc[] =
    "cast_shapes($self, shapes, poses, translations, *, mask=18446744073709551615,\n"
    "            include_sensors=False, where=None)\n--\n\n"
    "Where shapes that are moved along straight lines first touch colliders: cast_shape for "
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
    static const char *const names[] = {"shapes", "poses", "translations", FILTER_KEYWORDS};
    static const CoreSignature signature = {"cast_shapes", names, 6, 3, 3};
    PyObject *values[6];
    return core_bind(&signature, args, count, keywords, values)
               ? cast_along((WorldObject *)object, names, values, false)
               : NULL;
}

// -------------------------------------------------------------------------- time of impact

// values: target, dt.
static bool to_times(PyObject *const *values, CastCall *cast) {
    cast->cast.target = 0.005;
    return to_amount(values[0], "target", &cast->cast.target) &&
           to_amount(values[1], "dt", &cast->time);
}

// shape, start, end, target, dt and the filter.
static PyObject *time_shapes(WorldObject *self, const char *const *names, PyObject *const *values,
                             bool single) {
    CastCall cast = {.call = {.self = self}};
    ProbeCall *call = &cast.call;
    PyObject *result = NULL;
    if (open_shapes(call, values[0], names[0]) && to_column(values[1], names[1], 3, &call->pose) &&
        to_column(values[2], names[2], 3, &call->other) && to_times(values + 3, &cast) &&
        open_filter(call, values + 5) && join_call(call)) {
        call->probes.end = call->other.data;
        call->probes.end_step = call->other.many;
        if (single && call->rows.known) {
            PyErr_Format(PyExc_ValueError, "%s: must be of one shape; times_of_impact takes many",
                         call->pose.many    ? names[1]
                         : call->other.many ? names[2]
                                            : names[0]);
        } else {
            result = single ? cast_single(&cast) : cast_many(&cast);
        }
    }
    ph_movers_free(&cast.movers);
    close_call(call);
    return result;
}

// The body in values[0] as it moves, or to a pose.
static PyObject *time_body(WorldObject *self, PyObject *const *values) {
    HandleObject *body = (HandleObject *)values[0];
    CastCall cast = {.call = {.self = self}};
    PyObject *result = NULL;
    if (body->world != self) {
        return PyErr_Format(PyExc_ValueError, "shape: %R belongs to another world", body);
    }
    if (values[1] != NULL) {
        PyErr_SetString(PyExc_TypeError, "start: a body starts where it is");
        return NULL;
    }
    bool good = (values[2] == NULL || to_column(values[2], "end", 3, &cast.call.other)) &&
                to_times(values + 3, &cast);
    if (good && cast.call.other.many) {
        core_shape_error("end", "(3,)", cast.call.other.array);
    } else if (good && values[2] == NULL && !(cast.time > 0)) {
        PyErr_SetString(PyExc_ValueError, "dt: must be > 0 for a body without an end, got 0");
    } else if (good && open_filter(&cast.call, values + 5) &&
               core_query_enter(self, &cast.call.filter, QUERY_EVERYWHERE)) {
        if (!ph_body_valid(self->world, body->id)) {
            core_leave(self);
            core_raise_removed(body);
        } else if (make_movers(&cast)) {
            const double *end = values[2] != NULL ? cast.call.other.data : NULL;
            PhWorldRayHit row;
            PhError error;
            PhStatus status;
            Py_BEGIN_ALLOW_THREADS status =
                ph_world_cast_body(self->world, body->id, end, &cast.cast, &row, &error);
            Py_END_ALLOW_THREADS result = core_query_leave(self, status, &row, &error);
        }
    }
    ph_movers_free(&cast.movers);
    close_call(&cast.call);
    return result;
}

#define IMPACT_DOC                                                                                 \
    "target : float\n    Metres, >= 0: a hit is when the distance falls to this.\n"                \
    "dt : float\n"                                                                                 \
    "    Seconds the motion takes, in which bodies go on at their present velocities, straight\n"  \
    "    and turning evenly about their centres of mass; 0: they stay where they are.\n"

const char core_world_time_of_impact_doc[] =
    "time_of_impact($self, shape, start=None, end=None, *, target=0.005, dt=0.0,\n"
    "               mask=18446744073709551615, include_sensors=False, where=None)\n--\n\n"
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
    static const char *const names[] = {"shape", "start", "end", "target", "dt", FILTER_KEYWORDS};
    static const CoreSignature signature = {"time_of_impact", names, 8, 3, 1};
    WorldObject *self = (WorldObject *)object;
    PyObject *values[8];
    if (!core_bind(&signature, args, count, keywords, values)) {
        return NULL;
    }
    for (int i = 1; i < 3; ++i) {
        values[i] = values[i] == Py_None ? NULL : values[i];
    }
    if (Py_IS_TYPE(values[0], self->core->type[TYPE_BODY])) {
        return time_body(self, values);
    }
    if (!core_is_shape(self->core, values[0])) {
        return PyErr_Format(PyExc_TypeError, "shape: must be a Shape or a Body, got %.100s",
                            Py_TYPE(values[0])->tp_name);
    }
    if (values[1] == NULL || values[2] == NULL) {
        return PyErr_Format(PyExc_TypeError, "time_of_impact() missing required argument '%s'",
                            values[1] == NULL ? "start" : "end");
    }
    return time_shapes(self, names, values, true);
}

const char core_world_times_of_impact_doc[] =
    "times_of_impact($self, shapes, starts, ends, *, target=0.005, dt=0.0,\n"
    "                mask=18446744073709551615, include_sensors=False, where=None)\n--\n\n"
    "When moving shapes first come close to colliders: time_of_impact for many.\n\n"
    "Parameters\n----------\n" SHAPES_DOC "starts, ends : array_like, shape (3,) or (n, 3)\n"
    "    x, y (metres) and angle (radians), world.\n" MANY_DOC IMPACT_DOC FILTER_DOC
    "Returns\n-------\n"
    "structured ndarray, shape (n,)\n" HIT_DOC RAISES_DOC;
PyObject *core_world_times_of_impact(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                     PyObject *keywords) {
    static const char *const names[] = {"shapes", "starts", "ends",
                                        "target", "dt",     FILTER_KEYWORDS};
    static const CoreSignature signature = {"times_of_impact", names, 8, 3, 3};
    PyObject *values[8];
    return core_bind(&signature, args, count, keywords, values)
               ? time_shapes((WorldObject *)object, names, values, false)
               : NULL;
}

// --------------------------------------------------------------------------------- nearest

#define MOST_NEAREST (1 << 20)

typedef struct NearCall {
    ProbeCall call;
    uint32_t k;
    double most;
    PhNearRow *rows;
} NearCall;

static PhStatus near_slice(void *context, uint32_t first, uint32_t count, PhError *error) {
    const NearCall *near = context;
    return ph_world_nearest(near->call.self->world, &near->call.probes, first, count, near->k,
                            near->most, near->call.filter.filter,
                            near->rows + (size_t)first * near->k, error);
}

// Whether the object is a shape, or a sequence that begins with one.
static bool holds_shapes(const CoreState *core, PyObject *object) {
    if (core_is_shape(core, object)) {
        return true;
    }
    if (PyArray_Check(object)) {
        return PyArray_TYPE((PyArrayObject *)object) == NPY_OBJECT;
    }
    if (PyList_CheckExact(object)) {
        return PyList_GET_SIZE(object) > 0 && core_is_shape(core, PyList_GET_ITEM(object, 0));
    }
    return PyTuple_CheckExact(object) && PyTuple_GET_SIZE(object) > 0 &&
           core_is_shape(core, PyTuple_GET_ITEM(object, 0));
}

// points, k, poses, max_distance and the filter.
static bool open_near(NearCall *near, const char *const *names, PyObject *const *values) {
    ProbeCall *call = &near->call;
    long long k = 1;
    if (values[1] != NULL && !core_to_integer(values[1], "k", 1, MOST_NEAREST, &k)) {
        return false;
    }
    near->k = (uint32_t)k;
    near->most = INFINITY;
    if (values[3] != NULL && values[3] != Py_None) { // infinity is allowed
        near->most = PyFloat_AsDouble(values[3]);
        if (near->most == -1 && PyErr_Occurred()) {
            return false;
        }
        if (!(near->most >= 0)) {
            PyErr_Format(PyExc_ValueError, "max_distance: must be >= 0, got %R", values[3]);
            return false;
        }
    }
    call->points = !holds_shapes(call->self->core, values[0]);
    if (call->points && values[2] != NULL) {
        PyErr_Format(PyExc_TypeError, "%s: is for shapes, not for points", names[2]);
        return false;
    }
    bool good = call->points ? to_column(values[0], names[0], 2, &call->pose)
                             : open_shapes(call, values[0], names[0]) &&
                                   to_column(values[2], names[2], 3, &call->pose);
    return good && open_filter(call, values + 4) && join_call(call);
}

static bool enter_near(NearCall *near) {
    bool far = !(near->most < INFINITY);
    return core_query_enter(near->call.self, &near->call.filter,
                            far ? QUERY_EVERYWHERE : box_of_call(&near->call, near->most));
}

const char core_world_nearest_doc[] =
    "nearest($self, point, k=1, *, pose=(0, 0, 0), max_distance=None, mask=18446744073709551615,\n"
    "        include_sensors=False, where=None)\n--\n\n"
    "The k colliders nearest to a point or a shape, by distance, then by index.\n\n"
    "Colliders that contain or overlap it are at distance 0. Chains count as plain lines.\n"
    "World.distances tells the distances and the nearest points.\n\n"
    "Parameters\n----------\n"
    "point : array_like, shape (2,), or Shape\n    Metres, world.\n"
    "k : int\n    How many at most, 1 to 1048576.\n"
    "pose : array_like, shape (3,)\n    x, y (metres) and angle (radians) of a shape.\n"
    "max_distance : float, optional\n    Metres, >= 0; None for any.\n" FILTER_DOC
    "Returns\n-------\n"
    "list of Collider\n\n" RAISES_DOC "\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> bodies = [world.add_body(Circle(1), (x, 0)) for x in (0, 5, 9)]\n"
    ">>> [collider.body.index for collider in world.nearest((6, 0), k=2)]\n"
    "[1, 2]";
PyObject *core_world_nearest(PyObject *object, PyObject *const *args, Py_ssize_t count,
                             PyObject *keywords) {
    static const char *const names[] = {"point", "k", "pose", "max_distance", FILTER_KEYWORDS};
    static const CoreSignature signature = {"nearest", names, 7, 2, 1};
    PyObject *values[7], *result = NULL;
    if (!core_bind(&signature, args, count, keywords, values)) {
        return NULL;
    }
    NearCall near = {.call = {.self = (WorldObject *)object}};
    WorldObject *self = near.call.self;
    bool good = open_near(&near, names, values);
    if (good && near.call.rows.known) {
        PyErr_Format(PyExc_ValueError, "%s: must be one point or shape; distances takes many",
                     near.call.pose.many ? near.call.pose.name : names[0]);
    } else if (good && enter_near(&near)) {
        uint32_t all = ph_world_collider_count(self->world), *found = NULL, kept = 0;
        near.k = all < near.k ? (all ? all : 1) : near.k;
        near.rows = ph_alloc(near.k, sizeof *near.rows);
        found = ph_alloc(near.k, sizeof *found);
        PhError error;
        PhStatus status = near.rows != NULL && found != NULL
                              ? near_slice(&near, 0, 1, &error)
                              : ph_fail(&error, PH_ERROR_MEMORY, "no memory for the nearest");
        for (uint32_t i = 0; status == PH_OK && i < near.k && near.rows[i].collider >= 0; ++i) {
            found[kept++] = (uint32_t)near.rows[i].collider;
        }
        result = core_query_leave_with(self, status, found, kept, &error);
        ph_free(near.rows);
    }
    close_call(&near.call);
    return result;
}

const char core_world_distances_doc[] =
    "distances($self, points, k=1, *, poses=(0, 0, 0), max_distance=None,\n"
    "          mask=18446744073709551615, include_sensors=False, where=None)\n--\n\n"
    "Distances and nearest points of the k colliders nearest to points or shapes.\n\n"
    "By distance, then by index. Colliders that contain or overlap a point or shape are at\n"
    "distance 0. Chains count as plain lines.\n\n"
    "Parameters\n----------\n"
    "points : array_like, shape (2,) or (n, 2), or Shape or sequence of n Shapes\n"
    "    Metres, world.\n"
    "k : int\n    How many of each, 1 to 1048576.\n"
    "poses : array_like, shape (3,) or (n, 3)\n"
    "    x, y (metres) and angle (radians) of the shapes.\n" MANY_DOC
    "max_distance : float, optional\n    Metres, >= 0; None for any.\n" FILTER_DOC
    "Returns\n-------\n"
    "structured ndarray, shape (n,), or (n, k) for k > 1\n"
    "    Columns collider, body, piece (-1 where there is none within max_distance), distance,\n"
    "    point (on the collider) and normal (unit, from the collider to the point or shape; zero\n"
    "    where one is inside), NaN where there is none.\n\n" RAISES_DOC "\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> bodies = [world.add_body(Circle(1), (x, 0)) for x in (0, 5, 9)]\n"
    ">>> world.distances([(2, 0), (7, 0)])['distance']\n"
    "array([1., 1.])\n"
    ">>> world.distances([(2, 0), (7, 0)], k=2)['collider']\n"
    "array([[0, 1],\n"
    "       [1, 2]], dtype=int32)";
PyObject *core_world_distances(PyObject *object, PyObject *const *args, Py_ssize_t count,
                               PyObject *keywords) {
    static const char *const names[] = {"points", "k", "poses", "max_distance", FILTER_KEYWORDS};
    static const CoreSignature signature = {"distances", names, 7, 2, 1};
    PyObject *values[7], *result = NULL;
    if (!core_bind(&signature, args, count, keywords, values)) {
        return NULL;
    }
    NearCall near = {.call = {.self = (WorldObject *)object}};
    WorldObject *self = near.call.self;
    if (open_near(&near, names, values)) {
        npy_intp rows = near.call.rows.count;
        result = core_rows_to_fill(self->core, ROW_NEAR, (uint64_t)rows * near.k);
        if (result != NULL && enter_near(&near)) {
            near.rows = PyArray_DATA((PyArrayObject *)result);
            if (!core_query_run(self, near_slice, &near, (uint32_t)rows, FIRST_SLICE)) {
                Py_CLEAR(result);
            }
        } else {
            Py_CLEAR(result);
        }
        if (result != NULL && near.k > 1) {
            npy_intp shape[2] = {rows, near.k};
            PyArray_Dims dims = {shape, 2};
            Py_SETREF(result, PyArray_Newshape((PyArrayObject *)result, &dims, NPY_CORDER));
        }
    }
    close_call(&near.call);
    return result;
}

// -------------------------------------------------------------------------------- overlaps

typedef struct OverlapCall {
    ProbeCall call;
    double margin;
    bool pieces;
    PhOverlapList list;
} OverlapCall;

static PhStatus overlap_slice(void *context, uint32_t first, uint32_t count, PhError *error) {
    OverlapCall *overlap = context;
    return ph_world_overlaps(overlap->call.self->world, &overlap->call.probes, first, count,
                             overlap->margin, overlap->pieces, overlap->call.filter.filter,
                             &overlap->list, error);
}

const char core_world_overlaps_doc[] =
    "overlaps($self, shapes, poses=(0, 0, 0), *, margin=0.0, pieces=False,\n"
    "         mask=18446744073709551615, include_sensors=False, where=None)\n--\n\n"
    "Which colliders placed shapes overlap, and how: contact points as geometry.collide gives "
    "them.\n\n"
    "Of concave shapes the convex pieces that overlap most count. Chains are one-sided, as in\n"
    "contacts, so what is behind one does not overlap it; World.overlap takes them for plain "
    "lines.\n\n"
    "Parameters\n----------\n" SHAPES_DOC "poses : array_like, shape (3,) or (n, 3)\n    x, y "
                                          "(metres) and angle (radians), world.\n" MANY_DOC
    "margin : float\n    Points with a separation up to this are reported, metres, >= 0.\n"
    "pieces : bool\n    Whether there is a row for every pair of convex pieces, instead of one "
    "per\n"
    "    collider.\n" FILTER_DOC "Returns\n-------\n"
    "structured ndarray\n"
    "    Rows by query (the row of shape and pose), then by collider, piece and own_piece (of the\n"
    "    shape). More columns: body, normal (unit, out of the collider), depth (metres: by how "
    "far\n"
    "    the shape must go along the normal), count (1 or 2), points (midway between the "
    "surfaces)\n"
    "    and separations, NaN beyond the count.\n\n" RAISES_DOC "\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> floor = world.add_body(Box(10, 2), kind='static')\n"
    ">>> rows = world.overlaps(Circle(1), [(0, 1.75, 0), (3, 5, 0), (2, 1.5, 0)])\n"
    ">>> rows['query'], rows['depth']\n"
    "(array([0, 2], dtype=int32), array([0.25, 0.5 ]))";
PyObject *core_world_overlaps(PyObject *object, PyObject *const *args, Py_ssize_t count,
                              PyObject *keywords) {
    static const char *const names[] = {"shapes", "poses", "margin", "pieces", FILTER_KEYWORDS};
    static const CoreSignature signature = {"overlaps", names, 7, 2, 1};
    PyObject *values[7], *result = NULL;
    if (!core_bind(&signature, args, count, keywords, values)) {
        return NULL;
    }
    OverlapCall overlap = {.call = {.self = (WorldObject *)object}};
    ProbeCall *call = &overlap.call;
    if (open_shapes(call, values[0], names[0]) && to_column(values[1], names[1], 3, &call->pose) &&
        to_amount(values[2], "margin", &overlap.margin) &&
        (values[3] == NULL || core_to_bool(values[3], "pieces", &overlap.pieces)) &&
        open_filter(call, values + 4) && join_call(call) &&
        core_query_enter(call->self, &call->filter, box_of_call(call, overlap.margin)) &&
        core_query_run(call->self, overlap_slice, &overlap, (uint32_t)call->rows.count,
                       FIRST_SLICE)) {
        result = core_rows(call->self->core, ROW_OVERLAP, overlap.list.row, overlap.list.count);
    }
    ph_free(overlap.list.row);
    close_call(call);
    return result;
}

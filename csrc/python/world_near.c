// What is nearest in a world, and overlaps with manifolds; single ones and arrays of them.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "python/probe_arguments.h"
#include "python/world_methods.h"

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
        if (!core_to_extended(values[3], "max_distance", &near->most)) {
            return false;
        }
        if (near->most < 0) {
            return core_refuse_number("max_distance", ">= 0", near->most);
        }
    }
    call->points = !holds_shapes(call->self->core, values[0]);
    if (call->points && values[2] != NULL) {
        PyErr_Format(PyExc_TypeError, "%s: is for shapes, not for points", names[2]);
        return false;
    }
    bool good = call->points ? core_to_column(values[0], names[0], 2, &call->pose)
                             : core_probe_shapes(call, values[0], names[0]) &&
                                   core_to_column(values[2], names[2], 3, &call->pose);
    return good && core_probe_filter(call, values + 4) && core_probe_join(call);
}

static bool enter_near(NearCall *near) {
    bool far = !(near->most < INFINITY);
    return core_query_enter(near->call.self, &near->call.filter,
                            far ? QUERY_EVERYWHERE : core_probe_box(&near->call, near->most));
}

const char core_world_nearest_doc[] =
    "nearest($self, point, k=1, *, pose=(0, 0, 0), max_distance=None, mask=18446744073709551615,\n"
    "        include_sensors=False, where=None, ignore=None, category=0, group=0)\n--\n\n"
    "The k colliders nearest to a point or a shape, by distance, then by index.\n\n"
    "Colliders that contain or overlap it are at distance 0. Chains count as plain lines.\n"
    "World.distances tells the distances and the nearest points.\n\n"
    "Parameters\n----------\n"
    "point : array_like, shape (2,), or Shape\n    Metres, world.\n"
    "k : int\n    Largest number of colliders, 1 to 1048576.\n"
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
    CORE_ARGUMENTS("nearest", 2, 1, "point", "k", "pose", "max_distance", FILTER_KEYWORDS);
    PyObject *result = NULL;
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
    core_probe_close(&near.call);
    return result;
}

const char core_world_distances_doc[] =
    "distances($self, points, k=1, *, poses=(0, 0, 0), max_distance=None,\n"
    "          mask=18446744073709551615, include_sensors=False, where=None, ignore=None, "
    "category=0, group=0)\n--\n\n"
    "Distances and nearest points of the k colliders nearest to points or shapes.\n\n"
    "By distance, then by index. Colliders that contain or overlap a point or shape are at\n"
    "distance 0. Chains count as plain lines.\n\n"
    "Parameters\n----------\n"
    "points : array_like, shape (2,) or (n, 2), or Shape or sequence of n Shapes\n"
    "    Metres, world.\n"
    "k : int\n    Number for each row, 1 to 1048576.\n"
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
    CORE_ARGUMENTS("distances", 2, 1, "points", "k", "poses", "max_distance", FILTER_KEYWORDS);
    PyObject *result = NULL;
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
            if (!core_query_run(self, near_slice, &near, (uint32_t)rows, PROBE_SLICE)) {
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
    core_probe_close(&near.call);
    return result;
}

// ------------------------------------------------------------------------------------------------
// overlaps

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

// A table of the rows. There may be millions, so signals are checked meanwhile.
static PyObject *overlap_rows(const CoreState *core, const PhOverlapList *list) {
    enum { PORTION = 1 << 18 };
    PyObject *array = core_rows(core, ROW_OVERLAP, NULL, list->count);
    for (uint32_t i = 0; array != NULL && i < list->count; i += PORTION) {
        uint32_t count = list->count - i < PORTION ? list->count - i : PORTION;
        PhOverlapRow *to = PyArray_DATA((PyArrayObject *)array);
        memcpy(to + i, list->row + i, count * sizeof *to);
        if (count == PORTION && PyErr_CheckSignals() < 0) {
            Py_CLEAR(array);
        }
    }
    return array;
}

const char core_world_overlaps_doc[] =
    "overlaps($self, shapes, poses=(0, 0, 0), *, margin=0.0, pieces=False,\n"
    "         mask=18446744073709551615, include_sensors=False, where=None, ignore=None, "
    "category=0, group=0)\n--\n\n"
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
    CORE_ARGUMENTS("overlaps", 2, 1, "shapes", "poses", "margin", "pieces", FILTER_KEYWORDS);
    PyObject *result = NULL;
    if (!core_bind(&signature, args, count, keywords, values)) {
        return NULL;
    }
    OverlapCall overlap = {.call = {.self = (WorldObject *)object}};
    ProbeCall *call = &overlap.call;
    if (core_probe_shapes(call, values[0], names[0]) &&
        core_to_column(values[1], names[1], 3, &call->pose) &&
        core_to_amount(values[2], "margin", &overlap.margin) &&
        (values[3] == NULL || core_to_bool(values[3], "pieces", &overlap.pieces)) &&
        core_probe_filter(call, values + 4) && core_probe_join(call) &&
        core_query_enter(call->self, &call->filter, core_probe_box(call, overlap.margin)) &&
        core_query_run(call->self, overlap_slice, &overlap, (uint32_t)call->rows.count,
                       PROBE_SLICE)) {
        result = overlap_rows(call->self->core, &overlap.list);
    }
    ph_free(overlap.list.row);
    core_probe_close(call);
    return result;
}

// Hulls, simplification, triangles and convex parts of plain polygons: functions of
// pyphys2d.geometry whose results vary in size. Large inputs are worked on without the GIL; all
// arguments are copies by then.
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "geometry/operations.h"
#include "geometry/polygon.h"
#include "python/convert.h"
#include "python/geometry_functions.h"
#include "python/ring_arguments.h"

// ------------------------------------------------------------------------------------------------
// hull

const char core_geometry_convex_hull_doc[] =
    "convex_hull($module, points, /)\n--\n\n"
    "Convex hull of points, counter-clockwise from the lowest of the leftmost, without collinear\n"
    "points. Exact: a point that lies beyond an edge by the least bit is a vertex.\n\n"
    "Parameters\n----------\n"
    "points : array_like, shape (n, 2)\n    Any number, repeated ones too.\n\n"
    "Returns\n-------\n"
    "ndarray, shape (k, 2)\n    Some of the points. k is 0 without points, and 1 or 2 for points "
    "in\n"
    "    one place or on a line.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN, infinity, or a number beyond 1e150.\n\n"
    "Examples\n--------\n"
    ">>> convex_hull([(0, 0), (2, 0), (1, 1), (2, 2), (0, 2), (1, 2)])\n"
    "array([[0., 0.],\n       [2., 0.],\n       [2., 2.],\n       [0., 2.]])";
PyObject *core_geometry_convex_hull(PyObject *Py_UNUSED(module), PyObject *arg) {
    PyArrayObject *points = core_to_plain_ring(arg, "points", 0, true);
    if (points == NULL) {
        return NULL;
    }
    int32_t count = (int32_t)PyArray_DIM(points, 0);
    PhVec2 *hull = ph_alloc((size_t)count, sizeof *hull);
    PyObject *result = NULL;
    if (hull == NULL) {
        PyErr_NoMemory();
    } else {
        CoreLongWork work;
        const PhStop *stop = core_begin_work(&work, count > CORE_QUICK_VERTICES);
        int32_t size = ph_convex_hull_or_stop(core_points(points), count, hull, stop);
        core_end_work(&work);
        result = size < 0 ? NULL : core_from_points(hull, size);
    }
    ph_free(hull);
    Py_DECREF(points);
    return result;
}

// A trace keeps the chain after each point: n^2 numbers for points on a circle.
#define MAX_TRACED_POINTS 4096

typedef struct HullSteps {
    const PhVec2 *points;
    PhVec2 *hull;
    int32_t *sorted; // rows of points by place, then row
    int32_t *used;   // by position in sorted: rows of this place that were visited already
    int64_t *order;  // rows as visited
    int64_t *chain;
    PhHullRecorder recorder;
} HullSteps;

static int compare_places(PhVec2 a, PhVec2 b) {
    return a.x != b.x ? (a.x < b.x ? -1 : 1) : (a.y > b.y) - (a.y < b.y);
}

static bool row_order(const void *a, const void *b, const void *context) {
    const PhVec2 *points = context;
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    int compared = compare_places(points[i], points[j]);
    return compared != 0 ? compared < 0 : i < j;
}

// The row of a visited point: of several in one place the first that has not been visited.
static int32_t row_of(const HullSteps *steps, int32_t count, PhVec2 point) {
    int32_t from = 0, to = count - 1;
    while (from < to) {
        int32_t middle = from + (to - from) / 2;
        if (compare_places(steps->points[steps->sorted[middle]], point) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    int32_t place = from + steps->used[from]++;
    return steps->sorted[place < count ? place : count - 1];
}

static PyObject *from_rows(const int64_t *rows, int32_t count) {
    npy_intp dims[1] = {count};
    PyObject *array = PyArray_SimpleNew(1, dims, NPY_INT64);
    if (array != NULL && count > 0) {
        memcpy(PyArray_DATA((PyArrayObject *)array), rows, (size_t)count * sizeof *rows);
    }
    return array;
}

// Runs the hull and hands out (order, stages, hull).
static PyObject *trace_hull(HullSteps *steps, int32_t count) {
    int32_t size = ph_convex_hull(steps->points, count, steps->hull, &steps->recorder);
    for (int32_t i = 0; i < count; ++i) {
        steps->sorted[i] = i;
    }
    ph_sort(steps->sorted, (size_t)count, sizeof(int32_t), row_order, steps->points);
    PyObject *stages = PyTuple_New(count);
    for (int32_t i = 0; i < count && stages != NULL; ++i) {
        int32_t height = steps->recorder.height[i];
        steps->order[i] = row_of(steps, count, steps->recorder.visited[i]);
        steps->chain[height] = steps->order[i];
        // After the last point the chain is closed, too.
        PyObject *stage = from_rows(steps->chain, i + 1 < count ? height + 1 : size);
        if (stage == NULL) {
            Py_CLEAR(stages);
        } else {
            PyTuple_SET_ITEM(stages, i, stage);
        }
    }
    PyObject *order = from_rows(steps->order, count);
    PyObject *hull = from_rows(steps->chain, size);
    if (stages == NULL || order == NULL || hull == NULL) {
        Py_XDECREF(stages);
        Py_XDECREF(order);
        Py_XDECREF(hull);
        return NULL;
    }
    return Py_BuildValue("NNN", order, stages, hull);
}

const char core_geometry__hull_trace_doc[] =
    "_hull_trace($module, points, /)\n--\n\n"
    "The steps of convex_hull: points as a copy, rows in the order in which they are looked at, "
    "the\n"
    "rows on the chain after each of them, rows of the hull. For pyphys2d.geometry.hull_trace.";
PyObject *core_geometry__hull_trace(PyObject *Py_UNUSED(module), PyObject *arg) {
    PyArrayObject *points = core_to_plain_ring(arg, "points", 0, true);
    if (points == NULL) {
        return NULL;
    }
    int32_t count = (int32_t)PyArray_DIM(points, 0);
    if (count > MAX_TRACED_POINTS) {
        Py_DECREF(points);
        return PyErr_Format(PyExc_ValueError, "points: a trace holds at most %d, got %d",
                            MAX_TRACED_POINTS, (int)count);
    }
    size_t n = (size_t)count;
    HullSteps steps = {.points = core_points(points)};
    PhVec2 *vectors = ph_alloc(2 * n, sizeof *vectors);
    int64_t *rows = ph_alloc(2 * n, sizeof *rows);
    int32_t *tables = ph_alloc(3 * n, sizeof *tables);
    PyObject *result = NULL;
    if (vectors == NULL || rows == NULL || tables == NULL) {
        PyErr_NoMemory();
    } else {
        steps.hull = vectors;
        steps.order = rows;
        steps.chain = rows + n;
        steps.sorted = tables;
        steps.used = tables + n;
        steps.recorder = (PhHullRecorder){vectors + n, tables + 2 * n, 0};
        PyObject *trace = trace_hull(&steps, count);
        PyObject *copy = trace != NULL ? core_from_points(steps.points, count) : NULL;
        if (copy != NULL) {
            result = Py_BuildValue("NOOO", copy, PyTuple_GET_ITEM(trace, 0),
                                   PyTuple_GET_ITEM(trace, 1), PyTuple_GET_ITEM(trace, 2));
        }
        Py_XDECREF(trace);
    }
    ph_free(tables);
    ph_free(rows);
    ph_free(vectors);
    Py_DECREF(points);
    return result;
}

// ------------------------------------------------------------------------------------------------
// simplify

// Vertices examined between two checks for signals.
#define SIMPLIFY_PORTION 20000000

// False with the exception of a signal handler.
static bool run_simplify(PhSimplify *work) {
    bool done = false;
    while (!done) {
        PyThreadState *thread = work->count > CORE_QUICK_VERTICES ? PyEval_SaveThread() : NULL;
        done = ph_simplify_run(work, SIMPLIFY_PORTION);
        if (thread != NULL) {
            PyEval_RestoreThread(thread);
        }
        if (!done && PyErr_CheckSignals() < 0) {
            return false;
        }
    }
    return true;
}

static PyObject *take_kept(const PhVec2 *vertices, int32_t count, const bool *kept) {
    npy_intp dims[2] = {0, 2};
    for (int32_t i = 0; i < count; ++i) {
        dims[0] += kept[i];
    }
    PyObject *result = PyArray_SimpleNew(2, dims, NPY_DOUBLE);
    PhVec2 *out = result != NULL ? PyArray_DATA((PyArrayObject *)result) : NULL;
    for (int32_t i = 0; i < count && out != NULL; ++i) {
        if (kept[i]) {
            *out++ = vertices[i];
        }
    }
    return result;
}

const char core_geometry_simplify_doc[] =
    "simplify($module, vertices, tolerance, *, closed=True)\n--\n\n"
    "Fewer vertices: those left out were within `tolerance` of the edge that replaces them.\n\n"
    "Douglas and Peucker 1973, in float64. A path keeps its ends. A polygon keeps its lowest "
    "leftmost\n"
    "vertex, the one farthest from that, and the one farthest from the segment between both, so "
    "that\n"
    "the result does not depend on where it begins, and a polygon with area has at least three\n"
    "vertices left. It may cross itself where the tolerance is larger than its narrowest parts are "
    "wide. On "
    "average\n"
    "n log n steps; n squared at worst (Ctrl-C works).\n\n"
    "Parameters\n----------\n"
    "vertices : array_like, shape (n, 2)\n    A polygon of either winding, n >= 3, or a path.\n"
    "tolerance : float\n    Greatest distance, >= 0.\n"
    "closed : bool\n    Whether the last vertex is joined to the first; False: a path, any n.\n\n"
    "Returns\n-------\n"
    "ndarray, shape (k, 2)\n    Some of the vertices, in order.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN, infinity, a number beyond 1e150 or a tolerance < "
    "0.\n\n"
    "Examples\n--------\n"
    ">>> simplify([(0, 0), (1, 0.1), (2, 0), (2, 2)], 0.2)\n"
    "array([[0., 0.],\n       [2., 0.],\n       [2., 2.]])";
PyObject *core_geometry_simplify(PyObject *Py_UNUSED(module), PyObject *const *args,
                                 Py_ssize_t arg_count, PyObject *keywords) {
    CORE_ARGUMENTS("simplify", 2, 2, "vertices", "tolerance", "closed");
    double tolerance;
    bool closed = true;
    if (!core_bind(&signature, args, arg_count, keywords, values) ||
        !core_to_double(values[1], "tolerance", &tolerance) ||
        (values[2] != NULL && !core_to_bool(values[2], "closed", &closed))) {
        return NULL;
    }
    if (tolerance < 0) {
        return PyErr_Format(PyExc_ValueError, "tolerance: must be >= 0, got %R", values[1]);
    }
    PyArrayObject *vertices = core_to_plain_ring(values[0], "vertices", closed ? 3 : 0, true);
    if (vertices == NULL) {
        return NULL;
    }
    int32_t count = (int32_t)PyArray_DIM(vertices, 0);
    bool *kept = ph_alloc((size_t)count, sizeof *kept);
    PyObject *result = NULL;
    if (kept == NULL) {
        PyErr_NoMemory();
    } else if (count == 0) {
        result = core_from_points(NULL, 0);
    } else {
        PhSimplify work;
        ph_simplify_begin(&work, core_points(vertices), count, closed, tolerance, kept);
        if (run_simplify(&work)) {
            result = take_kept(core_points(vertices), count, kept);
        }
    }
    ph_free(kept);
    Py_DECREF(vertices);
    return result;
}

// ------------------------------------------------------------------------------------------------
// triangles and parts

static PyObject *from_triangles(const CoreRings *rings, int32_t (*triangles)[3], int32_t count) {
    npy_intp dims[2] = {count, 3};
    PyObject *result = PyArray_SimpleNew(2, dims, NPY_INT64);
    int64_t *out = result != NULL ? PyArray_DATA((PyArrayObject *)result) : NULL;
    for (int32_t i = 0; i < count && out != NULL; ++i) {
        for (int32_t k = 0; k < 3; ++k) {
            *out++ = rings->labels[triangles[i][k]];
        }
    }
    return result;
}

const char core_geometry_triangulate_doc[] =
    "triangulate($module, vertices, holes=())\n--\n\n"
    "Triangles that fill a simple polygon with holes, close to Delaunay.\n\n"
    "The result is what matplotlib's `triplot(x, y, triangles)` takes, and `vertices[triangles]` "
    "has\n"
    "the corners, shape (t, 3, 2). Every vertex is used, also on straight edges; repeated ones "
    "once.\n\n"
    "Parameters\n----------\n"
    "vertices : array_like, shape (n, 2)\n    Either winding, n >= 3.\n"
    "holes : sequence of array_like, each of shape (k, 2)\n"
    "    Simple, disjoint polygons inside, either winding.\n\n"
    "Returns\n-------\n"
    "ndarray of int64, shape (t, 3)\n"
    "    Rows of `vertices`, counter-clockwise; with holes, of\n"
    "    `np.concatenate([vertices, *holes])`. t is n - 2, and k + 2 more for each hole.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a polygon that crosses or touches itself, has no area, or holes that do\n"
    "    not lie inside and apart; the message names the vertices.\n\n"
    "Examples\n--------\n"
    ">>> triangulate([(0, 0), (2, 0), (2, 2), (0, 1)]).shape\n"
    "(2, 3)";
PyObject *core_geometry_triangulate(PyObject *module, PyObject *const *args, Py_ssize_t arg_count,
                                    PyObject *keywords) {
    CORE_ARGUMENTS("triangulate", 2, 1, "vertices", "holes");
    const CoreState *core = PyModule_GetState(module);
    CoreRings rings;
    if (!core_bind(&signature, args, arg_count, keywords, values) ||
        !core_to_rings(core, values[0], values[1], &rings)) {
        return NULL;
    }
    int32_t(*triangles)[3] = NULL, count = 0;
    PhError error;
    bool large = rings.starts[rings.count] > CORE_QUICK_VERTICES;
    CoreLongWork work;
    const PhStop *stop = core_begin_work(&work, large);
    PhStatus status =
        ph_triangulate(rings.vertices, rings.starts, rings.count, stop, &triangles, &count, &error);
    core_end_work(&work);
    PyObject *result =
        status == PH_OK ? from_triangles(&rings, triangles, count) : core_raise(core, &error);
    ph_free(triangles);
    core_rings_free(&rings);
    return result;
}

static PyObject *from_parts(const PhVec2 *vertices, const int32_t *indices, const int32_t *starts,
                            int32_t count) {
    PyObject *list = PyList_New(count);
    for (int32_t i = 0; i < count && list != NULL; ++i) {
        npy_intp dims[2] = {starts[i + 1] - starts[i], 2};
        PyObject *part = PyArray_SimpleNew(2, dims, NPY_DOUBLE);
        if (part == NULL) {
            Py_CLEAR(list);
            break;
        }
        PhVec2 *out = PyArray_DATA((PyArrayObject *)part);
        for (npy_intp k = 0; k < dims[0]; ++k) {
            out[k] = vertices[indices[starts[i] + k]];
        }
        PyList_SET_ITEM(list, i, part);
    }
    return list;
}

const char core_geometry_decompose_doc[] =
    "decompose($module, vertices, holes=())\n--\n\n"
    "Split a simple polygon with holes into convex parts: the fewest, or at most four times as "
    "many.\n\n"
    "The parts' vertices are the polygon's own, so that nothing is rounded: they are convex and\n"
    "disjoint exactly, and their areas add up.\n\n"
    "Parameters\n----------\n"
    "vertices : array_like, shape (n, 2)\n    Either winding, n >= 3.\n"
    "holes : sequence of array_like, each of shape (k, 2)\n"
    "    Simple, disjoint polygons inside, either winding.\n\n"
    "Returns\n-------\n"
    "list of ndarray, each of shape (k, 2)\n    Counter-clockwise, without straight corners.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a polygon that crosses or touches itself, has no area, or holes that do\n"
    "    not lie inside and apart; the message names the vertices.\n\n"
    "Examples\n--------\n"
    ">>> len(decompose([(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2)]))\n"
    "2";
PyObject *core_geometry_decompose(PyObject *module, PyObject *const *args, Py_ssize_t arg_count,
                                  PyObject *keywords) {
    CORE_ARGUMENTS("decompose", 2, 1, "vertices", "holes");
    const CoreState *core = PyModule_GetState(module);
    CoreRings rings;
    if (!core_bind(&signature, args, arg_count, keywords, values) ||
        !core_to_rings(core, values[0], values[1], &rings)) {
        return NULL;
    }
    int32_t *indices = NULL, *starts = NULL, count = 0;
    PhError error;
    bool large = rings.starts[rings.count] > CORE_QUICK_VERTICES;
    CoreLongWork work;
    const PhStop *stop = core_begin_work(&work, large);
    PhStatus status = ph_decompose(rings.vertices, rings.starts, rings.count, stop, &indices,
                                   &starts, &count, &error);
    core_end_work(&work);
    PyObject *result = status == PH_OK ? from_parts(rings.vertices, indices, starts, count)
                                       : core_raise(core, &error);
    ph_free(indices);
    ph_free(starts);
    core_rings_free(&rings);
    return result;
}

// Clipping and slicing of plain polygons: functions of pyphys2d.geometry whose results vary in
// size. Large inputs are worked on without the GIL; all arguments are copies by then.
#include "base/memory.h"
#include "geometry/operations.h"
#include "python/convert.h"
#include "python/geometry_functions.h"
#include "python/ring_arguments.h"

// ------------------------------------------------------------------------------------------------
// clip

#define CLIP_DOC                                                                                   \
    "Sutherland and Hodgman 1974: the result is one ring, winding as before. Where a concave\n"    \
    "polygon falls into several parts, they stay joined by edges that run to and fro on the\n"     \
    "border; area and centroid are right all the same. `slice_polygon` gives the parts. A "        \
    "vertex\n"                                                                                     \
    "on the border is kept, and a polygon without area on the kept side gives an empty array.\n\n"

const char core_geometry_clip_halfplane_doc[] =
    "clip_halfplane($module, vertices, point, normal)\n--\n\n"
    "The part of a polygon behind a line: where (v - point) . normal <= 0.\n\n" CLIP_DOC
    "Parameters\n----------\n"
    "vertices : array_like, shape (n, 2)\n"
    "    Either winding, n >= 3; an empty array gives an empty one.\n"
    "point : array_like, shape (2,)\n    On the line.\n"
    "normal : array_like, shape (2,)\n    Out of the side that is kept; any length but 0.\n\n"
    "Returns\n-------\n"
    "ndarray, shape (k, 2)\n    k is 0 or >= 3.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN, infinity, a number beyond 1e150 or a normal of 0.\n\n"
    "Examples\n--------\n"
    ">>> clip_halfplane([(0, 0), (2, 0), (2, 2), (0, 2)], (0, 1), (0, 1))\n"
    "array([[0., 0.],\n       [2., 0.],\n       [2., 1.],\n       [0., 1.]])";
PyObject *core_geometry_clip_halfplane(PyObject *Py_UNUSED(module), PyObject *const *args,
                                       Py_ssize_t arg_count, PyObject *keywords) {
    CORE_ARGUMENTS("clip_halfplane", 3, 3, "vertices", "point", "normal");
    PhCutLine line = {.by_normal = true};
    if (!core_bind(&signature, args, arg_count, keywords, values) ||
        !core_to_plain_point(values[1], "point", &line.p) ||
        !core_to_plain_point(values[2], "normal", &line.q)) {
        return NULL;
    }
    if (line.q.x == 0 && line.q.y == 0) {
        core_refuse_vec2("normal", "not be zero", line.q);
        return NULL;
    }
    PyArrayObject *ring = core_to_plain_ring(values[0], "vertices", 3, true);
    if (ring == NULL) {
        return NULL;
    }
    int32_t count = (int32_t)PyArray_DIM(ring, 0);
    PhVec2 *out = ph_alloc(2 * (size_t)count, sizeof *out);
    PyObject *result = NULL;
    if (out == NULL) {
        PyErr_NoMemory();
    } else {
        PyThreadState *thread = count > CORE_QUICK_VERTICES ? PyEval_SaveThread() : NULL;
        int32_t size = ph_clip_ring(core_points(ring), count, &line, out);
        if (thread != NULL) {
            PyEval_RestoreThread(thread);
        }
        result = core_from_points(out, size);
    }
    ph_free(out);
    Py_DECREF(ring);
    return result;
}

// Vertices examined between two checks for signals.
#define CLIP_PORTION 10000000

// Two buffers in turn: what is left, and what the next edge leaves of it.
typedef struct Clip {
    PhVec2 *now, *next;
    int32_t count, now_room, next_room;
} Clip;

// Clips by one edge after the other until the work is worth a check for signals; returns the next
// edge. PH_ERROR_MEMORY leaves the buffers to be freed.
static PhStatus clip_portion(Clip *clip, const PhVec2 *edges, int32_t edge_count, int winding,
                             int32_t *edge) {
    int64_t budget = CLIP_PORTION;
    while (*edge < edge_count && clip->count > 0 && budget > 0) {
        PhVec2 a = edges[*edge], b = edges[*edge + 1 < edge_count ? *edge + 1 : 0];
        *edge += 1;
        if (a.x == b.x && a.y == b.y) {
            continue;
        }
        if (clip->count > INT32_MAX / 4) {
            return PH_ERROR_MEMORY;
        }
        if (clip->next_room < 2 * clip->count) {
            int32_t room = 2 * clip->count;
            PhVec2 *fresh = ph_alloc((size_t)room, sizeof *fresh);
            if (fresh == NULL) {
                return PH_ERROR_MEMORY;
            }
            ph_free(clip->next);
            clip->next = fresh;
            clip->next_room = room;
        }
        PhCutLine line = {winding > 0 ? a : b, winding > 0 ? b : a, false};
        budget -= clip->count;
        int32_t size = ph_clip_ring(clip->now, clip->count, &line, clip->next);
        *clip = (Clip){clip->next, clip->now, size, clip->next_room, clip->now_room};
    }
    *edge = clip->count > 0 ? *edge : edge_count;
    return PH_OK;
}

// False with an exception.
static bool run_clip(Clip *clip, const PhVec2 *edges, int32_t edge_count, int winding) {
    bool large = clip->count > CORE_QUICK_VERTICES || edge_count > CORE_QUICK_VERTICES;
    int32_t edge = 0;
    while (edge < edge_count) {
        PyThreadState *thread = large ? PyEval_SaveThread() : NULL;
        PhStatus status = clip_portion(clip, edges, edge_count, winding, &edge);
        if (thread != NULL) {
            PyEval_RestoreThread(thread);
        }
        if (status != PH_OK) {
            PyErr_NoMemory();
            return false;
        }
        if (edge < edge_count && PyErr_CheckSignals() < 0) {
            return false;
        }
    }
    return true;
}

const char core_geometry_clip_polygon_doc[] =
    "clip_polygon($module, subject, clip)\n--\n\n"
    "The part of a polygon inside a convex polygon.\n\n" CLIP_DOC "Parameters\n----------\n"
    "subject : array_like, shape (n, 2)\n"
    "    Any polygon, n >= 3; an empty array gives an empty one.\n"
    "clip : array_like, shape (m, 2)\n    A convex polygon, either winding, m >= 3.\n\n"
    "Returns\n-------\n"
    "ndarray, shape (k, 2)\n    k is 0 or >= 3.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN, infinity, a number beyond 1e150, or a clip polygon "
    "that\n"
    "    is not convex.\n\n"
    "Examples\n--------\n"
    ">>> clip_polygon([(0, 0), (2, 0), (2, 2), (0, 2)], [(1, 1), (3, 1), (3, 3), (1, 3)])\n"
    "array([[2., 1.],\n       [2., 2.],\n       [1., 2.],\n       [1., 1.]])";
PyObject *core_geometry_clip_polygon(PyObject *Py_UNUSED(module), PyObject *const *args,
                                     Py_ssize_t arg_count, PyObject *keywords) {
    CORE_ARGUMENTS("clip_polygon", 2, 2, "subject", "clip");
    if (!core_bind(&signature, args, arg_count, keywords, values)) {
        return NULL;
    }
    PyArrayObject *subject = core_to_plain_ring(values[0], "subject", 3, true);
    PyArrayObject *border =
        subject != NULL ? core_to_plain_ring(values[1], "clip", 3, false) : NULL;
    if (border == NULL) {
        Py_XDECREF(subject);
        return NULL;
    }
    int32_t count = (int32_t)PyArray_DIM(subject, 0), edges = (int32_t)PyArray_DIM(border, 0);
    int winding = ph_convex_winding(core_points(border), edges);
    PyObject *result = NULL;
    Clip clip = {.count = count, .now_room = count};
    clip.now = ph_alloc((size_t)count, sizeof *clip.now);
    if (winding == 0) {
        PyErr_SetString(PyExc_ValueError,
                        "clip: must be a convex polygon with area; decompose a concave one");
    } else if (clip.now == NULL) {
        PyErr_NoMemory();
    } else {
        for (int32_t i = 0; i < count; ++i) {
            clip.now[i] = core_points(subject)[i];
        }
        if (run_clip(&clip, core_points(border), edges, winding)) {
            result = core_from_points(clip.now, clip.count);
        }
    }
    ph_free(clip.now);
    ph_free(clip.next);
    Py_DECREF(subject);
    Py_DECREF(border);
    return result;
}

// ------------------------------------------------------------------------------------------------
// slice

static PyObject *take_side(const PhSlices *slices, int side) {
    PyObject *list = PyList_New(0);
    for (int32_t i = 0; i < slices->part_count && list != NULL; ++i) {
        if (slices->sides[i] != side) {
            continue;
        }
        int32_t ring = slices->part_starts[i], start = slices->ring_starts[ring];
        PyObject *part =
            core_from_points(slices->vertices + start, slices->ring_starts[ring + 1] - start);
        if (part == NULL || PyList_Append(list, part) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(part);
    }
    return list;
}

const char core_geometry_slice_polygon_doc[] =
    "slice_polygon($module, vertices, p, q)\n--\n\n"
    "Cut a simple polygon along the infinite line from p to q.\n\n"
    "A concave polygon may fall into several parts on each side. Which side a vertex is on, and "
    "what\n"
    "belongs together, is decided exactly; only the new vertices are rounded, and the parts on "
    "both\n"
    "sides share them, so that areas add up and no gap opens. A vertex on the line belongs to "
    "both\n"
    "sides where it bounds both. Parts that rounding has left without area are not given; those of "
    "a\n"
    "polygon some units in the last place thick may touch themselves.\n\n"
    "Parameters\n----------\n"
    "vertices : array_like, shape (n, 2)\n    Either winding, n >= 3.\n"
    "p, q : array_like, shape (2,)\n    Two points of the line; it looks from p to q.\n\n"
    "Returns\n-------\n"
    "left_parts, right_parts : list of ndarray, each of shape (k, 2)\n"
    "    Simple polygons, counter-clockwise, in order along the line. A polygon that the line "
    "does\n"
    "    not cut is the only part, on its side.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a polygon that crosses or touches itself, q equal to p, NaN, infinity, a\n"
    "    number beyond 1e150 or a wrong shape.\n\n"
    "Examples\n--------\n"
    ">>> left, right = slice_polygon([(0, 0), (4, 0), (4, 2), (2, 1), (0, 2)], (0, 1.5), (1, "
    "1.5))\n"
    ">>> len(left), len(right)\n"
    "(2, 1)";
PyObject *core_geometry_slice_polygon(PyObject *module, PyObject *const *args, Py_ssize_t arg_count,
                                      PyObject *keywords) {
    CORE_ARGUMENTS("slice_polygon", 3, 3, "vertices", "p", "q");
    const CoreState *core = PyModule_GetState(module);
    PhCutLine line = {.by_normal = false};
    CoreRings rings;
    if (!core_bind(&signature, args, arg_count, keywords, values) ||
        !core_to_plain_point(values[1], "p", &line.p) ||
        !core_to_plain_point(values[2], "q", &line.q)) {
        return NULL;
    }
    if (line.p.x == line.q.x && line.p.y == line.q.y) {
        core_refuse_vec2("q", "differ from p", line.q);
        return NULL;
    }
    if (!core_to_rings(core, values[0], NULL, &rings)) {
        return NULL;
    }
    PhSlices slices;
    PhError error;
    bool large = rings.starts[rings.count] > CORE_QUICK_VERTICES;
    CoreLongWork work;
    const PhStop *stop = core_begin_work(&work, large);
    PhStatus status = ph_slice_rings(rings.vertices, rings.starts, rings.count, &line, 0, 0, stop,
                                     &slices, &error);
    core_end_work(&work);
    core_rings_free(&rings);
    if (status != PH_OK) {
        return core_raise(core, &error);
    }
    PyObject *left = take_side(&slices, 1), *right = take_side(&slices, -1);
    ph_slices_free(&slices);
    if (left == NULL || right == NULL) {
        Py_XDECREF(left);
        Py_XDECREF(right);
        return NULL;
    }
    return Py_BuildValue("NN", left, right);
}

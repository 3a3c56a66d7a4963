// Functions of plain polygons, given as arrays of vertices, whose results have no fixed shape: hull
// and convex parts.
#include "base/memory.h"
#include "geometry/polygon.h"
#include "python/convert.h"
#include "python/geometry_functions.h"

const char core_geometry_convex_hull_doc[] =
    "convex_hull($module, points, /)\n--\n\n"
    "Convex hull of points, counter-clockwise from the lowest of the leftmost, without collinear\n"
    "points.\n\n"
    "Parameters\n----------\n"
    "points : array_like, shape (n, 2)\n    n >= 1.\n\n"
    "Returns\n-------\n"
    "ndarray, shape (k, 2)\n    k is 1 or 2 for points in one place or on a line.";
PyObject *core_geometry_convex_hull(PyObject *Py_UNUSED(module), PyObject *arg) {
    PyArrayObject *points = core_to_ring(arg, "points", 1);
    if (points == NULL) {
        return NULL;
    }
    int32_t count = (int32_t)PyArray_DIM(points, 0);
    PhVec2 *hull = PyMem_New(PhVec2, (size_t)count);
    PyObject *result = NULL;
    if (hull == NULL) {
        PyErr_NoMemory();
    } else {
        int32_t size = ph_convex_hull(core_points(points), count, hull);
        result = core_from_points(hull, size);
    }
    PyMem_Free(hull);
    Py_DECREF(points);
    return result;
}

// ----------------------------------------------------------------------------------------
// decompose

// Counter-clockwise and without equal neighbours; returns the number of vertices left.
static int32_t tidy_ring(const PhVec2 *ring, int32_t count, PhVec2 *out) {
    bool clockwise = ph_ring_mass(ring, count).area < 0;
    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i) {
        PhVec2 v = ring[clockwise ? count - 1 - i : i];
        if (kept == 0 || v.x != out[kept - 1].x || v.y != out[kept - 1].y) {
            out[kept++] = v;
        }
    }
    while (kept > 1 && out[0].x == out[kept - 1].x && out[0].y == out[kept - 1].y) {
        --kept;
    }
    return kept;
}

static PyObject *make_parts(const PhVec2 *vertices, const int32_t *indices, const int32_t *starts,
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
    "decompose($module, vertices, /)\n--\n\n"
    "Split a simple polygon into convex parts.\n\n"
    "Parameters\n----------\n"
    "vertices : array_like, shape (n, 2)\n    Either winding, n >= 3.\n\n"
    "Returns\n-------\n"
    "list of ndarray, each of shape (k, 2)\n    Counter-clockwise.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a polygon that crosses itself or has no area.";
PyObject *core_geometry_decompose(PyObject *module, PyObject *arg) {
    const CoreState *core = PyModule_GetState(module);
    PyArrayObject *array = core_to_ring(arg, "vertices", 3);
    if (array == NULL) {
        return NULL;
    }
    int32_t count = (int32_t)PyArray_DIM(array, 0);
    PhVec2 *ring = PyMem_New(PhVec2, (size_t)count);
    PyObject *result = NULL;
    int32_t *indices = NULL, *starts = NULL, parts = 0;
    PhError error;
    if (ring == NULL) {
        PyErr_NoMemory();
    } else {
        int32_t kept = tidy_ring(core_points(array), count, ring);
        const int32_t ring_starts[2] = {0, kept};
        if (kept < 3) {
            PyErr_Format(PyExc_ValueError,
                         "vertices: must hold at least 3 different points, got %d", (int)kept);
        } else if (ph_ring_check(ring, kept, "vertices", &error) != PH_OK ||
                   ph_decompose(ring, ring_starts, 1, &indices, &starts, &parts, &error) != PH_OK) {
            core_raise(core, &error);
        } else {
            result = make_parts(ring, indices, starts, parts);
        }
    }
    ph_free(indices);
    ph_free(starts);
    PyMem_Free(ring);
    Py_DECREF(array);
    return result;
}

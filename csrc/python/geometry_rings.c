// Functions of plain polygons, given as arrays of vertices: the C side of pyphys2d.geometry.
// Leading axes broadcast.
#include <math.h>

#include "base/memory.h"
#include "geometry/polygon.h"
#include "math/trig.h"
#include "python/convert.h"
#include "python/geometry_functions.h"

// --------------------------------------------------------------------------------------------
// rings

// Shape (..., n, 2) with n >= 3, finite.
static PyArrayObject *to_rings(PyObject *object) {
    PyArrayObject *array = core_to_numbers(object, "vertices");
    if (array == NULL) {
        return NULL;
    }
    int d = PyArray_NDIM(array);
    if (d < 2 || PyArray_DIM(array, d - 1) != 2 || PyArray_DIM(array, d - 2) < 3 ||
        PyArray_DIM(array, d - 2) > INT32_MAX / 4) {
        core_shape_error("vertices", "(..., n, 2) with n >= 3", array);
    } else if (core_check_finite(array, "vertices")) {
        return array;
    }
    Py_DECREF(array);
    return NULL;
}

typedef struct MomentArguments {
    double density;
    const PhVec2 *about; // NULL: the centroid
} MomentArguments;

// Writes `width` numbers of one ring.
typedef void RingFunction(const PhVec2 *ring, int32_t count, const void *context, double *out);

// A float for one ring with one number, else an array of the leading axes (and width when it is 2).
static PyObject *map_rings(PyObject *object, RingFunction *function, const void *context,
                           int width) {
    PyArrayObject *rings = to_rings(object);
    if (rings == NULL) {
        return NULL;
    }
    int leading = PyArray_NDIM(rings) - 2;
    npy_intp dims[64], size = 1;
    for (int i = 0; i < leading; ++i) {
        dims[i] = PyArray_DIM(rings, i);
        size *= dims[i];
    }
    dims[leading] = width;
    int32_t count = (int32_t)PyArray_DIM(rings, leading);
    PyObject *result;
    if (leading == 0 && width == 1) {
        double value;
        function(core_points(rings), count, context, &value);
        result = PyFloat_FromDouble(value);
    } else {
        result = PyArray_SimpleNew(leading + (width > 1 ? 1 : 0), dims, NPY_DOUBLE);
        double *out = result != NULL ? PyArray_DATA((PyArrayObject *)result) : NULL;
        for (npy_intp i = 0; out != NULL && i < size; ++i) {
            function(core_points(rings) + i * count, count, context, out + i * width);
        }
    }
    Py_DECREF(rings);
    return result;
}

static void signed_area_of(const PhVec2 *ring, int32_t count, const void *Py_UNUSED(context),
                           double *out) {
    *out = ph_ring_mass(ring, count).area;
}

static void area_of(const PhVec2 *ring, int32_t count, const void *Py_UNUSED(context),
                    double *out) {
    *out = fabs(ph_ring_mass(ring, count).area);
}

static void centroid_of(const PhVec2 *ring, int32_t count, const void *Py_UNUSED(context),
                        double *out) {
    PhVec2 centroid = ph_ring_mass(ring, count).centroid;
    out[0] = centroid.x;
    out[1] = centroid.y;
}

static void moment_of(const PhVec2 *ring, int32_t count, const void *context, double *out) {
    const MomentArguments *arguments = context;
    PhMassProperties mass = ph_ring_mass(ring, count);
    double moment = fabs(mass.inertia);
    if (arguments->about != NULL) {
        moment += fabs(mass.area) * ph_distance_squared(mass.centroid, *arguments->about);
    }
    *out = arguments->density * moment;
}

static void winding_of(const PhVec2 *ring, int32_t count, const void *Py_UNUSED(context),
                       double *out) {
    double area = ph_ring_mass(ring, count).area;
    *out = area > 0 ? 1 : area < 0 ? -1 : 0;
}

const char core_geometry_area_doc[] =
    "area($module, vertices, /)\n--\n\n"
    "Area of a simple polygon, >= 0.\n\n"
    "Parameters\n----------\n"
    "vertices : array_like, shape (..., n, 2)\n    Either winding, n >= 3.\n\n"
    "Returns\n-------\n"
    "float or ndarray, shape (...)\n\n"
    "Examples\n--------\n"
    ">>> area([(3, 1), (3, 3), (2, 4), (1, 3), (1, 1)])\n"
    "5.0";
PyObject *core_geometry_area(PyObject *Py_UNUSED(module), PyObject *arg) {
    return map_rings(arg, area_of, NULL, 1);
}

const char core_geometry_signed_area_doc[] =
    "signed_area($module, vertices, /)\n--\n\n"
    "Area of a simple polygon, positive when it winds counter-clockwise.\n\n"
    "Parameters\n----------\n"
    "vertices : array_like, shape (..., n, 2)\n\n"
    "Returns\n-------\n"
    "float or ndarray, shape (...)";
PyObject *core_geometry_signed_area(PyObject *Py_UNUSED(module), PyObject *arg) {
    return map_rings(arg, signed_area_of, NULL, 1);
}

const char core_geometry_centroid_doc[] = "centroid($module, vertices, /)\n--\n\n"
                                          "Centroid of the area of a simple polygon.\n\n"
                                          "Parameters\n----------\n"
                                          "vertices : array_like, shape (..., n, 2)\n\n"
                                          "Returns\n-------\n"
                                          "ndarray, shape (..., 2)";
PyObject *core_geometry_centroid(PyObject *Py_UNUSED(module), PyObject *arg) {
    return map_rings(arg, centroid_of, NULL, 2);
}

const char core_geometry_second_moment_doc[] =
    "second_moment($module, vertices, density=1.0, about=None)\n--\n\n"
    "Polar second moment of the area of a simple polygon.\n\n"
    "Parameters\n----------\n"
    "vertices : array_like, shape (..., n, 2)\n"
    "density : float\n    kg/m^2.\n"
    "about : array_like, shape (2,), optional\n    By default the centroid.\n\n"
    "Returns\n-------\n"
    "float or ndarray, shape (...)";
PyObject *core_geometry_second_moment(PyObject *Py_UNUSED(module), PyObject *const *args,
                                      Py_ssize_t count, PyObject *keywords) {
    static const char *const names[] = {"vertices", "density", "about"};
    static const CoreSignature signature = {"second_moment", names, 3, 3, 1};
    PyObject *values[3];
    PhVec2 about;
    MomentArguments arguments = {.density = 1};
    if (!core_bind(&signature, args, count, keywords, values) ||
        (values[1] != NULL && !core_to_double(values[1], "density", &arguments.density))) {
        return NULL;
    }
    if (values[2] != NULL && values[2] != Py_None) {
        if (!core_to_vec2(values[2], "about", &about)) {
            return NULL;
        }
        arguments.about = &about;
    }
    return map_rings(values[0], moment_of, &arguments, 1);
}

const char core_geometry_winding_doc[] =
    "winding($module, vertices, /)\n--\n\n"
    "+1 for a counter-clockwise polygon, -1 for a clockwise one, 0 without area.\n\n"
    "Parameters\n----------\n"
    "vertices : array_like, shape (..., n, 2)\n\n"
    "Returns\n-------\n"
    "int or ndarray of int64, shape (...)";
PyObject *core_geometry_winding(PyObject *Py_UNUSED(module), PyObject *arg) {
    PyObject *numbers = map_rings(arg, winding_of, NULL, 1);
    if (numbers == NULL) {
        return NULL;
    }
    PyObject *result = PyFloat_Check(numbers) ? PyLong_FromDouble(PyFloat_AS_DOUBLE(numbers))
                                              : PyArray_Cast((PyArrayObject *)numbers, NPY_INT64);
    Py_DECREF(numbers);
    return result;
}

// Convex in either winding: no turn against the winding, and one turn in all (the edges' directions
// change sign at most twice along each axis), so that a pentagram is not convex. Collinear vertices
// are allowed.
static bool is_convex(const PhVec2 *ring, int32_t count) {
    int turn = 0, flips_x = 0, flips_y = 0;
    double last_x = 0, last_y = 0, first_x = 0, first_y = 0;
    for (int32_t i = 0; i < count; ++i) {
        PhVec2 a = ring[i], b = ring[(i + 1) % count], c = ring[(i + 2) % count];
        int orientation = ph_orientation(a, b, c);
        if (orientation != 0 && turn != 0 && orientation != turn) {
            return false;
        }
        turn = orientation != 0 ? orientation : turn;
        double x = b.x - a.x, y = b.y - a.y;
        if (x != 0) {
            flips_x += last_x != 0 && (x > 0) != (last_x > 0);
            first_x = first_x != 0 ? first_x : x;
            last_x = x;
        }
        if (y != 0) {
            flips_y += last_y != 0 && (y > 0) != (last_y > 0);
            first_y = first_y != 0 ? first_y : y;
            last_y = y;
        }
    }
    flips_x += (last_x > 0) != (first_x > 0);
    flips_y += (last_y > 0) != (first_y > 0);
    return turn != 0 && flips_x <= 2 && flips_y <= 2;
}

const char core_geometry_is_convex_doc[] =
    "is_convex($module, vertices, /)\n--\n\n"
    "Whether a polygon is convex and has area; collinear vertices are allowed.\n\n"
    "Parameters\n----------\n"
    "vertices : array_like, shape (n, 2)\n    Either winding, n >= 3.\n\n"
    "Returns\n-------\n"
    "bool";
PyObject *core_geometry_is_convex(PyObject *Py_UNUSED(module), PyObject *arg) {
    PyArrayObject *ring = core_to_ring(arg, "vertices", 3);
    if (ring == NULL) {
        return NULL;
    }
    bool convex = is_convex(core_points(ring), (int32_t)PyArray_DIM(ring, 0));
    Py_DECREF(ring);
    return PyBool_FromLong(convex);
}

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

// ---------------------------------------------------------------------------------- point in
// polygon

typedef bool Test(const PhVec2 *ring, int32_t count, PhVec2 p);

static bool by_winding(const PhVec2 *ring, int32_t count, PhVec2 p) {
    return ph_ring_contains(ring, count, p) >= 0;
}

// Even-odd rule: each edge owns its lower end only (E. Haines, "Point in Polygon Strategies",
// 1994).
static bool by_crossings(const PhVec2 *ring, int32_t count, PhVec2 p) {
    bool inside = false;
    for (int32_t i = 0; i < count; ++i) {
        PhVec2 a = ring[i], b = ring[i + 1 < count ? i + 1 : 0];
        if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + (b.x - a.x) * ((p.y - a.y) / (b.y - a.y))) {
            inside = !inside;
        }
    }
    return inside;
}

// The same with both ends owned by each edge, generously: a ray that passes within 1e-9 of a vertex
// crosses both of its edges. Shown to fail.
static bool by_naive_crossings(const PhVec2 *ring, int32_t count, PhVec2 p) {
    const double tolerance = 1e-9;
    int crossings = 0;
    for (int32_t i = 0; i < count; ++i) {
        PhVec2 a = ring[i], b = ring[i + 1 < count ? i + 1 : 0];
        double lower = a.y < b.y ? a.y : b.y, upper = a.y < b.y ? b.y : a.y;
        if (p.y < lower - tolerance || p.y > upper + tolerance || a.y == b.y) {
            continue;
        }
        crossings += p.x <= a.x + (b.x - a.x) * ((p.y - a.y) / (b.y - a.y));
    }
    return crossings % 2 == 1;
}

// Left of every edge of a counter-clockwise ring, right of every edge of a clockwise one. Convex
// rings only.
static bool by_cross_products(const PhVec2 *ring, int32_t count, PhVec2 p) {
    bool left = true, right = true;
    for (int32_t i = 0; i < count; ++i) {
        PhVec2 a = ring[i], b = ring[i + 1 < count ? i + 1 : 0];
        double cross = ph_cross(ph_sub(b, a), ph_sub(p, a));
        left = left && cross > 0;
        right = right && cross < 0;
    }
    return left || right;
}

static PyObject *test_points(PyArrayObject *points, PyArrayObject *polygon, Test *test) {
    const PhVec2 *ring = core_points(polygon);
    int32_t count = (int32_t)PyArray_DIM(polygon, 0);
    if (PyArray_NDIM(points) == 1) {
        return PyBool_FromLong(test(ring, count, *core_points(points)));
    }
    PyObject *result = PyArray_SimpleNew(PyArray_NDIM(points) - 1, PyArray_DIMS(points), NPY_BOOL);
    if (result != NULL) {
        npy_bool *inside = PyArray_DATA((PyArrayObject *)result);
        npy_intp size = PyArray_SIZE((PyArrayObject *)result);
        for (npy_intp i = 0; i < size; ++i) {
            inside[i] = test(ring, count, core_points(points)[i]);
        }
    }
    return result;
}

const char core_geometry_point_in_polygon_doc[] =
    "point_in_polygon($module, points, polygon, method='winding')\n--\n\n"
    "Whether points are in a polygon.\n\n"
    "Parameters\n----------\n"
    "points : array_like, shape (..., 2)\n"
    "polygon : array_like, shape (n, 2)\n    Either winding, n >= 3.\n"
    "method : {'winding', 'crossings', 'cross_products', 'naive_crossings'}\n"
    "    'winding' is exact, and the boundary is inside. 'crossings' is the even-odd rule.\n"
    "    'cross_products' is for convex polygons, and the boundary is outside. 'naive_crossings'\n"
    "    goes wrong where a vertex is at the height of the point; it is here to be shown.\n\n"
    "Returns\n-------\n"
    "bool or ndarray of bool, shape (...)\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN, infinity or an unknown method; for a concave polygon\n"
    "    with 'cross_products'.";
PyObject *core_geometry_point_in_polygon(PyObject *Py_UNUSED(module), PyObject *const *args,
                                         Py_ssize_t count, PyObject *keywords) {
    static const char *const names[] = {"points", "polygon", "method"};
    static const char *const methods[] = {"winding", "crossings", "cross_products",
                                          "naive_crossings", NULL};
    static Test *const tests[] = {by_winding, by_crossings, by_cross_products, by_naive_crossings};
    static const CoreSignature signature = {"point_in_polygon", names, 3, 3, 2};
    PyObject *values[3];
    int method = 0;
    if (!core_bind(&signature, args, count, keywords, values) ||
        (values[2] != NULL && !core_to_choice(values[2], "method", methods, &method))) {
        return NULL;
    }
    PyArrayObject *points = core_to_points(values[0], "points");
    PyArrayObject *polygon = points != NULL ? core_to_ring(values[1], "polygon", 3) : NULL;
    PyObject *result = NULL;
    if (polygon != NULL) {
        if (tests[method] == by_cross_products &&
            !is_convex(core_points(polygon), (int32_t)PyArray_DIM(polygon, 0))) {
            PyErr_SetString(PyExc_ValueError,
                            "polygon: must be convex for method='cross_products'");
        } else {
            result = test_points(points, polygon, tests[method]);
        }
    }
    Py_XDECREF(points);
    Py_XDECREF(polygon);
    return result;
}

const char core_geometry_direction_doc[] =
    "direction($module, angle, /)\n--\n\n"
    "Unit vectors at angles, by the engine's own sine and cosine: the same bits everywhere.\n\n"
    "Parameters\n----------\n"
    "angle : array_like, shape (...)\n    Radians.\n\n"
    "Returns\n-------\n"
    "ndarray, shape (..., 2)\n\n"
    "Examples\n--------\n"
    ">>> direction(0.0)\n"
    "array([1., 0.])";
PyObject *core_geometry_direction(PyObject *Py_UNUSED(module), PyObject *arg) {
    PyArrayObject *angles = core_to_numbers(arg, "angle");
    if (angles == NULL || !core_check_finite(angles, "angle")) {
        Py_XDECREF(angles);
        return NULL;
    }
    npy_intp dims[64];
    int d = PyArray_NDIM(angles);
    PyObject *result = NULL;
    if (d > 63) {
        core_shape_error("angle", "of at most 63 dimensions", angles);
    } else {
        for (int i = 0; i < d; ++i) {
            dims[i] = PyArray_DIM(angles, i);
        }
        dims[d] = 2;
        result = PyArray_SimpleNew(d + 1, dims, NPY_DOUBLE);
    }
    if (result != NULL) {
        const double *in = PyArray_DATA(angles);
        PhVec2 *out = PyArray_DATA((PyArrayObject *)result);
        npy_intp size = PyArray_SIZE(angles);
        for (npy_intp i = 0; i < size; ++i) {
            PhRot q = ph_rot(in[i]);
            out[i] = ph_vec(q.c, q.s);
        }
    }
    Py_DECREF(angles);
    return result;
}

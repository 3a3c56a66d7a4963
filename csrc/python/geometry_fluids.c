// The submerged part of a shape, as the fluids of a world see it.
#include <math.h>

#include "geometry/submerge.h"
#include "math/trig.h"
#include "python/convert.h"
#include "python/geometry_functions.h"
#include "python/ring_arguments.h"

// From this many poses on the GIL is released.
#define MANY 64

static void measure(const PhShape *shape, const PhSurface *surface, const double *pose,
                    double *area, PhVec2 *centroid, double *inertia) {
    PhSubmerged part = {.centroid = {NAN, NAN}};
    PhVec2 reference = {pose[0], pose[1]};
    if (ph_submerge(shape, ph_transform(0, 0, pose[2]), reference, surface, &part)) {
        part.centroid = ph_add(part.centroid, reference);
    }
    *area = part.area;
    *centroid = part.centroid;
    *inertia = part.inertia;
}

static PyObject *measure_one(const PhShape *shape, PhSurface *surface, const double *pose) {
    double area, inertia;
    PhVec2 centroid;
    CoreLongWork work;
    surface->stop = core_begin_work(&work, shape->vertex_count > CORE_QUICK_VERTICES ||
                                               surface->count > CORE_QUICK_VERTICES);
    measure(shape, surface, pose, &area, &centroid, &inertia);
    core_end_work(&work);
    if (work.stopped) {
        return NULL;
    }
    return Py_BuildValue("(dNd)", area, core_from_vec2(centroid), inertia);
}

static PyObject *measure_all(const PhShape *shape, PhSurface *surface, PyArrayObject *poses) {
    int d = PyArray_NDIM(poses);
    npy_intp dims[64], count = 1;
    for (int i = 0; i < d - 1; ++i) {
        dims[i] = PyArray_DIM(poses, i);
        count *= dims[i];
    }
    dims[d - 1] = 2;
    PyObject *arrays[3] = {PyArray_SimpleNew(d - 1, dims, NPY_DOUBLE),
                           PyArray_SimpleNew(d, dims, NPY_DOUBLE),
                           PyArray_SimpleNew(d - 1, dims, NPY_DOUBLE)};
    if (arrays[0] == NULL || arrays[1] == NULL || arrays[2] == NULL) {
        for (int i = 0; i < 3; ++i) {
            Py_XDECREF(arrays[i]);
        }
        return NULL;
    }
    const double *pose = PyArray_DATA(poses);
    double *area = PyArray_DATA((PyArrayObject *)arrays[0]);
    PhVec2 *centroid = PyArray_DATA((PyArrayObject *)arrays[1]);
    double *inertia = PyArray_DATA((PyArrayObject *)arrays[2]);
    CoreLongWork work;
    surface->stop =
        core_begin_work(&work, count >= MANY || shape->vertex_count > CORE_QUICK_VERTICES ||
                                   surface->count > CORE_QUICK_VERTICES);
    for (npy_intp i = 0; i < count && !work.stopped; ++i) {
        measure(shape, surface, pose + 3 * i, &area[i], &centroid[i], &inertia[i]);
        if (i % MANY == MANY - 1) {
            (void)ph_stop_wanted(surface->stop); // which remembers it
        }
    }
    core_end_work(&work);
    if (work.stopped) {
        for (int i = 0; i < 3; ++i) {
            Py_DECREF(arrays[i]);
        }
        return NULL;
    }
    return Py_BuildValue("(NNN)", arrays[0], arrays[1], arrays[2]);
}

const char core_geometry_submerged_doc[] =
    "submerged($module, shape, level_or_surface, pose=(0, 0, 0))\n--\n\n"
    "The part of a shape that lies under the surface of a liquid: where lift acts, and how "
    "much.\n\n"
    "Exact for every shape: concave ones, holes, circles and rounded corners included.\n\n"
    "Parameters\n----------\n"
    "shape : Shape\n"
    "level_or_surface : float or array_like, shape (n, 2)\n"
    "    The height of a flat surface, or points of a polyline with increasing x that goes on\n"
    "    flat beyond its ends; metres, world.\n"
    "pose : array_like, shape (..., 3)\n    x, y (metres) and angle (radians).\n\n"
    "Returns\n-------\n"
    "area : float or ndarray, shape (...)\n    m^2.\n"
    "centroid : ndarray, shape (..., 2)\n    World; NaN where the area is 0.\n"
    "inertia : float or ndarray, shape (...)\n"
    "    Polar second moment of the area about that centroid, m^4.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN, or a surface whose x does not increase.\n\n"
    "Examples\n--------\n"
    ">>> submerged(Box(2, 2), 0)\n"
    "(2.0, array([ 0. , -0.5]), 0.8333333333333333)";
PyObject *core_geometry_submerged(PyObject *module, PyObject *const *args, Py_ssize_t count,
                                  PyObject *keywords) {
    CORE_ARGUMENTS("submerged", 3, 2, "shape", "level_or_surface", "pose");
    const CoreState *core = PyModule_GetState(module);
    PyObject *result = NULL;
    if (!core_bind(&signature, args, count, keywords, values)) {
        return NULL;
    }
    const PhShape *shape = core_to_shape(core, values[0], "shape");
    PhSurface surface;
    PyArrayObject *points =
        shape != NULL ? core_to_surface(core, values[1], "level_or_surface", &surface) : NULL;
    if (points == NULL) {
        return NULL;
    }
    PyArrayObject *poses = values[2] != NULL ? core_to_numbers(values[2], "pose") : NULL;
    if (poses != NULL && PyArray_NDIM(poses) == 1 && PyArray_DIM(poses, 0) == 0) { // [] is none
        const npy_intp dims[2] = {0, 3};
        Py_SETREF(poses, (PyArrayObject *)PyArray_SimpleNew(2, dims, NPY_DOUBLE));
    }
    int d = poses != NULL ? PyArray_NDIM(poses) : 0;
    if (values[2] == NULL) {
        const double origin[3] = {0, 0, 0};
        result = measure_one(shape, &surface, origin);
    } else if (poses != NULL && (d < 1 || PyArray_DIM(poses, d - 1) != 3)) {
        core_shape_error("pose", "(..., 3)", poses);
    } else if (poses != NULL && core_check_finite(poses, "pose")) {
        result = d == 1 ? measure_one(shape, &surface, PyArray_DATA(poses))
                        : measure_all(shape, &surface, poses);
    }
    Py_XDECREF(poses);
    Py_DECREF(points);
    return result;
}

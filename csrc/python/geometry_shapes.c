// Functions of two shapes at poses: minimum translation, manifold, distance. Over all pairs of
// convex pieces.
//
// Everything is computed in a frame whose origin is the position of a, so that no digits are lost
// far from the origin.
#include <math.h>

#include "geometry/distance.h"
#include "math/trig.h"
#include "narrow/collide.h"
#include "python/convert.h"
#include "python/geometry_functions.h"

typedef struct Two {
    const PhShape *a, *b;
    PhTransform ta, tb; // seen from the position of a
    PhVec2 origin;      // that position
} Two;

// values: a, b, pose_a, pose_b.
static bool to_two(PyObject *module, PyObject *const *values, Two *two) {
    const CoreState *core = PyModule_GetState(module);
    PhVec2 pa, pb;
    double angle_a, angle_b;
    two->a = core_to_shape(core, values[0], "a");
    two->b = two->a != NULL ? core_to_shape(core, values[1], "b") : NULL;
    if (two->b == NULL || !core_to_pose(values[2], "pose_a", &pa, &angle_a) ||
        !core_to_pose(values[3], "pose_b", &pb, &angle_b)) {
        return false;
    }
    two->origin = pa;
    two->ta = ph_transform(0, 0, angle_a);
    two->tb = ph_transform(pb.x - pa.x, pb.y - pa.y, angle_b);
    return true;
}

static const char *const two_names[] = {"a", "b", "pose_a", "pose_b", "margin"};

#define TWO_DOC                                                                                    \
    "a, b : Shape\n"                                                                               \
    "pose_a, pose_b : array_like, shape (3,)\n    x, y (metres) and angle (radians).\n"

const char core_geometry_mtv_doc[] =
    "mtv($module, a, b, pose_a=(0, 0, 0), pose_b=(0, 0, 0))\n--\n\n"
    "Minimum translation vector: the shortest push of b that takes it out of a.\n\n"
    "For concave shapes, of the pair of convex pieces that overlap most.\n\n"
    "Parameters\n----------\n" TWO_DOC "\n"
    "Returns\n-------\n"
    "ndarray, shape (2,), or None\n    Metres; None when they are apart or only touch.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape of a pose, NaN or infinity.";
PyObject *core_geometry_mtv(PyObject *module, PyObject *const *args, Py_ssize_t count,
                            PyObject *keywords) {
    static const CoreSignature signature = {"mtv", two_names, 4, 4, 2};
    PyObject *values[4];
    Two two;
    if (!core_bind(&signature, args, count, keywords, values) || !to_two(module, values, &two)) {
        return NULL;
    }
    PhVec2 best = {0, 0};
    bool found = false;
    for (int32_t i = 0; i < two.a->piece_count; ++i) {
        for (int32_t k = 0; k < two.b->piece_count; ++k) {
            PhVec2 vector;
            if (ph_mtv(&two.a->pieces[i], two.ta, &two.b->pieces[k], two.tb, &vector) &&
                (!found || ph_length_squared(vector) > ph_length_squared(best))) {
                best = vector;
                found = true;
            }
        }
    }
    if (!found) {
        Py_RETURN_NONE;
    }
    return core_from_vec2(best);
}

static PyObject *make_manifold(const CoreState *core, const PhManifold *manifold, PhVec2 origin) {
    npy_intp dims[1] = {manifold->count};
    PhVec2 points[2];
    PyObject *separations = PyArray_SimpleNew(1, dims, NPY_DOUBLE);
    PyObject *features = PyArray_SimpleNew(1, dims, NPY_UINT32);
    for (int32_t i = 0; i < manifold->count && separations != NULL && features != NULL; ++i) {
        points[i] = ph_add(manifold->points[i].point, origin);
        ((double *)PyArray_DATA((PyArrayObject *)separations))[i] = manifold->points[i].separation;
        ((uint32_t *)PyArray_DATA((PyArrayObject *)features))[i] = manifold->points[i].feature;
    }
    PhVec2 normal = manifold->count > 0 ? manifold->normal : ph_vec(NAN, NAN);
    PyObject *const values[] = {core_from_vec2(normal), core_from_points(points, manifold->count),
                                separations, features};
    return core_record(core, TYPE_MANIFOLD, values);
}

const char core_geometry_collide_doc[] =
    "collide($module, a, b, pose_a=(0, 0, 0), pose_b=(0, 0, 0), margin=0.0)\n--\n\n"
    "Contact points of two shapes.\n\n"
    "For concave shapes, of the pair of convex pieces that overlap most.\n\n"
    "Parameters\n----------\n" TWO_DOC
    "margin : float\n    Points with a separation up to this are reported, metres, >= 0.\n\n"
    "Returns\n-------\n"
    "Manifold\n    False when there is no point.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape of a pose, NaN, infinity or a negative margin.";
PyObject *core_geometry_collide(PyObject *module, PyObject *const *args, Py_ssize_t count,
                                PyObject *keywords) {
    static const CoreSignature signature = {"collide", two_names, 5, 5, 2};
    PyObject *values[5];
    Two two;
    double margin = 0;
    if (!core_bind(&signature, args, count, keywords, values) || !to_two(module, values, &two) ||
        (values[4] != NULL && !core_to_double(values[4], "margin", &margin))) {
        return NULL;
    }
    if (margin < 0) {
        return PyErr_Format(PyExc_ValueError, "margin: must be >= 0, got %R", values[4]);
    }
    PhManifold best = {.count = 0};
    double deepest = INFINITY;
    for (int32_t i = 0; i < two.a->piece_count; ++i) {
        for (int32_t k = 0; k < two.b->piece_count; ++k) {
            PhManifold manifold;
            ph_collide(&two.a->pieces[i], two.ta, &two.b->pieces[k], two.tb, margin, &manifold);
            for (int32_t p = 0; p < manifold.count; ++p) {
                if (manifold.points[p].separation < deepest) {
                    deepest = manifold.points[p].separation;
                    best = manifold;
                }
            }
        }
    }
    return make_manifold(PyModule_GetState(module), &best, two.origin);
}

const char core_geometry_distance_doc[] =
    "distance($module, a, b, pose_a=(0, 0, 0), pose_b=(0, 0, 0))\n--\n\n"
    "Distance of two shapes and their closest points.\n\n"
    "Parameters\n----------\n" TWO_DOC "\n"
    "Returns\n-------\n"
    "Distance\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape of a pose, NaN or infinity.";
PyObject *core_geometry_distance(PyObject *module, PyObject *const *args, Py_ssize_t count,
                                 PyObject *keywords) {
    static const CoreSignature signature = {"distance", two_names, 4, 4, 2};
    PyObject *values[4];
    Two two;
    if (!core_bind(&signature, args, count, keywords, values) || !to_two(module, values, &two)) {
        return NULL;
    }
    PhDistance best = {.distance = INFINITY};
    for (int32_t i = 0; i < two.a->piece_count; ++i) {
        for (int32_t k = 0; k < two.b->piece_count; ++k) {
            PhDistance found = ph_distance(&two.a->pieces[i], two.ta, &two.b->pieces[k], two.tb);
            if (found.distance < best.distance) {
                best = found;
            }
        }
    }
    PyObject *const fields[] = {
        PyFloat_FromDouble(best.distance),
        core_from_vec2(ph_add(best.point_a, two.origin)),
        core_from_vec2(ph_add(best.point_b, two.origin)),
        core_from_vec2(best.normal),
    };
    return core_record(PyModule_GetState(module), TYPE_DISTANCE, fields);
}

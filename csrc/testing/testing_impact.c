// Time of impact as continuous collision asks for it: about any centre, up to a part of the motion.
// And its own question, with and without short cuts.
#include "testing/testing.h"

#include "narrow/impact.h"
#include "narrow/time_of_impact.h"

// center x, y, from x, y, to x, y, angle, turn.
static bool to_sweep(PyObject *object, PhSweep *sweep) {
    PyArrayObject *array = testing_numbers(object, 1, 8);
    if (array == NULL) {
        return false;
    }
    const double *n = PyArray_DATA(array);
    *sweep = (PhSweep){{n[0], n[1]}, {n[2], n[3]}, {n[4], n[5]}, n[6], n[7]};
    Py_DECREF(array);
    return true;
}

static PhShape *to_polygon(PyObject *object) {
    PhError error;
    PyArrayObject *ring = testing_numbers(object, 2, 2);
    if (ring == NULL) {
        return NULL;
    }
    PhShape *shape = ph_shape_polygon(PyArray_DATA(ring), (int32_t)PyArray_DIM(ring, 0), NULL, NULL,
                                      0, 0, false, &error);
    Py_DECREF(ring);
    if (shape == NULL) {
        testing_raise(&error);
    }
    return shape;
}

const char testing_impact_doc[] =
    "impact($module, ring_a, sweep_a, ring_b, sweep_b, target, limit, /)\n--\n\n"
    "(hit, fraction, point, normal). sweep: center x, y, from x, y, to x, y, angle, turn. With a\n"
    "limit below 1 only the first piece of each counts.";
PyObject *testing_impact(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count) {
    if (count != 6) {
        PyErr_SetString(PyExc_TypeError, "impact() takes 6 arguments");
        return NULL;
    }
    PhSweep a, b;
    double target = PyFloat_AsDouble(args[4]), limit = PyFloat_AsDouble(args[5]);
    if (PyErr_Occurred() || !to_sweep(args[1], &a) || !to_sweep(args[3], &b)) {
        return NULL;
    }
    PhShape *first = to_polygon(args[0]);
    PhShape *second = first != NULL ? to_polygon(args[2]) : NULL;
    PyObject *result = NULL;
    if (second != NULL) {
        PhImpact found = limit < 1 ? ph_pieces_impact(first->pieces, &a, second->pieces, &b, target,
                                                      limit, PH_IMPACT_ROUNDS, NULL)
                                   : ph_shapes_impact(first, &a, second, &b, target, NULL);
        result = Py_BuildValue("Nd(dd)(dd)", PyBool_FromLong(found.hit), found.fraction,
                               found.point.x, found.point.y, found.normal.x, found.normal.y);
    }
    ph_shape_release(first);
    ph_shape_release(second);
    return result;
}

// center x, y, from x, y, angle, to x, y, angle.
static bool to_path(PyObject *object, PhPath *path) {
    PyArrayObject *array = testing_numbers(object, 1, 8);
    if (array == NULL) {
        return false;
    }
    const double *n = PyArray_DATA(array);
    PhPathPose from = {{n[2], n[3]}, n[4]}, to = {{n[5], n[6]}, n[7]};
    *path = ph_path((PhVec2){n[0], n[1]}, from, to);
    Py_DECREF(array);
    return true;
}

// Of one vertex, of two, of more; with a radius below 0 a chain, of which a middle piece is meant.
static PhShape *to_round(PyObject *object, double radius) {
    PhError error;
    PyArrayObject *array = testing_numbers(object, 2, 2);
    if (array == NULL) {
        return NULL;
    }
    const PhVec2 *ring = PyArray_DATA(array);
    int32_t count = (int32_t)PyArray_DIM(array, 0);
    PhShape *shape = radius < 0 ? ph_shape_chain(ring, count, false, &error)
                     : count >= 3
                         ? ph_shape_polygon(ring, count, NULL, NULL, 0, radius, false, &error)
                     : count == 1  ? ph_shape_circle(radius, ring[0], &error)
                     : radius == 0 ? ph_shape_segment(ring[0], ring[1], &error)
                                   : ph_shape_capsule(ring[0], ring[1], radius, &error);
    Py_DECREF(array);
    if (shape == NULL) {
        testing_raise(&error);
    }
    return shape;
}

const char testing_paths_meet_doc[] =
    "paths_meet($module, ring_a, radius_a, path_a, ring_b, radius_b, path_b, limit, /)\n--\n\n"
    "(time, time without short cuts). path: center x, y, from x, y, angle, to x, y, angle. Below\n"
    "a radius of 0 a chain, of which a middle piece counts.";
PyObject *testing_paths_meet(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count) {
    if (count != 7) {
        PyErr_SetString(PyExc_TypeError, "paths_meet() takes 7 arguments");
        return NULL;
    }
    PhPath a, b;
    double radius_a = PyFloat_AsDouble(args[1]), radius_b = PyFloat_AsDouble(args[4]);
    double limit = PyFloat_AsDouble(args[6]);
    if (PyErr_Occurred() || !to_path(args[2], &a) || !to_path(args[5], &b)) {
        return NULL;
    }
    PhShape *first = to_round(args[0], radius_a);
    PhShape *second = first != NULL ? to_round(args[3], radius_b) : NULL;
    PyObject *result = NULL;
    if (second != NULL) {
        const PhPiece *piece_a = &first->pieces[first->piece_count / 2];
        const PhPiece *piece_b = &second->pieces[second->piece_count / 2];
        result = Py_BuildValue(
            "dd", ph_paths_meet(piece_a, &a, piece_b, &b, 0, limit, &ph_lengths_of_one),
            ph_paths_meet_in_full(piece_a, &a, piece_b, &b, 0, limit, &ph_lengths_of_one));
    }
    ph_shape_release(first);
    ph_shape_release(second);
    return result;
}

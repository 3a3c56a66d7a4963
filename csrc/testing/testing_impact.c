// Time of impact as continuous collision asks for it: about any centre, up to a part of the motion.
#include "testing/testing.h"

#include "narrow/impact.h"

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
        PhImpact found =
            limit < 1 ? ph_pieces_impact(first->pieces, &a, second->pieces, &b, target, limit, NULL)
                      : ph_shapes_impact(first, &a, second, &b, target);
        result = Py_BuildValue("Nd(dd)(dd)", PyBool_FromLong(found.hit), found.fraction,
                               found.point.x, found.point.y, found.normal.x, found.normal.y);
    }
    ph_shape_release(first);
    ph_shape_release(second);
    return result;
}

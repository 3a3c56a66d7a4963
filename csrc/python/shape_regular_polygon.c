// RegularPolygon: corners at equal angles on a circle. parameter: circumradius, centre x and y,
// angle.
#include "math/trig.h"
#include "python/convert.h"

enum { CIRCUMRADIUS, CENTER_X, CENTER_Y, ANGLE };
#define MAX_CORNERS 100000

static PyObject *regular_polygon_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    CORE_ARGUMENTS("RegularPolygon", 5, 2, "n", "radius", "center", "angle", "rounding");
    long long n;
    double circumradius, angle = 0, rounding = 0;
    PhVec2 center = {0, 0};
    if (!core_bind_tuple(&signature, args, keywords, values) ||
        !core_to_integer(values[0], "n", 3, MAX_CORNERS, &n) ||
        !core_to_positive(values[1], "radius", &circumradius) ||
        (values[2] != NULL && !core_to_vec2(values[2], "center", &center)) ||
        (values[3] != NULL && !core_to_double(values[3], "angle", &angle)) ||
        (values[4] != NULL && !core_to_double(values[4], "rounding", &rounding))) {
        return NULL;
    }
    if (rounding < 0) {
        return PyErr_Format(PyExc_ValueError, "rounding: must be >= 0, got %R", values[4]);
    }
    CoreState *core = core_state_of(type);
    if (core == NULL) {
        return NULL;
    }
    PhVec2 *vertices = PyMem_New(PhVec2, (size_t)n);
    if (vertices == NULL) {
        return PyErr_NoMemory();
    }
    for (long long i = 0; i < n; ++i) {
        PhRot q = ph_rot(angle + 2 * PH_PI * (double)i / (double)n);
        vertices[i] = ph_mul_add(center, circumradius, ph_vec(q.c, q.s));
    }
    PhError error;
    PhShape *shape = ph_shape_polygon(vertices, (int32_t)n, NULL, NULL, 0, rounding, false, &error);
    PyMem_Free(vertices);
    if (shape == NULL) {
        return core_raise(core, &error);
    }
    ShapeObject *self = (ShapeObject *)core_shape_new(type, shape);
    if (self != NULL) {
        self->parameter[CIRCUMRADIUS] = circumradius;
        self->parameter[CENTER_X] = center.x;
        self->parameter[CENTER_Y] = center.y;
        self->parameter[ANGLE] = angle;
    }
    return (PyObject *)self;
}

static PyObject *make_arguments(PyObject *object) {
    const ShapeObject *self = (ShapeObject *)object;
    const double *p = self->parameter;
    return Py_BuildValue("id(dd)dd", (int)self->shape->vertex_count, p[CIRCUMRADIUS], p[CENTER_X],
                         p[CENTER_Y], p[ANGLE], self->shape->radius);
}

static PyObject *regular_polygon_reduce(PyObject *self, PyObject *Py_UNUSED(ignored)) {
    PyObject *arguments = make_arguments(self);
    return arguments != NULL ? Py_BuildValue("ON", Py_TYPE(self), arguments) : NULL;
}

static PyObject *regular_polygon_repr(PyObject *object) {
    const ShapeObject *self = (ShapeObject *)object;
    const double *p = self->parameter;
    PyObject *a = make_arguments(object);
    if (a == NULL) {
        return NULL;
    }
    bool plain = p[CENTER_X] == 0 && p[CENTER_Y] == 0 && p[ANGLE] == 0 && self->shape->radius == 0;
    PyObject *n = PyTuple_GET_ITEM(a, 0), *radius = PyTuple_GET_ITEM(a, 1);
    PyObject *text =
        plain ? PyUnicode_FromFormat("RegularPolygon(%R, %R)", n, radius)
              : PyUnicode_FromFormat("RegularPolygon(%R, %R, center=%R, angle=%R, rounding=%R)", n,
                                     radius, PyTuple_GET_ITEM(a, 2), PyTuple_GET_ITEM(a, 3),
                                     PyTuple_GET_ITEM(a, 4));
    Py_DECREF(a);
    return text;
}

static PyObject *get_n(PyObject *self, void *Py_UNUSED(closure)) {
    return PyLong_FromLong(((ShapeObject *)self)->shape->vertex_count);
}

static PyObject *get_parameter(PyObject *self, void *closure) {
    return PyFloat_FromDouble(((ShapeObject *)self)->parameter[(intptr_t)closure]);
}

static PyObject *get_center(PyObject *self, void *Py_UNUSED(closure)) {
    const double *p = ((ShapeObject *)self)->parameter;
    return core_shape_vector(self, "center", ph_vec(p[CENTER_X], p[CENTER_Y]));
}

PyDoc_STRVAR(regular_polygon_doc,
             "RegularPolygon(n, radius, center=(0, 0), angle=0.0, rounding=0.0)\n--\n\n"
             "A polygon with n equal sides.\n\n"
             "Parameters\n----------\n"
             "n : int\n    Number of corners, >= 3.\n"
             "radius : float\n"
             "    Distance from the centre to a corner, metres, > 0; kept as `circumradius`.\n"
             "center : array_like, shape (2,)\n    Metres, in the body's frame.\n"
             "angle : float\n    Angle of the first corner, radians.\n"
             "rounding : float\n    Radius of a rounding disc, metres; kept as `radius`.\n\n"
             "Raises\n------\n"
             "ValueError\n    For n < 3, a radius that is not positive, or a number that is not\n"
             "    finite.\n\n"
             "Examples\n--------\n"
             ">>> round(RegularPolygon(6, 1).area, 6)\n"
             "2.598076");

static PyGetSetDef attributes[] = {
    {"n", get_n, NULL, "Number of corners.", NULL},
    {"circumradius", get_parameter, NULL, "From the centre to a corner, metres.",
     (void *)CIRCUMRADIUS},
    {"center", get_center, NULL, "Centre, shape (2,), metres, shape's frame.", NULL},
    {"angle", get_parameter, NULL, "Angle of the first corner, radians.", (void *)ANGLE},
    {0},
};

CORE_SHAPE_TYPE(regular_polygon, "RegularPolygon", 0);

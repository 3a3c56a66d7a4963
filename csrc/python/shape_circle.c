// Circle: a disc, given by its radius and centre.
#include "python/convert.h"

static PyObject *circle_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    CORE_ARGUMENTS("Circle", 2, 1, "radius", "center");
    double radius;
    PhVec2 center = {0, 0};
    if (!core_bind_tuple(&signature, args, keywords, values) ||
        !core_to_double(values[0], "radius", &radius) ||
        (values[1] != NULL && !core_to_vec2(values[1], "center", &center))) {
        return NULL;
    }
    CoreState *core = core_state_of(type);
    if (core == NULL) {
        return NULL;
    }
    PhError error;
    PhShape *shape = ph_shape_circle(radius, center, &error);
    return shape == NULL ? core_raise(core, &error) : core_shape_new(type, shape);
}

static const PhShape *shape_of(PyObject *self) {
    return ((ShapeObject *)self)->shape;
}

static PyObject *circle_repr(PyObject *self) {
    const PhShape *shape = shape_of(self);
    PhVec2 c = shape->vertices[0];
    PyObject *arguments = c.x != 0 || c.y != 0 ? Py_BuildValue("d(dd)", shape->radius, c.x, c.y)
                                               : Py_BuildValue("(d)", shape->radius);
    if (arguments == NULL) {
        return NULL;
    }
    PyObject *text =
        c.x != 0 || c.y != 0
            ? PyUnicode_FromFormat("Circle(%R, center=%R)", PyTuple_GET_ITEM(arguments, 0),
                                   PyTuple_GET_ITEM(arguments, 1))
            : PyUnicode_FromFormat("Circle(%R)", PyTuple_GET_ITEM(arguments, 0));
    Py_DECREF(arguments);
    return text;
}

static PyObject *circle_reduce(PyObject *self, PyObject *Py_UNUSED(ignored)) {
    const PhShape *shape = shape_of(self);
    return Py_BuildValue("O(d(dd))", Py_TYPE(self), shape->radius, shape->vertices[0].x,
                         shape->vertices[0].y);
}

static PyObject *get_radius(PyObject *self, void *Py_UNUSED(closure)) {
    return PyFloat_FromDouble(shape_of(self)->radius);
}

static PyObject *get_center(PyObject *self, void *Py_UNUSED(closure)) {
    return core_shape_vector(self, "center", shape_of(self)->vertices[0]);
}

PyDoc_STRVAR(
    circle_doc,
    "Circle(radius, center=(0, 0))\n--\n\n"
    "A disc.\n\n"
    "Parameters\n----------\n"
    "radius : float\n    Metres, > 0.\n"
    "center : array_like, shape (2,)\n    Metres, in the body's frame.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a radius that is not positive, or a number that is not finite.\n\n"
    "Examples\n--------\n"
    ">>> round(Circle(2).area, 6)\n"
    "12.566371");

static PyGetSetDef attributes[] = {
    {"radius", get_radius, NULL, "Radius, metres.", NULL},
    {"center", get_center, NULL, "Centre, shape (2,), metres, shape's frame.", NULL},
    {0},
};

CORE_SHAPE_TYPE(circle, "Circle", 0);

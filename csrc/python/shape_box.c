// Box: a rectangle given by its sides. parameter: width, height, centre x and y, angle.
#include "math/trig.h"
#include "python/convert.h"

enum { WIDTH, HEIGHT, CENTER_X, CENTER_Y, ANGLE };

static PyObject *box_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    CORE_ARGUMENTS("Box", 5, 2, "width", "height", "center", "angle", "radius");
    double width, height, angle = 0, radius = 0;
    PhVec2 center = {0, 0};
    if (!core_bind_tuple(&signature, args, keywords, values) ||
        !core_to_positive(values[0], "width", &width) ||
        !core_to_positive(values[1], "height", &height) ||
        (values[2] != NULL && !core_to_vec2(values[2], "center", &center)) ||
        (values[3] != NULL && !core_to_double(values[3], "angle", &angle)) ||
        (values[4] != NULL && !core_to_double(values[4], "radius", &radius))) {
        return NULL;
    }
    CoreState *core = core_state_of(type);
    if (core == NULL) {
        return NULL;
    }
    double x = width / 2, y = height / 2;
    PhVec2 vertices[4] = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
    PhTransform pose = ph_transform(center.x, center.y, angle);
    for (int i = 0; i < 4; ++i) {
        vertices[i] = ph_apply(pose, vertices[i]);
    }
    PhError error;
    PhShape *shape = ph_shape_polygon(vertices, 4, NULL, NULL, 0, radius, false, &error);
    if (shape == NULL) {
        return core_raise(core, &error);
    }
    ShapeObject *self = (ShapeObject *)core_shape_new(type, shape);
    if (self != NULL) {
        self->parameter[WIDTH] = width;
        self->parameter[HEIGHT] = height;
        self->parameter[CENTER_X] = center.x;
        self->parameter[CENTER_Y] = center.y;
        self->parameter[ANGLE] = angle;
    }
    return (PyObject *)self;
}

static PyObject *make_arguments(PyObject *object) {
    const ShapeObject *self = (ShapeObject *)object;
    const double *p = self->parameter;
    return Py_BuildValue("dd(dd)dd", p[WIDTH], p[HEIGHT], p[CENTER_X], p[CENTER_Y], p[ANGLE],
                         self->shape->radius);
}

static PyObject *box_reduce(PyObject *self, PyObject *Py_UNUSED(ignored)) {
    PyObject *arguments = make_arguments(self);
    return arguments != NULL ? Py_BuildValue("ON", Py_TYPE(self), arguments) : NULL;
}

static PyObject *box_repr(PyObject *object) {
    const ShapeObject *self = (ShapeObject *)object;
    const double *p = self->parameter;
    PyObject *a = make_arguments(object);
    if (a == NULL) {
        return NULL;
    }
    bool plain = p[CENTER_X] == 0 && p[CENTER_Y] == 0 && p[ANGLE] == 0;
    PyObject *w = PyTuple_GET_ITEM(a, 0), *h = PyTuple_GET_ITEM(a, 1);
    PyObject *radius = PyTuple_GET_ITEM(a, 4);
    PyObject *text;
    if (plain && self->shape->radius == 0) {
        text = PyUnicode_FromFormat("Box(%R, %R)", w, h);
    } else if (plain) {
        text = PyUnicode_FromFormat("Box(%R, %R, radius=%R)", w, h, radius);
    } else {
        text = PyUnicode_FromFormat("Box(%R, %R, center=%R, angle=%R, radius=%R)", w, h,
                                    PyTuple_GET_ITEM(a, 2), PyTuple_GET_ITEM(a, 3), radius);
    }
    Py_DECREF(a);
    return text;
}

static PyObject *get_parameter(PyObject *self, void *closure) {
    return PyFloat_FromDouble(((ShapeObject *)self)->parameter[(intptr_t)closure]);
}

static PyObject *get_center(PyObject *self, void *Py_UNUSED(closure)) {
    const double *p = ((ShapeObject *)self)->parameter;
    return core_shape_vector(self, "center", ph_vec(p[CENTER_X], p[CENTER_Y]));
}

PyDoc_STRVAR(
    box_doc,
    "Box(width, height, center=(0, 0), angle=0.0, radius=0.0)\n--\n\n"
    "A rectangle.\n\n"
    "Parameters\n----------\n"
    "width, height : float\n    Metres, > 0, without the rounding.\n"
    "center : array_like, shape (2,)\n    Metres, in the body's frame.\n"
    "angle : float\n    Radians, counter-clockwise about the centre.\n"
    "radius : float\n"
    "    Of a rounding disc, metres: the box measures width + 2 radius by\n"
    "    height + 2 radius.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a side that is not positive, a negative radius, or a number that\n"
    "    is not finite.\n\n"
    "Examples\n--------\n"
    ">>> Box(2, 1).vertices\n"
    "array([[-1. , -0.5],\n"
    "       [ 1. , -0.5],\n"
    "       [ 1. ,  0.5],\n"
    "       [-1. ,  0.5]])");

static PyGetSetDef attributes[] = {
    {"width", get_parameter, NULL, "Width without the rounding, metres.", (void *)WIDTH},
    {"height", get_parameter, NULL, "Height without the rounding, metres.", (void *)HEIGHT},
    {"center", get_center, NULL, "Centre, shape (2,), metres, shape's frame.", NULL},
    {"angle", get_parameter, NULL, "Angle, radians.", (void *)ANGLE},
    {0},
};

CORE_SHAPE_TYPE(box, "Box", 0);

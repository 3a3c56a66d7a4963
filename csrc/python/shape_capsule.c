// Capsule: a segment grown by a disc.
#include "python/convert.h"

static PyObject *capsule_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    CORE_ARGUMENTS("Capsule", 3, 3, "p", "q", "radius");
    PhVec2 p, q;
    double radius;
    if (!core_bind_tuple(&signature, args, keywords, values) || !core_to_vec2(values[0], "p", &p) ||
        !core_to_vec2(values[1], "q", &q) || !core_to_double(values[2], "radius", &radius)) {
        return NULL;
    }
    CoreState *core = core_state_of(type);
    if (core == NULL) {
        return NULL;
    }
    PhError error;
    PhShape *shape = ph_shape_capsule(p, q, radius, &error);
    return shape == NULL ? core_raise(core, &error) : core_shape_new(type, shape);
}

static const PhShape *shape_of(PyObject *self) {
    return ((ShapeObject *)self)->shape;
}

static PyObject *make_arguments(PyObject *self) {
    const PhShape *s = shape_of(self);
    return Py_BuildValue("(dd)(dd)d", s->vertices[0].x, s->vertices[0].y, s->vertices[1].x,
                         s->vertices[1].y, s->radius);
}

static PyObject *capsule_repr(PyObject *self) {
    PyObject *arguments = make_arguments(self);
    PyObject *text = arguments != NULL ? PyUnicode_FromFormat("Capsule%R", arguments) : NULL;
    Py_XDECREF(arguments);
    return text;
}

static PyObject *capsule_reduce(PyObject *self, PyObject *Py_UNUSED(ignored)) {
    PyObject *arguments = make_arguments(self);
    return arguments != NULL ? Py_BuildValue("ON", Py_TYPE(self), arguments) : NULL;
}

static PyObject *get_end(PyObject *self, void *closure) {
    intptr_t end = (intptr_t)closure;
    return core_shape_vector(self, end ? "q" : "p", shape_of(self)->vertices[end]);
}

static PyObject *get_radius(PyObject *self, void *Py_UNUSED(closure)) {
    return PyFloat_FromDouble(shape_of(self)->radius);
}

PyDoc_STRVAR(capsule_doc, "Capsule(p, q, radius)\n--\n\n"
                          "All points within a radius of a segment.\n\n"
                          "Parameters\n----------\n"
                          "p, q : array_like, shape (2,)\n"
                          "    Ends of the segment, metres, in the body's frame.\n"
                          "radius : float\n    Metres, > 0.\n\n"
                          "Raises\n------\n"
                          "ValueError\n    For equal ends, a radius that is not positive, or a "
                          "number that is not finite.\n\n"
                          "Examples\n--------\n"
                          ">>> Capsule((-1, 0), (1, 0), 0.5).aabb\n"
                          "array([[-1.5, -0.5],\n"
                          "       [ 1.5,  0.5]])");

static PyGetSetDef attributes[] = {
    {"p", get_end, NULL, "First end of the segment, shape (2,), metres, shape's frame.", (void *)0},
    {"q", get_end, NULL, "Second end of the segment, shape (2,), metres, shape's frame.",
     (void *)1},
    {"radius", get_radius, NULL, "Radius, metres.", NULL},
    {0},
};

CORE_SHAPE_TYPE(capsule, "Capsule", 0);

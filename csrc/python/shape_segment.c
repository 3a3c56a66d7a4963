// Segment: two-sided, without area.
#include "python/convert.h"

static PyObject *segment_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    CORE_ARGUMENTS("Segment", 2, 2, "p", "q");
    PhVec2 p, q;
    if (!core_bind_tuple(&signature, args, keywords, values) || !core_to_vec2(values[0], "p", &p) ||
        !core_to_vec2(values[1], "q", &q)) {
        return NULL;
    }
    CoreState *core = core_state_of(type);
    if (core == NULL) {
        return NULL;
    }
    PhError error;
    PhShape *shape = ph_shape_segment(p, q, &error);
    return shape == NULL ? core_raise(core, &error) : core_shape_new(type, shape);
}

static const PhShape *shape_of(PyObject *self) {
    return ((ShapeObject *)self)->shape;
}

static PyObject *make_arguments(PyObject *self) {
    const PhVec2 *v = shape_of(self)->vertices;
    return Py_BuildValue("(dd)(dd)", v[0].x, v[0].y, v[1].x, v[1].y);
}

static PyObject *segment_repr(PyObject *self) {
    PyObject *arguments = make_arguments(self);
    PyObject *text = arguments != NULL ? PyUnicode_FromFormat("Segment%R", arguments) : NULL;
    Py_XDECREF(arguments);
    return text;
}

static PyObject *segment_reduce(PyObject *self, PyObject *Py_UNUSED(ignored)) {
    PyObject *arguments = make_arguments(self);
    return arguments != NULL ? Py_BuildValue("ON", Py_TYPE(self), arguments) : NULL;
}

static PyObject *get_end(PyObject *self, void *closure) {
    intptr_t end = (intptr_t)closure;
    return core_shape_vector(self, end ? "q" : "p", shape_of(self)->vertices[end]);
}

PyDoc_STRVAR(segment_doc,
             "Segment(p, q)\n--\n\n"
             "A two-sided line segment, without area.\n\n"
             "Parameters\n----------\n"
             "p, q : array_like, shape (2,)\n    Ends, metres, in the body's frame.\n\n"
             "Raises\n------\n"
             "ValueError\n    For equal ends, or a number that is not finite.\n\n"
             "Examples\n--------\n"
             ">>> Segment((0, 0), (3, 4)).centroid\n"
             "array([1.5, 2. ])");

static PyGetSetDef attributes[] = {
    {"p", get_end, NULL, "First end, shape (2,), metres, shape's frame.", (void *)0},
    {"q", get_end, NULL, "Second end, shape (2,), metres, shape's frame.", (void *)1},
    {0},
};

CORE_SHAPE_TYPE(segment, "Segment", 0);

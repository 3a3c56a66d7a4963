// Chain: one-sided terrain.
#include "python/convert.h"
#include "python/ring_arguments.h"

static PyObject *chain_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    CORE_ARGUMENTS("Chain", 2, 1, "points", "loop");
    bool loop = false;
    if (!core_bind_tuple(&signature, args, keywords, values)) {
        return NULL;
    }
    if (values[1] != NULL && (PyTuple_Check(values[1]) || PyList_Check(values[1]))) {
        PyErr_Format(PyExc_TypeError,
                     "loop: must be True or False, got %.100s; all points are one argument, as in "
                     "Chain([(0, 0), (1, 0)])",
                     Py_TYPE(values[1])->tp_name);
        return NULL;
    }
    if (values[1] != NULL && !core_to_bool(values[1], "loop", &loop)) {
        return NULL;
    }
    CoreState *core = core_state_of(type);
    PyArrayObject *points = core != NULL ? core_to_ring(values[0], "points", loop ? 3 : 2) : NULL;
    if (points == NULL) {
        return NULL;
    }
    PhError error;
    CoreLongWork work;
    int32_t size = (int32_t)PyArray_DIM(points, 0);
    const PhStop *stop = core_begin_work(&work, size > CORE_QUICK_VERTICES);
    PhShape *shape = ph_shape_chain_or_stop(core_points(points), size, loop, stop, &error);
    core_end_work(&work);
    Py_DECREF(points);
    return shape == NULL ? core_raise(core, &error) : core_shape_new(type, shape);
}

static const PhShape *shape_of(PyObject *self) {
    return ((ShapeObject *)self)->shape;
}

static PyObject *get_points(PyObject *self, void *Py_UNUSED(closure)) {
    PyObject **cache = &((ShapeObject *)self)->cache[0];
    if (*cache == NULL) {
        *cache = core_frozen_points(shape_of(self)->vertices, shape_of(self)->vertex_count);
    }
    return Py_XNewRef(*cache);
}

static PyObject *get_loop(PyObject *self, void *Py_UNUSED(closure)) {
    return PyBool_FromLong(shape_of(self)->loop);
}

static PyObject *chain_repr(PyObject *self) {
    const PhShape *shape = shape_of(self);
    const char *loop = shape->loop ? ", loop=True" : "";
    if (shape->vertex_count > 12) {
        return PyUnicode_FromFormat("<Chain of %d points%s>", (int)shape->vertex_count, loop);
    }
    PyObject *points = get_points(self, NULL);
    PyObject *list = points != NULL ? PyArray_ToList((PyArrayObject *)points) : NULL;
    PyObject *text = list != NULL ? PyUnicode_FromFormat("Chain(%R%s)", list, loop) : NULL;
    Py_XDECREF(points);
    Py_XDECREF(list);
    return text;
}

static PyObject *chain_reduce(PyObject *self, PyObject *Py_UNUSED(ignored)) {
    PyObject *points = get_points(self, NULL);
    if (points == NULL) {
        return NULL;
    }
    return Py_BuildValue("O(NO)", Py_TYPE(self), points, shape_of(self)->loop ? Py_True : Py_False);
}

PyDoc_STRVAR(chain_doc,
             "Chain(points, loop=False)\n--\n\n"
             "One-sided segments in a row: terrain without bumps at the joints.\n\n"
             "Walking along the points, the free side is on the left: a terrain written from left\n"
             "to right is solid below, a counter-clockwise loop holds bodies in.\n\n"
             "Parameters\n----------\n"
             "points : array_like, shape (n, 2)\n"
             "    Metres, in the body's frame; at least 2, or 3 for a loop.\n"
             "loop : bool\n    Whether the last point is joined to the first.\n\n"
             "Raises\n------\n"
             "ValueError\n    For too few points, equal neighbours, or a number that is not "
             "finite.\n\n"
             "Examples\n--------\n"
             ">>> Chain([(-10, 0), (0, 1), (10, 0)]).loop\n"
             "False");

static PyGetSetDef attributes[] = {
    {"points", get_points, NULL, "Read-only array, shape (n, 2), metres, shape's frame.", NULL},
    {"loop", get_loop, NULL, "Whether the last point is joined to the first.", NULL},
    {0},
};

CORE_SHAPE_TYPE(chain, "Chain", 0);

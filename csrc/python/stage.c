// Stage: what one stage of a step left behind, as named arrays of own memory. Made by Stages.
#include "python/core.h"

typedef struct StageObject {
    PyObject_HEAD PyObject *name;
    Py_ssize_t index; // -1: the only stage of its name
    PyObject *arrays; // dict; nothing else's
} StageObject;

static int stage_traverse(PyObject *object, visitproc visit, void *arg) {
    StageObject *self = (StageObject *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->arrays);
    return 0;
}

static void stage_dealloc(PyObject *object) {
    StageObject *self = (StageObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    Py_XDECREF(self->name);
    Py_XDECREF(self->arrays);
    type->tp_free(object);
    Py_DECREF(type);
}

PyObject *core_stage(const CoreState *core, const char *name, Py_ssize_t index, PyObject *arrays) {
    PyTypeObject *type = arrays != NULL ? core_type(core, TYPE_STAGE) : NULL;
    PyObject *text = type != NULL ? PyUnicode_FromString(name) : NULL;
    StageObject *self = text != NULL ? (StageObject *)type->tp_alloc(type, 0) : NULL;
    if (self == NULL) {
        Py_XDECREF(text);
        Py_XDECREF(arrays);
        return NULL;
    }
    self->index = index;
    self->arrays = arrays;
    self->name = text;
    return (PyObject *)self;
}

// Arrays are attributes too.
static PyObject *stage_getattro(PyObject *object, PyObject *name) {
    PyObject *value = PyObject_GenericGetAttr(object, name);
    if (value != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError)) {
        return value;
    }
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    value = PyDict_GetItemWithError(((StageObject *)object)->arrays, name);
    if (value == NULL && !PyErr_Occurred()) {
        PyErr_Restore(type, error, traceback);
        return NULL;
    }
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
    return Py_XNewRef(value);
}

static PyObject *stage_dir(PyObject *object, PyObject *Py_UNUSED(ignored)) {
    PyObject *names = PyObject_CallMethod((PyObject *)&PyBaseObject_Type, "__dir__", "O", object);
    PyObject *keys = names != NULL ? PyDict_Keys(((StageObject *)object)->arrays) : NULL;
    PyObject *all = keys != NULL ? PySequence_Concat(names, keys) : NULL;
    Py_XDECREF(names);
    Py_XDECREF(keys);
    return all;
}

// ------------------------------------------------------------------------------------------------
// shown

// One part per array, joined; NULL with an exception set.
static PyObject *join_arrays(const StageObject *self, const char *separator,
                             PyObject *(*part)(PyObject *name, PyArrayObject *array)) {
    PyObject *parts = PyList_New(0), *name, *array;
    Py_ssize_t position = 0;
    while (parts != NULL && PyDict_Next(self->arrays, &position, &name, &array)) {
        PyObject *text = PyArray_Check(array) ? part(name, (PyArrayObject *)array) : NULL;
        if (text == NULL || PyList_Append(parts, text) < 0) {
            Py_CLEAR(parts);
        }
        Py_XDECREF(text);
    }
    PyObject *between = parts != NULL ? PyUnicode_FromString(separator) : NULL;
    PyObject *all = between != NULL ? PyUnicode_Join(between, parts) : NULL;
    Py_XDECREF(between);
    Py_XDECREF(parts);
    return all;
}

static PyObject *shape_of(PyArrayObject *array) {
    return PyArray_IntTupleFromIntp(PyArray_NDIM(array), PyArray_DIMS(array));
}

static PyObject *name_and_shape(PyObject *name, PyArrayObject *array) {
    PyObject *shape = shape_of(array);
    PyObject *text = shape != NULL ? PyUnicode_FromFormat("%S %S", name, shape) : NULL;
    Py_XDECREF(shape);
    return text;
}

// Names of the columns, or the type of the numbers.
static PyObject *describe(PyArrayObject *array) {
    PyObject *descr = (PyObject *)PyArray_DESCR(array);
    PyObject *names = PyObject_GetAttrString(descr, "names");
    if (names == NULL || names == Py_None) {
        Py_XDECREF(names);
        return names != NULL ? PyObject_Str(descr) : NULL;
    }
    PyObject *comma = PyUnicode_FromString(", ");
    PyObject *text = comma != NULL ? PyUnicode_Join(comma, names) : NULL;
    Py_XDECREF(comma);
    Py_DECREF(names);
    return text;
}

static PyObject *table_row(PyObject *name, PyArrayObject *array) {
    PyObject *shape = shape_of(array), *content = describe(array);
    PyObject *text =
        shape != NULL && content != NULL
            ? PyUnicode_FromFormat("<tr><td><code>%S</code></td><td>%S</td><td>%S</td></tr>", name,
                                   shape, content)
            : NULL;
    Py_XDECREF(shape);
    Py_XDECREF(content);
    return text;
}

static PyObject *title(const StageObject *self) {
    return self->index < 0 ? Py_NewRef(self->name)
                           : PyUnicode_FromFormat("%U %zd", self->name, self->index);
}

static PyObject *format(const StageObject *self, const char *text, PyObject *inside) {
    PyObject *head = inside != NULL ? title(self) : NULL;
    PyObject *result = head != NULL ? PyUnicode_FromFormat(text, head, inside) : NULL;
    Py_XDECREF(head);
    Py_XDECREF(inside);
    return result;
}

static PyObject *stage_repr(PyObject *object) {
    const StageObject *self = (StageObject *)object;
    return format(self, "<Stage %U: %U>", join_arrays(self, ", ", name_and_shape));
}

static PyObject *stage_html(PyObject *object, PyObject *Py_UNUSED(ignored)) {
    const StageObject *self = (StageObject *)object;
    return format(self,
                  "<table><caption>Stage <b>%U</b></caption><tr><th>array</th><th>shape</th>"
                  "<th>content</th></tr>%U</table>",
                  join_arrays(self, "", table_row));
}

// ------------------------------------------------------------------------------------------------
// type

static PyObject *get_name(PyObject *object, void *Py_UNUSED(closure)) {
    return Py_NewRef(((StageObject *)object)->name);
}

static PyObject *get_index(PyObject *object, void *Py_UNUSED(closure)) {
    Py_ssize_t index = ((StageObject *)object)->index;
    return PyLong_FromSsize_t(index < 0 ? 0 : index);
}

static PyObject *get_arrays(PyObject *object, void *Py_UNUSED(closure)) {
    return PyDict_Copy(((StageObject *)object)->arrays);
}

static PyGetSetDef stage_attributes[] = {
    {"name", get_name, NULL,
     "'bounds', 'pairs', 'manifolds', 'constraints', 'substep', 'restitution', 'iteration', "
     "'continuous', 'poses' or 'events'.",
     NULL},
    {"index", get_index, NULL, "Number among the stages of the same name in the step, from 0.",
     NULL},
    {"arrays", get_arrays, NULL, "The arrays by name, in a new dict; each is an attribute too.",
     NULL},
    {0},
};

static PyMethodDef stage_methods[] = {
    {"__dir__", stage_dir, METH_NOARGS, "__dir__($self, /)\n--\n\nNames, those of arrays too."},
    {"_repr_html_", stage_html, METH_NOARGS,
     "_repr_html_($self, /)\n--\n\nThe arrays as a table, for notebooks."},
    {0},
};

PyDoc_STRVAR(stage_doc,
             "The results of one stage of a step; made by World.stages.\n\n"
             "Its arrays have memory of their own: they stay as they are when the step goes on.");

static PyType_Slot stage_slots[] = {
    {Py_tp_dealloc, stage_dealloc},   {Py_tp_traverse, stage_traverse},
    {Py_tp_getattro, stage_getattro}, {Py_tp_repr, stage_repr},
    {Py_tp_methods, stage_methods},   {Py_tp_getset, stage_attributes},
    {Py_tp_doc, (void *)stage_doc},   {0, NULL},
};

PyType_Spec core_stage_spec = {
    .name = "pyphys2d._core.Stage",
    .basicsize = sizeof(StageObject),
    .flags = CORE_HANDLE_FLAGS,
    .slots = stage_slots,
};

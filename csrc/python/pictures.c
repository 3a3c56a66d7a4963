// Pictures and tables for notebooks: made in Python, by pyphys2d/_svg.py and pyphys2d/_html.py,
// which are imported when the first is asked for; here is what calls them, and what it needs that
// nothing else gives.
#include "python/pictures.h"

const char core_repr_svg_doc[] =
    "_repr_svg_($self, /)\n--\n\nThe picture as SVG, y up, for notebooks.";
const char core_repr_html_doc[] =
    "_repr_html_($self, /)\n--\n\nThe picture as SVG inside HTML, for notebooks.";

const char core_table_html_doc[] =
    "_repr_html_($self, /)\n--\n\nWhat it holds as a table or a picture, for notebooks.";

PyObject *core_table_html(PyObject *self, PyObject *Py_UNUSED(ignored)) {
    PyObject *module = PyImport_ImportModule("pyphys2d._html");
    PyObject *text = module != NULL ? PyObject_CallMethod(module, "html", "O", self) : NULL;
    Py_XDECREF(module);
    return text;
}

static PyObject *picture(PyObject *thing, PyObject *html) {
    PyObject *module = PyImport_ImportModule("pyphys2d._svg");
    PyObject *text =
        module != NULL ? PyObject_CallMethod(module, "picture", "OO", thing, html) : NULL;
    Py_XDECREF(module);
    return text;
}

PyObject *core_repr_svg(PyObject *self, PyObject *Py_UNUSED(ignored)) {
    return picture(self, Py_False);
}

PyObject *core_repr_html(PyObject *self, PyObject *Py_UNUSED(ignored)) {
    return picture(self, Py_True);
}

const char core_body_names_doc[] =
    "_body_names($module, world, most, /)\n--\n\n"
    "Names of a world's bodies by slot; none of them when they are more than `most`.";

PyObject *core_body_names(PyObject *module, PyObject *args) {
    const CoreState *core = PyModule_GetState(module);
    PyObject *object;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(args, "O!n", core_type(core, TYPE_WORLD), &object, &most)) {
        return NULL;
    }
    WorldObject *self = (WorldObject *)object;
    PyObject *result = PyDict_New();
    Py_ssize_t size = self->names != NULL ? PyDict_GET_SIZE(self->names) : 0;
    if (result == NULL || size == 0 || size > most) {
        return result;
    }
    PyObject *items = PyDict_Items(self->names);
    bool ok = items != NULL;
    for (Py_ssize_t i = 0; ok && i < PyList_GET_SIZE(items); ++i) {
        PyObject *item = PyList_GET_ITEM(items, i);
        uint64_t id = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(item, 0));
        PyObject *slot = PyLong_FromUnsignedLong((uint32_t)id);
        ok = slot != NULL && PyDict_SetItem(result, slot, PyTuple_GET_ITEM(item, 1)) == 0;
        Py_XDECREF(slot);
    }
    Py_XDECREF(items);
    if (!ok) {
        Py_CLEAR(result);
    }
    return result;
}

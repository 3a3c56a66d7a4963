// What is said about attributes that are not there: the name that may have been meant ends the
// message.
//
// To read, the names that other engines use are found, by a class of pyphys2d._hints that stands in
// the method resolution order of a type, behind all of its own: no lookup of what is there costs
// more. (A tp_getattro of its own would have every call of a method make an object for it.) The
// class is no base, so that neither dir() nor help() lists what is not there.
#include <string.h>

#include "python/convert.h"

bool core_add_names_elsewhere(PyTypeObject *type) {
    const char *dot = strrchr(type->tp_name, '.');
    PyObject *hints = PyImport_ImportModule("pyphys2d._hints");
    PyObject *names = hints != NULL ? PyObject_CallMethod(hints, "names_elsewhere", "s",
                                                          dot != NULL ? dot + 1 : "")
                                    : NULL;
    Py_XDECREF(hints);
    if (names == NULL) {
        return false;
    }
    PyObject *old = type->tp_mro;
    Py_ssize_t count = PyTuple_GET_SIZE(old);
    PyObject *order = PyTuple_New(count + 1);
    for (Py_ssize_t i = 0; order != NULL && i <= count; ++i) {
        // Before the last, which is `object`.
        PyObject *class = i == count - 1 ? names : PyTuple_GET_ITEM(old, i - (i == count));
        PyTuple_SET_ITEM(order, i, Py_NewRef(class));
    }
    Py_DECREF(names);
    if (order == NULL) {
        return false;
    }
    type->tp_mro = order;
    Py_DECREF(old);
    PyType_Modified(type);
    return true;
}

int core_set_attribute(PyObject *self, PyObject *name, PyObject *value) {
    int status = PyObject_GenericSetAttr(self, name, value);
    if (status == 0 || !PyErr_ExceptionMatches(PyExc_AttributeError) || !PyUnicode_Check(name)) {
        return status;
    }
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyObject *hint = core_hint("attribute", Py_BuildValue("(OO)", Py_TYPE(self), name));
    bool there =
        hint != NULL && PyUnicode_GET_LENGTH(hint) > 0 && PyUnicode_READ_CHAR(hint, 0) == '!';
    if (there) { // the attribute is, and cannot be set: the message goes on
        PyErr_NormalizeException(&type, &error, &traceback);
        PyObject *more = PyUnicode_Substring(hint, 1, PyUnicode_GET_LENGTH(hint));
        if (more != NULL && error != NULL) {
            PyErr_Format(PyExc_AttributeError, "%S%U", error, more);
        }
        Py_XDECREF(more);
        Py_XDECREF(type);
        Py_XDECREF(error);
        Py_XDECREF(traceback);
    } else if (hint == NULL || PyUnicode_GET_LENGTH(hint) > 0) {
        Py_XDECREF(type);
        Py_XDECREF(error);
        Py_XDECREF(traceback);
        if (hint != NULL) {
            PyErr_Format(PyExc_AttributeError, "'%.100s' object has no attribute '%U'%U",
                         Py_TYPE(self)->tp_name, name, hint);
        }
    } else {
        PyErr_Restore(type, error, traceback);
    }
    Py_XDECREF(hint);
    return -1;
}

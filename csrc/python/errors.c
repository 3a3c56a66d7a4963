// The one error map: from a status of the engine to a Python exception.
#include <string.h>

#include "python/core.h"

typedef struct ErrorRow {
    const char *name, *doc;
    PyObject **base;
} ErrorRow;

bool core_add_errors(PyObject *module, CoreState *core) {
    const ErrorRow rows[ERROR_COUNT] = {
        [ERROR_REMOVED] = {"pyphys2d.RemovedError",
                           "A body, collider, joint or field was used after it had been removed.",
                           &PyExc_ReferenceError},
        [ERROR_WORLD_LOCKED] = {"pyphys2d.WorldLockedError",
                                "A world was used from inside its own step, or changed while "
                                "stages() of it were open.",
                                &PyExc_RuntimeError},
        [ERROR_CAPACITY] = {"pyphys2d.CapacityError",
                            "More bodies than max_bodies, or more convex pieces or pairs than a "
                            "world can hold; the message has the numbers.",
                            &PyExc_MemoryError},
        [ERROR_SNAPSHOT] = {"pyphys2d.SnapshotError", "A snapshot is damaged or of another format.",
                            &PyExc_ValueError},
    };
    for (int i = 0; i < ERROR_COUNT; ++i) {
        core->error[i] = PyErr_NewExceptionWithDoc(rows[i].name, rows[i].doc, *rows[i].base, NULL);
        if (core->error[i] == NULL ||
            PyModule_AddObjectRef(module, strchr(rows[i].name, '.') + 1, core->error[i]) < 0) {
            return false;
        }
    }
    return true;
}

PyObject *core_error(const CoreState *core, CoreError error) {
    return core->error[error] != NULL ? core->error[error] : PyExc_RuntimeError;
}

PyObject *core_raise(const CoreState *core, const PhError *error) {
    if (PyErr_Occurred()) {
        return NULL; // that of a signal handler, for which the engine stopped
    }
    PyObject *type = PyExc_SystemError; // PH_OK here is our own fault
    switch (error->status) {
    case PH_OK:
        break;
    case PH_ERROR_MEMORY:
        if (error->message[0] == '\0') {
            return PyErr_NoMemory();
        }
        type = PyExc_MemoryError;
        break;
    case PH_ERROR_VALUE:
    case PH_ERROR_NONFINITE:
        type = PyExc_ValueError;
        break;
    case PH_ERROR_TYPE:
        type = PyExc_TypeError;
        break;
    case PH_ERROR_REMOVED:
        type = core_error(core, ERROR_REMOVED);
        break;
    case PH_ERROR_STOPPED:
        return NULL; // with the exception of a signal handler
    case PH_ERROR_CAPACITY:
        type = core_error(core, ERROR_CAPACITY);
        break;
    }
    PyErr_SetString(type, error->message);
    return NULL;
}

PyObject *core_raise_removed(const HandleObject *handle) {
    static const char *const names[] = {[HANDLE_BODY] = "body",
                                        [HANDLE_COLLIDER] = "collider",
                                        [HANDLE_JOINT] = "joint",
                                        [HANDLE_FIELD] = "field"};
    PyErr_Format(core_error(handle->world->core, ERROR_REMOVED),
                 "%s %lu has been removed from its world", names[core_handle_kind(handle)],
                 (unsigned long)handle->id.index);
    return NULL;
}

bool core_warn(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    PyObject *text = PyUnicode_FromFormatV(format, arguments);
    va_end(arguments);
    PyFrameObject *frame = text != NULL ? PyEval_GetFrame() : NULL; // borrowed
    PyCodeObject *code = frame != NULL ? PyFrame_GetCode(frame) : NULL;
    PyObject *file = code != NULL ? PyObject_GetAttrString((PyObject *)code, "co_filename")
                                  : PyUnicode_FromString("sys");
    int line = code != NULL ? PyFrame_GetLineNumber(frame) : 1;
    bool ok = text != NULL && file != NULL &&
              PyErr_WarnExplicitObject(PyExc_RuntimeWarning, text, file, line, NULL, NULL) == 0;
    Py_XDECREF(text);
    Py_XDECREF(code);
    Py_XDECREF(file);
    return ok;
}

// Surfaces of a chain's segments: from the arrays that a user gives, and as a table.
#include <math.h>
#include <stddef.h>

#include "base/memory.h"
#include "python/convert.h"

static const struct {
    const char *name;
    size_t offset;
} columns[] = {
    {"friction", offsetof(PhSegmentSurface, friction)},
    {"restitution", offsetof(PhSegmentSurface, restitution)},
    {"rolling_resistance", offsetof(PhSegmentSurface, rolling_resistance)},
    {"tangent_speed", offsetof(PhSegmentSurface, tangent_speed)},
    {"material", offsetof(PhSegmentSurface, material)},
};
enum { MATERIAL = 4, COLUMN_COUNT };

// One column, which makes the rows if it is the first.
static bool take_column(int column, PyObject *value, PhSegmentSurface **rows, npy_intp *count) {
    char name[48];
    PyOS_snprintf(name, sizeof name, "segments['%s']", columns[column].name);
    PyArrayObject *array = core_to_numbers(value, name);
    if (array == NULL) {
        return false;
    }
    bool ok = PyArray_NDIM(array) == 1 && (*rows == NULL || PyArray_DIM(array, 0) == *count);
    if (!ok) {
        char wanted[32];
        PyOS_snprintf(wanted, sizeof wanted, *rows != NULL ? "(%lld,)" : "(n,)", (long long)*count);
        core_shape_error(name, wanted, array);
    } else if (*rows == NULL) {
        *count = PyArray_DIM(array, 0);
        ok = *count <= INT32_MAX;
        *rows = ok ? ph_alloc((size_t)*count + 1, sizeof **rows) : NULL;
        ok = *rows != NULL;
        if (!ok) {
            PyErr_NoMemory();
        }
        for (npy_intp i = 0; ok && i < *count; ++i) {
            (*rows)[i] = (PhSegmentSurface){NAN, NAN, NAN, NAN, -1, 0};
        }
    }
    const double *data = PyArray_DATA(array);
    for (npy_intp i = 0; ok && i < *count; ++i) {
        char *field = (char *)&(*rows)[i] + columns[column].offset;
        if (column == MATERIAL) {
            ok = data[i] >= -1 && data[i] < PH_MAX_MATERIALS && data[i] == floor(data[i]);
            if (!ok) {
                core_refuse_number(name, "an integer from 0 to 255, or -1", data[i]);
                break;
            }
            *(int32_t *)(void *)field = (int32_t)data[i];
        } else {
            *(double *)(void *)field = data[i];
        }
    }
    Py_DECREF(array);
    return ok;
}

static int find_column(PyObject *key) {
    for (int i = 0; PyUnicode_Check(key) && i < COLUMN_COUNT; ++i) {
        if (PyUnicode_CompareWithASCIIString(key, columns[i].name) == 0) {
            return i;
        }
    }
    PyErr_Format(PyExc_ValueError,
                 "segments: has the columns friction, restitution, rolling_resistance, "
                 "tangent_speed and material, got %R",
                 key);
    return -1;
}

// A mapping of columns.
static bool take_columns(PyObject *table, PhSegmentSurface **rows, npy_intp *count) {
    PyObject *items = PyMapping_Items(table);
    bool ok = items != NULL;
    for (Py_ssize_t i = 0; ok && i < PyList_GET_SIZE(items); ++i) {
        PyObject *pair = PySequence_Tuple(PyList_GET_ITEM(items, i));
        bool two = pair != NULL && PyTuple_GET_SIZE(pair) == 2;
        int column = two ? find_column(PyTuple_GET_ITEM(pair, 0)) : -1;
        ok = column >= 0 && take_column(column, PyTuple_GET_ITEM(pair, 1), rows, count);
        if (pair != NULL && !two) {
            PyErr_SetString(PyExc_TypeError, "segments: its items must be pairs");
        }
        Py_XDECREF(pair);
    }
    Py_XDECREF(items);
    return ok;
}

// A structured array, as Collider.segments gives it.
static bool take_fields(PyObject *array, PhSegmentSurface **rows, npy_intp *count) {
    PyObject *names = PyDataType_NAMES(PyArray_DESCR((PyArrayObject *)array));
    bool ok = true;
    for (Py_ssize_t i = 0; ok && i < PyTuple_GET_SIZE(names); ++i) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        int column = find_column(name);
        PyObject *values = column >= 0 ? PyObject_GetItem(array, name) : NULL;
        ok = values != NULL && take_column(column, values, rows, count);
        Py_XDECREF(values);
    }
    return ok;
}

static bool is_mapping(PyObject *value) {
    return PyDict_Check(value) || (PyMapping_Check(value) && !PyArray_Check(value) &&
                                   PyObject_HasAttrString(value, "keys"));
}

static bool is_table(PyObject *value) {
    return PyArray_Check(value) && PyDataType_HASFIELDS(PyArray_DESCR((PyArrayObject *)value));
}

// Rows of numbers, as the list of such an array.
static bool take_rows(PyObject *value, PhSegmentSurface **rows, npy_intp *count) {
    PyArrayObject *array = core_to_numbers(value, "segments");
    bool ok = array != NULL;
    if (ok && (PyArray_NDIM(array) != 2 || PyArray_DIM(array, 1) != COLUMN_COUNT)) {
        PyErr_Format(PyExc_TypeError,
                     "segments: must be a dict of arrays, such as {'friction': [0.6, 0.1]} with a "
                     "number for each segment, a table as Collider.segments gives it, or None, got "
                     "%.100s",
                     Py_TYPE(value)->tp_name);
        ok = false;
    }
    for (int i = 0; ok && i < COLUMN_COUNT; ++i) {
        PyObject *key = Py_BuildValue("(Oi)", Py_Ellipsis, i);
        PyObject *values = key != NULL ? PyObject_GetItem((PyObject *)array, key) : NULL;
        ok = values != NULL && take_column(i, values, rows, count);
        Py_XDECREF(key);
        Py_XDECREF(values);
    }
    Py_XDECREF(array);
    return ok;
}

bool core_to_segments(const CoreState *core, PyObject *value, PhSegments **segments) {
    PhSegmentSurface *rows = NULL;
    npy_intp count = 0;
    *segments = NULL;
    if (value == NULL || value == Py_None) {
        return true;
    }
    bool ok = is_mapping(value) ? take_columns(value, &rows, &count)
              : is_table(value) ? take_fields(value, &rows, &count)
                                : take_rows(value, &rows, &count);
    if (ok && rows != NULL) {
        PhError error;
        *segments = ph_segments_create(rows, (uint32_t)count, &error);
        ok = *segments != NULL;
        if (!ok) {
            core_raise(core, &error);
        }
    }
    ph_free(rows);
    return ok;
}

PyObject *core_from_segments(const CoreState *core, const PhSegments *segments) {
    if (segments == NULL) {
        Py_RETURN_NONE;
    }
    return core_rows(core, ROW_SEGMENT, segments->surface, segments->count);
}

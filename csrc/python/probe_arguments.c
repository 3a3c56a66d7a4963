// Reads shapes or points at poses, and joins their rows.
#include "python/probe_arguments.h"

bool core_to_column(PyObject *object, const char *name, int width, Column *column) {
    *column = (Column){.name = name, .count = 1};
    column->data = column->zeros;
    if (object == NULL) {
        return true;
    }
    PyArrayObject *array = column->array = core_to_numbers(object, name);
    if (array == NULL) {
        return false;
    }
    int axes = PyArray_NDIM(array);
    column->data = PyArray_DATA(array);
    if (axes == 1 && PyArray_DIM(array, 0) == 0) { // [] is no rows
        column->many = true;
        column->count = 0;
        return true;
    }
    if (axes < 1 || axes > 2 || PyArray_DIM(array, axes - 1) != width) {
        core_shape_error(name, width == 2 ? "(2,) or (n, 2)" : "(3,) or (n, 3)", array);
        return false;
    }
    column->many = axes == 2;
    column->count = column->many ? PyArray_DIM(array, 0) : 1;
    return core_check_finite(array, name);
}

static inline const double *row_of(const Column *column, npy_intp i, int width) {
    return column->data + (column->many ? i * width : 0);
}

bool core_join_rows(Rows *rows, bool many, npy_intp count, const char *name) {
    if (many && rows->known && rows->count != count) {
        PyErr_Format(PyExc_ValueError, "%s: must have 1 or %zd rows, got %zd", name,
                     (Py_ssize_t)rows->count, (Py_ssize_t)count);
        return false;
    }
    if (many && count > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "%s: has too many rows: %zd", name, (Py_ssize_t)count);
        return false;
    }
    if (many) {
        rows->count = count;
        rows->known = true;
    }
    return true;
}

// ------------------------------------------------------------------------------------------------
// many shapes

void core_probe_close(ProbeCall *call) {
    core_close_shapes(&call->shapes);
    Py_XDECREF((PyObject *)call->pose.array);
    Py_XDECREF((PyObject *)call->other.array);
    if (call->filter_open) {
        core_query_drop(&call->filter);
    }
}

bool core_probe_filter(ProbeCall *call, PyObject *const *values) {
    call->filter_open = true;
    return core_query_open(call->self, values, &call->filter);
}

bool core_probe_shapes(ProbeCall *call, PyObject *object, const char *name) {
    PairOperand *shapes = &call->shapes;
    shapes->name = name;
    if (!core_open_shapes(call->self->core, object, shapes)) {
        return false;
    }
    if (shapes->ndim > 1) {
        PyErr_Format(PyExc_ValueError, "%s: must have at most one axis, got %d", name,
                     shapes->ndim);
        return false;
    }
    return true;
}

// After all columns: the rows, and how far shapes reach.
bool core_probe_join(ProbeCall *call) {
    const PairOperand *shapes = &call->shapes;
    bool many = shapes->ndim == 1;
    call->rows = (Rows){.count = 1};
    if (!core_join_rows(&call->rows, many, shapes->count, shapes->name) ||
        !core_join_rows(&call->rows, call->pose.many, call->pose.count, call->pose.name) ||
        !core_join_rows(&call->rows, call->other.many, call->other.count, call->other.name)) {
        return false;
    }
    if (!call->points) {
        call->probes.shape = many ? shapes->shapes : &call->shapes.shape;
        call->probes.shape_step = many;
        for (npy_intp i = 0; i < shapes->count; ++i) {
            call->reach = ph_max(call->reach, (many ? shapes->shapes[i] : shapes->shape)->extent);
        }
    }
    call->probes.pose = call->pose.data;
    call->probes.pose_step = call->pose.many;
    return true;
}

// A box that holds the paths of all probes.
PhAabb core_probe_box(const ProbeCall *call, double reach) {
    PhAabb box = QUERY_NOWHERE;
    if (call->filter.choose == NULL) { // not asked for
        return box;
    }
    for (npy_intp i = 0; i < call->rows.count; ++i) {
        const double *pose = row_of(&call->pose, i, call->points ? 2 : 3);
        PhVec2 start = {pose[0], pose[1]};
        box = core_query_include(box, start);
        if (call->probes.end != NULL) {
            const double *end = row_of(&call->other, i, 3);
            box = core_query_include(box, ph_vec(end[0], end[1]));
        } else if (call->probes.translation != NULL) {
            const double *path = row_of(&call->other, i, 2);
            box = core_query_include(box, ph_add(start, ph_vec(path[0], path[1])));
        }
    }
    return core_query_box(box, call->reach + reach);
}

bool core_to_amount(PyObject *object, const char *name, double *out) {
    if (object != NULL && !core_to_double(object, name, out)) {
        return false;
    }
    if (*out < 0) {
        PyErr_Format(PyExc_ValueError, "%s: must be >= 0, got %R", name, object);
        return false;
    }
    return true;
}

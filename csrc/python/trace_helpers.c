// Arguments and results of the functions behind pyphys2d.traces. Invariant: an array that was
// handed out never changes, since its memory is an immutable bytes object.
#include "python/trace_helpers.h"

#include <string.h>

#include "math/trig.h"

const PhPiece *core_to_piece(const CoreState *core, PyObject *object, const char *name) {
    const PhShape *shape = core_to_shape(core, object, name);
    if (shape == NULL || (shape->convex && shape->piece_count == 1)) {
        return shape != NULL ? shape->pieces : NULL;
    }
    if (shape->kind == PH_SHAPE_CHAIN) {
        PyErr_Format(PyExc_ValueError,
                     "%s: must be convex, got a chain: use a Segment for one of its sides", name);
    } else {
        PyErr_Format(PyExc_ValueError,
                     "%s: must be convex, got a polygon of %d convex parts: use a Polygon of one "
                     "of its .parts",
                     name, (int)shape->piece_count);
    }
    return NULL;
}

bool core_to_couple(PyObject *module, PyObject *const *values, TraceCouple *couple) {
    const CoreState *core = PyModule_GetState(module);
    PhVec2 pa, pb;
    double angle_a, angle_b;
    couple->a = core_to_piece(core, values[0], "a");
    couple->b = couple->a != NULL ? core_to_piece(core, values[1], "b") : NULL;
    if (couple->b == NULL || !core_to_pose(values[2], "pose_a", &pa, &angle_a) ||
        !core_to_pose(values[3], "pose_b", &pb, &angle_b)) {
        return false;
    }
    couple->shape_a = core_to_shape(core, values[0], "a");
    couple->shape_b = core_to_shape(core, values[1], "b");
    couple->origin = pa;
    couple->ta = ph_transform(0, 0, angle_a);
    couple->tb = ph_transform(pb.x - pa.x, pb.y - pa.y, angle_b);
    const double poses[2][3] = {{pa.x, pa.y, angle_a}, {pb.x, pb.y, angle_b}};
    memcpy(couple->pose_a, poses[0], sizeof poses[0]);
    memcpy(couple->pose_b, poses[1], sizeof poses[1]);
    return true;
}

PyObject *core_frozen_array(int type, int dimensions, const npy_intp *dims, void *data) {
    npy_intp bytes = type == NPY_INT64 ? sizeof(int64_t) : sizeof(double);
    for (int i = 0; i < dimensions; ++i) {
        bytes *= dims[i];
    }
    PyObject *base = PyBytes_FromStringAndSize(NULL, bytes);
    if (base == NULL) {
        return NULL;
    }
    char *memory = PyBytes_AS_STRING(base);
    memset(memory, 0, (size_t)bytes);
    PyObject *array = PyArray_New(&PyArray_Type, dimensions, (npy_intp *)dims, type, NULL, memory,
                                  0, NPY_ARRAY_CARRAY_RO, NULL);
    if (array == NULL) {
        Py_DECREF(base);
        return NULL;
    }
    if (PyArray_SetBaseObject((PyArrayObject *)array, base) < 0) { // steals base, also then
        Py_DECREF(array);
        return NULL;
    }
    memcpy(data, &memory, sizeof memory);
    return array;
}

PyObject *core_frozen_numbers(const double *numbers, npy_intp count) {
    double *data;
    PyObject *array = core_frozen_array(NPY_DOUBLE, 1, &count, &data);
    if (array != NULL) {
        memcpy(data, numbers, (size_t)count * sizeof *numbers);
    }
    return array;
}

PyObject *core_steal_tuple(PyObject *const *members, Py_ssize_t count) {
    bool ok = true;
    for (Py_ssize_t i = 0; i < count; ++i) {
        ok = ok && members[i] != NULL;
    }
    PyObject *tuple = ok ? PyTuple_New(count) : NULL;
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (tuple != NULL) {
            PyTuple_SET_ITEM(tuple, i, members[i]);
        } else {
            Py_XDECREF(members[i]);
        }
    }
    return tuple;
}

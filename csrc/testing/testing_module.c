// The module pyphys2d._testing: parts of the engine that users do not see, on arrays. Built on
// request only.
//
// It has its own copy of the engine's code; the allocator that it makes fail is that of
// pyphys2d._core.
#define PH_IMPORT_NUMPY
#include "testing/testing.h"

#include "base/hash.h"
#include "geometry/polygon.h"
#include "math/four.h"
#include "math/trig.h"
#include "python/testing_interface.h"
#include "solve/solver.h"

// ------------------------------------------------------------------------------------------------
// conversions

PyArrayObject *testing_numbers(PyObject *object, int dimensions, npy_intp last) {
    PyArrayObject *array = (PyArrayObject *)PyArray_FROMANY(object, NPY_DOUBLE, dimensions,
                                                            dimensions, NPY_ARRAY_CARRAY_RO);
    if (array != NULL && last > 0 && PyArray_DIM(array, dimensions - 1) != last) {
        PyErr_Format(PyExc_ValueError, "the last axis must have length %zd", (Py_ssize_t)last);
        Py_CLEAR(array);
    }
    return array;
}

PyObject *testing_raise(const PhError *error) {
    if (error->status == PH_ERROR_MEMORY) {
        return PyErr_NoMemory();
    }
    PyErr_SetString(PyExc_ValueError, error->message);
    return NULL;
}

static bool to_points(PyObject *const *args, Py_ssize_t count, Py_ssize_t wanted, PhVec2 *out) {
    if (count != wanted) {
        PyErr_Format(PyExc_TypeError, "%zd points wanted, got %zd", wanted, count);
        return false;
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyArrayObject *point = testing_numbers(args[i], 1, 2);
        if (point == NULL) {
            return false;
        }
        out[i] = *(const PhVec2 *)PyArray_DATA(point);
        Py_DECREF(point);
    }
    return true;
}

// ------------------------------------------------------------------------------------------------
// the core's allocator

static const CoreTestingInterface *core_interface(void) {
    return PyCapsule_Import(CORE_TESTING_CAPSULE, 0);
}

PyDoc_STRVAR(
    fail_allocation_doc,
    "fail_allocation($module, n, /)\n--\n\n"
    "Make the n-th engine allocation of pyphys2d._core from now on fail, once; 0: none.\n\n"
    "Returns\n-------\n"
    "int\n    Number of allocations since the last call.");

static PyObject *fail_allocation(PyObject *Py_UNUSED(module), PyObject *arg) {
    const CoreTestingInterface *core = core_interface();
    long long n = PyLong_AsLongLong(arg);
    if (core == NULL || (n == -1 && PyErr_Occurred())) {
        return NULL;
    }
    return PyLong_FromLongLong(core->fail_allocation(n));
}

PyDoc_STRVAR(stop_steps_doc,
             "stop_steps($module, question, /)\n--\n\n"
             "Interrupt steps from now on at this question whether they are to be stopped, the "
             "first being\n1, with KeyboardInterrupt, once; 0: not. Until then steps are asked "
             "wherever they can be.");

static PyObject *stop_steps(PyObject *Py_UNUSED(module), PyObject *arg) {
    const CoreTestingInterface *core = core_interface();
    long long question = PyLong_AsLongLong(arg);
    if (core == NULL || (question == -1 && PyErr_Occurred())) {
        return NULL;
    }
    core->stop_steps(question);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(live_allocations_doc, "live_allocations($module, /)\n--\n\n"
                                   "Number of engine allocations of pyphys2d._core not yet freed.");

static PyObject *live_allocations(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(arg)) {
    const CoreTestingInterface *core = core_interface();
    return core != NULL ? PyLong_FromLongLong(core->live_allocations()) : NULL;
}

// ------------------------------------------------------------------------------------------------
// math

PyDoc_STRVAR(rotation_doc, "rotation($module, angle, /)\n--\n\n"
                           "Cosine and sine of an angle, any float64, by the engine's own trig.");

static PyObject *rotation(PyObject *Py_UNUSED(module), PyObject *arg) {
    double angle = PyFloat_AsDouble(arg);
    if (angle == -1.0 && PyErr_Occurred()) {
        return NULL;
    }
    PhRot q = ph_rot(angle);
    return Py_BuildValue("dd", q.c, q.s);
}

PyDoc_STRVAR(rotations_doc, "rotations(*angles)\n--\n\n"
                            "Cosine and sine of eight angles in lanes: a list of pairs.");

static PyObject *rotations(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count) {
    if (count != 8) {
        PyErr_SetString(PyExc_TypeError, "rotations takes eight angles");
        return NULL;
    }
    Four angle[2], c[2], s[2];
    for (int l = 0; l < 8; ++l) {
        angle[l / 4][l % 4] = PyFloat_AsDouble(args[l]);
    }
    if (PyErr_Occurred()) {
        return NULL;
    }
    eight_rot(angle, c, s);
    PyObject *list = PyList_New(8);
    for (int l = 0; list && l < 8; ++l) {
        PyObject *pair = Py_BuildValue("dd", c[l / 4][l % 4], s[l / 4][l % 4]);
        if (!pair) {
            Py_CLEAR(list);
        } else {
            PyList_SET_ITEM(list, l, pair);
        }
    }
    return list;
}

PyDoc_STRVAR(atan2_doc, "atan2($module, y, x, /)\n--\n\nThe engine's own arctangent.");

static PyObject *arctangent(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count) {
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "atan2 takes y and x");
        return NULL;
    }
    double y = PyFloat_AsDouble(args[0]), x = PyFloat_AsDouble(args[1]);
    return PyErr_Occurred() ? NULL : PyFloat_FromDouble(ph_atan2(y, x));
}

PyDoc_STRVAR(hash_bytes_doc, "hash_bytes($module, data, /)\n--\n\nThe engine's hash of bytes.");

static PyObject *hash_bytes(PyObject *Py_UNUSED(module), PyObject *arg) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(arg, &buffer, PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    uint64_t hash = ph_hash(PH_HASH_START, buffer.buf, (size_t)buffer.len);
    PyBuffer_Release(&buffer);
    return PyLong_FromUnsignedLongLong(hash);
}

// ------------------------------------------------------------------------------------------------
// predicates

PyDoc_STRVAR(
    orientation_doc,
    "orientation($module, a, b, c, /)\n--\n\n"
    "Exact sign of the area of a triangle: 1 counter-clockwise, -1 clockwise, 0 collinear.");

static PyObject *orientation(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count) {
    PhVec2 p[3];
    return to_points(args, count, 3, p) ? PyLong_FromLong(ph_orientation(p[0], p[1], p[2])) : NULL;
}

static PyArrayObject *to_ring(PyObject *object) {
    PyArrayObject *ring = testing_numbers(object, 2, 2);
    if (ring != NULL && (PyArray_DIM(ring, 0) < 1 || PyArray_DIM(ring, 0) > INT32_MAX / 4)) {
        PyErr_SetString(PyExc_ValueError, "a ring needs points");
        Py_CLEAR(ring);
    }
    return ring;
}

PyDoc_STRVAR(ring_contains_doc,
             "ring_contains($module, ring, points, /)\n--\n\n"
             "Exact: 1 inside, 0 on the boundary, -1 outside, for points of shape (n, 2).");

static PyObject *ring_contains(PyObject *Py_UNUSED(module), PyObject *const *args,
                               Py_ssize_t count) {
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "ring_contains takes a ring and points");
        return NULL;
    }
    PyArrayObject *ring = to_ring(args[0]);
    PyArrayObject *points = ring != NULL ? testing_numbers(args[1], 2, 2) : NULL;
    PyObject *result = NULL;
    if (points != NULL) {
        npy_intp dims[1] = {PyArray_DIM(points, 0)};
        result = PyArray_SimpleNew(1, dims, NPY_INT8);
        int8_t *out = result != NULL ? PyArray_DATA((PyArrayObject *)result) : NULL;
        const PhVec2 *point = PyArray_DATA(points);
        for (npy_intp i = 0; i < dims[0] && out != NULL; ++i) {
            out[i] = (int8_t)ph_ring_contains(PyArray_DATA(ring), (int32_t)PyArray_DIM(ring, 0),
                                              point[i]);
        }
    }
    Py_XDECREF(ring);
    Py_XDECREF(points);
    return result;
}

PyDoc_STRVAR(ring_check_doc, "ring_check($module, ring, /)\n--\n\n"
                             "ValueError unless the ring is simple; the message names the fault.");

static PyObject *ring_check(PyObject *Py_UNUSED(module), PyObject *arg) {
    PyArrayObject *ring = to_ring(arg);
    if (ring == NULL) {
        return NULL;
    }
    PhError error;
    PhStatus status =
        ph_ring_check(PyArray_DATA(ring), (int32_t)PyArray_DIM(ring, 0), "ring", &error);
    Py_DECREF(ring);
    if (status != PH_OK) {
        return testing_raise(&error);
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(convex_width_doc, "convex_width($module, points, /)\n--\n\n"
                               "Narrowest width of the convex hull of points.");

static PyObject *convex_width(PyObject *Py_UNUSED(module), PyObject *arg) {
    PyArrayObject *points = to_ring(arg);
    if (points == NULL) {
        return NULL;
    }
    int32_t count = (int32_t)PyArray_DIM(points, 0);
    PhVec2 *hull = PyMem_New(PhVec2, (size_t)count);
    PyObject *result = NULL;
    if (hull == NULL) {
        PyErr_NoMemory();
    } else {
        int32_t size = ph_convex_hull(PyArray_DATA(points), count, hull, NULL);
        result = PyFloat_FromDouble(ph_convex_width(hull, size));
    }
    PyMem_Free(hull);
    Py_DECREF(points);
    return result;
}

// ------------------------------------------------------------------------------------------------
// simd

PyDoc_STRVAR(simd_available_doc, "simd_available($module, /)\n--\n\n"
                                 "Instruction sets that this machine can use, best last.");

static PyObject *simd_available(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(arg)) {
    PyObject *list = PyList_New(0);
    const char *name;
    for (uint32_t k = 0; list != NULL && (name = ph_simd_available(k)) != NULL; ++k) {
        PyObject *text = PyUnicode_FromString(name);
        if (text == NULL || PyList_Append(list, text) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(text);
    }
    return list;
}

PyDoc_STRVAR(simd_found_doc, "simd_found($module, name, /)\n--\n\n"
                             "Whether there are kernels of that name for this machine.");

static PyObject *simd_found(PyObject *Py_UNUSED(module), PyObject *arg) {
    const char *name = PyUnicode_AsUTF8(arg);
    return name != NULL ? PyBool_FromLong(ph_simd_find(name) != NULL) : NULL;
}

// ------------------------------------------------------------------------------------------------
// module

#define FAST(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef functions[] = {
    {"fail_allocation", fail_allocation, METH_O, fail_allocation_doc},
    {"stop_steps", stop_steps, METH_O, stop_steps_doc},
    {"fail_python_allocation", FAST(testing_fail_python_allocation), METH_FASTCALL,
     testing_fail_python_allocation_doc},
    {"live_allocations", live_allocations, METH_NOARGS, live_allocations_doc},
    {"rotation", rotation, METH_O, rotation_doc},
    {"rotations", FAST(rotations), METH_FASTCALL, rotations_doc},
    {"atan2", FAST(arctangent), METH_FASTCALL, atan2_doc},
    {"hash_bytes", hash_bytes, METH_O, hash_bytes_doc},
    {"orientation", FAST(orientation), METH_FASTCALL, orientation_doc},
    {"ring_contains", FAST(ring_contains), METH_FASTCALL, ring_contains_doc},
    {"ring_check", ring_check, METH_O, ring_check_doc},
    {"convex_width", convex_width, METH_O, convex_width_doc},
    {"simd_available", simd_available, METH_NOARGS, simd_available_doc},
    {"simd_found", simd_found, METH_O, simd_found_doc},
    {"broad_pairs", FAST(testing_broad_pairs), METH_FASTCALL | METH_KEYWORDS,
     testing_broad_pairs_doc},
    {"chart", FAST(testing_distance_grid), METH_FASTCALL, testing_distance_grid_doc},
    {"impact", FAST(testing_impact), METH_FASTCALL, testing_impact_doc},
    {"row_order", testing_row_order, METH_O, testing_row_order_doc},
    {"run_jobs", FAST(testing_run_jobs), METH_FASTCALL, testing_run_jobs_doc},
    {"lane_grazing", FAST(testing_lane_grazing), METH_FASTCALL, testing_lane_grazing_doc},
    {"lane_manifolds", FAST(testing_lane_manifolds), METH_FASTCALL, testing_lane_manifolds_doc},
    {"paths_meet", FAST(testing_paths_meet), METH_FASTCALL, testing_paths_meet_doc},
    {"tree_run", FAST(testing_tree_run), METH_FASTCALL, testing_tree_run_doc},
    {0},
};

static int module_exec(PyObject *Py_UNUSED(module)) {
    return PyArray_ImportNumPyAPI() < 0 ? -1 : 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, module_exec},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};

static PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "pyphys2d._testing",
    .m_doc = "Parts of the engine for its tests; not for users.",
    .m_size = 0,
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__testing(void);

PyMODINIT_FUNC PyInit__testing(void) {
    return PyModuleDef_Init(&module_def);
}

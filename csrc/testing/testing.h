// What the files of the extension pyphys2d._testing share: headers set up once, conversions,
// functions by file.
#ifndef PH_TESTING_TESTING_H
#define PH_TESTING_TESTING_H

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
// After Python.h, as it demands.
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#ifndef PY_ARRAY_UNIQUE_SYMBOL
#define PY_ARRAY_UNIQUE_SYMBOL ph_testing_numpy_api
#endif
#ifndef PH_IMPORT_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include "base/status.h"
#include "math/vec2.h"

// float64, C-contiguous, of so many dimensions; the last has length `last` unless that is 0. NULL
// with an exception.
PyArrayObject *testing_numbers(PyObject *object, int dimensions, npy_intp last);
PyObject *testing_raise(const PhError *error); // always NULL

// testing_broad.c
extern const char testing_broad_pairs_doc[], testing_distance_grid_doc[], testing_tree_run_doc[];
PyObject *testing_broad_pairs(PyObject *module, PyObject *const *args, Py_ssize_t count,
                              PyObject *keywords);
PyObject *testing_distance_grid(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *testing_tree_run(PyObject *module, PyObject *const *args, Py_ssize_t count);

// testing_impact.c
extern const char testing_impact_doc[], testing_paths_meet_doc[];
PyObject *testing_impact(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *testing_paths_meet(PyObject *module, PyObject *const *args, Py_ssize_t count);

// testing_jobs.c
extern const char testing_run_jobs_doc[];
PyObject *testing_run_jobs(PyObject *module, PyObject *const *args, Py_ssize_t count);

// testing_layout.c
extern const char testing_row_order_doc[];
PyObject *testing_row_order(PyObject *module, PyObject *centers);

// testing_memory.c
extern const char testing_fail_python_allocation_doc[];
PyObject *testing_fail_python_allocation(PyObject *module, PyObject *const *args, Py_ssize_t count);

// testing_narrow.c
extern const char testing_lane_grazing_doc[];
PyObject *testing_lane_grazing(PyObject *module, PyObject *const *args, Py_ssize_t count);
extern const char testing_lane_manifolds_doc[];
PyObject *testing_lane_manifolds(PyObject *module, PyObject *const *args, Py_ssize_t count);

#endif

// Functions of the module that pyphys2d.geometry hands on. A function `x` is core_geometry_x with
// the docstring core_geometry_x_doc.
#ifndef PH_PYTHON_GEOMETRY_FUNCTIONS_H
#define PH_PYTHON_GEOMETRY_FUNCTIONS_H

#include "python/core.h"

// With keywords.
#define GEOMETRY_FAST_FUNCTIONS(X)                                                                 \
    X(second_moment)                                                                               \
    X(point_in_polygon)                                                                            \
    X(mtv)                                                                                         \
    X(collide)                                                                                     \
    X(distance)

// Of one object.
#define GEOMETRY_ONE_FUNCTIONS(X)                                                                  \
    X(area)                                                                                        \
    X(signed_area)                                                                                 \
    X(centroid)                                                                                    \
    X(winding)                                                                                     \
    X(is_convex)                                                                                   \
    X(convex_hull)                                                                                 \
    X(decompose)                                                                                   \
    X(direction)

#define DECLARE_FAST(name)                                                                         \
    extern const char core_geometry_##name##_doc[];                                                \
    PyObject *core_geometry_##name(PyObject *module, PyObject *const *args, Py_ssize_t count,      \
                                   PyObject *keywords);
#define DECLARE_ONE(name)                                                                          \
    extern const char core_geometry_##name##_doc[];                                                \
    PyObject *core_geometry_##name(PyObject *module, PyObject *arg);
GEOMETRY_FAST_FUNCTIONS(DECLARE_FAST)
GEOMETRY_ONE_FUNCTIONS(DECLARE_ONE)
#undef DECLARE_FAST
#undef DECLARE_ONE

#endif

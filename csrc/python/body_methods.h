// Methods of Body, for the type's table in body.c. A method `x` is core_body_x with the docstring
// core_body_x_doc.
#ifndef PH_PYTHON_BODY_METHODS_H
#define PH_PYTHON_BODY_METHODS_H

#include "python/core.h"

// Those that change the world, and so go into its call log.
#define BODY_CHANGING_FAST_METHODS(X)                                                              \
    X(apply_force)                                                                                 \
    X(apply_impulse)                                                                               \
    X(move_to)                                                                                     \
    X(attach)

#define BODY_CHANGING_ONE_METHODS(X)                                                               \
    X(apply_torque)                                                                                \
    X(apply_angular_impulse)

#define BODY_CHANGING_PLAIN_METHODS(X)                                                             \
    X(wake)                                                                                        \
    X(wake_touching)                                                                               \
    X(sleep)

// Those that do not.
#define BODY_FAST_METHODS(X)                                                                       \
    X(to_world)                                                                                    \
    X(to_local)                                                                                    \
    X(velocity_at)

#define BODY_ONE_METHODS(X) X(contains)

#define BODY_PLAIN_METHODS(X) X(convex_hull)

#define DECLARE_FAST(name)                                                                         \
    extern const char core_body_##name##_doc[];                                                    \
    PyObject *core_body_##name(PyObject *self, PyObject *const *args, Py_ssize_t count,            \
                               PyObject *keywords);
#define DECLARE_ONE(name)                                                                          \
    extern const char core_body_##name##_doc[];                                                    \
    PyObject *core_body_##name(PyObject *self, PyObject *arg);
BODY_CHANGING_FAST_METHODS(DECLARE_FAST)
BODY_CHANGING_ONE_METHODS(DECLARE_ONE)
BODY_CHANGING_PLAIN_METHODS(DECLARE_ONE)
BODY_FAST_METHODS(DECLARE_FAST)
BODY_ONE_METHODS(DECLARE_ONE)
BODY_PLAIN_METHODS(DECLARE_ONE)
#undef DECLARE_FAST
#undef DECLARE_ONE

#endif

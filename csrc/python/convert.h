// From Python objects to numbers and back: the one place where arguments are checked for type,
// shape and finiteness.
//
// Every function returns false (or NULL) with an exception that names the argument: TypeError for
// the wrong sort of object, ValueError for a bad number (NaN, infinite, out of range) or a wrong
// shape, with the value or shape that was given.
#ifndef PH_PYTHON_CONVERT_H
#define PH_PYTHON_CONVERT_H

#include "python/core.h"

// ------------------------------------------------------------------------------------------------
// arguments
typedef struct CoreSignature {
    const char *function;
    const char *const *names;
    int count, positional, required; // the first `positional` may be given by position
} CoreSignature;
// values receives signature->count borrowed references, NULL for arguments not given.
bool core_bind(const CoreSignature *signature, PyObject *const *args, Py_ssize_t arg_count,
               PyObject *keyword_names, PyObject **values);
bool core_bind_tuple(const CoreSignature *signature, PyObject *args, PyObject *keywords,
                     PyObject **values);
#define CORE_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
// Declares, for the body of a function of Python, the `names` of its parameters, its `signature`
// and room for the `values` of a call.
#define CORE_ARGUMENTS(function, positional, required, ...)                                        \
    static const char *const names[] = {__VA_ARGS__};                                              \
    static const CoreSignature signature = {function, names, CORE_COUNT(names), positional,        \
                                            required};                                             \
    PyObject *values[CORE_COUNT(names)]

// What may have been meant, by a function of pyphys2d._hints: text for the end of a message, empty
// when there is nothing to say. arguments: a tuple, which is taken over, or NULL with an exception.
// NULL with what is no Exception, such as KeyboardInterrupt.
PyObject *core_hint(const char *about, PyObject *arguments);

// After a failure of NumPy: its casts do not say so when memory is short; MemoryError then.
void core_blame_memory(void);

// ------------------------------------------------------------------------------------------------
// scalars
bool core_refuse_number(const char *name, const char *must, double value); // always false
// False for an infinite "inertia", which other engines take for a body that never turns.
bool core_refuse_infinite_inertia(PyObject *value, const char *name);
// The same for a vector, by its numbers: no code of its own runs to print it. must: "be zero".
bool core_refuse_vec2(const char *name, const char *must, PhVec2 v);
bool core_to_double(PyObject *object, const char *name, double *out);   // finite
bool core_to_extended(PyObject *object, const char *name, double *out); // or infinite
bool core_to_integer(PyObject *object, const char *name, long long lower, long long upper,
                     long long *out);
bool core_to_bits(PyObject *object, const char *name,
                  uint64_t *out); // -1 is all bits, as ~x gives them
// An id; UINT64_MAX, which nothing has, for an integer that can be none. TypeError says "id".
bool core_to_id(PyObject *object, uint64_t *out);
bool core_to_bool(PyObject *object, const char *name, bool *out);
// Index of the string in names (NULL-terminated); ValueError lists them.
bool core_to_choice(PyObject *object, const char *name, const char *const *names, int *out);
bool core_to_vec2(PyObject *object, const char *name, PhVec2 *out);
// A number (width 1) or a vector (2), and back.
bool core_to_values(PyObject *object, const char *name, int32_t width, double *out);
PyObject *core_from_values(const CoreState *core, const double *values, int32_t width,
                           CoreAdvice advice);
bool core_to_pair(PyObject *object, const char *name, PhVec2 *out); // NaN and infinity too
bool core_to_box(PyObject *lower, PyObject *upper, PhAabb *box); // "lower", "upper"; lower <= upper
bool core_to_pose(PyObject *object, const char *name, PhVec2 *position,
                  double *angle);                                       // NULL: zeros
bool core_to_positive(PyObject *object, const char *name, double *out); // > 0
bool core_to_threshold(PyObject *object, double *out); // "sleep_threshold"; None: -1

// ------------------------------------------------------------------------------------------------
// arrays
//
// What these return is a copy that no Python code can reach: once checked, it stays as it is.

// Any shape; C-contiguous, aligned, native float64.
PyArrayObject *core_to_numbers(PyObject *object, const char *name);
bool core_check_finite(PyArrayObject *array, const char *name);
// Shape (..., 2), finite; (0, 2) for an empty list.
PyArrayObject *core_to_points(PyObject *object, const char *name);
// Shape (n, 2), finite, n >= minimum.
PyArrayObject *core_to_ring(PyObject *object, const char *name, npy_intp minimum);
// ValueError: name must have shape `right`, got (3, 4).
void *core_shape_error(const char *name, const char *right, PyArrayObject *array);

// ------------------------------------------------------------------------------------------------
// to Python
// Appends to *text, which becomes NULL on failure. Steals `more`.
void core_append(PyObject **text, PyObject *more);
PyObject *core_short_text(double value); // six digits at most, as str; for what is printed
PyObject *core_from_vec2(PhVec2 v);      // new (2,) array
PyObject *core_from_aabb(PhAabb box);    // new (2, 2) array
PyObject *core_from_points(const PhVec2 *v, Py_ssize_t n); // new (n, 2) array
// Read-only for ever: the base is an immutable bytes object.
PyObject *core_frozen_points(const PhVec2 *v, Py_ssize_t n);

static inline const PhVec2 *core_points(PyArrayObject *array) {
    return (const PhVec2 *)PyArray_DATA(array);
}

#endif

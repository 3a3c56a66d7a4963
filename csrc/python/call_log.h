// The call log of a World: every call that changes it goes through one of these functions, which
// hand it to a CallLog (pyphys2d/_calls.py) when the world has one, and cost a look at a pointer
// otherwise.
//
// The rule of order: a log has a lock, which is taken before the gate. Python code (encoding of
// arguments, writing of the file) runs before a call only; behind it nothing is left but to append
// what was prepared, so that no signal and no failure comes between a change and its record.
#ifndef PH_PYTHON_CALL_LOG_H
#define PH_PYTHON_CALL_LOG_H

#include "python/core.h"
#include "world/spring_laws.h"

typedef PyObject *CoreFastMethod(PyObject *self, PyObject *const *args, Py_ssize_t count,
                                 PyObject *keywords);
typedef PyObject *CoreOneMethod(PyObject *self, PyObject *arg); // or none, or a tuple

// A call that has begun.
typedef struct CoreLogged {
    PyObject *lock, *records; // NULL: it is not logged
    PyObject *values;         // tuple: the arguments that are to be taken
    PyObject *head;           // bytes of its record; NULL: it writes its own
} CoreLogged;

// Takes the lock. False with an exception: the call is not to be made.
bool core_log_begin(WorldObject *world, CoreLogged *call, PyObject *self, const char *name,
                    PyObject *const *values, Py_ssize_t count, PyObject *keywords);
// Appends the record when result is not NULL (handles in it are recorded by their ids), and leaves
// the lock. Gives the result back, or NULL with an exception.
PyObject *core_log_end(WorldObject *world, CoreLogged *call, PyObject *result);

PyObject *core_log_fast(WorldObject *world, CoreFastMethod *method, const char *name,
                        PyObject *self, PyObject *const *args, Py_ssize_t count,
                        PyObject *keywords);
PyObject *core_log_one(WorldObject *world, CoreOneMethod *method, const char *name, PyObject *self,
                       PyObject *arg);
PyObject *core_log_tuple(WorldObject *world, CoreOneMethod *method, const char *name,
                         PyObject *self, PyObject *args);
// `logged` is the function in the type's table, by which the name of the attribute is found.
int core_log_set(WorldObject *world, setter method, setter logged, PyObject *self, PyObject *value,
                 void *closure);

#define CORE_WORLD_ITSELF(object) ((WorldObject *)(object))
#define CORE_WORLD_OF_HANDLE(object) (((HandleObject *)(object))->world)

// function_logged for the tables of types.
#define CORE_LOGGED_FAST(function, name, world_of)                                                 \
    static PyObject *function##_logged(PyObject *self, PyObject *const *args, Py_ssize_t count,    \
                                       PyObject *keywords) {                                       \
        WorldObject *world = world_of(self);                                                       \
        return world->log.object == NULL                                                           \
                   ? function(self, args, count, keywords)                                         \
                   : core_log_fast(world, function, name, self, args, count, keywords);            \
    }
#define CORE_LOGGED_ONE(function, name, world_of)                                                  \
    static PyObject *function##_logged(PyObject *self, PyObject *arg) {                            \
        WorldObject *world = world_of(self);                                                       \
        return world->log.object == NULL ? function(self, arg)                                     \
                                         : core_log_one(world, function, name, self, arg);         \
    }
#define CORE_LOGGED_SET(function, world_of)                                                        \
    static int function##_logged(PyObject *self, PyObject *value, void *closure) {                 \
        WorldObject *world = world_of(self);                                                       \
        return world->log.object == NULL || value == NULL                                          \
                   ? function(self, value, closure)                                                \
                   : core_log_set(world, function, function##_logged, self, value, closure);       \
    }

// ------------------------------------------------------------------------------------------------
// steps, from inside the gate

// Before each: what was written to the live arrays is recorded, and the file written when it is
// time. False with an exception.
bool core_log_before_step(WorldObject *world);
// What the pre-solve hook did to the rows. False with an exception.
bool core_log_pre_solve(WorldObject *world, const PhPreSolveRow *before, const PhPreSolveRow *after,
                        uint32_t count);
// What the pair filter has said. It stays where the step is not made, as the answers do. False with
// an exception.
bool core_log_pair_filter(WorldObject *world, const PhFilterRow *rows, const uint8_t *allowed,
                          uint32_t count);
// The forces that a law of springs has given in this step. False with an exception.
bool core_log_spring_law(WorldObject *world, const PhSpringLaw *law);
// A step that was made; hooked: with a pre-solve hook. Leaves a pending exception as it is.
void core_log_step(WorldObject *world, double dt, bool hooked);

// ------------------------------------------------------------------------------------------------
// live arrays (world_views.c)

// A copy of the live arrays, if they may be written to: what they are compared with. False with
// MemoryError. Inside the gate.
bool core_log_keep(WorldObject *world);

// ------------------------------------------------------------------------------------------------
// life

void core_log_drop(WorldObject *world);
int core_log_traverse(WorldObject *world, visitproc visit, void *arg);

#endif

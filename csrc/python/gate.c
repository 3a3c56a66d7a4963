// The gate of a world: a lock of the system, because a step runs without the GIL.
//
// Invariant: gate.owner is the thread state that holds gate.lock, and 0 if none does. A thread that
// finds its own number there is re-entering (from a signal handler or a hook inside a step) and
// must not wait for itself. Python never reuses the numbers of its thread states, unlike those of
// threads.
//
// While a step calls a hook, the gate is *lent*. The stepping thread still holds it, so others
// wait, but may enter it again, once at a time, as if it were free.
//
// While on_pre_solve runs, in the middle of a step, the gate is *shown*. The stepping thread may
// enter it to read, and no Python code runs until it has left.
//
// A fork copies a lock that is held, but not the thread that would release it. gate.forks reveals
// that.
#include "python/core.h"

#ifndef _WIN32
#include <pthread.h>
#endif

// How often a waiting thread checks for signals, in microseconds.
#define WAIT_MICROSECONDS 50000

// Forks between the first process and this one.
static atomic_ulong fork_count;

#ifndef _WIN32
static void count_fork(void) {
    atomic_fetch_add(&fork_count, 1);
}
#endif

bool core_gate_register(void) {
#ifndef _WIN32
    // Registering again for a second copy of the module does no harm.
    if (pthread_atfork(NULL, NULL, count_fork) != 0) {
        PyErr_NoMemory();
        return false;
    }
#endif
    return true;
}

unsigned long core_gate_forks(void) {
    return atomic_load_explicit(&fork_count, memory_order_relaxed);
}

static uint64_t this_thread(void) {
    return PyThreadState_GetID(PyThreadState_Get());
}

bool core_gate_init(CoreGate *gate) {
    gate->lock = PyThread_allocate_lock();
    atomic_init(&gate->owner, 0);
    gate->forks = atomic_load(&fork_count);
    if (gate->lock == NULL) {
        PyErr_NoMemory();
    }
    return gate->lock != NULL;
}

void core_gate_move(CoreGate *to, CoreGate *from) {
    to->lock = from->lock;
    atomic_init(&to->owner, 0);
    to->forks = from->forks;
    to->lent = to->borrowed = to->shown = to->glanced = false;
    from->lock = NULL;
}

void core_gate_free(CoreGate *gate) {
    if (gate->lock != NULL) {
        PyThread_free_lock(gate->lock);
        gate->lock = NULL;
    }
}

static bool is_finalizing(void) {
#if PY_VERSION_HEX >= 0x030D0000
    return Py_IsFinalizing() != 0;
#else
    return _Py_IsFinalizing() != 0;
#endif
}

// Whether the thread inside will ever leave. A signal handler may fork, so this is asked each time.
static bool check_holder(const CoreGate *gate) {
    if (gate->forks != atomic_load(&fork_count)) {
        PyErr_SetString(PyExc_RuntimeError,
                        "the world was being used by another thread when the process forked; its "
                        "state is unusable here");
        return false;
    }
    if (is_finalizing()) { // other threads no longer run Python
        PyErr_SetString(PyExc_RuntimeError,
                        "the world was being used by another thread when Python shut down");
        return false;
    }
    return true;
}

static bool wait_for_gate(CoreGate *gate) {
    while (check_holder(gate)) {
        PyLockStatus status;
        Py_BEGIN_ALLOW_THREADS status =
            PyThread_acquire_lock_timed(gate->lock, WAIT_MICROSECONDS, 1);
        Py_END_ALLOW_THREADS if (status == PY_LOCK_ACQUIRED) {
            return true;
        }
        if (PyErr_CheckSignals() < 0) {
            return false;
        }
    }
    return false;
}

static bool owns(const CoreGate *gate) {
    return atomic_load_explicit(&gate->owner, memory_order_relaxed) == this_thread();
}

bool core_is_inside(const WorldObject *world) {
    return owns(&world->gate) && !world->gate.lent;
}

bool core_gate_orphaned(const CoreGate *gate) {
    return atomic_load_explicit(&gate->owner, memory_order_relaxed) != 0 &&
           gate->forks != atomic_load(&fork_count);
}

bool core_enter(WorldObject *world) {
    CoreGate *gate = &world->gate;
    if (!PyThread_acquire_lock(gate->lock, NOWAIT_LOCK)) {
        if (owns(gate) && gate->lent) {
            gate->lent = false;
            gate->borrowed = true;
            return true;
        }
        if (owns(gate)) {
            PyErr_SetString(core_error(world->core, ERROR_WORLD_LOCKED),
                            "the world cannot be used in the middle of its own step; do it in "
                            "on_force, or after the step");
            return false;
        }
        if (!wait_for_gate(gate)) {
            return false;
        }
    }
    atomic_store_explicit(&gate->owner, this_thread(), memory_order_relaxed);
    gate->forks = atomic_load_explicit(&fork_count, memory_order_relaxed);
    return true;
}

bool core_enter_to_read(WorldObject *world) {
    CoreGate *gate = &world->gate;
    if (owns(gate) && gate->shown) {
        gate->shown = false;
        gate->glanced = true;
        return true;
    }
    return core_enter(world);
}

void core_leave(WorldObject *world) {
    CoreGate *gate = &world->gate;
    if (gate->glanced) {
        gate->glanced = false;
        gate->shown = true;
        return;
    }
    if (gate->borrowed) {
        gate->borrowed = false;
        gate->lent = true;
        return;
    }
    atomic_store_explicit(&gate->owner, 0, memory_order_relaxed);
    PyThread_release_lock(gate->lock);
}

bool core_enter_to_step(WorldObject *world) {
    if (!core_enter_to_change(world)) {
        return false;
    }
    world->changes -= 1; // the changes of a step do not count
    if (world->gate.borrowed) {
        core_leave(world);
        PyErr_SetString(core_error(world->core, ERROR_WORLD_LOCKED),
                        "world: a hook cannot step its own world; do it after the step");
        return false;
    }
    return true;
}

bool core_call_hook(WorldObject *world, PyObject *hook) {
    Py_INCREF(hook); // the hook may replace itself
    world->gate.lent = true;
    PyObject *result = PyObject_CallOneArg(hook, (PyObject *)world);
    bool ok = result != NULL;
    Py_XDECREF(result); // may run Python code, as the call did
    Py_DECREF(hook);
    world->gate.lent = false;
    return ok;
}

PyObject *core_call_shown(WorldObject *world, PyObject *hook, PyObject *const *args, size_t count) {
    world->gate.shown = true;
    PyObject *result = PyObject_Vectorcall(hook, args, count, NULL);
    world->gate.shown = false;
    return result;
}

bool core_enter_to_change(WorldObject *world) {
    if (!core_enter(world)) {
        return false;
    }
    if (world->stages != NULL) {
        core_leave(world);
        PyErr_SetString(core_error(world->core, ERROR_WORLD_LOCKED),
                        "world: locked by stages(); finish or close() it first");
        return false;
    }
    world->changes += 1;
    return true;
}

// ------------------------------------------------------------------------------------------------
// handles

typedef bool Valid(const PhWorld *world, PhId id);

static Valid *const valid[] = {[HANDLE_BODY] = ph_body_valid,
                               [HANDLE_COLLIDER] = ph_collider_valid,
                               [HANDLE_JOINT] = ph_joint_valid,
                               [HANDLE_FIELD] = ph_field_valid};

HandleKind core_handle_kind(const HandleObject *handle) {
    const CoreState *core = handle->world->core;
    PyObject *object = (PyObject *)(uintptr_t)handle;
    return Py_IS_TYPE(object, core->type[TYPE_BODY])       ? HANDLE_BODY
           : Py_IS_TYPE(object, core->type[TYPE_COLLIDER]) ? HANDLE_COLLIDER
           : core_is_joint(core, object)                   ? HANDLE_JOINT
                                                           : HANDLE_FIELD;
}

// Inside the gate, which is left if the object is gone.
static bool check_alive(HandleObject *handle, HandleKind kind) {
    if (!valid[kind](handle->world->world, handle->id)) {
        core_leave(handle->world);
        core_raise_removed(handle);
        return false;
    }
    return true;
}

bool core_enter_alive(HandleObject *handle, HandleKind kind) {
    return core_enter_to_read(handle->world) && check_alive(handle, kind);
}

bool core_enter_alive_between_steps(HandleObject *handle, HandleKind kind) {
    return core_enter(handle->world) && check_alive(handle, kind);
}

bool core_enter_alive_to_change(HandleObject *handle, HandleKind kind) {
    return core_enter_to_change(handle->world) && check_alive(handle, kind);
}

PyObject *core_handle_alive(PyObject *self, void *Py_UNUSED(closure)) {
    HandleObject *handle = (HandleObject *)self;
    if (!core_enter_to_read(handle->world)) {
        return NULL;
    }
    bool alive = valid[core_handle_kind(handle)](handle->world->world, handle->id);
    core_leave(handle->world);
    return PyBool_FromLong(alive);
}

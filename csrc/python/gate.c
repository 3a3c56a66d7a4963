// The gate of a world: one real lock, because a step runs without the GIL.
//
// Invariant: gate.owner is the thread that holds gate.lock, and 0 when nobody does. A thread that
// finds its own number there is re-entering (a signal handler or a hook inside a step) and must not
// wait for itself.
#include "python/core.h"

// How often a waiting thread looks for signals, in microseconds.
#define WAIT_MICROSECONDS 50000

bool core_gate_init(CoreGate *gate) {
    gate->lock = PyThread_allocate_lock();
    atomic_init(&gate->owner, 0);
    if (gate->lock == NULL) {
        PyErr_NoMemory();
    }
    return gate->lock != NULL;
}

void core_gate_free(CoreGate *gate) {
    if (gate->lock != NULL) {
        PyThread_free_lock(gate->lock);
        gate->lock = NULL;
    }
}

static bool wait_for_gate(CoreGate *gate) {
    for (;;) {
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
}

bool core_is_inside(const WorldObject *world) {
    return atomic_load_explicit(&world->gate.owner, memory_order_relaxed) ==
           PyThread_get_thread_ident();
}

bool core_enter(WorldObject *world) {
    CoreGate *gate = &world->gate;
    if (!PyThread_acquire_lock(gate->lock, NOWAIT_LOCK)) {
        if (core_is_inside(world)) {
            PyErr_SetString(world->core->error[ERROR_WORLD_LOCKED],
                            "the world cannot be used from inside its own step");
            return false;
        }
        if (!wait_for_gate(gate)) {
            return false;
        }
    }
    atomic_store_explicit(&gate->owner, PyThread_get_thread_ident(), memory_order_relaxed);
    return true;
}

void core_leave(WorldObject *world) {
    atomic_store_explicit(&world->gate.owner, 0, memory_order_relaxed);
    PyThread_release_lock(world->gate.lock);
}

bool core_enter_body(HandleObject *handle) {
    if (!core_enter(handle->world)) {
        return false;
    }
    if (!ph_body_valid(handle->world->world, handle->id)) {
        core_leave(handle->world);
        core_raise_removed(handle);
        return false;
    }
    return true;
}

bool core_enter_collider(HandleObject *handle) {
    if (!core_enter(handle->world)) {
        return false;
    }
    if (!ph_collider_valid(handle->world->world, handle->id)) {
        core_leave(handle->world);
        core_raise_removed(handle);
        return false;
    }
    return true;
}

// User data of bodies, colliders and joints: a dict for each kind, from ids to objects.
//
// Invariant: when a call of a world has ended, the dicts hold entries of living things only. They
// are written under the GIL; entries leave outside the gate, because what is dropped may run Python
// code.
#include "python/world_methods.h"

PyObject *core_get_user_data(PyObject *object, void *Py_UNUSED(closure)) {
    HandleObject *self = (HandleObject *)object;
    HandleKind kind = core_handle_kind(self);
    if (!core_enter_alive(self, kind)) {
        return NULL;
    }
    core_leave(self->world);
    return core_table_get(self->world->user_data[kind], self->id);
}

// Between steps alone, like all else that is written, and also while stages() lock the world.
int core_set_user_data(PyObject *object, PyObject *value, void *Py_UNUSED(closure)) {
    HandleObject *self = (HandleObject *)object;
    HandleKind kind = core_handle_kind(self);
    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError, "user_data cannot be deleted");
        return -1;
    }
    if (!core_enter_alive_between_steps(self, kind)) {
        return -1;
    }
    core_leave(self->world);
    return core_table_set(self->world->user_data[kind], self->id, value) ? 0 : -1;
}

// ------------------------------------------------------------------------------------------------
// what leaves

static bool has_data(const WorldObject *self, HandleKind kind) {
    PyObject *table = self->user_data[kind];
    return table != NULL && PyDict_GET_SIZE(table) > 0;
}

bool core_leavers_expect(const WorldObject *self, CoreLeavers *leavers, HandleKind kind, PhId id) {
    if (!has_data(self, kind)) {
        return true;
    }
    PyObject *key = core_table_key(id);
    if (key == NULL || PyDict_Contains(self->user_data[kind], key) != 1) {
        Py_XDECREF(key);
        return key != NULL;
    }
    if (leavers->count == leavers->room) {
        Py_ssize_t room = 2 * leavers->room + 8;
        CoreLeaver *items = PyMem_Realloc(leavers->items, (size_t)room * sizeof *items);
        if (items == NULL) {
            Py_DECREF(key);
            PyErr_NoMemory();
            return false;
        }
        leavers->items = items;
        leavers->room = room;
    }
    leavers->items[leavers->count++] = (CoreLeaver){kind, key};
    return true;
}

bool core_leavers_expect_joint(const WorldObject *self, CoreLeavers *leavers, PhId id) {
    leavers->more = leavers->more || ph_joint_get(self->world, id.index)->gears > 0;
    return core_leavers_expect(self, leavers, HANDLE_JOINT, id);
}

bool core_leavers_expect_body(const WorldObject *self, CoreLeavers *leavers, PhId id) {
    const PhWorld *world = self->world;
    bool ok = core_leavers_expect(self, leavers, HANDLE_BODY, id);
    for (uint32_t c = ph_body_first_collider(world, id.index);
         ok && c != PH_NULL && has_data(self, HANDLE_COLLIDER); c = ph_collider_next(world, c)) {
        ok = core_leavers_expect(self, leavers, HANDLE_COLLIDER, ph_collider_id(world, c));
    }
    for (uint32_t end = ph_body_first_joint(world, id.index);
         ok && end != PH_NULL && has_data(self, HANDLE_JOINT); end = ph_joint_next(world, end)) {
        ok = core_leavers_expect_joint(self, leavers, ph_joint_id(world, end / 2));
    }
    return ok;
}

void core_leavers_find(WorldObject *self, CoreLeavers *leavers) {
    static bool (*const valid[])(const PhWorld *, PhId) = {[HANDLE_BODY] = ph_body_valid,
                                                           [HANDLE_COLLIDER] = ph_collider_valid,
                                                           [HANDLE_JOINT] = ph_joint_valid};
    Py_ssize_t most = 0, count = 0, place = 0;
    for (int kind = 0; kind < CORE_DATA_KINDS; ++kind) {
        most += has_data(self, (HandleKind)kind) ? PyDict_GET_SIZE(self->user_data[kind]) : 0;
    }
    self->strangers = most > 0;
    CoreLeaver *items = most > 0 ? PyMem_New(CoreLeaver, (size_t)most) : NULL;
    if (items == NULL) {
        return; // the next step tries again
    }
    for (int kind = 0; kind < CORE_DATA_KINDS; ++kind, place = 0) {
        PyObject *key, *value;
        while (has_data(self, (HandleKind)kind) &&
               PyDict_Next(self->user_data[kind], &place, &key, &value)) {
            uint64_t number = PyLong_AsUnsignedLongLong(key);
            PhId id = {(uint32_t)number, (uint32_t)(number >> 32)};
            if (!valid[kind](self->world, id)) {
                items[count++] = (CoreLeaver){(HandleKind)kind, Py_NewRef(key)};
            }
        }
    }
    for (Py_ssize_t i = 0; i < leavers->count; ++i) {
        Py_DECREF(leavers->items[i].key); // a number: no Python code runs
    }
    PyMem_Free(leavers->items);
    *leavers = (CoreLeavers){items, count, most, false};
    self->strangers = false;
}

void core_leavers_find_broken(WorldObject *self, CoreLeavers *leavers) {
    bool broken =
        has_data(self, HANDLE_JOINT) && ph_world_events(self->world).joint_break_count > 0;
    if (broken || self->strangers) {
        core_leavers_find(self, leavers);
    }
}

void core_leavers_go(WorldObject *self, CoreLeavers *leavers) {
    if (leavers->count > 0) {
        PyObject *type, *value, *traceback; // a call may have failed
        PyErr_Fetch(&type, &value, &traceback);
        for (Py_ssize_t i = 0; i < leavers->count; ++i) {
            core_table_drop(self->user_data[leavers->items[i].kind], leavers->items[i].key);
        }
        PyErr_Restore(type, value, traceback);
    }
    core_leavers_stay(leavers);
}

void core_leavers_stay(CoreLeavers *leavers) {
    for (Py_ssize_t i = 0; i < leavers->count; ++i) {
        Py_DECREF(leavers->items[i].key);
    }
    PyMem_Free(leavers->items);
    *leavers = (CoreLeavers){0};
}

// Removing: one thing, or many of them, all or none.
#include "python/convert.h"
#include "python/world_methods.h"

const char core_world_remove_doc[] =
    "remove($self, object_or_objects, /)\n--\n\n"
    "Remove a body (with its colliders and joints), a collider, a joint or a field, or many of\n"
    "them: all or none.\n\n"
    "A body's slot may be given to a later one; until then its rows are NaN.\n\n"
    "Parameters\n----------\n"
    "object_or_objects : Body, Collider, Joint, field, or iterable of these and of slots\n"
    "    An integer is the slot of a body, so that an array of slots removes these bodies.\n\n"
    "Raises\n------\n"
    "RemovedError\n    When one has been removed already, or a slot holds no body.\n"
    "ValueError\n    When one belongs to another world.\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> slots = world.add_bodies(Circle(0.5), [(0, 0), (2, 0), (4, 0)])\n"
    ">>> world.remove(slots[world.positions[slots, 0] > 1])\n"
    ">>> len(world.bodies)\n"
    "1";

static bool is_removable(const CoreState *core, PyObject *object) {
    return Py_IS_TYPE(object, core->type[TYPE_BODY]) ||
           Py_IS_TYPE(object, core->type[TYPE_COLLIDER]) || core_is_joint(core, object) ||
           core_is_field(core, object);
}

static PyObject *remove_one(WorldObject *self, HandleObject *handle) {
    static PhStatus (*const destroy[])(PhWorld *, PhId,
                                       PhError *) = {[HANDLE_BODY] = ph_body_destroy,
                                                     [HANDLE_COLLIDER] = ph_collider_destroy,
                                                     [HANDLE_JOINT] = ph_joint_destroy,
                                                     [HANDLE_FIELD] = ph_field_destroy};
    if (handle->world != self) {
        return PyErr_Format(PyExc_ValueError, "object: %R belongs to another world", handle);
    }
    HandleKind kind = core_handle_kind(handle);
    PyObject *key = core_table_key(handle->id);
    if (key == NULL || !core_enter_alive_to_change(handle, kind)) {
        Py_XDECREF(key);
        return NULL;
    }
    CoreLeavers leavers = {0};
    PhId id = handle->id;
    bool tabled = kind == HANDLE_BODY ? core_leavers_expect_body(self, &leavers, id)
                  : kind == HANDLE_COLLIDER
                      ? core_leavers_expect(self, &leavers, HANDLE_COLLIDER, id)
                  : kind == HANDLE_JOINT ? core_leavers_expect_joint(self, &leavers, id)
                                         : true;
    PhError error = {.status = PH_OK};
    PhStatus status = tabled ? destroy[kind](self->world, id, &error) : PH_OK;
    bool gone = tabled && status == PH_OK;
    if (gone && leavers.more) {
        core_leavers_find(self, &leavers);
    }
    core_leave(self);
    if (gone) {
        if (kind == HANDLE_BODY) {
            core_table_drop(self->names, key);
        }
        core_leavers_go(self, &leavers);
    } else {
        core_leavers_stay(&leavers);
    }
    Py_DECREF(key);
    if (status != PH_OK) {
        return core_raise(self->core, &error);
    }
    if (!tabled) {
        return NULL;
    }
    Py_RETURN_NONE;
}

// What many of them are: ids, and of which kind. Slots have no generation yet.
typedef struct Leaver {
    PhId id;
    HandleKind kind;
    bool by_slot;
} Leaver;
typedef struct Leavers {
    Leaver *items;
    PhId *bodies;
    PyObject **keys; // of bodies in the tables
    Py_ssize_t count, body_count;
} Leavers;

static void free_leavers(Leavers *leavers) {
    for (Py_ssize_t i = 0; leavers->keys != NULL && i < leavers->body_count; ++i) {
        Py_XDECREF(leavers->keys[i]);
    }
    PyMem_Free(leavers->items);
    PyMem_Free(leavers->bodies);
    PyMem_Free(leavers->keys);
}

static bool make_room(Leavers *leavers, Py_ssize_t count) {
    *leavers = (Leavers){.items = PyMem_New(Leaver, (size_t)count + 1),
                         .bodies = PyMem_New(PhId, (size_t)count + 1),
                         .keys = PyMem_New(PyObject *, (size_t)count + 1)};
    bool ok = leavers->items != NULL && leavers->bodies != NULL && leavers->keys != NULL;
    if (!ok) {
        PyErr_NoMemory();
    }
    return ok;
}

static bool add_slot(Leavers *leavers, long long slot) {
    if (slot < 0 || slot > UINT32_MAX - 1) {
        PyErr_Format(PyExc_ValueError,
                     "object_or_objects[%zd]: must be the slot of a body, got %lld", leavers->count,
                     slot);
        return false;
    }
    leavers->items[leavers->count++] = (Leaver){{(uint32_t)slot, 0}, HANDLE_BODY, true};
    return true;
}

static bool add_leaver(WorldObject *self, Leavers *leavers, PyObject *item) {
    if (PyIndex_Check(item) && !PyBool_Check(item) && !PyArray_Check(item)) {
        long long slot = -1;
        char name[48];
        PyOS_snprintf(name, sizeof name, "object_or_objects[%zd]", leavers->count);
        return core_to_integer(item, name, 0, UINT32_MAX - 1, &slot) && add_slot(leavers, slot);
    }
    if (!is_removable(self->core, item)) {
        PyErr_Format(PyExc_TypeError,
                     "object_or_objects[%zd]: must be a Body, a Collider, a Joint, a field or the "
                     "slot of a body, got %.100s",
                     leavers->count, Py_TYPE(item)->tp_name);
        return false;
    }
    HandleObject *handle = (HandleObject *)item;
    if (handle->world != self) {
        PyErr_Format(PyExc_ValueError, "object_or_objects[%zd]: %R belongs to another world",
                     leavers->count, item);
        return false;
    }
    leavers->items[leavers->count++] = (Leaver){handle->id, core_handle_kind(handle), false};
    return true;
}

static bool read_array(Leavers *leavers, PyArrayObject *array) {
    int type = PyArray_TYPE(array);
    if (PyArray_SIZE(array) == 0) {
        return make_room(leavers, 0);
    }
    if (PyTypeNum_ISBOOL(type) || !PyTypeNum_ISINTEGER(type) || PyArray_NDIM(array) != 1) {
        PyErr_Format(PyExc_TypeError,
                     "object_or_objects: an array must be one of slots, of integers and shape "
                     "(n,)%s",
                     PyTypeNum_ISBOOL(type) ? "; of a mask, np.flatnonzero(mask) are the slots"
                                            : "");
        return false;
    }
    PyArrayObject *slots = (PyArrayObject *)PyArray_FROMANY(
        (PyObject *)array, NPY_INT64, 1, 1,
        NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_FORCECAST | NPY_ARRAY_ENSURECOPY);
    bool ok = slots != NULL && make_room(leavers, PyArray_SIZE(slots));
    for (npy_intp i = 0; ok && i < PyArray_SIZE(slots); ++i) {
        ok = add_slot(leavers, ((const int64_t *)PyArray_DATA(slots))[i]);
    }
    Py_XDECREF(slots);
    return ok;
}

static bool read_leavers(WorldObject *self, Leavers *leavers, PyObject *arg) {
    if (PyArray_Check(arg)) {
        return read_array(leavers, (PyArrayObject *)arg);
    }
    PyObject *items = PySequence_Tuple(arg);
    bool ok = items != NULL && make_room(leavers, PyTuple_GET_SIZE(items));
    for (Py_ssize_t i = 0; ok && i < PyTuple_GET_SIZE(items); ++i) {
        ok = (i % 4096 != 4095 || PyErr_CheckSignals() == 0) &&
             add_leaver(self, leavers, PyTuple_GET_ITEM(items, i));
    }
    Py_XDECREF(items);
    return ok;
}

// Inside the gate. The first that is not there; count if all are. Slots get their generations.
static Py_ssize_t find_missing(const PhWorld *world, Leavers *leavers) {
    for (Py_ssize_t i = 0; i < leavers->count; ++i) {
        Leaver *item = &leavers->items[i];
        bool there = false;
        if (item->by_slot && ph_slot_alive(world, item->id.index)) {
            item->id = ph_body_id(world, item->id.index);
        }
        switch (item->kind) {
        case HANDLE_BODY:
            there = ph_body_valid(world, item->id);
            leavers->bodies[leavers->body_count] = item->id;
            leavers->keys[leavers->body_count++] = NULL;
            break;
        case HANDLE_COLLIDER:
            there = ph_collider_valid(world, item->id);
            break;
        case HANDLE_JOINT:
            there = ph_joint_valid(world, item->id);
            break;
        case HANDLE_FIELD:
            there = ph_field_valid(world, item->id);
            break;
        }
        if (!there) {
            return i;
        }
    }
    return leavers->count;
}

// What goes with another, or was given twice, is gone when its turn comes.
static PhStatus remove_all(PhWorld *world, const Leavers *leavers, PhError *error) {
    PhStatus status =
        ph_bodies_destroy(world, leavers->bodies, (uint32_t)leavers->body_count, error);
    for (Py_ssize_t i = 0; status == PH_OK && i < leavers->count; ++i) {
        PhId id = leavers->items[i].id;
        if (leavers->items[i].kind == HANDLE_COLLIDER && ph_collider_valid(world, id)) {
            (void)ph_collider_destroy(world, id, NULL);
        } else if (leavers->items[i].kind == HANDLE_JOINT && ph_joint_valid(world, id)) {
            (void)ph_joint_destroy(world, id, NULL);
        } else if (leavers->items[i].kind == HANDLE_FIELD && ph_field_valid(world, id)) {
            (void)ph_field_destroy(world, id, NULL);
        }
    }
    return status;
}

static PyObject *remove_many(WorldObject *self, Leavers *leavers) {
    if (!core_enter_to_change(self)) {
        return NULL;
    }
    Py_ssize_t missing = find_missing(self->world, leavers);
    bool all = missing == leavers->count, tabled = true;
    bool named = PyDict_GET_SIZE(self->names) > 0;
    for (Py_ssize_t i = 0; all && named && tabled && i < leavers->body_count; ++i) {
        leavers->keys[i] = core_table_key(leavers->bodies[i]);
        tabled = leavers->keys[i] != NULL;
    }
    PhError error;
    PhStatus status = all && tabled ? remove_all(self->world, leavers, &error) : PH_OK;
    CoreLeavers entries = {0};
    if (all && tabled && status == PH_OK) {
        core_leavers_find(self, &entries);
    }
    core_leave(self);
    core_leavers_go(self, &entries);
    if (!all) {
        const Leaver *item = &leavers->items[missing];
        return PyErr_Format(core_error(self->core, ERROR_REMOVED),
                            item->by_slot ? "object_or_objects[%zd]: slot %lu holds no body"
                                          : "object_or_objects[%zd]: number %lu has been removed",
                            missing, (unsigned long)item->id.index);
    }
    if (!tabled) {
        return NULL;
    }
    if (status != PH_OK) {
        return core_raise(self->core, &error);
    }
    for (Py_ssize_t i = 0; named && i < leavers->body_count; ++i) {
        core_table_drop(self->names, leavers->keys[i]);
    }
    Py_RETURN_NONE;
}

PyObject *core_world_remove(PyObject *object, PyObject *arg) {
    WorldObject *self = (WorldObject *)object;
    if (is_removable(self->core, arg)) {
        return remove_one(self, (HandleObject *)arg);
    }
    bool text = PyUnicode_Check(arg) || PyBytes_Check(arg);
    bool many = PyArray_Check(arg) || (!text && !PyDict_Check(arg) &&
                                       (Py_TYPE(arg)->tp_iter != NULL || PySequence_Check(arg)));
    if (!many) {
        return PyErr_Format(PyExc_TypeError,
                            "object_or_objects: must be a Body, a Collider, a Joint, a field or "
                            "several of these, got %.100s%s",
                            Py_TYPE(arg)->tp_name,
                            PyIndex_Check(arg) ? "; the body of a slot is world.bodies[slot]"
                            : text             ? "; the body of a name is world.bodies[name]"
                            : Py_IS_TYPE(arg, self->core->type[TYPE_SPRING_LAW])
                                ? "; law.remove() ends a law"
                                : "");
    }
    Leavers leavers = {0};
    PyObject *result = read_leavers(self, &leavers, arg) ? remove_many(self, &leavers) : NULL;
    free_leavers(&leavers);
    return result;
}

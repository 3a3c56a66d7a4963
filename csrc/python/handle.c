// What Body and Collider share: a world, an id with a generation, identity and comparison.
//
// Invariant: a handle never keeps its object alive; every use asks the world whether the id is
// still valid.
#include "python/core.h"

PyObject *core_handle(WorldObject *world, CoreType which, PhId id) {
    PyTypeObject *type = core_type(world->core, which);
    HandleObject *self = type != NULL ? (HandleObject *)type->tp_alloc(type, 0) : NULL;
    if (self != NULL) {
        self->world = (WorldObject *)Py_NewRef((PyObject *)world);
        self->id = id;
    }
    return (PyObject *)self;
}

PyObject *core_handle_blank(WorldObject *world, CoreType which) {
    return core_handle(world, which, (PhId){PH_NULL, 0});
}

PyObject *core_handle_list(WorldObject *world, CoreType type, const PhId *ids, Py_ssize_t count) {
    PyObject *list = PyList_New(count);
    for (Py_ssize_t i = 0; list != NULL && i < count; ++i) {
        // Very many take a while.
        bool stopped = i % 4096 == 4095 && PyErr_CheckSignals() < 0;
        PyObject *handle = stopped ? NULL : core_handle(world, type, ids[i]);
        if (handle == NULL) {
            Py_CLEAR(list);
        } else {
            PyList_SET_ITEM(list, i, handle);
        }
    }
    return list;
}

PyObject *core_handle_compare(PyObject *a, PyObject *b, int op) {
    if ((op != Py_EQ && op != Py_NE) || !Py_IS_TYPE(b, Py_TYPE(a))) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    const HandleObject *x = (HandleObject *)a, *y = (HandleObject *)b;
    bool equal = x->world == y->world && core_id_number(x->id) == core_id_number(y->id);
    return PyBool_FromLong(equal == (op == Py_EQ));
}

Py_hash_t core_handle_hash(PyObject *object) {
    const HandleObject *self = (HandleObject *)object;
    uint64_t bits =
        (uint64_t)(uintptr_t)self->world / 16 + core_id_number(self->id) * 0x9E3779B97F4A7C15u;
    Py_hash_t hash = (Py_hash_t)(bits ^ bits >> 32);
    return hash == -1 ? -2 : hash;
}

int core_handle_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((HandleObject *)object)->world);
    return 0;
}

// No tp_clear: a handle without its world would be a trap, and the world breaks every cycle by
// clearing its tables.
void core_handle_dealloc(PyObject *object) {
    HandleObject *self = (HandleObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    PyObject_ClearWeakRefs(object);
    Py_XDECREF(self->world);
    type->tp_free(object);
    Py_DECREF(type);
}

PyObject *core_handle_index(PyObject *self, void *Py_UNUSED(closure)) {
    return PyLong_FromUnsignedLong(((HandleObject *)self)->id.index);
}

PyObject *core_handle_id(PyObject *self, void *Py_UNUSED(closure)) {
    return PyLong_FromUnsignedLongLong(core_id_number(((HandleObject *)self)->id));
}

PyObject *core_handle_world(PyObject *self, void *Py_UNUSED(closure)) {
    return Py_NewRef((PyObject *)((HandleObject *)self)->world);
}

PyMemberDef core_handle_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(HandleObject, weak_references), READONLY, NULL},
    {0},
};

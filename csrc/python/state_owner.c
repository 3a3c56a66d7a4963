// StateOwner: the base object of the live views. It keeps the memory of the arrays alive and
// nothing else: arrays are not tracked by the garbage collector, so a base that referred to the
// World would keep it for ever.
#include "python/core.h"

StateOwnerObject *core_state_owner(const CoreState *core, PhState *state) {
    PyTypeObject *type = core_type(core, TYPE_STATE_OWNER);
    StateOwnerObject *self = type != NULL ? (StateOwnerObject *)type->tp_alloc(type, 0) : NULL;
    if (self != NULL) {
        ph_state_retain(state);
        self->state = state;
    }
    return self;
}

static void owner_dealloc(PyObject *object) {
    StateOwnerObject *self = (StateOwnerObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    if (self->state != NULL) {
        ph_state_release(self->state);
    }
    type->tp_free(object);
    Py_DECREF(type);
}

static int owner_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    return 0;
}

static PyType_Slot owner_slots[] = {
    {Py_tp_dealloc, owner_dealloc},
    {Py_tp_traverse, owner_traverse},
    {Py_tp_doc, (void *)PyDoc_STR("Memory of a world's live arrays; the base of the views.")},
    {0, NULL},
};

PyType_Spec core_state_owner_spec = {
    .name = "pyphys2d._core.StateOwner",
    .basicsize = sizeof(StateOwnerObject),
    .flags = CORE_HANDLE_FLAGS,
    .slots = owner_slots,
};

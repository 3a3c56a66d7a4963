// World.bodies, World.colliders and World.joints: live collections of handles, and their iterator.
// One layout; a type adds its documentation. A collection copies nothing: it looks at the world
// each time.
#include "python/convert.h"

typedef struct CollectionObject {
    PyObject_HEAD WorldObject *world;
} CollectionObject;

typedef struct IteratorObject {
    PyObject_HEAD CollectionObject *collection; // NULL when exhausted
    uint32_t next;
} IteratorObject;

static CollectionObject *collection_of(PyObject *object) {
    return (CollectionObject *)object;
}

PyObject *core_collection(WorldObject *world, CoreType which) {
    PyTypeObject *type = core_type(world->core, which);
    CollectionObject *self = type != NULL ? (CollectionObject *)type->tp_alloc(type, 0) : NULL;
    if (self != NULL) {
        self->world = (WorldObject *)Py_NewRef((PyObject *)world);
    }
    return (PyObject *)self;
}

// The type of the members: TYPE_BODY, TYPE_COLLIDER, or TYPE_COUNT for joints, of which there are
// none yet.
static CoreType member_type(const CollectionObject *self) {
    const CoreState *core = self->world->core;
    PyTypeObject *type = Py_TYPE((PyObject *)(uintptr_t)self);
    return type == core->type[TYPE_BODIES]      ? TYPE_BODY
           : type == core->type[TYPE_COLLIDERS] ? TYPE_COLLIDER
                                                : TYPE_COUNT;
}

// Inside the gate: numbers are below this.
static uint32_t limit_of(const CollectionObject *self) {
    const PhWorld *world = self->world->world;
    CoreType type = member_type(self);
    return type == TYPE_BODY       ? ph_world_slot_count(world)
           : type == TYPE_COLLIDER ? ph_world_collider_limit(world)
                                   : 0;
}

// Inside the gate: whether something lives at an index below the limit.
static bool find(const CollectionObject *self, uint32_t index, PhId *id) {
    const PhWorld *world = self->world->world;
    bool body = member_type(self) == TYPE_BODY;
    if (!(body ? ph_slot_alive(world, index) : ph_collider_alive(world, index))) {
        return false;
    }
    *id = body ? ph_body_id(world, index) : ph_collider_id(world, index);
    return true;
}

static void collection_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    Py_XDECREF(collection_of(object)->world);
    type->tp_free(object);
    Py_DECREF(type);
}

static int collection_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(collection_of(object)->world);
    return 0;
}

static Py_ssize_t collection_length(PyObject *object) {
    CollectionObject *self = collection_of(object);
    if (!core_enter(self->world)) {
        return -1;
    }
    const PhWorld *world = self->world->world;
    CoreType type = member_type(self);
    uint32_t count = type == TYPE_BODY       ? ph_world_body_count(world)
                     : type == TYPE_COLLIDER ? ph_world_collider_count(world)
                                             : 0;
    core_leave(self->world);
    return count;
}

static PyObject *collection_item(PyObject *object, PyObject *key) {
    CollectionObject *self = collection_of(object);
    PyObject *index = PyNumber_Index(key);
    if (index == NULL) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Format(PyExc_TypeError, "index: must be an integer, got %.100s",
                         Py_TYPE(key)->tp_name);
        }
        return NULL;
    }
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(index, &overflow);
    Py_DECREF(index);
    if (!core_enter(self->world)) {
        return NULL;
    }
    PhId id;
    bool found = overflow == 0 && number >= 0 && number < limit_of(self) &&
                 find(self, (uint32_t)number, &id);
    core_leave(self->world);
    if (!found) {
        PyErr_SetObject(PyExc_KeyError, key);
        return NULL;
    }
    return core_handle(self->world, member_type(self), id);
}

static int collection_contains(PyObject *object, PyObject *member) {
    CollectionObject *self = collection_of(object);
    CoreType type = member_type(self);
    if (type == TYPE_COUNT || !Py_IS_TYPE(member, self->world->core->type[type]) ||
        ((HandleObject *)member)->world != self->world) {
        return 0;
    }
    if (!core_enter(self->world)) {
        return -1;
    }
    const PhWorld *world = self->world->world;
    PhId id = ((HandleObject *)member)->id;
    bool found = type == TYPE_BODY ? ph_body_valid(world, id) : ph_collider_valid(world, id);
    core_leave(self->world);
    return found;
}

static PyObject *collection_iter(PyObject *object) {
    PyTypeObject *type = core_type(collection_of(object)->world->core, TYPE_COLLECTION_ITERATOR);
    IteratorObject *iterator = type != NULL ? (IteratorObject *)type->tp_alloc(type, 0) : NULL;
    if (iterator != NULL) {
        iterator->collection = (CollectionObject *)Py_NewRef(object);
    }
    return (PyObject *)iterator;
}

static PyObject *collection_repr(PyObject *object) {
    CollectionObject *self = collection_of(object);
    const char *name = member_type(self) == TYPE_BODY       ? "bodies"
                       : member_type(self) == TYPE_COLLIDER ? "colliders"
                                                            : "joints";
    if (core_is_inside(self->world)) {
        return PyUnicode_FromFormat("<%s of a World inside its step>", name);
    }
    Py_ssize_t count = collection_length(object);
    return count < 0 ? NULL : PyUnicode_FromFormat("<%zd %s>", count, name);
}

#define COLLECTION(variable, type_name, doc)                                                       \
    static PyType_Slot variable##_slots[] = {                                                      \
        {Py_tp_dealloc, collection_dealloc},                                                       \
        {Py_tp_traverse, collection_traverse},                                                     \
        {Py_tp_repr, collection_repr},                                                             \
        {Py_tp_iter, collection_iter},                                                             \
        {Py_mp_length, collection_length},                                                         \
        {Py_mp_subscript, collection_item},                                                        \
        {Py_sq_contains, collection_contains},                                                     \
        {Py_tp_doc, (void *)PyDoc_STR(doc)},                                                       \
        {0, NULL},                                                                                 \
    };                                                                                             \
    PyType_Spec core_##variable##_spec = {                                                         \
        .name = "pyphys2d._core." type_name,                                                       \
        .basicsize = sizeof(CollectionObject),                                                     \
        .flags = CORE_HANDLE_FLAGS,                                                                \
        .slots = variable##_slots,                                                                 \
    }

COLLECTION(bodies, "Bodies",
           "Live collection of the bodies of a World.\n\nIterating goes over the living ones in "
           "slot order; [i] looks slot i up and raises KeyError\nwhen it is empty.");
COLLECTION(colliders, "Colliders",
           "Live collection of the colliders of a World.\n\nIterating goes by index; [i] raises "
           "KeyError when there is none.");
COLLECTION(joints, "Joints",
           "Live collection of the joints of a World.\n\nIterating goes by index; [i] raises "
           "KeyError when there is none.");

// ------------------------------------------------------------------------------------------
// iterator

static PyObject *iterator_next(PyObject *object) {
    IteratorObject *self = (IteratorObject *)object;
    CollectionObject *collection = self->collection;
    if (collection == NULL) {
        return NULL;
    }
    Py_INCREF(collection); // another thread may exhaust the iterator while this one waits
    if (!core_enter(collection->world)) {
        Py_DECREF(collection);
        return NULL;
    }
    uint32_t limit = limit_of(collection);
    PhId id;
    bool found = false;
    while (!found && self->next < limit) {
        found = find(collection, self->next++, &id);
    }
    core_leave(collection->world);
    PyObject *handle = NULL;
    if (found) {
        handle = core_handle(collection->world, member_type(collection), id);
    } else {
        Py_CLEAR(self->collection);
    }
    Py_DECREF(collection);
    return handle;
}

static void iterator_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    Py_CLEAR(((IteratorObject *)object)->collection);
    type->tp_free(object);
    Py_DECREF(type);
}

static int iterator_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((IteratorObject *)object)->collection);
    return 0;
}

static PyType_Slot iterator_slots[] = {
    {Py_tp_dealloc, iterator_dealloc},
    {Py_tp_traverse, iterator_traverse},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, iterator_next},
    {Py_tp_doc, (void *)PyDoc_STR("Iterator over a live collection.")},
    {0, NULL},
};

PyType_Spec core_collection_iterator_spec = {
    .name = "pyphys2d._core.CollectionIterator",
    .basicsize = sizeof(IteratorObject),
    .flags = CORE_HANDLE_FLAGS,
    .slots = iterator_slots,
};

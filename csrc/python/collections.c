// World.bodies, colliders, joints and fields: live collections of handles, and their iterator.
// One layout; a type adds its documentation. A collection copies nothing: it reads the world
// each time.
#include "python/convert.h"
#include "python/pictures.h"

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

// What a collection reads; one row each.
typedef struct Source {
    CoreType collection;
    const char *name, *one;
    uint32_t (*count)(const PhWorld *world);
    uint32_t (*limit)(const PhWorld *world); // indices are below this
    bool (*alive)(const PhWorld *world, uint32_t index);
    PhId (*id)(const PhWorld *world, uint32_t index);
    bool (*valid)(const PhWorld *world, PhId id);
    CoreType (*type)(const PhWorld *world, uint32_t index); // of a living member
} Source;

static CoreType body_type(const PhWorld *Py_UNUSED(world), uint32_t Py_UNUSED(index)) {
    return TYPE_BODY;
}
static CoreType collider_type(const PhWorld *Py_UNUSED(world), uint32_t Py_UNUSED(index)) {
    return TYPE_COLLIDER;
}
static CoreType field_type(const PhWorld *world, uint32_t index) {
    return core_field_type(ph_field_get(world, index).kind);
}
static CoreType joint_type(const PhWorld *world, uint32_t index) {
    return core_joint_type((PhJointKind)ph_joint_get(world, index)->kind);
}

static const Source sources[] = {
    {TYPE_BODIES, "bodies", "body", ph_world_body_count, ph_world_slot_count, ph_slot_alive,
     ph_body_id, ph_body_valid, body_type},
    {TYPE_COLLIDERS, "colliders", "collider", ph_world_collider_count, ph_world_collider_limit,
     ph_collider_alive, ph_collider_id, ph_collider_valid, collider_type},
    {TYPE_FIELDS, "fields", "field", ph_field_count, ph_field_limit, ph_field_alive, ph_field_id,
     ph_field_valid, field_type},
    {TYPE_JOINTS, "joints", "joint", ph_joint_count, ph_joint_limit, ph_joint_alive, ph_joint_id,
     ph_joint_valid, joint_type},
};
enum { SOURCE_COUNT = sizeof sources / sizeof sources[0] };

static const Source *source_of(const CollectionObject *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)(uintptr_t)self);
    int i = 0;
    while (i < SOURCE_COUNT - 1 && type != self->world->core->type[sources[i].collection]) {
        ++i;
    }
    return &sources[i];
}

// Inside the gate: whether something lives at an index below the limit.
static bool find(const CollectionObject *self, uint32_t index, PhId *id, CoreType *type) {
    const PhWorld *world = self->world->world;
    const Source *source = source_of(self);
    if (!source->alive(world, index)) {
        return false;
    }
    *id = source->id(world, index);
    *type = source->type(world, index);
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
    if (!core_enter_to_read(self->world)) {
        return -1;
    }
    uint32_t count = source_of(self)->count(self->world->world);
    core_leave(self->world);
    return count;
}

// Whether any body has the name.
static bool has_name(const CollectionObject *self, PyObject *name) {
    PyObject *key, *value, *names = self->world->names;
    for (Py_ssize_t position = 0; names != NULL && PyDict_Next(names, &position, &key, &value);) {
        if (PyUnicode_Compare(value, name) == 0) {
            return true;
        }
    }
    return false;
}

static PyObject *refuse_name(PyObject *names, PyObject *name) {
    PyObject *values = names != NULL ? PyDict_Values(names) : PyList_New(0);
    PyObject *there = values != NULL ? PyList_AsTuple(values) : NULL;
    Py_XDECREF(values);
    PyObject *hint =
        there != NULL ? core_hint("body_name", Py_BuildValue("(ON)", name, there)) : NULL;
    if (hint != NULL) {
        PyErr_Format(PyExc_KeyError, "bodies[%R]: no body has this name%U", name, hint);
        Py_DECREF(hint);
    }
    return NULL;
}

// The one body of that name.
static PyObject *body_of_name(CollectionObject *self, PyObject *name) {
    PyObject *key, *value, *found = NULL;
    Py_ssize_t position = 0, count = 0;
    PyObject *names = self->world->names;
    while (names != NULL && PyDict_Next(names, &position, &key, &value)) {
        if (PyUnicode_Compare(value, name) == 0) {
            found = key;
            ++count;
        }
    }
    if (count == 0) {
        return refuse_name(names, name);
    }
    if (count > 1) {
        return PyErr_Format(PyExc_KeyError,
                            "bodies[%R]: %zd bodies have this name; take them by "
                            "[b for b in world.bodies if b.name == %R]",
                            name, count, name);
    }
    unsigned long long number = PyLong_AsUnsignedLongLong(found);
    return core_handle(self->world, TYPE_BODY, (PhId){(uint32_t)number, (uint32_t)(number >> 32)});
}

// Why nothing is found there.
static void raise_missing(const CollectionObject *self, PyObject *key, bool negative,
                          uint32_t limit) {
    const Source *source = source_of(self);
    const char *place = source->collection == TYPE_BODIES ? "slot" : "index";
    if (negative) {
        PyErr_Format(PyExc_KeyError,
                     "%s[%R]: %s numbers begin at 0; the last one is "
                     "list(world.%s)[%R]",
                     source->name, key, place, source->name, key);
    } else if (limit == 0) {
        PyErr_Format(PyExc_KeyError, "%s[%R]: there are none", source->name, key);
    } else {
        PyErr_Format(PyExc_KeyError,
                     "%s[%R]: nothing has this %s; those in use are between 0 and %lu, see "
                     "[x.index for x in world.%s]",
                     source->name, key, place, (unsigned long)limit - 1, source->name);
    }
}

static PyObject *collection_item(PyObject *object, PyObject *key) {
    CollectionObject *self = collection_of(object);
    const Source *source = source_of(self);
    bool bodies = source->collection == TYPE_BODIES;
    if (bodies && PyUnicode_Check(key)) {
        return body_of_name(self, key);
    }
    PyObject *index = PyNumber_Index(key);
    if (index == NULL) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Format(PyExc_TypeError, "index: must be an integer%s, got %.100s%s%s%s",
                         bodies ? " or a name" : "", Py_TYPE(key)->tp_name,
                         PySlice_Check(key) ? "; slice list(world." : "",
                         PySlice_Check(key) ? source->name : "", PySlice_Check(key) ? ")" : "");
        }
        return NULL;
    }
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(index, &overflow);
    Py_DECREF(index);
    if (!core_enter_to_read(self->world)) {
        return NULL;
    }
    PhId id;
    CoreType type;
    uint32_t limit = source->limit(self->world->world);
    bool found =
        overflow == 0 && number >= 0 && number < limit && find(self, (uint32_t)number, &id, &type);
    core_leave(self->world);
    if (!found) {
        raise_missing(self, key, overflow < 0 || (overflow == 0 && number < 0), limit);
        return NULL;
    }
    return core_handle(self->world, type, id);
}

static int collection_contains(PyObject *object, PyObject *member) {
    CollectionObject *self = collection_of(object);
    const CoreState *core = self->world->core;
    const Source *source = source_of(self);
    if (source->collection == TYPE_BODIES && PyUnicode_Check(member)) {
        return has_name(self, member);
    }
    bool field = source->collection == TYPE_FIELDS && core_is_field(core, member);
    bool body = source->collection == TYPE_BODIES && Py_IS_TYPE(member, core->type[TYPE_BODY]);
    bool collider =
        source->collection == TYPE_COLLIDERS && Py_IS_TYPE(member, core->type[TYPE_COLLIDER]);
    bool joint = source->collection == TYPE_JOINTS && core_is_joint(core, member);
    if (!(field || body || collider || joint) || ((HandleObject *)member)->world != self->world) {
        return 0;
    }
    if (!core_enter_to_read(self->world)) {
        return -1;
    }
    bool found = source->valid(self->world->world, ((HandleObject *)member)->id);
    core_leave(self->world);
    return found;
}

static PyObject *collection_by_id(PyObject *object, PyObject *key) {
    CollectionObject *self = collection_of(object);
    uint64_t number;
    if (!core_to_id(key, &number)) {
        return NULL;
    }
    if (!core_enter_to_read(self->world)) {
        return NULL;
    }
    const PhWorld *world = self->world->world;
    const Source *source = source_of(self);
    PhId id = {(uint32_t)number, (uint32_t)(number >> 32)};
    CoreType type = TYPE_COUNT;
    bool found = id.index < source->limit(world) && source->valid(world, id) &&
                 find(self, id.index, &id, &type);
    core_leave(self->world);
    if (!found) {
        Py_RETURN_NONE;
    }
    return core_handle(self->world, type, id);
}

static PyMethodDef methods[] = {
    CORE_TABLE_METHOD,
    {"by_id", collection_by_id, METH_O,
     "by_id($self, id, /)\n--\n\n"
     "The member with that id, or None when it has been removed.\n\n"
     "Ids, unlike indices, are never given out again: this tells whether what an event is about "
     "is\n"
     "still there.\n\n"
     "Parameters\n----------\n"
     "id : int\n    As member.id, or a column such as body_id_a of an event.\n\n"
     "Raises\n------\n"
     "TypeError\n    When it is no integer.\n\n"
     "Examples\n--------\n"
     ">>> world = World()\n"
     ">>> ball = world.add_body(Circle(0.5))\n"
     ">>> world.bodies.by_id(ball.id) == ball\n"
     "True\n"
     ">>> world.remove(ball)\n"
     ">>> world.bodies.by_id(ball.id) is None\n"
     "True"},
    {0},
};

static PyObject *collection_iter(PyObject *object) {
    PyTypeObject *type = core_type(collection_of(object)->world->core, TYPE_COLLECTION_ITERATOR);
    IteratorObject *iterator = type != NULL ? (IteratorObject *)type->tp_alloc(type, 0) : NULL;
    if (iterator != NULL) {
        iterator->collection = (CollectionObject *)Py_NewRef(object);
    }
    return (PyObject *)iterator;
}

// ------------------------------------------------------------------------------------------------
// what is printed

enum {
    MOST_GROUPS = 16, // kinds of members that are counted apart
    MOST_NAMES = 5,   // names that are printed
};

typedef struct Tally {
    const char *name;
    uint32_t count;
} Tally;

#define NAME(KIND, name) #name,
static const char *const shape_names[PH_SHAPE_KIND_COUNT] = {PH_SHAPE_KINDS(NAME)};

// By what members are counted: the kind of a body, joint or field, the shape of a collider.
static const char *group_of(const PhWorld *world, const Source *source, uint32_t index) {
    switch (source->collection) {
    case TYPE_BODIES:
        return core_kind_names[ph_world_state(world)->kind[index]];
    case TYPE_COLLIDERS:
        return shape_names[ph_collider_shape(world, index)->kind];
    case TYPE_FIELDS:
        return ph_field_kind(ph_field_get(world, index).kind)->name;
    default:
        return ph_joint_kind((PhJointKind)ph_joint_get(world, index)->kind)->name;
    }
}

// Counts by kind, in the order in which they are met; and how many kinds there are.
static int tally(const PhWorld *world, const Source *source, Tally groups[MOST_GROUPS]) {
    int count = 0;
    uint32_t limit = source->limit(world);
    for (uint32_t i = 0; i < limit; ++i) {
        if (!source->alive(world, i)) {
            continue;
        }
        const char *name = group_of(world, source, i);
        int g = 0;
        while (g < count && groups[g].name != name) {
            ++g;
        }
        if (g == MOST_GROUPS) {
            continue;
        }
        if (g == count) {
            groups[count++] = (Tally){name, 0};
        }
        groups[g].count++;
    }
    return count;
}

// The names of the bodies in the lowest slots, as a list in order of slots; of all how many follow.
static PyObject *first_names(const WorldObject *self, Py_ssize_t *more) {
    PyObject *key, *value, *first[MOST_NAMES];
    uint32_t slots[MOST_NAMES];
    Py_ssize_t position = 0, count = 0, all = 0;
    while (self->names != NULL && PyDict_Next(self->names, &position, &key, &value)) {
        uint32_t slot = (uint32_t)PyLong_AsUnsignedLongLong(key);
        Py_ssize_t at = count;
        while (at > 0 && slots[at - 1] > slot) {
            --at;
        }
        ++all;
        if (at == MOST_NAMES) {
            continue;
        }
        count += count < MOST_NAMES;
        for (Py_ssize_t i = count - 1; i > at; --i) {
            slots[i] = slots[i - 1];
            first[i] = first[i - 1];
        }
        slots[at] = slot;
        first[at] = value;
    }
    *more = all - count;
    PyObject *list = PyList_New(count);
    for (Py_ssize_t i = 0; list != NULL && i < count; ++i) {
        PyList_SET_ITEM(list, i, Py_NewRef(first[i]));
    }
    return list;
}

// `text`, which is stolen, and the names in it; NULL on failure.
static PyObject *with_names(PyObject *text, const WorldObject *self) {
    Py_ssize_t more;
    PyObject *names = text != NULL ? first_names(self, &more) : NULL;
    for (Py_ssize_t i = 0; names != NULL && i < PyList_GET_SIZE(names); ++i) {
        core_append(&text,
                    PyUnicode_FromFormat("%s%R", i == 0 ? "; " : ", ", PyList_GET_ITEM(names, i)));
    }
    if (names == NULL) {
        Py_CLEAR(text);
    } else if (more > 0) {
        core_append(&text, PyUnicode_FromFormat(" and %zd more names", more));
    }
    Py_XDECREF(names);
    return text;
}

static PyObject *collection_repr(PyObject *object) {
    CollectionObject *self = collection_of(object);
    const Source *source = source_of(self);
    if (core_is_inside(self->world)) {
        return PyUnicode_FromFormat("<%s of a World inside its step>", source->name);
    }
    if (!core_enter_to_read(self->world)) {
        return NULL;
    }
    Tally groups[MOST_GROUPS];
    uint32_t count = source->count(self->world->world);
    int kinds = tally(self->world->world, source, groups);
    core_leave(self->world);
    PyObject *text = count == 1
                         ? PyUnicode_FromFormat("<1 %s", source->one)
                         : PyUnicode_FromFormat("<%lu %s", (unsigned long)count, source->name);
    for (int g = 0; g < kinds; ++g) {
        unsigned long number = groups[g].count;
        const char *plural = source->collection == TYPE_COLLIDERS && number > 1 ? "s" : "";
        core_append(&text, PyUnicode_FromFormat("%s%lu %s%s", g == 0 ? ": " : ", ", number,
                                                groups[g].name, plural));
    }
    if (source->collection == TYPE_BODIES) {
        text = with_names(text, self->world);
    }
    core_append(&text, PyUnicode_FromString(">"));
    return text;
}

#define COLLECTION(variable, type_name, doc)                                                       \
    static PyType_Slot variable##_slots[] = {                                                      \
        {Py_tp_dealloc, collection_dealloc},   {Py_tp_traverse, collection_traverse},              \
        {Py_tp_repr, collection_repr},         {Py_tp_iter, collection_iter},                      \
        {Py_mp_length, collection_length},     {Py_mp_subscript, collection_item},                 \
        {Py_sq_contains, collection_contains}, {Py_tp_methods, methods},                           \
        {Py_tp_doc, (void *)PyDoc_STR(doc)},   {0, NULL},                                          \
    };                                                                                             \
    PyType_Spec core_##variable##_spec = {                                                         \
        .name = "pyphys2d._core." type_name,                                                       \
        .basicsize = sizeof(CollectionObject),                                                     \
        .flags = CORE_HANDLE_FLAGS,                                                                \
        .slots = variable##_slots,                                                                 \
    }

COLLECTION(bodies, "Bodies",
           "Live collection of the bodies of a World.\n\nIterating goes over the living ones in "
           "slot order; [i] looks slot i up and raises KeyError\nwhen it is empty. ['name'] "
           "is the one body of that name, KeyError when none or several have it.");
COLLECTION(colliders, "Colliders",
           "Live collection of the colliders of a World.\n\nIterating goes by index; [i] raises "
           "KeyError when there is none.");
COLLECTION(joints, "Joints",
           "Live collection of the joints of a World.\n\nIterating goes by index; [i] raises "
           "KeyError when there is none.");
COLLECTION(fields, "Fields",
           "Live collection of the force fields of a World.\n\nIterating goes by index; [i] "
           "raises KeyError when there is none.");

// ------------------------------------------------------------------------------------------------
// iterator

static PyObject *iterator_next(PyObject *object) {
    IteratorObject *self = (IteratorObject *)object;
    CollectionObject *collection = self->collection;
    if (collection == NULL) {
        return NULL;
    }
    Py_INCREF(collection); // another thread may exhaust the iterator while this one waits
    if (!core_enter_to_read(collection->world)) {
        Py_DECREF(collection);
        return NULL;
    }
    uint32_t limit = source_of(collection)->limit(collection->world->world);
    PhId id;
    CoreType type = TYPE_COUNT;
    bool found = false;
    while (!found && self->next < limit) {
        found = find(collection, self->next++, &id, &type);
    }
    core_leave(collection->world);
    PyObject *handle = NULL;
    if (found && self->next % 4096 == 0 && PyErr_CheckSignals() < 0) {
        self->next--; // what has not been handed out comes again
    } else if (found) {
        handle = core_handle(collection->world, type, id);
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

// Reading a world: contacts, events, energies, tree and other inspections, as arrays of own memory.
#include <math.h>

#include "base/memory.h"
#include "python/convert.h"
#include "python/ring_arguments.h"
#include "python/world_methods.h"

// ------------------------------------------------------------------------------------------------
// tables

PyObject *core_contact_rows(WorldObject *self, uint32_t slot) {
    core_world_sync(self);
    PyObject *array =
        core_rows_to_fill(self->core, ROW_CONTACT, ph_world_contact_limit(self->world, slot));
    if (array != NULL) {
        uint64_t count = ph_world_contacts(self->world, slot, PyArray_DATA((PyArrayObject *)array));
        if (!core_rows_cut(array, count)) {
            Py_CLEAR(array);
        }
    }
    return array;
}

PyObject *core_world_get_contacts(PyObject *object, void *Py_UNUSED(closure)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter(self)) {
        return NULL;
    }
    PyObject *array = core_contact_rows(self, PH_NULL);
    core_leave(self);
    return array;
}

PyObject *core_world_get_pairs(PyObject *object, void *Py_UNUSED(closure)) {
    WorldObject *self = (WorldObject *)object;
    PhPairRow *rows = NULL;
    uint32_t count = 0;
    PhError error;
    if (!core_enter(self)) {
        return NULL;
    }
    core_world_sync(self);
    PhStatus status = ph_world_pairs(self->world, &rows, &count, &error);
    core_leave(self);
    if (status != PH_OK) {
        return core_raise(self->core, &error);
    }
    PyObject *array = core_rows(self->core, ROW_PAIR, rows, count);
    ph_free(rows);
    return array;
}

PyObject *core_body_moves(const CoreState *core, const PhWorld *world) {
    uint32_t count = ph_world_body_moves(world, NULL);
    PyObject *array = core_rows(core, ROW_BODY_EVENT, NULL, count);
    if (array != NULL) {
        (void)ph_world_body_moves(world, PyArray_DATA((PyArrayObject *)array));
    }
    return array;
}

PyObject *core_world_get_events(PyObject *object, void *Py_UNUSED(closure)) {
    WorldObject *self = (WorldObject *)object;
    const CoreState *core = self->core;
    if (!core_enter(self)) {
        return NULL;
    }
    PhError error;
    if (ph_world_settle_events(self->world, &error)) {
        core_leave(self);
        return core_raise(core, &error);
    }
    PhEvents events = ph_world_events(self->world);
    PyObject *const values[] = {
        core_rows(core, ROW_TOUCH_EVENT, events.begin, events.begin_count),
        core_rows(core, ROW_TOUCH_EVENT, events.end, events.end_count),
        core_rows(core, ROW_HIT_EVENT, events.hit, events.hit_count),
        core_rows(core, ROW_SENSOR_EVENT, events.sensor_begin, events.sensor_begin_count),
        core_rows(core, ROW_SENSOR_EVENT, events.sensor_end, events.sensor_end_count),
        core_rows(core, ROW_JOINT_EVENT, events.joint_break, events.joint_break_count),
        core_rows(core, ROW_BODY_EVENT, events.sleep, events.sleep_count),
        core_rows(core, ROW_BODY_EVENT, events.wake, events.wake_count),
        core_body_moves(core, self->world),
    };
    core_leave(self);
    return core_record(core, TYPE_EVENTS, values);
}

PyObject *core_world_get_aabbs(PyObject *object, void *Py_UNUSED(closure)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter(self)) {
        return NULL;
    }
    core_world_sync(self);
    uint32_t limit = ph_world_collider_limit(self->world);
    npy_intp dims[3] = {limit, 2, 2};
    PyObject *array = PyArray_SimpleNew(3, dims, NPY_DOUBLE);
    PhAabb *boxes = array != NULL ? PyArray_DATA((PyArrayObject *)array) : NULL;
    for (uint32_t i = 0; i < limit && boxes != NULL; ++i) {
        boxes[i] = ph_collider_alive(self->world, i) ? ph_collider_aabb(self->world, i)
                                                     : (PhAabb){{NAN, NAN}, {NAN, NAN}};
    }
    core_leave(self);
    return array;
}

PyObject *core_world_get_bounds(PyObject *object, void *Py_UNUSED(closure)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter(self)) {
        return NULL;
    }
    core_world_sync(self);
    bool any = false;
    PhAabb all = {{NAN, NAN}, {NAN, NAN}};
    for (uint32_t i = 0; i < ph_world_collider_limit(self->world); ++i) {
        if (ph_collider_alive(self->world, i)) {
            PhAabb box = ph_collider_aabb(self->world, i);
            all = any ? ph_union(all, box) : box;
            any = true;
        }
    }
    core_leave(self);
    return core_from_aabb(all);
}

PyObject *core_world_get_islands(PyObject *object, void *Py_UNUSED(closure)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter(self)) {
        return NULL;
    }
    npy_intp dims[1] = {ph_world_slot_count(self->world)};
    PyObject *array = PyArray_SimpleNew(1, dims, NPY_INT32);
    PhStatus status = PH_OK;
    if (array != NULL) {
        core_world_sync(self);
        status = ph_world_islands(self->world, PyArray_DATA((PyArrayObject *)array));
    }
    core_leave(self);
    if (status != PH_OK) {
        Py_CLEAR(array);
        PyErr_NoMemory();
    }
    return array;
}

// ------------------------------------------------------------------------------------------------
// numbers

static bool put(PyObject *dict, const char *name, PyObject *value) {
    bool ok = value != NULL && PyDict_SetItemString(dict, name, value) == 0;
    Py_XDECREF(value);
    return ok;
}

PyObject *core_world_get_profile(PyObject *object, void *Py_UNUSED(closure)) {
    WorldObject *self = (WorldObject *)object;
    double times[PH_STAGE_COUNT];
    if (!core_enter(self)) {
        return NULL;
    }
    memcpy(times, ph_world_profile(self->world), sizeof times);
    core_leave(self);
    PyObject *dict = PyDict_New();
    for (int i = 0; i < PH_STAGE_COUNT && dict != NULL; ++i) {
        if (!put(dict, ph_stage_names[i], PyFloat_FromDouble(times[i]))) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

PyObject *core_world_get_counters(PyObject *object, void *Py_UNUSED(closure)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter(self)) {
        return NULL;
    }
    PhCounters c = ph_world_counters(self->world);
    core_leave(self);
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {
        {"bodies", c.bodies},
        {"awake", c.awake},
        {"colliders", c.colliders},
        {"proxies", c.proxies},
        {"pairs", c.pairs},
        {"contacts", c.contacts},
        {"touching", c.touching},
        {"visits", c.visits},
        {"islands", c.islands},
        {"bins", c.batches},
        {"colors", c.colors},
        {"blocks", c.wide_contacts},
        {"rows", c.rows},
        {"substeps", c.substeps},
        {"stopped", c.stopped},
        {"limited", c.limited},
        {"left_out", c.left_out},
        {"pair_rebuilds", c.pair_rebuilds},
        {"layout_rebuilds", c.layout_rebuilds},
        {"bytes", c.bytes},
    };
    PyObject *dict = PyDict_New();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && dict != NULL; ++i) {
        if (!put(dict, rows[i].name, PyLong_FromUnsignedLongLong(rows[i].value))) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

typedef double Measure(const PhWorld *world);

static PyObject *measure(PyObject *object, Measure *function) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter(self)) {
        return NULL;
    }
    core_world_sync(self);
    double value = function(self->world);
    core_leave(self);
    return PyFloat_FromDouble(value);
}

const char core_world_kinetic_energy_doc[] =
    "kinetic_energy($self, /)\n--\n\nKinetic energy of all bodies, J.";

PyObject *core_world_kinetic_energy(PyObject *self, PyObject *Py_UNUSED(arg)) {
    return measure(self, ph_world_kinetic_energy);
}

const char core_world_potential_energy_doc[] =
    "potential_energy($self, /)\n--\n\n"
    "Potential energy of all bodies under gravity, J; 0 at the world's origin.";

PyObject *core_world_potential_energy(PyObject *self, PyObject *Py_UNUSED(arg)) {
    return measure(self, ph_world_potential_energy);
}

const char core_world_momentum_doc[] =
    "momentum($self, /)\n--\n\nMomentum of all bodies, shape (2,), kg m/s.";

PyObject *core_world_momentum(PyObject *object, PyObject *Py_UNUSED(arg)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter(self)) {
        return NULL;
    }
    core_world_sync(self);
    PhVec2 momentum = ph_world_momentum(self->world);
    core_leave(self);
    return core_from_vec2(momentum);
}

const char core_world_angular_momentum_doc[] =
    "angular_momentum($self, about=(0, 0))\n--\n\n"
    "Angular momentum of all bodies about a point of the world, kg m^2/s.\n\n"
    "Parameters\n----------\n"
    "about : array_like, shape (2,)\n    Metres, world.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN or infinity.";

PyObject *core_world_angular_momentum(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                      PyObject *keywords) {
    static const char *const names[] = {"about"};
    static const CoreSignature signature = {"angular_momentum", names, 1, 1, 0};
    WorldObject *self = (WorldObject *)object;
    PyObject *value;
    PhVec2 about = {0, 0};
    if (!core_bind(&signature, args, count, keywords, &value) ||
        (value != NULL && !core_to_vec2(value, "about", &about)) || !core_enter(self)) {
        return NULL;
    }
    core_world_sync(self);
    double momentum = ph_world_angular_momentum(self->world, about);
    core_leave(self);
    return PyFloat_FromDouble(momentum);
}

const char core_world_hash_doc[] =
    "hash($self, /)\n--\n\n"
    "64-bit hash of everything that shapes the future, pending forces and materials included.\n\n"
    "The same for the same history, whatever the workers, the instruction set or the platform.";

PyObject *core_world_hash(PyObject *object, PyObject *Py_UNUSED(arg)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter(self)) {
        return NULL;
    }
    core_world_sync(self);
    uint64_t hash = ph_world_hash(self->world);
    core_leave(self);
    return PyLong_FromUnsignedLongLong(hash);
}

// ------------------------------------------------------------------------------------------------
// tree

void core_node_row(const PhTreeNode *node, CoreNodeRow *row) {
    bool used = node->height != PH_NULL;
    row->lower[0] = used ? node->box.lower.x : NAN;
    row->lower[1] = used ? node->box.lower.y : NAN;
    row->upper[0] = used ? node->box.upper.x : NAN;
    row->upper[1] = used ? node->box.upper.y : NAN;
    // PH_NULL becomes -1.
    row->parent = used ? (int32_t)node->parent : -1;
    row->child_a = used ? (int32_t)node->child_a : -1;
    row->child_b = used ? (int32_t)node->child_b : -1;
    row->height = (int32_t)node->height;
}

const char core_world_tree_doc[] =
    "tree($self, kind='query')\n--\n\n"
    "Nodes of the tree that answers queries.\n\n"
    "Parameters\n----------\n"
    "kind : {'query'}\n\n"
    "Returns\n-------\n"
    "structured ndarray\n"
    "    Columns lower, upper (metres, world), parent, child_a, child_b (row numbers, -1 for\n"
    "    none), height (0 for a leaf, -1 for a free node), collider and piece (-1 for inner "
    "nodes).\n\n"
    "Raises\n------\n"
    "ValueError\n    For an unknown kind.";

PyObject *core_world_tree(PyObject *object, PyObject *const *args, Py_ssize_t count,
                          PyObject *keywords) {
    static const char *const names[] = {"kind"};
    static const char *const kinds[] = {"query", NULL};
    static const CoreSignature signature = {"tree", names, 1, 1, 0};
    WorldObject *self = (WorldObject *)object;
    PyObject *value;
    int kind;
    if (!core_bind(&signature, args, count, keywords, &value) ||
        (value != NULL && !core_to_choice(value, "kind", kinds, &kind)) || !core_enter(self)) {
        return NULL;
    }
    const PhAabbTree *tree = NULL;
    PhError error;
    core_world_sync(self);
    ph_world_set_stop(self->world, &core_listening);
    PhStatus status = ph_world_tree(self->world, &tree, &error);
    ph_world_set_stop(self->world, NULL);
    PyObject *array = NULL;
    if (status == PH_OK) {
        array = core_rows(self->core, ROW_WORLD_NODE, NULL, tree->used);
    }
    CoreNodeRow *rows = array != NULL ? PyArray_DATA((PyArrayObject *)array) : NULL;
    for (uint32_t i = 0; rows != NULL && i < tree->used; ++i) {
        core_node_row(&tree->nodes[i], &rows[i]);
        uint32_t collider = PH_NULL, piece = PH_NULL;
        if (tree->nodes[i].height == 0) {
            ph_proxy_owner(self->world, (uint32_t)tree->nodes[i].data, &collider, &piece);
        }
        rows[i].leaf.owner.collider = (int32_t)collider;
        rows[i].leaf.owner.piece = (int32_t)piece;
    }
    core_leave(self);
    return status == PH_OK ? array : core_raise(self->core, &error);
}

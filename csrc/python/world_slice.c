// Cutting a body, and its hull. A cut is planned, everything that Python needs for it is made, and
// only then is it carried out, so that a failure at any point leaves the world as it was.
#include <math.h>

#include "base/memory.h"
#include "geometry/outline.h"
#include "geometry/polygon.h"
#include "python/body_methods.h"
#include "python/convert.h"
#include "python/ring_arguments.h"
#include "python/world_methods.h"
#include "world/body_slice.h"

// Names and data of the new bodies, before these exist, by their keys. On failure none is left.
static bool write_tables(WorldObject *self, PyObject *const *keys, Py_ssize_t count, PyObject *name,
                         PyObject *user_data) {
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (core_table_put(self->names, keys[i], name) &&
            core_table_put(self->user_data[HANDLE_BODY], keys[i], user_data)) {
            continue;
        }
        for (Py_ssize_t k = 0; k <= i; ++k) {
            core_table_drop(self->names, keys[k]);
            core_table_drop(self->user_data[HANDLE_BODY], keys[k]);
        }
        return false;
    }
    return true;
}

static PyObject *list_of_keys(const PhId *ids, Py_ssize_t count) {
    PyObject *list = PyList_New(count);
    for (Py_ssize_t i = 0; list != NULL && i < count; ++i) {
        PyObject *key = core_table_key(ids[i]);
        if (key == NULL) {
            Py_CLEAR(list);
        } else {
            PyList_SET_ITEM(list, i, key);
        }
    }
    return list;
}

// Everything that Python needs for a planned cut, then the cut. Inside the gate, where no Python
// code may run: objects are made, none is dropped that other code has seen, and the collector is
// kept still. The plan is used up, also on failure.
static PyObject *carry_out(WorldObject *self, HandleObject *body, PhSlice *slice) {
    Py_ssize_t count = ph_slice_count(slice);
    PhId *ids = ph_alloc((size_t)count, sizeof *ids);
    if (ids == NULL) {
        ph_slice_drop(slice);
        return PyErr_NoMemory();
    }
    ph_slice_ids(self->world, slice, ids);
    PyObject *list = core_handle_list(self, TYPE_BODY, ids, count);
    PyObject *keys = list != NULL ? list_of_keys(ids, count) : NULL;
    PyObject *name = keys != NULL ? core_table_get(self->names, body->id) : NULL;
    PyObject *user_data =
        name != NULL ? core_table_get(self->user_data[HANDLE_BODY], body->id) : NULL;
    if (user_data != NULL &&
        write_tables(self, ((PyListObject *)keys)->ob_item, count, name, user_data)) {
        ph_slice_commit(self->world, slice);
    } else {
        ph_slice_drop(slice);
        Py_CLEAR(list);
    }
    ph_free(ids);
    Py_XDECREF(keys);
    // Both tables still hold the name and the data, under the id of the old body at least.
    Py_XDECREF(name);
    Py_XDECREF(user_data);
    return list;
}

const char core_world_slice_doc[] =
    "slice($self, body, p, q)\n--\n\n"
    "Cut a body along the infinite line from p to q.\n\n"
    "What hangs together on one side of the line becomes one body: the pieces of one collider "
    "where\n"
    "their area does, pieces of different colliders where they touch (within 0.1 mm). Sensors "
    "hold\n"
    "nothing together and go with what they touch. The body is removed, its parts are new bodies\n"
    "with their origin at their centre of mass.\n\n"
    "Parts keep the motion (the velocity of the body's matter at their centre of mass, the same\n"
    "spin), the angle, the kind and all switches, density, material and filter of each collider, "
    "the\n"
    "name, and the same `user_data` object (their colliders, which are new, have none). A given "
    "`mass` and forces not yet applied are shared\n"
    "out. So area, mass, momentum and angular momentum stay as they were, but for rounding. "
    "Parts,\n"
    "and sleepers that touched the body, are awake.\n\n"
    "Circles, capsules and rounded polygons that are cut become polygons of the same area, with "
    "64\n"
    "vertices for a full turn; that adds up to 3 parts in 100,000 to the moment of inertia, and "
    "to\n"
    "the angular momentum of the spin.\n"
    "Segments and chains are parted where they cross. A part that would be thinner than 0.1 mm is\n"
    "not cut off. Of a body with mass, shapes without mass stay with the nearest of the others.\n\n"
    "Parameters\n----------\n"
    "body : Body\n    Of any kind.\n"
    "p, q : array_like, shape (2,)\n    Two points of the line, metres, world.\n\n"
    "Returns\n-------\n"
    "list of Body\n"
    "    The parts left of the line, then those right of it, each in order along the line; "
    "`[body]`\n"
    "    itself, unchanged, when the line does not part it.\n\n"
    "Raises\n------\n"
    "ValueError\n    When q equals p or a number is not finite; for a shape so intricate that the\n"
    "    rounding of the cut would make it touch itself.\n"
    "RemovedError\n    When the body has been removed.\n"
    "CapacityError\n    When the world cannot hold the parts (max_bodies).\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> crate = world.add_body(Box(2, 1), velocity=(3, 0))\n"
    ">>> [part.mass for part in world.slice(crate, (0, -1), (0, 1))]\n"
    "[1.0, 1.0]";
PyObject *core_world_slice(PyObject *object, PyObject *const *args, Py_ssize_t arg_count,
                           PyObject *keywords) {
    CORE_ARGUMENTS("slice", 3, 3, "body", "p", "q");
    WorldObject *self = (WorldObject *)object;
    PhVec2 p, q;
    if (!core_bind(&signature, args, arg_count, keywords, values)) {
        return NULL;
    }
    if (!Py_IS_TYPE(values[0], self->core->type[TYPE_BODY])) {
        return PyErr_Format(PyExc_TypeError, "body: must be a Body, got %.100s",
                            Py_TYPE(values[0])->tp_name);
    }
    HandleObject *body = (HandleObject *)values[0];
    if (body->world != self) {
        return PyErr_Format(PyExc_ValueError, "body: %R belongs to another world", values[0]);
    }
    if (!core_to_vec2(values[1], "p", &p) || !core_to_vec2(values[2], "q", &q)) {
        return NULL;
    }
    PyObject *key = core_table_key(body->id);
    if (key == NULL || !core_enter_body_to_change(body)) {
        Py_XDECREF(key);
        return NULL;
    }
    core_world_sync(self);
    PhSlice *slice = NULL;
    PhError error;
    CoreLongWork work;
    ph_world_set_stop(self->world, core_begin_work(&work, true));
    PhStatus status = ph_slice_plan(self->world, body->id, p, q, &slice, &error);
    core_end_work(&work);
    ph_world_set_stop(self->world, NULL);
    PyObject *list = NULL;
    bool parted = status == PH_OK && ph_slice_count(slice) > 1;
    if (parted) {
        int collecting = PyGC_Disable();
        list = carry_out(self, body, slice);
        if (collecting) {
            PyGC_Enable();
        }
    } else {
        ph_slice_drop(slice);
    }
    CoreLeavers leavers = {0};
    if (list != NULL) {
        core_leavers_find(self, &leavers); // of the body, its colliders and joints
    }
    core_leave(self);
    if (list != NULL) {
        core_table_drop(self->names, key);
    }
    core_leavers_go(self, &leavers);
    Py_DECREF(key);
    if (status != PH_OK) {
        return core_raise(self->core, &error);
    }
    if (!parted) {
        list = PyList_New(1);
        if (list != NULL) {
            PyList_SET_ITEM(list, 0, Py_NewRef(values[0]));
        }
    }
    return list;
}

// ------------------------------------------------------------------------------------------------
// hull

// The world points of one shape that its hull is made of, after `size` others. False: no memory.
static bool add_points(const PhShape *shape, PhTransform pose, PhVec2 **points, uint32_t *room,
                       uint32_t *size) {
    PhVec2 *own = NULL;
    const PhVec2 *source = shape->vertices;
    int32_t count = shape->vertex_count;
    if (shape->radius > 0) {
        if (ph_shape_outline(shape, false, &own, &count, NULL) != PH_OK) {
            return false;
        }
        source = own;
    }
    bool ok =
        ph_reserve_array(points, room, (uint64_t)*size + (uint64_t)count, sizeof **points) == PH_OK;
    for (int32_t i = 0; ok && i < count; ++i) {
        (*points)[(*size)++] = ph_apply(pose, source[i]);
    }
    ph_free(own);
    return ok;
}

const char core_body_convex_hull_doc[] =
    "convex_hull($self, /)\n--\n\n"
    "Convex hull of all the body's colliders.\n\n"
    "Round shapes are represented by points on their surface, 64 for a full turn.\n\n"
    "Returns\n-------\n"
    "ndarray, shape (n, 2)\n    Counter-clockwise, metres, world; n is 0 for a body without "
    "shapes.\n\n"
    "Raises\n------\n"
    "ValueError\n    When the body's rows of the live arrays hold NaN or infinity.\n"
    "RemovedError\n    When the body has been removed.";
PyObject *core_body_convex_hull(PyObject *object, PyObject *Py_UNUSED(ignored)) {
    HandleObject *self = (HandleObject *)object;
    if (!core_enter_body(self)) {
        return NULL;
    }
    const PhWorld *world = self->world->world;
    uint32_t slot = self->id.index, size = 0, room = 0;
    PhTransform pose = ph_body_transform(world, slot);
    if (!isfinite(pose.p.x) || !isfinite(pose.p.y) || !isfinite(pose.q.c)) {
        core_leave(self->world);
        return PyErr_Format(PyExc_ValueError,
                            "positions[%lu] and angles[%lu]: must be finite for a hull",
                            (unsigned long)slot, (unsigned long)slot);
    }
    PhVec2 *points = NULL;
    bool ok = true;
    for (uint32_t c = ph_body_first_collider(world, slot); ok && c != PH_NULL;
         c = ph_collider_next(world, c)) {
        ok = add_points(ph_collider_shape(world, c), pose, &points, &room, &size);
    }
    core_leave(self->world);
    ok = ok && size <= INT32_MAX;
    PhVec2 *hull = ok ? ph_alloc(size, sizeof *hull) : NULL;
    PyObject *result = NULL;
    if (hull == NULL) {
        PyErr_NoMemory();
    } else {
        CoreLongWork work;
        const PhStop *stop = core_begin_work(&work, size > CORE_QUICK_VERTICES);
        int32_t count = ph_convex_hull_or_stop(points, (int32_t)size, hull, stop);
        core_end_work(&work);
        result = count < 0 ? NULL : core_from_points(hull, count);
    }
    ph_free(hull);
    ph_free(points);
    return result;
}

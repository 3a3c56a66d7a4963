// What is asked of one collider: rays, nearest points, contacts; and the contacts of one body or
// collider, seen from it.
#include "base/memory.h"
#include "geometry/distance.h"
#include "geometry/rings.h"
#include "python/convert.h"
#include "python/ring_arguments.h"
#include "python/world_methods.h"
#include "python/world_queries.h"

// ------------------------------------------------------------------------------------------------
// contacts

static void turn_round(PhContactPoint *row) {
    PhContactPoint old = *row;
    row->body_a = old.body_b;
    row->body_b = old.body_a;
    row->collider_a = old.collider_b;
    row->collider_b = old.collider_a;
    row->piece_a = old.piece_b;
    row->piece_b = old.piece_a;
    row->normal[0] = -old.normal[0];
    row->normal[1] = -old.normal[1];
}

// Of the contacts of a body those that name a collider (-1: all); with `first`, what is asked about
// is a in all of them.
static PyObject *contacts_of(WorldObject *self, uint32_t slot, int32_t collider, bool first) {
    PyObject *array = core_contact_rows(self, slot);
    if (array == NULL) {
        return NULL;
    }
    PhContactPoint *rows = PyArray_DATA((PyArrayObject *)array);
    npy_intp count = PyArray_DIM((PyArrayObject *)array, 0), kept = 0;
    for (npy_intp i = 0; i < count; ++i) {
        bool is_a = collider < 0 ? rows[i].body_a == (int32_t)slot : rows[i].collider_a == collider;
        if (collider >= 0 && !is_a && rows[i].collider_b != collider) {
            continue;
        }
        rows[kept] = rows[i];
        if (first && !is_a) {
            turn_round(&rows[kept]);
        }
        kept += 1;
    }
    if (kept < count && !core_rows_cut(array, (uint64_t)kept)) {
        Py_CLEAR(array);
    }
    return array;
}

PyObject *core_collider_contacts(PyObject *object, void *Py_UNUSED(closure)) {
    HandleObject *self = (HandleObject *)object;
    if (!core_enter_alive_between_steps(self, HANDLE_COLLIDER)) {
        return NULL;
    }
    uint32_t slot = ph_collider_body(self->world->world, self->id.index);
    PyObject *array = contacts_of(self->world, slot, (int32_t)self->id.index, false);
    core_leave(self->world);
    return array;
}

const char core_world_contacts_of_doc[] =
    "contacts_of($self, body_or_collider, /)\n--\n\n"
    "The contacts of a body or a collider, seen from it: it is a, normals point away from it.\n\n"
    "Rows of World.contacts that name it, in their order; where it is b there, a and b have\n"
    "changed places here and the normal is turned round. Impulses need no change: each is that\n"
    "which a gives to b.\n\n"
    "Parameters\n----------\n"
    "body_or_collider : Body or Collider\n\n"
    "Returns\n-------\n"
    "structured ndarray\n    Of own memory, with the columns of World.contacts.\n\n"
    "Raises\n------\n"
    "RemovedError\n    When it has been removed.\n"
    "ValueError\n    When it belongs to another world.\n\n"
    "Examples\n--------\n"
    ">>> import pyphys2d as p2\n"
    ">>> world = p2.World()\n"
    ">>> floor = world.add_body(p2.Box(10, 1), (0, -0.5), kind='static')\n"
    ">>> ball = world.add_body(p2.Circle(1), (0, 1))\n"
    ">>> world.step(n=60)\n"
    ">>> world.contacts_of(floor)['normal'].tolist()\n"
    "[[0.0, 1.0]]";

PyObject *core_world_contacts_of(PyObject *object, PyObject *argument) {
    WorldObject *self = (WorldObject *)object;
    bool body = Py_IS_TYPE(argument, self->core->type[TYPE_BODY]);
    if (!body && !Py_IS_TYPE(argument, self->core->type[TYPE_COLLIDER])) {
        return PyErr_Format(PyExc_TypeError,
                            "body_or_collider: must be a Body or a Collider, got %.100s; a slot is "
                            "the body world.bodies[slot]",
                            Py_TYPE(argument)->tp_name);
    }
    HandleObject *handle = (HandleObject *)argument;
    if (handle->world != self) {
        return PyErr_Format(PyExc_ValueError, "body_or_collider: %R belongs to another world",
                            argument);
    }
    if (!core_enter_alive_between_steps(handle, body ? HANDLE_BODY : HANDLE_COLLIDER)) {
        return NULL;
    }
    uint32_t index = handle->id.index;
    PyObject *array =
        body ? contacts_of(self, index, -1, true)
             : contacts_of(self, ph_collider_body(self->world, index), (int32_t)index, true);
    core_leave(self);
    return array;
}

const char core_world_contact_doc[] =
    "contact($self, id, /)\n--\n\n"
    "The contact with an id, or None when it has ended.\n\n"
    "A contact lasts while two colliders touch, asleep or not. Its id is given out when it\n"
    "begins, with the event of that step, and never again in the course of a world.\n\n"
    "Parameters\n----------\n"
    "id : int\n    Column id of World.contacts, of Events.contact_begin or of "
    "Events.contact_hit.\n\n"
    "Returns\n-------\n"
    "structured ndarray or None\n"
    "    Rows of World.contacts with that id, of own memory. None of them where the two were "
    "moved\n"
    "    apart since the last step, which has not ended the contact yet.\n\n"
    "Raises\n------\n"
    "TypeError\n    When it is no integer.\n\n"
    "Examples\n--------\n"
    ">>> import pyphys2d as p2\n"
    ">>> world = p2.World()\n"
    ">>> floor = world.add_body(p2.Box(10, 1), (0, -0.5), kind='static')\n"
    ">>> ball = world.add_body(p2.Circle(1), (0, 1))\n"
    ">>> world.step(n=60)\n"
    ">>> id = world.events.contact_begin['id'][0]\n"
    ">>> world.contact(id)['body_a'] == ball.index\n"
    "array([ True])\n"
    ">>> world.remove(ball)\n"
    ">>> world.contact(id) is None\n"
    "True";

PyObject *core_world_contact(PyObject *object, PyObject *argument) {
    WorldObject *self = (WorldObject *)object;
    uint64_t id;
    if (!core_to_id(argument, &id) || !core_enter(self)) {
        return NULL;
    }
    core_world_sync(self);
    PhContactPoint *rows;
    uint32_t count;
    PhError error;
    PhStatus status = ph_world_contact(self->world, id, &rows, &count, &error);
    core_leave(self);
    if (status != PH_OK) {
        return core_raise(self->core, &error);
    }
    PyObject *array =
        rows != NULL ? core_rows(self->core, ROW_CONTACT, rows, count) : Py_NewRef(Py_None);
    ph_free(rows);
    return array;
}

// ------------------------------------------------------------------------------------------------
// rays and points

const char core_collider_ray_cast_doc[] =
    "ray_cast($self, origin, translation)\n--\n\n"
    "First point of a ray on this collider; others are ignored.\n\n"
    "Sensors are met, too.\n\n"
    "Parameters\n----------\n"
    "origin, translation : array_like, shape (2,)\n    Metres, world.\n\n"
    "Returns\n-------\n"
    "RayHit or None\n    As World.cast_ray gives it.\n\n"
    "Raises\n------\n"
    "RemovedError\n    When the collider has been removed.\n"
    "ValueError\n    For a wrong shape, NaN or infinity.";

PyObject *core_collider_ray_cast(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                 PyObject *keywords) {
    CORE_ARGUMENTS("ray_cast", 2, 2, "origin", "translation");
    HandleObject *self = (HandleObject *)object;
    WorldObject *world = self->world;
    PyObject *result = NULL;
    PhVec2 origin, translation;
    if (!core_bind(&signature, args, count, keywords, values) ||
        !core_to_vec2(values[0], "origin", &origin) ||
        !core_to_vec2(values[1], "translation", &translation) ||
        !core_enter_alive_between_steps(self, HANDLE_COLLIDER)) {
        return NULL;
    }
    core_leave(world);
    npy_intp size = (npy_intp)self->id.index + 1;
    PyObject *allowed = PyArray_ZEROS(1, &size, NPY_BOOL, 0);
    QueryFilter filter = {.filter = {.mask = UINT64_MAX, .include_sensors = true}};
    if (allowed == NULL) {
        return NULL;
    }
    uint8_t *flags = PyArray_DATA((PyArrayObject *)allowed);
    flags[self->id.index] = true;
    filter.filter.allowed = flags;
    filter.filter.allowed_count = (uint32_t)size;
    if (core_enter_alive_between_steps(self, HANDLE_COLLIDER)) {
        PhWorldRayHit row;
        PhError error;
        core_world_sync(world);
        ph_world_set_stop(world->world, &core_listening);
        PhStatus status =
            ph_world_cast_ray(world->world, origin, translation, 0, filter.filter, &row, &error);
        ph_world_set_stop(world->world, NULL);
        result = core_query_leave(world, status, &row, &error);
    }
    Py_DECREF(allowed);
    return result;
}

// Into `nearest`, in the frame of the body; false when stopped.
static bool find_nearest(const PhShape *shape, PhVec2 point, PhVec2 *nearest) {
    static const PhTransform here = {{0, 0}, {1, 0}};
    const PhPiece dot = {.vertices = &point, .count = 1};
    double least = INFINITY;
    *nearest = point;
    for (int32_t i = 0; i < shape->piece_count; ++i) {
        if (ph_piece_contains(&shape->pieces[i], point)) {
            *nearest = point;
            return true;
        }
        PhDistance found = ph_distance(&shape->pieces[i], here, &dot, here);
        if (found.distance < least) {
            least = found.distance;
            *nearest = found.point_a;
        }
        if (i % PH_RING_PORTION == PH_RING_PORTION - 1 && ph_stop_wanted(&core_listening)) {
            return false;
        }
    }
    return true;
}

const char core_collider_closest_point_doc[] =
    "closest_point($self, point, /)\n--\n\n"
    "The point of the collider that is nearest to a point: that point itself when it is inside.\n\n"
    "In a wrapped world the image of the point nearest to the body is asked about.\n\n"
    "Parameters\n----------\n"
    "point : array_like, shape (2,)\n    Metres, world.\n\n"
    "Returns\n-------\n"
    "ndarray, shape (2,)\n    Metres, world.\n\n"
    "Raises\n------\n"
    "RemovedError\n    When the collider has been removed.\n"
    "ValueError\n    For a wrong shape, NaN or infinity.";

PyObject *core_collider_closest_point(PyObject *object, PyObject *argument) {
    HandleObject *self = (HandleObject *)object;
    PhVec2 point;
    if (!core_to_vec2(argument, "point", &point) ||
        !core_enter_alive_between_steps(self, HANDLE_COLLIDER)) {
        return NULL;
    }
    core_world_sync(self->world);
    const PhWorld *world = self->world->world;
    uint32_t slot = ph_collider_body(world, self->id.index);
    const PhShape *shape = ph_collider_shape(world, self->id.index);
    PhTransform pose = ph_body_transform(world, slot);
    PhVec2 image = ph_body_image_of(world, slot, point), nearest;
    PhVec2 local = ph_unapply(pose, image);
    bool whole = find_nearest(shape, local, &nearest);
    bool inside = nearest.x == local.x && nearest.y == local.y;
    core_leave(self->world);
    if (!whole) {
        PhError error;
        (void)ph_fail(&error, PH_ERROR_STOPPED, "stopped");
        return core_raise(self->world->core, &error);
    }
    PhVec2 moved = inside ? image : ph_apply(pose, nearest);
    return core_from_vec2(ph_add(moved, ph_sub(point, image)));
}

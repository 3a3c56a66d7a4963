// Collider: handle of a shape on a body, with its material and filter.
#include <string.h>

#include "base/memory.h"
#include "python/call_log.h"
#include "python/convert.h"
#include "python/pictures.h"
#include "python/ring_arguments.h"
#include "python/world_methods.h"

static HandleObject *handle_of(PyObject *object) {
    return (HandleObject *)object;
}

typedef enum Sort {
    SORT_NUMBER,
    SORT_BITS,
    SORT_GROUP,
    SORT_SWITCH,
    SORT_MATERIAL,
    SORT_RULE,
    SORT_SEGMENTS,
} Sort;
typedef struct Property {
    const char *name;
    Sort sort;
    size_t offset;
} Property;

static const Property properties[MATERIAL_KEYWORD_COUNT] = {
    {"density", SORT_NUMBER, offsetof(PhColliderDef, density)},
    {"friction", SORT_NUMBER, offsetof(PhColliderDef, friction)},
    {"restitution", SORT_NUMBER, offsetof(PhColliderDef, restitution)},
    {"rolling_resistance", SORT_NUMBER, offsetof(PhColliderDef, rolling_resistance)},
    {"tangent_speed", SORT_NUMBER, offsetof(PhColliderDef, tangent_speed)},
    {"category", SORT_BITS, offsetof(PhColliderDef, category)},
    {"mask", SORT_BITS, offsetof(PhColliderDef, mask)},
    {"group", SORT_GROUP, offsetof(PhColliderDef, group)},
    {"sensor", SORT_SWITCH, offsetof(PhColliderDef, sensor)},
    {"pre_solve", SORT_SWITCH, offsetof(PhColliderDef, pre_solve)},
    {"material", SORT_MATERIAL, offsetof(PhColliderDef, material)},
    {"friction_rule", SORT_RULE, offsetof(PhColliderDef, friction_rule)},
    {"restitution_rule", SORT_RULE, offsetof(PhColliderDef, restitution_rule)},
    {"segments", SORT_SEGMENTS, offsetof(PhColliderDef, segments)},
};

static PyObject *get_property(PyObject *object, void *closure) {
    HandleObject *self = handle_of(object);
    const Property *property = &properties[(intptr_t)closure];
    if (!core_enter_collider(self)) {
        return NULL;
    }
    PhColliderDef def = ph_collider_material(self->world->world, self->id.index);
    ph_segments_retain(def.segments);
    core_leave(self->world);
    PyObject *segments = property->sort == SORT_SEGMENTS
                             ? core_from_segments(self->world->core, def.segments)
                             : NULL;
    ph_segments_release(def.segments);
    const char *field = (const char *)&def + property->offset;
    switch (property->sort) {
    case SORT_NUMBER:
        return PyFloat_FromDouble(*(const double *)field);
    case SORT_BITS:
        return PyLong_FromUnsignedLongLong(*(const uint64_t *)field);
    case SORT_GROUP:
        return PyLong_FromLong(*(const int32_t *)field);
    case SORT_SWITCH:
        return PyBool_FromLong(*(const bool *)field);
    case SORT_MATERIAL: {
        uint16_t material = *(const uint16_t *)(const void *)field;
        if (material > 0) {
            return PyLong_FromLong(material - 1);
        }
        break;
    }
    case SORT_RULE:
        if (*(const uint8_t *)field > 0) {
            return PyUnicode_FromString(core_rule_names[*(const uint8_t *)field - 1]);
        }
        break;
    case SORT_SEGMENTS:
        return segments;
    }
    Py_RETURN_NONE;
}

static int set_property(PyObject *object, PyObject *value, void *closure) {
    HandleObject *self = handle_of(object);
    const Property *property = &properties[(intptr_t)closure];
    if (value == NULL) {
        PyErr_Format(PyExc_TypeError, "%s cannot be deleted", property->name);
        return -1;
    }
    PhColliderDef wanted = ph_collider_def(); // only one field of it is used
    PyObject *values[MATERIAL_KEYWORD_COUNT] = {0};
    values[(intptr_t)closure] = value;
    if (!core_to_material(self->world->core, values, &wanted)) {
        return -1;
    }
    if (!core_enter_collider_to_change(self)) {
        ph_segments_release(wanted.segments);
        return -1;
    }
    PhColliderDef def = ph_collider_material(self->world->world, self->id.index);
    static const size_t sizes[] = {sizeof(double),      sizeof(uint64_t), sizeof(int32_t),
                                   sizeof(bool),        sizeof(uint16_t), sizeof(uint8_t),
                                   sizeof(PhSegments *)};
    memcpy((char *)&def + property->offset, (const char *)&wanted + property->offset,
           sizes[property->sort]);
    PhError error;
    PhStatus status = ph_collider_set_material(self->world->world, self->id, &def, &error);
    core_leave(self->world);
    ph_segments_release(wanted.segments); // the world holds its own
    if (status != PH_OK) {
        core_raise(self->world->core, &error);
        return -1;
    }
    return 0;
}

static PyObject *get_body(PyObject *object, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    if (!core_enter_collider(self)) {
        return NULL;
    }
    const PhWorld *world = self->world->world;
    PhId body = ph_body_id(world, ph_collider_body(world, self->id.index));
    core_leave(self->world);
    return core_handle(self->world, TYPE_BODY, body);
}

// The object that was attached; where it is not known, an equal one of the plain type.
static PyObject *get_shape(PyObject *object, void *Py_UNUSED(closure)) {
#define ROW(KIND, name) [PH_SHAPE_##KIND] = TYPE_##KIND,
    static const CoreType types[] = {PH_SHAPE_KINDS(ROW)};
    HandleObject *self = handle_of(object);
    if (!core_enter_collider(self)) {
        return NULL;
    }
    PhShape *shape = ph_collider_shape(self->world->world, self->id.index);
    ph_shape_retain(shape);
    core_leave(self->world);
    PyObject *address = self->world->shapes != NULL ? PyLong_FromVoidPtr(shape) : NULL;
    PyObject *known =
        address != NULL ? PyDict_GetItemWithError(self->world->shapes, address) : NULL;
    Py_XINCREF(known);
    Py_XDECREF(address);
    if (known != NULL || PyErr_Occurred()) {
        ph_shape_release(shape);
        return known;
    }
    return core_shape_new(core_type(self->world->core, types[shape->kind]), shape);
}

static bool change_shape(HandleObject *self, PyObject *value, bool update_mass) {
    PhShape *shape = core_to_shape(self->world->core, value, "shape");
    if (shape == NULL) {
        return false;
    }
    ph_shape_retain(shape);
    PhError error = {.status = PH_OK};
    bool ok = core_remember_shape(self->world, value) && core_enter_collider_to_change(self);
    if (ok) {
        PhStatus status =
            ph_collider_set_shape(self->world->world, self->id, shape, update_mass, &error);
        core_leave(self->world);
        ok = status == PH_OK;
        if (!ok) {
            core_raise(self->world->core, &error);
        }
    }
    ph_shape_release(shape);
    return ok;
}

static int assign_shape(PyObject *object, PyObject *value, void *Py_UNUSED(closure)) {
    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError, "shape cannot be deleted");
        return -1;
    }
    return change_shape(handle_of(object), value, true) ? 0 : -1;
}

PyDoc_STRVAR(
    set_shape_doc,
    "set_shape($self, shape, update_mass=True)\n--\n\n"
    "Give the collider another shape, in place: what `collider.shape = shape` does, with "
    "a choice.\n\n"
    "Material, filter, id and joints stay. The body and what it touches wake. Contacts go "
    "on if the\n"
    "shape has as many convex pieces as the one before, and begin anew otherwise.\n\n"
    "Parameters\n----------\n"
    "shape : Shape\n    In the body's frame.\n"
    "update_mass : bool\n    Whether mass, inertia and centre of mass follow from the new "
    "shape. If not, the body keeps them\n    as they are from then on, as if they had been "
    "set, until None is.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a shape with which the body would have a mass out of range, or "
    "that surfaces of segments do not fit.\n"
    "RemovedError\n    When the collider has been removed.\n"
    "WorldLockedError\n    From inside a step.\n\n"
    "Examples\n--------\n"
    ">>> balloon = World().add_body(Circle(0.5)).colliders[0]\n"
    ">>> balloon.set_shape(Circle(0.8), update_mass=False)\n"
    ">>> round(balloon.body.mass, 3)  # as before\n"
    "0.785");

static PyObject *set_shape(PyObject *object, PyObject *const *args, Py_ssize_t count,
                           PyObject *keywords) {
    static const char *const names[] = {"shape", "update_mass"};
    static const CoreSignature signature = {"set_shape", names, 2, 2, 1};
    PyObject *values[2];
    bool update_mass = true;
    if (!core_bind(&signature, args, count, keywords, values) ||
        (values[1] != NULL && !core_to_bool(values[1], "update_mass", &update_mass)) ||
        !change_shape(handle_of(object), values[0], update_mass)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *get_aabb(PyObject *object, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    if (!core_enter_alive_between_steps(self, HANDLE_COLLIDER)) {
        return NULL;
    }
    core_world_sync(self->world);
    PhAabb box = ph_collider_aabb(self->world->world, self->id.index);
    core_leave(self->world);
    return core_from_aabb(box);
}

static PyObject *get_vertices(PyObject *object, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    if (!core_enter_collider(self)) {
        return NULL;
    }
    const PhWorld *world = self->world->world;
    PhShape *shape = ph_collider_shape(world, self->id.index);
    PhTransform pose = ph_body_transform(world, ph_collider_body(world, self->id.index));
    ph_shape_retain(shape);
    core_leave(self->world);
    PyObject *array = core_from_points(shape->vertices, shape->vertex_count);
    if (array != NULL) {
        PhVec2 *vertices = PyArray_DATA((PyArrayObject *)array);
        for (int32_t i = 0; i < shape->vertex_count; ++i) {
            vertices[i] = ph_apply(pose, vertices[i]);
        }
    }
    ph_shape_release(shape);
    return array;
}

static PyObject *get_overlaps(PyObject *object, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    if (!core_enter_alive_between_steps(self, HANDLE_COLLIDER)) {
        return NULL;
    }
    PhWorld *world = self->world->world;
    uint32_t *found = NULL, count = 0;
    PhError error;
    core_world_sync(self->world);
    ph_world_set_stop(world, &core_listening);
    PhStatus status = ph_sensor_overlaps(world, self->id.index, &found, &count, &error);
    ph_world_set_stop(world, NULL);
    PhId *ids = status == PH_OK ? ph_alloc(count, sizeof *ids) : NULL;
    for (uint32_t i = 0; ids != NULL && i < count; ++i) {
        ids[i] = ph_collider_id(world, found[i]);
    }
    core_leave(self->world);
    ph_free(found);
    if (status != PH_OK) {
        return core_raise(self->world->core, &error);
    }
    PyObject *list =
        ids != NULL ? core_handle_list(self->world, TYPE_COLLIDER, ids, count) : PyErr_NoMemory();
    ph_free(ids);
    PyObject *tuple = list != NULL ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

static PyObject *collider_repr(PyObject *object) {
    HandleObject *self = handle_of(object);
    unsigned long index = self->id.index;
    if (core_is_inside(self->world)) {
        return PyUnicode_FromFormat("<Collider %lu>", index);
    }
    if (!core_enter(self->world)) {
        return NULL;
    }
    const PhWorld *world = self->world->world;
    bool alive = ph_collider_valid(world, self->id);
    unsigned long body = alive ? ph_collider_body(world, self->id.index) : 0;
    core_leave(self->world);
    return alive ? PyUnicode_FromFormat("<Collider %lu of body %lu>", index, body)
                 : PyUnicode_FromFormat("<Collider %lu, removed>", index);
}

CORE_LOGGED_SET(set_property, CORE_WORLD_OF_HANDLE)
CORE_LOGGED_SET(assign_shape, CORE_WORLD_OF_HANDLE)
CORE_LOGGED_FAST(set_shape, "set_shape", CORE_WORLD_OF_HANDLE)

#define PROPERTY(i, name, doc)                                                                     \
    { name, get_property, set_property_logged, doc, (void *)i }
static PyGetSetDef attributes[] = {
    {"index", core_handle_index, NULL, "Number of the collider in its world.", NULL},
    {"id", core_handle_id, NULL, "Number that is never used again in its world.", NULL},
    {"world", core_handle_world, NULL, "The World.", NULL},
    {"alive", core_handle_alive, NULL, "Whether the collider still exists.", NULL},
    {"body", get_body, NULL, "The Body.", NULL},
    {"shape", get_shape, assign_shape_logged,
     "The Shape, in the body's frame. Setting another keeps material, filter and id, and the mass "
     "of\nthe body follows; see set_shape().",
     NULL},
    CORE_USER_DATA,
    PROPERTY(0, "density", "kg/m^2; setting it changes the mass of the body."),
    PROPERTY(1, "friction", "Coefficient of friction, >= 0."),
    PROPERTY(2, "restitution", "Coefficient of restitution, >= 0."),
    PROPERTY(3, "rolling_resistance", "Torque = coefficient x radius x normal force; no unit."),
    PROPERTY(4, "tangent_speed",
             "Speed of the surface, m/s; positive on a floor carries bodies towards +x."),
    PROPERTY(5, "category", "Bits of what this collider is."),
    PROPERTY(6, "mask", "Bits of the categories that it collides with."),
    PROPERTY(7, "group",
             "Equal positive numbers always collide, equal negative ones never; 0 is no group."),
    PROPERTY(8, "sensor", "Whether it only sees others (overlaps, events) and touches nothing."),
    PROPERTY(9, "pre_solve", "Whether its contacts are shown to the pre-solve hook."),
    PROPERTY(10, "material",
             "Row of the collider in World.material_pairs, 0 to 255; None: no material."),
    PROPERTY(
        11, "friction_rule",
        "Rule by which friction mixes with that of another collider; None: World.friction_rule."),
    PROPERTY(12, "restitution_rule",
             "Rule by which restitution mixes with that of another collider; None: "
             "World.restitution_rule."),
    PROPERTY(13, "segments",
             "Surfaces of a chain's segments, a structured array (n,), or None.\n\n"
             "Columns friction, restitution, rolling_resistance and tangent_speed, where NaN, and\n"
             "material, where -1, is what the collider has. It can be set to a dict of some of "
             "the\n"
             "columns, each of shape (n,), to such an array, or to None: all are as the collider. "
             "The\n"
             "array is a copy."),
    {"overlaps", get_overlaps, NULL,
     "Tuple of the colliders that overlap this sensor at present, by index.\n\n"
     "They belong to other bodies, and are not sensors. Right after a step they are those whose\n"
     "visit has begun by its events and not ended; what is made, moved, changed or removed later\n"
     "is seen at once. Empty for a collider that is not a sensor.",
     NULL},
    {"contacts", core_collider_contacts, NULL, "Rows of World.contacts that name it.", NULL},
    {"aabb", get_aabb, NULL, "Bounds [[lower], [upper]], shape (2, 2), metres, world.", NULL},
    {"vertices", get_vertices, NULL,
     "Vertices of the outer ring, ends or centre, shape (n, 2), metres, world; without radius.",
     NULL},
    {0},
};

static PyMethodDef methods[] = {
    CORE_PICTURE_METHODS,
    CORE_HANDLE_REDUCE,
    {"ray_cast", CORE_FAST(core_collider_ray_cast), METH_FASTCALL | METH_KEYWORDS,
     core_collider_ray_cast_doc},
    {"set_shape", CORE_FAST(set_shape_logged), METH_FASTCALL | METH_KEYWORDS, set_shape_doc},
    {"closest_point", core_collider_closest_point, METH_O, core_collider_closest_point_doc},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, core_handle_dealloc},
    {Py_tp_traverse, core_handle_traverse},
    {Py_tp_richcompare, core_handle_compare},
    {Py_tp_hash, core_handle_hash},
    {Py_tp_repr, collider_repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_tp_members, core_handle_members},
    {Py_tp_new, core_refuse_new},
    {Py_tp_setattro, core_set_attribute},
    {Py_tp_doc, (void *)PyDoc_STR("A shape on a body with its material and filter.\n\n"
                                  "Made by World.add_body, World.add_bodies and Body.attach. Use "
                                  "after removal raises RemovedError.")},
    {0, NULL},
};

PyType_Spec core_collider_spec = {
    .name = "pyphys2d._core.Collider",
    .basicsize = sizeof(HandleObject),
    .flags = CORE_FLAGS,
    .slots = slots,
};

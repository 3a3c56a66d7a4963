// Read-only results with named attributes: RayHit, Events, Manifold, Distance, Impact, DrawList ...
// One layout for all: a type adds only its names.
#include <string.h>

#include "python/convert.h"
#include "python/pictures.h"

#define MAX_FIELDS 11

typedef struct RecordObject {
    PyObject_HEAD PyObject *field[MAX_FIELDS];
} RecordObject;

static int count_fields(PyTypeObject *type) {
    int count = 0;
    while (type->tp_members != NULL && type->tp_members[count].name != NULL) {
        ++count;
    }
    return count;
}

static int record_traverse(PyObject *object, visitproc visit, void *arg) {
    RecordObject *self = (RecordObject *)object;
    Py_VISIT(Py_TYPE(object));
    for (int i = 0; i < MAX_FIELDS; ++i) {
        Py_VISIT(self->field[i]);
    }
    return 0;
}

static int record_clear(PyObject *object) {
    RecordObject *self = (RecordObject *)object;
    for (int i = 0; i < MAX_FIELDS; ++i) {
        Py_CLEAR(self->field[i]);
    }
    return 0;
}

static void record_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    (void)record_clear(object);
    type->tp_free(object);
    Py_DECREF(type);
}

// tables_only: other arrays than tables are printed as they are.
static PyObject *record_text(PyObject *object, bool tables_only) {
    RecordObject *self = (RecordObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    int count = count_fields(type);
    PyObject *parts = PyList_New(0);
    for (int i = 0; parts != NULL && i < count; ++i) {
        const char *name = type->tp_members[i].name;
        PyObject *field = self->field[i];
        bool table =
            PyArray_Check(field) && (!tables_only || PyArray_HASFIELDS((PyArrayObject *)field));
        PyArrayObject *array = (PyArrayObject *)field; // a caller may have set its shape to ()
        Py_ssize_t rows = table && PyArray_NDIM(array) > 0 ? PyArray_DIM(array, 0) : 1;
        PyObject *part = table ? PyUnicode_FromFormat("%s=<%zd rows>", name, rows)
                               : PyUnicode_FromFormat("%s=%R", name, field);
        if (part == NULL || PyList_Append(parts, part) < 0) {
            Py_CLEAR(parts);
        }
        Py_XDECREF(part);
    }
    PyObject *separator = PyUnicode_FromString(", ");
    PyObject *inside = parts != NULL && separator != NULL ? PyUnicode_Join(separator, parts) : NULL;
    PyObject *name = inside != NULL ? PyType_GetName(type) : NULL;
    PyObject *text = name != NULL ? PyUnicode_FromFormat("%U(%U)", name, inside) : NULL;
    Py_XDECREF(parts);
    Py_XDECREF(separator);
    Py_XDECREF(inside);
    Py_XDECREF(name);
    return text;
}

static PyObject *record_repr(PyObject *object) {
    return record_text(object, true);
}

// Arrays as numbers of rows.
static PyObject *draw_list_repr(PyObject *object) {
    return record_text(object, false);
}

#define FIELD(i, name, doc)                                                                        \
    { name, T_OBJECT_EX, offsetof(RecordObject, field) + (i) * sizeof(PyObject *), READONLY, doc }

// core_VARIABLE_spec, of VARIABLE_members; what follows are slots of its own, {0, NULL} for none.
#define RECORD_TYPE(variable, type_name, repr, doc, ...)                                           \
    static PyType_Slot variable##_slots[] = {                                                      \
        {Py_tp_dealloc, record_dealloc},                                                           \
        {Py_tp_traverse, record_traverse},                                                         \
        {Py_tp_clear, record_clear},                                                               \
        {Py_tp_repr, repr},                                                                        \
        {Py_tp_members, variable##_members},                                                       \
        {Py_tp_doc, (void *)PyDoc_STR(doc)},                                                       \
        __VA_ARGS__,                                                                               \
        {0, NULL},                                                                                 \
    };                                                                                             \
    PyType_Spec core_##variable##_spec = {                                                         \
        .name = "pyphys2d._core." type_name,                                                       \
        .basicsize = sizeof(RecordObject),                                                         \
        .flags = CORE_HANDLE_FLAGS,                                                                \
        .slots = variable##_slots,                                                                 \
    }

static PyObject *record_reduce(PyObject *object, PyObject *Py_UNUSED(ignored)) {
    RecordObject *self = (RecordObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    const CoreState *core = core_state_of(type);
    int count = count_fields(type);
    PyObject *fields = core != NULL ? PyTuple_New(count) : NULL;
    for (int i = 0; fields != NULL && i < count; ++i) {
        PyObject *field = self->field[i] != NULL ? self->field[i] : Py_None;
        PyTuple_SET_ITEM(fields, i, Py_NewRef(field));
    }
    PyObject *make = fields != NULL ? PyObject_GetAttrString(core->module, "_record") : NULL;
    PyObject *name = make != NULL ? PyType_GetName(type) : NULL;
    PyObject *result = name != NULL ? Py_BuildValue("O(OO)", make, name, fields) : NULL;
    Py_XDECREF(fields);
    Py_XDECREF(make);
    Py_XDECREF(name);
    return result;
}
#define RECORD_REDUCE                                                                              \
    { "__reduce__", record_reduce, METH_NOARGS, "__reduce__($self, /)\n--\n\nFor pickle and copy." }
// Of records that are values through and through.
static PyMethodDef value_methods[] = {RECORD_REDUCE, {0}};

static PyMemberDef ray_hit_members[] = {
    FIELD(0, "collider", "The Collider that was hit."),
    FIELD(1, "body", "Its Body."),
    FIELD(2, "piece", "Number of the convex piece of the shape."),
    FIELD(3, "point", "World point, shape (2,), metres."),
    FIELD(4, "normal",
          "Unit normal out of the collider, shape (2,), world; zero where a shape begins deep "
          "inside."),
    FIELD(5, "fraction", "Part of the translation or motion travelled, 0 to 1."),
    {0},
};
RECORD_TYPE(ray_hit, "RayHit", record_repr, "Where a ray or a moving shape first meets a collider.",
            {0, NULL});

static PyMemberDef events_members[] = {
    FIELD(
        0, "contact_begin",
        "Pairs of colliders that began to touch; structured array with columns step, body_a, "
        "body_b, collider_a, collider_b (numbers, as of that step) and body_id_a, body_id_b, "
        "collider_id_a, collider_id_b, which are never given out again, and id, the number of the "
        "contact: that of its hit, its end and its rows in World.contacts."),
    FIELD(1, "contact_end",
          "Pairs of colliders that ceased to touch, also by removal; columns as contact_begin."),
    FIELD(2, "contact_hit",
          "Contacts that began faster than hit_event_threshold; columns as contact_begin, and "
          "point and normal (world, from a to b), shape (2,), speed at which they came together "
          "(m/s) and impulse of the step (N s)."),
    FIELD(3, "sensor_begin",
          "Colliders b that entered a sensor a, or crossed it within the step; columns as "
          "contact_begin, but for id."),
    FIELD(4, "sensor_end",
          "Colliders b that left a sensor a, or crossed it within the step, also by removal or "
          "change of either; columns as contact_begin, but for id."),
    FIELD(5, "joint_break",
          "Joints that broke and are gone; structured array with columns step, joint, joint_id, "
          "force (N) on body b, shape (2,), and torque (N m)."),
    FIELD(6, "sleep",
          "Bodies that fell asleep; structured array with columns step, body and body_id."),
    FIELD(7, "wake", "Bodies that woke up; columns as sleep."),
    FIELD(8, "body_move",
          "Bodies whose pose changed, each once, with the last step that moved them or that came "
          "after they had been placed; columns as sleep."),
    {0},
};
RECORD_TYPE(events, "Events", record_repr,
            "Events of the last call of World.step, each row with its step number.", {0, NULL});

static PyMemberDef manifold_members[] = {
    FIELD(0, "normal", "Unit normal from a to b, shape (2,); NaN when there is no contact."),
    FIELD(1, "points", "Midway between the surfaces, shape (k, 2), k <= 2, metres."),
    FIELD(2, "separations", "Shape (k,), metres; negative when overlapping."),
    FIELD(3, "features", "Shape (k,), uint32; stable while the same features touch."),
    {0},
};
static int manifold_bool(PyObject *object) {
    PyObject *points = ((RecordObject *)object)->field[1];
    return points != NULL && PyArray_DIM((PyArrayObject *)points, 0) > 0;
}
static PyMethodDef manifold_methods[] = {
    CORE_PICTURE_METHODS,
    RECORD_REDUCE,
    {0},
};
RECORD_TYPE(manifold, "Manifold", record_repr, "Contact of two shapes; false when there is none.",
            {Py_nb_bool, manifold_bool}, {Py_tp_methods, manifold_methods});

static PyMemberDef distance_members[] = {
    FIELD(0, "distance", "Between the surfaces, metres; 0 when they overlap."),
    FIELD(1, "point_a", "Closest point on a, shape (2,), metres."),
    FIELD(2, "point_b", "Closest point on b, shape (2,), metres."),
    FIELD(3, "normal",
          "Unit vector from a to b, shape (2,), also when they only touch; zero when they overlap "
          "by more than their rounding radii."),
    {0},
};
RECORD_TYPE(distance, "Distance", record_repr, "Distance of two shapes and their closest points.",
            {Py_tp_methods, value_methods});

static PyMemberDef impact_members[] = {
    FIELD(0, "hit", "Whether they come close enough."),
    FIELD(1, "fraction", "Part of the motion until then, 0 to 1; NaN without a hit."),
    FIELD(2, "point", "Midway between the closest points then, shape (2,), metres, or NaN."),
    FIELD(3, "normal",
          "Unit vector from a to b then, shape (2,), or NaN; zero when they begin in each other "
          "by more than their rounding radii."),
    {0},
};
static int impact_bool(PyObject *object) {
    return ((RecordObject *)object)->field[0] == Py_True;
}
RECORD_TYPE(impact, "Impact", record_repr, "When two moving shapes meet; false when they do not.",
            {Py_nb_bool, impact_bool}, {Py_tp_methods, value_methods});

static PyMemberDef tile_hit_members[] = {
    FIELD(0, "row", "Row of the tile."),
    FIELD(1, "column", "Column of the tile."),
    FIELD(2, "fraction", "Part of the translation travelled, 0 to 1."),
    FIELD(3, "point", "Shape (2,), metres."),
    FIELD(4, "normal", "Unit normal out of the tile, shape (2,)."),
    {0},
};
RECORD_TYPE(tile_hit, "TileHit", record_repr, "Where a ray enters the solid of a TileMap.",
            {Py_tp_methods, value_methods});

static PyMemberDef draw_list_members[] = {
    FIELD(0, "time", "Seconds of the world's clock."),
    FIELD(1, "poses",
          "Poses of all bodies by slot, shape (s, 3): x, y (metres, world frame) of the origin and "
          "angle "
          "(radians). NaN for slots without a body."),
    FIELD(2, "states",
          "States of all bodies by slot, shape (s,), uint8: 0 static, 1 kinematic, 2 dynamic, 3 "
          "dynamic "
          "and asleep."),
    FIELD(
        3, "colliders",
        "A row for each collider, structured array with columns radius (of a circle or of rounded "
        "corners, metres), collider, body (its slot), first, count, kind, convex, sensor and "
        "one_sided. kind "
        "0: an area, whose outline is ring `first`, and whose holes are the count - 1 rings after "
        "it; 1: a circle, row `first` of circles; 2: the open line of ring `first`; 3: the same, "
        "closed. The solid side of a chain is to the right of its points. Colliders that share a "
        "shape share its rings."),
    FIELD(4, "aabbs",
          "Bounds of the rows of colliders as they are now, shape (c, 2, 2), metres, world frame."),
    FIELD(5, "points",
          "Points of all rings, shape (p, 2), metres, in the frame of the body. Outer rings run "
          "counter-clockwise, holes clockwise; no ring repeats its first point. The arcs of "
          "capsules and rounded polygons are vertices on the arc at most 1/64 of a turn apart, and "
          "at least two steps each."),
    FIELD(6, "rings", "Offsets, shape (r + 1,), int32: ring k is points[rings[k]:rings[k + 1]]."),
    FIELD(7, "circles", "Shape (k, 3): centre x, y in the frame of the body and radius, metres."),
    FIELD(8, "joints",
          "A row for each drawing primitive of a joint, structured array with columns joint, kind, "
          "first and count: the polyline joint_points[first:first + count]. kind 0: a stem from a "
          "body to its anchor; 1: a line that holds, or a mark; 2: a line to be dashed, as an axis "
          "or a slack rope; 3: a limit."),
    FIELD(9, "joint_points", "Shape (q, 2), metres, world frame; not finite where a pose is not."),
    FIELD(10, "contacts", "The contact points, as world.contacts has them."),
    {0},
};
RECORD_TYPE(draw_list, "DrawList", draw_list_repr,
            "What a picture of a world needs, at one instant; made by World.draw_list.", {0, NULL});

static PyMemberDef simd_members[] = {
    FIELD(0, "name", "Instruction set that new worlds use."),
    FIELD(1, "available", "Tuple of those this machine can use, best last."),
    {0},
};
RECORD_TYPE(simd, "Simd", record_repr, "Instruction set of the solver's kernels.", {0, NULL});

// ------------------------------------------------------------------------------------------------
// making one

PyObject *core_record(const CoreState *core, CoreType which, PyObject *const *values) {
#define LENGTH(members) CORE_COUNT(members) - 1
    // Not asked of the type, which may have been cleared: the values are to be dropped even then.
    static const int counts[TYPE_COUNT] = {
        [TYPE_RAY_HIT] = LENGTH(ray_hit_members),   [TYPE_EVENTS] = LENGTH(events_members),
        [TYPE_MANIFOLD] = LENGTH(manifold_members), [TYPE_DISTANCE] = LENGTH(distance_members),
        [TYPE_SIMD] = LENGTH(simd_members),         [TYPE_TILE_HIT] = LENGTH(tile_hit_members),
        [TYPE_IMPACT] = LENGTH(impact_members),     [TYPE_DRAW_LIST] = LENGTH(draw_list_members),
    };
#undef LENGTH
    int count = counts[which];
    bool ok = true;
    for (int i = 0; i < count; ++i) {
        ok = ok && values[i] != NULL;
    }
    PyTypeObject *type = ok ? core_type(core, which) : NULL;
    RecordObject *self = type != NULL ? (RecordObject *)type->tp_alloc(type, 0) : NULL;
    for (int i = 0; i < count; ++i) {
        if (self != NULL) {
            self->field[i] = values[i];
        } else {
            Py_XDECREF(values[i]);
        }
    }
    return (PyObject *)self;
}

// ------------------------------------------------------------------------------------------------
// one from its fields

// What is to become a field, by letter.
typedef struct RecordValue {
    const char *name;
    CoreType type;
    // b bool, i 32-bit integer, d number, v (2,); of k <= 2 points: p (k, 2), s (k,), f (k,) uint32
    const char *fields;
} RecordValue;

static const RecordValue record_values[] = {
    {"Distance", TYPE_DISTANCE, "dvvv"},
    {"Impact", TYPE_IMPACT, "bdvv"},
    {"Manifold", TYPE_MANIFOLD, "vpsf"},
    {"TileHit", TYPE_TILE_HIT, "iidvv"},
};

static PyObject *number_field(PyObject *object, const char *name, char kind) {
    long long integer;
    bool truth;
    if (kind == 'b') {
        return core_to_bool(object, name, &truth) ? PyBool_FromLong(truth) : NULL;
    }
    if (kind == 'i') {
        bool ok = core_to_integer(object, name, INT32_MIN, INT32_MAX, &integer);
        return ok ? PyLong_FromLongLong(integer) : NULL;
    }
    double number = PyFloat_AsDouble(object); // may be NaN
    return number == -1 && PyErr_Occurred() ? NULL : PyFloat_FromDouble(number);
}

// *points is their number, -1 before the first array of them.
static PyObject *array_field(PyObject *object, const char *name, char kind, npy_intp *points) {
    PyArrayObject *array =
        kind == 'f' ? (PyArrayObject *)PyArray_FROMANY(object, NPY_UINT32, 0, 0,
                                                       NPY_ARRAY_CARRAY | NPY_ARRAY_ENSURECOPY |
                                                           NPY_ARRAY_ENSUREARRAY)
                    : core_to_numbers(object, name);
    if (array == NULL) {
        core_blame_memory();
        return NULL;
    }
    int axes = kind == 'p' ? 2 : 1;
    bool right = PyArray_NDIM(array) == axes && (axes == 1 || PyArray_DIM(array, 1) == 2);
    npy_intp count = right ? PyArray_DIM(array, 0) : 0;
    if (kind == 'v') {
        right = right && count == 2;
    } else {
        right = right && count <= 2 && (*points < 0 || count == *points);
        *points = count;
    }
    if (!right) {
        core_shape_error(name, kind == 'v' ? "(2,)" : "of at most two points", array);
        Py_DECREF(array);
        return NULL;
    }
    return (PyObject *)array;
}

const char core_record_doc[] = "_record($module, name, fields, /)\n--\n\n"
                               "A Distance, Impact, Manifold or TileHit of its fields, for pickle.";

PyObject *core_record_of_fields(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    if (count != 2 || !PyUnicode_Check(args[0]) || !PyTuple_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "_record() takes a name and a tuple of fields");
        return NULL;
    }
    const RecordValue *value = NULL;
    for (size_t i = 0; i < sizeof record_values / sizeof *record_values; ++i) {
        if (PyUnicode_CompareWithASCIIString(args[0], record_values[i].name) == 0) {
            value = &record_values[i];
        }
    }
    if (value == NULL) {
        return PyErr_Format(PyExc_ValueError, "name: must be that of a record, got %R", args[0]);
    }
    Py_ssize_t size = (Py_ssize_t)strlen(value->fields);
    if (PyTuple_GET_SIZE(args[1]) != size) {
        return PyErr_Format(PyExc_ValueError, "fields: must be %zd, got %zd", size,
                            PyTuple_GET_SIZE(args[1]));
    }
    PyObject *made[MAX_FIELDS] = {NULL};
    npy_intp points = -1;
    for (Py_ssize_t i = 0; i < size; ++i) {
        char name[16], kind = value->fields[i];
        PyObject *field = PyTuple_GET_ITEM(args[1], i);
        PyOS_snprintf(name, sizeof name, "fields[%d]", (int)i);
        made[i] = strchr("bid", kind) != NULL ? number_field(field, name, kind)
                                              : array_field(field, name, kind, &points);
        if (made[i] == NULL) {
            break;
        }
    }
    return core_record(PyModule_GetState(module), value->type, made);
}

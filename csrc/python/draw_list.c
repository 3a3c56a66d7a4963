// world.draw_list(): what pictures of a world need, as a few arrays made in one call.
//
// Invariant: all arrays of a list are of one instant and own their memory. Colliders that share a
// shape share its rings or its circle, so that many equal bodies cost one outline.
#include <math.h>

#include "base/memory.h"
#include "geometry/outline.h"
#include "python/convert.h"
#include "python/world_methods.h"
#include "world/joint_primitives.h"

// Of the rows of `colliders`.
enum { DRAW_AREA, DRAW_CIRCLE, DRAW_LINE, DRAW_LOOP };
// Of `states`; the kinds of a body, of which a dynamic one may be asleep.
enum { STATE_ASLEEP = PH_DYNAMIC + 1 };

// The outline of a shape, once.
typedef struct KnownShape {
    const PhShape *shape; // NULL: a free place
    int32_t first, count;
} KnownShape;

typedef struct DrawList {
    PhVec2 *points;
    int32_t *ring_ends;
    double (*circles)[3];
    CoreDrawJointRow *joints;
    PhVec2 *joint_points;
    uint32_t point_count, ring_count, circle_count, joint_count, joint_point_count;
    uint32_t point_capacity, ring_capacity, circle_capacity, joint_capacity, joint_point_capacity;
    KnownShape *known; // open addressing, at most half full
    uint32_t known_mask;
    bool failed; // memory was short
} DrawList;

static void free_list(DrawList *list) {
    ph_free(list->points);
    ph_free(list->ring_ends);
    ph_free(list->circles);
    ph_free(list->joints);
    ph_free(list->joint_points);
    ph_free(list->known);
}

// Makes room for `more` elements. Numbers of rows are 32-bit integers in the arrays.
static bool make_room(DrawList *list, void *data, uint32_t *capacity, uint32_t count, size_t more,
                      size_t size) {
    uint64_t need = (uint64_t)count + more;
    list->failed =
        list->failed || need > INT32_MAX || ph_reserve_array(data, capacity, need, size) != PH_OK;
    return !list->failed;
}

// ------------------------------------------------------------------------------------------------
// shapes

static void add_ring(DrawList *list, const PhVec2 *vertices, const PhVec2 *normals, int32_t count,
                     double radius) {
    size_t most = radius > 0 ? ph_outline_room(count) : (size_t)count;
    if (!make_room(list, &list->points, &list->point_capacity, list->point_count, most,
                   sizeof *list->points) ||
        !make_room(list, &list->ring_ends, &list->ring_capacity, list->ring_count, 1,
                   sizeof *list->ring_ends)) {
        return;
    }
    PhVec2 *out = list->points + list->point_count;
    if (radius > 0) {
        count = ph_grow_outline(vertices, normals, count, radius, false, out);
    } else {
        memcpy(out, vertices, (size_t)count * sizeof *out);
    }
    list->point_count += (uint32_t)count;
    list->ring_ends[list->ring_count++] = (int32_t)list->point_count;
}

static void add_shape(DrawList *list, const PhShape *shape, KnownShape *place) {
    *place = (KnownShape){shape, (int32_t)list->ring_count, 1 + shape->hole_count};
    if (shape->kind == PH_SHAPE_CIRCLE) {
        *place = (KnownShape){shape, (int32_t)list->circle_count, 1};
        if (make_room(list, &list->circles, &list->circle_capacity, list->circle_count, 1,
                      sizeof *list->circles)) {
            double *circle = list->circles[list->circle_count++];
            circle[0] = shape->vertices[0].x;
            circle[1] = shape->vertices[0].y;
            circle[2] = shape->radius;
        }
        return;
    }
    const PhPiece *piece = &shape->pieces[0]; // the only one of a round shape
    if (shape->radius > 0) {
        add_ring(list, piece->vertices, piece->normals, piece->count, shape->radius);
        return;
    }
    add_ring(list, shape->vertices, NULL, shape->vertex_count, 0);
    for (int32_t i = 0; i < shape->hole_count; ++i) {
        const int32_t *starts = shape->hole_starts;
        add_ring(list, shape->vertices + starts[i], NULL, starts[i + 1] - starts[i], 0);
    }
}

static KnownShape find_shape(DrawList *list, const PhShape *shape) {
    uint64_t hash = (uint64_t)(uintptr_t)shape * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(hash >> 32) & list->known_mask;
    while (list->known[at].shape != NULL && list->known[at].shape != shape) {
        at = (at + 1) & list->known_mask;
    }
    if (list->known[at].shape == NULL) {
        add_shape(list, shape, &list->known[at]);
    }
    return list->known[at];
}

static CoreDrawColliderRow drawn_row(const PhShape *shape, KnownShape known) {
    uint8_t line = shape->loop ? DRAW_LOOP : DRAW_LINE;
    bool is_line = ph_shape_kinds[shape->kind]->line;
    return (CoreDrawColliderRow){.radius = shape->radius,
                                 .first = known.first,
                                 .count = known.count,
                                 .convex = shape->convex,
                                 .one_sided = shape->kind == PH_SHAPE_CHAIN,
                                 .kind = shape->kind == PH_SHAPE_CIRCLE ? DRAW_CIRCLE
                                         : is_line                      ? line
                                                                        : DRAW_AREA};
}

static void add_colliders(DrawList *list, const PhWorld *world, CoreDrawColliderRow *rows,
                          PhAabb *boxes) {
    uint32_t size = 16;
    while (size / 2 < ph_world_collider_count(world)) {
        size *= 2;
    }
    list->known = ph_alloc(size, sizeof *list->known);
    list->known_mask = size - 1;
    list->failed = list->known == NULL;
    for (uint32_t i = 0; !list->failed && i < ph_world_collider_limit(world); ++i) {
        if (!ph_collider_alive(world, i)) {
            continue;
        }
        const PhShape *shape = ph_collider_shape(world, i);
        KnownShape known = find_shape(list, shape);
        *rows = drawn_row(shape, known);
        rows->collider = (int32_t)i;
        rows->body = (int32_t)ph_collider_body(world, i);
        rows->sensor = ph_collider_material(world, i).sensor;
        rows += 1;
        *boxes++ = ph_collider_aabb(world, i);
    }
}

// ------------------------------------------------------------------------------------------------
// what moves

typedef struct JointSheet {
    DrawList *list;
    int32_t joint;
} JointSheet;

static void keep_primitive(void *context, PhJointPrimitive kind, const PhVec2 *points, int count) {
    const JointSheet *sheet = context;
    DrawList *list = sheet->list;
    if (!make_room(list, &list->joint_points, &list->joint_point_capacity, list->joint_point_count,
                   (size_t)count, sizeof *list->joint_points) ||
        !make_room(list, &list->joints, &list->joint_capacity, list->joint_count, 1,
                   sizeof *list->joints)) {
        return;
    }
    memcpy(list->joint_points + list->joint_point_count, points, (size_t)count * sizeof *points);
    list->joints[list->joint_count++] =
        (CoreDrawJointRow){sheet->joint, (int32_t)kind, (int32_t)list->joint_point_count, count};
    list->joint_point_count += (uint32_t)count;
}

static void add_joints(DrawList *list, const PhWorld *world, double mark_size) {
    for (uint32_t i = 0; i < ph_joint_limit(world); ++i) {
        if (ph_joint_alive(world, i)) {
            JointSheet sheet = {list, (int32_t)i};
            ph_joint_primitives(world, i, mark_size, keep_primitive, &sheet);
        }
    }
}

static void copy_bodies(const PhWorld *world, double (*poses)[3], uint8_t *states) {
    const PhState *state = ph_world_state(world);
    for (uint32_t i = 0; i < ph_world_slot_count(world); ++i) {
        bool alive = state->alive[i];
        poses[i][0] = alive ? state->position[i][0] : NAN;
        poses[i][1] = alive ? state->position[i][1] : NAN;
        poses[i][2] = alive ? state->angle[i] : NAN;
        bool asleep = state->kind[i] == PH_DYNAMIC && !state->awake[i];
        states[i] = !alive ? PH_STATIC : asleep ? STATE_ASLEEP : state->kind[i];
    }
}

// ------------------------------------------------------------------------------------------------
// the call

static PyObject *blank(int type, npy_intp rows, npy_intp columns) {
    npy_intp shape[2] = {rows, columns};
    return PyArray_SimpleNew(columns > 0 ? 2 : 1, shape, type); // columns 0: one axis
}

static PyObject *copy_of(const void *data, int type, size_t size, uint32_t rows, int columns) {
    PyObject *array = blank(type, (npy_intp)rows, columns);
    if (array != NULL && rows > 0) {
        memcpy(PyArray_DATA((PyArrayObject *)array), data, rows * size);
    }
    return array;
}

// rings[k] .. rings[k + 1] are the points of ring k.
static PyObject *ring_offsets(const DrawList *list) {
    PyObject *array = blank(NPY_INT32, (npy_intp)list->ring_count + 1, 0);
    if (array != NULL) {
        int32_t *offsets = PyArray_DATA((PyArrayObject *)array);
        offsets[0] = 0;
        for (uint32_t i = 0; i < list->ring_count; ++i) {
            offsets[i + 1] = list->ring_ends[i];
        }
    }
    return array;
}

enum { // fields of a DrawList, in the order of record_types.c
    LIST_TIME,
    LIST_POSES,
    LIST_STATES,
    LIST_COLLIDERS,
    LIST_AABBS,
    LIST_POINTS,
    LIST_RINGS,
    LIST_CIRCLES,
    LIST_JOINTS,
    LIST_JOINT_POINTS,
    LIST_CONTACTS,
    LIST_FIELDS
};

typedef struct Wanted {
    bool shapes, joints, contacts;
    double mark_size;
} Wanted;

// Inside the gate: all arrays whose length is known, and the list for the others.
static void collect(WorldObject *self, const Wanted *wanted, DrawList *list, PyObject **field,
                    double *time) {
    const PhWorld *world = self->world;
    npy_intp slots = ph_world_slot_count(world);
    npy_intp colliders = wanted->shapes ? ph_world_collider_count(world) : 0;
    npy_intp box_shape[3] = {colliders, 2, 2};
    core_world_sync(self);
    *time = ph_world_time(world);
    field[LIST_POSES] = blank(NPY_DOUBLE, slots, 3);
    field[LIST_STATES] = blank(NPY_UINT8, slots, 0);
    field[LIST_COLLIDERS] = core_rows(self->core, ROW_DRAW_COLLIDER, NULL, colliders);
    field[LIST_AABBS] = PyArray_SimpleNew(3, box_shape, NPY_DOUBLE);
    field[LIST_CONTACTS] = wanted->contacts ? core_contact_rows(self, PH_NULL)
                                            : core_rows(self->core, ROW_CONTACT, NULL, 0);
    for (int i = LIST_POSES; i < LIST_FIELDS; ++i) {
        if (field[i] == NULL && (i <= LIST_AABBS || i == LIST_CONTACTS)) {
            return; // with its exception
        }
    }
    copy_bodies(world, PyArray_DATA((PyArrayObject *)field[LIST_POSES]),
                PyArray_DATA((PyArrayObject *)field[LIST_STATES]));
    if (wanted->shapes) {
        add_colliders(list, world, PyArray_DATA((PyArrayObject *)field[LIST_COLLIDERS]),
                      PyArray_DATA((PyArrayObject *)field[LIST_AABBS]));
    }
    if (wanted->joints) {
        add_joints(list, world, wanted->mark_size);
    }
}

// A DrawList of its fields so far and what is in the list, which is freed. Steals the fields.
static PyObject *make_draw_list(const CoreState *core, DrawList *list, PyObject **field,
                                double time) {
    if (list->failed && !PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    if (!PyErr_Occurred()) {
        field[LIST_TIME] = PyFloat_FromDouble(time);
        field[LIST_POINTS] =
            copy_of(list->points, NPY_DOUBLE, sizeof(PhVec2), list->point_count, 2);
        field[LIST_RINGS] = ring_offsets(list);
        field[LIST_CIRCLES] =
            copy_of(list->circles, NPY_DOUBLE, sizeof *list->circles, list->circle_count, 3);
        field[LIST_JOINTS] = core_rows(core, ROW_DRAW_JOINT, list->joints, list->joint_count);
        field[LIST_JOINT_POINTS] =
            copy_of(list->joint_points, NPY_DOUBLE, sizeof(PhVec2), list->joint_point_count, 2);
    }
    free_list(list);
    for (int i = LIST_POSES; i < LIST_FIELDS; ++i) {
        if (field[i] != NULL) {
            PyArray_CLEARFLAGS((PyArrayObject *)field[i], NPY_ARRAY_WRITEABLE);
        }
    }
    return core_record(core, TYPE_DRAW_LIST, field);
}

const char core_world_draw_list_doc[] =
    "draw_list($self, *, shapes=True, joints=True, contacts=True, mark_size=0.25)\n--\n\n"
    "Get what a picture of the world needs, as a few arrays: outlines, joints, contacts, poses.\n\n"
    "For a renderer of your own. Outlines stand in the frames of their bodies, so that they need\n"
    "to be read once, and again when colliders were added or removed; the frames of a film need\n"
    "``draw_list(shapes=False)`` alone.\n\n"
    "Parameters\n----------\n"
    "shapes : bool\n"
    "    The outlines of all colliders; without them colliders, aabbs, points and circles are "
    "empty.\n"
    "joints : bool\n    Lines for all joints.\n"
    "contacts : bool\n    The contact points, as world.contacts has them.\n"
    "mark_size : float\n    About the size of the marks that joints are drawn with, metres.\n\n"
    "Returns\n-------\n"
    "DrawList\n    Read-only arrays of its own memory; see there for what they hold.\n\n"
    "Raises\n------\n"
    "ValueError\n    If mark_size is not a positive number.\n"
    "WorldLockedError\n    In the middle of the world's own step; on_force may ask.\n\n"
    "Examples\n--------\n"
    ">>> import numpy as np\n"
    ">>> import pyphys2d as p2\n"
    ">>> world = p2.World()\n"
    ">>> body = world.add_body(p2.Box(2, 1), (5, 0))\n"
    ">>> drawing = world.draw_list()\n"
    ">>> row = drawing.colliders[0]\n"
    ">>> outline = drawing.points[drawing.rings[row[\"first\"]]:drawing.rings[row[\"first\"] + "
    "1]]\n"
    ">>> x, y, angle = drawing.poses[row[\"body\"]]\n"
    ">>> turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])\n"
    ">>> print(outline @ turn.T + (x, y))\n"
    "[[ 4.  -0.5]\n"
    " [ 6.  -0.5]\n"
    " [ 6.   0.5]\n"
    " [ 4.   0.5]]";

PyObject *core_world_draw_list(PyObject *object, PyObject *const *args, Py_ssize_t count,
                               PyObject *keywords) {
    CORE_ARGUMENTS("draw_list", 0, 0, "shapes", "joints", "contacts", "mark_size");
    WorldObject *self = (WorldObject *)object;
    Wanted wanted = {true, true, true, 0.25};
    bool *const flags[] = {&wanted.shapes, &wanted.joints, &wanted.contacts};
    if (!core_bind(&signature, args, count, keywords, values)) {
        return NULL;
    }
    for (int i = 0; i < 3; ++i) {
        if (values[i] != NULL && !core_to_bool(values[i], names[i], flags[i])) {
            return NULL;
        }
    }
    if ((values[3] != NULL && !core_to_positive(values[3], "mark_size", &wanted.mark_size)) ||
        !core_enter(self)) {
        return NULL;
    }
    DrawList list = {0};
    PyObject *field[LIST_FIELDS] = {NULL};
    double time = 0;
    collect(self, &wanted, &list, field, &time);
    core_leave(self);
    return make_draw_list(self->core, &list, field, time);
}

// ------------------------------------------------------------------------------------------------
// outlines of no world

const char core_draw_shape_doc[] =
    "_draw_shape($module, shape, /)\n--\n\n"
    "The DrawList of a world with a dynamic body of this shape at the origin.";

PyObject *core_draw_shape(PyObject *module, PyObject *object) {
    const CoreState *core = PyModule_GetState(module);
    const PhShape *shape = core_to_shape(core, object, "shape");
    if (shape == NULL) {
        return NULL;
    }
    DrawList list = {0};
    KnownShape known;
    npy_intp box_shape[3] = {1, 2, 2};
    add_shape(&list, shape, &known);
    CoreDrawColliderRow row = drawn_row(shape, known);
    const double pose[3] = {0, 0, 0};
    const uint8_t state = PH_DYNAMIC;
    PyObject *field[LIST_FIELDS] = {
        [LIST_POSES] = copy_of(pose, NPY_DOUBLE, sizeof pose, 1, 3),
        [LIST_STATES] = copy_of(&state, NPY_UINT8, 1, 1, 0),
        [LIST_COLLIDERS] = core_rows(core, ROW_DRAW_COLLIDER, &row, 1),
        [LIST_AABBS] = PyArray_SimpleNew(3, box_shape, NPY_DOUBLE),
        [LIST_CONTACTS] = core_rows(core, ROW_CONTACT, NULL, 0),
    };
    if (field[LIST_AABBS] != NULL) {
        *(PhAabb *)PyArray_DATA((PyArrayObject *)field[LIST_AABBS]) = shape->aabb;
    }
    return make_draw_list(core, &list, field, 0);
}

const char core_rounded_doc[] =
    "_rounded($module, ring, radius, /)\n--\n\n"
    "Outline of a convex, counter-clockwise ring (n, 2) grown by a disc, with the vertices on its\n"
    "arcs that World.draw_list() gives it. Two points are the ends of a capsule, one is the "
    "centre\n"
    "of a circle.";

PyObject *core_rounded(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count) {
    double radius;
    if (count != 2) {
        return PyErr_Format(PyExc_TypeError, "_rounded() takes a ring and a radius");
    }
    PyArrayObject *ring = core_to_ring(args[0], "ring", 1);
    if (ring == NULL || !core_to_positive(args[1], "radius", &radius)) {
        Py_XDECREF(ring);
        return NULL;
    }
    const PhVec2 *vertices = core_points(ring);
    npy_intp size = PyArray_DIM(ring, 0);
    bool small = size < INT32_MAX / PH_OUTLINE_VERTICES;
    PhVec2 *normals = small ? ph_alloc((size_t)size, sizeof *normals) : NULL;
    PyObject *result = NULL;
    if (normals != NULL) {
        for (npy_intp i = 0; i < size; ++i) {
            PhVec2 edge = ph_sub(vertices[i + 1 < size ? i + 1 : 0], vertices[i]);
            normals[i] = ph_normalize_or(ph_right(edge), ph_vec(0, -1));
        }
        // Counted, since a ring that is not convex may turn more than once.
        int32_t length = (int32_t)size;
        int32_t made = ph_grow_outline(vertices, normals, length, radius, false, NULL);
        result = blank(NPY_DOUBLE, made, 2);
        if (result != NULL) {
            (void)ph_grow_outline(vertices, normals, length, radius, false,
                                  PyArray_DATA((PyArrayObject *)result));
        }
    } else {
        PyErr_NoMemory();
    }
    ph_free(normals);
    Py_DECREF(ring);
    return result;
}

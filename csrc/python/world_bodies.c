// Making and removing bodies, and the Python side of them: names, user data and shape objects.
//
// Invariant: names and user_data hold entries of living bodies only; they are written under the
// GIL, outside the gate.
#include <math.h>

#include "python/convert.h"
#include "python/ring_arguments.h"
#include "python/world_methods.h"
#include "python/world_queries.h"

// ------------------------------------------------------------------------------------------------
// tables

PyObject *core_table_key(PhId id) {
    return PyLong_FromUnsignedLongLong(core_id_number(id));
}

bool core_table_put(PyObject *table, PyObject *key, PyObject *value) {
    return table == NULL || value == NULL || value == Py_None ||
           PyDict_SetItem(table, key, value) == 0;
}

void core_table_drop(PyObject *table, PyObject *key) {
    if (table != NULL && PyDict_Contains(table, key) == 1) {
        (void)PyDict_DelItem(table, key);
    }
}

bool core_table_set(PyObject *table, PhId id, PyObject *value) {
    if (table == NULL || (value == Py_None && PyDict_GET_SIZE(table) == 0)) {
        return true;
    }
    PyObject *key = core_table_key(id);
    bool ok = key != NULL && core_table_put(table, key, value);
    if (ok && value == Py_None) {
        core_table_drop(table, key);
    }
    Py_XDECREF(key);
    return ok;
}

PyObject *core_table_get(PyObject *table, PhId id) {
    if (table == NULL || PyDict_GET_SIZE(table) == 0) {
        Py_RETURN_NONE;
    }
    PyObject *key = core_table_key(id);
    PyObject *value = key != NULL ? PyDict_GetItemWithError(table, key) : NULL;
    Py_XDECREF(key);
    if (value == NULL && PyErr_Occurred()) {
        return NULL;
    }
    return Py_NewRef(value != NULL ? value : Py_None);
}

// Drops shape objects whose PhShape nothing else uses any more: no world, and no call that is about
// to attach it.
static bool drop_unused_shapes(WorldObject *self) {
    PyObject *kept = PyDict_New();
    PyObject *key, *value;
    Py_ssize_t position = 0;
    while (kept != NULL && PyDict_Next(self->shapes, &position, &key, &value)) {
        PhShape *shape = ((ShapeObject *)value)->shape;
        if (atomic_load(&shape->references) > 1 && PyDict_SetItem(kept, key, value) < 0) {
            Py_CLEAR(kept);
        }
    }
    if (kept != NULL) {
        self->shape_limit = 2 * PyDict_GET_SIZE(kept) + CORE_SHAPE_LIMIT;
        Py_SETREF(self->shapes, kept);
    }
    return kept != NULL;
}

bool core_remember_shape(WorldObject *self, PyObject *shape) {
    if (self->shapes == NULL) {
        return true;
    }
    if (PyDict_GET_SIZE(self->shapes) > self->shape_limit && !drop_unused_shapes(self)) {
        return false;
    }
    PyObject *address = PyLong_FromVoidPtr(((ShapeObject *)shape)->shape);
    bool ok = address != NULL && PyDict_SetItem(self->shapes, address, shape) == 0;
    Py_XDECREF(address);
    return ok;
}

// ------------------------------------------------------------------------------------------------
// shapes

typedef struct ShapeList {
    PyObject *objects; // a tuple of Shapes
    PhShape **shapes;  // retained, so that none counts as unused while the gate is waited for
    uint32_t count;
    bool single; // given as None or as one Shape, not as a sequence
} ShapeList;

static void free_shapes(ShapeList *list) {
    for (uint32_t i = 0; i < list->count; ++i) {
        ph_shape_release(list->shapes[i]);
    }
    Py_XDECREF(list->objects);
    PyMem_Free(list->shapes);
}

// None, a Shape, or a sequence of Shapes.
static bool to_shapes(WorldObject *self, PyObject *object, ShapeList *list) {
    *list = (ShapeList){.single = true};
    if (object == NULL || object == Py_None) {
        list->objects = PyTuple_New(0);
    } else if (core_is_shape(self->core, object)) {
        list->objects = PyTuple_Pack(1, object);
    } else {
        list->single = false;
        list->objects = PySequence_Tuple(object);
        if (list->objects == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Format(PyExc_TypeError,
                         "shape_or_shapes: must be a Shape, a sequence of Shapes or None, got "
                         "%.100s%s",
                         Py_TYPE(object)->tp_name, core_shape_hint(self->core, object));
        }
    }
    if (list->objects == NULL) {
        return false;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(list->objects);
    list->shapes = PyMem_New(PhShape *, (size_t)count + 1);
    if (list->shapes == NULL) {
        PyErr_NoMemory();
    }
    bool ok = list->shapes != NULL;
    for (Py_ssize_t i = 0; ok && i < count; ++i) {
        char name[48];
        PyObject *shape = PyTuple_GET_ITEM(list->objects, i);
        PyOS_snprintf(name, sizeof name, "shape_or_shapes[%zd]", i);
        list->shapes[i] = core_to_shape(self->core, shape, name);
        ok = list->shapes[i] != NULL && (i % 4096 != 4095 || PyErr_CheckSignals() == 0);
        if (ok) {
            ph_shape_retain(list->shapes[i]);
            list->count += 1;
            ok = core_remember_shape(self, shape);
        }
    }
    if (!ok) {
        free_shapes(list);
    }
    return ok;
}

// ------------------------------------------------------------------------------------------------
// one body

// Settings are read without the gate: they are plain numbers.
bool core_warn_speed(WorldObject *self, PhBodyKind kind, PhVec2 velocity, double angular) {
    const PhWorldDef *def = ph_world_settings(self->world);
    double speed = hypot(velocity.x, velocity.y);
    bool fast = speed > def->max_speed;
    if (kind != PH_DYNAMIC || self->speed_warned ||
        (!fast && fabs(angular) <= def->max_angular_speed)) {
        return true;
    }
    self->speed_warned = true;
    PyObject *value = PyFloat_FromDouble(fast ? speed : angular);
    PyObject *most = PyFloat_FromDouble(fast ? def->max_speed : def->max_angular_speed);
    bool ok = value != NULL && most != NULL &&
              core_warn("%s: %R %s is more than the world's %s = %R, which steps limit it to; "
                        "give the world a larger one, world.%s = ...",
                        fast ? "velocity" : "angular_velocity", value, fast ? "m/s" : "rad/s",
                        fast ? "max_speed" : "max_angular_speed", most,
                        fast ? "max_speed" : "max_angular_speed");
    Py_XDECREF(value);
    Py_XDECREF(most);
    self->speed_warned = ok;
    return ok;
}

static bool check_one_weight(PyObject *mass, PyObject *density) {
    if (mass == NULL || mass == Py_None || density == NULL) {
        return true;
    }
    PyErr_SetString(PyExc_TypeError, "mass and density: give one of the two; mass is that of the "
                                     "whole body, density that of each of its shapes (kg/m^2)");
    return false;
}

// clang-format off
#define BODY_KEYWORDS                                                                              \
    "kind", "velocity", "angular_velocity", "bullet", "fixed_rotation", "gravity_scale",           \
    "linear_damping", "angular_damping", "mass", "awake", "can_sleep", "enabled", "inertia",       \
        "center_of_mass", "sleep_threshold", "lock_x", "lock_y"
// clang-format on
enum {
    KEY_KIND,
    KEY_VELOCITY,
    KEY_ANGULAR_VELOCITY,
    KEY_BULLET,
    KEY_FIXED_ROTATION,
    KEY_GRAVITY_SCALE,
    KEY_LINEAR_DAMPING,
    KEY_ANGULAR_DAMPING,
    KEY_MASS,
    KEY_AWAKE,
    KEY_CAN_SLEEP,
    KEY_ENABLED,
    KEY_INERTIA,
    KEY_CENTER_OF_MASS,
    KEY_SLEEP_THRESHOLD,
    KEY_LOCK_X,
    KEY_LOCK_Y,
    BODY_KEYWORD_COUNT,
};

static bool to_mass(PyObject *value, const char *name, double *mass) {
    if (value == NULL || value == Py_None) {
        return true;
    }
    return core_refuse_infinite_inertia(value, name) && core_to_positive(value, name, mass);
}

static bool to_center(PyObject *value, PhBodyDef *def) {
    if (value == NULL || value == Py_None) {
        return true;
    }
    def->own_center = true;
    return core_to_vec2(value, "center_of_mass", &def->center);
}

static bool to_lock(PyObject *value, const char *name, PhLock lock, PhBodyDef *def) {
    bool locked = false;
    if (value != NULL && !core_to_bool(value, name, &locked)) {
        return false;
    }
    def->locks = (uint8_t)(def->locks | (locked ? lock : 0));
    return true;
}

static bool to_body(PyObject *const *values, PhBodyDef *def) {
    return (values[KEY_KIND] == NULL || core_to_kind(values[KEY_KIND], &def->kind)) &&
           (values[KEY_VELOCITY] == NULL ||
            core_to_vec2(values[KEY_VELOCITY], "velocity", &def->velocity)) &&
           (values[KEY_ANGULAR_VELOCITY] == NULL ||
            core_to_double(values[KEY_ANGULAR_VELOCITY], "angular_velocity",
                           &def->angular_velocity)) &&
           (values[KEY_BULLET] == NULL ||
            core_to_bool(values[KEY_BULLET], "bullet", &def->bullet)) &&
           (values[KEY_FIXED_ROTATION] == NULL ||
            core_to_bool(values[KEY_FIXED_ROTATION], "fixed_rotation", &def->fixed_rotation)) &&
           (values[KEY_GRAVITY_SCALE] == NULL ||
            core_to_double(values[KEY_GRAVITY_SCALE], "gravity_scale", &def->gravity_scale)) &&
           (values[KEY_LINEAR_DAMPING] == NULL ||
            core_to_double(values[KEY_LINEAR_DAMPING], "linear_damping", &def->linear_damping)) &&
           (values[KEY_ANGULAR_DAMPING] == NULL ||
            core_to_double(values[KEY_ANGULAR_DAMPING], "angular_damping",
                           &def->angular_damping)) &&
           to_mass(values[KEY_MASS], "mass", &def->mass) &&
           to_mass(values[KEY_INERTIA], "inertia", &def->inertia) &&
           to_center(values[KEY_CENTER_OF_MASS], def) &&
           to_lock(values[KEY_LOCK_X], "lock_x", PH_LOCK_X, def) &&
           to_lock(values[KEY_LOCK_Y], "lock_y", PH_LOCK_Y, def) &&
           (values[KEY_SLEEP_THRESHOLD] == NULL ||
            core_to_threshold(values[KEY_SLEEP_THRESHOLD], &def->sleep_threshold)) &&
           (values[KEY_AWAKE] == NULL || core_to_bool(values[KEY_AWAKE], "awake", &def->awake)) &&
           (values[KEY_CAN_SLEEP] == NULL ||
            core_to_bool(values[KEY_CAN_SLEEP], "can_sleep", &def->can_sleep)) &&
           (values[KEY_ENABLED] == NULL ||
            core_to_bool(values[KEY_ENABLED], "enabled", &def->enabled));
}

#define KEYWORD_DOC                                                                                \
    "kind : {'dynamic', 'kinematic', 'static'}\n"                                                  \
    "velocity : array_like\n    Velocity of the centre of mass, m/s.\n"                            \
    "angular_velocity : float\n    rad/s.\n"                                                       \
    "density, friction, restitution, rolling_resistance, tangent_speed, category, mask, group,\n"  \
    "sensor, pre_solve, material, friction_rule, restitution_rule, segments\n"                     \
    "    Of the colliders, as in Body.attach.\n"                                                   \
    "mass : float, optional\n    kg; scales mass and inertia instead of the density.\n"            \
    "inertia : float, optional\n    About the centre of mass, kg m^2, instead of the shapes'.\n"   \
    "center_of_mass : array_like, optional\n    Metres, in the body's frame, instead of the "      \
    "shapes'.\n"                                                                                   \
    "sleep_threshold : float, optional\n    Speed below which it may fall asleep, m/s; by "        \
    "default 0.05. 0: it never does.\n"                                                            \
    "bullet : bool\n    Whether it is kept from tunnelling through moving bodies too.\n"           \
    "fixed_rotation : bool\n    Whether it never turns.\n"                                         \
    "lock_x, lock_y : bool\n    Whether its centre of mass keeps that coordinate.\n"               \
    "gravity_scale : float\n    Factor of the world's gravity.\n"                                  \
    "linear_damping, angular_damping : float\n    Rates of decay, 1/s.\n"                          \
    "awake, can_sleep, enabled : bool\n"

const char core_world_add_body_doc[] =
    "add_body($self, shape_or_shapes=None, position=(0, 0), angle=0.0, *, kind='dynamic',\n"
    "         velocity=(0, 0), angular_velocity=0.0, density=1.0, friction=0.6, restitution=0.0,\n"
    "         rolling_resistance=0.0, tangent_speed=0.0, category=1, mask=18446744073709551615,\n"
    "         group=0, sensor=False, pre_solve=False, name=None, user_data=None, bullet=False,\n"
    "         fixed_rotation=False, gravity_scale=1.0, linear_damping=0.0, angular_damping=0.0,\n"
    "         mass=None, awake=True, can_sleep=True, enabled=True, inertia=None,\n"
    "         center_of_mass=None, sleep_threshold=None, lock_x=False, lock_y=False,\n"
    "         material=None, friction_rule=None, restitution_rule=None, segments=None)\n--\n\n"
    "Make a body.\n\n"
    "Parameters\n----------\n"
    "shape_or_shapes : Shape or sequence of Shape, optional\n    In the body's frame.\n"
    "position : array_like, shape (2,)\n    Position of the body's origin, metres, world.\n"
    "angle : float\n    Radians.\n" KEYWORD_DOC "name : str, optional\n"
    "user_data : object, optional\n    Anything.\n\n"
    "Returns\n-------\n"
    "Body\n\n"
    "Raises\n------\n"
    "ValueError\n    For a bad number; the message names the argument.\n"
    "CapacityError\n    When the world is full (max_bodies).\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> crate = world.add_body(Box(1, 1), position=(0, 5), name='crate')\n"
    ">>> crate.mass\n"
    "1.0";

// What one body is made of.
typedef struct Draft {
    PhBodyDef body;
    PhColliderDef material;
    ShapeList shapes;
    PyObject *name, *user_data; // borrowed; NULL: none
} Draft;

// Inside the gate, which it leaves. Name and data are in the tables before the body is there, whose
// id is known in advance: when any of it fails, all is as it was.
static bool leave_with_body(WorldObject *self, const Draft *draft, PhId *id) {
    uint32_t slot;
    PhError error = {.status = PH_OK};
    PhStatus status = ph_body_next_id(self->world, id, &error);
    PyObject *key = status == PH_OK ? core_table_key(*id) : NULL;
    bool ok = key != NULL && core_table_put(self->names, key, draft->name) &&
              core_table_put(self->user_data[HANDLE_BODY], key, draft->user_data);
    if (ok) {
        ph_world_set_stop(self->world, &core_listening);
        status = ph_bodies_create(self->world, 1, &draft->body, 0, &draft->material, 0,
                                  draft->shapes.shapes, 0, draft->shapes.count, &slot, &error);
        ph_world_set_stop(self->world, NULL);
    }
    ok = ok && status == PH_OK;
    if (!ok && key != NULL) {
        core_table_drop(self->names, key);
        core_table_drop(self->user_data[HANDLE_BODY], key);
    }
    core_leave(self);
    Py_XDECREF(key);
    if (status != PH_OK) {
        core_raise(self->core, &error);
    }
    return ok;
}

PyObject *core_world_add_body(PyObject *object, PyObject *const *args, Py_ssize_t count,
                              PyObject *keywords) {
    static const char *const names[] = {"shape_or_shapes", "position",    "angle",          "name",
                                        "user_data",       BODY_KEYWORDS, MATERIAL_KEYWORDS};
    enum { COUNT = 5 + BODY_KEYWORD_COUNT + MATERIAL_KEYWORD_COUNT };
    static const CoreSignature signature = {"add_body", names, COUNT, 3, 0};
    WorldObject *self = (WorldObject *)object;
    PyObject *values[COUNT];
    Draft draft = {.body = ph_body_def(), .material = ph_collider_def()};
    PyObject *materials[MATERIAL_KEYWORD_COUNT];
    if (!core_bind(&signature, args, count, keywords, values)) {
        return NULL;
    }
    memcpy(materials, values + 5 + BODY_KEYWORD_COUNT, sizeof materials);
    PyObject *segments = materials[MATERIAL_OF_SEGMENTS];
    materials[MATERIAL_OF_SEGMENTS] = NULL; // read last
    if ((values[1] != NULL && !core_to_vec2(values[1], "position", &draft.body.position)) ||
        (values[2] != NULL && !core_to_double(values[2], "angle", &draft.body.angle)) ||
        !to_body(values + 5, &draft.body) ||
        !check_one_weight(values[5 + KEY_MASS], values[5 + BODY_KEYWORD_COUNT]) ||
        !core_to_material(self->core, materials, &draft.material) ||
        !core_warn_speed(self, draft.body.kind, draft.body.velocity, draft.body.angular_velocity)) {
        return NULL;
    }
    draft.name = values[3];
    draft.user_data = values[4];
    if (draft.name != NULL && draft.name != Py_None && !PyUnicode_Check(draft.name)) {
        return PyErr_Format(PyExc_TypeError, "name: must be a string or None, got %.100s",
                            Py_TYPE(draft.name)->tp_name);
    }
    if (!to_shapes(self, values[0], &draft.shapes)) {
        return NULL;
    }
    if (!core_to_segments(self->core, segments, &draft.material.segments)) {
        free_shapes(&draft.shapes);
        return NULL;
    }
    PhId id;
    PyObject *handle = core_handle_blank(self, TYPE_BODY);
    bool ok = handle != NULL && core_enter_to_change(self) && leave_with_body(self, &draft, &id);
    free_shapes(&draft.shapes);
    ph_segments_release(draft.material.segments);
    if (!ok) {
        Py_XDECREF(handle);
        return NULL;
    }
    return core_handle_give(handle, id);
}

// ------------------------------------------------------------------------------------------------
// many bodies

enum { BIT_MATERIAL = 255, BIT_RULE = 254 }; // a number of a material, 1 + that of a rule

// An argument of add_bodies: a value for all, or one per body.
typedef struct Column {
    const char *name;
    PyArrayObject *array; // NULL: not given
    npy_intp columns;     // 0 numbers, 2 vectors
    npy_intp rows;        // 0: one value for all
    size_t offset;        // in PhBodyDef or PhColliderDef
    uint8_t bit;          // of a byte in the def (1 of a bool), 0 for numbers, or BIT_*
} Column;

enum {
    COLUMN_POSITIONS,
    COLUMN_ANGLES,
    COLUMN_VELOCITY,
    COLUMN_ANGULAR_VELOCITY,
    COLUMN_GRAVITY_SCALE,
    COLUMN_LINEAR_DAMPING,
    COLUMN_ANGULAR_DAMPING,
    COLUMN_MASS,
    COLUMN_INERTIA,
    COLUMN_CENTER_OF_MASS,
    COLUMN_SLEEP_THRESHOLD,
    COLUMN_LOCK_X,
    COLUMN_LOCK_Y,
    COLUMN_BULLET,
    COLUMN_FIXED_ROTATION,
    COLUMN_AWAKE,
    COLUMN_CAN_SLEEP,
    COLUMN_ENABLED,
    BODY_COLUMN_COUNT,
    COLUMN_MATERIAL = BODY_COLUMN_COUNT + 5, // the numbers of a material come before it
    COLUMN_FRICTION_RULE,
    COLUMN_RESTITUTION_RULE,
    COLUMN_COUNT,
};

#define B(field) offsetof(PhBodyDef, field)
#define M(field) offsetof(PhColliderDef, field)
static const Column column_table[COLUMN_COUNT] = {
    {"positions", NULL, 2, 0, B(position), 0},
    {"angles", NULL, 0, 0, B(angle), 0},
    {"velocity", NULL, 2, 0, B(velocity), 0},
    {"angular_velocity", NULL, 0, 0, B(angular_velocity), 0},
    {"gravity_scale", NULL, 0, 0, B(gravity_scale), 0},
    {"linear_damping", NULL, 0, 0, B(linear_damping), 0},
    {"angular_damping", NULL, 0, 0, B(angular_damping), 0},
    {"mass", NULL, 0, 0, B(mass), 0},
    {"inertia", NULL, 0, 0, B(inertia), 0},
    {"center_of_mass", NULL, 2, 0, B(center), 0},
    {"sleep_threshold", NULL, 0, 0, B(sleep_threshold), 0},
    {"lock_x", NULL, 0, 0, B(locks), PH_LOCK_X},
    {"lock_y", NULL, 0, 0, B(locks), PH_LOCK_Y},
    {"bullet", NULL, 0, 0, B(bullet), 1},
    {"fixed_rotation", NULL, 0, 0, B(fixed_rotation), 1},
    {"awake", NULL, 0, 0, B(awake), 1},
    {"can_sleep", NULL, 0, 0, B(can_sleep), 1},
    {"enabled", NULL, 0, 0, B(enabled), 1},
    {"density", NULL, 0, 0, M(density), 0},
    {"friction", NULL, 0, 0, M(friction), 0},
    {"restitution", NULL, 0, 0, M(restitution), 0},
    {"rolling_resistance", NULL, 0, 0, M(rolling_resistance), 0},
    {"tangent_speed", NULL, 0, 0, M(tangent_speed), 0},
    {"material", NULL, 0, 0, M(material), BIT_MATERIAL},
    {"friction_rule", NULL, 0, 0, M(friction_rule), BIT_RULE},
    {"restitution_rule", NULL, 0, 0, M(restitution_rule), BIT_RULE},
};

static bool check_materials(PyArrayObject *array) {
    const double *data = PyArray_DATA(array);
    for (npy_intp i = 0; i < PyArray_SIZE(array); ++i) {
        if (!(data[i] >= 0 && data[i] < PH_MAX_MATERIALS && data[i] == floor(data[i]))) {
            return core_refuse_number("material", "an integer from 0 to 255", data[i]);
        }
    }
    return true;
}

// Reads one argument and merges its number of rows into *rows (0 while all are single values).
static bool read_column(Column *column, PyObject *value, npy_intp *rows) {
    if (value == NULL) {
        return true;
    }
    column->array = core_to_numbers(value, column->name);
    if (column->array == NULL) {
        return false;
    }
    int dimensions = PyArray_NDIM(column->array);
    int single = column->columns > 0 ? 1 : 0;
    bool right = (dimensions == single || dimensions == single + 1) &&
                 (single == 0 || PyArray_DIM(column->array, dimensions - 1) == 2);
    if (!right) {
        core_shape_error(column->name, single > 0 ? "(2,) or (n, 2)" : "() or (n,)", column->array);
        return false;
    }
    if (!core_check_finite(column->array, column->name)) {
        return false;
    }
    if (column->bit == BIT_MATERIAL && !check_materials(column->array)) {
        return false;
    }
    if (dimensions == single) {
        return true;
    }
    column->rows = PyArray_DIM(column->array, 0);
    if (*rows < 0 || *rows == 1) {
        *rows = column->rows;
    } else if (column->rows != *rows && column->rows != 1) {
        char wanted[64];
        PyOS_snprintf(wanted, sizeof wanted,
                      single > 0 ? "(%lld, 2) as the arguments before it"
                                 : "(%lld,) as the arguments before it",
                      (long long)*rows);
        core_shape_error(column->name, wanted, column->array);
        return false;
    }
    if (column->rows == 1) { // broadcasts like a single value, unless all have one row
        column->rows = 0;
    }
    return true;
}

static void fill_column(const Column *column, char *defs, size_t size, npy_intp rows) {
    const double *data = PyArray_DATA(column->array);
    size_t numbers = column->columns > 0 ? 2 : 1;
    for (npy_intp i = 0; i < rows; ++i) {
        const double *source = column->rows > 0 ? data + (size_t)i * numbers : data;
        char *target = defs + (size_t)i * size + column->offset;
        if (column->bit == BIT_RULE) {
            *(uint8_t *)target = (uint8_t)source[0];
        } else if (column->bit == BIT_MATERIAL) {
            *(uint16_t *)(void *)target = (uint16_t)(1 + (int)source[0]);
        } else if (column->bit != 0) {
            uint8_t *byte = (uint8_t *)target, bit = column->bit;
            *byte = (uint8_t)((*byte & ~bit) | (source[0] != 0 ? bit : 0));
        } else {
            memcpy(target, source, numbers * sizeof(double));
        }
    }
}

typedef struct Batch {
    Column columns[COLUMN_COUNT];
    npy_intp rows;
    PhBodyDef *bodies;        // one per row
    PhColliderDef *materials; // one, or one per row
    bool own_materials;       // one per row
    bool own_shapes;          // one per row, else each body gets all of the list
    uint32_t *slots;
} Batch;

static void free_batch(Batch *batch) {
    for (int i = 0; i < COLUMN_COUNT; ++i) {
        Py_XDECREF(batch->columns[i].array);
    }
    PyMem_Free(batch->bodies);
    PyMem_Free(batch->materials);
    PyMem_Free(batch->slots);
}

// columns are read; makes the definitions.
static bool fill_batch(WorldObject *self, Batch *batch, const PhBodyDef *body,
                       const PhColliderDef *material) {
    npy_intp rows = batch->rows;
    for (int i = BODY_COLUMN_COUNT; i < COLUMN_COUNT; ++i) {
        const PyArrayObject *array = batch->columns[i].array;
        // No rows, for no bodies, are rows of their own too.
        bool rows_given = batch->columns[i].rows > 0 || (array != NULL && rows == 0);
        batch->own_materials = batch->own_materials || rows_given;
    }
    npy_intp material_rows = batch->own_materials ? rows : 1;
    batch->bodies = PyMem_New(PhBodyDef, (size_t)rows + 1);
    batch->materials = PyMem_New(PhColliderDef, (size_t)material_rows + 1);
    batch->slots = PyMem_New(uint32_t, (size_t)rows + 1);
    if (batch->bodies == NULL || batch->materials == NULL || batch->slots == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (npy_intp i = 0; i < rows; ++i) {
        batch->bodies[i] = *body;
    }
    for (npy_intp i = 0; i < material_rows; ++i) {
        batch->materials[i] = *material;
    }
    for (int i = 0; i < COLUMN_COUNT; ++i) {
        if (batch->columns[i].array == NULL) {
            continue;
        }
        if (i < BODY_COLUMN_COUNT) {
            fill_column(&batch->columns[i], (char *)batch->bodies, sizeof *body, rows);
        } else {
            fill_column(&batch->columns[i], (char *)batch->materials, sizeof *material,
                        material_rows);
        }
    }
    bool moving = batch->columns[COLUMN_VELOCITY].array != NULL ||
                  batch->columns[COLUMN_ANGULAR_VELOCITY].array != NULL;
    for (npy_intp i = 0; moving && i < rows && !self->speed_warned; ++i) {
        const PhBodyDef *def = &batch->bodies[i];
        if (!core_warn_speed(self, def->kind, def->velocity, def->angular_velocity)) {
            return false;
        }
    }
    const Column *columns = batch->columns;
    for (npy_intp i = 0; i < rows; ++i) {
        PhBodyDef *def = &batch->bodies[i];
        def->own_center = columns[COLUMN_CENTER_OF_MASS].array != NULL;
        if (columns[COLUMN_MASS].array != NULL && !(def->mass > 0)) {
            return core_refuse_number("mass", "> 0", def->mass);
        }
        if (columns[COLUMN_INERTIA].array != NULL && !(def->inertia > 0)) {
            return core_refuse_number("inertia", "> 0", def->inertia);
        }
        if (columns[COLUMN_SLEEP_THRESHOLD].array != NULL && def->sleep_threshold < 0) {
            return core_refuse_number("sleep_threshold", ">= 0", def->sleep_threshold);
        }
    }
    return true;
}

// Which shapes a body gets: all of them where `compound` says so, or where there is but one.
static bool deal_shapes(Batch *batch, const ShapeList *list, bool compound) {
    batch->own_shapes = !compound && !list->single && list->count != 1;
    if (!batch->own_shapes || (npy_intp)list->count == batch->rows) {
        return true;
    }
    if (list->count == 0) {
        PyErr_Format(PyExc_ValueError,
                     "shape_or_shapes: got no shapes for %zd bodies: give None for bodies without "
                     "shapes",
                     (Py_ssize_t)batch->rows);
        return false;
    }
    PyErr_Format(PyExc_ValueError,
                 "shape_or_shapes: got %lu shapes for %zd %s: give one Shape for all bodies, as "
                 "many as bodies for one each, or compound=True to give every body all %lu",
                 (unsigned long)list->count, (Py_ssize_t)batch->rows,
                 batch->rows == 1 ? "body" : "bodies", (unsigned long)list->count);
    return false;
}

static PyObject *create_batch(WorldObject *self, Batch *batch, const ShapeList *list) {
    npy_intp dims[1] = {batch->rows};
    PyObject *result = PyArray_SimpleNew(1, dims, NPY_INT64);
    if (result == NULL || !core_enter_to_change(self)) {
        Py_XDECREF(result);
        return NULL;
    }
    PhError error = {.index = -1};
    ph_world_set_stop(self->world, &core_listening);
    uint32_t each = batch->own_shapes ? 1 : list->count, stride = batch->own_shapes ? 1 : 0;
    PhStatus status = ph_bodies_create(self->world, (uint32_t)batch->rows, batch->bodies, 1,
                                       batch->materials, batch->own_materials ? 1 : 0, list->shapes,
                                       stride, each, batch->slots, &error);
    core_query_exit(self);
    if (status != PH_OK) {
        Py_DECREF(result);
        if (status == PH_ERROR_VALUE && batch->rows > 1 && error.index >= 0) {
            return PyErr_Format(PyExc_ValueError, "row %lld: %s", error.index, error.message);
        }
        return core_raise(self->core, &error);
    }
    int64_t *out = PyArray_DATA((PyArrayObject *)result);
    for (npy_intp i = 0; i < batch->rows; ++i) {
        out[i] = batch->slots[i];
    }
    return result;
}

const char core_world_add_bodies_doc[] =
    "add_bodies($self, shape_or_shapes, positions, angles=0.0, *, kind='dynamic',\n"
    "           velocity=(0, 0), angular_velocity=0.0, density=1.0, friction=0.6,\n"
    "           restitution=0.0, rolling_resistance=0.0, tangent_speed=0.0, category=1,\n"
    "           mask=18446744073709551615, group=0, sensor=False, pre_solve=False,\n"
    "           bullet=False, fixed_rotation=False, gravity_scale=1.0, linear_damping=0.0,\n"
    "           angular_damping=0.0, mass=None, awake=True, can_sleep=True, enabled=True,\n"
    "           inertia=None, center_of_mass=None, sleep_threshold=None, lock_x=False,\n"
    "           lock_y=False, material=None, friction_rule=None, restitution_rule=None,\n"
    "           segments=None, compound=False)\n--\n\n"
    "Make many bodies in one call, all or none.\n\n"
    "Every number may be one for all or an array of n; n comes from whichever has rows. Vectors\n"
    "have shape (2,) or (n, 2), numbers of bodies and materials and rules () or (n,); kind,\n"
    "category, mask, group, sensor, pre_solve and segments are the same for all.\n\n"
    "Parameters\n----------\n"
    "shape_or_shapes : Shape, sequence of n Shapes, or None\n"
    "    In the bodies' frames: one for all, or one each. With compound=True, a sequence of any\n"
    "    length.\n"
    "positions : array_like, shape (n, 2)\n    Positions of the bodies' origins, metres, world.\n"
    "angles : array_like, shape () or (n,)\n    Radians.\n" KEYWORD_DOC
    "compound : bool\n    Whether every body gets all of the shapes.\n\n"
    "Returns\n-------\n"
    "ndarray of int64, shape (n,)\n    The slots.\n\n"
    "Raises\n------\n"
    "ValueError\n"
    "    For a bad number; the message names the argument and the row. For another number of "
    "shapes\n"
    "    than of bodies.\n"
    "CapacityError\n    When the world is full (max_bodies, which also limits the shapes).\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> world.add_bodies(Box(1, 1), [(0, 0.5), (0, 1.5), (0, 2.5)])\n"
    "array([0, 1, 2])\n"
    ">>> world.add_bodies([Box(1, 1), Circle(0.5)], [(3, 0.5), (5, 0.5)])  # one each\n"
    "array([3, 4])\n"
    ">>> dumbbell = [Circle(0.2, (-1, 0)), Capsule((-1, 0), (1, 0), 0.05), Circle(0.2, (1, 0))]\n"
    ">>> slots = world.add_bodies(dumbbell, [(7, 1), (9, 1)], compound=True)\n"
    ">>> len(world.bodies[5].colliders)\n"
    "3";

// The numbers of rules, where they are given for each body: 1 + PhMixRule, or 0 for None. NULL
// without an exception where one is given for all.
static PyObject *numbers_of_rules(PyObject *value, const char *name) {
    if (value == NULL || value == Py_None || PyUnicode_Check(value)) {
        return NULL;
    }
    PyObject *rules = PySequence_Tuple(value);
    if (rules == NULL) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Format(PyExc_TypeError,
                         "%s: must be a rule, one for each body, or None, got %.100s", name,
                         Py_TYPE(value)->tp_name);
        }
        return NULL;
    }
    npy_intp dims[1] = {PyTuple_GET_SIZE(rules)};
    PyObject *array = PyArray_SimpleNew(1, dims, NPY_DOUBLE);
    double *numbers = array != NULL ? PyArray_DATA((PyArrayObject *)array) : NULL;
    for (npy_intp i = 0; array != NULL && i < dims[0]; ++i) {
        PyObject *rule = PyTuple_GET_ITEM(rules, i);
        int choice = -1;
        if (rule != Py_None && !core_to_choice(rule, name, core_rule_names, &choice)) {
            Py_CLEAR(array);
        } else {
            numbers[i] = 1 + choice;
        }
    }
    Py_DECREF(rules);
    return array;
}

static PyObject *given(PyObject *value) {
    return value == Py_None ? NULL : value;
}

PyObject *core_world_add_bodies(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                PyObject *keywords) {
    static const char *const names[] = {"shape_or_shapes", "positions",       "angles",
                                        BODY_KEYWORDS,     MATERIAL_KEYWORDS, "compound"};
    enum { COMPOUND = 3 + BODY_KEYWORD_COUNT + MATERIAL_KEYWORD_COUNT, COUNT };
    static const CoreSignature signature = {"add_bodies", names, COUNT, 3, 2};
    WorldObject *self = (WorldObject *)object;
    PyObject *values[COUNT];
    PhBodyDef body = ph_body_def();
    PhColliderDef material = ph_collider_def();
    if (!core_bind(&signature, args, count, keywords, values)) {
        return NULL;
    }
    PyObject **keys = values + 3, **materials = keys + BODY_KEYWORD_COUNT;
    PyObject *sources[COLUMN_COUNT] = {
        values[1],
        values[2],
        keys[KEY_VELOCITY],
        keys[KEY_ANGULAR_VELOCITY],
        keys[KEY_GRAVITY_SCALE],
        keys[KEY_LINEAR_DAMPING],
        keys[KEY_ANGULAR_DAMPING],
        given(keys[KEY_MASS]),
        given(keys[KEY_INERTIA]),
        given(keys[KEY_CENTER_OF_MASS]),
        given(keys[KEY_SLEEP_THRESHOLD]),
        keys[KEY_LOCK_X],
        keys[KEY_LOCK_Y],
        keys[KEY_BULLET],
        keys[KEY_FIXED_ROTATION],
        keys[KEY_AWAKE],
        keys[KEY_CAN_SLEEP],
        keys[KEY_ENABLED],
        materials[0],
        materials[1],
        materials[2],
        materials[3],
        materials[4],
        given(materials[MATERIAL_OF_PAIRS]),
        NULL,
        NULL,
    };
    bool compound = false;
    if (!check_one_weight(keys[KEY_MASS], materials[0])) {
        return NULL;
    }
    for (int i = 0; i < 5; ++i) {
        materials[i] = NULL; // read as columns
    }
    materials[MATERIAL_OF_PAIRS] = NULL;
    PyObject *rules[2];
    for (int i = 0; i < 2; ++i) {
        PyObject **rule = &materials[MATERIAL_OF_PAIRS + 1 + i];
        rules[i] =
            numbers_of_rules(*rule, names[3 + BODY_KEYWORD_COUNT + MATERIAL_OF_PAIRS + 1 + i]);
        sources[COLUMN_FRICTION_RULE + i] = rules[i];
        *rule = rules[i] != NULL ? NULL : *rule;
        if (PyErr_Occurred()) {
            Py_XDECREF(i > 0 ? rules[0] : NULL);
            return NULL;
        }
    }
    if ((keys[KEY_KIND] != NULL && !core_to_kind(keys[KEY_KIND], &body.kind)) ||
        (values[COMPOUND] != NULL && !core_to_bool(values[COMPOUND], "compound", &compound)) ||
        !core_to_material(self->core, materials, &material)) {
        Py_XDECREF(rules[0]);
        Py_XDECREF(rules[1]);
        return NULL;
    }
    Batch batch = {.rows = -1};
    ShapeList list = {0};
    PyObject *result = NULL;
    memcpy(batch.columns, column_table, sizeof column_table);
    bool ok = true;
    for (int i = 0; ok && i < COLUMN_COUNT; ++i) {
        ok = read_column(&batch.columns[i], sources[i], &batch.rows);
    }
    batch.rows = batch.rows < 0 ? 1 : batch.rows;
    if (ok && batch.rows > UINT32_MAX / 2) {
        PyErr_Format(core_error(self->core, ERROR_CAPACITY), "%zd bodies are more than max_bodies",
                     (Py_ssize_t)batch.rows);
        ok = false;
    }
    if (ok && fill_batch(self, &batch, &body, &material) && to_shapes(self, values[0], &list)) {
        result = deal_shapes(&batch, &list, compound) ? create_batch(self, &batch, &list) : NULL;
        free_shapes(&list);
    }
    free_batch(&batch);
    Py_XDECREF(rules[0]);
    Py_XDECREF(rules[1]);
    ph_segments_release(material.segments);
    return result;
}

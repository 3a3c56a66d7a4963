// Settings of a World: one table from keyword to field of PhWorldDef, used by the constructor and
// by the attributes.
#include <string.h>

#include "python/convert.h"
#include "python/world_methods.h"

typedef enum Sort {
    SORT_VECTOR,
    SORT_NUMBER,
    SORT_COUNT,
    SORT_SWITCH,
    SORT_CHOICE,
    SORT_WRAP,    // None, or two sizes that may be infinite
    SORT_DAMPING, // both at once; None where they differ
} Sort;

typedef struct Setting {
    const char *name;
    Sort sort;
    size_t offset;
    const char *const *choices;
    bool sequential_only; // means nothing to soft_step
} Setting;

static const char *const solver_names[] = {"soft_step", "sequential_impulses", NULL};
static const char *const broadphase_names[] = {"grid", "tree", "all_pairs", NULL};
static const char *const response_names[] = {"impulse", "translate", NULL};

#define FIELD(field) offsetof(PhWorldDef, field)

static const Setting settings[WORLD_SETTING_COUNT] = {
    {"gravity", SORT_VECTOR, FIELD(gravity), NULL, false},
    {"substeps", SORT_COUNT, FIELD(substeps), NULL, false},
    {"workers", SORT_COUNT, FIELD(workers), NULL, false},
    {"solver", SORT_CHOICE, FIELD(solver), solver_names, false},
    {"broadphase", SORT_CHOICE, FIELD(broadphase), broadphase_names, false},
    {"sleeping", SORT_SWITCH, FIELD(sleeping), NULL, false},
    {"continuous", SORT_SWITCH, FIELD(continuous), NULL, false},
    {"max_bodies", SORT_COUNT, FIELD(max_bodies), NULL, false},
    {"contact_hertz", SORT_NUMBER, FIELD(contact_hertz), NULL, false},
    {"contact_damping_ratio", SORT_NUMBER, FIELD(contact_damping_ratio), NULL, false},
    {"contact_push_speed", SORT_NUMBER, FIELD(contact_push_speed), NULL, false},
    {"joint_hertz", SORT_NUMBER, FIELD(joint_hertz), NULL, false},
    {"joint_damping_ratio", SORT_NUMBER, FIELD(joint_damping_ratio), NULL, false},
    {"restitution_threshold", SORT_NUMBER, FIELD(restitution_threshold), NULL, false},
    {"hit_event_threshold", SORT_NUMBER, FIELD(hit_event_threshold), NULL, false},
    {"max_speed", SORT_NUMBER, FIELD(max_speed), NULL, false},
    {"friction_rule", SORT_CHOICE, FIELD(friction_rule), core_rule_names, false},
    {"restitution_rule", SORT_CHOICE, FIELD(restitution_rule), core_rule_names, false},
    {"iterations", SORT_COUNT, FIELD(iterations), NULL, true},
    {"baumgarte", SORT_NUMBER, FIELD(baumgarte), NULL, true},
    {"slop", SORT_NUMBER, FIELD(slop), NULL, true},
    {"warm_starting", SORT_SWITCH, FIELD(warm_starting), NULL, true},
    {"accumulate", SORT_SWITCH, FIELD(accumulate), NULL, true},
    {"positional_correction", SORT_NUMBER, FIELD(positional_correction), NULL, true},
    {"response", SORT_CHOICE, FIELD(translate), response_names, true},
    {"wrap", SORT_WRAP, FIELD(wrap), NULL, false},
    {"max_angular_speed", SORT_NUMBER, FIELD(max_angular_speed), NULL, false},
    {"linear_damping", SORT_NUMBER, FIELD(linear_damping), NULL, false},
    {"angular_damping", SORT_NUMBER, FIELD(angular_damping), NULL, false},
    {"length_unit", SORT_NUMBER, FIELD(length_unit), NULL, false},
    {"damping", SORT_DAMPING, FIELD(linear_damping), NULL, false},
};

const char *const core_world_setting_names[WORLD_SETTING_COUNT] = {
    "gravity",
    "substeps",
    "workers",
    "solver",
    "broadphase",
    "sleeping",
    "continuous",
    "max_bodies",
    "contact_hertz",
    "contact_damping_ratio",
    "contact_push_speed",
    "joint_hertz",
    "joint_damping_ratio",
    "restitution_threshold",
    "hit_event_threshold",
    "max_speed",
    "friction_rule",
    "restitution_rule",
    "iterations",
    "baumgarte",
    "slop",
    "warm_starting",
    "accumulate",
    "positional_correction",
    "response",
    "wrap",
    "max_angular_speed",
    "linear_damping",
    "angular_damping",
    "length_unit",
    "damping",
};
enum {
    SETTING_DAMPING = WORLD_SETTING_COUNT - 1,
    SETTING_LENGTH_UNIT = WORLD_SETTING_COUNT - 2,
    SETTING_ANGULAR_DAMPING = WORLD_SETTING_COUNT - 3,
    SETTING_LINEAR_DAMPING = WORLD_SETTING_COUNT - 4,
};

// Enums have the size of int, but their address is not that of an int to the compiler: copy bytes.
static int read_choice(const Setting *setting, const char *field) {
    if (setting->choices == response_names) {
        return *(const bool *)field ? 1 : 0;
    }
    unsigned value;
    memcpy(&value, field, sizeof value);
    return (int)value;
}

static bool read_vector(PyObject *value, const char *name, PhVec2 *out) {
    if (PyFloat_Check(value) || PyLong_Check(value)) {
        PyErr_Format(PyExc_ValueError,
                     "%s: must have shape (2,), got the number %R; 9.81 m/s^2 downwards is "
                     "%s=(0, -9.81)",
                     name, value, name);
        return false;
    }
    return core_to_vec2(value, name, out);
}

// The engine checks the numbers.
static bool read_wrap(PyObject *value, PhVec2 *wrap) {
    if (value == Py_None) {
        *wrap = ph_vec(INFINITY, INFINITY);
        return true;
    }
    return core_to_pair(value, "wrap", wrap);
}

// None where nothing wraps.
static PyObject *from_wrap(const CoreState *core, PhVec2 wrap) {
    if (wrap.x == INFINITY && wrap.y == INFINITY) {
        Py_RETURN_NONE;
    }
    return core_vector(core, wrap, (CoreAdvice){"world", "wrap", NULL, true});
}

static bool read_damping(PyObject *value, double damping[2]) {
    bool ok = core_to_double(value, "damping", &damping[0]);
    damping[1] = damping[0];
    return ok;
}

static bool read_setting(const Setting *setting, PyObject *value, PhWorldDef *def) {
    char *field = (char *)def + setting->offset;
    long long number;
    int choice;
    switch (setting->sort) {
    case SORT_VECTOR:
        return read_vector(value, setting->name, (PhVec2 *)field);
    case SORT_NUMBER:
        return core_to_double(value, setting->name, (double *)field);
    case SORT_SWITCH:
        return core_to_bool(value, setting->name, (bool *)field);
    case SORT_COUNT:
        if (!core_to_integer(value, setting->name, 1, INT32_MAX, &number)) {
            return false;
        }
        *(int32_t *)field = (int32_t)number; // max_bodies is unsigned, and positive
        return true;
    case SORT_CHOICE:
        if (!core_to_choice(value, setting->name, setting->choices, &choice)) {
            return false;
        }
        if (setting->choices == response_names) {
            *(bool *)field = choice == 1;
        } else {
            unsigned bits = (unsigned)choice;
            memcpy(field, &bits, sizeof bits);
        }
        return true;
    case SORT_WRAP:
        return read_wrap(value, (PhVec2 *)field);
    case SORT_DAMPING:
        return read_damping(value, (double *)field);
    }
    return false;
}

static size_t size_of(const Setting *setting) {
    switch (setting->sort) {
    case SORT_VECTOR:
    case SORT_WRAP:
    case SORT_DAMPING:
        return sizeof(PhVec2);
    case SORT_NUMBER:
        return sizeof(double);
    case SORT_COUNT:
        return sizeof(int32_t);
    case SORT_SWITCH:
        return sizeof(bool);
    case SORT_CHOICE:
        return setting->choices == response_names ? sizeof(bool) : sizeof(unsigned);
    }
    return 0;
}

// A world as it is when nothing else is given than its unit of length.
static bool read_length_unit(PyObject *value, PhWorldDef *def) {
    double unit = 1;
    if (value != NULL && !core_to_double(value, "length_unit", &unit)) {
        return false;
    }
    *def = ph_world_def(unit);
    return true;
}

bool core_to_world_def(PyObject *const *values, PhWorldDef *def) {
    if (!read_length_unit(values[SETTING_LENGTH_UNIT], def)) {
        return false;
    }
    if (values[SETTING_DAMPING] != NULL &&
        (values[SETTING_ANGULAR_DAMPING] != NULL || values[SETTING_LINEAR_DAMPING] != NULL)) {
        PyErr_SetString(
            PyExc_TypeError,
            "damping: is linear_damping and angular_damping at once: give it, or these");
        return false;
    }
    for (int i = 0; i < WORLD_SETTING_COUNT; ++i) {
        if (values[i] != NULL && !read_setting(&settings[i], values[i], def)) {
            return false;
        }
    }
    for (int i = 0; i < WORLD_SETTING_COUNT && def->solver == PH_SOFT_STEP; ++i) {
        if (values[i] != NULL && settings[i].sequential_only) {
            PyErr_Format(PyExc_TypeError, "%s: belongs to solver='sequential_impulses' only",
                         settings[i].name);
            return false;
        }
    }
    return true;
}

PyObject *core_world_get_setting(PyObject *self, void *closure) {
    const Setting *setting = &settings[(intptr_t)closure];
    const PhWorldDef *def = ph_world_settings(((WorldObject *)self)->world);
    const char *field = (const char *)def + setting->offset;
    switch (setting->sort) {
    case SORT_VECTOR:
        return core_vector(((WorldObject *)self)->core, *(const PhVec2 *)field,
                           (CoreAdvice){"world", setting->name, NULL, false});
    case SORT_NUMBER:
        return PyFloat_FromDouble(*(const double *)field);
    case SORT_SWITCH:
        return PyBool_FromLong(*(const bool *)field);
    case SORT_COUNT:
        return PyLong_FromLong(*(const int32_t *)field);
    case SORT_CHOICE:
        return PyUnicode_FromString(setting->choices[read_choice(setting, field)]);
    case SORT_WRAP:
        return from_wrap(((WorldObject *)self)->core, *(const PhVec2 *)field);
    case SORT_DAMPING:
        if (def->linear_damping != def->angular_damping) {
            Py_RETURN_NONE;
        }
        return PyFloat_FromDouble(def->linear_damping);
    }
    return NULL;
}

// What memory is laid out for.
static bool is_fixed(const Setting *setting) {
    return setting->sort == SORT_WRAP || setting->offset == FIELD(max_bodies) ||
           setting->offset == FIELD(length_unit);
}

int core_world_set_setting(PyObject *object, PyObject *value, void *closure) {
    WorldObject *self = (WorldObject *)object;
    const Setting *setting = &settings[(intptr_t)closure];
    const char *name = setting->name;
    if (is_fixed(setting)) {
        PyErr_Format(PyExc_AttributeError,
                     "%s is settled when a world is made, with World(%s=...), and cannot be "
                     "changed afterwards",
                     name, name);
        return -1;
    }
    if (value == NULL) {
        PyErr_Format(PyExc_TypeError, "%s cannot be deleted", name);
        return -1;
    }
    PhWorldDef given = ph_world_def(1);
    PhError error;
    if (!read_setting(setting, value, &given) || !core_enter_to_change(self)) {
        return -1;
    }
    PhWorldDef def = *ph_world_settings(self->world);
    memcpy((char *)&def + setting->offset, (const char *)&given + setting->offset,
           size_of(setting));
    bool meant = !setting->sequential_only || def.solver != PH_SOFT_STEP;
    PhStatus status = meant ? ph_world_change(self->world, &def, &error) : PH_OK;
    core_leave(self);
    if (!meant) {
        PyErr_Format(PyExc_TypeError, "%s: belongs to solver='sequential_impulses' only", name);
        return -1;
    }
    if (status != PH_OK) {
        core_raise(self->core, &error);
        return -1;
    }
    return 0;
}

// ------------------------------------------------------------------------------------------------
// materials

PyObject *core_world_get_material_pairs(PyObject *object, void *Py_UNUSED(closure)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter_to_read(self)) {
        return NULL;
    }
    uint32_t count;
    const PhMaterialPair *pairs = ph_world_material_pairs(self->world, &count);
    npy_intp shape[3] = {(npy_intp)count, (npy_intp)count, 3};
    PyObject *array = PyArray_SimpleNew(3, shape, NPY_DOUBLE);
    if (array != NULL && count > 0) {
        memcpy(PyArray_DATA((PyArrayObject *)array), pairs, (size_t)count * count * sizeof *pairs);
    }
    core_leave(self);
    if (array != NULL) { // what is written to a copy would be lost without a word
        PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE);
    }
    return array;
}

int core_world_set_material_pairs(PyObject *object, PyObject *value, void *Py_UNUSED(closure)) {
    WorldObject *self = (WorldObject *)object;
    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError,
                        "material_pairs cannot be deleted; None is a table without materials");
        return -1;
    }
    PyArrayObject *array = value != Py_None ? core_to_numbers(value, "material_pairs") : NULL;
    if (array == NULL && value != Py_None) {
        return -1;
    }
    npy_intp count = array != NULL && PyArray_NDIM(array) == 3 ? PyArray_DIM(array, 0) : 0;
    if (array != NULL && (PyArray_NDIM(array) != 3 || PyArray_DIM(array, 1) != count ||
                          PyArray_DIM(array, 2) != 3)) {
        core_shape_error("material_pairs", "(k, k, 3)", array);
        Py_DECREF(array);
        return -1;
    }
    if (count > PH_MAX_MATERIALS) {
        PyErr_Format(PyExc_ValueError, "material_pairs: must be of at most %d materials, got %zd",
                     (int)PH_MAX_MATERIALS, (Py_ssize_t)count);
        Py_DECREF(array);
        return -1;
    }
    _Static_assert(sizeof(PhMaterialPair) == 3 * sizeof(double), "rows of the array are pairs");
    const PhMaterialPair *pairs = array != NULL ? PyArray_DATA(array) : NULL;
    PhError error;
    if (!core_enter_to_change(self)) {
        Py_XDECREF(array);
        return -1;
    }
    PhStatus status = ph_world_set_material_pairs(self->world, pairs, (uint32_t)count, &error);
    core_leave(self);
    Py_XDECREF(array);
    if (status != PH_OK) {
        core_raise(self->core, &error);
        return -1;
    }
    return 0;
}

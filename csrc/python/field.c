// Fluid, Drag, Wind and PointGravity: handles of force fields. Their properties come from the
// engine's table of kinds.
#include <math.h>

#include "python/call_log.h"
#include "python/convert.h"

static HandleObject *handle_of(PyObject *object) {
    return (HandleObject *)object;
}

static const CoreType types[PH_FIELD_KIND_COUNT] = {
    [PH_FIELD_FLUID] = TYPE_FLUID,
    [PH_FIELD_DRAG] = TYPE_DRAG,
    [PH_FIELD_WIND] = TYPE_WIND,
    [PH_FIELD_POINT_GRAVITY] = TYPE_POINT_GRAVITY,
};

static const char *const names[PH_FIELD_KIND_COUNT] = {
    [PH_FIELD_FLUID] = "Fluid",
    [PH_FIELD_DRAG] = "Drag",
    [PH_FIELD_WIND] = "Wind",
    [PH_FIELD_POINT_GRAVITY] = "PointGravity",
};

CoreType core_field_type(PhFieldKind kind) {
    return types[kind];
}

// PH_FIELD_KIND_COUNT for what is no field.
static PhFieldKind kind_of(const CoreState *core, PyObject *object) {
    int kind = 0;
    while (kind < PH_FIELD_KIND_COUNT && !Py_IS_TYPE(object, core->type[types[kind]])) {
        ++kind;
    }
    return (PhFieldKind)kind;
}

bool core_is_field(const CoreState *core, PyObject *object) {
    return kind_of(core, object) != PH_FIELD_KIND_COUNT;
}

static const PhFieldKindInfo *info_of(const HandleObject *self) {
    return ph_field_kind(kind_of(self->world->core, (PyObject *)(uintptr_t)self));
}

// Inside the gate, which it leaves.
static int leave_with(HandleObject *self, const PhFieldDef *def) {
    PhError error;
    PhStatus status = ph_field_set(self->world->world, self->id, def, &error);
    core_leave(self->world);
    if (status != PH_OK) {
        core_raise(self->world->core, &error);
        return -1;
    }
    return 0;
}

// ------------------------------------------------------------------------------------------------
// numbers

static PyObject *get_value(PyObject *object, void *closure) {
    HandleObject *self = handle_of(object);
    const PhFieldParameter *parameter = &info_of(self)->parameters[(intptr_t)closure];
    if (!core_enter_alive(self, HANDLE_FIELD)) {
        return NULL;
    }
    PhFieldDef def = ph_field_get(self->world->world, self->id.index);
    core_leave(self->world);
    return core_from_values(self->world->core, def.value + parameter->at, parameter->width,
                            (CoreAdvice){"field", parameter->name, NULL, false});
}

static int set_value(PyObject *object, PyObject *value, void *closure) {
    HandleObject *self = handle_of(object);
    const PhFieldParameter *parameter = &info_of(self)->parameters[(intptr_t)closure];
    double wanted[2];
    if (value == NULL) {
        PyErr_Format(PyExc_TypeError, "%s cannot be deleted", parameter->name);
        return -1;
    }
    if (!core_to_values(value, parameter->name, parameter->width, wanted) ||
        !core_enter_alive_to_change(self, HANDLE_FIELD)) {
        return -1;
    }
    PhFieldDef def = ph_field_get(self->world->world, self->id.index);
    memcpy(def.value + parameter->at, wanted, (size_t)parameter->width * sizeof *wanted);
    return leave_with(self, &def);
}

static PyObject *get_mask(PyObject *object, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    if (!core_enter_alive(self, HANDLE_FIELD)) {
        return NULL;
    }
    uint64_t mask = ph_field_get(self->world->world, self->id.index).mask;
    core_leave(self->world);
    return PyLong_FromUnsignedLongLong(mask);
}

static int set_mask(PyObject *object, PyObject *value, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    uint64_t mask;
    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError, "mask cannot be deleted");
        return -1;
    }
    if (!core_to_bits(value, "mask", &mask) || !core_enter_alive_to_change(self, HANDLE_FIELD)) {
        return -1;
    }
    PhFieldDef def = ph_field_get(self->world->world, self->id.index);
    def.mask = mask;
    return leave_with(self, &def);
}

// ------------------------------------------------------------------------------------------------
// surface

PyArrayObject *core_to_surface(const CoreState *core, PyObject *object, const char *name,
                               PhSurface *surface) {
    PyArrayObject *array = core_to_numbers(object, name);
    if (array == NULL || !core_check_finite(array, name)) {
        Py_XDECREF(array);
        return NULL;
    }
    PhError error;
    if (PyArray_NDIM(array) == 0) {
        *surface = (PhSurface){.level = *(const double *)PyArray_DATA(array)};
    } else if (PyArray_NDIM(array) == 2 && PyArray_DIM(array, 1) == 2 &&
               PyArray_DIM(array, 0) >= 2 && PyArray_DIM(array, 0) <= INT32_MAX / 4) {
        *surface =
            (PhSurface){.points = core_points(array), .count = (uint32_t)PyArray_DIM(array, 0)};
    } else {
        core_shape_error(name, "() or (n, 2) with n >= 2", array);
        Py_DECREF(array);
        return NULL;
    }
    if (ph_surface_check(surface, name, &error) != PH_OK) {
        core_raise(core, &error);
        Py_DECREF(array);
        return NULL;
    }
    return array;
}

// Python code may run while an array is made, and change the field: the points are copied inside
// the gate.
static PyObject *get_surface(PyObject *object, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    if (!core_enter_alive(self, HANDLE_FIELD)) {
        return NULL;
    }
    PhSurface surface = ph_field_get(self->world->world, self->id.index).surface;
    PhVec2 *points = surface.points != NULL ? PyMem_New(PhVec2, surface.count) : NULL;
    for (uint32_t i = 0; points != NULL && i < surface.count; ++i) {
        points[i] = surface.points[i];
    }
    core_leave(self->world);
    if (surface.points == NULL) {
        return PyFloat_FromDouble(surface.level);
    }
    if (points == NULL) {
        return PyErr_NoMemory();
    }
    PyObject *array = core_from_points(points, surface.count);
    PyMem_Free(points);
    return array;
}

static int set_surface(PyObject *object, PyObject *value, void *Py_UNUSED(closure)) {
    HandleObject *self = handle_of(object);
    PhSurface surface;
    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError, "surface cannot be deleted");
        return -1;
    }
    PyArrayObject *array = core_to_surface(self->world->core, value, "surface", &surface);
    if (array == NULL) {
        return -1;
    }
    int result = -1;
    if (core_enter_alive_to_change(self, HANDLE_FIELD)) {
        PhFieldDef def = ph_field_get(self->world->world, self->id.index);
        def.surface = surface;
        result = leave_with(self, &def);
    }
    Py_DECREF(array);
    return result;
}

// ------------------------------------------------------------------------------------------------
// types

static PyObject *format_numbers(const char *name, const double *value, int32_t width) {
    PyObject *numbers =
        width == 1 ? PyFloat_FromDouble(value[0]) : Py_BuildValue("(dd)", value[0], value[1]);
    PyObject *text = numbers != NULL ? PyUnicode_FromFormat(", %s=%R", name, numbers) : NULL;
    Py_XDECREF(numbers);
    return text;
}

// Of a surface only its flatness, level and count are examined: the points are not ours.
static void append_numbers(PyObject **text, const PhFieldDef *def) {
    const PhFieldKindInfo *info = ph_field_kind(def->kind);
    if (info->has_surface) {
        core_append(text, def->surface.count > 0
                              ? PyUnicode_FromFormat(", surface of %lu points",
                                                     (unsigned long)def->surface.count)
                              : format_numbers("surface", &def->surface.level, 1));
    }
    for (int i = 0; i < PH_FIELD_PARAMETERS && info->parameters[i].name != NULL; ++i) {
        const PhFieldParameter *parameter = &info->parameters[i];
        const double *value = def->value + parameter->at;
        bool zero = value[0] == 0 && (parameter->width == 1 || value[1] == 0);
        if (!zero || isnan(parameter->initial)) {
            core_append(text, format_numbers(parameter->name, value, parameter->width));
        }
    }
    if (def->mask != UINT64_MAX) {
        core_append(text, PyUnicode_FromFormat(", mask=%llu", (unsigned long long)def->mask));
    }
}

// With the numbers that must be given or are not zero; without any inside of the world's own step.
static PyObject *field_repr(PyObject *object) {
    HandleObject *self = handle_of(object);
    const char *name = names[kind_of(self->world->core, object)];
    bool inside = core_is_inside(self->world), alive = true;
    PhFieldDef def = {.mask = 0};
    if (!inside) {
        if (!core_enter(self->world)) {
            return NULL;
        }
        alive = ph_field_valid(self->world->world, self->id);
        if (alive) {
            def = ph_field_get(self->world->world, self->id.index);
        }
        core_leave(self->world);
    }
    PyObject *text = PyUnicode_FromFormat("<%s %lu", name, (unsigned long)self->id.index);
    if (!alive) {
        core_append(&text, PyUnicode_FromString(", removed"));
    } else if (!inside) {
        append_numbers(&text, &def);
    }
    core_append(&text, PyUnicode_FromString(">"));
    return text;
}

CORE_LOGGED_SET(set_value, CORE_WORLD_OF_HANDLE)
CORE_LOGGED_SET(set_mask, CORE_WORLD_OF_HANDLE)
CORE_LOGGED_SET(set_surface, CORE_WORLD_OF_HANDLE)

#define VALUE(i, name, doc)                                                                        \
    { name, get_value, set_value_logged, doc, (void *)i }
#define COMMON_ATTRIBUTES                                                                          \
    {"index", core_handle_index, NULL, "Number of the field in its world.", NULL},                 \
        {"id", core_handle_id, NULL, "Number that is never used again in its world.", NULL},       \
        {"world", core_handle_world, NULL, "The World.", NULL},                                    \
        {"alive", core_handle_alive, NULL, "Whether the field still exists.", NULL}, {             \
        "mask", get_mask, set_mask_logged, "Bits of the categories of colliders that it acts on.", \
            NULL                                                                                   \
    }

static PyGetSetDef fluid_attributes[] = {
    COMMON_ATTRIBUTES,
    {"surface", get_surface, set_surface_logged,
     "Height of the surface as a float, or a polyline, shape (n, 2); metres.", NULL},
    VALUE(0, "density", "kg/m^2, >= 0."),
    VALUE(1, "drag", "Drag per displaced mass, 1/s, >= 0."),
    VALUE(2, "quadratic_drag", "Drag coefficient per speed, 1/m, >= 0."),
    VALUE(3, "flow", "Velocity of the fluid, shape (2,), m/s. A value: assign to change it."),
    {0},
};

static PyGetSetDef drag_attributes[] = {
    COMMON_ATTRIBUTES,
    VALUE(0, "linear", "Force per velocity, N s/m, >= 0."),
    VALUE(1, "quadratic", "Force per squared velocity, N s^2/m^2, >= 0."),
    VALUE(2, "clamped", "A velocity v loses clamp_magnitude(v, 1) clamped dt; 1/s, >= 0."),
    VALUE(3, "angular", "Torque per angular velocity, N m s, >= 0."),
    {0},
};

static PyGetSetDef wind_attributes[] = {
    COMMON_ATTRIBUTES,
    VALUE(0, "velocity", "Velocity of the air, shape (2,), m/s. A value: assign to change it."),
    VALUE(1, "density", "Density of the air, kg/m^2, >= 0."),
    VALUE(2, "drag", "Coefficient of the force along the flow, >= 0."),
    VALUE(3, "lift", "Coefficient of the pressure on what faces the flow, >= 0."),
    {0},
};

static PyGetSetDef point_gravity_attributes[] = {
    COMMON_ATTRIBUTES,
    VALUE(0, "center", "World point, shape (2,), m. A value: assign to change it."),
    VALUE(1, "strength", "Acceleration towards the center at a distance of 1 m; < 0: away."),
    VALUE(2, "power", "The acceleration falls with this power of the distance; -8 to 8, whole."),
    VALUE(3, "softening", "Metres, >= 0: what is nearer is drawn less."),
    VALUE(4, "radius", "Metres, >= 0: what is further is left alone."),
    {0},
};

static PyMethodDef field_methods[] = {CORE_HANDLE_REDUCE, {0}};

#define FIELD_TYPE(variable, type_name, what)                                                      \
    static PyType_Slot variable##_slots[] = {                                                      \
        {Py_tp_dealloc, core_handle_dealloc},                                                      \
        {Py_tp_traverse, core_handle_traverse},                                                    \
        {Py_tp_richcompare, core_handle_compare},                                                  \
        {Py_tp_hash, core_handle_hash},                                                            \
        {Py_tp_repr, field_repr},                                                                  \
        {Py_tp_methods, field_methods},                                                            \
        {Py_tp_getset, variable##_attributes},                                                     \
        {Py_tp_members, core_handle_members},                                                      \
        {Py_tp_doc,                                                                                \
         (void *)PyDoc_STR(what "\n\nMade by World.add_" #variable                                 \
                                ", taken away by World.remove; use after that raises "             \
                                "RemovedError.\nAssigning to a property wakes the bodies that "    \
                                "the field reaches.")},                                            \
        {0, NULL},                                                                                 \
    };                                                                                             \
    PyType_Spec core_##variable##_spec = {                                                         \
        .name = "pyphys2d._core." type_name,                                                       \
        .basicsize = sizeof(HandleObject),                                                         \
        .flags = CORE_HANDLE_FLAGS,                                                                \
        .slots = variable##_slots,                                                                 \
    }

FIELD_TYPE(fluid, "Fluid", "Everything under a surface: lifts and drags along what is in it.");
FIELD_TYPE(drag, "Drag", "Drag of still air on whole bodies.");
FIELD_TYPE(wind, "Wind", "Uniform flow of air against the outlines of bodies.");
FIELD_TYPE(point_gravity, "PointGravity", "Gravity towards a point.");

// Joints of a World: World.add_..._joint and World.joint_state. The handles are in joint.c.
#include <math.h>
#include <string.h>

#include "python/joint.h"
#include "python/recorder.h"
#include "python/world_methods.h"

// ------------------------------------------------------------------------------------------------
// making

enum { MOST_NAMES = 32 };

typedef struct Signature {
    CoreSignature core;
    const char *names[MOST_NAMES];
} Signature;

// The core points into it.
static void fill_signature(PhJointKind kind, const char *function, Signature *signature) {
    const PhJointKindInfo *own = ph_joint_kind(kind);
    const PhJointParameter *parameters = own->parameters;
    int count = 0;
    for (int i = 0; i < PH_JOINT_NAMES && own->arguments[i] != NULL; ++i) {
        signature->names[count++] = own->arguments[i];
    }
    for (int i = 0; i < PH_JOINT_PARAMETERS && parameters[i].name != NULL; ++i) {
        signature->names[count++] = parameters[i].name;
    }
    if (own->collide) {
        signature->names[count++] = "collide_connected";
    }
    signature->names[count++] = "user_data";
    signature->core =
        (CoreSignature){function, signature->names, count, own->positional, own->required};
}

// The argument of that name, NULL when it was not given or the function has none.
static PyObject *named(const CoreSignature *signature, PyObject *const *values, const char *name) {
    for (int i = 0; i < signature->count; ++i) {
        if (strcmp(signature->names[i], name) == 0) {
            return values[i];
        }
    }
    return NULL;
}

static bool to_body(WorldObject *self, PyObject *object, const char *name, bool optional,
                    HandleObject **body) {
    *body = NULL;
    if (optional && object == Py_None) {
        return true;
    }
    if (!Py_IS_TYPE(object, self->core->type[TYPE_BODY])) {
        const CoreState *core = self->core;
        const char *hint = "";
        if (object == Py_None) {
            hint = "; a joint to the world has None as its first body, and the other second";
        } else if (Py_IS_TYPE(object, core->type[TYPE_WORLD])) {
            hint = "; for the world give None";
        } else if (Py_IS_TYPE(object, core->type[TYPE_COLLIDER])) {
            hint = "; its body is collider.body";
        } else if (PyLong_Check(object) || PyArray_IsScalar(object, Integer)) {
            hint = "; the body of a slot is world.bodies[slot]";
        } else if (PyUnicode_Check(object)) {
            hint = "; the body of a name is world.bodies[name]";
        }
        PyErr_Format(PyExc_TypeError, "%s: must be a Body%s, got %.100s%s", name,
                     optional ? " or None" : "", Py_TYPE(object)->tp_name, hint);
        return false;
    }
    if (((HandleObject *)object)->world != self) {
        PyErr_Format(PyExc_ValueError, "%s: %R belongs to another world", name, object);
        return false;
    }
    *body = (HandleObject *)object;
    return true;
}

typedef struct Places {
    bool given[2], local[2]; // local: in the frame of its body
    PhVec2 anchor[2];
} Places;

static bool check_place(PhVec2 v, const char *name) {
    if (fabs(v.x) <= PH_JOINT_MOST && fabs(v.y) <= PH_JOINT_MOST) {
        return true;
    }
    char most[32];
    PyOS_snprintf(most, sizeof most, "be within +-%g m", PH_JOINT_MOST);
    return core_refuse_vec2(name, most, v);
}

static bool to_place(PyObject *object, const char *name, PhVec2 *out) {
    PhVec2 v;
    if (!core_to_vec2(object, name, &v) || !check_place(v, name)) {
        return false;
    }
    *out = v;
    return true;
}

static bool to_places(const CoreSignature *signature, PyObject *const *values, Places *places) {
    PyObject *both = named(signature, values, "anchor");
    PyObject *one[2] = {named(signature, values, "anchor_a"), named(signature, values, "anchor_b")};
    if (both != NULL && both != Py_None) {
        if ((one[0] != NULL && one[0] != Py_None) || (one[1] != NULL && one[1] != Py_None)) {
            PyErr_SetString(PyExc_TypeError, "anchor: give it, or anchor_a and anchor_b");
            return false;
        }
        places->given[0] = places->given[1] = true;
        if (!to_place(both, "anchor", &places->anchor[0])) {
            return false;
        }
        places->anchor[1] = places->anchor[0];
    }
    for (int i = 0; i < 2; ++i) {
        const char *name = i ? "local_anchor_b" : "local_anchor_a";
        PyObject *local = named(signature, values, name);
        if (one[i] != NULL && one[i] != Py_None) {
            places->given[i] = true;
            if (!to_place(one[i], i ? "anchor_b" : "anchor_a", &places->anchor[i])) {
                return false;
            }
        }
        if (local != NULL && local != Py_None) {
            if (places->given[i]) {
                PyErr_Format(PyExc_TypeError, "%s: give it, or %s, not both", name,
                             both != NULL && both != Py_None ? "anchor"
                             : i                             ? "anchor_b"
                                                             : "anchor_a");
                return false;
            }
            places->given[i] = places->local[i] = true;
            if (!to_place(local, name, &places->anchor[i])) {
                return false;
            }
        }
    }
    return true;
}

// A direction of any length; (0, 0) stays what it is.
static bool to_axis(PyObject *object, PhVec2 *axis) {
    PhVec2 v;
    if (!core_to_vec2(object, "axis", &v)) {
        return false;
    }
    double size = fmax(fabs(v.x), fabs(v.y));
    *axis = size > 0 ? ph_vec(v.x / size, v.y / size) : v;
    return true;
}

static bool to_values(const CoreSignature *signature, PyObject *const *values, PhJointDef *def) {
    const PhJointKindInfo *info = ph_joint_kind(def->kind);
    const PhJointParameter *parameters = info->parameters;
    PyObject *length = named(signature, values, "length");
    PyObject *ratio = named(signature, values, "ratio");
    def->value[PH_JOINT_RATIO] = 1;
    if (info->grounded && ratio != NULL &&
        !core_to_positive(ratio, "ratio", &def->value[PH_JOINT_RATIO])) {
        return false;
    }
    for (int k = 0; k < 2; ++k) {
        const char *name = k ? "ground_b" : "ground_a";
        PyObject *ground = named(signature, values, name);
        PhVec2 point;
        if (ground == NULL) {
            continue;
        }
        if (!to_place(ground, name, &point)) {
            return false;
        }
        def->value[PH_JOINT_GROUND + 2 * k] = point.x;
        def->value[PH_JOINT_GROUND + 2 * k + 1] = point.y;
    }
    PyObject *reference = named(signature, values, "reference_angle");
    if (reference != NULL && reference != Py_None) {
        if (!core_to_double(reference, "reference_angle", &def->reference)) {
            return false;
        }
        def->referenced = true;
    }
    PyObject *axis = named(signature, values, "axis");
    PyObject *collide = named(signature, values, "collide_connected");
    if (length != NULL && length != Py_None && !core_to_positive(length, "length", &def->length)) {
        return false;
    }
    if (axis != NULL && !to_axis(axis, &def->axis)) {
        return false;
    }
    if (collide != NULL && !core_to_bool(collide, "collide_connected", &def->collide_connected)) {
        return false;
    }
    for (int i = 0; i < PH_JOINT_PARAMETERS && parameters[i].name != NULL; ++i) {
        PyObject *value = named(signature, values, parameters[i].name);
        bool default_none = !isfinite(parameters[i].initial);
        if (value != NULL && !(default_none && value == Py_None) &&
            !core_to_joint_value(&parameters[i], value, def->value)) {
            return false;
        }
    }
    PhVec2 target = ph_vec(def->value[PH_JOINT_POINT], def->value[PH_JOINT_POINT + 1]);
    return !info->aims || isnan(target.x) || check_place(target, "target");
}

// Inside the gate: where anchors are that were not given.
static void place_anchors(const WorldObject *self, PhJointDef *def, const Places *places) {
    const PhJointKindInfo *info = ph_joint_kind(def->kind);
    bool apart = info->apart;
    PhVec2 origin[2] = {{0, 0}, {0, 0}}, given[2] = {places->anchor[0], places->anchor[1]};
    for (int i = 0; i < 2; ++i) {
        PhTransform at = {{0, 0}, {1, 0}};
        if (def->body[i].index != PH_NULL && ph_body_valid(self->world, def->body[i])) {
            at = ph_body_transform(self->world, def->body[i].index);
            origin[i] = at.p;
        }
        if (places->local[i]) {
            def->local[i] = true;
            def->local_anchor[i] = given[i];
            given[i] = ph_apply(at, given[i]);
        }
    }
    for (int i = 0; i < 2; ++i) {
        def->anchor[i] = places->given[i]                 ? given[i]
                         : !apart && places->given[1 - i] ? given[1 - i]
                         : apart                          ? origin[i]
                                                          : origin[1];
    }
    if (info->aims && !places->given[1] && !isnan(def->value[PH_JOINT_POINT])) {
        def->anchor[0] = def->anchor[1] =
            ph_vec(def->value[PH_JOINT_POINT], def->value[PH_JOINT_POINT + 1]);
    }
}

// Inside the gate. The data, NULL for none, is in its table before the joint is there, as that of
// bodies is. PH_ERROR_STOPPED with an exception set.
static PhStatus create_with(WorldObject *self, const PhJointDef *def, PyObject *data, PhId *id,
                            PhError *error) {
    PyObject *table = self->user_data[HANDLE_JOINT];
    if (data == NULL || data == Py_None) {
        return ph_joint_create(self->world, def, id, error);
    }
    PhStatus status = ph_joint_next_id(self->world, id, error);
    if (status != PH_OK) {
        return status;
    }
    PyObject *key = core_table_key(*id);
    status = key != NULL && core_table_put(table, key, data)
                 ? ph_joint_create(self->world, def, id, error)
                 : PH_ERROR_STOPPED;
    if (status != PH_OK && key != NULL) {
        core_table_drop(table, key); // the caller holds the data
    }
    Py_XDECREF(key);
    return status;
}

// places: NULL for what has none.
static PyObject *create(WorldObject *self, PhJointDef *def, const Places *places, PyObject *data) {
    PhId id;
    PhError error;
    PyObject *handle = core_handle_blank(self, core_joint_type(def->kind));
    if (handle == NULL || !core_enter_to_change(self)) {
        Py_XDECREF(handle);
        return NULL;
    }
    core_world_sync(self);
    if (places != NULL) {
        place_anchors(self, def, places);
    }
    PhStatus status = create_with(self, def, data, &id, &error);
    core_leave(self);
    if (status != PH_OK) {
        Py_DECREF(handle);
        return status == PH_ERROR_STOPPED ? NULL : core_raise(self->core, &error);
    }
    return core_handle_give(handle, id);
}

static bool to_joint(WorldObject *self, PyObject *object, const char *name, PhId *id) {
    if (!core_is_joint(self->core, object)) {
        bool body = Py_IS_TYPE(object, self->core->type[TYPE_BODY]);
        PyErr_Format(
            PyExc_TypeError, "%s: must be a joint, got %.100s%s", name, Py_TYPE(object)->tp_name,
            body ? "; a gear ties two joints, such as the revolute joints of two wheels" : "");
        return false;
    }
    if (((HandleObject *)object)->world != self) {
        PyErr_Format(PyExc_ValueError, "%s: %R belongs to another world", name, object);
        return false;
    }
    *id = ((HandleObject *)object)->id;
    return true;
}

static PyObject *add_joint(PyObject *object, PhJointKind kind, const char *function,
                           PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    WorldObject *self = (WorldObject *)object;
    const PhJointKindInfo *info = ph_joint_kind(kind);
    Signature own;
    const CoreSignature *signature = &own.core;
    PyObject *values[MOST_NAMES];
    fill_signature(kind, function, &own);
    PhJointDef def = ph_joint_def(kind);
    def.collide_connected = info->collides;
    if (!core_bind(signature, args, count, keywords, values)) {
        return NULL;
    }
    PyObject *data = named(signature, values, "user_data");
    if (info->geared) {
        bool told = to_joint(self, values[0], "joint_a", &def.geared[0]) &&
                    to_joint(self, values[1], "joint_b", &def.geared[1]) &&
                    to_values(signature, values, &def);
        return told ? create(self, &def, NULL, data) : NULL;
    }
    Places places = {{false, false}, {false, false}, {{0, 0}, {0, 0}}};
    HandleObject *a = NULL, *b = NULL;
    bool alone = strcmp(info->arguments[0], "body") == 0; // the other side is the world
    if ((!alone && !to_body(self, values[0], "a", true, &a)) ||
        !to_body(self, values[alone ? 0 : 1], alone ? "body" : "b", false, &b) ||
        !to_places(signature, values, &places) || !to_values(signature, values, &def)) {
        return NULL;
    }
    def.body[0] = a != NULL ? a->id : (PhId){PH_NULL, 0};
    def.body[1] = b->id;
    return create(self, &def, &places, data);
}

#define ADD_JOINT(KIND, name, Type)                                                                \
    PyObject *core_world_add_##name##_joint(PyObject *object, PyObject *const *args,               \
                                            Py_ssize_t count, PyObject *keywords) {                \
        return add_joint(object, PH_JOINT_##KIND, "add_" #name "_joint", args, count, keywords);   \
    }
PH_JOINT_KINDS(ADD_JOINT)

// ------------------------------------------------------------------------------------------------
// reading

PyObject *core_world_get_joint_separations(PyObject *object, void *Py_UNUSED(closure)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter(self)) {
        return NULL;
    }
    const PhWorld *world = self->world;
    npy_intp shape[2] = {(npy_intp)ph_joint_count(world), 2};
    PyObject *array = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
    double *row = array != NULL ? PyArray_DATA((PyArrayObject *)array) : NULL;
    for (uint32_t i = 0; row != NULL && i < ph_joint_limit(world); ++i) {
        if (ph_joint_alive(world, i)) {
            ph_joint_separation(world, i, &row[0], &row[1]);
            row += 2;
        }
    }
    core_leave(self);
    return array;
}

void core_joint_rows(const PhWorld *world, CoreJointRow *row) {
    for (uint32_t i = 0; i < ph_joint_limit(world); ++i) {
        if (!ph_joint_alive(world, i)) {
            continue;
        }
        const PhJoint *joint = ph_joint_get(world, i);
        const PhJointResult *result = ph_joint_result(world, i);
        PhJointReading reading = ph_joint_read(world, i);
        row->joint = (int32_t)i;
        row->kind = joint->kind;
        row->body_a = joint->body[0] == PH_NULL ? -1 : (int32_t)joint->body[0];
        row->body_b = (int32_t)joint->body[1];
        for (int k = 0; k < 2; ++k) {
            double *anchor = k ? row->anchor_b : row->anchor_a;
            anchor[0] = reading.anchor[k].x;
            anchor[1] = reading.anchor[k].y;
            row->force[k] = result->force[k];
        }
        row->torque = result->torque;
        row->position = reading.position;
        row->speed = reading.speed;
        row->angle = reading.angle;
        ++row;
    }
}

PyObject *core_world_get_joint_state(PyObject *object, void *Py_UNUSED(closure)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter(self)) {
        return NULL;
    }
    const PhWorld *world = self->world;
    PyObject *array = core_rows(self->core, ROW_JOINT, NULL, ph_joint_count(world));
    if (array != NULL) {
        core_joint_rows(world, PyArray_DATA((PyArrayObject *)array));
    }
    core_leave(self);
    return array;
}

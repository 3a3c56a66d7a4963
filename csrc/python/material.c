// Keywords of materials and filters, and the names of the kinds of bodies: shared by
// World.add_body, add_bodies and Body.attach.
#include "python/convert.h"

const char *const core_kind_names[] = {"static", "kinematic", "dynamic", NULL};

bool core_to_kind(PyObject *object, PhBodyKind *kind) {
    int choice;
    if (!core_to_choice(object, "kind", core_kind_names, &choice)) {
        return false;
    }
    *kind = (PhBodyKind)choice;
    return true;
}

bool core_to_material(PyObject *const *values, PhColliderDef *def) {
    static const char *const names[MATERIAL_KEYWORD_COUNT] = {MATERIAL_KEYWORDS};
    double *const numbers[] = {&def->density, &def->friction, &def->restitution,
                               &def->rolling_resistance, &def->tangent_speed};
    uint64_t *const bits[] = {&def->category, &def->mask};
    bool *const switches[] = {&def->sensor, &def->pre_solve};
    for (int i = 0; i < 5; ++i) {
        if (values[i] != NULL && !core_to_double(values[i], names[i], numbers[i])) {
            return false;
        }
    }
    for (int i = 0; i < 2; ++i) {
        if (values[5 + i] != NULL && !core_to_bits(values[5 + i], names[5 + i], bits[i])) {
            return false;
        }
        if (values[8 + i] != NULL && !core_to_bool(values[8 + i], names[8 + i], switches[i])) {
            return false;
        }
    }
    long long group;
    if (values[7] != NULL) {
        if (!core_to_integer(values[7], names[7], INT32_MIN, INT32_MAX, &group)) {
            return false;
        }
        def->group = (int32_t)group;
    }
    return true;
}

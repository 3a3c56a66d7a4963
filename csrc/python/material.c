// Keywords of materials and filters, and the names of the kinds of bodies: shared by
// World.add_body, add_bodies and Body.attach.
#include "python/convert.h"

const char *const core_rule_names[] = {"geometric_mean", "max", "min", "average", "multiply", NULL};
const char *const core_kind_names[] = {"static", "kinematic", "dynamic", NULL};

bool core_to_kind(PyObject *object, PhBodyKind *kind) {
    int choice;
    if (!core_to_choice(object, "kind", core_kind_names, &choice)) {
        return false;
    }
    *kind = (PhBodyKind)choice;
    return true;
}

bool core_to_material(const CoreState *core, PyObject *const *values, PhColliderDef *def) {
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
    PyObject *const *own = values + MATERIAL_OF_PAIRS;
    uint8_t *const rules[] = {&def->friction_rule, &def->restitution_rule};
    if (own[0] == Py_None) {
        def->material = 0;
    } else if (own[0] != NULL) {
        long long material;
        if (!core_to_integer(own[0], "material", 0, PH_MAX_MATERIALS - 1, &material)) {
            return false;
        }
        def->material = (uint16_t)(1 + material);
    }
    for (int i = 0; i < 2; ++i) {
        PyObject *rule = own[1 + i];
        int choice = -1;
        if (rule != NULL && rule != Py_None &&
            !core_to_choice(rule, names[MATERIAL_OF_PAIRS + 1 + i], core_rule_names, &choice)) {
            return false;
        }
        if (rule != NULL) {
            *rules[i] = (uint8_t)(1 + choice);
        }
    }
    return core_to_segments(core, values[MATERIAL_OF_SEGMENTS], &def->segments);
}

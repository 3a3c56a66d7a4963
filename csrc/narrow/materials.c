// How two surfaces mix, for pairs that no kernel finds.
#include "narrow/materials.h"

static float mix(PhMixRule rule, float a, float b) {
    switch (rule) {
    case PH_MIX_MAX:
        return a > b ? a : b;
    case PH_MIX_MIN:
        return a < b ? a : b;
    case PH_MIX_AVERAGE:
        return 0.5f * (a + b);
    case PH_MIX_MULTIPLY:
        return a * b;
    case PH_MIX_GEOMETRIC_MEAN:
        break;
    }
    return sqrtf(a * b);
}

void ph_mix_surfaces(PhMixRule friction, PhMixRule restitution, const PhMaterial *a,
                     const PhMaterial *b, PhManifoldRecord *record) {
    record->friction = mix(friction, a->friction, b->friction);
    record->restitution = mix(restitution, a->restitution, b->restitution);
    float rolling = a->rolling_resistance > b->rolling_resistance ? a->rolling_resistance
                                                                  : b->rolling_resistance;
    float radius_a = record->point[0].radius, radius_b = record->point[1].radius;
    record->rolling_radius = rolling * (radius_a > radius_b ? radius_a : radius_b);
    // The outward normal of a turned clockwise is the tangent, that of b its negative; a's surface
    // drives b along the first, b's drives a along the second, which is again b along the first.
    record->tangent_speed = a->tangent_speed + b->tangent_speed;
}

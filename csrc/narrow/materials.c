// How two surfaces mix, for pairs that no kernel finds.
#include "narrow/materials.h"

#include <math.h>
#include <stddef.h>

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
                     const PhMaterial *b, PhSolverManifold *manifold) {
    manifold->friction = mix(friction, a->friction, b->friction);
    manifold->restitution = mix(restitution, a->restitution, b->restitution);
    float rolling = a->rolling_resistance > b->rolling_resistance ? a->rolling_resistance
                                                                  : b->rolling_resistance;
    float radius_a = manifold->point[0].radius, radius_b = manifold->point[1].radius;
    manifold->rolling_radius = rolling * (radius_a > radius_b ? radius_a : radius_b);
    // The outward normal of a turned clockwise is the tangent, that of b its negative; a's surface
    // drives b along the first, b's drives a along the second, which is again b along the first.
    manifold->tangent_speed = a->tangent_speed + b->tangent_speed;
}

float ph_surface_number(double x) {
    return (float)(x > 1e18 ? 1e18 : x < -1e18 ? -1e18 : x);
}

static PhMixRule choose_rule(PhMixRule world, uint8_t a, uint8_t b) {
    static const uint8_t rank[] = {
        [PH_MIX_GEOMETRIC_MEAN] = 0, [PH_MIX_AVERAGE] = 1, [PH_MIX_MIN] = 2,
        [PH_MIX_MULTIPLY] = 3,       [PH_MIX_MAX] = 4,
    };
    if (!a || !b) {
        return a || b ? (PhMixRule)(a + b - 1) : world;
    }
    return (PhMixRule)((rank[a - 1] > rank[b - 1] ? a : b) - 1);
}

void ph_mix_sorts(const PhSurfaces *surfaces, uint32_t p, uint32_t q, float mixed[3]) {
    const PhMaterial *a = &surfaces->material[p], *b = &surfaces->material[q];
    const PhSurfaceSort *m = &surfaces->sort[p], *n = &surfaces->sort[q];
    PhMixRule friction = choose_rule(surfaces->friction_rule, m->friction_rule, n->friction_rule);
    PhMixRule restitution =
        choose_rule(surfaces->restitution_rule, m->restitution_rule, n->restitution_rule);
    mixed[0] = mix(friction, a->friction, b->friction);
    mixed[1] = mix(restitution, a->restitution, b->restitution);
    mixed[2] = mix(PH_MIX_MAX, a->rolling_resistance, b->rolling_resistance);
    uint32_t i = m->material - 1u, j = n->material - 1u; // of none: beyond all
    if (i < surfaces->count && j < surfaces->count) {
        const PhMaterialPair *pair = &surfaces->pair[(size_t)i * surfaces->count + j];
        const double told[] = {pair->friction, pair->restitution, pair->rolling_resistance};
        for (int k = 0; k < 3; k++) {
            mixed[k] = isnan(told[k]) ? mixed[k] : ph_surface_number(told[k]);
        }
    }
}

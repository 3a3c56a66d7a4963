// What the narrow phase hands on: one manifold as solvers read it, and how materials mix.
#ifndef PH_NARROW_RECORD_H
#define PH_NARROW_RECORD_H

#include <math.h>

// Bodies closer than this get a contact (metres).
#define PH_SPECULATIVE 0.02
// Corners that would meet by less than this (metres) count as passing.
#define PH_PASS_SLOP 0.005

typedef enum PhMixRule {
    PH_MIX_GEOMETRIC_MEAN,
    PH_MIX_MAX,
    PH_MIX_MIN,
    PH_MIX_AVERAGE,
    PH_MIX_MULTIPLY
} PhMixRule;

// One manifold as the solver reads it: float32, five quads of 16 bytes, points relative to the
// centre of mass of body a in world axes. 80 bytes.
typedef struct PhManifoldRecord {
    float nx, ny; // unit normal from a to b
    float friction, restitution;
    struct {
        float x, y; // point midway between the surfaces, from a's centre of mass
        float separation;
        float valid;      // 1 or 0
    } point[2];           // ordered along the tangent (ny, -nx)
    float rolling_radius; // rolling resistance x radius, metres
    float tangent_speed;  // wanted velocity of b's surface less a's along (ny, -nx), m/s
    float dx, dy;         // centre of b less centre of a (difference taken in float64)
    // Radii of the pieces. A round surface does not turn with its body: what touches is always the
    // side that faces the other, so only the core of a lever arm is rotated.
    float radius_a, radius_b;
    float approach; // fastest approach of a valid point, m/s; >= 0
    float unused;
} PhManifoldRecord;

// Surface of a collider, as manifolds mix them.
typedef struct PhMaterial {
    float friction, restitution, rolling_resistance, tangent_speed;
} PhMaterial;

#endif

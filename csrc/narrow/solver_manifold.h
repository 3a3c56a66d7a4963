// What the narrow phase hands on: one manifold as solvers read it, and how materials mix.
#ifndef PH_NARROW_SOLVER_MANIFOLD_H
#define PH_NARROW_SOLVER_MANIFOLD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// Corners may overlap by the slop of PhLengths and count as passing: of thin pieces no more than
// this part of the width of the thinner one.
#define PH_PASS_WIDTH 0.05
// A side slides past a corner that rests if it stays within this part of the slop above it, and
// slides with more than this part of the speed of approach.
#define PH_PASS_RISE 0.2
#define PH_PASS_SLIDE 0.25
// Contacts look ahead by no more than so many times the thinner one's width.
#define PH_AHEAD_WIDTHS 4.0

typedef enum PhMixRule {
    PH_MIX_GEOMETRIC_MEAN,
    PH_MIX_MAX,
    PH_MIX_MIN,
    PH_MIX_AVERAGE,
    PH_MIX_MULTIPLY
} PhMixRule;

// One manifold as the solver reads it: float32, four quads of 16 bytes, points relative to the
// centre of mass of body a in world axes. A line of the cache.
typedef struct PhSolverManifold {
    float nx, ny; // unit normal from a to b
    float friction, restitution;
    struct {
        float x, y;       // point midway between the surfaces, from a's centre of mass
        float separation; // PH_NO_POINT where there is none
        // Of the piece: a's with the first point, b's with the second. A round surface does not
        // turn with its body: what touches is always the side that faces the other, so only the
        // core of a lever arm is rotated. Its sign is set where a single point lies on a side of
        // this piece.
        float radius;
    } point[2];           // ordered along the tangent (ny, -nx)
    float rolling_radius; // rolling resistance x radius, metres
    float tangent_speed;  // wanted velocity of b's surface less a's along (ny, -nx), m/s
    float dx, dy;         // centre of b less centre of a (difference taken in float64)
} PhSolverManifold;

#define PH_NO_POINT INFINITY

static inline bool ph_has_point(const PhSolverManifold *manifold, int i) {
    return manifold->point[i].separation < PH_NO_POINT;
}

// Surface of a collider, as manifolds mix them.
typedef struct PhMaterial {
    float friction, restitution, rolling_resistance, tangent_speed;
} PhMaterial;

// What a collider has of its own in pairs: its material, 1 + its number, and mixing rules, 1 +
// PhMixRule; 0: none.
typedef struct PhSurfaceSort {
    uint16_t material;
    uint8_t friction_rule, restitution_rule;
} PhSurfaceSort;

// What two materials make of each other; NaN: what a rule says.
typedef struct PhMaterialPair {
    double friction, restitution, rolling_resistance;
} PhMaterialPair;

// All that surfaces of a world mix by.
typedef struct PhSurfaces {
    const PhMaterial *material; // by proxy
    const PhSurfaceSort *sort;  // by proxy
    const PhMaterialPair *pair; // count rows of count
    uint32_t count;
    PhMixRule friction_rule, restitution_rule; // of the world
} PhSurfaces;

#endif

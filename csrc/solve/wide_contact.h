// What a wide contact holds, in lanes of the width PH_LANES of the including unit: for
// kernels_source.h, which explains the symbols, and for articulated_islands.c at width 1.
#ifndef PH_SOLVE_WIDE_CONTACT_H
#define PH_SOLVE_WIDE_CONTACT_H

#include <stdint.h>

#include "math/lanes.h"

typedef struct Point {
    Lanes rn_a, rn_b;
    Lanes gap; // the separation as bodies stand: nothing moves between a relaxation and a biased
               // solve
    // Masses are 0 when the point is not valid, a thousandth less where the other one is close.
    Lanes normal_impulse, normal_mass;
    // An impulse of the other point acts on this one as so much of its own: K01 over its K.
    Lanes shared;
} Point;

typedef struct WideContact {
    uint32_t solver_a[PH_LANES], solver_b[PH_LANES];
    Lanes mass_a, mass_b, inertia_a, inertia_b;
    Lanes nx, ny;
    Point point[2];
} WideContact;

// What a biased solve has no need of: apart, as it would come along from memory.
typedef struct RestPoint {
    Lanes separation; // at the start of the step; a unit of length when the point is
                      // not valid
    Lanes nt_a, nt_b, tangent_impulse, tangent_mass;
} RestPoint;

typedef struct Rest {
    RestPoint point[2];
    Lanes friction, radius_a, radius_b;
    Lanes side; // of a single point: -1 on a side of a, 1 on one of b, 0 between round surfaces
    Lanes pair_scale;                        // 1 / (1 - the product of both `shared`)
    Lanes total_normal[2], total_tangent[2]; // sums over the substeps
} Rest;

typedef struct Extra {
    Lanes restitution;
    Lanes least;     // approach that is an impact, m/s; FLT_MAX: none is
    Lanes passed_on; // the same of one that others pass on to what touches
    // 1: comes fast in this step, or nothing holds the two, so its arms move with the bodies; else
    // 0
    Lanes predicted;
    Lanes later; // when arms are as they were found, s from the start of the step. In a free batch
                 // they are turned back, and from then on -1 means: had an impact in this substep
    // Arms at the start of the step, of what is predicted to where the surfaces meet.
    Lanes rn_a[2], rn_b[2];
    Lanes nt_a[2], nt_b[2];
    Lanes from_t[2], from_n[2]; // then, from the centre of b to that of a
    Lanes seen[3];              // by the last look for impacts: speed apart, spins
    // Of an impact that is found, until it has been given: by how much normal velocities are less
    // than they should be (FLT_MAX: the point has none), those velocities, what has been
    // given of it, and the arms and the normal of before.
    Lanes lacks[2], found_speed[2];
    Lanes given_normal[2], given_tangent[2];
    Lanes arms[2][4], was_normal[2];
    Lanes bounce_normal[2], bounce_tangent[2]; // impulses of impacts, in the totals as well
    Lanes tangent_speed, rolling_radius;
    Lanes rolling_impulse, rolling_mass; // angular impulse on b
} Extra;

#endif

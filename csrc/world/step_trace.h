// A step in slow motion: what each stage of one step left behind.
//
// All arrays belong to the trace, in the world frame. A *proxy* is a piece of a collider, a *point*
// a point of a contact that the solver works on. Frames of `solve` hold origins of bodies in
// `position`, and NaN for slots without a body.
#ifndef PH_WORLD_STEP_TRACE_H
#define PH_WORLD_STEP_TRACE_H

#include "solve/solve_trace.h"
#include "world/world.h"

typedef struct PhManifoldPointRow {
    int32_t body_a, body_b, collider_a, collider_b, piece_a, piece_b;
    double normal[2], point[2]; // from a to b; midway between the surfaces
    double separation;
    // To the point from the centres of mass, as the solver has them: of two that are apart those of
    // the moment at which they will meet.
    double arm_a[2], arm_b[2];
    uint32_t feature, unused; // 0
    uint64_t id;              // of the contact; 0: it has not begun
} PhManifoldPointRow;

// A dynamic body that continuous collision examined: fast, or in the way of a fast kinematic one.
typedef struct PhFastRow {
    int32_t body, stopped_body, stopped_collider;    // what has stopped it; -1: nothing
    double fraction;                                 // of the step, before that
    double start[2], end[2], start_angle, end_angle; // of its origin, without being stopped
} PhFastRow;

typedef struct PhStepTrace {
    double dt;
    uint32_t proxy_count;
    PhAabb *box,
        *predicted; // half of the speculative distance around; and more, which lets pairs persist
    int32_t *body, *collider, *piece;
    PhPairRow *pair;
    uint32_t pair_count;
    PhManifoldPointRow *manifold; // by point
    uint32_t substeps;            // frames of soft_step before that of the restitution, else 0
    uint32_t iterations;          // frames of sequential_impulses, else 0
    PhSolveTrace solve;           // its last frame: the bodies placed
    PhFastRow *fast;              // by body
    uint32_t fast_count;
} PhStepTrace;

// ph_world_step that tells. On failure the trace is empty and the world as it was, but for
// PH_ERROR_STOPPED: then the world, a copy, is good for nothing but being destroyed.
PhStatus ph_world_step_traced(PhWorld *world, double dt, PhStepTrace *trace, PhError *error);
void ph_step_trace_free(PhStepTrace *trace);

#endif

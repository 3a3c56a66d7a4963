// What a solver writes down when it is traced. Every solver takes a PhSolveTrace, or NULL.
//
// A *point* is a valid point of a contact, numbered in the order of the contacts. A *frame* is the
// state after one pass: a substep of soft_step or its restitution, an iteration of
// sequential_impulses. A solver fills in what it knows: the rows of bodies that it moves and the
// impulses. Positions are centres of mass.
#ifndef PH_SOLVE_SOLVE_TRACE_H
#define PH_SOLVE_SOLVE_TRACE_H

#include <stdint.h>

#include "base/status.h"

// A point as the solver starts with it.
typedef struct PhConstraintRow {
    int32_t island;                   // number as in ph_world_islands
    int32_t batch, color;             // -1 where the solver has none; colors: solve/layout.h
    int32_t unused;                   // 0
    double friction, restitution;     // of the contact
    double normal_mass, tangent_mass; // 1 / k, kg: impulse per change of velocity at the point
    double normal_impulse, tangent_impulse; // carried from the last step, N s
} PhConstraintRow;

// A point inside the lanes of soft_step.
typedef struct PhPointState {
    float normal_mass, tangent_mass, normal_impulse, tangent_impulse;
    float bounce_normal, bounce_tangent; // of impacts with restitution
} PhPointState;

typedef struct PhSolveFrame {
    // By point, N s. soft_step: given in the pass; sequential_impulses: sums so far.
    double *normal_impulse, *tangent_impulse;
    double (*velocity)[2], *angular_velocity; // by slot
    double (*position)[2], *angle;
} PhSolveFrame;

typedef struct PhSolveTrace {
    uint32_t contact_count, point_count, slot_count, frame_count;
    uint32_t (*number)[2];       // by contact: of its two points, PH_NULL when not valid
    PhConstraintRow *constraint; // by point
    PhPointState (*show)[2];     // by contact: scratch of soft_step
    double **numbers;            // of each frame
} PhSolveTrace;

// Makes zeroed room; points are not numbered yet. On failure, which PH_ERROR_STOPPED is too, the
// trace is empty. stop: NULL, or what to ask between substeps.
PhStatus ph_solve_trace_init(PhSolveTrace *trace, uint32_t contacts, uint32_t points,
                             uint32_t slots, uint32_t frames, const PhStop *stop);
void ph_solve_trace_free(PhSolveTrace *trace);
PhSolveFrame ph_solve_frame(const PhSolveTrace *trace, uint32_t frame);

#endif

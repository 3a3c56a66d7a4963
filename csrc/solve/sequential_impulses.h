// What contacts and joints of the solver sequential_impulses have in common: how a body moves, and
// an impulse along one direction between two bodies.
#ifndef PH_SOLVE_SEQUENTIAL_IMPULSES_H
#define PH_SOLVE_SEQUENTIAL_IMPULSES_H

#include <float.h>

#include "solve/joint_records.h"
#include "solve/motion.h"

typedef struct Motion { // of one body
    double inv_mass, inv_inertia;
    PhVec2 v, a; // a: acceleration by gravity and force
    double w;
} Motion;

// Of a slot; PH_NULL: the world.
static inline Motion get_motion(const PhSolverBodies *bodies, PhVec2 gravity, uint32_t slot) {
    Motion m = {0};
    uint8_t role = slot == PH_NULL ? PH_ROLE_FIXED : bodies->role[slot];
    if (role == PH_ROLE_DYNAMIC) {
        m.a = ph_acceleration(bodies, slot, gravity);
        m.inv_mass = ph_inv_mass(bodies, slot);
        m.inv_inertia = ph_inv_inertia(bodies, slot);
    }
    if (role == PH_ROLE_DYNAMIC || role == PH_ROLE_KINEMATIC) {
        m.v = (PhVec2){bodies->velocity[slot][0], bodies->velocity[slot][1]};
        m.w = bodies->angular_velocity[slot];
    }
    return m;
}

static inline void set_motion(const PhSolverBodies *bodies, uint32_t slot, const Motion *m) {
    if (slot == PH_NULL || bodies->role[slot] != PH_ROLE_DYNAMIC) {
        return;
    }
    bodies->velocity[slot][0] = m->v.x;
    bodies->velocity[slot][1] = m->v.y;
    bodies->angular_velocity[slot] = m->w;
}

// One direction u at one point: its arms and its inverse effective mass.
typedef struct ConstraintRow {
    PhVec2 u;
    double arm_a, arm_b, k;
} ConstraintRow;

static inline ConstraintRow make_row(const Motion *a, const Motion *b, PhVec2 ra, PhVec2 rb,
                                     PhVec2 u) {
    double arm_a = ph_cross(ra, u), arm_b = ph_cross(rb, u);
    return (ConstraintRow){u, arm_a, arm_b,
                           a->inv_mass + b->inv_mass + a->inv_inertia * arm_a * arm_a +
                               b->inv_inertia * arm_b * arm_b};
}
static inline double row_velocity(const ConstraintRow *row, const Motion *a, const Motion *b) {
    return ph_dot(ph_sub(b->v, a->v), row->u) + b->w * row->arm_b - a->w * row->arm_a;
}
static inline void apply(const ConstraintRow *row, Motion *a, Motion *b, double impulse) {
    a->v = ph_mul_add(a->v, -impulse * a->inv_mass, row->u);
    a->w -= impulse * a->inv_inertia * row->arm_a;
    b->v = ph_mul_add(b->v, impulse * b->inv_mass, row->u);
    b->w += impulse * b->inv_inertia * row->arm_b;
}

// Adds an impulse to a sum that is kept in float32 and applies exactly what the sum has grown by.
static inline double add_to(float *sum, double wanted) {
    double old = (double)*sum;
    *sum = (float)ph_clamp_abs(wanted, (double)FLT_MAX);
    return (double)*sum - old;
}

// Joints of the solver, as they stand at the start of a step: sequential_joints.c.
//
// Impulses of the last step, where they are to be kept; else from none.
void ph_sequential_joints_start(const PhSolverBodies *bodies, const PhStepParameters *parameters);
// Once, all joints in the order of their indices.
void ph_sequential_joints_solve(const PhSolverBodies *bodies, const PhStepParameters *parameters);
// After positions: forces for their readers; and with `translate`, anchors are put together.
void ph_sequential_joints_finish(const PhSolverBodies *bodies, const PhStepParameters *parameters);

#endif

// Joints of a bin in a step of the solver soft_step, in the order in which it calls.
#ifndef PH_SOLVE_JOINT_SOLVE_H
#define PH_SOLVE_JOINT_SOLVE_H

#include "solve/layout.h"

typedef struct PhJointRun {
    PhLayout *layout;
    const PhSolverBodies *bodies;
    const PhStepParameters *parameters;
    double h;    // of a substep of the bin
    bool damped; // one of its bodies is
} PhJointRun;

// After the rows were loaded.
void ph_joints_load(const PhJointRun *run, const PhBin *bin);
// Each substep: before velocities are integrated, after that, after positions. Whether a body is
// harder to turn than contacts know. Springs first give their forces, then the rest.
bool ph_joints_stiffen(const PhJointRun *run, const PhBin *bin);
void ph_joints_force(const PhJointRun *run, const PhBin *bin);
void ph_joints_rest(const PhJointRun *run, const PhBin *bin);
bool ph_joints_push(const PhJointRun *run, const PhBin *bin);
bool ph_joints_relax(const PhJointRun *run, const PhBin *bin);
// After the contacts of a warm start, push or relax, if so.
void ph_joints_weigh(const PhJointRun *run, const PhBin *bin);
// Loads, states and forces to the joints.
void ph_joints_store(const PhJointRun *run, const PhBin *bin);

// Of a dynamic body, without geometric stiffness.
double ph_joint_own_inertia(const PhSolverBodies *bodies, uint32_t slot);

PhJointSpring ph_joint_spring(double hertz, double zeta, double h);
// Whether they are not those of implicit Euler.
bool ph_joint_spring_is_exact(double hertz, double h);

// joint_tree.c: one pass over a unit.
typedef struct PhJointPass {
    const PhJointRun *run;
    double rate;   // errors that a unit of one joint takes back per second; 0 in relax
    double yields; // part of its impulse that it lets go
    bool push;
    // Not 0: no pass of the solver; so much of what a substep gains is given to the bodies, as far
    // as what is held lets it.
    double shift;
} PhJointPass;
void ph_joints_solve_unit(const PhJointPass *pass, const PhJointUnit *unit);

// Where the bodies of a work are at present.
PhJointPose ph_joint_pose_of(const PhJointRun *run, const PhJointWork *work);
// The same, and its rows there.
PhJointPose ph_joint_fill(const PhJointRun *run, const PhJointWork *work, PhJointRow *rows);

// ------------------------------------------------------------------------------------------------
// symmetric 3x3 matrices: xx, xy, xw, yy, yw, ww

static inline void ph_sym_invert(const double m[6], double out[6]) {
    double xx = m[3] * m[5] - m[4] * m[4];
    double xy = m[2] * m[4] - m[1] * m[5];
    double xw = m[1] * m[4] - m[2] * m[3];
    double inv = 1 / (m[0] * xx + m[1] * xy + m[2] * xw);
    out[0] = inv * xx;
    out[1] = inv * xy;
    out[2] = inv * xw;
    out[3] = inv * (m[0] * m[5] - m[2] * m[2]);
    out[4] = inv * (m[1] * m[2] - m[0] * m[4]);
    out[5] = inv * (m[0] * m[3] - m[1] * m[1]);
}

static inline void ph_sym_apply(const double m[6], const double v[3], double out[3]) {
    double x = v[0], y = v[1], w = v[2];
    out[0] = m[0] * x + m[1] * y + m[2] * w;
    out[1] = m[1] * x + m[3] * y + m[4] * w;
    out[2] = m[2] * x + m[4] * y + m[5] * w;
}

static inline double ph_dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Adds an impulse along a Jacobian to a velocity: dv += M^-1 J^T impulse.
static inline void ph_push_body(const PhJointBody *body, const double jacobian[3], double impulse,
                                double dv[3]) {
    dv[0] += jacobian[0] * impulse * body->inv_mass;
    dv[1] += jacobian[1] * impulse * body->inv_mass;
    dv[2] += jacobian[2] * impulse * body->inv_inertia;
}

// Where it is, its masses and its velocity, and nothing else: bodies are large. Fixed: mass and
// inertia infinite.
static inline void ph_joint_load_body(const PhJointRun *run, uint32_t row, PhJointBody *body) {
    const float *velocity = run->layout->arrays->rows.velocity[row];
    const PhJointMass *mass = &run->layout->arrays->joints.masses[row];
    body->row = row;
    body->fixed = mass->inv_mass == 0;
    body->mass = mass->mass;
    body->inertia = mass->inertia;
    body->inv_mass = mass->inv_mass;
    body->inv_inertia = mass->inv_inertia;
    for (int k = 0; k < 3; k++)
        body->start[k] = body->v[k] = (double)velocity[k];
}
// What joints do to a velocity is no business of the contacts' warm start (kernels_source.h).
void ph_joint_change_row(const PhJointRun *run, uint32_t row, const double velocity[3]);

#endif

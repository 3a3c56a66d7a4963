// Joints of a batch in a step of the solver soft_step, in the order in which it calls.
#ifndef PH_SOLVE_JOINT_SOLVE_H
#define PH_SOLVE_JOINT_SOLVE_H

#include "solve/layout.h"

typedef struct PhJointRun {
    PhLayout *layout;
    const PhSolverBodies *bodies;
    const PhStepParameters *parameters;
    double h;    // of a substep of the batch
    bool damped; // one of its bodies is
} PhJointRun;

// After the rows were loaded.
void ph_joints_load(const PhJointRun *run, PhIslandBatch *batch);
// Each substep: before velocities are integrated, after that, after positions. Whether a body is
// harder to turn than contacts know. Springs first give their forces, then the rest; their dampers,
// which act before a relaxation, want to know first what all velocities have gained.
bool ph_joints_stiffen(const PhJointRun *run, const PhIslandBatch *batch);
void ph_joints_force(const PhJointRun *run, const PhIslandBatch *batch);
void ph_joints_rest(const PhJointRun *run, const PhIslandBatch *batch);
bool ph_joints_solve(const PhJointRun *run, const PhIslandBatch *batch);
void ph_joints_gain(const PhJointRun *run, const PhIslandBatch *batch);
bool ph_joints_relax(const PhJointRun *run, const PhIslandBatch *batch);
// After the contacts of a warm start, solve or relax, if so.
void ph_joints_weigh(const PhJointRun *run, const PhIslandBatch *batch);
// Loads, states and forces to the joints.
void ph_joints_store(const PhJointRun *run, const PhIslandBatch *batch);

// Velocities as joints let them be, of direct packs, before a biased solve: see
// PhArticulationPass.impact.
void ph_joints_meet(const PhJointRun *run, const PhIslandBatch *batch);

// Of a dynamic body, without geometric stiffness.
double ph_joint_own_inertia(const PhSolverBodies *bodies, uint32_t slot);

// Of the joint's spring, in substeps of h.
PhJointSpring ph_joint_spring(const PhJoint *joint, double h, PhSpringCache *cache);

#endif

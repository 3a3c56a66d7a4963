// Contacts of articulated bodies in a step of the solver soft_step: batches with the flag
// `articulated` have all their contacts here instead of in the passes of the kernels.
#ifndef PH_SOLVE_ARTICULATED_ISLANDS_H
#define PH_SOLVE_ARTICULATED_ISLANDS_H

#include "solve/joint_solve.h"

// The most contacts of an island that is solved so, and the most of contacts times joints.
enum { PH_ARTICULATED_CONTACTS = 64, PH_ARTICULATED_COST = 4096 };

// Rooms of all such batches, after the articulations and the wide contacts were made.
PhStatus ph_articulated_build(PhLayout *layout);

// Which bodies are whose; after the packs were prepared.
void ph_articulated_begin(const PhJointRun *run, const PhIslandBatch *batch);
// In the place of PH_IMPACT, before anything else has changed the velocities that a substep begins
// with but gravity and forces; of packs with extras.
void ph_articulated_bounces(const PhJointRun *run, const PhIslandBatch *batch, const PhPass *pass);
// In the place of PH_SOLVE and of PH_RELAX or PH_RELAX_EXTRA, behind the same pass of the joints.
// extra: packs have features.
void ph_articulated_solve(const PhJointRun *run, const PhIslandBatch *batch, const PhPass *pass,
                          bool extra);
void ph_articulated_relax(const PhJointRun *run, const PhIslandBatch *batch, const PhPass *pass,
                          bool extra);

#endif

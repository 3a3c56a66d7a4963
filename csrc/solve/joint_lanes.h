// Trees in lanes, see joint_lanes.c.
#ifndef PH_SOLVE_JOINT_LANES_H
#define PH_SOLVE_JOINT_LANES_H

#include "solve/joint_solve.h"

bool ph_tree_fits(const PhLayout *layout, const PhSolverBodies *bodies,
                  const PhArticulation *articulation);
// Shapes and links of the articulations that fit; while links name joints at work.
PhStatus ph_trees_number(PhLayout *layout, const PhSolverBodies *bodies, uint32_t articulations,
                         uint32_t links);
// Does that, and takes them out of those of each batch.
PhStatus ph_trees_build(PhLayout *layout, const PhSolverBodies *bodies, uint32_t articulations,
                        uint32_t links);
// The same articulations in other batches and solver bodies, where nothing else is, but for those
// of articulated islands; lists the jointed solver bodies as well.
PhStatus ph_trees_place(PhLayout *layout, const PhSolverBodies *bodies);
// The dynamic slot that tells where an articulation is.
uint32_t ph_articulation_slot(const PhJointLayout *own, const PhArticulation *articulation);
// Solver bodies of an articulation that is in a batch; lists the jointed ones.
void ph_articulation_place(PhLayout *layout, const PhArticulation *articulation,
                           const PhIslandBatch *batch, uint32_t *jointed);

// In a step: of trees that are not alone. Notes of the masses of those that swing are 0. Pulls are
// added to the notes of the masses, and spins of springs noted, then what these have gained.
void ph_trees_load(const PhJointRun *run, const PhIslandBatch *batch);
void ph_trees_leave(const PhJointRun *run, const PhIslandBatch *batch);
void ph_trees_pull(const PhJointRun *run, const PhIslandBatch *batch);
void ph_trees_gain(const PhJointRun *run, const PhIslandBatch *batch);
void ph_trees_pass(const PhJointRun *run, const PhIslandBatch *batch, bool biased);
void ph_trees_store(const PhJointRun *run, const PhIslandBatch *batch);
// Of those that are alone: some substeps, the first or the last of the step among them or not.
// watched: solver bodies are examined after it.
typedef struct PhTreeStretch {
    int32_t substeps;
    bool first, last, watched;
} PhTreeStretch;
void ph_trees_run(const PhJointRun *run, const PhIslandBatch *batch, PhTreeStretch stretch);

#endif

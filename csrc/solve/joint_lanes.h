// Trees in lanes, see joint_lanes.c.
#ifndef PH_SOLVE_JOINT_LANES_H
#define PH_SOLVE_JOINT_LANES_H

#include "solve/joint_solve.h"

bool ph_tree_fits(const PhLayout *layout, const PhSolverBodies *bodies,
                  const PhArticulation *articulation);
// Takes the articulations that fit out of those of each batch; while links name joints at work.
PhStatus ph_trees_build(PhLayout *layout, const PhSolverBodies *bodies, uint32_t articulations,
                        uint32_t links);
// The same articulations in other batches and solver bodies, where nothing else is; lists the
// jointed solver bodies as well.
PhStatus ph_trees_place(PhLayout *layout, const PhSolverBodies *bodies);

// In a step: of trees that are not alone. Pulls are added to the notes of the masses, and spins of
// springs noted, then what these have gained.
void ph_trees_load(const PhJointRun *run, const PhIslandBatch *batch);
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

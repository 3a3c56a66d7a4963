// Nets of pins, see joint_net.c.
#ifndef PH_SOLVE_JOINT_NET_H
#define PH_SOLVE_JOINT_NET_H

#include "solve/joint_solve.h"

// Where a side of a pin is: its arm from the centre of mass, and that.
typedef struct PhNetEnd {
    PhVec2 arm, from;
    double angle;
} PhNetEnd;
PhNetEnd ph_net_end(const PhJointRun *run, const PhNetPin *pin, int side);

// Colors and blocks of all pins that bins name; after their rows were placed.
PhStatus ph_net_build(PhLayout *layout, const PhSolverBodies *bodies, uint32_t pins);

// In a step: rows first .. last - 1; then blocks of the colors, before and after all substeps.
void ph_net_load_rows(const PhJointRun *run, uint32_t first, uint32_t last);
void ph_net_prepare(const PhJointRun *run, uint32_t first, uint32_t last);
void ph_net_stiffen(const PhJointRun *run, const PhBin *bin); // after all blocks are prepared
void ph_net_store(const PhJointRun *run, uint32_t first, uint32_t last);

#endif

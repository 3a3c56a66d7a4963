// Nets of pins, see joint_net.c.
#ifndef PH_SOLVE_JOINT_NET_H
#define PH_SOLVE_JOINT_NET_H

#include "math/trig.h"
#include "solve/joint_solve.h"

// Of a body at the start of a step.
static inline PhNetRow ph_net_row(const PhSolverBodies *bodies, uint32_t slot) {
    const PhTransform *at = &bodies->joints->transform[slot];
    const double *center = bodies->center[slot];
    return (PhNetRow){at->q,
                      {center[0], center[1]},
                      {at->p.x - center[0], at->p.y - center[1]},
                      bodies->angle[slot],
                      0};
}

// Where a side of a pin is: its arm from the centre of mass, and that.
typedef struct PhNetEnd {
    PhVec2 arm, from;
    double angle;
} PhNetEnd;
static inline PhNetEnd ph_net_end(const PhNetRow *rows, const PhSolverBodies *bodies,
                                  const PhNetPin *pin, int side) {
    PhNetRow own;
    const PhNetRow *row = &own;
    if (pin->row[side] != PH_NULL) {
        row = &rows[pin->row[side]];
    } else if (pin->slot[side] == PH_NULL) {
        return (PhNetEnd){{0, 0}, pin->anchor[side], 0};
    } else {
        own = ph_net_row(bodies, pin->slot[side]);
    }
    PhVec2 reach = ph_rotate(row->rot, pin->anchor[side]);
    return (PhNetEnd){ph_add(row->origin, reach), row->center, row->angle};
}

// From side a to side b; in a wrapped world to the nearest image.
static inline PhVec2 ph_net_gap(const PhSolverBodies *bodies, const PhNetEnd *a,
                                const PhNetEnd *b) {
    PhVec2 gap = {(b->from.x - a->from.x) + (b->arm.x - a->arm.x),
                  (b->from.y - a->from.y) + (b->arm.y - a->arm.y)};
    return ph_wrap_least(&bodies->wrap, gap);
}

// Colors and blocks of all pins that bins name; after their rows were placed.
PhStatus ph_net_build(PhLayout *layout, const PhSolverBodies *bodies, uint32_t pins);

// In a step: rows first .. last - 1; then blocks of the colors, before and after all substeps.
void ph_net_load_rows(const PhJointRun *run, uint32_t first, uint32_t last);
void ph_net_prepare(const PhJointRun *run, uint32_t first, uint32_t last);
void ph_net_stiffen(const PhJointRun *run, const PhBin *bin); // after all blocks are prepared
void ph_net_store(const PhJointRun *run, uint32_t first, uint32_t last);

#endif

// Iterative joints, see iterative_joints.c.
#ifndef PH_SOLVE_ITERATIVE_JOINTS_H
#define PH_SOLVE_ITERATIVE_JOINTS_H

#include "math/trig.h"
#include "solve/joint_solve.h"

// The state of a body at the start of a step.
static inline PhIterativeBody ph_iterative_body(const PhSolverBodies *bodies, uint32_t slot) {
    const PhTransform *at = &bodies->joints->transform[slot];
    const double *center = bodies->center[slot];
    return (PhIterativeBody){at->q,
                             {center[0], center[1]},
                             {at->p.x - center[0], at->p.y - center[1]},
                             bodies->angle[slot],
                             0,
                             {0, 0, 0}};
}

// Where a side of a revolute joint is: its arm from the centre of mass, and the centre.
typedef struct PhIterativeEnd {
    PhVec2 arm, from;
    double angle;
    PhRot rot;
} PhIterativeEnd;
static inline PhIterativeEnd ph_iterative_end(const PhIterativeBody *solver_bodies,
                                              const PhSolverBodies *bodies,
                                              const PhIterativeJoint *iterative, int side) {
    PhIterativeBody own;
    const PhIterativeBody *solver_body = &own;
    if (iterative->solver_body[side] != PH_NULL) {
        solver_body = &solver_bodies[iterative->solver_body[side]];
    } else if (iterative->slot[side] == PH_NULL) {
        return (PhIterativeEnd){{0, 0}, iterative->anchor[side], 0, {1, 0}};
    } else {
        own = ph_iterative_body(bodies, iterative->slot[side]);
    }
    PhVec2 reach = ph_rotate(solver_body->rot, iterative->anchor[side]);
    return (PhIterativeEnd){ph_add(solver_body->origin, reach), solver_body->center,
                            solver_body->angle, solver_body->rot};
}

// From side a to side b; in a wrapped world to the nearest image.
static inline PhVec2 ph_iterative_gap(const PhSolverBodies *bodies, const PhIterativeEnd *a,
                                      const PhIterativeEnd *b) {
    PhVec2 gap = {(b->from.x - a->from.x) + (b->arm.x - a->arm.x),
                  (b->from.y - a->from.y) + (b->arm.y - a->arm.y)};
    return ph_wrap_least(&bodies->wrap, gap);
}

// PH_ITERATIVE_REVOLUTE (holds a point and nothing else), PH_ITERATIVE_DISTANCE (holds or limits a
// distance), PH_ITERATIVE_SPRING (a spring along a distance and nothing else), or
// PH_ITERATIVE_KINDS: it cannot be solved by iteration.
int ph_iterative_kind(const PhJoint *joint);

// Builds colors and packs of all iterative joints of the batches, after their solver bodies were
// placed.
PhStatus ph_iterative_build(PhLayout *layout, const PhSolverBodies *bodies, uint32_t members);

// Words that a kind has in a lane.
static inline uint32_t ph_iterative_fields(uint8_t kind) {
    static const uint8_t fields[PH_ITERATIVE_KINDS] = {
        PH_ITERATIVE_REVOLUTE_FIELDS, PH_ITERATIVE_DISTANCE_FIELDS, PH_ITERATIVE_SPRING_FIELDS};
    return fields[kind];
}

// A pack of a color.
static inline float *ph_iterative_pack(const struct PhLayoutArrays *arrays,
                                       const PhIterativeColor *color, uint32_t pack) {
    size_t before = (size_t)(pack - color->first_pack) * ph_iterative_fields(color->kind);
    return (float *)arrays->joints.iterative_packs +
           (color->first_data + before) * arrays->kernels->lanes;
}

// In a step: loads solver bodies first .. last - 1; then packs of a color, before and after all
// substeps.
void ph_iterative_load_bodies(const PhJointRun *run, uint32_t first, uint32_t last);
void ph_iterative_prepare(const PhJointRun *run, const PhIterativeColor *color, uint32_t first,
                          uint32_t last);
void ph_iterative_stiffen(const PhJointRun *run,
                          const PhIslandBatch *batch); // after all packs are prepared
void ph_iterative_store(const PhJointRun *run, const PhIterativeColor *color, uint32_t first,
                        uint32_t last);
// Within a substep, after springs have acted: sets the drives of bodies to what they gain without
// springs, so that the forces of springs are no part of the warm start.
void ph_iterative_restore_drives(const PhJointRun *run, const PhIslandBatch *batch);

#endif

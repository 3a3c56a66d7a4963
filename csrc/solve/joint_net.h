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
                      0,
                      {0, 0, 0}};
}

// Where a side of a pin is: its arm from the centre of mass, and that.
typedef struct PhNetEnd {
    PhVec2 arm, from;
    double angle;
    PhRot rot;
} PhNetEnd;
static inline PhNetEnd ph_net_end(const PhNetRow *rows, const PhSolverBodies *bodies,
                                  const PhNetPin *pin, int side) {
    PhNetRow own;
    const PhNetRow *row = &own;
    if (pin->row[side] != PH_NULL) {
        row = &rows[pin->row[side]];
    } else if (pin->slot[side] == PH_NULL) {
        return (PhNetEnd){{0, 0}, pin->anchor[side], 0, {1, 0}};
    } else {
        own = ph_net_row(bodies, pin->slot[side]);
    }
    PhVec2 reach = ph_rotate(row->rot, pin->anchor[side]);
    return (PhNetEnd){ph_add(row->origin, reach), row->center, row->angle, row->rot};
}

// From side a to side b; in a wrapped world to the nearest image.
static inline PhVec2 ph_net_gap(const PhSolverBodies *bodies, const PhNetEnd *a,
                                const PhNetEnd *b) {
    PhVec2 gap = {(b->from.x - a->from.x) + (b->arm.x - a->arm.x),
                  (b->from.y - a->from.y) + (b->arm.y - a->arm.y)};
    return ph_wrap_least(&bodies->wrap, gap);
}

// PH_NET_PIN (a point that is held, and nothing else), PH_NET_ROD (a distance that is held or
// limited), PH_NET_SPRING (one that is sprung alone), or PH_NET_KINDS: it can be in no net.
int ph_net_kind(const PhJoint *joint);

// Colors and blocks of all joints that bins name; after their rows were placed.
PhStatus ph_net_build(PhLayout *layout, const PhSolverBodies *bodies, uint32_t members);

// Words of a lane of a kind.
static inline uint32_t ph_net_fields(uint8_t kind) {
    static const uint8_t fields[PH_NET_KINDS] = {PH_NET_PIN_FIELDS, PH_NET_ROD_FIELDS,
                                                 PH_NET_SPRING_FIELDS};
    return fields[kind];
}

// A block of a color.
static inline float *ph_net_block(const struct PhLayoutArrays *arrays, const PhNetColor *color,
                                  uint32_t block) {
    size_t before = (size_t)(block - color->first_block) * ph_net_fields(color->kind);
    return (float *)arrays->joints.net_blocks +
           (color->first_data + before) * arrays->kernels->lanes;
}

// In a step: rows first .. last - 1; then blocks of a color, before and after all substeps.
void ph_net_load_rows(const PhJointRun *run, uint32_t first, uint32_t last);
void ph_net_prepare(const PhJointRun *run, const PhNetColor *color, uint32_t first, uint32_t last);
void ph_net_stiffen(const PhJointRun *run, const PhBin *bin); // after all blocks are prepared
void ph_net_store(const PhJointRun *run, const PhNetColor *color, uint32_t first, uint32_t last);
// Within a substep, after springs have acted: bodies have gained what they do without springs, and
// what those gave by their forces is no business of the warm start.
void ph_net_restore_drives(const PhJointRun *run, const PhBin *bin);

#endif

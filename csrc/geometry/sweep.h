// A rigid motion from one pose to another in which position and angle change evenly: what lies
// between two moments, for questions about when something happens.
#ifndef PH_GEOMETRY_SWEEP_H
#define PH_GEOMETRY_SWEEP_H

#include "math/trig.h"

typedef struct PhSweep {
    PhVec2 center;      // shape frame: the point that moves on a straight line
    PhVec2 from, to;    // where that point starts and ends, common frame
    double angle, turn; // at the start, and by how much it turns until the end, radians
} PhSweep;

// The pose at a fraction of the sweep, 0 at the start, 1 at the end.
static inline PhTransform ph_sweep_pose(const PhSweep *sweep, double fraction) {
    PhRot q = ph_rot(sweep->angle + fraction * sweep->turn);
    PhVec2 center = ph_lerp(sweep->from, sweep->to, fraction);
    return (PhTransform){ph_sub(center, ph_rotate(q, sweep->center)), q};
}

#endif

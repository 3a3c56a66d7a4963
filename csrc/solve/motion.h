// Float64 motion of single bodies, shared by the solvers: acceleration, damping, speed limit.
#ifndef PH_SOLVE_MOTION_H
#define PH_SOLVE_MOTION_H

#include <math.h>

#include "math/vec2.h"
#include "solve/solver.h"

static inline double ph_inv_mass(const PhSolverBodies *bodies, uint32_t slot) {
    double inv = (double)bodies->mass[slot][0];
    return bodies->exact_mass && inv > 0 ? 1 / bodies->exact_mass[slot] : inv;
}
static inline double ph_inv_inertia(const PhSolverBodies *bodies, uint32_t slot) {
    double inv = (double)bodies->mass[slot][1];
    return bodies->exact_inertia && inv > 0 ? 1 / bodies->exact_inertia[slot] : inv;
}

// gravity_scale g + force / m, in m/s^2.
static inline PhVec2 ph_acceleration(const PhSolverBodies *bodies, uint32_t slot, PhVec2 gravity) {
    double scale = bodies->gravity_scale[slot], inv_mass = ph_inv_mass(bodies, slot);
    return (PhVec2){scale * gravity.x + inv_mass * bodies->force[slot][0],
                    scale * gravity.y + inv_mass * bodies->force[slot][1]};
}
static inline double ph_angular_acceleration(const PhSolverBodies *bodies, uint32_t slot) {
    return ph_inv_inertia(bodies, slot) * bodies->torque[slot];
}

// x within -limit .. limit; NaN stays.
static inline double ph_clamp_abs(double x, double limit) {
    return x > limit ? limit : x < -limit ? -limit : x;
}

// Shortens v to max_speed. Scaled by the larger component first, so that no square overflows.
static inline PhVec2 ph_limit_speed(PhVec2 v, double max_speed) {
    double x = fabs(v.x), y = fabs(v.y), large = x > y ? x : y;
    if (large <= 0.5 * max_speed)
        return v;
    PhVec2 unit = {v.x / large, v.y / large};
    double length = ph_length(unit);
    return large * length > max_speed ? ph_scale(max_speed / length, unit) : v;
}

#endif

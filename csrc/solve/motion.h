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

// x within -limit .. limit; 0 for NaN, which only opposite infinities make here.
static inline double ph_clamp_abs(double x, double limit) {
    return x > limit ? limit : x < -limit ? -limit : x == x ? x : 0;
}

// gravity_scale g + force / m, in m/s^2; finite, and so is its square.
#define PH_MAX_ACCELERATION 1e100
static inline PhVec2 ph_acceleration(const PhSolverBodies *bodies, uint32_t slot, PhVec2 gravity) {
    const double *force = bodies->force[slot];
    double scale = bodies->gravity_scale[slot];
    // Most bodies have no force: no division for them.
    double inv_mass = force[0] != 0 || force[1] != 0 ? ph_inv_mass(bodies, slot) : 0;
    double x = scale * gravity.x + inv_mass * force[0];
    double y = scale * gravity.y + inv_mass * force[1];
    return (PhVec2){ph_clamp_abs(x, PH_MAX_ACCELERATION), ph_clamp_abs(y, PH_MAX_ACCELERATION)};
}
static inline double ph_angular_acceleration(const PhSolverBodies *bodies, uint32_t slot) {
    double torque = bodies->torque[slot];
    double alpha = torque != 0 ? ph_inv_inertia(bodies, slot) * torque : 0;
    return ph_clamp_abs(alpha, PH_MAX_ACCELERATION);
}

// Shortens v to max_speed and says so. Scaled by the larger component first, so that no square
// overflows.
static inline PhVec2 ph_limit_speed(PhVec2 v, double max_speed, bool *limited) {
    double x = fabs(v.x), y = fabs(v.y), large = x > y ? x : y;
    if (large <= 0.5 * max_speed) {
        return v;
    }
    PhVec2 unit = {v.x / large, v.y / large};
    double length = ph_length(unit);
    if (!(large * length > max_speed)) {
        return v;
    }
    *limited = true;
    return ph_scale(max_speed / length, unit);
}

// What a body of velocity v (within max_speed) gains per substep of h. Lowered, and *limited is
// set, when n substeps of it would end beyond max_speed: all velocities until then keep the
// limit.
static inline PhVec2 ph_velocity_gain(PhVec2 v, PhVec2 acceleration, double h, int32_t n,
                                      double max_speed, bool *limited) {
    PhVec2 gain = ph_scale(h, acceleration), end = ph_mul_add(v, n, gain);
    bool beyond = false;
    PhVec2 most = ph_limit_speed(end, max_speed, &beyond);
    *limited |= beyond;
    return beyond ? ph_scale(1.0 / n, ph_sub(most, v)) : gain;
}
// The same for a spin. What turns faster than the limit already is not driven further.
static inline double ph_spin_gain(double w, double acceleration, double h, int32_t n,
                                  double max_spin, bool *limited) {
    double gain = h * acceleration, end = w + n * gain;
    double limit = fabs(w) > max_spin ? fabs(w) : max_spin;
    if (fabs(end) <= limit) {
        return gain;
    }
    *limited = true;
    return (ph_clamp_abs(end, limit) - w) / n;
}

#endif

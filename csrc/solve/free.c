// Motion of dynamic bodies without a contact, in float64: semi-implicit Euler, as the tutorial does
// it.
//
// Source: E. Hairer, C. Lubich, G. Wanner, "Geometric Numerical Integration Illustrated by the
// Stormer-Verlet Method" (2003): velocity first, then position with the new velocity; damping is
// implicit and so stable for any coefficient. The displacement of a step is summed up by itself:
// far from the origin each sum with a position is rounded, all in the same direction.
#include "solve/motion.h"
#include "solve/solver.h"

static void trace_body(const PhSolveTrace *trace, int32_t frame, uint32_t slot, PhVec2 x, PhVec2 v,
                       double angle, double w) {
    PhSolveFrame now = ph_solve_frame(trace, (uint32_t)frame);
    now.position[slot][0] = x.x;
    now.position[slot][1] = x.y;
    now.velocity[slot][0] = v.x;
    now.velocity[slot][1] = v.y;
    now.angle[slot] = angle;
    now.angular_velocity[slot] = w;
}

void ph_integrate_free(const PhLayout *layout, const PhSolverBodies *bodies,
                       const PhStepParameters *parameters, int32_t substeps, PhSolveTrace *trace) {
    substeps = substeps < 1 ? 1 : substeps;
    double h = parameters->dt / substeps;
    double max_speed = parameters->max_speed, max_spin = parameters->max_angular_speed;
    bool alike = bodies->fall_alike;
    PhVec2 g = parameters->gravity;
    const PhVec2 falling = {ph_clamp_abs(g.x + 0.0, PH_MAX_ACCELERATION),
                            ph_clamp_abs(g.y + 0.0, PH_MAX_ACCELERATION)};
    for (uint32_t m = 0; m < bodies->dynamic_count; m++) {
        uint32_t i = bodies->dynamic[m];
        if (layout->in_contact[i]) {
            continue;
        }
        double linear =
            alike ? 1 : 1 / (1 + h * (bodies->linear_damping[i] + parameters->linear_damping));
        double angular =
            alike ? 1 : 1 / (1 + h * (bodies->angular_damping[i] + parameters->angular_damping));
        PhVec2 acceleration = alike ? falling : ph_acceleration(bodies, i, g);
        double alpha = alike ? 0 : ph_angular_acceleration(bodies, i);
        const PhVec2 start = {bodies->center[i][0], bodies->center[i][1]};
        PhVec2 moved = {0, 0};
        PhVec2 v = {bodies->velocity[i][0], bodies->velocity[i][1]};
        double angle = bodies->angle[i], w = ph_clamp_abs(bodies->angular_velocity[i], max_spin);
        bool limited = w != bodies->angular_velocity[i];
        v = ph_limit_speed(v, max_speed, &limited);
        PhVec2 gain = ph_velocity_gain(v, acceleration, h, substeps, max_speed, &limited);
        double spin = ph_spin_gain(w, alpha, h, substeps, max_spin, &limited);
        int32_t plain = alike && !trace ? substeps : 0; // the same, without factors of 1
        for (int32_t k = 0; k < plain; k++) {
            v = ph_add(v, gain);
            w = w + spin;
            moved = ph_mul_add(moved, h, v);
            angle += h * w;
        }
        for (int32_t k = plain; k < substeps; k++) {
            v = ph_scale(linear, ph_add(v, gain));
            w = angular * (w + spin);
            moved = ph_mul_add(moved, h, v);
            angle += h * w;
            if (trace) {
                trace_body(trace, k, i, ph_add(start, moved), v, angle, w);
            }
        }
        const PhVec2 x = ph_add(start, moved);
        bool rounded = false; // beyond the limit by no more than that
        v = ph_limit_speed(v, max_speed, &rounded);
        if (limited) {
            bodies->limited[i] = parameters->step_count + 1;
        }
        if (trace) {
            trace_body(trace, substeps, i, x, v, angle, w);
        }
        bodies->center[i][0] = x.x;
        bodies->center[i][1] = x.y;
        bodies->velocity[i][0] = v.x;
        bodies->velocity[i][1] = v.y;
        bodies->angle[i] = angle;
        bodies->angular_velocity[i] = w;
    }
}

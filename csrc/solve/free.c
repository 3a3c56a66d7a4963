// Motion of dynamic bodies without a contact, in float64: semi-implicit Euler, as the tutorial does
// it.
//
// Source: E. Hairer, C. Lubich, G. Wanner, "Geometric Numerical Integration Illustrated by the
// Stormer-Verlet Method" (2003): velocity first, then position with the new velocity; damping is
// implicit and so stable for any coefficient. The displacement of a step is summed up by itself:
// far from the origin each sum with a position is rounded, all in the same direction.
#include "solve/kernels.h"
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

// What all free bodies have in common in a step.
typedef struct Free {
    const PhSolverBodies *bodies;
    const PhSolveTrace *trace;
    const PhStepParameters *parameters;
    double h, max_speed, max_spin;
    PhVec2 gravity, falling; // falling: what all have, where they fall alike
    uint64_t limited;        // of a body that a limit stops
    int32_t substeps;
    bool alike;
} Free;

static void move_body(const Free *f, uint32_t i) {
    const PhSolverBodies *bodies = f->bodies;
    const double h = f->h;
    const PhStepParameters *all = f->parameters;
    double linear = f->alike ? 1 : 1 / (1 + h * (bodies->linear_damping[i] + all->linear_damping));
    double angular =
        f->alike ? 1 : 1 / (1 + h * (bodies->angular_damping[i] + all->angular_damping));
    PhVec2 acceleration = f->alike ? f->falling : ph_acceleration(bodies, i, f->gravity);
    double alpha = f->alike ? 0 : ph_angular_acceleration(bodies, i);
    const PhVec2 start = {bodies->center[i][0], bodies->center[i][1]};
    PhVec2 moved = {0, 0};
    PhVec2 v = {bodies->velocity[i][0], bodies->velocity[i][1]};
    double angle = bodies->angle[i], w = ph_clamp_abs(bodies->angular_velocity[i], f->max_spin);
    bool limited = w != bodies->angular_velocity[i];
    v = ph_limit_speed(v, f->max_speed, &limited);
    PhVec2 gain = ph_velocity_gain(v, acceleration, h, f->substeps, f->max_speed, &limited);
    double spin = ph_spin_gain(w, alpha, h, f->substeps, f->max_spin, &limited);
    for (int32_t k = 0; k < f->substeps; k++) {
        v = ph_scale(linear, ph_add(v, gain));
        w = angular * (w + spin);
        moved = ph_mul_add(moved, h, v);
        angle += h * w;
        if (f->trace) {
            trace_body(f->trace, k, i, ph_add(start, moved), v, angle, w);
        }
    }
    const PhVec2 x = ph_add(start, moved);
    bool rounded = false; // beyond the limit by no more than that
    v = ph_limit_speed(v, f->max_speed, &rounded);
    if (limited) {
        bodies->limited[i] = f->limited;
    }
    if (f->trace) {
        trace_body(f->trace, f->substeps, i, x, v, angle, w);
    }
    bodies->center[i][0] = x.x;
    bodies->center[i][1] = x.y;
    bodies->velocity[i][0] = v.x;
    bodies->velocity[i][1] = v.y;
    bodies->angle[i] = angle;
    bodies->angular_velocity[i] = w;
}

// Below this part of the limit a body keeps to it whatever is rounded.
#define SLOW_FRACTION 0.45
enum { CHUNK = 64 };

void ph_integrate_free(const PhLayout *layout, const PhKernels *kernels,
                       const PhSolverBodies *bodies, const PhStepParameters *parameters,
                       int32_t substeps, PhSolveTrace *trace) {
    substeps = substeps < 1 ? 1 : substeps;
    const PhVec2 g = parameters->gravity;
    const Free f = {.bodies = bodies,
                    .trace = trace,
                    .parameters = parameters,
                    .h = parameters->dt / substeps,
                    .max_speed = parameters->max_speed,
                    .max_spin = parameters->max_angular_speed,
                    .gravity = g,
                    .falling = {ph_clamp_abs(g.x + 0.0, PH_MAX_ACCELERATION),
                                ph_clamp_abs(g.y + 0.0, PH_MAX_ACCELERATION)},
                    .limited = parameters->step_count + 1,
                    .substeps = substeps,
                    .alike = bodies->fall_alike};
    const PhFreeFall fall = {.velocity = bodies->velocity,
                             .angular_velocity = bodies->angular_velocity,
                             .center = bodies->center,
                             .angle = bodies->angle,
                             .h = f.h,
                             .most_speed = SLOW_FRACTION * f.max_speed,
                             .most_spin = f.max_spin,
                             .gain = ph_scale(f.h, f.falling),
                             .substeps = substeps};
    bool abreast = f.alike && !trace;
    for (uint32_t m = 0; m < bodies->dynamic_count;) {
        uint32_t slot[CHUNK], count = 0, done = 0;
        for (; m < bodies->dynamic_count && count < CHUNK; m++) {
            slot[count] = bodies->dynamic[m];
            count += !layout->in_contact[bodies->dynamic[m]];
        }
        while (done < count) {
            uint32_t left = abreast ? kernels->fall_free(&fall, slot, done, count) : done;
            done = abreast && count - left >= 4 ? left + 4 : count;
            for (; left < done; left++) {
                move_body(&f, slot[left]);
            }
        }
    }
}

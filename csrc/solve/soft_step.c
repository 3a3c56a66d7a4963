// The solver soft_step: all substeps of every bin, by lane kernels.
//
// A bin runs on its own arrays from load to store; positions inside are float32 offsets from the
// start of the step, so the place of the scene in the world does not matter. Speed limits: |v| <=
// max_speed and at most half a turn per substep (more could not be told from less), both at load
// and at store.
//
// Sources: E. Catto, "Solver2D" (2024): substeps of soft push, integrate, relax; M. Macklin et al.,
// "Small Steps in Physics Simulation" (2019). Colors run forwards in even steps and backwards in
// odd ones: a fixed order makes tall piles lean.
#include <float.h>
#include <stddef.h>
#include <string.h>

#include "math/trig.h"
#include "solve/layout.h"
#include "solve/motion.h"

// Contacts cannot be stiffer than this fraction of the rate of substeps.
#define MAX_HERTZ_FRACTION 0.125

typedef struct Solve {
    PhLayout *layout;
    const PhKernels *kernels;
    PhContactSource source;
    const PhSolverBodies *bodies;
    const PhStepParameters *parameters;
    PhPass pass;
    double h, max_spin;
    int32_t substeps;
    PhSolveTrace *trace; // NULL: nobody is watching
} Solve;

// Nearest float, at most the largest finite one in size.
static float narrow(double x) {
    return (float)ph_clamp_abs(x, (double)FLT_MAX);
}

// omega: angular frequency, zeta: damping ratio. rate = omega / a1, mass scale = a2 / (1 + a2),
// impulse scale = 1 / (1 + a2) with a1 = 2 zeta + h omega, a2 = h omega a1.
static PhSoftness make_soft(double hertz, double zeta, double h) {
    double omega = 2 * PH_PI * hertz, a1 = 2 * zeta + h * omega, a2 = h * omega * a1;
    if (!(omega > 0))
        return (PhSoftness){0, 1, 0};
    return (PhSoftness){narrow(omega / a1), narrow(a2 / (1 + a2)), narrow(1 / (1 + a2))};
}

static Solve make_solve(PhLayout *layout, const PhKernels *kernels, const PhContacts *contacts,
                        PhContactRecord *records, const PhSolverBodies *bodies,
                        const PhStepParameters *parameters) {
    int32_t substeps = parameters->substeps < 1 ? 1 : parameters->substeps;
    double h = parameters->dt / substeps, stiffest = MAX_HERTZ_FRACTION / h;
    double hertz = parameters->contact_hertz < stiffest ? parameters->contact_hertz : stiffest;
    double zeta = parameters->contact_damping_ratio;
    return (Solve){
        .layout = layout,
        .kernels = kernels,
        .source = {contacts, records},
        .bodies = bodies,
        .parameters = parameters,
        .pass = {.rows = layout->arrays->rows,
                 .h = narrow(h),
                 .inv_h = narrow(1 / h),
                 .push_speed = narrow(parameters->contact_push_speed),
                 .restitution_threshold = narrow(parameters->restitution_threshold),
                 .soft = {make_soft(hertz, zeta, h), make_soft(2 * hertz, zeta, h)}},
        .h = h,
        .max_spin = PH_PI / h,
        .substeps = substeps,
    };
}

// Fills the rows of a bin from the state. Returns whether a body is damped.
static bool load_rows(const Solve *solve, const PhBin *bin, uint32_t last) {
    const struct PhLayoutArrays *arrays = solve->layout->arrays;
    const PhSolverBodies *bodies = solve->bodies;
    const PhRows *rows = &arrays->rows;
    bool damped = false;
    for (uint32_t r = bin->first_row; r < last; r++) {
        uint32_t slot = arrays->row_slot[r];
        float *velocity = rows->velocity[r], *drive = rows->drive[r], *damping = rows->damping[r];
        for (int k = 0; k < 4; k++) { // `before` is written before it is read
            velocity[k] = rows->delta[r][k] = drive[k] = 0;
            damping[k] = 1;
        }
        rows->turned[r] = 0;
        if (slot == PH_NULL)
            continue;
        PhVec2 v = {bodies->velocity[slot][0], bodies->velocity[slot][1]};
        double w = ph_clamp_abs(bodies->angular_velocity[slot], solve->max_spin);
        if (bodies->role[slot] == PH_ROLE_DYNAMIC) {
            double max_speed = solve->parameters->max_speed;
            v = ph_limit_speed(v, max_speed);
            PhVec2 gain =
                ph_velocity_gain(v, ph_acceleration(bodies, slot, solve->parameters->gravity),
                                 solve->h, solve->substeps, max_speed);
            // All within the limits of speed and spin, hence within float32.
            drive[0] = (float)gain.x;
            drive[1] = (float)gain.y;
            drive[2] = (float)ph_spin_gain(w, ph_angular_acceleration(bodies, slot), solve->h,
                                           solve->substeps, solve->max_spin);
            double linear = bodies->linear_damping[slot], angular = bodies->angular_damping[slot];
            if (linear != 0 || angular != 0) {
                damped = true;
                damping[0] = damping[1] = narrow(1 / (1 + solve->h * linear));
                damping[2] = narrow(1 / (1 + solve->h * angular));
            }
        }
        velocity[0] = bodies->role[slot] == PH_ROLE_DYNAMIC ? (float)v.x : narrow(v.x);
        velocity[1] = bodies->role[slot] == PH_ROLE_DYNAMIC ? (float)v.y : narrow(v.y);
        velocity[2] = (float)w;
    }
    return damped;
}

// Dynamic rows back to the state; they follow the fixed row.
static void store_rows(const Solve *solve, const PhBin *bin) {
    const struct PhLayoutArrays *arrays = solve->layout->arrays;
    const PhSolverBodies *bodies = solve->bodies;
    uint32_t first = bin->first_row + 1;
    for (uint32_t r = first; r < first + bin->body_count; r++) {
        uint32_t slot = arrays->row_slot[r];
        const float *velocity = arrays->rows.velocity[r], *delta = arrays->rows.delta[r];
        PhVec2 v = {(double)velocity[0], (double)velocity[1]};
        v = ph_limit_speed(v, solve->parameters->max_speed);
        bodies->velocity[slot][0] = v.x;
        bodies->velocity[slot][1] = v.y;
        bodies->angular_velocity[slot] = ph_clamp_abs((double)velocity[2], solve->max_spin);
        bodies->center[slot][0] += (double)delta[0];
        bodies->center[slot][1] += (double)delta[1];
        bodies->angle[slot] += (double)arrays->rows.turned[r];
    }
}

static void *block_at(const Solve *solve, uint32_t block) {
    return (char *)solve->layout->arrays->blocks + (size_t)block * solve->kernels->block_size;
}
static void *extra_at(const Solve *solve, uint32_t block) {
    return (char *)solve->layout->arrays->extras + (size_t)block * solve->kernels->extra_size;
}
static const uint32_t *lanes_at(const Solve *solve, uint32_t block) {
    return solve->layout->arrays->lane_contact + (size_t)block * solve->kernels->lanes;
}

// Manifolds, masses and carried impulses into the blocks. Returns the features in use.
static uint32_t prepare_bin(const Solve *solve, const PhBin *bin) {
    const PhColor *colors = solve->layout->arrays->colors + bin->first_color;
    const PhKernels *kernels = solve->kernels;
    uint32_t features = 0;
    for (uint32_t i = 0; i < bin->color_count; i++) {
        uint32_t first = colors[i].first_block, count = colors[i].block_count;
        features |= kernels->prepare[colors[i].fixed](&solve->source, lanes_at(solve, first),
                                                      block_at(solve, first), count);
    }
    for (uint32_t i = 0; features && i < bin->color_count; i++) {
        uint32_t first = colors[i].first_block, count = colors[i].block_count;
        kernels->prepare_extra(&solve->source, lanes_at(solve, first), block_at(solve, first),
                               extra_at(solve, first), count);
    }
    return features;
}

static void store_contacts(const Solve *solve, const PhBin *bin, uint32_t features) {
    const PhColor *colors = solve->layout->arrays->colors + bin->first_color;
    for (uint32_t i = 0; i < bin->color_count; i++) {
        uint32_t first = colors[i].first_block;
        solve->kernels->store(&solve->source, lanes_at(solve, first), block_at(solve, first),
                              features ? extra_at(solve, first) : NULL, colors[i].block_count);
    }
}

// Runs kernel[fixed] over all colors.
static void run_colors(const Solve *solve, const PhBin *bin, PhBlockKernel *const kernel[2]) {
    const PhColor *colors = solve->layout->arrays->colors + bin->first_color;
    bool backwards = solve->parameters->step_count & 1;
    for (uint32_t i = 0; i < bin->color_count; i++) {
        const PhColor *color = &colors[backwards ? bin->color_count - 1 - i : i];
        kernel[color->fixed](&solve->pass, block_at(solve, color->first_block),
                             extra_at(solve, color->first_block), color->block_count);
    }
}

// ------------------------------------------------------------------------------------------------
// trace

// Brings trace->look of the bin's contacts up to date and hands out their points.
static void look_at_points(const Solve *solve, const PhBin *bin) {
    const PhColor *colors = solve->layout->arrays->colors + bin->first_color;
    for (uint32_t i = 0; i < bin->color_count; i++) {
        uint32_t first = colors[i].first_block;
        solve->kernels->look(lanes_at(solve, first), block_at(solve, first), colors[i].block_count,
                             solve->trace->look);
    }
}

static void trace_constraints(const Solve *solve, const PhBin *bin) {
    const struct PhLayoutArrays *arrays = solve->layout->arrays;
    const PhSolveTrace *trace = solve->trace;
    look_at_points(solve, bin);
    for (uint32_t k = bin->first_contact; k < bin->first_contact + bin->contact_count; k++) {
        uint32_t c = arrays->by_bin[k];
        for (int j = 0; j < 2; j++) {
            const PhPointLook *look = &trace->look[c][j];
            if (trace->number[c][j] == PH_NULL)
                continue;
            PhConstraintRow *row = &trace->constraint[trace->number[c][j]];
            row->bin = (int32_t)(bin - arrays->bins);
            row->color = arrays->color_of[k];
            row->normal_mass = (double)look->normal_mass;
            row->tangent_mass = (double)look->tangent_mass;
            row->normal_impulse = (double)look->normal_impulse;
            row->tangent_impulse = (double)look->tangent_impulse;
        }
    }
}

// A substep gives a point the impulses that the point holds at its end. The restitution gives what
// the totals grow by, so it is traced twice: before it with sign -1, after it with 1.
static void trace_impulses(const Solve *solve, const PhBin *bin, int32_t frame, double sign) {
    PhSolveFrame now = ph_solve_frame(solve->trace, (uint32_t)frame);
    look_at_points(solve, bin);
    for (uint32_t k = bin->first_contact; k < bin->first_contact + bin->contact_count; k++) {
        uint32_t c = solve->layout->arrays->by_bin[k];
        for (int j = 0; j < 2; j++) {
            const PhPointLook *look = &solve->trace->look[c][j];
            uint32_t point = solve->trace->number[c][j];
            if (point == PH_NULL)
                continue;
            if (frame < solve->substeps) {
                now.normal_impulse[point] = (double)look->normal_impulse;
                now.tangent_impulse[point] = (double)look->tangent_impulse;
            } else {
                now.normal_impulse[point] += sign * (double)look->total_normal;
                now.tangent_impulse[point] += sign * (double)look->total_tangent;
            }
        }
    }
}

static void trace_substep(const Solve *solve, const PhBin *bin, int32_t substep) {
    const struct PhLayoutArrays *arrays = solve->layout->arrays;
    const PhSolverBodies *bodies = solve->bodies;
    PhSolveFrame now = ph_solve_frame(solve->trace, (uint32_t)substep);
    trace_impulses(solve, bin, substep, 1);
    for (uint32_t r = bin->first_row + 1; r <= bin->first_row + bin->body_count; r++) {
        uint32_t slot = arrays->row_slot[r];
        const float *velocity = arrays->rows.velocity[r], *delta = arrays->rows.delta[r];
        now.velocity[slot][0] = (double)velocity[0];
        now.velocity[slot][1] = (double)velocity[1];
        now.angular_velocity[slot] = (double)velocity[2];
        now.position[slot][0] = bodies->center[slot][0] + (double)delta[0];
        now.position[slot][1] = bodies->center[slot][1] + (double)delta[1];
        now.angle[slot] = bodies->angle[slot] + (double)arrays->rows.turned[r];
    }
}

// After the rows have been stored.
static void trace_end(const Solve *solve, const PhBin *bin) {
    const PhSolverBodies *bodies = solve->bodies;
    PhSolveFrame now = ph_solve_frame(solve->trace, (uint32_t)solve->substeps);
    trace_impulses(solve, bin, solve->substeps, 1);
    for (uint32_t r = bin->first_row + 1; r <= bin->first_row + bin->body_count; r++) {
        uint32_t slot = solve->layout->arrays->row_slot[r];
        memcpy(now.velocity[slot], bodies->velocity[slot], sizeof now.velocity[slot]);
        memcpy(now.position[slot], bodies->center[slot], sizeof now.position[slot]);
        now.angular_velocity[slot] = bodies->angular_velocity[slot];
        now.angle[slot] = bodies->angle[slot];
    }
}

// ------------------------------------------------------------------------------------------------
// solve

static void solve_bin(const Solve *solve, const PhBin *bin) {
    const PhKernels *kernels = solve->kernels;
    uint32_t first = bin->first_row;
    uint32_t last = first + (bin->row_count + PH_ROW_ALIGN - 1) / PH_ROW_ALIGN * PH_ROW_ALIGN;
    uint32_t features = prepare_bin(solve, bin);
    bool damped = load_rows(solve, bin, last), surface = features & PH_FEATURE_SURFACE;
    bool bounces = features & PH_FEATURE_RESTITUTION;
    PhBlockKernel *const approach[2] = {kernels->approach, kernels->approach};
    if (solve->trace)
        trace_constraints(solve, bin);
    for (int32_t k = 0; k < solve->substeps; k++) {
        if (bounces)
            run_colors(solve, bin, approach);
        kernels->integrate_velocity(&solve->pass, first, last, damped, k > 0);
        if (k == 0)
            run_colors(solve, bin, surface ? kernels->warm_start_surface : kernels->warm_start);
        run_colors(solve, bin, kernels->push);
        kernels->integrate_position(&solve->pass, first, last);
        run_colors(solve, bin, surface ? kernels->relax_surface : kernels->relax);
        if (solve->trace)
            trace_substep(solve, bin, k);
    }
    if (solve->trace)
        trace_impulses(solve, bin, solve->substeps, -1);
    if (bounces)
        run_colors(solve, bin, kernels->restitution);
    store_rows(solve, bin);
    store_contacts(solve, bin, features);
    if (solve->trace)
        trace_end(solve, bin);
}

void ph_soft_step_solve(PhLayout *layout, const PhKernels *kernels, const PhContacts *contacts,
                        PhContactRecord *records, const PhSolverBodies *bodies,
                        const PhStepParameters *parameters, PhSolveTrace *trace) {
    if (!layout->bin_count)
        return;
    Solve solve = make_solve(layout, kernels, contacts, records, bodies, parameters);
    solve.trace = trace;
    for (uint32_t b = 0; b < layout->bin_count; b++)
        solve_bin(&solve, &layout->arrays->bins[b]);
}

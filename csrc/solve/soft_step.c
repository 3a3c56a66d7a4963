// The solver soft_step: all substeps of every bin, by lane kernels.
//
// A bin runs on its own arrays from load to store; positions inside are float32 offsets from the
// start of the step, so the place of the scene in the world does not matter. Bins share no memory
// that is written, so with a team of threads each is a job. A giant bin is run by the whole team,
// pass by pass: contacts of one color touch different rows, and every pass ends before the next
// begins. Speed limits: |v| <=
// max_speed, and of spin max_angular_speed and half a turn per substep (more could not be told from
// less), at load and at store.
//
// Sources: E. Catto, "Solver2D" (2024): substeps of soft push, integrate, relax; M. Macklin et al.,
// "Small Steps in Physics Simulation" (2019). Colors run forwards in even steps and backwards in
// odd ones: a fixed order makes tall piles lean.
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "math/trig.h"
#include "solve/articulated.h"
#include "solve/joint_lanes.h"
#include "solve/joint_net.h"
#include "solve/layout.h"
#include "solve/motion.h"

#define MAX_JOINT_FRACTION 0.25
// Of the largest speed: who is no faster is not limited, whichever way that is rounded.
#define SLOW_FRACTION 0.9

// Of a giant bin: contacts and rows in a chunk.
enum { CHUNK_CONTACTS = 256, CHUNK_ROWS = 512 };

typedef struct Solve {
    PhLayout *layout;
    const PhKernels *kernels;
    const PhContacts *contacts;
    PhContactSource source;
    const PhSolverBodies *bodies;
    const PhStepParameters *parameters;
    PhPass pass;
    double h, max_spin;
    int32_t substeps; // of the bin, `stride` for each one of the world
    int32_t stride;
    PhSolveTrace *trace; // NULL: nobody is watching
    PhJobs *jobs;        // the team that shares the bin at hand, NULL: one thread has it to itself
} Solve;

// One pass over rows or blocks of a bin, in chunks of `grain`.
typedef struct Run {
    const Solve *solve;
    PhPassKind kind;
    const PhColor *color;
    uint32_t first, last, grain;
    uint32_t dynamic_first, dynamic_last; // of rows: those of dynamic bodies
    uint32_t extras;                      // features that are in use
    bool damped, again, carried, stores;
    atomic_uint found; // flags of all chunks together
} Run;

static void run_rows(Run *run, PhJob *job) {
    const Solve *solve = run->solve;
    run->grain = solve->jobs ? CHUNK_ROWS : run->last - run->first;
    ph_jobs_run(solve->jobs, job, run, (run->last - run->first + run->grain - 1) / run->grain);
}

static void run_blocks(Run *run, PhJob *job) {
    const Solve *solve = run->solve;
    uint32_t count = run->color->block_count, lanes = solve->kernels->lanes;
    bool overflow = ph_color_overflows(run->color->number); // stays in order
    bool shared = solve->jobs && !overflow && count * lanes >= PH_SHARED_CONTACTS;
    run->first = run->color->first_block;
    run->last = run->first + count;
    run->grain = shared ? CHUNK_CONTACTS / lanes : count;
    ph_jobs_run(solve->jobs, job, run, (count + run->grain - 1) / run->grain);
}

static uint32_t chunk_first(const Run *run, uint32_t chunk) {
    return run->first + chunk * run->grain;
}
static uint32_t chunk_last(const Run *run, uint32_t chunk) {
    uint32_t left = run->last - chunk_first(run, chunk);
    return chunk_first(run, chunk) + (left < run->grain ? left : run->grain);
}

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

// Substeps of a bin for each one of the world.
static int32_t stride_of(uint8_t effort) {
    return 1 << (effort > 1 ? effort - 1 : 0);
}

static PhContactSource source_of(const PhManifoldRecord *manifolds, const PhPairList *pairs,
                                 uint8_t effort, bool aging) {
    return (PhContactSource){manifolds, pairs->record, pairs->flags,
                             1.0f / (float)stride_of(effort), aging};
}

static Solve make_solve(PhLayout *layout, const PhKernels *kernels, const PhContacts *contacts,
                        const PhPairList *pairs, const PhSolverBodies *bodies,
                        const PhStepParameters *parameters, uint8_t effort) {
    int32_t stride = stride_of(effort);
    int32_t substeps = stride * (parameters->substeps < 1 ? 1 : parameters->substeps);
    double h = parameters->dt / substeps, stiffest = PH_CONTACT_HERTZ_FRACTION / h;
    double hertz = stride * parameters->contact_hertz, stiffest_joint = MAX_JOINT_FRACTION / h;
    double joint_hertz = parameters->joint_hertz;
    joint_hertz = joint_hertz < stiffest_joint ? joint_hertz : stiffest_joint;
    hertz = hertz < stiffest ? hertz : stiffest;
    double zeta = parameters->contact_damping_ratio;
    return (Solve){
        .layout = layout,
        .kernels = kernels,
        .contacts = contacts,
        .source = source_of(contacts->manifold, pairs, effort, parameters->aging),
        .bodies = bodies,
        .parameters = parameters,
        .pass = {.rows = layout->arrays->rows,
                 .h = narrow(h),
                 .inv_h = narrow(1 / h),
                 .push_speed = narrow(parameters->contact_push_speed),
                 .restitution_threshold = narrow(parameters->restitution_threshold),
                 .soft = {make_soft(hertz, zeta, h), make_soft(2 * hertz, zeta, h)},
                 .joint_soft = make_soft(joint_hertz, parameters->joint_damping_ratio, h)},
        .h = h,
        .max_spin = ph_min(PH_PI / h, parameters->max_angular_speed),
        .substeps = substeps,
        .stride = stride,
    };
}

// A row to be loaded.
typedef struct Start {
    float *velocity, *drive, *damping;
} Start;

static inline void set_quad(float quad[4], float x, float y, float z, float w) {
    quad[0] = x;
    quad[1] = y;
    quad[2] = z;
    quad[3] = w;
}

// By the book. Whether the body is damped.
static bool start_body(const Solve *solve, uint32_t slot, Start start) {
    const PhSolverBodies *bodies = solve->bodies;
    PhVec2 v = {bodies->velocity[slot][0], bodies->velocity[slot][1]};
    double spin = bodies->angular_velocity[slot], w = ph_clamp_abs(spin, solve->max_spin);
    set_quad(start.velocity, narrow(v.x), narrow(v.y), (float)w, 0);
    set_quad(start.drive, 0, 0, 0, 0);
    set_quad(start.damping, 1, 1, 1, 1);
    if (bodies->role[slot] != PH_ROLE_DYNAMIC)
        return false;
    double max_speed = solve->parameters->max_speed;
    bool limited = w != spin;
    v = ph_limit_speed(v, max_speed, &limited);
    PhVec2 acceleration = ph_acceleration(bodies, slot, solve->parameters->gravity);
    PhVec2 gain = ph_velocity_gain(v, acceleration, solve->h, solve->substeps, max_speed, &limited);
    // All within the limits of speed and spin, hence within float32.
    start.velocity[0] = (float)v.x;
    start.velocity[1] = (float)v.y;
    start.drive[0] = (float)gain.x;
    start.drive[1] = (float)gain.y;
    start.drive[2] = (float)ph_spin_gain(w, ph_angular_acceleration(bodies, slot), solve->h,
                                         solve->substeps, solve->max_spin, &limited);
    if (limited)
        bodies->limited[slot] = solve->parameters->step_count + 1;
    double linear = bodies->linear_damping[slot], angular = bodies->angular_damping[slot];
    if (linear == 0 && angular == 0)
        return false;
    start.damping[0] = start.damping[1] = narrow(1 / (1 + solve->h * linear));
    start.damping[2] = narrow(1 / (1 + solve->h * angular));
    return true;
}

// The same for a dynamic body that only falls, far from the limits. False: it is another one.
static inline bool start_falling(const Solve *solve, uint32_t slot, Start start) {
    const PhSolverBodies *bodies = solve->bodies;
    const double *velocity = bodies->velocity[slot], *force = bodies->force[slot];
    double vx = velocity[0], vy = velocity[1], w = bodies->angular_velocity[slot];
    double scale = bodies->gravity_scale[slot];
    double limit = SLOW_FRACTION * solve->parameters->max_speed;
    double ax = scale * solve->parameters->gravity.x + 0.0, gx = solve->h * ax;
    double ay = scale * solve->parameters->gravity.y + 0.0, gy = solve->h * ay;
    double ex = vx + solve->substeps * gx, ey = vy + solve->substeps * gy;
    // Sums of sizes: one comparison for all, false if one is not a number.
    double first = fabs(vx) + fabs(vy), last = fabs(ex) + fabs(ey);
    double others = fabs(force[0]) + fabs(force[1]) + fabs(bodies->torque[slot]) +
                    fabs(bodies->linear_damping[slot]) + fabs(bodies->angular_damping[slot]);
    set_quad(start.velocity, (float)vx, (float)vy, (float)w, 0);
    set_quad(start.drive, (float)gx, (float)gy, 0, 0);
    set_quad(start.damping, 1, 1, 1, 1);
    return (first <= limit) & (last <= limit) & (fabs(ax) + fabs(ay) <= PH_MAX_ACCELERATION) &
           (others == 0) & (fabs(w) <= solve->max_spin) & (bodies->role[slot] == PH_ROLE_DYNAMIC);
}

// Fills rows from the state, whatever they are of. Whether a body is damped.
static bool load_any(const Solve *solve, uint32_t first, uint32_t last) {
    const uint32_t *row_slot = solve->layout->arrays->row_slot;
    const PhRows *rows = &solve->layout->arrays->rows;
    bool damped = false;
    for (uint32_t r = first; r < last; r++) {
        Start start = {rows->velocity[r], rows->drive[r], rows->damping[r]};
        set_quad(rows->delta[r], 0, 0, 0, 0); // `before` is written before it is read
        rows->turned[r] = 0;
        if (row_slot[r] == PH_NULL) {
            set_quad(start.velocity, 0, 0, 0, 0);
            set_quad(start.drive, 0, 0, 0, 0);
            set_quad(start.damping, 1, 1, 1, 1);
        } else if (!start_falling(solve, row_slot[r], start)) {
            damped |= start_body(solve, row_slot[r], start);
        }
    }
    return damped;
}

static PhRowEnds ends_of(const Solve *solve) {
    const PhSolverBodies *bodies = solve->bodies;
    return (PhRowEnds){.rows = solve->layout->arrays->rows,
                       .slot = solve->layout->arrays->row_slot,
                       .velocity = bodies->velocity,
                       .angular_velocity = bodies->angular_velocity,
                       .center = bodies->center,
                       .angle = bodies->angle,
                       .most_speed = 0.5 * solve->parameters->max_speed,
                       .most_spin = solve->max_spin};
}

// Dynamic rows first .. last - 1 where all bodies fall alike: most of them by fours. Factors of
// damping are not read then.
static void load_falling(const Solve *solve, uint32_t first, uint32_t last) {
    PhVec2 gravity = solve->parameters->gravity;
    double ax = gravity.x + 0.0, gx = solve->h * ax, ay = gravity.y + 0.0, gy = solve->h * ay;
    // Nobody is within the limits where gravity alone is not.
    bool weak = fabs(ax) + fabs(ay) <= PH_MAX_ACCELERATION;
    PhRowEnds ends = ends_of(solve);
    ends.most_speed = weak ? SLOW_FRACTION * solve->parameters->max_speed : -1;
    ends.gain = (PhVec2){solve->substeps * gx, solve->substeps * gy};
    ends.drive[0] = (float)gx;
    ends.drive[1] = (float)gy;
    for (uint32_t r = first; r < last;) {
        uint32_t left = solve->kernels->load_falling(&ends, r, last);
        r = last - left < 4 ? last : left + 4;
        (void)load_any(solve, left, r);
    }
}

static uint32_t clamp_row(uint32_t row, uint32_t first, uint32_t last) {
    return row < first ? first : row < last ? row : last;
}

// Fills rows of a bin; found: whether a body is damped.
static void load_rows(void *context, uint32_t chunk) {
    Run *run = context;
    const Solve *solve = run->solve;
    uint32_t first = chunk_first(run, chunk), last = chunk_last(run, chunk);
    bool alike = solve->bodies->fall_alike;
    uint32_t from = alike ? clamp_row(run->dynamic_first, first, last) : last;
    uint32_t to = alike ? clamp_row(run->dynamic_last, first, last) : last;
    load_falling(solve, from, to);
    bool damped = load_any(solve, first, from) | load_any(solve, to, last);
    if (damped)
        atomic_store_explicit(&run->found, 1, memory_order_relaxed);
}

// Of a step, m and rad: nothing that happens goes as far.
#define FARTHEST 1e12f

static bool is_within(float most, float x) {
    return fabsf(x) <= most;
}

// What is beyond numbers is left as it was before the step.
static void store_any(const Solve *solve, uint32_t first, uint32_t last) {
    const struct PhLayoutArrays *arrays = solve->layout->arrays;
    const PhSolverBodies *bodies = solve->bodies;
    for (uint32_t r = first; r < last; r++) {
        uint32_t slot = arrays->row_slot[r];
        const float *velocity = arrays->rows.velocity[r], *delta = arrays->rows.delta[r];
        PhVec2 v = {(double)velocity[0], (double)velocity[1]};
        double w = ph_clamp_abs((double)velocity[2], solve->max_spin);
        bool limited = w != (double)velocity[2];
        if (!is_within(FARTHEST, delta[0]) || !is_within(FARTHEST, delta[1]) ||
            !is_within(FARTHEST, arrays->rows.turned[r]) ||
            !is_within(FLT_MAX, velocity[0] + velocity[1] + velocity[2])) {
            bodies->limited[slot] = solve->parameters->step_count + 1;
            continue;
        }
        v = ph_limit_speed(v, solve->parameters->max_speed, &limited);
        bodies->velocity[slot][0] = v.x;
        bodies->velocity[slot][1] = v.y;
        bodies->angular_velocity[slot] = w;
        if (limited)
            bodies->limited[slot] = solve->parameters->step_count + 1;
        bodies->center[slot][0] += (double)delta[0];
        bodies->center[slot][1] += (double)delta[1];
        bodies->angle[slot] += (double)arrays->rows.turned[r];
    }
}

// Dynamic rows back to the state.
static void store_rows(void *context, uint32_t chunk) {
    Run *run = context;
    const Solve *solve = run->solve;
    const PhRowEnds ends = ends_of(solve);
    for (uint32_t r = chunk_first(run, chunk), last = chunk_last(run, chunk); r < last;) {
        uint32_t left = solve->kernels->store_bodies(&ends, r, last);
        r = last - left < 4 ? last : left + 4;
        store_any(solve, left, r);
    }
}

// Blocks of a color from `first` on, with the kernels for them.
typedef struct Part {
    const PhKernels *kernels;
    PhBlockParts blocks;
    PhHeads heads;
} Part;

static Part part_of(const PhLayout *layout, const PhColor *color, uint32_t first) {
    const PhBlocks *blocks = &layout->arrays->blocks[ph_color_overflows(color->number)];
    const PhKernels *kernels = ph_kernels_of(layout->arrays->kernels, color->number);
    return (Part){
        .kernels = kernels,
        .blocks = {(char *)blocks->parts.blocks + (size_t)first * kernels->block_size,
                   (char *)blocks->parts.rests + (size_t)first * kernels->rest_size,
                   (char *)blocks->parts.extras + (size_t)first * kernels->extra_size},
        .heads = {blocks->heads.pair + (size_t)first * kernels->lanes,
                  blocks->heads.ends + (size_t)first * kernels->lanes},
    };
}

// Manifolds, masses and carried impulses into the blocks; found: the features in use.
static void prepare_blocks(void *context, uint32_t chunk) {
    Run *run = context;
    uint32_t first = chunk_first(run, chunk), count = chunk_last(run, chunk) - first;
    Part part = part_of(run->solve->layout, run->color, first);
    uint32_t features = part.kernels->prepare[run->color->fixed](&run->solve->source, part.heads,
                                                                 part.blocks, count, run->carried);
    if (features)
        atomic_fetch_or_explicit(&run->found, features, memory_order_relaxed);
}

static void prepare_extras(void *context, uint32_t chunk) {
    Run *run = context;
    uint32_t first = chunk_first(run, chunk), count = chunk_last(run, chunk) - first;
    Part part = part_of(run->solve->layout, run->color, first);
    part.kernels->prepare_extra(&run->solve->source, part.heads.pair, part.blocks, count,
                                run->extras, run->carried);
}

// Who touches, and, unless the records stay behind, what the blocks know.
static void finish_blocks(void *context, uint32_t chunk) {
    Run *run = context;
    uint32_t first = chunk_first(run, chunk), count = chunk_last(run, chunk) - first;
    Part part = part_of(run->solve->layout, run->color, first);
    part.kernels->tell(&run->solve->source, part.heads.pair, part.blocks, count);
    if (!run->extras)
        part.blocks.extras = NULL;
    if (run->stores)
        part.kernels->store(&run->solve->source, part.heads.pair, part.blocks, count);
}

static void pass_blocks(void *context, uint32_t chunk) {
    Run *run = context;
    uint32_t first = chunk_first(run, chunk), count = chunk_last(run, chunk) - first;
    Part part = part_of(run->solve->layout, run->color, first);
    part.kernels->pass[run->kind][run->color->fixed](&run->solve->pass, part.blocks, count);
}

static void integrate_velocities(void *context, uint32_t chunk) {
    Run *run = context;
    run->solve->kernels->integrate_velocity(&run->solve->pass, chunk_first(run, chunk),
                                            chunk_last(run, chunk), run->damped, run->again);
}

static void integrate_positions(void *context, uint32_t chunk) {
    Run *run = context;
    run->solve->kernels->integrate_position(&run->solve->pass, chunk_first(run, chunk),
                                            chunk_last(run, chunk));
}

static void each_color(Run *run, const PhBin *bin, PhJob *job) {
    const PhColor *colors = run->solve->layout->arrays->colors + bin->first_color;
    for (uint32_t i = 0; i < bin->color_count; i++) {
        run->color = &colors[i];
        run_blocks(run, job);
    }
}

// Blocks that are new lie in memory that the system hands over slowly: the step may be stopped
// between colors. Then what is in the rest of them does not matter.
static void prepare_colors(Run *run, const PhBin *bin, PhJob *job) {
    const PhStop *stop = run->solve->parameters->stop;
    const PhColor *colors = run->solve->layout->arrays->colors + bin->first_color;
    PhStatus status = PH_OK;
    for (uint32_t i = 0; !status && i < bin->color_count; i++) {
        run->color = &colors[i];
        run_blocks(run, job);
        status = ph_stop_between(stop, colors[i].block_count);
    }
}

// One pass over all colors.
static void run_colors(const Solve *solve, const PhBin *bin, PhPassKind kind) {
    const PhColor *colors = solve->layout->arrays->colors + bin->first_color;
    bool backwards = solve->parameters->step_count & 1;
    Run run = {.solve = solve, .kind = kind};
    for (uint32_t i = 0; i < bin->color_count; i++) {
        run.color = &colors[backwards ? bin->color_count - 1 - i : i];
        run_blocks(&run, pass_blocks);
    }
}

// Sweeps over impacts in one substep: through a row of touching balls a blow goes by one ball or
// more in each. What still comes near after them is stopped as if without restitution.
enum { IMPACT_SWEEPS = 16 };

static void run_impacts(const Solve *solve, const PhBin *bin) {
    atomic_bool met = true;
    Solve own = *solve;
    own.pass.met = &met;
    for (int sweep = 0; sweep < IMPACT_SWEEPS && atomic_load(&met); sweep++) {
        atomic_store(&met, false);
        run_colors(&own, bin, PH_IMPACT);
    }
}

// ------------------------------------------------------------------------------------------------
// nets

typedef struct NetRun {
    const Solve *solve;
    PhNetKernel *kernel;
    const PhJointRun *joints;
    const PhNetColor *color;
    void (*work)(const PhJointRun *joints, const PhNetColor *color, uint32_t first, uint32_t last);
    uint32_t first, last, grain;
} NetRun;

static void net_chunk(void *context, uint32_t chunk) {
    const NetRun *run = context;
    const struct PhLayoutArrays *arrays = run->solve->layout->arrays;
    uint32_t first = run->first + chunk * run->grain, last = first + run->grain;
    last = last < run->last ? last : run->last;
    if (!run->color)
        ph_net_load_rows(run->joints, first, last);
    else if (run->work)
        run->work(run->joints, run->color, first, last);
    else
        run->kernel(&run->solve->pass, ph_net_block(arrays, run->color, first), last - first);
}

static void share_net(NetRun *run, uint32_t grain) {
    uint32_t count = run->last - run->first;
    run->grain = run->solve->jobs && count > 4 * grain ? grain : count;
    if (count)
        ph_jobs_run(run->solve->jobs, net_chunk, run, (count + run->grain - 1) / run->grain);
}

// All colors of the kinds that have a kernel, one after the other; joints of overflow by one
// thread.
static void run_net(const Solve *solve, const PhBin *bin, PhNetKernel *const kernels[]) {
    const PhNetColor *colors = solve->layout->arrays->joints.net_colors + bin->first_net_color;
    bool backwards = solve->parameters->step_count & 1;
    for (uint32_t i = 0; i < bin->net_color_count; i++) {
        const PhNetColor *color = &colors[backwards ? bin->net_color_count - 1 - i : i];
        NetRun run = {.solve = solve, .kernel = kernels[color->kind], .color = color};
        if (!run.kernel)
            continue;
        run.first = color->first_block;
        run.last = run.first + color->block_count;
        share_net(&run, color->number < PH_NET_COLORS ? CHUNK_CONTACTS / solve->kernels->lanes
                                                      : UINT32_MAX / 8);
    }
}

static void load_net_rows(const Solve *solve, const PhJointRun *joints, const PhBin *bin) {
    NetRun run = {.solve = solve, .joints = joints, .first = bin->first_row};
    run.last = run.first + bin->row_count;
    share_net(&run, CHUNK_ROWS);
}

// What is done with all blocks of a bin.
static void each_net(const Solve *solve, const PhJointRun *joints, const PhBin *bin,
                     void (*work)(const PhJointRun *joints, const PhNetColor *color, uint32_t first,
                                  uint32_t last)) {
    const PhNetColor *colors = solve->layout->arrays->joints.net_colors + bin->first_net_color;
    for (uint32_t i = 0; i < bin->net_color_count; i++) {
        NetRun run = {.solve = solve, .joints = joints, .color = &colors[i], .work = work};
        run.first = colors[i].first_block;
        run.last = run.first + colors[i].block_count;
        share_net(&run, CHUNK_ROWS / solve->kernels->lanes);
    }
}

// ------------------------------------------------------------------------------------------------
// trace

// Brings trace->look of the bin's contacts up to date and hands out their points.
static void look_at_points(const Solve *solve, const PhBin *bin, bool bounces) {
    const PhColor *colors = solve->layout->arrays->colors + bin->first_color;
    for (uint32_t i = 0; i < bin->color_count; i++) {
        Part part = part_of(solve->layout, &colors[i], colors[i].first_block);
        part.blocks.extras = bounces ? part.blocks.extras : NULL;
        part.kernels->look(solve->contacts, part.heads.pair, part.blocks, colors[i].block_count,
                           solve->trace->look);
    }
}

static bool is_in_bin(const Solve *solve, const PhBin *bin, uint32_t c) {
    uint32_t number = ph_bin_of(solve->layout, solve->contacts->body_a[c]);
    return bin == &solve->layout->arrays->bins[number];
}

static void trace_constraints(const Solve *solve, const PhBin *bin) {
    const struct PhLayoutArrays *arrays = solve->layout->arrays;
    const PhSolveTrace *trace = solve->trace;
    look_at_points(solve, bin, false);
    for (uint32_t c = 0; c < solve->contacts->count; c++) {
        for (int j = 0; j < 2; j++) {
            const PhPointLook *look = &trace->look[c][j];
            if (trace->number[c][j] == PH_NULL || !is_in_bin(solve, bin, c))
                continue;
            PhConstraintRow *row = &trace->constraint[trace->number[c][j]];
            row->bin = (int32_t)(bin - arrays->bins);
            row->color = (uint8_t)ph_color_of_code(arrays->color_of[c]);
            row->normal_mass = (double)look->normal_mass;
            row->tangent_mass = (double)look->tangent_mass;
            row->normal_impulse = (double)look->normal_impulse;
            row->tangent_impulse = (double)look->tangent_impulse;
        }
    }
}

// A substep gives a point the impulses that the point holds at its end; the last frame shows what
// impacts with restitution have given.
static void trace_impulses(const Solve *solve, const PhBin *bin, int32_t frame, bool bounces) {
    PhSolveFrame now = ph_solve_frame(solve->trace, (uint32_t)frame);
    bool last = frame == solve->substeps / solve->stride;
    look_at_points(solve, bin, bounces);
    for (uint32_t c = 0; c < solve->contacts->count; c++) {
        for (int j = 0; j < 2; j++) {
            const PhPointLook *look = &solve->trace->look[c][j];
            uint32_t point = solve->trace->number[c][j];
            if (point == PH_NULL || !is_in_bin(solve, bin, c))
                continue;
            now.normal_impulse[point] = (double)(last ? look->bounce_normal : look->normal_impulse);
            now.tangent_impulse[point] =
                (double)(last ? look->bounce_tangent : look->tangent_impulse);
        }
    }
}

static void trace_substep(const Solve *solve, const PhBin *bin, int32_t substep) {
    const struct PhLayoutArrays *arrays = solve->layout->arrays;
    const PhSolverBodies *bodies = solve->bodies;
    PhSolveFrame now = ph_solve_frame(solve->trace, (uint32_t)substep);
    trace_impulses(solve, bin, substep, false);
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
static void trace_end(const Solve *solve, const PhBin *bin, bool bounces) {
    const PhSolverBodies *bodies = solve->bodies;
    int32_t frame = solve->substeps / solve->stride;
    PhSolveFrame now = ph_solve_frame(solve->trace, (uint32_t)frame);
    trace_impulses(solve, bin, frame, bounces);
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

// What acts in a bin.
typedef struct Plan {
    const Solve *solve;
    const PhJointRun *joints;
    PhPassKind relax;
    bool bounces, surface, extra, net, works;
} Plan;

// A push or a relaxation of all contacts, behind that of the joints.
static void pass_contacts(const Plan *plan, const PhBin *bin, bool push, bool inflated) {
    const Solve *solve = plan->solve;
    if (!bin->articulated) {
        run_colors(solve, bin, push ? PH_PUSH : plan->relax);
        if (inflated)
            ph_joints_weigh(plan->joints, bin);
    } else if (push) {
        ph_articulated_push(plan->joints, bin, &solve->pass, plan->extra);
    } else {
        ph_articulated_relax(plan->joints, bin, &solve->pass, plan->extra);
    }
}

// What springs give first counts as gained by the bodies for all of them.
static void push_springs(const Plan *plan, const PhBin *bin) {
    const Solve *solve = plan->solve;
    if (bin->spring_count)
        run_net(solve, bin, solve->kernels->net_force);
    if (plan->works)
        ph_joints_force(plan->joints, bin);
    if (bin->spring_count)
        run_net(solve, bin, solve->kernels->net_rest);
    if (plan->works)
        ph_joints_rest(plan->joints, bin);
    if (bin->spring_count)
        ph_net_restore_drives(plan->joints, bin);
}

static void solve_substep(const Plan *plan, const PhBin *bin, Run *moves) {
    const Solve *solve = plan->solve;
    // Articulated contacts warm start by themselves.
    bool inflated = false, first = !moves->again && !bin->articulated;
    moves->again &= !bin->articulated;
    if (plan->works)
        inflated = ph_joints_stiffen(plan->joints, bin);
    run_rows(moves, integrate_velocities);
    if (first)
        run_colors(solve, bin, plan->surface ? PH_WARM_START_SURFACE : PH_WARM_START);
    if (plan->net && first)
        run_net(solve, bin, solve->kernels->net_warm_start);
    if (inflated && first)
        ph_joints_weigh(plan->joints, bin);
    if (plan->bounces && bin->articulated)
        ph_articulated_blows(plan->joints, bin, &solve->pass);
    push_springs(plan, bin);
    if (plan->net)
        run_net(solve, bin, solve->kernels->net_push);
    if (plan->works) // trees have the last word
        inflated = ph_joints_push(plan->joints, bin);
    if (plan->bounces && !bin->articulated)
        run_impacts(solve, bin);
    pass_contacts(plan, bin, true, inflated);
    run_rows(moves, integrate_positions);
    if (plan->net)
        run_net(solve, bin, solve->kernels->net_relax);
    if (plan->works)
        inflated = ph_joints_relax(plan->joints, bin);
    pass_contacts(plan, bin, false, inflated);
}

static void solve_bin(const Solve *of_all, PhBin *bin) {
    uint32_t first = bin->first_row, last = first + ph_bin_rows(bin);
    Solve own = *of_all, *solve = &own;
    own.pass.rows = ph_rows_from(own.pass.rows, first);
    const PhLayout *layout = solve->layout;
    bin->carried = bin->carried && !layout->joined;
    Run blocks = {.solve = solve, .carried = bin->carried};
    Run rows = {.solve = solve, .first = first, .last = last};
    Run moves = {.solve = solve, .first = 0, .last = last - first};
    Run bodies = {.solve = solve, .first = first + 1, .last = first + 1 + bin->body_count};
    rows.dynamic_first = bodies.first;
    rows.dynamic_last = bodies.last;
    prepare_colors(&blocks, bin, prepare_blocks);
    uint32_t features = blocks.found;
    bool surface = features & PH_FEATURE_SURFACE, bounces = features & PH_FEATURE_RESTITUTION;
    blocks.extras = features;
    if (features)
        prepare_colors(&blocks, bin, prepare_extras);
    run_rows(&rows, load_rows);
    moves.damped = rows.found;
    PhPassKind relax = features ? PH_RELAX_EXTRA : PH_RELAX;
    if (solve->trace)
        trace_constraints(solve, bin);
    PhJointRun joints = {solve->layout, solve->bodies, solve->parameters, solve->h, rows.found};
    bool net = bin->pin_count > 0, works = bin->unit_block_count + bin->tree_count > 0;
    Plan plan = {solve, &joints, relax, bounces, surface, features != 0, net, works};
    if (bin->articulated)
        ph_articulated_begin(&joints, bin);
    if (net)
        load_net_rows(solve, &joints, bin);
    if (works)
        ph_joints_load(&joints, bin);
    if (net) {
        each_net(solve, &joints, bin, ph_net_prepare);
        ph_net_stiffen(&joints, bin);
    }
    // Trees that are alone have their substeps to themselves; here their rows still stand as
    // loaded.
    bool others = bin->contact_count + bin->pin_count + bin->tied_count > 0;
    bool apart = others || solve->trace;
    if (apart)
        ph_trees_run(&joints, bin, (PhTreeStretch){.first = true});
    const PhStop *stop = solve->parameters->stop;
    for (int32_t k = 0; apart && k < solve->substeps && !ph_stop_wanted(stop); k++) {
        moves.again = k > 0;
        own.pass.last = k + 1 == solve->substeps;
        if (others)
            solve_substep(&plan, bin, &moves);
        if (!solve->trace || (k + 1) % solve->stride)
            continue;
        ph_trees_run(&joints, bin, (PhTreeStretch){.substeps = solve->stride, .watched = true});
        trace_substep(solve, bin, (k + 1) / solve->stride - 1);
    }
    ph_trees_run(&joints, bin,
                 (PhTreeStretch){solve->trace ? 0 : solve->substeps, !apart, true, false});
    if (works)
        ph_joints_store(&joints, bin);
    if (net)
        each_net(solve, &joints, bin, ph_net_store);
    run_rows(&bodies, store_rows);
    // What has lasted may last; and what the last step has built is not settled for the next one at
    // a price. Who is watched or has extras is never left.
    bin->behind =
        bin->carried && !features && !solve->trace && !layout->watch_effort && !layout->fresh;
    bin->carried = !features && !layout->joined;
    blocks.stores = !bin->behind;
    each_color(&blocks, bin, finish_blocks);
    if (solve->trace)
        trace_end(solve, bin, bounces);
}

// Whether a bin is worth a team of its own.
static bool is_giant(const PhBin *bin) {
    return ph_bin_is_giant(bin->contact_count + bin->pin_count);
}

static void solve_own_bin(void *context, uint32_t chunk) {
    const Solve *solve = context; // by effort
    PhBin *bin = &solve->layout->arrays->bins[chunk];
    if (!is_giant(bin))
        solve_bin(&solve[bin->effort], bin);
}

void ph_soft_step_solve(PhLayout *layout, const PhKernels *kernels, const PhContacts *contacts,
                        const PhPairList *pairs, const PhSolverBodies *bodies,
                        const PhStepParameters *parameters, PhJobs *jobs, PhSolveTrace *trace) {
    if (!layout->bin_count)
        return;
    Solve solve[PH_MAX_EFFORT];
    uint32_t made = 0; // efforts, as bits; jobs find the layout in the first one
    for (uint32_t b = 0; b <= layout->bin_count; b++) {
        uint8_t effort = b > 0 ? layout->arrays->bins[b - 1].effort : 0;
        if (made >> effort & 1)
            continue;
        solve[effort] = make_solve(layout, kernels, contacts, pairs, bodies, parameters, effort);
        solve[effort].trace = trace;
        made |= 1u << effort;
    }
    jobs = trace ? NULL : jobs;
    ph_jobs_run(jobs, solve_own_bin, solve, layout->bin_count);
    for (uint32_t b = 0; b < layout->bin_count; b++) {
        PhBin *bin = &layout->arrays->bins[b];
        if (is_giant(bin)) {
            Solve shared = solve[bin->effort];
            shared.jobs = jobs;
            solve_bin(&shared, bin);
        }
        layout->behind |= bin->behind;
    }
    layout->fresh = false;
}

void ph_soft_step_settle(PhLayout *layout, const PhPairList *pairs) {
    if (!layout->behind)
        return;
    for (uint32_t b = 0; b < layout->bin_count; b++) {
        PhBin *bin = &layout->arrays->bins[b];
        PhContactSource source = source_of(NULL, pairs, bin->effort, false);
        const PhColor *colors = layout->arrays->colors + bin->first_color;
        for (uint32_t i = 0; bin->behind && i < bin->color_count; i++) {
            Part part = part_of(layout, &colors[i], colors[i].first_block);
            part.blocks.extras = NULL;
            part.kernels->store(&source, part.heads.pair, part.blocks, colors[i].block_count);
        }
        bin->behind = false;
    }
    layout->behind = false;
}

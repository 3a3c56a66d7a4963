// The solver soft_step: all substeps of every batch, by lane kernels.
//
// A batch runs on its own arrays from load to store; positions inside are float32 offsets from the
// start of the step, so the place of the scene in the world does not matter. Batches share no
// memory that is written, so with a team of threads each is a job. A giant batch is run by the
// whole team, pass by pass: contacts of one color touch different solver bodies, and every pass
// ends before the next begins. Speed limits: |v| <= max_speed, and of spin max_angular_speed and
// half a turn per substep (more could not be told from less), at load and at store.
//
// Sources: E. Catto, "Solver2D" (2024): substeps of soft solve, integrate, relax; M. Macklin et
// al., "Small Steps in Physics Simulation" (2019). Colors run forwards in even steps and backwards
// in odd ones: a fixed order makes tall piles lean.
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "math/trig.h"
#include "solve/articulated_islands.h"
#include "solve/impact_sweeps.h"
#include "solve/iterative_joints.h"
#include "solve/joint_lanes.h"
#include "solve/jointed_impacts.h"
#include "solve/layout.h"
#include "solve/motion.h"

#define MAX_JOINT_FRACTION 0.25
// Of the largest speed: what is no faster is not limited, however that is rounded.
#define SLOW_FRACTION 0.9

// Of a giant batch: contacts and solver bodies in a chunk.
enum { CHUNK_CONTACTS = 256, CHUNK_BODIES = 512 };

typedef struct Solve {
    PhLayout *layout;
    const PhKernels *kernels;
    const PhContacts *contacts;
    PhContactSource source;
    const PhSolverBodies *bodies;
    const PhStepParameters *parameters;
    PhPass pass;
    double h, max_spin;
    double most_falling; // speed of a body that only falls; negative: none does
    int32_t substeps;    // of the batch, `stride` for each one of the world
    int32_t stride;
    PhSolveTrace *trace; // NULL: nothing is traced
    PhJobs *jobs; // the team that shares the batch at hand, NULL: one thread has it to itself
} Solve;

// One pass over solver bodies or wide contacts of a batch, in chunks of `grain`.
typedef struct Run {
    const Solve *solve;
    PhPassKind kind;
    const PhColor *color;
    uint32_t first, last, grain;
    uint32_t dynamic_first, dynamic_last; // of solver bodies: those of dynamic bodies
    uint32_t extras;                      // features that are in use
    bool damped, again, carried, stores;
    bool listed;       // ends of the batch, see impact_sweeps.h
    atomic_uint found; // flags of all chunks together
} Run;

static void run_solver_bodies(Run *run, PhJob *job) {
    const Solve *solve = run->solve;
    run->grain = solve->jobs ? CHUNK_BODIES : run->last - run->first;
    ph_jobs_run(solve->jobs, job, run, (run->last - run->first + run->grain - 1) / run->grain);
}

static void run_wide_contacts(Run *run, PhJob *job) {
    const Solve *solve = run->solve;
    uint32_t count = run->color->wide_count, lanes = solve->kernels->lanes;
    bool overflow = ph_color_overflows(run->color->number); // stays in order
    bool shared = solve->jobs && !overflow && count * lanes >= PH_SHARED_CONTACTS;
    run->first = run->color->first_wide;
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
    if (!(omega > 0)) {
        return (PhSoftness){0, 1, 0};
    }
    return (PhSoftness){narrow(omega / a1), narrow(a2 / (1 + a2)), narrow(1 / (1 + a2))};
}

// Substeps of a batch for each one of the world.
static int32_t stride_of(uint8_t substep_level) {
    return 1 << (substep_level > 1 ? substep_level - 1 : 0);
}

// Contacts cannot be stiffer than this fraction of the rate of substeps; in steps longer than usual
// than twice that, so that they are as stiff in steps of 1/30 s as in those of 1/60 s, and what
// lies stays where it is when dt changes.
#define STIFFEST_CONTACT 0.125
#define USUAL_RATE 60 // steps per second

// The number of substeps at which contacts have the frequency of the world. Islands with a level
// have it in proportion to their substeps, as level_for in adaptive_substeps.c counts on; but no
// less than their doublings make of it.
#define PLAIN_SUBSTEPS 8

double ph_contact_hertz(const PhStepParameters *parameters, uint8_t substep_level) {
    double stride = stride_of(substep_level), substeps = stride * ph_base_substeps(parameters);
    double times = substeps / PLAIN_SUBSTEPS, hertz = parameters->contact_hertz;
    hertz *= substep_level > 0 && times > stride ? times : stride;
    double stiffest = STIFFEST_CONTACT * substeps / parameters->dt;
    double usual = STIFFEST_CONTACT * substeps * USUAL_RATE;
    return ph_min(hertz, ph_max(stiffest, ph_min(usual, 2 * stiffest)));
}

static PhContactSource source_of(const PhSolverManifold *manifolds, const PhPairList *pairs,
                                 uint8_t substep_level, bool aging) {
    return (PhContactSource){.manifolds = manifolds,
                             .records = pairs->record,
                             .flags = pairs->flags,
                             .share = 1.0f / (float)stride_of(substep_level),
                             .aging = aging};
}

static Solve make_solve(PhLayout *layout, const PhKernels *kernels, const PhContacts *contacts,
                        const PhPairList *pairs, const PhSolverBodies *bodies,
                        const PhStepParameters *parameters, uint8_t substep_level) {
    int32_t stride = stride_of(substep_level);
    int32_t substeps = stride * (parameters->substeps < 1 ? 1 : parameters->substeps);
    double h = parameters->dt / substeps, hertz = ph_contact_hertz(parameters, substep_level);
    double stiffest_joint = MAX_JOINT_FRACTION / h;
    double joint_hertz = parameters->joint_hertz;
    joint_hertz = joint_hertz < stiffest_joint ? joint_hertz : stiffest_joint;
    double zeta = parameters->contact_damping_ratio;
    PhContactSource source = source_of(contacts->manifold, pairs, substep_level, parameters->aging);
    source.lengthened = narrow(parameters->lengthened);
    source.threshold = narrow(parameters->restitution_threshold);
    source.lengths = parameters->lengths;
    source.approach = contacts->approach;
    source.later = contacts->later;
    return (Solve){
        .layout = layout,
        .kernels = kernels,
        .contacts = contacts,
        .source = source,
        .bodies = bodies,
        .parameters = parameters,
        .pass = {.solver_bodies = layout->arrays->solver_bodies,
                 .h = narrow(h),
                 .inv_h = narrow(1 / h),
                 .half_step = narrow(0.5 * (parameters->dt - h)),
                 .push_speed = narrow(parameters->contact_push_speed),
                 .restitution_threshold = narrow(parameters->restitution_threshold),
                 .lengths = parameters->lengths,
                 .soft = {make_soft(hertz, zeta, h), make_soft(2 * hertz, zeta, h)},
                 .joint_soft = make_soft(joint_hertz, parameters->joint_damping_ratio, h)},
        .h = h,
        .max_spin = ph_min(PH_PI / h, parameters->max_angular_speed),
        .most_falling = parameters->linear_damping == 0 && parameters->angular_damping == 0
                            ? SLOW_FRACTION * parameters->max_speed
                            : -1,
        .substeps = substeps,
        .stride = stride,
    };
}

// A solver body to be loaded.
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
    if (bodies->role[slot] != PH_ROLE_DYNAMIC) {
        return false;
    }
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
    if (limited) {
        bodies->limited[slot] = solve->parameters->step_count + 1;
    }
    double linear = bodies->linear_damping[slot] + solve->parameters->linear_damping;
    double angular = bodies->angular_damping[slot] + solve->parameters->angular_damping;
    if (linear == 0 && angular == 0) {
        return false;
    }
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
    double limit = solve->most_falling;
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

// Fills solver bodies from the state, whatever they are of. Whether a body is damped.
static bool load_any(const Solve *solve, uint32_t first, uint32_t last) {
    const uint32_t *solver_body_slot = solve->layout->arrays->solver_body_slot;
    const PhSolverBodyArrays *solver_bodies = &solve->layout->arrays->solver_bodies;
    bool damped = false;
    for (uint32_t r = first; r < last; r++) {
        Start start = {solver_bodies->velocity[r], solver_bodies->drive[r],
                       solver_bodies->damping[r]};
        set_quad(solver_bodies->delta[r], 0, 0, 0, 0); // `before` is written before it is read
        solver_bodies->turned[r] = 0;
        if (solver_body_slot[r] == PH_NULL) {
            set_quad(start.velocity, 0, 0, 0, 0);
            set_quad(start.drive, 0, 0, 0, 0);
            set_quad(start.damping, 1, 1, 1, 1);
        } else if (!start_falling(solve, solver_body_slot[r], start)) {
            damped |= start_body(solve, solver_body_slot[r], start);
        }
    }
    return damped;
}

static PhSolverBodyEnds ends_of(const Solve *solve) {
    const PhSolverBodies *bodies = solve->bodies;
    return (PhSolverBodyEnds){.solver_bodies = solve->layout->arrays->solver_bodies,
                              .slot = solve->layout->arrays->solver_body_slot,
                              .velocity = bodies->velocity,
                              .angular_velocity = bodies->angular_velocity,
                              .center = bodies->center,
                              .angle = bodies->angle,
                              .most_speed = 0.5 * solve->parameters->max_speed,
                              .most_spin = solve->max_spin};
}

// Dynamic solver bodies first .. last - 1 where all bodies fall alike: most of them by fours.
// Factors of damping are not read then.
static void load_falling(const Solve *solve, uint32_t first, uint32_t last) {
    PhVec2 gravity = solve->parameters->gravity;
    double ax = gravity.x + 0.0, gx = solve->h * ax, ay = gravity.y + 0.0, gy = solve->h * ay;
    // No body is within the limits where gravity alone is not.
    bool weak = fabs(ax) + fabs(ay) <= PH_MAX_ACCELERATION;
    PhSolverBodyEnds ends = ends_of(solve);
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

static uint32_t clamp_index(uint32_t solver_body, uint32_t first, uint32_t last) {
    return solver_body < first ? first : solver_body < last ? solver_body : last;
}

// Fills solver bodies of a batch; found: whether a body is damped.
static void load_solver_bodies(void *context, uint32_t chunk) {
    Run *run = context;
    const Solve *solve = run->solve;
    uint32_t first = chunk_first(run, chunk), last = chunk_last(run, chunk);
    bool alike = solve->bodies->fall_alike;
    uint32_t from = alike ? clamp_index(run->dynamic_first, first, last) : last;
    uint32_t to = alike ? clamp_index(run->dynamic_last, first, last) : last;
    load_falling(solve, from, to);
    bool damped = load_any(solve, first, from) | load_any(solve, to, last);
    if (damped) {
        atomic_store_explicit(&run->found, 1, memory_order_relaxed);
    }
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
        uint32_t slot = arrays->solver_body_slot[r];
        const float *velocity = arrays->solver_bodies.velocity[r],
                    *delta = arrays->solver_bodies.delta[r];
        PhVec2 v = {(double)velocity[0], (double)velocity[1]};
        double w = ph_clamp_abs((double)velocity[2], solve->max_spin);
        bool limited = w != (double)velocity[2];
        if (!is_within(FARTHEST, delta[0]) || !is_within(FARTHEST, delta[1]) ||
            !is_within(FARTHEST, arrays->solver_bodies.turned[r]) ||
            !is_within(FLT_MAX, velocity[0] + velocity[1] + velocity[2])) {
            bodies->limited[slot] = solve->parameters->step_count + 1;
            continue;
        }
        v = ph_limit_speed(v, solve->parameters->max_speed, &limited);
        bodies->velocity[slot][0] = v.x;
        bodies->velocity[slot][1] = v.y;
        bodies->angular_velocity[slot] = w;
        if (limited) {
            bodies->limited[slot] = solve->parameters->step_count + 1;
        }
        bodies->center[slot][0] += (double)delta[0];
        bodies->center[slot][1] += (double)delta[1];
        bodies->angle[slot] += (double)arrays->solver_bodies.turned[r];
    }
}

// Dynamic solver bodies back to the state.
static void store_solver_bodies(void *context, uint32_t chunk) {
    Run *run = context;
    const Solve *solve = run->solve;
    const PhSolverBodyEnds ends = ends_of(solve);
    for (uint32_t r = chunk_first(run, chunk), last = chunk_last(run, chunk); r < last;) {
        uint32_t left = solve->kernels->store_bodies(&ends, r, last);
        r = last - left < 4 ? last : left + 4;
        store_any(solve, left, r);
    }
}

// Wide contacts of a color from `first` on, with the kernels for them.
typedef struct Part {
    const PhKernels *kernels;
    PhWideParts wide_contacts;
    PhHeads heads;
} Part;

static Part part_behind(Part part, uint32_t count) {
    const PhKernels *kernels = part.kernels;
    PhWideParts *parts = &part.wide_contacts;
    parts->wide_contacts = (char *)parts->wide_contacts + (size_t)count * kernels->wide_size;
    parts->rests = (char *)parts->rests + (size_t)count * kernels->rest_size;
    parts->extras = (char *)parts->extras + (size_t)count * kernels->extra_size;
    parts->met += count;
    parts->acts += count;
    parts->moments += (size_t)count * 2 * kernels->lanes;
    parts->used += count;
    part.heads.pair += (size_t)count * kernels->lanes;
    part.heads.ends += (size_t)count * kernels->lanes;
    return part;
}

static Part part_of(const PhLayout *layout, const PhColor *color, uint32_t first) {
    const PhWideContacts *wide_contacts =
        &layout->arrays->wide_contacts[ph_color_overflows(color->number)];
    Part all = {.kernels = ph_kernels_of(layout->arrays->kernels, color->number),
                .wide_contacts = wide_contacts->parts,
                .heads = wide_contacts->heads};
    return part_behind(all, first);
}

// Manifolds, masses and carried impulses into the wide contacts; found: the features in use.
static void prepare_wide_contacts(void *context, uint32_t chunk) {
    Run *run = context;
    uint32_t first = chunk_first(run, chunk), count = chunk_last(run, chunk) - first;
    Part part = part_of(run->solve->layout, run->color, first);
    uint32_t features = part.kernels->prepare[run->color->fixed](
        &run->solve->source, part.heads, part.wide_contacts, count, run->carried);
    if (features) {
        atomic_fetch_or_explicit(&run->found, features, memory_order_relaxed);
    }
}

static void prepare_extras(void *context, uint32_t chunk) {
    Run *run = context;
    uint32_t first = chunk_first(run, chunk), count = chunk_last(run, chunk) - first;
    Part part = part_of(run->solve->layout, run->color, first);
    part.kernels->prepare_extra(&run->solve->source, part.heads.pair, part.wide_contacts, count,
                                run->extras, run->carried);
}

// Which contacts touch, and, unless the records stay behind, what the wide contacts know.
static void finish_wide_contacts(void *context, uint32_t chunk) {
    Run *run = context;
    uint32_t first = chunk_first(run, chunk), count = chunk_last(run, chunk) - first;
    Part part = part_of(run->solve->layout, run->color, first);
    part.kernels->flag_touching(&run->solve->source, part.heads.pair, part.wide_contacts, count);
    if (!run->extras) {
        part.wide_contacts.extras = NULL;
    }
    if (run->stores) {
        part.kernels->store(&run->solve->source, part.heads.pair, part.wide_contacts, count);
    }
}

static void pass_wide_contacts(void *context, uint32_t chunk) {
    Run *run = context;
    uint32_t first = chunk_first(run, chunk), count = chunk_last(run, chunk) - first;
    Part part = part_of(run->solve->layout, run->color, first);
    part.kernels->pass[run->kind][run->color->fixed](&run->solve->pass, part.wide_contacts, count);
}

// The first number from one on that is used, or one of the last seven, or the count.
static uint32_t skip_unused(const uint8_t *used, uint32_t first, uint32_t count) {
    uint64_t eight = 0;
    while (!eight && count - first >= sizeof eight) {
        memcpy(&eight, used + first, sizeof eight);
        first += eight ? 0 : (uint32_t)sizeof eight;
    }
    return first;
}

// The same in batches with features that few of their wide contacts use: others are passed without
// them, where there are some in a row.
static void pass_by_use(void *context, uint32_t chunk) {
    Run *run = context;
    uint32_t first = chunk_first(run, chunk), count = chunk_last(run, chunk) - first, end;
    Part part = part_of(run->solve->layout, run->color, first);
    for (; count; part = part_behind(part, end), count -= end) {
        const uint8_t *used = part.wide_contacts.used;
        bool extra = used[0] || (count > 1 && used[1]);
        for (end = extra ? 1 : skip_unused(used, 1, count); end < count; end++) {
            bool next = used[end] || (end + 1 < count && used[end + 1]);
            if (extra ? !next : used[end]) {
                break;
            }
        }
        if (extra || run->kind == PH_RELAX_EXTRA) {
            part.kernels->pass[extra ? run->kind : PH_RELAX][run->color->fixed](
                &run->solve->pass, part.wide_contacts, end);
        }
    }
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

static void integrate_separated(void *context, uint32_t chunk) {
    Run *run = context;
    run->solve->kernels->integrate_separated(&run->solve->pass, chunk_first(run, chunk),
                                             chunk_last(run, chunk));
}

static void each_color(Run *run, const PhIslandBatch *batch, PhJob *job) {
    const PhColor *colors = run->solve->layout->arrays->colors + batch->first_color;
    for (uint32_t i = 0; i < batch->color_count; i++) {
        run->color = &colors[i];
        run_wide_contacts(run, job);
    }
}

// Wide contacts that are new lie in memory that the system hands over slowly: the step may be
// stopped between colors. Returns whether it was; then the rest of them is not filled.
static bool prepare_colors(Run *run, const PhIslandBatch *batch, PhJob *job) {
    const PhStop *stop = run->solve->parameters->stop;
    const PhColor *colors = run->solve->layout->arrays->colors + batch->first_color;
    PhStatus status = PH_OK;
    for (uint32_t i = 0; !status && i < batch->color_count; i++) {
        run->color = &colors[i];
        run_wide_contacts(run, job);
        status = ph_stop_between(stop, colors[i].wide_count);
    }
    return status != PH_OK;
}

// The i-th color of a batch in this step.
static const PhColor *color_in_turn(const Solve *solve, const PhIslandBatch *batch, uint32_t i) {
    bool backwards = solve->parameters->step_count & 1;
    return &solve->layout->arrays
                ->colors[batch->first_color + (backwards ? batch->color_count - 1 - i : i)];
}

// One pass over all colors.
static void run_colors(const Solve *solve, const PhIslandBatch *batch, PhPassKind kind) {
    Run run = {.solve = solve, .kind = kind};
    bool by_use = kind == PH_RELAX_EXTRA && solve->pass.seldom;
    PhJob *job = by_use ? pass_by_use : pass_wide_contacts;
    for (uint32_t i = 0; i < batch->color_count; i++) {
        run.color = color_in_turn(solve, batch, i);
        run_wide_contacts(&run, job);
    }
}

#include "solve/soft_step_impacts_source.h"

#include "solve/soft_step_energy_source.h"
#include "solve/soft_step_iterative_source.h"
#include "solve/soft_step_trace_source.h"

// ------------------------------------------------------------------------------------------------
// solve

// What acts in a batch.
typedef struct Plan {
    const Solve *solve;
    const PhJointRun *joints;
    PhPass *pass; // of solve
    PhPassKind relax;
    bool bounces, surface, extra, iterative, works;
    bool separates; // deep overlaps, by pseudo-velocities
    bool passive;   // what acts does no work of itself
} Plan;

// A biased solve or a relaxation of all contacts, behind that of the joints.
static void pass_contacts(const Plan *plan, const PhIslandBatch *batch, bool biased,
                          bool effective_inertia) {
    const Solve *solve = plan->solve;
    if (!batch->articulated) {
        PhPassKind soft = plan->separates ? PH_SOLVE_DEEP : PH_SOLVE;
        run_colors(solve, batch, biased ? soft : plan->relax);
        if (effective_inertia) {
            ph_joints_weigh(plan->joints, batch);
        }
    } else if (biased) {
        ph_articulated_solve(plan->joints, batch, &solve->pass, plan->extra);
    } else {
        ph_articulated_relax(plan->joints, batch, &solve->pass, plan->extra);
    }
}

// What springs give first counts as gained by the bodies for all of them.
static void apply_springs(const Plan *plan, const PhIslandBatch *batch) {
    const Solve *solve = plan->solve;
    if (batch->spring_count) {
        run_iterative(solve, batch, solve->kernels->iterative_force);
    }
    if (plan->works) {
        ph_joints_force(plan->joints, batch);
    }
    if (batch->spring_count) {
        run_iterative(solve, batch, solve->kernels->iterative_rest);
    }
    if (plan->works) {
        ph_joints_rest(plan->joints, batch);
    }
    if (batch->spring_count) {
        ph_iterative_restore_drives(plan->joints, batch);
    }
}

static void solve_substep(const Plan *plan, const PhIslandBatch *batch, Run *moves) {
    const Solve *solve = plan->solve;
    // Articulated contacts warm start by themselves, so nothing is given again with theirs.
    bool effective_inertia = false, first = !moves->again && !batch->articulated;
    moves->again &= !batch->articulated;
    if (plan->works) {
        effective_inertia = ph_joints_stiffen(plan->joints, batch);
    }
    if (batch->spring_count) {
        run_iterative(solve, batch, solve->kernels->iterative_note);
    }
    if (solve->pass.jammed) {
        run_colors(solve, batch, PH_BEGIN_ANEW);
    }
    run_solver_bodies(moves, integrate_velocities);
    double most_energy = plan->passive ? kinetic_energy(solve, batch) : 0;
    if (first) {
        run_colors(solve, batch, plan->surface ? PH_WARM_START_SURFACE : PH_WARM_START);
    }
    if (plan->iterative && !moves->again) {
        run_iterative(solve, batch, solve->kernels->iterative_warm_start);
    }
    if (effective_inertia && first) {
        ph_joints_weigh(plan->joints, batch);
    }
    if (plan->bounces && batch->articulated) {
        ph_articulated_bounces(plan->joints, batch, &solve->pass);
    }
    apply_springs(plan, batch);
    if (plan->iterative) {
        run_iterative(solve, batch, solve->kernels->iterative_solve);
    }
    if (plan->works) { // trees have the last word
        effective_inertia = ph_joints_solve(plan->joints, batch);
    }
    if (plan->bounces && !batch->articulated) {
        plan->pass->stirred = run_impacts(solve, batch, &moves->listed);
    }
    pass_contacts(plan, batch, true, effective_inertia);
    if (plan->separates) {
        run_colors(solve, batch, PH_SEPARATE);
    }
    run_solver_bodies(moves, plan->separates ? integrate_separated : integrate_positions);
    if (plan->works) {
        ph_joints_gain(plan->joints, batch);
    }
    if (batch->spring_count) {
        run_iterative(solve, batch, solve->kernels->iterative_gain);
        run_iterative(solve, batch, solve->kernels->iterative_damp);
    }
    if (plan->iterative) {
        run_iterative(solve, batch, solve->kernels->iterative_relax);
    }
    if (plan->works) {
        effective_inertia = ph_joints_relax(plan->joints, batch);
    }
    pass_contacts(plan, batch, false, effective_inertia);
    if (plan->passive) {
        limit_energy(solve, batch, most_energy);
    }
}

#include "solve/soft_step_separation_source.h"

static void solve_batch(const Solve *of_all, PhIslandBatch *batch) {
    uint32_t first = batch->first_solver_body, last = first + ph_batch_solver_bodies(batch);
    Solve own = *of_all, *solve = &own;
    own.pass.solver_bodies = ph_solver_bodies_from(own.pass.solver_bodies, first);
    const PhLayout *layout = solve->layout;
    batch->carried = batch->carried && !layout->joined;
    Run wide_contacts = {.solve = solve, .carried = batch->carried};
    Run solver_bodies = {.solve = solve, .first = first, .last = last};
    Run moves = {.solve = solve, .first = 0, .last = last - first};
    Run bodies = {.solve = solve, .first = first + 1, .last = first + 1 + batch->body_count};
    solver_bodies.dynamic_first = bodies.first;
    solver_bodies.dynamic_last = bodies.last;
    own.source.free = batch->free;
    if (prepare_colors(&wide_contacts, batch, prepare_wide_contacts)) {
        return; // and the world is put back to where the step began
    }
    bool separates = wide_contacts.found & PH_FEATURE_DEEP && !batch->articulated;
    bool rolls = wide_contacts.found & PH_FEATURE_ROLLS && !batch->free;
    wide_contacts.found &= ~(unsigned)(PH_FEATURE_DEEP | PH_FEATURE_ROLLS);
    uint32_t features = wide_contacts.found | (batch->impacts ? PH_FEATURE_IMPACT : 0u) |
                        (batch->free ? PH_FEATURE_FREE : 0u);
    own.pass.free = batch->free;
    own.pass.extras = features != 0;
    own.pass.seldom = features == PH_FEATURE_IMPACT;
    const uint32_t impacts = PH_FEATURE_RESTITUTION | PH_FEATURE_IMPACT;
    bool surface = features & PH_FEATURE_SURFACE, bounces = features & impacts;
    own.source.passes_on = !is_stirrable(batch);
    const PhLaneLengths *limits = &own.pass.lengths->lane;
    own.source.passed_on = *(batch->impact_class > 0 ? limits->passed_on : limits->fast_impact);
    own.pass.bears = batch->jointed ? FLT_MAX : 0; // joints have the last word
    wide_contacts.extras = features;
    if (features && prepare_colors(&wide_contacts, batch, prepare_extras)) {
        return;
    }
    run_solver_bodies(&solver_bodies, load_solver_bodies);
    moves.damped = solver_bodies.found;
    PhPassKind relax = batch->free ? PH_RELAX_FREE : features ? PH_RELAX_EXTRA : PH_RELAX;
    if (rolls) {
        run_colors(solve, batch, PH_TO_MIDDLE);
    }
    if (solve->trace) {
        trace_constraints(solve, batch);
    }
    if (batch->free) {
        run_colors(solve, batch, PH_TURN_BACK);
    }
    PhJointRun joints = {solve->layout, solve->bodies, solve->parameters, solve->h,
                         solver_bodies.found};
    bool iterative = batch->iterative_count > 0,
         works = batch->joint_pack_count + batch->tree_count > 0;
    Plan plan = {solve,
                 &joints,
                 &own.pass,
                 relax,
                 bounces,
                 surface,
                 features != 0,
                 iterative,
                 works,
                 separates,
                 !surface && is_passive(solve, batch)};
    own.pass.separates = separates;
    own.pass.jammed = separates && start_pseudo_velocities(solve, batch);
    if (batch->articulated) {
        ph_articulated_begin(&joints, batch);
    }
    if (iterative) {
        load_iterative_bodies(solve, &joints, batch);
    }
    if (works) {
        ph_joints_load(&joints, batch);
    }
    if (iterative) {
        each_iterative(solve, &joints, batch, ph_iterative_prepare);
        ph_iterative_stiffen(&joints, batch);
    }
    // Trees that are alone have their substeps to themselves; here their solver bodies still stand
    // as loaded.
    bool others = batch->contact_count + batch->iterative_count + batch->jointed_count > 0;
    bool apart = others || solve->trace;
    if (apart) {
        ph_trees_run(&joints, batch, (PhTreeStretch){.first = true});
    }
    const PhStop *stop = solve->parameters->stop;
    for (int32_t k = 0; apart && k < solve->substeps && !ph_stop_wanted(stop); k++) {
        moves.again = k > 0;
        own.pass.first = k == 0;
        own.pass.last = k + 1 == solve->substeps;
        if (others) {
            solve_substep(&plan, batch, &moves);
        }
        if (!solve->trace || (k + 1) % solve->stride) {
            continue;
        }
        ph_trees_run(&joints, batch, (PhTreeStretch){.substeps = solve->stride, .watched = true});
        trace_substep(solve, batch, (k + 1) / solve->stride - 1);
    }
    ph_trees_run(&joints, batch,
                 (PhTreeStretch){solve->trace ? 0 : solve->substeps, !apart, true, false});
    if (works) {
        ph_joints_store(&joints, batch);
    }
    if (iterative) {
        each_iterative(solve, &joints, batch, ph_iterative_store);
    }
    run_solver_bodies(&bodies, store_solver_bodies);
    // What has lasted may last; and what the last step has built is not settled for the next one at
    // a price. What is traced or has extras is never left.
    bool jointed = batch->jointed_count + batch->iterative_count > 0;
    batch->behind = batch->carried && !features && !solve->trace && !layout->watch_substeps &&
                    !layout->fresh && !jointed; // ph_warm_starts_lower() reads theirs
    batch->carried = !features && !layout->joined;
    wide_contacts.stores = !batch->behind;
    each_color(&wide_contacts, batch, finish_wide_contacts);
    if (solve->trace) {
        trace_end(solve, batch, bounces);
    }
}

// Whether a batch is worth a team of its own.
static bool is_giant(const PhIslandBatch *batch) {
    return ph_batch_is_giant(batch->contact_count + batch->iterative_count);
}

static void solve_own_batch(void *context, uint32_t chunk) {
    const Solve *solve = context; // by substep level
    PhIslandBatch *batch = &solve->layout->arrays->batches[chunk];
    if (!is_giant(batch)) {
        solve_batch(&solve[batch->substep_level], batch);
    }
}

void ph_soft_step_solve(PhLayout *layout, const PhKernels *kernels, const PhContacts *contacts,
                        const PhPairList *pairs, const PhSolverBodies *bodies,
                        const PhStepParameters *parameters, PhJobs *jobs, PhSolveTrace *trace) {
    if (!layout->batch_count) {
        return;
    }
    Solve solve[PH_SUBSTEP_LEVELS];
    uint32_t made = 0; // substep levels, as bits; jobs find the layout in the first one
    for (uint32_t b = 0; b <= layout->batch_count; b++) {
        uint8_t substep_level = b > 0 ? layout->arrays->batches[b - 1].substep_level : 0;
        if (made >> substep_level & 1) {
            continue;
        }
        solve[substep_level] =
            make_solve(layout, kernels, contacts, pairs, bodies, parameters, substep_level);
        solve[substep_level].trace = trace;
        made |= 1u << substep_level;
    }
    find_impacts(layout, contacts, pairs, parameters);
    ph_towers_look(layout, contacts, bodies, parameters);
    ph_entangled_find(layout, contacts, bodies, parameters);
    jobs = trace ? NULL : jobs;
    ph_jobs_run(jobs, solve_own_batch, solve, layout->batch_count);
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        PhIslandBatch *batch = &layout->arrays->batches[b];
        if (is_giant(batch)) {
            Solve shared = solve[batch->substep_level];
            shared.jobs = jobs;
            solve_batch(&shared, batch);
        }
        layout->behind |= batch->behind;
    }
    layout->fresh = false;
}

void ph_soft_step_settle(PhLayout *layout, const PhPairList *pairs) {
    if (!layout->behind) {
        return;
    }
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        PhIslandBatch *batch = &layout->arrays->batches[b];
        PhContactSource source = source_of(NULL, pairs, batch->substep_level, false);
        const PhColor *colors = layout->arrays->colors + batch->first_color;
        for (uint32_t i = 0; batch->behind && i < batch->color_count; i++) {
            Part part = part_of(layout, &colors[i], colors[i].first_wide);
            part.wide_contacts.extras = NULL;
            part.kernels->store(&source, part.heads.pair, part.wide_contacts, colors[i].wide_count);
        }
        batch->behind = false;
    }
    layout->behind = false;
}

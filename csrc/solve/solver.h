// What the world hands to a solver and what it gets back.
//
// The world owns all arrays. A solver sees contacts in the order of the pair list (canonical),
// writes velocities, centres and angles of dynamic bodies, which contacts touch into the pair
// list's flags, and impulses into its records, at once or when they are asked for. Bodies without a
// contact are not touched: ph_integrate_free (float64) does them.
#ifndef PH_SOLVE_SOLVER_H
#define PH_SOLVE_SOLVER_H

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "base/jobs.h"
#include "base/status.h"
#include "broad/pairs.h"
#include "math/wrap.h"
#include "narrow/lane_kernels.h"
#include "solve/solve_trace.h"

typedef enum PhRole {
    PH_ROLE_NONE,  // dead, disabled or asleep: no contact in the list names it, except asleep ones
                   // as fixed
    PH_ROLE_FIXED, // static, or kinematic and at rest
    PH_ROLE_KINEMATIC, // moves as it likes: infinite mass, velocity given
    PH_ROLE_DYNAMIC,   // awake and dynamic
} PhRole;

typedef struct PhContacts {
    uint32_t count, capacity;
    uint32_t *pair;             // index into the pair list, ascending
    uint32_t *body_a, *body_b;  // slots; a is PH_ROLE_DYNAMIC
    PhSolverManifold *manifold; // by pair, not by contact
    const float *approach;      // by pair: speed; NULL: none comes as an impact
    float *later; // of such a pair: the time after which bodies are as its manifold shows
                  // them. Where it is not known how they come there, and where a joint
                  // holds one of them, it is ph_not_due() of that.
} PhContacts;

// No impact is to be expected at a time: it is negative then, but still tells when bodies are as
// the manifold shows them. Arms of that moment would change the angular momentum now.
static inline float ph_not_due(float later) {
    return later == 0 ? -FLT_MIN : -fabsf(later);
}

// The contact of a pair that has one: they are in the order of their pairs.
static inline uint32_t ph_contact_of(const PhContacts *contacts, uint32_t pair) {
    uint32_t first = 0, last = contacts->count;
    while (last - first > 1) {
        uint32_t middle = first + (last - first) / 2;
        *(contacts->pair[middle] <= pair ? &first : &last) = middle;
    }
    return first;
}

// Above the highest substep level: 1 + the doublings from 1 to 128 substeps.
enum { PH_SUBSTEP_LEVELS = 9 };

// How hard the island of a body worked last; see solve/adaptive_substeps.c.
typedef struct PhSubstepLevel {
    uint8_t level; // 0: plain; n > 0: the wide contact solver, and n - 1 doublings of the substeps
    uint8_t calm;  // steps in which less would have done
    uint8_t jointed; // steps left in which its island is solved by articulated_islands.c
    uint8_t pressed; // above 1: one more than the steps left in which loads of its contacts count
} PhSubstepLevel;

// Arrays by slot.
typedef struct PhSolverBodies {
    uint32_t count;
    const uint32_t *dynamic; // slots of PH_ROLE_DYNAMIC, ascending
    uint32_t dynamic_count;
    const uint8_t *role;    // PhRole
    const float (*mass)[4]; // {1/m, 1/I, 0, 0}; both 0 unless dynamic
    double (*center)[2];    // centre of mass, world
    double *angle;
    double (*velocity)[2]; // of the centre of mass
    double *angular_velocity;
    const double (*force)[2]; // N
    const double *torque;     // N m
    const double *gravity_scale, *linear_damping, *angular_damping;
    // Mass (kg) and inertia (kg m^2) in float64, for forces on bodies without contact and for
    // sequential impulses. NULL: mass[] is used, exact to float32.
    const double *exact_mass, *exact_inertia;
    double unturnable; // inertia over mass, of bodies that do not turn: see ph_unturnable
    PhSubstepLevel *substep_level; // soft_step; NULL: all islands are plain
    uint64_t *limited; // 1 + the step in which a limit of speed has last lowered the velocity
    // Every body that moves has a gravity scale of 1 and neither damping, force nor torque.
    bool fall_alike;
    const struct PhSolverJoints *joints; // NULL: none
    PhWrap wrap;                         // of the plane
} PhSolverBodies;

typedef struct PhStepParameters {
    const PhLengths *lengths;
    double dt;
    double lengthened; // this substep, divided by that of the last step: so impulses grow
    PhVec2 gravity;
    uint64_t step_count; // colours run backwards in odd steps
    int32_t substeps;
    double joint_hertz, joint_damping_ratio;
    double contact_hertz, contact_damping_ratio, contact_push_speed;
    double restitution_threshold;
    double max_speed, max_angular_speed;    // m/s, rad/s
    double linear_damping, angular_damping; // of all bodies, beside their own
    const PhStop *stop; // NULL, or the solver ends early with numbers that are good for nothing
    bool aging;         // soft_step, after a layout was built: records get the ages of this step
    // sequential_impulses only
    int32_t iterations;
    double baumgarte, slop, positional_correction;
    bool warm_starting, accumulate;
    bool translate; // response="translate": positions are moved apart directly, no impulses
} PhStepParameters;

typedef struct PhKernels PhKernels; // table of lane kernels, solve/kernels.h

// Name of the k-th instruction set of this machine ("scalar", then "sse2", "avx2", "avx512vl",
// "neon" or "simd128"), best last; NULL after that.
const char *ph_simd_available(uint32_t k);
const PhKernels *ph_simd_find(const char *name); // NULL when unknown or not on this CPU
// The best one, or the one that PYPHYS2D_SIMD names. *bad receives that value (else NULL) when it
// is unknown or missing.
const PhKernels *ph_simd_default(const char **bad);
const char *ph_simd_name(const PhKernels *kernels);
const PhManifoldKernels *ph_simd_manifolds(const PhKernels *kernels); // of the same width

// Islands, batches, rows, colours and wide contacts for a set of contacts. Valid until the set of
// contacts (their pairs) or a role changes; built again then, as a function of the contacts alone,
// but for where in memory wide contacts lie.
typedef struct PhLayout {
    // Root slot of the island of every PH_ROLE_DYNAMIC slot (itself when alone), PH_NULL for
    // others. The root is the lowest slot of the island.
    uint32_t *island;
    uint8_t *in_contact; // 1 when a dynamic slot has a contact or a joint (and so a solver row)
    bool watch_substeps; // an island has, or may come to have, a substep level
    bool behind;         // records of contacts are: ph_soft_step_settle
    bool fresh;          // built since the last solve
    double substep;      // that trees of joints were sorted for, s
    bool joined;         // impulses of the next solve are in the records alone
    uint32_t island_count, batch_count, color_count, wide_count,
        solver_body_count;         // for world.counters
    struct PhLayoutArrays *arrays; // private to solve/
} PhLayout;

void ph_layout_init(PhLayout *layout);
void ph_layout_free(PhLayout *layout);
// Makes *to, which owns nothing, a copy that can be solved in its place. Untouched on failure.
PhStatus ph_layout_copy(PhLayout *to, const PhLayout *from, const PhStop *stop);
// Transactional in the sense that a failure leaves the layout unusable but the world's state
// untouched; the caller builds it again before the next solve. Reserves everything that
// ph_soft_step_solve needs, so that the solve cannot fail. Where few contacts have come or gone
// since the last build, islands and batches without a change stay as they are, with the impulses in
// their wide contacts. Where something else has changed, none may stay; substep levels leave what
// is known of joints as it is.
typedef enum PhLayoutChange {
    PH_CONTACTS_CHANGED,
    PH_LEVELS_CHANGED,
    PH_ALL_CHANGED
} PhLayoutChange;
PhStatus ph_layout_build(PhLayout *layout, const PhKernels *kernels, const PhContacts *contacts,
                         const PhPairList *pairs, const PhSolverBodies *bodies,
                         const PhStepParameters *parameters, PhLayoutChange change);

// Whether the island of that root is in contact with a kinematic body that moves.
bool ph_layout_is_driven(const PhLayout *layout, uint32_t root);
bool ph_layout_is_motored(const PhLayout *layout, uint32_t root);
// Whether the island of a dynamic slot has a contact with what is fixed, or a joint.
bool ph_layout_is_held(const PhLayout *layout, uint32_t slot);
// The most substeps that an island has, by its substep level.
uint32_t ph_layout_most_substeps(const PhLayout *layout, int32_t substeps);

// With n from a to b and t = (ny, -nx), impulses in records are those on b: normal along n, tangent
// along t, rolling counter-clockwise; a bounce counts in the totals only. `age` is left alone,
// unless parameters->aging: then it is one more where the contact touches, else 0. One step of all
// contacts by soft_step. Reads records[pair].{nx, ny, impulses} for the warm start (zero impulses
// for new ones), writes the new impulses, totals and normal, and PH_PAIR_TOUCHING for those that
// do. Where a layout lasts, impulses stay in its wide contacts from step to step: the records are
// behind then. Never fails, never allocates. A team (NULL: the caller alone) changes no bit. A
// trace (NULL: none; the caller alone) receives the constraints, then one frame per substep and one
// of the restitution, of the bodies in contact.
void ph_soft_step_solve(PhLayout *layout, const PhKernels *kernels, const PhContacts *contacts,
                        const PhPairList *pairs, const PhSolverBodies *bodies,
                        const PhStepParameters *parameters, PhJobs *jobs, PhSolveTrace *trace);
// Brings the records up to date; needed before the layout is built again or they are read. Changes
// nothing else.
void ph_soft_step_settle(PhLayout *layout, const PhPairList *pairs);

// After a solve by soft_step: what each island shall do in the next step, written to
// bodies->substep level. Whether the layout must be built again for it.
bool ph_substeps_update(const PhLayout *layout, const PhContacts *contacts,
                        const PhContactRecord *records, const PhSolverBodies *bodies,
                        const PhStepParameters *parameters);

// After a step, and after ph_substeps_update(): an impact is no load for contacts of jointed bodies
// to begin the next step with.
void ph_warm_starts_lower(PhLayout *layout, const PhContacts *contacts, PhContactRecord *records,
                          const PhSolverBodies *bodies, const PhStepParameters *parameters);

// Before a step with the layout of the one before, whether it must be built again: an impact will
// meet a body that a joint holds; forces on bodies will press an island that did not expect it.
bool ph_impact_predict(const PhLayout *layout, const PhContacts *contacts,
                       const PhContactRecord *records, const PhSolverBodies *bodies,
                       const PhStepParameters *parameters);
bool ph_substep_level_predict(const PhLayout *layout, const PhContacts *contacts,
                              const PhSolverBodies *bodies, const PhStepParameters *parameters);

// The tutorial's method, in contact order and float64, one substep: short and readable. Same
// contract; the trace receives one frame per iteration, without positions: bodies move afterwards.
void ph_sequential_impulses_solve(const PhLayout *layout, const PhContacts *contacts,
                                  const PhPairList *pairs, const PhSolverBodies *bodies,
                                  const PhStepParameters *parameters, PhSolveTrace *trace);

// Semi-implicit Euler with h = dt / substeps (one substep for sequential impulses) of the dynamic
// bodies without contact, in float64: v += h a, v *= 1 / (1 + h damping), x += h v. A trace (NULL:
// none) receives their motion in one frame per substep and one more of its end.
void ph_integrate_free(const PhLayout *layout, const PhKernels *kernels,
                       const PhSolverBodies *bodies, const PhStepParameters *parameters,
                       int32_t substeps, PhSolveTrace *trace);

#endif

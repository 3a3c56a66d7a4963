// The table of lane kernels of soft_step, one per width, and the memory that they share with the
// layout.
//
// A *solver body* is a body in a batch: six float quads at one index in six arrays. A *wide
// contact* is PH_LANES contacts of one color; only kernels_source.h knows its contents. Its
// *heads*, in arrays of their own, are what the layout knows of it. They change with the contacts,
// and a step reads them once. Kernels of index [1] are for contacts whose body b has infinite mass:
// they read b and never write it.
#ifndef PH_SOLVE_KERNELS_H
#define PH_SOLVE_KERNELS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "math/simd_targets.h"
#include "solve/joint_records.h"
#include "solve/solver.h"

typedef struct PhSolverBodyArrays {
    float (*velocity)[4]; // vx, vy, w; the fourth is not used
    float (*before)[4];   // the same before the contacts of this substep; the fourth is positive if
                          // an impact has moved the body since
    float (*delta)[4];    // pose less pose at the start of the step: dx, dy, cos - 1, sin
    float (*drive)[4];    // velocity gained in a substep from gravity, force and torque
    float (*damping)[4];  // factors 1 / (1 + h d)
    // Pseudo-velocity: moves a body in this substep and is forgotten then. The fourth is 1 for
    // bodies that may have one, 0 for others, and -1 for what joints hold in entangled islands. In
    // batches with deep overlaps.
    float (*pseudo)[4];
    float *turned; // angle since the start of the step
} PhSolverBodyArrays;

// Coefficients of a soft constraint (E. Catto, "Soft Constraints", GDC 2011): a spring and a
// damper, by implicit Euler.
typedef struct PhSoftness {
    float bias_rate, mass_scale, impulse_scale;
} PhSoftness;

typedef struct PhPass {
    PhSolverBodyArrays solver_bodies; // of the batch
    float h, inv_h;
    float half_step;
    bool first, last;            // this is the first, or the last, substep of the step
    float push_speed;            // the largest speed at which overlaps are pushed apart
    float restitution_threshold; // approach speed that does not bounce
    const PhLengths *lengths;
    atomic_bool *met; // set by an impact
    bool again;       // of impacts: not the first sweep of the substep
    bool stirred; // so many contacts had impacts in this substep that no contact waits for another
    bool free;    // nothing holds the batch: arms move with its bodies
    bool extras;  // the batch has them
    bool seldom;  // few wide contacts of the batch use extras
    bool jammed;  // an island of the batch is entangled
    bool separates; // deep overlaps are separated by pseudo-velocities
    float bears;    // sum of impulses above which an open contact keeps them in the last relaxation
    PhSoftness soft[2];    // both dynamic, b fixed
    PhSoftness joint_soft; // of iterative joints
} PhPass;

typedef struct PhContactSource { // by pair
    const PhSolverManifold *manifolds;
    PhContactRecord *records;
    uint8_t *flags; // PH_PAIR_*
    // The impulses of a substep of the batch, divided by those of a substep of the world, as
    // records keep them: a power of two.
    float share;
    float lengthened;              // substep of this step, divided by that of the last one
    float threshold;               // restitution_threshold
    const PhLengths *lengths;      // NULL: nothing is prepared from it
    const float *approach, *later; // by contact; approach NULL: no contact is fast
    bool free;                     // nothing holds the batch
    bool passes_on;                // impacts go on through what touches
    float passed_on;               // as long as they are faster than this
    bool aging; // when stored, contacts that touch become a step older, others begin anew
} PhContactSource;

enum {
    PH_FEATURE_RESTITUTION = 1,
    PH_FEATURE_SURFACE = 2, // rolling resistance or tangent speed
    PH_FEATURE_IMPACT = 4,  // a contact is fast
    PH_FEATURE_FREE = 8,    // nothing holds the batch
    PH_FEATURE_DEEP = 16,   // an overlap is deep
    PH_FEATURE_ROLLS = 32,  // a contact may roll or tip
};

// What the lanes of a contact need of a body.
typedef struct PhMember {
    uint32_t
        solver_body; // byte offset from the first solver body of the batch: 16 x their distance
    uint32_t batch;
    float mass, inertia; // inverse; 0 for fixed bodies
} PhMember;
typedef struct PhEnds { // of a contact
    PhMember a, b;
} PhEnds;

// Indexed by lane, without gaps between wide contacts. Lanes without a contact come last in a wide
// contact; their pairs are PH_NULL and their masses 0.
typedef struct PhHeads {
    uint32_t *pair;
    PhEnds *ends;
} PhHeads;

// Wide contacts of a color in three parts: what a biased solve reads, what the other passes need in
// addition, and what few contacts have. met: for each wide contact, as bits, the lanes in which the
// last PH_IMPACT or PH_FIND_IMPACT found an impact; moments: when that is in each lane, s from the
// start of the substep, and then since when an earlier one is of the same moment; acts: the lanes
// to which PH_GIVE_IMPACT gives. used: for each, whether its extras have any effect; if not, a pass
// without them gives the same result.
typedef struct PhWideParts {
    void *wide_contacts, *rests, *extras;
    uint8_t *met, *acts, *used;
    float *moments;
} PhWideParts;

typedef void PhWideKernel(const PhPass *pass, PhWideParts parts, uint32_t count);

typedef enum PhPassKind {
    PH_WARM_START,
    PH_WARM_START_SURFACE,
    PH_SOLVE,       // soft, normal only
    PH_SOLVE_DEEP,  // the same, but deep overlaps are left to the next one
    PH_SEPARATE,    // of deep overlaps: pseudo-velocities
    PH_BEGIN_ANEW,  // before a substep: contacts in entangled islands have no warm start
    PH_RELAX,       // hard normal, then friction; adds to the totals
    PH_RELAX_EXTRA, // in batches with features: moving surfaces, rolling resistance, restitution
    PH_IMPACT,      // impacts: a fast contact bounces, or is stopped, at the moment of the impact
    PH_FIND_IMPACT, // the same in three parts, for impacts at the same moment: nothing is given yet
    PH_GIVE_IMPACT, // gives what has been found, less what others have done to it since
    PH_LEAVE_IMPACT, // in free batches: arms go on from the impact
    PH_RELAX_FREE,   // in free batches: arms move with the bodies
    PH_LOOK_AGAIN,   // after impacts: gaps at the present poses
    PH_TURN_BACK,    // before the first substep, in such batches: arms at the poses of the start
    PH_TO_MIDDLE,    // before the first substep, in others: contacts that roll or tip as they
                     // will be in the middle of the step
    PH_PASS_KINDS,
} PhPassKind;

// Kinds of iterative joints, and the words of each in its pack: PH_LANES of the first field, then
// of the next one.
enum { PH_ITERATIVE_REVOLUTE, PH_ITERATIVE_DISTANCE, PH_ITERATIVE_SPRING, PH_ITERATIVE_KINDS };
enum {
    PH_ITERATIVE_REVOLUTE_FIELDS = 18,
    PH_ITERATIVE_DISTANCE_FIELDS = 23,
    PH_ITERATIVE_SPRING_FIELDS = 33
};
typedef void PhIterativeKernel(const PhPass *pass, void *joints, uint32_t count);

// Trees of joints: words of a body and of an angle in their pack.
enum { PH_TREE_BODY_FIELDS = 58, PH_TREE_ANGLE_FIELDS = 25 };
// With lanes across the bodies: additional words of a body in an octet, and bodies of an octet.
enum { PH_TREE_ACROSS_FIELDS = 25, PH_TREE_OCTET = 8 };
typedef enum PhTreePassKind {
    PH_TREE_START, // of the step
    PH_TREE_RUN,   // substeps of isolated trees
    PH_TREE_SOLVE, // a pass over other trees
    PH_TREE_RELAX,
    PH_TREE_END,
} PhTreePassKind;
typedef struct PhTreePass {
    PhTreePassKind kind;
    PhSolverBodyArrays solver_bodies; // of the batch
    PhJointMass *masses;              // of its solver bodies
    float h, inv_h, most_speed, most_spin;
    float share; // the share of what a substep gains that oscillating bodies get at the start or
                 // the end
    int32_t substeps; // of a run
    bool watched;     // solver bodies are inspected after it
} PhTreePass;
typedef struct PhTreePack {
    const uint32_t *parent; // by body, PH_NULL for none; parents come before children
    const uint8_t *flags;   // by body
    const uint32_t
        *solver_bodies;  // by body and lane: bytes from the first solver body of the batch
    const double *scale; // by lane: 1 kg in the unit of mass of the tree
    const float *mass;   // by body: masses of all lanes, then inertias
    void *tree_joints;   // PhTreeJoints of each body
    float *data;
    uint32_t body_count, count;
    bool axes, sprung, joints_only, isolated, damped;
    bool gains; // nothing but such packs acts on the bodies of the batch before it relaxes
} PhTreePack;
typedef void PhTreeKernel(const PhTreePass *pass, const PhTreePack *pack);
// What packs read at the start of a step, and where they store the result; by slot, by joint.
typedef struct PhTreeWorld {
    const PhTransform *transform;
    const double (*center)[2];
    double *effective_inertia;
    PhJointResult *result;
    double h, dt;
    PhWrap wrap;
} PhTreeWorld;
typedef void PhTreeWorldKernel(const PhTreeWorld *world, const PhTreePack *pack);

// Dynamic bodies and their solver bodies at the start and the end of a step.
typedef struct PhSolverBodyEnds {
    PhSolverBodyArrays solver_bodies;                               // of all batches
    const uint32_t *slot;                                           // by solver body
    double (*velocity)[2], *angular_velocity, (*center)[2], *angle; // by slot
    // A body is plain if it is slower than this, at the start and after it has gained what all
    // gain.
    double most_speed, most_spin;
    PhVec2 gain;
    float drive[2]; // gained by all in a substep
} PhSolverBodyEnds;
typedef uint32_t PhSolverBodyEndKernel(const PhSolverBodyEnds *ends, uint32_t first, uint32_t last);

// Bodies without contacts that are in free fall, by slot.
typedef struct PhFreeFall {
    double (*velocity)[2], *angular_velocity, (*center)[2], *angle;
    double h, most_speed, most_spin; // as in PhSolverBodyEnds
    PhVec2 gain;                     // velocity gained in a substep
    int32_t substeps;
} PhFreeFall;
typedef uint32_t PhFreeFallKernel(const PhFreeFall *fall, const uint32_t *slot, uint32_t first,
                                  uint32_t last);

// Articulations, one or four at a time at any width (articulation_source.h).
struct PhArticulationPass;
typedef void PhArticulationKernel(const struct PhArticulationPass *pass, const PhJointPack *pack);
PhArticulationKernel ph_articulation_pass_single, ph_articulation_pass_single_avx2,
    ph_articulation_pass_plain, ph_articulation_pass_avx2;

struct PhKernels {
    const char *name;
    uint32_t lanes;
    bool wide_doubles;                         // a register holds four doubles
    const PhManifoldKernels *manifolds;        // of the narrow phase, at the same width
    uint32_t wide_size, rest_size, extra_size; // bytes

    // Returns the features (PH_FEATURE_*) that are in use. carried: the wide contacts still hold
    // the impulses of the last step, so ends and records are not read.
    uint32_t (*prepare[2])(const PhContactSource *source, PhHeads heads, PhWideParts parts,
                           uint32_t count, bool carried);
    // After prepare, only in batches that use a feature: prepares what the features in use need.
    // carried: in the last step the batch used none.
    void (*prepare_extra)(const PhContactSource *source, const uint32_t *pairs, PhWideParts parts,
                          uint32_t count, uint32_t features, bool carried);
    // Writes to the flags which contacts touch: an impulse has acted, or there was no gap at the
    // start.
    void (*flag_touching)(const PhContactSource *source, const uint32_t *pairs, PhWideParts parts,
                          uint32_t count);
    // Stores impulses, totals and normals in the records; extras may be NULL.
    void (*store)(const PhContactSource *source, const uint32_t *pairs, PhWideParts parts,
                  uint32_t count);

    // Writes the state of the points of contact c to states[c].
    void (*show)(const PhContacts *contacts, const uint32_t *pairs, PhWideParts parts,
                 uint32_t count, PhPointState (*states)[2]);

    PhWideKernel *pass[PH_PASS_KINDS][2];
    // Iterative joints, a color at a time (iterative_joints_source.h); NULL: nothing to do.
    PhIterativeKernel *iterative_warm_start[PH_ITERATIVE_KINDS],
        *iterative_solve[PH_ITERATIVE_KINDS], *iterative_relax[PH_ITERATIVE_KINDS];
    PhIterativeKernel *iterative_note[PH_ITERATIVE_KINDS], *iterative_force[PH_ITERATIVE_KINDS],
        *iterative_rest[PH_ITERATIVE_KINDS], *iterative_gain[PH_ITERATIVE_KINDS],
        *iterative_damp[PH_ITERATIVE_KINDS]; // of springs
    PhTreeKernel *tree_pass;                 // joint_lanes_source.h
    PhTreeKernel *pass_across;               // joint_across_source.h
    // joint_ends_source.h: loads and stores links at the start and the end of a step, except
    // angles. NULL for fewer than four lanes.
    PhTreeWorldKernel *tree_load, *tree_store;
    PhArticulationKernel *articulation_pass, *single_pass; // of width 4, of width 1

    // Handles solver bodies from `first` on, by fours, up to the first four of which one is not
    // plain; also left are `last` and an incomplete group before it. Returns the first body that is
    // left.
    PhSolverBodyEndKernel *load_falling, *store_bodies; // solver_body_ends_source.h
    // A step of the bodies slot[first .. last - 1], in the same way.
    PhFreeFallKernel *fall_free;

    // Solver bodies first .. last - 1 of the batch, multiples of 8. `again`: from the second
    // substep on, with the warm start.
    void (*integrate_velocity)(const PhPass *pass, uint32_t first, uint32_t last, bool damped,
                               bool again);
    void (*integrate_position)(const PhPass *pass, uint32_t first, uint32_t last);
    // The same with pseudo-velocities, which are forgotten.
    void (*integrate_separated)(const PhPass *pass, uint32_t first, uint32_t last);
};

#define PH_DECLARE(target, runs) extern const PhKernels ph_kernels_##target;
PH_SIMD_TARGETS(PH_DECLARE)
#undef PH_DECLARE

#endif

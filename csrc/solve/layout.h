// Inside of a PhLayout: what layout.c, islands.c, island_batches.c and wide_contacts.c build and
// soft_step.c runs on.
//
// A batch is a set of whole islands of about PH_BATCH_CONTACTS contacts: small enough for its
// solver bodies and wide contacts to stay in the level-2 cache over all substeps, and a job of its
// own. An island of more than twice that has a batch to itself, and so has a large one with hubs
// (hubs.c).
#ifndef PH_SOLVE_LAYOUT_H
#define PH_SOLVE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "solve/joint_records.h"
#include "solve/kernels.h"
#include "solve/solver.h"

enum {
    PH_BATCH_CONTACTS = 2048,
    PH_WAIT_BUILDS = 32, // from an attempt in vain to the next one
    PH_SOLVER_BODY_ALIGN =
        8, // solver bodies of a batch are a multiple of the widest kernels, whatever the width
    PH_CLASS_COLORS =
        32, // of contacts between dynamic bodies, and again of contacts with fixed ones
    // Order of colors in a batch: 32 dynamic, contacts for which no dynamic color was free, the
    // same for fixed, 32 fixed. Contacts of an overflow color may share bodies: they are solved one
    // after the other, by the scalar kernels.
    PH_OVERFLOW_DYNAMIC = PH_CLASS_COLORS,
    PH_OVERFLOW_FIXED,
    PH_FIRST_FIXED,
    PH_MAX_COLORS = PH_FIRST_FIXED + PH_CLASS_COLORS,
    // The fewest contacts of a color of a giant batch for which others are woken.
    PH_SHARED_CONTACTS = 1024,
    // Contacts of hubs (hubs.c) in a dynamic color c have the code PH_MAX_COLORS + c, and its lanes
    // that are multiples of the stride: a pair of wide contacts, which kernels may solve side by
    // side, has one of them at most. Colors with more other contacts than these have none, so that
    // with them and the lanes of the last wide contact they are still too small to be shared.
    PH_LANE_CODES = PH_MAX_COLORS + PH_CLASS_COLORS,
    PH_HUB_STRIDE = 16,
    PH_HUB_COLOR = 944,
    PH_HUB_CONTACTS = 512,   // the fewest of an island that has room for them
    PH_MOST_LANES = 1 << 29, // of wide contacts, see impact_sweeps.h
};

_Static_assert(PH_HUB_COLOR + PH_HUB_COLOR / PH_HUB_STRIDE + PH_SOLVER_BODY_ALIGN <=
                   PH_SHARED_CONTACTS,
               "a team must not share a color with hubs");

typedef struct PhIslandBatch {
    // [first] fixed, then dynamic bodies by slot (or see order.c), then copies of kinematic bodies,
    // then padding (at least one solver body, not counted).
    uint32_t first_solver_body, solver_body_count, next_solver_body;
    uint32_t first_color, color_count;
    uint32_t contact_count, body_count; // dynamic bodies
    uint32_t copies;                    // last of the PhCopy of the batch, PH_NULL for none
    uint8_t substep_level;              // of all its islands
    uint8_t impact_class;               // the same: see island_batches.c
    bool impacts_at_once;               // those of one moment
    bool articulated;                   // of one island, which is solved by articulated_islands.c
    uint32_t room;                      // for that, in multiples of 64 bytes
    uint32_t island_count;
    uint32_t was; // the batch before this build with the same contacts, PH_NULL for none
    bool carried; // its wide contacts hold the impulses of the last step
    bool behind;  // and its records do not: solver.h, ph_soft_step_settle
    bool hubs;    // of one island, which has hubs
    bool impacts; // a contact comes fast in this step
    bool free;    // nothing in it touches what is fixed or has a joint
    bool jointed; // joints act in all its islands, or in none
    bool spreads; // within a build: their contacts are still to be given colors
    uint32_t first_work, work_count, first_articulation, articulation_count; // of its joints
    uint32_t first_joint_pack, joint_pack_count;
    uint32_t first_iterative, iterative_count, spring_count, first_iterative_color,
        iterative_color_count;
    uint32_t stiff_groups; // of joints, in this step
    uint32_t first_jointed,
        jointed_count; // solver bodies of bodies with other joints than iterative joints
    uint32_t first_tree, tree_count; // in lanes
    uint32_t tree_scratch;           // in multiples of 64 bytes: room for any pack that is isolated
} PhIslandBatch;

typedef struct PhColor {
    uint32_t first_wide, wide_count; // in its PhWideContacts
    bool fixed;                      // body b has infinite mass
    uint8_t number;                  // 0 .. PH_MAX_COLORS - 1
} PhColor;

static inline bool ph_color_overflows(uint32_t number) {
    return number == PH_OVERFLOW_DYNAMIC || number == PH_OVERFLOW_FIXED;
}
// By the code of a contact: whether body b has infinite mass, and the number of its color.
static inline bool ph_code_is_fixed(uint32_t code) {
    return code >= PH_OVERFLOW_FIXED && code < PH_MAX_COLORS;
}
static inline uint32_t ph_color_of_code(uint32_t code) {
    return code < PH_MAX_COLORS ? code : code - PH_MAX_COLORS;
}

// Lanes of a batch, by code.
typedef struct PhColorFill {
    uint32_t next[PH_LANE_CODES];    // how many contacts, then the next free lane
    uint32_t hub_end[PH_MAX_COLORS]; // up to there every so many lanes are for hubs
    uint32_t room[PH_CLASS_COLORS];  // contacts of hubs: how many, then how many more it takes
    uint32_t open, filled;           // as bits: the colors that take any, those that others have
} PhColorFill;

// A wide contact that has met, and the index of its color.
typedef struct PhMet {
    uint32_t contact, color;
} PhMet;

// Of a body, in one sweep over impacts: the first moment, and how many act on it (2: or more).
typedef struct PhHits {
    float first;
    uint32_t count;
} PhHits;

typedef struct PhWideContacts {
    PhHeads heads;
    uint32_t used; // wide contacts, with those of batches that are gone
    PhWideParts parts;
    uint8_t *waits, *moved; // by wide contact, and by lane and side: see impact_sweeps.h
    uint32_t *next_end;
    PhMet *met_list; // of each batch, from its first wide contact on: see impact_sweeps.h
} PhWideContacts;

// The kernels of a color.
static inline const PhKernels *ph_kernels_of(const PhKernels *kernels, uint32_t color) {
    return ph_color_overflows(color) ? &ph_kernels_scalar : kernels;
}

// Of a body that moves or is in a contact.
typedef struct PhSlotScratch {
    uint32_t used, used_fixed; // colors taken, as bits
    uint32_t
        owned; // contacts of which it is body a; of a kinematic body: 1 + last batch with a copy
    uint32_t copy; // of a kinematic body: its solver body in that batch
    bool pinned;   // a joint to a fixed body bears its weight
    bool jointed;  // a joint holds it
    bool welded;   // a joint makes it one with another dynamic body
    bool in_joint; // within a build: a joint acts on it
    bool hub;      // has more contacts than there are colors
    bool carried;  // within jointed_impacts.c: a joint holds it, or what it touches in turn
} PhSlotScratch;

// Of an island, at its root.
typedef struct PhIsland {
    uint32_t contact_count, body_count; // bodies: 0 when alone
    uint32_t batch; // before a build has packed it: the old one, PH_NULL where contacts changed
    bool touched;   // within a build: a contact has come or gone
    uint32_t joint_count;         // where a substep level is asked for
    uint8_t asked, substep_level; // wanted, and what its size allows
    bool driven;                  // touches a kinematic body
    bool motored;                 // a motor in it is set to move
    bool joints_only;         // nothing acts in it but direct trees of joints: see joint_solve.c
    bool stiff;               // has springs that are too fast for a substep
    bool isolated;            // nothing but trees in lanes
    uint32_t spring_count;    // of those that iterative joints can have
    bool hubs;                // has contacts of them that overflow, and room for more
    bool held;                // touches what is fixed, or has a joint
    bool jointed;             // a joint acts on a body of it
    float unevenness;         // the largest ratio of the masses in a contact, if that is much
    bool wanted, articulated; // to be solved by articulated_islands.c, and small enough for it
    bool bounces, folds;      // what joints hold: is about to be hit; touches its own
    bool welded;              // something touches what a weld makes one body of several
    bool jammed;              // something is deep in what joints hold
    bool still_jammed;        // likewise, at the beginning of this step
    bool entangled;           // jointed bodies are deep in each other
    bool deep;                // an overlap was to be separated by displacements when last looked at
    float least;              // inverse mass of its heaviest body that is not pinned
    double hardness;          // of the last step
    double burden;            // load on a light body with joints over its weight, likewise
    // The strongest force beside weight (N), where that is asked for, and the inverse mass of the
    // lightest body, and whether these may press contacts in; the layout lists its contacts.
    float strongest, lightest;
    bool presses, pressed;
    uint32_t tower; // 1 + its number, where it may be one: towers.c
} PhIsland;

// An island that may be a tower, in this step.
typedef struct PhTower {
    PhVec2 low, high;    // of its centres from the first one, upwards and beside
    bool slender;        // it is one
    uint32_t flat_count; // of its contacts, with two points
    double yield;
    double depth;                 // of its deepest contact
    double heaviest, heaviest_at; // mass of its heaviest body, and how high that is
} PhTower;

// The solver body of a contact's kinematic body in the contact's batch.
typedef struct PhCopy {
    uint32_t contact, slot, solver_body;
    uint32_t before; // the batch's copy before this one, PH_NULL for none
} PhCopy;

// A contact of the last build.
typedef struct PhKept {
    uint32_t owner, other, body_a, body_b;
    uint32_t pair; // where it stood in the list
} PhKept;

// See PH_JOINT_LAYOUT_ARRAYS.
#define PH_LAYOUT_ARRAYS(ARRAY, ROOM)                                                              \
    ARRAY(PhIslandBatch, batches)                                                                  \
    ARRAY(PhIslandBatch, old_batches) /* of the build before */                                    \
    ARRAY(PhColor, colors)                                                                         \
    ARRAY(PhColor, old_colors)                                                                     \
    ARRAY(PhKept, kept)       /* contacts of the last build */                                     \
    ARRAY(uint8_t, old_color) /* theirs */                                                         \
    ARRAY(uint8_t, loose)     /* by slot: its island is found anew */                              \
    ARRAY(PhColorFill, lanes) /* by batch */                                                       \
    ARRAY(PhSlotScratch, slots)                                                                    \
    ARRAY(PhIsland, islands) /* by slot */                                                         \
    ARRAY(uint32_t, roots)   /* of the islands, ascending */                                       \
    ARRAY(PhMember, members) /* by slot, of dynamic bodies in contact */                           \
    ARRAY(uint32_t, dynamic) /* slots that have an island */                                       \
    /* the dynamic bodies as their solver bodies follow each other; see order.c */                 \
    ARRAY(uint32_t, order)                                                                         \
    /* contacts in the order in which they are given lanes */                                      \
    ARRAY(uint32_t, turn)                                                                          \
    ARRAY(uint8_t, color_of)        /* codes, by contact */                                        \
    ARRAY(uint32_t, hub_contact)    /* contacts of hubs */                                         \
    ARRAY(PhCopy, copies)           /* of contacts with kinematic bodies, in order */              \
    ARRAY(uint32_t, uneven)         /* contacts of bodies of very different mass */                \
    ARRAY(uint32_t, at_joints)      /* contacts of bodies with joints */                           \
    ARRAY(uint32_t, laden)          /* of these, of light bodies */                                \
    ARRAY(uint32_t, pressed)        /* contacts of islands that a force may press */               \
    ARRAY(PhTower, towers)          /* islands that may be towers, by root */                      \
    ARRAY(uint32_t, tower_bodies)   /* theirs */                                                   \
    ARRAY(uint32_t, tower_contacts) /* theirs */                                                   \
    ROOM(articulated)               /* rooms of batches, in multiples of 64 bytes */               \
    /* slot of every solver body, PH_NULL for fixed solver bodies and padding */                   \
    ARRAY(uint32_t, solver_body_slot)                                                              \
    ARRAY(PhQuad, solver_body_quads) /* memory of PhSolverBodyArrays */                            \
    ARRAY(PhHits, hits)              /* by solver body: see impact_sweeps.h */                     \
    ARRAY(uint32_t, first_end)       /* by solver body: see impact_sweeps.h */

struct PhLayoutArrays {
    PH_LAYOUT_ARRAYS(PH_ARRAY_FIELD, PH_ROOM_FIELD)
    const PhKernels *kernels; // of the wide contacts
    uint32_t kept_count;      // 0: the next build starts from nothing
    uint32_t waits;           // builds left until the next attempt to keep batches
    uint32_t old_batch_count;
    uint32_t dynamic_count;
    uint32_t order_count;            // 0: as in bodies->dynamic body
    uint32_t order_waits;            // builds from nothing until the order is examined again
    uint32_t turn_count;             // 0: as they stand
    uint32_t seen;                   // slots whose entries have ever been set
    PhWideContacts wide_contacts[2]; // of the kernels' width, and of one lane for overflow colors
    PhSolverBodyArrays solver_bodies;
    uint32_t uneven_count, copy_count;
    uint32_t at_joints_count, laden_count;
    uint32_t pressed_count;
    uint32_t tower_count, tower_body_count, tower_contact_count;
    uint32_t articulated_count; // islands
    uint32_t jammed_count;      // islands
    bool may_hit;               // an island of bodies with joints may be solved through them
    bool no_contacts;           // in the last build, which was complete
    bool facts_known;           // of joints
    PhJointLayout joints;
};

// The lowest color that two dynamic bodies have free, which it takes.
static inline uint8_t ph_pick_dynamic(uint32_t *a, uint32_t *b) {
    uint32_t open = ~(*a | *b);
    if (!open) {
        return PH_OVERFLOW_DYNAMIC;
    }
    uint32_t bit = open & (~open + 1);
    *a |= bit;
    *b |= bit;
    return (uint8_t)__builtin_ctz(open);
}

// Whether an island of that many contacts has a batch to itself.
static inline bool ph_batch_is_giant(uint32_t contact_count) {
    return contact_count > 2 * PH_BATCH_CONTACTS;
}

// The batch of a dynamic body in contact.
static inline uint32_t ph_batch_of(const PhLayout *layout, uint32_t slot) {
    return layout->arrays->islands[layout->island[slot]].batch;
}

// Solver bodies of a batch with its padding.
static inline uint32_t ph_batch_solver_bodies(const PhIslandBatch *batch) {
    return (batch->solver_body_count + PH_SOLVER_BODY_ALIGN) / PH_SOLVER_BODY_ALIGN *
           PH_SOLVER_BODY_ALIGN;
}

// Solver bodies of a layout in the memory of its quads: six quads per solver body, and a quarter
// of one for the angle.
static inline PhSolverBodyArrays ph_solver_bodies_in(float (*quads)[4], size_t solver_bodies) {
    return (PhSolverBodyArrays){quads,
                                quads + solver_bodies,
                                quads + 2 * solver_bodies,
                                quads + 3 * solver_bodies,
                                quads + 4 * solver_bodies,
                                quads + 5 * solver_bodies,
                                (float *)(quads + 6 * solver_bodies)};
}

// The same from a solver body on.
static inline PhSolverBodyArrays ph_solver_bodies_from(PhSolverBodyArrays solver_bodies,
                                                       uint32_t first) {
    return (PhSolverBodyArrays){solver_bodies.velocity + first, solver_bodies.before + first,
                                solver_bodies.delta + first,    solver_bodies.drive + first,
                                solver_bodies.damping + first,  solver_bodies.pseudo + first,
                                solver_bodies.turned + first};
}

// The first body of a joint that is dynamic and awake; PH_NULL: the joint does not act in this
// layout.
static inline uint32_t ph_joint_dynamic_body(const PhSolverBodies *bodies, const PhJoint *joint) {
    if (!joint->active) {
        return PH_NULL;
    }
    for (int side = 0; side < 2; side++) {
        uint32_t slot = joint->body[side];
        if (slot != PH_NULL && bodies->role[slot] == PH_ROLE_DYNAMIC) {
            return slot;
        }
    }
    for (int side = 0; side < 2 && ph_joint_info(joint)->geared; side++) {
        uint32_t slot = joint->frame[side];
        if (slot != PH_NULL && bodies->role[slot] == PH_ROLE_DYNAMIC) {
            return slot;
        }
    }
    return PH_NULL;
}
// Whether the joint, to a fixed body, bears the weight of the dynamic body on that side.
bool ph_joint_bears(const PhSolverBodies *bodies, const PhJoint *joint, int side);
// What the functions below ask of joints; in a whole build, before all of them.
PhStatus ph_joint_facts_find(PhLayout *layout, const PhSolverBodies *bodies);
// Which joints are at work in which batch, and their trees; after the solver bodies were placed.
// whole: more than contacts may have changed since the last time.
PhStatus ph_joint_layout_build(PhLayout *layout, const PhSolverBodies *bodies, bool whole);
// Names the articulations that may go through lanes. Whether all may, wherever they are: then they
// last while joints and roles stay.
bool ph_lasting_trees_find(PhLayout *layout, const PhSolverBodies *bodies);
// Where they are in this layout.
PhStatus ph_lasting_trees_place(PhLayout *layout, const PhSolverBodies *bodies);

// Fills layout->island, in_contact, slots, islands, and color_of.
void ph_islands_find(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies);
// How many contacts have come and gone since the last build; marks their islands. *shifted: pairs
// stand elsewhere in the list.
uint32_t ph_islands_compare(PhLayout *layout, const PhContacts *contacts, const PhPairList *pairs,
                            const PhSolverBodies *bodies, bool *shifted);
// ph_islands_find from the last build, where nothing else has changed. False: it is not worth it,
// and nothing is done.
bool ph_islands_patch(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies,
                      uint32_t changes);
// Marks islands with hubs; patched: those that were loosened.
void ph_hubs_find(PhLayout *layout, const PhContacts *contacts, bool patched);
// Spreads their contacts over colors with room; after ph_wide_contacts_count, which is kept right.
PhStatus ph_hubs_spread(PhLayout *layout, const PhContacts *contacts);
// Notes the contacts for the next build.
void ph_islands_keep(PhLayout *layout, const PhContacts *contacts, const PhPairList *pairs);
// Fills the substep levels of the islands, and uneven.
PhStatus ph_substeps_spread(PhLayout *layout, const PhContacts *contacts,
                            const PhContactRecord *records, const PhSolverBodies *bodies,
                            const PhStepParameters *parameters);
static inline int32_t ph_base_substeps(const PhStepParameters *parameters) {
    return parameters->substeps < 1 ? 1 : parameters->substeps;
}

// Lists the bodies and contacts of islands that may be towers.
PhStatus ph_towers_list(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies,
                        const PhStepParameters *parameters);
// Before a solve: which of them are.
void ph_towers_look(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies,
                    const PhStepParameters *parameters);
// After it: adds what their contacts yield to the hardness of their islands.
void ph_towers_measure(const PhLayout *layout, const PhContacts *contacts,
                       const PhContactRecord *records, const PhSolverBodies *bodies,
                       const PhStepParameters *parameters);
// Hz, of contacts of moving bodies in islands of a substep level; each level above 1 has twice that
// of the one below.
double ph_contact_hertz(const PhStepParameters *parameters, uint8_t substep_level);
// The hardness that makes contacts so many times as stiff as at level 1.
double ph_hardness_for(const PhStepParameters *parameters, double stiffer);
// Chooses the order of the dynamic bodies' solver bodies; none of the batches of the last build may
// stay.
PhStatus ph_order_update(PhLayout *layout, const PhSolverBodies *bodies);
// Chooses the order in which contacts are given lanes; after the solver bodies were placed.
PhStatus ph_order_contacts(PhLayout *layout, const PhContacts *contacts);
// Packs islands of one substep level into batches.
PhStatus ph_batches_pack(PhLayout *layout, const PhContacts *contacts,
                         const PhSolverBodies *bodies);
// Gives every body of a batch its solver body.
PhStatus ph_batches_place_bodies(PhLayout *layout, const PhContacts *contacts,
                                 const PhSolverBodies *bodies);
// The places of the pairs in the list, where nothing else has changed.
void ph_wide_contacts_name_pairs(PhLayout *layout, const PhContacts *contacts);
// Counts the contacts of every color of every batch.
PhStatus ph_wide_contacts_count(PhLayout *layout, const PhContacts *contacts);
// Makes the colors of every batch and writes the heads of their wide contacts, from these counts.
PhStatus ph_wide_contacts_fill(PhLayout *layout, const PhKernels *kernels,
                               const PhContacts *contacts, const PhSolverBodies *bodies);

#endif

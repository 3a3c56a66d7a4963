// The inside of a world, for the files of world/ only.
//
// Invariants between calls:
//  * A slot below slot_count is alive, or its rows in the live arrays are NaN and its role is
//    PH_ROLE_NONE.
//  * New bodies, colliders and proxies take the lowest free place, so numbering is a function of
//    what exists.
//  * Members of a sleeping island form a ring through body.sleep_next; the ring of an awake body is
//    meaningless.
//  * The two pair lists hold every pair of proxies that may have a contact, unless pairs_dirty or
//    roster_changed. Flags and records of pairs without an awake member stay as they were when the
//    pair fell asleep. These pairs are in the second list when a step begins to examine pairs, or,
//    after PH_REBUILD_ALL, in the first.
//  * The number of a removed proxy is not given out again before its pairs have left the list
//    (zombies).
#ifndef PH_WORLD_INTERNAL_H
#define PH_WORLD_INTERNAL_H

#include "base/columns.h"
#include "base/memory.h"
#include "broad/bvh.h"
#include "broad/distance_grid.h"
#include "broad/ray_grid.h"
#include "broad/wide_tree.h"
#include "math/trig.h"
#include "narrow/collide.h"
#include "narrow/time_of_impact.h"
#include "solve/kernels.h"
#include "world/arrays.h"
#include "world/contact_ids.h"
#include "world/fast_bodies.h"
#include "world/fields.h"
#include "world/joints.h"
#include "world/pair_filter.h"
#include "world/sensors.h"
#include "world/spring_laws.h"
#include "world/step_trace.h"
#include "world/world.h"

// Islands that are slow for this long fall asleep, if they are at rest (sleep.c).
#define PH_SLEEP_TIME 0.5
#define PH_MAX_SLOTS (1u << 27)

enum {
    PH_MOVED_NOT,
    PH_MOVED_NEW,
    PH_MOVED_PLACED
}; // made or changed; pose changed from outside or by the last step

// In PhWorld.shifted: the body was placed since the last step, so the next step counts as the one
// that moved it.
#define PH_SHIFT_TO_COME (UINT64_C(1) << 63)

typedef struct PhMassData {
    double mass, inertia; // inertia about the centre
    PhVec2 center;        // body frame
} PhMassData;

// The part of a body's mass that is given and does not follow from its colliders.
typedef struct PhGivenMass {
    double mass, inertia; // 0: not given
    PhVec2 center;        // body frame
    bool has_center;
} PhGivenMass;

// A body's centre of mass, angle and velocity at one time.
typedef struct PhRestMark {
    double pose[3], velocity[3];
} PhRestMark;

typedef struct PhBody { // cold fields, by slot
    uint32_t generation;
    uint32_t first_collider, last_collider, collider_count; // PH_NULL if there is none
    uint32_t sleep_next;
    uint32_t first_joint; // an end of a joint: 2 x index + side; PH_NULL if there is none
    PhVec2 center_local;
    PhVec2 middle; // of the box around all shapes, body frame; only in a wrapped world
    double extent; // largest distance of a point of the body from its centre of mass
    PhGivenMass given;
    double sleep_threshold; // m/s; negative: the world's
    double slow_for;        // while bodies are placed: the sleep_time before; with an own threshold
    uint64_t turned_far;    // 1 + the last step that began with a far turn (missed_impacts.c)
    PhMassData sum;         // of its colliders in their order, if summed
    bool summed;            // since the last removal or change of a density, sum is up to date
    bool as_rods;           // the sum is made as of rods: no collider has an area with mass
    bool touched;           // something in this step: between calls of ph_note_touched()
    bool unmeasured; // in the list of bodies whose extent and limits of fast motion are out of date
    uint32_t unmeasured_next; // slot or PH_NULL
    bool can_sleep, bullet, fixed_rotation, enabled;
    uint8_t locks;       // PhLock
    uint32_t lock_joint; // the joint that holds them, PH_NULL
    bool turned; // kinematic: began or ceased to move in the current step, see kinematics_turned
    bool has_target; // kinematic: reaches its target if velocities are still those of move_to
    double target_dt, target_velocity[2], target_spin, target_angle;
    PhVec2 target;
} PhBody;

// What the pairs of a collider's pieces with those of one other collider have in common, during a
// turn of events.c.
typedef struct PhSiblings {
    uint64_t mark; // of the turn of the other collider in which this was found
    uint32_t last,
        fastest;   // pairs, or PH_NULL: the last that touches or touched; the one that met fastest
    uint8_t flags; // of all of them, combined by or
    bool told;     // their change has been reported
} PhSiblings;

typedef struct PhCollider {
    uint32_t generation;
    bool alive;
    uint32_t body, next, previous; // slot; neighbours among the body's colliders or PH_NULL
    PhShape *shape;
    PhColliderDef def;
    uint32_t first_proxy; // shape->piece_count proxies from here
    uint64_t version;     // number of what last made it, or gave it another filter or shape
    PhSiblings siblings;
} PhCollider;

// What world.counters shows of the last completed step.
typedef struct PhStepCounts {
    uint32_t contacts, islands, batches, colors, wide_contacts, rows, left_out, substeps;
} PhStepCounts;

// What a long step returns to when it is stopped: savepoint.c.
typedef struct PhSavepoint {
    char *rows; // NULL: no memory yet
    size_t capacity;
    bool taken; // a savepoint exists in the present step
} PhSavepoint;

// What is needed to compute the bounding box of a piece.
typedef struct PhSpan {
    double x, y; // the piece is the hull of (+-x, +-y), body frame, grown by the radius; NaN: it is
                 // another shape
    double radius; // metres
    double most;   // the most by which a displacement grows the box: half of its width, infinity
                   // where it has none
} PhSpan;

typedef struct PhRange {
    uint32_t first, count;
} PhRange;

// Contacts of one piece that are solved as one contact, see floors.c.
typedef struct PhFloorMember {
    uint32_t pair, age; // the age of its record before the solve
    float approach, later;
    PhSolverManifold kept;
} PhFloorMember;
typedef struct PhFloorEnd {
    uint32_t member;
    int point;
    float at, gap; // along the surface, separation, metres
} PhFloorEnd;
typedef struct PhFloorGroup {
    uint32_t first, count; // members; the first one is the lead
    PhFloorEnd end[2];
    bool single; // has only its first end
    bool hidden; // its only member does not act in this step
} PhFloorGroup;
typedef struct PhFloors {
    PhRange *run; // runs of contacts, each of one body, that may be joined
    PhFloorMember *member;
    PhFloorGroup *group; // of this step
    uint32_t run_count, run_capacity, member_capacity, group_count, group_capacity;
    bool stale, settled; // the list of contacts has changed; records are up to date
} PhFloors;

// How contacts of entangled bodies are solved in this step, see escapes.c.
typedef enum PhEscapePart {
    PH_ESCAPE_SLIDES, // pushes with less friction, or without
    PH_ESCAPE_OFF,    // hinders the escape, and does not act
    PH_ESCAPE_HOLDS,  // is turned into the contact that pushes along the escape
} PhEscapePart;
typedef struct PhEscapeRow {
    uint32_t pair;
    PhEscapePart part;
    float grip, approach;        // grip: the share of the friction that is left
    PhSolverManifold kept, made; // made: the manifold of the contact that pushes along the escape
} PhEscapeRow;
typedef struct PhEscapes {
    PhEscapeRow *row;
    uint32_t count, capacity;
    uint32_t *several; // the contacts of bodies of several pieces, unless stale
    uint32_t several_count, several_capacity;
    bool stale;
} PhEscapes;

// Flush pieces that act on one other piece as a single one, see flush.c.
typedef struct PhFlushRun {
    PhRange pairs; // of one owner
    bool done;     // in this step
} PhFlushRun;
typedef struct PhFlushMember {
    uint32_t pair;
    double from, to; // along the surface, metres
} PhFlushMember;
typedef struct PhFlushPiece {
    uint32_t lead, first, count; // the pair that stands for all; its members, in their order
    uint32_t low, high;          // members that have its points; equal if it has one, or none
    PhContactRecord carried;     // record of its points, from the step before
    PhPiece piece;               // in the frame of the lead's body
    PhVec2 vertex[4], normal[4], along;
} PhFlushPiece;
typedef struct PhFlush {
    PhFlushRun *run;
    PhFlushPiece *merged; // of the pairs at hand
    PhFlushMember *member;
    uint32_t run_count, run_capacity, merged_count, merged_capacity, member_capacity;
    uint32_t fresh; // the first of them whose points have not been distributed
    bool stale;     // pairs have changed, or fixed bodies have moved
} PhFlush;

typedef struct PhZombie { // proxies of a collider that died, until their pairs have left the list
    PhRange range;
    uint64_t body_id, collider_id;
} PhZombie;

typedef struct PhEventList {
    void *rows;
    uint32_t count, capacity;
} PhEventList;

// A piece as rays see it: one cache line.
typedef struct PhTarget {
    _Alignas(64) PhTransform pose;
    const PhPiece *piece;
    uint64_t category;
    int32_t collider, body, number; // number: of the piece in its collider
    bool sensor;
} PhTarget;

// The pieces of enabled bodies at the time when the index was built, for many questions with
// shapes.
typedef struct PhProbeIndex {
    PhRayFrame frame;
    PhWideTree tree;
    uint32_t *proxy;       // by place
    bool built, fruitless; // as below
    uint64_t asked;
} PhProbeIndex;

// All pieces of enabled bodies at the time when the index was built, for many rays. A copy of a
// world builds its own.
typedef struct PhTargets {
    PhRayFrame frame;
    PhRayGrid grid;
    PhWideTree tree;  // used where a grid would be slow
    PhTarget *target; // by place in the structure that was built
    bool built;   // built, and since then nothing has moved, been added or removed, or changed its
                  // filter
    bool gridded; // the structure is the grid
    bool fruitless; // it cannot be built for these pieces
    uint64_t asked; // rays since the last change
    PhProbeIndex probes;
} PhTargets;

// Two pieces that would meet in this step although they have no contact (predicted_contacts.c).
typedef struct PhPredictedContact {
    uint32_t owner, other;       // proxies, as in pairs
    PhVec2 normal, point;        // at the impact; normal from the owner to the other
    double separation, approach; // m, at the start; m/s, at the impact
    bool off;                    // switched off by the hook
} PhPredictedContact;

typedef struct PhPasses PhPasses; // passes.h

struct PhWorld {
    PhWorldDef def;
    PhLengths lengths; // built-in lengths, scaled by def.length_unit
    const PhKernels *kernels;
    const PhPasses *passes;
    PhWrap wrap;  // of def.wrap
    bool wrapped; // in one direction at least
    double time;
    double last_substep;        // s, of the last step; 0 before the first
    uint64_t step_count, turns; // turns: of colliders, see PhSiblings
    uint32_t generation_floor;  // generations up to this one were given out before a restore
    uint32_t generation_top;    // of all places, the highest
    PhWorld *spare; // NULL, or the emptied world that the last restore left, whose arrays the next
                    // one uses
    bool used_room; // its arrays were those of another world: see ph_world_clear_slots

    // Bodies. Columns by slot share slot_capacity.
    PhState *state;
    uint32_t views_moved;
    uint32_t slot_count, slot_capacity, body_count, free_slot_hint;
    PhBody *body;
    uint8_t *role;       // PhRole
    uint8_t *moved;      // PH_MOVED_*, since the last step
    uint8_t *last_awake; // as at the end of the last step, for wake and sleep events
    uint8_t *tree_stale; // the pose has changed since the query tree was updated
    uint32_t *bears;     // number of sensors of the body
    uint64_t *shifted;   // 1 + the last step that left another pose than the one before; 0: none
    float (*mass)[4];    // {1/m, 1/I, 0, 0}
    double (*center)[2]; // centre of mass, world
    double *gravity_scale, *linear_damping, *angular_damping;
    PhSubstepLevel *substep_level; // of its island in the last step
    PhTransform *transform;        // of position and pose_angle
    double *pose_angle;            // the angle of which transform was made
    uint8_t *off_center;           // the centre of mass is not the origin
    uint64_t *limited;     // 1 + the last step in which a speed limit slowed the body; 0: none
    double *sleep_reach;   // extent, or infinity for a body that must not sleep
    double *sleep_time;    // how long it has been slower than the sleep speed, s
    PhRestMark *rest_mark; // where the body was when half of the sleep time had passed
    uint32_t *woken;       // slots woken in the current step, for undoing
    uint32_t woken_count;
    double *island_time; // scratch of the sleep stage

    // What takes part in a step (active.c): slots, ascending, of awake dynamic bodies and of
    // kinematic bodies that move. The proxies of both are in proxies.moving.
    uint32_t *dynamic, *kinematic;
    uint32_t dynamic_count, kinematic_count;
    bool lists_stale;
    bool narrow_flags_stale; // the narrow phase has to examine every proxy
    bool roster_changed;     // the roster has changed since pairs were last found
    uint64_t lists_made;     // how often the lists were made
    bool has_sleepers;       // a dynamic body is not awake
    bool rest_changed;       // a body that is in no list has an entry in moved[]

    // What the next step has to examine in addition to the lists.
    uint32_t *found; // slots that were written to through a view
    uint32_t found_count;
    bool suspect;           // a number may be non-finite
    bool placed;            // moved[] has PH_MOVED_PLACED, apart from moving kinematic bodies
    bool marked;            // moved[] has any mark
    bool kinematics_stale;  // a kinematic body was given a velocity
    bool kinematics_turned; // one began or ceased to move in the current step, for undoing
    bool forced;            // a moving body may have a force on it
    bool rest_forced;       // a body that is in no list may have a force on it
    bool singular; // a body, or the world, had damping, or a body had a gravity scale other than 1
    bool own_thresholds; // a body has had a sleep threshold of its own
    bool awake_changed;  // a body fell asleep or woke

    // Colliders and proxies.
    PhCollider *collider;
    uint32_t collider_limit, collider_capacity, collider_count, free_collider_hint;
    uint64_t collider_version; // the last that was given out
    uint32_t unmeasured;       // first of the bodies to measure, PH_NULL
    PhProxies proxies;
    const PhPiece **proxy_piece;
    PhSpan *span; // by proxy
    bool spins;   // in this step: ph_spin_travel() may exceed spin_slack
    uint32_t *tree_leaf;
    uint32_t live_proxies;
    PhRange *free_ranges; // ascending, never adjacent
    uint32_t free_range_count;
    PhZombie *zombies;
    uint32_t zombie_count;
    PhFields fields;
    PhJoints joints;
    PhSolverJoints solver_joints; // of the present layout or solve
    PhSensors sensors;

    // The step.
    PhSavepoint savepoint;
    bool stoppable; // the present step may be stopped, whatever it has written: see ph_step_stops
    const PhStop *stop;  // borrowed for a run of steps; NULL: nothing stops them
    uint32_t most_pairs; // the most pairs that a solve has had: memory for more is new
    PhPreSolve pre_solve;
    PhPairFilter pair_filter;
    PhSpringLaws spring_laws;
    PhVerdicts verdicts;
    PhPredictedContact *predicted_contact; // for the hook, sorted by owner and other
    uint32_t predicted_count, predicted_capacity;
    PhJobs *jobs; // threads of def.workers; NULL until they are needed
    PhBroad broad;
    bool pairs_dirty, static_changed, layout_dirty, levels_dirty;
    PhContacts contacts; // its manifolds are by pair
    PhFloors floors;
    PhEscapes escapes;
    PhFlush flush;
    uint64_t aged;        // step_count up to which records include the age of contacts
    uint8_t *next_active; // by pair: whether it is in range in this step
    uint32_t pair_capacity;
    uint32_t left_out; // contacts of the last step that were left out because there were too many
    // The narrow phase in lanes, by proxy.
    PhLanePlace *lane_place;
    PhLanePiece *lane_piece;
    PhMaterial *material;
    uint8_t *narrow_flags;
    PhMaterial one_material; // the material of all proxies, unless mixed_materials
    bool mixed_materials;
    PhSurfaceSort *surface_sort;
    bool own_surfaces;              // a collider has had a material or rules of its own
    PhMaterialPair *material_pairs; // material_count rows of as many
    uint32_t material_count, material_pair_capacity;
    uint8_t lane_kinds; // all PhLaneKind that have existed, as bits
    float *approach;    // by pair: approach of its fastest point, if recorded; else 0
    float *later; // by pair with an approach: time until its manifold, s; negative: impact handled
                  // elsewhere
    bool fast;    // a pair has an approach in this step
    PhLaneRing *lane_ring; // by proxy, of polygons; those below ring_limit may have one
    uint32_t ring_capacity, ring_limit;
    bool rings_missing; // a polygon was added since they were made
    PhLayout layout;
    PhContinuous continuous;
    PhEventList begin, end, hit, sleep, wake, joint_break, sensor_begin, sensor_end;
    PhEventList lost; // ends of pairs whose body or collider was removed; reported in the next step
    uint64_t events_from;    // first step of the run that the events belong to
    uint32_t touching_pairs; // of colliders: begins minus ends
    PhContactIds contact_ids;
    PhStepCounts counts;
    double profile[PH_STAGE_COUNT];
    uint64_t pair_rebuilds, layout_rebuilds;

    // Queries.
    bool watched;       // a writable view is alive
    bool compare_poses; // a view may have written a pose since poses were last compared
    bool query_stale;   // something has moved since the last query
    bool tree_behind;   // something moved before that, and the tree has not been updated
    PhAabbTree tree;
    PhTargets targets;
};

static inline PhVec2 ph_slot_position(const PhWorld *world, uint32_t slot) {
    return (PhVec2){world->state->position[slot][0], world->state->position[slot][1]};
}
static inline PhVec2 ph_slot_velocity(const PhWorld *world, uint32_t slot) {
    return (PhVec2){world->state->velocity[slot][0], world->state->velocity[slot][1]};
}
// The origin of a body, from its centre of mass.
static inline PhVec2 ph_origin(const PhBody *body, PhVec2 center, double angle) {
    PhVec2 arm = body->center_local;
    if (arm.x != 0 || arm.y != 0) {
        arm = ph_rotate(ph_rot(angle), arm);
    }
    return (PhVec2){center.x - arm.x, center.y - arm.y};
}
// A velocity without the part that a lock of the body removes.
static inline PhVec2 ph_unlocked(const PhWorld *world, uint32_t slot, PhVec2 velocity) {
    uint8_t locks = world->state->kind[slot] == PH_DYNAMIC ? world->body[slot].locks : 0;
    return (PhVec2){locks & PH_LOCK_X ? 0 : velocity.x, locks & PH_LOCK_Y ? 0 : velocity.y};
}
static inline bool ph_is_dynamic(const PhWorld *world, uint32_t slot) {
    return world->state->kind[slot] == PH_DYNAMIC;
}

// The place of a body in a wrapped world: the middle of its bounding box.
static inline PhVec2 ph_middle_of_slot(const PhWorld *world, uint32_t slot) {
    PhVec2 middle = world->body[slot].middle;
    const PhTransform *pose = &world->transform[slot];
    return middle.x != 0 || middle.y != 0 ? ph_apply(*pose, middle) : pose->p;
}
// What to add to b's place to get the image of b that is nearest to a. Wrapped worlds only.
static inline PhVec2 ph_image_shift(const PhWorld *world, uint32_t a, uint32_t b) {
    return ph_wrap_shift(&world->wrap,
                         ph_sub(ph_middle_of_slot(world, b), ph_middle_of_slot(world, a)));
}

// wrap.c
PhStatus ph_wrap_check(PhVec2 size, double length_unit, PhError *error);
// Whether a body (PH_NULL: not made yet) with these additional shapes is small enough for the
// world.
PhStatus ph_wrap_check_body(const PhWorld *world, uint32_t slot, PhShape *const *shapes,
                            uint32_t count, PhError *error);
void ph_wrap_find_middle(PhWorld *world, uint32_t slot);
// Moves the origin into the plane. Returns whether it was outside; the caller updates the rest of
// the pose.
bool ph_fold_slot(PhWorld *world, uint32_t slot);
void ph_fold_all(PhWorld *world); // last, when everything is where the step leaves it
void ph_wrap_limit_ahead(PhWorld *world, uint32_t proxy); // for a predicted AABB that was just made

// world.c
// The team of def.workers, ready for runs. NULL for one worker, or if there is no memory for more:
// then the caller does the work alone.
PhJobs *ph_world_team(PhWorld *world);
void ph_world_list_arrays(PhWorld *world, PhArray list[PH_WORLD_ARRAYS]); // of arrays.h

// world.c
// As ph_world_create, for a world whose state will be handed on. slots: 0, or all that it will ever
// have. spare: NULL, or an emptied world, whose arrays it takes and which is destroyed.
PhWorld *ph_world_create_for(const PhWorldDef *def, uint32_t slots, PhWorld *spare, PhError *error);
// Clears the arrays of a world that was made in used memory, where its slots, colliders and proxies
// will not write everything. There must be room for all of them. slots, colliders, proxies: the
// numbers that live, from 0 on without a gap. Rows of those colliders stay, marked as dead.
void ph_world_clear_slots(PhWorld *world, uint32_t slots);
void ph_world_clear_colliders(PhWorld *world, uint32_t colliders, uint32_t proxies);
// Leaves nothing but the arrays of ph_world_list_arrays and the live arrays.
void ph_world_empty(PhWorld *world);
size_t ph_world_room(PhWorld *world); // bytes of these

// state.c
PhState *ph_state_create(uint32_t max_bodies, PhError *error);
PhState *ph_state_create_small(uint32_t slots, PhError *error); // without room for more
// Whether it is a small state with room for so many slots; if so, no body is alive in it any more.
bool ph_state_clear(PhState *state, uint32_t slots);
PhState *ph_state_copy(const PhState *from, uint32_t slots); // NULL: no memory
void ph_state_copy_rows(PhState *to, const PhState *from, uint32_t slots);
// Makes room for `slots` rows; may replace world->state where memory is not reserved.
PhStatus ph_state_grow(PhWorld *world, uint32_t slots, PhError *error);
void ph_state_poison(PhState *state, uint32_t slot); // NaN in every float row

// bodies.c
// numbers.c: what the state of a body may hold. NaN is refused like everything out of range.
PhStatus ph_check_finite(const char *name, double value, PhError *error);
PhStatus ph_check_vector(const char *name, PhVec2 v, PhError *error);
PhStatus ph_check_position(const char *name, PhVec2 position, PhError *error);
PhStatus ph_check_angle(const char *name, double angle, PhError *error);
PhStatus ph_check_velocity(const char *name, PhVec2 velocity, PhError *error);
PhStatus ph_check_angular_velocity(const char *name, double angular_velocity, PhError *error);
// Limits a velocity to its range. NaN stays.
static inline double ph_limit_velocity(double v) {
    return fabs(v) > PH_MAX_VELOCITY ? copysign(PH_MAX_VELOCITY, v) : v;
}
// Whether a step accepts a pose that was written through a live array.
bool ph_pose_in_range(PhVec2 position, double angle);
// Checks the row of a slot in the live arrays. PH_ERROR_NONFINITE, with the slot in error->index: a
// number is not finite, or was written beyond its range. A body that has left the range of
// positions by moving is accepted.
PhStatus ph_check_state_row(const PhWorld *world, uint32_t slot, PhError *error);
void ph_body_update_role(PhWorld *world, uint32_t slot);
// Which colliders exist. Later ones that have been dropped, and that no step has seen, can be taken
// back to this mark.
typedef struct PhColliderMark {
    uint32_t limit, hint, proxies, zombies;
} PhColliderMark;
PhColliderMark ph_colliders_mark(const PhWorld *world);
void ph_colliders_take_back(PhWorld *world, const PhColliderMark *mark);
PhStatus ph_body_check(const PhBodyDef *def, PhError *error);
// Reserves rows for so many slots.
PhStatus ph_slots_reserve(PhWorld *world, uint32_t slots, PhError *error);
// Fills the row of a free slot, without colliders. The caller adds these, and what follows from the
// pose (ph_refresh_slot).
void ph_body_make(PhWorld *world, uint32_t slot, const PhBodyDef *def);
// Reserves room for `count` more bodies, if `leaving` others are destroyed before. Together with
// ph_colliders_reserve it makes ph_body_add infallible. The definitions must have been checked.
// Materials are read with the given stride (0: the same for all shapes).
PhStatus ph_bodies_reserve(PhWorld *world, uint32_t count, uint32_t leaving, PhError *error);
uint32_t ph_body_add(PhWorld *world, const PhBodyDef *def, PhShape *const *shapes,
                     const PhColliderDef *materials, uint32_t material_stride,
                     uint32_t shape_count);

// mass.c
// A shape without area weighs as thin rods do, with its density per metre, when `as_rods`.
void ph_mass_add_shape(PhMassData *sum, const PhShape *shape, double density, bool as_rods);
// Applies what is given. A body without mass gets one kilogram, as a point.
void ph_mass_finish(PhMassData *data, const PhGivenMass *given);
PhStatus ph_mass_check(const PhMassData *data, const PhGivenMass *given, PhError *error);
// The mass of a body's colliders, one of them (PH_NULL: none) with another density.
PhMassData ph_mass_of_slot(const PhWorld *world, uint32_t slot, uint32_t special, double density);
void ph_mass_set(PhWorld *world, uint32_t slot, PhMassData data);
// PH_ERROR_VALUE: it gets one kilogram, because its colliders give no valid mass.
PhStatus ph_body_update_mass(PhWorld *world, uint32_t slot);
// Updates the mass after a collider was added last, removed, or given another density.
void ph_mass_grow(PhWorld *world, uint32_t slot, const PhCollider *last);
void ph_mass_forget(PhWorld *world, uint32_t slot);
// Makes the present mass of a dynamic body a given one.
void ph_mass_keep(PhWorld *world, uint32_t slot);
// The extent of a body and the results of ph_continuous_measure follow from all of its colliders.
// They are computed when needed, so that n changes of a body with n colliders do not cost n^2.
void ph_measure_later(PhWorld *world, uint32_t slot);
void ph_measure_last(PhWorld *world); // the body that was put off last
void ph_measure_bodies(PhWorld *world);
// Whether the body's mass would stay in range with another density of a collider, or with one more
// shape.
PhStatus ph_body_check_density(const PhWorld *world, uint32_t collider, double density,
                               PhError *error);
PhStatus ph_body_check_attach(const PhWorld *world, uint32_t slot, const PhShape *shape,
                              double density, PhError *error);

// segments.c
// Whether the surfaces of segments, if there are any, fit the shape.
PhStatus ph_segments_check(const PhColliderDef *def, const PhShape *shape, PhError *error);
void ph_segments_apply(PhColliderDef *def, uint32_t piece); // for a piece with surfaces of segments

// colliders.c
PhStatus ph_collider_check(const PhColliderDef *def, PhError *error);
// Whether so many more are within the limits, before anything is allocated; else PH_ERROR_CAPACITY.
PhStatus ph_colliders_check_room(const PhWorld *world, uint64_t colliders, uint64_t proxies,
                                 PhError *error);
// Reserves room for that many more colliders and proxies (and removes zombies when there are any).
// Makes the following ph_collider_add calls with that many pieces infallible.
PhStatus ph_colliders_reserve(PhWorld *world, uint64_t colliders, uint64_t proxies, PhError *error);
uint32_t ph_collider_add(PhWorld *world, uint32_t slot, PhShape *shape, const PhColliderDef *def);
// Places a collider at a free place below collider_limit, with free proxies from `first` on.
void ph_collider_place(PhWorld *world, uint32_t index, uint32_t first, uint32_t slot,
                       PhShape *shape, const PhColliderDef *def);
void ph_collider_drop(PhWorld *world, uint32_t index);
void ph_body_update_proxies(PhWorld *world, uint32_t slot); // flags, after kind or enabled changed
PhStatus ph_world_clean_zombies(PhWorld *world, PhError *error);

// alike.c
// Whether more bodies may be made by ph_bodies_like.
bool ph_body_has_likes(const PhWorld *world, uint32_t like);
// Makes bodies of the next `count` slots, with the same colliders as the body `like`, which no step
// has moved and no joint holds. Numbers of colliders and of proxies go on as they do among those of
// `like`: by one. All places are free, and there is room for them. Differences are for the caller
// to set: generations, poses (ph_refresh_slot), velocities, and the rest of the rows of
// PH_SLOT_ROWS.
void ph_bodies_like(PhWorld *world, uint32_t like, uint32_t count);

// sleep.c
void ph_note_touched(PhWorld *world, bool touched); // notes or forgets what has touched something
// With its whole sleeping island; resets the sleep timers.
void ph_wake(PhWorld *world, uint32_t slot);
void ph_wake_touching(PhWorld *world,
                      uint32_t slot); // sleepers that a body touches or is joined to
// The same for many, by a mark for each slot.
void ph_wake_touching_any(PhWorld *world, const uint8_t *marked);
void ph_wake_in_step(PhWorld *world,
                     uint32_t slot); // recorded in woken[], undone when the step fails
void ph_undo_wakes(PhWorld *world);
void ph_commit_wakes(PhWorld *world);
void ph_put_to_sleep(PhWorld *world,
                     uint32_t slot); // the island as last laid out, or the body alone
// Around the placing of bodies: times of those with a threshold of their own.
void ph_sleep_keep_times(PhWorld *world);
void ph_sleep_judge_times(PhWorld *world, double dt);
void ph_sleep_islands(PhWorld *world, double dt); // stage of the step; never fails

// locks.c
PhStatus ph_locks_set(PhWorld *world, uint32_t slot, uint8_t locks, PhError *error);
// Of a snapshot, when joints are there: whether what it names for the locks of bodies holds them.
bool ph_locks_take(PhWorld *world);
void ph_locks_begin(PhWorld *world); // of a step: when poses are known, before all else
void ph_locks_end(PhWorld *world);   // after the solve, before bodies are placed

// active.c
void ph_list_active(PhWorld *world); // brings the lists up to date

// refresh.c
void ph_refresh_slot(PhWorld *world, uint32_t slot);
void ph_refresh_pose(PhWorld *world, uint32_t slot); // if it has changed; marks it as placed
void ph_refresh_poses(PhWorld *world); // of all slots whose pose has changed; marks moved
void ph_refresh_resting_boxes(PhWorld *world, uint32_t slot);
bool ph_refresh_boxes(PhWorld *world, double dt); // true when pairs have to be found anew
PhSpan ph_span_of(const PhPiece *piece);
bool ph_is_long(const PhPiece *piece);                    // PH_PROXY_LONG
PhAabb ph_near_box(const PhWorld *world, uint32_t proxy); // of what a contact may begin in
// Frame at the centre of mass of a: transforms of both bodies as the narrow phase wants them.
void ph_pair_frames(const PhWorld *world, uint32_t a, uint32_t b, PhTransform *ta, PhTransform *tb);
// Displacement that gravity may add in a step, bounded.
double ph_fall(const PhWorld *world, double dt);
double ph_pair_margin(const PhWorld *world, uint32_t proxy_a, uint32_t proxy_b, double dt);

// contact_stage.c
// Manifolds of all pairs with an awake member. Sleepers that come into range wake, and with them
// all that they reach: *woke. all: the first list holds every pair, so that those of which woke are
// examined too; else they have to be listed and all has to be done again. *changed: the set of
// contacts differs.
PhStatus ph_narrow_phase(PhWorld *world, double dt, bool all, bool *woke, bool *changed);
PhStatus ph_list_contacts(PhWorld *world);

// narrow_proxies.c
// What lane kernels need of a proxy that was added, or whose material was set. like: PH_NULL, or
// one of the same piece that was added since the last step.
void ph_proxy_prepare(PhWorld *world, uint32_t proxy);
void ph_proxies_place_all(PhWorld *world); // in the next step, whether they move or not
void ph_proxy_set_material(PhWorld *world, uint32_t proxy, const PhColliderDef *def);

// pre_solve.c
// Between the narrow phase and the layout: calls the hook and applies its answers. *differs:
// whether the set of contacts changes, as above.
PhStatus ph_pre_solve(PhWorld *world, double dt, bool *differs);
static inline bool ph_is_refused(const PhWorld *world, uint32_t p, uint32_t q) {
    return world->pair_filter.call && ph_verdict_of(world, p, q) == PH_REFUSED;
}

// predicted_contacts.c
// After the narrow phase, with a hook: lists the impacts at which fast bodies would be stopped.
PhStatus ph_predict_contacts(PhWorld *world, double dt);
bool ph_is_predicted_off(const PhWorld *world, uint32_t owner, uint32_t other);

// continuous.c
// Computes the limits of a body after its colliders have changed.
void ph_continuous_measure(PhWorld *world, uint32_t slot);
// Reserves the memory that ph_stop_fast_bodies may need.
PhStatus ph_continuous_reserve(PhWorld *world);
// Between the solver and the placing of bodies.
void ph_continuous_begin(PhWorld *world);
// Keeps the pose of a kinematic body from before it was moved.
void ph_continuous_keep(PhWorld *world, uint32_t slot);
// After a kinematic body was moved. landed: on a target, which may be beyond a periodic boundary.
void ph_continuous_watch(PhWorld *world, uint32_t slot, bool landed);
// After all bodies have been placed: stops those that would pass through something. Cannot fail.
void ph_stop_fast_bodies(PhWorld *world);

// crowd.c
// After the narrow phase: switches off contacts beyond the limit of a step. Sets *differs if there
// are any.
PhStatus ph_leave_out_contacts(PhWorld *world, bool *differs);

// savepoint.c
// Copies what the rest of the step will write. If there is no memory for it, nothing is copied,
// which is no error. PH_ERROR_STOPPED: nothing is copied, and the step has to end.
PhStatus ph_savepoint_take(PhWorld *world);
// Restores the savepoint. The caller undoes what the step did before it.
void ph_savepoint_restore(PhWorld *world);
void ph_savepoint_drop(PhWorld *world); // and its room
// Whether the step is to be stopped and can be undone. If so, the rest of the step does not matter.
static inline bool ph_step_stops(const PhWorld *world) {
    return world->stoppable && ph_stop_wanted(world->stop);
}

// records.c
void ph_start_age(PhWorld *world, uint32_t k); // of a contact that touches from this step on
void ph_settle_records(PhWorld *world);        // before the list of pairs or of contacts changes
// floors.c
PhStatus ph_floors_reserve(PhWorld *world); // once the contacts of the step are listed
void ph_floors_join(PhWorld *world);        // before the solve
void ph_floors_show(const PhWorld *world, uint32_t (*number)[2]); // names joined points in a trace
void ph_floors_part(PhWorld *world, uint32_t aging); // after it; aging: steps that ages grow by

// escapes.c
PhStatus ph_escapes_find(PhWorld *world); // once the contacts of the step are listed
void ph_escapes_begin(PhWorld *world);    // before the solve, when floors are joined
void ph_escapes_end(PhWorld *world);      // after it, before floors are parted

// records.c
static inline const PhContactRecord *ph_record(PhWorld *world, const PhPairList *pairs,
                                               uint32_t k) {
    if (world->layout.behind || world->aged != world->step_count) {
        ph_settle_records(world);
    }
    return &pairs->record[k];
}
// The same without the age, for a pair of the first list.
static inline const PhContactRecord *ph_record_of_impulses(PhWorld *world, uint32_t k) {
    ph_soft_step_settle(&world->layout, &world->broad.pairs);
    return &world->broad.pairs.record[k];
}

// events.c
PhStatus ph_events_reserve(PhWorld *world);
void ph_events_of_contacts(PhWorld *world, double dt);
void ph_events_of_sleep(PhWorld *world, bool wakes);
// The event of the colliders of two living proxies.
PhContactEvent ph_pair_event(const PhWorld *world, uint32_t proxy_a, uint32_t proxy_b,
                             int64_t step);
PhStatus ph_event_room(PhEventList *list, uint64_t more, size_t size);
// Whether an end among those of removed colliders is that of a contact that one before it ended.
bool ph_is_lost_again(const PhWorld *world, uint32_t lost);

// step_trace.c
// Between the preparation of a step and its first change: fills the trace up to the constraints,
// and reserves the frames. On failure the trace is empty.
PhStatus ph_step_trace_begin(PhWorld *world, double dt, PhStepTrace *trace);
// After the bodies have been placed: completes the frames.
void ph_step_trace_end(const PhWorld *world, PhStepTrace *trace);

// queries.c
// Updates what queries see with what has moved since the last query.
void ph_query_update(PhWorld *world);
// Brings the query tree up to date. Fails with PH_ERROR_STOPPED when world->stop asks for it.
PhStatus ph_query_refresh(PhWorld *world, PhError *error);
// Whether work that has examined `seen` things has to end. Counts, and asks the caller now and
// then.
static inline bool ph_stops_now(const PhWorld *world, uint32_t *seen) {
    return ++*seen % 1024 == 0 && ph_stop_wanted(world->stop);
}
// Whether groups, categories and masks let two colliders collide.
static inline bool ph_would_collide(const PhColliderDef *a, const PhColliderDef *b) {
    return ph_filters_agree((PhCollisionFilter){a->group, a->category, a->mask},
                            (PhCollisionFilter){b->group, b->category, b->mask});
}
static inline bool ph_filter_allows(PhQueryFilter filter, uint32_t collider) {
    return !filter.allowed || (collider < filter.allowed_count && filter.allowed[collider]);
}
static inline bool ph_query_wants(const PhWorld *world, uint32_t proxy, PhQueryFilter filter) {
    const PhCollider *collider = &world->collider[world->proxies.collider[proxy]];
    return world->body[world->proxies.body[proxy]].enabled &&
           (collider->def.category & filter.mask) != 0 &&
           (filter.include_sensors || !collider->def.sensor) &&
           ph_filter_allows(filter, world->proxies.collider[proxy]);
}

// Whether a collider may collide with anything. A sensor has no contacts.
static inline bool ph_meets_any(const PhColliderDef *def) {
    return !def->sensor && ((def->category && def->mask) || def->group > 0);
}

// rays.c
extern const PhWorldRayHit ph_no_hit;
static inline bool ph_hit_before(const PhWorldRayHit *a, const PhWorldRayHit *b) {
    if (a->fraction != b->fraction) {
        return a->fraction < b->fraction;
    }
    return a->collider != b->collider ? a->collider < b->collider : a->piece < b->piece;
}
void ph_targets_forget(PhTargets *targets);
void ph_targets_free(PhTargets *targets);

#endif

// The world: bodies in slots, colliders on bodies, one step, questions and answers.
//
// Ownership: a world owns its bodies, colliders and contacts; users hold ids with a generation.
// Shapes are shared by reference count. The memory of the live arrays (PhState) outlives the world
// while anything holds a reference to it. Threads: one call at a time per world; the caller's gate
// sees to it. Different worlds are independent. Errors: every function that can fail returns a
// status, leaves outputs and the world as they were, and fills *error. Numbers are SI, float64, y
// up, angles counter-clockwise.
#ifndef PH_WORLD_WORLD_H
#define PH_WORLD_WORLD_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/status.h"
#include "broad/pairs.h"
#include "geometry/shape.h"
#include "math/wrap.h"
#include "solve/solver.h"

typedef struct PhWorld PhWorld;

typedef struct PhId {
    uint32_t index, generation;
} PhId;

// Never the same again in its world: what Python calls id.
static inline uint64_t ph_id_number(PhId id) {
    return (uint64_t)id.generation << 32 | id.index;
}

// Units of length that a world may have: beyond them squares of built-in lengths leave float32.
#define PH_LEAST_UNIT 1e-6
#define PH_MOST_UNIT 1e6

// Ranges of what is written into the state of a body or passed for it. Beyond these positions and
// angles, float64 has no digits left for what a step changes.
#define PH_MAX_POSITION 1e15 // m
#define PH_MAX_ANGLE 1e15    // rad
#define PH_MAX_VELOCITY 1e9  // m/s and rad/s; the largest max_speed and max_angular_speed

// Coordinates of its centre of mass that a dynamic body keeps.
typedef enum PhLock { PH_LOCK_X = 1, PH_LOCK_Y = 2 } PhLock;

typedef enum PhBodyKind {
    PH_STATIC,
    PH_KINEMATIC,
    PH_DYNAMIC
} PhBodyKind; // values of the array `kinds`
typedef enum PhSolverKind { PH_SOFT_STEP, PH_SEQUENTIAL_IMPULSES } PhSolverKind;

// ------------------------------------------------------------------------------------------------
// live arrays

// One row per slot, in memory that never moves while it is reserved. In a build (or on a system)
// without reservation the block is replaced when it is full; older blocks stay valid memory but are
// not examined any more.
typedef struct PhState {
    atomic_uint references;
    uint32_t capacity; // slots
    bool reserved;     // an address range, else plain memory
    size_t bytes;
    void *base;
    double (*position)[2]; // of the body's origin, m
    double *angle;         // rad
    double (*velocity)[2]; // of the centre of mass, m/s
    double *angular_velocity;
    double (*force)[2]; // N, cleared by each step
    double *torque;     // N m
    double *mass;       // kg; 0 unless dynamic
    double *inertia;    // kg m^2 about the centre of mass; 0 unless dynamic
    uint8_t *awake, *alive, *kind;
} PhState;

void ph_state_retain(PhState *state);
void ph_state_release(PhState *state);

// ------------------------------------------------------------------------------------------------
// world
typedef struct PhWorldDef {
    double length_unit; // of a metre, in what positions are given in; PhLengths follow from it
    PhVec2 gravity;
    PhVec2 wrap; // m; infinite where the world does not wrap
    int32_t substeps, workers;
    PhSolverKind solver;
    PhBroadPhase broadphase;
    bool sleeping, continuous;
    uint32_t max_bodies;
    PhMixRule friction_rule, restitution_rule;
    double contact_hertz, contact_damping_ratio, contact_push_speed;
    double joint_hertz, joint_damping_ratio;
    double restitution_threshold, hit_event_threshold, max_speed, max_angular_speed;
    double linear_damping, angular_damping; // of all bodies, beside their own
    int32_t iterations;
    double baumgarte, slop, positional_correction;
    bool warm_starting, accumulate, translate;
} PhWorldDef;

// gravity (0, -9.81), no wrap, substeps 8, workers 1, contacts 60 Hz / ratio 10 / 3 m/s, joints 60
// Hz / ratio 2, restitution above 0.1 m/s, hits above 1 m/s, max speed 400 m/s, max angular speed
// 1e5 rad/s, 10 iterations, baumgarte 0.2, slop 0.01 m, correction 0, max_bodies 2^20. Speeds and
// the slop are so many times the unit of length; gravity is not.
PhWorldDef ph_world_def(double length_unit);
PhWorld *ph_world_create(const PhWorldDef *def, PhError *error);
void ph_world_destroy(PhWorld *world); // NULL is allowed
// A second world that shares nothing but the shapes: same hash, same ids, same events, and the same
// bits whatever is done to both. NULL when out of memory, or when stop (which may be NULL) is
// wanted.
PhWorld *ph_world_clone(const PhWorld *world, const PhStop *stop, PhError *error);
// Brings the world to the state of a clone of it and destroys the clone. The live arrays stay where
// they are. In neither may a body have been made since the clone was. Cannot fail.
void ph_world_adopt(PhWorld *world, PhWorld *clone);

// Gives room for so many bytes, or NULL when there is no memory.
typedef uint8_t *(*PhRoom)(void *context, size_t size);
// The state as bytes, which every version from this one on reads on every platform: all that the
// next step depends on, but for hooks. They fill the room that is given for them. Numbers that a
// step would refuse are refused (PH_ERROR_NONFINITE).
PhStatus ph_world_snapshot(PhWorld *world, PhRoom room, void *context, PhError *error);
// A world with that state; workers 0: as many as it had. PH_ERROR_VALUE for what is no snapshot:
// nothing that is written in it is trusted.
PhWorld *ph_world_from_snapshot(const uint8_t *bytes, size_t size, int32_t workers, PhError *error);
// Brings a world to the state of a snapshot; the number of workers, the hook and the kernels stay.
// Bodies, colliders, joints and fields that are in both by id are the same; ids that were given out
// since are never given out again. What the world no longer needs it keeps as room for the next
// time; and where it has the bodies of the snapshot, made in the same way, they are not made again.
// On failure (as above; memory; more slots than max_bodies) the world is as it was.
PhStatus ph_world_restore(PhWorld *world, const uint8_t *bytes, size_t size, PhError *error);

const PhWorldDef *ph_world_settings(const PhWorld *world);
// Between steps; max_bodies and wrap stay as they are. Another gravity, and an end of sleeping,
// wake everything.
PhStatus ph_world_change(PhWorld *world, const PhWorldDef *def, PhError *error);
// The table of what materials make of each other, count rows of count pairs, 0 to
// PH_MAX_MATERIALS; symmetric. Wakes all bodies where colliders have materials.
enum { PH_MAX_MATERIALS = 256 };
#define PH_MAX_SURFACE 1e30 // friction, restitution, rolling resistance
PhStatus ph_world_set_material_pairs(PhWorld *world, const PhMaterialPair *pairs, uint32_t count,
                                     PhError *error);
// Until it is set again.
const PhMaterialPair *ph_world_material_pairs(const PhWorld *world, uint32_t *count);
double ph_world_time(const PhWorld *world);
uint64_t ph_world_step_count(const PhWorld *world);
const char *ph_world_simd(const PhWorld *world);
PhStatus ph_world_set_simd(PhWorld *world,
                           const char *name);       // for tests; PH_ERROR_VALUE when not available
PhState *ph_world_state(const PhWorld *world);      // borrowed
uint32_t ph_world_slot_count(const PhWorld *world); // highest slot ever used + 1
uint32_t ph_world_body_count(const PhWorld *world);
// Convex pieces of all colliders, and places for some that are gone.
uint32_t ph_world_piece_count(const PhWorld *world);
uint32_t ph_world_visit_count(const PhWorld *world);
uint32_t ph_world_views_moved(
    const PhWorld *world); // times the live arrays had to move (0 with reservation)
// Tells the world that a user may write through a view from now on (true) or that no view is alive
// (false).
void ph_world_set_watched(PhWorld *world, bool watched);

// One step of dt > 0. PH_ERROR_NONFINITE names the first body with a bad number (error->index
// is its slot) before anything moves; PH_ERROR_MEMORY and PH_ERROR_STOPPED likewise leave the state
// as it was.
PhStatus ph_world_step(PhWorld *world, double dt, PhError *error);
PhStatus ph_world_check_dt(double dt, PhError *error); // whether a step may be so long
typedef struct PhPreSolveRow {                         // a contact before it acts
    int32_t body_a, body_b, collider_a, collider_b, piece_a, piece_b;
    double normal[2], point[2];  // world; normal from a to b; the deepest point
    double separation, approach; // approach: speed at which the surfaces close there, m/s
    uint64_t id;                 // of the contact; 0: it has not begun
    // Those below may be written. tangent_speed: wanted velocity of b's surface less a's along
    // (normal.y, -normal.x), m/s.
    double friction, restitution, tangent_speed;
    uint8_t enabled;
} PhPreSolveRow;
typedef struct PhPreSolve {
    // False: the step fails with PH_ERROR_STOPPED. The world must not be touched. NULL: no hook.
    bool (*call)(void *context, PhPreSolveRow *rows, uint32_t count);
    void *context;
} PhPreSolve;
// Called in every step in which there are contacts of colliders with pre_solve.
void ph_world_set_pre_solve(PhWorld *world, PhPreSolve hook);
typedef struct PhFilterRow { // two colliders that come near each other, the lower one first
    int32_t body_a, body_b, collider_a, collider_b;
} PhFilterRow;
typedef struct PhPairFilter {
    // allowed[k] = 1: the two of rows[k] may collide; else 0. False: the step fails with
    // PH_ERROR_STOPPED. The world must not be touched. NULL: all may.
    bool (*call)(void *context, const PhFilterRow *rows, uint8_t *allowed, uint32_t count);
    void *context;
} PhPairFilter;
// Called in steps in which colliders come near each other whose filters agree, once for two
// colliders, which are remembered as long as they are near. Contacts and stops of fast bodies go by
// it; queries and sensors do not.
void ph_world_set_pair_filter(PhWorld *world, PhPairFilter filter);
void ph_world_forget_pairs(PhWorld *world); // all pairs are asked about anew
// The same, and all bodies wake: what held them may do so no longer.
void ph_world_refilter(PhWorld *world);
// Asked in the course of each step, from any of its threads, until NULL is set. Once it has said
// yes it goes on to; the step is undone then, and fails with PH_ERROR_STOPPED.
void ph_world_set_stop(PhWorld *world, const PhStop *stop);
// Begins a run of steps whose events belong together: clears the event lists.
void ph_world_clear_events(PhWorld *world);

// ------------------------------------------------------------------------------------------------
// bodies
typedef struct PhBodyDef {
    PhBodyKind kind;
    PhVec2 position;
    double angle;
    PhVec2 velocity;
    double angular_velocity;
    double gravity_scale, linear_damping, angular_damping;
    bool awake, can_sleep, bullet, fixed_rotation, enabled;
    double mass; // 0: from the colliders' densities; > 0: scales mass and inertia of the colliders
                 // to this
    double inertia;         // kg m^2 about the centre of mass; 0: from the colliders and the mass
    bool own_center;        // false: the centre of mass is from the colliders
    PhVec2 center;          // of mass, body frame
    double sleep_threshold; // m/s; negative: PhLengths.sleep_speed
    uint8_t locks;          // PhLock
} PhBodyDef;
// What a segment of a chain has of its own; NaN: what the collider has.
typedef struct PhSegmentSurface {
    double friction, restitution, rolling_resistance, tangent_speed;
    int32_t material; // -1: the collider's
    uint32_t unused;  // 0
} PhSegmentSurface;
// Shared by reference count, as shapes are; never changes.
typedef struct PhSegments {
    atomic_uint references;
    uint32_t count;
    PhSegmentSurface *surface;
} PhSegments;
// NULL for numbers out of range, or no memory.
PhSegments *ph_segments_create(const PhSegmentSurface *surfaces, uint32_t count, PhError *error);
void ph_segments_retain(PhSegments *segments); // NULL is allowed
void ph_segments_release(PhSegments *segments);

typedef struct PhColliderDef {
    double density, friction, restitution, rolling_resistance, tangent_speed;
    uint64_t category, mask;
    int32_t group;
    bool sensor, pre_solve;
    uint8_t friction_rule, restitution_rule; // 1 + PhMixRule; 0: the world's
    uint16_t material;                       // 1 + its number; 0: none
    // Of a chain, a surface for each of its segments, or NULL. Borrowed; a world keeps a reference
    // of its own.
    PhSegments *segments;
} PhColliderDef;

// Dynamic, awake, can_sleep, enabled, gravity_scale 1, mass and all of it from the colliders.
PhBodyDef ph_body_def(void);
PhColliderDef ph_collider_def(void); // density 1, friction 0.6, category 1, mask all

// Makes count bodies, each with shape_count shapes (0 or more) and a collider definition, all or
// none. The defs are read with the given stride (0: the same for all), and so are the shapes: 0, or
// shape_count. slots receives count slots. On PH_ERROR_VALUE error->index is the row.
PhStatus ph_bodies_create(PhWorld *world, uint32_t count, const PhBodyDef *defs,
                          uint32_t def_stride, const PhColliderDef *collider_defs,
                          uint32_t collider_stride, PhShape *const *shapes, uint32_t shape_stride,
                          uint32_t shape_count, uint32_t *slots, PhError *error);
PhStatus ph_body_destroy(PhWorld *world, PhId body, PhError *error); // wakes what touched it
// Many of them, those that are still there. On failure (memory) none.
PhStatus ph_bodies_destroy(PhWorld *world, const PhId *bodies, uint32_t count, PhError *error);
// The id that the next body will have, if it is made before any is removed. Makes room for it.
PhStatus ph_body_next_id(PhWorld *world, PhId *id, PhError *error);
bool ph_body_valid(const PhWorld *world, PhId body);
PhId ph_body_id(const PhWorld *world, uint32_t slot); // generation of a living slot
bool ph_slot_alive(const PhWorld *world, uint32_t slot);

// Getters and setters: the id must be valid (PH_ERROR_REMOVED otherwise). Setters check their
// numbers.
typedef struct PhBodyInfo { // everything that is not in the live arrays
    PhBodyKind kind;
    double mass, inertia; // as in the arrays
    PhVec2 center_local;  // centre of mass in the body's frame
    double gravity_scale, linear_damping, angular_damping;
    bool awake, can_sleep, bullet, fixed_rotation, enabled;
    bool own_mass, own_inertia, own_center; // given, not from the colliders
    double sleep_threshold;                 // m/s
    bool own_sleep_threshold;               // given
    uint8_t locks;                          // PhLock
    uint32_t collider_count;
} PhBodyInfo;
PhStatus ph_body_info(const PhWorld *world, PhId body, PhBodyInfo *info);
PhTransform ph_body_transform(const PhWorld *world, uint32_t slot); // of the arrays as they are now
// The image of a point that is nearest to the body, in a wrapped world; else the point.
PhVec2 ph_body_image_of(const PhWorld *world, uint32_t slot, PhVec2 point);
PhVec2 ph_body_middle(const PhWorld *world, uint32_t slot); // what it is nearest to

PhStatus ph_body_set_kind(PhWorld *world, PhId body, PhBodyKind kind, PhError *error);
PhStatus ph_body_set_pose(PhWorld *world, PhId body, PhVec2 position, double angle,
                          PhError *error); // wakes
PhStatus ph_body_set_velocity(PhWorld *world, PhId body, PhVec2 velocity, double angular,
                              PhError *error); // wakes
// What is given holds whatever becomes of the colliders, until it is given up: 0, or NULL. A mass
// scales the inertia unless that is given too. Dynamic bodies only; wakes.
PhStatus ph_body_set_mass(PhWorld *world, PhId body, double mass, PhError *error);
PhStatus ph_body_set_inertia(PhWorld *world, PhId body, double inertia, PhError *error);
PhStatus ph_body_set_center(PhWorld *world, PhId body, const PhVec2 *center, PhError *error);
PhStatus ph_body_set_awake(PhWorld *world, PhId body, bool awake,
                           PhError *error); // false: puts its whole island to sleep
// Wakes what it touches or is joined to, whatever its own kind.
PhStatus ph_body_wake_touching(PhWorld *world, PhId body, PhError *error);
typedef enum PhBodyFlag {
    PH_FLAG_CAN_SLEEP,
    PH_FLAG_BULLET,
    PH_FLAG_FIXED_ROTATION,
    PH_FLAG_ENABLED,
    PH_FLAG_LOCK_X, // may want memory
    PH_FLAG_LOCK_Y
} PhBodyFlag;
PhStatus ph_body_set_flag(PhWorld *world, PhId body, PhBodyFlag flag, bool value, PhError *error);
typedef enum PhBodyNumber {
    PH_GRAVITY_SCALE,
    PH_LINEAR_DAMPING,
    PH_ANGULAR_DAMPING,
    PH_SLEEP_THRESHOLD // negative: PhLengths.sleep_speed
} PhBodyNumber;
PhStatus ph_body_set_number(PhWorld *world, PhId body, PhBodyNumber which, double value,
                            PhError *error);

// Force and impulse act at a world point; NULL means the centre of mass. All wake the body. No
// effect unless dynamic.
PhStatus ph_body_apply_force(PhWorld *world, PhId body, PhVec2 force, const PhVec2 *point,
                             PhError *error);
PhStatus ph_body_apply_impulse(PhWorld *world, PhId body, PhVec2 impulse, const PhVec2 *point,
                               PhError *error);
PhStatus ph_body_apply_torque(PhWorld *world, PhId body, double torque, PhError *error);
PhStatus ph_body_apply_angular_impulse(PhWorld *world, PhId body, double impulse, PhError *error);
// Velocities that bring a kinematic body to the pose in one step of dt (exactly: the step lands on
// it).
PhStatus ph_body_move_to(PhWorld *world, PhId body, PhVec2 position, double angle, double dt,
                         PhError *error);

// ------------------------------------------------------------------------------------------------
// colliders
PhStatus ph_collider_create(PhWorld *world, PhId body, PhShape *shape, const PhColliderDef *def,
                            PhId *collider, PhError *error); // updates the body's mass
PhStatus ph_collider_destroy(PhWorld *world, PhId collider, PhError *error);
bool ph_collider_valid(const PhWorld *world, PhId collider);
PhId ph_collider_id(const PhWorld *world, uint32_t index); // of a living collider
// That of the collider that is created next; it makes the room for that.
PhStatus ph_collider_next_id(PhWorld *world, PhId *id, PhError *error);
uint32_t ph_world_collider_limit(const PhWorld *world); // indices are below this
bool ph_collider_alive(const PhWorld *world, uint32_t index);
uint32_t ph_world_collider_count(const PhWorld *world);
// Colliders of a body in order of creation: first, then next; PH_NULL at the end.
uint32_t ph_body_first_collider(const PhWorld *world, uint32_t slot);
uint32_t ph_collider_next(const PhWorld *world, uint32_t index);
uint32_t ph_collider_body(const PhWorld *world, uint32_t index);  // slot
PhShape *ph_collider_shape(const PhWorld *world, uint32_t index); // borrowed
PhColliderDef ph_collider_material(const PhWorld *world, uint32_t index);
PhStatus ph_collider_set_material(PhWorld *world, PhId collider, const PhColliderDef *def,
                                  PhError *error); // density: new mass
// Wakes the body and what it touches. Contacts go on where the shape has as many pieces as the one
// before, and begin anew otherwise. update_mass: else mass, inertia and centre of mass of the body
// are given from here on, as they are.
PhStatus ph_collider_set_shape(PhWorld *world, PhId collider, PhShape *shape, bool update_mass,
                               PhError *error);
PhAabb ph_collider_aabb(const PhWorld *world, uint32_t index); // tight, pose as it is now

// ------------------------------------------------------------------------------------------------
// reading the step
typedef struct PhContactPoint { // a row of world.contacts
    int32_t body_a, body_b, collider_a, collider_b, piece_a, piece_b;
    double normal[2], point[2];                         // world; normal from a to b
    double separation, normal_impulse, tangent_impulse; // impulses: totals of the last step, N s
    uint32_t feature, age;
    uint64_t id; // of the contact of the two colliders
} PhContactPoint;
// Points of touching pairs with the poses as they are now; impulses of the last step. Of one slot,
// or of all (PH_NULL). `rows` has room for the limit. Returns how many there are.
uint64_t ph_world_contact_limit(const PhWorld *world, uint32_t slot);
uint64_t ph_world_contacts(PhWorld *world, uint32_t slot, PhContactPoint *rows);
// Those of the contact with an id, in memory from ph_alloc; *rows is NULL where it has ended or
// never began. There may be none while it lasts: of two that were moved apart since the step.
PhStatus ph_world_contact(PhWorld *world, uint64_t id, PhContactPoint **rows, uint32_t *count,
                          PhError *error);

typedef struct PhPairRow { // a row of world.pairs: candidate pairs of the broad phase, in canonical
                           // order
    int32_t body_a, body_b, collider_a, collider_b, piece_a, piece_b;
} PhPairRow;
PhStatus ph_world_pairs(PhWorld *world, PhPairRow **rows, uint32_t *count, PhError *error);

// Indices are given out again after a removal, ids (ph_id_number) never.
typedef struct PhContactEvent { // of a contact, or of a sensor a and its visitor b
    int64_t step;
    int32_t body_a, body_b, collider_a, collider_b;
    uint64_t body_id_a, body_id_b, collider_id_a, collider_id_b;
} PhContactEvent;
// Ids of contacts are given out when they begin, counted from 1, and never again.
typedef struct PhTouchEvent { // begin or end of a contact
    PhContactEvent pair;
    uint64_t id;
} PhTouchEvent;
typedef struct PhHitEvent {
    PhContactEvent pair;
    uint64_t id; // that of its begin
    double point[2], normal[2], speed, impulse;
} PhHitEvent;
typedef struct PhBodyEvent {
    int64_t step;
    int32_t body, unused; // 0
    uint64_t body_id;
} PhBodyEvent;
typedef struct PhEvents { // borrowed until the next call that changes the world; in order of step,
                          // then of pair or slot
    const PhTouchEvent *begin, *end;
    const PhContactEvent *sensor_begin, *sensor_end;
    const PhHitEvent *hit;
    const PhBodyEvent *sleep, *wake;
    const struct PhJointEvent *joint_break;
    uint32_t begin_count, end_count, sensor_begin_count, sensor_end_count, hit_count, sleep_count,
        wake_count, joint_break_count;
} PhEvents;
PhEvents ph_world_events(const PhWorld *world);
// Before the events are read: a step that had no memory left to examine its sensors has that done.
PhStatus ph_world_settle_events(PhWorld *world, PhError *error);
// Living bodies whose pose changed in the last run of steps, or before one of them by a call or a
// write that it has seen, each with the last such step; by step, then by slot. `rows` has room for
// every slot, or is NULL. Returns how many there are.
uint32_t ph_world_body_moves(const PhWorld *world, PhBodyEvent *rows);
// Colliders that a sensor overlaps with the poses as they are now, ascending, from ph_alloc; none
// of what is no sensor.
PhStatus ph_sensor_overlaps(PhWorld *world, uint32_t sensor, uint32_t **colliders, uint32_t *count,
                            PhError *error);

double ph_world_kinetic_energy(const PhWorld *world);
double ph_world_potential_energy(
    const PhWorld *world); // - m g . x of the centres of mass (gravity scale included)
PhVec2 ph_world_momentum(const PhWorld *world);
double ph_world_angular_momentum(const PhWorld *world, PhVec2 about);

enum {
    PH_STAGE_REFRESH,
    PH_STAGE_PAIRS,
    PH_STAGE_NARROW,
    PH_STAGE_LAYOUT,
    PH_STAGE_SOLVE,
    PH_STAGE_CONTINUOUS,
    PH_STAGE_FINISH,
    PH_STAGE_STEP,
    PH_STAGE_COUNT
};
extern const char *const ph_stage_names[PH_STAGE_COUNT];
const double *
ph_world_profile(const PhWorld *world); // PH_STAGE_COUNT entries, milliseconds of the last step
typedef struct PhCounters {             // touching: pairs of colliders, as the events tell them;
                                        // visits: likewise, of sensors and colliders in them
    uint32_t bodies, awake, colliders, proxies, pairs, contacts, touching, visits, islands, batches,
        colors, wide_contacts, rows,
        substeps, // the most that an island had in the last step
        stopped,  // bodies, by continuous collision in the last step
        limited,  // bodies that the last step kept within a limit of speed or angular speed
        left_out; // contacts that the last step left out, of what lies in one place
    uint64_t pair_rebuilds, layout_rebuilds; // since the world was made
    uint64_t bytes;                          // memory of live arrays in use
} PhCounters;
PhCounters ph_world_counters(const PhWorld *world);
// Island number per slot: 0, 1, 2 ... in order of the lowest slot, -1 for bodies that are not
// dynamic. Sleeping islands too.
PhStatus ph_world_islands(PhWorld *world, int32_t *islands); // slot_count entries
uint64_t ph_world_hash(PhWorld *world);                      // of all that shapes the future

// ------------------------------------------------------------------------------------------------
// queries

// All use the poses as they are now. Filter: collider.category & mask != 0. Sensors only when
// include_sensors. Lists come from ph_alloc, sorted by collider index (cast_ray_all: by fraction,
// then collider).
typedef struct PhQueryFilter {
    uint64_t mask;
    bool include_sensors;
    const uint8_t *allowed; // by collider index, and none beyond the count; NULL: all
    uint32_t allowed_count;
} PhQueryFilter;
typedef struct PhWorldRayHit {
    int32_t collider, body, piece;        // -1 for a miss
    int32_t unused;                       // 0: no byte of a row is left to chance
    double point[2], normal[2], fraction; // NaN for a miss
} PhWorldRayHit;
// A ray with a radius is the path of a disc: the fraction is where it first touches, the point
// where they touch. Rays, and the centres of discs, meet chains from their free side only.
PhStatus ph_world_cast_ray(PhWorld *world, PhVec2 origin, PhVec2 translation, double radius,
                           PhQueryFilter filter, PhWorldRayHit *hit,
                           PhError *error); // the first hit, of lowest collider among equals
PhStatus ph_world_cast_ray_all(PhWorld *world, PhVec2 origin, PhVec2 translation, double radius,
                               PhQueryFilter filter, PhWorldRayHit **hits, uint32_t *count,
                               PhError *error); // one per collider
// origins and translations: count x 2; radii: count, or NULL for rays without one. Needs no Python;
// the caller may release the GIL.
PhStatus ph_world_cast_rays(PhWorld *world, uint32_t count, const double (*origins)[2],
                            const double (*translations)[2], const double *radii,
                            PhQueryFilter filter, PhWorldRayHit *hits, PhError *error);
// Colliders one of whose pieces has a tight box that overlaps.
PhStatus ph_world_query_aabb(PhWorld *world, PhAabb box, PhQueryFilter filter, uint32_t **colliders,
                             uint32_t *count, PhError *error);
PhStatus ph_world_at(PhWorld *world, PhVec2 point, PhQueryFilter filter, uint32_t **colliders,
                     uint32_t *count, PhError *error); // that contain the point
PhStatus ph_world_overlap(PhWorld *world, const PhShape *shape, PhVec2 position, double angle,
                          PhQueryFilter filter, uint32_t **colliders, uint32_t *count,
                          PhError *error);
// Slots of bodies that touched this body in the last step, by colliders that pass the filter, and
// of those whose sensors it overlaps; ascending.
PhStatus ph_world_touching(PhWorld *world, PhId body, PhQueryFilter filter, uint32_t **slots,
                           uint32_t *count, PhError *error);
// The query tree, brought up to date; leaves carry the proxy number as data. Borrowed.
PhStatus ph_world_tree(PhWorld *world, const PhAabbTree **tree, PhError *error);
// Proxy to collider and piece.
void ph_proxy_owner(const PhWorld *world, uint32_t proxy, uint32_t *collider, uint32_t *piece);

#endif

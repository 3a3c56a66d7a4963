// Joints of a world. The parameters of a kind are a list of named numbers (solve/joint_records.h),
// so that checks, keywords and properties are written once.
//
// Body a may be the world (an id of PH_NULL); b is always a body. Making, changing and removing a
// joint wakes its bodies. A joint is removed with either of its bodies.
#ifndef PH_WORLD_JOINTS_H
#define PH_WORLD_JOINTS_H

#include "solve/joint_records.h"
#include "world/world.h"

typedef struct PhJointDef {
    PhJointKind kind;
    PhId body[2];     // index PH_NULL for a: the world; a gear has the bodies of its joints
    PhId geared[2];   // joints of a gear
    PhVec2 anchor[2]; // world
    bool local[2];    // given in the frames of the bodies, which are kept to the last bit
    PhVec2 local_anchor[2];
    bool referenced; // the angle of b less that of a at which the joint's angle is 0 is given
    double reference;
    PhVec2 axis;   // world, not zero; of kinds that have one
    double length; // of a distance joint; NaN: as it is now
    bool collide_connected;
    double value[PH_JOINT_VALUES]; // NaN: to be computed, where the kind allows it
} PhJointDef;

PhJointDef ph_joint_def(PhJointKind kind); // initial values
PhStatus ph_joint_create(PhWorld *world, const PhJointDef *def, PhId *joint, PhError *error);
PhStatus ph_joint_destroy(PhWorld *world, PhId joint, PhError *error);
// Sets all numbers at once; numbers that the kind does not have are left alone. NaN: to be computed
// from the present poses, as when the joint is made.
PhStatus ph_joint_set(PhWorld *world, PhId joint, const double value[PH_JOINT_VALUES],
                      PhError *error);
// A joint that locks a coordinate of a body does not exist for users: it is not valid, not counted,
// not alive.
bool ph_joint_valid(const PhWorld *world, PhId joint);
bool ph_joint_is_lock(const PhWorld *world, uint32_t index);       // of a living index
const PhJoint *ph_joint_get(const PhWorld *world, uint32_t index); // of a living index
const PhJointResult *ph_joint_result(const PhWorld *world, uint32_t index);
uint32_t ph_joint_count(const PhWorld *world);
uint32_t ph_joint_limit(const PhWorld *world); // indices are below this
bool ph_joint_alive(const PhWorld *world, uint32_t index);
PhId ph_joint_id(const PhWorld *world, uint32_t index); // generation of a living index
// The id of the joint that is created next. Makes room for that joint.
PhStatus ph_joint_next_id(PhWorld *world, PhId *id, PhError *error);
// The ends of the joints of a body: 2 x index + side, PH_NULL at the end. They are in no particular
// order.
uint32_t ph_body_first_joint(const PhWorld *world, uint32_t slot);
uint32_t ph_joint_next(const PhWorld *world, uint32_t end);

typedef struct PhJointReading {
    PhVec2 anchor[2], axis; // world
    double position, speed; // of the coordinate of its kind, NaN for none: m or rad
    double angle, spin;     // of b against a, unwrapped; of kinds that have rows
} PhJointReading;
// Reads a joint with a living index, at the present poses and velocities.
PhJointReading ph_joint_read(const PhWorld *world, uint32_t index);
// The error of a joint: how far it is from what it holds, limits included; m, rad.
void ph_joint_separation(const PhWorld *world, uint32_t index, double *linear, double *angular);
// Parts of the frame, see PH_JOINT_FRAME. Setting one moves what the joint holds and wakes its
// bodies. Gears and joints without rows have none. The axis may have any length > 0.
typedef enum PhJointPart {
    PH_JOINT_ANCHOR_A,
    PH_JOINT_ANCHOR_B,
    PH_JOINT_AXIS,
    PH_JOINT_REFERENCE, // x alone
} PhJointPart;
PhStatus ph_joint_move(PhWorld *world, PhId joint, PhJointPart part, PhVec2 value, PhError *error);

typedef struct PhJointEvent {
    int64_t step;
    int32_t joint, unused;
    uint64_t joint_id; // never given out again
    double force[2], torque;
} PhJointEvent;

// ------------------------------------------------------------------------------------------------
// inside of world/

typedef struct PhJoints {
    PhJoint *joint;
    PhJointResult *result;     // by joint
    double *effective_inertia; // by slot, see PhSolverJoints
    uint64_t *apart;           // sorted pairs of slots that do not collide: lower << 32 | higher
    uint32_t limit, capacity, result_capacity, count, effective_inertia_capacity, apart_count,
        apart_capacity;
    uint32_t locks;                    // how many joints lock bodies (locks.c)
    uint32_t active, gears, distances; // numbers for the present layout
    uint32_t free_hint;
    bool apart_stale;
    bool plain;   // of the present layout, see PhSolverJoints
    bool hinged;  // likewise: a hinge has a spring, whose effective mass depends on the substep
    bool idle;    // a joint has become inactive: its load is to be dropped
    bool watched; // an active joint may break, or changes its own numbers
    bool elastic; // a spring may be given by stiffness
    bool uneasy;  // one side may be asleep while the other is not
} PhJoints;

// Whether a solver has a kind, takes its numbers, and has all joints of a world.
PhStatus ph_joint_check_kind(PhSolverKind solver, PhJointKind kind, PhError *error);
PhStatus ph_joint_check_solver(PhSolverKind solver, PhJointKind kind, const double *value,
                               PhError *error);
PhStatus ph_joints_check_solver(const PhWorld *world, PhSolverKind solver, PhError *error);
// Returns PH_ERROR_NONFINITE for a body with joints beyond PH_JOINT_MOST, m or rad.
PhStatus ph_joints_check_place(const PhWorld *world, uint32_t slot, PhError *error);
// For a snapshot: places a joint, checked, with its generation, at an index below the limit. Wakes
// nothing. Once all are there, and their bodies are in their places, which no joint holds before,
// they are tied to them; joints of gears are checked.
PhStatus ph_joint_place(PhWorld *world, uint32_t index, const PhJoint *joint,
                        const PhJointResult *result, PhError *error);
void ph_joints_tie_placed(PhWorld *world);
PhStatus ph_joints_place_gears(PhWorld *world, PhError *error);
void ph_joint_drop(PhWorld *world, uint32_t index);
void ph_joints_drop_body(PhWorld *world,
                         uint32_t slot); // removes its joints, before it is removed itself
void ph_joints_wake_ends(PhWorld *world, uint32_t index); // the bodies of a joint
void ph_joints_wake(PhWorld *world, uint32_t slot); // wakes what a body that is not dynamic holds
// Wakes sleepers that a joint connects to what moves.
void ph_joints_wake_in_step(PhWorld *world, bool fixed_moved);
// Before pairs are found: makes the list of pairs that do not collide, and reserves the memory of a
// step.
PhStatus ph_joints_prepare(PhWorld *world);
// Computes frequency and damping ratio of springs that are given by stiffness and damping, from the
// present masses.
void ph_joint_tell_spring(PhWorld *world, uint32_t index);
void ph_joints_activate(PhWorld *world); // before a layout is built
PhSolverJoints ph_joints_for_solver(PhWorld *world);
void ph_joints_break(PhWorld *world); // after the solve
uint64_t ph_joints_hash(const PhWorld *world, uint64_t hash);

// joint_frame.c: the anchors of a and b and the axis, x and y each, in the frames of the bodies,
// and the reference angle, as the joint stores them. Setting them wakes nothing. It fails, and
// changes nothing, if the axis is no unit vector or a number is out of range.
enum { PH_JOINT_FRAME = 7 };
void ph_joint_frame(const PhWorld *world, uint32_t index, double frame[PH_JOINT_FRAME]);
bool ph_joint_set_frame(PhWorld *world, uint32_t index, const double frame[PH_JOINT_FRAME]);

#endif

// Joints: what the world keeps of one, what a kind is, and how the solver holds them.
//
// A kind is one file and one row of the list in joint_list.h. The file says, for given poses, along
// which directions it acts (at most three rows, each a Jacobian) and what they measure; how rows
// are held, limited, driven or sprung is the same for all kinds (joint_solve.c,
// articulation_source.h).
//
// Frames: a row's Jacobian acts on (vx, vy, w) of the centres of mass, in the world's directions;
// lengths are differences of positions. Articulations: m, s, rad, kg.
#ifndef PH_SOLVE_JOINT_RECORDS_H
#define PH_SOLVE_JOINT_RECORDS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "broad/aabb_tree.h"
#include "math/vec2.h"
#include "math/wrap.h"
#include "solve/joint_list.h"

#define PH_JOINT_NUMBER(KIND, name, Type) PH_JOINT_##KIND,
typedef enum PhJointKind { PH_JOINT_KINDS(PH_JOINT_NUMBER) PH_JOINT_KIND_COUNT } PhJointKind;
#undef PH_JOINT_NUMBER

// Numbers beyond this are refused, in joints and as places and angles of their bodies: errors of
// joints, and the forces that follow, stay numbers.
#define PH_JOINT_MOST 1e15

// Of a tuning of its own, as a share of the substep rate: stiffer ones act as this.
#define PH_JOINT_STIFFEST_TUNING 0.1

// Numbers of a joint, where a kind has them.
enum {
    PH_JOINT_LOWER,
    PH_JOINT_UPPER, // of the coordinate; equal: it is held there
    PH_JOINT_SPEED,
    PH_JOINT_MAX_MOTOR, // N or N m; 0: no motor
    PH_JOINT_HERTZ,     // 0: no spring
    PH_JOINT_ZETA,
    PH_JOINT_TARGET, // coordinate at which the spring rests
    PH_JOINT_BREAK_FORCE,
    PH_JOINT_BREAK_TORQUE,
    PH_JOINT_POINT, // two: target of a mouse joint (world), offset of a motor joint (frame of a)
    PH_JOINT_LINEAR = PH_JOINT_POINT + 2, // two: velocity of a motor joint, world
    PH_JOINT_ANGULAR = PH_JOINT_LINEAR + 2,
    PH_JOINT_RATIO,  // of a pulley or gear
    PH_JOINT_REST,   // of a gear: a + ratio b of its joints' coordinates
    PH_JOINT_GROUND, // four: where the ropes of a pulley run to, a's and b's; world
    PH_JOINT_STIFFNESS = PH_JOINT_GROUND, // of a spring told in N/m or N m/rad, and N s/m or
    PH_JOINT_DAMPING,                     // N m s/rad: hertz and zeta follow; both 0: it is not
    PH_JOINT_TURN_STIFFNESS, // of a spring of the angle beside one of the place, likewise
    PH_JOINT_TURN_DAMPING,
    PH_JOINT_OWN = PH_JOINT_GROUND + 4, // two that a kind has for itself
    PH_JOINT_TOOTH = PH_JOINT_OWN,      // of a ratchet: distance of teeth, rad, and where one is
    PH_JOINT_PHASE,
    PH_JOINT_MAX_FORCE,
    PH_JOINT_MAX_TORQUE,
    PH_JOINT_TURN_HERTZ, // of the angle of a weld or motor; NaN: as its place
    PH_JOINT_TURN_ZETA,
    PH_JOINT_TUNED_HERTZ, // of what it holds, where that is not the world's; NaN: as the world
    PH_JOINT_TUNED_ZETA,
    PH_JOINT_VALUES,
};

enum { PH_JOINT_ROWS = 3, PH_JOINT_PARAMETERS = 16, PH_JOINT_READINGS = 8, PH_JOINT_NAMES = 10 };

// What holds an axis row, see joint_solve.c.
typedef enum PhAxisState {
    PH_AXIS_PUSHED, // by the motor's largest force along the row, or by nothing
    PH_AXIS_PULLED, // against the row
    PH_AXIS_DRIVEN, // at the motor's speed
    PH_AXIS_LOW,
    PH_AXIS_HIGH, // at a limit
} PhAxisState;

typedef struct PhJoint {
    uint32_t generation;
    uint8_t kind; // PhJointKind
    bool alive, collide_connected;
    bool active; // of the layout at hand: has a dynamic body that is awake
    uint8_t rigid_rows, axis_rows, sprung_rows, firm_rows; // bits, see ph_joint_update_rows
    uint32_t body[2];                                      // slots; PH_NULL for a: the world
    uint32_t next[2], previous[2]; // ends in the list of a body's joints: 2 x joint + side
    uint32_t geared[2], frame[2];  // of a gear: its joints, and their bodies a
    uint32_t gears;                // how many gears it is a joint of
    PhVec2 anchor[2];              // frames of the bodies
    PhVec2 axis;                   // unit, frame of a
    double reference;              // angle_b - angle_a where the joint's angle is 0
    double value[PH_JOINT_VALUES];
} PhJoint;

// What the last step left: the load of each row in its last substep (N or N m; of one that is held
// with a tuning of its own, what all else gave it, m/s^2 or rad/s^2) and what held it, for the next
// step; force on b and torque on b beside the force's own, means of the step.
typedef struct PhJointResult {
    float load[PH_JOINT_ROWS];
    uint8_t state[PH_JOINT_ROWS];
    double force[2], torque;
} PhJointResult;

// A number, or two, that users tell a joint when they make it, and change.
typedef struct PhJointParameter {
    const char *name;
    int32_t at, width;
    double least, initial; // NaN: worked out when the joint is made
    bool infinite;         // may be
    bool optional;         // may be NaN: as another number says
    bool nonzero;          // must be
    const char *doc;
} PhJointParameter;

// What users read of a joint beside its parameters and what all joints have.
typedef enum PhJointRead {
    PH_JOINT_READ_AXIS,
    PH_JOINT_READ_POSITION, // its coordinate and the rate of it, as in joint_state
    PH_JOINT_READ_SPEED,
    PH_JOINT_READ_ANGLE, // of b against a, and its rate
    PH_JOINT_READ_SPIN,
    PH_JOINT_READ_RATIO,
    PH_JOINT_READ_GROUND_A, // of the ropes of a pulley: where they run to, how long they are
    PH_JOINT_READ_GROUND_B,
    PH_JOINT_READ_ROPE_A,
    PH_JOINT_READ_ROPE_B,
    PH_JOINT_READ_JOINT_A, // joints of a gear
    PH_JOINT_READ_JOINT_B,
} PhJointRead;
typedef struct PhJointReadable {
    const char *name;
    PhJointRead what;
    const char *doc;
} PhJointReadable;

// The poses that a joint is made at, or is when its numbers change.
typedef struct PhJointMaking {
    const PhWrap *wrap;
    PhVec2 anchor[2], gap; // world; from a to b, in a wrapped world to the nearest image
    PhRot rot_a;
    double angle;       // angle_b - angle_a
    double length;      // that it is told, NaN: none
    double coordinates; // of a gear: what those of its joints add up to
} PhJointMaking;

struct PhJointDrawing;

// What a kind is, from its file (joint_list.h). How rows are held, limited, driven or sprung is the
// same for all.
typedef struct PhJointKindInfo {
    const char *name;
    const char *about; // of the class
    // Rows.
    uint8_t rigid;      // bits of rows held at 0, when not soft
    uint8_t sprung;     // bits of rows that the spring acts on
    int8_t limited;     // row with limits, or -1
    int8_t motored;     // row with a motor, or -1
    int8_t coordinates; // row that the joint's position is told of, or -1
    bool soft;          // with a spring, rigid rows are sprung instead: of place, of angle, or both
    bool length;        // the limited row is a length: never below 0, with or without a limit
    bool driven; // sprung rows are driven at given velocities where there is no spring; its angle
                 // is that of the poses
    bool inert;  // has no rows at all
    bool sequential;  // the solver sequential_impulses has it
    int8_t angle_row; // the row that is about an angle, or -1
    bool holds_point; // its first two rows hold the anchors together
    bool hinge;    // and the third one is the angle alone: trees of these have lanes of their own
    bool distance; // its one row is the distance of the anchors
    bool geared;   // its rows are those of two other joints, which must be gearable
    bool gearable;
    bool elastic; // its springs may be told by stiffness and damping
    bool paired;  // place and angle may have a spring each
    // Bits of rows whose holding, limits and springs the largest force or torque bounds: what holds
    // or limits them is then a spring as stiff as joints are, as a solver that finds what holds
    // exactly has no bounds. It is one as well where the joint has a tuning of its own. 0: none, or
    // it is never rigid.
    uint8_t bounded;
    // Springs.
    bool with_arms;       // they act on bodies that turn about their anchors
    bool keeps_stiffness; // they have the stiffness of where they rest (joint_spring_source.h)
    bool rests_along;     // where they rest, the gap is along the axis
    bool even;            // they are equally stiff in all directions
    // Anchors and axis.
    bool aims;      // anchor a, in the world, is its point
    bool grounded;  // has ropes to its grounds
    bool along_gap; // its axis is where the gap points to when it is made
    bool upright;   // of an axis that is not told: (0, 1), not (1, 0)
    bool apart;     // anchors that are not told are the places of either body, not of b
    // Arguments of World.add_NAME_joint: these, up to NULL, then the parameters, and
    // collide_connected, if it may be told.
    int positional, required;
    bool collide, collides; // collides: by default
    const char *arguments[PH_JOINT_NAMES];
    PhJointParameter parameters[PH_JOINT_PARAMETERS]; // up to the first without a name
    PhJointReadable readings[PH_JOINT_READINGS];      // likewise
    // NULL: nothing to do. What the numbers must be beside what the parameters say, when it is
    // made.
    PhStatus (*check)(const double *value, PhError *error);
    // Numbers that follow from the poses, where they are NaN.
    void (*work_out)(const PhJointMaking *making, double *value);
    // Numbers that the joint changes itself by its coordinate: when it is made and after each step,
    // before: NULL; and when they were others.
    void (*follow)(PhJoint *joint, double position, const double *before);
    bool stemless; // no lines from the bodies to the anchors
    void (*draw)(const struct PhJointDrawing *to);
} PhJointKindInfo;

extern const PhJointKindInfo *const ph_joint_kinds[PH_JOINT_KIND_COUNT];
static inline const PhJointKindInfo *ph_joint_kind(PhJointKind kind) {
    return ph_joint_kinds[kind];
}
static inline const PhJointKindInfo *ph_joint_info(const PhJoint *joint) {
    return ph_joint_kinds[joint->kind];
}
// What users read about World.add_NAME_joint.
#define PH_JOINT_DOC(KIND, name, Type) extern const char ph_joint_##name##_doc[];
PH_JOINT_KINDS(PH_JOINT_DOC)
#undef PH_JOINT_DOC

// Where the joint holds a side, in the frame of its body, or the world.
static inline PhVec2 ph_joint_anchor(const PhJoint *joint, int side) {
    bool aims = joint->body[side] == PH_NULL && ph_joint_info(joint)->aims;
    return aims ? ph_vec(joint->value[PH_JOINT_POINT], joint->value[PH_JOINT_POINT + 1])
                : joint->anchor[side];
}

// Slots of the bodies that a joint acts on, PH_NULL: the world; a and b first. Returns how many.
static inline int ph_joint_sides(const PhJoint *joint, uint32_t slots[4]) {
    slots[0] = joint->body[0];
    slots[1] = joint->body[1];
    slots[2] = joint->frame[0];
    slots[3] = joint->frame[1];
    return ph_joint_info(joint)->geared ? 4 : 2;
}

// The lower limit; -inf for none.
double ph_joint_lower(const PhJointKindInfo *info, const PhJoint *joint);
// Whether its force or torque has a bound.
static inline bool ph_joint_is_bounded(const PhJoint *joint) {
    const double *value = joint->value;
    return value[PH_JOINT_MAX_FORCE] < INFINITY || value[PH_JOINT_MAX_TORQUE] < INFINITY;
}
// Whether what it holds has a stiffness or a damping of its own.
static inline bool ph_joint_is_tuned(const PhJoint *joint) {
    const double *value = joint->value;
    return ph_joint_info(joint)->bounded &&
           !(isnan(value[PH_JOINT_TUNED_HERTZ]) && isnan(value[PH_JOINT_TUNED_ZETA]));
}
// Whether such a bound is not of its spring, as that of a hinge's point is not of its angle.
static inline bool ph_joint_spring_is_free(const PhJointKindInfo *info) {
    return info->bounded && !(info->bounded & info->sprung);
}
// Whether its spring is told by stiffness and damping.
static inline bool ph_joint_is_elastic(const PhJoint *joint) {
    const double *value = joint->value;
    return ph_joint_info(joint)->elastic &&
           (value[PH_JOINT_STIFFNESS] > 0 || value[PH_JOINT_DAMPING] > 0);
}
// Whether that of the angle is so told, beside one of the place.
static inline bool ph_joint_turn_is_elastic(const PhJoint *joint) {
    const double *value = joint->value;
    return ph_joint_info(joint)->paired &&
           (value[PH_JOINT_TURN_STIFFNESS] > 0 || value[PH_JOINT_TURN_DAMPING] > 0);
}
// Whether place and angle have a spring each, that know nothing of each other, or a place has one
// that is equally stiff in all directions.
bool ph_joint_is_apart(const PhJoint *joint);
// Hertz and damping ratio of the angle's spring, where they are one or apart.
double ph_joint_turn_hertz(const PhJoint *joint);
double ph_joint_turn_zeta(const PhJoint *joint);
// Works out which rows the joint has by its numbers: rigid ones are held whatever happens, and make
// the joint an edge of a tree; axis rows have a limit that is not an equality, or a motor; sprung
// ones get one impulse per substep from a spring or a drive; firm ones likewise from what holds or
// limits them with a bound or a tuning of its own, after the spring.
void ph_joint_update_rows(PhJoint *joint);
// Whether it has a motor that is set to move and may push.
bool ph_joint_is_to_move(const PhJoint *joint);
static inline uint8_t ph_joint_rigid_rows(const PhJoint *joint) {
    return joint->rigid_rows;
}
static inline uint8_t ph_joint_axis_rows(const PhJoint *joint) {
    return joint->axis_rows;
}
static inline uint8_t ph_joint_sprung_rows(const PhJoint *joint) {
    return (uint8_t)(joint->sprung_rows | joint->firm_rows);
}

// Whether the solver sequential_impulses has the kind; which number it has nothing for, or -1.
bool ph_sequential_has(PhJointKind kind);
int32_t ph_sequential_refuses(PhJointKind kind, const double value[PH_JOINT_VALUES]);

// What the world hands to a solver.
typedef struct PhSolverJoints {
    const PhJoint *joint;
    PhJointResult *result;     // by joint
    uint32_t limit, active;    // indices are below; number of active ones
    uint32_t gears, distances; // of these; rods: of a kind that is one
    bool plain;                // active joints tie dynamic bodies to each other, and no motor turns
    const PhTransform *transform; // of bodies, by slot
    double *effective_inertia;    // inertia that a body had in the last substep; 0: its own
} PhSolverJoints;

// ------------------------------------------------------------------------------------------------
// inside of solve/

// A tree of joints that is solved at once, or one joint.
typedef struct PhArticulation {
    uint32_t first_link, link_count;       // parents before children
    uint32_t first_closure, closure_count; // joints that close loops
    uint32_t first_body, body_count;
    uint32_t root;    // of the bodies, PH_NULL when it hangs on fixed ones
    bool direct;      // the only one of its bodies; else warm started
    bool joints_only; // in an island in which nothing else acts
    bool solves;      // there is more than springs
    bool hinged;      // a tree of revolute joints that joint_lanes.c solves
    bool isolated;    // hinged, in an island without contacts and joints that are not
    bool sprung;      // has springs that do more than oscillate
    uint32_t shape;   // hinged: articulations of one shape have one number
} PhArticulation;

typedef struct PhJointLink {
    uint32_t work;          // index in works
    uint32_t child, parent; // bodies of the articulation; of a loop closure: b and a
    uint32_t frame[2]; // of a loop closure that is a gear: the bodies a of its joints, a's and b's
} PhJointLink;

typedef struct PhJointBody { // of an articulation
    uint32_t solver_body;    // of the layout
    uint32_t slot;           // PH_NULL of what is static
    bool fixed;
} PhJointBody;

// What joints know of the body of a row.
typedef struct PhJointMass {
    double mass, inv_mass;            // 0 of fixed rows
    double own, inertia, inv_inertia; // of the body alone; with geometric stiffness
    double note;                      // sum of pulls; spin before contacts act
} PhJointMass;

// Factors of a spring for the error, J v, and J of what the substep gained; its own force, h w^2;
// what its damper takes of J v, and of what that has changed by in the substep, where it acts after
// all else; whether they are not those of implicit Euler.
typedef struct PhJointSpring {
    double error, velocity, gained, pull, slows, lags;
    bool exact;
} PhJointSpring;

// The last spring that was asked for, as most are alike. All zero: none yet.
typedef struct PhSpringCache {
    bool known;
    uint8_t kind;
    double hertz, zeta;
    PhJointSpring spring;
} PhSpringCache;

// Up to four articulations of one shape that share no dynamic body, see joint_packs.c.
typedef struct PhJointPack {
    size_t scratch;        // bytes from the start of all scratches
    uint32_t first_member; // of articulation_members
    uint32_t first_body;   // of the first articulation; the others' are alike but for their rows
    uint32_t first_solver_body;                     // of pack_bodies: by body and lane
    uint32_t first_link, link_count, closure_count; // of the first, with works of the pack
    uint32_t body_count, root;
    uint32_t first_work, work_count;
    uint32_t width, count; // lanes, those in use; the others repeat the first
    uint32_t first_data;   // of articulation_data: of works, then of joints of gears
    uint32_t gear_count;
    uint32_t split_count;  // springs that give their force first
    uint32_t damped_count; // those of them with a damper
    uint32_t late_count;   // what is sprung or driven otherwise
    uint32_t stiff_count;  // those that are implicit
    uint32_t tuned_count;  // what is held with a tuning of its own
    bool solves;           // there is more than springs
    bool direct, joints_only, sprung;
    bool articulated; // of a batch that is
    bool leans;       // has springs that lean on what else its tree holds: joint_spring_source.h
} PhJointPack;

// Whether a lane of a pack is of a member, or repeats it.
static inline bool ph_lane_is_of(const PhJointPack *pack, uint32_t member, uint32_t lane) {
    return lane == member || (member == 0 && lane >= pack->count);
}

// The rows of a joint in its batch.
typedef struct PhJointEnds {
    uint32_t joint, solver_a, solver_b;
    uint32_t gear; // 1 + index in gears; 0: none
    uint32_t island;
    uint32_t mesh;         // as of its PhJointFacts
    bool fixed_a, fixed_b; // what these rows are of
    bool edge, sprung;     // has rows that hold or may hold, those of a spring
    uint8_t iterative;     // ph_iterative_kind
} PhJointEnds;
// What a layout asks of a joint: see joint_facts.c.
typedef struct PhJointFacts {
    uint32_t dynamic; // ph_joint_dynamic_body
    uint32_t mesh;    // the part, from 1 on, of iterative joints alone that it belongs to; 0: none
    bool fixed_a, fixed_b, edge, sprung; // as in PhJointEnds
    uint8_t iterative;
    bool geared;
} PhJointFacts;
typedef struct PhJointTie { // of a dynamic body on which joints act
    uint32_t slot;
    uint32_t root;        // the lowest slot of those that joints alone bring together with it
    uint32_t joint_count; // of these, one whose PhJointFacts.dynamic it is, each
    bool jointed;         // one of them holds it, or may
    bool welded;          // one of them makes it one with another dynamic body, or all of them do
    bool hung;            // of a root: a joint connects one of its bodies with what is fixed
    int64_t stiff_rows; // of a root: held between two dynamic bodies by joints of two rows and more
    uint32_t bodies;    // of a root: between which these are
} PhJointTie;
// A joint of a batch in a step, with others that share bodies: see joint_group_source.h.
typedef struct PhStiffJoint {
    uint32_t pack, work, lane; // pack PH_NULL: it is none of these
    uint32_t solver_body[2];   // of the bodies a and b
    uint32_t next;             // of its group, by number of the joint
    uint32_t group;            // the first one of the group of this number
    bool stiff;                // has a spring that is
    bool by_levers;            // where that is so only as its bodies lie now
} PhStiffJoint;
enum { PH_STIFF_ROWS = 96 }; // of a group; larger ones are met joint by joint
typedef struct PhJointGear { // its joints; rows of their bodies
    PhJointEnds part[2];
} PhJointGear;

// The hash of an articulation's shape, with one more word of it.
static inline uint64_t ph_joint_mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

typedef struct PhArticulationMember { // an articulation in the order of packs
    uint64_t shape;                   // its hash
    uint32_t articulation, rank;      // rank: what is solved later has a higher one
} PhArticulationMember;

// Iterative joints, see iterative_joints.c.
enum {
    PH_ITERATIVE_COLORS = 32, // of a kind; the next one is of those that found none
};
typedef struct PhIterativeColor {
    uint32_t first_pack, pack_count;
    uint32_t first_data; // of its packs, in lanes
    uint8_t number, kind;
} PhIterativeColor;
typedef struct PhIterativeJoint { // of a lane
    uint32_t joint;               // PH_NULL: none
    uint32_t solver_body[2]; // PH_NULL: of a fixed body or the world, that have none of their own
    uint32_t slot[2];
    PhVec2 anchor[2]; // frames of the bodies
} PhIterativeJoint;
typedef struct PhIterativeBody { // of a body at the start of a step
    PhRot rot;
    PhVec2 center, origin; // origin: from the centre of mass
    double angle;
    float pull;     // sum of arm . impulse of its joints
    float drive[3]; // what a substep gains without springs
} PhIterativeBody;

// Trees in lanes, see joint_lanes.c.
enum { // of a body and its link
    PH_TREE_AXIS = 1,
    PH_TREE_SPRUNG = 2,
    PH_TREE_FIXED = 4,
    PH_TREE_JOINED = 8,  // the body behind it hangs on it
    PH_TREE_SHARED = 16, // others do
    PH_TREE_FIRST = 32,  // it is the last of those others of its parent
};
typedef struct PhTreePackPlan {          // a pack of them
    uint32_t first_member, count, width; // width: in lanes
    uint32_t body_count;
    uint32_t first_lane, first_solver_body, first_body;
    uint32_t first_data; // in multiples of 64 bytes
    uint8_t axes, sprung;
    bool joints_only, isolated;
    bool across; // of width 1, with lanes across the bodies
} PhTreePackPlan;
typedef struct PhTreeMember {
    uint64_t hash; // of its shape
    uint32_t articulation;
} PhTreeMember;
typedef struct PhTreeJoint {   // of a body in a lane, and the joint that it hangs on
    uint32_t slot, parent;     // PH_NULL: the world
    uint32_t joint;            // PH_NULL: none
    uint32_t turned;           // 1: the body is body a of it
    PhVec2 anchor_c, anchor_p; // frames of the body and of its parent
} PhTreeJoint;
// The joints of a body in all lanes of its pack, in the memory of as many: field by field.
typedef struct PhTreeJoints {
    uint32_t *slot, *parent, *joint, *turned;
    double *anchor; // c.x of all lanes, then c.y, p.x, p.y
} PhTreeJoints;
static inline PhTreeJoints ph_tree_joints(void *memory, size_t body, size_t width) {
    uint32_t *slot = (uint32_t *)(void *)((PhTreeJoint *)memory + body * width);
    return (PhTreeJoints){slot, slot + width, slot + 2 * width, slot + 3 * width,
                          (double *)(void *)(slot + 4 * width)};
}

// Growing arrays, listed once: the list declares them, and it is what is copied and freed.
// ARRAY(type, name); ROOM(name) is of multiples of 64 bytes.
#define PH_JOINT_LAYOUT_ARRAYS(ARRAY, ROOM)                                                        \
    ARRAY(PhArticulation, articulations)                                                           \
    ARRAY(PhJointLink, links)                                                                      \
    ARRAY(PhJointBody, bodies)                                                                     \
    ARRAY(PhJointMass, masses) /* by row */                                                        \
    ARRAY(PhJointGear, gears)                                                                      \
    ARRAY(PhJointPack, joint_packs) /* by batch */                                                 \
    ARRAY(PhArticulationMember, articulation_members)                                              \
    /* by pack and joint */                                                                        \
    ARRAY(struct PhArticulationWork, articulation_works)                                           \
    /* numbers of these, in multiples of 64 bytes */                                               \
    ROOM(articulation_data)                                                                        \
    ARRAY(uint32_t, pack_bodies) /* by pack, body and lane */                                      \
    ROOM(articulation_scratch)   /* in multiples of 64 bytes */                                    \
    ARRAY(PhJointEnds, ends)     /* of all joints at work, by batch */                             \
    ARRAY(PhStiffJoint, stiff)   /* likewise */                                                    \
    ARRAY(uint32_t, stiff_root)  /* by row */                                                      \
    ARRAY(uint32_t, stiff_first) /* by row */                                                      \
    ARRAY(uint32_t, edge)        /* of building */                                                 \
    ARRAY(uint32_t, edge_start)  /* of building */                                                 \
    ARRAY(uint32_t, queue)       /* of building */                                                 \
    ARRAY(uint32_t, place)       /* of building */                                                 \
    ARRAY(uint32_t, part)        /* of building */                                                 \
    ARRAY(PhJointFacts, facts)   /* by joint */                                                    \
    ARRAY(uint32_t, hung)        /* joints to fixed bodies */                                      \
    ARRAY(uint32_t, driving)     /* joints with a motor or a spring */                             \
    ARRAY(PhJointTie, ties)      /* of dynamic bodies with joints, by slot */                      \
    ARRAY(uint32_t, tie_of)      /* of finding them, by slot */                                    \
    /* of building: by joint at work, the next one of its mesh; by mesh, its last one so far */    \
    ARRAY(uint32_t, mesh_next)                                                                     \
    ARRAY(uint32_t, mesh_last)                                                                     \
    ARRAY(uint32_t, jointed) /* rows, by batch */                                                  \
    /* iterative joints, by batch */                                                               \
    ARRAY(uint32_t, iterative_members)                                                             \
    ARRAY(uint8_t, seen)                                                                           \
    ARRAY(PhIterativeJoint, iterative_joints) /* by lane */                                        \
    ARRAY(PhIterativeColor, iterative_colors)                                                      \
    ARRAY(PhIterativeBody, iterative_bodies) /* by row */                                          \
    ARRAY(uint32_t, iterative_used)          /* by row: colors taken, as bits */                   \
    ROOM(iterative_packs)                    /* in multiples of 64 bytes */                        \
    ARRAY(PhTreePackPlan, trees)                                                                   \
    /* by shape, of a batch after the other */                                                     \
    ARRAY(PhTreeMember, tree_members)                                                              \
    ARRAY(PhTreeJoint, tree_links)  /* by link */                                                  \
    ARRAY(uint8_t, tree_link_flags) /* likewise */                                                 \
    /* memory of PhTreeJoints, by tree and body */                                                 \
    ARRAY(PhTreeJoint, tree_joints)                                                                \
    /* by tree, body and lane: see kernels.h */                                                    \
    ARRAY(uint32_t, tree_solver_bodies)                                                            \
    ARRAY(uint32_t, tree_parents)  /* by tree and body */                                          \
    ARRAY(uint8_t, tree_flags)     /* likewise */                                                  \
    ARRAY(double, tree_scales)     /* by tree and lane */                                          \
    ROOM(tree_data)                /* in multiples of 64 bytes */                                  \
    ARRAY(uint32_t, tree_of_batch) /* of building */

#define PH_ARRAY_FIELD(type, name) type *name;
#define PH_ROOM_FIELD(name) void *name;
typedef float PhQuad[4];

typedef struct PhJointLayout {
    PH_JOINT_LAYOUT_ARRAYS(PH_ARRAY_FIELD, PH_ROOM_FIELD)
    uint32_t joint_pack_count;
    uint32_t iterative_color_count, iterative_pack_count, iterative_data_count;
    float *tree_masses; // by tree, body: mass of all lanes, then inertia, so scaled
    uint32_t tree_count, tree_lane_count, tree_solver_body_count, tree_body_count;
    uint32_t articulation_count, link_count, body_count, end_count;
    uint32_t jointed_count;
    // All is hinged, and while joints and roles stay, only rows may change, and which islands are
    // articulated. What these have of it stands behind what lasts.
    bool lasts;
    uint32_t mesh_count, hung_count, driving_count, tie_count, weld_count; // see joint_facts.c
    uint32_t first_copy;
} PhJointLayout;

#endif

// Articulations: packs of up to four of one shape, see joint_packs.c for which, joint_solve.c for
// what a step begins and ends with, and articulation_source.h for the passes.
//
// Numbers are float64, so that mass ratios of a thousand and springs of any frequency keep their
// digits. A pack has width 4, or 1 where it has a single articulation. The numbers of a joint are
// an array of PhArticulationFields for all lanes, field by field.
#ifndef PH_SOLVE_ARTICULATIONS_H
#define PH_SOLVE_ARTICULATIONS_H

#include "solve/joint_solve.h"

enum { PH_ARTICULATION_LANES = 4, PH_ARTICULATION_LOOP_ROWS = 32 };

// Numbers of type T that say where the bodies of a joint are and how they move. Arms go from the
// centres of mass to the anchors; gap from anchor a to anchor b; reach from the fixed points of a
// pulley to its anchors. rot_a: cosine, sine. The angle is angle_b - angle_a - reference,
// unwrapped.
#define PH_JOINT_POSE(T)                                                                           \
    T arm_a[2], arm_b[2], gap[2], reach_a[2], reach_b[2], rot_a[2], angle;                         \
    T velocity_a[3], velocity_b[3];
// Other numbers from which the rows of a kind follow: axis, a unit vector in the frame of a; offset
// and turn of a motor joint, in the frame of a; ratio of a pulley; a length too short to have a
// direction.
#define PH_JOINT_TERMS(T) T axis[2], offset[2], turn, ratio, shortest;
// A constraint row. a, b: the Jacobian; along: force on b per unit of the row's impulse; couple:
// torque on b, without that of the force; coordinate: what the row measures, m or rad, an error
// where it is held at 0; acceleration: d/dt(J) v, how fast J v changes at constant velocities.
#define PH_JOINT_ROW(T) T a[3], b[3], along[2], couple, coordinate, acceleration;

// Where a joint is at the start of a step.
#define PH_ARTICULATION_PLACE(T, TERMS)                                                            \
    TERMS terms;                                                                                   \
    T arm_a[2], arm_b[2], gap[2], reach_a[2], reach_b[2], rot_a[2], angle;

// A joint in a step.
//
// lower, upper: limits of the coordinate. speed; motor: its largest impulse in a substep. rest:
// coordinate at which the spring rests, or the sum of a gear. gearing: ratio of a gear.
//
// Of a spring: pull: impulse of its own force per unit of its coordinate, h w^2; error, velocity,
// gained: PhJointSpring; wanted: velocities at which rows are driven; most_force, most_torque:
// largest impulses in a substep; split: not 0 if it gives its force before the rest; force: impulse
// of the force given so; turn_...: the same of the angle where that has a spring of its own;
// grouped: not 0 if a group solves it; by_levers: not 0 if levers make it stiff; stiffness: of the
// rows in use, over w^2 (kg, kg m, kg m^2), in the frame of a, a matrix as xx, xy, xw, yy, yw, ww.
// Of what is held with a bound or a tuning: hold_error, hold_velocity: PhJointSpring; tuned: not 0
// if that is its own; then left: J v behind its impulse, NaN: none yet; added: what all else has
// added to that till the end of the substep; others: as much of it as is counted on.
//
// slows, lags: PhJointSpring, of a spring that is split; noted: J v as the substep begins, then
// what it has gained since.
//
// held: impulses of springs on rows that are held. impulse: of the substep, without springs. state:
// PhAxisState. sum: impulses of the step. pull_a, pull_b: arm . impulse on the body, of the last
// substep.
#define PH_ARTICULATION_FIELDS(T, PLACE)                                                           \
    PLACE place;                                                                                   \
    T impulse[PH_JOINT_ROWS], state[PH_JOINT_ROWS], pull_a, pull_b, sum_force[2], sum_torque;      \
    T lower, upper, speed, motor, rest, gearing;                                                   \
    T pull, error, velocity, gained, wanted[3], most_force, most_torque, split;                    \
    T turn_pull, turn_error, turn_velocity, turn_gained, turn_split, grouped, held[PH_JOINT_ROWS]; \
    T stiffness[6], force[PH_JOINT_ROWS], by_levers, slows, lags, turn_slows, turn_lags;           \
    T noted[PH_JOINT_ROWS], hold_error, hold_velocity, tuned, left[PH_JOINT_ROWS];                 \
    T added[PH_JOINT_ROWS], others[PH_JOINT_ROWS];

typedef struct PhJointPose {
    PH_JOINT_POSE(double)
} PhJointPose;
typedef struct PhJointTerms {
    PH_JOINT_TERMS(double)
} PhJointTerms;
typedef struct PhJointRow {
    PH_JOINT_ROW(double)
} PhJointRow;
typedef struct PhArticulationPlace {
    PH_ARTICULATION_PLACE(double, PhJointTerms)
} PhArticulationPlace;
typedef struct PhArticulationFields {
    PH_ARTICULATION_FIELDS(double, PhArticulationPlace)
} PhArticulationFields;

// Bodies that do not turn: their inertia over their mass, so much harder to turn than to push at
// one metre.
static inline double ph_unturnable(double metre) {
    return 1e12 * metre * metre;
}

// Fills in the rows that a kind, other than a gear, has; returns how many.
int ph_joint_fill(PhJointKind kind, const PhJointTerms *terms, const PhJointPose *pose,
                  PhJointRow rows[PH_JOINT_ROWS]);

// Whether springs of a kind keep the stiffness that they have at rest (joint_spring_source.h).
static inline bool ph_joint_keeps_stiffness(PhJointKind kind) {
    return ph_joint_kind(kind)->keeps_stiffness;
}

// The effective masses of the rows in use in a pose: the inverse of the matrix K = J M^-1 J^T.
// Inverse masses and inertias are those of a and b, 0 for what is fixed.
void ph_joint_masses(PhJointKind kind, uint8_t used, const PhJointTerms *terms,
                     const PhJointPose *pose, const double inverse[2][2], double masses[6]);

// Whether the spring of a joint with one spring is solved by implicit Euler.
bool ph_joint_is_stiff(const PhJoint *joint, double h);
// Whether a spring of a joint is, that of its angle included.
bool ph_joint_has_stiff_spring(const PhJoint *joint, double h);
// Whether a joint with a spring has nothing else that gives way, and a substep follows it.
bool ph_joint_oscillates(const PhJoint *joint, double h);
// The effective masses of the rows in use where the joint's spring rests, or, if it has no such
// place, where it was made: a matrix in the frame of a, as PhArticulationFields.stiffness. arm:
// from the centres of mass, each in the frame of its body.
void ph_joint_rest_masses(const PhJoint *joint, uint8_t used, const PhVec2 arm[2],
                          const double inverse[2][2], double masses[6]);

// The stiffness, as above, of a spring of place and angle whose bodies have turned by an angle
// since it was at rest: what pulls at the place does so at a point that b carries along, the one at
// which a force turns nothing. off: receives what the coordinates of the place are off then less
// what they measure.
void ph_joint_carry_stiffness(const double stiffness[6], double angle, double carried[6],
                              double off[2]);

// The masses of springs that are given by stiffness and damping, from the effective masses of all
// rows. place: the least mass that a force meets in any direction. angle: that of a torque. Each
// depends on whether the other part is held.
void ph_joint_elastic_masses(const double masses[6], bool place_held, bool angle_held,
                             double *place, double *angle);

// The inverse of a matrix stored as above.
void ph_joint_invert(const double matrix[6], double inverse[6]);

// A joint of a pack. Sides are numbers of bodies of the articulation.
typedef struct PhArticulationWork {
    uint32_t side[2], frame[2]; // frame: of a gear, the bodies a of its joints
    uint32_t joint[PH_ARTICULATION_LANES];
    uint32_t gear; // 1 + its place among the gears of the pack, or 0
    PhJointKind kind;
    int8_t limited, motored;     // rows with limits, with a motor; or -1
    uint8_t rigid, axis, sprung; // bits of rows
    bool apart;    // place and angle have a spring each, and the joint has nothing else
    uint8_t firm;  // held or limited with a bound or a tuning of its own
    uint8_t holds; // rigid, or firm without limits
    int8_t stop;   // the row that is firm and has limits, or -1
    bool pin;      // a hinge without limits, motor and spring, as most are
    bool distance; // it holds or limits the distance of two points
    // Of a gear: kinds of its joints, and rows of what they measure.
    PhJointKind part[2];
    int coordinate[2];
    // Of a spring that gives its force first, within a biased solve: the drives of both bodies
    // without that force.
    float kept[2][PH_ARTICULATION_LANES][4];
} PhArticulationWork;

// Whether a row of a joint is about an angle, and not a length.
static inline bool ph_row_is_angle(PhJointKind kind, int row) {
    return row == ph_joint_kind(kind)->angle_row;
}

// The numbers of all lanes of a joint of a pack; of the joint of a gear of the pack.
static inline double *ph_articulation_fields(const PhJointLayout *own, const PhJointPack *pack,
                                             uint32_t work) {
    double *data = (double *)own->articulation_data + pack->first_data * (size_t)8;
    return data + work * (sizeof(PhArticulationFields) / sizeof(double)) * pack->width;
}
static inline double *ph_articulation_part(const PhJointLayout *own, const PhJointPack *pack,
                                           uint32_t gear, int part) {
    size_t places = 2 * (size_t)(gear - 1) + (size_t)part;
    return ph_articulation_fields(own, pack, pack->work_count) +
           places * (sizeof(PhArticulationPlace) / sizeof(double)) * pack->width;
}

typedef enum PhArticulationOperation {
    PH_ARTICULATION_START, // measures what the impulses of the last step pull at the bodies
    PH_ARTICULATION_WARM,  // gives the impulses of an articulation that is not direct
    PH_ARTICULATION_SOLVE, // solve or relax
    PH_ARTICULATION_FORCE, // springs that give their force first do so
    PH_ARTICULATION_REST,  // all of the other springs
    PH_ARTICULATION_NOTE,  // notes the velocities of damped springs, and of what is held with a
                           // tuning of its own, as a substep begins
    PH_ARTICULATION_GAIN,  // what these velocities have gained since
    PH_ARTICULATION_DAMP,  // their dampers act, before a relaxation
    // The following are for packs with a scratch of their own, after PH_ARTICULATION_SOLVE: see
    // articulated_islands.c.
    PH_ARTICULATION_RESPOND, // how impulses on ports move the ports
    PH_ARTICULATION_GIVE,    // applies impulses on ports
    PH_ARTICULATION_AGAIN,   // repeats the pass with all impulses that its ports have been given
                             // since; at width 1
} PhArticulationOperation;

// The bodies of an articulation that contacts push; the impulses on them, N s and N m s; room for
// (3 x count)^2 numbers, by column, that say how they move each other.
typedef struct PhArticulationPorts {
    uint32_t count; // 0: no contact pushes it
    const uint32_t *body;
    uint32_t
        *known; // the factors that PH_ARTICULATION_RESPOND last answered with; 0: it has to answer
    const double (*wrench)[3];
    double *response;
} PhArticulationPorts;

typedef struct PhArticulationPass {
    const PhJointRun *run;
    PhArticulationOperation operation;
    double rate;   // share of the error that a single joint corrects per second; 0 in relax
    double yields; // share of its impulse that it gives back
    bool biased;
    // A relaxation before the biased solve, and what follows it: impulses that take no time. Motors
    // with a bound and geometric stiffness take no part.
    bool bounce;
    // Not 0: this is no pass of the solver. This part of what a substep gains is given to the
    // bodies, as far as what is held allows.
    double shift;
    PhArticulationPorts ports[PH_ARTICULATION_LANES]; // by lane
    double *of_closures; // room for 3 numbers a port for each of PH_ARTICULATION_LOOP_ROWS rows
    void *moves;         // room of ph_articulation_moves(bodies of the articulation)
    bool *changed;       // set by PH_ARTICULATION_GIVE where a row cannot be held as it is
} PhArticulationPass;

static inline void ph_articulation_pass(const PhArticulationPass *pass, const PhJointPack *pack) {
    const PhKernels *kernels = pass->run->layout->arrays->kernels;
    (pack->width == 1 ? kernels->single_pass : kernels->articulation_pass)(pass, pack);
}

// Bytes of a scratch of a pack of width 1.
size_t ph_articulation_scratch(uint32_t bodies, uint32_t links);
// Bytes that PH_ARTICULATION_RESPOND needs, at any width.
size_t ph_articulation_moves(uint32_t bodies);

// A point of a contact that has pressed a body against something fixed.
typedef struct PhSupport {
    PhStiffJoint joint; // whose bodies are that one and none
    double row[3];      // normal towards what is fixed, arm x normal
    double speed;       // of the ground along the normal, if it is kinematic
    bool dropped;       // it would have to pull
} PhSupport;
enum { PH_MOST_SUPPORTS = 64 };
// supports.c: those of an articulated batch, as the last substep has left them; none if there are
// more.
uint32_t ph_supports_list(const PhJointRun *run, const PhIslandBatch *batch,
                          PhSupport supports[PH_MOST_SUPPORTS]);

// A group of joints with stiff springs, from its first one, and what may support its bodies: see
// joint_group_source.h.
void ph_stiff_rest(const PhJointRun *run, const PhStiffJoint *joints, uint32_t first,
                   PhSupport *supports, uint32_t support_count);
// What its held rows got, as impulses of the substep that begins.
void ph_stiff_solve(const PhJointRun *run, const PhStiffJoint *joints, uint32_t first);

// Packs of all articulations that are not hinged, while the links still name the joints at work.
PhStatus ph_articulations_build(PhLayout *layout, const PhSolverBodies *bodies,
                                uint32_t articulations);

#endif

// Units in lanes: four units of one shape at a time, see joint_blocks.c for which, joint_solve.c
// for what a step begins and ends with, and joint_unit_source.h for the passes.
//
// Lanes are of float64: masses a thousand times each other's and springs of any frequency keep
// their digits. Arrays of Four are by lane.
#ifndef PH_SOLVE_JOINT_UNITS_H
#define PH_SOLVE_JOINT_UNITS_H

#include "math/four.h"
#include "solve/joint_solve.h"

enum { PH_UNIT_LANES = 4 };

// Where the bodies of a joint are and how they move.
typedef struct PhUnitPose {
    Four arm_a[2], arm_b[2];     // from the centres of mass to the anchors
    Four gap[2];                 // from anchor a to anchor b
    Four reach_a[2], reach_b[2]; // from the grounds of a pulley to its anchors
    Four rot_a[2];               // cosine, sine
    Four angle;                  // angle_b - angle_a - reference, unwrapped
    Four velocity_a[3], velocity_b[3];
} PhUnitPose;

// What the rows of a kind follow from besides.
typedef struct PhUnitTerms {
    Four axis[2];   // unit, frame of a
    Four offset[2]; // of a motor joint, frame of a
    Four turn;      // likewise
    Four ratio;     // of a pulley
} PhUnitTerms;

typedef struct PhUnitRow {
    Four a[3], b[3];   // Jacobian
    Four along[2];     // force on b per unit of the row's impulse
    Four couple;       // torque on b beside the force's own, likewise
    Four coordinate;   // what the row measures: m or rad; an error where it is held at 0
    Four acceleration; // d/dt(J) v: how fast J v changes with constant velocities
} PhUnitRow;

// Rows of a kind other than a gear, those that it has; returns how many.
int ph_unit_fill(PhJointKind kind, const PhUnitTerms *terms, const PhUnitPose *pose,
                 PhUnitRow rows[PH_JOINT_ROWS]);

// Where a joint is at the start of a step. Sides are bodies of the unit.
typedef struct PhUnitPlace {
    PhUnitTerms terms;
    Four arm_a[2], arm_b[2], gap[2], reach_a[2], reach_b[2], rot_a[2], angle;
    uint32_t side[2];
    PhJointKind kind;
} PhUnitPlace;

// A joint at work.
typedef struct PhUnitWork {
    PhUnitPlace place;
    Four lower, upper; // of the coordinate
    Four speed, motor; // motor: its largest impulse in a substep
    Four rest;         // coordinate at which the spring rests; of a gear, of its sum
    Four ratio;        // of a gear
    Four pull;         // impulse of the spring's own force per unit of its coordinate, h w^2
    Four error, velocity, gained;  // PhJointSpring
    Four wanted[3];                // velocities that rows are driven at
    Four most_force, most_torque;  // impulses of springs and drives in a substep
    Four impulse[PH_JOINT_ROWS];   // of the substep, springs apart
    Four state[PH_JOINT_ROWS];     // PhAxisState, as a number
    Four sum_force[2], sum_torque; // impulses of the step
    Four pull_a, pull_b;           // arm . impulse on the body, of the last substep
    FourMask split; // of a spring: gives its force before the rest, if it is one of several
    // Of a spring that is one of several, within a push: its force, and the drives of both bodies
    // as they are without it.
    Four force[PH_JOINT_ROWS];
    float kept_a[PH_UNIT_LANES][4], kept_b[PH_UNIT_LANES][4];
    uint32_t joint[PH_UNIT_LANES];
    int8_t limited, motored;     // rows with limits, with a motor; or -1
    uint8_t rigid, axis, sprung; // bits of rows
    uint32_t gear;               // 1 + its place in the gears, or 0
} PhUnitWork;

// The joints of a gear. Bodies b are those of the gear itself, a's and b's.
typedef struct PhUnitGear {
    PhUnitPlace part[2];
    int coordinate[2]; // rows
} PhUnitGear;

typedef enum PhUnitDeed {
    PH_UNIT_START, // pulls of the impulses that the last step has left
    PH_UNIT_WARM,  // gives the impulses of a unit that is not direct
    PH_UNIT_SOLVE, // push or relax
    PH_UNIT_FORCE, // of springs that are some of several
    PH_UNIT_REST,  // of those, and springs at once
} PhUnitDeed;

typedef struct PhUnitPass {
    const PhJointRun *run;
    PhUnitDeed deed;
    double rate;   // errors that a unit of one joint takes back per second; 0 in relax
    double yields; // part of its impulse that it lets go
    bool push;
    bool several; // springs of the bin
    // Not 0: no pass of the solver; so much of what a substep gains is given to the bodies, as far
    // as what is held lets it.
    double shift;
} PhUnitPass;

size_t ph_unit_scratch(uint32_t bodies, uint32_t links); // bytes

// Blocks of all units that are not hinged; while links name joints at work.
PhStatus ph_units_build(PhLayout *layout, const PhSolverBodies *bodies, uint32_t gears);

#endif

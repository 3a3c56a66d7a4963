// Revolute joint: two points are one, the bodies turn about it.
//
// With p a body's centre, r its arm to the anchor, x and y of
//     C = p_b + r_b - p_a - r_a = 0,   J v = v_b + w_b x r_b - v_a - w_a x r_a,
//     d/dt(J) v = w_a^2 r_a - w_b^2 r_b,
// and the angle a_b - a_a as the third row: w_b - w_a. The angle is not wrapped: angles of bodies
// count turns.
//
// Source: E. Catto, "Iterative Dynamics with Temporal Coherence" (2005).
#include "solve/joint_records.h"

const PhJointKindInfo ph_joint_revolute = {
    .name = "revolute",
    .rigid = 3,
    .sprung = 4,
    .limited = 2,
    .motored = 2,
    .coordinates = 2,
    .parameters =
        {
            PH_JOINT_LIMITS,
            PH_JOINT_MOTOR_OF("max_motor_torque"),
            PH_JOINT_SPRING_OF(0, 0),
            PH_JOINT_REST_AT_0,
            PH_JOINT_BREAK_BY_FORCE,
            PH_JOINT_BREAK_BY_TORQUE,
        },
};

// Motor joint: pulls b to a pose relative to a, or drives it at a velocity, with bounded force.
//
// With o the offset in the frame of a, of b's anchor from a's:
//     C = p_b + r_b - p_a - r_a - R_a o,   J v = v_b + w_b x r_b - v_a - w_a x (p_b + r_b - p_a),
// and the angle a_b - a_a less its offset. J v is how C changes as seen from a, so both forces act
// at the anchor of b, and no angular momentum comes of them. With a spring the rows are sprung to
// 0, else driven at the velocities given. Never rigid: the force bounds it.
#include "solve/joint_records.h"

const PhJointKindInfo ph_joint_motor = {
    .name = "motor",
    .sprung = 7,
    .limited = -1,
    .motored = -1,
    .coordinates = -1,
    .driven = true,
    .parameters =
        {
            {"offset", PH_JOINT_POINT, 2, -INFINITY, NAN, false},
            {"angle_offset", PH_JOINT_TARGET, 1, -INFINITY, NAN, false},
            {"linear_velocity", PH_JOINT_LINEAR, 2, -INFINITY, 0, false},
            {"angular_velocity", PH_JOINT_ANGULAR, 1, -INFINITY, 0, false},
            {"max_force", PH_JOINT_MAX_FORCE, 1, 0, INFINITY, true},
            {"max_torque", PH_JOINT_MAX_TORQUE, 1, 0, INFINITY, true},
            PH_JOINT_SPRING_OF(NAN, 1),
            PH_JOINT_BREAK_BY_FORCE,
            PH_JOINT_BREAK_BY_TORQUE,
        },
};

// Wheel joint: b turns about its anchor, which slides along an axis of a: a wheel on a suspension.
//
// The rows are the first and the last of the prismatic joint, and the spin w_b - w_a, which the
// motor drives. Limits and spring are of the translation.
#include "solve/joints.h"

static void fill(const PhJoint *joint, const PhJointPose *pose, PhJointRow *rows) {
    ph_joint_prismatic.fill(joint, pose, rows);
    PhJointRow spin = rows[1];
    rows[1] = rows[2];
    rows[2] = spin;
}

const PhJointKindInfo ph_joint_wheel = {
    .name = "wheel",
    .rigid = 1,
    .sprung = 2,
    .limited = 1,
    .motored = 2,
    .coordinates = 1,
    .fill = fill,
    .parameters =
        {
            {"lower", PH_JOINT_LOWER, 1, -INFINITY, -INFINITY, true},
            {"upper", PH_JOINT_UPPER, 1, -INFINITY, INFINITY, true},
            {"motor_speed", PH_JOINT_SPEED, 1, -INFINITY, 0, false},
            {"max_motor_torque", PH_JOINT_MAX_MOTOR, 1, 0, 0, true},
            {"spring_hertz", PH_JOINT_HERTZ, 1, 0, 0, false},
            {"spring_damping_ratio", PH_JOINT_ZETA, 1, 0, 0, false},
            {"spring_target", PH_JOINT_TARGET, 1, -INFINITY, 0, false},
            {"break_force", PH_JOINT_BREAK_FORCE, 1, 0, INFINITY, true},
            {"break_torque", PH_JOINT_BREAK_TORQUE, 1, 0, INFINITY, true},
        },
};

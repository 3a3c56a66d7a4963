// Weld joint: two bodies are one, rigidly or, with a spring, softly in place and angle.
//
// The rows are those of the revolute joint, all three held or sprung.
#include "solve/joints.h"

static void fill(const PhJoint *joint, const PhJointPose *pose, PhJointRow *rows) {
    ph_joint_revolute.fill(joint, pose, rows);
}

const PhJointKindInfo ph_joint_weld = {
    .name = "weld",
    .rigid = 7,
    .sprung = 7,
    .limited = -1,
    .motored = -1,
    .coordinates = -1,
    .soft = true,
    .fill = fill,
    .parameters =
        {
            {"spring_hertz", PH_JOINT_HERTZ, 1, 0, 0, false},
            {"spring_damping_ratio", PH_JOINT_ZETA, 1, 0, 0, false},
            {"break_force", PH_JOINT_BREAK_FORCE, 1, 0, INFINITY, true},
            {"break_torque", PH_JOINT_BREAK_TORQUE, 1, 0, INFINITY, true},
        },
};

// Weld joint: two bodies are one, rigidly or, with a spring, softly in place and angle.
//
// The rows are those of the revolute joint, all three held or sprung. The lever of a goes to the
// anchor of b, which is the gap seen from a: on a spring the anchors are apart, and so the forces
// on both have one line.
#include "solve/joints.h"

static void fill(const PhJoint *joint, const PhJointPose *pose, PhJointRow *rows) {
    PhVec2 lever = ph_add(pose->arm_a, pose->gap);
    ph_joint_revolute.fill(joint, pose, rows);
    ph_joint_row_along(&rows[0], pose, ph_vec(1, 0), lever);
    ph_joint_row_along(&rows[1], pose, ph_vec(0, 1), lever);
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
            PH_JOINT_SPRING_OF(0, 0),
            PH_JOINT_BREAK_BY_FORCE,
            PH_JOINT_BREAK_BY_TORQUE,
        },
};

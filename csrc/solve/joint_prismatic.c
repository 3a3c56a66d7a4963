// Prismatic joint: b slides along an axis of a and does not turn against it.
//
// With d = p_b + r_b - p_a - r_a, x the axis (it turns with a) and t = left(x):
//     t . d = 0,   J v = t . d' - w_a x . d,
//     d/dt(J) v = -2 w_a x . d' - w_a^2 t . d + t . (w_a^2 r_a - w_b^2 r_b);
//     a_b - a_a = 0;
// and along the axis the translation x . d with J v = x . d' + w_a t . d. The lever of a goes to
// the anchor of b, where the force acts.
//
// Source: E. Catto, "Iterative Dynamics with Temporal Coherence" (2005).
#include "solve/joints.h"

static void fill(const PhJoint *joint, const PhJointPose *pose, PhJointRow *rows) {
    PhVec2 x = ph_rotate(pose->rot_a, joint->axis), t = ph_left(x);
    PhVec2 velocity = ph_joint_gap_velocity(pose), lever = ph_add(pose->arm_a, pose->gap);
    PhVec2 turning = ph_joint_gap_turning(pose);
    double w = pose->spin_a;
    ph_joint_row_along(&rows[0], pose, t, lever);
    rows[0].coordinate = ph_dot(t, pose->gap);
    rows[0].acceleration =
        -2 * w * ph_dot(x, velocity) - w * w * rows[0].coordinate + ph_dot(t, turning);
    ph_joint_row_couple(&rows[1]);
    rows[1].coordinate = pose->angle;
    ph_joint_row_along(&rows[2], pose, x, lever);
    rows[2].coordinate = ph_dot(x, pose->gap);
    rows[2].acceleration =
        2 * w * ph_dot(t, velocity) - w * w * rows[2].coordinate + ph_dot(x, turning);
}

const PhJointKindInfo ph_joint_prismatic = {
    .name = "prismatic",
    .rigid = 3,
    .sprung = 4,
    .limited = 2,
    .motored = 2,
    .coordinates = 2,
    .fill = fill,
    .parameters =
        {
            PH_JOINT_LIMITS,
            PH_JOINT_MOTOR_OF("max_motor_force"),
            PH_JOINT_SPRING_OF(0, 0),
            PH_JOINT_REST_AT_0,
            PH_JOINT_BREAK_BY_FORCE,
            PH_JOINT_BREAK_BY_TORQUE,
        },
};

// Distance joint: a rod (lower = upper), a rope (upper alone), a spring, a piston (motor).
//
// With d = p_b + r_b - p_a - r_a, L = |d| and n = d / L the row is L itself:
//     J v = n . d',   d/dt(J) v = |d'|^2 / L - (n . d')^2 / L + n . (w_a^2 r_a - w_b^2 r_b),
// the first two terms being what the velocity across the rod needs of force towards its other end.
//
// Source: E. Catto, "Soft Constraints" (GDC 2011).
#include "solve/joints.h"

// Closer than this there is no direction: the axis of the joint stands in. Metres
#define SHORTEST 1e-9

static void fill(const PhJoint *joint, const PhJointPose *pose, PhJointRow *rows) {
    double length = ph_length(pose->gap);
    PhVec2 fallback = ph_rotate(pose->rot_a, joint->axis);
    PhVec2 n = length > SHORTEST ? ph_scale(1 / length, pose->gap) : fallback;
    PhVec2 velocity = ph_joint_gap_velocity(pose);
    double across = ph_cross(n, velocity);
    ph_joint_row_along(&rows[0], pose, n, ph_add(pose->arm_a, pose->gap));
    rows[0].coordinate = length;
    rows[0].acceleration = ph_dot(n, ph_joint_gap_turning(pose));
    rows[0].acceleration += length > SHORTEST ? across * across / length : 0;
}

const PhJointKindInfo ph_joint_distance = {
    .name = "distance",
    .sprung = 1,
    .limited = 0,
    .motored = 0,
    .coordinates = 0,
    .length = true,
    .fill = fill,
    .parameters =
        {
            PH_JOINT_LENGTH_LIMITS,
            PH_JOINT_MOTOR_OF("max_motor_force"),
            PH_JOINT_SPRING_OF(0, 0),
            {"spring_target", PH_JOINT_TARGET, 1, 0, NAN, false},
            PH_JOINT_BREAK_BY_FORCE,
        },
};

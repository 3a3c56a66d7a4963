// Pulley joint: a rope from body a over two fixed points to body b; what one side loses the other
// gains, ratio times as fast.
//
// With s the vector from a ground point to the anchor of its body, L = |s| and n = s / L:
//     the row is L_a + ratio L_b, held (a rope that is always taut) or limited (one that may be
//     slack), J v = n_a . s_a' + ratio n_b . s_b', d/dt(J) v = sum of |s'|^2 / L - (n . s')^2 / L -
//     w^2 n . r, b's times the ratio.
//
// Source: E. Catto, "Iterative Dynamics with Temporal Coherence" (2005), for Jacobians of ropes.
#include "solve/joints.h"

// Closer to its ground than this a side has no direction: straight down stands in. Metres
#define SHORTEST 1e-9

// One side: its Jacobian, times the ratio. Returns its length, adds to the acceleration.
static double fill_side(PhVec2 reach, PhVec2 arm, PhVec2 velocity, double spin, double ratio,
                        double jacobian[3], double *acceleration) {
    double length = ph_length(reach);
    PhVec2 n = length > SHORTEST ? ph_scale(1 / length, reach) : ph_vec(0, -1);
    PhVec2 moves = ph_mul_add(velocity, spin, ph_left(arm));
    double across = ph_cross(n, moves);
    jacobian[0] = ratio * n.x;
    jacobian[1] = ratio * n.y;
    jacobian[2] = ratio * ph_cross(arm, n);
    *acceleration -= ratio * spin * spin * ph_dot(n, arm);
    *acceleration += length > SHORTEST ? ratio * across * across / length : 0;
    return length;
}

static void fill(const PhJoint *joint, const PhJointPose *pose, PhJointRow *rows) {
    double ratio = joint->value[PH_JOINT_RATIO];
    rows[0] = (PhJointRow){.couple = 0};
    double a = fill_side(pose->reach_a, pose->arm_a, pose->velocity_a, pose->spin_a, 1, rows[0].a,
                         &rows[0].acceleration);
    double b = fill_side(pose->reach_b, pose->arm_b, pose->velocity_b, pose->spin_b, ratio,
                         rows[0].b, &rows[0].acceleration);
    rows[0].along = ph_vec(rows[0].b[0], rows[0].b[1]);
    rows[0].coordinate = a + ratio * b;
}

const PhJointKindInfo ph_joint_pulley = {
    .name = "pulley",
    .limited = 0,
    .motored = 0,
    .coordinates = 0,
    .length = true,
    .fill = fill,
    .parameters =
        {
            PH_JOINT_LENGTH_LIMITS,
            PH_JOINT_MOTOR_OF("max_motor_force"),
            PH_JOINT_BREAK_BY_FORCE,
        },
};

// Pulley joint: a rope from body a over two fixed points to body b; what one side loses the other
// gains, ratio times as fast.
//
// With s the vector from a ground point to the anchor of its body, L = |s| and n = s / L:
//     the row is L_a + ratio L_b, held (a rope that is always taut) or limited (one that may be
//     slack), J v = n_a . s_a' + ratio n_b . s_b', d/dt(J) v = sum of |s'|^2 / L - (n . s')^2 / L -
//     w^2 n . r, b's times the ratio.
//
// Source: E. Catto, "Iterative Dynamics with Temporal Coherence" (2005), for Jacobians of ropes.
#include "solve/joint_records.h"

const PhJointKindInfo ph_joint_pulley = {
    .name = "pulley",
    .limited = 0,
    .motored = 0,
    .coordinates = 0,
    .length = true,
    .parameters =
        {
            PH_JOINT_LENGTH_LIMITS,
            PH_JOINT_MOTOR_OF("max_motor_force"),
            PH_JOINT_BREAK_BY_FORCE,
        },
};

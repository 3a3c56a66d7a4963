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
#include "solve/joint_records.h"

const PhJointKindInfo ph_joint_prismatic = {
    .name = "prismatic",
    .rigid = 3,
    .sprung = 4,
    .limited = 2,
    .motored = 2,
    .coordinates = 2,
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

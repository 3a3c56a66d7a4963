// Distance joint: a rod (lower = upper), a rope (upper alone), a spring, a piston (motor).
//
// With d = p_b + r_b - p_a - r_a, L = |d| and n = d / L the row is L itself:
//     J v = n . d',   d/dt(J) v = |d'|^2 / L - (n . d')^2 / L + n . (w_a^2 r_a - w_b^2 r_b),
// the first two terms being what the velocity across the rod needs of force towards its other end.
//
// Source: E. Catto, "Soft Constraints" (GDC 2011).
#include "solve/joint_records.h"

const PhJointKindInfo ph_joint_distance = {
    .name = "distance",
    .sprung = 1,
    .limited = 0,
    .motored = 0,
    .coordinates = 0,
    .length = true,
    .parameters =
        {
            PH_JOINT_LENGTH_LIMITS,
            PH_JOINT_MOTOR_OF("max_motor_force"),
            PH_JOINT_SPRING_OF(0, 0),
            {"spring_target", PH_JOINT_TARGET, 1, 0, NAN, false},
            PH_JOINT_BREAK_BY_FORCE,
        },
};

// Wheel joint: b turns about its anchor, which slides along an axis of a: a wheel on a suspension.
//
// The rows are the first and the last of the prismatic joint, and the spin w_b - w_a, which the
// motor drives. Limits and spring are of the translation.
#include "solve/joint_records.h"

const PhJointKindInfo ph_joint_wheel = {
    .name = "wheel",
    .rigid = 1,
    .sprung = 2,
    .limited = 1,
    .motored = 2,
    .coordinates = 1,
    .parameters =
        {
            PH_JOINT_LIMITS,
            PH_JOINT_MOTOR_OF("max_motor_torque"),
            PH_JOINT_SPRING_OF(0, 0),
            PH_JOINT_REST_AT_0,
            PH_JOINT_BREAK_BY_FORCE,
            PH_JOINT_BREAK_BY_TORQUE,
        },
};

// Ratchet joint: b turns against a one way; the other way it stops at the last tooth it has passed.
//
// The row is the angle, with a limit that the world sets after each step to the last tooth passed:
// the lower one for teeth > 0, which let the angle grow, the upper one for teeth < 0.
#include "solve/joint_records.h"

const PhJointKindInfo ph_joint_ratchet = {
    .name = "ratchet",
    .limited = 0,
    .motored = -1,
    .coordinates = 0,
    .parameters =
        {
            {"tooth", PH_JOINT_TOOTH, 1, -INFINITY, 0, false},
            {"phase", PH_JOINT_PHASE, 1, -INFINITY, 0, false},
            PH_JOINT_BREAK_BY_TORQUE,
        },
};

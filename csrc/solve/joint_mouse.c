// Mouse joint: a spring from a point of a body to a target in the world, with bounded force.
//
// The rows are the point rows of the revolute joint; body a is the world and its anchor the target.
#include "solve/joint_records.h"

const PhJointKindInfo ph_joint_mouse = {
    .name = "mouse",
    .sprung = 3,
    .limited = -1,
    .motored = -1,
    .coordinates = -1,
    .parameters =
        {
            {"target", PH_JOINT_POINT, 2, -INFINITY, NAN, false},
            {"max_force", PH_JOINT_MAX_FORCE, 1, 0, INFINITY, true},
            PH_JOINT_SPRING_OF(5, 1),
            PH_JOINT_BREAK_BY_FORCE,
        },
};

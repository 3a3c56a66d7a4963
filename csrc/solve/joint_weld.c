// Weld joint: two bodies are one, rigidly or, with springs, softly in place, angle or both.
//
// The rows are those of the revolute joint, those of the place and that of the angle held or
// sprung. One spring of both has the stiffness of all three rows; where place and angle are told a
// spring each, that of the place gives a force at the anchors alone, that of the angle a torque.
// The lever of a goes to the anchor of b, which is the gap seen from a: on a spring the anchors are
// apart, and so the forces on both have one line.
#include "solve/joint_records.h"

const PhJointKindInfo ph_joint_weld = {
    .name = "weld",
    .rigid = 7,
    .sprung = 7,
    .limited = -1,
    .motored = -1,
    .coordinates = -1,
    .soft = true,
    .parameters =
        {
            PH_JOINT_SPRING_OF(0, 0),
            PH_JOINT_SPRING_OF_ANGLE,
            PH_JOINT_BREAK_BY_FORCE,
            PH_JOINT_BREAK_BY_TORQUE,
        },
};

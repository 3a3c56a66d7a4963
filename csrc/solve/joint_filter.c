// Filter joint: two bodies do not collide with each other. No rows.
#include "solve/joints.h"

static void fill(const PhJoint *joint, const PhJointPose *pose, PhJointRow *rows) {
    (void)joint;
    (void)pose;
    (void)rows;
}

const PhJointKindInfo ph_joint_filter = {
    .name = "filter",
    .limited = -1,
    .motored = -1,
    .coordinates = -1,
    .fill = fill,
};

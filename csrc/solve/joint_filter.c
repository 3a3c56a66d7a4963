// Filter joint: two bodies do not collide with each other. No rows.
#include "solve/joint_records.h"

const PhJointKindInfo ph_joint_filter = {
    .name = "filter",
    .limited = -1,
    .motored = -1,
    .coordinates = -1,
};

// Where a joint holds its bodies, as it keeps it: for writers and readers of scenes, which must not
// round it on the way.
#include <math.h>
#include <string.h>

#include "world/changes.h"
#include "world/internal.h"

void ph_joint_frame(const PhWorld *world, uint32_t index, double frame[PH_JOINT_FRAME]) {
    const PhJoint *joint = &world->joints.joint[index];
    const double numbers[PH_JOINT_FRAME] = {
        joint->anchor[0].x, joint->anchor[0].y, joint->anchor[1].x, joint->anchor[1].y,
        joint->axis.x,      joint->axis.y,      joint->reference};
    memcpy(frame, numbers, sizeof numbers);
}

bool ph_joint_set_frame(PhWorld *world, uint32_t index, const double frame[PH_JOINT_FRAME]) {
    PhJoint *joint = &world->joints.joint[index];
    double size = sqrt(frame[4] * frame[4] + frame[5] * frame[5]);
    bool ok = fabs(size - 1) < 1e-9 && fabs(frame[6]) <= PH_MAX_ANGLE;
    for (int i = 0; i < 4; i++) {
        ok = ok && fabs(frame[i]) <= PH_JOINT_MOST;
    }
    if (!ok) {
        return false;
    }
    joint->anchor[0] = ph_vec(frame[0], frame[1]);
    joint->anchor[1] = ph_vec(frame[2], frame[3]);
    joint->axis = ph_vec(frame[4], frame[5]);
    joint->reference = frame[6];
    ph_joint_update_rows(joint);
    ph_note_layout(world);
    return true;
}

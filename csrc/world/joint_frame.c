// Where a joint holds its bodies, as it keeps it: for writers and readers of scenes, which must not
// round it; and moving a part of it.
#include <math.h>
#include <string.h>

#include "geometry/build.h"
#include "world/changes.h"
#include "world/joint_places.h"

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

static PhStatus check_part(const PhWorld *world, const PhJoint *joint, PhJointPart part, PhVec2 v,
                           PhError *error) {
    static const char *const names[] = {"local_anchor_a", "local_anchor_b", "local_axis",
                                        "reference_angle"};
    const PhJointKindInfo *info = ph_joint_info(joint);
    const char *name = names[part];
    bool fits = fabs(v.x) <= PH_JOINT_MOST && fabs(v.y) <= PH_JOINT_MOST;
    (void)world;
    if (part == PH_JOINT_REFERENCE) {
        return fabs(v.x) <= PH_MAX_ANGLE
                   ? PH_OK
                   : ph_fail(error, PH_ERROR_VALUE, "%s: must be within +-%g, got %s", name,
                             PH_MAX_ANGLE, ph_number_text(v.x).text);
    }
    if (!fits || (part == PH_JOINT_AXIS && !(ph_length(v) > 0))) {
        return ph_fail(error, PH_ERROR_VALUE, "%s: must be within +-%g%s, got (%s, %s)", name,
                       PH_JOINT_MOST, part == PH_JOINT_AXIS ? " and not (0, 0)" : " m",
                       ph_number_text(v.x).text, ph_number_text(v.y).text);
    }
    if (part == PH_JOINT_ANCHOR_A && info->aims) {
        return ph_fail(error, PH_ERROR_VALUE, "%s: the world's point of a %s joint is its target",
                       name, info->name);
    }
    return PH_OK;
}

PhStatus ph_joint_move(PhWorld *world, PhId id, PhJointPart part, PhVec2 value, PhError *error) {
    if (!ph_joint_valid(world, id)) {
        return ph_fail(error, PH_ERROR_REMOVED, "the joint has been removed");
    }
    PhJoint *joint = &world->joints.joint[id.index];
    PhStatus status = check_part(world, joint, part, value, error);
    if (status) {
        return status;
    }
    if (part == PH_JOINT_REFERENCE) {
        joint->reference = value.x;
    } else if (part == PH_JOINT_AXIS) {
        joint->axis = ph_scale(1 / ph_length(value), value);
    } else {
        joint->anchor[part == PH_JOINT_ANCHOR_B] = value;
    }
    if (ph_joint_info(joint)->along_gap) {
        PhJointReading now = ph_joint_read(world, id.index);
        PhVec2 gap = ph_joint_gap(world, now.anchor[0], now.anchor[1]);
        joint->axis = ph_unrotate(ph_joint_pose_of(world, joint->body[0]).q,
                                  ph_normalize_or(gap, ph_vec(1, 0)));
    }
    ph_joint_tell_spring(world, id.index);
    ph_joint_update_rows(joint);
    ph_joints_wake_ends(world, id.index);
    ph_note_layout(world);
    return PH_OK;
}

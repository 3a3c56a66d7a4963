// The table of joint kinds and what their rows have in common.
//
// Invariant: which rows are rigid, on an axis or sprung is a function of the joint's numbers alone.
#include <math.h>

#include "solve/joints.h"

static const PhJointKindInfo *const kinds[PH_JOINT_KIND_COUNT] = {
    [PH_JOINT_REVOLUTE] = &ph_joint_revolute,   [PH_JOINT_DISTANCE] = &ph_joint_distance,
    [PH_JOINT_PRISMATIC] = &ph_joint_prismatic, [PH_JOINT_WELD] = &ph_joint_weld,
    [PH_JOINT_WHEEL] = &ph_joint_wheel,         [PH_JOINT_MOTOR] = &ph_joint_motor,
    [PH_JOINT_MOUSE] = &ph_joint_mouse,         [PH_JOINT_FILTER] = &ph_joint_filter,
};

const PhJointKindInfo *ph_joint_kind(PhJointKind kind) {
    return kinds[kind];
}

static bool is_held(const PhJointKindInfo *info, const PhJoint *joint) {
    return info->limited >= 0 && joint->value[PH_JOINT_LOWER] == joint->value[PH_JOINT_UPPER];
}

uint8_t ph_joint_rigid_rows(const PhJoint *joint) {
    const PhJointKindInfo *info = kinds[joint->kind];
    if (info->soft && joint->value[PH_JOINT_HERTZ] > 0)
        return 0;
    return (uint8_t)(info->rigid | (is_held(info, joint) ? 1 << info->limited : 0));
}

uint8_t ph_joint_axis_rows(const PhJoint *joint) {
    const PhJointKindInfo *info = kinds[joint->kind];
    const double *value = joint->value;
    unsigned rows = 0;
    if (info->limited >= 0 && (isfinite(value[PH_JOINT_LOWER]) || isfinite(value[PH_JOINT_UPPER])))
        rows |= 1u << info->limited;
    if (info->motored >= 0 && value[PH_JOINT_MAX_MOTOR] > 0)
        rows |= 1u << info->motored;
    return (uint8_t)(rows & ~(unsigned)ph_joint_rigid_rows(joint));
}

uint8_t ph_joint_sprung_rows(const PhJoint *joint) {
    const PhJointKindInfo *info = kinds[joint->kind];
    if (!(joint->value[PH_JOINT_HERTZ] > 0) && !info->driven)
        return 0;
    return (uint8_t)(info->sprung & ~(unsigned)ph_joint_rigid_rows(joint));
}

void ph_joint_row_along(PhJointRow *row, const PhJointPose *pose, PhVec2 along, PhVec2 lever_a) {
    row->a[0] = -along.x;
    row->a[1] = -along.y;
    row->a[2] = -ph_cross(lever_a, along);
    row->b[0] = along.x;
    row->b[1] = along.y;
    row->b[2] = ph_cross(pose->arm_b, along);
    row->along = along;
    row->couple = 0;
}

void ph_joint_row_couple(PhJointRow *row) {
    *row = (PhJointRow){.a = {0, 0, -1}, .b = {0, 0, 1}, .couple = 1};
}

PhVec2 ph_joint_gap_velocity(const PhJointPose *pose) {
    PhVec2 b = ph_mul_add(pose->velocity_b, pose->spin_b, ph_left(pose->arm_b));
    return ph_sub(b, ph_mul_add(pose->velocity_a, pose->spin_a, ph_left(pose->arm_a)));
}

PhVec2 ph_joint_gap_turning(const PhJointPose *pose) {
    PhVec2 a = ph_scale(pose->spin_a * pose->spin_a, pose->arm_a);
    return ph_mul_add(a, -pose->spin_b * pose->spin_b, pose->arm_b);
}

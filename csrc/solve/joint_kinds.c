// The table of joint kinds and what their rows have in common.
//
// Invariant: which rows are rigid, on an axis or sprung is a function of the joint's numbers alone.
#include <math.h>

#include "solve/joint_records.h"

static const PhJointKindInfo *const kinds[PH_JOINT_KIND_COUNT] = {
    [PH_JOINT_REVOLUTE] = &ph_joint_revolute,   [PH_JOINT_DISTANCE] = &ph_joint_distance,
    [PH_JOINT_PRISMATIC] = &ph_joint_prismatic, [PH_JOINT_WELD] = &ph_joint_weld,
    [PH_JOINT_WHEEL] = &ph_joint_wheel,         [PH_JOINT_MOTOR] = &ph_joint_motor,
    [PH_JOINT_MOUSE] = &ph_joint_mouse,         [PH_JOINT_FILTER] = &ph_joint_filter,
    [PH_JOINT_PULLEY] = &ph_joint_pulley,       [PH_JOINT_RATCHET] = &ph_joint_ratchet,
    [PH_JOINT_GEAR] = &ph_joint_gear,
};

const PhJointKindInfo *ph_joint_kind(PhJointKind kind) {
    return kinds[kind];
}

static bool is_held(const PhJointKindInfo *info, const PhJoint *joint) {
    return info->limited >= 0 && joint->value[PH_JOINT_LOWER] == joint->value[PH_JOINT_UPPER];
}

bool ph_joint_is_apart(const PhJoint *joint) {
    return kinds[joint->kind]->soft &&
           !(isnan(joint->value[PH_JOINT_TURN_HERTZ]) && isnan(joint->value[PH_JOINT_TURN_ZETA]));
}

double ph_joint_turn_hertz(const PhJoint *joint) {
    double own = joint->value[PH_JOINT_TURN_HERTZ];
    return kinds[joint->kind]->soft && !isnan(own) ? own : joint->value[PH_JOINT_HERTZ];
}

double ph_joint_turn_zeta(const PhJoint *joint) {
    double own = joint->value[PH_JOINT_TURN_ZETA];
    return kinds[joint->kind]->soft && !isnan(own) ? own : joint->value[PH_JOINT_ZETA];
}

// Of a kind that may be soft: rows of what has a spring. The last is that of the angle.
static uint8_t soft_rows(const PhJoint *joint) {
    return (uint8_t)((joint->value[PH_JOINT_HERTZ] > 0 ? 3 : 0) |
                     (ph_joint_turn_hertz(joint) > 0 ? 4 : 0));
}

static uint8_t rigid_rows(const PhJoint *joint) {
    const PhJointKindInfo *info = kinds[joint->kind];
    if (info->soft) {
        return (uint8_t)(info->rigid & ~soft_rows(joint));
    }
    return (uint8_t)(info->rigid | (is_held(info, joint) ? 1 << info->limited : 0));
}

double ph_joint_lower(const PhJointKindInfo *info, const PhJoint *joint) {
    double lower = joint->value[PH_JOINT_LOWER];
    return info->length && lower <= 0 ? -INFINITY : lower;
}

static uint8_t axis_rows(const PhJoint *joint) {
    const PhJointKindInfo *info = kinds[joint->kind];
    const double *value = joint->value;
    unsigned rows = 0;
    if (info->limited >= 0 &&
        (ph_joint_lower(info, joint) > -INFINITY || value[PH_JOINT_UPPER] < INFINITY)) {
        rows |= 1u << info->limited;
    }
    if (info->motored >= 0 && value[PH_JOINT_MAX_MOTOR] > 0) {
        rows |= 1u << info->motored;
    }
    return (uint8_t)(rows & ~(unsigned)rigid_rows(joint));
}

static uint8_t sprung_rows(const PhJoint *joint) {
    const PhJointKindInfo *info = kinds[joint->kind];
    if (info->soft) {
        return (uint8_t)(info->sprung & soft_rows(joint));
    }
    if (!(joint->value[PH_JOINT_HERTZ] > 0) && !info->driven) {
        return 0;
    }
    return (uint8_t)(info->sprung & ~(unsigned)rigid_rows(joint));
}

bool ph_joint_is_to_move(const PhJoint *joint) {
    const double *value = joint->value;
    if (!kinds[joint->kind]->driven) {
        return value[PH_JOINT_SPEED] != 0 && value[PH_JOINT_MAX_MOTOR] > 0;
    }
    bool pushes = value[PH_JOINT_MAX_FORCE] > 0, turns = value[PH_JOINT_MAX_TORQUE] > 0;
    return !(value[PH_JOINT_HERTZ] > 0) &&
           ((pushes && (value[PH_JOINT_LINEAR] != 0 || value[PH_JOINT_LINEAR + 1] != 0)) ||
            (turns && value[PH_JOINT_ANGULAR] != 0));
}

void ph_joint_update_rows(PhJoint *joint) {
    joint->rigid_rows = rigid_rows(joint);
    joint->axis_rows = axis_rows(joint);
    joint->sprung_rows = sprung_rows(joint);
}

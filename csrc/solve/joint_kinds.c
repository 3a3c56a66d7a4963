// The table of joint kinds, of the files of all of them, and what their rows have in common.
//
// Invariant: which rows are rigid, on an axis or sprung is a function of the joint's numbers alone.
#include <math.h>

#include "geometry/build.h"
#include "math/trig.h"
#include "solve/joint_drawing.h"
#include "solve/joint_specs.h"

// Limits of a length: it is held where it is told neither limits nor spring nor motor.
static void limit_length(double *value, double length, bool sprung) {
    bool low = !isnan(value[PH_JOINT_LOWER]), high = !isnan(value[PH_JOINT_UPPER]);
    bool held = !low && !high && !sprung && value[PH_JOINT_MAX_MOTOR] == 0;
    value[PH_JOINT_LOWER] = low ? value[PH_JOINT_LOWER] : held ? length : 0;
    value[PH_JOINT_UPPER] = high ? value[PH_JOINT_UPPER] : held ? length : INFINITY;
}

#define PH_JOINT_FILES
#include "solve/joint_list.h"
#undef PH_JOINT_FILES

#define ROW(KIND, name, Type) [PH_JOINT_##KIND] = &name##_info,
const PhJointKindInfo *const ph_joint_kinds[PH_JOINT_KIND_COUNT] = {PH_JOINT_KINDS(ROW)};

static bool is_held(const PhJointKindInfo *info, const PhJoint *joint) {
    return info->limited >= 0 && joint->value[PH_JOINT_LOWER] == joint->value[PH_JOINT_UPPER];
}

bool ph_joint_is_apart(const PhJoint *joint) {
    const PhJointKindInfo *info = ph_joint_info(joint);
    bool told = !isnan(joint->value[PH_JOINT_TURN_HERTZ]) ||
                !isnan(joint->value[PH_JOINT_TURN_ZETA]) || ph_joint_turn_is_elastic(joint);
    return (info->paired && told) || (info->coordinates < 0 && ph_joint_is_elastic(joint));
}

double ph_joint_turn_hertz(const PhJoint *joint) {
    double own = joint->value[PH_JOINT_TURN_HERTZ];
    return ph_joint_info(joint)->paired && !isnan(own) ? own
           : ph_joint_is_elastic(joint)                ? 0
                                                       : joint->value[PH_JOINT_HERTZ];
}

double ph_joint_turn_zeta(const PhJoint *joint) {
    double own = joint->value[PH_JOINT_TURN_ZETA];
    return ph_joint_info(joint)->paired && !isnan(own) ? own : joint->value[PH_JOINT_ZETA];
}

// Of a kind that may be soft: rows of what has a spring. The last is that of the angle.
static uint8_t soft_rows(const PhJoint *joint) {
    return (uint8_t)((joint->value[PH_JOINT_HERTZ] > 0 ? 3 : 0) |
                     (ph_joint_turn_hertz(joint) > 0 ? 4 : 0));
}

static bool is_limited(const PhJointKindInfo *info, const PhJoint *joint) {
    return info->limited >= 0 &&
           (ph_joint_lower(info, joint) > -INFINITY || joint->value[PH_JOINT_UPPER] < INFINITY);
}

// What no exact solution holds: that has no bounds, and is as stiff as can be.
static uint8_t bounded_rows(const PhJoint *joint) {
    bool yields = ph_joint_is_bounded(joint) || ph_joint_is_tuned(joint);
    return yields ? ph_joint_info(joint)->bounded : 0;
}

static uint8_t firm_rows(const PhJoint *joint) {
    const PhJointKindInfo *info = ph_joint_info(joint);
    unsigned rows = bounded_rows(joint);
    if (info->soft) {
        return (uint8_t)(rows & ~(unsigned)soft_rows(joint));
    }
    bool open = info->limited >= 0 && !is_limited(info, joint);
    return (uint8_t)(open ? rows & ~(1u << info->limited) : rows);
}

static uint8_t rigid_rows(const PhJoint *joint) {
    const PhJointKindInfo *info = ph_joint_info(joint);
    unsigned rows = info->rigid | (is_held(info, joint) ? 1u << info->limited : 0);
    rows &= ~(unsigned)bounded_rows(joint);
    return (uint8_t)(info->soft ? rows & ~(unsigned)soft_rows(joint) : rows);
}

double ph_joint_lower(const PhJointKindInfo *info, const PhJoint *joint) {
    double lower = joint->value[PH_JOINT_LOWER];
    return info->length && lower <= 0 ? -INFINITY : lower;
}

static uint8_t axis_rows(const PhJoint *joint) {
    const PhJointKindInfo *info = ph_joint_info(joint);
    unsigned rows = is_limited(info, joint) ? 1u << info->limited : 0;
    rows &= ~(unsigned)bounded_rows(joint);
    if (info->motored >= 0 && joint->value[PH_JOINT_MAX_MOTOR] > 0) {
        rows |= 1u << info->motored;
    }
    return (uint8_t)(rows & ~(unsigned)rigid_rows(joint));
}

static uint8_t sprung_rows(const PhJoint *joint) {
    const PhJointKindInfo *info = ph_joint_info(joint);
    if (info->soft) {
        return (uint8_t)(info->sprung & soft_rows(joint));
    }
    if (!(joint->value[PH_JOINT_HERTZ] > 0) && !info->driven) {
        return 0;
    }
    unsigned held = info->rigid | (is_held(info, joint) ? 1u << info->limited : 0);
    return (uint8_t)(info->sprung & ~held);
}

bool ph_joint_is_to_move(const PhJoint *joint) {
    const double *value = joint->value;
    if (!ph_joint_info(joint)->driven) {
        return value[PH_JOINT_SPEED] != 0 && value[PH_JOINT_MAX_MOTOR] > 0;
    }
    bool pushes = value[PH_JOINT_MAX_FORCE] > 0, turns = value[PH_JOINT_MAX_TORQUE] > 0;
    bool moves = value[PH_JOINT_LINEAR] != 0 || value[PH_JOINT_LINEAR + 1] != 0;
    return (pushes && moves && !(value[PH_JOINT_HERTZ] > 0)) ||
           (turns && value[PH_JOINT_ANGULAR] != 0 && !(ph_joint_turn_hertz(joint) > 0));
}

void ph_joint_update_rows(PhJoint *joint) {
    joint->rigid_rows = rigid_rows(joint);
    joint->axis_rows = axis_rows(joint);
    joint->sprung_rows = sprung_rows(joint);
    joint->firm_rows = firm_rows(joint);
}

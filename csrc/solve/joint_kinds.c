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
    return ph_joint_info(joint)->soft &&
           !(isnan(joint->value[PH_JOINT_TURN_HERTZ]) && isnan(joint->value[PH_JOINT_TURN_ZETA]));
}

double ph_joint_turn_hertz(const PhJoint *joint) {
    double own = joint->value[PH_JOINT_TURN_HERTZ];
    return ph_joint_info(joint)->soft && !isnan(own) ? own : joint->value[PH_JOINT_HERTZ];
}

double ph_joint_turn_zeta(const PhJoint *joint) {
    double own = joint->value[PH_JOINT_TURN_ZETA];
    return ph_joint_info(joint)->soft && !isnan(own) ? own : joint->value[PH_JOINT_ZETA];
}

// Of a kind that may be soft: rows of what has a spring. The last is that of the angle.
static uint8_t soft_rows(const PhJoint *joint) {
    if (ph_joint_is_bounded(joint)) {
        return ph_joint_info(joint)->bounded;
    }
    return (uint8_t)((joint->value[PH_JOINT_HERTZ] > 0 ? 3 : 0) |
                     (ph_joint_turn_hertz(joint) > 0 ? 4 : 0));
}

static uint8_t rigid_rows(const PhJoint *joint) {
    const PhJointKindInfo *info = ph_joint_info(joint);
    if (info->soft) {
        return (uint8_t)(info->rigid & ~soft_rows(joint));
    }
    unsigned rows = info->rigid | (is_held(info, joint) ? 1u << info->limited : 0);
    return (uint8_t)(ph_joint_is_bounded(joint) ? rows & ~(unsigned)info->bounded : rows);
}

double ph_joint_lower(const PhJointKindInfo *info, const PhJoint *joint) {
    double lower = joint->value[PH_JOINT_LOWER];
    return info->length && lower <= 0 ? -INFINITY : lower;
}

static uint8_t axis_rows(const PhJoint *joint) {
    const PhJointKindInfo *info = ph_joint_info(joint);
    const double *value = joint->value;
    unsigned rows = 0;
    if (info->limited >= 0 &&
        (ph_joint_lower(info, joint) > -INFINITY || value[PH_JOINT_UPPER] < INFINITY)) {
        rows |= 1u << info->limited;
    }
    if (info->motored >= 0 && value[PH_JOINT_MAX_MOTOR] > 0) {
        rows |= 1u << info->motored;
    }
    rows &= ph_joint_is_bounded(joint) ? ~(unsigned)info->bounded : ~0u;
    return (uint8_t)(rows & ~(unsigned)rigid_rows(joint));
}

static uint8_t sprung_rows(const PhJoint *joint) {
    const PhJointKindInfo *info = ph_joint_info(joint);
    if (info->soft) {
        return (uint8_t)(info->sprung & soft_rows(joint));
    }
    if (ph_joint_is_bounded(joint)) {
        return info->bounded;
    }
    if (!(joint->value[PH_JOINT_HERTZ] > 0) && !info->driven) {
        return 0;
    }
    return (uint8_t)(info->sprung & ~(unsigned)rigid_rows(joint));
}

PhStatus ph_joint_check_bounds(const PhJointKindInfo *info, const double *value, PhError *error) {
    bool force = value[PH_JOINT_MAX_FORCE] < INFINITY;
    if (!info->bounded || (!force && !(value[PH_JOINT_MAX_TORQUE] < INFINITY))) {
        return PH_OK;
    }
    const char *name = force ? "max_force" : "max_torque";
    bool sprung = value[PH_JOINT_HERTZ] > 0 ||
                  (!info->soft && (value[PH_JOINT_STIFFNESS] > 0 || value[PH_JOINT_DAMPING] > 0));
    if (info->soft) {
        bool apart = !isnan(value[PH_JOINT_TURN_HERTZ]) || !isnan(value[PH_JOINT_TURN_ZETA]);
        return !apart && !sprung
                   ? PH_OK
                   : ph_fail(error, PH_ERROR_VALUE,
                             "%s: goes with a weld without springs; give it or a spring, or make a "
                             "motor joint, whose springs are bounded",
                             name);
    }
    if (!info->length) {
        return !sprung ? PH_OK
                       : ph_fail(error, PH_ERROR_VALUE,
                                 "%s: goes with a joint without a spring of its angle; give it, or "
                                 "a spring, which a second joint, a rotary one, may be",
                                 name);
    }
    bool held = value[PH_JOINT_LOWER] == value[PH_JOINT_UPPER];
    bool limited = !held && (value[PH_JOINT_LOWER] > 0 || value[PH_JOINT_UPPER] < INFINITY);
    if (value[PH_JOINT_MAX_MOTOR] > 0 || limited || (held && sprung)) {
        return ph_fail(error, PH_ERROR_VALUE,
                       "%s: goes with a rod, or with a spring alone; a motor has max_motor_force, "
                       "and limits of a rope have no bound",
                       name);
    }
    return PH_OK;
}

bool ph_joint_is_to_move(const PhJoint *joint) {
    const double *value = joint->value;
    if (!ph_joint_info(joint)->driven) {
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

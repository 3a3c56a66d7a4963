// Which joints a solver has: soft_step has all, sequential_impulses some, and of those not all that
// they can be told.
#include "geometry/build.h"
#include "solve/joint_records.h"
#include "world/internal.h"

PhStatus ph_joint_check_kind(PhSolverKind solver, PhJointKind kind, PhError *error) {
    if (solver == PH_SOFT_STEP || ph_sequential_has(kind)) {
        return PH_OK;
    }
    return ph_fail(error, PH_ERROR_VALUE,
                   "a %s joint needs a world of solver='soft_step': 'sequential_impulses' has "
                   "revolute, distance, wheel and filter joints",
                   ph_joint_kind(kind)->name);
}

PhStatus ph_joint_check_solver(PhSolverKind solver, PhJointKind kind, const double *value,
                               PhError *error) {
    const PhJointKindInfo *info = ph_joint_kind(kind);
    int32_t refused = solver == PH_SOFT_STEP ? -1 : ph_sequential_refuses(kind, value);
    if (solver != PH_SOFT_STEP && refused < 0 && info->elastic) { // hertz follow from these later
        refused = value[PH_JOINT_STIFFNESS] > 0 ? PH_JOINT_STIFFNESS
                  : value[PH_JOINT_DAMPING] > 0 ? PH_JOINT_DAMPING
                                                : -1;
    }
    for (int i = 0; refused >= 0 && i < PH_JOINT_PARAMETERS && info->parameters[i].name; i++) {
        if (info->parameters[i].at == refused) {
            return ph_fail(error, PH_ERROR_VALUE,
                           "%s: a %s joint that is told it needs a world of solver='soft_step', "
                           "got %s",
                           info->parameters[i].name, info->name,
                           ph_number_text(value[refused]).text);
        }
    }
    return PH_OK;
}

PhStatus ph_joints_check_solver(const PhWorld *world, PhSolverKind solver, PhError *error) {
    PhStatus status = PH_OK;
    for (uint32_t i = 0; i < world->joints.limit && !status; i++) {
        const PhJoint *joint = &world->joints.joint[i];
        if (!joint->alive) {
            continue;
        }
        if (ph_joint_is_lock(world, i)) { // each solver has these
            continue;
        }
        PhJointKind kind = (PhJointKind)joint->kind;
        status = ph_joint_check_kind(solver, kind, error);
        status = status ? status : ph_joint_check_solver(solver, kind, joint->value, error);
    }
    return status;
}

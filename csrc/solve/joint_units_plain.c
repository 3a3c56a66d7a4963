// Passes over units of joints for any machine, and the rows of a joint for who reads it.
#include "solve/joint_units.h"

#define PH_UNIT_PASS ph_unit_pass_plain
#include "solve/joint_unit_source.h"

int ph_unit_fill(PhJointKind kind, const PhUnitTerms *terms, const PhUnitPose *pose,
                 PhUnitRow rows[PH_JOINT_ROWS]) {
    return fill_kind(kind, terms, pose, rows);
}

size_t ph_unit_scratch(uint32_t bodies, uint32_t links) {
    return bodies * sizeof(UnitBody) + links * sizeof(UnitFactor);
}

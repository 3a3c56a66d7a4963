// Passes over articulations one at a time, and the rows of a joint for its readers.
#include <stddef.h>

#include "solve/articulations.h"

#define PH_WIDE 1
#define PH_ARTICULATION_PASS ph_articulation_pass_single
#include "solve/articulation_source.h"

#include "solve/joint_group_source.h"

int ph_joint_fill(PhJointKind kind, const PhJointTerms *terms, const PhJointPose *pose,
                  PhJointRow rows[PH_JOINT_ROWS]) {
    return fill_kind(kind, terms, pose, rows);
}

void ph_joint_invert(const double matrix[6], double inverse[6]) {
    sym_invert(matrix, inverse);
}

size_t ph_articulation_moves(uint32_t bodies) {
    return bodies *
           (PH_ARTICULATION_LANES * sizeof(Moves) + 9 * sizeof(double) + 3 * sizeof(uint32_t));
}

size_t ph_articulation_scratch(uint32_t bodies, uint32_t links) {
    return bodies * sizeof(ArticulationBody) + links * sizeof(ArticulationFactor) +
           sizeof(ArticulationKept);
}

void ph_joint_masses(PhJointKind kind, uint8_t used, const PhJointTerms *terms,
                     const PhJointPose *pose, const double inverse[2][2], double masses[6]) {
    PhJointRow rows[PH_JOINT_ROWS];
    ArticulationBody side[2];
    double k[6];
    for (int i = 0; i < 2; i++) {
        side[i] = (ArticulationBody){.inv_mass = inverse[i][0], .inv_inertia = inverse[i][1]};
    }
    fill_kind(kind, terms, pose, rows);
    couple_rows(rows, used, &side[0], &side[1], k);
    sym_invert(k, masses);
}

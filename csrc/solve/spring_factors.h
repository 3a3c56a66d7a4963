// Factors of springs in a substep, see spring_factors.c. x is the angular frequency times the
// length of the substep, z the damping ratio.
#ifndef PH_SOLVE_SPRING_FACTORS_H
#define PH_SOLVE_SPRING_FACTORS_H

#include "solve/joint_solve.h"

// The largest x that follows the equation; less where bodies turn about their anchors in chains.
#define PH_SPRING_EXACT 0.5
#define PH_SPRING_WITH_ARMS 0.3

// omega: rad/s; h: seconds.
PhJointSpring ph_spring_implicit(double omega, double zeta, double h);
PhJointSpring ph_spring_factors(PhJointKind kind, double hertz, double zeta, double h);

#endif

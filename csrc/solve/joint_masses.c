// The masses that springs of joints move where they rest: the stiffness of a spring is w^2 times
// these (joint_solve.c).
//
// Invariant: they follow from the joint and its bodies alone, not from where these are.
#include <math.h>

#include "math/trig.h"
#include "solve/articulations.h"

void ph_joint_rest_masses(const PhJoint *joint, uint8_t used, const PhVec2 arm[2],
                          const double inverse[2][2], double masses[6]) {
    const double *value = joint->value;
    PhJointKind kind = (PhJointKind)joint->kind;
    const PhJointKindInfo *info = ph_joint_kind(kind);
    double along = value[PH_JOINT_TARGET], turned = info->driven ? along : 0;
    PhVec2 b = ph_rotate(ph_rot(joint->reference + turned), arm[1]);
    PhJointTerms terms = {.axis = {joint->axis.x, joint->axis.y},
                          .offset = {value[PH_JOINT_POINT], value[PH_JOINT_POINT + 1]},
                          .turn = along};
    PhJointPose pose = {.arm_a = {arm[0].x, arm[0].y}, .arm_b = {b.x, b.y}, .rot_a = {1, 0}};
    for (int i = 0; i < 2; i++) {
        pose.gap[i] = info->driven        ? terms.offset[i]
                      : info->rests_along ? along * terms.axis[i]
                                          : 0;
    }
    ph_joint_masses(kind, used, &terms, &pose, inverse, masses);
}

void ph_joint_elastic_masses(const double masses[6], bool place_held, bool angle_held,
                             double *place, double *angle) {
    double give[6], xx = masses[0], xy = masses[1], yy = masses[3];
    ph_joint_invert(masses, give);
    if (angle_held) { // the least of what is there
        *place = 0.5 * (xx + yy) - sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy);
    } else {
        xx = give[0], xy = give[1], yy = give[3];
        *place = 1 / (0.5 * (xx + yy) + sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy));
    }
    *angle = place_held ? masses[5] : 1 / give[5];
}

void ph_joint_carry_stiffness(const double stiffness[6], double angle, double carried[6],
                              double off[2]) {
    double xx = stiffness[0], xy = stiffness[1], yy = stiffness[3];
    double xw = stiffness[2], yw = stiffness[4], det = xx * yy - xy * xy;
    // From anchor b to the point on b at which a force turns nothing, at rest.
    double x = -(xy * xw - xx * yw) / det, y = -(yy * xw - xy * yw) / det;
    for (int k = 0; k < 6; k++) {
        carried[k] = stiffness[k];
    }
    off[0] = off[1] = 0;
    if (!(fabs(x) + fabs(y) < INFINITY) || (x == 0 && y == 0)) {
        return;
    }
    PhVec2 rest = ph_vec(x, y), now = ph_rotate(ph_rot(angle), rest);
    double pushed_x = xy * now.x - xx * now.y, pushed_y = yy * now.x - xy * now.y;
    carried[2] = pushed_x;
    carried[4] = pushed_y;
    // About that point, and what its force turns about anchor b.
    carried[5] += y * xw - x * yw + (now.x * pushed_y - now.y * pushed_x);
    off[0] = now.x - rest.x + angle * now.y;
    off[1] = now.y - rest.y - angle * now.x;
}

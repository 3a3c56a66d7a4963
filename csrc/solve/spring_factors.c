// Factors of springs in a substep: by the exact solution of a damped spring, or by implicit Euler.
// The equations are in joint_spring_source.h.
#include "solve/spring_factors.h"

#include <math.h>

#include "math/trig.h"
#include "solve/articulations.h"

#define LARGEST_DAMPING 0.3 // z x, above which implicit Euler is used
// x of springs of hinges: stiffer ones in a row undo each other's work.
#define STIFFEST_HINGE 1.5

// exp(-y) for y >= 0, from plain operations alone: the series near 0, squared back.
static double decay(double y) {
    int squares = 0;
    if (!(y < 700)) {
        return 0;
    }
    for (; y > 0.25; y *= 0.5) {
        squares++;
    }
    double sum = 1;
    for (int n = 14; n > 0; n--) {
        sum = 1 - y / n * sum;
    }
    for (; squares > 0; squares--) {
        sum *= sum;
    }
    return sum;
}

PhJointSpring ph_spring_implicit(double omega, double zeta, double h) {
    double x = omega * h, damping = 1 / (1 + 2 * zeta * x + x * x);
    return (PhJointSpring){omega * x * damping, 1 - damping, 0, omega * x, 0, 0, false};
}

// The angular frequency that a spring acts with.
static double omega_of(PhJointKind kind, double hertz, double h) {
    double omega = 2 * PH_PI * hertz;
    return ph_joint_kind(kind)->hinge && omega * h > STIFFEST_HINGE ? STIFFEST_HINGE / h : omega;
}

// Whether it is too stiff, or too much damped, to be met exactly.
static bool is_implicit(PhJointKind kind, double omega, double zeta, double h) {
    const PhJointKindInfo *info = ph_joint_kind(kind);
    double x = omega * h;
    return x > (info->with_arms ? PH_SPRING_WITH_ARMS : PH_SPRING_EXACT) ||
           zeta * x > LARGEST_DAMPING;
}

PhJointSpring ph_spring_factors(PhJointKind kind, double hertz, double zeta, double h) {
    double omega = omega_of(kind, hertz, h), x = omega * h, pull = omega * x;
    if (is_implicit(kind, omega, zeta, h)) {
        return ph_spring_implicit(omega, zeta, h);
    }
    double d = decay(2 * zeta * x), root = sqrt(fabs(1 - zeta * zeta)), twice;
    if (zeta < 1) {
        twice = 2 * decay(zeta * x) * ph_rot(x * root).c;
    } else {
        twice = decay((zeta - root) * x) + decay((zeta + root) * x);
    }
    double ha = 1 + d - twice, second = 1 - ha / (x * x);
    double y = 2 * zeta * x, least = y > 1e-9 ? 1 - (1 - d) / y : 0;
    double lags = (twice - 1 + x * x - d) / (x * x);
    lags = lags > least ? lags : least;
    lags = lags < 2 * least ? lags : 2 * least;
    return (PhJointSpring){ha / h, 1 - d, 1 - d - second, pull, 1 - d - x * x * lags, lags, true};
}

PhJointSpring ph_joint_spring(const PhJoint *joint, double h, PhSpringCache *cache) {
    double hertz = joint->value[PH_JOINT_HERTZ], zeta = joint->value[PH_JOINT_ZETA];
    if (!cache->known || cache->kind != joint->kind || cache->hertz != hertz ||
        cache->zeta != zeta) {
        *cache = (PhSpringCache){true, joint->kind, hertz, zeta,
                                 ph_spring_factors((PhJointKind)joint->kind, hertz, zeta, h)};
    }
    return cache->spring;
}

bool ph_joint_oscillates(const PhJoint *joint, double h) {
    const PhJointKindInfo *info = ph_joint_info(joint);
    bool bounded = ph_joint_is_bounded(joint) && !ph_joint_spring_is_free(info);
    bool apart = ph_joint_is_apart(joint);
    double turn = apart ? ph_joint_turn_hertz(joint) : 0;
    bool pulls = joint->value[PH_JOINT_HERTZ] > 0;
    bool driven = info->driven && !(pulls && (!apart || turn > 0));
    return !bounded && !driven && !joint->firm_rows && !joint->axis_rows &&
           !ph_joint_has_stiff_spring(joint, h);
}

bool ph_joint_has_stiff_spring(const PhJoint *joint, double h) {
    PhJointKind kind = (PhJointKind)joint->kind;
    double turn = ph_joint_is_apart(joint) ? ph_joint_turn_hertz(joint) : 0;
    return ph_joint_is_stiff(joint, h) ||
           (turn > 0 && is_implicit(kind, omega_of(kind, turn, h), ph_joint_turn_zeta(joint), h));
}

bool ph_joint_is_stiff(const PhJoint *joint, double h) {
    PhJointKind kind = (PhJointKind)joint->kind;
    double hertz = joint->value[PH_JOINT_HERTZ], zeta = joint->value[PH_JOINT_ZETA];
    return hertz > 0 && is_implicit(kind, omega_of(kind, hertz, h), zeta, h);
}

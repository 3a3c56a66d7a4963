// The numbers that enter the state of a body, from calls and from the live arrays: one range each.
//
// Invariant: between steps, positions and angles are finite, and velocities are within their
// ranges, in every row that a step has accepted. A body may leave the range of positions by moving;
// only what is written or passed is refused there.
#include <float.h>

#include "world/internal.h"

// Room for the rounding of a velocity that was scaled to the largest max_speed.
#define ROUNDING (1 + 1e-9)

PhStatus ph_check_finite(const char *name, double value, PhError *error) {
    if (isfinite(value)) {
        return PH_OK;
    }
    return ph_fail(error, PH_ERROR_VALUE, "%s: must be finite, got %g", name, value);
}

PhStatus ph_check_vector(const char *name, PhVec2 v, PhError *error) {
    PhStatus status = ph_check_finite(name, v.x, error);
    return status ? status : ph_check_finite(name, v.y, error);
}

static PhStatus check_range(const char *name, double value, double most, const char *unit,
                            PhError *error) {
    if (fabs(value) <= most * ROUNDING) {
        return PH_OK;
    }
    if (!isfinite(value)) {
        return ph_check_finite(name, value, error);
    }
    return ph_fail(error, PH_ERROR_VALUE, "%s: must be within +-%g %s, got %g", name, most, unit,
                   value);
}

PhStatus ph_check_position(const char *name, PhVec2 position, PhError *error) {
    PhStatus status = check_range(name, position.x, PH_MAX_POSITION, "m", error);
    return status ? status : check_range(name, position.y, PH_MAX_POSITION, "m", error);
}

PhStatus ph_check_angle(const char *name, double angle, PhError *error) {
    return check_range(name, angle, PH_MAX_ANGLE, "rad", error);
}

PhStatus ph_check_velocity(const char *name, PhVec2 velocity, PhError *error) {
    PhStatus status = check_range(name, velocity.x, PH_MAX_VELOCITY, "m/s", error);
    return status ? status : check_range(name, velocity.y, PH_MAX_VELOCITY, "m/s", error);
}

PhStatus ph_check_angular_velocity(const char *name, double angular_velocity, PhError *error) {
    return check_range(name, angular_velocity, PH_MAX_VELOCITY, "rad/s", error);
}

bool ph_pose_in_range(PhVec2 position, double angle) {
    return fabs(position.x) <= PH_MAX_POSITION && fabs(position.y) <= PH_MAX_POSITION &&
           fabs(angle) <= PH_MAX_ANGLE;
}

PhStatus ph_check_state_row(const PhWorld *world, uint32_t slot, PhError *error) {
    const PhState *s = world->state;
    const PhTransform *seen = &world->transform[slot];
    const double *p = s->position[slot], *v = s->velocity[slot], *f = s->force[slot];
    const double position = PH_MAX_POSITION, velocity = PH_MAX_VELOCITY, any = DBL_MAX;
    const struct {
        const char *name, *unit;
        double value, most;
    } numbers[] = {
        {"positions", "m", p[0], p[0] == seen->p.x ? any : position},
        {"positions", "m", p[1], p[1] == seen->p.y ? any : position},
        {"angles", "rad", s->angle[slot],
         s->angle[slot] == world->pose_angle[slot] ? any : PH_MAX_ANGLE},
        {"velocities", "m/s", v[0], velocity},
        {"velocities", "m/s", v[1], velocity},
        {"angular_velocities", "rad/s", s->angular_velocity[slot], velocity},
        {"forces", "N", f[0], any},
        {"forces", "N", f[1], any},
        {"torques", "N m", s->torque[slot], any},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        double value = numbers[k].value, most = numbers[k].most;
        if (fabs(value) <= most || (most < any && fabs(value) <= most * ROUNDING)) {
            continue;
        }
        if (error) {
            error->index = slot;
        }
        if (!isfinite(value)) {
            return ph_fail(error, PH_ERROR_NONFINITE,
                           "%s: body %u has %g; every number must be finite", numbers[k].name, slot,
                           value);
        }
        return ph_fail(error, PH_ERROR_NONFINITE, "%s: body %u has %g; must be within +-%g %s",
                       numbers[k].name, slot, value, most, numbers[k].unit);
    }
    return PH_OK;
}

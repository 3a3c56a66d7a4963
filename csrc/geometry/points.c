// Owns nothing: tests and closest points in closed form. Squared lengths are compared; numbers
// whose squares would leave float64 are scaled by a power of two first.
#include "geometry/points.h"

#include "math/range.h"

bool ph_point_in_circle(PhVec2 point, PhVec2 center, double radius) {
    PhVec2 offset = ph_sub(point, center);
    double scale = ph_range_scale(ph_largest(radius, offset));
    radius *= scale;
    return ph_length_squared(ph_scale(scale, offset)) <= radius * radius;
}

bool ph_point_in_aabb(PhVec2 point, PhAabb box) {
    return ph_overlaps(box, (PhAabb){point, point});
}

bool ph_circle_vs_circle(PhVec2 center_a, double radius_a, PhVec2 center_b, double radius_b) {
    // Half the sum, which cannot overflow.
    PhVec2 offset = ph_sub(ph_scale(0.5, center_b), ph_scale(0.5, center_a));
    return ph_point_in_circle(offset, ph_vec(0, 0), 0.5 * radius_a + 0.5 * radius_b);
}

bool ph_circle_vs_aabb(PhVec2 center, double radius, PhAabb box) {
    return ph_point_in_circle(ph_closest_on_aabb(center, box), center, radius);
}

PhVec2 ph_closest_on_aabb(PhVec2 point, PhAabb box) {
    double x = point.x < box.lower.x ? box.lower.x : point.x;
    double y = point.y < box.lower.y ? box.lower.y : point.y;
    return ph_vec(x > box.upper.x ? box.upper.x : x, y > box.upper.y ? box.upper.y : y);
}

PhVec2 ph_closest_on_segment(PhVec2 point, PhVec2 a, PhVec2 b) {
    PhAabb box = ph_union((PhAabb){a, a}, (PhAabb){b, b});
    double scale = ph_range_scale(ph_largest(ph_largest(ph_largest(0, point), a), b));
    PhVec2 start = ph_scale(scale, a);
    PhVec2 along = ph_sub(ph_scale(scale, b), start),
           offset = ph_sub(ph_scale(scale, point), start);
    double stretch = ph_range_scale(ph_largest(ph_largest(0, along), offset));
    along = ph_scale(stretch, along);
    offset = ph_scale(stretch, offset);
    double part = ph_dot(offset, along), whole = ph_length_squared(along);
    if (!(part > 0)) {
        return a;
    }
    if (part >= whole) {
        return b;
    }
    // From the nearer end, where less is rounded.
    double t = part / whole;
    PhVec2 step = ph_sub(b, a);
    PhVec2 closest =
        t <= 0.5 ? ph_mul_add(a, t, step) : ph_mul_add(b, -((whole - part) / whole), step);
    return ph_closest_on_aabb(closest, box);
}

PhVec2 ph_project(PhVec2 v, PhVec2 onto) {
    double stretch = ph_range_scale(ph_largest(0, onto));
    onto = ph_scale(stretch, onto);
    double scale = ph_range_scale(ph_largest(0, v));
    double length_squared = ph_length_squared(onto);
    if (length_squared == 0) {
        return ph_vec(0, 0);
    }
    PhVec2 shadow = ph_scale(ph_dot(ph_scale(scale, v), onto) / length_squared, onto);
    return ph_vec(shadow.x / scale, shadow.y / scale);
}

// The power of two next above a size, within the normal numbers; 1 for 0 and infinity.
static double unit_of(double size) {
    int exponent = 0;
    if (isfinite(size)) {
        (void)frexp(size, &exponent);
    }
    return ldexp(1, exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent);
}

// |offset + velocity t| = speed t is a t^2 + 2 b t + c = 0 with a = |velocity|^2 - speed^2,
// b = offset . velocity, c = |offset|^2; its smallest root t >= 0, in the form that subtracts no
// nearly equal numbers. The discriminant b^2 - a c is speed^2 |offset|^2 - (offset x velocity)^2.
PhVec2 ph_lead_target(PhVec2 shooter, PhVec2 target, PhVec2 target_velocity, double speed) {
    PhVec2 offset = ph_sub(target, shooter);
    // Lengths and speeds near 1: there are fourth powers in the discriminant.
    double length_unit = unit_of(ph_largest(0, offset));
    double speed_unit = unit_of(ph_largest(speed, target_velocity));
    PhVec2 velocity = ph_scale(1 / speed_unit, target_velocity);
    offset = ph_scale(1 / length_unit, offset);
    speed /= speed_unit;
    double distance = ph_length(offset);
    if (distance == 0) {
        return target;
    }
    double target_speed = ph_length(velocity);
    double a = (target_speed - speed) * (target_speed + speed);
    double b = ph_dot(offset, velocity);
    double across = fabs(ph_cross(offset, velocity));
    double discriminant = (speed * distance - across) * (speed * distance + across);
    if (a < 0 && discriminant < 0) {
        discriminant = 0; // a faster shot always arrives, whatever rounding says
    }
    double time = NAN;
    if (b < 0 && discriminant >= 0) {
        time = distance * distance / (sqrt(discriminant) - b);
    } else if (b >= 0 && a < 0) {
        time = (b + sqrt(discriminant)) / -a;
    }
    PhVec2 aim = ph_mul_add(target, length_unit, ph_scale(time, velocity));
    return isfinite(aim.x) && isfinite(aim.y) ? aim : ph_vec(NAN, NAN);
}

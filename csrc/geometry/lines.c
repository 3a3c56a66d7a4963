// Owns nothing: intersections of lines, segments and rays. Invariant: every decision is the exact
// sign of a cross product or a comparison of coordinates; rounding can only move a point along, and
// not out of, the boxes of what it lies on.
//
// With s(p) the cross product that tells on which side of the line c -> d the point p is, the line
// a -> b meets it at a + t (b - a), t = s(a) / (s(a) - s(b)). The sides are computed with nearly
// full relative accuracy, so t is accurate however flat the angle.
#include "geometry/lines.h"

#include "geometry/polygon.h"
#include "geometry/predicates.h"
#include "math/range.h"

static const PhVec2 NOWHERE = {NAN, NAN};

// Also for a value that is not a number.
static double clamp(double value, double lower, double upper) {
    return value >= upper ? upper : value >= lower ? value : lower;
}

static PhAabb box_of(PhVec2 a, PhVec2 b) {
    return ph_union((PhAabb){a, a}, (PhAabb){b, b});
}

static bool box_holds(PhAabb box, PhVec2 p) {
    return box.lower.x <= p.x && p.x <= box.upper.x && box.lower.y <= p.y && p.y <= box.upper.y;
}

static PhVec2 clamp_to(PhAabb box, PhVec2 p) {
    return ph_vec(clamp(p.x, box.lower.x, box.upper.x), clamp(p.y, box.lower.y, box.upper.y));
}

// a + t (b - a) with t = part / (part + rest), from the nearer end, which is met exactly.
static PhVec2 between(PhVec2 a, PhVec2 b, double part, double rest) {
    double whole = part + rest;
    if (fabs(part) <= fabs(rest)) {
        return ph_mul_add(a, part / whole, ph_sub(b, a));
    }
    return ph_mul_add(b, rest / whole, ph_sub(a, b));
}

// ------------------------------------------------------------------------------------------------
// lines

PhVec2 ph_line_intersection(PhVec2 a, PhVec2 b, PhVec2 c, PhVec2 d) {
    if (ph_cross_sign(ph_arrow(a, b), ph_arrow(c, d)) == 0) {
        return NOWHERE;
    }
    double scale = ph_range_scale(ph_largest(ph_largest(ph_largest(ph_largest(0, a), b), c), d));
    a = ph_scale(scale, a);
    b = ph_scale(scale, b);
    c = ph_scale(scale, c);
    d = ph_scale(scale, d);
    double along = ph_cross_value(ph_arrow(a, b), ph_arrow(c, d));
    double from_a = ph_cross_value(ph_arrow(a, c), ph_arrow(c, d));
    double from_b = ph_cross_value(ph_arrow(b, c), ph_arrow(c, d));
    PhVec2 point = fabs(from_a) <= fabs(from_b) ? ph_mul_add(a, from_a / along, ph_sub(b, a))
                                                : ph_mul_add(b, from_b / along, ph_sub(b, a));
    point = ph_vec(point.x / scale, point.y / scale);
    return isfinite(point.x) && isfinite(point.y) ? point : NOWHERE;
}

// ------------------------------------------------------------------------------------------------
// segments

// Segments that cross at inner points of both: along the shorter one, where less is rounded.
static PhVec2 crossing_point(PhVec2 a, PhVec2 b, PhVec2 c, PhVec2 d) {
    PhAabb first = box_of(a, b), second = box_of(c, d);
    PhAabb both = {{first.lower.x > second.lower.x ? first.lower.x : second.lower.x,
                    first.lower.y > second.lower.y ? first.lower.y : second.lower.y},
                   {first.upper.x < second.upper.x ? first.upper.x : second.upper.x,
                    first.upper.y < second.upper.y ? first.upper.y : second.upper.y}};
    double scale = ph_range_scale(ph_largest(ph_largest(ph_largest(ph_largest(0, a), b), c), d));
    a = ph_scale(scale, a);
    b = ph_scale(scale, b);
    c = ph_scale(scale, c);
    d = ph_scale(scale, d);
    if (ph_distance_squared(c, d) < ph_distance_squared(a, b)) {
        PhVec2 swap = a;
        a = c;
        c = swap;
        swap = b;
        b = d;
        d = swap;
    }
    double from_a = ph_cross_value(ph_arrow(c, d), ph_arrow(c, a));
    double from_b = ph_cross_value(ph_arrow(c, d), ph_arrow(c, b));
    PhVec2 point = between(a, b, fabs(from_a), fabs(from_b));
    return clamp_to(both, ph_vec(point.x / scale, point.y / scale));
}

// Of segments on one line: their overlap's point nearest to a. Also when both are single points.
static PhVec2 first_shared(PhVec2 a, PhVec2 b, PhVec2 c, PhVec2 d) {
    PhAabb first = box_of(a, b), second = box_of(c, d);
    if (box_holds(second, a)) {
        return a;
    }
    bool c_on = box_holds(first, c), d_on = box_holds(first, d);
    if (c_on && d_on) { // the nearer to a comes first, in the order of the coordinates
        bool c_first = c.x != d.x ? (c.x >= a.x) == (d.x >= c.x) : (c.y >= a.y) == (d.y >= c.y);
        return c_first ? c : d;
    }
    return c_on ? c : d_on ? d : NOWHERE;
}

PhVec2 ph_segment_intersection(PhVec2 a, PhVec2 b, PhVec2 c, PhVec2 d) {
    PhAabb first = box_of(a, b), second = box_of(c, d);
    if (!ph_overlaps(first, second)) {
        return NOWHERE;
    }
    int a_side = ph_orientation(c, d, a), b_side = ph_orientation(c, d, b);
    if (a_side * b_side > 0) {
        return NOWHERE;
    }
    int c_side = ph_orientation(a, b, c), d_side = ph_orientation(a, b, d);
    if (c_side * d_side > 0) {
        return NOWHERE;
    }
    if (a_side * b_side < 0 && c_side * d_side < 0) {
        return crossing_point(a, b, c, d);
    }
    if (a_side == 0 && b_side == 0 && c_side == 0 && d_side == 0) {
        return first_shared(a, b, c, d);
    }
    // One point at most, and it is an end.
    if (a_side == 0 && box_holds(second, a)) {
        return a;
    }
    if (b_side == 0 && box_holds(second, b)) {
        return b;
    }
    if (c_side == 0 && box_holds(first, c)) {
        return c;
    }
    return d_side == 0 && box_holds(first, d) ? d : NOWHERE;
}

// How far along the coordinate in which a and b differ most; for comparisons only.
static double progress(PhVec2 a, PhVec2 b, PhVec2 p) {
    return fabs(b.x - a.x) >= fabs(b.y - a.y) ? fabs(p.x - a.x) : fabs(p.y - a.y);
}

PhVec2 ph_segment_vs_ring(PhVec2 a, PhVec2 b, const PhVec2 *vertices, int32_t count) {
    PhVec2 nearest = NOWHERE;
    double least = 0;
    PhVec2 c = vertices[count - 1];
    int c_side = ph_orientation(a, b, c);
    for (int32_t i = 0; i < count; i++) {
        PhVec2 d = vertices[i];
        int d_side = ph_orientation(a, b, d);
        if (c_side * d_side <= 0) {
            PhVec2 point = ph_segment_intersection(a, b, c, d);
            double here = progress(a, b, point);
            if (!isnan(point.x) && (isnan(nearest.x) || here < least)) {
                least = here;
                nearest = point;
            }
        }
        c = d;
        c_side = d_side;
    }
    return nearest;
}

// ------------------------------------------------------------------------------------------------
// rays

// Whether p, on the line of the ray, is on the ray.
static bool is_ahead(PhVec2 origin, PhVec2 direction, PhVec2 p) {
    return (direction.x > 0   ? p.x >= origin.x
            : direction.x < 0 ? p.x <= origin.x
                              : p.x == origin.x) &&
           (direction.y > 0   ? p.y >= origin.y
            : direction.y < 0 ? p.y <= origin.y
                              : p.y == origin.y);
}

// The ray runs along the line of the segment, or is one point.
static PhVec2 first_ahead(PhVec2 origin, PhVec2 direction, PhVec2 a, PhVec2 b) {
    if (ph_orientation(a, b, origin) == 0 && box_holds(box_of(a, b), origin)) {
        return origin;
    }
    // The segment does not hold the origin: both ends are ahead, or none.
    if (!is_ahead(origin, direction, a)) {
        return NOWHERE;
    }
    bool a_first =
        a.x == b.x ? (b.y >= a.y) == (a.y >= origin.y) : (b.x >= a.x) == (a.x >= origin.x);
    return a_first ? a : b;
}

PhVec2 ph_ray_vs_segment(PhVec2 origin, PhVec2 direction, PhVec2 a, PhVec2 b) {
    PhArrow ray = {{0, 0}, direction};
    int a_side = ph_cross_sign(ray, ph_arrow(origin, a));
    int b_side = ph_cross_sign(ray, ph_arrow(origin, b));
    if (a_side * b_side > 0) {
        return NOWHERE;
    }
    if (a_side == 0 && b_side == 0) {
        return first_ahead(origin, direction, a, b);
    }
    if (a_side == 0 || b_side == 0) {
        PhVec2 end = a_side == 0 ? a : b;
        return is_ahead(origin, direction, end) ? end : NOWHERE;
    }
    // The line crosses between a and b; it does so ahead when b is to the left of the ray and the
    // origin to the left of a -> b, or both to the right.
    int side = ph_orientation(a, b, origin);
    if (side != b_side) {
        return side == 0 ? origin : NOWHERE;
    }
    PhAabb box = box_of(a, b);
    double scale = ph_range_scale(ph_largest(ph_largest(ph_largest(0, origin), a), b));
    double stretch = ph_range_scale(ph_largest(0, direction));
    ray.to = ph_scale(stretch, direction);
    origin = ph_scale(scale, origin);
    a = ph_scale(scale, a);
    b = ph_scale(scale, b);
    double from_a = ph_cross_value(ray, ph_arrow(origin, a));
    double from_b = ph_cross_value(ray, ph_arrow(origin, b));
    PhVec2 point = between(a, b, fabs(from_a), fabs(from_b));
    return clamp_to(box, ph_vec(point.x / scale, point.y / scale));
}

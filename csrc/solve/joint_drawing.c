// Drawing primitives that several kinds of joints are made of.
//
// Invariant: nothing here is longer than PH_JOINT_MOST_POINTS, and a joint of any numbers has
// lines, if not finite ones.
#include "solve/joint_drawing.h"

#include <math.h>

#include "geometry/outline.h"
#include "math/trig.h"

// ------------------------------------------------------------------------------------------------
// pieces

void ph_draw_line(const PhJointDrawing *to, PhJointPrimitive kind, PhVec2 p, PhVec2 q) {
    const PhVec2 points[] = {p, q};
    to->pen(to->context, kind, points, 2);
}

void ph_draw_cross_line(const PhJointDrawing *to, PhJointPrimitive kind, PhVec2 at, PhVec2 along,
                        double half) {
    PhVec2 side = ph_scale(half, ph_left(along));
    ph_draw_line(to, kind, ph_sub(at, side), ph_add(at, side));
}

// From one angle to another, in steps of about 5 degrees, or 20 for marks.
void ph_draw_arc(const PhJointDrawing *to, PhJointPrimitive kind, PhVec2 center, double radius,
                 double first, double last) {
    PhVec2 points[PH_JOINT_MOST_POINTS];
    double turns = fabs(last - first) / (2 * PH_PI);
    double share = turns < 1 ? turns : 1;
    int steps = 2 + (int)((radius > to->mark ? 70 : 18) * share);
    PhRot start = ph_rot(first);
    ph_arc_points(center, radius, ph_vec(start.c, start.s), turns < 1 ? last - first : 2 * PH_PI,
                  steps, points);
    to->pen(to->context, kind, points, steps + 1);
}

void ph_draw_circle(const PhJointDrawing *to, PhJointPrimitive kind, PhVec2 center, double radius) {
    ph_draw_arc(to, kind, center, radius, 0, 2 * PH_PI);
}

void ph_draw_polygon(const PhJointDrawing *to, PhVec2 center, double radius, int corners,
                     PhRot turn) {
    PhVec2 points[8];
    for (int i = 0; i <= corners; ++i) {
        PhRot corner = ph_rot((2 * (i % corners) + 1) * PH_PI / corners);
        points[i] = ph_mul_add(center, radius, ph_rotate(turn, ph_vec(corner.c, corner.s)));
    }
    to->pen(to->context, PH_JOINT_LINE, points, corners + 1);
}

void ph_draw_zigzag(const PhJointDrawing *to, PhVec2 p, PhVec2 q) {
    enum { BENDS = 10 };
    PhVec2 points[BENDS + 2], line = ph_sub(q, p);
    PhVec2 side = ph_scale(0.35 * to->mark, ph_left(ph_normalize_or(line, ph_vec(1, 0))));
    points[0] = p;
    for (int i = 0; i < BENDS; ++i) {
        PhVec2 at = ph_mul_add(p, (i + 0.5) / BENDS, line);
        points[i + 1] = ph_mul_add(at, i % 2 ? -1 : 1, side);
    }
    points[BENDS + 1] = q;
    to->pen(to->context, PH_JOINT_LINE, points, BENDS + 2);
}

// An arrow round a point, in the sense in which a motor turns.
void ph_draw_spin_arrow(const PhJointDrawing *to, PhVec2 center, double radius, double speed) {
    double sense = speed > 0 ? 1 : -1, first = sense > 0 ? 0 : PH_PI,
           last = first + sense * 1.4 * PH_PI;
    ph_draw_arc(to, PH_JOINT_LINE, center, radius, first, last);
    PhRot turn = ph_rot(last);
    PhVec2 out = {turn.c, turn.s}, tip = ph_mul_add(center, radius, out);
    PhVec2 back = ph_scale(-sense * 0.45 * radius, ph_left(out));
    ph_draw_line(to, PH_JOINT_LINE, tip, ph_add(tip, ph_mul_add(back, 0.35 * radius, out)));
    ph_draw_line(to, PH_JOINT_LINE, tip, ph_add(tip, ph_mul_add(back, -0.35 * radius, out)));
}

// ------------------------------------------------------------------------------------------------
// what kinds share

// From the bodies to the anchors; the world's anchor stands on a triangle.
void ph_draw_stems(const PhJointDrawing *to) {
    for (int side = 0; side < 2; ++side) {
        PhVec2 anchor = to->anchor[side];
        if (to->joint->body[side] != PH_NULL) {
            ph_draw_line(to, PH_JOINT_STEM, to->pose[side].p, anchor);
        } else {
            double r = 0.8 * to->mark;
            const PhVec2 foot[] = {ph_add(anchor, ph_vec(-0.6 * r, -r)), anchor,
                                   ph_add(anchor, ph_vec(0.6 * r, -r)),
                                   ph_add(anchor, ph_vec(-0.6 * r, -r))};
            to->pen(to->context, PH_JOINT_STEM, foot, 4);
        }
    }
}

bool ph_draw_drives(const PhJointDrawing *to) {
    return to->joint->value[PH_JOINT_MAX_MOTOR] > 0 && to->joint->value[PH_JOINT_SPEED] != 0;
}

// Across a line from `origin` at its limits; lengths have none at 0.
void ph_draw_limits(const PhJointDrawing *to, PhVec2 origin, PhVec2 along) {
    double lower = to->joint->value[PH_JOINT_LOWER], upper = to->joint->value[PH_JOINT_UPPER];
    if (isfinite(lower) && !(ph_joint_kind((PhJointKind)to->joint->kind)->length && lower <= 0)) {
        ph_draw_cross_line(to, PH_JOINT_LIMIT, ph_mul_add(origin, lower, along), along,
                           0.7 * to->mark);
    }
    if (isfinite(upper) && upper != lower) {
        ph_draw_cross_line(to, PH_JOINT_LIMIT, ph_mul_add(origin, upper, along), along,
                           0.7 * to->mark);
    }
}

// From a center towards its limits, which are angles; zero: the direction of the angle 0.
void ph_draw_angle_limits(const PhJointDrawing *to, PhVec2 center, double zero) {
    for (int side = 0; side < 2; ++side) {
        double limit = to->joint->value[side ? PH_JOINT_UPPER : PH_JOINT_LOWER];
        if (isfinite(limit)) {
            PhRot turn = ph_rot(zero + limit);
            ph_draw_line(to, PH_JOINT_LIMIT, center,
                         ph_mul_add(center, 1.25 * to->mark, ph_vec(turn.c, turn.s)));
        }
    }
}

// The axis, its limits and its spring. Returns the direction of the axis.
PhVec2 ph_draw_slide(const PhJointDrawing *to) {
    PhRot turn = to->pose[0].q;
    PhVec2 a = to->anchor[0], b = to->anchor[1];
    PhVec2 along = ph_rotate(turn, to->joint->axis);
    double lower = to->joint->value[PH_JOINT_LOWER], upper = to->joint->value[PH_JOINT_UPPER];
    double at = to->position, spare = 1.5 * to->mark;
    double first = isfinite(lower) ? ph_min(lower, at) : ph_min(0, at) - spare;
    double last = isfinite(upper) ? ph_max(upper, at) : ph_max(0, at) + spare;
    ph_draw_line(to, PH_JOINT_DASH, ph_mul_add(a, first, along), ph_mul_add(a, last, along));
    if (to->joint->value[PH_JOINT_HERTZ] > 0) {
        ph_draw_zigzag(to, a, b);
    }
    ph_draw_limits(to, a, along);
    return along;
}

// A motor's pose, a mouse's target.
void ph_draw_pull(const PhJointDrawing *to, PhVec2 target) {
    PhVec2 b = to->anchor[1];
    double r = 0.35 * to->mark;
    ph_draw_line(to, PH_JOINT_DASH, b, target);
    ph_draw_circle(to, PH_JOINT_LINE, b, 0.15 * to->mark);
    ph_draw_line(to, PH_JOINT_LINE, ph_add(target, ph_vec(-r, -r)), ph_add(target, ph_vec(r, r)));
    ph_draw_line(to, PH_JOINT_LINE, ph_add(target, ph_vec(-r, r)), ph_add(target, ph_vec(r, -r)));
}

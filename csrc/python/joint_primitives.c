// Each kind of joint as lines: anchors, limits, axes, ropes, springs, what motors pull to.
//
// Invariant: nothing here is longer than PRIMITIVE_MOST_POINTS, and a joint of any numbers has
// lines, if not finite ones.
#include "python/joint_primitives.h"

#include <math.h>

#include "geometry/outline.h"
#include "math/trig.h"

typedef struct Drawing {
    const PhWorld *world;
    const PhJoint *joint;
    PhJointReading reading;
    double mark;
    CoreJointPen pen;
    void *context;
} Drawing;

// ------------------------------------------------------------------------------------------------
// pieces

static void line(const Drawing *to, CoreJointPrimitive kind, PhVec2 p, PhVec2 q) {
    const PhVec2 points[] = {p, q};
    to->pen(to->context, kind, points, 2);
}

static void cross_line(const Drawing *to, CoreJointPrimitive kind, PhVec2 at, PhVec2 along,
                       double half) {
    PhVec2 side = ph_scale(half, ph_left(along));
    line(to, kind, ph_sub(at, side), ph_add(at, side));
}

// From one angle to another, in steps of about 5 degrees, or 20 for marks.
static void arc(const Drawing *to, CoreJointPrimitive kind, PhVec2 center, double radius,
                double first, double last) {
    PhVec2 points[PRIMITIVE_MOST_POINTS];
    double turns = fabs(last - first) / (2 * PH_PI);
    double share = turns < 1 ? turns : 1;
    int steps = 2 + (int)((radius > to->mark ? 70 : 18) * share);
    PhRot start = ph_rot(first);
    ph_arc_points(center, radius, ph_vec(start.c, start.s), turns < 1 ? last - first : 2 * PH_PI,
                  steps, points);
    to->pen(to->context, kind, points, steps + 1);
}

static void circle(const Drawing *to, CoreJointPrimitive kind, PhVec2 center, double radius) {
    arc(to, kind, center, radius, 0, 2 * PH_PI);
}

static void polygon(const Drawing *to, PhVec2 center, double radius, int corners, PhRot turn) {
    PhVec2 points[8];
    for (int i = 0; i <= corners; ++i) {
        PhRot corner = ph_rot((2 * (i % corners) + 1) * PH_PI / corners);
        points[i] = ph_mul_add(center, radius, ph_rotate(turn, ph_vec(corner.c, corner.s)));
    }
    to->pen(to->context, PRIMITIVE_LINE, points, corners + 1);
}

static void zigzag(const Drawing *to, PhVec2 p, PhVec2 q) {
    enum { BENDS = 10 };
    PhVec2 points[BENDS + 2], way = ph_sub(q, p);
    PhVec2 side = ph_scale(0.35 * to->mark, ph_left(ph_normalize_or(way, ph_vec(1, 0))));
    points[0] = p;
    for (int i = 0; i < BENDS; ++i) {
        PhVec2 at = ph_mul_add(p, (i + 0.5) / BENDS, way);
        points[i + 1] = ph_mul_add(at, i % 2 ? -1 : 1, side);
    }
    points[BENDS + 1] = q;
    to->pen(to->context, PRIMITIVE_LINE, points, BENDS + 2);
}

// An arrow round a point, the way that a motor turns.
static void spin_arrow(const Drawing *to, PhVec2 center, double radius, double speed) {
    double way = speed > 0 ? 1 : -1, first = way > 0 ? 0 : PH_PI, last = first + way * 1.4 * PH_PI;
    arc(to, PRIMITIVE_LINE, center, radius, first, last);
    PhRot turn = ph_rot(last);
    PhVec2 out = {turn.c, turn.s}, tip = ph_mul_add(center, radius, out);
    PhVec2 back = ph_scale(-way * 0.45 * radius, ph_left(out));
    line(to, PRIMITIVE_LINE, tip, ph_add(tip, ph_mul_add(back, 0.35 * radius, out)));
    line(to, PRIMITIVE_LINE, tip, ph_add(tip, ph_mul_add(back, -0.35 * radius, out)));
}

// ------------------------------------------------------------------------------------------------
// what kinds share

static bool has_body(const Drawing *to, int side) {
    return to->joint->body[side] != PH_NULL;
}

static PhTransform pose_of(const Drawing *to, int side) {
    return has_body(to, side) ? ph_body_transform(to->world, to->joint->body[side])
                              : (PhTransform){{0, 0}, {1, 0}};
}

// From the bodies to the anchors; the world's anchor stands on a triangle.
static void draw_stems(const Drawing *to) {
    for (int side = 0; side < 2; ++side) {
        PhVec2 anchor = to->reading.anchor[side];
        if (has_body(to, side)) {
            line(to, PRIMITIVE_STEM, pose_of(to, side).p, anchor);
        } else {
            double r = 0.8 * to->mark;
            const PhVec2 foot[] = {ph_add(anchor, ph_vec(-0.6 * r, -r)), anchor,
                                   ph_add(anchor, ph_vec(0.6 * r, -r)),
                                   ph_add(anchor, ph_vec(-0.6 * r, -r))};
            to->pen(to->context, PRIMITIVE_STEM, foot, 4);
        }
    }
}

static double value_of(const Drawing *to, int which) {
    return to->joint->value[which];
}

static bool drives(const Drawing *to) {
    return value_of(to, PH_JOINT_MAX_MOTOR) > 0 && value_of(to, PH_JOINT_SPEED) != 0;
}

// Across a line from `origin` at its limits; lengths have none at 0.
static void draw_limits(const Drawing *to, PhVec2 origin, PhVec2 along) {
    double lower = value_of(to, PH_JOINT_LOWER), upper = value_of(to, PH_JOINT_UPPER);
    if (isfinite(lower) && !(to->joint->kind == PH_JOINT_DISTANCE && lower <= 0)) {
        cross_line(to, PRIMITIVE_LIMIT, ph_mul_add(origin, lower, along), along, 0.7 * to->mark);
    }
    if (isfinite(upper) && upper != lower) {
        cross_line(to, PRIMITIVE_LIMIT, ph_mul_add(origin, upper, along), along, 0.7 * to->mark);
    }
}

// ------------------------------------------------------------------------------------------------
// kinds

static void draw_revolute(const Drawing *to) {
    PhVec2 pin = to->reading.anchor[1], arm = ph_sub(pose_of(to, 1).p, pin);
    double lower = value_of(to, PH_JOINT_LOWER), upper = value_of(to, PH_JOINT_UPPER);
    circle(to, PRIMITIVE_LINE, pin, 0.3 * to->mark);
    if (drives(to)) {
        spin_arrow(to, pin, 0.65 * to->mark, value_of(to, PH_JOINT_SPEED));
    }
    if (!isfinite(lower) && !isfinite(upper)) {
        return;
    }
    // b points along its arm, or its own x where that has no direction
    double along = 0.1 * to->mark < ph_length(arm)
                       ? ph_atan2(arm.y, arm.x)
                       : ph_world_state(to->world)->angle[to->joint->body[1]];
    double zero = along - to->reading.position;
    double first = isfinite(lower) ? lower : fmax(upper - PH_PI, upper - 2 * PH_PI);
    double last = isfinite(upper) ? upper : lower + PH_PI;
    arc(to, PRIMITIVE_LIMIT, pin, to->mark, zero + first, zero + last);
    for (int side = 0; side < 2; ++side) {
        double limit = side ? upper : lower;
        if (isfinite(limit)) {
            PhRot turn = ph_rot(zero + limit);
            line(to, PRIMITIVE_LIMIT, pin,
                 ph_mul_add(pin, 1.25 * to->mark, ph_vec(turn.c, turn.s)));
        }
    }
}

static void draw_distance(const Drawing *to) {
    PhVec2 a = to->reading.anchor[0], b = to->reading.anchor[1];
    double upper = value_of(to, PH_JOINT_UPPER);
    bool slack = value_of(to, PH_JOINT_LOWER) < upper && to->reading.position < 0.999 * upper;
    if (value_of(to, PH_JOINT_HERTZ) > 0) {
        zigzag(to, a, b);
    } else {
        line(to, slack ? PRIMITIVE_DASH : PRIMITIVE_LINE, a, b);
    }
    circle(to, PRIMITIVE_LINE, a, 0.15 * to->mark);
    circle(to, PRIMITIVE_LINE, b, 0.15 * to->mark);
    if (value_of(to, PH_JOINT_LOWER) < upper) {
        draw_limits(to, a, ph_normalize_or(ph_sub(b, a), ph_vec(1, 0)));
    }
}

// Prismatic and wheel.
static void draw_slide(const Drawing *to) {
    PhRot turn = pose_of(to, 0).q;
    PhVec2 a = to->reading.anchor[0], b = to->reading.anchor[1];
    PhVec2 along = ph_rotate(turn, to->joint->axis);
    double lower = value_of(to, PH_JOINT_LOWER), upper = value_of(to, PH_JOINT_UPPER);
    double at = to->reading.position, spare = 1.5 * to->mark;
    double first = isfinite(lower) ? fmin(lower, at) : fmin(0, at) - spare;
    double last = isfinite(upper) ? fmax(upper, at) : fmax(0, at) + spare;
    line(to, PRIMITIVE_DASH, ph_mul_add(a, first, along), ph_mul_add(a, last, along));
    if (value_of(to, PH_JOINT_HERTZ) > 0) {
        zigzag(to, a, b);
    }
    draw_limits(to, a, along);
    if (to->joint->kind == PH_JOINT_WHEEL) {
        circle(to, PRIMITIVE_LINE, b, 0.35 * to->mark);
        if (drives(to)) {
            spin_arrow(to, b, 0.65 * to->mark, value_of(to, PH_JOINT_SPEED));
        }
        return;
    }
    polygon(to, b, 0.5 * to->mark, 4, (PhRot){along.x, along.y});
    if (drives(to)) {
        double way = value_of(to, PH_JOINT_SPEED) > 0 ? 1 : -1;
        PhVec2 tip = ph_mul_add(b, way * 1.6 * to->mark, along);
        PhVec2 back = ph_mul_add(tip, -way * 0.4 * to->mark, along);
        PhVec2 side = ph_scale(0.25 * to->mark, ph_left(along));
        line(to, PRIMITIVE_LINE, ph_mul_add(b, way * 0.5 * to->mark, along), tip);
        line(to, PRIMITIVE_LINE, tip, ph_add(back, side));
        line(to, PRIMITIVE_LINE, tip, ph_sub(back, side));
    }
}

// A motor's pose, a mouse's target.
static void draw_pull(const Drawing *to, PhVec2 target) {
    PhVec2 b = to->reading.anchor[1];
    double r = 0.35 * to->mark;
    line(to, PRIMITIVE_DASH, b, target);
    circle(to, PRIMITIVE_LINE, b, 0.15 * to->mark);
    line(to, PRIMITIVE_LINE, ph_add(target, ph_vec(-r, -r)), ph_add(target, ph_vec(r, r)));
    line(to, PRIMITIVE_LINE, ph_add(target, ph_vec(-r, r)), ph_add(target, ph_vec(r, -r)));
}

static void draw_pulley(const Drawing *to) {
    const double *ground = to->joint->value + PH_JOINT_GROUND;
    const PhVec2 over[2] = {{ground[0], ground[1]}, {ground[2], ground[3]}};
    double upper = value_of(to, PH_JOINT_UPPER);
    bool slack = value_of(to, PH_JOINT_LOWER) < upper && to->reading.position < 0.999 * upper;
    for (int side = 0; side < 2; ++side) {
        line(to, slack ? PRIMITIVE_DASH : PRIMITIVE_LINE, over[side], to->reading.anchor[side]);
        circle(to, PRIMITIVE_LINE, over[side], 0.45 * to->mark);
        circle(to, PRIMITIVE_LINE, to->reading.anchor[side], 0.15 * to->mark);
    }
    line(to, slack ? PRIMITIVE_DASH : PRIMITIVE_LINE, over[0], over[1]);
}

static void draw_ratchet(const Drawing *to) {
    PhVec2 points[PRIMITIVE_MOST_POINTS], center = pose_of(to, 1).p;
    double tooth = value_of(to, PH_JOINT_TOOTH), share = 2 * PH_PI / fabs(tooth);
    int teeth = share < 36 ? (share > 3 ? (int)(share + 0.5) : 3) : 36;
    double first = ph_atan2(pose_of(to, 0).q.s, pose_of(to, 0).q.c) + value_of(to, PH_JOINT_PHASE);
    for (int i = 0; i <= 2 * teeth; ++i) { // a slope, then a step back
        PhRot turn = ph_rot(first + copysign(2 * PH_PI / teeth, tooth) * (i / 2));
        double radius = (i % 2 ? 0.7 : 1) * to->mark;
        points[i] = ph_mul_add(center, radius, ph_vec(turn.c, turn.s));
    }
    to->pen(to->context, PRIMITIVE_LINE, points, 2 * teeth + 1);
}

// The pitch circles of wheels that touch, and of a wheel on a rack.
static void draw_gear(const Drawing *to) {
    const PhJoint *joints[2];
    PhVec2 at[2];
    double ratio = value_of(to, PH_JOINT_RATIO), radius[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
        joints[k] = ph_joint_get(to->world, to->joint->geared[k]);
        at[k] = ph_joint_read(to->world, to->joint->geared[k]).anchor[1];
    }
    double apart = ph_length(ph_sub(at[1], at[0]));
    bool wheel[2] = {joints[0]->kind == PH_JOINT_REVOLUTE, joints[1]->kind == PH_JOINT_REVOLUTE};
    if (wheel[0] && wheel[1]) {
        radius[0] = apart / fabs(1 + ratio); // one inside of the other where the ratio is below 0
        radius[1] = fabs(ratio) * radius[0];
    } else if (wheel[0]) {
        radius[0] = 1 / fabs(ratio);
    } else if (wheel[1]) {
        radius[1] = fabs(ratio);
    }
    for (int k = 0; k < 2; ++k) {
        if (radius[k] > 0 && isfinite(radius[k])) {
            circle(to, PRIMITIVE_DASH, at[k], radius[k]);
        }
    }
    line(to, PRIMITIVE_LINE, at[0], at[1]);
}

void core_joint_primitives(const PhWorld *world, uint32_t index, double mark, CoreJointPen pen,
                           void *context) {
    Drawing drawing = {world,  ph_joint_get(world, index), ph_joint_read(world, index), mark, pen,
                       context};
    const Drawing *to = &drawing;
    const PhVec2 *anchor = drawing.reading.anchor;
    const double *point = drawing.joint->value + PH_JOINT_POINT;
    PhJointKind kind = (PhJointKind)drawing.joint->kind;
    if (kind != PH_JOINT_FILTER && kind != PH_JOINT_GEAR && kind != PH_JOINT_PULLEY &&
        kind != PH_JOINT_MOUSE) {
        draw_stems(to);
    }
    switch (kind) {
    case PH_JOINT_REVOLUTE:
        draw_revolute(to);
        break;
    case PH_JOINT_DISTANCE:
        draw_distance(to);
        break;
    case PH_JOINT_PRISMATIC:
    case PH_JOINT_WHEEL:
        draw_slide(to);
        break;
    case PH_JOINT_WELD:
        polygon(to, anchor[1], 0.4 * mark, 4, pose_of(to, 1).q);
        line(to, PRIMITIVE_LINE, anchor[0], anchor[1]);
        break;
    case PH_JOINT_MOTOR:
        draw_pull(to, ph_add(anchor[0], ph_rotate(pose_of(to, 0).q, ph_vec(point[0], point[1]))));
        break;
    case PH_JOINT_MOUSE:
        draw_pull(to, anchor[0]);
        break;
    case PH_JOINT_PULLEY:
        draw_pulley(to);
        break;
    case PH_JOINT_RATCHET:
        draw_ratchet(to);
        break;
    case PH_JOINT_GEAR:
        draw_gear(to);
        break;
    default:
        if (has_body(to, 0)) {
            line(to, PRIMITIVE_DASH, pose_of(to, 0).p, pose_of(to, 1).p);
        }
    }
}

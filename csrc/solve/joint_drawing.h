// Joints as drawing primitives: polylines for pictures, of which world.draw_list() is made. Each
// kind draws itself (PhJointKindInfo), by the functions here.
#ifndef PH_SOLVE_JOINT_DRAWING_H
#define PH_SOLVE_JOINT_DRAWING_H

#include "solve/joint_records.h"

typedef enum PhJointPrimitive {
    PH_JOINT_STEM,  // from a body to its anchor
    PH_JOINT_LINE,  // what holds, and marks
    PH_JOINT_DASH,  // what does not hold now: slack ropes, axes, what a motor pulls to, pitch
                    // circles
    PH_JOINT_LIMIT, // limits
} PhJointPrimitive;

// Polylines of at most PH_JOINT_MOST_POINTS points, world frame, metres.
enum { PH_JOINT_MOST_POINTS = 80 };
typedef void (*PhJointPen)(void *context, PhJointPrimitive kind, const PhVec2 *points, int count);

// A joint to draw, as it is now.
typedef struct PhJointDrawing {
    const PhJoint *joint;
    PhTransform pose[2]; // of the bodies; the world's frame for the world
    PhVec2 anchor[2];    // world
    double position;     // its coordinate, NaN for none
    double angle;        // of b
    PhVec2 part[2];      // of a gear: anchors b of its joints, and their kinds
    PhJointKind part_kind[2];
    double mark; // about the size of a mark, metres
    PhJointPen pen;
    void *context;
} PhJointDrawing;

void ph_draw_line(const PhJointDrawing *to, PhJointPrimitive kind, PhVec2 p, PhVec2 q);
// Across a line through `at`.
void ph_draw_cross_line(const PhJointDrawing *to, PhJointPrimitive kind, PhVec2 at, PhVec2 along,
                        double half);
// From one angle to another, in steps of about 5 degrees, or 20 for marks.
void ph_draw_arc(const PhJointDrawing *to, PhJointPrimitive kind, PhVec2 center, double radius,
                 double first, double last);
void ph_draw_circle(const PhJointDrawing *to, PhJointPrimitive kind, PhVec2 center, double radius);
// Regular; at most 7 corners.
void ph_draw_polygon(const PhJointDrawing *to, PhVec2 center, double radius, int corners,
                     PhRot turn);
void ph_draw_zigzag(const PhJointDrawing *to, PhVec2 p, PhVec2 q); // a spring
// An arrow round a point, in the sense in which a motor turns.
void ph_draw_spin_arrow(const PhJointDrawing *to, PhVec2 center, double radius, double speed);

// From the bodies to the anchors; the world's anchor stands on a triangle.
void ph_draw_stems(const PhJointDrawing *to);
// Whether its motor moves it.
bool ph_draw_drives(const PhJointDrawing *to);
// Across a line from `origin` at its limits; lengths have none at 0.
void ph_draw_limits(const PhJointDrawing *to, PhVec2 origin, PhVec2 along);
// From a center towards its limits, which are angles; zero: the direction of the angle 0.
void ph_draw_angle_limits(const PhJointDrawing *to, PhVec2 center, double zero);
// The axis, its limits and its spring. Returns the direction of the axis.
PhVec2 ph_draw_slide(const PhJointDrawing *to);
// To a motor's pose, a mouse's target.
void ph_draw_pull(const PhJointDrawing *to, PhVec2 target);

#endif

// Points, circles and boxes against each other, closest points, projections, and aiming. Boundaries
// belong to what they bound: touching counts as overlap, also from inside.
#ifndef PH_GEOMETRY_POINTS_H
#define PH_GEOMETRY_POINTS_H

#include <stdbool.h>

#include "math/vec2.h"

bool ph_point_in_circle(PhVec2 point, PhVec2 center, double radius);
bool ph_point_in_aabb(PhVec2 point, PhAabb box);
// Of discs: one inside the other overlaps.
bool ph_circle_vs_circle(PhVec2 center_a, double radius_a, PhVec2 center_b, double radius_b);
bool ph_circle_vs_aabb(PhVec2 center, double radius, PhAabb box);

// Within the box of a and b; exactly a, b or the point where that is the answer.
PhVec2 ph_closest_on_segment(PhVec2 point, PhVec2 a, PhVec2 b);
// The point itself when the box holds it.
PhVec2 ph_closest_on_aabb(PhVec2 point, PhAabb box);
// Of v onto the line through the origin along `onto`; zero when that has no length.
PhVec2 ph_project(PhVec2 v, PhVec2 onto);

// Where to aim so that a shot of that speed meets the target soonest. (NaN, NaN) when it never
// does.
PhVec2 ph_lead_target(PhVec2 shooter, PhVec2 target, PhVec2 target_velocity, double speed);

#endif

// Joints as drawing primitives: polylines for pictures, of which world.draw_list() is made.
#ifndef PH_PYTHON_JOINT_PRIMITIVES_H
#define PH_PYTHON_JOINT_PRIMITIVES_H

#include "python/core.h"

typedef enum CoreJointPrimitive {
    PRIMITIVE_STEM,  // from a body to its anchor
    PRIMITIVE_LINE,  // what holds, and marks
    PRIMITIVE_DASH,  // what does not hold now: slack ropes, axes, what a motor pulls to, pitch
                     // circles
    PRIMITIVE_LIMIT, // limits
} CoreJointPrimitive;

// Polylines of at most PRIMITIVE_MOST_POINTS points, world frame, metres. `mark` is about the size
// of a mark.
enum { PRIMITIVE_MOST_POINTS = 80 };
typedef void (*CoreJointPen)(void *context, CoreJointPrimitive kind, const PhVec2 *points,
                             int count);
void core_joint_primitives(const PhWorld *world, uint32_t index, double mark, CoreJointPen pen,
                           void *context);

#endif

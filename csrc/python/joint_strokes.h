// Joints as lines, for pictures: what world._repr_svg_ and pyphys2d.plot draw.
#ifndef PH_PYTHON_JOINT_STROKES_H
#define PH_PYTHON_JOINT_STROKES_H

#include "python/core.h"

typedef enum JointStroke {
    JOINT_STEM,  // from a body to its anchor
    JOINT_LINE,  // what holds, and marks
    JOINT_DASH,  // what does not hold now: slack ropes, axes, what a motor pulls to, pitch circles
    JOINT_LIMIT, // limits
    JOINT_STROKES,
} JointStroke;

// Polylines of at most JOINT_MOST_POINTS points, world, metres. `reach` is about the size of a
// mark.
enum { JOINT_MOST_POINTS = 80 };
typedef void (*JointPen)(void *context, JointStroke stroke, const PhVec2 *points, int count);
void core_draw_joint(const PhWorld *world, uint32_t index, double reach, JointPen pen,
                     void *context);

// _core._joint_strokes(world, reach)
PyObject *core_joint_strokes(PyObject *module, PyObject *args);
extern const char core_joint_strokes_doc[];

#endif

// Joints of a world as drawing primitives, see solve/joint_drawing.h.
#ifndef PH_PYTHON_JOINT_PRIMITIVES_H
#define PH_PYTHON_JOINT_PRIMITIVES_H

#include "python/core.h"
#include "solve/joint_drawing.h"

void core_joint_primitives(const PhWorld *world, uint32_t index, double mark, PhJointPen pen,
                           void *context);

#endif

// Joints of a world as drawing primitives, see solve/joint_drawing.h.
#ifndef PH_WORLD_JOINT_PRIMITIVES_H
#define PH_WORLD_JOINT_PRIMITIVES_H

#include "solve/joint_drawing.h"
#include "world/joints.h"

// What the joint at a living index draws, of the poses as they are; mark: about the size of its
// marks, metres.
void ph_joint_primitives(const PhWorld *world, uint32_t index, double mark, PhJointPen pen,
                         void *context);

#endif

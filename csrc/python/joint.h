// Joints: what world_joints.c and others need of joint.c.
#ifndef PH_PYTHON_JOINT_H
#define PH_PYTHON_JOINT_H

#include "python/convert.h"

// Reads one parameter into the values of a kind.
bool core_to_joint_value(const PhJointParameter *parameter, PyObject *object, double *value);

#endif

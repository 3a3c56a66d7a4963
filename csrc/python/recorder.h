// Recorders of a World: what its steps write for each.
#ifndef PH_PYTHON_RECORDER_H
#define PH_PYTHON_RECORDER_H

#include "python/core.h"

// Inside the gate, before a step: recorders without room for another frame are given some, and with
// `events`, which go next, those that keep events read them. False with an exception.
bool core_recorders_before(WorldObject *self, bool events);
// After a step, with or without the GIL: writes the frames that are due. False when
// core_recorders_after or ..._before has something to do before the next step.
bool core_recorders_take(const WorldObject *self);
// Inside the gate, with the GIL: those who keep more than frames of this step read it. False with
// an exception.
bool core_recorders_after(WorldObject *self);

// world_joints.c: the rows of World.joint_state, ph_joint_count of them.
void core_joint_rows(const PhWorld *world, CoreJointRow *row);

#endif

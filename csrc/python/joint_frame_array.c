// _joint_frame and _set_joint_frame of the module: the anchors, axis and reference angle that a
// joint keeps, in the frames of its bodies, bit for bit.
#include "python/call_log.h"
#include "python/convert.h"

const char core_joint_frame_doc[] =
    "_joint_frame($module, joint, /)\n--\n\n"
    "Anchors a and b and axis (frame of a), x and y each, and reference angle: 7 numbers.";

PyObject *core_joint_frame(PyObject *module, PyObject *object) {
    const CoreState *core = PyModule_GetState(module);
    if (!core_is_joint(core, object)) {
        return PyErr_Format(PyExc_TypeError, "joint: must be a joint, got %.100s",
                            Py_TYPE(object)->tp_name);
    }
    HandleObject *joint = (HandleObject *)object;
    double f[PH_JOINT_FRAME];
    if (!core_enter_alive_between_steps(joint, HANDLE_JOINT)) {
        return NULL;
    }
    ph_joint_frame(joint->world->world, joint->id.index, f);
    core_leave(joint->world);
    return Py_BuildValue("(ddddddd)", f[0], f[1], f[2], f[3], f[4], f[5], f[6]);
}

const char core_set_joint_frame_doc[] =
    "_set_joint_frame($module, joint, frame, /)\n--\n\n"
    "Give a joint what _joint_frame gave of one.\n\n"
    "Raises\n------\n"
    "ValueError\n    For an axis that is no unit vector, or a number out of range.";

static PyObject *set_joint_frame(PyObject *module, PyObject *args) {
    const CoreState *core = PyModule_GetState(module);
    PyObject *object;
    double f[PH_JOINT_FRAME];
    if (!PyArg_ParseTuple(args, "O(ddddddd)", &object, &f[0], &f[1], &f[2], &f[3], &f[4], &f[5],
                          &f[6])) {
        return NULL;
    }
    if (!core_is_joint(core, object)) {
        return PyErr_Format(PyExc_TypeError, "joint: must be a joint, got %.100s",
                            Py_TYPE(object)->tp_name);
    }
    HandleObject *joint = (HandleObject *)object;
    if (!core_enter_alive_to_change(joint, HANDLE_JOINT)) {
        return NULL;
    }
    core_world_sync(joint->world);
    bool ok = ph_joint_set_frame(joint->world->world, joint->id.index, f);
    core_leave(joint->world);
    if (!ok) {
        PyErr_SetString(PyExc_ValueError,
                        "frame: must be anchors and an angle in range and a unit axis");
        return NULL;
    }
    Py_RETURN_NONE;
}

PyObject *core_set_joint_frame(PyObject *module, PyObject *args) {
    const CoreState *core = PyModule_GetState(module);
    PyObject *joint = PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : NULL;
    if (joint == NULL || !core_is_joint(core, joint)) {
        return set_joint_frame(module, args);
    }
    WorldObject *world = ((HandleObject *)joint)->world;
    return world->log.object == NULL
               ? set_joint_frame(module, args)
               : core_log_tuple(world, set_joint_frame, "_set_joint_frame", module, args);
}

// SpringLaw: joints, and a function of Python that says their forces; World.add_spring_law.
//
// Invariants: a law that acts is in the list of its world, and the engine's list of laws has those
// of that list, in order. Both change inside the gate alone, which no step leaves while it asks.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "python/call_log.h"
#include "python/convert.h"
#include "python/world_methods.h"

typedef struct SpringLawObject {
    PyObject_HEAD PyObject *weak_references;
    WorldObject *world;
    PyObject *joints;   // tuple of handles
    PyObject *function; // NULL when the collector has cleared it
    PhSpringLaw law;
} SpringLawObject;

static SpringLawObject *law_of(PyObject *object) {
    return (SpringLawObject *)object;
}

// ------------------------------------------------------------------------------------------------
// what the function is called with, and returns

static bool fill_arrays(const PhSpringLaw *law, PyObject *arrays[2]) {
    npy_intp count = law->count;
    for (int i = 0; i < 2; ++i) {
        arrays[i] = PyArray_SimpleNew(1, &count, NPY_DOUBLE);
    }
    if (arrays[0] == NULL || arrays[1] == NULL) {
        Py_CLEAR(arrays[0]);
        Py_CLEAR(arrays[1]);
        return false;
    }
    double *extension = PyArray_DATA((PyArrayObject *)arrays[0]);
    double *rate = PyArray_DATA((PyArrayObject *)arrays[1]);
    for (uint32_t i = 0; i < law->count; ++i) {
        extension[i] = law->row[i].extension;
        rate[i] = law->row[i].rate;
    }
    return true;
}

static bool refuse_force(const PhSpringRow *row, uint32_t index, double force) {
    PyObject *got = PyFloat_FromDouble(force), *at = PyFloat_FromDouble(row->extension);
    if (got != NULL && at != NULL) {
        PyErr_Format(PyExc_ValueError,
                     "spring law: force[%lu]: must be within +-1e15, got %R, for joint %lu at an "
                     "extension of %R",
                     (unsigned long)index, got, (unsigned long)row->joint.index, at);
    }
    Py_XDECREF(got);
    Py_XDECREF(at);
    return false;
}

// What is not there or sleeps has no force, whatever the function says.
static bool take_forces(PhSpringLaw *law, PyArrayObject *forces) {
    bool one = PyArray_NDIM(forces) == 0;
    if (!one && (PyArray_NDIM(forces) != 1 || PyArray_DIM(forces, 0) != law->count)) {
        PyObject *shape = PyObject_GetAttrString((PyObject *)forces, "shape");
        if (shape != NULL) {
            PyErr_Format(PyExc_ValueError,
                         "spring law: must return forces, shape (%lu,): one for each of its "
                         "joints; got shape %S",
                         (unsigned long)law->count, shape);
            Py_DECREF(shape);
        }
        return false;
    }
    const double *force = PyArray_DATA(forces);
    for (uint32_t i = 0; i < law->count; ++i) {
        PhSpringRow *row = &law->row[i];
        row->force = row->acts ? force[one ? 0 : i] : 0;
        if (!(fabs(row->force) <= PH_JOINT_MOST)) {
            return refuse_force(row, i, row->force);
        }
    }
    return true;
}

static bool take_result(PhSpringLaw *law, PyObject *result) {
    if (result == Py_None) {
        PyErr_Format(PyExc_TypeError,
                     "spring law: must return forces, shape (%lu,), got None; does it return what "
                     "it computes?",
                     (unsigned long)law->count);
        return false;
    }
    PyArrayObject *forces = core_to_numbers(result, "spring law");
    bool ok = forces != NULL && take_forces(law, forces);
    Py_XDECREF(forces);
    return ok;
}

static bool ask(WorldObject *world, PhSpringLaw *law) {
    SpringLawObject *self =
        (SpringLawObject *)(void *)((char *)law - offsetof(SpringLawObject, law));
    PyObject *function = Py_XNewRef(self->function), *arrays[2] = {NULL, NULL};
    KeptViews kept;
    if (function == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the spring law has been torn down already");
        return false;
    }
    bool ok = fill_arrays(law, arrays) && core_views_keep(world, &kept);
    if (ok) {
        PyObject *result = core_call_shown(world, function, arrays, 2);
        ok = core_views_still(world, &kept, "spring law",
                              result != NULL && take_result(law, result));
        Py_XDECREF(result);
    }
    Py_XDECREF(arrays[0]);
    Py_XDECREF(arrays[1]);
    Py_DECREF(function);
    return ok && core_log_spring_law(world, law);
}

bool core_call_spring_law(void *context, PhSpringLaw *law) {
    CoreRun *run = context;
    if (run->saved != NULL) {
        PyEval_RestoreThread(run->saved);
    }
    bool ok = ask(run->world, law);
    if (run->saved != NULL) {
        run->saved = PyEval_SaveThread();
    }
    return ok;
}

// ------------------------------------------------------------------------------------------------
// the list of a world

static PhSpringLaw *link_laws(PyObject *list) {
    PhSpringLaw *first = NULL;
    for (Py_ssize_t i = list != NULL ? PyList_GET_SIZE(list) : 0; i > 0; --i) {
        PhSpringLaw *law = &law_of(PyList_GET_ITEM(list, i - 1))->law;
        law->next = first;
        first = law;
    }
    return first;
}

PhSpringLaws core_spring_laws(CoreRun *run) {
    PhSpringLaw *first = link_laws(run->world->spring_laws);
    return (PhSpringLaws){first != NULL ? core_call_spring_law : NULL, run, first};
}

PyObject *core_world_get_spring_laws(PyObject *object, void *Py_UNUSED(closure)) {
    PyObject *list = ((WorldObject *)object)->spring_laws;
    return list != NULL ? PyList_AsTuple(list) : PyTuple_New(0);
}

// Inside the gate.
static void wake_all(const SpringLawObject *self) {
    for (uint32_t i = 0; i < self->law.count; ++i) {
        ph_spring_law_wake(self->world->world, self->law.row[i].joint);
    }
}

static bool check_joints(const SpringLawObject *self) {
    PhError error;
    for (uint32_t i = 0; i < self->law.count; ++i) {
        if (ph_spring_law_check(self->world->world, self->law.row[i].joint, i, &error) != PH_OK) {
            core_raise(self->world->core, &error);
            return false;
        }
    }
    return true;
}

static bool enter_law(SpringLawObject *self, bool wake) {
    WorldObject *world = self->world;
    if (!core_enter_to_change(world)) {
        return false;
    }
    bool ok = check_joints(self);
    if (ok && world->spring_laws == NULL) {
        world->spring_laws = PyList_New(0);
        ok = world->spring_laws != NULL;
    }
    ok = ok && PyList_Append(world->spring_laws, (PyObject *)self) == 0;
    if (ok && wake) {
        wake_all(self);
    }
    core_leave(world);
    return ok;
}

static bool leave_law(SpringLawObject *self, bool wake) {
    WorldObject *world = self->world;
    if (!core_enter_to_change(world)) {
        return false;
    }
    PyObject *list = world->spring_laws;
    Py_ssize_t count = list != NULL ? PyList_GET_SIZE(list) : 0, at = 0;
    while (at < count && PyList_GET_ITEM(list, at) != (PyObject *)self) {
        ++at;
    }
    bool ok = at < count && PyList_SetSlice(list, at, at + 1, NULL) == 0;
    if (ok && wake) {
        wake_all(self);
    }
    core_leave(world);
    if (at == count) {
        PyErr_SetString(core_error(world->core, ERROR_REMOVED),
                        "the spring law has been removed already");
    }
    return ok;
}

// In a call log it is a call that wakes the joints: the forces are in the records of the steps.
static bool logged(SpringLawObject *self, bool (*change)(SpringLawObject *, bool)) {
    CoreLogged call;
    if (!core_log_begin(self->world, &call, (PyObject *)self->world, "_wake_joints", &self->joints,
                        1, NULL)) {
        return false;
    }
    PyObject *result = change(self, true) ? Py_NewRef(Py_None) : NULL;
    result = core_log_end(self->world, &call, result);
    Py_XDECREF(result);
    return result != NULL;
}

// ------------------------------------------------------------------------------------------------
// making

// The joints as a tuple; one is as a list of one.
static PyObject *list_joints(WorldObject *self, PyObject *given) {
    const CoreState *core = self->core;
    PyObject *joints = core_is_joint(core, given) ? PyTuple_Pack(1, given) : NULL;
    if (joints == NULL && !PyErr_Occurred()) {
        if (!PyUnicode_Check(given) &&
            (Py_TYPE(given)->tp_iter != NULL || PySequence_Check(given))) {
            joints = PySequence_Tuple(given);
        } else {
            PyErr_Format(PyExc_TypeError, "joints: must be a Joint or several of them, got %.100s",
                         Py_TYPE(given)->tp_name);
        }
    }
    if (joints == NULL) {
        return NULL;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(joints), i = 0;
    while (i < count && core_is_joint(core, PyTuple_GET_ITEM(joints, i)) &&
           ((HandleObject *)PyTuple_GET_ITEM(joints, i))->world == self) {
        ++i;
    }
    if (i == count && count > 0 && count < INT32_MAX) {
        return joints;
    }
    PyObject *item = i < count ? PyTuple_GET_ITEM(joints, i) : Py_None;
    if (i == count) {
        PyErr_SetString(PyExc_ValueError, "joints: must be one at least, got none");
    } else if (core_is_joint(core, item)) {
        PyErr_Format(PyExc_ValueError, "joints[%zd]: %R belongs to another world", i, item);
    } else {
        bool number = PyLong_Check(item) || PyArray_IsScalar(item, Integer);
        PyErr_Format(PyExc_TypeError, "joints[%zd]: must be a Joint, got %.100s%s", i,
                     Py_TYPE(item)->tp_name,
                     number ? "; the joint of a number is world.joints[number]" : "");
    }
    Py_DECREF(joints);
    return NULL;
}

static SpringLawObject *make_law(WorldObject *self, PyObject *joints, PyObject *function) {
    if (!PyCallable_Check(function)) {
        PyErr_Format(PyExc_TypeError,
                     "function: must be callable, function(extension, rate), got %.100s",
                     Py_TYPE(function)->tp_name);
        return NULL;
    }
    PyObject *tuple = list_joints(self, joints);
    PyTypeObject *type = tuple != NULL ? core_type(self->core, TYPE_SPRING_LAW) : NULL;
    Py_ssize_t count = tuple != NULL ? PyTuple_GET_SIZE(tuple) : 0;
    PhSpringRow *row = type != NULL ? ph_alloc((size_t)count, sizeof *row) : NULL;
    if (type != NULL && row == NULL) {
        PyErr_NoMemory();
    }
    SpringLawObject *law = row != NULL ? law_of(type->tp_alloc(type, 0)) : NULL;
    if (law == NULL) {
        ph_free(row);
        Py_XDECREF(tuple);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
        row[i].joint = ((HandleObject *)PyTuple_GET_ITEM(tuple, i))->id;
    }
    law->world = (WorldObject *)Py_NewRef((PyObject *)self);
    law->joints = tuple;
    law->function = Py_NewRef(function);
    law->law = (PhSpringLaw){NULL, row, (uint32_t)count};
    return law;
}

const char core_world_add_spring_law_doc[] =
    "add_spring_law($self, joints, function)\n--\n\n"
    "Let joints be springs whose force is any function of extension and rate. Wakes their bodies.\n"
    "\n"
    "function(extension, rate) is called once in every step in which a body of these joints is\n"
    "awake, with arrays of shape (n,): one row for each joint, in the order of joints. It returns\n"
    "their forces, shape (n,) or one for all: N along a length or translation, N m about an "
    "angle.\n"
    "A positive force lengthens, or turns the second body counter-clockwise, so that Hooke's law\n"
    "is -k * extension - c * rate.\n\n"
    "extension is the joint's length, translation or angle less its spring_target, m or rad; rate\n"
    "is its rate, m/s or rad/s. Both are as they will be near the middle of the step, if bodies "
    "go\n"
    "on as they move; so no energy comes or goes in the long run. The force is the same for the\n"
    "whole step, and a spring of a period below three steps is not stable: give such a stiff part\n"
    "of the law to the joint itself (stiffness, damping), to which this force is added.\n\n"
    "Rows of removed joints are NaN, and what is returned for them and for sleeping bodies counts\n"
    "for nothing. The world can be read meanwhile, not changed. The law is a hook: no part of\n"
    "hash() and of snapshots.\n\n"
    "Parameters\n----------\n"
    "joints : Joint or iterable of Joint\n"
    "    Distance, revolute, prismatic, wheel or rotary joints that leave free what the law acts\n"
    "    on: for a length, add_distance_joint(a, b, lower=0).\n"
    "function : callable\n    function(extension, rate) -> forces.\n\n"
    "Returns\n-------\n"
    "SpringLaw\n    Its remove() ends it.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a joint of another kind or world, or one that is held.\n"
    "TypeError\n    For what is no joint, or cannot be called.\n"
    "RemovedError\n    For a joint that has been removed.\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> bob = world.add_body(Circle(0.1), (0, -1), mass=2)\n"
    ">>> spring = world.add_distance_joint(None, bob, anchor_a=(0, 0), lower=0, length=1)\n"
    ">>> law = world.add_spring_law(spring, lambda x, v: -100 * x - 2e4 * x**3 - 20 * v)\n"
    ">>> world.step(n=600)\n"
    ">>> x = spring.length - 1\n"
    ">>> bool(abs(100 * x + 2e4 * x**3 - 2 * 9.81) < 1e-3)\n"
    "True";

PyObject *core_world_add_spring_law(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                    PyObject *keywords) {
    CORE_ARGUMENTS("add_spring_law", 2, 2, "joints", "function");
    if (!core_bind(&signature, args, count, keywords, values)) {
        return NULL;
    }
    SpringLawObject *law = make_law((WorldObject *)object, values[0], values[1]);
    if (law != NULL && !logged(law, enter_law)) {
        Py_CLEAR(law);
    }
    return (PyObject *)law;
}

const char core_world__add_spring_law_doc[] =
    "_add_spring_law($self, joints, function, /)\n--\n\nadd_spring_law, and wake nothing.";

PyObject *core_world__add_spring_law(PyObject *object, PyObject *args) {
    PyObject *joints, *function;
    if (!PyArg_ParseTuple(args, "OO", &joints, &function)) {
        return NULL;
    }
    SpringLawObject *law = make_law((WorldObject *)object, joints, function);
    if (law != NULL && !enter_law(law, false)) {
        Py_CLEAR(law);
    }
    return (PyObject *)law;
}

const char core_world__drop_spring_laws_doc[] =
    "_drop_spring_laws($self, /)\n--\n\nRemove all laws of springs, and wake nothing.";

PyObject *core_world__drop_spring_laws(PyObject *object, PyObject *Py_UNUSED(ignored)) {
    WorldObject *self = (WorldObject *)object;
    if (!core_enter_to_change(self)) {
        return NULL;
    }
    PyObject *list = self->spring_laws;
    self->spring_laws = NULL;
    core_leave(self);
    Py_XDECREF(list);
    Py_RETURN_NONE;
}

const char core_world__wake_joints_doc[] =
    "_wake_joints($self, joints, /)\n--\n\nWake the bodies of those that there are.";

PyObject *core_world__wake_joints(PyObject *object, PyObject *arg) {
    WorldObject *self = (WorldObject *)object;
    PyObject *joints = list_joints(self, arg);
    if (joints == NULL || !core_enter_to_change(self)) {
        Py_XDECREF(joints);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(joints); ++i) {
        ph_spring_law_wake(self->world, ((HandleObject *)PyTuple_GET_ITEM(joints, i))->id);
    }
    core_leave(self);
    Py_DECREF(joints);
    Py_RETURN_NONE;
}

// ------------------------------------------------------------------------------------------------
// the type

static PyObject *law_remove(PyObject *object, PyObject *Py_UNUSED(ignored)) {
    if (!logged(law_of(object), leave_law)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *get_joints(PyObject *object, void *Py_UNUSED(closure)) {
    return Py_NewRef(law_of(object)->joints);
}

static PyObject *get_function(PyObject *object, void *Py_UNUSED(closure)) {
    PyObject *function = law_of(object)->function;
    return Py_NewRef(function != NULL ? function : Py_None);
}

static PyObject *get_world(PyObject *object, void *Py_UNUSED(closure)) {
    return Py_NewRef((PyObject *)law_of(object)->world);
}

static PyObject *get_alive(PyObject *object, void *Py_UNUSED(closure)) {
    PyObject *list = law_of(object)->world->spring_laws;
    Py_ssize_t at = list != NULL ? PyList_GET_SIZE(list) : 0;
    while (at > 0 && PyList_GET_ITEM(list, at - 1) != object) {
        --at;
    }
    return PyBool_FromLong(at > 0);
}

static PyObject *law_repr(PyObject *object) {
    Py_ssize_t count = PyTuple_GET_SIZE(law_of(object)->joints);
    PyObject *alive = get_alive(object, NULL);
    PyObject *text =
        PyUnicode_FromFormat("<SpringLaw of %zd %s%s>", count, count == 1 ? "joint" : "joints",
                             alive == Py_True ? "" : ", removed");
    Py_DECREF(alive);
    return text;
}

static int law_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(law_of(object)->world);
    Py_VISIT(law_of(object)->joints);
    Py_VISIT(law_of(object)->function);
    return 0;
}

static int law_clear(PyObject *object) {
    Py_CLEAR(law_of(object)->function);
    return 0;
}

static void law_dealloc(PyObject *object) {
    SpringLawObject *self = law_of(object);
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    PyObject_ClearWeakRefs(object);
    ph_free(self->law.row);
    Py_XDECREF(self->function);
    Py_XDECREF(self->joints);
    Py_XDECREF(self->world);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"remove", law_remove, METH_NOARGS,
     "remove($self, /)\n--\n\n"
     "End the law: its joints pull no more by it. Wakes their bodies.\n\n"
     "Raises\n------\n"
     "RemovedError\n    When it has been removed already."},
    {0},
};

static PyGetSetDef attributes[] = {
    {"joints", get_joints, NULL, "The joints, a tuple: row i of the arrays is joints[i].", NULL},
    {"function", get_function, NULL, "What says the forces.", NULL},
    {"world", get_world, NULL, "The World.", NULL},
    {"alive", get_alive, NULL, "Whether it has not been removed.", NULL},
    {0},
};

static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(SpringLawObject, weak_references), READONLY, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, law_dealloc},
    {Py_tp_traverse, law_traverse},
    {Py_tp_clear, law_clear},
    {Py_tp_repr, law_repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_tp_members, members},
    {Py_tp_doc, (void *)PyDoc_STR("Springs of a law that is a function of yours.\n\n"
                                  "Made by World.add_spring_law.")},
    {0, NULL},
};

PyType_Spec core_spring_law_spec = {
    .name = "pyphys2d._core.SpringLaw",
    .basicsize = sizeof(SpringLawObject),
    .flags = CORE_HANDLE_FLAGS,
    .slots = slots,
};

// The module pyphys2d._core: its state, its types, its functions.
#define PH_IMPORT_NUMPY
#include "python/geometry_functions.h"
#include "python/pictures.h"
#include "python/testing_interface.h"

#include "base/memory.h"
#include "solve/solver.h"

// Names of the switches that this build was made with, by setup.py.
#ifndef PH_BUILD_SWITCHES
#define PH_BUILD_SWITCHES ""
#endif

#define SHAPE_SPEC(constant, name, base) [TYPE_##constant] = &core_##name##_spec,
static PyType_Spec *const specs[TYPE_COUNT] = {
    [TYPE_SHAPE] = &core_shape_spec,
    [TYPE_WORLD] = &core_world_spec,
    [TYPE_BODY] = &core_body_spec,
    [TYPE_COLLIDER] = &core_collider_spec,
    [TYPE_FLUID] = &core_fluid_spec,
    [TYPE_DRAG] = &core_drag_spec,
    [TYPE_WIND] = &core_wind_spec,
    [TYPE_POINT_GRAVITY] = &core_point_gravity_spec,
    [TYPE_SPRING_LAW] = &core_spring_law_spec,
    [TYPE_JOINT] = &core_joint_spec,
    [TYPE_BODIES] = &core_bodies_spec,
    [TYPE_COLLIDERS] = &core_colliders_spec,
    [TYPE_JOINTS] = &core_joints_spec,
    [TYPE_FIELDS] = &core_fields_spec,
    [TYPE_COLLECTION_ITERATOR] = &core_collection_iterator_spec,
    [TYPE_AABB_TREE] = &core_aabb_tree_spec,
    [TYPE_STATE_OWNER] = &core_state_owner_spec,
    [TYPE_RAY_HIT] = &core_ray_hit_spec,
    [TYPE_EVENTS] = &core_events_spec,
    [TYPE_MANIFOLD] = &core_manifold_spec,
    [TYPE_DISTANCE] = &core_distance_spec,
    [TYPE_IMPACT] = &core_impact_spec,
    [TYPE_TILE_HIT] = &core_tile_hit_spec,
    [TYPE_DRAW_LIST] = &core_draw_list_spec,
    [TYPE_SIMD] = &core_simd_spec,
    [TYPE_STAGE] = &core_stage_spec,
    [TYPE_STAGES] = &core_stages_spec,
    [TYPE_RECORDER] = &core_recorder_spec,
    CORE_SHAPE_TYPES(SHAPE_SPEC) // one for each
};

// Base of a type; TYPE_COUNT for object. A base comes before its types.
static CoreType base_of(CoreType type) {
#define SHAPE_BASE(constant, name, base)                                                           \
    case TYPE_##constant:                                                                          \
        return TYPE_##base;
    switch (type) {
        CORE_SHAPE_TYPES(SHAPE_BASE)
    default:
        return TYPE_COUNT;
    }
}

CoreState *core_state_of(PyTypeObject *type) {
    if (type->tp_mro == NULL) { // the collector has cleared it
        PyErr_SetString(PyExc_RuntimeError, "pyphys2d has been torn down already");
        return NULL;
    }
    PyObject *module = PyType_GetModuleByDef(type, &core_module);
    return module != NULL ? PyModule_GetState(module) : NULL;
}

PyTypeObject *core_type(const CoreState *core, CoreType type) {
    if (core->type[type] == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "pyphys2d has been torn down already");
    }
    return core->type[type];
}

static PyObject *make_type(PyObject *module, CoreState *core, CoreType type) {
    if (type > TYPE_JOINT && type <= TYPE_LAST_JOINT) {
        return core_make_joint_type(core, module, (PhJointKind)(type - TYPE_JOINT - 1));
    }
    if (type == TYPE_VECTOR) {
        return core_make_vector_type(module);
    }
    CoreType base = base_of(type);
    PyObject *bases = base == TYPE_COUNT ? NULL : (PyObject *)core->type[base];
    return PyType_FromModuleAndSpec(module, specs[type], bases);
}

static bool has_names_elsewhere(CoreType type) {
    return type == TYPE_SHAPE || type == TYPE_WORLD || type == TYPE_BODY || type == TYPE_COLLIDER ||
           type == TYPE_JOINT || type == TYPE_RAY_HIT || type == TYPE_EVENTS ||
           type == TYPE_VECTOR || type == TYPE_BODIES || type == TYPE_COLLIDERS ||
           type == TYPE_JOINTS;
}

static bool add_types(PyObject *module, CoreState *core) {
    for (int i = 0; i < TYPE_COUNT; ++i) {
        core->type[i] = (PyTypeObject *)make_type(module, core, (CoreType)i);
        bool hidden = i == TYPE_VECTOR; // users make none
        if (core->type[i] == NULL ||
            (has_names_elsewhere((CoreType)i) && !core_add_names_elsewhere(core->type[i])) ||
            (!hidden && PyModule_AddType(module, core->type[i]) < 0)) {
            return false;
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------------------
// simd

static PyObject *available_names(void) {
    uint32_t count = 0;
    while (ph_simd_available(count) != NULL) {
        ++count;
    }
    PyObject *tuple = PyTuple_New(count);
    for (uint32_t i = 0; tuple != NULL && i < count; ++i) {
        PyObject *name = PyUnicode_FromString(ph_simd_available(i));
        if (name == NULL) {
            Py_CLEAR(tuple);
        } else {
            PyTuple_SET_ITEM(tuple, i, name);
        }
    }
    return tuple;
}

// Names of the kinds of joints, by the number in joint_state.
static bool add_joint_kinds(PyObject *module) {
    PyObject *tuple = PyTuple_New(PH_JOINT_KIND_COUNT);
    for (int i = 0; tuple != NULL && i < PH_JOINT_KIND_COUNT; ++i) {
        PyObject *name = PyUnicode_FromString(ph_joint_kind((PhJointKind)i)->name);
        if (name == NULL) {
            Py_CLEAR(tuple);
        } else {
            PyTuple_SET_ITEM(tuple, i, name);
        }
    }
    bool ok = tuple != NULL && PyModule_AddObjectRef(module, "JOINT_KINDS", tuple) == 0;
    Py_XDECREF(tuple);
    return ok;
}

static bool add_simd(PyObject *module, CoreState *core) {
    const char *bad;
    const PhKernels *kernels = ph_simd_default(&bad);
    PyObject *available = available_names();
    if (bad != NULL && available != NULL) {
        PyErr_Format(PyExc_ImportError,
                     "PYPHYS2D_SIMD: must be one of %R on this machine, got '%s'", available, bad);
        Py_DECREF(available);
        return false;
    }
    PyObject *const values[] = {PyUnicode_FromString(ph_simd_name(kernels)), available};
    PyObject *simd = core_record(core, TYPE_SIMD, values);
    bool ok = simd != NULL && PyModule_AddObjectRef(module, "simd", simd) == 0;
    Py_XDECREF(simd);
    return ok;
}

PyDoc_STRVAR(set_simd_doc,
             "_set_simd($module, name, /)\n--\n\n"
             "Choose the instruction set of worlds made from now on, for tests; None: "
             "the default.\n\n"
             "Raises\n------\n"
             "ValueError\n    For a name that is not in simd.available.");

static PyObject *set_simd(PyObject *module, PyObject *arg) {
    CoreState *core = PyModule_GetState(module);
    if (arg == Py_None) {
        core->simd = NULL;
        Py_RETURN_NONE;
    }
    const char *name = PyUnicode_Check(arg) ? PyUnicode_AsUTF8(arg) : NULL;
    if (name == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_Format(PyExc_TypeError, "name: must be a string or None, got %.100s",
                         Py_TYPE(arg)->tp_name);
        }
        return NULL;
    }
    const PhKernels *kernels = ph_simd_find(name);
    if (kernels == NULL) {
        PyObject *available = available_names();
        if (available != NULL) {
            PyErr_Format(PyExc_ValueError, "name: must be one of %R, got %R", available, arg);
            Py_DECREF(available);
        }
        return NULL;
    }
    core->simd = ph_simd_name(kernels);
    Py_RETURN_NONE;
}

// ------------------------------------------------------------------------------------------------
// live

PyDoc_STRVAR(live_doc, "_live($module, /)\n--\n\n"
                       "Numbers of live worlds, shapes and engine allocations, for tests.");

static PyObject *live(PyObject *module, PyObject *Py_UNUSED(ignored)) {
    const CoreState *core = PyModule_GetState(module);
    return Py_BuildValue("{s:n,s:n,s:L}", "worlds", core->live_worlds, "shapes", core->live_shapes,
                         "allocations", (long long)ph_live_allocations());
}

// The allocator of this extension, for the one of the tests, which has its own copy of the engine.
static const CoreTestingInterface testing_interface = {
    .fail_allocation = ph_fail_allocation,
    .live_allocations = ph_live_allocations,
    .stop_steps = core_stop_steps,
};

static bool add_testing_interface(PyObject *module) {
    // The capsule holds a pointer to void; nothing is written through it.
    PyObject *capsule =
        PyCapsule_New((void *)(uintptr_t)&testing_interface, CORE_TESTING_CAPSULE, NULL);
    bool ok = capsule != NULL && PyModule_AddObjectRef(module, "_testing_interface", capsule) == 0;
    Py_XDECREF(capsule);
    return ok;
}

// ------------------------------------------------------------------------------------------------
// module

#define FAST_ROW(name)                                                                             \
    {#name, CORE_FAST(core_geometry_##name), METH_FASTCALL | METH_KEYWORDS,                        \
     core_geometry_##name##_doc},
#define ONE_ROW(name) {#name, core_geometry_##name, METH_O, core_geometry_##name##_doc},

static PyMethodDef functions[] = {
    {"_handle", core_make_handle, METH_VARARGS, core_make_handle_doc},
    {"_body_names", core_body_names, METH_VARARGS, core_body_names_doc},
    {"_draw_shape", core_draw_shape, METH_O, core_draw_shape_doc},
    {"_given_mass", core_given_mass, METH_O, core_given_mass_doc},
    {"_joint_frame", core_joint_frame, METH_O, core_joint_frame_doc},
    {"_live", live, METH_NOARGS, live_doc},
    {"_record", CORE_FAST(core_record_of_fields), METH_FASTCALL, core_record_doc},
    {"_rounded", CORE_FAST(core_rounded), METH_FASTCALL, core_rounded_doc},
    {"_set_joint_frame", core_set_joint_frame, METH_VARARGS, core_set_joint_frame_doc},
    {"_set_simd", set_simd, METH_O, set_simd_doc},
    GEOMETRY_FAST_FUNCTIONS(FAST_ROW) GEOMETRY_ELEMENT_FUNCTIONS(FAST_ROW)
        GEOMETRY_ONE_FUNCTIONS(ONE_ROW){0},
};

static int module_exec(PyObject *module) {
    CoreState *core = PyModule_GetState(module);
    if (PyArray_ImportNumPyAPI() < 0 || !core_gate_register()) {
        return -1;
    }
    core->module = module;
    bool ok = core_make_rows(core) && core_add_errors(module, core) && add_types(module, core) &&
              add_simd(module, core) && add_joint_kinds(module) && add_testing_interface(module) &&
              PyModule_AddStringConstant(module, "build_switches", PH_BUILD_SWITCHES) == 0;
    return ok ? 0 : -1;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg) {
    const CoreState *core = PyModule_GetState(module);
    for (int i = 0; i < TYPE_COUNT; ++i) {
        Py_VISIT(core->type[i]);
    }
    for (int i = 0; i < ERROR_COUNT; ++i) {
        Py_VISIT(core->error[i]);
    }
    for (int i = 0; i < ROW_COUNT; ++i) {
        Py_VISIT(core->row[i]);
    }
    return 0;
}

static int module_clear(PyObject *module) {
    CoreState *core = PyModule_GetState(module);
    for (int i = 0; i < TYPE_COUNT; ++i) {
        Py_CLEAR(core->type[i]);
    }
    for (int i = 0; i < ERROR_COUNT; ++i) {
        Py_CLEAR(core->error[i]);
    }
    for (int i = 0; i < ROW_COUNT; ++i) {
        Py_CLEAR(core->row[i]);
    }
    return 0;
}

static void module_free(void *module) {
    (void)module_clear(module);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
#if PY_VERSION_HEX >= 0x030C0000
    // NumPy supports none either.
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};

PyModuleDef core_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "pyphys2d._core",
    .m_doc = "The engine of pyphys2d as Python sees it. Import its names from pyphys2d.",
    .m_size = sizeof(CoreState),
    .m_methods = functions,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void) {
    return PyModuleDef_Init(&core_module);
}

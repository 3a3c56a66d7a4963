// Methods and attribute functions of World that live in world_*.c, for the type's tables in
// world_type.c. A method `x` is the function core_world_x with the docstring core_world_x_doc.
#ifndef PH_PYTHON_WORLD_METHODS_H
#define PH_PYTHON_WORLD_METHODS_H

#include "python/core.h"
#include "world/spring_laws.h"

// With keywords; those that change the world, and so go into its call log. (`step` and `stages`
// write records of their own.)
#define WORLD_CHANGING_METHODS(X)                                                                  \
    X(add_body)                                                                                    \
    X(add_bodies)                                                                                  \
    X(add_fluid)                                                                                   \
    X(add_drag)                                                                                    \
    X(add_wind)                                                                                    \
    X(add_point_gravity)                                                                           \
    X(explode)                                                                                     \
    X(slice)

// With keywords; those that do not.
#define WORLD_FAST_METHODS(X)                                                                      \
    X(add_spring_law)                                                                              \
    X(stages)                                                                                      \
    X(tree)                                                                                        \
    X(angular_momentum)                                                                            \
    X(cast_ray)                                                                                    \
    X(cast_ray_all)                                                                                \
    X(cast_rays)                                                                                   \
    X(cast_shape)                                                                                  \
    X(cast_shapes)                                                                                 \
    X(time_of_impact)                                                                              \
    X(times_of_impact)                                                                             \
    X(nearest)                                                                                     \
    X(distances)                                                                                   \
    X(overlaps)                                                                                    \
    X(touching)                                                                                    \
    X(query_aabb)                                                                                  \
    X(at)                                                                                          \
    X(overlap)                                                                                     \
    X(draw_list)                                                                                   \
    X(record)

// Without arguments.
#define WORLD_PLAIN_METHODS(X)                                                                     \
    X(hash)                                                                                        \
    X(kinetic_energy)                                                                              \
    X(potential_energy)                                                                            \
    X(momentum)

// Of world_state.c: those that pyphys2d/_snapshot.py has, and what it stands on.
#define WORLD_STATE_METHODS(X)                                                                     \
    X(snapshot, 0)                                                                                 \
    X(restore, 0)                                                                                  \
    X(from_snapshot, METH_CLASS)                                                                   \
    X(fork, 0)                                                                                     \
    X(diff, 0)                                                                                     \
    X(check, 0)                                                                                    \
    X(record_calls, 0)                                                                             \
    X(__copy__, 0)                                                                                 \
    X(__deepcopy__, 0)                                                                             \
    X(__reduce_ex__, 0)
#define WORLD_STATE_PARTS(X)                                                                       \
    X(_state, METH_VARARGS)                                                                        \
    X(_floor, METH_NOARGS)                                                                         \
    X(_has_log, METH_NOARGS)                                                                       \
    X(_set_log, METH_VARARGS)                                                                      \
    X(_written, METH_NOARGS)                                                                       \
    X(_write, METH_VARARGS)                                                                        \
    X(_from_state, METH_VARARGS | METH_CLASS)                                                      \
    X(_clone, METH_NOARGS)                                                                         \
    X(_set_pair_filter, METH_O)                                                                    \
    X(_add_spring_law, METH_VARARGS)                                                               \
    X(_drop_spring_laws, METH_NOARGS)

#define DECLARE_STATE(name, flags)                                                                 \
    extern const char core_world_##name##_doc[];                                                   \
    PyObject *core_world_##name(PyObject *self, PyObject *args, PyObject *keywords);
#define DECLARE_PART(name, flags)                                                                  \
    extern const char core_world_##name##_doc[];                                                   \
    PyObject *core_world_##name(PyObject *self, PyObject *args);
#define DECLARE_FAST(name)                                                                         \
    extern const char core_world_##name##_doc[];                                                   \
    PyObject *core_world_##name(PyObject *self, PyObject *const *args, Py_ssize_t count,           \
                                PyObject *keywords);
#define DECLARE_ONE(name)                                                                          \
    extern const char core_world_##name##_doc[];                                                   \
    PyObject *core_world_##name(PyObject *self, PyObject *arg);
WORLD_CHANGING_METHODS(DECLARE_FAST)
WORLD_FAST_METHODS(DECLARE_FAST)
#define DECLARE_JOINT(KIND, name, Type)                                                            \
    PyObject *core_world_add_##name##_joint(PyObject *self, PyObject *const *args,                 \
                                            Py_ssize_t count, PyObject *keywords);
PH_JOINT_KINDS(DECLARE_JOINT) // world_joints.c; the docstrings are the engine's
#undef DECLARE_JOINT
DECLARE_ONE(remove)
DECLARE_ONE(refilter)
DECLARE_ONE(_wake_joints)
WORLD_PLAIN_METHODS(DECLARE_ONE)
WORLD_STATE_METHODS(DECLARE_STATE)
WORLD_STATE_PARTS(DECLARE_PART)
DECLARE_PART(_set_state, METH_VARARGS)
#undef DECLARE_FAST
#undef DECLARE_ONE
#undef DECLARE_STATE
#undef DECLARE_PART

// An object of the type around an engine's world, which it owns; on failure the world is destroyed.
PyObject *core_world_wrap(PyTypeObject *type, CoreState *core, PhWorld *world);

// hooks.c
PyObject *core_world_get_on_force(PyObject *self, void *closure);
int core_world_set_on_force(PyObject *self, PyObject *value, void *closure);
PyObject *core_world_get_on_pre_solve(PyObject *self, void *closure);
int core_world_set_on_pre_solve(PyObject *self, PyObject *value, void *closure);
PyObject *core_world_get_pair_filter(PyObject *self, void *closure);
int core_world_set_pair_filter(PyObject *self, PyObject *value, void *closure);
// on_force, if there is one, from inside the gate: false with an exception set or *error filled.
// Nothing is called for a dt that a step would refuse.
bool core_step_hook(WorldObject *self, double dt, PhError *error);
// What runs steps: between begin and end, steps of `world` (of self, or a copy of it) call
// on_pre_solve, pair_filter and laws of springs, and are stopped by what a signal handler raises.
// release: the GIL, meanwhile. Stays where it is until the end.
typedef struct CoreRun {
    WorldObject *world;
    PyThreadState *saved; // NULL: the GIL is held
    // While it is not held, signals are listened for by the thread that began.
    unsigned long thread;
    double next;         // when to listen again, seconds of ph_clock
    atomic_bool stopped; // a handler has raised
    PhStop stop;
} CoreRun;
// spring_law.c
PyObject *core_world_get_spring_laws(PyObject *self, void *closure);
bool core_call_spring_law(void *run, PhSpringLaw *law);
PhSpringLaws core_spring_laws(CoreRun *run); // those of the world at hand
void core_begin_run(CoreRun *run, WorldObject *self, PhWorld *world, bool release);
void core_end_run(CoreRun *run, PhWorld *world);

// world_views.c: what the live arrays hold, while a user may write what must not be written.
typedef struct KeptViews {
    double *copy; // NULL: no view allows it
    uint32_t slots;
} KeptViews;
bool core_views_keep(WorldObject *self, KeptViews *kept);
// Puts back what was kept, and frees it; raises WorldLockedError when it had been changed.
bool core_views_check(WorldObject *self, KeptViews *kept, const char *hook);
// The same after a hook that went well or not: its own exception goes before. Whether all is well.
bool core_views_still(WorldObject *self, KeptViews *kept, const char *hook, bool ok);

// world_settings.c: `closure` is the index of the setting.
#define WORLD_SETTING_COUNT 31
extern const char *const core_world_setting_names[WORLD_SETTING_COUNT];
// values are in the order of the names, NULL for those not given.
bool core_to_world_def(PyObject *const *values, PhWorldDef *def);
PyObject *core_world_get_setting(PyObject *self, void *closure);
PyObject *core_world_get_material_pairs(PyObject *self, void *closure);
int core_world_set_material_pairs(PyObject *self, PyObject *value, void *closure);
int core_world_set_setting(PyObject *self, PyObject *value, void *closure);

// world_views.c: `closure` is the number of the live array.
enum {
    VIEW_POSITIONS,
    VIEW_ANGLES,
    VIEW_VELOCITIES,
    VIEW_ANGULAR_VELOCITIES,
    VIEW_FORCES,
    VIEW_TORQUES,
    VIEW_MASSES,
    VIEW_INERTIAS,
    VIEW_AWAKE,
    VIEW_ALIVE,
    VIEW_KINDS,
};
PyObject *core_world_get_view(PyObject *self, void *closure);
int core_world_set_view(PyObject *self, PyObject *value, void *closure);

// world_reading.c
PyObject *core_world_get_contacts(PyObject *self, void *closure);
// Contacts of a slot or of all (PH_NULL), from inside the gate.
PyObject *core_contact_rows(WorldObject *self, uint32_t slot);
// collider_queries.c
extern const char core_world_contact_doc[], core_world_contacts_of_doc[],
    core_collider_ray_cast_doc[], core_collider_closest_point_doc[];
PyObject *core_world_contact(PyObject *object, PyObject *argument);
PyObject *core_world_contacts_of(PyObject *object, PyObject *argument);
PyObject *core_collider_contacts(PyObject *object, void *closure);
PyObject *core_collider_ray_cast(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                 PyObject *keywords);
PyObject *core_collider_closest_point(PyObject *object, PyObject *argument);
PyObject *core_world_get_events(PyObject *self, void *closure);
PyObject *core_world_get_joint_separations(PyObject *self, void *closure);
PyObject *core_world_get_joint_state(PyObject *self, void *closure); // world_joints.c
PyObject *core_world_get_pairs(PyObject *self, void *closure);
PyObject *core_world_get_aabbs(PyObject *self, void *closure);
PyObject *core_world_get_bounds(PyObject *self, void *closure);
PyObject *core_world_get_islands(PyObject *self, void *closure);
PyObject *core_world_get_profile(PyObject *self, void *closure);
PyObject *core_world_get_counters(PyObject *self, void *closure);

#endif

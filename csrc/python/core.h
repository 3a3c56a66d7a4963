// What all files of the extension share: the headers of Python and NumPy, the state of the module,
// and the objects.
//
// Names: `core_x` are functions of the extension that several files use, `FooObject` are its Python
// objects. Rule of the extension: Python code may run (and re-enter) wherever an object is made,
// converted or dropped. So arguments are converted before the gate of a world is entered, and
// objects are made and dropped after it is left.
#ifndef PH_PYTHON_CORE_H
#define PH_PYTHON_CORE_H

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
// Python.h has to come first.
#include <structmember.h>
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL ph_core_numpy_api
#ifndef PH_IMPORT_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "broad/aabb_tree.h"
#include "geometry/shape.h"
#include "math/vec2.h"
#include "python/shape_types.h"
#include "world/fields.h"
#include "world/joints.h"
#include "world/world.h"

#define CORE_SHAPE_CONSTANT(constant, name, base) TYPE_##constant,
typedef enum CoreType {
    TYPE_SHAPE,
    CORE_SHAPE_TYPES(CORE_SHAPE_CONSTANT) // one for each
    TYPE_WORLD,
    TYPE_BODY,
    TYPE_COLLIDER,
    TYPE_FLUID,
    TYPE_DRAG,
    TYPE_WIND,
    TYPE_POINT_GRAVITY,
    TYPE_SPRING_LAW,
    TYPE_JOINT,
    TYPE_LAST_JOINT = TYPE_JOINT + PH_JOINT_KIND_COUNT, // a type for each kind
    TYPE_BODIES,
    TYPE_COLLIDERS,
    TYPE_JOINTS,
    TYPE_FIELDS,
    TYPE_COLLECTION_ITERATOR,
    TYPE_AABB_TREE,
    TYPE_STATE_OWNER,
    TYPE_RAY_HIT,
    TYPE_EVENTS,
    TYPE_MANIFOLD,
    TYPE_DISTANCE,
    TYPE_IMPACT,
    TYPE_TILE_HIT,
    TYPE_DRAW_LIST,
    TYPE_SIMD,
    TYPE_STAGE,
    TYPE_STAGES,
    TYPE_RECORDER,
    TYPE_VECTOR,
    TYPE_COUNT,
} CoreType;

typedef enum CoreError {
    ERROR_REMOVED,
    ERROR_WORLD_LOCKED,
    ERROR_CAPACITY,
    ERROR_SNAPSHOT,
    ERROR_COUNT,
} CoreError;

// Structured dtypes. Those of engine rows have the layout of the C struct.
typedef enum CoreRow {
    ROW_CONTACT,
    ROW_PAIR,
    ROW_TOUCH_EVENT,
    ROW_SENSOR_EVENT,
    ROW_HIT_EVENT,
    ROW_BODY_EVENT,
    ROW_JOINT_EVENT,
    ROW_JOINT,
    ROW_RAY_HIT,
    ROW_NEAR,
    ROW_OVERLAP,
    ROW_TILE_HIT,
    ROW_TREE_NODE,
    ROW_WORLD_NODE,
    ROW_MANIFOLD_POINT,
    ROW_CONSTRAINT,
    ROW_FAST,
    ROW_DISTANCE,
    ROW_MANIFOLD,
    ROW_IMPACT,
    ROW_EXPLOSION,
    ROW_PRE_SOLVE,
    ROW_FILTER,
    ROW_DRAW_COLLIDER,
    ROW_DRAW_JOINT,
    ROW_LAYOUT,
    ROW_SEGMENT,
    ROW_COUNT,
} CoreRow;

// Rows that only the extension makes: ROW_TREE_NODE and ROW_WORLD_NODE.
typedef struct CoreNodeRow {
    double lower[2], upper[2];
    int32_t parent, child_a, child_b, height; // -1 for none; height -1: a free node
    union {
        int64_t id; // AABBTree: of a leaf, else -1
        struct {
            int32_t collider, piece; // World.tree: of a leaf, else -1
        } owner;
    } leaf;
} CoreNodeRow;

typedef struct CoreTileRow { // ROW_TILE_HIT
    int32_t row, column;     // -1 for a miss, and NaN
    double fraction, point[2], normal[2];
} CoreTileRow;

typedef struct CoreJointRow {            // ROW_JOINT
    int32_t joint, kind, body_a, body_b; // body_a -1: the world
    double anchor_a[2], anchor_b[2], force[2], torque, position, speed, angle;
} CoreJointRow;

// Of World.draw_list.
typedef struct CoreDrawColliderRow { // ROW_DRAW_COLLIDER
    double radius;
    int32_t collider, body, first, count;
    uint8_t kind;
    bool convex, sensor, one_sided;
} CoreDrawColliderRow;
typedef struct CoreDrawJointRow { // ROW_DRAW_JOINT
    int32_t joint, kind, first, count;
} CoreDrawJointRow;

typedef struct CoreState {
    PyObject *module; // whose state this is; borrowed
    PyTypeObject *type[TYPE_COUNT];
    PyObject *error[ERROR_COUNT];
    PyArray_Descr *row[ROW_COUNT];
    // Of the types of joints, which hold the module and so this state. An empty entry ends each
    // row.
    PyGetSetDef joint_properties[PH_JOINT_KIND_COUNT][PH_JOINT_PARAMETERS + PH_JOINT_READINGS + 1];
    const char *simd;                    // for new worlds; NULL: the engine chooses
    Py_ssize_t live_worlds, live_shapes; // touched under the GIL only
} CoreState;

// For types that users may derive from. It never fails for objects of this module.
CoreState *core_state_of(PyTypeObject *type);
// Borrowed reference. RuntimeError and NULL if the module has been cleared.
PyTypeObject *core_type(const CoreState *core, CoreType type);
PyObject *core_error(const CoreState *core, CoreError error); // borrowed, never NULL

typedef struct StateOwnerObject { // base of the live views: memory, and no reference to any Python
                                  // object
    PyObject_HEAD PhState *state;
} StateOwnerObject;

// A lock per world. The thread that holds it may use the PhWorld; the GIL alone does not allow
// that.
typedef struct CoreGate {
    PyThread_type_lock lock;
    _Atomic uint64_t owner; // number of the thread state that holds it, 0 when free
    unsigned long forks; // between the first process and this one, when the gate was last entered
    bool lent, borrowed; // see gate.c; touched by the thread that holds it
    bool shown, glanced; // likewise
} CoreGate;

// The call log of a world, call_log.c; object NULL: none. Used under the GIL; the copy is used
// inside the gate.
typedef struct CoreCallLog {
    PyObject *object, *lock;
    PyObject *records, *outcomes; // lists of bytes; outcomes: those of the hook in the present step
    unsigned long forks;          // as in CoreGate, when it began
    uint64_t every;               // steps between hashes
    double *copy;                 // of the live arrays that may be written, after the last call
    uint32_t slots;               // of the copy
    size_t room;                  // numbers
    bool kept;                    // the copy is valid
} CoreCallLog;

typedef enum HandleKind { HANDLE_BODY, HANDLE_COLLIDER, HANDLE_JOINT, HANDLE_FIELD } HandleKind;
#define CORE_DATA_KINDS HANDLE_FIELD // fields have no user data

typedef struct WorldObject {
    PyObject_HEAD PyObject *weak_references;
    CoreState *core;
    PhWorld *world;
    CoreGate gate;
    StateOwnerObject *owner; // of the present arrays; NULL until a view is asked for
    bool view_taken; // a view was handed out or an array assigned since the last step scanned the
                     // arrays
    // The open Stages object, which holds a reference to the world, while the world holds none to
    // it. NULL: none. Used under the GIL.
    PyObject *stages;
    PyObject *on_force, *on_pre_solve, *pair_filter; // NULL: none
    PyObject *spring_laws;                           // list, spring_law.c; NULL: none yet
    PyObject *recorders;                             // list, recorder.c; NULL: none yet
    CoreCallLog log;
    bool speed_warned; // a warning about a velocity above the limits was given
    uint64_t changes;  // counts the calls that may have changed more than a step does
    PyObject *names;   // dict: body id -> str; NULL when the collector has cleared the world
    // For each HandleKind with user data, a dict id -> object (user_data.c); likewise.
    PyObject *user_data[CORE_DATA_KINDS];
    bool strangers; // the dicts may hold entries of removed objects, because there was no memory to
                    // drop them
    PyObject *shapes; // dict: address of a PhShape -> the Shape object it was given as; likewise
    Py_ssize_t shape_limit; // number of shapes at which unused ones are dropped
} WorldObject;

typedef struct HandleObject { // Body, Collider and the fields
    PyObject_HEAD PyObject *weak_references;
    WorldObject *world;
    PhId id;
} HandleObject;

#define SHAPE_CACHE_COUNT 5
typedef struct ShapeObject {
    PyObject_HEAD PyObject *weak_references;
    CoreState *core;
    PhShape *shape;
    PyObject *cache[SHAPE_CACHE_COUNT]; // read-only arrays, made when first asked for
    double parameter[6];                // of Box and RegularPolygon, as the caller gave them
} ShapeObject;

// The number of shapes that a world remembers before it searches for unused ones.
#define CORE_SHAPE_LIMIT 64

// The id of a handle as one number, unique in its world for ever.
static inline uint64_t core_id_number(PhId id) {
    return ph_id_number(id);
}

#define CORE_FAST(function) ((PyCFunction)(void (*)(void))(function))
#define CORE_FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE)
// For a type that inherits dealloc, traverse and clear, and with them the GC flag, from its base.
#define CORE_DERIVED_FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE)
#define CORE_HANDLE_FLAGS (CORE_FLAGS | Py_TPFLAGS_DISALLOW_INSTANTIATION)
// tp_new of handles, whose types have CORE_FLAGS: raises a TypeError that names the method of World
// that makes one.
PyObject *core_refuse_new(PyTypeObject *type, PyObject *args, PyObject *keywords);

// missing_names.c: when a name of another engine is read or set on a type, the error gives the name
// here. To be called before types are derived from the type.
bool core_add_names_elsewhere(PyTypeObject *type);
int core_set_attribute(PyObject *self, PyObject *name, PyObject *value); // tp_setattro

// Specs of all types, one per file (record_types.c has the small ones), in the order of CoreType.
#define CORE_SHAPE_SPEC(constant, name, base) extern PyType_Spec core_##name##_spec;
CORE_SHAPE_TYPES(CORE_SHAPE_SPEC)
extern PyType_Spec core_shape_spec, core_world_spec, core_body_spec, core_collider_spec,
    core_bodies_spec, core_colliders_spec, core_joints_spec, core_collection_iterator_spec,
    core_aabb_tree_spec, core_state_owner_spec, core_ray_hit_spec, core_events_spec,
    core_manifold_spec, core_distance_spec, core_simd_spec, core_impact_spec, core_draw_list_spec,
    core_stage_spec, core_stages_spec, core_recorder_spec;
extern PyType_Spec core_fluid_spec, core_drag_spec, core_fields_spec, core_tile_hit_spec;
extern PyType_Spec core_wind_spec, core_point_gravity_spec, core_spring_law_spec;
extern PyType_Spec core_joint_spec; // those of the kinds: core_make_joint_type
extern PyModuleDef core_module;

// ------------------------------------------------------------------------------------------------
// errors.c
bool core_add_errors(PyObject *module, CoreState *core);
// Raises the exception of error->status. Always returns NULL.
PyObject *core_raise(const CoreState *core, const PhError *error);
PyObject *core_raise_removed(const HandleObject *handle);
// Gives a RuntimeWarning at the line of the caller; false with an exception if warnings are errors.
// Not PyErr_WarnFormat, which ends the process when memory fails (CPython 3.11, setup_context).
bool core_warn(const char *format, ...);

// ------------------------------------------------------------------------------------------------
// gate.c
bool core_gate_register(void); // once, before any gate is made
bool core_gate_init(CoreGate *gate);
void core_gate_move(CoreGate *to, CoreGate *from); // before a thread enters; `from` has none then
void core_gate_free(CoreGate *gate);
// Enters the gate. While another thread is inside, waits with the GIL released, and handles
// signals. False with WorldLockedError if this thread is inside already, with RuntimeError if the
// thread inside can never leave, or with the exception of a signal handler.
//
// A call that changes the world enters by a function `..._to_change`, which raises WorldLockedError
// while stages() has locked the world. A call that only reads enters by the plain function.
bool core_enter(WorldObject *world);
bool core_enter_to_change(WorldObject *world);
void core_leave(WorldObject *world);
// Enters for a step: also raises WorldLockedError inside a hook.
bool core_enter_to_step(WorldObject *world);
// Calls hook(world) from inside the gate, which the hook may enter. False with the exception of the
// hook.
bool core_call_hook(WorldObject *world, PyObject *hook);
bool core_is_inside(const WorldObject *world); // this thread holds the gate
// Enters to read what a step does not change until it ends: poses, velocities, shapes, settings. A
// hook in the middle of a step may do so too, while the world is shown to it.
bool core_enter_to_read(WorldObject *world);
// Calls a hook in the middle of a step, with the world shown.
PyObject *core_call_shown(WorldObject *world, PyObject *hook, PyObject *const *args, size_t count);
// Whether a fork left the thread inside behind: what it was changing is then unusable.
bool core_gate_orphaned(const CoreGate *gate);
unsigned long core_gate_forks(void); // between the first process and this one
// Enters and checks that the handle's object is alive.
HandleKind core_handle_kind(const HandleObject *handle);
bool core_enter_alive(HandleObject *handle, HandleKind kind); // to read, as above
// For what a step is still computing, or what is computed from the whole world.
bool core_enter_alive_between_steps(HandleObject *handle, HandleKind kind);
bool core_enter_alive_to_change(HandleObject *handle, HandleKind kind);
static inline bool core_enter_body(HandleObject *handle) {
    return core_enter_alive(handle, HANDLE_BODY);
}
static inline bool core_enter_body_to_change(HandleObject *handle) {
    return core_enter_alive_to_change(handle, HANDLE_BODY);
}
static inline bool core_enter_collider(HandleObject *handle) {
    return core_enter_alive(handle, HANDLE_COLLIDER);
}
static inline bool core_enter_collider_to_change(HandleObject *handle) {
    return core_enter_alive_to_change(handle, HANDLE_COLLIDER);
}

// ------------------------------------------------------------------------------------------------
// rows.c
bool core_make_rows(CoreState *core);
// A new array with memory of its own and a copy of count rows (zeros if rows is NULL).
PyObject *core_rows(const CoreState *core, CoreRow row, const void *rows, Py_ssize_t count);
// A new array into which rows without padding are written; the first of them are kept.
PyObject *core_rows_to_fill(const CoreState *core, CoreRow row, uint64_t limit);
bool core_rows_cut(PyObject *array, uint64_t count);

// ------------------------------------------------------------------------------------------------
// record_types.c

// Takes over the references to all values, also on failure. Any of them may be NULL with an
// exception set.
PyObject *core_record(const CoreState *core, CoreType type, PyObject *const *values);
// The function _record of the module, by which a pickled record is made again.
PyObject *core_record_of_fields(PyObject *module, PyObject *const *args, Py_ssize_t count);
extern const char core_record_doc[];

// ------------------------------------------------------------------------------------------------
// vector.c

// What the error says when an element of such a copy is set.
typedef struct CoreAdvice {
    const char *owner, *name; // as in body.position; the strings must stay valid
    const char *view;         // what to write to instead; NULL: nothing
    bool fixed;               // it cannot be assigned either
} CoreAdvice;
// A read-only array, shape (2,).
PyObject *core_vector(const CoreState *core, PhVec2 v, CoreAdvice advice);
PyObject *core_make_vector_type(PyObject *module);

// ------------------------------------------------------------------------------------------------
// state_owner.c
StateOwnerObject *core_state_owner(const CoreState *core, PhState *state);

// ------------------------------------------------------------------------------------------------
// handle.c
PyObject *core_handle(WorldObject *world, CoreType type, PhId id);
// A handle of nothing. It is made before the world is changed, so that nothing can fail afterwards,
// and is given its object then. Until then it looks like the handle of a removed object.
PyObject *core_handle_blank(WorldObject *world, CoreType type);
static inline PyObject *core_handle_give(PyObject *blank, PhId id) {
    ((HandleObject *)blank)->id = id;
    return blank;
}
PyObject *core_handle_list(WorldObject *world, CoreType type, const PhId *ids, Py_ssize_t count);
PyObject *core_handle_compare(PyObject *a, PyObject *b, int op);
Py_hash_t core_handle_hash(PyObject *self);
void core_handle_dealloc(PyObject *self);
int core_handle_traverse(PyObject *self, visitproc visit, void *arg);
extern PyMemberDef core_handle_members[];
PyObject *core_handle_alive(PyObject *self, void *closure);
PyObject *core_handle_index(PyObject *self, void *closure);
PyObject *core_handle_id(PyObject *self, void *closure);
PyObject *core_handle_world(PyObject *self, void *closure);

// ------------------------------------------------------------------------------------------------
// field.c
CoreType core_field_type(PhFieldKind kind);
bool core_is_field(const CoreState *core, PyObject *object);
// A height or a polyline. The array that is returned owns the numbers.
PyArrayObject *core_to_surface(const CoreState *core, PyObject *object, const char *name,
                               PhSurface *surface);

// ------------------------------------------------------------------------------------------------
// world_reading.c

// The table body_move. To be called inside the gate.
PyObject *core_body_moves(const CoreState *core, const PhWorld *world);

// ------------------------------------------------------------------------------------------------
// joint.c
CoreType core_joint_type(PhJointKind kind);
PyObject *core_make_joint_type(CoreState *core, PyObject *module, PhJointKind kind);
bool core_is_joint(const CoreState *core, PyObject *object);
PyObject *core_body_joints(HandleObject *body); // tuple

// ------------------------------------------------------------------------------------------------
// body.c
PyObject *core_given_mass(PyObject *module, PyObject *body);
extern const char core_given_mass_doc[];

// joint_frame_array.c
PyObject *core_joint_frame(PyObject *module, PyObject *joint);
PyObject *core_set_joint_frame(PyObject *module, PyObject *args);
extern const char core_joint_frame_doc[], core_set_joint_frame_doc[];

// ------------------------------------------------------------------------------------------------
// draw_list.c
PyObject *core_draw_shape(PyObject *module, PyObject *shape);
PyObject *core_rounded(PyObject *module, PyObject *const *args, Py_ssize_t count);
extern const char core_draw_shape_doc[], core_rounded_doc[];

// ------------------------------------------------------------------------------------------------
// collections.c
PyObject *core_collection(WorldObject *world, CoreType type);

// ------------------------------------------------------------------------------------------------
// aabb_tree_type.c
void core_node_row(const PhTreeNode *node, CoreNodeRow *row); // all but the leaf part

// ------------------------------------------------------------------------------------------------
// shape_type.c

// A new object of `type`, which takes over one reference to shape (also on failure). type may be
// NULL with an exception set.
PyObject *core_shape_new(PyTypeObject *type, PhShape *shape);
PyObject *core_shape_vector(PyObject *shape, const char *name, PhVec2 v); // an attribute of a shape
bool core_is_shape(const CoreState *core, PyObject *object);
// What an object that is no shape may have been meant for, as the end of a message.
const char *core_shape_hint(const CoreState *core, PyObject *object);
PhShape *core_to_shape(const CoreState *core, PyObject *object,
                       const char *name); // borrowed; NULL: TypeError

// ------------------------------------------------------------------------------------------------
// stage.c

// Takes over the reference to `arrays`, a dict or NULL with an exception set. index: among the
// stages of that name in a step; -1 if the name occurs once.
PyObject *core_stage(const CoreState *core, const char *name, Py_ssize_t index, PyObject *arrays);

// ------------------------------------------------------------------------------------------------
// world_type.c

// Tells the engine whether the arrays may have been written to. Called inside the gate, before the
// engine scans them.
void core_world_sync(WorldObject *world);
bool core_world_watched(const WorldObject *world); // whether they may have been written to

// ------------------------------------------------------------------------------------------------
// world_state.c
PyObject *core_handle_reduce(PyObject *self, PyObject *ignored);
PyObject *core_make_handle(PyObject *module, PyObject *args); // _core._handle
extern const char core_handle_reduce_doc[], core_make_handle_doc[];
// A row for the table of methods of a handle.
#define CORE_HANDLE_REDUCE                                                                         \
    { "__reduce__", core_handle_reduce, METH_NOARGS, core_handle_reduce_doc }

// ------------------------------------------------------------------------------------------------
// world_bodies.c

// Remembers the object that a PhShape came from, so that collider.shape returns it. Called before
// the shape is attached. The caller holds a reference to the PhShape until then; otherwise it would
// count as unused.
bool core_remember_shape(WorldObject *world, PyObject *shape);
// Warns once in a world if a velocity that is to be set is above the limits of speed. False with
// the warning as an exception.
bool core_warn_speed(WorldObject *world, PhBodyKind kind, PhVec2 velocity, double angular);
// The tables of names and user data hold everything that is not None. A cleared table (the world is
// being collected) takes nothing. Their keys are numbers, so the only Python code that can run is
// that of a value that is dropped. So an entry can be put inside the gate if there was none before.
PyObject *core_table_key(PhId id);
bool core_table_put(PyObject *table, PyObject *key, PyObject *value); // NULL: as None
void core_table_drop(PyObject *table, PyObject *key);                 // needs no memory
bool core_table_set(PyObject *table, PhId id, PyObject *value);       // put, or drop for None
PyObject *core_table_get(PyObject *table, PhId id); // new reference, None when missing

// ------------------------------------------------------------------------------------------------
// user_data.c
PyObject *core_get_user_data(PyObject *self, void *closure);
int core_set_user_data(PyObject *self, PyObject *value, void *closure);
// A row for the table of attributes of a handle.
#define CORE_USER_DATA                                                                             \
    { "user_data", core_get_user_data, core_set_user_data, "Any object, or None.", NULL }

// Entries of the tables whose owners a call removes. It begins as zeros.
typedef struct CoreLeaver {
    HandleKind kind;
    PyObject *key;
} CoreLeaver;
typedef struct CoreLeavers {
    CoreLeaver *items;
    Py_ssize_t count, room;
    bool more; // other owners may go with them, as gears do with their joints: core_leavers_find
} CoreLeavers;
// Inside the gate, before the owner is removed. False with an exception: no memory.
bool core_leavers_expect(const WorldObject *world, CoreLeavers *leavers, HandleKind kind, PhId id);
bool core_leavers_expect_joint(const WorldObject *world, CoreLeavers *leavers, PhId id);
bool core_leavers_expect_body(const WorldObject *world, CoreLeavers *leavers, PhId id);
// Inside the gate, after owners have been removed: finds all entries whose owners are gone. Never
// fails.
void core_leavers_find(WorldObject *world, CoreLeavers *leavers);
void core_leavers_find_broken(WorldObject *world, CoreLeavers *leavers); // after steps
// Outside the gate, with or without an exception set: drops the entries, if there are any.
void core_leavers_go(WorldObject *world, CoreLeavers *leavers);
void core_leavers_stay(CoreLeavers *leavers);

// ------------------------------------------------------------------------------------------------
// material.c

// Material keywords, shared by add_body, add_bodies and attach.
#define MATERIAL_KEYWORDS                                                                          \
    "density", "friction", "restitution", "rolling_resistance", "tangent_speed", "category",       \
        "mask", "group", "sensor", "pre_solve", "material", "friction_rule", "restitution_rule",   \
        "segments"
#define MATERIAL_KEYWORD_COUNT 14
enum { MATERIAL_OF_PAIRS = 10, MATERIAL_OF_SEGMENTS = 13 }; // places of "material", "segments"
extern const char *const core_rule_names[6];                // NULL-terminated, by PhMixRule
// If successful, def->segments is a reference that the caller has to release.
bool core_to_material(const CoreState *core, PyObject *const *values, PhColliderDef *def);
// segment_surfaces.c
bool core_to_segments(const CoreState *core, PyObject *value, PhSegments **segments);
PyObject *core_from_segments(const CoreState *core, const PhSegments *segments); // NULL: None
bool core_to_kind(PyObject *object, PhBodyKind *kind);
extern const char *const core_kind_names[4]; // NULL-terminated

#endif

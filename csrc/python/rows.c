// Structured dtypes: the columns of every table that a world gives out. One line per table.
//
// Columns are numbers, which is what data frames take. A vector is there twice: as the columns
// normal_x and normal_y, which are named in the dtype, and under the key "normal" alone, which is
// not: it is one more entry of the dtype's fields, over the same bytes.
#include <string.h>

#include "geometry/distance.h"
#include "python/core.h"
#include "world/queries.h"
#include "world/recording.h"
#include "world/step_trace.h"

#define BODIES "('body_a', 'i4'), ('body_b', 'i4'), "
#define COLLIDERS "('collider_a', 'i4'), ('collider_b', 'i4')"
#define PAIR_EVENT                                                                                 \
    "('step', 'i8'), " BODIES COLLIDERS                                                            \
    ", ('body_id_a', 'u8'), ('body_id_b', 'u8'), ('collider_id_a', 'u8'), ('collider_id_b', 'u8')"
#define NODE                                                                                       \
    "('lower', 'f8', 2), ('upper', 'f8', 2), ('parent', 'i4'), ('child_a', 'i4'), "                \
    "('child_b', 'i4'), ('height', 'i4'), "

typedef struct RowFormat {
    const char *columns;
    size_t size; // of the C struct
} RowFormat;

static const RowFormat formats[ROW_COUNT] = {
    [ROW_SEGMENT] = {"('friction', 'f8'), ('restitution', 'f8'), ('rolling_resistance', 'f8'), "
                     "('tangent_speed', 'f8'), ('material', 'i4')",
                     sizeof(PhSegmentSurface)},
    [ROW_CONTACT] = {BODIES COLLIDERS
                     ", ('piece_a', 'i4'), ('piece_b', 'i4'), ('normal', 'f8', 2), "
                     "('point', 'f8', 2), ('separation', 'f8'), ('normal_impulse', 'f8'), "
                     "('tangent_impulse', 'f8'), ('feature', 'u4'), ('age', 'u4'), ('id', 'u8')",
                     sizeof(PhContactPoint)},
    [ROW_PAIR] = {BODIES COLLIDERS ", ('piece_a', 'i4'), ('piece_b', 'i4')", sizeof(PhPairRow)},
    [ROW_TOUCH_EVENT] = {PAIR_EVENT ", ('id', 'u8')", sizeof(PhTouchEvent)},
    [ROW_SENSOR_EVENT] = {PAIR_EVENT, sizeof(PhContactEvent)},
    [ROW_HIT_EVENT] = {PAIR_EVENT
                       ", ('id', 'u8'), ('point', 'f8', 2), ('normal', 'f8', 2), ('speed', 'f8'), "
                       "('impulse', 'f8')",
                       sizeof(PhHitEvent)},
    [ROW_BODY_EVENT] = {"('step', 'i8'), ('body', 'i4'), ('body_id', 'u8')", sizeof(PhBodyEvent)},
    [ROW_JOINT_EVENT] = {"('step', 'i8'), ('joint', 'i4'), ('joint_id', 'u8'), ('force', 'f8', 2), "
                         "('torque', 'f8')",
                         sizeof(PhJointEvent)},
    [ROW_JOINT] = {"('joint', 'i4'), ('kind', 'i4'), " BODIES
                   "('anchor_a', 'f8', 2), ('anchor_b', 'f8', 2), ('force', 'f8', 2), "
                   "('torque', 'f8'), ('position', 'f8'), ('speed', 'f8'), ('angle', 'f8')",
                   sizeof(CoreJointRow)},
    [ROW_RAY_HIT] = {"('collider', 'i4'), ('body', 'i4'), ('piece', 'i4'), ('point', 'f8', 2), "
                     "('normal', 'f8', 2), ('fraction', 'f8')",
                     sizeof(PhWorldRayHit)},
    [ROW_NEAR] = {"('collider', 'i4'), ('body', 'i4'), ('piece', 'i4'), ('distance', 'f8'), "
                  "('point', 'f8', 2), ('normal', 'f8', 2)",
                  sizeof(PhNearRow)},
    [ROW_OVERLAP] = {"('query', 'i4'), ('collider', 'i4'), ('body', 'i4'), ('piece', 'i4'), "
                     "('own_piece', 'i4'), ('count', 'i4'), ('normal', 'f8', 2), "
                     "('depth', 'f8'), ('points', 'f8', (2, 2)), ('separations', 'f8', 2)",
                     sizeof(PhOverlapRow)},
    [ROW_TILE_HIT] = {"('row', 'i4'), ('column', 'i4'), ('fraction', 'f8'), ('point', 'f8', 2), "
                      "('normal', 'f8', 2)",
                      sizeof(CoreTileRow)},
    [ROW_TREE_NODE] = {NODE "('id', 'i8')", sizeof(CoreNodeRow)},
    [ROW_WORLD_NODE] = {NODE "('collider', 'i4'), ('piece', 'i4')", sizeof(CoreNodeRow)},
    [ROW_MANIFOLD_POINT] =
        {BODIES COLLIDERS ", ('piece_a', 'i4'), ('piece_b', 'i4'), ('normal', 'f8', 2), "
                          "('point', 'f8', 2), ('separation', 'f8'), "
                          "('arm_a', 'f8', 2), ('arm_b', 'f8', 2), ('feature', 'u4'), ('id', 'u8')",
         sizeof(PhManifoldPointRow)},
    [ROW_CONSTRAINT] = {"('island', 'i4'), ('bin', 'i4'), ('color', 'i4'), ('friction', 'f8'), "
                        "('restitution', 'f8'), ('normal_mass', 'f8'), ('tangent_mass', 'f8'), "
                        "('normal_impulse', 'f8'), ('tangent_impulse', 'f8')",
                        sizeof(PhConstraintRow)},
    [ROW_FAST] = {"('body', 'i4'), ('stopped_body', 'i4'), ('stopped_collider', 'i4'), "
                  "('fraction', 'f8'), ('start', 'f8', 2), ('end', 'f8', 2), "
                  "('start_angle', 'f8'), ('end_angle', 'f8')",
                  sizeof(PhFastRow)},
    [ROW_DISTANCE] = {"('distance', 'f8'), ('point_a', 'f8', 2), ('point_b', 'f8', 2), "
                      "('normal', 'f8', 2)",
                      sizeof(PhDistance)},
    [ROW_MANIFOLD] = {"('normal', 'f8', 2), ('points', 'f8', (2, 2)), ('separations', 'f8', 2), "
                      "('features', 'u4', 2), ('count', 'i4')",
                      80},
    [ROW_IMPACT] = {"('hit', '?'), ('fraction', 'f8'), ('point', 'f8', 2), ('normal', 'f8', 2)",
                    48},
    [ROW_EXPLOSION] = {"('body', 'i4'), ('collider', 'i4'), ('distance', 'f8'), "
                       "('point', 'f8', 2), ('impulse', 'f8', 2)",
                       sizeof(PhExplosionRow)},
    [ROW_PRE_SOLVE] =
        {BODIES COLLIDERS
         ", ('piece_a', 'i4'), ('piece_b', 'i4'), ('normal', 'f8', 2), "
         "('point', 'f8', 2), ('separation', 'f8'), ('approach', 'f8'), ('id', 'u8'), "
         "('friction', 'f8'), ('restitution', 'f8'), ('tangent_speed', 'f8'), "
         "('enabled', '?')",
         sizeof(PhPreSolveRow)},
    [ROW_FILTER] = {BODIES COLLIDERS, sizeof(PhFilterRow)},
    [ROW_DRAW_COLLIDER] =
        {"('radius', 'f8'), ('collider', 'i4'), ('body', 'i4'), ('first', 'i4'), ('count', 'i4'), "
         "('kind', 'u1'), ('convex', '?'), ('sensor', '?'), ('one_sided', '?')",
         sizeof(CoreDrawColliderRow)},
    [ROW_LAYOUT] =
        {"('id', 'u8'), ('last_collider', 'u8'), ('version', 'u8'), ('mass', 'f8'), "
         "('inertia', 'f8'), ('gravity_scale', 'f8'), ('center', 'f8', 2), ('kind', 'i4'), "
         "('collider_count', 'i4')",
         sizeof(PhLayoutRow)},
    [ROW_DRAW_JOINT] = {"('joint', 'i4'), ('kind', 'i4'), ('first', 'i4'), ('count', 'i4')",
                        sizeof(CoreDrawJointRow)},
};

// Names of the numbers in a field, in the order of memory: x and y of a vector; 0 and 1 of a field
// whose name is a plural, which has an entry for each of two points; 0_x to 1_y of two vectors.
static const char *part_name(PyObject *field, npy_intp count, npy_intp k) {
    static const char *const parts[3][4] = {{"x", "y"}, {"0", "1"}, {"0_x", "0_y", "1_x", "1_y"}};
    const char *text = PyUnicode_AsUTF8(field);
    if (text == NULL) {
        return NULL;
    }
    return parts[count == 4 ? 2 : text[strlen(text) - 1] == 's'][k];
}

static bool append(PyObject *list, PyObject *item) { // steals item, which may be NULL
    bool ok = item != NULL && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return ok;
}

// One field of a dtype, (dtype, offset), into the lists that a dtype is made of: names, formats,
// offsets.
static bool add_columns(PyObject *name, PyObject *field, PyObject *const *lists) {
    PyArray_Descr *descr = (PyArray_Descr *)PyTuple_GET_ITEM(field, 0);
    Py_ssize_t offset = PyLong_AsSsize_t(PyTuple_GET_ITEM(field, 1));
    PyArray_ArrayDescr *vector = PyDataType_SUBARRAY(descr);
    PyArray_Descr *base = vector != NULL ? vector->base : descr;
    npy_intp size = PyDataType_ELSIZE(base), count = PyDataType_ELSIZE(descr) / size;
    bool ok = offset >= 0;
    for (npy_intp k = 0; ok && k < count; ++k) {
        const char *part = vector != NULL ? part_name(name, count, k) : "";
        PyObject *column = vector == NULL ? Py_NewRef(name)
                           : part != NULL ? PyUnicode_FromFormat("%U_%s", name, part)
                                          : NULL;
        ok = append(lists[0], column) && append(lists[1], Py_NewRef((PyObject *)base)) &&
             append(lists[2], PyLong_FromSsize_t(offset + k * size));
    }
    return ok;
}

// A dtype of the same size in which all columns are numbers; new reference.
static PyArray_Descr *flat(PyArray_Descr *nested) {
    PyObject *names = PyDataType_NAMES(nested), *fields = PyDataType_FIELDS(nested);
    PyObject *lists[3] = {PyList_New(0), PyList_New(0), PyList_New(0)};
    bool ok = lists[0] != NULL && lists[1] != NULL && lists[2] != NULL;
    for (Py_ssize_t i = 0; ok && i < PyTuple_GET_SIZE(names); ++i) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        PyObject *field = PyDict_GetItemWithError(fields, name);
        ok = field != NULL && add_columns(name, field, lists);
    }
    PyObject *spec = ok ? Py_BuildValue("{sOsOsOsnsO}", "names", lists[0], "formats", lists[1],
                                        "offsets", lists[2], "itemsize",
                                        (Py_ssize_t)PyDataType_ELSIZE(nested), "aligned", Py_True)
                        : NULL;
    PyArray_Descr *descr = NULL;
    if (spec != NULL && PyArray_DescrConverter(spec, &descr) != NPY_SUCCEED) {
        descr = NULL;
    }
    for (Py_ssize_t i = 0; descr != NULL && i < PyTuple_GET_SIZE(names); ++i) {
        PyObject *name = PyTuple_GET_ITEM(names, i); // that of a number is there already
        PyObject *field = PyDict_GetItemWithError(fields, name);
        if (PyDict_SetDefault(PyDataType_FIELDS(descr), name, field) == NULL) {
            Py_CLEAR(descr);
        }
    }
    Py_XDECREF(spec);
    for (int i = 0; i < 3; ++i) {
        Py_XDECREF(lists[i]);
    }
    return descr;
}

bool core_make_rows(CoreState *core) {
    PyObject *globals = PyDict_New();
    if (globals == NULL) {
        return false;
    }
    bool ok = true;
    for (int i = 0; ok && i < ROW_COUNT; ++i) {
        char text[512];
        PyOS_snprintf(text, sizeof text, "[%s]", formats[i].columns);
        PyObject *columns = PyRun_String(text, Py_eval_input, globals, globals);
        PyArray_Descr *nested = NULL;
        ok = columns != NULL && PyArray_DescrAlignConverter(columns, &nested) == NPY_SUCCEED;
        core->row[i] = ok ? flat(nested) : NULL;
        ok = core->row[i] != NULL;
        Py_XDECREF(ok ? (PyObject *)nested : NULL);
        Py_XDECREF(columns);
        if (ok && PyDataType_ELSIZE(core->row[i]) != (npy_intp)formats[i].size) {
            PyErr_Format(PyExc_SystemError, "row %d has %zd bytes, not %zu", i,
                         (Py_ssize_t)PyDataType_ELSIZE(core->row[i]), formats[i].size);
            ok = false;
        }
    }
    Py_DECREF(globals);
    return ok;
}

PyObject *core_rows(const CoreState *core, CoreRow row, const void *rows, Py_ssize_t count) {
    npy_intp dims[1] = {count};
    PyArray_Descr *descr = core->row[row];
    if (core_type(core, TYPE_WORLD) == NULL) { // rows are cleared after the types
        return NULL;
    }
    Py_INCREF(descr);
    // Zeroed, so that padding bytes are the same in equal tables.
    PyObject *array = PyArray_Zeros(1, dims, descr, 0);
    if (array != NULL && rows != NULL && count > 0) {
        memcpy(PyArray_DATA((PyArrayObject *)array), rows, (size_t)count * formats[row].size);
    }
    return array;
}

PyObject *core_rows_to_fill(const CoreState *core, CoreRow row, uint64_t limit) {
    PyArray_Descr *descr = core->row[row];
    if (core_type(core, TYPE_WORLD) == NULL) {
        return NULL;
    }
    if (limit > (uint64_t)(NPY_MAX_INTP / (npy_intp)formats[row].size)) {
        return PyErr_NoMemory();
    }
    npy_intp dims[1] = {(npy_intp)limit};
    Py_INCREF(descr);
    return PyArray_SimpleNewFromDescr(1, dims, descr);
}

bool core_rows_cut(PyObject *array, uint64_t count) {
    npy_intp length[1] = {(npy_intp)count};
    PyArray_Dims dims = {length, 1};
    if (length[0] == PyArray_DIM((PyArrayObject *)array, 0)) {
        return true;
    }
    PyObject *none = PyArray_Resize((PyArrayObject *)array, &dims, 0, NPY_CORDER);
    Py_XDECREF(none);
    return none != NULL;
}

// Traces of the separating axis test and of clipping: the numbers behind pyphys2d.traces.SatTrace
// and ClipTrace, as tuples of read-only arrays in the order of their fields.
//
// Everything is computed in a frame whose origin is the position of a, as in geometry_shapes.c, and
// moved to the world frame at the end.
#include "base/memory.h"
#include "narrow/manifold_trace.h"
#include "python/geometry_functions.h"
#include "python/ring_arguments.h"
#include "python/trace_helpers.h"

// From so many products of vertices on, the GIL is released.
#define LONG_WORK 100000

static const char *const couple_names[] = {"a", "b", "pose_a", "pose_b"};

// ------------------------------------------------------------------------------------------------
// sat

// The piece of a convex polygon begins at another vertex and has no vertex on a straight side; the
// user counts the edges of the shape. edges[i] is where side i of the piece begins in the shape.
// Returns the side that comes first there.
static int32_t number_edges(const PhShape *shape, int32_t *edges) {
    const PhPiece *piece = shape->pieces;
    int32_t first = 0, at = 0, tries = 0;
    for (int32_t i = 0; i < piece->count; ++i) {
        // Both run in the same sense: one walk finds all.
        for (tries = 0; tries < shape->vertex_count; ++tries) {
            PhVec2 v = shape->vertices[at];
            if (v.x == piece->vertices[i].x && v.y == piece->vertices[i].y) {
                break;
            }
            at = at + 1 < shape->vertex_count ? at + 1 : 0;
        }
        edges[i] = at;
        first = at < edges[first] ? i : first;
    }
    return first;
}

typedef struct SatArrays {
    PhVec2 *normals;
    int64_t *owners, *edges;
    PhInterval *a, *b;
    double *overlaps;
    npy_intp row;
} SatArrays;

static void write_axis(SatArrays *arrays, const PhSatAxis *axis, int32_t edge, PhVec2 origin) {
    npy_intp row = arrays->row++;
    double shift = ph_dot(axis->normal, origin);
    arrays->normals[row] = axis->normal;
    arrays->owners[row] = axis->owner;
    arrays->edges[row] = edge;
    arrays->a[row] = (PhInterval){axis->a.low + shift, axis->a.high + shift};
    arrays->b[row] = (PhInterval){axis->b.low + shift, axis->b.high + shift};
    arrays->overlaps[row] = axis->overlap;
}

// The axes of a shape's edges, in the order of the shape; *best is told its row.
static bool write_edges(SatArrays *arrays, const PhShape *shape, const PhSat *sat, int32_t start,
                        PhVec2 origin, npy_intp *best) {
    int32_t count = shape->pieces->count;
    int32_t *edges = ph_alloc((size_t)count, sizeof *edges);
    if (edges == NULL) {
        return false;
    }
    int32_t first = number_edges(shape, edges);
    for (int32_t k = 0; k < count; ++k) {
        int32_t i = k < count - first ? first + k : first + k - count;
        if (sat->best == start + i) {
            *best = arrays->row;
        }
        write_axis(arrays, &sat->axes[start + i], edges[i], origin);
    }
    ph_free(edges);
    return true;
}

static bool write_axes(SatArrays *arrays, const TraceCouple *couple, const PhSat *sat,
                       npy_intp *best) {
    int32_t edges_a = couple->a->count > 1 ? couple->a->count : 0;
    int32_t edges_b = couple->b->count > 1 ? couple->b->count : 0;
    *best = sat->best;
    if ((edges_a > 0 && !write_edges(arrays, couple->shape_a, sat, 0, couple->origin, best)) ||
        (edges_b > 0 &&
         !write_edges(arrays, couple->shape_b, sat, edges_a, couple->origin, best))) {
        return false;
    }
    if (sat->count > edges_a + edges_b) {
        write_axis(arrays, &sat->axes[edges_a + edges_b], -1, couple->origin);
    }
    return true;
}

static PyObject *make_sat(const TraceCouple *couple, const PhSat *sat) {
    npy_intp dims[2] = {sat->count, 2};
    SatArrays arrays = {.row = 0};
    npy_intp best = 0;
    PyObject *members[] = {
        core_frozen_numbers(couple->pose_a, 3),
        core_frozen_numbers(couple->pose_b, 3),
        core_frozen_array(NPY_DOUBLE, 2, dims, &arrays.normals),
        core_frozen_array(NPY_INT64, 1, dims, &arrays.owners),
        core_frozen_array(NPY_INT64, 1, dims, &arrays.edges),
        core_frozen_array(NPY_DOUBLE, 2, dims, &arrays.a),
        core_frozen_array(NPY_DOUBLE, 2, dims, &arrays.b),
        core_frozen_array(NPY_DOUBLE, 1, dims, &arrays.overlaps),
        NULL, // best
        PyBool_FromLong(sat->separated),
        sat->separated ? Py_NewRef(Py_None)
                       : core_frozen_numbers((const double[2]){sat->mtv.x, sat->mtv.y}, 2),
    };
    bool ok = true;
    for (int i = 2; i < 8; ++i) {
        ok = ok && members[i] != NULL;
    }
    if (ok) {
        members[8] =
            write_axes(&arrays, couple, sat, &best) ? PyLong_FromSsize_t(best) : PyErr_NoMemory();
    }
    return core_steal_tuple(members, 11);
}

const char core_geometry__sat_doc[] =
    "_sat($module, a, b, pose_a=(0, 0, 0), pose_b=(0, 0, 0))\n--\n\n"
    "The separating axis test, as the fields of SatTrace after shape_b, in their order.";

PyObject *core_geometry__sat(PyObject *module, PyObject *const *args, Py_ssize_t count,
                             PyObject *keywords) {
    static const CoreSignature signature = {"sat", couple_names, 4, 4, 2};
    PyObject *values[4];
    TraceCouple couple;
    if (!core_bind(&signature, args, count, keywords, values) ||
        !core_to_couple(module, values, &couple)) {
        return NULL;
    }
    PhSat sat;
    CoreLongWork work;
    const PhStop *stop =
        core_begin_work(&work, (double)couple.a->count * couple.b->count >= LONG_WORK);
    PhStatus status = ph_sat(couple.a, couple.ta, couple.b, couple.tb, stop, &sat);
    core_end_work(&work);
    if (status != PH_OK) {
        return work.stopped ? NULL : PyErr_NoMemory();
    }
    PyObject *result = make_sat(&couple, &sat);
    ph_free(sat.axes);
    return result;
}

// ------------------------------------------------------------------------------------------------
// clip

static PyObject *make_points(const PhVec2 *points, int32_t count, PhVec2 origin) {
    PhVec2 moved[2];
    for (int32_t i = 0; i < count; ++i) {
        moved[i] = ph_add(points[i], origin);
    }
    return core_frozen_points(moved, count);
}

// The planes through the ends of the reference side, normals outward.
static PyObject *make_planes(const PhClipRecorder *recorder, PhVec2 origin) {
    npy_intp dims[3] = {recorder->clipped ? 2 : 0, 2, 2};
    PhVec2 *data;
    PyObject *array = core_frozen_array(NPY_DOUBLE, 3, dims, &data);
    for (int i = 0; array != NULL && i < dims[0]; ++i) {
        data[2 * i] = ph_add(recorder->reference[i], origin);
        data[2 * i + 1] = ph_add(ph_scale(i == 0 ? -1 : 1, recorder->along), ph_vec(0, 0));
    }
    return array;
}

static PyObject *make_stages(const PhClipRecorder *recorder, PhVec2 origin) {
    PyObject *stages[4];
    Py_ssize_t count = recorder->clipped ? 4 : 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
        stages[i] = make_points(recorder->stage[i], recorder->stage_count[i], origin);
    }
    return core_steal_tuple(stages, count);
}

static PyObject *make_clip(const TraceCouple *couple, const PhClipRecorder *recorder,
                           const PhManifold *manifold) {
    static const char *const kinds[PH_CONTACT_KIND_COUNT] = {
        [PH_CONTACT_APART] = "apart",     [PH_CONTACT_FACES] = "faces",
        [PH_CONTACT_CORNERS] = "corners", [PH_CONTACT_VERTEX] = "vertex",
        [PH_CONTACT_CIRCLE] = "circle",
    };
    PhVec2 points[2];
    double depths[2];
    for (int32_t i = 0; i < manifold->count; ++i) {
        points[i] = manifold->points[i].point;
        depths[i] = 0 - manifold->points[i].separation;
    }
    PyObject *const members[] = {
        core_frozen_numbers(couple->pose_a, 3),
        core_frozen_numbers(couple->pose_b, 3),
        PyUnicode_FromString(kinds[recorder->kind]),
        core_frozen_numbers((const double[2]){recorder->normal.x, recorder->normal.y}, 2),
        make_points(recorder->reference, 2, couple->origin),
        make_points(recorder->incident, 2, couple->origin),
        PyBool_FromLong(recorder->flipped),
        make_planes(recorder, couple->origin),
        make_stages(recorder, couple->origin),
        make_points(points, manifold->count, couple->origin),
        core_frozen_numbers(depths, manifold->count),
    };
    return core_steal_tuple(members, 11);
}

const char core_geometry__clip_doc[] =
    "_clip($module, a, b, pose_a=(0, 0, 0), pose_b=(0, 0, 0))\n--\n\n"
    "How a manifold comes about, as the fields of ClipTrace after shape_b, in their order.";

PyObject *core_geometry__clip(PyObject *module, PyObject *const *args, Py_ssize_t count,
                              PyObject *keywords) {
    static const CoreSignature signature = {"clip", couple_names, 4, 4, 2};
    PyObject *values[4];
    TraceCouple couple;
    if (!core_bind(&signature, args, count, keywords, values) ||
        !core_to_couple(module, values, &couple)) {
        return NULL;
    }
    PhClipRecorder recorder;
    PhManifold manifold;
    ph_collide_recorded(couple.a, couple.ta, couple.b, couple.tb, 0, &ph_lengths_of_one, &recorder,
                        &manifold);
    return make_clip(&couple, &recorder, &manifold);
}

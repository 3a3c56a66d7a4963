// Traces of GJK and of the time of impact: the numbers behind pyphys2d.traces.GjkTrace and
// ToiTrace, as tuples of read-only arrays in the order of their fields.
//
// Everything is computed in a frame whose origin is where a is (or starts), as in
// geometry_shapes.c.
#include <math.h>

#include "base/memory.h"
#include "narrow/impact.h"
#include "narrow/shapes.h"
#include "python/geometry_functions.h"
#include "python/trace_helpers.h"

// ------------------------------------------------------------------------------------------------
// gjk

// A ring of a piece, turned and, with sign -1, negated: both are convex and counter-clockwise.
typedef struct Ring {
    const PhPiece *piece;
    PhTransform pose;
    double sign;
    int32_t first; // the lowest vertex, of equals the leftmost
} Ring;

static PhVec2 ring_vertex(const Ring *ring, int32_t i) {
    int32_t k = ring->first + i;
    k -= k >= ring->piece->count ? ring->piece->count : 0;
    return ph_scale(ring->sign, ph_apply(ring->pose, ring->piece->vertices[k]));
}

static Ring make_ring(const PhPiece *piece, PhTransform pose, double sign) {
    Ring ring = {piece, pose, sign, 0};
    PhVec2 lowest = ring_vertex(&ring, 0);
    int32_t first = 0;
    for (int32_t i = 1; i < piece->count; ++i) {
        PhVec2 v = ring_vertex(&ring, i);
        if (v.y < lowest.y || (v.y == lowest.y && v.x < lowest.x)) {
            lowest = v;
            first = i;
        }
    }
    ring.first = first;
    return ring;
}

// The hull of the sum of two convex rings: their edges in the order of their directions. Writes at
// most the sum of their counts; returns how many.
static npy_intp add_rings(const Ring *a, const Ring *b, PhVec2 *out) {
    int32_t edges_a = a->piece->count > 1 ? a->piece->count : 0;
    int32_t edges_b = b->piece->count > 1 ? b->piece->count : 0;
    int32_t i = 0, k = 0;
    npy_intp count = 0;
    do {
        PhVec2 p = ring_vertex(a, i), q = ring_vertex(b, k);
        out[count++] = ph_add(p, q);
        double turn = 0;
        if (i < edges_a && k < edges_b) {
            turn = ph_cross(ph_sub(ring_vertex(a, i + 1), p), ph_sub(ring_vertex(b, k + 1), q));
        } else {
            turn = i < edges_a ? 1 : -1;
        }
        i += !(turn < 0) && i < edges_a; // NaN, far outside, must not stop both
        k += !(turn > 0) && k < edges_b;
    } while (i < edges_a || k < edges_b);
    return count;
}

static PyObject *make_difference(const TraceCouple *couple) {
    size_t most = (size_t)couple->a->count + (size_t)couple->b->count;
    PhVec2 *points = ph_alloc(most, sizeof *points);
    if (points == NULL) {
        return PyErr_NoMemory();
    }
    Ring a = make_ring(couple->a, couple->ta, 1), b = make_ring(couple->b, couple->tb, -1);
    PyObject *result = core_frozen_points(points, add_rings(&a, &b, points));
    ph_free(points);
    return result;
}

static PyObject *make_simplices(const PhGjkRecorder *recorder) {
    PyObject *tuple = PyTuple_New(recorder->count);
    for (int32_t i = 0; tuple != NULL && i < recorder->count; ++i) {
        const PhGjkRound *round = &recorder->round[i];
        PyObject *simplex = core_frozen_points(round->simplex, round->count);
        if (simplex == NULL) {
            Py_CLEAR(tuple);
        } else {
            PyTuple_SET_ITEM(tuple, i, simplex);
        }
    }
    return tuple;
}

static PyObject *make_gjk(const TraceCouple *couple, const PhGjkRecorder *recorder,
                          const PhDistance *distance) {
    npy_intp dims[2] = {recorder->count, 2};
    PhVec2 *directions = NULL, *supports = NULL, *closest = NULL;
    double *distances = NULL;
    PhVec2 point_a = ph_add(distance->point_a, couple->origin);
    PhVec2 point_b = ph_add(distance->point_b, couple->origin);
    PyObject *members[] = {
        core_frozen_numbers(couple->pose_a, 3),
        core_frozen_numbers(couple->pose_b, 3),
        make_difference(couple),
        core_frozen_array(NPY_DOUBLE, 2, dims, &directions),
        core_frozen_array(NPY_DOUBLE, 2, dims, &supports),
        make_simplices(recorder),
        core_frozen_array(NPY_DOUBLE, 2, dims, &closest),
        core_frozen_array(NPY_DOUBLE, 1, dims, &distances),
        PyBool_FromLong(distance->distance == 0),
        PyFloat_FromDouble(distance->distance),
        core_frozen_numbers((const double[2]){point_a.x, point_a.y}, 2),
        core_frozen_numbers((const double[2]){point_b.x, point_b.y}, 2),
    };
    if (directions != NULL && supports != NULL && closest != NULL && distances != NULL) {
        for (int32_t i = 0; i < recorder->count; ++i) {
            directions[i] = recorder->round[i].direction;
            supports[i] = recorder->round[i].support;
            closest[i] = recorder->round[i].closest;
            distances[i] = recorder->round[i].distance;
        }
    }
    return core_steal_tuple(members, 12);
}

const char core_geometry__gjk_doc[] =
    "_gjk($module, a, b, pose_a=(0, 0, 0), pose_b=(0, 0, 0))\n--\n\n"
    "The search for the distance, as the fields of GjkTrace after shape_b, in their order.";

PyObject *core_geometry__gjk(PyObject *module, PyObject *const *args, Py_ssize_t count,
                             PyObject *keywords) {
    CORE_ARGUMENTS("gjk", 4, 2, "a", "b", "pose_a", "pose_b");
    TraceCouple couple;
    if (!core_bind(&signature, args, count, keywords, values) ||
        !core_to_couple(module, values, &couple)) {
        return NULL;
    }
    PhGjkRecorder *recorder = ph_alloc(1, sizeof *recorder);
    if (recorder == NULL) {
        return PyErr_NoMemory();
    }
    (void)ph_core_distance_recorded(couple.a, couple.ta, couple.b, couple.tb, recorder);
    PhDistance distance =
        ph_shapes_distance(couple.shape_a, couple.ta, couple.shape_b, couple.tb, NULL, NULL);
    PyObject *result = make_gjk(&couple, recorder, &distance);
    ph_free(recorder);
    return result;
}

// ------------------------------------------------------------------------------------------------
// toi

typedef struct Motion {
    const PhPiece *a, *b;
    PhVec2 from[2], to[2]; // of a and b, world
    double angle[2], turn[2];
    double target;
} Motion;

static bool to_motion(const CoreState *core, PyObject *const *values, Motion *motion) {
    static const char *const names[] = {"start_a", "end_a", "start_b", "end_b"};
    motion->a = core_to_piece(core, values[0], "a");
    motion->b = motion->a != NULL ? core_to_piece(core, values[1], "b") : NULL;
    if (motion->b == NULL) {
        return false;
    }
    for (int i = 0; i < 2; ++i) {
        double end;
        int k = 2 * i;
        if (!core_to_pose(values[2 + k], names[k], &motion->from[i], &motion->angle[i]) ||
            !core_to_pose(values[3 + k], names[k + 1], &motion->to[i], &end)) {
            return false;
        }
        motion->turn[i] = end - motion->angle[i];
    }
    motion->target = 0.005;
    if (values[6] != NULL && !core_to_double(values[6], "target", &motion->target)) {
        return false;
    }
    if (motion->target < 0) {
        PyErr_Format(PyExc_ValueError, "target: must be >= 0, got %R", values[6]);
        return false;
    }
    return true;
}

static PhSweep seen_from_a(const Motion *motion, int i) {
    return (PhSweep){.from = ph_sub(motion->from[i], motion->from[0]),
                     .to = ph_sub(motion->to[i], motion->from[0]),
                     .angle = motion->angle[i],
                     .turn = motion->turn[i]};
}

static void write_pose(const Motion *motion, int i, double fraction, double *pose) {
    PhVec2 position = ph_lerp(motion->from[i], motion->to[i], fraction);
    pose[0] = position.x;
    pose[1] = position.y;
    pose[2] = motion->angle[i] + fraction * motion->turn[i];
}

static PyObject *make_toi(const Motion *motion, const PhImpactRecorder *recorder,
                          const PhImpact *impact) {
    npy_intp n = recorder->count, pairs[2] = {n, 2}, triples[2] = {n, 3};
    double *fractions = NULL, *distances = NULL, *poses_a = NULL, *poses_b = NULL;
    PhVec2 *points_a = NULL, *points_b = NULL, *normals = NULL;
    PyObject *members[] = {
        core_frozen_array(NPY_DOUBLE, 1, pairs, &fractions),
        core_frozen_array(NPY_DOUBLE, 1, pairs, &distances),
        core_frozen_array(NPY_DOUBLE, 2, pairs, &points_a),
        core_frozen_array(NPY_DOUBLE, 2, pairs, &points_b),
        core_frozen_array(NPY_DOUBLE, 2, pairs, &normals),
        core_frozen_array(NPY_DOUBLE, 2, triples, &poses_a),
        core_frozen_array(NPY_DOUBLE, 2, triples, &poses_b),
        PyFloat_FromDouble(motion->target),
        PyBool_FromLong(impact->hit),
        PyFloat_FromDouble(impact->hit ? impact->fraction : NAN),
    };
    bool ok = fractions != NULL && distances != NULL && poses_a != NULL && poses_b != NULL &&
              points_a != NULL && points_b != NULL && normals != NULL;
    for (npy_intp i = 0; ok && i < n; ++i) {
        const PhImpactRound *round = &recorder->rounds[i];
        fractions[i] = round->fraction;
        distances[i] = round->distance.distance;
        points_a[i] = ph_add(round->distance.point_a, motion->from[0]);
        points_b[i] = ph_add(round->distance.point_b, motion->from[0]);
        normals[i] = ph_add(round->distance.normal, ph_vec(0, 0)); // no negative zeros
        write_pose(motion, 0, round->fraction, poses_a + 3 * i);
        write_pose(motion, 1, round->fraction, poses_b + 3 * i);
    }
    return core_steal_tuple(members, 10);
}

const char core_geometry__toi_doc[] =
    "_toi($module, a, b, start_a, end_a, start_b, end_b, target=0.005)\n--\n\n"
    "The search for the time of impact, as the fields of ToiTrace after shape_b, in their order.";

PyObject *core_geometry__toi(PyObject *module, PyObject *const *args, Py_ssize_t count,
                             PyObject *keywords) {
    CORE_ARGUMENTS("toi", 7, 6, "a", "b", "start_a", "end_a", "start_b", "end_b", "target");
    Motion motion;
    if (!core_bind(&signature, args, count, keywords, values) ||
        !to_motion(PyModule_GetState(module), values, &motion)) {
        return NULL;
    }
    PhSweep a = seen_from_a(&motion, 0), b = seen_from_a(&motion, 1);
    PhImpactRecorder recorder = {.rounds = NULL};
    PhImpact impact;
    Py_BEGIN_ALLOW_THREADS impact =
        ph_pieces_impact(motion.a, &a, motion.b, &b, motion.target, 1, PH_IMPACT_ROUNDS, &recorder);
    Py_END_ALLOW_THREADS PyObject *result =
        recorder.status == PH_OK ? make_toi(&motion, &recorder, &impact) : PyErr_NoMemory();
    ph_free(recorder.rounds);
    return result;
}

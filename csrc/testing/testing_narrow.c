// The narrow phase in lanes on arrays of pairs, beside the double-precision functions.
#include "testing/testing.h"

#include <string.h>

#include "base/memory.h"
#include "geometry/shape.h"
#include "math/trig.h"
#include "narrow/collide.h"
#include "solve/solver.h"

enum { MAX_VERTICES = 16 };

// One side of all pairs: arrays of rings (n, MAX_VERTICES, 2), counts (n,), radii (n,), poses (n,
// 3) and velocities (n, 3). A radius below 0 makes a chain, whose second piece is meant.
typedef struct Bodies {
    PyArrayObject *ring, *count, *radius, *pose, *velocity;
} Bodies;

static bool take_bodies(PyObject *const *args, Bodies *bodies) {
    bodies->ring = testing_numbers(args[0], 3, 2);
    bodies->count = bodies->ring != NULL ? testing_numbers(args[1], 1, 0) : NULL;
    bodies->radius = bodies->count != NULL ? testing_numbers(args[2], 1, 0) : NULL;
    bodies->pose = bodies->radius != NULL ? testing_numbers(args[3], 2, 3) : NULL;
    bodies->velocity = bodies->pose != NULL ? testing_numbers(args[4], 2, 3) : NULL;
    if (bodies->velocity == NULL) {
        return false;
    }
    npy_intp n = PyArray_DIM(bodies->ring, 0);
    if (PyArray_DIM(bodies->ring, 1) != MAX_VERTICES || PyArray_DIM(bodies->count, 0) != n ||
        PyArray_DIM(bodies->radius, 0) != n || PyArray_DIM(bodies->pose, 0) != n ||
        PyArray_DIM(bodies->velocity, 0) != n) {
        PyErr_SetString(PyExc_ValueError, "rings (n, 16, 2) and n of everything else");
        return false;
    }
    return true;
}

static void drop_bodies(Bodies *bodies) {
    Py_XDECREF(bodies->ring);
    Py_XDECREF(bodies->count);
    Py_XDECREF(bodies->radius);
    Py_XDECREF(bodies->pose);
    Py_XDECREF(bodies->velocity);
}

static PhShape *make_shape(const Bodies *bodies, npy_intp i, PhError *error) {
    const PhVec2 *ring = (const PhVec2 *)PyArray_DATA(bodies->ring) + i * MAX_VERTICES;
    double radius = ((const double *)PyArray_DATA(bodies->radius))[i];
    int32_t count = (int32_t)((const double *)PyArray_DATA(bodies->count))[i];
    if (radius < 0) {
        return ph_shape_chain(ring,
                              count < 4              ? 4
                              : count > MAX_VERTICES ? MAX_VERTICES
                                                     : count,
                              false, error);
    }
    if (count == 1) {
        return ph_shape_circle(radius, ring[0], error);
    }
    if (count == 2) {
        return radius > 0 ? ph_shape_capsule(ring[0], ring[1], radius, error)
                          : ph_shape_segment(ring[0], ring[1], error);
    }
    return ph_shape_polygon(ring,
                            count < 3              ? 3
                            : count > MAX_VERTICES ? MAX_VERTICES
                                                   : count,
                            NULL, NULL, 0, radius, false, error);
}

static const PhPiece *piece_of(const PhShape *shape) {
    return &shape->pieces[shape->kind == PH_SHAPE_CHAIN];
}

typedef struct Table { // proxies 2 i and 2 i + 1 are the members of pair i
    PhShape **shape;
    PhTransform *transform;
    PhLanePlace *place;
    PhLanePiece *piece;
    PhLaneRing *ring;
    PhMaterial *material;
    uint8_t *kind, *answer;
    uint32_t *owner, *other, *list, *near, *doubtful;
    PhSolverManifold *manifold;
    float *approach;
} Table;

static bool make_table(Table *t, npy_intp pairs) {
    size_t n = (size_t)pairs;
    t->shape = ph_alloc(2 * n, sizeof *t->shape);
    t->transform = ph_alloc(2 * n, sizeof *t->transform);
    t->place = ph_alloc(2 * n, sizeof *t->place);
    t->piece = ph_alloc(2 * n, sizeof *t->piece);
    t->ring = ph_alloc(2 * n, sizeof *t->ring);
    t->material = ph_alloc(2 * n, sizeof *t->material);
    t->kind = ph_alloc(2 * n, 1);
    t->answer = ph_alloc(n, 1);
    t->owner = ph_alloc(n, sizeof *t->owner);
    t->other = ph_alloc(n, sizeof *t->other);
    t->list = ph_alloc(n + 8, sizeof *t->list);
    t->near = ph_alloc(n + 8, sizeof *t->near);
    t->doubtful = ph_alloc(n, sizeof *t->doubtful);
    t->manifold = ph_alloc(n, sizeof *t->manifold);
    t->approach = ph_alloc(n, sizeof *t->approach);
    return t->shape && t->transform && t->place && t->piece && t->ring && t->material && t->kind &&
           t->answer && t->owner && t->other && t->list && t->near && t->doubtful && t->manifold &&
           t->approach;
}

static void drop_table(Table *t, npy_intp pairs) {
    for (npy_intp i = 0; t->shape != NULL && i < 2 * pairs; ++i) {
        ph_shape_release(t->shape[i]);
    }
    void *const wide_contacts[] = {
        t->shape, t->transform, t->place, t->piece, t->ring,     t->material, t->kind,    t->answer,
        t->owner, t->other,     t->list,  t->near,  t->doubtful, t->manifold, t->approach};
    for (size_t i = 0; i < sizeof wide_contacts / sizeof wide_contacts[0]; ++i) {
        ph_free(wide_contacts[i]);
    }
}

static bool fill_side(Table *t, const Bodies *bodies, npy_intp i, int side) {
    PhError error;
    npy_intp p = 2 * i + side;
    const double *pose = (const double *)PyArray_DATA(bodies->pose) + 3 * i;
    const double *velocity = (const double *)PyArray_DATA(bodies->velocity) + 3 * i;
    t->shape[p] = make_shape(bodies, i, &error);
    if (t->shape[p] == NULL) {
        testing_raise(&error);
        return false;
    }
    const PhPiece *piece = piece_of(t->shape[p]);
    t->transform[p] = (PhTransform){{pose[0], pose[1]}, ph_rot(pose[2])};
    t->kind[p] = (uint8_t)ph_lane_piece_init(piece, &ph_lengths_of_one, &t->place[p], &t->piece[p]);
    ph_lane_piece_move(&t->piece[p], &t->place[p], t->transform[p], t->transform[p].p,
                       (PhVec2){velocity[0], velocity[1]}, velocity[2]);
    if (t->kind[p] == PH_LANE_RING_4 || t->kind[p] == PH_LANE_RING_8) {
        ph_lane_ring_init(piece, &t->place[p], &t->ring[p]);
    }
    t->material[p] = (PhMaterial){(float)(0.25 * side), 0.5f, 0, 1};
    return true;
}

// A pair with a long member; doubtful where no window shows enough of it.
static void run_window(Table *t, uint32_t i, const PhManifoldKernels *kernels, PhLanePairs *lanes) {
    PhLaneKind a = t->kind[2 * i], b = t->kind[2 * i + 1];
    bool b_is_long = ph_lane_in_window(b) != PH_LANE_NONE;
    PhManifoldKernel *kernel = b_is_long ? kernels->manifold[a][ph_lane_in_window(b)]
                                         : kernels->manifold[ph_lane_in_window(a)][b];
    uint32_t far = 2 * i + b_is_long, near = 2 * i + !b_is_long;
    PhLanePiece window;
    if (kernels->manifold[a][b] || !kernel) {
        return;
    }
    t->answer[i] = PH_ANSWER_DOUBTFUL;
    if (ph_lane_piece_window(piece_of(t->shape[far]), &t->place[far], t->transform[far],
                             t->transform[far].p, &t->piece[far], &t->piece[near],
                             &ph_lengths_of_one, &window)) {
        t->answer[i] = PH_ANSWER_NEAR;
        lanes->window = &window;
        lanes->window_is_b = b_is_long;
        lanes->doubtful = t->doubtful;
        lanes->doubtful_count = 0;
        kernel(lanes, &i, 1);
        lanes->window = NULL;
    }
}

static void run_lanes(Table *t, npy_intp pairs, const PhManifoldKernels *kernels, double dt,
                      bool cull, bool later) {
    PhLanePairs lanes = {
        .piece = t->piece,
        .material = t->material,
        .ring = t->ring,
        .owner = t->owner,
        .other = t->other,
        .manifold = t->manifold,
        .answer = t->answer,
        .approach = t->approach,
        .lengths = &ph_lengths_of_one.lane,
        .dt = (float)dt,
        .fall = ph_lengths_of_one.lane.least_fall[0],
        .friction_rule = PH_MIX_AVERAGE,
        .restitution_rule = PH_MIX_MAX,
    };
    for (int a = 0; a < PH_LANE_KINDS; a++) {
        for (int b = 0; b < PH_LANE_KINDS; b++) {
            uint32_t count = 0;
            for (uint32_t i = 0; i < (uint32_t)pairs; ++i) {
                if (t->kind[2 * i] == a && t->kind[2 * i + 1] == b) {
                    t->list[count++] = i;
                    t->answer[i] = kernels->manifold[a][b] ? PH_ANSWER_NEAR : PH_ANSWER_APART;
                }
            }
            if (count && kernels->manifold[a][b] != NULL) {
                lanes.doubtful = t->doubtful;
                lanes.doubtful_count = 0;
                count = cull ? kernels->cull(&lanes, t->list, count, t->near) : count;
                PhManifoldKernel *grazing = later ? kernels->grazing[a][b] : NULL;
                lanes.grazing = grazing ? cull ? t->list : t->near : NULL;
                lanes.grazing_count = 0;
                kernels->manifold[a][b](&lanes, cull ? t->near : t->list, count);
                if (lanes.grazing_count > 0) {
                    grazing(&lanes, lanes.grazing, lanes.grazing_count);
                }
            }
        }
    }
    lanes.grazing = NULL;
    for (uint32_t i = 0; i < (uint32_t)pairs; ++i) {
        run_window(t, i, kernels, &lanes);
    }
}

// ph_collide with the margin of a step: count, normal, then x, y, separation of both points.
static void put_reference(const Table *t, const Bodies *a, const Bodies *b, npy_intp i, double dt,
                          double *row) {
    const PhPiece *pa = piece_of(t->shape[2 * i]), *pb = piece_of(t->shape[2 * i + 1]);
    const double *va = (const double *)PyArray_DATA(a->velocity) + 3 * i;
    const double *vb = (const double *)PyArray_DATA(b->velocity) + 3 * i;
    double wa = pa->width > 0 ? pa->width : INFINITY, wb = pb->width > 0 ? pb->width : INFINITY;
    double displacement = ph_length(ph_vec(vb[0] - va[0], vb[1] - va[1])) * dt;
    displacement = ph_min(displacement, PH_AHEAD_WIDTHS * wa);
    displacement = ph_min(displacement, PH_AHEAD_WIDTHS * wb) + ph_lengths_of_one.least_fall;
    PhTransform ta = t->transform[2 * i], tb = t->transform[2 * i + 1];
    tb.p = ph_sub(tb.p, ta.p);
    ta.p = ph_vec(0, 0);
    PhManifold m;
    ph_collide(pa, ta, pb, tb, ph_max(displacement, ph_lengths_of_one.speculative),
               &ph_lengths_of_one, &m);
    row[0] = m.count;
    row[1] = m.count ? m.normal.x : 0;
    row[2] = m.count ? m.normal.y : 0;
    for (int j = 0; j < 2; j++) {
        row[3 + 3 * j] = j < m.count ? m.points[j].point.x : 0;
        row[4 + 3 * j] = j < m.count ? m.points[j].point.y : 0;
        row[5 + 3 * j] = j < m.count ? m.points[j].separation : 0;
    }
}

const char testing_lane_manifolds_doc[] =
    "lane_manifolds($module, simd, cull, dt, rings_a, counts_a, radii_a, poses_a, velocities_a,\n"
    "               rings_b, counts_b, radii_b, poses_b, velocities_b, /)\n--\n\n"
    "Manifolds of n pairs by the lane kernels and in double precision.\n\n"
    "Returns\n-------\n"
    "tuple\n    kinds (n, 2) uint8 (0: no kernel), answers (n,) uint8 (0 apart, 1 near, 2\n"
    "    doubtful), records (n, 16) float32, references (n, 9) float64 (count, normal, then x, y\n"
    "    and separation of two points, from the origin of a), approaches (n,) float32 (0: slow).";

static PyObject *run_pairs(PyObject *const *args, Py_ssize_t count, bool later) {
    if (count != 13) {
        PyErr_SetString(PyExc_TypeError, "lane_manifolds and lane_grazing take 13 arguments");
        return NULL;
    }
    const char *name = PyUnicode_AsUTF8(args[0]);
    int cull = name != NULL ? PyObject_IsTrue(args[1]) : -1;
    double dt = cull >= 0 ? PyFloat_AsDouble(args[2]) : -1;
    const PhKernels *kernels = name != NULL ? ph_simd_find(name) : NULL;
    if (PyErr_Occurred() || kernels == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_ValueError, "simd: not on this machine");
        }
        return NULL;
    }
    Bodies a = {0}, b = {0};
    Table table = {0};
    PyObject *result = NULL, *arrays[5] = {0};
    npy_intp n = 0;
    if (!take_bodies(args + 3, &a) || !take_bodies(args + 8, &b)) {
        goto done;
    }
    n = PyArray_DIM(a.ring, 0);
    if (PyArray_DIM(b.ring, 0) != n) {
        PyErr_SetString(PyExc_ValueError, "as many b as a");
        n = 0;
        goto done;
    }
    if (!make_table(&table, n)) {
        PyErr_NoMemory();
        goto done;
    }
    for (npy_intp i = 0; i < n; ++i) {
        if (!fill_side(&table, &a, i, 0) || !fill_side(&table, &b, i, 1)) {
            goto done;
        }
        table.owner[i] = (uint32_t)(2 * i);
        table.other[i] = (uint32_t)(2 * i + 1);
    }
    run_lanes(&table, n, ph_simd_manifolds(kernels), dt, cull, later);
    npy_intp kinds[2] = {n, 2}, records[2] = {n, 16}, references[2] = {n, 9};
    arrays[0] = PyArray_SimpleNew(2, kinds, NPY_UINT8);
    arrays[1] = PyArray_SimpleNew(1, kinds, NPY_UINT8);
    arrays[2] = PyArray_SimpleNew(2, records, NPY_FLOAT32);
    arrays[3] = PyArray_SimpleNew(2, references, NPY_DOUBLE);
    arrays[4] = PyArray_SimpleNew(1, kinds, NPY_FLOAT32);
    if (arrays[0] && arrays[1] && arrays[2] && arrays[3] && arrays[4]) {
        memcpy(PyArray_DATA((PyArrayObject *)arrays[4]), table.approach,
               (size_t)n * sizeof *table.approach);
        memcpy(PyArray_DATA((PyArrayObject *)arrays[0]), table.kind, 2 * (size_t)n);
        memcpy(PyArray_DATA((PyArrayObject *)arrays[1]), table.answer, (size_t)n);
        memcpy(PyArray_DATA((PyArrayObject *)arrays[2]), table.manifold,
               (size_t)n * sizeof *table.manifold);
        double *rows = PyArray_DATA((PyArrayObject *)arrays[3]);
        for (npy_intp i = 0; i < n; ++i) {
            put_reference(&table, &a, &b, i, dt, rows + 9 * i);
        }
        result = Py_BuildValue("OOOOO", arrays[0], arrays[1], arrays[2], arrays[3], arrays[4]);
    }
done:
    for (int i = 0; i < 5; i++) {
        Py_XDECREF(arrays[i]);
    }
    drop_table(&table, n);
    drop_bodies(&a);
    drop_bodies(&b);
    return result;
}

PyObject *testing_lane_manifolds(PyObject *Py_UNUSED(module), PyObject *const *args,
                                 Py_ssize_t count) {
    return run_pairs(args, count, false);
}

const char testing_lane_grazing_doc[] =
    "lane_grazing($module, simd, cull, dt, rings_a, counts_a, radii_a, poses_a, velocities_a,\n"
    "             rings_b, counts_b, radii_b, poses_b, velocities_b, /)\n--\n\n"
    "lane_manifolds, after which the kernels for corners that may graze have looked at these.";

PyObject *testing_lane_grazing(PyObject *Py_UNUSED(module), PyObject *const *args,
                               Py_ssize_t count) {
    return run_pairs(args, count, true);
}

// Functions of two shapes at poses, for single pairs or many at once. One function computes a row.
// A single call makes an object of its row, so both give the same bits.
//
// Everything is computed in a frame whose origin is the position of a, so that no digits are lost
// far from the origin.
#include <math.h>

#include "narrow/impact.h"
#include "narrow/shapes.h"
#include "python/geometry_functions.h"
#include "python/geometry_pairs.h"

#define TWO_DOC                                                                                    \
    "a, b : Shape or sequence of Shape\n"                                                          \
    "pose_a, pose_b : array_like, shape (3,) or (..., 3)\n"                                        \
    "    x, y (metres) and angle (radians).\n"
#define MANY_DOC                                                                                   \
    "    With a sequence of shapes or an array of poses anywhere: a row for each pair; leading\n"  \
    "    axes broadcast, and the GIL is released.\n"
#define OUT_DOC                                                                                    \
    "out : ndarray, optional\n    Array for the rows, of the result's shape and dtype.\n"
#define BAD_DOC                                                                                    \
    "\nRaises\n------\n"                                                                           \
    "ValueError\n    For a wrong shape of a pose, NaN, infinity or axes that do not broadcast.\n"  \
    "TypeError\n    For what is no Shape.\n"

static PhTransform pose_of_a(const Pair *pair) {
    return (PhTransform){{0, 0}, pair->rotation[0]};
}

static PhTransform pose_of_b(const Pair *pair) {
    return (PhTransform){ph_sub(pair->position[1], pair->position[0]), pair->rotation[1]};
}

// ------------------------------------------------------------------------------------------------
// distance

static void compute_distance(const Pair *pair, const void *Py_UNUSED(context), void *out) {
    PhDistance *row = out;
    *row = ph_shapes_distance(pair->a, pose_of_a(pair), pair->b, pose_of_b(pair), pair->stop, NULL);
    row->point_a = ph_add(row->point_a, pair->position[0]);
    row->point_b = ph_add(row->point_b, pair->position[0]);
}

static PyObject *make_distance(const CoreState *core, const void *data) {
    const PhDistance *row = data;
    PyObject *const fields[] = {PyFloat_FromDouble(row->distance), core_from_vec2(row->point_a),
                                core_from_vec2(row->point_b), core_from_vec2(row->normal)};
    return core_record(core, TYPE_DISTANCE, fields);
}

const char core_geometry_distance_doc[] =
    "distance($module, a, b, pose_a=(0, 0, 0), pose_b=(0, 0, 0), *, out=None)\n--\n\n"
    "Distance of two shapes and their closest points.\n\n"
    "Chains count as plain lines.\n\n"
    "Parameters\n----------\n" TWO_DOC OUT_DOC "\n"
    "Returns\n-------\n"
    "Distance or structured ndarray, shape (...)\n"
    "    distance, point_a, point_b, normal.\n" MANY_DOC BAD_DOC "\n"
    "Examples\n--------\n"
    ">>> distance(Circle(1), Circle(1), pose_b=[(3, 0, 0), (0, 5, 0)])[\"distance\"]\n"
    "array([1., 3.])";
PyObject *core_geometry_distance(PyObject *module, PyObject *const *args, Py_ssize_t count,
                                 PyObject *keywords) {
    static const char *const names[] = {"a", "b", "pose_a", "pose_b", "out"};
    static const PairFunction function = {
        {"distance", names, 5, 4, 2}, 2, false, ROW_DISTANCE, compute_distance, make_distance};
    PyObject *values[5];
    if (!core_bind(&function.signature, args, count, keywords, values)) {
        return NULL;
    }
    return core_pairs(&function, module, values, values[4], NULL);
}

// ------------------------------------------------------------------------------------------------
// mtv

static void compute_mtv(const Pair *pair, const void *Py_UNUSED(context), void *out) {
    PhVec2 *row = out;
    if (!ph_shapes_mtv(pair->a, pose_of_a(pair), pair->b, pose_of_b(pair), pair->stop, row)) {
        *row = ph_vec(NAN, NAN);
    }
}

static PyObject *make_mtv(const CoreState *Py_UNUSED(core), const void *data) {
    const PhVec2 *row = data;
    return isnan(row->x) ? Py_NewRef(Py_None) : core_from_vec2(*row);
}

const char core_geometry_mtv_doc[] =
    "mtv($module, a, b, pose_a=(0, 0, 0), pose_b=(0, 0, 0), *, out=None)\n--\n\n"
    "Minimum translation vector: the shortest push of b that takes it out of a.\n\n"
    "For concave shapes, of the pair of convex pieces that overlap most.\n\n"
    "Parameters\n----------\n" TWO_DOC
    "out : ndarray, shape (..., 2), optional\n    Where rows go.\n\n"
    "Returns\n-------\n"
    "ndarray, shape (2,), or None; or ndarray, shape (..., 2)\n"
    "    Metres; None, or a row of NaN, when they are apart or only touch.\n" MANY_DOC BAD_DOC "\n"
    "Examples\n--------\n"
    ">>> mtv(Box(2, 2), Box(2, 2), pose_b=(1.5, 0.25, 0))\n"
    "array([0.5, 0. ])";
PyObject *core_geometry_mtv(PyObject *module, PyObject *const *args, Py_ssize_t count,
                            PyObject *keywords) {
    static const char *const names[] = {"a", "b", "pose_a", "pose_b", "out"};
    static const PairFunction function = {
        {"mtv", names, 5, 4, 2}, 2, false, ROW_COUNT, compute_mtv, make_mtv};
    PyObject *values[5];
    if (!core_bind(&function.signature, args, count, keywords, values)) {
        return NULL;
    }
    return core_pairs(&function, module, values, values[4], NULL);
}

// ------------------------------------------------------------------------------------------------
// collide

typedef struct ManifoldRow {
    PhVec2 normal, points[2];
    double separations[2];
    uint32_t features[2];
    int32_t count, padding; // zero, because all bytes can be seen
} ManifoldRow;

static void compute_manifold(const Pair *pair, const void *context, void *out) {
    ManifoldRow *row = out;
    PhManifold manifold;
    ph_shapes_collide(pair->a, pose_of_a(pair), pair->b, pose_of_b(pair), *(const double *)context,
                      pair->stop, &manifold);
    row->count = manifold.count;
    row->padding = 0;
    row->normal = manifold.count > 0 ? manifold.normal : ph_vec(NAN, NAN);
    for (int i = 0; i < 2; ++i) {
        bool given = i < manifold.count;
        const PhManifoldPoint *point = &manifold.points[i];
        row->points[i] = given ? ph_add(point->point, pair->position[0]) : ph_vec(NAN, NAN);
        row->separations[i] = given ? point->separation : NAN;
        row->features[i] = given ? point->feature : 0;
    }
}

static PyObject *make_manifold(const CoreState *core, const void *data) {
    const ManifoldRow *row = data;
    npy_intp dims[1] = {row->count};
    PyObject *separations = PyArray_SimpleNew(1, dims, NPY_DOUBLE);
    PyObject *features = PyArray_SimpleNew(1, dims, NPY_UINT32);
    for (int32_t i = 0; i < row->count && separations != NULL && features != NULL; ++i) {
        ((double *)PyArray_DATA((PyArrayObject *)separations))[i] = row->separations[i];
        ((uint32_t *)PyArray_DATA((PyArrayObject *)features))[i] = row->features[i];
    }
    PyObject *const values[] = {core_from_vec2(row->normal),
                                core_from_points(row->points, row->count), separations, features};
    return core_record(core, TYPE_MANIFOLD, values);
}

// A length in metres that may be left out.
static bool to_length(PyObject *object, const char *name, double *out) {
    if (object == NULL) {
        return true;
    }
    if (!core_to_double(object, name, out)) {
        return false;
    }
    if (*out < 0) {
        PyErr_Format(PyExc_ValueError, "%s: must be >= 0, got %R", name, object);
        return false;
    }
    return true;
}

const char core_geometry_collide_doc[] =
    "collide($module, a, b, pose_a=(0, 0, 0), pose_b=(0, 0, 0), margin=0.0, *, out=None)\n--\n\n"
    "Contact points of two shapes.\n\n"
    "For concave shapes, of the pair of convex pieces that overlap most. Chains are one-sided.\n\n"
    "Parameters\n----------\n" TWO_DOC
    "margin : float\n    Points with a separation up to this are reported, metres, >= 0.\n" OUT_DOC
    "\n"
    "Returns\n-------\n"
    "Manifold or structured ndarray, shape (...)\n"
    "    normal (from a to b), points (midway between the surfaces), separations, features. A\n"
    "    Manifold is false when there is no point. Rows have two points, those beyond their\n"
    "    count being NaN.\n" MANY_DOC BAD_DOC "\n"
    "Examples\n--------\n"
    ">>> collide(Box(2, 2), Box(2, 2), pose_b=(1.5, 0, 0)).separations\n"
    "array([-0.5, -0.5])";
PyObject *core_geometry_collide(PyObject *module, PyObject *const *args, Py_ssize_t count,
                                PyObject *keywords) {
    static const char *const names[] = {"a", "b", "pose_a", "pose_b", "margin", "out"};
    static const PairFunction function = {
        {"collide", names, 6, 5, 2}, 2, false, ROW_MANIFOLD, compute_manifold, make_manifold};
    PyObject *values[6];
    double margin = 0;
    if (!core_bind(&function.signature, args, count, keywords, values) ||
        !to_length(values[4], "margin", &margin)) {
        return NULL;
    }
    return core_pairs(&function, module, values, values[5], &margin);
}

// ------------------------------------------------------------------------------------------------
// moving shapes

typedef struct ImpactRow {
    npy_bool hit, padding[7]; // zero, because all bytes can be seen
    double fraction;
    PhVec2 point, normal;
} ImpactRow;

static void set_impact(ImpactRow *row, const PhImpact *impact, PhVec2 origin) {
    *row =
        (ImpactRow){.hit = impact->hit, .fraction = NAN, .point = {NAN, NAN}, .normal = {NAN, NAN}};
    if (impact->hit) {
        row->fraction = impact->fraction;
        row->point = ph_add(impact->point, origin);
        row->normal = ph_add(impact->normal, ph_vec(0, 0)); // no negative zeros
    }
}

static PyObject *make_impact(const CoreState *core, const void *data) {
    const ImpactRow *row = data;
    PyObject *const fields[] = {PyBool_FromLong(row->hit), PyFloat_FromDouble(row->fraction),
                                core_from_vec2(row->point), core_from_vec2(row->normal)};
    return core_record(core, TYPE_IMPACT, fields);
}

// The motion from pose i to pose k, in a frame at the start of a.
static PhSweep sweep_of(const Pair *pair, int i, int k) {
    return (PhSweep){.from = ph_sub(pair->position[i], pair->position[0]),
                     .to = ph_sub(pair->position[k], pair->position[0]),
                     .angle = pair->angle[i],
                     .turn = pair->angle[k] - pair->angle[i]};
}

static void compute_impact(const Pair *pair, const void *context, void *out) {
    PhSweep a = sweep_of(pair, 0, 1), b = sweep_of(pair, 2, 3);
    PhImpact impact =
        ph_shapes_impact(pair->a, &a, pair->b, &b, *(const double *)context, pair->stop);
    set_impact(out, &impact, pair->position[0]);
}

static void compute_cast(const Pair *pair, const void *Py_UNUSED(context), void *out) {
    PhSweep a = sweep_of(pair, 0, 0), b = sweep_of(pair, 1, 1);
    b.to = ph_add(b.from, pair->position[2]);
    PhImpact impact = ph_shapes_impact(pair->a, &a, pair->b, &b, 0, pair->stop);
    set_impact(out, &impact, pair->position[0]);
}

const char core_geometry_time_of_impact_doc[] =
    "time_of_impact($module, a, b, start_a, end_a, start_b, end_b, target=0.005, *, out=None)"
    "\n--\n\n"
    "When two moving shapes come as close as a target distance.\n\n"
    "Positions and angles blend evenly from start to end; a shape turns about the origin of its\n"
    "frame, and an angle of 20 pi more is ten turns. Chains count as plain lines. Shapes that are\n"
    "as close as that at the start hit at fraction 0. No moment before the fraction is missed.\n\n"
    "Parameters\n----------\n"
    "a, b : Shape or sequence of Shape\n"
    "start_a, end_a, start_b, end_b : array_like, shape (3,) or (..., 3)\n"
    "    x, y (metres) and angle (radians).\n"
    "target : float\n    Metres, >= 0; met to 1e-9 of it.\n" OUT_DOC "\n"
    "Returns\n-------\n"
    "Impact or structured ndarray, shape (...)\n"
    "    hit, fraction, point (midway between the closest points then) and normal (from a to b).\n"
    "    Without a hit all but hit are NaN, and an Impact is false.\n" MANY_DOC BAD_DOC "\n"
    "Examples\n--------\n"
    ">>> ball, wall = Circle(0.5), Box(1, 10)\n"
    ">>> still = (0, 0, 0)\n"
    ">>> time_of_impact(wall, ball, still, still, (-9, 0, 0), (9, 0, 0), target=0).fraction\n"
    "0.4444444444444444";
PyObject *core_geometry_time_of_impact(PyObject *module, PyObject *const *args, Py_ssize_t count,
                                       PyObject *keywords) {
    static const char *const names[] = {"a",       "b",     "start_a", "end_a",
                                        "start_b", "end_b", "target",  "out"};
    static const PairFunction function = {
        {"time_of_impact", names, 8, 7, 6}, 4, false, ROW_IMPACT, compute_impact, make_impact};
    PyObject *values[8];
    double target = 0.005;
    if (!core_bind(&function.signature, args, count, keywords, values) ||
        !to_length(values[6], "target", &target)) {
        return NULL;
    }
    return core_pairs(&function, module, values, values[7], &target);
}

const char core_geometry_cast_shape_doc[] =
    "cast_shape($module, a, b, pose_a=(0, 0, 0), pose_b=(0, 0, 0), translation_b=None, *,\n"
    "           out=None)\n--\n\n"
    "Where a shape b that is moved along a straight line first touches a.\n\n"
    "Chains count as plain lines. Shapes that touch at the start hit at fraction 0.\n\n"
    "Parameters\n----------\n" TWO_DOC "translation_b : array_like, shape (2,) or (..., 2)\n"
    "    By how much b moves, metres. It does not turn. Must be given; by name, where poses are\n"
    "    left out.\n" OUT_DOC "\n"
    "Returns\n-------\n"
    "Impact or structured ndarray, shape (...)\n"
    "    hit, fraction, point (where they touch) and normal (from a to b). Without a hit all but\n"
    "    hit are NaN, and an Impact is false.\n" MANY_DOC BAD_DOC "\n"
    "Examples\n--------\n"
    ">>> cast_shape(Box(2, 2), Circle(1), (0, 0, 0), (-6, 0, 0), (8, 0)).fraction\n"
    "0.5";
PyObject *core_geometry_cast_shape(PyObject *module, PyObject *const *args, Py_ssize_t count,
                                   PyObject *keywords) {
    static const char *const names[] = {"a", "b", "pose_a", "pose_b", "translation_b", "out"};
    static const PairFunction function = {
        {"cast_shape", names, 6, 5, 2}, 3, true, ROW_IMPACT, compute_cast, make_impact};
    PyObject *values[6];
    if (!core_bind(&function.signature, args, count, keywords, values)) {
        return NULL;
    }
    if (values[4] == NULL || values[4] == Py_None) {
        PyErr_SetString(PyExc_TypeError, "cast_shape() missing required argument 'translation_b'");
        return NULL;
    }
    return core_pairs(&function, module, values, values[5], NULL);
}

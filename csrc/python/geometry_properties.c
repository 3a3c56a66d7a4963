// Measures, properties and motions of rings, for pyphys2d.geometry: for each an element function,
// its arguments and its docstring.
#include <math.h>

#include "geometry/predicates.h"
#include "geometry/ring_properties.h"
#include "math/trig.h"
#include "python/elementwise.h"
#include "python/geometry_functions.h"

#define RING_DOC                                                                                   \
    "Parameters\n----------\n"                                                                     \
    "vertices : array_like, shape (..., n, 2)\n    Either winding, n >= 3.\n"
#define POINTS_DOC                                                                                 \
    "Parameters\n----------\n"                                                                     \
    "vertices : array_like, shape (..., n, 2)\n    Metres; any number of points.\n"

// ------------------------------------------------------------------------------------------------
// measures

const char core_geometry_area_doc[] =
    "area($module, vertices, *, out=None)\n--\n\n"
    "Area of a simple polygon, >= 0.\n\n" RING_DOC CORE_OUT_DOC "\n"
    "Returns\n-------\n"
    "float or ndarray, shape (...)\n\n" CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> area([(3, 1), (3, 3), (2, 4), (1, 3), (1, 1)])\n"
    "5.0";

static void area_of(const double *const *in, int32_t n, void *out) {
    *(double *)out = fabs(ph_ring_area(core_cell_points(in[0]), n));
}

CORE_ELEMENTWISE(area, CORE_NAMES("vertices", "out"), 1, CELL_NUMBER, CORE_RING)

const char core_geometry_signed_area_doc[] =
    "signed_area($module, vertices, *, out=None)\n--\n\n"
    "Area of a simple polygon, positive when it winds counter-clockwise.\n\n"
    "Of a polygon that crosses itself: each region times its winding "
    "number.\n\n" RING_DOC CORE_OUT_DOC "\n"
    "Returns\n-------\n"
    "float or ndarray, shape (...)\n\n" CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> signed_area([(0, 0), (0, 1), (1, 0)])\n"
    "-0.5";

static void signed_area_of(const double *const *in, int32_t n, void *out) {
    *(double *)out = ph_ring_area(core_cell_points(in[0]), n);
}

CORE_ELEMENTWISE(signed_area, CORE_NAMES("vertices", "out"), 1, CELL_NUMBER, CORE_RING)

const char core_geometry_centroid_doc[] =
    "centroid($module, vertices, *, out=None)\n--\n\n"
    "Centroid of the area of a simple polygon.\n\n"
    "Of a ring without area: the mean of its vertices.\n\n" RING_DOC CORE_OUT_DOC "\n"
    "Returns\n-------\n"
    "ndarray, shape (..., 2)\n\n" CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> centroid([(0, 0), (3, 0), (0, 3)])\n"
    "array([1., 1.])";

static void centroid_of(const double *const *in, int32_t n, void *out) {
    core_put_vec2(out, ph_ring_centroid(core_cell_points(in[0]), n));
}

CORE_ELEMENTWISE(centroid, CORE_NAMES("vertices", "out"), 1, CELL_VECTOR, CORE_RING)

const char core_geometry_second_moment_doc[] =
    "second_moment($module, vertices, density=1.0, about=None, *, out=None)\n--\n\n"
    "Polar second moment of the area of a simple polygon: its rotational inertia.\n\n" RING_DOC
    "density : array_like, shape (...)\n    kg/m^2, >= 0.\n"
    "about : array_like, shape (..., 2), optional\n    By default the centroid.\n" CORE_OUT_DOC "\n"
    "Returns\n-------\n"
    "float or ndarray, shape (...)\n    kg m^2.\n\n" CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> second_moment([(0, 0), (6, 0), (6, 6), (0, 6)])\n"
    "216.0\n"
    ">>> second_moment([(0, 0), (6, 0), (6, 6), (0, 6)], about=(0, 0))\n"
    "864.0";

static void second_moment_of(const double *const *in, int32_t n, void *out) {
    PhVec2 about = in[2] != NULL ? core_cell_vec2(in[2]) : ph_vec(0, 0);
    *(double *)out = ph_ring_second_moment(core_cell_points(in[0]), n, in[1] != NULL ? *in[1] : 1,
                                           in[2] != NULL ? &about : NULL);
}

CORE_ELEMENTWISE(second_moment, CORE_NAMES("vertices", "density", "about", "out"), 1, CELL_NUMBER,
                 CORE_RING, CORE_NOT_NEGATIVE, {.cell = CELL_VECTOR, .none = true})

// ------------------------------------------------------------------------------------------------
// properties

const char core_geometry_winding_doc[] =
    "winding($module, vertices, *, out=None)\n--\n\n"
    "+1 for a counter-clockwise polygon, -1 for a clockwise one, 0 without area.\n\n"
    "The exact sign of the signed area.\n\n" RING_DOC CORE_OUT_DOC "\n"
    "Returns\n-------\n"
    "int or ndarray of int64, shape (...)\n\n" CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> winding([(0, 0), (0, 1), (1, 0)])\n"
    "-1";

static void winding_of(const double *const *in, int32_t n, void *out) {
    *(int64_t *)out = ph_ring_winding(core_cell_points(in[0]), n);
}

CORE_ELEMENTWISE(winding, CORE_NAMES("vertices", "out"), 1, CELL_SIGN, CORE_RING)

const char core_geometry_is_convex_doc[] =
    "is_convex($module, vertices, *, out=None)\n--\n\n"
    "Whether a polygon is convex and has area; exact.\n\n"
    "Collinear and repeated vertices are allowed. A ring that doubles back or goes round more "
    "than\n"
    "once, such as a pentagram, is not convex.\n\n" RING_DOC CORE_OUT_DOC "\n"
    "Returns\n-------\n"
    "bool or ndarray of bool, shape (...)\n\n" CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> is_convex([(0, 0), (2, 0), (2, 2), (1, 0.5)])\n"
    "False";

static void is_convex_of(const double *const *in, int32_t n, void *out) {
    *(npy_bool *)out = ph_ring_is_convex(core_cell_points(in[0]), n);
}

CORE_ELEMENTWISE(is_convex, CORE_NAMES("vertices", "out"), 1, CELL_TRUTH, CORE_RING)

const char core_geometry_edges_doc[] = "edges($module, vertices, *, out=None)\n--\n\n"
                                       "Edges of a polygon: slot i is the vector from vertex i to "
                                       "the next one.\n\n" RING_DOC CORE_OUT_DOC "\n"
                                       "Returns\n-------\n"
                                       "ndarray, shape (..., n, 2)\n\n" CORE_RAISES_DOC "\n"
                                       "Examples\n--------\n"
                                       ">>> edges([(0, 0), (2, 0), (0, 1)])\n"
                                       "array([[ 2.,  0.],\n"
                                       "       [-2.,  1.],\n"
                                       "       [ 0., -1.]])";

static void edges_of(const double *const *in, int32_t n, void *out) {
    ph_ring_edges(core_cell_points(in[0]), n, out);
}

CORE_ELEMENTWISE(edges, CORE_NAMES("vertices", "out"), 1, CELL_RING, CORE_RING)

const char core_geometry_normals_doc[] =
    "normals($module, vertices, *, out=None)\n--\n\n"
    "Unit outward normals of a polygon: slot i is that of the edge from vertex i to the next one.\n"
    "\n"
    "Outward is to the right of the edges of a counter-clockwise polygon and to the left of those\n"
    "of a clockwise one. An edge without length has none: NaN.\n\n" RING_DOC CORE_OUT_DOC "\n"
    "Returns\n-------\n"
    "ndarray, shape (..., n, 2)\n\n" CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> normals([(0, 0), (4, 0), (4, 3)])\n"
    "array([[ 0. , -1. ],\n"
    "       [ 1. ,  0. ],\n"
    "       [-0.6,  0.8]])";

static void normals_of(const double *const *in, int32_t n, void *out) {
    ph_ring_normals(core_cell_points(in[0]), n, out);
}

CORE_ELEMENTWISE(normals, CORE_NAMES("vertices", "out"), 1, CELL_RING, CORE_RING)

// ------------------------------------------------------------------------------------------------
// motions

const char core_geometry_translate_doc[] =
    "translate($module, vertices, translation, *, out=None)\n--\n\n"
    "Move points.\n\n" POINTS_DOC
    "translation : array_like, shape (..., 2)\n    Metres.\n" CORE_OUT_DOC "\n"
    "Returns\n-------\n"
    "ndarray, shape (..., n, 2)\n\n" CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> translate([(0, 0), (1, 0)], (2, 3))\n"
    "array([[2., 3.],\n"
    "       [3., 3.]])";

static void translate_of(const double *const *in, int32_t n, void *out) {
    PhVec2 translation = core_cell_vec2(in[1]), *moved = out;
    for (int32_t i = 0; i < n; ++i) {
        moved[i] = ph_add(core_cell_points(in[0])[i], translation);
    }
}

CORE_ELEMENTWISE(translate, CORE_NAMES("vertices", "translation", "out"), 2, CELL_POINTS,
                 CORE_POINTS, CORE_VECTOR)

const char core_geometry_rotate_doc[] =
    "rotate($module, vertices, angle, about=(0, 0), *, out=None)\n--\n\n"
    "Turn points about a point.\n\n" POINTS_DOC
    "angle : array_like, shape (...)\n    Radians, counter-clockwise.\n"
    "about : array_like, shape (..., 2)\n    Metres.\n" CORE_OUT_DOC "\n"
    "Returns\n-------\n"
    "ndarray, shape (..., n, 2)\n\n" CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> import math\n"
    ">>> rotate([(2, 1), (3, 1)], math.pi / 2, about=(2, 1)).round(12)\n"
    "array([[2., 1.],\n"
    "       [2., 2.]])";

static void rotate_of(const double *const *in, int32_t n, void *out) {
    PhRot q = ph_rot(*in[1]);
    PhVec2 about = in[2] != NULL ? core_cell_vec2(in[2]) : ph_vec(0, 0), *turned = out;
    for (int32_t i = 0; i < n; ++i) {
        turned[i] = ph_add(ph_rotate(q, ph_sub(core_cell_points(in[0])[i], about)), about);
    }
}

CORE_ELEMENTWISE(rotate, CORE_NAMES("vertices", "angle", "about", "out"), 2, CELL_POINTS,
                 CORE_POINTS, CORE_NUMBER, CORE_VECTOR)

const char core_geometry_transform_doc[] =
    "transform($module, vertices, pose, *, out=None)\n--\n\n"
    "Points of a body's frame in the world: turned by the pose's angle, then moved to its place.\n"
    "\n" POINTS_DOC
    "pose : array_like, shape (..., 3)\n    x, y (metres) and angle (radians).\n" CORE_OUT_DOC "\n"
    "Returns\n-------\n"
    "ndarray, shape (..., n, 2)\n\n" CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> import math\n"
    ">>> transform([(1, 0), (2, 0)], (5, 0, math.pi / 2)).round(12)\n"
    "array([[5., 1.],\n"
    "       [5., 2.]])";

static void transform_of(const double *const *in, int32_t n, void *out) {
    PhTransform pose = ph_transform(in[1][0], in[1][1], in[1][2]);
    PhVec2 *moved = out;
    for (int32_t i = 0; i < n; ++i) {
        moved[i] = ph_apply(pose, core_cell_points(in[0])[i]);
    }
}

CORE_ELEMENTWISE(transform, CORE_NAMES("vertices", "pose", "out"), 2, CELL_POINTS, CORE_POINTS,
                 CORE_POSE)

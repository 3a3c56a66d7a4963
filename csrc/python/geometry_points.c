// Points, circles and boxes against each other, and closest points, for pyphys2d.geometry: for each
// an element function, its arguments and its docstring.
#include "geometry/locate.h"
#include "geometry/points.h"
#include "geometry/ring_properties.h"
#include "python/elementwise.h"
#include "python/geometry_functions.h"

#define PARAMETERS "Parameters\n----------\n"
#define BOX_DOC(name) name " : array_like, shape (..., 2, 2)\n    [[lower], [upper]].\n"
#define RETURNS_TRUTH "\nReturns\n-------\nbool or ndarray of bool, shape (...)\n\n"
#define RETURNS_POINT "\nReturns\n-------\nndarray, shape (..., 2)\n\n"

// ------------------------------------------------------------------------------------------------
// circles, boxes

const char core_geometry_point_in_circle_doc[] =
    "point_in_circle($module, points, center, radius, *, out=None)\n--\n\n"
    "Whether points are in a circle. The circle itself belongs to it.\n\n" PARAMETERS
    "points : array_like, shape (..., 2)\n"
    "center : array_like, shape (..., 2)\n"
    "radius : array_like, shape (...)\n    >= 0.\n" CORE_OUT_DOC RETURNS_TRUTH CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> point_in_circle([(3, 4), (4, 4)], (0, 0), 5)\n"
    "array([ True, False])";

static void point_in_circle_of(const double *const *in, int32_t Py_UNUSED(n), void *out) {
    *(npy_bool *)out = ph_point_in_circle(core_cell_vec2(in[0]), core_cell_vec2(in[1]), in[2][0]);
}

CORE_ELEMENTWISE(point_in_circle, CORE_NAMES("points", "center", "radius", "out"), 3, CELL_TRUTH,
                 CORE_VECTOR, CORE_VECTOR, CORE_NOT_NEGATIVE)

const char core_geometry_point_in_aabb_doc[] =
    "point_in_aabb($module, points, box, *, out=None)\n--\n\n"
    "Whether points are in an axis-aligned box. Its border belongs to it.\n\n" PARAMETERS
    "points : array_like, shape (..., 2)\n" BOX_DOC("box")
        CORE_OUT_DOC RETURNS_TRUTH CORE_RAISES_DOC
    "\n"
    "Examples\n--------\n"
    ">>> point_in_aabb([(0, 1), (3, 1)], [(0, 0), (2, 2)])\n"
    "array([ True, False])";

static void point_in_aabb_of(const double *const *in, int32_t Py_UNUSED(n), void *out) {
    *(npy_bool *)out = ph_point_in_aabb(core_cell_vec2(in[0]), core_cell_aabb(in[1]));
}

CORE_ELEMENTWISE(point_in_aabb, CORE_NAMES("points", "box", "out"), 2, CELL_TRUTH, CORE_VECTOR,
                 CORE_BOX)

const char core_geometry_aabb_overlap_doc[] =
    "aabb_overlap($module, box_a, box_b, *, out=None)\n--\n\n"
    "Whether two axis-aligned boxes overlap. Touching counts.\n\n" PARAMETERS BOX_DOC(
        "box_a, box_b") CORE_OUT_DOC RETURNS_TRUTH CORE_RAISES_DOC
    "\n"
    "Examples\n--------\n"
    ">>> aabb_overlap([(0, 0), (2, 2)], [(2, 1), (3, 3)])\n"
    "True";

static void aabb_overlap_of(const double *const *in, int32_t Py_UNUSED(n), void *out) {
    *(npy_bool *)out = ph_overlaps(core_cell_aabb(in[0]), core_cell_aabb(in[1]));
}

CORE_ELEMENTWISE(aabb_overlap, CORE_NAMES("box_a", "box_b", "out"), 2, CELL_TRUTH, CORE_BOX,
                 CORE_BOX)

const char core_geometry_circle_vs_circle_doc[] =
    "circle_vs_circle($module, center_a, radius_a, center_b, radius_b, *, out=None)\n--\n\n"
    "Whether two discs overlap. Touching counts, also from inside, and so does one disc in the\n"
    "other.\n\n" PARAMETERS "center_a, center_b : array_like, shape (..., 2)\n"
    "radius_a, radius_b : array_like, shape (...)\n    >= 0.\n" CORE_OUT_DOC RETURNS_TRUTH
        CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> circle_vs_circle((0, 0), 2, [(3, 0), (4, 0), (0.5, 0)], 1)\n"
    "array([ True, False,  True])";

static void circle_vs_circle_of(const double *const *in, int32_t Py_UNUSED(n), void *out) {
    *(npy_bool *)out =
        ph_circle_vs_circle(core_cell_vec2(in[0]), in[1][0], core_cell_vec2(in[2]), in[3][0]);
}

CORE_ELEMENTWISE(circle_vs_circle,
                 CORE_NAMES("center_a", "radius_a", "center_b", "radius_b", "out"), 4, CELL_TRUTH,
                 CORE_VECTOR, CORE_NOT_NEGATIVE, CORE_VECTOR, CORE_NOT_NEGATIVE)

const char core_geometry_circle_vs_aabb_doc[] =
    "circle_vs_aabb($module, center, radius, box, *, out=None)\n--\n\n"
    "Whether a disc and an axis-aligned box overlap, by the box's point closest to the center.\n"
    "Touching counts.\n\n" PARAMETERS "center : array_like, shape (..., 2)\n"
    "radius : array_like, shape (...)\n    >= 0.\n" BOX_DOC("box")
        CORE_OUT_DOC RETURNS_TRUTH CORE_RAISES_DOC
    "\n"
    "Examples\n--------\n"
    ">>> circle_vs_aabb([(5, 6), (5, 5.9)], 5, [(0, 0), (2, 2)])\n"
    "array([ True,  True])";

static void circle_vs_aabb_of(const double *const *in, int32_t Py_UNUSED(n), void *out) {
    *(npy_bool *)out = ph_circle_vs_aabb(core_cell_vec2(in[0]), in[1][0], core_cell_aabb(in[2]));
}

CORE_ELEMENTWISE(circle_vs_aabb, CORE_NAMES("center", "radius", "box", "out"), 3, CELL_TRUTH,
                 CORE_VECTOR, CORE_NOT_NEGATIVE, CORE_BOX)

// ------------------------------------------------------------------------------------------------
// closest points

const char core_geometry_closest_on_segment_doc[] =
    "closest_on_segment($module, point, a, b, *, out=None)\n--\n\n"
    "The point of a segment that is closest to a point.\n\n"
    "Within the segment's box, exactly an end where that is the answer. A segment without length "
    "is\n"
    "one point.\n\n" PARAMETERS
    "point, a, b : array_like, shape (..., 2)\n" CORE_OUT_DOC RETURNS_POINT CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> closest_on_segment([(1, 5), (9, 5)], (0, 0), (4, 0))\n"
    "array([[1., 0.],\n"
    "       [4., 0.]])";

static void closest_on_segment_of(const double *const *in, int32_t Py_UNUSED(n), void *out) {
    core_put_vec2(out, ph_closest_on_segment(core_cell_vec2(in[0]), core_cell_vec2(in[1]),
                                             core_cell_vec2(in[2])));
}

CORE_ELEMENTWISE(closest_on_segment, CORE_NAMES("point", "a", "b", "out"), 3, CELL_VECTOR,
                 CORE_VECTOR, CORE_VECTOR, CORE_VECTOR)

const char core_geometry_closest_on_aabb_doc[] =
    "closest_on_aabb($module, point, box, *, out=None)\n--\n\n"
    "The point of an axis-aligned box that is closest to a point: itself when it is inside.\n"
    "\n" PARAMETERS "point : array_like, shape (..., 2)\n" BOX_DOC("box")
        CORE_OUT_DOC RETURNS_POINT CORE_RAISES_DOC "\n"
                                                   "Examples\n--------\n"
                                                   ">>> closest_on_aabb((3, 1), [(0, 0), (2, 2)])\n"
                                                   "array([2., 1.])";

static void closest_on_aabb_of(const double *const *in, int32_t Py_UNUSED(n), void *out) {
    core_put_vec2(out, ph_closest_on_aabb(core_cell_vec2(in[0]), core_cell_aabb(in[1])));
}

CORE_ELEMENTWISE(closest_on_aabb, CORE_NAMES("point", "box", "out"), 2, CELL_VECTOR, CORE_VECTOR,
                 CORE_BOX)

const char core_geometry_project_doc[] =
    "project($module, v, onto, *, out=None)\n--\n\n"
    "The part of a vector along another one; (0, 0) when that has no length.\n\n" PARAMETERS
    "v, onto : array_like, shape (..., 2)\n" CORE_OUT_DOC RETURNS_POINT CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> project((3, 4), (2, 0))\n"
    "array([3., 0.])";

static void project_of(const double *const *in, int32_t Py_UNUSED(n), void *out) {
    core_put_vec2(out, ph_project(core_cell_vec2(in[0]), core_cell_vec2(in[1])));
}

CORE_ELEMENTWISE(project, CORE_NAMES("v", "onto", "out"), 2, CELL_VECTOR, CORE_VECTOR, CORE_VECTOR)

// ------------------------------------------------------------------------------------------------
// point in polygon

const char core_geometry_point_in_polygon_doc[] =
    "point_in_polygon($module, points, polygon, method='winding', *, out=None)\n--\n\n"
    "Whether points are in a polygon.\n\n"
    "The first two methods are exact, also at the height of vertices and on edges: a point on the\n"
    "boundary is inside. They are meant for many points, too: a grid over the polygon is made "
    "once\n"
    "per call.\n\n" PARAMETERS "points : array_like, shape (..., 2)\n"
    "polygon : array_like, shape (..., n, 2)\n    Either winding, n >= 3.\n"
    "method : {'winding', 'crossings', 'cross_products', 'naive_crossings'}\n"
    "    'winding': the polygon goes round the point. 'crossings': a ray from the point crosses "
    "the\n"
    "    polygon an odd number of times. They differ where a polygon crosses itself: the middle of "
    "a\n"
    "    pentagram is inside for the first, outside for the second.\n"
    "    'cross_products': the point is on the inner side of all edges, in plain float64, for "
    "convex\n"
    "    polygons; the boundary is outside. 'naive_crossings': a ray counts vertices at its "
    "height\n"
    "    twice and goes wrong there; it is here to be shown.\n" CORE_OUT_DOC RETURNS_TRUTH
        CORE_RAISES_DOC "    For an unknown method, and a polygon that is not convex with\n"
    "    'cross_products'.\n\n"
    "Examples\n--------\n"
    ">>> square = [(0, 0), (2, 0), (2, 2), (0, 2)]\n"
    ">>> point_in_polygon([(1, 1), (2, 1), (3, 1)], square)\n"
    "array([ True,  True, False])\n"
    ">>> point_in_polygon((1, 1), square)\n"
    "True";

static void by_winding(const double *const *in, int32_t n, void *out) {
    *(npy_bool *)out =
        ph_ring_holds(core_cell_points(in[1]), n, PH_INSIDE_WINDING, core_cell_vec2(in[0]));
}

static void by_crossings(const double *const *in, int32_t n, void *out) {
    *(npy_bool *)out =
        ph_ring_holds(core_cell_points(in[1]), n, PH_INSIDE_EVEN_ODD, core_cell_vec2(in[0]));
}

static void by_cross_products(const double *const *in, int32_t n, void *out) {
    *(npy_bool *)out =
        ph_ring_holds_by_cross_products(core_cell_points(in[1]), n, core_cell_vec2(in[0]));
}

static void by_naive_crossings(const double *const *in, int32_t n, void *out) {
    *(npy_bool *)out =
        ph_ring_holds_by_naive_crossings(core_cell_points(in[1]), n, core_cell_vec2(in[0]));
}

// One polygon and many points side by side are worth a grid.
static PhStatus strip_of_points(const CoreStrip *strip, PhInsideRule rule) {
    const PhVec2 *points = core_cell_points(strip->in[0]), *ring = core_cell_points(strip->in[1]);
    npy_bool *out = strip->out;
    if (strip->steps[1] == 0 && strip->steps[0] == 2) {
        return ph_ring_holds_many(ring, strip->n, rule, points, strip->count, out);
    }
    for (npy_intp i = 0; i < strip->count; ++i) {
        out[i] = ph_ring_holds(ring + i * (strip->steps[1] / 2), strip->n, rule,
                               points[i * (strip->steps[0] / 2)]);
    }
    return PH_OK;
}

static PhStatus strip_by_winding(const CoreStrip *strip) {
    return strip_of_points(strip, PH_INSIDE_WINDING);
}

static PhStatus strip_by_crossings(const CoreStrip *strip) {
    return strip_of_points(strip, PH_INSIDE_EVEN_ODD);
}

static const char *refuse_concave(const double *ring, int32_t n) {
    return ph_ring_is_convex(core_cell_points(ring), n) ? NULL
                                                        : "convex for method='cross_products'";
}

#define METHOD(polygon, ...)                                                                       \
    {                                                                                              \
        .signature = {"point_in_polygon", point_in_polygon_names, 4, 3, 2}, .input_count = 2,      \
        .inputs = {CORE_VECTOR, polygon}, .result = CELL_TRUTH, __VA_ARGS__                        \
    }
#define CONVEX                                                                                     \
    { .cell = CELL_RING, .refuse = refuse_concave }
static const char *const point_in_polygon_names[] = {"points", "polygon", "method", "out"};
static const CoreFunction point_in_polygon_functions[] = {
    METHOD(CORE_RING, .element = by_winding, .strip = strip_by_winding),
    METHOD(CORE_RING, .element = by_crossings, .strip = strip_by_crossings),
    METHOD(CONVEX, .element = by_cross_products),
    METHOD(CORE_RING, .element = by_naive_crossings),
};

PyObject *core_geometry_point_in_polygon(PyObject *Py_UNUSED(module), PyObject *const *args,
                                         Py_ssize_t count, PyObject *keywords) {
    static const char *const methods[] = {"winding", "crossings", "cross_products",
                                          "naive_crossings", NULL};
    PyObject *values[4];
    int method = 0;
    if (!core_bind(&point_in_polygon_functions[0].signature, args, count, keywords, values) ||
        (values[2] != NULL && !core_to_choice(values[2], "method", methods, &method))) {
        return NULL;
    }
    return core_map(&point_in_polygon_functions[method], values, values[3]);
}

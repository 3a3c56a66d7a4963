// Intersections of lines, segments and rays, for pyphys2d.geometry: for each an element function,
// its arguments and its docstring.
#include "geometry/lines.h"
#include "python/elementwise.h"
#include "python/geometry_functions.h"

#define PARAMETERS "Parameters\n----------\n"
#define RETURNS_HIT                                                                                \
    "\nReturns\n-------\nndarray, shape (..., 2)\n    (NaN, NaN) where there is none, also in a "  \
    "single call.\n\n"

const char core_geometry_line_intersection_doc[] =
    "line_intersection($module, a, b, c, d, *, out=None)\n--\n\n"
    "The point where the infinite lines through a, b and through c, d meet.\n\n"
    "None when they are parallel, which is decided exactly, the same line, or when two points "
    "that\n"
    "should give a line are equal. The point is off by a few units in the last place of the "
    "largest\n"
    "coordinate involved, its own included, however flat the angle.\n\n" PARAMETERS
    "a, b, c, d : array_like, shape (..., 2)\n" CORE_OUT_DOC RETURNS_HIT CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> line_intersection((0, 0), (1, 1), (0, 4), (1, 3))\n"
    "array([2., 2.])\n"
    ">>> line_intersection((0, 0), (1, 1), (0, 4), (1, 5))\n"
    "array([nan, nan])";

static void line_intersection_of(const double *const *in, int32_t Py_UNUSED(n), void *out) {
    core_put_vec2(out, ph_line_intersection(core_cell_vec2(in[0]), core_cell_vec2(in[1]),
                                            core_cell_vec2(in[2]), core_cell_vec2(in[3])));
}

CORE_ELEMENTWISE(line_intersection, CORE_NAMES("a", "b", "c", "d", "out"), 4, CELL_VECTOR,
                 CORE_VECTOR, CORE_VECTOR, CORE_VECTOR, CORE_VECTOR)

const char core_geometry_segment_intersection_doc[] =
    "segment_intersection($module, a, b, c, d, *, out=None)\n--\n\n"
    "The first point of the segment from a to b that is on the segment from c to d.\n\n"
    "Whether they meet is decided exactly. Ends count: where an end touches the other segment, it\n"
    "is the answer, without rounding. Of segments that overlap along a line it is the shared "
    "point\n"
    "nearest to a. A segment without length is one point. Where they cross, the point is off by a\n"
    "few units in the last place of the largest coordinate, and in the boxes of both.\n"
    "\n" PARAMETERS
    "a, b, c, d : array_like, shape (..., 2)\n" CORE_OUT_DOC RETURNS_HIT CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> segment_intersection((0, 0), (4, 4), (0, 4), (4, 0))\n"
    "array([2., 2.])\n"
    ">>> segment_intersection((0, 0), (4, 0), (6, 0), (1, 0))\n"
    "array([1., 0.])\n"
    ">>> segment_intersection((0, 0), (4, 0), (0, 1), (4, 1))\n"
    "array([nan, nan])";

static void segment_intersection_of(const double *const *in, int32_t Py_UNUSED(n), void *out) {
    core_put_vec2(out, ph_segment_intersection(core_cell_vec2(in[0]), core_cell_vec2(in[1]),
                                               core_cell_vec2(in[2]), core_cell_vec2(in[3])));
}

CORE_ELEMENTWISE(segment_intersection, CORE_NAMES("a", "b", "c", "d", "out"), 4, CELL_VECTOR,
                 CORE_VECTOR, CORE_VECTOR, CORE_VECTOR, CORE_VECTOR)

const char core_geometry_segment_vs_polygon_doc[] =
    "segment_vs_polygon($module, a, b, polygon, *, out=None)\n--\n\n"
    "The first point of the segment from a to b that is on the boundary of a polygon.\n\n"
    "The last and the present position of a cannonball against a hull: the simplest continuous\n"
    "collision. A segment that stays inside meets nothing. The polygon may be concave and may "
    "cross\n"
    "itself. Decided edge by edge as in `segment_intersection`.\n\n" PARAMETERS
    "a, b : array_like, shape (..., 2)\n"
    "polygon : array_like, shape (..., n, 2)\n    Either winding, n >= 3.\n" CORE_OUT_DOC
        RETURNS_HIT CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> segment_vs_polygon((-5, 1), (5, 1), [(0, 0), (2, 0), (2, 2), (0, 2)])\n"
    "array([0., 1.])";

static void segment_vs_polygon_of(const double *const *in, int32_t n, void *out) {
    core_put_vec2(out, ph_segment_vs_ring(core_cell_vec2(in[0]), core_cell_vec2(in[1]),
                                          core_cell_points(in[2]), n));
}

CORE_ELEMENTWISE(segment_vs_polygon, CORE_NAMES("a", "b", "polygon", "out"), 3, CELL_VECTOR,
                 CORE_VECTOR, CORE_VECTOR, CORE_RING)

const char core_geometry_ray_vs_segment_doc[] =
    "ray_vs_segment($module, origin, direction, a, b, *, out=None)\n--\n\n"
    "The first point of a ray that is on the segment from a to b.\n\n"
    "Whether they meet is decided exactly; the origin and the ends count. A ray along the segment\n"
    "meets it at its origin or at the nearer end. A direction without length makes the ray one\n"
    "point. The hit is off by a few units in the last place of the largest coordinate, and in the\n"
    "segment's box.\n\n" PARAMETERS "origin : array_like, shape (..., 2)\n"
    "direction : array_like, shape (..., 2)\n    Of any length.\n"
    "a, b : array_like, shape (..., 2)\n" CORE_OUT_DOC RETURNS_HIT CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> ray_vs_segment((0, 0), [(1, 1), (-1, -1)], (0, 4), (4, 0))\n"
    "array([[ 2.,  2.],\n"
    "       [nan, nan]])";

static void ray_vs_segment_of(const double *const *in, int32_t Py_UNUSED(n), void *out) {
    core_put_vec2(out, ph_ray_vs_segment(core_cell_vec2(in[0]), core_cell_vec2(in[1]),
                                         core_cell_vec2(in[2]), core_cell_vec2(in[3])));
}

CORE_ELEMENTWISE(ray_vs_segment, CORE_NAMES("origin", "direction", "a", "b", "out"), 4, CELL_VECTOR,
                 CORE_VECTOR, CORE_VECTOR, CORE_VECTOR, CORE_VECTOR)

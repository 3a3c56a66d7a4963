// Operations on plain polygons whose results vary in size: simplify, clip, slice. Rings are arrays
// of vertices, the last joined to the first. Coordinates may have any size up to 1e150.
#ifndef PH_GEOMETRY_OPERATIONS_H
#define PH_GEOMETRY_OPERATIONS_H

#include <stdint.h>

#include "base/status.h"
#include "math/vec2.h"

// ------------------------------------------------------------------------------------------------
// simplify

// Simplification in portions, because its worst case is quadratic. The caller owns the arrays.
typedef struct PhSimplify {
    const PhVec2 *vertices;
    int32_t count;
    int32_t first; // positions count from here, around a ring
    double tolerance;
    bool *kept; // by vertex
    int32_t stack[64][2];
    int32_t stack_count;
} PhSimplify;

// Chooses the vertices that always stay. Of a path: its ends. Of a ring: its lowest-leftmost
// vertex, the vertex farthest from that, and the vertex farthest from the segment between these
// two. kept has count entries, all false; count >= 1, tolerance >= 0.
void ph_simplify_begin(PhSimplify *work, const PhVec2 *vertices, int32_t count, bool closed,
                       double tolerance, bool *kept);
// Examines about `budget` vertices. True when it has finished: `kept` is then the answer.
bool ph_simplify_run(PhSimplify *work, int64_t budget);

// ------------------------------------------------------------------------------------------------
// lines

// A line whose left side is kept, or is separated from the right side. It goes through p and q or,
// if by_normal, through p with the normal q, which points to the right.
typedef struct PhCutLine {
    PhVec2 p, q;
    bool by_normal;
} PhCutLine;

// Exact: +1 left, -1 right, 0 on the line.
int ph_line_side(const PhCutLine *line, PhVec2 v);
// Signed distance from the line, positive on the left; correct to the last digit or two.
double ph_line_height(const PhCutLine *line, PhVec2 v);
// Where the edge between two vertices on different sides crosses the line. The point is within the
// bounding box of the edge and does not depend on the order of its ends. It lies on a horizontal or
// vertical line to the last digit.
PhVec2 ph_line_cut(const PhCutLine *line, PhVec2 a, PhVec2 b);

// One step of Sutherland and Hodgman's clipping: the part of the ring on the line and to the left
// of it, as one ring with the same winding. out has room for 2 count entries. Returns the number
// written, 0 if nothing with an area is left.
int32_t ph_clip_ring(const PhVec2 *ring, int32_t count, const PhCutLine *line, PhVec2 *out);
// The winding, +1 or -1, of a convex ring with area (collinear and repeated vertices are allowed);
// else 0.
int ph_convex_winding(const PhVec2 *ring, int32_t count);

// ------------------------------------------------------------------------------------------------
// slice

// Parts of a polygon, ring after ring. Part i has the rings part_starts[i] .. part_starts[i + 1]:
// the outer one (counter-clockwise) first, then holes (clockwise).
typedef struct PhSlices {
    PhVec2 *vertices;
    int32_t *ring_starts; // ring_count + 1
    int32_t *part_starts; // part_count + 1
    int8_t *sides;        // by part: +1 left, -1 right
    int32_t ring_count, part_count;
} PhSlices;
void ph_slices_free(PhSlices *slices);

// Cuts a polygon (outer ring counter-clockwise, holes clockwise, checked) along the line through p
// and q (not by_normal). Gives the parts on the left and on the right, in order along the line. If
// the line does not cut the area, the one part has the rings as they are. Vertices nearer to the
// line than `snap` count as on it. With 0 the exact side counts, unless the rounding of new
// vertices would make a part touch itself. With a least_width > 0, no part is made whose hull is
// narrower: it stays with the neighbour across the line with which it shares the longest stretch.
// stop may be NULL.
PhStatus ph_slice_rings(const PhVec2 *vertices, const int32_t *starts, int32_t ring_count,
                        const PhCutLine *line, double snap, double least_width, const PhStop *stop,
                        PhSlices *slices, PhError *error);

#endif

// Rings of one polygon, and the steps between a raw ring and its convex parts. Shared by the shape
// constructors and the plain functions of geometry/polygon.h.
#ifndef PH_GEOMETRY_RINGS_H
#define PH_GEOMETRY_RINGS_H

#include <stdint.h>

#include "base/status.h"
#include "math/vec2.h"

// Vertices or edges examined between two questions to a PhStop; a power of two.
enum { PH_RING_PORTION = 1 << 16 };

typedef struct PhRings {
    const PhVec2 *vertices; // ring after ring
    const int32_t *starts;  // count + 1 offsets into vertices
    int32_t count;          // ring 0 is the outer one
    const int32_t
        *labels; // the caller's index of each vertex within its ring; NULL: its place in the ring
    const char *name;   // of ring 0 in messages; the others are holes[0], holes[1], ...
    const PhStop *stop; // may be NULL
} PhRings;

// Whether all rings are simple and disjoint and the holes lie beside each other within ring 0.
// Exact. Any winding. Vertices that repeat or touch another edge are refused. Of several faults the
// message tells that of the first edge that meets an earlier one. n log n, with a fault n log^2 n.
PhStatus ph_rings_check(const PhRings *rings, PhError *error);

// Copies a raw ring, repeated vertices merged (also the last with the first); labels receive the
// index of each in `points`. Returns the number of vertices left.
int32_t ph_ring_tidy(const PhVec2 *points, int32_t count, PhVec2 *vertices, int32_t *labels);
// Turns a checked ring into the wanted winding; the first vertex stays first.
void ph_ring_orient(PhVec2 *vertices, int32_t *labels, int32_t count, bool counter_clockwise);

// Lexicographic order, by x, then y: the sweep direction that needs no special case for vertical
// edges.
static inline bool ph_left_of(PhVec2 a, PhVec2 b) {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

// Triangles (counter-clockwise, indices into vertices) that fill the rings: the outer one
// counter-clockwise, holes clockwise, checked as above. Close to Delaunay, which avoids slivers.
// *triangles comes from ph_alloc. Rings that are not simple give PH_ERROR_VALUE or some triangles,
// and nothing worse. stop may be NULL.
PhStatus ph_triangulate(const PhVec2 *vertices, const int32_t *starts, int32_t ring_count,
                        const PhStop *stop, int32_t (**triangles)[3], int32_t *triangle_count,
                        PhError *error);

#endif

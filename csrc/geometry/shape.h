// Shapes: immutable geometry values, shared between bodies and worlds by an atomic reference count.
//
// Invariant: once a constructor has returned, nothing in a PhShape changes but `references`. Any
// thread may read it. Area, centroid and inertia are those of the whole shape, and exact (including
// rounding discs and holes; the pieces of a concave polygon play no part). Chains and segments have
// no area: their area and inertia are 0, and the centroid is the length-weighted mean of the
// segments.
#ifndef PH_GEOMETRY_SHAPE_H
#define PH_GEOMETRY_SHAPE_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/status.h"
#include "geometry/piece.h"
#include "geometry/piece_tree.h"
#include "geometry/shape_list.h"

// Coordinates and radii beyond this are refused (masses and inertias must stay in the range of
// float32).
#define PH_MAX_COORDINATE 1e7
// Polygons whose hull is narrower than this in some direction are refused, metres.
#define PH_MIN_WIDTH 1e-4

#define PH_SHAPE_CONSTANT(KIND, name) PH_SHAPE_##KIND,
typedef enum PhShapeKind { PH_SHAPE_KINDS(PH_SHAPE_CONSTANT) PH_SHAPE_KIND_COUNT } PhShapeKind;
#undef PH_SHAPE_CONSTANT

// The data for questions about pairs of shapes comes last: the pieces and their vertices follow the
// struct in memory, because thousands of shapes are read cache line by cache line.
typedef struct PhShape {
    atomic_uint references;
    PhShapeKind kind;
    double area;      // m^2, >= 0
    PhVec2 centroid;  // m, shape frame
    double inertia;   // polar second moment about the centroid for unit density, m^4
    PhAabb aabb;      // tight in the shape frame
    double extent;    // max distance from the shape frame's origin to the shape
    double radius;    // of a circle, capsule or rounded polygon
    PhVec2 *vertices; // polygon: outer ring counter-clockwise, duplicates merged, starting at the
                      // caller's first vertex where possible; then the holes, each clockwise
    PhVec2 *normals;  // outward unit normals of the outer ring's edges (polygon), one per vertex
    int32_t *hole_starts; // hole_count + 1 offsets into vertices; hole_starts[0] == vertex_count
    bool convex;          // circle, capsule, segment, convex polygon without holes
    bool loop;            // chain only
    int32_t vertex_count; // circle 1 (centre), capsule and segment 2, polygon: outer ring; chain:
                          // all points
    int32_t hole_count;   // polygon only
    int32_t piece_count;  // >= 1
    PhPiece *pieces;
    PhPieceNode *tree; // over the pieces; NULL for a single one
} PhShape;

// The numbers of which a shape is made, as its own fields have them.
typedef struct PhShapeNumbers {
    const PhVec2 *vertices, *holes; // holes: one after the other
    const int32_t *hole_counts;
    int32_t vertex_count, hole_count;
    double radius;
    bool loop;
} PhShapeNumbers;

// Facts about a kind.
typedef struct PhShapeKindInfo {
    PhShape *(*make)(const PhShapeNumbers *numbers, const PhStop *stop, PhError *error);
    int32_t least_vertices, most_vertices;
    bool holes; // it may have holes
    bool line;  // it has no area
} PhShapeKindInfo;
extern const PhShapeKindInfo *const ph_shape_kinds[PH_SHAPE_KIND_COUNT];

// Makes a shape of numbers that have not been checked. Returns NULL without an error if the kind
// does not exist, or if there are too few or too many vertices.
PhShape *ph_shape_make(uint32_t kind, const PhShapeNumbers *numbers, const PhStop *stop,
                       PhError *error);

// Constructors return a shape with one reference, or NULL with *error filled (PH_ERROR_VALUE or
// PH_ERROR_MEMORY). Non-finite numbers, numbers beyond PH_MAX_COORDINATE and degenerate sizes are
// refused. Messages name the argument ("radius", "vertices[3]", "holes[0][2]", "p", "points[5]")
// and the value, and say what would be right.
PhShape *ph_shape_circle(double radius, PhVec2 center, PhError *error);
PhShape *ph_shape_capsule(PhVec2 p, PhVec2 q, double radius, PhError *error);
PhShape *ph_shape_segment(PhVec2 p, PhVec2 q, PhError *error);
// points: at least 2 (3 for a loop). One-sided: free side on the left of the walk.
PhShape *ph_shape_chain(const PhVec2 *points, int32_t count, bool loop, PhError *error);
PhShape *ph_shape_chain_or_stop(const PhVec2 *points, int32_t count, bool loop, const PhStop *stop,
                                PhError *error); // as for polygons
// Any simple polygon, in either winding, with simple, disjoint holes inside it. Consecutive
// duplicate vertices are merged (also last = first). hole_counts has hole_count entries; hole
// vertices follow each other in `holes`. A radius > 0 is allowed only for a convex ring without
// holes. recenter shifts everything so that the centroid is the origin. Exact predicates decide
// whether it is simple. Concave rings and rings with holes are split into convex pieces whose areas
// add up to that of the polygon (to 1e-12 relative). There are as few pieces as Hertel-Mehlhorn
// merging of triangles gives.
PhShape *ph_shape_polygon(const PhVec2 *vertices, int32_t count, const PhVec2 *holes,
                          const int32_t *hole_counts, int32_t hole_count, double radius,
                          bool recenter, PhError *error);
// The same for input that may be large. stop may be NULL.
PhShape *ph_shape_polygon_or_stop(const PhVec2 *vertices, int32_t count, const PhVec2 *holes,
                                  const int32_t *hole_counts, int32_t hole_count, double radius,
                                  bool recenter, const PhStop *stop, PhError *error);

void ph_shape_retain(PhShape *shape);
void ph_shape_release(PhShape *shape); // NULL is allowed

bool ph_shape_equal(const PhShape *a, const PhShape *b); // same kind and the same numbers
uint64_t ph_shape_hash(const PhShape *shape); // equal shapes, equal hashes (-0 and 0 are one)

bool ph_shape_contains(const PhShape *shape,
                       PhVec2 point); // closed; shape frame. Holes' edges belong to the shape
PhVec2 ph_shape_support(const PhShape *shape,
                        PhVec2 direction); // furthest point, radius included, shape frame
PhAabb ph_shape_aabb(const PhShape *shape, PhTransform pose); // tight

#endif

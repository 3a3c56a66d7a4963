// A piece: one convex, possibly rounded polygon. Every shape is a list of pieces, and every
// collision, distance and cast is between pieces: a circle is a point with a radius, a capsule two
// points with a radius, a segment two points, a chain one piece per segment, a concave polygon
// several polygons. One kind of thing means one narrow phase.
#ifndef PH_GEOMETRY_PIECE_H
#define PH_GEOMETRY_PIECE_H

#include <stdint.h>

#include "math/vec2.h"

enum {
    PH_PIECE_ONE_SIDED =
        1, // chain: solid only on the right of vertices[0] -> vertices[1]; count is 2
    PH_PIECE_GHOST_BEFORE = 2, // ghost_before is the vertex before vertices[0]
    PH_PIECE_GHOST_AFTER = 4,  // ghost_after is the vertex after vertices[1]
};

typedef struct PhPiece {
    const PhVec2 *vertices; // counter-clockwise, in the shape's frame
    // Outward unit normal of the edge i -> i + 1. For two vertices: [0] is the right side of v0 ->
    // v1, [1] its negative. Not used for a single vertex.
    const PhVec2 *normals;
    int32_t count;  // 1 circle, 2 capsule, segment, chain piece, >= 3 polygon
    uint32_t flags; // PH_PIECE_*
    double
        radius; // the piece is the convex hull of the vertices grown by a disc of this radius, >= 0
    PhVec2 centroid; // of the vertices' hull (mean of two, centroid of a polygon)
    double extent;   // radius of the smallest origin-free bound: max |v - centroid| + radius
    double
        width; // smallest size in any direction, 2 radius for a circle or capsule, 0 for a segment
    PhVec2 ghost_before, ghost_after;
} PhPiece;

PhAabb ph_piece_aabb(const PhPiece *piece, PhTransform pose); // tight, radius included

// Closed containment of a point given in the piece's frame. Segments and chains contain only points
// on them.
bool ph_piece_contains(const PhPiece *piece, PhVec2 point);

// Whether a direction is the outward normal of a side, but for an angle of this sine; pose, which
// rotates the piece: in the same frame. Contacts with corners have other normals.
bool ph_piece_has_side(const PhPiece *piece, PhRot pose, PhVec2 normal, double sine);

typedef struct PhRayHit {
    double fraction; // 0..1 along the translation
    PhVec2 normal;   // unit, out of the piece, same frame as the ray
} PhRayHit;

// A ray made ready for many pieces: the whole of it, or nothing of a ray that meets nothing.
typedef struct PhRay {
    PhVec2 origin, direction; // unit; (0, -1) for a ray of zero length
    double length;
} PhRay;
// False: a number is not finite.
bool ph_ray_make(PhVec2 origin, PhVec2 translation, PhRay *ray);
// First point of the ray on the piece, in the piece's frame. A ray that starts inside an area hits
// at fraction 0 with the normal against its direction. One-sided pieces are hit from their free
// (left) side only. A ray of zero length hits only when the origin is inside.
bool ph_piece_meet_ray(const PhPiece *piece, const PhRay *ray, PhRayHit *hit);

#endif

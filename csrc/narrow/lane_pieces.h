// Pieces as the lane kernels read them: float32 around a place in float64.
//
// The core of a piece (its vertices, without the radius) is described by the box around it, whose
// axes are turned with the body: exact for boxes, capsules, segments and circles, a bound for the
// rest. Boxes and segments that are too large for float32 are seen through a window around the
// other piece. Other pieces that are too large or too small, and kinds without a kernel, stay with
// the double-precision functions.
#ifndef PH_NARROW_LANE_PIECES_H
#define PH_NARROW_LANE_PIECES_H

#include <stdbool.h>

#include "base/lengths.h"
#include "geometry/piece.h"

typedef enum PhLaneKind {
    PH_LANE_NONE,   // only ph_collide
    PH_LANE_CIRCLE, // no extension
    PH_LANE_BOX,    // box, capsule or segment (hy = 0), rounded or not
    PH_LANE_RING_4, // up to four vertices, in a PhLaneRing
    PH_LANE_RING_8,
    PH_LANE_CHAIN, // one-sided: a box without height, free on its left
    // What a window makes PH_LANE_BOX and PH_LANE_CHAIN.
    PH_LANE_LONG_BOX,
    PH_LANE_LONG_CHAIN,
    PH_LANE_KINDS
} PhLaneKind;

// Offset of an edge that is no face, beyond all sizes.
#define PH_LANE_NEVER 1e18f
// What PhLanePiece.smooth has more where the chain bends at the first end of the piece, and at the
// last.
#define PH_LANE_BENT_BEFORE 2.0f
#define PH_LANE_BENT_AFTER 4.0f

// Vertices, normals of the edges that begin there and their offsets, in the frame of the box around
// the core. Behind the last: the first vertex, no normal and PH_LANE_NEVER.
typedef struct PhLaneRingHalf {
    float x[4], y[4], nx[4], ny[4], offset[4];
} PhLaneRingHalf;
typedef struct PhLaneRing {
    PhLaneRingHalf half[2];
} PhLaneRing;

typedef struct PhLanePiece {
    double x, y;        // middle of the box around the core, world
    float c, s;         // direction of the box's first axis, world
    float hx, hy;       // half sizes of the box around the core
    float vx, vy;       // velocity of the body's centre of mass
    float radius;       // of the piece
    float width;        // as in PhPiece; infinite for 0
    float arm_x, arm_y; // from the centre of mass to the middle, world axes
    float w;            // spin
    // Of chain pieces that go on flat or inwards at both ends: 1, and more where that is inwards.
    float smooth;
} PhLanePiece; // 64 bytes: a line of the cache

_Static_assert(sizeof(PhLanePiece) == 64, "PhLanePiece fills a cache line");

// Where the box around the core is in the body's frame.
typedef struct PhLanePlace {
    PhVec2 middle;
    PhRot axis;
} PhLanePlace;

// Fills what does not depend on the pose.
PhLaneKind ph_lane_piece_init(const PhPiece *piece, const PhLengths *lengths, PhLanePlace *place,
                              PhLanePiece *lane);
// Of a piece of kind PH_LANE_RING_4 or _8.
void ph_lane_ring_init(const PhPiece *piece, const PhLanePlace *place, PhLaneRing *ring);

// What a window makes of a long piece; PH_LANE_NONE for others.
static inline PhLaneKind ph_lane_in_window(PhLaneKind kind) {
    return kind == PH_LANE_LONG_BOX     ? PH_LANE_BOX
           : kind == PH_LANE_LONG_CHAIN ? PH_LANE_CHAIN
                                        : PH_LANE_NONE;
}
// A long piece as it is seen from another that is not: what lies within some sizes of that one, in
// float64 before it is rounded. False where no face of the piece is near: its depth would be lost.
// center: of mass, world.
bool ph_lane_piece_window(const PhPiece *piece, const PhLanePlace *place, PhTransform transform,
                          PhVec2 center, const PhLanePiece *lane, const PhLanePiece *other,
                          const PhLengths *lengths, PhLanePiece *window);

// The rest. center: of mass, world.
static inline void ph_lane_piece_move(PhLanePiece *lane, const PhLanePlace *place,
                                      PhTransform transform, PhVec2 center, PhVec2 velocity,
                                      double spin) {
    PhVec2 middle = ph_apply(transform, place->middle);
    PhRot q = transform.q, axis = place->axis;
    lane->x = middle.x;
    lane->y = middle.y;
    lane->c = (float)(q.c * axis.c - q.s * axis.s);
    lane->s = (float)(q.s * axis.c + q.c * axis.s);
    lane->arm_x = (float)(middle.x - center.x);
    lane->arm_y = (float)(middle.y - center.y);
    lane->vx = (float)velocity.x;
    lane->vy = (float)velocity.y;
    lane->w = (float)spin;
}

// The same where the box lies at the body's origin, which is its centre of mass, along its axes.
static inline void ph_lane_piece_move_plain(PhLanePiece *lane, PhTransform transform,
                                            PhVec2 velocity, double spin) {
    lane->x = transform.p.x;
    lane->y = transform.p.y;
    lane->c = (float)transform.q.c;
    lane->s = (float)transform.q.s;
    lane->arm_x = lane->arm_y = 0;
    lane->vx = (float)velocity.x;
    lane->vy = (float)velocity.y;
    lane->w = (float)spin;
}

#endif

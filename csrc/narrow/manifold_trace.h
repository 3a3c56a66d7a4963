// The intermediate results of the narrow phase: what the separating axis test found, and how a
// manifold was made. The functions of the engine record them. Without a recorder they only test a
// pointer.
#ifndef PH_NARROW_MANIFOLD_TRACE_H
#define PH_NARROW_MANIFOLD_TRACE_H

#include "base/status.h"
#include "geometry/distance.h"
#include "narrow/collide.h"

typedef enum PhContactKind {
    PH_CONTACT_APART,   // no point
    PH_CONTACT_FACES,   // an incident side clipped to a reference side
    PH_CONTACT_CORNERS, // the two corners that are closest
    PH_CONTACT_VERTEX,  // a vertex below a face, beside its ends
    PH_CONTACT_CIRCLE,  // the centre of a circle against a side, a corner or another centre
    PH_CONTACT_KIND_COUNT
} PhContactKind;

// Sides and points are those of the cores, without radii, in the common frame. They are NaN where
// the input is not finite.
typedef struct PhClipRecorder {
    PhContactKind kind;
    bool flipped;  // the reference side belongs to b
    bool clipped;  // stages hold something
    PhVec2 normal; // unit, from a to b. When apart: of the face, or of the corners, of greatest
                   // separation
    // Ends, counter-clockwise in their piece; twice the same point for a corner or a centre.
    PhVec2 reference[2], incident[2];
    PhVec2 along; // of a reference side: unit vector along it; zero for a corner or a centre
    // The incident side before clipping, behind the plane through the start of the reference side,
    // behind both planes, and the resulting points of the manifold, in their order.
    PhVec2 stage[4][2];
    int32_t stage_count[4];
} PhClipRecorder;

// ph_collide with a recorder; for pieces that are not one-sided. recorder may be NULL.
void ph_collide_recorded(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb,
                         double margin, const PhLengths *lengths, PhClipRecorder *recorder,
                         PhManifold *out);

// What ph_mtv found, and along which axis.
typedef struct PhMtv {
    PhVec2 vector; // minimum translation of b
    bool by_face;  // the cores overlap and the axis is the normal of a face; else it is along their
                   // distance
    int32_t owner; // of the face: 0 for a, 1 for b
    int32_t edge;  // of the owner
    PhDistance cores;
} PhMtv;

// ph_mtv; all but `vector` is filled also when it returns false.
bool ph_mtv_recorded(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb,
                     PhMtv *out);

typedef struct PhInterval {
    double low, high;
} PhInterval;

typedef struct PhSatAxis {
    PhVec2 normal;   // unit, common frame; of an edge: outward
    int32_t owner;   // 0 for a, 1 for b
    int32_t edge;    // of the owner; -1: through a vertex and a centre, two centres or two corners
    PhInterval a, b; // projections of the pieces, radii included
    // The shortest shift along the axis, to either side, after which the intervals only touch. When
    // they are apart: minus the gap.
    double overlap;
} PhSatAxis;

typedef struct PhSat {
    PhSatAxis *axes; // from ph_alloc: the edges of a, the edges of b, at most one more
    int32_t count;   // >= 1
    int32_t best;    // of least overlap or largest gap
    bool separated;  // apart or only touching
    PhVec2 mtv;      // of ph_mtv; zero when separated
} PhSat;

// The separating axis test without early exit, for pieces that are not one-sided. Choose the common
// frame near the pieces. stop may be NULL.
PhStatus ph_sat(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb,
                const PhStop *stop, PhSat *out);

#endif

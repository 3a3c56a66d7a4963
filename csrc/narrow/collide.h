// Manifolds: at most two contact points between two pieces. Scalar, float64: the readable twin of
// the lane kernels.
//
// Sources: separating axis test and clipping as in E. Catto, "Contact Manifolds" (2007); rounding
// by radii as in E. Catto, "Computing Distance" (2010).
#ifndef PH_NARROW_COLLIDE_H
#define PH_NARROW_COLLIDE_H

#include <stdint.h>

#include "base/lengths.h"
#include "geometry/piece.h"

typedef struct PhManifoldPoint {
    PhVec2 point;      // midway between the two surfaces, common frame
    double separation; // < 0 when the surfaces overlap
    // High half: the reference feature; bit 31 is set if b owns the reference face, bits 30..16 are
    // the reference vertex or edge. Low half: the incident vertex. The number is stable as long as
    // the same features touch.
    uint32_t feature;
} PhManifoldPoint;

typedef struct PhManifold {
    PhVec2 normal; // unit, from a to b
    int32_t count; // 0, 1, 2; points are ordered along the tangent (normal.y, -normal.x) of the
                   // contact, ascending
    PhManifoldPoint points[2];
} PhManifold;

// Points with separation <= margin. Both transforms map into one common frame; the world puts its
// origin at a's centre of mass. Circles with one centre get the normal (0, 1). Deep overlap takes
// the axis of least penetration. One-sided pieces collide only with what is on their free side or
// comes from there. Their ghost vertices turn a normal that a neighbour would give into no contact.
// The function returns for any input (count 0 for NaN).
void ph_collide(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb, double margin,
                const PhLengths *lengths, PhManifold *out);

// The exact minimum translation of b that separates it from a, without bias. Returns false if they
// are apart or only touch. vector: the push for b.
bool ph_mtv(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb, PhVec2 *vector);

// For two pieces whose cores have no distance. If they only touch (ph_mtv is false): the unit
// normal, from a to b, of a line that separates them. If they overlap: zero.
PhVec2 ph_touch_normal(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb);

#endif

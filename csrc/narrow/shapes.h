// Questions about two whole shapes, over all relevant pairs of their convex pieces.
//
// All transforms map into one common frame. Choose its origin at a, so that no digits are lost far
// from the origin. If stop (which may be NULL) asks for an end, the result so far is returned.
// One-sided pieces (chains) are plain segments here, except in ph_shapes_collide.
#ifndef PH_NARROW_SHAPES_H
#define PH_NARROW_SHAPES_H

#include "geometry/distance.h"
#include "geometry/shape.h"
#include "narrow/collide.h"

// As ph_distance, but with a normal also where the pieces touch: it is zero only if the cores
// overlap. pieces (may be NULL) receives the numbers of the two closest pieces. If the shapes are
// so far apart (1e150 m) that squares overflow, they count as points at their centroids.
PhDistance ph_shapes_distance(const PhShape *a, PhTransform ta, const PhShape *b, PhTransform tb,
                              const PhStop *stop, int32_t pieces[2]);

// The same for two pieces at most 1e150 m from each other.
PhDistance ph_pieces_distance(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb);

// The manifold of the pair of pieces with the least separation; of equals, the one with the lowest
// numbers.
void ph_shapes_collide(const PhShape *a, PhTransform ta, const PhShape *b, PhTransform tb,
                       double margin, const PhStop *stop, PhManifold *out);

// The minimum translation of b that separates it from a; of concave shapes, that of the pair of
// pieces that overlap most. False if they are apart or only touch.
bool ph_shapes_mtv(const PhShape *a, PhTransform ta, const PhShape *b, PhTransform tb,
                   const PhStop *stop, PhVec2 *vector);

#endif

// Whether two pieces have a point in common: the test behind queries and sensors.
#ifndef PH_NARROW_OVERLAP_H
#define PH_NARROW_OVERLAP_H

#include "geometry/piece.h"

// Closed: touching counts. One-sided pieces are plain segments here. False for NaN and infinity.
bool ph_pieces_overlap(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb);

#endif

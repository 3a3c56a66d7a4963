// The core of a piece: what is left of it when a layer of even depth is taken off all around.
//
// Two bodies whose surfaces touch, or overlap by a contact's softness, are no case for continuous
// collision; a core that reaches another body is one.
#ifndef PH_NARROW_PIECE_CORE_H
#define PH_NARROW_PIECE_CORE_H

#include "geometry/piece.h"

// Of polygons with more vertices every second, third ... one counts: the core is a little smaller.
enum { PH_CORE_VERTICES = 16 };

typedef struct PhCore {
    PhPiece piece; // points into this struct: not to be copied
    PhVec2 vertices[2][PH_CORE_VERTICES + 1], normals[PH_CORE_VERTICES + 1];
} PhCore;

// All points of the piece from which a disc of that radius (>= 0) fits into it; for a polygon with
// very many vertices, some of them. Never empty: where nothing is left, a point inside. Of a
// one-sided piece, which has no inside, the piece itself, moved by the depth into what is solid.
void ph_core_make(PhCore *core, const PhPiece *piece, double depth);

#endif

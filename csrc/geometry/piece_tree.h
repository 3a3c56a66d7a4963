// A tree of boxes over the pieces of a shape, and the walk over the pairs of pieces of two shapes
// that may be near each other.
//
// What a question about two shapes costs then depends on what is near, not on the product of the
// numbers of pieces.
#ifndef PH_GEOMETRY_PIECE_TREE_H
#define PH_GEOMETRY_PIECE_TREE_H

#include "base/status.h"
#include "geometry/piece.h"
#include "geometry/sweep.h"

// In depth-first order: the first child of node i is i + 1, the second one follows the first one's
// subtree.
typedef struct PhPieceNode {
    PhAabb box;     // of the pieces below, radius included; shape frame
    int32_t leaves; // pieces below
    int32_t piece;  // of a leaf, else -1
} PhPieceNode;

// Writes 2 count - 1 nodes; order is room for count numbers. False when stop wanted it to end.
bool ph_piece_tree_build(const PhPiece *pieces, int32_t count, PhPieceNode *nodes, int32_t *order,
                         const PhStop *stop);

typedef struct PhMovingPieces {
    const PhPieceNode *nodes; // of a shape with one piece: NULL, and `only` is its box
    PhPieceNode only;
    PhTransform start, end;
    PhVec2 center; // that it turns about, shape frame
    double turn;   // from start to end, radians
} PhMovingPieces;

// Needs 2 log2(pieces) + 1 places at most.
#define PH_PIECE_PAIR_STACK 64

typedef struct PhPairWalkEntry {
    int32_t a, b;       // nodes
    double gap_squared; // of their boxes
} PhPairWalkEntry;

typedef struct PhPairWalk {
    PhMovingPieces a, b;
    double slack;       // of the boxes, for rounding
    const PhStop *stop; // NULL, or ends the walk before its end
    uint32_t looked;    // nodes
    int32_t count;
    PhPairWalkEntry stack[PH_PIECE_PAIR_STACK];
} PhPairWalk;

struct PhShape;

// Common frame: choose it near a. stop may be NULL.
void ph_pair_walk_start(PhPairWalk *walk, const struct PhShape *a, PhTransform ta,
                        const struct PhShape *b, PhTransform tb, const PhStop *stop);
// The pairs that may be near each other at some moment of two motions.
void ph_pair_walk_sweep(PhPairWalk *walk, const struct PhShape *a, const PhSweep *motion_a,
                        const struct PhShape *b, const PhSweep *motion_b);
// During a walk: from here on only moments up to a fraction of the motions it began with matter.
void ph_pair_walk_until(PhPairWalk *walk, const PhSweep *motion_a, const PhSweep *motion_b,
                        double fraction);

// The next pair of pieces whose boxes come within `reach` (>= 0) of each other; near ones tend to
// come first. Every pair comes at most once. False at the end.
bool ph_pair_walk_next(PhPairWalk *walk, double reach, int32_t *piece_a, int32_t *piece_b);

#endif

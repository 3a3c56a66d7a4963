// Classification of pieces for the lane kernels.
//
// Invariant: the box around the core holds all of its vertices, to float32.
#include "narrow/lane_pieces.h"

// Of the size: a quadrilateral whose corners are off a rectangle by less is one.
#define BOX_TOLERANCE 1e-9

static bool is_rectangle(const PhPiece *piece) {
    const PhVec2 *v = piece->vertices;
    PhVec2 x = ph_sub(v[1], v[0]), y = ph_sub(v[3], v[0]);
    PhVec2 skew = ph_sub(ph_add(v[0], v[2]), ph_add(v[1], v[3]));
    double size = piece->extent;
    return fabs(ph_dot(x, y)) <= BOX_TOLERANCE * ph_length(x) * ph_length(y) &&
           ph_length(skew) <= BOX_TOLERANCE * size;
}

PhLaneKind ph_lane_piece_init(const PhPiece *piece, PhLanePlace *place, PhLanePiece *lane) {
    const PhVec2 *v = piece->vertices;
    PhVec2 along = ph_vec(1, 0);
    double hx = 0, hy = 0;
    *lane = (PhLanePiece){.c = 1};
    *place = (PhLanePlace){.middle = v[0], .axis = {1, 0}};
    if (piece->flags & PH_PIECE_ONE_SIDED) {
        return PH_LANE_NONE;
    }
    if (piece->count == 2) {
        along = ph_sub(v[1], v[0]);
        hx = 0.5 * ph_length(along);
        place->middle = ph_lerp(v[0], v[1], 0.5);
    } else if (piece->count == 4 && is_rectangle(piece)) {
        along = ph_sub(v[1], v[0]);
        hx = 0.5 * ph_length(along);
        hy = 0.5 * ph_length(ph_sub(v[3], v[0]));
        place->middle = ph_lerp(v[0], v[2], 0.5);
    } else if (piece->count != 1) {
        return PH_LANE_NONE;
    }
    along = ph_normalize_or(along, ph_vec(1, 0));
    place->axis = (PhRot){along.x, along.y};
    double extent = (sqrt(hx * hx + hy * hy) + piece->radius) * (1 + 1e-6);
    lane->hx = (float)hx;
    lane->hy = (float)hy;
    lane->radius = (float)piece->radius;
    lane->width = (float)piece->width;
    lane->extent = (float)extent;
    if (!(extent >= PH_LANE_LEAST && extent <= PH_LANE_MOST)) {
        return PH_LANE_NONE;
    }
    return piece->count == 1 ? PH_LANE_CIRCLE : PH_LANE_BOX;
}

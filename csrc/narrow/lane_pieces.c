// Classification of pieces for the lane kernels.
//
// Invariant: the box around the core holds all of its vertices, to float32.
#include "narrow/lane_pieces.h"

#include "narrow/faces.h"
#include "narrow/solver_manifold.h"

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

// Edges that nearly continue each other are one side for ph_collide; the kernels know no such
// sides.
static bool has_flat_corner(const PhPiece *piece) {
    for (int32_t i = 0; i < piece->count; i++) {
        int32_t next = i + 1 < piece->count ? i + 1 : 0;
        if (ph_dot(piece->normals[i], piece->normals[next]) > PH_FLAT_COSINE) {
            return true;
        }
    }
    return false;
}

// Middle and half sizes of the box around a polygon, along the axes of its frame.
static void bound_ring(const PhPiece *piece, PhVec2 *middle, double *hx, double *hy) {
    PhVec2 low = piece->vertices[0], high = low;
    for (int32_t i = 1; i < piece->count; i++) {
        PhVec2 v = piece->vertices[i];
        low = ph_vec(v.x < low.x ? v.x : low.x, v.y < low.y ? v.y : low.y);
        high = ph_vec(v.x > high.x ? v.x : high.x, v.y > high.y ? v.y : high.y);
    }
    *middle = ph_lerp(low, high, 0.5);
    *hx = 0.5 * (high.x - low.x);
    *hy = 0.5 * (high.y - low.y);
}

void ph_lane_ring_init(const PhPiece *piece, const PhLanePlace *place, PhLaneRing *ring) {
    for (int32_t i = 0; i < 8; i++) {
        PhLaneRingHalf *half = &ring->half[i / 4];
        bool real = i < piece->count;
        PhVec2 v = ph_sub(piece->vertices[real ? i : 0], place->middle);
        half->x[i % 4] = (float)v.x;
        half->y[i % 4] = (float)v.y;
        half->nx[i % 4] = real ? (float)piece->normals[i].x : 0;
        half->ny[i % 4] = real ? (float)piece->normals[i].y : 0;
        half->offset[i % 4] = real ? (float)ph_dot(piece->normals[i], v) : PH_LANE_NEVER;
    }
}

// Whether the chain turns towards its free side, or goes on straight, where two edges meet.
static bool goes_inwards(PhVec2 edge, PhVec2 next) {
    double turn = ph_cross(edge, next);
    return turn > 0 || (turn == 0 && ph_dot(edge, next) > 0);
}

static bool is_smooth(const PhPiece *chain) {
    const PhVec2 *v = chain->vertices;
    PhVec2 edge = ph_sub(v[1], v[0]);
    return chain->flags & PH_PIECE_GHOST_BEFORE && chain->flags & PH_PIECE_GHOST_AFTER &&
           goes_inwards(ph_sub(v[0], chain->ghost_before), edge) &&
           goes_inwards(edge, ph_sub(chain->ghost_after, v[1]));
}

// Less (radians) counts as straight.
#define LEAST_BEND 1e-4

static bool bends(PhVec2 edge, PhVec2 next) {
    return ph_cross(edge, next) > LEAST_BEND * ph_length(edge) * ph_length(next);
}

// The ends at which a smooth piece bends.
static float bent_ends(const PhPiece *chain) {
    const PhVec2 *v = chain->vertices;
    PhVec2 edge = ph_sub(v[1], v[0]);
    bool before = bends(ph_sub(v[0], chain->ghost_before), edge);
    bool after = bends(edge, ph_sub(chain->ghost_after, v[1]));
    return (before ? PH_LANE_BENT_BEFORE : 0.0f) + (after ? PH_LANE_BENT_AFTER : 0.0f);
}

PhLaneKind ph_lane_piece_init(const PhPiece *piece, const PhLengths *lengths, PhLanePlace *place,
                              PhLanePiece *lane) {
    const PhVec2 *v = piece->vertices;
    PhVec2 along = ph_vec(1, 0);
    double hx = 0, hy = 0;
    PhLaneKind kind = piece->count == 1 ? PH_LANE_CIRCLE : PH_LANE_BOX;
    *lane = (PhLanePiece){.c = 1};
    *place = (PhLanePlace){.middle = v[0], .axis = {1, 0}};
    if (piece->flags & PH_PIECE_ONE_SIDED) {
        kind = PH_LANE_CHAIN;
        lane->smooth = is_smooth(piece) ? 1 + bent_ends(piece) : 0;
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
    } else if (piece->count > 2) {
        if (piece->count > 8 || has_flat_corner(piece)) {
            return PH_LANE_NONE;
        }
        bound_ring(piece, &place->middle, &hx, &hy);
        kind = piece->count > 4 ? PH_LANE_RING_8 : PH_LANE_RING_4;
    }
    along = ph_normalize_or(along, ph_vec(1, 0));
    place->axis = (PhRot){along.x, along.y};
    double extent = sqrt(hx * hx + hy * hy) + piece->radius;
    lane->hx = (float)hx;
    lane->hy = (float)hy;
    lane->radius = (float)piece->radius;
    lane->width = piece->width > 0 ? (float)piece->width : INFINITY;
    if (extent > lengths->lane_most && extent < INFINITY &&
        piece->radius < lengths->lane_most / 2) {
        return kind == PH_LANE_BOX     ? PH_LANE_LONG_BOX
               : kind == PH_LANE_CHAIN ? PH_LANE_LONG_CHAIN
                                       : PH_LANE_NONE;
    }
    return extent >= lengths->lane_least && extent <= lengths->lane_most ? kind : PH_LANE_NONE;
}

// What lies of -half .. half within `reach` of `at`. Returns whether an end does.
static bool cut(double half, double at, double reach, double *low, double *high) {
    *low = at - reach > -half ? at - reach : -half;
    *high = at + reach < half ? at + reach : half;
    return *low == -half || *high == half;
}

bool ph_lane_piece_window(const PhPiece *piece, const PhLanePlace *place, PhTransform transform,
                          PhVec2 center, const PhLanePiece *lane, const PhLanePiece *other,
                          const PhLengths *lengths, PhLanePiece *window) {
    const PhVec2 *v = piece->vertices;
    double hx = 0.5 * ph_length(ph_sub(v[1], v[0]));
    double hy = piece->count == 4 ? 0.5 * ph_length(ph_sub(v[3], v[0])) : 0;
    double size = (double)(other->hx + other->hy + other->radius);
    // No contact is searched for beyond the other's own size, so that a side which the window makes
    // is further away than any that counts, and no point is on its ends.
    double reach = 4 * (size + lengths->speculative) + (double)lane->radius, low[2], high[2];
    PhRot axis = {transform.q.c * place->axis.c - transform.q.s * place->axis.s,
                  transform.q.s * place->axis.c + transform.q.c * place->axis.s};
    PhVec2 middle = ph_apply(transform, place->middle);
    PhVec2 at = ph_unrotate(axis, ph_sub(ph_vec(other->x, other->y), middle));
    bool end_x = cut(hx, at.x, reach, &low[0], &high[0]);
    bool end_y = cut(hy, at.y, reach, &low[1], &high[1]);
    // Segments have no face at their ends.
    if (!(hy > 0 ? end_x || end_y : end_y) || !(low[0] < high[0] && low[1] <= high[1])) {
        return false;
    }
    middle =
        ph_add(middle, ph_rotate(axis, ph_vec(0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]))));
    *window = *lane;
    window->x = middle.x;
    window->y = middle.y;
    window->hx = (float)(0.5 * (high[0] - low[0]));
    window->hy = (float)(0.5 * (high[1] - low[1]));
    window->arm_x = (float)(middle.x - center.x);
    window->arm_y = (float)(middle.y - center.y);
    return true;
}

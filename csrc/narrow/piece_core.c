// Takes a layer off a piece: from the radius first, then by cutting along lines parallel to the
// edges.
//
// Invariant: the core lies in the piece, at least `depth` away from its outline, or is the centroid
// alone.
//
// Source: the inner parallel body of a convex polygon is the intersection of its half planes moved
// inwards (R. Schneider, "Convex Bodies: The Brunn-Minkowski Theory", 1993); cutting by one half
// plane after the other, I. Sutherland and G. Hodgman, "Reentrant Polygon Clipping" (1974).
#include "narrow/piece_core.h"

// Keeps what is on the left of the line through p along d (unit): a cut of a convex ring adds at
// most one vertex.
static int32_t cut(const PhVec2 *from, int32_t count, PhVec2 p, PhVec2 d, PhVec2 *to) {
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        PhVec2 a = from[i], b = from[i + 1 < count ? i + 1 : 0];
        double ha = ph_cross(d, ph_sub(a, p)), hb = ph_cross(d, ph_sub(b, p));
        if (ha >= 0 && kept <= PH_CORE_VERTICES) {
            to[kept++] = a;
        }
        if (((ha > 0 && hb < 0) || (ha < 0 && hb > 0)) && kept <= PH_CORE_VERTICES) {
            to[kept++] = ph_lerp(a, b, ha / (ha - hb));
        }
    }
    return kept;
}

static void cut_ring(PhCore *core, double depth) {
    PhPiece *piece = &core->piece;
    int32_t stride = (piece->count + PH_CORE_VERTICES - 1) / PH_CORE_VERTICES, count = 0;
    PhVec2 ring[PH_CORE_VERTICES], *now = core->vertices[0], *next = core->vertices[1];
    for (int32_t i = 0; i < piece->count; i += stride) {
        now[count] = ring[count] = piece->vertices[i];
        count++;
    }
    int32_t edges = count;
    for (int32_t i = 0; i < edges && count > 0; i++) {
        PhVec2 a = ring[i], edge = ph_sub(ring[i + 1 < edges ? i + 1 : 0], a);
        PhVec2 along = ph_normalize_or(edge, ph_vec(1, 0));
        count = cut(now, count, ph_mul_add(a, depth, ph_left(along)), along, next);
        PhVec2 *swap = now;
        now = next;
        next = swap;
    }
    if (count == 0) {
        now[count++] = piece->centroid;
    }
    for (int32_t i = 0; i < count; i++) {
        PhVec2 edge = ph_sub(now[i + 1 < count ? i + 1 : 0], now[i]);
        core->normals[i] = ph_normalize_or(ph_right(edge), ph_vec(1, 0));
    }
    piece->vertices = now;
    piece->normals = core->normals;
    piece->count = count;
}

void ph_core_make(PhCore *core, const PhPiece *piece, double depth) {
    core->piece = *piece;
    if (!(depth > 0)) {
        return;
    }
    if (piece->flags & PH_PIECE_ONE_SIDED) {
        for (int i = 0; i < 2; i++) {
            core->vertices[0][i] = ph_mul_add(piece->vertices[i], -depth, piece->normals[1]);
        }
        core->piece.vertices = core->vertices[0];
        return;
    }
    double off = depth < piece->radius ? depth : piece->radius;
    core->piece.radius = piece->radius - off;
    if (piece->count >= 3 && depth > off) {
        cut_ring(core, depth - off);
    }
}

// Overlap of two pieces: separating faces first, and the distance of the cores where faces alone
// cannot tell (corners of rounded pieces, pieces without area).
#include "narrow/overlap.h"

#include "geometry/distance.h"
#include "narrow/faces.h"

bool ph_pieces_overlap(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb) {
    tb.p = ph_sub(tb.p, ta.p);
    ta.p = ph_vec(0, 0);
    double reach = a->extent + b->extent;
    double radii = a->radius + b->radius + 1e-15 * reach; // slack for rounding: touching counts
    PhVec2 offset = ph_sub(ph_apply(tb, b->centroid), ph_apply(ta, a->centroid));
    if (!(ph_length_squared(offset) <= reach * reach * (1 + 1e-14))) {
        return false;
    }
    double face_a = ph_best_face(a, b, ph_relative(tb, ta), radii).separation;
    if (face_a > radii) {
        return false;
    }
    double face_b = ph_best_face(b, a, ph_relative(ta, tb), radii).separation;
    if (face_b > radii) {
        return false;
    }
    // A pair with an area: the faces of both are all the faces of the difference.
    bool has_area = a->count > 2 || b->count > 2;
    if (has_area && face_a <= 1e-15 * reach && face_b <= 1e-15 * reach) {
        return true;
    }
    return ph_core_distance(a, ta, b, tb).distance <= radii;
}

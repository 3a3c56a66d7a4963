// Manifolds between pieces with at least two vertices: polygons, capsules, segments, rounded or
// not.
//
// Order of the cases: corners that face each other over a gap of the cores give one point along
// their connection; else the reference face (a's, unless b's is better by the bias of PhLengths)
// gives up to two points by clipping; should the favoured face miss the deepest vertex, the better
// one is taken.
//
// Sources: E. Catto, "Contact Manifolds" (2007) and "Computing Distance" (2010), for rounded
// corners.
#include "narrow/faces.h"

// The face that separates most; the engine is content with the first that does.
static void record_apart(PhClipRecorder *recorder, const PhPiece *a, PhTransform ta,
                         const PhPiece *b, PhTransform tb, const PhLengths *lengths) {
    PhFace face_a = ph_best_face(a, b, ph_relative(tb, ta), INFINITY);
    PhFace face_b = ph_best_face(b, a, ph_relative(ta, tb), INFINITY);
    bool flipped = face_b.separation > face_a.separation;
    PhSides sides = flipped ? ph_sides(b, tb, face_b, a, ta, true, lengths)
                            : ph_sides(a, ta, face_a, b, tb, false, lengths);
    ph_record_sides(recorder, PH_CONTACT_APART, &sides);
}

void ph_collide_polygons(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb,
                         double margin, const PhLengths *lengths, PhClipRecorder *recorder,
                         PhManifold *out) {
    double radii = a->radius + b->radius;
    PhFace face_a = ph_best_face(a, b, ph_relative(tb, ta), margin + radii), face_b = face_a;
    bool apart = face_a.separation - radii > margin;
    if (!apart) {
        face_b = ph_best_face(b, a, ph_relative(ta, tb), margin + radii);
        apart = face_b.separation - radii > margin;
    }
    if (apart) {
        if (recorder) {
            record_apart(recorder, a, ta, b, tb, lengths);
        }
        return;
    }

    bool best_is_b = face_b.separation > face_a.separation;
    bool flipped = face_b.separation > face_a.separation + lengths->axis_bias;
    double best = best_is_b ? face_b.separation : face_a.separation;
    PhSides sides = flipped ? ph_sides(b, tb, face_b, a, ta, true, lengths)
                            : ph_sides(a, ta, face_a, b, tb, false, lengths);
    PhSides best_sides = sides;
    PhCorners corners = {.meet = false};
    // Collinear segments are apart although no face separates them: hence a little below zero.
    if (best > -10 * lengths->tiny) {
        if (best_is_b != flipped) {
            best_sides = ph_sides(b, tb, face_b, a, ta, true, lengths);
        }
        corners = ph_corners(&best_sides);
        if (ph_corners_rule(&corners, best, lengths)) {
            if (recorder) {
                ph_record_sides(recorder, PH_CONTACT_CORNERS, &best_sides);
                ph_record_corners(recorder, &corners);
            }
            ph_corner_manifold(&corners, a->radius, b->radius, margin, out);
            return;
        }
    }
    PhFace face = best_is_b ? face_b : face_a;
    if (ph_clip_to(&sides, flipped ? face_b.separation : face_a.separation, margin, lengths,
                   recorder, out)) {
        return;
    }
    if (best_is_b != flipped) {
        sides = ph_sides(b, tb, face_b, a, ta, true, lengths);
        if (ph_clip_to(&sides, face_b.separation, margin, lengths, recorder, out)) {
            return;
        }
    }
    out->count = 0;
    if (corners.meet && corners.distance > lengths->tiny) {
        if (recorder) {
            ph_record_corners(recorder, &corners);
        }
        ph_corner_manifold(&corners, a->radius, b->radius, margin, out);
        return;
    }
    // Touching corners: the deepest vertex of the best face.
    if (recorder) {
        recorder->kind = PH_CONTACT_VERTEX;
    }
    PhVec2 normal =
        best_is_b ? ph_rotate(tb.q, b->normals[face.edge]) : ph_rotate(ta.q, a->normals[face.edge]);
    PhVec2 point =
        best_is_b ? ph_apply(ta, a->vertices[face.vertex]) : ph_apply(tb, b->vertices[face.vertex]);
    ph_point_manifold(normal, point, face.separation, best_is_b ? b->radius : a->radius,
                      best_is_b ? a->radius : b->radius,
                      ph_feature(best_is_b, face.edge, face.vertex), margin, out);
    if (best_is_b) {
        out->normal = ph_neg(out->normal);
    }
}

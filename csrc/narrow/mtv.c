// Minimum translation: the shortest vector from the origin to the boundary of the difference of two
// pieces.
//
// With the cores apart by less than the radii it lies along their distance; with the cores
// overlapping it is normal to a face of their difference, and those are the faces of the two cores.
// Radii add to either.
//
// Source: S. Cameron, R. Culley, "Determining the minimum translational distance between two convex
// polyhedra" (1986).
#include "geometry/distance.h"
#include "narrow/faces.h"

typedef struct Translation {
    PhFace face;
    bool of_b;
    PhVec2 normal; // from a to b, common frame
} Translation;

// Of the faces of overlapping cores, the one with the shortest translation out of it.
static Translation shortest_translation(const PhPiece *a, PhTransform ta, const PhPiece *b,
                                        PhTransform tb) {
    PhFace face_a = ph_best_face(a, b, ph_relative(tb, ta), INFINITY);
    PhFace face_b = ph_best_face(b, a, ph_relative(ta, tb), INFINITY);
    if (face_b.separation > face_a.separation) {
        return (Translation){face_b, true, ph_neg(ph_rotate(tb.q, b->normals[face_b.edge]))};
    }
    return (Translation){face_a, false, ph_rotate(ta.q, a->normals[face_a.edge])};
}

// Touching to rounding is no overlap.
static bool is_deep(double depth, const PhPiece *a, const PhPiece *b) {
    return depth > 1e-15 * (a->extent + b->extent);
}

PhVec2 ph_touch_normal(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb) {
    if (a->count == 1 && b->count == 1) {
        return ph_vec(0, 0);
    }
    tb.p = ph_sub(tb.p, ta.p);
    ta.p = ph_vec(0, 0);
    Translation translation = shortest_translation(a, ta, b, tb);
    bool deep = is_deep(a->radius + b->radius - translation.face.separation, a, b);
    return deep ? ph_vec(0, 0) : ph_add(translation.normal, ph_vec(0, 0)); // no negative zeros
}

bool ph_mtv(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb, PhVec2 *vector) {
    PhMtv mtv;
    bool overlap = ph_mtv_recorded(a, ta, b, tb, &mtv);
    *vector = mtv.vector;
    return overlap;
}

bool ph_mtv_recorded(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb,
                     PhMtv *out) {
    tb.p = ph_sub(tb.p, ta.p);
    ta.p = ph_vec(0, 0);
    double radii = a->radius + b->radius, depth;
    PhVec2 normal;
    PhDistance cores = ph_core_distance(a, ta, b, tb);
    *out = (PhMtv){.cores = cores};
    if (cores.distance > ph_lengths_of_one.tiny || (a->count == 1 && b->count == 1)) {
        depth = radii - cores.distance;
        normal = ph_normalize_or(cores.normal, ph_vec(0, 1));
    } else {
        Translation translation = shortest_translation(a, ta, b, tb);
        out->by_face = true;
        out->owner = translation.of_b;
        out->edge = translation.face.edge;
        depth = radii - translation.face.separation;
        normal = translation.normal;
    }
    PhVec2 push = ph_scale(depth, normal);
    if (!is_deep(depth, a, b) || !(fabs(push.x) + fabs(push.y) < INFINITY)) {
        return false;
    }
    out->vector = push;
    return true;
}

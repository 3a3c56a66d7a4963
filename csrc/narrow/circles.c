// Manifolds of circles: one point, along the line from the nearest point of the other core to the
// centre.
//
// Source: C. Ericson, "Real-Time Collision Detection" (2004), section 5.1, for the regions of edges
// and vertices.
#include "narrow/faces.h"

void ph_collide_circles(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb,
                        double margin, PhManifold *out) {
    PhVec2 center_a = ph_apply(ta, a->vertices[0]), center_b = ph_apply(tb, b->vertices[0]);
    PhVec2 offset = ph_sub(center_b, center_a);
    PhVec2 normal = ph_normalize_or(offset, ph_vec(0, 1));
    ph_point_manifold(normal, center_b, ph_length(offset), a->radius, b->radius, 0, margin, out);
}

// The face nearest to a point in the piece's frame; the first of equals.
static int32_t find_face(const PhPiece *piece, PhVec2 point, double *separation) {
    int32_t best = 0;
    double most = -INFINITY;
    for (int32_t i = 0; i < piece->count; i++) {
        double s = ph_dot(piece->normals[i], ph_sub(point, piece->vertices[i]));
        best = s > most ? i : best;
        most = s > most ? s : most;
    }
    *separation = most;
    return best;
}

// Vertex of the piece in whose region the point is, or -1 when it is above `*edge`. Walks on to
// neighbours, since of collinear edges any may have been found.
static int32_t find_region(const PhPiece *piece, PhVec2 point, int32_t *edge) {
    int direction = 0;
    for (int32_t step = 0; step < piece->count; step++) {
        int32_t first = *edge, second = first + 1 < piece->count ? first + 1 : 0;
        PhVec2 p = piece->vertices[first], q = piece->vertices[second], along = ph_sub(q, p);
        bool before = ph_dot(ph_sub(point, p), along) < 0;
        bool after = ph_dot(ph_sub(point, q), along) > 0;
        if (!before && !after)
            return -1;
        if (before) {
            if (direction > 0)
                return first;
            direction = -1;
            *edge = first > 0 ? first - 1 : piece->count - 1;
        } else {
            if (direction < 0)
                return second;
            direction = 1;
            *edge = second;
        }
    }
    return *edge;
}

void ph_collide_circle(const PhPiece *piece, PhTransform tp, const PhPiece *circle, PhTransform tc,
                       double margin, PhManifold *out) {
    PhVec2 center = ph_apply(tc, circle->vertices[0]);
    PhVec2 local = ph_unapply(tp, center);
    double separation;
    int32_t edge = find_face(piece, local, &separation);
    if (separation > margin + piece->radius + circle->radius)
        return;
    PhVec2 normal = piece->normals[edge];
    int32_t reference = edge;
    if (separation >= 0) {
        int32_t above = edge, vertex = find_region(piece, local, &above);
        if (vertex >= 0) {
            PhVec2 offset = ph_sub(local, piece->vertices[vertex]);
            double distance = ph_length(offset);
            if (distance > PH_TINY_LENGTH) {
                normal = ph_scale(1 / distance, offset);
                separation = distance;
                reference = vertex;
            }
        } else if (above != edge) {
            normal = piece->normals[above];
            separation = ph_dot(normal, ph_sub(local, piece->vertices[above]));
            reference = above;
        }
    }
    ph_point_manifold(ph_rotate(tp.q, normal), center, separation, piece->radius, circle->radius,
                      ph_feature(false, reference, 0), margin, out);
}

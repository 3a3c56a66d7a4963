// Manifolds of circles: one point, along the line from the nearest point of the other core to the
// centre.
//
// Source: C. Ericson, "Real-Time Collision Detection" (2004), section 5.1, for the regions of edges
// and vertices.
#include "narrow/faces.h"

static void record_points(PhClipRecorder *recorder, PhVec2 from, PhVec2 to, PhVec2 center,
                          PhVec2 normal) {
    *recorder = (PhClipRecorder){.kind = PH_CONTACT_CIRCLE,
                                 .normal = normal,
                                 .reference = {from, to},
                                 .incident = {center, center}};
}

void ph_collide_circles(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb,
                        double margin, PhClipRecorder *recorder, PhManifold *out) {
    PhVec2 center_a = ph_apply(ta, a->vertices[0]), center_b = ph_apply(tb, b->vertices[0]);
    PhVec2 offset = ph_sub(center_b, center_a);
    PhVec2 normal = ph_normalize_or(offset, ph_vec(0, 1));
    if (recorder) {
        record_points(recorder, center_a, center_a, center_b, normal);
    }
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
        if (!before && !after) {
            return -1;
        }
        if (before) {
            if (direction > 0) {
                return first;
            }
            direction = -1;
            *edge = first > 0 ? first - 1 : piece->count - 1;
        } else {
            if (direction < 0) {
                return second;
            }
            direction = 1;
            *edge = second;
        }
    }
    return *edge;
}

static void record_region(PhClipRecorder *recorder, const PhPiece *piece, PhTransform tp,
                          int32_t reference, bool is_edge, PhVec2 center, PhVec2 normal) {
    int32_t next = reference + 1 < piece->count ? reference + 1 : 0;
    PhVec2 from = ph_apply(tp, piece->vertices[reference]);
    PhVec2 to = is_edge ? ph_apply(tp, piece->vertices[next]) : from;
    record_points(recorder, from, to, center, ph_rotate(tp.q, normal));
    recorder->along = is_edge ? ph_left(recorder->normal) : ph_vec(0, 0);
}

void ph_collide_circle(const PhPiece *piece, PhTransform tp, const PhPiece *circle, PhTransform tc,
                       double margin, const PhLengths *lengths, PhClipRecorder *recorder,
                       PhManifold *out) {
    PhVec2 center = ph_apply(tc, circle->vertices[0]);
    PhVec2 local = ph_unapply(tp, center);
    double separation;
    int32_t edge = find_face(piece, local, &separation);
    PhVec2 normal = piece->normals[edge];
    if (separation > margin + piece->radius + circle->radius) {
        if (recorder) {
            record_region(recorder, piece, tp, edge, true, center, normal);
        }
        return;
    }
    int32_t reference = edge;
    bool is_edge = true;
    if (separation >= 0) {
        int32_t above = edge, vertex = find_region(piece, local, &above);
        if (vertex >= 0) {
            PhVec2 offset = ph_sub(local, piece->vertices[vertex]);
            double distance = ph_length(offset);
            if (distance > lengths->tiny) {
                normal = ph_scale(1 / distance, offset);
                separation = distance;
                reference = vertex;
                is_edge = false;
            }
        } else if (above != edge) {
            normal = piece->normals[above];
            separation = ph_dot(normal, ph_sub(local, piece->vertices[above]));
            reference = above;
        }
    }
    if (recorder) {
        record_region(recorder, piece, tp, reference, is_edge, center, normal);
    }
    ph_point_manifold(ph_rotate(tp.q, normal), center, separation, piece->radius, circle->radius,
                      ph_feature(false, reference, 0), margin, out);
}

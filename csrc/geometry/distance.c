// Distance between convex pieces by GJK.
//
// The difference of the two cores, { x - y : x in a, y in b }, is a convex polygon. Its point
// nearest to the origin gives the distance. GJK approaches that point with a simplex of at most
// three of the polygon's vertices.
//
// Invariant: the distance of the simplex from the origin falls with every round, so the search
// cannot cycle. The bound on the rounds only guards against NaN.
//
// The search is done in the frame of a, so only b is rotated.
//
// Sources: E. Gilbert, D. Johnson, S. Keerthi, "A fast procedure for computing the distance between
// complex objects in three-dimensional space" (1988); G. van den Bergen, "Collision Detection in
// Interactive 3D Environments" (2003), for the stopping rules; E. Catto, "Computing Distance"
// (2010), for radii as a skin around the cores.
#include "geometry/distance.h"

#include <stddef.h>

typedef struct Vertex {
    PhVec2 w; // vertex of a minus vertex of b
    int32_t index_a, index_b;
} Vertex;

typedef struct Simplex {
    Vertex vertex[3];
    double weight[3]; // barycentric coordinates of the point nearest to the origin
    int32_t count;    // 3: the origin is inside
    double distance_squared;
} Simplex;

// The vertex furthest along the direction; the first of equals. It has no branches that depend on
// the numbers, because half of them would be mispredicted.
static inline int32_t find_furthest(const PhPiece *piece, PhVec2 direction) {
    int32_t best = 0;
    double height = ph_dot(piece->vertices[0], direction);
    for (int32_t i = 1; i < piece->count; i++) {
        double h = ph_dot(piece->vertices[i], direction);
        best = h > height ? i : best;
        height = h > height ? h : height;
    }
    return best;
}

static inline Vertex find_support(const PhPiece *a, const PhPiece *b, PhTransform tb,
                                  PhVec2 direction) {
    Vertex v;
    v.index_a = find_furthest(a, direction);
    v.index_b = find_furthest(b, ph_unrotate(tb.q, ph_neg(direction)));
    v.w = ph_sub(a->vertices[v.index_a], ph_apply(tb, b->vertices[v.index_b]));
    return v;
}

static inline void reduce_to_point(Simplex *s, Vertex v) {
    s->vertex[0] = v;
    s->weight[0] = 1;
    s->count = 1;
    s->distance_squared = ph_length_squared(v.w);
}

static inline void reduce_to_segment(Simplex *s, Vertex p, Vertex q) {
    PhVec2 edge = ph_sub(q.w, p.w);
    double along = -ph_dot(p.w, edge), length_squared = ph_length_squared(edge);
    if (!(along > 0)) {
        reduce_to_point(s, p);
    } else if (!(along < length_squared)) {
        reduce_to_point(s, q);
    } else {
        // The height by the cross product keeps more digits than the length of the nearest point
        // does.
        double area = ph_cross(edge, p.w), inverse = 1 / length_squared;
        s->vertex[0] = p;
        s->vertex[1] = q;
        s->weight[1] = along * inverse;
        s->weight[0] = 1 - s->weight[1];
        s->count = 2;
        s->distance_squared = area * area * inverse;
    }
}

// Reduces the triangle of a segment and a vertex that was found on the origin's side of it.
static void reduce_triangle(Simplex *s, Vertex p, Vertex q, Vertex r) {
    double area = ph_cross(ph_sub(q.w, p.w), ph_sub(r.w, p.w));
    double part[3] = {ph_cross(q.w, r.w), ph_cross(r.w, p.w), ph_cross(p.w, q.w)};
    double sign = area < 0 ? -1 : 1;
    if (area != 0 && sign * part[0] >= 0 && sign * part[1] >= 0 && sign * part[2] >= 0) {
        *s = (Simplex){{p, q, r}, {part[0] / area, part[1] / area, part[2] / area}, 3, 0};
        return;
    }
    // r lies on the origin's side of p q, so the nearest point is on another edge. If the origin is
    // outside of only one of them, it is on that one.
    bool beyond_rp = sign * part[1] < 0, beyond_qr = sign * part[0] < 0;
    if (area != 0 && beyond_rp != beyond_qr) {
        reduce_to_segment(s, beyond_rp ? p : r, beyond_rp ? r : q);
    } else {
        Simplex other = {.count = 0};
        reduce_to_segment(s, p, r);
        reduce_to_segment(&other, r, q);
        if (other.distance_squared < s->distance_squared) {
            *s = other;
        }
    }
}

// The direction from the simplex to the origin, not normalised; zero if the origin lies on the
// simplex.
static PhVec2 search_direction(const Simplex *s) {
    if (s->count == 1) {
        return ph_neg(s->vertex[0].w);
    }
    PhVec2 edge = ph_sub(s->vertex[1].w, s->vertex[0].w);
    double side = ph_cross(edge, s->vertex[0].w);
    if (side == 0) {
        return ph_vec(0, 0);
    }
    return side < 0 ? ph_left(edge) : ph_right(edge);
}

static bool holds(const Simplex *s, const Vertex *v) {
    for (int32_t i = 0; i < s->count; i++) {
        if (s->vertex[i].index_a == v->index_a && s->vertex[i].index_b == v->index_b) {
            return true;
        }
    }
    return false;
}

// q rotates a's frame into the common frame.
static void record(PhGjkRecorder *recorder, PhRot q, PhVec2 direction, PhVec2 support,
                   const Simplex *s) {
    if (recorder->count > PH_GJK_ROUNDS) {
        return;
    }
    PhGjkRound *round = &recorder->round[recorder->count++];
    *round = (PhGjkRound){.direction = ph_rotate(q, direction),
                          .support = ph_rotate(q, support),
                          .count = s->count,
                          .distance = sqrt(s->distance_squared)};
    for (int32_t i = 0; i < s->count; i++) {
        round->simplex[i] = ph_rotate(q, s->vertex[i].w);
        if (s->count < 3) {
            round->closest = ph_mul_add(round->closest, s->weight[i], round->simplex[i]);
        }
    }
}

// Both results are in a's frame; tb maps b into it.
static inline PhVec2 walk(const PhPiece *a, const PhPiece *b, PhTransform tb, Simplex *simplex,
                          PhRot q, PhGjkRecorder *recorder) {
    PhVec2 direction = ph_sub(ph_apply(tb, b->centroid), a->centroid);
    reduce_to_point(simplex, find_support(a, b, tb, direction));
    if (recorder) {
        record(recorder, q, direction, simplex->vertex[0].w, simplex);
    }
    direction = search_direction(simplex);
    for (int round = 0; round < PH_GJK_ROUNDS && ph_length_squared(direction) > 0; round++) {
        Vertex next = find_support(a, b, tb, direction);
        if (holds(simplex, &next) ||
            !(ph_dot(direction, ph_sub(next.w, simplex->vertex[0].w)) > 0)) {
            if (recorder) {
                record(recorder, q, direction, next.w, simplex);
            }
            break;
        }
        Simplex grown;
        if (simplex->count == 1) {
            reduce_to_segment(&grown, simplex->vertex[0], next);
        } else {
            reduce_triangle(&grown, simplex->vertex[0], simplex->vertex[1], next);
        }
        bool nearer = grown.distance_squared < simplex->distance_squared;
        if (nearer) {
            *simplex = grown;
        }
        if (recorder) {
            record(recorder, q, direction, next.w, simplex);
        }
        if (!nearer || simplex->count == 3) {
            break;
        }
        direction = search_direction(simplex);
    }
    return direction;
}

static inline PhDistance find_distance(const PhPiece *a, PhTransform ta, const PhPiece *b,
                                       PhTransform tb, PhGjkRecorder *recorder) {
    PhTransform b_to_a = ph_relative(ta, tb);
    Simplex simplex;
    if (recorder) {
        recorder->count = 0;
    }
    PhVec2 direction = walk(a, b, b_to_a, &simplex, ta.q, recorder);

    PhVec2 point_a = {0, 0}, point_b = {0, 0};
    for (int32_t i = 0; i < simplex.count; i++) {
        const Vertex *v = &simplex.vertex[i];
        point_a = ph_mul_add(point_a, simplex.weight[i], a->vertices[v->index_a]);
        point_b = ph_mul_add(point_b, simplex.weight[i], b->vertices[v->index_b]);
    }
    PhDistance result = {.distance = sqrt(simplex.distance_squared),
                         .point_a = ph_apply(ta, point_a),
                         .point_b = ph_apply(tb, point_b)};
    if (simplex.count < 3 && simplex.distance_squared > 0) {
        result.normal = ph_rotate(ta.q, ph_normalize_or(direction, ph_vec(0, 0)));
    }
    return result;
}

PhDistance ph_core_distance(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb) {
    return find_distance(a, ta, b, tb, NULL);
}

PhDistance ph_core_distance_recorded(const PhPiece *a, PhTransform ta, const PhPiece *b,
                                     PhTransform tb, PhGjkRecorder *recorder) {
    return find_distance(a, ta, b, tb, recorder);
}

// The distance of the surfaces, from that of the cores.
static PhDistance take_off_radii(PhDistance cores, double radius_a, double radius_b) {
    PhDistance result = cores;
    double gap = cores.distance - (radius_a + radius_b);
    if (gap <= 0) {
        // Midway between the surfaces, but within both cores: that point is in both pieces.
        double along = 0.5 * (cores.distance + radius_a - radius_b);
        along = along < 0 ? 0 : along > cores.distance ? cores.distance : along;
        result.point_a = result.point_b = ph_mul_add(cores.point_a, along, cores.normal);
        result.distance = 0;
        return result;
    }
    result.point_a = ph_mul_add(cores.point_a, radius_a, cores.normal);
    result.point_b = ph_mul_add(cores.point_b, -radius_b, cores.normal);
    result.distance = gap;
    return result;
}

PhDistance ph_distance(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb) {
    return take_off_radii(find_distance(a, ta, b, tb, NULL), a->radius, b->radius);
}

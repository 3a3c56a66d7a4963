// Distance between convex pieces by GJK.
//
// The difference of the two cores, { x - y : x in a, y in b }, is a convex polygon; its point
// nearest to the origin gives the distance. GJK walks there with a simplex of at most three of its
// vertices. Invariant: the distance of the simplex to the origin falls with every round, so the
// walk cannot cycle; the bound on the rounds only guards against NaN.
//
// Sources: E. Gilbert, D. Johnson, S. Keerthi, "A fast procedure for computing the distance between
// complex objects in three-dimensional space" (1988); G. van den Bergen, "Collision Detection in
// Interactive 3D Environments" (2003), for the stopping rules; E. Catto, "Computing Distance"
// (2010), for radii as a skin around the cores.
#include "geometry/distance.h"

enum { MAX_ROUNDS = 128 };

typedef struct Vertex {
    PhVec2 a, b;   // vertices of the cores, common frame
    PhVec2 w;      // a - b
    double weight; // barycentric coordinate of the point nearest to the origin
    int32_t index_a, index_b;
} Vertex;

typedef struct Simplex {
    Vertex vertex[3];
    int32_t count; // 3: the origin is inside
    double distance_squared;
} Simplex;

static Vertex find_support(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb,
                           PhVec2 direction) {
    Vertex v = {.weight = 1};
    v.index_a = ph_piece_support(a, ph_unrotate(ta.q, direction));
    v.index_b = ph_piece_support(b, ph_unrotate(tb.q, ph_neg(direction)));
    v.a = ph_apply(ta, a->vertices[v.index_a]);
    v.b = ph_apply(tb, b->vertices[v.index_b]);
    v.w = ph_sub(v.a, v.b);
    return v;
}

static Simplex reduce_point(Vertex v) {
    v.weight = 1;
    return (Simplex){{v}, 1, ph_length_squared(v.w)};
}

static Simplex reduce_segment(Vertex p, Vertex q) {
    PhVec2 edge = ph_sub(q.w, p.w);
    double along = -ph_dot(p.w, edge), length_squared = ph_length_squared(edge);
    if (!(along > 0))
        return reduce_point(p);
    if (!(along < length_squared))
        return reduce_point(q);
    // The height by the cross product keeps more digits than the length of the nearest point.
    double area = ph_cross(edge, p.w);
    q.weight = along / length_squared;
    p.weight = 1 - q.weight;
    return (Simplex){{p, q}, 2, area * area / length_squared};
}

static Simplex reduce_triangle(const Vertex v[3]) {
    double area = ph_cross(ph_sub(v[1].w, v[0].w), ph_sub(v[2].w, v[0].w));
    double part[3] = {ph_cross(v[1].w, v[2].w), ph_cross(v[2].w, v[0].w), ph_cross(v[0].w, v[1].w)};
    double sign = area < 0 ? -1 : 1;
    if (area != 0 && sign * part[0] >= 0 && sign * part[1] >= 0 && sign * part[2] >= 0) {
        Simplex inside = {{v[0], v[1], v[2]}, 3, 0};
        for (int i = 0; i < 3; i++)
            inside.vertex[i].weight = part[i] / area;
        return inside;
    }
    Simplex best = reduce_segment(v[0], v[1]);
    Simplex other = reduce_segment(v[1], v[2]);
    if (other.distance_squared < best.distance_squared)
        best = other;
    other = reduce_segment(v[2], v[0]);
    return other.distance_squared < best.distance_squared ? other : best;
}

// From the simplex towards the origin, not of unit length; zero when the origin lies on the
// simplex.
static PhVec2 search_direction(const Simplex *s) {
    if (s->count == 1)
        return ph_neg(s->vertex[0].w);
    PhVec2 edge = ph_sub(s->vertex[1].w, s->vertex[0].w);
    double side = ph_cross(edge, s->vertex[0].w);
    if (side == 0)
        return ph_vec(0, 0);
    return side < 0 ? ph_left(edge) : ph_right(edge);
}

static bool holds(const Simplex *s, const Vertex *v) {
    for (int32_t i = 0; i < s->count; i++)
        if (s->vertex[i].index_a == v->index_a && s->vertex[i].index_b == v->index_b)
            return true;
    return false;
}

PhDistance ph_core_distance(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb) {
    PhVec2 origin = ta.p; // digits: work close to the pieces, wherever the common frame is
    tb.p = ph_sub(tb.p, origin);
    ta.p = ph_vec(0, 0);
    PhVec2 toward = ph_sub(ph_apply(tb, b->centroid), ph_apply(ta, a->centroid));
    Simplex simplex = reduce_point(find_support(a, ta, b, tb, toward));
    PhVec2 direction = search_direction(&simplex);
    for (int round = 0; round < MAX_ROUNDS && ph_length_squared(direction) > 0; round++) {
        Vertex next = find_support(a, ta, b, tb, direction);
        if (holds(&simplex, &next) || !(ph_dot(direction, ph_sub(next.w, simplex.vertex[0].w)) > 0))
            break;
        Simplex grown =
            simplex.count == 1
                ? reduce_segment(simplex.vertex[0], next)
                : reduce_triangle((Vertex[3]){simplex.vertex[0], simplex.vertex[1], next});
        if (!(grown.distance_squared < simplex.distance_squared))
            break;
        simplex = grown;
        if (simplex.count == 3)
            break;
        direction = search_direction(&simplex);
    }

    PhDistance result = {
        .distance = sqrt(simplex.distance_squared), .point_a = origin, .point_b = origin};
    for (int32_t i = 0; i < simplex.count; i++) {
        const Vertex *v = &simplex.vertex[i];
        result.point_a = ph_mul_add(result.point_a, v->weight, v->a);
        result.point_b = ph_mul_add(result.point_b, v->weight, v->b);
    }
    if (simplex.count < 3 && simplex.distance_squared > 0)
        result.normal = ph_normalize_or(direction, ph_vec(0, 0));
    return result;
}

PhDistance ph_distance(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb) {
    PhDistance result = ph_core_distance(a, ta, b, tb);
    double gap = result.distance - (a->radius + b->radius);
    if (gap <= 0) {
        // Midway between the surfaces, but not beyond a core: that point is in both pieces.
        double along = 0.5 * (result.distance + a->radius - b->radius);
        along = along < 0 ? 0 : along > result.distance ? result.distance : along;
        result.point_a = result.point_b = ph_mul_add(result.point_a, along, result.normal);
        result.distance = 0;
        return result;
    }
    result.point_a = ph_mul_add(result.point_a, a->radius, result.normal);
    result.point_b = ph_mul_add(result.point_b, -b->radius, result.normal);
    result.distance = gap;
    return result;
}

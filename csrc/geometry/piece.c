// Owns nothing: questions to one convex, possibly rounded piece, in its own frame. Rays: signs of
// the vertices against the line of the ray, computed alike for a vertex that two pieces share, so
// that no ray slips between neighbours; rounded pieces are hit on their offset edges or on the
// discs about their vertices.
#include "geometry/piece.h"

#include "geometry/polygon.h"

PhAabb ph_piece_aabb(const PhPiece *piece, PhTransform pose) {
    PhVec2 first = ph_rotate(pose.q, piece->vertices[0]);
    PhAabb box = {first, first};
    for (int32_t i = 1; i < piece->count; i++) {
        PhVec2 v = ph_rotate(pose.q, piece->vertices[i]);
        box.lower.x = v.x < box.lower.x ? v.x : box.lower.x;
        box.lower.y = v.y < box.lower.y ? v.y : box.lower.y;
        box.upper.x = v.x > box.upper.x ? v.x : box.upper.x;
        box.upper.y = v.y > box.upper.y ? v.y : box.upper.y;
    }
    box = ph_grow(box, piece->radius);
    return (PhAabb){ph_add(box.lower, pose.p), ph_add(box.upper, pose.p)};
}

static double distance_squared_to_edge(PhVec2 p, PhVec2 a, PhVec2 b) {
    PhVec2 edge = ph_sub(b, a), ap = ph_sub(p, a);
    double t = ph_dot(ap, edge), length_squared = ph_length_squared(edge);
    if (!(t > 0)) {
        return ph_length_squared(ap);
    }
    if (t >= length_squared) {
        return ph_distance_squared(p, b);
    }
    double cross = ph_cross(edge, ap);
    return cross * cross / length_squared;
}

static bool on_segment(PhVec2 p, PhVec2 a, PhVec2 b) {
    return (a.x <= p.x || b.x <= p.x) && (a.x >= p.x || b.x >= p.x) && (a.y <= p.y || b.y <= p.y) &&
           (a.y >= p.y || b.y >= p.y) && ph_orientation(a, b, p) == 0;
}

static bool core_contains(const PhPiece *piece, PhVec2 point) {
    const PhVec2 *v = piece->vertices;
    if (piece->count == 1) {
        return point.x == v[0].x && point.y == v[0].y;
    }
    if (piece->count == 2) {
        return on_segment(point, v[0], v[1]);
    }
    // Almost every point is on one side or the other by more than any rounding.
    double spread = fabs(point.x - piece->centroid.x) + fabs(point.y - piece->centroid.y);
    double slack = 1e-12 * (spread + piece->extent), highest = -INFINITY;
    for (int32_t i = 0; i < piece->count; i++) {
        double height = ph_dot(piece->normals[i], ph_sub(point, v[i]));
        highest = height > highest ? height : highest;
    }
    if (fabs(highest) > slack) {
        return highest < 0;
    }
    for (int32_t i = 0; i < piece->count; i++) {
        if (ph_orientation(v[i], v[i + 1 < piece->count ? i + 1 : 0], point) < 0) {
            return false;
        }
    }
    return true;
}

bool ph_piece_contains(const PhPiece *piece, PhVec2 point) {
    if (!isfinite(point.x) || !isfinite(point.y)) {
        return false;
    }
    if (core_contains(piece, point)) {
        return true;
    }
    if (piece->radius == 0) {
        return false;
    }
    double limit = piece->radius * piece->radius;
    const PhVec2 *v = piece->vertices;
    for (int32_t i = 0; i < piece->count; i++) {
        PhVec2 next = v[i + 1 < piece->count ? i + 1 : 0];
        if (distance_squared_to_edge(point, v[i], next) <= limit) {
            return true;
        }
    }
    return false;
}

// A ray as far as it counts: reach <= ray.length.
typedef struct Ray {
    PhVec2 origin, direction;
    double reach;
} Ray;

// The nearest hit so far.
typedef struct Nearest {
    double distance;
    PhVec2 normal;
    bool hit;
} Nearest;

static void offer(Nearest *nearest, const Ray *ray, double distance, PhVec2 normal) {
    if (distance >= 0 && distance <= ray->reach &&
        (!nearest->hit || distance < nearest->distance)) {
        *nearest = (Nearest){distance, normal, true};
    }
}

// The disc from outside.
static void cast_on_disc(const Ray *ray, PhVec2 center, double radius, Nearest *nearest) {
    PhVec2 to_origin = ph_sub(ray->origin, center);
    double along = ph_dot(to_origin, ray->direction);
    PhVec2 closest = ph_mul_add(to_origin, -along, ray->direction);
    double half_chord_squared = radius * radius - ph_length_squared(closest);
    if (!(half_chord_squared >= 0) || along > 0) {
        return;
    }
    double half_chord = sqrt(half_chord_squared);
    PhVec2 normal = ph_mul_add(closest, -half_chord, ray->direction);
    double distance = -along - half_chord;
    offer(nearest, ray, distance > 0 ? distance : 0,
          ph_normalize_or(normal, ph_neg(ray->direction)));
}

// The segment a -> b, met by a ray that comes from the side of `normal`.
static void cast_on_segment(const Ray *ray, PhVec2 a, PhVec2 b, PhVec2 normal, Nearest *nearest) {
    PhVec2 to_a = ph_sub(a, ray->origin), to_b = ph_sub(b, ray->origin), edge = ph_sub(b, a);
    double side_a = ph_cross(ray->direction, to_a), side_b = ph_cross(ray->direction, to_b);
    if ((side_a > 0 && side_b > 0) || (side_a < 0 && side_b < 0)) {
        return;
    }
    double slope = ph_cross(ray->direction, edge); // > 0: the ray goes from the left to the right
    double distance = ph_cross(to_a, edge) / slope;
    if (distance < 0) {
        // Rounding must not put a start on the near side behind the segment.
        int side = ph_orientation(a, b, ray->origin);
        distance = (slope > 0 ? side >= 0 : side <= 0) ? 0 : distance;
    }
    offer(nearest, ray, distance, normal);
}

// A segment or chain piece without radius.
static void cast_on_line(const PhPiece *piece, const Ray *ray, Nearest *nearest) {
    PhVec2 a = piece->vertices[0], b = piece->vertices[1];
    PhVec2 right = piece->normals[0];
    double slope = ph_cross(ray->direction, ph_sub(b, a));
    bool two_sided = !(piece->flags & PH_PIECE_ONE_SIDED);
    if (slope > 0) {
        cast_on_segment(ray, a, b, ph_neg(right), nearest);
    } else if (slope < 0 && two_sided) {
        cast_on_segment(ray, a, b, right, nearest);
    } else if (slope == 0 && two_sided && ph_orientation(a, b, ray->origin) == 0) {
        // End on: the nearer end, or the origin itself when it is on the segment.
        PhVec2 against = ph_neg(ray->direction);
        if (on_segment(ray->origin, a, b)) {
            offer(nearest, ray, 0, against);
        } else {
            offer(nearest, ray, ph_dot(ph_sub(a, ray->origin), ray->direction), against);
            offer(nearest, ray, ph_dot(ph_sub(b, ray->origin), ray->direction), against);
        }
    }
}

// A polygon without radius, from outside: the edge over which the line of the ray enters, or the
// vertex it touches.
static void cast_on_polygon(const PhPiece *piece, const Ray *ray, Nearest *nearest) {
    const PhVec2 *v = piece->vertices;
    int32_t last = piece->count - 1;
    double before = ph_cross(ray->direction, ph_sub(v[last], ray->origin));
    for (int32_t i = 0, previous = last; i <= last; previous = i++) {
        double side = ph_cross(ray->direction, ph_sub(v[i], ray->origin));
        if (before >= 0 && side < 0) {
            cast_on_segment(ray, v[previous], v[i], piece->normals[previous], nearest);
        } else if (side == 0) {
            // Touched from either side: of the two normals the one more against the ray.
            PhVec2 m = piece->normals[previous], n = piece->normals[i];
            bool first = ph_dot(m, ray->direction) < ph_dot(n, ray->direction);
            offer(nearest, ray, ph_dot(ph_sub(v[i], ray->origin), ray->direction), first ? m : n);
        }
        before = side;
    }
}

// A capsule or rounded polygon from outside: the first of its offset edges and discs.
static void cast_on_rounded(const PhPiece *piece, const Ray *ray, Nearest *nearest) {
    for (int32_t i = 0; i < piece->count; i++) {
        PhVec2 a = piece->vertices[i], b = piece->vertices[i + 1 < piece->count ? i + 1 : 0];
        PhVec2 normal = piece->normals[i];
        PhVec2 offset = ph_scale(piece->radius, normal);
        if (ph_dot(normal, ray->direction) < 0) {
            cast_on_segment(ray, ph_add(a, offset), ph_add(b, offset), normal, nearest);
        }
        cast_on_disc(ray, a, piece->radius, nearest);
    }
}

// Whether the point is certainly not in the piece.
static bool out_of_reach(const PhPiece *piece, PhVec2 point) {
    double extent_squared = piece->extent * piece->extent;
    return ph_distance_squared(point, piece->centroid) > extent_squared * (1 + 1e-9);
}

bool ph_piece_meet_ray(const PhPiece *piece, const PhRay *whole, PhRayHit *hit) {
    PhVec2 direction = whole->direction;
    double length = whole->length;
    bool is_line = piece->count == 2 && piece->radius == 0;
    if ((!is_line || length == 0) && !out_of_reach(piece, whole->origin) &&
        ph_piece_contains(piece, whole->origin)) {
        *hit = (PhRayHit){0, {0.0 - direction.x, 0.0 - direction.y}};
        return true;
    }
    if (length == 0) {
        return false;
    }
    Ray ray = {whole->origin, direction, length};
    Nearest nearest = {0, {0, 0}, false};
    if (piece->count == 1) {
        cast_on_disc(&ray, piece->vertices[0], piece->radius, &nearest);
    } else if (piece->radius > 0) {
        cast_on_rounded(piece, &ray, &nearest);
    } else if (piece->count == 2) {
        cast_on_line(piece, &ray, &nearest);
    } else {
        cast_on_polygon(piece, &ray, &nearest);
    }
    if (!nearest.hit) {
        return false;
    }
    double fraction = nearest.distance / length;
    // Adding zero turns -0 into 0.
    *hit =
        (PhRayHit){fraction < 1 ? fraction : 1, {nearest.normal.x + 0.0, nearest.normal.y + 0.0}};
    return true;
}

bool ph_ray_make(PhVec2 origin, PhVec2 translation, PhRay *ray) {
    if (!isfinite(origin.x) || !isfinite(origin.y) || !isfinite(translation.x) ||
        !isfinite(translation.y)) {
        return false;
    }
    double length = ph_length(translation);
    if (length > 1e-140 && length < 1e140) {
        *ray = (PhRay){origin, {translation.x / length, translation.y / length}, length};
        return true;
    }
    *ray = (PhRay){origin, {0, -1}, 0};
    // Scaled first, so that no square overflows or vanishes.
    double scale = fmax(fabs(translation.x), fabs(translation.y));
    if (scale > 0) {
        PhVec2 scaled = ph_vec(translation.x / scale, translation.y / scale);
        double scaled_length = ph_length(scaled);
        ray->direction = ph_scale(1 / scaled_length, scaled);
        ray->length = scale * scaled_length;
    }
    return true;
}

bool ph_piece_has_side(const PhPiece *piece, PhRot pose, PhVec2 normal, double sine) {
    bool side = false;
    for (int32_t i = 0; piece->count > 1 && i < piece->count; i++) {
        PhVec2 n = ph_rotate(pose, piece->normals[i]);
        side |= ph_dot(n, normal) > 0 && fabs(ph_cross(n, normal)) < sine;
    }
    return side;
}

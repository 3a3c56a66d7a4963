// Separating faces, flat sides and clipping: the parts of manifolds of pieces with edges.
//
// The distance of the origin from the faces of the difference of two convex polygons is largest at
// a face that contains the polygon's point nearest to the origin. Therefore the best face alone
// gives the closest features: that face, or its corner next to the deepest vertex of the other
// piece.
//
// Sources: S. Gottschalk, "Separating axis theorem" (1996); E. Catto, "Contact Manifolds" (2007);
// D. Gregorius, "The separating axis test between convex polyhedra" (2013) for the incident edge.
#include "narrow/faces.h"

// With this many vertices or more, the deepest vertex is followed around the ring instead of being
// searched for each face.
enum { FOLLOW_COUNT = 9 };

static inline int32_t next_index(const PhPiece *piece, int32_t i) {
    return i + 1 < piece->count ? i + 1 : 0;
}

static inline int32_t previous_index(const PhPiece *piece, int32_t i) {
    return i > 0 ? i - 1 : piece->count - 1;
}

// The lowest vertex along a direction in the piece's frame; the first of equals.
static inline int32_t find_lowest(const PhPiece *piece, PhVec2 direction, double *low) {
    int32_t lowest = 0;
    double least = ph_dot(direction, piece->vertices[0]);
    for (int32_t i = 1; i < piece->count; i++) {
        double height = ph_dot(direction, piece->vertices[i]);
        lowest = height < least ? i : lowest;
        least = height < least ? height : least;
    }
    *low = least;
    return lowest;
}

// When faces are taken counter-clockwise, the deepest vertex of the other piece moves
// counter-clockwise too. So the cost is linear in both counts.
static int32_t follow_lowest(const PhPiece *piece, PhVec2 direction, int32_t start, double *low) {
    int32_t lowest = start;
    double least = ph_dot(direction, piece->vertices[start]);
    for (int32_t step = 1; step < piece->count; step++) {
        int32_t next = next_index(piece, lowest);
        double height = ph_dot(direction, piece->vertices[next]);
        if (!(height <= least)) {
            break;
        }
        lowest = next;
        least = height;
    }
    *low = least;
    return lowest;
}

PhFace ph_face(const PhPiece *owner, int32_t edge, const PhPiece *other, PhTransform to_other) {
    PhVec2 normal = ph_rotate(to_other.q, owner->normals[edge]);
    PhVec2 start = ph_apply(to_other, owner->vertices[edge]);
    double low;
    int32_t vertex = find_lowest(other, normal, &low);
    return (PhFace){low - ph_dot(normal, start), edge, vertex};
}

// The height of the lowest of four vertices along a direction.
static inline double least_of_four(const PhVec2 vertex[4], PhVec2 direction) {
    double least = ph_dot(direction, vertex[0]), second = ph_dot(direction, vertex[1]);
    double third = ph_dot(direction, vertex[2]), last = ph_dot(direction, vertex[3]);
    least = second < least ? second : least;
    least = third < least ? third : least;
    return last < least ? last : least;
}

// ph_best_face for a piece of four vertices, as most are. Which vertex is lowest is found for the
// best face only.
static PhFace best_face_over_four(const PhPiece *owner, const PhPiece *other, PhTransform to_other,
                                  double limit) {
    const PhVec2 vertex[4] = {other->vertices[0], other->vertices[1], other->vertices[2],
                              other->vertices[3]};
    PhFace best = {-INFINITY, 0, 0};
    for (int32_t edge = 0; edge < owner->count; edge++) {
        PhVec2 normal = ph_rotate(to_other.q, owner->normals[edge]);
        PhVec2 start = ph_apply(to_other, owner->vertices[edge]);
        double separation = least_of_four(vertex, normal) - ph_dot(normal, start);
        if (separation > best.separation) {
            best.separation = separation;
            best.edge = edge;
            if (separation > limit) {
                return best;
            }
        }
    }
    if (best.separation > -INFINITY) {
        double low;
        best.vertex = find_lowest(other, ph_rotate(to_other.q, owner->normals[best.edge]), &low);
    }
    return best;
}

PhFace ph_best_face(const PhPiece *owner, const PhPiece *other, PhTransform to_other,
                    double limit) {
    PhFace best = {-INFINITY, 0, 0};
    if (owner->count < 2) {
        return best;
    }
    if (other->count == 4) {
        return best_face_over_four(owner, other, to_other, limit);
    }
    bool follow = other->count >= FOLLOW_COUNT && owner->count > 2;
    int32_t lowest = 0;
    for (int32_t edge = 0; edge < owner->count; edge++) {
        PhVec2 normal = ph_rotate(to_other.q, owner->normals[edge]);
        PhVec2 start = ph_apply(to_other, owner->vertices[edge]);
        double low;
        if (!follow || edge == 0) {
            lowest = find_lowest(other, normal, &low);
        } else {
            lowest = follow_lowest(other, normal, lowest, &low);
        }
        double separation = low - ph_dot(normal, start);
        if (separation > best.separation) {
            best = (PhFace){separation, edge, lowest};
            if (separation > limit) {
                return best;
            }
        }
    }
    return best;
}

// The ends of the side that contains an edge, counter-clockwise.
static void find_side(const PhPiece *piece, int32_t edge, double deviation, int32_t ends[2]) {
    ends[0] = edge;
    ends[1] = next_index(piece, edge);
    PhVec2 normal = piece->normals[edge], start = piece->vertices[edge];
    int32_t left = piece->count - 3; // at least two edges do not belong to it
    for (; left > 0; left--) {
        int32_t next = next_index(piece, ends[1]);
        if (!(ph_dot(piece->normals[ends[1]], normal) > PH_FLAT_COSINE) ||
            !(fabs(ph_dot(normal, ph_sub(piece->vertices[next], start))) < deviation)) {
            break;
        }
        ends[1] = next;
    }
    for (; left > 0; left--) {
        int32_t previous = previous_index(piece, ends[0]);
        if (!(ph_dot(piece->normals[previous], normal) > PH_FLAT_COSINE) ||
            !(fabs(ph_dot(normal, ph_sub(piece->vertices[previous], start))) < deviation)) {
            break;
        }
        ends[0] = previous;
    }
}

PhSides ph_sides(const PhPiece *reference, PhTransform reference_pose, PhFace face,
                 const PhPiece *incident, PhTransform incident_pose, bool flipped,
                 const PhLengths *lengths) {
    PhSides s;
    s.normal = ph_rotate(reference_pose.q, reference->normals[face.edge]);
    s.edge = face.edge;
    s.reference_radius = reference->radius;
    s.incident_radius = incident->radius;
    s.flipped = flipped;

    // Of the two edges at the deepest vertex, take the one that faces the reference more.
    PhVec2 facing = ph_unrotate(incident_pose.q, s.normal);
    int32_t before = previous_index(incident, face.vertex);
    bool take_before =
        ph_dot(facing, incident->normals[before]) < ph_dot(facing, incident->normals[face.vertex]);
    find_side(reference, face.edge, lengths->flat_deviation, s.reference_vertex);
    find_side(incident, take_before ? before : face.vertex, lengths->flat_deviation,
              s.incident_vertex);
    for (int i = 0; i < 2; i++) {
        s.reference[i] = ph_apply(reference_pose, reference->vertices[s.reference_vertex[i]]);
        s.incident[i] = ph_apply(incident_pose, incident->vertices[s.incident_vertex[i]]);
    }
    return s;
}

void ph_record_sides(PhClipRecorder *recorder, PhContactKind kind, const PhSides *sides) {
    *recorder = (PhClipRecorder){.kind = kind,
                                 .flipped = sides->flipped,
                                 .normal = sides->flipped ? ph_neg(sides->normal) : sides->normal,
                                 .reference = {sides->reference[0], sides->reference[1]},
                                 .incident = {sides->incident[0], sides->incident[1]},
                                 .along = ph_left(sides->normal)};
}

void ph_record_corners(PhClipRecorder *recorder, const PhCorners *corners) {
    recorder->kind = PH_CONTACT_CORNERS;
    recorder->normal = ph_scale(1 / corners->distance, ph_sub(corners->b, corners->a));
}

// Records the points with the smaller and the larger coordinate along the reference side, in the
// order of the incident side.
static void record_stage(PhClipRecorder *recorder, int stage, int low, PhVec2 smaller,
                         PhVec2 larger) {
    recorder->stage[stage][low] = smaller;
    recorder->stage[stage][1 - low] = larger;
    recorder->stage_count[stage] = 2;
}

double ph_clip(const PhSides *s, double margin, const PhLengths *lengths, PhClipRecorder *recorder,
               PhManifold *out) {
    out->count = 0;
    PhVec2 normal = s->normal, tangent = ph_left(normal), start = s->reference[0];
    double end = ph_dot(tangent, ph_sub(s->reference[1], start));
    // x along the reference side (0 .. end), h above it. `low` is the incident end with the smaller
    // x.
    double x[2], h[2];
    for (int i = 0; i < 2; i++) {
        PhVec2 offset = ph_sub(s->incident[i], start);
        x[i] = ph_dot(tangent, offset);
        h[i] = ph_dot(normal, offset);
    }
    int low = x[0] <= x[1] ? 0 : 1, high = 1 - low;
    if (recorder) {
        ph_record_sides(recorder, PH_CONTACT_FACES, s);
        recorder->clipped = true;
        record_stage(recorder, 0, low, s->incident[low], s->incident[high]);
    }
    if (!(x[low] <= end && x[high] >= 0)) {
        if (recorder && x[low] > end) { // hence behind the first plane
            record_stage(recorder, 1, low, s->incident[low], s->incident[high]);
        }
        return INFINITY;
    }
    double width = x[high] - x[low], rise = h[high] - h[low];
    PhVec2 point[2] = {s->incident[low], s->incident[high]};
    double place[2] = {x[low], x[high]}, height[2] = {h[low], h[high]};
    int32_t vertex[2] = {s->incident_vertex[low], s->incident_vertex[high]};
    if (place[0] < 0) {
        double part = -x[low] / width;
        point[0] = ph_lerp(s->incident[low], s->incident[high], part);
        height[0] = h[low] + part * rise;
        place[0] = 0;
    }
    if (place[1] > end) {
        double part = (x[high] - end) / width;
        point[1] = ph_lerp(s->incident[high], s->incident[low], part);
        height[1] = h[high] - part * rise;
        place[1] = end;
    }
    if (recorder) {
        record_stage(recorder, 1, low, point[0], s->incident[high]);
        record_stage(recorder, 2, low, point[0], point[1]);
    }

    bool keep[2] = {true, true};
    if (place[1] - place[0] < lengths->merge) {
        keep[height[0] <= height[1] ? 1 : 0] = false;
    }
    double radii = s->reference_radius + s->incident_radius;
    out->normal = s->flipped ? ph_neg(normal) : normal;
    // The tangent of the contact runs against the reference side if that is a's, and along it if it
    // is b's.
    for (int k = 0; k < 2; k++) {
        int i = s->flipped ? k : 1 - k;
        double separation = height[i] - radii;
        if (!keep[i] || !(separation <= margin)) {
            continue;
        }
        double middle = 0.5 * (s->reference_radius - s->incident_radius - height[i]);
        if (recorder) {
            recorder->stage[3][recorder->stage_count[3]++] = point[i];
        }
        out->points[out->count++] =
            (PhManifoldPoint){.point = ph_mul_add(point[i], middle, normal),
                              .separation = separation,
                              .feature = ph_feature(s->flipped, s->edge, vertex[i])};
    }
    return height[0] < height[1] ? height[0] : height[1];
}

PhCorners ph_corners(const PhSides *s) {
    PhCorners best = {.distance = INFINITY};
    double least = INFINITY;
    for (int from = 0; from < 2; from++) { // 0: ends of the reference against the incident side
        const PhVec2 *ends = from ? s->incident : s->reference;
        const PhVec2 *side = from ? s->reference : s->incident;
        const int32_t *end_vertex = from ? s->incident_vertex : s->reference_vertex;
        const int32_t *side_vertex = from ? s->reference_vertex : s->incident_vertex;
        PhVec2 edge = ph_sub(side[1], side[0]);
        double length_squared = ph_length_squared(edge);
        bool ends_are_a = (from == 0) != s->flipped;
        for (int i = 0; i < 2; i++) {
            double along = ph_dot(ph_sub(ends[i], side[0]), edge);
            bool at_start = !(along > 0), at_end = !at_start && !(along < length_squared);
            PhVec2 nearest = at_start ? side[0]
                             : at_end ? side[1]
                                      : ph_mul_add(side[0], along / length_squared, edge);
            double distance_squared = ph_distance_squared(ends[i], nearest);
            if (!(distance_squared < least)) {
                continue;
            }
            least = distance_squared;
            best.meet = at_start || at_end;
            best.a = ends_are_a ? ends[i] : nearest;
            best.b = ends_are_a ? nearest : ends[i];
            int32_t nearest_vertex = side_vertex[at_end ? 1 : 0];
            best.vertex_a = ends_are_a ? end_vertex[i] : nearest_vertex;
            best.vertex_b = ends_are_a ? nearest_vertex : end_vertex[i];
        }
    }
    best.distance = sqrt(least);
    return best;
}

bool ph_corners_rule(const PhCorners *corners, double face_separation, const PhLengths *lengths) {
    // The slack turns the normal by less than a degree. Without it, boxes that are stacked flush
    // but tilted by a hair would lose the second point of their contact.
    return corners->meet && corners->distance > lengths->tiny &&
           corners->distance - face_separation > lengths->corner_slack + 1e-4 * corners->distance;
}

void ph_point_manifold(PhVec2 normal, PhVec2 point, double separation, double reference_radius,
                       double incident_radius, uint32_t feature, double margin, PhManifold *out) {
    double surface = separation - reference_radius - incident_radius;
    if (!(surface <= margin)) {
        return;
    }
    double middle = 0.5 * (reference_radius - incident_radius - separation);
    out->normal = normal;
    out->count = 1;
    out->points[0] = (PhManifoldPoint){ph_mul_add(point, middle, normal), surface, feature};
}

void ph_corner_manifold(const PhCorners *corners, double radius_a, double radius_b, double margin,
                        PhManifold *out) {
    out->count = 0;
    PhVec2 normal = ph_scale(1 / corners->distance, ph_sub(corners->b, corners->a));
    ph_point_manifold(normal, corners->b, corners->distance, radius_a, radius_b,
                      ph_feature(false, corners->vertex_a, corners->vertex_b), margin, out);
}

void ph_flip(PhManifold *manifold) {
    manifold->normal = ph_neg(manifold->normal);
    for (int32_t i = 0; i < manifold->count; i++) {
        manifold->points[i].feature ^= 0x80000000u;
    }
    if (manifold->count == 2) {
        PhManifoldPoint first = manifold->points[0];
        manifold->points[0] = manifold->points[1];
        manifold->points[1] = first;
    }
}

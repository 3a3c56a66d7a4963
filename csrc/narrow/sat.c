// The separating axis test with every axis shown. Each edge is measured by the function that the
// engine measures it with; here none is skipped, and the intervals are completed for the eye.
//
// The axes of the edges are all that polygons with an area need. Two cores that are apart corner to
// corner may still be within their radii, or be two segments on one line: then the direction of
// their distance decides, and is the last axis. A circle's last axis goes through the vertex that
// is nearest to its centre: of all axes through its centre and a vertex it is the only one that can
// be needed.
//
// Sources: S. Gottschalk, "Separating axis theorem" (1996); C. Ericson, "Real-Time Collision
// Detection" (2004), section 5.2.1.
#include "base/memory.h"
#include "narrow/faces.h"

// Overlaps that differ by less than this part of the pieces' sizes are equal.
#define EQUAL_PART 1e-12

enum { PORTION = 64 }; // axes between two questions to a PhStop

static PhInterval project(const PhPiece *piece, PhTransform pose, PhVec2 axis) {
    PhVec2 local = ph_unrotate(pose.q, axis);
    double low = ph_dot(local, piece->vertices[0]), high = low;
    for (int32_t i = 1; i < piece->count; i++) {
        double place = ph_dot(local, piece->vertices[i]);
        low = place < low ? place : low;
        high = place > high ? place : high;
    }
    double shift = ph_dot(axis, pose.p);
    return (PhInterval){low - piece->radius + shift, high + piece->radius + shift};
}

// How far b must go along the axis, and how far against it, until the intervals only touch.
static double forward(const PhSatAxis *axis) {
    return axis->a.high - axis->b.low;
}

static double backward(const PhSatAxis *axis) {
    return axis->b.high - axis->a.low;
}

static PhSatAxis make_axis(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb,
                           PhVec2 normal, int32_t owner, int32_t edge) {
    PhSatAxis axis = {.normal = ph_add(normal, ph_vec(0, 0)), .owner = owner, .edge = edge};
    axis.a = project(a, ta, normal);
    axis.b = project(b, tb, normal);
    axis.overlap = forward(&axis) < backward(&axis) ? forward(&axis) : backward(&axis);
    return axis;
}

// The outward translation is the engine's own measure of the edge.
static PhSatAxis make_edge_axis(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb,
                                int32_t owner, int32_t edge) {
    const PhPiece *piece = owner == 0 ? a : b, *other = owner == 0 ? b : a;
    PhTransform pose = owner == 0 ? ta : tb, other_pose = owner == 0 ? tb : ta;
    PhFace face = ph_face(piece, edge, other, ph_relative(other_pose, pose));
    PhVec2 normal = ph_rotate(pose.q, piece->normals[edge]);
    PhSatAxis axis = make_axis(a, ta, b, tb, normal, owner, edge);
    double outward = a->radius + b->radius - face.separation;
    double inward = owner == 0 ? backward(&axis) : forward(&axis);
    axis.overlap = outward < inward ? outward : inward;
    return axis;
}

static PhVec2 nearest_vertex(const PhPiece *piece, PhTransform pose, PhVec2 point) {
    PhVec2 nearest = ph_apply(pose, piece->vertices[0]);
    for (int32_t i = 1; i < piece->count; i++) {
        PhVec2 vertex = ph_apply(pose, piece->vertices[i]);
        if (ph_distance_squared(vertex, point) < ph_distance_squared(nearest, point)) {
            nearest = vertex;
        }
    }
    return nearest;
}

// The last axis. Returns false when the edges are enough; separation is the largest of the edges'.
static bool find_last_axis(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb,
                           const PhDistance *cores, double separation, PhVec2 *normal,
                           int32_t *owner) {
    *owner = 0;
    if (a->count == 1 && b->count == 1) {
        *normal = ph_normalize_or(cores->normal, ph_vec(0, 1));
        return true;
    }
    if (a->count == 1 || b->count == 1) {
        bool circle_is_a = a->count == 1;
        PhVec2 center = circle_is_a ? ph_apply(ta, a->vertices[0]) : ph_apply(tb, b->vertices[0]);
        PhVec2 vertex = circle_is_a ? nearest_vertex(b, tb, center) : nearest_vertex(a, ta, center);
        PhVec2 offset = ph_sub(center, vertex);
        double distance = ph_length(offset);
        *owner = circle_is_a;
        *normal = distance > ph_lengths_of_one.tiny ? ph_scale(1 / distance, offset) : ph_vec(0, 1);
        return true;
    }
    bool cores_matter = a->radius + b->radius > 0 || (a->count == 2 && b->count == 2);
    *normal = cores->normal;
    return cores_matter && cores->distance > ph_lengths_of_one.tiny &&
           cores->distance > separation + EQUAL_PART * (a->extent + b->extent);
}

// Of equal axes the first whose outward translation is the short one: the edges that face each
// other.
static int32_t find_best(const PhSat *sat, double slack) {
    int32_t best = 0;
    for (int32_t i = 1; i < sat->count; i++) {
        if (sat->axes[i].overlap < sat->axes[best].overlap) {
            best = i;
        }
    }
    for (int32_t i = 0; i < sat->count; i++) {
        const PhSatAxis *axis = &sat->axes[i];
        double outward = axis->owner == 0 ? forward(axis) : backward(axis);
        if (axis->edge >= 0 && outward <= sat->axes[best].overlap + slack) {
            return i;
        }
    }
    return best;
}

PhStatus ph_sat(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb,
                const PhStop *stop, PhSat *out) {
    int32_t edges_a = a->count > 1 ? a->count : 0, edges_b = b->count > 1 ? b->count : 0;
    PhSat sat = {.count = edges_a + edges_b};
    sat.axes = ph_alloc((size_t)edges_a + (size_t)edges_b + 1, sizeof *sat.axes);
    if (!sat.axes) {
        return PH_ERROR_MEMORY;
    }
    PhMtv mtv;
    sat.separated = !ph_mtv_recorded(a, ta, b, tb, &mtv);
    sat.mtv = mtv.vector;

    double radii = a->radius + b->radius, separation = -INFINITY;
    for (int32_t i = 0; i < sat.count; i++) {
        int32_t owner = i >= edges_a;
        sat.axes[i] = make_edge_axis(a, ta, b, tb, owner, owner ? i - edges_a : i);
        separation = fmax(separation, radii - sat.axes[i].overlap);
        if (i % PORTION == PORTION - 1 && ph_stop_wanted(stop)) {
            ph_free(sat.axes);
            return PH_ERROR_STOPPED;
        }
    }
    PhVec2 normal;
    int32_t owner;
    if (find_last_axis(a, ta, b, tb, &mtv.cores, separation, &normal, &owner)) {
        sat.axes[sat.count++] = make_axis(a, ta, b, tb, normal, owner, -1);
    }
    sat.best = mtv.by_face && !sat.separated
                   ? mtv.edge + (mtv.owner ? edges_a : 0)
                   : find_best(&sat, EQUAL_PART * (a->extent + b->extent));
    *out = sat;
    return PH_OK;
}

// Polygon shapes: from raw rings to checked rings, convex pieces and exact mass. Invariant of a
// draft: the outer ring is counter-clockwise, the holes are clockwise, no vertex repeats the one
// before it, and `labels` holds each vertex's index in the caller's list.
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "geometry/build.h"
#include "geometry/polygon.h"
#include "geometry/rings.h"
#include "math/trig.h"

enum { PORTION = 1 << 12 }; // parts between two questions to a PhStop

typedef struct Draft {
    PhVec2 *vertices;
    int32_t *labels;
    int32_t *starts; // ring_count + 1
    int32_t ring_count;
    PhVec2 *hull; // of the outer ring; room for all its vertices
    int32_t hull_count;
    // Convex parts when the polygon is not convex itself.
    int32_t *part_indices, *part_starts;
    int32_t part_count;
} Draft;

static void free_draft(Draft *draft) {
    ph_free(draft->vertices);
    ph_free(draft->labels);
    ph_free(draft->starts);
    ph_free(draft->hull);
    ph_free(draft->part_indices);
    ph_free(draft->part_starts);
}

static bool same(PhVec2 a, PhVec2 b) {
    return a.x == b.x && a.y == b.y;
}

// Appends one ring as it comes, repeated vertices merged.
static void add_ring(Draft *draft, const PhVec2 *points, int32_t count) {
    int32_t start = draft->starts[draft->ring_count];
    int32_t kept = ph_ring_tidy(points, count, draft->vertices + start, draft->labels + start);
    draft->starts[++draft->ring_count] = start + kept;
}

typedef struct Input {
    const PhVec2 *vertices;
    int32_t count;
    const PhVec2 *holes;
    const int32_t *hole_counts;
    int32_t hole_count;
    double radius;
    const PhStop *stop;
} Input;

static PhStatus check_input(const Input *input, int32_t *total, PhError *error) {
    if (input->count < 3) {
        return ph_fail(error, PH_ERROR_VALUE, "vertices: at least 3 are needed, got %d",
                       input->count);
    }
    for (int32_t i = 0; i < input->count; i++) {
        if (!ph_check_point(input->vertices[i], "vertices", i, error)) {
            return PH_ERROR_VALUE;
        }
    }
    int64_t sum = input->count;
    for (int32_t hole = 0; hole < input->hole_count; hole++) {
        char name[32];
        int32_t count = input->hole_counts[hole];
        (void)snprintf(name, sizeof name, "holes[%d]", hole);
        if (count < 3) {
            return ph_fail(error, PH_ERROR_VALUE, "%s: at least 3 vertices are needed, got %d",
                           name, count);
        }
        for (int32_t i = 0; i < count; i++) {
            if (!ph_check_point(input->holes[sum - input->count + i], name, i, error)) {
                return PH_ERROR_VALUE;
            }
        }
        sum += count;
    }
    if (sum > INT32_MAX / 64) {
        return ph_fail(error, PH_ERROR_VALUE, "vertices: at most %d are possible, got %lld",
                       INT32_MAX / 64, (long long)sum);
    }
    if (!ph_check_number(input->radius, "radius", -1, error)) {
        return PH_ERROR_VALUE;
    }
    if (input->radius < 0) {
        return ph_fail(error, PH_ERROR_VALUE, "radius: must be >= 0, got %s",
                       ph_number_text(input->radius).text);
    }
    if (input->radius > 0 && input->hole_count > 0) {
        return ph_fail(error, PH_ERROR_VALUE, "radius: must be 0 for a polygon with holes, got %s",
                       ph_number_text(input->radius).text);
    }
    *total = (int32_t)sum;
    return PH_OK;
}

static PhStatus check_draft(const Draft *draft, const PhStop *stop, PhError *error) {
    PhRings rings = {draft->vertices, draft->starts, draft->ring_count,
                     draft->labels,   "vertices",    stop};
    if (draft->hull_count < 0) {
        return ph_fail(error, PH_ERROR_STOPPED, "stopped");
    }
    if (draft->starts[1] >= 3 && draft->hull_count < 3) {
        return ph_fail(error, PH_ERROR_VALUE,
                       "vertices: all lie on one line, the polygon has no area");
    }
    PhStatus status = ph_rings_check(&rings, error);
    if (status != PH_OK) {
        return status;
    }
    double width = ph_convex_width(draft->hull, draft->hull_count);
    if (!(width >= PH_MIN_WIDTH)) {
        return ph_fail(error, PH_ERROR_VALUE, "vertices: the polygon is thinner (%.6g m) than %g m",
                       width, PH_MIN_WIDTH);
    }
    return PH_OK;
}

static PhStatus make_draft(const Input *input, Draft *draft, PhError *error) {
    int32_t total = 0;
    PhStatus status = check_input(input, &total, error);
    if (status != PH_OK) {
        return status;
    }
    draft->vertices = ph_alloc((size_t)total, sizeof *draft->vertices);
    draft->labels = ph_alloc((size_t)total, sizeof *draft->labels);
    draft->starts = ph_alloc((size_t)input->hole_count + 2, sizeof *draft->starts);
    draft->hull = ph_alloc((size_t)input->count, sizeof *draft->hull);
    if (!draft->vertices || !draft->labels || !draft->starts || !draft->hull) {
        return ph_fail(error, PH_ERROR_MEMORY, "out of memory");
    }
    add_ring(draft, input->vertices, input->count);
    const PhVec2 *hole = input->holes;
    for (int32_t i = 0; i < input->hole_count; i++) {
        add_ring(draft, hole, input->hole_counts[i]);
        hole += input->hole_counts[i];
    }
    draft->hull_count =
        ph_convex_hull_or_stop(draft->vertices, draft->starts[1], draft->hull, input->stop);
    // Checked before it is turned round, so that messages name the edges as the caller walks them.
    status = check_draft(draft, input->stop, error);
    for (int32_t ring = 0; status == PH_OK && ring < draft->ring_count; ring++) {
        int32_t start = draft->starts[ring], end = draft->starts[ring + 1];
        ph_ring_orient(draft->vertices + start, draft->labels + start, end - start, ring == 0);
    }
    return status;
}

// Area, centroid and moment of all rings together; holes count negative by their winding.
static PhMassProperties rings_mass(const PhVec2 *vertices, const int32_t *starts,
                                   int32_t ring_count) {
    PhMassProperties outer = ph_ring_mass(vertices, starts[1]);
    double area = outer.area;
    PhVec2 moment = {0, 0}; // about the outer ring's centroid
    for (int32_t i = 1; i < ring_count; i++) {
        PhMassProperties hole = ph_ring_mass(vertices + starts[i], starts[i + 1] - starts[i]);
        area += hole.area;
        moment = ph_mul_add(moment, hole.area, ph_sub(hole.centroid, outer.centroid));
    }
    PhVec2 shift = ph_scale(1 / area, moment);
    double inertia = outer.inertia + outer.area * ph_length_squared(shift);
    for (int32_t i = 1; i < ring_count; i++) {
        PhMassProperties hole = ph_ring_mass(vertices + starts[i], starts[i + 1] - starts[i]);
        PhVec2 arm = ph_sub(ph_sub(hole.centroid, outer.centroid), shift);
        inertia += hole.inertia + hole.area * ph_length_squared(arm);
    }
    return (PhMassProperties){area, ph_add(outer.centroid, shift), inertia};
}

// A convex ring grown by a disc: the ring, a rectangle on every edge, and a sector of the disc at
// every vertex. A sector between the unit normals m and n, at the angle t from each other, has area
// t r^2 / 2 and polar moment t r^4 / 4 about its vertex, and first moment r^3 / 3 (n - m) turned a
// quarter to the right.
static PhMassProperties rounded_mass(const PhPiece *piece) {
    PhMassProperties core = ph_ring_mass(piece->vertices, piece->count);
    double r = piece->radius, r2 = r * r;
    double area = core.area, inertia = core.inertia; // moments about the core's centroid
    PhVec2 moment = {0, 0};
    for (int32_t i = 0; i < piece->count; i++) {
        PhVec2 a = ph_sub(piece->vertices[i], core.centroid);
        PhVec2 b = ph_sub(piece->vertices[i + 1 < piece->count ? i + 1 : 0], core.centroid);
        PhVec2 n = piece->normals[i], m = piece->normals[i > 0 ? i - 1 : piece->count - 1];
        double length = ph_length(ph_sub(b, a));
        PhVec2 center = ph_mul_add(ph_scale(0.5, ph_add(a, b)), 0.5 * r, n);
        double strip = length * r;
        area += strip;
        moment = ph_mul_add(moment, strip, center);
        inertia += strip * ((length * length + r2) / 12 + ph_length_squared(center));
        double angle = ph_atan2(ph_cross(m, n), ph_dot(m, n));
        double sector = 0.5 * angle * r2;
        PhVec2 first = ph_scale(r2 * r / 3, ph_right(ph_sub(n, m)));
        area += sector;
        moment = ph_add(moment, ph_mul_add(first, sector, a));
        inertia += 0.5 * sector * r2 + 2 * ph_dot(first, a) + sector * ph_length_squared(a);
    }
    PhVec2 shift = ph_scale(1 / area, moment);
    return (PhMassProperties){area, ph_add(core.centroid, shift),
                              inertia - area * ph_length_squared(shift)};
}

// How far a vertex may lie off the hull and still count as on it: what a rotation's rounding does
// to a straight edge.
static double straightness(const PhVec2 *hull, int32_t count) {
    double largest = 0;
    for (int32_t i = 0; i < count; i++) {
        largest = fmax(largest, fmax(fabs(hull[i].x), fabs(hull[i].y)));
    }
    return 16 * DBL_EPSILON * largest;
}

// Whether every vertex of the ring is on the hull's boundary, but for rounding. The vertices of the
// hull of a simple ring come in the ring's order.
static bool is_convex(const Draft *draft) {
    int32_t count = draft->starts[1], start = 0;
    if (draft->ring_count > 1) {
        return false;
    }
    while (start < count && !same(draft->vertices[start], draft->hull[0])) {
        start++;
    }
    double tolerance = straightness(draft->hull, draft->hull_count);
    int32_t edge = 0;
    for (int32_t i = 1; i < count; i++) {
        int32_t at = start + i < count ? start + i : start + i - count;
        int32_t next = edge + 1 < draft->hull_count ? edge + 1 : 0;
        PhVec2 vertex = draft->vertices[at], a = draft->hull[edge], b = draft->hull[next];
        if (same(vertex, b)) {
            edge = next;
        } else if (!(fabs(ph_dot(ph_right_normal(a, b), ph_sub(vertex, a))) <= tolerance)) {
            return false;
        }
    }
    return true;
}

// Leaves in the hull only corners that stand out by more than rounding.
static void drop_straight_corners(Draft *draft) {
    double tolerance = straightness(draft->hull, draft->hull_count);
    int32_t kept = 0, count = draft->hull_count;
    for (int32_t i = 0; i < count; i++) {
        PhVec2 before = draft->hull[kept > 0 ? kept - 1 : count - 1];
        PhVec2 vertex = draft->hull[i], after = draft->hull[i + 1 < count ? i + 1 : 0];
        double height = ph_dot(ph_right_normal(before, after), ph_sub(vertex, before));
        if (height > tolerance) {
            draft->hull[kept++] = vertex;
        }
    }
    draft->hull_count = kept >= 3 ? kept : count;
}

static void shift_draft(Draft *draft, PhVec2 by, const PhStop *stop) {
    for (int32_t i = 0; i < draft->starts[draft->ring_count]; i++) {
        draft->vertices[i] = ph_sub(draft->vertices[i], by);
    }
    draft->hull_count =
        ph_convex_hull_or_stop(draft->vertices, draft->starts[1], draft->hull, stop);
}

// Whether it came to its end.
static bool fill_pieces(PhShape *shape, const Draft *draft, PhVec2 *vertices, PhVec2 *normals,
                        const PhStop *stop) {
    if (shape->convex) {
        for (int32_t i = 0; i < draft->hull_count; i++) {
            vertices[i] = draft->hull[i];
        }
        ph_piece_init(shape->pieces, vertices, normals, draft->hull_count, shape->radius);
        return true;
    }
    for (int32_t part = 0; part < draft->part_count; part++) {
        int32_t start = draft->part_starts[part], end = draft->part_starts[part + 1];
        for (int32_t i = start; i < end; i++) {
            vertices[i] = draft->vertices[draft->part_indices[i]];
        }
        ph_piece_init(&shape->pieces[part], vertices + start, normals + start, end - start, 0);
        if (part % PORTION == PORTION - 1 && ph_stop_wanted(stop)) {
            return false;
        }
    }
    return true;
}

// The finished shape of a checked draft, its pieces decided.
static PhShape *make_shape(const Draft *draft, bool convex, double radius, const PhStop *stop,
                           PhError *error) {
    int32_t count = draft->starts[1], total = draft->starts[draft->ring_count];
    PhShapeSizes sizes = {.kind = PH_SHAPE_POLYGON,
                          .vertex_count = count,
                          .hole_count = draft->ring_count - 1,
                          .hole_vertex_count = total - count,
                          .piece_count = convex ? 1 : draft->part_count};
    sizes.part_vertex_count = convex ? draft->hull_count : draft->part_starts[draft->part_count];
    PhVec2 *part_vertices, *part_normals;
    PhShape *shape = ph_shape_new(&sizes, &part_vertices, &part_normals, error);
    if (!shape) {
        return NULL;
    }
    shape->convex = convex;
    shape->radius = radius;
    for (int32_t i = 0; i < total; i++) {
        shape->vertices[i] = draft->vertices[i];
    }
    for (int32_t i = 0; i < count; i++) {
        shape->normals[i] =
            ph_right_normal(shape->vertices[i], shape->vertices[i + 1 < count ? i + 1 : 0]);
    }
    for (int32_t i = 0; i < draft->ring_count; i++) {
        shape->hole_starts[i] = draft->starts[i + 1];
    }
    if (!fill_pieces(shape, draft, part_vertices, part_normals, stop)) {
        ph_shape_release(shape);
        ph_fail(error, PH_ERROR_STOPPED, "stopped");
        return NULL;
    }
    PhMassProperties mass = radius > 0
                                ? rounded_mass(shape->pieces)
                                : rings_mass(draft->vertices, draft->starts, draft->ring_count);
    shape->area = mass.area;
    shape->centroid = mass.centroid;
    shape->inertia = mass.inertia;
    return ph_shape_measured(shape, stop, error);
}

// Whether the centroid is as near to the origin as recentring brings it.
static bool is_rounding(const Draft *draft, PhVec2 centroid) {
    double size = 0;
    for (int32_t i = 0; i < draft->starts[draft->ring_count]; i++) {
        PhVec2 v = draft->vertices[i];
        size = fmax(size, fmax(fabs(v.x), fabs(v.y)));
    }
    return fmax(fabs(centroid.x), fabs(centroid.y)) <= 16 * DBL_EPSILON * size;
}

static PhShape *make_polygon(const Input *input, bool recenter, Draft *draft, PhError *error) {
    if (make_draft(input, draft, error) != PH_OK) {
        return NULL;
    }
    if (input->radius > 0 && !is_convex(draft)) {
        ph_fail(error, PH_ERROR_VALUE, "radius: must be 0 for a concave polygon, got %s",
                ph_number_text(input->radius).text);
        return NULL;
    }
    if (recenter) {
        // The centroid of a rounded polygon is not that of its core, so that a first shape has to
        // tell it.
        PhVec2 centroid;
        if (input->radius > 0) {
            PhShape *probe = make_shape(draft, true, input->radius, input->stop, error);
            if (!probe) {
                return NULL;
            }
            centroid = probe->centroid;
            ph_shape_release(probe);
        } else {
            centroid = rings_mass(draft->vertices, draft->starts, draft->ring_count).centroid;
        }
        // One that was recentred before stays as it is, bit for bit.
        if (!is_rounding(draft, centroid)) {
            shift_draft(draft, centroid, input->stop);
        }
        if (check_draft(draft, input->stop, error) != PH_OK) {
            return NULL; // two vertices so close that the shift made them one
        }
    }
    // The shift's rounding must not take the convexity back.
    bool convex = input->radius > 0 || is_convex(draft);
    if (convex) {
        drop_straight_corners(draft);
    } else if (ph_decompose(draft->vertices, draft->starts, draft->ring_count, input->stop,
                            &draft->part_indices, &draft->part_starts, &draft->part_count,
                            error) != PH_OK) {
        return NULL;
    }
    PhShape *shape = make_shape(draft, convex, input->radius, input->stop, error);
    if (shape && recenter) {
        shape->centroid = ph_vec(0, 0); // what is left is rounding
    }
    return shape;
}

PhShape *ph_shape_polygon_or_stop(const PhVec2 *vertices, int32_t count, const PhVec2 *holes,
                                  const int32_t *hole_counts, int32_t hole_count, double radius,
                                  bool recenter, const PhStop *stop, PhError *error) {
    Input input = {vertices, count, holes, hole_counts, hole_count > 0 ? hole_count : 0,
                   radius,   stop};
    Draft draft = {0};
    PhShape *shape = make_polygon(&input, recenter, &draft, error);
    free_draft(&draft);
    return shape;
}

PhShape *ph_shape_polygon(const PhVec2 *vertices, int32_t count, const PhVec2 *holes,
                          const int32_t *hole_counts, int32_t hole_count, double radius,
                          bool recenter, PhError *error) {
    return ph_shape_polygon_or_stop(vertices, count, holes, hole_counts, hole_count, radius,
                                    recenter, NULL, error);
}

static PhShape *make(const PhShapeNumbers *numbers, const PhStop *stop, PhError *error) {
    return ph_shape_polygon_or_stop(numbers->vertices, numbers->vertex_count, numbers->holes,
                                    numbers->hole_counts, numbers->hole_count, numbers->radius,
                                    false, stop, error);
}

const PhShapeKindInfo ph_polygon_kind = {make, 3, INT32_MAX, true, false};

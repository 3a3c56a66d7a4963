// Owns nothing: measures of plain rings. Hull after A. M. Andrew, Another Efficient Algorithm for
// Convex Hulls in Two Dimensions, 1979; width by rotating calipers (M. I. Shamos, Computational
// Geometry, 1978); containment by winding number.
#include "geometry/polygon.h"

#include "base/sort.h"

// The fan about the first vertex gives area and centroid; the moment is then summed about the
// centroid itself, so that no two large numbers are subtracted.
PhMassProperties ph_ring_mass(const PhVec2 *vertices, int32_t count) {
    PhMassProperties mass = {0, {0, 0}, 0};
    if (count < 1) {
        return mass;
    }
    PhVec2 origin = vertices[0];
    double twice_area = 0;
    PhVec2 moment = {0, 0}, sum = {0, 0};
    for (int32_t i = 0; i < count; i++) {
        PhVec2 a = ph_sub(vertices[i], origin);
        PhVec2 b = ph_sub(vertices[i + 1 < count ? i + 1 : 0], origin);
        double cross = ph_cross(a, b);
        twice_area += cross;
        moment = ph_mul_add(moment, cross, ph_add(a, b));
        sum = ph_add(sum, a);
    }
    PhVec2 center = ph_scale(1.0 / count, sum); // of a ring without area
    if (twice_area != 0) {
        center = ph_vec(moment.x / (3 * twice_area), moment.y / (3 * twice_area));
    }
    double inertia = 0;
    for (int32_t i = 0; i < count; i++) {
        PhVec2 a = ph_sub(ph_sub(vertices[i], origin), center);
        PhVec2 b = ph_sub(ph_sub(vertices[i + 1 < count ? i + 1 : 0], origin), center);
        inertia += ph_cross(a, b) * (ph_dot(a, a) + ph_dot(a, b) + ph_dot(b, b));
    }
    mass.area = 0.5 * twice_area;
    mass.centroid = ph_add(origin, center);
    mass.inertia = inertia / 12;
    return mass;
}

static bool before(PhVec2 a, PhVec2 b) {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

static bool ascending(const void *a, const void *b, const void *context) {
    (void)context;
    return before(*(const PhVec2 *)a, *(const PhVec2 *)b);
}

static bool descending(const void *a, const void *b, const void *context) {
    (void)context;
    return before(*(const PhVec2 *)b, *(const PhVec2 *)a);
}

// One chain of the hull: scans points[from .. to) onto the stack out[base .. size), both in the
// same array, the stack never overtaking the reading. Returns the new size.
static int32_t scan_chain(PhVec2 *out, int32_t base, int32_t size, int32_t from, int32_t to,
                          PhHullRecorder *recorder) {
    for (int32_t i = from; i < to; i++) {
        PhVec2 point = out[i];
        while (size - base >= 2 && ph_orientation(out[size - 2], out[size - 1], point) <= 0) {
            size--;
        }
        if (recorder) {
            recorder->visited[recorder->count] = point;
            recorder->height[recorder->count++] = size;
        }
        out[size++] = point;
    }
    return size;
}

// In place: the points on or below the line from the first to the last come first, ascending, then
// those above it, descending; each half is one scan.
static int32_t convex_hull(const PhVec2 *points, int32_t count, PhVec2 *out,
                           PhHullRecorder *recorder, const PhStop *stop) {
    if (recorder) {
        recorder->count = 0;
    }
    if (count < 1) {
        return 0;
    }
    PhVec2 first = points[0], last = points[0];
    for (int32_t i = 0; i < count; i++) {
        out[i] = points[i];
        first = before(points[i], first) ? points[i] : first;
        last = before(last, points[i]) ? points[i] : last;
    }
    int32_t below = 0;
    for (int32_t i = 0; i < count; i++) {
        if (ph_orientation(first, last, out[i]) <= 0) {
            PhVec2 swap = out[below];
            out[below++] = out[i];
            out[i] = swap;
        }
    }
    if (ph_stop_wanted(stop) ||
        !ph_sort_until(out, (size_t)below, sizeof *out, ascending, NULL, stop) ||
        !ph_sort_until(out + below, (size_t)(count - below), sizeof *out, descending, NULL, stop)) {
        return -1;
    }
    int32_t lower = scan_chain(out, 0, 0, 0, below, recorder);
    if (ph_stop_wanted(stop)) {
        return -1;
    }
    if (lower == 2 && out[0].x == out[1].x && out[0].y == out[1].y) {
        return 1;
    }
    // The upper chain runs from the last point back to the first one, which closes it and is then
    // taken off again.
    int32_t size = scan_chain(out, lower - 1, lower, below, count, recorder);
    while (size - lower >= 1 && ph_orientation(out[size - 2], out[size - 1], out[0]) <= 0) {
        size--;
    }
    return size;
}

int32_t ph_convex_hull(const PhVec2 *points, int32_t count, PhVec2 *out, PhHullRecorder *recorder) {
    return convex_hull(points, count, out, recorder, NULL);
}

int32_t ph_convex_hull_or_stop(const PhVec2 *points, int32_t count, PhVec2 *out,
                               const PhStop *stop) {
    return convex_hull(points, count, out, NULL, stop);
}

double ph_convex_width(const PhVec2 *hull, int32_t count) {
    if (count < 3) {
        return 0;
    }
    double width = INFINITY, size = 0;
    for (int32_t i = 1; i < count; i++) {
        PhVec2 d = ph_sub(hull[i], hull[0]);
        size = fmax(size, fabs(d.x) + fabs(d.y));
    }
    int32_t far = 1;
    for (int32_t i = 0; i < count; i++) {
        PhVec2 a = hull[i], b = hull[i + 1 < count ? i + 1 : 0];
        PhVec2 edge = ph_sub(b, a);
        double length = ph_length(edge);
        double height = ph_cross(edge, ph_sub(hull[far], a));
        // Heights rise to the farthest vertex and fall again, but where edges are all but parallel
        // rounding makes ripples: the climb goes on through those.
        double ripple = 0x1p-48 * length * size;
        int32_t walk = far;
        for (int32_t steps = 0; steps < count; steps++) {
            walk = walk + 1 < count ? walk + 1 : 0;
            double walk_height = ph_cross(edge, ph_sub(hull[walk], a));
            if (walk_height >= height) {
                far = walk;
                height = walk_height;
            } else if (!(walk_height >= height - ripple)) {
                break;
            }
        }
        width = height / length < width ? height / length : width;
    }
    return width;
}

int ph_ring_contains(const PhVec2 *vertices, int32_t count, PhVec2 point) {
    int winding = 0;
    for (int32_t i = 0; i < count; i++) {
        PhVec2 a = vertices[i], b = vertices[i + 1 < count ? i + 1 : 0];
        bool level = (a.y <= point.y || b.y <= point.y) && (a.y >= point.y || b.y >= point.y);
        if (!level || !(a.x >= point.x || b.x >= point.x)) {
            continue; // above, below or left of the point
        }
        int side = ph_orientation(a, b, point);
        if (side == 0 && (a.x <= point.x || b.x <= point.x)) {
            return 0;
        }
        // Half-open in y, so that a vertex at the point's height counts once; only edges on the
        // point's right count.
        bool a_above = a.y > point.y, b_above = b.y > point.y;
        if (a_above != b_above) {
            winding += b_above ? (side > 0) : -(side < 0);
        }
    }
    return winding != 0 ? 1 : -1;
}

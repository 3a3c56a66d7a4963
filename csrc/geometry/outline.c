// Owns nothing: polygons in place of round shapes, and shapes moved within their frame.
//
// An arc of angle t about a vertex, in k steps of d = t / k, begins and ends on the straight edges,
// at the radius r; between, its vertices have the radius R for which the fan has the sector's area:
//     sin d / 2 (2 r R + (k - 2) R^2) = t r^2 / 2
// so that (k - 2) R^2 + 2 r R = t r^2 / sin d. A circle of n steps has R^2 = d r^2 / sin d.
#include "geometry/outline.h"

#include "base/memory.h"
#include "math/trig.h"

// An arc smaller than this is one step: what its chord leaves out is below rounding.
#define SMALL_ARC 1e-4

int32_t ph_arc_steps(double angle) {
    if (angle < SMALL_ARC) {
        return 1;
    }
    int32_t steps = (int32_t)ceil(angle / (2 * PH_PI) * PH_OUTLINE_VERTICES - 1e-9);
    return steps < 2 ? 2 : steps;
}

void ph_arc_points(PhVec2 center, double radius, PhVec2 from, double angle, int32_t steps,
                   PhVec2 *out) {
    for (int32_t i = 0; i <= steps; i++) {
        out[i] = ph_mul_add(center, radius, ph_rotate(ph_rot(angle * i / steps), from));
    }
}

static double fan_radius(double angle, int32_t steps, double radius) {
    double factor = angle / ph_rot(angle / steps).s; // t / sin d
    if (steps == 2) {
        return radius * factor / 2;
    }
    int32_t inner = steps - 2;
    return radius * (sqrt(1 + inner * factor) - 1) / inner;
}

// The arc about the center from the unit normal m to n; returns the number of points written.
static int32_t write_arc(PhVec2 center, PhVec2 m, PhVec2 n, double angle, double radius,
                         bool same_area, PhVec2 *out) {
    int32_t steps = ph_arc_steps(angle);
    if (out == NULL) {
        return steps + 1;
    }
    double inner = same_area && steps > 1 ? fan_radius(angle, steps, radius) : radius;
    ph_arc_points(center, inner, m, angle, steps, out);
    out[0] = ph_mul_add(center, radius, m);
    out[steps] = ph_mul_add(center, radius, n);
    return steps + 1;
}

static int32_t write_circle(PhVec2 center, double radius, bool same_area, PhVec2 *out) {
    double step = 2 * PH_PI / PH_OUTLINE_VERTICES;
    if (same_area) {
        radius *= sqrt(step / ph_rot(step).s);
    }
    for (int32_t i = 0; out != NULL && i < PH_OUTLINE_VERTICES; i++) {
        PhRot q = ph_rot(step * i);
        out[i] = ph_mul_add(center, radius, ph_vec(q.c, q.s));
    }
    return PH_OUTLINE_VERTICES;
}

int32_t ph_grow_outline(const PhVec2 *vertices, const PhVec2 *normals, int32_t count, double radius,
                        bool same_area, PhVec2 *out) {
    if (count == 1) {
        return write_circle(vertices[0], radius, same_area, out);
    }
    int32_t size = 0;
    for (int32_t i = 0; i < count; i++) {
        PhVec2 m = normals[i > 0 ? i - 1 : count - 1], n = normals[i];
        double angle = count == 2 ? PH_PI : ph_atan2(ph_cross(m, n), ph_dot(m, n));
        // Rounding may turn an all but straight corner to the other side.
        angle = angle > 0 ? angle : 0;
        size +=
            write_arc(vertices[i], m, n, angle, radius, same_area, out != NULL ? out + size : NULL);
    }
    return size;
}

PhStatus ph_shape_outline(const PhShape *shape, bool same_area, PhVec2 **points, int32_t *count,
                          PhError *error) {
    const PhPiece *piece = shape->pieces;
    if (!(shape->radius > 0) || shape->piece_count != 1) {
        return ph_fail(error, PH_ERROR_VALUE, "shape: has no round outline");
    }
    PhVec2 *out = ph_alloc(ph_outline_room(piece->count), sizeof *out);
    if (!out) {
        return ph_fail(error, PH_ERROR_MEMORY, "out of memory");
    }
    *points = out;
    *count = ph_grow_outline(piece->vertices, piece->normals, piece->count, shape->radius,
                             same_area, out);
    return PH_OK;
}

// Owns nothing: lines that divide the plane exactly, and rings clipped by them (I. Sutherland and
// G. Hodgman, Reentrant Polygon Clipping, 1974). Sides are decided by exact predicates; only the
// crossing points are rounded, within the box of their edge.
#include <math.h>

#include "geometry/operations.h"
#include "geometry/polygon.h"
#include "geometry/predicates.h"

// The direction of the line as an arrow; without rounding.
static PhArrow along(const PhCutLine *line) {
    return line->by_normal ? ph_arrow(ph_vec(0, 0), ph_left(line->q)) : ph_arrow(line->p, line->q);
}

int ph_line_side(const PhCutLine *line, PhVec2 v) {
    return ph_cross_sign(along(line), ph_arrow(line->p, v));
}

static double size_of(PhArrow arrow) {
    return fmax(fmax(fabs(arrow.from.x), fabs(arrow.from.y)),
                fmax(fabs(arrow.to.x), fabs(arrow.to.y)));
}

// The power of two that brings coordinates of that size near 2^490, where no product of two leaves
// the range of float64; 0 for those that are as large already.
static int enlargement(double size) {
    int exponent;
    (void)frexp(size, &exponent);
    return exponent < 490 ? 490 - exponent : 0;
}

static PhArrow enlarge(PhArrow arrow, int power) {
    return ph_arrow(ph_vec(ldexp(arrow.from.x, power), ldexp(arrow.from.y, power)),
                    ph_vec(ldexp(arrow.to.x, power), ldexp(arrow.to.y, power)));
}

double ph_line_height(const PhCutLine *line, PhVec2 v) {
    PhArrow u = along(line), w = ph_arrow(line->p, v);
    u = enlarge(u, enlargement(size_of(u)));
    int power = enlargement(size_of(w));
    double value = ph_cross_value(u, enlarge(w, power));
    return ldexp(value / ph_length(ph_sub(u.to, u.from)), -power);
}

// Heights of a and b, but for a sign and a common factor.
static void measure(const PhCutLine *line, PhVec2 a, PhVec2 b, double *at_a, double *at_b) {
    PhArrow u = along(line), to_a = ph_arrow(line->p, a), to_b = ph_arrow(line->p, b);
    *at_a = fabs(ph_cross_value(u, to_a));
    *at_b = fabs(ph_cross_value(u, to_b));
    if (*at_a + *at_b < 0x1p-900) { // products too small for float64
        int power = enlargement(fmax(size_of(to_a), size_of(to_b)));
        u = enlarge(u, enlargement(size_of(u)));
        *at_a = fabs(ph_cross_value(u, enlarge(to_a, power)));
        *at_b = fabs(ph_cross_value(u, enlarge(to_b, power)));
    }
}

static double between(double value, double a, double b) {
    double low = a < b ? a : b, high = a < b ? b : a;
    return value < low ? low : value > high ? high : value;
}

PhVec2 ph_line_cut(const PhCutLine *line, PhVec2 a, PhVec2 b) {
    if (b.x < a.x || (b.x == a.x && b.y < a.y)) {
        PhVec2 swap = a;
        a = b;
        b = swap;
    }
    double at_a, at_b;
    measure(line, a, b, &at_a, &at_b);
    // From the nearer end, where rounding matters less.
    double t = at_a / (at_a + at_b), s = at_b / (at_a + at_b);
    PhVec2 edge = ph_sub(b, a);
    PhVec2 cut = t < 0.5 ? ph_mul_add(a, t, edge) : ph_mul_add(b, -s, edge);
    bool level = line->by_normal ? line->q.x == 0 : line->p.y == line->q.y;
    bool plumb = line->by_normal ? line->q.y == 0 : line->p.x == line->q.x;
    cut.x = plumb ? line->p.x : cut.x;
    cut.y = level ? line->p.y : cut.y;
    return ph_vec(between(cut.x, a.x, b.x), between(cut.y, a.y, b.y));
}

static bool same(PhVec2 a, PhVec2 b) {
    return a.x == b.x && a.y == b.y;
}

static int32_t append(PhVec2 *out, int32_t size, PhVec2 v) {
    if (size == 0 || !same(out[size - 1], v)) {
        out[size++] = v;
    }
    return size;
}

int32_t ph_clip_ring(const PhVec2 *ring, int32_t count, const PhCutLine *line, PhVec2 *out) {
    if (count < 3) {
        return 0;
    }
    int32_t size = 0;
    bool inside = false;
    int first = ph_line_side(line, ring[0]), side = first;
    for (int32_t i = 0; i < count; i++) {
        PhVec2 next = ring[i + 1 < count ? i + 1 : 0];
        int next_side = i + 1 < count ? ph_line_side(line, next) : first;
        inside = inside || side > 0;
        if (side >= 0) {
            size = append(out, size, ring[i]);
        }
        if (side * next_side < 0) {
            size = append(out, size, ph_line_cut(line, ring[i], next));
        }
        side = next_side;
    }
    while (size > 1 && same(out[size - 1], out[0])) {
        size--;
    }
    return inside && size >= 3 ? size : 0;
}

int ph_convex_winding(const PhVec2 *ring, int32_t count) {
    int turn = 0, flips_x = 0, flips_y = 0;
    int first_x = 0, first_y = 0, last_x = 0, last_y = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t next = i + 1 < count ? i + 1 : 0, after = next + 1 < count ? next + 1 : 0;
        int orientation = ph_orientation(ring[i], ring[next], ring[after]);
        if (orientation * turn < 0) {
            return 0;
        }
        turn = orientation != 0 ? orientation : turn;
        // Round once, each coordinate rises once and falls once.
        int x = (ring[next].x > ring[i].x) - (ring[next].x < ring[i].x);
        int y = (ring[next].y > ring[i].y) - (ring[next].y < ring[i].y);
        flips_x += x * last_x < 0;
        flips_y += y * last_y < 0;
        last_x = x != 0 ? x : last_x;
        last_y = y != 0 ? y : last_y;
        first_x = first_x != 0 ? first_x : x;
        first_y = first_y != 0 ? first_y : y;
    }
    flips_x += last_x * first_x < 0;
    flips_y += last_y * first_y < 0;
    return flips_x <= 2 && flips_y <= 2 ? turn : 0;
}

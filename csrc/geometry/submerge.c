// Owns nothing. Submerged areas by line integrals around the outline of a shape: no clipping, no
// memory, exact for straight edges and arcs.
//
// Under a surface s(x) lie those points of the shape with y < s(x). By Green's theorem the integral
// of f_y over them is minus the integral of f(x, min(y, s(x))) dx along the outline, walked
// counter-clockwise (holes clockwise): where the outline is above the surface, the surface takes
// its place. f = y, x y, y^2 / 2, x^2 y and y^3 / 3 give the area and its moments; the dx of what
// is above the surface gives the waterline. Heights are measured from the lowest point of the
// shape: deeper surfaces count as 0 and cancel without rounding.
//
// Source: the approach of E. Catto, "Buoyancy" (Game Programming Gems 6, 2006), areas and centroids
// of clipped parts, carried over to outlines with arcs.
#include "geometry/submerge.h"

#include "math/trig.h"

// Slabs narrower than this fraction of the shape are skipped.
#define THIN_SLAB 1e-15
// Areas below this fraction of the shape's are rounding.
#define NO_AREA 1e-14

enum { PORTION = 1 << 14 }; // slabs examined between two questions to a PhStop

typedef struct Sums {
    double area, x, y, xx, yy; // integrals of 1, x, y, x^2, y^2 over what is under the surface
    double line, line_x, line_xx;
} Sums;

// A piece of the outline along which x only grows: straight, or part of a quarter of a circle.
typedef struct Edge {
    PhVec2 a, b;   // a.x < b.x
    double sign;   // -1 when the outline runs from a to b, +1 from b to a
    double radius; // 0: straight
    PhVec2 center;
    double half; // +1: the upper half of the circle, -1: the lower
} Edge;

// A surface as it is seen from reference + shift. Their sum is never formed: far from the origin of
// the world it would lose the digits of the shift.
typedef struct View {
    const PhSurface *surface;
    PhVec2 reference, shift;
} View;

typedef struct Walk {
    View view;
    double thinnest; // width of a slab that counts
    Sums sums;
    uint32_t seen; // slabs
    bool stopped;
} Walk;

// ------------------------------------------------------------------------------------------------
// surface

static uint32_t count_of(const PhSurface *surface) {
    return surface->points ? surface->count : 0;
}

static PhVec2 surface_point(const View *view, uint32_t i) {
    return ph_sub(ph_sub(view->surface->points[i], view->reference), view->shift);
}

// Number of points with x <= the given one: the slab between points k - 1 and k.
static uint32_t find_slab(const View *view, double x) {
    uint32_t low = 0, high = count_of(view->surface);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (surface_point(view, middle).x <= x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static double height_in_slab(const View *view, uint32_t slab, double x) {
    uint32_t count = count_of(view->surface);
    if (count == 0) {
        return view->surface->level - view->reference.y - view->shift.y;
    }
    PhVec2 p = surface_point(view, slab > 0 ? slab - 1 : 0);
    PhVec2 q = surface_point(view, slab < count ? slab : count - 1);
    double t = (x - p.x) / (q.x - p.x);
    return t > 0 ? t < 1 ? p.y + t * (q.y - p.y) : q.y : p.y;
}

void ph_surface_range(const PhSurface *surface, double lower, double upper, double *least,
                      double *most) {
    View view = {.surface = surface};
    uint32_t first = find_slab(&view, lower), last = find_slab(&view, upper);
    double a = height_in_slab(&view, first, lower), b = height_in_slab(&view, last, upper);
    double low = a < b ? a : b, high = a < b ? b : a;
    for (uint32_t i = first; i < last; i++) {
        double y = surface->points[i].y;
        low = y < low ? y : low;
        high = y > high ? y : high;
    }
    *least = low;
    *most = high;
}

// ------------------------------------------------------------------------------------------------
// integrals

// Under the straight line from a to b: x and y are linear in t, so each integrand is a polynomial.
static void add_line(Sums *sums, double sign, PhVec2 a, PhVec2 b) {
    double w = sign * (b.x - a.x);
    sums->area += w * (a.y + b.y) / 2;
    sums->x += w * (a.x * (2 * a.y + b.y) + b.x * (a.y + 2 * b.y)) / 6;
    sums->y += w * (a.y * a.y + a.y * b.y + b.y * b.y) / 6;
    sums->xx += w *
                (a.y * (3 * a.x * a.x + 2 * a.x * b.x + b.x * b.x) +
                 b.y * (a.x * a.x + 2 * a.x * b.x + 3 * b.x * b.x)) /
                12;
    sums->yy += w * (a.y * a.y + b.y * b.y) * (a.y + b.y) / 12;
}

// Under an arc of at most a quarter about `center`. With u = x - center.x = r C, v = y - center.y =
// r S (cosine and sine of the angle t), dx = -r S dt, and each integral of u^i v^k dx is
// elementary.
static void add_arc(Sums *sums, double sign, PhVec2 center, double radius, PhVec2 a, PhVec2 b) {
    double ca = (a.x - center.x) / radius, sa = (a.y - center.y) / radius;
    double cb = (b.x - center.x) / radius, sb = (b.y - center.y) / radius;
    double r = radius, r2 = r * r, t = ph_atan2(ca * sb - sa * cb, ca * cb + sa * sb);
    double d_sc = sb * cb - sa * ca; // of sin 2t / 2
    // sin 4t / 4 = S C (C^2 - S^2)
    double d_4 = sb * cb * (cb * cb - sb * sb) - sa * ca * (ca * ca - sa * sa);
    double one = r * (cb - ca), u = r2 * (cb * cb - ca * ca) / 2;
    double uu = r2 * r * (cb * cb * cb - ca * ca * ca) / 3;
    double v = -r2 * (t - d_sc) / 2, uv = -r2 * r * (sb * sb * sb - sa * sa * sa) / 3;
    double vv = r2 * r * ((cb - cb * cb * cb / 3) - (ca - ca * ca * ca / 3));
    double uuv = -r2 * r2 * (t - d_4) / 8;
    double vvv = -r2 * r2 * (3 * t - 4 * d_sc + d_4) / 8;
    double x = center.x, y = center.y, area = y * one + v;
    sums->area += sign * area;
    sums->x += sign * (x * area + y * u + uv);
    sums->y += sign * (y * y * one + 2 * y * v + vv) / 2;
    sums->xx += sign * (x * x * area + 2 * x * (y * u + uv) + y * uu + uuv);
    sums->yy += sign * (y * y * y * one + 3 * y * y * v + 3 * y * vv + vvv) / 3;
}

// Under the surface itself, where the outline is above it.
static void add_surface(Sums *sums, double sign, PhVec2 a, PhVec2 b) {
    double w = sign * (b.x - a.x);
    sums->line += w;
    sums->line_x += w * (a.x + b.x) / 2;
    sums->line_xx += w * (a.x * a.x + a.x * b.x + b.x * b.x) / 3;
    if (a.y <= 0 && b.y <= 0) {
        return;
    }
    if (a.y < 0 || b.y < 0) { // cut at height 0
        double x = a.x + a.y / (a.y - b.y) * (b.x - a.x);
        *(a.y < 0 ? &a : &b) = ph_vec(x, 0);
    }
    add_line(sums, sign, a, b);
}

// ------------------------------------------------------------------------------------------------
// edges

static PhVec2 point_at(const Edge *edge, double x) {
    if (x <= edge->a.x) {
        return edge->a;
    }
    if (x >= edge->b.x) {
        return edge->b;
    }
    if (edge->radius > 0) {
        double u = (x - edge->center.x) / edge->radius, rest = (1 - u) * (1 + u);
        return ph_vec(x, edge->center.y + edge->half * edge->radius * sqrt(rest > 0 ? rest : 0));
    }
    double t = (x - edge->a.x) / (edge->b.x - edge->a.x);
    return ph_vec(x, edge->a.y + t * (edge->b.y - edge->a.y));
}

// The part of the edge from p to q, which the line of the surface from s to t does not cross.
static void add_part(Sums *sums, const Edge *edge, PhVec2 p, PhVec2 q, PhVec2 s, PhVec2 t) {
    if (!(p.x < q.x)) {
        return;
    }
    double x = 0.5 * (p.x + q.x), y = point_at(edge, x).y;
    double slope = (t.y - s.y) / (t.x - s.x);
    if (y > s.y + slope * (x - s.x)) {
        PhVec2 a = ph_vec(p.x, s.y + slope * (p.x - s.x));
        PhVec2 b = ph_vec(q.x, s.y + slope * (q.x - s.x));
        add_surface(sums, edge->sign, a, b);
    } else if (edge->radius > 0) {
        add_arc(sums, edge->sign, edge->center, edge->radius, p, q);
    } else {
        add_line(sums, edge->sign, p, q);
    }
}

// x of the crossings of the edge with the line from s to t, ascending, within p.x < x < q.x.
static int find_crossings(const Edge *edge, PhVec2 p, PhVec2 q, PhVec2 s, PhVec2 t, double x[2]) {
    double slope = (t.y - s.y) / (t.x - s.x);
    if (!(edge->radius > 0)) {
        double before = p.y - s.y, after = q.y - t.y;
        if ((before < 0) == (after < 0)) {
            return 0;
        }
        x[0] = p.x + before / (before - after) * (q.x - p.x);
        return x[0] > p.x && x[0] < q.x;
    }
    // On the unit circle v = offset + slope u; the line's distance from the centre is `distance`.
    double offset = (s.y + slope * (edge->center.x - s.x) - edge->center.y) / edge->radius;
    double stretch = sqrt(1 + slope * slope), distance = offset / stretch;
    if (!(fabs(distance) < 1)) {
        return 0;
    }
    double reach = sqrt((1 - distance) * (1 + distance));
    int count = 0;
    for (int side = -1; side <= 1; side += 2) {
        double u = (side * reach - slope * distance) / stretch;
        double v = (side * reach * slope + distance) / stretch;
        double at = edge->center.x + edge->radius * u;
        if (v * edge->half > 0 && at > p.x && at < q.x) {
            x[count++] = at;
        }
    }
    return count;
}

static void add_in_slab(Sums *sums, const Edge *edge, PhVec2 s, PhVec2 t) {
    PhVec2 p = point_at(edge, s.x), end = point_at(edge, t.x);
    double x[2];
    int count = find_crossings(edge, p, end, s, t, x);
    for (int i = 0; i < count; i++) {
        PhVec2 q = point_at(edge, x[i]);
        add_part(sums, edge, p, q, s, t);
        p = q;
    }
    add_part(sums, edge, p, end, s, t);
}

static void add_edge(Walk *walk, const Edge *edge) {
    const View *view = &walk->view;
    uint32_t slab = find_slab(view, edge->a.x), last = count_of(view->surface);
    for (double from = edge->a.x; from < edge->b.x && !walk->stopped; slab++) {
        if (++walk->seen % PORTION == 0) {
            walk->stopped = ph_stop_wanted(view->surface->stop);
        }
        double to = slab < last ? surface_point(view, slab).x : edge->b.x;
        to = to < edge->b.x ? to : edge->b.x;
        if (to - from > walk->thinnest) {
            PhVec2 s = {from, height_in_slab(view, slab, from)};
            PhVec2 t = {to, height_in_slab(view, slab, to)};
            add_in_slab(&walk->sums, edge, s, t);
        }
        from = to > from ? to : from;
    }
}

// The outline from p to q, straight when radius is 0.
static void add_monotone(Walk *walk, PhVec2 p, PhVec2 q, PhVec2 center, double radius) {
    if (p.x == q.x) {
        return; // nothing lies under a vertical line
    }
    bool forward = p.x < q.x;
    Edge edge = {.a = forward ? p : q,
                 .b = forward ? q : p,
                 .sign = forward ? -1 : 1,
                 .radius = radius,
                 .center = center,
                 .half = forward ? -1 : 1}; // counter-clockwise: the lower half runs to the right
    add_edge(walk, &edge);
}

// The arc about `center` counter-clockwise from the unit vector m to n, less than a turn, in parts
// that end at the extreme points of the circle.
static void add_corner(Walk *walk, PhVec2 center, double radius, PhVec2 m, PhVec2 n) {
    if (ph_cross(m, n) <= 0 && ph_dot(m, n) > 0) {
        return; // edges in line, not a turn
    }
    for (int part = 0; part < 4; part++) {
        PhVec2 next = m.x > 0 && m.y >= 0   ? ph_vec(0, 1)
                      : m.y > 0 && m.x <= 0 ? ph_vec(-1, 0)
                      : m.x < 0 && m.y <= 0 ? ph_vec(0, -1)
                                            : ph_vec(1, 0);
        bool ends = ph_cross(m, n) >= 0 && ph_cross(n, next) >= 0;
        PhVec2 end = ends ? n : next;
        add_monotone(walk, ph_mul_add(center, radius, m), ph_mul_add(center, radius, end), center,
                     radius);
        if (ends) {
            return;
        }
        m = next;
    }
}

// ------------------------------------------------------------------------------------------------
// outlines

static void add_ring(Walk *walk, const PhVec2 *vertices, int32_t count, PhTransform local) {
    PhVec2 p = ph_apply(local, vertices[count - 1]);
    for (int32_t i = 0; i < count; i++) {
        PhVec2 q = ph_apply(local, vertices[i]);
        add_monotone(walk, p, q, p, 0);
        p = q;
    }
}

// A convex core grown by a disc: each vertex has an arc from the normal before it to the one after.
static void add_rounded(Walk *walk, const PhPiece *piece, PhTransform local) {
    int32_t last = piece->count - 1;
    if (last == 0) {
        PhVec2 center = ph_apply(local, piece->vertices[0]);
        const PhVec2 extremes[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 0}};
        for (int i = 0; i < 4; i++) {
            add_corner(walk, center, piece->radius, extremes[i], extremes[i + 1]);
        }
        return;
    }
    PhVec2 before = ph_rotate(local.q, piece->normals[last]);
    for (int32_t i = 0; i <= last; i++) {
        PhVec2 p = ph_apply(local, piece->vertices[i]);
        PhVec2 q = ph_apply(local, piece->vertices[i < last ? i + 1 : 0]);
        PhVec2 normal = ph_rotate(local.q, piece->normals[i]);
        add_corner(walk, p, piece->radius, before, normal);
        add_monotone(walk, ph_mul_add(p, piece->radius, normal),
                     ph_mul_add(q, piece->radius, normal), p, 0);
        before = normal;
    }
}

static void sum_up(const Walk *walk, PhVec2 shift, PhSubmerged *out) {
    const Sums *s = &walk->sums;
    PhVec2 centroid = {s->x / s->area, s->y / s->area};
    double inertia = s->xx + s->yy - s->area * ph_length_squared(centroid);
    double line = s->line > 0 ? s->line : 0;
    *out = (PhSubmerged){
        .area = s->area,
        .centroid = ph_add(centroid, shift),
        .inertia = inertia > 0 ? inertia : 0,
        .waterline = line,
        .waterline_first = s->line_x + line * shift.x,
        .waterline_second = s->line_xx + shift.x * (2 * s->line_x + line * shift.x),
    };
}

bool ph_submerge(const PhShape *shape, PhTransform pose, PhVec2 reference, const PhSurface *surface,
                 PhSubmerged *out) {
    PhAabb box = ph_shape_aabb(shape, pose);
    double least, most;
    if (!(shape->area > 0) || !isfinite(box.lower.x + box.lower.y + box.upper.x + box.upper.y)) {
        return false;
    }
    ph_surface_range(surface, box.lower.x + reference.x, box.upper.x + reference.x, &least, &most);
    if (!(box.lower.y < most - reference.y)) {
        return false;
    }
    if (box.upper.y <= least - reference.y) { // all of it
        *out = (PhSubmerged){.area = shape->area,
                             .centroid = ph_apply(pose, shape->centroid),
                             .inertia = shape->inertia};
        return true;
    }
    PhVec2 shift = {0.5 * (box.lower.x + box.upper.x), box.lower.y};
    PhTransform local = {ph_sub(pose.p, shift), pose.q};
    Walk walk = {.view = {surface, reference, shift},
                 .thinnest = THIN_SLAB * (box.upper.x - box.lower.x)};
    if (shape->radius > 0) {
        add_rounded(&walk, shape->pieces, local);
    } else {
        const PhVec2 *vertices = shape->vertices;
        add_ring(&walk, vertices, shape->vertex_count, local);
        for (int32_t h = 0; h < shape->hole_count; h++) {
            int32_t start = shape->hole_starts[h];
            add_ring(&walk, vertices + start, shape->hole_starts[h + 1] - start, local);
        }
    }
    if (!(walk.sums.area > NO_AREA * shape->area)) {
        return false;
    }
    sum_up(&walk, shift, out);
    return true;
}

// Wind: uniform flow of air against the outlines of bodies.
//
// With u the velocity of the air relative to a point of the outline and n the outward normal there,
// the point is exposed where -u . n > 0. A bit ds of exposed outline feels, with c half the
// density,
//     c drag (-u . n) u ds,             the momentum of the air that it stops, along the flow,
//     c lift |u| (-u . n) (-n) ds,      a pressure, which has a part across the flow.
// A plate at the angle a to the flow, of length l, thus feels c u^2 l sin a (drag + lift sin a)
// along the flow and c u^2 l lift sin a cos a across it. Every bit of outline counts by its own
// normal: nothing lies in the lee of another part, and the lee itself pulls with nothing.
//
// In u both are -K u with K = c drag (-u . n) (identity) + c lift |u| (n n'), which has no negative
// eigenvalue. A step takes K from the motion at its start, integrates it over the outline into the
// matrix A of a PhExposure, and solves for the motion at its end (fields.c). In the frame of the
// air, where push and twist vanish, the energy V' M V of a body under wind alone then only falls,
// for any coefficients and any step: (M + dt A) V' = M V gives |V'|_M <= |V|_M.
//
// Along a straight edge, u is linear in the place, so the exposed part is an interval and the
// integrands of drag are cubics: Gauss's rule of three points is exact. Those of lift have |u|, the
// same all over an edge unless the body spins; then the rule is accurate to the sixth order of the
// change. On an arc of centre o the spin about o slides along the surface and changes no pressure:
// with u taken at o and m = -u / |u|, n = n(t) is exposed where n . m > 0, and all integrals are
// elementary in t.
//
// Sources: I. Newton, "Principia" (1687), book 2, prop. 34 (air that hits); Lord Rayleigh, "On the
// Resistance of Fluids" (1876) (a pressure on plates that goes with the sine of small angles);
// E. Catto, Box2D 3 (b2Shape_ApplyWind), for the sum edge by edge.
#include "world/fields.h"
#include "world/internal.h"

enum { VELOCITY, DENSITY = 2, DRAG, LIFT };

typedef struct Air {
    PhVec2 flow;       // relative to the centre of mass
    double spin;       // of the body
    double drag, lift; // times half the density
    PhExposure sum;
} Air;

static PhVec2 flow_at(const Air *air, PhVec2 r) {
    return ph_mul_add(air->flow, -air->spin, ph_left(r));
}

// Gauss's rule of three points on (0, 1).
static const double node[] = {0.1127016653792583, 0.5, 0.8872983346207417};
static const double weight[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};

// From p to q, with the outward normal n.
static void add_edge(Air *air, PhVec2 p, PhVec2 q, PhVec2 n) {
    double a = -ph_dot(flow_at(air, p), n), b = -ph_dot(flow_at(air, q), n);
    if (!(a > 0 || b > 0)) {
        return;
    }
    double from = a < 0 ? a / (a - b) : 0, to = b < 0 ? a / (a - b) : 1;
    double length = (to - from) * ph_length(ph_sub(q, p));
    for (int i = 0; i < 3; i++) {
        double t = from + (to - from) * node[i];
        PhVec2 r = ph_lerp(p, q, t), u = flow_at(air, r);
        double ds = length * weight[i], exposed = ph_max(-ph_dot(u, n), 0);
        ph_exposure_add(&air->sum, air->drag * exposed * ds, r);
        ph_exposure_add_along(&air->sum, air->lift * ph_length(u) * ds, r, n);
    }
}

// The arc about o from the unit vector a counter-clockwise to b, all exposed. Integrals over the
// angle: of n (by x' = -y, y' = x), of n n' (by the double angle).
static void add_exposed_arc(Air *air, PhVec2 o, double radius, PhVec2 a, PhVec2 b) {
    PhVec2 u = flow_at(air, o);
    double speed = ph_length(u), angle = ph_atan2(ph_cross(a, b), ph_dot(a, b));
    PhVec2 m = ph_scale(-1 / speed, u), first = ph_right(ph_sub(b, a));
    double half = 0.5 * angle, part = 0.5 * (b.x * b.y - a.x * a.y);
    double xx = half + part, yy = half - part, xy = 0.5 * (b.y * b.y - a.y * a.y);
    PhExposure *sum = &air->sum;
    // Drag, of points o + radius n with the weight speed (m . n).
    double k = air->drag * speed * radius, all = k * ph_dot(m, first);
    PhVec2 lever = ph_scale(k * radius, ph_vec(xx * m.x + xy * m.y, xy * m.x + yy * m.y));
    sum->xx += all;
    sum->yy += all;
    sum->xs -= all * o.y + lever.y;
    sum->ys += all * o.x + lever.x;
    sum->ss += all * (ph_length_squared(o) + radius * radius) + 2 * ph_dot(o, lever);
    // Lift, along n n': the torque of n at o + radius n is that at o.
    double l = air->lift * speed * radius;
    PhVec2 arm = ph_left(o), turned = {xx * arm.x + xy * arm.y, xy * arm.x + yy * arm.y};
    sum->xx += l * xx;
    sum->xy += l * xy;
    sum->yy += l * yy;
    sum->xs += l * turned.x;
    sum->ys += l * turned.y;
    sum->ss += l * ph_dot(arm, turned);
}

// The exposed part of an arc of less than half a turn: where one end is in the lee, it ends where
// the flow grazes.
static void add_arc(Air *air, PhVec2 o, double radius, PhVec2 a, PhVec2 b) {
    PhVec2 u = flow_at(air, o), m = ph_normalize_or(ph_neg(u), ph_vec(0, 0));
    bool starts = ph_dot(a, m) > 0, ends = ph_dot(b, m) > 0;
    if (starts || ends) {
        add_exposed_arc(air, o, radius, starts ? a : ph_right(m), ends ? b : ph_left(m));
    }
}

static void add_corner(Air *air, PhVec2 o, double radius, PhVec2 a, PhVec2 b) {
    if (ph_dot(a, b) >= 0) {
        if (ph_cross(a, b) > 0) {
            add_arc(air, o, radius, a, b);
        }
        return;
    }
    PhVec2 between = ph_left(a);
    add_arc(air, o, radius, a, between);
    add_arc(air, o, radius, between, b);
}

static void add_circle(Air *air, PhVec2 o, double radius) {
    PhVec2 u = flow_at(air, o), m = ph_normalize_or(ph_neg(u), ph_vec(0, 0));
    if (m.x != 0 || m.y != 0) {
        add_exposed_arc(air, o, radius, ph_right(m), ph_left(m));
    }
}

// A convex core, grown by a disc unless the radius is 0. One of two vertices has two sides.
static void add_rounded(Air *air, const PhPiece *piece, PhTransform pose) {
    int32_t last = piece->count - 1;
    double radius = piece->radius;
    if (last == 0) {
        add_circle(air, ph_apply(pose, piece->vertices[0]), radius);
        return;
    }
    PhVec2 before = ph_rotate(pose.q, piece->normals[last]);
    for (int32_t i = 0; i <= last; i++) {
        PhVec2 p = ph_apply(pose, piece->vertices[i]), n = ph_rotate(pose.q, piece->normals[i]);
        PhVec2 q = ph_apply(pose, piece->vertices[i < last ? i + 1 : 0]);
        if (radius > 0) {
            add_corner(air, p, radius, before, n);
        }
        add_edge(air, ph_mul_add(p, radius, n), ph_mul_add(q, radius, n), n);
        before = n;
    }
}

static void add_shape(Air *air, const PhShape *shape, PhTransform pose) {
    if (shape->kind == PH_SHAPE_CHAIN) { // on its free side
        for (int32_t i = 0; i < shape->piece_count; i++) {
            const PhPiece *piece = &shape->pieces[i];
            add_edge(air, ph_apply(pose, piece->vertices[0]), ph_apply(pose, piece->vertices[1]),
                     ph_rotate(pose.q, piece->normals[1]));
        }
    } else if (shape->kind != PH_SHAPE_POLYGON || shape->radius > 0) {
        add_rounded(air, shape->pieces, pose);
    } else { // the outer ring: no wind in holes
        PhVec2 p = ph_apply(pose, shape->vertices[0]);
        for (int32_t i = 0; i < shape->vertex_count; i++) {
            int32_t next = i + 1 < shape->vertex_count ? i + 1 : 0;
            PhVec2 q = ph_apply(pose, shape->vertices[next]);
            add_edge(air, p, q, ph_rotate(pose.q, shape->normals[i]));
            p = q;
        }
    }
}

static bool blows_on(const PhField *field, const PhCollider *collider) {
    const double *value = field->def.value;
    return collider->def.category & field->def.mask && !collider->def.sensor &&
           value[DENSITY] > 0 && value[DRAG] + value[LIFT] > 0;
}

static void act(const PhField *field, PhFieldBody *body) {
    const PhWorld *world = body->world;
    const double *value = field->def.value;
    PhVec2 wind = {value[VELOCITY], value[VELOCITY + 1]};
    Air air = {
        .flow = ph_sub(wind, body->velocity),
        .spin = body->spin,
        .drag = 0.5 * value[DENSITY] * value[DRAG],
        .lift = 0.5 * value[DENSITY] * value[LIFT],
    };
    bool met = false;
    for (uint32_t c = world->body[body->slot].first_collider; c != PH_NULL;
         c = world->collider[c].next) {
        if (blows_on(field, &world->collider[c])) {
            add_shape(&air, world->collider[c].shape, body->pose);
            met = true;
        }
    }
    if (!met) {
        return;
    }
    PhExposure *to = &body->exposure, *a = &air.sum;
    to->xx += a->xx;
    to->xy += a->xy;
    to->yy += a->yy;
    to->xs += a->xs;
    to->ys += a->ys;
    to->ss += a->ss;
    to->push =
        ph_add(to->push, ph_vec(a->xx * wind.x + a->xy * wind.y, a->xy * wind.x + a->yy * wind.y));
    to->twist += a->xs * wind.x + a->ys * wind.y;
    body->met = body->exposed = true;
}

static bool reaches(const PhField *field, const PhWorld *world, uint32_t slot) {
    uint32_t c = world->body[slot].first_collider;
    bool blows = false;
    for (; c != PH_NULL && !blows; c = world->collider[c].next) {
        blows = blows_on(field, &world->collider[c]);
    }
    return blows;
}

const PhFieldRow ph_wind_row = {
    .info = {.name = "wind",
             .parameters = {{"velocity", VELOCITY, 2, -PH_FIELD_MOST, NAN, 0, false},
                            {"density", DENSITY, 1, 0, 1.2, 0, false},
                            {"drag", DRAG, 1, 0, 0.5, 0, false},
                            {"lift", LIFT, 1, 0, 1, 0, false}}},
    .act = act,
    .reaches = reaches,
};

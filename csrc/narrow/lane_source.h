// Lane kernels of the narrow phase: one source for every width. The including unit sets PH_LANES
// and PH_MANIFOLDS.
//
// Symbols. A *couple* is PH_LANES pairs a, b, seen from the middle of a: d leads to the middle of b
// (subtracted in float64), everything else is float32. A *touch* is what a kernel finds: normal
// from a to b, up to two points from the middle of a, ordered along (ny, -nx), with their
// separations. Invariant: lanes never exchange data, and a branch only skips work whose result no
// lane would take; so the bits are the same at every width.
//
// The rules are those of the double-precision functions in this folder; what is rare or close to a
// limit of float32 is answered PH_ANSWER_DOUBTFUL.
//
// Source of the idea: E. Catto, "Contact Manifolds" (2007), for the rules.
#include <float.h>

#include "math/lanes.h"
#include "narrow/faces.h"
#include "narrow/materials.h"

// One copy for all kernels: inlined in each it would take compilers half of their time.
#define PH_IN_COMMON static __attribute__((noinline))

typedef struct Body {
    Lanes c, s, hx, hy;
    Lanes vx, vy, radius, width;
    Lanes arm_x, arm_y, w, smooth;
} Body;

typedef struct Couple {
    Lanes dx, dy;
    Body a, b;
    Lanes margin; // separation up to which points count
    const PhLaneLengths *lengths;
} Couple;

// b, the one that may be static, keeps still.
PH_INLINE Mask is_at_rest(const Couple *k) {
    return lanes_at_most(
        lanes_max(lanes_max(lanes_abs(k->b.vx), lanes_abs(k->b.vy)), lanes_abs(k->b.w)),
        lanes_splat(0));
}
// The smaller slop of the two; zero for segments, whose width is kept as infinite.
PH_INLINE Lanes find_slop(const Couple *k) {
    Lanes width_a = k->a.width, width_b = k->b.width;
    Lanes slop = lanes_min(lanes_splat((float)PH_PASS_WIDTH) * lanes_min(width_a, width_b),
                           lanes_load(k->lengths->pass_slop));
    return lanes_keep(lanes_less(lanes_max(width_a, width_b), lanes_splat(INFINITY)), slop);
}

// A point this close (metres) to a corner may count as the corner: within the slop on what rests,
// where they touch.
PH_INLINE Lanes near_corner(const Couple *k) {
    Lanes close = lanes_load(k->lengths->lane_near_corner);
    return lanes_max(lanes_keep(is_at_rest(k), find_slop(k)), close);
}

typedef struct Touch {
    Lanes nx, ny;
    Lanes x[2], y[2], separation[2];
    Mask here[2];    // point exists
    Mask clipped[2]; // point is an end of the reference side, not a corner of the other
    Mask corner;     // a single point may be a corner of both
    Mask doubtful;   // the manifold needs ph_collide
    Mask near;       // best axis is within the margin
    Mask by_b;       // b's side is the reference
    Mask turned;     // the normal is that of no side
    Mask flat;       // a single point lies on the reference side: not between corners or circles
    Mask planar;     // a circle comes over a side that goes on behind its end
    Lanes room;      // how far points may slide and meet the same side with the same normal
    Lanes later;     // the time (seconds from now) at which bodies are where they are seen here
} Touch;

PH_INLINE void load_body(const void *const piece[PH_LANES], Body *body) {
    Lanes q[4];
    lanes_gather_quads(piece, 16, q);
    body->c = q[0];
    body->s = q[1];
    body->hx = q[2];
    body->hy = q[3];
    lanes_gather_quads(piece, 32, q);
    body->vx = q[0];
    body->vy = q[1];
    body->radius = q[2];
    body->width = q[3];
    lanes_gather_quads(piece, 48, q); // the cull does not need them, and the compiler sees it
    body->arm_x = q[0];
    body->arm_y = q[1];
    body->w = q[2];
    body->smooth = q[3];
}

// How much further than usual a corner of a body may come by its spin: ph_spin_travel() in
// world/passes.h.
PH_INLINE Lanes find_sweep(const void *const piece[PH_LANES], const PhLanePairs *pairs) {
    const Lanes usual = lanes_load(pairs->lengths->spin_slack);
    Lanes box[4], arm[4];
    lanes_gather_quads(piece, 16, box);
    lanes_gather_quads(piece, 48, arm);
    Lanes x = lanes_abs(box[0] * arm[0] + box[1] * arm[1]) + box[2];
    Lanes y = lanes_abs(box[0] * arm[1] - box[1] * arm[0]) + box[3];
    Lanes reach = lanes_sqrt(x * x + y * y);
    Lanes turn = lanes_min(lanes_abs(arm[2]) * lanes_splat(pairs->dt), lanes_splat(1));
    return lanes_max(turn * reach - usual, lanes_splat(0));
}

// Up to some times the thinner width, faster pairs are examined from further away.
PH_INLINE Lanes find_margin(const Couple *k, Lanes dt, Lanes fall, Lanes sweeps) {
    Lanes vx = k->b.vx - k->a.vx, vy = k->b.vy - k->a.vy;
    Lanes displacement = lanes_sqrt(vx * vx + vy * vy) * dt;
    displacement = lanes_min(displacement, lanes_splat((float)PH_AHEAD_WIDTHS) *
                                               lanes_min(k->a.width, k->b.width));
    return lanes_max(displacement + sweeps + fall, lanes_load(k->lengths->speculative));
}

// Names the pieces of the PH_LANES pairs of a list from i on; a list that ends early repeats its
// last.
PH_INLINE void load_couple_by(const PhLanePairs *pairs, const uint32_t *list, uint32_t count,
                              uint32_t i, bool spins, uint32_t k[PH_LANES], Couple *couple) {
    const void *a[PH_LANES], *b[PH_LANES];
    uint32_t left = count - i;
    if (left >= PH_LANES) {
        memcpy(k, list + i, PH_LANES * sizeof *k);
    } else {
        for (uint32_t l = 0; l < PH_LANES; l++) {
            k[l] = list[i + (l < left ? l : left - 1)];
        }
    }
    for (uint32_t l = 0; l < PH_LANES; l++) {
        a[l] = &pairs->piece[pairs->owner[k[l]]];
        b[l] = &pairs->piece[pairs->other[k[l]]];
    }
    if (pairs->window) {
        for (uint32_t l = 0; l < PH_LANES; l++) {
            *(pairs->window_is_b ? &b[l] : &a[l]) = &pairs->window[i + (l < left ? l : left - 1)];
        }
    }
    lanes_gather_difference(a, b, &couple->dx, &couple->dy);
    load_body(a, &couple->a);
    load_body(b, &couple->b);
    couple->lengths = pairs->lengths;
    Lanes sweeps = lanes_splat(0);
    if (spins) {
        sweeps = find_sweep(a, pairs) + find_sweep(b, pairs);
    }
    couple->margin = find_margin(couple, lanes_splat(pairs->dt), lanes_splat(pairs->fall), sweeps);
}

// The cull has a copy for scenes in which nothing spins fast.
PH_INLINE void load_couple(const PhLanePairs *pairs, const uint32_t *list, uint32_t count,
                           uint32_t i, uint32_t k[PH_LANES], Couple *couple) {
    load_couple_by(pairs, list, count, i, pairs->spins, k, couple);
}

// ------------------------------------------------------------------------------------------------
// cull

// Largest gap between the boxes along the axes of a.
PH_INLINE Lanes box_gap(const Body *a, const Body *b, Lanes dx, Lanes dy, Lanes c, Lanes s) {
    Lanes x = lanes_abs(a->c * dx + a->s * dy) - a->hx - (c * b->hx + s * b->hy);
    Lanes y = lanes_abs(a->c * dy - a->s * dx) - a->hy - (s * b->hx + c * b->hy);
    return lanes_max(x, y);
}

PH_INLINE uint32_t cull_pairs(const PhLanePairs *pairs, const uint32_t *list, uint32_t count,
                              bool spins, uint32_t *near) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i += PH_LANES) {
        uint32_t k[PH_LANES], left = count - i;
        Couple pair;
        load_couple_by(pairs, list, count, i, spins, k, &pair);
        const Body *a = &pair.a, *b = &pair.b;
        // Slack for rounding: what touches exactly must not get lost.
        Lanes limit = pair.margin + lanes_load(pairs->lengths->lane_gap_slack);
        Lanes c = lanes_abs(a->c * b->c + a->s * b->s), s = lanes_abs(a->c * b->s - a->s * b->c);
        Lanes gap =
            lanes_max(box_gap(a, b, pair.dx, pair.dy, c, s), box_gap(b, a, pair.dx, pair.dy, c, s));
        // An infinite offset makes at least one gap of a box infinite and the other, if not that,
        // no number; then so is the largest, whatever the order.
        Mask in = lanes_at_most(gap - (a->radius + b->radius), limit);
        uint32_t bits = lanes_bits(in);
        for (uint32_t l = 0; l < PH_LANES; l++) {
            uint32_t bit = bits >> l & 1;
            near[kept] = k[l];
            pairs->answer[k[l]] = (uint8_t)bit;
            kept += bit & (l < left);
        }
    }
    return kept;
}
static uint32_t cull(const PhLanePairs *pairs, const uint32_t *list, uint32_t count,
                     uint32_t *near) {
    return pairs->spins ? cull_pairs(pairs, list, count, true, near)
                        : cull_pairs(pairs, list, count, false, near);
}

// ------------------------------------------------------------------------------------------------
// manifolds

PH_INLINE Lanes mix(PhMixRule rule, Lanes a, Lanes b) {
    switch (rule) {
    case PH_MIX_MAX:
        return lanes_max(a, b);
    case PH_MIX_MIN:
        return lanes_min(a, b);
    case PH_MIX_AVERAGE:
        return lanes_splat(0.5f) * (a + b);
    case PH_MIX_MULTIPLY:
        return a * b;
    case PH_MIX_GEOMETRIC_MEAN:
        break;
    }
    return lanes_sqrt(a * b);
}

#include "narrow/lane_grazing.h"

// What a couple's materials make, but for the radii.
typedef struct Surface {
    Lanes friction, restitution, rolling, tangent_speed;
} Surface;

PH_INLINE Surface mix_surfaces(const PhLanePairs *pairs, const Lanes a[4], const Lanes b[4]) {
    return (Surface){mix(pairs->friction_rule, a[0], b[0]),
                     mix(pairs->restitution_rule, a[1], b[1]), lanes_max(a[2], b[2]), a[3] + b[3]};
}

// That of all couples of a list, where all materials are equal.
PH_IN_COMMON Surface find_surface(const PhLanePairs *pairs, const uint32_t *list, uint32_t count) {
    float one[4] = {0, 0, 0, 0};
    Lanes q[4];
    if (pairs->one_material && count > 0) {
        memcpy(one, &pairs->material[pairs->owner[list[0]]], sizeof one);
    }
    for (int i = 0; i < 4; i++) {
        q[i] = lanes_splat(one[i]);
    }
    return mix_surfaces(pairs, q, q);
}

PH_INLINE Surface load_surface(const PhLanePairs *pairs, const uint32_t k[PH_LANES]) {
    const void *from_a[PH_LANES], *from_b[PH_LANES];
    Lanes a[4], b[4];
    for (int l = 0; l < PH_LANES; l++) {
        from_a[l] = &pairs->material[pairs->owner[k[l]]];
        from_b[l] = &pairs->material[pairs->other[k[l]]];
    }
    lanes_gather_quads(from_a, 0, a);
    lanes_gather_quads(from_b, 0, b);
    return mix_surfaces(pairs, a, b);
}

// Where a collider has a material or rules of its own, couple by couple.
static void mix_by_sorts(const PhLanePairs *pairs, const uint32_t k[PH_LANES], Surface *surface) {
    float mixed[3][PH_LANES];
    for (int l = 0; l < PH_LANES; l++) {
        float one[3];
        ph_mix_sorts(pairs->surfaces, pairs->owner[k[l]], pairs->other[k[l]], one);
        for (int i = 0; i < 3; i++) {
            mixed[i][l] = one[i];
        }
    }
    memcpy(&surface->friction, mixed[0], sizeof mixed[0]);
    memcpy(&surface->restitution, mixed[1], sizeof mixed[1]);
    memcpy(&surface->rolling, mixed[2], sizeof mixed[2]);
}

// Where points that are apart, and that sides will meet within the step, lie at the moment of that
// impact, for both bodies: impulses act in one place then. Separations are such that the solver,
// which moves points with their bodies (find_gaps in kernels_source.h), has those at that moment
// that are due; where bodies turn so fast that it would take them for overlapping now, they stay as
// they are. gap_x, gap_y: from the centre of a to that of b. Returns the time until then.
PH_INLINE Lanes meet_ahead(const Couple *couple, const Touch *t, const Mask valid[2],
                           const Lanes speeds[2], Lanes *gap_x, Lanes *gap_y, Lanes dt,
                           Lanes point[2][4]) {
    const Lanes zero = lanes_splat(0), half = lanes_splat(0.5f);
    const Body *a = &couple->a, *b = &couple->b;
    Lanes time = dt;
    Mask acts = lanes_none(), touches = lanes_less(zero, t->later);
    for (int i = 0; i < 2; i++) {
        Lanes separation = t->separation[i];
        Mask soon = valid[i] & lanes_less(separation, speeds[i] * dt) &
                    lanes_less(lanes_load(couple->lengths->fast_approach), speeds[i]);
        touches = touches | (t->here[i] & lanes_at_most(separation, zero));
        acts = acts | soon;
        time = lanes_select(soon, lanes_min(time, separation / speeds[i]), time);
    }
    acts = acts & lanes_not(touches);
    if (!lanes_any(acts)) {
        return t->later;
    }
    time = lanes_keep(acts, time);
    Lanes vx = b->vx - a->vx, vy = b->vy - a->vy;
    Lanes x = *gap_x + vx * time, y = *gap_y + vy * time;
    Lanes turn_a = a->w * time, turn_b = b->w * time;
    Lanes ca = -half * turn_a * turn_a, cb = -half * turn_b * turn_b; // cos - 1
    Lanes sa = turn_a + lanes_splat(1 / 3.0f) * turn_a * ca;
    Lanes sb = turn_b + lanes_splat(1 / 3.0f) * turn_b * cb;
    Lanes then[2][3];
    for (int i = 0; i < 2; i++) {
        // Corners are on the body whose side is not the reference, ends of that side on the other;
        // round surfaces do not turn.
        Mask on_a = (t->by_b & lanes_not(t->clipped[i])) | (lanes_not(t->by_b) & t->clipped[i]);
        Lanes round = lanes_select(on_a, a->radius, -b->radius);
        Lanes round_x = round * t->nx, round_y = round * t->ny;
        Lanes c = lanes_select(on_a, ca, cb), s = lanes_select(on_a, sa, sb);
        Lanes side = lanes_select(on_a, -half, half);
        Lanes rx = point[i][0] + side * t->separation[i] * t->nx;
        Lanes ry = point[i][1] + side * t->separation[i] * t->ny;
        rx -= lanes_select(on_a, round_x, *gap_x + round_x);
        ry -= lanes_select(on_a, round_y, *gap_y + round_y);
        Lanes ax = rx + c * rx - s * ry + lanes_select(on_a, round_x, x + round_x);
        Lanes ay = ry + c * ry + s * rx + lanes_select(on_a, round_y, y + round_y);
        Lanes bx = ax - x, by = ay - y;
        Lanes gone = time * (vx * t->nx + vy * t->ny);
        gone += cb * (bx * t->nx + by * t->ny + b->radius) + sb * (bx * t->ny - by * t->nx);
        gone -= ca * (ax * t->nx + ay * t->ny - a->radius) + sa * (ax * t->ny - ay * t->nx);
        then[i][0] = ax;
        then[i][1] = ay;
        then[i][2] = t->separation[i] - speeds[i] * time - gone;
        acts = acts & (lanes_not(valid[i]) | lanes_less(zero, then[i][2]));
    }
    for (int i = 0; i < 2; i++) {
        Mask there = acts & t->here[i];
        point[i][0] = lanes_select(there, then[i][0], point[i][0]);
        point[i][1] = lanes_select(there, then[i][1], point[i][1]);
        point[i][2] = lanes_select(acts & valid[i], then[i][2], point[i][2]);
    }
    *gap_x = lanes_select(acts, x, *gap_x);
    *gap_y = lanes_select(acts, y, *gap_y);
    return lanes_select(acts, time, t->later);
}

// Makes the manifolds of a couple from what touches. Its pairs are those from `first` on of a list.
PH_INLINE void put_manifolds(PhLanePairs *pairs, const uint32_t k[PH_LANES], uint32_t first,
                             uint32_t count, const Couple *couple, const Surface *mixed, Touch *t) {
    Surface surface = *mixed;
    const Body *a = &couple->a, *b = &couple->b;
    const Lanes zero = lanes_splat(0), none = lanes_splat(PH_NO_POINT);
    const Lanes dt = lanes_splat(pairs->dt);
    // A single point is the first.
    Mask moved = lanes_not(t->here[0]);
    t->x[0] = lanes_select(moved, t->x[1], t->x[0]);
    t->y[0] = lanes_select(moved, t->y[1], t->y[0]);
    t->separation[0] = lanes_select(moved, t->separation[1], t->separation[0]);
    t->clipped[0] = (moved & t->clipped[1]) | (lanes_not(moved) & t->clipped[0]);
    t->here[0] = t->here[0] | t->here[1];
    t->here[1] = t->here[1] & lanes_not(moved);

    Lanes gap_x = couple->dx - b->arm_x + a->arm_x + (b->vx - a->vx) * t->later;
    Lanes gap_y = couple->dy - b->arm_y + a->arm_y + (b->vy - a->vy) * t->later;
    Lanes point[2][4] = {{zero, zero, zero, zero}, {zero, zero, zero, zero}};
    Lanes approach = zero, speeds[2], slides[2];
    Mask valid[2];
    for (int i = 0; i < 2; i++) {
        Lanes x = t->x[i] + a->arm_x, y = t->y[i] + a->arm_y;
        Lanes vx = (b->vx - b->w * (y - gap_y)) - (a->vx - a->w * y);
        Lanes vy = (b->vy + b->w * (x - gap_x)) - (a->vy + a->w * x);
        Lanes speed = -(vx * t->nx + vy * t->ny);
        // Beyond the usual distance only what will arrive within the step.
        Lanes ahead = speed * dt + lanes_splat(pairs->fall);
        valid[i] = t->here[i] &
                   (lanes_at_most(t->separation[i], lanes_load(couple->lengths->speculative)) |
                    lanes_at_most(t->separation[i], ahead));
        approach = lanes_max(lanes_keep(valid[i], speed), approach);
        speeds[i] = speed;
        slides[i] = vx * t->ny - vy * t->nx;
        point[i][0] = lanes_keep(t->here[i], x);
        point[i][1] = lanes_keep(t->here[i], y);
        point[i][2] = lanes_select(valid[i], t->separation[i], none);
        Lanes radius = i == 0 ? a->radius : b->radius;
        point[i][3] = lanes_flip(t->flat & (i == 0 ? lanes_not(t->by_b) : t->by_b), radius);
    }
    Grazing grazing = may_pass(couple, t, speeds[0], slides[0], dt);
    Mask later = is_ahead(couple, t, valid, speeds, slides, approach, gap_x, gap_y, dt);
    Mask doubtful = t->doubtful | grazing.corners | grazing.slides | later;
    Lanes until = t->later;
    if (lanes_any(lanes_less(lanes_load(couple->lengths->fast_approach), approach))) {
        until = meet_ahead(couple, t, valid, speeds, &gap_x, &gap_y, dt, point);
    }

    if (!pairs->one_material) {
        surface = load_surface(pairs, k);
        if (pairs->surfaces) {
            mix_by_sorts(pairs, k, &surface);
        }
    }
    Lanes rolling = surface.rolling * lanes_max(a->radius, b->radius);
    Lanes head[4] = {t->nx, t->ny, surface.friction, surface.restitution};
    Lanes tail[4] = {rolling, surface.tangent_speed, gap_x, gap_y};
    void *manifold[PH_LANES];
    for (int l = 0; l < PH_LANES; l++) {
        manifold[l] = &pairs->manifold[k[l]];
    }
    lanes_scatter_quads(manifold, 0, head);
    lanes_scatter_quads(manifold, 16, point[0]);
    lanes_scatter_quads(manifold, 32, point[1]);
    lanes_scatter_quads(manifold, 48, tail);

    // What follows is seldom the case.
    uint32_t near = lanes_bits(valid[0] | valid[1]), unsure = lanes_bits(doubtful);
    Mask ahead = lanes_less(zero, until);
    uint32_t fast = lanes_bits(lanes_less(lanes_splat(pairs->fast), approach) | ahead);
    uint32_t all = lanes_bits(lanes_not(lanes_none()));
    if (near == all && !unsure && !fast) {
        return;
    }
    uint32_t grazes = lanes_bits(grazing.corners & valid[0] & lanes_not(t->doubtful | later));
    float speed[PH_LANES], time[PH_LANES];
    memcpy(speed, &approach, sizeof speed);
    memcpy(time, &until, sizeof time);
    for (uint32_t l = 0; l < PH_LANES && l < count - first; l++) {
        if (!(near >> l & 1)) {
            pairs->answer[k[l]] = PH_ANSWER_APART;
        }
        if (fast >> l & 1) {
            if (speed[l] > pairs->fast) {
                pairs->approach[k[l]] = speed[l];
                pairs->any_fast = true;
            }
            if (pairs->later) {
                pairs->later[k[l]] = time[l];
            }
        }
        if (unsure >> l & 1) {
            pairs->answer[k[l]] = PH_ANSWER_DOUBTFUL;
            if (pairs->grazing && grazes >> l & 1) {
                put_grazing(pairs, k[l], first + l);
            } else {
                pairs->doubtful[pairs->doubtful_count++] = k[l];
            }
        }
    }
}

// The kernel of find_name. `before` is load_couple and `after` is put_manifolds: inlined for the
// shapes that most worlds are made of, in common for those that need much more work in between.
#define MANIFOLD_BY(name, before, after)                                                           \
    static void name(PhLanePairs *pairs, const uint32_t *list, uint32_t count) {                   \
        const Surface surface = find_surface(pairs, list, count);                                  \
        for (uint32_t i = 0; i < count; i += PH_LANES) {                                           \
            uint32_t k[PH_LANES];                                                                  \
            Couple couple;                                                                         \
            Touch touch;                                                                           \
            before(pairs, list, count, i, k, &couple);                                             \
            find_##name(pairs, k, &couple, &touch);                                                \
            after(pairs, k, i, count, &couple, &surface, &touch);                                  \
        }                                                                                          \
    }
#define MANIFOLD(name) MANIFOLD_BY(name, load_couple, put_manifolds)
#define MANIFOLD_IN_COMMON(name) MANIFOLD_BY(name, load_any_couple, put_any_manifolds)

PH_IN_COMMON void load_any_couple(const PhLanePairs *pairs, const uint32_t *list, uint32_t count,
                                  uint32_t i, uint32_t k[PH_LANES], Couple *couple) {
    load_couple(pairs, list, count, i, k, couple);
}

PH_IN_COMMON void put_any_manifolds(PhLanePairs *pairs, const uint32_t k[PH_LANES], uint32_t first,
                                    uint32_t count, const Couple *couple, const Surface *surface,
                                    Touch *t) {
    put_manifolds(pairs, k, first, count, couple, surface, t);
}

// What examines the corners that find_name found to graze.
#define GRAZING(name)                                                                              \
    static void name##_grazing(PhLanePairs *pairs, const uint32_t *list, uint32_t count) {         \
        for (uint32_t i = 0; i < count; i += PH_LANES)                                             \
            defer(pairs, list, count, i, find_##name);                                             \
    }

#include "narrow/lane_sides.h"

#include "narrow/lane_boxes.h"
#include "narrow/lane_circles.h"

MANIFOLD(boxes)
MANIFOLD(circles)
MANIFOLD(box_circle)
MANIFOLD(circle_box)
GRAZING(boxes)
GRAZING(box_circle)
GRAZING(circle_box)

#include "narrow/lane_polygons.h"

#include "narrow/lane_chains.h"

const PhManifoldKernels PH_MANIFOLDS = {
    .cull = cull,
    .manifold =
        {
            [PH_LANE_CIRCLE] = {NULL, circles, circle_box, circle_ring4, circle_ring8,
                                circle_chain},
            [PH_LANE_BOX] = {NULL, box_circle, boxes, box_ring4, box_ring8, box_chain},
            [PH_LANE_RING_4] = {NULL, ring4_circle, ring4_box, ring4_ring4, ring4_ring8,
                                ring4_chain},
            [PH_LANE_RING_8] = {NULL, ring8_circle, ring8_box, ring8_ring4, ring8_ring8,
                                ring8_chain},
            [PH_LANE_CHAIN] = {NULL, chain_circle, chain_box, chain_ring4, chain_ring8, NULL},
        },
    .grazing =
        {
            [PH_LANE_CIRCLE] = {[PH_LANE_BOX] = circle_box_grazing},
            [PH_LANE_BOX] = {[PH_LANE_CIRCLE] = box_circle_grazing, [PH_LANE_BOX] = boxes_grazing},
        },
};

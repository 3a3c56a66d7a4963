// Part of lane_source.h: one-sided chain pieces. A piece is solid on the right of its direction and
// free on the left.
//
// A chain piece is a box without height. A piece in front of its free side, which touches it with a
// side, has the manifold of two boxes, except that the chain's side is always favoured. A piece
// whose centre is behind touches nothing.
//
// At its ends the neighbours matter. If the chain goes on straight or inwards at both ends (a
// smooth piece), chain_manifolds.c turns every other normal to that of the piece, and a circle
// whose centre is beyond an end is over or behind the neighbour. Then the piece's own side gives
// all contacts. Contacts at other ends are doubtful.

// `spread`: how far the centroid may be from the middle of the other's box. What is thin may be a
// bit behind, see ph_collide_chain().
PH_INLINE void judge_chain(const Couple *k, bool chain_is_a, Lanes spread, Touch *t) {
    const Body *chain = chain_is_a ? &k->a : &k->b;
    const Lanes zero = lanes_splat(0);
    Lanes dx = chain_is_a ? k->dx : -k->dx, dy = chain_is_a ? k->dy : -k->dy;
    Lanes ahead = chain->c * dy - chain->s * dx; // along the free side's normal (-s, c)
    Lanes along = chain->c * t->ny - chain->s * t->nx;
    Mask own = chain_is_a ? lanes_not(t->by_b) & lanes_less(zero, along)
                          : t->by_b & lanes_less(along, zero);
    const Body *body = chain_is_a ? &k->b : &k->a;
    Lanes slack = lanes_load(k->lengths->thin_layer) - lanes_splat(0.5f) * body->width;
    Mask behind = lanes_less(ahead, -spread - lanes_max(slack, zero));
    Mask unsure = lanes_not(own) | t->turned | lanes_less(ahead, spread);
    t->doubtful = (t->doubtful | (t->near & unsure)) & lanes_not(behind);
    t->here[0] = t->here[0] & lanes_not(behind);
    t->here[1] = t->here[1] & lanes_not(behind);
}

// A third of the half sizes is more than a convex ring's centroid can be off.
PH_INLINE Lanes ring_spread(const Body *body) {
    return lanes_splat(0.34f) * (body->hx + body->hy);
}

// A chain that bends towards its free side is as good as the planes of its pieces: each of them
// lies outside the others. So a circle that comes over a piece in this step meets the plane of that
// piece, and does not leave along the plane on which it began the step. Returns those lanes.
PH_INLINE Mask meet_plane(const Couple *k, bool chain_is_a, Lanes dt, Touch *out) {
    const Body *chain = chain_is_a ? &k->a : &k->b, *circle = chain_is_a ? &k->b : &k->a;
    const Lanes zero = lanes_splat(0), one = lanes_splat(1);
    Lanes dx = chain_is_a ? k->dx : -k->dx, dy = chain_is_a ? k->dy : -k->dy;
    Lanes x = chain->c * dx + chain->s * dy, y = chain->c * dy - chain->s * dx;
    Mask after = lanes_less(zero, x);
    Lanes bent = lanes_select(after, lanes_splat(PH_LANE_BENT_AFTER - 0.5f),
                              lanes_splat(PH_LANE_BENT_BEFORE - 0.5f));
    Lanes ends = chain->smooth;
    ends = lanes_select(after | lanes_less(ends, lanes_splat(PH_LANE_BENT_AFTER)), ends,
                        ends - lanes_splat(PH_LANE_BENT_AFTER));
    Lanes vx = circle->vx - chain->vx, vy = circle->vy - chain->vy;
    Lanes off = lanes_abs(x) - chain->hx, path = (chain->c * vx + chain->s * vy) * dt;
    path = lanes_select(after, -path, path);
    Mask comes = lanes_less(bent, ends) & lanes_less(end_slack(k, chain), off) &
                 lanes_less(off, path) & lanes_less(zero, y);
    if (!lanes_any(comes)) {
        return comes;
    }
    Touch plane;
    put_circle(k, chain, circle, !chain_is_a, x, y, zero, one, y, lanes_splat(0.5f), &plane);
    out->nx = lanes_select(comes, plane.nx, out->nx);
    out->ny = lanes_select(comes, plane.ny, out->ny);
    for (int i = 0; i < 2; i++) {
        out->x[i] = lanes_select(comes, plane.x[i], out->x[i]);
        out->y[i] = lanes_select(comes, plane.y[i], out->y[i]);
        out->separation[i] = lanes_select(comes, plane.separation[i], out->separation[i]);
    }
    out->here[0] = (comes & plane.here[0]) | (lanes_not(comes) & out->here[0]);
    out->near = out->here[0];
    out->corner = out->corner & lanes_not(comes);
    out->room = lanes_select(comes, lanes_splat(PH_LANE_NEVER), out->room);
    out->flat = out->flat | comes;
    out->planar = comes;
    return comes;
}

// Above the piece, its own normal counts.
PH_INLINE void find_chain_and_circle(const Couple *k, bool chain_is_a, Lanes dt, Touch *out) {
    const Body *chain = chain_is_a ? &k->a : &k->b;
    find_clamped(k, !chain_is_a, out);
    Lanes slack = end_slack(k, chain);
    Lanes off = lanes_abs(chain->c * k->dx + chain->s * k->dy) - chain->hx;
    Mask left = lanes_less(lanes_splat(0), chain->smooth) & lanes_less(slack, off);
    out->near = out->near & lanes_not(left);
    out->here[0] = out->here[0] & lanes_not(left);
    Mask planar = meet_plane(k, chain_is_a, dt, out);
    out->turned = lanes_less(-slack, off) & lanes_not(planar);
    out->by_b = chain_is_a ? lanes_none() : lanes_not(lanes_none());
    judge_chain(k, chain_is_a, lanes_splat(0), out);
}
PH_INLINE void find_chain_circle(const PhLanePairs *pairs, const uint32_t *pair, const Couple *k,
                                 Touch *out) {
    (void)pair;
    find_chain_and_circle(k, true, lanes_splat(pairs->dt), out);
}
PH_INLINE void find_circle_chain(const PhLanePairs *pairs, const uint32_t *pair, const Couple *k,
                                 Touch *out) {
    (void)pair;
    find_chain_and_circle(k, false, lanes_splat(pairs->dt), out);
}
PH_INLINE void find_chain_box(const PhLanePairs *pairs, const uint32_t *pair, const Couple *k,
                              Touch *out) {
    (void)pairs;
    (void)pair;
    find_boxes_or_chain(k, CHAIN_IS_A, out);
    judge_chain(k, true, lanes_splat(0), out);
}
PH_INLINE void find_box_chain(const PhLanePairs *pairs, const uint32_t *pair, const Couple *k,
                              Touch *out) {
    (void)pairs;
    (void)pair;
    find_boxes_or_chain(k, CHAIN_IS_B, out);
    judge_chain(k, false, lanes_splat(0), out);
}
#define CHAIN_RING(name, source)                                                                   \
    PH_INLINE void find_chain_##name(const PhLanePairs *pairs, const uint32_t *pair,               \
                                     const Couple *k, Touch *out) {                                \
        find_polygons(pairs, pair, k, FROM_BOX, source, CHAIN_IS_A, out);                          \
        judge_chain(k, true, ring_spread(&k->b), out);                                             \
    }                                                                                              \
    PH_INLINE void find_##name##_chain(const PhLanePairs *pairs, const uint32_t *pair,             \
                                       const Couple *k, Touch *out) {                              \
        find_polygons(pairs, pair, k, source, FROM_BOX, CHAIN_IS_B, out);                          \
        judge_chain(k, false, ring_spread(&k->a), out);                                            \
    }                                                                                              \
    MANIFOLD_IN_COMMON(chain_##name)                                                               \
    MANIFOLD_IN_COMMON(name##_chain)

MANIFOLD_IN_COMMON(chain_circle)
MANIFOLD_IN_COMMON(circle_chain)
MANIFOLD_IN_COMMON(chain_box)
MANIFOLD_IN_COMMON(box_chain)
CHAIN_RING(ring4, FROM_RING_4)
CHAIN_RING(ring8, FROM_RING_8)

// Part of lane_source.h: two sides that meet, clipped to points or to a pair of corners.
//
// Frame of the reference side: u along its outward normal, v to the left of u, from its middle.

typedef struct Sides {
    const PhLaneLengths *lengths;
    Lanes ux, uy;             // normal of the reference side, world
    Lanes x, y;               // its middle, from the middle of a
    Lanes hv;                 // its half length
    Lanes top[2], place[2];   // ends of the incident side: u, v; place[0] <= place[1]
    Lanes height[2], left[2]; // the same after clipping
    Mask missed;              // nothing is left, or not the deepest end
} Sides;

typedef void MakeSides(const Couple *couple, const void *data, Mask by_b, Sides *out);

// Clips the incident side to the reference side.
PH_INLINE void clip_sides(Sides *s) {
    Lanes rise = s->top[1] - s->top[0], run = s->place[1] - s->place[0];
    Lanes slope = rise / lanes_max(run, lanes_load(s->lengths->lane_least_run));
    s->left[0] = lanes_max(s->place[0], -s->hv);
    s->left[1] = lanes_min(s->place[1], s->hv);
    s->height[0] = s->top[0] + (s->left[0] - s->place[0]) * slope;
    s->height[1] = s->top[1] - (s->place[1] - s->left[1]) * slope;
    Lanes deepest = lanes_min(s->top[0], s->top[1]);
    Lanes lowest = lanes_min(s->height[0], s->height[1]);
    s->missed = lanes_less(s->hv, s->place[0]) | lanes_less(s->place[1], -s->hv) |
                lanes_less(deepest + lanes_load(s->lengths->twice_flat_deviation), lowest);
}

typedef struct Corners {
    Mask rule;      // they make the manifold
    Lanes nu, nv;   // from the reference's to the other
    Lanes distance; // 1 where the rule does not hold
    Lanes place;    // v of the reference's corner
} Corners;

// The corner of the reference that is next to the deepest end, and the point of the incident side
// that is next to it. Where that is an end, and further away than the face tells, the two corners
// make the manifold.
PH_INLINE Corners find_corners(const Sides *s, Lanes best, Mask apart) {
    const Lanes zero = lanes_splat(0), one = lanes_splat(1),
                tiny = lanes_load(s->lengths->lane_tiny);
    Mask second = lanes_less(s->top[1], s->top[0]);
    Lanes deepest = lanes_select(second, s->place[1], s->place[0]), outward = lanes_sign(deepest);
    Lanes end = s->hv * outward;
    Mask beside = apart & lanes_less(tiny, (deepest - end) * outward);
    Corners corners = {lanes_none(), one, zero, one, end};
    if (!lanes_any(beside)) {
        return corners;
    }
    Lanes along_u = s->top[1] - s->top[0], along_v = s->place[1] - s->place[0];
    Lanes length_squared = along_u * along_u + along_v * along_v;
    Lanes part = (end - s->place[0]) * along_v - s->top[0] * along_u;
    Mask at_start = lanes_at_most(part, zero), at_end = lanes_at_most(length_squared, part);
    Lanes u = lanes_select(at_start, s->top[0], s->top[1]);
    Lanes v = lanes_select(at_start, s->place[0], s->place[1]) - end;
    Lanes length = lanes_sqrt(u * u + v * v);
    corners.rule = beside & (at_start | at_end) & lanes_less(tiny, length) &
                   lanes_less(tiny + lanes_splat(1e-4f) * length, length - best);
    corners.distance = lanes_select(corners.rule, length, one);
    corners.nu = u / corners.distance;
    corners.nv = v / corners.distance;
    return corners;
}

// A chain piece: its side is favoured, and where the chain is smooth no other counts.
typedef enum ChainPlace { NO_CHAIN, CHAIN_IS_A, CHAIN_IS_B } ChainPlace;

// Close to this (metres) float32 does not tell on which side of a chain piece's end a point is.
PH_INLINE Lanes end_slack(const Couple *k, const Body *chain) {
    return lanes_load(k->lengths->lane_near_corner) + lanes_splat(1e-6f) * chain->hx;
}

// best_a, best_b: separation along the best face of each. make gives the sides for either.
// Of nearly equal faces a's is taken unless b is the chain.
PH_INLINE void touch_sides(const Couple *k, Lanes best_a, Lanes best_b, ChainPlace place,
                           MakeSides *make, const void *data, Touch *out) {
    const bool favor_b = place == CHAIN_IS_B;
    const Lanes half = lanes_splat(0.5f), zero = lanes_splat(0), one = lanes_splat(1);
    const Lanes bias = lanes_load(k->lengths->axis_bias);
    Mask b_better = lanes_less(best_a, best_b);
    Mask by_b =
        favor_b ? lanes_not(lanes_less(best_b + bias, best_a)) : lanes_less(best_a + bias, best_b);
    Mask alone = lanes_none();
    if (place != NO_CHAIN) {
        alone = lanes_less(zero, favor_b ? k->b.smooth : k->a.smooth);
        by_b = favor_b ? by_b | alone : by_b & lanes_not(alone);
    }
    Lanes best = lanes_max(best_a, best_b), radii = k->a.radius + k->b.radius;
    Mask near = lanes_at_most(best - radii, k->margin);

    Sides sides;
    sides.lengths = k->lengths;
    make(k, data, by_b, &sides);
    Mask apart = near & lanes_less(-best, lanes_load(k->lengths->lane_tiny));
    if (place != NO_CHAIN) {
        apart = apart & lanes_not(alone);
    }
    Corners corners = find_corners(&sides, best, apart);
    // The favoured face misses the deepest corner: the better one has its turn.
    Mask second = favor_b ? lanes_less(best_b, best_a) & by_b : b_better & lanes_not(by_b);
    Mask again = near & sides.missed & lanes_not(corners.rule) & second;
    if (place != NO_CHAIN) {
        again = again & lanes_not(alone);
    }
    if (lanes_any(again)) {
        by_b = favor_b ? by_b & lanes_not(again) : by_b | again;
        make(k, data, by_b, &sides); // the other lanes get what they had
    }

    // Points of a clipped side: (u, v) is midway between the surfaces.
    Lanes grown = lanes_select(by_b, k->b.radius - k->a.radius, k->a.radius - k->b.radius);
    Lanes u[2], v[2], separation[2];
    Mask here[2], clipped[2] = {lanes_less(sides.place[0], sides.left[0]),
                                lanes_less(sides.left[1], sides.place[1])};
    Mask merged = lanes_less(sides.left[1] - sides.left[0], lanes_load(k->lengths->lane_tiny));
    Mask first_lower = lanes_at_most(sides.height[0], sides.height[1]);
    for (int i = 0; i < 2; i++) {
        u[i] = half * (sides.height[i] + grown);
        v[i] = sides.left[i];
        separation[i] = sides.height[i] - radii;
        Mask dropped = merged & (i == 0 ? lanes_not(first_lower) : first_lower);
        here[i] = near & lanes_not(dropped) & lanes_at_most(separation[i], k->margin);
    }
    // A single point at an end of both sides may be two corners.
    Mask at_corner = lanes_none();
    if (lanes_any((here[0] | here[1]) & lanes_not(here[0] & here[1]))) {
        const Lanes close = near_corner(k);
        for (int i = 0; i < 2; i++) {
            at_corner =
                at_corner | ((here[i] | merged) & lanes_less(sides.hv - lanes_abs(v[i]), close) &
                             lanes_less(lanes_abs(v[i] - sides.place[i]), close));
        }
    }
    Lanes mu = one, mv = zero;
    if (lanes_any(corners.rule)) {
        Lanes middle = half * (corners.distance + grown);
        Mask rule = corners.rule;
        mu = lanes_select(rule, corners.nu, mu);
        mv = lanes_select(rule, corners.nv, mv);
        u[0] = lanes_select(rule, middle * corners.nu, u[0]);
        v[0] = lanes_select(rule, corners.place + middle * corners.nv, v[0]);
        separation[0] = lanes_select(rule, corners.distance - radii, separation[0]);
        here[0] = (lanes_not(rule) & here[0]) | (rule & lanes_at_most(separation[0], k->margin));
        here[1] = here[1] & lanes_not(rule);
    }
    Lanes ux = sides.ux, uy = sides.uy, nx = mu * ux - mv * uy, ny = mu * uy + mv * ux;
    out->nx = lanes_select(by_b, -nx, nx);
    out->ny = lanes_select(by_b, -ny, ny);
    // The tangent of the contact is against v when the reference is a's.
    for (int i = 0; i < 2; i++) {
        Lanes pu = lanes_select(by_b, u[i], u[1 - i]), pv = lanes_select(by_b, v[i], v[1 - i]);
        out->x[i] = sides.x + pu * ux - pv * uy;
        out->y[i] = sides.y + pu * uy + pv * ux;
        out->separation[i] = lanes_select(by_b, separation[i], separation[1 - i]);
        out->here[i] = (by_b & here[i]) | (lanes_not(by_b) & here[1 - i]);
        Mask own = by_b & clipped[i], other = lanes_not(by_b) & clipped[1 - i];
        out->clipped[i] = (own | other) & lanes_not(corners.rule);
    }
    out->corner = corners.rule | at_corner;
    out->doubtful = near & sides.missed & lanes_not(corners.rule);
    if (place != NO_CHAIN) { // a side beside the chain's has nothing, whatever is deepest
        Lanes slack = end_slack(k, favor_b ? &k->b : &k->a);
        Lanes off = lanes_max(sides.place[0], -sides.place[1]) - sides.hv;
        Mask beside = alone & lanes_less(zero, off);
        out->doubtful =
            (out->doubtful & lanes_not(alone)) | (near & alone & lanes_less(lanes_abs(off), slack));
        out->here[0] = out->here[0] & lanes_not(beside);
        out->here[1] = out->here[1] & lanes_not(beside);
    }
    out->near = near;
    out->by_b = by_b;
    out->turned = corners.rule;
    out->flat = lanes_not(corners.rule);
    out->planar = lanes_none();
    // Either the deepest end stays above the side, or the corner of the side below it.
    Mask right = lanes_less(sides.top[1], sides.top[0]);
    Lanes inside = sides.hv - lanes_abs(lanes_select(right, sides.place[1], sides.place[0]));
    Lanes common = sides.left[1] - sides.left[0];
    Lanes room = lanes_select(lanes_less(zero, inside), inside, lanes_max(common, zero));
    out->room = lanes_keep(lanes_not(corners.rule), room);
    out->later = zero;
}

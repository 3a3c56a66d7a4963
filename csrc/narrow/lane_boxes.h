// Part of lane_source.h: boxes, capsules and segments, rounded or not, against each other.
//
// Frame of the reference: u along the outward normal of its face, from the face; v along the face
// (u turned left), from the middle. A core without height (hy = 0) has no faces at its ends.

typedef struct Faces { // of one core against the other
    Lanes best;        // separation along the better axis
    Mask by_y;         // which is the second one
} Faces;

typedef struct Sides {
    Lanes ux, uy;             // normal of the reference face, world
    Lanes hu, hv;             // half sizes of the reference
    Lanes x, y;               // middle of the reference, from the middle of a
    Lanes top[2], place[2];   // ends of the incident side: u, v; place[0] <= place[1]
    Lanes height[2], left[2]; // the same after clipping
    Mask missed;              // nothing is left, or not the deepest end
} Sides;

PH_INLINE Faces find_faces(const Body *a, const Body *b, Lanes x, Lanes y, Lanes c, Lanes s) {
    Lanes along = lanes_abs(x) - a->hx - (c * b->hx + s * b->hy);
    Lanes across = lanes_abs(y) - a->hy - (s * b->hx + c * b->hy);
    Faces faces;
    // Of equals the second, as edges are counted from the bottom.
    faces.by_y = lanes_at_most(along, across) | lanes_at_most(a->hy, lanes_splat(0));
    faces.best = lanes_select(faces.by_y, across, along);
    return faces;
}

// Clips the incident side to the reference face.
PH_INLINE void clip_sides(const Couple *k, const Faces *fa, const Faces *fb, Mask by_b,
                          Sides *out) {
    const Body *a = &k->a, *b = &k->b;
    const Lanes zero = lanes_splat(0);
    Mask by_y = (by_b & fb->by_y) | (lanes_not(by_b) & fa->by_y);
    Lanes sin_ab = a->c * b->s - a->s * b->c, c = a->c * b->c + a->s * b->s;
    Lanes s = lanes_select(by_b, -sin_ab, sin_ab); // of the incident core, seen from the reference
    Lanes rc = lanes_select(by_b, b->c, a->c), rs = lanes_select(by_b, b->s, a->s);
    Lanes rhx = lanes_select(by_b, b->hx, a->hx), rhy = lanes_select(by_b, b->hy, a->hy);
    Lanes ihx = lanes_select(by_b, a->hx, b->hx), ihy = lanes_select(by_b, a->hy, b->hy);
    Lanes dx = lanes_select(by_b, -k->dx, k->dx), dy = lanes_select(by_b, -k->dy, k->dy);
    Lanes x = rc * dx + rs * dy, y = rc * dy - rs * dx;
    // Turned so that u is the axis, then so that it points to the incident core.
    Lanes side = lanes_sign(lanes_select(by_y, y, x));
    Lanes du = side * lanes_select(by_y, y, x), dv = side * lanes_select(by_y, -x, y);
    Lanes ix_u = side * lanes_select(by_y, s, c), ix_v = side * lanes_select(by_y, -c, s);
    Lanes iy_u = side * lanes_select(by_y, c, -s), iy_v = side * lanes_select(by_y, s, c);
    out->hu = lanes_select(by_y, rhy, rhx);
    out->hv = lanes_select(by_y, rhx, rhy);
    out->ux = side * lanes_select(by_y, -rs, rc);
    out->uy = side * lanes_select(by_y, rc, rs);
    out->x = lanes_keep(by_b, k->dx);
    out->y = lanes_keep(by_b, k->dy);

    // Incident face: the one most opposed to the normal.
    Mask face_x = lanes_less(lanes_abs(iy_u), lanes_abs(ix_u)) & lanes_less(zero, ihy);
    Lanes fu = lanes_select(face_x, ix_u, iy_u), fv = lanes_select(face_x, ix_v, iy_v);
    Lanes fh = lanes_select(face_x, ihx, ihy);
    Lanes tu = lanes_select(face_x, iy_u, ix_u), tv = lanes_select(face_x, iy_v, ix_v);
    Lanes th = lanes_select(face_x, ihy, ihx);
    Lanes down = -lanes_sign(fu) * fh, order = lanes_sign(tv) * th;
    Lanes mid_u = du + down * fu - out->hu, mid_v = dv + down * fv;
    Lanes end_u = order * tu, end_v = order * tv;
    out->top[0] = mid_u - end_u;
    out->top[1] = mid_u + end_u;
    out->place[0] = mid_v - end_v;
    out->place[1] = mid_v + end_v;

    Lanes slope = end_u / lanes_max(end_v, lanes_splat(1e-12f));
    out->left[0] = lanes_max(out->place[0], -out->hv);
    out->left[1] = lanes_min(out->place[1], out->hv);
    out->height[0] = out->top[0] + (out->left[0] - out->place[0]) * slope;
    out->height[1] = out->top[1] - (out->place[1] - out->left[1]) * slope;
    Lanes deepest = lanes_min(out->top[0], out->top[1]);
    Lanes lowest = lanes_min(out->height[0], out->height[1]);
    out->missed = lanes_less(out->hv, out->place[0]) | lanes_less(out->place[1], -out->hv) |
                  lanes_less(deepest + lanes_splat((float)(2 * PH_FLAT_DEVIATION)), lowest);
}

// The corner of the reference that is next to the deepest end, and the point of the incident side
// that is next to it. Where that is an end, and further away than the face tells, the two corners
// make the manifold.
PH_INLINE Mask find_corners(const Sides *s, Lanes best, Mask apart, Lanes *nu, Lanes *nv,
                            Lanes *distance, Lanes *corner) {
    const Lanes zero = lanes_splat(0), one = lanes_splat(1), tiny = lanes_splat(LANE_TINY);
    Mask second = lanes_less(s->top[1], s->top[0]);
    Lanes deepest = lanes_select(second, s->place[1], s->place[0]);
    Lanes end = s->hv * lanes_sign(deepest);
    *corner = end;
    *distance = *nu = *nv = one;
    Mask beside = apart & lanes_less(tiny, (deepest - end) * lanes_sign(deepest));
    if (!lanes_any(beside))
        return lanes_none();
    Lanes along_u = s->top[1] - s->top[0], along_v = s->place[1] - s->place[0];
    Lanes length_squared = along_u * along_u + along_v * along_v;
    Lanes part = (end - s->place[0]) * along_v - s->top[0] * along_u;
    Mask at_start = lanes_at_most(part, zero), at_end = lanes_at_most(length_squared, part);
    Lanes u = lanes_select(at_start, s->top[0], s->top[1]);
    Lanes v = lanes_select(at_start, s->place[0], s->place[1]) - end;
    Lanes length = lanes_sqrt(u * u + v * v);
    Mask rule = beside & (at_start | at_end) & lanes_less(tiny, length) &
                lanes_less(tiny + lanes_splat(1e-4f) * length, length - best);
    *distance = lanes_select(rule, length, one);
    *nu = u / *distance;
    *nv = v / *distance;
    return rule;
}

PH_INLINE void find_boxes(const Couple *k, Touch *out) {
    const Body *a = &k->a, *b = &k->b;
    const Lanes half = lanes_splat(0.5f), zero = lanes_splat(0);
    Lanes c = lanes_abs(a->c * b->c + a->s * b->s), s = lanes_abs(a->c * b->s - a->s * b->c);
    Faces fa = find_faces(a, b, a->c * k->dx + a->s * k->dy, a->c * k->dy - a->s * k->dx, c, s);
    Faces fb = find_faces(b, a, b->c * k->dx + b->s * k->dy, b->c * k->dy - b->s * k->dx, c, s);
    Mask b_better = lanes_less(fa.best, fb.best);
    Mask by_b = lanes_less(fa.best + lanes_splat((float)PH_AXIS_BIAS), fb.best);
    Lanes best = lanes_max(fa.best, fb.best), radii = a->radius + b->radius;
    Mask near = lanes_at_most(best - radii, k->margin);

    Sides sides;
    clip_sides(k, &fa, &fb, by_b, &sides);
    Lanes nu, nv, distance, corner;
    Mask apart = near & lanes_less(lanes_splat(-LANE_TINY), best);
    Mask corners = find_corners(&sides, best, apart, &nu, &nv, &distance, &corner);
    // The favoured face misses the deepest corner: the better one has its turn.
    Mask again = near & sides.missed & lanes_not(corners) & b_better & lanes_not(by_b);
    if (lanes_any(again)) {
        by_b = by_b | again;
        clip_sides(k, &fa, &fb, by_b, &sides); // the other lanes get what they had
    }

    Lanes rr = lanes_select(by_b, b->radius, a->radius);
    Lanes ri = lanes_select(by_b, a->radius, b->radius);
    Lanes x = sides.x, y = sides.y, ux = sides.ux, uy = sides.uy;
    // Points of a clipped side: (u, v) is midway between the surfaces.
    Lanes pu[2], pv[2], separation[2];
    Mask here[2];
    Mask merged = lanes_less(sides.left[1] - sides.left[0], lanes_splat(LANE_TINY));
    Mask first_lower = lanes_at_most(sides.height[0], sides.height[1]);
    for (int i = 0; i < 2; i++) {
        pu[i] = sides.hu + half * (sides.height[i] + rr - ri);
        pv[i] = sides.left[i];
        separation[i] = sides.height[i] - radii;
        Mask dropped = merged & (i == 0 ? lanes_not(first_lower) : first_lower);
        here[i] = near & lanes_not(dropped) & lanes_at_most(separation[i], k->margin);
    }
    // A single point at an end of both sides may be two corners.
    Mask at_corner = lanes_none();
    for (int i = 0; i < 2; i++) {
        Lanes close = lanes_splat(LANE_NEAR_CORNER);
        at_corner = at_corner | (here[i] & lanes_less(sides.hv - lanes_abs(sides.left[i]), close) &
                                 lanes_less(lanes_abs(sides.left[i] - sides.place[i]), close));
    }
    Lanes mu = lanes_splat(1), mv = zero;
    if (lanes_any(corners)) {
        Lanes middle = half * (distance + rr - ri);
        mu = lanes_select(corners, nu, mu);
        mv = lanes_select(corners, nv, mv);
        pu[0] = lanes_select(corners, sides.hu + middle * nu, pu[0]);
        pv[0] = lanes_select(corners, corner + middle * nv, pv[0]);
        separation[0] = lanes_select(corners, distance - radii, separation[0]);
        here[0] =
            (lanes_not(corners) & here[0]) | (corners & lanes_at_most(separation[0], k->margin));
        here[1] = here[1] & lanes_not(corners);
    }
    Lanes nx = mu * ux - mv * uy, ny = mu * uy + mv * ux;
    out->nx = lanes_select(by_b, -nx, nx);
    out->ny = lanes_select(by_b, -ny, ny);
    // The tangent of the contact is against v when the reference is a's.
    for (int i = 0; i < 2; i++) {
        Lanes u = lanes_select(by_b, pu[i], pu[1 - i]), v = lanes_select(by_b, pv[i], pv[1 - i]);
        out->x[i] = x + u * ux - v * uy;
        out->y[i] = y + u * uy + v * ux;
        out->separation[i] = lanes_select(by_b, separation[i], separation[1 - i]);
        out->here[i] = (by_b & here[i]) | (lanes_not(by_b) & here[1 - i]);
    }
    out->corner = corners | at_corner;
    out->doubtful = near & sides.missed & lanes_not(corners);
}

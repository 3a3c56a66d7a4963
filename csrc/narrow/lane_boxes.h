// Part of lane_source.h: boxes, capsules and segments, rounded or not, against each other.
//
// A core without height (hy = 0) has no faces at its ends.

typedef struct Faces { // of one core against the other
    Lanes best;        // separation along the better axis
    Mask by_y;         // which is the second one
} Faces;

PH_INLINE Faces find_faces(const Body *a, const Body *b, Lanes x, Lanes y, Lanes c, Lanes s) {
    Lanes along = lanes_abs(x) - a->hx - (c * b->hx + s * b->hy);
    Lanes across = lanes_abs(y) - a->hy - (s * b->hx + c * b->hy);
    Faces faces;
    // Of equals the second, as edges are counted from the bottom.
    faces.by_y = lanes_at_most(along, across) | lanes_at_most(a->hy, lanes_splat(0));
    faces.best = lanes_select(faces.by_y, across, along);
    return faces;
}

typedef struct Boxes {
    Faces a, b;
} Boxes;

PH_INLINE void box_sides(const Couple *k, const void *data, Mask by_b, Sides *out) {
    const Boxes *boxes = data;
    const Body *a = &k->a, *b = &k->b;
    Mask by_y = (by_b & boxes->b.by_y) | (lanes_not(by_b) & boxes->a.by_y);
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
    Lanes hu = lanes_select(by_y, rhy, rhx);
    out->hv = lanes_select(by_y, rhx, rhy);
    out->ux = side * lanes_select(by_y, -rs, rc);
    out->uy = side * lanes_select(by_y, rc, rs);
    out->x = lanes_keep(by_b, k->dx) + hu * out->ux;
    out->y = lanes_keep(by_b, k->dy) + hu * out->uy;

    // Incident face: the one most opposed to the normal.
    Mask face_x = lanes_less(lanes_abs(iy_u), lanes_abs(ix_u)) & lanes_less(lanes_splat(0), ihy);
    Lanes fu = lanes_select(face_x, ix_u, iy_u), fv = lanes_select(face_x, ix_v, iy_v);
    Lanes fh = lanes_select(face_x, ihx, ihy);
    Lanes tu = lanes_select(face_x, iy_u, ix_u), tv = lanes_select(face_x, iy_v, ix_v);
    Lanes th = lanes_select(face_x, ihy, ihx);
    Lanes down = -lanes_sign(fu) * fh, order = lanes_sign(tv) * th;
    Lanes mid_u = du + down * fu - hu, mid_v = dv + down * fv;
    Lanes end_u = order * tu, end_v = order * tv;
    out->top[0] = mid_u - end_u;
    out->top[1] = mid_u + end_u;
    out->place[0] = mid_v - end_v;
    out->place[1] = mid_v + end_v;
    clip_sides(out);
}

PH_INLINE void find_favored_boxes(const Couple *k, bool favor_b, Touch *out) {
    const Body *a = &k->a, *b = &k->b;
    Lanes c = lanes_abs(a->c * b->c + a->s * b->s), s = lanes_abs(a->c * b->s - a->s * b->c);
    const Boxes boxes = {
        find_faces(a, b, a->c * k->dx + a->s * k->dy, a->c * k->dy - a->s * k->dx, c, s),
        find_faces(b, a, b->c * k->dx + b->s * k->dy, b->c * k->dy - b->s * k->dx, c, s),
    };
    touch_sides(k, boxes.a.best, boxes.b.best, favor_b, box_sides, &boxes, out);
}
PH_INLINE void find_boxes(const PhLanePairs *pairs, const uint32_t *pair, const Couple *k,
                          Touch *out) {
    (void)pairs;
    (void)pair;
    find_favored_boxes(k, false, out);
}

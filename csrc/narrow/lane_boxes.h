// Part of lane_source.h: boxes, capsules and segments, rounded or not, against each other.
//
// A core without height (hy = 0) has no faces at its ends.

typedef struct Faces { // of one core against the other
    Lanes x, y;        // middle of the other, in its frame
    Lanes best;        // separation along the better axis
    Mask by_y;         // which is the second one
} Faces;

PH_INLINE Faces find_faces(const Body *a, const Body *b, Lanes x, Lanes y, Lanes c, Lanes s) {
    Lanes along = lanes_abs(x) - a->hx - (c * b->hx + s * b->hy);
    Lanes across = lanes_abs(y) - a->hy - (s * b->hx + c * b->hy);
    // Of equals the second, as edges are counted from the bottom.
    Mask by_y = lanes_at_most(along, across) | lanes_at_most(a->hy, lanes_splat(0));
    return (Faces){x, y, lanes_select(by_y, across, along), by_y};
}

typedef struct Boxes {
    Faces a, b;
    Lanes c, s; // of the angle from a to b
} Boxes;

PH_INLINE void box_sides(const Couple *k, const void *data, Mask by_b, Sides *out) {
    const Boxes *boxes = data;
    const Body *a = &k->a, *b = &k->b;
    Mask by_y = (by_b & boxes->b.by_y) | (lanes_not(by_b) & boxes->a.by_y);
    Lanes s = lanes_flip(by_b, boxes->s); // of the incident core, seen from the reference
    Lanes rc = lanes_select(by_b, b->c, a->c), rs = lanes_select(by_b, b->s, a->s);
    Lanes rhx = lanes_select(by_b, b->hx, a->hx), rhy = lanes_select(by_b, b->hy, a->hy);
    Lanes ihx = lanes_select(by_b, a->hx, b->hx), ihy = lanes_select(by_b, a->hy, b->hy);
    Lanes x = lanes_select(by_b, boxes->b.x, boxes->a.x);
    Lanes y = lanes_select(by_b, boxes->b.y, boxes->a.y);
    // Turned so that u is the axis, then so that it points to the incident core.
    Lanes forward = lanes_select(by_y, y, x), side = lanes_sign(forward);
    Lanes du = lanes_abs(forward), dv = side * lanes_select(by_y, -x, y);
    // The incident core's axes are (cos, -sin) and (sin, cos) there.
    Lanes cos = side * lanes_select(by_y, s, boxes->c);
    Lanes sin = side * lanes_select(by_y, boxes->c, -s);
    Lanes hu = lanes_select(by_y, rhy, rhx);
    out->hv = lanes_select(by_y, rhx, rhy);
    out->ux = side * lanes_select(by_y, -rs, rc);
    out->uy = side * lanes_select(by_y, rc, rs);
    out->x = lanes_keep(by_b, k->dx) + hu * out->ux;
    out->y = lanes_keep(by_b, k->dy) + hu * out->uy;

    // Incident face: the one most opposed to the normal; f leads to it, t along it.
    Mask face_x = lanes_less(lanes_abs(sin), lanes_abs(cos)) & lanes_less(lanes_splat(0), ihy);
    Lanes fu = lanes_select(face_x, cos, sin), tu = lanes_select(face_x, sin, cos);
    Lanes fv = lanes_flip(face_x, tu), tv = lanes_flip(lanes_not(face_x), fu);
    Lanes fh = lanes_select(face_x, ihx, ihy), th = lanes_select(face_x, ihy, ihx);
    Lanes mid_u = du - fh * lanes_abs(fu) - hu, mid_v = dv - fh * (lanes_sign(fu) * fv);
    Lanes end_u = th * (lanes_sign(tv) * tu), end_v = th * lanes_abs(tv);
    out->top[0] = mid_u - end_u;
    out->top[1] = mid_u + end_u;
    out->place[0] = mid_v - end_v;
    out->place[1] = mid_v + end_v;
    clip_sides(out);
}

PH_INLINE void find_boxes_or_chain(const Couple *k, ChainPlace place, Touch *out) {
    const Body *a = &k->a, *b = &k->b;
    Lanes c = a->c * b->c + a->s * b->s, s = a->c * b->s - a->s * b->c;
    Lanes abs_c = lanes_abs(c), abs_s = lanes_abs(s);
    Lanes ax = a->c * k->dx + a->s * k->dy, ay = a->c * k->dy - a->s * k->dx;
    Lanes bx = b->c * k->dx + b->s * k->dy, by = b->c * k->dy - b->s * k->dx;
    const Boxes boxes = {find_faces(a, b, ax, ay, abs_c, abs_s),
                         find_faces(b, a, -bx, -by, abs_c, abs_s), c, s};
    touch_sides(k, boxes.a.best, boxes.b.best, place, box_sides, &boxes, out);
}
PH_INLINE void find_boxes(const PhLanePairs *pairs, const uint32_t *pair, const Couple *k,
                          Touch *out) {
    (void)pairs;
    (void)pair;
    find_boxes_or_chain(k, NO_CHAIN, out);
}

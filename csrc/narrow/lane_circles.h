// Part of lane_source.h: pairs of a circle with a circle or a box. One point, along the line from
// the nearest point of the other core to the centre.

PH_INLINE Touch single_touch(const Couple *k, Lanes nx, Lanes ny, Lanes x, Lanes y, Lanes core) {
    Lanes separation = core - k->a.radius - k->b.radius;
    return (Touch){.nx = nx,
                   .ny = ny,
                   .x = {x, x},
                   .y = {y, y},
                   .separation = {separation, separation},
                   .here = {lanes_at_most(separation, k->margin), lanes_none()},
                   .clipped = {lanes_none(), lanes_none()},
                   .corner = lanes_none(),
                   .doubtful = lanes_none(),
                   .near = lanes_at_most(separation, k->margin),
                   .by_b = lanes_none(),
                   .turned = lanes_none(),
                   .flat = lanes_none(),
                   .planar = lanes_none(),
                   .room = lanes_splat(0),
                   .later = lanes_splat(0)};
}

// Two circles that are apart where they will meet in this step, |d + u t| = R: with the normal of
// that moment, and the separation along it now; or where they are closest. Those that pass have no
// point. The rule of ph_find_impact in world/ahead.c. Where they meet fast, the least slide counts:
// with the normal of now their points would not lie on the line of the centres, and turn them.
PH_INLINE void meet_later(const Couple *k, Lanes dt, Lanes distance, Touch *t) {
    const Lanes zero = lanes_splat(0), one = lanes_splat(1);
    const Body *a = &k->a, *b = &k->b;
    Lanes ux = (b->vx - b->w * b->arm_y) - (a->vx - a->w * a->arm_y);
    Lanes uy = (b->vy + b->w * b->arm_x) - (a->vy + a->w * a->arm_x);
    Lanes gap = t->separation[0], closing = -(ux * k->dx + uy * k->dy); // times the distance
    Lanes slide = lanes_abs(ux * t->ny - uy * t->nx);
    Lanes slack = lanes_load(k->lengths->ahead_slack), least = lanes_load(k->lengths->ahead_slide);
    Lanes fast = lanes_load(k->lengths->fast_approach) * distance;
    Mask turns = lanes_less(least, slide * dt) | lanes_less(fast, closing);
    Mask ahead = t->here[0] & lanes_less(zero, gap) & turns &
                 lanes_less((gap - slack) * distance, closing * dt);
    if (!lanes_any(ahead)) {
        return;
    }
    Lanes radii = a->radius + b->radius, squared = ux * ux + uy * uy;
    Lanes rest = closing * closing - squared * (gap * (distance + radii));
    // From the product of the roots: no difference of nearly equal numbers.
    Lanes time = gap * (distance + radii) / (closing + lanes_sqrt(lanes_max(rest, zero)));
    Mask meets = lanes_less(zero, closing) & lanes_at_most(zero, rest) & lanes_at_most(time, dt);
    Lanes closest = lanes_min(closing / lanes_max(squared, lanes_splat(FLT_MIN)), dt);
    time = lanes_keep(ahead, lanes_select(meets, time, lanes_max(closest, zero)));
    Lanes x = k->dx + ux * time, y = k->dy + uy * time;
    Lanes length = lanes_select(ahead, lanes_sqrt(x * x + y * y), one);
    t->nx = lanes_select(ahead, x / length, t->nx);
    t->ny = lanes_select(ahead, y / length, t->ny);
    t->later = time;
    for (int i = 0; i < 2; i++) {
        t->x[i] = lanes_select(ahead, a->radius * t->nx, t->x[i]);
        t->y[i] = lanes_select(ahead, a->radius * t->ny, t->y[i]);
        t->separation[i] =
            lanes_select(ahead, k->dx * t->nx + k->dy * t->ny - radii, t->separation[i]);
    }
    t->here[0] = t->here[0] & (lanes_not(ahead) | lanes_less(length - radii, slack));
}

PH_INLINE void find_circles(const PhLanePairs *pairs, const uint32_t *pair, const Couple *k,
                            Touch *out) {
    (void)pair;
    const Lanes one = lanes_splat(1), zero = lanes_splat(0), half = lanes_splat(0.5f);
    Lanes distance = lanes_sqrt(k->dx * k->dx + k->dy * k->dy);
    Mask sound = lanes_less(lanes_load(k->lengths->lane_coincident), distance);
    Lanes length = lanes_select(sound, distance, one);
    Lanes nx = lanes_select(sound, k->dx / length, zero);
    Lanes ny = lanes_select(sound, k->dy / length, one);
    Lanes middle = half * (distance + k->a.radius - k->b.radius);
    *out = single_touch(k, nx, ny, middle * nx, middle * ny, distance);
    meet_later(k, lanes_splat(pairs->dt), distance, out);
    out->room = lanes_splat(PH_LANE_NEVER);
}

// A centre at (x, y) in the frame of a body, with the normal (ux, uy) out of the body's core.
PH_INLINE void put_circle(const Couple *k, const Body *body, const Body *circle, bool circle_is_a,
                          Lanes x, Lanes y, Lanes ux, Lanes uy, Lanes core, Lanes half,
                          Touch *out) {
    Lanes up = half * (body->radius - circle->radius - core);
    Lanes px = x + up * ux, py = y + up * uy;
    Lanes wx = body->c * px - body->s * py, wy = body->s * px + body->c * py;
    Lanes nx = body->c * ux - body->s * uy, ny = body->s * ux + body->c * uy;
    if (circle_is_a) {
        *out = single_touch(k, -nx, -ny, k->dx + wx, k->dy + wy, core);
    } else {
        *out = single_touch(k, nx, ny, wx, wy, core);
    }
}

// The centre is clamped to the box; inside of it, the nearest face decides.
PH_INLINE void find_clamped(const Couple *k, bool circle_is_a, Touch *out) {
    const Body *box = circle_is_a ? &k->b : &k->a, *circle = circle_is_a ? &k->a : &k->b;
    const Lanes zero = lanes_splat(0), one = lanes_splat(1), half = lanes_splat(0.5f);
    Lanes dx = circle_is_a ? -k->dx : k->dx, dy = circle_is_a ? -k->dy : k->dy;
    Lanes x = box->c * dx + box->s * dy, y = box->c * dy - box->s * dx;
    Lanes off_x = x - lanes_max(-box->hx, lanes_min(x, box->hx));
    Lanes off_y = y - lanes_max(-box->hy, lanes_min(y, box->hy));
    Lanes distance = lanes_sqrt(off_x * off_x + off_y * off_y);
    // Above the faces; a core without height has only those along its length.
    Lanes above_x = lanes_abs(x) - box->hx, above_y = lanes_abs(y) - box->hy;
    Mask by_x = lanes_less(above_y, above_x) & lanes_less(zero, box->hy);
    Mask outside = lanes_less(lanes_load(k->lengths->tiny), distance);
    Lanes length = lanes_select(outside, distance, one);
    Lanes face_x = lanes_select(by_x, lanes_sign(x), zero);
    Lanes face_y = lanes_select(by_x, zero, lanes_sign(y));
    Lanes ux = lanes_select(outside, off_x / length, face_x);
    Lanes uy = lanes_select(outside, off_y / length, face_y);
    Lanes core = lanes_select(outside, distance, lanes_select(by_x, above_x, above_y));
    put_circle(k, box, circle, circle_is_a, x, y, ux, uy, core, half, out);
    const Lanes close = lanes_splat(0) - near_corner(k);
    out->corner = lanes_less(close, above_x) & lanes_less(close, above_y);
    out->room = lanes_max(-lanes_select(by_x, above_y, above_x), zero);
    out->by_b = circle_is_a ? lanes_not(lanes_none()) : lanes_none();
    out->flat = lanes_at_most(lanes_min(above_x, above_y), zero);
}
PH_INLINE void find_box_circle(const PhLanePairs *pairs, const uint32_t *pair, const Couple *k,
                               Touch *out) {
    (void)pairs;
    (void)pair;
    find_clamped(k, false, out);
}
PH_INLINE void find_circle_box(const PhLanePairs *pairs, const uint32_t *pair, const Couple *k,
                               Touch *out) {
    (void)pairs;
    (void)pair;
    find_clamped(k, true, out);
}

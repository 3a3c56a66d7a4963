// Lever arms that move with the bodies: of fast contacts, up to the moment of their impact, and of
// all contacts of free batches. A part of kernels_source.h, which explains the symbols.

// Moves the arms of the points, in some lanes, to where they are when bodies stand at a and b. Each
// body carries its arm along. So there are two points, which coincide if a corner meets what was
// predicted. Impulses on both bodies act at the point in the middle: r_b = r_a - (x_b - x_a).
// Otherwise they would change the angular momentum. On a fixed body, a's own point counts. For a
// circle about its centre of mass, the impulse acts on the line through that centre, so that no
// normal impulse turns it.
PH_INLINE void move_arms(WideContact *k, Rest *r, const Extra *extra, Mask lanes, const Lanes a[4],
                         const Lanes b[4], bool fixed) {
    const Lanes one = lanes_splat(1), zero = lanes_splat(0), half = lanes_splat(0.5f);
    const Lanes centred = lanes_splat(1e-5f);
    Lanes dx = b[0] - a[0], dy = b[1] - a[1], ca = a[2] + one, cb = b[2] + one;
    Lanes off_t = dx * k->ny - dy * k->nx, off_n = dx * k->nx + dy * k->ny;
    for (int j = 0; j < 2; j++) {
        Point *p = &k->point[j];
        RestPoint *o = &r->point[j];
        // From the centre of b to that of a, along t and n.
        Lanes from_t = extra->from_t[j] - off_t, from_n = extra->from_n[j] - off_n;
        Lanes core_a = extra->nt_a[j] - r->radius_a, core_b = extra->nt_b[j] + r->radius_b;
        Lanes rn_a = extra->rn_a[j] * ca - core_a * a[3];
        Lanes nt_a = core_a * ca + extra->rn_a[j] * a[3] + r->radius_a;
        Lanes rn_b = extra->rn_b[j] * cb - core_b * b[3];
        Lanes nt_b = core_b * cb + extra->rn_b[j] * b[3] - r->radius_b;
        Lanes off_a = lanes_abs(extra->rn_a[j]) + lanes_abs(core_a);
        Lanes off_b = lanes_abs(extra->rn_b[j]) + lanes_abs(core_b);
        Mask round_a = lanes_at_most(off_a, centred * r->radius_a);
        Mask round_b = lanes_at_most(off_b, centred * r->radius_b);
        if (!fixed) {
            rn_a = half * (rn_a + (rn_b - from_t));
            rn_a = lanes_select(round_b, zero - from_t, rn_a);
        }
        rn_a = lanes_select(round_a, zero, rn_a);
        nt_a = half * (nt_a + (nt_b - from_n));
        rn_b = lanes_select(round_b, zero, rn_a + from_t);
        nt_b = nt_a + from_n;
        Mask valid = lanes & lanes_less(zero, p->normal_mass);
        p->rn_a = lanes_select(valid, rn_a, p->rn_a);
        p->rn_b = lanes_select(valid, rn_b, p->rn_b);
        o->nt_a = lanes_select(valid, nt_a, o->nt_a);
        o->nt_b = lanes_select(valid, nt_b, o->nt_b);
    }
}

// The same without turning them: the arms of both bodies, as they are, go to the point in the
// middle of theirs. For bodies that have turned so far that what they carried along is elsewhere.
PH_INLINE void join_arms(WideContact *k, Rest *r, const Extra *extra, Mask lanes, const Lanes a[4],
                         const Lanes b[4]) {
    const Lanes half = lanes_splat(0.5f);
    Lanes dx = b[0] - a[0], dy = b[1] - a[1];
    Lanes off_t = dx * k->ny - dy * k->nx, off_n = dx * k->nx + dy * k->ny;
    for (int j = 0; j < 2; j++) {
        Point *p = &k->point[j];
        RestPoint *o = &r->point[j];
        Lanes from_t = extra->from_t[j] - off_t, from_n = extra->from_n[j] - off_n;
        Lanes rn_a = half * (p->rn_a + (p->rn_b - from_t));
        Lanes nt_a = half * (o->nt_a + (o->nt_b - from_n));
        Mask valid = lanes & lanes_less(lanes_splat(0), p->normal_mass);
        p->rn_a = lanes_select(valid, rn_a, p->rn_a);
        p->rn_b = lanes_select(valid, rn_a + from_t, p->rn_b);
        o->nt_a = lanes_select(valid, nt_a, o->nt_a);
        o->nt_b = lanes_select(valid, nt_a + from_n, o->nt_b);
    }
}

// Lanes of two circles about their centres of mass.
PH_INLINE Mask are_circles(const Rest *r, const Extra *extra) {
    const Lanes zero = lanes_splat(0);
    Lanes off = lanes_abs(extra->rn_a[0]) + lanes_abs(extra->nt_a[0] - r->radius_a) +
                lanes_abs(extra->rn_b[0]) + lanes_abs(extra->nt_b[0] + r->radius_b);
    return lanes_at_most(off, zero) & lanes_less(zero, lanes_min(r->radius_a, r->radius_b));
}

// Circles whose centres are nearer than this share of both radii are so deep in each other that the
// line between them may turn anywhere: they part along the normal that they have.
#define NO_LINE 0.5f

// Of two circles about their centres of mass, in some lanes: the normal along the line of the
// centres when the bodies stand at a and b, and what is measured along it. Where others have
// deflected one of the two since the contact was found, they meet elsewhere.
PH_INLINE void aim_circles(WideContact *k, Rest *r, Extra *extra, Mask lanes, const Lanes a[4],
                           const Lanes b[4]) {
    Lanes dx = b[0] - a[0], dy = b[1] - a[1];
    Lanes off_t = dx * k->ny - dy * k->nx, off_n = dx * k->nx + dy * k->ny;
    Lanes t = off_t - extra->from_t[0], n = off_n - extra->from_n[0];
    Lanes length = lanes_sqrt(t * t + n * n);
    lanes = lanes & lanes_less(lanes_splat(NO_LINE) * (r->radius_a + r->radius_b), length) &
            lanes_less(lanes_splat(FLT_MIN), length) &
            lanes_less(lanes_splat(3e-7f) * length, lanes_abs(t));
    Lanes c = n / length, s = t / length;
    Lanes nx = c * k->nx + s * k->ny, ny = c * k->ny - s * k->nx;
    Lanes gap = length - (r->radius_a + r->radius_b);
    Lanes from_n = c * extra->from_n[0] + s * extra->from_t[0];
    Lanes from_t = c * extra->from_t[0] - s * extra->from_n[0];
    k->nx = lanes_select(lanes, nx, k->nx);
    k->ny = lanes_select(lanes, ny, k->ny);
    extra->from_n[0] = lanes_select(lanes, from_n, extra->from_n[0]);
    extra->from_t[0] = lanes_select(lanes, from_t, extra->from_t[0]);
    RestPoint *o = &r->point[0];
    o->separation = lanes_select(lanes, gap - (c * off_n + s * off_t), o->separation);
}

// The effective masses of points whose arms have moved, in some lanes.
PH_INLINE void weigh_arms(WideContact *k, Rest *r, Mask lanes, bool fixed) {
    const Lanes one = lanes_splat(1), least = lanes_splat(FLT_MIN);
    const Point was[2] = {k->point[0], k->point[1]};
    const Lanes scale = r->pair_scale;
    for (int j = 0; j < 2; j++) {
        Point *p = &k->point[j];
        RestPoint *o = &r->point[j];
        Lanes kn = k->mass_a + k->inertia_a * p->rn_a * p->rn_a;
        Lanes kt = k->mass_a + k->inertia_a * o->nt_a * o->nt_a;
        if (!fixed) {
            kn = kn + (k->mass_b + k->inertia_b * p->rn_b * p->rn_b);
            kt = kt + (k->mass_b + k->inertia_b * o->nt_b * o->nt_b);
        }
        Mask valid = lanes_less(lanes_splat(0), p->normal_mass);
        p->normal_mass = lanes_keep(valid & lanes_less(least, kn), one / kn);
        o->tangent_mass =
            lanes_select(lanes & valid & lanes_less(least, kt), one / kt, o->tangent_mass);
    }
    couple_points(k, r, fixed);
    for (int j = 0; j < 2; j++) {
        Point *p = &k->point[j];
        p->normal_mass = lanes_select(lanes, p->normal_mass, was[j].normal_mass);
        p->shared = lanes_select(lanes, p->shared, was[j].shared);
    }
    r->pair_scale = lanes_select(lanes, r->pair_scale, scale);
}

// Arms may be those of a later moment. This turns them back to the start of the step, and changes
// separations accordingly. If a body turns by more than a radian until that moment, its impacts
// keep the arms that were found. v: velocities of both bodies at the start of the step.
PH_INLINE void turn_arms_back(const Lanes v[2][4], WideContact *k, Rest *r, Extra *extra) {
    const Lanes zero = lanes_splat(0), one = lanes_splat(1), third = lanes_splat(1.0f / 3);
    const Lanes fifth = lanes_splat(2.0f / 15);
    Lanes c[2], s[2];
    const Mask all = lanes_less(zero, extra->predicted) & lanes_less(zero, extra->later);
    Mask lanes = all;
    for (int i = 0; i < 2; i++) {
        // Tangent of half the angle; from it, cosine - 1 and sine.
        Lanes x = lanes_splat(0.5f) * extra->later * v[i][2], z = x * x;
        Lanes half = x * (one + z * (third + z * fifth)), scale = one / (one + half * half);
        c[i] = lanes_splat(-2) * half * half * scale;
        s[i] = lanes_splat(2) * half * scale;
        Mask far = lanes_less(lanes_splat(0.5f), lanes_abs(x));
        extra->predicted = lanes_select(lanes & far, zero, extra->predicted);
        lanes = lanes & lanes_not(far);
    }
    Lanes dx = extra->later * (v[1][0] - v[0][0]), dy = extra->later * (v[1][1] - v[0][1]);
    Lanes off_t = dx * k->ny - dy * k->nx, off_n = dx * k->nx + dy * k->ny;
    for (int j = 0; j < 2; j++) {
        Lanes more = zero;
        for (int i = 0; i < 2; i++) {
            Lanes *rn = i ? &extra->rn_b[j] : &extra->rn_a[j];
            Lanes *nt = i ? &extra->nt_b[j] : &extra->nt_a[j];
            Lanes radius = i ? zero - r->radius_b : r->radius_a, core = *nt - radius;
            Lanes less = s[i] * *rn - c[i] * core; // the height of the core was less by this
            Lanes off = c[i] * core + s[i] * *rn - less;
            more = i ? more + off : more - off;
            Lanes start = *rn + c[i] * *rn + s[i] * core;
            *nt = lanes_select(lanes, *nt - less, *nt);
            *rn = lanes_select(lanes, start, *rn);
        }
        RestPoint *o = &r->point[j];
        o->separation = add_in(lanes, o->separation, more);
        k->point[j].gap = lanes_select(lanes, o->separation, k->point[j].gap);
        extra->from_t[j] = add_in(all, extra->from_t[j], off_t);
        extra->from_n[j] = add_in(all, extra->from_n[j], off_n);
    }
}

// What gravity and forces give a body in a substep.
PH_INLINE void load_drive(const PhPass *pass, const uint32_t *row, bool fixed, Lanes drive[4]) {
    drive[0] = drive[1] = drive[2] = drive[3] = lanes_splat(0);
    if (!fixed) {
        lanes_load_quads(pass->solver_bodies.drive, row, drive);
    }
}

// The velocity of a body at the start of the substep, from that before its contacts.
PH_INLINE void velocities_before(const PhPass *pass, const uint32_t *row, const Lanes drive[4],
                                 Lanes v[4]) {
    lanes_load_quads(pass->solver_bodies.before, row, v);
    for (int l = 0; l < 3; l++) {
        v[l] -= drive[l];
    }
}

// Changes a body's velocity before its contacts as if some of their impulses had had other arms.
// The warm start of the next substep then gives the body that difference again.
PH_INLINE void turn_before(const PhPass *pass, const uint32_t *row, Mask lanes, Lanes turn) {
    const Lanes change = lanes_select(lanes, turn, lanes_splat(-0.0f)); // which no sum can tell
    for (int l = 0; l < PH_LANES; l++) {
        float *before = (float *)(void *)((char *)pass->solver_bodies.before + row[l]);
        before[2] += lane_of(&change, l);
    }
}

// Changes the velocities before their contacts as if some impulses of these had acted along another
// normal.
PH_INLINE void redirect_before(const PhPass *pass, const WideContact *k, Mask lanes, Lanes jx,
                               Lanes jy) {
    for (int side = 0; side < 2; side++) {
        const uint32_t *row = side ? k->solver_b : k->solver_a;
        Lanes mass = side ? -k->mass_b : k->mass_a, before[4];
        lanes_load_quads(pass->solver_bodies.before, row, before);
        before[0] = add_in(lanes, before[0], mass * jx);
        before[1] = add_in(lanes, before[1], mass * jy);
        lanes_store_quads(pass->solver_bodies.before, row, before);
    }
}

// Where a contact was when bodies got the impulses of the warm start.
typedef struct Warmed {
    Point point[2];
    RestPoint rest[2];
    Lanes nx, ny;
} Warmed;

PH_INLINE Warmed warmed_at(const WideContact *k, const Rest *r) {
    return (Warmed){{k->point[0], k->point[1]}, {r->point[0], r->point[1]}, k->nx, k->ny};
}

// Lanes of a free batch that have had an impact in this substep, and nothing else. Up to its end
// bodies are where their new velocities would have come from, and the line between two circles was
// another one when they met.
PH_INLINE Mask have_met(const WideContact *k, const Rest *r, const Extra *extra) {
    const Lanes zero = lanes_splat(0);
    Lanes given = k->point[0].normal_impulse + lanes_abs(r->point[0].tangent_impulse);
    return lanes_less(extra->later, zero) & lanes_at_most(given, zero);
}

// Moves the arms, in some lanes of a free batch, to where the bodies are now. In a free batch only
// these impulses could change the angular momentum. They keep it if both bodies have them at one
// point, of two circles on the line of their centres. a, b: where bodies are.
PH_INLINE void carry_arms(const Warmed *warm, Mask lanes, const PhPass *pass, const Lanes a[4],
                          const Lanes b[4], WideContact *k, Rest *r, Extra *extra) {
    Lanes turn_a = lanes_splat(0), turn_b = turn_a;
    const Lanes farthest = lanes_splat(-0.12f); // cosine - 1 of half a radian
    Mask near = lanes & lanes_less(lanes_splat(0), extra->predicted) & lanes_less(farthest, a[2]) &
                lanes_less(farthest, b[2]);
    Mask circles = lanes & are_circles(r, extra);
    near = near | circles; // which turn as they like
    Mask far = lanes & lanes_not(near);
    if (lanes_any(circles)) {
        aim_circles(k, r, extra, circles & lanes_not(have_met(k, r, extra)), a, b);
    }
    if (lanes_any(near)) {
        move_arms(k, r, extra, near, a, b, false);
    }
    if (lanes_any(far)) {
        join_arms(k, r, extra, far, a, b);
    }
    weigh_arms(k, r, lanes, false);
    for (int j = 0; j < 2; j++) {
        const Point *now = &k->point[j], *was = &warm->point[j];
        const RestPoint *rest = &r->point[j], *o = &warm->rest[j];
        Lanes normal = now->normal_impulse, tangent = rest->tangent_impulse;
        turn_a += (now->rn_a - was->rn_a) * normal - (rest->nt_a - o->nt_a) * tangent;
        turn_b += (now->rn_b - was->rn_b) * normal - (rest->nt_b - o->nt_b) * tangent;
    }
    turn_before(pass, k->solver_a, lanes, k->inertia_a * turn_a);
    turn_before(pass, k->solver_b, lanes, -k->inertia_b * turn_b);
    Lanes nx = k->nx - warm->nx, ny = k->ny - warm->ny;
    circles = circles & lanes_less(lanes_splat(0), lanes_abs(nx) + lanes_abs(ny));
    if (lanes_any(circles)) {
        Lanes jn = k->point[0].normal_impulse, jt = r->point[0].tangent_impulse;
        redirect_before(pass, k, circles, jn * nx + jt * ny, jn * ny - jt * nx);
    }
}

// The same for points that move with their bodies, in these lanes.
PH_INLINE void carry_arms_on(Mask lanes, const PhPass *pass, const Lanes a[4], const Lanes b[4],
                             WideContact *k, Rest *r, Extra *extra) {
    const Warmed warm = warmed_at(k, r);
    carry_arms(&warm, lanes, pass, a, b, k, r, extra);
}

// Before the first substep: arms of a later moment, and arms of surfaces that are apart, become one
// point of both bodies at their present poses.
PH_INLINE void turn_back_wide_contacts(const PhPass *pass, PhWideParts parts, uint32_t count) {
    const Lanes zero = lanes_splat(0);
    WideContact *k = parts.wide_contacts;
    Rest *r = parts.rests;
    Extra *extra = parts.extras;
    for (uint32_t i = 0; i < count; i++, k++, r++, extra++) {
        const Lanes later = lanes_abs(extra->later); // whether an impact is due or not
        Mask lanes = lanes_less(lanes_splat(FLT_MIN), later);
        if (!lanes_any(lanes)) {
            extra->later = zero;
            continue;
        }
        extra->later = lanes_keep(lanes, later);
        Lanes v[2][4], at[4] = {zero, zero, zero, zero};
        lanes_load_quads(pass->solver_bodies.velocity, k->solver_a, v[0]);
        lanes_load_quads(pass->solver_bodies.velocity, k->solver_b, v[1]);
        turn_arms_back(v, k, r, extra);
        Mask near = lanes & lanes_less(zero, extra->predicted);
        Mask circles = lanes & are_circles(r, extra);
        near = near | circles; // which turn as they like
        extra->later = zero;
        aim_circles(k, r, extra, circles, at, at);
        move_arms(k, r, extra, near, at, at, false);
        join_arms(k, r, extra, lanes & lanes_not(near), at, at);
        weigh_arms(k, r, lanes, false);
    }
}

// Deep overlaps are separated by displacements that leave no velocity behind. A part of
// kernels_source.h, which explains the symbols.
//
// A biased solve separates bodies by velocities, of which the relaxation takes back what one pass
// can: not all that many bodies in one place give each other. Those that separate deep overlaps are
// therefore pseudo-velocities, which act in one substep and are forgotten (E. Catto, "Fast and
// Simple Physics using Sequential Impulses", GDC 2006, on split impulses).

// How hard it is to turn a body, as its moment of inertia over the reduced mass of both: 0 for a
// circle about its centre of mass, which no normal impulse turns.
PH_INLINE Lanes turning_of(Lanes rn, Lanes core, Lanes radius, Lanes mass, Lanes inertia) {
    Lanes off = lanes_abs(rn) + lanes_abs(core);
    Mask turns = lanes_less(lanes_splat(1e-5f) * radius, off);
    return lanes_keep(turns, mass / lanes_max(inertia, lanes_splat(FLT_MIN)));
}

// Keeps the angular momentum of two bodies that are separated along the normal: what slides past
// another body slides slower when it is further away. What comes nearer to the other's centre, as
// what is inside of a box, might have to slide ever so fast: the two turn as one about their common
// centre instead, by which they neither approach nor slide. What that takes of the energy of two
// that bounce drives them apart, and what it gives comes from there: had they met in time, they
// would have it still, or never had it. For batches that nothing holds. first: lanes in which the
// first point is valid; pa, pb: the pseudo-velocities before.
PH_INLINE void keep_momentum(const PhPass *pass, const WideContact *k, const Rest *r,
                             const Extra *extra, Mask first, Lanes jn, const Lanes pa[2],
                             const Lanes pb[2], Lanes a[4], Lanes b[4]) {
    const Lanes zero = lanes_splat(0), least = lanes_splat(FLT_MIN), h = lanes_splat(pass->h);
    Lanes apart[2], aside[2]; // centres, along the normal and along the tangent
    for (int j = 0; j < 2; j++) {
        apart[j] = r->point[j].nt_a - r->point[j].nt_b;
        aside[j] = k->point[j].rn_a - k->point[j].rn_b;
    }
    Lanes px = h * (pb[0] - pa[0]), py = h * (pb[1] - pa[1]); // what others displace them by
    Lanes mass = k->mass_a + k->mass_b, away = h * mass * jn;
    Lanes now = lanes_select(first, apart[0], apart[1]) + (px * k->nx + py * k->ny);
    Lanes off = lanes_select(first, aside[0], aside[1]) + (px * k->ny - py * k->nx);
    Lanes slide = (b[0] - a[0]) * k->ny - (b[1] - a[1]) * k->nx;
    Lanes rise = (b[0] - a[0]) * k->nx + (b[1] - a[1]) * k->ny, then = now + away;
    Lanes less = -slide * away / then, more = zero, turn = zero, turned = zero;
    const Lanes square = then * then + off * off;
    Mask acts = lanes_less(zero, jn), inside = acts & lanes_at_most(now, zero);
    if (lanes_any(inside)) {
        // Where rotation is locked, angular momentum is not kept anyway.
        acts = acts & (lanes_not(inside) | lanes_less(zero, lanes_min(k->inertia_a, k->inertia_b)));
        inside = inside & acts;
        const Lanes turning[2] = {turning_of(extra->rn_a[0], extra->nt_a[0] - r->radius_a,
                                             r->radius_a, mass, k->inertia_a),
                                  turning_of(extra->rn_b[0], extra->nt_b[0] + r->radius_b,
                                             r->radius_b, mass, k->inertia_b)};
        Lanes all = lanes_max(square, away * away) + (turning[0] + turning[1]);
        turn = lanes_keep(inside, away * slide / lanes_max(all, least));
        less = lanes_select(inside, -turn * then, less);
        more = turn * off;
        for (int side = 0; side < 2; side++) {
            const uint32_t *body = side ? k->solver_b : k->solver_a;
            Lanes *v = side ? b : a, before[4];
            Mask turns = inside & lanes_less(zero, turning[side]);
            Lanes by = lanes_keep(turns, turn);
            turned += turning[side] * by * (lanes_splat(2) * v[2] + by);
            v[2] = add_in(turns, v[2], by);
            lanes_load_quads(pass->solver_bodies.before, body, before);
            before[2] = add_in(turns, before[2], by); // no contact has given it
            lanes_store_quads(pass->solver_bodies.before, body, before);
        }
    }
    // Along the line of the centres.
    Lanes left = slide + less, risen = rise + more;
    Lanes length = lanes_sqrt(lanes_max(square, least));
    Lanes speed = (risen * then + left * off) / length;
    Lanes lost = slide * slide - left * left + (rise * rise - risen * risen) - turned;
    lost = extra->restitution * extra->restitution * lost;
    Lanes gain = (lanes_sqrt(lanes_max(speed * speed + lost, zero)) - lanes_abs(speed)) / length;
    gain = lanes_select(inside, lanes_keep(lanes_less(speed, zero), -gain),
                        lanes_keep(lanes_less(zero, speed), gain));
    Lanes jt = lanes_keep(acts, (less + gain * off) / mass),
          jr = lanes_keep(acts, (more + gain * then) / mass);
    px = jt * k->ny + jr * k->nx;
    py = jr * k->ny - jt * k->nx;
    const Lanes change[2][2] = {{-k->mass_a * px, -k->mass_a * py},
                                {k->mass_b * px, k->mass_b * py}};
    for (int side = 0; side < 2; side++) {
        const uint32_t *body = side ? k->solver_b : k->solver_a;
        Lanes *v = side ? b : a, before[4];
        lanes_load_quads(pass->solver_bodies.before, body, before);
        for (int i = 0; i < 2; i++) { // no contact has given it
            v[i] += change[side][i];
            before[i] += change[side][i];
        }
        lanes_store_quads(pass->solver_bodies.velocity, body, v);
        lanes_store_quads(pass->solver_bodies.before, body, before);
    }
}

// One pass over a color: pseudo-velocities that separate deep overlaps as fast as a biased solve
// would, and that bring no two bodies nearer than they may come. What has none is as good as fixed.
PH_INLINE void separate_wide_contacts(const PhPass *pass, PhWideParts parts, uint32_t count,
                                      bool fixed) {
    const Common c = common_of(pass, fixed);
    const Lanes zero = lanes_splat(0), one = lanes_splat(1);
    float(*pseudo)[4] = pass->solver_bodies.pseudo, (*velocity)[4] = pass->solver_bodies.velocity;
    const WideContact *k = parts.wide_contacts;
    const Rest *r = parts.rests;
    for (uint32_t i = 0; i < count; i++, k++, r++) {
        const Point *p = &k->point[0], *q = &k->point[1];
        Lanes a[4], b[4], va[4], vb[4], isolated[2], shared[2], total[2];
        lanes_load_quads(pseudo, k->solver_a, a);
        lanes_load_quads(pseudo, k->solver_b, b);
        Lanes moving = zero;
        for (int l = 0; l < 3; l++) {
            moving += lanes_abs(a[l]) + lanes_abs(b[l]);
        }
        const Lanes deepest = deep_of(&c, parts, i);
        if (!lanes_any(lanes_less(zero, moving) | lanes_less(lanes_min(p->gap, q->gap), deepest))) {
            continue;
        }
        lanes_load_quads(velocity, k->solver_a, va);
        lanes_load_quads(velocity, k->solver_b, vb);
        Mask moves_a = lanes_less(zero, a[3]), moves_b = lanes_less(zero, b[3]);
        Lanes mass_a = lanes_keep(moves_a, k->mass_a), mass_b = lanes_keep(moves_b, k->mass_b);
        Lanes inertia_a = lanes_keep(moves_a, k->inertia_a);
        Lanes inertia_b = lanes_keep(moves_b, k->inertia_b), mass = mass_a + mass_b;
        Lanes both = mass + inertia_a * p->rn_a * q->rn_a + inertia_b * p->rn_b * q->rn_b;
        Lanes un = (b[0] - a[0]) * k->nx + (b[1] - a[1]) * k->ny;
        Lanes uv = (vb[0] - va[0]) * k->nx + (vb[1] - va[1]) * k->ny;
        for (int j = 0; j < 2; j++) {
            const Point *o = &k->point[j];
            Lanes added = un + b[2] * o->rn_b - a[2] * o->rn_a;
            Lanes vn = uv + vb[2] * o->rn_b - va[2] * o->rn_a;
            Lanes wanted = vn + lanes_max(o->gap * c.rate, c.limit_separation);
            Lanes room = lanes_keep(lanes_less(zero, o->gap), // of what is apart
                                    lanes_max(vn + o->gap * c.inv_h, zero));
            Mask deep = lanes_less(o->gap, deepest);
            Lanes kn = mass + inertia_a * o->rn_a * o->rn_a + inertia_b * o->rn_b * o->rn_b;
            Mask acts = (moves_a | moves_b) & lanes_less(zero, o->normal_mass) &
                        lanes_less(lanes_splat(FLT_MIN), kn);
            Lanes share = lanes_keep(acts, lanes_select(deep, c.scale, one) / kn);
            isolated[j] = -share * (added + lanes_select(deep, wanted, room));
            shared[j] = lanes_splat(1 / 1.001f) * share * both; // both may be one point
        }
        solve_pair(isolated, shared[0], shared[1], one / (one - shared[0] * shared[1]), total);
        Lanes jn = total[0] + total[1];
        if (!lanes_any(lanes_less(zero, jn))) {
            continue;
        }
        Lanes px = jn * k->nx, py = jn * k->ny;
        const Lanes pa[2] = {a[0], a[1]}, pb[2] = {b[0], b[1]};
        a[0] -= mass_a * px;
        a[1] -= mass_a * py;
        a[2] -= inertia_a * (p->rn_a * total[0] + q->rn_a * total[1]);
        lanes_store_quads(pseudo, k->solver_a, a);
        if (fixed) {
            continue;
        }
        b[0] += mass_b * px;
        b[1] += mass_b * py;
        b[2] += inertia_b * (p->rn_b * total[0] + q->rn_b * total[1]);
        lanes_store_quads(pseudo, k->solver_b, b);
        if (pass->free) {
            keep_momentum(pass, k, r, (const Extra *)parts.extras + i, lanes_less(zero, total[0]),
                          jn, pa, pb, va, vb);
        }
    }
}
static void separate(const PhPass *pass, PhWideParts parts, uint32_t count) {
    separate_wide_contacts(pass, parts, count, false);
}
static void separate_fixed(const PhPass *pass, PhWideParts parts, uint32_t count) {
    separate_wide_contacts(pass, parts, count, true);
}

// Where jointed bodies are deep in each other, contacts and joints can press against each other
// ever harder, because no velocities satisfy both. So contacts between two of them forget their
// impulses after each substep, before joints see what a warm start would give.
static void begin_anew(const PhPass *pass, PhWideParts parts, uint32_t count) {
    float(*before)[4] = pass->solver_bodies.before;
    WideContact *k = parts.wide_contacts;
    Rest *r = parts.rests;
    for (uint32_t i = 0; i < count; i++, k++, r++) {
        const Lanes zero = lanes_splat(0);
        Lanes jn = zero, jt = zero, turn_a = zero, turn_b = zero, a[4], b[4];
        Mask jammed;
        (void)find_separable(pass, k, &jammed);
        if (!lanes_any(jammed)) {
            continue;
        }
        for (int j = 0; j < 2; j++) {
            Point *p = &k->point[j];
            RestPoint *o = &r->point[j];
            Lanes normal = lanes_keep(jammed, p->normal_impulse);
            Lanes tangent = lanes_keep(jammed, o->tangent_impulse);
            jn += normal;
            jt += tangent;
            turn_a += p->rn_a * normal - o->nt_a * tangent;
            turn_b += p->rn_b * normal - o->nt_b * tangent;
            p->normal_impulse = lanes_select(jammed, zero, p->normal_impulse);
            o->tangent_impulse = lanes_select(jammed, zero, o->tangent_impulse);
        }
        if (pass->first) { // nothing has acted
            continue;
        }
        Lanes px = jn * k->nx + jt * k->ny, py = jn * k->ny - jt * k->nx;
        lanes_load_quads(before, k->solver_a, a);
        lanes_load_quads(before, k->solver_b, b);
        a[0] -= k->mass_a * px;
        a[1] -= k->mass_a * py;
        a[2] -= k->inertia_a * turn_a;
        b[0] += k->mass_b * px;
        b[1] += k->mass_b * py;
        b[2] += k->inertia_b * turn_b;
        lanes_store_quads(before, k->solver_a, a);
        lanes_store_quads(before, k->solver_b, b);
    }
}

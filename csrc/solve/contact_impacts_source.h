// Impacts with restitution, before the contacts of a substep are solved; part of kernels_source.h,
// which explains the symbols.

// An impact with restitution on its way.
typedef struct Impact {
    Lanes a[4], b[4];
    Lanes given_normal[2], given_tangent[2];
    Lanes time; // of the impact, from the start of the substep
    Mask meets, met[2];
} Impact;

// Which lanes meet fast within the substep, or overlap and come nearer; excess: receives by how
// much the normal velocity of each point is less than it is to be at the end of the substep.
// Velocities before positions are those in the middle of a substep: gravity and forces change them
// until the impact and from there on, so that a ball rises to the height that is due.
PH_INLINE bool find_impact(Impact *impact, const PhPass *pass, WideContact *k, const Rest *r,
                           const Extra *extra, bool fixed, Lanes excess[2]) {
    const Lanes zero = lanes_splat(0), h = lanes_splat(pass->h), half = lanes_splat(0.5f);
    const Lanes threshold = lanes_splat(-pass->restitution_threshold);
    Mask bounces = lanes_less(zero, extra->restitution), closes = lanes_none();
    if (!lanes_any(bounces)) {
        return false;
    }
    Lanes drive_a[4], drive_b[4] = {zero, zero, zero, zero};
    lanes_load_quads(pass->solver_bodies.drive, k->solver_a, drive_a);
    if (!fixed) {
        lanes_load_quads(pass->solver_bodies.drive, k->solver_b, drive_b);
    }
    Lanes *a = impact->a, *b = impact->b, vn[2], gap[2], own[2], time = h;
    own_speeds(pass, k, fixed, own);
    // Impacts of this substep have moved bodies.
    find_gaps(pass, k, r, gap);
    lanes_load_quads(pass->solver_bodies.velocity, k->solver_a, a);
    lanes_load_quads(pass->solver_bodies.velocity, k->solver_b, b);
    Lanes un = (b[0] - a[0]) * k->nx + (b[1] - a[1]) * k->ny;
    for (int j = 0; j < 2; j++) {
        Point *p = &k->point[j];
        p->gap = lanes_select(bounces, gap[j], p->gap);
        vn[j] = un + b[2] * p->rn_b - a[2] * p->rn_a;
        Lanes end = p->gap + h * vn[j];
        impact->met[j] = bounces & lanes_less(zero, p->normal_mass) & lanes_less(vn[j], zero) &
                         lanes_less(end, lanes_splat(MEET_TOGETHER));
        Mask arrives = impact->met[j] & lanes_less(end, zero);
        closes = closes | arrives;
        time = lanes_select(arrives, lanes_min(time, lanes_max(p->gap, zero) / -vn[j]), time);
    }
    if (!lanes_any(closes)) {
        return false;
    }
    const Lanes rest = half - time / h;
    un = (drive_b[0] - drive_a[0]) * k->nx + (drive_b[1] - drive_a[1]) * k->ny;
    Mask fast = lanes_none();
    for (int j = 0; j < 2; j++) {
        const Point *p = &k->point[j];
        Lanes gain = rest * (un + drive_b[2] * p->rn_b - drive_a[2] * p->rn_a);
        Lanes before = vn[j] - gain;
        impact->met[j] =
            impact->met[j] & lanes_less(before, threshold) & lanes_less(own[j], threshold);
        fast = fast | (impact->met[j] & lanes_less(p->gap + h * vn[j], zero));
        excess[j] = before + extra->restitution * before; // less what it is to have
    }
    impact->meets = closes & fast;
    impact->time = time;
    for (int j = 0; j < 2; j++) {
        impact->met[j] = impact->met[j] & impact->meets;
    }
    return lanes_any(impact->meets);
}

// Both points at once, then the friction of each, which brakes what slides and no more; and again,
// as long as friction makes a point come in or go out otherwise than it is to.
PH_INLINE void solve_impact(Impact *impact, const WideContact *k, Rest *r, const Extra *extra,
                            const Lanes excess[2], bool fixed) {
    const Lanes zero = lanes_splat(0), never = lanes_splat(NEVER);
    Lanes *a = impact->a, *b = impact->b, jn = zero, jt = zero;
    Lanes mass_sum = fixed ? k->mass_a : k->mass_a + k->mass_b;
    Lanes spin_a = a[2], spin_b = b[2];
    Lanes slide = (b[0] - a[0]) * k->ny - (b[1] - a[1]) * k->nx - extra->tangent_speed;
    Mask goes_on = impact->meets;
    for (int j = 0; j < 2; j++) {
        impact->given_normal[j] = impact->given_tangent[j] = zero;
    }
    for (int round = 0; round < SLIDING_ROUNDS && lanes_any(goes_on); round++) {
        Lanes gap[2], isolated[2], total[2], ut = slide + mass_sum * jt;
        for (int j = 0; j < 2; j++) {
            const Point *p = &k->point[j];
            gap[j] =
                excess[j] + mass_sum * jn + (b[2] - spin_b) * p->rn_b - (a[2] - spin_a) * p->rn_a;
            gap[j] = lanes_select(impact->met[j], gap[j], never);
        }
        find_isolated(k, impact->given_normal, gap, isolated);
        solve_pair(isolated, k->point[0].shared, k->point[1].shared, r->pair_scale, total);
        for (int j = 0; j < 2; j++) {
            const Point *p = &k->point[j];
            const Mask acts = goes_on & impact->met[j];
            Lanes given = total[j] - impact->given_normal[j];
            impact->given_normal[j] = lanes_select(acts, total[j], impact->given_normal[j]);
            jn = add_in(acts, jn, given);
            a[2] = add_in(acts, a[2], -k->inertia_a * p->rn_a * given);
            if (!fixed) {
                b[2] = add_in(acts, b[2], k->inertia_b * p->rn_b * given);
            }
        }
        Lanes turned_a = a[2], turned_b = b[2];
        for (int j = 0; j < 2; j++) {
            const RestPoint *o = &r->point[j];
            Lanes vt = ut - b[2] * o->nt_b + a[2] * o->nt_a, was = impact->given_tangent[j];
            Lanes limit = r->friction * impact->given_normal[j];
            Lanes now = lanes_max(-limit, lanes_min(was - o->tangent_mass * vt, limit));
            const Mask acts = goes_on & impact->met[j];
            Lanes given = now - was;
            impact->given_tangent[j] = lanes_select(acts, now, was);
            jt = add_in(acts, jt, given);
            ut = add_in(acts, ut, mass_sum * given);
            a[2] = add_in(acts, a[2], k->inertia_a * o->nt_a * given);
            if (!fixed) {
                b[2] = add_in(acts, b[2], -k->inertia_b * o->nt_b * given);
            }
        }
        Mask comes_in = lanes_none();
        for (int j = 0; j < 2; j++) {
            const Point *p = &k->point[j];
            Lanes more = (b[2] - turned_b) * p->rn_b - (a[2] - turned_a) * p->rn_a;
            comes_in = comes_in | (impact->met[j] & (lanes_less(more, lanes_splat(-STAYS)) |
                                                     lanes_less(lanes_splat(STAYS), more)));
        }
        goes_on = goes_on & comes_in;
    }
    Lanes px = jn * k->nx + jt * k->ny, py = jn * k->ny - jt * k->nx;
    a[0] -= k->mass_a * px;
    a[1] -= k->mass_a * py;
    if (fixed) {
        return;
    }
    b[0] += k->mass_b * px;
    b[1] += k->mass_b * py;
}

// A body whose velocity an impact has changed: it no longer counts as gained by contacts, which
// begin the next substep with the same gain, and up to the impact the body has gone as before.
PH_INLINE void leave_impact(const Impact *impact, const PhPass *pass, const uint32_t *solver_body,
                            const Lanes after[4]) {
    const Lanes one = lanes_splat(1);
    const Mask meets = impact->meets;
    Lanes was[4], before[4], d[4], lost[3];
    lanes_load_quads(pass->solver_bodies.velocity, solver_body, was);
    lanes_load_quads(pass->solver_bodies.before, solver_body, before);
    lanes_load_quads(pass->solver_bodies.delta, solver_body, d);
    for (int i = 0; i < 3; i++) {
        lost[i] = was[i] - after[i];
        before[i] = lanes_select(meets, before[i] - lost[i], before[i]);
        was[i] = lanes_select(meets, after[i] + lanes_splat(0), was[i]);
        lost[i] = impact->time * lost[i];
    }
    Lanes c = d[2] + one, c2 = c - lost[2] * d[3], s2 = d[3] + lost[2] * c;
    Lanes scale = one / lanes_sqrt(c2 * c2 + s2 * s2);
    d[0] = lanes_select(meets, d[0] + lost[0], d[0]);
    d[1] = lanes_select(meets, d[1] + lost[1], d[1]);
    d[2] = lanes_select(meets, c2 * scale - one, d[2]);
    d[3] = lanes_select(meets, s2 * scale, d[3]);
    lanes_store_quads(pass->solver_bodies.velocity, solver_body, was);
    lanes_store_quads(pass->solver_bodies.before, solver_body, before);
    lanes_store_quads(pass->solver_bodies.delta, solver_body, d);
    for (uint32_t bits = lanes_bits(meets), l = 0; bits >> l; l++) {
        if (bits >> l & 1) {
            pass->solver_bodies.turned[solver_body[l] / 16] += lane_of(&lost[2], (int)l);
        }
    }
}

// Points that come together fast in this substep, and that are to bounce, part with restitution x
// the speed at which they meet. One contact after the other, as impacts go through a row of
// touching balls, and again while there are new ones: pass->met tells. Lanes that do not meet keep
// their bits.
PH_INLINE void impact_wide_contacts(const PhPass *pass, PhWideParts parts, uint32_t count,
                                    bool fixed) {
    WideContact *k = parts.wide_contacts;
    Rest *r = parts.rests;
    Extra *extra = parts.extras;
    bool any = false;
    for (uint32_t i = 0; i < count; i++, k++, r++, extra++) {
        Impact impact;
        Lanes excess[2];
        if (!find_impact(&impact, pass, k, r, extra, fixed, excess)) {
            continue;
        }
        any = true;
        solve_impact(&impact, k, r, extra, excess, fixed);
        for (int j = 0; j < 2; j++) {
            r->total_normal[j] += impact.given_normal[j];
            r->total_tangent[j] += impact.given_tangent[j];
            extra->bounce_normal[j] += impact.given_normal[j];
            extra->bounce_tangent[j] += impact.given_tangent[j];
        }
        leave_impact(&impact, pass, k->solver_a, impact.a);
        if (!fixed) {
            leave_impact(&impact, pass, k->solver_b, impact.b);
        }
    }
    if (any) {
        atomic_store_explicit(pass->met, true, memory_order_relaxed);
    }
}

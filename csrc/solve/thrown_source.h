// Contacts that a warm start throws apart. A part of kernels_source.h, which explains the symbols.

PH_INLINE Mask is_thrown(const ContactState *f, const Common *c) {
    return lanes_less(c->thrown, lanes_max(f->vn[0], f->vn[1]));
}

// Impulses of an impact in the substep before, that warm starting has given once more, throw the
// bodies apart, which without them would not come together: such lanes begin anew. Of soft passes,
// which know no friction: its part would turn what the normal impulses then catch.
PH_SELDOM void forget_impact(ContactState *f, Mask thrown, bool fixed) {
    const Lanes zero = lanes_splat(0), fastest = lanes_max(f->vn[0], f->vn[1]);
    WideContact *k = f->k;
    const Point *p = &k->point[0], *q = &k->point[1];
    RestPoint *o = &f->r->point[0], *u = &f->r->point[1];
    Lanes jn = p->normal_impulse + q->normal_impulse, jt = o->tangent_impulse + u->tangent_impulse;
    Lanes turn_a = k->inertia_a * (p->rn_a * p->normal_impulse + q->rn_a * q->normal_impulse -
                                   o->nt_a * o->tangent_impulse - u->nt_a * u->tangent_impulse);
    Lanes turn_b =
        fixed ? zero
              : k->inertia_b * (p->rn_b * p->normal_impulse + q->rn_b * q->normal_impulse -
                                o->nt_b * o->tangent_impulse - u->nt_b * u->tangent_impulse);
    Lanes un = f->un - f->mass_sum * jn, a2 = f->a[2] + turn_a, b2 = f->b[2] - turn_b;
    Lanes slowest = un + lanes_min(b2 * p->rn_b - a2 * p->rn_a, b2 * q->rn_b - a2 * q->rn_a);
    Mask bounce = thrown & lanes_less(lanes_splat(-0.5f) * fastest, slowest);
    f->un = lanes_select(bounce, un, f->un);
    f->a[2] = lanes_select(bounce, a2, f->a[2]);
    f->b[2] = lanes_select(bounce, b2, f->b[2]);
    jn = lanes_keep(bounce, jn);
    jt = lanes_keep(bounce, jt);
    for (int j = 0; j < 2; j++) {
        k->point[j].normal_impulse = lanes_select(bounce, zero, k->point[j].normal_impulse);
        f->r->point[j].tangent_impulse = lanes_select(bounce, zero, f->r->point[j].tangent_impulse);
    }
    for (int j = 0; j < 2; j++) {
        f->vn[j] = normal_speed(f, &k->point[j]);
    }
    Lanes px = jn * k->nx + jt * k->ny, py = jn * k->ny - jt * k->nx;
    f->a[0] = add_in(bounce, f->a[0], k->mass_a * px);
    f->a[1] = add_in(bounce, f->a[1], k->mass_a * py);
    if (fixed) {
        return;
    }
    f->b[0] = add_in(bounce, f->b[0], -k->mass_b * px);
    f->b[1] = add_in(bounce, f->b[1], -k->mass_b * py);
}

// What seldom is done is done to a copy: the wide contact itself stays in registers.
PH_INLINE void without_impact(ContactState *f, Mask thrown, Kind kind) {
    const Point *p = &f->k->point[0], *q = &f->k->point[1];
    const RestPoint *o = &f->r->point[0], *u = &f->r->point[1];
    Lanes given = p->normal_impulse + q->normal_impulse + lanes_abs(o->tangent_impulse) +
                  lanes_abs(u->tangent_impulse);
    thrown = thrown & lanes_less(lanes_splat(0), given);
    if (!lanes_any(thrown)) {
        return;
    }
    ContactState copy; // what forget_impact knows
    copy.k = f->k;
    copy.r = f->r;
    copy.un = f->un;
    copy.mass_sum = f->mass_sum;
    for (int i = 0; i < 3; i++) {
        copy.a[i] = f->a[i];
        copy.b[i] = f->b[i];
    }
    copy.vn[0] = f->vn[0];
    copy.vn[1] = f->vn[1];
    forget_impact(&copy, thrown, kind.fixed);
    for (int i = 0; i < 3; i++) {
        f->a[i] = copy.a[i];
        f->b[i] = copy.b[i];
    }
    f->un = copy.un;
    f->vn[0] = copy.vn[0];
    f->vn[1] = copy.vn[1];
}

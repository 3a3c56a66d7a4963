// Contacts in the middle of the step. A part of kernels_source.h, which explains the symbols.
//
// Arms and normals are constants of a step, but where a body rolls or tips, the point at which it
// touches moves on, and the normal turns. Those of the start of the step are late by half a step in
// the mean, so that a plank which rocks on a disc gained energy: 4 % of its swing in a second.
// Those of the middle of the step are right to the second order (midpoint rule). What follows is
// the kinematics of contact of two curved surfaces (D. J. Montana, "The Kinematics of Contact and
// Grasp", 1988) in the plane. With the speed u of the point along the tangent, the velocities vt of
// both materials there, the curvatures c and the spins w, the normal turns by
//     w_a - c_a (u - vt_a) = w_b + c_b (u - vt_b),
// which gives u. A corner has an infinite curvature and takes the point along, a side has none.

// Normals turn by this much at most, rad: what turns faster is not round.
#define MOST_TURN 0.25f

// Of two points on a side, each arm goes with its own body, as points that are clipped go with
// either; only what is round rolls on.
PH_INLINE void move_to_middle(const PhPass *pass, WideContact *k, Rest *r, Extra *extra, Mask lanes,
                              Mask single, bool fixed) {
    const Lanes zero = lanes_splat(0), one = lanes_splat(1), half = lanes_splat(0.5f);
    const Lanes centred = lanes_splat(1e-5f), time = lanes_splat(pass->half_step);
    Lanes a[4], b[4], turn[2] = {zero, zero};
    lanes_load_quads(pass->solver_bodies.velocity, k->solver_a, a);
    lanes_load_quads(pass->solver_bodies.velocity, k->solver_b, b);
    Lanes along_a = a[0] * k->ny - a[1] * k->nx, along_b = b[0] * k->ny - b[1] * k->nx;
    Lanes out_a = a[0] * k->nx + a[1] * k->ny, out_b = b[0] * k->nx + b[1] * k->ny;
    // The share of a in the speed of a point, and how far it rolls.
    Mask side_a = lanes_less(r->side, zero), side_b = lanes_less(zero, r->side);
    Lanes part = one / lanes_max(r->radius_a + r->radius_b, lanes_splat(FLT_MIN));
    Lanes share = lanes_select(side_a, zero, lanes_select(side_b, one, r->radius_b * part));
    Lanes roll = lanes_select(side_a, r->radius_b, share * r->radius_a) * (a[2] - b[2]);
    Lanes slide = along_a - along_b - a[2] * r->point[0].nt_a + b[2] * r->point[0].nt_b;
    Lanes spin = (r->radius_a * a[2] + r->radius_b * b[2] + slide) * part;
    spin = lanes_select(side_a, a[2], lanes_select(side_b, b[2], spin));
    lanes = lanes & lanes_less(lanes_abs(spin * time), lanes_splat(MOST_TURN));
    if (!lanes_any(lanes)) {
        return;
    }
    Lanes more_a = lanes_keep(single, (share - one) * slide) + roll;
    Lanes more_b = lanes_keep(single, share * slide) + roll;
    for (int j = 0; j < 2; j++) {
        Point *p = &k->point[j];
        RestPoint *o = &r->point[j];
        Mask valid = lanes & lanes_less(zero, p->normal_mass);
        Lanes up = half * ((out_a + a[2] * p->rn_a) + (out_b + b[2] * p->rn_b));
        Lanes rn_a = p->rn_a + time * (more_a + (spin - a[2]) * o->nt_a);
        Lanes rn_b = p->rn_b + time * (more_b + (spin - b[2]) * o->nt_b);
        Lanes nt_a = o->nt_a + time * (up - out_a - spin * p->rn_a);
        Lanes nt_b = o->nt_b + time * (up - out_b - spin * p->rn_b);
        // No normal impulse turns a circle about its centre of mass.
        Lanes core_a = o->nt_a - r->radius_a, core_b = o->nt_b + r->radius_b;
        Lanes slack = half * lanes_abs(o->separation);
        Mask off_a = valid & lanes_less(centred * r->radius_a + slack,
                                        lanes_abs(p->rn_a) + lanes_abs(core_a));
        Mask off_b = valid & lanes_less(centred * r->radius_b + slack,
                                        lanes_abs(p->rn_b) + lanes_abs(core_b));
        p->rn_a = lanes_select(off_a, rn_a, p->rn_a);
        o->nt_a = lanes_select(off_a, nt_a, o->nt_a);
        p->rn_b = lanes_select(off_b, rn_b, p->rn_b);
        o->nt_b = lanes_select(off_b, nt_b, o->nt_b);
    }
    rotate_lanes(spin * time, turn);
    Lanes nx = k->nx + (turn[0] * k->nx - turn[1] * k->ny);
    Lanes ny = k->ny + (turn[0] * k->ny + turn[1] * k->nx);
    k->nx = lanes_select(lanes, nx, k->nx);
    k->ny = lanes_select(lanes, ny, k->ny);
    // Gaps have what bodies turn to the second order by these arms already.
    r->radius_a = lanes_select(lanes, r->point[0].nt_a, r->radius_a);
    r->radius_b = lanes_select(lanes, -r->point[0].nt_b, r->radius_b);
    weigh_arms(k, r, lanes, fixed);
    for (int j = 0; extra && j < 2; j++) {
        const Point *p = &k->point[j];
        const RestPoint *o = &r->point[j];
        extra->rn_a[j] = lanes_select(lanes, p->rn_a, extra->rn_a[j]);
        extra->rn_b[j] = lanes_select(lanes, p->rn_b, extra->rn_b[j]);
        extra->nt_a[j] = lanes_select(lanes, o->nt_a, extra->nt_a[j]);
        extra->nt_b[j] = lanes_select(lanes, o->nt_b, extra->nt_b[j]);
        extra->from_t[j] = lanes_select(lanes, p->rn_b - p->rn_a, extra->from_t[j]);
        extra->from_n[j] = lanes_select(lanes, o->nt_b - o->nt_a, extra->from_n[j]);
    }
}

// Before the first substep, in batches that something holds: contacts that may roll or tip, and
// touch, move to the middle of the step, but for those that come fast, which have an impact first.
PH_INLINE void move_contacts_to_middle(const PhPass *pass, PhWideParts parts, uint32_t count,
                                       bool fixed) {
    const Lanes zero = lanes_splat(0);
    WideContact *k = parts.wide_contacts;
    Rest *r = parts.rests;
    Extra *extra = pass->extras ? parts.extras : NULL;
    for (uint32_t i = 0; i < count; i++, k++, r++) {
        Mask single = lanes_at_most(k->point[1].normal_mass, zero);
        Lanes gap = lanes_min(r->point[0].separation, r->point[1].separation);
        Mask lanes =
            may_roll(k, r) & lanes_at_most(gap, lanes_load(pass->lengths->lane.meet_together));
        if (extra) {
            lanes = lanes & lanes_at_most(extra[i].predicted, zero);
        }
        if (lanes_any(lanes)) {
            move_to_middle(pass, k, r, extra ? extra + i : NULL, lanes, single, fixed);
        }
    }
}

// Impacts: a fast contact bounces, or is stopped, at the moment of its impact. A part of
// kernels_source.h, which explains the symbols.

// A gap of up to so many displacements of a substep may close in that substep.
#define NEAR_PATHS 1.5f

// Rounds of Newton's method for the moment of an impact.
enum { IMPACT_ROUNDS = 3 };
#define IMPACT_PRECISION                                                                           \
    1e-3f // share of a substep: after a step of the method this small, a millionth is left

// Impacts of one moment agree if none needs more than this share of the fastest speed.
#define IMPACTS_AGREE 1e-6f

// Impacts so close in time, in substeps, are of one moment. Those of two moving bodies have to be
// closer, because their arms are those of their own moments, and must not change the total angular
// momentum; that of what is fixed is not looked at.
#define TOGETHER 1e-5f
#define TOGETHER_FIXED 1e-2f

// An impact while it is computed.
typedef struct Impact {
    Lanes a[4], b[4];
    Lanes given_normal[2], given_tangent[2];
    Lanes time; // of the impact, from the start of the substep
    Mask meets, met[2];
    Mask moved; // lanes whose arms have moved
} Impact;

// The pose of a body, from the pose d, after some time with a velocity: as integrate_position
// computes it.
PH_INLINE void move_quads(const Lanes d[4], const Lanes v[4], Lanes time, Lanes out[4]) {
    out[0] = d[0] + time * v[0];
    out[1] = d[1] + time * v[1];
    out[2] = d[2];
    out[3] = d[3];
    rotate_lanes(time * v[2], out + 2);
}

// Lanes of circles whose normal may turn before they meet. Where arms do not follow the bodies,
// what contacts have given would not follow the normal.
PH_INLINE Mask may_aim(const WideContact *k, const Rest *r, const Extra *extra, bool free) {
    const Lanes zero = lanes_splat(0);
    Lanes given = k->point[0].normal_impulse + lanes_abs(r->point[0].tangent_impulse);
    Mask may = are_circles(r, extra) & lanes_less(zero, extra->predicted);
    return free ? may : may & lanes_at_most(given, zero);
}

// The moment at which the first point meets while both bodies turn, and the arms of that moment, in
// some lanes: by Newton's method from an earlier moment. start_a, start_b: where the bodies are
// now. Lanes in which nothing meets, because a point that came near turns away, are removed from
// impact->met.
PH_INLINE void meet_turning(Impact *impact, Mask lanes, Mask circles, const PhPass *pass,
                            const Lanes start_a[4], const Lanes start_b[4], WideContact *k, Rest *r,
                            Extra *extra, bool fixed, Lanes vn[2]) {
    const Lanes zero = lanes_splat(0), h = lanes_splat(pass->h);
    Lanes at_a[4], at_b[4], gap[2], time = impact->time;
    Mask seeks = lanes, aims = lanes & circles; // aiming once more would round once more
    for (int round = 0;; round++) {
        move_quads(start_a, impact->a, time, at_a);
        move_quads(start_b, impact->b, time, at_b);
        if (lanes_any(aims)) {
            aim_circles(k, r, extra, aims, at_a, at_b);
        }
        gaps_at(k, r, extra, at_a, at_b, gap);
        move_arms(k, r, extra, lanes, at_a, at_b, fixed);
        speeds_of(k, impact->a, impact->b, vn);
        if (round == IMPACT_ROUNDS || !lanes_any(seeks)) {
            break;
        }
        Lanes more = h;
        for (int j = 0; j < 2; j++) {
            Mask comes = impact->met[j] & lanes_less(vn[j], zero);
            more = lanes_select(comes, lanes_min(more, gap[j] / -vn[j]), more);
        }
        Lanes then = lanes_max(lanes_min(time + more, h), zero), change = lanes_abs(then - time);
        time = lanes_select(seeks, then, time);
        aims = seeks & circles;
        seeks = seeks & lanes_less(lanes_splat(IMPACT_PRECISION) * h, change);
    }
    impact->time = time;
    for (int j = 0; j < 2; j++) {
        Mask meets = lanes_less(gap[j], lanes_load(pass->lengths->lane.meet_at_once)) &
                     lanes_less(vn[j], zero);
        impact->met[j] = impact->met[j] & (lanes_not(lanes) | meets);
    }
}

// Lanes of touching bodies to which impacts of this substep may have been passed on.
PH_INLINE Mask find_moved(const PhPass *pass, const WideContact *k, const Extra *extra) {
    Lanes a[4], b[4];
    Mask touching = lanes_less(extra->passed_on, lanes_splat(FLT_MAX));
    if (!lanes_any(touching)) {
        return touching;
    }
    lanes_load_quads(pass->solver_bodies.before, k->solver_a, a);
    lanes_load_quads(pass->solver_bodies.before, k->solver_b, b);
    return touching & lanes_less(lanes_splat(0), lanes_max(a[3], b[3]));
}

// Finds the lanes in which points meet fast within the substep, or overlap and approach. excess:
// receives by how much the normal velocity of each point is less than it should be at the end of
// the substep; vn: their normal velocities now. Velocities before positions are those in the middle
// of a substep. Gravity and forces change them up to the impact and after it, so that a ball rises
// to the right height.
PH_INLINE bool find_impact(Impact *impact, const PhPass *pass, WideContact *k, Rest *r,
                           Extra *extra, bool fixed, bool free, Lanes excess[2], Lanes vn[2]) {
    const Lanes zero = lanes_splat(0), h = lanes_splat(pass->h), half = lanes_splat(0.5f);
    const Lanes bouncing = lanes_splat(-pass->restitution_threshold);
    const Lanes tie = lanes_load(pass->lengths->lane.impact_tie);
    impact->moved = impact->meets = lanes_none();
    impact->time = h;
    const Mask own_impact = lanes_less(extra->least, lanes_splat(FLT_MAX));
    Lanes limit = lanes_select(own_impact, extra->least, extra->passed_on);
    if (pass->again) {
        limit = lanes_min(limit, extra->passed_on);
    }
    Mask acts = own_impact, closes = lanes_none();
    if (pass->again) {
        acts = acts | find_moved(pass, k, extra);
    }
    if (!lanes_any(acts)) {
        return false;
    }
    if (pass->first && !pass->again && lanes_any(lanes_less(zero, extra->later))) {
        Lanes v[2][4], drive[4];
        load_drive(pass, k->solver_a, false, drive);
        velocities_before(pass, k->solver_a, drive, v[0]);
        load_drive(pass, k->solver_b, fixed, drive);
        velocities_before(pass, k->solver_b, drive, v[1]);
        turn_arms_back(v, k, r, extra);
    }
    Lanes *a = impact->a, *b = impact->b, gap[2], own[2], time = h;
    lanes_load_quads(pass->solver_bodies.velocity, k->solver_a, a);
    lanes_load_quads(pass->solver_bodies.velocity, k->solver_b, b);
    // A contact that the impacts of this substep do not concern does not meet now either.
    const Lanes now[3] = {normal_speed_of(k, a, b), a[2], b[2]};
    Mask stirred = lanes_none(), comes = lanes_none();
    for (int i = 0; i < 3; i++) {
        stirred = stirred | lanes_less(now[i], extra->seen[i]) | lanes_less(extra->seen[i], now[i]);
        extra->seen[i] = lanes_select(acts, now[i], extra->seen[i]);
    }
    acts = pass->again ? acts & stirred : acts;
    if (!lanes_any(acts)) {
        return false;
    }
    speeds_of(k, a, b, vn);
    for (int j = 0; j < 2; j++) {
        // Impacts of this substep have moved the bodies.
        Lanes reach =
            lanes_load(pass->lengths->lane.impact_near) - lanes_splat(NEAR_PATHS) * h * vn[j];
        Mask near = pass->again ? acts : lanes_less(k->point[j].gap, reach);
        comes = comes | (near & lanes_less(vn[j], lanes_splat(-0.5f) * limit));
    }
    acts = acts & comes;
    if (!lanes_any(acts)) {
        return false;
    }
    Mask predicted = acts & lanes_less(zero, extra->predicted);
    Lanes at_a[4], at_b[4];
    load_places(pass, k, at_a, at_b);
    gaps_at(k, r, extra, at_a, at_b, gap);
    if (pass->again) {
        Mask near = lanes_none();
        for (int j = 0; j < 2; j++) {
            near = near | lanes_less(gap[j], lanes_load(pass->lengths->lane.impact_near) -
                                                 lanes_splat(NEAR_PATHS) * h * vn[j]);
        }
        acts = acts & near;
        if (!lanes_any(acts)) {
            return false;
        }
        predicted = predicted & near;
    } else if (lanes_any(predicted)) {
        move_arms(k, r, extra, predicted, at_a, at_b, fixed);
        impact->moved = predicted;
        speeds_of(k, a, b, vn);
    }
    for (int j = 0; j < 2; j++) {
        Point *p = &k->point[j];
        p->gap = lanes_select(acts, gap[j], p->gap);
        Lanes end = p->gap + h * vn[j];
        impact->met[j] = acts & lanes_less(zero, p->normal_mass) & lanes_less(vn[j], zero) &
                         lanes_less(end, lanes_load(pass->lengths->lane.meet_together));
        Mask arrives = impact->met[j] & lanes_less(end, tie);
        closes = closes | arrives;
        time = lanes_select(arrives, lanes_min(time, lanes_max(p->gap, zero) / -vn[j]), time);
    }
    if (!lanes_any(closes)) {
        return false;
    }
    Lanes drive_a[4], drive_b[4], before_a[4], before_b[4];
    load_drive(pass, k->solver_a, false, drive_a);
    load_drive(pass, k->solver_b, fixed, drive_b);
    velocities_before(pass, k->solver_a, drive_a, before_a);
    velocities_before(pass, k->solver_b, drive_b, before_b);
    speeds_of(k, before_a, before_b, own);
    const Lanes least = zero - limit;
    Mask fast = lanes_none();
    for (int j = 0; j < 2; j++) {
        impact->met[j] = impact->met[j] & lanes_less(own[j], least);
        fast = fast | (impact->met[j] & lanes_less(vn[j], least) &
                       lanes_less(k->point[j].gap + h * vn[j], tie));
    }
    if (!lanes_any(impact->met[0] | impact->met[1])) {
        return false;
    }
    impact->time = time;
    if (lanes_any(fast & predicted)) {
        const Mask met[2] = {impact->met[0], impact->met[1]};
        const Lanes speed[2] = {vn[0], vn[1]};
        const Mask circles = fast & may_aim(k, r, extra, free);
        meet_turning(impact, fast & predicted, circles, pass, at_a, at_b, k, r, extra, fixed, vn);
        extra->seen[0] = lanes_select(circles, normal_speed_of(k, a, b), extra->seen[0]);
        impact->moved = impact->moved | (fast & predicted);
        const Mask turning = free ? predicted : circles;
        for (int j = 0; j < 2; j++) { // what turns away is not to be stopped either
            Point *p = &k->point[j];
            Mask away = fast & turning & met[j] & lanes_not(impact->met[j]);
            p->gap = lanes_select(away, lanes_max(p->gap, lanes_splat(-2) * h * speed[j]), p->gap);
        }
    }
    const Mask turned = fast & lanes_not(predicted); // too far to carry arms along
    if (free && lanes_any(turned)) {
        move_quads(at_a, a, impact->time, at_a);
        move_quads(at_b, b, impact->time, at_b);
        join_arms(k, r, extra, turned, at_a, at_b);
        speeds_of(k, a, b, vn);
        impact->moved = impact->moved | turned;
    }
    const Lanes rest = half - impact->time / h;
    Lanes un = (drive_b[0] - drive_a[0]) * k->nx + (drive_b[1] - drive_a[1]) * k->ny;
    for (int j = 0; j < 2; j++) {
        const Point *p = &k->point[j];
        Lanes gain = rest * (un + drive_b[2] * p->rn_b - drive_a[2] * p->rn_a);
        Lanes before = vn[j] - gain;
        impact->met[j] = impact->met[j] & lanes_less(before, least);
        impact->meets =
            impact->meets | (impact->met[j] & (predicted | lanes_less(p->gap + h * vn[j], tie)));
        Lanes back = lanes_keep(lanes_less(before, bouncing), extra->restitution);
        excess[j] = before + back * before; // less what it should have
    }
    impact->meets = impact->meets & closes & (fast | lanes_not(predicted));
    for (int j = 0; j < 2; j++) {
        impact->met[j] = impact->met[j] & impact->meets;
    }
    return lanes_any(impact->meets);
}

// By how much the exact effective mass of a point exceeds that of couple_points, which is less
// where points lie close together: an impact has no later pass that makes up for it.
PH_INLINE Lanes exact_share(const WideContact *k, const Point *p, bool fixed) {
    const Lanes one = lanes_splat(1);
    Lanes kn = k->mass_a + k->inertia_a * p->rn_a * p->rn_a;
    if (!fixed) {
        kn = kn + (k->mass_b + k->inertia_b * p->rn_b * p->rn_b);
    }
    Lanes product = p->normal_mass * kn;
    Mask less = lanes_less(product, lanes_splat(0.9995f)) & lanes_less(lanes_splat(0), product);
    return lanes_any(less) ? lanes_select(less, one / product, one) : one;
}

// Goes on from what has been given. Solves both points at once, then the friction of each, which
// only brakes sliding. This is repeated as long as friction changes the normal velocity of a point.
PH_INLINE void solve_impact(Impact *impact, const PhPass *pass, const WideContact *k, Rest *r,
                            const Extra *extra, const Lanes excess[2], bool fixed) {
    const Lanes zero = lanes_splat(0), never = lanes_load(pass->lengths->lane.never);
    const Lanes stays = lanes_load(pass->lengths->lane.stays);
    Lanes *a = impact->a, *b = impact->b, jn = zero, jt = zero;
    Lanes mass_sum = fixed ? k->mass_a : k->mass_a + k->mass_b;
    Lanes spin_a = a[2], spin_b = b[2];
    Lanes slide = (b[0] - a[0]) * k->ny - (b[1] - a[1]) * k->nx - extra->tangent_speed;
    Mask goes_on = impact->meets, close = lanes_none();
    Lanes exact[2];
    for (int j = 0; j < 2; j++) {
        exact[j] = exact_share(k, &k->point[j], fixed);
        close = close | lanes_less(lanes_splat(1), exact[j]);
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
        Mask again = close & lanes_less(zero, lanes_min(total[0], total[1]));
        Mask single = close & lanes_not(again);
        for (int j = 0; j < 2; j++) {
            const Lanes was = impact->given_normal[j];
            Lanes by_itself = lanes_max(was + exact[j] * (isolated[j] - was), zero);
            total[j] = lanes_select(single & lanes_less(zero, total[j]), by_itself, total[j]);
        }
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
        Mask comes_in = round == 0 ? again : lanes_none();
        for (int j = 0; j < 2; j++) {
            const Point *p = &k->point[j];
            Lanes more = (b[2] - turned_b) * p->rn_b - (a[2] - turned_a) * p->rn_a;
            comes_in =
                comes_in | (impact->met[j] & (lanes_less(more, -stays) | lanes_less(stays, more)));
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

// Stores the velocity of a body that an impact has changed. The change does not count as gained
// from contacts, since they begin the next substep with that gain. The body is moved as if it had
// kept its old velocity up to the impact. Few lanes have an impact, so they come one by one.
PH_INLINE void leave_impact(const Impact *impact, const PhPass *pass, const uint32_t *row,
                            const Lanes after[4]) {
    for (uint32_t bits = lanes_bits(impact->meets); bits; bits &= bits - 1) {
        int l = __builtin_ctz(bits);
        uint32_t body = row[l] / 16;
        float *v = pass->solver_bodies.velocity[body], *d = pass->solver_bodies.delta[body];
        float *before = pass->solver_bodies.before[body], lost[3];
        for (int i = 0; i < 3; i++) {
            float now = lane_of(&after[i], l);
            lost[i] = v[i] - now;
            before[i] -= lost[i];
            v[i] = now + 0.0f;
            lost[i] = lane_of(&impact->time, l) * lost[i];
        }
        before[3] = 1; // tells look_again_wide_contacts
        d[0] += lost[0];
        d[1] += lost[1];
        rotate_float(lost[2], d + 2);
        pass->solver_bodies.turned[body] += lost[2];
    }
}

// What bounces and comes fast does not meet within this substep, or an impact would have been
// found. It must not be stopped by a biased solve either, which knows no restitution: what that
// gives is taken back when arms have moved on, and the rest of it turns the bodies at the cost of
// their energy. So the gaps, as that solve sees them, stay open in these lanes of a free batch.
PH_INLINE void leave_to_impact(const PhPass *pass, WideContact *k, const Extra *extra, Mask lanes) {
    const Lanes zero = lanes_splat(0), open = lanes_splat(-2 * pass->h);
    Lanes a[4], b[4], vn[2];
    lanes = lanes & lanes_less(zero, extra->restitution);
    if (!lanes_any(lanes)) {
        return;
    }
    lanes_load_quads(pass->solver_bodies.velocity, k->solver_a, a);
    lanes_load_quads(pass->solver_bodies.velocity, k->solver_b, b);
    speeds_of(k, a, b, vn);
    Lanes gap[2] = {k->point[0].gap, k->point[1].gap};
    leave_to_next_step(pass, k, extra, lanes, gap);
    for (int j = 0; j < 2; j++) {
        Mask waits = lanes & lanes_less(vn[j], zero - extra->least);
        k->point[j].gap = lanes_select(waits, lanes_max(gap[j], open * vn[j]), gap[j]);
    }
}

// Circles that have met are left to the relaxation, where they are on the line of their centres
// again: a biased solve would give them what changes the angular momentum.
PH_INLINE void leave_circles(WideContact *k, const Rest *r, const Extra *extra) {
    Mask lanes = are_circles(r, extra) & have_met(k, r, extra);
    Lanes open = r->radius_a + r->radius_b;
    k->point[0].gap = lanes_select(lanes, lanes_max(k->point[0].gap, open), k->point[0].gap);
}

// Circles whose normal has turned since the last look are as they were: nothing has moved them.
PH_INLINE void see_again(const PhPass *pass, const WideContact *k, const Rest *r, Extra *extra,
                         Mask lanes) {
    lanes = lanes & are_circles(r, extra);
    if (lanes_any(lanes)) {
        Lanes a[4], b[4];
        lanes_load_quads(pass->solver_bodies.velocity, k->solver_a, a);
        lanes_load_quads(pass->solver_bodies.velocity, k->solver_b, b);
        extra->seen[0] = lanes_select(lanes, normal_speed_of(k, a, b), extra->seen[0]);
    }
}

// Lanes of a wide contact by their bits.
PH_INLINE Mask lanes_of_bits(uint32_t bits) {
    float on[PH_LANES];
    for (int l = 0; l < PH_LANES; l++) {
        on[l] = bits >> l & 1 ? 1.0f : 0.0f;
    }
    Lanes set; // numbers need not be aligned as lanes_load wants them
    memcpy(&set, on, sizeof set);
    return lanes_less(lanes_splat(0), set);
}

// What carry_arms needs of a contact before its arms were moved to where it meets.
PH_INLINE void keep_warmed(Extra *extra, const Warmed *warm) {
    for (int j = 0; j < 2; j++) {
        extra->arms[j][0] = warm->point[j].rn_a;
        extra->arms[j][1] = warm->point[j].rn_b;
        extra->arms[j][2] = warm->rest[j].nt_a;
        extra->arms[j][3] = warm->rest[j].nt_b;
    }
    extra->was_normal[0] = warm->nx;
    extra->was_normal[1] = warm->ny;
}

PH_INLINE Warmed warmed_before(const WideContact *k, const Rest *r, const Extra *extra) {
    Warmed warm = warmed_at(k, r);
    for (int j = 0; j < 2; j++) {
        warm.point[j].rn_a = extra->arms[j][0];
        warm.point[j].rn_b = extra->arms[j][1];
        warm.rest[j].nt_a = extra->arms[j][2];
        warm.rest[j].nt_b = extra->arms[j][3];
    }
    warm.nx = extra->was_normal[0];
    warm.ny = extra->was_normal[1];
    return warm;
}

// Finds the impacts of a wide contact, and moves its arms to where they meet. Returns whether there
// are any. Lanes without an impact go on from there.
PH_INLINE bool begin_impact(const PhPass *pass, WideContact *k, Rest *r, Extra *extra, uint8_t *met,
                            float *moments, bool fixed, bool free) {
    const Lanes zero = lanes_splat(0), none = lanes_splat(FLT_MAX);
    Impact impact;
    Lanes excess[2] = {zero, zero}, speed[2] = {zero, zero};
    const Warmed warm = warmed_at(k, r);
    bool meets = find_impact(&impact, pass, k, r, extra, fixed, free, excess, speed);
    *met = 0;
    if (lanes_any(impact.moved)) {
        weigh_arms(k, r, impact.moved, fixed);
    }
    if (meets) {
        *met = (uint8_t)lanes_bits(impact.meets);
        // An impact at the same speed again is a new one, as in a row of balls.
        extra->seen[0] = lanes_select(impact.meets, none, extra->seen[0]);
        Lanes speed_most = zero, share = lanes_splat(fixed ? TOGETHER_FIXED : TOGETHER);
        for (int j = 0; j < 2; j++) {
            Lanes met_speed = lanes_keep(impact.met[j], lanes_abs(speed[j]));
            speed_most = lanes_max(speed_most, met_speed);
        }
        Lanes tie = lanes_load(pass->lengths->lane.impact_tie) / speed_most;
        Lanes since = impact.time - lanes_max(share * lanes_splat(pass->h), tie);
        memcpy(moments, &impact.time, sizeof impact.time);
        memcpy(moments + PH_LANES, &since, sizeof since);
        for (int j = 0; j < 2; j++) {
            extra->lacks[j] = lanes_select(impact.met[j], excess[j], none);
            extra->found_speed[j] = speed[j];
            extra->given_normal[j] = extra->given_tangent[j] = zero;
        }
        keep_warmed(extra, &warm);
    }
    const Mask rest = meets ? impact.moved & lanes_not(impact.meets) : impact.moved;
    if (free && lanes_any(rest)) {
        Lanes a[4], b[4];
        load_places(pass, k, a, b);
        carry_arms(&warm, rest, pass, a, b, k, r, extra);
        see_again(pass, k, r, extra, rest);
        leave_to_impact(pass, k, extra, rest);
    }
    return meets;
}

// Gives what has been found in some lanes, less what other impacts have done to it since. To give
// again takes back or adds what those have changed, where that is more than rounding. Returns the
// lanes to which something has been given.
PH_INLINE Mask give_impact(const PhPass *pass, const WideContact *k, Rest *r, Extra *extra,
                           const float *moments, Mask lanes, bool fixed) {
    const Lanes zero = lanes_splat(0), agree = lanes_splat(IMPACTS_AGREE);
    Impact impact;
    Lanes speed[2], excess[2], normal[2], tangent[2];
    memcpy(&impact.time, moments, sizeof impact.time);
    impact.meets = lanes_none();
    lanes_load_quads(pass->solver_bodies.velocity, k->solver_a, impact.a);
    lanes_load_quads(pass->solver_bodies.velocity, k->solver_b, impact.b);
    speeds_of(k, impact.a, impact.b, speed);
    const Lanes *a = impact.a, *b = impact.b;
    Lanes fastest = lanes_max(lanes_max(lanes_abs(a[0]), lanes_abs(a[1])),
                              lanes_max(lanes_abs(b[0]), lanes_abs(b[1])));
    for (int j = 0; j < 2; j++) {
        impact.met[j] = lanes & lanes_less(extra->lacks[j], lanes_splat(FLT_MAX));
        impact.meets = impact.meets | impact.met[j];
        excess[j] = extra->lacks[j] + (speed[j] - extra->found_speed[j]);
        fastest = lanes_max(fastest, lanes_abs(extra->found_speed[j]));
        normal[j] = impact.given_normal[j] = extra->given_normal[j];
        tangent[j] = impact.given_tangent[j] = extra->given_tangent[j];
    }
    solve_impact(&impact, pass, k, r, extra, excess, fixed);
    Lanes more[2], along[2];
    Mask gives = lanes_none();
    for (int j = 0; j < 2; j++) {
        more[j] = impact.given_normal[j] - normal[j];
        along[j] = impact.given_tangent[j] - tangent[j];
        Lanes least = agree * fastest * k->point[j].normal_mass;
        gives = gives | lanes_less(least, lanes_max(lanes_abs(more[j]), lanes_abs(along[j])));
    }
    impact.meets = impact.meets & gives;
    for (int j = 0; j < 2; j++) {
        Lanes jn = lanes_select(impact.meets, more[j], zero);
        Lanes jt = lanes_select(impact.meets, along[j], zero);
        extra->given_normal[j] += jn;
        extra->given_tangent[j] += jt;
        r->total_normal[j] += jn;
        r->total_tangent[j] += jt;
        extra->bounce_normal[j] += jn;
        extra->bounce_tangent[j] += jt;
    }
    leave_impact(&impact, pass, k->solver_a, impact.a);
    if (!fixed) {
        leave_impact(&impact, pass, k->solver_b, impact.b);
    }
    return impact.meets;
}

// In a free batch: the arms of lanes that have met go on from there.
PH_INLINE void end_impact(const PhPass *pass, WideContact *k, Rest *r, Extra *extra, Mask lanes) {
    const Warmed warm = warmed_before(k, r, extra);
    Lanes a[4], b[4], given = lanes_splat(0);
    for (int j = 0; j < 2; j++) {
        given += lanes_abs(extra->given_normal[j]) + lanes_abs(extra->given_tangent[j]);
    }
    Mask acted = lanes & lanes_less(lanes_splat(0), given); // the others were not the first
    extra->later = lanes_select(acted, lanes_splat(-1), extra->later);
    load_places(pass, k, a, b);
    carry_arms(&warm, lanes, pass, a, b, k, r, extra);
    leave_circles(k, r, extra);
}

// Points that meet fast in this substep, and have restitution, separate with restitution x the
// speed at which they met. The contacts are treated one after the other, so that impacts travel
// through a row of touching balls, and again while there are new impacts: pass->met and parts.met
// say so. Lanes without an impact keep their bits.
PH_INLINE void impact_wide_contacts(const PhPass *pass, PhWideParts parts, uint32_t count,
                                    bool fixed, bool free) {
    WideContact *k = parts.wide_contacts;
    Rest *r = parts.rests;
    Extra *extra = parts.extras;
    bool any = false;
    for (uint32_t i = 0; i < count; i++, k++, r++, extra++) {
        float *moments = parts.moments + (size_t)i * 2 * PH_LANES;
        if (!begin_impact(pass, k, r, extra, &parts.met[i], moments, fixed, free)) {
            continue;
        }
        const Mask meets = lanes_of_bits(parts.met[i]);
        any = true;
        (void)give_impact(pass, k, r, extra, moments, meets, fixed);
        if (free) {
            end_impact(pass, k, r, extra, meets);
        }
    }
    if (any) {
        atomic_store_explicit(pass->met, true, memory_order_relaxed);
    }
}

// The same in three passes over all contacts: impacts of one moment that share a body are given
// again and again, until they agree. This is Gauss and Seidel's method for all of their impulses,
// which push. Which contact comes first then makes no difference.
PH_INLINE void find_impacts_wide(const PhPass *pass, PhWideParts parts, uint32_t count, bool fixed,
                                 bool free) {
    WideContact *k = parts.wide_contacts;
    Rest *r = parts.rests;
    Extra *extra = parts.extras;
    bool any = false;
    for (uint32_t i = 0; i < count; i++, k++, r++, extra++) {
        float *moments = parts.moments + (size_t)i * 2 * PH_LANES;
        any |= begin_impact(pass, k, r, extra, &parts.met[i], moments, fixed, free);
    }
    if (any) {
        atomic_store_explicit(pass->met, true, memory_order_relaxed);
    }
}

PH_INLINE void give_impacts_wide(const PhPass *pass, PhWideParts parts, uint32_t count,
                                 bool fixed) {
    const WideContact *k = parts.wide_contacts;
    Rest *r = parts.rests;
    Extra *extra = parts.extras;
    bool any = false;
    for (uint32_t i = 0; i < count; i++, k++, r++, extra++) {
        if (parts.acts[i]) {
            const float *moments = parts.moments + (size_t)i * 2 * PH_LANES;
            Mask acts = lanes_of_bits(parts.acts[i]);
            any |= lanes_any(give_impact(pass, k, r, extra, moments, acts, fixed));
        }
    }
    if (any) {
        atomic_store_explicit(pass->met, true, memory_order_relaxed);
    }
}

static void leave_impacts_wide(const PhPass *pass, PhWideParts parts, uint32_t count) {
    WideContact *k = parts.wide_contacts;
    Rest *r = parts.rests;
    Extra *extra = parts.extras;
    for (uint32_t i = 0; i < count; i++, k++, r++, extra++) {
        if (parts.met[i]) {
            end_impact(pass, k, r, extra, lanes_of_bits(parts.met[i]));
        }
    }
}

// Recomputes the gaps of contacts of bodies that impacts have moved in this substep. Those of other
// bodies stay as they are, because it must not matter which island shares a batch with impacts.
PH_INLINE void look_again_wide_contacts(const PhPass *pass, PhWideParts parts, uint32_t count,
                                        bool free) {
    WideContact *k = parts.wide_contacts;
    Rest *r = parts.rests;
    Extra *extra = parts.extras;
    const Lanes zero = lanes_splat(0);
    for (uint32_t i = 0; i < count; i++, k++, r++, extra++) {
        Lanes was_a[4], was_b[4], a[4], b[4], gap[2];
        lanes_load_quads(pass->solver_bodies.before, k->solver_a, was_a);
        lanes_load_quads(pass->solver_bodies.before, k->solver_b, was_b);
        Mask moved = lanes_less(zero, was_a[3]) | lanes_less(zero, was_b[3]);
        if (!lanes_any(moved)) {
            continue;
        }
        load_places(pass, k, a, b);
        if (free) {
            carry_arms_on(moved, pass, a, b, k, r, extra);
        }
        gaps_at(k, r, extra, a, b, gap);
        for (int j = 0; j < 2; j++) {
            k->point[j].gap = lanes_select(moved, gap[j], k->point[j].gap);
        }
        if (free) {
            leave_circles(k, r, extra);
        }
        if (pass->free && !pass->stirred) {
            leave_to_impact(pass, k, extra, moved);
        }
    }
}

static void impact(const PhPass *pass, PhWideParts parts, uint32_t count) {
    if (pass->free) {
        impact_wide_contacts(pass, parts, count, false, true);
    } else {
        impact_wide_contacts(pass, parts, count, false, false);
    }
}
static void impact_fixed(const PhPass *pass, PhWideParts parts, uint32_t count) {
    impact_wide_contacts(pass, parts, count, true, false);
}

static void find_impacts(const PhPass *pass, PhWideParts parts, uint32_t count) {
    if (pass->free) {
        find_impacts_wide(pass, parts, count, false, true);
    } else {
        find_impacts_wide(pass, parts, count, false, false);
    }
}
static void find_impacts_fixed(const PhPass *pass, PhWideParts parts, uint32_t count) {
    find_impacts_wide(pass, parts, count, true, false);
}
static void give_impacts(const PhPass *pass, PhWideParts parts, uint32_t count) {
    give_impacts_wide(pass, parts, count, false);
}
static void give_impacts_fixed(const PhPass *pass, PhWideParts parts, uint32_t count) {
    give_impacts_wide(pass, parts, count, true);
}

static void look_again(const PhPass *pass, PhWideParts parts, uint32_t count) {
    if (pass->free) {
        look_again_wide_contacts(pass, parts, count, true);
    } else {
        look_again_wide_contacts(pass, parts, count, false);
    }
}

// What joints hold or limit with a bound, or with a tuning of their own, in lanes: part of
// articulation_source.h, after joint_spring_source.h.
//
// An exact solution has no bounds and is as stiff as can be, so a spring holds in its place.

// Of the acceleration that a bound allows, what is counted on to brake, twice over.
#define SHARE_OF_BRAKES 0.5
// What a limit that was passed pushes back with, 1/s, where it is passed by more than a slop, whose
// angle is in rad.
#define STOP_RATE 2.0
#define STOP_SLOP_ANGLE 1e-3

// The spring that stands for a hold is one of implicit Euler. That of a joint with a tuning of its
// own is to carry what other joints and contacts hand to its bodies as Hooke's law has it. They do
// so after it, so it counts on what they have added since it acted last: at most twice what they
// had added before, and nothing where that was the other way, as a jerk comes once. In rest it then
// holds all of that, as a warm start does.
static bool is_noted(const Articulation *articulation) {
    return articulation->pass->operation == PH_ARTICULATION_NOTE;
}
static Wide predicted(const Fields *fields, int row, Wide v) {
    return wide_select((WideMask)(fields->tuned != wide_splat(0)), v + fields->others[row], v);
}
// Of velocities as a substep begins, what has been added to those that it left.
static void note_others(const PhArticulationWork *work, Fields *fields, const Wide v[3]) {
    for (int i = 0; i < 3; i++) {
        WideMask known = (WideMask)(fields->left[i] == fields->left[i]);
        if (!has(work->firm, i)) {
            continue;
        }
        Wide now = v[i] - fields->left[i], last = fields->added[i];
        Wide least = wide_select(wide_abs(now) > 2 * wide_abs(last), 2 * last, now);
        least = wide_keep(now * last > wide_splat(0), least);
        fields->others[i] = wide_select(known, least, fields->others[i]);
        fields->added[i] = wide_select(known, now, last);
    }
}

// What is off, where it comes back no faster than `most`.
static Wide slowed(Wide off, Wide distance, Wide most, Wide rate) {
    Wide fastest = rate * distance;
    return wide_select(fastest > most, most / fastest * off, off);
}

// The speed at which a bound of so much acceleration brakes in time, with most of it for what else
// pulls: what comes back from where it was torn away is not to swing about its place for ever.
static Wide braked(Wide acceleration, Wide distance) {
    return wide_sqrt(SHARE_OF_BRAKES * acceleration * distance);
}

// Of one row: at limits of the one that it is beyond, or will be after the substep, and only
// towards what they allow, slowly: nothing brakes it there. A spring that acts along it too has its
// share of the bound.
static Wide hold_row(const Articulation *articulation, const PhArticulationWork *work,
                     const Fields *fields, int row, Wide coordinate, Wide v, Wide k) {
    const Wide error = fields->hold_error, velocity = fields->hold_velocity;
    const WideMask tuned = (WideMask)(fields->tuned != wide_splat(0));
    Wide off = coordinate;
    WideMask acts = wide_all(), low = wide_none(), high = wide_none();
    if (row == work->stop) {
        Wide next = coordinate + articulation->run->h * v;
        WideMask held = fields->lower == fields->upper;
        low = (next < fields->lower) & ~held;
        high = (next > fields->upper) & ~held;
        off = wide_select(low | held, coordinate - fields->lower,
                          wide_keep(high, coordinate - fields->upper));
        acts = low | high | held;
    }
    Wide most = row == 0 ? fields->most_force : fields->most_torque, distance = wide_abs(off);
    Wide rate = error / velocity;
    bool length = row == work->stop && ph_joint_kind(work->kind)->length;
    double slop = length ? articulation->run->parameters->lengths->stop_slop : STOP_SLOP_ANGLE;
    Wide fastest = wide_select(low | high, STOP_RATE * distance + slop * rate,
                               braked(most / articulation->run->h * k, distance));
    // A limit with a tuning of its own is a spring on one side.
    off = wide_select(tuned & (low | high), off, slowed(off, distance, fastest, rate));
    Wide impulse = wide_keep(acts, -(velocity * predicted(fields, row, v) + error * off) / k);
    impulse = wide_keep(~((low & (impulse < 0)) | (high & (impulse > 0))), impulse);
    Wide given = has(work->sprung, row) ? fields->force[row] : wide_splat(0);
    impulse = wide_select(impulse > most - given, most - given, impulse);
    return wide_select(impulse < -most - given, -most - given, impulse);
}

// Of several: a force in two rows and a torque, or a force in one and a torque.
static void hold_rows(const Articulation *articulation, const PhArticulationWork *work,
                      const Fields *fields, const ConstraintRow *rows, const Wide v[3],
                      const Wide k[6], Wide impulse[3]) {
    static const int8_t point[3] = {0, 1, 2}, slide[3] = {0, 2, 1};
    static const uint8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const int8_t *order = ph_row_is_angle(work->kind, 2) ? point : slide; // the torque is the last
    const Wide error = fields->hold_error, velocity = fields->hold_velocity;
    Wide own[6], inverse[6], off[3], asked[3], best[3], bounded[3];
    const Wide inv_h = wide_splat(1 / articulation->run->h);
    for (int i = 0; i < 3; i++) {
        off[i] = has(work->firm, order[i]) ? rows[order[i]].coordinate : wide_splat(0);
        for (int j = i; j < 3; j++) {
            own[at[i][j]] = k[at[order[i]][order[j]]];
        }
    }
    // No more than the least acceleration that a force gives in any direction.
    Wide least = order == slide ? own[0] : (own[0] * own[3] - own[1] * own[1]) / (own[0] + own[3]);
    Wide rate = error / velocity, distance = length2(off), turn = wide_abs(off[2]);
    Wide fastest = braked(inv_h * fields->most_force * least, distance);
    Wide fastest_turn = braked(inv_h * fields->most_torque * own[5], turn);
    for (int i = 0; i < 3; i++) {
        off[i] = i == 2 ? slowed(off[2], turn, fastest_turn, rate)
                        : slowed(off[i], distance, fastest, rate);
        asked[i] = wide_splat(0);
        if (has(work->firm, order[i])) {
            asked[i] = velocity * predicted(fields, order[i], v[order[i]]) + error * off[i];
        }
    }
    sym_invert(own, inverse);
    sym_apply(inverse, asked, best);
    limit_bounded(own, asked, fields->most_force, fields->most_torque, bounded);
    WideMask bound =
        (length2(best) > fields->most_force) | (wide_abs(best[2]) > fields->most_torque);
    for (int i = 0; i < 3; i++) {
        impulse[order[i]] = wide_select(bound, bounded[i], -best[i]);
    }
}

// Takes rigid rows out of what the others do to each other, as if they held already.
static void leave_out(uint8_t rigid, Wide k[6], Wide v[3]) {
    static const uint8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const Wide zero = wide_splat(0), one = wide_splat(1);
    for (int r = 0; r < 3; r++) {
        if (!has(rigid, r)) {
            continue;
        }
        Wide inv = 1 / k[at[r][r]], with[3] = {k[at[r][0]], k[at[r][1]], k[at[r][2]]};
        for (int i = 0; i < 3; i++) {
            v[i] -= i == r ? zero : with[i] * inv * v[r];
            for (int j = i; j < 3; j++) {
                k[at[i][j]] -= with[i] * inv * with[j];
            }
        }
        k[at[r][0]] = k[at[r][1]] = k[at[r][2]] = zero;
        k[at[r][r]] = one;
        v[r] = zero;
    }
}

static void hold_gear(const Articulation *articulation, const PhArticulationWork *work,
                      Fields *fields) {
    const uint32_t at[4] = {work->side[0], work->side[1], work->frame[0], work->frame[1]};
    ArticulationBody bodies[4];
    ConstraintRow rows[2];
    int first[4];
    Wide v = wide_splat(0), k = v, moved[4][3];
    for (int i = 0; i < 4; i++) {
        load_body(articulation, at[i], &bodies[i]);
        for (first[i] = 0; at[first[i]] != at[i];) {
            first[i]++;
        }
        moved[i][0] = moved[i][1] = moved[i][2] = wide_splat(0);
    }
    const ArticulationBody *const of_a[2] = {&bodies[2], &bodies[3]};
    const ArticulationBody *const of_b[2] = {&bodies[0], &bodies[1]};
    fill_gear(articulation, work, fields, of_a, of_b, rows);
    const Wide *jacobian[4] = {rows[0].a, rows[0].b, rows[1].a, rows[1].b};
    for (int i = 0; i < 4; i++) {
        v += dot3(jacobian[i], bodies[i].v);
        apply_to_body(&bodies[i], jacobian[i], wide_splat(1), moved[first[i]]);
    }
    for (int i = 0; i < 4; i++) {
        k += dot3(jacobian[i], moved[first[i]]);
    }
    if (is_noted(articulation)) {
        const Wide all[3] = {v, v, v};
        note_others(work, fields, all);
        return;
    }
    Wide impulse = hold_row(articulation, work, fields, 0, rows[0].coordinate, v, k);
    impulse = wide_keep(wide_abs(impulse) < wide_splat(INFINITY), impulse);
    fields->left[0] = v + k * impulse;
    for (int i = 0; i < 4; i++) {
        apply_to_body(&bodies[i], jacobian[i], impulse, bodies[first[i]].v);
    }
    for (int i = 0; i < 4; i++) {
        if (first[i] == i) {
            store_body(articulation, &bodies[i], bodies[i].v, wide_all());
        }
    }
    add_to_sums(fields, &rows[0], impulse);
}

// Holds with a bound or a tuning of its own, by a spring: what an exact solution gives knows
// neither. Or, as a substep begins, notes what all else has done since.
static void act_hold(const Articulation *articulation, const PhArticulationWork *work,
                     Fields *fields) {
    const Wide infinite = wide_splat(INFINITY), zero = wide_splat(0);
    uint8_t firm = work->firm, rigid = work->rigid;
    ArticulationBody a, b;
    Pose pose;
    ConstraintRow rows[PH_JOINT_ROWS];
    Wide k[6], free[6], v[3], impulse[3] = {zero, zero, zero}, held[3] = {zero, zero, zero};
    if (work->gear) {
        hold_gear(articulation, work, fields);
        return;
    }
    load_body(articulation, work->side[0], &a);
    load_body(articulation, work->side[1], &b);
    pose_of(&fields->place, &a, &b, &pose);
    fill_kind(work->kind, &fields->place.terms, &pose, rows);
    if (ph_joint_kind(work->kind)->holds_point) { // torn apart, forces on both have one line too
        fill_point(&pose, true, rows);
    }
    couple_rows(rows, firm | rigid, &a, &b, k);
    for (int i = 0; i < 3; i++) {
        v[i] = has(firm | rigid, i) ? dot3(rows[i].a, a.v) + dot3(rows[i].b, b.v) : zero;
    }
    memcpy(free, k, sizeof free);
    leave_out(rigid, free, v);
    if (is_noted(articulation)) {
        note_others(work, fields, v);
        return;
    }
    if (firm & (firm - 1)) {
        hold_rows(articulation, work, fields, rows, v, free, impulse);
    } else {
        static const int diagonal[3] = {0, 3, 5};
        int i = has(firm, 0) ? 0 : has(firm, 1) ? 1 : 2;
        impulse[i] =
            hold_row(articulation, work, fields, i, rows[i].coordinate, v[i], free[diagonal[i]]);
    }
    for (int i = 0; i < 3; i++) {
        bool acts = has(firm, i);
        impulse[i] = acts ? wide_keep(wide_abs(impulse[i]) < infinite, impulse[i]) : zero;
    }
    sym_apply(free, impulse, fields->left);
    for (int i = 0; i < 3; i++) {
        fields->left[i] += v[i];
    }
    if (rigid && articulation->pack->direct) {
        hold_against(rigid, k, impulse, held);
    }
    for (int i = 0; i < 3; i++) {
        if (!has(firm | rigid, i)) {
            continue;
        }
        fields->held[i] += held[i];
        apply_to_body(&a, rows[i].a, impulse[i] + held[i], a.v);
        apply_to_body(&b, rows[i].b, impulse[i] + held[i], b.v);
        if (has(firm, i)) {
            add_to_sums(fields, &rows[i], impulse[i]);
        }
    }
    store_body(articulation, &a, a.v, wide_all());
    store_body(articulation, &b, b.v, wide_all());
}

// Springs and drives of joints in lanes: part of articulation_source.h.
//
// With x = w h (w the angular frequency, z the damping ratio), C the error of a spring and v the
// velocity J v of its bodies as a substep begins, the spring gives its force f = -h w^2 C (times
// the mass that its row meets) before anything is held. Then all that is held is solved, contacts
// act, and positions move, with u = v + G, where G is what all of this has come to along the row.
// Before the relaxation the damper acts:
//     v' = u - s u - l G,  C' = C + h u,
//     s = 1 - d - l x^2,  l = (t - 1 + x^2 - d) / x^2,
//     d = exp(-2 z x),  t = 2 sqrt(d) cos(x sqrt(1 - z^2)).
// Of one spring, where G = f + h g, the map has the determinant d and the trace t, as that of the
// differential equation. At rest v, u and G are zero, whatever else pulls or is held: each spring
// has its force, w^2 C, and nothing more. So all springs hang as Hooke's law has it, in rows, below
// what other joints hold, and under contacts. l is about z x + x^2 / 12, of which the second part
// alone would be no damper: it is kept no larger than the first. Without damping s = l = 0, and the
// map is symplectic; its frequency is too high by x^2 / 24 in parts.
//
// Dampers act one after the other, and each sees what others have done, but for G, which all have
// found before: what one has taken from a body that other joints hold is partly given back in the
// relaxation. So each takes kinetic energy but for l G, which is no more than its forces are.
//
// Where x is above 1/2 or z x above 3/10, implicit Euler stands in, which is stable whatever else
// pulls at the bodies, and so are drives and springs with a bound: one impulse per substep, from
// the velocities after gravity and before anything is held. With g what gravity and forces added in
// this substep, both as they are once the rigid rows of the same joint hold,
//     v' = v - b1 (v - g) - b2 v - a C,
//     b1 + b2 = 1 - d,  h a = 1 + d - 2 sqrt(d) cos(x sqrt(1 - z^2)),  b2 = 1 - h a / x^2
// of springs with a bound, whose map is that of the equation; of implicit Euler b1 = 0. For springs
// of hinges x counts as 3/2 at most. To these the springs that have given their force are forces
// too, which g counts.
//
// The stiffness of a spring is w^2 times the mass that its solver bodies meet where it rests, and
// stays so wherever the bodies go. A stiffness that followed the mass of each moment would be no
// spring: what goes out one way and comes back another could gain.

// What the rows of a joint that are in use do to each other.
static void couple_rows(const ConstraintRow *rows, uint8_t used, const ArticulationBody *a,
                        const ArticulationBody *b, Wide k[6]) {
    static const uint8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const Wide zero = wide_splat(0), one = wide_splat(1);
    k[0] = k[3] = k[5] = one;
    k[1] = k[2] = k[4] = zero;
    for (int i = 0; i < 3; i++) {
        Wide da[3] = {zero, zero, zero}, db[3] = {zero, zero, zero};
        if (!has(used, i)) {
            continue;
        }
        apply_to_body(a, rows[i].a, one, da);
        apply_to_body(b, rows[i].b, one, db);
        for (int j = i; j < 3; j++) {
            if (has(used, j)) {
                k[at[i][j]] = dot3(rows[j].a, da) + dot3(rows[j].b, db);
            }
        }
    }
}

// The part of a place of a stiffness, along the axes of the world: xx, xy, yy.
PH_FOUR_INLINE void turn_stiffness(const Wide s[6], const Wide q[2], Wide out[3]) {
    Wide c = q[0] * q[0], d = q[1] * q[1], cd = q[0] * q[1];
    out[0] = c * s[0] - 2 * cd * s[1] + d * s[3];
    out[1] = cd * (s[0] - s[3]) + (c - d) * s[1];
    out[2] = d * s[0] + 2 * cd * s[1] + c * s[3];
}

// ph_joint_carry_stiffness() in lanes; off, as there, is added to along the axes of the world.
static void carry_stiffness(const Fields *fields, const Wide q[2], Wide carried[6], Wide off[3]) {
    Wide more[2];
    for (uint32_t l = 0; l < PH_WIDE; l++) {
        double s[6], turned[6], away[2];
        for (int i = 0; i < 6; i++) {
            s[i] = wide_get(fields->stiffness[i], l);
        }
        ph_joint_carry_stiffness(s, wide_get(off[2], l), turned, away);
        for (int i = 0; i < 6; i++) {
            wide_set(&carried[i], l, turned[i]);
        }
        wide_set(&more[0], l, away[0]);
        wide_set(&more[1], l, away[1]);
    }
    off[0] += q[0] * more[0] - q[1] * more[1];
    off[1] += q[1] * more[0] + q[0] * more[1];
}

// What the spring's rows are off, as it would be were the masses those where it rests: with S the
// stiffness over w^2 and K as above, of the sprung rows with the rigid ones held, that is
// K S (coordinate - rest), where S of place and angle turns with b (carry_stiffness); less where K
// is so large that a substep could not follow. A hinge or slide has the same stiffness wherever its
// bodies are but for what they do to each other by their levers, and the place of a mouse does not
// come here.
static void strain_of(const PhArticulationWork *work, const Fields *fields,
                      const ConstraintRow *rows, const Pose *pose, const Wide k[6],
                      const Wide inverse[6], Wide h, Wide strain[3]) {
    static const int diagonal[3] = {0, 3, 5};
    const Wide zero = wide_splat(0), one = wide_splat(1);
    const Wide *q = pose->rot_a, *s = fields->stiffness;
    Wide off[3], pulled[3], grown, carried[6];
    for (int i = 0; i < 3; i++) {
        off[i] = strain[i] = has(work->sprung, i) ? rows[i].coordinate - fields->rest : zero;
    }
    if (!ph_joint_keeps_stiffness(work->kind)) {
        return;
    }
    if (work->sprung == 7) { // along the axes of the world
        carry_stiffness(fields, q, carried, off);
        s = carried;
        Wide local[3] = {q[0] * off[0] + q[1] * off[1], q[0] * off[1] - q[1] * off[0], off[2]};
        sym_apply(s, local, pulled);
        Wide x = pulled[0];
        pulled[0] = q[0] * x - q[1] * pulled[1];
        pulled[1] = q[1] * x + q[0] * pulled[1];
        sym_apply(k, pulled, strain);
        // No less than the largest factor by which K has grown, where the least is 1: the trace of
        // K S less 2.
        Wide c = q[0] * q[0], d = q[1] * q[1], cd = 2 * q[0] * q[1];
        Wide xx = c * s[0] - cd * s[1] + d * s[3], yy = d * s[0] + cd * s[1] + c * s[3];
        Wide xy = q[0] * q[1] * (s[0] - s[3]) + (c - d) * s[1];
        Wide xw = q[0] * s[2] - q[1] * s[4], yw = q[1] * s[2] + q[0] * s[4];
        grown = k[0] * xx + k[3] * yy + k[5] * s[5] + 2 * (k[1] * xy + k[2] * xw + k[4] * yw) - 2;
    } else if (work->sprung == 3) { // with the angle held; along the axes of the world
        Wide local[2] = {q[0] * off[0] + q[1] * off[1], q[0] * off[1] - q[1] * off[0]}, turned[3];
        Wide inv = 1 / (inverse[0] * inverse[3] - inverse[1] * inverse[1]);
        turn_stiffness(s, q, turned);
        pulled[0] = s[0] * local[0] + s[1] * local[1];
        pulled[1] = s[1] * local[0] + s[3] * local[1];
        Wide x = q[0] * pulled[0] - q[1] * pulled[1], y = q[1] * pulled[0] + q[0] * pulled[1];
        strain[0] = inv * (inverse[3] * x - inverse[1] * y);
        strain[1] = inv * (inverse[0] * y - inverse[1] * x);
        grown =
            inv * (inverse[3] * turned[0] - 2 * inverse[1] * turned[1] + inverse[0] * turned[2]) -
            1;
    } else {
        int i = has(work->sprung, 0) ? 0 : has(work->sprung, 1) ? 1 : 2;
        grown = s[diagonal[i]] / inverse[diagonal[i]];
        strain[i] = grown * off[i];
    }
    Wide stiff = h * fields->error * grown;
    Wide share = wide_select(stiff > one, 1 / stiff, one);
    for (int i = 0; i < 3; i++) {
        strain[i] *= share;
    }
}

// The impulse f of at most a length that leaves least of what is asked: K f + asked = -m f with the
// least m >= 0 for which it is no longer (J. More, D. Sorensen, "Computing a Trust Region Step"
// (1983)). m is found from below, by Newton's method on 1 / |f|, which is nearly straight.
static void limit_within(Wide xx, Wide xy, Wide yy, const Wide asked[2], Wide most, Wide f[2]) {
    enum { ROUNDS = 10 };
    Wide m = wide_splat(0);
    WideMask longer = wide_none();
    for (int round = 0; round < ROUNDS; round++) {
        Wide x = xx + m, y = yy + m, inv = 1 / (x * y - xy * xy);
        f[0] = -inv * (y * asked[0] - xy * asked[1]);
        f[1] = -inv * (x * asked[1] - xy * asked[0]);
        Wide length = length2(f);
        longer = length > most;
        if (!wide_any(longer)) {
            return;
        }
        Wide along = inv * (y * f[0] * f[0] - 2 * xy * f[0] * f[1] + x * f[1] * f[1]);
        Wide more = (length / most - 1) * length * length / along;
        m += wide_keep(longer & (more > 0) & (more < wide_splat(INFINITY)), more);
    }
    Wide share = most / length2(f);
    for (int i = 0; i < 2; i++) {
        f[i] = wide_select(longer, wide_keep(most > 0, share * f[i]), f[i]);
    }
}

// The impulses of a force in rows 0 and 1 and a torque in row 2 that are bounded: where one of them
// is at its bound, the other does what is asked of it none the less. What is left is a convex
// function of the torque, so where the best torque is too large, its bound is the best of those
// allowed.
static void limit_bounded(const Wide k[6], const Wide asked[3], Wide most_force, Wide most_torque,
                          Wide impulse[3]) {
    Wide share[2] = {k[2] / k[5], k[4] / k[5]};
    Wide rest[2] = {asked[0] - share[0] * asked[2], asked[1] - share[1] * asked[2]}, other[2];
    limit_within(k[0] - share[0] * k[2], k[1] - share[0] * k[4], k[3] - share[1] * k[4], rest,
                 most_force, impulse);
    Wide torque = -(asked[2] + k[2] * impulse[0] + k[4] * impulse[1]) / k[5];
    WideMask above = torque > most_torque, below = torque < -most_torque;
    impulse[2] = wide_select(above, most_torque, wide_select(below, -most_torque, torque));
    if (!wide_any(above | below)) {
        return;
    }
    rest[0] = asked[0] + k[2] * impulse[2];
    rest[1] = asked[1] + k[4] * impulse[2];
    limit_within(k[0], k[1], k[3], rest, most_force, other);
    for (int i = 0; i < 2; i++) {
        impulse[i] = wide_select(above | below, other[i], impulse[i]);
    }
}

static void load_drive(const Articulation *articulation, const ArticulationBody *body,
                       Wide drive[4]) {
    wide_load_quads((const float(*)[4])articulation->run->layout->arrays->solver_bodies.drive,
                    body->solver_body, drive);
}

// Lets a body have gained what it has got since it was loaded.
static void gain(const Articulation *articulation, const ArticulationBody *body,
                 float kept[PH_WIDE][4]) {
    float(*drive)[4] = articulation->run->layout->arrays->solver_bodies.drive;
    if (body->fixed) {
        return;
    }
    for (uint32_t l = 0; l < PH_WIDE; l++) {
        memcpy(kept[l], drive[body->solver_body[l]], sizeof kept[l]);
    }
    for (uint32_t l = 0; l < articulation->pack->count; l++) {
        for (int k = 0; k < 3; k++) {
            drive[body->solver_body[l]][k] += (float)wide_get(body->v[k] - body->start[k], l);
        }
    }
}

// What is asked of the rows: of sprung ones what the spring wants, of rigid ones what turns what
// is known about a sprung row into what it will be when they hold.
static void ask(const Articulation *articulation, const PhArticulationWork *work,
                const Fields *fields, const ConstraintRow *rows, const ArticulationBody *a,
                const ArticulationBody *b, const Wide strain[3], Wide asked[3]) {
    WideMask split = (WideMask)(fields->split != wide_splat(0));
    Wide drive_a[4], drive_b[4];
    load_drive(articulation, a, drive_a);
    load_drive(articulation, b, drive_b);
    for (int k = 0; k < 3; k++) {
        bool sprung = has(work->sprung, k);
        asked[k] = wide_splat(0);
        if (!has(work->sprung | work->holds, k)) {
            continue;
        }
        Wide pull = fields->pull * strain[k];
        if (articulation->pass->operation == PH_ARTICULATION_FORCE) {
            asked[k] = articulation->shift ? pull : wide_keep(split, pull);
            continue;
        }
        Wide velocity = dot3(rows[k].a, a->v) + dot3(rows[k].b, b->v);
        Wide gained = dot3(rows[k].a, drive_a) + dot3(rows[k].b, drive_b);
        if (articulation->pack->leans) {
            Wide more = dot3(rows[k].a, a->with) + dot3(rows[k].b, b->with);
            velocity += more;
            gained += more;
        }
        Wide rest = fields->error * strain[k];
        Wide wanted = sprung ? fields->wanted[k] : wide_splat(0);
        asked[k] = fields->velocity * (velocity - wanted) - fields->gained * gained + rest;
        asked[k] = wide_keep(~split, asked[k]);
    }
}

// m x = b.
static void solve_three(Wide m[3][3], const Wide b[3], Wide x[3]) {
    Wide across[3][3];
    for (int i = 0; i < 3; i++) {
        const Wide *u = m[(i + 1) % 3], *v = m[(i + 2) % 3];
        for (int j = 0; j < 3; j++) {
            across[i][j] = u[(j + 1) % 3] * v[(j + 2) % 3] - u[(j + 2) % 3] * v[(j + 1) % 3];
        }
    }
    Wide inv = 1 / dot3(m[0], across[0]);
    for (int j = 0; j < 3; j++) {
        x[j] = inv * (across[0][j] * b[0] + across[1][j] * b[1] + across[2][j] * b[2]);
    }
}

// Impulses m f = asked with a bound of the place's and one of the angle's: where one is at its
// bound, the other is what is asked of it then.
static void limit_apart(Wide m[3][3], const Wide asked[3], Wide most_force, Wide most_torque,
                        Wide f[3]) {
    WideMask bound = (length2(f) > most_force) | (wide_abs(f[2]) > most_torque);
    if (!wide_any(bound)) {
        return;
    }
    Wide torque = wide_select(f[2] > most_torque, most_torque,
                              wide_select(f[2] < -most_torque, -most_torque, f[2]));
    Wide x = asked[0] - m[0][2] * torque, y = asked[1] - m[1][2] * torque;
    Wide inv = 1 / (m[0][0] * m[1][1] - m[0][1] * m[1][0]);
    Wide force[2] = {inv * (m[1][1] * x - m[0][1] * y), inv * (m[0][0] * y - m[1][0] * x)};
    Wide length = length2(force);
    WideMask longer = length > most_force;
    for (int i = 0; i < 2; i++) {
        force[i] = wide_select(longer, most_force / length * force[i], force[i]);
        f[i] = wide_select(bound, force[i], f[i]);
    }
    torque = (asked[2] - m[2][0] * force[0] - m[2][1] * force[1]) / m[2][2];
    torque = wide_select(torque > most_torque, most_torque, torque);
    torque = wide_select(torque < -most_torque, -most_torque, torque);
    f[2] = wide_select(bound, torque, f[2]);
}

// Impulses of two springs in one joint, of the place and of the angle: of one that gives its force
// first that, of one that is implicit
//     (1 - b1 - b2) f + (b1 + b2) B (v + K f) = b1 K^-1 g - a B C
// with f the impulses, K what rows do to each other, B the masses that each part meets where it
// rests with the other one held, v and g as above, and the factors those of each part:
// were the other part held, and B K = 1, it is what one spring alone has; damping acts on what the
// velocities become, however far the levers make them follow.
static void separate(const Articulation *articulation, const Fields *fields,
                     const ConstraintRow *rows, const ArticulationBody *a,
                     const ArticulationBody *b, const Pose *pose, const Wide k[6],
                     const Wide inverse[6], Wide impulse[3]) {
    static const uint8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const Wide zero = wide_splat(0), one = wide_splat(1);
    const bool shift = articulation->shift;
    const WideMask split[2] = {shift ? wide_all() : (WideMask)(fields->split != zero),
                               shift ? wide_all() : (WideMask)(fields->turn_split != zero)};
    Wide place[3], off[3], drive_a[4], drive_b[4], v[3], g[3], pressed[3];
    turn_stiffness(fields->stiffness, pose->rot_a, place);
    Wide angle = fields->stiffness[5];
    for (int i = 0; i < 3; i++) {
        off[i] = rows[i].coordinate;
    }
    Wide strain[3] = {place[0] * off[0] + place[1] * off[1], place[1] * off[0] + place[2] * off[1],
                      angle * off[2]};
    // Bodies that have been torn far apart follow a force by so much that a substep cannot.
    Wide h = wide_splat(articulation->run->h);
    Wide stiff = wide_keep(split[0], fields->pull * (k[0] * place[0] + 2 * k[1] * place[1] +
                                                     k[3] * place[2])) +
                 wide_keep(split[1], fields->turn_pull * k[5] * angle);
    stiff *= h;
    Wide share = wide_select(stiff > one, 1 / stiff, one);
    Wide pull[2] = {share * fields->pull, share * fields->turn_pull};
    if (articulation->pass->operation == PH_ARTICULATION_FORCE) {
        for (int i = 0; i < 3; i++) {
            impulse[i] = wide_keep(split[i / 2], -pull[i / 2] * strain[i]);
        }
        return;
    }
    load_drive(articulation, a, drive_a);
    load_drive(articulation, b, drive_b);
    for (int i = 0; i < 3; i++) {
        v[i] = dot3(rows[i].a, a->v) + dot3(rows[i].b, b->v);
        g[i] = dot3(rows[i].a, drive_a) + dot3(rows[i].b, drive_b);
    }
    sym_apply(inverse, g, pressed);
    const Wide damping[2] = {wide_keep(~split[0], fields->velocity),
                             wide_keep(~split[1], fields->turn_velocity)};
    const Wide gained[2] = {wide_keep(~split[0], fields->gained),
                            wide_keep(~split[1], fields->turn_gained)};
    const Wide error[2] = {wide_keep(~split[0], fields->error),
                           wide_keep(~split[1], fields->turn_error)};
    const Wide masses[3][3] = {
        {place[0], place[1], zero}, {place[1], place[2], zero}, {zero, zero, angle}};
    Wide m[3][3], asked[3];
    for (int i = 0; i < 3; i++) {
        const Wide *row = masses[i], share_of_row = damping[i / 2];
        for (int j = 0; j < 3; j++) {
            m[i][j] =
                share_of_row * (row[0] * k[at[0][j]] + row[1] * k[at[1][j]] + row[2] * k[at[2][j]]);
            m[i][j] += i == j ? 1 - share_of_row : zero;
        }
        const Wide left[3] = {v[0] - fields->wanted[0], v[1] - fields->wanted[1],
                              v[2] - fields->wanted[2]};
        asked[i] =
            gained[i / 2] * pressed[i] - share_of_row * dot3(row, left) - error[i / 2] * strain[i];
    }
    solve_three(m, asked, impulse);
    limit_apart(m, asked, fields->most_force, fields->most_torque, impulse);
}

// Impulses of one spring or drive of all rows that are sprung.
static void solve_as_one(const Articulation *articulation, const PhArticulationWork *work,
                         const Fields *fields, const ConstraintRow *rows, const ArticulationBody *a,
                         const ArticulationBody *b, const Pose *pose, const Wide k[6],
                         const Wide inverse[6], Wide impulse[3]) {
    const Wide infinite = wide_splat(INFINITY), zero = wide_splat(0);
    Wide strain[3], asked[3], bounded[3];
    strain_of(work, fields, rows, pose, k, inverse, wide_splat(articulation->run->h), strain);
    ask(articulation, work, fields, rows, a, b, strain, asked);
    sym_apply(inverse, asked, impulse);
    for (int i = 0; i < 3; i++) {
        // Rows of anchors that are torn very far apart may not be told from each other.
        WideMask pushes = wide_abs(impulse[i]) < infinite;
        impulse[i] = has(work->sprung, i) ? wide_keep(pushes, -impulse[i]) : zero;
    }
    WideMask bound =
        (length2(impulse) > fields->most_force) | (wide_abs(impulse[2]) > fields->most_torque);
    if (!wide_any(bound) || ph_joint_spring_is_free(ph_joint_kind(work->kind))) {
        return;
    }
    limit_bounded(k, asked, fields->most_force, fields->most_torque, bounded);
    for (int i = 0; i < 3; i++) {
        WideMask pushes = wide_abs(bounded[i]) < infinite;
        impulse[i] = wide_select(bound, wide_keep(pushes, bounded[i]), impulse[i]);
    }
}

// What all that a tree holds makes of what its bodies have gained: a weight that something else
// bears is none to a spring. To `with` of the bodies.
static void lean(Articulation articulation) {
    articulation.shift = true;
    for (uint32_t i = 0; i < articulation.pack->body_count; i++) {
        ArticulationBody *body = &articulation.bodies[i];
        Wide drive[4];
        load_body(&articulation, i, body);
        body->bare = true;
        load_drive(&articulation, body, drive);
        for (int k = 0; k < 3; k++) {
            body->start[k] = body->fixed ? wide_splat(0) : drive[k];
        }
    }
    for (uint32_t l = 0; l < articulation.link_count; l++) {
        articulation.bodies[articulation.links[l].parent].bare = false;
    }
    for (uint32_t l = 0; l < articulation.count; l++) {
        fill_factor(&articulation, l);
    }
    solve_tree(&articulation);
    for (uint32_t i = 0; i < articulation.pack->body_count; i++) {
        ArticulationBody *body = &articulation.bodies[i];
        for (int k = 0; k < 3; k++) {
            body->with[k] = body->v[k] + body->sum[k] - body->start[k];
        }
    }
}

// What the rows that a joint holds, with these sprung ones, give against the impulses of the
// others: none of them moves by those.
static void hold_against(uint8_t rigid, const Wide k[6], const Wide impulse[3], Wide held[3]) {
    static const uint8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const Wide zero = wide_splat(0), one = wide_splat(1), infinite = wide_splat(INFINITY);
    Wide own[6], inverse[6], moved[3];
    for (int i = 0; i < 3; i++) {
        moved[i] = zero;
        for (int j = i; j < 3; j++) {
            own[at[i][j]] = has(rigid, i) && has(rigid, j) ? k[at[i][j]] : i == j ? one : zero;
        }
        for (int j = 0; j < 3 && has(rigid, i); j++) {
            moved[i] -= k[at[i][j]] * impulse[j];
        }
    }
    sym_invert(own, inverse);
    sym_apply(inverse, moved, held);
    for (int i = 0; i < 3; i++) {
        held[i] = wide_keep(wide_abs(held[i]) < infinite, held[i]);
    }
}

static void act_spring(const Articulation *articulation, PhArticulationWork *work, Fields *fields) {
    const Wide infinite = wide_splat(INFINITY), zero = wide_splat(0);
    uint8_t sprung = work->sprung;
    bool first = articulation->pass->operation == PH_ARTICULATION_FORCE;
    bool shift = articulation->shift;
    if (!sprung ||
        (first && !shift &&
         !wide_any((WideMask)(fields->split != zero) | (WideMask)(fields->turn_split != zero)))) {
        return;
    }
    ArticulationBody a, b;
    Pose pose;
    ConstraintRow rows[PH_JOINT_ROWS];
    Wide k[6], inverse[6], impulse[3];
    load_body(articulation, work->side[0], &a);
    load_body(articulation, work->side[1], &b);
    if (articulation->pack->leans && !first) {
        memcpy(a.with, articulation->bodies[work->side[0]].with, sizeof a.with);
        memcpy(b.with, articulation->bodies[work->side[1]].with, sizeof b.with);
    }
    pose_of(&fields->place, &a, &b, &pose);
    fill_kind(work->kind, &fields->place.terms, &pose, rows);
    couple_rows(rows, sprung | work->holds, &a, &b, k);
    sym_invert(k, inverse);
    if (work->apart) {
        if (!has(sprung, 2)) { // a place alone
            memset(&rows[2], 0, sizeof rows[2]);
        }
        separate(articulation, fields, rows, &a, &b, &pose, k, inverse, impulse);
        for (int i = 0; i < 3; i++) {
            impulse[i] = wide_keep(wide_abs(impulse[i]) < infinite, impulse[i]);
        }
    } else {
        solve_as_one(articulation, work, fields, rows, &a, &b, &pose, k, inverse, impulse);
    }
    WideMask met = (WideMask)(fields->grouped != zero);
    for (int i = 0; !first && wide_any(met) && i < 3; i++) {
        impulse[i] = wide_keep(~met, impulse[i]);
    }
    for (int i = 0; shift && i < 3; i++) {
        if (has(sprung, i)) {
            apply_to_body(&a, rows[i].a, impulse[i], a.v);
            apply_to_body(&b, rows[i].b, impulse[i], b.v);
        }
    }
    if (shift) {
        gain(articulation, &a, work->kept[0]);
        gain(articulation, &b, work->kept[1]);
        return;
    }
    if (work->rigid && articulation->pack->direct) {
        Wide held[3];
        hold_against(work->rigid, k, impulse, held);
        for (int i = 0; i < 3; i++) {
            if (!has(work->rigid, i)) {
                continue;
            }
            fields->held[i] += held[i];
            apply_to_body(&a, rows[i].a, held[i], a.v);
            apply_to_body(&b, rows[i].b, held[i], b.v);
        }
    }
    for (int i = 0; i < 3; i++) {
        if (!has(sprung, i)) {
            continue;
        }
        fields->sum_force[0] += impulse[i] * rows[i].along[0];
        fields->sum_force[1] += impulse[i] * rows[i].along[1];
        fields->sum_torque += wide_keep(rows[i].couple != zero, impulse[i]);
        apply_to_body(&a, rows[i].a, impulse[i], a.v);
        apply_to_body(&b, rows[i].b, impulse[i], b.v);
    }
    if (first || work->firm) {
        memcpy(fields->force, impulse, sizeof fields->force);
    }
    if (first) {
        gain(articulation, &a, work->kept[0]);
        gain(articulation, &b, work->kept[1]);
    }
    store_body(articulation, &a, a.v, wide_all());
    store_body(articulation, &b, b.v, wide_all());
}

// ------------------------------------------------------------------------------------------------
// dampers

static void add_to_sums(Fields *fields, const ConstraintRow *row, Wide impulse) {
    fields->sum_force[0] += impulse * row->along[0];
    fields->sum_force[1] += impulse * row->along[1];
    fields->sum_torque += wide_keep(row->couple != wide_splat(0), impulse * row->couple);
}

// Velocities of rows before a substep adds anything; or what has come to them since.
static void note_rows(const PhArticulationWork *work, Fields *fields, const ConstraintRow *rows,
                      const ArticulationBody *a, const ArticulationBody *b, bool gains) {
    for (int i = 0; i < 3; i++) {
        Wide v = wide_splat(0);
        if (has(work->sprung, i)) {
            v = dot3(rows[i].a, a->v) + dot3(rows[i].b, b->v);
        }
        fields->noted[i] = gains ? v - fields->noted[i] : v;
    }
}

// Impulses of two dampers in one joint, with B as in separate(), s and l what a damper takes of the
// velocity and of what that has changed by,
//     (1 - t s) f + t s B K f = -s B v - l B G:
// were the other part held, and B K = 1, v' = v - s v - l G. t lies between the midpoint,
// which is the most exact where levers make a part follow more, and implicit Euler, which damps
// whatever they do.
static void damp_apart(const Fields *fields, const Pose *pose, const Wide k[6], const Wide v[3],
                       Wide impulse[3]) {
    static const uint8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const Wide zero = wide_splat(0);
    const Wide slows[2] = {fields->slows, fields->turn_slows};
    const Wide lags[2] = {fields->lags, fields->turn_lags};
    Wide place[3], m[3][3], asked[3];
    turn_stiffness(fields->stiffness, pose->rot_a, place);
    const Wide masses[3][3] = {
        {place[0], place[1], zero}, {place[1], place[2], zero}, {zero, zero, fields->stiffness[5]}};
    for (int i = 0; i < 3; i++) {
        const Wide *row = masses[i], share = slows[i / 2], late = wide_splat(0.75) * share;
        for (int j = 0; j < 3; j++) {
            m[i][j] = late * (row[0] * k[at[0][j]] + row[1] * k[at[1][j]] + row[2] * k[at[2][j]]);
            m[i][j] += i == j ? 1 - late : zero;
        }
        asked[i] = -share * dot3(row, v) - lags[i / 2] * dot3(row, fields->noted);
    }
    solve_three(m, asked, impulse);
}

// The damper of a spring that has given its force, and what its joint holds against it, which
// counts as an impulse of the substep; or, before that, what it has to know.
static void damp_spring(const Articulation *articulation, PhArticulationWork *work,
                        Fields *fields) {
    const Wide infinite = wide_splat(INFINITY), zero = wide_splat(0);
    if (!work->sprung ||
        !wide_any((WideMask)(fields->slows != zero) | (WideMask)(fields->turn_slows != zero))) {
        return;
    }
    ArticulationBody a, b;
    Pose pose;
    ConstraintRow rows[PH_JOINT_ROWS];
    Wide k[6], inverse[6], v[3], asked[3], impulse[3], held[3] = {zero, zero, zero};
    load_body(articulation, work->side[0], &a);
    load_body(articulation, work->side[1], &b);
    pose_of(&fields->place, &a, &b, &pose);
    fill_kind(work->kind, &fields->place.terms, &pose, rows);
    if (articulation->pass->operation != PH_ARTICULATION_DAMP) {
        bool gains = articulation->pass->operation == PH_ARTICULATION_GAIN;
        note_rows(work, fields, rows, &a, &b, gains);
        return;
    }
    couple_rows(rows, work->sprung | work->holds, &a, &b, k);
    for (int i = 0; i < 3; i++) {
        v[i] = asked[i] = zero;
        if (has(work->sprung, i)) {
            v[i] = dot3(rows[i].a, a.v) + dot3(rows[i].b, b.v);
            asked[i] = fields->slows * v[i] + fields->lags * fields->noted[i];
        }
    }
    if (work->apart) {
        damp_apart(fields, &pose, k, v, impulse);
    } else {
        sym_invert(k, inverse);
        sym_apply(inverse, asked, impulse);
    }
    for (int i = 0; i < 3; i++) {
        Wide given = work->apart ? impulse[i] : -impulse[i];
        impulse[i] = has(work->sprung, i) ? wide_keep(wide_abs(given) < infinite, given) : zero;
    }
    if (work->rigid && articulation->pack->direct) {
        hold_against(work->rigid, k, impulse, held);
    }
    for (int i = 0; i < 3; i++) {
        if (!has(work->sprung | work->rigid, i)) {
            continue;
        }
        Wide all = impulse[i] + held[i];
        fields->impulse[i] += held[i];
        add_to_sums(fields, &rows[i], impulse[i]);
        apply_to_body(&a, rows[i].a, all, a.v);
        apply_to_body(&b, rows[i].b, all, b.v);
    }
    store_body(articulation, &a, a.v, wide_all());
    store_body(articulation, &b, b.v, wide_all());
}

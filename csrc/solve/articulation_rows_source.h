// The rows of the joints of an articulation: Jacobians, biases, limits and motors of a pass; part
// of articulation_source.h, which explains the symbols.

// ------------------------------------------------------------------------------------------------
// rows

PH_FOUR_INLINE void turn_by(const Wide delta[4], const Wide arm[2], Wide out[2]) {
    Wide c = 1 + delta[2], s = delta[3];
    out[0] = c * arm[0] - s * arm[1];
    out[1] = s * arm[0] + c * arm[1];
}

static void pose_of(const Place *place, const ArticulationBody *a, const ArticulationBody *b,
                    Pose *pose) {
    turn_by(a->delta, place->arm_a, pose->arm_a);
    turn_by(b->delta, place->arm_b, pose->arm_b);
    for (int i = 0; i < 2; i++) {
        Wide moved_a = pose->arm_a[i] - place->arm_a[i];
        Wide moved_b = pose->arm_b[i] - place->arm_b[i];
        pose->reach_a[i] = place->reach_a[i] + (a->delta[i] + moved_a);
        pose->reach_b[i] = place->reach_b[i] + (b->delta[i] + moved_b);
        pose->gap[i] = place->gap[i] + (b->delta[i] - a->delta[i]) + (moved_b - moved_a);
    }
    turn_by(a->delta, place->rot_a, pose->rot_a);
    pose->angle = place->angle + (b->turned - a->turned);
    for (int k = 0; k < 3; k++) {
        pose->velocity_a[k] = a->own[k];
        pose->velocity_b[k] = b->own[k];
    }
}

// The first row of a gear has the Jacobians of the bodies b of its joints, the second those of the
// bodies a.
static void fill_gear(const Articulation *articulation, const PhArticulationWork *work,
                      const Fields *fields, const ArticulationBody *const a[2],
                      const ArticulationBody *const b[2], ConstraintRow rows[2]) {
    const PhJointLayout *own = &articulation->run->layout->arrays->joints;
    rows[0].coordinate = -fields->rest;
    rows[0].acceleration = wide_splat(0);
    for (int side = 0; side < 2; side++) {
        const Place *place = (const Place *)(const void *)ph_articulation_part(
            own, articulation->pack, work->gear, side);
        Wide scale = side ? fields->gearing : wide_splat(1);
        Pose pose;
        ConstraintRow of[PH_JOINT_ROWS];
        pose_of(place, a[side], b[side], &pose);
        fill_kind(work->part[side], &place->terms, &pose, of);
        const ConstraintRow *row = &of[work->coordinate[side]];
        for (int i = 0; i < 3; i++) {
            (side ? rows[0].b : rows[0].a)[i] = scale * row->b[i];
            (side ? rows[1].b : rows[1].a)[i] = scale * row->a[i];
        }
        rows[0].coordinate += scale * row->coordinate;
        rows[0].acceleration += scale * row->acceleration;
        for (int i = 0; i < 2; i++) {
            rows[0].along[i] = scale * row->along[i];
        }
        rows[0].couple = scale * row->couple;
    }
}

// Rows of a link or loop closure, and its arms: a gear has none, what it pulls at does not stiffen.
static void fill_rows(const Articulation *articulation, uint32_t l, ArticulationFactor *factor) {
    const PhJointLink *link = &articulation->links[l];
    const PhArticulationWork *work = work_of(articulation, l);
    const Place *place = &fields_of(articulation, l)->place;
    const ArticulationBody *c = &articulation->bodies[link->child];
    Pose pose;
    factor->rigid = factor->axis = factor->used = 0;
    factor->pin = false;
    memset(factor->arm_a, 0, sizeof factor->arm_a);
    memset(factor->arm_b, 0, sizeof factor->arm_b);
    if (is_bare(articulation, l)) {
        return;
    }
    factor->rigid = work->rigid;
    factor->axis = work->axis;
    factor->used = work->rigid | work->axis;
    if (work->gear) {
        const ArticulationBody *bodies = articulation->bodies;
        const ArticulationBody *const of_a[2] = {&bodies[link->frame[0]], &bodies[link->frame[1]]};
        const ArticulationBody *const of_b[2] = {&bodies[work->side[0]], &bodies[work->side[1]]};
        fill_gear(articulation, work, fields_of(articulation, l), of_a, of_b, factor->rows);
    } else {
        const ArticulationBody *a = &articulation->bodies[work->side[0]];
        const ArticulationBody *b = &articulation->bodies[work->side[1]];
        pose_of(place, a, b, &pose);
        fill_kind(work->kind, &place->terms, &pose, factor->rows);
        memcpy(factor->arm_a, pose.arm_a, sizeof factor->arm_a);
        memcpy(factor->arm_b, pose.arm_b, sizeof factor->arm_b);
    }
    bool turned = c == &articulation->bodies[work->side[0]];
    for (int k = 0; k < 3; k++) {
        factor->child[k] = turned ? factor->rows[k].a : factor->rows[k].b;
        factor->parent[k] = turned ? factor->rows[k].b : factor->rows[k].a;
    }
}

// What fill_rows comes to for a pin, whose rows are written out; where nothing has moved, its
// accelerations alone.
static void fill_pin(const Articulation *articulation, uint32_t l, ArticulationFactor *factor) {
    const PhArticulationWork *work = work_of(articulation, l);
    const Place *place = &fields_of(articulation, l)->place;
    const ArticulationBody *a = &articulation->bodies[work->side[0]],
                           *b = &articulation->bodies[work->side[1]];
    const Wide zero = wide_splat(0), one = wide_splat(1);
    ConstraintRow *rows = factor->rows;
    if (!articulation->same) {
        turn_by(a->delta, place->arm_a, factor->arm_a);
        turn_by(b->delta, place->arm_b, factor->arm_b);
        for (int k = 0; k < 2; k++) {
            Wide moved_a = factor->arm_a[k] - place->arm_a[k];
            Wide moved_b = factor->arm_b[k] - place->arm_b[k];
            rows[k].coordinate = place->gap[k] + (b->delta[k] - a->delta[k]) + (moved_b - moved_a);
            rows[k].a[k] = -one;
            rows[k].a[1 - k] = zero;
            rows[k].b[k] = rows[k].along[k] = one;
            rows[k].b[1 - k] = rows[k].along[1 - k] = rows[k].couple = zero;
        }
        rows[0].a[2] = factor->arm_a[1];
        rows[1].a[2] = -factor->arm_a[0];
        rows[0].b[2] = -factor->arm_b[1];
        rows[1].b[2] = factor->arm_b[0];
        factor->rigid = factor->used = 3;
        factor->axis = 0;
        factor->pin = true;
        bool turned = articulation->links[l].child == work->side[0];
        for (int k = 0; k < 3; k++) {
            factor->child[k] = turned ? rows[k].a : rows[k].b;
            factor->parent[k] = turned ? rows[k].b : rows[k].a;
        }
    }
    Wide turning_a = a->own[2] * a->own[2], turning_b = b->own[2] * b->own[2];
    for (int k = 0; k < 2; k++) {
        rows[k].acceleration = turning_a * factor->arm_a[k] - turning_b * factor->arm_b[k];
    }
}

// What a biased solve takes back of an error, as a velocity: of a length no more than a part of it
// in a substep of the world. Beyond, light points would only be thrown about.
PH_FOUR_INLINE Wide take_back(const Articulation *articulation, const PhArticulationWork *work,
                              Wide share, Wide error, Wide length) {
    Wide back = share * error;
    const PhStepParameters *parameters = articulation->run->parameters;
    if (!work->distance) {
        return back;
    }
    Wide most = LENGTH_SHARE * parameters->substeps / parameters->dt * length;
    return wide_select(back > most, most, wide_select(back < -most, -most, back));
}

// Limits and motor of an axis row, and a state that it can have.
static void fill_axis(const Articulation *articulation, uint32_t l, int k) {
    const PhArticulationWork *work = work_of(articulation, l);
    const Fields *fields = fields_of(articulation, l);
    ArticulationFactor *factor = &articulation->factors[l];
    const ConstraintRow *row = &factor->rows[k];
    const Wide least = wide_splat(-INFINITY), most = wide_splat(INFINITY), zero = wide_splat(0);
    double h = articulation->run->h;
    const Wide inv_h = wide_splat(1 / h);
    const Wide back = wide_splat(articulation->pass->biased ? ERROR_SHARE * (1 / h) : 0);
    const Wide curve =
        wide_splat(articulation->pass->biased ? CURVATURE_SHARE * h : 0) * row->acceleration;
    factor->low[k] = least;
    factor->high[k] = most;
    factor->speed[k] = factor->most[k] = zero;
    if (k == work->limited) { // 0 of what is no limit would be no number
        Wide below = fields->lower - row->coordinate, above = fields->upper - row->coordinate;
        Wide far = wide_select(below > 0, below, wide_keep(above < 0, above));
        Wide length = wide_select(below > 0, fields->lower, row->coordinate);
        factor->taken[k] = take_back(articulation, work, back, far, length);
        Wide low = wide_select(below > 0, factor->taken[k], inv_h * below) - curve;
        Wide high = wide_select(above < 0, factor->taken[k], inv_h * above) - curve;
        factor->low[k] = wide_select(below > least, low, least);
        factor->high[k] = wide_select(above < most, high, most);
    }
    if (k == work->motored) {
        factor->speed[k] = fields->speed;
        factor->most[k] = fields->motor;
        if (articulation->pass->bounce) {
            factor->most[k] = wide_keep(fields->motor == most, fields->motor);
        }
    }
    Wide state = fields->state[k];
    WideMask motor = factor->most[k] > 0, bounded = factor->most[k] < most;
    WideMask can = (is_state(state, PH_AXIS_LOW) & (factor->low[k] > least)) |
                   (is_state(state, PH_AXIS_HIGH) & (factor->high[k] < most)) |
                   (is_state(state, PH_AXIS_DRIVEN) & motor) |
                   (is_state(state, PH_AXIS_PUSHED) & bounded) |
                   (is_state(state, PH_AXIS_PULLED) & motor & bounded);
    Wide other = wide_select(motor, wide_splat(PH_AXIS_DRIVEN), wide_splat(PH_AXIS_PUSHED));
    factor->state[k] = wide_select(can, state, other);
}

static void fill_factor(const Articulation *articulation, uint32_t l) {
    const PhArticulationPass *pass = articulation->pass;
    const PhArticulationWork *work = work_of(articulation, l);
    const Fields *fields = fields_of(articulation, l);
    ArticulationFactor *factor = &articulation->factors[l];
    double h = articulation->run->h;
    double share = !pass->biased ? 0 : articulation->pack->direct ? ERROR_SHARE / h : pass->rate;
    const Wide curve = wide_splat(pass->biased ? CURVATURE_SHARE * h : 0), back = wide_splat(share);
    const Wide zero = wide_splat(0);
    if (work->pin) {
        fill_pin(articulation, l, factor);
        for (int k = 0; k < 2; k++) {
            factor->before[k] = fields->impulse[k];
            factor->taken[k] = back * factor->rows[k].coordinate;
            factor->bias[k] = factor->taken[k] + curve * factor->rows[k].acceleration;
        }
        return;
    }
    fill_rows(articulation, l, factor);
    for (int k = 0; k < 3; k++) {
        const ConstraintRow *row = &factor->rows[k];
        factor->before[k] = fields->impulse[k];
        factor->taken[k] = zero;
        if (has(factor->rigid, k)) {
            Wide error = k == work->limited ? row->coordinate - fields->lower : row->coordinate;
            Wide length = zero;
            if (work->distance) {
                length = wide_select(error > 0, row->coordinate, fields->lower);
            }
            factor->taken[k] = take_back(articulation, work, back, error, length);
            factor->bias[k] = factor->taken[k] + curve * row->acceleration;
        }
        if (has(factor->axis, k)) {
            fill_axis(articulation, l, k);
        }
    }
}

// The velocity that an axis row is held at.
PH_FOUR_INLINE Wide held_at(const Articulation *articulation, const ArticulationFactor *factor,
                            int k) {
    if (articulation->shift) {
        return wide_splat(0);
    }
    Wide high =
        wide_select(is_state(factor->state[k], PH_AXIS_HIGH), factor->high[k], factor->speed[k]);
    return wide_select(is_state(factor->state[k], PH_AXIS_LOW), factor->low[k], high);
}

// What a row lacks besides J v.
PH_FOUR_INLINE Wide lack_of(const Articulation *articulation, const ArticulationFactor *factor,
                            int k) {
    return has(factor->axis, k) ? -held_at(articulation, factor, k) : factor->bias[k];
}

static Wide velocity_along(const Articulation *articulation, uint32_t l, int k) {
    const ArticulationBody *c = &articulation->bodies[articulation->links[l].child];
    const ArticulationBody *p = &articulation->bodies[articulation->links[l].parent];
    const ArticulationFactor *factor = &articulation->factors[l];
    Wide sum = wide_splat(0);
    for (int i = 0; i < 3; i++) {
        sum += factor->child[k][i] * (c->v[i] + c->sum[i]) +
               factor->parent[k][i] * (p->v[i] + p->sum[i]);
    }
    return sum;
}

// Gives the ports what contacts have given them; at width 1.
static void load_ports(const Articulation *articulation) {
    const PhArticulationPorts *ports = articulation->pass->ports;
    for (uint32_t i = 0; i < ports->count; i++) {
        ArticulationBody *body = &articulation->bodies[ports->body[i]];
        const double *wrench = ports->wrench[i];
        body->v[0] += wrench[0] * body->inv_mass;
        body->v[1] += wrench[1] * body->inv_mass;
        body->v[2] += wrench[2] * body->inv_inertia;
    }
}

// Gives the impulses of rows that are not held, and names those that are.
static void give_impulses(const Articulation *articulation) {
    const Wide zero = wide_splat(0);
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        memcpy(articulation->bodies[i].v, articulation->bodies[i].start,
               sizeof articulation->bodies[i].v);
        memset(articulation->bodies[i].sum, 0, sizeof articulation->bodies[i].sum);
    }
    if (articulation->pass->operation == PH_ARTICULATION_AGAIN) {
        load_ports(articulation);
    }
    for (uint32_t l = 0; l < articulation->count; l++) {
        ArticulationFactor *factor = &articulation->factors[l];
        const Fields *fields = fields_of(articulation, l);
        ArticulationBody *c = &articulation->bodies[articulation->links[l].child];
        ArticulationBody *p = &articulation->bodies[articulation->links[l].parent];
        for (int k = 0; k < 3; k++) {
            factor->sum[k] = zero;
            if (has(factor->rigid, k)) {
                factor->solved[k] = wide_all();
            }
        }
        for (int k = 0; k < 3 && factor->axis; k++) {
            if (!has(factor->axis, k)) {
                continue;
            }
            WideMask free = is_free(factor->state[k]);
            factor->solved[k] = ~free;
            if (articulation->shift || !wide_any(free)) {
                continue;
            }
            WideMask pulled = is_state(factor->state[k], PH_AXIS_PULLED);
            Wide most = wide_select(pulled, -factor->most[k], factor->most[k]);
            factor->sum[k] = wide_keep(free, most - fields->impulse[k]);
            apply_to_body(c, factor->child[k], factor->sum[k], c->v);
            apply_to_body(p, factor->parent[k], factor->sum[k], p->v);
        }
    }
}

// Where on its staircase a row is, in lanes that may change. Returns those in which it is elsewhere
// than guessed.
static WideMask move_on(ArticulationFactor *factor, int k, Wide u, Wide impulse, WideMask may) {
    const Wide pushed = wide_splat(PH_AXIS_PUSHED), pulled = wide_splat(PH_AXIS_PULLED);
    const Wide driven = wide_splat(PH_AXIS_DRIVEN);
    const Wide at_low = wide_splat(PH_AXIS_LOW), at_high = wide_splat(PH_AXIS_HIGH);
    Wide low = factor->low[k], high = factor->high[k], s = factor->speed[k], m = factor->most[k];
    Wide was = factor->state[k];
    WideMask motor = m > 0, bounded = m < wide_splat(INFINITY);
    Wide up = wide_select(bounded, pushed, driven);
    Wide down = wide_select(motor, wide_select(bounded, pulled, driven), pushed);
    WideMask low_first = low<s, high_first = high> s;
    Wide from_low = wide_select(impulse < wide_select(motor & low_first, m, -m),
                                wide_select(low_first, up, down), at_low);
    Wide from_high = wide_select(impulse > wide_select(motor & high_first, -m, m),
                                 wide_select(high_first, down, up), at_high);
    Wide within = wide_select(impulse > m, pushed, wide_select(impulse < -m, pulled, was));
    Wide from_driven = wide_select(s < low, at_low, wide_select(s > high, at_high, within));
    WideMask is_up = is_state(was, PH_AXIS_PUSHED);
    // The motor's speed comes before the limit behind it.
    WideMask beyond = motor & ((is_up & (u > s)) | (~is_up & (u < s))) & (low <= s) & (s <= high);
    // A motor whose speed lies behind a limit pushes towards that limit alone.
    WideMask behind = motor & ((is_up & (s < low)) | (~is_up & (s > high)));
    Wide free_one = wide_select(behind, wide_select(is_up, down, up), was);
    Wide from_free = wide_select(
        beyond, driven, wide_select(u < low, at_low, wide_select(u > high, at_high, free_one)));
    Wide held = wide_select(is_state(was, PH_AXIS_HIGH), from_high, from_driven);
    held = wide_select(is_state(was, PH_AXIS_LOW), from_low, held);
    factor->state[k] = wide_select(may, wide_select(is_free(was), from_free, held), was);
    return factor->state[k] != was;
}

static bool move_all(const Articulation *articulation, bool first) {
    WideMask changed = wide_none();
    for (uint32_t l = 0; l < articulation->count; l++) {
        ArticulationFactor *factor = &articulation->factors[l];
        for (int k = 0; k < 3 && factor->axis; k++) {
            if (has(factor->axis, k)) {
                changed |= move_on(factor, k, velocity_along(articulation, l, k),
                                   fields_of(articulation, l)->impulse[k] + factor->sum[k],
                                   first ? ~changed : wide_all());
            }
        }
    }
    return wide_any(changed);
}

static double epsilon_of(const Articulation *articulation) {
    return articulation->pack->articulated ? FINE_EPSILON : EPSILON;
}

// Passes over units of joints, four of one shape at a time: part of joint_units_plain.c and
// joint_units_avx2.c, which define PH_UNIT_PASS. In a pass all rows of a unit are met at once,
// loops included.
//
// For a link with the Jacobians Jc of the child c and Jp of the parent p, and the velocity that a
// row lacks, b: Jc v_c + Jp v_p + b = 0. From the leaves to the root, with I_c the inertia of the
// child with all that hangs on it, W = I_c^-1, p_c what that pushes it by if it is held,
//     K = Jc W Jc^T,  K_kk (1 + eps),  S = K^-1,  e = Jc (v_c + W p_c) + Jp v_p + b,
//     I_p += Jp^T S Jp,  p_p -= Jp^T S e;
// back from the root (dv = W p, or 0 where it is fixed)
//     l = -S (e + Jp dv_p),  dv_c = W (p_c + Jc^T l).
// eps makes redundant rows solvable. Joints that close loops are met by a dense matrix: one sweep
// with a unit impulse along each of their rows tells how it moves all of them. So are gears, which
// act on up to four bodies; where a gear alone joins two trees, a link without rows stands for it
// among the links.
//
// In a push b is 0.2 / h of the error and 0.45 h of the acceleration of the row, the second-order
// part of where the error will be: then push and relax together keep the energy of what swings
// (H. Andersen, "Rattle" (1983)); 0.5 would be exact and sometimes gain, 0.45 loses a little.
//
// A row of an axis, with the limits low and high of its velocity u, and a motor of speed s and
// largest impulse m, lies on a falling staircase: u = low with any impulse above, +m up to u = s,
// from +m to -m there, -m up to u = high, and any impulse below there. The step that it is on is
// guessed to be the one it was on last; rows that turn out to be on another one change over, and
// the tree is solved again, MOST_TRIES times at most. A lane that is done before others meets the
// same numbers again.
//
// Invariant: lanes never exchange data, and those in use have different dynamic bodies; the others
// repeat the first one.
//
// Sources: R. Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapter 7, on impulses;
// D. Baraff, "Linear-Time Dynamics using Lagrange Multipliers" (1996).
#include "solve/joint_rows_source.h"

#define EPSILON 1e-5
#define ERROR_SHARE 0.2
#define CURVATURE_SHARE 0.45
// A pull that raises inertia by more than this within a pass has it done again.
#define SUDDEN 1.5

enum { MOST_TRIES = 4, MOST_CUT_ROWS = 32 };

// In a pass. 3x3 matrices are symmetric: xx, xy, xw, yy, yw, ww.
typedef struct UnitBody {
    const uint32_t *row;                       // by lane
    bool fixed;                                // mass and inertia infinite
    bool bare;                                 // none hangs on it
    Four mass, inertia, inv_mass, inv_inertia; // of what is not
    Four start[3], v[3];                       // before the pass; with impulses that are given
    Four delta[4], turned;
    Four dv[3], sum[3];         // of a sweep, of all sweeps
    Four p[3];                  // impulse of the subtree on the body, were it held
    Four matrix[6], inverse[6]; // inertia of the body with its subtree
} UnitBody;

// A link or cut in a pass. What belongs to rows that are not solved is 0.
typedef struct UnitFactor {
    PhUnitRow rows[PH_JOINT_ROWS];
    const Four *child[3], *parent[3];        // Jacobians, in rows
    Four bias[3];                            // of rows held whatever happens
    Four low[3], high[3], speed[3], most[3]; // of axis rows: limits of J v, motor and its impulse
    Four state[3];
    Four error[3], stiffness[6], impulse[3], sum[3];
    FourMask solved[3];
    Four arm_a[2], arm_b[2];
    uint8_t rigid, axis, used; // bits
} UnitFactor;

typedef struct Unit {
    const PhUnitPass *pass;
    const PhJointRun *run;
    const PhJointBlock *block;
    const PhJointBody *named;
    const uint32_t *rows; // by body and lane
    UnitBody *bodies;
    UnitFactor *factors; // links, then cuts
    const PhJointLink *links;
    PhUnitWork *works;
    uint32_t link_count, count; // count: and cuts
    FourMask lanes;             // in use
    bool shift;
} Unit;

static bool has(uint8_t rows, int k) {
    return rows >> k & 1;
}

static PhUnitWork *work_of(const Unit *unit, uint32_t l) {
    return &unit->works[unit->links[l].work];
}
// A link that stands for a gear among the cuts.
static bool is_bare(const Unit *unit, uint32_t l) {
    return l < unit->link_count && work_of(unit, l)->gear;
}

PH_FOUR_INLINE FourMask is_state(Four state, PhAxisState which) {
    return state == four_splat((double)which);
}
// Not held: a motor at its bound, or nothing, gives its impulse.
PH_FOUR_INLINE FourMask is_free(Four state) {
    return is_state(state, PH_AXIS_PUSHED) | is_state(state, PH_AXIS_PULLED);
}
PH_FOUR_INLINE bool any(FourMask m) {
    return four_bits(m) != 0;
}

PH_FOUR_INLINE void sym_invert(const Four m[6], Four out[6]) {
    Four xx = m[3] * m[5] - m[4] * m[4];
    Four xy = m[2] * m[4] - m[1] * m[5];
    Four xw = m[1] * m[4] - m[2] * m[3];
    Four inv = 1 / (m[0] * xx + m[1] * xy + m[2] * xw);
    out[0] = inv * xx;
    out[1] = inv * xy;
    out[2] = inv * xw;
    out[3] = inv * (m[0] * m[5] - m[2] * m[2]);
    out[4] = inv * (m[1] * m[2] - m[0] * m[4]);
    out[5] = inv * (m[0] * m[3] - m[1] * m[1]);
}

PH_FOUR_INLINE void sym_apply(const Four m[6], const Four v[3], Four out[3]) {
    Four x = v[0], y = v[1], w = v[2];
    out[0] = m[0] * x + m[1] * y + m[2] * w;
    out[1] = m[1] * x + m[3] * y + m[4] * w;
    out[2] = m[2] * x + m[4] * y + m[5] * w;
}

// Adds an impulse along a Jacobian to a velocity: dv += M^-1 J^T impulse.
PH_FOUR_INLINE void push_body(const UnitBody *body, const Four jacobian[3], Four impulse,
                              Four dv[3]) {
    if (body->fixed)
        return;
    dv[0] += jacobian[0] * impulse * body->inv_mass;
    dv[1] += jacobian[1] * impulse * body->inv_mass;
    dv[2] += jacobian[2] * impulse * body->inv_inertia;
}

// ------------------------------------------------------------------------------------------------
// bodies

static void load_body(const Unit *unit, uint32_t i, UnitBody *body) {
    const struct PhLayoutArrays *arrays = unit->run->layout->arrays;
    const PhRows *rows = &arrays->rows;
    const uint32_t *row = unit->rows + (size_t)i * PH_UNIT_LANES;
    Four quad[4];
    body->row = row;
    body->fixed = unit->named[i].fixed;
    four_load_quads((const float(*)[4])rows->velocity, row, quad);
    for (int k = 0; k < 3; k++)
        body->start[k] = body->v[k] = quad[k];
    four_load_quads((const float(*)[4])rows->delta, row, body->delta);
    for (int l = 0; l < PH_UNIT_LANES; l++)
        body->turned[l] = (double)rows->turned[row[l]];
    if (body->fixed)
        return;
    const double *mass[4], *inertia[4];
    for (int l = 0; l < PH_UNIT_LANES; l++) {
        const PhJointMass *of = &arrays->joints.masses[row[l]];
        mass[l] = &of->mass;
        inertia[l] = &of->inertia;
    }
    four_split(mass, &body->mass, &body->inv_mass);
    four_split(inertia, &body->inertia, &body->inv_inertia);
}

// Velocities to the rows, of the lanes named. What joints do to a velocity is no business of the
// contacts' warm start (kernels_source.h).
static void store_body(const Unit *unit, const UnitBody *body, const Four velocity[3],
                       FourMask lanes) {
    const PhRows *rows = &unit->run->layout->arrays->rows;
    const Four speed = four_splat(2 * unit->run->parameters->max_speed);
    const Four most[3] = {speed, speed, four_splat(PH_PI / unit->run->h)};
    Four next[4] = {{0}, {0}, {0}, {0}};
    uint32_t bits = four_bits(lanes);
    if (body->fixed)
        return;
    for (int k = 0; k < 3; k++) { // beyond all limits, or none where masses are beyond float64
        next[k] = four_select(velocity[k] > most[k], most[k], velocity[k]);
        next[k] = four_select(next[k] < -most[k], -most[k], next[k]);
    }
    four_transpose(next);
    for (uint32_t l = 0; l < PH_UNIT_LANES; l++) {
        if (!(bits >> l & 1))
            continue;
        float *now = rows->velocity[body->row[l]], *before = rows->before[body->row[l]];
        FourFloat was = four_float(now), to = four_narrow(next[l]);
        to[3] = was[3];
        to = four_float_select(to == to, to, was);
        four_float_store(before, four_float(before) + (to - was));
        four_float_store(now, to);
    }
}

// ------------------------------------------------------------------------------------------------
// rows

PH_FOUR_INLINE void turn_by(const Four delta[4], const Four arm[2], Four out[2]) {
    Four c = 1 + delta[2], s = delta[3];
    out[0] = c * arm[0] - s * arm[1];
    out[1] = s * arm[0] + c * arm[1];
}

static void pose_of(const PhUnitPlace *place, const UnitBody *a, const UnitBody *b,
                    PhUnitPose *pose) {
    turn_by(a->delta, place->arm_a, pose->arm_a);
    turn_by(b->delta, place->arm_b, pose->arm_b);
    for (int i = 0; i < 2; i++) {
        Four moved_a = pose->arm_a[i] - place->arm_a[i];
        Four moved_b = pose->arm_b[i] - place->arm_b[i];
        pose->reach_a[i] = place->reach_a[i] + (a->delta[i] + moved_a);
        pose->reach_b[i] = place->reach_b[i] + (b->delta[i] + moved_b);
        pose->gap[i] = place->gap[i] + (b->delta[i] - a->delta[i]) + (moved_b - moved_a);
    }
    turn_by(a->delta, place->rot_a, pose->rot_a);
    pose->angle = place->angle + (b->turned - a->turned);
    for (int k = 0; k < 3; k++) {
        pose->velocity_a[k] = a->start[k];
        pose->velocity_b[k] = b->start[k];
    }
}

// The first row of a gear has the Jacobians of the bodies b of its joints, the second those of the
// bodies a.
static void fill_gear(const Unit *unit, const PhJointLink *link, const PhUnitWork *work,
                      PhUnitRow rows[2]) {
    const PhUnitGear *gear = &unit->run->layout->arrays->joints.unit_gears[work->gear - 1];
    const Four zero = four_splat(0);
    rows[0].coordinate = -work->rest;
    rows[0].acceleration = zero;
    for (int side = 0; side < 2; side++) {
        const PhUnitPlace *place = &gear->part[side];
        Four scale = side ? work->ratio : four_splat(1);
        PhUnitPose pose;
        PhUnitRow of[PH_JOINT_ROWS];
        pose_of(place, &unit->bodies[link->frame[side]], &unit->bodies[work->place.side[side]],
                &pose);
        fill_kind(place->kind, &place->terms, &pose, of);
        const PhUnitRow *row = &of[gear->coordinate[side]];
        for (int i = 0; i < 3; i++) {
            (side ? rows[0].b : rows[0].a)[i] = scale * row->b[i];
            (side ? rows[1].b : rows[1].a)[i] = scale * row->a[i];
        }
        rows[0].coordinate += scale * row->coordinate;
        rows[0].acceleration += scale * row->acceleration;
        for (int i = 0; i < 2; i++)
            rows[0].along[i] = scale * row->along[i];
        rows[0].couple = scale * row->couple;
    }
}

// Rows of a link or cut, and its arms: a gear has none, what it pulls at does not stiffen.
static void fill_rows(const Unit *unit, uint32_t l, UnitFactor *factor) {
    const PhJointLink *link = &unit->links[l];
    const PhUnitWork *work = work_of(unit, l);
    const UnitBody *c = &unit->bodies[link->child];
    PhUnitPose pose;
    factor->rigid = factor->axis = factor->used = 0;
    memset(factor->arm_a, 0, sizeof factor->arm_a);
    memset(factor->arm_b, 0, sizeof factor->arm_b);
    if (is_bare(unit, l))
        return;
    factor->rigid = work->rigid;
    factor->axis = work->axis;
    factor->used = work->rigid | work->axis;
    if (work->gear) {
        fill_gear(unit, link, work, factor->rows);
    } else {
        const UnitBody *a = &unit->bodies[work->place.side[0]];
        const UnitBody *b = &unit->bodies[work->place.side[1]];
        pose_of(&work->place, a, b, &pose);
        fill_kind(work->place.kind, &work->place.terms, &pose, factor->rows);
        memcpy(factor->arm_a, pose.arm_a, sizeof factor->arm_a);
        memcpy(factor->arm_b, pose.arm_b, sizeof factor->arm_b);
    }
    bool turned = c == &unit->bodies[work->place.side[0]];
    for (int k = 0; k < 3; k++) {
        factor->child[k] = turned ? factor->rows[k].a : factor->rows[k].b;
        factor->parent[k] = turned ? factor->rows[k].b : factor->rows[k].a;
    }
}

// Limits and motor of an axis row, and a state that it can have.
static void fill_axis(const Unit *unit, UnitFactor *factor, const PhUnitWork *work, int k) {
    const PhUnitRow *row = &factor->rows[k];
    const Four least = four_splat(-INFINITY), most = four_splat(INFINITY), zero = four_splat(0);
    double h = unit->run->h;
    const Four inv_h = four_splat(1 / h);
    const Four back = four_splat(unit->pass->push ? ERROR_SHARE * (1 / h) : 0);
    const Four curve = four_splat(unit->pass->push ? CURVATURE_SHARE * h : 0) * row->acceleration;
    factor->low[k] = least;
    factor->high[k] = most;
    factor->speed[k] = factor->most[k] = zero;
    if (k == work->limited) { // 0 of what is no limit would be no number
        Four below = work->lower - row->coordinate, above = work->upper - row->coordinate;
        Four low = four_select(below > 0, back, inv_h) * below - curve;
        Four high = four_select(above < 0, back, inv_h) * above - curve;
        factor->low[k] = four_select(below > least, low, least);
        factor->high[k] = four_select(above < most, high, most);
    }
    if (k == work->motored) {
        factor->speed[k] = work->speed;
        factor->most[k] = work->motor;
    }
    Four state = work->state[k];
    FourMask motor = factor->most[k] > 0, bounded = factor->most[k] < most;
    FourMask can = (is_state(state, PH_AXIS_LOW) & (factor->low[k] > least)) |
                   (is_state(state, PH_AXIS_HIGH) & (factor->high[k] < most)) |
                   (is_state(state, PH_AXIS_DRIVEN) & motor) |
                   (is_state(state, PH_AXIS_PUSHED) & bounded) |
                   (is_state(state, PH_AXIS_PULLED) & motor & bounded);
    Four other = four_select(motor, four_splat(PH_AXIS_DRIVEN), four_splat(PH_AXIS_PUSHED));
    factor->state[k] = four_select(can, state, other);
}

static void fill_factor(const Unit *unit, uint32_t l) {
    const PhUnitPass *pass = unit->pass;
    const PhUnitWork *work = work_of(unit, l);
    UnitFactor *factor = &unit->factors[l];
    double h = unit->run->h;
    double share = !pass->push ? 0 : unit->block->direct ? ERROR_SHARE / h : pass->rate;
    const Four curve = four_splat(pass->push ? CURVATURE_SHARE * h : 0), back = four_splat(share);
    fill_rows(unit, l, factor);
    for (int k = 0; k < 3; k++) {
        const PhUnitRow *row = &factor->rows[k];
        if (has(factor->rigid, k)) {
            Four error = k == work->limited ? row->coordinate - work->lower : row->coordinate;
            factor->bias[k] = back * error + curve * row->acceleration;
        }
        if (has(factor->axis, k))
            fill_axis(unit, factor, work, k);
    }
}

// The velocity that an axis row is held at.
PH_FOUR_INLINE Four held_at(const Unit *unit, const UnitFactor *factor, int k) {
    if (unit->shift)
        return four_splat(0);
    Four high =
        four_select(is_state(factor->state[k], PH_AXIS_HIGH), factor->high[k], factor->speed[k]);
    return four_select(is_state(factor->state[k], PH_AXIS_LOW), factor->low[k], high);
}

// What a row lacks besides J v.
PH_FOUR_INLINE Four lack_of(const Unit *unit, const UnitFactor *factor, int k) {
    return has(factor->axis, k) ? -held_at(unit, factor, k) : factor->bias[k];
}

static Four velocity_along(const Unit *unit, uint32_t l, int k) {
    const UnitBody *c = &unit->bodies[unit->links[l].child];
    const UnitBody *p = &unit->bodies[unit->links[l].parent];
    const UnitFactor *factor = &unit->factors[l];
    Four sum = four_splat(0);
    for (int i = 0; i < 3; i++)
        sum += factor->child[k][i] * (c->v[i] + c->sum[i]) +
               factor->parent[k][i] * (p->v[i] + p->sum[i]);
    return sum;
}

// Gives the impulses of rows that are not held, and names those that are.
static void give_impulses(const Unit *unit) {
    const Four zero = four_splat(0);
    for (uint32_t i = 0; i < unit->block->body_count; i++) {
        memcpy(unit->bodies[i].v, unit->bodies[i].start, sizeof unit->bodies[i].v);
        memset(unit->bodies[i].sum, 0, sizeof unit->bodies[i].sum);
    }
    for (uint32_t l = 0; l < unit->count; l++) {
        UnitFactor *factor = &unit->factors[l];
        const PhUnitWork *work = work_of(unit, l);
        UnitBody *c = &unit->bodies[unit->links[l].child];
        UnitBody *p = &unit->bodies[unit->links[l].parent];
        for (int k = 0; k < 3; k++) {
            factor->sum[k] = zero;
            if (has(factor->rigid, k))
                factor->solved[k] = (FourMask)(zero == zero);
            if (!has(factor->axis, k))
                continue;
            FourMask free = is_free(factor->state[k]);
            factor->solved[k] = ~free;
            if (unit->shift || !any(free))
                continue;
            FourMask pulled = is_state(factor->state[k], PH_AXIS_PULLED);
            Four most = four_select(pulled, -factor->most[k], factor->most[k]);
            factor->sum[k] = keep(free, most - work->impulse[k]);
            push_body(c, factor->child[k], factor->sum[k], c->v);
            push_body(p, factor->parent[k], factor->sum[k], p->v);
        }
    }
}

// Where on its staircase a row is. Returns the lanes in which it is elsewhere than guessed.
static FourMask move_on(UnitFactor *factor, int k, Four u, Four impulse) {
    const Four pushed = four_splat(PH_AXIS_PUSHED), pulled = four_splat(PH_AXIS_PULLED);
    const Four driven = four_splat(PH_AXIS_DRIVEN);
    const Four at_low = four_splat(PH_AXIS_LOW), at_high = four_splat(PH_AXIS_HIGH);
    Four low = factor->low[k], high = factor->high[k], s = factor->speed[k], m = factor->most[k];
    Four was = factor->state[k];
    FourMask motor = m > 0, bounded = m < four_splat(INFINITY);
    Four up = four_select(bounded, pushed, driven);
    Four down = four_select(motor, four_select(bounded, pulled, driven), pushed);
    FourMask low_first = low<s, high_first = high> s;
    Four from_low = four_select(impulse < four_select(motor & low_first, m, -m),
                                four_select(low_first, up, down), at_low);
    Four from_high = four_select(impulse > four_select(motor & high_first, -m, m),
                                 four_select(high_first, down, up), at_high);
    Four within = four_select(impulse > m, pushed, four_select(impulse < -m, pulled, was));
    Four from_driven = four_select(s < low, at_low, four_select(s > high, at_high, within));
    FourMask is_up = is_state(was, PH_AXIS_PUSHED);
    FourMask beyond = motor & ((is_up & (u > s)) | (~is_up & (u < s)));
    Four from_free = four_select(u < low, at_low,
                                 four_select(u > high, at_high, four_select(beyond, driven, was)));
    Four held = four_select(is_state(was, PH_AXIS_HIGH), from_high, from_driven);
    held = four_select(is_state(was, PH_AXIS_LOW), from_low, held);
    factor->state[k] = four_select(is_free(was), from_free, held);
    return factor->state[k] != was;
}

static bool move_all(const Unit *unit) {
    FourMask changed = {0};
    for (uint32_t l = 0; l < unit->count; l++) {
        UnitFactor *factor = &unit->factors[l];
        for (int k = 0; k < 3; k++)
            if (has(factor->axis, k))
                changed |= move_on(factor, k, velocity_along(unit, l, k),
                                   work_of(unit, l)->impulse[k] + factor->sum[k]);
    }
    return any(changed);
}

// ------------------------------------------------------------------------------------------------
// elimination

// W v, with all that hangs on the body.
PH_FOUR_INLINE void give_way(const UnitBody *body, const Four v[3], Four out[3]) {
    if (!body->bare) {
        sym_apply(body->inverse, v, out);
        return;
    }
    out[0] = body->inv_mass * v[0];
    out[1] = body->inv_mass * v[1];
    out[2] = body->inv_inertia * v[2];
}

// S of the rows that are solved, which is 0 elsewhere: of the child, and of the parent too where
// those two are all there is.
static void factor_link(UnitFactor *factor, const UnitBody *c, const UnitBody *p) {
    static const uint8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const Four zero = four_splat(0), one = four_splat(1);
    Four k[6] = {one, zero, zero, one, zero, one};
    for (int i = 0; i < 3; i++) {
        Four moved[3], other[3] = {zero, zero, zero};
        if (!has(factor->used, i))
            continue;
        give_way(c, factor->child[i], moved);
        if (p)
            push_body(p, factor->parent[i], one, other);
        for (int j = i; j < 3; j++) {
            if (!has(factor->used, j))
                continue;
            Four both = dot3(factor->child[j], moved);
            both = i == j ? both * (1 + EPSILON) : both;
            if (p)
                both += dot3(factor->parent[j], other);
            k[at[i][j]] = keep(factor->solved[i] & factor->solved[j], both);
        }
        k[at[i][i]] = four_select(factor->solved[i], k[at[i][i]], one);
    }
    sym_invert(k, factor->stiffness);
    for (int i = 0; i < 3; i++) {
        Four *own = &factor->stiffness[at[i][i]];
        *own = has(factor->used, i) ? keep(factor->solved[i], *own) : zero;
    }
}

// matrix += J^T S J
static void hang_on(const UnitFactor *factor, Four matrix[6]) {
    static const uint8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int i = 0; i < 3; i++) {
        Four column[3], pushed[3];
        for (int k = 0; k < 3; k++)
            column[k] = has(factor->used, k) ? factor->parent[k][i] : four_splat(0);
        sym_apply(factor->stiffness, column, pushed);
        for (int j = i; j < 3; j++)
            for (int k = 0; k < 3; k++)
                if (has(factor->used, k))
                    matrix[at[i][j]] += factor->parent[k][j] * pushed[k];
    }
}

static void factor_tree(const Unit *unit) {
    const PhJointBlock *block = unit->block;
    for (uint32_t i = 0; i < block->body_count; i++) {
        UnitBody *body = &unit->bodies[i];
        if (body->fixed || body->bare)
            continue;
        memset(body->matrix, 0, sizeof body->matrix);
        body->matrix[0] = body->matrix[3] = body->mass;
        body->matrix[5] = body->inertia;
    }
    for (uint32_t l = unit->link_count; l-- > 0;) {
        UnitBody *c = &unit->bodies[unit->links[l].child];
        UnitBody *p = &unit->bodies[unit->links[l].parent];
        if (!c->bare)
            sym_invert(c->matrix, c->inverse);
        factor_link(&unit->factors[l], c, NULL);
        if (!p->fixed)
            hang_on(&unit->factors[l], p->matrix);
    }
    if (block->root != PH_NULL && !unit->bodies[block->root].bare)
        sym_invert(unit->bodies[block->root].matrix, unit->bodies[block->root].inverse);
}

PH_FOUR_INLINE void push_by(const UnitFactor *factor, const Four *const jacobian[3],
                            const Four impulse[3], Four p[3]) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3 && has(factor->used, k); i++)
            p[i] += jacobian[k][i] * impulse[k];
}

// Both sweeps with the impulses p on the bodies. moving: with the velocities that rows lack. Leaves
// dv in the bodies and adds impulses to the sums of the links.
static void sweep(const Unit *unit, bool moving, bool keeping) {
    const Four zero = four_splat(0);
    for (uint32_t l = unit->link_count; l-- > 0;) {
        UnitFactor *factor = &unit->factors[l];
        UnitBody *c = &unit->bodies[unit->links[l].child];
        UnitBody *p = &unit->bodies[unit->links[l].parent];
        Four u[3], pushed[3];
        give_way(c, c->p, u);
        for (int i = 0; moving && i < 3; i++)
            u[i] += c->v[i];
        for (int k = 0; k < 3; k++) {
            factor->error[k] = zero;
            if (!has(factor->used, k))
                continue;
            Four error = dot3(factor->child[k], u);
            if (moving) {
                error += dot3(factor->parent[k], p->v);
                error += lack_of(unit, factor, k);
            }
            factor->error[k] = keep(factor->solved[k], error);
        }
        sym_apply(factor->stiffness, factor->error, pushed);
        for (int k = 0; k < 3; k++)
            pushed[k] = -pushed[k];
        if (!p->fixed)
            push_by(factor, factor->parent, pushed, p->p);
    }
    if (unit->block->root != PH_NULL) {
        UnitBody *root = &unit->bodies[unit->block->root];
        give_way(root, root->p, root->dv);
    }
    for (uint32_t l = 0; l < unit->link_count; l++) {
        UnitFactor *factor = &unit->factors[l];
        UnitBody *c = &unit->bodies[unit->links[l].child];
        const UnitBody *p = &unit->bodies[unit->links[l].parent];
        Four lacking[3];
        for (int k = 0; k < 3; k++) {
            lacking[k] = factor->error[k];
            if (has(factor->used, k) && !p->fixed)
                lacking[k] += dot3(factor->parent[k], p->dv);
        }
        sym_apply(factor->stiffness, lacking, factor->impulse);
        for (int k = 0; k < 3; k++) {
            factor->impulse[k] = -factor->impulse[k];
            if (keeping)
                factor->sum[k] += factor->impulse[k];
        }
        push_by(factor, factor->child, factor->impulse, c->p);
        give_way(c, c->p, c->dv);
    }
    for (uint32_t i = 0; keeping && i < unit->block->body_count; i++)
        for (int k = 0; k < 3 && !unit->bodies[i].fixed; k++)
            unit->bodies[i].sum[k] += unit->bodies[i].dv[k];
}

static void clear_impulses(const Unit *unit) {
    for (uint32_t i = 0; i < unit->block->body_count; i++) {
        memset(unit->bodies[i].p, 0, sizeof unit->bodies[i].p);
        memset(unit->bodies[i].dv, 0, sizeof unit->bodies[i].dv);
    }
}

// ------------------------------------------------------------------------------------------------
// loops

typedef struct CutRow {
    uint32_t link;
    int k;
} CutRow;

// The bodies that the row acts on and its Jacobians; returns how many.
typedef struct CutEnd {
    UnitBody *body;
    const Four *jacobian;
} CutEnd;

static int ends_of(const Unit *unit, CutRow row, CutEnd ends[4]) {
    const UnitFactor *factor = &unit->factors[row.link];
    const PhJointLink *link = &unit->links[row.link];
    ends[0] = (CutEnd){&unit->bodies[link->child], factor->child[row.k]};
    ends[1] = (CutEnd){&unit->bodies[link->parent], factor->parent[row.k]};
    if (!work_of(unit, row.link)->gear)
        return 2;
    ends[2] = (CutEnd){&unit->bodies[link->frame[0]], factor->rows[1].a};
    ends[3] = (CutEnd){&unit->bodies[link->frame[1]], factor->rows[1].b};
    return 4;
}

static void push_cut(const Unit *unit, CutRow row, Four impulse) {
    CutEnd ends[4];
    for (int n = ends_of(unit, row, ends); n-- > 0;)
        for (int i = 0; i < 3; i++)
            ends[n].body->p[i] += ends[n].jacobian[i] * impulse;
}

static Four cut_velocity(const Unit *unit, CutRow row) {
    CutEnd ends[4];
    Four sum = four_splat(0);
    for (int n = 0, count = ends_of(unit, row, ends); n < count; n++)
        for (int i = 0; i < 3; i++)
            sum += ends[n].jacobian[i] * (ends[n].body->v[i] + ends[n].body->sum[i]);
    return sum;
}

// What a unit impulse along the row does to its own bodies, were they free.
static Four own_response(const Unit *unit, CutRow row) {
    CutEnd ends[4];
    Four sum = four_splat(0);
    for (int n = 0, count = ends_of(unit, row, ends); n < count; n++) {
        Four d[3] = {{0}, {0}, {0}};
        push_body(ends[n].body, ends[n].jacobian, four_splat(1), d);
        sum += dot3(ends[n].jacobian, d);
    }
    return sum;
}

static Four moved_along(const Unit *unit, CutRow row) {
    CutEnd ends[4];
    Four sum = four_splat(0);
    for (int n = 0, count = ends_of(unit, row, ends); n < count; n++)
        if (!ends[n].body->fixed)
            sum += dot3(ends[n].jacobian, ends[n].body->dv);
    return sum;
}

// L D L^T of a symmetric matrix; rows that the ones before determine get no impulse.
static void solve_dense(Four a[MOST_CUT_ROWS][MOST_CUT_ROWS], Four *x, uint32_t n) {
    Four d[MOST_CUT_ROWS], inverse[MOST_CUT_ROWS];
    for (uint32_t j = 0; j < n; j++) {
        Four pivot = a[j][j];
        for (uint32_t k = 0; k < j; k++)
            pivot -= a[j][k] * a[j][k] * d[k];
        FourMask free = pivot > 1e-14 * a[j][j];
        d[j] = keep(free, pivot);
        inverse[j] = keep(free, 1 / pivot);
        for (uint32_t i = j + 1; i < n; i++) {
            Four sum = a[i][j];
            for (uint32_t k = 0; k < j; k++)
                sum -= a[i][k] * a[j][k] * d[k];
            a[i][j] = sum * inverse[j];
        }
        for (uint32_t k = 0; k < j; k++)
            x[j] -= a[j][k] * x[k];
    }
    for (uint32_t j = n; j-- > 0;) {
        x[j] *= inverse[j];
        for (uint32_t i = j + 1; i < n; i++)
            x[j] -= a[i][j] * x[i];
    }
}

// Rows that are not solved in a lane stand alone there, with nothing to do.
static void close_loops(const Unit *unit) {
    CutRow rows[MOST_CUT_ROWS];
    Four a[MOST_CUT_ROWS][MOST_CUT_ROWS], x[MOST_CUT_ROWS];
    FourMask solved[MOST_CUT_ROWS];
    const Four one = four_splat(1);
    uint32_t n = 0;
    for (uint32_t l = unit->link_count; l < unit->count; l++)
        for (int k = 0; k < 3 && n < MOST_CUT_ROWS; k++) {
            if (!has(unit->factors[l].used, k))
                continue;
            solved[n] = unit->factors[l].solved[k];
            rows[n++] = (CutRow){l, k};
        }
    for (uint32_t j = 0; j < n; j++) {
        const UnitFactor *factor = &unit->factors[rows[j].link];
        Four u = cut_velocity(unit, rows[j]);
        x[j] = keep(solved[j], -(u + lack_of(unit, factor, rows[j].k)));
        clear_impulses(unit);
        push_cut(unit, rows[j], keep(solved[j], one));
        sweep(unit, false, false);
        for (uint32_t i = 0; i < n; i++)
            a[i][j] = keep(solved[i], moved_along(unit, rows[i]));
        a[j][j] = four_select(solved[j], a[j][j] + EPSILON * own_response(unit, rows[j]), one);
    }
    solve_dense(a, x, n);
    clear_impulses(unit);
    for (uint32_t j = 0; j < n; j++) {
        push_cut(unit, rows[j], x[j]);
        unit->factors[rows[j].link].sum[rows[j].k] += x[j];
    }
    sweep(unit, false, true);
}

// ------------------------------------------------------------------------------------------------
// the pass

// Two bodies and a joint: what the sweeps come to.
static void solve_pair(const Unit *unit) {
    UnitFactor *factor = &unit->factors[0];
    UnitBody *c = &unit->bodies[unit->links[0].child];
    UnitBody *p = &unit->bodies[unit->links[0].parent];
    factor_link(factor, c, p);
    for (int k = 0; k < 3; k++) {
        factor->error[k] = four_splat(0);
        if (!has(factor->used, k))
            continue;
        Four error = dot3(factor->child[k], c->v) + dot3(factor->parent[k], p->v);
        factor->error[k] = keep(factor->solved[k], error + lack_of(unit, factor, k));
    }
    sym_apply(factor->stiffness, factor->error, factor->impulse);
    for (int k = 0; k < 3; k++) {
        if (!has(factor->used, k))
            continue;
        factor->sum[k] -= factor->impulse[k];
        push_body(c, factor->child[k], -factor->impulse[k], c->sum);
        push_body(p, factor->parent[k], -factor->impulse[k], p->sum);
    }
}

static void solve_tree(const Unit *unit) {
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        give_impulses(unit);
        if (unit->count == 1 && unit->link_count == 1) {
            solve_pair(unit);
        } else {
            factor_tree(unit);
            clear_impulses(unit);
            sweep(unit, true, true);
        }
        if (unit->count > unit->link_count)
            close_loops(unit);
        if (unit->shift || !move_all(unit))
            break;
    }
}

// What a row's unit impulse pulls at the bodies along their arms, for geometric stiffness.
PH_FOUR_INLINE Four pull_of(const Four jacobian[3], const Four arm[2]) {
    return jacobian[0] * arm[0] + jacobian[1] * arm[1];
}

// Of the impulses that all rows of a joint would have.
static void pulls_of(const UnitFactor *factor, const PhUnitWork *work, Four *a, Four *b) {
    *a = *b = four_splat(0);
    for (int k = 0; k < 3; k++) {
        if (!has(factor->used, k))
            continue;
        Four impulse = work->impulse[k] + factor->sum[k];
        *a += impulse * pull_of(factor->rows[k].a, factor->arm_a);
        *b += impulse * pull_of(factor->rows[k].b, factor->arm_b);
    }
}

// Lanes in which a sudden pull would make a body swing faster than a substep follows. The sums of
// pulls stay in p[0], which is free after the sweeps.
static FourMask find_sudden(const Unit *unit) {
    const Four h = four_splat(unit->run->h);
    FourMask sudden = {0};
    for (uint32_t i = 0; i < unit->block->body_count; i++)
        unit->bodies[i].p[0] = four_splat(0);
    for (uint32_t l = 0; l < unit->count; l++) {
        Four a, b;
        if (is_bare(unit, l))
            continue;
        const PhUnitWork *work = work_of(unit, l);
        pulls_of(&unit->factors[l], work, &a, &b);
        unit->bodies[work->place.side[0]].p[0] += a;
        unit->bodies[work->place.side[1]].p[0] += b;
    }
    for (uint32_t i = 0; i < unit->block->body_count; i++) {
        const UnitBody *body = &unit->bodies[i];
        if (!body->fixed)
            sudden |= h * body->p[0] > SUDDEN * body->inertia;
    }
    return sudden;
}

// Raises the inertia of those bodies.
static void brace(const Unit *unit) {
    PhJointMass *masses = unit->run->layout->arrays->joints.masses;
    const Four h = four_splat(unit->run->h);
    for (uint32_t i = 0; i < unit->block->body_count; i++) {
        UnitBody *body = &unit->bodies[i];
        if (body->fixed)
            continue;
        Four wanted = h * body->p[0];
        FourMask more = wanted > SUDDEN * body->inertia;
        body->start[2] =
            four_select(more, body->start[2] * (body->inertia / wanted), body->start[2]);
        body->inertia = four_select(more, wanted, body->inertia);
        body->inv_inertia = four_select(more, 1 / wanted, body->inv_inertia);
        uint32_t bits = four_bits(more);
        for (uint32_t l = 0; l < PH_UNIT_LANES; l++) {
            if (!(bits >> l & 1))
                continue;
            masses[body->row[l]].inertia = body->inertia[l];
            masses[body->row[l]].inv_inertia = body->inv_inertia[l];
        }
    }
}

// A joint that is solved alone yields a little: part of what it holds already is let go, or joints
// in loops would drive each other (E. Catto, "Solver2D" (2024)).
static void soften(const Unit *unit) {
    uint32_t l = unit->count - 1; // before it: the bare links of a gear
    UnitFactor *factor = &unit->factors[l];
    const PhUnitWork *work = work_of(unit, l);
    const Four yields = four_splat(unit->pass->yields);
    for (int k = 0; k < 3 && unit->pass->push; k++) {
        if (!has(factor->rigid, k))
            continue;
        Four less = yields * (factor->sum[k] + work->impulse[k]);
        factor->sum[k] -= less;
        CutEnd ends[4];
        for (int n = 0, count = ends_of(unit, (CutRow){l, k}, ends); n < count; n++)
            push_body(ends[n].body, ends[n].jacobian, -less, ends[n].body->sum);
    }
}

// To the work; after a relax the impulse of the substep is complete.
static void keep_impulse(const Unit *unit, uint32_t l, FourMask lanes) {
    if (is_bare(unit, l))
        return; // it is among the cuts
    PhUnitWork *work = work_of(unit, l);
    UnitFactor *factor = &unit->factors[l];
    for (int k = 0; k < 3; k++) {
        const PhUnitRow *row = &factor->rows[k];
        if (!has(factor->used, k))
            continue;
        work->impulse[k] += keep(lanes, factor->sum[k]);
        if (has(factor->axis, k))
            work->state[k] = four_select(lanes, factor->state[k], work->state[k]);
        if (unit->pass->push)
            continue;
        work->sum_force[0] += work->impulse[k] * row->along[0];
        work->sum_force[1] += work->impulse[k] * row->along[1];
        work->sum_torque += work->impulse[k] * row->couple;
        factor->sum[k] = four_splat(0); // it is in the impulse
    }
    if (!unit->pass->push)
        pulls_of(factor, work, &work->pull_a, &work->pull_b);
}

static void commit(const Unit *unit, FourMask lanes) {
    for (uint32_t l = 0; l < unit->count; l++)
        keep_impulse(unit, l, lanes);
    for (uint32_t i = 0; i < unit->block->body_count; i++) {
        const UnitBody *body = &unit->bodies[i];
        Four velocity[3];
        for (int k = 0; k < 3; k++)
            velocity[k] = body->v[k] + body->sum[k];
        store_body(unit, body, velocity, lanes);
    }
}

static void start_shift(const Unit *unit, UnitBody *body) {
    Four drive[4];
    four_load_quads((const float(*)[4])unit->run->layout->arrays->rows.drive, body->row, drive);
    for (int k = 0; k < 3; k++)
        body->start[k] = body->fixed ? four_splat(0) : unit->pass->shift * drive[k];
}

static void end_shift(const Unit *unit) {
    float(*velocity)[4] = unit->run->layout->arrays->rows.velocity;
    for (uint32_t i = 0; i < unit->block->body_count; i++) {
        const UnitBody *body = &unit->bodies[i];
        for (int k = 0; k < 3 && !body->fixed; k++)
            for (uint32_t l = 0; l < unit->block->count; l++)
                velocity[body->row[l]][k] += (float)(body->v[k][l] + body->sum[k][l]);
    }
}

// Before a push, of a unit that is not all there is to its bodies: what the impulses that were
// given come to at the arms of now is given in any case.
static void warm_start(const Unit *unit) {
    uint32_t l = unit->count - 1;
    UnitFactor *factor = &unit->factors[l];
    const PhUnitWork *work = work_of(unit, l);
    fill_rows(unit, l, factor);
    for (int k = 0; k < 3; k++) {
        CutEnd ends[4];
        if (!has(factor->used, k))
            continue;
        for (int n = 0, count = ends_of(unit, (CutRow){l, k}, ends); n < count; n++)
            push_body(ends[n].body, ends[n].jacobian, work->impulse[k], ends[n].body->v);
    }
    for (uint32_t i = 0; i < unit->block->body_count; i++)
        store_body(unit, &unit->bodies[i], unit->bodies[i].v, unit->lanes);
}

// ------------------------------------------------------------------------------------------------
// springs and drives, see joint_solve.c

// The inverse of what the rows of a joint that are in use do to each other.
static void invert_rows(const PhUnitRow *rows, uint8_t used, const UnitBody *a, const UnitBody *b,
                        Four inverse[6]) {
    static const uint8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const Four zero = four_splat(0), one = four_splat(1);
    Four k[6] = {one, zero, zero, one, zero, one};
    for (int i = 0; i < 3; i++) {
        Four da[3] = {zero, zero, zero}, db[3] = {zero, zero, zero};
        if (!has(used, i))
            continue;
        push_body(a, rows[i].a, one, da);
        push_body(b, rows[i].b, one, db);
        for (int j = i; j < 3; j++)
            if (has(used, j))
                k[at[i][j]] = dot3(rows[j].a, da) + dot3(rows[j].b, db);
    }
    sym_invert(k, inverse);
}

static void load_drive(const Unit *unit, const UnitBody *body, Four drive[4]) {
    four_load_quads((const float(*)[4])unit->run->layout->arrays->rows.drive, body->row, drive);
}

// Lets a body have gained what it has got since it was loaded.
static void gain(const Unit *unit, const UnitBody *body, float kept[PH_UNIT_LANES][4]) {
    float(*drive)[4] = unit->run->layout->arrays->rows.drive;
    if (body->fixed)
        return;
    for (uint32_t l = 0; l < PH_UNIT_LANES; l++)
        memcpy(kept[l], drive[body->row[l]], sizeof kept[l]);
    for (uint32_t l = 0; l < unit->block->count; l++)
        for (int k = 0; k < 3; k++)
            drive[body->row[l]][k] += (float)(body->v[k][l] - body->start[k][l]);
}

// What a spring's own force has added along one of its rows, and the force itself: (1 - s) f.
static Four held_back(const PhUnitWork *work, const PhUnitRow *rows, int k, const UnitBody *a,
                      const UnitBody *b, Four force) {
    Four va[3] = {{0}, {0}, {0}}, vb[3] = {{0}, {0}, {0}};
    for (int i = 0; i < 3; i++) {
        if (!has(work->sprung, i))
            continue;
        push_body(a, rows[i].a, work->force[i], va);
        push_body(b, rows[i].b, work->force[i], vb);
    }
    return force + dot3(rows[k].a, va) + dot3(rows[k].b, vb);
}

// What is asked of the rows.
static void ask(const Unit *unit, const PhUnitWork *work, const PhUnitRow *rows, const UnitBody *a,
                const UnitBody *b, Four asked[3]) {
    FourMask split = unit->pass->several ? work->split : (FourMask){0};
    Four drive_a[4], drive_b[4];
    load_drive(unit, a, drive_a);
    load_drive(unit, b, drive_b);
    for (int k = 0; k < 3; k++) {
        asked[k] = four_splat(0);
        if (!has(work->sprung, k))
            continue;
        Four error = rows[k].coordinate - work->rest, pull = work->pull * error;
        if (unit->pass->deed == PH_UNIT_FORCE) {
            asked[k] = keep(split, pull);
            continue;
        }
        Four velocity = dot3(rows[k].a, a->v) + dot3(rows[k].b, b->v);
        Four gained = dot3(rows[k].a, drive_a) + dot3(rows[k].b, drive_b);
        Four rest = work->error * error;
        if (any(split))
            rest = four_select(
                split, (work->gained - work->velocity) * held_back(work, rows, k, a, b, pull),
                rest);
        asked[k] = work->velocity * (velocity - work->wanted[k]) - work->gained * gained + rest;
    }
}

static void act_spring(const Unit *unit, PhUnitWork *work) {
    const Four infinite = four_splat(INFINITY);
    uint8_t sprung = work->sprung;
    bool first = unit->pass->deed == PH_UNIT_FORCE;
    if (!sprung || (first && !any(work->split)))
        return;
    UnitBody a, b;
    PhUnitPose pose;
    PhUnitRow rows[PH_JOINT_ROWS];
    Four inverse[6], asked[3], impulse[3], force[2] = {{0}, {0}};
    load_body(unit, work->place.side[0], &a);
    load_body(unit, work->place.side[1], &b);
    pose_of(&work->place, &a, &b, &pose);
    fill_kind(work->place.kind, &work->place.terms, &pose, rows);
    invert_rows(rows, sprung | work->rigid, &a, &b, inverse);
    ask(unit, work, rows, &a, &b, asked);
    sym_apply(inverse, asked, impulse);
    for (int k = 0; k < 3; k++) {
        // Rows of anchors that are torn very far apart may not be told from each other.
        FourMask pushes = four_abs(impulse[k]) < infinite;
        impulse[k] = has(sprung, k) ? keep(pushes, -impulse[k]) : four_splat(0);
        for (int i = 0; i < 2 && has(sprung, k); i++)
            force[i] += impulse[k] * rows[k].along[i];
    }
    Four length = length2(force), torque = four_splat(0), most = work->most_torque;
    Four share = four_select(length > work->most_force, work->most_force / length, four_splat(1));
    for (int k = 0; k < 3; k++) {
        if (!has(sprung, k))
            continue;
        FourMask couple = rows[k].couple != four_splat(0);
        Four bounded = four_select(impulse[k] > most, most, impulse[k]);
        bounded = four_select(bounded < -most, -most, bounded);
        impulse[k] = four_select(couple, bounded, impulse[k] * share);
        torque += keep(couple, impulse[k]);
        push_body(&a, rows[k].a, impulse[k], a.v);
        push_body(&b, rows[k].b, impulse[k], b.v);
    }
    for (int i = 0; i < 2; i++)
        work->sum_force[i] += share * force[i];
    work->sum_torque += torque;
    if (first) {
        memcpy(work->force, impulse, sizeof work->force);
        gain(unit, &a, work->kept_a);
        gain(unit, &b, work->kept_b);
    }
    store_body(unit, &a, a.v, unit->lanes);
    store_body(unit, &b, b.v, unit->lanes);
}

// ------------------------------------------------------------------------------------------------

// Pulls of the impulses that the last step has left.
static void start_pulls(const Unit *unit) {
    for (uint32_t l = 0; l < unit->count; l++) {
        UnitFactor *factor = &unit->factors[l];
        if (is_bare(unit, l))
            continue;
        PhUnitWork *work = work_of(unit, l);
        fill_rows(unit, l, factor);
        memset(factor->sum, 0, sizeof factor->sum);
        pulls_of(factor, work, &work->pull_a, &work->pull_b);
    }
}

static void solve_unit(const Unit *unit) {
    for (uint32_t l = 0; l < unit->count; l++)
        fill_factor(unit, l);
    solve_tree(unit);
    if (unit->shift) {
        end_shift(unit);
        return;
    }
    FourMask lanes = unit->lanes;
    if (!unit->block->direct)
        soften(unit);
    if (unit->block->direct && unit->pass->push) {
        FourMask sudden = lanes & find_sudden(unit);
        if (any(sudden)) { // what the others have found is theirs
            commit(unit, lanes & ~sudden);
            brace(unit);
            solve_tree(unit);
            lanes = sudden;
        }
    }
    commit(unit, lanes);
}

void PH_UNIT_PASS(const PhUnitPass *pass, const PhJointBlock *block) {
    PhJointLayout *own = &pass->run->layout->arrays->joints;
    UnitBody *bodies = (UnitBody *)(void *)((char *)own->unit_scratch + block->scratch);
    const Four lane = {0, 1, 2, 3};
    Unit unit = {.pass = pass,
                 .run = pass->run,
                 .block = block,
                 .named = own->bodies + block->first_body,
                 .rows = own->unit_rows + block->first_row,
                 .bodies = bodies,
                 .factors = (UnitFactor *)(void *)(bodies + block->body_count),
                 .links = own->links + block->first_link,
                 .works = own->unit_works + block->first_work,
                 .link_count = block->link_count,
                 .count = block->link_count + block->cut_count,
                 .lanes = (FourMask)(lane < (double)block->count),
                 .shift = pass->shift != 0};
    if (pass->deed == PH_UNIT_FORCE || pass->deed == PH_UNIT_REST) {
        for (uint32_t w = 0; w < block->work_count; w++)
            act_spring(&unit, &unit.works[w]);
        return;
    }
    for (uint32_t i = 0; i < block->body_count; i++) {
        load_body(&unit, i, &bodies[i]);
        bodies[i].bare = true;
        if (unit.shift)
            start_shift(&unit, &bodies[i]);
    }
    for (uint32_t l = 0; l < unit.link_count; l++)
        bodies[unit.links[l].parent].bare = false;
    switch (pass->deed) {
    case PH_UNIT_START:
        start_pulls(&unit);
        break;
    case PH_UNIT_WARM:
        warm_start(&unit);
        break;
    default:
        solve_unit(&unit);
    }
}

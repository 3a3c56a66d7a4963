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

#include "solve/joint_elimination_source.h"
#include "solve/joint_spring_source.h"

// ------------------------------------------------------------------------------------------------
// the pass

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

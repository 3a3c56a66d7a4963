// Passes over units of joints of one shape, PH_WIDE at a time, 1 or 4: part of the units
// joint_units_*.c, which define PH_UNIT_PASS. In a pass all rows of a unit are met at once,
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
// What takes back an error is given back by the relax, but for what the bodies have turned in
// between; where light ones are thrown about by the jerk of a heavy one, that is nearly all of it.
// So a large error is taken back by places alone: the push is solved without it as well, and
// what the velocities differ by moves the bodies for this substep and is forgotten.
//
// A row of an axis, with the limits low and high of its velocity u, and a motor of speed s and
// largest impulse m, lies on a falling staircase: u = low with any impulse above, +m up to u = s,
// from +m to -m there, -m up to u = high, and any impulse below there. The step that it is on is
// guessed to be the one it was on last; rows that turn out to be on another one change over, and
// the tree is solved again, MOST_TRIES times at most. Where rows of several joints would chase each
// other, only the first one changes over from the fourth time on (K. G. Murty, "Note on a Bard-type
// Scheme for Solving the Complementarity Problem" (1974)). A lane that is done before others meets
// the same numbers again.
//
// Invariant: lanes never exchange data, and those in use have different dynamic bodies; the others
// repeat the first one.
//
// Sources: R. Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapter 7, on impulses;
// D. Baraff, "Linear-Time Dynamics using Lagrange Multipliers" (1996).
#include "math/wide.h"

#if PH_WIDE == 1
typedef PhJointPose Pose;
typedef PhJointTerms Terms;
typedef PhJointRow Row;
#else
typedef struct Pose {
    PH_JOINT_POSE(Wide)
} Pose;
typedef struct Terms {
    PH_JOINT_TERMS(Wide)
} Terms;
typedef struct Row {
    PH_JOINT_ROW(Wide)
} Row;
#endif
typedef struct Place {
    PH_UNIT_PLACE(Wide, Terms)
} Place;
typedef struct Fields {
    PH_UNIT_FIELDS(Wide, Place)
} Fields;
_Static_assert(sizeof(Place) == PH_WIDE * sizeof(PhUnitPlace), "number by number");
_Static_assert(sizeof(Fields) == PH_WIDE * sizeof(PhUnitFields), "number by number");

#include "solve/joint_rows_source.h"

#define EPSILON 1e-5
// The same where contacts know of the joints: their loads are not to stretch what is nearly
// straight, nor is what takes back an error to throw them.
#define FINE_EPSILON 1e-6
#define FINE_LARGE 0.005
#define ERROR_SHARE 0.2
#define CURVATURE_SHARE 0.45
// A pull that raises inertia by more than this within a pass has it done again.
#define SUDDEN 1.5
// Errors that would be taken back faster than this, m/s or rad/s, are large.
#define LARGE 0.1
// In rad: a body is turned no further at once when errors are taken back.
#define FARTHEST_TURN 0.5
// A push takes back no more of a length than this, in a substep of the world.
#define LENGTH_SHARE 0.02

enum { FREE_TRIES = 3, MOST_TRIES = 12, MOST_CUT_ROWS = PH_UNIT_LOOP_ROWS };

// In a pass. 3x3 matrices are symmetric: xx, xy, xw, yy, yw, ww.
typedef struct UnitBody {
    const uint32_t *row;                       // by lane
    bool fixed;                                // mass and inertia infinite
    bool bare;                                 // none hangs on it
    Wide mass, inertia, inv_mass, inv_inertia; // of what is not
    Wide start[3], v[3];                       // before the pass; with impulses that are given
    Wide own[3];                               // start, without the warm start of contacts
    Wide first[3];                             // start of the last push or relaxation
    Wide delta[4], turned;
    Wide dv[3], sum[3];         // of a sweep, of all sweeps
    Wide with[3];               // velocity with large errors taken back
    Wide p[3];                  // impulse of the subtree on the body, were it held
    Wide matrix[6], inverse[6]; // inertia of the body with its subtree
} UnitBody;

// A link or cut in a pass. What belongs to rows that are not solved is 0.
typedef struct UnitFactor {
    Row rows[PH_JOINT_ROWS];
    const Wide *child[3], *parent[3]; // Jacobians, in rows
    Wide bias[3];                     // of rows held whatever happens
    Wide taken[3];                    // what takes back the error, among bias, or low, or high
    Wide low[3], high[3], speed[3], most[3]; // of axis rows: limits of J v, motor and its impulse
    Wide state[3], found[3];                 // found: by the solve before
    Wide error[3], stiffness[6], impulse[3], sum[3];
    WideMask solved[3];
    Wide before[3]; // the impulse before the pass
    Wide arm_a[2], arm_b[2];
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
    Fields *fields;             // by work
    uint32_t link_count, count; // count: and cuts
    bool shift;
} Unit;

static bool has(uint8_t rows, int k) {
    return rows >> k & 1;
}

static PhUnitWork *work_of(const Unit *unit, uint32_t l) {
    return &unit->works[unit->links[l].work];
}
static Fields *fields_of(const Unit *unit, uint32_t l) {
    return &unit->fields[unit->links[l].work];
}
// A link that stands for a gear among the cuts.
static bool is_bare(const Unit *unit, uint32_t l) {
    return l < unit->link_count && work_of(unit, l)->gear;
}

PH_FOUR_INLINE WideMask is_state(Wide state, PhAxisState which) {
    return state == wide_splat((double)which);
}
// Not held: a motor at its bound, or nothing, gives its impulse.
PH_FOUR_INLINE WideMask is_free(Wide state) {
    return is_state(state, PH_AXIS_PUSHED) | is_state(state, PH_AXIS_PULLED);
}
PH_FOUR_INLINE void sym_invert(const Wide m[6], Wide out[6]) {
    Wide xx = m[3] * m[5] - m[4] * m[4];
    Wide xy = m[2] * m[4] - m[1] * m[5];
    Wide xw = m[1] * m[4] - m[2] * m[3];
    Wide inv = 1 / (m[0] * xx + m[1] * xy + m[2] * xw);
    out[0] = inv * xx;
    out[1] = inv * xy;
    out[2] = inv * xw;
    out[3] = inv * (m[0] * m[5] - m[2] * m[2]);
    out[4] = inv * (m[1] * m[2] - m[0] * m[4]);
    out[5] = inv * (m[0] * m[3] - m[1] * m[1]);
}

PH_FOUR_INLINE void sym_apply(const Wide m[6], const Wide v[3], Wide out[3]) {
    Wide x = v[0], y = v[1], w = v[2];
    out[0] = m[0] * x + m[1] * y + m[2] * w;
    out[1] = m[1] * x + m[3] * y + m[4] * w;
    out[2] = m[2] * x + m[4] * y + m[5] * w;
}

// Adds an impulse along a Jacobian to a velocity: dv += M^-1 J^T impulse.
PH_FOUR_INLINE void push_body(const UnitBody *body, const Wide jacobian[3], Wide impulse,
                              Wide dv[3]) {
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
    const uint32_t *row = unit->rows + (size_t)i * PH_WIDE;
    Wide quad[4];
    body->row = row;
    body->fixed = unit->named[i].fixed;
    wide_load_quads((const float(*)[4])rows->velocity, row, quad);
    for (int k = 0; k < 3; k++)
        body->start[k] = body->v[k] = quad[k];
    wide_load_quads((const float(*)[4])rows->before, row, quad);
    for (int k = 0; k < 3; k++)
        body->own[k] = quad[k];
    wide_load_quads((const float(*)[4])rows->delta, row, body->delta);
    body->turned = wide_gather_floats(rows->turned, row);
    if (body->fixed)
        return;
    const double *mass[PH_WIDE], *inertia[PH_WIDE];
    for (int l = 0; l < PH_WIDE; l++) {
        const PhJointMass *of = &arrays->joints.masses[row[l]];
        mass[l] = &of->mass;
        inertia[l] = unit->pass->blow ? &of->own : &of->inertia;
    }
    wide_split(mass, &body->mass, &body->inv_mass);
    wide_split(inertia, &body->inertia, &body->inv_inertia);
    if (unit->pass->blow)
        body->inv_inertia = 1 / body->inertia;
}

// Velocities to the rows, of the lanes named. What joints do to a velocity is no business of the
// contacts' warm start (kernels_source.h).
static void store_body(const Unit *unit, const UnitBody *body, const Wide velocity[3],
                       WideMask lanes) {
    const PhRows *rows = &unit->run->layout->arrays->rows;
    const Wide speed = wide_splat(2 * unit->run->parameters->max_speed);
    const Wide most[3] = {speed, speed, wide_splat(PH_PI / unit->run->h)};
    Wide next[3];
    FourFloat out[PH_WIDE];
    uint32_t bits = wide_bits(lanes);
    if (body->fixed)
        return;
    for (int k = 0; k < 3; k++) { // beyond all limits, or none where masses are beyond float64
        next[k] = wide_select(velocity[k] > most[k], most[k], velocity[k]);
        next[k] = wide_select(next[k] < -most[k], -most[k], next[k]);
    }
    wide_rows(next, out);
    for (uint32_t l = 0; l < PH_WIDE; l++) {
        if (!(bits >> l & 1))
            continue;
        float *now = rows->velocity[body->row[l]], *before = rows->before[body->row[l]];
        FourFloat was = four_float(now), to = out[l];
        to[3] = was[3];
        to = four_float_select(to == to, to, was);
        four_float_store(before, four_float(before) + (to - was));
        four_float_store(now, to);
    }
}

// What the velocity of a body with errors taken back has more than its own.
static inline Wide excess_of(const UnitBody *body, int k) {
    return body->with[k] - (body->v[k] + body->sum[k]);
}

// The share of errors that a substep takes back: rows are linear, and tell nothing of where a body
// is that has turned far.
static Wide share_of(const Unit *unit) {
    const Wide most = wide_splat(FARTHEST_TURN / unit->run->h);
    Wide fastest = most;
    for (uint32_t i = 0; i < unit->block->body_count; i++) {
        if (unit->bodies[i].fixed)
            continue;
        Wide turn = wide_abs(excess_of(&unit->bodies[i], 2));
        fastest = wide_select(turn > fastest, turn, fastest);
    }
    return most / fastest;
}

// Moves a body for a substep by a share of that, from where it was when the pass began: lanes that
// repeat the first one move it no further.
static void move_by(const Unit *unit, const UnitBody *body, Wide share, WideMask lanes) {
    const PhRows *rows = &unit->run->layout->arrays->rows;
    const Wide h = unit->run->h * share;
    const Wide *d = body->delta;
    Wide way[3];
    if (body->fixed)
        return;
    for (int k = 0; k < 3; k++)
        way[k] = h * excess_of(body, k);
    Wide c = (1 + d[2]) - way[2] * d[3], s = d[3] + way[2] * (1 + d[2]);
    Wide scale = 1 / wide_sqrt(c * c + s * s);
    const Wide next[5] = {d[0] + way[0], d[1] + way[1], c * scale - 1, s * scale,
                          body->turned + way[2]};
    for (uint32_t l = 0, bits = wide_bits(lanes); l < PH_WIDE; l++) {
        double sum = 0;
        for (int k = 0; k < 5; k++)
            sum += wide_get(next[k], l);
        if (!(bits >> l & 1) || !(fabs(sum) < 1e30)) // no number: masses are beyond float64
            continue;
        for (int k = 0; k < 4; k++)
            rows->delta[body->row[l]][k] = (float)wide_get(next[k], l);
        rows->turned[body->row[l]] = (float)wide_get(next[4], l);
    }
}

// ------------------------------------------------------------------------------------------------
// rows

PH_FOUR_INLINE void turn_by(const Wide delta[4], const Wide arm[2], Wide out[2]) {
    Wide c = 1 + delta[2], s = delta[3];
    out[0] = c * arm[0] - s * arm[1];
    out[1] = s * arm[0] + c * arm[1];
}

static void pose_of(const Place *place, const UnitBody *a, const UnitBody *b, Pose *pose) {
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
static void fill_gear(const Unit *unit, const PhJointLink *link, const PhUnitWork *work,
                      const Fields *fields, Row rows[2]) {
    const PhJointLayout *own = &unit->run->layout->arrays->joints;
    rows[0].coordinate = -fields->rest;
    rows[0].acceleration = wide_splat(0);
    for (int side = 0; side < 2; side++) {
        const Place *place =
            (const Place *)(const void *)ph_unit_part(own, unit->block, work->gear, side);
        Wide scale = side ? fields->gearing : wide_splat(1);
        Pose pose;
        Row of[PH_JOINT_ROWS];
        pose_of(place, &unit->bodies[link->frame[side]], &unit->bodies[work->side[side]], &pose);
        fill_kind(work->part[side], &place->terms, &pose, of);
        const Row *row = &of[work->coordinate[side]];
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
    const Place *place = &fields_of(unit, l)->place;
    const UnitBody *c = &unit->bodies[link->child];
    Pose pose;
    factor->rigid = factor->axis = factor->used = 0;
    memset(factor->arm_a, 0, sizeof factor->arm_a);
    memset(factor->arm_b, 0, sizeof factor->arm_b);
    if (is_bare(unit, l))
        return;
    factor->rigid = work->rigid;
    factor->axis = work->axis;
    factor->used = work->rigid | work->axis;
    if (work->gear) {
        fill_gear(unit, link, work, fields_of(unit, l), factor->rows);
    } else {
        const UnitBody *a = &unit->bodies[work->side[0]];
        const UnitBody *b = &unit->bodies[work->side[1]];
        pose_of(place, a, b, &pose);
        fill_kind(work->kind, &place->terms, &pose, factor->rows);
        memcpy(factor->arm_a, pose.arm_a, sizeof factor->arm_a);
        memcpy(factor->arm_b, pose.arm_b, sizeof factor->arm_b);
    }
    bool turned = c == &unit->bodies[work->side[0]];
    for (int k = 0; k < 3; k++) {
        factor->child[k] = turned ? factor->rows[k].a : factor->rows[k].b;
        factor->parent[k] = turned ? factor->rows[k].b : factor->rows[k].a;
    }
}

// What a push takes back of an error, as a velocity: of a length no more than a part of it in a
// substep of the world. Beyond, light points would only be thrown about.
PH_FOUR_INLINE Wide take_back(const Unit *unit, const PhUnitWork *work, Wide share, Wide error,
                              Wide length) {
    Wide back = share * error;
    const PhStepParameters *parameters = unit->run->parameters;
    if (work->gear || work->kind != PH_JOINT_DISTANCE)
        return back;
    Wide most = LENGTH_SHARE * parameters->substeps / parameters->dt * length;
    return wide_select(back > most, most, wide_select(back < -most, -most, back));
}

// Limits and motor of an axis row, and a state that it can have.
static void fill_axis(const Unit *unit, uint32_t l, int k) {
    const PhUnitWork *work = work_of(unit, l);
    const Fields *fields = fields_of(unit, l);
    UnitFactor *factor = &unit->factors[l];
    const Row *row = &factor->rows[k];
    const Wide least = wide_splat(-INFINITY), most = wide_splat(INFINITY), zero = wide_splat(0);
    double h = unit->run->h;
    const Wide inv_h = wide_splat(1 / h);
    const Wide back = wide_splat(unit->pass->push ? ERROR_SHARE * (1 / h) : 0);
    const Wide curve = wide_splat(unit->pass->push ? CURVATURE_SHARE * h : 0) * row->acceleration;
    factor->low[k] = least;
    factor->high[k] = most;
    factor->speed[k] = factor->most[k] = zero;
    if (k == work->limited) { // 0 of what is no limit would be no number
        Wide below = fields->lower - row->coordinate, above = fields->upper - row->coordinate;
        Wide far = wide_select(below > 0, below, wide_keep(above < 0, above));
        Wide length = wide_select(below > 0, fields->lower, row->coordinate);
        factor->taken[k] = take_back(unit, work, back, far, length);
        Wide low = wide_select(below > 0, factor->taken[k], inv_h * below) - curve;
        Wide high = wide_select(above < 0, factor->taken[k], inv_h * above) - curve;
        factor->low[k] = wide_select(below > least, low, least);
        factor->high[k] = wide_select(above < most, high, most);
    }
    if (k == work->motored) {
        factor->speed[k] = fields->speed;
        factor->most[k] = fields->motor;
        if (unit->pass->blow)
            factor->most[k] = wide_keep(fields->motor == most, fields->motor);
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

static void fill_factor(const Unit *unit, uint32_t l) {
    const PhUnitPass *pass = unit->pass;
    const PhUnitWork *work = work_of(unit, l);
    const Fields *fields = fields_of(unit, l);
    UnitFactor *factor = &unit->factors[l];
    double h = unit->run->h;
    double share = !pass->push ? 0 : unit->block->direct ? ERROR_SHARE / h : pass->rate;
    const Wide curve = wide_splat(pass->push ? CURVATURE_SHARE * h : 0), back = wide_splat(share);
    const Wide zero = wide_splat(0);
    fill_rows(unit, l, factor);
    for (int k = 0; k < 3; k++) {
        const Row *row = &factor->rows[k];
        factor->before[k] = fields->impulse[k];
        factor->taken[k] = zero;
        if (has(factor->rigid, k)) {
            Wide error = k == work->limited ? row->coordinate - fields->lower : row->coordinate;
            Wide length = zero;
            if (work->kind == PH_JOINT_DISTANCE)
                length = wide_select(error > 0, row->coordinate, fields->lower);
            factor->taken[k] = take_back(unit, work, back, error, length);
            factor->bias[k] = factor->taken[k] + curve * row->acceleration;
        }
        if (has(factor->axis, k))
            fill_axis(unit, l, k);
    }
}

// The velocity that an axis row is held at.
PH_FOUR_INLINE Wide held_at(const Unit *unit, const UnitFactor *factor, int k) {
    if (unit->shift)
        return wide_splat(0);
    Wide high =
        wide_select(is_state(factor->state[k], PH_AXIS_HIGH), factor->high[k], factor->speed[k]);
    return wide_select(is_state(factor->state[k], PH_AXIS_LOW), factor->low[k], high);
}

// What a row lacks besides J v.
PH_FOUR_INLINE Wide lack_of(const Unit *unit, const UnitFactor *factor, int k) {
    return has(factor->axis, k) ? -held_at(unit, factor, k) : factor->bias[k];
}

static Wide velocity_along(const Unit *unit, uint32_t l, int k) {
    const UnitBody *c = &unit->bodies[unit->links[l].child];
    const UnitBody *p = &unit->bodies[unit->links[l].parent];
    const UnitFactor *factor = &unit->factors[l];
    Wide sum = wide_splat(0);
    for (int i = 0; i < 3; i++)
        sum += factor->child[k][i] * (c->v[i] + c->sum[i]) +
               factor->parent[k][i] * (p->v[i] + p->sum[i]);
    return sum;
}

// Gives the ports what contacts have given them.
static void load_ports(const Unit *unit) {
    for (uint32_t i = 0; i < unit->pass->port_count; i++) {
        UnitBody *body = &unit->bodies[unit->pass->ports[i]];
        const double *wrench = unit->pass->wrench[i];
        body->v[0] += wrench[0] * body->inv_mass;
        body->v[1] += wrench[1] * body->inv_mass;
        body->v[2] += wrench[2] * body->inv_inertia;
    }
}

// Gives the impulses of rows that are not held, and names those that are.
static void give_impulses(const Unit *unit) {
    const Wide zero = wide_splat(0);
    for (uint32_t i = 0; i < unit->block->body_count; i++) {
        memcpy(unit->bodies[i].v, unit->bodies[i].start, sizeof unit->bodies[i].v);
        memset(unit->bodies[i].sum, 0, sizeof unit->bodies[i].sum);
    }
    if (unit->pass->deed == PH_UNIT_AGAIN)
        load_ports(unit);
    for (uint32_t l = 0; l < unit->count; l++) {
        UnitFactor *factor = &unit->factors[l];
        const Fields *fields = fields_of(unit, l);
        UnitBody *c = &unit->bodies[unit->links[l].child];
        UnitBody *p = &unit->bodies[unit->links[l].parent];
        for (int k = 0; k < 3; k++) {
            factor->sum[k] = zero;
            if (has(factor->rigid, k))
                factor->solved[k] = wide_all();
        }
        for (int k = 0; k < 3 && factor->axis; k++) {
            if (!has(factor->axis, k))
                continue;
            WideMask free = is_free(factor->state[k]);
            factor->solved[k] = ~free;
            if (unit->shift || !wide_any(free))
                continue;
            WideMask pulled = is_state(factor->state[k], PH_AXIS_PULLED);
            Wide most = wide_select(pulled, -factor->most[k], factor->most[k]);
            factor->sum[k] = wide_keep(free, most - fields->impulse[k]);
            push_body(c, factor->child[k], factor->sum[k], c->v);
            push_body(p, factor->parent[k], factor->sum[k], p->v);
        }
    }
}

// Where on its staircase a row is, in lanes that may change. Returns those in which it is elsewhere
// than guessed.
static WideMask move_on(UnitFactor *factor, int k, Wide u, Wide impulse, WideMask may) {
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
    Wide from_free = wide_select(beyond, driven,
                                 wide_select(u < low, at_low, wide_select(u > high, at_high, was)));
    Wide held = wide_select(is_state(was, PH_AXIS_HIGH), from_high, from_driven);
    held = wide_select(is_state(was, PH_AXIS_LOW), from_low, held);
    factor->state[k] = wide_select(may, wide_select(is_free(was), from_free, held), was);
    return factor->state[k] != was;
}

static bool move_all(const Unit *unit, bool first) {
    WideMask changed = wide_none();
    for (uint32_t l = 0; l < unit->count; l++) {
        UnitFactor *factor = &unit->factors[l];
        for (int k = 0; k < 3 && factor->axis; k++)
            if (has(factor->axis, k))
                changed |= move_on(factor, k, velocity_along(unit, l, k),
                                   fields_of(unit, l)->impulse[k] + factor->sum[k],
                                   first ? ~changed : wide_all());
    }
    return wide_any(changed);
}

static double epsilon_of(const Unit *unit) {
    return unit->block->articulated ? FINE_EPSILON : EPSILON;
}

#include "solve/joint_elimination_source.h"
#include "solve/joint_spring_source.h"

// ------------------------------------------------------------------------------------------------
// the pass

#include "solve/joint_pulls_source.h"

// A joint that is solved alone yields a little: part of what it holds already is let go, or joints
// in loops would drive each other (E. Catto, "Solver2D" (2024)).
static void soften(const Unit *unit) {
    uint32_t l = unit->count - 1; // before it: the bare links of a gear
    UnitFactor *factor = &unit->factors[l];
    const Fields *fields = fields_of(unit, l);
    const Wide yields = wide_splat(unit->pass->yields);
    for (int k = 0; k < 3 && unit->pass->push; k++) {
        if (!has(factor->rigid, k))
            continue;
        Wide less = yields * (factor->sum[k] + fields->impulse[k]);
        factor->sum[k] -= less;
        CutEnd ends[4];
        for (int n = 0, count = ends_of(unit, (CutRow){l, k}, ends); n < count; n++)
            push_body(ends[n].body, ends[n].jacobian, -less, ends[n].body->sum);
    }
}

// To the work; after a relax the impulse of the substep is complete.
static void keep_impulse(const Unit *unit, uint32_t l, WideMask lanes) {
    if (is_bare(unit, l))
        return; // it is among the cuts
    Fields *fields = fields_of(unit, l);
    UnitFactor *factor = &unit->factors[l];
    for (int k = 0; k < 3; k++) {
        const Row *row = &factor->rows[k];
        if (!has(factor->used, k))
            continue;
        fields->impulse[k] += wide_keep(lanes, factor->sum[k]);
        if (has(factor->axis, k) && !unit->pass->blow)
            fields->state[k] = wide_select(lanes, factor->state[k], fields->state[k]);
        if (unit->pass->push)
            continue;
        fields->sum_force[0] += fields->impulse[k] * row->along[0];
        fields->sum_force[1] += fields->impulse[k] * row->along[1];
        fields->sum_torque += fields->impulse[k] * row->couple;
        factor->sum[k] = wide_splat(0); // it is in the impulse
    }
    if (!unit->pass->push && !unit->pass->blow)
        pulls_of(factor, fields, &fields->pull_a, &fields->pull_b);
}

static void commit(const Unit *unit, WideMask lanes) {
    for (uint32_t l = 0; l < unit->count; l++)
        keep_impulse(unit, l, lanes);
    for (uint32_t i = 0; i < unit->block->body_count; i++) {
        const UnitBody *body = &unit->bodies[i];
        Wide velocity[3];
        for (int k = 0; k < 3; k++)
            velocity[k] = body->v[k] + body->sum[k];
        store_body(unit, body, velocity, lanes);
    }
}

static Wide large_of(const Unit *unit) {
    return wide_splat(unit->block->articulated ? FINE_LARGE : LARGE);
}

// Lanes in which a push takes back a large error.
static WideMask find_large(const Unit *unit) {
    const Wide most = large_of(unit);
    WideMask large = wide_none();
    for (uint32_t l = 0; l < unit->count; l++) {
        const UnitFactor *factor = &unit->factors[l];
        for (int k = 0; k < 3; k++)
            if (has(factor->used, k))
                large |= (factor->taken[k] > most) | (factor->taken[k] < -most);
    }
    return large;
}

// Large errors are taken back at that speed.
static void forget_errors(const Unit *unit, WideMask lanes) {
    const Wide large = large_of(unit);
    for (uint32_t l = 0; l < unit->count; l++) {
        UnitFactor *factor = &unit->factors[l];
        for (int k = 0; k < 3; k++) {
            if (!has(factor->used, k))
                continue;
            Wide all = factor->taken[k];
            Wide kept = wide_select(all > large, large, wide_select(all < -large, -large, all));
            Wide taken = wide_keep(lanes, all - kept);
            if (has(factor->rigid, k)) {
                factor->bias[k] -= taken;
                continue;
            }
            factor->low[k] -= wide_keep(taken > 0, taken);
            factor->high[k] -= wide_keep(taken < 0, taken);
        }
    }
}

// What a push has found, to the rows. Where it takes back large errors, it is solved once more.
static void end_push(const Unit *unit, WideMask lanes) {
    WideMask large = lanes & find_large(unit);
    commit(unit, lanes & ~large);
    if (!wide_any(large))
        return;
    for (uint32_t i = 0; i < unit->block->body_count; i++)
        for (int k = 0; k < 3; k++)
            unit->bodies[i].with[k] = unit->bodies[i].v[k] + unit->bodies[i].sum[k];
    forget_errors(unit, large);
    for (uint32_t l = 0; l < unit->count; l++)
        memcpy(unit->factors[l].found, unit->factors[l].state, sizeof unit->factors[l].state);
    solve_tree(unit);
    for (uint32_t l = 0; l < unit->count; l++) {
        UnitFactor *factor = &unit->factors[l];
        for (int k = 0; k < 3; k++)
            factor->state[k] = wide_select(large, factor->state[k], factor->found[k]);
    }
    commit(unit, large);
    Wide share = share_of(unit);
    for (uint32_t i = 0; i < unit->block->body_count; i++)
        move_by(unit, &unit->bodies[i], share, large);
}

#if PH_WIDE == 1
// Behind a solve in the same scratch nothing else has changed.
static void load_velocity(const Unit *unit, UnitBody *body) {
    const float *velocity = unit->run->layout->arrays->rows.velocity[body->row[0]];
    for (int k = 0; k < 3; k++)
        body->start[k] = (double)velocity[k];
}
#endif

static void start_shift(const Unit *unit, UnitBody *body) {
    Wide drive[4];
    wide_load_quads((const float(*)[4])unit->run->layout->arrays->rows.drive, body->row, drive);
    for (int k = 0; k < 3; k++)
        body->start[k] = body->fixed ? wide_splat(0) : unit->pass->shift * drive[k];
}

static void end_shift(const Unit *unit) {
    float(*velocity)[4] = unit->run->layout->arrays->rows.velocity;
    for (uint32_t i = 0; i < unit->block->body_count; i++) {
        const UnitBody *body = &unit->bodies[i];
        for (int k = 0; k < 3 && !body->fixed; k++)
            for (uint32_t l = 0; l < unit->block->count; l++)
                velocity[body->row[l]][k] += (float)wide_get(body->v[k] + body->sum[k], l);
    }
}

// Before a push, of a unit that is not all there is to its bodies: what the impulses that were
// given come to at the arms of now is given in any case.
static void warm_start(const Unit *unit) {
    uint32_t l = unit->count - 1;
    UnitFactor *factor = &unit->factors[l];
    const Fields *fields = fields_of(unit, l);
    fill_rows(unit, l, factor);
    for (int k = 0; k < 3; k++) {
        CutEnd ends[4];
        if (!has(factor->used, k))
            continue;
        for (int n = 0, count = ends_of(unit, (CutRow){l, k}, ends); n < count; n++)
            push_body(ends[n].body, ends[n].jacobian, fields->impulse[k], ends[n].body->v);
    }
    for (uint32_t i = 0; i < unit->block->body_count; i++)
        store_body(unit, &unit->bodies[i], unit->bodies[i].v, wide_all());
}

// ------------------------------------------------------------------------------------------------

// Pulls of the impulses that the last step has left.
static void start_pulls(const Unit *unit) {
    for (uint32_t l = 0; l < unit->count; l++) {
        UnitFactor *factor = &unit->factors[l];
        if (is_bare(unit, l))
            continue;
        Fields *fields = fields_of(unit, l);
        fill_rows(unit, l, factor);
        memset(factor->sum, 0, sizeof factor->sum);
        pulls_of(factor, fields, &fields->pull_a, &fields->pull_b);
    }
}

#if PH_WIDE == 1
#include "solve/joint_ports_source.h"
#endif

static void solve_unit(const Unit *unit) {
    for (uint32_t i = 0; i < unit->block->body_count; i++)
        memcpy(unit->bodies[i].first, unit->bodies[i].start, sizeof unit->bodies[i].first);

    for (uint32_t l = 0; l < unit->count; l++)
        fill_factor(unit, l);
    solve_tree(unit);
    if (unit->shift) {
        end_shift(unit);
        return;
    }
    WideMask lanes = wide_all();
    if (!unit->block->direct)
        soften(unit);
    if (!unit->block->direct || !unit->pass->push) {
        commit(unit, lanes);
        return;
    }
    WideMask sudden = find_sudden(unit);
    if (wide_any(sudden)) { // what the others have found is theirs
        brace(unit);        // the pulls are where sweeps have theirs
        end_push(unit, ~sudden);
        solve_tree(unit);
        lanes = sudden;
    }
    end_push(unit, lanes);
}

void PH_UNIT_PASS(const PhUnitPass *pass, const PhJointBlock *block) {
    PhJointLayout *own = &pass->run->layout->arrays->joints;
    UnitBody *bodies = (UnitBody *)(void *)((char *)own->unit_scratch + block->scratch);
    Unit unit = {.pass = pass,
                 .run = pass->run,
                 .block = block,
                 .named = own->bodies + block->first_body,
                 .rows = own->unit_rows + block->first_row,
                 .bodies = bodies,
                 .factors = (UnitFactor *)(void *)(bodies + block->body_count),
                 .links = own->links + block->first_link,
                 .works = own->unit_works + block->first_work,
                 .fields = (Fields *)(void *)ph_unit_fields(own, block, 0),
                 .link_count = block->link_count,
                 .count = block->link_count + block->cut_count,
                 .shift = pass->shift != 0};
    if (pass->deed == PH_UNIT_FORCE || pass->deed == PH_UNIT_REST) {
        if (block->leans && pass->deed == PH_UNIT_REST)
            lean(unit);
        for (uint32_t w = 0; w < block->work_count; w++)
            act_spring(&unit, &unit.works[w], &unit.fields[w]);
        return;
    }
#if PH_WIDE == 1
    if (pass->deed == PH_UNIT_RESPOND) {
        respond(&unit);
        return;
    }
    if (pass->deed == PH_UNIT_GIVE || pass->deed == PH_UNIT_AGAIN) {
        for (uint32_t i = 0; i < block->body_count; i++)
            load_velocity(&unit, &bodies[i]);
        if (pass->deed == PH_UNIT_AGAIN) {
            solve_again(&unit);
            return;
        }
        give_to_ports(&unit);
        end_ports(&unit);
        return;
    }
#endif
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

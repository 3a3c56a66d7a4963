// Passes over articulations of one shape, PH_WIDE at a time, 1 or 4: part of the articulations
// articulations_*.c, which define PH_ARTICULATION_PASS. In a pass all rows of an articulation are
// met at once, loops included.
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
// In a biased solve b is 0.2 / h of the error and 0.46 h of the acceleration of the row, the
// second-order part of where the error will be: then solve and relax together keep the energy of
// what swings (H. Andersen, "Rattle" (1983)); 0.5 would be exact and sometimes gain, 0.46 loses a
// little. What takes back an error is given back by the relax, but for what the bodies have turned
// in between; where light ones are thrown about by the jerk of a heavy one, that is nearly all of
// it. So a large error is taken back by places alone: the biased solve is solved without it as
// well, and what the velocities differ by moves the bodies for this substep and is forgotten.
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
// Sources: R. Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapter 7, on impulses; D.
// Baraff, "Linear-Time Dynamics using Lagrange Multipliers" (1996).
#include <float.h>

#include "math/rotation_step.h"
#include "math/wide.h"

#if PH_WIDE == 1
typedef PhJointPose Pose;
typedef PhJointTerms Terms;
typedef PhJointRow ConstraintRow;
#else
typedef struct Pose {
    PH_JOINT_POSE(Wide)
} Pose;
typedef struct Terms {
    PH_JOINT_TERMS(Wide)
} Terms;
typedef struct ConstraintRow {
    PH_JOINT_ROW(Wide)
} ConstraintRow;
#endif
typedef struct Place {
    PH_ARTICULATION_PLACE(Wide, Terms)
} Place;
typedef struct Fields {
    PH_ARTICULATION_FIELDS(Wide, Place)
} Fields;
_Static_assert(sizeof(Place) == PH_WIDE * sizeof(PhArticulationPlace), "number by number");
_Static_assert(sizeof(Fields) == PH_WIDE * sizeof(PhArticulationFields), "number by number");

#include "solve/joint_rows_source.h"

PH_ROTATION_STEP(Wide, wide_splat, rotate_wide)

#define EPSILON 1e-5
// The same where contacts know of the joints: their loads are not to stretch what is nearly
// straight, nor is what takes back an error to throw them.
#define FINE_EPSILON 1e-6
#define ERROR_SHARE 0.2
#define CURVATURE_SHARE 0.46
// A pull that raises inertia by more than this within a pass has it done again.
#define SUDDEN 1.5
// In rad: a body is turned no further at once when errors are taken back.
#define FARTHEST_TURN 0.5
// A biased solve takes back no more of a length than this, in a substep of the world.
#define LENGTH_SHARE 0.02

enum { FREE_TRIES = 3, MOST_TRIES = 12, MOST_CLOSURE_ROWS = PH_ARTICULATION_LOOP_ROWS };

// In a pass. 3x3 matrices are symmetric: xx, xy, xw, yy, yw, ww.
typedef struct ArticulationBody {
    const uint32_t *solver_body;               // by lane
    bool fixed;                                // mass and inertia infinite
    bool bare;                                 // none hangs on it
    Wide mass, inertia, inv_mass, inv_inertia; // of what is not
    Wide start[3], v[3];                       // before the pass; with impulses that are given
    Wide own[3];                               // start, without the warm start of contacts
    Wide first[3];                             // start of the last biased solve or relaxation
    Wide delta[4], turned;
    Wide dv[3], sum[3];         // of a sweep, of all sweeps
    Wide with[3];               // velocity with large errors taken back
    Wide p[3];                  // impulse of the subtree on the body, were it held
    Wide matrix[6], inverse[6]; // inertia of the body with its subtree
} ArticulationBody;

// A link or loop closure in a pass. What belongs to rows that are not solved is 0.
typedef struct ArticulationFactor {
    ConstraintRow rows[PH_JOINT_ROWS];
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
    bool pin;                  // of two rows along the axes of the world, and no others
} ArticulationFactor;

// What stays of an articulation from pass to pass, behind its factors; where it has a scratch of
// its own.
typedef struct ArticulationKept {
    bool current;     // factors of the tree are those of the places and the inertia of now
    uint32_t version; // of them; 0: none
} ArticulationKept;

typedef struct Articulation {
    const PhArticulationPass *pass;
    const PhJointRun *run;
    const PhJointPack *pack;
    const PhJointBody *named;
    const uint32_t *solver_bodies; // by body and lane
    ArticulationBody *bodies;
    ArticulationFactor *factors; // links, then loop closures
    const PhJointLink *links;
    PhArticulationWork *works;
    Fields *fields;             // by work
    uint32_t link_count, count; // count: and loop closures
    bool shift;
    bool same;              // nothing has moved since the last pass, and inertia is what it was
    ArticulationKept *kept; // NULL: nothing is
} Articulation;

static bool has(uint8_t rows, int k) {
    return rows >> k & 1;
}

static PhArticulationWork *work_of(const Articulation *articulation, uint32_t l) {
    return &articulation->works[articulation->links[l].work];
}
static Fields *fields_of(const Articulation *articulation, uint32_t l) {
    return &articulation->fields[articulation->links[l].work];
}
// A link that stands for a gear among the loop closures.
static bool is_bare(const Articulation *articulation, uint32_t l) {
    return l < articulation->link_count && work_of(articulation, l)->gear;
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
PH_FOUR_INLINE void apply_to_body(const ArticulationBody *body, const Wide jacobian[3],
                                  Wide impulse, Wide dv[3]) {
    if (body->fixed) {
        return;
    }
    dv[0] += jacobian[0] * impulse * body->inv_mass;
    dv[1] += jacobian[1] * impulse * body->inv_mass;
    dv[2] += jacobian[2] * impulse * body->inv_inertia;
}

// ------------------------------------------------------------------------------------------------
// bodies

static void load_body(const Articulation *articulation, uint32_t i, ArticulationBody *body) {
    const struct PhLayoutArrays *arrays = articulation->run->layout->arrays;
    const PhSolverBodyArrays *solver_bodies = &arrays->solver_bodies;
    const uint32_t *solver_body = articulation->solver_bodies + (size_t)i * PH_WIDE;
    Wide quad[4];
    body->solver_body = solver_body;
    body->fixed = articulation->named[i].fixed;
    wide_load_quads((const float(*)[4])solver_bodies->velocity, solver_body, quad);
    for (int k = 0; k < 3; k++) {
        body->start[k] = body->v[k] = quad[k];
    }
    wide_load_quads((const float(*)[4])solver_bodies->before, solver_body, quad);
    for (int k = 0; k < 3; k++) {
        body->own[k] = quad[k];
    }
    wide_load_quads((const float(*)[4])solver_bodies->delta, solver_body, body->delta);
    body->turned = wide_gather_floats(solver_bodies->turned, solver_body);
    if (body->fixed) {
        return;
    }
    const double *mass[PH_WIDE], *inertia[PH_WIDE];
    for (int l = 0; l < PH_WIDE; l++) {
        const PhJointMass *of = &arrays->joints.masses[solver_body[l]];
        mass[l] = &of->mass;
        inertia[l] = articulation->pass->bounce ? &of->own : &of->inertia;
    }
    wide_split(mass, &body->mass, &body->inv_mass);
    wide_split(inertia, &body->inertia, &body->inv_inertia);
    if (articulation->pass->bounce) {
        body->inv_inertia = 1 / body->inertia;
    }
}

// Velocities to the rows, of the lanes named. What joints do to a velocity is no business of the
// contacts' warm start (kernels_source.h).
static void store_body(const Articulation *articulation, const ArticulationBody *body,
                       const Wide velocity[3], WideMask lanes) {
    const PhSolverBodyArrays *solver_bodies = &articulation->run->layout->arrays->solver_bodies;
    // What contacts try against a motor until it gives way is taken back in the same pass.
    const PhArticulationPass *pass = articulation->pass; // NULL for springs
    bool tried = pass && pass->operation == PH_ARTICULATION_AGAIN;
    double most_speed = tried ? FLT_MAX : 2 * articulation->run->parameters->max_speed;
    const Wide speed = wide_splat(most_speed);
    const Wide most[3] = {speed, speed, wide_splat(tried ? FLT_MAX : PH_PI / articulation->run->h)};
    Wide next[3];
    FourFloat out[PH_WIDE];
    uint32_t bits = wide_bits(lanes);
    if (body->fixed) {
        return;
    }
    for (int k = 0; k < 3; k++) { // beyond all limits, or none where masses are beyond float64
        next[k] = wide_select(velocity[k] > most[k], most[k], velocity[k]);
        next[k] = wide_select(next[k] < -most[k], -most[k], next[k]);
    }
    wide_rows(next, out);
    for (uint32_t l = 0; l < PH_WIDE; l++) {
        if (!(bits >> l & 1)) {
            continue;
        }
        float *now = solver_bodies->velocity[body->solver_body[l]],
              *before = solver_bodies->before[body->solver_body[l]];
        FourFloat was = four_float(now), to = out[l];
        to[3] = was[3];
        to = four_float_select(to == to, to, was);
        four_float_store(before, four_float(before) + (to - was));
        four_float_store(now, to);
    }
}

// What the velocity of a body with errors taken back has more than its own.
static inline Wide excess_of(const ArticulationBody *body, int k) {
    return body->with[k] - (body->v[k] + body->sum[k]);
}

// The share of errors that a substep takes back: rows are linear, and tell nothing of where a body
// is that has turned far.
static Wide share_of(const Articulation *articulation) {
    const Wide most = wide_splat(FARTHEST_TURN / articulation->run->h);
    Wide fastest = most;
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        if (articulation->bodies[i].fixed) {
            continue;
        }
        Wide turn = wide_abs(excess_of(&articulation->bodies[i], 2));
        fastest = wide_select(turn > fastest, turn, fastest);
    }
    return most / fastest;
}

// Moves a body for a substep by a share of that, from where it was when the pass began: lanes that
// repeat the first one move it no further.
static void move_by(const Articulation *articulation, const ArticulationBody *body, Wide share,
                    WideMask lanes) {
    const PhSolverBodyArrays *solver_bodies = &articulation->run->layout->arrays->solver_bodies;
    const Wide h = articulation->run->h * share;
    const Wide *d = body->delta;
    Wide change[3];
    if (body->fixed) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        change[k] = h * excess_of(body, k);
    }
    Wide turned[2] = {d[2], d[3]};
    rotate_wide(change[2], turned);
    const Wide next[5] = {d[0] + change[0], d[1] + change[1], turned[0], turned[1],
                          body->turned + change[2]};
    for (uint32_t l = 0, bits = wide_bits(lanes); l < PH_WIDE; l++) {
        double sum = 0;
        for (int k = 0; k < 5; k++) {
            sum += wide_get(next[k], l);
        }
        if (!(bits >> l & 1) || !(fabs(sum) < 1e30)) { // no number: masses are beyond float64
            continue;
        }
        for (int k = 0; k < 4; k++) {
            solver_bodies->delta[body->solver_body[l]][k] = (float)wide_get(next[k], l);
        }
        solver_bodies->turned[body->solver_body[l]] = (float)wide_get(next[4], l);
    }
}

#include "solve/articulation_rows_source.h"

#include "solve/joint_elimination_source.h"
#include "solve/joint_spring_source.h"

#include "solve/joint_hold_source.h"

// ------------------------------------------------------------------------------------------------
// the pass

#include "solve/joint_pulls_source.h"

// A joint that is solved alone yields a little: part of what it holds already is let go, or joints
// in loops would drive each other (E. Catto, "Solver2D" (2024)).
static void soften(const Articulation *articulation) {
    uint32_t l = articulation->count - 1; // before it: the bare links of a gear
    ArticulationFactor *factor = &articulation->factors[l];
    const Fields *fields = fields_of(articulation, l);
    const Wide yields = wide_splat(articulation->pass->yields);
    for (int k = 0; k < 3 && articulation->pass->biased; k++) {
        if (!has(factor->rigid, k)) {
            continue;
        }
        Wide less = yields * (factor->sum[k] + fields->impulse[k]);
        factor->sum[k] -= less;
        ClosureEnd ends[4];
        for (int n = 0, count = ends_of(articulation, (ClosureRow){l, k}, ends); n < count; n++) {
            apply_to_body(ends[n].body, ends[n].jacobian, -less, ends[n].body->sum);
        }
    }
}

// To the work; after a relax the impulse of the substep is complete.
static void keep_impulse(const Articulation *articulation, uint32_t l, WideMask lanes) {
    if (is_bare(articulation, l)) {
        return; // it is among the loop closures
    }
    Fields *fields = fields_of(articulation, l);
    ArticulationFactor *factor = &articulation->factors[l];
    for (int k = 0; k < 3; k++) {
        const ConstraintRow *row = &factor->rows[k];
        if (!has(factor->used, k)) {
            continue;
        }
        fields->impulse[k] += wide_keep(lanes, factor->sum[k]);
        if (has(factor->axis, k) && !articulation->pass->bounce) {
            fields->state[k] = wide_select(lanes, factor->state[k], fields->state[k]);
        }
        if (articulation->pass->biased) {
            continue;
        }
        fields->sum_force[0] += fields->impulse[k] * row->along[0];
        fields->sum_force[1] += fields->impulse[k] * row->along[1];
        fields->sum_torque += fields->impulse[k] * row->couple;
        factor->sum[k] = wide_splat(0); // it is in the impulse
    }
    if (!articulation->pass->biased && !articulation->pass->bounce) {
        pulls_of(factor, fields, &fields->pull_a, &fields->pull_b);
    }
}

static void commit(const Articulation *articulation, WideMask lanes) {
    for (uint32_t l = 0; l < articulation->count; l++) {
        keep_impulse(articulation, l, lanes);
    }
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        const ArticulationBody *body = &articulation->bodies[i];
        Wide velocity[3];
        for (int k = 0; k < 3; k++) {
            velocity[k] = body->v[k] + body->sum[k];
        }
        store_body(articulation, body, velocity, lanes);
    }
}

// Errors of a row that would be taken back faster than this, m/s or rad/s, are large.
static Wide large_of(const Articulation *articulation, uint32_t l, int k) {
    const PhArticulationWork *work = work_of(articulation, l);
    bool angle = work->gear ? ph_row_is_angle(work->part[0], work->coordinate[0])
                            : ph_row_is_angle(work->kind, k);
    const PhLengths *lengths = angle ? &ph_lengths_of_one : articulation->run->parameters->lengths;
    return wide_splat(articulation->pack->articulated ? lengths->joint_large_fine
                                                      : lengths->joint_large);
}

// Lanes in which a biased solve takes back a large error.
static WideMask find_large(const Articulation *articulation) {
    WideMask large = wide_none();
    for (uint32_t l = 0; l < articulation->count; l++) {
        const ArticulationFactor *factor = &articulation->factors[l];
        for (int k = 0; k < 3; k++) {
            if (has(factor->used, k)) {
                const Wide most = large_of(articulation, l, k);
                large |= (factor->taken[k] > most) | (factor->taken[k] < -most);
            }
        }
    }
    return large;
}

// Large errors are taken back at that speed.
static void forget_errors(const Articulation *articulation, WideMask lanes) {
    for (uint32_t l = 0; l < articulation->count; l++) {
        ArticulationFactor *factor = &articulation->factors[l];
        for (int k = 0; k < 3; k++) {
            if (!has(factor->used, k)) {
                continue;
            }
            const Wide large = large_of(articulation, l, k);
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

// What a biased solve has found, to the rows. Where it takes back large errors, it is solved once
// more.
static void end_solve(const Articulation *articulation, WideMask lanes) {
    WideMask large = lanes & find_large(articulation);
    commit(articulation, lanes & ~large);
    if (!wide_any(large)) {
        return;
    }
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        for (int k = 0; k < 3; k++) {
            articulation->bodies[i].with[k] =
                articulation->bodies[i].v[k] + articulation->bodies[i].sum[k];
        }
    }
    forget_errors(articulation, large);
    for (uint32_t l = 0; l < articulation->count; l++) {
        memcpy(articulation->factors[l].found, articulation->factors[l].state,
               sizeof articulation->factors[l].state);
    }
    solve_tree(articulation);
    for (uint32_t l = 0; l < articulation->count; l++) {
        ArticulationFactor *factor = &articulation->factors[l];
        for (int k = 0; k < 3; k++) {
            factor->state[k] = wide_select(large, factor->state[k], factor->found[k]);
        }
    }
    commit(articulation, large);
    Wide share = share_of(articulation);
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        move_by(articulation, &articulation->bodies[i], share, large);
    }
}

// Behind a solve in the same scratch nothing else has changed.
static void load_velocity(const Articulation *articulation, ArticulationBody *body) {
    Wide quad[4];
    wide_load_quads((const float(*)[4])articulation->run->layout->arrays->solver_bodies.velocity,
                    body->solver_body, quad);
    for (int k = 0; k < 3; k++) {
        body->start[k] = quad[k];
    }
}

static void start_shift(const Articulation *articulation, ArticulationBody *body) {
    Wide drive[4];
    wide_load_quads((const float(*)[4])articulation->run->layout->arrays->solver_bodies.drive,
                    body->solver_body, drive);
    for (int k = 0; k < 3; k++) {
        body->start[k] = body->fixed ? wide_splat(0) : articulation->pass->shift * drive[k];
    }
}

static void end_shift(const Articulation *articulation) {
    float(*velocity)[4] = articulation->run->layout->arrays->solver_bodies.velocity;
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        const ArticulationBody *body = &articulation->bodies[i];
        for (int k = 0; k < 3 && !body->fixed; k++) {
            for (uint32_t l = 0; l < articulation->pack->count; l++) {
                velocity[body->solver_body[l]][k] += (float)wide_get(body->v[k] + body->sum[k], l);
            }
        }
    }
}

// Before a biased solve, of an articulation that is not all there is to its bodies: what the
// impulses that were given come to at the arms of now is given in any case.
static void warm_start(const Articulation *articulation) {
    uint32_t l = articulation->count - 1;
    ArticulationFactor *factor = &articulation->factors[l];
    const Fields *fields = fields_of(articulation, l);
    fill_rows(articulation, l, factor);
    for (int k = 0; k < 3; k++) {
        ClosureEnd ends[4];
        if (!has(factor->used, k)) {
            continue;
        }
        for (int n = 0, count = ends_of(articulation, (ClosureRow){l, k}, ends); n < count; n++) {
            apply_to_body(ends[n].body, ends[n].jacobian, fields->impulse[k], ends[n].body->v);
        }
    }
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        store_body(articulation, &articulation->bodies[i], articulation->bodies[i].v, wide_all());
    }
}

// ------------------------------------------------------------------------------------------------

// Pulls of the impulses that the last step has left.
static void start_pulls(const Articulation *articulation) {
    for (uint32_t l = 0; l < articulation->count; l++) {
        ArticulationFactor *factor = &articulation->factors[l];
        if (is_bare(articulation, l)) {
            continue;
        }
        Fields *fields = fields_of(articulation, l);
        fill_rows(articulation, l, factor);
        memset(factor->sum, 0, sizeof factor->sum);
        pulls_of(factor, fields, &fields->pull_a, &fields->pull_b);
    }
}

#include "solve/joint_ports_source.h"

// Loads the bodies. Whether nothing has moved and inertia is what it was, where that is known.
static bool load_bodies(const Articulation *articulation) {
    bool same = articulation->kept && articulation->kept->version > 0;
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        ArticulationBody *body = &articulation->bodies[i];
        const Wide was[6] = {body->delta[0], body->delta[1], body->delta[2],
                             body->delta[3], body->turned,   body->inertia};
        load_body(articulation, i, body);
        WideMask equal = body->turned == was[4];
        if (!body->fixed) {
            WideMask unchanged = body->inertia == was[5];
            equal &= unchanged;
        }
        for (int k = 0; k < 4; k++) {
            WideMask unmoved = body->delta[k] == was[k];
            equal &= unmoved;
        }
        same = same && !wide_any(~equal);
    }
    return same;
}

static void solve_articulation(const Articulation *articulation) {
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        memcpy(articulation->bodies[i].first, articulation->bodies[i].start,
               sizeof articulation->bodies[i].first);
    }

    for (uint32_t l = 0; l < articulation->count; l++) {
        fill_factor(articulation, l);
    }
    solve_tree(articulation);
    if (articulation->shift) {
        end_shift(articulation);
        return;
    }
    WideMask lanes = wide_all();
    if (!articulation->pack->direct) {
        soften(articulation);
    }
    if (!articulation->pack->direct || !articulation->pass->biased) {
        commit(articulation, lanes);
        return;
    }
    WideMask sudden = find_sudden(articulation);
    if (wide_any(sudden)) {  // what the others have found is theirs
        brace(articulation); // the pulls are where sweeps have theirs
        forget_factors(articulation);
        end_solve(articulation, ~sudden);
        solve_tree(articulation);
        lanes = sudden;
    }
    end_solve(articulation, lanes);
}

void PH_ARTICULATION_PASS(const PhArticulationPass *pass, const PhJointPack *pack) {
    PhJointLayout *own = &pass->run->layout->arrays->joints;
    ArticulationBody *bodies =
        (ArticulationBody *)(void *)((char *)own->articulation_scratch + pack->scratch);
    Articulation articulation = {.pass = pass,
                                 .run = pass->run,
                                 .pack = pack,
                                 .named = own->bodies + pack->first_body,
                                 .solver_bodies = own->pack_bodies + pack->first_solver_body,
                                 .bodies = bodies,
                                 .factors =
                                     (ArticulationFactor *)(void *)(bodies + pack->body_count),
                                 .links = own->links + pack->first_link,
                                 .works = own->articulation_works + pack->first_work,
                                 .fields = (Fields *)(void *)ph_articulation_fields(own, pack, 0),
                                 .link_count = pack->link_count,
                                 .count = pack->link_count + pack->closure_count,
                                 .shift = pass->shift != 0};
    if (pack->articulated && (PH_WIDE == 1 || pack->direct)) {
        articulation.kept = (ArticulationKept *)(void *)(articulation.factors + articulation.count);
    }
    if (articulation.kept && pass->operation == PH_ARTICULATION_START) {
        *articulation.kept = (ArticulationKept){.version = 0};
    }
    if (pass->operation == PH_ARTICULATION_FORCE || pass->operation == PH_ARTICULATION_REST) {
        if (pack->leans && pass->operation == PH_ARTICULATION_REST) {
            lean(articulation);
        }
        for (uint32_t w = 0; w < pack->work_count; w++) {
            act_spring(&articulation, &articulation.works[w], &articulation.fields[w]);
            if (articulation.works[w].firm && pass->operation == PH_ARTICULATION_REST) {
                act_hold(&articulation, &articulation.works[w], &articulation.fields[w]);
            }
        }
        return;
    }
    if (pass->operation == PH_ARTICULATION_NOTE || pass->operation == PH_ARTICULATION_GAIN ||
        pass->operation == PH_ARTICULATION_DAMP) {
        for (uint32_t w = 0; w < pack->work_count; w++) {
            damp_spring(&articulation, &articulation.works[w], &articulation.fields[w]);
            if (pack->tuned_count && articulation.works[w].firm &&
                pass->operation == PH_ARTICULATION_NOTE) {
                act_hold(&articulation, &articulation.works[w], &articulation.fields[w]);
            }
        }
        return;
    }
    if (pass->operation == PH_ARTICULATION_RESPOND) {
        respond(&articulation);
        return;
    }
    if (pass->operation == PH_ARTICULATION_GIVE || pass->operation == PH_ARTICULATION_AGAIN) {
        for (uint32_t i = 0; i < pack->body_count; i++) {
            load_velocity(&articulation, &bodies[i]);
        }
        if (pass->operation == PH_ARTICULATION_AGAIN) {
            PH_ASSERT(PH_WIDE == 1);
            solve_again(&articulation);
            return;
        }
        give_to_ports(&articulation);
        end_ports(&articulation);
        return;
    }
    articulation.same = load_bodies(&articulation);
    if (articulation.kept && !articulation.same) {
        articulation.kept->current = false;
    }
    for (uint32_t i = 0; i < pack->body_count; i++) {
        bodies[i].bare = true;
        if (articulation.shift) {
            start_shift(&articulation, &bodies[i]);
        }
    }
    for (uint32_t l = 0; l < articulation.link_count; l++) {
        bodies[articulation.links[l].parent].bare = false;
    }
    switch (pass->operation) {
    case PH_ARTICULATION_START:
        start_pulls(&articulation);
        break;
    case PH_ARTICULATION_WARM:
        warm_start(&articulation);
        break;
    default:
        solve_articulation(&articulation);
    }
}

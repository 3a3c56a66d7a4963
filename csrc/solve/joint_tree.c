// One pass over a tree of joints: all of its rows are met at once, loops included.
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
// the tree is solved again, MOST_TRIES times at most.
//
// Sources: R. Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapter 7, on impulses;
// D. Baraff, "Linear-Time Dynamics using Lagrange Multipliers" (1996).
#include <math.h>
#include <string.h>

#include "solve/joint_solve.h"

#define EPSILON 1e-5
#define ERROR_SHARE 0.2
#define CURVATURE_SHARE 0.45
// A pull that raises inertia by more than this within a pass has it done again.
#define SUDDEN 1.5

enum { MOST_TRIES = 4, MOST_CUT_ROWS = 32 };

typedef struct Tree {
    const PhJointPass *pass;
    const PhJointUnit *unit;
    PhJointBody *bodies;
    PhJointFactor *factors; // links, then cuts
    const PhJointLink *links;
    PhJointWork *works;
    uint32_t count; // links and cuts
} Tree;

static bool is_gear(const Tree *tree, uint32_t l) {
    return tree->works[tree->links[l].work].gear != 0;
}

// ------------------------------------------------------------------------------------------------
// rows

static void fill_axis(const Tree *tree, PhJointFactor *factor, const PhJointWork *work, int k) {
    const PhJointKindInfo *info = work->info;
    const PhJoint *joint = work->of;
    const PhJointRow *row = &factor->rows[k];
    double h = tree->pass->run->h, inv_h = 1 / h;
    double back = tree->pass->push ? ERROR_SHARE * inv_h : 0;
    double curve = tree->pass->push ? CURVATURE_SHARE * h * row->acceleration : 0;
    factor->low[k] = -INFINITY;
    factor->high[k] = INFINITY;
    factor->speed[k] = factor->most[k] = 0;
    if (k == info->limited) {
        double below = ph_joint_lower(info, joint) - row->coordinate;
        double above = joint->value[PH_JOINT_UPPER] - row->coordinate;
        factor->low[k] = (below > 0 ? back : inv_h) * below - curve;
        factor->high[k] = (above < 0 ? back : inv_h) * above - curve;
    }
    if (k == info->motored) {
        factor->speed[k] = joint->value[PH_JOINT_SPEED];
        factor->most[k] = h * joint->value[PH_JOINT_MAX_MOTOR];
    }
}

// Whether the state is one that the row can have.
static bool can_be(const PhJointFactor *factor, int k) {
    switch (factor->state[k]) {
    case PH_AXIS_LOW:
        return factor->low[k] > -INFINITY;
    case PH_AXIS_HIGH:
        return factor->high[k] < INFINITY;
    case PH_AXIS_DRIVEN:
        return factor->most[k] > 0;
    default:
        return factor->most[k] == 0 ? factor->state[k] == PH_AXIS_PUSHED
                                    : factor->most[k] < INFINITY;
    }
}

static void fill_factor(const Tree *tree, uint32_t l) {
    const PhJointPass *pass = tree->pass;
    const PhJointWork *work = &tree->works[tree->links[l].work];
    const PhJointKindInfo *info = work->info;
    PhJointFactor *factor = &tree->factors[l];
    bool bare = l < tree->unit->link_count && is_gear(tree, l);
    PhJointPose pose = {.angle = 0};
    if (!bare)
        pose = ph_joint_fill(pass->run, work, factor->rows);
    else
        memset(factor->rows, 0, sizeof factor->rows);
    double curve = pass->push ? CURVATURE_SHARE * pass->run->h : 0;
    double back = !pass->push ? 0 : tree->unit->direct ? ERROR_SHARE / pass->run->h : pass->rate;
    factor->turned = tree->bodies[tree->links[l].child].row == work->row_a;
    factor->shifted = pass->shift != 0;
    factor->rigid = bare ? 0 : work->rigid;
    factor->axis = bare ? 0 : work->axis;
    factor->arm_a = pose.arm_a;
    factor->arm_b = pose.arm_b;
    for (int k = 0; k < 3; k++) {
        const PhJointRow *row = &factor->rows[k];
        factor->child[k] = factor->turned ? row->a : row->b;
        factor->parent[k] = factor->turned ? row->b : row->a;
        if (factor->rigid >> k & 1) {
            double error = row->coordinate;
            if (k == info->limited)
                error -= work->of->value[PH_JOINT_LOWER];
            factor->bias[k] = back * error + curve * row->acceleration;
        }
        if (factor->axis >> k & 1) {
            factor->state[k] = work->state[k];
            fill_axis(tree, factor, work, k);
            if (!can_be(factor, k))
                factor->state[k] = factor->most[k] > 0 ? PH_AXIS_DRIVEN : PH_AXIS_PUSHED;
        }
    }
}

// The velocity that an axis row is held at.
static double held_at(const PhJointFactor *factor, int k) {
    return factor->shifted                    ? 0
           : factor->state[k] == PH_AXIS_LOW  ? factor->low[k]
           : factor->state[k] == PH_AXIS_HIGH ? factor->high[k]
                                              : factor->speed[k];
}

static double velocity_along(const Tree *tree, uint32_t l, int k) {
    const PhJointBody *c = &tree->bodies[tree->links[l].child];
    const PhJointBody *p = &tree->bodies[tree->links[l].parent];
    const PhJointFactor *factor = &tree->factors[l];
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += factor->child[k][i] * (c->v[i] + c->sum[i]) +
               factor->parent[k][i] * (p->v[i] + p->sum[i]);
    return sum;
}

// Gives the impulses of rows that are not held, and names those that are.
static void give_impulses(const Tree *tree) {
    for (uint32_t i = 0; i < tree->unit->body_count; i++) {
        memcpy(tree->bodies[i].v, tree->bodies[i].start, sizeof tree->bodies[i].v);
        memset(tree->bodies[i].sum, 0, sizeof tree->bodies[i].sum);
    }
    for (uint32_t l = 0; l < tree->count; l++) {
        PhJointFactor *factor = &tree->factors[l];
        const PhJointWork *work = &tree->works[tree->links[l].work];
        factor->solved = factor->rigid;
        memset(factor->sum, 0, sizeof factor->sum);
        for (int k = 0; k < 3; k++) {
            if (!(factor->axis >> k & 1))
                continue;
            uint8_t state = factor->state[k];
            if (state != PH_AXIS_PUSHED && state != PH_AXIS_PULLED) {
                factor->solved |= (uint8_t)(1 << k);
                continue;
            }
            if (factor->shifted)
                continue;
            double most = state == PH_AXIS_PULLED ? -factor->most[k] : factor->most[k];
            factor->sum[k] = most - work->impulse[k];
            PhJointBody *c = &tree->bodies[tree->links[l].child];
            PhJointBody *p = &tree->bodies[tree->links[l].parent];
            if (!c->fixed)
                ph_push_body(c, factor->child[k], factor->sum[k], c->v);
            if (!p->fixed)
                ph_push_body(p, factor->parent[k], factor->sum[k], p->v);
        }
    }
}

// Where on its staircase a row is. Returns whether it is elsewhere than guessed.
static bool move_on(PhJointFactor *factor, int k, double u, double impulse) {
    double low = factor->low[k], high = factor->high[k], s = factor->speed[k];
    double m = factor->most[k];
    uint8_t was = factor->state[k], now = was;
    uint8_t pushed = m < INFINITY ? PH_AXIS_PUSHED : PH_AXIS_DRIVEN;
    uint8_t pulled = m < INFINITY && m > 0 ? PH_AXIS_PULLED
                     : m > 0               ? PH_AXIS_DRIVEN
                                           : PH_AXIS_PUSHED;
    switch (was) {
    case PH_AXIS_LOW:
        if (impulse < (m > 0 && low < s ? m : -m))
            now = low < s ? pushed : pulled;
        break;
    case PH_AXIS_HIGH:
        if (impulse > (m > 0 && high > s ? -m : m))
            now = high > s ? pulled : pushed;
        break;
    case PH_AXIS_DRIVEN:
        now = s < low        ? PH_AXIS_LOW
              : s > high     ? PH_AXIS_HIGH
              : impulse > m  ? PH_AXIS_PUSHED
              : impulse < -m ? PH_AXIS_PULLED
                             : was;
        break;
    default:
        if (u < low)
            now = PH_AXIS_LOW;
        else if (u > high)
            now = PH_AXIS_HIGH;
        else if (m > 0 && (was == PH_AXIS_PUSHED ? u > s : u < s))
            now = PH_AXIS_DRIVEN;
    }
    factor->state[k] = now;
    return now != was;
}

static bool move_all(const Tree *tree) {
    bool changed = false;
    for (uint32_t l = 0; l < tree->count; l++) {
        PhJointFactor *factor = &tree->factors[l];
        const PhJointWork *work = &tree->works[tree->links[l].work];
        for (int k = 0; k < 3; k++)
            if (factor->axis >> k & 1)
                changed |= move_on(factor, k, velocity_along(tree, l, k),
                                   work->impulse[k] + factor->sum[k]);
    }
    return changed;
}

// ------------------------------------------------------------------------------------------------
// elimination

// Of the child: S of the rows that are solved, which is 0 elsewhere.
static void factor_link(PhJointFactor *factor, const double inverse[6]) {
    double k[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++) {
        double moved[3];
        if (!(factor->solved >> i & 1))
            continue;
        ph_sym_apply(inverse, factor->child[i], moved);
        for (int j = i; j < 3; j++)
            if (factor->solved >> j & 1)
                k[i][j] = ph_dot3(factor->child[j], moved);
        k[i][i] *= 1 + EPSILON;
    }
    double m[6] = {k[0][0], k[0][1], k[0][2], k[1][1], k[1][2], k[2][2]};
    ph_sym_invert(m, factor->stiffness);
    static const uint8_t diagonal[3] = {0, 3, 5};
    for (int i = 0; i < 3; i++)
        if (!(factor->solved >> i & 1))
            factor->stiffness[diagonal[i]] = 0;
}

// matrix += J^T S J
static void hang_on(const PhJointFactor *factor, double matrix[6]) {
    for (int i = 0; i < 3; i++) {
        double column[3] = {factor->parent[0][i], factor->parent[1][i], factor->parent[2][i]};
        double pushed[3];
        ph_sym_apply(factor->stiffness, column, pushed);
        for (int j = i; j < 3; j++) {
            static const uint8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
            matrix[at[i][j]] += factor->parent[0][j] * pushed[0] +
                                factor->parent[1][j] * pushed[1] + factor->parent[2][j] * pushed[2];
        }
    }
}

// Most bodies of nets and all leaves carry nobody.
static void invert_body(PhJointBody *body) {
    const double *m = body->matrix;
    if (m[1] != 0 || m[2] != 0 || m[4] != 0 || m[0] != body->mass || m[3] != body->mass ||
        m[5] != body->inertia) {
        ph_sym_invert(m, body->inverse);
        return;
    }
    memset(body->inverse, 0, sizeof body->inverse);
    body->inverse[0] = body->inverse[3] = body->inv_mass;
    body->inverse[5] = body->inv_inertia;
}

static void factor_tree(const Tree *tree) {
    for (uint32_t i = 0; i < tree->unit->body_count; i++) {
        PhJointBody *body = &tree->bodies[i];
        memset(body->matrix, 0, sizeof body->matrix);
        body->matrix[0] = body->matrix[3] = body->mass;
        body->matrix[5] = body->inertia;
    }
    for (uint32_t l = tree->unit->link_count; l-- > 0;) {
        PhJointBody *c = &tree->bodies[tree->links[l].child];
        PhJointBody *p = &tree->bodies[tree->links[l].parent];
        invert_body(c);
        factor_link(&tree->factors[l], c->inverse);
        if (!p->fixed)
            hang_on(&tree->factors[l], p->matrix);
    }
    if (tree->unit->root != PH_NULL) {
        PhJointBody *root = &tree->bodies[tree->unit->root];
        invert_body(root);
    }
}

static void push_by(const double *const jacobian[3], const double impulse[3], double p[3]) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            p[i] += jacobian[k][i] * impulse[k];
}

// Both sweeps with the impulses p on the bodies. moving: with the velocities that rows lack. Leaves
// dv in the bodies and adds impulses to the sums of the links.
static void sweep(const Tree *tree, bool moving, bool keep) {
    for (uint32_t l = tree->unit->link_count; l-- > 0;) {
        PhJointFactor *factor = &tree->factors[l];
        PhJointBody *c = &tree->bodies[tree->links[l].child];
        PhJointBody *p = &tree->bodies[tree->links[l].parent];
        double u[3], pushed[3];
        ph_sym_apply(c->inverse, c->p, u);
        for (int i = 0; moving && i < 3; i++)
            u[i] += c->v[i];
        for (int k = 0; k < 3; k++) {
            factor->error[k] = ph_dot3(factor->child[k], u);
            if (moving) {
                bool axis = factor->axis >> k & 1;
                factor->error[k] += ph_dot3(factor->parent[k], p->v);
                factor->error[k] += axis ? -held_at(factor, k) : factor->bias[k];
            }
            if (!(factor->solved >> k & 1))
                factor->error[k] = 0;
        }
        ph_sym_apply(factor->stiffness, factor->error, pushed);
        for (int k = 0; k < 3; k++)
            pushed[k] = -pushed[k];
        if (!p->fixed)
            push_by(factor->parent, pushed, p->p);
    }
    if (tree->unit->root != PH_NULL) {
        PhJointBody *root = &tree->bodies[tree->unit->root];
        ph_sym_apply(root->inverse, root->p, root->dv);
    }
    for (uint32_t l = 0; l < tree->unit->link_count; l++) {
        PhJointFactor *factor = &tree->factors[l];
        PhJointBody *c = &tree->bodies[tree->links[l].child];
        const PhJointBody *p = &tree->bodies[tree->links[l].parent];
        double lacking[3];
        for (int k = 0; k < 3; k++)
            lacking[k] = factor->error[k] + (p->fixed ? 0 : ph_dot3(factor->parent[k], p->dv));
        ph_sym_apply(factor->stiffness, lacking, factor->impulse);
        for (int k = 0; k < 3; k++) {
            factor->impulse[k] = -factor->impulse[k];
            if (keep)
                factor->sum[k] += factor->impulse[k];
        }
        push_by(factor->child, factor->impulse, c->p);
        ph_sym_apply(c->inverse, c->p, c->dv);
    }
    for (uint32_t i = 0; keep && i < tree->unit->body_count; i++)
        for (int k = 0; k < 3 && !tree->bodies[i].fixed; k++)
            tree->bodies[i].sum[k] += tree->bodies[i].dv[k];
}

static void clear_impulses(const Tree *tree) {
    for (uint32_t i = 0; i < tree->unit->body_count; i++) {
        memset(tree->bodies[i].p, 0, sizeof tree->bodies[i].p);
        memset(tree->bodies[i].dv, 0, sizeof tree->bodies[i].dv);
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
    PhJointBody *body;
    const double *jacobian;
} CutEnd;

static int ends_of(const Tree *tree, CutRow row, CutEnd ends[4]) {
    const PhJointFactor *factor = &tree->factors[row.link];
    const PhJointLink *link = &tree->links[row.link];
    ends[0] = (CutEnd){&tree->bodies[link->child], factor->child[row.k]};
    ends[1] = (CutEnd){&tree->bodies[link->parent], factor->parent[row.k]};
    if (!is_gear(tree, row.link))
        return 2;
    ends[2] = (CutEnd){&tree->bodies[link->frame[0]], factor->rows[1].a};
    ends[3] = (CutEnd){&tree->bodies[link->frame[1]], factor->rows[1].b};
    return 4;
}

static void push_cut(const Tree *tree, CutRow row, double impulse) {
    CutEnd ends[4];
    for (int n = ends_of(tree, row, ends); n-- > 0;)
        for (int i = 0; i < 3; i++)
            ends[n].body->p[i] += ends[n].jacobian[i] * impulse;
}

static double cut_velocity(const Tree *tree, CutRow row) {
    CutEnd ends[4];
    double sum = 0;
    for (int n = 0, count = ends_of(tree, row, ends); n < count; n++)
        for (int i = 0; i < 3; i++)
            sum += ends[n].jacobian[i] * (ends[n].body->v[i] + ends[n].body->sum[i]);
    return sum;
}

// What a unit impulse along the row does to its own bodies, were they free.
static double own_response(const Tree *tree, CutRow row) {
    CutEnd ends[4];
    double sum = 0;
    for (int n = 0, count = ends_of(tree, row, ends); n < count; n++) {
        double d[3] = {0};
        if (!ends[n].body->fixed)
            ph_push_body(ends[n].body, ends[n].jacobian, 1, d);
        sum += ph_dot3(ends[n].jacobian, d);
    }
    return sum;
}

static double moved_along(const Tree *tree, CutRow row) {
    CutEnd ends[4];
    double sum = 0;
    for (int n = 0, count = ends_of(tree, row, ends); n < count; n++)
        sum += ends[n].body->fixed ? 0 : ph_dot3(ends[n].jacobian, ends[n].body->dv);
    return sum;
}

// L D L^T of a symmetric matrix; rows that the ones before determine get no impulse.
static void solve_dense(double a[MOST_CUT_ROWS][MOST_CUT_ROWS], double *x, uint32_t n) {
    double d[MOST_CUT_ROWS], inverse[MOST_CUT_ROWS];
    for (uint32_t j = 0; j < n; j++) {
        double pivot = a[j][j];
        for (uint32_t k = 0; k < j; k++)
            pivot -= a[j][k] * a[j][k] * d[k];
        bool free = pivot > 1e-14 * a[j][j];
        d[j] = free ? pivot : 0;
        inverse[j] = free ? 1 / pivot : 0;
        for (uint32_t i = j + 1; i < n; i++) {
            double sum = a[i][j];
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

static void close_loops(const Tree *tree) {
    CutRow rows[MOST_CUT_ROWS];
    double a[MOST_CUT_ROWS][MOST_CUT_ROWS], x[MOST_CUT_ROWS];
    uint32_t n = 0;
    for (uint32_t l = tree->unit->link_count; l < tree->count; l++)
        for (int k = 0; k < 3 && n < MOST_CUT_ROWS; k++)
            if (tree->factors[l].solved >> k & 1)
                rows[n++] = (CutRow){l, k};
    for (uint32_t j = 0; j < n; j++) {
        const PhJointFactor *factor = &tree->factors[rows[j].link];
        int k = rows[j].k;
        x[j] = cut_velocity(tree, rows[j]);
        x[j] = -(x[j] + (factor->axis >> k & 1 ? -held_at(factor, k) : factor->bias[k]));
        clear_impulses(tree);
        push_cut(tree, rows[j], 1);
        sweep(tree, false, false);
        for (uint32_t i = 0; i < n; i++)
            a[i][j] = moved_along(tree, rows[i]);
        a[j][j] += EPSILON * own_response(tree, rows[j]);
    }
    solve_dense(a, x, n);
    clear_impulses(tree);
    for (uint32_t j = 0; j < n; j++) {
        push_cut(tree, rows[j], x[j]);
        tree->factors[rows[j].link].sum[rows[j].k] += x[j];
    }
    sweep(tree, false, true);
}

// ------------------------------------------------------------------------------------------------
// the pass

static void solve_tree(const Tree *tree) {
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        give_impulses(tree);
        factor_tree(tree);
        clear_impulses(tree);
        sweep(tree, true, true);
        if (tree->unit->cut_count)
            close_loops(tree);
        if (tree->pass->shift != 0 || !move_all(tree))
            break;
    }
}

// Raises the inertia of bodies that a sudden pull would make swing faster than a substep follows.
static bool brace(const Tree *tree) {
    const PhJointRun *run = tree->pass->run;
    PhJointMass *masses = run->layout->arrays->joints.masses;
    bool any = false;
    for (uint32_t i = 0; i < tree->unit->body_count; i++)
        tree->bodies[i].p[0] = 0; // free after the sweeps: the sum of pulls
    for (uint32_t l = 0; l < tree->count; l++) {
        const PhJointFactor *factor = &tree->factors[l];
        const PhJointWork *work = &tree->works[tree->links[l].work];
        double a = 0, b = 0;
        for (int k = 0; k < 3; k++) {
            double impulse = work->impulse[k] + factor->sum[k];
            a += impulse * ph_joint_pull_a(&factor->rows[k], factor->arm_a);
            b += impulse * ph_joint_pull_b(&factor->rows[k], factor->arm_b);
        }
        tree->bodies[tree->links[l].child].p[0] += factor->turned ? a : b;
        tree->bodies[tree->links[l].parent].p[0] += factor->turned ? b : a;
    }
    for (uint32_t i = 0; i < tree->unit->body_count; i++) {
        PhJointBody *body = &tree->bodies[i];
        double wanted = run->h * body->p[0];
        if (body->fixed || !(wanted > SUDDEN * body->inertia))
            continue;
        any = true;
        body->start[2] *= body->inertia / wanted;
        body->inertia = masses[body->row].inertia = wanted;
        body->inv_inertia = masses[body->row].inv_inertia = 1 / wanted;
    }
    return any;
}

// A joint that is solved alone yields a little: part of what it holds already is let go, or joints
// in loops would drive each other (E. Catto, "Solver2D" (2024)).
static void soften(const Tree *tree) {
    const PhJointPass *pass = tree->pass;
    uint32_t l = tree->count - 1; // before it: the bare links of a gear
    PhJointFactor *factor = &tree->factors[l];
    const PhJointWork *work = &tree->works[tree->links[l].work];
    double yields = pass->push ? pass->yields : 0;
    for (int k = 0; k < 3; k++) {
        if (!(factor->rigid >> k & 1) || yields == 0)
            continue;
        double less = yields * (factor->sum[k] + work->impulse[k]);
        factor->sum[k] -= less;
        CutEnd ends[4];
        for (int n = 0, count = ends_of(tree, (CutRow){l, k}, ends); n < count; n++)
            if (!ends[n].body->fixed)
                ph_push_body(ends[n].body, ends[n].jacobian, -less, ends[n].body->sum);
    }
}

// To the work; after a relax the impulse of the substep is complete.
static void keep_impulse(const Tree *tree, uint32_t l) {
    if (l < tree->unit->link_count && is_gear(tree, l))
        return; // it is among the cuts
    PhJointWork *work = &tree->works[tree->links[l].work];
    const PhJointFactor *factor = &tree->factors[l];
    PhVec2 force = {0, 0};
    double torque = 0, pull_a = 0, pull_b = 0;
    for (int k = 0; k < 3; k++) {
        const PhJointRow *row = &factor->rows[k];
        double impulse = work->impulse[k] += factor->sum[k];
        force = ph_mul_add(force, impulse, row->along);
        torque += impulse * row->couple;
        pull_a += impulse * ph_joint_pull_a(row, factor->arm_a);
        pull_b += impulse * ph_joint_pull_b(row, factor->arm_b);
        if (factor->axis >> k & 1)
            work->state[k] = factor->state[k];
    }
    if (tree->pass->push)
        return;
    work->sum_force = ph_add(work->sum_force, force);
    work->sum_torque += torque;
    work->pull_a = pull_a;
    work->pull_b = pull_b;
}

static void start_shift(const Tree *tree, PhJointBody *body) {
    const float *drive = tree->pass->run->layout->arrays->rows.drive[body->row];
    for (int k = 0; k < 3; k++)
        body->start[k] = body->fixed ? 0 : tree->pass->shift * (double)drive[k];
}

static void end_shift(const Tree *tree) {
    float(*velocity)[4] = tree->pass->run->layout->arrays->rows.velocity;
    for (uint32_t i = 0; i < tree->unit->body_count; i++) {
        const PhJointBody *body = &tree->bodies[i];
        for (int k = 0; k < 3 && !body->fixed; k++)
            velocity[body->row][k] += (float)(body->v[k] + body->sum[k]);
    }
}

void ph_joints_solve_unit(const PhJointPass *pass, const PhJointUnit *unit) {
    PhJointLayout *own = &pass->run->layout->arrays->joints;
    Tree tree = {pass,
                 unit,
                 own->bodies + unit->first_body,
                 own->factors + unit->first_link,
                 own->links + unit->first_link,
                 own->works,
                 unit->link_count + unit->cut_count};
    // A joint alone works on the stack: nets have many.
    PhJointBody pair[2];
    PhJointFactor alone;
    const PhJointBody *named = tree.bodies;
    if (unit->body_count == 2) {
        tree.bodies = pair;
    }
    if (unit->body_count == 2 && tree.count == 1) {
        memset(alone.rows, 0, sizeof alone.rows); // a kind fills those that it has
        tree.factors = &alone;
    }
    for (uint32_t i = 0; i < unit->body_count; i++) {
        ph_joint_load_body(pass->run, named[i].row, &tree.bodies[i]);
        if (pass->shift != 0)
            start_shift(&tree, &tree.bodies[i]);
    }
    for (uint32_t l = 0; l < tree.count; l++)
        fill_factor(&tree, l);
    solve_tree(&tree);
    if (pass->push && unit->direct && brace(&tree))
        solve_tree(&tree);
    if (!unit->direct)
        soften(&tree);
    if (pass->shift != 0) {
        end_shift(&tree);
        return;
    }
    for (uint32_t l = 0; l < tree.count; l++)
        keep_impulse(&tree, l);
    for (uint32_t i = 0; i < unit->body_count; i++) {
        PhJointBody *body = &tree.bodies[i];
        if (body->fixed)
            continue;
        double velocity[3];
        for (int k = 0; k < 3; k++)
            velocity[k] = body->v[k] + body->sum[k];
        ph_joint_change_row(pass->run, body->row, velocity);
    }
}

// Elimination over an articulation in lanes: part of articulation_source.h, which has the
// equations.

// W v, with all that hangs on the body.
PH_FOUR_INLINE void give_way(const ArticulationBody *body, const Wide v[3], Wide out[3]) {
    if (!body->bare) {
        sym_apply(body->inverse, v, out);
        return;
    }
    out[0] = body->inv_mass * v[0];
    out[1] = body->inv_mass * v[1];
    out[2] = body->inv_inertia * v[2];
}

// Most links are pins. For those the loops below are written out, with the same numbers in the
// same order but for zeros.

// Jacobians of a pin are a sign along x and y, and turn as they do: J v of row k.
PH_FOUR_INLINE Wide along_pin(const Wide *const jacobian[3], int k, const Wide v[3]) {
    return jacobian[k][k] * v[k] + jacobian[k][2] * v[2];
}

PH_FOUR_INLINE void factor_pin(ArticulationFactor *factor, const ArticulationBody *c,
                               double epsilon) {
    Wide moved[2][3], *s = factor->stiffness;
    for (int k = 0; k < 2; k++) {
        give_way(c, factor->child[k], moved[k]);
    }
    Wide k00 = along_pin(factor->child, 0, moved[0]) * (1 + epsilon);
    Wide k01 = along_pin(factor->child, 1, moved[0]);
    Wide k11 = along_pin(factor->child, 1, moved[1]) * (1 + epsilon);
    Wide inv = 1 / (k00 * k11 + k01 * -k01);
    s[0] = inv * k11;
    s[1] = inv * -k01;
    s[3] = inv * k00;
    s[2] = s[4] = s[5] = wide_splat(0);
}

PH_FOUR_INLINE void hang_on_pin(const ArticulationFactor *factor, Wide matrix[6]) {
    const Wide *s = factor->stiffness, *first = factor->parent[0], *second = factor->parent[1];
    Wide x = s[0] * first[2] + s[1] * second[2], y = s[1] * first[2] + s[3] * second[2];
    matrix[0] = matrix[0] + s[0]; // signs meet themselves
    matrix[1] = matrix[1] + s[1];
    matrix[2] = matrix[2] + first[0] * x;
    matrix[3] = matrix[3] + s[3];
    matrix[4] = matrix[4] + second[1] * y;
    matrix[5] = matrix[5] + first[2] * x + second[2] * y;
}

// Impulses of a pin that undo an error.
PH_FOUR_INLINE void undo_at_pin(const ArticulationFactor *factor, const Wide error[2],
                                Wide impulse[2]) {
    const Wide *s = factor->stiffness;
    impulse[0] = -(s[0] * error[0] + s[1] * error[1]);
    impulse[1] = -(s[1] * error[0] + s[3] * error[1]);
}
PH_FOUR_INLINE void apply_revolute(const Wide *const jacobian[3], const Wide impulse[2],
                                   Wide p[3]) {
    p[0] = p[0] + jacobian[0][0] * impulse[0];
    p[1] = p[1] + jacobian[1][1] * impulse[1];
    p[2] = p[2] + jacobian[0][2] * impulse[0] + jacobian[1][2] * impulse[1];
}

// S of the rows that are solved, which is 0 elsewhere: of the child, and of the parent too where
// those two are all there is.
static void factor_link(ArticulationFactor *factor, const ArticulationBody *c,
                        const ArticulationBody *p, double epsilon) {
    static const uint8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const Wide zero = wide_splat(0), one = wide_splat(1);
    Wide k[6] = {one, zero, zero, one, zero, one};
    for (int i = 0; i < 3; i++) {
        Wide moved[3], other[3] = {zero, zero, zero};
        if (!has(factor->used, i)) {
            continue;
        }
        give_way(c, factor->child[i], moved);
        if (p) {
            apply_to_body(p, factor->parent[i], one, other);
        }
        for (int j = i; j < 3; j++) {
            if (!has(factor->used, j)) {
                continue;
            }
            Wide both = dot3(factor->child[j], moved);
            both = i == j ? both * (1 + epsilon) : both;
            if (p) {
                both += dot3(factor->parent[j], other);
            }
            k[at[i][j]] = wide_keep(factor->solved[i] & factor->solved[j], both);
        }
        k[at[i][i]] = wide_select(factor->solved[i], k[at[i][i]], one);
    }
    sym_invert(k, factor->stiffness);
    for (int i = 0; i < 3; i++) {
        Wide *own = &factor->stiffness[at[i][i]];
        *own = has(factor->used, i) ? wide_keep(factor->solved[i], *own) : zero;
    }
}

// matrix += J^T S J
static void hang_on(const ArticulationFactor *factor, Wide matrix[6]) {
    static const uint8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int i = 0; i < 3; i++) {
        Wide column[3], pushed[3];
        for (int k = 0; k < 3; k++) {
            column[k] = has(factor->used, k) ? factor->parent[k][i] : wide_splat(0);
        }
        sym_apply(factor->stiffness, column, pushed);
        for (int j = i; j < 3; j++) {
            for (int k = 0; k < 3; k++) {
                if (has(factor->used, k)) {
                    matrix[at[i][j]] += factor->parent[k][j] * pushed[k];
                }
            }
        }
    }
}

static void forget_factors(const Articulation *articulation) {
    if (articulation->kept) {
        articulation->kept->current = false;
    }
}

// Factors stay current where which rows are solved does not change.
static void keep_factors(const Articulation *articulation) {
    uint8_t axis = 0;
    if (!articulation->kept) {
        return;
    }
    for (uint32_t l = 0; l < articulation->link_count; l++) {
        axis |= articulation->factors[l].axis;
    }
    articulation->kept->current = axis == 0;
    articulation->kept->version++;
}

static void factor_tree(const Articulation *articulation) {
    const PhJointPack *pack = articulation->pack;
    const double epsilon = epsilon_of(articulation);
    if (articulation->kept && articulation->kept->current) {
        return;
    }
    for (uint32_t i = 0; i < pack->body_count; i++) {
        ArticulationBody *body = &articulation->bodies[i];
        if (body->fixed || body->bare) {
            continue;
        }
        memset(body->matrix, 0, sizeof body->matrix);
        body->matrix[0] = body->matrix[3] = body->mass;
        body->matrix[5] = body->inertia;
    }
    for (uint32_t l = articulation->link_count; l-- > 0;) {
        ArticulationBody *c = &articulation->bodies[articulation->links[l].child];
        ArticulationBody *p = &articulation->bodies[articulation->links[l].parent];
        if (!c->bare) {
            sym_invert(c->matrix, c->inverse);
        }
        ArticulationFactor *factor = &articulation->factors[l];
        if (factor->pin) {
            factor_pin(factor, c, epsilon);
            if (!p->fixed) {
                hang_on_pin(factor, p->matrix);
            }
            continue;
        }
        factor_link(factor, c, NULL, epsilon);
        if (!p->fixed) {
            hang_on(factor, p->matrix);
        }
    }
    if (pack->root != PH_NULL && !articulation->bodies[pack->root].bare) {
        sym_invert(articulation->bodies[pack->root].matrix,
                   articulation->bodies[pack->root].inverse);
    }
    keep_factors(articulation);
}

PH_FOUR_INLINE void apply_by(const ArticulationFactor *factor, const Wide *const jacobian[3],
                             const Wide impulse[3], Wide p[3]) {
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3 && has(factor->used, k); i++) {
            p[i] += jacobian[k][i] * impulse[k];
        }
    }
}

// Both sweeps with the impulses p on the bodies. moving: with the velocities that rows lack. Leaves
// dv in the bodies and adds impulses to the sums of the links.
static void sweep(const Articulation *articulation, bool moving, bool keeping) {
    const Wide zero = wide_splat(0);
    for (uint32_t l = articulation->link_count; l-- > 0;) {
        ArticulationFactor *factor = &articulation->factors[l];
        ArticulationBody *c = &articulation->bodies[articulation->links[l].child];
        ArticulationBody *p = &articulation->bodies[articulation->links[l].parent];
        Wide u[3], pushed[3];
        give_way(c, c->p, u);
        for (int i = 0; moving && i < 3; i++) {
            u[i] += c->v[i];
        }
        if (factor->pin) {
            for (int k = 0; k < 2; k++) {
                factor->error[k] = along_pin(factor->child, k, u);
                if (moving) {
                    factor->error[k] =
                        factor->error[k] + along_pin(factor->parent, k, p->v) + factor->bias[k];
                }
            }
            factor->error[2] = zero;
            undo_at_pin(factor, factor->error, pushed);
            if (!p->fixed) {
                apply_revolute(factor->parent, pushed, p->p);
            }
            continue;
        }
        for (int k = 0; k < 3; k++) {
            factor->error[k] = zero;
            if (!has(factor->used, k)) {
                continue;
            }
            Wide error = dot3(factor->child[k], u);
            if (moving) {
                error += dot3(factor->parent[k], p->v);
                error += lack_of(articulation, factor, k);
            }
            factor->error[k] = wide_keep(factor->solved[k], error);
        }
        sym_apply(factor->stiffness, factor->error, pushed);
        for (int k = 0; k < 3; k++) {
            pushed[k] = -pushed[k];
        }
        if (!p->fixed) {
            apply_by(factor, factor->parent, pushed, p->p);
        }
    }
    if (articulation->pack->root != PH_NULL) {
        ArticulationBody *root = &articulation->bodies[articulation->pack->root];
        give_way(root, root->p, root->dv);
    }
    for (uint32_t l = 0; l < articulation->link_count; l++) {
        ArticulationFactor *factor = &articulation->factors[l];
        ArticulationBody *c = &articulation->bodies[articulation->links[l].child];
        const ArticulationBody *p = &articulation->bodies[articulation->links[l].parent];
        Wide lacking[3];
        if (factor->pin) {
            for (int k = 0; k < 2; k++) {
                lacking[k] = factor->error[k];
                if (!p->fixed) {
                    lacking[k] += along_pin(factor->parent, k, p->dv);
                }
            }
            undo_at_pin(factor, lacking, factor->impulse);
            factor->impulse[2] = zero;
            for (int k = 0; keeping && k < 2; k++) {
                factor->sum[k] += factor->impulse[k];
            }
            apply_revolute(factor->child, factor->impulse, c->p);
            give_way(c, c->p, c->dv);
            continue;
        }
        for (int k = 0; k < 3; k++) {
            lacking[k] = factor->error[k];
            if (has(factor->used, k) && !p->fixed) {
                lacking[k] += dot3(factor->parent[k], p->dv);
            }
        }
        sym_apply(factor->stiffness, lacking, factor->impulse);
        for (int k = 0; k < 3; k++) {
            factor->impulse[k] = -factor->impulse[k];
            if (keeping) {
                factor->sum[k] += factor->impulse[k];
            }
        }
        apply_by(factor, factor->child, factor->impulse, c->p);
        give_way(c, c->p, c->dv);
    }
    for (uint32_t i = 0; keeping && i < articulation->pack->body_count; i++) {
        for (int k = 0; k < 3 && !articulation->bodies[i].fixed; k++) {
            articulation->bodies[i].sum[k] += articulation->bodies[i].dv[k];
        }
    }
}

static void clear_impulses(const Articulation *articulation) {
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        memset(articulation->bodies[i].p, 0, sizeof articulation->bodies[i].p);
        memset(articulation->bodies[i].dv, 0, sizeof articulation->bodies[i].dv);
    }
}

// ------------------------------------------------------------------------------------------------
// loops

typedef struct ClosureRow {
    uint32_t link;
    int k;
} ClosureRow;

// The bodies that the row acts on and its Jacobians; returns how many.
typedef struct ClosureEnd {
    ArticulationBody *body;
    const Wide *jacobian;
} ClosureEnd;

static int ends_of(const Articulation *articulation, ClosureRow row, ClosureEnd ends[4]) {
    const ArticulationFactor *factor = &articulation->factors[row.link];
    const PhJointLink *link = &articulation->links[row.link];
    ends[0] = (ClosureEnd){&articulation->bodies[link->child], factor->child[row.k]};
    ends[1] = (ClosureEnd){&articulation->bodies[link->parent], factor->parent[row.k]};
    if (!work_of(articulation, row.link)->gear) {
        return 2;
    }
    ends[2] = (ClosureEnd){&articulation->bodies[link->frame[0]], factor->rows[1].a};
    ends[3] = (ClosureEnd){&articulation->bodies[link->frame[1]], factor->rows[1].b};
    return 4;
}

static void apply_closure(const Articulation *articulation, ClosureRow row, Wide impulse) {
    ClosureEnd ends[4];
    for (int n = ends_of(articulation, row, ends); n-- > 0;) {
        for (int i = 0; i < 3; i++) {
            ends[n].body->p[i] += ends[n].jacobian[i] * impulse;
        }
    }
}

static Wide closure_velocity(const Articulation *articulation, ClosureRow row) {
    ClosureEnd ends[4];
    Wide sum = wide_splat(0);
    for (int n = 0, count = ends_of(articulation, row, ends); n < count; n++) {
        for (int i = 0; i < 3; i++) {
            sum += ends[n].jacobian[i] * (ends[n].body->v[i] + ends[n].body->sum[i]);
        }
    }
    return sum;
}

// What a unit impulse along the row does to its own bodies, were they free.
static Wide own_response(const Articulation *articulation, ClosureRow row) {
    ClosureEnd ends[4];
    Wide sum = wide_splat(0);
    for (int n = 0, count = ends_of(articulation, row, ends); n < count; n++) {
        Wide d[3] = {wide_splat(0), wide_splat(0), wide_splat(0)};
        apply_to_body(ends[n].body, ends[n].jacobian, wide_splat(1), d);
        sum += dot3(ends[n].jacobian, d);
    }
    return sum;
}

static Wide moved_along(const Articulation *articulation, ClosureRow row) {
    ClosureEnd ends[4];
    Wide sum = wide_splat(0);
    for (int n = 0, count = ends_of(articulation, row, ends); n < count; n++) {
        if (!ends[n].body->fixed) {
            sum += dot3(ends[n].jacobian, ends[n].body->dv);
        }
    }
    return sum;
}

// L D L^T of a symmetric matrix, in its place; inverse: of D, 0 of rows that the ones before
// determine, which get no impulse.
static void factor_dense(Wide a[MOST_CLOSURE_ROWS][MOST_CLOSURE_ROWS],
                         Wide inverse[MOST_CLOSURE_ROWS], uint32_t n) {
    Wide d[MOST_CLOSURE_ROWS];
    for (uint32_t j = 0; j < n; j++) {
        Wide pivot = a[j][j];
        for (uint32_t k = 0; k < j; k++) {
            pivot -= a[j][k] * a[j][k] * d[k];
        }
        WideMask free = pivot > 1e-14 * a[j][j];
        d[j] = wide_keep(free, pivot);
        inverse[j] = wide_keep(free, 1 / pivot);
        for (uint32_t i = j + 1; i < n; i++) {
            Wide sum = a[i][j];
            for (uint32_t k = 0; k < j; k++) {
                sum -= a[i][k] * a[j][k] * d[k];
            }
            a[i][j] = sum * inverse[j];
        }
    }
}

static void solve_dense(Wide a[MOST_CLOSURE_ROWS][MOST_CLOSURE_ROWS],
                        const Wide inverse[MOST_CLOSURE_ROWS], Wide *x, uint32_t n) {
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t k = 0; k < j; k++) {
            x[j] -= a[j][k] * x[k];
        }
    }
    for (uint32_t j = n; j-- > 0;) {
        x[j] *= inverse[j];
        for (uint32_t i = j + 1; i < n; i++) {
            x[j] -= a[i][j] * x[i];
        }
    }
}

// The rows of all loop closures, and how they move each other. Rows that are not solved in a lane
// stand alone there, with nothing to do.
typedef struct Loops {
    uint32_t count;
    ClosureRow rows[MOST_CLOSURE_ROWS];
    WideMask solved[MOST_CLOSURE_ROWS];
    Wide a[MOST_CLOSURE_ROWS][MOST_CLOSURE_ROWS], inverse[MOST_CLOSURE_ROWS];
} Loops;

static void list_loops(const Articulation *articulation, Loops *loops) {
    loops->count = 0;
    for (uint32_t l = articulation->link_count; l < articulation->count; l++) {
        for (int k = 0; k < 3 && loops->count < MOST_CLOSURE_ROWS; k++) {
            if (!has(articulation->factors[l].used, k)) {
                continue;
            }
            loops->solved[loops->count] = articulation->factors[l].solved[k];
            loops->rows[loops->count++] = (ClosureRow){l, k};
        }
    }
}

// What a unit impulse along row j moves: dv of the bodies, and a column of the matrix.
static void respond_to_closure(const Articulation *articulation, Loops *loops, uint32_t j) {
    const Wide one = wide_splat(1);
    clear_impulses(articulation);
    apply_closure(articulation, loops->rows[j], wide_keep(loops->solved[j], one));
    sweep(articulation, false, false);
    for (uint32_t i = 0; i < loops->count; i++) {
        loops->a[i][j] = wide_keep(loops->solved[i], moved_along(articulation, loops->rows[i]));
    }
    loops->a[j][j] = wide_select(loops->solved[j],
                                 loops->a[j][j] + epsilon_of(articulation) *
                                                      own_response(articulation, loops->rows[j]),
                                 one);
}

static void apply_closures(const Articulation *articulation, const Loops *loops, const Wide *x) {
    for (uint32_t j = 0; j < loops->count; j++) {
        apply_closure(articulation, loops->rows[j], x[j]);
        articulation->factors[loops->rows[j].link].sum[loops->rows[j].k] += x[j];
    }
}

static void close_loops(const Articulation *articulation) {
    Loops loops;
    Wide x[MOST_CLOSURE_ROWS];
    list_loops(articulation, &loops);
    for (uint32_t j = 0; j < loops.count; j++) {
        const ArticulationFactor *factor = &articulation->factors[loops.rows[j].link];
        Wide u = closure_velocity(articulation, loops.rows[j]);
        x[j] = wide_keep(loops.solved[j], -(u + lack_of(articulation, factor, loops.rows[j].k)));
        respond_to_closure(articulation, &loops, j);
    }
    factor_dense(loops.a, loops.inverse, loops.count);
    solve_dense(loops.a, loops.inverse, x, loops.count);
    clear_impulses(articulation);
    apply_closures(articulation, &loops, x);
    sweep(articulation, false, true);
}

// ------------------------------------------------------------------------------------------------
// all rows

// Two bodies and a joint: what the sweeps come to.
static void solve_pair(const Articulation *articulation) {
    ArticulationFactor *factor = &articulation->factors[0];
    ArticulationBody *c = &articulation->bodies[articulation->links[0].child];
    ArticulationBody *p = &articulation->bodies[articulation->links[0].parent];
    factor_link(factor, c, p, epsilon_of(articulation));
    for (int k = 0; k < 3; k++) {
        factor->error[k] = wide_splat(0);
        if (!has(factor->used, k)) {
            continue;
        }
        Wide error = dot3(factor->child[k], c->v) + dot3(factor->parent[k], p->v);
        factor->error[k] = wide_keep(factor->solved[k], error + lack_of(articulation, factor, k));
    }
    sym_apply(factor->stiffness, factor->error, factor->impulse);
    for (int k = 0; k < 3; k++) {
        if (!has(factor->used, k)) {
            continue;
        }
        factor->sum[k] -= factor->impulse[k];
        apply_to_body(c, factor->child[k], -factor->impulse[k], c->sum);
        apply_to_body(p, factor->parent[k], -factor->impulse[k], p->sum);
    }
}

static void solve_tree(const Articulation *articulation) {
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        give_impulses(articulation);
        if (articulation->count == 1 && articulation->link_count == 1) {
            forget_factors(articulation); // they are others than the tree's
            solve_pair(articulation);
        } else {
            factor_tree(articulation);
            clear_impulses(articulation);
            sweep(articulation, true, true);
        }
        if (articulation->count > articulation->link_count) {
            close_loops(articulation);
        }
        if (articulation->shift || !move_all(articulation, tries >= FREE_TRIES)) {
            break;
        }
    }
}

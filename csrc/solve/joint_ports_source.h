// Ports of an articulation: bodies that contacts push, while the rows that the last pass has held
// are held (articulated_islands.c). Part of articulation_source.h at width 1.

// What a body does per velocity of its parent, and per impulse on it, where everything moves as it
// may: this one is symmetric.
typedef struct Moves {
    double carried[3][3], whole[3][3];
} Moves;

static void full_of(const ArticulationBody *body, double out[3][3]) {
    const double zero[6] = {body->inv_mass, 0, 0, body->inv_mass, 0, body->inv_inertia};
    const double *m = body->bare ? zero : body->inverse;
    out[0][0] = m[0];
    out[0][1] = out[1][0] = m[1];
    out[0][2] = out[2][0] = m[2];
    out[1][1] = m[3];
    out[1][2] = out[2][1] = m[4];
    out[2][2] = m[5];
}

// out = a b, or a b^T.
PH_FOUR_INLINE void multiply(const double a[3][3], const double b[3][3], bool transposed,
                             double out[3][3]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[i][j] = transposed ? a[i][0] * b[j][0] + a[i][1] * b[j][1] + a[i][2] * b[j][2]
                                   : a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
        }
    }
}

// With W = I_c^-1: dv_c = (W - W Jc^T S Jc W) p - W Jc^T S Jp dv_p, for the first `rows` rows;
// those that are not used have no stiffness.
PH_FOUR_INLINE void move_link(const ArticulationFactor *factor, const ArticulationBody *c,
                              const Moves *parent, int rows, Moves *child) {
    static const uint8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    double moved[3][3], transfer[3][3], lost[3][3]; // by row: W Jc^T, the same times S
    full_of(c, child->whole);
    for (int k = 0; k < rows; k++) {
        give_way(c, factor->child[k], moved[k]);
    }
    for (int k = 0; k < rows; k++) {
        for (int i = 0; i < 3; i++) {
            transfer[k][i] = factor->stiffness[at[k][0]] * moved[0][i];
            for (int m = 1; m < rows; m++) {
                transfer[k][i] += factor->stiffness[at[k][m]] * moved[m][i];
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double back = 0, carried = 0;
            for (int k = 0; k < rows; k++) {
                carried -= transfer[k][i] * factor->parent[k][j];
                if (j >= i) {
                    back += transfer[k][i] * moved[k][j];
                }
            }
            child->carried[i][j] = carried;
            if (j >= i) {
                child->whole[i][j] -= back;
            }
        }
    }
    if (parent) {
        multiply(child->carried, parent->whole, false, lost);
        for (int i = 0; i < 3; i++) {
            for (int j = i; j < 3; j++) {
                for (int k = 0; k < 3; k++) {
                    child->whole[i][j] += lost[i][k] * child->carried[j][k];
                }
            }
        }
    }
    for (int i = 1; i < 3; i++) {
        for (int j = 0; j < i; j++) {
            child->whole[i][j] = child->whole[j][i];
        }
    }
}

static void moves_of_link(const Articulation *articulation, uint32_t l, Moves *child,
                          const Moves *parent) {
    const ArticulationFactor *factor = &articulation->factors[l];
    const ArticulationBody *c = &articulation->bodies[articulation->links[l].child];
    const ArticulationBody *p = &articulation->bodies[articulation->links[l].parent];
    const double none[3] = {0, 0, 0};
    ArticulationFactor whole;
    if (p->fixed) {
        parent = NULL;
    }
    if (factor->used == 3) {
        move_link(factor, c, parent, 2, child);
        return;
    }
    if (factor->used != 7) { // Jacobians of rows that are not there are unknown
        whole = *factor;
        for (int k = 0; k < 3; k++) {
            if (!has(factor->used, k)) {
                whole.child[k] = whole.parent[k] = none;
            }
        }
        factor = &whole;
    }
    move_link(factor, c, parent, 3, child);
}

static void put_response(const PhArticulationPass *pass, uint32_t i, uint32_t k, double moved[3][3],
                         bool transposed) {
    const size_t size = 3 * (size_t)pass->port_count;
    for (size_t m = 0; m < 3; m++) {
        for (size_t n = 0; n < 3; n++) {
            pass->response[(3 * (size_t)i + m) * size + 3 * (size_t)k + n] =
                transposed ? moved[m][n] : moved[n][m];
        }
    }
}

// How impulses on each of the ports, along x, along y, and turning, move the ports: a column of 3 x
// port_count numbers each. An impulse on body j moves an ancestor a by whole_a X^T, X being the
// product of `carried` on the way from a to j; and what hangs elsewhere as its parent carries it.
// What it does to those below is what they do to it.
static void respond(const Articulation *articulation) {
    const PhArticulationPass *pass = articulation->pass;
    const uint32_t size = 3 * pass->port_count, bodies = articulation->pack->body_count;
    double *of_closures = pass->of_closures;
    Moves *moves = pass->moves;
    double(*moved)[3][3] = (double(*)[3][3])(void *)(moves + bodies); // by an impulse on the port
    uint32_t *link_of = (uint32_t *)(void *)(moved + bodies), *marks = link_of + bodies;
    uint32_t *ways = marks + bodies; // to ports, from a body on: 1 for itself, 1 for each child
    Loops loops;
    // Loop closures may be solved or not.
    if (articulation->kept->current && *pass->known == articulation->kept->version &&
        articulation->count == articulation->link_count) {
        return;
    }
    if (articulation->count == 1 && articulation->link_count == 1) {
        factor_tree(articulation); // solve_pair has no need of it
    }
    *pass->known = articulation->kept->version;
    for (uint32_t i = 0; i < bodies; i++) {
        link_of[i] = PH_NULL;
        ways[i] = 0;
        marks[i] = 0; // 1 + number of the port that it has been moved for
    }
    if (articulation->pack->root != PH_NULL) {
        full_of(&articulation->bodies[articulation->pack->root],
                moves[articulation->pack->root].whole);
    }
    for (uint32_t i = 0; i < pass->port_count; i++) {
        ways[pass->ports[i]] = 1;
    }
    for (uint32_t l = articulation->link_count; l-- > 0;) {
        const PhJointLink *link = &articulation->links[l];
        link_of[link->child] = l;
        ways[link->parent] += ways[link->child] > 0;
    }
    for (uint32_t l = 0; l < articulation->link_count; l++) {
        if (ways[articulation->links[l].child]) {
            moves_of_link(articulation, l, &moves[articulation->links[l].child],
                          &moves[articulation->links[l].parent]);
        }
    }
    memset(pass->response, 0, (size_t)size * size * sizeof *pass->response);
    for (uint32_t i = 0; i < pass->port_count; i++) {
        const uint32_t body = pass->ports[i];
        double way[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, next[3][3];
        bool parts = false; // others have been met, and may have more below
        marks[body] = 1 + i;
        memcpy(moved[body], moves[body].whole, sizeof moved[body]);
        for (uint32_t a = body; link_of[a] != PH_NULL;) {
            uint32_t parent = articulation->links[link_of[a]].parent;
            if (articulation->bodies[parent].fixed) {
                break;
            }
            if (a == body) {
                memcpy(way, moves[a].carried, sizeof way);
            } else {
                multiply(way, moves[a].carried, false, next);
                memcpy(way, next, sizeof way);
            }
            marks[parent] = 1 + i;
            if (ways[parent] > 1) {
                multiply(moves[parent].whole, way, true, moved[parent]);
                parts = true;
            }
            a = parent;
        }
        for (uint32_t l = 0; l < articulation->link_count && parts; l++) {
            uint32_t child = articulation->links[l].child, parent = articulation->links[l].parent;
            if (!ways[child] || marks[child] == 1 + i || marks[parent] != 1 + i || parent == body ||
                articulation->bodies[parent].fixed) {
                continue;
            }
            multiply(moves[child].carried, moved[parent], false, moved[child]);
            marks[child] = 1 + i;
        }
        put_response(pass, i, i, moved[body], false);
        for (uint32_t k = 0; k < pass->port_count && parts; k++) {
            if (k == i || marks[pass->ports[k]] != 1 + i) {
                continue;
            }
            put_response(pass, i, k, moved[pass->ports[k]], false);
            put_response(pass, k, i, moved[pass->ports[k]], true);
        }
    }
    // Loop closures answer, as far as they are solved. What impulses on the ports do to them is
    // what theirs do to the ports.
    list_loops(articulation, &loops);
    for (uint32_t j = 0; j < loops.count; j++) {
        respond_to_closure(articulation, &loops, j);
        for (uint32_t i = 0; i < pass->port_count; i++) {
            memcpy(of_closures + (size_t)j * size + 3 * (size_t)i,
                   articulation->bodies[pass->ports[i]].dv, 3 * sizeof *of_closures);
        }
    }
    factor_dense(loops.a, loops.inverse, loops.count);
    for (uint32_t i = 0; i < size && loops.count; i++) {
        double x[MOST_CLOSURE_ROWS], *column = pass->response + (size_t)i * size;
        for (uint32_t j = 0; j < loops.count; j++) {
            x[j] = wide_keep(loops.solved[j], -of_closures[(size_t)j * size + i]);
        }
        solve_dense(loops.a, loops.inverse, x, loops.count);
        for (uint32_t j = 0; j < loops.count; j++) {
            for (uint32_t k = 0; k < size; k++) {
                column[k] += x[j] * of_closures[(size_t)j * size + k];
            }
        }
    }
}

static void apply_to_ports(const Articulation *articulation) {
    clear_impulses(articulation);
    for (uint32_t i = 0; i < articulation->pass->port_count; i++) {
        memcpy(articulation->bodies[articulation->pass->ports[i]].p, articulation->pass->wrench[i],
               sizeof articulation->pass->wrench[i]);
    }
}

// The impulses of contacts on the ports, and what all rows that are held answer.
static void give_to_ports(const Articulation *articulation) {
    Loops loops;
    double x[MOST_CLOSURE_ROWS];
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        memset(articulation->bodies[i].sum, 0, sizeof articulation->bodies[i].sum);
    }
    for (uint32_t l = 0; l < articulation->count; l++) {
        memset(articulation->factors[l].sum, 0, sizeof articulation->factors[l].sum);
    }
    list_loops(articulation, &loops);
    for (uint32_t j = 0; j < loops.count; j++) {
        respond_to_closure(articulation, &loops, j);
    }
    if (loops.count) {
        factor_dense(loops.a, loops.inverse, loops.count);
        apply_to_ports(articulation);
        sweep(articulation, false, false);
        for (uint32_t j = 0; j < loops.count; j++) {
            x[j] = wide_keep(loops.solved[j], -moved_along(articulation, loops.rows[j]));
        }
        solve_dense(loops.a, loops.inverse, x, loops.count);
    }
    apply_to_ports(articulation);
    apply_closures(articulation, &loops, x);
    sweep(articulation, false, true);
}

// What contacts gave to the ports, to the rows: the part of the joints is no business of the
// contacts' warm start, nor is an impact.
static void end_ports(const Articulation *articulation) {
    const PhArticulationPass *pass = articulation->pass;
    const PhSolverBodyArrays *solver_bodies = &articulation->run->layout->arrays->solver_bodies;
    *pass->changed |= move_all(articulation, false);
    for (uint32_t l = 0; l < articulation->count; l++) {
        ArticulationFactor *factor = &articulation->factors[l];
        Fields *fields = fields_of(articulation, l);
        for (int k = 0; k < 3 && !is_bare(articulation, l); k++) {
            const ConstraintRow *row = &factor->rows[k];
            if (!has(factor->used, k)) {
                continue;
            }
            fields->impulse[k] += factor->sum[k];
            if (pass->biased) {
                continue;
            }
            fields->sum_force[0] += factor->sum[k] * row->along[0];
            fields->sum_force[1] += factor->sum[k] * row->along[1];
            fields->sum_torque += factor->sum[k] * row->couple;
            factor->sum[k] = 0;
        }
        if (!pass->biased && !pass->bounce && !is_bare(articulation, l)) {
            pulls_of(factor, fields, &fields->pull_a, &fields->pull_b);
        }
    }
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        ArticulationBody *body = &articulation->bodies[i];
        double velocity[3];
        for (int k = 0; k < 3; k++) {
            velocity[k] = body->start[k] + body->sum[k];
        }
        store_body(articulation, body, velocity, wide_all());
    }
    for (uint32_t i = 0; i < pass->port_count && !pass->bounce; i++) {
        const ArticulationBody *body = &articulation->bodies[pass->ports[i]];
        const double *wrench = pass->wrench[i];
        float *before = solver_bodies->before[body->solver_body[0]];
        before[0] -= (float)(body->inv_mass * wrench[0]);
        before[1] -= (float)(body->inv_mass * wrench[1]);
        before[2] -= (float)(body->inv_inertia * wrench[2]);
    }
}

// The velocities and impulses before the pass, then all rows as the contacts have left them.
static void solve_again(const Articulation *articulation) {
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        memcpy(articulation->bodies[i].start, articulation->bodies[i].first,
               sizeof articulation->bodies[i].start);
    }
    for (uint32_t l = 0; l < articulation->count; l++) {
        ArticulationFactor *factor = &articulation->factors[l];
        Fields *fields = fields_of(articulation, l);
        for (int k = 0; k < 3 && !is_bare(articulation, l); k++) {
            const ConstraintRow *row = &factor->rows[k];
            if (!has(factor->used, k)) {
                continue;
            }
            if (!articulation->pass->biased) {
                fields->sum_force[0] -= fields->impulse[k] * row->along[0];
                fields->sum_force[1] -= fields->impulse[k] * row->along[1];
                fields->sum_torque -= fields->impulse[k] * row->couple;
            }
            fields->impulse[k] = factor->before[k];
        }
    }
    solve_tree(articulation);
    commit(articulation, wide_all());
}

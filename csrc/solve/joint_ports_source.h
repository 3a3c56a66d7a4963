// Ports of an articulation: bodies that contacts push, while the rows that the last pass has held
// are held (articulated_islands.c). Part of articulation_source.h; loops only at width 1.

// What a body does per velocity of its parent, and per impulse on it, where everything moves as it
// may: this one is symmetric.
typedef struct Moves {
    Wide carried[3][3], whole[3][3];
} Moves;

static void full_of(const ArticulationBody *body, Wide out[3][3]) {
    const Wide zero = wide_splat(0);
    const Wide own[6] = {body->inv_mass, zero, zero, body->inv_mass, zero, body->inv_inertia};
    const Wide *m = body->bare ? own : body->inverse;
    out[0][0] = m[0];
    out[0][1] = out[1][0] = m[1];
    out[0][2] = out[2][0] = m[2];
    out[1][1] = m[3];
    out[1][2] = out[2][1] = m[4];
    out[2][2] = m[5];
}

// What a matrix is in a lane.
PH_FOUR_INLINE void get_matrix(const Wide matrix[3][3], uint32_t lane, double out[3][3]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[i][j] = wide_get(matrix[i][j], lane);
        }
    }
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

PH_FOUR_INLINE void multiply_wide(const Wide a[3][3], const Wide b[3][3], Wide out[3][3]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
        }
    }
}

// With W = I_c^-1: dv_c = (W - W Jc^T S Jc W) p - W Jc^T S Jp dv_p, for the first `rows` rows;
// those that are not used have no stiffness.
PH_FOUR_INLINE void move_link(const ArticulationFactor *factor, const ArticulationBody *c,
                              const Moves *parent, int rows, Moves *child) {
    static const uint8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    Wide moved[3][3], transfer[3][3], lost[3][3]; // by row: W Jc^T, the same times S
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
            Wide back = wide_splat(0), carried = wide_splat(0);
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
        multiply_wide(child->carried, parent->whole, lost);
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
    const Wide none[3] = {wide_splat(0), wide_splat(0), wide_splat(0)};
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

static void put_response(const PhArticulationPorts *ports, uint32_t i, uint32_t k,
                         double moved[3][3], bool transposed) {
    const size_t size = 3 * (size_t)ports->count;
    for (size_t m = 0; m < 3; m++) {
        for (size_t n = 0; n < 3; n++) {
            ports->response[(3 * (size_t)i + m) * size + 3 * (size_t)k + n] =
                transposed ? moved[m][n] : moved[n][m];
        }
    }
}

// Numbers of bodies while a response is found.
typedef struct Roads {
    const Moves *moves;
    double (*moved)[3][3]; // by an impulse on the port
    uint32_t *link_of;
    uint32_t *marks;    // 1 + number of the port that it has been moved for
    uint32_t *branches; // to ports, from a body on: 1 for itself, 1 for each child
} Roads;

static void find_branches(const Articulation *articulation, const PhArticulationPorts *ports,
                          const Roads *roads) {
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        roads->branches[i] = roads->marks[i] = 0;
    }
    for (uint32_t i = 0; i < ports->count; i++) {
        roads->branches[ports->body[i]] = 1;
    }
    for (uint32_t l = articulation->link_count; l-- > 0;) {
        const PhJointLink *link = &articulation->links[l];
        roads->branches[link->parent] += roads->branches[link->child] > 0;
    }
}

// How impulses on each of the ports of a lane, along x, along y, and turning, move the ports: a
// column of 3 x count numbers each. An impulse on body j moves an ancestor a by whole_a X^T, X
// being the product of `carried` on the path from a to j; and what hangs elsewhere as its parent
// carries it. What it does to those below is what they do to it.
static void respond_in(const Articulation *articulation, uint32_t lane,
                       const PhArticulationPorts *ports, const Roads *roads) {
    const uint32_t size = 3 * ports->count;
    const Moves *moves = roads->moves;
    double(*moved)[3][3] = roads->moved;
    uint32_t *marks = roads->marks;
    memset(ports->response, 0, (size_t)size * size * sizeof *ports->response);
    for (uint32_t i = 0; i < ports->count; i++) {
        const uint32_t body = ports->body[i];
        double path[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, next[3][3], of[3][3];
        bool parts = false; // others have been met, and may have more below
        marks[body] = 1 + i;
        get_matrix(moves[body].whole, lane, moved[body]);
        for (uint32_t a = body; roads->link_of[a] != PH_NULL;) {
            uint32_t parent = articulation->links[roads->link_of[a]].parent;
            if (articulation->bodies[parent].fixed) {
                break;
            }
            if (a == body) {
                get_matrix(moves[a].carried, lane, path);
            } else {
                get_matrix(moves[a].carried, lane, of);
                multiply(path, of, false, next);
                memcpy(path, next, sizeof path);
            }
            marks[parent] = 1 + i;
            if (roads->branches[parent] > 1) {
                get_matrix(moves[parent].whole, lane, of);
                multiply(of, path, true, moved[parent]);
                parts = true;
            }
            a = parent;
        }
        for (uint32_t l = 0; l < articulation->link_count && parts; l++) {
            uint32_t child = articulation->links[l].child, parent = articulation->links[l].parent;
            if (!roads->branches[child] || marks[child] == 1 + i || marks[parent] != 1 + i ||
                parent == body || articulation->bodies[parent].fixed) {
                continue;
            }
            get_matrix(moves[child].carried, lane, of);
            multiply(of, moved[parent], false, moved[child]);
            marks[child] = 1 + i;
        }
        put_response(ports, i, i, moved[body], false);
        for (uint32_t k = 0; k < ports->count && parts; k++) {
            if (k == i || marks[ports->body[k]] != 1 + i) {
                continue;
            }
            put_response(ports, i, k, moved[ports->body[k]], false);
            put_response(ports, k, i, moved[ports->body[k]], true);
        }
    }
}

#if PH_WIDE == 1
// Loop closures answer, as far as they are solved. What impulses on the ports do to them is what
// theirs do to the ports.
static void respond_of_loops(const Articulation *articulation) {
    const PhArticulationPorts *ports = articulation->pass->ports;
    const uint32_t size = 3 * ports->count;
    double *of_closures = articulation->pass->of_closures;
    Loops loops;
    list_loops(articulation, &loops);
    for (uint32_t j = 0; j < loops.count; j++) {
        respond_to_closure(articulation, &loops, j);
        for (uint32_t i = 0; i < ports->count; i++) {
            memcpy(of_closures + (size_t)j * size + 3 * (size_t)i,
                   articulation->bodies[ports->body[i]].dv, 3 * sizeof *of_closures);
        }
    }
    factor_dense(loops.a, loops.inverse, loops.count);
    for (uint32_t i = 0; i < size && loops.count; i++) {
        double x[MOST_CLOSURE_ROWS], *column = ports->response + (size_t)i * size;
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
#endif

static void respond(const Articulation *articulation) {
    const PhArticulationPass *pass = articulation->pass;
    const uint32_t bodies = articulation->pack->body_count, lanes = articulation->pack->count;
    Moves *moves = pass->moves;
    Roads roads = {.moves = moves, .moved = (double(*)[3][3])(void *)(moves + bodies)};
    roads.link_of = (uint32_t *)(void *)(roads.moved + bodies);
    roads.marks = roads.link_of + bodies;
    roads.branches = roads.marks + bodies;
    // Loop closures may be solved or not.
    bool known = articulation->kept->current && articulation->count == articulation->link_count;
    for (uint32_t lane = 0; lane < lanes && known; lane++) {
        known = !pass->ports[lane].count || *pass->ports[lane].known == articulation->kept->version;
    }
    if (known) {
        return;
    }
    if (articulation->count == 1 && articulation->link_count == 1) {
        factor_tree(articulation); // solve_pair has no need of it
    }
    for (uint32_t i = 0; i < bodies; i++) {
        roads.link_of[i] = PH_NULL;
    }
    for (uint32_t l = articulation->link_count; l-- > 0;) {
        roads.link_of[articulation->links[l].child] = l;
    }
    if (articulation->pack->root != PH_NULL) {
        full_of(&articulation->bodies[articulation->pack->root],
                moves[articulation->pack->root].whole);
    }
    for (uint32_t lane = 0; lane < lanes && lanes == 1; lane++) {
        find_branches(articulation, &pass->ports[lane], &roads);
    }
    for (uint32_t l = 0; l < articulation->link_count; l++) {
        uint32_t child = articulation->links[l].child;
        if (lanes > 1 || roads.branches[child]) {
            moves_of_link(articulation, l, &moves[child], &moves[articulation->links[l].parent]);
        }
    }
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const PhArticulationPorts *ports = &pass->ports[lane];
        if (!ports->count) {
            continue;
        }
        *ports->known = articulation->kept->version;
        find_branches(articulation, ports, &roads);
        respond_in(articulation, lane, ports, &roads);
    }
#if PH_WIDE == 1
    respond_of_loops(articulation);
#endif
}

// Lanes beyond those in use repeat the first one.
static const PhArticulationPorts *ports_of(const Articulation *articulation, uint32_t lane) {
    return &articulation->pass->ports[lane < articulation->pack->count ? lane : 0];
}

static void apply_to_ports(const Articulation *articulation) {
    clear_impulses(articulation);
    for (uint32_t lane = 0; lane < PH_WIDE; lane++) {
        const PhArticulationPorts *ports = ports_of(articulation, lane);
        for (uint32_t i = 0; i < ports->count; i++) {
            for (int k = 0; k < 3; k++) {
                wide_set(&articulation->bodies[ports->body[i]].p[k], lane, ports->wrench[i][k]);
            }
        }
    }
}

// The impulses of contacts on the ports, and what all rows that are held answer.
static void give_to_ports(const Articulation *articulation) {
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        memset(articulation->bodies[i].sum, 0, sizeof articulation->bodies[i].sum);
    }
    for (uint32_t l = 0; l < articulation->count; l++) {
        memset(articulation->factors[l].sum, 0, sizeof articulation->factors[l].sum);
    }
#if PH_WIDE == 1
    if (articulation->count > articulation->link_count) {
        Loops loops;
        double x[MOST_CLOSURE_ROWS];
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
        return;
    }
#endif
    apply_to_ports(articulation);
    sweep(articulation, false, true);
}

// What contacts gave to the ports, to the rows: the part of the joints is no business of the
// contacts' warm start, nor is an impact. What has no port stays as it is.
static void end_ports(const Articulation *articulation) {
    const PhArticulationPass *pass = articulation->pass;
    const PhSolverBodyArrays *solver_bodies = &articulation->run->layout->arrays->solver_bodies;
    WideMask lanes = wide_none();
    for (uint32_t lane = 0; lane < PH_WIDE; lane++) {
        if (ports_of(articulation, lane)->count) {
            lanes |= wide_lane(lane);
        }
    }
    *pass->changed |= move_all(articulation, false);
    for (uint32_t l = 0; l < articulation->count; l++) {
        ArticulationFactor *factor = &articulation->factors[l];
        Fields *fields = fields_of(articulation, l);
        for (int k = 0; k < 3 && !is_bare(articulation, l); k++) {
            const ConstraintRow *row = &factor->rows[k];
            if (!has(factor->used, k)) {
                continue;
            }
            Wide more = factor->sum[k], *force = fields->sum_force;
            fields->impulse[k] = wide_select(lanes, fields->impulse[k] + more, fields->impulse[k]);
            if (pass->biased) {
                continue;
            }
            force[0] = wide_select(lanes, force[0] + more * row->along[0], force[0]);
            force[1] = wide_select(lanes, force[1] + more * row->along[1], force[1]);
            fields->sum_torque =
                wide_select(lanes, fields->sum_torque + more * row->couple, fields->sum_torque);
            factor->sum[k] = wide_splat(0);
        }
        if (!pass->biased && !pass->bounce && !is_bare(articulation, l)) {
            pulls_of(factor, fields, &fields->pull_a, &fields->pull_b);
        }
    }
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        ArticulationBody *body = &articulation->bodies[i];
        Wide velocity[3];
        for (int k = 0; k < 3; k++) {
            velocity[k] = body->start[k] + body->sum[k];
        }
        store_body(articulation, body, velocity, lanes);
    }
    for (uint32_t lane = 0; lane < articulation->pack->count && !pass->bounce; lane++) {
        const PhArticulationPorts *ports = &pass->ports[lane];
        for (uint32_t i = 0; i < ports->count; i++) {
            const ArticulationBody *body = &articulation->bodies[ports->body[i]];
            const double *wrench = ports->wrench[i];
            double inv_mass = wide_get(body->inv_mass, lane);
            float *before = solver_bodies->before[body->solver_body[lane]];
            before[0] -= (float)(inv_mass * wrench[0]);
            before[1] -= (float)(inv_mass * wrench[1]);
            before[2] -= (float)(wide_get(body->inv_inertia, lane) * wrench[2]);
        }
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

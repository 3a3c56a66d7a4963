// Ports of a unit of joints: bodies that contacts push, while the rows that the last pass has held
// are held (articulated.c). Part of joint_unit_source.h at width 1.

// What a body does when its parent is held, per impulse on it, and per velocity of its parent; and
// what it does per impulse on it, where everything moves as it may.
typedef struct Moves {
    double held[3][3], carried[3][3], whole[3][3];
} Moves;

static void full_of(const UnitBody *body, double out[3][3]) {
    const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++)
        give_way(body, unit[i], out[i]);
}

// out = a b, or a b^T.
static void multiply(const double a[3][3], const double b[3][3], bool transposed,
                     double out[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += a[i][k] * (transposed ? b[j][k] : b[k][j]);
            out[i][j] = sum;
        }
}

// With W = I_c^-1: dv_c = (W - W Jc^T S Jc W) p - W Jc^T S Jp dv_p.
static void moves_of_link(const Unit *unit, uint32_t l, Moves *child, const Moves *parent) {
    static const uint8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const UnitFactor *factor = &unit->factors[l];
    const UnitBody *c = &unit->bodies[unit->links[l].child];
    const UnitBody *p = &unit->bodies[unit->links[l].parent];
    double w[3][3], stiff[3][3], jc[3][3], jp[3][3], moved[3][3], push[3][3], back[3][3];
    full_of(c, w);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            bool used = has(factor->used, k);
            stiff[k][i] = factor->stiffness[at[k][i]];
            jc[k][i] = used ? factor->child[k][i] : 0;
            jp[k][i] = used ? factor->parent[k][i] : 0;
        }
    multiply(w, jc, true, moved);
    multiply(moved, stiff, false, push);
    multiply(push, moved, true, back);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            child->held[i][j] = child->whole[i][j] = w[i][j] - back[i][j];
    multiply(push, jp, false, child->carried);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            child->carried[i][j] = -child->carried[i][j];
    if (p->fixed)
        return;
    multiply(child->carried, parent->whole, false, moved);
    multiply(moved, child->carried, true, back);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            child->whole[i][j] += back[i][j];
}

// How impulses on each of the ports, along x, along y, and turning, move the ports: a column of 3 x
// port_count numbers each. An impulse on body j moves an ancestor a by whole_a X^T, X being the
// product of `carried` on the way from a to j; and what hangs elsewhere as its parent carries it.
static void respond(const Unit *unit) {
    const PhUnitPass *pass = unit->pass;
    const uint32_t size = 3 * pass->port_count, bodies = unit->block->body_count;
    double *of_cuts = pass->response + (size_t)size * size;
    Moves *moves = pass->moves;
    double(*moved)[3][3] = (double(*)[3][3])(void *)(moves + bodies); // by an impulse on the port
    uint32_t *link_of = (uint32_t *)(void *)(moved + bodies), *marks = link_of + bodies;
    Loops loops;
    if (unit->count == 1 && unit->link_count == 1)
        factor_tree(unit); // solve_pair has no need of it
    for (uint32_t i = 0; i < bodies; i++) {
        link_of[i] = PH_NULL;
        marks[i] = 0; // 1: on the way to a port; 2 + number of the port that it has been moved for
    }
    if (unit->block->root != PH_NULL)
        full_of(&unit->bodies[unit->block->root], moves[unit->block->root].whole);
    for (uint32_t i = 0; i < pass->port_count; i++)
        marks[pass->ports[i]] = 1;
    for (uint32_t l = unit->link_count; l-- > 0;) {
        const PhJointLink *link = &unit->links[l];
        link_of[link->child] = l;
        marks[link->parent] |= marks[link->child];
    }
    for (uint32_t l = 0; l < unit->link_count; l++)
        if (marks[unit->links[l].child])
            moves_of_link(unit, l, &moves[unit->links[l].child], &moves[unit->links[l].parent]);
    for (uint32_t i = 0; i < pass->port_count; i++) {
        uint32_t body = pass->ports[i];
        memcpy(moved[body], moves[body].whole, sizeof moved[body]);
        double way[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, next[3][3];
        marks[body] = 2 + i;
        for (uint32_t a = body; link_of[a] != PH_NULL;) {
            uint32_t parent = unit->links[link_of[a]].parent;
            if (unit->bodies[parent].fixed)
                break;
            multiply(way, moves[a].carried, false, next);
            memcpy(way, next, sizeof way);
            multiply(moves[parent].whole, way, true, moved[parent]);
            marks[parent] = 2 + i;
            a = parent;
        }
        for (uint32_t l = 0; l < unit->link_count; l++) {
            uint32_t child = unit->links[l].child, parent = unit->links[l].parent;
            if (!marks[child] || marks[child] == 2 + i)
                continue;
            bool carried = marks[parent] == 2 + i && !unit->bodies[parent].fixed;
            if (carried)
                multiply(moves[child].carried, moved[parent], false, moved[child]);
            marks[child] = carried ? 2 + i : 1;
        }
        for (uint32_t k = 0; k < pass->port_count; k++)
            for (int m = 0; m < 3; m++)
                for (int n = 0; n < 3; n++)
                    pass->response[(3 * i + (uint32_t)m) * (size_t)size + 3 * k + (uint32_t)n] =
                        marks[pass->ports[k]] == 2 + i ? moved[pass->ports[k]][n][m] : 0;
    }
    // Cuts answer, as far as they are solved. What impulses on the ports do to them is what theirs
    // do to the ports.
    list_loops(unit, &loops);
    for (uint32_t j = 0; j < loops.count; j++) {
        respond_to_cut(unit, &loops, j);
        for (uint32_t i = 0; i < pass->port_count; i++)
            memcpy(of_cuts + (size_t)j * size + 3 * (size_t)i, unit->bodies[pass->ports[i]].dv,
                   3 * sizeof *of_cuts);
    }
    factor_dense(loops.a, loops.inverse, loops.count);
    for (uint32_t i = 0; i < size && loops.count; i++) {
        double x[MOST_CUT_ROWS], *column = pass->response + (size_t)i * size;
        for (uint32_t j = 0; j < loops.count; j++)
            x[j] = wide_keep(loops.solved[j], -of_cuts[(size_t)j * size + i]);
        solve_dense(loops.a, loops.inverse, x, loops.count);
        for (uint32_t j = 0; j < loops.count; j++)
            for (uint32_t k = 0; k < size; k++)
                column[k] += x[j] * of_cuts[(size_t)j * size + k];
    }
}

static void push_ports(const Unit *unit) {
    clear_impulses(unit);
    for (uint32_t i = 0; i < unit->pass->port_count; i++)
        memcpy(unit->bodies[unit->pass->ports[i]].p, unit->pass->wrench[i],
               sizeof unit->pass->wrench[i]);
}

// The impulses of contacts on the ports, and what all rows that are held answer.
static void give_to_ports(const Unit *unit) {
    Loops loops;
    double x[MOST_CUT_ROWS];
    for (uint32_t i = 0; i < unit->block->body_count; i++)
        memset(unit->bodies[i].sum, 0, sizeof unit->bodies[i].sum);
    for (uint32_t l = 0; l < unit->count; l++)
        memset(unit->factors[l].sum, 0, sizeof unit->factors[l].sum);
    list_loops(unit, &loops);
    for (uint32_t j = 0; j < loops.count; j++)
        respond_to_cut(unit, &loops, j);
    if (loops.count) {
        factor_dense(loops.a, loops.inverse, loops.count);
        push_ports(unit);
        sweep(unit, false, false);
        for (uint32_t j = 0; j < loops.count; j++)
            x[j] = wide_keep(loops.solved[j], -moved_along(unit, loops.rows[j]));
        solve_dense(loops.a, loops.inverse, x, loops.count);
    }
    push_ports(unit);
    push_cuts(unit, &loops, x);
    sweep(unit, false, true);
}

// What contacts gave to the ports, to the rows: the part of the joints is no business of the
// contacts' warm start, nor is a blow.
static void end_ports(const Unit *unit) {
    const PhUnitPass *pass = unit->pass;
    const PhRows *rows = &unit->run->layout->arrays->rows;
    *pass->changed |= move_all(unit, false);
    for (uint32_t l = 0; l < unit->count; l++) {
        UnitFactor *factor = &unit->factors[l];
        Fields *fields = fields_of(unit, l);
        for (int k = 0; k < 3 && !is_bare(unit, l); k++) {
            const Row *row = &factor->rows[k];
            if (!has(factor->used, k))
                continue;
            fields->impulse[k] += factor->sum[k];
            if (pass->push)
                continue;
            fields->sum_force[0] += factor->sum[k] * row->along[0];
            fields->sum_force[1] += factor->sum[k] * row->along[1];
            fields->sum_torque += factor->sum[k] * row->couple;
            factor->sum[k] = 0;
        }
        if (!pass->push && !pass->blow && !is_bare(unit, l))
            pulls_of(factor, fields, &fields->pull_a, &fields->pull_b);
    }
    for (uint32_t i = 0; i < unit->block->body_count; i++) {
        UnitBody *body = &unit->bodies[i];
        double velocity[3];
        for (int k = 0; k < 3; k++)
            velocity[k] = body->start[k] + body->sum[k];
        store_body(unit, body, velocity, wide_all());
    }
    for (uint32_t i = 0; i < pass->port_count && !pass->blow; i++) {
        const UnitBody *body = &unit->bodies[pass->ports[i]];
        const double *wrench = pass->wrench[i];
        float *before = rows->before[body->row[0]];
        before[0] -= (float)(body->inv_mass * wrench[0]);
        before[1] -= (float)(body->inv_mass * wrench[1]);
        before[2] -= (float)(body->inv_inertia * wrench[2]);
    }
}

// The velocities and impulses before the pass, then all rows as the contacts have left them.
static void solve_again(const Unit *unit) {
    for (uint32_t i = 0; i < unit->block->body_count; i++)
        memcpy(unit->bodies[i].start, unit->bodies[i].first, sizeof unit->bodies[i].start);
    for (uint32_t l = 0; l < unit->count; l++) {
        UnitFactor *factor = &unit->factors[l];
        Fields *fields = fields_of(unit, l);
        for (int k = 0; k < 3 && !is_bare(unit, l); k++) {
            const Row *row = &factor->rows[k];
            if (!has(factor->used, k))
                continue;
            if (!unit->pass->push) {
                fields->sum_force[0] -= fields->impulse[k] * row->along[0];
                fields->sum_force[1] -= fields->impulse[k] * row->along[1];
                fields->sum_torque -= fields->impulse[k] * row->couple;
            }
            fields->impulse[k] = factor->before[k];
        }
    }
    solve_tree(unit);
    commit(unit, wide_all());
}

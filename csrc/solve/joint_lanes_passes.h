// The second half of joint_lanes_source.h: what trees of revolute joints read and write, and their
// passes.
//
// A tree that is alone, in an island without contacts and other joints, stays here for all of its
// substeps. Any other one is called for each pass and reads and writes its rows.

PH_INLINE void load_numbers(const float *numbers, const uint32_t *solver_bodies, Lanes *out) {
    for (uint32_t l = 0; l < PH_LANES; l++) {
        ((float *)out)[l] = numbers[solver_bodies[l] / 16];
    }
}

// Bodies as their rows are; all there is of trees that are alone, else what a pass needs. At the
// start of a step nothing has moved yet.
static void load_bodies(const LaneTree *tree, bool all) {
    const bool start = tree->pass->kind == PH_TREE_START;
    const Lanes zero = lanes_splat(0);
    const PhTreePass *pass = tree->pass;
    const PhTreePack *pack = tree->pack;
    for (uint32_t i = 0; i < pack->body_count; i++) {
        TreeBody *c = &tree->bodies[i];
        const uint32_t *solver_bodies = pack->solver_bodies + (size_t)i * PH_LANES;
        Lanes quad[4];
        lanes_load_quads(pass->solver_bodies.velocity, solver_bodies, quad);
        for (int k = 0; k < 3; k++) {
            c->v[k] = quad[k];
        }
        if (start) {
            c->delta[0] = c->delta[1] = c->delta[2] = c->delta[3] = c->turned = zero;
        } else {
            lanes_load_quads(pass->solver_bodies.delta, solver_bodies, c->delta);
        }
        turn_arm(c);
        if (!start && (all || pack->axes || pack->sprung)) {
            load_numbers(pass->solver_bodies.turned, solver_bodies, &c->turned);
        }
        if (all || pack->sprung || pass->share != 0) {
            lanes_load_quads(pass->solver_bodies.drive, solver_bodies, quad);
            for (int k = 0; k < 3; k++) {
                c->drive[k] = quad[k];
            }
        }
        if (!all || !pack->damped) {
            continue;
        }
        lanes_load_quads(pass->solver_bodies.damping, solver_bodies, quad);
        for (int k = 0; k < 3; k++) {
            c->damping[k] = quad[k];
        }
    }
}

// Geometric stiffness may have changed since the last pass.
static void load_inertias(const LaneTree *tree) {
    const PhTreePack *pack = tree->pack;
    for (uint32_t i = 0; i < pack->body_count; i++) {
        const uint32_t *solver_bodies = pack->solver_bodies + (size_t)i * PH_LANES;
        float *inertia = (float *)&tree->bodies[i].inertia;
        for (uint32_t l = 0; l < PH_LANES && !(pack->flags[i] & PH_TREE_FIXED); l++) {
            inertia[l] =
                (float)(tree->pass->masses[solver_bodies[l] / 16].inertia * pack->scale[l]);
        }
    }
}

// Velocities to the rows, of lanes that are trees; those that are left over repeat the first.
// joined: what joints change is no business of the contacts' warm start.
static void store_velocities(const LaneTree *tree, bool joined) {
    const PhSolverBodyArrays *to = &tree->pass->solver_bodies;
    for (uint32_t i = 0; i < tree->pack->body_count; i++) {
        const TreeBody *c = &tree->bodies[i];
        const uint32_t *solver_bodies = tree->pack->solver_bodies + (size_t)i * PH_LANES;
        Lanes quad[4], before[4];
        if (tree->pack->flags[i] & PH_TREE_FIXED) {
            continue;
        }
        lanes_load_quads(to->velocity, solver_bodies, quad);
        if (joined) {
            lanes_load_quads(to->before, solver_bodies, before);
            for (int k = 0; k < 3; k++) {
                before[k] += c->v[k] - quad[k];
            }
            lanes_store_quads(to->before, solver_bodies, before);
        }
        for (int k = 0; k < 3; k++) {
            quad[k] = c->v[k];
        }
        lanes_store_quads(to->velocity, solver_bodies, quad);
    }
}

static void store_places(const LaneTree *tree) {
    const PhSolverBodyArrays *to = &tree->pass->solver_bodies;
    for (uint32_t i = 0; i < tree->pack->body_count; i++) {
        const TreeBody *c = &tree->bodies[i];
        const uint32_t *solver_bodies = tree->pack->solver_bodies + (size_t)i * PH_LANES;
        if (tree->pack->flags[i] & PH_TREE_FIXED) {
            continue;
        }
        lanes_store_quads(to->delta, solver_bodies, c->delta);
        for (uint32_t l = 0; l < PH_LANES; l++) {
            to->turned[solver_bodies[l] / 16] = ((const float *)&c->turned)[l];
        }
    }
}

// Gives every body that swings a share of what a substep gains, as far as joints let it.
static void shift_tree(const LaneTree *tree) {
    const PhTreePack *pack = tree->pack;
    const Lanes share = lanes_splat(tree->pass->share);
    for (uint32_t i = 0; pack->sprung && i < pack->body_count; i++) {
        memcpy(tree->bodies[i].was, tree->bodies[i].drive, sizeof tree->bodies[i].drive);
    }
    if (pack->sprung) {
        apply_springs(tree, TREE_GAIN);
    }
    if (pack->axes) {
        fill_angles(tree, false);
    }
    solve_tree(tree, TREE_SHIFT, TREE_LEAVE);
    for (uint32_t i = 0; i < pack->body_count; i++) {
        TreeBody *c = &tree->bodies[i];
        Lanes gain[3];
        if (pack->flags[i] & PH_TREE_FIXED) {
            continue;
        }
        gain_of(c, c->d, gain);
        for (int k = 0; k < 3; k++) {
            c->v[k] += share * c->drive[k] + gain[k];
        }
    }
    for (uint32_t i = 0; pack->sprung && i < pack->body_count; i++) {
        memcpy(tree->bodies[i].drive, tree->bodies[i].was, sizeof tree->bodies[i].drive);
    }
}

// What velocities are before a biased solve: inertias follow the pulls, forces act.
PH_INLINE void start_body(const LaneTree *tree, TreeBody *c) {
    Lanes wanted = lanes_splat(tree->pass->h) * c->note;
    Lanes now = lanes_max(wanted, c->own);
    Mask more = lanes_less(c->inertia, now);
    if (lanes_any(more)) {
        c->v[2] = lanes_select(more, c->v[2] * (c->inertia / now), c->v[2]);
    }
    c->inertia = now;
    for (int k = 0; k < 3; k++) {
        c->v[k] += c->drive[k];
        if (tree->pack->damped) {
            c->v[k] *= c->damping[k];
        }
    }
}

// Springs, then a biased solve; inertias of trees that are not alone go to their rows.
static void solve_biased_tree(const LaneTree *tree, bool writes_back) {
    const PhTreePack *pack = tree->pack;
    if (pack->sprung) {
        apply_springs(tree, TREE_FORCE);
    }
    if (pack->axes) {
        fill_angles(tree, true);
    }
    solve_tree(tree, TREE_SOLVE, TREE_LEAVE);
    Mask sudden = find_sudden(tree);
    if (lanes_any(sudden)) {
        brace(tree, sudden, writes_back);
        return;
    }
    for (uint32_t i = 0; i < pack->body_count; i++) {
        if (!(pack->flags[i] & PH_TREE_FIXED)) {
            commit_lanes(tree, &tree->bodies[i], lanes_not(sudden));
        }
    }
    if (pack->axes) {
        commit_angles(tree, true, lanes_not(sudden));
    }
}

// Of angles with a spring, before a substep adds anything to it; or what has come to it since.
static void note_spins(const LaneTree *tree, bool gains) {
    const PhTreePack *pack = tree->pack;
    for (uint32_t i = 0; pack->sprung && i < pack->body_count; i++) {
        if (pack->flags[i] & PH_TREE_SPRUNG) {
            TreeAngle *angle = &tree->angles[i];
            Lanes spin = tree->bodies[i].v[2] - tree->bodies[pack->parent[i]].v[2];
            angle->spin = gains ? spin - angle->spin : spin;
        }
    }
}

static void relax_tree(const LaneTree *tree) {
    const PhTreePack *pack = tree->pack;
    if (pack->sprung) {
        if (pack->isolated || pack->gains) { // else those of all joints are found first
            note_spins(tree, true);
        }
        apply_springs(tree, TREE_DAMPER);
    }
    if (pack->axes) {
        fill_angles(tree, false);
    }
    solve_tree(tree, TREE_RELAX, TREE_COMMIT);
    for (uint32_t i = 0; pack->axes && i < pack->body_count; i++) {
        TreeBody *c = &tree->bodies[i];
        if (pack->flags[i] & PH_TREE_FIXED) {
            continue;
        }
        commit_body(tree, c, c->d);
        for (int k = 0; k < 2; k++) {
            c->impulse[k] += c->l[k];
            c->force[k] += c->impulse[k];
        }
    }
    if (pack->axes) {
        commit_angles(tree, false, lanes_not(lanes_none()));
    }
}

// A biased solve that was committed on trial, and has moved all bodies, was too sudden.
static void solve_again(const LaneTree *tree, Mask sudden) {
    const PhTreePack *pack = tree->pack;
    for (uint32_t i = 0; i < pack->body_count; i++) {
        TreeBody *c = &tree->bodies[i];
        for (int k = 0; k < 3; k++) {
            c->v[k] = c->was[k];
        }
        for (int k = 0; k < 4; k++) {
            c->delta[k] = c->was[3 + k];
        }
        c->turned = c->was[7];
        turn_arm(c);
    }
    brace(tree, sudden, false);
    for (uint32_t i = 0; i < pack->body_count; i++) {
        move_body(tree, &tree->bodies[i]);
    }
}

static void run_substep(const LaneTree *tree) {
    const PhTreePack *pack = tree->pack;
    note_spins(tree, false);
    for (uint32_t i = 0; i < pack->body_count; i++) {
        if (!(pack->flags[i] & PH_TREE_FIXED)) {
            start_body(tree, &tree->bodies[i]);
        }
    }
    if (tree->angles) {
        solve_biased_tree(tree, false);
        for (uint32_t i = 0; i < pack->body_count; i++) {
            move_body(tree, &tree->bodies[i]);
        }
        relax_tree(tree);
        return;
    }
    Mask sudden = lanes_none();
    sweep_up(tree, TREE_SOLVE, false, false, NULL);
    sweep_down(tree, false, TREE_SOLVE, TREE_MOVE);
    sweep_up(tree, TREE_RELAX, false, false, &sudden);
    if (lanes_any(sudden)) {
        solve_again(tree, sudden);
        sweep_up(tree, TREE_RELAX, false, false, NULL);
    }
    sweep_down(tree, false, TREE_RELAX, TREE_COMMIT);
}

// One pass of a tree on whose rows others act as well.
static void pass_solver_bodies(const LaneTree *tree, bool biased) {
    load_bodies(tree, false);
    if (biased) {
        load_inertias(tree);
        solve_biased_tree(tree, true);
    } else {
        relax_tree(tree);
    }
    store_velocities(tree, true);
}

static void tree_pass(const PhTreePass *pass, const PhTreePack *pack) {
    LaneTree tree = tree_of(pass, pack);
    bool joints_only = pack->joints_only, isolated = pack->isolated;
    switch (pass->kind) {
    case PH_TREE_START:
        if (isolated || joints_only) {
            load_bodies(&tree, true);
        }
        if (joints_only) {
            shift_tree(&tree);
        }
        if (joints_only && !isolated) {
            store_velocities(&tree, false);
        }
        break;
    case PH_TREE_RUN:
        for (int32_t k = 0; k < pass->substeps; k++) {
            run_substep(&tree);
        }
        if (pass->watched) {
            store_velocities(&tree, false);
            store_places(&tree);
        }
        break;
    case PH_TREE_SOLVE:
    case PH_TREE_RELAX:
        pass_solver_bodies(&tree, pass->kind == PH_TREE_SOLVE);
        break;
    default: // PH_TREE_END
        if (joints_only && !isolated) {
            load_bodies(&tree, true);
        }
        if (joints_only) {
            shift_tree(&tree);
        }
        if (joints_only || isolated) {
            store_velocities(&tree, false);
        }
        if (isolated) {
            store_places(&tree);
        }
    }
}

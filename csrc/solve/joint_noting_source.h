// What trees in lanes tell before a substep begins: part of joint_lanes.c.

// Spins of angles with a spring, before anything is added to them; or what has come to them since:
// dampers want to know.
static void note_spins(const PhJointRun *run, const PhIslandBatch *batch,
                       const PhTreePackPlan *tree, const PhTreePack *pack, bool gains) {
    const float(*velocity)[4] =
        (const float(*)[4])run->layout->arrays->solver_bodies.velocity + batch->first_solver_body;
    for (uint32_t i = 0; i < tree->body_count; i++) {
        const uint32_t *c = pack->solver_bodies + (size_t)i * tree->width;
        if (!(pack->flags[i] & PH_TREE_SPRUNG)) {
            continue;
        }
        const uint32_t *p = pack->solver_bodies + (size_t)pack->parent[i] * tree->width;
        float *field = angle_of(pack, tree, i, 0);
        for (uint32_t lane = 0; lane < tree->width; lane++) {
            float *noted = &field[SPIN * tree->width + lane];
            float spin = velocity[c[lane] / 16][2] - velocity[p[lane] / 16][2];
            *noted = gains ? spin - *noted : spin;
        }
    }
}

void ph_trees_leave(const PhJointRun *run, const PhIslandBatch *batch) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    for (uint32_t t = batch->first_tree; t < batch->first_tree + batch->tree_count; t++) {
        const PhTreePackPlan *tree = &own->trees[t];
        const uint32_t *solver_bodies = own->tree_solver_bodies + tree->first_solver_body;
        bool listed = tree->joints_only && !tree->isolated;
        for (size_t i = 0; listed && i < (size_t)tree->body_count * tree->width; i++) {
            own->masses[batch->first_solver_body + solver_bodies[i] / 16].note = 0;
        }
    }
}

void ph_trees_pull(const PhJointRun *run, const PhIslandBatch *batch) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    for (uint32_t t = batch->first_tree; t < batch->first_tree + batch->tree_count; t++) {
        const PhTreePackPlan *tree = &own->trees[t];
        const PhTreePack pack = pack_of(run, tree, tree->first_data);
        const uint32_t *solver_bodies = pack.solver_bodies;
        if (tree->sprung && !tree->isolated) {
            note_spins(run, batch, tree, &pack, false);
        }
        for (uint32_t i = 0; !tree->isolated && i < tree->body_count;
             i++, solver_bodies += tree->width) {
            const float *field = body_of(&pack, tree, i, 0);
            for (uint32_t lane = 0; lane < tree->count; lane++) {
                own->masses[batch->first_solver_body + solver_bodies[lane] / 16].note +=
                    (double)field[NOTE * tree->width + lane] / pack.scale[lane];
            }
        }
    }
}

// Whether a batch has no other joints: then its trees find in their own relaxation what springs
// have gained.
static bool is_of_trees(const PhIslandBatch *batch) {
    return batch->joint_pack_count == 0 && batch->iterative_count == 0;
}

void ph_trees_gain(const PhJointRun *run, const PhIslandBatch *batch) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    uint32_t last = batch->first_tree + (is_of_trees(batch) ? 0 : batch->tree_count);
    for (uint32_t t = batch->first_tree; t < last; t++) {
        const PhTreePackPlan *tree = &own->trees[t];
        if (tree->sprung && !tree->isolated) {
            const PhTreePack pack = pack_of(run, tree, tree->first_data);
            note_spins(run, batch, tree, &pack, true);
        }
    }
}

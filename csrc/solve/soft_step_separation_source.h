// Which bodies deep overlaps are separated of, by pseudo-velocities. A part of soft_step.c.

// Names the islands of a batch in which something is deep as the step begins. The kernels name the
// batch; but what another island of it does must not matter.
static void find_deep_islands(const Solve *solve, const PhIslandBatch *batch) {
    const PhLayout *layout = solve->layout;
    const struct PhLayoutArrays *arrays = layout->arrays;
    const PhLengths *lengths = solve->parameters->lengths;
    const uint32_t *slots = arrays->solver_body_slot + batch->first_solver_body;
    for (uint32_t r = 1; r <= batch->body_count; r++) {
        arrays->islands[layout->island[slots[r]]].deep = false;
    }
    for (uint32_t i = 0; i < batch->color_count; i++) {
        const PhColor *color = &arrays->colors[batch->first_color + i];
        Part part = part_of(layout, color, color->first_wide);
        for (uint32_t l = 0; l < color->wide_count * part.kernels->lanes; l++) {
            uint32_t pair = part.heads.pair[l];
            if (pair == PH_NULL) {
                continue;
            }
            const PhSolverManifold *m = &solve->contacts->manifold[pair];
            bool bounces = batch->free && m->restitution > 0;
            float least = m->point[0].separation, second = m->point[1].separation;
            float deep = bounces ? lengths->lane.free_overlap[0] : lengths->lane.deep_overlap[0];
            least = second < least ? second : least;
            if (least < -deep) {
                uint32_t slot = slots[part.heads.ends[l].a.solver_body / 16];
                arrays->islands[layout->island[slot]].deep = true;
            }
        }
    }
}

// Joints would know nothing of pseudo-velocities, so what they hold has none. Returns whether an
// island is entangled.
static bool start_pseudo_velocities(const Solve *solve, const PhIslandBatch *batch) {
    const PhLayout *layout = solve->layout;
    float(*pseudo)[4] = solve->pass.solver_bodies.pseudo;
    const uint32_t *slots = layout->arrays->solver_body_slot + batch->first_solver_body;
    bool any = false;
    find_deep_islands(solve, batch);
    for (uint32_t r = 0; r < ph_batch_solver_bodies(batch); r++) {
        uint32_t slot = slots[r];
        bool dynamic = slot != PH_NULL && solve->bodies->role[slot] == PH_ROLE_DYNAMIC;
        bool held = dynamic && layout->arrays->slots[slot].in_joint;
        const PhIsland *island = dynamic ? &layout->arrays->islands[layout->island[slot]] : NULL;
        bool jammed = held && island->entangled, moves = dynamic && !held && island->deep;
        set_quad(pseudo[r], 0, 0, 0, jammed ? -1 : moves ? 1 : 0);
        any |= jammed;
    }
    return any;
}

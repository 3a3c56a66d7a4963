// What a step with a PhSolveTrace writes down: rows of the constraints and frames of the passes;
// part of soft_step.c.

// ------------------------------------------------------------------------------------------------
// trace

// Brings trace->look of the batch's contacts up to date and hands out their points.
static void show_points(const Solve *solve, const PhIslandBatch *batch, bool bounces) {
    const PhColor *colors = solve->layout->arrays->colors + batch->first_color;
    for (uint32_t i = 0; i < batch->color_count; i++) {
        Part part = part_of(solve->layout, &colors[i], colors[i].first_wide);
        part.wide_contacts.extras = bounces ? part.wide_contacts.extras : NULL;
        part.kernels->show(solve->contacts, part.heads.pair, part.wide_contacts,
                           colors[i].wide_count, solve->trace->show);
    }
}

static bool is_in_batch(const Solve *solve, const PhIslandBatch *batch, uint32_t c) {
    uint32_t number = ph_batch_of(solve->layout, solve->contacts->body_a[c]);
    return batch == &solve->layout->arrays->batches[number];
}

static void trace_constraints(const Solve *solve, const PhIslandBatch *batch) {
    const struct PhLayoutArrays *arrays = solve->layout->arrays;
    const PhSolveTrace *trace = solve->trace;
    show_points(solve, batch, false);
    for (uint32_t c = 0; c < solve->contacts->count; c++) {
        for (int j = 0; j < 2; j++) {
            const PhPointState *show = &trace->show[c][j];
            if (trace->number[c][j] == PH_NULL || !is_in_batch(solve, batch, c)) {
                continue;
            }
            PhConstraintRow *entry = &trace->constraint[trace->number[c][j]];
            entry->batch = (int32_t)(batch - arrays->batches);
            entry->color = (uint8_t)ph_color_of_code(arrays->color_of[c]);
            entry->normal_mass = (double)show->normal_mass;
            entry->tangent_mass = (double)show->tangent_mass;
            entry->normal_impulse = (double)show->normal_impulse;
            entry->tangent_impulse = (double)show->tangent_impulse;
        }
    }
}

// A substep gives a point the impulses that the point holds at its end; the last frame shows what
// impacts with restitution have given.
static void trace_impulses(const Solve *solve, const PhIslandBatch *batch, int32_t frame,
                           bool bounces) {
    PhSolveFrame now = ph_solve_frame(solve->trace, (uint32_t)frame);
    bool last = frame == solve->substeps / solve->stride;
    show_points(solve, batch, bounces);
    for (uint32_t c = 0; c < solve->contacts->count; c++) {
        for (int j = 0; j < 2; j++) {
            const PhPointState *show = &solve->trace->show[c][j];
            uint32_t point = solve->trace->number[c][j];
            if (point == PH_NULL || !is_in_batch(solve, batch, c)) {
                continue;
            }
            now.normal_impulse[point] = (double)(last ? show->bounce_normal : show->normal_impulse);
            now.tangent_impulse[point] =
                (double)(last ? show->bounce_tangent : show->tangent_impulse);
        }
    }
}

static void trace_substep(const Solve *solve, const PhIslandBatch *batch, int32_t substep) {
    const struct PhLayoutArrays *arrays = solve->layout->arrays;
    const PhSolverBodies *bodies = solve->bodies;
    PhSolveFrame now = ph_solve_frame(solve->trace, (uint32_t)substep);
    trace_impulses(solve, batch, substep, false);
    for (uint32_t r = batch->first_solver_body + 1;
         r <= batch->first_solver_body + batch->body_count; r++) {
        uint32_t slot = arrays->solver_body_slot[r];
        const float *velocity = arrays->solver_bodies.velocity[r],
                    *delta = arrays->solver_bodies.delta[r];
        now.velocity[slot][0] = (double)velocity[0];
        now.velocity[slot][1] = (double)velocity[1];
        now.angular_velocity[slot] = (double)velocity[2];
        now.position[slot][0] = bodies->center[slot][0] + (double)delta[0];
        now.position[slot][1] = bodies->center[slot][1] + (double)delta[1];
        now.angle[slot] = bodies->angle[slot] + (double)arrays->solver_bodies.turned[r];
    }
}

// After the solver bodies have been stored.
static void trace_end(const Solve *solve, const PhIslandBatch *batch, bool bounces) {
    const PhSolverBodies *bodies = solve->bodies;
    int32_t frame = solve->substeps / solve->stride;
    PhSolveFrame now = ph_solve_frame(solve->trace, (uint32_t)frame);
    trace_impulses(solve, batch, frame, bounces);
    for (uint32_t r = batch->first_solver_body + 1;
         r <= batch->first_solver_body + batch->body_count; r++) {
        uint32_t slot = solve->layout->arrays->solver_body_slot[r];
        memcpy(now.velocity[slot], bodies->velocity[slot], sizeof now.velocity[slot]);
        memcpy(now.position[slot], bodies->center[slot], sizeof now.position[slot]);
        now.angular_velocity[slot] = bodies->angular_velocity[slot];
        now.angle[slot] = bodies->angle[slot];
    }
}

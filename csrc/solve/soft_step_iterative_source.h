// ------------------------------------------------------------------------------------------------
// Iterative joints of a batch, shared among workers. A part of soft_step.c.

typedef struct IterativeRun {
    const Solve *solve;
    PhIterativeKernel *kernel;
    const PhJointRun *joints;
    const PhIterativeColor *color;
    void (*work)(const PhJointRun *joints, const PhIterativeColor *color, uint32_t first,
                 uint32_t last);
    uint32_t first, last, grain;
} IterativeRun;

static void iterative_chunk(void *context, uint32_t chunk) {
    const IterativeRun *run = context;
    const struct PhLayoutArrays *arrays = run->solve->layout->arrays;
    uint32_t first = run->first + chunk * run->grain, last = first + run->grain;
    last = last < run->last ? last : run->last;
    if (!run->color) {
        ph_iterative_load_bodies(run->joints, first, last);
    } else if (run->work) {
        run->work(run->joints, run->color, first, last);
    } else {
        run->kernel(&run->solve->pass, ph_iterative_pack(arrays, run->color, first), last - first);
    }
}

static void share_iterative(IterativeRun *run, uint32_t grain) {
    uint32_t count = run->last - run->first;
    run->grain = run->solve->jobs && count > 4 * grain ? grain : count;
    if (count) {
        ph_jobs_run(run->solve->jobs, iterative_chunk, run, (count + run->grain - 1) / run->grain);
    }
}

// All colors of the kinds that have a kernel, one after the other; joints of overflow by one
// thread.
static void run_iterative(const Solve *solve, const PhIslandBatch *batch,
                          PhIterativeKernel *const kernels[]) {
    const PhIterativeColor *colors =
        solve->layout->arrays->joints.iterative_colors + batch->first_iterative_color;
    bool backwards = solve->parameters->step_count & 1;
    for (uint32_t i = 0; i < batch->iterative_color_count; i++) {
        const PhIterativeColor *color =
            &colors[backwards ? batch->iterative_color_count - 1 - i : i];
        IterativeRun run = {.solve = solve, .kernel = kernels[color->kind], .color = color};
        if (!run.kernel) {
            continue;
        }
        run.first = color->first_pack;
        run.last = run.first + color->pack_count;
        share_iterative(&run, color->number < PH_ITERATIVE_COLORS
                                  ? CHUNK_CONTACTS / solve->kernels->lanes
                                  : UINT32_MAX / 8);
    }
}

static void load_iterative_bodies(const Solve *solve, const PhJointRun *joints,
                                  const PhIslandBatch *batch) {
    IterativeRun run = {.solve = solve, .joints = joints, .first = batch->first_solver_body};
    run.last = run.first + batch->solver_body_count;
    share_iterative(&run, CHUNK_BODIES);
}

// What is done with all wide contacts of a batch.
static void each_iterative(const Solve *solve, const PhJointRun *joints, const PhIslandBatch *batch,
                           void (*work)(const PhJointRun *joints, const PhIterativeColor *color,
                                        uint32_t first, uint32_t last)) {
    const PhIterativeColor *colors =
        solve->layout->arrays->joints.iterative_colors + batch->first_iterative_color;
    for (uint32_t i = 0; i < batch->iterative_color_count; i++) {
        IterativeRun run = {.solve = solve, .joints = joints, .color = &colors[i], .work = work};
        run.first = colors[i].first_pack;
        run.last = run.first + colors[i].pack_count;
        share_iterative(&run, CHUNK_BODIES / solve->kernels->lanes);
    }
}

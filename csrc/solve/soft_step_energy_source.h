// Energy of islands in which joints carry much. A part of soft_step.c.
//
// Contacts, hinges, rods, ropes and limits do no work of themselves: a substep ends with no more
// kinetic energy than gravity and forces have left. Where no velocities satisfy all of them, as on
// a taut bridge of two ropes in each gap, impulses grow that would throw a load to fifteen times
// its height. What is gained so is taken back, from all bodies of the island alike, so that joints
// stay satisfied. What springs and motors act on is left as it is, and so is what nothing fixed
// holds, whose momentum would change.

// Of what gravity and forces have left, that errors of rounding and of turning bodies may add.
#define ENERGY_SLACK 1.01

// Whether the batch has such islands, of those that are solved through their joints or have more
// substeps. Marks those that are not passive.
static bool find_passive(const Solve *solve, const PhIslandBatch *batch) {
    const PhLayout *layout = solve->layout;
    const PhJointLayout *own = &layout->arrays->joints;
    PhIsland *islands = layout->arrays->islands;
    bool any = false;
    if (batch->free || !batch->work_count || !(batch->articulated || batch->substep_level > 0)) {
        return false;
    }
    uint32_t last = batch->first_work + batch->work_count;
    for (uint32_t w = batch->first_work; w < last; w++) {
        PhIsland *island = &islands[own->ends[w].island];
        island->active = !island->held || island->driven;
    }
    for (uint32_t w = batch->first_work; w < last; w++) {
        const PhJoint *joint = &solve->bodies->joints->joint[own->ends[w].joint];
        PhIsland *island = &islands[own->ends[w].island];
        island->active |= ph_joint_sprung_rows(joint) || ph_joint_info(joint)->driven ||
                          joint->value[PH_JOINT_MAX_MOTOR] > 0;
        any |= !island->active;
    }
    return any;
}

static PhIsland *island_of(const Solve *solve, const PhIslandBatch *batch, uint32_t r) {
    const struct PhLayoutArrays *arrays = solve->layout->arrays;
    uint32_t slot = arrays->solver_body_slot[batch->first_solver_body + r];
    return &arrays->islands[solve->layout->island[slot]];
}

static void sum_energy(const Solve *solve, const PhIslandBatch *batch) {
    const uint32_t *slots = solve->layout->arrays->solver_body_slot + batch->first_solver_body;
    for (uint32_t r = 1; r <= batch->body_count; r++) {
        island_of(solve, batch, r)->energy = 0;
    }
    for (uint32_t r = 1; r <= batch->body_count; r++) {
        const float *v = solve->pass.solver_bodies.velocity[r];
        double vx = (double)v[0], vy = (double)v[1], w = (double)v[2];
        double mass = (double)solve->bodies->mass[slots[r]][0];
        double inertia = (double)solve->bodies->mass[slots[r]][1] * (1 + (double)v[3]);
        double sum = mass > 0 ? 0.5 * (vx * vx + vy * vy) / mass : 0;
        island_of(solve, batch, r)->energy += sum + (inertia > 0 ? 0.5 * w * w / inertia : 0);
    }
}

// Before contacts and joints act.
static void note_energy(const Solve *solve, const PhIslandBatch *batch) {
    sum_energy(solve, batch);
    for (uint32_t r = 1; r <= batch->body_count; r++) {
        PhIsland *island = island_of(solve, batch, r);
        island->most_energy = island->energy;
    }
}

static void limit_energy(const Solve *solve, const PhIslandBatch *batch) {
    sum_energy(solve, batch);
    for (uint32_t r = 1; r <= batch->body_count; r++) {
        const PhIsland *island = island_of(solve, batch, r);
        double now = island->energy, most = island->most_energy;
        if (island->active || !(now > ENERGY_SLACK * most) || !(now < INFINITY)) {
            continue;
        }
        float scale = (float)sqrt(most / now);
        for (int i = 0; i < 3; i++) {
            solve->pass.solver_bodies.velocity[r][i] *= scale;
        }
    }
}

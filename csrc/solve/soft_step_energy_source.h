// Energy of an articulated batch. A part of soft_step.c.
//
// Contacts, hinges, rods, ropes and limits do no work of themselves: a substep ends with no more
// kinetic energy than gravity and forces have left. Where no velocities satisfy all of them, as on
// a taut bridge of two ropes in each gap, impulses grow that would throw a load to fifteen times
// its height. What is gained so is taken back, from all bodies of the island alike, so that joints
// stay satisfied. What springs and motors hold is left as it is, and so is what nothing fixed
// holds, whose momentum would change.

// Of what gravity and forces have left, that errors of rounding and of turning bodies may add.
#define ENERGY_SLACK 1.02

// Whether all of the batch's island is passive, and hangs on or touches what is fixed.
static bool is_passive(const Solve *solve, const PhIslandBatch *batch) {
    const PhLayout *layout = solve->layout;
    const PhJointLayout *own = &layout->arrays->joints;
    if (!batch->articulated || batch->free) {
        return false;
    }
    for (uint32_t w = batch->first_work; w < batch->first_work + batch->work_count; w++) {
        const PhJoint *joint = &solve->bodies->joints->joint[own->ends[w].joint];
        if (ph_joint_sprung_rows(joint) || ph_joint_info(joint)->driven ||
            joint->value[PH_JOINT_MAX_MOTOR] > 0) {
            return false;
        }
    }
    uint32_t slot = layout->arrays->solver_body_slot[batch->first_solver_body + 1];
    return slot != PH_NULL && layout->island[slot] != PH_NULL &&
           !layout->arrays->islands[layout->island[slot]].driven;
}

static double kinetic_energy(const Solve *solve, const PhIslandBatch *batch) {
    const uint32_t *slots = solve->layout->arrays->solver_body_slot + batch->first_solver_body;
    double sum = 0;
    for (uint32_t r = 1; r <= batch->body_count; r++) {
        const float *v = solve->pass.solver_bodies.velocity[r];
        double vx = (double)v[0], vy = (double)v[1], w = (double)v[2];
        double mass = (double)solve->bodies->mass[slots[r]][0];
        double inertia = (double)solve->bodies->mass[slots[r]][1] * (1 + (double)v[3]);
        sum += mass > 0 ? 0.5 * (vx * vx + vy * vy) / mass : 0;
        sum += inertia > 0 ? 0.5 * w * w / inertia : 0;
    }
    return sum;
}

static void limit_energy(const Solve *solve, const PhIslandBatch *batch, double most) {
    double now = kinetic_energy(solve, batch);
    if (!(now > ENERGY_SLACK * most) || !(now < INFINITY)) {
        return;
    }
    float scale = (float)sqrt(most / now);
    for (uint32_t r = 1; r <= batch->body_count; r++) {
        for (int i = 0; i < 3; i++) {
            solve->pass.solver_bodies.velocity[r][i] *= scale;
        }
    }
}

// Velocities of the instant of the positions, at both ends of a step: part of joint_solve.c.
//
// Inside the solver, gravity and springs act before positions move, so velocities are half a
// substep of these behind. Where bodies swing on direct trees and on springs that a substep
// follows, without contacts, that half is subtracted at the start of the step and added at its end,
// along the free directions of the joints: both follow from the places alone, so what happens in
// between is the same as without. The error of the energy that is seen is then of order h^2, not h.
// In an island without trees, springs that a substep cannot follow may act too; only their own
// bodies keep their velocities.
//
// Sources: L. Verlet, "Computer Experiments on Classical Fluids" (1967); W. Swope, H. Andersen, P.
// Berens, K. Wilson, "A Computer Simulation Method for the Calculation of Equilibrium Constants"
// (1982), on velocities of the instant.

// Drives of the bodies of a work as they were before its spring gave its force.
static void ungain(const PhJointRun *run, const PhJointPack *pack, uint32_t w) {
    const PhArticulationWork *work = &works_of(run, pack)[w];
    float(*drive)[4] = run->layout->arrays->solver_bodies.drive;
    for (int side = 2; side-- > 0;) {
        uint32_t body = work->side[side];
        bool fixed = run->layout->arrays->joints.bodies[pack->first_body + body].fixed;
        for (uint32_t lane = 0; lane < pack->count && !fixed; lane++) {
            memcpy(drive[solver_bodies_of(run, pack, body)[lane]], work->kept[side][lane],
                   sizeof work->kept[side][lane]);
        }
    }
}

// Whether springs act in a pack of an island in which nothing else does.
static bool only_oscillates(const PhJointPack *pack) {
    return pack->joints_only && pack->sprung;
}

// What such springs give in a substep, where their bodies are, counts as gained by these.
static void gain_springs(const PhJointRun *run, const PhIslandBatch *batch) {
    const PhJointPack *packs = packs_of(run, batch);
    PhArticulationPass pass = {.run = run, .operation = PH_ARTICULATION_FORCE, .shift = 1};
    for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
        if (only_oscillates(&packs[k])) {
            ph_articulation_pass(&pass, &packs[k]);
        }
    }
}

static void ungain_springs(const PhJointRun *run, const PhIslandBatch *batch) {
    const PhJointPack *packs = packs_of(run, batch);
    for (uint32_t k = batch->joint_pack_count; k-- > 0;) {
        for (uint32_t w = packs[k].work_count; only_oscillates(&packs[k]) && w-- > 0;) {
            if (works_of(run, &packs[k])[w].sprung) {
                ungain(run, &packs[k], w);
            }
        }
    }
}

// A note: the angle is not to be shifted.
#define PLACE_ONLY 2.0

// Notes 1 at the bodies of a pack, or 0.
static void note_bodies(const PhJointRun *run, const PhJointPack *pack, double note) {
    PhJointLayout *own = &run->layout->arrays->joints;
    for (uint32_t i = 0; i < pack->body_count; i++) {
        for (uint32_t lane = 0; lane < pack->count && !own->bodies[pack->first_body + i].fixed;
             lane++) {
            own->masses[solver_bodies_of(run, pack, i)[lane]].note = note;
        }
    }
}

// Takes the note from bodies of springs that are too fast for a substep by their frequency: these
// give their impulses to velocities as they are, and would share the half. Those that levers make
// too fast may change from step to step.
static void leave_stiff(const PhJointRun *run, const PhJointPack *pack) {
    PhJointLayout *own = &run->layout->arrays->joints;
    for (uint32_t w = 0; w < pack->work_count; w++) {
        const PhArticulationWork *work = &works_of(run, pack)[w];
        for (uint32_t lane = 0; lane < pack->count; lane++) {
            const PhJoint *joint = &run->bodies->joints->joint[work->joint[lane]];
            if (!work->sprung || ph_joint_oscillates(joint, run->layout->substep)) {
                continue;
            }
            bool turns = work->sprung == 1 && ph_row_is_angle((PhJointKind)work->kind, 0);
            for (int side = 0; side < 2; side++) {
                double *note =
                    &own->masses[solver_bodies_of(run, pack, work->side[side])[lane]].note;
                if (!own->bodies[pack->first_body + work->side[side]].fixed) {
                    *note = turns && *note > 0 ? PLACE_ONLY : 0;
                }
            }
        }
    }
}

// Of bodies that springs alone act on.
static void shift_loose(const PhJointRun *run, const PhIslandBatch *batch, double share) {
    PhJointLayout *own = &run->layout->arrays->joints;
    const PhSolverBodyArrays *solver_bodies = &run->layout->arrays->solver_bodies;
    const PhJointPack *packs = packs_of(run, batch);
    const uint32_t *jointed = own->jointed + batch->first_jointed;
    bool any = false;
    for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
        any |= only_oscillates(&packs[k]) && !packs[k].solves;
    }
    if (!any) {
        return;
    }
    for (uint32_t k = 0; k < batch->jointed_count; k++) {
        own->masses[jointed[k]].note = 0;
    }
    for (int solves = 0; solves < 2; solves++) {
        for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
            if (solves ? packs[k].joints_only && packs[k].solves
                       : only_oscillates(&packs[k]) && !packs[k].solves) {
                note_bodies(run, &packs[k], !solves);
            }
        }
    }
    ph_trees_leave(run, batch);
    for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
        if (packs[k].stiff_count) {
            leave_stiff(run, &packs[k]);
        }
    }
    for (uint32_t k = 0; k < batch->jointed_count; k++) {
        float *velocity = solver_bodies->velocity[jointed[k]];
        const float *drive = solver_bodies->drive[jointed[k]];
        if (own->masses[jointed[k]].note == 0) {
            continue;
        }
        int rows = own->masses[jointed[k]].note == PLACE_ONLY ? 2 : 3;
        own->masses[jointed[k]].note = 0;
        for (int i = 0; i < rows; i++) {
            velocity[i] += (float)(share * (double)drive[i]);
        }
    }
}

// Gives every body that swings so much of the velocity that a substep gains.
static void shift_velocities(const PhJointRun *run, const PhIslandBatch *batch, double share) {
    const PhJointPack *packs = packs_of(run, batch);
    PhArticulationPass pass = {.run = run, .operation = PH_ARTICULATION_SOLVE, .shift = share};
    for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
        if (packs[k].joints_only && packs[k].solves) {
            ph_articulation_pass(&pass, &packs[k]);
        }
    }
    shift_loose(run, batch, share);
}

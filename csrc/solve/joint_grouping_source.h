// Which joints share bodies with a stiff spring, and so are solved with it: part of joint_solve.c.
// joint_group_source.h solves them.

static uint32_t root_of(uint32_t *root, uint32_t solver_body) {
    while (root[solver_body] != solver_body) {
        solver_body = root[solver_body] = root[root[solver_body]];
    }
    return solver_body;
}

// The place of a joint among those at work in the batch.
static uint32_t find_end(const PhJointLayout *own, const PhIslandBatch *batch, uint32_t joint) {
    uint32_t low = batch->first_work, high = low + batch->work_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(own->ends[middle].joint <= joint ? &low : &high) = middle;
    }
    return low;
}

// The works of a pack, each at the place of its joint.
static void list_works(const PhJointRun *run, const PhIslandBatch *batch, uint32_t number) {
    PhJointLayout *own = &run->layout->arrays->joints;
    const PhJointPack *pack = &own->joint_packs[number];
    const PhArticulationWork *works = works_of(run, pack);
    for (uint32_t w = 0; w < pack->work_count; w++) {
        const PhArticulationWork *work = &works[w];
        const PhJointBody *bodies = own->bodies + pack->first_body;
        if (work->gear || !(work->rigid | work->sprung)) {
            continue;
        }
        for (uint32_t lane = 0; lane < pack->count; lane++) {
            const PhJoint *joint = &run->bodies->joints->joint[work->joint[lane]];
            PhStiffJoint *entry = &own->stiff[find_end(own, batch, work->joint[lane])];
            *entry = (PhStiffJoint){.pack = number, .work = w, .lane = lane, .next = PH_NULL};
            Lane from = lane_of(run, pack, w, lane);
            entry->stiff = is_stiff(work, joint, from);
            entry->by_levers = work->sprung && get(from, FIRST(by_levers)) != 0;
            uint32_t jointed[2];
            for (int side = 0; side < 2; side++) {
                entry->solver_body[side] = solver_bodies_of(run, pack, work->side[side])[lane];
                jointed[side] = bodies[work->side[side]].fixed
                                    ? PH_NULL
                                    : root_of(own->stiff_root, entry->solver_body[side]);
            }
            if (jointed[0] == PH_NULL || jointed[1] == PH_NULL || jointed[0] == jointed[1]) {
                continue;
            }
            bool less = jointed[0] < jointed[1];
            own->stiff_root[jointed[less]] = jointed[!less];
        }
    }
}

// Whether a group has several joints, one of which is stiff, or one that is so by its levers or may
// stand on something, and is not too large.
static bool is_group(const PhJointRun *run, const PhIslandBatch *batch, uint32_t first) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    uint32_t joints = 0, solver_bodies = 0, stiff = 0;
    bool single = batch->articulated;
    for (uint32_t j = first; j != PH_NULL; j = own->stiff[j].next) {
        const PhStiffJoint *entry = &own->stiff[j];
        const PhArticulationWork *work =
            &works_of(run, &own->joint_packs[entry->pack])[entry->work];
        joints++;
        stiff += entry->stiff;
        single |= entry->by_levers;
        solver_bodies +=
            (uint32_t)__builtin_popcount(work->rigid | (entry->stiff ? work->sprung : 0));
    }
    return (joints > 1 || single) && stiff > 0 && solver_bodies <= PH_STIFF_ROWS;
}

static void group_stiff(const PhJointRun *run, PhIslandBatch *batch) {
    PhJointLayout *own = &run->layout->arrays->joints;
    uint32_t first = batch->first_work, last = first + batch->work_count;
    for (uint32_t r = batch->first_solver_body;
         r < batch->first_solver_body + batch->solver_body_count; r++) {
        own->stiff_root[r] = r;
        own->stiff_first[r] = PH_NULL;
    }
    for (uint32_t w = first; w < last; w++) {
        own->stiff[w].pack = PH_NULL;
    }
    for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
        list_works(run, batch, batch->first_joint_pack + k);
    }
    for (uint32_t w = last; w-- > first;) {
        PhStiffJoint *entry = &own->stiff[w];
        if (entry->pack == PH_NULL) {
            continue;
        }
        const PhJointPack *pack = &own->joint_packs[entry->pack];
        const PhArticulationWork *work = &works_of(run, pack)[entry->work];
        int side = own->bodies[pack->first_body + work->side[0]].fixed;
        uint32_t root = root_of(own->stiff_root, entry->solver_body[side]);
        entry->next = own->stiff_first[root];
        own->stiff_first[root] = w;
    }
    for (uint32_t r = batch->first_solver_body;
         r < batch->first_solver_body + batch->solver_body_count; r++) {
        uint32_t j = own->stiff_first[r];
        if (j == PH_NULL || !is_group(run, batch, j)) {
            continue;
        }
        own->stiff[first + batch->stiff_groups++].group = j;
        for (; j != PH_NULL; j = own->stiff[j].next) {
            const PhStiffJoint *entry = &own->stiff[j];
            const PhJointPack *pack = &own->joint_packs[entry->pack];
            for (uint32_t lane = 0; lane < pack->width && entry->stiff; lane++) {
                if (ph_lane_is_of(pack, entry->lane, lane)) {
                    put(lane_of(run, pack, entry->work, lane), FIRST(grouped), 1);
                }
            }
        }
    }
}

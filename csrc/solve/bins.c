// Bins: islands of one effort packed in order of their lowest slot, and the rows of every bin.
//
// Invariant: bins and rows depend on the contacts and roles alone. Bodies without a contact have no
// row. A kinematic body has a copy in every bin that it touches.
#include "base/memory.h"
#include "solve/layout.h"

static bool is_full(const PhBin *bin) {
    return bin->contact_count >= PH_BIN_CONTACTS || bin->body_count >= PH_BIN_CONTACTS;
}

static void pack_islands(PhLayout *layout, const PhSolverBodies *bodies, uint64_t most) {
    PhBin *bins = layout->arrays->bins;
    PhIsland *islands = layout->arrays->islands;
    uint32_t count = 0, open[PH_MAX_EFFORT];
    for (int32_t effort = 0; effort < PH_MAX_EFFORT; effort++)
        open[effort] = PH_NULL;
    for (uint32_t m = 0; m < bodies->mover_count; m++) {
        uint32_t i = bodies->mover[m];
        PhIsland *island = &islands[i];
        if (layout->island[i] != i || !island->body_count)
            continue;
        bool alone = ph_bin_is_giant(island->contact_count) || island->hubs || island->articulated;
        uint32_t was = island->bin;
        uint32_t bin = open[island->effort];
        if (alone || bin == PH_NULL || is_full(&bins[bin])) {
            PH_ASSERT(count < most);
            bin = count++;
            bins[bin] = (PhBin){.effort = island->effort, .copies = PH_NULL, .was = was};
            bins[bin].hubs = island->hubs;
            bins[bin].articulated = island->articulated;
            if (!alone)
                open[island->effort] = bin;
        }
        island->bin = bin;
        bins[bin].island_count++;
        bins[bin].was = bins[bin].was == was ? was : PH_NULL;
        bins[bin].contact_count += island->contact_count;
        bins[bin].body_count += island->body_count;
    }
    layout->bin_count = count;
    // A bin is the same if all of its islands are those of one old bin, and all of that.
    const struct PhLayoutArrays *arrays = layout->arrays;
    for (uint32_t b = 0; b < count; b++) {
        uint32_t was = bins[b].was;
        bool same = was < arrays->old_bin_count &&
                    arrays->old_bins[was].island_count == bins[b].island_count &&
                    arrays->old_bins[was].effort == bins[b].effort &&
                    arrays->old_bins[was].articulated == bins[b].articulated;
        bins[b].was = same ? was : PH_NULL;
    }
    (void)most;
}

PhStatus ph_bins_pack(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    // A bin is closed at PH_BIN_CONTACTS contacts or bodies (two per contact at most), a giant one
    // holds twice as many; one bin of each effort may be open. Joints bring two bodies at most,
    // like contacts. Islands with hubs have bins of their own, and many contacts.
    uint64_t joined = (uint64_t)contacts->count + (bodies->joints ? bodies->joints->active : 0);
    uint64_t most = 4 * (joined / PH_BIN_CONTACTS) + 4 + PH_MAX_EFFORT +
                    contacts->count / PH_HUB_CONTACTS + arrays->articulated_count;
    PhBin *bins = arrays->bins;
    uint32_t capacity = arrays->bin_capacity;
    arrays->bins = arrays->old_bins;
    arrays->bin_capacity = arrays->old_bin_capacity;
    arrays->old_bins = bins;
    arrays->old_bin_capacity = capacity;
    if (ph_reserve_array(&arrays->bins, &arrays->bin_capacity, most, sizeof *arrays->bins))
        return PH_ERROR_MEMORY;
    pack_islands(layout, bodies, most);
    return PH_OK;
}

// Lists the contacts with kinematic bodies by bin.
static PhStatus list_copies(PhLayout *layout, const PhContacts *contacts,
                            const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    const uint8_t *color_of = arrays->color_of;
    arrays->copy_count = 0;
    for (uint32_t c = 0, count = contacts->count; c < count; c++) {
        if (!ph_code_is_fixed(color_of[c]) ||
            bodies->role[contacts->body_b[c]] != PH_ROLE_KINEMATIC)
            continue;
        uint32_t copy = arrays->copy_count;
        if (ph_reserve_array(&arrays->copies, &arrays->copy_capacity, (uint64_t)copy + 1,
                             sizeof *arrays->copies))
            return PH_ERROR_MEMORY;
        arrays->slots[contacts->body_b[c]].owned = 0;
        PhIsland *island = &arrays->islands[layout->island[contacts->body_a[c]]];
        PhBin *bin = &arrays->bins[island->bin];
        island->driven = true;
        arrays->copies[copy] =
            (PhCopy){.contact = c, .slot = contacts->body_b[c], .before = bin->copies};
        bin->copies = arrays->copy_count++;
    }
    return PH_OK;
}

// The same of joints, in order of joints and sides, behind those of contacts.
static PhStatus list_joint_copies(PhLayout *layout, const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    const PhSolverJoints *joints = bodies->joints;
    arrays->joints.first_copy = arrays->copy_count;
    bool special = joints && joints->active && !joints->plain;
    for (uint32_t j = 0; special && j < joints->limit; j++) {
        const PhJoint *joint = &joints->joint[j];
        uint32_t mover = ph_joint_mover(bodies, joint), slots[4];
        if (mover == PH_NULL)
            continue;
        PhIsland *island = &arrays->islands[layout->island[mover]];
        island->motored |= ph_joint_is_to_move(joint);
        for (int side = 0, sides = ph_joint_sides(joint, slots); side < sides; side++) {
            uint32_t slot = slots[side], copy = arrays->copy_count;
            if (slot == PH_NULL || bodies->role[slot] != PH_ROLE_KINEMATIC)
                continue;
            if (ph_reserve_array(&arrays->copies, &arrays->copy_capacity, (uint64_t)copy + 1,
                                 sizeof *arrays->copies))
                return PH_ERROR_MEMORY;
            PhBin *bin = &arrays->bins[island->bin];
            arrays->slots[slot].owned = 0;
            island->driven = true;
            arrays->copies[copy] =
                (PhCopy){.contact = PH_NULL, .slot = slot, .before = bin->copies};
            bin->copies = arrays->copy_count++;
        }
    }
    return PH_OK;
}

// Gives copies of kinematic bodies the rows behind the dynamic ones of bin b. Returns how many.
static uint32_t place_copies(struct PhLayoutArrays *arrays, uint32_t b) {
    const PhBin *bin = &arrays->bins[b];
    uint32_t row = bin->first_row + 1 + bin->body_count, count = 0;
    for (uint32_t k = bin->copies; k != PH_NULL; k = arrays->copies[k].before) {
        PhSlotScratch *slot = &arrays->slots[arrays->copies[k].slot];
        if (slot->owned != b + 1) {
            slot->owned = b + 1;
            slot->copy = row + count++;
        }
        arrays->copies[k].row = slot->copy;
    }
    return count;
}

PhStatus ph_bins_place_rows(PhLayout *layout, const PhContacts *contacts,
                            const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint64_t total = 0;
    if (list_copies(layout, contacts, bodies) || list_joint_copies(layout, bodies))
        return PH_ERROR_MEMORY;
    for (uint32_t b = 0; b < layout->bin_count; b++) {
        PhBin *bin = &arrays->bins[b];
        bin->first_row = (uint32_t)total;
        bin->next_row = bin->first_row + 1;
        bin->row_count = 1 + bin->body_count + place_copies(arrays, b);
        total += ph_bin_rows(bin);
        if (total > UINT32_MAX / 16) // rows are named by byte offsets of 32 bits
            return PH_ERROR_MEMORY;
    }
    layout->row_count = (uint32_t)total;
    if (!total)
        return PH_OK;
    if (ph_reserve_array(&arrays->row_slot, &arrays->row_capacity, total,
                         sizeof *arrays->row_slot) ||
        ph_reserve_array(&arrays->row_quads, &arrays->quad_capacity, total * 5 + total / 4,
                         sizeof *arrays->row_quads))
        return PH_ERROR_MEMORY;
    for (uint32_t i = 0; i < total; i++)
        arrays->row_slot[i] = PH_NULL;
    arrays->rows = ph_rows_in(arrays->row_quads, total);
    for (uint32_t k = 0; k < arrays->copy_count; k++)
        arrays->row_slot[arrays->copies[k].row] = arrays->copies[k].slot;
    const uint32_t *mover = arrays->order_count ? arrays->order : bodies->mover;
    for (uint32_t m = 0; m < bodies->mover_count; m++) {
        uint32_t i = mover[m];
        if (!layout->in_contact[i])
            continue;
        uint32_t bin = ph_bin_of(layout, i), row = arrays->bins[bin].next_row++;
        uint32_t place = row - arrays->bins[bin].first_row;
        arrays->members[i] = (PhMember){place * 16, bin, bodies->mass[i][0], bodies->mass[i][1]};
        arrays->row_slot[row] = i;
    }
    return PH_OK;
}

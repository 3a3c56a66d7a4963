// Bins: islands of one effort packed in order of their lowest slot, and the rows of every bin.
//
// Invariant: bins, rows and the order of contacts depend on the contacts and roles alone. Bodies
// without a contact have no row.
#include "base/memory.h"
#include "solve/layout.h"

static bool is_full(const PhBin *bin) {
    return bin->contact_count >= PH_BIN_CONTACTS || bin->body_count >= PH_BIN_CONTACTS;
}

PhStatus ph_bins_pack(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    PhSlotScratch *slots = arrays->slots;
    // A bin is closed at PH_BIN_CONTACTS contacts or bodies (two per contact at most), a giant one
    // holds twice as many; one bin of each effort may be open.
    uint64_t most = 4 * ((uint64_t)contacts->count / PH_BIN_CONTACTS) + 4 + PH_MAX_EFFORT;
    if (ph_reserve_array(&arrays->bins, &arrays->bin_capacity, most, sizeof *arrays->bins))
        return PH_ERROR_MEMORY;
    PhBin *bins = arrays->bins;
    uint32_t count = 0, open[PH_MAX_EFFORT];
    for (int32_t effort = 0; effort < PH_MAX_EFFORT; effort++)
        open[effort] = PH_NULL;
    for (uint32_t m = 0; m < bodies->mover_count; m++) {
        uint32_t i = bodies->mover[m];
        if (layout->island[i] != i || !slots[i].body_count)
            continue;
        bool giant = ph_bin_is_giant(slots[i].contact_count);
        uint8_t effort = slots[i].effort;
        uint32_t bin = open[effort];
        if (giant || bin == PH_NULL || is_full(&bins[bin])) {
            PH_ASSERT(count < most);
            bin = count++;
            bins[bin] = (PhBin){.effort = effort};
            if (!giant)
                open[effort] = bin;
        }
        slots[i].bin = bin;
        bins[bin].contact_count += slots[i].contact_count;
        bins[bin].body_count += slots[i].body_count;
    }
    layout->bin_count = count;

    for (uint32_t b = 0, sum = 0; b < count; b++) {
        bins[b].first_contact = sum;
        sum += bins[b].contact_count;
        bins[b].contact_count = 0; // counted again while filling
    }
    for (uint32_t k = 0; k < contacts->count; k++) {
        uint32_t a = contacts->body_a[k];
        PhBin *bin = &bins[slots[layout->island[a]].bin];
        arrays->by_bin[bin->first_contact + bin->contact_count++] = k;
    }
    return PH_OK;
}

// Rows that bin b needs for copies of kinematic bodies. With `place` they are handed out from
// bin->row_count on.
static uint32_t copy_kinematic(PhLayout *layout, const PhContacts *contacts,
                               const PhSolverBodies *bodies, uint32_t b, bool place) {
    struct PhLayoutArrays *arrays = layout->arrays;
    PhBin *bin = &arrays->bins[b];
    uint32_t copies = 0, mark = 2 * b + (place ? 2 : 1); // a new mark for every call
    for (uint32_t k = bin->first_contact; k < bin->first_contact + bin->contact_count; k++) {
        uint32_t slot = contacts->body_b[arrays->by_bin[k]];
        PhSlotScratch *s = &arrays->slots[slot];
        if (bodies->role[slot] != PH_ROLE_KINEMATIC || s->bin_seen == mark)
            continue;
        s->bin_seen = mark;
        copies++;
        if (place)
            arrays->row_slot[bin->first_row + bin->row_count++] = slot;
    }
    return copies;
}

PhStatus ph_bins_place_rows(PhLayout *layout, const PhContacts *contacts,
                            const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint64_t total = 0;
    for (uint32_t b = 0; b < layout->bin_count; b++) {
        PhBin *bin = &arrays->bins[b];
        uint64_t need = 2 + (uint64_t)bin->body_count; // at least one row of padding
        need += copy_kinematic(layout, contacts, bodies, b, false);
        bin->first_row = (uint32_t)total;
        bin->row_count = 1;
        total += (need + PH_ROW_ALIGN - 1) / PH_ROW_ALIGN * PH_ROW_ALIGN;
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

    for (uint32_t m = 0; m < bodies->mover_count; m++) {
        uint32_t i = bodies->mover[m];
        if (!layout->in_contact[i])
            continue;
        PhSlotScratch *s = &arrays->slots[i];
        s->bin = arrays->slots[layout->island[i]].bin;
        PhBin *bin = &arrays->bins[s->bin];
        s->row = bin->first_row + bin->row_count++;
        arrays->row_slot[s->row] = i;
    }
    for (uint32_t b = 0; b < layout->bin_count; b++)
        copy_kinematic(layout, contacts, bodies, b, true);
    return PH_OK;
}

// Builds a PhLayout from scratch and owns its memory.
//
// Invariant: after a successful build every array that a solve touches is reserved. The layout is a
// function of the contacts and roles alone; the width of the kernels decides only how the contacts
// of a color are cut into blocks.
#include "solve/layout.h"

#include <string.h>

#include "base/memory.h"

void ph_layout_init(PhLayout *layout) {
    *layout = (PhLayout){0};
}

void ph_layout_free(PhLayout *layout) {
    struct PhLayoutArrays *arrays = layout->arrays;
    if (arrays) {
        ph_free(arrays->bins);
        ph_free(arrays->colors);
        ph_free(arrays->slots);
        ph_free(arrays->by_bin);
        ph_free(arrays->color_of);
        ph_free(arrays->row_slot);
        ph_free(arrays->lane_contact);
        ph_free(arrays->blocks);
        ph_free(arrays->extras);
        ph_free(arrays->row_quads);
        ph_free(arrays);
    }
    ph_free(layout->island);
    ph_free(layout->in_contact);
    ph_layout_init(layout);
}

static PhStatus reserve_slots(PhLayout *layout, uint32_t slots, uint32_t contacts) {
    if (!layout->arrays) {
        layout->arrays = ph_alloc(1, sizeof *layout->arrays);
        if (!layout->arrays)
            return PH_ERROR_MEMORY;
    }
    struct PhLayoutArrays *arrays = layout->arrays;
    if (ph_reserve_array(&layout->island, &layout->slot_capacity, slots, sizeof *layout->island) ||
        ph_reserve_array(&layout->in_contact, &arrays->in_contact_capacity, slots,
                         sizeof *layout->in_contact) ||
        ph_reserve_array(&arrays->slots, &arrays->slot_capacity, slots, sizeof *arrays->slots) ||
        ph_reserve_array(&arrays->by_bin, &arrays->by_bin_capacity, contacts,
                         sizeof *arrays->by_bin) ||
        ph_reserve_array(&arrays->color_of, &arrays->color_of_capacity, contacts,
                         sizeof *arrays->color_of))
        return PH_ERROR_MEMORY;
    return PH_OK;
}

PhStatus ph_layout_build(PhLayout *layout, const PhKernels *kernels, const PhContacts *contacts,
                         const PhSolverBodies *bodies) {
    layout->island_count = layout->bin_count = layout->color_count = 0;
    layout->block_count = layout->row_count = 0;
    PhStatus status = reserve_slots(layout, bodies->count, contacts->count);
    if (status)
        return status;
    ph_islands_find(layout, contacts, bodies);
    status = ph_bins_pack(layout, contacts, bodies);
    if (!status)
        status = ph_bins_place_rows(layout, contacts, bodies);
    if (!status)
        status = ph_colors_build(layout, kernels, contacts, bodies);
    if (status)
        layout->bin_count = 0; // nothing half-built can be solved
    return status;
}

// Greedy coloring of the contacts of every bin, and the lanes of the blocks.
//
// Invariant: contacts of one color share no dynamic body, so they can be solved side by side;
// contacts with fixed bodies have colors of their own and are solved last, which leaves them the
// most exact. A contact without a free color goes to an overflow color, in order.
#include "base/memory.h"
#include "solve/layout.h"

// Dynamic contacts take the lowest color that both bodies have free, fixed ones the highest.
static uint8_t pick_color(PhSlotScratch *a, PhSlotScratch *b, bool fixed) {
    if (fixed) {
        uint32_t open = ~(uint32_t)(a->used >> 32);
        if (!open)
            return PH_OVERFLOW_FIXED;
        int c = 31 - __builtin_clz(open);
        a->used |= (uint64_t)1 << (32 + c);
        return (uint8_t)(PH_FIRST_FIXED + c);
    }
    uint32_t open = ~(uint32_t)(a->used | b->used);
    if (!open)
        return PH_OVERFLOW_DYNAMIC;
    int c = __builtin_ctz(open);
    a->used |= (uint64_t)1 << c;
    b->used |= (uint64_t)1 << c;
    return (uint8_t)c;
}

// Colors one bin and appends its colors to the layout; block_count as arrays->blocks.
static void color_bin(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies,
                      PhBin *bin, uint32_t lanes, uint64_t block_count[2]) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint32_t count[PH_MAX_COLORS] = {0};
    for (uint32_t k = bin->first_contact; k < bin->first_contact + bin->contact_count; k++) {
        uint32_t c = arrays->by_bin[k], a = contacts->body_a[c], b = contacts->body_b[c];
        bool fixed = bodies->role[b] != PH_ROLE_DYNAMIC;
        uint8_t color = pick_color(&arrays->slots[a], &arrays->slots[b], fixed);
        arrays->color_of[k] = color;
        count[color]++;
    }
    bin->first_color = layout->color_count;
    for (uint32_t c = 0; c < PH_MAX_COLORS; c++) {
        if (!count[c])
            continue;
        bool overflow = ph_color_overflows(c);
        uint32_t blocks = overflow ? count[c] : (count[c] + lanes - 1) / lanes;
        arrays->colors[layout->color_count++] =
            (PhColor){(uint32_t)block_count[overflow], blocks, c >= PH_OVERFLOW_FIXED, (uint8_t)c};
        block_count[overflow] += blocks;
    }
    bin->color_count = layout->color_count - bin->first_color;
}

// Rows of bodies a, then b, of the lanes of a block.
static uint32_t *block_rows(const PhBlocks *blocks, const PhKernels *kernels, uint32_t block) {
    return (uint32_t *)(void *)((char *)blocks->blocks + (size_t)block * kernels->block_size);
}

// Points every lane at the last row of the bin, which is padding: only the last block of a color
// has empty lanes, so what they write is read and written by one thread. Then the used lanes at
// their contacts.
static void fill_blocks(PhLayout *layout, const PhKernels *wide, const PhContacts *contacts,
                        const PhSolverBodies *bodies, const PhBin *bin) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint32_t next[PH_MAX_COLORS] = {0}; // next lane of every color
    uint32_t padding = bin->first_row + ph_bin_rows(bin) - 1;
    for (uint32_t i = bin->first_color; i < bin->first_color + bin->color_count; i++) {
        const PhColor *color = &arrays->colors[i];
        const PhKernels *kernels = ph_kernels_of(wide, color->number);
        const PhBlocks *blocks = &arrays->blocks[ph_color_overflows(color->number)];
        uint32_t lanes = kernels->lanes;
        next[color->number] = color->first_block * lanes;
        for (uint32_t k = color->first_block; k < color->first_block + color->block_count; k++) {
            uint32_t *rows = block_rows(blocks, kernels, k);
            for (uint32_t l = 0; l < lanes; l++) {
                rows[l] = rows[lanes + l] = padding * 16;
                blocks->lane_contact[k * lanes + l] = PH_NULL;
            }
        }
    }
    // Rows of kinematic copies: they follow the dynamic ones.
    for (uint32_t r = 1 + bin->body_count; r < bin->row_count; r++)
        arrays->slots[arrays->row_slot[bin->first_row + r]].row = bin->first_row + r;
    for (uint32_t k = bin->first_contact; k < bin->first_contact + bin->contact_count; k++) {
        uint32_t c = arrays->by_bin[k], a = contacts->body_a[c], b = contacts->body_b[c];
        uint8_t color = arrays->color_of[k];
        const PhKernels *kernels = ph_kernels_of(wide, color);
        const PhBlocks *blocks = &arrays->blocks[ph_color_overflows(color)];
        uint32_t lanes = kernels->lanes, at = next[color]++, l = at % lanes;
        uint32_t *rows = block_rows(blocks, kernels, at / lanes);
        bool moves = bodies->role[b] == PH_ROLE_DYNAMIC || bodies->role[b] == PH_ROLE_KINEMATIC;
        rows[l] = arrays->slots[a].row * 16;
        rows[lanes + l] = (moves ? arrays->slots[b].row : bin->first_row) * 16;
        blocks->lane_contact[at] = c;
    }
    for (uint32_t i = bin->first_color; i < bin->first_color + bin->color_count; i++) {
        const PhColor *color = &arrays->colors[i];
        const PhKernels *kernels = ph_kernels_of(wide, color->number);
        const PhBlocks *blocks = &arrays->blocks[ph_color_overflows(color->number)];
        kernels->weigh[color->fixed](
            contacts, bodies->mass,
            blocks->lane_contact + (size_t)color->first_block * kernels->lanes,
            block_rows(blocks, kernels, color->first_block), color->block_count);
    }
}

static PhStatus reserve_blocks(PhBlocks *blocks, const PhKernels *kernels, uint64_t count) {
    if (count > UINT32_MAX / kernels->lanes)
        return PH_ERROR_MEMORY;
    if (ph_reserve_array(&blocks->lane_contact, &blocks->lane_capacity, count * kernels->lanes,
                         sizeof *blocks->lane_contact) ||
        ph_reserve_array(&blocks->blocks, &blocks->block_capacity,
                         (count * kernels->block_size + 63) / 64, 64) ||
        ph_reserve_array(&blocks->extras, &blocks->extra_capacity,
                         (count * kernels->extra_size + 63) / 64, 64))
        return PH_ERROR_MEMORY;
    return PH_OK;
}

PhStatus ph_colors_build(PhLayout *layout, const PhKernels *kernels, const PhContacts *contacts,
                         const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint64_t block_count[2] = {0, 0};
    if (ph_reserve_array(&arrays->colors, &arrays->color_capacity,
                         (uint64_t)layout->bin_count * PH_MAX_COLORS, sizeof *arrays->colors))
        return PH_ERROR_MEMORY;
    for (uint32_t b = 0; b < layout->bin_count; b++)
        color_bin(layout, contacts, bodies, &arrays->bins[b], kernels->lanes, block_count);
    if (reserve_blocks(&arrays->blocks[0], kernels, block_count[0]) ||
        reserve_blocks(&arrays->blocks[1], &ph_kernels_scalar, block_count[1]))
        return PH_ERROR_MEMORY;
    layout->block_count = (uint32_t)(block_count[0] + block_count[1]);
    for (uint32_t b = 0; b < layout->bin_count; b++)
        fill_blocks(layout, kernels, contacts, bodies, &arrays->bins[b]);
    return PH_OK;
}

// The colors of every bin and the lanes of their blocks.
//
// Invariant: contacts of a color come in their order. The lanes that are left over at the end of
// its last block point at the last row of the bin, which is padding: what they write is read and
// written by one thread, and they have no mass.
#include <string.h>

#include "base/memory.h"
#include "solve/layout.h"

// Cuts the contacts of every color into blocks; arrays->lanes becomes the first lane of each.
static void make_colors(PhLayout *layout, uint32_t width, uint64_t block_count[2]) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint32_t count = 0;
    for (uint32_t b = 0; b < layout->bin_count; b++) {
        uint32_t *lanes = arrays->lanes[b];
        arrays->bins[b].first_color = count;
        for (uint32_t c = 0; c < PH_MAX_COLORS; c++) {
            if (!lanes[c])
                continue;
            bool overflow = ph_color_overflows(c);
            uint32_t wide = overflow ? 1 : width, blocks = (lanes[c] + wide - 1) / wide;
            arrays->colors[count++] = (PhColor){(uint32_t)block_count[overflow], blocks,
                                                c >= PH_OVERFLOW_FIXED, (uint8_t)c};
            lanes[c] = (uint32_t)block_count[overflow] * wide;
            block_count[overflow] += blocks;
        }
        arrays->bins[b].color_count = count - arrays->bins[b].first_color;
    }
    layout->color_count = count;
}

static PhStatus reserve_blocks(PhBlocks *blocks, const PhKernels *kernels, uint64_t count) {
    if (count > UINT32_MAX / kernels->lanes)
        return PH_ERROR_MEMORY;
    if (ph_reserve_array(&blocks->lane_pair, &blocks->lane_capacity, count * kernels->lanes,
                         sizeof *blocks->lane_pair) ||
        ph_reserve_array(&blocks->blocks, &blocks->block_capacity,
                         (count * kernels->block_size + 63) / 64, 64) ||
        ph_reserve_array(&blocks->extras, &blocks->extra_capacity,
                         (count * kernels->extra_size + 63) / 64, 64))
        return PH_ERROR_MEMORY;
    return PH_OK;
}

// A lane of the blocks: its words of the block's head, which are `width` apart.
typedef struct Head {
    char *at;
    uint32_t width;
} Head;

static Head find_head(const PhBlocks *blocks, const PhKernels *kernels, uint32_t lane) {
    uint32_t width = kernels->lanes, block = lane / width;
    char *at = (char *)blocks->blocks + (size_t)block * kernels->block_size;
    return (Head){at + (lane - block * width) * sizeof(uint32_t), width};
}

static void set_word(Head head, PhBlockWord word, const void *value) {
    memcpy(head.at + (size_t)word * head.width * sizeof(uint32_t), value, sizeof(uint32_t));
}

static void set_lane(Head head, uint32_t row_a, uint32_t row_b, const float mass_a[2],
                     const float mass_b[2]) {
    row_a *= 16;
    row_b *= 16;
    set_word(head, PH_BLOCK_ROW_A, &row_a);
    set_word(head, PH_BLOCK_ROW_B, &row_b);
    set_word(head, PH_BLOCK_MASS_A, &mass_a[0]);
    set_word(head, PH_BLOCK_MASS_B, &mass_b[0]);
    set_word(head, PH_BLOCK_INERTIA_A, &mass_a[1]);
    set_word(head, PH_BLOCK_INERTIA_B, &mass_b[1]);
}

static const float no_mass[2];

// Empties the last block of a color.
static void empty_last(const PhBlocks *blocks, const PhKernels *kernels, const PhColor *color,
                       uint32_t padding) {
    uint32_t end = (color->first_block + color->block_count) * kernels->lanes;
    for (uint32_t lane = end - kernels->lanes; lane < end; lane++) {
        set_lane(find_head(blocks, kernels, lane), padding, padding, no_mass, no_mass);
        blocks->lane_pair[lane] = PH_NULL;
    }
}

static void fill_lanes(PhLayout *layout, const PhKernels *wide, const PhContacts *contacts,
                       const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    const PhSlotScratch *slots = arrays->slots;
    const PhCopy *copy = arrays->copies;
    for (uint32_t c = 0; c < contacts->count; c++) {
        uint32_t a = contacts->body_a[c], b = contacts->body_b[c], bin = ph_bin_of(layout, a);
        uint32_t color = arrays->color_of[c], lane = arrays->lanes[bin][color]++, row = slots[b].row;
        const float *mass_b = bodies->mass[b];
        const PhBlocks *blocks = &arrays->blocks[0];
        const PhKernels *kernels = wide;
        if (color >= PH_OVERFLOW_FIXED) {
            bool moves = bodies->role[b] == PH_ROLE_KINEMATIC;
            row = moves ? copy->row : arrays->bins[bin].first_row;
            copy += moves;
            mass_b = no_mass;
        }
        if (ph_color_overflows(color)) {
            blocks = &arrays->blocks[1];
            kernels = &ph_kernels_scalar;
        }
        set_lane(find_head(blocks, kernels, lane), slots[a].row, row, bodies->mass[a], mass_b);
        blocks->lane_pair[lane] = contacts->pair[c];
    }
}

PhStatus ph_blocks_fill(PhLayout *layout, const PhKernels *kernels, const PhContacts *contacts,
                        const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint64_t block_count[2] = {0, 0};
    if (ph_reserve_array(&arrays->colors, &arrays->color_capacity,
                         (uint64_t)layout->bin_count * PH_MAX_COLORS, sizeof *arrays->colors))
        return PH_ERROR_MEMORY;
    make_colors(layout, kernels->lanes, block_count);
    if (reserve_blocks(&arrays->blocks[0], kernels, block_count[0]) ||
        reserve_blocks(&arrays->blocks[1], &ph_kernels_scalar, block_count[1]))
        return PH_ERROR_MEMORY;
    layout->block_count = (uint32_t)(block_count[0] + block_count[1]);
    for (uint32_t b = 0; b < layout->bin_count; b++) {
        const PhBin *bin = &arrays->bins[b];
        for (uint32_t i = bin->first_color; i < bin->first_color + bin->color_count; i++) {
            const PhColor *color = &arrays->colors[i];
            empty_last(&arrays->blocks[ph_color_overflows(color->number)],
                       ph_kernels_of(kernels, color->number), color,
                       bin->first_row + ph_bin_rows(bin) - 1);
        }
    }
    fill_lanes(layout, kernels, contacts, bodies);
    return PH_OK;
}

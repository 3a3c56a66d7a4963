// The colors of every bin and the heads of their blocks.
//
// Invariant: contacts of a color come in their order. The lanes that are left over at the end of
// its last block point at the last row of the bin, which is padding: what they write is read and
// written by one thread, and they have no mass.
#include <string.h>

#include "base/memory.h"
#include "solve/layout.h"

// Counts the contacts of every color of every bin.
static void count_lanes(PhLayout *layout, const PhContacts *contacts) {
    struct PhLayoutArrays *arrays = layout->arrays;
    const PhMember *members = arrays->members;
    const uint32_t *body_a = contacts->body_a;
    const uint8_t *color_of = arrays->color_of;
    uint32_t(*lanes)[PH_MAX_COLORS] = arrays->lanes;
    memset(lanes, 0, layout->bin_count * sizeof *lanes);
    for (uint32_t c = 0, count = contacts->count; c < count; c++)
        lanes[members[body_a[c]].bin][color_of[c]]++;
}

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
    uint64_t lanes = count * kernels->lanes;
    if (ph_reserve_array(&blocks->heads.pair, &blocks->pair_capacity, lanes,
                         sizeof *blocks->heads.pair) ||
        ph_reserve_array(&blocks->heads.ends, &blocks->ends_capacity, lanes,
                         sizeof *blocks->heads.ends) ||
        ph_reserve_array(&blocks->blocks, &blocks->block_capacity,
                         (count * kernels->block_size + 63) / 64, 64) ||
        ph_reserve_array(&blocks->extras, &blocks->extra_capacity,
                         (count * kernels->extra_size + 63) / 64, 64))
        return PH_ERROR_MEMORY;
    return PH_OK;
}

static inline void set_lane(PhHeads heads, uint32_t lane, uint32_t pair, PhMember a, PhMember b) {
    // Every color is filled from its first lane on: asks for what comes next.
    __builtin_prefetch(&heads.ends[lane + 8], 1);
    heads.ends[lane] = (PhEnds){a, b};
    heads.pair[lane] = pair;
}

// Empties the last block of every color.
static void empty_last(PhLayout *layout, const PhKernels *wide) {
    struct PhLayoutArrays *arrays = layout->arrays;
    for (uint32_t b = 0; b < layout->bin_count; b++) {
        const PhBin *bin = &arrays->bins[b];
        PhMember nobody = {.row = 16 * (ph_bin_rows(bin) - 1)};
        for (uint32_t i = bin->first_color; i < bin->first_color + bin->color_count; i++) {
            const PhColor *color = &arrays->colors[i];
            PhHeads heads = arrays->blocks[ph_color_overflows(color->number)].heads;
            uint32_t width = ph_kernels_of(wide, color->number)->lanes;
            uint32_t end = (color->first_block + color->block_count) * width;
            for (uint32_t lane = end - width; lane < end; lane++)
                set_lane(heads, lane, PH_NULL, nobody, nobody);
        }
    }
}

static void fill_lanes(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    const PhHeads heads = arrays->blocks[0].heads, single = arrays->blocks[1].heads;
    const PhMember *members = arrays->members;
    const PhCopy *copy = arrays->copies;
    const uint32_t *body_a = contacts->body_a, *body_b = contacts->body_b, *pair = contacts->pair;
    const uint8_t *color_of = arrays->color_of;
    uint32_t(*next)[PH_MAX_COLORS] = arrays->lanes, count = contacts->count;
    for (uint32_t c = 0; c < count; c++) {
        uint32_t b = body_b[c], color = color_of[c];
        PhMember owner = members[body_a[c]], other = members[b];
        if (color >= PH_OVERFLOW_FIXED) {
            bool moves = bodies->role[b] == PH_ROLE_KINEMATIC;
            other =
                (PhMember){.row = moves ? 16 * (copy->row - arrays->bins[owner.bin].first_row) : 0};
            copy += moves;
        }
        uint32_t lane = next[owner.bin][color]++;
        if (ph_color_overflows(color))
            set_lane(single, lane, pair[c], owner, other);
        else
            set_lane(heads, lane, pair[c], owner, other);
    }
}

PhStatus ph_blocks_fill(PhLayout *layout, const PhKernels *kernels, const PhContacts *contacts,
                        const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint64_t block_count[2] = {0, 0};
    if (ph_reserve_array(&arrays->colors, &arrays->color_capacity,
                         (uint64_t)layout->bin_count * PH_MAX_COLORS, sizeof *arrays->colors) ||
        ph_reserve_array(&arrays->lanes, &arrays->lanes_capacity, layout->bin_count,
                         sizeof *arrays->lanes))
        return PH_ERROR_MEMORY;
    if (layout->bin_count)
        count_lanes(layout, contacts);
    make_colors(layout, kernels->lanes, block_count);
    if (reserve_blocks(&arrays->blocks[0], kernels, block_count[0]) ||
        reserve_blocks(&arrays->blocks[1], &ph_kernels_scalar, block_count[1]))
        return PH_ERROR_MEMORY;
    layout->block_count = (uint32_t)(block_count[0] + block_count[1]);
    arrays->kernels = kernels;
    empty_last(layout, kernels);
    fill_lanes(layout, contacts, bodies);
    return PH_OK;
}

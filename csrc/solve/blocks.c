// The colors of every bin and the heads of their blocks.
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
    if (count > UINT32_MAX / (PH_BLOCK_WORDS * kernels->lanes))
        return PH_ERROR_MEMORY;
    if (ph_reserve_array(&blocks->heads, &blocks->head_capacity,
                         count * kernels->lanes * PH_BLOCK_WORDS, sizeof *blocks->heads) ||
        ph_reserve_array(&blocks->blocks, &blocks->block_capacity,
                         (count * kernels->block_size + 63) / 64, 64) ||
        ph_reserve_array(&blocks->extras, &blocks->extra_capacity,
                         (count * kernels->extra_size + 63) / 64, 64))
        return PH_ERROR_MEMORY;
    return PH_OK;
}

// The heads of one width; a loop over contacts has it in registers.
typedef struct Heads {
    uint32_t *word;
    uint32_t width;
} Heads;

static Heads heads_of(const PhBlocks *blocks, const PhKernels *kernels) {
    return (Heads){blocks->heads, kernels->lanes};
}

static void set_lane(Heads heads, uint32_t lane, uint32_t pair, PhMember a, PhMember b) {
    uint32_t width = heads.width, behind = lane & ~(width - 1); // lanes of the blocks before
    uint32_t *word = heads.word + lane + (size_t)(PH_BLOCK_WORDS - 1) * behind;
    // The lanes of a block ask for the next block of their color.
    __builtin_prefetch(heads.word + (size_t)PH_BLOCK_WORDS * (lane + width), 1);
    word[PH_BLOCK_ROW_A * width] = a.row * 16;
    word[PH_BLOCK_ROW_B * width] = b.row * 16;
    memcpy(&word[PH_BLOCK_MASS_A * width], &a.mass, sizeof a.mass);
    memcpy(&word[PH_BLOCK_MASS_B * width], &b.mass, sizeof b.mass);
    memcpy(&word[PH_BLOCK_INERTIA_A * width], &a.inertia, sizeof a.inertia);
    memcpy(&word[PH_BLOCK_INERTIA_B * width], &b.inertia, sizeof b.inertia);
    word[PH_BLOCK_PAIR * width] = pair;
}

// Empties the last block of every color.
static void empty_last(PhLayout *layout, const PhKernels *wide) {
    struct PhLayoutArrays *arrays = layout->arrays;
    for (uint32_t b = 0; b < layout->bin_count; b++) {
        const PhBin *bin = &arrays->bins[b];
        PhMember nobody = {.row = bin->first_row + ph_bin_rows(bin) - 1};
        for (uint32_t i = bin->first_color; i < bin->first_color + bin->color_count; i++) {
            const PhColor *color = &arrays->colors[i];
            Heads heads = heads_of(&arrays->blocks[ph_color_overflows(color->number)],
                                   ph_kernels_of(wide, color->number));
            uint32_t end = (color->first_block + color->block_count) * heads.width;
            for (uint32_t lane = end - heads.width; lane < end; lane++)
                set_lane(heads, lane, PH_NULL, nobody, nobody);
        }
    }
}

static void fill_lanes(PhLayout *layout, const PhKernels *wide, const PhContacts *contacts,
                       const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    const Heads heads = heads_of(&arrays->blocks[0], wide);
    const Heads single = heads_of(&arrays->blocks[1], &ph_kernels_scalar);
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
            other = (PhMember){.row = moves ? copy->row : arrays->bins[owner.bin].first_row};
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
                         (uint64_t)layout->bin_count * PH_MAX_COLORS, sizeof *arrays->colors))
        return PH_ERROR_MEMORY;
    make_colors(layout, kernels->lanes, block_count);
    if (reserve_blocks(&arrays->blocks[0], kernels, block_count[0]) ||
        reserve_blocks(&arrays->blocks[1], &ph_kernels_scalar, block_count[1]))
        return PH_ERROR_MEMORY;
    layout->block_count = (uint32_t)(block_count[0] + block_count[1]);
    arrays->kernels = kernels;
    empty_last(layout, kernels);
    fill_lanes(layout, kernels, contacts, bodies);
    return PH_OK;
}

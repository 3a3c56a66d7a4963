// Inside of a PhLayout: what layout.c, islands.c, bins.c and colors.c build and soft_step.c runs
// on.
//
// A bin is a set of whole islands of about PH_BIN_CONTACTS contacts: small enough for its rows and
// blocks to stay in the level-2 cache over all substeps, and a job of its own. An island of more
// than twice that has a bin to itself.
#ifndef PH_SOLVE_LAYOUT_H
#define PH_SOLVE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "solve/kernels.h"
#include "solve/solver.h"

enum {
    PH_BIN_CONTACTS = 2048,
    PH_ROW_ALIGN = 8, // rows of a bin are a multiple of the widest kernels, whatever the width
    PH_CLASS_COLORS =
        32, // of contacts between dynamic bodies, and again of contacts with fixed ones
    // Order of colors in a bin: 32 dynamic, contacts for which no dynamic color was free, the same
    // for fixed, 32 fixed. In overflow colors every block holds one contact, so that blocks of one
    // body follow each other.
    PH_OVERFLOW_DYNAMIC = PH_CLASS_COLORS,
    PH_OVERFLOW_FIXED,
    PH_FIRST_FIXED,
    PH_MAX_COLORS = PH_FIRST_FIXED + PH_CLASS_COLORS,
};

typedef struct PhBin {
    uint32_t first_row,
        row_count; // [first] fixed, then dynamic bodies by slot, then copies of kinematic bodies
    uint32_t first_color, color_count;
    uint32_t first_contact, contact_count; // in by_bin
    uint32_t body_count;                   // dynamic
} PhBin;

typedef struct PhColor {
    uint32_t first_block, block_count;
    bool fixed;     // body b has infinite mass
    uint8_t number; // 0 .. PH_MAX_COLORS - 1
} PhColor;

typedef struct PhSlotScratch {
    uint64_t used;          // colors taken: dynamic in the low half, fixed in the high one
    uint32_t row;           // of a dynamic body; of a kinematic one inside the bin at hand
    uint32_t bin;           // of an island (at its root), then of every dynamic body
    uint32_t bin_seen;      // kinematic: 1 + last bin with a copy
    uint32_t contact_count; // of an island, at its root
    uint32_t body_count;    // of an island, at its root
} PhSlotScratch;

struct PhLayoutArrays {
    PhBin *bins;
    PhColor *colors;
    PhSlotScratch *slots;   // of who moves or is in a contact
    uint32_t *mover;        // slots that have an island
    uint32_t mover_count;   // of them
    uint32_t seen;          // slots whose entries have ever been set
    uint32_t *by_bin;       // contacts in order of bins, ascending in each
    uint8_t *color_of;      // by position in by_bin
    uint32_t *row_slot;     // slot of every row, PH_NULL for fixed rows and padding
    uint32_t *lane_contact; // contact of every lane of every block, PH_NULL for none
    void *blocks, *extras;
    float (*row_quads)[4]; // memory of PhRows
    PhRows rows;
    uint32_t bin_capacity, color_capacity, slot_capacity, by_bin_capacity, color_of_capacity;
    uint32_t row_capacity, lane_capacity, quad_capacity, in_contact_capacity, mover_capacity;
    uint32_t block_capacity, extra_capacity; // units of 64 bytes
};

// Rows of a layout in the memory of its quads: five quads per row, and a quarter of one for the
// angle.
static inline PhRows ph_rows_in(float (*quads)[4], size_t rows) {
    return (PhRows){quads,
                    quads + rows,
                    quads + 2 * rows,
                    quads + 3 * rows,
                    quads + 4 * rows,
                    (float *)(quads + 5 * rows)};
}

// Fills layout->island, in_contact and the island sums in slots.
void ph_islands_find(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies);
// Packs islands into bins and contacts into by_bin.
PhStatus ph_bins_pack(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies);
// Gives every body of a bin its row.
PhStatus ph_bins_place_rows(PhLayout *layout, const PhContacts *contacts,
                            const PhSolverBodies *bodies);
// Colors the contacts of every bin, then writes rows and contacts into the lanes of the blocks.
PhStatus ph_colors_build(PhLayout *layout, const PhKernels *kernels, const PhContacts *contacts,
                         const PhSolverBodies *bodies);

#endif

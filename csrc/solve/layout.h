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
    PH_MAX_EFFORT = 8, // above the highest: 1 + the doublings from 1 to 64 substeps
    PH_BIN_CONTACTS = 2048,
    PH_ROW_ALIGN = 8, // rows of a bin are a multiple of the widest kernels, whatever the width
    PH_CLASS_COLORS =
        32, // of contacts between dynamic bodies, and again of contacts with fixed ones
    // Order of colors in a bin: 32 dynamic, contacts for which no dynamic color was free, the same
    // for fixed, 32 fixed. Contacts of an overflow color may share bodies: they are solved one
    // after the other, by the scalar kernels.
    PH_OVERFLOW_DYNAMIC = PH_CLASS_COLORS,
    PH_OVERFLOW_FIXED,
    PH_FIRST_FIXED,
    PH_MAX_COLORS = PH_FIRST_FIXED + PH_CLASS_COLORS,
};

typedef struct PhBin {
    // [first] fixed, then dynamic bodies by slot, then copies of kinematic bodies, then padding (at
    // least one row, not counted).
    uint32_t first_row, row_count;
    uint32_t first_color, color_count;
    uint32_t first_contact, contact_count; // in by_bin
    uint32_t body_count;                   // dynamic
    uint8_t effort;                        // of all its islands
} PhBin;

typedef struct PhColor {
    uint32_t first_block, block_count; // in its PhBlocks
    bool fixed;                        // body b has infinite mass
    uint8_t number;                    // 0 .. PH_MAX_COLORS - 1
} PhColor;

static inline bool ph_color_overflows(uint32_t number) {
    return number == PH_OVERFLOW_DYNAMIC || number == PH_OVERFLOW_FIXED;
}

typedef struct PhBlocks {
    uint32_t *lane_contact; // contact of every lane of every block, PH_NULL for none
    void *blocks, *extras;
    uint32_t lane_capacity, block_capacity, extra_capacity; // the latter two in units of 64 bytes
} PhBlocks;

// The kernels of a color.
static inline const PhKernels *ph_kernels_of(const PhKernels *kernels, uint32_t color) {
    return ph_color_overflows(color) ? &ph_kernels_scalar : kernels;
}

typedef struct PhSlotScratch {
    uint64_t used;          // colors taken: dynamic in the low half, fixed in the high one
    uint32_t row;           // of a dynamic body; of a kinematic one inside the bin at hand
    uint32_t bin;           // of an island (at its root), then of every dynamic body
    uint32_t bin_seen;      // kinematic: 1 + last bin with a copy
    uint32_t contact_count; // of an island, at its root
    uint32_t body_count;    // of an island, at its root
    uint8_t asked, effort;  // of an island, at its root: wanted, and what its size allows
    double hardness;        // of an island, at its root: of the last step
} PhSlotScratch;

struct PhLayoutArrays {
    PhBin *bins;
    PhColor *colors;
    PhSlotScratch *slots;  // of who moves or is in a contact
    uint32_t *mover;       // slots that have an island
    uint32_t mover_count;  // of them
    uint32_t seen;         // slots whose entries have ever been set
    uint32_t *by_bin;      // contacts in order of bins, ascending in each
    uint8_t *color_of;     // by position in by_bin
    uint32_t *uneven;      // contacts of bodies of very different mass
    uint32_t *row_slot;    // slot of every row, PH_NULL for fixed rows and padding
    PhBlocks blocks[2];    // of the kernels' width, and of one lane for overflow colors
    float (*row_quads)[4]; // memory of PhRows
    PhRows rows;
    uint32_t bin_capacity, color_capacity, slot_capacity, by_bin_capacity, color_of_capacity;
    uint32_t row_capacity, quad_capacity, in_contact_capacity, mover_capacity;
    uint32_t uneven_count, uneven_capacity;
};

// Whether an island of that many contacts has a bin to itself.
static inline bool ph_bin_is_giant(uint32_t contact_count) {
    return contact_count > 2 * PH_BIN_CONTACTS;
}

// Rows of a bin with its padding.
static inline uint32_t ph_bin_rows(const PhBin *bin) {
    return (bin->row_count + PH_ROW_ALIGN) / PH_ROW_ALIGN * PH_ROW_ALIGN;
}

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
// Fills the efforts of the islands in slots, and uneven.
PhStatus ph_effort_spread(PhLayout *layout, const PhContacts *contacts,
                          const PhContactRecord *records, const PhSolverBodies *bodies,
                          const PhStepParameters *parameters);
// Packs islands of one effort into bins and contacts into by_bin.
PhStatus ph_bins_pack(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies);
// Gives every body of a bin its row.
PhStatus ph_bins_place_rows(PhLayout *layout, const PhContacts *contacts,
                            const PhSolverBodies *bodies);
// Colors the contacts of every bin, then writes rows and contacts into the lanes of the blocks.
PhStatus ph_colors_build(PhLayout *layout, const PhKernels *kernels, const PhContacts *contacts,
                         const PhSolverBodies *bodies);

#endif

// The edges under a sweep line, from low to high: an ordered list of numbers in blocks, so that an
// insertion moves at most one block.
//
// Invariant: blocks hold 1 to PH_FRONT_BLOCK numbers each; only the single block of an empty list
// holds none. Two blocks come from a split of a full one, so that k insertions since the list was
// cleared need at most 1 + 2 k / PH_FRONT_BLOCK blocks.
#ifndef PH_GEOMETRY_FRONT_H
#define PH_GEOMETRY_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { PH_FRONT_BLOCK = 128 };

typedef struct PhFront {
    int32_t *items;     // PH_FRONT_BLOCK per block
    int32_t *directory; // blocks in order
    int32_t *sizes;     // by block
    int32_t *unused;    // blocks to be given out
    int32_t count, unused_count, capacity;
} PhFront;

// A place among the items: that of an item, or the end, which has the last block and its size.
typedef struct PhPlace {
    int32_t block, index; // block: in the directory
} PhPlace;

// Room for that many insertions between two calls of ph_front_clear. False: no memory, and nothing
// to free.
bool ph_front_make(PhFront *front, int32_t insertions);
void ph_front_free(PhFront *front);
void ph_front_clear(PhFront *front);

// Puts the item before the one at the place and returns its place. After more insertions than were
// promised, nothing is inserted.
PhPlace ph_front_insert(PhFront *front, PhPlace place, int32_t item);
// Returns the place of what followed.
PhPlace ph_front_remove(PhFront *front, PhPlace place);

static inline int32_t *ph_front_block(const PhFront *front, int32_t block) {
    return front->items + (size_t)front->directory[block] * PH_FRONT_BLOCK;
}
static inline int32_t ph_front_size(const PhFront *front, int32_t block) {
    return front->sizes[front->directory[block]];
}
// The item at the place; -1 at the end.
static inline int32_t ph_front_at(const PhFront *front, PhPlace place) {
    return place.index < ph_front_size(front, place.block)
               ? ph_front_block(front, place.block)[place.index]
               : -1;
}
// The item before the place; -1 at the beginning.
static inline int32_t ph_front_before(const PhFront *front, PhPlace place) {
    if (place.index > 0) {
        return ph_front_block(front, place.block)[place.index - 1];
    }
    int32_t block = place.block - 1;
    return block >= 0 ? ph_front_block(front, block)[ph_front_size(front, block) - 1] : -1;
}

// First place whose item is not below, where all that are below come first.
static inline PhPlace ph_front_locate(const PhFront *front,
                                      bool (*below)(const void *context, int32_t item),
                                      const void *context) {
    int32_t from = 0, to = front->count - 1; // the last block is not asked
    while (from < to) {
        int32_t middle = from + (to - from) / 2;
        int32_t last = ph_front_block(front, middle)[ph_front_size(front, middle) - 1];
        if (below(context, last)) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    int32_t block = from;
    const int32_t *items = ph_front_block(front, block);
    from = 0;
    to = ph_front_size(front, block);
    while (from < to) {
        int32_t middle = from + (to - from) / 2;
        if (below(context, items[middle])) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return (PhPlace){block, from};
}

#endif

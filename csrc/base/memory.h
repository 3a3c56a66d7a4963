// Memory: one counted allocator that tests can make fail, growable arrays, reserved address ranges.
//
// Invariant: ph_live_allocations() is the number of blocks and mappings not yet freed, at any time,
// over all worlds.
#ifndef PH_BASE_MEMORY_H
#define PH_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"

// count x size bytes, zeroed, aligned to 64. NULL when the product overflows or memory is out.
// count or size 0 gives a valid pointer. Thread safe.
void *ph_alloc(size_t count, size_t size);
void ph_free(void *block); // NULL is allowed

typedef struct PhBlockHead { // stands before a block
    size_t room, skip;       // bytes: of the block; from where the system's begins to it
} PhBlockHead;
// Bytes that a block has room for; 0 for NULL.
static inline size_t ph_room(const void *block) {
    return block ? ((const PhBlockHead *)block - 1)->room : 0;
}

// A growing array is its pointer alone, NULL at first: the room stands with the block. This makes
// it hold at least `need` elements; keeps the old content and zeroes the rest. Untouched on
// failure. Room grows by half and never shrinks.
#define PH_RESERVE(array, need) ph_reserve(&(array), need, sizeof *(array))
// How many elements an array has room for.
#define PH_CAPACITY(array) (ph_room(array) / sizeof *(array))
// PH_RESERVE with the address of the pointer, and the size of an element.
PhStatus ph_reserve(void *data, uint64_t need, size_t size);
// The same where the capacity stands elsewhere.
PhStatus ph_reserve_array(void *data, uint32_t *capacity, uint64_t need, size_t size);

// Of rows of some hundred bytes, of a size that the compiler knows: as memset() to 0 and memcpy(),
// and as an initializer. Of these compilers make string instructions, which take longer to begin
// than the rest of it takes.
enum { PH_ROW_BLOCK = 64 };
static inline void ph_clear_row(void *row, size_t size) {
    char *at = row;
    for (; size >= PH_ROW_BLOCK; size -= PH_ROW_BLOCK, at += PH_ROW_BLOCK) {
        memset(at, 0, PH_ROW_BLOCK);
    }
    memset(at, 0, size);
}
static inline void ph_copy_row(void *to, const void *from, size_t size) {
    char *at = to;
    const char *next = from;
    for (; size >= PH_ROW_BLOCK; size -= PH_ROW_BLOCK, at += PH_ROW_BLOCK, next += PH_ROW_BLOCK) {
        memcpy(at, next, PH_ROW_BLOCK);
    }
    memcpy(at, next, size);
}

int64_t ph_live_allocations(void);
// For tests: the n-th allocation from now on (1 = the next) fails, once. 0 switches it off. Returns
// the number of allocations made since the last call.
int64_t ph_fail_allocation(int64_t n);

// A range of address space that costs memory only where it is touched. Zeroed when first touched.
// NULL when the system refuses (or in a PH_NO_RESERVE build).
void *ph_map(size_t bytes);
void ph_unmap(void *base, size_t bytes);

#endif

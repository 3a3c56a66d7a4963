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

// Grows *data (elements of `size` bytes) to hold at least `need`; keeps the old content and zeroes
// the rest. Untouched on failure. Capacity grows by half and never shrinks. `data` is the address
// of the array pointer.
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

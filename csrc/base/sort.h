// Heap sort (Williams 1964) for any element up to 32 bytes. No memory, no recursion, the same order
// on every platform; an inconsistent comparison (NaN) gives some order and nothing worse.
#ifndef PH_BASE_SORT_H
#define PH_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

// Whether the element at a comes before the one at b. Let no two elements be equal where the order
// must be canonical.
typedef bool (*PhLess)(const void *a, const void *b, const void *context);

void ph_sort(void *elements, size_t count, size_t size, PhLess less, const void *context);
// The same for very many; false when stop (which may be NULL) wanted it to end early, and the
// elements are in some order.
bool ph_sort_until(void *elements, size_t count, size_t size, PhLess less, const void *context,
                   const PhStop *stop);
// What qsort does, for rows of at most 256 bytes that may be very many: false when stop (which may
// be NULL) wanted it to end early, and the rows are in some order.
typedef int (*PhCompare)(const void *a, const void *b);
bool ph_sort_rows(void *rows, size_t count, size_t size, PhCompare compare, const PhStop *stop);
// Numbers, upwards; the usual handful by insertion.
void ph_sort_numbers(uint32_t *values, uint32_t count);
// Keys of two numbers, none above `most`, upwards: by H. Seward's radix sort (1954). There is room
// for as many keys behind them.
void ph_sort_keys(uint64_t *keys, uint32_t count, uint32_t most);

#endif

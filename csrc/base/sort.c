// Owns nothing. A binary max-heap in place; sifting moves a hole instead of swapping.
#include "base/sort.h"

#include <string.h>

// Elements sifted between two questions to a PhStop; a power of two.
enum { MAX_SIZE = 32, HANDFUL = 24, PORTION = 1 << 13 };

// Puts `item` where it belongs in the heap's subtree at `root`, whose own place is free.
static void sift(char *heap, size_t count, size_t size, size_t root, const char *item, PhLess less,
                 const void *context) {
    size_t hole = root;
    for (;;) {
        size_t child = 2 * hole + 1;
        if (child >= count) {
            break;
        }
        if (child + 1 < count && less(heap + child * size, heap + (child + 1) * size, context)) {
            child++;
        }
        if (!less(item, heap + child * size, context)) {
            break;
        }
        memcpy(heap + hole * size, heap + child * size, size);
        hole = child;
    }
    memcpy(heap + hole * size, item, size);
}

bool ph_sort_until(void *elements, size_t count, size_t size, PhLess less, const void *context,
                   const PhStop *stop) {
    PH_ASSERT(size <= MAX_SIZE);
    _Alignas(16) char item[MAX_SIZE];
    char *heap = elements;
    if (count < 2 || size > MAX_SIZE) {
        return true;
    }
    for (size_t root = count / 2; root-- > 0;) {
        if (root % PORTION == PORTION - 1 && ph_stop_wanted(stop)) {
            return false;
        }
        memcpy(item, heap + root * size, size);
        sift(heap, count, size, root, item, less, context);
    }
    for (size_t last = count - 1; last > 0; last--) {
        if (last % PORTION == PORTION - 1 && ph_stop_wanted(stop)) {
            return false;
        }
        memcpy(item, heap + last * size, size);
        memcpy(heap + last * size, heap, size);
        sift(heap, last, size, 0, item, less, context);
    }
    return true;
}

void ph_sort(void *elements, size_t count, size_t size, PhLess less, const void *context) {
    (void)ph_sort_until(elements, count, size, less, context, NULL);
}

static bool is_less(const void *a, const void *b, const void *context) {
    (void)context;
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y;
}

void ph_sort_numbers(uint32_t *values, uint32_t count) {
    if (count > HANDFUL) {
        ph_sort(values, count, sizeof *values, is_less, NULL);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t value = values[i], j = i;
        for (; j > 0 && values[j - 1] > value; j--) {
            values[j] = values[j - 1];
        }
        values[j] = value;
    }
}

void ph_sort_keys(uint64_t *keys, uint32_t count, uint32_t most) {
    uint64_t *from = keys, *to = keys + count;
    for (int shift = 0; shift < 64; shift += 8) { // the lowest byte first
        if (shift % 32 && most >> shift % 32 == 0) {
            continue; // zero in every number
        }
        uint32_t start[256] = {0}, sum = 0;
        for (uint32_t k = 0; k < count; k++) {
            start[from[k] >> shift & 255]++;
        }
        for (int digit = 0; digit < 256; digit++) {
            uint32_t size = start[digit];
            start[digit] = sum;
            sum += size;
        }
        for (uint32_t k = 0; k < count; k++) {
            to[start[from[k] >> shift & 255]++] = from[k];
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys && count > 0) {
        memcpy(keys, from, count * sizeof *keys);
    }
}

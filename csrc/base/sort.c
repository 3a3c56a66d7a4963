// Owns nothing. A binary max-heap in place; sifting moves a hole instead of swapping.
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

// Elements sifted between two questions to a PhStop; a power of two.
enum { MAX_SIZE = 32, HANDFUL = 24, PORTION = 1 << 13 };
// Of ph_sort_rows(): the largest row, and rows that are sorted without a question.
enum { MAX_ROW = 256, FEW_ROWS = 1 << 14 };

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

typedef struct Rows {
    char *row;
    size_t size;
    PhCompare compare;
    const PhStop *stop;
} Rows;

static void swap_rows(const Rows *rows, size_t i, size_t j) {
    char kept[MAX_ROW];
    memcpy(kept, rows->row + i * rows->size, rows->size);
    memcpy(rows->row + i * rows->size, rows->row + j * rows->size, rows->size);
    memcpy(rows->row + j * rows->size, kept, rows->size);
}

// Reorders the rows [first, last] so that none before *middle comes after one from it on; both
// parts have some (C. A. R. Hoare, "Quicksort", 1962).
static size_t part_rows(const Rows *rows, size_t first, size_t last, uint64_t random) {
    char pivot[MAX_ROW];
    size_t at = first + (size_t)((random >> 33) % (last - first)); // never the last one
    memcpy(pivot, rows->row + at * rows->size, rows->size);
    for (size_t i = first, j = last;; i++, j--) {
        while (i < last && rows->compare(rows->row + i * rows->size, pivot) < 0) {
            i++;
        }
        while (j > first && rows->compare(rows->row + j * rows->size, pivot) > 0) {
            j--;
        }
        if (i >= j) {
            return j < last ? j + 1 : last;
        }
        swap_rows(rows, i, j);
    }
}

bool ph_sort_rows(void *elements, size_t count, size_t size, PhCompare compare,
                  const PhStop *stop) {
    PH_ASSERT(size <= MAX_ROW);
    const Rows rows = {elements, size, compare, stop};
    size_t begins[8 * sizeof(size_t)], ends[8 * sizeof(size_t)]; // the larger part waits
    int waiting = 0;
    uint64_t random = count;
    for (size_t begin = 0, end = count;;) {
        if (end - begin > FEW_ROWS) {
            if (ph_stop_wanted(stop)) {
                return false;
            }
            random = random * 6364136223846793005u + 1442695040888963407u;
            size_t middle = part_rows(&rows, begin, end - 1, random);
            bool left_waits = middle - begin > end - middle;
            begins[waiting] = left_waits ? begin : middle;
            ends[waiting++] = left_waits ? middle : end;
            begin = left_waits ? middle : begin;
            end = left_waits ? end : middle;
            continue;
        }
        if (end > begin) {
            qsort(rows.row + begin * size, end - begin, size, compare);
        }
        if (waiting == 0) {
            return true;
        }
        begin = begins[--waiting];
        end = ends[waiting];
    }
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

// Old and new pairs of each owner, run by run, for AVX2, whatever the flags of the build. Elsewhere
// than on x86-64 this unit is empty.
//
// Invariant: the result is that of sorting each run and merging it with the old one. In short runs
// every pair goes straight to its rank, the number of smaller ones, and is looked up among eight
// old ones at once: no branch depends on how boxes lie.
#include "broad/backends.h"

#if defined(__x86_64__) && defined(__GNUC__)
// System headers first: what they define must not get the target.
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,popcnt")
#endif

static inline __m256i load_eight(const uint32_t *values) {
    return _mm256_loadu_si256((const __m256i *)(const void *)values);
}
static inline uint32_t bits_of(__m256i mask) {
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(mask));
}
static inline __m256i eight_times(uint32_t value) {
    return _mm256_set1_epi32((int32_t)value);
}

// Zeros where nothing is kept.
static inline void carry_record(PhContactRecord *to, const PhContactRecord *from, bool keep) {
    const __m256i mask = eight_times(0 - (uint32_t)keep);
    const __m128i half = _mm256_castsi256_si128(mask);
    const char *source = (const char *)from;
    char *target = (char *)to;
    __m256i head = _mm256_loadu_si256((const __m256i *)(const void *)source);
    __m128i tail = _mm_loadu_si128((const __m128i *)(const void *)(source + 32));
    _mm256_storeu_si256((__m256i *)(void *)target, _mm256_and_si256(head, mask));
    _mm_storeu_si128((__m128i *)(void *)(target + 32), _mm_and_si128(tail, half));
}

// At most eight new pairs and at most eight old ones.
static inline void merge_short(PhBroad *broad, const PhPairList *old, PhPairRun before,
                               PhPairList *list, PhPairRun now) {
    const __m256i flip = eight_times(0x80000000u); // for comparing as if without sign
    uint32_t value[8], found_all = 0, k = now.first, o = before.first;
    uint32_t owner = list->owner[k];
    uint32_t valid = (1u << now.count) - 1, old_valid = (1u << before.count) - 1;
    __m256i fresh = load_eight(list->other + k), known = load_eight(old->other + o);
    _mm256_storeu_si256((__m256i *)(void *)value, fresh);
    fresh = _mm256_xor_si256(fresh, flip);
    for (uint32_t j = 0; j < now.count; j++) {
        __m256i x = eight_times(value[j]);
        uint32_t below = bits_of(_mm256_cmpgt_epi32(_mm256_xor_si256(x, flip), fresh)) & valid;
        uint32_t found = bits_of(_mm256_cmpeq_epi32(known, x)) & old_valid;
        uint32_t to = k + (uint32_t)__builtin_popcount(below);
        uint32_t at = o + ((uint32_t)__builtin_ctz(found | 256) & 7);
        found_all |= found;
        list->owner[to] = owner;
        list->other[to] = value[j];
        list->flags[to] = (uint8_t)(old->flags[at] & (0 - (uint32_t)(found != 0)));
        carry_record(&list->record[to], &old->record[at], found != 0);
    }
    for (uint32_t gone = old_valid & ~found_all; gone; gone &= gone - 1) {
        ph_end_pair(broad, old, o + (uint32_t)__builtin_ctz(gone));
    }
}

void ph_merge_runs_avx2(PhBroad *broad, const PhPairList *old, PhPairList *list,
                        const uint32_t *start, uint32_t proxies) {
    uint32_t o = 0;
    for (uint32_t p = 0; p < proxies; p++) {
        PhPairRun now = {start[p], start[p + 1] - start[p]};
        uint32_t left = old->count - o;
        uint32_t mine = bits_of(_mm256_cmpeq_epi32(load_eight(old->owner + o), eight_times(p)));
        mine &= 255u >> (8 - (left < 8 ? left : 8));
        PhPairRun before = {o, (uint32_t)__builtin_popcount(mine)};
        if (now.count + before.count == 0) {
            continue;
        }
        for (uint32_t k = now.first; now.count > 0 && k < now.first + now.count; k += 8) {
            // What it writes too much is that of the next owners, who come later.
            _mm256_storeu_si256((__m256i *)(void *)(list->owner + k), eight_times(p));
        }
        if (now.count <= 8 && before.count < 8) {
            merge_short(broad, old, before, list, now);
        } else {
            while (o + before.count < old->count && old->owner[o + before.count] == p) {
                before.count++;
            }
            ph_sort_run(list->other + now.first, now.count);
            ph_merge_run(broad, old, before, list, now);
        }
        o += before.count;
    }
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif

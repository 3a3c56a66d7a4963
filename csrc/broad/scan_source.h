// ph_grid_scan in four lanes. A unit includes its headers, chooses a target, and includes this with
// PH_GRID_SCAN named.

PH_FOUR_INLINE Four larger(Four a, Four b) { // b when one is not a number
    return -four_min(-a, -b);
}

// Lists which of four items from the first on have their bit set.
PH_FOUR_INLINE void pack(uint32_t *to, uint32_t first, uint32_t bits) {
#ifdef PH_FOUR_AVX2
    static const uint8_t order[16][4] = {
        {0}, {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2},
        {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
    int32_t lanes;
    memcpy(&lanes, order[bits], sizeof lanes);
    __m128i which = _mm_cvtepu8_epi32(_mm_cvtsi32_si128(lanes));
    which = _mm_add_epi32(which, _mm_set1_epi32((int32_t)first));
    _mm_storeu_si128((__m128i *)(void *)to, which);
#else
    uint32_t n = 0;
    for (uint32_t l = 0; l < 4; l++) {
        to[n] = first + l;
        n += bits >> l & 1;
    }
#endif
}

PH_FOUR_INLINE uint32_t equal_rows(const uint32_t *rows, uint32_t row) {
#ifdef PH_FOUR_AVX2
    __m128i same = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(const void *)rows),
                                   _mm_set1_epi32((int32_t)row));
    return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(same));
#else
    return (uint32_t)((rows[0] == row) | (rows[1] == row) << 1 | (rows[2] == row) << 2 |
                      (rows[3] == row) << 3);
#endif
}

uint32_t PH_GRID_SCAN(const PhGridItems *items, uint32_t first, uint32_t last, const PhNearBox *box,
                      uint32_t row, uint32_t *hit) {
    static const uint8_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    uint32_t found = 0;
    for (uint32_t j = first; j < last; j += 4) {
        Four gap = larger(four_load(items->x0 + j) - box->fat.upper.x, four_splat(-INFINITY));
        gap = larger(box->fat.lower.x - four_load(items->x1 + j), gap);
        gap = larger(four_load(items->y0 + j) - box->fat.upper.y, gap);
        gap = larger(box->fat.lower.y - four_load(items->y1 + j), gap);
        Four limit = four_min(four_load(items->limit + j), four_splat(box->reach.limit));
        Four x = four_load(items->way_x + j) - box->reach.x;
        Four y = four_load(items->way_y + j) - box->reach.y;
        Four beyond = gap - (four_load(items->slack + j) + box->reach.slack);
        FourMask near =
            (gap <= 0) | ((gap <= limit) & ((beyond <= 0) | (beyond * beyond <= x * x + y * y)));
        uint32_t bits = four_bits(near) & equal_rows(items->row + j, row);
        bits &= last - j < 4 ? (1u << (last - j)) - 1 : 15u;
        pack(hit + found, j, bits);
        found += ones[bits];
    }
    return found;
}

// PhGridKernels in lanes: eight boxes in float32 at once choose who is looked at, four exact tests
// at once decide. A unit includes its headers, chooses a target, and includes this with
// PH_GRID_KERNELS named.

#ifdef PH_FOUR_AVX2
// Number of set bits, and the lanes of set bits.
static const uint8_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
PH_FOUR_INLINE __m128i lanes_of(uint32_t bits) {
    static const uint8_t order[16][4] = {
        {0}, {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2},
        {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
    int32_t lanes;
    memcpy(&lanes, order[bits], sizeof lanes);
    return _mm_cvtepu8_epi32(_mm_cvtsi32_si128(lanes));
}

// Appends the items of a run whose boxes overlap that of item i.
PH_FOUR_INLINE uint32_t cull(const PhGridItems *items, uint32_t i, PhGridRun run, uint32_t *to) {
    __m256 x0 = _mm256_set1_ps(items->x0[i]), x1 = _mm256_set1_ps(items->x1[i]);
    __m256 y0 = _mm256_set1_ps(items->y0[i]), y1 = _mm256_set1_ps(items->y1[i]);
    __m256i row = _mm256_set1_epi32((int32_t)run.row);
    uint32_t found = 0;
    for (uint32_t j = run.first; j < run.last; j += 8) {
        __m256 in = _mm256_and_ps(_mm256_cmp_ps(_mm256_loadu_ps(items->x0 + j), x1, _CMP_LE_OQ),
                                  _mm256_cmp_ps(x0, _mm256_loadu_ps(items->x1 + j), _CMP_LE_OQ));
        in = _mm256_and_ps(in, _mm256_cmp_ps(_mm256_loadu_ps(items->y0 + j), y1, _CMP_LE_OQ));
        in = _mm256_and_ps(in, _mm256_cmp_ps(y0, _mm256_loadu_ps(items->y1 + j), _CMP_LE_OQ));
        __m256i rows = _mm256_loadu_si256((const __m256i *)(const void *)(items->row + j));
        in = _mm256_and_ps(in, _mm256_castsi256_ps(_mm256_cmpeq_epi32(rows, row)));
        uint32_t bits = (uint32_t)_mm256_movemask_ps(in);
        bits &= 255u >> (8 - (run.last - j < 8 ? run.last - j : 8));
        __m128i first = _mm_set1_epi32((int32_t)j), second = _mm_set1_epi32((int32_t)j + 4);
        first = _mm_add_epi32(lanes_of(bits & 15), first);
        second = _mm_add_epi32(lanes_of(bits >> 4), second);
        _mm_storeu_si128((__m128i *)(void *)(to + found), first);
        found += ones[bits & 15];
        _mm_storeu_si128((__m128i *)(void *)(to + found), second);
        found += ones[bits >> 4];
    }
    return found;
}

PH_FOUR_INLINE __m256d halves(__m256d a, __m256d b, int which) { // lower or upper ones of both
    return which ? _mm256_permute2f128_pd(a, b, 0x31) : _mm256_permute2f128_pd(a, b, 0x20);
}

// ph_near of four items and a box {upper, -lower} with its reach.
PH_FOUR_INLINE uint32_t near_bits(const PhGridItems *items, const uint32_t at[4], Four box,
                                  PhReach own) {
    const FourMask flip = {0, 0, INT64_MIN, INT64_MIN};
    __m256d gap[4], reach[4];
    for (int l = 0; l < 4; l++) {
        uint32_t p = items->proxy[at[l]];
        gap[l] = (__m256d)((Four)((FourMask)four_load(&items->fat[p].lower.x) ^ flip) - box);
        reach[l] = (__m256d)four_load(&items->reach[p].x);
    }
    __m256d even =
        _mm256_max_pd(_mm256_unpacklo_pd(gap[0], gap[1]), _mm256_unpackhi_pd(gap[0], gap[1]));
    __m256d odd =
        _mm256_max_pd(_mm256_unpacklo_pd(gap[2], gap[3]), _mm256_unpackhi_pd(gap[2], gap[3]));
    Four most = (Four)_mm256_max_pd(halves(even, odd, 0), halves(even, odd, 1));
    __m256d x_slack = _mm256_unpacklo_pd(reach[0], reach[1]);
    __m256d y_limit = _mm256_unpackhi_pd(reach[0], reach[1]);
    __m256d x_slack_2 = _mm256_unpacklo_pd(reach[2], reach[3]);
    __m256d y_limit_2 = _mm256_unpackhi_pd(reach[2], reach[3]);
    Four x = (Four)halves(x_slack, x_slack_2, 0) - own.x;
    Four y = (Four)halves(y_limit, y_limit_2, 0) - own.y;
    Four beyond = most - ((Four)halves(x_slack, x_slack_2, 1) + own.slack);
    Four limit = four_min((Four)halves(y_limit, y_limit_2, 1), four_splat(own.limit));
    return four_bits((most <= 0) |
                     ((most <= limit) & ((beyond <= 0) | (beyond * beyond <= x * x + y * y))));
}

// Keeps those of a list that item i is near.
PH_FOUR_INLINE uint32_t sift(const PhGridItems *items, uint32_t i, uint32_t *list, uint32_t count) {
    const PhAabb fat = items->fat[items->proxy[i]];
    const PhReach reach = items->reach[items->proxy[i]];
    const Four box = {fat.upper.x, fat.upper.y, -fat.lower.x, -fat.lower.y};
    const __m128i self = _mm_set1_epi32((int32_t)i);
    uint32_t kept = 0;
    _mm_storeu_si128((__m128i *)(void *)(list + count), self); // lanes behind the end
    for (uint32_t k = 0; k < count; k += 4) {
        __m128i at = _mm_loadu_si128((const __m128i *)(const void *)(list + k));
        uint32_t bits = near_bits(items, list + k, box, reach);
        bits &= count - k < 4 ? (1u << (count - k)) - 1 : 15u;
        __m128 left = _mm_permutevar_ps(_mm_castsi128_ps(at), lanes_of(bits));
        _mm_storeu_si128((__m128i *)(void *)(list + kept), _mm_castps_si128(left));
        kept += ones[bits];
    }
    return kept;
}

PH_FOUR_INLINE __m128i rows_at(const uint32_t *column, const uint32_t at[4]) {
    return _mm_setr_epi32((int32_t)column[at[0]], (int32_t)column[at[1]], (int32_t)column[at[2]],
                          (int32_t)column[at[3]]);
}
PH_FOUR_INLINE __m128i choose(__m128i mask, __m128i a, __m128i b) { // by the top bit: a where set
    return _mm_castps_si128(
        _mm_blendv_ps(_mm_castsi128_ps(b), _mm_castsi128_ps(a), _mm_castsi128_ps(mask)));
}
PH_FOUR_INLINE __m128i packed(__m128i x, uint32_t bits) {
    return _mm_castps_si128(_mm_permutevar_ps(_mm_castsi128_ps(x), lanes_of(bits)));
}

static uint32_t pair(const PhGridItems *items, uint32_t i, const uint32_t *hit, uint32_t count,
                     PhRawPair *to) {
    const __m128i p = _mm_set1_epi32((int32_t)items->proxy[i]);
    const __m128i body = _mm_set1_epi32((int32_t)items->owner[i]);
    uint32_t made = 0;
    for (uint32_t k = 0; k < count; k += 4) {
        __m128i q = rows_at(items->proxy, hit + k), other = rows_at(items->owner, hit + k);
        __m128i differs = _mm_xor_si128(body, other); // top bit: one of them alone is dynamic
        __m128i same = _mm_cmpeq_epi32(_mm_slli_epi32(differs, 1), _mm_setzero_si128());
        __m128i may = _mm_andnot_si128(same, _mm_or_si128(body, other));
        uint32_t bits = (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(may));
        bits &= 15u >> (4 - (count - k < 4 ? count - k : 4));
        __m128i a = choose(differs, choose(body, p, q), _mm_min_epu32(p, q));
        __m128i b = choose(differs, choose(body, q, p), _mm_max_epu32(p, q));
        a = packed(a, bits);
        b = packed(b, bits);
        _mm_storeu_si128((__m128i *)(void *)(to + made), _mm_unpacklo_epi32(a, b));
        _mm_storeu_si128((__m128i *)(void *)(to + made + 2), _mm_unpackhi_epi32(a, b));
        made += ones[bits];
    }
    return made;
}
#else
static uint32_t pair(const PhGridItems *items, uint32_t i, const uint32_t *hit, uint32_t count,
                     PhRawPair *to) {
    uint32_t p = items->proxy[i], owner = items->owner[i], made = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t q = items->proxy[hit[k]], other = items->owner[hit[k]];
        uint32_t differs = owner ^ other; // in the top bit: one of them alone is dynamic
        bool p_owns = differs & PH_GRID_DYNAMIC ? (owner & PH_GRID_DYNAMIC) != 0 : p < q;
        to[made] = (PhRawPair){p_owns ? p : q, p_owns ? q : p};
        made += (differs << 1 != 0) & ((owner | other) >> 31);
    }
    return made;
}

static uint32_t cull(const PhGridItems *items, uint32_t i, PhGridRun run, uint32_t *to) {
    float x0 = items->x0[i], y0 = items->y0[i], x1 = items->x1[i], y1 = items->y1[i];
    uint32_t found = 0;
    for (uint32_t j = run.first; j < run.last; j++) {
        to[found] = j;
        found += (uint32_t)((items->x0[j] <= x1) & (x0 <= items->x1[j]) & (items->y0[j] <= y1) &
                            (y0 <= items->y1[j]) & (items->row[j] == run.row));
    }
    return found;
}

static uint32_t sift(const PhGridItems *items, uint32_t i, uint32_t *list, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t j = list[k], p = items->proxy[i], q = items->proxy[j];
        list[kept] = j;
        kept += ph_boxes_near(items->fat[p], items->reach[p], items->fat[q], items->reach[q]);
    }
    return kept;
}
#endif

static uint32_t scan(const PhGridItems *items, uint32_t i, const PhGridRun *runs, uint32_t count,
                     uint32_t *hit) {
    uint32_t found = 0;
    for (uint32_t r = 0; r < count; r++) {
        found += cull(items, i, runs[r], hit + found);
    }
    return sift(items, i, hit, found);
}

const PhGridKernels PH_GRID_KERNELS = {.scan = scan, .pair = pair};

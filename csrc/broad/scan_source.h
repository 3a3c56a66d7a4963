// PhGridKernels in lanes: eight boxes in float32 at once choose who is looked at, four exact tests
// at once decide. A unit includes its headers, chooses a target, and includes this with
// PH_GRID_KERNELS named.

// ------------------------------------------------------------------------------------------ boxes

typedef float FourSingle __attribute__((vector_size(16)));

PH_FOUR_INLINE FourSingle larger(FourSingle a, FourSingle b) { // b where one is not a number
    FourInt m = a > b;
    return (FourSingle)((m & (FourInt)a) | (~m & (FourInt)b));
}
PH_FOUR_INLINE FourSingle size_of(FourSingle x) {
    return (FourSingle)((FourInt)x & INT32_MAX);
}

// Number of the step [2^e (1 + k / 8), 2^e (1 + (k + 1) / 8)) that the side is in which a cell has
// to exceed; rises with the side.
PH_FOUR_INLINE void classify(FourSingle x0, FourSingle y0, FourSingle x1, FourSingle y1,
                             uint32_t *class) {
    FourSingle side = larger(x1 - x0, y1 - y0) * 1.002f;
    FourSingle far = larger(larger(size_of(x0), size_of(x1)), larger(size_of(y0), size_of(y1)));
    const FourSingle least = {1e-30f, 1e-30f, 1e-30f, 1e-30f};
    FourSingle most = larger(larger(side, far * 0x1p-40f), least);
    FourInt number = ((FourInt)most >> 20) & (far < 1e37f);
    memcpy(class, &number, sizeof number);
}

// Two proxies of the grid are near only if these boxes overlap, whatever the field of ways that is
// taken from all ways: what falls or turns together has small boxes.
//
// Take M for the larger coordinate of the distance of two middles. The ways of two differ by no
// more than what each differs from the field plus sqrt 2 spin M, and M is at most the sum of both
// half sizes, of the reach, and of the ways of all steps, which again differ from those against the
// field by spin M in each. Solved for M, each has its share. The last term is for rounding.
PH_FOUR_INLINE void box_four(const PhProxies *proxies, const PhWays *ways, const uint32_t at[4],
                             Four *x0, Four *y0, Four *x1, Four *y1) {
    const double *lower[4], *upper[4], *way[4], *slack[4];
    Four n;
    for (int l = 0; l < 4; l++) {
        lower[l] = &proxies->fat[at[l]].lower.x;
        upper[l] = &proxies->fat[at[l]].upper.x;
        way[l] = &proxies->reach[at[l]].x;
        slack[l] = &proxies->reach[at[l]].slack;
        n[l] = proxies->left[at[l]] < PH_LOOKAHEAD ? proxies->left[at[l]] : PH_LOOKAHEAD;
    }
    Four reach, limit, way_x, way_y;
    four_split(lower, x0, y0);
    four_split(upper, x1, y1);
    four_split(way, &way_x, &way_y);
    four_split(slack, &reach, &limit);
    const Four zero = four_splat(0), spin = four_splat(fabs(ways->spin) * ways->share);
    Four x = (*x0 + *x1) * 0.5 - ways->middle.x, y = (*y0 + *y1) * 0.5 - ways->middle.y;
    Four on_x = way_x - (ways->mean.x - y * ways->spin);
    Four on_y = way_y - (ways->mean.y + x * ways->spin);
    Four rounding = four_abs(way_x) + four_abs(way_y) + fabs(ways->mean.x) + fabs(ways->mean.y) +
                    (four_abs(x) + four_abs(y)) * fabs(ways->spin);
    Four speed = four_sqrt(on_x * on_x + on_y * on_y);
    reach = reach + speed;
    Four share = spin * ((*x1 - *x0 + *y1 - *y0) * 0.5 + reach + n * speed);
    reach = four_min(reach + share * 1.415, limit);
    Four growth = (reach + n * share) * 1.000001 + rounding * 1e-13;
    const FourMask ahead = n > zero;
    on_x = (Four)((FourMask)(n * on_x) & ahead);
    on_y = (Four)((FourMask)(n * on_y) & ahead);
    *x0 = *x0 - growth + four_min(on_x, zero);
    *y0 = *y0 - growth + four_min(on_y, zero);
    *x1 = *x1 + growth - four_min(-on_x, zero);
    *y1 = *y1 + growth - four_min(-on_y, zero);
}

PH_FOUR_INLINE FourSingle narrow(float *to, Four x) {
    FourSingle single = __builtin_convertvector(x, FourSingle);
    memcpy(to, &single, sizeof single);
    return single;
}

static void spread(const PhProxies *proxies, const PhWays *ways, PhGridItems *items, uint32_t count,
                   uint32_t *class) {
    for (uint32_t k = 0; k < count; k += 4) {
        const uint32_t *at = items->proxy + k;
        Four x0, y0, x1, y1;
        box_four(proxies, ways, at, &x0, &y0, &x1, &y1);
        FourMask is_box = (x0 <= x1) & (y0 <= y1);
        classify(narrow(items->x0 + k, x0), narrow(items->y0 + k, y0), narrow(items->x1 + k, x1),
                 narrow(items->y1 + k, y1), class + k);
        if (four_bits(is_box) != 15) {
            for (uint32_t l = 0; l < 4; l++) { // a reach that is not a number is one without end
                class[k + l] = !ph_is_box(proxies->fat[at[l]]) ? PH_GRID_NONE
                               : is_box[l]                     ? class[k + l]
                                                               : 0;
            }
        }
    }
}

// ------------------------------------------------------------------------------------------- pairs

// The part of a sorted run that may hold a value.
PH_FOUR_INLINE void halve(const uint32_t *values, uint32_t value, uint32_t *first, uint32_t *last) {
    while (*last - *first > 16) {
        uint32_t middle = *first + (*last - *first) / 2;
        *(values[middle] <= value ? first : last) = middle;
    }
}

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

// Appends the items of a run whose boxes overlap that of item i and that are of other families.
PH_FOUR_INLINE uint32_t cull(const PhGridItems *items, uint32_t i, PhGridRun run, uint32_t *to) {
    __m256 x0 = _mm256_set1_ps(items->x0[i]), x1 = _mm256_set1_ps(items->x1[i]);
    __m256 y0 = _mm256_set1_ps(items->y0[i]), y1 = _mm256_set1_ps(items->y1[i]);
    __m256i row = _mm256_set1_epi32((int32_t)(run.row & run.mask));
    __m256i mask = _mm256_set1_epi32((int32_t)run.mask);
    __m256i family = _mm256_set1_epi32((int32_t)items->family[i]);
    uint32_t found = 0, j = run.first;
    do { // once at least: how many items a cell has is hard to foresee
        __m256 in = _mm256_and_ps(_mm256_cmp_ps(_mm256_loadu_ps(items->x0 + j), x1, _CMP_LE_OQ),
                                  _mm256_cmp_ps(x0, _mm256_loadu_ps(items->x1 + j), _CMP_LE_OQ));
        in = _mm256_and_ps(in, _mm256_cmp_ps(_mm256_loadu_ps(items->y0 + j), y1, _CMP_LE_OQ));
        in = _mm256_and_ps(in, _mm256_cmp_ps(y0, _mm256_loadu_ps(items->y1 + j), _CMP_LE_OQ));
        __m256i rows = _mm256_loadu_si256((const __m256i *)(const void *)(items->row + j));
        rows = _mm256_cmpeq_epi32(_mm256_and_si256(rows, mask), row);
        in = _mm256_and_ps(in, _mm256_castsi256_ps(rows));
        __m256i families = _mm256_loadu_si256((const __m256i *)(const void *)(items->family + j));
        in = _mm256_andnot_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(families, family)), in);
        uint32_t bits = (uint32_t)_mm256_movemask_ps(in);
        uint32_t left = run.last - j;
        bits &= (1u << (left < 8 ? left : 8)) - 1;
        __m128i first = _mm_set1_epi32((int32_t)j), second = _mm_set1_epi32((int32_t)j + 4);
        first = _mm_add_epi32(lanes_of(bits & 15), first);
        second = _mm_add_epi32(lanes_of(bits >> 4), second);
        _mm_storeu_si128((__m128i *)(void *)(to + found), first);
        found += ones[bits & 15];
        _mm_storeu_si128((__m128i *)(void *)(to + found), second);
        found += ones[bits >> 4];
        j += 8;
    } while (j < run.last);
    return found;
}

PH_FOUR_INLINE void transpose(const Four row[4], Four *a, Four *b, Four *c, Four *d) {
    __m256d even = _mm256_unpacklo_pd((__m256d)row[0], (__m256d)row[1]);
    __m256d odd = _mm256_unpackhi_pd((__m256d)row[0], (__m256d)row[1]);
    __m256d even_2 = _mm256_unpacklo_pd((__m256d)row[2], (__m256d)row[3]);
    __m256d odd_2 = _mm256_unpackhi_pd((__m256d)row[2], (__m256d)row[3]);
    *a = (Four)_mm256_permute2f128_pd(even, even_2, 0x20);
    *b = (Four)_mm256_permute2f128_pd(odd, odd_2, 0x20);
    *c = (Four)_mm256_permute2f128_pd(even, even_2, 0x31);
    *d = (Four)_mm256_permute2f128_pd(odd, odd_2, 0x31);
}

typedef struct Seeker {
    Four box; // {upper, -lower} of its fat box
    PhReach reach;
    uint32_t left;
} Seeker;

// ph_near of four items and a proxy.
PH_FOUR_INLINE uint32_t near_bits(const PhGridItems *items, const PhProxies *proxies,
                                  const uint32_t at[4], const Seeker *own) {
    const FourMask flip = {0, 0, INT64_MIN, INT64_MIN};
    Four gap[4], row[4], left, below, right, above, x, y, reach, limit, n;
    for (int l = 0; l < 4; l++) {
        uint32_t p = items->proxy[at[l]], steps = proxies->left[p];
        gap[l] = (Four)((FourMask)four_load(&proxies->fat[p].lower.x) ^ flip) - own->box;
        row[l] = four_load(&proxies->reach[p].x);
        n[l] = steps < own->left ? steps : own->left;
    }
    transpose(gap, &left, &below, &right, &above);
    transpose(row, &x, &y, &reach, &limit);
    const Four zero = four_splat(0);
    x = x - own->reach.x;
    y = y - own->reach.y;
    reach = four_sqrt(x * x + y * y) + (reach + own->reach.slack);
    reach = four_min(reach, four_min(limit, four_splat(own->reach.limit)));
    FourMask ahead = n > zero;
    Four on_x = (Four)((FourMask)(n * x) & ahead), on_y = (Four)((FourMask)(n * y) & ahead);
    FourMask apart =
        (left + four_min(on_x, zero) > reach) | (right + four_min(-on_x, zero) > reach) |
        (below + four_min(on_y, zero) > reach) | (above + four_min(-on_y, zero) > reach);
    Four across = (left - right) * y - (below - above) * x;
    Four size = (reach * 2.0 - (left + right)) * four_abs(y) +
                (reach * 2.0 - (below + above)) * four_abs(x);
    return four_bits(~(apart | (ahead & (four_abs(across) > size))));
}

// Keeps those of a list that item i is near.
PH_FOUR_INLINE uint32_t sift(const PhGridItems *items, const PhProxies *proxies, uint32_t i,
                             uint32_t *list, uint32_t count) {
    uint32_t p = items->proxy[i];
    const PhAabb fat = proxies->fat[p];
    const Seeker own = {{fat.upper.x, fat.upper.y, -fat.lower.x, -fat.lower.y},
                        proxies->reach[p],
                        proxies->left[p]};
    const __m128i self = _mm_set1_epi32((int32_t)i);
    uint32_t kept = 0;
    _mm_storeu_si128((__m128i *)(void *)(list + count), self); // lanes behind the end
    for (uint32_t k = 0; k < count; k += 4) {
        __m128i at = _mm_loadu_si128((const __m128i *)(const void *)(list + k));
        uint32_t bits = near_bits(items, proxies, list + k, &own);
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
    const __m128i self = _mm_set1_epi32((int32_t)i); // items are fewer than 2^31
    uint32_t made = 0;
    for (uint32_t k = 0; k < count; k += 4) {
        __m128i q = rows_at(items->proxy, hit + k), other = rows_at(items->owner, hit + k);
        __m128i differs = _mm_xor_si128(body, other); // top bit: one of them alone is dynamic
        __m128i same = _mm_cmpeq_epi32(_mm_slli_epi32(differs, 2), _mm_setzero_si128());
        __m128i at = _mm_loadu_si128((const __m128i *)(const void *)(hit + k));
        __m128i twice = _mm_andnot_si128(_mm_cmpgt_epi32(at, self), _mm_slli_epi32(other, 1));
        same = _mm_or_si128(same, _mm_srai_epi32(twice, 31)); // a stray up to itself
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

PH_FOUR_INLINE __m256i load_eight(const void *rows) {
    return _mm256_loadu_si256((const __m256i *)rows);
}

static uint32_t mark(const PhPairList *list, const uint32_t *start, PhRawPair *raw, uint32_t count,
                     uint8_t *seen) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; k++) {
        PhRawPair pair = raw[k];
        uint32_t first = start[pair.owner], last = start[pair.owner + 1], found = 0;
        halve(list->other, pair.other, &first, &last);
        for (; first < last; first += 8) {
            __m256i same = _mm256_cmpeq_epi32(load_eight(list->other + first),
                                              _mm256_set1_epi32((int32_t)pair.other));
            found = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same));
            found &= 255u >> (8 - (last - first < 8 ? last - first : 8));
            if (found) {
                break;
            }
        }
        uint32_t at = first + ((uint32_t)__builtin_ctz(found | 256) & 7);
        seen[at] |= found != 0; // lists have rows to spare
        raw[kept] = pair;
        kept += found == 0;
    }
    return kept;
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
        bool twice = other & PH_GRID_STRAY && hit[k] <= i;
        made += (differs << 2 != 0) & ((owner | other) >> 31) & !twice;
    }
    return made;
}

static uint32_t mark(const PhPairList *list, const uint32_t *start, PhRawPair *raw, uint32_t count,
                     uint8_t *seen) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; k++) {
        PhRawPair pair = raw[k];
        uint32_t at = start[pair.owner], last = start[pair.owner + 1];
        halve(list->other, pair.other, &at, &last);
        while (at < last && list->other[at] < pair.other) {
            at++;
        }
        bool found = at < last && list->other[at] == pair.other;
        seen[at] |= found; // lists have rows to spare
        raw[kept] = pair;
        kept += !found;
    }
    return kept;
}

static uint32_t cull(const PhGridItems *items, uint32_t i, PhGridRun run, uint32_t *to) {
    float x0 = items->x0[i], y0 = items->y0[i], x1 = items->x1[i], y1 = items->y1[i];
    uint32_t found = 0;
    for (uint32_t j = run.first; j < run.last; j++) {
        to[found] = j;
        found += (uint32_t)((items->x0[j] <= x1) & (x0 <= items->x1[j]) & (items->y0[j] <= y1) &
                            (y0 <= items->y1[j]) & (((items->row[j] ^ run.row) & run.mask) == 0) &
                            (items->family[j] != items->family[i]));
    }
    return found;
}

static uint32_t sift(const PhGridItems *items, const PhProxies *proxies, uint32_t i, uint32_t *list,
                     uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; k++) {
        list[kept] = list[k];
        kept += ph_near(proxies, items->proxy[i], items->proxy[list[k]]);
    }
    return kept;
}
#endif

static uint32_t scan(const PhGridItems *items, const PhProxies *proxies, uint32_t i,
                     const PhGridRun *runs, uint32_t count, uint32_t *hit) {
    uint32_t found = 0;
    for (uint32_t r = 0; r < count; r++) {
        found += cull(items, i, runs[r], hit + found);
    }
    return sift(items, proxies, i, hit, found);
}

const PhGridKernels PH_GRID_KERNELS = {.spread = spread, .scan = scan, .pair = pair, .mark = mark};

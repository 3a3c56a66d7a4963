// PhGridKernels in lanes: eight boxes in float32 at once choose which pairs are examined, four
// exact tests at once decide. A unit includes its headers, chooses a target, and includes this with
// PH_GRID_KERNELS named.

// ------------------------------------------------------------------------------------------------
// boxes

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

// Two proxies of the grid are near only if these boxes overlap, whatever the displacement field
// that is taken from all displacements: what falls or turns together has small boxes.
//
// Take M for the larger coordinate of the distance of two middles. The displacements of two differ
// by no more than what each differs from the field plus sqrt 2 spin M, and M is at most the sum of
// both half sizes, of the reach, and of the displacements of all steps, which again differ from
// those against the field by spin M in each. Solved for M, each has its share. The last term is for
// rounding.
//
// Where no pair looks ahead it is less. Let s be the reach of one against the field and L its
// limit; two reach no further for each other than s + s', L or L'. With any pace S, those with s <=
// S take half of the smaller one of s + S and L, and others the smaller one of s and L. That is
// enough for two that both take half of L, one of which is the least, or (s + S) / 2, which is s at
// least. When one takes L / 2 and the other (s' + S) / 2 this is enough if s' + S >= L, and else it
// is more than s' + S, of which s + s' is no more. What takes L is enough alone; what takes s > S
// together with s' at least, or with L' / 2 < s' <= S < s, is so too.
PH_FOUR_INLINE void box_four(const PhProxies *proxies, const PhDisplacementField *displacements,
                             const uint32_t at[4], bool ahead_of_none, double pace, Four *x0,
                             Four *y0, Four *x1, Four *y1) {
    const double *lower[4], *upper[4], *displacement[4], *slack[4];
    Four n;
    for (int l = 0; l < 4; l++) {
        lower[l] = &proxies->predicted[at[l]].lower.x;
        upper[l] = &proxies->predicted[at[l]].upper.x;
        displacement[l] = &proxies->reach[at[l]].x;
        slack[l] = &proxies->reach[at[l]].slack;
        n[l] = proxies->left[at[l]] < PH_LOOKAHEAD ? proxies->left[at[l]] : PH_LOOKAHEAD;
        n[l] = ahead_of_none ? 0 : n[l];
    }
    Four reach, limit, displacement_x, displacement_y;
    four_split(lower, x0, y0);
    four_split(upper, x1, y1);
    four_split(displacement, &displacement_x, &displacement_y);
    four_split(slack, &reach, &limit);
    const Four zero = four_splat(0),
               spin = four_splat(fabs(displacements->spin) * displacements->share);
    Four x = (*x0 + *x1) * 0.5 - displacements->middle.x,
         y = (*y0 + *y1) * 0.5 - displacements->middle.y;
    Four on_x = displacement_x - (displacements->mean.x - y * displacements->spin);
    Four on_y = displacement_y - (displacements->mean.y + x * displacements->spin);
    Four rounding = four_abs(displacement_x) + four_abs(displacement_y) +
                    fabs(displacements->mean.x) + fabs(displacements->mean.y) +
                    (four_abs(x) + four_abs(y)) * fabs(displacements->spin);
    Four speed = four_sqrt(on_x * on_x + on_y * on_y);
    reach = reach + speed;
    Four share = spin * ((*x1 - *x0 + *y1 - *y0) * 0.5 + reach + n * speed);
    reach = reach + share * 1.415;
    Four half = four_min(reach + pace, limit) * 0.5;
    const Four most = four_min(reach, limit);
    reach = ahead_of_none ? four_select(reach <= pace, half, most) : most;
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

#ifdef PH_FOUR_AVX2
#define PACE 4.0f // times the mean displacement

// Fills the tight ones of the items, from the middle of the displacements. Returns how much of the
// distance of two, and of how far they reach for each other, may be rounding; < 0 where that is too
// much to be seldom in doubt.
//
// Let u be 2^-24, and M and V the largest of the numbers of boxes and of displacements. Then each
// gap is off by 6 u M at most: 2 of its terms, each u M, 2 of the difference, and 2 of that to the
// reach; and the reach, of at most 5 V, by 35 u V.
static float tighten(const PhProxies *proxies, const PhDisplacementField *displacements,
                     PhGridItems *items, uint32_t count) {
    const Four middle = {displacements->middle.x, displacements->middle.y, displacements->middle.x,
                         displacements->middle.y};
    const __m128 flip = _mm_setr_ps(0, 0, -0.0f, -0.0f), sign = _mm_set1_ps(-0.0f);
    const __m128 field =
        _mm_setr_ps((float)displacements->mean.x, (float)displacements->mean.y, 0, 0);
    __m128 far = _mm_setzero_ps(), fast = _mm_setzero_ps(), sum = _mm_setzero_ps();
    for (uint32_t k = 0; k < count; k++) {
        uint32_t p = items->proxy[k];
        __m128 box = _mm256_cvtpd_ps((__m256d)(four_load(&proxies->predicted[p].lower.x) - middle));
        __m128 reach = _mm256_cvtpd_ps((__m256d)four_load(&proxies->reach[p].x));
        _mm_storeu_ps(&items->tight[k].x0, _mm_xor_ps(box, flip));
        _mm_storeu_ps(&items->tight[k].displacement_x, reach);
        if (proxies->flags[p] & PH_PROXY_LONG) {
            items->tight[k].displacement_x =
                NAN; // no number is near or apart: it is always in doubt
        }
        far = _mm_max_ps(far, _mm_andnot_ps(sign, box));
        fast = _mm_max_ps(fast, _mm_andnot_ps(sign, reach));
        sum = _mm_add_ps(sum, _mm_andnot_ps(sign, _mm_sub_ps(reach, field)));
    }
    float m[4], v[4], s[4];
    _mm_storeu_ps(s, sum);
    // Halves of limits are less than displacements only where most go far.
    items->pace = s[0] + s[1] > 0.5f * s[3] ? PACE * (s[0] + s[1]) / (float)count : 0;
    _mm_storeu_ps(m, far);
    _mm_storeu_ps(v, fast);
    float most = fmaxf(fmaxf(m[0], m[1]), fmaxf(m[2], m[3]));
    float displacement = fmaxf(fmaxf(v[0], v[1]), v[2]); // not the limit
    float doubt = 0x1p-20f * most + 0x1p-18f * displacement + 1e-20f;
    return doubt < (float)proxies->displacement_slack ? doubt : -1;
}
#else
static float tighten(const PhProxies *proxies, const PhDisplacementField *displacements,
                     PhGridItems *items, uint32_t count) {
    (void)proxies, (void)displacements, (void)count;
    items->pace = 0;
    return -1;
}
#endif

PH_FOUR_INLINE void spread_all(const PhProxies *proxies, const PhDisplacementField *displacements,
                               PhGridItems *items, uint32_t count, bool tight, uint32_t *class) {
    for (uint32_t k = 0; k < count; k += 4) {
        const uint32_t *at = items->proxy + k;
        Four x0, y0, x1, y1;
        box_four(proxies, displacements, at, tight, items->pace, &x0, &y0, &x1, &y1);
        FourMask is_box = (x0 <= x1) & (y0 <= y1);
        classify(narrow(items->x0 + k, x0), narrow(items->y0 + k, y0), narrow(items->x1 + k, x1),
                 narrow(items->y1 + k, y1), class + k);
        if (four_bits(is_box) != 15) {
            for (uint32_t l = 0; l < 4; l++) { // a reach that is not a number is one without end
                class[k + l] = !ph_is_box(proxies->predicted[at[l]]) ? PH_GRID_NONE
                               : is_box[l]                           ? class[k + l]
                                                                     : 0;
            }
        }
    }
}

static void spread(const PhProxies *proxies, const PhDisplacementField *displacements,
                   PhGridItems *items, uint32_t count, uint32_t *class) {
    items->doubt = items->doubt < 0 ? -1 : tighten(proxies, displacements, items, count);
    if (items->doubt >= 0) {
        spread_all(proxies, displacements, items, count, true, class);
    } else {
        spread_all(proxies, displacements, items, count, false, class);
    }
}

// ------------------------------------------------------------------------------------------------
// distance grid

static uint32_t distance_grid(const PhProxies *proxies, const PhDistanceGrid *map,
                              const uint32_t *list, uint32_t count, uint32_t *near) {
    uint32_t found = 0;
    for (uint32_t k = 0; k < count; k += 4) {
        const double *lower[4], *upper[4], *displacement[4], *more[4];
        uint32_t at[4];
        Four n;
        for (uint32_t l = 0; l < 4; l++) {
            uint32_t p = at[l] = list[k + l < count ? k + l : count - 1];
            lower[l] = &proxies->predicted[p].lower.x;
            upper[l] = &proxies->predicted[p].upper.x;
            displacement[l] = &proxies->reach[p].x;
            more[l] = &proxies->reach[p].slack;
            n[l] = proxies->left[p] == PH_LEFT_FOREVER ? 0 : proxies->left[p];
        }
        Four x0, y0, x1, y1, x, y, slack, limit;
        four_split(lower, &x0, &y0);
        four_split(upper, &x1, &y1);
        four_split(displacement, &x, &y);
        four_split(more, &slack, &limit);
        // As ph_reach_box has it.
        Four reach = four_min(four_sqrt(x * x + y * y) + slack, limit);
        reach = 1.000001 * reach + 1e-12 * (four_abs(x) + four_abs(y));
        const Four zero = four_splat(0);
        const FourMask ahead = n > zero;
        Four on_x = (Four)((FourMask)(n * x) & ahead), on_y = (Four)((FourMask)(n * y) & ahead);
        x0 = (x0 + four_min(on_x, zero)) - reach;
        y0 = (y0 + four_min(on_y, zero)) - reach;
        x1 = (x1 - four_min(-on_x, zero)) + reach;
        y1 = (y1 - four_min(-on_y, zero)) + reach;
        uint32_t clear = ph_distance_grid_clear(map, x0, y0, x1, y1);
        for (uint32_t l = 0; l < 4; l++) {
            near[found] = at[l];
            found += (~clear >> l & 1) & (k + l < count);
        }
    }
    return found;
}

// ------------------------------------------------------------------------------------------------
// pairs

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

PH_FOUR_INLINE __m256i load_eight(const void *rows) {
    return _mm256_loadu_si256((const __m256i *)rows);
}

// The numbers of the set bits of a byte, the lowest first, a byte each.
#define PUT(list, bits, k)                                                                         \
    ((uint64_t)(list) << 8 * ((bits) >> (k)&1) | ((bits) >> (k)&1) * UINT64_C(k))
#define HALF(bits) PUT(PUT(PUT(PUT(UINT64_C(0), bits, 7), bits, 6), bits, 5), bits, 4)
#define ORDER(bits) PUT(PUT(PUT(PUT(HALF(bits), bits, 3), bits, 2), bits, 1), bits, 0)
#define ORDER_4(bits) ORDER(bits), ORDER((bits) + 1), ORDER((bits) + 2), ORDER((bits) + 3)
#define ORDER_16(bits) ORDER_4(bits), ORDER_4((bits) + 4), ORDER_4((bits) + 8), ORDER_4((bits) + 12)
#define ORDER_64(bits)                                                                             \
    ORDER_16(bits), ORDER_16((bits) + 16), ORDER_16((bits) + 32), ORDER_16((bits) + 48)
static const uint64_t order_of[256] = {ORDER_64(0), ORDER_64(64), ORDER_64(128), ORDER_64(192)};
#undef PUT
#undef HALF
#undef ORDER
#undef ORDER_4
#undef ORDER_16
#undef ORDER_64

// Appends j and the bits set in a byte, each. Returns how many.
PH_FOUR_INLINE uint32_t append(uint32_t *to, uint32_t j, uint32_t bits) {
    __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)&order_of[bits]);
    __m256i at = _mm256_add_epi32(_mm256_cvtepu8_epi32(bytes), _mm256_set1_epi32((int32_t)j));
    _mm256_storeu_si256((__m256i *)(void *)to, at);
    return (uint32_t)__builtin_popcount(bits);
}

// An item as eight lanes see it.
typedef struct Sight {
    __m256 x0, y0, x1, y1;
    __m256i rank, family;
} Sight;

// Which of eight items from j on may have a pair that an item owns.
PH_FOUR_INLINE uint32_t owned_bits(PhGridItems of, uint32_t j, const Sight *own) {
    __m256 in = _mm256_and_ps(_mm256_cmp_ps(_mm256_loadu_ps(of.x0 + j), own->x1, _CMP_LE_OQ),
                              _mm256_cmp_ps(own->x0, _mm256_loadu_ps(of.x1 + j), _CMP_LE_OQ));
    __m256 in_y = _mm256_and_ps(_mm256_cmp_ps(_mm256_loadu_ps(of.y0 + j), own->y1, _CMP_LE_OQ),
                                _mm256_cmp_ps(own->y0, _mm256_loadu_ps(of.y1 + j), _CMP_LE_OQ));
    __m256i above = _mm256_cmpgt_epi32(load_eight(of.rank + j), own->rank);
    above = _mm256_andnot_si256(_mm256_cmpeq_epi32(load_eight(of.family + j), own->family), above);
    in = _mm256_and_ps(_mm256_and_ps(in, in_y), _mm256_castsi256_ps(above));
    return (uint32_t)_mm256_movemask_ps(in);
}

// Appends the items of a run whose boxes overlap that of item i, that rank above it and are of
// other families.
PH_FOUR_INLINE uint32_t cull_owned(const PhGridItems *items, uint32_t i, PhGridRun run,
                                   uint32_t *to) {
    const PhGridItems of = *items; // no store changes where the columns are
    const Sight own = {_mm256_set1_ps(of.x0[i]),      _mm256_set1_ps(of.y0[i]),
                       _mm256_set1_ps(of.x1[i]),      _mm256_set1_ps(of.y1[i]),
                       _mm256_set1_epi32(of.rank[i]), _mm256_set1_epi32((int32_t)of.family[i])};
    uint32_t found = 0, j = run.first;
    do { // sixteen, as many as there are in most runs
        uint32_t bits = owned_bits(of, j, &own) | owned_bits(of, j + 8, &own) << 8;
        uint32_t left = run.last - j;
        bits &= 0xffffu >> (16 - (left < 16 ? left : 16));
        found += append(to + found, j, bits & 255);
        found += append(to + found, j + 8, bits >> 8);
        j += 16;
    } while (j < run.last);
    return found;
}

// Appends the items of a run whose boxes overlap that of item i and that are of other families.
PH_FOUR_INLINE uint32_t cull(const PhGridItems *items, uint32_t i, PhGridRun run, uint32_t *to) {
    __m256 x0 = _mm256_set1_ps(items->x0[i]), x1 = _mm256_set1_ps(items->x1[i]);
    __m256 y0 = _mm256_set1_ps(items->y0[i]), y1 = _mm256_set1_ps(items->y1[i]);
    __m256i row = _mm256_set1_epi32((int32_t)(run.row & run.mask));
    __m256i mask = _mm256_set1_epi32((int32_t)run.mask);
    __m256i family = _mm256_set1_epi32((int32_t)items->family[i]);
    uint32_t found = 0, j = run.first;
    do { // once at least: how many items a cell has is hard to predict
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
    Four box; // {upper, -lower} of its predicted AABB
    PhReach reach;
    uint32_t left, proxy, flags;
} Seeker;

// ph_near of four items and a proxy.
PH_FOUR_INLINE uint32_t near_bits(const PhGridItems *items, const PhProxies *proxies,
                                  const uint32_t at[4], const Seeker *own) {
    const FourMask flip = {0, 0, INT64_MIN, INT64_MIN};
    uint32_t flags = own->flags;
    Four gap[4], row[4], left, below, right, above, x, y, reach, limit, n;
    for (int l = 0; l < 4; l++) {
        uint32_t p = items->proxy[at[l]], steps = proxies->left[p];
        flags |= proxies->flags[p];
        gap[l] = (Four)((FourMask)four_load(&proxies->predicted[p].lower.x) ^ flip) - own->box;
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
    uint32_t bits = four_bits(~(apart | (ahead & (four_abs(across) > size))));
    for (uint32_t l = 0; proxies->slabs && flags & PH_PROXY_LONG && l < 4; l++) {
        bits &= ph_near(proxies, own->proxy, items->proxy[at[l]]) ? 15 : ~(1u << l);
    }
    return bits;
}

// Keeps those of a list that item i is near.
PH_FOUR_INLINE uint32_t sift(const PhGridItems *items, const PhProxies *proxies, uint32_t i,
                             uint32_t *list, uint32_t count) {
    uint32_t p = items->proxy[i];
    const PhAabb predicted = proxies->predicted[p];
    const Seeker own = {
        {predicted.upper.x, predicted.upper.y, -predicted.lower.x, -predicted.lower.y},
        proxies->reach[p],
        proxies->left[p],
        p,
        proxies->flags[p]};
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

// Takes those out of a list that the slab of item i, if it has one, keeps further apart than it
// reaches for all: few are left of what is in the box of a long one. As ph_slab_parts has it.
PH_FOUR_INLINE uint32_t drop_beyond_slab(const PhGridItems *items, const PhProxies *proxies,
                                         uint32_t i, uint32_t *list, uint32_t count) {
    const uint32_t need = PH_PROXY_LONG | PH_PROXY_MOVES;
    uint32_t p = items->proxy[i], kept = 0;
    if (!proxies->slabs || (proxies->flags[p] & need) != need) {
        return count;
    }
    const PhSlab slab = proxies->slab[p];
    const double limit = proxies->reach[p].limit;
    _mm_storeu_si128((__m128i *)(void *)(list + count), _mm_set1_epi32((int32_t)i));
    for (uint32_t k = 0; k < count; k += 4) {
        __m128i at = _mm_loadu_si128((const __m128i *)(const void *)(list + k));
        const double *lower[4], *upper[4];
        uint32_t ahead = 0;
        for (uint32_t l = 0; l < 4; l++) {
            uint32_t q = items->proxy[list[k + l]];
            lower[l] = &proxies->predicted[q].lower.x;
            upper[l] = &proxies->predicted[q].upper.x;
            ahead |= (uint32_t)(ph_steps_of(proxies, p, q) > 0) << l;
        }
        Four x0, y0, x1, y1;
        four_split(lower, &x0, &y0);
        four_split(upper, &x1, &y1);
        Four middle = 0.5 * (slab.x * (x0 + x1) + slab.y * (y0 + y1));
        Four half = 0.5 * (fabs(slab.x) * (x1 - x0) + fabs(slab.y) * (y1 - y0));
        Four above = middle - half - slab.high, below = slab.low - middle - half;
        uint32_t bits = four_bits((above > limit) | (below > limit));
        bits = (~bits | ahead) & (count - k < 4 ? (1u << (count - k)) - 1 : 15u);
        __m128 left = _mm_permutevar_ps(_mm_castsi128_ps(at), lanes_of(bits));
        _mm_storeu_si128((__m128i *)(void *)(list + kept), _mm_castps_si128(left));
        kept += ones[bits];
    }
    return kept;
}

// As sift() does where pairs are known for one step alone: float32 tells, but where it is in doubt.
PH_FOUR_INLINE uint32_t sift_tight(const PhGridItems *items, const PhProxies *proxies, uint32_t i,
                                   uint32_t *list, uint32_t count) {
    const PhGridTight tight = items->tight[i];
    const __m256 own = _mm256_setr_ps(-tight.less_x1, -tight.less_y1, -tight.x0, -tight.y0,
                                      tight.displacement_x, tight.displacement_y, -tight.slack, 0);
    const __m128 limit = _mm_set1_ps(tight.limit), doubt = _mm_set1_ps(items->doubt);
    const __m128i self = _mm_set1_epi32((int32_t)i);
    uint32_t kept = 0;
    _mm_storeu_si128((__m128i *)(void *)(list + count), self); // lanes behind the end
    for (uint32_t k = 0; k < count; k += 4) {
        __m256 row[4];
        for (int l = 0; l < 4; l++) {
            row[l] = _mm256_sub_ps(_mm256_loadu_ps(&items->tight[list[k + (uint32_t)l]].x0), own);
        }
        __m256 low = _mm256_unpacklo_ps(row[0], row[1]), low_2 = _mm256_unpacklo_ps(row[2], row[3]);
        __m256 high = _mm256_unpackhi_ps(row[0], row[1]);
        __m256 high_2 = _mm256_unpackhi_ps(row[2], row[3]);
        __m256 left_x = _mm256_shuffle_ps(low, low_2, 0x44); // and the relative displacement
        __m256 below_y = _mm256_shuffle_ps(low, low_2, 0xee);
        __m256 right_slack = _mm256_shuffle_ps(high, high_2, 0x44); // and the slack of both
        __m256 above_limit = _mm256_shuffle_ps(high, high_2, 0xee);
        __m128 gap = _mm256_castps256_ps128(
            _mm256_max_ps(_mm256_max_ps(left_x, below_y), _mm256_max_ps(right_slack, above_limit)));
        __m128 x = _mm256_extractf128_ps(left_x, 1), y = _mm256_extractf128_ps(below_y, 1);
        __m128 reach = _mm_sqrt_ps(_mm_add_ps(_mm_mul_ps(x, x), _mm_mul_ps(y, y)));
        reach = _mm_add_ps(reach, _mm256_extractf128_ps(right_slack, 1));
        __m128 most = _mm_min_ps(limit, _mm256_extractf128_ps(above_limit, 1));
        reach = _mm_min_ps(most, reach); // no number if one displacement is none
        __m128 over = _mm_sub_ps(gap, reach);
        uint32_t bits = (uint32_t)_mm_movemask_ps(_mm_cmple_ps(over, _mm_setzero_ps()));
        __m128 off = _mm_andnot_ps(_mm_set1_ps(-0.0f), over);
        uint32_t unsure = (uint32_t)_mm_movemask_ps(_mm_cmpngt_ps(off, doubt));
        unsure &= count - k < 4 ? (1u << (count - k)) - 1 : 15u;
        for (; unsure; unsure &= unsure - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(unsure);
            bool near = ph_near(proxies, items->proxy[i], items->proxy[list[k + l]]);
            bits = (bits & ~(1u << l)) | (uint32_t)near << l;
        }
        bits &= count - k < 4 ? (1u << (count - k)) - 1 : 15u;
        __m128i at = _mm_loadu_si128((const __m128i *)(const void *)(list + k));
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
        same = _mm_or_si128(same, _mm_srai_epi32(twice, 31)); // an enlarged one up to itself
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

// Which of up to eight numbers are equal to one.
PH_FOUR_INLINE uint32_t equal_bits(__m256i numbers, uint32_t number, uint32_t count) {
    __m256i same = _mm256_cmpeq_epi32(numbers, _mm256_set1_epi32((int32_t)number));
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same)) & (255u >> (8 - count));
}

// Where the run first .. last - 1 of a sorted list has a number; `last` if nowhere.
PH_FOUR_INLINE uint32_t find_in_run(const uint32_t *others, uint32_t first, uint32_t last,
                                    uint32_t other) {
    halve(others, other, &first, &last);
    for (uint32_t at = first; at < last; at += 8) { // lists have rows to spare
        uint32_t left = last - at;
        uint32_t same = equal_bits(load_eight(others + at), other, left < 8 ? left : 8);
        if (same) {
            return at + (uint32_t)__builtin_ctz(same);
        }
    }
    return UINT32_MAX;
}

static uint32_t enter(const PhGridItems *items, uint32_t i, const uint32_t *hit, uint32_t count,
                      const PhPairList *list, uint32_t first, uint32_t last, uint8_t *seen,
                      PhRawPair *to) {
    uint32_t owner = items->proxy[i], made = 0, marks = 0, size = last - first;
    if (size > 8) {
        for (uint32_t k = 0; k < count; k++) {
            uint32_t other = items->proxy[hit[k]];
            uint32_t at = find_in_run(list->other, first, last, other);
            seen[at < last ? at : first] |= at < last;
            to[made] = (PhRawPair){owner, other};
            made += at >= last;
        }
        return made;
    }
    const __m256i run = load_eight(list->other + first); // lists have rows to spare
    for (uint32_t k = 0; k < count || k < 4; k++) { // most have so many: no loop to be predicted
        uint32_t other = items->proxy[hit[k]], is = k < count;
        uint32_t same = equal_bits(run, other, size) & -is;
        marks |= same;
        to[made] = (PhRawPair){owner, other};
        made += (same == 0) & is;
    }
    // A byte of each bit, if not the same for all.
    uint64_t bytes = (marks * UINT64_C(0x0101010101010101)) & UINT64_C(0x8040201008040201), old;
    memcpy(&old, seen + first, sizeof old);
    old |= bytes;
    memcpy(seen + first, &old, sizeof old);
    return made;
}

static uint32_t mark(const PhPairList *list, const uint32_t *start, PhRawPair *raw, uint32_t count,
                     uint8_t *seen) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; k++) {
        PhRawPair pair = raw[k];
        uint32_t first = start[pair.owner], last = start[pair.owner + 1];
        uint32_t at = find_in_run(list->other, first, last, pair.other);
        seen[at < last ? at : first] |= at < last;
        raw[kept] = pair;
        kept += at >= last;
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
        bool twice = other & PH_GRID_ENLARGED && hit[k] <= i;
        made += (differs << 2 != 0) & ((owner | other) >> 31) & !twice;
    }
    return made;
}

// Where the run first .. last - 1 of a sorted list has a number; at least `last` if nowhere.
static uint32_t find_in_run(const uint32_t *others, uint32_t first, uint32_t last, uint32_t other) {
    uint32_t end = last;
    halve(others, other, &first, &last);
    while (first < last && others[first] < other) {
        first++;
    }
    return first < last && others[first] == other ? first : end;
}

static uint32_t enter(const PhGridItems *items, uint32_t i, const uint32_t *hit, uint32_t count,
                      const PhPairList *list, uint32_t first, uint32_t last, uint8_t *seen,
                      PhRawPair *to) {
    uint32_t made = 0;
    for (uint32_t k = 0; k < count; k++) {
        PhRawPair pair = {items->proxy[i], items->proxy[hit[k]]};
        uint32_t at = find_in_run(list->other, first, last, pair.other);
        seen[at] |= at < last; // lists have rows to spare
        to[made] = pair;
        made += at >= last;
    }
    return made;
}

static uint32_t mark(const PhPairList *list, const uint32_t *start, PhRawPair *raw, uint32_t count,
                     uint8_t *seen) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; k++) {
        PhRawPair pair = raw[k];
        uint32_t last = start[pair.owner + 1];
        uint32_t at = find_in_run(list->other, start[pair.owner], last, pair.other);
        seen[at] |= at < last; // lists have rows to spare
        raw[kept] = pair;
        kept += at >= last;
    }
    return kept;
}

// Whether the boxes of two items overlap and they are of different families.
PH_FOUR_INLINE bool meets(const PhGridItems *items, uint32_t i, uint32_t j) {
    return (items->x0[j] <= items->x1[i]) & (items->x0[i] <= items->x1[j]) &
           (items->y0[j] <= items->y1[i]) & (items->y0[i] <= items->y1[j]) &
           (items->family[j] != items->family[i]);
}

static uint32_t cull(const PhGridItems *items, uint32_t i, PhGridRun run, uint32_t *to) {
    uint32_t found = 0;
    for (uint32_t j = run.first; j < run.last; j++) {
        to[found] = j;
        bool in_row = ((items->row[j] ^ run.row) & run.mask) == 0;
        found += (uint32_t)(meets(items, i, j) & in_row);
    }
    return found;
}

static uint32_t cull_owned(const PhGridItems *items, uint32_t i, PhGridRun run, uint32_t *to) {
    uint32_t found = 0;
    for (uint32_t j = run.first; j < run.last; j++) {
        to[found] = j;
        found += (uint32_t)(meets(items, i, j) & (items->rank[j] > items->rank[i]));
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

static uint32_t scan_owned(const PhGridItems *items, const PhProxies *proxies, uint32_t i,
                           const PhGridRun *runs, uint32_t count, uint32_t *hit) {
    uint32_t found = 0;
    for (uint32_t r = 0; r < count; r++) {
        found += cull_owned(items, i, runs[r], hit + found);
    }
#ifdef PH_FOUR_AVX2
    if (items->doubt >= 0) {
        return sift_tight(items, proxies, i, hit, found);
    }
#endif
    return sift(items, proxies, i, hit, found);
}

static uint32_t scan(const PhGridItems *items, const PhProxies *proxies, uint32_t i,
                     const PhGridRun *runs, uint32_t count, uint32_t *hit) {
    uint32_t found = 0;
    for (uint32_t r = 0; r < count; r++) {
        found += cull(items, i, runs[r], hit + found);
    }
#ifdef PH_FOUR_AVX2
    found = drop_beyond_slab(items, proxies, i, hit, found);
    if (items->doubt >= 0) {
        return sift_tight(items, proxies, i, hit, found);
    }
#endif
    return sift(items, proxies, i, hit, found);
}

const PhGridKernels PH_GRID_KERNELS = {.spread = spread,
                                       .distance_grid = distance_grid,
                                       .scan = scan,
                                       .scan_owned = scan_owned,
                                       .pair = pair,
                                       .enter = enter,
                                       .mark = mark};

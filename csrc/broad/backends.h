// What the three ways of finding pairs share; for the files of broad/ only.
//
// A backend appends to scratch->raw every pair of proxies that are near (ph_near) and may collide,
// each once, in any order. pairs.c sorts.
#ifndef PH_BROAD_BACKENDS_H
#define PH_BROAD_BACKENDS_H

#include <stddef.h>

#include "base/memory.h"
#include "broad/bvh.h"
#include "broad/pairs.h"

typedef struct PhRawPair {
    uint32_t owner, other;
} PhRawPair;

typedef struct PhRawPairs {
    PhRawPair *pair;
    uint32_t count, capacity;
} PhRawPairs;

// Sides from 1e-200 to 1e200 m, by powers of two with eight steps each, in levels of two powers of
// two.
enum { PH_GRID_STEPS = 8, PH_GRID_PHASES = 2 * PH_GRID_STEPS, PH_GRID_LEVELS = 2048 / 2 + 1 };

typedef struct PhGridLevel {
    double inv_cell;
    uint32_t first, mask; // buckets first .. first + mask; one bucket for a handful of items
    uint32_t count;       // items
} PhGridLevel;

// Items of the grid, sorted by bucket, as columns with a few rows to spare: lanes read beyond the
// end.
typedef struct PhGridItems {
    float *x0, *y0, *x1,
        *y1;       // box with its reach: rounding is monotone, so that no overlap is lost
    uint32_t *row; // low half of the cell's y
    uint32_t *bucket, *below; // of the cell, and of the one to the lower left
    uint32_t *proxy;
    uint32_t *owner;   // body, and PH_GRID_DYNAMIC
    const PhAabb *fat; // of the proxies, which decide exactly
    const PhReach *reach;
} PhGridItems;
#define PH_GRID_DYNAMIC 0x80000000u
enum { PH_GRID_SPARE = 8 };

// Items first .. last - 1 of a row; other rows may share their buckets.
typedef struct PhGridRun {
    uint32_t first, last, row;
} PhGridRun;

// Per instruction set, with the same answers. Both return how many they wrote and may write up to
// PH_GRID_SPARE beyond.
typedef struct PhGridKernels {
    // Lists the items of the runs that item i is near.
    uint32_t (*scan)(const PhGridItems *items, uint32_t i, const PhGridRun *runs, uint32_t count,
                     uint32_t *hit);
    // Makes pairs of item i with each item of a list, but where both are of one body or none is
    // dynamic. Lanes behind the end of the list hold items too.
    uint32_t (*pair)(const PhGridItems *items, uint32_t i, const uint32_t *hit, uint32_t count,
                     PhRawPair *to);
} PhGridKernels;
extern const PhGridKernels ph_grid_plain, ph_grid_avx2; // the latter on x86-64 only

// What the ways of all have in common: that of a body that goes and turns.
typedef struct PhWays {
    PhVec2 mean, middle;
    double spin;  // of a step, radians
    double share; // 1 / (1 - sqrt 2 |spin|), rounded up
} PhWays;

typedef struct PhGrid {
    // By item, before sorting: columns of one table.
    uint32_t *proxy, *bucket, *below, *row;
    PhAabb *box; // fat, with its reach against the field of ways
    PhWays ways;
    bool open;      // no filter keeps two of them apart
    uint16_t *size; // size class, then level
    PhGridItems item;
    uint32_t item_count, item_capacity;
    uint32_t *hit; // items that one item is near, of all levels each once at most
    uint32_t hit_count;
    uint32_t *start; // items of bucket k: start[k] .. start[k + 1]
    uint32_t start_capacity;
    uint32_t *huge; // proxies whose box is infinite or out of any cell's range
    uint32_t huge_count, huge_capacity;
    uint32_t level_count;
    uint32_t asked[PH_GRID_LEVELS]; // other levels in which those of one look
    uint32_t asked_count;
    PhGridLevel level[PH_GRID_LEVELS];   // non-empty ones, fine to coarse
    uint32_t population[PH_GRID_LEVELS]; // all zero between calls
} PhGrid;

typedef struct PhBroadScratch {
    PhRawPairs raw;
    PhGrid grid;
    PhBvh fixed;           // of the static proxies, for the grid backend
    PhBvhItem *fixed_item; // scratch of building either
    uint32_t fixed_capacity;
    bool fixed_stale;
    PhAabbTree tree; // tree backend: of all proxies; grid: of those that rest and are not static
    uint32_t *leaf;  // by proxy; PH_NULL when it has none
    uint32_t leaf_count, leaf_capacity;
    bool rest_stale; // grid: boxes in the tree may be out of date
    uint32_t *start; // of sorting
    uint32_t start_capacity;
    uint64_t *key;
    uint32_t key_capacity;
} PhBroadScratch;

// Sorts the run of each owner in the list (start[p] .. start[p + 1], flags and records not set) and
// carries over what the old list, which is sorted, knows of its pairs. Both lists have
// PH_GRID_SPARE rows to spare. On x86-64 only.
void ph_merge_runs_avx2(PhBroad *broad, const PhPairList *old, PhPairList *list,
                        const uint32_t *start, uint32_t proxies);

typedef struct PhPairRun {
    uint32_t first, count;
} PhPairRun;

// Carries over into a sorted run of new pairs what the old run of the same owners knows; ends the
// others.
void ph_merge_run(PhBroad *broad, const PhPairList *old, PhPairRun before, PhPairList *list,
                  PhPairRun now);
void ph_end_pair(PhBroad *broad, const PhPairList *list, uint32_t k); // it leaves the list
void ph_sort_run(uint32_t *values, uint32_t count);                   // values differ

// Pairs that a proxy in `moving` has; all: that any has.
PhStatus ph_find_pairs_grid(PhBroadScratch *scratch, const PhProxies *proxies,
                            const PhGridKernels *kernels, bool all);
void ph_grid_free(PhGrid *grid);

// Living in the static hierarchy or moving through the grid; other proxies have no pairs.
static inline bool ph_proxy_takes_part(const PhProxies *proxies, uint32_t p) {
    const uint32_t need = PH_PROXY_ALIVE | PH_PROXY_ENABLED;
    return (proxies->flags[p] & need) == need && ph_is_box(proxies->fat[p]);
}
static inline bool ph_proxy_is_fixed(const PhProxies *proxies, uint32_t p) {
    return (proxies->flags[p] & (PH_PROXY_STATIC | PH_PROXY_DYNAMIC)) == PH_PROXY_STATIC;
}

// What a proxy adds to its fat box when it does not know whom it meets: with a little for rounding,
// the boxes of two that are near overlap then.
static inline double ph_reach_alone(PhReach reach) {
    double way = sqrt(reach.x * reach.x + reach.y * reach.y) + reach.slack;
    return 1.000001 * (way < reach.limit ? way : reach.limit);
}
static inline PhAabb ph_reach_box(const PhProxies *proxies, uint32_t p) {
    return ph_grow(proxies->fat[p], ph_reach_alone(proxies->reach[p]));
}

// Whether two fat boxes overlap or are within reach of each other. Differences of infinities count
// as no gap. The lanes of scan_source.h do the same.
static inline bool ph_boxes_near(PhAabb p, PhReach r, PhAabb q, PhReach s) {
    const double gaps[4] = {p.lower.x - q.upper.x, q.lower.x - p.upper.x, p.lower.y - q.upper.y,
                            q.lower.y - p.upper.y};
    double gap = -INFINITY;
    for (int i = 0; i < 4; i++) {
        gap = gaps[i] > gap ? gaps[i] : gap;
    }
    double limit = r.limit < s.limit ? r.limit : s.limit;
    double x = r.x - s.x, y = r.y - s.y, beyond = gap - (r.slack + s.slack);
    return gap <= 0 || (gap <= limit && (beyond <= 0 || beyond * beyond <= x * x + y * y));
}
static inline bool ph_near(const PhProxies *proxies, uint32_t a, uint32_t b) {
    return ph_boxes_near(proxies->fat[a], proxies->reach[a], proxies->fat[b], proxies->reach[b]);
}

static inline bool ph_filter(const PhProxies *proxies, uint32_t a, uint32_t b) {
    const uint32_t need = PH_PROXY_ALIVE | PH_PROXY_ENABLED;
    uint32_t fa = proxies->flags[a], fb = proxies->flags[b];
    if ((fa & fb & need) != need || !((fa | fb) & PH_PROXY_DYNAMIC) ||
        proxies->body[a] == proxies->body[b]) {
        return false;
    }
    if (proxies->group[a] == proxies->group[b] && proxies->group[a] != 0) {
        return proxies->group[a] > 0;
    }
    return (proxies->category[a] & proxies->mask[b]) && (proxies->category[b] & proxies->mask[a]);
}

static inline PhStatus ph_raw_reserve(PhRawPairs *raw, uint64_t more) {
    if (raw->capacity - raw->count >= more) {
        return PH_OK;
    }
    return ph_reserve_array(&raw->pair, &raw->capacity, raw->count + more, sizeof *raw->pair);
}

// In the tree, those that are near a proxy.
typedef struct PhTreeSearch {
    PhRawPairs *raw;
    const PhProxies *proxies;
    uint32_t proxy;
    PhStatus status;
} PhTreeSearch;

// Room is reserved. Keeps the pair if it may collide.
static inline void ph_raw_add(PhRawPairs *raw, const PhProxies *proxies, uint32_t a, uint32_t b) {
    uint32_t dynamic_a = proxies->flags[a] & PH_PROXY_DYNAMIC;
    uint32_t dynamic_b = proxies->flags[b] & PH_PROXY_DYNAMIC;
    bool a_owns = dynamic_a == dynamic_b ? a < b : dynamic_a != 0;
    raw->pair[raw->count] = (PhRawPair){a_owns ? a : b, a_owns ? b : a};
    raw->count += ph_filter(proxies, a, b);
}

#endif

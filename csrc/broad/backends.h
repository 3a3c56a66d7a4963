// What the three methods of finding pairs share; for the files of broad/ only.
//
// A backend appends to scratch->raw every pair of proxies that are near (ph_near) and may collide,
// of those whose pairs are searched (PhSearch), each once, in any order. patch.c and pairs.c
// bring order into them.
#ifndef PH_BROAD_BACKENDS_H
#define PH_BROAD_BACKENDS_H

#include "base/memory.h"
#include "broad/bvh.h"
#include "broad/distance_grid.h"
#include "broad/pairs.h"
#include "math/simd_targets.h"

typedef struct PhRawPairs {
    PhRawPair *pair;
    uint32_t count;
    uint64_t most; // the search fails where it has found more
} PhRawPairs;

// Sides by powers of two with eight steps each, as the top bits of a float32 tell, in levels of two
// powers of two.
enum { PH_GRID_COLUMNS = 2 }; // of buckets in a cell
enum { PH_GRID_STEPS = 8, PH_GRID_PHASES = 2 * PH_GRID_STEPS, PH_GRID_LEVELS = 2048 / 16 + 2 };

typedef struct PhGridLevel {
    double inv_cell;      // of its side
    uint32_t first, mask; // buckets first .. first + mask; one bucket for a handful of items
    uint32_t stride;      // from a row to the next: see ph_grid_bucket
    uint32_t item, count; // its items: item .. item + count - 1
} PhGridLevel;

// What ph_near asks of an item whose pairs are known for one step alone, in float32.
typedef struct PhGridTight {
    float x0, y0, less_x1,
        less_y1; // predicted AABB from a point amidst all; the upper sides negative
    float displacement_x, displacement_y, slack, limit;
} PhGridTight;

// Items of the grid as columns with a few rows to spare: lanes read and write beyond the end.
typedef struct PhGridItems {
    // Box with its reach against the displacement field: rounding is monotone, so that no overlap
    // is lost.
    float *x0, *y0, *x1, *y1;
    uint32_t *row; // low half of the cell's y
    uint32_t *proxy;
    uint32_t *owner;  // body, PH_GRID_DYNAMIC and PH_GRID_ENLARGED
    uint32_t *family; // two of one family never collide: body, or its negative group, as bits
    int32_t *rank;    // of two, the lower one owns their pair: dynamic ones, then others
    PhGridTight *tight;
    float pace;  // of tight ones: that few exceed
    float doubt; // how much of a distance of two tight ones may be rounding; < 0: there are none
} PhGridItems;
#define PH_GRID_DYNAMIC 0x80000000u
#define PH_GRID_ENLARGED 0x40000000u // of those alone whose pairs are searched
#define PH_GRID_LOWEST INT32_MIN     // below all ranks
enum { PH_GRID_SPARE = 16 };

// Items first .. last - 1, those of a row alone if mask is not 0; other rows may share their
// buckets.
typedef struct PhGridRun {
    uint32_t first, last, row, mask;
} PhGridRun;

typedef struct PhDisplacementField PhDisplacementField;

// Per instruction set, with the same answers. All may write up to PH_GRID_SPARE rows beyond.
typedef struct PhGridKernels {
    // Boxes of the items, and their size classes: 0 for a huge box, which has no cell, and
    // PH_GRID_NONE where the predicted AABB is none. Tight ones only if doubt was not negative, and
    // then how much it is.
    void (*spread)(const PhProxies *proxies, const PhDisplacementField *displacements,
                   PhGridItems *items, uint32_t count, uint32_t *class);
    // Lists the items of the runs that item i is near, but those of its family. Returns how many.
    uint32_t (*scan)(const PhGridItems *items, const PhProxies *proxies, uint32_t i,
                     const PhGridRun *runs, uint32_t count, uint32_t *hit);
    // Of an item that is dynamic, those that it owns a pair with, if they may collide at all.
    uint32_t (*scan_owned)(const PhGridItems *items, const PhProxies *proxies, uint32_t i,
                           const PhGridRun *runs, uint32_t count, uint32_t *hit);
    // Makes pairs of item i with each item of a list, but where both are of one body or none is
    // dynamic, and but with enlarged ones up to itself. Lanes behind the end of the list hold items
    // too.
    uint32_t (*pair)(const PhGridItems *items, uint32_t i, const uint32_t *hit, uint32_t count,
                     PhRawPair *to);
    // Lists those of a list of proxies that may have something of a distance grid within reach, as
    // ph_distance_grid_sample says of their ph_reach_box. Returns how many.
    uint32_t (*distance_grid)(const PhProxies *proxies, const PhDistanceGrid *distance_grid,
                              const uint32_t *list, uint32_t count, uint32_t *near);
    // Marks the pairs of item i, their owner, with each item of a list that a run of the sorted
    // pair list has, and makes pairs of the others. Lanes behind the end of the list hold items
    // too. Returns how many.
    uint32_t (*enter)(const PhGridItems *items, uint32_t i, const uint32_t *hit, uint32_t count,
                      const PhPairList *list, uint32_t first, uint32_t last, uint8_t *seen,
                      PhRawPair *to);
    // Marks the pairs that a sorted list has, whose owners' runs begin at start, and keeps the
    // others in place. Returns how many.
    uint32_t (*mark)(const PhPairList *list, const uint32_t *start, PhRawPair *raw, uint32_t count,
                     uint8_t *seen);
} PhGridKernels;
extern const PhGridKernels ph_grid_plain, ph_grid_avx2; // the latter on x86-64 only
enum { PH_GRID_NONE = UINT32_MAX };

typedef struct PhGrid {
    PhGridItems fresh;          // in order of the proxies
    PhGridItems item;           // sorted by bucket
    uint32_t *level_of, *place; // of the fresh ones: size class, then level; bucket
    uint32_t item_count, item_capacity;
    bool open;     // no filter keeps two of them apart
    bool full;     // pairs of all of them are searched
    uint32_t *hit; // items that one item is near, of all levels each once at most
    uint32_t hit_count;
    uint32_t *start; // items of bucket k: start[k] .. start[k + 1]
    uint32_t *huge;  // proxies whose box is infinite or out of any cell's range
    uint32_t huge_count;
    uint32_t level_count;
    uint32_t asked[PH_GRID_LEVELS]; // other levels in which those of one look
    uint32_t asked_count;
    PhGridLevel level[PH_GRID_LEVELS];   // non-empty ones, fine to coarse
    uint32_t population[PH_GRID_LEVELS]; // all zero between calls
} PhGrid;

// Whose pairs a search finds.
typedef enum PhSearch {
    PH_SEARCH_ENLARGED, // those of enlarged proxies
    PH_SEARCH_MOVING,   // those of all that moves
    PH_SEARCH_ALL,
} PhSearch;

// Of the search across periodic boundaries (periodic_pairs.c): boxes of what proxies may reach,
// moved into the plane.
typedef struct PhPeriodic {
    PhAabb *box;
    uint32_t *proxy;
    PhVec2 *offset; // by which they were moved
    PhBvhItem *item;
    uint32_t count, capacity;
    PhBvh bvh; // of those that come to a periodic boundary, by place in the columns
} PhPeriodic;

typedef struct PhBroadScratch {
    const PhStop *stop; // NULL: the search runs to its end
    PhRawPairs raw;
    PhPeriodic periodic;
    PhGrid grid;
    PhBvh fixed;                  // of the static proxies, for the grid backend
    PhDistanceGrid distance_grid; // of the same
    PhBvhItem *fixed_item;        // scratch of building either
    bool fixed_stale;
    PhAabbTree tree; // tree backend: of all proxies; grid: of those that rest and are not static
    uint32_t *leaf;  // by proxy; PH_NULL when it has none
    uint32_t leaf_count;
    bool rest_stale;         // grid: boxes in the tree may be out of date
    bool roster_stale;       // grid: others may rest than are in the tree
    const PhPairList *known; // whose runs and marks a search of all that moves goes by, or NULL
    uint32_t *start;         // by proxy: of its run in the pair list
    uint64_t *key;           // pairs as numbers, and as many for sorting them
    uint8_t *seen;           // by pair of the old list: found again
    uint32_t *gone;          // numbers of the pairs that were not
    uint32_t seen_capacity;
} PhBroadScratch;

// Raw pairs as numbers, owner above, other below, in order. There is room for twice as many keys.
void ph_sort_raw(const PhRawPairs *raw, uint64_t *key, uint32_t proxies);
PhStatus ph_grow_list(PhPairList *list, uint64_t pairs);
// Takes out the pairs of bodies that never have one, and those that the sieve does not let through.
PhStatus ph_drop_refused(const PhBroad *broad, PhRawPairs *raw, const PhProxies *proxies);
void ph_end_pair(PhBroad *broad, const PhPairList *list, uint32_t k); // it leaves the list
// To be called before the search: what it finds in the old list it may mark there, and not append.
PhStatus ph_patch_begin(PhBroad *broad, const PhProxies *proxies, PhSearch what, PhPairList *old);
// Makes `list` of an old one and the raw pairs: without those pairs that were searched and not
// found, with those that are new. *patched is false, and the list not made, where that changes
// nothing. On failure nothing has changed.
PhStatus ph_patch_pairs(PhBroad *broad, const PhProxies *proxies, const PhGridKernels *kernels,
                        PhSearch what, PhPairList *old, PhPairList *list, bool *patched);

PhStatus ph_grid_build(PhGrid *grid, const PhProxies *proxies, const PhGridKernels *kernels,
                       PhSearch what, const PhStop *stop);
PhStatus ph_grid_search(PhBroadScratch *scratch, const PhProxies *proxies,
                        const PhGridKernels *kernels, PhSearch what);
void ph_grid_free(PhGrid *grid);

static inline int64_t ph_grid_cell(float x, double inv_cell) {
    double cell = (double)x * inv_cell; // |cell| <= 2^41, see the classes of boxes
    int64_t whole = (int64_t)cell;
    return whole - ((double)whole > cell);
}
// The same where the box may be of another level, any number of cells away: those beyond 2^52,
// where no item is, are taken as that far.
static inline int64_t ph_grid_cell_beyond(float x, double inv_cell) {
    double cell = (double)x * inv_cell;
    cell = cell < 0x1p52 ? cell : 0x1p52;
    return (int64_t)floor(cell > -0x1p52 ? cell : -0x1p52);
}
static inline int64_t ph_grid_column(const PhGridLevel *level, float x) {
    return ph_grid_cell(x, PH_GRID_COLUMNS * level->inv_cell);
}
static inline uint32_t ph_grid_bucket(const PhGridLevel *level, int64_t x, int64_t y) {
    return level->first + (((uint32_t)y * level->stride + (uint32_t)x) & level->mask);
}

// Living in the static hierarchy or moving through the grid; other proxies have no pairs.
static inline bool ph_proxy_takes_part(const PhProxies *proxies, uint32_t p) {
    const uint32_t need = PH_PROXY_ALIVE | PH_PROXY_ENABLED;
    return (proxies->flags[p] & need) == need && ph_is_box(proxies->predicted[p]);
}
static inline bool ph_proxy_is_fixed(const PhProxies *proxies, uint32_t p) {
    return (proxies->flags[p] & (PH_PROXY_STATIC | PH_PROXY_DYNAMIC)) == PH_PROXY_STATIC;
}

// What a proxy may reach on the steps for which it holds when it does not know which it meets: with
// a little for rounding, the boxes of two that are near overlap then.
static inline PhAabb ph_reach_box(const PhProxies *proxies, uint32_t p) {
    PhReach reach = proxies->reach[p];
    PhAabb box = proxies->predicted[p];
    double displacement = sqrt(reach.x * reach.x + reach.y * reach.y) + reach.slack;
    double steps = proxies->left[p] == PH_LEFT_FOREVER ? 0 : proxies->left[p];
    if (steps > 0) {
        double x = steps * reach.x, y = steps * reach.y;
        *(x < 0 ? &box.lower.x : &box.upper.x) += x;
        *(y < 0 ? &box.lower.y : &box.upper.y) += y;
    }
    return ph_grow(box, 1.000001 * (displacement < reach.limit ? displacement : reach.limit) +
                            1e-12 * (fabs(reach.x) + fabs(reach.y)));
}

static inline double ph_reach_of(PhReach r, PhReach s) {
    double limit = r.limit < s.limit ? r.limit : s.limit;
    double x = s.x - r.x, y = s.y - r.y;
    double reach = sqrt(x * x + y * y) + (r.slack + s.slack);
    return reach < limit ? reach : limit;
}

// Whether two predicted AABBs come within reach of each other on the steps for which both hold:
// boxes grown by the reach, one of which is swept by their relative displacement, are kept
// apart by neither axis nor by the line of that displacement. What is not a number keeps nothing
// apart. The lanes of scan_source.h do the same.
static inline bool ph_boxes_near(PhAabb p, PhReach r, PhAabb q, PhReach s, uint32_t steps) {
    double x = s.x - r.x, y = s.y - r.y, n = (double)steps, reach = ph_reach_of(r, s);
    double left = q.lower.x - p.upper.x, right = p.lower.x - q.upper.x;
    double below = q.lower.y - p.upper.y, above = p.lower.y - q.upper.y;
    if (steps == 0) {
        return !(left > reach || right > reach || below > reach || above > reach);
    }
    double on_x = n * x, on_y = n * y;
    if (left + (on_x < 0 ? on_x : 0) > reach || right - (on_x > 0 ? on_x : 0) > reach ||
        below + (on_y < 0 ? on_y : 0) > reach || above - (on_y > 0 ? on_y : 0) > reach) {
        return false;
    }
    double across = (left - right) * y - (below - above) * x;
    double size = (2 * reach - (left + right)) * fabs(y) + (2 * reach - (below + above)) * fabs(x);
    return !(fabs(across) > size);
}
static inline uint32_t ph_steps_of(const PhProxies *proxies, uint32_t a, uint32_t b) {
    return proxies->left[a] < proxies->left[b] ? proxies->left[a] : proxies->left[b];
}
// Whether the slab of a long proxy keeps it further apart from a box than two reach, in this step.
static inline bool ph_slab_parts(const PhProxies *proxies, uint32_t p, uint32_t q) {
    const uint32_t need = PH_PROXY_LONG | PH_PROXY_MOVES;
    if ((proxies->flags[p] & need) != need) {
        return false;
    }
    const PhSlab slab = proxies->slab[p];
    const PhAabb box = proxies->predicted[q];
    double x = box.lower.x + box.upper.x, y = box.lower.y + box.upper.y;
    double middle = 0.5 * (slab.x * x + slab.y * y);
    double half = 0.5 * (fabs(slab.x) * (box.upper.x - box.lower.x) +
                         fabs(slab.y) * (box.upper.y - box.lower.y));
    double above = middle - half - slab.high, below = slab.low - middle - half;
    double gap = above > below ? above : below;
    return gap > proxies->reach[q].limit || gap > ph_reach_of(proxies->reach[p], proxies->reach[q]);
}

// Whether two proxies are near for as long as both hold: by their boxes, and where they hold for
// this step alone, in short-horizon mode, by slabs.
static inline bool ph_near(const PhProxies *proxies, uint32_t a, uint32_t b) {
    if (proxies->slabs && (proxies->flags[a] | proxies->flags[b]) & PH_PROXY_LONG &&
        ph_steps_of(proxies, a, b) == 0 &&
        (ph_slab_parts(proxies, a, b) || ph_slab_parts(proxies, b, a))) {
        return false;
    }
    return ph_boxes_near(proxies->predicted[a], proxies->reach[a], proxies->predicted[b],
                         proxies->reach[b], ph_steps_of(proxies, a, b));
}

static inline bool ph_filter(const PhProxies *proxies, uint32_t a, uint32_t b) {
    const uint32_t need = PH_PROXY_ALIVE | PH_PROXY_ENABLED;
    uint32_t fa = proxies->flags[a], fb = proxies->flags[b];
    if ((fa & fb & need) != need || !((fa | fb) & PH_PROXY_DYNAMIC) ||
        proxies->body[a] == proxies->body[b]) {
        return false;
    }
    return ph_filters_agree(ph_filter_of_proxy(proxies, a), ph_filter_of_proxy(proxies, b));
}

// To be asked for each item of a search: now and then whether it is to be given up.
enum { PH_SEARCH_PORTION = 64 };
static inline PhStatus ph_search_goes_on(const PhBroadScratch *scratch, uint32_t item) {
    bool asks = item % PH_SEARCH_PORTION == PH_SEARCH_PORTION - 1;
    return asks && ph_stop_wanted(scratch->stop) ? PH_ERROR_STOPPED : PH_OK;
}

static inline PhStatus ph_raw_reserve(PhRawPairs *raw, uint64_t more) {
    if (PH_CAPACITY(raw->pair) - raw->count >= more) {
        return PH_OK;
    }
    if (raw->count > raw->most) {
        return PH_ERROR_CAPACITY;
    }
    return PH_RESERVE(raw->pair, raw->count + more);
}

// Whether the search has to begin with this one, which takes part.
static inline bool ph_is_sought(const PhProxies *proxies, uint32_t p, PhSearch what) {
    uint32_t flags = proxies->flags[p];
    return what == PH_SEARCH_ENLARGED ? (flags & PH_PROXY_ENLARGED) != 0
           : what == PH_SEARCH_MOVING ? (flags & PH_PROXY_MOVES) != 0
                                      : !ph_proxy_is_fixed(proxies, p);
}

// In the tree, those that are near a proxy.
typedef struct PhTreeSearch {
    PhRawPairs *raw;
    const PhProxies *proxies;
    uint32_t proxy;
    PhSearch what; // of two that are sought, the lower one finds their pair
    PhStatus status;
} PhTreeSearch;
bool ph_tree_found(void *context, uint32_t leaf, uint64_t data);

// Room is reserved. Keeps the pair if it may collide.
static inline void ph_raw_add(PhRawPairs *raw, const PhProxies *proxies, uint32_t a, uint32_t b) {
    uint32_t dynamic_a = proxies->flags[a] & PH_PROXY_DYNAMIC;
    uint32_t dynamic_b = proxies->flags[b] & PH_PROXY_DYNAMIC;
    bool a_owns = dynamic_a == dynamic_b ? a < b : dynamic_a != 0;
    raw->pair[raw->count] = (PhRawPair){a_owns ? a : b, a_owns ? b : a};
    raw->count += ph_filter(proxies, a, b);
}

#endif

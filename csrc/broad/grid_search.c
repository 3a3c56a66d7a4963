// Pairs by the grid: of one item with those around it, of its own level and of the others, with the
// static ones and with those that rest.
//
// Invariant: each pair is found once. When pairs of all are searched, an item finds those that it
// owns in its level if they can be marked in the old list, else those with lower items; and two
// levels agree which of them asks. When those of enlarged proxies are, each of them searches all
// around, and of two the lower one finds the pair.
#include "broad/backends.h"

// Some runs to scan for one item. A row of cells gives two where it goes round the end of the
// table; a level of few items is one.
enum { FEW_ROWS = 4 };
typedef struct Runs {
    PhGridRun run[2 * FEW_ROWS + PH_GRID_LEVELS];
    uint32_t count;
} Runs;

static inline void add_run(Runs *runs, uint32_t first, uint32_t last, uint32_t row) {
    runs->run[runs->count++] = (PhGridRun){first, last, row, UINT32_MAX};
}

// Buckets of a row from `begin` on, no more than there are.
static inline void add_row(Runs *runs, const PhGridLevel *level, const uint32_t *start,
                           uint32_t begin, uint32_t columns, uint32_t row) {
    uint32_t end = begin + columns, limit = level->first + level->mask + 1;
    if (end > limit) {
        add_run(runs, start[level->first], start[level->first + (end - limit)], row);
        end = limit;
    }
    add_run(runs, start[begin], start[end], row);
}

static inline PhGridRun all_of(const PhGridLevel *level) {
    return (PhGridRun){level->item, level->item + level->count, 0, 0};
}

// The first column of items that may overlap a box from x0 on: those that begin at most a cell
// before it.
static inline int64_t first_column(const PhGridLevel *level, float x0) {
    return ph_grid_column(level, x0) - PH_GRID_COLUMNS;
}

// Neighbours of item i in its own level: in three rows of cells; or in the lower half of them, the
// row below and its own one up to itself.
static inline void add_own_level(Runs *runs, const PhGrid *grid, const PhGridLevel *level,
                                 uint32_t i) {
    const uint32_t *start = grid->start;
    uint32_t last = level->item + level->count;
    if (level->mask == 0) {
        add_run(runs, level->item, grid->full ? i : last, 0);
        return;
    }
    int64_t x = first_column(level, grid->item.x0[i]);
    int64_t y = ph_grid_cell(grid->item.y0[i], level->inv_cell);
    uint32_t columns = (uint32_t)(ph_grid_column(level, grid->item.x1[i]) - x) + 1;
    add_row(runs, level, start, ph_grid_bucket(level, x, y - 1), columns, (uint32_t)(y - 1));
    if (!grid->full) {
        add_row(runs, level, start, ph_grid_bucket(level, x, y), columns, (uint32_t)y);
        add_row(runs, level, start, ph_grid_bucket(level, x, y + 1), columns, (uint32_t)(y + 1));
        return;
    }
    uint32_t left = ph_grid_bucket(level, x, y);
    if (start[left] > i) { // round the end of the table
        add_run(runs, start[left], last, (uint32_t)y);
        left = level->first;
    }
    add_run(runs, start[left], i, (uint32_t)y);
}

// Which of two levels looks for its items' neighbours in the other: few large boxes among many
// small ones do it themselves.
static bool coarse_asks(const PhGridLevel *fine, const PhGridLevel *coarse) {
    double rows = fine->inv_cell / coarse->inv_cell + 3;
    rows = fine->mask == 0 ? 1 : rows;
    return coarse->count * rows * (1 + rows / 16) < 3.0 * fine->count;
}

static void list_asked(PhGrid *grid, uint32_t l) {
    grid->asked_count = 0;
    for (uint32_t k = 0; k < grid->level_count; k++) {
        const PhGridLevel *own = &grid->level[l], *other = &grid->level[k];
        bool asks = !grid->full || (k < l ? coarse_asks(other, own) : !coarse_asks(own, other));
        if (k != l && asks) {
            grid->asked[grid->asked_count++] = k;
        }
    }
}

// Scans what item i is near in another level of cells, which begin at most one cell before the box.
static void scan_level(PhGrid *grid, const PhProxies *proxies, const PhGridKernels *kernels,
                       const PhGridLevel *level, uint32_t i) {
    const PhGridItems *item = &grid->item;
    int64_t y = ph_grid_cell_beyond(item->y0[i], level->inv_cell) - 1;
    int64_t last_y = ph_grid_cell_beyond(item->y1[i], level->inv_cell);
    if (last_y - y > 16 + level->count / 8) { // all of them
        const PhGridRun run = all_of(level);
        grid->hit_count += kernels->scan(item, proxies, i, &run, 1, grid->hit + grid->hit_count);
        return;
    }
    const double inv_column = PH_GRID_COLUMNS * level->inv_cell;
    int64_t x = ph_grid_cell_beyond(item->x0[i], inv_column) - PH_GRID_COLUMNS;
    int64_t columns = ph_grid_cell_beyond(item->x1[i], inv_column) - x + 1;
    columns = columns <= level->mask ? columns : (int64_t)level->mask + 1;
    Runs runs;
    while (y <= last_y) {
        runs.count = 0;
        for (int k = 0; k < FEW_ROWS && y <= last_y; k++, y++) {
            uint32_t before = runs.count;
            add_row(&runs, level, grid->start, ph_grid_bucket(level, x, y), (uint32_t)columns,
                    (uint32_t)y);
            while (runs.count > before &&
                   runs.run[runs.count - 1].first == runs.run[runs.count - 1].last) {
                runs.count--; // most are empty
            }
        }
        if (runs.count > 0) {
            grid->hit_count +=
                kernels->scan(item, proxies, i, runs.run, runs.count, grid->hit + grid->hit_count);
        }
    }
}

static PhStatus scan_fixed(const PhBroadScratch *scratch, const PhProxies *proxies, uint32_t p,
                           PhAabb box, PhRawPairs *raw) {
    const PhBvh *bvh = &scratch->fixed;
    PhDistanceGridSpan in = ph_distance_grid_sample(&scratch->distance_grid, bvh, box);
    for (uint32_t k = ph_bvh_next_before(bvh, box, in.first, in.end); k < in.end;
         k = ph_bvh_next_before(bvh, box, k + 1, in.end)) {
        uint32_t other = bvh->node[k].id;
        if (other >= proxies->count || !ph_proxy_is_fixed(proxies, other) ||
            !ph_near(proxies, p, other)) {
            continue; // or no longer what it was when the hierarchy was built
        }
        PhStatus status = ph_raw_reserve(raw, 1);
        if (status) {
            return status;
        }
        ph_raw_add(raw, proxies, p, other);
    }
    return PH_OK;
}

// What does not move, around a proxy.
static PhStatus scan_still(PhBroadScratch *scratch, const PhProxies *proxies, uint32_t p,
                           PhSearch what, bool resting) {
    bool fixed = scratch->fixed.count > 0 && proxies->flags[p] & PH_PROXY_DYNAMIC;
    PhAabb box = ph_reach_box(proxies, p);
    PhStatus status = fixed ? scan_fixed(scratch, proxies, p, box, &scratch->raw) : PH_OK;
    if (!status && resting) {
        PhTreeSearch search = {&scratch->raw, proxies, p, what, PH_OK};
        ph_tree_query(&scratch->tree, box, ph_tree_found, &search);
        status = search.status;
    }
    return status;
}

// Makes pairs with item i of the hits that may collide with it.
static PhStatus settle(PhGrid *grid, const PhGridKernels *kernels, const PhProxies *proxies,
                       uint32_t i, PhRawPairs *raw) {
    PhStatus status = ph_raw_reserve(raw, (uint64_t)grid->hit_count + PH_GRID_SPARE);
    if (status) {
        return status;
    }
    const PhGridItems *item = &grid->item;
    if (grid->open) {
        raw->count += kernels->pair(item, i, grid->hit, grid->hit_count, raw->pair + raw->count);
        return PH_OK;
    }
    for (uint32_t k = 0; k < grid->hit_count; k++) {
        uint32_t j = grid->hit[k];
        if (j > i || !(item->owner[j] & PH_GRID_ENLARGED)) {
            ph_raw_add(raw, proxies, item->proxy[i], item->proxy[j]);
        }
    }
    return PH_OK;
}

// Pairs that items first .. last - 1 of a bucket own in their level: those of the old list are
// marked there.
static PhStatus search_bucket(PhBroadScratch *scratch, const PhProxies *proxies,
                              const PhGridKernels *kernels, const Runs *runs, uint32_t first,
                              uint32_t last) {
    PhGrid *grid = &scratch->grid;
    const PhGridItems *item = &grid->item;
    PhRawPairs *raw = &scratch->raw;
    for (uint32_t i = first; i < last; i++) {
        if (!(item->owner[i] & PH_GRID_DYNAMIC)) {
            continue; // owns none
        }
        uint32_t count = kernels->scan_owned(item, proxies, i, runs->run, runs->count, grid->hit);
        PhStatus status = ph_search_goes_on(scratch, i);
        status = status ? status : ph_raw_reserve(raw, (uint64_t)count + PH_GRID_SPARE);
        if (status) {
            return status;
        }
        const uint32_t *start = scratch->start + item->proxy[i];
        PhRawPair *to = raw->pair + raw->count;
        count = kernels->enter(item, i, grid->hit, count, scratch->known, start[0], start[1],
                               scratch->seen, to);
        for (uint32_t k = 0; k < count; k++) {
            raw->pair[raw->count] = to[k];
            raw->count += ph_filter(proxies, to[k].owner, to[k].other);
        }
    }
    return PH_OK;
}

// Those of all buckets of a level.
static PhStatus search_buckets(PhBroadScratch *scratch, const PhProxies *proxies,
                               const PhGridKernels *kernels, const PhGridLevel *level) {
    enum { COLUMNS = 2 * PH_GRID_COLUMNS + 1 }; // none reaches further than a cell
    const uint32_t *start = scratch->grid.start;
    PhStatus status = PH_OK;
    Runs runs;
    if (level->mask == 0) {
        runs.run[0] = all_of(level);
        runs.count = 1;
        return search_bucket(scratch, proxies, kernels, &runs, level->item,
                             level->item + level->count);
    }
    for (uint32_t k = 0; k <= level->mask && !status; k++) {
        uint32_t first = start[level->first + k], last = start[level->first + k + 1];
        if (first == last) {
            continue;
        }
        runs.count = 0;
        for (uint32_t row = 0; row < 3; row++) {
            uint32_t begin = k - PH_GRID_COLUMNS + (row - 1) * level->stride;
            add_row(&runs, level, start, level->first + (begin & level->mask), COLUMNS, 0);
        }
        status = search_bucket(scratch, proxies, kernels, &runs, first, last);
    }
    return status;
}

// Pairs of item i of level l with the items of its own level, if they are not marked, and with
// those of others as agreed with them.
static PhStatus search_item(PhBroadScratch *scratch, const PhProxies *proxies,
                            const PhGridKernels *kernels, uint32_t l, uint32_t i) {
    PhGrid *grid = &scratch->grid;
    Runs runs;
    runs.count = 0;
    if (!scratch->known) {
        add_own_level(&runs, grid, &grid->level[l], i);
    }
    for (uint32_t k = 0; k < grid->asked_count; k++) {
        const PhGridLevel *level = &grid->level[grid->asked[k]];
        if (level->mask == 0) {
            runs.run[runs.count++] = all_of(level);
        }
    }
    grid->hit_count = kernels->scan(&grid->item, proxies, i, runs.run, runs.count, grid->hit);
    for (uint32_t k = 0; k < grid->asked_count; k++) {
        const PhGridLevel *level = &grid->level[grid->asked[k]];
        if (level->mask != 0) {
            scan_level(grid, proxies, kernels, level, i);
        }
    }
    PhStatus status = ph_search_goes_on(scratch, i);
    return status ? status : settle(grid, kernels, proxies, i, &scratch->raw);
}

// Pairs of a huge proxy, with enlarged proxies alone if it is none itself.
static PhStatus search_huge(PhBroadScratch *scratch, const PhProxies *proxies, PhSearch what,
                            uint32_t which) {
    const PhGrid *grid = &scratch->grid;
    PhRawPairs *raw = &scratch->raw;
    uint32_t p = grid->huge[which];
    bool sought = ph_is_sought(proxies, p, what);
    PhStatus status = ph_search_goes_on(scratch, which);
    status = status ? status : ph_raw_reserve(raw, (uint64_t)grid->item_count + which);
    if (status) {
        return status;
    }
    for (uint32_t j = 0; j < grid->item_count + which; j++) {
        uint32_t q = j < grid->item_count ? grid->item.proxy[j] : grid->huge[j - grid->item_count];
        if ((sought || ph_is_sought(proxies, q, what)) && ph_near(proxies, p, q)) {
            ph_raw_add(raw, proxies, p, q);
        }
    }
    return PH_OK;
}

// Pairs of those that are sought with what does not move; in the order in which they lie in memory.
static PhStatus search_still(PhBroadScratch *scratch, const PhProxies *proxies,
                             const PhGridKernels *kernels, PhSearch what) {
    bool resting = what != PH_SEARCH_ALL && scratch->tree.leaf_count > 0;
    if (scratch->fixed.count == 0 && !resting) {
        return PH_OK;
    }
    PhStatus status = PH_OK;
    const uint32_t *list = what == PH_SEARCH_ENLARGED ? proxies->enlarged : proxies->moving;
    uint32_t count = what == PH_SEARCH_ENLARGED ? proxies->enlarged_count
                     : what == PH_SEARCH_MOVING ? proxies->moving_count
                                                : proxies->count;
    const PhDistanceGrid *distance_grid = &scratch->distance_grid;
    if (what != PH_SEARCH_ALL && !resting && distance_grid->columns > 0) {
        count = kernels->distance_grid(proxies, distance_grid, list, count, scratch->grid.hit);
        list = scratch->grid.hit;
    }
    for (uint32_t k = 0; k < count && !status; k++) {
        uint32_t p = what == PH_SEARCH_ALL ? k : list[k];
        status = ph_search_goes_on(scratch, k);
        if (!status && ph_proxy_takes_part(proxies, p) && !ph_proxy_is_fixed(proxies, p)) {
            status = scan_still(scratch, proxies, p, what, resting);
        }
    }
    return status;
}

PhStatus ph_grid_search(PhBroadScratch *scratch, const PhProxies *proxies,
                        const PhGridKernels *kernels, PhSearch what) {
    PhGrid *grid = &scratch->grid;
    PhStatus status = ph_grid_build(grid, proxies, kernels, what, scratch->stop);
    for (uint32_t l = 0; l < grid->level_count && !status; l++) {
        const PhGridLevel *level = &grid->level[l];
        list_asked(grid, l);
        if (scratch->known) {
            status = search_buckets(scratch, proxies, kernels, level);
            if (grid->asked_count == 0) {
                continue;
            }
        }
        for (uint32_t i = level->item; i < level->item + level->count && !status; i++) {
            if (grid->full || grid->item.owner[i] & PH_GRID_ENLARGED) {
                status = search_item(scratch, proxies, kernels, l, i);
            }
        }
    }
    for (uint32_t h = 0; h < grid->huge_count && !status; h++) {
        status = search_huge(scratch, proxies, what, h);
    }
    return status ? status : search_still(scratch, proxies, kernels, what);
}

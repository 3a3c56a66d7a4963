// Pairs of moving boxes by a grid of hashed rows with size levels.
//
// A box lives in one cell: that of its lower corner, at the level whose cell is the smallest one
// longer than its longer side; cells grow by the factor 4 from level to level. Bucket of a cell:
// (hash(y) + x) & mask, so that neighbours in x stay neighbours in an unbounded world, and one
// counting sort puts the boxes of a row of cells side by side.
//
// The boxes meant here are the fat ones, grown by what each can reach against the field of ways.
//
// Invariant: boxes of one level that overlap are in the same cell or in neighbouring ones. Cells
// are long enough that this survives rounding: coordinates are at most 2^40 cells (far boxes go to
// coarser levels), so a cell number is wrong by less than 2^-12, and sides are shorter than a cell
// by a factor of 1.002.
//
// Sources: M. Teschner et al., "Optimized Spatial Hashing for Collision Detection of Deformable
// Objects" (2003); C. Ericson, "Real-Time Collision Detection" (2005), 7.2 hierarchical hash grids.
#include <string.h>

#include "base/columns.h"
#include "broad/backends.h"

enum { FEW_ITEMS = 8 }; // of a level: not worth any cells
enum { SAMPLE = 512 };  // proxies that tell of the ways of all

#define SMALLEST_SIDE 1e-200
#define LARGEST 1e200
#define CELL_SLACK 1.002
#define MAX_CELLS 0x1p40

// Number of the step [2^e (1 + k / 8), 2^e (1 + (k + 1) / 8)) that a positive finite side is in;
// rises with the side.
static inline uint32_t size_class(double side) {
    uint64_t bits;
    memcpy(&bits, &side, sizeof bits);
    return (uint32_t)(bits >> 49);
}

static inline double size_of_class(uint32_t class) {
    uint64_t bits = (uint64_t) class << 49;
    double side;
    memcpy(&side, &bits, sizeof side);
    return side;
}

// Class of the side that a cell has to exceed; 0 for a huge box, which has no cell.
static inline uint32_t class_of_box(PhAabb box) {
    double w = box.upper.x - box.lower.x, h = box.upper.y - box.lower.y;
    double side = w > h ? w : h;
    double far_x = fabs(box.lower.x) > fabs(box.upper.x) ? fabs(box.lower.x) : fabs(box.upper.x);
    double far_y = fabs(box.lower.y) > fabs(box.upper.y) ? fabs(box.lower.y) : fabs(box.upper.y);
    double far = far_x > far_y ? far_x : far_y;
    if (!(far < LARGEST)) {
        return 0;
    }
    side *= CELL_SLACK;
    side = side > far * (1 / MAX_CELLS) ? side : far * (1 / MAX_CELLS);
    return size_class(side > SMALLEST_SIDE ? side : SMALLEST_SIDE);
}

// The grid starts its levels where the boxes fill their cells best: cost is the sum of cell areas
// in units of box areas.
static uint32_t choose_phase(const uint32_t histogram[PH_GRID_PHASES]) {
    uint32_t best = 0;
    double best_cost = INFINITY;
    for (uint32_t phase = 0; phase < PH_GRID_PHASES; phase++) {
        double cost = 0;
        for (uint32_t k = 0; k < PH_GRID_PHASES; k++) {
            if (histogram[k] == 0) {
                continue;
            }
            uint32_t steps = (phase - k - 1) % PH_GRID_PHASES + 1;
            double ratio = size_of_class(1024 * PH_GRID_STEPS + k + steps) /
                           size_of_class(1024 * PH_GRID_STEPS + k);
            cost += histogram[k] * ratio * ratio;
        }
        if (cost < best_cost) {
            best_cost = cost;
            best = phase;
        }
    }
    return best;
}

static inline PhVec2 middle_of(PhAabb box) {
    return (PhVec2){0.5 * (box.lower.x + box.upper.x), 0.5 * (box.lower.y + box.upper.y)};
}

// Two proxies of the grid are near only if these boxes overlap, whatever the field of ways that is
// taken from all ways: what falls or turns together has small boxes.
//
// The ways of two differ by no more than what each differs from the field plus the spin times the
// distance of their middles, which is at most both half sides (each the sum of the two axes) plus
// sqrt 2 times the gap. Solved for the gap, each has its share. The last term is for rounding.
static inline PhAabb box_among_movers(const PhWays *ways, PhAabb fat, PhReach reach) {
    PhVec2 middle = middle_of(fat);
    double x = middle.x - ways->middle.x, y = middle.y - ways->middle.y;
    double field_x = ways->mean.x - ways->spin * y, field_y = ways->mean.y + ways->spin * x;
    double size = 0.5 * (fat.upper.x - fat.lower.x + (fat.upper.y - fat.lower.y));
    double rounding = fabs(reach.x) + fabs(reach.y) + fabs(ways->mean.x) + fabs(ways->mean.y) +
                      fabs(ways->spin) * (fabs(x) + fabs(y));
    reach.x -= field_x;
    reach.y -= field_y;
    reach.slack += fabs(ways->spin) * size + 1e-14 * rounding;
    double way = (sqrt(reach.x * reach.x + reach.y * reach.y) + reach.slack) * ways->share;
    return ph_grow(fat, 1.000001 * (way < reach.limit ? way : reach.limit));
}

// The turning field that is nearest to the ways of what moves, of a sample that is enough.
static PhWays fit_ways(const PhProxies *proxies) {
    double n = 0, x = 0, y = 0, way_x = 0, way_y = 0, turn = 0, square = 0;
    PhVec2 origin =
        proxies->moving_count > 0 ? middle_of(proxies->fat[proxies->moving[0]]) : (PhVec2){0, 0};
    uint32_t stride = 1 + proxies->moving_count / SAMPLE;
    for (uint32_t k = 0; k < proxies->moving_count; k += stride) {
        uint32_t p = proxies->moving[k];
        PhReach reach = proxies->reach[p];
        PhVec2 r = ph_sub(middle_of(proxies->fat[p]), origin);
        if (fabs(r.x) + fabs(r.y) + fabs(reach.x) + fabs(reach.y) < 1e30) {
            n++;
            x += r.x;
            y += r.y;
            way_x += reach.x;
            way_y += reach.y;
            turn += r.x * reach.y - r.y * reach.x;
            square += r.x * r.x + r.y * r.y;
        }
    }
    if (n == 0) {
        return (PhWays){.share = 1};
    }
    double spin = (turn - (x * way_y - y * way_x) / n) / (square - (x * x + y * y) / n);
    spin = fabs(spin) < 0.2 ? spin : 0; // not when it is not a number
    return (PhWays){
        .mean = {way_x / n, way_y / n},
        .middle = {origin.x + x / n, origin.y + y / n},
        .spin = spin,
        .share = 1 / (1 - 1.415 * fabs(spin)),
    };
}

// Lists the moving proxies, or all that are not static, with their size classes.
static PhStatus collect(PhGrid *grid, const PhProxies *proxies, bool all, uint32_t *phase) {
    uint32_t candidates = all ? proxies->count : proxies->moving_count;
    PhGridItems *item = &grid->item;
    const PhColumn columns[] = {
        {&grid->proxy, sizeof *grid->proxy},   {&grid->bucket, sizeof *grid->bucket},
        {&grid->below, sizeof *grid->below},   {&grid->row, sizeof *grid->row},
        {&grid->size, sizeof *grid->size},     {&grid->box, sizeof *grid->box},
        {&grid->hit, sizeof *grid->hit},       {&item->x0, sizeof *item->x0},
        {&item->y0, sizeof *item->y0},         {&item->x1, sizeof *item->x1},
        {&item->y1, sizeof *item->y1},         {&item->row, sizeof *item->row},
        {&item->bucket, sizeof *item->bucket}, {&item->below, sizeof *item->below},
        {&item->proxy, sizeof *item->proxy},   {&item->owner, sizeof *item->owner}};
    PhStatus status = ph_grow_columns(columns, sizeof columns / sizeof columns[0],
                                      &grid->item_capacity, (uint64_t)candidates + PH_GRID_SPARE);
    if (status) {
        return status;
    }
    uint32_t histogram[PH_GRID_PHASES] = {0}, count = 0;
    uint64_t category = UINT64_MAX, mask = UINT64_MAX;
    int32_t group = 0;
    grid->huge_count = 0;
    const PhWays ways = fit_ways(proxies);
    grid->ways = ways;
    item->fat = proxies->fat;
    item->reach = proxies->reach;
    for (uint32_t k = 0; k < candidates; k++) {
        uint32_t p = all ? k : proxies->moving[k];
        if (!ph_proxy_takes_part(proxies, p) || ph_proxy_is_fixed(proxies, p)) {
            continue;
        }
        PhAabb box = box_among_movers(&ways, proxies->fat[p], proxies->reach[p]);
        uint32_t class = class_of_box(box);
        if (class == 0) {
            status = ph_reserve_array(&grid->huge, &grid->huge_capacity,
                                      (uint64_t)grid->huge_count + 1, sizeof *grid->huge);
            if (status) {
                return status;
            }
            grid->huge[grid->huge_count++] = p;
            continue;
        }
        histogram[class % PH_GRID_PHASES]++;
        category &= proxies->category[p];
        mask &= proxies->mask[p];
        group |= proxies->group[p];
        grid->box[count] = box;
        grid->proxy[count] = p;
        grid->size[count++] = (uint16_t) class;
    }
    grid->item_count = count;
    grid->open = group == 0 && (category & mask) != 0;
    *phase = choose_phase(histogram);
    return PH_OK;
}

// Makes the non-empty levels and their buckets, and turns size classes into levels.
static PhStatus make_levels(PhGrid *grid, uint32_t phase) {
    uint32_t finest = PH_GRID_LEVELS, coarsest = 0;
    for (uint32_t i = 0; i < grid->item_count; i++) {
        // Cell sizes are those of the classes phase + 16 k; the item takes the first above its own
        // class.
        uint32_t k = (grid->size[i] + PH_GRID_PHASES - phase) / PH_GRID_PHASES;
        grid->size[i] = (uint16_t)k;
        grid->population[k]++;
        finest = k < finest ? k : finest;
        coarsest = k > coarsest ? k : coarsest;
    }
    uint64_t buckets = 0;
    uint32_t levels = 0;
    uint16_t number[PH_GRID_LEVELS];
    for (uint32_t k = finest; k <= coarsest; k++) {
        uint32_t population = grid->population[k];
        if (population == 0) {
            continue;
        }
        grid->population[k] = 0;
        uint64_t size = population <= FEW_ITEMS ? 1 : 8;
        while (size > 1 && size < 2 * (uint64_t)population) {
            size *= 2;
        }
        number[k] = (uint16_t)levels;
        grid->level[levels++] = (PhGridLevel){
            .inv_cell = 1 / size_of_class(phase + PH_GRID_PHASES * k),
            .first = (uint32_t)buckets,
            .mask = (uint32_t)(size - 1),
            .count = population,
        };
        buckets += size;
    }
    PhStatus status =
        ph_reserve_array(&grid->start, &grid->start_capacity, buckets + 1, sizeof *grid->start);
    if (status) {
        return status;
    }
    memset(grid->start, 0, (size_t)(buckets + 1) * sizeof *grid->start);
    grid->level_count = levels;
    for (uint32_t i = 0; i < grid->item_count; i++) {
        grid->size[i] = number[grid->size[i]];
    }
    return PH_OK;
}

static inline int64_t cell_of(double x, double inv_cell) {
    double cell = x * inv_cell; // |cell| <= 2^40, see class_of_box
    int64_t whole = (int64_t)cell;
    return whole - ((double)whole > cell);
}

static inline uint32_t bucket_of(const PhGridLevel *level, int64_t x, int64_t y) {
    uint32_t hash = (uint32_t)(((uint64_t)y * 0x9E3779B97F4A7C15u) >> 32);
    return level->first + ((hash + (uint32_t)x) & level->mask);
}

// Item i of the sorted ones from number k of the unsorted ones.
static inline void store_item(PhGrid *grid, uint32_t i, const PhProxies *proxies, uint32_t k) {
    PhGridItems *items = &grid->item;
    uint32_t p = grid->proxy[k];
    PhAabb box = grid->box[k];
    items->x0[i] = (float)box.lower.x;
    items->y0[i] = (float)box.lower.y;
    items->x1[i] = (float)box.upper.x;
    items->y1[i] = (float)box.upper.y;
    items->row[i] = grid->row[k];
    items->bucket[i] = grid->bucket[k];
    items->below[i] = grid->below[k];
    items->proxy[i] = p;
    items->owner[i] =
        proxies->body[p] | (proxies->flags[p] & PH_PROXY_DYNAMIC ? PH_GRID_DYNAMIC : 0);
}

// Counting sort by bucket.
static void sort_items(PhGrid *grid, const PhProxies *proxies) {
    uint32_t *start = grid->start;
    for (uint32_t k = 0; k < grid->item_count; k++) {
        const PhGridLevel *level = &grid->level[grid->size[k]];
        PhVec2 corner = grid->box[k].lower;
        bool few = level->mask == 0;
        int64_t x = few ? 0 : cell_of(corner.x, level->inv_cell);
        int64_t y = few ? 0 : cell_of(corner.y, level->inv_cell);
        grid->row[k] = (uint32_t)y;
        grid->bucket[k] = few ? level->first : bucket_of(level, x, y);
        grid->below[k] = few ? level->first : bucket_of(level, x - 1, y - 1);
        start[grid->bucket[k]]++;
    }
    const PhGridLevel *last = &grid->level[grid->level_count - 1];
    uint32_t buckets = last->first + last->mask + 1, sum = 0;
    for (uint32_t k = 0; k < buckets;
         k++) { // ends of the buckets; filling from behind makes them starts
        sum += start[k];
        start[k] = sum;
    }
    start[buckets] = sum;
    for (uint32_t k = grid->item_count; k-- > 0;) {
        store_item(grid, --start[grid->bucket[k]], proxies, k);
    }
}

// Some runs to scan for one item. A row of cells gives two where it goes round the end of the
// table.
typedef struct Runs {
    PhGridRun run[8];
    uint32_t count;
} Runs;
enum { FEW_ROWS = 4 }; // that fit

static inline void add_run(Runs *runs, uint32_t first, uint32_t last, uint32_t row) {
    runs->run[runs->count] = (PhGridRun){first, last, row};
    runs->count += first < last;
}

// Cells of a row from bucket `begin` on, no more than there are buckets.
static inline void add_row(Runs *runs, const PhGridLevel *level, const uint32_t *start,
                           uint32_t begin, uint32_t cells, uint32_t row) {
    uint32_t end = begin + cells, limit = level->first + level->mask + 1;
    if (end > limit) {
        add_run(runs, start[level->first], start[level->first + (end - limit)], row);
        end = limit;
    }
    add_run(runs, start[begin], start[end], row);
}

// Lower neighbours of item i in its own level: the three cells below, the cell to the
// left, its own cell up to itself.
static inline void add_own_level(Runs *runs, const PhGrid *grid, const PhGridLevel *level,
                                 uint32_t i) {
    const uint32_t *start = grid->start;
    uint32_t row = grid->item.row[i], left = grid->item.bucket[i];
    if (level->mask != 0) {
        add_row(runs, level, start, grid->item.below[i], 3, row - 1);
        if (left == level->first) { // round the end of the table
            uint32_t last = level->first + level->mask;
            add_run(runs, start[last], start[last + 1], row);
        } else {
            left--;
        }
    }
    add_run(runs, start[left], i, row);
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
        if (k < l ? coarse_asks(other, own) : k > l && !coarse_asks(own, other)) {
            grid->asked[grid->asked_count++] = k;
        }
    }
}

// Scans what item i is near in another level, whose cells begin at most one cell before the box.
static void scan_level(PhGrid *grid, const PhGridKernels *kernels, const PhGridLevel *level,
                       PhAabb box, uint32_t i) {
    const PhGridItems *item = &grid->item;
    Runs runs;
    runs.count = 0;
    if (level->mask == 0) {
        add_run(&runs, grid->start[level->first], grid->start[level->first + 1], 0);
        grid->hit_count +=
            kernels->scan(item, i, runs.run, runs.count, grid->hit + grid->hit_count);
        return;
    }
    int64_t x = cell_of(box.lower.x, level->inv_cell) - 1;
    int64_t y = cell_of(box.lower.y, level->inv_cell) - 1;
    int64_t last_y = cell_of(box.upper.y, level->inv_cell);
    int64_t cells = cell_of(box.upper.x, level->inv_cell) - x + 1;
    cells = cells <= level->mask ? cells : (int64_t)level->mask + 1;
    while (y <= last_y) {
        runs.count = 0;
        for (int k = 0; k < FEW_ROWS && y <= last_y; k++, y++) {
            add_row(&runs, level, grid->start, bucket_of(level, x, y), (uint32_t)cells,
                    (uint32_t)y);
        }
        grid->hit_count +=
            kernels->scan(item, i, runs.run, runs.count, grid->hit + grid->hit_count);
    }
}

static PhStatus scan_fixed(const PhBroadScratch *scratch, const PhProxies *proxies, uint32_t p,
                           PhAabb box, PhRawPairs *raw) {
    const PhBvh *bvh = &scratch->fixed;
    for (uint32_t k = ph_bvh_next(bvh, box, 0); k < bvh->count; k = ph_bvh_next(bvh, box, k + 1)) {
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
        ph_raw_add(raw, proxies, item->proxy[i], item->proxy[grid->hit[k]]);
    }
    return PH_OK;
}

static bool add_resting(void *context, uint32_t leaf, uint64_t data) {
    (void)leaf;
    PhTreeSearch *search = context;
    if (ph_near(search->proxies, search->proxy, (uint32_t)data)) {
        search->status = ph_raw_reserve(search->raw, 1);
        if (search->status) {
            return false;
        }
        ph_raw_add(search->raw, search->proxies, search->proxy, (uint32_t)data);
    }
    return true;
}

static PhStatus scan_resting(PhBroadScratch *scratch, const PhProxies *proxies, uint32_t p,
                             PhAabb box) {
    PhTreeSearch search = {&scratch->raw, proxies, p, PH_OK};
    ph_tree_query(&scratch->tree, box, add_resting, &search);
    return search.status;
}

static PhStatus scan_huge(const PhBroadScratch *scratch, const PhProxies *proxies, uint32_t which,
                          PhRawPairs *raw) {
    const PhGrid *grid = &scratch->grid;
    uint32_t p = grid->huge[which];
    PhStatus status = ph_raw_reserve(raw, (uint64_t)grid->item_count + which);
    if (status) {
        return status;
    }
    for (uint32_t j = 0; j < grid->item_count; j++) {
        if (ph_near(proxies, p, grid->item.proxy[j])) {
            ph_raw_add(raw, proxies, p, grid->item.proxy[j]);
        }
    }
    for (uint32_t j = 0; j < which; j++) {
        if (ph_near(proxies, p, grid->huge[j])) {
            ph_raw_add(raw, proxies, p, grid->huge[j]);
        }
    }
    bool dynamic = proxies->flags[p] & PH_PROXY_DYNAMIC;
    return dynamic ? scan_fixed(scratch, proxies, p, ph_reach_box(proxies, p), raw) : PH_OK;
}

// Pairs of item i of level l with the items of its own level, with those of others
// as agreed with them, and with what does not move.
static PhStatus search_item(PhBroadScratch *scratch, const PhProxies *proxies,
                            const PhGridKernels *kernels, bool all, uint32_t l, uint32_t i) {
    PhGrid *grid = &scratch->grid;
    const PhGridItems *item = &grid->item;
    uint32_t p = item->proxy[i];
    Runs runs;
    runs.count = 0;
    add_own_level(&runs, grid, &grid->level[l], i);
    grid->hit_count = kernels->scan(item, i, runs.run, runs.count, grid->hit);
    if (grid->asked_count > 0) {
        PhAabb box = box_among_movers(&grid->ways, proxies->fat[p], proxies->reach[p]);
        for (uint32_t k = 0; k < grid->asked_count; k++) {
            scan_level(grid, kernels, &grid->level[grid->asked[k]], box, i);
        }
    }
    PhStatus status = settle(grid, kernels, proxies, i, &scratch->raw);
    bool fixed = scratch->fixed.count > 0 && item->owner[i] & PH_GRID_DYNAMIC;
    bool resting = !all && scratch->tree.leaf_count > 0;
    if (!status && (fixed || resting)) {
        PhAabb alone = ph_reach_box(proxies, p);
        status = fixed ? scan_fixed(scratch, proxies, p, alone, &scratch->raw) : PH_OK;
        status = status || !resting ? status : scan_resting(scratch, proxies, p, alone);
    }
    return status;
}

PhStatus ph_find_pairs_grid(PhBroadScratch *scratch, const PhProxies *proxies,
                            const PhGridKernels *kernels, bool all) {
    PhGrid *grid = &scratch->grid;
    uint32_t phase = 0;
    PhStatus status = collect(grid, proxies, all, &phase);
    if (!status) {
        status = make_levels(grid, phase);
    }
    if (!status && grid->level_count > 0) {
        sort_items(grid, proxies);
    }
    uint32_t i = 0;
    for (uint32_t l = 0; l < grid->level_count && !status; l++) {
        uint32_t last = i + grid->level[l].count;
        list_asked(grid, l);
        for (; i < last && !status; i++) {
            status = search_item(scratch, proxies, kernels, all, l, i);
        }
    }
    for (uint32_t h = 0; h < grid->huge_count && !status; h++) {
        status = scan_huge(scratch, proxies, h, &scratch->raw);
        if (!status && !all) {
            uint32_t p = grid->huge[h];
            status = scan_resting(scratch, proxies, p, ph_reach_box(proxies, p));
        }
    }
    return status;
}

void ph_grid_free(PhGrid *grid) {
    PhGridItems *item = &grid->item;
    void *const arrays[] = {grid->proxy, grid->bucket, grid->below,  grid->row,   grid->size,
                            grid->box,   grid->hit,    item->x0,     item->y0,    item->x1,
                            item->y1,    item->row,    item->bucket, item->below, item->proxy,
                            item->owner, grid->start,  grid->huge};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        ph_free(arrays[k]);
    }
    *grid = (PhGrid){0};
}

// The grid of moving boxes: hashed rows with size levels.
//
// A box is in one cell: that of its lower corner, at the smallest level whose cells are longer than
// its longer side. Cells grow by the factor 4 from level to level. Two columns of buckets make a
// cell. The bucket of column x in row y is (stride y + x) & mask. So neighbours in x stay
// neighbours in an unbounded world, and one counting sort puts the boxes of a row side by side. The
// stride is the golden section of the number of buckets, which spreads rows best. Three consecutive
// rows of LEAST_BUCKETS or more have no bucket in common within five columns.
//
// The boxes are predicted AABBs, in float32, grown by what each can reach against the displacement
// field within its horizon. The grid is rebuilt for each search for pairs.
//
// Invariant: a box that overlaps a box of its own level begins in the same row or in a neighbouring
// one, and no more than two columns before it. Cells are long enough to allow for rounding:
// coordinates are at most 2^40 cells (boxes further away go to coarser levels), so a cell number is
// wrong by less than 2^-12, and sides are shorter than a cell by a factor of 1.002.
//
// Sources: M. Teschner et al., "Optimized Spatial Hashing for Collision Detection of Deformable
// Objects" (2003); C. Ericson, "Real-Time Collision Detection" (2005), 7.2 hierarchical hash grids.
#include <string.h>

#include "base/columns.h"
#include "broad/backends.h"
#include "broad/displacement_field.h"

enum { FEW_ITEMS = 8 }; // boxes of a level that are not worth any cells
enum { LEAST_BUCKETS = 32 };

static inline double size_of_class(uint32_t class) {
    uint32_t bits = class << 20;
    float side;
    memcpy(&side, &bits, sizeof side);
    return (double)side;
}

// Chooses the cell sizes so that boxes fill their cells best. The cost is the sum of the cell areas
// in units of the box areas.
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
            double ratio = size_of_class(128 * PH_GRID_STEPS + k + steps) /
                           size_of_class(128 * PH_GRID_STEPS + k);
            cost += histogram[k] * ratio * ratio;
        }
        if (cost < best_cost) {
            best_cost = cost;
            best = phase;
        }
    }
    return best;
}

static PhStatus reserve(PhGrid *grid, uint32_t candidates) {
    PhGridItems *fresh = &grid->fresh, *item = &grid->item;
    const PhColumn columns[] = {{&fresh->x0, sizeof *fresh->x0},
                                {&fresh->y0, sizeof *fresh->y0},
                                {&fresh->x1, sizeof *fresh->x1},
                                {&fresh->y1, sizeof *fresh->y1},
                                {&fresh->row, sizeof *fresh->row},
                                {&fresh->proxy, sizeof *fresh->proxy},
                                {&fresh->owner, sizeof *fresh->owner},
                                {&fresh->family, sizeof *fresh->family},
                                {&fresh->rank, sizeof *fresh->rank},
                                {&fresh->tight, sizeof *fresh->tight},
                                {&item->x0, sizeof *item->x0},
                                {&item->y0, sizeof *item->y0},
                                {&item->x1, sizeof *item->x1},
                                {&item->y1, sizeof *item->y1},
                                {&item->row, sizeof *item->row},
                                {&item->proxy, sizeof *item->proxy},
                                {&item->owner, sizeof *item->owner},
                                {&item->family, sizeof *item->family},
                                {&item->rank, sizeof *item->rank},
                                {&item->tight, sizeof *item->tight},
                                {&grid->level_of, sizeof *grid->level_of},
                                {&grid->place, sizeof *grid->place},
                                {&grid->hit, sizeof *grid->hit}};
    return ph_grow_columns(columns, sizeof columns / sizeof columns[0], &grid->item_capacity,
                           (uint64_t)candidates + PH_GRID_SPARE, NULL);
}

// All categories in use.
static uint64_t categories_of(const PhProxies *proxies) {
    uint64_t there_is = 0;
    for (uint32_t p = 0; p < proxies->count; p++) {
        there_is |= proxies->flags[p] & PH_PROXY_ALIVE ? proxies->category[p] : 0;
    }
    return there_is;
}

// Whether the masks of candidates exclude some categories. If not, the resting proxies need not be
// inspected.
static bool are_masked(const PhProxies *proxies, PhSearch what, uint32_t candidates) {
    uint64_t mask = UINT64_MAX;
    for (uint32_t k = 0; k < candidates; k++) {
        mask &= proxies->mask[what == PH_SEARCH_ALL ? k : proxies->moving[k]];
    }
    return mask != UINT64_MAX;
}

// Lists the moving proxies that take part, or all that are not static, without those whose masks
// exclude every other proxy.
static void list_items(PhGrid *grid, const PhProxies *proxies, PhSearch what) {
    const uint32_t need = PH_PROXY_ALIVE | PH_PROXY_ENABLED;
    uint32_t candidates = what == PH_SEARCH_ALL ? proxies->count : proxies->moving_count;
    uint64_t category = UINT64_MAX, mask = UINT64_MAX;
    uint64_t there_is = are_masked(proxies, what, candidates) ? categories_of(proxies) : UINT64_MAX;
    PhGridItems *fresh = &grid->fresh;
    uint32_t count = 0;
    bool one_step = true;
    for (uint32_t k = 0; k < candidates; k++) {
        uint32_t p = what == PH_SEARCH_ALL ? k : proxies->moving[k], flags = proxies->flags[p];
        if ((flags & need) != need || ph_proxy_is_fixed(proxies, p)) {
            continue;
        }
        if (!(proxies->mask[p] & there_is) && proxies->group[p] <= 0) {
            continue;
        }
        category &= proxies->category[p];
        mask &= proxies->mask[p];
        one_step &= proxies->left[p] == 0 || proxies->left[p] == PH_LEFT_FOREVER;
        int32_t group = proxies->group[p];
        bool dynamic = flags & PH_PROXY_DYNAMIC;
        bool enlarged = what == PH_SEARCH_ENLARGED && flags & PH_PROXY_ENLARGED;
        fresh->proxy[count] = p;
        fresh->family[count] = group < 0 ? (uint32_t)group : proxies->body[p];
        fresh->rank[count] = dynamic ? PH_GRID_LOWEST + 1 + (int32_t)p : (int32_t)p;
        fresh->owner[count++] =
            proxies->body[p] | (dynamic ? PH_GRID_DYNAMIC : 0) | (enlarged ? PH_GRID_ENLARGED : 0);
    }
    for (uint32_t k = 0; k < PH_GRID_SPARE; k++) { // lanes beyond the end hold items too
        fresh->proxy[count + k] = count > 0 ? fresh->proxy[0] : 0;
    }
    grid->item_count = count;
    fresh->doubt = one_step ? 0 : -1;
    grid->open = (category & mask) != 0; // the families are told apart elsewhere
}

// Removes boxes that are too large for any cell.
static PhStatus drop_huge(PhGrid *grid) {
    PhGridItems *fresh = &grid->fresh;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < grid->item_count; k++) {
        uint32_t class = grid->level_of[k];
        if (class == 0) {
            PhStatus status = PH_RESERVE(grid->huge, (uint64_t)grid->huge_count + 1);
            if (status) {
                return status;
            }
            grid->huge[grid->huge_count++] = fresh->proxy[k];
        } else if (class != PH_GRID_NONE) {
            fresh->x0[kept] = fresh->x0[k];
            fresh->y0[kept] = fresh->y0[k];
            fresh->x1[kept] = fresh->x1[k];
            fresh->y1[kept] = fresh->y1[k];
            fresh->proxy[kept] = fresh->proxy[k];
            fresh->owner[kept] = fresh->owner[k];
            fresh->family[kept] = fresh->family[k];
            fresh->rank[kept] = fresh->rank[k];
            fresh->tight[kept] = fresh->tight[k];
            grid->level_of[kept++] = class;
        }
    }
    grid->item_count = kept;
    return PH_OK;
}

// Makes the non-empty levels and their buckets, and turns size classes into levels.
static PhStatus make_levels(PhGrid *grid) {
    uint32_t histogram[PH_GRID_PHASES] = {0}, finest = PH_GRID_LEVELS, coarsest = 0;
    for (uint32_t i = 0; i < grid->item_count; i++) {
        histogram[grid->level_of[i] % PH_GRID_PHASES]++;
    }
    uint32_t phase = choose_phase(histogram);
    for (uint32_t i = 0; i < grid->item_count; i++) {
        // Cell sizes are those of the classes phase + 16 k; an item takes the first above its own
        // class.
        uint32_t k = (grid->level_of[i] + PH_GRID_PHASES - phase) / PH_GRID_PHASES;
        grid->level_of[i] = k;
        grid->population[k]++;
        finest = k < finest ? k : finest;
        coarsest = k > coarsest ? k : coarsest;
    }
    uint64_t buckets = 0;
    uint32_t levels = 0, items = 0, number[PH_GRID_LEVELS];
    for (uint32_t k = finest; k <= coarsest; k++) {
        uint32_t population = grid->population[k];
        if (population == 0) {
            continue;
        }
        grid->population[k] = 0;
        uint64_t size = population <= FEW_ITEMS ? 1 : LEAST_BUCKETS;
        while (size > 1 && size < 2 * (uint64_t)population) {
            size *= 2;
        }
        number[k] = levels;
        grid->level[levels++] = (PhGridLevel){
            .inv_cell = 1 / size_of_class(phase + PH_GRID_PHASES * k),
            .first = (uint32_t)buckets,
            .mask = (uint32_t)(size - 1),
            .stride = (uint32_t)(0.618 * (double)size),
            .item = items,
            .count = population,
        };
        items += population;
        buckets += size;
    }
    PhStatus status = PH_RESERVE(grid->start, buckets + 1);
    if (status) {
        return status;
    }
    memset(grid->start, 0, (size_t)(buckets + 1) * sizeof *grid->start);
    grid->level_count = levels;
    for (uint32_t i = 0; levels > 1 && i < grid->item_count; i++) {
        grid->level_of[i] = number[grid->level_of[i]];
    }
    for (uint32_t i = 0; levels == 1 && i < grid->item_count; i++) {
        grid->level_of[i] = 0;
    }
    return PH_OK;
}

// Moves the columns one by one, because one column fits the nearest cache; four at a time, because
// counting costs as much as moving.
#define DEFINE_ARRANGE(name, type)                                                                 \
    static void name(type *to, const type *from, const uint32_t *order, uint32_t count) {          \
        uint32_t i = 0;                                                                            \
        for (; count - i >= 4; i += 4) {                                                           \
            to[i] = from[order[i]];                                                                \
            to[i + 1] = from[order[i + 1]];                                                        \
            to[i + 2] = from[order[i + 2]];                                                        \
            to[i + 3] = from[order[i + 3]];                                                        \
        }                                                                                          \
        for (; i < count; i++) {                                                                   \
            to[i] = from[order[i]];                                                                \
        }                                                                                          \
    }
DEFINE_ARRANGE(arrange, uint32_t)
DEFINE_ARRANGE(arrange_floats, float)
#undef DEFINE_ARRANGE

// Counting sort by bucket.
static void sort_items(PhGrid *grid) {
    PhGridItems *fresh = &grid->fresh, *item = &grid->item;
    uint32_t *start = grid->start;
    for (uint32_t k = 0; k < grid->item_count; k++) {
        const PhGridLevel *level = &grid->level[grid->level_of[k]];
        bool few = level->mask == 0;
        int64_t x = few ? 0 : ph_grid_column(level, fresh->x0[k]);
        int64_t y = few ? 0 : ph_grid_cell(fresh->y0[k], level->inv_cell);
        fresh->row[k] = (uint32_t)y;
        grid->place[k] = ph_grid_bucket(level, x, y);
        start[grid->place[k]]++;
    }
    const PhGridLevel *last = &grid->level[grid->level_count - 1];
    uint32_t buckets = last->first + last->mask + 1, sum = 0;
    for (uint32_t k = 0; k < buckets; k++) { // ends; filling from the back turns them into starts
        sum += start[k];
        start[k] = sum;
    }
    start[buckets] = sum;
    uint32_t count = grid->item_count, *order = grid->hit;
    for (uint32_t k = count; k-- > 0;) {
        order[--start[grid->place[k]]] = k;
    }
    arrange_floats(item->x0, fresh->x0, order, count);
    arrange_floats(item->y0, fresh->y0, order, count);
    arrange_floats(item->x1, fresh->x1, order, count);
    arrange_floats(item->y1, fresh->y1, order, count);
    arrange(item->row, fresh->row, order, count);
    arrange(item->proxy, fresh->proxy, order, count);
    arrange(item->owner, fresh->owner, order, count);
    arrange(item->family, fresh->family, order, count);
    for (uint32_t i = 0; i < count && grid->full; i++) {
        item->rank[i] = fresh->rank[order[i]];
    }
    for (uint32_t i = 0; i < count && fresh->doubt >= 0; i++) {
        item->tight[i] = fresh->tight[order[i]];
    }
    item->doubt = fresh->doubt;
}

PhStatus ph_grid_build(PhGrid *grid, const PhProxies *proxies, const PhGridKernels *kernels,
                       PhSearch what, const PhStop *stop) {
    grid->huge_count = grid->level_count = 0;
    grid->full = what != PH_SEARCH_ENLARGED;
    PhStatus status = reserve(grid, what == PH_SEARCH_ALL ? proxies->count : proxies->moving_count);
    if (status) {
        return status;
    }
    const PhDisplacementField displacements = ph_fit_displacements(proxies);
    list_items(grid, proxies, what);
    kernels->spread(proxies, &displacements, &grid->fresh, grid->item_count, grid->level_of);
    bool dropped = false;
    for (uint32_t k = 0; k < grid->item_count; k++) {
        dropped |= grid->level_of[k] - 1 >= PH_GRID_NONE - 1;
    }
    status = dropped ? drop_huge(grid) : PH_OK;
    status = status ? status : ph_stop_between(stop, grid->item_count);
    if (!status && grid->item_count > 0) {
        status = make_levels(grid);
    }
    if (!status && grid->item_count > 0) {
        sort_items(grid);
    }
    return status ? status : ph_stop_between(stop, grid->item_count);
}

void ph_grid_free(PhGrid *grid) {
    PhGridItems *fresh = &grid->fresh, *item = &grid->item;
    void *const arrays[] = {fresh->x0,      fresh->y0,    fresh->x1,     fresh->y1,    fresh->row,
                            fresh->proxy,   fresh->owner, fresh->family, item->x0,     item->y0,
                            item->x1,       item->y1,     item->row,     item->proxy,  item->owner,
                            item->family,   fresh->rank,  item->rank,    fresh->tight, item->tight,
                            grid->level_of, grid->place,  grid->hit,     grid->start,  grid->huge};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        ph_free(arrays[k]);
    }
    *grid = (PhGrid){0};
}

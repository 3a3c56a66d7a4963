// Owns the nodes and the order of items of a four-wide tree.
//
// Invariant: a child's bound holds, by at least half of the slack, the boxes of all items below it;
// no path from the root is longer than MAX_DEPTH.
//
// Why half the slack is enough: distances in the tree are below 3 R, R being the larger half extent
// of all, and go through four roundings of 2^-24, so they are wrong by less than 2^-20 R. A box
// grown by g is entered earlier than the true one by at least g. The slack is 2^-18 R; rounding a
// bound to float takes 2^-24 R of it, the ray's origin as much, and doubles of up to 2^25 R less.
#include "broad/wide_tree.h"

#include <float.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/memory.h"

enum {
    BINS = 16,
    FEW = 32,           // items that half of the bins are enough for
    CAREFUL_DEPTH = 32, // below, ranges are split by number alone: 16 more levels hold 2^32 items
    MAX_DEPTH = CAREFUL_DEPTH + 16,
    STACK = (PH_WIDE - 1) * MAX_DEPTH + 1,
};

// {lower x, lower y, -upper x, -upper y}: a union is four minima.
typedef struct Bound {
    float v[4];
} Bound;
typedef struct Item {
    Bound bound;
    uint32_t id;
} Item;
typedef struct Range {
    Bound bound;
    uint32_t first, count;
} Range;

static const Bound NONE = {{INFINITY, INFINITY, INFINITY, INFINITY}};

static inline Bound join(Bound a, Bound b) {
    Bound c;
    for (int i = 0; i < 4; i++) {
        c.v[i] = b.v[i] < a.v[i] ? b.v[i] : a.v[i];
    }
    return c;
}

static inline float size_of(Bound b) {
    return -(b.v[0] + b.v[2] + b.v[1] + b.v[3]);
}

// Twice the middle.
static inline float center(const Item *item, int axis) {
    return item->bound.v[axis] - item->bound.v[axis + 2];
}

static inline void swap_items(Item *a, Item *b) {
    Item t = *a;
    *a = *b;
    *b = t;
}

static Bound bound_of(const Item *items, uint32_t first, uint32_t count) {
    Bound sum = NONE;
    for (uint32_t i = first; i < first + count; i++) {
        sum = join(sum, items[i].bound);
    }
    return sum;
}

static void halve(const Item *items, const Range *range, Range *a, Range *b) {
    uint32_t half = range->count / 2;
    *a = (Range){bound_of(items, range->first, half), range->first, half};
    *b = (Range){bound_of(items, range->first + half, range->count - half), range->first + half,
                 range->count - half};
}

typedef struct Bins {
    int axis, used;
    float low, scale;
    uint32_t count[BINS];
    Bound bound[BINS];
} Bins;

static inline int bin_of(const Bins *bins, const Item *item) {
    int bin = (int)((center(item, bins->axis) - bins->low) * bins->scale);
    return bin < bins->used ? bin : bins->used - 1;
}

// Sorts the range into bins along the longer side of its centers. False: they are all in one place.
static bool fill(const Item *items, const Range *range, Bins *bins) {
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    const Item *from = items + range->first, *end = from + range->count;
    for (const Item *item = from; item < end; item++) {
        for (int axis = 0; axis < 2; axis++) {
            float c = center(item, axis);
            low[axis] = c < low[axis] ? c : low[axis];
            high[axis] = c > high[axis] ? c : high[axis];
        }
    }
    bins->axis = high[1] - low[1] > high[0] - low[0];
    bins->low = low[bins->axis];
    bins->used = range->count < FEW ? BINS / 2 : BINS;
    bins->scale = (float)bins->used / (high[bins->axis] - low[bins->axis]);
    if (!(bins->scale < FLT_MAX)) {
        return false;
    }
    for (int k = 0; k < bins->used; k++) {
        bins->count[k] = 0;
        bins->bound[k] = NONE;
    }
    for (const Item *item = from; item < end; item++) {
        int k = bin_of(bins, item);
        bins->count[k]++;
        bins->bound[k] = join(bins->bound[k], item->bound);
    }
    return true;
}

// The split after a bin that costs least by the surface-area heuristic; the first and the last bin
// are never empty, so neither part is.
static int best_split(const Bins *bins, const Range *range, Range *a, Range *b) {
    Bound right[BINS];
    right[bins->used - 1] = bins->bound[bins->used - 1];
    for (int k = bins->used - 2; k > 0; k--) {
        right[k] = join(bins->bound[k], right[k + 1]);
    }
    Bound left = NONE;
    uint32_t count = 0;
    float best = INFINITY;
    int at = 0;
    for (int k = 0; k + 1 < bins->used; k++) {
        left = join(left, bins->bound[k]);
        count += bins->count[k];
        float cost =
            size_of(left) * (float)count + size_of(right[k + 1]) * (float)(range->count - count);
        if (bins->count[k] && cost < best) {
            best = cost;
            at = k;
            *a = (Range){left, range->first, count};
            *b = (Range){right[k + 1], range->first + count, range->count - count};
        }
    }
    return at;
}

static void split(Item *items, const Range *range, bool careful, Range *a, Range *b) {
    Bins bins;
    if (!careful || !fill(items, range, &bins)) {
        halve(items, range, a, b);
        return;
    }
    int at = best_split(&bins, range, a, b);
    uint32_t i = a->first, j = b->first + b->count;
    while (i < j) {
        if (bin_of(&bins, &items[i]) <= at) {
            i++;
        } else {
            swap_items(&items[i], &items[--j]);
        }
    }
}

// Splits the range into at most four: the widest again and again, deep down the most numerous.
static int split_wide(Item *items, const Range *range, bool careful, Range part[PH_WIDE]) {
    if (range->count <= PH_WIDE) {
        for (uint32_t k = 0; k < range->count; k++) {
            part[k] = (Range){items[range->first + k].bound, range->first + k, 1};
        }
        return (int)range->count;
    }
    int parts = 1;
    part[0] = *range;
    while (parts < PH_WIDE) {
        int widest = -1;
        float most = -1;
        for (int k = 0; k < parts; k++) {
            float size = careful ? size_of(part[k].bound) : (float)part[k].count;
            if (part[k].count > 1 && size > most) {
                most = size;
                widest = k;
            }
        }
        if (widest < 0) {
            break;
        }
        Range whole = part[widest];
        split(items, &whole, careful, &part[widest], &part[parts++]);
    }
    return parts;
}

static uint32_t build(PhWideTree *tree, Item *items, const Range *range, int depth) {
    uint32_t at = tree->node_count++;
    Range part[PH_WIDE];
    int parts = split_wide(items, range, depth < CAREFUL_DEPTH, part);
    PhWideNode node;
    for (int k = 0; k < PH_WIDE; k++) {
        const Bound *bound = k < parts ? &part[k].bound : &NONE;
        node.bound[0][k] = bound->v[0];
        node.bound[1][k] = bound->v[1];
        node.bound[2][k] = -bound->v[2];
        node.bound[3][k] = -bound->v[3];
        node.child[k] = PH_WIDE_ITEM;
        if (k < parts && part[k].count == 1) {
            node.child[k] = PH_WIDE_ITEM | tree->count;
            tree->order[tree->count++] = items[part[k].first].id;
        }
    }
    for (int k = 0; k < parts; k++) {
        if (part[k].count > 1) {
            node.child[k] = build(tree, items, &part[k], depth + 1);
        }
    }
    tree->node[at] = node;
    return at;
}

// Middle and half extent of all; false if there is none that float32 can be relative to.
static bool measure(const PhAabb *boxes, uint32_t count, PhVec2 *middle, PhVec2 *half) {
    PhAabb all = boxes[0];
    bool good = true;
    for (uint32_t i = 0; i < count; i++) {
        all = ph_union(all, boxes[i]);
        good = good && boxes[i].lower.x <= boxes[i].upper.x && boxes[i].lower.y <= boxes[i].upper.y;
    }
    *middle = ph_vec(0.5 * all.lower.x + 0.5 * all.upper.x, 0.5 * all.lower.y + 0.5 * all.upper.y);
    *half = ph_sub(all.upper, *middle);
    // Within this, doubles about the middle are finer than the slack by far.
    double most = half->x > half->y ? half->x : half->y;
    double away = fabs(middle->x) + fabs(middle->y);
    return good && most > 0 && most < 1e12 && away < most * 0x1p25;
}

PhStatus ph_wide_build(PhWideTree *tree, const PhAabb *boxes, uint32_t count) {
    PhVec2 middle, half;
    if (!count || !measure(boxes, count, &middle, &half)) {
        tree->count = tree->node_count = 0;
        return count ? PH_ERROR_VALUE : PH_OK;
    }
    Item *items = ph_alloc(count, sizeof *items);
    if (!items || ph_reserve_array(&tree->node, &tree->node_capacity, count, sizeof *tree->node) ||
        ph_reserve_array(&tree->order, &tree->order_capacity, count, sizeof *tree->order)) {
        ph_free(items);
        return PH_ERROR_MEMORY;
    }
    double slack = (half.x > half.y ? half.x : half.y) * 0x1p-18;
    for (uint32_t i = 0; i < count; i++) {
        PhVec2 lower = ph_sub(boxes[i].lower, middle), upper = ph_sub(boxes[i].upper, middle);
        items[i] = (Item){{{(float)(lower.x - slack), (float)(lower.y - slack),
                            (float)(-upper.x - slack), (float)(-upper.y - slack)}},
                          i};
    }
    tree->middle = middle;
    tree->half = half;
    tree->slack = (float)slack;
    tree->count = tree->node_count = 0;
    Range all = {bound_of(items, 0, count), 0, count};
    build(tree, items, &all, 0);
    ph_free(items);
    return PH_OK;
}

void ph_wide_free(PhWideTree *tree) {
    ph_free(tree->node);
    ph_free(tree->order);
    *tree = (PhWideTree){0};
}

// Cuts [*near, *far] to where the ray is within `half` of zero along one axis.
static inline void cut(double origin, double inverse, double half, double *near, double *far) {
    double a = (-half - origin) * inverse, b = (half - origin) * inverse;
    double in = a < b ? a : b, out = a < b ? b : a;
    *near = in > *near ? in : *near;
    *far = out < *far ? out : *far;
}

// Never zero, so that its inverse is finite. What the ray wanders off by that is nothing.
static inline float not_zero(double x) {
    return fabs(x) > 1e-30 ? (float)x : copysignf(1e-30F, (float)x);
}

// Moves the start to where the ray enters the tree's bounds; false if it never does.
static bool move_in(const PhWideTree *tree, const PhRay *ray, PhVec2 *from, double *start) {
    double near = 0, far = ray->length, slack = (double)tree->slack;
    double x = ray->direction.x, y = ray->direction.y;
    x = fabs(x) > 1e-30 ? x : copysign(1e-30, x);
    y = fabs(y) > 1e-30 ? y : copysign(1e-30, y);
    cut(from->x, 1 / x, tree->half.x + slack, &near, &far);
    cut(from->y, 1 / y, tree->half.y + slack, &near, &far);
    *from = ph_mul_add(*from, near, ray->direction);
    *start = near;
    return near <= far;
}

PhWideMeets ph_wide_ray(const PhWideTree *tree, const PhRay *ray, PhWideRay *way) {
    PhVec2 from = ph_sub(ray->origin, tree->middle);
    double start = 0;
    if (!(fabs(from.x) <= tree->half.x && fabs(from.y) <= tree->half.y)) {
        if (!(fabs(from.x) + fabs(from.y) < (double)tree->slack * 0x1p43)) {
            return PH_WIDE_TOO_FAR;
        }
        if (!move_in(tree, ray, &from, &start)) {
            return PH_WIDE_MISSES;
        }
    }
    double left = ray->length - start;
    way->start = start;
    way->origin[0] = (float)from.x;
    way->origin[1] = (float)from.y;
    way->inverse[0] = 1 / not_zero(ray->direction.x);
    way->inverse[1] = 1 / not_zero(ray->direction.y);
    way->length = (left < 1e30 ? (float)left : 1e30F) + tree->slack;
    return PH_WIDE_MEETS;
}

// The ray in all lanes.
#if defined(__SSE2__)
typedef __m128 Four;
#define FOUR(x) _mm_set1_ps(x)
#else
typedef float Four;
#define FOUR(x) (x)
#endif
typedef struct Way {
    Four origin[2], inverse[2];
    int side[2]; // rows of the bounds that the ray comes to first
} Way;

// Where the ray enters each child, and a bit for each that it meets.
static inline int meet(const PhWideNode *node, const Way *way, float limit, float near[PH_WIDE]) {
    const float(*first_x)[PH_WIDE] = &node->bound[way->side[0]];
    const float(*first_y)[PH_WIDE] = &node->bound[way->side[1]];
    const float(*last_x)[PH_WIDE] = &node->bound[2 - way->side[0]];
    const float(*last_y)[PH_WIDE] = &node->bound[4 - way->side[1]];
#if defined(__SSE2__)
#define PLANE(row, axis)                                                                           \
    _mm_mul_ps(_mm_sub_ps(_mm_loadu_ps(*(row)), way->origin[axis]), way->inverse[axis])
    __m128 in = _mm_max_ps(_mm_max_ps(PLANE(first_x, 0), PLANE(first_y, 1)), _mm_setzero_ps());
    __m128 out = _mm_min_ps(_mm_min_ps(PLANE(last_x, 0), PLANE(last_y, 1)), _mm_set1_ps(limit));
#undef PLANE
    _mm_store_ps(near, in);
    return _mm_movemask_ps(_mm_cmple_ps(in, out));
#else
    int mask = 0;
    for (int k = 0; k < PH_WIDE; k++) {
        float x = ((*first_x)[k] - way->origin[0]) * way->inverse[0];
        float y = ((*first_y)[k] - way->origin[1]) * way->inverse[1];
        float far_x = ((*last_x)[k] - way->origin[0]) * way->inverse[0];
        float far_y = ((*last_y)[k] - way->origin[1]) * way->inverse[1];
        float in = x > y ? x : y, out = far_x < far_y ? far_x : far_y;
        near[k] = in > 0 ? in : 0;
        mask |= (near[k] <= (out < limit ? out : limit)) << k;
    }
    return mask;
#endif
}

// A child yet to be visited: bits of the distance at which it is entered (>= 0, so they sort like
// the number), then the child.
typedef uint64_t Entry;

static inline Entry make_entry(float near, uint32_t child) {
    uint32_t bits;
    memcpy(&bits, &near, sizeof bits);
    return (Entry)bits << 32 | child;
}

static inline float entered_at(Entry entry) {
    uint32_t bits = (uint32_t)(entry >> 32);
    float near;
    memcpy(&near, &bits, sizeof near);
    return near;
}

static inline uint32_t child_of(Entry entry) {
    return (uint32_t)entry;
}

static inline Entry entry_of(const PhWideNode *node, const float near[PH_WIDE], int mask) {
    int k = __builtin_ctz((unsigned)mask);
    return make_entry(near[k], node->child[k]);
}

// Puts the children of the mask, at least one, on the stack in order of distance; but the nearest
// is handed out.
static inline uint32_t push(Entry *stack, int *top, const PhWideNode *node,
                            const float near[PH_WIDE], int mask) {
    Entry nearest = entry_of(node, near, mask);
    int first = *top;
    while (mask &= mask - 1) {
        Entry entry = entry_of(node, near, mask);
        Entry further = entry < nearest ? nearest : entry;
        nearest = entry < nearest ? entry : nearest;
        int at = (*top)++;
        for (; at > first && stack[at - 1] < further; at--) {
            stack[at] = stack[at - 1];
        }
        stack[at] = further;
    }
    return child_of(nearest);
}

void ph_wide_cast(const PhWideTree *tree, const PhWideRay *ray, PhWideVisit *visit, void *context) {
    const Way way = {{FOUR(ray->origin[0]), FOUR(ray->origin[1])},
                     {FOUR(ray->inverse[0]), FOUR(ray->inverse[1])},
                     {ray->inverse[0] < 0 ? 2 : 0, ray->inverse[1] < 0 ? 3 : 1}};
    _Alignas(16) float near[PH_WIDE];
    Entry stack[STACK];
    int top = 0;
    float limit = ray->length;
    uint32_t at = 0;
    if (!tree->count) {
        return;
    }
    for (;;) {
        if (at & PH_WIDE_ITEM) {
            float most = (float)(visit(context, at & ~PH_WIDE_ITEM) - ray->start) + tree->slack;
            limit = most < limit ? most : limit;
        } else {
            const PhWideNode *node = &tree->node[at];
            int mask = meet(node, &way, limit, near);
            if (mask) {
                at = push(stack, &top, node, near, mask);
                continue;
            }
        }
        while (top && entered_at(stack[top - 1]) > limit) {
            top--;
        }
        if (!top) {
            return;
        }
        at = child_of(stack[--top]);
    }
}

// Owns the nodes and the order of items of a four-wide tree.
//
// Invariant: a child's bound holds the grown boxes of all items below it; no path from the root is
// longer than MAX_DEPTH.
#include "broad/wide_tree.h"

#include <float.h>
#include <string.h>

#include "base/memory.h"

enum {
    BINS = 16,
    FEW = 32,           // items that half of the bins are enough for
    CAREFUL_DEPTH = 32, // below, ranges are split by number alone: 16 more levels hold 2^32 items
    MAX_DEPTH = CAREFUL_DEPTH + 16,
    STACK = (PH_WIDE - 1) * MAX_DEPTH + 1,
};

typedef PhRayBound Bound;
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
    PhRayBoxes node;
    for (int k = 0; k < PH_WIDE; k++) {
        ph_ray_set_box(&node, k, k < parts ? &part[k].bound : &NONE, PH_WIDE_ITEM);
        if (k < parts && part[k].count == 1) {
            node.id[k] = PH_WIDE_ITEM | tree->count;
            tree->order[tree->count++] = items[part[k].first].id;
        }
    }
    for (int k = 0; k < parts; k++) {
        if (part[k].count > 1) {
            node.id[k] = build(tree, items, &part[k], depth + 1);
        }
    }
    tree->node[at] = node;
    return at;
}

PhStatus ph_wide_build(PhWideTree *tree, const PhRayFrame *frame, const PhAabb *boxes,
                       uint32_t count) {
    Item *items = ph_alloc(count, sizeof *items);
    if (!items || PH_RESERVE(tree->node, count) || PH_RESERVE(tree->order, count)) {
        ph_free(items);
        return PH_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        items[i] = (Item){ph_ray_frame_bound(frame, boxes[i]), i};
    }
    tree->slack = frame->slack;
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

static inline Entry entry_of(const PhRayBoxes *node, const float near[PH_WIDE], int mask) {
    int k = __builtin_ctz((unsigned)mask);
    return make_entry(near[k], node->id[k]);
}

// Puts the children of the mask, at least one, on the stack in order of distance; but the nearest
// is handed out.
static inline uint32_t push(Entry *stack, int *top, const PhRayBoxes *node,
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

void ph_wide_cast(const PhWideTree *tree, const PhRayPath *path, PhRayVisit *visit, void *context) {
    const PhRayLanes lanes = ph_ray_lanes(path);
    float near[PH_WIDE];
    Entry stack[STACK];
    int top = 0;
    float limit = path->length;
    uint32_t at = 0;
    if (!tree->count) {
        return;
    }
    for (;;) {
        if (at & PH_WIDE_ITEM) {
            float most = (float)(visit(context, at & ~PH_WIDE_ITEM) - path->start) + tree->slack;
            limit = most < limit ? most : limit;
        } else {
            const PhRayBoxes *node = &tree->node[at];
            int mask = ph_ray_meet(node, &lanes, limit, near);
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

static inline float squared_limit(const PhWideTree *tree, double most) {
    float limit = (float)most + tree->slack;
    limit *= limit * 1.00001F;
    return limit < FLT_MAX ? limit : FLT_MAX; // what is unused is at infinity
}

void ph_wide_near(const PhWideTree *tree, PhRayBound box, double most, PhRayVisit *visit,
                  void *context) {
    float near[PH_WIDE], limit = squared_limit(tree, most);
    Entry stack[STACK];
    int top = 0;
    uint32_t at = 0;
    if (!tree->count) {
        return;
    }
    for (;;) {
        if (at & PH_WIDE_ITEM) {
            float fresh = squared_limit(tree, visit(context, at & ~PH_WIDE_ITEM));
            limit = fresh < limit ? fresh : limit;
        } else {
            const PhRayBoxes *node = &tree->node[at];
            int mask = ph_ray_near(node, box, limit, near);
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

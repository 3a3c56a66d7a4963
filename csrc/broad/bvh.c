// Builds the static hierarchy: owns its array of nodes.
//
// Invariant: a node's box holds those of the nodes up to its skip link, which is behind them all.
// Split at the median of the centers along the axis where they spread most, down to LEAVES items
// that hang side by side.
#include "broad/bvh.h"

#include "base/memory.h"
#include "broad/aabb_tree.h"

enum { LEAVES = 4 };

// Twice the center. A box infinite on both sides counts as centered at zero.
static double center(const PhBvhItem *item, int axis) {
    double sum =
        axis ? item->box.lower.y + item->box.upper.y : item->box.lower.x + item->box.upper.x;
    return isnan(sum) ? 0 : sum;
}

// Reorders so that no center before `middle` is above one from it on (C. A. R. Hoare, "Find",
// 1961). Pivots from a linear congruential generator: no order of input is a bad one.
static void split_at(PhBvhItem *items, uint32_t count, uint32_t middle, int axis) {
    uint64_t random = count;
    int64_t first = 0, last = (int64_t)count - 1;
    while (first < last) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        int64_t at = first + (int64_t)((random >> 33) % (uint64_t)(last - first + 1));
        double pivot = center(&items[at], axis);
        int64_t i = first, j = last;
        while (i <= j) {
            while (center(&items[i], axis) < pivot) {
                i++;
            }
            while (center(&items[j], axis) > pivot) {
                j--;
            }
            if (i <= j) {
                PhBvhItem swap = items[i];
                items[i++] = items[j];
                items[j--] = swap;
            }
        }
        if (middle <= j) {
            last = j;
        } else if (middle >= i) {
            first = i;
        } else {
            return;
        }
    }
}

static uint32_t add_node(PhBvh *bvh, PhAabb box, uint32_t id) {
    uint32_t at = bvh->count++;
    bvh->node[at] = (PhBvhNode){.box = box, .skip = at + 1, .id = id};
    return at;
}

void ph_bvh_halve(PhBvhItem *items, uint32_t count) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (uint32_t i = 0; i < count; i++) {
        for (int axis = 0; axis < 2; axis++) {
            double at = center(&items[i], axis);
            low[axis] = at < low[axis] ? at : low[axis];
            high[axis] = at > high[axis] ? at : high[axis];
        }
    }
    split_at(items, count, count / 2, high[1] - low[1] > high[0] - low[0]);
}

// Depth is at most log2(count): halves differ by one.
static PhStatus build(PhBvh *bvh, PhBvhItem *items, uint32_t count, const PhStop *stop) {
    PhAabb box = items[0].box;
    for (uint32_t i = 1; i < count; i++) {
        box = ph_union(box, items[i].box);
    }
    uint32_t top = add_node(bvh, box, PH_NULL);
    PhStatus status = ph_stop_between(stop, count);
    if (count <= LEAVES) {
        for (uint32_t i = 0; i < count; i++) {
            add_node(bvh, items[i].box, items[i].id);
        }
    } else {
        uint32_t half = count / 2;
        ph_bvh_halve(items, count);
        status = status ? status : build(bvh, items, half, stop);
        status = status ? status : build(bvh, items + half, count - half, stop);
    }
    bvh->node[top].skip = bvh->count;
    return status;
}

PhStatus ph_bvh_build(PhBvh *bvh, PhBvhItem *items, uint32_t count, const PhStop *stop) {
    // Every leaf group has at least LEAVES / 2 items, so there are no more inner nodes than items.
    PhStatus status =
        ph_reserve_array(&bvh->node, &bvh->capacity, 2 * (uint64_t)count, sizeof *bvh->node);
    if (status) {
        return status;
    }
    bvh->count = 0;
    status = count > 0 ? build(bvh, items, count, stop) : PH_OK;
    bvh->count = status ? 0 : bvh->count;
    return status;
}

void ph_bvh_free(PhBvh *bvh) {
    ph_free(bvh->node);
    *bvh = (PhBvh){0};
}

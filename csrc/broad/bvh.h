// Bounding volume hierarchy built at once, for boxes that stay where they are.
//
// Nodes lie in depth-first order and each knows where its subtree ends ("skip links"; B. Smits,
// "Efficiency Issues for Ray Tracing", 1998), so a query is one loop without a stack: go to the
// next node if the box overlaps, else skip.
#ifndef PH_BROAD_BVH_H
#define PH_BROAD_BVH_H

#include <stdint.h>

#include "base/status.h"
#include "math/vec2.h"

typedef struct PhBvhItem {
    PhAabb box;
    uint32_t id;
} PhBvhItem;

typedef struct PhBvhNode {
    PhAabb box;
    uint32_t skip; // first node after this subtree
    uint32_t id;   // of the item; PH_NULL for an inner node
} PhBvhNode;

typedef struct PhBvh {
    PhBvhNode *node;
    uint32_t count, capacity;
} PhBvh;

// Replaces the content. Every box must be one (lower <= upper; infinite is allowed); ids are below
// PH_NULL. Reorders the items. Untouched when there is no memory; empty after PH_ERROR_STOPPED.
PhStatus ph_bvh_build(PhBvh *bvh, PhBvhItem *items, uint32_t count, const PhStop *stop);
void ph_bvh_free(PhBvh *bvh);
// Reorders the items so that no center among the first half (rounded down) is above one in the
// second, along the axis where they spread most.
void ph_bvh_halve(PhBvhItem *items, uint32_t count);

// The first node at or after `from` that is an item overlapping the box, or `end` or more if there
// is none before that. Start at 0 or at any item, go on at the answer + 1.
static inline uint32_t ph_bvh_next_before(const PhBvh *bvh, PhAabb box, uint32_t from,
                                          uint32_t end) {
    uint32_t i = from;
    while (i < end) {
        const PhBvhNode *node = &bvh->node[i];
        if (!ph_overlaps(node->box, box)) {
            i = node->skip;
        } else if (node->id != UINT32_MAX) {
            break;
        } else {
            i++;
        }
    }
    return i;
}

// The same up to the last node; bvh->count if there is none.
static inline uint32_t ph_bvh_next(const PhBvh *bvh, PhAabb box, uint32_t from) {
    return ph_bvh_next_before(bvh, box, from, bvh->count);
}

#endif

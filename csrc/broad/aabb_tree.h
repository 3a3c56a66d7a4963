// Dynamic AABB tree: a bounding volume hierarchy in one array of nodes, kept balanced by rotations
// that lower the perimeter cost. Used by queries, by broadphase="tree" and, through the Python
// AABBTree, for users' own boxes.
//
// Sources: N. Presson's and E. Catto's dynamic trees ("Dynamic Bounding Volume Hierarchies", 2019):
// sibling by bounds on the surface-area cost; A. Kensler, "Tree Rotations for Improving
// Bounding Volume Hierarchies" (2008).
#ifndef PH_BROAD_AABB_TREE_H
#define PH_BROAD_AABB_TREE_H

#include <stdint.h>

#include "base/status.h"
#include "broad/bvh.h"
#include "math/vec2.h"

#define PH_NULL UINT32_MAX

// Whether lower <= upper on both axes. False for NaN. Nothing overlaps a box that is none: the tree
// keeps such a leaf, but no query or ray finds it.
static inline bool ph_is_box(PhAabb box) {
    return box.lower.x <= box.upper.x && box.lower.y <= box.upper.y;
}

typedef struct PhTreeNode {
    PhAabb box;                // leaf: fat AABB
    uint32_t parent;           // next free node while on the free list
    uint32_t child_a, child_b; // PH_NULL for a leaf
    uint32_t height;           // 0 leaf; PH_NULL for a free node
    uint64_t data;             // leaf: the caller's
} PhTreeNode;

typedef struct PhAabbTree {
    PhTreeNode *nodes;
    uint32_t used; // nodes[0 .. used) were ever in use
    uint32_t root, free_list, leaf_count;
    double margin; // a leaf's box is the given one grown by this
} PhAabbTree;

void ph_tree_init(PhAabbTree *tree, double margin); // owns nothing yet; cannot fail
void ph_tree_free(PhAabbTree *tree);
// Makes *to, which owns nothing, a copy with the same ids. Untouched on failure.
PhStatus ph_tree_copy(PhAabbTree *to, const PhAabbTree *from);

// A leaf's id is its node index, valid until removed.
uint32_t ph_tree_next_leaf(const PhAabbTree *tree); // that the next insertion will give
PhStatus ph_tree_insert(PhAabbTree *tree, PhAabb box, uint64_t data, uint32_t *leaf);
void ph_tree_remove(PhAabbTree *tree, uint32_t leaf);
// Replaces the content by leaves with the boxes and ids of the items as box and data, halved at the
// median of their centers. leaf[id] receives the leaf of an item. Reorders the items. Untouched
// when there is no memory; empty after PH_ERROR_STOPPED.
PhStatus ph_tree_build(PhAabbTree *tree, PhBvhItem *items, uint32_t count, uint32_t *leaf,
                       const PhStop *stop);
bool ph_tree_is_leaf(const PhAabbTree *tree, uint32_t id); // any number is allowed
// Re-inserts when `box` has left the leaf's fat AABB (or the fat AABB is more than four margins too
// large); returns whether it did. Never allocates.
bool ph_tree_move(PhAabbTree *tree, uint32_t leaf, PhAabb box);

// Iterative (by the parent links, so that no height overflows a stack) and without allocation. The
// tree must not change meanwhile. A ray with a number that is not finite meets nothing;
// max_fraction may be infinite. The callback returns false to stop. For rays it returns the new
// maximal fraction (the given one to go on, 0 to stop). Boxes are the fat ones. Children are
// visited near first for rays.
typedef bool PhTreeQuery(void *context, uint32_t leaf, uint64_t data);
void ph_tree_query(const PhAabbTree *tree, PhAabb box, PhTreeQuery *callback, void *context);
typedef double PhTreeRay(void *context, uint32_t leaf, uint64_t data, double max_fraction);
void ph_tree_cast_ray(const PhAabbTree *tree, PhVec2 origin, PhVec2 translation,
                      double max_fraction, PhTreeRay *callback, void *context);
// The same for a box that moves: its middle and half its sides. Fractions are of its translation.
void ph_tree_cast_box(const PhAabbTree *tree, PhVec2 origin, PhVec2 half, PhVec2 translation,
                      double max_fraction, PhTreeRay *callback, void *context);
// Leaves by how far their boxes are from a box, nearest first; the callback deals in distances
// instead of fractions.
void ph_tree_near(const PhAabbTree *tree, PhAabb box, double max_distance, PhTreeRay *callback,
                  void *context);

uint32_t ph_tree_height(const PhAabbTree *tree); // 0 when empty or one leaf
double ph_tree_cost(const PhAabbTree *tree);     // sum of the inner nodes' perimeters
// Walks everything: links, heights, boxes, free list, leaf count. PH_ERROR_VALUE with a message on
// the first fault.
PhStatus ph_tree_validate(const PhAabbTree *tree, PhError *error);

#endif

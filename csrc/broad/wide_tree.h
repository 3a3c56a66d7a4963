// Four-wide bounding volume hierarchy for many rays against boxes that stay where they are
// meanwhile: built at once, boxes in float32, the four children of a node tested side by side.
//
// Boxes are taken from the middle of all and grown by more than float32 can be wrong, so no ray
// misses what it would meet in double precision: what a ray finds is a matter of the callback
// alone. Rays that begin too far away for that are refused (ph_wide_ray).
//
// Sources: H. Dammertz, J. Hanika, A. Keller, "Shallow Bounding Volume Hierarchies for Fast SIMD
// Ray Tracing of Incoherent Rays" (2008); I. Wald, "On Fast Construction of SAH-based Bounding
// Volume Hierarchies" (2007).
#ifndef PH_BROAD_WIDE_TREE_H
#define PH_BROAD_WIDE_TREE_H

#include <stdint.h>

#include "base/status.h"
#include "geometry/piece.h"

enum { PH_WIDE = 4 };
#define PH_WIDE_ITEM 0x80000000u // a child that is an item: its place in order[] is the rest

typedef struct PhWideNode {
    float bound[4][PH_WIDE]; // lower x, lower y, upper x, upper y of the children; unused: none
    uint32_t child[PH_WIDE];
} PhWideNode;

typedef struct PhWideTree {
    PhWideNode *node; // [0] is the root
    uint32_t *order;  // items by place: neighbors in the tree lie side by side
    uint32_t node_count, node_capacity, count, order_capacity;
    PhVec2 middle; // of all boxes; float coordinates are relative to it
    PhVec2 half;   // and all boxes are within this of it
    float slack;   // the boxes are grown by it, m
} PhWideTree;

// Replaces the content by the boxes 0 .. count - 1, fewer than 2^31. PH_ERROR_VALUE, and an empty
// tree: some box is none (NaN, lower > upper), or they are spread too far for float32. Untouched
// when memory is out.
PhStatus ph_wide_build(PhWideTree *tree, const PhAabb *boxes, uint32_t count);
void ph_wide_free(PhWideTree *tree);

// A ray as the tree wants it.
typedef struct PhWideRay {
    double start;     // m from the ray's origin to where it is, or comes, within the tree's bounds
    float origin[2];  // there, relative to the middle
    float inverse[2]; // of the direction, finite and not zero
    float length;     // from the start
} PhWideRay;

typedef enum PhWideMeets { PH_WIDE_MISSES, PH_WIDE_MEETS, PH_WIDE_TOO_FAR } PhWideMeets;
PhWideMeets ph_wide_ray(const PhWideTree *tree, const PhRay *ray, PhWideRay *way);

// Visits the items whose boxes the ray meets, about in order of distance. The callback gets an
// item's place and returns the greatest distance in m from the ray's origin that still counts.
typedef double PhWideVisit(void *context, uint32_t place);
void ph_wide_cast(const PhWideTree *tree, const PhWideRay *ray, PhWideVisit *visit, void *context);

#endif

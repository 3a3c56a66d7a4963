// Four-wide bounding volume hierarchy for many rays against boxes that stay where they are
// meanwhile: built at once, the four children of a node tested side by side in float32.
//
// Sources: H. Dammertz, J. Hanika, A. Keller, "Shallow Bounding Volume Hierarchies for Fast SIMD
// Ray Tracing of Incoherent Rays" (2008); I. Wald, "On Fast Construction of SAH-based Bounding
// Volume Hierarchies" (2007).
#ifndef PH_BROAD_WIDE_TREE_H
#define PH_BROAD_WIDE_TREE_H

#include "base/status.h"
#include "broad/ray_frame.h"

#define PH_WIDE_ITEM 0x80000000u // a child that is an item: its place in order[] is the rest

typedef struct PhWideTree {
    PhRayBoxes *node; // ids are children; [0] is the root
    uint32_t *order;  // items by place: neighbors in the tree lie side by side
    uint32_t node_count, count;
    float slack; // of the frame
} PhWideTree;

// Replaces the content by the boxes 0 .. count - 1, 0 < count < 2^31. Untouched when memory is out.
PhStatus ph_wide_build(PhWideTree *tree, const PhRayFrame *frame, const PhAabb *boxes,
                       uint32_t count);
void ph_wide_free(PhWideTree *tree);

// Visits the items whose boxes the ray meets, about in order of distance.
void ph_wide_cast(const PhWideTree *tree, const PhRayPath *path, PhRayVisit *visit, void *context);

// Visits the items whose boxes are within a distance in m of one, about in order of distance; the
// visitor returns the greatest distance that still counts. The box: of the frame, near enough for
// it (ph_ray_frame_holds).
void ph_wide_near(const PhWideTree *tree, PhRayBound box, double most, PhRayVisit *visit,
                  void *context);

#endif

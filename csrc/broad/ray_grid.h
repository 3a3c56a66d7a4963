// Index for many rays against boxes that are spread about evenly: square cells, each with the boxes
// that reach into it, and a walk from cell to cell. A quarter of the work of a tree, to build as to
// ask; where boxes crowd, it declines.
//
// Source: J. Amanatides, A. Woo, "A Fast Voxel Traversal Algorithm for Ray Tracing" (1987).
#ifndef PH_BROAD_RAY_GRID_H
#define PH_BROAD_RAY_GRID_H

#include "base/status.h"
#include "broad/ray_frame.h"

typedef struct PhRayGrid {
    PhRayBoxes *boxes; // of cell k: first[k] .. first[k + 1]; ids are places
    uint32_t *first;
    uint32_t *order; // items by place: neighbors lie side by side
    int32_t columns, rows;
    float lower[2], cell, inv_cell; // corner and side in the frame
    PhRayFrame frame;
} PhRayGrid;

// Replaces the content by the boxes 0 .. count - 1, 0 < count < 2^28. PH_ERROR_VALUE: it would be
// slow. Not to be asked after a failure.
PhStatus ph_ray_grid_build(PhRayGrid *grid, const PhRayFrame *frame, const PhAabb *boxes,
                           uint32_t count);
void ph_ray_grid_free(PhRayGrid *grid);
void ph_ray_grid_cast(const PhRayGrid *grid, const PhRayPath *path, PhRayVisit *visit,
                      void *context);

#endif

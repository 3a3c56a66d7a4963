// A distance grid of square cells over a hierarchy of boxes that stay where they are: how far it is
// from a cell to the next box, at least, and which nodes of the hierarchy touch it. Most of what
// moves among walls is told at once that none is near, and the rest where to begin to look.
#ifndef PH_BROAD_DISTANCE_GRID_H
#define PH_BROAD_DISTANCE_GRID_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "broad/bvh.h"

// Nodes first .. end - 1.
typedef struct PhDistanceGridSpan {
    uint32_t first, end;
} PhDistanceGridSpan;

typedef struct PhDistanceGrid {
    // By row and column: how many cells away, by the larger of both distances, a box touches one;
    // from the first item to the last one that touch it.
    uint8_t *away;
    PhDistanceGridSpan *span;
    uint32_t away_capacity, span_capacity;
    int32_t columns, rows; // 0: there is no distance grid
    PhVec2 origin;
    double scale; // cells per metre
} PhDistanceGrid;

// Room for a distance grid of so many boxes; few have none.
PhStatus ph_distance_grid_reserve(PhDistanceGrid *distance_grid, uint32_t count);
// Replaces the content by a distance grid of what has just been built; room has been reserved. None
// where it would be of little use.
void ph_distance_grid_build(PhDistanceGrid *distance_grid, const PhBvh *bvh);
void ph_distance_grid_free(PhDistanceGrid *distance_grid);

// The cell of a coordinate; of those beyond the distance grid, the last one. Never falls as x
// grows, rounded as it is.
static inline int32_t ph_distance_grid_cell(double x, double origin, double scale, int32_t count) {
    double at = (x - origin) * scale, last = count - 1;
    at = at > 0 ? at : 0;
    return (int32_t)(at < last ? at : last);
}

// In which nodes all items are that overlap a box. Of numbers that are none, anything.
static inline PhDistanceGridSpan ph_distance_grid_sample(const PhDistanceGrid *distance_grid,
                                                         const PhBvh *bvh, PhAabb box) {
    enum { MOST_CELLS = 16 };
    const PhDistanceGridSpan nothing = {0, 0}, all = {0, bvh->count};
    if (distance_grid->columns == 0) {
        return all;
    }
    PhVec2 origin = distance_grid->origin;
    double scale = distance_grid->scale;
    int32_t x0 = ph_distance_grid_cell(box.lower.x, origin.x, scale, distance_grid->columns);
    int32_t x1 = ph_distance_grid_cell(box.upper.x, origin.x, scale, distance_grid->columns);
    int32_t y0 = ph_distance_grid_cell(box.lower.y, origin.y, scale, distance_grid->rows);
    int32_t y1 = ph_distance_grid_cell(box.upper.y, origin.y, scale, distance_grid->rows);
    int32_t x = x0 + (x1 - x0) / 2, y = y0 + (y1 - y0) / 2; // no further from the lower cells
    int32_t displacement = x1 - x > y1 - y ? x1 - x : y1 - y;
    if (distance_grid->away[(size_t)y * (size_t)distance_grid->columns + (size_t)x] >
        displacement) {
        return nothing;
    }
    if ((int64_t)(x1 - x0 + 1) * (y1 - y0 + 1) > MOST_CELLS) {
        return all;
    }
    PhDistanceGridSpan span = {UINT32_MAX, 0};
    for (y = y0; y <= y1; y++) {
        const PhDistanceGridSpan *row =
            distance_grid->span + (size_t)y * (size_t)distance_grid->columns;
        for (x = x0; x <= x1; x++) {
            span.first = row[x].first < span.first ? row[x].first : span.first;
            span.end = row[x].end > span.end ? row[x].end : span.end;
        }
    }
    return span;
}

#endif

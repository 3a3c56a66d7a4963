// Looks into a distance grid, four boxes at once. A unit that chooses a target includes this after
// it.
#ifndef PH_BROAD_DISTANCE_GRID_LANES_H
#define PH_BROAD_DISTANCE_GRID_LANES_H

#include "broad/distance_grid.h"
#include "math/four.h"

// ph_distance_grid_cell() of four.
PH_FOUR_INLINE FourInt ph_distance_grid_cells(Four x, double origin, double scale, int32_t count) {
    Four at = (x - origin) * scale;
    at = (Four)((FourMask)at & (at > four_splat(0)));
    return __builtin_convertvector(four_min(at, four_splat(count - 1)), FourInt); // towards zero
}

// The bits of those boxes that nothing is near, as ph_distance_grid_sample() has it. There is a
// distance grid.
PH_FOUR_INLINE uint32_t ph_distance_grid_clear(const PhDistanceGrid *distance_grid, Four x0,
                                               Four y0, Four x1, Four y1) {
    FourInt left = ph_distance_grid_cells(x0, distance_grid->origin.x, distance_grid->scale,
                                          distance_grid->columns);
    FourInt right = ph_distance_grid_cells(x1, distance_grid->origin.x, distance_grid->scale,
                                           distance_grid->columns);
    FourInt below = ph_distance_grid_cells(y0, distance_grid->origin.y, distance_grid->scale,
                                           distance_grid->rows);
    FourInt above = ph_distance_grid_cells(y1, distance_grid->origin.y, distance_grid->scale,
                                           distance_grid->rows);
    FourInt column = left + ((right - left) >> 1), row = below + ((above - below) >> 1);
    FourInt cell = row * distance_grid->columns + column; // of a number that is far from overflow
    const uint8_t *away = distance_grid->away;
    FourInt room = {away[cell[0]], away[cell[1]], away[cell[2]], away[cell[3]]};
    FourInt clear = (room > right - column) & (room > above - row);
    return four_bits(__builtin_convertvector(clear, FourMask));
}

#endif

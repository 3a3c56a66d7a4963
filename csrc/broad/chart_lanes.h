// Looks into a chart, four boxes at once. A unit that chooses a target includes this after it.
#ifndef PH_BROAD_CHART_LANES_H
#define PH_BROAD_CHART_LANES_H

#include "broad/chart.h"
#include "math/four.h"

// ph_chart_cell() of four.
PH_FOUR_INLINE FourInt ph_chart_cells(Four x, double origin, double scale, int32_t count) {
    Four at = (x - origin) * scale;
    at = (Four)((FourMask)at & (at > four_splat(0)));
    return __builtin_convertvector(four_min(at, four_splat(count - 1)), FourInt); // towards zero
}

// The bits of those boxes that nothing is near, as ph_chart_look() has it. There is a chart.
PH_FOUR_INLINE uint32_t ph_chart_clear(const PhChart *chart, Four x0, Four y0, Four x1, Four y1) {
    FourInt left = ph_chart_cells(x0, chart->origin.x, chart->scale, chart->columns);
    FourInt right = ph_chart_cells(x1, chart->origin.x, chart->scale, chart->columns);
    FourInt below = ph_chart_cells(y0, chart->origin.y, chart->scale, chart->rows);
    FourInt above = ph_chart_cells(y1, chart->origin.y, chart->scale, chart->rows);
    FourInt column = left + ((right - left) >> 1), row = below + ((above - below) >> 1);
    FourInt cell = row * chart->columns + column; // of a number that is far from overflow
    const uint8_t *away = chart->away;
    FourInt room = {away[cell[0]], away[cell[1]], away[cell[2]], away[cell[3]]};
    FourInt clear = (room > right - column) & (room > above - row);
    return four_bits(__builtin_convertvector(clear, FourMask));
}

#endif

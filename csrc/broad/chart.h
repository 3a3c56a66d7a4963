// A chart of square cells over a hierarchy of boxes that stay where they are: how far it is from a
// cell to the next box, at least, and which nodes of the hierarchy touch it. Most of what moves
// among walls is told at once that none is near, and the rest where to begin to look.
#ifndef PH_BROAD_CHART_H
#define PH_BROAD_CHART_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "broad/bvh.h"

// Nodes first .. end - 1.
typedef struct PhChartSpan {
    uint32_t first, end;
} PhChartSpan;

typedef struct PhChart {
    // By row and column: how many cells away, by the larger of both ways, a box touches one; from
    // the first item to the last one that touch it.
    uint8_t *away;
    PhChartSpan *span;
    uint32_t away_capacity, span_capacity;
    int32_t columns, rows; // 0: there is no chart
    PhVec2 origin;
    double scale; // cells per metre
} PhChart;

// Room for a chart of so many boxes; few have none.
PhStatus ph_chart_reserve(PhChart *chart, uint32_t count);
// Replaces the content by a chart of what has just been built; room has been reserved. None where
// it would be of little use.
void ph_chart_build(PhChart *chart, const PhBvh *bvh);
void ph_chart_free(PhChart *chart);

// The cell of a coordinate; of those beyond the chart, the last one. Never falls as x grows,
// rounded as it is.
static inline int32_t ph_chart_cell(double x, double origin, double scale, int32_t count) {
    double at = (x - origin) * scale, last = count - 1;
    at = at > 0 ? at : 0;
    return (int32_t)(at < last ? at : last);
}

// In which nodes all items are that overlap a box. Of numbers that are none, anything.
static inline PhChartSpan ph_chart_look(const PhChart *chart, const PhBvh *bvh, PhAabb box) {
    enum { MOST_CELLS = 16 };
    const PhChartSpan nothing = {0, 0}, all = {0, bvh->count};
    if (chart->columns == 0) {
        return all;
    }
    PhVec2 origin = chart->origin;
    double scale = chart->scale;
    int32_t x0 = ph_chart_cell(box.lower.x, origin.x, scale, chart->columns);
    int32_t x1 = ph_chart_cell(box.upper.x, origin.x, scale, chart->columns);
    int32_t y0 = ph_chart_cell(box.lower.y, origin.y, scale, chart->rows);
    int32_t y1 = ph_chart_cell(box.upper.y, origin.y, scale, chart->rows);
    int32_t x = x0 + (x1 - x0) / 2, y = y0 + (y1 - y0) / 2; // no further from the lower cells
    int32_t way = x1 - x > y1 - y ? x1 - x : y1 - y;
    if (chart->away[(size_t)y * (size_t)chart->columns + (size_t)x] > way) {
        return nothing;
    }
    if ((int64_t)(x1 - x0 + 1) * (y1 - y0 + 1) > MOST_CELLS) {
        return all;
    }
    PhChartSpan span = {UINT32_MAX, 0};
    for (y = y0; y <= y1; y++) {
        const PhChartSpan *row = chart->span + (size_t)y * (size_t)chart->columns;
        for (x = x0; x <= x1; x++) {
            span.first = row[x].first < span.first ? row[x].first : span.first;
            span.end = row[x].end > span.end ? row[x].end : span.end;
        }
    }
    return span;
}

#endif

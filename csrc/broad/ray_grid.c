// Owns the cells of the grid for many rays.
//
// Invariant: a box is listed in every cell that it reaches into after it was grown by the slack of
// the frame. The walk is wrong about where it crosses a line between cells by a few 2^-24 of the
// extent, far less than the slack: so whatever a ray meets is listed in a cell that it visits.
#include "broad/ray_grid.h"

#include <string.h>

#include "base/memory.h"

enum {
    MOST_CELLS_EACH = 6, // of a box, on average
    CROWD = 12,          // boxes in the cells of a box, on average
};

typedef struct Span {
    int32_t x0, y0, x1, y1;
} Span;

static inline int32_t cell_at(const PhRayGrid *grid, float at, int axis) {
    int32_t cells = axis ? grid->rows : grid->columns;
    float cell = (at - grid->lower[axis]) * grid->inv_cell;
    int32_t k = cell > 0 ? cell < (float)cells ? (int32_t)cell : cells - 1 : 0;
    return k < cells ? k : cells - 1;
}

static Span span_of(const PhRayGrid *grid, PhRayBound bound) {
    return (Span){cell_at(grid, bound.v[0], 0), cell_at(grid, bound.v[1], 1),
                  cell_at(grid, -bound.v[2], 0), cell_at(grid, -bound.v[3], 1)};
}

// Cells of one box each if they were spread evenly; along a line no more than boxes.
static void lay_out(PhRayGrid *grid, const PhRayFrame *frame, uint32_t count) {
    double slack = (double)frame->slack, n = count;
    double width = 2 * (frame->half.x + slack), height = 2 * (frame->half.y + slack);
    double longer = width > height ? width : height, cell = sqrt(width * height / n);
    cell = cell > longer / n ? cell : longer / n;
    grid->frame = *frame;
    grid->columns = (int32_t)(width / cell) + 1;
    grid->rows = (int32_t)(height / cell) + 1;
    grid->lower[0] = (float)(-0.5 * width);
    grid->lower[1] = (float)(-0.5 * height);
    grid->cell = (float)cell;
    grid->inv_cell = (float)(1 / cell);
}

// Counts the boxes of each cell in first[cell + 1]. False: too many.
static bool count_boxes(PhRayGrid *grid, const Span *span, uint32_t count) {
    uint64_t listed = 0;
    for (uint32_t i = 0; i < count; i++) {
        listed += (uint64_t)(span[i].x1 - span[i].x0 + 1) * (uint64_t)(span[i].y1 - span[i].y0 + 1);
    }
    if (listed > (uint64_t)MOST_CELLS_EACH * count + 64) {
        return false;
    }
    uint32_t cells = (uint32_t)grid->columns * (uint32_t)grid->rows;
    memset(grid->first, 0, (cells + 1) * sizeof *grid->first);
    for (uint32_t i = 0; i < count; i++) {
        for (int32_t y = span[i].y0; y <= span[i].y1; y++) {
            for (int32_t x = span[i].x0; x <= span[i].x1; x++) {
                grid->first[y * grid->columns + x + 1]++;
            }
        }
    }
    uint64_t met = 0;
    for (uint32_t k = 1; k <= cells; k++) {
        met += (uint64_t)grid->first[k] * grid->first[k];
    }
    return met <= CROWD * listed + 64;
}

// Items by the cell of their lower corner.
static void order_items(PhRayGrid *grid, const Span *span, uint32_t count, uint32_t *start) {
    uint32_t cells = (uint32_t)grid->columns * (uint32_t)grid->rows, sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        start[span[i].y0 * grid->columns + span[i].x0]++;
    }
    for (uint32_t k = 0; k < cells; k++) {
        uint32_t first = sum;
        sum += start[k];
        start[k] = first;
    }
    for (uint32_t i = 0; i < count; i++) {
        grid->order[start[span[i].y0 * grid->columns + span[i].x0]++] = i;
    }
}

static void fill(PhRayGrid *grid, const PhAabb *boxes, const Span *span, uint32_t count,
                 uint32_t *used) {
    static const PhRayBound none = {{INFINITY, INFINITY, INFINITY, INFINITY}};
    uint32_t cells = (uint32_t)grid->columns * (uint32_t)grid->rows;
    for (uint32_t b = 0; b < grid->first[cells]; b++) {
        for (int k = 0; k < PH_WIDE; k++) {
            ph_ray_set_box(&grid->boxes[b], k, &none, 0);
        }
    }
    memset(used, 0, cells * sizeof *used);
    for (uint32_t place = 0; place < count; place++) {
        const Span *s = &span[grid->order[place]];
        PhRayBound bound = ph_ray_frame_bound(&grid->frame, boxes[grid->order[place]]);
        for (int32_t y = s->y0; y <= s->y1; y++) {
            for (int32_t x = s->x0; x <= s->x1; x++) {
                uint32_t cell = (uint32_t)(y * grid->columns + x), k = used[cell]++;
                PhRayBoxes *at = &grid->boxes[grid->first[cell] + k / PH_WIDE];
                ph_ray_set_box(at, (int)(k % PH_WIDE), &bound, place);
            }
        }
    }
}

PhStatus ph_ray_grid_build(PhRayGrid *grid, const PhRayFrame *frame, const PhAabb *boxes,
                           uint32_t count) {
    lay_out(grid, frame, count);
    uint64_t cells = (uint64_t)grid->columns * (uint64_t)grid->rows;
    Span *span = ph_alloc(count, sizeof *span);
    uint32_t *scratch = ph_alloc((size_t)cells, sizeof *scratch);
    PhStatus status = span && scratch ? PH_OK : PH_ERROR_MEMORY;
    status = status ? status : PH_RESERVE(grid->first, cells + 1);
    status = status ? status : PH_RESERVE(grid->order, count);
    for (uint32_t i = 0; !status && i < count; i++) {
        span[i] = span_of(grid, ph_ray_frame_bound(frame, boxes[i]));
    }
    if (!status && !count_boxes(grid, span, count)) {
        status = PH_ERROR_VALUE;
    }
    if (!status) {
        for (uint64_t k = 1; k <= cells; k++) {
            grid->first[k] = grid->first[k - 1] + (grid->first[k] + PH_WIDE - 1) / PH_WIDE;
        }
        status = PH_RESERVE(grid->boxes, grid->first[cells]);
    }
    if (!status) {
        order_items(grid, span, count, scratch);
        fill(grid, boxes, span, count, scratch);
    }
    ph_free(span);
    ph_free(scratch);
    return status;
}

void ph_ray_grid_free(PhRayGrid *grid) {
    ph_free(grid->boxes);
    ph_free(grid->first);
    ph_free(grid->order);
    *grid = (PhRayGrid){0};
}

void ph_ray_grid_cast(const PhRayGrid *grid, const PhRayPath *path, PhRayVisit *visit,
                      void *context) {
    const PhRayLanes lanes = ph_ray_lanes(path);
    const float inverse_x = path->inverse[0], inverse_y = path->inverse[1];
    const int32_t step_x = inverse_x < 0 ? -1 : 1, step_y = inverse_y < 0 ? -1 : 1;
    int32_t x = cell_at(grid, path->origin[0], 0), y = cell_at(grid, path->origin[1], 1);
    // The line behind column x is crossed at line_x + x pitch_x.
    const float pitch_x = grid->cell * inverse_x, pitch_y = grid->cell * inverse_y;
    const float behind_x = grid->lower[0] + (inverse_x < 0 ? 0 : grid->cell);
    const float behind_y = grid->lower[1] + (inverse_y < 0 ? 0 : grid->cell);
    const float line_x = (behind_x - path->origin[0]) * inverse_x;
    const float line_y = (behind_y - path->origin[1]) * inverse_y;
    uint32_t last = UINT32_MAX; // place visited last; a box is often met again in the next cell
    float limit = path->length, near[PH_WIDE];
    for (;;) {
        uint32_t cell = (uint32_t)(y * grid->columns + x);
        for (uint32_t b = grid->first[cell]; b < grid->first[cell + 1]; b++) {
            const PhRayBoxes *boxes = &grid->boxes[b];
            for (int mask = ph_ray_meet(boxes, &lanes, limit, near); mask; mask &= mask - 1) {
                int k = __builtin_ctz((unsigned)mask);
                if (boxes->id[k] == last || near[k] > limit) {
                    continue;
                }
                last = boxes->id[k];
                float most = (float)(visit(context, last) - path->start) + grid->frame.slack;
                limit = most < limit ? most : limit;
            }
        }
        float across_x = line_x + (float)x * pitch_x, across_y = line_y + (float)y * pitch_y;
        bool over_x = across_x < across_y;
        if ((over_x ? across_x : across_y) > limit) {
            return;
        }
        x += over_x ? step_x : 0;
        y += over_x ? 0 : step_y;
        if ((uint32_t)x >= (uint32_t)grid->columns || (uint32_t)y >= (uint32_t)grid->rows) {
            return;
        }
    }
}

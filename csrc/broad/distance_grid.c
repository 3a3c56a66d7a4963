// Draws the distance grid of a hierarchy: owns its cells.
//
// Cells that a box touches are 0, and each other one is as many moves of a chess king away from one
// of those as it says, up to FAR. Two passes make that of the zeros: one from below examines the
// three neighbours below and at the one to the left, one from above at the other four.
//
// Invariant: no count is too low. If two boxes overlap they have a point in common; its cell is
// between those of the corners of both, since cells do not fall as coordinates grow, however these
// are rounded. So it is 0, its span holds the item, and it is no further from the middle of the
// asker's cells than their outermost ones. A walk may begin at any item: what lies behind it in the
// hierarchy is found from there as well.
//
// Source: A. Rosenfeld and J. Pfaltz, "Sequential Operations in Digital Picture Processing" (1966),
// for distances in two passes.
#include "broad/distance_grid.h"

#include <string.h>

#include "base/memory.h"

enum {
    FEW = 32,           // boxes; a walk among those is quick
    CELLS_EACH = 32,    // to aim at, by box
    MOST_CELLS = 16384, // to aim at
    SPARE = 3,          // times as many at most, see choose_cells()
    MOST_TOUCHES = 4,   // by cell: else boxes lie on top of each other
    LEAST_CLEAR = 4,    // one cell in so many
    FAR = 255,
};

static uint32_t cells_for(uint32_t count) {
    return count < FEW ? 0 : count < MOST_CELLS / CELLS_EACH ? count * CELLS_EACH : MOST_CELLS;
}

PhStatus ph_distance_grid_reserve(PhDistanceGrid *distance_grid, uint32_t count) {
    uint64_t cells = SPARE * (uint64_t)cells_for(count);
    PhStatus status = ph_reserve_array(&distance_grid->away, &distance_grid->away_capacity, cells,
                                       sizeof *distance_grid->away);
    return status ? status
                  : ph_reserve_array(&distance_grid->span, &distance_grid->span_capacity, cells,
                                     sizeof *distance_grid->span);
}

// Cells so large that about `aim` of them cover the boxes, or stand in a row where these are flat.
// At s cells a metre that is w h s^2 <= aim, w s <= aim, h s <= aim, and rounding up adds w s + h s
// + 1.
static bool choose_cells(PhDistanceGrid *distance_grid, PhAabb bounds, uint32_t aim) {
    PhVec2 size = ph_sub(bounds.upper, bounds.lower);
    double side = ph_max(sqrt(size.x * size.y / aim), ph_max(size.x, size.y) / aim);
    double scale = 1 / side;
    if (!(side > 0 && isfinite(side) && isfinite(scale))) {
        return false;
    }
    double columns = ph_max(ceil(size.x * scale), 1), rows = ph_max(ceil(size.y * scale), 1);
    if (!(columns * rows <= distance_grid->away_capacity &&
          columns * rows <= distance_grid->span_capacity)) {
        return false;
    }
    distance_grid->origin = bounds.lower;
    distance_grid->scale = scale;
    distance_grid->columns = (int32_t)columns;
    distance_grid->rows = (int32_t)rows;
    return true;
}

// Enters an item in the cells that it touches. Returns how many these are; none is changed if they
// are more than a number.
static int64_t touch(PhDistanceGrid *distance_grid, PhAabb box, uint32_t item, int64_t most) {
    int32_t x0 = ph_distance_grid_cell(box.lower.x, distance_grid->origin.x, distance_grid->scale,
                                       distance_grid->columns);
    int32_t x1 = ph_distance_grid_cell(box.upper.x, distance_grid->origin.x, distance_grid->scale,
                                       distance_grid->columns);
    int32_t y0 = ph_distance_grid_cell(box.lower.y, distance_grid->origin.y, distance_grid->scale,
                                       distance_grid->rows);
    int32_t y1 = ph_distance_grid_cell(box.upper.y, distance_grid->origin.y, distance_grid->scale,
                                       distance_grid->rows);
    int64_t cells = (int64_t)(x1 - x0 + 1) * (y1 - y0 + 1);
    for (int32_t y = y0; y <= y1 && cells <= most; y++) {
        for (int32_t x = x0; x <= x1; x++) {
            size_t k = (size_t)y * (size_t)distance_grid->columns + (size_t)x;
            PhDistanceGridSpan *span = &distance_grid->span[k];
            span->first = distance_grid->away[k] == 0 ? span->first : item;
            span->end = item + 1;
            distance_grid->away[k] = 0;
        }
    }
    return cells;
}

static bool touch_all(PhDistanceGrid *distance_grid, const PhBvh *bvh) {
    size_t cells = (size_t)distance_grid->columns * (size_t)distance_grid->rows;
    int64_t left = MOST_TOUCHES * (int64_t)cells;
    memset(distance_grid->away, FAR, cells);
    for (size_t k = 0; k < cells; k++) {
        distance_grid->span[k] = (PhDistanceGridSpan){UINT32_MAX, 0};
    }
    for (uint32_t i = 0; i < bvh->count && left >= 0; i++) {
        if (bvh->node[i].id != UINT32_MAX) {
            left -= touch(distance_grid, bvh->node[i].box, i, left);
        }
    }
    return left >= 0;
}

static inline uint8_t nearer(uint8_t cell, uint8_t neighbour) {
    return neighbour < cell ? (uint8_t)(neighbour + 1) : cell; // at most FAR
}

// By the three cells of the next row.
static void pass_row(uint8_t *restrict row, const uint8_t *restrict next, int32_t columns) {
    for (int32_t x = 0; x < columns; x++) {
        row[x] = nearer(row[x], next[x]);
    }
    for (int32_t x = 1; x < columns; x++) {
        row[x] = nearer(row[x], next[x - 1]);
    }
    for (int32_t x = 1; x < columns; x++) {
        row[x - 1] = nearer(row[x - 1], next[x]);
    }
}

static void spread(PhDistanceGrid *distance_grid) {
    int32_t columns = distance_grid->columns, rows = distance_grid->rows;
    for (int32_t y = 0; y < rows; y++) {
        uint8_t *row = distance_grid->away + (size_t)y * (size_t)columns;
        if (y > 0) {
            pass_row(row, row - columns, columns);
        }
        for (int32_t x = 1; x < columns; x++) {
            row[x] = nearer(row[x], row[x - 1]);
        }
    }
    for (int32_t y = rows - 1; y >= 0; y--) {
        uint8_t *row = distance_grid->away + (size_t)y * (size_t)columns;
        if (y < rows - 1) {
            pass_row(row, row + columns, columns);
        }
        for (int32_t x = columns - 2; x >= 0; x--) {
            row[x] = nearer(row[x], row[x + 1]);
        }
    }
}

static bool is_useful(const PhDistanceGrid *distance_grid) {
    size_t count = (size_t)distance_grid->columns * (size_t)distance_grid->rows, clear = 0;
    for (size_t k = 0; k < count; k++) {
        clear += distance_grid->away[k] > 1;
    }
    return clear * LEAST_CLEAR >= count;
}

void ph_distance_grid_build(PhDistanceGrid *distance_grid, const PhBvh *bvh) {
    uint32_t count = 0;
    distance_grid->columns = distance_grid->rows = 0;
    for (uint32_t i = 0; i < bvh->count; i++) {
        count += bvh->node[i].id != UINT32_MAX;
    }
    uint32_t aim = cells_for(count);
    if (aim == 0 || !choose_cells(distance_grid, bvh->node[0].box, aim)) {
        return;
    }
    bool useful = touch_all(distance_grid, bvh);
    if (useful) {
        spread(distance_grid);
        useful = is_useful(distance_grid);
    }
    if (!useful) {
        distance_grid->columns = distance_grid->rows = 0;
    }
}

void ph_distance_grid_free(PhDistanceGrid *distance_grid) {
    ph_free(distance_grid->away);
    ph_free(distance_grid->span);
    *distance_grid = (PhDistanceGrid){0};
}

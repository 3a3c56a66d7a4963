// Owns nothing between calls: containment by winding number with exact predicates, for one point by
// a walk along all edges, for many with a grid (after E. Haines, "Point in Polygon Strategies", in
// Graphics Gems IV, 1994).
//
// Invariant of the grid: a cell that no edge passes lies on one side of the ring as a whole, and
// its winding number is known. The other cells of a row form runs. An edge is in one run of a row,
// and meets the row nowhere else. So from a point in a run one walks to the right, across the edges
// of that run alone, to the next known cell. Which cells an edge passes is overestimated by more
// than the rounding, and the map from points to cells is monotone, so rounding never changes an
// answer.
#include "geometry/locate.h"

#include "base/memory.h"
#include "geometry/polygon.h"

// Margin of the overestimate, in widths of the whole grid; rounding stays below 2^-49.
#define MARGIN 0x1p-40
#define MAX_CELLS (1 << 20)
#define MAX_SIDE 2048
// Smallest number of steps of a walk along all edges that pays for a grid.
#define GRID_STEPS 4096
#define GRID_POINTS 64

typedef struct Edge {
    PhVec2 a, b;
} Edge;

static Edge edge_of(const PhVec2 *vertices, int32_t count, int32_t i) {
    return (Edge){vertices[i], vertices[i + 1 < count ? i + 1 : 0]};
}

// ------------------------------------------------------------------------------------------------
// a walk

enum { ON_EDGE = 2 };

// How the edge counts for p with a ray to the right: +1 upwards, -1 downwards, 0 not at all;
// half-open in y, so that a vertex at the height of p counts once. ON_EDGE when p is on it.
static inline int cross_edge(Edge edge, PhVec2 p) {
    PhVec2 a = edge.a, b = edge.b;
    bool a_above = a.y > p.y, b_above = b.y > p.y;
    if ((a_above && b_above) || (a.y < p.y && b.y < p.y) || (a.x < p.x && b.x < p.x)) {
        return 0;
    }
    int step = b_above - a_above;
    if (a.x > p.x && b.x > p.x) {
        return step;
    }
    int side = ph_orientation(a, b, p);
    return side == 0 ? ON_EDGE : side == step ? step : 0;
}

static bool is_inside(PhInsideRule rule, int winding) {
    return rule == PH_INSIDE_WINDING ? winding != 0 : winding % 2 != 0;
}

bool ph_ring_holds(const PhVec2 *vertices, int32_t count, PhInsideRule rule, PhVec2 point) {
    int winding = 0;
    for (int32_t i = 0; i < count; i++) {
        int step = cross_edge(edge_of(vertices, count, i), point);
        if (step == ON_EDGE) {
            return true;
        }
        winding += step;
    }
    return is_inside(rule, winding);
}

// ------------------------------------------------------------------------------------------------
// a grid

// One axis of the grid.
typedef struct Axis {
    double lower, upper, size;
    double inv_step; // cells per length; 0 where there is one cell
    int32_t count;
} Axis;

// Cells of one row next to each other that edges pass.
typedef struct Run {
    int32_t start, end; // into the edges of the grid
    int32_t winding;    // of the cell to the right, or outside
} Run;

enum { CELL_OUTSIDE = -1, CELL_INSIDE = -2 };

typedef struct Grid {
    Axis x, y;
    PhInsideRule rule;
    int32_t *cells; // row by row: CELL_OUTSIDE, CELL_INSIDE or a run
    Run *runs;
    Edge *edges; // run by run
} Grid;

static inline int32_t cell_along(const Axis *axis, double value) {
    int32_t i = (int32_t)((value - axis->lower) * axis->inv_step);
    return i < axis->count ? i : axis->count - 1;
}

static double center_of(const Axis *axis, int32_t i) {
    return axis->inv_step > 0 ? axis->lower + (i + 0.5) / axis->inv_step : axis->lower;
}

static void set_count(Axis *axis, double wanted) {
    double largest = fmax(fabs(axis->lower), fabs(axis->upper));
    double finest = axis->size / (0x1p-48 * largest); // 16 ulps a cell, so that it has a center
    wanted = fmin(fmin(wanted, finest), MAX_SIDE);
    bool ordinary = axis->size > 0x1p-900 && axis->size < 0x1p900;
    axis->count = ordinary && wanted >= 2 ? (int32_t)wanted : 1;
    axis->inv_step = axis->count > 1 ? axis->count / axis->size : 0;
}

// The columns that the edge may pass in a row.
static void columns_of(const Grid *grid, Edge edge, int32_t row, bool only_row, int32_t *first,
                       int32_t *last) {
    const Axis *x = &grid->x, *y = &grid->y;
    double ax = edge.a.x - x->lower, bx = edge.b.x - x->lower;
    double ay = edge.a.y - y->lower, by = edge.b.y - y->lower;
    double low = ax, high = bx;
    if (!only_row) {
        double bottom = row / y->inv_step - MARGIN * y->size;
        double top = (row + 1) / y->inv_step + MARGIN * y->size;
        double from = fmin(fmax((bottom - ay) / (by - ay), 0), 1);
        double to = fmin(fmax((top - ay) / (by - ay), 0), 1);
        low = ax + from * (bx - ax);
        high = ax + to * (bx - ax);
    }
    double margin = MARGIN * x->size;
    double left = fmin(low, high) - margin, right = fmax(low, high) + margin;
    int32_t from_column = (int32_t)fmax(left * x->inv_step, 0);
    int32_t to_column = (int32_t)fmin(right * x->inv_step, x->count - 1);
    *first = from_column < x->count ? from_column : x->count - 1;
    *last = to_column;
}

static void rows_of(const Grid *grid, Edge edge, int32_t *first, int32_t *last) {
    *first = cell_along(&grid->y, fmin(edge.a.y, edge.b.y));
    *last = cell_along(&grid->y, fmax(edge.a.y, edge.b.y));
}

// Pieces of edges in rows.
static int64_t count_pieces(const Grid *grid, const PhVec2 *vertices, int32_t count) {
    int64_t pieces = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t first, last;
        rows_of(grid, edge_of(vertices, count, i), &first, &last);
        pieces += last - first + 1;
    }
    return pieces;
}

// About square cells, enough of them for the points and for the edges, but no more pieces of edges
// than a multiple of the edges. Returns the number of pieces.
static int64_t choose_grid(Grid *grid, const PhVec2 *vertices, int32_t count, int64_t points) {
    PhAabb box = {vertices[0], vertices[0]};
    for (int32_t i = 1; i < count; i++) {
        box = ph_union(box, (PhAabb){vertices[i], vertices[i]});
    }
    grid->x = (Axis){box.lower.x, box.upper.x, box.upper.x - box.lower.x, 0, 1};
    grid->y = (Axis){box.lower.y, box.upper.y, box.upper.y - box.lower.y, 0, 1};
    double cells = fmin(fmax((double)points / 16, 2.0 * count), MAX_CELLS);
    double aspect = grid->x.size / grid->y.size;
    aspect = isfinite(aspect) ? fmin(fmax(aspect, 0x1p-6), 0x1p6) : 1;
    set_count(&grid->x, sqrt(cells * aspect));
    set_count(&grid->y, sqrt(cells / aspect));
    int64_t pieces = count_pieces(grid, vertices, count);
    while (pieces > 16 * (int64_t)count + 4096 && grid->y.count > 1) {
        set_count(&grid->y, grid->y.count / 2);
        pieces = count_pieces(grid, vertices, count);
    }
    return pieces;
}

// Marks the cells that edges pass, and numbers their runs. Returns the number of runs.
static int32_t mark_cells(Grid *grid, const PhVec2 *vertices, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        Edge edge = edge_of(vertices, count, i);
        int32_t first_row, last_row, first, last;
        rows_of(grid, edge, &first_row, &last_row);
        for (int32_t row = first_row; row <= last_row; row++) {
            columns_of(grid, edge, row, first_row == last_row, &first, &last);
            for (int32_t column = first; column <= last; column++) {
                grid->cells[row * grid->x.count + column] = 1;
            }
        }
    }
    int32_t runs = 0;
    for (int32_t row = 0; row < grid->y.count; row++) {
        int32_t *cells = grid->cells + row * grid->x.count;
        bool in_run = false;
        for (int32_t column = 0; column < grid->x.count; column++) {
            runs += cells[column] && !in_run;
            in_run = cells[column] != 0;
            cells[column] = in_run ? runs - 1 : CELL_OUTSIDE;
        }
    }
    return runs;
}

// Puts the pieces of edges into their runs.
static void fill_runs(Grid *grid, const PhVec2 *vertices, int32_t count, int32_t runs) {
    for (int32_t pass = 0; pass < 2; pass++) { // count, then fill
        for (int32_t i = 0; i < count; i++) {
            Edge edge = edge_of(vertices, count, i);
            int32_t first_row, last_row, first, last;
            rows_of(grid, edge, &first_row, &last_row);
            for (int32_t row = first_row; row <= last_row; row++) {
                columns_of(grid, edge, row, first_row == last_row, &first, &last);
                Run *run = &grid->runs[grid->cells[row * grid->x.count + first]];
                if (pass == 1) {
                    grid->edges[run->end] = edge;
                }
                run->end++;
            }
        }
        int32_t start = 0;
        for (int32_t i = 0; i < runs && pass == 0; i++) {
            Run *run = &grid->runs[i];
            int32_t size = run->end;
            run->start = run->end = start;
            start += size;
        }
    }
}

// Winding number of a point in the run. True when it is on an edge.
static inline bool cross_run(const Grid *grid, const Run *run, PhVec2 p, int *winding) {
    *winding = run->winding;
    for (int32_t i = run->start; i < run->end; i++) {
        int step = cross_edge(grid->edges[i], p);
        if (step == ON_EDGE) {
            return true;
        }
        *winding += step;
    }
    return false;
}

// From right to left along each row, from one known cell to the next.
static void fill_windings(Grid *grid) {
    for (int32_t row = 0; row < grid->y.count; row++) {
        int32_t *cells = grid->cells + row * grid->x.count;
        int winding = 0;
        const Run *run = NULL; // between here and the known cell
        for (int32_t column = grid->x.count - 1; column >= 0; column--) {
            if (cells[column] >= 0) {
                Run *here = &grid->runs[cells[column]];
                here->winding = winding;
                run = here;
                continue;
            }
            if (run != NULL) {
                PhVec2 center = ph_vec(center_of(&grid->x, column), center_of(&grid->y, row));
                (void)cross_run(grid, run, center, &winding);
                run = NULL;
            }
            cells[column] = is_inside(grid->rule, winding) ? CELL_INSIDE : CELL_OUTSIDE;
        }
    }
}

static void grid_free(Grid *grid) {
    ph_free(grid->cells);
    ph_free(grid->runs);
    ph_free(grid->edges);
}

static PhStatus grid_make(Grid *grid, const PhVec2 *vertices, int32_t count, int64_t points) {
    int64_t pieces = choose_grid(grid, vertices, count, points);
    grid->cells = ph_alloc((size_t)(grid->x.count * grid->y.count), sizeof *grid->cells);
    grid->edges = ph_alloc((size_t)pieces, sizeof *grid->edges);
    if (grid->cells == NULL || grid->edges == NULL || pieces > INT32_MAX) {
        return PH_ERROR_MEMORY;
    }
    int32_t runs = mark_cells(grid, vertices, count);
    grid->runs = ph_alloc((size_t)runs, sizeof *grid->runs);
    if (grid->runs == NULL) {
        return PH_ERROR_MEMORY;
    }
    fill_runs(grid, vertices, count, runs);
    fill_windings(grid);
    return PH_OK;
}

static bool grid_holds(const Grid *grid, PhVec2 p) {
    if (!(p.x >= grid->x.lower && p.x <= grid->x.upper && p.y >= grid->y.lower &&
          p.y <= grid->y.upper)) {
        return false;
    }
    int32_t cell =
        grid->cells[cell_along(&grid->y, p.y) * grid->x.count + cell_along(&grid->x, p.x)];
    if (cell < 0) {
        return cell == CELL_INSIDE;
    }
    int winding;
    return cross_run(grid, &grid->runs[cell], p, &winding) || is_inside(grid->rule, winding);
}

PhStatus ph_ring_holds_many(const PhVec2 *vertices, int32_t count, PhInsideRule rule,
                            const PhVec2 *points, int64_t point_count, uint8_t *inside) {
    if (point_count < GRID_POINTS || point_count < GRID_STEPS / count) {
        for (int64_t i = 0; i < point_count; i++) {
            inside[i] = ph_ring_holds(vertices, count, rule, points[i]);
        }
        return PH_OK;
    }
    Grid grid = {.rule = rule};
    PhStatus status = grid_make(&grid, vertices, count, point_count);
    for (int64_t i = 0; i < point_count && status == PH_OK; i++) {
        inside[i] = grid_holds(&grid, points[i]);
    }
    grid_free(&grid);
    return status;
}

// ------------------------------------------------------------------------------------------------
// of the texts

bool ph_ring_holds_by_cross_products(const PhVec2 *vertices, int32_t count, PhVec2 point) {
    bool left = true, right = true;
    for (int32_t i = 0; i < count && (left || right); i++) {
        Edge edge = edge_of(vertices, count, i);
        double cross = ph_cross(ph_sub(edge.b, edge.a), ph_sub(point, edge.a));
        left = left && cross > 0;
        right = right && cross < 0;
    }
    return left || right;
}

bool ph_ring_holds_by_naive_crossings(const PhVec2 *vertices, int32_t count, PhVec2 point) {
    const double tolerance = 1e-9;
    int crossings = 0;
    for (int32_t i = 0; i < count; i++) {
        PhVec2 a = vertices[i], b = edge_of(vertices, count, i).b;
        double lower = a.y < b.y ? a.y : b.y, upper = a.y < b.y ? b.y : a.y;
        if (point.y < lower - tolerance || point.y > upper + tolerance || a.y == b.y) {
            continue;
        }
        crossings += point.x <= a.x + (b.x - a.x) * ((point.y - a.y) / (b.y - a.y));
    }
    return crossings % 2 == 1;
}

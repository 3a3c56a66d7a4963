// Owns nothing. Rays through tiles, and tiles merged into rectangles.
//
// Source of the walk: J. Amanatides and A. Woo, "A Fast Voxel Traversal Algorithm for Ray Tracing"
// (1987). Instead of comparing two rounded times, the next line of the grid is found by the exact
// side of the ray on which the next corner lies, so that a ray through a corner is known to be one.
#include "geometry/tiles.h"

#include "base/memory.h"
#include "geometry/polygon.h"

typedef struct Walk {
    const PhTiles *tiles;
    PhVec2 origin, path;
    PhVec2 direction;    // the displacement, scaled by a power of two to about 1
    int32_t sx, sy;      // signs of the displacement
    bool pair_x, pair_y; // runs along a line of the grid: both neighbours must be solid
    int32_t column, row;
} Walk;

static bool is_solid(const PhTiles *tiles, int32_t row, int32_t column) {
    return row >= 0 && row < tiles->rows && column >= 0 && column < tiles->columns &&
           tiles->solid[(size_t)row * (size_t)tiles->columns + (size_t)column] != 0;
}

// Whether all of the tile and, for pairs, of its lower neighbours are solid.
static bool all_solid(const PhTiles *tiles, int32_t row, int32_t column, bool pair_x, bool pair_y) {
    return is_solid(tiles, row, column) && (!pair_x || is_solid(tiles, row, column - 1)) &&
           (!pair_y || is_solid(tiles, row - 1, column)) &&
           (!(pair_x && pair_y) || is_solid(tiles, row - 1, column - 1));
}

static int sign_of(double x) {
    return (x > 0) - (x < 0);
}

// The cell in which x lies: of an edge, the one ahead, and the upper one of a ray that runs along
// it. Beyond the grid -1 or `count`.
static int32_t find_cell(double x, int sign, int32_t count) {
    double cell = sign < 0 ? ceil(x) - 1 : floor(x);
    return cell < 0 ? -1 : cell >= count ? count : (int32_t)cell;
}

// Sign of the exact (line - from) - displacement.
static int past_end(int32_t line, double from, double path) {
    double gap = line - from, part = gap - line; // and what gap has lost (Knuth 1969)
    double lost = (line - (gap - part)) - (from + part);
    return gap != path ? sign_of(gap - path) : sign_of(lost);
}

static int side_of(const Walk *walk, int32_t x, int32_t y) {
    return ph_ray_side(walk->origin, walk->direction, ph_vec(x, y));
}

// The row into which the ray goes when it crosses the vertical line at x, within -1 .. rows.
static int32_t row_behind(const Walk *walk, int32_t x) {
    int32_t low = -1, high = walk->tiles->rows; // the row is low at least, and high at most
    while (low < high) {
        int32_t middle = low + (high - low + 1) / 2; // is the corner (x, middle) below the ray?
        int above = side_of(walk, x, middle) * walk->sx;
        if (above < 0 || (above == 0 && walk->sy > 0)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static int32_t column_behind(const Walk *walk, int32_t y) {
    int32_t low = -1, high = walk->tiles->columns;
    while (low < high) {
        int32_t middle = low + (high - low + 1) / 2;
        int right = -side_of(walk, middle, y) * walk->sy;
        if (right < 0 || (right == 0 && walk->sx > 0)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

// From a start beyond the grid to its first cell. False when the ray misses the grid.
static bool enter_grid(Walk *walk) {
    int32_t columns = walk->tiles->columns, rows = walk->tiles->rows;
    bool before = walk->sx > 0 ? walk->column < 0 : walk->sx < 0 && walk->column >= columns;
    if (before) {
        walk->column = walk->sx > 0 ? 0 : columns - 1;
        if (walk->sy != 0) {
            walk->row = row_behind(walk, walk->sx > 0 ? 0 : columns);
        }
    }
    before = walk->sy > 0 ? walk->row < 0 : walk->sy < 0 && walk->row >= rows;
    if (before) {
        walk->row = walk->sy > 0 ? 0 : rows - 1;
        if (walk->sx != 0) {
            walk->column = column_behind(walk, walk->sy > 0 ? 0 : rows);
        }
    }
    // A ray along the outermost line has a free neighbour from its start to its end.
    return walk->column >= 0 && walk->column < columns && walk->row >= 0 && walk->row < rows;
}

// The face over which the cell was entered: 0 vertical, 1 horizontal, 2 both at once, a corner.
static int entered_face(const Walk *walk) {
    if (walk->sx == 0 || walk->sy == 0) {
        return walk->sx == 0;
    }
    int side = side_of(walk, walk->column + (walk->sx < 0), walk->row + (walk->sy < 0));
    return side == 0 ? 2 : side * walk->sx * walk->sy > 0;
}

static bool ends_before(const Walk *walk, int face) {
    bool by_x = face != 1;
    int32_t line = by_x ? walk->column + (walk->sx < 0) : walk->row + (walk->sy < 0);
    double from = by_x ? walk->origin.x : walk->origin.y;
    double path = by_x ? walk->path.x : walk->path.y;
    return past_end(line, from, path) * (by_x ? walk->sx : walk->sy) >= 0;
}

// Into the next cell; false at the end of the grid. *face: as entered_face.
static bool take_step(Walk *walk, int *face) {
    if (walk->sx == 0 || walk->sy == 0) {
        *face = walk->sx == 0;
    } else {
        int side = side_of(walk, walk->column + (walk->sx > 0), walk->row + (walk->sy > 0));
        *face = side == 0 ? 2 : side * walk->sx * walk->sy < 0;
    }
    walk->column += *face != 1 ? walk->sx : 0;
    walk->row += *face != 0 ? walk->sy : 0;
    return walk->column >= 0 && walk->column < walk->tiles->columns && walk->row >= 0 &&
           walk->row < walk->tiles->rows;
}

static void make_hit(const Walk *walk, int face, PhTileHit *hit) {
    PhTileHit found = {.row = walk->row,
                       .column = walk->column,
                       .on_x = face != 1,
                       .on_y = face != 0,
                       .x = walk->column + (walk->sx < 0),
                       .y = walk->row + (walk->sy < 0)};
    bool squarely = fabs(walk->path.x) >= fabs(walk->path.y);
    bool by_x = face == 0 || (face == 2 && squarely);
    double fraction = by_x ? (found.x - walk->origin.x) / walk->path.x
                           : (found.y - walk->origin.y) / walk->path.y;
    found.fraction = fraction > 0 ? fraction < 1 ? fraction : 1 : 0;
    if (face == 2) { // a face that a solid neighbour covers is not there
        bool open_x = !is_solid(walk->tiles, walk->row, walk->column - walk->sx);
        bool open_y = !is_solid(walk->tiles, walk->row - walk->sy, walk->column);
        by_x = open_x != open_y ? open_x : squarely;
    }
    found.normal = by_x ? ph_vec(-walk->sx, 0) : ph_vec(0, -walk->sy);
    *hit = found;
}

static PhVec2 against(PhVec2 path) {
    double scale = fmax(fabs(path.x), fabs(path.y));
    if (!(scale > 0)) {
        return ph_vec(0, 1); // as rays of no length have it elsewhere
    }
    PhVec2 unit = ph_vec(path.x / scale, path.y / scale);
    double length = ph_length(unit);
    return ph_vec(0.0 - unit.x / length, 0.0 - unit.y / length);
}

bool ph_tiles_cast_ray(const PhTiles *tiles, PhVec2 origin, PhVec2 translation, PhTileHit *hit) {
    int sx = sign_of(translation.x), sy = sign_of(translation.y);
    bool line_x = floor(origin.x) == origin.x, line_y = floor(origin.y) == origin.y;
    int32_t column = find_cell(origin.x, 0, tiles->columns);
    int32_t row = find_cell(origin.y, 0, tiles->rows);
    if (all_solid(tiles, row, column, line_x, line_y)) {
        *hit = (PhTileHit){.row = row, .column = column, .normal = against(translation)};
        return true;
    }
    if (sx == 0 && sy == 0) {
        return false;
    }
    int exponent;
    (void)frexp(fmax(fabs(translation.x), fabs(translation.y)), &exponent);
    Walk walk = {.tiles = tiles,
                 .origin = origin,
                 .path = translation,
                 .direction = {ldexp(translation.x, -exponent), ldexp(translation.y, -exponent)},
                 .sx = sx,
                 .sy = sy,
                 .pair_x = sx == 0 && line_x,
                 .pair_y = sy == 0 && line_y,
                 .column = find_cell(origin.x, sx, tiles->columns),
                 .row = find_cell(origin.y, sy, tiles->rows)};
    bool starts_in =
        walk.column >= 0 && walk.column < tiles->columns && walk.row >= 0 && walk.row < tiles->rows;
    int face = line_x && sx != 0 ? line_y && sy != 0 ? 2 : 0 : 1; // of a start on an edge
    if (!starts_in) {
        if (!enter_grid(&walk)) {
            return false;
        }
        face = entered_face(&walk);
        if (ends_before(&walk, face)) {
            return false;
        }
    }
    while (!all_solid(tiles, walk.row, walk.column, walk.pair_x, walk.pair_y)) {
        if (!take_step(&walk, &face) || ends_before(&walk, face)) {
            return false;
        }
    }
    make_hit(&walk, face, hit);
    return true;
}

// ------------------------------------------------------------------------------------------------
// rectangles

static bool can_take(const PhTiles *tiles, const unsigned char *taken, int32_t row, int32_t column,
                     int32_t columns) {
    size_t first = (size_t)row * (size_t)tiles->columns + (size_t)column;
    for (size_t i = first; i < first + (size_t)columns; i++) {
        if (!tiles->solid[i] || taken[i]) {
            return false;
        }
    }
    return true;
}

static PhTileRectangle take_rectangle(const PhTiles *tiles, unsigned char *taken, int32_t row,
                                      int32_t column) {
    PhTileRectangle r = {row, column, 1, 1};
    while (column + r.columns < tiles->columns &&
           can_take(tiles, taken, row, column + r.columns, 1)) {
        r.columns++;
    }
    while (row + r.rows < tiles->rows && can_take(tiles, taken, row + r.rows, column, r.columns)) {
        r.rows++;
    }
    for (int32_t i = row; i < row + r.rows; i++) {
        for (int32_t k = column; k < column + r.columns; k++) {
            taken[(size_t)i * (size_t)tiles->columns + (size_t)k] = 1;
        }
    }
    return r;
}

PhStatus ph_tiles_rectangles(const PhTiles *tiles, PhTileRectangle **rectangles, uint32_t *count) {
    size_t cells = (size_t)tiles->rows * (size_t)tiles->columns;
    unsigned char *taken = ph_alloc(cells, 1);
    PhTileRectangle *list = NULL;
    uint32_t used = 0;
    PhStatus status = taken ? PH_RESERVE(list, 1) : PH_ERROR_MEMORY;
    for (size_t i = 0; !status && i < cells; i++) {
        if (!tiles->solid[i] || taken[i]) {
            continue;
        }
        status = PH_RESERVE(list, (uint64_t)used + 1);
        if (!status) {
            int32_t row = (int32_t)(i / (size_t)tiles->columns);
            int32_t column = (int32_t)(i % (size_t)tiles->columns);
            list[used++] = take_rectangle(tiles, taken, row, column);
        }
    }
    ph_free(taken);
    if (status) {
        ph_free(list);
        return status;
    }
    *rectangles = list;
    *count = used;
    return PH_OK;
}

// Tile maps: a grid of solid and free unit squares.
#ifndef PH_GEOMETRY_TILES_H
#define PH_GEOMETRY_TILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "math/vec2.h"

// The tile (row, column) covers column <= x <= column + 1, row <= y <= row + 1. Outside all is
// free.
typedef struct PhTiles {
    const unsigned char *solid; // rows x columns, row 0 the lowest; not 0: solid
    int32_t rows, columns;
} PhTiles;

typedef struct PhTileHit {
    int32_t row, column; // of the solid tile that is entered; of the start when inside
    double fraction;     // of the translation, below 1 before rounding
    PhVec2 normal;       // unit; against the translation when the ray starts inside
    bool on_x, on_y;     // the hit has exactly this coordinate of the grid
    int32_t x, y;
} PhTileHit;

// Where origin + t translation, 0 <= t < 1, first enters the inside of the solid (the union of the
// solid tiles without its boundary): to touch or to slide along an edge is no hit, the edge between
// two solid tiles is inside. The cells are walked exactly, also through corners and along edges, as
// long as coordinates of the origin stay below 1e290. Numbers must be finite.
bool ph_tiles_cast_ray(const PhTiles *tiles, PhVec2 origin, PhVec2 translation, PhTileHit *hit);

typedef struct PhTileRectangle {
    int32_t row, column, rows, columns;
} PhTileRectangle;

// Disjoint rectangles whose union is the solid, by the row and column of their lowest left tile:
// each as wide as it can be, then as high. *rectangles comes from ph_alloc.
PhStatus ph_tiles_rectangles(const PhTiles *tiles, PhTileRectangle **rectangles, uint32_t *count);

#endif

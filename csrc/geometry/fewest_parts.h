// The fewest convex parts of a small polygon.
#ifndef PH_GEOMETRY_FEWEST_PARTS_H
#define PH_GEOMETRY_FEWEST_PARTS_H

#include "geometry/polygon.h"
#include "geometry/rings.h"

// Vertices up to which it takes about a millisecond; work grows with their third power.
enum { PH_FEWEST_PARTS_LIMIT = 64 };

// Convex parts of a simple counter-clockwise ring, corners as indices, if they are fewer than so
// many; else the arrays and *part_count stay as they are. No other cut along diagonals has
// fewer. indices holds 3 (count - 2) entries, part_starts count - 1.
PhStatus ph_fewest_parts(const PhVec2 *vertices, int32_t count, int32_t fewer_than,
                         int32_t *indices, int32_t *part_starts, int32_t *part_count,
                         PhError *error);

#endif

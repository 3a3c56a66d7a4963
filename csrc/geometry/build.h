// What the constructors of the shape kinds share: checks with messages, one block for a whole
// shape, and pieces.
#ifndef PH_GEOMETRY_BUILD_H
#define PH_GEOMETRY_BUILD_H

#include "geometry/shape.h"

// Radii and lengths below this are refused: masses and inertias must stay in the range of float32.
#define PH_MIN_SIZE 1e-9

// The shortest decimal that reads back as the number; "nan", "inf" or "-inf".
typedef struct PhNumberText {
    char text[32];
} PhNumberText;
PhNumberText ph_number_text(double value);

// name is the argument ("p"); index >= 0 adds "[index]". False, with *error filled, for NaN,
// infinity and numbers beyond PH_MAX_COORDINATE.
bool ph_check_number(double value, const char *name, int32_t index, PhError *error);
bool ph_check_point(PhVec2 point, const char *name, int32_t index, PhError *error);
// A radius that must be > 0 (and at least PH_MIN_SIZE).
bool ph_check_radius(double radius, PhError *error);

// A shape with one reference and room for its arrays, all in one block and zeroed. `normals` equals
// `vertices` in number (those of the outer ring); part_vertices are for pieces whose vertices are
// not the shape's own: *part_vertices and *part_normals have that many entries.
typedef struct PhShapeSizes {
    PhShapeKind kind;
    int32_t vertex_count;
    int32_t hole_count, hole_vertex_count;
    int32_t piece_count, part_vertex_count;
} PhShapeSizes;
PhShape *ph_shape_new(const PhShapeSizes *sizes, PhVec2 **part_vertices, PhVec2 **part_normals,
                      PhError *error);

// Unit normal to the right of a -> b; exact lengths down to the smallest numbers. {0, -1} when a ==
// b.
PhVec2 ph_right_normal(PhVec2 a, PhVec2 b);

// Fills a piece from its vertices: normals (count entries, written), centroid, extent, width. flags
// and ghosts stay zero.
void ph_piece_init(PhPiece *piece, const PhVec2 *vertices, PhVec2 *normals, int32_t count,
                   double radius);

// Box and extent of the shape from its vertices and radius, and the tree over its pieces, which are
// complete. The shape, or when stop wanted it to end NULL: then it is released.
PhShape *ph_shape_measured(PhShape *shape, const PhStop *stop, PhError *error);

#endif

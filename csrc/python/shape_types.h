// The types of shapes that users make: the one list of them. A new one is a row, its file
// shape_NAME.c with `core_NAME_spec`, and an entry in the stub. Those with the base POLYGON are
// polygons with parameters of their own; a type for a new kind of geometry/shape_list.h has the
// base SHAPE.
#ifndef PYTHON_SHAPE_TYPES_H
#define PYTHON_SHAPE_TYPES_H

// TYPE(constant, name, base): a base comes before its types.
#define CORE_SHAPE_TYPES(TYPE)                                                                     \
    TYPE(CIRCLE, circle, SHAPE)                                                                    \
    TYPE(POLYGON, polygon, SHAPE)                                                                  \
    TYPE(BOX, box, POLYGON)                                                                        \
    TYPE(REGULAR_POLYGON, regular_polygon, POLYGON)                                                \
    TYPE(CAPSULE, capsule, SHAPE)                                                                  \
    TYPE(SEGMENT, segment, SHAPE)                                                                  \
    TYPE(CHAIN, chain, SHAPE)

#endif

// The kinds of shapes: the one list of them. From it come the enum and the table of what is known
// of a kind, by which shapes are moved, read from snapshots, drawn and cut.
//
// A new kind is a row at the end and its file, NAME.c, with its constructor and `ph_NAME_kind`.
// What collides are its pieces (piece.h), so no other part of the engine knows it.
#ifndef PH_GEOMETRY_SHAPE_LIST_H
#define PH_GEOMETRY_SHAPE_LIST_H

// KIND(constant, name): snapshots and files have their numbers, so the order stays.
#define PH_SHAPE_KINDS(KIND)                                                                       \
    KIND(CIRCLE, circle)                                                                           \
    KIND(POLYGON, polygon)                                                                         \
    KIND(CAPSULE, capsule)                                                                         \
    KIND(SEGMENT, segment)                                                                         \
    KIND(CHAIN, chain)

#endif

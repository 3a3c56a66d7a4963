// The planar graph of a polygon and a line, for slice.c. It has nodes where rings meet the line.
// Neighbouring nodes are joined by stretches of the line; a stretch with the polygon on both sides
// is a chord. The faces between rings and chords are the parts.
#ifndef PH_GEOMETRY_SLICE_WALK_H
#define PH_GEOMETRY_SLICE_WALK_H

#include "geometry/operations.h"

enum { PH_NO_NODE = -1 };

// Directions at a node, counter-clockwise, in a frame whose x axis is the line from p to q.
typedef enum PhSlot {
    PH_EAST,
    PH_UP_EAST,
    PH_UP_WEST,
    PH_WEST,
    PH_DOWN_WEST,
    PH_DOWN_EAST,
    PH_SLOT_COUNT
} PhSlot;
enum { PH_ABSENT, PH_COMING, PH_GOING }; // how the ring passes a node

typedef struct PhSliceNode {
    int32_t vertex; // on the line, or the start of an edge that crosses it
    bool crossing;
    uint8_t ring[PH_SLOT_COUNT];    // PH_ABSENT, ...; not for PH_EAST and PH_WEST
    bool walked[PH_SLOT_COUNT];     // a face has left the node in this direction
    bool left_inside, right_inside; // of the stretch to the next node
    bool cut;                       // the chord to the next node is part of the cut
    int32_t left_face, right_face;  // of that stretch
    PhVec2 point;
} PhSliceNode;

typedef struct PhSliceWalk {
    PhVec2 *vertices; // copies, because those of a hole may be moved
    int32_t *after;
    int32_t *before;
    int8_t *side;
    int32_t *node_at; // by vertex: the node there or on the edge that starts there
    int32_t count;
    const int32_t *starts;
    int32_t ring_count;
    PhCutLine line;
    double snap; // vertices this near to the line count as on it; 0: only those that are on it
    PhSliceNode *nodes;
    int32_t *order; // nodes along the line
    int32_t node_count;
    // Faces: rings of the part graph, one after the other.
    PhVec2 *out;
    int32_t *face_starts; // face_count + 1 offsets
    int8_t *face_sides;   // the side of its last vertex that is not on the line
    int32_t *face_wests;  // its first node along the line; INT32_MAX: none
    int32_t face_count, out_count;
    const PhStop *stop; // may be NULL; after a stop the contents do not matter
} PhSliceWalk;

// A node by its number along the line.
static inline PhSliceNode *ph_slice_node(const PhSliceWalk *walk, int32_t number) {
    return &walk->nodes[walk->order[number]];
}

// From vertices, links and sides: orders the nodes, finds the stretches between them, and cuts all
// chords. False if the rings are not those of a polygon.
bool ph_slice_nodes(PhSliceWalk *walk);
// Finds all faces at the line, each of which has an edge of a ring, then the rings that do not meet
// the line. False if a walk has no next edge.
bool ph_slice_faces(PhSliceWalk *walk);

#endif

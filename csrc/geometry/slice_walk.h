// The plane graph of a polygon and a line, for slice.c. Where the rings meet the line there are
// nodes; between neighbouring nodes lie stretches of the line, and a stretch with the polygon on
// both sides is a chord. The faces of rings and chords are the parts.
#ifndef PH_GEOMETRY_SLICE_WALK_H
#define PH_GEOMETRY_SLICE_WALK_H

#include "geometry/operations.h"

enum { PH_NO_NODE = -1 };

// Directions at a node, the line taken as the x axis from p to q; counter-clockwise.
typedef enum PhSlot {
    PH_EAST,
    PH_UP_EAST,
    PH_UP_WEST,
    PH_WEST,
    PH_DOWN_WEST,
    PH_DOWN_EAST,
    PH_SLOT_COUNT
} PhSlot;
enum { PH_ABSENT, PH_COMING, PH_GOING }; // how the ring runs at a node

typedef struct PhSliceNode {
    int32_t vertex; // on the line, or the start of an edge that crosses it
    bool crossing;
    uint8_t ring[PH_SLOT_COUNT];    // PH_ABSENT, ...; not for PH_EAST and PH_WEST
    bool walked[PH_SLOT_COUNT];     // a face has left by this slot
    bool left_inside, right_inside; // of the stretch to the next node
    bool cut;                       // the chord to the next node divides
    int32_t left_face, right_face;  // of that stretch
    PhVec2 point;
} PhSliceNode;

typedef struct PhSliceWalk {
    PhVec2 *vertices; // copies: one of a hole may be moved
    int32_t *after;
    int32_t *before;
    int8_t *side;
    int32_t *node_at; // by vertex: the node there or on the edge that starts there
    int32_t count;
    const int32_t *starts;
    int32_t ring_count;
    PhCutLine line;
    double snap; // vertices this near count as on the line; 0: only those that are
    PhSliceNode *nodes;
    int32_t *order; // nodes along the line
    int32_t node_count;
    // Faces: rings of the part graph, one after the other.
    PhVec2 *out;
    int32_t *face_starts; // face_count + 1
    int8_t *face_sides;   // that of its last vertex beside the line
    int32_t *face_wests;  // its first node along the line; INT32_MAX: none
    int32_t face_count, out_count;
    const PhStop *stop; // may be NULL; once it is wanted nothing here counts any more
} PhSliceWalk;

// A node by its number along the line.
static inline PhSliceNode *ph_slice_node(const PhSliceWalk *walk, int32_t number) {
    return &walk->nodes[walk->order[number]];
}

// From vertices, links and sides: nodes in order, the stretches between them, and all chords cut.
// False where the rings are not those of a polygon.
bool ph_slice_nodes(PhSliceWalk *walk);
// All faces at the line, each of which has some edge of a ring, then the rings that do not meet the
// line. False where there is no way.
bool ph_slice_faces(PhSliceWalk *walk);

#endif

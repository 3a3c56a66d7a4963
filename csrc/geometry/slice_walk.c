// Owns nothing: the plane graph of a polygon and a line, and the walks around its faces. The order
// of the nodes along the line, the edges around a node and the sides of vertices are decided by
// exact orientations, so that the graph is right however thin the polygon is; only the coordinates
// of the nodes are rounded, and the faces share them. With a snap distance, an edge that crosses
// the line passes all vertices that count as on it, so that the order is as good.
//
// Invariant of a walk: the face is on the left. At a node the walk goes on along the first edge
// clockwise from the one it came by.
#include "geometry/slice_walk.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "geometry/polygon.h"

// ------------------------------------------------------------------------------------------------
// nodes

static bool crosses(const PhSliceWalk *walk, int32_t vertex) {
    return walk->side[vertex] * walk->side[walk->after[vertex]] < 0;
}

// Whether w is behind the upward edge through the line, seen along the line: sign of the side.
static int side_of_edge(const PhSliceWalk *walk, const PhSliceNode *node, PhVec2 w) {
    int32_t from = node->vertex, to = walk->after[from];
    bool up = walk->side[from] < 0;
    return ph_orientation(walk->vertices[up ? from : to], walk->vertices[up ? to : from], w);
}

// Two edges that cross the line do not cross each other: the ends of one lie on one side of the
// other. > 0: b is to the west of a.
static int compare_crossings(const PhSliceWalk *walk, const PhSliceNode *a, const PhSliceNode *b) {
    for (int turn = 0; turn < 2; turn++) {
        const PhSliceNode *e = turn == 0 ? a : b, *f = turn == 0 ? b : a;
        int from = side_of_edge(walk, e, walk->vertices[f->vertex]);
        int to = side_of_edge(walk, e, walk->vertices[walk->after[f->vertex]]);
        int side = from != 0 ? from : to;
        if (from * to >= 0 && side != 0) {
            return turn == 0 ? side : -side;
        }
    }
    return 0;
}

// Along the line from p to q, in the coordinate that changes more.
static double progress(const PhSliceWalk *walk, PhVec2 point) {
    PhVec2 d = ph_sub(walk->line.q, walk->line.p);
    bool flat = fabs(d.x) >= fabs(d.y);
    double along = flat ? point.x : point.y;
    return (flat ? d.x : d.y) > 0 ? along : -along;
}

static bool node_order(const void *first, const void *second, const void *context) {
    const PhSliceWalk *walk = context;
    int32_t i = *(const int32_t *)first, j = *(const int32_t *)second;
    const PhSliceNode *a = &walk->nodes[i], *b = &walk->nodes[j];
    int side = 0; // > 0: b is to the west of a
    if (a->crossing && b->crossing) {
        side = i != j ? compare_crossings(walk, a, b) : 0;
    } else if (a->crossing) {
        side = side_of_edge(walk, a, walk->vertices[b->vertex]);
    } else if (b->crossing) {
        side = -side_of_edge(walk, b, walk->vertices[a->vertex]);
    } else {
        // Of two points on the line either coordinate tells.
        double u = progress(walk, a->point), v = progress(walk, b->point);
        side = (u > v) - (u < v);
    }
    return side != 0 ? side < 0 : i < j;
}

// How the ring comes to and leaves the node.
static void fill_slots(const PhSliceWalk *walk, PhSliceNode *node) {
    int32_t vertex = node->vertex;
    if (node->crossing) {
        bool up = walk->side[vertex] < 0;
        node->ring[PH_DOWN_EAST] = up ? PH_COMING : PH_GOING;
        node->ring[PH_UP_EAST] = up ? PH_GOING : PH_COMING;
        return;
    }
    int32_t before = walk->before[vertex], after = walk->after[vertex];
    int from = walk->side[before], to = walk->side[after];
    if (from != to || from == 0) {
        if (from != 0) {
            node->ring[from > 0 ? PH_UP_EAST : PH_DOWN_EAST] = PH_COMING;
        }
        if (to != 0) {
            node->ring[to > 0 ? PH_UP_EAST : PH_DOWN_EAST] = PH_GOING;
        }
        return;
    }
    // Touches the line from one side. A turn to the left goes on to the east of a ring that comes
    // from above, and to the west of one from below.
    bool left =
        ph_orientation(walk->vertices[before], walk->vertices[vertex], walk->vertices[after]) > 0;
    if (from > 0) {
        node->ring[PH_UP_WEST] = left ? PH_COMING : PH_GOING;
        node->ring[PH_UP_EAST] = left ? PH_GOING : PH_COMING;
    } else {
        node->ring[PH_DOWN_EAST] = left ? PH_COMING : PH_GOING;
        node->ring[PH_DOWN_WEST] = left ? PH_GOING : PH_COMING;
    }
}

// Rounding must not bring crossing points out of their order.
static void keep_order(const PhSliceWalk *walk) {
    for (int32_t i = 1; i < walk->node_count; i++) {
        const PhSliceNode *last = &walk->nodes[walk->order[i - 1]];
        PhSliceNode *node = &walk->nodes[walk->order[i]];
        if (node->crossing && progress(walk, node->point) < progress(walk, last->point)) {
            node->point = last->point;
        }
    }
    for (int32_t i = walk->node_count - 2; i >= 0; i--) {
        const PhSliceNode *next = &walk->nodes[walk->order[i + 1]];
        PhSliceNode *node = &walk->nodes[walk->order[i]];
        if (node->crossing && progress(walk, node->point) > progress(walk, next->point)) {
            node->point = next->point;
        }
    }
}

bool ph_slice_nodes(PhSliceWalk *walk) {
    int32_t count = 0;
    for (int32_t i = 0; i < walk->count; i++) {
        walk->node_at[i] = PH_NO_NODE;
        if (walk->side[i] == 0 || crosses(walk, i)) {
            PhSliceNode *node = &walk->nodes[count];
            *node = (PhSliceNode){.vertex = i, .crossing = walk->side[i] != 0};
            node->left_face = node->right_face = PH_NO_NODE;
            node->point = node->crossing ? ph_line_cut(&walk->line, walk->vertices[i],
                                                       walk->vertices[walk->after[i]])
                                         : walk->vertices[i];
            fill_slots(walk, node);
            walk->order[count] = count;
            count++;
        }
    }
    walk->node_count = count;
    if (!ph_sort_until(walk->order, (size_t)count, sizeof *walk->order, node_order, walk,
                       walk->stop)) {
        return false;
    }
    keep_order(walk);
    // From here on nodes are known by their number along the line.
    bool left = false, right = false;
    for (int32_t i = 0; i < count; i++) {
        PhSliceNode *node = &walk->nodes[walk->order[i]];
        bool up = (node->ring[PH_UP_EAST] != PH_ABSENT) != (node->ring[PH_UP_WEST] != PH_ABSENT);
        bool down =
            (node->ring[PH_DOWN_EAST] != PH_ABSENT) != (node->ring[PH_DOWN_WEST] != PH_ABSENT);
        left = left != up;
        right = right != down;
        node->left_inside = left;
        node->right_inside = right;
        node->cut = left && right;
        walk->node_at[node->vertex] = i;
    }
    return !left && !right;
}

// ------------------------------------------------------------------------------------------------
// faces

// Whether the stretch to the east of a node is an edge of the graph.
static bool is_edge(const PhSliceNode *node) {
    return node->left_inside != node->right_inside || node->cut;
}

static bool is_present(const PhSliceWalk *walk, int32_t number, PhSlot slot) {
    if (slot == PH_EAST) {
        return is_edge(ph_slice_node(walk, number));
    }
    if (slot == PH_WEST) {
        return number > 0 && is_edge(ph_slice_node(walk, number - 1));
    }
    return ph_slice_node(walk, number)->ring[slot] != PH_ABSENT;
}

// Whether a face on the left may leave the node in that direction.
static bool is_way_out(const PhSliceWalk *walk, int32_t number, PhSlot slot) {
    if (!is_present(walk, number, slot)) {
        return false;
    }
    if (slot == PH_EAST) {
        return ph_slice_node(walk, number)->left_inside;
    }
    if (slot == PH_WEST) {
        return ph_slice_node(walk, number - 1)->right_inside;
    }
    return ph_slice_node(walk, number)->ring[slot] == PH_GOING;
}

static void emit(PhSliceWalk *walk, PhVec2 point) {
    PhVec2 *out = walk->out;
    int32_t start = walk->face_starts[walk->face_count], size = walk->out_count;
    if (size > start && out[size - 1].x == point.x && out[size - 1].y == point.y) {
        return;
    }
    if (size > start + 1 && out[size - 2].x == point.x && out[size - 2].y == point.y) {
        walk->out_count--; // there and back: a tip that rounding has closed
        return;
    }
    out[walk->out_count++] = point;
}

// Follows the ring from a node to the next; returns its number.
static int32_t follow_ring(PhSliceWalk *walk, int32_t number) {
    const PhSliceNode *node = ph_slice_node(walk, number);
    int32_t vertex = walk->after[node->vertex];
    for (int32_t guard = 0; guard <= walk->count; guard++) {
        if (walk->side[vertex] == 0) {
            break;
        }
        emit(walk, walk->vertices[vertex]);
        walk->face_sides[walk->face_count] = walk->side[vertex];
        if (walk->node_at[vertex] != PH_NO_NODE) {
            break;
        }
        vertex = walk->after[vertex];
    }
    return walk->node_at[vertex];
}

static PhSlot coming_slot(const PhSliceNode *node) {
    for (int slot = 0; slot < PH_SLOT_COUNT; slot++) {
        if (node->ring[slot] == PH_COMING) {
            return (PhSlot)slot;
        }
    }
    return PH_SLOT_COUNT;
}

// The last vertex of the open face, if the face goes straight on there, says nothing.
static void drop_straight(PhSliceWalk *walk, PhVec2 next) {
    int32_t size = walk->out_count - walk->face_starts[walk->face_count];
    const PhVec2 *last = walk->out + walk->out_count - 1;
    if (size >= 2 && ph_orientation(last[-1], last[0], next) == 0) {
        walk->out_count--;
    }
}

// Takes a step from a node by a slot; leaves in both where it arrived and by which slot the face
// goes on. False when it cannot.
static bool step(PhSliceWalk *walk, int32_t *number, PhSlot *slot) {
    PhSliceNode *node = ph_slice_node(walk, *number);
    int32_t *west = &walk->face_wests[walk->face_count];
    *west = *number < *west ? *number : *west;
    node->walked[*slot] = true;
    PhSlot arrival;
    if (*slot == PH_EAST) {
        node->left_face = walk->face_count;
        *number += 1;
        arrival = PH_WEST;
    } else if (*slot == PH_WEST) {
        *number -= 1;
        ph_slice_node(walk, *number)->right_face = walk->face_count;
        arrival = PH_EAST;
    } else {
        *number = follow_ring(walk, *number);
        if (*number == PH_NO_NODE) {
            return false;
        }
        arrival = coming_slot(ph_slice_node(walk, *number));
        if (arrival == PH_SLOT_COUNT) {
            return false;
        }
    }
    int leave = arrival;
    do {
        leave = leave > 0 ? leave - 1 : PH_SLOT_COUNT - 1;
    } while (leave != (int)arrival && !is_present(walk, *number, (PhSlot)leave));
    node = ph_slice_node(walk, *number);
    bool on_line =
        (arrival == PH_WEST && leave == PH_EAST) || (arrival == PH_EAST && leave == PH_WEST);
    bool uncut =
        node->crossing && node->ring[arrival] == PH_COMING && node->ring[leave] == PH_GOING;
    if (!uncut) {
        emit(walk, node->point);
    }
    if (on_line) { // a vertex of some other part
        int32_t next = leave == PH_EAST ? *number + 1 : *number - 1;
        drop_straight(walk, ph_slice_node(walk, next)->point);
    }
    *slot = (PhSlot)leave;
    return is_way_out(walk, *number, *slot);
}

static void open_face(PhSliceWalk *walk) {
    walk->face_starts[walk->face_count] = walk->out_count;
    walk->face_sides[walk->face_count] = 0;
    walk->face_wests[walk->face_count] = INT32_MAX;
}

// Closes the open face: ends that repeat the beginning, or run into it and back, go.
static void close_face(PhSliceWalk *walk) {
    int32_t start = walk->face_starts[walk->face_count];
    PhVec2 *ring = walk->out + start;
    int32_t from = 0, to = walk->out_count - start;
    for (bool changed = true; changed && to - from >= 2;) {
        PhVec2 first = ring[from], second = ring[from + 1], last = ring[to - 1];
        PhVec2 before_last = ring[to - 2];
        changed = true;
        if (first.x == last.x && first.y == last.y) {
            to--;
        } else if (before_last.x == first.x && before_last.y == first.y) {
            to -= 2;
        } else if (second.x == last.x && second.y == last.y) {
            from++;
            to--;
        } else {
            changed = false;
        }
    }
    memmove(ring, ring + from, (size_t)(to > from ? to - from : 0) * sizeof *ring);
    walk->out_count = start + (to > from ? to - from : 0);
    walk->face_count++;
    open_face(walk);
}

bool ph_slice_faces(PhSliceWalk *walk) {
    walk->face_count = walk->out_count = 0;
    open_face(walk);
    for (int32_t i = 0; i < walk->node_count; i++) {
        memset(walk->nodes[i].walked, 0, sizeof walk->nodes[i].walked);
    }
    for (int32_t i = 0; i < walk->node_count; i++) {
        for (int s = 0; s < PH_SLOT_COUNT; s++) {
            const PhSliceNode *node = ph_slice_node(walk, i);
            if (node->ring[s] != PH_GOING || node->walked[s]) {
                continue;
            }
            int32_t number = i;
            PhSlot slot = (PhSlot)s;
            int64_t guard = 2 * (int64_t)PH_SLOT_COUNT * walk->node_count;
            do {
                if (!step(walk, &number, &slot) || --guard < 0) {
                    return false;
                }
            } while (number != i || slot != (PhSlot)s);
            close_face(walk);
        }
    }
    for (int32_t ring = 0; ring < walk->ring_count; ring++) {
        bool apart = true;
        for (int32_t i = walk->starts[ring]; i < walk->starts[ring + 1]; i++) {
            apart = apart && walk->node_at[i] == PH_NO_NODE;
        }
        for (int32_t i = walk->starts[ring]; apart && i < walk->starts[ring + 1]; i++) {
            walk->out[walk->out_count++] = walk->vertices[i];
        }
        if (apart) {
            walk->face_sides[walk->face_count++] = walk->side[walk->starts[ring]];
            open_face(walk);
        }
    }
    return true;
}

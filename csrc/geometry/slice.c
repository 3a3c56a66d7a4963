// Owns nothing: cuts a polygon with holes along a line. Where the rings meet the line there are
// nodes; between neighbouring nodes lie stretches of the line, and a stretch with the polygon on
// both sides is a chord. Rings and chords make a plane graph whose faces are the parts. The order
// of the nodes along the line, the edges around a node and the sides of vertices are decided by
// exact orientations, so that the graph is right however thin the polygon is; only the coordinates
// of the nodes are rounded, and two parts share them.
//
// Invariant of a walk: the face is on the left. At a node the walk goes on along the first edge
// clockwise from the one it came by.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "geometry/operations.h"
#include "geometry/polygon.h"

// Directions at a node, the line taken as the x axis from p to q; counter-clockwise.
typedef enum Slot { EAST, UP_EAST, UP_WEST, WEST, DOWN_WEST, DOWN_EAST, SLOT_COUNT } Slot;
enum { NONE = -1 };
enum { ABSENT, COMING, GOING }; // how the ring runs at a node

typedef struct Node {
    int32_t vertex; // on the line, or the start of an edge that crosses it
    bool crossing;
    uint8_t ring[SLOT_COUNT];       // ABSENT, COMING or GOING; not for EAST and WEST
    bool walked[SLOT_COUNT];        // a face has left by this slot
    bool left_inside, right_inside; // of the stretch to the next node
    bool cut;                       // the chord to the next node divides
    int32_t left_face, right_face;  // of that stretch
    PhVec2 point;
} Node;

typedef struct Walk {
    PhVec2 *vertices; // copies: one of a hole may be moved
    int32_t *after;
    int32_t *before;
    int8_t *side;
    int32_t *node_at; // by vertex: the node there or on the edge that starts there
    int32_t count;
    const int32_t *starts;
    int32_t ring_count;
    PhCutLine line;
    Node *nodes;
    int32_t *order; // nodes along the line
    int32_t node_count;
    // Faces: rings of the part graph, one after the other.
    PhVec2 *out;
    int32_t *face_starts; // face_count + 1
    int8_t *face_sides;   // that of its last vertex beside the line
    int32_t *face_wests;  // its first node along the line; INT32_MAX: none
    int32_t face_count, out_count;
} Walk;

// ------------------------------------------------------------------------------------------
// nodes

static bool crosses(const Walk *walk, int32_t vertex) {
    return walk->side[vertex] * walk->side[walk->after[vertex]] < 0;
}

// Whether w is behind the upward edge through the line, seen along the line: sign of the side.
static int side_of_edge(const Walk *walk, const Node *node, PhVec2 w) {
    int32_t from = node->vertex, to = walk->after[from];
    bool up = walk->side[from] < 0;
    return ph_orientation(walk->vertices[up ? from : to], walk->vertices[up ? to : from], w);
}

// Two edges that cross the line do not cross each other: the ends of one lie on one side of the
// other. > 0: b is to the west of a.
static int compare_crossings(const Walk *walk, const Node *a, const Node *b) {
    for (int turn = 0; turn < 2; turn++) {
        const Node *e = turn == 0 ? a : b, *f = turn == 0 ? b : a;
        int from = side_of_edge(walk, e, walk->vertices[f->vertex]);
        int to = side_of_edge(walk, e, walk->vertices[walk->after[f->vertex]]);
        int side = from != 0 ? from : to;
        if (from * to >= 0 && side != 0) {
            return turn == 0 ? side : -side;
        }
    }
    return 0;
}

static bool node_order(const void *first, const void *second, const void *context) {
    const Walk *walk = context;
    int32_t i = *(const int32_t *)first, j = *(const int32_t *)second;
    const Node *a = &walk->nodes[i], *b = &walk->nodes[j];
    int side = 0; // > 0: b is to the west of a
    if (a->crossing && b->crossing) {
        side = i != j ? compare_crossings(walk, a, b) : 0;
    } else if (a->crossing) {
        side = side_of_edge(walk, a, walk->vertices[b->vertex]);
    } else if (b->crossing) {
        side = -side_of_edge(walk, b, walk->vertices[a->vertex]);
    } else {
        // Both are on the line exactly, so that either coordinate tells.
        PhVec2 p = walk->line.p, q = walk->line.q;
        PhVec2 u = walk->vertices[a->vertex], v = walk->vertices[b->vertex];
        side = p.x != q.x ? ((u.x > v.x) - (u.x < v.x)) * (p.x < q.x ? 1 : -1)
                          : ((u.y > v.y) - (u.y < v.y)) * (p.y < q.y ? 1 : -1);
    }
    return side != 0 ? side < 0 : i < j;
}

// How the ring comes to and leaves the node.
static void fill_slots(const Walk *walk, Node *node) {
    int32_t vertex = node->vertex;
    if (node->crossing) {
        bool up = walk->side[vertex] < 0;
        node->ring[DOWN_EAST] = up ? COMING : GOING;
        node->ring[UP_EAST] = up ? GOING : COMING;
        return;
    }
    int32_t before = walk->before[vertex], after = walk->after[vertex];
    int from = walk->side[before], to = walk->side[after];
    if (from != to || from == 0) {
        if (from != 0) {
            node->ring[from > 0 ? UP_EAST : DOWN_EAST] = COMING;
        }
        if (to != 0) {
            node->ring[to > 0 ? UP_EAST : DOWN_EAST] = GOING;
        }
        return;
    }
    // Touches the line from one side. A turn to the left goes on to the east of a ring that comes
    // from above, and to the west of one from below.
    bool left =
        ph_orientation(walk->vertices[before], walk->vertices[vertex], walk->vertices[after]) > 0;
    if (from > 0) {
        node->ring[UP_WEST] = left ? COMING : GOING;
        node->ring[UP_EAST] = left ? GOING : COMING;
    } else {
        node->ring[DOWN_EAST] = left ? COMING : GOING;
        node->ring[DOWN_WEST] = left ? GOING : COMING;
    }
}

// Along the line from p to q, in the coordinate that changes more.
static double progress(const Walk *walk, PhVec2 point) {
    PhVec2 d = ph_sub(walk->line.q, walk->line.p);
    bool flat = fabs(d.x) >= fabs(d.y);
    double along = flat ? point.x : point.y;
    return (flat ? d.x : d.y) > 0 ? along : -along;
}

// Rounding must not bring crossing points out of their order.
static void keep_order(const Walk *walk) {
    for (int32_t i = 1; i < walk->node_count; i++) {
        const Node *last = &walk->nodes[walk->order[i - 1]];
        Node *node = &walk->nodes[walk->order[i]];
        if (node->crossing && progress(walk, node->point) < progress(walk, last->point)) {
            node->point = last->point;
        }
    }
    for (int32_t i = walk->node_count - 2; i >= 0; i--) {
        const Node *next = &walk->nodes[walk->order[i + 1]];
        Node *node = &walk->nodes[walk->order[i]];
        if (node->crossing && progress(walk, node->point) > progress(walk, next->point)) {
            node->point = next->point;
        }
    }
}

// Nodes in order, the stretches between them, and all chords cut. False where the rings are not
// those of a polygon.
static bool make_nodes(Walk *walk) {
    int32_t count = 0;
    for (int32_t i = 0; i < walk->count; i++) {
        walk->node_at[i] = NONE;
        if (walk->side[i] == 0 || crosses(walk, i)) {
            Node *node = &walk->nodes[count];
            *node = (Node){.vertex = i, .crossing = walk->side[i] != 0};
            node->left_face = node->right_face = NONE;
            node->point = node->crossing ? ph_line_cut(&walk->line, walk->vertices[i],
                                                       walk->vertices[walk->after[i]])
                                         : walk->vertices[i];
            fill_slots(walk, node);
            walk->order[count] = count;
            count++;
        }
    }
    walk->node_count = count;
    ph_sort(walk->order, (size_t)count, sizeof *walk->order, node_order, walk);
    keep_order(walk);
    // From here on nodes are known by their number along the line.
    bool left = false, right = false;
    for (int32_t i = 0; i < count; i++) {
        Node *node = &walk->nodes[walk->order[i]];
        bool up = (node->ring[UP_EAST] != ABSENT) != (node->ring[UP_WEST] != ABSENT);
        bool down = (node->ring[DOWN_EAST] != ABSENT) != (node->ring[DOWN_WEST] != ABSENT);
        left = left != up;
        right = right != down;
        node->left_inside = left;
        node->right_inside = right;
        node->cut = left && right;
        walk->node_at[node->vertex] = i;
    }
    return !left && !right;
}

static Node *node_number(const Walk *walk, int32_t number) {
    return &walk->nodes[walk->order[number]];
}

// ------------------------------------------------------------------------------------------
// faces

// Whether the stretch to the east of a node is an edge of the graph.
static bool is_edge(const Node *node) {
    return node->left_inside != node->right_inside || node->cut;
}

static bool is_present(const Walk *walk, int32_t number, Slot slot) {
    if (slot == EAST) {
        return is_edge(node_number(walk, number));
    }
    if (slot == WEST) {
        return number > 0 && is_edge(node_number(walk, number - 1));
    }
    return node_number(walk, number)->ring[slot] != ABSENT;
}

// Whether a face on the left may leave the node that way.
static bool is_way_out(const Walk *walk, int32_t number, Slot slot) {
    if (!is_present(walk, number, slot)) {
        return false;
    }
    if (slot == EAST) {
        return node_number(walk, number)->left_inside;
    }
    if (slot == WEST) {
        return node_number(walk, number - 1)->right_inside;
    }
    return node_number(walk, number)->ring[slot] == GOING;
}

static void emit(Walk *walk, PhVec2 point) {
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
static int32_t follow_ring(Walk *walk, int32_t number) {
    const Node *node = node_number(walk, number);
    int32_t vertex = walk->after[node->vertex];
    for (int32_t guard = 0; guard <= walk->count; guard++) {
        if (walk->side[vertex] == 0) {
            break;
        }
        emit(walk, walk->vertices[vertex]);
        walk->face_sides[walk->face_count] = walk->side[vertex];
        if (walk->node_at[vertex] != NONE) {
            break;
        }
        vertex = walk->after[vertex];
    }
    return walk->node_at[vertex];
}

static Slot coming_slot(const Node *node) {
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        if (node->ring[slot] == COMING) {
            return (Slot)slot;
        }
    }
    return SLOT_COUNT;
}

// The last vertex of the open face, if the face goes straight on there, says nothing.
static void drop_straight(Walk *walk, PhVec2 next) {
    int32_t size = walk->out_count - walk->face_starts[walk->face_count];
    const PhVec2 *last = walk->out + walk->out_count - 1;
    if (size >= 2 && ph_orientation(last[-1], last[0], next) == 0) {
        walk->out_count--;
    }
}

// Takes a step from a node by a slot; leaves in both where it arrived and by which slot the face
// goes on. False when there is no way.
static bool step(Walk *walk, int32_t *number, Slot *slot) {
    Node *node = node_number(walk, *number);
    int32_t *west = &walk->face_wests[walk->face_count];
    *west = *number < *west ? *number : *west;
    node->walked[*slot] = true;
    Slot arrival;
    if (*slot == EAST) {
        node->left_face = walk->face_count;
        *number += 1;
        arrival = WEST;
    } else if (*slot == WEST) {
        *number -= 1;
        node_number(walk, *number)->right_face = walk->face_count;
        arrival = EAST;
    } else {
        *number = follow_ring(walk, *number);
        if (*number == NONE) {
            return false;
        }
        arrival = coming_slot(node_number(walk, *number));
        if (arrival == SLOT_COUNT) {
            return false;
        }
    }
    int leave = arrival;
    do {
        leave = leave > 0 ? leave - 1 : SLOT_COUNT - 1;
    } while (leave != (int)arrival && !is_present(walk, *number, (Slot)leave));
    node = node_number(walk, *number);
    bool on_line = (arrival == WEST && leave == EAST) || (arrival == EAST && leave == WEST);
    bool uncut = node->crossing && node->ring[arrival] == COMING && node->ring[leave] == GOING;
    if (!uncut) {
        emit(walk, node->point);
    }
    if (on_line) { // a vertex of some other part
        int32_t next = leave == EAST ? *number + 1 : *number - 1;
        drop_straight(walk, node_number(walk, next)->point);
    }
    *slot = (Slot)leave;
    return is_way_out(walk, *number, *slot);
}

static void open_face(Walk *walk) {
    walk->face_starts[walk->face_count] = walk->out_count;
    walk->face_sides[walk->face_count] = 0;
    walk->face_wests[walk->face_count] = INT32_MAX;
}

// Closes the open face: ends that repeat the beginning, or run into it and back, go.
static void close_face(Walk *walk) {
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

// All faces at the line, each of which has some edge of a ring, then the rings that do not meet the
// line.
static bool walk_faces(Walk *walk) {
    walk->face_count = walk->out_count = 0;
    open_face(walk);
    for (int32_t i = 0; i < walk->node_count; i++) {
        memset(walk->nodes[i].walked, 0, sizeof walk->nodes[i].walked);
    }
    for (int32_t i = 0; i < walk->node_count; i++) {
        for (int s = 0; s < SLOT_COUNT; s++) {
            const Node *node = node_number(walk, i);
            if (node->ring[s] != GOING || node->walked[s]) {
                continue;
            }
            int32_t number = i;
            Slot slot = (Slot)s;
            int64_t guard = 2 * (int64_t)SLOT_COUNT * walk->node_count;
            do {
                if (!step(walk, &number, &slot) || --guard < 0) {
                    return false;
                }
            } while (number != i || slot != (Slot)s);
            close_face(walk);
        }
    }
    for (int32_t ring = 0; ring < walk->ring_count; ring++) {
        bool apart = true;
        for (int32_t i = walk->starts[ring]; i < walk->starts[ring + 1]; i++) {
            apart = apart && walk->node_at[i] == NONE;
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

// -----------------------------------------------------------------------------------------
// parts that would be too thin

// Faces joined so far: trees by parent.
typedef struct Groups {
    int32_t *parent; // by face
    int32_t *next;   // next face of the same group, in no order that matters
    int32_t *best;   // by root: the longest chord to another group
    bool *thin;      // by root
} Groups;

static int32_t root_of(const Groups *groups, int32_t face) {
    while (groups->parent[face] != face) {
        groups->parent[face] = groups->parent[groups->parent[face]];
        face = groups->parent[face];
    }
    return face;
}

static double chord_length(const Walk *walk, int32_t number) {
    return ph_length(
        ph_sub(node_number(walk, number + 1)->point, node_number(walk, number)->point));
}

// `points` and `hull` have room for all vertices of all faces.
static bool is_thin(const Walk *walk, const Groups *groups, int32_t root, double least_width,
                    PhVec2 *points, PhVec2 *hull) {
    int32_t count = 0;
    for (int32_t face = root; face != NONE; face = groups->next[face]) {
        int32_t start = walk->face_starts[face], size = walk->face_starts[face + 1] - start;
        memcpy(points + count, walk->out + start, (size_t)size * sizeof *points);
        count += size;
    }
    int32_t size = ph_convex_hull(points, count, hull, NULL);
    return !(ph_convex_width(hull, size) >= least_width);
}

static void offer_chord(const Walk *walk, const Groups *groups, int32_t root, int32_t number) {
    int32_t best = groups->best[root];
    if (groups->thin[root] &&
        (best == NONE || chord_length(walk, number) > chord_length(walk, best))) {
        groups->best[root] = number;
    }
}

// Joins each thin group with its best neighbour. False when there was none to join.
static bool join_thin(const Walk *walk, const Groups *groups) {
    for (int32_t face = 0; face < walk->face_count; face++) {
        groups->best[face] = NONE;
    }
    for (int32_t i = 0; i < walk->node_count; i++) {
        const Node *node = node_number(walk, i);
        if (node->cut && node->left_face != NONE && node->right_face != NONE) {
            int32_t left = root_of(groups, node->left_face);
            int32_t right = root_of(groups, node->right_face);
            if (left != right) {
                offer_chord(walk, groups, left, i);
                offer_chord(walk, groups, right, i);
            }
        }
    }
    bool joined = false;
    for (int32_t face = 0; face < walk->face_count; face++) {
        if (groups->best[face] != NONE) {
            const Node *node = node_number(walk, groups->best[face]);
            int32_t left = root_of(groups, node->left_face);
            int32_t right = root_of(groups, node->right_face);
            if (left != right) {
                groups->parent[left > right ? left : right] = left > right ? right : left;
                joined = true;
            }
        }
    }
    return joined;
}

// Takes away chords until no group is thin that has a neighbour.
static void merge_thin(Walk *walk, const Groups *groups, double least_width, PhVec2 *scratch) {
    PhVec2 *hull = scratch + walk->out_count;
    for (int32_t face = 0; face < walk->face_count; face++) {
        groups->parent[face] = face;
    }
    do {
        for (int32_t face = 0; face < walk->face_count; face++) {
            groups->next[face] = NONE;
        }
        for (int32_t face = 0; face < walk->face_count; face++) {
            int32_t root = root_of(groups, face);
            if (root != face) {
                groups->next[face] = groups->next[root];
                groups->next[root] = face;
            }
        }
        for (int32_t face = 0; face < walk->face_count; face++) {
            groups->thin[face] = groups->parent[face] == face &&
                                 is_thin(walk, groups, face, least_width, scratch, hull);
        }
    } while (join_thin(walk, groups));
    for (int32_t i = 0; i < walk->node_count; i++) {
        Node *node = node_number(walk, i);
        node->cut = node->cut && node->left_face != NONE && node->right_face != NONE &&
                    root_of(groups, node->left_face) != root_of(groups, node->right_face);
    }
}

static PhStatus drop_thin_parts(Walk *walk, double least_width, PhError *error) {
    size_t faces = (size_t)walk->face_count;
    int32_t *tables = ph_alloc(faces, 3 * sizeof *tables);
    bool *thin = ph_alloc(faces, sizeof *thin);
    PhVec2 *scratch = ph_alloc((size_t)walk->out_count, 2 * sizeof *scratch);
    PhStatus status = PH_OK;
    if (tables && thin && scratch) {
        Groups groups = {tables, tables + faces, tables + 2 * faces, thin};
        merge_thin(walk, &groups, least_width, scratch);
    } else {
        status = ph_fail(error, PH_ERROR_MEMORY, "out of memory");
    }
    ph_free(scratch);
    ph_free(thin);
    ph_free(tables);
    return status;
}

// -------------------------------------------------------------------------------------------
// results

void ph_slices_free(PhSlices *slices) {
    ph_free(slices->vertices);
    ph_free(slices->ring_starts);
    *slices = (PhSlices){0};
}

// Room for so many vertices, rings and parts.
static bool make_slices(PhSlices *slices, int32_t vertices, int32_t rings) {
    size_t starts = (size_t)rings + 1;
    *slices = (PhSlices){0};
    slices->vertices = ph_alloc((size_t)vertices, sizeof *slices->vertices);
    slices->ring_starts = ph_alloc(starts, 2 * sizeof(int32_t) + sizeof(int8_t));
    if (!slices->vertices || !slices->ring_starts) {
        ph_slices_free(slices);
        return false;
    }
    slices->part_starts = slices->ring_starts + starts;
    slices->sides = (int8_t *)(slices->part_starts + starts);
    return true;
}

static void add_ring(PhSlices *slices, const PhVec2 *ring, int32_t count) {
    int32_t start = slices->ring_starts[slices->ring_count];
    memcpy(slices->vertices + start, ring, (size_t)count * sizeof *ring);
    slices->ring_starts[++slices->ring_count] = start + count;
}

static void end_part(PhSlices *slices, int side) {
    slices->sides[slices->part_count++] = (int8_t)side;
    slices->part_starts[slices->part_count] = slices->ring_count;
}

// One face as a result: its area and, of a hole, the outer face around it.
typedef struct Outcome {
    double area;
    int32_t face, west, outer;
} Outcome;

// Outer faces along the line, then holes.
static bool outcome_order(const void *a, const void *b, const void *context) {
    const Outcome *i = a, *j = b;
    (void)context;
    if ((i->area > 0) != (j->area > 0)) {
        return i->area > 0;
    }
    return i->west != j->west ? i->west < j->west : i->face < j->face;
}

static const PhVec2 *face_ring(const Walk *walk, int32_t face, int32_t *count) {
    *count = walk->face_starts[face + 1] - walk->face_starts[face];
    return walk->out + walk->face_starts[face];
}

// Whether the hole is inside the outer face, told by its first vertex that is not on the border.
static bool holds(const Walk *walk, int32_t outer, int32_t hole) {
    int32_t count, hole_count;
    const PhVec2 *ring = face_ring(walk, outer, &count);
    const PhVec2 *inner = face_ring(walk, hole, &hole_count);
    for (int32_t i = 0; i < hole_count; i++) {
        int inside = ph_ring_contains(ring, count, inner[i]);
        if (inside != 0) {
            return inside > 0;
        }
    }
    return false;
}

// The smallest outer face around a hole; an index into outcomes, or NONE.
static int32_t find_outer(const Walk *walk, const Outcome *outcomes, int32_t outers, int32_t hole) {
    int32_t best = NONE;
    for (int32_t i = 0; i < outers; i++) {
        if ((best == NONE || outcomes[i].area < outcomes[best].area) &&
            holds(walk, outcomes[i].face, outcomes[hole].face)) {
            best = i;
        }
    }
    return best;
}

// A part that kept something from across the line belongs where its centroid is.
static int part_side(const Walk *walk, int32_t face, bool merged) {
    int32_t count;
    const PhVec2 *ring = face_ring(walk, face, &count);
    int side = merged ? ph_line_side(&walk->line, ph_ring_mass(ring, count).centroid) : 0;
    return side != 0 ? side : walk->face_sides[face] >= 0 ? 1 : -1;
}

static PhStatus collect(const Walk *walk, bool merged, PhSlices *slices, PhError *error) {
    Outcome *outcomes = ph_alloc((size_t)walk->face_count, sizeof *outcomes);
    if (!outcomes || !make_slices(slices, walk->out_count, walk->face_count)) {
        ph_free(outcomes);
        return ph_fail(error, PH_ERROR_MEMORY, "out of memory");
    }
    int32_t count = 0, outers = 0;
    for (int32_t face = 0; face < walk->face_count; face++) {
        int32_t size, west = walk->face_wests[face];
        const PhVec2 *ring = face_ring(walk, face, &size);
        double area = size >= 3 ? ph_ring_mass(ring, size).area : 0;
        // What rounding has closed, or turned inside out, has no area.
        if (area > 0 || (area < 0 && (merged || west == INT32_MAX))) {
            outcomes[count++] = (Outcome){area, face, west, NONE};
            outers += area > 0;
        }
    }
    ph_sort(outcomes, (size_t)count, sizeof *outcomes, outcome_order, NULL);
    for (int32_t i = outers; i < count; i++) {
        outcomes[i].outer = find_outer(walk, outcomes, outers, i);
    }
    for (int32_t i = 0; i < outers; i++) {
        int32_t size;
        const PhVec2 *ring = face_ring(walk, outcomes[i].face, &size);
        add_ring(slices, ring, size);
        for (int32_t j = outers; j < count; j++) {
            if (outcomes[j].outer == i) {
                ring = face_ring(walk, outcomes[j].face, &size);
                add_ring(slices, ring, size);
            }
        }
        end_part(slices, part_side(walk, outcomes[i].face, merged));
    }
    ph_free(outcomes);
    return PH_OK;
}

// A hole that touches the line in a single vertex would touch the part's border there, which makes
// no simple part: that vertex moves into the hole by as little as will do.
static void free_touching_hole(Walk *walk, int32_t ring) {
    int32_t start = walk->starts[ring], end = walk->starts[ring + 1], vertex = NONE;
    int sides = 0;
    for (int32_t i = start; i < end; i++) {
        if (walk->side[i] == 0 && vertex != NONE) {
            return;
        }
        if (walk->side[i] == 0) {
            vertex = i;
        } else if (sides == -walk->side[i]) {
            return;
        } else {
            sides = walk->side[i];
        }
    }
    if (vertex == NONE) {
        return;
    }
    PhVec2 v = walk->vertices[vertex];
    PhVec2 middle =
        ph_lerp(walk->vertices[walk->before[vertex]], walk->vertices[walk->after[vertex]], 0.5);
    for (double t = 0x1p-50; t < 0x1p-20; t *= 2) {
        PhVec2 moved = ph_lerp(v, middle, t);
        if (ph_line_side(&walk->line, moved) == sides) {
            walk->vertices[vertex] = moved;
            walk->side[vertex] = (int8_t)sides;
            return;
        }
    }
}

static PhStatus cut(Walk *walk, double least_width, PhSlices *slices, PhError *error) {
    for (int32_t ring = 1; ring < walk->ring_count; ring++) {
        free_touching_hole(walk, ring);
    }
    bool fine = make_nodes(walk) && walk_faces(walk);
    if (fine && least_width > 0) {
        PhStatus status = drop_thin_parts(walk, least_width, error);
        if (status != PH_OK) {
            return status;
        }
        fine = walk_faces(walk);
    }
    if (!fine) {
        return ph_fail(error, PH_ERROR_VALUE, "vertices: the polygon is not simple");
    }
    return collect(walk, least_width > 0, slices, error);
}

// The polygon as it is.
static PhStatus keep_whole(const PhVec2 *vertices, const int32_t *starts, int32_t ring_count,
                           int side, PhSlices *slices, PhError *error) {
    if (!make_slices(slices, starts[ring_count], ring_count)) {
        return ph_fail(error, PH_ERROR_MEMORY, "out of memory");
    }
    for (int32_t ring = 0; ring < ring_count; ring++) {
        add_ring(slices, vertices + starts[ring], starts[ring + 1] - starts[ring]);
    }
    end_part(slices, side);
    return PH_OK;
}

// Fills vertices, links and sides. Bit 1: some vertex is on the left; bit 2: on the right.
static int prepare(Walk *walk, const PhVec2 *vertices) {
    int found = 0;
    for (int32_t ring = 0; ring < walk->ring_count; ring++) {
        int32_t start = walk->starts[ring], end = walk->starts[ring + 1];
        for (int32_t i = start; i < end; i++) {
            walk->vertices[i] = vertices[i];
            walk->after[i] = i + 1 < end ? i + 1 : start;
            walk->before[i] = i > start ? i - 1 : end - 1;
            walk->side[i] = (int8_t)ph_line_side(&walk->line, vertices[i]);
            found |= walk->side[i] > 0 ? 1 : walk->side[i] < 0 ? 2 : 0;
        }
    }
    return found;
}

PhStatus ph_slice_rings(const PhVec2 *vertices, const int32_t *starts, int32_t ring_count,
                        const PhCutLine *line, double least_width, PhSlices *slices,
                        PhError *error) {
    int32_t count = starts[ring_count];
    if (count > INT32_MAX / 16) {
        return ph_fail(error, PH_ERROR_VALUE, "vertices: at most %d are possible, got %d",
                       INT32_MAX / 16, count);
    }
    // A vertex belongs to one face, a node to at most three.
    size_t n = (size_t)count, faces = 3 * n + (size_t)ring_count + 1;
    Walk walk = {.count = count, .starts = starts, .ring_count = ring_count, .line = *line};
    walk.vertices = ph_alloc(n, sizeof *walk.vertices);
    walk.after = ph_alloc(n, 4 * sizeof(int32_t) + sizeof(int8_t));
    walk.nodes = ph_alloc(n, sizeof *walk.nodes);
    walk.out = ph_alloc(4 * n, sizeof *walk.out);
    walk.face_starts = ph_alloc(faces, 2 * sizeof(int32_t) + sizeof(int8_t));
    PhStatus status = PH_ERROR_MEMORY;
    if (walk.vertices && walk.after && walk.nodes && walk.out && walk.face_starts) {
        walk.before = walk.after + n;
        walk.node_at = walk.before + n;
        walk.order = walk.node_at + n;
        walk.side = (int8_t *)(walk.order + n);
        walk.face_wests = walk.face_starts + faces;
        walk.face_sides = (int8_t *)(walk.face_wests + faces);
        int found = prepare(&walk, vertices);
        status = found == 3
                     ? cut(&walk, least_width, slices, error)
                     : keep_whole(vertices, starts, ring_count, found == 2 ? -1 : 1, slices, error);
    } else {
        ph_fail(error, PH_ERROR_MEMORY, "out of memory");
    }
    ph_free(walk.face_starts);
    ph_free(walk.out);
    ph_free(walk.nodes);
    ph_free(walk.after);
    ph_free(walk.vertices);
    return status;
}

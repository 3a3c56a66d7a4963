// Owns nothing: decides whether rings are simple. A sweep from left to right keeps the edges under
// the sweep line in order and compares those that become neighbours (M. I. Shamos and D. Hoey,
// Geometric Intersection Problems, 1976), so that n log n comparisons do; every decision is an
// exact orientation. Vertices of one x are swept by y, which turns the plane a little and leaves no
// special case.
//
// Invariant: before the first fault the edges under the sweep line do not touch but in common
// vertices. The sweep finds some fault; the one reported is that of the first edge, in the caller's
// order, that meets an earlier one, found by halving the number of edges that are examined.
#include "geometry/rings.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/sort.h"
#include "geometry/front.h"
#include "geometry/polygon.h"

enum { NOT_SEEN = -2 };

typedef struct Edge {
    PhVec2 a, b;
    int32_t ring, from, to; // indices into the vertices; an edge's own index is `from`
} Edge;

// What is wrong between two edges, the one with the lower start first.
typedef struct Fault {
    enum { FAULT_NONE, FAULT_CROSSING, FAULT_VERTEX } kind;
    const Edge *edge;
    const Edge *other; // crossing: the other edge
    int32_t vertex;    // vertex: lies on `edge`
    int32_t vertex_ring;
} Fault;

static bool same(PhVec2 a, PhVec2 b) {
    return a.x == b.x && a.y == b.y;
}

// Whether p, known to be on the line of the edge, is on the edge itself.
static bool within(const Edge *edge, PhVec2 p) {
    PhVec2 a = edge->a, b = edge->b;
    return (a.x <= p.x || b.x <= p.x) && (a.x >= p.x || b.x >= p.x) && (a.y <= p.y || b.y <= p.y) &&
           (a.y >= p.y || b.y >= p.y);
}

static Fault vertex_fault(const Edge *edge, int32_t vertex, int32_t ring) {
    return (Fault){FAULT_VERTEX, edge, NULL, vertex, ring};
}

// Neighbours share a vertex; they may not fold back onto each other.
static Fault compare_neighbours(const Edge *first, const Edge *second) {
    PhVec2 a = first->a, corner = first->b, c = second->b;
    Fault none = {FAULT_NONE, NULL, NULL, 0, 0};
    if (ph_orientation(a, corner, c) != 0 || ph_left_of(a, corner) != ph_left_of(c, corner)) {
        return none;
    }
    return within(first, c) ? vertex_fault(first, second->to, second->ring)
                            : vertex_fault(second, first->from, first->ring);
}

static Fault compare(const Edge *e, const Edge *f) {
    Fault none = {FAULT_NONE, NULL, NULL, 0, 0};
    if (e->ring == f->ring) {
        if (e->to == f->from) {
            return compare_neighbours(e, f);
        }
        if (f->to == e->from) {
            return compare_neighbours(f, e);
        }
    }
    int f_from = ph_orientation(e->a, e->b, f->a), f_to = ph_orientation(e->a, e->b, f->b);
    if (f_from == 0 && within(e, f->a)) {
        return vertex_fault(e, f->from, f->ring);
    }
    if (f_to == 0 && within(e, f->b)) {
        return vertex_fault(e, f->to, f->ring);
    }
    int e_from = ph_orientation(f->a, f->b, e->a), e_to = ph_orientation(f->a, f->b, e->b);
    if (e_from == 0 && within(f, e->a)) {
        return vertex_fault(f, e->from, e->ring);
    }
    if (e_to == 0 && within(f, e->b)) {
        return vertex_fault(f, e->to, e->ring);
    }
    if (f_from * f_to < 0 && e_from * e_to < 0) {
        return (Fault){FAULT_CROSSING, e, f, 0, 0};
    }
    return none;
}

typedef struct Name {
    char text[40];
} Name;

static Name ring_name(const PhRings *rings, int32_t ring) {
    Name name;
    if (ring == 0) {
        (void)snprintf(name.text, sizeof name.text, "%s", rings->name);
    } else {
        (void)snprintf(name.text, sizeof name.text, "holes[%d]", ring - 1);
    }
    return name;
}

static int label(const PhRings *rings, int32_t ring, int32_t vertex) {
    return rings->labels ? rings->labels[vertex] : vertex - rings->starts[ring];
}

static PhStatus report(const PhRings *rings, const Fault *fault, PhError *error) {
    const Edge *edge = fault->edge;
    Name name = ring_name(rings, edge->ring);
    int from = label(rings, edge->ring, edge->from), to = label(rings, edge->ring, edge->to);
    int32_t other_ring = fault->kind == FAULT_CROSSING ? fault->other->ring : fault->vertex_ring;
    Name other = ring_name(rings, other_ring);
    bool same_ring = other_ring == edge->ring;
    const char *of = same_ring ? "" : " of ";
    if (fault->kind == FAULT_CROSSING) {
        return ph_fail(error, PH_ERROR_VALUE, "%s: edge %d -> %d crosses edge %d -> %d%s%s",
                       name.text, from, to, label(rings, other_ring, fault->other->from),
                       label(rings, other_ring, fault->other->to), of, same_ring ? "" : other.text);
    }
    PhVec2 point = rings->vertices[fault->vertex];
    int vertex = label(rings, other_ring, fault->vertex);
    if (same(point, edge->a) || same(point, edge->b)) {
        return ph_fail(error, PH_ERROR_VALUE, "%s[%d] repeats %s[%d]", other.text, vertex,
                       name.text, same(point, edge->a) ? from : to);
    }
    return ph_fail(error, PH_ERROR_VALUE, "%s[%d] lies on edge %d -> %d%s%s", other.text, vertex,
                   from, to, of, same_ring ? "" : name.text);
}

// Fills the edges; fails on one without length.
static PhStatus fill_edges(const PhRings *rings, Edge *edges, PhError *error) {
    for (int32_t ring = 0; ring < rings->count; ring++) {
        int32_t start = rings->starts[ring], end = rings->starts[ring + 1];
        for (int32_t i = start; i < end; i++) {
            int32_t next = i + 1 < end ? i + 1 : start;
            PhVec2 a = rings->vertices[i], b = rings->vertices[next];
            if (same(a, b)) {
                Name name = ring_name(rings, ring);
                return ph_fail(error, PH_ERROR_VALUE, "%s[%d] repeats %s[%d]", name.text,
                               label(rings, ring, next), name.text, label(rings, ring, i));
            }
            edges[i] = (Edge){a, b, ring, i, next};
        }
    }
    return PH_OK;
}

// Everything of one check. Edges and vertices share their numbers: edge i starts at vertex i.
typedef struct Sweep {
    const PhRings *rings;
    Edge *edges;
    int32_t count;
    int32_t *before; // by vertex: the edge that ends there
    int32_t *order;  // vertices from left to right
    PhFront front;
    // By ring: the ring in whose inside it lies (-1: none), and its winding.
    int32_t *parent;
    bool *counter_clockwise;
    bool stopped; // by the caller: what was found says nothing
} Sweep;

static bool event_order(const void *a, const void *b, const void *context) {
    const Edge *edges = context;
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    PhVec2 p = edges[i].a, q = edges[j].a;
    return ph_left_of(p, q) || (same(p, q) && i < j);
}

static bool goes_right(const Edge *edge) {
    return ph_left_of(edge->a, edge->b);
}

// Sign of the side of the edge, taken from left to right, on which p is: +1 above.
static int side_of(const Edge *edge, PhVec2 p) {
    int side = ph_orientation(edge->a, edge->b, p);
    return goes_right(edge) ? side : -side;
}

typedef struct Event {
    const Edge *edges;
    PhVec2 point;
} Event;

static bool is_below(const void *context, int32_t edge) {
    const Event *event = context;
    return side_of(&event->edges[edge], event->point) > 0;
}

static bool meet(const Sweep *sweep, int32_t e, int32_t f) {
    if (e < 0 || f < 0) {
        return false;
    }
    const Edge *edges = sweep->edges;
    return compare(&edges[e < f ? e : f], &edges[e < f ? f : e]).kind != FAULT_NONE;
}

// Takes away the edges that end at the vertex, which are at the place. False when some other edge
// passes through it.
static bool remove_edges(Sweep *sweep, int32_t vertex, PhPlace *place) {
    int32_t edge = ph_front_at(&sweep->front, *place);
    while (edge >= 0 && side_of(&sweep->edges[edge], sweep->edges[vertex].a) == 0) {
        if (edge != vertex && edge != sweep->before[vertex]) {
            return false;
        }
        *place = ph_front_remove(&sweep->front, *place);
        edge = ph_front_at(&sweep->front, *place);
    }
    return true;
}

// Those of the two edges at the vertex, among the first `limit`, that go to the right, the lower
// one first. Returns their number, or -1 when they lie on each other.
static int starting_edges(const Sweep *sweep, int32_t vertex, int32_t limit, int32_t *starting) {
    const Edge *edges = sweep->edges;
    int32_t before = sweep->before[vertex], count = 0;
    if (vertex < limit && goes_right(&edges[vertex])) {
        starting[count++] = vertex;
    }
    if (before < limit && !goes_right(&edges[before])) {
        starting[count++] = before;
    }
    if (count == 2) {
        int turn = ph_orientation(edges[vertex].a, edges[vertex].b, edges[before].a);
        if (turn < 0) {
            starting[0] = before;
            starting[1] = vertex;
        }
        return turn == 0 ? -1 : 2;
    }
    return count;
}

// At the leftmost vertex of a ring: what lies below it was swept before, and is known.
static void begin_ring(Sweep *sweep, int32_t ring, int32_t below, bool counter_clockwise) {
    sweep->counter_clockwise[ring] = counter_clockwise;
    sweep->parent[ring] = -1;
    if (below >= 0) {
        int32_t floor = sweep->edges[below].ring;
        bool inside = goes_right(&sweep->edges[below]) == sweep->counter_clockwise[floor];
        sweep->parent[ring] = inside ? floor : sweep->parent[floor];
    }
}

// Whether the first `limit` edges touch nowhere but in common vertices. False when stopped.
static bool is_simple(Sweep *sweep, int32_t limit) {
    const Edge *edges = sweep->edges;
    ph_front_clear(&sweep->front);
    int32_t last = -1;
    for (int32_t i = 0; i < sweep->count; i++) {
        int32_t vertex = sweep->order[i], starting[2];
        if (i % PH_RING_PORTION == PH_RING_PORTION - 1 && ph_stop_wanted(sweep->rings->stop)) {
            sweep->stopped = true;
            return false;
        }
        if (vertex >= limit && sweep->before[vertex] >= limit) {
            continue;
        }
        Event event = {edges, edges[vertex].a};
        if (last >= 0 && same(event.point, edges[last].a)) {
            return false;
        }
        last = vertex;
        PhPlace place = ph_front_locate(&sweep->front, is_below, &event);
        if (!remove_edges(sweep, vertex, &place)) {
            return false;
        }
        int count = starting_edges(sweep, vertex, limit, starting);
        int32_t below = ph_front_before(&sweep->front, place);
        int32_t above = ph_front_at(&sweep->front, place);
        if (count < 0 || (count == 0 && meet(sweep, below, above)) ||
            (count > 0 &&
             (meet(sweep, below, starting[0]) || meet(sweep, starting[count - 1], above)))) {
            return false;
        }
        if (count == 2 && sweep->parent[edges[vertex].ring] == NOT_SEEN) {
            begin_ring(sweep, edges[vertex].ring, below, starting[0] == vertex);
        }
        while (count > 0) {
            place = ph_front_insert(&sweep->front, place, starting[--count]);
        }
    }
    return true;
}

static PhStatus report_stop(PhError *error) {
    return ph_fail(error, PH_ERROR_STOPPED, "stopped");
}

// The first edge that meets an earlier one, and the earliest that it meets.
static PhStatus report_first(Sweep *sweep, PhError *error) {
    int32_t good = 1, bad = sweep->count; // numbers of edges
    while (bad - good > 1) {
        int32_t middle = good + (bad - good) / 2;
        if (is_simple(sweep, middle)) {
            good = middle;
        } else if (sweep->stopped) {
            return report_stop(error);
        } else {
            bad = middle;
        }
    }
    for (int32_t i = 0; i < bad - 1; i++) {
        Fault fault = compare(&sweep->edges[i], &sweep->edges[bad - 1]);
        if (fault.kind != FAULT_NONE) {
            return report(sweep->rings, &fault, error);
        }
    }
    // Only where products have left the range of float64 can the predicate contradict itself.
    return ph_fail(error, PH_ERROR_VALUE, "%s: the polygon is not simple", sweep->rings->name);
}

// Holes lie in the outer ring and in no other hole.
static PhStatus check_nesting(const Sweep *sweep, PhError *error) {
    for (int32_t ring = 1; ring < sweep->rings->count; ring++) {
        int32_t parent = sweep->parent[ring];
        if (parent < 0) {
            return ph_fail(error, PH_ERROR_VALUE, "holes[%d]: lies outside the polygon", ring - 1);
        }
        if (parent > 0) {
            return ph_fail(error, PH_ERROR_VALUE, "holes[%d]: lies inside holes[%d]", ring - 1,
                           parent - 1);
        }
    }
    return PH_OK;
}

static PhStatus run(Sweep *sweep, PhError *error) {
    const PhRings *rings = sweep->rings;
    PhStatus status = fill_edges(rings, sweep->edges, error);
    if (status != PH_OK) {
        return status;
    }
    for (int32_t i = 0; i < sweep->count; i++) {
        sweep->order[i] = i;
        sweep->before[sweep->edges[i].to] = i;
    }
    for (int32_t ring = 0; ring < rings->count; ring++) {
        sweep->parent[ring] = NOT_SEEN;
    }
    if (!ph_sort_until(sweep->order, (size_t)sweep->count, sizeof *sweep->order, event_order,
                       sweep->edges, rings->stop)) {
        return report_stop(error);
    }
    if (is_simple(sweep, sweep->count)) {
        return check_nesting(sweep, error);
    }
    return sweep->stopped ? report_stop(error) : report_first(sweep, error);
}

PhStatus ph_rings_check(const PhRings *rings, PhError *error) {
    int32_t count = rings->starts[rings->count];
    for (int32_t ring = 0; ring < rings->count; ring++) {
        int32_t size = rings->starts[ring + 1] - rings->starts[ring];
        if (size < 3) {
            Name name = ring_name(rings, ring);
            return ph_fail(error, PH_ERROR_VALUE,
                           "%s: at least 3 distinct vertices are needed, got %d", name.text, size);
        }
    }
    size_t n = (size_t)count, ring_count = (size_t)rings->count;
    Sweep sweep = {.rings = rings, .count = count};
    sweep.edges = ph_alloc(n, sizeof *sweep.edges);
    sweep.order = ph_alloc(2 * n + ring_count, sizeof(int32_t));
    sweep.counter_clockwise = ph_alloc(ring_count, sizeof(bool));
    PhStatus status = PH_ERROR_MEMORY;
    if (sweep.edges && sweep.order && sweep.counter_clockwise &&
        ph_front_make(&sweep.front, count)) {
        sweep.before = sweep.order + n;
        sweep.parent = sweep.before + n;
        status = run(&sweep, error);
        ph_front_free(&sweep.front);
    } else {
        ph_fail(error, PH_ERROR_MEMORY, "out of memory");
    }
    ph_free(sweep.counter_clockwise);
    ph_free(sweep.order);
    ph_free(sweep.edges);
    return status;
}

PhStatus ph_ring_check(const PhVec2 *vertices, int32_t count, const char *name, PhError *error) {
    int32_t starts[2] = {0, count};
    PhRings rings = {vertices, starts, 1, NULL, name, NULL};
    return ph_rings_check(&rings, error);
}

int32_t ph_ring_tidy(const PhVec2 *points, int32_t count, PhVec2 *vertices, int32_t *labels) {
    int32_t size = 0;
    for (int32_t i = 0; i < count; i++) {
        if (size == 0 || !same(points[i], vertices[size - 1])) {
            labels[size] = i;
            vertices[size++] = points[i];
        }
    }
    while (size > 1 && same(vertices[size - 1], vertices[0])) {
        size--;
    }
    return size;
}

void ph_ring_orient(PhVec2 *vertices, int32_t *labels, int32_t count, bool counter_clockwise) {
    // The corner at the leftmost vertex tells the winding exactly: a simple ring cannot be straight
    // there.
    int32_t lowest = 0;
    for (int32_t i = 0; i < count; i++) {
        lowest = ph_left_of(vertices[i], vertices[lowest]) ? i : lowest;
    }
    PhVec2 before = vertices[lowest > 0 ? lowest - 1 : count - 1];
    PhVec2 after = vertices[lowest + 1 < count ? lowest + 1 : 0];
    int turn = ph_orientation(before, vertices[lowest], after);
    if ((turn > 0) == counter_clockwise) {
        return;
    }
    for (int32_t i = 1, j = count - 1; i < j; i++, j--) {
        PhVec2 vertex = vertices[i];
        int32_t label = labels[i];
        vertices[i] = vertices[j];
        labels[i] = labels[j];
        vertices[j] = vertex;
        labels[j] = label;
    }
}

// Owns nothing: decides whether rings are simple. Edges are sorted by their left end and compared
// where their boxes overlap (sweep and prune, D. Baraff 1992); every decision is an exact
// orientation. Of several faults the one with the lowest edge is reported, so that the message does
// not depend on the sweep.
#include "geometry/rings.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/sort.h"
#include "geometry/polygon.h"

typedef struct Edge {
    PhVec2 a, b;
    int32_t ring, from, to; // indices into the vertices
    double left, right;
} Edge;

// What is wrong between two edges, the one with the lower start first.
typedef struct Fault {
    enum { FAULT_NONE, FAULT_CROSSING, FAULT_VERTEX } kind;
    const Edge *edge;
    const Edge *other; // crossing: the other edge
    int32_t vertex;    // vertex: lies on `edge`
    int32_t vertex_ring;
} Fault;

static bool sweep_order(const void *a, const void *b, const void *context) {
    const Edge *edges = context;
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    return edges[i].left < edges[j].left || (edges[i].left == edges[j].left && i < j);
}

static bool same(PhVec2 a, PhVec2 b) {
    return a.x == b.x && a.y == b.y;
}

// Whether p, known to be on the line of the edge, is on the edge itself.
static bool within(const Edge *edge, PhVec2 p) {
    PhVec2 a = edge->a, b = edge->b;
    return (a.x <= p.x || b.x <= p.x) && (a.x >= p.x || b.x >= p.x) && (a.y <= p.y || b.y <= p.y) &&
           (a.y >= p.y || b.y >= p.y);
}

static bool boxes_overlap_y(const Edge *e, const Edge *f) {
    double e_low = e->a.y < e->b.y ? e->a.y : e->b.y, e_high = e->a.y < e->b.y ? e->b.y : e->a.y;
    double f_low = f->a.y < f->b.y ? f->a.y : f->b.y, f_high = f->a.y < f->b.y ? f->b.y : f->a.y;
    return e_low <= f_high && f_low <= e_high;
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
            edges[i] = (Edge){a, b, ring, i, next, a.x < b.x ? a.x : b.x, a.x < b.x ? b.x : a.x};
        }
    }
    return PH_OK;
}

static PhStatus check_edges(const PhRings *rings, const Edge *edges, const int32_t *order,
                            int32_t count, PhError *error) {
    Fault worst = {FAULT_NONE, NULL, NULL, 0, 0};
    int32_t lowest = count, lowest_other = count;
    for (int32_t i = 0; i < count; i++) {
        const Edge *e = &edges[order[i]];
        for (int32_t j = i + 1; j < count && edges[order[j]].left <= e->right; j++) {
            const Edge *f = &edges[order[j]];
            int32_t low = e < f ? order[i] : order[j], high = e < f ? order[j] : order[i];
            if (low > lowest || (low == lowest && high >= lowest_other) || !boxes_overlap_y(e, f)) {
                continue;
            }
            Fault fault = compare(&edges[low], &edges[high]);
            if (fault.kind != FAULT_NONE) {
                worst = fault;
                lowest = low;
                lowest_other = high;
            }
        }
    }
    return worst.kind == FAULT_NONE ? PH_OK : report(rings, &worst, error);
}

static PhAabb ring_box(const PhRings *rings, int32_t ring) {
    PhVec2 first = rings->vertices[rings->starts[ring]];
    PhAabb box = {first, first};
    for (int32_t i = rings->starts[ring] + 1; i < rings->starts[ring + 1]; i++) {
        box = ph_union(box, (PhAabb){rings->vertices[i], rings->vertices[i]});
    }
    return box;
}

// The rings do not touch, so that one vertex tells where a ring lies.
static PhStatus check_nesting(const PhRings *rings, PhError *error) {
    if (rings->count < 2) {
        return PH_OK;
    }
    PhAabb *boxes = ph_alloc((size_t)rings->count, sizeof *boxes);
    if (!boxes) {
        return ph_fail(error, PH_ERROR_MEMORY, "out of memory");
    }
    PhStatus status = PH_OK;
    for (int32_t ring = 0; ring < rings->count; ring++) {
        boxes[ring] = ring_box(rings, ring);
    }
    for (int32_t i = 1; i < rings->count && status == PH_OK; i++) {
        PhVec2 point = rings->vertices[rings->starts[i]];
        for (int32_t j = 0; j < rings->count && status == PH_OK; j++) {
            if (j == i || (j > 0 && !ph_encloses(boxes[j], boxes[i]))) {
                continue;
            }
            int32_t start = rings->starts[j], end = rings->starts[j + 1];
            int inside = ph_ring_contains(rings->vertices + start, end - start, point);
            if (j == 0 && inside <= 0) {
                status =
                    ph_fail(error, PH_ERROR_VALUE, "holes[%d]: lies outside the polygon", i - 1);
            } else if (j > 0 && inside > 0) {
                status = ph_fail(error, PH_ERROR_VALUE, "holes[%d]: lies inside holes[%d]", i - 1,
                                 j - 1);
            }
        }
    }
    ph_free(boxes);
    return status;
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
    Edge *edges = ph_alloc((size_t)count, sizeof *edges);
    int32_t *order = ph_alloc((size_t)count, sizeof *order);
    PhStatus status = PH_ERROR_MEMORY;
    if (edges && order) {
        status = fill_edges(rings, edges, error);
        if (status == PH_OK) {
            for (int32_t i = 0; i < count; i++) {
                order[i] = i;
            }
            ph_sort(order, (size_t)count, sizeof *order, sweep_order, edges);
            status = check_edges(rings, edges, order, count, error);
        }
        if (status == PH_OK) {
            status = check_nesting(rings, error);
        }
    } else {
        ph_fail(error, PH_ERROR_MEMORY, "out of memory");
    }
    ph_free(order);
    ph_free(edges);
    return status;
}

PhStatus ph_ring_check(const PhVec2 *vertices, int32_t count, const char *name, PhError *error) {
    int32_t starts[2] = {0, count};
    PhRings rings = {vertices, starts, 1, NULL, name};
    return ph_rings_check(&rings, error);
}

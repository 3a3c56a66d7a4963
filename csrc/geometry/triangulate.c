// Owns nothing: triangles of a polygon with holes. A sweep from left to right keeps, between each
// pair of edges that bound the interior, the chain of vertices still to be connected (S. Hertel and
// K. Mehlhorn, Fast Triangulation of Simple Polygons, 1983). Triangles without area, which
// collinear vertices can cause, are flipped away, then edges are flipped towards Delaunay (C. L.
// Lawson 1977). All decisions that matter are exact orientations; the circle test only chooses
// between two right answers and acts when float64 is sure, so that every flip is an improvement and
// the flipping ends. It may take n^2 flips, though (many vertices on a straight edge), so it is
// given up after a number of flips in proportion to n: what is there then is as right, but more
// slender.
//
// Invariant of a chain: its vertices run from the start of the lower edge to the start of the upper
// edge; everything on their left is filled, nothing on their right up to the sweep line is.
#include "base/memory.h"
#include "base/sort.h"
#include "geometry/front.h"
#include "geometry/polygon.h"
#include "geometry/rings.h"

enum { NONE = -1, FLIPS_PER_TRIANGLE = 64 };

typedef struct Sweep {
    const PhVec2 *vertices;
    int32_t count;
    int32_t *before, *after; // neighbours in the ring
    int32_t *order;          // vertices from left to right
    // Edges under the sweep line that have the interior above them, each named by its left vertex.
    PhFront front;
    // Of the chain above a status edge: its ends and its rightmost node.
    int32_t *low, *high, *newest;
    // Chain nodes; at most three per vertex.
    int32_t *node_vertex, *node_below, *node_above;
    int32_t node_count;
    int32_t (*triangles)[3];
    int32_t triangle_count, triangle_capacity;
} Sweep;

static bool event_order(const void *a, const void *b, const void *context) {
    const PhVec2 *vertices = context;
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    PhVec2 p = vertices[i], q = vertices[j];
    return ph_left_of(p, q) || (p.x == q.x && p.y == q.y && i < j);
}

static int32_t make_node(Sweep *sweep, int32_t vertex) {
    int32_t node = sweep->node_count++;
    sweep->node_vertex[node] = vertex;
    sweep->node_below[node] = NONE;
    sweep->node_above[node] = NONE;
    return node;
}

static void emit(Sweep *sweep, int32_t a, int32_t b, int32_t c) {
    if (sweep->triangle_count < sweep->triangle_capacity) {
        int32_t *triangle = sweep->triangles[sweep->triangle_count++];
        triangle[0] = a;
        triangle[1] = b;
        triangle[2] = c;
    }
}

// Whether a, v, b make a triangle to be cut off, where `near` is the chain's end and `next` the
// vertex after it. When all three are on one line, the triangle is cut off if `next` lies between:
// leaving it would make the chain run backwards.
static bool cuts(const Sweep *sweep, int32_t low, int32_t v, int32_t high, int32_t near,
                 int32_t next) {
    const PhVec2 *p = sweep->vertices;
    int side = ph_orientation(p[low], p[v], p[high]);
    return side > 0 || (side == 0 && ph_left_of(p[near], p[next]));
}

// The lower edge of the chain now ends at v: v becomes the chain's low end.
static void close_below(Sweep *sweep, int32_t edge, int32_t v) {
    int32_t node = make_node(sweep, v), end = sweep->low[edge];
    while (end != sweep->high[edge]) {
        int32_t next = sweep->node_above[end];
        int32_t a = sweep->node_vertex[end], b = sweep->node_vertex[next];
        if (!cuts(sweep, a, v, b, a, b)) {
            break;
        }
        emit(sweep, a, v, b);
        end = next;
    }
    sweep->node_above[node] = end;
    sweep->node_below[end] = node;
    sweep->low[edge] = node;
    sweep->newest[edge] = node;
}

// The upper edge of the chain now ends at v: v becomes the chain's high end.
static void close_above(Sweep *sweep, int32_t edge, int32_t v) {
    int32_t node = make_node(sweep, v), end = sweep->high[edge];
    while (end != sweep->low[edge]) {
        int32_t next = sweep->node_below[end];
        int32_t a = sweep->node_vertex[end], b = sweep->node_vertex[next];
        if (!cuts(sweep, b, v, a, a, b)) {
            break;
        }
        emit(sweep, b, v, a);
        end = next;
    }
    sweep->node_below[node] = end;
    sweep->node_above[end] = node;
    sweep->high[edge] = node;
    sweep->newest[edge] = node;
}

typedef struct Event {
    const Sweep *sweep;
    PhVec2 point;
} Event;

// Edges that end at the point are not below it.
static bool is_below(const void *context, int32_t edge) {
    const Event *event = context;
    const PhVec2 *vertices = event->sweep->vertices;
    return ph_orientation(vertices[edge], vertices[event->sweep->after[edge]], event->point) > 0;
}

// The vertex starts a new stretch of interior inside a chain: the chain splits at its rightmost
// node, which v can see.
static void split_chain(Sweep *sweep, int32_t edge, int32_t v) {
    int32_t pivot = sweep->newest[edge];
    int32_t copy = make_node(sweep, sweep->node_vertex[pivot]);
    int32_t above = sweep->node_above[pivot];
    sweep->low[v] = copy;
    sweep->high[v] = copy;
    if (pivot != sweep->high[edge]) {
        sweep->node_above[copy] = above;
        sweep->node_below[above] = copy;
        sweep->high[v] = sweep->high[edge];
    }
    sweep->high[edge] = pivot;
    close_above(sweep, edge, v);
    close_below(sweep, v, v);
}

// The chains below and above v become one.
static void merge_chains(Sweep *sweep, int32_t below, int32_t above, int32_t v) {
    close_above(sweep, below, v);
    close_below(sweep, above, v);
    int32_t node = sweep->high[below], next = sweep->node_above[sweep->low[above]];
    sweep->node_above[node] = next;
    sweep->node_below[next] = node;
    sweep->high[below] = sweep->high[above];
    sweep->newest[below] = node;
}

// One vertex of the sweep. False when the edges are not where a simple polygon has them.
static bool visit(Sweep *sweep, int32_t v) {
    const PhVec2 *p = sweep->vertices;
    int32_t before = sweep->before[v], after = sweep->after[v];
    bool from_left = ph_left_of(p[before], p[v]), to_right = ph_left_of(p[v], p[after]);
    Event event = {sweep, p[v]};
    PhPlace place = ph_front_locate(&sweep->front, is_below, &event);
    int32_t below = ph_front_before(&sweep->front, place);
    if (from_left && ph_front_at(&sweep->front, place) != before) {
        return false;
    }
    if (from_left && to_right) { // on the lower boundary
        close_below(sweep, before, v);
        sweep->low[v] = sweep->low[before];
        sweep->high[v] = sweep->high[before];
        sweep->newest[v] = sweep->newest[before];
        ph_front_block(&sweep->front, place.block)[place.index] = v;
        return true;
    }
    bool convex = ph_orientation(p[before], p[v], p[after]) > 0;
    if (!from_left && to_right && convex) { // starts a chain
        int32_t node = make_node(sweep, v);
        sweep->low[v] = sweep->high[v] = sweep->newest[v] = node;
        (void)ph_front_insert(&sweep->front, place, v);
        return true;
    }
    if (from_left && convex) { // ends a chain
        close_below(sweep, before, v);
        (void)ph_front_remove(&sweep->front, place);
        return true;
    }
    if (below == NONE) {
        return false;
    }
    if (from_left) {
        merge_chains(sweep, below, before, v);
        (void)ph_front_remove(&sweep->front, place);
    } else if (to_right) {
        split_chain(sweep, below, v);
        (void)ph_front_insert(&sweep->front, place, v);
    } else { // on the upper boundary
        close_above(sweep, below, v);
    }
    return true;
}

// Half-edges: 3 t + k runs from corner k of triangle t to the next corner.
typedef struct Mesh {
    const PhVec2 *vertices;
    int32_t (*triangles)[3];
    int32_t count;
    int32_t *twin; // NONE on the boundary
} Mesh;

static int32_t following(int32_t half) {
    return half % 3 == 2 ? half - 2 : half + 1;
}

static int32_t origin(const Mesh *mesh, int32_t half) {
    return mesh->triangles[half / 3][half % 3];
}

static PhVec2 corner(const Mesh *mesh, int32_t half) {
    return mesh->vertices[origin(mesh, half)];
}

static void ends_of(const Mesh *mesh, int32_t half, int32_t *low, int32_t *high) {
    int32_t a = origin(mesh, half), b = origin(mesh, following(half));
    *low = a < b ? a : b;
    *high = a < b ? b : a;
}

static bool edge_order(const void *a, const void *b, const void *context) {
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    int32_t i_low, i_high, j_low, j_high;
    ends_of(context, i, &i_low, &i_high);
    ends_of(context, j, &j_low, &j_high);
    if (i_low != j_low) {
        return i_low < j_low;
    }
    return i_high != j_high ? i_high < j_high : i < j;
}

// `scratch` holds 3 count entries. False when stopped.
static bool pair_edges(Mesh *mesh, const PhStop *stop, int32_t *scratch) {
    int32_t halves = 3 * mesh->count;
    for (int32_t i = 0; i < halves; i++) {
        scratch[i] = i;
        mesh->twin[i] = NONE;
    }
    if (!ph_sort_until(scratch, (size_t)halves, sizeof *scratch, edge_order, mesh, stop)) {
        return false;
    }
    for (int32_t i = 0; i + 1 < halves; i++) {
        int32_t a = scratch[i], b = scratch[i + 1];
        if (origin(mesh, a) == origin(mesh, following(b)) &&
            origin(mesh, b) == origin(mesh, following(a))) {
            mesh->twin[a] = b;
            mesh->twin[b] = a;
            i++;
        }
    }
    return true;
}

static void link_twins(Mesh *mesh, int32_t a, int32_t b) {
    mesh->twin[a] = b;
    if (b != NONE) {
        mesh->twin[b] = a;
    }
}

// Replaces the edge a -> b between (a, b, c) and (b, a, d) by the one from d to c.
static void flip(Mesh *mesh, int32_t half) {
    int32_t other = mesh->twin[half];
    int32_t t = half / 3, u = other / 3;
    int32_t bc = following(half), ca = following(bc), ad = following(other), db = following(ad);
    int32_t a = origin(mesh, half), b = origin(mesh, other), c = origin(mesh, ca);
    int32_t d = origin(mesh, db);
    int32_t outer_ad = mesh->twin[ad], outer_ca = mesh->twin[ca];
    int32_t outer_db = mesh->twin[db], outer_bc = mesh->twin[bc];
    int32_t *first = mesh->triangles[t], *second = mesh->triangles[u];
    first[0] = a;
    first[1] = d;
    first[2] = c;
    second[0] = d;
    second[1] = b;
    second[2] = c;
    link_twins(mesh, 3 * t, outer_ad);
    link_twins(mesh, 3 * t + 1, 3 * u + 2);
    link_twins(mesh, 3 * t + 2, outer_ca);
    link_twins(mesh, 3 * u, outer_db);
    link_twins(mesh, 3 * u + 1, outer_bc);
}

static bool has_area(const Mesh *mesh, int32_t t) {
    return ph_orientation(corner(mesh, 3 * t), corner(mesh, 3 * t + 1), corner(mesh, 3 * t + 2)) >
           0;
}

// Asked with a number that counts up.
static bool stops(const PhStop *stop, int64_t work) {
    return work % PH_RING_PORTION == PH_RING_PORTION - 1 && ph_stop_wanted(stop);
}

// A triangle without area has one corner on the edge between the others. Flipping that edge with a
// neighbour that has area gives two triangles with area; a neighbour without area waits for its own
// turn.
// False when stopped.
static bool flip_flat_triangles(Mesh *mesh, const PhStop *stop) {
    bool changed = true;
    for (int32_t pass = 0; changed && pass < mesh->count; pass++) {
        changed = false;
        for (int32_t t = 0; t < mesh->count; t++) {
            if (stops(stop, t)) {
                return false;
            }
            if (has_area(mesh, t)) {
                continue;
            }
            int32_t half = NONE; // opposite the middle corner
            for (int32_t k = 0; k < 3; k++) {
                PhVec2 a = corner(mesh, 3 * t + k), b = corner(mesh, following(3 * t + k));
                PhVec2 c = corner(mesh, 3 * t + (k + 2) % 3);
                half = ph_left_of(a, c) == ph_left_of(c, b) ? 3 * t + k : half;
            }
            if (half != NONE && mesh->twin[half] != NONE && has_area(mesh, mesh->twin[half] / 3)) {
                flip(mesh, half);
                changed = true;
            }
        }
    }
    return true;
}

// Whether d is inside the circle through a, b, c (counter-clockwise), beyond doubt in float64
// (Shewchuk 1997, section 4.4).
static bool surely_in_circle(PhVec2 a, PhVec2 b, PhVec2 c, PhVec2 d) {
    PhVec2 p = ph_sub(a, d), q = ph_sub(b, d), r = ph_sub(c, d);
    double qr = fabs(q.x * r.y) + fabs(q.y * r.x), rp = fabs(r.x * p.y) + fabs(r.y * p.x);
    double pq = fabs(p.x * q.y) + fabs(p.y * q.x);
    double pp = ph_dot(p, p), qq = ph_dot(q, q), rr = ph_dot(r, r);
    double determinant = pp * ph_cross(q, r) + qq * ph_cross(r, p) + rr * ph_cross(p, q);
    return determinant > 0x1.5p-50 * (pp * qr + qq * rp + rr * pq);
}

// `stack` and `waiting` hold 3 count entries. False when stopped.
static bool flip_to_delaunay(Mesh *mesh, const PhStop *stop, int32_t *stack, bool *waiting) {
    int32_t size = 3 * mesh->count;
    for (int32_t i = 0; i < size; i++) {
        stack[i] = size - 1 - i;
        waiting[i] = true;
    }
    int64_t flips = FLIPS_PER_TRIANGLE * (int64_t)mesh->count;
    for (int64_t looks = 0; size > 0 && flips > 0; looks++) {
        if (stops(stop, looks)) {
            return false;
        }
        int32_t half = stack[--size];
        waiting[half] = false;
        int32_t other = mesh->twin[half];
        if (other == NONE) {
            continue;
        }
        PhVec2 a = corner(mesh, half), b = corner(mesh, other);
        PhVec2 c = corner(mesh, following(following(half)));
        PhVec2 d = corner(mesh, following(following(other)));
        if (!surely_in_circle(a, b, c, d) || ph_orientation(a, d, c) <= 0 ||
            ph_orientation(d, b, c) <= 0) {
            continue;
        }
        flip(mesh, half);
        flips--;
        int32_t around[4] = {half / 3 * 3, half / 3 * 3 + 2, other / 3 * 3, other / 3 * 3 + 1};
        for (int i = 0; i < 4; i++) {
            if (!waiting[around[i]]) {
                waiting[around[i]] = true;
                stack[size++] = around[i];
            }
        }
    }
    return true;
}

// Fills the ring links and the order of events.
// False when stopped.
static bool order_vertices(Sweep *sweep, const int32_t *starts, int32_t ring_count,
                           const PhStop *stop) {
    for (int32_t ring = 0; ring < ring_count; ring++) {
        for (int32_t i = starts[ring]; i < starts[ring + 1]; i++) {
            sweep->before[i] = i > starts[ring] ? i - 1 : starts[ring + 1] - 1;
            sweep->after[i] = i + 1 < starts[ring + 1] ? i + 1 : starts[ring];
        }
    }
    for (int32_t i = 0; i < sweep->count; i++) {
        sweep->order[i] = i;
    }
    return ph_sort_until(sweep->order, (size_t)sweep->count, sizeof(int32_t), event_order,
                         sweep->vertices, stop);
}

// From the triangles of the sweep to those that are handed out.
static PhStatus improve(Mesh *mesh, const PhStop *stop, PhError *error) {
    size_t halves = 3 * (size_t)mesh->count;
    mesh->twin = ph_alloc(halves, sizeof(int32_t));
    int32_t *stack = ph_alloc(halves, sizeof(int32_t));
    bool *waiting = ph_alloc(halves, sizeof(bool));
    PhStatus status = PH_OK;
    if (!mesh->twin || !stack || !waiting) {
        status = ph_fail(error, PH_ERROR_MEMORY, "out of memory");
    } else {
        if (!pair_edges(mesh, stop, stack) || !flip_flat_triangles(mesh, stop) ||
            !flip_to_delaunay(mesh, stop, stack, waiting)) {
            status = ph_fail(error, PH_ERROR_STOPPED, "stopped");
        }
    }
    ph_free(waiting);
    ph_free(stack);
    ph_free(mesh->twin);
    return status;
}

PhStatus ph_triangulate(const PhVec2 *vertices, const int32_t *starts, int32_t ring_count,
                        const PhStop *stop, int32_t (**triangles)[3], int32_t *triangle_count,
                        PhError *error) {
    int32_t count = starts[ring_count];
    if (count < 3 || count > INT32_MAX / 16) {
        return ph_fail(error, PH_ERROR_VALUE,
                       "vertices: %d is not a number of vertices to triangulate", count);
    }
    // One block for the sweep's tables.
    enum { TABLES = 15 };
    size_t n = (size_t)count;
    int32_t *tables = ph_alloc(n, TABLES * sizeof(int32_t));
    Sweep sweep = {.vertices = vertices, .count = count};
    sweep.triangle_capacity = count + 2 * ring_count; // n + 2 holes - 2 for simple rings
    sweep.triangles = ph_alloc((size_t)sweep.triangle_capacity, sizeof *sweep.triangles);
    if (!tables || !sweep.triangles || !ph_front_make(&sweep.front, count)) {
        ph_free(sweep.triangles);
        ph_free(tables);
        return ph_fail(error, PH_ERROR_MEMORY, "out of memory");
    }
    int32_t **columns[] = {&sweep.before, &sweep.after, &sweep.order,
                           &sweep.low,    &sweep.high,  &sweep.newest};
    for (size_t i = 0; i < 6; i++) {
        *columns[i] = tables + i * n;
    }
    sweep.node_vertex = tables + 6 * n;
    sweep.node_below = tables + 9 * n;
    sweep.node_above = tables + 12 * n;
    bool simple = true, stopped = !order_vertices(&sweep, starts, ring_count, stop);
    for (int32_t i = 0; i < count && simple && !stopped; i++) {
        simple = visit(&sweep, sweep.order[i]);
        stopped = stops(stop, i);
    }
    ph_front_free(&sweep.front);
    ph_free(tables);
    PhStatus status = PH_OK;
    if (stopped) {
        status = ph_fail(error, PH_ERROR_STOPPED, "stopped");
    } else if (!simple || sweep.triangle_count != count + 2 * (ring_count - 1) - 2) {
        status = ph_fail(error, PH_ERROR_VALUE, "vertices: the polygon is not simple");
    } else {
        Mesh mesh = {vertices, sweep.triangles, sweep.triangle_count, NULL};
        status = improve(&mesh, stop, error);
    }
    if (status != PH_OK) {
        ph_free(sweep.triangles);
        return status;
    }
    *triangles = sweep.triangles;
    *triangle_count = sweep.triangle_count;
    return PH_OK;
}

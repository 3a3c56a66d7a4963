// Owns nothing: the fewest convex parts of a small polygon without holes, by diagonals between its
// vertices. Dynamic programming over the polygons that a diagonal cuts off (J. M. Keil, Decomposing
// a Polygon into Simpler Components, 1985; narrowest pairs as in J. M. Keil and J. Snoeyink, On the
// Time Bound for Convex Decomposition of Simple Polygons, 2002), here over all vertices and with
// weak diagonals, so that corners which lie in line cost nothing.
//
// What lies beyond (i, j), i < j, are the vertices i .. j. The part at (i, j) is a fan of triangles
// around i. A pair is its first corner after i and its last before j: of those that cost the same,
// the later the first and the earlier the last, the narrower the part is at both ends, and the more
// may be added. Pairs of a state rise in both.
#include "geometry/fewest_parts.h"

#include "base/memory.h"

enum { NONE = -1 };

typedef struct Pair {
    int32_t first, last;
    int32_t from; // the pair of (i, last) that it goes on from; NONE: the triangle (i, last, j)
} Pair;

typedef struct State {
    int32_t pairs, pair_count;
    int32_t cost; // diagonals between i and j, (i, j) not counted
    bool visible; // the line lies in the polygon; it may touch corners
} State;

typedef struct Table {
    const PhVec2 *vertices;
    int32_t count;
    State *states; // count^2, by i and j
    Pair *pairs;
    uint32_t pair_count;
    int32_t *stack; // bases still to be written: i, j
} Table;

static State *state_of(const Table *table, int32_t i, int32_t j) {
    return &table->states[i * table->count + j];
}

// ph_orientation, most often without a call: beyond several times the error of float64 the sign is
// sure.
static inline int turn(const Table *table, int32_t a, int32_t b, int32_t c) {
    const PhVec2 *p = table->vertices;
    double left = (p[a].x - p[c].x) * (p[b].y - p[c].y);
    double right = (p[a].y - p[c].y) * (p[b].x - p[c].x);
    double size = fabs(left) + fabs(right);
    if (fabs(left - right) > 0x1p-50 * size && size > 0x1p-900 && size < 0x1p900) {
        return left > right ? 1 : -1;
    }
    return ph_orientation(p[a], p[b], p[c]);
}

// Whether the line from the corner to another vertex starts into the polygon or along its edge.
static bool in_corner(const Table *table, int32_t corner, int32_t other) {
    int32_t n = table->count, before = corner > 0 ? corner - 1 : n - 1;
    int32_t after = corner + 1 < n ? corner + 1 : 0;
    bool left_of_next = turn(table, corner, after, other) >= 0;
    bool left_of_last = turn(table, before, corner, other) >= 0;
    bool convex = turn(table, before, corner, after) >= 0;
    return convex ? left_of_next && left_of_last : left_of_next || left_of_last;
}

// Of a point on the line through both ends.
static bool between(PhVec2 point, PhVec2 a, PhVec2 b) {
    return ph_left_of(a, b) ? ph_left_of(a, point) && ph_left_of(point, b)
                            : ph_left_of(b, point) && ph_left_of(point, a);
}

static bool sees(const Table *table, int32_t i, int32_t j) {
    if (!in_corner(table, i, j) || !in_corner(table, j, i)) {
        return false;
    }
    int32_t n = table->count;
    const PhVec2 *p = table->vertices;
    int before = turn(table, i, j, n - 1);
    for (int32_t v = 0; v < n; v++) {
        int side = turn(table, i, j, v);
        int32_t u = v > 0 ? v - 1 : n - 1;
        if (side * before < 0 && turn(table, u, v, i) * turn(table, u, v, j) < 0) {
            return false;
        }
        if (side == 0 && v != i && v != j && between(p[v], p[i], p[j]) &&
            (!in_corner(table, v, i) || !in_corner(table, v, j))) {
            return false;
        }
        before = side;
    }
    return true;
}

// The pair of (i, k) that stays convex with the triangle (i, k, j) added, narrowest at i; NONE.
static int32_t joined(const Table *table, int32_t i, int32_t k, int32_t j) {
    const State *inner = state_of(table, i, k);
    for (int32_t at = inner->pairs + inner->pair_count - 1; at >= inner->pairs; at--) {
        if (turn(table, table->pairs[at].last, k, j) >= 0) {
            return turn(table, j, i, table->pairs[at].first) >= 0 ? at : NONE;
        }
    }
    return NONE;
}

// False when memory is short.
static bool add_pair(Table *table, State *state, int32_t cost, Pair pair) {
    if (cost < state->cost) {
        state->cost = cost;
        state->pair_count = 0;
        table->pair_count = (uint32_t)state->pairs;
    } else if (cost > state->cost || table->pairs[table->pair_count - 1].first >= pair.first) {
        return true;
    }
    if (PH_RESERVE(table->pairs, (uint64_t)table->pair_count + 1) != PH_OK) {
        return false;
    }
    table->pairs[table->pair_count++] = pair;
    state->pair_count++;
    return true;
}

// False when memory is short.
static bool solve_state(Table *table, int32_t i, int32_t j) {
    const PhVec2 *p = table->vertices;
    State *state = state_of(table, i, j);
    *state = (State){.pairs = (int32_t)table->pair_count, .cost = INT32_MAX};
    state->visible = (i == 0 && j == table->count - 1) || sees(table, i, j);
    for (int32_t k = i + 1; k < j && state->visible; k++) {
        const State *inner = state_of(table, i, k), *outer = state_of(table, k, j);
        if (!inner->visible || !outer->visible) {
            continue;
        }
        // In line: k touches (i, j) from beyond, or j touches (i, k) from this side.
        int side = turn(table, i, k, j);
        if (side < 0 || (side == 0 && between(p[i], p[k], p[j]))) {
            continue;
        }
        int32_t cost = inner->cost + outer->cost + (k + 1 < j);
        int32_t from = k > i + 1 ? joined(table, i, k, j) : NONE;
        cost += k > i + 1 && from == NONE;
        Pair pair = {from == NONE ? k : table->pairs[from].first, k, from};
        if (!add_pair(table, state, cost, pair)) {
            return false;
        }
    }
    state->visible = state->pair_count > 0;
    return true;
}

// Writes the corners of the part at a base, straight ones left out, counter-clockwise; pushes the
// bases beyond it. Returns the number of corners: 0 without area, which no simple ring has.
static int32_t write_part(Table *table, int32_t i, int32_t j, int32_t *depth, int32_t *corners) {
    int32_t count = 0;
    corners[count++] = j;
    const Pair *pair = &table->pairs[state_of(table, i, j)->pairs];
    for (;;) {
        int32_t k = pair->last;
        corners[count++] = k;
        if (k + 1 < j) {
            table->stack[(*depth)++] = k;
            table->stack[(*depth)++] = j;
        }
        if (pair->from == NONE) {
            if (i + 1 < k) {
                table->stack[(*depth)++] = i;
                table->stack[(*depth)++] = k;
            }
            corners[count++] = i;
            break;
        }
        j = k;
        pair = &table->pairs[pair->from];
    }
    for (int32_t a = 0, b = count - 1; a < b; a++, b--) {
        int32_t swapped = corners[a];
        corners[a] = corners[b];
        corners[b] = swapped;
    }
    int32_t kept = 0, first = corners[0], last = corners[count - 1];
    for (int32_t a = 0; a < count; a++) {
        int32_t here = corners[a];
        if (turn(table, last, here, a + 1 < count ? corners[a + 1] : first) > 0) {
            corners[kept++] = here;
        }
        last = here;
    }
    return kept < 3 ? 0 : kept;
}

PhStatus ph_fewest_parts(const PhVec2 *vertices, int32_t count, int32_t fewer_than,
                         int32_t *indices, int32_t *part_starts, int32_t *part_count,
                         PhError *error) {
    size_t n = (size_t)count;
    Table table = {.vertices = vertices, .count = count};
    table.states = ph_alloc(n * n, sizeof *table.states);
    table.stack = ph_alloc(2 * n, sizeof *table.stack);
    bool sound = table.states && table.stack;
    for (int32_t i = count - 2; i >= 0 && sound; i--) {
        *state_of(&table, i, i + 1) = (State){.visible = true};
        for (int32_t j = i + 2; j < count && sound; j++) {
            sound = solve_state(&table, i, j);
        }
    }
    const State *whole = sound ? state_of(&table, 0, count - 1) : NULL;
    if (whole && whole->visible && whole->cost + 1 < fewer_than) {
        int32_t depth = 2, size = 0, parts = 0;
        table.stack[0] = 0;
        table.stack[1] = count - 1;
        while (depth > 0) {
            depth -= 2;
            int32_t i = table.stack[depth], j = table.stack[depth + 1];
            part_starts[parts] = size;
            size += write_part(&table, i, j, &depth, indices + size);
            parts += size > part_starts[parts];
        }
        part_starts[parts] = size;
        *part_count = parts;
    }
    ph_free(table.pairs);
    ph_free(table.stack);
    ph_free(table.states);
    return sound ? PH_OK : ph_fail(error, PH_ERROR_MEMORY, "out of memory");
}

// Owns nothing: convex parts of a polygon with holes, by leaving out diagonals of a triangulation
// as long as both ends stay convex (S. Hertel and K. Mehlhorn 1983: at most four times as many
// parts as needed). The longest diagonals go first, which favours compact parts. Where a small
// polygon can do with fewer, it gets the fewest.
#include "base/memory.h"
#include "base/sort.h"
#include "geometry/fewest_parts.h"
#include "geometry/polygon.h"
#include "geometry/rings.h"

enum { NONE = -1 };

// Half-edge h runs from vertex `from` to that of its `next`; faces are cycles of next.
typedef struct HalfEdge {
    int32_t from, next, previous;
    int32_t twin; // NONE on the boundary
} HalfEdge;

typedef struct Diagonal {
    double length_squared;
    int32_t half, from, to; // from < to
} Diagonal;

static bool by_ends(const void *a, const void *b, const void *context) {
    const Diagonal *i = a, *j = b;
    (void)context;
    if (i->from != j->from) {
        return i->from < j->from;
    }
    return i->to != j->to ? i->to < j->to : i->half < j->half;
}

static bool by_length(const void *a, const void *b, const void *context) {
    const Diagonal *i = a, *j = b;
    return i->length_squared > j->length_squared ||
           (i->length_squared == j->length_squared && by_ends(a, b, context));
}

// Makes half-edges of the triangles and leaves in `diagonals` one entry per inner edge, longest
// first; returns their number, -1 when stopped.
static int32_t connect(const PhVec2 *vertices, int32_t (*triangles)[3], int32_t count,
                       const PhStop *stop, HalfEdge *halves, Diagonal *diagonals) {
    int32_t total = 3 * count;
    for (int32_t h = 0; h < total; h++) {
        int32_t t = h / 3, k = h % 3;
        int32_t a = triangles[t][k], b = triangles[t][(k + 1) % 3];
        halves[h] = (HalfEdge){a, 3 * t + (k + 1) % 3, 3 * t + (k + 2) % 3, NONE};
        diagonals[h] = (Diagonal){ph_distance_squared(vertices[a], vertices[b]), h, a < b ? a : b,
                                  a < b ? b : a};
    }
    if (!ph_sort_until(diagonals, (size_t)total, sizeof *diagonals, by_ends, NULL, stop)) {
        return -1;
    }
    int32_t inner = 0;
    for (int32_t i = 0; i + 1 < total; i++) {
        Diagonal first = diagonals[i], second = diagonals[i + 1];
        if (first.from == second.from && first.to == second.to) {
            halves[first.half].twin = second.half;
            halves[second.half].twin = first.half;
            diagonals[inner++] = first;
            i++;
        }
    }
    bool sorted = ph_sort_until(diagonals, (size_t)inner, sizeof *diagonals, by_length, NULL, stop);
    return sorted ? inner : -1;
}

// Whether the corner of the face at the start of half-edge `after` is convex or straight when
// `before` leads to it.
static bool stays_convex(const PhVec2 *vertices, const HalfEdge *halves, int32_t before,
                         int32_t after) {
    return ph_orientation(vertices[halves[before].from], vertices[halves[after].from],
                          vertices[halves[halves[after].next].from]) >= 0;
}

// Joins the faces on both sides of a diagonal where that keeps them convex.
static void remove_diagonal(const PhVec2 *vertices, HalfEdge *halves, int32_t half) {
    int32_t twin = halves[half].twin;
    int32_t before = halves[half].previous, after = halves[half].next;
    int32_t twin_before = halves[twin].previous, twin_after = halves[twin].next;
    if (!stays_convex(vertices, halves, before, twin_after) ||
        !stays_convex(vertices, halves, twin_before, after)) {
        return;
    }
    halves[before].next = twin_after;
    halves[twin_after].previous = before;
    halves[twin_before].next = after;
    halves[after].previous = twin_before;
    halves[half].from = NONE;
    halves[twin].from = NONE;
}

// Writes the faces, straight corners left out; returns their number. starts has one entry more.
static int32_t collect(const PhVec2 *vertices, HalfEdge *halves, int32_t total, int32_t *indices,
                       int32_t *starts) {
    int32_t parts = 0, size = 0;
    for (int32_t first = 0; first < total; first++) {
        if (halves[first].from == NONE || halves[first].twin == first) {
            continue; // removed, or written with its face
        }
        starts[parts] = size;
        int32_t h = first;
        do {
            PhVec2 a = vertices[halves[halves[h].previous].from], b = vertices[halves[h].from];
            PhVec2 c = vertices[halves[halves[h].next].from];
            if (ph_orientation(a, b, c) > 0) {
                indices[size++] = halves[h].from;
            }
            halves[h].twin = h;
            h = halves[h].next;
        } while (h != first);
        if (size - starts[parts] < 3) {
            size = starts[parts]; // no area; not for simple rings
        } else {
            parts++;
        }
    }
    starts[parts] = size;
    return parts;
}

// Whether there may be fewer parts. A diagonal makes at most both its ends convex.
static bool may_be_fewer(const PhVec2 *vertices, int32_t count, int32_t parts) {
    int32_t reflex = 0;
    for (int32_t i = 0; i < count; i++) {
        PhVec2 before = vertices[i > 0 ? i - 1 : count - 1];
        reflex += ph_orientation(before, vertices[i], vertices[i + 1 < count ? i + 1 : 0]) < 0;
    }
    return parts > 1 + (reflex + 1) / 2;
}

PhStatus ph_decompose(const PhVec2 *vertices, const int32_t *starts, int32_t ring_count,
                      const PhStop *stop, int32_t **indices, int32_t **part_starts,
                      int32_t *part_count, PhError *error) {
    int32_t(*triangles)[3], count;
    PhStatus status = ph_triangulate(vertices, starts, ring_count, stop, &triangles, &count, error);
    if (status != PH_OK) {
        return status;
    }
    size_t total = 3 * (size_t)count;
    HalfEdge *halves = ph_alloc(total, sizeof *halves);
    Diagonal *diagonals = ph_alloc(total, sizeof *diagonals);
    int32_t *corners = ph_alloc(total, sizeof *corners);
    int32_t *offsets = ph_alloc((size_t)count + 1, sizeof *offsets);
    if (halves && diagonals && corners && offsets) {
        int32_t inner = connect(vertices, triangles, count, stop, halves, diagonals);
        bool stopped = inner < 0;
        for (int32_t i = 0; i < inner && !stopped; i++) {
            remove_diagonal(vertices, halves, diagonals[i].half);
            stopped = i % PH_RING_PORTION == PH_RING_PORTION - 1 && ph_stop_wanted(stop);
        }
        if (stopped) {
            status = ph_fail(error, PH_ERROR_STOPPED, "stopped");
        }
    } else {
        status = ph_fail(error, PH_ERROR_MEMORY, "out of memory");
    }
    if (status == PH_OK) {
        *part_count = collect(vertices, halves, (int32_t)total, corners, offsets);
        int32_t size = starts[1];
        if (ring_count == 1 && size <= PH_FEWEST_PARTS_LIMIT &&
            may_be_fewer(vertices, size, *part_count)) {
            status =
                ph_fewest_parts(vertices, size, *part_count, corners, offsets, part_count, error);
        }
    }
    if (status == PH_OK) {
        *indices = corners;
        *part_starts = offsets;
    } else {
        ph_free(offsets);
        ph_free(corners);
    }
    ph_free(diagonals);
    ph_free(halves);
    ph_free(triangles);
    return status;
}

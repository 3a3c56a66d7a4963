// Owns nothing: cuts a polygon with holes along a line. The faces of the graph in slice_walk.h are
// the parts; a part that would be too thin gives up the chord to a neighbour, and both become one.
//
// Only rounding of the new vertices can make a part touch itself, where the polygon comes within
// some units in the last place of the line. Then vertices so near count as on the line, which lets
// the part fall into two there.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "geometry/polygon.h"
#include "geometry/predicates.h"
#include "geometry/rings.h"
#include "geometry/slice_walk.h"

// ------------------------------------------------------------------------------------------------
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

static double chord_length(const PhSliceWalk *walk, int32_t number) {
    return ph_length(
        ph_sub(ph_slice_node(walk, number + 1)->point, ph_slice_node(walk, number)->point));
}

// `points` and `hull` have room for all vertices of all faces.
static bool is_thin(const PhSliceWalk *walk, const Groups *groups, int32_t root, double least_width,
                    PhVec2 *points, PhVec2 *hull) {
    int32_t count = 0;
    for (int32_t face = root; face != PH_NO_NODE; face = groups->next[face]) {
        int32_t start = walk->face_starts[face], size = walk->face_starts[face + 1] - start;
        memcpy(points + count, walk->out + start, (size_t)size * sizeof *points);
        count += size;
    }
    int32_t size = ph_convex_hull(points, count, hull, NULL);
    return !(ph_convex_width(hull, size) >= least_width);
}

static void offer_chord(const PhSliceWalk *walk, const Groups *groups, int32_t root,
                        int32_t number) {
    int32_t best = groups->best[root];
    if (groups->thin[root] &&
        (best == PH_NO_NODE || chord_length(walk, number) > chord_length(walk, best))) {
        groups->best[root] = number;
    }
}

// Joins each thin group with its best neighbour. False when there was none to join.
static bool join_thin(const PhSliceWalk *walk, const Groups *groups) {
    for (int32_t face = 0; face < walk->face_count; face++) {
        groups->best[face] = PH_NO_NODE;
    }
    for (int32_t i = 0; i < walk->node_count; i++) {
        const PhSliceNode *node = ph_slice_node(walk, i);
        if (node->cut && node->left_face != PH_NO_NODE && node->right_face != PH_NO_NODE) {
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
        if (groups->best[face] != PH_NO_NODE) {
            const PhSliceNode *node = ph_slice_node(walk, groups->best[face]);
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
static void merge_thin(PhSliceWalk *walk, const Groups *groups, double least_width,
                       PhVec2 *scratch) {
    PhVec2 *hull = scratch + walk->out_count;
    for (int32_t face = 0; face < walk->face_count; face++) {
        groups->parent[face] = face;
    }
    do {
        for (int32_t face = 0; face < walk->face_count; face++) {
            groups->next[face] = PH_NO_NODE;
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
        PhSliceNode *node = ph_slice_node(walk, i);
        node->cut = node->cut && node->left_face != PH_NO_NODE && node->right_face != PH_NO_NODE &&
                    root_of(groups, node->left_face) != root_of(groups, node->right_face);
    }
}

static PhStatus drop_thin_parts(PhSliceWalk *walk, double least_width, PhError *error) {
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

// ------------------------------------------------------------------------------------------------
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

// One face as a result: its winding and area and, of a hole, the outer face around it.
typedef struct Outcome {
    int winding;
    double area;
    int32_t face, west, outer;
} Outcome;

// Outer faces along the line, then holes.
static bool outcome_order(const void *a, const void *b, const void *context) {
    const Outcome *i = a, *j = b;
    (void)context;
    if (i->winding != j->winding) {
        return i->winding > j->winding;
    }
    return i->west != j->west ? i->west < j->west : i->face < j->face;
}

static const PhVec2 *face_ring(const PhSliceWalk *walk, int32_t face, int32_t *count) {
    *count = walk->face_starts[face + 1] - walk->face_starts[face];
    return walk->out + walk->face_starts[face];
}

// Whether the hole is inside the outer face, told by its first vertex that is not on the border.
static bool holds(const PhSliceWalk *walk, int32_t outer, int32_t hole) {
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

// The smallest outer face around a hole; an index into outcomes, or PH_NO_NODE.
static int32_t find_outer(const PhSliceWalk *walk, const Outcome *outcomes, int32_t outers,
                          int32_t hole) {
    int32_t best = PH_NO_NODE;
    for (int32_t i = 0; i < outers; i++) {
        if ((best == PH_NO_NODE || outcomes[i].area < outcomes[best].area) &&
            holds(walk, outcomes[i].face, outcomes[hole].face)) {
            best = i;
        }
    }
    return best;
}

// A part that kept something from across the line belongs where its centroid is.
static int part_side(const PhSliceWalk *walk, int32_t face, bool merged) {
    int32_t count;
    const PhVec2 *ring = face_ring(walk, face, &count);
    int side = merged ? ph_line_side(&walk->line, ph_ring_mass(ring, count).centroid) : 0;
    return side != 0 ? side : walk->face_sides[face] >= 0 ? 1 : -1;
}

static PhStatus collect(const PhSliceWalk *walk, bool merged, PhSlices *slices, PhError *error) {
    Outcome *outcomes = ph_alloc((size_t)walk->face_count, sizeof *outcomes);
    if (!outcomes || !make_slices(slices, walk->out_count, walk->face_count)) {
        ph_free(outcomes);
        return ph_fail(error, PH_ERROR_MEMORY, "out of memory");
    }
    int32_t count = 0, outers = 0;
    for (int32_t face = 0; face < walk->face_count; face++) {
        int32_t size, west = walk->face_wests[face];
        const PhVec2 *ring = face_ring(walk, face, &size);
        int winding = size >= 3 ? ph_ring_winding(ring, size) : 0;
        // What rounding has closed, or turned inside out, has no area.
        if (winding > 0 || (winding < 0 && (merged || west == INT32_MAX))) {
            double area = ph_ring_mass(ring, size).area;
            outcomes[count++] = (Outcome){winding, area, face, west, PH_NO_NODE};
            outers += winding > 0;
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
static void free_touching_hole(PhSliceWalk *walk, int32_t ring) {
    int32_t start = walk->starts[ring], end = walk->starts[ring + 1], vertex = PH_NO_NODE;
    int sides = 0;
    for (int32_t i = start; i < end; i++) {
        if (walk->side[i] == 0 && vertex != PH_NO_NODE) {
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
    if (vertex == PH_NO_NODE) {
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

static PhStatus cut(PhSliceWalk *walk, double least_width, PhSlices *slices, PhError *error) {
    for (int32_t ring = 1; ring < walk->ring_count; ring++) {
        free_touching_hole(walk, ring);
    }
    bool fine = ph_slice_nodes(walk) && ph_slice_faces(walk);
    if (fine && least_width > 0) {
        PhStatus status = drop_thin_parts(walk, least_width, error);
        if (status != PH_OK) {
            return status;
        }
        fine = ph_slice_faces(walk);
    }
    if (ph_stop_wanted(walk->stop)) {
        return ph_fail(error, PH_ERROR_STOPPED, "stopped");
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

static int side_of(const PhSliceWalk *walk, PhVec2 v) {
    if (walk->snap > 0) {
        double height = ph_line_height(&walk->line, v);
        return fabs(height) <= walk->snap ? 0 : height > 0 ? 1 : -1;
    }
    return ph_line_side(&walk->line, v);
}

// Fills vertices, links and sides. Bit 1: some vertex is on the left; bit 2: on the right.
static int find_sides(PhSliceWalk *walk, const PhVec2 *vertices) {
    int found = 0;
    for (int32_t ring = 0; ring < walk->ring_count; ring++) {
        int32_t start = walk->starts[ring], end = walk->starts[ring + 1];
        for (int32_t i = start; i < end; i++) {
            walk->vertices[i] = vertices[i];
            walk->after[i] = i + 1 < end ? i + 1 : start;
            walk->before[i] = i > start ? i - 1 : end - 1;
            walk->side[i] = (int8_t)side_of(walk, vertices[i]);
            found |= walk->side[i] > 0 ? 1 : walk->side[i] < 0 ? 2 : 0;
        }
    }
    return found;
}

static PhStatus cut_once(const PhVec2 *vertices, const int32_t *starts, int32_t ring_count,
                         const PhCutLine *line, double snap, double least_width, const PhStop *stop,
                         PhSlices *slices, PhError *error) {
    // A vertex belongs to one face, a node to at most three.
    int32_t count = starts[ring_count];
    size_t n = (size_t)count, faces = 3 * n + (size_t)ring_count + 1;
    PhSliceWalk walk = {.count = count, .starts = starts, .ring_count = ring_count};
    walk.line = *line;
    walk.snap = snap;
    walk.stop = stop;
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
        int found = find_sides(&walk, vertices);
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

// PH_ERROR_VALUE when some part touches itself. A triangle with area cannot.
static PhStatus check_parts(const PhSlices *slices, const PhStop *stop, PhError *error) {
    int32_t *starts = ph_alloc((size_t)slices->ring_count + 1, sizeof *starts);
    if (!starts) {
        return ph_fail(error, PH_ERROR_MEMORY, "out of memory");
    }
    PhStatus status = PH_OK;
    for (int32_t part = 0; part < slices->part_count && status == PH_OK; part++) {
        int32_t ring = slices->part_starts[part], count = slices->part_starts[part + 1] - ring;
        for (int32_t i = 0; i <= count; i++) {
            starts[i] = slices->ring_starts[ring + i] - slices->ring_starts[ring];
        }
        PhRings rings = {
            slices->vertices + slices->ring_starts[ring], starts, count, NULL, "part", stop};
        status = starts[count] > 3 ? ph_rings_check(&rings, error) : PH_OK;
    }
    ph_free(starts);
    return status;
}

// A few units in the last place of the largest coordinate.
static double rounding_of(const PhVec2 *vertices, int32_t count) {
    double largest = 0;
    for (int32_t i = 0; i < count; i++) {
        largest = fmax(largest, fmax(fabs(vertices[i].x), fabs(vertices[i].y)));
    }
    return 8 * DBL_EPSILON * largest;
}

PhStatus ph_slice_rings(const PhVec2 *vertices, const int32_t *starts, int32_t ring_count,
                        const PhCutLine *line, double snap, double least_width, const PhStop *stop,
                        PhSlices *slices, PhError *error) {
    int32_t count = starts[ring_count];
    if (count > INT32_MAX / 16) {
        return ph_fail(error, PH_ERROR_VALUE, "vertices: at most %d are possible, got %d",
                       INT32_MAX / 16, count);
    }
    const double snaps[2] = {snap, snap > 0 ? 0 : rounding_of(vertices, count)};
    PhSlices kept = {0};
    PhStatus status = PH_OK;
    bool done = false;
    for (int attempt = 0; attempt < 2 && !done; attempt++) {
        PhSlices made = {0};
        status = cut_once(vertices, starts, ring_count, line, snaps[attempt], least_width, stop,
                          &made, error);
        if (status == PH_OK) {
            status = check_parts(&made, stop, error);
        }
        done = status != PH_ERROR_VALUE;
        // The first cut is kept for want of a better one.
        if (status == PH_OK || !kept.vertices) {
            ph_slices_free(&kept);
            kept = made;
        } else {
            ph_slices_free(&made);
        }
    }
    if (status == PH_ERROR_MEMORY || status == PH_ERROR_STOPPED || !kept.vertices) {
        ph_slices_free(&kept);
        return status;
    }
    *slices = kept;
    return PH_OK;
}

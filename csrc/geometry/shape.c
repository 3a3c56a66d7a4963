// Owns the life of shapes: one block each, counted references, and the questions that do not depend
// on the kind. Invariant: after its constructor a shape never changes but for `references`; the
// last release frees the block.
#include "geometry/shape.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "geometry/build.h"
#include "geometry/polygon.h"

PhNumberText ph_number_text(double value) {
    PhNumberText number;
    if (!isfinite(value)) {
        // The sign of a NaN would tell the caller nothing.
        const char *word = isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
        (void)snprintf(number.text, sizeof number.text, "%s", word);
        return number;
    }
    for (int digits = 6; digits <= 17; digits++) {
        (void)snprintf(number.text, sizeof number.text, "%.*g", digits, value);
        if (strtod(number.text, NULL) == value) {
            break;
        }
    }
    return number;
}

bool ph_check_number(double value, const char *name, int32_t index, PhError *error) {
    if (fabs(value) <= PH_MAX_COORDINATE) {
        return true;
    }
    char subscript[16] = "";
    if (index >= 0) {
        // Eleven digits and two brackets at most.
        (void)snprintf(subscript, sizeof subscript, "[%d]", index);
    }
    if (!isfinite(value)) {
        ph_fail(error, PH_ERROR_VALUE, "%s%s: %s is not finite", name, subscript,
                ph_number_text(value).text);
    } else {
        ph_fail(error, PH_ERROR_VALUE, "%s%s: must be within +-%g m, got %s", name, subscript,
                PH_MAX_COORDINATE, ph_number_text(value).text);
    }
    return false;
}

bool ph_check_point(PhVec2 point, const char *name, int32_t index, PhError *error) {
    return ph_check_number(point.x, name, index, error) &&
           ph_check_number(point.y, name, index, error);
}

bool ph_check_radius(double radius, PhError *error) {
    if (!isfinite(radius)) {
        return ph_check_number(radius, "radius", -1, error);
    }
    if (radius <= 0) {
        ph_fail(error, PH_ERROR_VALUE, "radius: must be > 0, got %s", ph_number_text(radius).text);
        return false;
    }
    if (radius < PH_MIN_SIZE) {
        ph_fail(error, PH_ERROR_VALUE, "radius: must be at least %g m, got %s", PH_MIN_SIZE,
                ph_number_text(radius).text);
        return false;
    }
    return ph_check_number(radius, "radius", -1, error);
}

PhShape *ph_shape_new(const PhShapeSizes *sizes, PhVec2 **part_vertices, PhVec2 **part_normals,
                      PhError *error) {
    // Largest alignment first; every size is a multiple of the next one's alignment.
    uint64_t vertices = (uint64_t)sizes->vertex_count + (uint64_t)sizes->hole_vertex_count;
    uint64_t vectors =
        vertices + (uint64_t)sizes->vertex_count + 2 * (uint64_t)sizes->part_vertex_count;
    uint64_t pieces = (uint64_t)sizes->piece_count;
    uint64_t nodes = pieces > 1 ? 2 * pieces - 1 : 0;
    uint64_t bytes = sizeof(PhShape) + pieces * sizeof(PhPiece) + nodes * sizeof(PhPieceNode) +
                     vectors * sizeof(PhVec2) +
                     ((uint64_t)sizes->hole_count + 1 + (nodes ? pieces : 0)) * sizeof(int32_t);
    char *block = bytes <= SIZE_MAX ? ph_alloc((size_t)bytes, 1) : NULL;
    if (!block) {
        ph_fail(error, PH_ERROR_MEMORY, "out of memory");
        return NULL;
    }
    PhShape *shape = (PhShape *)(void *)block;
    atomic_init(&shape->references, 1);
    shape->kind = sizes->kind;
    shape->vertex_count = sizes->vertex_count;
    shape->hole_count = sizes->hole_count;
    shape->piece_count = sizes->piece_count;
    shape->pieces = (PhPiece *)(void *)(block + sizeof(PhShape));
    PhVec2 *parts = (PhVec2 *)(void *)(shape->pieces + sizes->piece_count);
    PhPieceNode *tree = (PhPieceNode *)(void *)(parts + 2 * (size_t)sizes->part_vertex_count);
    shape->tree = nodes ? tree : NULL;
    shape->vertices = (PhVec2 *)(void *)(tree + nodes);
    shape->normals = shape->vertices + vertices;
    shape->hole_starts = (int32_t *)(void *)(shape->normals + sizes->vertex_count);
    shape->hole_starts[0] = sizes->vertex_count;
    if (part_vertices) {
        *part_vertices = parts;
        *part_normals = parts + sizes->part_vertex_count;
    }
    return shape;
}

PhVec2 ph_right_normal(PhVec2 a, PhVec2 b) {
    PhVec2 edge = ph_sub(b, a);
    double scale = fmax(fabs(edge.x), fabs(edge.y));
    if (!(scale > 0)) {
        return ph_vec(0, -1);
    }
    PhVec2 normal =
        ph_normalize_or(ph_right(ph_vec(edge.x / scale, edge.y / scale)), ph_vec(0, -1));
    return ph_vec(normal.x + 0.0, normal.y + 0.0); // users read it: 0, not -0
}

// Centroid of a convex ring, kept within its box: a sliver's area may be all rounding.
static PhVec2 convex_centroid(const PhVec2 *vertices, int32_t count) {
    PhVec2 mean = {0, 0}, lower = vertices[0], upper = vertices[0];
    for (int32_t i = 0; i < count; i++) {
        PhVec2 v = vertices[i];
        mean = ph_mul_add(mean, 1.0 / count, ph_sub(v, vertices[0]));
        lower = ph_vec(ph_min(lower.x, v.x), ph_min(lower.y, v.y));
        upper = ph_vec(ph_max(upper.x, v.x), ph_max(upper.y, v.y));
    }
    mean = ph_add(mean, vertices[0]);
    if (count < 3) {
        return mean;
    }
    PhVec2 centroid = ph_ring_mass(vertices, count).centroid;
    bool inside = centroid.x >= lower.x && centroid.x <= upper.x && centroid.y >= lower.y &&
                  centroid.y <= upper.y;
    return inside ? centroid : mean;
}

void ph_piece_init(PhPiece *piece, const PhVec2 *vertices, PhVec2 *normals, int32_t count,
                   double radius) {
    double farthest = 0;
    piece->vertices = vertices;
    piece->normals = normals;
    piece->count = count;
    piece->radius = radius;
    piece->centroid = convex_centroid(vertices, count);
    for (int32_t i = 0; i < count; i++) {
        normals[i] = count > 1 ? ph_right_normal(vertices[i], vertices[i + 1 < count ? i + 1 : 0])
                               : ph_vec(0, 0);
        farthest = fmax(farthest, ph_length(ph_sub(vertices[i], piece->centroid)));
    }
    piece->extent = farthest + radius;
    piece->width = ph_convex_width(vertices, count) + 2 * radius;
}

PhShape *ph_shape_measured(PhShape *shape, const PhStop *stop, PhError *error) {
    PhAabb box = {shape->vertices[0], shape->vertices[0]};
    double farthest = 0;
    for (int32_t i = 0; i < shape->vertex_count; i++) {
        PhVec2 v = shape->vertices[i];
        box = ph_union(box, (PhAabb){v, v});
        farthest = fmax(farthest, ph_length(v));
    }
    shape->aabb = ph_grow(box, shape->radius);
    shape->extent = farthest + shape->radius;
    if (shape->tree) {
        // The end of the block has room for their order.
        int32_t *order = shape->hole_starts + shape->hole_count + 1;
        if (!ph_piece_tree_build(shape->pieces, shape->piece_count, shape->tree, order, stop)) {
            ph_shape_release(shape);
            ph_fail(error, PH_ERROR_STOPPED, "stopped");
            return NULL;
        }
    }
    return shape;
}

void ph_shape_retain(PhShape *shape) {
    atomic_fetch_add_explicit(&shape->references, 1, memory_order_relaxed);
}

void ph_shape_release(PhShape *shape) {
    // The last owner must see what the others did before they let go.
    if (shape && atomic_fetch_sub_explicit(&shape->references, 1, memory_order_acq_rel) == 1) {
        ph_free(shape);
    }
}

bool ph_shape_equal(const PhShape *a, const PhShape *b) {
    if (a == b) {
        return true;
    }
    if (a->kind != b->kind || a->loop != b->loop || a->radius != b->radius ||
        a->vertex_count != b->vertex_count || a->hole_count != b->hole_count) {
        return false;
    }
    for (int32_t i = 0; i <= a->hole_count; i++) {
        if (a->hole_starts[i] != b->hole_starts[i]) {
            return false;
        }
    }
    int32_t count = a->hole_starts[a->hole_count];
    for (int32_t i = 0; i < count; i++) {
        if (a->vertices[i].x != b->vertices[i].x || a->vertices[i].y != b->vertices[i].y) {
            return false;
        }
    }
    return true;
}

uint64_t ph_shape_hash(const PhShape *shape) {
    int32_t head[4] = {(int32_t)shape->kind, shape->loop, shape->vertex_count, shape->hole_count};
    uint64_t hash = ph_hash(PH_HASH_START, head, sizeof head);
    hash = ph_hash(hash, &shape->radius, sizeof shape->radius);
    hash = ph_hash(hash, shape->hole_starts, ((size_t)shape->hole_count + 1) * sizeof(int32_t));
    int32_t count = shape->hole_starts[shape->hole_count];
    for (int32_t i = 0; i < count; i++) {
        // Adding zero turns -0 into 0.
        double pair[2] = {shape->vertices[i].x + 0.0, shape->vertices[i].y + 0.0};
        hash = ph_hash(hash, pair, sizeof pair);
    }
    return hash;
}

// By the rings, which are exact whatever the split into pieces.
static bool rings_contain(const PhShape *shape, PhVec2 point) {
    if (ph_ring_contains(shape->vertices, shape->vertex_count, point) < 0) {
        return false;
    }
    for (int32_t i = 0; i < shape->hole_count; i++) {
        int32_t start = shape->hole_starts[i], end = shape->hole_starts[i + 1];
        if (ph_ring_contains(shape->vertices + start, end - start, point) > 0) {
            return false;
        }
    }
    return true;
}

bool ph_shape_contains(const PhShape *shape, PhVec2 point) {
    PhAabb box = shape->aabb;
    if (!(point.x >= box.lower.x && point.x <= box.upper.x && point.y >= box.lower.y &&
          point.y <= box.upper.y)) {
        return false;
    }
    if (shape->kind == PH_SHAPE_POLYGON && !shape->convex) {
        return rings_contain(shape, point);
    }
    for (int32_t i = 0; i < shape->piece_count; i++) {
        if (ph_piece_contains(&shape->pieces[i], point)) {
            return true;
        }
    }
    return false;
}

PhVec2 ph_shape_support(const PhShape *shape, PhVec2 direction) {
    PhVec2 best = shape->vertices[0];
    double height = ph_dot(best, direction);
    for (int32_t i = 1; i < shape->vertex_count; i++) {
        double h = ph_dot(shape->vertices[i], direction);
        if (h > height) {
            height = h;
            best = shape->vertices[i];
        }
    }
    PhVec2 outward = ph_right_normal(ph_vec(0, 0), ph_left(direction));
    bool directed = direction.x != 0 || direction.y != 0;
    return directed && shape->radius > 0 ? ph_mul_add(best, shape->radius, outward) : best;
}

PhAabb ph_shape_aabb(const PhShape *shape, PhTransform pose) {
    PhPiece outline = {
        .vertices = shape->vertices, .count = shape->vertex_count, .radius = shape->radius};
    return ph_piece_aabb(&outline, pose);
}

// Chain: one-sided segments, one piece each, numbered along the walk; the free side is on the left.
// Each piece knows the vertices before and after it (ghosts), so that bodies slide over the joints;
// only the ends of an open chain have none.
#include "geometry/build.h"

enum { PORTION = 1 << 14 }; // points between two questions to a PhStop

static bool check_points(const PhVec2 *points, int32_t count, bool loop, PhError *error) {
    int32_t least = loop ? 3 : 2;
    if (count < least) {
        ph_fail(error, PH_ERROR_VALUE, "points: at least %d are needed%s, got %d", least,
                loop ? " for a loop" : "", count);
        return false;
    }
    for (int32_t i = 0; i < count; i++) {
        if (!ph_check_point(points[i], "points", i, error)) {
            return false;
        }
    }
    for (int32_t i = loop ? 0 : 1; i < count; i++) {
        int32_t before = i > 0 ? i - 1 : count - 1;
        double length = ph_length(ph_sub(points[i], points[before]));
        if (length < PH_MIN_SIZE) {
            ph_fail(error, PH_ERROR_VALUE,
                    "points[%d]: must be at least %g m from points[%d], got %g m",
                    i > 0 ? i : before, PH_MIN_SIZE, i > 0 ? before : i, length);
            return false;
        }
    }
    return true;
}

PhShape *ph_shape_chain_or_stop(const PhVec2 *points, int32_t count, bool loop, const PhStop *stop,
                                PhError *error) {
    if (!check_points(points, count, loop, error)) {
        return NULL;
    }
    if (count > INT32_MAX / 4) {
        ph_fail(error, PH_ERROR_VALUE, "points: at most %d are possible, got %d", INT32_MAX / 4,
                count);
        return NULL;
    }
    int32_t pieces = loop ? count : count - 1;
    PhShapeSizes sizes = {.kind = PH_SHAPE_CHAIN,
                          .vertex_count = count,
                          .piece_count = pieces,
                          .part_vertex_count = 2 * pieces};
    PhVec2 *part_vertices, *part_normals;
    PhShape *shape = ph_shape_new(&sizes, &part_vertices, &part_normals, error);
    if (!shape) {
        return NULL;
    }
    shape->convex = false;
    shape->loop = loop;
    double total = 0;
    PhVec2 moment = {0, 0};
    for (int32_t i = 0; i < count; i++) {
        shape->vertices[i] = points[i];
        shape->normals[i] = ph_right_normal(points[i], points[i + 1 < count ? i + 1 : 0]);
    }
    for (int32_t i = 0; i < pieces; i++) {
        if (i % PORTION == PORTION - 1 && ph_stop_wanted(stop)) {
            ph_shape_release(shape);
            ph_fail(error, PH_ERROR_STOPPED, "stopped");
            return NULL;
        }
        int32_t next = i + 1 < count ? i + 1 : 0;
        PhPiece *piece = &shape->pieces[i];
        PhVec2 *vertices = part_vertices + 2 * (size_t)i;
        vertices[0] = points[i];
        vertices[1] = points[next];
        ph_piece_init(piece, vertices, part_normals + 2 * (size_t)i, 2, 0);
        piece->flags = PH_PIECE_ONE_SIDED;
        if (loop || i > 0) {
            piece->flags |= PH_PIECE_GHOST_BEFORE;
            piece->ghost_before = points[i > 0 ? i - 1 : count - 1];
        }
        if (loop || i + 1 < pieces) {
            piece->flags |= PH_PIECE_GHOST_AFTER;
            piece->ghost_after = points[next + 1 < count ? next + 1 : 0];
        }
        double length = ph_length(ph_sub(points[next], points[i]));
        moment = ph_mul_add(moment, length, ph_sub(piece->centroid, points[0]));
        total += length;
    }
    shape->centroid = ph_mul_add(points[0], 1 / total, moment);
    return ph_shape_measured(shape, stop, error);
}

PhShape *ph_shape_chain(const PhVec2 *points, int32_t count, bool loop, PhError *error) {
    return ph_shape_chain_or_stop(points, count, loop, NULL, error);
}

static PhShape *make(const PhShapeNumbers *numbers, const PhStop *stop, PhError *error) {
    return ph_shape_chain_or_stop(numbers->vertices, numbers->vertex_count, numbers->loop, stop,
                                  error);
}

const PhShapeKindInfo ph_chain_kind = {make, 2, INT32_MAX, false, true};

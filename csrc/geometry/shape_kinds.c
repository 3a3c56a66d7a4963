// The table of the kinds of shapes, and what is done by it: shapes made of their numbers, once more
// or moved. Owns nothing.
#include "base/memory.h"
#include "geometry/outline.h"

#define DECLARE(KIND, name) extern const PhShapeKindInfo ph_##name##_kind;
PH_SHAPE_KINDS(DECLARE)

#define ROW(KIND, name) [PH_SHAPE_##KIND] = &ph_##name##_kind,
const PhShapeKindInfo *const ph_shape_kinds[PH_SHAPE_KIND_COUNT] = {PH_SHAPE_KINDS(ROW)};

PhShape *ph_shape_make(uint32_t kind, const PhShapeNumbers *numbers, const PhStop *stop,
                       PhError *error) {
    if (kind >= PH_SHAPE_KIND_COUNT) {
        return NULL;
    }
    const PhShapeKindInfo *info = ph_shape_kinds[kind];
    int32_t count = numbers->vertex_count;
    if (count < info->least_vertices || count > info->most_vertices ||
        (numbers->hole_count > 0 && !info->holes)) {
        return NULL;
    }
    return info->make(numbers, stop, error);
}

PhShape *ph_shape_translated(PhShape *shape, PhVec2 by, const PhStop *stop, PhError *error) {
    if (by.x == 0 && by.y == 0) {
        ph_shape_retain(shape);
        return shape;
    }
    int32_t count = shape->vertex_count, holes = shape->hole_count;
    int32_t total = holes > 0 ? shape->hole_starts[holes] : count;
    PhVec2 *vertices = ph_alloc((size_t)total, sizeof *vertices);
    int32_t *counts = ph_alloc((size_t)holes, sizeof *counts);
    PhShape *moved = NULL;
    if (vertices && counts) {
        for (int32_t i = 0; i < total; i++) {
            vertices[i] = ph_add(shape->vertices[i], by);
        }
        for (int32_t i = 0; i < holes; i++) {
            counts[i] = shape->hole_starts[i + 1] - shape->hole_starts[i];
        }
        const PhShapeNumbers numbers = {
            .vertices = vertices,
            .holes = vertices + count,
            .hole_counts = counts,
            .vertex_count = count,
            .hole_count = holes,
            .radius = shape->radius,
            .loop = shape->loop,
        };
        moved = ph_shape_make(shape->kind, &numbers, stop, error);
    } else {
        ph_fail(error, PH_ERROR_MEMORY, "out of memory");
    }
    ph_free(counts);
    ph_free(vertices);
    return moved;
}

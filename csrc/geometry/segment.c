// Segment: two points, solid from both sides, without area.
#include "geometry/build.h"

PhShape *ph_shape_segment(PhVec2 p, PhVec2 q, PhError *error) {
    if (!ph_check_point(p, "p", -1, error) || !ph_check_point(q, "q", -1, error)) {
        return NULL;
    }
    double length = ph_length(ph_sub(q, p));
    if (length < PH_MIN_SIZE) {
        ph_fail(error, PH_ERROR_VALUE, "q: must be at least %g m from p, got %g m", PH_MIN_SIZE,
                length);
        return NULL;
    }
    PhShapeSizes sizes = {.kind = PH_SHAPE_SEGMENT, .vertex_count = 2, .piece_count = 1};
    PhShape *shape = ph_shape_new(&sizes, NULL, NULL, error);
    if (!shape) {
        return NULL;
    }
    shape->convex = true;
    shape->vertices[0] = p;
    shape->vertices[1] = q;
    ph_piece_init(shape->pieces, shape->vertices, shape->normals, 2, 0);
    shape->centroid = shape->pieces->centroid;
    return ph_shape_measured(shape, NULL, error);
}

static PhShape *make(const PhShapeNumbers *numbers, const PhStop *stop, PhError *error) {
    (void)stop;
    return ph_shape_segment(numbers->vertices[0], numbers->vertices[1], error);
}

const PhShapeKindInfo ph_segment_kind = {make, 2, 2, false, true};

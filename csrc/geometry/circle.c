// Circle: a point with a radius. Area pi r^2, polar second moment pi r^4 / 2.
#include "geometry/build.h"
#include "math/trig.h"

PhShape *ph_shape_circle(double radius, PhVec2 center, PhError *error) {
    if (!ph_check_radius(radius, error) || !ph_check_point(center, "center", -1, error)) {
        return NULL;
    }
    PhShapeSizes sizes = {.kind = PH_SHAPE_CIRCLE, .vertex_count = 1, .piece_count = 1};
    PhShape *shape = ph_shape_new(&sizes, NULL, NULL, error);
    if (!shape) {
        return NULL;
    }
    shape->convex = true;
    shape->radius = radius;
    shape->vertices[0] = center;
    ph_piece_init(shape->pieces, shape->vertices, shape->normals, 1, radius);
    shape->area = PH_PI * radius * radius;
    shape->centroid = center;
    shape->inertia = 0.5 * shape->area * radius * radius;
    return ph_shape_measured(shape, NULL, error);
}

static PhShape *make(const PhShapeNumbers *numbers, const PhStop *stop, PhError *error) {
    (void)stop;
    return ph_shape_circle(numbers->radius, numbers->vertices[0], error);
}

const PhShapeKindInfo ph_circle_kind = {make, 1, 1, false, false};

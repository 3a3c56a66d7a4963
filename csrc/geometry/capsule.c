// Capsule: two points with a radius. With the distance L of the points, a 2r x L rectangle and two
// half discs:
//     area     2 r L + pi r^2
//     inertia  r L (L^2 + 4 r^2) / 6  +  pi r^4 / 2 + 4 r^3 L / 3 + pi r^2 L^2 / 4
// A half disc has the first moment 2 r^3 / 3 about its straight edge; the parallel axis theorem
// moves it out by L / 2.
#include "geometry/build.h"
#include "math/trig.h"

PhShape *ph_shape_capsule(PhVec2 p, PhVec2 q, double radius, PhError *error) {
    if (!ph_check_point(p, "p", -1, error) || !ph_check_point(q, "q", -1, error) ||
        !ph_check_radius(radius, error)) {
        return NULL;
    }
    double length = ph_length(ph_sub(q, p));
    if (length < PH_MIN_SIZE) {
        ph_fail(error, PH_ERROR_VALUE, "q: must be at least %g m from p, got %g m", PH_MIN_SIZE,
                length);
        return NULL;
    }
    PhShapeSizes sizes = {.kind = PH_SHAPE_CAPSULE, .vertex_count = 2, .piece_count = 1};
    PhShape *shape = ph_shape_new(&sizes, NULL, NULL, error);
    if (!shape) {
        return NULL;
    }
    shape->convex = true;
    shape->radius = radius;
    shape->vertices[0] = p;
    shape->vertices[1] = q;
    ph_piece_init(shape->pieces, shape->vertices, shape->normals, 2, radius);
    double r2 = radius * radius, l2 = length * length;
    shape->area = 2 * radius * length + PH_PI * r2;
    shape->centroid = shape->pieces->centroid;
    shape->inertia = radius * length * (l2 + 4 * r2) / 6 +
                     r2 * (0.5 * PH_PI * r2 + 4 * radius * length / 3 + 0.25 * PH_PI * l2);
    return ph_shape_measured(shape, NULL, error);
}

static PhShape *make(const PhShapeNumbers *numbers, const PhStop *stop, PhError *error) {
    (void)stop;
    return ph_shape_capsule(numbers->vertices[0], numbers->vertices[1], numbers->radius, error);
}

const PhShapeKindInfo ph_capsule_kind = {make, 2, 2, false, false};

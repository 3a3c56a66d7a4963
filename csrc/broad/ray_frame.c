// Owns the frame of the indices for many rays.
//
// Why the slack is enough: distances in the frame are below 3 R, R being the larger half extent of
// all, and go through four roundings of 2^-24, so they are wrong by less than 2^-20 R. A box grown
// by g is entered earlier than the true one by at least g. The slack is 2^-18 R; rounding a bound
// to float takes 2^-24 R of it, the ray's origin as much, and doubles of up to 2^25 R less.
#include "broad/ray_frame.h"

bool ph_ray_frame_make(const PhAabb *boxes, uint32_t count, PhRayFrame *frame) {
    PhAabb all = boxes[0];
    bool good = true;
    for (uint32_t i = 0; i < count; i++) {
        all = ph_union(all, boxes[i]);
        good = good && boxes[i].lower.x <= boxes[i].upper.x && boxes[i].lower.y <= boxes[i].upper.y;
    }
    PhVec2 middle = {0.5 * all.lower.x + 0.5 * all.upper.x, 0.5 * all.lower.y + 0.5 * all.upper.y};
    PhVec2 half = ph_sub(all.upper, middle);
    // Within this, doubles about the middle are finer than the slack by far.
    double most = half.x > half.y ? half.x : half.y;
    double away = fabs(middle.x) + fabs(middle.y);
    if (!(good && most > 0 && most < 1e12 && away < most * 0x1p25)) {
        return false;
    }
    *frame = (PhRayFrame){middle, half, (float)(most * 0x1p-18)};
    return true;
}

PhRayBound ph_ray_frame_bound(const PhRayFrame *frame, PhAabb box) {
    PhVec2 lower = ph_sub(box.lower, frame->middle), upper = ph_sub(box.upper, frame->middle);
    double slack = (double)frame->slack;
    return (PhRayBound){{(float)(lower.x - slack), (float)(lower.y - slack),
                         (float)(-upper.x - slack), (float)(-upper.y - slack)}};
}

// Cuts [*near, *far] to where the ray is within `half` of zero along one axis.
static inline void cut(double origin, double direction, double half, double *near, double *far) {
    double inverse = 1 / (fabs(direction) > 1e-30 ? direction : copysign(1e-30, direction));
    double a = (-half - origin) * inverse, b = (half - origin) * inverse;
    double in = a < b ? a : b, out = a < b ? b : a;
    *near = in > *near ? in : *near;
    *far = out < *far ? out : *far;
}

// Moves the start to where the ray enters the bounds of all; false if it never does.
static bool move_in(const PhRayFrame *frame, const PhRay *ray, PhVec2 *from, double *start) {
    double near = 0, far = ray->length, slack = (double)frame->slack;
    cut(from->x, ray->direction.x, frame->half.x + slack, &near, &far);
    cut(from->y, ray->direction.y, frame->half.y + slack, &near, &far);
    *from = ph_mul_add(*from, near, ray->direction);
    *start = near;
    return near <= far;
}

// Never zero, so that its inverse is finite. What the ray wanders off by that is nothing.
static inline float not_zero(double x) {
    return fabs(x) > 1e-30 ? (float)x : copysignf(1e-30F, (float)x);
}

PhRayMeets ph_ray_frame_enter(const PhRayFrame *frame, const PhRay *ray, PhRayPath *path) {
    PhVec2 from = ph_sub(ray->origin, frame->middle);
    double start = 0;
    if (!(fabs(from.x) <= frame->half.x && fabs(from.y) <= frame->half.y)) {
        if (!(fabs(from.x) + fabs(from.y) < (double)frame->slack * 0x1p43)) {
            return PH_RAY_TOO_FAR;
        }
        if (!move_in(frame, ray, &from, &start)) {
            return PH_RAY_MISSES;
        }
    }
    *path = ph_ray_frame_sweep(frame, ray, ph_vec(0, 0));
    double left = ray->length - start;
    path->start = start;
    path->origin[0] = (float)from.x;
    path->origin[1] = (float)from.y;
    path->length = (left < 1e30 ? (float)left : 1e30F) + frame->slack;
    return PH_RAY_MEETS;
}

PhRayPath ph_ray_frame_sweep(const PhRayFrame *frame, const PhRay *ray, PhVec2 half) {
    PhVec2 from = ph_sub(ray->origin, frame->middle);
    return (PhRayPath){
        .origin = {(float)from.x, (float)from.y},
        .half = {(float)half.x, (float)half.y},
        .inverse = {1 / not_zero(ray->direction.x), 1 / not_zero(ray->direction.y)},
        .length = (ray->length < 1e30 ? (float)ray->length : 1e30F) + frame->slack,
    };
}

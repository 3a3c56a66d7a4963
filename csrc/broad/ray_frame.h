// What the two indices for many rays share: coordinates in float32 about the middle of all boxes,
// rays in them, and the test of four boxes side by side.
//
// Every box is grown by more than float32 can be wrong, so no ray misses what it would meet in
// double precision: what a ray finds is a matter of the visits alone. Rays that begin too far away
// for that are refused.
#ifndef PH_BROAD_RAY_FRAME_H
#define PH_BROAD_RAY_FRAME_H

#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "geometry/piece.h"

enum { PH_WIDE = 4 };

typedef struct PhRayFrame {
    PhVec2 middle; // of all boxes; float coordinates are relative to it
    PhVec2 half;   // and all boxes are within this of it
    float slack;   // the boxes are grown by it, m
} PhRayFrame;

// {lower x, lower y, -upper x, -upper y}: a union is four minima.
typedef struct PhRayBound {
    float v[4];
} PhRayBound;

// Four boxes, and what they are of.
typedef struct PhRayBoxes {
    float bound[4][PH_WIDE]; // lower x, lower y, upper x, upper y; what is unused meets nothing
    uint32_t id[PH_WIDE];
} PhRayBoxes;

// Called with the place of an item whose box the ray meets; returns the greatest distance in m from
// the ray's origin that still counts.
typedef double PhRayVisit(void *context, uint32_t place);

// False: some box is none (NaN, lower > upper), or they are spread too far for float32. count > 0.
bool ph_ray_frame_make(const PhAabb *boxes, uint32_t count, PhRayFrame *frame);
PhRayBound ph_ray_frame_bound(const PhRayFrame *frame, PhAabb box);

// A ray in the frame.
typedef struct PhRayPath {
    double start;     // m from the ray's origin to where it is, or comes, within the bounds of all
    float origin[2];  // there
    float half[2];    // by which every box is grown for it; 0 for rays
    float inverse[2]; // of the direction, finite and not zero
    float length;     // from the start
} PhRayPath;

typedef enum PhRayMeets { PH_RAY_MISSES, PH_RAY_MEETS, PH_RAY_TOO_FAR } PhRayMeets;
PhRayMeets ph_ray_frame_enter(const PhRayFrame *frame, const PhRay *ray, PhRayPath *path);

// Whether a box of that half size about a point is near enough for the next two and the walks that
// follow: within twice the extent of all boxes.
static inline bool ph_ray_frame_holds(const PhRayFrame *frame, PhVec2 point, double half) {
    double most = ph_max(frame->half.x, frame->half.y);
    PhVec2 from = ph_sub(point, frame->middle);
    return fabs(from.x) + half <= 2 * most && fabs(from.y) + half <= 2 * most;
}
// The path of such a box; the ray is that of its middle.
PhRayPath ph_ray_frame_sweep(const PhRayFrame *frame, const PhRay *ray, PhVec2 half);

// The same in all lanes.
#if defined(__SSE2__)
typedef __m128 PhRayFour;
#define PH_RAY_FOUR(x) _mm_set1_ps(x)
#else
typedef float PhRayFour;
#define PH_RAY_FOUR(x) (x)
#endif
typedef struct PhRayLanes {
    PhRayFour first[2], last[2]; // origins for the sides it comes to first and last
    PhRayFour inverse[2];
    int side[2]; // rows of the bounds that the ray comes to first
} PhRayLanes;

static inline PhRayLanes ph_ray_lanes(const PhRayPath *path) {
    PhRayLanes lanes;
    for (int axis = 0; axis < 2; axis++) {
        bool back = path->inverse[axis] < 0;
        float half = back ? -path->half[axis] : path->half[axis];
        lanes.first[axis] = PH_RAY_FOUR(path->origin[axis] + half);
        lanes.last[axis] = PH_RAY_FOUR(path->origin[axis] - half);
        lanes.inverse[axis] = PH_RAY_FOUR(path->inverse[axis]);
        lanes.side[axis] = axis + (back ? 2 : 0);
    }
    return lanes;
}

static inline void ph_ray_set_box(PhRayBoxes *boxes, int k, const PhRayBound *bound, uint32_t id) {
    boxes->bound[0][k] = bound->v[0];
    boxes->bound[1][k] = bound->v[1];
    boxes->bound[2][k] = -bound->v[2];
    boxes->bound[3][k] = -bound->v[3];
    boxes->id[k] = id;
}

// Where the ray enters each box (>= 0), and a bit for each that it meets up to the limit.
static inline int ph_ray_meet(const PhRayBoxes *boxes, const PhRayLanes *ray, float limit,
                              float near[PH_WIDE]) {
    const float(*first_x)[PH_WIDE] = &boxes->bound[ray->side[0]];
    const float(*first_y)[PH_WIDE] = &boxes->bound[ray->side[1]];
    const float(*last_x)[PH_WIDE] = &boxes->bound[2 - ray->side[0]];
    const float(*last_y)[PH_WIDE] = &boxes->bound[4 - ray->side[1]];
#if defined(__SSE2__)
#define PH_PLANE(row, origin, axis)                                                                \
    _mm_mul_ps(_mm_sub_ps(_mm_loadu_ps(*(row)), ray->origin[axis]), ray->inverse[axis])
    __m128 in = _mm_max_ps(_mm_max_ps(PH_PLANE(first_x, first, 0), PH_PLANE(first_y, first, 1)),
                           _mm_setzero_ps());
    __m128 out = _mm_min_ps(_mm_min_ps(PH_PLANE(last_x, last, 0), PH_PLANE(last_y, last, 1)),
                            _mm_set1_ps(limit));
#undef PH_PLANE
    _mm_storeu_ps(near, in);
    return _mm_movemask_ps(_mm_cmple_ps(in, out));
#else
    int mask = 0;
    for (int k = 0; k < PH_WIDE; k++) {
        float x = ((*first_x)[k] - ray->first[0]) * ray->inverse[0];
        float y = ((*first_y)[k] - ray->first[1]) * ray->inverse[1];
        float far_x = ((*last_x)[k] - ray->last[0]) * ray->inverse[0];
        float far_y = ((*last_y)[k] - ray->last[1]) * ray->inverse[1];
        float in = x > y ? x : y, out = far_x < far_y ? far_x : far_y;
        near[k] = in > 0 ? in : 0;
        mask |= (near[k] <= (out < limit ? out : limit)) << k;
    }
    return mask;
#endif
}

// Squares of how far each box is from another, and a bit for each that is within a limit; never
// more than the truth by 1e-6 of it, since boxes are grown.
static inline int ph_ray_near(const PhRayBoxes *boxes, PhRayBound from, float limit,
                              float squared[PH_WIDE]) {
#if defined(__SSE2__)
    __m128 zero = _mm_setzero_ps();
#define PH_GAP(axis)                                                                               \
    _mm_max_ps(                                                                                    \
        _mm_max_ps(_mm_add_ps(_mm_loadu_ps(boxes->bound[axis]), _mm_set1_ps(from.v[(axis) + 2])),  \
                   _mm_sub_ps(_mm_set1_ps(from.v[axis]), _mm_loadu_ps(boxes->bound[(axis) + 2]))), \
        zero)
    __m128 x = PH_GAP(0), y = PH_GAP(1);
#undef PH_GAP
    __m128 sum = _mm_add_ps(_mm_mul_ps(x, x), _mm_mul_ps(y, y));
    _mm_storeu_ps(squared, sum);
    return _mm_movemask_ps(_mm_cmple_ps(sum, _mm_set1_ps(limit)));
#else
    int mask = 0;
    for (int k = 0; k < PH_WIDE; k++) {
        float gap[2];
        for (int axis = 0; axis < 2; axis++) {
            float below = boxes->bound[axis][k] + from.v[axis + 2];
            float above = from.v[axis] - boxes->bound[axis + 2][k];
            gap[axis] = below > above ? below : above;
            gap[axis] = gap[axis] > 0 ? gap[axis] : 0;
        }
        squared[k] = gap[0] * gap[0] + gap[1] * gap[1];
        mask |= (squared[k] <= limit) << k;
    }
    return mask;
#endif
}

#endif

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
typedef struct PhRayWay {
    double start;     // m from the ray's origin to where it is, or comes, within the bounds of all
    float origin[2];  // there
    float inverse[2]; // of the direction, finite and not zero
    float length;     // from the start
} PhRayWay;

typedef enum PhRayMeets { PH_RAY_MISSES, PH_RAY_MEETS, PH_RAY_TOO_FAR } PhRayMeets;
PhRayMeets ph_ray_frame_enter(const PhRayFrame *frame, const PhRay *ray, PhRayWay *way);

// The same in all lanes.
#if defined(__SSE2__)
typedef __m128 PhRayFour;
#define PH_RAY_FOUR(x) _mm_set1_ps(x)
#else
typedef float PhRayFour;
#define PH_RAY_FOUR(x) (x)
#endif
typedef struct PhRayLanes {
    PhRayFour origin[2], inverse[2];
    int side[2]; // rows of the bounds that the ray comes to first
} PhRayLanes;

static inline PhRayLanes ph_ray_lanes(const PhRayWay *way) {
    return (PhRayLanes){{PH_RAY_FOUR(way->origin[0]), PH_RAY_FOUR(way->origin[1])},
                        {PH_RAY_FOUR(way->inverse[0]), PH_RAY_FOUR(way->inverse[1])},
                        {way->inverse[0] < 0 ? 2 : 0, way->inverse[1] < 0 ? 3 : 1}};
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
#define PH_PLANE(row, axis)                                                                        \
    _mm_mul_ps(_mm_sub_ps(_mm_loadu_ps(*(row)), ray->origin[axis]), ray->inverse[axis])
    __m128 in =
        _mm_max_ps(_mm_max_ps(PH_PLANE(first_x, 0), PH_PLANE(first_y, 1)), _mm_setzero_ps());
    __m128 out =
        _mm_min_ps(_mm_min_ps(PH_PLANE(last_x, 0), PH_PLANE(last_y, 1)), _mm_set1_ps(limit));
#undef PH_PLANE
    _mm_storeu_ps(near, in);
    return _mm_movemask_ps(_mm_cmple_ps(in, out));
#else
    int mask = 0;
    for (int k = 0; k < PH_WIDE; k++) {
        float x = ((*first_x)[k] - ray->origin[0]) * ray->inverse[0];
        float y = ((*first_y)[k] - ray->origin[1]) * ray->inverse[1];
        float far_x = ((*last_x)[k] - ray->origin[0]) * ray->inverse[0];
        float far_y = ((*last_y)[k] - ray->origin[1]) * ray->inverse[1];
        float in = x > y ? x : y, out = far_x < far_y ? far_x : far_y;
        near[k] = in > 0 ? in : 0;
        mask |= (near[k] <= (out < limit ? out : limit)) << k;
    }
    return mask;
#endif
}

#endif

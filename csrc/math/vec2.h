// Plane vectors, rotations, rigid transforms and boxes: values in float64.
#ifndef PH_MATH_VEC2_H
#define PH_MATH_VEC2_H

#include <math.h>
#include <stdbool.h>

typedef struct PhVec2 {
    double x, y;
} PhVec2;
typedef struct PhRot {
    double c, s;
} PhRot;
// Maps local to outer: q * v + p.
typedef struct PhTransform {
    PhVec2 p;
    PhRot q;
} PhTransform;
typedef struct PhAabb {
    PhVec2 lower, upper;
} PhAabb;

// b when the two compare equal or one is not a number, as minsd and maxsd do. fmin and fmax leave
// it to the machine which of two zeros they return.
static inline double ph_min(double a, double b) {
    return a < b ? a : b;
}
static inline double ph_max(double a, double b) {
    return a > b ? a : b;
}

static inline PhVec2 ph_vec(double x, double y) {
    return (PhVec2){x, y};
}
static inline PhVec2 ph_add(PhVec2 a, PhVec2 b) {
    return (PhVec2){a.x + b.x, a.y + b.y};
}
static inline PhVec2 ph_sub(PhVec2 a, PhVec2 b) {
    return (PhVec2){a.x - b.x, a.y - b.y};
}
static inline PhVec2 ph_neg(PhVec2 a) {
    return (PhVec2){-a.x, -a.y};
}
static inline PhVec2 ph_scale(double k, PhVec2 a) {
    return (PhVec2){k * a.x, k * a.y};
}
// a + k b
static inline PhVec2 ph_mul_add(PhVec2 a, double k, PhVec2 b) {
    return (PhVec2){a.x + k * b.x, a.y + k * b.y};
}
static inline PhVec2 ph_lerp(PhVec2 a, PhVec2 b, double t) {
    return (PhVec2){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
}
static inline double ph_dot(PhVec2 a, PhVec2 b) {
    return a.x * b.x + a.y * b.y;
}
static inline double ph_cross(PhVec2 a, PhVec2 b) {
    return a.x * b.y - a.y * b.x;
}
static inline double ph_length_squared(PhVec2 a) {
    return a.x * a.x + a.y * a.y;
}
static inline double ph_length(PhVec2 a) {
    return sqrt(a.x * a.x + a.y * a.y);
}
static inline double ph_distance_squared(PhVec2 a, PhVec2 b) {
    return ph_length_squared(ph_sub(a, b));
}
// Quarter turn to the left (counter-clockwise).
static inline PhVec2 ph_left(PhVec2 a) {
    return (PhVec2){-a.y, a.x};
}
// Quarter turn to the right: the outward normal direction of a counter-clockwise edge.
static inline PhVec2 ph_right(PhVec2 a) {
    return (PhVec2){a.y, -a.x};
}
// Unit vector; the fallback when the length is zero or not a number.
static inline PhVec2 ph_normalize_or(PhVec2 a, PhVec2 fallback) {
    double length = ph_length(a);
    return length > 0 ? (PhVec2){a.x / length, a.y / length} : fallback;
}
static inline PhVec2 ph_rotate(PhRot q, PhVec2 v) {
    return (PhVec2){q.c * v.x - q.s * v.y, q.s * v.x + q.c * v.y};
}
static inline PhVec2 ph_unrotate(PhRot q, PhVec2 v) {
    return (PhVec2){q.c * v.x + q.s * v.y, q.c * v.y - q.s * v.x};
}
static inline PhVec2 ph_apply(PhTransform t, PhVec2 v) {
    return ph_add(ph_rotate(t.q, v), t.p);
}
static inline PhVec2 ph_unapply(PhTransform t, PhVec2 v) {
    return ph_unrotate(t.q, ph_sub(v, t.p));
}
// b seen from a: a^-1 b.
static inline PhTransform ph_relative(PhTransform a, PhTransform b) {
    PhRot q = {a.q.c * b.q.c + a.q.s * b.q.s, a.q.c * b.q.s - a.q.s * b.q.c};
    return (PhTransform){ph_unrotate(a.q, ph_sub(b.p, a.p)), q};
}
static inline bool ph_overlaps(PhAabb a, PhAabb b) {
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
           b.lower.y <= a.upper.y;
}
// Whether a holds all of b.
static inline bool ph_encloses(PhAabb a, PhAabb b) {
    return a.lower.x <= b.lower.x && a.lower.y <= b.lower.y && b.upper.x <= a.upper.x &&
           b.upper.y <= a.upper.y;
}
static inline PhAabb ph_union(PhAabb a, PhAabb b) {
    return (PhAabb){{a.lower.x < b.lower.x ? a.lower.x : b.lower.x,
                     a.lower.y < b.lower.y ? a.lower.y : b.lower.y},
                    {a.upper.x > b.upper.x ? a.upper.x : b.upper.x,
                     a.upper.y > b.upper.y ? a.upper.y : b.upper.y}};
}
static inline PhAabb ph_grow(PhAabb a, double margin) {
    return (PhAabb){{a.lower.x - margin, a.lower.y - margin},
                    {a.upper.x + margin, a.upper.y + margin}};
}
static inline double ph_perimeter(PhAabb a) {
    return 2 * (a.upper.x - a.lower.x + a.upper.y - a.lower.y);
}

#endif

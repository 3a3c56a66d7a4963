// Owns nothing: fewer vertices within a tolerance (D. Douglas and T. Peucker, Algorithms for the
// Reduction of the Number of Points, 1973). A stretch between two kept vertices keeps its vertex
// farthest from the segment between them, if that is farther than the tolerance, and is then looked
// at in two.
//
// Invariant: positions count from `first`; the stack holds stretches still to be examined, each at
// most half as long as the one below it, so that 64 entries do for any count.
#include <math.h>

#include "geometry/operations.h"

static int32_t vertex_at(const PhSimplify *work, int32_t position) {
    int64_t vertex = (int64_t)work->first + position;
    return (int32_t)(vertex < work->count ? vertex : vertex - work->count);
}

static double distance_to_segment(PhVec2 p, PhVec2 a, PhVec2 b) {
    PhVec2 edge = ph_sub(b, a), ap = ph_sub(p, a);
    double along = ph_dot(ap, edge), length_squared = ph_length_squared(edge);
    if (!(along > 0)) {
        return ph_length(ap);
    }
    if (along >= length_squared) {
        return ph_length(ph_sub(p, b));
    }
    return fabs(ph_cross(edge, ap)) / sqrt(length_squared);
}

// Position strictly between two others whose vertex is farthest from the segment between theirs,
// the first among equals.
static int32_t farthest(const PhSimplify *work, int32_t from, int32_t to, double *distance) {
    PhVec2 a = work->vertices[vertex_at(work, from)], b = work->vertices[vertex_at(work, to)];
    int32_t best = from;
    *distance = -1;
    for (int32_t i = from + 1; i < to; i++) {
        double d = distance_to_segment(work->vertices[vertex_at(work, i)], a, b);
        if (d > *distance) {
            *distance = d;
            best = i;
        }
    }
    return best;
}

static void push(PhSimplify *work, int32_t from, int32_t to) {
    if (to - from > 1) {
        int32_t *entry = work->stack[work->stack_count++];
        entry[0] = from;
        entry[1] = to;
    }
}

// The shorter half on top, so that the stack stays low.
static void push_both(PhSimplify *work, int32_t from, int32_t middle, int32_t to) {
    if (middle - from > to - middle) {
        push(work, from, middle);
        push(work, middle, to);
    } else {
        push(work, middle, to);
        push(work, from, middle);
    }
}

static void begin_ring(PhSimplify *work) {
    const PhVec2 *v = work->vertices;
    for (int32_t i = 1; i < work->count; i++) {
        PhVec2 least = v[work->first];
        if (v[i].x < least.x || (v[i].x == least.x && v[i].y < least.y)) {
            work->first = i;
        }
    }
    int32_t far = 0, third = 0;
    double reach = -1, height = 0;
    for (int32_t i = 1; i < work->count; i++) {
        double d = ph_length(ph_sub(v[vertex_at(work, i)], v[work->first]));
        far = d > reach ? i : far;
        reach = d > reach ? d : reach;
    }
    for (int32_t i = 1; i < work->count; i++) {
        double d =
            distance_to_segment(v[vertex_at(work, i)], v[work->first], v[vertex_at(work, far)]);
        third = d > height ? i : third;
        height = d > height ? d : height;
    }
    work->kept[work->first] = true;
    if (reach > 0) {
        work->kept[vertex_at(work, far)] = true;
    }
    if (height > 0) {
        work->kept[vertex_at(work, third)] = true;
    }
    push_both(work, 0, far, work->count);
}

void ph_simplify_begin(PhSimplify *work, const PhVec2 *vertices, int32_t count, bool closed,
                       double tolerance, bool *kept) {
    *work =
        (PhSimplify){.vertices = vertices, .count = count, .tolerance = tolerance, .kept = kept};
    if (closed) {
        begin_ring(work);
    } else {
        kept[0] = kept[count - 1] = true;
        push(work, 0, count - 1);
    }
}

bool ph_simplify_run(PhSimplify *work, int64_t budget) {
    while (work->stack_count > 0 && budget > 0) {
        const int32_t *entry = work->stack[--work->stack_count];
        int32_t from = entry[0], to = entry[1];
        double distance;
        int32_t middle = farthest(work, from, to, &distance);
        budget -= to - from;
        if (distance > work->tolerance) {
            work->kept[vertex_at(work, middle)] = true;
            push_both(work, from, middle, to);
        }
    }
    return work->stack_count == 0;
}

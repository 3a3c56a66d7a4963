// Distance, manifold and minimum translation of whole shapes: the best of the pairs of pieces,
// found by a walk over both trees that leaves out what cannot be better.
#include "narrow/shapes.h"

#include "narrow/faces.h"

// Shapes as points.
static PhDistance far_distance(const PhShape *a, PhTransform ta, const PhShape *b, PhTransform tb) {
    PhDistance result = {.point_a = ph_apply(ta, a->centroid),
                         .point_b = ph_apply(tb, b->centroid)};
    // Halves, since the whole may be infinite.
    PhVec2 half = ph_sub(ph_scale(0.5, result.point_b), ph_scale(0.5, result.point_a));
    double scale = fmax(fabs(half.x), fabs(half.y));
    PhVec2 direction = ph_vec(half.x / scale, half.y / scale);
    double length = ph_length(direction);
    result.distance = 2 * (scale * length);
    result.normal = ph_scale(1 / length, direction);
    return result;
}

PhDistance ph_pieces_distance(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb) {
    PhDistance found = ph_distance(a, ta, b, tb);
    if (found.distance == 0 && found.normal.x == 0 && found.normal.y == 0) {
        found.normal = ph_touch_normal(a, ta, b, tb);
    }
    return found;
}

static bool is_too_far(PhTransform ta, PhTransform tb) {
    return !(fabs(tb.p.x - ta.p.x) < 1e150 && fabs(tb.p.y - ta.p.y) < 1e150);
}

static PhDistance best_distance(const PhShape *a, PhTransform ta, const PhShape *b, PhTransform tb,
                                const PhStop *stop, int32_t pieces[2]) {
    if (is_too_far(ta, tb)) {
        return far_distance(a, ta, b, tb);
    }
    PhDistance best = {.distance = INFINITY};
    PhPairWalk walk;
    int32_t i, k;
    ph_pair_walk_start(&walk, a, ta, b, tb, stop);
    while (ph_pair_walk_next(&walk, best.distance, &i, &k)) {
        PhDistance found = ph_pieces_distance(&a->pieces[i], ta, &b->pieces[k], tb);
        if (found.distance < best.distance || best.distance == INFINITY) {
            best = found;
            if (pieces) {
                pieces[0] = i;
                pieces[1] = k;
            }
            if (found.distance == 0) {
                break;
            }
        }
    }
    return best;
}

PhDistance ph_shapes_distance(const PhShape *a, PhTransform ta, const PhShape *b, PhTransform tb,
                              const PhStop *stop, int32_t pieces[2]) {
    if (pieces) {
        pieces[0] = pieces[1] = 0;
    }
    if (a->piece_count > 1 || b->piece_count > 1 || is_too_far(ta, tb)) {
        return best_distance(a, ta, b, tb, stop, pieces);
    }
    return ph_pieces_distance(a->pieces, ta, b->pieces, tb);
}

static double least_separation(const PhManifold *m) {
    double least = m->points[0].separation;
    return m->count > 1 && m->points[1].separation < least ? m->points[1].separation : least;
}

static void best_manifold(const PhShape *a, PhTransform ta, const PhShape *b, PhTransform tb,
                          double margin, const PhStop *stop, PhManifold *out) {
    PhManifold best = {.count = 0};
    int32_t best_i = 0, best_k = 0, i, k;
    double deepest = INFINITY;
    PhPairWalk walk;
    ph_pair_walk_start(&walk, a, ta, b, tb, stop);
    // A little further: separations are along faces and may be less than distances.
    double reach = 1.01 * margin + 10 * ph_lengths_of_one.flat_deviation;
    while (!is_too_far(ta, tb) && ph_pair_walk_next(&walk, reach, &i, &k)) {
        PhManifold found;
        ph_collide(&a->pieces[i], ta, &b->pieces[k], tb, margin, &ph_lengths_of_one, &found);
        if (found.count == 0) {
            continue;
        }
        double separation = least_separation(&found);
        bool first = i < best_i || (i == best_i && k < best_k);
        if (separation < deepest || (separation == deepest && first)) {
            best = found;
            best_i = i;
            best_k = k;
            deepest = separation;
        }
    }
    *out = best;
}

void ph_shapes_collide(const PhShape *a, PhTransform ta, const PhShape *b, PhTransform tb,
                       double margin, const PhStop *stop, PhManifold *out) {
    if (a->piece_count > 1 || b->piece_count > 1) {
        best_manifold(a, ta, b, tb, margin, stop, out);
    } else {
        ph_collide(a->pieces, ta, b->pieces, tb, margin, &ph_lengths_of_one, out);
    }
}

bool ph_shapes_mtv(const PhShape *a, PhTransform ta, const PhShape *b, PhTransform tb,
                   const PhStop *stop, PhVec2 *vector) {
    if (is_too_far(ta, tb)) {
        return false;
    }
    if (a->piece_count == 1 && b->piece_count == 1) {
        return ph_mtv(a->pieces, ta, b->pieces, tb, vector);
    }
    int32_t best_i = 0, best_k = 0, i, k;
    double longest = -1; // squared
    PhPairWalk walk;
    ph_pair_walk_start(&walk, a, ta, b, tb, stop);
    while (ph_pair_walk_next(&walk, 0, &i, &k)) {
        PhVec2 push;
        if (!ph_mtv(&a->pieces[i], ta, &b->pieces[k], tb, &push)) {
            continue;
        }
        double squared = ph_length_squared(push);
        bool first = i < best_i || (i == best_i && k < best_k);
        if (squared > longest || (squared == longest && first)) {
            *vector = push;
            longest = squared;
            best_i = i;
            best_k = k;
        }
    }
    return longest >= 0;
}

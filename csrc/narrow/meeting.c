// Times of impact for continuous collision.
//
// A body is stopped only if its core (a layer of an eighth of its width taken off) would come into
// the other one: what slides, rolls or grazes keeps its way, and leaves the layer to contacts. Then
// it is stopped where the surfaces meet. What meets the surface already is stopped by its core.
//
// Where the moving piece has no inside, or next to none, the layer is taken off the other one, up
// to THIN_LAYER; a one-sided piece gives way by that much to its solid side.
//
// Invariant: up to the time that is returned the core of a does not overlap b, however both move
// and turn; so whatever contact they have afterwards pushes a back to the side that it came from.
//
// Sources: B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems" (1996), for
// conservative advancement; E. Catto, "Continuous Collision" (2013), for stopping a body at its
// time of impact and letting it lose the rest of its step.
#include "narrow/meeting.h"

#include "geometry/distance.h"
#include "narrow/core.h"
#include "narrow/impact.h"

#define THIN_LAYER 5e-3
#define CORE_DISTANCE 1e-5 // at which a core counts as arrived
#define NEAR 1.01          // times the stop distance: who was stopped there has no way to it
#define LEAST_BACK 0x1p-20 // of a way that comes back to where it began
#define MOST_TURNS 4       // rounds
#define INTERIOR 1e-6      // 1 - cosine of a normal that is a chain piece's own

PhPath ph_path_at_rest(PhVec2 pivot, PhPathPose pose) {
    return (PhPath){.pivot = pivot, .count = 2, .time = {0, 1}, .knot = {pose, pose}};
}

PhPath ph_path(PhVec2 pivot, PhPathPose start, PhPathPose end) {
    PhPath path = {.pivot = pivot, .count = 2, .time = {0, 1}, .knot = {start, end}};
    double rounds = (end.angle - start.angle) / (2 * PH_PI);
    if (fabs(rounds) > MOST_TURNS + 1) {
        double extra = trunc(rounds) - (rounds > 0 ? MOST_TURNS : -MOST_TURNS);
        path.knot[1].angle = start.angle + (rounds - extra) * (2 * PH_PI);
    }
    return path;
}

static PhPathPose blend(PhPathPose a, PhPathPose b, double t) {
    return (PhPathPose){ph_lerp(a.center, b.center, t), a.angle + t * (b.angle - a.angle)};
}

PhPathPose ph_path_pose(const PhPath *path, double time) {
    int32_t k = 1;
    while (k + 1 < path->count && path->time[k] <= time) {
        k++;
    }
    double span = path->time[k] - path->time[k - 1];
    double t = span > 0 ? (time - path->time[k - 1]) / span : 1;
    return t >= 1 ? path->knot[k] : blend(path->knot[k - 1], path->knot[k], t > 0 ? t : 0);
}

void ph_path_turn_off(PhPath *path, double time, PhPathPose end) {
    PhPathPose pose = ph_path_pose(path, time);
    int32_t k = 0;
    while (k < path->count && path->time[k] < time) {
        k++;
    }
    k = k < PH_PATH_KNOTS - 1 ? k : PH_PATH_KNOTS - 2; // a time that is full takes the last place
    path->time[k] = time;
    path->knot[k] = pose;
    path->time[k + 1] = 1;
    path->knot[k + 1] = end;
    path->count = k + 2;
}

PhPathPose ph_path_carry(const PhPath *path, double time, PhPathPose pose) {
    PhPathPose then = ph_path_pose(path, time), end = path->knot[path->count - 1];
    PhVec2 arm = ph_rotate(ph_rot(end.angle - then.angle), ph_sub(pose.center, then.center));
    return (PhPathPose){ph_add(end.center, arm), pose.angle + (end.angle - then.angle)};
}

PhTransform ph_path_transform(const PhPath *path, PhPathPose pose, PhVec2 origin) {
    PhRot q = ph_rot(pose.angle);
    PhVec2 arm = ph_rotate(q, path->pivot);
    return (PhTransform){ph_sub(ph_sub(pose.center, origin), arm), q};
}

PhAabb ph_path_box(const PhPath *path, const PhPiece *piece, double from) {
    PhPathPose start = ph_path_pose(path, from);
    double squared = 0;
    for (int32_t i = 0; i < piece->count; i++) {
        squared = ph_max(squared, ph_distance_squared(piece->vertices[i], path->pivot));
    }
    double reach = sqrt(squared) + piece->radius;
    const PhVec2 zero = {0, 0};
    PhAabb box = ph_piece_aabb(piece, ph_path_transform(path, start, zero));
    for (int32_t k = 1; k < path->count; k++) {
        if (path->time[k] <= from && path->time[k] < 1) {
            continue;
        }
        PhPathPose end = path->knot[k];
        double turn = fabs(end.angle - start.angle);
        PhAabb next = ph_piece_aabb(piece, ph_path_transform(path, end, zero));
        // Between the ends a turning point leaves their line by no more than its arrow, r t^2 / 8.
        double arrow = reach * ph_min(0.125 * turn * turn, 2);
        box = ph_grow(ph_union(box, next), arrow);
        start = end;
    }
    return ph_grow(box, PH_STOP_DISTANCE);
}

static PhSweep sweep_between(const PhPath *path, double from, double to) {
    PhPathPose start = ph_path_pose(path, from), end = ph_path_pose(path, to);
    return (PhSweep){path->pivot, start.center, end.center, start.angle, end.angle - start.angle};
}

static double distance_at(const PhPiece *a, const PhPath *path_a, const PhPiece *b,
                          const PhPath *path_b, double time) {
    PhPathPose pose_a = ph_path_pose(path_a, time), pose_b = ph_path_pose(path_b, time);
    PhVec2 origin = pose_a.center;
    return ph_distance(a, ph_path_transform(path_a, pose_a, origin), b,
                       ph_path_transform(path_b, pose_b, origin))
        .distance;
}

// The end of the span that begins at `from` and in which both move evenly.
static double next_knot(const PhPath *path, double from) {
    for (int32_t k = 1; k < path->count; k++) {
        if (path->time[k] > from) {
            return path->time[k];
        }
    }
    return 1;
}

// The first time at which two pieces are as near as the target, with the normal from a to b then;
// infinity if they never are.
static double find_time(const PhPiece *a, const PhPath *path_a, const PhPiece *b,
                        const PhPath *path_b, double from, double limit, double target,
                        PhVec2 *normal) {
    limit = ph_min(limit, 1);
    while (from < limit) {
        double to = ph_min(ph_min(next_knot(path_a, from), next_knot(path_b, from)), limit);
        PhSweep sweep_a = sweep_between(path_a, from, to),
                sweep_b = sweep_between(path_b, from, to);
        PhImpact impact = ph_pieces_impact(a, &sweep_a, b, &sweep_b, target, 1, NULL);
        if (impact.hit) {
            *normal = impact.normal;
            return from + impact.fraction * (to - from);
        }
        from = to;
    }
    return INFINITY;
}

// Whether a body comes to a one-sided piece from its free side; normal: unit, away from the piece,
// in its frame. At a joint the neighbour's side counts as well.
static bool comes_from_front(const PhPiece *chain, PhVec2 normal) {
    PhVec2 own = chain->normals[1], edge = ph_sub(chain->vertices[1], chain->vertices[0]);
    double across = ph_dot(normal, own);
    if (across > 1 - INTERIOR || across < INTERIOR - 1) {
        return across > 0;
    }
    bool after = ph_dot(normal, edge) >= 0;
    PhVec2 side = own;
    if (after && chain->flags & PH_PIECE_GHOST_AFTER) {
        PhVec2 next = ph_sub(chain->ghost_after, chain->vertices[1]);
        side = ph_add(side, ph_normalize_or(ph_left(next), own));
    } else if (!after && chain->flags & PH_PIECE_GHOST_BEFORE) {
        PhVec2 last = ph_sub(chain->vertices[0], chain->ghost_before);
        side = ph_add(side, ph_normalize_or(ph_left(last), own));
    }
    return ph_dot(normal, side) > 0;
}

static bool is_in_front(const PhPiece *piece, const PhPath *path, double time, PhVec2 normal) {
    if (!(piece->flags & PH_PIECE_ONE_SIDED)) {
        return true;
    }
    return comes_from_front(piece, ph_unrotate(ph_rot(ph_path_pose(path, time).angle), normal));
}

static double least_height(const PhPiece *piece, PhTransform pose, PhVec2 point, PhVec2 normal) {
    PhVec2 n = ph_unrotate(pose.q, normal);
    double least = INFINITY;
    for (int32_t i = 0; i < piece->count; i++) {
        least = ph_min(ph_dot(n, piece->vertices[i]), least);
    }
    return least + ph_dot(normal, ph_sub(pose.p, point)) - piece->radius;
}

// Whether a stays on the outer side of one of b's faces, by the ends of an even motion alone. Seen
// from b each vertex goes straight but for an arc; an arc leaves its chord by at most an eighth of
// the largest acceleration. This is what becomes of nearly all that is asked.
static bool stays_beside(const PhPiece *a, const PhPath *path_a, const PhPiece *b,
                         const PhPath *path_b, double layer) {
    if (path_a->count != 2 || path_b->count != 2 || b->count < 2) {
        return false;
    }
    PhPathPose a0 = path_a->knot[0], a1 = path_a->knot[1];
    PhPathPose b0 = path_b->knot[0], b1 = path_b->knot[1];
    double turn_a = fabs(a1.angle - a0.angle), turn_b = fabs(b1.angle - b0.angle);
    double turn = turn_a + turn_b, reach = 0, bend = 0;
    if (turn > 0) {
        PhVec2 gap0 = ph_sub(a0.center, b0.center), gap1 = ph_sub(a1.center, b1.center);
        for (int32_t i = 0; i < a->count; i++) {
            reach = ph_max(ph_length(ph_sub(a->vertices[i], path_a->pivot)), reach);
        }
        bend = turn * turn * reach + 2 * turn_b * ph_length(ph_sub(gap1, gap0)) +
               turn_b * turn_b * ph_max(ph_length(gap0), ph_length(gap1));
    }
    // Relative to b's centre, at the start and at the end.
    PhTransform start = ph_relative(ph_path_transform(path_b, b0, b0.center),
                                    ph_path_transform(path_a, a0, b0.center));
    PhTransform end = ph_relative(ph_path_transform(path_b, b1, b1.center),
                                  ph_path_transform(path_a, a1, b1.center));
    double needed = b->radius - layer + 0.125 * bend + CORE_DISTANCE;
    for (int32_t i = 0; i < b->count; i++) {
        if (least_height(a, start, b->vertices[i], b->normals[i]) > needed &&
            least_height(a, end, b->vertices[i], b->normals[i]) > needed) {
            return true;
        }
    }
    return false;
}

// The first time at which the cores arrive at each other. Those that begin there, since the last
// step has stopped them so, may leave: they arrive when they have come nearer by half, and are
// stopped a little earlier, with all of their distance, if they had it in between.
static double find_core_time(const PhPiece *a, const PhPath *path_a, const PhPiece *b,
                             const PhPath *path_b, double from, double limit, PhVec2 *normal) {
    double time = find_time(a, path_a, b, path_b, from, limit, CORE_DISTANCE, normal);
    if (time > from) {
        return time;
    }
    double gap = distance_at(a, path_a, b, path_b, from);
    time = gap > 0 ? find_time(a, path_a, b, path_b, from, limit, 0.5 * gap, normal) : INFINITY;
    for (double back = LEAST_BACK; time < limit && back < 1; back *= 2) {
        double earlier = time - back * (time - from);
        if (distance_at(a, path_a, b, path_b, earlier) >= CORE_DISTANCE) {
            return earlier;
        }
    }
    return time;
}

double ph_paths_meet(const PhPiece *a, const PhPath *path_a, const PhPiece *b, const PhPath *path_b,
                     double from, double limit) {
    double most = ph_max(PH_STOP_PART * b->extent, THIN_LAYER);
    double layer_a = ph_min(PH_STOP_LAYER * a->width, most), layer_b = 0;
    if (layer_a < 0.1 * THIN_LAYER) {
        bool solid = b->flags & PH_PIECE_ONE_SIDED;
        layer_b = solid ? THIN_LAYER : ph_min(THIN_LAYER, PH_STOP_LAYER * b->width);
    }
    if (from <= 0 && stays_beside(a, path_a, b, path_b, layer_a + layer_b)) {
        return INFINITY;
    }
    PhCore core_a, core_b;
    ph_core_make(&core_a, a, layer_a);
    ph_core_make(&core_b, b, layer_b);
    PhVec2 normal = {0, 0};
    double core_time =
        find_core_time(&core_a.piece, path_a, &core_b.piece, path_b, from, limit, &normal);
    if (!(core_time < limit)) {
        return INFINITY;
    }
    if (!is_in_front(b, path_b, core_time, ph_neg(normal)) ||
        !is_in_front(a, path_a, core_time, normal)) {
        return INFINITY;
    }
    if (distance_at(a, path_a, b, path_b, from) > NEAR * PH_STOP_DISTANCE) {
        double time = find_time(a, path_a, b, path_b, from, core_time, PH_STOP_DISTANCE, &normal);
        return time < core_time ? time : core_time;
    }
    return layer_a + layer_b > 0 ? core_time : INFINITY;
}

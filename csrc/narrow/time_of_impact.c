// Times of impact for continuous collision.
//
// A body is stopped only if its core (the body without a layer of an eighth of its width) would
// enter the other one. A body that slides, rolls or grazes keeps its motion, and contacts deal with
// the layer. It is stopped where the surfaces meet. A body that touches the surface already is
// stopped by its core.
//
// If the moving piece has no inside, or hardly any, the layer is taken off the other piece, up to
// the thin layer of PhLengths. A one-sided piece yields by that much towards its solid side.
//
// Invariant: up to the time that is returned, the core of a does not overlap b, however both move
// and turn. So any later contact pushes a back to the side that it came from.
//
// Sources: B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems" (1996), for
// conservative advancement; E. Catto, "Continuous Collision" (2013), for stopping a body at its
// time of impact and letting it lose the rest of its step.
#include "narrow/time_of_impact.h"

#include "geometry/distance.h"
#include "narrow/impact.h"
#include "narrow/piece_core.h"

#define LIMIT_ROUNDING 1e-6 // parts of a step
#define NEAR 1.01           // times the stop distance: what was stopped there has no path to it
#define LEAST_BACK 0x1p-20  // of a path that comes back to where it began
#define MOST_TURNS 4        // rounds
#define INTERIOR 1e-6       // 1 - cosine of a normal that is a chain piece's own
// Up to there rounding is far below CORE_DISTANCE: metres, radians.
#define PLAIN_ANGLE 1e5
#define PLAIN_TURN 1

PhPath ph_path_at_rest(PhVec2 pivot, PhPathPose pose) {
    PhRot q = ph_rot(pose.angle);
    return (PhPath){
        .pivot = pivot, .count = 2, .time = {0, 1}, .knot = {pose, pose}, .turned = {q, q}};
}

PhPath ph_path(PhVec2 pivot, PhPathPose start, PhPathPose end) {
    PhPath path = {.pivot = pivot, .count = 2, .time = {0, 1}, .knot = {start, end}};
    double rounds = (end.angle - start.angle) / (2 * PH_PI);
    if (fabs(rounds) > MOST_TURNS + 1) {
        double extra = trunc(rounds) - (rounds > 0 ? MOST_TURNS : -MOST_TURNS);
        path.knot[1].angle = start.angle + (rounds - extra) * (2 * PH_PI);
    }
    path.turned[0] = ph_rot(start.angle);
    path.turned[1] = ph_rot(path.knot[1].angle);
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
    path->turned[k] = ph_rot(pose.angle);
    path->time[k + 1] = 1;
    path->knot[k + 1] = end;
    path->turned[k + 1] = ph_rot(end.angle);
    path->count = k + 2;
}

PhPathPose ph_path_carry(const PhPath *path, double time, PhPathPose pose) {
    PhPathPose then = ph_path_pose(path, time), end = path->knot[path->count - 1];
    PhVec2 arm = ph_rotate(ph_rot(end.angle - then.angle), ph_sub(pose.center, then.center));
    return (PhPathPose){ph_add(end.center, arm), pose.angle + (end.angle - then.angle)};
}

static PhTransform frame_at(const PhPath *path, PhPathPose pose, PhRot q, PhVec2 origin) {
    PhVec2 arm = ph_rotate(q, path->pivot);
    return (PhTransform){ph_sub(ph_sub(pose.center, origin), arm), q};
}

PhTransform ph_path_transform(const PhPath *path, PhPathPose pose, PhVec2 origin) {
    return frame_at(path, pose, ph_rot(pose.angle), origin);
}

static PhTransform frame_at_knot(const PhPath *path, int32_t k, PhVec2 origin) {
    return frame_at(path, path->knot[k], path->turned[k], origin);
}

PhAabb ph_path_box(const PhPath *path, const PhPiece *piece, double from,
                   const PhLengths *lengths) {
    PhPathPose start = ph_path_pose(path, from);
    double squared = 0;
    for (int32_t i = 0; i < piece->count; i++) {
        squared = ph_max(squared, ph_distance_squared(piece->vertices[i], path->pivot));
    }
    double reach = sqrt(squared) + piece->radius;
    const PhVec2 zero = {0, 0};
    PhRot q = start.angle == path->knot[0].angle ? path->turned[0] : ph_rot(start.angle);
    PhAabb box = ph_piece_aabb(piece, frame_at(path, start, q, zero));
    for (int32_t k = 1; k < path->count; k++) {
        if (path->time[k] <= from && path->time[k] < 1) {
            continue;
        }
        PhPathPose end = path->knot[k];
        double turn = fabs(end.angle - start.angle);
        PhAabb next = ph_piece_aabb(piece, frame_at_knot(path, k, zero));
        // Between the ends a turning point leaves their line by no more than its arrow, r t^2 / 8.
        double arrow = reach * ph_min(0.125 * turn * turn, 2);
        box = ph_grow(ph_union(box, next), arrow);
        start = end;
    }
    return ph_grow(box, lengths->stop_distance);
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
        PhImpact impact =
            ph_pieces_impact(a, &sweep_a, b, &sweep_b, target, 1, PH_IMPACT_ROUNDS, NULL);
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

// An even motion seen from b's frame: where a is at the start and at the end, and four times as far
// as a vertex of it can come off the straight line in between. An arc leaves its chord by at most
// an eighth of the largest acceleration.
typedef struct Crossing {
    PhTransform start, end;
    double reach, arrow;
} Crossing;

static Crossing cross_over(const PhPiece *a, const PhPath *path_a, const PhPath *path_b) {
    PhPathPose a0 = path_a->knot[0], a1 = path_a->knot[1];
    PhPathPose b0 = path_b->knot[0], b1 = path_b->knot[1];
    double turn_a = fabs(a1.angle - a0.angle), turn_b = fabs(b1.angle - b0.angle);
    double turn = turn_a + turn_b, bend = 0;
    Crossing crossing = {.reach = 0};
    for (int32_t i = 0; i < a->count; i++) {
        crossing.reach = ph_max(ph_length(ph_sub(a->vertices[i], path_a->pivot)), crossing.reach);
    }
    if (turn > 0) {
        PhVec2 gap0 = ph_sub(a0.center, b0.center), gap1 = ph_sub(a1.center, b1.center);
        bend = turn * turn * crossing.reach + 2 * turn_b * ph_length(ph_sub(gap1, gap0)) +
               turn_b * turn_b * ph_max(ph_length(gap0), ph_length(gap1));
    }
    crossing.arrow = 0.125 * bend;
    // Relative to b's centre, at the start and at the end.
    crossing.start =
        ph_relative(frame_at_knot(path_b, 0, b0.center), frame_at_knot(path_a, 0, b0.center));
    crossing.end =
        ph_relative(frame_at_knot(path_b, 1, b1.center), frame_at_knot(path_a, 1, b1.center));
    return crossing;
}

// Whether a stays on the outer side of one of b's faces, by the ends of the motion alone. This is
// what becomes of nearly all that is asked.
static bool stays_beside(const PhPiece *a, const PhPiece *b, const Crossing *crossing, double layer,
                         const PhLengths *lengths) {
    double needed = b->radius - layer + crossing->arrow + lengths->core_distance;
    for (int32_t i = 0; i < b->count && b->count > 1; i++) {
        if (least_height(a, crossing->start, b->vertices[i], b->normals[i]) > needed &&
            least_height(a, crossing->end, b->vertices[i], b->normals[i]) > needed) {
            return true;
        }
    }
    return false;
}

static double largest(PhVec2 v) {
    return ph_max(fabs(v.x), fabs(v.y));
}

// Whether rounding can be neglected: b rests, and nothing is large. NaN is no.
static bool is_plain(const PhPath *path_a, const PhPiece *b, const PhPath *path_b, double reach,
                     const PhLengths *lengths) {
    PhPathPose a0 = path_a->knot[0], a1 = path_a->knot[1];
    PhPathPose b0 = path_b->knot[0], b1 = path_b->knot[1];
    bool rests = b0.center.x == b1.center.x && b0.center.y == b1.center.y && b0.angle == b1.angle;
    return rests && largest(a0.center) < lengths->plain_place &&
           largest(a1.center) < lengths->plain_place && largest(b0.center) < lengths->plain_place &&
           largest(path_a->pivot) < lengths->plain_place &&
           largest(path_b->pivot) < lengths->plain_place &&
           largest(b->centroid) < lengths->plain_place && b->extent < lengths->plain_place &&
           reach < lengths->plain_reach && fabs(a0.angle) < PLAIN_ANGLE &&
           fabs(a1.angle - a0.angle) < PLAIN_TURN;
}

// Times of a motion, as parts of it, in which one line or another keeps two apart: before `early`
// and after `late`.
typedef struct Clear {
    double early, late;
} Clear;

// needed: height above the line through a point.
static void sample_along(const PhPiece *a, const Crossing *crossing, PhVec2 point, PhVec2 normal,
                         double needed, Clear *clear) {
    double start = least_height(a, crossing->start, point, normal) - needed;
    double end = least_height(a, crossing->end, point, normal) - needed;
    if (start > 0) {
        clear->early = end > 0 ? INFINITY : ph_max(start / (start - end), clear->early);
    } else if (end > 0) {
        clear->late = ph_min(-start / (end - start), clear->late);
    }
}

// The same past the ends of what has two vertices as well: whether a does not come to b, in which
// case the search would have said so too, digit by digit.
//
// A vertex of a is above a line at any time by no less than the straight line between its heights
// at both ends says, less the arrow. So the cores are more than two core distances apart. The
// search says that they meet only where it has measured one core distance and some rounding, or
// where it gets no further. Rounding: poses and distances are off by a few times the last digits of
// what goes in, which are 1.5e-8 m at plain_place and 1.5e-9 m at PLAIN_ANGLE and plain_reach. No
// further: each round is Newton's on a distance that is convex but for turning, which makes less
// than half a core distance in a time of sqrt(core distance / bend) >= 3e-4. Where a convex
// function is above a level, each of Newton's rounds takes three quarters off the product of height
// and slope (W. Dinkelbach, "On Nonlinear Fractional Programming", 1967); so thirty in such a time
// at most.
static bool stays_clear(const PhPiece *a, const PhPiece *b, const Crossing *crossing,
                        double layer_a, double layer_b, const PhLengths *lengths) {
    double needed = b->radius - layer_a + crossing->arrow + 2 * lengths->core_distance;
    Clear clear = {0, 1};
    for (int32_t i = 0; i < b->count && b->count > 1; i++) {
        bool back = b->flags & PH_PIECE_ONE_SIDED && i == 0; // its core lies on that side
        sample_along(a, crossing, b->vertices[i], b->normals[i],
                     needed + (back ? layer_b : -layer_b), &clear);
        if (b->count == 2) {
            sample_along(a, crossing, b->vertices[i], ph_right(b->normals[i]), needed, &clear);
        }
        if (clear.late < clear.early) {
            return true;
        }
    }
    return false;
}

// The first time at which the cores arrive at each other. Those that begin there, since the last
// step has stopped them so, may leave: they arrive when they have come nearer by half, and are
// stopped a little earlier, with all of their distance, if they had it in between.
static double find_core_time(const PhPiece *a, const PhPath *path_a, const PhPiece *b,
                             const PhPath *path_b, double from, const PhLengths *lengths,
                             PhVec2 *normal) {
    double time = find_time(a, path_a, b, path_b, from, 1, lengths->core_distance, normal);
    if (time > from) {
        return time;
    }
    double gap = distance_at(a, path_a, b, path_b, from);
    time = gap > 0 ? find_time(a, path_a, b, path_b, from, 1, 0.5 * gap, normal) : INFINITY;
    for (double back = LEAST_BACK; time < INFINITY && back < 1; back *= 2) {
        double earlier = time - back * (time - from);
        if (distance_at(a, path_a, b, path_b, earlier) >= lengths->core_distance) {
            return earlier;
        }
    }
    return time;
}

// Layers that are taken off.
typedef struct Layers {
    double a, b;
} Layers;

static Layers layers_of(const PhPiece *a, const PhPiece *b, const PhLengths *lengths) {
    Layers layers = {ph_stop_layer(a->width, b, lengths), 0};
    if (layers.a < 0.1 * lengths->thin_layer) {
        bool solid = b->flags & PH_PIECE_ONE_SIDED;
        layers.b =
            solid ? lengths->thin_layer : ph_min(lengths->thin_layer, PH_STOP_LAYER * b->width);
    }
    return layers;
}

// The limit only says what need not be asked: a search up to another time would round differently,
// and what is found must not depend on what else was asked before.
double ph_paths_meet_in_full(const PhPiece *a, const PhPath *path_a, const PhPiece *b,
                             const PhPath *path_b, double from, double limit,
                             const PhLengths *lengths) {
    Layers layers = layers_of(a, b, lengths);
    PhCore core_a, core_b;
    ph_core_make(&core_a, a, layers.a);
    ph_core_make(&core_b, b, layers.b);
    PhVec2 normal = {0, 0};
    bool far = distance_at(a, path_a, b, path_b, from) > NEAR * lengths->stop_distance;
    double later = limit + LIMIT_ROUNDING;
    if (far && later < 1 &&
        !(find_time(a, path_a, b, path_b, from, later, lengths->stop_distance, &normal) <
          INFINITY)) {
        return INFINITY;
    }
    double core_time =
        find_core_time(&core_a.piece, path_a, &core_b.piece, path_b, from, lengths, &normal);
    if (!(core_time < INFINITY)) {
        return INFINITY;
    }
    if (!is_in_front(b, path_b, core_time, ph_neg(normal)) ||
        !is_in_front(a, path_a, core_time, normal)) {
        return INFINITY;
    }
    if (!far && !(layers.a + layers.b > 0)) {
        return INFINITY;
    }
    double time = core_time;
    if (far) {
        time = find_time(a, path_a, b, path_b, from, core_time, lengths->stop_distance, &normal);
        time = ph_min(time, core_time);
    }
    return time <= limit ? time : INFINITY;
}

double ph_paths_meet(const PhPiece *a, const PhPath *path_a, const PhPiece *b, const PhPath *path_b,
                     double from, double limit, const PhLengths *lengths) {
    if (from <= 0 && path_a->count == 2 && path_b->count == 2) {
        Layers layers = layers_of(a, b, lengths);
        Crossing crossing = cross_over(a, path_a, path_b);
        if (stays_beside(a, b, &crossing, layers.a + layers.b, lengths) ||
            (is_plain(path_a, b, path_b, crossing.reach, lengths) &&
             stays_clear(a, b, &crossing, layers.a, layers.b, lengths))) {
            return INFINITY;
        }
    }
    return ph_paths_meet_in_full(a, path_a, b, path_b, from, limit, lengths);
}

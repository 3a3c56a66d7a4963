// Time of impact by conservative advancement: from the distance at one moment follows how long the
// next one cannot come before; go there and look again.
//
// What bounds the approach is an axis, the normal of the closest points, while both pieces move:
// the pieces are never nearer than their shadows on it, and those are apart by the distance to
// begin with. The axis may stay still or turn with either piece, as the normal of a face does;
// whichever bound reaches furthest is taken. Seen from the axis each vertex moves by no more than
// its speed says plus a parabola, so the gap closes no faster than a convex function F of time,
// which crosses a level once: chords from below and tangents from above close in on that moment. F
// has the true speed at its start, so the search converges as Newton's does. A shape that spins far
// away is bounded by its circle instead; and one that spins so often that the rounds do not suffice
// by the ring that it sweeps.
//
// Invariant: before the fraction at hand the distance is above the target, up to rounding.
//
// Everything is computed in a frame that moves with a's centre, where only b travels.
//
// Sources: B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems" (1996), for
// conservative advancement; G. van den Bergen, "Collision Detection in Interactive 3D Environments"
// (2003), for casts by distances; E. Catto, "Continuous Collision" (2013), for advancement
// along one axis at a time.
#include "narrow/impact.h"

#include "base/memory.h"
#include "narrow/collide.h"
#include "narrow/shapes.h"

enum { BRACKET_ROUNDS = 60 };
// Beyond this angle (radians) within one step parabolas say nothing.
#define MAX_STEP_TURN 4.0
#define MOST_TURN 1e100 // radians; beyond, squares overflow
enum { HOLE_ROUNDS = 64, SHAPE_ROUNDS = 16 * PH_IMPACT_ROUNDS, STOP_PORTION = 256 };

// One of the two pieces at the moment at hand.
typedef struct Side {
    const PhPiece *piece;
    const PhSweep *sweep;
    double reach; // of the core, from the point that it turns about
    PhVec2 axis;  // away from this piece, in its own frame
    double top;   // how far the core reaches along the axis from that point
} Side;

static Side make_side(const PhPiece *piece, const PhSweep *sweep) {
    double squared = 0;
    for (int32_t i = 0; i < piece->count; i++) {
        double d = ph_distance_squared(piece->vertices[i], sweep->center);
        squared = d > squared ? d : squared;
    }
    return (Side){.piece = piece, .sweep = sweep, .reach = sqrt(squared)};
}

static void point_axis(Side *side, PhRot q, PhVec2 normal) {
    side->axis = ph_unrotate(q, normal);
    side->top = -INFINITY;
    for (int32_t i = 0; i < side->piece->count; i++) {
        PhVec2 arm = ph_sub(side->piece->vertices[i], side->sweep->center);
        double height = ph_dot(side->axis, arm);
        side->top = height > side->top ? height : side->top;
    }
}

// How the shadows of a pair come nearer.
typedef struct Approach {
    Side a, b;
    PhVec2 normal;
    PhVec2 offset, travel; // of b's centre from a's: now, and over the whole motion
    double axis_turn;      // of the axis over the whole motion
    double closing, bend;  // speed of the centres along the axis, and a bound on its change
    double rounding;       // metres
} Approach;

// By how much the shadow's end can have advanced after `time` by turning; adds to value and slope.
static void add_turning(const Side *side, double axis_turn, double time, double *value,
                        double *slope) {
    double turn = side->sweep->turn - axis_turn, best = -INFINITY, best_slope = 0;
    if (turn == 0) {
        return;
    }
    for (int32_t i = 0; i < side->piece->count; i++) {
        PhVec2 arm = ph_sub(side->piece->vertices[i], side->sweep->center);
        double speed = turn * ph_cross(arm, side->axis);
        double bend = turn * turn * ph_length(arm) * time;
        double height = ph_dot(side->axis, arm) - side->top + time * (speed + 0.5 * bend);
        if (height > best) {
            best = height;
            best_slope = speed + bend;
        }
    }
    *value += best;
    *slope += best_slope;
}

// F at a time from now.
static double approach_after(const Approach *approach, double time, double *slope) {
    double value = time * (approach->closing + 0.5 * approach->bend * time);
    *slope = approach->closing + approach->bend * time;
    add_turning(&approach->a, approach->axis_turn, time, &value, slope);
    add_turning(&approach->b, approach->axis_turn, time, &value, slope);
    return value;
}

// For times up to `high`.
static void turn_axis(Approach *approach, double axis_turn, double high) {
    PhVec2 later = ph_mul_add(approach->offset, high, approach->travel);
    double far = fmax(ph_length_squared(approach->offset), ph_length_squared(later));
    approach->axis_turn = axis_turn;
    approach->closing = -ph_dot(approach->normal, approach->travel);
    approach->bend = 0;
    if (axis_turn != 0) {
        approach->closing -= axis_turn * ph_dot(ph_left(approach->normal), approach->offset);
        approach->bend =
            axis_turn * axis_turn * sqrt(far) + 2 * fabs(axis_turn) * ph_length(approach->travel);
    }
}

// Whether no time from one on has F at or below the gap, not by rounding either: F is convex and 0
// at first, so once it is above the gap it stays there. The axis has been turned.
static bool is_beyond(const Approach *approach, double gap, double time) {
    double slope, terms = time * (fabs(approach->closing) + approach->bend * time);
    double slack = 4 * approach->rounding + 1e-12 * (gap + terms);
    return time > 0 && approach_after(approach, time, &slope) > gap + slack;
}

// A time, not beyond `remaining`, before which F stays below the gap; as long as is easily found. 0
// where it is clear that it is below `best`.
static double step_by_parabolas(Approach *approach, double axis_turn, double gap, double remaining,
                                double best) {
    double turn = fmax(fabs(approach->a.sweep->turn), fabs(approach->b.sweep->turn));
    double low = 0, low_value = 0, slope;
    double high = remaining * turn > MAX_STEP_TURN ? MAX_STEP_TURN / turn : remaining;
    turn_axis(approach, axis_turn, high);
    if (is_beyond(approach, gap, best)) {
        return 0;
    }
    double high_value = approach_after(approach, high, &slope);
    if (high_value <= gap) {
        return high;
    }
    for (int i = 0; i < BRACKET_ROUNDS && high - low > 1e-4 * high; i++) {
        double chord = low + (gap - low_value) * (high - low) / (high_value - low_value);
        double tangent = high - (high_value - gap) / slope;
        double chord_slope, value = approach_after(approach, chord, &chord_slope);
        if (!(value <= gap + approach->rounding)) {
            high = chord;
            high_value = value;
            slope = chord_slope;
            continue;
        }
        low = chord;
        low_value = value;
        if (!(tangent > low && tangent < high)) {
            break;
        }
        high_value = approach_after(approach, tangent, &slope);
        high = tangent;
        if (!(high_value > gap)) {
            return high;
        }
    }
    return low;
}

// The same when both are taken for the circles they turn in and the axis stays still.
static double step_by_circles(const Approach *approach, double gap) {
    double closing = -ph_dot(approach->normal, approach->travel);
    if (approach->a.sweep->turn != 0) {
        gap -= approach->a.reach - approach->a.top;
    }
    if (approach->b.sweep->turn != 0) {
        gap -= approach->b.reach - approach->b.top;
    }
    if (!(gap > 0)) {
        return 0;
    }
    return closing > 0 ? gap / closing : INFINITY;
}

// A time before which the pair does not come to its target; INFINITY when it never does.
static double find_step(Approach *approach, double gap, double remaining) {
    double best = step_by_circles(approach, gap);
    if (best > remaining * (1 + 1e-9)) {
        return INFINITY;
    }
    const double turns[3] = {approach->b.sweep->turn, 0, approach->a.sweep->turn};
    for (int i = 0; i < 3 && best < remaining; i++) {
        if ((i > 0 && turns[i] == turns[0]) || (i > 1 && turns[i] == turns[1])) {
            continue;
        }
        double step = step_by_parabolas(approach, turns[i], gap, remaining, best);
        best = step > best ? step : best;
    }
    return best;
}

static void record(PhImpactRecorder *recorder, double fraction, const PhDistance *distance,
                   PhVec2 origin) {
    if (recorder->status != PH_OK) {
        return;
    }
    recorder->status = PH_RESERVE(recorder->rounds, (uint64_t)recorder->count + 1);
    if (recorder->status != PH_OK) {
        return;
    }
    PhImpactRound *round = &recorder->rounds[recorder->count++];
    *round = (PhImpactRound){fraction, *distance};
    round->distance.point_a = ph_add(distance->point_a, origin);
    round->distance.point_b = ph_add(distance->point_b, origin);
}

// A pair of motions in the frame that moves with a's centre; `path` is that centre's in the common
// one.
typedef struct Question {
    const PhPiece *a, *b;
    const PhSweep *motion_a, *motion_b, *path;
    double target, limit;
    int32_t rounds;
} Question;

typedef enum Outcome { MISS, HIT, UNSETTLED } Outcome;

// The last moment that was examined, with a normal that is not zero.
typedef struct Moment {
    double fraction;
    PhDistance distance;
    int32_t rounds;
} Moment;

static void sample_at(const Question *q, double fraction, PhImpactRecorder *recorder,
                      Moment *moment) {
    PhVec2 normal = moment->distance.normal; // of the moment before
    PhTransform ta = ph_sweep_pose(q->motion_a, fraction);
    PhTransform tb = ph_sweep_pose(q->motion_b, fraction);
    PhDistance found = ph_distance(q->a, ta, q->b, tb);
    if (found.normal.x == 0 && found.normal.y == 0) { // they touch, or overlap from the start
        bool fresh = moment->rounds == 0 && found.distance == 0;
        found.normal = fresh ? ph_touch_normal(q->a, ta, q->b, tb) : normal;
    }
    moment->fraction = fraction;
    moment->distance = found;
    moment->rounds++;
    if (recorder) {
        record(recorder, fraction, &found, ph_lerp(q->path->from, q->path->to, fraction));
    }
}

// Conservative advancement. UNSETTLED: the rounds are used up, or get no further.
static Outcome advance(const Question *q, PhImpactRecorder *recorder, Moment *moment) {
    const PhPiece *a = q->a, *b = q->b;
    Approach approach = {.a = make_side(a, q->motion_a), .b = make_side(b, q->motion_b)};
    approach.travel = ph_sub(q->motion_b->to, q->motion_b->from);
    double size = approach.a.reach + approach.b.reach + a->radius + b->radius;
    double tolerance = 1e-9 * q->target + 1e-14 * size;
    approach.rounding = 0.5 * tolerance;
    for (double fraction = 0, next;; fraction = next) {
        sample_at(q, fraction, recorder, moment);
        double gap = moment->distance.distance - q->target;
        if (!(gap > tolerance)) {
            return HIT;
        }
        if (fraction >= q->limit) {
            return MISS;
        }
        if (moment->rounds >= q->rounds) {
            return UNSETTLED;
        }
        approach.normal = moment->distance.normal;
        approach.offset = ph_lerp(q->motion_b->from, q->motion_b->to, fraction);
        PhTransform ta = ph_sweep_pose(q->motion_a, fraction);
        PhTransform tb = ph_sweep_pose(q->motion_b, fraction);
        point_axis(&approach.a, ta.q, approach.normal);
        point_axis(&approach.b, tb.q, ph_neg(approach.normal));
        double step = find_step(&approach, gap, q->limit - fraction);
        if (step == INFINITY) {
            return MISS;
        }
        next = fraction + step < q->limit ? fraction + step : q->limit;
        if (!(next > fraction)) { // to within the last digit of the fraction
            return UNSETTLED;
        }
    }
}

// ------------------------------------------------------------------------------------------------
// rings

// What a piece sweeps in a full turn: what is between two circles about the point it turns about.
typedef struct Ring {
    PhVec2 center;
    PhPiece disc;
    PhSweep sweep; // of the disc
    double hole;   // radius of the inner circle; 0: none
} Ring;

// Of a sweep of which the part before a fraction is over.
static PhSweep rest_of(const PhSweep *sweep, double fraction) {
    PhSweep rest = *sweep;
    rest.from = ph_lerp(sweep->from, sweep->to, fraction);
    rest.angle += fraction * sweep->turn;
    rest.turn -= fraction * sweep->turn;
    return rest;
}

static void make_ring(const PhPiece *piece, const PhSweep *sweep, Ring *ring) {
    double reach = make_side(piece, sweep).reach + piece->radius;
    ring->center = sweep->center;
    ring->disc = (PhPiece){.vertices = &ring->center,
                           .normals = &ring->center, // of one vertex they are not used
                           .count = 1,
                           .radius = reach,
                           .centroid = sweep->center,
                           .extent = reach,
                           .width = 2 * reach};
    ring->sweep = *sweep;
    ring->sweep.turn = 0;
    PhPiece point = ring->disc;
    point.radius = point.extent = point.width = 0;
    PhTransform still = {.p = {0, 0}, .q = {1, 0}};
    ring->hole = ph_distance(&point, still, piece, still).distance;
}

// How far the farthest point of a piece lies from a point.
static double farthest(const PhPiece *piece, PhTransform pose, PhVec2 from) {
    double squared = 0;
    for (int32_t i = 0; i < piece->count; i++) {
        squared = fmax(ph_distance_squared(ph_apply(pose, piece->vertices[i]), from), squared);
    }
    return sqrt(squared) + piece->radius;
}

// A moment up to which a piece stays within the hole of a ring, further than the target from its
// edge; 0 if it is not there at the start, INFINITY if it stays.
static double leave_hole(const Ring *ring, const PhPiece *piece, const PhSweep *sweep,
                         double target, double limit) {
    PhVec2 travel =
        ph_sub(ph_sub(sweep->to, sweep->from), ph_sub(ring->sweep.to, ring->sweep.from));
    double speed = ph_length(travel) + fabs(sweep->turn) * make_side(piece, sweep).reach;
    double fraction = 0;
    for (int round = 0; round < HOLE_ROUNDS; round++) {
        PhVec2 center = ph_lerp(ring->sweep.from, ring->sweep.to, fraction);
        double gap = ring->hole - target - farthest(piece, ph_sweep_pose(sweep, fraction), center);
        if (!(gap > 1e-9 * ring->hole)) {
            break;
        }
        fraction += gap / speed;
        if (!(fraction < limit)) {
            return INFINITY;
        }
    }
    return fraction;
}

// The rest of a search, where pieces that spin are taken for their rings; without a spin a hit.
// *moment moves on to the hit.
static Outcome advance_rings(const Question *q, PhImpactRecorder *recorder, Moment *moment) {
    double first = moment->fraction, share = 1 - first;
    if (!(share > 0)) {
        return HIT;
    }
    PhSweep a = rest_of(q->motion_a, first), b = rest_of(q->motion_b, first);
    bool spins_a = fabs(a.turn) > PH_IMPACT_SPIN, spins_b = fabs(b.turn) > PH_IMPACT_SPIN;
    if (!spins_a && !spins_b) {
        return HIT;
    }
    Ring ring_a, ring_b;
    make_ring(q->a, &a, &ring_a);
    make_ring(q->b, &b, &ring_b);
    double limit = fmin((q->limit - first) / share, 1);
    Question rest = {.a = spins_a ? &ring_a.disc : q->a,
                     .b = spins_b ? &ring_b.disc : q->b,
                     .motion_a = spins_a ? &ring_a.sweep : &a,
                     .motion_b = spins_b ? &ring_b.sweep : &b,
                     .path = q->path,
                     .target = q->target,
                     .limit = limit,
                     .rounds = PH_IMPACT_ROUNDS};
    double inside = 0; // in the hole of one of them
    if (spins_a) {
        inside = leave_hole(&ring_a, rest.b, rest.motion_b, q->target, limit);
    }
    if (spins_b && inside == 0) {
        inside = leave_hole(&ring_b, rest.a, rest.motion_a, q->target, limit);
    }
    if (inside == INFINITY) {
        return MISS;
    }
    Moment then = {.fraction = inside};
    if (inside == 0 && advance(&rest, NULL, &then) == MISS) {
        return MISS;
    }
    moment->rounds += then.rounds;
    if (then.fraction > 0) {
        sample_at(q, fmin(first + then.fraction * share, q->limit), recorder, moment);
    }
    return HIT;
}

static PhImpact find_impact(const Question *q, PhImpactRecorder *recorder) {
    Moment moment = {.fraction = 0};
    Question fresh = *q;
    double turn = fmax(fabs(q->motion_a->turn), fabs(q->motion_b->turn));
    fresh.rounds = turn > PH_IMPACT_SPIN ? q->rounds : PH_IMPACT_ROUNDS;
    Outcome outcome;
    if (turn < MOST_TURN) {
        outcome = advance(&fresh, recorder, &moment);
    } else { // no angle but that of the start is known
        sample_at(q, 0, recorder, &moment);
        outcome = moment.distance.distance > q->target ? UNSETTLED : HIT;
    }
    if (outcome == UNSETTLED) {
        outcome = advance_rings(q, recorder, &moment);
    }
    if (outcome == MISS) {
        return (PhImpact){.fraction = 1, .rounds = moment.rounds};
    }
    PhVec2 middle = ph_scale(0.5, ph_add(moment.distance.point_a, moment.distance.point_b));
    PhVec2 origin = ph_lerp(q->path->from, q->path->to, moment.fraction);
    return (PhImpact){.hit = true,
                      .fraction = moment.fraction,
                      .point = ph_add(middle, origin),
                      .normal = moment.distance.normal,
                      .rounds = moment.rounds};
}

// A pair of motions as they are searched.
typedef struct Motions {
    PhSweep a, b;    // seen from a's centre
    PhSweep first_a; // of a, in the common frame
    double share;    // how much of the whole motions they are
    bool far;        // beyond what can be squared
} Motions;

static double largest(PhVec2 v) {
    return fmax(fabs(v.x), fabs(v.y));
}

static PhSweep first_part(const PhSweep *sweep, double share) {
    PhSweep part = *sweep;
    part.to = ph_add(ph_scale(1 - share, sweep->from), ph_scale(share, sweep->to));
    part.turn = share * sweep->turn;
    return part;
}

// Centres that go further than they were apart, by more than both shapes reach and the target, will
// not meet any more: what comes then of a motion that is too long to be squared is cut off. reach
// is of both shapes together, from the centres. Displacements are taken in eighths, which do not
// overflow.
static Motions make_motions(const PhSweep *a, const PhSweep *b, double reach, double target) {
    Motions motions = {.share = 1};
    PhVec2 start = ph_sub(b->from, a->from), end = ph_sub(b->to, a->to);
    PhVec2 eighth = ph_sub(ph_sub(ph_scale(0.125, b->to), ph_scale(0.125, b->from)),
                           ph_sub(ph_scale(0.125, a->to), ph_scale(0.125, a->from)));
    double enough = 2 * largest(start) + reach + target;
    if (!(largest(end) < 1e150) && enough < largest(eighth)) {
        motions.share = 0.125 * enough / largest(eighth);
    }
    motions.first_a = motions.share < 1 ? first_part(a, motions.share) : *a;
    PhSweep first_b = motions.share < 1 ? first_part(b, motions.share) : *b;
    motions.a = motions.first_a;
    motions.b = first_b;
    motions.a.from = motions.a.to = ph_vec(0, 0);
    motions.b.from = start;
    motions.b.to = ph_sub(first_b.to, motions.first_a.to);
    bool near = largest(start) < 1e150 && largest(motions.b.to) < 1e151;
    motions.far = !near;
    return motions;
}

// For motions that cannot be searched: the start alone.
static PhImpact sample_start(const PhDistance *found, double target, PhImpactRecorder *recorder) {
    if (recorder) {
        record(recorder, 0, found, ph_vec(0, 0));
    }
    if (!(found->distance <= target)) {
        return (PhImpact){.fraction = 1};
    }
    return (PhImpact){.hit = true,
                      .point = ph_scale(0.5, ph_add(found->point_a, found->point_b)),
                      .normal = found->normal};
}

static double reach_of(const PhPiece *piece, const PhSweep *sweep) {
    return piece->extent + ph_length(ph_sub(piece->centroid, sweep->center));
}

PhImpact ph_pieces_impact(const PhPiece *a, const PhSweep *motion_a, const PhPiece *b,
                          const PhSweep *motion_b, double target, double limit, int32_t rounds,
                          PhImpactRecorder *recorder) {
    double reach = reach_of(a, motion_a) + reach_of(b, motion_b);
    Motions motions = make_motions(motion_a, motion_b, reach, target);
    if (motions.far) {
        PhDistance found =
            ph_distance(a, ph_sweep_pose(motion_a, 0), b, ph_sweep_pose(motion_b, 0));
        return sample_start(&found, target, recorder);
    }
    uint32_t first = recorder ? recorder->count : 0;
    const Question question = {
        a,     b, &motions.a, &motions.b, &motions.first_a, target, fmin(limit / motions.share, 1),
        rounds};
    PhImpact impact = find_impact(&question, recorder);
    for (uint32_t i = first; recorder && i < recorder->count; i++) {
        recorder->rounds[i].fraction *= motions.share;
    }
    impact.fraction *= impact.hit ? motions.share : 1;
    return impact;
}

PhImpact ph_shapes_impact(const PhShape *a, const PhSweep *motion_a, const PhShape *b,
                          const PhSweep *motion_b, double target, const PhStop *stop) {
    if (a->piece_count == 1 && b->piece_count == 1) {
        return ph_pieces_impact(a->pieces, motion_a, b->pieces, motion_b, target, 1,
                                PH_IMPACT_ROUNDS, NULL);
    }
    double reach =
        a->extent + b->extent + ph_length(motion_a->center) + ph_length(motion_b->center);
    Motions motions = make_motions(motion_a, motion_b, reach, target);
    PhImpact best = {.fraction = 1};
    if (motions.far) {
        PhDistance found = ph_shapes_distance(a, ph_sweep_pose(motion_a, 0), b,
                                              ph_sweep_pose(motion_b, 0), stop, NULL);
        return sample_start(&found, target, NULL);
    }
    PhPairWalk walk;
    int32_t i, k;
    int64_t left = SHAPE_ROUNDS, sampled = 0;
    ph_pair_walk_sweep(&walk, a, &motions.a, b, &motions.b);
    while (ph_pair_walk_next(&walk, target * (1 + 1e-6), &i, &k)) {
        const Question question = {&a->pieces[i], &b->pieces[k],        &motions.a,
                                   &motions.b,    &motions.first_a,     target,
                                   best.fraction, ph_impact_share(left)};
        PhImpact found = find_impact(&question, NULL);
        left -= found.rounds;
        if (++sampled % STOP_PORTION == 0 && ph_stop_wanted(stop)) {
            break;
        }
        if (!found.hit || (best.hit && found.fraction >= best.fraction)) {
            continue;
        }
        best = found;
        best.piece_a = i;
        best.piece_b = k;
        if (best.fraction == 0) {
            break;
        }
        ph_pair_walk_until(&walk, &motions.a, &motions.b, best.fraction);
    }
    best.fraction *= best.hit ? motions.share : 1;
    return best;
}

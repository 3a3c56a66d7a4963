// Computes when and where two separate bodies will meet in a step, and what lies behind the first
// impact: see ahead.h. Owns nothing.
//
// Source: contacts ahead of time after P. Firth, "Speculative Contacts" (2011).
#include "world/ahead.h"

#include <string.h>

#include "world/contact_stage.h"
#include "world/flush.h"
#include "world/manifolds.h"

// Rounds of the search for the time of impact; halvings where it has gone too far.
enum { IMPACT_ROUNDS = 8, IMPACT_HALVINGS = 24 };

#define SLIDE_COSINE 0.9

PhVec2 ph_relative_velocity(const PhWorld *world, uint32_t a, uint32_t b, PhVec2 from_a,
                            PhVec2 gap) {
    const double *spin = world->state->angular_velocity;
    PhVec2 va = ph_mul_add(ph_slot_velocity(world, a), spin[a], ph_left(from_a));
    PhVec2 vb = ph_mul_add(ph_slot_velocity(world, b), spin[b], ph_left(ph_sub(from_a, gap)));
    return ph_sub(vb, va);
}

PhEncounter ph_encounter(const PhWorld *world, const PhCouple *couple, PhVec2 gap, double margin,
                         double dt) {
    const PhState *s = world->state;
    uint32_t a = couple->a, b = couple->b;
    const PhVec2 zero = {0, 0};
    PhVec2 travel = ph_scale(dt, ph_sub(ph_slot_velocity(world, b), ph_slot_velocity(world, a)));
    double falling = (ph_is_dynamic(world, b) ? world->gravity_scale[b] : 0) -
                     (ph_is_dynamic(world, a) ? world->gravity_scale[a] : 0);
    bool both_free = ph_is_dynamic(world, a) && ph_is_dynamic(world, b);
    return (PhEncounter){
        .a = couple->piece_a,
        .b = couple->piece_b,
        .motion_a = {world->body[a].center_local, zero, zero, s->angle[a],
                     dt * s->angular_velocity[a]},
        .motion_b = {world->body[b].center_local, gap, ph_add(gap, travel), s->angle[b],
                     dt * s->angular_velocity[b]},
        .sinks = ph_scale(0.5 * dt * dt * falling, world->def.gravity),
        .margin = margin,
        .precision = both_free ? world->lengths.free_precision : world->lengths.impact_precision,
        .lengths = &world->lengths,
    };
}

bool ph_is_ahead(const PhWorld *world, const PhCouple *couple, const PhManifold *manifold,
                 PhVec2 gap, double dt) {
    const double *spin = world->state->angular_velocity, wa = spin[couple->a], wb = spin[couple->b];
    double round = wa * couple->piece_a->radius + wb * couple->piece_b->radius;
    bool acts = false;
    for (int i = 0; i < manifold->count; i++) {
        const PhManifoldPoint *point = &manifold->points[i];
        PhVec2 v = ph_relative_velocity(world, couple->a, couple->b, point->point, gap);
        // The separation of round surfaces does not change with rotation.
        double slide = fabs(ph_cross(v, manifold->normal) - round) * dt;
        double displacement = -ph_dot(v, manifold->normal) * dt;
        // A point that turns leaves its tangent by this much. Contact points are midway between the
        // surfaces.
        double bend =
            0.5 * dt * dt *
            (wa * wa * ph_length(point->point) + wb * wb * ph_length(ph_sub(point->point, gap)));
        if (!(point->separation > 0)) {
            return false;
        }
        double astray = slide + bend + (fabs(wa) + fabs(wb)) * dt * point->separation;
        acts |= displacement > point->separation - world->lengths.ahead_slack - bend &&
                astray > world->lengths.least_slide;
    }
    return acts;
}

// The part of the motion after which the first point of a manifold meets, if both move as at one
// moment of it; infinity if none will.
static double time_to_meet(const PhEncounter *e, double moment, const PhManifold *manifold) {
    const PhSweep *a = &e->motion_a, *b = &e->motion_b;
    PhVec2 travel = ph_sub(b->to, b->from), gap = ph_mul_add(b->from, moment, travel);
    double least = INFINITY;
    for (int i = 0; i < manifold->count; i++) {
        const PhManifoldPoint *point = &manifold->points[i];
        PhVec2 on_a = ph_scale(a->turn, ph_left(point->point));
        PhVec2 on_b = ph_mul_add(travel, b->turn, ph_left(ph_sub(point->point, gap)));
        double speed = -ph_dot(ph_sub(on_b, on_a), manifold->normal);
        double time = speed > 0 ? point->separation / speed : INFINITY;
        least = time < least ? time : least;
    }
    return least;
}

static double least_separation(const PhManifold *manifold) {
    double least = INFINITY;
    for (int i = 0; i < manifold->count; i++) {
        least = ph_min(manifold->points[i].separation, least);
    }
    return least;
}

static void collide_at(const PhEncounter *e, double moment, double margin, PhManifold *out) {
    ph_collide(e->a, ph_sweep_pose(&e->motion_a, moment), e->b, ph_sweep_pose(&e->motion_b, moment),
               margin, e->lengths, out);
}

// The largest distance, along a normal, at which two that miss each other still have a contact,
// since contacts and gravity may change their motion in the step. The solver takes a turning motion
// for a straight one; the slack is reduced by that error, but not below what gravity alone adds.
static double slack_of(const PhEncounter *e, PhVec2 normal) {
    double a = fabs(e->motion_a.turn), b = fabs(e->motion_b.turn);
    double displacement = ph_length(ph_sub(e->motion_b.to, e->motion_b.from));
    double off = 0.5 * (a * a * e->a->extent + b * b * e->b->extent) + (a + b) * displacement;
    double sinks = ph_max(-ph_dot(e->sinks, normal), 0);
    return ph_max(e->lengths->ahead_slack - off, sinks + e->lengths->impact_precision);
}

bool ph_are_laden(const PhWorld *world, uint32_t a, uint32_t b) {
    return world->substep_level[a].jointed > 0 || world->substep_level[b].jointed > 0;
}

// Moves the point of a circle from the middle between the surfaces onto the circle, whose line of
// centre and normal is then seen to go through it: see move_arms in arms_source.h.
static void put_on_circle(const PhEncounter *e, double moment, PhManifold *manifold) {
    const PhPiece *circle = e->b->count == 1 ? e->b : e->a;
    if (circle->count > 1 || manifold->count != 1) {
        return;
    }
    PhTransform pose = ph_sweep_pose(circle == e->b ? &e->motion_b : &e->motion_a, moment);
    double radius = circle == e->b ? -circle->radius : circle->radius;
    manifold->points[0].point =
        ph_mul_add(ph_apply(pose, circle->vertices[0]), radius, manifold->normal);
}

// A moment, not after `high`, at which two that are apart at first and overlap at `high` come
// together; manifold: theirs then.
static double halve_back(const PhEncounter *e, double high, PhManifold *manifold) {
    double low = 0;
    for (int i = 0; i < IMPACT_HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        collide_at(e, middle, e->margin, manifold);
        *(least_separation(manifold) < 0 ? &high : &low) = middle;
    }
    collide_at(e, low, e->margin, manifold);
    return low;
}

// Newton's method on the separation. It is convex for bodies that do not turn, so the method
// approaches the first time from before. Of bodies that turn it may go past that time, into an
// overlap of which the normal may be that of any side.
bool ph_find_impact(const PhEncounter *e, PhManifold *manifold, PhVec2 *gap, double *part) {
    const PhVec2 start = manifold->normal;
    const bool apart = least_separation(manifold) > 0;
    double f = 0;
    for (int round = 0; round < IMPACT_ROUNDS && f < 1; round++) {
        double time = time_to_meet(e, f, manifold);
        if (time == INFINITY) {
            break;
        }
        f = ph_max(ph_min(f + time, 1), 0);
        collide_at(e, f, e->margin, manifold);
        if (fabs(least_separation(manifold)) < e->precision) {
            break;
        }
    }
    if (apart && least_separation(manifold) < -e->precision) {
        f = halve_back(e, f, manifold);
    }
    // If the other side was found, rotation has carried the body past: continuous collision handles
    // that.
    if (!(least_separation(manifold) < slack_of(e, manifold->normal)) ||
        !(ph_dot(manifold->normal, start) > 0)) {
        return false;
    }
    const PhSweep *a = &e->motion_a, *b = &e->motion_b;
    PhVec2 travel = ph_scale(f, ph_sub(b->to, b->from)), n = manifold->normal;
    *gap = ph_add(b->from, travel);
    *part = f;
    double gone = ph_dot(ph_add(e->before, travel), n);
    put_on_circle(e, f, manifold);
    PhRot qa = ph_rot(e->turned_a + f * a->turn), qb = ph_rot(e->turned_b + f * b->turn);
    for (int i = 0; i < manifold->count; i++) { // as the solver moves them, see kernels_source.h
        PhVec2 ra = manifold->points[i].point, rb = ph_sub(ra, *gap);
        double core_a = ph_dot(ra, n) - e->a->radius, core_b = ph_dot(rb, n) + e->b->radius;
        manifold->points[i].separation -= gone + (qb.c - 1) * core_b + qb.s * ph_cross(rb, n) -
                                          (qa.c - 1) * core_a - qa.s * ph_cross(ra, n);
    }
    return true;
}

bool ph_pass_by(const PhEncounter *encounter, double slop, PhManifold *later) {
    for (int part = 1; part <= 2; part++) {
        collide_at(encounter, 0.5 * part, 0, later);
        if (!(least_separation(later) > -slop)) {
            return false;
        }
    }
    return true;
}

static bool is_corner(const PhPiece *piece, PhTransform pose, PhVec2 point, double slop) {
    for (int32_t i = 0; i < piece->count; i++) {
        if (ph_distance_squared(ph_apply(pose, piece->vertices[i]), point) < slop * slop) {
            return true;
        }
    }
    return false;
}

double ph_slop_of(const PhWorld *world, const PhPiece *a, const PhPiece *b) {
    double thin = a->width < b->width ? a->width : b->width;
    return ph_min(PH_PASS_WIDTH * thin, world->lengths.pass_slop);
}

bool ph_corners_pass(const PhWorld *world, const PhCouple *couple, const PhManifold *manifold,
                     PhVec2 gap, double dt) {
    const PhPiece *a = couple->piece_a, *b = couple->piece_b;
    const PhManifoldPoint *point = &manifold->points[0];
    PhVec2 n = manifold->normal;
    PhVec2 velocity = ph_relative_velocity(world, couple->a, couple->b, point->point, gap);
    double thin = a->width < b->width ? a->width : b->width, slop = ph_slop_of(world, a, b);
    double speed = -ph_dot(velocity, n), displacement = speed * dt;
    // Apart: would it act in this step, or nearly? Overlapping at either point: is it fast but not
    // deep?
    double low = ph_min(point->separation, manifold->points[manifold->count - 1].separation);
    bool acts = low > 0 ? displacement > low - world->lengths.pass_ahead
                        : displacement > slop && point->separation > -slop;
    if (!acts || slop == 0 || (a->count == 1 && b->count == 1)) {
        return false;
    }
    double half = 0.5 * point->separation;
    PhVec2 on_a = ph_mul_add(point->point, -half - a->radius, n);
    PhVec2 on_b = ph_mul_add(point->point, half + b->radius, n);
    bool corners =
        manifold->count == 2
            ? ph_distance_squared(point->point, manifold->points[1].point) < slop * slop
            : is_corner(a, couple->ta, on_a, slop) && is_corner(b, couple->tb, on_b, slop);
    const double *vb = world->state->velocity[couple->b];
    bool rests = vb[0] == 0 && vb[1] == 0 && world->state->angular_velocity[couple->b] == 0;
    bool slides =
        rests && displacement > slop && displacement - point->separation > -PH_PASS_RISE * slop &&
        point->separation > -slop && fabs(ph_cross(velocity, n)) > PH_PASS_SLIDE * speed &&
        ph_length(velocity) * dt < thin;
    bool pass = corners || slides;
    PhManifold later = {.count = 0};
    if (pass) {
        const PhEncounter encounter = ph_encounter(world, couple, gap, 0, dt);
        pass = ph_pass_by(&encounter, slop, &later);
    }
    return pass && (corners || later.count == 0 || ph_dot(later.normal, n) < SLIDE_COSINE);
}

// ------------------------------------------------------------------------------------------------
// what lies behind what is met first

enum { MOST_IMPACTS = 16, IMPACT_SWEEPS = 16 };
// Impacts that differ by less than this part of a step count as one, as those of a box with two
// flush tiles.
#define AT_ONCE 1e-5

static int impacts_of(const PhWorld *world, const PhPairList *pairs, uint32_t k, double dt,
                      PhImpact out[2]) {
    const PhSolverManifold *manifold = &world->contacts.manifold[k];
    uint32_t a = world->proxies.body[pairs->owner[k]], b = world->proxies.body[pairs->other[k]];
    PhVec2 n = {(double)manifold->nx, (double)manifold->ny};
    PhVec2 gap = {(double)manifold->dx, (double)manifold->dy};
    int count = 0;
    for (int i = 0; i < 2; i++) {
        if (!ph_has_point(manifold, i)) {
            continue;
        }
        PhVec2 point = {(double)manifold->point[i].x, (double)manifold->point[i].y};
        double separation = ph_max((double)manifold->point[i].separation, 0);
        double speed = -ph_dot(ph_relative_velocity(world, a, b, point, gap), n);
        out[count++] = (PhImpact){.point = point,
                                  .normal = n,
                                  .time = speed > 0 ? separation / (speed * dt) : INFINITY,
                                  .speed = speed,
                                  .restitution = (double)manifold->restitution};
    }
    return count;
}

static double first_time(const PhImpact *impacts, int count) {
    double first = INFINITY;
    for (int i = 0; i < count; i++) {
        first = ph_min(impacts[i].time, first);
    }
    return first;
}

static bool acts_on_fixed(const PhWorld *world, const PhPairList *pairs, uint32_t j) {
    bool acts = world->next_active[j] == PH_ANSWER_NEAR || world->next_active[j] == PH_ANSWER_AHEAD;
    return acts && !ph_is_dynamic(world, world->proxies.body[pairs->other[j]]);
}

bool ph_is_held(const PhWorld *world, const PhPairList *pairs, uint32_t k, double dt) {
    uint32_t own = pairs->owner[k];
    for (uint32_t j = ph_pairs_from(pairs, own, 0); j < pairs->count && pairs->owner[j] == own;
         j++) {
        PhImpact found[2];
        const PhSolverManifold *manifold = &world->contacts.manifold[j];
        if (acts_on_fixed(world, pairs, j) &&
            (first_time(found, impacts_of(world, pairs, j, dt, found)) < 1 ||
             (double)ph_min(manifold->point[0].separation, manifold->point[1].separation) <
                 world->lengths.pass_slop)) {
            return true;
        }
    }
    return false;
}

// Lists the impacts of an owner, whose pairs begin at `first`, with obstacles that no impact moves.
static void list_impacts(const PhWorld *world, const PhPairList *pairs, uint32_t first, double dt,
                         PhImpacts *own) {
    own->owner = pairs->owner[first];
    own->count = 0;
    for (uint32_t j = first; j < pairs->count && pairs->owner[j] == own->owner; j++) {
        if (!acts_on_fixed(world, pairs, j)) {
            continue;
        }
        PhImpact found[2];
        int points = impacts_of(world, pairs, j, dt, found);
        for (int i = 0; i < points && own->count < PH_MOST_LISTED_IMPACTS; i++) {
            own->impact[own->count] = found[i];
            own->pair[own->count] = j;
            own->count += found[i].time < 1;
        }
    }
}

// Counts the impacts of its owner that come before a pair's own.
static int find_impacts(const PhWorld *world, const PhPairList *pairs, uint32_t k, double dt,
                        const PhImpacts *owners, PhImpact out[MOST_IMPACTS]) {
    PhImpact found[2];
    double own = ph_min(first_time(found, impacts_of(world, pairs, k, dt, found)), 1);
    int count = 0;
    for (int i = 0; i < owners->count && count < MOST_IMPACTS; i++) {
        uint32_t j = owners->pair[i];
        bool acts =
            world->next_active[j] == PH_ANSWER_NEAR || world->next_active[j] == PH_ANSWER_AHEAD;
        out[count] = owners->impact[i];
        count += j != k && acts && owners->impact[i].time < own - AT_ONCE;
    }
    return count;
}

// The motion of a body.
typedef struct Motion {
    PhVec2 v;
    double w;
} Motion;

// The motion of a body after several simultaneous impacts, by sequential impulses.
static Motion motion_after(const PhWorld *world, uint32_t slot, PhImpact *impacts, int count) {
    double mass = (double)world->mass[slot][0], inertia = (double)world->mass[slot][1];
    Motion change = {{0, 0}, 0};
    for (int sweep = 0; sweep < IMPACT_SWEEPS; sweep++) {
        for (int i = 0; i < count; i++) {
            PhImpact *impact = &impacts[i];
            PhVec2 n = impact->normal;
            double arm = ph_cross(impact->point, n), response = mass + inertia * arm * arm;
            bool bounces = impact->speed > world->def.restitution_threshold;
            double wanted = impact->speed * (bounces ? 1 + impact->restitution : 1);
            double left = wanted + ph_dot(change.v, n) + change.w * arm;
            double total = ph_max(impact->impulse + (response > 0 ? left / response : 0), 0);
            double more = total - impact->impulse;
            impact->impulse = total;
            change.v = ph_mul_add(change.v, -more * mass, n);
            change.w -= more * inertia * arm;
        }
    }
    return (Motion){ph_add(ph_slot_velocity(world, slot), change.v),
                    world->state->angular_velocity[slot] + change.w};
}

bool ph_see_past(const PhWorld *world, const PhPairList *pairs, uint32_t k, double dt,
                 PhImpacts *owners, PhEncounter *out) {
    if (owners->owner != pairs->owner[k]) {
        list_impacts(world, pairs, ph_pairs_from(pairs, pairs->owner[k], 0), dt, owners);
    }
    PhImpact impacts[MOST_IMPACTS];
    int count = find_impacts(world, pairs, k, dt, owners, impacts);
    if (count == 0) {
        return false;
    }
    uint32_t p = pairs->owner[k], q = pairs->other[k];
    PhCouple couple = {.a = world->proxies.body[p],
                       .b = world->proxies.body[q],
                       .piece_a = world->proxy_piece[p],
                       .piece_b = ph_flush_piece(world, k)};
    PhVec2 gap = {world->center[couple.b][0] - world->center[couple.a][0],
                  world->center[couple.b][1] - world->center[couple.a][1]};
    if (world->wrapped) {
        gap = ph_add(gap, ph_image_shift(world, couple.a, couple.b));
    }
    PhEncounter e = ph_encounter(world, &couple, gap, ph_pair_margin(world, p, q, dt), dt);
    Motion after = motion_after(world, couple.a, impacts, count);
    double time = first_time(impacts, count), rest = (1 - time) * dt;
    PhSweep *a = &e.motion_a, *b = &e.motion_b;
    e.before = ph_scale(time, ph_sub(b->to, b->from));
    e.turned_a = time * a->turn;
    e.turned_b = time * b->turn;
    a->angle += e.turned_a;
    b->angle += e.turned_b;
    a->turn = rest * after.w;
    b->turn -= e.turned_b;
    b->from = ph_add(b->from, e.before);
    b->to = ph_mul_add(b->from, rest, ph_sub(ph_slot_velocity(world, couple.b), after.v));
    *out = e;
    return true;
}

// Whether a piece meets another after its owner has met something else: it gets a contact of its
// own, or none.
static bool is_met_after(PhWorld *world, const PhPairList *pairs, uint32_t k,
                         const PhEncounter *encounter, double dt) {
    PhManifold manifold;
    if (ph_pass_by(encounter, ph_slop_of(world, encounter->a, encounter->b), &manifold)) {
        return false;
    }
    ph_collide(encounter->a, ph_sweep_pose(&encounter->motion_a, 0), encounter->b,
               ph_sweep_pose(&encounter->motion_b, 0), encounter->margin, encounter->lengths,
               &manifold);
    PhVec2 gap;
    double part;
    return manifold.count && ph_find_impact(encounter, &manifold, &gap, &part) &&
           ph_write_manifold(world, pairs, k, &manifold, gap, -1, dt);
}

unsigned ph_judge_passing(PhWorld *world, const PhPairList *pairs, double dt) {
    enum { HITS = 0x40 };
    uint8_t *next = world->next_active, *end = next + pairs->count;
    unsigned found = 0;
    bool hits = false;
    for (uint8_t *at = next; (at = memchr(at, PH_ANSWER_PASSES, (size_t)(end - at))); at++) {
        uint32_t k = (uint32_t)(at - next);
        bool fixed = !ph_is_dynamic(world, world->proxies.body[pairs->other[k]]);
        bool held = !fixed || ph_is_held(world, pairs, k, dt);
        *at = held ? PH_ANSWER_APART : HITS;
        hits |= !held;
        if (held) {
            world->approach[k] = 0;
        }
    }
    for (uint8_t *at = next; hits && (at = memchr(at, HITS, (size_t)(end - at))); at++) {
        *at = PH_ANSWER_AHEAD;
        bool was = pairs->flags[at - next] & PH_PAIR_ACTIVE;
        found |= PH_FOUND_AHEAD | (was ? 0u : (unsigned)PH_FOUND_DIFFERENCE);
    }
    return found;
}

unsigned ph_judge_ahead(PhWorld *world, const PhPairList *pairs, double dt) {
    enum { FEW_IMPACTS = 64 };
    uint8_t *next = world->next_active, *end = next + pairs->count;
    PhImpacts impacts;
    unsigned found = 0;
    impacts.owner = PH_NULL;
    for (uint8_t *at = next; (at = memchr(at, PH_ANSWER_AHEAD, (size_t)(end - at))); at++) {
        uint32_t k = (uint32_t)(at - next);
        PhEncounter encounter;
        bool past = ph_see_past(world, pairs, k, dt, &impacts, &encounter);
        bool met = !past || is_met_after(world, pairs, k, &encounter, dt);
        *at = met ? PH_ANSWER_NEAR : PH_ANSWER_APART;
        if (past && met && impacts.count <= FEW_IMPACTS) {
            impacts.owner = PH_NULL; // this one has become another
        }
        if (!met && pairs->flags[k] & PH_PAIR_ACTIVE) {
            found |= PH_FOUND_DIFFERENCE;
        }
        if (!met) {
            world->approach[k] = 0;
        } else if (world->approach[k] > 0) {
            found |= PH_FOUND_FAST;
        }
    }
    return found;
}

// Owns second impacts of two dynamic bodies that no contact has seen coming: the two have come into
// each other within the step of their first one. Contacts are those of the motion with which the
// step began, and an impact that turns two bodies may send them into each other elsewhere before
// the step ends. In the next step they would overlap so deeply that the normal of their contact
// tells nothing of where they met.
//
// They go back along their motion relative to their common centre, by the shortest time after which
// nothing of one is in the other any more. Their velocities and that centre stay, and so do
// momentum, angular momentum and energy; the next step finds the two where they meet.
//
// This is done where one is in the other by more than continuous collision lets bodies be (an
// eighth of the width of the thinner piece), where no joint holds them, and where neither has
// touched anything else in the step, so that the end of it has been one even motion. What does not
// bounce and has contacts with something fixed near by is left to these, and so is what a pre-solve
// hook may switch off.
//
// Invariant: the poses and velocities at the end of the step decide, and what touched in it. Two
// pairs of bodies that go back have no body in common.
//
// Source: E. Catto, "Continuous Collision" (2013), for letting a body lose the rest of its step.
#include "narrow/collide.h"
#include "narrow/time_of_impact.h"
#include "world/continuous.h"

// Moments at which an earlier part of the motion is examined, and halvings of the time between two.
enum { MOMENTS = 16, HALVINGS = 16 };
// Couples of pieces of two bodies, some tenths of a microsecond each at each moment: bodies with
// more of them near each other are left to their contacts.
enum { MOST_COUPLES = 1024 };

typedef struct Couple {
    const PhWorld *world;
    uint32_t a, b;
    PhVec2 gap; // from the centre of mass of a to that of b, as the step has left them
    double dt;
} Couple;

static PhTransform frame_of(const PhWorld *world, uint32_t slot, PhVec2 center, double angle) {
    PhRot q = ph_rot(angle);
    return (PhTransform){ph_sub(center, ph_rotate(q, world->body[slot].center_local)), q};
}

// By how much more than it may one piece is in another; allowed: of the width of the thinner one.
static double depth_of_pieces(const PhWorld *world, const PhPiece *a, PhTransform ta,
                              const PhPiece *b, PhTransform tb, double allowed) {
    PhManifold manifold;
    double deepest = -INFINITY;
    ph_collide(a, ta, b, tb, 0, &world->lengths, &manifold);
    for (int i = 0; i < manifold.count; i++) {
        deepest = ph_max(deepest, -manifold.points[i].separation);
    }
    return deepest - allowed * ph_min(a->width, b->width);
}

static PhAabb box_of_body(const PhWorld *world, uint32_t slot, PhTransform pose) {
    PhAabb box = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    PhParts parts = ph_parts_of(world, slot);
    for (uint32_t p; ph_next_part(world, &parts, &p);) {
        box = ph_union(box, ph_piece_aabb(world->proxy_piece[p], pose));
    }
    return box;
}

// Whether a pre-solve hook is to be asked about two pieces. It has been asked only about those that
// were near each other.
static bool is_asked_about(const PhWorld *world, uint32_t p, uint32_t q) {
    return world->pre_solve.call && (world->collider[world->proxies.collider[p]].def.pre_solve ||
                                     world->collider[world->proxies.collider[q]].def.pre_solve);
}

// The same for the pieces of both bodies, some time (s) before the end of the step. Infinity where
// too many of them are near.
static double depth_before(const Couple *couple, double time, double allowed) {
    const PhWorld *world = couple->world;
    const double *angle = world->state->angle, *spin = world->state->angular_velocity;
    uint32_t a = couple->a, b = couple->b;
    PhVec2 velocity = ph_sub(ph_slot_velocity(world, b), ph_slot_velocity(world, a));
    PhTransform ta = frame_of(world, a, ph_vec(0, 0), angle[a] - time * spin[a]);
    PhTransform tb =
        frame_of(world, b, ph_mul_add(couple->gap, -time, velocity), angle[b] - time * spin[b]);
    PhAabb around_b = box_of_body(world, b, tb);
    double deepest = -INFINITY;
    uint32_t count = 0;
    PhParts parts_a = ph_parts_of(world, a);
    for (uint32_t p; ph_next_part(world, &parts_a, &p);) {
        const PhPiece *piece = world->proxy_piece[p];
        PhAabb box = ph_piece_aabb(piece, ta);
        PhParts parts_b = ph_parts_of(world, b);
        for (uint32_t q; ph_overlaps(box, around_b) && ph_next_part(world, &parts_b, &q);) {
            const PhPiece *other = world->proxy_piece[q];
            if (++count > MOST_COUPLES) {
                return INFINITY;
            }
            if (ph_overlaps(box, ph_piece_aabb(other, tb)) && ph_may_meet(world, p, q) &&
                !is_asked_about(world, p, q)) {
                double depth = depth_of_pieces(world, piece, ta, other, tb, allowed);
                deepest = ph_max(deepest, depth);
            }
        }
    }
    return deepest;
}

// The shortest time before the end of the step at which the two are apart; 0 where there is none,
// or where they are not in each other by more than they may.
static double time_apart(const Couple *couple) {
    double depth = depth_before(couple, 0, PH_STOP_LAYER);
    if (!(depth > couple->world->lengths.stop_distance) || !(depth < INFINITY)) {
        return 0;
    }
    double inside = 0, apart = 0;
    for (int i = 1; i <= MOMENTS && apart == 0; i++) {
        double time = couple->dt * i / MOMENTS;
        bool overlaps = depth_before(couple, time, 0) > 0;
        inside = overlaps ? time : inside;
        apart = overlaps ? 0 : time;
    }
    for (int i = 0; i < HALVINGS && apart > 0; i++) {
        double middle = 0.5 * (inside + apart);
        *(depth_before(couple, middle, 0) > 0 ? &inside : &apart) = middle;
    }
    return apart;
}

static bool is_touching(const PhWorld *world, uint32_t pair) {
    return world->broad.pairs.flags[pair] & PH_PAIR_TOUCHING;
}

// Whether two bodies have touched nothing but each other in the step.
static bool are_alone(const PhWorld *world, uint32_t a, uint32_t b) {
    const PhContacts *contacts = &world->contacts;
    for (uint32_t c = 0; c < contacts->count; c++) {
        uint32_t first = contacts->body_a[c], second = contacts->body_b[c];
        bool has_a = first == a || second == a, has_b = first == b || second == b;
        if (has_a != has_b && is_touching(world, contacts->pair[c])) {
            return false;
        }
    }
    return true;
}

// Whether a body moves, and no joint holds it.
static bool is_free(const PhWorld *world, uint32_t slot) {
    return ph_is_dynamic(world, slot) && world->state->awake[slot] &&
           world->body[slot].first_joint == PH_NULL && world->body[slot].locks == 0 &&
           ph_is_placed(world, slot);
}

// The way of a body in some time, back from where it is.
static void go_back(PhWorld *world, uint32_t slot, PhVec2 velocity, double time) {
    const double *center = world->center[slot];
    PhVec2 then = ph_mul_add((PhVec2){center[0], center[1]}, -time, velocity);
    double angle = world->state->angle[slot] - time * world->state->angular_velocity[slot];
    PhPath path = ph_path_at_rest(world->body[slot].center_local, (PhPathPose){then, angle});
    ph_place_at_end(world, slot, &path, true); // as it is, its velocity stays
}

static void part(PhWorld *world, uint32_t a, uint32_t b, double time) {
    const double *mass = world->state->mass;
    PhVec2 velocity = ph_sub(ph_slot_velocity(world, b), ph_slot_velocity(world, a));
    double share = mass[b] / (mass[a] + mass[b]); // of the velocity, that a has
    go_back(world, a, ph_mul_add(ph_vec(0, 0), -share, velocity), time);
    go_back(world, b, ph_mul_add(ph_vec(0, 0), 1 - share, velocity), time);
}

// Whether two may have come into each other within the step, by how far their points go.
static bool go_far(const PhWorld *world, uint32_t a, uint32_t b, double dt) {
    const double *spin = world->state->angular_velocity;
    const PhHull *hull = world->continuous.hull;
    PhVec2 velocity = ph_sub(ph_slot_velocity(world, b), ph_slot_velocity(world, a));
    double speed = ph_length(velocity) + fabs(spin[a]) * world->body[a].extent +
                   fabs(spin[b]) * world->body[b].extent;
    return speed * dt > PH_STOP_LAYER * ph_min(hull[a].width, hull[b].width);
}

static void look_at_bodies(PhWorld *world, uint32_t a, uint32_t b, double dt) {
    if (!is_free(world, a) || !is_free(world, b) || !go_far(world, a, b, dt)) {
        return;
    }
    Couple couple = {world, a, b, {0, 0}, dt};
    couple.gap = ph_vec(world->center[b][0] - world->center[a][0],
                        world->center[b][1] - world->center[a][1]);
    if (world->wrapped) {
        couple.gap = ph_add(couple.gap, ph_image_shift(world, a, b));
    }
    double time = time_apart(&couple);
    if (time > 0 && are_alone(world, a, b)) {
        part(world, a, b, time);
    }
}

// Bodies that have had a fast impact with each other.
static void look_at_impacts(PhWorld *world, double dt) {
    const PhContacts *contacts = &world->contacts;
    uint32_t last_a = PH_NULL, last_b = PH_NULL;
    for (uint32_t c = 0; c < contacts->count; c++) {
        uint32_t k = contacts->pair[c], a = contacts->body_a[c], b = contacts->body_b[c];
        if (world->approach[k] > world->lengths.lane.fast_impact[0] && is_touching(world, k) &&
            (a != last_a || b != last_b) &&
            (contacts->manifold[k].restitution > 0 || !ph_layout_is_held(&world->layout, a))) {
            look_at_bodies(world, a, b, dt);
            last_a = a;
            last_b = b;
        }
    }
}

void ph_undo_missed_impacts(PhWorld *world, double dt) {
    if (world->def.continuous && world->def.solver == PH_SOFT_STEP && world->fast) {
        look_at_impacts(world, dt);
    }
}

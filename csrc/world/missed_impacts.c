// Owns impacts of two dynamic bodies that no contact has seen coming: the two have come into each
// other within the step. Contacts are those of the motion with which the step began. An impact may
// turn a body aside, into something else, before the step ends; and what turns by half a radian in
// a step may come with another corner than expected. In the next step the two would overlap so
// deeply that the normal of their contact tells nothing of where they met.
//
// They go back along their motion relative to their common centre, by the shortest time after which
// nothing of one is in the other any more. Their velocities and that centre stay, and so do
// momentum, angular momentum and energy; the next step finds the two where they meet.
//
// Examined are free bodies (which no joint holds) that move as no contact has predicted: those that
// a fast impact has turned aside, if it bounces well, and those that turn far and touch nothing.
// Each is held against all free bodies around it. Colliders with `pre_solve` are left to their
// contacts, and so is what a pair filter has not been asked about.
//
// Invariant: the poses and velocities at the end of the step and the impacts in it decide, and the
// order of slots; not the list of pairs, which depends on what was before.
//
// Source: E. Catto, "Continuous Collision" (2013), for letting a body lose the rest of its step.
#include "base/sort.h"
#include "narrow/collide.h"
#include "narrow/time_of_impact.h"
#include "world/continuous.h"

// Moments at which an earlier part of the motion is examined, and halvings of the time between two.
enum { MOMENTS = 16, HALVINGS = 10 };
// Who has gone back may have come into another one, so the search is repeated.
enum { ROUNDS = 4 };
// So deep one may be in another, of the width of the thinner piece.
#define LAYER 0.03125
#define BOUNCY 0.5f // restitution of what keeps a quarter of its energy
// Angle in a step, rad, from which on corners are not seen.
#define FAR_TURN 0.5
// Where two have been in each other all the time, they go back to where they were less so than this
// share of what they are now.
#define LESS 0.5
// Pieces of a body, and other bodies that one is held against in a round, of those around it: a
// couple of pieces takes some tenths of a microsecond at each moment. Bodies with more pieces are
// left to their contacts.
enum { MOST_PIECES = 32, MOST_PARTNERS = 32 };

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

// Whether two pieces are left to their contacts, because a hook has the say about them and may not
// have been asked: the two were not near each other. A pre-solve hook is asked about contacts only,
// so its colliders are left to them without one, too.
static bool is_for_hooks(const PhWorld *world, uint32_t p, uint32_t q) {
    return world->collider[world->proxies.collider[p]].def.pre_solve ||
           world->collider[world->proxies.collider[q]].def.pre_solve ||
           (world->pair_filter.call && ph_verdict_of(world, p, q) == PH_UNASKED);
}

// By how much more than it may a piece of one body is in one of the other, some time (s) before the
// end of the step.
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
    PhParts parts_a = ph_parts_of(world, a);
    for (uint32_t p; ph_next_part(world, &parts_a, &p);) {
        const PhPiece *piece = world->proxy_piece[p];
        PhAabb box = ph_piece_aabb(piece, ta);
        PhParts parts_b = ph_parts_of(world, b);
        for (uint32_t q; ph_overlaps(box, around_b) && ph_next_part(world, &parts_b, &q);) {
            const PhPiece *other = world->proxy_piece[q];
            if (ph_overlaps(box, ph_piece_aabb(other, tb)) && ph_may_meet(world, p, q) &&
                !is_for_hooks(world, p, q)) {
                double depth = depth_of_pieces(world, piece, ta, other, tb, allowed);
                deepest = ph_max(deepest, depth);
            }
        }
    }
    return deepest;
}

// The shortest time before the end of the step at which the two are apart, or that at which they
// are least in each other, if they never are. 0 where they are not in each other by more than they
// may, or as much all the time.
static double time_apart(const Couple *couple) {
    double depth = depth_before(couple, 0, LAYER);
    if (!(depth > couple->world->lengths.stop_distance)) {
        return 0;
    }
    double least = LESS * depth_before(couple, 0, 0), inside = 0, time = 0;
    for (int i = 1; i <= MOMENTS && least > 0; i++) {
        double moment = couple->dt * i / MOMENTS, found = depth_before(couple, moment, 0);
        if (found < least) {
            least = found;
            inside = couple->dt * (i - 1) / MOMENTS;
            time = moment;
        }
    }
    for (int i = 0; i < HALVINGS && least <= 0; i++) {
        double middle = 0.5 * (inside + time);
        *(depth_before(couple, middle, 0) > 0 ? &inside : &time) = middle;
    }
    return time;
}

static bool has_few_pieces(const PhWorld *world, uint32_t slot) {
    uint32_t count = 0;
    PhParts parts = ph_parts_of(world, slot);
    for (uint32_t p; count <= MOST_PIECES && ph_next_part(world, &parts, &p);) {
        count++;
    }
    return count <= MOST_PIECES;
}

// Whether a body moves, no joint holds it, and it has not too many pieces.
static bool is_free(const PhWorld *world, uint32_t slot) {
    return ph_is_dynamic(world, slot) && world->state->awake[slot] &&
           world->body[slot].first_joint == PH_NULL && world->body[slot].locks == 0 &&
           ph_is_placed(world, slot) &&
           (!world->continuous.several[slot] || has_few_pieces(world, slot));
}

// The pose of a body some time before, if it had moved with a velocity.
static PhPathPose pose_before(const PhWorld *world, uint32_t slot, PhVec2 velocity, double time) {
    const double *center = world->center[slot];
    PhVec2 then = ph_mul_add((PhVec2){center[0], center[1]}, -time, velocity);
    double angle = world->state->angle[slot] - time * world->state->angular_velocity[slot];
    return (PhPathPose){then, angle};
}

// The way of a body from where it is to some pose.
static PhPath way_to(const PhWorld *world, uint32_t slot, PhPathPose pose) {
    const double *center = world->center[slot];
    PhPathPose now = {{center[0], center[1]}, world->state->angle[slot]};
    return ph_path(world->body[slot].center_local, now, pose);
}

// Two go back in time, unless that would lead through a wall, or further than two that are in each
// other have to go: then they are too fast for the moment to be known. Their velocities stay.
static void part(PhWorld *world, uint32_t a, uint32_t b, double time) {
    const double *mass = world->state->mass;
    PhVec2 velocity = ph_sub(ph_slot_velocity(world, b), ph_slot_velocity(world, a));
    double share = mass[b] / (mass[a] + mass[b]); // of the velocity, that a has
    PhPathPose pose_a = pose_before(world, a, ph_scale(-share, velocity), time);
    PhPathPose pose_b = pose_before(world, b, ph_scale(1 - share, velocity), time);
    PhPath path_a = way_to(world, a, pose_a), path_b = way_to(world, b, pose_b);
    double far = 2 * (world->body[a].extent + world->body[b].extent);
    if (ph_length(velocity) * time < far && !ph_leads_through_walls(world, a, &path_a) &&
        !ph_leads_through_walls(world, b, &path_b)) {
        ph_place_at_end(world, a, &path_a, true);
        ph_place_at_end(world, b, &path_b, true);
    }
}

// Whether two may have come into each other within the step, by how far their points go.
static bool go_far(const PhWorld *world, uint32_t a, uint32_t b, double dt) {
    const double *spin = world->state->angular_velocity;
    const PhHull *hull = world->continuous.hull;
    PhVec2 velocity = ph_sub(ph_slot_velocity(world, b), ph_slot_velocity(world, a));
    double speed = ph_length(velocity) + fabs(spin[a]) * world->body[a].extent +
                   fabs(spin[b]) * world->body[b].extent;
    return speed * dt > LAYER * ph_min(hull[a].width, hull[b].width);
}

// The time for which two have been in each other at the end of the step; 0 where they are not, or
// not by more than they may.
static double time_inside(const PhWorld *world, uint32_t a, uint32_t b, double dt) {
    if (!go_far(world, a, b, dt)) {
        return 0;
    }
    Couple couple = {world, a, b, {0, 0}, dt};
    couple.gap = ph_vec(world->center[b][0] - world->center[a][0],
                        world->center[b][1] - world->center[a][1]);
    if (world->wrapped) {
        couple.gap = ph_add(couple.gap, ph_image_shift(world, a, b));
    }
    double reach = world->body[a].extent + world->body[b].extent;
    return ph_dot(couple.gap, couple.gap) < reach * reach ? time_apart(&couple) : 0;
}

// Whether all of a body is a circle about its centre, so that it does not matter how it turns.
static bool is_round(const PhWorld *world, uint32_t slot) {
    const PhHull *hull = &world->continuous.hull[slot];
    return hull->x == 0 && hull->y == 0 && hull->radius < INFINITY;
}

// Whether what a pair's contact gave may have turned a body so far aside that it has come into
// something else.
static bool turns_aside(PhWorld *world, uint32_t pair, uint32_t slot, double dt) {
    const PhContactRecord *record = ph_record_of_impulses(world, pair);
    double impulse = 0, reach = world->continuous.reach[slot];
    for (int i = 0; i < 2; i++) {
        impulse += fabs((double)record->total_normal[i]) + fabs((double)record->total_tangent[i]);
    }
    double response = (double)world->mass[slot][0];
    response += is_round(world, slot) ? 0 : (double)world->mass[slot][1] * reach * reach;
    return impulse * response * dt > LAYER * world->continuous.hull[slot].width;
}

// Whether a fast contact has bounced so well that energy is at stake.
static bool has_bounced(const PhWorld *world, uint32_t c) {
    uint32_t k = world->contacts.pair[c];
    return world->approach[k] > world->lengths.lane.fast_impact[0] &&
           world->contacts.manifold[k].restitution >= BOUNCY;
}

// Whether a body turns so far in a step, and is so far from round, that contacts may not have seen
// what comes.
static bool turns_far(const PhWorld *world, uint32_t slot, double dt) {
    double turn = fabs(world->state->angular_velocity[slot]) * dt;
    return turn > FAR_TURN && !is_round(world, slot) &&
           turn * world->continuous.reach[slot] > LAYER * world->continuous.hull[slot].width;
}

static bool is_lower(const void *a, const void *b, const void *context) {
    const PhUnpredicted *x = a, *y = b;
    (void)context;
    return x->slot < y->slot;
}

static bool is_longer_inside(const void *a, const void *b, const void *context) {
    const PhUnpredicted *x = a, *y = b;
    return x->time > y->time || (x->time == y->time && is_lower(a, b, context));
}

static void add_unpredicted(PhContinuous *c, uint32_t slot, uint32_t *count) {
    c->unpredicted[(*count)++] = (PhUnpredicted){.time = 0, .slot = slot, .partner = PH_NULL};
}

// Lists the bodies that may have moved as no contact has predicted, in the order of slots.
static uint32_t list_unpredicted(PhWorld *world, double dt) {
    const PhContacts *contacts = &world->contacts;
    PhContinuous *c = &world->continuous;
    uint32_t count = 0, unique = 0;
    for (uint32_t i = 0; world->fast && i < contacts->count; i++) {
        const uint32_t both[2] = {contacts->body_a[i], contacts->body_b[i]};
        bool bounced = has_bounced(world, i);
        for (int j = 0; bounced && j < 2; j++) {
            if (turns_aside(world, contacts->pair[i], both[j], dt) && is_free(world, both[j])) {
                add_unpredicted(c, both[j], &count);
            }
        }
    }
    if (c->any_turned_far) {
        ph_note_touched(world, true);
    }
    for (uint32_t k = 0; c->any_turned_far && k < world->dynamic_count; k++) {
        uint32_t slot = world->dynamic[k];
        const PhBody *body = &world->body[slot];
        if (turns_far(world, slot, dt) && body->turned_far == world->step_count + 1 &&
            !body->touched && is_free(world, slot)) {
            add_unpredicted(c, slot, &count);
        }
    }
    if (c->any_turned_far) {
        ph_note_touched(world, false);
    }
    ph_sort(c->unpredicted, count, sizeof *c->unpredicted, is_lower, NULL);
    for (uint32_t i = 0; i < count; i++) {
        if (unique == 0 || c->unpredicted[unique - 1].slot != c->unpredicted[i].slot) {
            c->unpredicted[unique++] = c->unpredicted[i];
        }
    }
    return unique;
}

// In a wrapped world, that of its image within the first period.
static PhAabb box_around(const PhWorld *world, uint32_t slot) {
    PhTransform pose = world->transform[slot];
    pose.p = ph_wrap_fold(&world->wrap, pose.p);
    return box_of_body(world, slot, pose);
}

// Holds a body against those that were not predicted and are around it. Most bodies have none of
// them near their circle.
static void look_around(PhWorld *world, uint32_t slot, double dt) {
    PhContinuous *c = &world->continuous;
    const PhBvh *boxes = &c->unpredicted_boxes;
    PhVec2 origin = ph_wrap_fold(&world->wrap, world->transform[slot].p);
    PhAabb around = ph_grow((PhAabb){origin, origin}, c->reach[slot]), own = {{0, 0}, {0, 0}};
    bool known = false;
    if (!world->wrapped && !ph_overlaps(around, boxes->node[0].box)) {
        return;
    }
    for (PhImages images = ph_images_of_path(world, around, boxes); ph_images_next(&images);) {
        PhAabb box = ph_box_at(&images, around);
        uint32_t i = ph_bvh_next(boxes, box, 0);
        for (; i < boxes->count; i = ph_bvh_next(boxes, box, i + 1)) {
            PhUnpredicted *body = &c->unpredicted[boxes->node[i].id];
            if (body->slot == slot || body->tried == MOST_PARTNERS) {
                continue;
            }
            if (!known && !is_free(world, slot)) {
                return;
            }
            own = known ? own : box_around(world, slot);
            known = true;
            if (!ph_overlaps(boxes->node[i].box, ph_box_at(&images, own))) {
                continue;
            }
            double time = time_inside(world, body->slot, slot, dt);
            body->tried++;
            if (time > body->time) {
                body->time = time;
                body->partner = slot;
            }
        }
    }
}

// Finds the partners of the bodies. Returns how many have one; these come first, the longest inside
// before all others.
static uint32_t find_partners(PhWorld *world, uint32_t count, double dt) {
    PhContinuous *c = &world->continuous;
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        c->unpredicted[i].time = 0;
        c->unpredicted[i].tried = 0;
        c->item[i] = (PhBvhItem){box_around(world, c->unpredicted[i].slot), i};
    }
    ph_build_paths(c, &c->unpredicted_boxes, count);
    for (uint32_t k = 0; k < world->dynamic_count; k++) {
        look_around(world, world->dynamic[k], dt);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (c->unpredicted[i].time > 0) {
            c->unpredicted[found++] = c->unpredicted[i];
        }
    }
    ph_sort(c->unpredicted, found, sizeof *c->unpredicted, is_longer_inside, NULL);
    return found;
}

void ph_undo_missed_impacts(PhWorld *world, double dt) {
    const PhContinuous *c = &world->continuous;
    uint32_t count = c->may_be_unpredicted ? list_unpredicted(world, dt) : 0;
    if (count > 0) {
        ph_continuous_build(world);
    }
    for (int round = 0; round < ROUNDS && count > 0; round++) {
        count = find_partners(world, count, dt);
        for (uint32_t i = 0; i < count; i++) {
            const PhUnpredicted *body = &c->unpredicted[i];
            double time = time_inside(world, body->slot, body->partner, dt);
            if (time > 0) { // nothing has moved them since
                part(world, body->slot, body->partner, time);
            }
        }
    }
}

PhStatus ph_missed_impacts_reserve(PhWorld *world, double dt) {
    PhContinuous *c = &world->continuous;
    const double *spin = world->state->angular_velocity;
    double most = 0;
    for (uint32_t k = 0; k < world->dynamic_count; k++) {
        most = ph_max(fabs(spin[world->dynamic[k]]), most);
    }
    c->any_turned_far = false;
    for (uint32_t k = 0; most * dt > FAR_TURN && k < world->dynamic_count; k++) {
        uint32_t slot = world->dynamic[k];
        if (turns_far(world, slot, dt)) { // whatever else is examined in this step
            world->body[slot].turned_far = world->step_count + 1;
            c->any_turned_far = true;
        }
    }
    c->may_be_unpredicted = (world->fast || c->any_turned_far) && world->def.continuous &&
                            world->def.solver == PH_SOFT_STEP;
    if (!c->may_be_unpredicted) {
        return PH_OK;
    }
    uint64_t bodies = world->dynamic_count;
    PhStatus status =
        ph_reserve_array(&c->unpredicted, &c->unpredicted_capacity,
                         bodies + 2 * (uint64_t)world->contacts.count, sizeof *c->unpredicted);
    status =
        status ? status : ph_reserve_array(&c->item, &c->item_capacity, bodies, sizeof *c->item);
    return status ? status
                  : ph_reserve_array(&c->unpredicted_boxes.node, &c->unpredicted_boxes.capacity,
                                     2 * bodies, sizeof *c->unpredicted_boxes.node);
}

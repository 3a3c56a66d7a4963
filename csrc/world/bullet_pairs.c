// Owns bullet pairs: what happens to fast bodies in a step with fast bullets.
//
// When all fast bodies have been moved among walls, bullets are tested against dynamic bodies on
// the paths known so far, the earliest impact first. Two fast bodies that meet, one of them a
// bullet, both stay where they met. A bullet that meets a slow body goes along with it.
//
// Invariant: the poses at the start and at the end of the step and the order of slots decide, not
// the order of the search.
//
// Sources: B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems" (1996), for times
// of impact one after the other.
#include "world/continuous.h"

enum { CHUNK_FAST_BODIES = 16, PORTION = 64 };
// Paths of a bullet and of another body that are compared in a step, for bullets and for slow
// bodies each, and so many more for each body; half a microsecond each. Hundreds of bullets can all
// cross each other's paths; beyond that they pass each other as if they were none. Walls stop all
// of them.
enum { MOST_IMPACTS = 1 << 17, IMPACTS_EACH = 32 };
// Boxes of paths of two fast bodies that are compared in a step, some ten nanoseconds each:
// thousands of fast bodies can each be asked for all others. Beyond that bullets pass each other,
// and meet what is slow.
enum { MOST_BOX_TESTS = 1 << 24, BOX_TESTS_EACH = 1024 };

bool ph_list_fast_bodies(PhWorld *world, uint32_t count) {
    PhContinuous *c = &world->continuous;
    bool bullets = false;
    c->fast_body_count = 0;
    for (uint32_t k = 0; k < count && !bullets; k++) {
        bullets = world->body[c->fast[k]].bullet && world->state->awake[c->fast[k]];
    }
    for (uint32_t k = 0; k < count && bullets; k++) {
        uint32_t slot = c->fast[k];
        if (world->state->awake[slot] && ph_is_placed(world, slot) &&
            c->fast_body_count < c->fast_body_capacity) {
            c->listed[slot] = PH_LISTED_BULLET_PAIR;
            c->fast_body[c->fast_body_count++] =
                (PhFastBody){.slot = slot, .bullet = world->body[slot].bullet};
        }
    }
    return bullets;
}

static void stop_chunk(void *context, uint32_t chunk) {
    PhWorld *world = context;
    PhContinuous *c = &world->continuous;
    uint32_t first = chunk * CHUNK_FAST_BODIES, left = c->fast_body_count - first;
    if (ph_step_stops(world)) {
        return;
    }
    for (uint32_t k = first; k < first + (left < CHUNK_FAST_BODIES ? left : CHUNK_FAST_BODIES);
         k++) {
        PhFastBody *fast_body = &c->fast_body[k];
        fast_body->path = ph_path_of(world, fast_body->slot);
        fast_body->stopped = ph_is_near_walls(world, fast_body->slot) &&
                             ph_stop_at_walls(world, fast_body->slot, &fast_body->path, true, 0,
                                              &fast_body->carried);
    }
}

static void measure_fast_body(const PhWorld *world, PhFastBody *fast_body) {
    PhParts parts = ph_parts_of(world, fast_body->slot);
    fast_body->box = (PhAabb){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (uint32_t p; ph_next_part(world, &parts, &p);) {
        fast_body->box =
            ph_union(fast_body->box,
                     ph_path_box(&fast_body->path, world->proxy_piece[p], 0, &world->lengths));
    }
}

static uint32_t fast_body_of(const PhContinuous *c, uint32_t slot) {
    uint32_t low = 0, high = c->fast_body_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(c->fast_body[middle].slot <= slot ? &low : &high) = middle;
    }
    return low;
}

// It is always the core of the same one that counts, whichever is fast: else what has been stopped
// by its core in one step would begin the next one inside.
double ph_parts_meet(const PhWorld *world, uint32_t p, const PhPath *path_p, uint32_t q,
                     const PhPath *path_q, double limit) {
    uint32_t a = world->proxies.body[p], b = world->proxies.body[q];
    bool bullet_a = world->body[a].bullet, bullet_b = world->body[b].bullet;
    const PhPiece *piece_p = world->proxy_piece[p], *piece_q = world->proxy_piece[q];
    return bullet_a > bullet_b || (bullet_a == bullet_b && a < b)
               ? ph_paths_meet(piece_p, path_p, piece_q, path_q, 0, limit, &world->lengths)
               : ph_paths_meet(piece_q, path_q, piece_p, path_p, 0, limit, &world->lengths);
}

// Bullets that meet a piece of a dynamic body, which is no fast body, before anything else.
static void meet_piece(PhWorld *world, uint32_t q, uint32_t slot) {
    PhContinuous *c = &world->continuous;
    bool moves = world->state->awake[slot] || c->listed[slot];
    PhAabb around = ph_box_of_path(world, q, slot);
    for (PhImages images = ph_images_of_path(world, around, &c->fast_bodies);
         ph_images_next(&images);) {
        PhAabb box = ph_box_at(&images, around);
        uint32_t i = ph_bvh_next(&c->fast_bodies, box, 0);
        for (; i < c->fast_bodies.count; i = ph_bvh_next(&c->fast_bodies, box, i + 1)) {
            uint32_t p = c->fast_bodies.node[i].id;
            if (!ph_may_meet(world, p, q) || c->impacts_left == 0) {
                continue;
            }
            c->impacts_left--;
            PhFastBody *fast_body = &c->fast_body[fast_body_of(c, world->proxies.body[p])];
            PhPath other = moves ? ph_path_of(world, slot) : ph_resting_path(world, slot);
            ph_path_move(&other, images.shift);
            double time =
                ph_parts_meet(world, p, &fast_body->path, q, &other, fast_body->body_time);
            if (time < fast_body->body_time ||
                (time < INFINITY && time == fast_body->body_time && q < fast_body->body_proxy)) {
                fast_body->body_time = time;
                fast_body->body = slot;
                fast_body->body_shift = images.shift;
                fast_body->body_proxy = q;
            }
        }
    }
}

// When each bullet first meets a dynamic body that is no fast body.
static void meet_bodies(PhWorld *world) {
    PhContinuous *c = &world->continuous;
    uint32_t count = 0;
    for (uint32_t k = 0; k < c->fast_body_count; k++) {
        c->fast_body[k].body_time = c->fast_body[k].partner_time = INFINITY;
        measure_fast_body(world, &c->fast_body[k]);
        if (c->fast_body[k].bullet) {
            count = ph_add_paths(world, c->fast_body[k].slot, &c->fast_body[k].path, count);
        }
    }
    ph_build_paths(c, &c->fast_bodies, count);
    for (uint32_t q = 0; q < world->proxies.count; q++) {
        uint32_t slot = world->proxies.body[q];
        if (!ph_is_dynamic_proxy(world, q) || c->listed[slot] == PH_LISTED_BULLET_PAIR ||
            !ph_is_placed(world, slot)) {
            continue;
        }
        if (q % PORTION == 0 && ph_step_stops(world)) {
            return;
        }
        meet_piece(world, q, slot);
    }
}

// When two fast bodies meet, if before a limit, and with which proxies; the second one as an image
// of itself.
static double impact_time(PhWorld *world, const PhFastBody *a, const PhFastBody *b, PhVec2 shift,
                          double limit, uint32_t with[2]) {
    double time = limit;
    PhPath path_b = b->path;
    ph_path_move(&path_b, shift);
    PhParts parts_a = ph_parts_of(world, a->slot);
    for (uint32_t p; ph_next_part(world, &parts_a, &p);) {
        PhAabb box = ph_path_box(&a->path, world->proxy_piece[p], 0, &world->lengths);
        PhParts parts_b = ph_parts_of(world, b->slot);
        for (uint32_t q; ph_next_part(world, &parts_b, &q);) {
            PhAabb other = ph_path_box(&path_b, world->proxy_piece[q], 0, &world->lengths);
            if (world->continuous.impacts_left == 0) {
                break;
            }
            world->continuous.impacts_left--;
            if (ph_overlaps(box, other) && ph_may_meet(world, p, q)) {
                double found = ph_parts_meet(world, p, &a->path, q, &path_b, time);
                if (found < time) {
                    time = found;
                    with[0] = p;
                    with[1] = q;
                }
            }
        }
    }
    return time < limit ? time : INFINITY;
}

static void test_partner(PhWorld *world, uint32_t k, uint32_t j) {
    PhFastBody *fast_body = &world->continuous.fast_body[k],
               *partner = &world->continuous.fast_body[j];
    bool lower = k < j; // the same question from either side
    const PhFastBody *a = lower ? fast_body : partner, *b = lower ? partner : fast_body;
    PhBvhNode alone = {a->box, 1, 0};
    const PhBvh bounds = {&alone, 1, 1};
    if (world->continuous.box_tests_left == 0) {
        return;
    }
    world->continuous.box_tests_left--;
    if (world->continuous.impacts_left == 0 || !(fast_body->bullet || partner->bullet) ||
        ph_goes_around(world, a->box) || (!world->wrapped && !ph_overlaps(a->box, b->box))) {
        return;
    }
    for (PhImages images = ph_images_of_path(world, b->box, &bounds); ph_images_next(&images);) {
        if (!ph_overlaps(a->box, ph_box_at(&images, b->box))) {
            continue;
        }
        uint32_t with[2] = {PH_NULL, PH_NULL};
        double time = impact_time(world, a, b, images.shift, fast_body->partner_time, with);
        if (time < fast_body->partner_time) {
            fast_body->partner_proxy = with[lower];
            fast_body->own_proxy = with[!lower];
            fast_body->partner_time = time;
            fast_body->partner = j;
            fast_body->partner_shift = lower ? images.shift : ph_neg(images.shift);
        }
    }
}

static void test_partners(PhWorld *world, uint32_t k) {
    PhFastBody *fast_body = &world->continuous.fast_body[k];
    fast_body->partner_time = INFINITY;
    for (uint32_t j = 0; j < world->continuous.fast_body_count && world->continuous.box_tests_left;
         j++) {
        if (j != k) {
            test_partner(world, k, j);
        }
    }
}

static double time_of(const PhFastBody *fast_body) {
    return fast_body->settled ? INFINITY : ph_min(fast_body->body_time, fast_body->partner_time);
}

static void settle(PhWorld *world, PhFastBody *fast_body, double time, PhPathPose end,
                   uint32_t proxy) {
    ph_path_turn_off(&fast_body->path, time, end);
    ph_report_stop(world, fast_body->slot, time, proxy);
    (void)ph_stop_at_walls(world, fast_body->slot, &fast_body->path, false, time,
                           &fast_body->carried);
    measure_fast_body(world, fast_body);
    fast_body->settled = fast_body->stopped = true;
}

// Ends the path of a fast body at its impact, and that of the fast body that it meets. Returns that
// one's number if its path has changed, else its own.
static uint32_t settle_impact(PhWorld *world, uint32_t k) {
    PhContinuous *c = &world->continuous;
    PhFastBody *fast_body = &c->fast_body[k];
    double time = time_of(fast_body);
    PhPathPose pose = ph_path_pose(&fast_body->path, time);
    if (fast_body->body_time <= fast_body->partner_time) {
        bool moves = world->state->awake[fast_body->body] || c->listed[fast_body->body];
        PhPath other =
            moves ? ph_path_of(world, fast_body->body) : ph_resting_path(world, fast_body->body);
        ph_path_move(&other, fast_body->body_shift);
        settle(world, fast_body, time, ph_path_carry(&other, time, pose), fast_body->body_proxy);
        return k;
    }
    PhFastBody *partner = &c->fast_body[fast_body->partner];
    uint32_t proxy = fast_body->partner_proxy;
    if (partner->settled) {
        PhPath other = partner->path;
        ph_path_move(&other, fast_body->partner_shift);
        settle(world, fast_body, time, ph_path_carry(&other, time, pose), proxy);
        return k;
    }
    settle(world, fast_body, time, pose, proxy);
    settle(world, partner, time, ph_path_pose(&partner->path, time), fast_body->own_proxy);
    return fast_body->partner;
}

void ph_stop_bullet_pairs(PhWorld *world) {
    PhContinuous *c = &world->continuous;
    ph_jobs_run(world->jobs, stop_chunk, world,
                (c->fast_body_count + CHUNK_FAST_BODIES - 1) / CHUNK_FAST_BODIES);
    uint64_t incidence = MOST_IMPACTS + (uint64_t)IMPACTS_EACH * world->body_count;
    c->impacts_left = incidence;
    meet_bodies(world);
    c->impacts_left = incidence;
    c->box_tests_left = MOST_BOX_TESTS + (uint64_t)BOX_TESTS_EACH * world->body_count;
    for (uint32_t k = 0; k < c->fast_body_count && !ph_step_stops(world); k++) {
        test_partners(world, k);
    }
    while (c->box_tests_left > 0 && !ph_step_stops(world)) {
        uint32_t first = 0;
        for (uint32_t k = 1; k < c->fast_body_count; k++) {
            first = time_of(&c->fast_body[k]) < time_of(&c->fast_body[first]) ? k : first;
        }
        if (!(time_of(&c->fast_body[first]) < INFINITY)) {
            break;
        }
        uint32_t also = settle_impact(world, first);
        for (uint32_t k = 0; k < c->fast_body_count; k++) {
            PhFastBody *fast_body = &c->fast_body[k];
            if (fast_body->settled) {
                continue;
            }
            if (fast_body->partner_time < INFINITY &&
                (fast_body->partner == first || fast_body->partner == also)) {
                test_partners(world, k);
            } else {
                test_partner(world, k, first);
                test_partner(world, k, also);
            }
        }
    }
    for (uint32_t k = 0; k < c->fast_body_count && c->box_tests_left == 0; k++) {
        c->fast_body[k].partner_time = INFINITY; // then the order does not matter
        if (time_of(&c->fast_body[k]) < INFINITY) {
            (void)settle_impact(world, k);
        }
    }
    for (uint32_t k = 0; k < c->fast_body_count; k++) {
        if (c->fast_body[k].stopped) {
            ph_place_at_end(world, c->fast_body[k].slot, &c->fast_body[k].path,
                            c->fast_body[k].carried);
            c->stopped++;
        }
    }
}

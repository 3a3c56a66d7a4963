// Owns what becomes of shots: fast bodies where there are fast bullets.
//
// When all have gone their ways through walls, bullets meet dynamic bodies on ways that are known
// so far, the earliest meeting first. Two fast bodies (shots) that meet, one of them a bullet, both
// stay where they met; a bullet that meets a slow body goes along with it.
//
// Invariant: poses at the start and at the end of the step and the order of slots decide, not who
// was looked at first.
//
// Sources: B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems" (1996), for times
// of impact one after the other.
#include "world/continuous.h"

enum { CHUNK_SHOTS = 16, PORTION = 64 };
// Ways of a bullet and of another body that are compared in a step, for bullets and for slow bodies
// each, and so many more for each body; half a microsecond each. Hundreds of bullets can all cross
// each other's ways; beyond that they pass each other as if they were none. Walls stop all of them.
enum { MOST_MEETINGS = 1 << 17, MEETINGS_EACH = 32 };
// Boxes of ways of two shots that are compared in a step, some ten nanoseconds each: thousands of
// shots can each be asked for all others. Beyond that bullets pass each other, and meet what is
// slow.
enum { MOST_LOOKS = 1 << 24, LOOKS_EACH = 1024 };

bool ph_list_shots(PhWorld *world, uint32_t count) {
    PhContinuous *c = &world->continuous;
    bool bullets = false;
    c->shot_count = 0;
    for (uint32_t k = 0; k < count && !bullets; k++) {
        bullets = world->body[c->fast[k]].bullet && world->state->awake[c->fast[k]];
    }
    for (uint32_t k = 0; k < count && bullets; k++) {
        uint32_t slot = c->fast[k];
        if (world->state->awake[slot] && ph_is_placed(world, slot) &&
            c->shot_count < c->shot_capacity) {
            c->listed[slot] = PH_LISTED_SHOT;
            c->shot[c->shot_count++] = (PhShot){.slot = slot, .bullet = world->body[slot].bullet};
        }
    }
    return bullets;
}

static void stop_chunk(void *context, uint32_t chunk) {
    PhWorld *world = context;
    PhContinuous *c = &world->continuous;
    uint32_t first = chunk * CHUNK_SHOTS, left = c->shot_count - first;
    if (ph_step_stops(world)) {
        return;
    }
    for (uint32_t k = first; k < first + (left < CHUNK_SHOTS ? left : CHUNK_SHOTS); k++) {
        PhShot *shot = &c->shot[k];
        shot->path = ph_way_of(world, shot->slot);
        shot->stopped = ph_is_near_walls(world, shot->slot) &&
                        ph_stop_at_walls(world, shot->slot, &shot->path, true, 0, &shot->carried);
    }
}

static void measure_shot(const PhWorld *world, PhShot *shot) {
    PhParts parts = ph_parts_of(world, shot->slot);
    shot->box = (PhAabb){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (uint32_t p; ph_next_part(world, &parts, &p);) {
        shot->box = ph_union(shot->box, ph_path_box(&shot->path, world->proxy_piece[p], 0));
    }
}

static uint32_t shot_of(const PhContinuous *c, uint32_t slot) {
    uint32_t low = 0, high = c->shot_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(c->shot[middle].slot <= slot ? &low : &high) = middle;
    }
    return low;
}

// It is always the core of the same one that counts, whoever is fast: else what has been stopped by
// its core in one step would begin the next one inside.
double ph_parts_meet(const PhWorld *world, uint32_t p, const PhPath *path_p, uint32_t q,
                     const PhPath *path_q, double limit) {
    uint32_t a = world->proxies.body[p], b = world->proxies.body[q];
    bool bullet_a = world->body[a].bullet, bullet_b = world->body[b].bullet;
    const PhPiece *piece_p = world->proxy_piece[p], *piece_q = world->proxy_piece[q];
    return bullet_a > bullet_b || (bullet_a == bullet_b && a < b)
               ? ph_paths_meet(piece_p, path_p, piece_q, path_q, 0, limit)
               : ph_paths_meet(piece_q, path_q, piece_p, path_p, 0, limit);
}

// Bullets that meet a piece of a dynamic body, which is no shot, before anything else.
static void meet_piece(PhWorld *world, uint32_t q, uint32_t slot) {
    PhContinuous *c = &world->continuous;
    bool moves = world->state->awake[slot] || c->listed[slot];
    PhAabb around = ph_box_of_way(world, q, slot);
    for (PhImages images = ph_images_of_way(world, around, &c->shots); ph_images_next(&images);) {
        PhAabb box = ph_box_at(&images, around);
        uint32_t i = ph_bvh_next(&c->shots, box, 0);
        for (; i < c->shots.count; i = ph_bvh_next(&c->shots, box, i + 1)) {
            uint32_t p = c->shots.node[i].id;
            if (!ph_may_meet(world, p, q) || c->meetings_left == 0) {
                continue;
            }
            c->meetings_left--;
            PhShot *shot = &c->shot[shot_of(c, world->proxies.body[p])];
            PhPath other = moves ? ph_way_of(world, slot) : ph_way_at_rest(world, slot);
            ph_path_move(&other, images.shift);
            double time = ph_parts_meet(world, p, &shot->path, q, &other, shot->body_time);
            if (time < shot->body_time ||
                (time < INFINITY && time == shot->body_time && q < shot->body_proxy)) {
                shot->body_time = time;
                shot->body = slot;
                shot->body_shift = images.shift;
                shot->body_proxy = q;
            }
        }
    }
}

// When each bullet first meets a dynamic body that is no shot.
static void meet_bodies(PhWorld *world) {
    PhContinuous *c = &world->continuous;
    uint32_t count = 0;
    for (uint32_t k = 0; k < c->shot_count; k++) {
        c->shot[k].body_time = c->shot[k].partner_time = INFINITY;
        measure_shot(world, &c->shot[k]);
        if (c->shot[k].bullet) {
            count = ph_add_ways(world, c->shot[k].slot, &c->shot[k].path, count);
        }
    }
    ph_build_ways(c, &c->shots, count);
    for (uint32_t q = 0; q < world->proxies.count; q++) {
        uint32_t slot = world->proxies.body[q];
        if (!ph_is_dynamic_proxy(world, q) || c->listed[slot] == PH_LISTED_SHOT ||
            !ph_is_placed(world, slot)) {
            continue;
        }
        if (q % PORTION == 0 && ph_step_stops(world)) {
            return;
        }
        meet_piece(world, q, slot);
    }
}

// When two shots meet, if before a limit, and with which proxies; the second one as an image of
// itself.
static double meeting_of(PhWorld *world, const PhShot *a, const PhShot *b, PhVec2 shift,
                         double limit, uint32_t with[2]) {
    double time = limit;
    PhPath path_b = b->path;
    ph_path_move(&path_b, shift);
    PhParts parts_a = ph_parts_of(world, a->slot);
    for (uint32_t p; ph_next_part(world, &parts_a, &p);) {
        PhAabb box = ph_path_box(&a->path, world->proxy_piece[p], 0);
        PhParts parts_b = ph_parts_of(world, b->slot);
        for (uint32_t q; ph_next_part(world, &parts_b, &q);) {
            PhAabb other = ph_path_box(&path_b, world->proxy_piece[q], 0);
            if (world->continuous.meetings_left == 0) {
                break;
            }
            world->continuous.meetings_left--;
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

static void look_at_partner(PhWorld *world, uint32_t k, uint32_t j) {
    PhShot *shot = &world->continuous.shot[k], *partner = &world->continuous.shot[j];
    bool lower = k < j; // the same question whoever asks
    const PhShot *a = lower ? shot : partner, *b = lower ? partner : shot;
    PhBvhNode alone = {a->box, 1, 0};
    const PhBvh bounds = {&alone, 1, 1};
    if (world->continuous.looks_left == 0) {
        return;
    }
    world->continuous.looks_left--;
    if (world->continuous.meetings_left == 0 || !(shot->bullet || partner->bullet) ||
        ph_goes_around(world, a->box) || (!world->wrapped && !ph_overlaps(a->box, b->box))) {
        return;
    }
    for (PhImages images = ph_images_of_way(world, b->box, &bounds); ph_images_next(&images);) {
        if (!ph_overlaps(a->box, ph_box_at(&images, b->box))) {
            continue;
        }
        uint32_t with[2] = {PH_NULL, PH_NULL};
        double time = meeting_of(world, a, b, images.shift, shot->partner_time, with);
        if (time < shot->partner_time) {
            shot->partner_proxy = with[lower];
            shot->own_proxy = with[!lower];
            shot->partner_time = time;
            shot->partner = j;
            shot->partner_shift = lower ? images.shift : ph_neg(images.shift);
        }
    }
}

static void look_at_partners(PhWorld *world, uint32_t k) {
    PhShot *shot = &world->continuous.shot[k];
    shot->partner_time = INFINITY;
    for (uint32_t j = 0; j < world->continuous.shot_count && world->continuous.looks_left; j++) {
        if (j != k) {
            look_at_partner(world, k, j);
        }
    }
}

static double time_of(const PhShot *shot) {
    return shot->settled ? INFINITY : ph_min(shot->body_time, shot->partner_time);
}

static void settle(PhWorld *world, PhShot *shot, double time, PhPathPose end, uint32_t proxy) {
    ph_path_turn_off(&shot->path, time, end);
    ph_report_stop(world, shot->slot, time, proxy);
    (void)ph_stop_at_walls(world, shot->slot, &shot->path, false, time, &shot->carried);
    measure_shot(world, shot);
    shot->settled = shot->stopped = true;
}

// Ends the way of a shot at its meeting, and that of the shot that it meets. Returns that one's
// number if its way has changed, else its own.
static uint32_t settle_meeting(PhWorld *world, uint32_t k) {
    PhContinuous *c = &world->continuous;
    PhShot *shot = &c->shot[k];
    double time = time_of(shot);
    PhPathPose pose = ph_path_pose(&shot->path, time);
    if (shot->body_time <= shot->partner_time) {
        bool moves = world->state->awake[shot->body] || c->listed[shot->body];
        PhPath other = moves ? ph_way_of(world, shot->body) : ph_way_at_rest(world, shot->body);
        ph_path_move(&other, shot->body_shift);
        settle(world, shot, time, ph_path_carry(&other, time, pose), shot->body_proxy);
        return k;
    }
    PhShot *partner = &c->shot[shot->partner];
    uint32_t proxy = shot->partner_proxy;
    if (partner->settled) {
        PhPath other = partner->path;
        ph_path_move(&other, shot->partner_shift);
        settle(world, shot, time, ph_path_carry(&other, time, pose), proxy);
        return k;
    }
    settle(world, shot, time, pose, proxy);
    settle(world, partner, time, ph_path_pose(&partner->path, time), shot->own_proxy);
    return shot->partner;
}

void ph_stop_shots(PhWorld *world) {
    PhContinuous *c = &world->continuous;
    ph_jobs_run(world->jobs, stop_chunk, world, (c->shot_count + CHUNK_SHOTS - 1) / CHUNK_SHOTS);
    uint64_t meetings = MOST_MEETINGS + (uint64_t)MEETINGS_EACH * world->body_count;
    c->meetings_left = meetings;
    meet_bodies(world);
    c->meetings_left = meetings;
    c->looks_left = MOST_LOOKS + (uint64_t)LOOKS_EACH * world->body_count;
    for (uint32_t k = 0; k < c->shot_count && !ph_step_stops(world); k++) {
        look_at_partners(world, k);
    }
    while (c->looks_left > 0 && !ph_step_stops(world)) {
        uint32_t first = 0;
        for (uint32_t k = 1; k < c->shot_count; k++) {
            first = time_of(&c->shot[k]) < time_of(&c->shot[first]) ? k : first;
        }
        if (!(time_of(&c->shot[first]) < INFINITY)) {
            break;
        }
        uint32_t also = settle_meeting(world, first);
        for (uint32_t k = 0; k < c->shot_count; k++) {
            PhShot *shot = &c->shot[k];
            if (shot->settled) {
                continue;
            }
            if (shot->partner_time < INFINITY &&
                (shot->partner == first || shot->partner == also)) {
                look_at_partners(world, k);
            } else {
                look_at_partner(world, k, first);
                look_at_partner(world, k, also);
            }
        }
    }
    for (uint32_t k = 0; k < c->shot_count && c->looks_left == 0; k++) {
        c->shot[k].partner_time = INFINITY; // then the order does not matter
        if (time_of(&c->shot[k]) < INFINITY) {
            (void)settle_meeting(world, k);
        }
    }
    for (uint32_t k = 0; k < c->shot_count; k++) {
        if (c->shot[k].stopped) {
            ph_place_at_end(world, c->shot[k].slot, &c->shot[k].path, c->shot[k].carried);
            c->stopped++;
        }
    }
}

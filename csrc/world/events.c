// Owns the events: contacts that begin, end or hit, bodies that fall asleep or wake, in the order
// of steps and pairs. Also which bodies have moved, which is found when it is asked for.
//
// Invariant: begins minus ends is the number of touching pairs. Room is reserved before a step
// changes anything.
#include <string.h>

#include "base/sort.h"

#include "world/internal.h"

enum { BATCH = 16 }; // changes whose members are prefetched together

PhStatus ph_event_room(PhEventList *list, uint64_t more, size_t size) {
    return ph_reserve_array(&list->rows, &list->capacity, list->count + more, size);
}

void ph_world_clear_events(PhWorld *world) {
    world->begin.count = world->end.count = world->hit.count = 0;
    world->sleep.count = world->wake.count = world->joint_break.count = 0;
    world->sensor_begin.count = world->sensor_end.count = 0;
    world->events_from = world->step_count;
}

PhEvents ph_world_events(const PhWorld *world) {
    return (PhEvents){
        .begin = world->begin.rows,
        .end = world->end.rows,
        .sensor_begin = world->sensor_begin.rows,
        .sensor_end = world->sensor_end.rows,
        .hit = world->hit.rows,
        .sleep = world->sleep.rows,
        .wake = world->wake.rows,
        .joint_break = world->joint_break.rows,
        .begin_count = world->begin.count,
        .end_count = world->end.count,
        .sensor_begin_count = world->sensor_begin.count,
        .sensor_end_count = world->sensor_end.count,
        .hit_count = world->hit.count,
        .sleep_count = world->sleep.count,
        .wake_count = world->wake.count,
        .joint_break_count = world->joint_break.count,
    };
}

PhStatus ph_events_reserve(PhWorld *world) {
    const PhPairList *pairs = &world->broad.pairs;
    uint64_t touching = world->lost.count + world->broad.ended_count;
    uint32_t may_end = 0, fresh = 0;
    for (uint32_t k = 0; k < pairs->count; k++) {
        uint32_t was = (pairs->flags[k] & PH_PAIR_TOUCHING) != 0;
        may_end += was;
        fresh += (world->next_active[k] == 1) & (was ^ 1);
    }
    touching += may_end;
    PhStatus status = ph_contact_ids_reserve(&world->contact_ids, fresh);
    status = status ? status : ph_event_room(&world->begin, fresh, sizeof(PhTouchEvent));
    status = status ? status : ph_event_room(&world->hit, fresh, sizeof(PhHitEvent));
    status = status ? status : ph_event_room(&world->end, touching, sizeof(PhTouchEvent));
    // A body may be put to sleep by a call, wake, and fall asleep again within the events of one
    // step.
    status = status ? status
                    : ph_event_room(&world->sleep, 2ull * world->slot_count, sizeof(PhBodyEvent));
    return status ? status : ph_event_room(&world->wake, world->slot_count, sizeof(PhBodyEvent));
}

PhContactEvent ph_pair_event(const PhWorld *world, uint32_t proxy_a, uint32_t proxy_b,
                             int64_t step) {
    const PhProxies *p = &world->proxies;
    uint32_t body_a = p->body[proxy_a], body_b = p->body[proxy_b];
    uint32_t collider_a = p->collider[proxy_a], collider_b = p->collider[proxy_b];
    return (PhContactEvent){
        .step = step,
        .body_a = (int32_t)body_a,
        .body_b = (int32_t)body_b,
        .collider_a = (int32_t)collider_a,
        .collider_b = (int32_t)collider_b,
        .body_id_a = ph_id_number(ph_body_id(world, body_a)),
        .body_id_b = ph_id_number(ph_body_id(world, body_b)),
        .collider_id_a = ph_id_number(ph_collider_id(world, collider_a)),
        .collider_id_b = ph_id_number(ph_collider_id(world, collider_b)),
    };
}

static const PhTouchEvent *begin_contact(PhWorld *world, uint32_t owner, uint32_t other) {
    const uint32_t *collider = world->proxies.collider;
    PhTouchEvent *event = &((PhTouchEvent *)world->begin.rows)[world->begin.count++];
    event->pair = ph_pair_event(world, owner, other, (int64_t)world->step_count);
    event->id = ph_contact_ids_begin(&world->contact_ids, collider[owner], collider[other]);
    world->touching_pairs++;
    return event;
}

static PhTouchEvent *add_end(PhWorld *world) {
    world->touching_pairs--;
    return &((PhTouchEvent *)world->end.rows)[world->end.count++];
}

static void end_contact(PhWorld *world, uint32_t owner, uint32_t other) {
    const uint32_t *collider = world->proxies.collider;
    PhTouchEvent *event = add_end(world);
    event->pair = ph_pair_event(world, owner, other, (int64_t)world->step_count);
    event->id = ph_contact_ids_end(&world->contact_ids, collider[owner], collider[other]);
}

// ------------------------------------------------------------------------------------------------
// pieces to colliders

// Users see colliders, but pairs are of pieces. The contact of two colliders begins with their
// first touching pair of pieces and ends with the last; a contact that moves from piece to piece
// does neither. The proxies of a collider are consecutive and the list is sorted, so all pairs of
// one owner collider are adjacent.

static uint32_t owner_of(const PhWorld *world, uint32_t k) {
    return world->proxies.collider[world->broad.pairs.owner[k]];
}
static uint32_t other_of(const PhWorld *world, uint32_t k) {
    return world->proxies.collider[world->broad.pairs.other[k]];
}

// Whether a proxy is the only one of its collider. It may also say false where it is.
static bool is_single(const PhProxies *proxies, uint32_t p) {
    return proxies->piece[p] == 0 &&
           (p + 1 == proxies->count || proxies->collider[p + 1] != proxies->collider[p]);
}

// Whether pair k is the only one of its two colliders.
static bool is_alone(const PhWorld *world, uint32_t k) {
    const PhPairList *pairs = &world->broad.pairs;
    return is_single(&world->proxies, pairs->owner[k]) &&
           is_single(&world->proxies, pairs->other[k]);
}

// The block of all pairs of the collider that owns pair k.
static PhRange block_of(const PhWorld *world, uint32_t k) {
    uint32_t owner = owner_of(world, k), count = world->broad.pairs.count;
    uint32_t first = k, last = k + 1;
    while (first > 0 && owner_of(world, first - 1) == owner) {
        first--;
    }
    while (last < count && owner_of(world, last) == owner) {
        last++;
    }
    return (PhRange){first, last - first};
}

// The first pair, from k on, that began or ended to touch; pairs.count if there is none.
static uint32_t next_change(const PhPairList *pairs, uint32_t k) {
    const uint64_t ones = 0x0101010101010101u;
    for (; k + 8 <= pairs->count; k += 8) {
        uint64_t flags;
        memcpy(&flags, pairs->flags + k, sizeof flags);
        // TOUCHED is the bit above TOUCHING.
        if ((flags ^ (flags >> 1)) & (ones * PH_PAIR_TOUCHING)) {
            break;
        }
    }
    for (; k < pairs->count; k++) {
        uint8_t own = pairs->flags[k] & (PH_PAIR_TOUCHING | PH_PAIR_TOUCHED);
        if (own != 0 && own != (PH_PAIR_TOUCHING | PH_PAIR_TOUCHED)) {
            break;
        }
    }
    return k;
}

// Speed at which the members of a pair came together; 0 if they touched before.
static double approach_of(const PhWorld *world, uint32_t k) {
    bool touched = world->broad.pairs.flags[k] & PH_PAIR_TOUCHED;
    return touched ? 0 : (double)world->approach[k];
}

// Begins the turn of the collider that owns the pairs of the block: what siblings have in common is
// found for all at once. Returns the mark of those that have been found.
static uint64_t begin_turn(PhWorld *world, PhRange block) {
    const uint8_t *flags = world->broad.pairs.flags;
    uint64_t mark = ++world->turns;
    for (uint32_t k = block.first; k < block.first + block.count; k++) {
        PhSiblings *s = &world->collider[other_of(world, k)].siblings;
        if (s->mark != mark) {
            *s = (PhSiblings){.mark = mark, .last = PH_NULL, .fastest = PH_NULL};
        }
        s->flags |= flags[k];
        if (flags[k] & (PH_PAIR_TOUCHING | PH_PAIR_TOUCHED)) {
            s->last = k;
        }
        if (flags[k] & PH_PAIR_TOUCHING &&
            (s->fastest == PH_NULL || approach_of(world, k) > approach_of(world, s->fastest))) {
            s->fastest = k;
        }
    }
    return mark;
}

// The impulses of all touching siblings of pair k.
static double sum_impulses(PhWorld *world, uint32_t k) {
    const PhPairList *pairs = &world->broad.pairs;
    const PhCollider *owner = &world->collider[owner_of(world, k)];
    const PhCollider *other = &world->collider[other_of(world, k)];
    uint32_t end = other->first_proxy + (uint32_t)other->shape->piece_count;
    double sum = 0;
    for (uint32_t i = 0; i < (uint32_t)owner->shape->piece_count; i++) {
        uint32_t p = owner->first_proxy + i;
        for (uint32_t j = ph_pairs_from(pairs, p, other->first_proxy);
             j < pairs->count && pairs->owner[j] == p && pairs->other[j] < end; j++) {
            if (pairs->flags[j] & PH_PAIR_TOUCHING) {
                const PhContactRecord *record = ph_record_of_impulses(world, j);
                sum += (double)record->total_normal[0] + (double)record->total_normal[1];
            }
        }
    }
    return sum;
}

// An impact in the step of dt that was just made.
typedef struct Approach {
    double speed; // of approach, m/s
    double since; // time until the end of the step, s
} Approach;

// When and how fast the members of pair k met. Their speed is that at the start of the step (half a
// substep earlier, see solve/free.c), plus what gravity adds on the remaining path.
static Approach find_approach(const PhWorld *world, uint32_t k, double dt) {
    const PhPairList *pairs = &world->broad.pairs;
    const PhSolverManifold *manifold = &world->contacts.manifold[k];
    PhVec2 n = {(double)manifold->nx, (double)manifold->ny};
    double speed = (double)world->approach[k], gap = INFINITY, falling = 0;
    for (int i = 0; i < 2; i++) {
        gap = ph_min(gap, (double)manifold->point[i].separation);
    }
    if (!(gap > 0 && gap < INFINITY)) {
        return (Approach){speed, gap < INFINITY ? dt : 0};
    }
    for (int i = 0; i < 2; i++) {
        uint32_t body = world->proxies.body[i ? pairs->other[k] : pairs->owner[k]];
        bool falls = world->state->kind[body] == PH_DYNAMIC;
        double scale = falls ? world->gravity_scale[body] : 0;
        falling += (i ? -scale : scale) * ph_dot(world->def.gravity, n);
    }
    bool soft = world->def.solver ==
                PH_SOFT_STEP; // the other solver changes velocities before it moves bodies
    speed += 0.5 * falling * dt / (soft ? world->def.substeps : 1);
    double square = speed * speed + 2 * falling * gap;
    if (!(speed > 0 && square > 0)) {
        return (Approach){(double)world->approach[k], 0};
    }
    double end = sqrt(square), time = 2 * gap / (speed + end);
    return (Approach){end, soft && time < dt ? dt - time : 0};
}

// The frame of a body `since` seconds ago, from its motion since then. place: of its centre.
static PhTransform frame_before(const PhWorld *world, uint32_t body, PhVec2 place, PhRot q,
                                double since) {
    PhVec2 v = {world->state->velocity[body][0], world->state->velocity[body][1]};
    PhRot turn = ph_rot(-since * world->state->angular_velocity[body]);
    q = (PhRot){turn.c * q.c - turn.s * q.s, turn.s * q.c + turn.c * q.s};
    place = ph_mul_add(place, -since, v);
    return (PhTransform){ph_sub(place, ph_rotate(q, world->body[body].center_local)), q};
}

// The point where the pieces of pair k were nearest when they met: a function of the poses after
// the step, from which both are moved back.
static PhVec2 find_hit_point(const PhWorld *world, uint32_t k, double since) {
    const PhPairList *pairs = &world->broad.pairs;
    uint32_t p = pairs->owner[k], q = pairs->other[k];
    uint32_t a = world->proxies.body[p], b = world->proxies.body[q];
    PhTransform ta, tb;
    PhManifold manifold;
    ph_pair_frames(world, a, b, &ta, &tb);
    PhVec2 gap = ph_add(tb.p, ph_rotate(tb.q, world->body[b].center_local));
    ta = frame_before(world, a, (PhVec2){0, 0}, ta.q, since);
    tb = frame_before(world, b, gap, tb.q, since);
    double reach = ph_length(ph_sub(tb.p, ta.p)) + world->proxy_piece[p]->extent +
                   world->proxy_piece[q]->extent;
    ph_collide(world->proxy_piece[p], ta, world->proxy_piece[q], tb, 2 * reach + world->lengths.one,
               &world->lengths, &manifold);
    PhVec2 center = {world->center[a][0], world->center[a][1]};
    const PhManifoldPoint *points = manifold.points;
    int deep = manifold.count == 2 && points[1].separation < points[0].separation;
    return manifold.count ? ph_add(center, points[deep].point) : center;
}

// fastest: of the pairs of two colliders, the one that met fastest.
static void hit_event(PhWorld *world, uint32_t fastest, const PhTouchEvent *begin, double dt) {
    const PhSolverManifold *manifold = &world->contacts.manifold[fastest];
    Approach approached = find_approach(world, fastest, dt);
    PhVec2 point = find_hit_point(world, fastest, approached.since);
    ((PhHitEvent *)world->hit.rows)[world->hit.count++] = (PhHitEvent){
        .pair = begin->pair,
        .id = begin->id,
        .point = {point.x, point.y},
        .normal = {(double)manifold->nx, (double)manifold->ny}, // the one that the solver used
        .speed = approached.speed,
        .impulse = sum_impulses(world, fastest),
    };
}

// Prefetches the data of an event of two proxies.
static void fetch_members(const PhWorld *world, uint32_t owner, uint32_t other) {
    for (int i = 0; i < 2; i++) {
        uint32_t p = i ? other : owner;
        __builtin_prefetch(&world->body[world->proxies.body[p]].generation);
        __builtin_prefetch(&world->collider[world->proxies.collider[p]].generation);
    }
}

// A pair without a change of its own reports nothing, whatever its siblings do. The first changed
// pair reports for all of them. block: of the collider whose turn it is.
static void tell_change(PhWorld *world, uint32_t k, double dt, PhRange *block) {
    const PhPairList *pairs = &world->broad.pairs;
    uint8_t all = pairs->flags[k];
    uint32_t fastest = k;
    if (!is_alone(world, k)) {
        if (k - block->first >= block->count) {
            *block = block_of(world, k);
            (void)begin_turn(world, *block);
        }
        PhSiblings *siblings = &world->collider[other_of(world, k)].siblings;
        if (siblings->told) {
            return;
        }
        siblings->told = true;
        all = siblings->flags;
        fastest = siblings->fastest;
    }
    bool is = all & PH_PAIR_TOUCHING, was = all & PH_PAIR_TOUCHED;
    if (is == was) {
        return;
    }
    if (was) {
        end_contact(world, pairs->owner[k], pairs->other[k]);
        return;
    }
    const PhTouchEvent *event = begin_contact(world, pairs->owner[k], pairs->other[k]);
    if (approach_of(world, fastest) > world->def.hit_event_threshold) {
        hit_event(world, fastest, event, dt);
    }
}

// Works batch by batch, so that the data of a whole batch is prefetched.
static void tell_changes(PhWorld *world, double dt) {
    const PhPairList *pairs = &world->broad.pairs;
    uint32_t batch[BATCH], count;
    PhRange block = {0, 0};
    for (uint32_t k = next_change(pairs, 0); k < pairs->count;) {
        for (count = 0; count < BATCH && k < pairs->count; k = next_change(pairs, k + 1)) {
            fetch_members(world, pairs->owner[k], pairs->other[k]);
            __builtin_prefetch(&world->contacts.manifold[k]);
            batch[count++] = k;
        }
        for (uint32_t i = 0; i < count; i++) {
            tell_change(world, batch[i], dt, &block);
        }
    }
}

// The block of the pairs that a collider owns.
static PhRange pairs_of(const PhWorld *world, const PhCollider *owner) {
    const PhPairList *pairs = &world->broad.pairs;
    uint32_t first = ph_pairs_from(pairs, owner->first_proxy, 0);
    uint32_t end =
        ph_pairs_from(pairs, owner->first_proxy + (uint32_t)owner->shape->piece_count, 0);
    return (PhRange){first, end - first};
}

// The collider whose turn it is, see begin_turn().
typedef struct Turn {
    uint32_t collider;
    uint64_t mark;
} Turn;

// Whether the contact of two colliders ends with a pair that has left the list: no other pair of
// theirs touches or touched before the step, and this one is the first to report. If another pair
// touched, it is marked, because the colliders did touch.
static bool is_end(PhWorld *world, PhEndedPair pair, Turn *turn) {
    uint32_t owner = world->proxies.collider[pair.owner];
    PhSiblings *siblings = &world->collider[world->proxies.collider[pair.other]].siblings;
    if (turn->collider != owner) {
        *turn = (Turn){owner, begin_turn(world, pairs_of(world, &world->collider[owner]))};
    }
    if (siblings->mark != turn->mark) {
        *siblings = (PhSiblings){.mark = turn->mark, .last = PH_NULL, .fastest = PH_NULL};
    }
    if (siblings->last != PH_NULL) {
        world->broad.pairs.flags[siblings->last] |= PH_PAIR_TOUCHED;
        return false;
    }
    bool first = !siblings->told;
    siblings->told = true;
    return first;
}

bool ph_is_lost_again(const PhWorld *world, uint32_t lost) {
    const PhTouchEvent *rows = world->lost.rows;
    const PhContactEvent *own = &rows[lost].pair;
    bool again = false;
    for (uint32_t j = lost;
         !again && j-- > 0 && rows[j].pair.collider_id_a == own->collider_id_a;) {
        again = rows[j].pair.collider_id_b == own->collider_id_b;
    }
    return again;
}

// Ends of pairs that are no longer in the list: pairs of removed colliders, and pairs that left
// their predicted AABBs while they touched. For the latter, a sibling pair that still touches (or
// begins to) keeps the contact of the colliders. Returns the number of ends after those of removed
// colliders.
static uint32_t end_lost_pairs(PhWorld *world) {
    const PhTouchEvent *lost = world->lost.rows;
    for (uint32_t i = 0; i < world->lost.count; i++) {
        if (!ph_is_lost_again(world, i)) {
            PhTouchEvent *event = add_end(world);
            *event = lost[i];
            event->pair.step = (int64_t)world->step_count;
        }
    }
    world->lost.count = 0;
    uint32_t removed = world->end.count;
    const PhEndedPair *ended = world->broad.ended;
    uint32_t count = world->broad.ended_count;
    Turn turn = {.collider = PH_NULL};
    for (uint32_t i = 0; i < count; i++) {
        PhEndedPair pair = ended[i];
        if (i + BATCH < count) {
            fetch_members(world, ended[i + BATCH].owner, ended[i + BATCH].other);
        }
        bool alone =
            is_single(&world->proxies, pair.owner) && is_single(&world->proxies, pair.other);
        if (alone || is_end(world, pair, &turn)) {
            end_contact(world, pair.owner, pair.other);
        }
    }
    world->broad.ended_count = 0;
    return removed;
}

static int compare_pairs(const void *a, const void *b) {
    const PhContactEvent *p = &((const PhTouchEvent *)a)->pair,
                         *q = &((const PhTouchEvent *)b)->pair;
    int by_a = (p->collider_a > q->collider_a) - (p->collider_a < q->collider_a);
    return by_a ? by_a : (p->collider_b > q->collider_b) - (p->collider_b < q->collider_b);
}

// Sorts the ends from `first` on in the order of their pairs. Otherwise the order would depend on
// predicted AABBs, and so on the past: they decide when a pair leaves the list.
static void sort_ends(PhWorld *world, uint32_t first) {
    PhTouchEvent *rows = world->end.rows;
    uint32_t k = first + 1;
    while (k < world->end.count && compare_pairs(&rows[k - 1], &rows[k]) <= 0) {
        k += 1;
    }
    if (k < world->end.count) {
        (void)ph_sort_rows(rows + first, world->end.count - first, sizeof *rows, compare_pairs,
                           NULL);
    }
}

void ph_events_of_contacts(PhWorld *world, double dt) {
    const PhPairList *pairs = &world->broad.pairs;
    uint8_t *flags = pairs->flags;
    for (uint32_t k = 0; (k = next_change(pairs, k)) < pairs->count; k++) {
        if (flags[k] & PH_PAIR_TOUCHING) {
            ph_start_age(world, k);
        }
    }
    uint32_t removed = end_lost_pairs(world);
    tell_changes(world, dt);
    sort_ends(world, removed);
    for (uint32_t k = 0, count = world->broad.pairs.count; k < count; k++) {
        flags[k] &= PH_PAIR_ACTIVE | PH_PAIR_TOUCHING;
    }
}

static PhBodyEvent body_event(const PhWorld *world, uint32_t slot, uint64_t step) {
    return (PhBodyEvent){.step = (int64_t)step,
                         .body = (int32_t)slot,
                         .body_id = ph_id_number(ph_body_id(world, slot))};
}

void ph_events_of_sleep(PhWorld *world, bool wakes) {
    if (!world->awake_changed) {
        return;
    }
    PhEventList *list = wakes ? &world->wake : &world->sleep;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        bool now = world->state->awake[i] && ph_is_dynamic(world, i);
        if (!world->state->alive[i] || now == world->last_awake[i] || now != wakes) {
            continue;
        }
        ((PhBodyEvent *)list->rows)[list->count++] = body_event(world, i, world->step_count);
        world->last_awake[i] = now;
    }
}

static bool moved_before(const void *a, const void *b, const void *context) {
    const PhBodyEvent *p = a, *q = b;
    (void)context;
    return p->step != q->step ? p->step < q->step : p->body < q->body;
}

uint32_t ph_world_body_moves(const PhWorld *world, PhBodyEvent *rows) {
    uint32_t count = 0;
    bool sorted = true;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        uint64_t shifted = world->shifted[i] & ~PH_SHIFT_TO_COME;
        if (!world->state->alive[i] || shifted <= world->events_from) {
            continue;
        }
        if (rows) {
            rows[count] = body_event(world, i, shifted - 1);
            sorted &= count == 0 || rows[count - 1].step <= rows[count].step;
        }
        count++;
    }
    if (!sorted) {
        ph_sort(rows, count, sizeof *rows, moved_before, NULL);
    }
    return count;
}

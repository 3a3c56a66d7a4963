// Owns what happened: beginnings, ends and hits of contacts, falling asleep and waking, in the order of steps and pairs.
//
// Invariant: begins less ends is the number of touching pairs. Room is reserved before a step changes anything.
#include <string.h>

#include "world/internal.h"

PhStatus ph_event_room(PhEventList *list, uint64_t more, size_t size) {
    return ph_reserve_array(&list->rows, &list->capacity, list->count + more, size);
}

void ph_events_free(PhWorld *world) {
    PhEventList *lists[] = {&world->begin, &world->end, &world->hit, &world->sleep, &world->wake, &world->lost};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        ph_free(lists[i]->rows);
        *lists[i] = (PhEventList){0};
    }
}

void ph_world_clear_events(PhWorld *world) {
    world->begin.count = world->end.count = world->hit.count = 0;
    world->sleep.count = world->wake.count = 0;
}

PhEvents ph_world_events(const PhWorld *world) {
    return (PhEvents){
        .begin = world->begin.rows,
        .end = world->end.rows,
        .hit = world->hit.rows,
        .sleep = world->sleep.rows,
        .wake = world->wake.rows,
        .begin_count = world->begin.count,
        .end_count = world->end.count,
        .hit_count = world->hit.count,
        .sleep_count = world->sleep.count,
        .wake_count = world->wake.count,
    };
}

PhStatus ph_events_reserve(PhWorld *world) {
    const PhPairList *pairs = &world->broad.pairs;
    uint64_t touching = world->lost.count + world->broad.ended_count;
    for (uint32_t k = 0; k < pairs->count; k++) {
        touching += (pairs->flags[k] & PH_PAIR_TOUCHING) != 0;
    }
    uint64_t fresh = 0;
    for (uint32_t c = 0; c < world->contacts.count; c++) {
        fresh += !(pairs->flags[world->contacts.pair[c]] & PH_PAIR_TOUCHING);
    }
    PhStatus status = ph_event_room(&world->begin, fresh, sizeof(PhContactEvent));
    status = status ? status : ph_event_room(&world->hit, fresh, sizeof(PhHitEvent));
    status = status ? status : ph_event_room(&world->end, touching, sizeof(PhContactEvent));
    // A body can be put to sleep by hand, wake and fall asleep within one step's events.
    status = status ? status : ph_event_room(&world->sleep, 2ull * world->slot_count, sizeof(PhBodyEvent));
    return status ? status : ph_event_room(&world->wake, world->slot_count, sizeof(PhBodyEvent));
}

static PhContactEvent contact_event(const PhWorld *world, uint32_t owner, uint32_t other) {
    const PhProxies *p = &world->proxies;
    return (PhContactEvent){(int64_t)world->step_count, (int32_t)p->body[owner], (int32_t)p->body[other],
                            (int32_t)p->collider[owner], (int32_t)p->collider[other]};
}

static void end_event(PhWorld *world, PhContactEvent event) {
    event.step = (int64_t)world->step_count;
    ((PhContactEvent *)world->end.rows)[world->end.count++] = event;
}

// Pairs that are out of range, or out of the list, touch no more.
static void end_lost_pairs(PhWorld *world) {
    for (uint32_t i = 0; i < world->lost.count; i++) {
        end_event(world, ((const PhContactEvent *)world->lost.rows)[i]);
    }
    world->lost.count = 0;
    for (uint32_t i = 0; i < world->broad.ended_count; i++) {
        const PhEndedPair *pair = &world->broad.ended[i];
        end_event(world, contact_event(world, pair->owner, pair->other));
    }
    world->broad.ended_count = 0;
}

static void hit_event(PhWorld *world, uint32_t c, const PhContactEvent *pair) {
    const PhManifoldRecord *manifold = &world->contacts.manifold[c];
    const PhContactRecord *record = &world->broad.pairs.record[world->contacts.pair[c]];
    int deep = manifold->point[1].valid > 0 &&
               (manifold->point[0].valid <= 0 ||
                manifold->point[1].separation < manifold->point[0].separation);
    const double *center = world->center[world->contacts.body_a[c]];
    ((PhHitEvent *)world->hit.rows)[world->hit.count++] = (PhHitEvent){
        .step = pair->step,
        .body_a = pair->body_a,
        .body_b = pair->body_b,
        .collider_a = pair->collider_a,
        .collider_b = pair->collider_b,
        .point = {center[0] + (double)manifold->point[deep].x, center[1] + (double)manifold->point[deep].y},
        .normal = {(double)manifold->nx, (double)manifold->ny},
        .speed = world->approach[c],
        .impulse = (double)record->total_normal[0] + (double)record->total_normal[1],
    };
}

static bool touches(const PhManifoldRecord *manifold, const PhContactRecord *record) {
    bool touching = false;
    for (int i = 0; i < 2; i++) {
        touching |= manifold->point[i].valid > 0 &&
                    (manifold->point[i].separation <= 0 || record->total_normal[i] > 0);
    }
    return touching;
}

void ph_events_of_contacts(PhWorld *world) {
    PhPairList *pairs = &world->broad.pairs;
    end_lost_pairs(world);
    for (uint32_t c = 0; c < world->contacts.count; c++) {
        uint32_t k = world->contacts.pair[c];
        PhContactRecord *record = &pairs->record[k];
        bool was = pairs->flags[k] & PH_PAIR_TOUCHING, is = touches(&world->contacts.manifold[c], record);
        if (is && !was) {
            PhContactEvent event = contact_event(world, pairs->owner[k], pairs->other[k]);
            ((PhContactEvent *)world->begin.rows)[world->begin.count++] = event;
            if (world->approach[c] > world->def.hit_event_threshold) {
                hit_event(world, c, &event);
            }
        } else if (was && !is) {
            end_event(world, contact_event(world, pairs->owner[k], pairs->other[k]));
        }
        record->age = !is ? 0 : was ? record->age + (record->age < UINT32_MAX) : 0;
        pairs->flags[k] = (uint8_t)(PH_PAIR_ACTIVE | (is ? PH_PAIR_TOUCHING : 0));
    }
}

void ph_events_of_sleep(PhWorld *world, bool wakes) {
    PhEventList *list = wakes ? &world->wake : &world->sleep;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        bool now = world->state->awake[i] && ph_is_dynamic(world, i);
        if (!world->state->alive[i] || now == world->last_awake[i] || now != wakes) {
            continue;
        }
        ((PhBodyEvent *)list->rows)[list->count++] = (PhBodyEvent){(int64_t)world->step_count, (int32_t)i};
        world->last_awake[i] = now;
    }
}

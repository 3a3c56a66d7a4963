// Makes bodies that are alike, many at once: their rows are copies of those of the first.
//
// Invariant: a body is as it would be had it been made by itself.
#include <string.h>

#include "geometry/build.h"
#include "world/internal.h"
#include "world/narrow_proxies.h"

// What a body owns, by number: each without a gap.
typedef struct Owned {
    uint32_t collider, colliders, proxy, proxies; // the first ones, and how many
} Owned;

static Owned owned_by(const PhWorld *world, uint32_t slot) {
    const PhBody *body = &world->body[slot];
    const PhCollider *last = &world->collider[body->last_collider];
    const uint32_t first = world->collider[body->first_collider].first_proxy;
    return (Owned){body->first_collider, body->collider_count, first,
                   last->first_proxy + (uint32_t)last->shape->piece_count - first};
}

bool ph_body_has_likes(const PhWorld *world, uint32_t like) {
    const PhBody *body = &world->body[like];
    bool even = body->collider_count > 0;
    uint32_t collider = body->first_collider,
             proxy = even ? world->collider[collider].first_proxy : 0;
    for (uint32_t c = collider; even && c != PH_NULL; c = world->collider[c].next) {
        even = c == collider++ && world->collider[c].first_proxy == proxy &&
               !world->collider[c].def.segments;
        proxy += (uint32_t)world->collider[c].shape->piece_count;
    }
    return even && world->state->kind[like] != PH_KINEMATIC && body->lock_joint == PH_NULL &&
           body->first_joint == PH_NULL && world->bears[like] == 0;
}

// The rows behind a period of rows are copies of them. (Not of those one period before: a load
// would wait for the store before it.)
#define REPEAT(array, first, period, count)                                                        \
    for (uint32_t n = (first); n < (first) + (period); n++) {                                      \
        for (uint32_t k = 1; k <= (count); k++) {                                                  \
            memcpy(&world->array[n + k * (period)], &world->array[n], sizeof *world->array);       \
        }                                                                                          \
    }
#define REPEAT_SLOT(array) REPEAT(array, like, 1, count)
#define REPEAT_PROXY(array) REPEAT(array, owned.proxy, owned.proxies, count)

static void copy_slots(PhWorld *world, uint32_t like, uint32_t count, Owned owned) {
    PhState *state = world->state;
    PH_SLOT_ROWS(REPEAT_SLOT)
    for (uint32_t k = 1; k <= count; k++) {
        PhBody *body = &world->body[like + k];
        *body = world->body[like];
        body->first_collider += k * owned.colliders;
        body->last_collider += k * owned.colliders;
        body->sleep_next = like + k;
    }
    for (uint32_t i = like + 1; i <= like + count; i++) {
        state->mass[i] = state->mass[like];
        state->inertia[i] = state->inertia[like];
        state->awake[i] = state->awake[like];
        state->alive[i] = 1;
        state->kind[i] = state->kind[like];
    }
    world->body_count += count;
}

static void copy_colliders(PhWorld *world, uint32_t like, uint32_t count, Owned owned) {
    for (uint32_t k = 1; k <= count; k++) {
        const uint32_t on = k * owned.colliders;
        for (uint32_t c = owned.collider; c < owned.collider + owned.colliders; c++) {
            const PhCollider *source = &world->collider[c];
            PhCollider *collider = &world->collider[c + on];
            *collider = *source;
            collider->body = like + k;
            collider->next += source->next == PH_NULL ? 0 : on;
            collider->previous += source->previous == PH_NULL ? 0 : on;
            collider->first_proxy += k * owned.proxies;
            collider->version = ++world->collider_version;
            ph_shape_retain(collider->shape);
        }
    }
    world->collider_count += count * owned.colliders;
}

static void copy_proxies(PhWorld *world, uint32_t like, uint32_t count, Owned owned) {
    PhProxies *p = &world->proxies;
    const uint32_t behind = owned.proxy + (1 + count) * owned.proxies;
    PH_PROXY_ROWS(REPEAT_PROXY)
    bool rings = false;
    for (uint32_t k = 1, i = owned.proxy + owned.proxies; k <= count; k++) {
        for (uint32_t n = 0; n < owned.proxies; n++, i++) {
            p->body[i] = like + k;
            p->collider[i] += k * owned.colliders;
            ph_proxy_forget_box(p, i);
            rings |= world->narrow_flags[i] & PH_NARROW_NEEDS_RING;
        }
    }
    world->ring_limit = rings && world->ring_limit < behind ? behind : world->ring_limit;
    world->live_proxies += count * owned.proxies;
}

void ph_bodies_like(PhWorld *world, uint32_t like, uint32_t count) {
    const Owned owned = owned_by(world, like);
    copy_slots(world, like, count, owned);
    copy_colliders(world, like, count, owned);
    copy_proxies(world, like, count, owned);
}

// The pair filter: a hook that decides which colliders may collide at all.
//
// What the broad phase finds, beyond what filters and joints rule out, goes through a sieve here.
// Pairs of colliders that the hook has not been asked about are shown to it, all at once and in
// their order, and its answers are kept in a hash table, so that it is asked once about two
// colliders however often pieces of theirs come and go. What it refuses never has a pair. Fast
// bodies ask ahead (predicted_contacts.c); what they meet although they did not ask about it
// stops them, and is asked about in the next step.
//
// When the table has to grow, pairs that are no longer near each other are left out of the larger
// one: so its size is bounded by what is near. An entry counts while both colliders have the
// version that it was made with; one that is added, or gets another filter or shape, has a new one.
//
// Invariant: asking changes nothing but the table, so a hook that fails fails the step, and a step
// that is undone for another reason leaves answers that are as good as before.
//
// Source: P. Terdiman, "A pair manager" (2007) for keeping what is known of pairs by hashing.
#include "base/memory.h"
#include "base/sort.h"
#include "world/changes.h"

enum { LEAST_ROOM = 1024 }; // a power of two

static uint32_t hash(uint32_t a, uint32_t b, uint32_t capacity) {
    uint64_t key = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(key >> 32) & (capacity - 1);
}

// Where the entry of two colliders is, or would be. The table has free slots.
static uint32_t place_of(const PhVerdict *slot, uint32_t capacity, uint32_t a, uint32_t b) {
    uint32_t i = hash(a, b, capacity);
    while (slot[i].answer && (slot[i].a != a || slot[i].b != b)) {
        i = (i + 1) & (capacity - 1);
    }
    return i;
}

static bool holds(const PhWorld *world, const PhVerdict *verdict) {
    return verdict->answer && verdict->b < world->collider_limit &&
           world->collider[verdict->a].version == verdict->version_a &&
           world->collider[verdict->b].version == verdict->version_b;
}

uint32_t ph_verdict_of(const PhWorld *world, uint32_t p, uint32_t q) {
    const PhVerdicts *table = &world->verdicts;
    uint32_t a = world->proxies.collider[p], b = world->proxies.collider[q];
    if (table->count == 0) {
        return PH_UNASKED;
    }
    const PhVerdict *verdict =
        &table->slot[place_of(table->slot, table->capacity, a < b ? a : b, a < b ? b : a)];
    return holds(world, verdict) ? verdict->answer : PH_UNASKED;
}

// Whether two boxes, or images of them, come within reach of each other.
static bool are_near(const PhWorld *world, PhAabb a, PhAabb b) {
    PhVec2 middle_a = ph_lerp(a.lower, a.upper, 0.5), middle_b = ph_lerp(b.lower, b.upper, 0.5);
    PhVec2 gap = ph_sub(middle_a, middle_b);
    if (world->wrapped && isfinite(gap.x + gap.y)) {
        PhVec2 shift = ph_wrap_shift(&world->wrap, gap);
        a = (PhAabb){ph_add(a.lower, shift), ph_add(a.upper, shift)};
    }
    return ph_overlaps(ph_grow(a, world->proxies.farthest_ahead), b);
}

// Of each collider, around what its pieces are predicted to be in.
static void find_boxes(const PhWorld *world, PhAabb *box) {
    const PhProxies *proxies = &world->proxies;
    for (uint32_t c = 0; c < world->collider_limit; c++) {
        box[c] = (PhAabb){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    }
    for (uint32_t p = 0; p < proxies->count; p++) {
        if (proxies->flags[p] & PH_PROXY_ALIVE) {
            uint32_t c = proxies->collider[p];
            box[c] = ph_union(box[c], proxies->predicted[p]);
        }
    }
}

// Room for so many more answers. On failure nothing has changed.
static PhStatus make_room(PhWorld *world, uint32_t more) {
    PhVerdicts *table = &world->verdicts;
    uint64_t kept = 0, most = 8 * ph_most_pairs(&world->proxies);
    if (2 * ((uint64_t)table->count + more) <= table->capacity) {
        return PH_OK;
    }
    PhAabb *box = ph_alloc(world->collider_limit, sizeof *box);
    uint8_t *stays = ph_alloc(table->capacity, 1);
    if (box && stays) {
        find_boxes(world, box);
        for (uint32_t i = 0; i < table->capacity; i++) {
            const PhVerdict *verdict = &table->slot[i];
            stays[i] = holds(world, verdict) && are_near(world, box[verdict->a], box[verdict->b]);
            kept += stays[i];
        }
    }
    uint64_t capacity = LEAST_ROOM;
    while (capacity < 4 * (kept + more)) {
        capacity *= 2;
    }
    bool fits = kept + more <= most && capacity <= UINT32_C(1) << 31;
    PhVerdict *slot = box && stays && fits ? ph_alloc(capacity, sizeof *slot) : NULL;
    for (uint32_t i = 0; slot && i < table->capacity; i++) {
        if (stays[i]) {
            const PhVerdict *verdict = &table->slot[i];
            slot[place_of(slot, (uint32_t)capacity, verdict->a, verdict->b)] = *verdict;
        }
    }
    ph_free(box);
    ph_free(stays);
    if (!slot) {
        return fits ? PH_ERROR_MEMORY : PH_ERROR_CAPACITY;
    }
    ph_free(table->slot);
    table->slot = slot;
    table->capacity = (uint32_t)capacity;
    table->count = (uint32_t)kept;
    return PH_OK;
}

static void enter(PhWorld *world, const PhFilterRow *row, bool allowed) {
    PhVerdicts *table = &world->verdicts;
    uint32_t a = (uint32_t)row->collider_a, b = (uint32_t)row->collider_b;
    PhVerdict *verdict = &table->slot[place_of(table->slot, table->capacity, a, b)];
    table->count += !verdict->answer; // else it is of a collider that has changed
    *verdict = (PhVerdict){a, b, allowed ? PH_ALLOWED : PH_REFUSED, world->collider[a].version,
                           world->collider[b].version};
}

// Asks about colliders, sorted, two to a key.
static PhStatus ask(PhWorld *world, const uint64_t *key, uint32_t count) {
    PhFilterRow *row = ph_alloc(count, sizeof *row);
    uint8_t *allowed = ph_alloc(count, 1);
    PhStatus status = row && allowed ? make_room(world, count) : PH_ERROR_MEMORY;
    for (uint32_t k = 0; k < count && !status; k++) {
        uint32_t a = (uint32_t)(key[k] >> 32), b = (uint32_t)key[k];
        row[k] = (PhFilterRow){(int32_t)world->collider[a].body, (int32_t)world->collider[b].body,
                               (int32_t)a, (int32_t)b};
    }
    const PhPairFilter *filter = &world->pair_filter;
    if (!status && !filter->call(filter->context, row, allowed, count)) {
        status = PH_ERROR_STOPPED;
    }
    for (uint32_t k = 0; k < count && !status; k++) {
        enter(world, &row[k], allowed[k] != 0);
    }
    ph_free(row);
    ph_free(allowed);
    return status;
}

PhStatus ph_ask_pairs(PhWorld *world, const PhRawPair *pairs, uint32_t count) {
    uint32_t unasked = 0, unique = 0;
    for (uint32_t k = 0; k < count; k++) {
        unasked += ph_verdict_of(world, pairs[k].owner, pairs[k].other) == PH_UNASKED;
    }
    if (unasked == 0) {
        return PH_OK;
    }
    uint64_t *key = ph_alloc(2 * (size_t)unasked, sizeof *key);
    if (!key) {
        return PH_ERROR_MEMORY;
    }
    unasked = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (ph_verdict_of(world, pairs[k].owner, pairs[k].other) == PH_UNASKED) {
            uint64_t a = world->proxies.collider[pairs[k].owner];
            uint64_t b = world->proxies.collider[pairs[k].other];
            key[unasked++] = a < b ? a << 32 | b : b << 32 | a;
        }
    }
    ph_sort_keys(key, unasked, world->collider_limit);
    for (uint32_t k = 0; k < unasked; k++) {
        if (unique == 0 || key[k] != key[unique - 1]) {
            key[unique++] = key[k];
        }
    }
    PhStatus status = ask(world, key, unique);
    ph_free(key);
    return status;
}

PhStatus ph_sift_pairs(void *context, PhRawPair *pairs, uint32_t *count) {
    PhWorld *world = context;
    PhStatus status = ph_ask_pairs(world, pairs, *count);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < *count && !status; k++) {
        pairs[kept] = pairs[k];
        kept += ph_verdict_of(world, pairs[k].owner, pairs[k].other) != PH_REFUSED;
    }
    *count = status ? *count : kept;
    return status;
}

void ph_world_set_pair_filter(PhWorld *world, PhPairFilter filter) {
    world->pair_filter = filter;
}

void ph_world_forget_pairs(PhWorld *world) {
    PhVerdicts *table = &world->verdicts;
    if (table->count > 0) {
        memset(table->slot, 0, table->capacity * sizeof *table->slot);
    }
    table->count = 0;
    ph_note_pairs(world);
}

void ph_world_refilter(PhWorld *world) {
    ph_world_forget_pairs(world);
    for (uint32_t slot = 0; slot < world->slot_count; slot++) {
        ph_wake(world, slot);
    }
}

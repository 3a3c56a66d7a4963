// Bounds the number of contacts of bodies in one place, which would be n^2. Beyond a limit per
// step, each piece keeps its deepest contacts. The pile comes apart as it would with all of them, a
// little more slowly: many others push a body along few directions, and a contact that is left out
// in one step gets its turn when others are less deep. A contact that is left out counts as apart
// in this step, like one that on_pre_solve switches off. world.counters["left_out"] counts them.
//
// Invariant: the result depends on the contacts of the step alone, not on how they were found. A
// piece keeps its deepest contact.
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "world/internal.h"

// Side by side bodies have six contacts, long ones and drums many with others that have few. A
// contact costs a step a microsecond.
enum { KEPT = 32, LEAST_CONTACTS = 1 << 15 };

// Numbers in the order of the depth, the deepest first.
static uint32_t rank_of(const PhSolverManifold *manifold) {
    const float a = manifold->point[0].separation, b = manifold->point[1].separation;
    const float least = a < b ? a : b;
    uint32_t bits;
    memcpy(&bits, &least, sizeof bits);
    return bits >> 31 ? ~bits : bits | 1u << 31;
}

PhStatus ph_leave_out_contacts(PhWorld *world, bool *differs) {
    const PhPairList *pairs = &world->broad.pairs;
    const PhProxies *p = &world->proxies;
    uint8_t *next = world->next_active;
    uint64_t most = LEAST_CONTACTS + (uint64_t)KEPT * p->moving_count;
    world->left_out = 0;
    if (pairs->count <= most) {
        return PH_OK;
    }
    uint32_t count = 0;
    for (uint32_t k = 0; k < pairs->count; k++) {
        count += next[k] == 1;
    }
    if (count <= most) {
        return PH_OK;
    }
    uint64_t *key = ph_alloc(2 * (uint64_t)count, sizeof *key);
    uint8_t *kept = ph_alloc(p->count, sizeof *kept);
    if (!key || !kept) {
        ph_free(key);
        ph_free(kept);
        return PH_ERROR_MEMORY;
    }
    uint32_t n = 0;
    for (uint32_t k = 0; k < pairs->count; k++) {
        if (next[k] == 1) {
            key[n++] = (uint64_t)rank_of(&world->contacts.manifold[k]) << 32 | k;
        }
    }
    ph_sort_keys(key, count, UINT32_MAX);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = (uint32_t)key[i];
        uint8_t *a = &kept[pairs->owner[k]], *b = &kept[pairs->other[k]];
        if (*a == KEPT && *b == KEPT) {
            next[k] = 0;
            world->left_out++;
            continue;
        }
        *a = (uint8_t)(*a + (*a < KEPT));
        *b = (uint8_t)(*b + (*b < KEPT));
    }
    ph_free(key);
    ph_free(kept);
    *differs = true; // from what the narrow phase has compared
    return PH_OK;
}

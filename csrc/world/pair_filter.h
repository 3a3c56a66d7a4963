// What is known of pairs of colliders by the pair filter: pair_filter.c.
#ifndef PH_WORLD_PAIR_FILTER_H
#define PH_WORLD_PAIR_FILTER_H

#include "broad/pairs.h"
#include "world/world.h"

// What the pair filter has said of two colliders, a < b.
enum { PH_UNASKED, PH_REFUSED, PH_ALLOWED };
typedef struct PhVerdict {
    uint32_t a, b, answer;
    uint64_t version_a, version_b;
} PhVerdict;
typedef struct PhVerdicts { // a hash table: pair_filter.c
    PhVerdict *slot;
    uint32_t capacity, count;
} PhVerdicts;

// Asks about those that have not been asked about: two proxies each, of different colliders.
PhStatus ph_ask_pairs(PhWorld *world, const PhRawPair *pairs, uint32_t count);
PhStatus ph_sift_pairs(void *world, PhRawPair *pairs, uint32_t *count); // a PhSieve
uint32_t ph_verdict_of(const PhWorld *world, uint32_t p, uint32_t q);   // of two proxies
// predicted_contacts.c: asks about what fast bodies may meet though it is far from where they are.
PhStatus ph_ask_ahead(PhWorld *world, double dt);

#endif

// Candidate pairs: from boxes to a sorted list that persists.
//
// A proxy is one piece of one collider. The list is sorted by (owner, other), so it is a function
// of the set of pairs alone: the broad phase, the cell size and history leave no trace. Each pair
// keeps a record of its contact (impulses), which a rebuild carries over by merging the old list
// with the new one.
#ifndef PH_BROAD_PAIRS_H
#define PH_BROAD_PAIRS_H

#include <stdint.h>

#include "base/status.h"
#include "broad/aabb_tree.h"
#include "math/vec2.h"

typedef enum PhBroadPhase { PH_BROAD_GRID, PH_BROAD_TREE, PH_BROAD_ALL_PAIRS } PhBroadPhase;

enum {
    PH_PROXY_ALIVE = 1,
    PH_PROXY_DYNAMIC = 2, // its body is dynamic (awake or not): may own pairs
    PH_PROXY_STATIC = 4,  // its body is static: lives in the tree of static boxes
    PH_PROXY_ENABLED = 8, // collides at all
};

// How far two proxies look ahead: by the way that their bodies go against each other in a step,
// give or take the slack of both, and by no more than either's limit. What moves together, as in a
// turning drum, looks no further than what rests.
typedef struct PhReach {
    double x, y; // way of the body in a step, metres
    double slack, limit;
} PhReach;

// One entry per proxy; arrays belong to the world. Index order is the canonical order.
typedef struct PhProxies {
    uint32_t count, capacity;
    PhAabb *box; // tight
    PhAabb *fat; // pairs are of fat boxes that overlap or are within reach of each other
    PhReach *reach;
    uint32_t *body; // slot
    uint32_t *collider;
    uint32_t *piece;
    uint8_t *flags; // PH_PROXY_*
    uint64_t *category, *mask;
    int32_t *group;
} PhProxies;

// Kept between steps while a pair stays in the list and is active. Float32: two points, ordered
// along the tangent.
typedef struct PhContactRecord {
    float nx, ny;
    float normal_impulse[2];
    float tangent_impulse[2]; // of the last substep, warm start of the next step
    float rolling_impulse;
    uint32_t age;          // steps since the pair began to touch
    float total_normal[2]; // N s of the whole last step
    float total_tangent[2];
} PhContactRecord; // 48 bytes

enum {
    PH_PAIR_ACTIVE = 1,   // within the margin in the last step: its record is valid
    PH_PAIR_TOUCHING = 2, // touched in the last step
    PH_PAIR_TOUCHED = 4,  // within a step: touched in the step before
};

typedef struct PhPairList {
    uint32_t count, capacity;
    uint32_t *owner, *other; // proxies; the owner is dynamic, and the lower one if both are
    uint32_t *start; // start[p] .. start[p + 1]: pairs owned by proxy p; proxy_count + 1 entries
    uint32_t start_capacity, proxy_count;
    uint8_t *flags; // PH_PAIR_*
    PhContactRecord *record;
} PhPairList;

typedef struct PhEndedPair { // a touching pair that left the list in a rebuild
    uint32_t owner, other;
} PhEndedPair;

typedef struct PhBroad {
    PhBroadPhase kind;
    bool avx2; // four lanes in one register; for speed alone
    PhPairList pairs;
    PhPairList spare;   // target of the next rebuild, swapped in when it is complete
    PhEndedPair *ended; // of the last rebuild, in order
    uint32_t ended_count, ended_capacity;
    struct PhBroadScratch *scratch; // of the backends: private to broad/ (backends.h)
} PhBroad;

PhStatus ph_broad_init(PhBroad *broad, PhBroadPhase kind);
void ph_broad_free(PhBroad *broad);
// Makes *to, which owns nothing, a broad phase with the same pairs and records. What the backends
// keep is built anew by the next rebuild, with the same pairs. Untouched on failure.
PhStatus ph_broad_copy(PhBroad *to, const PhBroad *from);

// Whether two proxies may have a contact at all: alive and enabled, different bodies, at least one
// dynamic, filters agree (equal non-zero groups: positive collides, negative never; else category
// against mask, both ways).
bool ph_proxies_collide(const PhProxies *proxies, uint32_t a, uint32_t b);

// Finds all pairs of fat boxes within reach that may collide and merges them into broad->pairs;
// records and flags of pairs that stay are kept, others start at zero. static_changed: a static
// proxy was added, removed or moved since the last call. Transactional: on failure the pair list is
// untouched. Ended touching pairs are listed in broad->ended. A fat box that is none (NaN, or lower
// > upper) has no pairs; infinite and huge ones are allowed.
PhStatus ph_broad_rebuild(PhBroad *broad, const PhProxies *proxies, bool static_changed);

#endif

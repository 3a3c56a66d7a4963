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
#include "math/wrap.h"

typedef enum PhBroadPhase { PH_BROAD_GRID, PH_BROAD_TREE, PH_BROAD_ALL_PAIRS } PhBroadPhase;

enum {
    PH_PROXY_ALIVE = 1,
    PH_PROXY_DYNAMIC = 2,   // its body is dynamic (awake or not): may own pairs
    PH_PROXY_STATIC = 4,    // its body is static: lives in the tree of static boxes
    PH_PROXY_ENABLED = 8,   // collides at all
    PH_PROXY_MOVES = 16,    // is in the list `moving`, or, not enabled, behind it
    PH_PROXY_ENLARGED = 32, // is in the list `enlarged`
    PH_PROXY_EVEN = 64,     // reaches to both sides alike, see PhSpan
    PH_PROXY_LONG = 128,    // its box holds much more than itself: has a slab while it moves
};

// How a predicted AABB goes on, and how far two proxies look ahead in a step: by their
// relative displacement, give or take the slack of both, and by no more than either's limit. What
// moves together, as in a turning drum, looks no further than what rests.
typedef struct PhReach {
    double x, y; // displacement of the predicted AABB in a step, metres
    double slack, limit;
} PhReach;

// What a piece and the slack of its box lie between in a step: low <= x at_x + y at_y <= high,
// where (x, y) has length 1.
typedef struct PhSlab {
    double x, y, low, high;
} PhSlab;

enum { PH_LEFT_FOREVER = 255 }; // of a predicted AABB that keeps still: its displacement is zero

// One entry per proxy; arrays belong to the world. Index order is the canonical order.
typedef struct PhProxies {
    double displacement_slack, farthest_ahead; // of the world's PhLengths
    uint32_t count, capacity;
    PhAabb *box;       // tight
    PhAabb *predicted; // pairs are of predicted AABBs that come within reach of each other
                       // (displacement_field.h)
    PhReach *reach;
    uint8_t *left;  // steps after this one for which its pairs are known, or PH_LEFT_FOREVER
    PhSlab *slab;   // of long ones
    bool slabs;     // those of all that moves are of this step: in short-horizon mode
    uint32_t *body; // slot
    uint32_t *collider;
    uint32_t *piece;
    uint8_t *flags; // PH_PROXY_*
    uint64_t *category, *mask;
    int32_t *group;
    uint32_t *moving;                   // proxies of bodies that move, in any order
    uint32_t moving_count, aloof_count; // the latter are not enabled, and stand behind the others
    uint32_t *enlarged; // those whose predicted AABB was made anew: their pairs are to be found, in
                        // any order
    uint32_t enlarged_count;
    uint32_t short_horizon_steps; // steps left of it, and one more (displacement_field.h)
    uint32_t restless;            // steps on end in which many were enlarged
} PhProxies;

// An empty box inside out: any true box leaves it at the next step.
static inline void ph_proxy_forget_box(PhProxies *proxies, uint32_t i) {
    proxies->reach[i] = (PhReach){0};
    proxies->slab[i] = (PhSlab){0};
    proxies->left[i] = 0;
    proxies->predicted[i] = proxies->box[i] =
        (PhAabb){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
}

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
    uint8_t *flags;          // PH_PAIR_*
    PhContactRecord *record;
} PhPairList;

typedef struct PhEndedPair { // a touching pair that left the list in a rebuild
    uint32_t owner, other;
} PhEndedPair;

typedef struct PhRawPair {
    uint32_t owner, other;
} PhRawPair;

// Has the last word on pairs that are near and may collide by their filters: keeps, in their order,
// those that may. What fails, fails the rebuild. NULL: all may.
typedef struct PhSieve {
    PhStatus (*call)(void *context, PhRawPair *pairs, uint32_t *count);
    void *context;
} PhSieve;

typedef struct PhBroad {
    PhBroadPhase kind;
    PhSieve sieve; // borrowed
    // Pairs of bodies that never have a pair, sorted: lower << 32 | higher. Borrowed.
    const uint64_t *apart;
    uint32_t apart_count;
    bool avx2;          // four lanes in one register; for speed alone
    const PhStop *stop; // asked during a search, which then fails with PH_ERROR_STOPPED
    PhWrap wrap;
    // Pairs with a member that moves, and pairs of resting members, which cost a step nothing.
    // After PH_REBUILD_ALL every pair is in the first list.
    PhPairList pairs, rest;
    PhPairList spare, rest_spare; // targets of the next rebuild, swapped in when they are complete
    PhPairList patch;             // scratch
    bool rest_rebuilt;            // by the last rebuild
    PhEndedPair *ended;           // of the last rebuild, in order
    uint32_t ended_count;
    struct PhBroadScratch *scratch; // of the backends: private to broad/ (backends.h)
} PhBroad;

PhStatus ph_broad_init(PhBroad *broad, PhBroadPhase kind);
void ph_broad_free(PhBroad *broad);
// Makes *to, which owns nothing, a broad phase with the same pairs and records. What the backends
// keep is built anew by the next rebuild, with the same pairs. Untouched on failure.
PhStatus ph_broad_copy(PhBroad *to, const PhBroad *from, const PhStop *stop);

// Which others a collider collides with.
typedef struct PhCollisionFilter {
    int32_t group;
    uint64_t category, mask;
} PhCollisionFilter;
// The rule: equal non-zero groups collide when positive and never when negative; else the category
// of each has to be in the mask of the other.
static inline bool ph_filters_agree(PhCollisionFilter a, PhCollisionFilter b) {
    if (a.group == b.group && a.group != 0) {
        return a.group > 0;
    }
    return (a.category & b.mask) && (b.category & a.mask);
}
static inline PhCollisionFilter ph_filter_of_proxy(const PhProxies *proxies, uint32_t proxy) {
    return (PhCollisionFilter){proxies->group[proxy], proxies->category[proxy],
                               proxies->mask[proxy]};
}

// Whether two proxies may have a contact at all: alive and enabled, different bodies, at least one
// dynamic, filters agree.
bool ph_proxies_collide(const PhProxies *proxies, uint32_t a, uint32_t b);
// Whether two bodies, by slot, are tied by a joint that has them not collide.
bool ph_broad_keeps_apart(const PhBroad *broad, uint64_t a, uint64_t b);

// Pairs that a world may have: half a million, and 96 for each proxy; a step examines each, for up
// to half a microsecond. That is far above what lies side by side (some ten), and is reached where
// 1,100 bodies lie in one place.
static inline uint64_t ph_most_pairs(const PhProxies *proxies) {
    return (1u << 19) + 96ull * proxies->count;
}

typedef enum PhRebuild {
    PH_REBUILD_NONE,
    PH_REBUILD_MOVED, // the enlarged proxies alone have other boxes or displacements than predicted
    PH_REBUILD_ROSTER, // and others move than at the last rebuild; what rests is as it was
    PH_REBUILD_ALL,    // anything may have changed
} PhRebuild;

// Finds the pairs of predicted AABBs that come within reach and may collide, where they are not
// known, and enters them in the lists; records and flags of pairs that stay are kept, others start
// at zero. static_changed: a static proxy was added, removed or moved since the last call.
// *changed: the lists are not what they were; only then are there ended touching pairs in
// broad->ended, and is there something to take back. Transactional: on failure, of memory or as
// PH_ERROR_CAPACITY because there would be more than ph_most_pairs, the pair lists are untouched. A
// predicted AABB that is none (NaN, or lower > upper) has no pairs; infinite and huge ones are
// allowed.
PhStatus ph_broad_rebuild(PhBroad *broad, const PhProxies *proxies, PhRebuild what,
                          bool static_changed, bool *changed);
// Takes the last rebuild back; once, and before records or flags were changed.
void ph_broad_undo(PhBroad *broad);

// First pair at or behind (owner, other).
uint32_t ph_pairs_from(const PhPairList *list, uint32_t owner, uint32_t other);

// Goes through both lists in the one canonical order. Begin with zeros.
typedef struct PhPairCursor {
    uint32_t moving, rest;
} PhPairCursor;
static inline uint64_t ph_pair_key(const PhPairList *list, uint32_t k) { // behind the end: the most
    return k < list->count ? (uint64_t)list->owner[k] << 32 | list->other[k] : UINT64_MAX;
}
static inline bool ph_next_pair(const PhBroad *broad, PhPairCursor *cursor, const PhPairList **list,
                                uint32_t *k) {
    uint64_t a = ph_pair_key(&broad->pairs, cursor->moving);
    uint64_t b = ph_pair_key(&broad->rest, cursor->rest);
    *list = a < b ? &broad->pairs : &broad->rest;
    *k = a < b ? cursor->moving++ : cursor->rest;
    cursor->rest += b < a;
    return a != b; // no pair is in both
}

#endif

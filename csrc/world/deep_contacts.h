// The contacts among which escapes.c searches: all contacts of two bodies, at least one of which
// has several pieces, that have a deep one.
#ifndef PH_WORLD_DEEP_CONTACTS_H
#define PH_WORLD_DEEP_CONTACTS_H

#include "world/internal.h"

typedef struct PhDeepContacts {
    uint32_t count, found; // of couples of bodies, and contacts of theirs
    uint64_t *key;         // their bodies, upwards
    uint32_t *first;       // of each: place of its first contact; and behind them all
    uint32_t *rank;        // of each contact of bodies of several pieces: its couple, or PH_NULL
    uint32_t *contact;     // by couples, upwards in each
} PhDeepContacts;

static inline float ph_depth_of(const PhSolverManifold *manifold) {
    float a = manifold->point[0].separation, b = manifold->point[1].separation;
    return -(a < b ? a : b);
}

// Deep: by more than the depth from which on friction fades (escape_slips). *out is empty at first,
// and is freed by ph_deep_contacts_free(), whatever is returned.
PhStatus ph_deep_contacts_list(PhWorld *world, PhDeepContacts *out);
void ph_deep_contacts_free(PhDeepContacts *deep);

#endif

// The contacts among which escapes.c searches: all contacts of two bodies, at least one of which
// has several pieces, that may be entangled. So are those that have a contact from which friction
// fades (escape_slips) and two at odds, or one that is stuck. Some others are listed, too.
#ifndef PH_WORLD_DEEP_CONTACTS_H
#define PH_WORLD_DEEP_CONTACTS_H

#include "world/internal.h"

typedef struct PhDeepContacts {
    uint32_t count, found; // of couples of bodies, and contacts of theirs
    uint32_t *listed;      // these contacts, upwards
    uint64_t *key;         // of each couple, upwards: its bodies
    uint32_t *first;       // of each couple: place of its first contact; and behind them all
    uint32_t *rank;        // of each listed contact: its couple
    uint32_t *contact;     // by couples, upwards in each
} PhDeepContacts;

static inline float ph_depth_of(const PhSolverManifold *manifold) {
    float a = manifold->point[0].separation, b = manifold->point[1].separation;
    return -(a < b ? a : b);
}

// Whether a contact of that depth may push the wrong way: it is deeper than escape_deep, and than a
// quarter of the thinner of its two pieces. A shallower one pushes back to where the pieces met.
bool ph_is_stuck(const PhWorld *world, uint32_t c, float depth);

// *out is empty at first, and is freed by ph_deep_contacts_free(), whatever is returned.
PhStatus ph_deep_contacts_list(PhWorld *world, PhDeepContacts *out);
void ph_deep_contacts_free(PhDeepContacts *deep);

#endif

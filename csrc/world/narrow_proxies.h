// Proxies as the narrow phase reads them: their pieces in lanes, and which are to be examined.
#ifndef PH_WORLD_NARROW_PROXIES_H
#define PH_WORLD_NARROW_PROXIES_H

#include "world/internal.h"

enum {                    // PhWorld.narrow_flags of a proxy; its PhLaneKind above
    PH_NARROW_STIRS = 1,  // its body moves or was moved: pairs with it are examined
    PH_NARROW_SLEEPS = 2, // its body may be woken
    PH_NARROW_NEEDS_RING = 4,
    PH_NARROW_PLAIN = 8, // its middle is the body's origin and its axes are the body's
    PH_NARROW_KIND_SHIFT = 4,
};

static inline PhLaneKind ph_lane_kind_of(uint8_t narrow_flags) {
    return (PhLaneKind)(narrow_flags >> PH_NARROW_KIND_SHIFT);
}

// Rings of the polygons that came since the last step.
PhStatus ph_proxies_make_rings(PhWorld *world);
// What is to be examined. Pieces of what moves, and of what did in the last step, are placed anew.
// While it is always the same that moves, nothing changes for the others.
void ph_proxies_flag(PhWorld *world);

#endif

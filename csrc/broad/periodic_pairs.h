// Pairs across the periodic boundaries of a wrapped plane.
#ifndef PH_BROAD_PERIODIC_PAIRS_H
#define PH_BROAD_PERIODIC_PAIRS_H

#include "broad/backends.h"

// Appends to scratch->raw the pairs that a backend has not found, because only other images than
// those where the proxies lie are near each other. Each once. Steps that are looked ahead must be
// few enough for none to go about a quarter of the plane.
PhStatus ph_periodic_search(PhBroadScratch *scratch, const PhProxies *proxies, const PhWrap *wrap,
                            PhSearch what);
void ph_periodic_free(PhPeriodic *periodic);

#endif

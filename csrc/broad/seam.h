// Pairs across the seams of a wrapped plane.
#ifndef PH_BROAD_SEAM_H
#define PH_BROAD_SEAM_H

#include "broad/backends.h"

// Appends to scratch->raw the pairs that a backend has not found, because only other images than
// those where the proxies lie are near each other. Each once. Steps that are looked ahead must be
// few enough for nobody to go about a quarter of the plane.
PhStatus ph_seam_search(PhBroadScratch *scratch, const PhProxies *proxies, const PhWrap *wrap,
                        PhSearch what);
void ph_seam_free(PhSeam *seam);

#endif

// Kernels of the narrow phase at width 4. SSE2 is part of x86-64; elsewhere this unit is empty.
#include "narrow/lane_kernels.h"

#if PH_HAVE_X86_KERNELS
#define PH_LANES 4
#define PH_MANIFOLDS ph_manifolds_sse2
#include "narrow/lane_source.h"
#endif

// Kernels of the narrow phase at width 4. NEON is part of AArch64; elsewhere this unit is empty.
#include "narrow/lane_kernels.h"

#if PH_HAVE_NEON_KERNELS
#define PH_LANES 4
#define PH_MANIFOLDS ph_manifolds_neon
#include "narrow/lane_source.h"
#endif

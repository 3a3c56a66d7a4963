// Kernels of soft_step at width 4. NEON is part of AArch64; elsewhere this unit is empty.
#include "solve/kernels.h"

#if PH_HAVE_NEON_KERNELS
#define PH_LANES 4
#define PH_KERNELS ph_kernels_neon
#define PH_KERNELS_NAME "neon"
#define PH_MANIFOLDS ph_manifolds_neon
#include "solve/kernels_source.h"
#endif

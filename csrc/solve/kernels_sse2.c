// Kernels of soft_step at width 4. SSE2 is part of x86-64; elsewhere this unit is empty.
#include "solve/kernels.h"

#if PH_HAVE_X86_KERNELS
#define PH_LANES 4
#define PH_KERNELS ph_kernels_sse2
#define PH_KERNELS_NAME "sse2"
#define PH_MANIFOLDS ph_manifolds_sse2
#include "solve/kernels_source.h"
#endif

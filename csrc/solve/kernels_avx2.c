// Kernels of soft_step at width 8, compiled for AVX2 (without FMA) whatever the flags of the build;
// simd.c calls them only where the processor has it. Elsewhere than on x86-64 this unit is empty.
#include "solve/kernels.h"

#if PH_HAVE_X86_KERNELS
#include "math/target_avx2.h"

#define PH_LANES 8
#define PH_KERNELS ph_kernels_avx2
#define PH_KERNELS_NAME "avx2"
#define PH_MANIFOLDS ph_manifolds_avx2
#include "solve/kernels_source.h"

#include "math/target_end.h"
#endif

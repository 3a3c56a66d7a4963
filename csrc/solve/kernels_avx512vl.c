// Kernels of soft_step at width 8 again, compiled for AVX-512VL (without FMA) whatever the flags of
// the build: twice the registers, so that a kernel keeps its values in them; no wider than AVX2,
// since a color has few wide contacts. simd.c calls them only where the processor and the system
// have it. Elsewhere than on x86-64 this unit is empty.
#include "solve/kernels.h"

#if PH_HAVE_X86_KERNELS
#include "math/target_avx512vl.h"

#define PH_LANES 8
#define PH_KERNELS ph_kernels_avx512vl
#define PH_KERNELS_NAME "avx512vl"
#define PH_MANIFOLDS ph_manifolds_avx512vl
#include "solve/kernels_source.h"

#include "math/target_end.h"
#endif

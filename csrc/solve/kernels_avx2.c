// Kernels of soft_step at width 8, compiled for AVX2 (without FMA) whatever the flags of the build;
// simd.c calls them only where the processor has it. Elsewhere than on x86-64 this unit is empty.
#include "solve/kernels.h"

#if PH_HAVE_X86_KERNELS
// System headers first: what they define must not get the target.
#include <immintrin.h>
#include <math.h>
#include <string.h>

#if defined(__clang__)
#pragma clang attribute biased(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#define PH_FOUR_AVX2 1
#define PH_LANES 8
#define PH_KERNELS ph_kernels_avx2
#define PH_KERNELS_NAME "avx2"
#define PH_MANIFOLDS ph_manifolds_avx2
#include "solve/kernels_source.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif

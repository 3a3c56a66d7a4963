// Kernels of the narrow phase at width 8 again, compiled for AVX-512VL (without FMA) whatever the
// flags of the build: twice the registers. Only used where the processor has it. Elsewhere than on
// x86-64 this unit is empty.
#include "narrow/lane_kernels.h"

#if defined(__x86_64__) && defined(__GNUC__)
// System headers first: what they define must not get the target.
#include <immintrin.h>
#include <math.h>
#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512vl,avx512bw,avx512dq"))),   \
                             apply_to = function)
#else
#pragma GCC target("avx2,avx512f,avx512vl,avx512bw,avx512dq,prefer-vector-width=256")
#endif

#define PH_LANES 8
#define PH_MANIFOLDS ph_manifolds_avx512vl
#include "narrow/lane_source.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif

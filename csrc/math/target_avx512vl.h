// Begins code for AVX-512VL (without FMA); math/target_end.h ends it. Not guarded: a unit includes
// it once.

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
#define PH_FOUR_AVX2 1

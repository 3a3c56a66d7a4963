// Begins code for AVX2 (without FMA); math/target_end.h ends it. Not guarded: a unit includes
// it once.

// System headers first: what they define must not get the target.
#include <immintrin.h>
#include <math.h>
#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#define PH_FOUR_AVX2 1

// Passes over articulations, four at a time, for AVX2 (without FMA), whatever the flags of the
// build. Elsewhere than on x86-64 this articulation is empty.
#include "solve/joint_solve.h"

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
#define PH_WIDE 4
#define PH_ARTICULATION_PASS ph_articulation_pass_avx2
#include "solve/articulations.h"

#include "solve/articulation_source.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif

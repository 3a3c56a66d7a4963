// Passes over units of joints one at a time, for AVX2 (without FMA), whatever the flags of the
// build: the same bits as joint_units_single.c with fewer moves between registers. Elsewhere than
// on x86-64 this unit is empty.
#include "solve/joint_solve.h"

#if PH_HAVE_X86_KERNELS
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
#define PH_WIDE 1
#define PH_UNIT_PASS ph_unit_pass_single_avx2
#include "solve/joint_units.h"

#include "solve/joint_unit_source.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif

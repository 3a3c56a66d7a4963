// The passes of passes.h for AVX2, whatever the flags of the build. Elsewhere than on x86-64 this
// unit is empty.
#include "world/passes.h"

#if PH_HAVE_X86_KERNELS
// System headers first: what they define must not get the target.
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#define PH_FOUR_AVX2 1
#include "broad/displacement_field.h"
#include "broad/distance_grid_lanes.h"
#include "math/four.h"

#define PH_PASSES ph_passes_avx2
#include "world/passes_source.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif

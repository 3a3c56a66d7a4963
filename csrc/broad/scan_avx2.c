// Which items of the grid are near a box, for AVX2, whatever the flags of the build. Elsewhere than
// on x86-64 this unit is empty.
#include "broad/backends.h"

#if defined(__x86_64__) && defined(__GNUC__)
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

#define PH_GRID_KERNELS ph_grid_avx2
#include "broad/scan_source.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif

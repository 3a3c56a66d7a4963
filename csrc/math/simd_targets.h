// The instruction sets that kernels are compiled for: one row each, the best last. A row has the
// name and whether this machine runs it; every one needs what those before it need.
//
// A unit for one of them opens with math/target_NAME.h, where there is one, and ends with
// math/target_end.h, so that code between is compiled for it whatever the flags of the build.
#ifndef PH_MATH_SIMD_TARGETS_H
#define PH_MATH_SIMD_TARGETS_H

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define PH_HAVE_X86_KERNELS 1
#else
#define PH_HAVE_X86_KERNELS 0
#endif
// In big-endian order lanes would not lie in memory as in a register.
#if defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__)) &&                           \
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PH_HAVE_NEON_KERNELS 1
#else
#define PH_HAVE_NEON_KERNELS 0
#endif
#if defined(__wasm_simd128__) // a module has it or not: there is no asking at run time
#define PH_HAVE_WASM_KERNELS 1
#else
#define PH_HAVE_WASM_KERNELS 0
#endif

#if PH_HAVE_X86_KERNELS
#include "math/processor.h"
#define PH_SIMD_TARGETS(TARGET)                                                                    \
    TARGET(scalar, true)                                                                           \
    TARGET(sse2, true)                                                                             \
    TARGET(avx2, ph_runs_avx2())                                                                   \
    TARGET(avx512vl, ph_runs_avx512vl())
#elif PH_HAVE_NEON_KERNELS
#define PH_SIMD_TARGETS(TARGET) TARGET(scalar, true) TARGET(neon, true)
#elif PH_HAVE_WASM_KERNELS
#define PH_SIMD_TARGETS(TARGET) TARGET(scalar, true) TARGET(simd128, true)
#else
#define PH_SIMD_TARGETS(TARGET) TARGET(scalar, true)
#endif

#endif

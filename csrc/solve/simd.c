// Choice of the lane kernels: by the processor, or by the environment variable PYPHYS2D_SIMD.
//
// Invariant: a table is handed out only if this processor can run it. Results do not depend on the
// choice.
#include <stdlib.h>
#include <string.h>

#include "solve/kernels.h"

// Every one needs what those before it need; the best is last.
static const PhKernels *const tables[] = {
    &ph_kernels_scalar,
#if PH_HAVE_X86_KERNELS
    &ph_kernels_sse2,
    &ph_kernels_avx2,
    &ph_kernels_avx512vl,
#elif PH_HAVE_NEON_KERNELS
    &ph_kernels_neon,
#elif PH_HAVE_WASM_KERNELS
    &ph_kernels_simd128,
#endif
};
enum { TABLES = sizeof tables / sizeof tables[0] };

// How many of them this machine can run.
static uint32_t count_tables(void) {
#if PH_HAVE_X86_KERNELS
    // The compiler's library also asks whether the system saves the registers.
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2")) {
        return 2;
    }
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl") ||
        !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512dq")) {
        return 3;
    }
#endif
    return TABLES;
}

const char *ph_simd_available(uint32_t k) {
    return k < count_tables() ? tables[k]->name : NULL;
}

const PhKernels *ph_simd_find(const char *name) {
    uint32_t count = count_tables();
    for (uint32_t k = 0; name && k < count; k++) {
        if (strcmp(name, tables[k]->name) == 0) {
            return tables[k];
        }
    }
    return NULL;
}

const PhKernels *ph_simd_default(const char **bad) {
    const char *wanted = getenv("PYPHYS2D_SIMD");
    if (bad) {
        *bad = NULL;
    }
    if (wanted && *wanted) {
        const PhKernels *kernels = ph_simd_find(wanted);
        if (kernels) {
            return kernels;
        }
        if (bad) {
            *bad = wanted;
        }
    }
    return tables[count_tables() - 1];
}

const char *ph_simd_name(const PhKernels *kernels) {
    return kernels->name;
}

const PhManifoldKernels *ph_simd_manifolds(const PhKernels *kernels) {
    return kernels->manifolds;
}

// Choice of the lane kernels: by the processor, or by the environment variable PYPHYS2D_SIMD.
//
// Invariant: a table is handed out only if this processor can run it. Results do not depend on the
// choice.
#include <stdlib.h>
#include <string.h>

#include "solve/kernels.h"

#if PH_HAVE_X86_KERNELS
static const char *const with_avx2[] = {"scalar", "sse2", "avx2", NULL};
static const char *const with_sse2[] = {"scalar", "sse2", NULL};
#else
static const char *const plain[] = {"scalar", NULL};
#endif

const char *const *ph_simd_available(void) {
#if PH_HAVE_X86_KERNELS
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") ? with_avx2 : with_sse2;
#else
    return plain;
#endif
}

const PhKernels *ph_simd_find(const char *name) {
    for (const char *const *have = ph_simd_available(); name && *have; have++) {
        if (strcmp(name, *have) != 0)
            continue;
#if PH_HAVE_X86_KERNELS
        if (strcmp(name, "avx2") == 0)
            return &ph_kernels_avx2;
        if (strcmp(name, "sse2") == 0)
            return &ph_kernels_sse2;
#endif
        return &ph_kernels_scalar;
    }
    return NULL;
}

const PhKernels *ph_simd_default(const char **bad) {
    const char *wanted = getenv("PYPHYS2D_SIMD");
    const char *const *have = ph_simd_available();
    if (bad)
        *bad = NULL;
    if (wanted && *wanted) {
        const PhKernels *kernels = ph_simd_find(wanted);
        if (kernels)
            return kernels;
        if (bad)
            *bad = wanted;
    }
    while (have[1])
        have++;
    return ph_simd_find(*have);
}

const char *ph_simd_name(const PhKernels *kernels) {
    return kernels->name;
}

const PhManifoldKernels *ph_simd_manifolds(const PhKernels *kernels) {
    return kernels->manifolds;
}

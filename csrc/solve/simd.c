// Choice of the lane kernels: by the processor, or by the environment variable PYPHYS2D_SIMD.
//
// Invariant: a table is handed out only if this processor can run it. Results do not depend on the
// choice.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "solve/kernels.h"

#define TABLE(target, runs) &ph_kernels_##target,
static const PhKernels *const tables[] = {PH_SIMD_TARGETS(TABLE)};
enum { TABLES = sizeof tables / sizeof tables[0] };

// How many of them this machine can run.
static uint32_t count_tables(void) {
#define RUNS(target, runs) (runs),
    const bool can[TABLES] = {PH_SIMD_TARGETS(RUNS)};
    uint32_t count = 1;
    while (count < TABLES && can[count]) {
        count++;
    }
    return count;
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

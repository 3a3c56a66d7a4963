// The passes of passes.h for any processor.
#include "world/passes.h"

#include "math/four.h"

#define PH_PASSES ph_passes_plain
#include "world/passes_source.h"

const PhPasses *ph_passes(const PhKernels *kernels) {
#if PH_HAVE_X86_KERNELS
    if (kernels == &ph_kernels_avx2) {
        return &ph_passes_avx2;
    }
#endif
    (void)kernels;
    return &ph_passes_plain;
}

// Kernels of the narrow phase at width 8, compiled for AVX2 (without FMA) whatever the flags of the
// build; they are only used where the processor has it. Elsewhere than on x86-64 this unit is
// empty.
#include "narrow/lane_kernels.h"

#if PH_HAVE_X86_KERNELS
#include "math/target_avx2.h"

#define PH_LANES 8
#define PH_MANIFOLDS ph_manifolds_avx2
#include "narrow/lane_source.h"

#include "math/target_end.h"
#endif

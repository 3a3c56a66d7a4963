// Kernels of the narrow phase at width 8 again, compiled for AVX-512VL (without FMA) whatever the
// flags of the build: twice the registers. Only used where the processor has it. Elsewhere than on
// x86-64 this unit is empty.
#include "narrow/lane_kernels.h"

#if PH_HAVE_X86_KERNELS
#include "math/target_avx512vl.h"

#define PH_LANES 8
#define PH_MANIFOLDS ph_manifolds_avx512vl
#include "narrow/lane_source.h"

#include "math/target_end.h"
#endif

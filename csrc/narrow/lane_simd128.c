// Kernels of the narrow phase at width 4, of WebAssembly with -msimd128; elsewhere this unit is
// empty.
#include "narrow/lane_kernels.h"

#if PH_HAVE_WASM_KERNELS
#define PH_LANES 4
#define PH_MANIFOLDS ph_manifolds_simd128
#include "narrow/lane_source.h"
#endif

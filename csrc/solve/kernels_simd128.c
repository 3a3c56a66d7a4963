// Kernels of soft_step at width 4, of WebAssembly with -msimd128; elsewhere this unit is empty.
#include "solve/kernels.h"

#if PH_HAVE_WASM_KERNELS
#define PH_LANES 4
#define PH_KERNELS ph_kernels_simd128
#define PH_KERNELS_NAME "simd128"
#define PH_MANIFOLDS ph_manifolds_simd128
#include "solve/kernels_source.h"
#endif

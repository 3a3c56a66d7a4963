// Kernels of soft_step at width 1: kernels_source.h in plain C, on every machine.
#include "solve/kernels.h"

#define PH_LANES 1
#define PH_KERNELS ph_kernels_scalar
#define PH_KERNELS_NAME "scalar"
#define PH_MANIFOLDS ph_manifolds_scalar
#include "solve/kernels_source.h"

// Kernels of the narrow phase at width 1: lane_source.h in plain C, on every machine.
#include "narrow/lane_kernels.h"

#define PH_LANES 1
#define PH_MANIFOLDS ph_manifolds_scalar
#include "narrow/lane_source.h"

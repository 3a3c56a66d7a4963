// The passes of passes.h for AVX2, whatever the flags of the build. Elsewhere than on x86-64 this
// unit is empty.
#include "world/passes.h"

#if PH_HAVE_X86_KERNELS
#include "math/target_avx2.h"

#include "broad/displacement_field.h"
#include "broad/distance_grid_lanes.h"
#include "math/four.h"

#define PH_PASSES ph_passes_avx2
#include "world/passes_source.h"

#include "math/target_end.h"
#endif

// Which items of the grid are near a box, for AVX2, whatever the flags of the build. Elsewhere than
// on x86-64 this unit is empty.
#include "broad/backends.h"

#if PH_HAVE_X86_KERNELS
#include "math/target_avx2.h"

#include "broad/displacement_field.h"
#include "broad/distance_grid_lanes.h"
#include "math/four.h"

#define PH_GRID_KERNELS ph_grid_avx2
#include "broad/scan_source.h"

#include "math/target_end.h"
#endif

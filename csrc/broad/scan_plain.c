// Which items of the grid are near a box, for any processor.
#include "broad/backends.h"
#include "broad/displacement_field.h"
#include "broad/distance_grid_lanes.h"
#include "math/four.h"

#define PH_GRID_KERNELS ph_grid_plain
#include "broad/scan_source.h"

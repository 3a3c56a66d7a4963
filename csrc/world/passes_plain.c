// The passes of passes.h for any processor.
#include "world/passes.h"

#include "broad/displacement_field.h"
#include "broad/distance_grid_lanes.h"
#include "math/four.h"

#define PH_PASSES ph_passes_plain
#include "world/passes_source.h"

// The passes of passes.h for any processor.
#include "world/passes.h"

#include "broad/chart_lanes.h"
#include "broad/ways.h"
#include "math/four.h"

#define PH_PASSES ph_passes_plain
#include "world/passes_source.h"

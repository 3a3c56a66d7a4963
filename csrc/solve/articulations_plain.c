// Passes over articulations, four at a time, for any machine.
#include "solve/articulations.h"

#define PH_WIDE 4
#define PH_ARTICULATION_PASS ph_articulation_pass_plain
#include "solve/articulation_source.h"

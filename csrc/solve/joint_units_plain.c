// Passes over units of joints, four at a time, for any machine.
#include "solve/joint_units.h"

#define PH_WIDE 4
#define PH_UNIT_PASS ph_unit_pass_plain
#include "solve/joint_unit_source.h"

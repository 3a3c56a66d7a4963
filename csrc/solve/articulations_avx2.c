// Passes over articulations, four at a time, for AVX2 (without FMA), whatever the flags of the
// build. Elsewhere than on x86-64 this unit is empty.
#include "solve/joint_solve.h"

#if PH_HAVE_X86_KERNELS
#include "math/target_avx2.h"

#define PH_WIDE 4
#define PH_ARTICULATION_PASS ph_articulation_pass_avx2
#include "solve/articulations.h"

#include "solve/articulation_source.h"

#include "math/target_end.h"
#endif

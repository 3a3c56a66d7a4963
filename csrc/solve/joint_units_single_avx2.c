// Passes over articulations one at a time, for AVX2 (without FMA), whatever the flags of the build:
// the same bits as articulations_single.c with fewer moves between registers. Elsewhere than on
// x86-64 this unit is empty.
#include "solve/joint_solve.h"

#if PH_HAVE_X86_KERNELS
#include "math/target_avx2.h"

#define PH_WIDE 1
#define PH_ARTICULATION_PASS ph_articulation_pass_single_avx2
#include "solve/articulations.h"

#include "solve/articulation_source.h"

#include "math/target_end.h"
#endif

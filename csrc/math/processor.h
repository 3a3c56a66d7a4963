// What this x86-64 processor can run, and the system with it: a system that does not save the wide
// registers when it changes threads makes their instructions unusable.
//
// Asked of the processor itself, because not every compiler's library answers
// __builtin_cpu_supports (zig's says no to all).
#ifndef PH_MATH_PROCESSOR_H
#define PH_MATH_PROCESSOR_H

#include <stdbool.h>

bool ph_runs_avx2(void);
// AVX-512 F, BW, DQ and VL.
bool ph_runs_avx512vl(void);

#endif

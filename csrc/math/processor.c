// Owns nothing: asks the processor by CPUID and XGETBV. Numbers of leaves and bits are those of the
// "Intel 64 and IA-32 Architectures Software Developer's Manual", volume 1, chapters 14 and 15.
#include "math/processor.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <stdint.h>

enum {
    SAVES_SSE_AVX = 0x6,     // XCR0: registers xmm and ymm
    SAVES_AVX512 = 0xe0,     // masks, upper halves of zmm, zmm 16 to 31
    XSAVE_AND_AVX = 3 << 27, // leaf 1, ecx: OSXSAVE, AVX
    AVX2 = 1 << 5,           // leaf 7, ebx
};
static const uint32_t AVX512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31; // F, DQ, BW, VL

// Whether leaf 7 has all these bits, and the system saves these registers.
static bool has(uint32_t bits, uint32_t registers) {
    uint32_t eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & XSAVE_AND_AVX) != XSAVE_AND_AVX) {
        return false;
    }
    uint32_t saved, upper; // asked for only where OSXSAVE says that there is such an instruction
    __asm__ volatile("xgetbv" : "=a"(saved), "=d"(upper) : "c"(0));
    return (saved & registers) == registers && __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) &&
           (ebx & bits) == bits;
}

bool ph_runs_avx2(void) {
    return has(AVX2, SAVES_SSE_AVX);
}

bool ph_runs_avx512vl(void) {
    return has(AVX2 | AVX512, SAVES_SSE_AVX | SAVES_AVX512);
}

#endif

// Owns nothing: reads the system's monotonic clock.
#include "base/clock.h"

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

double ph_clock(void) {
    LARGE_INTEGER ticks, rate; // neither call fails since Windows XP
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&rate);
    return (double)ticks.QuadPart / (double)rate.QuadPart;
}

#else

#include <time.h>

double ph_clock(void) {
    struct timespec now;
#ifdef CLOCK_MONOTONIC
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        return 0;
    }
#else
    if (timespec_get(&now, TIME_UTC) != TIME_UTC) {
        return 0;
    }
#endif
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif

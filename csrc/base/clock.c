// Owns nothing: reads the system's monotonic clock.
#include "base/clock.h"

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

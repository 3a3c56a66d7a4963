// Monotonic wall clock in seconds, for the profile and for the pace of signal checks only.
#ifndef PH_BASE_CLOCK_H
#define PH_BASE_CLOCK_H

double ph_clock(void);

#endif

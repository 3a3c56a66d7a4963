// What pyphys2d._core lends to pyphys2d._testing, as a capsule: the switches of its own copy of the
// engine.
#ifndef PH_PYTHON_TESTING_INTERFACE_H
#define PH_PYTHON_TESTING_INTERFACE_H

#include <stdint.h>

#define CORE_TESTING_CAPSULE "pyphys2d._core._testing_interface"

typedef struct CoreTestingInterface {
    int64_t (*fail_allocation)(int64_t n);
    int64_t (*live_allocations)(void);
    void (*stop_steps)(int64_t question);
} CoreTestingInterface;

void core_stop_steps(int64_t question); // hooks.c

#endif

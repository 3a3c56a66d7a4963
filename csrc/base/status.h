// Status codes and the error detail that travels with them.
//
// Every engine function that can fail returns PhStatus. Outputs come last and stay untouched on
// failure. The caller's faults are checked in every build; our own invariants by PH_ASSERT in debug
// builds.
#ifndef PH_BASE_STATUS_H
#define PH_BASE_STATUS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum PhStatus {
    PH_OK = 0,
    PH_ERROR_MEMORY,    // an allocation failed; the object is as it was
    PH_ERROR_VALUE,     // a number that cannot be used; PhError.message says which and why
    PH_ERROR_TYPE,      // the right number of the wrong sort
    PH_ERROR_REMOVED,   // an id whose object is gone
    PH_ERROR_CAPACITY,  // more than max_bodies
    PH_ERROR_NONFINITE, // a state array holds a number out of range; PhError.index is the body's
                        // slot
    PH_ERROR_STOPPED,   // the caller's PhStop wanted it
} PhStatus;

// Long work asks its caller now and then whether to give up: about ten times a second.
typedef struct PhStop {
    bool (*wanted)(void *context);
    void *context;
    bool eager; // for tests: asked where there is little to do as well
} PhStop;

static inline bool ph_stop_wanted(const PhStop *stop) { // NULL: never
    return stop != NULL && stop->wanted(stop->context);
}

// Between two parts of work on so many things: PH_ERROR_STOPPED where they are many and the caller
// wants it.
enum { PH_STOP_MANY = 1 << 14 };
static inline PhStatus ph_stop_between(const PhStop *stop, size_t things) {
    bool asks = things >= PH_STOP_MANY || (stop != NULL && stop->eager);
    return asks && ph_stop_wanted(stop) ? PH_ERROR_STOPPED : PH_OK;
}

// Filled only when a function fails. `message` is a whole sentence without the exception's name.
typedef struct PhError {
    PhStatus status;
    long long index;
    char message[232];
} PhError;

// Writes status and message into error (which may be NULL) and returns status.
PhStatus ph_fail(PhError *error, PhStatus status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

#ifdef PH_DEBUG
#define PH_ASSERT(condition) assert(condition)
#else
#define PH_ASSERT(condition) ((void)0)
#endif

#endif

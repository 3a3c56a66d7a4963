// Status codes and the error detail that travels with them.
//
// Every engine function that can fail returns PhStatus. Outputs come last and stay untouched on
// failure. Mistakes of the caller are checked in every build, invariants of the engine by PH_ASSERT
// in debug builds.
#ifndef PH_BASE_STATUS_H
#define PH_BASE_STATUS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum PhStatus {
    PH_OK = 0,
    PH_ERROR_MEMORY,    // an allocation failed; the object is as it was
    PH_ERROR_VALUE,     // an invalid number; PhError.message says which and why
    PH_ERROR_TYPE,      // a valid number of the wrong kind
    PH_ERROR_REMOVED,   // an id whose object is gone
    PH_ERROR_CAPACITY,  // more than max_bodies
    PH_ERROR_NONFINITE, // a state array holds a number out of range; PhError.index is the body's
                        // slot
    PH_ERROR_STOPPED,   // the caller's PhStop asked for it
} PhStatus;

// Long work asks its caller about ten times a second whether to stop.
typedef struct PhStop {
    bool (*wanted)(void *context);
    void *context;
    bool eager; // for tests: ask even where there is little to do
} PhStop;

static inline bool ph_stop_wanted(const PhStop *stop) { // NULL: never
    return stop != NULL && stop->wanted(stop->context);
}

// To be called between two parts of work on that many things: returns PH_ERROR_STOPPED if they are
// many and the caller wants to stop.
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

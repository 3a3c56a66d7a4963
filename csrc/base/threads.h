// What the engine wants of the system's threads, in the words of POSIX and of Windows: threads that
// no signal interrupts, a lock, a condition, and the number of the process.
//
// Not C11's <threads.h>: it knows neither stack sizes nor signals, and macOS lacks it.
#ifndef PH_BASE_THREADS_H
#define PH_BASE_THREADS_H

#if !defined(PH_THREADS)
#define PH_THREADS 1
#endif

#if PH_THREADS

#include <stdbool.h>
#include <stdint.h>

#if defined(_WIN32)
// Both are one pointer of the system's, NULL at first; <windows.h> stays out of headers.
typedef struct PhLock {
    void *system;
} PhLock;
typedef struct PhCondition {
    void *system;
} PhCondition;
typedef void *PhThreadHandle;
#else
#include <pthread.h>
typedef pthread_mutex_t PhLock;
typedef pthread_cond_t PhCondition;
typedef pthread_t PhThreadHandle;
#endif

typedef void PhThreadMain(void *argument);

// Filled by ph_thread_start; stays where it is until the thread has been waited for.
typedef struct PhThread {
    PhThreadMain *main;
    void *argument;
    PhThreadHandle handle;
} PhThread;

// Whether the thread runs. Signals are left to the threads of the program.
bool ph_thread_start(PhThread *thread, PhThreadMain *main, void *argument);
// Waits for its end.
void ph_thread_join(PhThread *thread);
// Lets another thread have this core.
void ph_thread_yield(void);

// False: the system has no room for one. Nothing is to be freed then.
bool ph_lock_init(PhLock *lock);
void ph_lock_free(PhLock *lock);
void ph_lock(PhLock *lock);
void ph_unlock(PhLock *lock);

bool ph_condition_init(PhCondition *condition);
void ph_condition_free(PhCondition *condition);
// Gives the lock back while it sleeps. May wake without a cause.
void ph_condition_wait(PhCondition *condition, PhLock *lock);
void ph_condition_wake_all(PhCondition *condition);

// Differs in a forked child. Never 0.
uint64_t ph_process(void);

#endif

#endif

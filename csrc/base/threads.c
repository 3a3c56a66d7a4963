// Owns nothing: hands on to the system.
#include "base/threads.h"

#if PH_THREADS

enum { STACK_BYTES = 1 << 20 };

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

_Static_assert(sizeof(PhLock) == sizeof(SRWLOCK), "a lock is one pointer");
_Static_assert(sizeof(PhCondition) == sizeof(CONDITION_VARIABLE), "a condition is one pointer");

static DWORD WINAPI enter(void *argument) {
    const PhThread *thread = argument;
    thread->main(thread->argument);
    return 0;
}

bool ph_thread_start(PhThread *thread, PhThreadMain *main, void *argument) {
    thread->main = main;
    thread->argument = argument;
    thread->handle =
        CreateThread(NULL, STACK_BYTES, enter, thread, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    return thread->handle != NULL;
}

void ph_thread_join(PhThread *thread) {
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
}

void ph_thread_yield(void) {
    SwitchToThread();
}

bool ph_lock_init(PhLock *lock) {
    InitializeSRWLock((SRWLOCK *)lock);
    return true;
}

void ph_lock_free(PhLock *lock) {
    (void)lock; // the system keeps nothing
}

void ph_lock(PhLock *lock) {
    AcquireSRWLockExclusive((SRWLOCK *)lock);
}

void ph_unlock(PhLock *lock) {
    ReleaseSRWLockExclusive((SRWLOCK *)lock);
}

bool ph_condition_init(PhCondition *condition) {
    InitializeConditionVariable((CONDITION_VARIABLE *)condition);
    return true;
}

void ph_condition_free(PhCondition *condition) {
    (void)condition;
}

void ph_condition_wait(PhCondition *condition, PhLock *lock) {
    SleepConditionVariableSRW((CONDITION_VARIABLE *)condition, (SRWLOCK *)lock, INFINITE, 0);
}

void ph_condition_wake_all(PhCondition *condition) {
    WakeAllConditionVariable((CONDITION_VARIABLE *)condition);
}

uint64_t ph_process(void) {
    return GetCurrentProcessId();
}

#else

#include <sched.h>
#include <signal.h>
#include <unistd.h>

static void *enter(void *argument) {
    const PhThread *thread = argument;
    thread->main(thread->argument);
    return NULL;
}

bool ph_thread_start(PhThread *thread, PhThreadMain *main, void *argument) {
    thread->main = main;
    thread->argument = argument;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes)) {
        return false;
    }
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigset_t all, before; // a thread inherits what its maker blocks
    sigfillset(&all);
    bool started = false;
    if (!pthread_sigmask(SIG_SETMASK, &all, &before)) {
        started = !pthread_create(&thread->handle, &attributes, enter, thread);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attributes);
    return started;
}

void ph_thread_join(PhThread *thread) {
    pthread_join(thread->handle, NULL);
}

void ph_thread_yield(void) {
    sched_yield();
}

bool ph_lock_init(PhLock *lock) {
    return !pthread_mutex_init(lock, NULL);
}

void ph_lock_free(PhLock *lock) {
    pthread_mutex_destroy(lock);
}

void ph_lock(PhLock *lock) {
    pthread_mutex_lock(lock);
}

void ph_unlock(PhLock *lock) {
    pthread_mutex_unlock(lock);
}

bool ph_condition_init(PhCondition *condition) {
    return !pthread_cond_init(condition, NULL);
}

void ph_condition_free(PhCondition *condition) {
    pthread_cond_destroy(condition);
}

void ph_condition_wait(PhCondition *condition, PhLock *lock) {
    pthread_cond_wait(condition, lock);
}

void ph_condition_wake_all(PhCondition *condition) {
    pthread_cond_broadcast(condition);
}

uint64_t ph_process(void) {
    return (uint64_t)getpid();
}

#endif

#endif

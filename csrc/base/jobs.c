// Owns the threads of a team and the words by which chunks are claimed.
//
// Invariant: a claim word holds (run, end, next) of one worker's range, so a chunk is taken by one
// compare-and-swap that can only succeed in the run it was read in. What to do is read after a
// successful claim: the caller cannot go on to another run before that chunk is counted as done.
#include "base/jobs.h"

#include "base/threads.h"

#if PH_THREADS

#include <stdatomic.h>
#include <stdbool.h>

#include "base/clock.h"
#include "base/memory.h"

enum {
    MOST_CHUNKS = 65535, // of one run; ends and nexts have 16 bits
    LONG_REST = 6,       // 2^6 steps is the longest
};

static const double SPIN_SECONDS = 50e-6;   // an idle thread seeks work this long, then sleeps
static const double STALL_SECONDS = 100e-6; // beyond the time of some chunks

typedef struct Part {
    _Alignas(64) _Atomic uint64_t claim; // run << 32 | end << 16 | next
} Part;

typedef struct Thread {
    PhJobs *jobs;
    uint32_t worker;
    PhThread system;
} Thread;

struct PhJobs {
    // Written by the caller between runs.
    PhJob *job;
    void *context;
    uint32_t workers, threads; // wanted, the caller included; running beside it
    uint32_t rest, stalls;     // steps still to sit out; stalls less good steps, at most LONG_REST
    uint64_t owner;            // process whose threads these are

    _Alignas(64) _Atomic uint32_t run;
    _Alignas(64) _Atomic uint32_t done; // chunks of the run
    _Alignas(64) _Atomic uint32_t sleepers;
    _Atomic bool quit;
    PhLock lock;
    PhCondition wake;
    Part *part;     // by worker
    Thread *thread; // by worker; [0] is unused
};

static inline void pause_a_little(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// Takes chunks of the run until none is left; how many.
static uint32_t work(PhJobs *jobs, uint32_t worker, uint32_t run, uint32_t team) {
    uint32_t taken = 0;
    for (uint32_t k = 0; k < team; k++) {
        uint32_t owner = worker + k < team ? worker + k : worker + k - team;
        _Atomic uint64_t *claim = &jobs->part[owner].claim;
        uint64_t seen = atomic_load_explicit(claim, memory_order_relaxed);
        while ((uint32_t)(seen >> 32) == run && (seen & 0xffff) < (seen >> 16 & 0xffff)) {
            if (!atomic_compare_exchange_weak_explicit(claim, &seen, seen + 1, memory_order_acquire,
                                                       memory_order_relaxed)) {
                continue;
            }
            jobs->job(jobs->context, (uint32_t)(seen & 0xffff));
            atomic_fetch_add_explicit(&jobs->done, 1, memory_order_release);
            taken++;
            seen++;
        }
    }
    return taken;
}

// Waits for a run other than `last`: awake for a while, then asleep.
static uint32_t next_run(PhJobs *jobs, uint32_t last) {
    double end = 0;
    for (uint32_t k = 1;; k++) {
        uint32_t run = atomic_load_explicit(&jobs->run, memory_order_acquire);
        if (run != last || atomic_load_explicit(&jobs->quit, memory_order_relaxed)) {
            return run;
        }
        pause_a_little();
        if (k % 64 == 0) {
            double now = ph_clock();
            end = end > 0 ? end : now + SPIN_SECONDS;
            if (now > end) {
                break;
            }
            ph_thread_yield(); // the caller may be waiting for this very core
        }
    }
    ph_lock(&jobs->lock);
    // Either the caller sees the sleeper, or the sleeper sees the run: both are in one total order.
    atomic_fetch_add(&jobs->sleepers, 1);
    while (atomic_load(&jobs->run) == last && !atomic_load(&jobs->quit)) {
        ph_condition_wait(&jobs->wake, &jobs->lock);
    }
    atomic_fetch_sub(&jobs->sleepers, 1);
    ph_unlock(&jobs->lock);
    return atomic_load(&jobs->run);
}

static void thread_main(void *argument) {
    Thread *self = argument;
    PhJobs *jobs = self->jobs;
    uint32_t run = 0, team = jobs->workers;
    while (!atomic_load_explicit(&jobs->quit, memory_order_relaxed)) {
        run = next_run(jobs, run);
        (void)work(jobs, self->worker, run, team);
    }
}

static void wake_all(PhJobs *jobs) {
    ph_lock(&jobs->lock);
    ph_condition_wake_all(&jobs->wake);
    ph_unlock(&jobs->lock);
}

PhJobs *ph_jobs_create(uint32_t workers) {
    PhJobs *jobs = ph_alloc(1, sizeof *jobs);
    Part *part = ph_alloc(workers, sizeof *part);
    Thread *thread = ph_alloc(workers, sizeof *thread);
    if (!jobs || !part || !thread) {
        ph_free(jobs);
        ph_free(part);
        ph_free(thread);
        return NULL;
    }
    jobs->workers = workers;
    jobs->part = part;
    jobs->thread = thread;
    return jobs; // no owner yet: the first begin sets up the rest
}

void ph_jobs_free(PhJobs *jobs) {
    if (!jobs) {
        return;
    }
    if (jobs->owner == ph_process()) { // after a fork there is no thread to wait for
        atomic_store(&jobs->quit, true);
        wake_all(jobs);
        for (uint32_t k = 1; k <= jobs->threads; k++) {
            ph_thread_join(&jobs->thread[k].system);
        }
        ph_condition_free(&jobs->wake);
        ph_lock_free(&jobs->lock);
    }
    ph_free(jobs->part);
    ph_free(jobs->thread);
    ph_free(jobs);
}

static bool start_thread(PhJobs *jobs, uint32_t worker) {
    Thread *thread = &jobs->thread[worker];
    *thread = (Thread){.jobs = jobs, .worker = worker};
    return ph_thread_start(&thread->system, thread_main, thread);
}

void ph_jobs_begin(PhJobs *jobs) {
    if (!jobs) {
        return;
    }
    if (jobs->rest) {
        jobs->rest--;
    } else {
        jobs->stalls -= jobs->stalls > 0; // the last step went well
    }
    uint64_t here = ph_process();
    if (jobs->owner == here) {
        return;
    }
    // In a forked child the lock may be held by a thread that is not there, so it is made anew.
    jobs->threads = 0;
    jobs->owner = 0;
    atomic_store(&jobs->sleepers, 0);
    atomic_store(&jobs->quit, false);
    if (!ph_lock_init(&jobs->lock)) {
        return;
    }
    if (!ph_condition_init(&jobs->wake)) {
        ph_lock_free(&jobs->lock);
        return;
    }
    jobs->owner = here;
    while (jobs->threads + 1 < jobs->workers && start_thread(jobs, jobs->threads + 1)) {
        jobs->threads++;
    }
}

// Waits for chunks that others have begun. `usual`: seconds that some chunks take.
static void wait_for(PhJobs *jobs, uint32_t count, double usual) {
    double since = 0;
    bool stalled = false;
    for (uint32_t k = 1; atomic_load_explicit(&jobs->done, memory_order_acquire) != count; k++) {
        pause_a_little();
        if (k % 64) {
            continue;
        }
        double now = ph_clock();
        since = since > 0 ? since : now;
        if (now - since > usual + STALL_SECONDS) {
            stalled = true;
            ph_thread_yield(); // the worker may be waiting for this very core
        }
    }
    if (stalled) {
        jobs->rest = 1u << jobs->stalls;
        jobs->stalls += jobs->stalls < LONG_REST;
    }
}

static void run_slice(PhJobs *jobs, uint32_t count) {
    uint32_t team = jobs->threads + 1, run = atomic_load(&jobs->run) + 1;
    run += run == 0; // what a fresh thread has seen
    atomic_store_explicit(&jobs->done, 0, memory_order_relaxed);
    for (uint32_t k = 0; k < jobs->workers; k++) {
        uint64_t first = k < team ? (uint64_t)count * k / team : 0;
        uint64_t end = k < team ? (uint64_t)count * (k + 1) / team : 0;
        atomic_store_explicit(&jobs->part[k].claim, (uint64_t)run << 32 | end << 16 | first,
                              memory_order_release);
    }
    atomic_store(&jobs->run, run);
    if (atomic_load(&jobs->sleepers)) {
        wake_all(jobs);
    }
    double start = ph_clock();
    uint32_t taken = work(jobs, 0, run, jobs->workers);
    double spent = ph_clock() - start;
    wait_for(jobs, count, taken ? 4 * spent / taken : spent);
}

typedef struct Slice {
    PhJob *job;
    void *context;
    uint32_t first;
} Slice;

static void run_in_slice(void *context, uint32_t chunk) {
    const Slice *slice = context;
    slice->job(slice->context, slice->first + chunk);
}

void ph_jobs_run(PhJobs *jobs, PhJob *job, void *context, uint32_t count) {
    if (!jobs || count < 2 || !jobs->threads || jobs->rest) {
        for (uint32_t k = 0; k < count; k++) {
            job(context, k);
        }
        return;
    }
    for (uint32_t first = 0; first < count; first += MOST_CHUNKS) {
        uint32_t size = count - first < MOST_CHUNKS ? count - first : MOST_CHUNKS;
        Slice slice = {job, context, first};
        jobs->job = first ? run_in_slice : job;
        jobs->context = first ? &slice : context;
        run_slice(jobs, size);
        if (count - first <= MOST_CHUNKS) {
            break;
        }
    }
}

uint32_t ph_jobs_threads(const PhJobs *jobs) {
    return jobs && jobs->owner == ph_process() ? jobs->threads : 0;
}

#else

PhJobs *ph_jobs_create(uint32_t workers) {
    (void)workers;
    return 0;
}

void ph_jobs_free(PhJobs *jobs) {
    (void)jobs;
}

void ph_jobs_begin(PhJobs *jobs) {
    (void)jobs;
}

void ph_jobs_run(PhJobs *jobs, PhJob *job, void *context, uint32_t count) {
    (void)jobs;
    for (uint32_t k = 0; k < count; k++) {
        job(context, k);
    }
}

uint32_t ph_jobs_threads(const PhJobs *jobs) {
    (void)jobs;
    return 0;
}

#endif

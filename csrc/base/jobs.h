// A team of threads that shares out the chunks of a loop.
//
// The caller works too, as worker 0. Every worker owns a contiguous range of the chunks, so that in
// a sequence of runs over the same data each core meets the same part again; a worker that is done
// with its own range takes chunks from the others'. No worker waits for a worker that has not begun
// a chunk: a core that the system gives to another process costs at most the chunk it was taken in,
// and after such a stall the team rests for a while. Which worker does a chunk is left to chance,
// so chunks must neither depend on each other nor on the worker.
//
// Source of the claim by compare-and-swap on a range: work stealing, R. Blumofe and C. Leiserson,
// "Scheduling Multithreaded Computations by Work Stealing" (1999).
#ifndef PH_BASE_JOBS_H
#define PH_BASE_JOBS_H

#include <stdint.h>

typedef struct PhJobs PhJobs;
typedef void PhJob(void *context, uint32_t chunk);

// A team of that many workers, 2 .. 256. Its threads are started by the first ph_jobs_begin. NULL:
// no memory, or a build without threads.
PhJobs *ph_jobs_create(uint32_t workers);
// Ends the threads and waits for them. NULL is allowed.
void ph_jobs_free(PhJobs *jobs);

// Before the runs of a step: starts threads that are missing (also after a fork, which leaves them
// behind). With fewer threads than wanted the team works on, at worst as the caller alone.
void ph_jobs_begin(PhJobs *jobs);
// Calls job(context, i) once for every i below count, and returns when all calls have. What was
// written before the run is seen in every chunk, what a chunk wrote after the run. Not reentrant.
// NULL: the caller does all of it, in order.
void ph_jobs_run(PhJobs *jobs, PhJob *job, void *context, uint32_t count);

// Threads beside the caller that are running, for tests.
uint32_t ph_jobs_threads(const PhJobs *jobs);

#endif

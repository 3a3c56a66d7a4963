// The team of threads on chunks that count themselves.
#include "base/jobs.h"
#include "testing/testing.h"

typedef struct Count {
    int64_t *seen; // by chunk: runs it was in
    uint32_t rounds;
} Count;

// Some work, so that several workers get their share. Not atomic: a chunk done twice at once, or
// whose memory was not handed over, shows as a wrong count.
static void count_chunk(void *context, uint32_t chunk) {
    const Count *count = context;
    for (volatile uint32_t k = 0; k < count->rounds; k++) {
    }
    count->seen[chunk]++;
}

const char testing_run_jobs_doc[] =
    "run_jobs($module, workers, runs, chunks, rounds, /)\n--\n\n"
    "Run a loop of that many chunks so often; every chunk turns an empty loop of `rounds`.\n\n"
    "Returns\n-------\n"
    "tuple\n    How often each chunk was done, and the number of threads beside the caller.";
PyObject *testing_run_jobs(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count) {
    unsigned long number[4];
    if (count != 4) {
        PyErr_SetString(PyExc_TypeError, "run_jobs takes 4 numbers");
        return NULL;
    }
    for (int k = 0; k < 4; k++) {
        number[k] = PyLong_AsUnsignedLong(args[k]);
        if (PyErr_Occurred()) {
            return NULL;
        }
    }
    npy_intp chunks = (npy_intp)number[2];
    PyArrayObject *seen = (PyArrayObject *)PyArray_ZEROS(1, &chunks, NPY_INT64, 0);
    if (seen == NULL) {
        return NULL;
    }
    Count context = {PyArray_DATA(seen), (uint32_t)number[3]};
    uint32_t threads;
    Py_BEGIN_ALLOW_THREADS;
    PhJobs *jobs = ph_jobs_create((uint32_t)number[0]);
    for (unsigned long k = 0; k < number[1]; k++) {
        ph_jobs_begin(jobs);
        ph_jobs_run(jobs, count_chunk, &context, (uint32_t)chunks);
    }
    threads = ph_jobs_threads(jobs);
    ph_jobs_free(jobs);
    Py_END_ALLOW_THREADS;
    return Py_BuildValue("NI", seen, threads);
}

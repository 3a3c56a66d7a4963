// Python's own memory that fails on demand, as ph_fail_allocation does for the engine's.
//
// Python's allocators belong to the process, and so do the wrappers: they are put in place at the
// first call, count only while the switch is on, and stay, since what another tool (tracemalloc)
// puts over them must find them. Only allocations of the thread that turned the switch on count.
// What Python keeps in free lists (small floats, tuples) needs none.
#include "testing/testing.h"

typedef struct Wrapper {
    PyMemAllocatorDomain domain;
    PyMemAllocatorEx below;
} Wrapper;

typedef struct Switch {
    Wrapper wrappers[2];
    bool in_place;
    unsigned long thread; // that turned it on
    int64_t before;       // so many allocations are left alone; negative: not counting
    int64_t count;        // so many fail then
    int64_t seen;         // since it was turned on
} Switch;

// The one mutable global of this extension, as what it stands before is; touched under the GIL,
// which both domains ask for.
static Switch memory = {
    .wrappers = {{.domain = PYMEM_DOMAIN_MEM}, {.domain = PYMEM_DOMAIN_OBJ}},
    .before = -1,
};

static bool fails(void) {
    if (memory.before < 0 || PyThread_get_thread_ident() != memory.thread) {
        return false;
    }
    int64_t number = memory.seen++;
    return number >= memory.before && number - memory.before < memory.count;
}

static void *allocate(void *context, size_t size) {
    const PyMemAllocatorEx *below = &((const Wrapper *)context)->below;
    return fails() ? NULL : below->malloc(below->ctx, size);
}

static void *allocate_zeroed(void *context, size_t count, size_t size) {
    const PyMemAllocatorEx *below = &((const Wrapper *)context)->below;
    return fails() ? NULL : below->calloc(below->ctx, count, size);
}

static void *reallocate(void *context, void *block, size_t size) {
    const PyMemAllocatorEx *below = &((const Wrapper *)context)->below;
    return fails() ? NULL : below->realloc(below->ctx, block, size);
}

static void release(void *context, void *block) {
    const PyMemAllocatorEx *below = &((const Wrapper *)context)->below;
    below->free(below->ctx, block);
}

static void put_in_place(void) {
    for (int i = 0; i < 2; ++i) {
        Wrapper *wrapper = &memory.wrappers[i];
        PyMemAllocatorEx ours = {wrapper, allocate, allocate_zeroed, reallocate, release};
        PyMem_GetAllocator(wrapper->domain, &wrapper->below);
        PyMem_SetAllocator(wrapper->domain, &ours);
    }
    memory.in_place = true;
}

const char testing_fail_python_allocation_doc[] =
    "fail_python_allocation($module, n, count=1, /)\n--\n\n"
    "Make allocations n, n + 1, ... n + count - 1 of Python's own memory from now on fail.\n\n"
    "Those of this thread in the domains MEM and OBJ count, of whatever code; what Python finds\n"
    "in its free lists is none.\n\n"
    "Parameters\n----------\n"
    "n : int\n    1 is the next. 0: none any more.\n"
    "count : int\n    How many fail, >= 1; sys.maxsize: all from then on.\n\n"
    "Returns\n-------\n"
    "int\n    Number of allocations since the last call; 0 when the switch was off.";

PyObject *testing_fail_python_allocation(PyObject *Py_UNUSED(module), PyObject *const *args,
                                         Py_ssize_t count) {
    if (count < 1 || count > 2) {
        PyErr_SetString(PyExc_TypeError, "fail_python_allocation takes n and count");
        return NULL;
    }
    int64_t seen = memory.before >= 0 ? memory.seen : 0;
    memory.before = -1; // what follows allocates
    long long n = PyLong_AsLongLong(args[0]);
    long long failures = count > 1 ? PyLong_AsLongLong(args[1]) : 1;
    if (PyErr_Occurred()) {
        return NULL;
    }
    if (n < 0 || failures < 1) {
        PyErr_SetString(PyExc_ValueError, "n: must be >= 0, and count: >= 1");
        return NULL;
    }
    if (!memory.in_place) {
        put_in_place();
    }
    PyObject *result = PyLong_FromLongLong(seen);
    memory.thread = PyThread_get_thread_ident();
    memory.seen = 0;
    memory.count = failures;
    memory.before = result != NULL ? n - 1 : -1;
    return result;
}

// Owns the process-wide counters of blocks and of allocations, and the trap that makes one
// allocation fail on demand: the only mutable globals of the engine, all atomic. Invariant:
// live_blocks is the number of blocks and mappings handed out and not yet given back.
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Windows charges a process for all that it may come to use, so there arrays grow instead.
#if !defined(PH_NO_RESERVE) && defined(__unix__) && !defined(__EMSCRIPTEN__)
#define PH_CAN_RESERVE 1
#elif !defined(PH_NO_RESERVE) && defined(__APPLE__)
#define PH_CAN_RESERVE 1
#else
#define PH_CAN_RESERVE 0
#endif

#if defined(__linux__)
#include <sys/mman.h>
#endif

#if PH_CAN_RESERVE
#include <sys/mman.h>
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif
#endif

// HEAD_ROOM: what the head and the alignment may take at the most.
enum {
    ALIGNMENT = 64,
    GRAIN = _Alignof(max_align_t), // to which the system aligns
    HEAD_ROOM = ALIGNMENT - GRAIN + (sizeof(PhBlockHead) > GRAIN ? sizeof(PhBlockHead) : GRAIN)
};
enum { LARGE = 1 << 22, HUGE_PAGE = 1 << 21 };

static atomic_int_fast64_t live_blocks;
static atomic_int_fast64_t allocations; // since the last call of ph_fail_allocation
static atomic_int_fast64_t countdown;   // 1: the next allocation fails; <= 0: none does

// Counts an allocation; whether the trap springs on it.
static bool trapped(void) {
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    if (atomic_load_explicit(&countdown, memory_order_relaxed) <= 0) {
        return false;
    }
    // Several threads may race here; exactly one of them takes the step from 1 to 0.
    return atomic_fetch_sub_explicit(&countdown, 1, memory_order_relaxed) == 1;
}

// To fetch the pages of a large block one by one takes longer than to fill them. The whole block is
// written at once anyway, so that huge pages cost no memory. Advice only.
static void advise(void *block, size_t bytes) {
#if defined(MADV_HUGEPAGE)
    if (bytes >= LARGE) {
        size_t skip = (HUGE_PAGE - (uintptr_t)block % HUGE_PAGE) % HUGE_PAGE;
        (void)madvise((char *)block + skip, (bytes - skip) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    }
#else
    (void)block;
    (void)bytes;
#endif
}

// Blocks are the system's with a head before them: their room, and how far on the aligned block
// begins. What is fresh from the system is zero already, which calloc() knows, and no page
// of it is touched before it is used: to fetch gigabytes takes seconds, and so they pass in the
// loops that fill the block, which can be stopped, and not here.
static void *obtain(size_t bytes) {
    char *start = calloc(1, bytes + HEAD_ROOM);
    if (!start) {
        return NULL;
    }
    size_t skip = sizeof(PhBlockHead) + ALIGNMENT - 1;
    skip -= ((uintptr_t)start + skip) % ALIGNMENT;
    *(PhBlockHead *)(start + skip - sizeof(PhBlockHead)) = (PhBlockHead){bytes, skip};
    return start + skip;
}

void *ph_alloc(size_t count, size_t size) {
    if (trapped()) {
        return NULL;
    }
    if (size && count > (PTRDIFF_MAX - 3 * ALIGNMENT) / size) {
        return NULL;
    }
    size_t bytes = count * size;
    bytes = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    void *block = obtain(bytes);
    if (!block) {
        return NULL;
    }
    advise(block, bytes);
    atomic_fetch_add_explicit(&live_blocks, 1, memory_order_relaxed);
    return block;
}

void ph_free(void *block) {
    if (block) {
        atomic_fetch_sub_explicit(&live_blocks, 1, memory_order_relaxed);
        free((char *)block - ((PhBlockHead *)block - 1)->skip);
    }
}

PhStatus ph_reserve(void *data, uint64_t need, size_t size) {
    // The pointer is copied as bytes: `data` points to a T *, and a void ** must not alias it.
    void *old;
    memcpy(&old, data, sizeof old);
    const uint64_t room = ph_room(old), capacity = room / size;
    if (need <= capacity) {
        return PH_OK;
    }
    if (need > UINT32_MAX) {
        return PH_ERROR_MEMORY;
    }
    uint64_t rows = capacity + capacity / 2;
    rows = rows < need ? need : rows;
    rows = rows < 8 ? 8 : rows;
    rows = rows > UINT32_MAX ? UINT32_MAX : rows;
    void *fresh = ph_alloc((size_t)rows, size);
    if (!fresh) {
        return PH_ERROR_MEMORY;
    }
    if (old) {
        memcpy(fresh, old, (size_t)room);
    }
    ph_free(old);
    memcpy(data, &fresh, sizeof fresh);
    return PH_OK;
}

PhStatus ph_reserve_array(void *data, uint32_t *capacity, uint64_t need, size_t size) {
    PhStatus status = need > *capacity ? ph_reserve(data, need, size) : PH_OK;
    if (need > *capacity && !status) {
        void *rows;
        memcpy(&rows, data, sizeof rows);
        *capacity = (uint32_t)(ph_room(rows) / size);
    }
    return status;
}

int64_t ph_live_allocations(void) {
    return atomic_load(&live_blocks);
}

int64_t ph_fail_allocation(int64_t n) {
    atomic_store(&countdown, n > 0 ? n : 0);
    return atomic_exchange(&allocations, 0);
}

#if PH_CAN_RESERVE

// Not PROT_NONE with later mprotect: each change of protection costs a mapping, and a process may
// have only some 65,000.
void *ph_map(size_t bytes) {
    if (bytes == 0 || bytes > PTRDIFF_MAX) {
        return NULL;
    }
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        return NULL;
    }
#ifdef MADV_NOHUGEPAGE
    // A fresh range is barely touched: a huge page per carved array would make a thousand small
    // worlds cost gigabytes. Advice only; kernels without huge pages refuse it and need it not.
    (void)madvise(base, bytes, MADV_NOHUGEPAGE);
#endif
    atomic_fetch_add_explicit(&live_blocks, 1, memory_order_relaxed);
    return base;
}

void ph_unmap(void *base, size_t bytes) {
    if (base) {
        atomic_fetch_sub_explicit(&live_blocks, 1, memory_order_relaxed);
        (void)munmap(base, bytes);
    }
}

#else

void *ph_map(size_t bytes) {
    (void)bytes;
    return NULL;
}

void ph_unmap(void *base, size_t bytes) {
    (void)base;
    (void)bytes;
}

#endif

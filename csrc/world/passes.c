// Choice of the passes over bodies, and their chunks for the world's team. Every body and every
// proxy has rows of its own, so chunks do not meet.
#include "world/passes.h"

#include <stdatomic.h>

enum { CHUNK = 1024 }; // a multiple of every width

const PhPasses *ph_passes(const PhKernels *kernels) {
#if PH_HAVE_X86_KERNELS
    return kernels->wide_doubles ? &ph_passes_avx2 : &ph_passes_plain;
#else
    (void)kernels;
    return &ph_passes_plain;
#endif
}

typedef struct Run {
    PhWorld *world;
    const uint32_t *list;
    uint32_t count;
    double dt;
    const PhDisplacementField *displacements;
    atomic_bool told; // what one chunk at least had to tell
} Run;

static void place_chunk(void *context, uint32_t chunk) {
    Run *run = context;
    uint32_t first = chunk * CHUNK, left = run->count - first;
    if (!run->world->passes->place(run->world, run->list + first, left < CHUNK ? left : CHUNK,
                                   run->dt)) {
        atomic_store_explicit(&run->told, true, memory_order_relaxed);
    }
}

// Enlarged proxies have room in the place of the chunk; what stands behind them is no proxy.
static void grow_chunk(void *context, uint32_t chunk) {
    Run *run = context;
    uint32_t first = chunk * CHUNK, left = run->count - first;
    uint32_t size = left < CHUNK ? left : CHUNK,
             *enlarged_list = run->world->proxies.enlarged + first;
    bool spins = false;
    uint32_t found = run->world->passes->grow_boxes(run->world, run->list + first, size, run->dt,
                                                    run->displacements, enlarged_list, &spins);
    if (spins) {
        atomic_store_explicit(&run->told, true, memory_order_relaxed);
    }
    if (found < size) {
        enlarged_list[found] = PH_NULL;
    }
}

static bool run_chunks(PhWorld *world, PhJob *job, const uint32_t *list, uint32_t count, double dt,
                       const PhDisplacementField *displacements) {
    Run run = {
        .world = world, .list = list, .count = count, .dt = dt, .displacements = displacements};
    ph_jobs_run(world->jobs, job, &run, count / CHUNK + (count % CHUNK != 0));
    return atomic_load_explicit(&run.told, memory_order_relaxed);
}

bool ph_place_all(PhWorld *world, double dt) {
    return !run_chunks(world, place_chunk, world->dynamic, world->dynamic_count, dt, NULL);
}

void ph_grow_all_boxes(PhWorld *world, double dt, const PhDisplacementField *displacements) {
    PhProxies *p = &world->proxies;
    world->spins = run_chunks(world, grow_chunk, p->moving, p->moving_count, dt, displacements);
    p->enlarged_count = 0;
    for (uint32_t first = 0; first < p->moving_count; first += CHUNK) {
        uint32_t left = p->moving_count - first, last = first + (left < CHUNK ? left : CHUNK);
        for (uint32_t k = first; k < last && p->enlarged[k] != PH_NULL; k++) {
            p->enlarged[p->enlarged_count++] = p->enlarged[k];
        }
    }
}

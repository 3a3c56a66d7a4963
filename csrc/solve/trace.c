// Owns the memory of a PhSolveTrace: one block for the numbers of all frames.
#include "solve/trace.h"

#include "base/memory.h"

static uint64_t frame_size(const PhSolveTrace *trace) { // in numbers
    return 2 * (uint64_t)trace->point_count + 6 * (uint64_t)trace->slot_count;
}

PhStatus ph_solve_trace_init(PhSolveTrace *trace, uint32_t contacts, uint32_t points,
                             uint32_t slots, uint32_t frames) {
    *trace = (PhSolveTrace){.contact_count = contacts,
                            .point_count = points,
                            .slot_count = slots,
                            .frame_count = frames};
    uint64_t numbers = frame_size(trace);
    if (frames && numbers > SIZE_MAX / frames) {
        *trace = (PhSolveTrace){0};
        return PH_ERROR_MEMORY;
    }
    trace->number = ph_alloc(contacts, sizeof *trace->number);
    trace->look = ph_alloc(contacts, sizeof *trace->look);
    trace->constraint = ph_alloc(points, sizeof *trace->constraint);
    trace->numbers = ph_alloc((size_t)numbers * frames, sizeof *trace->numbers);
    if (!trace->number || !trace->look || !trace->constraint || !trace->numbers) {
        ph_solve_trace_free(trace);
        return PH_ERROR_MEMORY;
    }
    return PH_OK;
}

void ph_solve_trace_free(PhSolveTrace *trace) {
    ph_free(trace->number);
    ph_free(trace->look);
    ph_free(trace->constraint);
    ph_free(trace->numbers);
    *trace = (PhSolveTrace){0};
}

PhSolveFrame ph_solve_frame(const PhSolveTrace *trace, uint32_t frame) {
    size_t points = trace->point_count, slots = trace->slot_count;
    double *at = trace->numbers + (size_t)frame_size(trace) * frame;
    double *bodies = at + 2 * points;
    return (PhSolveFrame){
        .normal_impulse = at,
        .tangent_impulse = at + points,
        .velocity = (double(*)[2])bodies,
        .position = (double(*)[2])(bodies + 2 * slots),
        .angular_velocity = bodies + 4 * slots,
        .angle = bodies + 5 * slots,
    };
}

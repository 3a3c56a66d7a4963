// Owns the memory of a PhSolveTrace: a block for the numbers of each frame.
#include "solve/solve_trace.h"

#include "base/memory.h"

static uint64_t frame_size(const PhSolveTrace *trace) { // in numbers
    return 2 * (uint64_t)trace->point_count + 6 * (uint64_t)trace->slot_count;
}

PhStatus ph_solve_trace_init(PhSolveTrace *trace, uint32_t contacts, uint32_t points,
                             uint32_t slots, uint32_t frames, const PhStop *stop) {
    *trace = (PhSolveTrace){.contact_count = contacts,
                            .point_count = points,
                            .slot_count = slots,
                            .frame_count = frames};
    trace->number = ph_alloc(contacts, sizeof *trace->number);
    trace->show = ph_alloc(contacts, sizeof *trace->show);
    trace->constraint = ph_alloc(points, sizeof *trace->constraint);
    trace->numbers = ph_alloc(frames, sizeof *trace->numbers);
    bool small = frame_size(trace) <= SIZE_MAX / sizeof **trace->numbers;
    bool made = small && trace->number && trace->show && trace->constraint && trace->numbers;
    PhStatus status = made ? PH_OK : PH_ERROR_MEMORY;
    for (uint32_t k = 0; k < frames && !status; k++) {
        trace->numbers[k] = ph_alloc((size_t)frame_size(trace), sizeof *trace->numbers[k]);
        status = trace->numbers[k] ? ph_stop_between(stop, slots) : PH_ERROR_MEMORY;
    }
    if (status) {
        ph_solve_trace_free(trace);
    }
    return status;
}

void ph_solve_trace_free(PhSolveTrace *trace) {
    ph_free(trace->number);
    ph_free(trace->show);
    ph_free(trace->constraint);
    for (uint32_t k = 0; trace->numbers && k < trace->frame_count; k++) {
        ph_free(trace->numbers[k]);
    }
    ph_free(trace->numbers);
    *trace = (PhSolveTrace){0};
}

PhSolveFrame ph_solve_frame(const PhSolveTrace *trace, uint32_t frame) {
    size_t points = trace->point_count, slots = trace->slot_count;
    double *at = trace->numbers[frame];
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

// The order in which the solver keeps bodies: by slot, or along a curve through the plane.
//
// The solver bodies of an island that is too large for the level-2 cache are read from wherever its
// bodies stand. Bodies that were made one beside the other have slots side by side; where they were
// not, solver bodies and lanes go along a Hilbert curve. Slots never change.
//
// Invariant: no bit depends on it. Contacts of a color share no dynamic body, so their lanes may
// come in any order; those of an overflow color and those of hubs keep theirs.
//
// Sources: D. Hilbert, "Ueber die stetige Abbildung einer Linie auf ein Flaechenstueck" (1891); J.
// K. Lawder, "Calculation of Mappings Between One and n-dimensional Values Using the Hilbert
// Space-filling Curve" (2000).
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "solve/layout.h"

enum {
    CELLS = 1 << 15,  // along an axis
    DIGIT = 11,       // bits, of keys of three
    WAIT_BUILDS = 64, // from a look at the order to the next one
};

// The middle of the dynamic bodies, and how far they are from it on average.
typedef struct Spread {
    double x, y, away;
    double scale; // cells per metre
} Spread;

static Spread find_spread(const PhSolverBodies *bodies) {
    double n = bodies->dynamic_count, x = 0, y = 0, away = 0;
    for (uint32_t m = 0; m < bodies->dynamic_count; m++) {
        x += bodies->center[bodies->dynamic[m]][0];
        y += bodies->center[bodies->dynamic[m]][1];
    }
    x /= n;
    y /= n;
    for (uint32_t m = 0; m < bodies->dynamic_count; m++) {
        const double *center = bodies->center[bodies->dynamic[m]];
        away += fabs(center[0] - x) + fabs(center[1] - y);
    }
    // Eight times the mean distance fills the cells; what is further out is in the last one.
    double scale = CELLS / (8 * away / n);
    return (Spread){x, y, away / n, scale < 1e300 ? scale : 0};
}

static uint32_t cell_of(double x, double middle, double scale) {
    double cell = (x - middle) * scale + 0.5 * CELLS;
    return cell > 0 ? cell < CELLS - 1 ? (uint32_t)cell : CELLS - 1 : 0; // not a number: the first
}

// Where the curve through all cells passes this one.
static uint32_t hilbert(uint32_t x, uint32_t y) {
    uint32_t key = 0;
    for (uint32_t side = CELLS / 2; side > 0; side /= 2) {
        uint32_t right = (x & side) != 0, up = (y & side) != 0;
        key += side * side * ((3 * right) ^ up);
        if (!up) {
            uint32_t swap = right ? ~x : x;
            x = right ? ~y : y;
            y = swap;
        }
    }
    return key;
}

// Sorts by the upper words, of less than three digits, stably. The answer is in `keys` again.
static void sort_keys(uint64_t *keys, uint64_t *spare, uint32_t count) {
    uint32_t start[3][1 << DIGIT] = {{0}};
    for (uint32_t k = 0; k < count; k++) {
        for (int d = 0; d < 3; d++) {
            start[d][keys[k] >> (32 + DIGIT * d) & ((1 << DIGIT) - 1)]++;
        }
    }
    for (int d = 0; d < 3; d++) {
        uint32_t sum = 0;
        for (uint32_t digit = 0; digit < 1 << DIGIT; digit++) {
            uint32_t size = start[d][digit];
            start[d][digit] = sum;
            sum += size;
        }
        for (uint32_t k = 0; k < count; k++) {
            spare[start[d][keys[k] >> (32 + DIGIT * d) & ((1 << DIGIT) - 1)]++] = keys[k];
        }
        uint64_t *swap = keys;
        keys = spare;
        spare = swap;
    }
    memcpy(spare, keys, count * sizeof *keys);
}

// From far out all are as far away.
static double distance(const PhSolverBodies *bodies, uint32_t i, uint32_t j, double most) {
    const double *a = bodies->center[i], *b = bodies->center[j];
    double apart = fabs(a[0] - b[0]) + fabs(a[1] - b[1]);
    return apart < most ? apart : most;
}

// Whether an order was found that is much shorter than that of the slots.
static bool find_order(uint32_t *order, uint64_t *keys, const PhSolverBodies *bodies) {
    uint32_t count = bodies->dynamic_count;
    Spread spread = find_spread(bodies);
    for (uint32_t m = 0; m < count; m++) {
        uint32_t i = bodies->dynamic[m];
        uint32_t x = cell_of(bodies->center[i][0], spread.x, spread.scale);
        uint32_t y = cell_of(bodies->center[i][1], spread.y, spread.scale);
        keys[m] = (uint64_t)hilbert(x, y) << 32 | i;
    }
    sort_keys(keys, keys + count, count);
    double by_slot = 0, by_curve = 0;
    for (uint32_t m = 0; m < count; m++) {
        order[m] = (uint32_t)keys[m];
        if (m) {
            by_slot += distance(bodies, bodies->dynamic[m - 1], bodies->dynamic[m], spread.away);
            by_curve += distance(bodies, order[m - 1], order[m], spread.away);
        }
    }
    return by_slot > 2 * by_curve;
}

static bool has_giant(const PhLayout *layout, const PhSolverBodies *bodies) {
    for (uint32_t m = 0; m < bodies->dynamic_count; m++) {
        uint32_t i = bodies->dynamic[m];
        if (layout->island[i] == i && ph_batch_is_giant(layout->arrays->islands[i].contact_count)) {
            return true;
        }
    }
    return false;
}

// Whether the order is one of the same dynamic bodies.
static bool is_current(const PhLayout *layout, const PhSolverBodies *bodies) {
    const struct PhLayoutArrays *arrays = layout->arrays;
    if (arrays->order_count != bodies->dynamic_count) {
        return false;
    }
    for (uint32_t m = 0; m < arrays->order_count; m++) {
        if (layout->island[arrays->order[m]] == PH_NULL) {
            return false;
        }
    }
    return true;
}

PhStatus ph_order_update(PhLayout *layout, const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint32_t count = bodies->dynamic_count;
    if (arrays->order_count && !is_current(layout, bodies)) {
        arrays->order_count = 0;
    }
    if (arrays->order_waits > 0) {
        arrays->order_waits--;
        return PH_OK;
    }
    if (!has_giant(layout, bodies)) {
        arrays->order_count = 0;
        return PH_OK;
    }
    arrays->order_count = 0;
    if (PH_RESERVE(arrays->order, count)) {
        return PH_ERROR_MEMORY;
    }
    uint64_t *keys = ph_alloc(2 * (size_t)count, sizeof *keys);
    if (!keys) {
        return PH_ERROR_MEMORY;
    }
    arrays->order_count = find_order(arrays->order, keys, bodies) ? count : 0;
    arrays->order_waits = WAIT_BUILDS;
    ph_free(keys);
    return PH_OK;
}

PhStatus ph_order_contacts(PhLayout *layout, const PhContacts *contacts) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint32_t count = contacts->count, solver_bodies = layout->solver_body_count;
    arrays->turn_count = 0;
    if (!arrays->order_count || !count) {
        return PH_OK;
    }
    if (PH_RESERVE(arrays->turn, count)) {
        return PH_ERROR_MEMORY;
    }
    uint32_t *start = ph_alloc((size_t)solver_bodies + 2, sizeof *start);
    if (!start) {
        return PH_ERROR_MEMORY;
    }
    for (int filling = 0; filling < 2; filling++) {
        for (uint32_t c = 0; c < count; c++) {
            const PhMember *owner = &arrays->members[contacts->body_a[c]];
            // Those whose order matters follow all others.
            uint32_t code = arrays->color_of[c];
            uint32_t solver_body =
                ph_color_overflows(code) || code >= PH_MAX_COLORS
                    ? solver_bodies
                    : arrays->batches[owner->batch].first_solver_body + owner->solver_body / 16;
            if (filling) {
                arrays->turn[start[solver_body]++] = c;
            } else {
                start[solver_body + 1]++;
            }
        }
        for (uint32_t solver_body = 0; !filling && solver_body <= solver_bodies; solver_body++) {
            start[solver_body + 1] += start[solver_body];
        }
    }
    arrays->turn_count = count;
    ph_free(start);
    return PH_OK;
}

// How hard an island works: islands that carry heavy bodies on light ones get kernels that solve
// both points of a contact at once, more substeps and, with these, stiffer contacts.
//
// Softness is what limits such stacks, not convergence: a contact sinks in by its load over the
// square of its frequency, which substeps alone bound; and points solved one after the other tip a
// column over. The hardness of a contact is min(mass ratio, load / weight of the lighter body), of
// an island the largest of its contacts: 1 in an even pile, 1000 below a body of 1000 times the
// mass. Raised at once, lowered one level after a while of calm.
//
// Invariant: efforts are a function of masses, contacts and the impulses of the last step.
#include <math.h>

#include "base/memory.h"
#include "solve/layout.h"

#define HARD 4.0                  // softer islands are left alone
#define MOST_SUBSTEPS 64          // unless the world has more
#define MOST_CONTACT_SUBSTEPS 1e5 // of an island in a step; about a millisecond
#define FEWEST_SUBSTEPS 8         // that this limit leaves
#define CALM_STEPS 30
#define LARGEST_RATIO 1e6 // also of bodies too heavy for float32

static int32_t base_substeps(const PhStepParameters *parameters) {
    return parameters->substeps < 1 ? 1 : parameters->substeps;
}

// Ratio of the masses of two dynamic bodies, at least 1; *light receives the inverse of the smaller
// mass.
static double mass_ratio(const PhSolverBodies *bodies, uint32_t a, uint32_t b, double *light) {
    double inv_a = (double)bodies->mass[a][0], inv_b = (double)bodies->mass[b][0];
    double most = inv_a > inv_b ? inv_a : inv_b, least = inv_a > inv_b ? inv_b : inv_a;
    *light = most;
    return most > least * LARGEST_RATIO ? LARGEST_RATIO : most > 0 ? most / least : 1;
}

// 0: plain. n > 0: block kernels, and n - 1 doublings of the substeps. 16 sqrt(H / 450) substeps at
// a frequency of 7.5 times their number let a stack of that hardness sink in by 1 cm (measured).
static uint8_t effort_for(double hardness, int32_t substeps) {
    if (!(hardness > HARD))
        return 0;
    uint8_t effort = 1;
    for (int32_t n = substeps; 2 * n <= MOST_SUBSTEPS && 450.0 * n * n < 256 * hardness; n *= 2)
        effort++;
    return effort;
}

static uint8_t limit_effort(uint8_t effort, uint32_t contacts, int32_t substeps) {
    for (; effort > 1; effort--) {
        int32_t n = substeps << (effort - 1);
        if (n <= FEWEST_SUBSTEPS || (double)n * contacts <= MOST_CONTACT_SUBSTEPS)
            break;
    }
    return effort;
}

// A contact that has not carried anything yet: half of what it will, if the heavy body is above.
static double expected_hardness(const PhSolverBodies *bodies, uint32_t a, uint32_t b, double ratio,
                                PhVec2 gravity) {
    bool a_is_heavy = bodies->mass[a][0] < bodies->mass[b][0];
    uint32_t heavy = a_is_heavy ? a : b, light = a_is_heavy ? b : a;
    PhVec2 up = {bodies->center[heavy][0] - bodies->center[light][0],
                 bodies->center[heavy][1] - bodies->center[light][1]};
    up = ph_wrap_near(&bodies->wrap, ph_vec(0, 0), up);
    return ph_dot(up, gravity) < 0 ? 0.5 * ratio : 0;
}

static bool is_uneven(const PhContacts *contacts, const PhSolverBodies *bodies, uint32_t c) {
    double light;
    uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
    return bodies->role[b] == PH_ROLE_DYNAMIC && mass_ratio(bodies, a, b, &light) > HARD;
}

// Whether there can be an uneven contact: most worlds have bodies of much the same mass.
static bool are_uneven(const PhSolverBodies *bodies) {
    double least = HUGE_VAL, most = 0;
    for (uint32_t m = 0; m < bodies->mover_count; m++) {
        double inv = (double)bodies->mass[bodies->mover[m]][0];
        least = inv < least ? inv : least;
        most = inv > most ? inv : most;
    }
    return most > HARD * least;
}

PhStatus ph_effort_spread(PhLayout *layout, const PhContacts *contacts,
                          const PhContactRecord *records, const PhSolverBodies *bodies,
                          const PhStepParameters *parameters) {
    struct PhLayoutArrays *arrays = layout->arrays;
    PhIsland *islands = arrays->islands;
    int32_t substeps = base_substeps(parameters);
    PhVec2 gravity = parameters->gravity;
    arrays->uneven_count = 0;
    layout->watch_effort = false;
    if (!bodies->effort || !(ph_dot(gravity, gravity) > 0))
        return PH_OK; // without weight there is nothing to carry
    uint32_t count = 0;
    bool uneven = are_uneven(bodies);
    for (uint32_t c = 0; uneven && c < contacts->count; c++)
        count += is_uneven(contacts, bodies, c);
    if (ph_reserve_array(&arrays->uneven, &arrays->uneven_capacity, count, sizeof *arrays->uneven))
        return PH_ERROR_MEMORY;
    for (uint32_t m = 0; m < bodies->mover_count; m++) {
        uint32_t i = bodies->mover[m];
        if (!layout->in_contact[i] || !bodies->effort[i].level)
            continue;
        uint8_t *asked = &islands[layout->island[i]].asked;
        *asked = *asked > bodies->effort[i].level ? *asked : bodies->effort[i].level;
        layout->watch_effort = true;
    }
    for (uint32_t c = 0; count && c < contacts->count; c++) {
        if (!is_uneven(contacts, bodies, c))
            continue;
        arrays->uneven[arrays->uneven_count++] = c;
        const PhContactRecord *record = &records[contacts->pair[c]];
        if (record->nx != 0 || record->ny != 0)
            continue;
        uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
        double light, ratio = mass_ratio(bodies, a, b, &light);
        uint8_t *asked = &islands[layout->island[a]].asked;
        uint8_t want = effort_for(expected_hardness(bodies, a, b, ratio, gravity), substeps);
        *asked = *asked > want ? *asked : want;
    }
    layout->watch_effort |= count > 0;
    for (uint32_t m = 0; layout->watch_effort && m < bodies->mover_count; m++) {
        uint32_t i = bodies->mover[m];
        if (layout->island[i] == i)
            islands[i].effort = limit_effort(islands[i].asked, islands[i].contact_count, substeps);
    }
    return PH_OK;
}

static void measure_hardness(const PhLayout *layout, const PhContacts *contacts,
                             const PhContactRecord *records, const PhSolverBodies *bodies,
                             const PhStepParameters *parameters) {
    PhIsland *islands = layout->arrays->islands;
    double h = parameters->dt / base_substeps(parameters);
    double g = ph_length(parameters->gravity);
    for (uint32_t m = 0; m < bodies->mover_count; m++)
        islands[bodies->mover[m]].hardness = 0;
    for (uint32_t k = 0; k < layout->arrays->uneven_count; k++) {
        uint32_t c = layout->arrays->uneven[k];
        const PhContactRecord *record = &records[contacts->pair[c]];
        double light, ratio = mass_ratio(bodies, contacts->body_a[c], contacts->body_b[c], &light);
        // Impulses are kept as those of a substep of the world.
        double force = ((double)record->normal_impulse[0] + (double)record->normal_impulse[1]) / h;
        double load = force * light / g, hardness = load < ratio ? load : ratio;
        PhIsland *island = &islands[layout->island[contacts->body_a[c]]];
        island->hardness = hardness > island->hardness ? hardness : island->hardness;
    }
}

bool ph_effort_update(const PhLayout *layout, const PhContacts *contacts,
                      const PhContactRecord *records, const PhSolverBodies *bodies,
                      const PhStepParameters *parameters) {
    if (!layout->watch_effort)
        return false;
    const PhIsland *islands = layout->arrays->islands;
    int32_t substeps = base_substeps(parameters);
    bool changed = false;
    measure_hardness(layout, contacts, records, bodies, parameters);
    for (uint32_t m = 0; m < bodies->mover_count; m++) {
        uint32_t i = bodies->mover[m];
        PhEffort *mine = &bodies->effort[i];
        if (!layout->in_contact[i]) {
            *mine = (PhEffort){0, 0};
            continue;
        }
        const PhIsland *island = &islands[layout->island[i]];
        if (layout->island[i] != i) { // the root is the lowest slot, so it has decided already
            *mine = bodies->effort[layout->island[i]];
            continue;
        }
        uint8_t want = effort_for(island->hardness, substeps), calm = mine->calm;
        *mine = (PhEffort){island->asked, 0};
        if (want > island->asked)
            mine->level = want;
        else if (want < island->asked && calm + 1 < CALM_STEPS)
            mine->calm = (uint8_t)(calm + 1);
        else if (want < island->asked)
            mine->level = (uint8_t)(island->asked - 1);
        changed |= mine->level != island->asked;
    }
    return changed;
}

uint32_t ph_layout_most_substeps(const PhLayout *layout, int32_t substeps) {
    uint32_t most = (uint32_t)substeps;
    for (uint32_t b = 0; b < layout->bin_count; b++) {
        uint8_t effort = layout->arrays->bins[b].effort;
        uint32_t n = (uint32_t)substeps << (effort > 1 ? effort - 1 : 0);
        most = n > most ? n : most;
    }
    return most;
}

// How hard an island works: islands that carry heavy bodies on light ones get kernels that solve
// both points of a contact at once, more substeps and, with these, stiffer contacts.
//
// Softness is what limits such stacks, not convergence: a contact sinks in by its load over the
// square of its frequency, which substeps alone bound; and points solved one after the other tip a
// column over. The hardness of a contact is min(mass ratio, load / weight of the lighter body), of
// an island the largest of its contacts: 1 in an even pile, 1000 below a body of 1000 times the
// mass. Raised at once, lowered one level after a while of calm.
//
// So does an island with tight ropes. A light body on a rod of length L under the tension T swings
// across it at the square root of 4 T / (m L) at most, faster than substeps of h follow where that
// times h is above 1: the island is given as many substeps as that asks for.
//
// A heavy body that a joint pins to the ground near its centre of mass, as a drum or a stirrer,
// rests on the pin and not on what it touches: it counts as fixed.
//
// Invariant: efforts are a function of masses, contacts, joints and the impulses of the last step.
#include <math.h>

#include "base/memory.h"
#include "solve/articulated.h"
#include "solve/layout.h"

#define HARD 4.0                  // softer islands are left alone
#define MOST_SUBSTEPS 64          // unless the world has more
#define MOST_CONTACT_SUBSTEPS 1e5 // of an island in a step; about a millisecond
#define FEWEST_SUBSTEPS 8         // that this limit leaves
#define JOINT_CONTACTS 8          // that cost what a joint does
#define SHORTEST_ROPE 1e-3        // metres; shorter ones are as good as pins
#define CALM_STEPS 30
#define ARTICULATED_EFFORT 2 // at least: bridges that a heavy body pulls taut whip about
// Loads of light bodies with joints, over their weights, from which their contacts know the joints,
// and with which they go on to.
#define LADEN 8.0
#define STILL_LADEN 1.0
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

static uint8_t limit_effort(uint8_t effort, uint64_t contacts, int32_t substeps) {
    for (; effort > 1; effort--) {
        int32_t n = substeps << (effort - 1);
        if (n <= FEWEST_SUBSTEPS || (double)n * (double)contacts <= MOST_CONTACT_SUBSTEPS)
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
    up = ph_wrap_least(&bodies->wrap, up);
    return ph_dot(up, gravity) < 0 ? 0.5 * ratio : 0;
}

// The hardness that asks for as many substeps as a rope needs; 0 where those of the world do.
static double rope_hardness(const PhSolverBodies *bodies, uint32_t j,
                            const PhStepParameters *parameters) {
    const PhJoint *joint = &bodies->joints->joint[j];
    double tension = -(double)bodies->joints->result[j].load[0], light = 0,
           least = base_substeps(parameters);
    if (joint->kind != PH_JOINT_DISTANCE || !joint->active || !(tension > 0))
        return 0;
    double upper = joint->value[PH_JOINT_UPPER];
    double length = upper < INFINITY ? upper : joint->value[PH_JOINT_TARGET];
    if (!(length > SHORTEST_ROPE))
        return 0;
    for (int side = 0; side < 2; side++) {
        uint32_t slot = joint->body[side];
        if (slot != PH_NULL && bodies->role[slot] == PH_ROLE_DYNAMIC)
            light = light > (double)bodies->mass[slot][0] ? light : (double)bodies->mass[slot][0];
    }
    double squared = parameters->dt * parameters->dt * 4 * tension * light / length;
    double most = (double)MOST_SUBSTEPS * MOST_SUBSTEPS;
    squared = squared < most ? squared : most;
    return light > 0 && squared > least * least ? 450.0 / 256 * squared : 0;
}

// The hardness of ropes, to their islands where these are given. Returns whether any has one.
static bool measure_ropes(const PhLayout *layout, const PhSolverBodies *bodies,
                          const PhStepParameters *parameters, PhIsland *islands) {
    const PhSolverJoints *joints = bodies->joints;
    bool any = false;
    for (uint32_t j = 0; joints && joints->rods && j < joints->limit; j++) {
        double hardness = rope_hardness(bodies, j, parameters);
        if (hardness == 0)
            continue;
        any = true;
        uint32_t mover = ph_joint_mover(bodies, &joints->joint[j]);
        if (islands && mover != PH_NULL) {
            PhIsland *island = &islands[layout->island[mover]];
            island->hardness = hardness > island->hardness ? hardness : island->hardness;
        }
    }
    return any;
}

static void count_joints(const PhLayout *layout, const PhSolverBodies *bodies) {
    const PhSolverJoints *joints = bodies->joints;
    PhIsland *islands = layout->arrays->islands;
    for (uint32_t m = 0; m < bodies->mover_count; m++)
        islands[bodies->mover[m]].joint_count = 0;
    for (uint32_t j = 0; joints && joints->active && j < joints->limit; j++) {
        uint32_t mover = ph_joint_mover(bodies, &joints->joint[j]);
        if (mover != PH_NULL)
            islands[layout->island[mover]].joint_count++;
    }
}

// Names the dynamic bodies that are pinned to fixed ones.
static void find_pinned(const PhLayout *layout, const PhSolverBodies *bodies) {
    const PhSolverJoints *joints = bodies->joints;
    PhSlotScratch *slots = layout->arrays->slots;
    for (int naming = 0; naming < 2; naming++) {
        for (uint32_t j = 0; joints && !joints->plain && j < joints->limit; j++) {
            const PhJoint *joint = &joints->joint[j];
            if (ph_joint_mover(bodies, joint) == PH_NULL)
                continue;
            for (int side = 0; side < 2; side++) {
                uint32_t slot = joint->body[side], other = joint->body[1 - side];
                if (slot == PH_NULL || bodies->role[slot] != PH_ROLE_DYNAMIC)
                    continue;
                if (!naming)
                    slots[slot].pinned = false;
                else if (other == PH_NULL || bodies->role[other] != PH_ROLE_DYNAMIC)
                    slots[slot].pinned |= ph_joint_bears(bodies, joint, side);
            }
        }
    }
}

static bool is_uneven(const PhLayout *layout, const PhContacts *contacts,
                      const PhSolverBodies *bodies, uint32_t c) {
    const PhSlotScratch *slots = layout->arrays->slots;
    double light;
    uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
    if (bodies->role[b] != PH_ROLE_DYNAMIC || !(mass_ratio(bodies, a, b, &light) > HARD))
        return false;
    return !slots[bodies->mass[a][0] < bodies->mass[b][0] ? a : b].pinned;
}

// Whether there can be an uneven contact: most worlds have bodies of much the same mass, but for
// pinned ones.
static bool are_uneven(const PhLayout *layout, const PhSolverBodies *bodies) {
    const PhSlotScratch *slots = layout->arrays->slots;
    double least = HUGE_VAL, most = 0;
    for (uint32_t m = 0; m < bodies->mover_count; m++) {
        double inv = (double)bodies->mass[bodies->mover[m]][0];
        if (!slots[bodies->mover[m]].pinned)
            least = inv < least ? inv : least;
        most = inv > most ? inv : most;
    }
    return most > HARD * least;
}

// ------------------------------------------------------------------------------------------------
// articulated bodies

// Names the dynamic bodies that a joint holds.
static void find_tied(const PhLayout *layout, const PhSolverBodies *bodies) {
    const PhSolverJoints *joints = bodies->joints;
    PhSlotScratch *slots = layout->arrays->slots;
    for (int naming = 0; naming < 2; naming++) {
        for (uint32_t j = 0; j < joints->limit; j++) {
            const PhJoint *joint = &joints->joint[j];
            if (ph_joint_mover(bodies, joint) == PH_NULL ||
                !(ph_joint_rigid_rows(joint) | ph_joint_axis_rows(joint)))
                continue;
            for (int side = 0; side < 2; side++) {
                uint32_t slot = joint->body[side];
                if (slot != PH_NULL && bodies->role[slot] == PH_ROLE_DYNAMIC)
                    slots[slot].tied = naming;
            }
        }
    }
}

// How many times the weight of a light body with joints may lie on it in this contact: the mass of
// the other body, or, where that is fixed, of the heaviest one of the island but for pinned ones,
// over its own; 0 where that is not much.
static double laden_ratio(const PhLayout *layout, const PhContacts *contacts,
                          const PhSolverBodies *bodies, uint32_t c, double *light) {
    const PhSlotScratch *slots = layout->arrays->slots;
    uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
    double least = (double)layout->arrays->islands[layout->island[a]].least;
    double inv_a = (double)bodies->mass[a][0], most = inv_a;
    bool tied = slots[a].tied;
    if (bodies->role[b] == PH_ROLE_DYNAMIC) {
        double inv_b = (double)bodies->mass[b][0];
        least = inv_a < inv_b ? inv_a : inv_b;
        most = inv_a < inv_b ? inv_b : inv_a;
        tied = slots[inv_a < inv_b ? b : a].tied && !slots[inv_a < inv_b ? a : b].pinned;
    }
    *light = most;
    return !tied || !(most > HARD * least) ? 0
           : most > LARGEST_RATIO * least  ? LARGEST_RATIO
                                           : most / least;
}

// Lists the contacts of light bodies with joints, and names the islands in which they are laden.
static PhStatus find_laden(PhLayout *layout, const PhContacts *contacts,
                           const PhContactRecord *records, const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    PhIsland *islands = arrays->islands;
    double light;
    for (uint32_t m = 0; m < bodies->mover_count; m++)
        islands[bodies->mover[m]].least = HUGE_VALF;
    for (uint32_t m = 0; m < bodies->mover_count; m++) {
        uint32_t i = bodies->mover[m];
        PhIsland *island = &islands[layout->island[i]];
        if (layout->in_contact[i] && !arrays->slots[i].pinned && bodies->mass[i][0] < island->least)
            island->least = bodies->mass[i][0];
    }
    uint32_t count = 0;
    for (uint32_t c = 0; c < contacts->count; c++)
        count += laden_ratio(layout, contacts, bodies, c, &light) > 0;
    if (ph_reserve_array(&arrays->laden, &arrays->laden_capacity, count, sizeof *arrays->laden))
        return PH_ERROR_MEMORY;
    for (uint32_t c = 0; count && c < contacts->count; c++) {
        double ratio = laden_ratio(layout, contacts, bodies, c, &light);
        if (!(ratio > 0))
            continue;
        arrays->laden[arrays->laden_count++] = c;
        const PhContactRecord *record = &records[contacts->pair[c]];
        bool fresh = record->nx == 0 && record->ny == 0;
        islands[layout->island[contacts->body_a[c]]].wanted |= fresh && 0.5 * ratio > LADEN;
    }
    layout->watch_effort |= count > 0;
    return PH_OK;
}

// How fast the points of a contact come nearer, m/s.
static double approach_of(const PhContacts *contacts, const PhSolverBodies *bodies, uint32_t c) {
    const PhManifoldRecord *m = &contacts->manifold[contacts->pair[c]];
    uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
    double fastest = 0;
    for (int i = 0; i < 2; i++) {
        if (!ph_has_point(m, i))
            continue;
        PhVec2 arm_a = {(double)m->point[i].x, (double)m->point[i].y};
        PhVec2 arm_b = {arm_a.x - (double)m->dx, arm_a.y - (double)m->dy};
        double vx = bodies->velocity[b][0] - bodies->angular_velocity[b] * arm_b.y -
                    bodies->velocity[a][0] + bodies->angular_velocity[a] * arm_a.y;
        double vy = bodies->velocity[b][1] + bodies->angular_velocity[b] * arm_b.x -
                    bodies->velocity[a][1] - bodies->angular_velocity[a] * arm_a.x;
        fastest = ph_max(fastest, -(vx * (double)m->nx + vy * (double)m->ny));
    }
    return fastest;
}

// Names the islands in which a contact that is new will bounce off a body that a joint holds: the
// blow goes through the joints, so this step is solved by articulated.c. Not where such bodies
// touch each other, as in folded chains, where an impulse may have hardly any lever.
static void find_bounces(PhLayout *layout, const PhContacts *contacts,
                         const PhContactRecord *records, const PhSolverBodies *bodies,
                         double threshold) {
    const PhSlotScratch *slots = layout->arrays->slots;
    PhIsland *islands = layout->arrays->islands;
    for (uint32_t m = 0; m < bodies->mover_count; m++)
        islands[bodies->mover[m]].bounces = islands[bodies->mover[m]].folds = false;
    for (uint32_t c = 0; c < contacts->count; c++) {
        uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
        const PhContactRecord *record = &records[contacts->pair[c]];
        PhIsland *island = &islands[layout->island[a]];
        bool tied = bodies->role[b] == PH_ROLE_DYNAMIC && slots[b].tied;
        island->folds |= tied && slots[a].tied;
        bool acted = record->total_normal[0] + record->total_normal[1] > 0; // in the step before
        if ((tied || slots[a].tied) && !acted &&
            contacts->manifold[contacts->pair[c]].restitution > 0 &&
            approach_of(contacts, bodies, c) > threshold)
            island->bounces = layout->watch_effort = true;
    }
}

// Gives islands that are laden or bounce, and small enough, to articulated.c: their contacts are
// without a color.
static void take_articulated(PhLayout *layout, const PhContacts *contacts,
                             const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    for (uint32_t m = 0; m < bodies->mover_count; m++) {
        uint32_t i = bodies->mover[m];
        PhIsland *island = &arrays->islands[i];
        bool once = island->bounces && !island->folds;
        if (layout->island[i] != i || !(island->wanted || once))
            continue;
        uint64_t cost = (uint64_t)island->contact_count * island->joint_count;
        island->articulated = island->contact_count > 0 && cost > 0 &&
                              island->contact_count <= PH_ARTICULATED_CONTACTS &&
                              cost <= PH_ARTICULATED_COST;
        arrays->articulated_count += island->articulated;
    }
    for (uint32_t c = 0; arrays->articulated_count && c < contacts->count; c++)
        if (arrays->islands[layout->island[contacts->body_a[c]]].articulated)
            arrays->color_of[c] = layout->island[contacts->body_b[c]] == PH_NULL
                                      ? PH_OVERFLOW_FIXED
                                      : PH_OVERFLOW_DYNAMIC;
}

static void measure_burdens(const PhLayout *layout, const PhContacts *contacts,
                            const PhContactRecord *records, const PhSolverBodies *bodies,
                            const PhStepParameters *parameters) {
    PhIsland *islands = layout->arrays->islands;
    double h = parameters->dt / base_substeps(parameters);
    double g = ph_length(parameters->gravity), light;
    for (uint32_t m = 0; m < bodies->mover_count; m++)
        islands[bodies->mover[m]].burden = 0;
    for (uint32_t k = 0; k < layout->arrays->laden_count; k++) {
        uint32_t c = layout->arrays->laden[k];
        const PhContactRecord *record = &records[contacts->pair[c]];
        double ratio = laden_ratio(layout, contacts, bodies, c, &light);
        double force = ((double)record->normal_impulse[0] + (double)record->normal_impulse[1]) / h;
        double load = force * light / g, burden = load < ratio ? load : ratio;
        PhIsland *island = &islands[layout->island[contacts->body_a[c]]];
        island->burden = burden > island->burden ? burden : island->burden;
    }
}

PhStatus ph_effort_spread(PhLayout *layout, const PhContacts *contacts,
                          const PhContactRecord *records, const PhSolverBodies *bodies,
                          const PhStepParameters *parameters) {
    struct PhLayoutArrays *arrays = layout->arrays;
    PhIsland *islands = arrays->islands;
    int32_t substeps = base_substeps(parameters);
    PhVec2 gravity = parameters->gravity;
    arrays->uneven_count = arrays->laden_count = arrays->articulated_count = 0;
    layout->watch_effort = false;
    if (!bodies->effort)
        return PH_OK;
    uint32_t count = 0;
    find_pinned(layout, bodies);
    bool heavy = ph_dot(gravity, gravity) > 0; // without weight there is nothing to carry
    bool uneven = heavy && are_uneven(layout, bodies);
    for (uint32_t c = 0; uneven && c < contacts->count; c++)
        count += is_uneven(layout, contacts, bodies, c);
    if (ph_reserve_array(&arrays->uneven, &arrays->uneven_capacity, count, sizeof *arrays->uneven))
        return PH_ERROR_MEMORY;
    for (uint32_t m = 0; m < bodies->mover_count; m++) {
        uint32_t i = bodies->mover[m];
        uint8_t level = bodies->effort[i].level, tied = bodies->effort[i].tied;
        if (!level && !tied)
            continue;
        layout->watch_effort = true; // also what touches nothing: it is to lose its level
        if (!layout->in_contact[i])
            continue;
        PhIsland *island = &islands[layout->island[i]];
        island->asked = island->asked > level ? island->asked : level;
        island->wanted |= tied > 0;
    }
    for (uint32_t c = 0; count && c < contacts->count; c++) {
        if (!is_uneven(layout, contacts, bodies, c))
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
    if (bodies->joints && bodies->joints->active && contacts->count) {
        find_tied(layout, bodies);
        find_bounces(layout, contacts, records, bodies, parameters->restitution_threshold);
        if (heavy && find_laden(layout, contacts, records, bodies))
            return PH_ERROR_MEMORY;
    }
    if (layout->watch_effort) {
        count_joints(layout, bodies);
        take_articulated(layout, contacts, bodies);
    }
    for (uint32_t m = 0; layout->watch_effort && m < bodies->mover_count; m++) {
        uint32_t i = bodies->mover[m];
        PhIsland *island = &islands[i];
        if (layout->island[i] != i)
            continue;
        uint8_t asked = island->asked;
        if (island->articulated && asked < ARTICULATED_EFFORT && 2 * substeps <= MOST_SUBSTEPS)
            asked = ARTICULATED_EFFORT;
        island->effort = limit_effort(
            asked, island->contact_count + JOINT_CONTACTS * (uint64_t)island->joint_count,
            substeps);
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
    if (!bodies->effort ||
        !(layout->watch_effort || measure_ropes(layout, bodies, parameters, NULL)))
        return false;
    const PhIsland *islands = layout->arrays->islands;
    int32_t substeps = base_substeps(parameters);
    bool changed = false;
    measure_hardness(layout, contacts, records, bodies, parameters);
    measure_burdens(layout, contacts, records, bodies, parameters);
    measure_ropes(layout, bodies, parameters, layout->arrays->islands);
    for (uint32_t m = 0; m < bodies->mover_count; m++) {
        uint32_t i = bodies->mover[m];
        PhEffort *mine = &bodies->effort[i];
        if (!layout->in_contact[i]) {
            *mine = (PhEffort){0};
            continue;
        }
        const PhIsland *island = &islands[layout->island[i]];
        if (layout->island[i] != i) { // the root is the lowest slot, so it has decided already
            *mine = bodies->effort[layout->island[i]];
            continue;
        }
        uint8_t want = effort_for(island->hardness, substeps), calm = mine->calm;
        uint8_t tied = island->wanted && !mine->tied ? CALM_STEPS : mine->tied;
        bool keeps = island->burden > (tied > 0 ? STILL_LADEN : LADEN);
        tied = keeps ? CALM_STEPS : tied > 0 ? (uint8_t)(tied - 1) : 0;
        *mine = (PhEffort){.level = island->asked, .tied = tied};
        changed |= (tied > 0) != (island->wanted || island->articulated);
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

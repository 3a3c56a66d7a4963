// Adaptive substeps. Islands that carry heavy bodies on light ones get kernels that solve both
// points of a contact at once (the block solver), more substeps and, with these, stiffer contacts.
//
// Softness limits such stacks, not convergence. A contact sinks in by its load over the square of
// its frequency, and the number of substeps bounds the frequency. Points that are solved one after
// the other tip a column over. The hardness of a contact is min(mass ratio, load / weight of the
// lighter body); that of an island is the largest of its contacts. It is 1 in an even pile, and
// 1000 below a body of 1000 times the mass. The level rises at once, and falls by one after a while
// of calm.
//
// The same holds for an island with tight ropes. A light body on a rope of length L under the
// tension T oscillates across it with an angular frequency of at most sqrt(4 T / (m L)). Substeps
// of h cannot follow if that times h is above 1. The island gets as many substeps as needed.
//
// Bodies of equal mass sink into each other too if a force from outside presses them together, as a
// press, a motor or a lever does. Islands in which a single force could do so are found by the
// forces and by the loads of joints. If their contacts are pressed in deeper than 1 cm, or are
// about to be, they get the substeps that bring it down to that. A pile under its own weight alone
// stays as it is.
//
// A heavy body that a joint fastens to the ground near its centre of mass, as a drum or a stirrer,
// rests on the joint and not on what it touches: it counts as fixed.
//
// Invariant: substep levels are a function of masses, contacts, joints, the impulses of the last
// step and the previous levels. A layout that is rebuilt while nothing has changed changes nothing,
// because what is examined only then concerns new contacts, or is predicted in each step.
#include <math.h>

#include "base/memory.h"
#include "math/trig.h"
#include "solve/articulated_islands.h"
#include "solve/jointed_impacts.h"
#include "solve/layout.h"

#define HARD 4.0                  // softer islands keep level 0
#define MOST_SUBSTEPS 128         // unless the world has more
#define MOST_CONTACT_SUBSTEPS 1e5 // of an island in a step; about a millisecond
#define FEWEST_SUBSTEPS 8         // the limit leaves at least these
#define JOINT_CONTACTS 8          // contacts that cost as much as a joint
#define CALM_STEPS 30
#define ARTICULATED_LEVEL 2 // at least: a bridge that a heavy body pulls taut would whip about
// Loads of light jointed bodies, over their weights: above the first, an island is solved through
// its joints; it stays so while the load is above the second.
#define LADEN 8.0
#define STILL_LADEN 1.0
#define HUNG_HARD 2.0     // likewise, of bodies that hang on what is fixed
#define LARGEST_RATIO 1e6 // also of bodies too heavy for float32
// The largest displacement of a contact point of two bodies by a force, over that of the lighter
// body: both may be as light, and turn under half of the force at the end of a rod.
#define YIELDING 4.0
#define STALLED 0.99 // of the torque of a motor that cannot turn on

// Ratio of the masses of two dynamic bodies, at least 1; *light receives the inverse of the smaller
// mass.
static double mass_ratio(const PhSolverBodies *bodies, uint32_t a, uint32_t b, double *light) {
    double inv_a = (double)bodies->mass[a][0], inv_b = (double)bodies->mass[b][0];
    double most = inv_a > inv_b ? inv_a : inv_b, least = inv_a > inv_b ? inv_b : inv_a;
    *light = most;
    return most > least * LARGEST_RATIO ? LARGEST_RATIO : most > 0 ? most / least : 1;
}

// 0: plain. n > 0: the block solver, and n - 1 doublings of the substeps. With 16 sqrt(H / 450)
// substeps, at a frequency of 7.5 times their number, a stack of hardness H sinks in by 1 cm
// (measured).
static uint8_t level_for(double hardness, int32_t substeps) {
    if (!(hardness > HARD)) {
        return 0;
    }
    uint8_t substep_level = 1;
    for (int32_t n = substeps; 2 * n <= MOST_SUBSTEPS && 450.0 * n * n < 256 * hardness; n *= 2) {
        substep_level++;
    }
    return substep_level;
}

double ph_hardness_for(const PhStepParameters *parameters, double stiffer) {
    double substeps = ph_base_substeps(parameters), most = (double)MOST_SUBSTEPS * MOST_SUBSTEPS;
    return 450.0 / 256 * ph_min(substeps * substeps * stiffer, most);
}

static uint8_t limit_level(uint8_t substep_level, uint64_t contacts, int32_t substeps) {
    for (; substep_level > 1; substep_level--) {
        int32_t n = substeps << (substep_level - 1);
        if (n <= FEWEST_SUBSTEPS || (double)n * (double)contacts <= MOST_CONTACT_SUBSTEPS) {
            break;
        }
    }
    return substep_level;
}

// The hardness of a contact that has carried nothing yet: half of what it will carry, if the heavy
// body is above.
static double expected_hardness(const PhSolverBodies *bodies, uint32_t a, uint32_t b, double ratio,
                                PhVec2 gravity) {
    bool a_is_heavy = bodies->mass[a][0] < bodies->mass[b][0];
    uint32_t heavy = a_is_heavy ? a : b, light = a_is_heavy ? b : a;
    PhVec2 up = {bodies->center[heavy][0] - bodies->center[light][0],
                 bodies->center[heavy][1] - bodies->center[light][1]};
    up = ph_wrap_least(&bodies->wrap, up);
    return ph_dot(up, gravity) < 0 ? 0.5 * ratio : 0;
}

// The hardness that gives as many substeps as a rope needs; 0 if those of the world suffice.
static double rope_hardness(const PhSolverBodies *bodies, uint32_t j,
                            const PhStepParameters *parameters) {
    const PhJoint *joint = &bodies->joints->joint[j];
    double tension = -(double)bodies->joints->result[j].load[0], light = 0,
           least = ph_base_substeps(parameters);
    if (!ph_joint_info(joint)->distance || !joint->active || !(tension > 0)) {
        return 0;
    }
    double upper = joint->value[PH_JOINT_UPPER];
    double length = upper < INFINITY ? upper : joint->value[PH_JOINT_TARGET];
    if (!(length > parameters->lengths->shortest_rope)) {
        return 0;
    }
    for (int side = 0; side < 2; side++) {
        uint32_t slot = joint->body[side];
        if (slot != PH_NULL && bodies->role[slot] == PH_ROLE_DYNAMIC) {
            light = light > (double)bodies->mass[slot][0] ? light : (double)bodies->mass[slot][0];
        }
    }
    double squared = parameters->dt * parameters->dt * 4 * tension * light / length;
    double most = (double)MOST_SUBSTEPS * MOST_SUBSTEPS;
    squared = squared < most ? squared : most;
    return light > 0 && squared > least * least ? 450.0 / 256 * squared : 0;
}

// Adds the hardness of ropes to their islands, if these are given. Returns whether any rope has
// one.
static bool measure_ropes(const PhLayout *layout, const PhSolverBodies *bodies,
                          const PhStepParameters *parameters, PhIsland *islands) {
    const PhSolverJoints *joints = bodies->joints;
    bool any = false;
    for (uint32_t j = 0; joints && joints->distances && j < joints->limit; j++) {
        double hardness = rope_hardness(bodies, j, parameters);
        if (hardness == 0) {
            continue;
        }
        any = true;
        uint32_t dynamic = ph_joint_dynamic_body(bodies, &joints->joint[j]);
        if (islands && dynamic != PH_NULL) {
            PhIsland *island = &islands[layout->island[dynamic]];
            island->hardness = hardness > island->hardness ? hardness : island->hardness;
            island->burden = ph_max(island->burden, 2 * LADEN); // what lies on it hops else
        }
    }
    return any;
}

static void count_joints(const PhLayout *layout) {
    const PhJointLayout *joints = &layout->arrays->joints;
    PhIsland *islands = layout->arrays->islands;
    for (uint32_t t = 0; t < joints->tie_count; t++) {
        islands[layout->island[joints->ties[t].slot]].joint_count += joints->ties[t].joint_count;
    }
}

// Marks the dynamic bodies that are pinned to fixed ones.
static void find_pinned(const PhLayout *layout, const PhSolverBodies *bodies) {
    const PhJointLayout *joints = &layout->arrays->joints;
    PhSlotScratch *slots = layout->arrays->slots;
    if (!bodies->joints) {
        return;
    }
    for (int naming = 0; naming < 2; naming++) {
        for (uint32_t k = 0; k < joints->hung_count; k++) {
            const PhJoint *joint = &bodies->joints->joint[joints->hung[k]];
            bool second = joints->facts[joints->hung[k]].fixed_a; // b is the dynamic one
            bool *pinned = &slots[joint->body[second]].pinned;
            *pinned = naming && (*pinned || ph_joint_bears(bodies, joint, second));
        }
    }
}

static bool is_uneven(const PhLayout *layout, const PhContacts *contacts,
                      const PhSolverBodies *bodies, uint32_t c) {
    const PhSlotScratch *slots = layout->arrays->slots;
    double light;
    uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
    if (bodies->role[b] != PH_ROLE_DYNAMIC || !(mass_ratio(bodies, a, b, &light) > HARD)) {
        return false;
    }
    return !slots[bodies->mass[a][0] < bodies->mass[b][0] ? a : b].pinned;
}

// Whether there can be an uneven contact. Most worlds have bodies of similar masses, except pinned
// ones.
static bool are_uneven(const PhLayout *layout, const PhSolverBodies *bodies) {
    const PhSlotScratch *slots = layout->arrays->slots;
    double least = HUGE_VAL, most = 0;
    for (uint32_t m = 0; m < bodies->dynamic_count; m++) {
        double inv = (double)bodies->mass[bodies->dynamic[m]][0];
        if (!slots[bodies->dynamic[m]].pinned) {
            least = inv < least ? inv : least;
        }
        most = inv > most ? inv : most;
    }
    return most > HARD * least;
}

// ------------------------------------------------------------------------------------------------
// articulated bodies

// Marks the dynamic bodies that a joint holds, and lists the contacts of all that have joints.
static PhStatus find_jointed(PhLayout *layout, const PhContacts *contacts,
                             const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    const PhJointLayout *joints = &arrays->joints;
    PhSlotScratch *slots = arrays->slots;
    for (uint32_t t = 0; t < joints->tie_count; t++) {
        uint32_t slot = joints->ties[t].slot;
        slots[slot].jointed = joints->ties[t].jointed;
        slots[slot].welded = joints->ties[t].welded;
        uint32_t count = arrays->islands[layout->island[slot]].contact_count;
        arrays->may_hit |= slots[slot].jointed && count > 0 && count <= PH_ARTICULATED_CONTACTS;
    }
    if (PH_RESERVE(arrays->at_joints, contacts->count)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t c = 0; c < contacts->count; c++) {
        uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
        arrays->at_joints[arrays->at_joints_count] = c;
        arrays->at_joints_count +=
            slots[a].in_joint | (bodies->role[b] == PH_ROLE_DYNAMIC && slots[b].in_joint);
    }
    return PH_OK;
}

// Whether what is fixed holds a jointed body, through others or at once.
static bool hangs(const PhLayout *layout, uint32_t slot) {
    const PhJointLayout *joints = &layout->arrays->joints;
    return joints->ties[joints->tie_of[joints->ties[joints->tie_of[slot]].root]].hung;
}

// How many times the weight of a light jointed body may lie on it in this contact: the mass of the
// other body over its own, or, if that one is fixed, the mass of the heaviest body of the island
// that is not pinned. 0 if that is not much. Squared where the light one hangs on what is fixed:
// its joints do not yield at all, and contacts that know its mass alone tremble under stacks of
// bodies of three times that. *hung: whether it does.
static double laden_ratio(const PhLayout *layout, const PhContacts *contacts,
                          const PhSolverBodies *bodies, uint32_t c, double *light, bool *hung) {
    const PhSlotScratch *slots = layout->arrays->slots;
    uint32_t a = contacts->body_a[c], b = contacts->body_b[c], lighter = a;
    *light = 0;
    *hung = false;
    if (!slots[a].jointed && !(bodies->role[b] == PH_ROLE_DYNAMIC && slots[b].jointed)) {
        return 0;
    }
    double least = (double)layout->arrays->islands[layout->island[a]].least;
    double inv_a = (double)bodies->mass[a][0], most = inv_a;
    bool pinned = false;
    if (bodies->role[b] == PH_ROLE_DYNAMIC) {
        double inv_b = (double)bodies->mass[b][0];
        least = inv_a < inv_b ? inv_a : inv_b;
        most = inv_a < inv_b ? inv_b : inv_a;
        lighter = inv_a < inv_b ? b : a;
        pinned = slots[inv_a < inv_b ? a : b].pinned;
    }
    *light = most;
    if (!slots[lighter].jointed || pinned) {
        return 0;
    }
    double ratio = most > LARGEST_RATIO * least ? LARGEST_RATIO : most / least;
    *hung = hangs(layout, lighter);
    return *hung && ratio > HUNG_HARD ? ratio * ratio : ratio > HARD ? ratio : 0;
}

// Lists the contacts of light jointed bodies, and marks the islands in which they carry much.
static PhStatus find_laden(PhLayout *layout, const PhContacts *contacts,
                           const PhContactRecord *records, const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    PhIsland *islands = arrays->islands;
    double light;
    bool hung;
    if (PH_RESERVE(arrays->laden, arrays->at_joints_count)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t k = 0; k < arrays->at_joints_count; k++) {
        uint32_t c = arrays->at_joints[k];
        double ratio = laden_ratio(layout, contacts, bodies, c, &light, &hung);
        if (!(ratio > 0)) {
            continue;
        }
        arrays->laden[arrays->laden_count++] = c;
        const PhContactRecord *record = &records[contacts->pair[c]];
        bool fresh = record->nx == 0 && record->ny == 0;
        islands[layout->island[contacts->body_a[c]]].wanted |= fresh && 0.5 * ratio > LADEN;
    }
    layout->watch_substeps |= arrays->laden_count > 0;
    return PH_OK;
}

// Marks the islands in which something touches bodies that welds make one. A contact that knew one
// of them alone would be too soft by the ratio of the masses, and far softer against turning them
// all: a welded frame would rock on its feet.
static void find_welded(PhLayout *layout, const PhContacts *contacts,
                        const PhSolverBodies *bodies) {
    const PhSlotScratch *slots = layout->arrays->slots;
    const struct PhLayoutArrays *arrays = layout->arrays;
    for (uint32_t k = 0; arrays->joints.weld_count && k < arrays->at_joints_count; k++) {
        uint32_t c = arrays->at_joints[k], a = contacts->body_a[c], b = contacts->body_b[c];
        if (slots[a].welded || (bodies->role[b] == PH_ROLE_DYNAMIC && slots[b].welded)) {
            arrays->islands[layout->island[a]].welded = layout->watch_substeps = true;
        }
    }
}

// Whether an island is solved through its joints only in this step, for an impact.
static bool is_for_once(const PhIsland *island) {
    return island->bounces && !island->folds;
}

// Gives islands that carry much, bounce, are welded or jammed, and are small enough, to
// articulated_islands.c. Their contacts get no color.
static void take_articulated(PhLayout *layout, const PhContacts *contacts) {
    struct PhLayoutArrays *arrays = layout->arrays;
    for (uint32_t r = 0; r < layout->island_count; r++) {
        PhIsland *island = &arrays->islands[arrays->roots[r]];
        if (!(island->wanted || is_for_once(island) || island->welded || island->jammed)) {
            continue;
        }
        uint64_t cost = (uint64_t)island->contact_count * island->joint_count;
        island->articulated = island->contact_count > 0 && cost > 0 &&
                              island->contact_count <= PH_ARTICULATED_CONTACTS &&
                              cost <= PH_ARTICULATED_COST;
        arrays->articulated_count += island->articulated;
    }
    for (uint32_t c = 0; arrays->articulated_count && c < contacts->count; c++) {
        if (arrays->islands[layout->island[contacts->body_a[c]]].articulated) {
            arrays->color_of[c] = layout->island[contacts->body_b[c]] == PH_NULL
                                      ? PH_OVERFLOW_FIXED
                                      : PH_OVERFLOW_DYNAMIC;
        }
    }
}

static void measure_burdens(const PhLayout *layout, const PhContacts *contacts,
                            const PhContactRecord *records, const PhSolverBodies *bodies,
                            const PhStepParameters *parameters) {
    PhIsland *islands = layout->arrays->islands;
    double h = parameters->dt / ph_base_substeps(parameters);
    double g = ph_length(parameters->gravity), light;
    bool hung;
    for (uint32_t r = 0; r < layout->island_count; r++) {
        islands[layout->arrays->roots[r]].burden = 0;
    }
    for (uint32_t k = 0; k < layout->arrays->laden_count; k++) {
        uint32_t c = layout->arrays->laden[k];
        const PhContactRecord *record = &records[contacts->pair[c]];
        double ratio = laden_ratio(layout, contacts, bodies, c, &light, &hung);
        double force = ((double)record->normal_impulse[0] + (double)record->normal_impulse[1]) / h;
        double mean =
            ((double)record->total_normal[0] + (double)record->total_normal[1]) / parameters->dt;
        double load = (hung ? ph_max(force, mean) : force) * light / g;
        double burden = load < ratio ? load : ratio;
        PhIsland *island = &islands[layout->island[contacts->body_a[c]]];
        island->burden = burden > island->burden ? burden : island->burden;
    }
}

// ------------------------------------------------------------------------------------------------
// presses

// The square of the angular frequency of contacts between dynamic bodies at the lowest level. A
// load F sinks in by F K / stiffness, where K is the inverse effective mass at the point.
static double stiffness_of(const PhStepParameters *parameters) {
    double omega = 2 * PH_PI * ph_contact_hertz(parameters, 1);
    return omega * omega;
}

// The force on a body other than its weight, N. exact_mass is the mass of the state.
static PhVec2 outer_force(const PhSolverBodies *bodies, uint32_t slot, PhVec2 gravity) {
    double more = (bodies->gravity_scale[slot] - 1) * bodies->exact_mass[slot];
    return ph_vec(bodies->force[slot][0] + more * gravity.x,
                  bodies->force[slot][1] + more * gravity.y);
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

static void raise_to(float *most, double x) {
    if (x > (double)*most) {
        *most = (float)x;
    }
}

// The square of the force of a joint with a motor or a spring on its bodies. The loads of other
// joints are weights and forces, which are considered where they act. The load of a drum or a
// stirrer whose motor turns freely is not considered either: it presses only if it stalls the
// motor.
static double driving_force2(const PhLayout *layout, const PhSolverBodies *bodies, uint32_t j) {
    const PhJoint *joint = &bodies->joints->joint[j];
    const PhJointResult *result = &bodies->joints->result[j];
    const PhJointFacts *facts = &layout->arrays->joints.facts[j];
    bool pinned = facts->fixed_a != facts->fixed_b &&
                  layout->arrays->slots[joint->body[facts->fixed_a]].pinned;
    if (pinned && fabs(result->torque) < STALLED * joint->value[PH_JOINT_MAX_MOTOR]) {
        return 0;
    }
    return result->force[0] * result->force[0] + result->force[1] * result->force[1];
}

// Marks the islands in which a force could press a contact in too deep: a force on a body or, if
// asked for, one that a joint had in the last step. Returns whether there is any.
static bool find_presses(const PhLayout *layout, const PhContacts *contacts,
                         const PhSolverBodies *bodies, const PhStepParameters *parameters,
                         bool joints) {
    joints = joints && ph_has_joints(bodies);
    if (!contacts->count || (bodies->fall_alike && !joints)) {
        return false;
    }
    const uint32_t *roots = layout->arrays->roots;
    PhIsland *islands = layout->arrays->islands;
    double most = 0, strongest = 0; // of all islands
    for (uint32_t r = 0; r < layout->island_count; r++) {
        PhIsland *island = &islands[roots[r]];
        island->strongest = 0;
        island->presses = false;
        most = layout->in_contact[roots[r]] ? larger(most, (double)island->lightest) : most;
    }
    for (uint32_t m = 0; !bodies->fall_alike && m < bodies->dynamic_count; m++) {
        PhVec2 force = outer_force(bodies, bodies->dynamic[m], parameters->gravity);
        double force2 = ph_dot(force, force);
        if (force2 > 0) {
            strongest = larger(strongest, force2);
            raise_to(&islands[layout->island[bodies->dynamic[m]]].strongest, ph_length(force));
        }
    }
    const PhJointLayout *own = &layout->arrays->joints;
    for (uint32_t k = 0; joints && k < own->driving_count; k++) {
        double force2 = driving_force2(layout, bodies, own->driving[k]);
        if (force2 > 0) {
            uint32_t slot = own->facts[own->driving[k]].dynamic;
            strongest = larger(strongest, force2);
            raise_to(&islands[layout->island[slot]].strongest, sqrt(force2));
        }
    }
    double least = parameters->lengths->deep * stiffness_of(parameters) / YIELDING;
    bool any = false;
    if (!(strongest * most * most > least * least)) {
        return false;
    }
    for (uint32_t r = 0; r < layout->island_count; r++) {
        PhIsland *island = &islands[roots[r]];
        if (layout->in_contact[roots[r]] && island->contact_count) {
            island->presses = (double)island->strongest * (double)island->lightest > least;
            any |= island->presses;
        }
    }
    return any;
}

// An impact is no press: the load of a joint counts if it lasts for two steps.
static bool is_pressed(const PhSubstepLevel *substep_level) {
    return substep_level->pressed > 1;
}

static uint8_t presses_on(const PhSubstepLevel *substep_level, const PhIsland *island,
                          bool presses) {
    if (presses) {
        return substep_level->pressed > 0 || island->pressed ? CALM_STEPS : 1;
    }
    return is_pressed(substep_level) ? (uint8_t)(substep_level->pressed - 1) : 0;
}

bool ph_substep_level_predict(const PhLayout *layout, const PhContacts *contacts,
                              const PhSolverBodies *bodies, const PhStepParameters *parameters) {
    if (!bodies->substep_level || bodies->fall_alike || !layout->arrays ||
        !find_presses(layout, contacts, bodies, parameters, false)) {
        return false;
    }
    for (uint32_t r = 0; r < layout->island_count; r++) {
        uint32_t i = layout->arrays->roots[r];
        if (layout->arrays->islands[i].presses && !is_pressed(&bodies->substep_level[i])) {
            return true;
        }
    }
    return false;
}

// The hardness of a contact that the forces on its points (N) press in too deep; else 0.
static double pressed_hardness(const PhContacts *contacts, const PhSolverBodies *bodies, uint32_t c,
                               const double force[2], const PhStepParameters *parameters) {
    const PhSolverManifold *m = &contacts->manifold[contacts->pair[c]];
    const float *a = bodies->mass[contacts->body_a[c]], *b = bodies->mass[contacts->body_b[c]];
    bool fixed = bodies->role[contacts->body_b[c]] != PH_ROLE_DYNAMIC;
    double deepest = 0, deep = parameters->lengths->deep;
    for (int i = 0; i < 2; i++) {
        if (!ph_has_point(m, i)) {
            continue;
        }
        double nx = (double)m->nx, ny = (double)m->ny;
        double x = (double)m->point[i].x, y = (double)m->point[i].y;
        double turn_a = x * ny - y * nx,
               turn_b = (x - (double)m->dx) * ny - (y - (double)m->dy) * nx;
        double yield = (double)a[0] + (double)a[1] * turn_a * turn_a;
        yield += fixed ? 0 : (double)b[0] + (double)b[1] * turn_b * turn_b;
        deepest = larger(deepest, force[i] * yield);
    }
    double depth = deepest / stiffness_of(parameters) * (fixed ? 0.25 : 1);
    return depth > deep ? ph_hardness_for(parameters, depth / deep) : 0;
}

// The least load from the present forces: half of what acts towards the other body, on each of two
// points.
static double predicted_hardness(const PhContacts *contacts, const PhSolverBodies *bodies,
                                 uint32_t c, const PhStepParameters *parameters) {
    const PhSolverManifold *m = &contacts->manifold[contacts->pair[c]];
    uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
    PhVec2 n = {(double)m->nx, (double)m->ny};
    double force = ph_dot(outer_force(bodies, a, parameters->gravity), n);
    if (bodies->role[b] == PH_ROLE_DYNAMIC) {
        force = larger(force, -ph_dot(outer_force(bodies, b, parameters->gravity), n));
    }
    double half = ph_has_point(m, 0) && ph_has_point(m, 1) ? 0.5 * force : force;
    const double forces[2] = {half, half};
    return pressed_hardness(contacts, bodies, c, forces, parameters);
}

// Lists the contacts of islands that a force presses, and predicts what new ones will need, and all
// of an island that was not pressed before; the others have been measured. pressed: some islands
// have been pressed since the last step.
static PhStatus find_pressed(PhLayout *layout, const PhContacts *contacts,
                             const PhContactRecord *records, const PhSolverBodies *bodies,
                             const PhStepParameters *parameters, bool pressed) {
    struct PhLayoutArrays *arrays = layout->arrays;
    PhIsland *islands = arrays->islands;
    bool presses = find_presses(layout, contacts, bodies, parameters, false);
    if (!presses && !pressed) {
        return PH_OK;
    }
    for (uint32_t r = 0; presses && r < layout->island_count; r++) {
        PhIsland *island = &islands[arrays->roots[r]];
        island->pressed |= layout->in_contact[arrays->roots[r]] && island->presses;
    }
    uint32_t count = 0;
    for (uint32_t c = 0; c < contacts->count; c++) {
        count += islands[layout->island[contacts->body_a[c]]].pressed;
    }
    if (PH_RESERVE(arrays->pressed, count)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t c = 0; count && c < contacts->count; c++) {
        PhIsland *island = &islands[layout->island[contacts->body_a[c]]];
        if (!island->pressed) {
            continue;
        }
        arrays->pressed[arrays->pressed_count++] = c;
        const PhContactRecord *record = &records[contacts->pair[c]];
        uint32_t root = layout->island[contacts->body_a[c]];
        if ((record->nx != 0 || record->ny != 0) && is_pressed(&bodies->substep_level[root])) {
            continue;
        }
        uint8_t want = level_for(predicted_hardness(contacts, bodies, c, parameters),
                                 ph_base_substeps(parameters));
        island->asked = island->asked > want ? island->asked : want;
    }
    layout->watch_substeps |= count > 0;
    return PH_OK;
}

static void measure_presses(const PhLayout *layout, const PhContacts *contacts,
                            const PhContactRecord *records, const PhSolverBodies *bodies,
                            const PhStepParameters *parameters) {
    double inv_h = ph_base_substeps(parameters) / parameters->dt;
    for (uint32_t k = 0; k < layout->arrays->pressed_count; k++) {
        uint32_t c = layout->arrays->pressed[k];
        const PhContactRecord *record = &records[contacts->pair[c]];
        const double force[2] = {inv_h * (double)record->normal_impulse[0],
                                 inv_h * (double)record->normal_impulse[1]};
        double hardness = pressed_hardness(contacts, bodies, c, force, parameters);
        PhIsland *island = &layout->arrays->islands[layout->island[contacts->body_a[c]]];
        island->hardness = island->entangled ? 0 : larger(island->hardness, hardness);
    }
}

PhStatus ph_substeps_spread(PhLayout *layout, const PhContacts *contacts,
                            const PhContactRecord *records, const PhSolverBodies *bodies,
                            const PhStepParameters *parameters) {
    struct PhLayoutArrays *arrays = layout->arrays;
    PhIsland *islands = arrays->islands;
    int32_t substeps = ph_base_substeps(parameters);
    PhVec2 gravity = parameters->gravity;
    arrays->uneven_count = arrays->laden_count = arrays->articulated_count = 0;
    arrays->jammed_count = arrays->pressed_count = arrays->at_joints_count = 0;
    arrays->tower_count = arrays->tower_body_count = arrays->tower_contact_count = 0;
    arrays->may_hit = false;
    layout->watch_substeps = false;
    if (!bodies->substep_level) {
        return PH_OK;
    }
    uint32_t count = 0;
    find_pinned(layout, bodies);
    bool pressed = false,
         heavy = ph_dot(gravity, gravity) > 0; // without weight there is nothing to carry
    bool various = are_uneven(layout, bodies);
    for (uint32_t c = 0; various && c < contacts->count; c++) {
        if (!is_uneven(layout, contacts, bodies, c)) {
            continue;
        }
        uint32_t a = contacts->body_a[c];
        double light, ratio = mass_ratio(bodies, a, contacts->body_b[c], &light);
        float *most = &islands[layout->island[a]].unevenness;
        *most = ratio > (double)*most ? (float)ratio : *most;
        count += heavy;
    }
    if (PH_RESERVE(arrays->uneven, count)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t m = 0; m < bodies->dynamic_count; m++) {
        uint32_t i = bodies->dynamic[m];
        PhIsland *mine = &islands[layout->island[i]];
        float inv = bodies->mass[i][0];
        mine->lightest = inv > mine->lightest ? inv : mine->lightest;
        mine->least = inv < mine->least && !arrays->slots[i].pinned ? inv : mine->least;
        uint8_t level = bodies->substep_level[i].level, jointed = bodies->substep_level[i].jointed;
        if (!level && !jointed && !bodies->substep_level[i].pressed) {
            continue;
        }
        layout->watch_substeps =
            true; // also for bodies without contacts, which have to lose their level
        if (!layout->in_contact[i]) {
            continue;
        }
        mine->asked = mine->asked > level ? mine->asked : level;
        mine->wanted |= jointed > 0;
        mine->pressed |= is_pressed(&bodies->substep_level[i]);
        pressed |= mine->pressed;
    }
    for (uint32_t c = 0; count && c < contacts->count; c++) {
        if (!is_uneven(layout, contacts, bodies, c)) {
            continue;
        }
        arrays->uneven[arrays->uneven_count++] = c;
        const PhContactRecord *record = &records[contacts->pair[c]];
        if (record->nx != 0 || record->ny != 0) {
            continue;
        }
        uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
        double light, ratio = mass_ratio(bodies, a, b, &light);
        uint8_t *asked = &islands[layout->island[a]].asked;
        uint8_t want = level_for(expected_hardness(bodies, a, b, ratio, gravity), substeps);
        *asked = *asked > want ? *asked : want;
    }
    layout->watch_substeps |= count > 0;
    if (ph_towers_list(layout, contacts, bodies, parameters)) {
        return PH_ERROR_MEMORY;
    }
    if (find_pressed(layout, contacts, records, bodies, parameters, pressed)) {
        return PH_ERROR_MEMORY;
    }
    if (bodies->joints && bodies->joints->active && contacts->count) {
        if (find_jointed(layout, contacts, bodies)) {
            return PH_ERROR_MEMORY;
        }
        ph_impacts_find(layout, contacts, records, bodies, parameters);
        find_welded(layout, contacts, bodies);
        if (heavy && find_laden(layout, contacts, records, bodies)) {
            return PH_ERROR_MEMORY;
        }
    }
    if (layout->watch_substeps) {
        count_joints(layout);
        take_articulated(layout, contacts);
    }
    for (uint32_t r = 0; layout->watch_substeps && r < layout->island_count; r++) {
        PhIsland *island = &islands[arrays->roots[r]];
        uint8_t asked = island->asked;
        bool whips = island->articulated && (island->wanted || is_for_once(island));
        if (whips && asked < ARTICULATED_LEVEL && 2 * substeps <= MOST_SUBSTEPS) {
            asked = ARTICULATED_LEVEL;
        }
        island->substep_level = limit_level(
            asked, island->contact_count + JOINT_CONTACTS * (uint64_t)island->joint_count,
            substeps);
    }
    return PH_OK;
}

static void measure_hardness(const PhLayout *layout, const PhContacts *contacts,
                             const PhContactRecord *records, const PhSolverBodies *bodies,
                             const PhStepParameters *parameters) {
    PhIsland *islands = layout->arrays->islands;
    double h = parameters->dt / ph_base_substeps(parameters);
    double g = ph_length(parameters->gravity);
    for (uint32_t r = 0; r < layout->island_count; r++) {
        islands[layout->arrays->roots[r]].hardness = 0;
    }
    for (uint32_t k = 0; k < layout->arrays->uneven_count; k++) {
        uint32_t c = layout->arrays->uneven[k];
        const PhContactRecord *record = &records[contacts->pair[c]];
        double light, ratio = mass_ratio(bodies, contacts->body_a[c], contacts->body_b[c], &light);
        // Impulses are stored as those of a substep of the world.
        double force = ((double)record->normal_impulse[0] + (double)record->normal_impulse[1]) / h;
        double load = force * light / g, hardness = load < ratio ? load : ratio;
        PhIsland *island = &islands[layout->island[contacts->body_a[c]]];
        hardness = island->entangled ? 0 : hardness;
        island->hardness = hardness > island->hardness ? hardness : island->hardness;
    }
}

bool ph_substeps_update(const PhLayout *layout, const PhContacts *contacts,
                        const PhContactRecord *records, const PhSolverBodies *bodies,
                        const PhStepParameters *parameters) {
    if (!bodies->substep_level) {
        return false;
    }
    bool presses = find_presses(layout, contacts, bodies, parameters, true);
    if (!(layout->watch_substeps || presses || measure_ropes(layout, bodies, parameters, NULL))) {
        return false;
    }
    PhIsland *islands = layout->arrays->islands;
    int32_t substeps = ph_base_substeps(parameters);
    bool changed = false;
    measure_hardness(layout, contacts, records, bodies, parameters);
    measure_presses(layout, contacts, records, bodies, parameters);
    measure_burdens(layout, contacts, records, bodies, parameters);
    measure_ropes(layout, bodies, parameters, layout->arrays->islands);
    ph_towers_measure(layout, contacts, records, bodies, parameters);
    for (uint32_t m = 0; m < bodies->dynamic_count; m++) {
        uint32_t i = bodies->dynamic[m];
        PhSubstepLevel *mine = &bodies->substep_level[i];
        if (!layout->in_contact[i]) {
            *mine = (PhSubstepLevel){0};
            continue;
        }
        PhIsland *island = &islands[layout->island[i]];
        if (layout->island[i] != i) { // the root is the lowest slot, so it has decided already
            *mine = bodies->substep_level[layout->island[i]];
            continue;
        }
        uint8_t want = level_for(island->hardness, substeps), calm = mine->calm;
        uint8_t jointed = island->wanted && !mine->jointed ? CALM_STEPS : mine->jointed;
        bool keeps = island->burden > (jointed > 0 ? STILL_LADEN : LADEN);
        jointed = keeps ? CALM_STEPS : jointed > 0 ? (uint8_t)(jointed - 1) : 0;
        uint8_t pressed = presses_on(mine, island, presses && island->presses);
        *mine = (PhSubstepLevel){.level = island->asked, .jointed = jointed, .pressed = pressed};
        changed |= (jointed > 0) != island->wanted;
        if (island->wanted) {
            island->bounces = false; // all else stays as it is
        }
        changed |= island->articulated && island->bounces; // an impact lasts for one step
        changed |= is_pressed(mine) != island->pressed;
        changed |= mine->pressed > 0 && !layout->watch_substeps; // the press has to end, too
        if (want > island->asked) {
            mine->level = want;
        } else if (want < island->asked && calm + 1 < CALM_STEPS) {
            mine->calm = (uint8_t)(calm + 1);
        } else if (want < island->asked) {
            mine->level = (uint8_t)(island->asked - 1);
        }
        changed |= mine->level != island->asked;
    }
    return changed;
}

uint32_t ph_layout_most_substeps(const PhLayout *layout, int32_t substeps) {
    uint32_t most = (uint32_t)substeps;
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        uint8_t substep_level = layout->arrays->batches[b].substep_level;
        uint32_t n = (uint32_t)substeps << (substep_level > 1 ? substep_level - 1 : 0);
        most = n > most ? n : most;
    }
    return most;
}

// Impacts and jams of what joints hold: which islands are to be solved through their joints for one
// step, or for as long as something is deep in them.
//
// Invariant: what is found follows from contacts, joints and velocities of the step that begins.
#include "solve/jointed_impacts.h"

#include "solve/articulated_islands.h"

enum { FEW_CONTACTS = 4 }; // of an island of jointed bodies that meet in the air
#define MOST_CARRIED 16.0  // times its weight, that a jointed body bears without more ado
#define STEADY 0.97f       // ratio of an impulse and its mean above which it is a load

// How fast the points of a contact come nearer, m/s.
static double approach_of(const PhContacts *contacts, const PhSolverBodies *bodies, uint32_t c) {
    const PhSolverManifold *m = &contacts->manifold[contacts->pair[c]];
    uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
    double fastest = 0;
    for (int i = 0; i < 2; i++) {
        if (!ph_has_point(m, i)) {
            continue;
        }
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

// Whether an island may be given to articulated_islands.c, as far as its contacts go.
static bool is_small(const PhIsland *island) {
    return island->contact_count <= PH_ARTICULATED_CONTACTS;
}

// Marks the bodies that joints hold, and all that touch them without restitution, one on the other:
// an impact on a crate is one on the platform on which it lies. Only joints count where nothing
// comes fast that no joint holds itself.
static void mark_carried(const PhLayout *layout, const PhContacts *contacts,
                         const PhSolverBodies *bodies, const PhStepParameters *parameters) {
    PhSlotScratch *slots = layout->arrays->slots;
    const PhIsland *islands = layout->arrays->islands;
    const float together = (float)parameters->lengths->meet_together;
    bool any = false, more = true;
    for (uint32_t c = 0; c < contacts->count; c++) {
        uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
        if (!is_small(&islands[layout->island[a]])) {
            continue;
        }
        bool dynamic = bodies->role[b] == PH_ROLE_DYNAMIC;
        slots[a].carried = slots[a].jointed;
        slots[b].carried = dynamic && slots[b].jointed;
        any = any || (dynamic && !slots[a].jointed && !slots[b].jointed &&
                      approach_of(contacts, bodies, c) > parameters->lengths->fast_impact);
    }
    while (any && more) {
        more = false;
        for (uint32_t c = 0; c < contacts->count; c++) {
            uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
            if (!is_small(&islands[layout->island[a]])) {
                continue;
            }
            const PhSolverManifold *m = &contacts->manifold[contacts->pair[c]];
            bool touches = m->point[0].separation < together || m->point[1].separation < together;
            if (bodies->role[b] == PH_ROLE_DYNAMIC && slots[a].carried != slots[b].carried &&
                touches && !(m->restitution > 0)) {
                slots[a].carried = slots[b].carried = more = true;
            }
        }
    }
}

// Whether a contact that did not act in the step before meets a body that is marked so, fast enough
// for an impact. records: NULL where it may have acted.
static bool will_hit(const PhLayout *layout, const PhContacts *contacts,
                     const PhContactRecord *records, const PhSolverBodies *bodies, uint32_t c,
                     const PhStepParameters *parameters) {
    const PhSlotScratch *slots = layout->arrays->slots;
    uint32_t a = contacts->body_a[c], b = contacts->body_b[c], pair = contacts->pair[c];
    bool dynamic = bodies->role[b] == PH_ROLE_DYNAMIC;
    bool jointed = slots[a].jointed || (dynamic && slots[b].jointed);
    double threshold =
        jointed ? parameters->restitution_threshold : parameters->lengths->fast_impact;
    return (slots[a].carried || (dynamic && slots[b].carried)) &&
           !(records && records[pair].total_normal[0] + records[pair].total_normal[1] > 0) &&
           approach_of(contacts, bodies, c) > threshold;
}

// Whether something is deep in a body that a joint holds, as in the bend of a knee. With bare
// masses a contact would push, and the joint hold, a little harder in every substep, until
// something gives.
static bool is_jammed(const PhLayout *layout, const PhContacts *contacts,
                      const PhSolverBodies *bodies, uint32_t c, double jammed) {
    const PhSolverManifold *m = &contacts->manifold[contacts->pair[c]];
    const PhSlotScratch *slots = layout->arrays->slots;
    uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
    double first = (double)m->point[0].separation, second = (double)m->point[1].separation;
    if (!(ph_min(first, second) < -jammed)) {
        return false;
    }
    return slots[a].jointed || (bodies->role[b] == PH_ROLE_DYNAMIC && slots[b].jointed);
}

// The layout is to be made anew for it, and where a jam ends: it names the islands.
bool ph_impact_predict(const PhLayout *layout, const PhContacts *contacts,
                       const PhContactRecord *records, const PhSolverBodies *bodies,
                       const PhStepParameters *parameters) {
    if (!bodies->substep_level || !layout->arrays || !ph_has_joints(bodies) ||
        !layout->arrays->may_hit) {
        return false;
    }
    PhIsland *islands = layout->arrays->islands;
    uint32_t jams = layout->arrays->jammed_count;
    for (uint32_t r = 0; jams && r < layout->island_count; r++) {
        islands[layout->arrays->roots[r]].still_jammed = false;
    }
    mark_carried(layout, contacts, bodies, parameters);
    for (uint32_t c = 0; c < contacts->count; c++) {
        PhIsland *island = &islands[layout->island[contacts->body_a[c]]];
        if (!is_small(island)) {
            continue;
        }
        if (will_hit(layout, contacts, records, bodies, c, parameters)) {
            return true;
        }
        if (!island->still_jammed &&
            is_jammed(layout, contacts, bodies, c, parameters->lengths->jammed)) {
            if (!island->jammed) {
                return true;
            }
            island->still_jammed = true;
            jams--;
        }
    }
    return jams > 0;
}

// Whether a contact is one of two jointed bodies whose impacts are not solved through their joints:
// where joints connect them with each other; and without restitution, or in a larger island where
// neither hangs on what is fixed, as in heaps of ragdolls, where it would cost much and show
// little.
static bool are_folded(const PhLayout *layout, const PhContacts *contacts, const PhIsland *island,
                       uint32_t c) {
    const PhJointLayout *joints = &layout->arrays->joints;
    const PhSlotScratch *slots = layout->arrays->slots;
    uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
    if (!slots[a].jointed || !slots[b].jointed) {
        return false;
    }
    uint32_t root_a = joints->ties[joints->tie_of[a]].root;
    uint32_t root_b = joints->ties[joints->tie_of[b]].root;
    bool hangs =
        joints->ties[joints->tie_of[root_a]].hung || joints->ties[joints->tie_of[root_b]].hung;
    return root_a == root_b || !(hangs || island->contact_count <= FEW_CONTACTS) ||
           !(contacts->manifold[contacts->pair[c]].restitution > 0);
}

// Names the islands in which an impact meets a body that a joint holds: it goes through the joints,
// so this step is solved by articulated_islands.c, with restitution or without. Solved apart, a
// plastic impact would share its momentum with the bare body, and the joint would then throw both
// back; an elastic one, as in a row of pendulums, would lose what the joint takes from it. Not
// where bodies touch that joints connect with each other, as in folded chains, where an impulse may
// have hardly any lever.
void ph_impacts_find(PhLayout *layout, const PhContacts *contacts, const PhContactRecord *records,
                     const PhSolverBodies *bodies, const PhStepParameters *parameters) {
    PhIsland *islands = layout->arrays->islands;
    if (!layout->arrays->may_hit) {
        return;
    }
    mark_carried(layout, contacts, bodies, parameters);
    for (uint32_t c = 0; c < contacts->count; c++) {
        uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
        PhIsland *island = &islands[layout->island[a]];
        if (!is_small(island)) {
            continue;
        }
        island->folds |=
            bodies->role[b] == PH_ROLE_DYNAMIC && are_folded(layout, contacts, island, c);
        if (will_hit(layout, contacts, records, bodies, c, parameters)) {
            island->bounces = layout->watch_substeps = true;
        }
        if (!island->jammed &&
            is_jammed(layout, contacts, bodies, c, parameters->lengths->jammed)) {
            island->jammed = layout->watch_substeps = true;
            layout->arrays->jammed_count++;
        }
    }
}

void ph_entangled_find(const PhLayout *layout, const PhContacts *contacts,
                       const PhSolverBodies *bodies, const PhStepParameters *parameters) {
    const struct PhLayoutArrays *arrays = layout->arrays;
    const float deep = -(float)parameters->lengths->deep_overlap;
    if (!ph_has_joints(bodies)) {
        return;
    }
    for (uint32_t r = 0; r < layout->island_count; r++) {
        arrays->islands[arrays->roots[r]].entangled = false;
    }
    for (uint32_t k = 0; k < arrays->at_joints_count; k++) {
        uint32_t c = arrays->at_joints[k], a = contacts->body_a[c], b = contacts->body_b[c];
        const PhSolverManifold *m = &contacts->manifold[contacts->pair[c]];
        if ((m->point[0].separation < deep || m->point[1].separation < deep) &&
            bodies->role[b] == PH_ROLE_DYNAMIC && arrays->slots[a].in_joint &&
            arrays->slots[b].in_joint) {
            arrays->islands[layout->island[a]].entangled = true;
        }
    }
}

// Whether a batch is solved with the masses of bodies alone in the next step.
static bool is_bare_next(const PhLayout *layout, const PhIslandBatch *batch, uint32_t slot,
                         const PhSolverBodies *bodies) {
    const PhIsland *island = &layout->arrays->islands[layout->island[slot]];
    bool wanted = bodies->substep_level && bodies->substep_level[layout->island[slot]].jointed > 0;
    return !(batch->articulated && (wanted || island->welded || island->jammed));
}

// Lowers the warm start of contacts of jointed bodies as far as it was no steady load.
//
// An impulse of the warm start moves a body, and then the joints pass it on to all that hangs on
// it. A contact that finds it too large takes it back from its own body alone. So contacts with
// bare masses push on for several substeps when an impact is over, and may give more energy than it
// had. Where an impulse is larger than loads are, the ratio r of the last substep and the mean of
// the step, at most 1, says how steady it is: r^2 of it is kept where it grows, and r^4 where it
// fades.
void ph_warm_starts_lower(PhLayout *layout, const PhContacts *contacts, PhContactRecord *records,
                          const PhSolverBodies *bodies, const PhStepParameters *parameters) {
    if (!ph_has_joints(bodies) || !contacts->count) {
        return;
    }
    const struct PhLayoutArrays *arrays = layout->arrays;
    const PhSlotScratch *slots = arrays->slots;
    float substeps = (float)(parameters->substeps < 1 ? 1 : parameters->substeps);
    float most = (float)(parameters->lengths->no_load +
                         MOST_CARRIED * parameters->dt * ph_length(parameters->gravity));
    for (uint32_t k = 0; k < arrays->at_joints_count; k++) {
        uint32_t c = arrays->at_joints[k], a = contacts->body_a[c], b = contacts->body_b[c];
        bool dynamic = bodies->role[b] == PH_ROLE_DYNAMIC;
        if (!slots[a].jointed && !(dynamic && slots[b].jointed)) {
            continue;
        }
        PhIslandBatch *batch = &arrays->batches[ph_batch_of(layout, a)];
        if (batch->behind || !is_bare_next(layout, batch, a, bodies)) {
            continue;
        }
        PhContactRecord *record = &records[contacts->pair[c]];
        float inv_a = bodies->mass[a][0], inv_b = dynamic ? bodies->mass[b][0] : 0;
        float last = (record->normal_impulse[0] + record->normal_impulse[1]) * substeps;
        float mean = record->total_normal[0] + record->total_normal[1];
        float ratio = last > mean ? mean / last : last / mean;
        if (!(last * (inv_a > inv_b ? inv_a : inv_b) > most) || ratio > STEADY) {
            continue;
        }
        float share = last > mean ? ratio * ratio : ratio * ratio * ratio * ratio;
        for (int i = 0; i < 2; i++) {
            record->normal_impulse[i] *= share;
            record->tangent_impulse[i] *= share;
        }
        record->rolling_impulse *= share;
        batch->carried = false; // it is read from the records
    }
}

// Trees of joints that last from layout to layout: where all articulations of a world are trees of
// hinges, joint_layout.c finds them once, and not again while joints and roles stay.
//
// A layout gives them the solver bodies and batches of its islands. Those that joint_lanes.c solves
// need no more. An articulated island gets copies of its own, behind what lasts, because
// joint_packs.c writes into the links of what it packs.
//
// Invariant: the copies are what joint_layout.c would find for the island, in the same order.
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "solve/articulations.h"
#include "solve/joint_lanes.h"
#include "solve/layout.h"

typedef struct Build {
    PhLayout *layout;
    PhJointLayout *own;
    const PhSolverBodies *bodies;
    uint32_t articulations, links, articulation_bodies, ends; // so far, with those that last
    uint32_t joints;                                          // of the batch
} Build;

bool ph_lasting_trees_find(PhLayout *layout, const PhSolverBodies *bodies) {
    PhJointLayout *own = &layout->arrays->joints;
    bool last = true;
    for (uint32_t u = 0; u < own->articulation_count; u++) {
        PhArticulation *articulation = &own->articulations[u];
        articulation->hinged = ph_tree_fits(layout, bodies, articulation);
        last &= articulation->hinged;
    }
    for (uint32_t i = 0; last && i < own->body_count; i++) {
        const PhJointBody *body = &own->bodies[i];
        last = !body->fixed || body->slot == PH_NULL; // a kinematic one has a row in each batch
    }
    return last;
}

static uint32_t joint_of_link(const PhJointLayout *own, const PhJointLink *link) {
    return own->ends[link->work].joint;
}

static bool less_member(const void *a, const void *b, const void *context) {
    const PhArticulationMember *x = a, *y = b;
    (void)context;
    return x->rank != y->rank ? x->rank < y->rank : x->shape < y->shape;
}

// Those of articulated islands, batch by batch, in order of their first joints; *links, *named: the
// links and bodies that they have. Returns how many there are.
static uint32_t list_articulated(PhLayout *layout, uint64_t *links, uint64_t *named) {
    PhJointLayout *own = &layout->arrays->joints;
    uint32_t count = 0;
    *links = *named = 0;
    for (uint32_t u = 0; u < own->articulation_count; u++) {
        const PhArticulation *articulation = &own->articulations[u];
        const PhIsland *island =
            &layout->arrays->islands[layout->island[ph_articulation_slot(own, articulation)]];
        if (!island->articulated) {
            continue;
        }
        uint32_t first = PH_NULL;
        for (uint32_t l = 0; l < articulation->link_count; l++) {
            uint32_t joint = joint_of_link(own, &own->links[articulation->first_link + l]);
            first = joint < first ? joint : first;
        }
        own->articulation_members[count++] =
            (PhArticulationMember){.shape = first, .articulation = u, .rank = island->batch};
        *links += articulation->link_count;
        *named += articulation->body_count;
    }
    ph_sort(own->articulation_members, count, sizeof *own->articulation_members, less_member, NULL);
    return count;
}

static uint32_t solver_body_of(const Build *build, uint32_t slot, bool fixed,
                               const PhIslandBatch *batch) {
    const PhMember *members = build->layout->arrays->members;
    return batch->first_solver_body + (fixed ? 0 : members[slot].solver_body / 16);
}

// The rows of a joint in a batch.
static PhJointEnds ends_in(const Build *build, const PhJointEnds *ends,
                           const PhIslandBatch *batch) {
    const PhJoint *joint = &build->bodies->joints->joint[ends->joint];
    PhJointEnds mine = *ends;
    mine.solver_a = solver_body_of(build, joint->body[0], ends->fixed_a, batch);
    mine.solver_b = solver_body_of(build, joint->body[1], ends->fixed_b, batch);
    return mine;
}

// Its joints, in order, and those articulations of it that last, of its own, as packs change them.
static void copy_articulated(Build *build, PhIslandBatch *batch,
                             const PhArticulationMember *members, uint32_t count) {
    PhJointLayout *own = build->own;
    batch->first_work = build->ends;
    batch->first_articulation = build->articulations;
    batch->articulation_count = count;
    build->joints = 0;
    for (uint32_t m = 0; m < count; m++) {
        const PhArticulation *lasting = &own->articulations[members[m].articulation];
        for (uint32_t l = lasting->first_link; l < lasting->first_link + lasting->link_count; l++) {
            own->part[build->joints++] = joint_of_link(own, &own->links[l]);
        }
    }
    ph_sort_numbers(own->part, build->joints);
    batch->work_count = build->joints;
    build->ends += build->joints;
    for (uint32_t m = 0; m < count; m++) {
        const PhArticulation *lasting = &own->articulations[members[m].articulation];
        PhArticulation *copy = &own->articulations[build->articulations++];
        *copy = *lasting;
        copy->first_link = build->links;
        copy->first_closure = build->links + lasting->link_count;
        copy->first_body = build->articulation_bodies;
        copy->hinged = copy->isolated = false;
        for (uint32_t l = lasting->first_link; l < lasting->first_link + lasting->link_count; l++) {
            const PhJointEnds *ends = &own->ends[own->links[l].work];
            uint32_t low = 0, high = build->joints;
            while (high - low > 1) {
                uint32_t middle = low + (high - low) / 2;
                *(own->part[middle] <= ends->joint ? &low : &high) = middle;
            }
            PhJointLink link = own->links[l];
            link.work = batch->first_work + low;
            own->ends[link.work] = ends_in(build, ends, batch);
            own->links[build->links++] = link;
        }
        memcpy(own->bodies + build->articulation_bodies, own->bodies + lasting->first_body,
               lasting->body_count * sizeof *own->bodies);
        build->articulation_bodies += lasting->body_count;
        ph_articulation_place(build->layout, copy, batch, &own->jointed_count);
    }
}

// Where what lasts is in this layout.
PhStatus ph_lasting_trees_place(PhLayout *layout, const PhSolverBodies *bodies) {
    PhJointLayout *own = &layout->arrays->joints;
    uint64_t rows = (uint64_t)layout->solver_body_count + 1, links, named;
    if (PH_RESERVE(own->jointed, rows) || PH_RESERVE(own->masses, rows) ||
        ph_trees_place(layout, bodies)) {
        return PH_ERROR_MEMORY;
    }
    own->joint_pack_count = 0;
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        layout->arrays->batches[b].articulation_count = 0;
    }
    if (!layout->arrays->articulated_count) {
        return PH_OK;
    }
    if (PH_RESERVE(own->articulation_members, own->articulation_count)) {
        return PH_ERROR_MEMORY;
    }
    uint32_t count = list_articulated(layout, &links, &named);
    Build build = {.layout = layout,
                   .own = own,
                   .bodies = bodies,
                   .articulations = own->articulation_count,
                   .links = own->link_count,
                   .articulation_bodies = own->body_count,
                   .ends = own->end_count};
    if (PH_RESERVE(own->articulations, (uint64_t)build.articulations + count) ||
        PH_RESERVE(own->links, build.links + links) ||
        PH_RESERVE(own->bodies, build.articulation_bodies + named) ||
        PH_RESERVE(own->ends, build.ends + links) || PH_RESERVE(own->stiff, build.ends + links) ||
        PH_RESERVE(own->stiff_root, rows) || PH_RESERVE(own->stiff_first, rows) ||
        PH_RESERVE(own->place, rows)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t m = 0, last; m < count; m = last) {
        uint32_t b = own->articulation_members[m].rank;
        PhIslandBatch *batch = &layout->arrays->batches[b];
        last = m + 1;
        while (last < count && own->articulation_members[last].rank == b) {
            last++;
        }
        batch->first_jointed = own->jointed_count;
        copy_articulated(&build, batch, own->articulation_members + m, last - m);
        batch->jointed_count = own->jointed_count - batch->first_jointed;
        ph_sort_numbers(own->jointed + batch->first_jointed, batch->jointed_count);
    }
    return ph_articulations_build(layout, bodies, build.articulations);
}

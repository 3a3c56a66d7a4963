// Builds a PhLayout, from nothing or from the one before, and owns its memory.
//
// Invariant: after a successful build every array that a solve touches is reserved. The layout is a
// function of the contacts and roles alone; the width of the kernels decides only how the contacts
// of a color are cut into wide contacts.
#include "solve/layout.h"

#include <string.h>

#include "base/columns.h"
#include "base/memory.h"
#include "solve/articulated_islands.h"
#include "solve/articulations.h"

void ph_layout_init(PhLayout *layout) {
    *layout = (PhLayout){0};
}

#define COUNT_ARRAY(...) +1
enum {
    OTHER_ARRAYS = 29,
    ARRAY_COUNT = OTHER_ARRAYS PH_LAYOUT_ARRAYS(COUNT_ARRAY, COUNT_ARRAY)
        PH_JOINT_LAYOUT_ARRAYS(COUNT_ARRAY, COUNT_ARRAY)
};

static void list_arrays(PhLayout *layout, PhArray list[ARRAY_COUNT]) {
    struct PhLayoutArrays *a = layout->arrays;
    PhJointLayout *j = &a->joints;
#define ROWS(type, name) PH_ARRAY(a->name),
#define ROOM(name) PH_ARRAY(a->name),
#define JOINT_ROWS(type, name) PH_ARRAY(j->name),
#define JOINT_ROOM(name) PH_ARRAY(j->name),
#define WIDE(k)                                                                                    \
    ROOM(wide_contacts[k].heads.pair)                                                              \
    ROOM(wide_contacts[k].heads.ends)                                                              \
    ROOM(wide_contacts[k].parts.wide_contacts)                                                     \
    ROOM(wide_contacts[k].parts.rests)                                                             \
    ROOM(wide_contacts[k].parts.extras)                                                            \
    ROOM(wide_contacts[k].parts.met)                                                               \
    ROOM(wide_contacts[k].parts.acts)                                                              \
    ROOM(wide_contacts[k].parts.moments)                                                           \
    ROOM(wide_contacts[k].parts.used)                                                              \
    ROOM(wide_contacts[k].waits)                                                                   \
    ROOM(wide_contacts[k].moved)                                                                   \
    ROOM(wide_contacts[k].next_end)                                                                \
    ROOM(wide_contacts[k].met_list)
    const PhArray all[] = {PH_ARRAY(layout->island), PH_ARRAY(layout->in_contact),
                           PH_ARRAY(j->tree_masses),
                           WIDE(0) WIDE(1) PH_LAYOUT_ARRAYS(ROWS, ROOM)
                               PH_JOINT_LAYOUT_ARRAYS(JOINT_ROWS, JOINT_ROOM)};
    _Static_assert(sizeof all / sizeof all[0] == ARRAY_COUNT, "OTHER_ARRAYS");
    memcpy(list, all, sizeof all);
}

void ph_layout_free(PhLayout *layout) {
    if (layout->arrays) { // made before all others
        PhArray list[ARRAY_COUNT];
        list_arrays(layout, list);
        ph_free_arrays(list, ARRAY_COUNT);
        ph_free(layout->arrays);
    }
    ph_layout_init(layout);
}

PhStatus ph_layout_copy(PhLayout *to, const PhLayout *from, const PhStop *stop) {
    PhLayout copy = *from;
    if (from->arrays) {
        PhArray list[ARRAY_COUNT];
        copy.arrays = ph_alloc(1, sizeof *copy.arrays);
        if (!copy.arrays) {
            return PH_ERROR_MEMORY;
        }
        *copy.arrays = *from->arrays;
        list_arrays(&copy, list);
        PhStatus status = ph_unshare_arrays(list, ARRAY_COUNT, stop);
        if (status) {
            ph_free(copy.arrays);
            return status;
        }
        copy.arrays->solver_bodies =
            copy.batch_count
                ? ph_solver_bodies_in(copy.arrays->solver_body_quads, copy.solver_body_count)
                : (PhSolverBodyArrays){0}; // nothing that can be solved
    }
    *to = copy;
    return PH_OK;
}

bool ph_layout_is_driven(const PhLayout *layout, uint32_t root) {
    return layout->arrays->islands[root].driven;
}
bool ph_layout_is_motored(const PhLayout *layout, uint32_t root) {
    return layout->arrays->islands[root].motored;
}
bool ph_layout_is_held(const PhLayout *layout, uint32_t slot) {
    return layout->in_contact[slot] && layout->arrays->islands[layout->island[slot]].held;
}

static PhStatus reserve_slots(PhLayout *layout, uint32_t slots, uint32_t contacts) {
    if (!layout->arrays) {
        layout->arrays = ph_alloc(1, sizeof *layout->arrays);
        if (!layout->arrays) {
            return PH_ERROR_MEMORY;
        }
    }
    struct PhLayoutArrays *arrays = layout->arrays;
    if (PH_RESERVE(layout->island, slots) || PH_RESERVE(layout->in_contact, slots) ||
        PH_RESERVE(arrays->slots, slots) || PH_RESERVE(arrays->dynamic, slots) ||
        PH_RESERVE(arrays->islands, slots) || PH_RESERVE(arrays->roots, slots) ||
        PH_RESERVE(arrays->members, slots) || PH_RESERVE(arrays->loose, slots) ||
        PH_RESERVE(arrays->color_of, contacts) || PH_RESERVE(arrays->old_color, contacts) ||
        PH_RESERVE(arrays->kept, contacts)) {
        return PH_ERROR_MEMORY;
    }
    return PH_OK;
}

PhStatus ph_layout_build(PhLayout *layout, const PhKernels *kernels, const PhContacts *contacts,
                         const PhPairList *pairs, const PhSolverBodies *bodies,
                         const PhStepParameters *parameters, PhLayoutChange change) {
    PH_ASSERT(!layout->behind);
    bool whole = change == PH_ALL_CHANGED;
    layout->fresh = true;
    if (change != PH_CONTACTS_CHANGED && layout->arrays) {
        layout->arrays->kept_count = 0;
        layout->arrays->no_contacts = false;
    }
    uint32_t old_batch_count = layout->batch_count, changes = UINT32_MAX;
    bool shifted = false;
    PhStatus status = reserve_slots(layout, bodies->count, contacts->count);
    if (status) {
        return status;
    }
    struct PhLayoutArrays *arrays = layout->arrays;
    if (arrays->kept_count && old_batch_count && arrays->kernels == kernels) {
        changes = ph_islands_compare(layout, contacts, pairs, bodies, &shifted);
    }
    if (changes == 0 && !layout->watch_substeps) {
        if (shifted) {
            ph_wide_contacts_name_pairs(layout, contacts);
        }
        return PH_OK;
    }
    if (arrays->no_contacts && !contacts->count && arrays->kernels == kernels) {
        return PH_OK; // pairs have come and gone, and none in range
    }
    arrays->no_contacts = false;
    status = whole || !arrays->facts_known ? ph_joint_facts_find(layout, bodies) : PH_OK;
    if (status) {
        return status;
    }
    arrays->facts_known = true;
    arrays->kernels = kernels;
    layout->island_count = layout->batch_count = layout->color_count = 0;
    layout->wide_count = layout->solver_body_count = 0;
    bool patched = changes < UINT32_MAX && ph_islands_patch(layout, contacts, bodies, changes);
    arrays->old_batch_count = patched ? old_batch_count : 0;
    arrays->kept_count = 0; // until all is well
    const PhStop *stop = parameters->stop;
    uint32_t things = contacts->count + bodies->dynamic_count;
    if (!patched) {
        ph_islands_find(layout, contacts, bodies);
        status = ph_order_update(layout, bodies);
    }
    ph_hubs_find(layout, contacts, patched);
    if (!status) {
        status = ph_stop_between(stop, things);
    }
    if (!status) {
        status = ph_substeps_spread(layout, contacts, pairs->record, bodies, parameters);
    }
    if (!status) {
        status = ph_batches_pack(layout, contacts, bodies);
    }
    if (!status) {
        status = ph_stop_between(stop, things);
    }
    if (!status) {
        status = ph_batches_place_bodies(layout, contacts, bodies);
    }
    layout->substep = parameters->dt / (parameters->substeps < 1 ? 1 : parameters->substeps);
    if (!status) {
        status = ph_joint_layout_build(layout, bodies, whole);
    }
    if (!status) {
        status = ph_articulated_build(layout);
    }
    if (!status) {
        status = ph_stop_between(stop, things);
    }
    if (!status) {
        status = ph_wide_contacts_count(layout, contacts);
    }
    if (!status) {
        status = ph_hubs_spread(layout, contacts);
    }
    if (!status) {
        status = ph_order_contacts(layout, contacts);
    }
    if (!status) {
        status = ph_stop_between(stop, things);
    }
    if (!status) {
        status = ph_wide_contacts_fill(layout, kernels, contacts, bodies);
    }
    if (status) {
        layout->batch_count = 0; // nothing half-built can be solved
    } else {
        ph_islands_keep(layout, contacts, pairs);
    }
    arrays->no_contacts = !status && !contacts->count;
    return status;
}

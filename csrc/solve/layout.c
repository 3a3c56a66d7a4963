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

enum { ARRAY_COUNT = 75 };

static void list_arrays(PhLayout *layout, PhArray list[ARRAY_COUNT]) {
    struct PhLayoutArrays *a = layout->arrays;
    const PhArray all[] = {
        {&layout->island, sizeof *layout->island, layout->slot_capacity},
        {&layout->in_contact, sizeof *layout->in_contact, a->in_contact_capacity},
        {&a->batches, sizeof *a->batches, a->batch_capacity},
        {&a->old_batches, sizeof *a->old_batches, a->old_batch_capacity},
        {&a->colors, sizeof *a->colors, a->color_capacity},
        {&a->old_colors, sizeof *a->old_colors, a->old_color_list_capacity},
        {&a->kept, sizeof *a->kept, a->kept_capacity},
        {&a->old_color, sizeof *a->old_color, a->old_color_capacity},
        {&a->loose, sizeof *a->loose, a->loose_capacity},
        {&a->slots, sizeof *a->slots, a->slot_capacity},
        {&a->dynamic, sizeof *a->dynamic, a->dynamic_capacity},
        {&a->order, sizeof *a->order, a->order_capacity},
        {&a->turn, sizeof *a->turn, a->turn_capacity},
        {&a->islands, sizeof *a->islands, a->island_capacity},
        {&a->members, sizeof *a->members, a->member_capacity},
        {&a->lanes, sizeof *a->lanes, a->lanes_capacity},
        {&a->copies, sizeof *a->copies, a->copy_capacity},
        {&a->color_of, sizeof *a->color_of, a->color_of_capacity},
        {&a->hub_contact, sizeof *a->hub_contact, a->hub_contact_capacity},
        {&a->uneven, sizeof *a->uneven, a->uneven_capacity},
        {&a->laden, sizeof *a->laden, a->laden_capacity},
        {&a->pressed, sizeof *a->pressed, a->pressed_capacity},
        {&a->articulated, 64, a->articulated_capacity},
        {&a->solver_body_slot, sizeof *a->solver_body_slot, a->solver_body_capacity},
        {&a->wide_contacts[0].heads.pair, sizeof(uint32_t), a->wide_contacts[0].pair_capacity},
        {&a->wide_contacts[0].heads.ends, sizeof(PhEnds), a->wide_contacts[0].ends_capacity},
        {&a->wide_contacts[0].parts.wide_contacts, 64, a->wide_contacts[0].wide_capacity},
        {&a->wide_contacts[0].parts.rests, 64, a->wide_contacts[0].rest_capacity},
        {&a->wide_contacts[0].parts.extras, 64, a->wide_contacts[0].extra_capacity},
        {&a->wide_contacts[1].heads.pair, sizeof(uint32_t), a->wide_contacts[1].pair_capacity},
        {&a->wide_contacts[1].heads.ends, sizeof(PhEnds), a->wide_contacts[1].ends_capacity},
        {&a->wide_contacts[1].parts.wide_contacts, 64, a->wide_contacts[1].wide_capacity},
        {&a->wide_contacts[1].parts.rests, 64, a->wide_contacts[1].rest_capacity},
        {&a->wide_contacts[1].parts.extras, 64, a->wide_contacts[1].extra_capacity},
        {&a->solver_body_quads, sizeof *a->solver_body_quads, a->quad_capacity},
        {&a->joints.articulations, sizeof *a->joints.articulations,
         a->joints.articulation_capacity},
        {&a->joints.links, sizeof *a->joints.links, a->joints.link_capacity},
        {&a->joints.bodies, sizeof *a->joints.bodies, a->joints.body_capacity},
        {&a->joints.joint_packs, sizeof *a->joints.joint_packs, a->joints.joint_pack_capacity},
        {&a->joints.articulation_members, sizeof *a->joints.articulation_members,
         a->joints.articulation_member_capacity},
        {&a->joints.articulation_works, sizeof *a->joints.articulation_works,
         a->joints.articulation_work_capacity},
        {&a->joints.articulation_data, 64, a->joints.articulation_data_capacity},
        {&a->joints.pack_bodies, sizeof *a->joints.pack_bodies, a->joints.pack_body_capacity},
        {&a->joints.articulation_scratch, 64, a->joints.articulation_scratch_capacity},
        {&a->joints.masses, sizeof *a->joints.masses, a->joints.mass_capacity},
        {&a->joints.gears, sizeof *a->joints.gears, a->joints.gear_capacity},
        {&a->joints.edge, sizeof *a->joints.edge, a->joints.edge_capacity},
        {&a->joints.edge_start, sizeof *a->joints.edge_start, a->joints.edge_start_capacity},
        {&a->joints.queue, sizeof *a->joints.queue, a->joints.queue_capacity},
        {&a->joints.place, sizeof *a->joints.place, a->joints.place_capacity},
        {&a->joints.part, sizeof *a->joints.part, a->joints.part_capacity},
        {&a->joints.seen, sizeof *a->joints.seen, a->joints.seen_capacity},
        {&a->joints.ends, sizeof *a->joints.ends, a->joints.ends_capacity},
        {&a->joints.stiff, sizeof *a->joints.stiff, a->joints.stiff_capacity},
        {&a->joints.stiff_root, sizeof *a->joints.stiff_root, a->joints.stiff_root_capacity},
        {&a->joints.stiff_first, sizeof *a->joints.stiff_first, a->joints.stiff_first_capacity},
        {&a->joints.jointed, sizeof *a->joints.jointed, a->joints.jointed_capacity},
        {&a->joints.iterative_members, sizeof *a->joints.iterative_members,
         a->joints.iterative_member_capacity},
        {&a->joints.iterative_joints, sizeof *a->joints.iterative_joints,
         a->joints.iterative_joint_capacity},
        {&a->joints.iterative_colors, sizeof *a->joints.iterative_colors,
         a->joints.iterative_color_capacity},
        {&a->joints.iterative_bodies, sizeof *a->joints.iterative_bodies,
         a->joints.iterative_body_capacity},
        {&a->joints.iterative_used, sizeof *a->joints.iterative_used,
         a->joints.iterative_used_capacity},
        {&a->joints.iterative_packs, 64, a->joints.iterative_pack_capacity},
        {&a->joints.trees, sizeof *a->joints.trees, a->joints.tree_capacity},
        {&a->joints.tree_members, sizeof *a->joints.tree_members, a->joints.tree_member_capacity},
        {&a->joints.tree_links, sizeof *a->joints.tree_links, a->joints.tree_link_capacity},
        {&a->joints.tree_joints, sizeof *a->joints.tree_joints, a->joints.tree_joint_capacity},
        {&a->joints.tree_solver_bodies, sizeof *a->joints.tree_solver_bodies,
         a->joints.tree_solver_body_capacity},
        {&a->joints.tree_link_flags, 1, a->joints.tree_link_flag_capacity},
        {&a->joints.tree_parents, sizeof *a->joints.tree_parents, a->joints.tree_parent_capacity},
        {&a->joints.tree_flags, sizeof *a->joints.tree_flags, a->joints.tree_flag_capacity},
        {&a->joints.tree_scales, sizeof *a->joints.tree_scales, a->joints.tree_scale_capacity},
        {&a->joints.tree_masses, 2 * sizeof *a->joints.tree_masses, a->joints.tree_mass_capacity},
        {&a->joints.tree_data, 64, a->joints.tree_data_capacity},
        {&a->joints.tree_of_batch, sizeof *a->joints.tree_of_batch,
         a->joints.tree_of_batch_capacity},
    };
    _Static_assert(sizeof all / sizeof all[0] == ARRAY_COUNT, "ARRAY_COUNT");
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

static PhStatus reserve_slots(PhLayout *layout, uint32_t slots, uint32_t contacts) {
    if (!layout->arrays) {
        layout->arrays = ph_alloc(1, sizeof *layout->arrays);
        if (!layout->arrays) {
            return PH_ERROR_MEMORY;
        }
    }
    struct PhLayoutArrays *arrays = layout->arrays;
    if (ph_reserve_array(&layout->island, &layout->slot_capacity, slots, sizeof *layout->island) ||
        ph_reserve_array(&layout->in_contact, &arrays->in_contact_capacity, slots,
                         sizeof *layout->in_contact) ||
        ph_reserve_array(&arrays->slots, &arrays->slot_capacity, slots, sizeof *arrays->slots) ||
        ph_reserve_array(&arrays->dynamic, &arrays->dynamic_capacity, slots,
                         sizeof *arrays->dynamic) ||
        ph_reserve_array(&arrays->islands, &arrays->island_capacity, slots,
                         sizeof *arrays->islands) ||
        ph_reserve_array(&arrays->members, &arrays->member_capacity, slots,
                         sizeof *arrays->members) ||
        ph_reserve_array(&arrays->loose, &arrays->loose_capacity, slots, sizeof *arrays->loose) ||
        ph_reserve_array(&arrays->color_of, &arrays->color_of_capacity, contacts,
                         sizeof *arrays->color_of) ||
        ph_reserve_array(&arrays->old_color, &arrays->old_color_capacity, contacts,
                         sizeof *arrays->old_color) ||
        ph_reserve_array(&arrays->kept, &arrays->kept_capacity, contacts, sizeof *arrays->kept)) {
        return PH_ERROR_MEMORY;
    }
    return PH_OK;
}

PhStatus ph_layout_build(PhLayout *layout, const PhKernels *kernels, const PhContacts *contacts,
                         const PhPairList *pairs, const PhSolverBodies *bodies,
                         const PhStepParameters *parameters, bool whole) {
    PH_ASSERT(!layout->behind);
    layout->fresh = true;
    if (whole && layout->arrays) {
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

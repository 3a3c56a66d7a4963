// Batches: islands of one substep level and impact class, packed in order of their lowest slot.
// Free islands, those that something fixed holds, and those with joints are in batches apart. Also
// the solver bodies of every batch.
//
// Invariant: batches and solver bodies depend on the contacts, roles, masses and joints alone, and
// on what decides the substep levels (adaptive_substeps.c). Bodies without a contact have no solver
// body. A kinematic body has a copy in every batch that it touches.
#include "base/memory.h"
#include "solve/layout.h"

static bool is_full(const PhIslandBatch *batch) {
    return batch->contact_count >= PH_BATCH_CONTACTS || batch->body_count >= PH_BATCH_CONTACTS;
}

// How many more impact sweeps than others an island gets, as powers of 4. Between a heavy and a
// light body that something stops, each sweep passes on no more than the light one can have of the
// heavy one's momentum: it takes some times as many sweeps as that is heavier. Islands of more
// contacts get fewer, so that none costs much, and so do those for which no number would do.
enum { IMPACT_CLASSES = 4, FEWEST_CLASS_CONTACTS = 16, EVEN_CLASS_CONTACTS = 64 };
// In islands of up to so many contacts, and of masses up to this ratio, impacts of one moment are
// given at once: see soft_step_impacts_source.h. A light body that overlaps two much heavier ones
// would be thrown out.
enum { AT_ONCE_CONTACTS = 64 };
#define MOST_AT_ONCE_RATIO 16.0f
#define FEWEST_CLASS_RATIO 4.0f // of the masses; four times as much for each class more
#define LARGEST_CLASS_RATIO 1024.0f

static uint8_t impact_class_of(const PhIsland *island) {
    if (!(island->unevenness > 0) || island->unevenness > LARGEST_CLASS_RATIO) {
        return island->contact_count <= EVEN_CLASS_CONTACTS;
    }
    uint8_t wanted = 1, class = IMPACT_CLASSES - 1;
    float ratio = FEWEST_CLASS_RATIO;
    for (; wanted < class && island->unevenness > ratio; ratio *= 4) {
        wanted++;
    }
    uint32_t most = FEWEST_CLASS_CONTACTS;
    for (; class > 0 && island->contact_count > most; most *= 4) {
        class --;
    }
    return class < wanted ? class : wanted;
}

static void pack_islands(PhLayout *layout, const PhSolverBodies *bodies, uint64_t most) {
    PhIslandBatch *batches = layout->arrays->batches;
    PhIsland *islands = layout->arrays->islands;
    uint32_t count = 0, open[PH_SUBSTEP_LEVELS][IMPACT_CLASSES][2][3];
    for (size_t k = 0; k < sizeof open / sizeof(uint32_t); k++) {
        (&open[0][0][0][0])[k] = PH_NULL;
    }
    for (uint32_t m = 0; m < bodies->dynamic_count; m++) {
        uint32_t i = bodies->dynamic[m];
        PhIsland *island = &islands[i];
        if (layout->island[i] != i || !island->body_count) {
            continue;
        }
        bool isolated =
            ph_batch_is_giant(island->contact_count) || island->hubs || island->articulated;
        uint32_t was = island->batch;
        uint8_t class = impact_class_of(island);
        int32_t kind = island->jointed ? 2 : !island->held;
        bool at_once =
            island->contact_count <= AT_ONCE_CONTACTS && !(island->unevenness > MOST_AT_ONCE_RATIO);
        uint32_t *last = &open[island->substep_level][class][at_once][kind], batch = *last;
        if (isolated || batch == PH_NULL || is_full(&batches[batch])) {
            PH_ASSERT(count < most);
            batch = count++;
            batches[batch] = (PhIslandBatch){
                .substep_level = island->substep_level, .copies = PH_NULL, .was = was};
            batches[batch].hubs = island->hubs;
            batches[batch].articulated = island->articulated;
            batches[batch].impact_class = class;
            batches[batch].impacts_at_once = at_once;
            batches[batch].free = !island->held;
            batches[batch].jointed = island->jointed;
            if (!isolated) {
                *last = batch;
            }
        }
        island->batch = batch;
        batches[batch].island_count++;
        batches[batch].was = batches[batch].was == was ? was : PH_NULL;
        batches[batch].contact_count += island->contact_count;
        batches[batch].body_count += island->body_count;
    }
    layout->batch_count = count;
    // A batch is unchanged if its islands are exactly those of one old batch.
    const struct PhLayoutArrays *arrays = layout->arrays;
    for (uint32_t b = 0; b < count; b++) {
        uint32_t was = batches[b].was;
        bool same = was < arrays->old_batch_count &&
                    arrays->old_batches[was].island_count == batches[b].island_count &&
                    arrays->old_batches[was].substep_level == batches[b].substep_level &&
                    arrays->old_batches[was].articulated == batches[b].articulated &&
                    arrays->old_batches[was].free == batches[b].free &&
                    arrays->old_batches[was].jointed == batches[b].jointed;
        batches[b].was = same ? was : PH_NULL;
    }
    (void)most;
}

PhStatus ph_batches_pack(PhLayout *layout, const PhContacts *contacts,
                         const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    // Room. A batch is closed at PH_BATCH_CONTACTS contacts or bodies (at most two per contact); a
    // giant one has twice as many. Six batches of each substep level and impact class may be
    // open. Like a contact, a joint brings at most two bodies. Islands with hubs have batches of
    // their own, with many contacts.
    uint64_t joined = (uint64_t)contacts->count + (bodies->joints ? bodies->joints->active : 0);
    uint64_t most = 4 * (joined / PH_BATCH_CONTACTS) + 4 + 6 * PH_SUBSTEP_LEVELS * IMPACT_CLASSES +
                    contacts->count / PH_HUB_CONTACTS + arrays->articulated_count;
    most = most < layout->island_count ? most : layout->island_count;
    PhIslandBatch *batches = arrays->batches;
    arrays->batches = arrays->old_batches;
    arrays->old_batches = batches;
    if (PH_RESERVE(arrays->batches, most) || PH_RESERVE(arrays->old_batches, most)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t t = 0; bodies->joints && bodies->joints->active && t < arrays->joints.tie_count;
         t++) {
        arrays->islands[layout->island[arrays->joints.ties[t].slot]].jointed = true;
    }
    pack_islands(layout, bodies, most);
    return PH_OK;
}

// Lists, by batch, the contacts with kinematic bodies.
static PhStatus list_copies(PhLayout *layout, const PhContacts *contacts,
                            const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    const uint8_t *color_of = arrays->color_of;
    arrays->copy_count = 0;
    for (uint32_t c = 0, count = contacts->count; c < count; c++) {
        if (!ph_code_is_fixed(color_of[c]) ||
            bodies->role[contacts->body_b[c]] != PH_ROLE_KINEMATIC) {
            continue;
        }
        uint32_t copy = arrays->copy_count;
        if (PH_RESERVE(arrays->copies, (uint64_t)copy + 1)) {
            return PH_ERROR_MEMORY;
        }
        arrays->slots[contacts->body_b[c]].owned = 0;
        PhIsland *island = &arrays->islands[layout->island[contacts->body_a[c]]];
        PhIslandBatch *batch = &arrays->batches[island->batch];
        island->driven = true;
        arrays->copies[copy] =
            (PhCopy){.contact = c, .slot = contacts->body_b[c], .before = batch->copies};
        batch->copies = arrays->copy_count++;
    }
    return PH_OK;
}

// Does the same for joints, in order of joints and sides, after those of contacts.
static PhStatus list_joint_copies(PhLayout *layout, const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    const PhSolverJoints *joints = bodies->joints;
    arrays->joints.first_copy = arrays->copy_count;
    bool special = joints && joints->active && !joints->plain;
    for (uint32_t j = 0; special && j < joints->limit; j++) {
        const PhJoint *joint = &joints->joint[j];
        uint32_t dynamic = ph_joint_dynamic_body(bodies, joint), slots[4];
        if (dynamic == PH_NULL) {
            continue;
        }
        PhIsland *island = &arrays->islands[layout->island[dynamic]];
        island->motored |= ph_joint_is_to_move(joint);
        for (int side = 0, sides = ph_joint_sides(joint, slots); side < sides; side++) {
            uint32_t slot = slots[side], copy = arrays->copy_count;
            if (slot == PH_NULL || bodies->role[slot] != PH_ROLE_KINEMATIC) {
                continue;
            }
            if (PH_RESERVE(arrays->copies, (uint64_t)copy + 1)) {
                return PH_ERROR_MEMORY;
            }
            PhIslandBatch *batch = &arrays->batches[island->batch];
            arrays->slots[slot].owned = 0;
            island->driven = true;
            arrays->copies[copy] =
                (PhCopy){.contact = PH_NULL, .slot = slot, .before = batch->copies};
            batch->copies = arrays->copy_count++;
        }
    }
    return PH_OK;
}

// Places the copies of kinematic bodies after the dynamic solver bodies of batch b. Returns how
// many.
static uint32_t place_copies(struct PhLayoutArrays *arrays, uint32_t b) {
    const PhIslandBatch *batch = &arrays->batches[b];
    uint32_t solver_body = batch->first_solver_body + 1 + batch->body_count, count = 0;
    for (uint32_t k = batch->copies; k != PH_NULL; k = arrays->copies[k].before) {
        PhSlotScratch *slot = &arrays->slots[arrays->copies[k].slot];
        if (slot->owned != b + 1) {
            slot->owned = b + 1;
            slot->copy = solver_body + count++;
        }
        arrays->copies[k].solver_body = slot->copy;
    }
    return count;
}

PhStatus ph_batches_place_bodies(PhLayout *layout, const PhContacts *contacts,
                                 const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint64_t total = 0;
    if (list_copies(layout, contacts, bodies) || list_joint_copies(layout, bodies)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        PhIslandBatch *batch = &arrays->batches[b];
        batch->first_solver_body = (uint32_t)total;
        batch->next_solver_body = batch->first_solver_body + 1;
        batch->solver_body_count = 1 + batch->body_count + place_copies(arrays, b);
        total += ph_batch_solver_bodies(batch);
        if (total > UINT32_MAX / 16) { // solver bodies are named by byte offsets of 32 bits
            return PH_ERROR_MEMORY;
        }
    }
    layout->solver_body_count = (uint32_t)total;
    if (!total) {
        return PH_OK;
    }
    if (PH_RESERVE(arrays->solver_body_slot, total) || PH_RESERVE(arrays->first_end, total) ||
        PH_RESERVE(arrays->hits, total) ||
        PH_RESERVE(arrays->solver_body_quads, total * 6 + total / 4)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < total; i++) {
        arrays->solver_body_slot[i] = PH_NULL;
    }
    arrays->solver_bodies = ph_solver_bodies_in(arrays->solver_body_quads, total);
    for (uint32_t k = 0; k < arrays->copy_count; k++) {
        arrays->solver_body_slot[arrays->copies[k].solver_body] = arrays->copies[k].slot;
    }
    const uint32_t *dynamic = arrays->order_count ? arrays->order : bodies->dynamic;
    for (uint32_t m = 0; m < bodies->dynamic_count; m++) {
        uint32_t i = dynamic[m];
        if (!layout->in_contact[i]) {
            continue;
        }
        uint32_t batch = ph_batch_of(layout, i),
                 solver_body = arrays->batches[batch].next_solver_body++;
        uint32_t place = solver_body - arrays->batches[batch].first_solver_body;
        arrays->members[i] = (PhMember){place * 16, batch, bodies->mass[i][0], bodies->mass[i][1]};
        arrays->solver_body_slot[solver_body] = i;
    }
    return PH_OK;
}

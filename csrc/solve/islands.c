// Islands: connected components of the dynamic bodies under their contacts, by union-find (R.
// Tarjan, "Efficiency of a Good But Not Linear Set Union Algorithm", 1975; halving of paths,
// linking to the lower slot); and, as that takes one look at every contact, the greedy coloring.
//
// Invariant: the root of an island is its lowest slot, whatever the order of the contacts. Contacts
// of one color share no dynamic body, so they can be solved side by side; contacts with fixed
// bodies have colors of their own and are solved last, which leaves them the most exact. A contact
// without a free color goes to an overflow color, in order, or where hubs.c finds room for it. So
// an island's root and colors are a function of its own contacts, and stay as they are while these
// do.
#include <math.h>
#include <string.h>

#include "solve/layout.h"

static uint32_t find_root(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// Every body that moves is an island of its own, all others are in none. Costs what moves and what
// moved at the last time.
static void start_isolated(PhLayout *layout, const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    for (; arrays->seen < bodies->count; arrays->seen++) {
        layout->island[arrays->seen] = PH_NULL;
        layout->in_contact[arrays->seen] = 0;
    }
    uint32_t *island = layout->island, *dynamic = arrays->dynamic, count = bodies->dynamic_count;
    uint8_t *in_contact = layout->in_contact;
    PhSlotScratch *slots = arrays->slots;
    bool same = count == arrays->dynamic_count &&
                (!count || memcmp(dynamic, bodies->dynamic, count * sizeof *dynamic) == 0);
    for (uint32_t m = 0; !same && m < arrays->dynamic_count; m++) {
        island[dynamic[m]] = PH_NULL;
        in_contact[dynamic[m]] = 0;
    }
    for (uint32_t m = 0; m < count; m++) {
        uint32_t i = bodies->dynamic[m];
        dynamic[m] = island[i] = i;
        in_contact[i] = 0;
        slots[i] = (PhSlotScratch){0};
    }
    arrays->dynamic_count = bodies->dynamic_count;
}

// Contacts with a fixed body take the highest color that is free, others the lowest.
static uint8_t pick_fixed(uint32_t *used) {
    if (!~*used) {
        return PH_OVERFLOW_FIXED;
    }
    int c = 31 - __builtin_clz(~*used);
    *used |= (uint32_t)1 << c;
    return (uint8_t)(PH_FIRST_FIXED + c);
}

// Unites and colors; where `loose` is given, the contacts of those bodies alone. Contacts of one
// owner follow each other mostly: his root and colors stay at hand.
static inline __attribute__((always_inline)) void
visit_contacts(PhLayout *layout, const PhContacts *contacts, const uint8_t *loose) {
    uint32_t *island = layout->island;
    PhSlotScratch *slots = layout->arrays->slots, mine = {0};
    uint8_t *color = layout->arrays->color_of;
    const uint32_t *body_a = contacts->body_a, *body_b = contacts->body_b;
    uint32_t count = contacts->count, first = 0;
    while (loose && first < count && !loose[body_a[first]]) {
        first++;
    }
    if (first == count) {
        return;
    }
    uint32_t owner = body_a[first];
    layout->in_contact[owner] = 1;
    for (uint32_t k = first, root = owner; k < count; k++) {
        uint32_t a = body_a[k], b = body_b[k];
        if (loose && !loose[a]) {
            continue;
        }
        if (a != owner) {
            slots[owner] = mine;
            owner = a;
            mine = slots[a];
            layout->in_contact[a] = 1;
            root = find_root(island, a);
        }
        mine.owned++;
        if (island[b] == PH_NULL) {
            slots[b].owned = 0;
            color[k] = pick_fixed(&mine.used_fixed);
            continue;
        }
        layout->in_contact[b] = 1;
        color[k] = ph_pick_dynamic(&mine.used, &slots[b].used);
        b = find_root(island, b);
        uint32_t low = root < b ? root : b, high = root < b ? b : root;
        island[high] = root = low;
    }
    slots[owner] = mine;
}

// Joints unite as contacts do; where `loose` is given, those of such bodies alone.
static void visit_joints(PhLayout *layout, const uint8_t *loose) {
    const PhJointLayout *joints = &layout->arrays->joints;
    uint32_t *island = layout->island;
    for (uint32_t t = 0; t < joints->tie_count; t++) {
        uint32_t slot = joints->ties[t].slot;
        if (loose && !loose[slot]) {
            continue;
        }
        layout->in_contact[slot] = 1;
        layout->arrays->slots[slot].in_joint = true;
        uint32_t a = find_root(island, joints->ties[t].root), b = find_root(island, slot);
        island[a < b ? b : a] = a < b ? a : b;
    }
}

static bool is_held(const PhSlotScratch *slot) {
    return slot->used_fixed || slot->in_joint;
}

void ph_islands_find(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies) {
    uint32_t *island = layout->island;
    const PhSlotScratch *slots = layout->arrays->slots;
    PhIsland *islands = layout->arrays->islands;
    start_isolated(layout, bodies);
    visit_contacts(layout, contacts, NULL);
    visit_joints(layout, NULL);
    // A parent is never above its child, so one ascending sweep finishes every path.
    uint32_t count = 0;
    for (uint32_t m = 0; m < bodies->dynamic_count; m++) {
        uint32_t i = bodies->dynamic[m], root = island[i] = island[island[i]];
        if (root == i) {
            layout->arrays->roots[count++] = i;
            islands[i] = (PhIsland){.batch = PH_NULL, .least = HUGE_VALF};
        }
        if (!layout->in_contact[i]) { // alone
            continue;
        }
        islands[root].body_count += layout->in_contact[i];
        islands[root].contact_count += slots[i].owned;
        islands[root].held |= is_held(&slots[i]);
    }
    layout->island_count = count;
}

// ------------------------------------------------------------------------------------------------
// from the last build

// Worth it: while no more than one contact in so many comes or goes. In piles that settle it is one
// in ten thousand, where much moves one in a hundred, in as good as all batches.
enum { FEW = 32, VERY_FEW = 256 };

static void touch(PhLayout *layout, uint32_t a, uint32_t b) {
    PhIsland *islands = layout->arrays->islands;
    islands[layout->island[a]].touched = true;
    if (layout->island[b] != PH_NULL) {
        islands[layout->island[b]].touched = true;
    }
}

// The colors of contacts that stay go to old_color, at their new places.
uint32_t ph_islands_compare(PhLayout *layout, const PhContacts *contacts, const PhPairList *pairs,
                            const PhSolverBodies *bodies, bool *shifted) {
    struct PhLayoutArrays *arrays = layout->arrays;
    PhKept *old = arrays->kept, *end = old + arrays->kept_count;
    const uint8_t *color = arrays->color_of;
    uint32_t changes = 0, shifts = 0;
    // What is solved by other means has other colors.
    for (uint32_t m = 0; layout->watch_substeps && m < arrays->dynamic_count; m++) {
        uint32_t root = layout->island[arrays->dynamic[m]];
        bool wants = bodies->substep_level && bodies->substep_level[arrays->dynamic[m]].jointed;
        arrays->islands[root].touched |= arrays->islands[root].articulated || wants;
    }
    for (uint32_t c = 0; c < contacts->count; c++) {
        uint32_t k = contacts->pair[c], owner = pairs->owner[k], other = pairs->other[k];
        for (; old < end && (old->owner < owner || (old->owner == owner && old->other < other));
             old++, color++, changes++) {
            touch(layout, old->body_a, old->body_b);
        }
        if (old < end && old->owner == owner && old->other == other) {
            arrays->old_color[c] = *color++;
            shifts |= old->pair ^ k;
            old++->pair = k;
        } else {
            touch(layout, contacts->body_a[c], contacts->body_b[c]);
            changes++;
        }
    }
    for (; old < end; old++, changes++) {
        touch(layout, old->body_a, old->body_b);
    }
    *shifted = shifts != 0;
    return changes;
}

// The bodies of islands that were touched are on their own again. Returns how many contacts they
// had.
static uint32_t loosen(PhLayout *layout, const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint32_t contacts = 0;
    for (uint32_t m = 0; m < bodies->dynamic_count; m++) {
        uint32_t i = bodies->dynamic[m];
        bool touched = arrays->islands[layout->island[i]].touched;
        arrays->loose[i] = touched;
        contacts += touched ? arrays->slots[i].owned : 0;
    }
    return contacts;
}

bool ph_islands_patch(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies,
                      uint32_t changes) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint32_t *island = layout->island, before = arrays->kept_count;
    arrays->waits = changes > before / VERY_FEW ? PH_WAIT_BUILDS : 0; // if it is in vain
    if (changes > before / FEW || loosen(layout, bodies) > before / 2) {
        return false;
    }
    uint8_t *colors = arrays->color_of;
    arrays->color_of = arrays->old_color;
    arrays->old_color = colors;
    for (uint32_t m = 0; m < bodies->dynamic_count; m++) {
        uint32_t i = bodies->dynamic[m];
        if (!arrays->loose[i]) {
            continue;
        }
        island[i] = i;
        layout->in_contact[i] = 0;
        arrays->slots[i] = (PhSlotScratch){0};
    }
    visit_contacts(layout, contacts, arrays->loose);
    visit_joints(layout, arrays->loose);
    uint32_t count = 0;
    for (uint32_t m = 0; m < bodies->dynamic_count; m++) {
        uint32_t i = bodies->dynamic[m], root = island[i] = island[island[i]];
        PhIsland *mine = &arrays->islands[root];
        if (root == i) { // all but what is the same in an island that nothing touched
            arrays->roots[count++] = i;
            PhIsland same = {.least = HUGE_VALF,
                             .contact_count = mine->contact_count,
                             .body_count = mine->body_count,
                             .batch = mine->batch,
                             .hubs = mine->hubs,
                             .held = mine->held};
            *mine = arrays->loose[i] ? (PhIsland){.batch = PH_NULL, .least = HUGE_VALF} : same;
        }
        if (arrays->loose[i]) {
            mine->body_count += layout->in_contact[i];
            mine->contact_count += arrays->slots[i].owned;
            mine->held |= is_held(&arrays->slots[i]);
        }
    }
    layout->island_count = count;
    return true;
}

void ph_islands_keep(PhLayout *layout, const PhContacts *contacts, const PhPairList *pairs) {
    struct PhLayoutArrays *arrays = layout->arrays;
    if (arrays->waits > 0) {
        arrays->waits--;
        return;
    }
    PhKept *kept = arrays->kept;
    for (uint32_t c = 0, count = contacts->count; c < count; c++) {
        uint32_t k = contacts->pair[c];
        kept[c] =
            (PhKept){pairs->owner[k], pairs->other[k], contacts->body_a[c], contacts->body_b[c], k};
    }
    arrays->kept_count = contacts->count;
}

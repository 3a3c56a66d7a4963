// Islands: connected components of the dynamic bodies under their contacts, by union-find (R.
// Tarjan, "Efficiency of a Good But Not Linear Set Union Algorithm", 1975; halving of paths,
// linking to the lower slot).
//
// Invariant: the root of an island is its lowest slot, whatever the order of the contacts.
#include <string.h>

#include "solve/layout.h"

static uint32_t find_root(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// Everybody who moves is an island of his own, everybody else in none. Costs what moves and what
// moved at the last time.
static void start_alone(PhLayout *layout, const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    for (; arrays->seen < bodies->count; arrays->seen++) {
        layout->island[arrays->seen] = PH_NULL;
        layout->in_contact[arrays->seen] = 0;
    }
    for (uint32_t m = 0; m < arrays->mover_count; m++) {
        layout->island[arrays->mover[m]] = PH_NULL;
        layout->in_contact[arrays->mover[m]] = 0;
    }
    for (uint32_t m = 0; m < bodies->mover_count; m++) {
        uint32_t i = bodies->mover[m];
        arrays->mover[m] = layout->island[i] = i;
    }
    arrays->mover_count = bodies->mover_count;
}

void ph_islands_find(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies) {
    uint32_t *island = layout->island;
    PhSlotScratch *slots = layout->arrays->slots;
    start_alone(layout, bodies);
    for (uint32_t k = 0; k < contacts->count; k++)
        slots[contacts->body_b[k]] = (PhSlotScratch){0};
    for (uint32_t m = 0; m < bodies->mover_count; m++)
        slots[bodies->mover[m]] = (PhSlotScratch){0};
    // Contacts of one body follow each other: its root stays at hand.
    for (uint32_t k = 0, owner = PH_NULL, root = 0; k < contacts->count; k++) {
        uint32_t a = contacts->body_a[k], b = contacts->body_b[k];
        PH_ASSERT(bodies->role[a] == PH_ROLE_DYNAMIC);
        layout->in_contact[a] = 1;
        slots[a].contact_count++;
        if (bodies->role[b] != PH_ROLE_DYNAMIC)
            continue;
        layout->in_contact[b] = 1;
        if (a != owner || island[root] != root) {
            owner = a;
            root = find_root(island, a);
        }
        b = find_root(island, b);
        uint32_t low = root < b ? root : b, high = root < b ? b : root;
        island[high] = root = low;
    }
    // A parent is never above its child, so one ascending sweep finishes every path.
    for (uint32_t m = 0; m < bodies->mover_count; m++) {
        uint32_t i = bodies->mover[m], root = island[i] = island[island[i]];
        layout->island_count += root == i;
        if (!layout->in_contact[i])
            continue;
        slots[root].body_count++;
        if (root != i)
            slots[root].contact_count += slots[i].contact_count;
    }
}

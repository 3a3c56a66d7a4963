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

void ph_islands_find(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies) {
    uint32_t *island = layout->island;
    PhSlotScratch *slots = layout->arrays->slots;
    for (uint32_t i = 0; i < bodies->count; i++)
        island[i] = bodies->role[i] == PH_ROLE_DYNAMIC ? i : PH_NULL;
    if (bodies->count) {
        memset(layout->in_contact, 0, bodies->count);
        memset(slots, 0, bodies->count * sizeof *slots);
    }
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
    for (uint32_t i = 0; i < bodies->count; i++) {
        if (island[i] == PH_NULL)
            continue;
        uint32_t root = island[i] = island[island[i]];
        layout->island_count += root == i;
        if (!layout->in_contact[i])
            continue;
        slots[root].body_count++;
        if (root != i)
            slots[root].contact_count += slots[i].contact_count;
    }
}

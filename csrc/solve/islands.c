// Islands: connected components of the dynamic bodies under their contacts, by union-find (R.
// Tarjan, "Efficiency of a Good But Not Linear Set Union Algorithm", 1975; halving of paths,
// linking to the lower slot); and, as that takes one look at every contact, the greedy coloring.
//
// Invariant: the root of an island is its lowest slot, whatever the order of the contacts. Contacts
// of one color share no dynamic body, so they can be solved side by side; contacts with fixed
// bodies have colors of their own and are solved last, which leaves them the most exact. A contact
// without a free color goes to an overflow color, in order.
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
    uint32_t *island = layout->island, *mover = arrays->mover, count = bodies->mover_count;
    uint8_t *in_contact = layout->in_contact;
    PhSlotScratch *slots = arrays->slots;
    bool same = count == arrays->mover_count &&
                (!count || memcmp(mover, bodies->mover, count * sizeof *mover) == 0);
    for (uint32_t m = 0; !same && m < arrays->mover_count; m++) {
        island[mover[m]] = PH_NULL;
        in_contact[mover[m]] = 0;
    }
    for (uint32_t m = 0; m < count; m++) {
        uint32_t i = bodies->mover[m];
        mover[m] = island[i] = i;
        in_contact[i] = 0;
        slots[i] = (PhSlotScratch){0};
    }
    arrays->mover_count = bodies->mover_count;
}

// Contacts with a fixed body take the highest color that is free.
static uint8_t pick_fixed(uint32_t *used) {
    if (!~*used)
        return PH_OVERFLOW_FIXED;
    int c = 31 - __builtin_clz(~*used);
    *used |= (uint32_t)1 << c;
    return (uint8_t)(PH_FIRST_FIXED + c);
}

// Others the lowest that both bodies have free.
static uint8_t pick_dynamic(uint32_t *a, uint32_t *b) {
    uint32_t open = ~(*a | *b);
    if (!open)
        return PH_OVERFLOW_DYNAMIC;
    uint32_t bit = open & (~open + 1);
    *a |= bit;
    *b |= bit;
    return (uint8_t)__builtin_ctz(open);
}

// Unites and colors. Contacts of one owner follow each other mostly: his root and colors stay at
// hand.
static void look_at_contacts(PhLayout *layout, const PhContacts *contacts) {
    uint32_t *island = layout->island;
    PhSlotScratch *slots = layout->arrays->slots, mine = {0};
    uint8_t *color = layout->arrays->color_of;
    const uint32_t *body_a = contacts->body_a, *body_b = contacts->body_b;
    uint32_t count = contacts->count, owner = count ? body_a[0] : 0;
    for (uint32_t k = 0, root = owner; k < count; k++) {
        uint32_t a = body_a[k], b = body_b[k];
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
        color[k] = pick_dynamic(&mine.used, &slots[b].used);
        b = find_root(island, b);
        uint32_t low = root < b ? root : b, high = root < b ? b : root;
        island[high] = root = low;
    }
    if (count) {
        slots[owner] = mine;
        layout->in_contact[body_a[0]] = 1;
    }
}

void ph_islands_find(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies) {
    uint32_t *island = layout->island;
    const PhSlotScratch *slots = layout->arrays->slots;
    PhIsland *islands = layout->arrays->islands;
    start_alone(layout, bodies);
    look_at_contacts(layout, contacts);
    // A parent is never above its child, so one ascending sweep finishes every path.
    uint32_t count = 0;
    for (uint32_t m = 0; m < bodies->mover_count; m++) {
        uint32_t i = bodies->mover[m], root = island[i] = island[island[i]];
        if (root == i) {
            count++;
            islands[i] = (PhIsland){0};
        }
        islands[root].body_count += layout->in_contact[i];
        islands[root].contact_count += slots[i].owned;
    }
    layout->island_count = count;
}

// Hubs: bodies with more contacts than there are colors, as a drum, a raft or a shovel may have.
//
// By greedy coloring, the contacts of a hub fill one lane each of many colors that nothing else
// needs, and then overflow. Contacts in overflow wait for one another. But two contacts of a color
// may share a body if they lie in different wide contacts, because the wide contacts of a color are
// solved one after the other. So contacts of hubs are spread over the colors that other contacts
// fill, far enough from each other that none has to wait.
//
// Invariant: a color has a lane for each of its contacts of hubs, wherever its first wide contact
// begins. They stay in order. No color that a team of threads shares has any. An island with hubs
// has a batch to itself, so its colors are a function of its own contacts.
#include <string.h>

#include "base/memory.h"
#include "solve/layout.h"

void ph_hubs_find(PhLayout *layout, const PhContacts *contacts, bool patched) {
    struct PhLayoutArrays *arrays = layout->arrays;
    const uint8_t *code = arrays->color_of, *end = code + contacts->count, *at = code;
    const uint8_t *loose = patched ? arrays->loose : NULL;
    for (; at < end && (at = memchr(at, PH_OVERFLOW_DYNAMIC, (size_t)(end - at))); at++) {
        uint32_t slot = contacts->body_a[at - code];
        PhIsland *island = &arrays->islands[layout->island[slot]];
        island->hubs |= (!loose || loose[slot]) && island->contact_count >= PH_HUB_CONTACTS;
    }
}

static bool is_full(const PhSlotScratch *slot) {
    return !~slot->used;
}

// Whether the contacts of hubs of a batch are still where the greedy coloring put them.
static bool is_greedy(const PhIslandBatch *batch, const PhColorFill *lanes) {
    uint32_t spread = 0;
    for (uint32_t c = PH_MAX_COLORS; c < PH_LANE_CODES; c++) {
        spread += lanes->next[c];
    }
    return batch->hubs && batch->was == PH_NULL && lanes->next[PH_OVERFLOW_DYNAMIC] && !spread;
}

// Lists contacts of full bodies, which are hubs from here on.
static uint32_t list_contacts(struct PhLayoutArrays *arrays, const PhContacts *contacts) {
    const uint32_t *body_a = contacts->body_a, *body_b = contacts->body_b;
    PhSlotScratch *slots = arrays->slots;
    uint32_t found = 0, *list = arrays->hub_contact;
    for (uint32_t c = 0, count = contacts->count; c < count; c++) {
        list[found] = c;
        found += is_full(&slots[body_a[c]]) | is_full(&slots[body_b[c]]);
    }
    for (uint32_t k = 0; k < found; k++) {
        PhSlotScratch *a = &slots[body_a[list[k]]], *b = &slots[body_b[list[k]]];
        a->hub = is_full(a);
        b->hub = is_full(b);
    }
    return found;
}

// From how many contacts of hubs there are in each color, and others: how many of hubs the others
// have room for. False: there is none, and all stay where they are.
static bool make_room(PhColorFill *lanes) {
    for (uint32_t c = 0; c < PH_CLASS_COLORS; c++) {
        uint32_t others = lanes->next[c] - lanes->room[c];
        lanes->room[c] = others <= PH_HUB_COLOR ? others / PH_HUB_STRIDE : 0;
        lanes->open |= (uint32_t)(lanes->room[c] > 0) << c;
        lanes->filled |= (uint32_t)(others > 0) << c;
    }
    return lanes->open != 0;
}

// A contact of a hub has no color for now.
static void let_go(PhColorFill *lanes, uint8_t color, PhSlotScratch *a, PhSlotScratch *b) {
    uint32_t bit = color < PH_CLASS_COLORS ? (uint32_t)1 << color : 0;
    a->used = a->hub ? lanes->filled : a->used & ~bit;
    b->used = b->hub ? lanes->filled : b->used & ~bit;
    lanes->next[color]--;
}

// The highest color with room that the other body, if it is no hub, has free; where there is none,
// one that no others have.
static uint8_t pick_color(PhColorFill *lanes, PhSlotScratch *a, PhSlotScratch *b) {
    uint32_t used = (a->hub ? 0 : a->used) | (b->hub ? 0 : b->used), open = lanes->open & ~used;
    if (!open) {
        return ph_pick_dynamic(&a->used, &b->used);
    }
    uint32_t c = 31 - (uint32_t)__builtin_clz(open), bit = (uint32_t)1 << c;
    a->used |= bit;
    b->used |= bit;
    if (--lanes->room[c] == 0) {
        lanes->open &= ~bit;
    }
    return (uint8_t)(PH_MAX_COLORS + c);
}

PhStatus ph_hubs_spread(PhLayout *layout, const PhContacts *contacts) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint8_t *color_of = arrays->color_of;
    bool any = false;
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        any |= arrays->batches[b].spreads = is_greedy(&arrays->batches[b], &arrays->lanes[b]);
    }
    if (!any) {
        return PH_OK;
    }
    if (PH_RESERVE(arrays->hub_contact, (uint64_t)contacts->count + 1)) {
        return PH_ERROR_MEMORY;
    }
    uint32_t count = list_contacts(arrays, contacts), kept = 0, *list = arrays->hub_contact;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t c = list[k], batch = arrays->members[contacts->body_a[c]].batch;
        if (!arrays->batches[batch].spreads || color_of[c] > PH_OVERFLOW_DYNAMIC) {
            continue;
        }
        list[kept++] = c;
        if (color_of[c] < PH_CLASS_COLORS) {
            arrays->lanes[batch].room[color_of[c]]++;
        }
    }
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        arrays->batches[b].spreads = arrays->batches[b].spreads && make_room(&arrays->lanes[b]);
    }
    for (int picking = 0; picking < 2; picking++) { // after all have let go
        for (uint32_t k = 0; k < kept; k++) {
            uint32_t c = list[k], slot = contacts->body_a[c], batch = arrays->members[slot].batch;
            PhSlotScratch *a = &arrays->slots[slot], *b = &arrays->slots[contacts->body_b[c]];
            PhColorFill *lanes = &arrays->lanes[batch];
            if (!arrays->batches[batch].spreads) {
                continue;
            }
            if (picking) {
                lanes->next[color_of[c] = pick_color(lanes, a, b)]++;
            } else {
                let_go(lanes, color_of[c], a, b);
            }
        }
    }
    return PH_OK;
}

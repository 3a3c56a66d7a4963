// Contacts of bodies of several pieces, by couples of bodies of which a contact is deep:
// deep_contacts.h. Which contacts those of bodies of several pieces are is found anew only when
// contacts are listed anew.
#include "world/deep_contacts.h"

#include "base/memory.h"
#include "base/sort.h"

// Whether one of the bodies of a contact has several pieces.
static bool has_several(const PhWorld *world, uint32_t c) {
    const uint8_t *several = world->continuous.several;
    return several[world->contacts.body_a[c]] | several[world->contacts.body_b[c]];
}

// Lists the contacts that may be of entangled bodies, when contacts were listed anew.
static PhStatus list_several(PhWorld *world) {
    PhEscapes *escapes = &world->escapes;
    uint32_t count = world->contacts.count;
    if (!escapes->stale) {
        return PH_OK;
    }
    escapes->several_count = 0;
    PhStatus status = ph_reserve_array(&escapes->several, &escapes->several_capacity, count,
                                       sizeof *escapes->several);
    for (uint32_t c = 0; c < count && !status; c++) {
        escapes->several[escapes->several_count] = c;
        escapes->several_count += has_several(world, c);
    }
    escapes->stale = status != PH_OK;
    return status;
}

static bool is_deep(const PhWorld *world, uint32_t c) {
    return ph_depth_of(&world->contacts.manifold[world->contacts.pair[c]]) >
           world->lengths.lane.escape_slips[0];
}

static uint64_t bodies_of(const PhContacts *contacts, uint32_t c) {
    uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

// The place of the last key that is not above this one, or 0.
static uint32_t find_key(const uint64_t *keys, uint32_t count, uint64_t key) {
    uint32_t low = 0;
    while (count > 1) {
        uint32_t half = count / 2;
        low += keys[low + half] <= key ? half : 0;
        count -= half;
    }
    return low;
}

// The bodies of deep contacts, each couple once.
static PhStatus list_keys(const PhWorld *world, PhDeepContacts *out) {
    const PhEscapes *escapes = &world->escapes;
    uint32_t n = 0, count = 0;
    for (uint32_t i = 0; i < escapes->several_count; i++) {
        count += is_deep(world, escapes->several[i]);
    }
    if (count == 0) {
        return PH_OK;
    }
    out->key = ph_alloc(2ull * count, sizeof *out->key); // to be sorted
    if (!out->key) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < escapes->several_count; i++) {
        if (is_deep(world, escapes->several[i])) {
            out->key[n++] = bodies_of(&world->contacts, escapes->several[i]);
        }
    }
    ph_sort_keys(out->key, n, world->slot_count);
    for (uint32_t i = 0; i < n; i++) {
        if (out->count == 0 || out->key[i] != out->key[out->count - 1]) {
            out->key[out->count++] = out->key[i];
        }
    }
    return PH_OK;
}

PhStatus ph_deep_contacts_list(PhWorld *world, PhDeepContacts *out) {
    const PhContacts *contacts = &world->contacts;
    PhStatus status = list_several(world);
    status = status ? status : list_keys(world, out);
    if (status || out->count == 0) {
        return status;
    }
    const PhEscapes *escapes = &world->escapes;
    out->first = ph_alloc(out->count + 1ull, sizeof *out->first);
    out->rank = ph_alloc(escapes->several_count, sizeof *out->rank);
    out->contact = ph_alloc(escapes->several_count, sizeof *out->contact);
    if (!out->first || !out->rank || !out->contact) {
        return PH_ERROR_MEMORY;
    }
    uint64_t last = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < escapes->several_count; i++) {
        uint64_t key = bodies_of(contacts, escapes->several[i]);
        at = key == last ? at : find_key(out->key, out->count, key);
        last = key;
        bool found = out->key[at] == key;
        out->rank[i] = found ? at : PH_NULL;
        out->first[at] += found;
        out->found += found;
    }
    for (uint32_t i = 0, sum = 0; i <= out->count; i++) { // where each ends
        sum += out->first[i];
        out->first[i] = sum;
    }
    for (uint32_t i = escapes->several_count; i-- > 0;) {
        if (out->rank[i] != PH_NULL) {
            out->contact[--out->first[out->rank[i]]] = escapes->several[i];
        }
    }
    return PH_OK;
}

void ph_deep_contacts_free(PhDeepContacts *deep) {
    ph_free(deep->key);
    ph_free(deep->first);
    ph_free(deep->rank);
    ph_free(deep->contact);
}

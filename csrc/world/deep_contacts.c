// Contacts of bodies of several pieces, by couples of bodies that may be entangled:
// deep_contacts.h. Which contacts those of bodies of several pieces are is found anew only when
// contacts are listed anew.
#include "world/deep_contacts.h"

#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "math/vec2.h"

#define STUCK_PART 0.25 // of the width of the thinner piece

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

static float depth_at(const PhWorld *world, uint32_t c) {
    return ph_depth_of(&world->contacts.manifold[world->contacts.pair[c]]);
}

bool ph_is_stuck(const PhWorld *world, uint32_t c, float depth) {
    if (depth <= world->lengths.lane.escape_deep[0]) {
        return false;
    }
    uint32_t k = world->contacts.pair[c];
    const PhPiece *a = world->proxy_piece[world->broad.pairs.owner[k]];
    const PhPiece *b = world->proxy_piece[world->broad.pairs.other[k]];
    return (double)depth > STUCK_PART * ph_min(a->width, b->width);
}

static uint64_t bodies_of(const PhContacts *contacts, uint32_t c) {
    uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

// What contacts say of a couple of bodies: of all couples that share a place of a table, so it may
// be too much, never too little.
typedef struct Seen {
    uint8_t octants; // of normals of touching contacts, from the body with the lower slot
    uint8_t far;     // those in which a normal may be more than 90 degrees from one of these
    bool slips, stuck;
} Seen;
enum { PLACE_BITS = 14, PLACES = 1 << PLACE_BITS };

static uint32_t place_of(uint64_t key) {
    return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> (64 - PLACE_BITS));
}

// Octants are numbered by two signs and by which coordinate is larger.
static uint32_t octant_of(float x, float y) {
    return (uint32_t)(x < 0) | (uint32_t)(y < 0) << 1 | (uint32_t)(fabsf(y) > fabsf(x)) << 2;
}

// All but the octant itself and its neighbours.
#define ALL_BUT(own, next, last) (uint8_t) ~(1 << (own) | 1 << (next) | 1 << (last))
static const uint8_t far_octants[8] = {ALL_BUT(0, 4, 2), ALL_BUT(1, 3, 5), ALL_BUT(2, 0, 6),
                                       ALL_BUT(3, 7, 1), ALL_BUT(4, 5, 0), ALL_BUT(5, 1, 4),
                                       ALL_BUT(6, 2, 7), ALL_BUT(7, 6, 3)};

static void see(const PhWorld *world, uint32_t c, float depth, Seen *seen) {
    const PhContacts *contacts = &world->contacts;
    const PhSolverManifold *manifold = &contacts->manifold[contacts->pair[c]];
    bool swapped = contacts->body_a[c] > contacts->body_b[c];
    uint32_t octant =
        octant_of(swapped ? -manifold->nx : manifold->nx, swapped ? -manifold->ny : manifold->ny);
    seen->octants |= (uint8_t)(1u << octant);
    seen->far |= far_octants[octant];
    seen->slips |= depth > world->lengths.lane.escape_slips[0];
    seen->stuck |= ph_is_stuck(world, c, depth);
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

// What there is to see of all couples of bodies. False where none is listed.
static bool see_all(const PhWorld *world, Seen seen[PLACES]) {
    const PhEscapes *escapes = &world->escapes;
    const float touching = (float)world->lengths.escape_touching;
    const float slips = world->lengths.lane.escape_slips[0];
    bool any = false;
    for (uint32_t i = 0; i < escapes->several_count && !any; i++) {
        any = depth_at(world, escapes->several[i]) > slips;
    }
    if (!any) {
        return false;
    }
    memset(seen, 0, PLACES * sizeof *seen);
    for (uint32_t i = 0; i < escapes->several_count; i++) {
        uint32_t c = escapes->several[i];
        float depth = depth_at(world, c);
        if (depth > touching) {
            see(world, c, depth, &seen[place_of(bodies_of(&world->contacts, c))]);
        }
    }
    return true;
}

static bool is_listed(const Seen *seen) {
    return seen->stuck || (seen->slips && seen->octants & seen->far);
}

// The contacts whose place in the table says so, and the keys of their bodies, each once.
static PhStatus list_keys(const PhWorld *world, const Seen *seen, PhDeepContacts *out) {
    const PhEscapes *escapes = &world->escapes;
    out->listed = ph_alloc(escapes->several_count, sizeof *out->listed);
    if (!out->listed) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < escapes->several_count; i++) {
        uint32_t c = escapes->several[i];
        out->listed[out->found] = c;
        out->found += is_listed(&seen[place_of(bodies_of(&world->contacts, c))]);
    }
    out->key = ph_alloc(2ull * out->found, sizeof *out->key); // to be sorted
    if (!out->key) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < out->found; i++) {
        out->key[i] = bodies_of(&world->contacts, out->listed[i]);
    }
    ph_sort_keys(out->key, out->found, world->slot_count);
    for (uint32_t i = 0; i < out->found; i++) {
        if (out->count == 0 || out->key[i] != out->key[out->count - 1]) {
            out->key[out->count++] = out->key[i];
        }
    }
    return PH_OK;
}

PhStatus ph_deep_contacts_list(PhWorld *world, PhDeepContacts *out) {
    const PhContacts *contacts = &world->contacts;
    Seen seen[PLACES];
    PhStatus status = list_several(world);
    if (status || !see_all(world, seen)) {
        return status;
    }
    status = list_keys(world, seen, out);
    if (status) {
        return status;
    }
    out->first = ph_alloc(out->count + 1ull, sizeof *out->first);
    out->rank = ph_alloc(out->found, sizeof *out->rank);
    out->contact = ph_alloc(out->found, sizeof *out->contact);
    if (!out->first || !out->rank || !out->contact) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < out->found; i++) {
        out->rank[i] = find_key(out->key, out->count, bodies_of(contacts, out->listed[i]));
        out->first[out->rank[i]]++;
    }
    for (uint32_t i = 0, sum = 0; i <= out->count; i++) { // where each ends
        sum += out->first[i];
        out->first[i] = sum;
    }
    for (uint32_t i = out->found; i-- > 0;) {
        out->contact[--out->first[out->rank[i]]] = out->listed[i];
    }
    return PH_OK;
}

void ph_deep_contacts_free(PhDeepContacts *deep) {
    ph_free(deep->listed);
    ph_free(deep->key);
    ph_free(deep->first);
    ph_free(deep->rank);
    ph_free(deep->contact);
}

// Owns the ids of contacts: a list of rows in the order of ids, in which those of contacts that
// have ended stay until room is short, and a hash table that finds the row of two colliders.
//
// Invariant: two colliders that touch have one row that has not ended; ids ascend, the last one
// given out is `last`. What is read does not depend on rows that have ended or on the size of the
// table.
//
// Source: D. E. Knuth, "The Art of Computer Programming" 3, 6.4 (1973), algorithm R, for removing
// from a table with linear probing.
#include "world/contact_ids.h"

#include <string.h>

#include "base/memory.h"

static uint32_t home_of(const PhContactIds *ids, uint32_t low, uint32_t high) {
    uint64_t key = (uint64_t)high << 32 | low;
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & ids->mask;
}

// Where the row of two colliders is noted, or would be.
static uint32_t place_of(const PhContactIds *ids, uint32_t low, uint32_t high) {
    uint32_t at = home_of(ids, low, high);
    while (ids->place[at]) {
        const PhContactId *row = &ids->row[ids->place[at] - 1];
        if (row->low == low && row->high == high) {
            break;
        }
        at = (at + 1) & ids->mask;
    }
    return at;
}

// Into places that are zeros.
static void fill_places(PhContactIds *ids) {
    for (uint32_t i = 0; i < ids->count; i++) {
        const PhContactId *row = &ids->row[i];
        if (row->low != PH_NULL) {
            ids->place[place_of(ids, row->low, row->high)] = i + 1;
        }
    }
}

static void drop_ended(PhContactIds *ids) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < ids->count; i++) {
        ids->row[kept] = ids->row[i];
        kept += ids->row[i].low != PH_NULL;
    }
    ids->count = kept;
    memset(ids->place, 0, (ids->mask + (size_t)1) * sizeof *ids->place);
    fill_places(ids);
}

PhStatus ph_contact_ids_reserve(PhContactIds *ids, uint64_t more) {
    enum { LEAST = 16 };
    const uint64_t living = ids->living + more;
    if (living > UINT32_MAX / 4) {
        return PH_ERROR_MEMORY;
    }
    uint32_t size = ids->mask ? ids->mask + 1 : LEAST;
    while (size < 2 * living) { // at most half of the places are taken
        size *= 2;
    }
    const bool fresh = size > ids->place_capacity;
    if (living && fresh) {
        uint32_t *place = ph_alloc(size, sizeof *place);
        if (!place) {
            return PH_ERROR_MEMORY;
        }
        ph_free(ids->place);
        ids->place = place;
        ids->place_capacity = size;
    }
    if (living && size != ids->mask + 1) {
        if (ids->mask && !fresh) {
            memset(ids->place, 0, (ids->mask + (size_t)1) * sizeof *ids->place);
        }
        ids->mask = size - 1;
        fill_places(ids);
    }
    // Those that have ended go where they are many, so that each is looked at but a few times.
    if (ids->count + more > ids->row_capacity && ids->count - ids->living > living / 2) {
        drop_ended(ids);
    }
    return ph_reserve_array(&ids->row, &ids->row_capacity, ids->count + more, sizeof *ids->row);
}

uint64_t ph_contact_ids_begin(PhContactIds *ids, uint32_t a, uint32_t b) {
    const PhContactId row = {++ids->last, a < b ? a : b, a < b ? b : a};
    uint32_t at = place_of(ids, row.low, row.high);
    PH_ASSERT(!ids->place[at] && ids->count < ids->row_capacity);
    ids->row[ids->count++] = row;
    ids->place[at] = ids->count;
    ids->living++;
    return row.id;
}

uint32_t ph_contact_ids_row(const PhContactIds *ids, uint32_t a, uint32_t b) {
    uint32_t at = ids->mask ? place_of(ids, a < b ? a : b, a < b ? b : a) : 0;
    return ids->mask && ids->place[at] ? ids->place[at] - 1 : PH_NULL;
}

// Fills a place that is no longer needed with what stands behind it and would not be found across
// a gap.
static void clear_place(PhContactIds *ids, uint32_t gap) {
    for (uint32_t at = (gap + 1) & ids->mask; ids->place[at]; at = (at + 1) & ids->mask) {
        const PhContactId *row = &ids->row[ids->place[at] - 1];
        uint32_t home = home_of(ids, row->low, row->high);
        if (((at - home) & ids->mask) >= ((at - gap) & ids->mask)) {
            ids->place[gap] = ids->place[at];
            gap = at;
        }
    }
    ids->place[gap] = 0;
}

uint64_t ph_contact_ids_end(PhContactIds *ids, uint32_t a, uint32_t b) {
    uint32_t at = ids->mask ? place_of(ids, a < b ? a : b, a < b ? b : a) : 0;
    if (!ids->mask || !ids->place[at]) {
        return 0;
    }
    PhContactId *row = &ids->row[ids->place[at] - 1];
    clear_place(ids, at);
    row->low = row->high = PH_NULL;
    ids->living--;
    return row->id;
}

uint32_t ph_contact_ids_find(const PhContactIds *ids, uint64_t id) {
    uint32_t low = 0, high = ids->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ids->row[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < ids->count && ids->row[low].id == id && ids->row[low].low != PH_NULL;
    return found ? low : PH_NULL;
}

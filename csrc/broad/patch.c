// Patches the pair list: looks up what a search has found, takes out the pairs that it should have
// found and did not, and puts in those that are new.
//
// Invariant: all but few of the pairs are the same in the next step, so runs of them are copied
// whole, and only new pairs are sorted. The list stays what sorting all pairs would give.
#include <string.h>

#include "base/columns.h"
#include "base/sort.h"
#include "broad/backends.h"

enum { FEW = 16 }; // proxies for a pair, from which on most of them have none

void ph_sort_raw(const PhRawPairs *raw, uint64_t *key, uint32_t proxies) {
    for (uint32_t k = 0; k < raw->count; k++) {
        key[k] = (uint64_t)raw->pair[k].owner << 32 | raw->pair[k].other;
    }
    ph_sort_keys(key, raw->count, proxies);
}

static PhStatus reserve(PhBroadScratch *scratch, const PhPairList *list, uint32_t proxies) {
    const PhColumn columns[] = {{&scratch->seen, sizeof *scratch->seen},
                                {&scratch->gone, sizeof *scratch->gone}};
    PhStatus status = ph_grow_columns(columns, 2, &scratch->seen_capacity,
                                      (uint64_t)list->count + PH_GRID_SPARE, NULL);
    return status ? status : PH_RESERVE(scratch->start, (uint64_t)proxies + 1);
}

// start[p] .. start[p + 1]: the run of owner p.
static void find_all_runs(const PhPairList *list, uint32_t *start, uint32_t proxies) {
    memset(start, 0, ((size_t)proxies + 1) * sizeof *start);
    for (uint32_t k = 0; k < list->count; k++) {
        start[list->owner[k] + 1] = k + 1; // the end, after the last of them
    }
    for (uint32_t p = 1; p <= proxies; p++) {
        start[p] = start[p] > start[p - 1] ? start[p] : start[p - 1];
    }
}

// The same for the owners in raw alone.
static void find_runs(const PhPairList *list, const PhRawPairs *raw, uint32_t *start,
                      uint32_t proxies) {
    if ((uint64_t)list->count + raw->count < proxies / FEW) { // not a look at all proxies
        for (uint32_t k = 0; k < raw->count; k++) {
            uint32_t owner = raw->pair[k].owner;
            start[owner] = ph_pairs_from(list, owner, 0);
            start[owner + 1] = ph_pairs_from(list, owner + 1, 0);
        }
        return;
    }
    find_all_runs(list, start, proxies);
}

// Numbers of the pairs that were searched and not found. All have a member that moves.
static uint32_t list_gone(const PhPairList *list, const PhProxies *proxies, PhSearch what,
                          const uint8_t *seen, uint32_t *gone) {
    const uint8_t *flags = proxies->flags;
    const uint8_t sought = PH_PROXY_ENLARGED;
    uint32_t count = 0;
    if (what != PH_SEARCH_ENLARGED) {
        const uint8_t *end = seen + list->count, *at = seen;
        while (at < end && (at = memchr(at, 0, (size_t)(end - at))) != NULL) {
            gone[count++] = (uint32_t)(at++ - seen);
        }
        return count;
    }
    for (uint32_t k = 0; k < list->count; k++) {
        gone[count] = k;
        bool named = ((flags[list->owner[k]] | flags[list->other[k]]) & sought) != 0;
        count += (uint32_t)(named & (seen[k] == 0));
    }
    return count;
}

// Most runs are short, and a call for each column would cost more than the pairs: so they go by a
// few rows, and more than were asked for. Both lists have rows to spare, and what follows comes
// later.
static void copy_pairs(PhPairList *to, uint32_t at, const PhPairList *from, uint32_t first,
                       uint32_t count) {
    enum { ROWS = 8, RECORDS = 4 };
    for (uint32_t k = 0; k < count; k += ROWS) {
        memcpy(to->owner + at + k, from->owner + first + k, ROWS * sizeof *to->owner);
        memcpy(to->other + at + k, from->other + first + k, ROWS * sizeof *to->other);
        memcpy(to->flags + at + k, from->flags + first + k, ROWS * sizeof *to->flags);
    }
    for (uint32_t k = 0; k < count; k += RECORDS) {
        memcpy(to->record + at + k, from->record + first + k, RECORDS * sizeof *to->record);
    }
}

// The old list without the pairs `gone`, with the new ones, whose keys are sorted.
static void splice(PhBroad *broad, const PhPairList *old, PhPairList *list, uint32_t fresh_count,
                   uint32_t gone_count) {
    const uint32_t *start = broad->scratch->start, *gone = broad->scratch->gone;
    const uint64_t *fresh = broad->scratch->key;
    uint32_t from = 0, to = 0, g = 0;
    for (uint32_t f = 0; f <= fresh_count; f++) {
        uint32_t before = old->count; // the old pair that the new one comes before
        if (f < fresh_count) {
            uint32_t owner = (uint32_t)(fresh[f] >> 32), last = start[owner + 1];
            before = start[owner] > from ? start[owner] : from;
            while (before < last && ph_pair_key(old, before) < fresh[f]) {
                before++;
            }
        }
        for (; g < gone_count && gone[g] < before; g++) {
            copy_pairs(list, to, old, from, gone[g] - from);
            to += gone[g] - from;
            from = gone[g] + 1;
            ph_end_pair(broad, old, gone[g]);
        }
        copy_pairs(list, to, old, from, before - from);
        to += before - from;
        from = before;
        if (f < fresh_count) {
            list->owner[to] = (uint32_t)(fresh[f] >> 32);
            list->other[to] = (uint32_t)fresh[f];
            list->flags[to] = 0;
            list->record[to++] = (PhContactRecord){0};
        }
    }
    list->count = to;
}

PhStatus ph_patch_begin(PhBroad *broad, const PhProxies *proxies, PhSearch what, PhPairList *old) {
    PhBroadScratch *scratch = broad->scratch;
    scratch->known = NULL;
    PhStatus status = ph_grow_list(old, (uint64_t)old->count + PH_GRID_SPARE); // for lanes
    status = status ? status : reserve(scratch, old, proxies->count);
    if (status) {
        return status;
    }
    memset(scratch->seen, 0, old->count);
    if (what == PH_SEARCH_MOVING) {
        find_all_runs(old, scratch->start, proxies->count);
        scratch->known = old;
    }
    return PH_OK;
}

PhStatus ph_patch_pairs(PhBroad *broad, const PhProxies *proxies, const PhGridKernels *kernels,
                        PhSearch what, PhPairList *old, PhPairList *list, bool *patched) {
    PhBroadScratch *scratch = broad->scratch;
    *patched = false;
    if (what == PH_SEARCH_ENLARGED && proxies->enlarged_count == 0) {
        return PH_OK;
    }
    PhRawPairs *raw = &scratch->raw;
    if (!scratch->known) {
        find_runs(old, raw, scratch->start, proxies->count);
    }
    raw->count = kernels->mark(old, scratch->start, raw->pair, raw->count, scratch->seen);
    PhStatus status = ph_drop_refused(broad, raw, proxies); // the list has none
    if (status) {
        return status;
    }
    uint32_t fresh = raw->count;
    uint32_t gone = list_gone(old, proxies, what, scratch->seen, scratch->gone);
    if (fresh == 0 && gone == 0) {
        return PH_OK;
    }
    if ((uint64_t)old->count - gone + fresh > ph_most_pairs(proxies)) {
        return PH_ERROR_CAPACITY;
    }
    status = PH_RESERVE(scratch->key, 2 * (uint64_t)fresh);
    status =
        status ? status : ph_grow_list(list, (uint64_t)old->count - gone + fresh + PH_GRID_SPARE);
    status = status ? status : PH_RESERVE(broad->ended, gone);
    status = status ? status : ph_stop_between(broad->stop, old->count);
    if (status) {
        return status;
    }
    ph_sort_raw(raw, scratch->key, proxies->count);
    broad->ended_count = 0;
    splice(broad, old, list, fresh, gone);
    *patched = true;
    return PH_OK;
}

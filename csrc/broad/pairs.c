// The persistent pair list: collects the pairs of a backend, brings them into canonical order and
// merges them with the old list. Owns the two lists, the ended pairs and the scratch of the
// backends.
//
// Invariant: the two lists together are complete at all times, each sorted by (owner, other), no
// pair in both; a rebuild fills the spare lists, makes every allocation before it starts to merge,
// and swaps at the end.
//
// Source: pairs by counting sort and linear merge instead of a hash table, in the spirit of sort
// and sweep; P. Terdiman, "A pair manager" (2007) for what a persistent set of pairs has to tell.
#include "broad/pairs.h"

#include <string.h>

#include "base/columns.h"
#include "base/memory.h"
#include "broad/backends.h"

enum { SHORT_RUN = 24 };
enum { FEW_CHANGES = 32 }; // in the tree, that are made one by one

enum { LIST_ARRAYS = 4 };

static void list_arrays(PhPairList *list, PhArray arrays[LIST_ARRAYS]) {
    arrays[0] = (PhArray){&list->owner, sizeof *list->owner, list->capacity};
    arrays[1] = (PhArray){&list->other, sizeof *list->other, list->capacity};
    arrays[2] = (PhArray){&list->flags, sizeof *list->flags, list->capacity};
    arrays[3] = (PhArray){&list->record, sizeof *list->record, list->capacity};
}

static void free_list(PhPairList *list) {
    PhArray arrays[LIST_ARRAYS];
    list_arrays(list, arrays);
    ph_free_arrays(arrays, LIST_ARRAYS);
    *list = (PhPairList){0};
}

PhStatus ph_broad_init(PhBroad *broad, PhBroadPhase kind) {
    PhBroad fresh = {.kind = kind};
    fresh.scratch = ph_alloc(1, sizeof *fresh.scratch);
    if (!fresh.scratch) {
        return PH_ERROR_MEMORY;
    }
    fresh.scratch->fixed_stale = fresh.scratch->rest_stale = true;
    ph_tree_init(&fresh.scratch->tree, 0);
    *broad = fresh;
    return PH_OK;
}

void ph_broad_free(PhBroad *broad) {
    if (broad->scratch) {
        ph_free(broad->scratch->raw.pair);
        ph_grid_free(&broad->scratch->grid);
        ph_bvh_free(&broad->scratch->fixed);
        ph_free(broad->scratch->fixed_item);
        ph_tree_free(&broad->scratch->tree);
        ph_free(broad->scratch->leaf);
        ph_free(broad->scratch->start);
        ph_free(broad->scratch->key);
        ph_free(broad->scratch);
    }
    free_list(&broad->pairs);
    free_list(&broad->rest);
    free_list(&broad->spare);
    free_list(&broad->rest_spare);
    ph_free(broad->ended);
    *broad = (PhBroad){0};
}

PhStatus ph_broad_copy(PhBroad *to, const PhBroad *from) {
    PhBroad copy;
    PhStatus status = ph_broad_init(&copy, from->kind);
    if (status) {
        return status;
    }
    copy.avx2 = from->avx2;
    copy.pairs = from->pairs;
    copy.rest = from->rest;
    copy.ended = from->ended;
    copy.ended_count = from->ended_count;
    copy.ended_capacity = from->ended_capacity;
    PhArray arrays[2 * LIST_ARRAYS + 1];
    list_arrays(&copy.pairs, arrays);
    list_arrays(&copy.rest, arrays + LIST_ARRAYS);
    arrays[2 * LIST_ARRAYS] = (PhArray){&copy.ended, sizeof *copy.ended, copy.ended_capacity};
    status = ph_unshare_arrays(arrays, 2 * LIST_ARRAYS + 1);
    if (status) {
        ph_broad_free(&copy);
    } else {
        *to = copy;
    }
    return status;
}

bool ph_proxies_collide(const PhProxies *proxies, uint32_t a, uint32_t b) {
    return ph_filter(proxies, a, b);
}

// ---------------------------------------------------------------------------------------- backends

static PhStatus build_fixed(PhBroadScratch *scratch, const PhProxies *proxies) {
    uint32_t count = 0;
    for (uint32_t p = 0; p < proxies->count; p++) {
        count += ph_proxy_takes_part(proxies, p) && ph_proxy_is_fixed(proxies, p);
    }
    PhStatus status = ph_reserve_array(&scratch->fixed_item, &scratch->fixed_capacity, count,
                                       sizeof *scratch->fixed_item);
    if (status) {
        return status;
    }
    count = 0;
    for (uint32_t p = 0; p < proxies->count; p++) {
        if (ph_proxy_takes_part(proxies, p) && ph_proxy_is_fixed(proxies, p)) {
            scratch->fixed_item[count++] = (PhBvhItem){ph_reach_box(proxies, p), p};
        }
    }
    return ph_bvh_build(&scratch->fixed, scratch->fixed_item, count);
}

// Whether a proxy belongs in the tree: that of the grid holds what rests.
static bool wants_leaf(const PhBroad *broad, const PhProxies *proxies, uint32_t p) {
    return ph_proxy_takes_part(proxies, p) &&
           (broad->kind == PH_BROAD_TREE ||
            !(ph_proxy_is_fixed(proxies, p) || proxies->flags[p] & PH_PROXY_MOVES));
}

// Makes the tree anew from `count` leaves, which costs less than to change many of them.
static PhStatus build_tree(const PhBroad *broad, const PhProxies *proxies, uint32_t count) {
    PhBroadScratch *scratch = broad->scratch;
    PhStatus status = ph_reserve_array(&scratch->fixed_item, &scratch->fixed_capacity, count,
                                       sizeof *scratch->fixed_item);
    if (status) {
        return status;
    }
    uint32_t n = 0;
    for (uint32_t p = 0; p < proxies->count; p++) {
        if (wants_leaf(broad, proxies, p)) {
            scratch->fixed_item[n++] = (PhBvhItem){ph_reach_box(proxies, p), p};
        }
    }
    status = ph_tree_build(&scratch->tree, scratch->fixed_item, count, scratch->leaf);
    for (uint32_t p = 0; !status && p < scratch->leaf_count; p++) {
        bool wanted = p < proxies->count && wants_leaf(broad, proxies, p);
        scratch->leaf[p] = wanted ? scratch->leaf[p] : PH_NULL;
    }
    return status;
}

// Brings the tree up to date; boxes of leaves that stay only when `move`. A failure on the way
// leaves it consistent: the next rebuild goes on.
static PhStatus update_tree(const PhBroad *broad, const PhProxies *proxies, bool move) {
    PhBroadScratch *scratch = broad->scratch;
    PhStatus status = ph_reserve_array(&scratch->leaf, &scratch->leaf_capacity, proxies->count,
                                       sizeof *scratch->leaf);
    if (status) {
        return status;
    }
    for (; scratch->leaf_count < proxies->count; scratch->leaf_count++) {
        scratch->leaf[scratch->leaf_count] = PH_NULL;
    }
    uint32_t leaves = 0, changes = 0;
    for (uint32_t p = 0; p < scratch->leaf_count; p++) {
        bool wanted = p < proxies->count && wants_leaf(broad, proxies, p);
        leaves += wanted;
        changes += wanted != (scratch->leaf[p] != PH_NULL);
    }
    if (changes > FEW_CHANGES && changes > leaves / 4) {
        return build_tree(broad, proxies, leaves);
    }
    for (uint32_t p = 0; p < scratch->leaf_count; p++) {
        bool wanted = p < proxies->count && wants_leaf(broad, proxies, p);
        if (wanted && scratch->leaf[p] == PH_NULL) {
            status = ph_tree_insert(&scratch->tree, ph_reach_box(proxies, p), p, &scratch->leaf[p]);
            if (status) {
                return status;
            }
        } else if (wanted && move) {
            ph_tree_move(&scratch->tree, scratch->leaf[p], ph_reach_box(proxies, p));
        } else if (!wanted && scratch->leaf[p] != PH_NULL) {
            ph_tree_remove(&scratch->tree, scratch->leaf[p]);
            scratch->leaf[p] = PH_NULL;
        }
    }
    return PH_OK;
}

static bool add_found(void *context, uint32_t leaf, uint64_t data) {
    (void)leaf;
    PhTreeSearch *search = context;
    uint32_t other = (uint32_t)data;
    bool once = !(search->proxies->flags[other] & PH_PROXY_DYNAMIC) || other > search->proxy;
    if (once && ph_near(search->proxies, search->proxy, other)) {
        search->status = ph_raw_reserve(search->raw, 1);
        if (search->status) {
            return false;
        }
        ph_raw_add(search->raw, search->proxies, search->proxy, other);
    }
    return true;
}

static PhStatus find_pairs_tree(PhBroadScratch *scratch, const PhProxies *proxies) {
    PhStatus status = PH_OK;
    for (uint32_t p = 0; p < proxies->count && !status; p++) {
        if (ph_proxy_takes_part(proxies, p) && (proxies->flags[p] & PH_PROXY_DYNAMIC)) {
            PhTreeSearch search = {&scratch->raw, proxies, p, PH_OK};
            ph_tree_query(&scratch->tree, ph_reach_box(proxies, p), add_found, &search);
            status = search.status;
        }
    }
    return status;
}

// The lesson on n^2.
static PhStatus find_pairs_all(PhBroadScratch *scratch, const PhProxies *proxies) {
    for (uint32_t a = 0; a < proxies->count; a++) {
        if (!ph_proxy_takes_part(proxies, a)) {
            continue;
        }
        for (uint32_t b = a + 1; b < proxies->count; b++) {
            if (ph_near(proxies, a, b) && ph_proxy_takes_part(proxies, b)) {
                PhStatus status = ph_raw_reserve(&scratch->raw, 1);
                if (status) {
                    return status;
                }
                ph_raw_add(&scratch->raw, proxies, a, b);
            }
        }
    }
    return PH_OK;
}

// Whether both members rest: their pair then belongs to the list of resting pairs.
static inline bool both_rest(const PhProxies *proxies, uint32_t a, uint32_t b) {
    return !((proxies->flags[a] | proxies->flags[b]) & PH_PROXY_MOVES);
}

static void drop_resting(PhRawPairs *raw, const PhProxies *proxies) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < raw->count; k++) {
        raw->pair[kept] = raw->pair[k];
        kept += !both_rest(proxies, raw->pair[k].owner, raw->pair[k].other);
    }
    raw->count = kept;
}

static bool is_apart(const PhBroad *broad, uint64_t a, uint64_t b) {
    uint64_t key = a < b ? a << 32 | b : b << 32 | a;
    uint32_t low = 0, high = broad->apart_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (broad->apart[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < broad->apart_count && broad->apart[low] == key;
}

static void drop_apart(const PhBroad *broad, PhRawPairs *raw, const PhProxies *proxies) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < raw->count; k++) {
        raw->pair[kept] = raw->pair[k];
        kept += !is_apart(broad, proxies->body[raw->pair[k].owner],
                          proxies->body[raw->pair[k].other]);
    }
    raw->count = kept;
}

static PhStatus find_pairs_by_grid(PhBroad *broad, const PhProxies *proxies, PhRebuild what) {
    PhBroadScratch *scratch = broad->scratch;
    bool all = what == PH_REBUILD_ALL;
    if (scratch->fixed_stale) {
        PhStatus status = build_fixed(scratch, proxies);
        if (status) {
            return status;
        }
        scratch->fixed_stale = false;
    }
    if (!all && (what == PH_REBUILD_ROSTER || scratch->rest_stale)) {
        PhStatus status = update_tree(broad, proxies, scratch->rest_stale);
        if (status) {
            return status;
        }
    }
    scratch->rest_stale = all;
#if defined(__x86_64__) && defined(__GNUC__)
    if (broad->avx2) {
        return ph_find_pairs_grid(scratch, proxies, &ph_grid_avx2, all);
    }
#endif
    return ph_find_pairs_grid(scratch, proxies, &ph_grid_plain, all);
}

static PhStatus find_pairs(PhBroad *broad, const PhProxies *proxies, PhRebuild what) {
    PhBroadScratch *scratch = broad->scratch;
    scratch->raw.count = 0;
    if (broad->kind == PH_BROAD_GRID) {
        return find_pairs_by_grid(broad, proxies, what);
    }
    PhStatus status = PH_OK;
    if (broad->kind == PH_BROAD_TREE) {
        status = update_tree(broad, proxies, true);
        status = status ? status : find_pairs_tree(scratch, proxies);
    } else {
        status = find_pairs_all(scratch, proxies);
    }
    if (what != PH_REBUILD_ALL) {
        drop_resting(&scratch->raw, proxies);
    }
    return status;
}

// ---------------------------------------------------------------------------------- sort and merge

// Then sorting all proxies' runs would cost more than sorting the pairs.
static bool is_sparse(uint32_t pairs, uint32_t proxies) {
    return pairs < proxies / 16;
}

static void sift_down(uint32_t *values, uint32_t at, uint32_t count) {
    uint32_t value = values[at];
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && values[child + 1] > values[child];
        if (values[child] <= value) {
            break;
        }
        values[at] = values[child];
    }
    values[at] = value;
}

// Insertion for the usual handful, else heap sort (J. W. J. Williams, 1964). Values differ.
void ph_sort_run(uint32_t *values, uint32_t count) {
    if (count <= SHORT_RUN) {
        for (uint32_t i = 1; i < count; i++) {
            uint32_t value = values[i], j = i;
            for (; j > 0 && values[j - 1] > value; j--) {
                values[j] = values[j - 1];
            }
            values[j] = value;
        }
        return;
    }
    for (uint32_t i = count / 2; i-- > 0;) {
        sift_down(values, i, count);
    }
    for (uint32_t last = count; --last > 0;) {
        uint32_t top = values[0];
        values[0] = values[last];
        values[last] = top;
        sift_down(values, 0, last);
    }
}

// Whether an old pair that was not found again is one of resting members now. If it was before,
// nothing has changed between them.
static bool comes_to_rest(const PhBroad *broad, const PhProxies *proxies, const PhPairList *list,
                          uint32_t k) {
    uint32_t a = list->owner[k], b = list->other[k];
    return both_rest(proxies, a, b) &&
           (list == &broad->rest || (ph_near(proxies, a, b) && ph_filter(proxies, a, b)));
}

static PhStatus grow_list(PhPairList *list, uint64_t pairs) {
    const PhColumn columns[] = {{&list->owner, sizeof *list->owner},
                                {&list->other, sizeof *list->other},
                                {&list->flags, sizeof *list->flags},
                                {&list->record, sizeof *list->record}};
    return ph_grow_columns(columns, 4, &list->capacity, pairs);
}

static uint32_t count_touching(const PhPairList *list) {
    uint32_t touching = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        touching += (list->flags[k] & PH_PAIR_TOUCHING) != 0;
    }
    return touching;
}

// Everything the sort and the merge need, so that they cannot fail.
static PhStatus reserve(PhBroad *broad, const PhProxies *proxies, PhRebuild what) {
    PhBroadScratch *scratch = broad->scratch;
    uint32_t pairs = scratch->raw.count;
    uint64_t resting = 0, ending = count_touching(&broad->pairs);
    if (what == PH_REBUILD_ROSTER) {
        resting = broad->rest.count;
        for (uint32_t k = 0; k < broad->pairs.count; k++) {
            resting += both_rest(proxies, broad->pairs.owner[k], broad->pairs.other[k]);
        }
    }
    if (what != PH_REBUILD_MOVED) {
        ending += count_touching(&broad->rest);
    }
    PhStatus status = grow_list(&broad->spare, (uint64_t)pairs + PH_GRID_SPARE);
    status = status || !resting ? status : grow_list(&broad->rest_spare, resting);
    status = status ? status
                    : ph_reserve_array(&broad->ended, &broad->ended_capacity, ending,
                                       sizeof *broad->ended);
    if (status) {
        return status;
    }
    return is_sparse(pairs, proxies->count)
               ? ph_reserve_array(&scratch->key, &scratch->key_capacity, 2 * (uint64_t)pairs,
                                  sizeof *scratch->key)
               : ph_reserve_array(&scratch->start, &scratch->start_capacity,
                                  (uint64_t)proxies->count + 1, sizeof *scratch->start);
}

// Counting sort: by owner. start[p] .. start[p + 1] is a run, not sorted itself.
static void sort_owners(PhPairList *list, const PhRawPairs *raw, uint32_t *start,
                        uint32_t proxies) {
    memset(start, 0, ((size_t)proxies + 1) * sizeof *start);
    for (uint32_t k = 0; k < raw->count; k++) {
        start[raw->pair[k].owner]++;
    }
    uint32_t sum = 0;
    for (uint32_t p = 0; p <= proxies; p++) { // ends; filling from behind makes them starts
        sum += start[p];
        start[p] = sum;
    }
    for (uint32_t k = raw->count; k-- > 0;) {
        list->other[--start[raw->pair[k].owner]] = raw->pair[k].other;
    }
}

static void sort_runs(PhPairList *list, const uint32_t *start, uint32_t proxies) {
    for (uint32_t p = 0; p < proxies; p++) {
        uint32_t first = start[p], last = start[p + 1];
        for (uint32_t k = first; k < last; k++) {
            list->owner[k] = p;
        }
        ph_sort_run(list->other + first, last - first);
    }
}

// Few pairs among many proxies: by the bytes of (owner, other), the lowest first.
static void sort_sparse(PhPairList *list, const PhRawPairs *raw, uint64_t *key, uint32_t proxies) {
    uint32_t count = raw->count;
    uint64_t *from = key, *to = key + count;
    for (uint32_t k = 0; k < count; k++) {
        from[k] = (uint64_t)raw->pair[k].owner << 32 | raw->pair[k].other;
    }
    for (int shift = 0; shift < 64; shift += 8) {
        if (shift % 32 && proxies >> shift % 32 == 0) {
            continue; // zero in every number
        }
        uint32_t start[256] = {0}, sum = 0;
        for (uint32_t k = 0; k < count; k++) {
            start[from[k] >> shift & 255]++;
        }
        for (int digit = 0; digit < 256; digit++) {
            uint32_t size = start[digit];
            start[digit] = sum;
            sum += size;
        }
        for (uint32_t k = 0; k < count; k++) {
            to[start[from[k] >> shift & 255]++] = from[k];
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    for (uint32_t k = 0; k < count; k++) {
        list->owner[k] = (uint32_t)(from[k] >> 32);
        list->other[k] = (uint32_t)from[k];
    }
}

void ph_end_pair(PhBroad *broad, const PhPairList *list, uint32_t k) {
    if (list->flags[k] & PH_PAIR_TOUCHING) {
        broad->ended[broad->ended_count++] = (PhEndedPair){list->owner[k], list->other[k]};
    }
}

void ph_merge_run(PhBroad *broad, const PhPairList *old, PhPairRun before, PhPairList *list,
                  PhPairRun now) {
    uint32_t o = before.first, last = now.first + now.count;
    PhPairList part = *old; // ends behind the old run
    part.count = before.first + before.count;
    uint64_t next = ph_pair_key(&part, o);
    for (uint32_t n = now.first; n < last; n++) {
        uint64_t key = (uint64_t)list->owner[n] << 32 | list->other[n];
        while (next < key) {
            ph_end_pair(broad, old, o);
            next = ph_pair_key(&part, ++o);
        }
        if (next == key) {
            list->flags[n] = old->flags[o];
            list->record[n] = old->record[o];
            next = ph_pair_key(&part, ++o);
        } else {
            list->flags[n] = 0;
            list->record[n] = (PhContactRecord){0};
        }
    }
    for (; o < part.count; o++) {
        ph_end_pair(broad, old, o);
    }
}

// Nobody has come to rest or left it: the new list is to the old one what it is.
static void merge_moving(PhBroad *broad) {
    const PhPairList *old = &broad->pairs;
    PhPairList *list = &broad->spare;
    ph_merge_run(broad, old, (PhPairRun){0, old->count}, list, (PhPairRun){0, list->count});
}

// The same with both old lists; what was found now has a member that moves, and of the others those
// whose members rest are kept.
static void merge_all(PhBroad *broad, const PhProxies *proxies, bool keep) {
    PhPairList *list = &broad->spare, *rest = &broad->rest_spare;
    PhPairCursor cursor = {0, 0};
    const PhPairList *old;
    uint32_t n = 0, o;
    rest->count = 0;
    bool more = ph_next_pair(broad, &cursor, &old, &o);
    while (n < list->count || more) {
        uint64_t key = ph_pair_key(list, n), next = more ? ph_pair_key(old, o) : UINT64_MAX;
        if (key < next) {
            list->flags[n] = 0;
            list->record[n++] = (PhContactRecord){0};
            continue;
        }
        if (key == next) {
            list->flags[n] = old->flags[o];
            list->record[n++] = old->record[o];
        } else if (keep && comes_to_rest(broad, proxies, old, o)) {
            uint32_t r = rest->count++;
            rest->owner[r] = old->owner[o];
            rest->other[r] = old->other[o];
            rest->flags[r] = old->flags[o];
            rest->record[r] = old->record[o];
        } else {
            ph_end_pair(broad, old, o);
        }
        more = ph_next_pair(broad, &cursor, &old, &o);
    }
}

static void swap_lists(PhPairList *a, PhPairList *b) {
    PhPairList list = *a;
    *a = *b;
    *b = list;
}

PhStatus ph_broad_rebuild(PhBroad *broad, const PhProxies *proxies, PhRebuild what,
                          bool static_changed) {
    PhBroadScratch *scratch = broad->scratch;
    if (static_changed) {
        scratch->fixed_stale = true; // stays so if this call fails
    }
    PhStatus status = find_pairs(broad, proxies, what);
    if (!status && broad->apart_count) {
        drop_apart(broad, &scratch->raw, proxies);
    }
    status = status ? status : reserve(broad, proxies, what);
    if (status) {
        return status;
    }
    PhPairList *list = &broad->spare;
    bool sparse = is_sparse(scratch->raw.count, proxies->count), lanes = false;
    list->count = scratch->raw.count;
    broad->ended_count = 0;
    broad->rest_rebuilt = what != PH_REBUILD_MOVED;
    if (sparse) {
        sort_sparse(list, &scratch->raw, scratch->key, proxies->count);
    } else {
        sort_owners(list, &scratch->raw, scratch->start, proxies->count);
#if defined(__x86_64__) && defined(__GNUC__)
        lanes = broad->avx2 && !broad->rest_rebuilt &&
                broad->pairs.capacity - broad->pairs.count >= PH_GRID_SPARE;
        if (lanes) {
            ph_merge_runs_avx2(broad, &broad->pairs, list, scratch->start, proxies->count);
        }
#endif
        if (!lanes) {
            sort_runs(list, scratch->start, proxies->count);
        }
    }
    if (broad->rest_rebuilt) {
        merge_all(broad, proxies, what == PH_REBUILD_ROSTER);
        swap_lists(&broad->rest, &broad->rest_spare);
    } else if (!lanes) {
        merge_moving(broad);
    }
    swap_lists(&broad->pairs, &broad->spare);
    return PH_OK;
}

void ph_broad_undo(PhBroad *broad) {
    swap_lists(&broad->pairs, &broad->spare);
    if (broad->rest_rebuilt) {
        swap_lists(&broad->rest, &broad->rest_spare);
    }
    broad->rest_rebuilt = false;
    broad->ended_count = 0;
}

uint32_t ph_pairs_from(const PhPairList *list, uint32_t owner, uint32_t other) {
    uint64_t key = (uint64_t)owner << 32 | other;
    uint32_t low = 0, high = list->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ph_pair_key(list, middle) < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The persistent pair lists: has a backend find pairs and enters them, by patching the list
// (patch.c) where only boxes have moved, by merging both lists where others rest or all is in
// doubt. Owns the two lists, the ended pairs and the scratch of the backends.
//
// Invariant: the two lists together are complete at all times, each sorted by (owner, other), no
// pair in both; a rebuild fills the spare lists, makes every allocation before it starts to merge,
// and swaps at the end.
//
// Source: P. Terdiman, "A pair manager" (2007) for what a persistent set of pairs has to tell.
#include "broad/pairs.h"

#include "base/columns.h"
#include "base/memory.h"
#include "broad/backends.h"
#include "broad/periodic_pairs.h"

enum { FEW_CHANGES = 32 };                    // in the tree, that are made one by one
enum { LIST_ARRAYS = 4, MANY_ENLARGED = 40 }; // the latter in percent of what moves

static void list_arrays(PhPairList *list, PhArray arrays[LIST_ARRAYS]) {
    arrays[0] = (PhArray)PH_ARRAY(list->owner);
    arrays[1] = (PhArray)PH_ARRAY(list->other);
    arrays[2] = (PhArray)PH_ARRAY(list->flags);
    arrays[3] = (PhArray)PH_ARRAY(list->record);
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
        ph_periodic_free(&broad->scratch->periodic);
        ph_grid_free(&broad->scratch->grid);
        ph_bvh_free(&broad->scratch->fixed);
        ph_distance_grid_free(&broad->scratch->distance_grid);
        ph_free(broad->scratch->fixed_item);
        ph_tree_free(&broad->scratch->tree);
        ph_free(broad->scratch->leaf);
        ph_free(broad->scratch->start);
        ph_free(broad->scratch->key);
        ph_free(broad->scratch->seen);
        ph_free(broad->scratch->gone);
        ph_free(broad->scratch);
    }
    free_list(&broad->pairs);
    free_list(&broad->rest);
    free_list(&broad->spare);
    free_list(&broad->rest_spare);
    free_list(&broad->patch);
    ph_free(broad->ended);
    *broad = (PhBroad){0};
}

PhStatus ph_broad_copy(PhBroad *to, const PhBroad *from, const PhStop *stop) {
    PhBroad copy;
    PhStatus status = ph_broad_init(&copy, from->kind);
    if (status) {
        return status;
    }
    copy.avx2 = from->avx2;
    copy.wrap = from->wrap;
    copy.pairs = from->pairs;
    copy.rest = from->rest;
    copy.ended = from->ended;
    copy.ended_count = from->ended_count;
    PhArray arrays[2 * LIST_ARRAYS + 1];
    list_arrays(&copy.pairs, arrays);
    list_arrays(&copy.rest, arrays + LIST_ARRAYS);
    arrays[2 * LIST_ARRAYS] = (PhArray)PH_ARRAY(copy.ended);
    status = ph_unshare_arrays(arrays, 2 * LIST_ARRAYS + 1, stop);
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

// ------------------------------------------------------------------------------------------------
// backends

static PhStatus build_fixed(PhBroadScratch *scratch, const PhProxies *proxies) {
    uint32_t count = 0;
    for (uint32_t p = 0; p < proxies->count; p++) {
        count += ph_proxy_takes_part(proxies, p) && ph_proxy_is_fixed(proxies, p);
    }
    PhStatus status = PH_RESERVE(scratch->fixed_item, count);
    status = status ? status : ph_distance_grid_reserve(&scratch->distance_grid, count);
    if (status) {
        return status;
    }
    count = 0;
    for (uint32_t p = 0; p < proxies->count; p++) {
        if (ph_proxy_takes_part(proxies, p) && ph_proxy_is_fixed(proxies, p)) {
            scratch->fixed_item[count++] = (PhBvhItem){ph_reach_box(proxies, p), p};
        }
    }
    status = ph_bvh_build(&scratch->fixed, scratch->fixed_item, count, scratch->stop);
    if (!status) {
        ph_distance_grid_build(&scratch->distance_grid, &scratch->fixed);
    }
    return status ? status : ph_stop_between(scratch->stop, count);
}

// Whether a proxy belongs in the tree: that of the grid holds what rests.
static bool wants_leaf(const PhBroad *broad, const PhProxies *proxies, uint32_t p) {
    return ph_proxy_takes_part(proxies, p) &&
           (broad->kind == PH_BROAD_TREE ||
            !(ph_proxy_is_fixed(proxies, p) || proxies->flags[p] & PH_PROXY_MOVES));
}

// Whether so many leaves come and go that it costs less to build the tree anew. By flags alone.
static bool changes_much(const PhBroad *broad, const PhProxies *proxies) {
    const uint32_t *leaf = broad->scratch->leaf;
    const uint32_t mask = PH_PROXY_ALIVE | PH_PROXY_ENABLED | PH_PROXY_MOVES | PH_PROXY_DYNAMIC;
    const uint32_t rests = PH_PROXY_ALIVE | PH_PROXY_ENABLED | PH_PROXY_DYNAMIC;
    uint32_t leaves = 0, changes = 0;
    for (uint32_t p = 0; p < proxies->count; p++) {
        uint32_t flags = proxies->flags[p] & mask;
        bool wanted = flags == rests || (broad->kind == PH_BROAD_TREE && leaf[p] != PH_NULL);
        leaves += wanted;
        changes += wanted != (leaf[p] != PH_NULL);
    }
    return changes > FEW_CHANGES && changes > leaves / 4;
}

static PhStatus build_tree(const PhBroad *broad, const PhProxies *proxies) {
    PhBroadScratch *scratch = broad->scratch;
    PhStatus status = PH_RESERVE(scratch->fixed_item, proxies->count);
    if (status) {
        return status;
    }
    uint32_t count = 0;
    for (uint32_t p = 0; p < proxies->count; p++) {
        if (wants_leaf(broad, proxies, p)) {
            scratch->fixed_item[count++] = (PhBvhItem){ph_reach_box(proxies, p), p};
        }
    }
    status =
        ph_tree_build(&scratch->tree, scratch->fixed_item, count, scratch->leaf, scratch->stop);
    for (uint32_t p = 0; status != PH_ERROR_MEMORY && p < scratch->leaf_count; p++) {
        bool wanted = !status && p < proxies->count && wants_leaf(broad, proxies, p);
        scratch->leaf[p] = wanted ? scratch->leaf[p] : PH_NULL;
    }
    return status;
}

// Brings the tree up to date; boxes of leaves that stay only when `move`. A failure
// leaves it consistent: the next rebuild goes on.
static PhStatus update_tree(const PhBroad *broad, const PhProxies *proxies, bool move) {
    PhBroadScratch *scratch = broad->scratch;
    PhStatus status = PH_RESERVE(scratch->leaf, proxies->count);
    if (status) {
        return status;
    }
    for (; scratch->leaf_count < proxies->count; scratch->leaf_count++) {
        scratch->leaf[scratch->leaf_count] = PH_NULL;
    }
    if (changes_much(broad, proxies)) {
        return build_tree(broad, proxies);
    }
    for (uint32_t p = 0; p < scratch->leaf_count; p++) {
        bool wanted = p < proxies->count && wants_leaf(broad, proxies, p);
        status = ph_search_goes_on(scratch, p);
        if (status) {
            return status;
        }
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

bool ph_tree_found(void *context, uint32_t leaf, uint64_t data) {
    (void)leaf;
    PhTreeSearch *search = context;
    const PhProxies *proxies = search->proxies;
    uint32_t other = (uint32_t)data;
    bool once = !ph_is_sought(proxies, other, search->what) || other > search->proxy;
    if (once && ph_near(proxies, search->proxy, other)) {
        search->status = ph_raw_reserve(search->raw, 1);
        if (search->status) {
            return false;
        }
        ph_raw_add(search->raw, proxies, search->proxy, other);
    }
    return true;
}

static PhStatus find_pairs_tree(PhBroadScratch *scratch, const PhProxies *proxies, PhSearch what) {
    PhStatus status = PH_OK;
    for (uint32_t p = 0; p < proxies->count && !status; p++) {
        status = ph_search_goes_on(scratch, p);
        if (!status && ph_proxy_takes_part(proxies, p) && ph_is_sought(proxies, p, what)) {
            PhTreeSearch search = {&scratch->raw, proxies, p, what, PH_OK};
            ph_tree_query(&scratch->tree, ph_reach_box(proxies, p), ph_tree_found, &search);
            status = search.status;
        }
    }
    return status;
}

// The lesson on n^2.
static PhStatus find_pairs_all(PhBroadScratch *scratch, const PhProxies *proxies, PhSearch what) {
    for (uint32_t a = 0; a < proxies->count; a++) {
        if (ph_search_goes_on(scratch, a)) {
            return PH_ERROR_STOPPED;
        }
        if (!ph_proxy_takes_part(proxies, a)) {
            continue;
        }
        bool sought = ph_is_sought(proxies, a, what);
        for (uint32_t b = a + 1; b < proxies->count; b++) {
            if ((sought || ph_is_sought(proxies, b, what)) && ph_near(proxies, a, b) &&
                ph_proxy_takes_part(proxies, b)) {
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

static const PhGridKernels *kernels_of(const PhBroad *broad) {
#if PH_HAVE_X86_KERNELS
    if (broad->avx2) {
        return &ph_grid_avx2;
    }
#endif
    (void)broad;
    return &ph_grid_plain;
}

bool ph_broad_keeps_apart(const PhBroad *broad, uint64_t a, uint64_t b) {
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
    for (uint32_t k = 0; broad->apart_count && k < raw->count; k++) {
        raw->pair[kept] = raw->pair[k];
        kept += !ph_broad_keeps_apart(broad, proxies->body[raw->pair[k].owner],
                                      proxies->body[raw->pair[k].other]);
    }
    raw->count = broad->apart_count ? kept : raw->count;
}

PhStatus ph_drop_refused(const PhBroad *broad, PhRawPairs *raw, const PhProxies *proxies) {
    drop_apart(broad, raw, proxies);
    const PhSieve *sieve = &broad->sieve;
    return sieve->call && raw->count ? sieve->call(sieve->context, raw->pair, &raw->count) : PH_OK;
}

static PhStatus find_pairs_by_grid(PhBroad *broad, const PhProxies *proxies, PhSearch search) {
    PhBroadScratch *scratch = broad->scratch;
    if (scratch->fixed_stale) {
        PhStatus status = build_fixed(scratch, proxies);
        if (status) {
            return status;
        }
        scratch->fixed_stale = false;
    }
    bool all = search == PH_SEARCH_ALL;
    if (!all && (scratch->roster_stale || scratch->rest_stale)) {
        PhStatus status = update_tree(broad, proxies, scratch->rest_stale);
        if (status) {
            return status;
        }
        scratch->roster_stale = false;
    }
    scratch->rest_stale = all;
    return ph_grid_search(scratch, proxies, kernels_of(broad), search);
}

static PhStatus find_direct_pairs(PhBroad *broad, const PhProxies *proxies, PhSearch search) {
    PhBroadScratch *scratch = broad->scratch;
    if (broad->kind == PH_BROAD_GRID) {
        return find_pairs_by_grid(broad, proxies, search);
    }
    if (broad->kind == PH_BROAD_ALL_PAIRS) {
        return find_pairs_all(scratch, proxies, search);
    }
    PhStatus status = update_tree(broad, proxies, true);
    return status ? status : find_pairs_tree(scratch, proxies, search);
}

static PhStatus find_pairs(PhBroad *broad, const PhProxies *proxies, PhSearch search) {
    PhBroadScratch *scratch = broad->scratch;
    scratch->raw.count = 0;
    scratch->stop = broad->stop;
    // What is dropped afterwards (apart) or was found twice (across periodic boundaries) does not
    // count.
    scratch->raw.most = 8 * ph_most_pairs(proxies);
    if (search == PH_SEARCH_ENLARGED && proxies->enlarged_count == 0) {
        return PH_OK;
    }
    PhStatus status = find_direct_pairs(broad, proxies, search);
    return status || !ph_wraps(&broad->wrap)
               ? status
               : ph_periodic_search(scratch, proxies, &broad->wrap, search);
}

// ------------------------------------------------------------------------------------------------
// merge

PhStatus ph_grow_list(PhPairList *list, uint64_t pairs) {
    const PhColumn columns[] = {{&list->owner, sizeof *list->owner},
                                {&list->other, sizeof *list->other},
                                {&list->flags, sizeof *list->flags},
                                {&list->record, sizeof *list->record}};
    return ph_grow_columns(columns, 4, &list->capacity, pairs, NULL);
}

static uint32_t count_touching(const PhPairList *list) {
    uint32_t touching = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        touching += (list->flags[k] & PH_PAIR_TOUCHING) != 0;
    }
    return touching;
}

void ph_end_pair(PhBroad *broad, const PhPairList *list, uint32_t k) {
    if (list->flags[k] & PH_PAIR_TOUCHING) {
        broad->ended[broad->ended_count++] = (PhEndedPair){list->owner[k], list->other[k]};
    }
}

// Every pair in the first list: those that were found, sorted, with what the old lists know of
// them.
static PhStatus merge(PhBroad *broad, const PhProxies *proxies) {
    enum { PORTION = 1 << 19 }; // between two questions whether the step is to be stopped
    PhBroadScratch *scratch = broad->scratch;
    PhPairList *list = &broad->spare;
    PhStatus status = ph_drop_refused(broad, &scratch->raw, proxies);
    uint32_t count = scratch->raw.count;
    if (status) {
        return status;
    }
    if (count > ph_most_pairs(proxies)) {
        return PH_ERROR_CAPACITY;
    }
    uint64_t ending = (uint64_t)count_touching(&broad->pairs) + count_touching(&broad->rest);
    status = ph_grow_list(list, (uint64_t)count + PH_GRID_SPARE);
    status = status ? status : PH_RESERVE(broad->ended, ending);
    status = status ? status : PH_RESERVE(scratch->key, 2 * (uint64_t)count);
    status = status ? status : ph_stop_between(broad->stop, count);
    if (status) {
        return status;
    }
    ph_sort_raw(&scratch->raw, scratch->key, proxies->count);
    broad->ended_count = 0;
    status = ph_stop_between(broad->stop, count);
    if (status) {
        return status;
    }
    PhPairCursor cursor = {0, 0};
    const PhPairList *old;
    uint32_t o;
    bool more = ph_next_pair(broad, &cursor, &old, &o);
    for (uint32_t n = 0; n < count || more;) {
        if (n % PORTION == PORTION - 1 && ph_stop_wanted(broad->stop)) {
            broad->ended_count = 0;
            return PH_ERROR_STOPPED;
        }
        uint64_t key = n < count ? scratch->key[n] : UINT64_MAX;
        uint64_t next = more ? ph_pair_key(old, o) : UINT64_MAX;
        if (next < key) {
            ph_end_pair(broad, old, o);
        } else {
            list->owner[n] = (uint32_t)(key >> 32);
            list->other[n] = (uint32_t)key;
            list->flags[n] = next == key ? old->flags[o] : 0;
            list->record[n++] = next == key ? old->record[o] : (PhContactRecord){0};
        }
        more = next <= key ? ph_next_pair(broad, &cursor, &old, &o) : more;
    }
    list->count = count;
    broad->rest_spare.count = 0;
    return PH_OK;
}

// Others move than before: the same pairs, each in the list where it belongs.
static PhStatus transfer(PhBroad *broad, const PhProxies *proxies) {
    PhPairList *moving = &broad->spare, *rest = &broad->rest_spare;
    uint64_t all = (uint64_t)broad->pairs.count + broad->rest.count, resting = 0;
    PhPairCursor cursor = {0, 0};
    const PhPairList *old;
    uint32_t o;
    while (ph_next_pair(broad, &cursor, &old, &o)) {
        uint32_t flags = proxies->flags[old->owner[o]] | proxies->flags[old->other[o]];
        resting += (flags & PH_PROXY_MOVES) == 0;
    }
    PhStatus status = ph_grow_list(moving, all - resting + PH_GRID_SPARE);
    status = status ? status : ph_grow_list(rest, resting);
    if (status) {
        return status;
    }
    broad->ended_count = moving->count = rest->count = 0;
    cursor = (PhPairCursor){0, 0};
    while (ph_next_pair(broad, &cursor, &old, &o)) {
        uint32_t flags = proxies->flags[old->owner[o]] | proxies->flags[old->other[o]];
        PhPairList *to = flags & PH_PROXY_MOVES ? moving : rest;
        uint32_t n = to->count++;
        to->owner[n] = old->owner[o];
        to->other[n] = old->other[o];
        to->flags[n] = old->flags[o];
        to->record[n] = old->record[o];
    }
    return PH_OK;
}

static void swap_lists(PhPairList *a, PhPairList *b) {
    PhPairList list = *a;
    *a = *b;
    *b = list;
}

PhStatus ph_broad_rebuild(PhBroad *broad, const PhProxies *proxies, PhRebuild what,
                          bool static_changed, bool *changed) {
    PhBroadScratch *scratch = broad->scratch;
    if (static_changed) {
        scratch->fixed_stale = true; // stays so if this call fails
    }
    if (what == PH_REBUILD_ROSTER) {
        scratch->roster_stale = true;
    }
    // When many are enlarged, it is cheaper to find every pair once than theirs from both sides.
    bool few =
        100 * (uint64_t)proxies->enlarged_count <= MANY_ENLARGED * (uint64_t)proxies->moving_count;
    PhSearch search = what == PH_REBUILD_ALL ? PH_SEARCH_ALL
                      : few                  ? PH_SEARCH_ENLARGED
                                             : PH_SEARCH_MOVING;
    bool patched = false;
    scratch->known = NULL;
    PhStatus status = what == PH_REBUILD_ROSTER ? transfer(broad, proxies) : PH_OK;
    status = status ? status : ph_stop_between(broad->stop, proxies->count);
    if (!status && what != PH_REBUILD_ALL) {
        PhPairList *old = what == PH_REBUILD_ROSTER ? &broad->spare : &broad->pairs;
        status = ph_patch_begin(broad, proxies, search, old);
    }
    status = status ? status : find_pairs(broad, proxies, search);
    status = status ? status : ph_stop_between(broad->stop, proxies->count);
    if (status) {
        return status;
    }
    if (what == PH_REBUILD_ALL) {
        status = merge(broad, proxies);
    } else if (what == PH_REBUILD_ROSTER) {
        status = ph_patch_pairs(broad, proxies, kernels_of(broad), search, &broad->spare,
                                &broad->patch, &patched);
        if (patched) {
            swap_lists(&broad->spare, &broad->patch);
        }
    } else {
        status = ph_patch_pairs(broad, proxies, kernels_of(broad), search, &broad->pairs,
                                &broad->spare, &patched);
        if (!status && !patched) { // the list is what it was
            *changed = false;
            return PH_OK;
        }
    }
    if (status) {
        return status;
    }
    uint64_t resting = what == PH_REBUILD_MOVED ? broad->rest.count : broad->rest_spare.count;
    if (broad->spare.count + resting > ph_most_pairs(proxies)) {
        return PH_ERROR_CAPACITY;
    }
    *changed = true;
    swap_lists(&broad->pairs, &broad->spare);
    broad->rest_rebuilt = what != PH_REBUILD_MOVED;
    if (broad->rest_rebuilt) {
        swap_lists(&broad->rest, &broad->rest_spare);
    }
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

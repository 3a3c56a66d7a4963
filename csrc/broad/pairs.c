// The persistent pair list: collects the pairs of a backend, brings them into canonical order and
// merges them with the old list. Owns the two lists, the ended pairs and the scratch of the
// backends.
//
// Invariant: broad->pairs is complete and sorted by (owner, other) at all times; a rebuild fills
// broad->spare, makes every allocation before it starts to merge, and swaps at the end.
//
// Source: pairs by counting sort and linear merge instead of a hash table, in the spirit of sort
// and sweep; P. Terdiman, "A pair manager" (2007) for what a persistent set of pairs has to tell.
#include "broad/pairs.h"

#include <string.h>

#include "base/columns.h"
#include "base/memory.h"
#include "broad/backends.h"

enum { SHORT_RUN = 24 };

enum { LIST_ARRAYS = 5 };

static void list_arrays(PhPairList *list, PhArray arrays[LIST_ARRAYS]) {
    arrays[0] = (PhArray){&list->owner, sizeof *list->owner, list->capacity};
    arrays[1] = (PhArray){&list->other, sizeof *list->other, list->capacity};
    arrays[2] = (PhArray){&list->flags, sizeof *list->flags, list->capacity};
    arrays[3] = (PhArray){&list->record, sizeof *list->record, list->capacity};
    arrays[4] = (PhArray){&list->start, sizeof *list->start, list->start_capacity};
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
    fresh.pairs.start = ph_alloc(1, sizeof *fresh.pairs.start);
    if (!fresh.scratch || !fresh.pairs.start) {
        ph_free(fresh.scratch);
        ph_free(fresh.pairs.start);
        return PH_ERROR_MEMORY;
    }
    fresh.pairs.start_capacity = 1;
    fresh.scratch->fixed_stale = true;
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
        ph_free(broad->scratch);
    }
    free_list(&broad->pairs);
    free_list(&broad->spare);
    ph_free(broad->ended);
    *broad = (PhBroad){0};
}

PhStatus ph_broad_copy(PhBroad *to, const PhBroad *from) {
    PhBroad copy;
    PhStatus status = ph_broad_init(&copy, from->kind);
    if (status) {
        return status;
    }
    free_list(&copy.pairs);
    copy.avx2 = from->avx2;
    copy.pairs = from->pairs;
    copy.ended = from->ended;
    copy.ended_count = from->ended_count;
    copy.ended_capacity = from->ended_capacity;
    PhArray arrays[LIST_ARRAYS + 1];
    list_arrays(&copy.pairs, arrays);
    arrays[LIST_ARRAYS] = (PhArray){&copy.ended, sizeof *copy.ended, copy.ended_capacity};
    status = ph_unshare_arrays(arrays, LIST_ARRAYS + 1);
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

// Brings the tree of all proxies up to date. A failure on the way leaves it consistent: the next
// rebuild goes on.
static PhStatus update_tree(PhBroadScratch *scratch, const PhProxies *proxies) {
    PhStatus status = ph_reserve_array(&scratch->leaf, &scratch->leaf_capacity, proxies->count,
                                       sizeof *scratch->leaf);
    if (status) {
        return status;
    }
    for (; scratch->leaf_count < proxies->count; scratch->leaf_count++) {
        scratch->leaf[scratch->leaf_count] = PH_NULL;
    }
    for (uint32_t p = 0; p < scratch->leaf_count; p++) {
        bool wanted = p < proxies->count && ph_proxy_takes_part(proxies, p);
        if (wanted && scratch->leaf[p] == PH_NULL) {
            status = ph_tree_insert(&scratch->tree, ph_reach_box(proxies, p), p, &scratch->leaf[p]);
            if (status) {
                return status;
            }
        } else if (wanted) {
            ph_tree_move(&scratch->tree, scratch->leaf[p], ph_reach_box(proxies, p));
        } else if (scratch->leaf[p] != PH_NULL) {
            ph_tree_remove(&scratch->tree, scratch->leaf[p]);
            scratch->leaf[p] = PH_NULL;
        }
    }
    return PH_OK;
}

typedef struct TreeSearch {
    PhRawPairs *raw;
    const PhProxies *proxies;
    uint32_t proxy;
    PhStatus status;
} TreeSearch;

static bool add_found(void *context, uint32_t leaf, uint64_t data) {
    (void)leaf;
    TreeSearch *search = context;
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
    PhStatus status = update_tree(scratch, proxies);
    for (uint32_t p = 0; p < proxies->count && !status; p++) {
        if (ph_proxy_takes_part(proxies, p) && (proxies->flags[p] & PH_PROXY_DYNAMIC)) {
            TreeSearch search = {&scratch->raw, proxies, p, PH_OK};
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

static PhStatus find_pairs(PhBroad *broad, const PhProxies *proxies) {
    PhBroadScratch *scratch = broad->scratch;
    scratch->raw.count = 0;
    if (broad->kind == PH_BROAD_TREE) {
        return find_pairs_tree(scratch, proxies);
    }
    if (broad->kind == PH_BROAD_ALL_PAIRS) {
        return find_pairs_all(scratch, proxies);
    }
    if (scratch->fixed_stale) {
        PhStatus status = build_fixed(scratch, proxies);
        if (status) {
            return status;
        }
        scratch->fixed_stale = false;
    }
#if defined(__x86_64__) && defined(__GNUC__)
    if (broad->avx2) {
        return ph_find_pairs_grid(scratch, proxies, ph_grid_scan_avx2);
    }
#endif
    return ph_find_pairs_grid(scratch, proxies, ph_grid_scan_plain);
}

// ---------------------------------------------------------------------------------- sort and merge

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
static void sort_run(uint32_t *values, uint32_t count) {
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

// Everything the merge needs, so that it cannot fail.
static PhStatus reserve(PhBroad *broad, uint32_t pairs, uint32_t proxies) {
    PhPairList *list = &broad->spare;
    const PhColumn columns[] = {{&list->owner, sizeof *list->owner},
                                {&list->other, sizeof *list->other},
                                {&list->flags, sizeof *list->flags},
                                {&list->record, sizeof *list->record}};
    PhStatus status = ph_grow_columns(columns, 4, &list->capacity, pairs);
    if (status) {
        return status;
    }
    status = ph_reserve_array(&list->start, &list->start_capacity, (uint64_t)proxies + 1,
                              sizeof *list->start);
    if (status) {
        return status;
    }
    uint32_t touching = 0;
    for (uint32_t k = 0; k < broad->pairs.count; k++) {
        touching += (broad->pairs.flags[k] & PH_PAIR_TOUCHING) != 0;
    }
    return ph_reserve_array(&broad->ended, &broad->ended_capacity, touching, sizeof *broad->ended);
}

// Counting sort by owner, then each run by the other proxy.
static void sort_pairs(PhPairList *list, const PhRawPairs *raw, uint32_t proxies) {
    uint32_t *start = list->start;
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
    for (uint32_t p = 0; p < proxies; p++) {
        sort_run(list->other + start[p], start[p + 1] - start[p]);
    }
    list->count = raw->count;
    list->proxy_count = proxies;
}

static void end_pair(PhBroad *broad, uint32_t k) {
    if (broad->pairs.flags[k] & PH_PAIR_TOUCHING) {
        broad->ended[broad->ended_count++] =
            (PhEndedPair){broad->pairs.owner[k], broad->pairs.other[k]};
    }
}

// Walks the runs of one owner in the old and the new list side by side.
static void merge_owner(PhBroad *broad, uint32_t p) {
    const PhPairList *old = &broad->pairs;
    PhPairList *list = &broad->spare;
    uint32_t o = 0, old_end = 0, n = 0, end = 0;
    if (p < old->proxy_count) {
        o = old->start[p];
        old_end = old->start[p + 1];
    }
    if (p < list->proxy_count) {
        n = list->start[p];
        end = list->start[p + 1];
    }
    for (; n < end; n++) {
        while (o < old_end && old->other[o] < list->other[n]) {
            end_pair(broad, o++);
        }
        list->owner[n] = p;
        bool same = o < old_end && old->other[o] == list->other[n];
        if (same) {
            list->flags[n] = old->flags[o];
            list->record[n] = old->record[o++];
        } else {
            list->flags[n] = 0;
            list->record[n] = (PhContactRecord){0};
        }
    }
    while (o < old_end) {
        end_pair(broad, o++);
    }
}

PhStatus ph_broad_rebuild(PhBroad *broad, const PhProxies *proxies, bool static_changed) {
    if (static_changed) {
        broad->scratch->fixed_stale = true; // stays so if this call fails
    }
    PhStatus status = find_pairs(broad, proxies);
    if (!status) {
        status = reserve(broad, broad->scratch->raw.count, proxies->count);
    }
    if (status) {
        return status;
    }
    sort_pairs(&broad->spare, &broad->scratch->raw, proxies->count);
    broad->ended_count = 0;
    uint32_t old_proxies = broad->pairs.proxy_count;
    for (uint32_t p = 0; p < proxies->count || p < old_proxies; p++) {
        merge_owner(broad, p);
    }
    PhPairList done = broad->spare;
    broad->spare = broad->pairs;
    broad->pairs = done;
    return PH_OK;
}

// Pairs across the periodic boundaries of a wrapped plane: owns the search that is made beside that
// of a backend.
//
// Every proxy has a box of what it may reach, and its image there whose middle lies in the plane.
// Two proxies are near under some image only if the boxes overlap when one is moved by no more than
// one width and one height: so what comes near another side, which is little, is put into a
// hierarchy, and asked for by the images of what comes near that side. Backends know nothing of it,
// and find what is near without an image.
//
// Invariant: the pairs are those that ph_near tells of with one of the two moved by whole widths
// and heights; so the backend leaves no trace.
#include "broad/periodic_pairs.h"

#include "base/columns.h"
#include "base/sort.h"

enum { IMAGES = 5 };
// Half of the eight images; the other half are the same pairs from the other side. The first is for
// those whose middles lie outside of the plane.
static const double images[IMAGES][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {1, -1}};

static PhAabb moved(PhAabb box, PhVec2 by) {
    return (PhAabb){ph_add(box.lower, by), ph_add(box.upper, by)};
}

static PhVec2 image_of(const PhWrap *wrap, int k) {
    return ph_vec(images[k][0] * wrap->size.x, images[k][1] * wrap->size.y);
}

// Whether an image is one of a plane that wraps as this one does.
static bool is_image(const PhWrap *wrap, int k) {
    return k == 0 ||
           ((images[k][0] == 0 || wrap->size.x > 0) && (images[k][1] == 0 || wrap->size.y > 0));
}

typedef struct PeriodicSearch {
    PhBroadScratch *scratch;
    const PhProxies *proxies;
    const PhWrap *wrap;
    PhSearch what;
    PhAabb bounds;  // of all boxes
    bool scattered; // a middle lies outside of the plane
} PeriodicSearch;

// Boxes of all that take part, by their images in the plane.
static PhStatus list_boxes(PeriodicSearch *search) {
    PhPeriodic *periodic = &search->scratch->periodic;
    const PhProxies *proxies = search->proxies;
    const PhColumn columns[] = {{&periodic->box, sizeof *periodic->box},
                                {&periodic->proxy, sizeof *periodic->proxy},
                                {&periodic->offset, sizeof *periodic->offset},
                                {&periodic->item, sizeof *periodic->item}};
    PhStatus status = ph_grow_columns(columns, 4, &periodic->capacity, proxies->count, NULL);
    periodic->count = 0;
    for (uint32_t p = 0; !status && p < proxies->count; p++) {
        if (!ph_proxy_takes_part(proxies, p)) {
            continue;
        }
        PhVec2 middle = ph_lerp(proxies->predicted[p].lower, proxies->predicted[p].upper, 0.5);
        PhVec2 offset =
            ph_wrap_shift(search->wrap, ph_sub(middle, ph_scale(0.5, search->wrap->size)));
        PhAabb box = moved(ph_reach_box(proxies, p), offset);
        search->scattered |= offset.x != 0 || offset.y != 0;
        search->bounds = periodic->count ? ph_union(search->bounds, box) : box;
        periodic->box[periodic->count] = box;
        periodic->offset[periodic->count] = offset;
        periodic->proxy[periodic->count++] = p;
    }
    return status;
}

static bool comes_to_a_periodic(const PeriodicSearch *search, PhAabb box) {
    bool comes = search->scattered;
    for (int k = 1; k < IMAGES && !comes; k++) {
        comes = is_image(search->wrap, k) &&
                ph_overlaps(box, moved(search->bounds, image_of(search->wrap, k)));
    }
    return comes;
}

static PhStatus build_hierarchy(const PeriodicSearch *search) {
    PhPeriodic *periodic = &search->scratch->periodic;
    uint32_t count = 0;
    for (uint32_t i = 0; i < periodic->count; i++) {
        if (comes_to_a_periodic(search, periodic->box[i])) {
            periodic->item[count++] = (PhBvhItem){periodic->box[i], i};
        }
    }
    return ph_bvh_build(&periodic->bvh, periodic->item, count, search->scratch->stop);
}

// The i-th box, moved by an image, with the j-th.
static PhStatus try_pair(const PeriodicSearch *search, uint32_t i, uint32_t j, PhVec2 image) {
    const PhProxies *proxies = search->proxies;
    const PhPeriodic *periodic = &search->scratch->periodic;
    uint32_t p = periodic->proxy[i], q = periodic->proxy[j];
    PhVec2 by = ph_add(image, ph_sub(periodic->offset[i], periodic->offset[j]));
    if ((by.x == 0 && by.y == 0) ||
        !(ph_is_sought(proxies, p, search->what) || ph_is_sought(proxies, q, search->what)) ||
        ph_near(proxies, p, q) ||
        !ph_boxes_near(moved(proxies->predicted[p], by), proxies->reach[p], proxies->predicted[q],
                       proxies->reach[q], ph_steps_of(proxies, p, q))) {
        return PH_OK;
    }
    PhRawPairs *raw = &search->scratch->raw;
    PhStatus status = ph_raw_reserve(raw, 1 + PH_GRID_SPARE);
    if (!status) {
        ph_raw_add(raw, proxies, p, q);
    }
    return status;
}

static PhStatus search_image(const PeriodicSearch *search, int k) {
    const PhPeriodic *periodic = &search->scratch->periodic;
    PhVec2 image = image_of(search->wrap, k);
    PhStatus status = PH_OK;
    for (uint32_t i = 0; i < periodic->count && !status; i++) {
        PhAabb box = moved(periodic->box[i], image);
        status = ph_search_goes_on(search->scratch, i);
        if (status || !ph_overlaps(box, search->bounds)) {
            continue;
        }
        const PhBvh *bvh = &periodic->bvh;
        for (uint32_t n = ph_bvh_next(bvh, box, 0); n < bvh->count && !status;
             n = ph_bvh_next(bvh, box, n + 1)) {
            uint32_t j = bvh->node[n].id;
            if (j != i && (k > 0 || i < j)) {
                status = try_pair(search, i, j, image);
            }
        }
    }
    return status;
}

static bool pair_before(const void *a, const void *b, const void *context) {
    const PhRawPair *p = a, *q = b;
    (void)context;
    return p->owner != q->owner ? p->owner < q->owner : p->other < q->other;
}

// Two may be near under several images.
static void keep_once(PhRawPairs *raw, uint32_t first) {
    uint32_t kept = first;
    ph_sort(raw->pair + first, raw->count - first, sizeof *raw->pair, pair_before, NULL);
    for (uint32_t k = first; k < raw->count; k++) {
        if (k == first || pair_before(&raw->pair[k - 1], &raw->pair[k], NULL)) {
            raw->pair[kept++] = raw->pair[k];
        }
    }
    raw->count = kept;
}

PhStatus ph_periodic_search(PhBroadScratch *scratch, const PhProxies *proxies, const PhWrap *wrap,
                            PhSearch what) {
    PeriodicSearch search = {.scratch = scratch, .proxies = proxies, .wrap = wrap, .what = what};
    uint32_t first = scratch->raw.count;
    PhStatus status = list_boxes(&search);
    status = status ? status : build_hierarchy(&search);
    for (int k = search.scattered ? 0 : 1; k < IMAGES && !status; k++) {
        status = is_image(wrap, k) ? search_image(&search, k) : PH_OK;
    }
    if (!status && scratch->raw.count > first) {
        keep_once(&scratch->raw, first);
    }
    return status;
}

void ph_periodic_free(PhPeriodic *periodic) {
    ph_free(periodic->box);
    ph_free(periodic->proxy);
    ph_free(periodic->offset);
    ph_free(periodic->item);
    ph_bvh_free(&periodic->bvh);
    *periodic = (PhPeriodic){0};
}

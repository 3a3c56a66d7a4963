// Pairs across the seams of a wrapped plane: owns the search that is made beside that of a backend.
//
// Every proxy has a box of what it may reach, and its image there whose middle lies in the plane.
// Two proxies are near under some image only if the boxes overlap when one is moved by no more than
// one width and one height: so what comes near another side, which is little, is put into a
// hierarchy, and asked for by the images of what comes near that side. Backends know nothing of it,
// and find what is near without an image.
//
// Invariant: the pairs are those that ph_near tells of with one of the two moved by whole widths
// and heights; so the backend leaves no trace.
#include "broad/seam.h"

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

typedef struct SeamSearch {
    PhBroadScratch *scratch;
    const PhProxies *proxies;
    const PhWrap *wrap;
    PhSearch what;
    PhAabb bounds;  // of all boxes
    bool scattered; // a middle lies outside of the plane
} SeamSearch;

// Boxes of all that take part, by their images in the plane.
static PhStatus list_boxes(SeamSearch *search) {
    PhSeam *seam = &search->scratch->seam;
    const PhProxies *proxies = search->proxies;
    const PhColumn columns[] = {{&seam->box, sizeof *seam->box},
                                {&seam->proxy, sizeof *seam->proxy},
                                {&seam->offset, sizeof *seam->offset},
                                {&seam->item, sizeof *seam->item}};
    PhStatus status = ph_grow_columns(columns, 4, &seam->capacity, proxies->count, NULL);
    seam->count = 0;
    for (uint32_t p = 0; !status && p < proxies->count; p++) {
        if (!ph_proxy_takes_part(proxies, p)) {
            continue;
        }
        PhVec2 middle = ph_lerp(proxies->fat[p].lower, proxies->fat[p].upper, 0.5);
        PhVec2 offset =
            ph_wrap_shift(search->wrap, ph_sub(middle, ph_scale(0.5, search->wrap->size)));
        PhAabb box = moved(ph_reach_box(proxies, p), offset);
        search->scattered |= offset.x != 0 || offset.y != 0;
        search->bounds = seam->count ? ph_union(search->bounds, box) : box;
        seam->box[seam->count] = box;
        seam->offset[seam->count] = offset;
        seam->proxy[seam->count++] = p;
    }
    return status;
}

static bool comes_to_a_seam(const SeamSearch *search, PhAabb box) {
    bool comes = search->scattered;
    for (int k = 1; k < IMAGES && !comes; k++) {
        comes = is_image(search->wrap, k) &&
                ph_overlaps(box, moved(search->bounds, image_of(search->wrap, k)));
    }
    return comes;
}

static PhStatus build_hierarchy(const SeamSearch *search) {
    PhSeam *seam = &search->scratch->seam;
    uint32_t count = 0;
    for (uint32_t i = 0; i < seam->count; i++) {
        if (comes_to_a_seam(search, seam->box[i])) {
            seam->item[count++] = (PhBvhItem){seam->box[i], i};
        }
    }
    return ph_bvh_build(&seam->bvh, seam->item, count, search->scratch->stop);
}

// The i-th box, moved by an image, with the j-th.
static PhStatus try_pair(const SeamSearch *search, uint32_t i, uint32_t j, PhVec2 image) {
    const PhProxies *proxies = search->proxies;
    const PhSeam *seam = &search->scratch->seam;
    uint32_t p = seam->proxy[i], q = seam->proxy[j];
    PhVec2 by = ph_add(image, ph_sub(seam->offset[i], seam->offset[j]));
    if ((by.x == 0 && by.y == 0) ||
        !(ph_is_sought(proxies, p, search->what) || ph_is_sought(proxies, q, search->what)) ||
        ph_near(proxies, p, q) ||
        !ph_boxes_near(moved(proxies->fat[p], by), proxies->reach[p], proxies->fat[q],
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

static PhStatus search_image(const SeamSearch *search, int k) {
    const PhSeam *seam = &search->scratch->seam;
    PhVec2 image = image_of(search->wrap, k);
    PhStatus status = PH_OK;
    for (uint32_t i = 0; i < seam->count && !status; i++) {
        PhAabb box = moved(seam->box[i], image);
        status = ph_search_goes_on(search->scratch, i);
        if (status || !ph_overlaps(box, search->bounds)) {
            continue;
        }
        const PhBvh *bvh = &seam->bvh;
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

PhStatus ph_seam_search(PhBroadScratch *scratch, const PhProxies *proxies, const PhWrap *wrap,
                        PhSearch what) {
    SeamSearch search = {.scratch = scratch, .proxies = proxies, .wrap = wrap, .what = what};
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

void ph_seam_free(PhSeam *seam) {
    ph_free(seam->box);
    ph_free(seam->proxy);
    ph_free(seam->offset);
    ph_free(seam->item);
    ph_bvh_free(&seam->bvh);
    *seam = (PhSeam){0};
}

// Contacts that impacts concern, and the numbers of their ends: impact_sweeps.h.
#include "solve/impact_sweeps.h"

#include <float.h>
#include <string.h>

_Static_assert(PH_SOLVER_BODY_ALIGN <= 8, "lanes of a wide contact are bits of a byte");

static inline uint32_t end_number(uint32_t lane, uint32_t side, uint32_t set) {
    return (lane * 2 + side) * 2 + set;
}

static uint32_t set_of(const PhColor *color) {
    return ph_color_overflows(color->number);
}

static uint32_t width_of(const PhLayout *layout, const PhColor *color) {
    return ph_kernels_of(layout->arrays->kernels, color->number)->lanes;
}

static inline void list_end(uint32_t *first_end, uint32_t solver_body, uint32_t *next_end,
                            uint32_t end) {
    next_end[end / 2] = first_end[solver_body / 16];
    first_end[solver_body / 16] = end;
}

void ph_impacts_begin(PhLayout *layout, const PhIslandBatch *batch) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint32_t *first_end = arrays->first_end + batch->first_solver_body;
    memset(first_end, 0xff, ph_batch_solver_bodies(batch) * sizeof *first_end);
    for (uint32_t i = 0; i < batch->color_count; i++) {
        const PhColor *color = &arrays->colors[batch->first_color + i];
        uint32_t set = set_of(color), width = width_of(layout, color);
        PhWideContacts *wide = &arrays->wide_contacts[set];
        memset(wide->waits + color->first_wide, 0, color->wide_count);
        memset(wide->moved + color->first_wide, 0, color->wide_count);
        uint32_t last = (color->first_wide + color->wide_count) * width;
        for (uint32_t lane = color->first_wide * width; lane < last; lane++) {
            const PhEnds *ends = &wide->heads.ends[lane];
            if (wide->heads.pair[lane] == PH_NULL) {
                continue;
            }
            list_end(first_end, ends->a.solver_body, wide->next_end, end_number(lane, 0, set));
            if (!color->fixed) {
                list_end(first_end, ends->b.solver_body, wide->next_end, end_number(lane, 1, set));
            }
        }
    }
}

// Returns of how many contacts it is a body.
static uint32_t mark_contacts(struct PhLayoutArrays *arrays, const PhIslandBatch *batch,
                              uint32_t solver_body) {
    uint32_t end = arrays->first_end[batch->first_solver_body + solver_body / 16];
    uint32_t shift = (uint32_t)__builtin_ctz(arrays->kernels->lanes);
    uint32_t count = 0;
    for (; end != PH_NULL; count++) {
        PhWideContacts *wide = &arrays->wide_contacts[end & 1];
        uint32_t contact = end >> 2 >> (end & 1 ? 0 : shift);
        wide->waits[contact] = wide->moved[contact] = 1;
        end = wide->next_end[end / 2];
    }
    return count;
}

uint32_t ph_impacts_spread(PhLayout *layout, const PhIslandBatch *batch, const PhColor *color,
                           uint32_t first, uint32_t last, uint32_t *marked) {
    struct PhLayoutArrays *arrays = layout->arrays;
    const PhWideContacts *wide = &arrays->wide_contacts[set_of(color)];
    uint32_t width = width_of(layout, color), met = 0;
    for (uint32_t i = first; i < last; i++) {
        for (uint32_t bits = wide->parts.met[i]; bits; bits &= bits - 1) {
            met++;
            const PhEnds *ends =
                &wide->heads.ends[(size_t)i * width + (uint32_t)__builtin_ctz(bits)];
            *marked += mark_contacts(arrays, batch, ends->a.solver_body);
            *marked += color->fixed ? 0 : mark_contacts(arrays, batch, ends->b.solver_body);
        }
    }
    return met;
}

// A lane of a wide contact with an impact. a, b: of its bodies; NULL: it is fixed.
typedef struct Hit {
    uint32_t lane;
    PhHits *a, *b;
    float when, since;
} Hit;

static Hit hit_of(const PhLayout *layout, const PhIslandBatch *batch, const PhColor *color,
                  uint32_t contact, uint32_t bits) {
    const PhWideContacts *wide = &layout->arrays->wide_contacts[set_of(color)];
    PhHits *hits = layout->arrays->hits + batch->first_solver_body;
    Hit hit = {.lane = (uint32_t)__builtin_ctz(bits)};
    const uint32_t width = width_of(layout, color);
    const PhEnds *ends = &wide->heads.ends[(size_t)contact * width + hit.lane];
    const float *moments = wide->parts.moments + (size_t)contact * 2 * width;
    hit.when = moments[hit.lane];
    hit.since = moments[width + hit.lane];
    hit.a = &hits[ends->a.solver_body / 16];
    hit.b = color->fixed ? NULL : &hits[ends->b.solver_body / 16];
    return hit;
}

typedef enum Stage { NONE, FIRST, ACTING, SHARED } Stage;

// Returns which of the lanes belong to the stage.
static uint32_t visit_hits(const PhLayout *layout, const PhIslandBatch *batch, const PhColor *color,
                           uint32_t contact, uint32_t lanes, Stage stage) {
    uint32_t found = 0;
    for (uint32_t bits = lanes; bits; bits &= bits - 1) {
        Hit hit = hit_of(layout, batch, color, contact, bits);
        PhHits *of[2] = {hit.a, hit.b};
        bool acts = true, shared = false;
        for (int i = 0; i < 2 && of[i]; i++) {
            if (stage == NONE) {
                *of[i] = (PhHits){.first = FLT_MAX};
            } else if (stage == FIRST) {
                of[i]->first = hit.when < of[i]->first ? hit.when : of[i]->first;
            }
            acts = acts && hit.since <= of[i]->first;
            shared = shared || of[i]->count > 1;
        }
        for (int i = 0; i < 2 && of[i] && stage == ACTING && acts; i++) {
            of[i]->count += of[i]->count < 2;
        }
        found |= (uint32_t)(stage == SHARED ? shared : acts) << hit.lane;
    }
    return found;
}

static bool visit_all(PhLayout *layout, const PhIslandBatch *batch, const PhMetList *list,
                      Stage stage) {
    bool any = false;
    for (uint32_t set = 0; set < 2; set++) {
        PhWideParts *parts = &layout->arrays->wide_contacts[set].parts;
        for (uint32_t n = 0; n < list->count[set]; n++) {
            const PhColor *color = &layout->arrays->colors[list->met[set][n].color];
            uint32_t k = list->met[set][n].contact;
            uint32_t lanes = stage == SHARED ? parts->acts[k] : parts->met[k];
            parts->acts[k] = (uint8_t)visit_hits(layout, batch, color, k, lanes, stage);
            any |= parts->acts[k] != 0;
        }
    }
    return any;
}

void ph_impacts_order(PhLayout *layout, const PhIslandBatch *batch, const PhMetList *list) {
    visit_all(layout, batch, list, NONE);
    visit_all(layout, batch, list, FIRST);
    visit_all(layout, batch, list, ACTING);
}

bool ph_impacts_join(PhLayout *layout, const PhIslandBatch *batch, const PhMetList *list) {
    return list->lanes > 1 && visit_all(layout, batch, list, SHARED);
}

PhMetList ph_impacts_no_met(const PhLayout *layout, const PhIslandBatch *batch) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint32_t first[2] = {UINT32_MAX, UINT32_MAX};
    for (uint32_t i = 0; i < batch->color_count; i++) {
        const PhColor *color = &arrays->colors[batch->first_color + i];
        uint32_t *least = &first[set_of(color)];
        *least = color->first_wide < *least ? color->first_wide : *least;
    }
    PhMetList list = {.lanes = 0};
    for (int set = 0; set < 2; set++) {
        list.met[set] =
            first[set] < UINT32_MAX ? arrays->wide_contacts[set].met_list + first[set] : NULL;
    }
    return list;
}

void ph_impacts_add_met(const PhLayout *layout, const PhColor *color, uint32_t first, uint32_t last,
                        PhMetList *list) {
    const uint32_t set = set_of(color);
    const uint8_t *met = layout->arrays->wide_contacts[set].parts.met;
    for (uint32_t k = first; k < last; k++) {
        if (met[k]) {
            list->met[set][list->count[set]++] =
                (PhMet){.contact = k, .color = (uint32_t)(color - layout->arrays->colors)};
            list->lanes += (uint32_t)__builtin_popcount(met[k]);
        }
    }
}

uint32_t ph_impacts_next(uint8_t *marks, const PhColor *color, uint32_t from) {
    uint32_t last = color->first_wide + color->wide_count;
    uint8_t *mark = from < last ? memchr(marks + from, 1, last - from) : NULL;
    if (!mark) {
        return PH_NULL;
    }
    *mark = 0;
    return (uint32_t)(mark - marks);
}

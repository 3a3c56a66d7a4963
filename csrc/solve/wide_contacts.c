// The colors of every batch and the heads of their wide contacts.
//
// Invariant: contacts of a color keep their order, and those of hubs have lanes of their own.
// Unused lanes at the end of the last wide contact point at the last solver body of the batch,
// which is padding without mass, written and read by one thread. Batches that are unchanged keep
// their wide contacts where they are. New wide contacts come after all others, until too many
// belong to no batch.
#include <string.h>

#include "base/memory.h"
#include "solve/layout.h"

PhStatus ph_wide_contacts_count(PhLayout *layout, const PhContacts *contacts) {
    struct PhLayoutArrays *arrays = layout->arrays;
    if (PH_RESERVE(arrays->lanes, layout->batch_count)) {
        return PH_ERROR_MEMORY;
    }
    if (!layout->batch_count) {
        return PH_OK;
    }
    const PhMember *members = arrays->members;
    const uint32_t *body_a = contacts->body_a;
    const uint8_t *color_of = arrays->color_of;
    PhColorFill *lanes = arrays->lanes;
    memset(lanes, 0, layout->batch_count * sizeof *lanes);
    for (uint32_t c = 0, count = contacts->count; c < count; c++) {
        lanes[members[body_a[c]].batch].next[color_of[c]]++;
    }
    return PH_OK;
}

static uint32_t hubs_of(const PhColorFill *lanes, uint32_t color) {
    return color < PH_CLASS_COLORS ? lanes->next[PH_MAX_COLORS + color] : 0;
}

// The first lane for hubs, from a lane on.
static uint32_t hub_lane(uint32_t lane) {
    return (lane + PH_HUB_STRIDE - 1) / PH_HUB_STRIDE * PH_HUB_STRIDE;
}

// Sets where the lanes of a color begin.
static void open_lanes(PhColorFill *lanes, uint32_t color, uint32_t first) {
    bool hubs = lanes->hub_end[color] > 0;
    if (hubs) {
        lanes->next[PH_MAX_COLORS + color] = hub_lane(first);
    }
    lanes->next[color] = first + (hubs && hub_lane(first) == first);
}

// The same once contacts have been counted.
static void divide_lanes(PhColorFill *lanes, uint32_t color, uint32_t first) {
    uint32_t hubs = hubs_of(lanes, color);
    lanes->hub_end[color] = hubs ? hub_lane(first) + hubs * PH_HUB_STRIDE : 0;
    open_lanes(lanes, color, first);
}

static inline uint32_t take_lane(PhColorFill *lanes, uint32_t code) {
    uint32_t lane = lanes->next[code], next = lane + 1;
    if (code >= PH_MAX_COLORS) {
        next = lane + PH_HUB_STRIDE;
    } else if (next % PH_HUB_STRIDE == 0) {
        next += next < lanes->hub_end[code];
    }
    lanes->next[code] = next;
    return lane;
}

// The colors of an unchanged batch, after `count` others. Returns how many.
static uint32_t keep_colors(struct PhLayoutArrays *arrays, PhIslandBatch *batch, PhColorFill *lanes,
                            uint32_t width, uint32_t count) {
    const PhIslandBatch *was = &arrays->old_batches[batch->was];
    batch->carried = was->carried;
    for (uint32_t i = 0; i < was->color_count; i++) {
        PhColor color = arrays->old_colors[was->first_color + i];
        arrays->colors[count + i] = color;
        divide_lanes(lanes, color.number,
                     color.first_wide * (ph_color_overflows(color.number) ? 1 : width));
    }
    return was->color_count;
}

// Divides the contacts of every color into wide contacts, after wide_count others; arrays->lanes
// receives the first lanes of each.
static void make_colors(PhLayout *layout, uint32_t width, uint64_t wide_count[2]) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint32_t count = 0;
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        PhColorFill *lanes = &arrays->lanes[b];
        arrays->batches[b].first_color = count;
        if (arrays->batches[b].was != PH_NULL) {
            count += keep_colors(arrays, &arrays->batches[b], lanes, width, count);
            arrays->batches[b].color_count = count - arrays->batches[b].first_color;
            continue;
        }
        for (uint32_t c = 0; c < PH_MAX_COLORS; c++) {
            uint32_t contacts = lanes->next[c] + hubs_of(lanes, c);
            if (!contacts) {
                continue;
            }
            bool overflow = ph_color_overflows(c);
            uint32_t wide = overflow ? 1 : width, wide_contacts = (contacts + wide - 1) / wide;
            arrays->colors[count++] = (PhColor){(uint32_t)wide_count[overflow], wide_contacts,
                                                c >= PH_OVERFLOW_FIXED, (uint8_t)c};
            divide_lanes(lanes, c, (uint32_t)wide_count[overflow] * wide);
            wide_count[overflow] += wide_contacts;
        }
        arrays->batches[b].color_count = count - arrays->batches[b].first_color;
    }
    layout->color_count = count;
}

static PhStatus reserve_wide_contacts(PhWideContacts *wide_contacts, const PhKernels *kernels,
                                      uint64_t count) {
    if (count > PH_MOST_LANES / kernels->lanes) {
        return PH_ERROR_MEMORY;
    }
    uint64_t lanes = count * kernels->lanes;
    if (PH_RESERVE(wide_contacts->heads.pair, lanes) ||
        PH_RESERVE(wide_contacts->heads.ends, lanes) ||
        ph_reserve(&wide_contacts->parts.wide_contacts, (count * kernels->wide_size + 63) / 64,
                   64) ||
        ph_reserve(&wide_contacts->parts.rests, (count * kernels->rest_size + 63) / 64, 64) ||
        ph_reserve(&wide_contacts->parts.extras, (count * kernels->extra_size + 63) / 64, 64) ||
        PH_RESERVE(wide_contacts->parts.met, count) ||
        PH_RESERVE(wide_contacts->parts.acts, count) ||
        PH_RESERVE(wide_contacts->parts.moments, 2 * lanes) ||
        PH_RESERVE(wide_contacts->parts.used, count) || PH_RESERVE(wide_contacts->waits, count) ||
        PH_RESERVE(wide_contacts->moved, count) || PH_RESERVE(wide_contacts->next_end, 2 * lanes) ||
        PH_RESERVE(wide_contacts->met_list, count)) {
        return PH_ERROR_MEMORY;
    }
    return PH_OK;
}

static inline void set_lane(PhHeads heads, uint32_t lane, uint32_t pair, PhMember a, PhMember b) {
    // Every color is filled from its first lane on: prefetches what comes next.
    __builtin_prefetch(&heads.ends[lane + 8], 1);
    heads.ends[lane] = (PhEnds){a, b};
    heads.pair[lane] = pair;
}

// Empties the last wide contact of every color.
static void empty_last(PhLayout *layout, const PhKernels *wide) {
    struct PhLayoutArrays *arrays = layout->arrays;
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        const PhIslandBatch *batch = &arrays->batches[b];
        if (batch->was != PH_NULL) {
            continue;
        }
        PhMember padding = {.solver_body = 16 * (ph_batch_solver_bodies(batch) - 1)};
        for (uint32_t i = batch->first_color; i < batch->first_color + batch->color_count; i++) {
            const PhColor *color = &arrays->colors[i];
            PhHeads heads = arrays->wide_contacts[ph_color_overflows(color->number)].heads;
            uint32_t width = ph_kernels_of(wide, color->number)->lanes;
            uint32_t end = (color->first_wide + color->wide_count) * width;
            for (uint32_t lane = end - width; lane < end; lane++) {
                set_lane(heads, lane, PH_NULL, padding, padding);
            }
        }
    }
}

// The solver body of the kinematic body of a contact, for contacts that are not visited in order.
static uint32_t copy_of(const struct PhLayoutArrays *arrays, uint32_t contact) {
    uint32_t first = 0, last = arrays->copy_count;
    while (last - first > 1) {
        uint32_t middle = first + (last - first) / 2;
        *(arrays->copies[middle].contact <= contact ? &first : &last) = middle;
    }
    return arrays->copies[first].solver_body;
}

// In unchanged batches, only the places of the pairs may have changed. turned: they are not in
// order.
static inline __attribute__((always_inline)) void fill_lanes(PhLayout *layout,
                                                             const PhContacts *contacts,
                                                             const PhSolverBodies *bodies,
                                                             bool some, bool turned) {
    struct PhLayoutArrays *arrays = layout->arrays;
    const PhHeads heads = arrays->wide_contacts[0].heads, single = arrays->wide_contacts[1].heads;
    const PhMember *members = arrays->members;
    const PhCopy *copy = arrays->copies;
    const PhIslandBatch *batches = arrays->batches;
    const uint32_t *body_a = contacts->body_a, *body_b = contacts->body_b, *pair = contacts->pair;
    const uint8_t *color_of = arrays->color_of;
    PhColorFill *lanes = arrays->lanes;
    for (uint32_t k = 0, count = contacts->count; k < count; k++) {
        uint32_t c = turned ? arrays->turn[k] : k, b = body_b[c], color = color_of[c];
        const PhMember *owner = &members[body_a[c]];
        bool fixed = ph_code_is_fixed(color);
        bool moves = fixed && bodies->role[b] == PH_ROLE_KINEMATIC;
        uint32_t lane = take_lane(&lanes[owner->batch], color);
        if (some && batches[owner->batch].was != PH_NULL) {
            (ph_color_overflows(color) ? single : heads).pair[lane] = pair[c];
            copy += moves;
            continue;
        }
        PhMember other = members[b];
        if (fixed) {
            uint32_t solver_body = !moves ? 0 : turned ? copy_of(arrays, c) : copy->solver_body;
            other = (PhMember){
                .solver_body =
                    moves ? 16 * (solver_body - batches[owner->batch].first_solver_body) : 0};
            copy += moves;
        }
        set_lane(ph_color_overflows(color) ? single : heads, lane, pair[c], *owner, other);
    }
}

void ph_wide_contacts_name_pairs(PhLayout *layout, const PhContacts *contacts) {
    struct PhLayoutArrays *arrays = layout->arrays;
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        for (uint32_t i = 0; i < arrays->batches[b].color_count; i++) {
            const PhColor *color = &arrays->colors[arrays->batches[b].first_color + i];
            uint32_t width = ph_color_overflows(color->number) ? 1 : arrays->kernels->lanes;
            open_lanes(&arrays->lanes[b], color->number, color->first_wide * width);
        }
    }
    for (uint32_t k = 0; k < contacts->count; k++) {
        uint32_t c = arrays->turn_count ? arrays->turn[k] : k;
        uint32_t batch = arrays->members[contacts->body_a[c]].batch, color = arrays->color_of[c];
        arrays->wide_contacts[ph_color_overflows(color)]
            .heads.pair[take_lane(&arrays->lanes[batch], color)] = contacts->pair[c];
    }
}

// Counts the wide contacts of unchanged batches, and of all.
static void count_wide_contacts(const PhLayout *layout, uint32_t width, uint64_t same[2],
                                uint64_t all[2]) {
    const struct PhLayoutArrays *arrays = layout->arrays;
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        for (uint32_t c = 0; c < PH_MAX_COLORS; c++) {
            bool overflow = ph_color_overflows(c);
            uint32_t wide = overflow ? 1 : width;
            uint32_t contacts = arrays->lanes[b].next[c] + hubs_of(&arrays->lanes[b], c);
            uint32_t wide_contacts = (contacts + wide - 1) / wide;
            all[overflow] += wide_contacts;
            same[overflow] += arrays->batches[b].was != PH_NULL ? wide_contacts : 0;
        }
    }
}

// Where new wide contacts begin: after all that were ever used. If more than half of these belong
// to batches that no longer exist, no batch keeps its place.
static void choose_places(PhLayout *layout, uint64_t wide_count[2], const uint64_t same[2],
                          const uint64_t all[2]) {
    struct PhLayoutArrays *arrays = layout->arrays;
    bool stay = same[0] + same[1] > 0;
    for (int o = 0; o < 2; o++) {
        wide_count[o] = arrays->wide_contacts[o].used;
        stay &= wide_count[o] + (all[o] - same[o]) <= 2 * all[o] + 64;
    }
    for (uint32_t b = 0; !stay && b < layout->batch_count; b++) {
        arrays->batches[b].was = PH_NULL;
    }
    if (stay) {
        arrays->waits = 0;
    } else {
        wide_count[0] = wide_count[1] = 0;
        arrays->old_batch_count = 0;
    }
}

PhStatus ph_wide_contacts_fill(PhLayout *layout, const PhKernels *kernels,
                               const PhContacts *contacts, const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint64_t end[2], same[2] = {0, 0}, all[2] = {0, 0};
    PhColor *colors = arrays->colors;
    arrays->colors = arrays->old_colors;
    arrays->old_colors = colors;
    // Both, because they change places in each build.
    const uint64_t most = (uint64_t)layout->batch_count * PH_MAX_COLORS;
    if (PH_RESERVE(arrays->colors, most) || PH_RESERVE(arrays->old_colors, most)) {
        return PH_ERROR_MEMORY;
    }
    count_wide_contacts(layout, kernels->lanes, same, all);
    choose_places(layout, end, same, all);
    make_colors(layout, kernels->lanes, end);
    if (reserve_wide_contacts(&arrays->wide_contacts[0], kernels, end[0]) ||
        reserve_wide_contacts(&arrays->wide_contacts[1], &ph_kernels_scalar, end[1])) {
        return PH_ERROR_MEMORY;
    }
    arrays->wide_contacts[0].used = (uint32_t)end[0];
    arrays->wide_contacts[1].used = (uint32_t)end[1];
    layout->wide_count = (uint32_t)(all[0] + all[1]);
    arrays->kernels = kernels;
    empty_last(layout, kernels);
    if (arrays->turn_count) {
        fill_lanes(layout, contacts, bodies, true, true);
    } else if (arrays->old_batch_count) {
        fill_lanes(layout, contacts, bodies, true, false);
    } else {
        fill_lanes(layout, contacts, bodies, false, false);
    }
    return PH_OK;
}

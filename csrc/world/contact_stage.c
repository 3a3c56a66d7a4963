// Owns the path from candidate pairs to contacts: which pairs are examined, and by which kernel.
//
// What is dispatched to: the lane kernels (narrow/lane_kernels.h), ph_find_manifold where they are
// in doubt, what lies ahead (ahead.c), flush pieces (flush.c), and what wakes (sleep.c).
#include <string.h>

#include "world/ahead.h"
#include "world/contact_stage.h"
#include "world/flush.h"
#include "world/manifolds.h"
#include "world/narrow_proxies.h"

// Of the team, and so that what the kernels hand to each other stays in the cache.
enum { CHUNK_PAIRS = 2048, WINDOWS = 64 };

PhStatus ph_list_contacts(PhWorld *world) {
    const PhPairList *pairs = &world->broad.pairs;
    const uint8_t *active = world->next_active, *role = world->role;
    const uint32_t *body = world->proxies.body;
    PhContacts *contacts = &world->contacts;
    const PhColumn columns[] = {PH_CONTACT_COLUMNS(PH_COLUMN)};
    PH_FEW_COLUMNS(columns);
    // What is no contact is written behind the last one.
    PhStatus status = ph_grow_columns(columns, sizeof columns / sizeof columns[0],
                                      &contacts->capacity, pairs->count + 1ull, NULL);
    if (status) {
        return status;
    }
    uint32_t *pair = contacts->pair, *body_a = contacts->body_a, *body_b = contacts->body_b;
    const uint32_t *owner = pairs->owner, *other = pairs->other;
    uint32_t count = 0;
    for (uint32_t k = 0, end = pairs->count; k < end; k++) {
        uint32_t a = body[owner[k]];
        pair[count] = k;
        body_a[count] = a;
        body_b[count] = body[other[k]];
        count += (active[k] == 1) & (role[a] == PH_ROLE_DYNAMIC);
    }
    contacts->count = count;
    return PH_OK;
}

// ------------------------------------------------------------------------------------------------
// looking at pairs

enum { TYPES = PH_LANE_KINDS * PH_LANE_KINDS };

typedef struct NarrowPass {
    PhWorld *world;
    const PhPairList *pairs;
    const PhManifoldKernels *kernels;
    const uint32_t *list; // those to examine; NULL: those that stir and were not examined
    uint32_t count;       // of the list, else of all pairs
    bool first;           // nothing was examined in this step
    bool floors;   // there may be flush pieces: what differs is not known before they are one
    bool all_stir; // all stir and none was examined
    double dt;
    PhSurfaces surfaces;
    atomic_uint found;
} NarrowPass;

typedef struct Group {
    uint32_t first, count; // in the list of the part
    PhLaneKind a, b;       // of the members
} Group;

// A part of the pairs, small enough for what the kernels hand to each other to stay in the cache.
typedef struct Part {
    uint32_t count, list[CHUNK_PAIRS]; // pairs to examine
    uint32_t group_count;
    Group group[TYPES];
    uint32_t near[CHUNK_PAIRS + 8]; // scratch
    uint8_t type[CHUNK_PAIRS];
} Part;

// Names the pairs of a part that stir and were not examined. Returns what is in the flags of their
// members.
static uint8_t choose_pairs(const NarrowPass *narrow, uint32_t first, uint32_t last, Part *part) {
    const uint8_t *narrow_flags = narrow->world->narrow_flags;
    const uint32_t *owner = narrow->pairs->owner, *other = narrow->pairs->other;
    uint8_t *next = narrow->world->next_active, any = 0;
    uint32_t count = 0;
    for (uint32_t k = first; k < last; k++) {
        uint8_t both = narrow_flags[owner[k]] | narrow_flags[other[k]];
        bool stirs = both & PH_NARROW_STIRS && (narrow->first || next[k] == PH_ANSWER_FROZEN);
        part->list[count] = k;
        count += stirs;
        next[k] = stirs ? PH_ANSWER_NEAR : narrow->first ? PH_ANSWER_FROZEN : next[k];
        any |= stirs ? both : 0;
    }
    part->count = count;
    return any;
}

static int type_of(const uint8_t *narrow_flags, uint32_t p, uint32_t q) {
    return (int)ph_lane_kind_of(narrow_flags[p]) * PH_LANE_KINDS +
           (int)ph_lane_kind_of(narrow_flags[q]);
}

static void add_group(Part *part, int type, uint32_t first, uint32_t count) {
    if (count > 0) {
        part->group[part->group_count++] = (Group){first, count, (PhLaneKind)(type / PH_LANE_KINDS),
                                                   (PhLaneKind)(type % PH_LANE_KINDS)};
    }
}

// Groups the list by type, stably: first those that are like the first pair, as most are.
static void group_by_type(const NarrowPass *narrow, Part *part) {
    const uint8_t *narrow_flags = narrow->world->narrow_flags, kinds = narrow->world->lane_kinds;
    const uint32_t *owner = narrow->pairs->owner, *other = narrow->pairs->other;
    uint32_t count = part->count, rest = 0, next[TYPES + 1] = {0};
    int type = count ? type_of(narrow_flags, owner[part->list[0]], other[part->list[0]]) : 0;
    part->group_count = 0;
    if ((kinds & (kinds - 1)) == 0) { // there are no others
        add_group(part, type, 0, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = part->list[i];
        int own = type_of(narrow_flags, owner[k], other[k]);
        part->list[i - rest] = part->near[rest] = k;
        part->type[rest] = (uint8_t)own;
        rest += own != type;
    }
    uint32_t alike = count - rest;
    add_group(part, type, 0, alike);
    for (uint32_t i = 0; i < rest; i++) {
        next[part->type[i] + 1]++;
    }
    next[0] = alike;
    for (int t = 0; rest && t < TYPES; t++) {
        add_group(part, t, next[t], next[t + 1]);
        next[t + 1] += next[t];
    }
    for (uint32_t i = 0; i < rest; i++) {
        part->list[next[part->type[i]]++] = part->near[i];
    }
}

static void collide_exactly(NarrowPass *narrow, const uint32_t *list, uint32_t count) {
    unsigned found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = list[i];
        const PhPiece *own = narrow->world->proxy_piece[narrow->pairs->other[k]];
        const PhPiece *piece = ph_flush_piece(narrow->world, k);
        uint8_t answer = PH_ANSWER_APART;
        if (piece != own || ph_pair_is_near(narrow->world, narrow->pairs, k)) {
            answer = ph_find_manifold(narrow->world, narrow->pairs, k, piece, narrow->dt);
        }
        narrow->world->next_active[k] = answer;
        found |= answer == PH_ANSWER_AHEAD    ? PH_FOUND_AHEAD
                 : answer == PH_ANSWER_PASSES ? PH_FOUND_PASSING
                                              : 0u;
        found |= narrow->world->approach[k] > 0 ? PH_FOUND_FAST : 0u;
    }
    if (found) {
        atomic_fetch_or(&narrow->found, found);
    }
}

// Whether most pairs were in range in the last step: then it does not pay to ask their boxes first.
static bool were_near(const PhPairList *pairs, uint32_t first, uint32_t last) {
    uint32_t near = 0;
    for (uint32_t k = first; k < last; k++) {
        near += pairs->flags[k] & PH_PAIR_ACTIVE;
    }
    return near > (last - first) / 4 * 3;
}

// The list is lost: those that have been examined make room for the doubtful. room: for as many
// more, that may pass; NULL where no kernel can tell whether they do.
static void run(NarrowPass *narrow, const Group *group, PhManifoldKernel *kernel,
                PhLanePairs *lanes, uint32_t *list, uint32_t count, uint32_t *room) {
    PhManifoldKernel *later = narrow->kernels->grazing[group->a][group->b];
    lanes->doubtful = list;
    lanes->doubtful_count = 0;
    lanes->grazing = later ? room : NULL;
    lanes->grazing_count = 0;
    kernel(lanes, list, count);
    if (lanes->grazing_count) {
        later(lanes, room, lanes->grazing_count);
        atomic_fetch_or(&narrow->found, PH_FOUND_PASSING);
    }
    for (uint32_t i = 0; i < lanes->grazing_count; i++) {
        uint32_t k = room[i], *body = narrow->world->proxies.body;
        uint32_t a = body[narrow->pairs->owner[k]], b = body[narrow->pairs->other[k]];
        bool left_out = lanes->answer[k] == PH_ANSWER_APART || lanes->answer[k] == PH_ANSWER_PASSES;
        if (left_out && ph_are_laden(narrow->world, a, b)) {
            lanes->doubtful[lanes->doubtful_count++] = k;
        }
    }
    collide_exactly(narrow, list, lanes->doubtful_count);
}

// Pairs without a kernel: those of which one member is long have that of what is seen of it from
// the other.
static void run_windows(NarrowPass *narrow, PhLanePairs *lanes, const Group *group,
                        uint32_t *list) {
    PhWorld *world = narrow->world;
    PhLaneKind a = ph_lane_in_window(group->a), b = ph_lane_in_window(group->b);
    bool b_is_long = b != PH_LANE_NONE;
    PhManifoldKernel *kernel =
        b_is_long ? narrow->kernels->manifold[group->a][b] : narrow->kernels->manifold[a][group->b];
    uint32_t count = group->count;
    PhLanePiece window[WINDOWS];
    for (uint32_t i = 0; kernel && i < count; i += WINDOWS) {
        uint32_t last = i + WINDOWS < count ? i + WINDOWS : count, seen = 0, exactly = 0;
        uint32_t pair[WINDOWS];
        for (uint32_t k = i; k < last; k++) {
            uint32_t p = narrow->pairs->owner[list[k]], q = narrow->pairs->other[list[k]];
            uint32_t far = b_is_long ? q : p, slot = world->proxies.body[far];
            PhVec2 center = {world->center[slot][0], world->center[slot][1]};
            if (ph_lane_piece_window(world->proxy_piece[far], &world->lane_place[far],
                                     world->transform[slot], center, &world->lane_piece[far],
                                     &world->lane_piece[b_is_long ? p : q], &world->lengths,
                                     &window[seen])) {
                pair[seen++] = list[k];
            } else {
                list[i + exactly++] = list[k];
            }
        }
        collide_exactly(narrow, list + i, exactly);
        lanes->window = window;
        lanes->window_is_b = b_is_long;
        run(narrow, group, kernel, lanes, pair, seen, NULL);
        lanes->window = NULL;
    }
    if (!kernel) {
        collide_exactly(narrow, list, count);
    }
}

// Whether two pieces are so far apart that another image of b may be the one that a can touch. A
// piece reaches no further than 0.28 of the world from its middle (its body: a quarter), so two
// that touch have their middles within 0.56; of those within 0.4 all other images are further
// apart.
static bool may_be_across(const PhWorld *world, const PhLanePiece *a, const PhLanePiece *b) {
    double x = fabs(b->x - a->x) * world->wrap.inverse.x;
    double y = fabs(b->y - a->y) * world->wrap.inverse.y;
    return x > 0.4 || y > 0.4;
}

// In a wrapped world: pairs of which the nearest images lie on both sides of a periodic boundary
// have the kernel with b's piece moved there. Returns how many of the list are left, which make
// room for no others.
static uint32_t run_wrapped(NarrowPass *narrow, const Group *group, PhManifoldKernel *kernel,
                            PhLanePairs *lanes, uint32_t *list, uint32_t count) {
    PhWorld *world = narrow->world;
    PhLanePiece window[WINDOWS];
    uint32_t pair[WINDOWS], room[WINDOWS], seen = 0, left = 0;
    lanes->window = window;
    lanes->window_is_b = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = list[i], p = narrow->pairs->owner[k], q = narrow->pairs->other[k];
        PhVec2 shift = {0, 0};
        if (may_be_across(world, &world->lane_piece[p], &world->lane_piece[q])) {
            shift = ph_image_shift(world, world->proxies.body[p], world->proxies.body[q]);
        }
        if (shift.x == 0 && shift.y == 0) {
            list[left++] = k;
            continue;
        }
        window[seen] = world->lane_piece[q];
        window[seen].x += shift.x;
        window[seen].y += shift.y;
        pair[seen++] = k;
        if (seen == WINDOWS) {
            run(narrow, group, kernel, lanes, pair, seen, room);
            seen = 0;
        }
    }
    run(narrow, group, kernel, lanes, pair, seen, room);
    lanes->window = NULL;
    return left;
}

static PhLanePairs lanes_of(const NarrowPass *narrow) {
    const PhWorld *world = narrow->world;
    return (PhLanePairs){
        .piece = world->lane_piece,
        .material = world->material,
        .one_material = !world->mixed_materials,
        .surfaces = world->own_surfaces ? &narrow->surfaces : NULL,
        .ring = world->lane_ring,
        .owner = narrow->pairs->owner,
        .other = narrow->pairs->other,
        .manifold = world->contacts.manifold,
        .answer = world->next_active,
        .approach = world->approach,
        .later = world->later,
        .fast = (float)ph_noted_approach(world),
        .lengths = &world->lengths.lane,
        .dt = (float)narrow->dt,
        .fall = (float)ph_fall(world, narrow->dt),
        .spins = world->spins,
        .friction_rule = world->def.friction_rule,
        .restitution_rule = world->def.restitution_rule,
    };
}

// Manifolds of what was chosen. Every pair has entries of its own, so parts do not meet.
static void run_chosen(NarrowPass *narrow, Part *part, bool cull) {
    PhWorld *world = narrow->world;
    PhLanePairs lanes = lanes_of(narrow);
    for (uint32_t g = 0; g < part->group_count; g++) {
        const Group *group = &part->group[g];
        uint32_t *list = part->list + group->first, count = group->count;
        PhManifoldKernel *kernel = narrow->kernels->manifold[group->a][group->b];
        if (!kernel && !world->wrapped) {
            run_windows(narrow, &lanes, group, list);
            continue;
        }
        if (!kernel) {
            collide_exactly(narrow, list, count);
            continue;
        }
        if (world->wrapped) {
            count = run_wrapped(narrow, group, kernel, &lanes, list, count);
        }
        uint32_t *room = part->near;
        if (cull) {
            count = narrow->kernels->cull(&lanes, list, count, part->near);
            room = list;
            list = part->near;
        }
        run(narrow, group, kernel, &lanes, list, count, room);
    }
    if (lanes.any_fast) {
        atomic_fetch_or(&narrow->found, PH_FOUND_FAST);
    }
}

// Whether a pair of a part has come into range or left it, of those that were examined.
static bool differs(const NarrowPass *narrow, uint32_t first, uint32_t last) {
    const uint8_t *next = narrow->world->next_active, *flags = narrow->pairs->flags;
    uint8_t any = 0;
    for (uint32_t k = first; k < last; k++) {
        uint8_t looked_at = (uint8_t) ~(next[k] >> 7); // bit 0; not PH_ANSWER_FROZEN
        any |= (uint8_t)((next[k] ^ flags[k]) & looked_at & PH_PAIR_ACTIVE);
    }
    return any != 0;
}

static void run_part(void *context, uint32_t chunk) {
    NarrowPass *narrow = context;
    PhWorld *world = narrow->world;
    if (ph_stop_wanted(world->stop)) {
        return; // and the step is undone
    }
    uint32_t first = chunk * CHUNK_PAIRS, left = narrow->count - first;
    uint32_t count = left < CHUNK_PAIRS ? left : CHUNK_PAIRS, last = first + count;
    Part part;
    uint8_t any = 0;
    if (narrow->list) {
        part.count = count;
        memcpy(part.list, narrow->list + first, count * sizeof *part.list);
    } else if (narrow->all_stir) {
        part.count = count;
        memset(world->next_active + first, PH_ANSWER_NEAR, count);
        for (uint32_t i = 0; i < count; i++) {
            part.list[i] = first + i;
        }
    } else {
        any = choose_pairs(narrow, first, last, &part);
    }
    if (!narrow->list && narrow->first) {
        memset(world->approach + first, 0, count * sizeof *world->approach);
        memset(world->later + first, 0, count * sizeof *world->later);
    }
    group_by_type(narrow, &part);
    run_chosen(narrow, &part, narrow->list || !were_near(narrow->pairs, first, last));
    unsigned found = any & PH_NARROW_SLEEPS ? PH_FOUND_SLEEPER : 0u;
    if (!narrow->list && !narrow->floors && differs(narrow, first, last)) {
        found |= PH_FOUND_DIFFERENCE;
    }
    if (found) {
        atomic_fetch_or(&narrow->found, found);
    }
}

// A merged piece as the kernels read it; what is in `window` counts if there is a kernel.
static PhManifoldKernel *see_merged(const NarrowPass *narrow, const PhFlushPiece *merged,
                                    Group *group, PhLanePiece *window) {
    const PhWorld *world = narrow->world;
    uint32_t slot = world->proxies.body[narrow->pairs->other[merged->lead]];
    PhLanePlace place;
    group->a = ph_lane_kind_of(world->narrow_flags[narrow->pairs->owner[merged->lead]]);
    group->b = ph_lane_piece_init(&merged->piece, &world->lengths, &place, window);
    if (group->b == PH_LANE_RING_4) { // it has no ring
        return NULL;
    }
    PhVec2 center = {world->center[slot][0], world->center[slot][1]};
    ph_lane_piece_move(window, &place, world->transform[slot], center,
                       ph_slot_velocity(world, slot), world->state->angular_velocity[slot]);
    return narrow->kernels->manifold[group->a][group->b];
}

// What is met by those that have flush pieces below them, by the pair that stands for these.
static void look_at_floors(NarrowPass *narrow) {
    PhWorld *world = narrow->world;
    PhFlush *flush = &world->flush;
    PhLanePairs lanes = lanes_of(narrow);
    PhLanePiece window[WINDOWS];
    uint32_t pair[WINDOWS], room[WINDOWS], seen = 0;
    Group group = {0}, next = {0};
    PhManifoldKernel *kernel = NULL;
    ph_flush_find(world, narrow->first);
    lanes.window = window;
    lanes.window_is_b = true;
    for (uint32_t s = flush->fresh; s < flush->merged_count; s++) {
        const PhFlushPiece *merged = &flush->merged[s];
        for (uint32_t m = 0; m < merged->count; m++) {
            uint32_t k = flush->member[merged->first + m].pair;
            world->next_active[k] = PH_ANSWER_APART;
            world->approach[k] = 0;
        }
        PhLanePiece piece;
        PhManifoldKernel *own = see_merged(narrow, merged, &next, &piece);
        if (own != kernel || seen == WINDOWS) {
            if (seen > 0) {
                run(narrow, &group, kernel, &lanes, pair, seen, room);
            }
            seen = 0;
        }
        kernel = own;
        group = next;
        world->next_active[merged->lead] = PH_ANSWER_NEAR;
        pair[seen] = merged->lead;
        if (kernel) {
            window[seen++] = piece;
        } else {
            collide_exactly(narrow, pair, 1);
        }
    }
    if (seen > 0) {
        run(narrow, &group, kernel, &lanes, pair, seen, room);
    }
    if (lanes.any_fast) {
        atomic_fetch_or(&narrow->found, PH_FOUND_FAST);
    }
}

static unsigned run_parts(NarrowPass *narrow) {
    narrow->kernels = ph_simd_manifolds(narrow->world->kernels);
    ph_jobs_run(narrow->world->jobs, run_part, narrow,
                narrow->count / CHUNK_PAIRS + (narrow->count % CHUNK_PAIRS != 0));
    if (narrow->floors) {
        look_at_floors(narrow);
    }
    if (atomic_load(&narrow->found) & PH_FOUND_PASSING) {
        atomic_fetch_or(&narrow->found, ph_judge_passing(narrow->world, narrow->pairs, narrow->dt));
    }
    if (atomic_load(&narrow->found) & PH_FOUND_AHEAD) {
        atomic_fetch_or(&narrow->found, ph_judge_ahead(narrow->world, narrow->pairs, narrow->dt));
    }
    if (narrow->floors) {
        ph_flush_part(narrow->world);
        bool changed = differs(narrow, 0, narrow->count);
        atomic_fetch_or(&narrow->found, changed ? PH_FOUND_DIFFERENCE : 0u);
    }
    unsigned found = atomic_load(&narrow->found);
    narrow->world->fast |= (found & PH_FOUND_FAST) != 0;
    return found;
}

// Examines the pairs that stir and were not examined. Without sleepers every pair has a member
// that does: its owner.
static unsigned run_pairs(PhWorld *world, double dt, bool first) {
    NarrowPass narrow = {.world = world,
                         .pairs = &world->broad.pairs,
                         .count = world->broad.pairs.count,
                         .first = first,
                         .all_stir = first && !world->has_sleepers,
                         .floors = world->flush.run_count > 0,
                         .dt = dt,
                         .surfaces = ph_world_surfaces(world)};
    return run_parts(&narrow);
}

void ph_examine_pairs(PhWorld *world, const PhPairList *pairs, const uint32_t *list, uint32_t count,
                      double dt) {
    NarrowPass narrow = {.world = world,
                         .pairs = pairs,
                         .list = list,
                         .count = count,
                         .dt = dt,
                         .surfaces = ph_world_surfaces(world)};
    (void)run_parts(&narrow);
}

// Room for what is found of so many pairs.
static PhStatus reserve_pairs(PhWorld *world, uint32_t count) {
    const PhColumn columns[] = {PH_PAIR_COLUMNS(PH_COLUMN)};
    PH_FEW_COLUMNS(columns);
    return ph_grow_columns(columns, sizeof columns / sizeof columns[0], &world->pair_capacity,
                           count, NULL);
}

PhStatus ph_narrow_phase(PhWorld *world, double dt, bool all, bool *woke, bool *changed) {
    const PhPairList *pairs = &world->broad.pairs;
    PhStatus status = reserve_pairs(world, pairs->count);
    status = status ? status : ph_proxies_make_rings(world);
    status = status ? status : ph_flush_reserve(world);
    if (status) {
        return status;
    }
    uint32_t woken = world->woken_count;
    ph_proxies_flag(world);
    world->fast = false;
    unsigned found = run_pairs(world, dt, true);
    if (found & PH_FOUND_SLEEPER) {
        ph_wake_in_range(world, pairs);
    }
    *woke = world->woken_count != woken;
    if (*woke) {
        const PhPairList *reached = all ? pairs : &world->broad.rest;
        status = reserve_pairs(world, reached->count);
        status = status ? status : ph_spread_waking(world, reached, dt);
        if (status || !all) {
            return status;
        }
        ph_proxies_flag(world);
        found |= run_pairs(world, dt, false);
    }
    *changed |= (found & PH_FOUND_DIFFERENCE) != 0;
    return ph_stop_wanted(world->stop) ? PH_ERROR_STOPPED : PH_OK;
}

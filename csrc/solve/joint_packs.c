// Packs of articulations: which articulations share the lanes of articulation_source.h.
//
// Articulations of a pack have one shape: the same tree of solver bodies and kinds of joints, with
// the same fixed bodies. Trees, which are solved together with everything that joins their bodies,
// share no dynamic body. Other articulations may, and get colors by a greedy choice in their order.
// Articulations of a color share no body; those without a free color are in the last one, in packs
// of one. In a substep springs come first, color by color, then single joints, then trees.
//
// Invariant: packs depend on the articulations alone, and a lane computes nothing that depends on
// other lanes.
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "solve/articulations.h"

enum { COLORS = 32, SERIAL_COLOR = COLORS, RANKS = COLORS + 1 };
enum { RANK_SPRINGS, RANK_ISOLATED = RANKS, RANK_TREE = 2 * RANKS };

typedef struct Build {
    PhJointLayout *own;
    const PhSolverBodies *bodies;
    uint64_t works, solver_bodies, data, scratch; // of packs so far; the last two in 64 bytes
} Build;

static const PhJoint *joint_at(const Build *build, uint32_t joint) {
    return &build->bodies->joints->joint[joint];
}

// ------------------------------------------------------------------------------------------------
// shapes

// Links, then loop closures.
static uint32_t count_links(const PhArticulation *articulation) {
    return articulation->link_count + articulation->closure_count;
}

// What a link or loop closure must have in common with those of other articulations, in two words.
static uint64_t link_shape(const Build *build, const PhArticulation *articulation, uint32_t l,
                           uint64_t *ends) {
    const PhJointLayout *own = build->own;
    const PhJointLink *link = &own->links[articulation->first_link + l];
    const PhJointEnds *at = &own->ends[link->work];
    const PhJoint *joint = joint_at(build, at->joint);
    uint64_t word = joint->kind | (uint64_t)ph_joint_rigid_rows(joint) << 4 |
                    (uint64_t)ph_joint_axis_rows(joint) << 7 | (uint64_t)joint->sprung_rows << 10;
    bool turned = own->bodies[articulation->first_body + link->child].solver_body == at->solver_a;
    for (int k = 0; at->gear && k < 2; k++) {
        const PhJointEnds *part = &own->gears[at->gear - 1].part[k];
        word |= (uint64_t)joint_at(build, part->joint)->kind << (14 + 4 * k);
        word = ph_joint_mix(word, link->frame[k]);
    }
    *ends = (uint64_t)link->child << 32 | link->parent;
    return word | (uint64_t)turned << 13 | (uint64_t)ph_joint_is_apart(joint) << 22 |
           (uint64_t)joint->firm_rows << 23;
}

static uint64_t hash_shape(const Build *build, const PhArticulation *articulation) {
    const PhJointBody *bodies = build->own->bodies + articulation->first_body;
    uint64_t hash =
        ph_joint_mix(articulation->link_count,
                     (uint64_t)articulation->closure_count << 32 | articulation->body_count);
    uint64_t ends;
    hash = ph_joint_mix(hash, (uint64_t)articulation->root << 1 | articulation->joints_only);
    for (uint32_t l = 0; l < count_links(articulation); l++) {
        hash = ph_joint_mix(hash, link_shape(build, articulation, l, &ends));
        hash = ph_joint_mix(hash, ends);
    }
    for (uint32_t i = 0; i < articulation->body_count; i++) {
        hash = ph_joint_mix(hash, bodies[i].fixed);
    }
    return hash;
}

static bool same_shape(const Build *build, const PhArticulation *a, const PhArticulation *b) {
    const PhJointBody *of_a = build->own->bodies + a->first_body;
    const PhJointBody *of_b = build->own->bodies + b->first_body;
    bool same = a->link_count == b->link_count && a->closure_count == b->closure_count &&
                a->body_count == b->body_count && a->root == b->root &&
                a->joints_only == b->joints_only;
    for (uint32_t l = 0; same && l < count_links(a); l++) {
        uint64_t ends_a, ends_b;
        same = link_shape(build, a, l, &ends_a) == link_shape(build, b, l, &ends_b) &&
               ends_a == ends_b;
    }
    for (uint32_t i = 0; same && i < a->body_count; i++) {
        same = of_a[i].fixed == of_b[i].fixed;
    }
    return same;
}

// ------------------------------------------------------------------------------------------------
// order

static bool less_member(const void *a, const void *b, const void *context) {
    const PhArticulationMember *x = a, *y = b;
    (void)context;
    return x->rank != y->rank     ? x->rank < y->rank
           : x->shape != y->shape ? x->shape < y->shape
                                  : x->articulation < y->articulation;
}

// Colors taken by the dynamic bodies of an articulation are in place[], as bits.
static uint32_t pick_color(const Build *build, const PhArticulation *articulation) {
    const PhJointBody *bodies = build->own->bodies + articulation->first_body;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < articulation->body_count; i++) {
        taken |= bodies[i].fixed ? 0 : build->own->place[bodies[i].solver_body];
    }
    uint32_t bit = ~taken & (taken + 1);
    for (uint32_t i = 0; i < articulation->body_count; i++) {
        if (!bodies[i].fixed) {
            build->own->place[bodies[i].solver_body] |= bit;
        }
    }
    return bit ? (uint32_t)__builtin_ctz(bit) : SERIAL_COLOR;
}

// Members of a batch from `count` on, of articulations that are solved or are not.
static uint32_t list_members(const Build *build, const PhIslandBatch *batch, bool solves,
                             uint32_t count) {
    PhJointLayout *own = build->own;
    if (batch->articulation_count == 0) {
        return count;
    }
    memset(own->place + batch->first_solver_body, 0,
           ph_batch_solver_bodies(batch) * sizeof *own->place);
    for (uint32_t u = batch->first_articulation;
         u < batch->first_articulation + batch->articulation_count; u++) {
        const PhArticulation *articulation = &own->articulations[u];
        if (articulation->hinged || articulation->solves != solves) {
            continue;
        }
        uint32_t rank = articulation->direct ? RANK_TREE
                                             : (solves ? RANK_ISOLATED : RANK_SPRINGS) +
                                                   pick_color(build, articulation);
        own->articulation_members[count++] =
            (PhArticulationMember){hash_shape(build, articulation), u, rank};
    }
    return count;
}

// ------------------------------------------------------------------------------------------------
// packs

// A link that stands for a gear among the loop closures; while links name joints at work.
static bool is_bare(const PhJointLayout *own, const PhArticulation *articulation, uint32_t l) {
    return l < articulation->link_count &&
           own->ends[own->links[articulation->first_link + l].work].gear;
}

// Numbers the works of an articulation in order of links, then loop closures; a bare link has that
// of its gear. Returns how many there are.
static uint32_t number_works(const PhJointLayout *own, const PhArticulation *articulation,
                             uint32_t *number) {
    const PhJointLink *links = own->links + articulation->first_link;
    uint32_t count = 0;
    for (uint32_t l = 0; l < count_links(articulation); l++) {
        if (!is_bare(own, articulation, l)) {
            number[l] = count++;
        }
    }
    for (uint32_t l = 0; l < articulation->link_count; l++) {
        for (uint32_t c = articulation->link_count;
             is_bare(own, articulation, l) && c < count_links(articulation); c++) {
            if (links[c].work == links[l].work) {
                number[l] = number[c];
            }
        }
    }
    return count;
}

static void fill_work(const Build *build, const PhArticulation *articulation,
                      const PhJointLink *link, PhArticulationWork *work, uint32_t *gears) {
    const PhJointLayout *own = build->own;
    const PhJointBody *bodies = own->bodies + articulation->first_body;
    const PhJointEnds *ends = &own->ends[link->work];
    const PhJoint *joint = joint_at(build, ends->joint);
    const PhJointKindInfo *info = ph_joint_kind((PhJointKind)joint->kind);
    bool turned = bodies[link->child].solver_body == ends->solver_a;
    memset(work, 0, sizeof *work);
    work->kind = (PhJointKind)joint->kind;
    work->side[0] = turned ? link->child : link->parent;
    work->side[1] = turned ? link->parent : link->child;
    work->limited = info->limited;
    work->motored = info->motored;
    work->rigid = ph_joint_rigid_rows(joint);
    work->axis = ph_joint_axis_rows(joint);
    work->sprung = joint->sprung_rows;
    work->firm = joint->firm_rows;
    work->apart =
        work->sprung == info->sprung && !work->rigid && (info->even || ph_joint_is_apart(joint));
    work->pin = info->hinge && work->rigid == 3 && work->axis == 0;
    work->distance = info->distance;
    work->stop = -1;
    work->holds = (uint8_t)(work->rigid | work->firm);
    if (info->limited >= 0 && work->firm >> info->limited & 1) {
        work->stop = info->limited;
        work->limited = -1;
        work->holds &= (uint8_t) ~(1u << info->limited);
    }
    memcpy(work->frame, link->frame, sizeof work->frame);
    if (!ends->gear) {
        return;
    }
    work->gear = ++*gears;
    for (int k = 0; k < 2; k++) {
        const PhJoint *part = joint_at(build, own->gears[ends->gear - 1].part[k].joint);
        work->part[k] = (PhJointKind)part->kind;
        work->coordinate[k] = ph_joint_kind((PhJointKind)part->kind)->coordinates;
    }
}

// Solver bodies and works of a pack. Its links name its works from now on.
static void fill_pack(const Build *build, PhJointPack *pack) {
    PhJointLayout *own = build->own;
    const PhArticulationMember *members = own->articulation_members + pack->first_member;
    uint32_t *solver_bodies = own->pack_bodies + pack->first_solver_body, *number = own->edge;
    uint32_t gears = 0;
    for (uint32_t lane = 0; lane < pack->width; lane++) {
        const PhArticulation *articulation =
            &own->articulations[members[lane < pack->count ? lane : 0].articulation];
        const PhJointLink *links = own->links + articulation->first_link;
        for (uint32_t i = 0; i < articulation->body_count; i++) {
            solver_bodies[i * pack->width + lane] =
                own->bodies[articulation->first_body + i].solver_body;
        }
        number_works(own, articulation, number);
        for (uint32_t l = 0; l < count_links(articulation); l++) {
            if (is_bare(own, articulation, l)) {
                continue;
            }
            PhArticulationWork *work = &own->articulation_works[pack->first_work + number[l]];
            if (lane == 0) {
                fill_work(build, articulation, &links[l], work, &gears);
            }
            work->joint[lane] = own->ends[links[l].work].joint;
            pack->sprung |= (work->sprung | work->firm) != 0;
            pack->leans |= work->sprung && __builtin_popcount(work->rigid) > 1 &&
                           !ph_joint_kind(work->kind)->hinge && pack->direct &&
                           pack->work_count > 1;
        }
    }
    for (uint32_t l = 0; l < pack->link_count + pack->closure_count; l++) {
        own->links[pack->first_link + l].work = number[l]; // the last lane's are the same
    }
}

static uint32_t count_gears(const PhJointLayout *own, const PhArticulation *articulation) {
    uint32_t count = 0;
    for (uint32_t l = articulation->link_count; l < count_links(articulation); l++) {
        count += own->ends[own->links[articulation->first_link + l].work].gear != 0;
    }
    return count;
}

static uint64_t data_size(const PhJointPack *pack) { // in multiples of 64 bytes
    uint64_t works = (uint64_t)pack->work_count * sizeof(PhArticulationFields);
    uint64_t parts = (uint64_t)pack->gear_count * 2 * sizeof(PhArticulationPlace);
    return ((works + parts) * pack->width + 63) / 64;
}

// Whether an articulation has nothing but rows that are held whatever happens, and no loops: then
// contacts never make it begin again.
static bool is_plain(const Build *build, const PhArticulation *articulation) {
    const PhJointLayout *own = build->own;
    bool plain = articulation->closure_count == 0 && articulation->link_count > 1;
    for (uint32_t l = 0; plain && l < articulation->link_count; l++) {
        const PhJointEnds *ends = &own->ends[own->links[articulation->first_link + l].work];
        plain = !ends->gear && !ph_joint_axis_rows(joint_at(build, ends->joint));
    }
    return plain;
}

// Divides the members of a batch into packs, which share one scratch. Of an articulated batch each
// has its own, and where there are others than plain ones, one articulation.
static void split_batch(Build *build, PhIslandBatch *batch, uint32_t first, uint32_t last) {
    PhJointLayout *own = build->own;
    const PhArticulationMember *members = own->articulation_members;
    uint64_t most = 0;
    bool abreast = true;
    for (uint32_t m = first; m < last && batch->articulated && abreast; m++) {
        abreast = is_plain(build, &own->articulations[members[m].articulation]);
    }
    batch->first_joint_pack = own->joint_pack_count;
    for (uint32_t m = first; m < last;) {
        const PhArticulation *articulation = &own->articulations[members[m].articulation];
        uint32_t rank = members[m].rank, count = 1;
        bool several =
            (rank == RANK_TREE && abreast) || (rank != RANK_TREE && rank % RANKS != SERIAL_COLOR);
        while (
            several && count < PH_ARTICULATION_LANES && m + count < last &&
            members[m + count].rank == rank && members[m + count].shape == members[m].shape &&
            same_shape(build, articulation, &own->articulations[members[m + count].articulation])) {
            count++;
        }
        PhJointPack *pack = &own->joint_packs[own->joint_pack_count++];
        *pack = (PhJointPack){.scratch = build->scratch * 64,
                              .first_member = m,
                              .first_body = articulation->first_body,
                              .first_solver_body = (uint32_t)build->solver_bodies,
                              .first_link = articulation->first_link,
                              .link_count = articulation->link_count,
                              .closure_count = articulation->closure_count,
                              .body_count = articulation->body_count,
                              .root = articulation->root,
                              .first_work = (uint32_t)build->works,
                              .work_count = number_works(own, articulation, own->edge),
                              .width = count == 1 ? 1 : PH_ARTICULATION_LANES,
                              .count = count,
                              .first_data = (uint32_t)build->data,
                              .gear_count = count_gears(own, articulation),
                              .solves = articulation->solves,
                              .direct = articulation->direct,
                              .joints_only = articulation->joints_only,
                              .articulated = batch->articulated};
        uint64_t scratch =
            pack->width * ph_articulation_scratch(pack->body_count, count_links(articulation));
        if (batch->articulated) { // factors stay for contacts
            build->scratch += (scratch + 63) / 64;
            scratch = 0;
        }
        most = scratch > most ? scratch : most;
        build->works += pack->work_count;
        build->solver_bodies += (uint64_t)pack->body_count * pack->width;
        build->data += data_size(pack);
        m += count;
    }
    build->scratch += (most + 63) / 64;
    batch->joint_pack_count = own->joint_pack_count - batch->first_joint_pack;
}

PhStatus ph_articulations_build(PhLayout *layout, const PhSolverBodies *bodies,
                                uint32_t articulations) {
    PhJointLayout *own = &layout->arrays->joints;
    Build build = {.own = own, .bodies = bodies};
    uint32_t members = 0;
    own->joint_pack_count = 0;
    if (PH_RESERVE(own->articulation_members, articulations) ||
        PH_RESERVE(own->joint_packs, articulations)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        PhIslandBatch *batch = &layout->arrays->batches[b];
        uint32_t first = members;
        members = list_members(&build, batch, false, members);
        members = list_members(&build, batch, true, members);
        ph_sort(own->articulation_members + first, members - first,
                sizeof *own->articulation_members, less_member, NULL);
        split_batch(&build, batch, first, members);
    }
    if (build.works > UINT32_MAX || build.solver_bodies > UINT32_MAX || build.data > UINT32_MAX ||
        PH_RESERVE(own->articulation_works, build.works) ||
        PH_RESERVE(own->pack_bodies, build.solver_bodies) ||
        ph_reserve(&own->articulation_data, build.data, 64) ||
        ph_reserve(&own->articulation_scratch, build.scratch, 64)) {
        own->joint_pack_count = 0;
        return PH_ERROR_MEMORY;
    }
    if (build.data) {
        memset(own->articulation_data, 0, build.data * 64);
    }
    for (uint32_t k = 0; k < own->joint_pack_count; k++) {
        fill_pack(&build, &own->joint_packs[k]);
    }
    return PH_OK;
}

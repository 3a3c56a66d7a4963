// Blocks of units: which units go through the lanes of joint_unit_source.h together.
//
// Units of a block have one shape: who hangs on whom by which kind with which rows, and who is
// fixed. Units that are solved at once with all that joins their bodies, trees, share no dynamic
// body. Others may, and get colors by a greedy choice in their order: units of a color share none,
// and the last color, of those that found none, has blocks of one. In a substep springs come first,
// color by color, then joints alone, then trees.
//
// Invariant: blocks depend on the units alone, and what a lane computes not on the others.
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "solve/joint_units.h"

enum { COLORS = 32, OVERFLOW = COLORS, RANKS = COLORS + 1 };
enum { RANK_SPRINGS, RANK_ALONE = RANKS, RANK_TREE = 2 * RANKS };

typedef struct Build {
    PhJointLayout *own;
    const PhSolverBodies *bodies;
    uint64_t works, rows, data, scratch; // of blocks so far; the last two in 64 bytes
} Build;

static const PhJoint *joint_at(const Build *build, uint32_t joint) {
    return &build->bodies->joints->joint[joint];
}

// ------------------------------------------------------------------------------------------------
// shapes

// Links, then cuts.
static uint32_t count_links(const PhJointUnit *unit) {
    return unit->link_count + unit->cut_count;
}

// What a link or cut must have in common with those of other units, in two words.
static uint64_t link_shape(const Build *build, const PhJointUnit *unit, uint32_t l,
                           uint64_t *ends) {
    const PhJointLayout *own = build->own;
    const PhJointLink *link = &own->links[unit->first_link + l];
    const PhJointEnds *at = &own->ends[link->work];
    const PhJoint *joint = joint_at(build, at->joint);
    uint64_t word = joint->kind | (uint64_t)ph_joint_rigid_rows(joint) << 4 |
                    (uint64_t)ph_joint_axis_rows(joint) << 7 |
                    (uint64_t)ph_joint_sprung_rows(joint) << 10;
    bool turned = own->bodies[unit->first_body + link->child].row == at->row_a;
    for (int k = 0; at->gear && k < 2; k++) {
        const PhJointEnds *part = &own->gears[at->gear - 1].part[k];
        word |= (uint64_t)joint_at(build, part->joint)->kind << (14 + 4 * k);
        word = ph_joint_mix(word, link->frame[k]);
    }
    *ends = (uint64_t)link->child << 32 | link->parent;
    return word | (uint64_t)turned << 13 | (uint64_t)ph_joint_is_apart(joint) << 22;
}

static uint64_t hash_shape(const Build *build, const PhJointUnit *unit) {
    const PhJointBody *bodies = build->own->bodies + unit->first_body;
    uint64_t hash =
        ph_joint_mix(unit->link_count, (uint64_t)unit->cut_count << 32 | unit->body_count);
    uint64_t ends;
    hash = ph_joint_mix(hash, (uint64_t)unit->root << 1 | unit->swings);
    for (uint32_t l = 0; l < count_links(unit); l++) {
        hash = ph_joint_mix(hash, link_shape(build, unit, l, &ends));
        hash = ph_joint_mix(hash, ends);
    }
    for (uint32_t i = 0; i < unit->body_count; i++)
        hash = ph_joint_mix(hash, bodies[i].fixed);
    return hash;
}

static bool same_shape(const Build *build, const PhJointUnit *a, const PhJointUnit *b) {
    const PhJointBody *of_a = build->own->bodies + a->first_body;
    const PhJointBody *of_b = build->own->bodies + b->first_body;
    bool same = a->link_count == b->link_count && a->cut_count == b->cut_count &&
                a->body_count == b->body_count && a->root == b->root && a->swings == b->swings;
    for (uint32_t l = 0; same && l < count_links(a); l++) {
        uint64_t ends_a, ends_b;
        same = link_shape(build, a, l, &ends_a) == link_shape(build, b, l, &ends_b) &&
               ends_a == ends_b;
    }
    for (uint32_t i = 0; same && i < a->body_count; i++)
        same = of_a[i].fixed == of_b[i].fixed;
    return same;
}

// ------------------------------------------------------------------------------------------------
// order

static bool less_member(const void *a, const void *b, const void *context) {
    const PhUnitMember *x = a, *y = b;
    (void)context;
    return x->rank != y->rank     ? x->rank < y->rank
           : x->shape != y->shape ? x->shape < y->shape
                                  : x->unit < y->unit;
}

// Colors taken by the dynamic bodies of a unit are in place[], as bits.
static uint32_t pick_color(const Build *build, const PhJointUnit *unit) {
    const PhJointBody *bodies = build->own->bodies + unit->first_body;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < unit->body_count; i++)
        taken |= bodies[i].fixed ? 0 : build->own->place[bodies[i].row];
    uint32_t bit = ~taken & (taken + 1);
    for (uint32_t i = 0; i < unit->body_count; i++)
        if (!bodies[i].fixed)
            build->own->place[bodies[i].row] |= bit;
    return bit ? (uint32_t)__builtin_ctz(bit) : OVERFLOW;
}

// Members of a bin from `count` on, of units that are solved or are not.
static uint32_t list_members(const Build *build, const PhBin *bin, bool solves, uint32_t count) {
    PhJointLayout *own = build->own;
    memset(own->place + bin->first_row, 0, ph_bin_rows(bin) * sizeof *own->place);
    for (uint32_t u = bin->first_unit; u < bin->first_unit + bin->unit_count; u++) {
        const PhJointUnit *unit = &own->units[u];
        if (unit->hinged || unit->solves != solves)
            continue;
        uint32_t rank = unit->direct
                            ? RANK_TREE
                            : (solves ? RANK_ALONE : RANK_SPRINGS) + pick_color(build, unit);
        own->unit_members[count++] = (PhUnitMember){hash_shape(build, unit), u, rank};
    }
    return count;
}

// ------------------------------------------------------------------------------------------------
// blocks

// A link that stands for a gear among the cuts; while links name joints at work.
static bool is_bare(const PhJointLayout *own, const PhJointUnit *unit, uint32_t l) {
    return l < unit->link_count && own->ends[own->links[unit->first_link + l].work].gear;
}

// Numbers the works of a unit in order of links, then cuts; a bare link has that of its gear.
// Returns how many there are.
static uint32_t number_works(const PhJointLayout *own, const PhJointUnit *unit, uint32_t *number) {
    const PhJointLink *links = own->links + unit->first_link;
    uint32_t count = 0;
    for (uint32_t l = 0; l < count_links(unit); l++)
        if (!is_bare(own, unit, l))
            number[l] = count++;
    for (uint32_t l = 0; l < unit->link_count; l++)
        for (uint32_t c = unit->link_count; is_bare(own, unit, l) && c < count_links(unit); c++)
            if (links[c].work == links[l].work)
                number[l] = number[c];
    return count;
}

static void fill_work(const Build *build, const PhJointUnit *unit, const PhJointLink *link,
                      PhUnitWork *work, uint32_t *gears) {
    const PhJointLayout *own = build->own;
    const PhJointBody *bodies = own->bodies + unit->first_body;
    const PhJointEnds *ends = &own->ends[link->work];
    const PhJoint *joint = joint_at(build, ends->joint);
    const PhJointKindInfo *info = ph_joint_kind((PhJointKind)joint->kind);
    bool turned = bodies[link->child].row == ends->row_a;
    memset(work, 0, sizeof *work);
    work->kind = (PhJointKind)joint->kind;
    work->side[0] = turned ? link->child : link->parent;
    work->side[1] = turned ? link->parent : link->child;
    work->limited = info->limited;
    work->motored = info->motored;
    work->rigid = ph_joint_rigid_rows(joint);
    work->axis = ph_joint_axis_rows(joint);
    work->sprung = ph_joint_sprung_rows(joint);
    work->apart = work->sprung == 7 && ph_joint_is_apart(joint);
    if (!ends->gear)
        return;
    work->gear = ++*gears;
    for (int k = 0; k < 2; k++) {
        const PhJoint *part = joint_at(build, own->gears[ends->gear - 1].part[k].joint);
        work->part[k] = (PhJointKind)part->kind;
        work->coordinate[k] = ph_joint_kind((PhJointKind)part->kind)->coordinates;
    }
}

// Rows and works of a block. Its links name its works from now on.
static void fill_block(const Build *build, PhJointBlock *block) {
    PhJointLayout *own = build->own;
    const PhUnitMember *members = own->unit_members + block->first_member;
    uint32_t *rows = own->unit_rows + block->first_row, *number = own->edge;
    uint32_t gears = 0;
    for (uint32_t lane = 0; lane < block->width; lane++) {
        const PhJointUnit *unit = &own->units[members[lane < block->count ? lane : 0].unit];
        const PhJointLink *links = own->links + unit->first_link;
        for (uint32_t i = 0; i < unit->body_count; i++)
            rows[i * block->width + lane] = own->bodies[unit->first_body + i].row;
        number_works(own, unit, number);
        for (uint32_t l = 0; l < count_links(unit); l++) {
            if (is_bare(own, unit, l))
                continue;
            PhUnitWork *work = &own->unit_works[block->first_work + number[l]];
            if (lane == 0)
                fill_work(build, unit, &links[l], work, &gears);
            work->joint[lane] = own->ends[links[l].work].joint;
            block->sprung |= work->sprung != 0;
            block->leans |= work->sprung && __builtin_popcount(work->rigid) > 1 &&
                            work->kind != PH_JOINT_REVOLUTE && block->direct &&
                            block->work_count > 1;
        }
    }
    for (uint32_t l = 0; l < block->link_count + block->cut_count; l++)
        own->links[block->first_link + l].work = number[l]; // the last lane's are the same
}

static uint32_t count_gears(const PhJointLayout *own, const PhJointUnit *unit) {
    uint32_t count = 0;
    for (uint32_t l = unit->link_count; l < count_links(unit); l++)
        count += own->ends[own->links[unit->first_link + l].work].gear != 0;
    return count;
}

static uint64_t data_size(const PhJointBlock *block) { // in units of 64 bytes
    uint64_t works = (uint64_t)block->work_count * sizeof(PhUnitFields);
    uint64_t parts = (uint64_t)block->gear_count * 2 * sizeof(PhUnitPlace);
    return ((works + parts) * block->width + 63) / 64;
}

// Cuts the members of a bin into blocks, which share one scratch.
static void cut_bin(Build *build, PhBin *bin, uint32_t first, uint32_t last) {
    PhJointLayout *own = build->own;
    const PhUnitMember *members = own->unit_members;
    uint64_t most = 0;
    bin->first_unit_block = own->unit_block_count;
    for (uint32_t m = first; m < last;) {
        const PhJointUnit *unit = &own->units[members[m].unit];
        uint32_t rank = members[m].rank, count = 1;
        bool several = (rank == RANK_TREE && !bin->articulated) ||
                       (rank != RANK_TREE && rank % RANKS != OVERFLOW);
        while (several && count < PH_UNIT_LANES && m + count < last &&
               members[m + count].rank == rank && members[m + count].shape == members[m].shape &&
               same_shape(build, unit, &own->units[members[m + count].unit]))
            count++;
        PhJointBlock *block = &own->unit_blocks[own->unit_block_count++];
        *block = (PhJointBlock){.scratch = build->scratch * 64,
                                .first_member = m,
                                .first_body = unit->first_body,
                                .first_row = (uint32_t)build->rows,
                                .first_link = unit->first_link,
                                .link_count = unit->link_count,
                                .cut_count = unit->cut_count,
                                .body_count = unit->body_count,
                                .root = unit->root,
                                .first_work = (uint32_t)build->works,
                                .work_count = number_works(own, unit, own->edge),
                                .width = count == 1 ? 1 : PH_UNIT_LANES,
                                .count = count,
                                .first_data = (uint32_t)build->data,
                                .gear_count = count_gears(own, unit),
                                .solves = unit->solves,
                                .direct = unit->direct,
                                .swings = unit->swings,
                                .articulated = bin->articulated};
        uint64_t scratch = block->width * ph_unit_scratch(block->body_count, count_links(unit));
        if (bin->articulated) { // factors stay for contacts
            build->scratch += (scratch + 63) / 64;
            scratch = 0;
        }
        most = scratch > most ? scratch : most;
        build->works += block->work_count;
        build->rows += (uint64_t)block->body_count * block->width;
        build->data += data_size(block);
        m += count;
    }
    build->scratch += (most + 63) / 64;
    bin->unit_block_count = own->unit_block_count - bin->first_unit_block;
}

PhStatus ph_units_build(PhLayout *layout, const PhSolverBodies *bodies) {
    PhJointLayout *own = &layout->arrays->joints;
    Build build = {.own = own, .bodies = bodies};
    uint32_t members = 0;
    own->unit_block_count = 0;
    if (ph_reserve_array(&own->unit_members, &own->unit_member_capacity, own->unit_count,
                         sizeof *own->unit_members) ||
        ph_reserve_array(&own->unit_blocks, &own->unit_block_capacity, own->unit_count,
                         sizeof *own->unit_blocks))
        return PH_ERROR_MEMORY;
    for (uint32_t b = 0; b < layout->bin_count; b++) {
        PhBin *bin = &layout->arrays->bins[b];
        uint32_t first = members;
        members = list_members(&build, bin, false, members);
        members = list_members(&build, bin, true, members);
        ph_sort(own->unit_members + first, members - first, sizeof *own->unit_members, less_member,
                NULL);
        cut_bin(&build, bin, first, members);
    }
    if (build.works > UINT32_MAX || build.rows > UINT32_MAX || build.data > UINT32_MAX ||
        ph_reserve_array(&own->unit_works, &own->unit_work_capacity, build.works,
                         sizeof *own->unit_works) ||
        ph_reserve_array(&own->unit_rows, &own->unit_row_capacity, build.rows,
                         sizeof *own->unit_rows) ||
        ph_reserve_array(&own->unit_data, &own->unit_data_capacity, build.data, 64) ||
        ph_reserve_array(&own->unit_scratch, &own->unit_scratch_capacity, build.scratch, 64)) {
        own->unit_block_count = 0;
        return PH_ERROR_MEMORY;
    }
    if (build.data)
        memset(own->unit_data, 0, build.data * 64);
    for (uint32_t k = 0; k < own->unit_block_count; k++)
        fill_block(&build, &own->unit_blocks[k]);
    return PH_OK;
}

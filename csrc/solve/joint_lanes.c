// Trees of pins that go through the lanes of joint_lanes_source.h: which, in which blocks, and what
// a step begins and ends with.
//
// A unit goes there when it is a tree without cuts and all its joints are revolute. Units of a bin
// with the same shape (who hangs on whom by what, and who is fixed) share blocks, in order; lanes
// that are left over repeat the first one and are not stored.
//
// Invariant: blocks depend on the units alone, and what a lane computes not on the others.
#include "solve/joint_lanes.h"

#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "math/trig.h"
#include "solve/joint_net.h"

enum {
    ARM_C,
    ARM_P = ARM_C + 2,
    GAP = ARM_P + 2,
    ANGLE = GAP + 2,
    LOWER,
    UPPER,
    SPEED,
    MOTOR,
    SPRING,
    TARGET = SPRING + 3,
    IMPULSE,
    FORCE = IMPULSE + 3,
    TORQUE = FORCE + 2,
    PULL_C,
    PULL_P,
    PUSH_STATE,
    RELAX_STATE,
    FIELDS,
};
_Static_assert((int)FIELDS == (int)PH_TREE_FIELDS, "fields of a link");

static uint32_t width_of(const PhLayout *layout) {
    uint32_t lanes = layout->arrays->kernels->lanes;
    return lanes > 1 ? lanes / 2 : 1;
}

// ------------------------------------------------------------------------------------------------
// layout

static const PhJoint *joint_of(const PhLayout *layout, const PhSolverBodies *bodies,
                               const PhJointLink *link) {
    return &bodies->joints->joint[layout->arrays->joints.ends[link->work].joint];
}

bool ph_tree_fits(const PhLayout *layout, const PhSolverBodies *bodies, const PhJointUnit *unit) {
    const PhJointLink *links = layout->arrays->joints.links + unit->first_link;
    if (!unit->direct || unit->cut_count)
        return false;
    for (uint32_t l = 0; l < unit->link_count; l++) {
        const PhJoint *joint = joint_of(layout, bodies, &links[l]);
        if (joint->kind != PH_JOINT_REVOLUTE || ph_joint_rigid_rows(joint) != 3)
            return false;
    }
    return true;
}

static uint8_t flags_of(const PhLayout *layout, const PhSolverBodies *bodies,
                        const PhJointUnit *unit, uint32_t l) {
    const PhJointLink *links = layout->arrays->joints.links + unit->first_link;
    const PhJoint *joint = joint_of(layout, bodies, &links[l]);
    unsigned flags = PH_TREE_LEAF;
    for (uint32_t i = l + 1; i < unit->link_count; i++)
        if (links[i].parent == links[l].child)
            flags = 0;
    flags |= ph_joint_axis_rows(joint) ? PH_TREE_AXIS : 0;
    return (uint8_t)(flags | (ph_joint_sprung_rows(joint) ? PH_TREE_SPRUNG : 0));
}

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

// What units of one block have in common, one word after the other.
typedef struct Shape {
    const PhLayout *layout;
    const PhSolverBodies *bodies;
    const PhJointUnit *unit;
} Shape;

static uint64_t shape_word(const Shape *shape, uint32_t i) {
    const PhJointLayout *own = &shape->layout->arrays->joints;
    const PhJointUnit *unit = shape->unit;
    if (i == 0)
        return unit->root;
    if (i <= unit->link_count) {
        const PhJointLink *link = &own->links[unit->first_link + i - 1];
        const PhJoint *joint = joint_of(shape->layout, shape->bodies, link);
        uint64_t ends = (uint64_t)link->child << 32 | link->parent;
        return ends << 2 ^ (ph_joint_axis_rows(joint) ? 1u : 0u) ^
               (ph_joint_sprung_rows(joint) ? 2u : 0u);
    }
    return own->bodies[unit->first_body + i - 1 - unit->link_count].fixed;
}

static uint64_t hash_shape(const Shape *shape) {
    uint32_t words = 1 + shape->unit->link_count + shape->unit->body_count;
    uint64_t hash = mix(shape->unit->link_count, shape->unit->body_count);
    for (uint32_t i = 0; i < words; i++)
        hash = mix(hash, shape_word(shape, i));
    return hash;
}

static bool same_shape(const Shape *a, const Shape *b) {
    uint32_t words = 1 + a->unit->link_count + a->unit->body_count;
    bool same =
        a->unit->link_count == b->unit->link_count && a->unit->body_count == b->unit->body_count;
    for (uint32_t i = 0; same && i < words; i++)
        same = shape_word(a, i) == shape_word(b, i);
    return same;
}

static bool less_member(const void *a, const void *b, const void *context) {
    const PhTreeMember *x = a, *y = b;
    (void)context;
    return x->hash != y->hash ? x->hash < y->hash : x->unit < y->unit;
}

// Numbers the shapes of members sorted by hash.
static void number_shapes(PhLayout *layout, const PhSolverBodies *bodies, uint32_t members,
                          uint32_t *shapes) {
    PhJointLayout *own = &layout->arrays->joints;
    for (uint32_t m = 0; m < members; m++) {
        PhJointUnit *unit = &own->units[own->tree_members[m].unit];
        Shape shape = {layout, bodies, unit}, before = shape;
        if (m > 0)
            before.unit = &own->units[own->tree_members[m - 1].unit];
        unit->shape = m > 0 && same_shape(&shape, &before) ? before.unit->shape : (*shapes)++;
    }
}

// Cuts the members of a bin, sorted by shape, into blocks.
static void cut_blocks(PhLayout *layout, PhBin *bin, uint32_t first, uint32_t last) {
    PhJointLayout *own = &layout->arrays->joints;
    uint32_t width = width_of(layout);
    bin->first_tree = own->tree_count;
    bin->tree_scratch = 0;
    ph_sort(own->tree_members + first, last - first, sizeof *own->tree_members, less_member, NULL);
    for (uint32_t m = first; m < last;) {
        const PhJointUnit *unit = &own->units[own->tree_members[m].unit];
        uint32_t count = 1;
        while (count < width && m + count < last &&
               own->tree_members[m + count].hash == own->tree_members[m].hash)
            count++;
        own->trees[own->tree_count++] = (PhTree){.first_member = m,
                                                 .count = count,
                                                 .link_count = unit->link_count,
                                                 .body_count = unit->body_count,
                                                 .first_link = unit->first_link,
                                                 .root = unit->root,
                                                 .swings = unit->swings,
                                                 .sprung = unit->sprung,
                                                 .first_lane = own->tree_lane_count,
                                                 .first_row = own->tree_row_count,
                                                 .first_fixed = own->tree_fixed_count};
        own->tree_lane_count += unit->link_count * width;
        own->tree_row_count += unit->body_count * width;
        own->tree_fixed_count += unit->body_count;
        if (bin->tree_scratch < unit->body_count)
            bin->tree_scratch = unit->body_count;
        m += count;
    }
    bin->tree_count = own->tree_count - bin->first_tree;
}

static void fill_tree(PhLayout *layout, PhTree *tree) {
    PhJointLayout *own = &layout->arrays->joints;
    uint32_t width = width_of(layout);
    for (uint32_t lane = 0; lane < width; lane++) {
        uint32_t member = tree->first_member + (lane < tree->count ? lane : 0);
        const PhJointUnit *unit = &own->units[own->tree_members[member].unit];
        for (uint32_t i = 0; i < unit->body_count; i++)
            own->tree_rows[tree->first_row + i * width + lane] =
                own->bodies[unit->first_body + i].row;
    }
    const PhJointUnit *unit = &own->units[own->tree_members[tree->first_member].unit];
    for (uint32_t l = 0; l < unit->link_count; l++)
        tree->axes |= own->tree_flags[unit->first_link + l] & PH_TREE_AXIS;
    for (uint32_t i = 0; i < unit->body_count; i++)
        own->tree_fixed[tree->first_fixed + i] = own->bodies[unit->first_body + i].fixed;
}

// Blocks of the members of each bin, which follow each other: by shape, and who swings apart.
static PhStatus make_blocks(PhLayout *layout, const uint32_t *members_of) {
    PhJointLayout *own = &layout->arrays->joints;
    uint64_t width = width_of(layout), scratch = 0;
    own->tree_count = own->tree_lane_count = own->tree_row_count = own->tree_fixed_count = 0;
    for (uint32_t b = 0, first = 0; b < layout->bin_count; b++) {
        PhBin *bin = &layout->arrays->bins[b];
        for (uint32_t m = first; m < first + members_of[b]; m++) {
            const PhJointUnit *unit = &own->units[own->tree_members[m].unit];
            own->tree_members[m].hash = 2 * (uint64_t)unit->shape + unit->swings;
        }
        cut_blocks(layout, bin, first, first + members_of[b]);
        first += members_of[b];
        bin->first_tree_scratch = (uint32_t)scratch;
        scratch += bin->tree_scratch;
    }
    uint64_t lanes = own->tree_lane_count;
    if (lanes > UINT32_MAX / 64 || scratch * width > UINT32_MAX / 64 ||
        ph_reserve_array(&own->tree_rows, &own->tree_row_capacity, own->tree_row_count,
                         sizeof *own->tree_rows) ||
        ph_reserve_array(&own->tree_fixed, &own->tree_fixed_capacity, own->tree_fixed_count, 1) ||
        ph_reserve_array(&own->tree_data, &own->tree_data_capacity,
                         (lanes * PH_TREE_FIELDS * 8 + 63) / 64, 64) ||
        ph_reserve_array(&own->tree_scratch, &own->tree_scratch_capacity,
                         (scratch * width * PH_TREE_SCRATCH * 8 + 63) / 64, 64) ||
        ph_reserve_array(&own->net_rows, &own->net_row_capacity, layout->row_count,
                         sizeof *own->net_rows))
        return PH_ERROR_MEMORY;
    for (uint32_t t = 0; t < own->tree_count; t++)
        fill_tree(layout, &own->trees[t]);
    return PH_OK;
}

static PhStatus reserve(PhLayout *layout, uint32_t units, uint32_t links) {
    PhJointLayout *own = &layout->arrays->joints;
    if (ph_reserve_array(&own->trees, &own->tree_capacity, units, sizeof *own->trees) ||
        ph_reserve_array(&own->tree_members, &own->tree_member_capacity, units,
                         sizeof *own->tree_members) ||
        ph_reserve_array(&own->tree_heads, &own->tree_head_capacity, links,
                         sizeof *own->tree_heads) ||
        ph_reserve_array(&own->tree_flags, &own->tree_flag_capacity, links, 1) ||
        ph_reserve_array(&own->tree_of_bin, &own->tree_of_bin_capacity, layout->bin_count,
                         sizeof *own->tree_of_bin))
        return PH_ERROR_MEMORY;
    return PH_OK;
}

PhStatus ph_trees_build(PhLayout *layout, const PhSolverBodies *bodies, uint32_t units,
                        uint32_t links) {
    PhJointLayout *own = &layout->arrays->joints;
    uint32_t members = 0, shapes = 0;
    if (reserve(layout, units, links))
        return PH_ERROR_MEMORY;
    for (uint32_t u = 0; u < units; u++) {
        PhJointUnit *unit = &own->units[u];
        const PhJointBody *named = own->bodies + unit->first_body;
        unit->in_lanes = ph_tree_fits(layout, bodies, unit);
        if (!unit->in_lanes)
            continue;
        Shape shape = {layout, bodies, unit};
        own->tree_members[members++] = (PhTreeMember){hash_shape(&shape), u};
        for (uint32_t l = 0; l < unit->link_count; l++) {
            const PhJointLink *link = &own->links[unit->first_link + l];
            const PhJointEnds *ends = &own->ends[link->work];
            uint8_t flags = flags_of(layout, bodies, unit, l);
            unit->sprung |= (flags & PH_TREE_SPRUNG) != 0;
            own->tree_flags[unit->first_link + l] = flags;
            own->tree_heads[unit->first_link + l] = (PhTreeHead){
                ph_net_pin(layout, bodies, ends), named[link->child].row == ends->row_a};
        }
    }
    ph_sort(own->tree_members, members, sizeof *own->tree_members, less_member, NULL);
    number_shapes(layout, bodies, members, &shapes);
    members = 0;
    for (uint32_t b = 0; b < layout->bin_count; b++) {
        const PhBin *bin = &layout->arrays->bins[b];
        uint32_t first = members;
        for (uint32_t u = bin->first_unit; u < bin->first_unit + bin->unit_count; u++)
            if (own->units[u].in_lanes)
                own->tree_members[members++].unit = u;
        own->tree_of_bin[b] = members - first;
    }
    return make_blocks(layout, own->tree_of_bin);
}

// The dynamic slot that tells where a unit is.
static uint32_t slot_of_unit(const PhJointLayout *own, const PhJointUnit *unit) {
    return own->bodies[unit->first_body + own->links[unit->first_link].child].slot;
}

// Rows of a unit that is in a bin.
static void place_unit(PhLayout *layout, const PhJointUnit *unit, PhBin *bin, uint32_t *tied) {
    PhJointLayout *own = &layout->arrays->joints;
    PhJointBody *bodies = own->bodies + unit->first_body;
    for (uint32_t i = 0; i < unit->body_count; i++) {
        bodies[i].row = bin->first_row;
        if (bodies[i].fixed)
            continue;
        bodies[i].row += layout->arrays->members[bodies[i].slot].row / 16;
        own->tied[(*tied)++] = bodies[i].row;
    }
    for (uint32_t l = unit->first_link; l < unit->first_link + unit->link_count; l++) {
        PhTreeHead *head = &own->tree_heads[l];
        const PhJointBody *c = &bodies[own->links[l].child], *p = &bodies[own->links[l].parent];
        head->pin.row[head->turned ? 0 : 1] = c->row;
        head->pin.row[head->turned ? 1 : 0] = p->fixed ? PH_NULL : p->row;
    }
}

PhStatus ph_trees_place(PhLayout *layout) {
    struct PhLayoutArrays *arrays = layout->arrays;
    PhJointLayout *own = &arrays->joints;
    uint32_t tied = 0, sum = 0, *of_bin;
    if (reserve(layout, own->unit_count, 0))
        return PH_ERROR_MEMORY;
    of_bin = own->tree_of_bin;
    memset(of_bin, 0, layout->bin_count * sizeof *of_bin);
    for (uint32_t u = 0; u < own->unit_count; u++) {
        PhIsland *island = &arrays->islands[layout->island[slot_of_unit(own, &own->units[u])]];
        island->swings = island->contact_count == 0;
        of_bin[island->bin]++;
    }
    for (uint32_t u = 0; u < own->unit_count; u++)
        if (own->units[u].sprung)
            arrays->islands[layout->island[slot_of_unit(own, &own->units[u])]].swings = false;
    for (uint32_t b = 0; b < layout->bin_count; b++) { // starts
        arrays->bins[b].first_tied = sum;
        sum += of_bin[b];
        of_bin[b] = sum - of_bin[b];
    }
    for (uint32_t u = 0; u < own->unit_count; u++) {
        const PhIsland *island =
            &arrays->islands[layout->island[slot_of_unit(own, &own->units[u])]];
        own->units[u].swings = island->swings;
        own->tree_members[of_bin[island->bin]++].unit = u;
    }
    for (uint32_t b = 0; b < layout->bin_count; b++) { // now ends; numbers again
        PhBin *bin = &arrays->bins[b];
        uint32_t first = bin->first_tied, last = of_bin[b];
        bin->first_tied = tied;
        for (uint32_t m = first; m < last; m++)
            place_unit(layout, &own->units[own->tree_members[m].unit], bin, &tied);
        bin->tied_count = tied - bin->first_tied;
        of_bin[b] = last - first;
    }
    return make_blocks(layout, of_bin);
}

// ------------------------------------------------------------------------------------------------
// a step

static double *data_of(const PhJointRun *run, const PhTree *tree) {
    return (double *)run->layout->arrays->joints.tree_data +
           (size_t)tree->first_lane * PH_TREE_FIELDS;
}

// Of the links of a lane; lanes that are left over repeat the first.
static const PhTreeHead *heads_of(const PhJointLayout *own, const PhTree *tree, size_t lane) {
    size_t member = tree->first_member + (lane < tree->count ? lane : 0);
    return own->tree_heads + own->units[own->tree_members[member].unit].first_link;
}

// The other one where the child is body a of the joint.
static uint8_t turn_state(uint8_t state, bool turned, bool motor) {
    if (!turned)
        return state;
    switch (state) {
    case PH_AXIS_PUSHED:
        return motor ? PH_AXIS_PULLED : PH_AXIS_PUSHED;
    case PH_AXIS_PULLED:
        return PH_AXIS_PUSHED;
    case PH_AXIS_LOW:
        return PH_AXIS_HIGH;
    case PH_AXIS_HIGH:
        return PH_AXIS_LOW;
    default:
        return state;
    }
}

typedef struct SpringCache {
    double hertz, zeta;
    PhJointSpring spring;
} SpringCache;

static void load_link(const PhJointRun *run, const PhTreeHead *head, SpringCache *cache,
                      double *field, size_t width) {
    const PhJoint *joint = &run->bodies->joints->joint[head->pin.joint];
    const PhJointResult *last = &run->bodies->joints->result[head->pin.joint];
    const double *value = joint->value;
    const PhNetRow *rows = run->layout->arrays->joints.net_rows;
    PhNetEnd a = ph_net_end(rows, run->bodies, &head->pin, 0);
    PhNetEnd b = ph_net_end(rows, run->bodies, &head->pin, 1);
    double sign = head->turned ? -1 : 1;
    PhVec2 gap = ph_net_gap(run->bodies, &a, &b);
    PhVec2 c = head->turned ? a.arm : b.arm, p = head->turned ? b.arm : a.arm;
    bool sprung = value[PH_JOINT_HERTZ] > 0;
    if (sprung && (cache->hertz != value[PH_JOINT_HERTZ] || cache->zeta != value[PH_JOINT_ZETA])) {
        cache->hertz = value[PH_JOINT_HERTZ];
        cache->zeta = value[PH_JOINT_ZETA];
        cache->spring = ph_joint_spring(cache->hertz, cache->zeta, run->h);
    }
    field[ARM_C * width] = c.x;
    field[(ARM_C + 1) * width] = c.y;
    field[ARM_P * width] = p.x;
    field[(ARM_P + 1) * width] = p.y;
    field[GAP * width] = sign * gap.x;
    field[(GAP + 1) * width] = sign * gap.y;
    field[ANGLE * width] = sign * (b.angle - a.angle - joint->reference);
    field[LOWER * width] = head->turned ? -value[PH_JOINT_UPPER] : value[PH_JOINT_LOWER];
    field[UPPER * width] = head->turned ? -value[PH_JOINT_LOWER] : value[PH_JOINT_UPPER];
    field[SPEED * width] = sign * value[PH_JOINT_SPEED];
    field[MOTOR * width] = value[PH_JOINT_MAX_MOTOR];
    field[SPRING * width] = sprung ? cache->spring.error : 0;
    field[(SPRING + 1) * width] = sprung ? cache->spring.velocity : 0;
    field[(SPRING + 2) * width] = sprung ? cache->spring.gained : 0;
    field[TARGET * width] = sign * value[PH_JOINT_TARGET];
    for (size_t k = 0; k < 3; k++)
        field[(IMPULSE + k) * width] = sign * run->h * (double)last->load[k];
    double x = field[IMPULSE * width], y = field[(IMPULSE + 1) * width];
    field[FORCE * width] = field[(FORCE + 1) * width] = field[TORQUE * width] = 0;
    field[PULL_C * width] = c.x * x + c.y * y;
    field[PULL_P * width] = -(p.x * x + p.y * y);
    // The points have no state: the angle's after a push is kept in the place of theirs.
    bool motor = value[PH_JOINT_MAX_MOTOR] > 0;
    field[PUSH_STATE * width] = turn_state(last->state[1], head->turned, motor);
    field[RELAX_STATE * width] = turn_state(last->state[2], head->turned, motor);
}

void ph_trees_load_rows(const PhJointRun *run, const PhBin *bin) {
    const struct PhLayoutArrays *arrays = run->layout->arrays;
    const uint32_t *tied = arrays->joints.tied + bin->first_tied;
    for (uint32_t k = 0; k < bin->tied_count; k++)
        ph_net_load_rows(run, tied[k], tied[k] + 1);
    ph_net_load_rows(run, bin->first_row + 1 + bin->body_count, bin->first_row + bin->row_count);
}

void ph_trees_load(const PhJointRun *run, const PhBin *bin) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    size_t width = width_of(run->layout);
    const PhSolverJoints *joints = run->bodies->joints;
    SpringCache cache = {0, 0, {0, 0, 0}};
    for (uint32_t t = bin->first_tree; t < bin->first_tree + bin->tree_count; t++) {
        const PhTree *tree = &own->trees[t];
        double *data = data_of(run, tree);
        for (size_t lane = 0; lane < width; lane++) {
            const PhTreeHead *heads = heads_of(own, tree, lane);
            for (size_t l = 0; l < tree->link_count; l++) {
                const PhJoint *next = &joints->joint[heads[l].pin.joint];
                __builtin_prefetch(&next->reference);
                __builtin_prefetch(&next->value[PH_JOINT_TARGET]);
                __builtin_prefetch(&joints->result[heads[l].pin.joint]);
            }
            for (size_t l = 0; l < tree->link_count; l++)
                load_link(run, &heads[l], &cache, data + l * width * PH_TREE_FIELDS + lane, width);
        }
    }
}

void ph_trees_pull(const PhJointRun *run, const PhBin *bin) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    size_t width = width_of(run->layout);
    for (uint32_t t = bin->first_tree; t < bin->first_tree + bin->tree_count; t++) {
        const PhTree *tree = &own->trees[t];
        const PhJointLink *links = own->links + tree->first_link;
        const uint32_t *rows = own->tree_rows + tree->first_row;
        const double *data = data_of(run, tree);
        for (size_t l = 0; l < tree->link_count; l++, data += width * PH_TREE_FIELDS)
            for (size_t lane = 0; lane < tree->count; lane++) {
                own->masses[rows[links[l].child * width + lane]].note +=
                    data[PULL_C * width + lane];
                own->masses[rows[links[l].parent * width + lane]].note +=
                    data[PULL_P * width + lane];
            }
    }
}

void ph_trees_solve(const PhJointRun *run, const PhBin *bin, bool push, double shift) {
    const struct PhLayoutArrays *arrays = run->layout->arrays;
    const PhJointLayout *own = &arrays->joints;
    size_t width = width_of(run->layout);
    PhTreePass pass = {.rows = arrays->rows,
                       .masses = own->masses,
                       .h = run->h,
                       .shift = shift,
                       .most_speed = 2 * run->parameters->max_speed,
                       .most_spin = PH_PI / run->h,
                       .push = push};
    for (uint32_t t = bin->first_tree; t < bin->first_tree + bin->tree_count; t++) {
        const PhTree *tree = &own->trees[t];
        PhTreeBlock block = {.links = own->links + tree->first_link,
                             .flags = own->tree_flags + tree->first_link,
                             .fixed = own->tree_fixed + tree->first_fixed,
                             .rows = own->tree_rows + tree->first_row,
                             .data = data_of(run, tree),
                             .scratch = (double *)own->tree_scratch +
                                        bin->first_tree_scratch * width * PH_TREE_SCRATCH,
                             .link_count = tree->link_count,
                             .body_count = tree->body_count,
                             .count = tree->count,
                             .root = tree->root,
                             .axes = tree->axes,
                             .sprung = tree->sprung};
        if (shift == 0 || tree->swings)
            arrays->kernels->tree_pass(&pass, &block);
    }
}

void ph_trees_store(const PhJointRun *run, const PhBin *bin) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    const PhSolverJoints *joints = run->bodies->joints;
    size_t width = width_of(run->layout);
    double inv_dt = 1 / run->parameters->dt, inv_h = 1 / run->h;
    for (uint32_t t = bin->first_tree; t < bin->first_tree + bin->tree_count; t++) {
        const PhTree *tree = &own->trees[t];
        const double *data = data_of(run, tree);
        for (size_t lane = 0; lane < tree->count; lane++) {
            const PhTreeHead *heads = heads_of(own, tree, lane);
            for (size_t l = 0; l < tree->link_count; l++) {
                const PhTreeHead *head = &heads[l];
                const double *field = data + l * width * PH_TREE_FIELDS + lane;
                PhJointResult *result = &joints->result[head->pin.joint];
                double sign = head->turned ? -1 : 1;
                for (size_t k = 0; k < 3; k++)
                    result->load[k] = (float)(sign * inv_h * field[(IMPULSE + k) * width]);
                result->force[0] = sign * inv_dt * field[FORCE * width];
                result->force[1] = sign * inv_dt * field[(FORCE + 1) * width];
                result->torque = sign * inv_dt * field[TORQUE * width];
                bool motor = field[MOTOR * width] > 0;
                result->state[1] =
                    turn_state((uint8_t)field[PUSH_STATE * width], head->turned, motor);
                result->state[2] =
                    turn_state((uint8_t)field[RELAX_STATE * width], head->turned, motor);
            }
        }
    }
}

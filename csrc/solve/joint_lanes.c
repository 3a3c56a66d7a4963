// Trees of pins that go through the lanes of joint_lanes_source.h: which, in which blocks, and what
// a step begins and ends with.
//
// A unit goes there when it is a tree without cuts and all its joints are revolute. Units of a bin
// with the same shape (who hangs on whom by what, and who is fixed) share blocks, in order; lanes
// that are left over repeat the first one and are not read. Where they are more than two thirds,
// each unit has a block of width 1; of those that are alone and have nothing but pins, lanes are
// across the bodies (joint_across_source.h).
//
// Links of wide blocks are loaded and stored by joint_ends_source.h, four lanes at once.
//
// Invariant: blocks depend on the units alone, and what a lane computes not on the others.
#include "solve/joint_lanes.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "math/trig.h"
#include "solve/joint_net.h"

// TreeBody and TreeAngle of joint_lanes_source.h.
enum {
    MASS,
    INERTIA,
    OWN,
    NOTE = OWN + 15,
    ARM_C,
    ARM_P = ARM_C + 2,
    GAP = ARM_P + 2,
    IMPULSE = GAP + 2,
    FORCE = IMPULSE + 2,
    BODY_FIELDS = FORCE + 32,
};
enum {
    LOWER,
    UPPER,
    TARGET,
    SPEED,
    MOTOR,
    SPRING,
    TURN_IMPULSE = SPRING + 3,
    TORQUE,
    PUSH_STATE,
    RELAX_STATE,
    ANGLE_FIELDS = RELAX_STATE + 11,
};
_Static_assert((int)BODY_FIELDS == (int)PH_TREE_BODY_FIELDS, "fields of a body");
_Static_assert((int)ANGLE_FIELDS == (int)PH_TREE_ANGLE_FIELDS, "fields of an angle");

// ------------------------------------------------------------------------------------------------
// layout

static const PhJoint *joint_of(const PhLayout *layout, const PhSolverBodies *bodies,
                               const PhJointLink *link) {
    return &bodies->joints->joint[layout->arrays->joints.ends[link->work].joint];
}

bool ph_tree_fits(const PhLayout *layout, const PhSolverBodies *bodies, const PhJointUnit *unit) {
    const PhJointLink *links = layout->arrays->joints.links + unit->first_link;
    uint32_t stiff = 0;
    if (!unit->direct || unit->cut_count)
        return false;
    for (uint32_t l = 0; l < unit->link_count; l++) {
        const PhJoint *joint = joint_of(layout, bodies, &links[l]);
        if (joint->kind != PH_JOINT_REVOLUTE || ph_joint_rigid_rows(joint) != 3)
            return false;
        stiff += ph_joint_is_stiff(joint, layout->substep);
    }
    return stiff < 2; // several are met together, by float64
}

static uint8_t flags_of(const PhLayout *layout, const PhSolverBodies *bodies,
                        const PhJointUnit *unit, uint32_t l) {
    const PhJointLink *links = layout->arrays->joints.links + unit->first_link;
    const PhJoint *joint = joint_of(layout, bodies, &links[l]);
    unsigned flags = ph_joint_axis_rows(joint) ? PH_TREE_AXIS : 0;
    return (uint8_t)(flags | (ph_joint_sprung_rows(joint) ? PH_TREE_SPRUNG : 0));
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
    uint64_t hash = ph_joint_mix(shape->unit->link_count, shape->unit->body_count);
    for (uint32_t i = 0; i < words; i++)
        hash = ph_joint_mix(hash, shape_word(shape, i));
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
    uint32_t lanes = layout->arrays->kernels->lanes;
    bin->first_tree = own->tree_count;
    ph_sort(own->tree_members + first, last - first, sizeof *own->tree_members, less_member, NULL);
    for (uint32_t m = first; m < last;) {
        const PhJointUnit *unit = &own->units[own->tree_members[m].unit];
        uint32_t count = 1, width = lanes;
        while (count < lanes && m + count < last &&
               own->tree_members[m + count].hash == own->tree_members[m].hash)
            count++;
        if (3 * count <= lanes)
            count = width = 1;
        own->trees[own->tree_count++] = (PhTree){.first_member = m,
                                                 .count = count,
                                                 .width = width,
                                                 .body_count = unit->body_count,
                                                 .swings = unit->swings,
                                                 .alone = unit->alone,
                                                 .first_lane = own->tree_lane_count,
                                                 .first_row = own->tree_row_count,
                                                 .first_body = own->tree_body_count};
        own->tree_lane_count += width;
        own->tree_row_count += unit->body_count * width;
        own->tree_body_count += unit->body_count;
        m += count;
    }
    bin->tree_count = own->tree_count - bin->first_tree;
}

static PhTreeSeats seats_of(const PhJointLayout *own, const PhTree *tree, size_t body) {
    return ph_tree_seats(own->tree_seats + tree->first_row, body, tree->width);
}
static void seat(const PhJointLayout *own, const PhTree *tree, size_t body, size_t lane,
                 PhTreeSeat one) {
    PhTreeSeats seats = seats_of(own, tree, body);
    size_t width = tree->width;
    seats.slot[lane] = one.slot;
    seats.parent[lane] = one.parent;
    seats.joint[lane] = one.joint;
    seats.turned[lane] = one.turned;
    seats.anchor[lane] = one.anchor_c.x;
    seats.anchor[width + lane] = one.anchor_c.y;
    seats.anchor[2 * width + lane] = one.anchor_p.x;
    seats.anchor[3 * width + lane] = one.anchor_p.y;
}
static PhTreeSeat seat_of(const PhJointLayout *own, const PhTree *tree, size_t body, size_t lane) {
    PhTreeSeats seats = seats_of(own, tree, body);
    const double *anchor = seats.anchor + lane;
    size_t width = tree->width;
    return (PhTreeSeat){seats.slot[lane],           seats.parent[lane],
                        seats.joint[lane],          seats.turned[lane],
                        {anchor[0], anchor[width]}, {anchor[2 * width], anchor[3 * width]}};
}

// Of a block; and what of its seats stays as it is while the layout lasts.
static void fill_tree(PhLayout *layout, const PhBin *bin, PhTree *tree) {
    PhJointLayout *own = &layout->arrays->joints;
    const PhJointUnit *unit = &own->units[own->tree_members[tree->first_member].unit];
    uint32_t *parents = own->tree_parents + tree->first_body;
    uint8_t *flags = own->tree_flags + tree->first_body;
    for (uint32_t i = 0; i < unit->body_count; i++) {
        parents[i] = PH_NULL;
        flags[i] = own->bodies[unit->first_body + i].fixed ? PH_TREE_FIXED : 0;
    }
    for (uint32_t l = unit->first_link; l < unit->first_link + unit->link_count; l++) {
        parents[own->links[l].child] = own->links[l].parent;
        flags[own->links[l].child] |= own->tree_link_flags[l];
        tree->axes |= own->tree_link_flags[l] & PH_TREE_AXIS;
        tree->sprung |= own->tree_link_flags[l] & PH_TREE_SPRUNG;
    }
    tree->across = tree->width == 1 && tree->alone && !tree->axes && !tree->sprung;
    for (uint32_t i = unit->body_count; i-- > 0;) {
        uint32_t parent = parents[i];
        if ((parent == PH_NULL) != (i == 0))
            tree->across = false;
        if (parent == PH_NULL || flags[parent] & PH_TREE_FIXED)
            continue;
        bool joined = parent + 1 == i, first = !(flags[parent] & PH_TREE_SHARED);
        flags[parent] |= joined ? PH_TREE_JOINED : PH_TREE_SHARED;
        flags[i] |= !joined && first ? PH_TREE_FIRST : 0;
    }
    for (uint32_t lane = 0; lane < tree->width; lane++) {
        // Lanes that are left over repeat the first.
        uint32_t member = tree->first_member + (lane < tree->count ? lane : 0);
        unit = &own->units[own->tree_members[member].unit];
        for (uint32_t i = 0; i < unit->body_count; i++) {
            const PhJointBody *body = &own->bodies[unit->first_body + i];
            uint32_t at = tree->first_row + i * tree->width + lane;
            own->tree_rows[at] = 16 * (body->row - bin->first_row);
            seat(own, tree, i, lane, (PhTreeSeat){.slot = body->slot, .joint = PH_NULL});
        }
        for (uint32_t l = unit->first_link; l < unit->first_link + unit->link_count; l++)
            seat(own, tree, own->links[l].child, lane, own->tree_links[l]);
    }
}

// From a field of a body to its next one, in words.
static size_t field_step(const PhTree *tree) {
    return tree->across ? ((size_t)tree->body_count + PH_TREE_ROW - 1) / PH_TREE_ROW * PH_TREE_ROW
                        : tree->width;
}

static size_t data_size(const PhTree *tree) { // in units of 64 bytes
    size_t fields = PH_TREE_BODY_FIELDS, bodies = (size_t)tree->body_count * tree->width;
    fields += tree->axes || tree->sprung ? PH_TREE_ANGLE_FIELDS : 0;
    if (tree->across) {
        fields += PH_TREE_ACROSS_FIELDS;
        bodies = field_step(tree);
    }
    return (fields * bodies + 15) / 16;
}

static float *data_at(const PhJointLayout *own, uint32_t first) {
    return (float *)own->tree_data + (size_t)first * 16;
}

// Fields of a body in a lane; its angle's.
static float *body_of(const PhTreeBlock *block, const PhTree *tree, size_t body, size_t lane) {
    return block->data + body * (tree->across ? 1 : tree->width * PH_TREE_BODY_FIELDS) + lane;
}
static float *angle_of(const PhTreeBlock *block, const PhTree *tree, size_t body, size_t lane) {
    float *angles = body_of(block, tree, tree->body_count, 0);
    return angles + body * tree->width * PH_TREE_ANGLE_FIELDS + lane;
}

// The nearest float, infinite beyond the largest, as IEC 60559 has it and the lanes do it.
static float narrow(double x) {
    return (float)x;
}

// Masses in units of a power of two near the heaviest of each tree.
static void fill_masses(PhJointLayout *own, const PhSolverBodies *bodies, const PhTree *tree) {
    const uint8_t *flags = own->tree_flags + tree->first_body;
    size_t width = tree->width;
    float *masses = own->tree_masses + 2 * (size_t)tree->first_row;
    for (size_t lane = 0; lane < width; lane++) {
        double most = 0;
        int exponent = 0;
        for (size_t i = 0; i < tree->body_count; i++) {
            uint32_t slot = seats_of(own, tree, i).slot[lane];
            double mass = flags[i] & PH_TREE_FIXED ? 0 : bodies->exact_mass[slot];
            most = mass > most ? mass : most;
        }
        frexp(most, &exponent);
        double scale = ldexp(1, exponent > 120 ? -120 : exponent < -120 ? 120 : -exponent);
        own->tree_scales[tree->first_lane + lane] = scale;
        for (size_t i = 0; i < tree->body_count; i++) {
            float *mass = masses + 2 * i * width + lane;
            uint32_t slot = seats_of(own, tree, i).slot[lane];
            mass[0] = mass[width] = 0;
            if (flags[i] & PH_TREE_FIXED)
                continue;
            mass[0] = narrow(scale * bodies->exact_mass[slot]);
            mass[width] = narrow(scale * ph_joint_own_inertia(bodies, slot));
        }
    }
}

// Blocks of the members of each bin, which follow each other: by shape, and who swings or is alone
// apart.
static PhStatus make_blocks(PhLayout *layout, const PhSolverBodies *bodies,
                            const uint32_t *members_of) {
    PhJointLayout *own = &layout->arrays->joints;
    own->tree_count = own->tree_lane_count = own->tree_row_count = own->tree_body_count = 0;
    for (uint32_t b = 0, first = 0; b < layout->bin_count; b++) {
        PhBin *bin = &layout->arrays->bins[b];
        for (uint32_t m = first; m < first + members_of[b]; m++) {
            const PhJointUnit *unit = &own->units[own->tree_members[m].unit];
            own->tree_members[m].hash =
                4 * (uint64_t)unit->shape + 2 * (uint64_t)unit->alone + unit->swings;
        }
        cut_blocks(layout, bin, first, first + members_of[b]);
        first += members_of[b];
    }
    uint64_t data = 0;
    if (ph_reserve_array(&own->tree_rows, &own->tree_row_capacity, own->tree_row_count,
                         sizeof *own->tree_rows) ||
        ph_reserve_array(&own->tree_seats, &own->tree_seat_capacity, own->tree_row_count,
                         sizeof *own->tree_seats) ||
        ph_reserve_array(&own->tree_parents, &own->tree_parent_capacity, own->tree_body_count,
                         sizeof *own->tree_parents) ||
        ph_reserve_array(&own->tree_flags, &own->tree_flag_capacity, own->tree_body_count, 1) ||
        ph_reserve_array(&own->tree_masses, &own->tree_mass_capacity, own->tree_row_count,
                         2 * sizeof *own->tree_masses) ||
        ph_reserve_array(&own->tree_scales, &own->tree_scale_capacity, own->tree_lane_count,
                         sizeof *own->tree_scales))
        return PH_ERROR_MEMORY;
    for (uint32_t b = 0; b < layout->bin_count; b++) {
        PhBin *bin = &layout->arrays->bins[b];
        size_t scratch = 0;
        for (uint32_t t = bin->first_tree; t < bin->first_tree + bin->tree_count; t++) {
            PhTree *tree = &own->trees[t];
            fill_tree(layout, bin, tree);
            tree->first_data = (uint32_t)data;
            size_t size = data_size(tree);
            data += size;
            if (tree->alone && tree->width > 1 && size > scratch)
                scratch = size;
            if (data > UINT32_MAX)
                return PH_ERROR_MEMORY;
        }
        bin->tree_scratch = (uint32_t)data;
        data += scratch;
    }
    if (ph_reserve_array(&own->tree_data, &own->tree_data_capacity, data, 64))
        return PH_ERROR_MEMORY;
    if (data)
        memset(own->tree_data, 0, data * 64);
    for (uint32_t t = 0; t < own->tree_count; t++)
        fill_masses(own, bodies, &own->trees[t]);
    return PH_OK;
}

static PhStatus reserve(PhLayout *layout, uint32_t units, uint32_t links) {
    PhJointLayout *own = &layout->arrays->joints;
    if (ph_reserve_array(&own->trees, &own->tree_capacity, units, sizeof *own->trees) ||
        ph_reserve_array(&own->tree_members, &own->tree_member_capacity, units,
                         sizeof *own->tree_members) ||
        ph_reserve_array(&own->tree_links, &own->tree_link_capacity, links,
                         sizeof *own->tree_links) ||
        ph_reserve_array(&own->tree_link_flags, &own->tree_link_flag_capacity, links, 1) ||
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
        if (!unit->hinged)
            continue;
        Shape shape = {layout, bodies, unit};
        own->tree_members[members++] = (PhTreeMember){hash_shape(&shape), u};
        for (uint32_t l = 0; l < unit->link_count; l++) {
            const PhJointLink *link = &own->links[unit->first_link + l];
            const PhJointEnds *ends = &own->ends[link->work];
            const PhJoint *joint = &bodies->joints->joint[ends->joint];
            bool turned = named[link->child].row == ends->row_a;
            uint8_t flags = flags_of(layout, bodies, unit, l);
            unit->sprung |= (flags & PH_TREE_SPRUNG) != 0;
            own->tree_link_flags[unit->first_link + l] = flags;
            own->tree_links[unit->first_link + l] =
                (PhTreeSeat){joint->body[!turned],   joint->body[turned],  ends->joint, turned,
                             joint->anchor[!turned], joint->anchor[turned]};
        }
    }
    ph_sort(own->tree_members, members, sizeof *own->tree_members, less_member, NULL);
    number_shapes(layout, bodies, members, &shapes);
    members = 0;
    for (uint32_t b = 0; b < layout->bin_count; b++) {
        const PhBin *bin = &layout->arrays->bins[b];
        uint32_t first = members;
        for (uint32_t u = bin->first_unit; u < bin->first_unit + bin->unit_count; u++)
            if (own->units[u].hinged)
                own->tree_members[members++].unit = u;
        own->tree_of_bin[b] = members - first;
    }
    return make_blocks(layout, bodies, own->tree_of_bin);
}

// The dynamic slot that tells where a unit is.
static uint32_t slot_of_unit(const PhJointLayout *own, const PhJointUnit *unit) {
    return own->bodies[unit->first_body + own->links[unit->first_link].child].slot;
}

// Rows of a unit that is in a bin.
static void place_unit(PhLayout *layout, const PhJointUnit *unit, const PhBin *bin,
                       uint32_t *tied) {
    PhJointLayout *own = &layout->arrays->joints;
    PhJointBody *bodies = own->bodies + unit->first_body;
    for (uint32_t i = 0; i < unit->body_count; i++) {
        bodies[i].row = bin->first_row;
        if (bodies[i].fixed)
            continue;
        bodies[i].row += layout->arrays->members[bodies[i].slot].row / 16;
        if (!unit->alone)
            own->tied[(*tied)++] = bodies[i].row;
    }
}

PhStatus ph_trees_place(PhLayout *layout, const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    PhJointLayout *own = &arrays->joints;
    uint32_t tied = 0, sum = 0, *of_bin;
    if (reserve(layout, own->unit_count, 0))
        return PH_ERROR_MEMORY;
    of_bin = own->tree_of_bin;
    memset(of_bin, 0, layout->bin_count * sizeof *of_bin);
    for (uint32_t u = 0; u < own->unit_count; u++) {
        PhIsland *island = &arrays->islands[layout->island[slot_of_unit(own, &own->units[u])]];
        island->swings = island->alone = island->contact_count == 0;
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
        own->units[u].alone = island->alone;
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
    return make_blocks(layout, bodies, of_bin);
}

// ------------------------------------------------------------------------------------------------
// a step

// For kernels.
static PhTreeBlock block_of(const PhJointRun *run, const PhTree *tree, uint32_t data) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    return (PhTreeBlock){.parent = own->tree_parents + tree->first_body,
                         .flags = own->tree_flags + tree->first_body,
                         .rows = own->tree_rows + tree->first_row,
                         .scale = own->tree_scales + tree->first_lane,
                         .mass = own->tree_masses + 2 * (size_t)tree->first_row,
                         .seats = own->tree_seats + tree->first_row,
                         .data = data_at(own, data),
                         .body_count = tree->body_count,
                         .count = tree->count,
                         .axes = tree->axes,
                         .sprung = tree->sprung,
                         .swings = tree->swings,
                         .alone = tree->alone,
                         .damped = run->damped};
}

static PhTreeWorld world_of(const PhJointRun *run) {
    const PhSolverBodies *bodies = run->bodies;
    return (PhTreeWorld){.transform = bodies->joints->transform,
                         .center = (const double(*)[2])bodies->center,
                         .inflated = bodies->joints->inflated,
                         .result = bodies->joints->result,
                         .h = run->h,
                         .dt = run->parameters->dt,
                         .wrap = bodies->wrap};
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

static void load_angle(const PhJointRun *run, const PhTreeSeat *seat, double scale,
                       PhSpringCache *cache, float *field, size_t width) {
    const PhSolverBodies *bodies = run->bodies;
    const PhJoint *joint = &bodies->joints->joint[seat->joint];
    const PhJointResult *last = &bodies->joints->result[seat->joint];
    const double *value = joint->value;
    double sign = seat->turned ? -1 : 1;
    double angle = bodies->angle[seat->slot];
    angle -= seat->parent == PH_NULL ? 0 : bodies->angle[seat->parent];
    angle -= sign * joint->reference;
    bool sprung = value[PH_JOINT_HERTZ] > 0, motor = value[PH_JOINT_MAX_MOTOR] > 0;
    PhJointSpring spring = {0};
    if (sprung)
        spring = ph_joint_spring(joint, run->h, cache);
    double lower = seat->turned ? -value[PH_JOINT_UPPER] : value[PH_JOINT_LOWER];
    double upper = seat->turned ? -value[PH_JOINT_LOWER] : value[PH_JOINT_UPPER];
    field[LOWER * width] = narrow(lower - angle);
    field[UPPER * width] = narrow(upper - angle);
    field[TARGET * width] = narrow(angle - sign * value[PH_JOINT_TARGET]);
    field[SPEED * width] = narrow(sign * value[PH_JOINT_SPEED]);
    field[MOTOR * width] = narrow(scale * value[PH_JOINT_MAX_MOTOR]);
    field[SPRING * width] = narrow(spring.error);
    field[(SPRING + 1) * width] = narrow(spring.velocity);
    field[(SPRING + 2) * width] = narrow(spring.gained);
    field[TURN_IMPULSE * width] = field[TORQUE * width] = 0;
    // The points have no state: the angle's after a push is kept in the place of theirs.
    field[PUSH_STATE * width] = turn_state(last->state[1], seat->turned, motor);
    field[RELAX_STATE * width] = turn_state(last->state[2], seat->turned, motor);
}

// Where an anchor is: its arm from the centre of mass of its body, and that.
typedef struct End {
    PhVec2 arm, from;
} End;
static End end_of(const PhSolverBodies *bodies, uint32_t slot, PhVec2 anchor) {
    if (slot == PH_NULL)
        return (End){{0, 0}, anchor};
    const PhTransform *at = &bodies->joints->transform[slot];
    const double *center = bodies->center[slot];
    PhVec2 reach = ph_rotate(at->q, anchor);
    return (End){{(at->p.x - center[0]) + reach.x, (at->p.y - center[1]) + reach.y},
                 {center[0], center[1]}};
}

static void load_link(const PhJointRun *run, const PhTreeSeat *seat, double scale, float *child,
                      float *parent, size_t width) {
    const PhSolverBodies *bodies = run->bodies;
    const float *load = bodies->joints->result[seat->joint].load;
    End c = end_of(bodies, seat->slot, seat->anchor_c);
    End p = end_of(bodies, seat->parent, seat->anchor_p);
    PhVec2 gap = {(c.from.x - p.from.x) + (c.arm.x - p.arm.x),
                  (c.from.y - p.from.y) + (c.arm.y - p.arm.y)};
    gap = ph_wrap_least(&bodies->wrap, gap);
    double impulse = (seat->turned ? -scale : scale) * run->h;
    float cx = narrow(c.arm.x), cy = narrow(c.arm.y), px = narrow(p.arm.x), py = narrow(p.arm.y);
    float x = narrow(impulse * (double)load[0]), y = narrow(impulse * (double)load[1]);
    child[ARM_C * width] = cx;
    child[(ARM_C + 1) * width] = cy;
    child[ARM_P * width] = px;
    child[(ARM_P + 1) * width] = py;
    child[GAP * width] = narrow(gap.x);
    child[(GAP + 1) * width] = narrow(gap.y);
    child[FORCE * width] = child[(FORCE + 1) * width] = 0;
    child[NOTE * width] = cx * x + cy * y;
    parent[NOTE * width] -= px * x + py * y;
}

static void load_angles(const PhJointRun *run, const PhTree *tree, const PhTreeBlock *block) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    PhSpringCache cache = {.known = false};
    for (size_t i = 0; i < tree->body_count; i++)
        for (size_t lane = 0;
             lane < tree->width && block->flags[i] & (PH_TREE_AXIS | PH_TREE_SPRUNG); lane++) {
            PhTreeSeat at = seat_of(own, tree, i, lane);
            load_angle(run, &at, block->scale[lane], &cache, angle_of(block, tree, i, lane),
                       tree->width);
        }
}

static void load_tree(const PhJointRun *run, const PhTree *tree, const PhTreeBlock *block) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    const double *inflated = run->bodies->joints->inflated;
    size_t width = tree->width, step = field_step(tree);
    if (width > 1) {
        PhTreeWorld world = world_of(run);
        run->layout->arrays->kernels->tree_load(&world, block);
    }
    for (size_t i = 0; i < tree->body_count && width == 1; i++) {
        float *field = body_of(block, tree, i, 0);
        field[NOTE * step] = 0;
        field[MASS * step] = block->mass[2 * i];
        field[OWN * step] = block->mass[2 * i + 1];
        if (block->flags[i] & PH_TREE_FIXED)
            continue;
        PhTreeSeat at = seat_of(own, tree, i, 0);
        float before = narrow(block->scale[0] * inflated[at.slot]), least = field[OWN * step];
        field[INERTIA * step] = before > least ? before : least;
        if (block->parent[i] != PH_NULL)
            load_link(run, &at, block->scale[0], field, body_of(block, tree, block->parent[i], 0),
                      step);
    }
    if (tree->axes || tree->sprung)
        load_angles(run, tree, block);
}

static void store_link(const PhJointRun *run, const PhTreeSeat *seat, double scale,
                       const float *body, size_t step) {
    PhJointResult *result = &run->bodies->joints->result[seat->joint];
    double sign = seat->turned ? -1 : 1, inv_dt = sign / (scale * run->parameters->dt);
    double inv_h = sign / (scale * run->h);
    for (size_t k = 0; k < 2; k++) {
        result->load[k] = narrow(inv_h * (double)body[(IMPULSE + k) * step]);
        result->force[k] = inv_dt * (double)body[(FORCE + k) * step];
    }
    result->load[2] = 0;
    result->torque = 0;
}

static void store_angle(const PhJointRun *run, const PhTreeSeat *seat, double scale,
                        const float *angle, size_t width) {
    PhJointResult *result = &run->bodies->joints->result[seat->joint];
    double sign = seat->turned ? -1 : 1, inv_dt = sign / (scale * run->parameters->dt);
    double inv_h = sign / (scale * run->h);
    bool motor = angle[MOTOR * width] > 0;
    result->load[2] = narrow(inv_h * (double)angle[TURN_IMPULSE * width]);
    result->torque = inv_dt * (double)angle[TORQUE * width];
    result->state[1] = turn_state((uint8_t)angle[PUSH_STATE * width], seat->turned, motor);
    result->state[2] = turn_state((uint8_t)angle[RELAX_STATE * width], seat->turned, motor);
}

static void store_angles(const PhJointRun *run, const PhTree *tree, const PhTreeBlock *block) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    for (size_t i = 0; i < tree->body_count; i++)
        for (size_t lane = 0;
             lane < tree->count && block->flags[i] & (PH_TREE_AXIS | PH_TREE_SPRUNG); lane++) {
            PhTreeSeat at = seat_of(own, tree, i, lane);
            store_angle(run, &at, block->scale[lane], angle_of(block, tree, i, lane), tree->width);
        }
}

static void store_tree(const PhJointRun *run, const PhTree *tree, const PhTreeBlock *block) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    double *inflated = run->bodies->joints->inflated;
    size_t width = tree->width, step = field_step(tree);
    if (width > 1) {
        PhTreeWorld world = world_of(run);
        run->layout->arrays->kernels->tree_store(&world, block);
    }
    for (size_t i = 0; i < tree->body_count && width == 1; i++) {
        if (block->flags[i] & PH_TREE_FIXED)
            continue;
        PhTreeSeat at = seat_of(own, tree, i, 0);
        const float *field = body_of(block, tree, i, 0);
        bool more = field[INERTIA * step] > field[OWN * step];
        if (tree->alone) // else masses know
            inflated[at.slot] = more ? (double)field[INERTIA * step] / block->scale[0] : 0;
        if (at.joint != PH_NULL)
            store_link(run, &at, block->scale[0], field, step);
    }
    if (tree->axes || tree->sprung)
        store_angles(run, tree, block);
}

static PhTreePass make_pass(const PhJointRun *run, const PhBin *bin) {
    const struct PhLayoutArrays *arrays = run->layout->arrays;
    return (PhTreePass){.rows = ph_rows_from(arrays->rows, bin->first_row),
                        .masses = arrays->joints.masses + bin->first_row,
                        .h = (float)run->h,
                        .inv_h = (float)(1 / run->h),
                        .most_speed = narrow(2 * run->parameters->max_speed),
                        .most_spin = narrow(PH_PI / run->h)};
}

static void pass_tree(const PhJointRun *run, const PhTree *tree, const PhTreeBlock *block,
                      PhTreePass *pass, PhTreePassKind kind) {
    const struct PhLayoutArrays *arrays = run->layout->arrays;
    const PhKernels *kernels = tree->width == 1 ? &ph_kernels_scalar : arrays->kernels;
    PhTreeKernel *kernel = tree->across ? arrays->kernels->pass_across : kernels->tree_pass;
    pass->kind = kind;
    pass->share = kind == PH_TREE_START ? -0.5f : kind == PH_TREE_END ? 0.5f : 0;
    kernel(pass, block);
}

void ph_trees_load(const PhJointRun *run, const PhBin *bin) {
    const PhTree *trees = run->layout->arrays->joints.trees + bin->first_tree;
    PhTreePass pass = make_pass(run, bin);
    for (uint32_t t = 0; t < bin->tree_count; t++) {
        if (trees[t].alone)
            continue;
        PhTreeBlock block = block_of(run, &trees[t], trees[t].first_data);
        load_tree(run, &trees[t], &block);
        pass_tree(run, &trees[t], &block, &pass, PH_TREE_START);
    }
}

void ph_trees_pull(const PhJointRun *run, const PhBin *bin) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    for (uint32_t t = bin->first_tree; t < bin->first_tree + bin->tree_count; t++) {
        const PhTree *tree = &own->trees[t];
        const PhTreeBlock block = block_of(run, tree, tree->first_data);
        const uint32_t *rows = block.rows;
        for (uint32_t i = 0; !tree->alone && i < tree->body_count; i++, rows += tree->width) {
            const float *field = body_of(&block, tree, i, 0);
            for (uint32_t lane = 0; lane < tree->count; lane++)
                own->masses[bin->first_row + rows[lane] / 16].note +=
                    (double)field[NOTE * tree->width + lane] / block.scale[lane];
        }
    }
}

void ph_trees_pass(const PhJointRun *run, const PhBin *bin, bool push) {
    const PhTree *trees = run->layout->arrays->joints.trees + bin->first_tree;
    PhTreePass pass = make_pass(run, bin);
    for (uint32_t t = 0; t < bin->tree_count; t++) {
        if (trees[t].alone)
            continue;
        PhTreeBlock block = block_of(run, &trees[t], trees[t].first_data);
        pass_tree(run, &trees[t], &block, &pass, push ? PH_TREE_PUSH : PH_TREE_RELAX);
    }
}

void ph_trees_store(const PhJointRun *run, const PhBin *bin) {
    const PhTree *trees = run->layout->arrays->joints.trees + bin->first_tree;
    PhTreePass pass = make_pass(run, bin);
    for (uint32_t t = 0; t < bin->tree_count; t++) {
        if (trees[t].alone)
            continue;
        PhTreeBlock block = block_of(run, &trees[t], trees[t].first_data);
        pass_tree(run, &trees[t], &block, &pass, PH_TREE_END);
        store_tree(run, &trees[t], &block);
    }
}

// A block that has its whole step at once needs no memory of its own: the same serves one after the
// other, and stays near.
void ph_trees_run(const PhJointRun *run, const PhBin *bin, PhTreeStretch stretch) {
    const PhTree *trees = run->layout->arrays->joints.trees + bin->first_tree;
    PhTreePass pass = make_pass(run, bin);
    pass.substeps = stretch.substeps;
    pass.watched = stretch.watched;
    for (uint32_t t = 0; t < bin->tree_count; t++) {
        const PhTree *tree = &trees[t];
        bool whole = stretch.first && stretch.last && tree->width > 1;
        if (!tree->alone || ph_stop_wanted(run->parameters->stop))
            continue;
        PhTreeBlock block = block_of(run, tree, whole ? bin->tree_scratch : tree->first_data);
        if (stretch.first) {
            load_tree(run, tree, &block);
            pass_tree(run, tree, &block, &pass, PH_TREE_START);
        }
        pass_tree(run, tree, &block, &pass, PH_TREE_RUN);
        if (stretch.last) {
            pass_tree(run, tree, &block, &pass, PH_TREE_END);
            store_tree(run, tree, &block);
        }
    }
}

// Joints of a layout: which are at work, in which bin, and which of them make trees.
//
// Joints with rows that hold or may hold are the edges of a graph of dynamic bodies; everything
// fixed is one node. A connected part is searched breadth first, from the fixed node or from its
// heaviest body: edges on the way are the tree, the others cut loops. With few cuts the part is
// solved at once. Else joints that have limits or motors alone leave it, then gears, and if that is
// not enough each of its joints is a unit of its own.
//
// Gears are always cuts. Where nothing else joins two trees, links without rows do.
//
// Invariant: units depend on joints, roles and rows alone, so not on history.
//
// Source: R. Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapters 4 and 8.
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "math/trig.h"
#include "solve/joint_lanes.h"
#include "solve/joint_net.h"
#include "solve/joint_units.h"
#include "solve/layout.h"

// Rows of cuts that are solved at once with their tree, by a dense matrix.
enum { MOST_CUT_ROWS = 32 };

typedef struct Build {
    PhLayout *layout;
    PhJointLayout *own;
    const PhSolverBodies *bodies;
    uint32_t units, links, unit_bodies, part_count;
    uint32_t pins, count; // joints of nets, and all at work
} Build;

static bool is_dynamic(const PhSolverBodies *bodies, uint32_t slot) {
    return slot != PH_NULL && bodies->role[slot] == PH_ROLE_DYNAMIC;
}

uint32_t ph_joint_mover(const PhSolverBodies *bodies, const PhJoint *joint) {
    uint32_t slots[4];
    int sides = joint->active ? ph_joint_sides(joint, slots) : 0;
    for (int side = 0; side < sides; side++)
        if (is_dynamic(bodies, slots[side]))
            return slots[side];
    return PH_NULL;
}

// Its arm is short beside the radius of gyration, so the pin takes all but a tenth of the weight.
bool ph_joint_bears(const PhSolverBodies *bodies, const PhJoint *joint, int side) {
    if (joint->kind != PH_JOINT_REVOLUTE && joint->kind != PH_JOINT_WELD)
        return false;
    uint32_t slot = joint->body[side];
    const PhTransform *at = &bodies->joints->transform[slot];
    const double *center = bodies->center[slot];
    PhVec2 arm = ph_rotate(at->q, joint->anchor[side]);
    arm = ph_vec(at->p.x - center[0] + arm.x, at->p.y - center[1] + arm.y);
    double mass = bodies->exact_mass[slot], inertia = bodies->exact_inertia[slot];
    return (ph_joint_rigid_rows(joint) & 3) == 3 && mass * ph_dot(arm, arm) <= 0.01 * inertia;
}

static uint32_t bin_of(const Build *build, const PhJoint *joint) {
    return ph_bin_of(build->layout, ph_joint_mover(build->bodies, joint));
}

static bool is_fixed_row(const Build *build, uint32_t row) {
    const struct PhLayoutArrays *arrays = build->layout->arrays;
    uint32_t slot = arrays->row_slot[row];
    return !is_dynamic(build->bodies, slot);
}

static PhStatus reserve(PhJointLayout *own, uint64_t joints, uint64_t gears, uint64_t rows) {
    if (ph_reserve_array(&own->units, &own->unit_capacity, joints, sizeof *own->units) ||
        ph_reserve_array(&own->links, &own->link_capacity, joints + 3 * gears,
                         sizeof *own->links) ||
        ph_reserve_array(&own->ends, &own->ends_capacity, joints, sizeof *own->ends) ||
        ph_reserve_array(&own->stiff, &own->stiff_capacity, joints, sizeof *own->stiff) ||
        ph_reserve_array(&own->stiff_root, &own->stiff_root_capacity, rows,
                         sizeof *own->stiff_root) ||
        ph_reserve_array(&own->stiff_first, &own->stiff_first_capacity, rows,
                         sizeof *own->stiff_first) ||
        ph_reserve_array(&own->tied, &own->tied_capacity, rows, sizeof *own->tied) ||
        ph_reserve_array(&own->net_members, &own->net_member_capacity, joints,
                         sizeof *own->net_members) ||
        ph_reserve_array(&own->bodies, &own->body_capacity, 3 * joints + 2 * gears,
                         sizeof *own->bodies) ||
        ph_reserve_array(&own->masses, &own->mass_capacity, rows, sizeof *own->masses) ||
        ph_reserve_array(&own->gears, &own->gear_capacity, gears, sizeof *own->gears) ||
        ph_reserve_array(&own->edge, &own->edge_capacity, 2 * joints + 2 * gears,
                         sizeof *own->edge) ||
        ph_reserve_array(&own->edge_start, &own->edge_start_capacity, rows + 1,
                         sizeof *own->edge_start) ||
        ph_reserve_array(&own->queue, &own->queue_capacity, rows, sizeof *own->queue) ||
        ph_reserve_array(&own->place, &own->place_capacity, rows, sizeof *own->place) ||
        ph_reserve_array(&own->part, &own->part_capacity, joints, sizeof *own->part) ||
        ph_reserve_array(&own->seen, &own->seen_capacity, joints, sizeof *own->seen))
        return PH_ERROR_MEMORY;
    return PH_OK;
}

// The row of a body of the joint: its own, its copy's, or the fixed one of the bin.
static uint32_t row_of(const Build *build, uint32_t slot, uint32_t bin, uint32_t *copy) {
    const struct PhLayoutArrays *arrays = build->layout->arrays;
    if (is_dynamic(build->bodies, slot))
        return arrays->bins[bin].first_row + arrays->members[slot].row / 16;
    if (slot != PH_NULL && build->bodies->role[slot] == PH_ROLE_KINEMATIC)
        return arrays->copies[(*copy)++].row;
    return arrays->bins[bin].first_row;
}

// Lists the joints at work in order of bins, then of joints.
static void list_ends(Build *build) {
    struct PhLayoutArrays *arrays = build->layout->arrays;
    const PhSolverJoints *joints = build->bodies->joints;
    PhJointLayout *own = build->own;
    uint32_t bins = build->layout->bin_count, sum = 0, copy = own->first_copy, gears = 0;
    for (uint32_t b = 0; b < bins; b++)
        arrays->bins[b].work_count = 0;
    for (uint32_t j = 0; j < joints->limit; j++)
        if (ph_joint_mover(build->bodies, &joints->joint[j]) != PH_NULL)
            arrays->bins[bin_of(build, &joints->joint[j])].work_count++;
    for (uint32_t b = 0; b < bins; b++) {
        arrays->bins[b].first_work = sum;
        sum += arrays->bins[b].work_count;
        arrays->bins[b].work_count = 0;
    }
    build->count = sum;
    for (uint32_t j = 0; j < joints->limit; j++) {
        const PhJoint *joint = &joints->joint[j];
        uint32_t mover = ph_joint_mover(build->bodies, joint);
        if (mover == PH_NULL)
            continue;
        uint32_t number = bin_of(build, joint);
        PhBin *bin = &arrays->bins[number];
        PhJointEnds *ends = &own->ends[bin->first_work + bin->work_count++];
        *ends = (PhJointEnds){.joint = j, .island = build->layout->island[mover]};
        ends->row_a = row_of(build, joint->body[0], number, &copy);
        ends->row_b = row_of(build, joint->body[1], number, &copy);
        if (joint->kind != PH_JOINT_GEAR)
            continue;
        PhJointEnds *part = own->gears[gears].part;
        ends->gear = ++gears;
        for (int k = 0; k < 2; k++)
            part[k] = (PhJointEnds){.joint = joint->geared[k],
                                    .row_a = row_of(build, joint->frame[k], number, &copy),
                                    .row_b = k ? ends->row_b : ends->row_a};
    }
}

static const PhJoint *joint_of(const Build *build, uint32_t work) {
    return &build->bodies->joints->joint[build->own->ends[work].joint];
}

static bool is_edge(const PhJoint *joint) {
    return (ph_joint_rigid_rows(joint) | ph_joint_axis_rows(joint)) != 0;
}

// Rows of the bodies that a work acts on, a and b first, each once. Returns how many.
static int rows_of(const Build *build, uint32_t w, uint32_t rows[4]) {
    const PhJointEnds *work = &build->own->ends[w];
    int count = 0;
    rows[count++] = work->row_a;
    if (work->row_b != work->row_a)
        rows[count++] = work->row_b;
    for (int k = 0; work->gear && k < 2; k++) {
        uint32_t row = build->own->gears[work->gear - 1].part[k].row_a;
        bool known = false;
        for (int i = 0; i < count; i++)
            known |= rows[i] == row;
        if (!known)
            rows[count++] = row;
    }
    return count;
}

// Compressed lists of the tree edges of every dynamic row, in order of works.
static void list_edges(Build *build) {
    PhJointLayout *own = build->own;
    uint32_t rows = build->layout->row_count;
    memset(own->edge_start, 0, (rows + 1) * sizeof *own->edge_start);
    for (int filling = 0; filling < 2; filling++) {
        for (uint32_t w = build->count; w-- > 0;) {
            if (!is_edge(joint_of(build, w)))
                continue;
            uint32_t ends[4];
            for (int n = 0, count = rows_of(build, w, ends); n < count; n++) {
                uint32_t row = ends[n];
                if (is_fixed_row(build, row))
                    continue;
                if (filling)
                    own->edge[--own->edge_start[row]] = w;
                else
                    own->edge_start[row]++;
            }
        }
        for (uint32_t row = 1; !filling && row <= rows; row++)
            own->edge_start[row] += own->edge_start[row - 1];
    }
}

static uint32_t add_body(Build *build, const PhJointUnit *unit, uint32_t row, bool fixed) {
    PhJointBody *body = &build->own->bodies[build->unit_bodies];
    *body = (PhJointBody){.row = row, .slot = build->layout->arrays->row_slot[row], .fixed = fixed};
    return build->unit_bodies++ - unit->first_body;
}

static uint32_t other_row(const PhJointEnds *work, uint32_t row) {
    return work->row_a == row ? work->row_b : work->row_a;
}

enum { FRESH, FOUND, USED }; // seen[] of a work

// Where a part has most works of its stretch, as a net has, they are listed anew, in order.
static void order_part(Build *build) {
    PhJointLayout *own = build->own;
    uint32_t least = UINT32_MAX, most = 0, found = 0;
    for (uint32_t i = 0; i < build->part_count; i++) {
        least = own->part[i] < least ? own->part[i] : least;
        most = own->part[i] > most ? own->part[i] : most;
    }
    bool dense = build->part_count && (most - least) / 4 < build->part_count;
    for (uint32_t w = least; dense && w <= most; w++)
        found += own->seen[w] == FOUND;
    if (!dense || found != build->part_count) { // or others were left
        ph_sort_numbers(own->part, build->part_count);
        return;
    }
    for (uint32_t w = least, i = 0; i < found; w++)
        if (own->seen[w] == FOUND)
            own->part[i++] = w;
}

// Lists the works of the part that a row belongs to, in order, and queues its rows; returns how
// many rows.
static uint32_t find_part(Build *build, uint32_t first_row) {
    PhJointLayout *own = build->own;
    uint32_t count = 0;
    build->part_count = 0;
    own->queue[count++] = first_row;
    own->place[first_row] = 0;
    for (uint32_t at = 0; at < count; at++) {
        uint32_t row = own->queue[at];
        for (uint32_t e = own->edge_start[row]; e < own->edge_start[row + 1]; e++) {
            uint32_t w = own->edge[e], ends[4];
            if (own->seen[w] != FRESH)
                continue;
            own->seen[w] = FOUND;
            own->part[build->part_count++] = w;
            for (int n = 0, most = rows_of(build, w, ends); n < most; n++) {
                if (is_fixed_row(build, ends[n]) || own->place[ends[n]] != PH_NULL)
                    continue;
                own->place[ends[n]] = 0;
                own->queue[count++] = ends[n];
            }
        }
    }
    order_part(build);
    return count;
}

static uint32_t heaviest_of(const Build *build, uint32_t count) {
    const struct PhLayoutArrays *arrays = build->layout->arrays;
    uint32_t best = build->own->queue[0];
    for (uint32_t i = 1; i < count; i++) {
        uint32_t row = build->own->queue[i];
        float mine = build->bodies->mass[arrays->row_slot[row]][0];
        float least = build->bodies->mass[arrays->row_slot[best]][0];
        if (mine < least || (mine == least && row < best))
            best = row;
    }
    return best;
}

static uint32_t count_rows(const PhJoint *joint) {
    return (uint32_t)__builtin_popcount(ph_joint_rigid_rows(joint) | ph_joint_axis_rows(joint));
}

// Adds the link of a work whose row is new to the tree.
static void add_link(Build *build, PhJointUnit *unit, uint32_t w, uint32_t parent, uint32_t row) {
    PhJointLayout *own = build->own;
    own->seen[w] = USED;
    own->place[row] = add_body(build, unit, row, false);
    own->links[build->links++] = (PhJointLink){w, own->place[row], parent, {0, 0}};
    unit->link_count++;
}

// From the rows that were reached on; returns how many there are then.
static uint32_t grow_from(Build *build, PhJointUnit *unit, uint32_t at, uint32_t reached) {
    PhJointLayout *own = build->own;
    for (; at < reached; at++) {
        uint32_t row = own->queue[at];
        for (uint32_t e = own->edge_start[row]; e < own->edge_start[row + 1]; e++) {
            uint32_t w = own->edge[e], other = other_row(&own->ends[w], row);
            if (own->seen[w] == USED || own->ends[w].gear || is_fixed_row(build, other) ||
                own->place[other] != PH_NULL)
                continue;
            add_link(build, unit, w, own->place[row], other);
            own->queue[reached++] = other;
        }
    }
    return reached;
}

// A bare link over a gear from a body that was reached to one that was not, if there is such a
// gear. Returns whether.
static bool leap(Build *build, PhJointUnit *unit, uint32_t *reached) {
    PhJointLayout *own = build->own;
    for (uint32_t i = 0; i < build->part_count; i++) {
        uint32_t w = own->part[i], rows[4], from = PH_NULL, to = PH_NULL;
        int count = own->ends[w].gear ? rows_of(build, w, rows) : 0;
        for (int n = 0; n < count; n++) {
            if (is_fixed_row(build, rows[n]))
                continue;
            if (own->place[rows[n]] == PH_NULL)
                to = rows[n];
            else
                from = rows[n];
        }
        if (from == PH_NULL || to == PH_NULL)
            continue;
        add_link(build, unit, w, own->place[from], to);
        own->seen[w] = FOUND;
        own->queue[(*reached)++] = to;
        return true;
    }
    return false;
}

// The tree of a part that find_part has marked. Its queue is used again.
static void grow_tree(Build *build, PhJointUnit *unit, uint32_t count) {
    PhJointLayout *own = build->own;
    uint32_t reached = 0;
    uint32_t heaviest = heaviest_of(build, count);
    for (uint32_t i = 0; i < count; i++)
        own->place[own->queue[i]] = PH_NULL;
    for (uint32_t i = 0; i < build->part_count; i++) {
        uint32_t w = own->part[i];
        const PhJointEnds *work = &own->ends[w];
        bool fixed_a = is_fixed_row(build, work->row_a), fixed_b = is_fixed_row(build, work->row_b);
        if (!(fixed_a || fixed_b) || work->gear)
            continue;
        uint32_t row = fixed_a ? work->row_b : work->row_a;
        if (own->place[row] != PH_NULL)
            continue;
        uint32_t ground = add_body(build, unit, fixed_a ? work->row_a : work->row_b, true);
        add_link(build, unit, w, ground, row);
        own->queue[reached++] = row;
    }
    unit->root = PH_NULL;
    if (!reached) {
        unit->root = own->place[heaviest] = add_body(build, unit, heaviest, false);
        own->queue[reached++] = heaviest;
    }
    uint32_t at = 0;
    do {
        uint32_t grown = grow_from(build, unit, at, reached);
        at = reached = grown;
    } while (leap(build, unit, &reached));
}

// The body of a row in a unit: the one that it has, or one more.
static uint32_t body_of(Build *build, const PhJointUnit *unit, uint32_t row) {
    for (uint32_t i = unit->first_body; i < build->unit_bodies; i++)
        if (build->own->bodies[i].row == row)
            return i - unit->first_body;
    return add_body(build, unit, row, is_fixed_row(build, row));
}

// A gear alone: bare links from the first of its dynamic bodies to the others, and itself as a cut.
static void add_single_gear(Build *build, uint32_t w) {
    PhJointLayout *own = build->own;
    const PhJointEnds *work = &own->ends[w];
    const PhJointEnds *part = own->gears[work->gear - 1].part;
    PhJointUnit *unit = &own->units[build->units++];
    *unit = (PhJointUnit){.first_link = build->links,
                          .first_body = build->unit_bodies,
                          .root = PH_NULL,
                          .solves = true};
    uint32_t rows[4];
    for (int n = 0, count = rows_of(build, w, rows); n < count; n++) {
        uint32_t body = body_of(build, unit, rows[n]);
        if (is_fixed_row(build, rows[n]))
            continue;
        if (unit->root == PH_NULL) {
            unit->root = body;
            continue;
        }
        own->links[build->links++] = (PhJointLink){.work = w, .child = body, .parent = unit->root};
        unit->link_count++;
    }
    unit->first_cut = build->links;
    unit->cut_count = 1;
    own->links[build->links++] =
        (PhJointLink){w,
                      body_of(build, unit, work->row_b),
                      body_of(build, unit, work->row_a),
                      {body_of(build, unit, part[0].row_a), body_of(build, unit, part[1].row_a)}};
    unit->body_count = build->unit_bodies - unit->first_body;
    own->seen[w] = USED;
}

// A joint alone: its dynamic body hangs on the other. One that is no edge is a unit for the sake of
// its spring, if it has one.
static void add_single(Build *build, uint32_t w) {
    PhJointLayout *own = build->own;
    const PhJointEnds *work = &own->ends[w];
    if (work->gear) {
        add_single_gear(build, w);
        return;
    }
    bool fixed_b = is_fixed_row(build, work->row_b), fixed_a = is_fixed_row(build, work->row_a);
    PhJointUnit *unit = &own->units[build->units++];
    *unit = (PhJointUnit){.first_link = build->links,
                          .link_count = 1,
                          .first_cut = build->links + 1,
                          .first_body = build->unit_bodies,
                          .solves = is_edge(joint_of(build, w))};
    uint32_t parent_row = fixed_b ? work->row_b : work->row_a;
    uint32_t child_row = fixed_b ? work->row_a : work->row_b;
    uint32_t parent = add_body(build, unit, parent_row, fixed_a || fixed_b);
    uint32_t child = add_body(build, unit, child_row, false);
    unit->root = fixed_a || fixed_b ? PH_NULL : parent;
    unit->body_count = 2;
    own->links[build->links++] = (PhJointLink){w, child, parent, {0, 0}};
    own->seen[w] = USED;
}

// Which joints leave a part first.
typedef enum Stay { STAYS_LEAST, STAYS_LONGER, STAYS_LAST } Stay;

static Stay stay_of(const Build *build, uint32_t w) {
    return !ph_joint_rigid_rows(joint_of(build, w)) ? STAYS_LEAST
           : build->own->ends[w].gear               ? STAYS_LONGER
                                                    : STAYS_LAST;
}

// A unit for each joint of those that leave first. The others, fewer now, are as if they had not
// been looked at.
static void divide_part(Build *build) {
    PhJointLayout *own = build->own;
    Stay least = STAYS_LAST;
    uint32_t rows[4];
    for (uint32_t i = 0; i < build->part_count; i++) {
        Stay stay = stay_of(build, own->part[i]);
        least = stay < least ? stay : least;
    }
    for (uint32_t i = 0; i < build->part_count; i++) {
        uint32_t w = own->part[i];
        own->seen[w] = FRESH;
        for (int n = rows_of(build, w, rows); n-- > 0;)
            own->place[rows[n]] = PH_NULL;
        if (stay_of(build, w) != least)
            continue;
        if (ph_net_kind(joint_of(build, w)) < PH_NET_KINDS) {
            own->net_members[build->pins++] = w;
            own->seen[w] = USED;
        } else {
            add_single(build, w);
        }
    }
}

// The part of a work that is an edge: one unit, or more.
static void add_part(Build *build, uint32_t first_work) {
    PhJointLayout *own = build->own;
    uint32_t rows[4], cut_rows = 0;
    int first = rows_of(build, first_work, rows) - 1;
    while (is_fixed_row(build, rows[first]))
        first--;
    uint32_t count = find_part(build, rows[first]);
    Build before = *build;
    PhJointUnit *unit = &own->units[build->units++];
    *unit = (PhJointUnit){.first_link = build->links,
                          .first_body = build->unit_bodies,
                          .direct = true,
                          .solves = true};
    grow_tree(build, unit, count);
    unit->first_cut = build->links;
    for (uint32_t i = 0; i < build->part_count; i++)
        if (own->seen[own->part[i]] == FOUND)
            cut_rows += count_rows(joint_of(build, own->part[i]));
    bool whole = cut_rows <= MOST_CUT_ROWS;
    for (uint32_t i = 0; whole && i < build->part_count; i++) {
        uint32_t w = own->part[i];
        if (own->seen[w] != FOUND)
            continue;
        const PhJointEnds *cut = &own->ends[w];
        bool fixed_a = is_fixed_row(build, cut->row_a), fixed_b = is_fixed_row(build, cut->row_b);
        uint32_t a = fixed_a ? add_body(build, unit, cut->row_a, true) : own->place[cut->row_a];
        uint32_t b = fixed_b ? add_body(build, unit, cut->row_b, true) : own->place[cut->row_b];
        PhJointLink *link = &own->links[build->links++];
        *link = (PhJointLink){w, b, a, {0, 0}};
        for (int k = 0; cut->gear && k < 2; k++) {
            uint32_t row = own->gears[cut->gear - 1].part[k].row_a;
            bool fixed = is_fixed_row(build, row);
            link->frame[k] = fixed ? add_body(build, unit, row, true) : own->place[row];
        }
        unit->cut_count++;
        own->seen[w] = USED;
    }
    unit->body_count = build->unit_bodies - unit->first_body;
    if (whole)
        return;
    before.part_count = build->part_count;
    *build = before;
    divide_part(build);
}

static uint32_t island_of(const Build *build, uint32_t w) {
    return build->own->ends[w].island;
}

// Where an island has so many springs, they go through lanes.
enum { MANY_SPRINGS = 16 };

static void count_springs(const Build *build) {
    PhIsland *islands = build->layout->arrays->islands;
    for (uint32_t w = 0; w < build->count; w++)
        islands[island_of(build, w)].spring_count = 0;
    for (uint32_t w = 0; w < build->count; w++)
        if (ph_net_kind(joint_of(build, w)) == PH_NET_SPRING)
            islands[island_of(build, w)].spring_count++;
}

static void add_spring(Build *build, uint32_t w) {
    PhJointLayout *own = build->own;
    if (ph_net_kind(joint_of(build, w)) != PH_NET_SPRING ||
        build->layout->arrays->islands[island_of(build, w)].spring_count < MANY_SPRINGS)
        return;
    own->net_members[build->pins++] = w;
    own->seen[w] = USED;
}

// Names the islands in which nothing acts but direct trees.
static void find_swinging(Build *build) {
    PhJointLayout *own = build->own;
    PhIsland *islands = build->layout->arrays->islands;
    for (uint32_t w = 0; w < build->count; w++) {
        PhIsland *island = &islands[island_of(build, w)];
        island->swings = island->contact_count == 0;
    }
    for (uint32_t w = 0; w < build->count; w++)
        if (ph_joint_sprung_rows(joint_of(build, w)))
            islands[island_of(build, w)].swings = false;
    for (uint32_t i = 0; i < build->pins; i++)
        islands[island_of(build, own->net_members[i])].swings = false;
    for (uint32_t u = 0; u < build->units; u++)
        if (own->units[u].solves && !own->units[u].direct)
            islands[island_of(build, own->links[own->units[u].first_link].work)].swings = false;
    for (uint32_t u = 0; u < build->units; u++)
        own->units[u].swings =
            islands[island_of(build, own->links[own->units[u].first_link].work)].swings;
}

// Which units go through the lanes, and which of them are alone in their islands.
static void find_lanes(Build *build) {
    PhJointLayout *own = build->own;
    PhIsland *islands = build->layout->arrays->islands;
    uint32_t *hinged = own->edge; // by joint at work; edges are of no use any more
    for (uint32_t w = 0; w < build->count; w++) {
        PhIsland *island = &islands[island_of(build, w)];
        island->alone = island->contact_count == 0;
        hinged[w] = false;
    }
    for (uint32_t u = 0; u < build->units; u++) {
        PhJointUnit *unit = &own->units[u];
        uint32_t w = own->links[unit->first_link].work;
        unit->hinged = !islands[island_of(build, w)].articulated &&
                       ph_tree_fits(build->layout, build->bodies, unit);
        for (uint32_t l = 0; unit->hinged && l < unit->link_count; l++)
            hinged[own->links[unit->first_link + l].work] = true;
    }
    for (uint32_t w = 0; w < build->count; w++)
        if (!hinged[w])
            islands[island_of(build, w)].alone = false;
    for (uint32_t u = 0; u < build->units; u++) {
        PhJointUnit *unit = &own->units[u];
        uint32_t w = own->links[unit->first_link].work;
        unit->alone = unit->hinged && islands[island_of(build, w)].alone;
    }
}

// Lists the dynamic rows of units that are not alone, bin by bin.
static void list_tied(Build *build) {
    PhJointLayout *own = build->own;
    uint32_t count = 0;
    for (uint32_t row = 0; row < build->layout->row_count; row++)
        own->place[row] = PH_NULL;
    for (uint32_t u = 0; u < build->units; u++) {
        const PhJointUnit *unit = &own->units[u];
        for (uint32_t i = 0; !unit->alone && i < unit->body_count; i++)
            own->place[own->bodies[unit->first_body + i].row] = 0;
    }
    for (uint32_t b = 0; b < build->layout->bin_count; b++) {
        PhBin *bin = &build->layout->arrays->bins[b];
        bin->first_tied = count;
        for (uint32_t r = bin->first_row + 1; r <= bin->first_row + bin->body_count; r++)
            if (own->place[r] != PH_NULL)
                own->tied[count++] = r;
        bin->tied_count = count - bin->first_tied;
    }
}

// Whether a layout of the same joints and roles needs nothing but rows: all units are hinged, and
// none hangs on a kinematic body, which has a row in each bin.
static bool may_last(const Build *build) {
    bool lasts = build->pins == 0 && build->own->unit_block_count == 0;
    for (uint32_t i = 0; lasts && i < build->unit_bodies; i++) {
        const PhJointBody *body = &build->own->bodies[i];
        lasts = !body->fixed || body->slot == PH_NULL;
    }
    return lasts;
}

PhStatus ph_joint_layout_build(PhLayout *layout, const PhSolverBodies *bodies, bool whole) {
    struct PhLayoutArrays *arrays = layout->arrays;
    PhJointLayout *own = &arrays->joints;
    const PhSolverJoints *joints = bodies->joints;
    bool lasts = own->lasts && !whole && !arrays->articulated_count;
    own->lasts = false;
    own->unit_block_count = own->net_color_count = own->tree_count = 0;
    if (!joints || !joints->active)
        return PH_OK;
    if (lasts) {
        if (ph_reserve_array(&own->tied, &own->tied_capacity, layout->row_count,
                             sizeof *own->tied) ||
            ph_reserve_array(&own->masses, &own->mass_capacity, layout->row_count,
                             sizeof *own->masses) ||
            ph_trees_place(layout, bodies))
            return PH_ERROR_MEMORY;
        own->lasts = true;
        return PH_OK;
    }
    if (reserve(own, joints->active, joints->gears, (uint64_t)layout->row_count + 1))
        return PH_ERROR_MEMORY;
    Build build = {.layout = layout, .own = own, .bodies = bodies};
    list_ends(&build);
    list_edges(&build);
    for (uint32_t row = 0; row < layout->row_count; row++)
        own->place[row] = PH_NULL;
    memset(own->seen, FRESH, build.count);
    count_springs(&build);
    for (uint32_t b = 0; b < layout->bin_count; b++) {
        PhBin *bin = &arrays->bins[b];
        uint32_t last = bin->first_work + bin->work_count;
        bin->first_unit = build.units;
        bin->first_pin = build.pins;
        for (uint32_t w = bin->first_work; w < last; w++) {
            while (own->seen[w] == FRESH && is_edge(joint_of(&build, w)))
                add_part(&build, w); // again when others went alone
        }
        for (uint32_t w = bin->first_work; w < last; w++)
            add_spring(&build, w);
        for (uint32_t w = bin->first_work; w < last; w++)
            if (own->seen[w] == FRESH)
                add_single(&build, w);
        bin->unit_count = build.units - bin->first_unit;
        bin->pin_count = build.pins - bin->first_pin;
    }
    find_swinging(&build);
    find_lanes(&build);
    own->unit_count = build.units;
    if (ph_trees_build(layout, bodies, build.units, build.links) || ph_units_build(layout, bodies))
        return PH_ERROR_MEMORY;
    list_tied(&build);
    own->lasts = may_last(&build);
    return ph_net_build(layout, bodies, build.pins);
}

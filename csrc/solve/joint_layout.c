// Joints of a layout: which are at work, in which batch, and which of them form trees.
//
// Joints with rows that hold, or may hold, are the edges of a graph of dynamic bodies; everything
// fixed is one node. A connected part is searched breadth first, from the fixed node or from its
// heaviest body. The edges that the search follows form the tree; the others close loops. With few
// loop closures the part is solved directly. Otherwise joints that have only limits or motors leave
// it, then gears; if that is not enough, each of its joints becomes an articulation of its own.
//
// Gears are always loop closures. If nothing else joins two trees, links without rows do.
//
// Invariant: articulations depend on joints, roles and rows alone, so not on history.
//
// Source: R. Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapters 4 and 8.
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "solve/articulations.h"
#include "solve/iterative_joints.h"
#include "solve/joint_lanes.h"
#include "solve/layout.h"

// Rows of loop closures that are solved at once with their tree, by a dense matrix.
enum { MOST_CLOSURE_ROWS = 32 };

typedef struct Build {
    PhLayout *layout;
    PhJointLayout *own;
    const PhSolverBodies *bodies;
    uint32_t articulations, links, articulation_bodies, part_count;
    uint32_t iteratives, count; // iterative joints, and all at work
    uint32_t springs, sprung;   // of these: that iterative joints can have, and all
    bool rest;                  // of the part found last others have left
} Build;

static bool is_dynamic(const PhSolverBodies *bodies, uint32_t slot) {
    return slot != PH_NULL && bodies->role[slot] == PH_ROLE_DYNAMIC;
}

// Its arm is short beside the radius of gyration, so the revolute joint takes all but a tenth of
// the weight.
bool ph_joint_bears(const PhSolverBodies *bodies, const PhJoint *joint, int side) {
    if (!ph_joint_info(joint)->holds_point) {
        return false;
    }
    uint32_t slot = joint->body[side];
    const PhTransform *at = &bodies->joints->transform[slot];
    const double *center = bodies->center[slot];
    PhVec2 arm = ph_rotate(at->q, joint->anchor[side]);
    arm = ph_vec(at->p.x - center[0] + arm.x, at->p.y - center[1] + arm.y);
    double mass = bodies->exact_mass[slot], inertia = bodies->exact_inertia[slot];
    return (ph_joint_rigid_rows(joint) & 3) == 3 && mass * ph_dot(arm, arm) <= 0.01 * inertia;
}

static bool is_fixed_body(const Build *build, uint32_t solver_body) {
    const struct PhLayoutArrays *arrays = build->layout->arrays;
    uint32_t slot = arrays->solver_body_slot[solver_body];
    return !is_dynamic(build->bodies, slot);
}

static PhStatus reserve(PhJointLayout *own, uint64_t joints, uint64_t gears,
                        uint64_t solver_bodies) {
    if (PH_RESERVE(own->articulations, joints) || PH_RESERVE(own->links, joints + 3 * gears) ||
        PH_RESERVE(own->ends, joints) || PH_RESERVE(own->stiff, joints) ||
        PH_RESERVE(own->stiff_root, solver_bodies) || PH_RESERVE(own->stiff_first, solver_bodies) ||
        PH_RESERVE(own->jointed, solver_bodies) || PH_RESERVE(own->iterative_members, joints) ||
        PH_RESERVE(own->bodies, 3 * joints + 2 * gears) || PH_RESERVE(own->masses, solver_bodies) ||
        PH_RESERVE(own->gears, gears) || PH_RESERVE(own->edge, 2 * joints + 2 * gears) ||
        PH_RESERVE(own->edge_start, solver_bodies + 1) || PH_RESERVE(own->queue, solver_bodies) ||
        PH_RESERVE(own->place, solver_bodies) || PH_RESERVE(own->part, joints) ||
        PH_RESERVE(own->mesh_next, joints) || PH_RESERVE(own->mesh_last, joints + 1) ||
        PH_RESERVE(own->seen, joints)) {
        return PH_ERROR_MEMORY;
    }
    return PH_OK;
}

// The row of a body of the joint in its batch: its own, its copy's, or the fixed one.
static uint32_t solver_body_of(const Build *build, uint32_t slot, bool fixed,
                               const PhIslandBatch *batch, uint32_t *copy) {
    const struct PhLayoutArrays *arrays = build->layout->arrays;
    if (!fixed) {
        return batch->first_solver_body + arrays->members[slot].solver_body / 16;
    }
    if (slot != PH_NULL && build->bodies->role[slot] == PH_ROLE_KINEMATIC) {
        return arrays->copies[(*copy)++].solver_body;
    }
    return batch->first_solver_body;
}

static void list_gear(const Build *build, const PhJoint *joint, const PhIslandBatch *batch,
                      PhJointEnds *ends, PhJointEnds part[2], uint32_t *copy) {
    for (int k = 0; k < 2; k++) {
        uint32_t slot = joint->frame[k];
        bool fixed = !is_dynamic(build->bodies, slot);
        part[k] = (PhJointEnds){.joint = joint->geared[k],
                                .solver_a = solver_body_of(build, slot, fixed, batch, copy),
                                .solver_b = k ? ends->solver_b : ends->solver_a};
    }
}

// Lists the joints at work in order of batches, then of joints; those of a mesh, one after the
// other.
static void list_ends(Build *build) {
    struct PhLayoutArrays *arrays = build->layout->arrays;
    const PhSolverJoints *joints = build->bodies->joints;
    PhJointLayout *own = build->own;
    uint32_t batches = build->layout->batch_count, sum = 0, copy = own->first_copy, gears = 0;
    for (uint32_t b = 0; b < batches; b++) {
        arrays->batches[b].work_count = 0;
    }
    for (uint32_t mesh = 1; mesh <= own->mesh_count; mesh++) {
        own->mesh_last[mesh] = PH_NULL;
    }
    for (uint32_t j = 0; j < joints->limit; j++) {
        if (own->facts[j].dynamic != PH_NULL) {
            arrays->batches[ph_batch_of(build->layout, own->facts[j].dynamic)].work_count++;
        }
    }
    for (uint32_t b = 0; b < batches; b++) {
        arrays->batches[b].first_work = sum;
        sum += arrays->batches[b].work_count;
        arrays->batches[b].work_count = 0;
    }
    build->count = sum;
    for (uint32_t j = 0; j < joints->limit; j++) {
        const PhJointFacts *facts = &own->facts[j];
        if (facts->dynamic == PH_NULL) {
            continue;
        }
        const PhJoint *joint = &joints->joint[j];
        uint32_t island = build->layout->island[facts->dynamic];
        PhIslandBatch *batch = &arrays->batches[arrays->islands[island].batch];
        uint32_t w = batch->first_work + batch->work_count++;
        PhJointEnds *ends = &own->ends[w];
        *ends = (PhJointEnds){.joint = j,
                              .island = island,
                              .mesh = facts->mesh,
                              .fixed_a = facts->fixed_a,
                              .fixed_b = facts->fixed_b,
                              .edge = facts->edge,
                              .sprung = facts->sprung,
                              .iterative = facts->iterative};
        ends->solver_a = solver_body_of(build, joint->body[0], facts->fixed_a, batch, &copy);
        ends->solver_b = solver_body_of(build, joint->body[1], facts->fixed_b, batch, &copy);
        build->springs += facts->iterative == PH_ITERATIVE_SPRING;
        build->sprung += facts->sprung;
        if (facts->mesh) {
            uint32_t *last = &own->mesh_last[facts->mesh];
            own->mesh_next[w] = PH_NULL;
            if (*last != PH_NULL) {
                own->mesh_next[*last] = w;
            }
            *last = w;
        }
        if (facts->geared) {
            PhJointEnds *part = own->gears[gears].part;
            ends->gear = ++gears;
            list_gear(build, joint, batch, ends, part, &copy);
        }
    }
}

static const PhJoint *joint_of(const Build *build, uint32_t work) {
    return &build->bodies->joints->joint[build->own->ends[work].joint];
}

// Rows of the bodies that a gear acts on, a and b first, each once. Returns how many.
static int rows_of_gear(const Build *build, const PhJointEnds *work, uint32_t solver_bodies[4]) {
    int count = 0;
    solver_bodies[count++] = work->solver_a;
    if (work->solver_b != work->solver_a) {
        solver_bodies[count++] = work->solver_b;
    }
    for (int k = 0; k < 2; k++) {
        uint32_t solver_body = build->own->gears[work->gear - 1].part[k].solver_a;
        bool known = false;
        for (int i = 0; i < count; i++) {
            known |= solver_bodies[i] == solver_body;
        }
        if (!known) {
            solver_bodies[count++] = solver_body;
        }
    }
    return count;
}

// The dynamic ones of a work, likewise.
static inline int moved_rows(const Build *build, uint32_t w, uint32_t solver_bodies[4]) {
    const PhJointEnds *work = &build->own->ends[w];
    int count = 0;
    if (work->gear) {
        uint32_t all[4];
        for (int n = 0, most = rows_of_gear(build, work, all); n < most; n++) {
            if (!is_fixed_body(build, all[n])) {
                solver_bodies[count++] = all[n];
            }
        }
        return count;
    }
    if (!work->fixed_a) {
        solver_bodies[count++] = work->solver_a;
    }
    if (!work->fixed_b) {
        solver_bodies[count++] = work->solver_b;
    }
    return count;
}

// Compressed lists of the tree edges of every dynamic row, in order of works; without meshes.
static void list_edges(Build *build) {
    PhJointLayout *own = build->own;
    uint32_t solver_bodies = build->layout->solver_body_count;
    memset(own->edge_start, 0, (solver_bodies + 1) * sizeof *own->edge_start);
    for (int filling = 0; filling < 2; filling++) {
        for (uint32_t w = build->count; w-- > 0;) {
            uint32_t ends[4];
            bool listed = own->ends[w].edge && !own->ends[w].mesh;
            int count = listed ? moved_rows(build, w, ends) : 0;
            for (int n = 0; n < count; n++) {
                if (filling) {
                    own->edge[--own->edge_start[ends[n]]] = w;
                } else {
                    own->edge_start[ends[n]]++;
                }
            }
        }
        for (uint32_t solver_body = 1; !filling && solver_body <= solver_bodies; solver_body++) {
            own->edge_start[solver_body] += own->edge_start[solver_body - 1];
        }
    }
}

static uint32_t add_body(Build *build, const PhArticulation *articulation, uint32_t solver_body,
                         bool fixed) {
    PhJointBody *body = &build->own->bodies[build->articulation_bodies];
    *body = (PhJointBody){.solver_body = solver_body,
                          .slot = build->layout->arrays->solver_body_slot[solver_body],
                          .fixed = fixed};
    return build->articulation_bodies++ - articulation->first_body;
}

static uint32_t other_body(const PhJointEnds *work, uint32_t solver_body) {
    return work->solver_a == solver_body ? work->solver_b : work->solver_a;
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
    for (uint32_t w = least; dense && w <= most; w++) {
        found += own->seen[w] == FOUND;
    }
    if (!dense || found != build->part_count) { // or others were left
        ph_sort_numbers(own->part, build->part_count);
        return;
    }
    for (uint32_t w = least, i = 0; i < found; w++) {
        if (own->seen[w] == FOUND) {
            own->part[i++] = w;
        }
    }
}

// Lists the works of the part that a row belongs to, in order, and queues its rows; returns how
// many rows.
static uint32_t find_part(Build *build, uint32_t first_solver_body) {
    PhJointLayout *own = build->own;
    uint32_t count = 0;
    build->part_count = 0;
    build->rest = false;
    own->queue[count++] = first_solver_body;
    own->place[first_solver_body] = 0;
    for (uint32_t at = 0; at < count; at++) {
        uint32_t solver_body = own->queue[at];
        for (uint32_t e = own->edge_start[solver_body]; e < own->edge_start[solver_body + 1]; e++) {
            uint32_t w = own->edge[e], ends[4];
            if (own->seen[w] != FRESH) {
                build->rest |= own->seen[w] == USED;
                continue;
            }
            own->seen[w] = FOUND;
            own->part[build->part_count++] = w;
            for (int n = 0, most = moved_rows(build, w, ends); n < most; n++) {
                if (own->place[ends[n]] != PH_NULL) {
                    continue;
                }
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
        uint32_t solver_body = build->own->queue[i];
        float mine = build->bodies->mass[arrays->solver_body_slot[solver_body]][0];
        float least = build->bodies->mass[arrays->solver_body_slot[best]][0];
        if (mine < least || (mine == least && solver_body < best)) {
            best = solver_body;
        }
    }
    return best;
}

static uint32_t count_rows(const PhJoint *joint) {
    return (uint32_t)__builtin_popcount(ph_joint_rigid_rows(joint) | ph_joint_axis_rows(joint));
}

// Adds the link of a work whose row is new to the tree.
static void add_link(Build *build, PhArticulation *articulation, uint32_t w, uint32_t parent,
                     uint32_t solver_body) {
    PhJointLayout *own = build->own;
    own->seen[w] = USED;
    own->place[solver_body] = add_body(build, articulation, solver_body, false);
    own->links[build->links++] = (PhJointLink){w, own->place[solver_body], parent, {0, 0}};
    articulation->link_count++;
}

// From the rows that were reached on; returns how many there are then.
static uint32_t grow_from(Build *build, PhArticulation *articulation, uint32_t at,
                          uint32_t reached) {
    PhJointLayout *own = build->own;
    for (; at < reached; at++) {
        uint32_t solver_body = own->queue[at];
        for (uint32_t e = own->edge_start[solver_body]; e < own->edge_start[solver_body + 1]; e++) {
            uint32_t w = own->edge[e];
            const PhJointEnds *work = &own->ends[w];
            if (own->seen[w] == USED || work->gear || work->fixed_a || work->fixed_b) {
                continue;
            }
            uint32_t other = other_body(work, solver_body);
            if (own->place[other] != PH_NULL) {
                continue;
            }
            add_link(build, articulation, w, own->place[solver_body], other);
            own->queue[reached++] = other;
        }
    }
    return reached;
}

// A bare link over a gear from a body that was reached to one that was not, if there is such a
// gear. Returns whether.
static bool leap(Build *build, PhArticulation *articulation, uint32_t *reached) {
    PhJointLayout *own = build->own;
    for (uint32_t i = 0; i < build->part_count; i++) {
        uint32_t w = own->part[i], solver_bodies[4], from = PH_NULL, to = PH_NULL;
        int count = own->ends[w].gear ? moved_rows(build, w, solver_bodies) : 0;
        for (int n = 0; n < count; n++) {
            if (own->place[solver_bodies[n]] == PH_NULL) {
                to = solver_bodies[n];
            } else {
                from = solver_bodies[n];
            }
        }
        if (from == PH_NULL || to == PH_NULL) {
            continue;
        }
        add_link(build, articulation, w, own->place[from], to);
        own->seen[w] = FOUND;
        own->queue[(*reached)++] = to;
        return true;
    }
    return false;
}

// The tree of a part that find_part has marked. Its queue is used again.
static void grow_tree(Build *build, PhArticulation *articulation, uint32_t count) {
    PhJointLayout *own = build->own;
    uint32_t reached = 0;
    uint32_t heaviest = heaviest_of(build, count);
    for (uint32_t i = 0; i < count; i++) {
        own->place[own->queue[i]] = PH_NULL;
    }
    for (uint32_t i = 0; i < build->part_count; i++) {
        uint32_t w = own->part[i];
        const PhJointEnds *work = &own->ends[w];
        if (!(work->fixed_a || work->fixed_b) || work->gear) {
            continue;
        }
        uint32_t solver_body = work->fixed_a ? work->solver_b : work->solver_a;
        if (own->place[solver_body] != PH_NULL) {
            continue;
        }
        uint32_t ground =
            add_body(build, articulation, work->fixed_a ? work->solver_a : work->solver_b, true);
        add_link(build, articulation, w, ground, solver_body);
        own->queue[reached++] = solver_body;
    }
    articulation->root = PH_NULL;
    if (!reached) {
        articulation->root = own->place[heaviest] = add_body(build, articulation, heaviest, false);
        own->queue[reached++] = heaviest;
    }
    uint32_t at = 0;
    do {
        uint32_t grown = grow_from(build, articulation, at, reached);
        at = reached = grown;
    } while (leap(build, articulation, &reached));
}

// The body of a row in an articulation: the one that it has, or one more.
static uint32_t body_of(Build *build, const PhArticulation *articulation, uint32_t solver_body) {
    for (uint32_t i = articulation->first_body; i < build->articulation_bodies; i++) {
        if (build->own->bodies[i].solver_body == solver_body) {
            return i - articulation->first_body;
        }
    }
    return add_body(build, articulation, solver_body, is_fixed_body(build, solver_body));
}

// A gear alone: bare links from the first of its dynamic bodies to the others, and itself as a loop
// closure.
static void add_single_gear(Build *build, uint32_t w) {
    PhJointLayout *own = build->own;
    const PhJointEnds *work = &own->ends[w];
    const PhJointEnds *part = own->gears[work->gear - 1].part;
    PhArticulation *articulation = &own->articulations[build->articulations++];
    *articulation = (PhArticulation){.first_link = build->links,
                                     .first_body = build->articulation_bodies,
                                     .root = PH_NULL,
                                     .solves = work->edge};
    uint32_t solver_bodies[4];
    for (int n = 0, count = rows_of_gear(build, work, solver_bodies); n < count; n++) {
        uint32_t body = body_of(build, articulation, solver_bodies[n]);
        if (is_fixed_body(build, solver_bodies[n])) {
            continue;
        }
        if (articulation->root == PH_NULL) {
            articulation->root = body;
            continue;
        }
        own->links[build->links++] =
            (PhJointLink){.work = w, .child = body, .parent = articulation->root};
        articulation->link_count++;
    }
    articulation->first_closure = build->links;
    articulation->closure_count = 1;
    own->links[build->links++] = (PhJointLink){w,
                                               body_of(build, articulation, work->solver_b),
                                               body_of(build, articulation, work->solver_a),
                                               {body_of(build, articulation, part[0].solver_a),
                                                body_of(build, articulation, part[1].solver_a)}};
    articulation->body_count = build->articulation_bodies - articulation->first_body;
    own->seen[w] = USED;
}

// A joint alone: its dynamic body hangs on the other. One that is no edge is an articulation for
// the sake of its spring, if it has one.
static void add_single(Build *build, uint32_t w) {
    PhJointLayout *own = build->own;
    const PhJointEnds *work = &own->ends[w];
    if (work->gear) {
        add_single_gear(build, w);
        return;
    }
    bool fixed_b = work->fixed_b, fixed_a = work->fixed_a;
    PhArticulation *articulation = &own->articulations[build->articulations++];
    *articulation = (PhArticulation){.first_link = build->links,
                                     .link_count = 1,
                                     .first_closure = build->links + 1,
                                     .first_body = build->articulation_bodies,
                                     .solves = work->edge};
    uint32_t parent_solver_body = fixed_b ? work->solver_b : work->solver_a;
    uint32_t child_solver_body = fixed_b ? work->solver_a : work->solver_b;
    uint32_t parent = add_body(build, articulation, parent_solver_body, fixed_a || fixed_b);
    uint32_t child = add_body(build, articulation, child_solver_body, false);
    articulation->root = fixed_a || fixed_b ? PH_NULL : parent;
    articulation->body_count = 2;
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

static void add_mesh(Build *build, uint32_t first_work) {
    PhJointLayout *own = build->own;
    for (uint32_t w = first_work; w != PH_NULL; w = own->mesh_next[w]) {
        own->iterative_members[build->iteratives++] = w;
        own->seen[w] = USED;
    }
}

// What has been found whole, and goes as iterative joints alone, does so in each layout: it need
// not be searched again.
static void note_mesh(const Build *build) {
    PhJointLayout *own = build->own;
    own->mesh_count++;
    for (uint32_t i = 0; i < build->part_count; i++) {
        own->facts[own->ends[own->part[i]].joint].mesh = own->mesh_count;
    }
}

// An articulation for each joint of those that leave first. The others, fewer now, are as if they
// had not been examined.
static void divide_part(Build *build) {
    PhJointLayout *own = build->own;
    Stay least = STAYS_LAST;
    uint32_t solver_bodies[4];
    for (uint32_t i = 0; i < build->part_count; i++) {
        Stay stay = stay_of(build, own->part[i]);
        least = stay < least ? stay : least;
    }
    for (uint32_t i = 0; i < build->part_count; i++) {
        uint32_t w = own->part[i];
        own->seen[w] = FRESH;
        for (int n = moved_rows(build, w, solver_bodies); n-- > 0;) {
            own->place[solver_bodies[n]] = PH_NULL;
        }
        if (stay_of(build, w) != least) {
            continue;
        }
        if (own->ends[w].iterative < PH_ITERATIVE_KINDS) {
            own->iterative_members[build->iteratives++] = w;
            own->seen[w] = USED;
        } else {
            add_single(build, w);
        }
    }
}

// The part of a work that is an edge: one articulation, or more.
static void add_part(Build *build, uint32_t first_work) {
    PhJointLayout *own = build->own;
    uint32_t solver_bodies[4], closure_rows = 0;
    int last = moved_rows(build, first_work, solver_bodies) - 1;
    uint32_t count = find_part(build, solver_bodies[last]);
    // A link reaches a body, and a loop closure has a row at least: most iterative joints need no
    // tree to be told.
    if (build->part_count > count + MOST_CLOSURE_ROWS) {
        uint32_t iteratives = build->iteratives;
        divide_part(build);
        if (!build->rest && build->iteratives - iteratives == build->part_count) {
            note_mesh(build);
        }
        return;
    }
    Build before = *build;
    PhArticulation *articulation = &own->articulations[build->articulations++];
    *articulation = (PhArticulation){.first_link = build->links,
                                     .first_body = build->articulation_bodies,
                                     .direct = true,
                                     .solves = true};
    grow_tree(build, articulation, count);
    articulation->first_closure = build->links;
    for (uint32_t i = 0; i < build->part_count; i++) {
        if (own->seen[own->part[i]] == FOUND) {
            closure_rows += count_rows(joint_of(build, own->part[i]));
        }
    }
    bool whole = closure_rows <= MOST_CLOSURE_ROWS;
    for (uint32_t i = 0; whole && i < build->part_count; i++) {
        uint32_t w = own->part[i];
        if (own->seen[w] != FOUND) {
            continue;
        }
        const PhJointEnds *closure = &own->ends[w];
        bool fixed_a = closure->fixed_a, fixed_b = closure->fixed_b;
        uint32_t a = fixed_a ? add_body(build, articulation, closure->solver_a, true)
                             : own->place[closure->solver_a];
        uint32_t b = fixed_b ? add_body(build, articulation, closure->solver_b, true)
                             : own->place[closure->solver_b];
        PhJointLink *link = &own->links[build->links++];
        *link = (PhJointLink){w, b, a, {0, 0}};
        for (int k = 0; closure->gear && k < 2; k++) {
            uint32_t solver_body = own->gears[closure->gear - 1].part[k].solver_a;
            bool fixed = is_fixed_body(build, solver_body);
            link->frame[k] =
                fixed ? add_body(build, articulation, solver_body, true) : own->place[solver_body];
        }
        articulation->closure_count++;
        own->seen[w] = USED;
    }
    articulation->body_count = build->articulation_bodies - articulation->first_body;
    if (whole) {
        return;
    }
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
    for (uint32_t w = 0; build->springs && w < build->count; w++) {
        islands[island_of(build, w)].spring_count = 0;
    }
    for (uint32_t w = 0; build->springs && w < build->count; w++) {
        if (build->own->ends[w].iterative == PH_ITERATIVE_SPRING) {
            islands[island_of(build, w)].spring_count++;
        }
    }
}

static void add_spring(Build *build, uint32_t w) {
    PhJointLayout *own = build->own;
    if (own->ends[w].iterative != PH_ITERATIVE_SPRING ||
        build->layout->arrays->islands[island_of(build, w)].spring_count < MANY_SPRINGS) {
        return;
    }
    own->iterative_members[build->iteratives++] = w;
    own->seen[w] = USED;
}

// Names the islands in which nothing acts but direct trees and springs: beside trees, springs that
// a substep follows.
static void find_swinging(Build *build) {
    PhJointLayout *own = build->own;
    PhIsland *islands = build->layout->arrays->islands;
    for (uint32_t w = 0; w < build->count; w++) {
        PhIsland *island = &islands[island_of(build, w)];
        island->joints_only = island->contact_count == 0;
        island->stiff = false;
    }
    for (uint32_t w = 0; build->sprung && w < build->count; w++) {
        PhIsland *island = &islands[island_of(build, w)];
        if (own->ends[w].sprung) {
            island->joints_only &= ph_joint_oscillates(joint_of(build, w), 0);
            island->stiff |= !ph_joint_oscillates(joint_of(build, w), build->layout->substep);
        }
    }
    for (uint32_t i = 0; i < build->iteratives; i++) {
        islands[island_of(build, own->iterative_members[i])].joints_only = false;
    }
    for (uint32_t u = 0; u < build->articulations; u++) {
        PhIsland *island =
            &islands[island_of(build, own->links[own->articulations[u].first_link].work)];
        if (own->articulations[u].solves && (!own->articulations[u].direct || island->stiff)) {
            island->joints_only = false;
        }
    }
    for (uint32_t u = 0; u < build->articulations; u++) {
        own->articulations[u].joints_only =
            islands[island_of(build, own->links[own->articulations[u].first_link].work)]
                .joints_only;
    }
}

// Marks the bodies of stiff springs.
static void mark_stiff_springs(Build *build) {
    PhJointLayout *own = build->own;
    for (uint32_t r = 0; r < build->layout->solver_body_count; r++) {
        own->place[r] = PH_NULL;
    }
    for (uint32_t w = 0; build->sprung && w < build->count; w++) {
        const PhJointEnds *ends = &own->ends[w];
        if (ends->sprung && ph_joint_has_stiff_spring(joint_of(build, w), build->layout->substep)) {
            own->place[ends->solver_a] = ends->fixed_a ? PH_NULL : 0;
            own->place[ends->solver_b] = ends->fixed_b ? PH_NULL : 0;
        }
    }
}

// Whether a body of a tree has such a spring: then the two are solved together
// (joint_group_source.h).
static bool carries_stiff_springs(const PhJointLayout *own, const PhArticulation *articulation) {
    for (uint32_t i = 0; i < articulation->body_count; i++) {
        const PhJointBody *body = &own->bodies[articulation->first_body + i];
        if (!body->fixed && own->place[body->solver_body] != PH_NULL) {
            return true;
        }
    }
    return false;
}

// Which of the hinged ones go through the lanes, and which of them are alone in their islands.
static void find_lanes(Build *build) {
    PhJointLayout *own = build->own;
    PhIsland *islands = build->layout->arrays->islands;
    uint32_t *hinged = own->edge; // by joint at work; edges are of no use any more
    mark_stiff_springs(build);
    for (uint32_t w = 0; w < build->count; w++) {
        PhIsland *island = &islands[island_of(build, w)];
        island->isolated = island->contact_count == 0;
        hinged[w] = false;
    }
    for (uint32_t u = 0; u < build->articulations; u++) {
        PhArticulation *articulation = &own->articulations[u];
        uint32_t w = own->links[articulation->first_link].work;
        articulation->hinged &=
            !islands[island_of(build, w)].articulated && !carries_stiff_springs(own, articulation);
        for (uint32_t l = 0; articulation->hinged && l < articulation->link_count; l++) {
            hinged[own->links[articulation->first_link + l].work] = true;
        }
    }
    for (uint32_t w = 0; w < build->count; w++) {
        if (!hinged[w]) {
            islands[island_of(build, w)].isolated = false;
        }
    }
    for (uint32_t u = 0; u < build->articulations; u++) {
        PhArticulation *articulation = &own->articulations[u];
        uint32_t w = own->links[articulation->first_link].work;
        articulation->isolated = articulation->hinged && islands[island_of(build, w)].isolated;
    }
}

// Lists the dynamic rows of articulations that are not alone, batch by batch.
static void list_jointed(Build *build) {
    PhJointLayout *own = build->own;
    uint32_t count = 0;
    for (uint32_t solver_body = 0; solver_body < build->layout->solver_body_count; solver_body++) {
        own->place[solver_body] = PH_NULL;
    }
    for (uint32_t u = 0; u < build->articulations; u++) {
        const PhArticulation *articulation = &own->articulations[u];
        for (uint32_t i = 0; !articulation->isolated && i < articulation->body_count; i++) {
            own->place[own->bodies[articulation->first_body + i].solver_body] = 0;
        }
    }
    for (uint32_t b = 0; b < build->layout->batch_count; b++) {
        PhIslandBatch *batch = &build->layout->arrays->batches[b];
        batch->first_jointed = count;
        for (uint32_t r = batch->first_solver_body + 1;
             r <= batch->first_solver_body + batch->body_count; r++) {
            if (own->place[r] != PH_NULL) {
                own->jointed[count++] = r;
            }
        }
        batch->jointed_count = count - batch->first_jointed;
    }
}

PhStatus ph_joint_layout_build(PhLayout *layout, const PhSolverBodies *bodies, bool whole) {
    struct PhLayoutArrays *arrays = layout->arrays;
    PhJointLayout *own = &arrays->joints;
    const PhSolverJoints *joints = bodies->joints;
    bool lasts = own->lasts && !whole;
    own->lasts = false;
    own->joint_pack_count = own->iterative_color_count = own->tree_count = 0;
    if (!joints || !joints->active) {
        return PH_OK;
    }
    if (lasts) {
        own->lasts = ph_lasting_trees_place(layout, bodies) == PH_OK;
        return own->lasts ? PH_OK : PH_ERROR_MEMORY;
    }
    if (reserve(own, joints->active, joints->gears, (uint64_t)layout->solver_body_count + 1)) {
        return PH_ERROR_MEMORY;
    }
    Build build = {.layout = layout, .own = own, .bodies = bodies};
    list_ends(&build);
    list_edges(&build);
    for (uint32_t solver_body = 0; solver_body < layout->solver_body_count; solver_body++) {
        own->place[solver_body] = PH_NULL;
    }
    memset(own->seen, FRESH, build.count);
    count_springs(&build);
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        PhIslandBatch *batch = &arrays->batches[b];
        uint32_t last = batch->first_work + batch->work_count;
        batch->first_articulation = build.articulations;
        batch->first_iterative = build.iteratives;
        for (uint32_t w = batch->first_work; w < last; w++) {
            while (own->seen[w] == FRESH && own->ends[w].edge) {
                if (own->ends[w].mesh) {
                    add_mesh(&build, w);
                } else {
                    add_part(&build, w); // again when others went alone
                }
            }
        }
        for (uint32_t w = batch->first_work; build.springs && w < last; w++) {
            add_spring(&build, w);
        }
        for (uint32_t w = batch->first_work; w < last; w++) {
            if (own->seen[w] == FRESH) {
                add_single(&build, w);
            }
        }
        batch->articulation_count = build.articulations - batch->first_articulation;
        batch->iterative_count = build.iteratives - batch->first_iterative;
    }
    own->articulation_count = build.articulations;
    own->link_count = build.links;
    own->body_count = build.articulation_bodies;
    own->end_count = build.count;
    if (ph_lasting_trees_find(layout, bodies) && !build.iteratives) {
        own->lasts = ph_trees_number(layout, bodies, build.articulations, build.links) == PH_OK &&
                     ph_lasting_trees_place(layout, bodies) == PH_OK;
        return own->lasts ? ph_iterative_build(layout, bodies, 0) : PH_ERROR_MEMORY;
    }
    find_swinging(&build);
    find_lanes(&build);
    if (ph_trees_build(layout, bodies, build.articulations, build.links) ||
        ph_articulations_build(layout, bodies, build.articulations)) {
        return PH_ERROR_MEMORY;
    }
    list_jointed(&build);
    return ph_iterative_build(layout, bodies, build.iteratives);
}

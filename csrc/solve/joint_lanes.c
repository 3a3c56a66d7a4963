// Trees of revolute joints that use the lanes of joint_lanes_source.h: which trees, in which packs,
// and the start and end of a step.
//
// An articulation is among them if it is a tree without loop closures whose joints are all
// revolute. Articulations of a batch with the same shape (the same tree of joints and fixed bodies)
// share packs, in order. Unused lanes repeat the first one and are not read. If more than two
// thirds would be unused, each articulation has a pack of width 1. If such a tree is isolated and
// has nothing but revolute joints, its bodies are in the lanes (joint_across_source.h).
//
// Links of wide packs are loaded and stored by joint_ends_source.h, four lanes at once.
//
// Invariant: packs depend on the articulations alone, and a lane computes nothing that depends on
// other lanes.
#include "solve/joint_lanes.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "math/trig.h"
#include "solve/articulations.h"
#include "solve/iterative_joints.h"

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
    SPIN = SPRING + 3,
    TURN_IMPULSE,
    TORQUE,
    SOLVE_STATE,
    RELAX_STATE,
    ANGLE_FIELDS = RELAX_STATE + 13,
};
_Static_assert((int)BODY_FIELDS == (int)PH_TREE_BODY_FIELDS, "fields of a body");
_Static_assert((int)ANGLE_FIELDS == (int)PH_TREE_ANGLE_FIELDS, "fields of an angle");

// ------------------------------------------------------------------------------------------------
// layout

static const PhJoint *joint_of(const PhLayout *layout, const PhSolverBodies *bodies,
                               const PhJointLink *link) {
    return &bodies->joints->joint[layout->arrays->joints.ends[link->work].joint];
}

bool ph_tree_fits(const PhLayout *layout, const PhSolverBodies *bodies,
                  const PhArticulation *articulation) {
    const PhJointLink *links = layout->arrays->joints.links + articulation->first_link;
    if (!articulation->direct || articulation->closure_count) {
        return false;
    }
    for (uint32_t l = 0; l < articulation->link_count; l++) {
        const PhJoint *joint = joint_of(layout, bodies, &links[l]);
        if (!ph_joint_info(joint)->hinge || ph_joint_rigid_rows(joint) != 3 ||
            ph_joint_is_stiff(joint, layout->substep)) { // met with all others, by float64
            return false;
        }
    }
    return true;
}

static uint8_t flags_of(const PhJoint *joint) {
    unsigned flags = ph_joint_axis_rows(joint) ? PH_TREE_AXIS : 0;
    return (uint8_t)(flags | (ph_joint_sprung_rows(joint) ? PH_TREE_SPRUNG : 0));
}

// What articulations of one pack have in common, one word after the other.
typedef struct Shape {
    const PhJointLayout *own;
    const PhArticulation *articulation;
} Shape;

static uint64_t shape_word(const Shape *shape, uint32_t i) {
    const PhJointLayout *own = shape->own;
    const PhArticulation *articulation = shape->articulation;
    if (i == 0) {
        return articulation->root;
    }
    if (i <= articulation->link_count) {
        uint32_t l = articulation->first_link + i - 1;
        uint64_t ends = (uint64_t)own->links[l].child << 32 | own->links[l].parent;
        return ends << 2 ^ (own->tree_link_flags[l] & PH_TREE_AXIS ? 1u : 0u) ^
               (own->tree_link_flags[l] & PH_TREE_SPRUNG ? 2u : 0u);
    }
    return own->bodies[articulation->first_body + i - 1 - articulation->link_count].fixed;
}

static uint64_t hash_shape(const Shape *shape) {
    uint32_t words = 1 + shape->articulation->link_count + shape->articulation->body_count;
    uint64_t hash = ph_joint_mix(shape->articulation->link_count, shape->articulation->body_count);
    for (uint32_t i = 0; i < words; i++) {
        hash = ph_joint_mix(hash, shape_word(shape, i));
    }
    return hash;
}

static bool same_shape(const Shape *a, const Shape *b) {
    uint32_t words = 1 + a->articulation->link_count + a->articulation->body_count;
    bool same = a->articulation->link_count == b->articulation->link_count &&
                a->articulation->body_count == b->articulation->body_count;
    for (uint32_t i = 0; same && i < words; i++) {
        same = shape_word(a, i) == shape_word(b, i);
    }
    return same;
}

static bool less_member(const void *a, const void *b, const void *context) {
    const PhTreeMember *x = a, *y = b;
    (void)context;
    return x->hash != y->hash ? x->hash < y->hash : x->articulation < y->articulation;
}

// Numbers the shapes of members sorted by hash.
static void number_shapes(PhJointLayout *own, uint32_t members) {
    uint32_t shapes = 0;
    for (uint32_t m = 0; m < members; m++) {
        PhArticulation *articulation = &own->articulations[own->tree_members[m].articulation];
        Shape shape = {own, articulation}, before = shape;
        bool same = m > 0 && own->tree_members[m].hash == own->tree_members[m - 1].hash;
        if (same) {
            before.articulation = &own->articulations[own->tree_members[m - 1].articulation];
            same = same_shape(&shape, &before);
        }
        articulation->shape = same ? before.articulation->shape : shapes++;
    }
}

// Divides the members of a batch, sorted by shape, into packs.
static void split_packs(PhLayout *layout, PhIslandBatch *batch, uint32_t first, uint32_t last) {
    PhJointLayout *own = &layout->arrays->joints;
    uint32_t lanes = layout->arrays->kernels->lanes;
    batch->first_tree = own->tree_count;
    ph_sort(own->tree_members + first, last - first, sizeof *own->tree_members, less_member, NULL);
    for (uint32_t m = first; m < last;) {
        const PhArticulation *articulation = &own->articulations[own->tree_members[m].articulation];
        uint32_t count = 1, width = lanes;
        while (count < lanes && m + count < last &&
               own->tree_members[m + count].hash == own->tree_members[m].hash) {
            count++;
        }
        if (3 * count <= lanes) {
            count = width = 1;
        }
        own->trees[own->tree_count++] =
            (PhTreePackPlan){.first_member = m,
                             .count = count,
                             .width = width,
                             .body_count = articulation->body_count,
                             .joints_only = articulation->joints_only,
                             .isolated = articulation->isolated,
                             .first_lane = own->tree_lane_count,
                             .first_solver_body = own->tree_solver_body_count,
                             .first_body = own->tree_body_count};
        own->tree_lane_count += width;
        own->tree_solver_body_count += articulation->body_count * width;
        own->tree_body_count += articulation->body_count;
        m += count;
    }
    batch->tree_count = own->tree_count - batch->first_tree;
}

static PhTreeJoints tree_joints_of(const PhJointLayout *own, const PhTreePackPlan *tree,
                                   size_t body) {
    return ph_tree_joints(own->tree_joints + tree->first_solver_body, body, tree->width);
}
static void tree_joint(const PhJointLayout *own, const PhTreePackPlan *tree, size_t body,
                       size_t lane, PhTreeJoint one) {
    PhTreeJoints tree_joints = tree_joints_of(own, tree, body);
    size_t width = tree->width;
    tree_joints.slot[lane] = one.slot;
    tree_joints.parent[lane] = one.parent;
    tree_joints.joint[lane] = one.joint;
    tree_joints.turned[lane] = one.turned;
    tree_joints.anchor[lane] = one.anchor_c.x;
    tree_joints.anchor[width + lane] = one.anchor_c.y;
    tree_joints.anchor[2 * width + lane] = one.anchor_p.x;
    tree_joints.anchor[3 * width + lane] = one.anchor_p.y;
}
static PhTreeJoint tree_joint_of(const PhJointLayout *own, const PhTreePackPlan *tree, size_t body,
                                 size_t lane) {
    PhTreeJoints tree_joints = tree_joints_of(own, tree, body);
    const double *anchor = tree_joints.anchor + lane;
    size_t width = tree->width;
    return (PhTreeJoint){tree_joints.slot[lane],     tree_joints.parent[lane],
                         tree_joints.joint[lane],    tree_joints.turned[lane],
                         {anchor[0], anchor[width]}, {anchor[2 * width], anchor[3 * width]}};
}

// Of a pack; and what of its joints stays as it is while the layout lasts.
static void fill_tree(PhLayout *layout, const PhIslandBatch *batch, PhTreePackPlan *tree) {
    PhJointLayout *own = &layout->arrays->joints;
    const PhArticulation *articulation =
        &own->articulations[own->tree_members[tree->first_member].articulation];
    uint32_t *parents = own->tree_parents + tree->first_body;
    uint8_t *flags = own->tree_flags + tree->first_body;
    for (uint32_t i = 0; i < articulation->body_count; i++) {
        parents[i] = PH_NULL;
        flags[i] = own->bodies[articulation->first_body + i].fixed ? PH_TREE_FIXED : 0;
    }
    for (uint32_t l = articulation->first_link;
         l < articulation->first_link + articulation->link_count; l++) {
        parents[own->links[l].child] = own->links[l].parent;
        flags[own->links[l].child] |= own->tree_link_flags[l];
        tree->axes |= own->tree_link_flags[l] & PH_TREE_AXIS;
        tree->sprung |= own->tree_link_flags[l] & PH_TREE_SPRUNG;
    }
    tree->across = tree->width == 1 && tree->isolated && !tree->axes && !tree->sprung;
    for (uint32_t i = articulation->body_count; i-- > 0;) {
        uint32_t parent = parents[i];
        if ((parent == PH_NULL) != (i == 0)) {
            tree->across = false;
        }
        if (parent == PH_NULL || flags[parent] & PH_TREE_FIXED) {
            continue;
        }
        bool joined = parent + 1 == i, first = !(flags[parent] & PH_TREE_SHARED);
        flags[parent] |= joined ? PH_TREE_JOINED : PH_TREE_SHARED;
        flags[i] |= !joined && first ? PH_TREE_FIRST : 0;
    }
    for (uint32_t lane = 0; lane < tree->width; lane++) {
        // Lanes that are left over repeat the first.
        uint32_t member = tree->first_member + (lane < tree->count ? lane : 0);
        articulation = &own->articulations[own->tree_members[member].articulation];
        for (uint32_t i = 0; i < articulation->body_count; i++) {
            const PhJointBody *body = &own->bodies[articulation->first_body + i];
            uint32_t at = tree->first_solver_body + i * tree->width + lane;
            own->tree_solver_bodies[at] = 16 * (body->solver_body - batch->first_solver_body);
            tree_joint(own, tree, i, lane, (PhTreeJoint){.slot = body->slot, .joint = PH_NULL});
        }
        for (uint32_t l = articulation->first_link;
             l < articulation->first_link + articulation->link_count; l++) {
            tree_joint(own, tree, own->links[l].child, lane, own->tree_links[l]);
        }
    }
}

// From a field of a body to its next one, in words.
static size_t field_step(const PhTreePackPlan *tree) {
    return tree->across
               ? ((size_t)tree->body_count + PH_TREE_OCTET - 1) / PH_TREE_OCTET * PH_TREE_OCTET
               : tree->width;
}

static size_t data_size(const PhTreePackPlan *tree) { // in multiples of 64 bytes
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
static float *body_of(const PhTreePack *pack, const PhTreePackPlan *tree, size_t body,
                      size_t lane) {
    return pack->data + body * (tree->across ? 1 : tree->width * PH_TREE_BODY_FIELDS) + lane;
}
static float *angle_of(const PhTreePack *pack, const PhTreePackPlan *tree, size_t body,
                       size_t lane) {
    float *angles = body_of(pack, tree, tree->body_count, 0);
    return angles + body * tree->width * PH_TREE_ANGLE_FIELDS + lane;
}

// The nearest float, infinite beyond the largest, as IEC 60559 has it and the lanes do it.
static float narrow(double x) {
    return (float)x;
}

// Masses in units of a power of two near the heaviest of each tree.
static void fill_masses(PhJointLayout *own, const PhSolverBodies *bodies,
                        const PhTreePackPlan *tree) {
    const uint8_t *flags = own->tree_flags + tree->first_body;
    size_t width = tree->width;
    float *masses = own->tree_masses + 2 * (size_t)tree->first_solver_body;
    for (size_t lane = 0; lane < width; lane++) {
        double most = 0;
        int exponent = 0;
        for (size_t i = 0; i < tree->body_count; i++) {
            uint32_t slot = tree_joints_of(own, tree, i).slot[lane];
            double mass = flags[i] & PH_TREE_FIXED ? 0 : bodies->exact_mass[slot];
            most = mass > most ? mass : most;
        }
        frexp(most, &exponent);
        double scale = ldexp(1, exponent > 120 ? -120 : exponent < -120 ? 120 : -exponent);
        own->tree_scales[tree->first_lane + lane] = scale;
        for (size_t i = 0; i < tree->body_count; i++) {
            float *mass = masses + 2 * i * width + lane;
            uint32_t slot = tree_joints_of(own, tree, i).slot[lane];
            mass[0] = mass[width] = 0;
            if (flags[i] & PH_TREE_FIXED) {
                continue;
            }
            mass[0] = narrow(scale * bodies->exact_mass[slot]);
            mass[width] = narrow(scale * ph_joint_own_inertia(bodies, slot));
        }
    }
}

// Packs of the members of each batch, which follow each other: by shape, and what swings or is
// alone apart.
static PhStatus make_packs(PhLayout *layout, const PhSolverBodies *bodies,
                           const uint32_t *members_of) {
    PhJointLayout *own = &layout->arrays->joints;
    own->tree_count = own->tree_lane_count = own->tree_solver_body_count = own->tree_body_count = 0;
    for (uint32_t b = 0, first = 0; b < layout->batch_count; b++) {
        PhIslandBatch *batch = &layout->arrays->batches[b];
        for (uint32_t m = first; m < first + members_of[b]; m++) {
            const PhArticulation *articulation =
                &own->articulations[own->tree_members[m].articulation];
            own->tree_members[m].hash = 4 * (uint64_t)articulation->shape +
                                        2 * (uint64_t)articulation->isolated +
                                        articulation->joints_only;
        }
        split_packs(layout, batch, first, first + members_of[b]);
        first += members_of[b];
    }
    uint64_t data = 0;
    if (PH_RESERVE(own->tree_solver_bodies, own->tree_solver_body_count) ||
        PH_RESERVE(own->tree_joints, own->tree_solver_body_count) ||
        PH_RESERVE(own->tree_parents, own->tree_body_count) ||
        PH_RESERVE(own->tree_flags, own->tree_body_count) ||
        ph_reserve(&own->tree_masses, own->tree_solver_body_count, 2 * sizeof *own->tree_masses) ||
        PH_RESERVE(own->tree_scales, own->tree_lane_count)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        PhIslandBatch *batch = &layout->arrays->batches[b];
        size_t scratch = 0;
        for (uint32_t t = batch->first_tree; t < batch->first_tree + batch->tree_count; t++) {
            PhTreePackPlan *tree = &own->trees[t];
            fill_tree(layout, batch, tree);
            tree->first_data = (uint32_t)data;
            size_t size = data_size(tree);
            data += size;
            if (tree->isolated && tree->width > 1 && size > scratch) {
                scratch = size;
            }
            if (data > UINT32_MAX) {
                return PH_ERROR_MEMORY;
            }
        }
        batch->tree_scratch = (uint32_t)data;
        data += scratch;
    }
    if (ph_reserve(&own->tree_data, data, 64)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t t = 0; t < own->tree_count; t++) {
        const PhTreePackPlan *tree = &own->trees[t];
        fill_masses(own, bodies, tree);
        if (tree->width == 1) { // wide ones are loaded whole, over what was there
            memset(data_at(own, tree->first_data), 0, data_size(tree) * 64);
        }
    }
    return PH_OK;
}

static PhStatus reserve(PhLayout *layout, uint32_t articulations, uint32_t links) {
    PhJointLayout *own = &layout->arrays->joints;
    if (PH_RESERVE(own->trees, articulations) || PH_RESERVE(own->tree_members, articulations) ||
        PH_RESERVE(own->tree_links, links) || PH_RESERVE(own->tree_link_flags, links) ||
        PH_RESERVE(own->tree_of_batch, layout->batch_count)) {
        return PH_ERROR_MEMORY;
    }
    return PH_OK;
}

PhStatus ph_trees_number(PhLayout *layout, const PhSolverBodies *bodies, uint32_t articulations,
                         uint32_t links) {
    PhJointLayout *own = &layout->arrays->joints;
    uint32_t members = 0;
    if (reserve(layout, articulations, links)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t u = 0; u < articulations; u++) {
        PhArticulation *articulation = &own->articulations[u];
        const PhJointBody *named = own->bodies + articulation->first_body;
        if (!articulation->hinged) {
            continue;
        }
        for (uint32_t l = 0; l < articulation->link_count; l++) {
            const PhJointLink *link = &own->links[articulation->first_link + l];
            const PhJointEnds *ends = &own->ends[link->work];
            const PhJoint *joint = &bodies->joints->joint[ends->joint];
            bool turned = named[link->child].solver_body == ends->solver_a;
            uint8_t flags = flags_of(joint);
            articulation->sprung |=
                flags & PH_TREE_SPRUNG && !ph_joint_oscillates(joint, layout->substep);
            own->tree_link_flags[articulation->first_link + l] = flags;
            own->tree_links[articulation->first_link + l] =
                (PhTreeJoint){joint->body[!turned],   joint->body[turned],  ends->joint, turned,
                              joint->anchor[!turned], joint->anchor[turned]};
        }
        Shape shape = {own, articulation};
        own->tree_members[members++] = (PhTreeMember){hash_shape(&shape), u};
    }
    ph_sort(own->tree_members, members, sizeof *own->tree_members, less_member, NULL);
    number_shapes(own, members);
    return PH_OK;
}

PhStatus ph_trees_build(PhLayout *layout, const PhSolverBodies *bodies, uint32_t articulations,
                        uint32_t links) {
    PhJointLayout *own = &layout->arrays->joints;
    uint32_t members = 0;
    if (ph_trees_number(layout, bodies, articulations, links)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        const PhIslandBatch *batch = &layout->arrays->batches[b];
        uint32_t first = members;
        for (uint32_t u = batch->first_articulation;
             u < batch->first_articulation + batch->articulation_count; u++) {
            if (own->articulations[u].hinged) {
                own->tree_members[members++].articulation = u;
            }
        }
        own->tree_of_batch[b] = members - first;
    }
    return make_packs(layout, bodies, own->tree_of_batch);
}

uint32_t ph_articulation_slot(const PhJointLayout *own, const PhArticulation *articulation) {
    return own->bodies[articulation->first_body + own->links[articulation->first_link].child].slot;
}

void ph_articulation_place(PhLayout *layout, const PhArticulation *articulation,
                           const PhIslandBatch *batch, uint32_t *jointed) {
    PhJointLayout *own = &layout->arrays->joints;
    PhJointBody *bodies = own->bodies + articulation->first_body;
    for (uint32_t i = 0; i < articulation->body_count; i++) {
        bodies[i].solver_body = batch->first_solver_body;
        if (bodies[i].fixed) {
            continue;
        }
        bodies[i].solver_body += layout->arrays->members[bodies[i].slot].solver_body / 16;
        if (!articulation->isolated) {
            own->jointed[(*jointed)++] = bodies[i].solver_body;
        }
    }
}

PhStatus ph_trees_place(PhLayout *layout, const PhSolverBodies *bodies) {
    struct PhLayoutArrays *arrays = layout->arrays;
    PhJointLayout *own = &arrays->joints;
    uint32_t jointed = 0, sum = 0, *of_batch;
    if (reserve(layout, own->articulation_count, 0)) {
        return PH_ERROR_MEMORY;
    }
    of_batch = own->tree_of_batch;
    memset(of_batch, 0, layout->batch_count * sizeof *of_batch);
    for (uint32_t u = 0; u < own->articulation_count; u++) {
        PhIsland *island =
            &arrays->islands[layout->island[ph_articulation_slot(own, &own->articulations[u])]];
        island->joints_only = island->isolated = island->contact_count == 0;
        of_batch[island->batch] += !island->articulated;
    }
    for (uint32_t u = 0; u < own->articulation_count; u++) {
        if (own->articulations[u].sprung) {
            arrays->islands[layout->island[ph_articulation_slot(own, &own->articulations[u])]]
                .joints_only = false;
        }
    }
    for (uint32_t b = 0; b < layout->batch_count; b++) { // starts
        arrays->batches[b].first_jointed = sum;
        sum += of_batch[b];
        of_batch[b] = sum - of_batch[b];
    }
    for (uint32_t u = 0; u < own->articulation_count; u++) {
        const PhIsland *island =
            &arrays->islands[layout->island[ph_articulation_slot(own, &own->articulations[u])]];
        own->articulations[u].joints_only = island->joints_only;
        own->articulations[u].isolated = island->isolated;
        if (!island->articulated) {
            own->tree_members[of_batch[island->batch]++].articulation = u;
        }
    }
    for (uint32_t b = 0; b < layout->batch_count; b++) { // now ends; numbers again
        PhIslandBatch *batch = &arrays->batches[b];
        uint32_t first = batch->first_jointed, last = of_batch[b];
        batch->first_jointed = jointed;
        for (uint32_t m = first; m < last; m++) {
            ph_articulation_place(layout, &own->articulations[own->tree_members[m].articulation],
                                  batch, &jointed);
        }
        batch->jointed_count = jointed - batch->first_jointed;
        of_batch[b] = last - first;
    }
    own->jointed_count = jointed;
    return make_packs(layout, bodies, of_batch);
}

// ------------------------------------------------------------------------------------------------
// a step

// For kernels.
static PhTreePack pack_of(const PhJointRun *run, const PhTreePackPlan *tree, uint32_t data) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    return (PhTreePack){.parent = own->tree_parents + tree->first_body,
                        .flags = own->tree_flags + tree->first_body,
                        .solver_bodies = own->tree_solver_bodies + tree->first_solver_body,
                        .scale = own->tree_scales + tree->first_lane,
                        .mass = own->tree_masses + 2 * (size_t)tree->first_solver_body,
                        .tree_joints = own->tree_joints + tree->first_solver_body,
                        .data = data_at(own, data),
                        .body_count = tree->body_count,
                        .count = tree->count,
                        .axes = tree->axes,
                        .sprung = tree->sprung,
                        .joints_only = tree->joints_only,
                        .isolated = tree->isolated,
                        .damped = run->damped};
}

static PhTreeWorld world_of(const PhJointRun *run) {
    const PhSolverBodies *bodies = run->bodies;
    return (PhTreeWorld){.transform = bodies->joints->transform,
                         .center = (const double(*)[2])bodies->center,
                         .effective_inertia = bodies->joints->effective_inertia,
                         .result = bodies->joints->result,
                         .h = run->h,
                         .dt = run->parameters->dt,
                         .wrap = bodies->wrap};
}

// The other one where the child is body a of the joint.
static uint8_t turn_state(uint8_t state, bool turned, bool motor) {
    if (!turned) {
        return state;
    }
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

static void load_angle(const PhJointRun *run, const PhTreeJoint *tree_joint, double scale,
                       PhSpringCache *cache, float *field, size_t width) {
    const PhSolverBodies *bodies = run->bodies;
    const PhJoint *joint = &bodies->joints->joint[tree_joint->joint];
    const PhJointResult *last = &bodies->joints->result[tree_joint->joint];
    const double *value = joint->value;
    double sign = tree_joint->turned ? -1 : 1;
    double angle = bodies->angle[tree_joint->slot];
    angle -= tree_joint->parent == PH_NULL ? 0 : bodies->angle[tree_joint->parent];
    angle -= sign * joint->reference;
    bool sprung = value[PH_JOINT_HERTZ] > 0, motor = value[PH_JOINT_MAX_MOTOR] > 0;
    PhJointSpring spring = {0};
    if (sprung) {
        spring = ph_joint_spring(joint, run->h, cache);
    }
    double lower = tree_joint->turned ? -value[PH_JOINT_UPPER] : value[PH_JOINT_LOWER];
    double upper = tree_joint->turned ? -value[PH_JOINT_LOWER] : value[PH_JOINT_UPPER];
    field[LOWER * width] = narrow(lower - angle);
    field[UPPER * width] = narrow(upper - angle);
    field[TARGET * width] = narrow(angle - sign * value[PH_JOINT_TARGET]);
    field[SPEED * width] = narrow(sign * value[PH_JOINT_SPEED]);
    field[MOTOR * width] = narrow(scale * value[PH_JOINT_MAX_MOTOR]);
    field[SPRING * width] = narrow(spring.pull);
    field[(SPRING + 1) * width] = narrow(spring.slows);
    field[(SPRING + 2) * width] = narrow(spring.lags);
    field[SPIN * width] = field[TURN_IMPULSE * width] = field[TORQUE * width] = 0;
    // The points have no state: the angle's after a biased solve is kept in the place of theirs.
    field[SOLVE_STATE * width] = turn_state(last->state[1], tree_joint->turned, motor);
    field[RELAX_STATE * width] = turn_state(last->state[2], tree_joint->turned, motor);
}

// Where an anchor is: its arm from the centre of mass of its body, and that.
typedef struct End {
    PhVec2 arm, from;
} End;
static End end_of(const PhSolverBodies *bodies, uint32_t slot, PhVec2 anchor) {
    if (slot == PH_NULL) {
        return (End){{0, 0}, anchor};
    }
    const PhTransform *at = &bodies->joints->transform[slot];
    const double *center = bodies->center[slot];
    PhVec2 reach = ph_rotate(at->q, anchor);
    return (End){{(at->p.x - center[0]) + reach.x, (at->p.y - center[1]) + reach.y},
                 {center[0], center[1]}};
}

static void load_link(const PhJointRun *run, const PhTreeJoint *tree_joint, double scale,
                      float *child, float *parent, size_t width) {
    const PhSolverBodies *bodies = run->bodies;
    const float *load = bodies->joints->result[tree_joint->joint].load;
    End c = end_of(bodies, tree_joint->slot, tree_joint->anchor_c);
    End p = end_of(bodies, tree_joint->parent, tree_joint->anchor_p);
    PhVec2 gap = {(c.from.x - p.from.x) + (c.arm.x - p.arm.x),
                  (c.from.y - p.from.y) + (c.arm.y - p.arm.y)};
    gap = ph_wrap_least(&bodies->wrap, gap);
    double impulse = (tree_joint->turned ? -scale : scale) * run->h;
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

static void load_angles(const PhJointRun *run, const PhTreePackPlan *tree, const PhTreePack *pack) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    PhSpringCache cache = {.known = false};
    for (size_t i = 0; i < tree->body_count; i++) {
        for (size_t lane = 0;
             lane < tree->width && pack->flags[i] & (PH_TREE_AXIS | PH_TREE_SPRUNG); lane++) {
            PhTreeJoint at = tree_joint_of(own, tree, i, lane);
            load_angle(run, &at, pack->scale[lane], &cache, angle_of(pack, tree, i, lane),
                       tree->width);
        }
    }
}

static void load_tree(const PhJointRun *run, const PhTreePackPlan *tree, const PhTreePack *pack) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    const double *effective_inertia = run->bodies->joints->effective_inertia;
    size_t width = tree->width, step = field_step(tree);
    if (width > 1) {
        PhTreeWorld world = world_of(run);
        run->layout->arrays->kernels->tree_load(&world, pack);
    }
    for (size_t i = 0; i < tree->body_count && width == 1; i++) {
        float *field = body_of(pack, tree, i, 0);
        field[NOTE * step] = 0;
        field[MASS * step] = pack->mass[2 * i];
        field[OWN * step] = pack->mass[2 * i + 1];
        if (pack->flags[i] & PH_TREE_FIXED) {
            continue;
        }
        PhTreeJoint at = tree_joint_of(own, tree, i, 0);
        float before = narrow(pack->scale[0] * effective_inertia[at.slot]),
              least = field[OWN * step];
        field[INERTIA * step] = before > least ? before : least;
        if (pack->parent[i] != PH_NULL) {
            load_link(run, &at, pack->scale[0], field, body_of(pack, tree, pack->parent[i], 0),
                      step);
        }
    }
    if (tree->axes || tree->sprung) {
        load_angles(run, tree, pack);
    }
}

static void store_link(const PhJointRun *run, const PhTreeJoint *tree_joint, double scale,
                       const float *body, size_t step) {
    PhJointResult *result = &run->bodies->joints->result[tree_joint->joint];
    double sign = tree_joint->turned ? -1 : 1, inv_dt = sign / (scale * run->parameters->dt);
    double inv_h = sign / (scale * run->h);
    for (size_t k = 0; k < 2; k++) {
        result->load[k] = narrow(inv_h * (double)body[(IMPULSE + k) * step]);
        result->force[k] = inv_dt * (double)body[(FORCE + k) * step];
    }
    result->load[2] = 0;
    result->torque = 0;
}

static void store_angle(const PhJointRun *run, const PhTreeJoint *tree_joint, double scale,
                        const float *angle, size_t width) {
    PhJointResult *result = &run->bodies->joints->result[tree_joint->joint];
    double sign = tree_joint->turned ? -1 : 1, inv_dt = sign / (scale * run->parameters->dt);
    double inv_h = sign / (scale * run->h);
    bool motor = angle[MOTOR * width] > 0;
    result->load[2] = narrow(inv_h * (double)angle[TURN_IMPULSE * width]);
    result->torque = inv_dt * (double)angle[TORQUE * width];
    result->state[1] = turn_state((uint8_t)angle[SOLVE_STATE * width], tree_joint->turned, motor);
    result->state[2] = turn_state((uint8_t)angle[RELAX_STATE * width], tree_joint->turned, motor);
}

static void store_angles(const PhJointRun *run, const PhTreePackPlan *tree,
                         const PhTreePack *pack) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    for (size_t i = 0; i < tree->body_count; i++) {
        for (size_t lane = 0;
             lane < tree->count && pack->flags[i] & (PH_TREE_AXIS | PH_TREE_SPRUNG); lane++) {
            PhTreeJoint at = tree_joint_of(own, tree, i, lane);
            store_angle(run, &at, pack->scale[lane], angle_of(pack, tree, i, lane), tree->width);
        }
    }
}

static void store_tree(const PhJointRun *run, const PhTreePackPlan *tree, const PhTreePack *pack) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    double *effective_inertia = run->bodies->joints->effective_inertia;
    size_t width = tree->width, step = field_step(tree);
    if (width > 1) {
        PhTreeWorld world = world_of(run);
        run->layout->arrays->kernels->tree_store(&world, pack);
    }
    for (size_t i = 0; i < tree->body_count && width == 1; i++) {
        if (pack->flags[i] & PH_TREE_FIXED) {
            continue;
        }
        PhTreeJoint at = tree_joint_of(own, tree, i, 0);
        const float *field = body_of(pack, tree, i, 0);
        bool more = field[INERTIA * step] > field[OWN * step];
        if (tree->isolated) { // else masses know
            effective_inertia[at.slot] = more ? (double)field[INERTIA * step] / pack->scale[0] : 0;
        }
        if (at.joint != PH_NULL) {
            store_link(run, &at, pack->scale[0], field, step);
        }
    }
    if (tree->axes || tree->sprung) {
        store_angles(run, tree, pack);
    }
}

static PhTreePass make_pass(const PhJointRun *run, const PhIslandBatch *batch) {
    const struct PhLayoutArrays *arrays = run->layout->arrays;
    return (PhTreePass){.solver_bodies =
                            ph_solver_bodies_from(arrays->solver_bodies, batch->first_solver_body),
                        .masses = arrays->joints.masses + batch->first_solver_body,
                        .h = (float)run->h,
                        .inv_h = (float)(1 / run->h),
                        .most_speed = narrow(2 * run->parameters->max_speed),
                        .most_spin = narrow(PH_PI / run->h)};
}

static void pass_tree(const PhJointRun *run, const PhTreePackPlan *tree, const PhTreePack *pack,
                      PhTreePass *pass, PhTreePassKind kind) {
    const struct PhLayoutArrays *arrays = run->layout->arrays;
    const PhKernels *kernels = tree->width == 1 ? &ph_kernels_scalar : arrays->kernels;
    PhTreeKernel *kernel = tree->across ? arrays->kernels->pass_across : kernels->tree_pass;
    pass->kind = kind;
    pass->share = kind == PH_TREE_START ? -0.5f : kind == PH_TREE_END ? 0.5f : 0;
    kernel(pass, pack);
}

void ph_trees_load(const PhJointRun *run, const PhIslandBatch *batch) {
    const PhTreePackPlan *trees = run->layout->arrays->joints.trees + batch->first_tree;
    PhTreePass pass = make_pass(run, batch);
    for (uint32_t t = 0; t < batch->tree_count; t++) {
        if (trees[t].isolated) {
            continue;
        }
        PhTreePack pack = pack_of(run, &trees[t], trees[t].first_data);
        load_tree(run, &trees[t], &pack);
        pass_tree(run, &trees[t], &pack, &pass, PH_TREE_START);
    }
}

#include "solve/joint_noting_source.h"

void ph_trees_pass(const PhJointRun *run, const PhIslandBatch *batch, bool biased) {
    const PhTreePackPlan *trees = run->layout->arrays->joints.trees + batch->first_tree;
    PhTreePass pass = make_pass(run, batch);
    for (uint32_t t = 0; t < batch->tree_count; t++) {
        if (trees[t].isolated) {
            continue;
        }
        PhTreePack pack = pack_of(run, &trees[t], trees[t].first_data);
        pack.gains = is_of_trees(batch);
        pass_tree(run, &trees[t], &pack, &pass, biased ? PH_TREE_SOLVE : PH_TREE_RELAX);
    }
}

void ph_trees_store(const PhJointRun *run, const PhIslandBatch *batch) {
    const PhTreePackPlan *trees = run->layout->arrays->joints.trees + batch->first_tree;
    PhTreePass pass = make_pass(run, batch);
    for (uint32_t t = 0; t < batch->tree_count; t++) {
        if (trees[t].isolated) {
            continue;
        }
        PhTreePack pack = pack_of(run, &trees[t], trees[t].first_data);
        pass_tree(run, &trees[t], &pack, &pass, PH_TREE_END);
        store_tree(run, &trees[t], &pack);
    }
}

// A pack that has its whole step at once needs no memory of its own: the same serves one after the
// other, and stays near.
void ph_trees_run(const PhJointRun *run, const PhIslandBatch *batch, PhTreeStretch stretch) {
    const PhTreePackPlan *trees = run->layout->arrays->joints.trees + batch->first_tree;
    PhTreePass pass = make_pass(run, batch);
    pass.substeps = stretch.substeps;
    pass.watched = stretch.watched;
    for (uint32_t t = 0; t < batch->tree_count; t++) {
        const PhTreePackPlan *tree = &trees[t];
        bool whole = stretch.first && stretch.last && tree->width > 1;
        if (!tree->isolated || ph_stop_wanted(run->parameters->stop)) {
            continue;
        }
        PhTreePack pack = pack_of(run, tree, whole ? batch->tree_scratch : tree->first_data);
        if (stretch.first) {
            load_tree(run, tree, &pack);
            pass_tree(run, tree, &pack, &pass, PH_TREE_START);
        }
        pass_tree(run, tree, &pack, &pass, PH_TREE_RUN);
        if (stretch.last) {
            pass_tree(run, tree, &pack, &pass, PH_TREE_END);
            store_tree(run, tree, &pack);
        }
    }
}

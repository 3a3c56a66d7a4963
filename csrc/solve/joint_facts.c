// What layouts need to know of joints, and what is the same in all layouts as long as joints and
// roles stay: which joints are at work, of what kind, which bodies they connect, which could press.
// It is found when these change. So a layout for other contacts visits the connected bodies, once
// each, and not every joint again and again.
//
// Invariant: after a change of joints or roles, the next layout is built from nothing, and finds
// all this anew. The exception is meshes, which joint_layout.c names when it has divided a part.
#include "base/memory.h"
#include "solve/iterative_joints.h"
#include "solve/layout.h"

#define ALL_ROWS ((1 << PH_JOINT_ROWS) - 1) // a joint that holds them leaves nothing free

static bool is_dynamic(const PhSolverBodies *bodies, uint32_t slot) {
    return slot != PH_NULL && bodies->role[slot] == PH_ROLE_DYNAMIC;
}

static PhStatus reserve(PhJointLayout *own, uint64_t joints, uint64_t slots) {
    if (PH_RESERVE(own->facts, joints) || PH_RESERVE(own->hung, joints) ||
        PH_RESERVE(own->driving, joints) || PH_RESERVE(own->ties, slots) ||
        PH_RESERVE(own->tie_of, slots)) {
        return PH_ERROR_MEMORY;
    }
    return PH_OK;
}

static void find_facts(PhJointLayout *own, const PhSolverBodies *bodies) {
    const PhSolverJoints *joints = bodies->joints;
    for (uint32_t j = 0; j < joints->limit; j++) {
        const PhJoint *joint = &joints->joint[j];
        PhJointFacts *facts = &own->facts[j];
        *facts = (PhJointFacts){.dynamic = ph_joint_dynamic_body(bodies, joint)};
        if (facts->dynamic == PH_NULL) {
            continue;
        }
        facts->fixed_a = !is_dynamic(bodies, joint->body[0]);
        facts->fixed_b = !is_dynamic(bodies, joint->body[1]);
        facts->edge = (ph_joint_rigid_rows(joint) | ph_joint_axis_rows(joint)) != 0;
        facts->sprung = ph_joint_sprung_rows(joint) != 0;
        facts->iterative = (uint8_t)ph_iterative_kind(joint);
        facts->geared = ph_joint_info(joint)->geared;
        if (facts->fixed_a != facts->fixed_b) {
            own->hung[own->hung_count++] = j;
        }
        if (facts->sprung || joint->value[PH_JOINT_MAX_MOTOR] > 0) {
            own->driving[own->driving_count++] = j;
        }
    }
}

// The dynamic bodies of a joint, those that it is geared to last. Returns how many.
static int bodies_of(const PhSolverBodies *bodies, const PhJoint *joint, bool geared,
                     uint32_t slots[4]) {
    int count = 0;
    for (int side = 0; side < (geared ? 4 : 2); side++) {
        uint32_t slot = side < 2 ? joint->body[side] : joint->frame[side - 2];
        if (is_dynamic(bodies, slot)) {
            slots[count++] = slot;
        }
    }
    return count;
}

static uint32_t find_root(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// Names the bodies of components whose joints hold as many rows as leave nothing free: frames and
// trusses of hinges, two to a corner or in triangles.
static void find_stiff(PhJointLayout *own) {
    for (uint32_t t = 0; t < own->tie_count; t++) {
        own->ties[own->tie_of[own->ties[t].root]].bodies += own->ties[t].jointed;
    }
    for (uint32_t t = 0; t < own->tie_count; t++) {
        const PhJointTie *root = &own->ties[own->tie_of[own->ties[t].root]];
        bool stiff = root->bodies > 1 && root->stiff_rows >= 3 * ((int64_t)root->bodies - 1);
        own->weld_count += stiff && own->ties[t].jointed;
        own->ties[t].welded |= stiff && own->ties[t].jointed;
    }
}

// Components of bodies under the joints, as islands.c finds those under contacts.
static void find_ties(PhJointLayout *own, const PhSolverBodies *bodies) {
    const PhSolverJoints *joints = bodies->joints;
    uint32_t *parent = own->tie_of, slots[4];
    for (uint32_t slot = 0; slot < bodies->count; slot++) {
        parent[slot] = PH_NULL;
    }
    for (uint32_t j = 0; j < joints->limit; j++) {
        if (own->facts[j].dynamic == PH_NULL) {
            continue;
        }
        int count = bodies_of(bodies, &joints->joint[j], own->facts[j].geared, slots);
        for (int n = 0; n < count; n++) {
            parent[slots[n]] = parent[slots[n]] == PH_NULL ? slots[n] : parent[slots[n]];
            uint32_t a = find_root(parent, slots[0]), b = find_root(parent, slots[n]);
            parent[a < b ? b : a] = a < b ? a : b;
        }
    }
    for (uint32_t slot = 0; slot < bodies->count; slot++) {
        if (parent[slot] != PH_NULL) { // never above its child
            parent[slot] = parent[parent[slot]];
            own->ties[own->tie_count++] = (PhJointTie){.slot = slot, .root = parent[slot]};
        }
    }
    for (uint32_t t = 0; t < own->tie_count; t++) {
        own->tie_of[own->ties[t].slot] = t;
    }
    for (uint32_t j = 0; j < joints->limit; j++) {
        const PhJointFacts *facts = &own->facts[j];
        if (facts->dynamic == PH_NULL) {
            continue;
        }
        own->ties[own->tie_of[facts->dynamic]].joint_count++;
        if (facts->fixed_a != facts->fixed_b) {
            own->ties[own->tie_of[own->ties[own->tie_of[facts->dynamic]].root]].hung = true;
        }
        int count = facts->edge ? bodies_of(bodies, &joints->joint[j], false, slots) : 0;
        bool welds = count == 2 && ph_joint_rigid_rows(&joints->joint[j]) == ALL_ROWS;
        own->weld_count += welds;
        for (int n = 0; n < count; n++) {
            PhJointTie *tie = &own->ties[own->tie_of[slots[n]]];
            tie->jointed = true;
            tie->welded |= welds;
        }
        unsigned rows = ph_joint_rigid_rows(&joints->joint[j]);
        if (count == 2 && (rows & (rows - 1))) {
            own->ties[own->tie_of[own->ties[own->tie_of[slots[0]]].root]].stiff_rows +=
                2 + (rows == ALL_ROWS);
        }
    }
    find_stiff(own);
}

PhStatus ph_joint_facts_find(PhLayout *layout, const PhSolverBodies *bodies) {
    PhJointLayout *own = &layout->arrays->joints;
    const PhSolverJoints *joints = bodies->joints;
    own->tie_count = own->hung_count = own->driving_count = own->mesh_count = 0;
    own->weld_count = 0;
    if (!joints || !joints->active) {
        return PH_OK;
    }
    if (reserve(own, joints->limit, bodies->count)) {
        return PH_ERROR_MEMORY;
    }
    find_facts(own, bodies);
    find_ties(own, bodies);
    return PH_OK;
}

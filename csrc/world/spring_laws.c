// Owns what laws of springs do in a step: the caller's functions say the forces of joints by their
// extensions, all joints of a law at once.
//
// Invariant: asking changes nothing but the rows of the laws, so a law that fails fails the step.
// What sleeps is left alone, and what this step woke is not.
//
// A force is the same in all n substeps of a step, which moves a body by (n + 1) / (2 n) dt^2 a. It
// is taken where bodies will be after the other part, (n - 1) / (2 n) dt, of the step, and so are
// the directions and levers by which it acts: then a step keeps areas in phase space, whatever the
// law (leapfrog), and momentum in plane and spin. Fields do the same (fields.c).
//
// Source: E. Hairer, C. Lubich, G. Wanner, "Geometric Numerical Integration Illustrated by the
// Stormer-Verlet Method" (2003).
#include "world/spring_laws.h"

#include <math.h>

#include "geometry/build.h"
#include "world/changes.h"
#include "world/joint_places.h"

static const char *coordinate_of(const PhJointKindInfo *info) {
    return info->distance                         ? "length"
           : info->coordinates == info->angle_row ? "angle"
                                                  : "translation";
}

PhStatus ph_spring_law_check(const PhWorld *world, PhId id, uint32_t number, PhError *error) {
    if (!ph_joint_valid(world, id)) {
        return ph_fail(error, PH_ERROR_REMOVED, "joints[%u]: number %u has been removed", number,
                       id.index);
    }
    const PhJoint *joint = &world->joints.joint[id.index];
    const PhJointKindInfo *info = ph_joint_info(joint);
    if (info->coordinates < 0 || info->sprung != 1 << info->coordinates) {
        return ph_fail(
            error, PH_ERROR_VALUE,
            "joints[%u]: must be a distance, revolute, prismatic, wheel or rotary joint, "
            "got a %s joint",
            number, info->name);
    }
    double lower = joint->value[PH_JOINT_LOWER], upper = joint->value[PH_JOINT_UPPER];
    if (info->limited == info->coordinates && lower == upper) {
        return ph_fail(error, PH_ERROR_VALUE,
                       "joints[%u]: its %s is held at %s; make it with lower=%s, so that a spring "
                       "can act on it",
                       number, coordinate_of(info), ph_number_text(lower).text,
                       info->length ? "0" : "None");
    }
    return PH_OK;
}

void ph_spring_law_wake(PhWorld *world, PhId joint) {
    if (ph_joint_valid(world, joint)) {
        ph_joints_wake_ends(world, joint.index);
    }
}

void ph_world_set_spring_laws(PhWorld *world, PhSpringLaws laws) {
    world->spring_laws = laws;
}

static bool moves(const PhWorld *world, uint32_t slot) {
    return slot != PH_NULL && world->role[slot] == PH_ROLE_DYNAMIC;
}

// Whether one of its rows acts.
static bool measure(const PhWorld *world, PhSpringLaw *law, double ahead) {
    bool any = false;
    for (uint32_t i = 0; i < law->count; i++) {
        PhSpringRow *row = &law->row[i];
        row->there = ph_joint_valid(world, row->joint);
        row->acts = false;
        row->extension = row->rate = NAN;
        if (row->there) {
            const PhJoint *joint = &world->joints.joint[row->joint.index];
            double position;
            ph_joint_read_ahead(world, row->joint.index, ahead, &position, &row->rate, row->lever);
            row->extension = position - joint->value[PH_JOINT_TARGET];
            row->acts = moves(world, joint->body[0]) || moves(world, joint->body[1]);
            any |= row->acts;
        }
    }
    return any;
}

PhStatus ph_spring_laws_ask(PhWorld *world, double dt) {
    PhSpringLaws *laws = &world->spring_laws;
    int32_t n = world->def.solver == PH_SOFT_STEP ? world->def.substeps : 1;
    double ahead = dt * (n - 1) / (2.0 * n);
    PhStatus status = PH_OK;
    for (PhSpringLaw *law = laws->first; law && !status; law = law->next) {
        if (measure(world, law, ahead) && !laws->call(laws->context, law)) {
            status = PH_ERROR_STOPPED;
        }
    }
    return status;
}

static void push(PhWorld *world, const PhSpringRow *row) {
    PhState *s = world->state;
    for (int side = 0; side < 2; side++) {
        uint32_t slot = world->joints.joint[row->joint.index].body[side];
        if (moves(world, slot)) {
            s->force[slot][0] += row->force * row->lever[side][0];
            s->force[slot][1] += row->force * row->lever[side][1];
            s->torque[slot] += row->force * row->lever[side][2];
        }
    }
}

void ph_spring_laws_apply(PhWorld *world) {
    for (const PhSpringLaw *law = world->spring_laws.first; law; law = law->next) {
        bool acts = false;
        for (uint32_t i = 0; i < law->count; i++) {
            if (law->row[i].acts) {
                push(world, &law->row[i]);
                acts = true;
            }
        }
        if (acts) {
            ph_note_fields(world);
        }
    }
}

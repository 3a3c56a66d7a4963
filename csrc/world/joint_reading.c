// What is read of joints at the poses of now: where they hold, their coordinates and rates, how far
// they are from what they hold, and the springs that follow from stiffness and damping.
#include <math.h>
#include <string.h>

#include "geometry/build.h"
#include "solve/articulations.h"
#include "world/changes.h"
#include "world/joint_places.h"

// Of a spring that is damping alone.
#define DAMPER_HERTZ 1e-3

static void put(PhVec2 x, double out[2]) {
    out[0] = x.x;
    out[1] = x.y;
}

static PhJointTerms terms_of(const PhJoint *joint) {
    PhJointTerms terms = {.ratio = joint->value[PH_JOINT_RATIO]};
    put(joint->axis, terms.axis);
    return terms;
}

// Where a side will be if it keeps its velocities for so many seconds.
static PhTransform pose_ahead(const PhWorld *world, uint32_t slot, double ahead) {
    PhTransform at = ph_joint_pose_of(world, slot);
    if (slot == PH_NULL || ahead == 0) {
        return at;
    }
    double turned = ahead * world->state->angular_velocity[slot];
    PhVec2 local = world->body[slot].center_local;
    PhVec2 center = ph_mul_add(ph_apply(at, local), ahead, ph_slot_velocity(world, slot));
    if (turned != 0) {
        at.q = ph_rot(world->state->angle[slot] + turned);
    }
    return (PhTransform){ph_sub(center, ph_rotate(at.q, local)), at.q};
}

// With its pose, and its rows, where it has a coordinate or they are asked for; returns how many.
// ahead: seconds from now on.
static int read_joint(const PhWorld *world, uint32_t index, bool all, double ahead,
                      PhJointReading *out, PhJointPose *at_pose, PhJointRow rows[PH_JOINT_ROWS]) {
    const PhJoint *joint = &world->joints.joint[index];
    const PhJointKindInfo *info = ph_joint_kind((PhJointKind)joint->kind);
    PhJointReading reading = {.position = NAN, .speed = NAN};
    PhJointPose pose;
    int count = 0;
    double *arm[2] = {pose.arm_a, pose.arm_b}, *reach[2] = {pose.reach_a, pose.reach_b};
    double *velocity[2] = {pose.velocity_a, pose.velocity_b};
    double spin[2], angle[2];
    PhRot rot_a = {1, 0};
    for (int side = 0; side < 2; side++) {
        uint32_t slot = joint->body[side];
        PhTransform at = pose_ahead(world, slot, ahead);
        rot_a = side == 0 ? at.q : rot_a;
        PhVec2 local = ph_joint_anchor(joint, side);
        PhVec2 center = slot == PH_NULL ? ph_vec(0, 0) : world->body[slot].center_local;
        reading.anchor[side] = ph_apply(at, local);
        const double *ground = joint->value + PH_JOINT_GROUND + 2 * side;
        put(ph_joint_gap(world, ph_vec(ground[0], ground[1]), reading.anchor[side]), reach[side]);
        put(ph_rotate(at.q, ph_sub(local, center)), arm[side]);
        spin[side] = slot == PH_NULL ? 0 : world->state->angular_velocity[slot];
        put(slot == PH_NULL ? ph_vec(0, 0) : ph_slot_velocity(world, slot), velocity[side]);
        velocity[side][2] = spin[side];
        angle[side] = ph_joint_angle_of(world, slot) + ahead * spin[side];
    }
    PhVec2 gap = ph_joint_gap(world, reading.anchor[0], reading.anchor[1]);
    reading.angle = angle[1] - angle[0] - joint->reference;
    put(gap, pose.gap);
    put(ph_vec(rot_a.c, rot_a.s), pose.rot_a);
    pose.angle = reading.angle;
    if (world->wrapped) { // beside the other one
        reading.anchor[1] = ph_add(reading.anchor[0], gap);
    }
    reading.axis = ph_rotate(rot_a, joint->axis);
    reading.spin = spin[1] - spin[0];
    if (info->geared) {
        double ratio = joint->value[PH_JOINT_RATIO];
        reading.position = ph_gear_coordinate(world, joint->geared, ratio);
        reading.speed = ph_joint_read(world, joint->geared[0]).speed +
                        ratio * ph_joint_read(world, joint->geared[1]).speed;
    }
    if (info->coordinates >= 0 || (all && !info->geared)) {
        PhJointTerms terms = terms_of(joint);
        count = ph_joint_fill((PhJointKind)joint->kind, &terms, &pose, rows);
    }
    if (info->coordinates >= 0) {
        const PhJointRow *row = &rows[info->coordinates];
        reading.position = row->coordinate;
        reading.speed = 0;
        for (int k = 0; k < 3; k++) {
            reading.speed += row->a[k] * velocity[0][k] + row->b[k] * velocity[1][k];
        }
    }
    *out = reading;
    *at_pose = pose;
    return count;
}

PhJointReading ph_joint_read(const PhWorld *world, uint32_t index) {
    PhJointReading reading;
    PhJointPose pose;
    PhJointRow rows[PH_JOINT_ROWS];
    read_joint(world, index, false, 0, &reading, &pose, rows);
    return reading;
}

void ph_joint_read_ahead(const PhWorld *world, uint32_t index, double ahead, double *position,
                         double *speed, double lever[2][3]) {
    PhJointReading reading;
    PhJointPose pose;
    PhJointRow rows[PH_JOINT_ROWS];
    read_joint(world, index, false, ahead, &reading, &pose, rows);
    const PhJointRow *row = &rows[ph_joint_info(&world->joints.joint[index])->coordinates];
    *position = reading.position;
    *speed = reading.speed;
    for (int k = 0; k < 3; k++) {
        lever[0][k] = row->a[k];
        lever[1][k] = row->b[k];
    }
}

double ph_gear_coordinate(const PhWorld *world, const uint32_t joints[2], double ratio) {
    double a = ph_joint_read(world, joints[0]).position;
    return a + ratio * ph_joint_read(world, joints[1]).position;
}

static double outside(double x, double lower, double upper) {
    return x < lower ? lower - x : x > upper ? x - upper : 0;
}

void ph_joint_separation(const PhWorld *world, uint32_t index, double *linear, double *angular) {
    const PhJoint *joint = &world->joints.joint[index];
    const PhJointKindInfo *info = ph_joint_info(joint);
    PhJointReading reading;
    PhJointPose pose;
    PhJointRow rows[PH_JOINT_ROWS];
    int count = read_joint(world, index, true, 0, &reading, &pose, rows);
    unsigned held = joint->rigid_rows | joint->firm_rows;
    *linear = *angular = 0;
    if (info->geared) {
        double off = fabs(reading.position - joint->value[PH_JOINT_REST]);
        const PhJointKindInfo *part = ph_joint_info(&world->joints.joint[joint->geared[0]]);
        bool slides = part->coordinates != part->angle_row;
        *(slides ? linear : angular) = off;
        return;
    }
    for (int i = 0; i < count; i++) {
        double off = 0;
        if (i == info->limited) {
            off = outside(rows[i].coordinate, ph_joint_lower(info, joint),
                          joint->value[PH_JOINT_UPPER]);
        } else if (held >> i & 1) {
            off = fabs(rows[i].coordinate);
        }
        double *sum = rows[i].couple != 0 ? angular : linear;
        *sum = ph_length(ph_vec(*sum, off));
    }
}

// Hertz and damping ratio of a spring of stiffness and damping that moves a mass.
static void find_hertz(double mass, double stiffness, double damping, double *hertz, double *zeta) {
    double omega = stiffness > 0 ? sqrt(stiffness / mass) : 2 * PH_PI * DAMPER_HERTZ;
    *hertz = omega / (2 * PH_PI);
    *zeta = damping / (2 * mass * omega);
    if (!(*hertz > 0 && *hertz <= PH_JOINT_MOST && *zeta <= PH_JOINT_MOST)) {
        *hertz = 1; // nothing that it could move
        *zeta = 0;
    }
}

// Of a place and an angle: those that are so told.
static void find_hertz_apart(PhJoint *joint, const double masses[6]) {
    double *value = joint->value, place, angle;
    bool elastic = ph_joint_is_elastic(joint), turns = ph_joint_turn_is_elastic(joint);
    bool held = ph_joint_info(joint)->rigid != 0; // what has no spring
    ph_joint_elastic_masses(masses, held && !elastic && !(value[PH_JOINT_HERTZ] > 0),
                            held && !turns && !(ph_joint_turn_hertz(joint) > 0), &place, &angle);
    if (elastic) {
        find_hertz(place, value[PH_JOINT_STIFFNESS], value[PH_JOINT_DAMPING],
                   &value[PH_JOINT_HERTZ], &value[PH_JOINT_ZETA]);
    }
    if (turns) {
        find_hertz(angle, value[PH_JOINT_TURN_STIFFNESS], value[PH_JOINT_TURN_DAMPING],
                   &value[PH_JOINT_TURN_HERTZ], &value[PH_JOINT_TURN_ZETA]);
    }
}

void ph_joint_tell_spring(PhWorld *world, uint32_t index) {
    static const int diagonal[PH_JOINT_ROWS] = {0, 3, 5};
    PhJoint *joint = &world->joints.joint[index];
    const PhJointKindInfo *info = ph_joint_info(joint);
    if (!ph_joint_is_elastic(joint) && !ph_joint_turn_is_elastic(joint)) {
        return;
    }
    world->joints.elastic = true;
    double inverse[2][2], masses[6];
    PhVec2 arm[2];
    for (int side = 0; side < 2; side++) {
        uint32_t slot = joint->body[side];
        bool moves = slot != PH_NULL && ph_is_dynamic(world, slot);
        double mass = moves ? world->state->mass[slot] : 0;
        bool turns = moves && world->mass[slot][1] > 0;
        inverse[side][0] = moves ? 1 / mass : 0;
        inverse[side][1] = turns   ? 1 / world->state->inertia[slot]
                           : moves ? 1 / (ph_unturnable(world->lengths.one) * mass)
                                   : 0;
        arm[side] = slot == PH_NULL ? ph_vec(0, 0)
                                    : ph_sub(joint->anchor[side], world->body[slot].center_local);
    }
    uint8_t used = (uint8_t)(info->rigid | info->sprung);
    if (info->keeps_stiffness || info->coordinates < 0) {
        ph_joint_rest_masses(joint, used, arm, inverse, masses);
    } else {
        PhJointReading reading;
        PhJointPose pose;
        PhJointRow rows[PH_JOINT_ROWS];
        PhJointTerms terms = terms_of(joint);
        read_joint(world, index, false, 0, &reading, &pose, rows);
        ph_joint_masses((PhJointKind)joint->kind, used, &terms, &pose, inverse, masses);
    }
    double *value = joint->value, before[PH_JOINT_VALUES], h = world->layout.substep;
    bool stiff = ph_joint_is_stiff(joint, h);
    memcpy(before, value, sizeof before);
    if (info->coordinates < 0) {
        find_hertz_apart(joint, masses);
    } else {
        find_hertz(masses[diagonal[info->coordinates]], value[PH_JOINT_STIFFNESS],
                   value[PH_JOINT_DAMPING], &value[PH_JOINT_HERTZ], &value[PH_JOINT_ZETA]);
    }
    if (memcmp(before, value, sizeof before) == 0) {
        return;
    }
    ph_joint_update_rows(joint);
    if (stiff != ph_joint_is_stiff(joint, h)) { // the layout knows
        ph_note_layout(world);
    }
}

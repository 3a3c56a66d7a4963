// Owns locks of x and y: a dynamic body keeps such a coordinate of its centre of mass.
//
// A lock is a joint to the world that users do not see: along a line for one coordinate, at a point
// for both. So it is solved with everything that hangs on the body, and for contacts the body
// cannot give way. After the solver, the remaining error of some 1e-8 m is removed: a locked
// coordinate does not change by a bit unless the user sets it.
#include "world/changes.h"
#include "world/internal.h"

static PhJointKind kind_for(uint8_t locks) {
    return locks == (PH_LOCK_X | PH_LOCK_Y) ? PH_JOINT_REVOLUTE : PH_JOINT_WHEEL;
}

// Along which a body may move that one coordinate is locked of.
static PhVec2 axis_for(uint8_t locks) {
    return locks == PH_LOCK_X ? ph_vec(0, 1) : ph_vec(1, 0);
}

static PhStatus make_joint(PhWorld *world, uint32_t slot, uint8_t locks, PhId *id, PhError *error) {
    PhVec2 center = ph_apply(ph_body_transform(world, slot), world->body[slot].center_local);
    PhJointDef def = ph_joint_def(kind_for(locks));
    def.body[0] = (PhId){PH_NULL, 0};
    def.body[1] = ph_body_id(world, slot);
    def.anchor[0] = def.anchor[1] = center;
    def.axis = axis_for(locks);
    def.collide_connected = true;
    return ph_joint_create(world, &def, id, error);
}

PhStatus ph_locks_set(PhWorld *world, uint32_t slot, uint8_t locks, PhError *error) {
    PhBody *body = &world->body[slot];
    PhId made = {PH_NULL, 0};
    PhStatus status = locks ? make_joint(world, slot, locks, &made, error) : PH_OK;
    if (status) {
        return status;
    }
    if (body->lock_joint != PH_NULL) {
        ph_joint_drop(world, body->lock_joint);
    }
    body->locks = locks;
    body->lock_joint = made.index;
    world->joints.locks += locks != 0;
    PhVec2 velocity = ph_unlocked(world, slot, ph_slot_velocity(world, slot));
    world->state->velocity[slot][0] = velocity.x;
    world->state->velocity[slot][1] = velocity.y;
    return PH_OK;
}

static bool are_held(const PhWorld *world, uint32_t slot) {
    const PhBody *body = &world->body[slot];
    if (!body->locks) {
        return body->lock_joint == PH_NULL;
    }
    if (body->locks > (PH_LOCK_X | PH_LOCK_Y) || body->lock_joint >= world->joints.limit) {
        return false;
    }
    const PhJoint *joint = &world->joints.joint[body->lock_joint];
    PhVec2 axis = axis_for(body->locks);
    bool wheel = kind_for(body->locks) == PH_JOINT_WHEEL;
    return joint->alive && joint->kind == kind_for(body->locks) && joint->body[0] == PH_NULL &&
           joint->body[1] == slot &&
           (!wheel || (joint->axis.x == axis.x && joint->axis.y == axis.y));
}

bool ph_locks_take(PhWorld *world) {
    bool good = true;
    for (uint32_t i = 0; good && i < world->slot_count; i++) {
        if (world->state->alive[i]) {
            good = are_held(world, i);
            world->joints.locks += world->body[i].locks != 0;
        }
    }
    return good;
}

// The next joint from there on that is a lock of a body that moves; PH_NULL.
static uint32_t next_lock(const PhWorld *world, uint32_t index) {
    const PhJoints *joints = &world->joints;
    while (index < joints->limit &&
           !(joints->joint[index].alive && ph_joint_is_lock(world, index) &&
             world->role[joints->joint[index].body[1]] == PH_ROLE_DYNAMIC)) {
        index++;
    }
    return index < joints->limit ? index : PH_NULL;
}

void ph_locks_begin(PhWorld *world) {
    uint32_t index = world->joints.locks ? next_lock(world, 0) : PH_NULL;
    for (; index != PH_NULL; index = next_lock(world, index + 1)) {
        PhJoint *joint = &world->joints.joint[index];
        uint32_t slot = joint->body[1];
        const PhBody *body = &world->body[slot];
        const double *center = world->center[slot];
        bool x = body->locks & PH_LOCK_X, y = body->locks & PH_LOCK_Y;
        if ((x && center[0] != joint->anchor[0].x) || (y && center[1] != joint->anchor[0].y) ||
            body->center_local.x != joint->anchor[1].x ||
            body->center_local.y != joint->anchor[1].y) {
            joint->anchor[0] = ph_vec(center[0], center[1]); // where the user has put it
            joint->anchor[1] = body->center_local;
            ph_note_layout(world);
        }
        double *velocity = world->state->velocity[slot]; // written through a view
        velocity[0] = x ? 0 : velocity[0];
        velocity[1] = y ? 0 : velocity[1];
    }
}

void ph_locks_end(PhWorld *world) {
    uint32_t index = world->joints.locks ? next_lock(world, 0) : PH_NULL;
    for (; index != PH_NULL; index = next_lock(world, index + 1)) {
        const PhJoint *joint = &world->joints.joint[index];
        uint32_t slot = joint->body[1];
        double *center = world->center[slot], *velocity = world->state->velocity[slot];
        if (world->body[slot].locks & PH_LOCK_X) {
            center[0] = joint->anchor[0].x;
            velocity[0] = 0;
        }
        if (world->body[slot].locks & PH_LOCK_Y) {
            center[1] = joint->anchor[0].y;
            velocity[1] = 0;
        }
    }
}

// Owns what happens to bodies when continuous collision has stopped a body that joints hold to
// them.
//
// A limb that is stopped at a wall loses the rest of its step. If the others completed theirs, the
// joint between them would open. So bodies that joints hold end their step early too: not before
// the body that was stopped, and no later than the joint allows. It may open by some millimetres
// and turn past its limit by a fraction of a degree. These allowances add up from body to body, so
// the far end of a long chain or net goes on. The body that has lost most is treated first, so each
// body is settled once.
//
// Invariants: paths, times of impact and the order of slots decide, not the order of the search. A
// step in which no jointed body was stopped does nothing here.
//
// Source: E. Dijkstra, "A Note on Two Problems in Connexion with Graphs" (1959), for the order.
#include "world/continuous.h"
#include "world/joint_places.h"

// By how much more than bodies side by side a joint may turn, radians; by how much it may open is
// PhLengths.joint_more_gap.
#define MORE_TURN 4e-3
enum { HALVINGS = 8 };

typedef struct Separation {
    double linear, angular;
} Separation;

// Whether a comes before b, because it has lost more of its step.
static bool precedes(PhHalt a, PhHalt b) {
    return a.lost > b.lost || (a.lost == b.lost && a.slot < b.slot);
}

static void push(PhContinuous *c, uint32_t *count, PhHalt halt) {
    uint32_t i = (*count)++;
    for (; i > 0 && precedes(halt, c->halt[(i - 1) / 2]); i = (i - 1) / 2) {
        c->halt[i] = c->halt[(i - 1) / 2];
    }
    c->halt[i] = halt;
}

static PhHalt pop(PhContinuous *c, uint32_t *count) {
    PhHalt first = c->halt[0], last = c->halt[--*count];
    uint32_t i = 0;
    for (uint32_t k = 1; k < *count; k = 2 * i + 1) {
        k += k + 1 < *count && precedes(c->halt[k + 1], c->halt[k]);
        if (!precedes(c->halt[k], last)) {
            break;
        }
        c->halt[i] = c->halt[k];
        i = k;
    }
    c->halt[i] = last;
    return first;
}

static bool has_limits(const PhJoint *joint) {
    return joint->value[PH_JOINT_LOWER] > -INFINITY || joint->value[PH_JOINT_UPPER] < INFINITY;
}

// Whether a joint holds anything between its own two bodies.
static bool holds(const PhJoint *joint) {
    const PhJointKindInfo *info = ph_joint_info(joint);
    bool limits = info->limited >= 0 && has_limits(joint);
    return joint->alive && !info->inert && !info->geared &&
           (limits || (joint->rigid_rows | joint->axis_rows) != 0);
}

// The pose of a body at a fraction of the step: it moved evenly until it lost the rest.
static PhPathPose pose_at(const PhPath *path, double lost, double time) {
    return ph_path_pose(path, lost < 1 ? ph_min(time / (1 - lost), 1) : 1);
}

static void stand_at(PhWorld *world, uint32_t slot, PhPathPose pose) {
    PhState *state = world->state;
    PhVec2 origin = ph_origin(&world->body[slot], pose.center, pose.angle);
    state->position[slot][0] = origin.x;
    state->position[slot][1] = origin.y;
    state->angle[slot] = pose.angle;
}

static Separation separation_at(PhWorld *world, uint32_t joint, uint32_t slot, PhPathPose pose) {
    Separation found;
    stand_at(world, slot, pose);
    ph_joint_separation(world, joint, &found.linear, &found.angular);
    return found;
}

static bool is_within(Separation x, Separation most) {
    return x.linear <= most.linear && x.angular <= most.angular;
}

// How much of its step a body has to lose so that the joint stays closed with one that has lost
// some. It then stands somewhere on its path.
static double find_lost(PhWorld *world, uint32_t joint, uint32_t slot, const PhPath *path,
                        double lost) {
    const double was = world->continuous.lost[slot];
    double low = 1 - lost, high = 1 - was;
    Separation most = separation_at(world, joint, slot, pose_at(path, was, low));
    most.linear += world->lengths.joint_more_gap;
    most.angular += MORE_TURN;
    bool free = is_within(separation_at(world, joint, slot, pose_at(path, was, high)), most);
    for (int k = 0; k < HALVINGS && !free; k++) {
        double middle = 0.5 * (low + high);
        PhPathPose pose = pose_at(path, was, middle);
        *(is_within(separation_at(world, joint, slot, pose), most) ? &low : &high) = middle;
    }
    return free ? was : ph_min(1 - low, lost);
}

// Moves on what stands at a pose since the time that it has lost, unless there is a wall. What
// sweeps over it carries it along.
static void go_on(PhWorld *world, uint32_t slot, PhPathPose at, PhVec2 by) {
    const double time = 1 - world->continuous.lost[slot];
    PhPath path = ph_path_of(world, slot);
    PhPathPose end = {ph_add(at.center, by), at.angle};
    bool carried = false;
    path = ph_path(path.pivot, path.knot[0], at);
    path.time[path.count - 1] = time;
    ph_path_turn_off(&path, time, end);
    (void)ph_stop_at_walls(world, slot, &path, false, time, &carried);
    ph_place_at_end(world, slot, &path, carried);
}

// Whether a body that a joint holds has to lose more than it has.
static bool stop_early(PhWorld *world, uint32_t joint, uint32_t slot, double lost) {
    PhContinuous *c = &world->continuous;
    PhState *state = world->state;
    const double was = c->lost[slot];
    const double at[3] = {state->position[slot][0], state->position[slot][1], state->angle[slot]};
    if (was >= lost) {
        return false;
    }
    PhPath path = ph_path_of(world, slot);
    lost = find_lost(world, joint, slot, &path, lost);
    state->position[slot][0] = at[0];
    state->position[slot][1] = at[1];
    state->angle[slot] = at[2];
    if (!(lost > was)) {
        return false;
    }
    c->lost[slot] = lost;
    go_on(world, slot, pose_at(&path, was, 1 - lost), ph_vec(0, 0));
    return true;
}

// A gap remains because what turns moves along arcs. It is closed, except for what the joint may
// open by.
static void close_gap(PhWorld *world, uint32_t index, uint32_t side) {
    const PhJoint *joint = &world->joints.joint[index];
    uint32_t slot = joint->body[side];
    bool holds_point = ph_joint_info(joint)->holds_point;
    if (holds_point && (joint->rigid_rows & 3) == 3) {
        PhJointReading reading = ph_joint_read(world, index);
        PhVec2 gap = ph_sub(reading.anchor[1 - side], reading.anchor[side]);
        double length = ph_length(gap), more = world->lengths.joint_more_gap;
        if (length > more) {
            PhPath path = ph_path_of(world, slot);
            gap = ph_scale(1 - more / length, gap);
            go_on(world, slot, path.knot[path.count - 1], gap);
        }
    }
}

// The other body at an end of a joint, or PH_NULL if the joint does not hold it.
static uint32_t held_body(const PhWorld *world, uint32_t end) {
    const PhJoint *joint = &world->joints.joint[end / 2];
    uint32_t slot = joint->body[1 - end % 2];
    bool moves = slot != PH_NULL && slot != joint->body[end % 2] && ph_is_dynamic(world, slot) &&
                 world->state->awake[slot] && world->body[slot].enabled;
    return moves && holds(joint) && ph_is_placed(world, slot) ? slot : PH_NULL;
}

static uint32_t push_stopped(PhWorld *world, uint32_t count) {
    PhContinuous *c = &world->continuous;
    uint32_t waiting = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t slot = c->fast[k];
        if (c->lost[slot] > 0 && world->state->awake[slot] &&
            world->body[slot].first_joint != PH_NULL) {
            push(c, &waiting, (PhHalt){c->lost[slot], slot});
        }
    }
    return waiting;
}

// Lists, behind the others, the bodies that stop too; returns how many there are.
static uint32_t stop_held(PhWorld *world, uint32_t count) {
    PhContinuous *c = &world->continuous;
    uint32_t waiting = push_stopped(world, count);
    while (waiting > 0) {
        PhHalt halt = pop(c, &waiting);
        if (halt.lost != c->lost[halt.slot]) { // it has lost more since
            continue;
        }
        for (uint32_t end = world->body[halt.slot].first_joint; end != PH_NULL;
             end = ph_joint_next(world, end)) {
            uint32_t slot = held_body(world, end);
            if (slot == PH_NULL || !stop_early(world, end / 2, slot, halt.lost)) {
                continue;
            }
            if (!c->listed[slot]) {
                c->listed[slot] = PH_LISTED_FAST;
                c->fast[count++] = slot;
            }
            push(c, &waiting, (PhHalt){c->lost[slot], slot});
        }
    }
    return count;
}

// From the body that has lost most outwards, brings each body that has lost some to the one before
// it.
static void close_gaps(PhWorld *world, uint32_t count) {
    PhContinuous *c = &world->continuous;
    uint32_t waiting = push_stopped(world, count);
    while (waiting > 0) {
        PhHalt halt = pop(c, &waiting);
        if (halt.lost <= 1 && c->lost[halt.slot] < 0) { // a joint has reached it
            continue;
        }
        c->lost[halt.slot] = -fabs(c->lost[halt.slot]);
        for (uint32_t end = world->body[halt.slot].first_joint; end != PH_NULL;
             end = ph_joint_next(world, end)) {
            uint32_t slot = held_body(world, end);
            if (slot == PH_NULL || !(c->lost[slot] > 0)) {
                continue;
            }
            close_gap(world, end / 2, 1 - end % 2);
            c->lost[slot] = -c->lost[slot];
            push(c, &waiting, (PhHalt){2 - c->lost[slot], slot}); // before what is apart from it
        }
    }
}

uint32_t ph_stop_jointed(PhWorld *world, uint32_t count) {
    count = stop_held(world, count);
    close_gaps(world, count);
    return count;
}

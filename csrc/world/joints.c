// Owns the joints of a world: slots with generations, the list of each body, which pairs of bodies
// do not collide, and breaking.
//
// Invariant: both bodies of a living joint live; each end is in the list of its body. New joints
// take the lowest free place.
#include "world/joints.h"
#include "world/changes.h"

#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "geometry/build.h"
#include "solve/articulations.h"
#include "world/internal.h"
#include "world/joint_places.h"

static PhJoint *at(PhWorld *world, uint32_t index) {
    return &world->joints.joint[index];
}

// ------------------------------------------------------------------------------------------------
// definitions

PhJointDef ph_joint_def(PhJointKind kind) {
    PhJointDef def = {.kind = kind, .axis = {1, 0}, .length = NAN};
    if (ph_joint_kind(kind)->upright) {
        def.axis = ph_vec(0, 1);
    }
    const PhJointParameter *p = ph_joint_kind(kind)->parameters;
    def.value[PH_JOINT_LOWER] = -INFINITY;
    def.value[PH_JOINT_UPPER] = def.value[PH_JOINT_MAX_FORCE] = INFINITY;
    def.value[PH_JOINT_BREAK_FORCE] = def.value[PH_JOINT_BREAK_TORQUE] = INFINITY;
    def.value[PH_JOINT_MAX_TORQUE] = INFINITY;
    def.value[PH_JOINT_TUNED_HERTZ] = def.value[PH_JOINT_TUNED_ZETA] = NAN;
    def.value[PH_JOINT_REST] = ph_joint_kind(kind)->geared ? NAN : 0;
    for (int i = 0; i < PH_JOINT_PARAMETERS && p[i].name; i++) {
        for (int32_t k = 0; k < p[i].width; k++) {
            def.value[p[i].at + k] = p[i].initial;
        }
    }
    return def;
}

static PhStatus check_values(const PhWorld *world, PhJointKind kind, const double *value,
                             PhError *error) {
    const PhJointKindInfo *info = ph_joint_kind(kind);
    for (int i = 0; i < PH_JOINT_PARAMETERS && info->parameters[i].name; i++) {
        const PhJointParameter *p = &info->parameters[i];
        for (int32_t k = 0; k < p->width; k++) {
            double x = value[p->at + k];
            bool fits = fabs(x) <= PH_JOINT_MOST || (p->infinite && isinf(x));
            if (p->optional && isnan(x)) {
                continue;
            }
            if (!(x >= p->least) || !fits) {
                return ph_fail(error, PH_ERROR_VALUE, "%s: must be %s%g%s, got %s", p->name,
                               p->least == 0 ? ">= 0 and <= " : "within +-", PH_JOINT_MOST,
                               p->infinite ? " or infinite" : "", ph_number_text(x).text);
            }
            if (p->nonzero && x == 0) {
                return ph_fail(error, PH_ERROR_VALUE, "%s: must not be 0", p->name);
            }
        }
    }
    if (info->limited >= 0) {
        double lower = value[PH_JOINT_LOWER], upper = value[PH_JOINT_UPPER];
        if (!(lower <= upper) || lower == INFINITY || upper == -INFINITY) {
            return ph_fail(error, PH_ERROR_VALUE,
                           "lower: must be <= upper and finite where they are equal, got %s and %s",
                           ph_number_text(lower).text, ph_number_text(upper).text);
        }
    }
    return ph_joint_check_solver(world->def.solver, kind, value, error);
}

// Numbers that follow from the poses, where they are NaN.
static void work_out(const PhWorld *world, const PhJointDef *def, double *value) {
    const PhJointKindInfo *info = ph_joint_kind(def->kind);
    uint32_t a = def->body[0].index, b = def->body[1].index;
    if (info->geared && isnan(value[PH_JOINT_REST])) {
        const uint32_t joints[2] = {def->geared[0].index, def->geared[1].index};
        value[PH_JOINT_REST] = ph_gear_coordinate(world, joints, value[PH_JOINT_RATIO]);
    }
    if (!info->work_out) {
        return;
    }
    PhJointMaking making = {.wrap = &world->wrap,
                            .anchor = {def->anchor[0], def->anchor[1]},
                            .gap = ph_joint_gap(world, def->anchor[0], def->anchor[1]),
                            .rot_a = ph_joint_pose_of(world, a).q,
                            .angle = ph_joint_angle_of(world, b) - ph_joint_angle_of(world, a),
                            .length = def->length};
    info->work_out(&making, value);
}

// Lets a joint change its own numbers: see PhJointKindInfo.
static void follow(PhWorld *world, uint32_t index, const double *before) {
    PhJoint *joint = at(world, index);
    const PhJointKindInfo *info = ph_joint_info(joint);
    if (info->follow) {
        info->follow(joint, ph_joint_read(world, index).position, before);
        ph_joint_update_rows(joint);
    }
}

// ------------------------------------------------------------------------------------------------
// lists of bodies

static void tie(PhWorld *world, uint32_t index, int side) {
    PhJoint *joint = at(world, index);
    joint->previous[side] = joint->next[side] = PH_NULL;
    if (joint->body[side] == PH_NULL) {
        return;
    }
    uint32_t end = 2 * index + (uint32_t)side, *first = &world->body[joint->body[side]].first_joint;
    joint->next[side] = *first;
    if (*first != PH_NULL) {
        at(world, *first / 2)->previous[*first % 2] = end;
    }
    *first = end;
}

static void untie(PhWorld *world, uint32_t index, int side) {
    PhJoint *joint = at(world, index);
    if (joint->body[side] == PH_NULL) {
        return;
    }
    uint32_t next = joint->next[side], previous = joint->previous[side];
    if (next != PH_NULL) {
        at(world, next / 2)->previous[next % 2] = previous;
    }
    if (previous != PH_NULL) {
        at(world, previous / 2)->next[previous % 2] = next;
    } else {
        world->body[joint->body[side]].first_joint = next;
    }
}

static void wake_all(PhWorld *world, const PhJoint *joint) {
    uint32_t slots[4];
    for (int side = 0, sides = ph_joint_sides(joint, slots); side < sides; side++) {
        if (slots[side] != PH_NULL) {
            ph_wake(world, slots[side]);
        }
    }
}

void ph_joints_wake_ends(PhWorld *world, uint32_t index) {
    wake_all(world, at(world, index));
}

// Whether joints may hold on to a body there. Not by fmax, which leaves out what is no number.
static bool is_near(const double p[2], double angle) {
    return fabs(p[0]) <= PH_JOINT_MOST && fabs(p[1]) <= PH_JOINT_MOST &&
           fabs(angle) <= PH_JOINT_MOST;
}

PhStatus ph_joints_check_place(const PhWorld *world, uint32_t slot, PhError *error) {
    const double *p = world->state->position[slot], angle = world->state->angle[slot];
    const double most = PH_JOINT_MOST;
    if (world->body[slot].first_joint == PH_NULL || is_near(p, angle)) {
        return PH_OK;
    }
    if (error) {
        error->index = slot;
    }
    bool turned = fabs(p[0]) <= most && fabs(p[1]) <= most;
    return ph_fail(error, PH_ERROR_NONFINITE,
                   "%s: body %u has %g; a body with joints must be within +-%g",
                   turned ? "angles" : "positions", slot,
                   turned               ? angle
                   : fabs(p[0]) <= most ? p[1]
                                        : p[0],
                   most);
}

// ------------------------------------------------------------------------------------------------
// making and removing

// Whether a number is told, and more than 0.
static bool is_told(const PhJointKindInfo *info, const double *value, int32_t at) {
    bool told = value[at] > 0;
    for (int i = 0; i < PH_JOINT_PARAMETERS && info->parameters[i].name; i++) {
        const PhJointParameter *p = &info->parameters[i];
        told = told && !(p->at == at && value[at] == p->initial);
    }
    return told;
}

static PhStatus check_elastic(const PhJointKindInfo *info, const double *value, PhError *error) {
    bool place = info->elastic && (value[PH_JOINT_STIFFNESS] > 0 || value[PH_JOINT_DAMPING] > 0);
    bool angle =
        info->paired && (value[PH_JOINT_TURN_STIFFNESS] > 0 || value[PH_JOINT_TURN_DAMPING] > 0);
    if (place && (is_told(info, value, PH_JOINT_HERTZ) || is_told(info, value, PH_JOINT_ZETA))) {
        return ph_fail(error, PH_ERROR_VALUE,
                       "%s: give stiffness and damping, or spring_hertz and spring_damping_ratio, "
                       "not both",
                       value[PH_JOINT_STIFFNESS] > 0 ? "stiffness" : "damping");
    }
    if (angle && (value[PH_JOINT_TURN_HERTZ] >= 0 || value[PH_JOINT_TURN_ZETA] >= 0)) {
        return ph_fail(error, PH_ERROR_VALUE,
                       "%s: give angular_stiffness and angular_damping, or angular_spring_hertz "
                       "and angular_spring_damping_ratio, not both",
                       value[PH_JOINT_TURN_STIFFNESS] > 0 ? "angular_stiffness"
                                                          : "angular_damping");
    }
    return PH_OK;
}

static PhStatus check_def(const PhWorld *world, const PhJointDef *def, PhError *error) {
    const char *const names[] = {"a", "b"};
    if (def->length <= 0 || def->length > PH_JOINT_MOST) {
        return ph_fail(error, PH_ERROR_VALUE, "length: must be > 0 and <= %g, got %s",
                       PH_JOINT_MOST, ph_number_text(def->length).text);
    }
    for (int side = 0; side < 2; side++) {
        bool none = side == 0 && def->body[0].index == PH_NULL;
        if (!none && !ph_body_valid(world, def->body[side])) {
            return ph_fail(error, PH_ERROR_REMOVED, "%s: the body has been removed", names[side]);
        }
        const double *p = none ? NULL : world->state->position[def->body[side].index];
        double angle = none ? 0 : world->state->angle[def->body[side].index];
        if (p && !is_near(p, angle)) {
            return ph_fail(
                error, PH_ERROR_VALUE,
                "%s: a body with joints must be within +-%g m (and rad), got (%s, %s) and %s rad",
                names[side], PH_JOINT_MOST, ph_number_text(p[0]).text, ph_number_text(p[1]).text,
                ph_number_text(angle).text);
        }
        PhVec2 anchor = def->anchor[side];
        if (!(fabs(anchor.x) <= PH_JOINT_MOST && fabs(anchor.y) <= PH_JOINT_MOST)) {
            return ph_fail(error, PH_ERROR_VALUE, "anchor_%s: must be within +-%g m, got (%s, %s)",
                           names[side], PH_JOINT_MOST, ph_number_text(anchor.x).text,
                           ph_number_text(anchor.y).text);
        }
    }
    if (def->referenced && !(fabs(def->reference) <= PH_MAX_ANGLE)) {
        return ph_fail(error, PH_ERROR_VALUE, "reference_angle: must be within +-%g, got %s",
                       PH_MAX_ANGLE, ph_number_text(def->reference).text);
    }
    const PhJointKindInfo *info = ph_joint_kind(def->kind);
    const double *value = def->value;
    PhStatus status = check_elastic(info, value, error);
    status = !status && info->check ? info->check(def->value, error) : status;
    if (status) {
        return status;
    }
    if (def->body[0].index == def->body[1].index && !info->geared) {
        return ph_fail(error, PH_ERROR_VALUE, "b: must be another body than a");
    }
    double length = ph_length(def->axis);
    if (!(length > 0 && length <= PH_JOINT_MOST)) {
        return ph_fail(error, PH_ERROR_VALUE, "axis: must have a finite length > 0, got (%s, %s)",
                       ph_number_text(def->axis.x).text, ph_number_text(def->axis.y).text);
    }
    return ph_joint_check_kind(world->def.solver, def->kind, error);
}

// A gear acts on the bodies of its joints, and where they act.
static PhStatus define_gear(const PhWorld *world, PhJointDef *def, PhError *error) {
    const char *const names[] = {"joint_a", "joint_b"};
    for (int k = 0; k < 2; k++) {
        uint32_t index = def->geared[k].index;
        if (!ph_joint_valid(world, def->geared[k])) {
            return ph_fail(error, PH_ERROR_REMOVED, "%s: the joint has been removed", names[k]);
        }
        const PhJoint *joint = &world->joints.joint[index];
        if (!ph_joint_info(joint)->gearable) {
            return ph_fail(error, PH_ERROR_VALUE,
                           "%s: must be a revolute, rotary or prismatic joint, got a %s joint",
                           names[k], ph_joint_kind((PhJointKind)joint->kind)->name);
        }
        def->body[k] = ph_body_id(world, joint->body[1]);
        def->anchor[k] = ph_joint_read(world, index).anchor[1];
    }
    if (def->geared[0].index == def->geared[1].index) {
        return ph_fail(error, PH_ERROR_VALUE, "joint_b: must be another joint than joint_a");
    }
    return PH_OK;
}

static void count_gear(PhWorld *world, const PhJoint *gear, int change) {
    for (int k = 0; ph_joint_info(gear)->geared && k < 2; k++) {
        at(world, gear->geared[k])->gears += (uint32_t)change;
    }
}

// Where a joint that is made holds a side, in the frame of its body.
static PhVec2 local_anchor(const PhWorld *world, const PhJointDef *def, int side) {
    uint32_t slot = def->body[side].index;
    return def->local[side] ? def->local_anchor[side]
                            : ph_unapply(ph_joint_pose_of(world, slot),
                                         ph_joint_image_of(world, slot, def->anchor[side]));
}

// The lowest that is free, with room for it.
static PhStatus take_place(PhWorld *world, uint32_t *place, PhError *error) {
    PhJoints *joints = &world->joints;
    uint32_t index = joints->free_hint;
    while (index < joints->limit && joints->joint[index].alive) {
        index++;
    }
    if (index >= PH_MAX_SLOTS ||
        ph_reserve_array(&joints->joint, &joints->capacity, (uint64_t)index + 1,
                         sizeof *joints->joint) ||
        ph_reserve_array(&joints->result, &joints->result_capacity, (uint64_t)index + 1,
                         sizeof *joints->result)) {
        return ph_fail(error, PH_ERROR_MEMORY, "no memory for a joint");
    }
    *place = index;
    return PH_OK;
}

PhStatus ph_joint_next_id(PhWorld *world, PhId *id, PhError *error) {
    uint32_t index = PH_NULL;
    PhStatus status = take_place(world, &index, error);
    if (!status) {
        *id = (PhId){index, ph_next_generation(world, world->joints.joint[index].generation)};
    }
    return status;
}

PhStatus ph_joint_create(PhWorld *world, const PhJointDef *asked, PhId *id, PhError *error) {
    PhJoints *joints = &world->joints;
    PhJointDef own = *asked;
    const PhJointDef *def = &own;
    const PhJointKindInfo *info = ph_joint_kind(own.kind);
    PhStatus status = info->geared ? define_gear(world, &own, error) : PH_OK;
    status = status ? status : check_def(world, def, error);
    if (status) {
        return status;
    }
    double value[PH_JOINT_VALUES];
    memcpy(value, def->value, sizeof value);
    work_out(world, def, value);
    status = check_values(world, def->kind, value, error);
    if (status) {
        return status;
    }
    uint32_t index = PH_NULL;
    status = take_place(world, &index, error);
    if (status) {
        return status;
    }
    uint32_t a = def->body[0].index, b = def->body[1].index;
    PhRot turn = ph_joint_pose_of(world, a).q;
    PhJoint *joint = &joints->joint[index];
    *joint = (PhJoint){
        .generation = ph_take_generation(world, joint->generation),
        .kind = (uint8_t)def->kind,
        .alive = true,
        .collide_connected = def->collide_connected && !info->inert,
        .body = {a, b},
        .anchor = {local_anchor(world, def, 0), local_anchor(world, def, 1)},
        .axis = ph_unrotate(turn, ph_scale(1 / ph_length(def->axis), def->axis)),
        .reference = info->driven      ? 0
                     : def->referenced ? def->reference
                                       : ph_joint_angle_of(world, b) - ph_joint_angle_of(world, a),
    };
    memcpy(joint->value, value, sizeof value);
    for (int k = 0; info->geared && k < 2; k++) {
        joint->geared[k] = def->geared[k].index;
        joint->frame[k] = joints->joint[joint->geared[k]].body[0];
    }
    count_gear(world, joint, 1);
    if (info->along_gap) {
        PhVec2 gap = ph_joint_gap(world, def->anchor[0], def->anchor[1]);
        joint->axis = ph_unrotate(turn, ph_normalize_or(gap, ph_vec(1, 0)));
    }
    joints->result[index] = (PhJointResult){.torque = 0};
    ph_joint_tell_spring(world, index);
    ph_joint_update_rows(joint);
    follow(world, index, NULL);
    joints->free_hint = index + 1;
    joints->limit = index < joints->limit ? joints->limit : index + 1;
    joints->count++;
    tie(world, index, 0);
    tie(world, index, 1);
    wake_all(world, joint);
    ph_note_layout(world);
    if (!joint->collide_connected) {
        ph_note_apart(world);
    }
    *id = (PhId){index, joint->generation};
    return PH_OK;
}

// Numbers of a body's frame and of a joint's, which a snapshot brings.
static bool is_frame(PhVec2 anchor) {
    return fabs(anchor.x) <= 4 * PH_JOINT_MOST && fabs(anchor.y) <= 4 * PH_JOINT_MOST;
}

static PhStatus check_placed(const PhWorld *world, const PhJoint *joint, PhError *error) {
    double length = ph_length(joint->axis);
    uint32_t a = joint->body[0], b = joint->body[1];
    bool solved = world->def.solver == PH_SOFT_STEP || ph_sequential_has((PhJointKind)joint->kind);
    bool ok = solved && ph_slot_alive(world, b) && (a == PH_NULL || ph_slot_alive(world, a)) &&
              is_frame(joint->anchor[0]) && is_frame(joint->anchor[1]) && length > 0.5 &&
              length < 2 && fabs(joint->reference) <= 4 * PH_JOINT_MOST;
    const PhJointKindInfo *info = ph_joint_info(joint);
    ok = ok && (info->geared || a != b);
    for (int side = 0; ok && side < 2; side++) {
        uint32_t slot = joint->body[side];
        ok = slot == PH_NULL || is_near(world->state->position[slot], world->state->angle[slot]);
    }
    const double *value = joint->value, *ground = value + PH_JOINT_GROUND;
    for (int k = 0; ok && info->grounded && k < 4; k++) {
        ok = fabs(ground[k]) <= PH_JOINT_MOST;
    }
    ok = ok &&
         (!info->grounded || (value[PH_JOINT_RATIO] > 0 && value[PH_JOINT_RATIO] <= PH_JOINT_MOST));
    return ok ? check_values(world, (PhJointKind)joint->kind, value, error)
              : ph_fail(error, PH_ERROR_VALUE, "a joint that cannot be");
}

PhStatus ph_joint_place(PhWorld *world, uint32_t index, const PhJoint *placed,
                        const PhJointResult *result, PhError *error) {
    PhJoints *joints = &world->joints;
    PhStatus status = check_placed(world, placed, error);
    if (status) {
        return status;
    }
    PhJoint *joint = &joints->joint[index];
    *joint = *placed;
    joint->alive = true;
    joint->active = false;
    joint->gears = 0;
    joints->result[index] = *result;
    joints->count++;
    return PH_OK;
}

void ph_joints_tie_placed(PhWorld *world) {
    for (uint32_t j = 0; j < world->joints.limit; j++) {
        PhJoint *joint = at(world, j);
        if (joint->alive) {
            ph_joint_tell_spring(world, j);
            ph_joint_update_rows(joint);
            tie(world, j, 0);
            tie(world, j, 1);
        }
    }
}

PhStatus ph_joints_place_gears(PhWorld *world, PhError *error) {
    const PhJoints *joints = &world->joints;
    for (uint32_t j = 0; j < joints->limit; j++) {
        PhJoint *gear = at(world, j);
        if (!gear->alive || !ph_joint_info(gear)->geared) {
            continue;
        }
        for (int k = 0; k < 2; k++) {
            uint32_t index = gear->geared[k];
            const PhJoint *joint = ph_joint_alive(world, index) ? at(world, index) : NULL;
            if (!joint || !ph_joint_info(joint)->gearable || gear->body[k] != joint->body[1] ||
                gear->geared[0] == gear->geared[1]) {
                return ph_fail(error, PH_ERROR_VALUE, "a gear that cannot be");
            }
            gear->frame[k] = joint->body[0];
        }
        count_gear(world, gear, 1);
    }
    return PH_OK;
}

// With the gears that it is a joint of.
void ph_joint_drop(PhWorld *world, uint32_t index) {
    PhJoints *joints = &world->joints;
    PhJoint *joint = at(world, index);
    for (uint32_t g = 0; joint->gears > 0 && g < joints->limit; g++) {
        const PhJoint *gear = at(world, g);
        if (gear->alive && ph_joint_info(gear)->geared &&
            (gear->geared[0] == index || gear->geared[1] == index)) {
            ph_joint_drop(world, g);
        }
    }
    count_gear(world, joint, -1);
    if (ph_joint_is_lock(world, index)) {
        world->body[joint->body[1]].lock_joint = PH_NULL;
        joints->locks--;
    }
    wake_all(world, joint);
    untie(world, index, 0);
    untie(world, index, 1);
    if (!joint->collide_connected) {
        ph_note_apart(world);
    }
    *joint = (PhJoint){.generation = joint->generation};
    joints->count--;
    joints->free_hint = index < joints->free_hint ? index : joints->free_hint;
    ph_note_layout(world);
}

PhStatus ph_joint_destroy(PhWorld *world, PhId id, PhError *error) {
    if (!ph_joint_valid(world, id)) {
        return ph_fail(error, PH_ERROR_REMOVED, "the joint has been removed");
    }
    ph_joint_drop(world, id.index);
    return PH_OK;
}

void ph_joints_drop_body(PhWorld *world, uint32_t slot) {
    while (world->body[slot].first_joint != PH_NULL) {
        ph_joint_drop(world, world->body[slot].first_joint / 2);
    }
    if (slot < world->joints.effective_inertia_capacity) {
        world->joints.effective_inertia[slot] = 0;
    }
}

// What a joint would be made of at the present poses.
static PhJointDef as_it_is(const PhWorld *world, uint32_t index) {
    const PhJoint *joint = &world->joints.joint[index];
    PhJointReading reading = ph_joint_read(world, index);
    return (PhJointDef){.kind = (PhJointKind)joint->kind,
                        .body = {{joint->body[0], 0}, {joint->body[1], 0}},
                        .geared = {{joint->geared[0], 0}, {joint->geared[1], 0}},
                        .anchor = {reading.anchor[0], reading.anchor[1]},
                        .length = NAN};
}

PhStatus ph_joint_set(PhWorld *world, PhId id, const double value[PH_JOINT_VALUES],
                      PhError *error) {
    if (!ph_joint_valid(world, id)) {
        return ph_fail(error, PH_ERROR_REMOVED, "the joint has been removed");
    }
    PhJoint *joint = at(world, id.index);
    double own[PH_JOINT_VALUES];
    memcpy(own, value, sizeof own);
    if (ph_joint_info(joint)->geared && joint->value[PH_JOINT_RATIO] != own[PH_JOINT_RATIO]) {
        own[PH_JOINT_REST] = NAN;
    }
    if (ph_joint_is_elastic(joint) && (joint->value[PH_JOINT_HERTZ] != own[PH_JOINT_HERTZ] ||
                                       joint->value[PH_JOINT_ZETA] != own[PH_JOINT_ZETA])) {
        own[PH_JOINT_STIFFNESS] = own[PH_JOINT_DAMPING] = 0; // told by these from now on
    }
    if (ph_joint_turn_is_elastic(joint) &&
        (joint->value[PH_JOINT_TURN_HERTZ] != own[PH_JOINT_TURN_HERTZ] ||
         joint->value[PH_JOINT_TURN_ZETA] != own[PH_JOINT_TURN_ZETA])) {
        own[PH_JOINT_TURN_STIFFNESS] = own[PH_JOINT_TURN_DAMPING] = 0;
    }
    PhJointDef def = as_it_is(world, id.index);
    work_out(world, &def, own);
    PhStatus status = check_values(world, (PhJointKind)joint->kind, own, error);
    if (status || memcmp(joint->value, own, sizeof own) == 0) {
        return status;
    }
    double before[PH_JOINT_VALUES];
    memcpy(before, joint->value, sizeof before);
    bool tuned = ph_joint_is_tuned(joint);
    uint8_t firm = joint->firm_rows;
    memcpy(joint->value, own, sizeof own);
    ph_joint_tell_spring(world, id.index);
    ph_joint_update_rows(joint);
    bool other = tuned != ph_joint_is_tuned(joint) || (tuned && firm != joint->firm_rows);
    for (int k = 0; k < PH_JOINT_ROWS && other; k++) { // it means something else now
        world->joints.result[id.index].load[k] = 0;
    }
    follow(world, id.index, before);
    wake_all(world, joint);
    ph_note_layout(world); // it may be an edge of a tree, or drive its island
    return PH_OK;
}

// ------------------------------------------------------------------------------------------------
// reading

bool ph_joint_is_lock(const PhWorld *world, uint32_t index) {
    return world->body[world->joints.joint[index].body[1]].lock_joint == index;
}
bool ph_joint_alive(const PhWorld *world, uint32_t index) {
    return index < world->joints.limit && world->joints.joint[index].alive &&
           !ph_joint_is_lock(world, index);
}
bool ph_joint_valid(const PhWorld *world, PhId id) {
    return ph_joint_alive(world, id.index) &&
           world->joints.joint[id.index].generation == id.generation;
}
const PhJoint *ph_joint_get(const PhWorld *world, uint32_t index) {
    return &world->joints.joint[index];
}
const PhJointResult *ph_joint_result(const PhWorld *world, uint32_t index) {
    return &world->joints.result[index];
}
uint32_t ph_joint_count(const PhWorld *world) {
    return world->joints.count - world->joints.locks;
}
uint32_t ph_joint_limit(const PhWorld *world) {
    return world->joints.limit;
}
PhId ph_joint_id(const PhWorld *world, uint32_t index) {
    return (PhId){index, world->joints.joint[index].generation};
}
uint32_t ph_body_first_joint(const PhWorld *world, uint32_t slot) {
    return world->body[slot].first_joint;
}
uint32_t ph_joint_next(const PhWorld *world, uint32_t end) {
    return world->joints.joint[end / 2].next[end % 2];
}

// ------------------------------------------------------------------------------------------------
// waking

static bool sleeps(const PhWorld *world, uint32_t slot) {
    return slot != PH_NULL && ph_is_dynamic(world, slot) && world->body[slot].enabled &&
           !world->state->awake[slot];
}

static bool has_rows(const PhJoint *joint) {
    return joint->alive && !ph_joint_info(joint)->inert;
}

void ph_joints_wake(PhWorld *world, uint32_t slot) {
    for (uint32_t end = world->body[slot].first_joint; end != PH_NULL;
         end = ph_joint_next(world, end)) {
        const PhJoint *joint = at(world, end / 2);
        if (has_rows(joint)) {
            wake_all(world, joint);
        }
    }
}

// Whether a body pulls at what it is tied to.
static bool stirs(const PhWorld *world, uint32_t slot) {
    if (slot == PH_NULL) {
        return false;
    }
    uint8_t role = world->role[slot];
    return role == PH_ROLE_DYNAMIC || role == PH_ROLE_KINEMATIC ||
           (!ph_is_dynamic(world, slot) && world->moved[slot] == PH_MOVED_PLACED);
}

void ph_joints_wake_in_step(PhWorld *world, bool fixed_moved) {
    PhJoints *joints = &world->joints;
    if (!joints->count || !(joints->uneasy || fixed_moved || world->awake_changed)) {
        return;
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t j = 0; j < joints->limit; j++) {
            const PhJoint *joint = &joints->joint[j];
            if (!has_rows(joint)) {
                continue;
            }
            uint32_t slots[4];
            bool stir = false;
            int sides = ph_joint_sides(joint, slots);
            for (int side = 0; side < sides; side++) {
                stir |= stirs(world, slots[side]);
            }
            for (int side = 0; stir && side < sides; side++) {
                if (sleeps(world, slots[side])) {
                    ph_wake_in_step(world, slots[side]);
                    again = true;
                }
            }
        }
    }
    joints->uneasy = false;
}

// ------------------------------------------------------------------------------------------------
// the step

static PhStatus list_apart(PhWorld *world) {
    PhJoints *joints = &world->joints;
    if (ph_reserve_array(&joints->apart, &joints->apart_capacity, 2 * (uint64_t)joints->count,
                         sizeof *joints->apart)) { // half of it for sorting
        return PH_ERROR_MEMORY;
    }
    uint32_t count = 0;
    for (uint32_t j = 0; j < joints->limit; j++) {
        const PhJoint *joint = &joints->joint[j];
        if (!joint->alive || joint->collide_connected || joint->body[0] == PH_NULL ||
            joint->body[0] == joint->body[1]) {
            continue;
        }
        uint64_t a = joint->body[0], b = joint->body[1];
        joints->apart[count++] = a < b ? a << 32 | b : b << 32 | a;
    }
    ph_sort_keys(joints->apart, count, world->slot_count);
    joints->apart_count = count;
    joints->apart_stale = false;
    return PH_OK;
}

PhStatus ph_joints_prepare(PhWorld *world) {
    PhJoints *joints = &world->joints;
    if (joints->apart_stale && list_apart(world)) {
        return PH_ERROR_MEMORY;
    }
    world->broad.apart = joints->apart;
    world->broad.apart_count = joints->apart_count;
    if (!joints->count) {
        return PH_OK;
    }
    for (uint32_t j = 0; joints->elastic && j < joints->limit; j++) {
        if (at(world, j)->alive) {
            ph_joint_tell_spring(world, j);
        }
    }
    if (ph_reserve_array(&joints->effective_inertia, &joints->effective_inertia_capacity,
                         world->slot_count, sizeof *joints->effective_inertia)) {
        return PH_ERROR_MEMORY;
    }
    return ph_event_room(&world->joint_break, joints->count, sizeof(PhJointEvent));
}

// Nothing to go on with, where no step acts and no sleeper waits.
static void forget_load(PhWorld *world, uint32_t index) {
    PhJointResult *result = &world->joints.result[index];
    uint32_t slots[4];
    bool sleeper = false;
    for (int side = 0, sides = ph_joint_sides(at(world, index), slots); side < sides; side++) {
        sleeper |= sleeps(world, slots[side]);
    }
    if (!sleeper) {
        memset(result->load, 0, sizeof result->load);
        result->force[0] = result->force[1] = result->torque = 0;
    }
}

static bool may_break(const PhJoint *joint) {
    return joint->value[PH_JOINT_BREAK_FORCE] < INFINITY ||
           joint->value[PH_JOINT_BREAK_TORQUE] < INFINITY;
}

void ph_joints_activate(PhWorld *world) {
    PhJoints *joints = &world->joints;
    joints->active = joints->gears = joints->distances = 0;
    joints->watched = joints->hinged = false;
    joints->plain = true;
    for (uint32_t j = 0; j < joints->limit; j++) {
        PhJoint *joint = &joints->joint[j];
        joint->active = false;
        if (!has_rows(joint)) {
            continue;
        }
        bool enabled = true, dynamic = false, sleeper = false, both = true;
        uint32_t slots[4];
        for (int side = 0, sides = ph_joint_sides(joint, slots); side < sides; side++) {
            uint32_t slot = slots[side];
            enabled &= slot == PH_NULL || world->body[slot].enabled;
            bool moves = slot != PH_NULL && world->role[slot] == PH_ROLE_DYNAMIC;
            dynamic |= moves;
            both &= moves;
            sleeper |= sleeps(world, slot);
        }
        joint->active = enabled && dynamic;
        joints->active += joint->active;
        joints->gears += joint->active && ph_joint_info(joint)->geared;
        joints->distances += joint->active && ph_joint_info(joint)->distance;
        bool turns = joint->value[PH_JOINT_SPEED] != 0 && joint->value[PH_JOINT_MAX_MOTOR] > 0;
        joints->plain &= !joint->active || (both && !turns);
        joints->hinged |= joint->active && ph_joint_info(joint)->hinge && joint->sprung_rows;
        joints->uneasy |= joint->active && sleeper;
        joints->watched |= may_break(joint) || ph_joint_info(joint)->follow;
        joints->idle |= !joint->active;
    }
}

PhSolverJoints ph_joints_for_solver(PhWorld *world) {
    const PhJoints *joints = &world->joints;
    return (PhSolverJoints){
        .joint = joints->joint,
        .result = joints->result,
        .limit = joints->limit,
        .plain = joints->plain,
        .active = joints->active,
        .gears = joints->gears,
        .distances = joints->distances,
        .transform = world->transform,
        .effective_inertia = joints->effective_inertia,
    };
}

void ph_joints_break(PhWorld *world) {
    PhJoints *joints = &world->joints;
    for (uint32_t j = 0; joints->idle && j < joints->limit; j++) {
        if (has_rows(at(world, j)) && !at(world, j)->active) {
            forget_load(world, j);
        }
    }
    joints->idle = false;
    for (uint32_t j = 0; joints->watched && j < joints->limit; j++) {
        PhJoint *joint = &joints->joint[j];
        const PhJointResult *result = &joints->result[j];
        if (!has_rows(joint) || !joint->active) {
            continue;
        }
        follow(world, j, NULL);
        double force = ph_length(ph_vec(result->force[0], result->force[1]));
        if (!(force > joint->value[PH_JOINT_BREAK_FORCE] ||
              fabs(result->torque) > joint->value[PH_JOINT_BREAK_TORQUE])) {
            continue;
        }
        ((PhJointEvent *)world->joint_break.rows)[world->joint_break.count++] =
            (PhJointEvent){.step = (int64_t)world->step_count,
                           .joint = (int32_t)j,
                           .joint_id = ph_id_number(ph_joint_id(world, j)),
                           .force = {result->force[0], result->force[1]},
                           .torque = result->torque};
        ph_joint_drop(world, j);
    }
}

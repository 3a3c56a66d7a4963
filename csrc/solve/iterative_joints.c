// Iterative joints: revolute and rigid distance joints of parts with too many loops for a tree, and
// springs where there are many, cut into packs of one kind and color for the lanes of
// iterative_joints_source.h, and what a step begins and ends with.
//
// Invariant: joints of a color share no dynamic body, but in overflow colors, whose packs have one
// joint each. Colors depend on the order of the joints alone. Loads are kept as float32 newtons in
// the packs of a layout that lasts as in the joints, so a new layout changes no bit.
#include "solve/iterative_joints.h"

#include <string.h>

#include "base/memory.h"
#include "solve/articulations.h"

enum {
    SOLVER_A,
    SOLVER_B,
    MASS_A,
    MASS_B,
    INERTIA_A,
    INERTIA_B,
    ARM_A,
    ARM_B = ARM_A + 2,
    GAP = ARM_B + 2,
    IMPULSE = GAP + 2,
    TOTAL = IMPULSE + 2,
    TURN_A = TOTAL + 2,
    TURN_B,
    REVOLUTE_FIELDS,
};
enum { // of a rigid distance joint after those of a revolute joint
    LOWER = REVOLUTE_FIELDS,
    UPPER,
    AXIS,
    LOAD = AXIS + 2,
    DISTANCE_FIELDS,
};
enum { // of a spring likewise
    PULL = REVOLUTE_FIELDS,
    VELOCITY,
    SLOWS,
    LAGS,
    STIFFNESS,
    FOLLOWED,
    REST_MASS,
    REST,
    SPRING_AXIS,
    ALONG = SPRING_AXIS + 2,
    MASS = ALONG + 2,
    STRETCH,
    NOTED,
    SPRING_FIELDS,
};

enum {
    SERIAL_COLOR = PH_ITERATIVE_COLORS,
    ALL_COLORS = PH_ITERATIVE_KINDS * (PH_ITERATIVE_COLORS + 1)
};

_Static_assert((int)REVOLUTE_FIELDS == (int)PH_ITERATIVE_REVOLUTE_FIELDS, "fields of a pin");
_Static_assert((int)DISTANCE_FIELDS == (int)PH_ITERATIVE_DISTANCE_FIELDS, "fields of a rod");
_Static_assert((int)SPRING_FIELDS == (int)PH_ITERATIVE_SPRING_FIELDS, "fields of a spring");

// ------------------------------------------------------------------------------------------------
// kinds

static bool is_revolute(const PhJoint *joint) {
    return ph_joint_info(joint)->hinge && !ph_joint_axis_rows(joint) &&
           !ph_joint_sprung_rows(joint) && ph_joint_rigid_rows(joint) == 3;
}

static bool is_distance(const PhJoint *joint) {
    return ph_joint_info(joint)->distance && !ph_joint_sprung_rows(joint) &&
           !(joint->value[PH_JOINT_MAX_MOTOR] > 0) && joint->value[PH_JOINT_UPPER] > 0;
}

static bool is_spring(const PhJoint *joint) {
    return ph_joint_info(joint)->distance && !ph_joint_axis_rows(joint) &&
           !ph_joint_rigid_rows(joint) && ph_joint_sprung_rows(joint) &&
           !ph_joint_is_bounded(joint) && !joint->firm_rows;
}

int ph_iterative_kind(const PhJoint *joint) {
    return is_revolute(joint)   ? PH_ITERATIVE_REVOLUTE
           : is_distance(joint) ? PH_ITERATIVE_DISTANCE
           : is_spring(joint)   ? PH_ITERATIVE_SPRING
                                : PH_ITERATIVE_KINDS;
}

// ------------------------------------------------------------------------------------------------
// layout

static uint8_t pick_color(uint32_t *a, uint32_t *b) {
    uint32_t open = ~(*a | *b);
    if (!open) {
        return SERIAL_COLOR;
    }
    *a |= open & (~open + 1);
    *b |= open & (~open + 1);
    return (uint8_t)__builtin_ctz(open);
}

static void set_word(float *field, uint32_t word) {
    memcpy(field, &word, sizeof word);
}

// Of a lane of a color: its first field; the next one is as many words on as there are lanes.
static float *fields_at(const PhLayout *layout, const PhIterativeColor *color, uint32_t lane) {
    uint32_t lanes = layout->arrays->kernels->lanes;
    return ph_iterative_pack(layout->arrays, color, lane / lanes) + lane % lanes;
}

static PhIterativeJoint iterative_of(const PhLayout *layout, const PhSolverBodies *bodies,
                                     const PhJointEnds *ends) {
    const PhJoint *joint = &bodies->joints->joint[ends->joint];
    const uint32_t *solver_body_slot = layout->arrays->solver_body_slot;
    PhIterativeJoint iterative = {.joint = ends->joint,
                                  .slot = {joint->body[0], joint->body[1]},
                                  .anchor = {joint->anchor[0], joint->anchor[1]}};
    for (int side = 0; side < 2; side++) {
        uint32_t solver_body = side ? ends->solver_b : ends->solver_a, slot = iterative.slot[side];
        iterative.solver_body[side] =
            slot != PH_NULL && solver_body_slot[solver_body] == slot ? solver_body : PH_NULL;
    }
    return iterative;
}

// Null in lanes of a color: in all, or, of revolute joints, of which a step writes every number, in
// the last pack, as the others are full.
static void clear_color(PhLayout *layout, const PhIslandBatch *batch,
                        const PhIterativeColor *color) {
    PhJointLayout *own = &layout->arrays->joints;
    bool full = color->kind == PH_ITERATIVE_REVOLUTE && color->number != SERIAL_COLOR;
    uint32_t from = full ? color->pack_count - 1 : 0, lanes = layout->arrays->kernels->lanes;
    uint32_t padding = 16 * (ph_batch_solver_bodies(batch) - 1), first = color->first_pack * lanes;
    size_t words = (size_t)ph_iterative_fields(color->kind) * lanes;
    float *pack = ph_iterative_pack(layout->arrays, color, color->first_pack + from);
    memset(pack, 0, (color->pack_count - from) * words * sizeof *pack);
    for (uint32_t b = from; b < color->pack_count; b++, pack += words) {
        for (uint32_t l = 0; l < lanes; l++) {
            set_word(&pack[SOLVER_A * lanes + l], padding);
            set_word(&pack[SOLVER_B * lanes + l], padding);
            own->iterative_joints[first + b * lanes + l] = (PhIterativeJoint){.joint = PH_NULL};
        }
    }
}

// What stays as it is while the layout lasts.
static void fill_lane(PhLayout *layout, const PhIslandBatch *batch, const PhSolverBodies *bodies,
                      const PhIterativeColor *color, uint32_t lane, const PhJointEnds *ends) {
    PhJointLayout *own = &layout->arrays->joints;
    const size_t lanes = layout->arrays->kernels->lanes;
    float *field = fields_at(layout, color, lane);
    const PhJoint *joint = &bodies->joints->joint[ends->joint];
    const float *load = bodies->joints->result[ends->joint].load;
    own->iterative_joints[lane] = iterative_of(layout, bodies, ends);
    set_word(&field[SOLVER_A * lanes], 16 * (ends->solver_a - batch->first_solver_body));
    set_word(&field[SOLVER_B * lanes], 16 * (ends->solver_b - batch->first_solver_body));
    for (size_t k = 0; k < 2; k++) {
        field[(k ? INERTIA_A : MASS_A) * lanes] =
            ends->fixed_a ? 0 : bodies->mass[joint->body[0]][k];
        field[(k ? INERTIA_B : MASS_B) * lanes] =
            ends->fixed_b ? 0 : bodies->mass[joint->body[1]][k];
        if (color->kind == PH_ITERATIVE_REVOLUTE) {
            field[(IMPULSE + k) * lanes] = load[k];
            field[(TURN_A + k) * lanes] = 0;
        }
    }
    if (color->kind == PH_ITERATIVE_DISTANCE) {
        field[LOAD * lanes] = load[0];
    }
}

// The colors of the joints of a batch behind the packs of the batches before; in seen[], with their
// kind, where those of one kind have colors of their own.
static void color_batch(PhLayout *layout, PhIslandBatch *batch) {
    PhJointLayout *own = &layout->arrays->joints;
    uint32_t lanes = layout->arrays->kernels->lanes, number[ALL_COLORS] = {0};
    const uint32_t *members = own->iterative_members + batch->first_iterative;
    uint32_t solver_bodies = ph_batch_solver_bodies(batch);
    batch->first_iterative_color = own->iterative_color_count;
    batch->spring_count = 0;
    if (batch->iterative_count) {
        memset(&own->iterative_used[(size_t)PH_ITERATIVE_KINDS * batch->first_solver_body], 0,
               (size_t)PH_ITERATIVE_KINDS * solver_bodies * sizeof *own->iterative_used);
    }
    for (uint32_t i = 0; i < batch->iterative_count; i++) {
        const PhJointEnds *ends = &own->ends[members[i]];
        uint32_t kind = ends->iterative, fixed = 0, *rows_used = own->iterative_used + kind;
        uint32_t *a = ends->fixed_a ? &fixed : &rows_used[PH_ITERATIVE_KINDS * ends->solver_a];
        uint32_t *b = ends->fixed_b ? &fixed : &rows_used[PH_ITERATIVE_KINDS * ends->solver_b];
        uint32_t color = kind * (PH_ITERATIVE_COLORS + 1) + pick_color(a, b);
        own->seen[members[i]] = (uint8_t)color;
        number[color]++;
        batch->spring_count += kind == PH_ITERATIVE_SPRING;
    }
    for (uint8_t c = 0; c < ALL_COLORS; c++) {
        uint8_t kind = c / (PH_ITERATIVE_COLORS + 1), own_number = c % (PH_ITERATIVE_COLORS + 1);
        uint32_t packs = own_number == SERIAL_COLOR ? number[c] : (number[c] + lanes - 1) / lanes;
        if (!packs) {
            continue;
        }
        own->iterative_colors[own->iterative_color_count++] = (PhIterativeColor){
            own->iterative_pack_count, packs, own->iterative_data_count, own_number, kind};
        own->iterative_pack_count += packs;
        own->iterative_data_count += packs * ph_iterative_fields(kind);
    }
    batch->iterative_color_count = own->iterative_color_count - batch->first_iterative_color;
}

static void fill_batch(PhLayout *layout, const PhIslandBatch *batch, const PhSolverBodies *bodies) {
    PhJointLayout *own = &layout->arrays->joints;
    const PhIterativeColor *of[ALL_COLORS];
    uint32_t lanes = layout->arrays->kernels->lanes, next[ALL_COLORS];
    for (uint32_t i = 0; i < batch->iterative_color_count; i++) {
        const PhIterativeColor *color = &own->iterative_colors[batch->first_iterative_color + i];
        int c = color->kind * (PH_ITERATIVE_COLORS + 1) + color->number;
        next[c] = color->first_pack * lanes;
        of[c] = color;
        clear_color(layout, batch, color);
    }
    for (uint32_t i = 0; i < batch->iterative_count; i++) {
        uint32_t w = own->iterative_members[batch->first_iterative + i],
                 *lane = &next[own->seen[w]];
        const PhIterativeColor *color = of[own->seen[w]];
        fill_lane(layout, batch, bodies, color, *lane, &own->ends[w]);
        *lane += color->number == SERIAL_COLOR ? lanes : 1;
    }
}

PhStatus ph_iterative_build(PhLayout *layout, const PhSolverBodies *bodies, uint32_t members) {
    PhJointLayout *own = &layout->arrays->joints;
    uint32_t lanes = layout->arrays->kernels->lanes, solver_bodies = layout->solver_body_count;
    own->iterative_color_count = own->iterative_pack_count = own->iterative_data_count = 0;
    if (members > UINT32_MAX / SPRING_FIELDS || // a pack has a joint at least
        (members &&
         (PH_RESERVE(own->iterative_colors, (uint64_t)layout->batch_count * ALL_COLORS) ||
          PH_RESERVE(own->iterative_used, (uint64_t)solver_bodies * PH_ITERATIVE_KINDS) ||
          PH_RESERVE(own->iterative_bodies, solver_bodies)))) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        color_batch(layout, &layout->arrays->batches[b]);
    }
    uint64_t room = (uint64_t)own->iterative_pack_count * lanes;
    if (room > UINT32_MAX || PH_RESERVE(own->iterative_joints, room) ||
        ph_reserve(&own->iterative_packs,
                   ((uint64_t)own->iterative_data_count * lanes * 4 + 63) / 64, 64)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        fill_batch(layout, &layout->arrays->batches[b], bodies);
    }
    return PH_OK;
}

// ------------------------------------------------------------------------------------------------
// a step

void ph_iterative_load_bodies(const PhJointRun *run, uint32_t first, uint32_t last) {
    const struct PhLayoutArrays *arrays = run->layout->arrays;
    for (uint32_t r = first; r < last; r++) {
        if (arrays->solver_body_slot[r] == PH_NULL) {
            continue;
        }
        PhIterativeBody *solver_body = &arrays->joints.iterative_bodies[r];
        *solver_body = ph_iterative_body(run->bodies, arrays->solver_body_slot[r]);
        memcpy(solver_body->drive, arrays->solver_bodies.drive[r], sizeof solver_body->drive);
    }
}

void ph_iterative_restore_drives(const PhJointRun *run, const PhIslandBatch *batch) {
    const struct PhLayoutArrays *arrays = run->layout->arrays;
    const PhSolverBodyArrays *solver_bodies = &arrays->solver_bodies;
    for (uint32_t r = batch->first_solver_body + 1;
         r <= batch->first_solver_body + batch->body_count; r++) {
        const float *drive = arrays->joints.iterative_bodies[r].drive;
        for (int k = 0; k < 3; k++) {
            solver_bodies->before[r][k] += solver_bodies->drive[r][k] - drive[k];
            solver_bodies->drive[r][k] = drive[k];
        }
    }
}

// Loads become the impulses of a substep, along the rigid distance joint as it is.
static void prepare_distance(const PhJoint *joint, PhVec2 gap, PhVec2 axis, float h, float *field,
                             uint32_t lanes) {
    double length = ph_length(gap);
    float load = field[LOAD * lanes] *= h;
    PhVec2 along = length > 0 ? ph_scale(1 / length, gap) : axis;
    bool held = ph_joint_rigid_rows(joint) != 0;
    double lower = joint->value[PH_JOINT_LOWER];
    field[LOWER * lanes] = (float)(held ? lower : ph_joint_lower(ph_joint_info(joint), joint));
    field[UPPER * lanes] = (float)joint->value[PH_JOINT_UPPER];
    field[AXIS * lanes] = (float)axis.x;
    field[(AXIS + 1) * lanes] = (float)axis.y;
    field[IMPULSE * lanes] = load * (float)along.x;
    field[(IMPULSE + 1) * lanes] = load * (float)along.y;
}

static void prepare_spring(const PhJoint *joint, const PhIterativeEnd *a, const PhIterativeEnd *b,
                           double h, PhSpringCache *cache, float *field, uint32_t lanes) {
    PhVec2 axis = ph_rotate(a->rot, joint->axis);
    const PhVec2 arm[2] = {ph_unrotate(a->rot, a->arm), ph_unrotate(b->rot, b->arm)};
    const double inverse[2][2] = {
        {(double)field[MASS_A * lanes], (double)field[INERTIA_A * lanes]},
        {(double)field[MASS_B * lanes], (double)field[INERTIA_B * lanes]}};
    double masses[6];
    PhJointSpring spring = ph_joint_spring(joint, h, cache);
    field[PULL * lanes] = spring.exact ? (float)spring.pull : 0;
    field[VELOCITY * lanes] = spring.exact ? 0 : (float)spring.velocity;
    field[SLOWS * lanes] = (float)spring.slows;
    field[LAGS * lanes] = (float)spring.lags;
    field[STIFFNESS * lanes] = spring.exact ? 0 : (float)spring.error;
    ph_joint_rest_masses(joint, 1, arm, inverse, masses);
    field[FOLLOWED * lanes] = (float)(h * spring.error);
    field[REST_MASS * lanes] = (float)masses[0];
    field[REST * lanes] = (float)joint->value[PH_JOINT_TARGET];
    field[SPRING_AXIS * lanes] = (float)axis.x;
    field[(SPRING_AXIS + 1) * lanes] = (float)axis.y;
}

void ph_iterative_prepare(const PhJointRun *run, const PhIterativeColor *color, uint32_t first,
                          uint32_t last) {
    PhJointLayout *own = &run->layout->arrays->joints;
    const PhSolverBodies *bodies = run->bodies;
    const PhIterativeBody *solver_bodies = own->iterative_bodies;
    uint32_t lanes = run->layout->arrays->kernels->lanes;
    float h = (float)run->h;
    PhSpringCache cache = {.known = false};
    for (uint32_t lane = first * lanes; lane < last * lanes; lane++) {
        const PhIterativeJoint *iterative = &own->iterative_joints[lane];
        if (iterative->joint == PH_NULL) {
            continue;
        }
        float *field = fields_at(run->layout, color, lane);
        const PhJoint *joint = &bodies->joints->joint[iterative->joint];
        PhIterativeEnd a = ph_iterative_end(solver_bodies, bodies, iterative, 0),
                       b = ph_iterative_end(solver_bodies, bodies, iterative, 1);
        field[ARM_A * lanes] = (float)a.arm.x;
        field[(ARM_A + 1) * lanes] = (float)a.arm.y;
        field[ARM_B * lanes] = (float)b.arm.x;
        field[(ARM_B + 1) * lanes] = (float)b.arm.y;
        PhVec2 gap = ph_iterative_gap(run->bodies, &a, &b);
        field[GAP * lanes] = (float)gap.x;
        field[(GAP + 1) * lanes] = (float)gap.y;
        field[TOTAL * lanes] = field[(TOTAL + 1) * lanes] = 0;
        if (color->kind == PH_ITERATIVE_REVOLUTE) {
            field[IMPULSE * lanes] *= h;
            field[(IMPULSE + 1) * lanes] *= h;
        } else if (color->kind == PH_ITERATIVE_DISTANCE) {
            prepare_distance(joint, gap, ph_rotate(a.rot, joint->axis), h, field, lanes);
        } else {
            prepare_spring(joint, &a, &b, run->h, &cache, field, lanes);
        }
    }
}

static bool is_in_iterative(const PhJointLayout *own, uint32_t solver_body) {
    uint32_t colors = 0;
    for (uint32_t kind = 0; kind < PH_ITERATIVE_KINDS; kind++) {
        colors |= own->iterative_used[PH_ITERATIVE_KINDS * solver_body + kind];
    }
    return colors != 0;
}

// Geometric stiffness, from the loads of the last substep: once a step, as tension changes slowly.
// That of bodies without iterative joints is the business of their trees.
void ph_iterative_stiffen(const PhJointRun *run, const PhIslandBatch *batch) {
    const struct PhLayoutArrays *arrays = run->layout->arrays;
    const PhSolverBodies *bodies = run->bodies;
    const PhJointLayout *own = &arrays->joints;
    uint32_t lanes = arrays->kernels->lanes;
    const PhIterativeColor *colors = own->iterative_colors + batch->first_iterative_color;
    for (uint32_t i = 0; i < batch->iterative_color_count; i++) {
        uint32_t first = colors[i].first_pack * lanes;
        for (uint32_t lane = first; lane < first + colors[i].pack_count * lanes; lane++) {
            const PhIterativeJoint *iterative = &own->iterative_joints[lane];
            const float *field = fields_at(run->layout, &colors[i], lane);
            if (iterative->joint == PH_NULL) {
                continue;
            }
            float x = field[IMPULSE * lanes], y = field[(IMPULSE + 1) * lanes];
            if (iterative->solver_body[0] != PH_NULL) {
                own->iterative_bodies[iterative->solver_body[0]].pull -=
                    field[ARM_A * lanes] * x + field[(ARM_A + 1) * lanes] * y;
            }
            if (iterative->solver_body[1] != PH_NULL) {
                own->iterative_bodies[iterative->solver_body[1]].pull +=
                    field[ARM_B * lanes] * x + field[(ARM_B + 1) * lanes] * y;
            }
        }
    }
    for (uint32_t r = batch->first_solver_body + 1;
         r <= batch->first_solver_body + batch->body_count; r++) {
        if (!is_in_iterative(own, r)) {
            continue;
        }
        uint32_t slot = arrays->solver_body_slot[r];
        float *velocity = arrays->solver_bodies.velocity[r];
        double least = bodies->exact_inertia[slot],
               before = bodies->joints->effective_inertia[slot];
        double wanted = run->h * (double)own->iterative_bodies[r].pull;
        if (!(wanted > least) || bodies->mass[slot][1] == 0) {
            bodies->joints->effective_inertia[slot] = 0;
            continue;
        }
        before = before > least ? before : least;
        if (wanted > before) {
            velocity[2] *= (float)(before / wanted);
        }
        velocity[3] = (float)(least / wanted - 1);
        bodies->joints->effective_inertia[slot] = wanted;
    }
}

void ph_iterative_store(const PhJointRun *run, const PhIterativeColor *color, uint32_t first,
                        uint32_t last) {
    PhJointLayout *own = &run->layout->arrays->joints;
    uint32_t lanes = run->layout->arrays->kernels->lanes;
    double inv_dt = 1 / run->parameters->dt;
    float inv_h = (float)(1 / run->h);
    for (uint32_t lane = first * lanes; lane < last * lanes; lane++) {
        const PhIterativeJoint *iterative = &own->iterative_joints[lane];
        if (iterative->joint == PH_NULL) {
            continue;
        }
        float *field = fields_at(run->layout, color, lane);
        PhJointResult *result = &run->bodies->joints->result[iterative->joint];
        for (int k = 0; k < 2; k++) {
            result->force[k] = inv_dt * (double)field[((size_t)TOTAL + (size_t)k) * lanes];
        }
        result->load[0] = result->load[1] = result->load[2] = 0;
        for (int k = 0; k < 2 && color->kind == PH_ITERATIVE_REVOLUTE; k++) {
            result->load[k] = field[((size_t)IMPULSE + (size_t)k) * lanes] *= inv_h;
        }
        if (color->kind == PH_ITERATIVE_DISTANCE) {
            result->load[0] = field[LOAD * lanes] *= inv_h;
        }
        result->torque = 0;
    }
}

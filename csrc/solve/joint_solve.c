// Joints of a bin through a step: springs, geometric stiffness, warm starts, and what is stored.
//
// Springs and drives get one impulse per substep, from the velocities after gravity and before
// anything is held. With x = w h (w the angular frequency, z the damping ratio), C the error, v the
// velocity J v of the row, g what gravity and forces added to it in this substep, both as they are
// once the rigid rows of the same joint have held, and m the effective mass that they leave,
//     v' = v - b1 (v - g) - b2 v - a C,
//     b1 + b2 = 1 - d,  d = exp(-2 z x),  h a = 1 + d - 2 sqrt(d) cos(x sqrt(1 - z^2)),
//     b2 = 1 - h a / x^2.
// C' = C + h v' then has the frequency and the damping of the differential equation to the last
// bit: the trace and the determinant of its map are theirs; and b2 lets a load hang where
// a C = (1 - b2) g, which is C = g / (h w^2), as it does in the equation. Where x is above 1/2 or
// z x above 3/2, implicit Euler stands in, which is stable whatever else pulls at the bodies; for
// springs of hinges x counts as 3/2 at most.
//
// The stiffness of a spring is w^2 times the mass that its rows meet where it rests, and stays so
// wherever the bodies go: a x C above is a (m0 / m) C. A stiffness that followed the mass of each
// moment would be no spring: what goes out one way and comes back another could gain.
//
// To one of several springs on a body the others are forces too, that g has to count. So f = h w^2
// C of each is given first, and counts as gained by both bodies; with G and V for g and v after
// that, and s f for what the spring itself has added to G,
//     v' = v - b1 (v - g) - b2 v - a C = V - b1 (V - G) - b2 V + b2 (1 - s) f,
// where g = G + s f, v = V + s f. At rest G is zero: each pulls with f, as the equation has it. To
// one that is alone both are the same but for rounding, and it does so too: its bits must not
// depend on springs elsewhere.
//
// Two springs in one joint, of its place and its angle: see push_apart in joint_spring_source.h.
// Springs of implicit Euler on bodies that have other joints too: see joint_group_source.h.
//
// What swings, on direct trees and without contacts and springs, is handed over with velocities of
// the same moment as its positions: inside, gravity acts before a substep moves anybody, so that
// velocities are half a substep of it ahead. Half of it is taken away at the start of the step and
// added at its end, along what the joints leave free. Energy then errs by h^2, not by h.
//
// Geometric stiffness: a body that hangs between loads turns back like a pendulum, with the
// stiffness k = sum of arm . force; faster than a substep follows when it is light. Its inertia is
// raised to h^2 k, the spin lowered so that its momentum stays.
//
// Contacts know the inertia of the body alone; what they turn it by is lowered accordingly, so that
// their impulses count the same for joints.
//
// Sources: M. Tournier, M. Nesme, B. Gilles, F. Faure, "Stable Constrained Dynamics" (2015);
// S. Andrews, M. Teichmann, P. Kry, "Geometric Stiffness for Real-time Constrained Multibody
// Dynamics" (2017); E. Catto, "Soft Constraints" (GDC 2011).
#include "solve/joint_units.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "math/trig.h"
#include "solve/joint_lanes.h"

// Of the inverse of inertia: bodies that do not turn are this much harder to turn than to push at
// one metre.
#define UNTURNABLE 1e12
// What follows the equation: x, less where bodies turn about their anchors in chains; and z x.
#define LARGEST_EXACT 0.5
#define LARGEST_WITH_ARMS 0.3
#define LARGEST_DAMPING 1.5
// Of two springs in one joint: x^2 with what levers make of it, and z x.
#define LARGEST_BY_LEVERS 0.1
#define LARGEST_DAMPING_APART 0.3
// x of springs of hinges: stiffer ones in a row undo each other's work.
#define STIFFEST_HINGE 1.5

static uint32_t slot_of(const PhJointRun *run, uint32_t row) {
    return run->layout->arrays->row_slot[row];
}

// ------------------------------------------------------------------------------------------------
// blocks

static PhJointBlock *blocks_of(const PhJointRun *run, const PhBin *bin) {
    return run->layout->arrays->joints.unit_blocks + bin->first_unit_block;
}
static PhUnitWork *works_of(const PhJointRun *run, const PhJointBlock *block) {
    return run->layout->arrays->joints.unit_works + block->first_work;
}
// Of a body of a block, by lane.
static const uint32_t *rows_of(const PhJointRun *run, const PhJointBlock *block, uint32_t body) {
    size_t first = block->first_row + (size_t)body * block->width;
    return run->layout->arrays->joints.unit_rows + first;
}
static void pass_block(const PhUnitPass *pass, const PhJointBlock *block) {
    const PhKernels *kernels = pass->run->layout->arrays->kernels;
    (block->width == 1 ? kernels->single_pass : kernels->unit_pass)(pass, block);
}

// ------------------------------------------------------------------------------------------------
// factors of springs

// exp(-y) for y >= 0, from plain operations alone: the series near 0, squared back.
static double decay(double y) {
    int squares = 0;
    if (!(y < 700))
        return 0;
    for (; y > 0.25; y *= 0.5)
        squares++;
    double sum = 1;
    for (int n = 14; n > 0; n--)
        sum = 1 - y / n * sum;
    for (; squares > 0; squares--)
        sum *= sum;
    return sum;
}

static PhJointSpring implicit_spring(double omega, double zeta, double h) {
    double x = omega * h, damping = 1 / (1 + 2 * zeta * x + x * x);
    return (PhJointSpring){omega * x * damping, 1 - damping, 0, omega * x, false};
}

static PhJointSpring find_spring(PhJointKind kind, double hertz, double zeta, double h) {
    double omega = 2 * PH_PI * hertz;
    if (kind == PH_JOINT_REVOLUTE && omega * h > STIFFEST_HINGE)
        omega = STIFFEST_HINGE / h;
    double x = omega * h, pull = omega * x;
    bool arms = kind == PH_JOINT_WELD || kind == PH_JOINT_WHEEL || kind == PH_JOINT_MOTOR ||
                kind == PH_JOINT_PRISMATIC;
    if (x > (arms ? LARGEST_WITH_ARMS : LARGEST_EXACT) || zeta * x > LARGEST_DAMPING)
        return implicit_spring(omega, zeta, h);
    double d = decay(2 * zeta * x), root = sqrt(fabs(1 - zeta * zeta)), twice;
    if (zeta < 1)
        twice = 2 * decay(zeta * x) * ph_rot(x * root).c;
    else
        twice = decay((zeta - root) * x) + decay((zeta + root) * x);
    double ha = 1 + d - twice, second = 1 - ha / (x * x);
    return (PhJointSpring){ha / h, 1 - d, 1 - d - second, pull, true};
}

// ------------------------------------------------------------------------------------------------
// load and store

typedef struct Side {
    PhVec2 arm, anchor; // from the centre of mass; from the origin of body a, or of the world
    PhRot rot;
    double angle;
} Side;

static Side side_of(const PhJointRun *run, const PhJoint *joint, int side) {
    const PhSolverBodies *bodies = run->bodies;
    uint32_t slot = joint->body[side];
    PhVec2 local = joint->anchor[side];
    if (slot == PH_NULL) {
        if (joint->kind == PH_JOINT_MOUSE)
            local = ph_vec(joint->value[PH_JOINT_POINT], joint->value[PH_JOINT_POINT + 1]);
        return (Side){{0, 0}, local, {1, 0}, 0};
    }
    const PhTransform *at = &bodies->joints->transform[slot];
    const double *center = bodies->center[slot];
    PhVec2 reach = ph_rotate(at->q, local);
    return (Side){{(at->p.x - center[0]) + reach.x, (at->p.y - center[1]) + reach.y},
                  {at->p.x + reach.x, at->p.y + reach.y},
                  at->q,
                  bodies->angle[slot]};
}

// Numbers of a joint of a block in one of its lanes.
typedef struct Lane {
    double *fields;
    size_t width;
} Lane;
#define FIRST(member) (offsetof(PhUnitFields, member) / sizeof(double))

static Lane lane_of(const PhJointRun *run, const PhJointBlock *block, uint32_t work,
                    uint32_t lane) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    return (Lane){ph_unit_fields(own, block, work) + lane, block->width};
}
static void put(Lane lane, size_t field, double x) {
    lane.fields[field * lane.width] = x;
}
static void put_vec(Lane lane, size_t field, PhVec2 x) {
    put(lane, field, x.x);
    put(lane, field + 1, x.y);
}
static double get(Lane lane, size_t field) {
    return lane.fields[field * lane.width];
}

// What a pose follows from: the first fields of a joint, or a part of a gear.
static void load_place(const PhJointRun *run, const PhJoint *joint, Lane to) {
    Side a = side_of(run, joint, 0), b = side_of(run, joint, 1);
    const PhWrap *wrap = &run->bodies->wrap;
    const double *value = joint->value, *ground = value + PH_JOINT_GROUND;
    put_vec(to, FIRST(place.terms.axis), joint->axis);
    put_vec(to, FIRST(place.terms.offset),
            ph_vec(value[PH_JOINT_POINT], value[PH_JOINT_POINT + 1]));
    put(to, FIRST(place.terms.turn), value[PH_JOINT_TARGET]);
    put(to, FIRST(place.terms.ratio), value[PH_JOINT_RATIO]);
    put_vec(to, FIRST(place.arm_a), a.arm);
    put_vec(to, FIRST(place.arm_b), b.arm);
    put_vec(to, FIRST(place.gap), ph_wrap_least(wrap, ph_sub(b.anchor, a.anchor)));
    if (joint->kind == PH_JOINT_PULLEY) {
        PhVec2 from_a = ph_vec(ground[0], ground[1]), from_b = ph_vec(ground[2], ground[3]);
        put_vec(to, FIRST(place.reach_a), ph_wrap_least(wrap, ph_sub(a.anchor, from_a)));
        put_vec(to, FIRST(place.reach_b), ph_wrap_least(wrap, ph_sub(b.anchor, from_b)));
    }
    put_vec(to, FIRST(place.rot_a), ph_vec(a.rot.c, a.rot.s));
    put(to, FIRST(place.angle), b.angle - a.angle - joint->reference);
}

// Springs that are neither implicit nor bounded give their forces first; not those of hinges, which
// trees in lanes meet one after the other.
static bool is_bounded(const PhJoint *joint) {
    return joint->value[PH_JOINT_MAX_FORCE] < INFINITY ||
           joint->value[PH_JOINT_MAX_TORQUE] < INFINITY;
}
static bool is_split(PhJointSpring spring, const PhJoint *joint) {
    return spring.exact && !is_bounded(joint) && joint->kind != PH_JOINT_REVOLUTE;
}

// Returns whether this one does.
static bool load_spring(const PhJointRun *run, const PhJoint *joint, const PhUnitWork *work,
                        Lane to, PhSpringCache *cache) {
    const double *value = joint->value;
    bool turns = work->sprung == 4 && ph_joint_is_apart(joint);
    bool pulls = turns || value[PH_JOINT_HERTZ] > 0;
    PhJointSpring spring = {.velocity = 1};
    if (turns)
        spring = find_spring((PhJointKind)joint->kind, ph_joint_turn_hertz(joint),
                             ph_joint_turn_zeta(joint), run->h);
    else if (pulls)
        spring = ph_joint_spring(joint, run->h, cache);
    bool split = is_split(spring, joint);
    put(to, FIRST(grouped), 0);
    put(to, FIRST(split), split);
    put(to, FIRST(pull), spring.pull);
    put(to, FIRST(error), spring.error);
    put(to, FIRST(velocity), spring.velocity);
    put(to, FIRST(gained), spring.gained);
    put_vec(to, FIRST(wanted),
            pulls ? ph_vec(0, 0) : ph_vec(value[PH_JOINT_LINEAR], value[PH_JOINT_LINEAR + 1]));
    put(to, FIRST(wanted) + 2, pulls ? 0 : value[PH_JOINT_ANGULAR]);
    put(to, FIRST(most_force), run->h * value[PH_JOINT_MAX_FORCE]);
    put(to, FIRST(most_torque), run->h * value[PH_JOINT_MAX_TORQUE]);
    return split;
}

// Two springs in one joint, after its stiffness. What is fast by the levers is met as one that is
// fast by its frequency.
static bool load_springs_apart(const PhJointRun *run, const PhJoint *joint, Lane to) {
    double masses[6], give[6], h = run->h;
    for (size_t k = 0; k < 6; k++)
        masses[k] = get(to, FIRST(stiffness) + k);
    ph_joint_invert(masses, give);
    double levers[2] = {give[0] * masses[0] + 2 * give[1] * masses[1] + give[3] * masses[3] - 1,
                        give[5] * masses[5]};
    double hertz[2] = {joint->value[PH_JOINT_HERTZ], ph_joint_turn_hertz(joint)};
    double zeta[2] = {joint->value[PH_JOINT_ZETA], ph_joint_turn_zeta(joint)};
    const size_t place[5] = {FIRST(pull), FIRST(error), FIRST(velocity), FIRST(gained),
                             FIRST(split)};
    const size_t turn[5] = {FIRST(turn_pull), FIRST(turn_error), FIRST(turn_velocity),
                            FIRST(turn_gained), FIRST(turn_split)};
    bool any = false;
    for (int k = 0; k < 2; k++) {
        const size_t *at = k ? turn : place;
        PhJointSpring spring = find_spring((PhJointKind)joint->kind, hertz[k], zeta[k], h);
        double x = 2 * PH_PI * hertz[k] * h;
        bool fast = !(x * x * levers[k] <= LARGEST_BY_LEVERS);
        if (spring.exact && (fast || zeta[k] * x > LARGEST_DAMPING_APART))
            spring = implicit_spring(2 * PH_PI * hertz[k], zeta[k], h);
        bool split = is_split(spring, joint);
        put(to, at[0], spring.pull);
        put(to, at[1], spring.error);
        put(to, at[2], spring.velocity);
        put(to, at[3], spring.gained);
        put(to, at[4], split);
        any |= split;
    }
    return any;
}

void ph_joint_rest_masses(const PhJoint *joint, uint8_t used, const PhVec2 arm[2],
                          const double inverse[2][2], double masses[6]) {
    const double *value = joint->value;
    PhJointKind kind = (PhJointKind)joint->kind;
    bool slides = kind == PH_JOINT_DISTANCE || kind == PH_JOINT_PRISMATIC || kind == PH_JOINT_WHEEL;
    double along = value[PH_JOINT_TARGET], turned = kind == PH_JOINT_MOTOR ? along : 0;
    PhVec2 b = ph_rotate(ph_rot(joint->reference + turned), arm[1]);
    PhJointTerms terms = {.axis = {joint->axis.x, joint->axis.y},
                          .offset = {value[PH_JOINT_POINT], value[PH_JOINT_POINT + 1]},
                          .turn = along};
    PhJointPose pose = {.arm_a = {arm[0].x, arm[0].y}, .arm_b = {b.x, b.y}, .rot_a = {1, 0}};
    for (int i = 0; i < 2; i++)
        pose.gap[i] = kind == PH_JOINT_MOTOR ? terms.offset[i] : slides ? along * terms.axis[i] : 0;
    ph_joint_masses(kind, used, &terms, &pose, inverse, masses);
}

static void load_stiffness(const PhJointRun *run, const PhJointBlock *block, uint32_t w,
                           uint32_t lane, Lane to) {
    const PhUnitWork *work = &works_of(run, block)[w];
    const PhJoint *joint = &run->bodies->joints->joint[work->joint[lane]];
    double inverse[2][2], masses[6];
    PhVec2 arm[2];
    for (int side = 0; side < 2; side++) {
        uint32_t row = rows_of(run, block, work->side[side])[lane];
        const PhJointMass *mass = &run->layout->arrays->joints.masses[row];
        Side of = side_of(run, joint, side);
        arm[side] = ph_unrotate(of.rot, of.arm);
        inverse[side][0] = mass->inv_mass;
        inverse[side][1] = mass->mass > 0 ? 1 / mass->own : 0;
    }
    ph_joint_rest_masses(joint, work->rigid | work->sprung, arm, inverse, masses);
    for (size_t k = 0; k < 6; k++)
        put(to, FIRST(stiffness) + k, masses[k]);
}

static void load_work(const PhJointRun *run, const PhUnitWork *work, const PhJoint *joint,
                      const PhJointResult *last, Lane to) {
    const PhJointKindInfo *info = ph_joint_kind(work->kind);
    const double *value = joint->value;
    bool held = work->limited >= 0 && work->rigid >> work->limited & 1;
    double rest = work->limited >= 0 ? value[PH_JOINT_TARGET] : 0;
    load_place(run, joint, to);
    put(to, FIRST(rest), work->gear ? value[PH_JOINT_REST] : rest);
    put(to, FIRST(gearing), value[PH_JOINT_RATIO]);
    put(to, FIRST(lower), held ? value[PH_JOINT_LOWER] : ph_joint_lower(info, joint));
    put(to, FIRST(upper), value[PH_JOINT_UPPER]);
    put(to, FIRST(speed), value[PH_JOINT_SPEED]);
    put(to, FIRST(motor), run->h * value[PH_JOINT_MAX_MOTOR]);
    put_vec(to, FIRST(sum_force), ph_vec(0, 0));
    put(to, FIRST(sum_torque), 0);
    for (size_t k = 0; k < PH_JOINT_ROWS; k++) {
        bool used = (work->rigid | work->axis) >> k & 1;
        put(to, FIRST(state) + k, last->state[k]);
        put(to, FIRST(impulse) + k, used ? run->h * (double)last->load[k] : 0);
    }
}

// Whether a spring, after it was loaded, is met by implicit Euler, as far as it goes.
static bool is_stiff(const PhUnitWork *work, const PhJoint *joint, Lane from, double h) {
    bool pulls = work->apart || work->kind != PH_JOINT_MOTOR || joint->value[PH_JOINT_HERTZ] > 0;
    bool split = get(from, FIRST(split)) != 0;
    if (work->kind == PH_JOINT_REVOLUTE)
        split = !ph_joint_is_stiff(joint, h);
    if (work->apart)
        split = split && get(from, FIRST(turn_split)) != 0;
    return work->sprung && pulls && !split && !is_bounded(joint);
}

// Of all lanes; those that are left over repeat the first.
static void load_block(const PhJointRun *run, PhJointBlock *block, PhSpringCache *cache) {
    const PhSolverJoints *joints = run->bodies->joints;
    const PhUnitWork *works = works_of(run, block);
    block->split_count = block->stiff_count = 0;
    for (uint32_t w = 0; w < block->work_count; w++) {
        for (uint32_t lane = 0; lane < block->width; lane++) {
            uint32_t index = works[w].joint[lane];
            const PhJoint *joint = &joints->joint[index];
            Lane to = lane_of(run, block, w, lane);
            load_work(run, &works[w], joint, &joints->result[index], to);
            if (works[w].sprung) {
                bool split = load_spring(run, joint, &works[w], to, cache);
                if (ph_joint_keeps_stiffness(works[w].kind))
                    load_stiffness(run, block, w, lane, to);
                if (works[w].apart)
                    split = load_springs_apart(run, joint, to);
                block->split_count += split && lane < block->count;
                block->stiff_count += lane < block->count && is_stiff(&works[w], joint, to, run->h);
            }
            for (int k = 0; k < 2 && works[w].gear; k++) {
                const PhJointLayout *own = &run->layout->arrays->joints;
                Lane part = {ph_unit_part(own, block, works[w].gear, k) + lane, block->width};
                load_place(run, &joints->joint[joint->geared[k]], part);
            }
        }
    }
}

// ------------------------------------------------------------------------------------------------
// groups of stiff springs

static uint32_t root_of(uint32_t *root, uint32_t row) {
    while (root[row] != row)
        row = root[row] = root[root[row]];
    return row;
}

// The place of a joint among those at work in the bin.
static uint32_t find_end(const PhJointLayout *own, const PhBin *bin, uint32_t joint) {
    uint32_t low = bin->first_work, high = low + bin->work_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(own->ends[middle].joint <= joint ? &low : &high) = middle;
    }
    return low;
}

// The works of a block, each at the place of its joint.
static void list_works(const PhJointRun *run, const PhBin *bin, uint32_t number) {
    PhJointLayout *own = &run->layout->arrays->joints;
    const PhJointBlock *block = &own->unit_blocks[number];
    const PhUnitWork *works = works_of(run, block);
    for (uint32_t w = 0; w < block->work_count; w++) {
        const PhUnitWork *work = &works[w];
        const PhJointBody *bodies = own->bodies + block->first_body;
        if (work->gear || !(work->rigid | work->sprung))
            continue;
        for (uint32_t lane = 0; lane < block->count; lane++) {
            const PhJoint *joint = &run->bodies->joints->joint[work->joint[lane]];
            PhStiffJoint *entry = &own->stiff[find_end(own, bin, work->joint[lane])];
            *entry = (PhStiffJoint){.block = number, .work = w, .lane = lane, .next = PH_NULL};
            entry->stiff = is_stiff(work, joint, lane_of(run, block, w, lane), run->h);
            uint32_t tied[2];
            for (int side = 0; side < 2; side++) {
                entry->row[side] = rows_of(run, block, work->side[side])[lane];
                tied[side] = bodies[work->side[side]].fixed
                                 ? PH_NULL
                                 : root_of(own->stiff_root, entry->row[side]);
            }
            if (tied[0] == PH_NULL || tied[1] == PH_NULL || tied[0] == tied[1])
                continue;
            bool less = tied[0] < tied[1];
            own->stiff_root[tied[less]] = tied[!less];
        }
    }
}

// Whether a group has several joints, one of which is stiff, and is not too large.
static bool is_group(const PhJointRun *run, uint32_t first) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    uint32_t joints = 0, rows = 0, stiff = 0;
    for (uint32_t j = first; j != PH_NULL; j = own->stiff[j].next) {
        const PhStiffJoint *entry = &own->stiff[j];
        const PhUnitWork *work = &works_of(run, &own->unit_blocks[entry->block])[entry->work];
        joints++;
        stiff += entry->stiff;
        rows += (uint32_t)__builtin_popcount(work->rigid | (entry->stiff ? work->sprung : 0));
    }
    return joints > 1 && stiff > 0 && rows <= PH_STIFF_ROWS;
}

static void group_stiff(const PhJointRun *run, PhBin *bin) {
    PhJointLayout *own = &run->layout->arrays->joints;
    uint32_t first = bin->first_work, last = first + bin->work_count;
    for (uint32_t r = bin->first_row; r < bin->first_row + bin->row_count; r++) {
        own->stiff_root[r] = r;
        own->stiff_first[r] = PH_NULL;
    }
    for (uint32_t w = first; w < last; w++)
        own->stiff[w].block = PH_NULL;
    for (uint32_t k = 0; k < bin->unit_block_count; k++)
        list_works(run, bin, bin->first_unit_block + k);
    for (uint32_t w = last; w-- > first;) {
        PhStiffJoint *entry = &own->stiff[w];
        if (entry->block == PH_NULL)
            continue;
        const PhJointBlock *block = &own->unit_blocks[entry->block];
        const PhUnitWork *work = &works_of(run, block)[entry->work];
        int side = own->bodies[block->first_body + work->side[0]].fixed;
        uint32_t root = root_of(own->stiff_root, entry->row[side]);
        entry->next = own->stiff_first[root];
        own->stiff_first[root] = w;
    }
    for (uint32_t r = bin->first_row; r < bin->first_row + bin->row_count; r++) {
        uint32_t j = own->stiff_first[r];
        if (j == PH_NULL || !is_group(run, j))
            continue;
        own->stiff[first + bin->stiff_groups++].group = j;
        for (; j != PH_NULL; j = own->stiff[j].next) {
            const PhStiffJoint *entry = &own->stiff[j];
            const PhJointBlock *block = &own->unit_blocks[entry->block];
            for (uint32_t lane = 0; lane < block->width && entry->stiff; lane++)
                if (lane == entry->lane || (entry->lane == 0 && lane >= block->count))
                    put(lane_of(run, block, entry->work, lane), FIRST(grouped), 1);
        }
    }
}

static void load_blocks(const PhJointRun *run, PhBin *bin) {
    PhUnitPass pass = {.run = run, .deed = PH_UNIT_START};
    PhSpringCache cache = {.known = false};
    PhJointBlock *blocks = blocks_of(run, bin);
    uint32_t stiff = 0;
    for (uint32_t k = 0; k < bin->unit_block_count; k++) {
        load_block(run, &blocks[k], &cache);
        stiff += blocks[k].stiff_count;
        if (blocks[k].solves)
            pass_block(&pass, &blocks[k]);
    }
    bin->stiff_groups = 0;
    if (stiff)
        group_stiff(run, bin);
}

static void store_work(const PhJointRun *run, uint32_t joint, Lane from) {
    PhJointResult *result = &run->bodies->joints->result[joint];
    double inv_dt = 1 / run->parameters->dt;
    for (size_t k = 0; k < PH_JOINT_ROWS; k++) {
        result->load[k] = (float)(get(from, FIRST(impulse) + k) / run->h);
        result->state[k] = (uint8_t)get(from, FIRST(state) + k);
    }
    for (size_t k = 0; k < 2; k++)
        result->force[k] = inv_dt * get(from, FIRST(sum_force) + k);
    result->torque = inv_dt * get(from, FIRST(sum_torque));
}

// Gives everybody who swings so much of the velocity that a substep gains.
static void shift_velocities(const PhJointRun *run, const PhBin *bin, double share) {
    const PhJointBlock *blocks = blocks_of(run, bin);
    PhUnitPass pass = {.run = run, .deed = PH_UNIT_SOLVE, .shift = share};
    for (uint32_t k = 0; k < bin->unit_block_count; k++)
        if (blocks[k].swings && blocks[k].solves)
            pass_block(&pass, &blocks[k]);
}

double ph_joint_own_inertia(const PhSolverBodies *bodies, uint32_t slot) {
    return bodies->mass[slot][1] > 0 ? bodies->exact_inertia[slot]
                                     : UNTURNABLE * bodies->exact_mass[slot];
}

static void load_mass(const PhJointRun *run, uint32_t row) {
    uint32_t slot = slot_of(run, row);
    double own = ph_joint_own_inertia(run->bodies, slot),
           before = run->bodies->joints->inflated[slot];
    double mass = run->bodies->exact_mass[slot], inertia = before > own ? before : own;
    run->layout->arrays->joints.masses[row] =
        (PhJointMass){mass, 1 / mass, own, inertia, 1 / inertia, 0};
}

void ph_joints_load(const PhJointRun *run, PhBin *bin) {
    PhJointLayout *own = &run->layout->arrays->joints;
    uint32_t first = bin->first_row, last = first + bin->row_count;
    own->masses[first] = (PhJointMass){.mass = 0};
    for (uint32_t r = first + 1 + bin->body_count; r < last; r++) // kinematic
        own->masses[r] = (PhJointMass){.mass = 0};
    for (uint32_t k = bin->first_tied; k < bin->first_tied + bin->tied_count; k++)
        load_mass(run, own->tied[k]);
    load_blocks(run, bin);
    ph_trees_load(run, bin);
    shift_velocities(run, bin, -0.5);
}

void ph_joints_store(const PhJointRun *run, const PhBin *bin) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    const PhSolverJoints *joints = run->bodies->joints;
    const PhJointBlock *blocks = blocks_of(run, bin);
    shift_velocities(run, bin, 0.5);
    for (uint32_t k = 0; k < bin->unit_block_count; k++)
        for (uint32_t w = 0; w < blocks[k].work_count; w++)
            for (uint32_t lane = 0; lane < blocks[k].count; lane++)
                store_work(run, works_of(run, &blocks[k])[w].joint[lane],
                           lane_of(run, &blocks[k], w, lane));
    ph_trees_store(run, bin);
    for (uint32_t k = bin->first_tied; k < bin->first_tied + bin->tied_count; k++) {
        uint32_t r = own->tied[k], slot = slot_of(run, r);
        const PhJointMass *mass = &own->masses[r];
        joints->inflated[slot] = mass->inertia > mass->own ? mass->inertia : 0;
    }
}

// ------------------------------------------------------------------------------------------------
// geometric stiffness

// By a share, so that momentum stays when inertia grows.
static void lower_spin(const PhJointRun *run, uint32_t row, double share) {
    const PhRows *rows = &run->layout->arrays->rows;
    float was = rows->velocity[row][2];
    rows->velocity[row][2] = (float)((double)was * share);
    rows->before[row][2] += rows->velocity[row][2] - was;
}

static void add_pulls(const PhJointRun *run, const PhJointBlock *block) {
    PhJointMass *masses = run->layout->arrays->joints.masses;
    const PhUnitWork *works = works_of(run, block);
    for (uint32_t w = 0; w < block->work_count; w++) {
        const uint32_t *a = rows_of(run, block, works[w].side[0]);
        const uint32_t *b = rows_of(run, block, works[w].side[1]);
        for (uint32_t lane = 0; lane < block->count; lane++) {
            Lane from = lane_of(run, block, w, lane);
            masses[a[lane]].note += get(from, FIRST(pull_a));
            masses[b[lane]].note += get(from, FIRST(pull_b));
        }
    }
}

bool ph_joints_stiffen(const PhJointRun *run, const PhBin *bin) {
    PhJointLayout *own = &run->layout->arrays->joints;
    const PhJointBlock *blocks = blocks_of(run, bin);
    const PhRows *rows = &run->layout->arrays->rows;
    const uint32_t *tied = own->tied + bin->first_tied;
    bool any = false;
    for (uint32_t k = 0; k < bin->tied_count; k++)
        own->masses[tied[k]].note = 0;
    for (uint32_t k = 0; k < bin->unit_block_count; k++)
        if (blocks[k].solves)
            add_pulls(run, &blocks[k]);
    ph_trees_pull(run, bin);
    for (uint32_t k = 0; k < bin->tied_count; k++) {
        PhJointMass *mass = &own->masses[tied[k]];
        double wanted = run->h * mass->note, now = wanted > mass->own ? wanted : mass->own;
        if (now > mass->inertia)
            lower_spin(run, tied[k], mass->inertia / now);
        if (now != mass->inertia) {
            mass->inertia = now;
            mass->inv_inertia = 1 / now;
        }
        if (now > mass->own) { // what the first warm start begins with
            mass->note = (double)rows->velocity[tied[k]][2] + (double)rows->drive[tied[k]][2];
            any = true;
        }
    }
    return any;
}

// Spins of inflated bodies as the joints have left them, before contacts act. Whether there are
// any.
static bool note_spins(const PhJointRun *run, const PhBin *bin) {
    PhJointLayout *own = &run->layout->arrays->joints;
    const PhRows *rows = &run->layout->arrays->rows;
    bool any = false;
    for (uint32_t k = bin->first_tied; k < bin->first_tied + bin->tied_count; k++) {
        PhJointMass *mass = &own->masses[own->tied[k]];
        if (!(mass->inertia > mass->own))
            continue;
        mass->note = (double)rows->velocity[own->tied[k]][2];
        any = true;
    }
    return any;
}

void ph_joints_weigh(const PhJointRun *run, const PhBin *bin) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    for (uint32_t k = bin->first_tied; k < bin->first_tied + bin->tied_count; k++) {
        const PhJointMass *mass = &own->masses[own->tied[k]];
        float *velocity = run->layout->arrays->rows.velocity[own->tied[k]];
        if (mass->inertia > mass->own)
            velocity[2] = (float)(mass->note + ((double)velocity[2] - mass->note) *
                                                   (mass->own * mass->inv_inertia));
    }
}

// ------------------------------------------------------------------------------------------------
// springs and drives

PhJointSpring ph_joint_spring(const PhJoint *joint, double h, PhSpringCache *cache) {
    double hertz = joint->value[PH_JOINT_HERTZ], zeta = joint->value[PH_JOINT_ZETA];
    if (!cache->known || cache->kind != joint->kind || cache->hertz != hertz || cache->zeta != zeta)
        *cache = (PhSpringCache){true, joint->kind, hertz, zeta,
                                 find_spring((PhJointKind)joint->kind, hertz, zeta, h)};
    return cache->spring;
}

bool ph_joint_is_stiff(const PhJoint *joint, double h) {
    double hertz = joint->value[PH_JOINT_HERTZ], zeta = joint->value[PH_JOINT_ZETA];
    return hertz > 0 && !find_spring((PhJointKind)joint->kind, hertz, zeta, h).exact;
}

void ph_joints_force(const PhJointRun *run, const PhBin *bin) {
    const PhJointBlock *blocks = blocks_of(run, bin);
    PhUnitPass pass = {.run = run, .deed = PH_UNIT_FORCE};
    for (uint32_t k = 0; k < bin->unit_block_count; k++)
        if (blocks[k].split_count)
            pass_block(&pass, &blocks[k]);
}

// Drives of the bodies of a work as they were before its spring gave its force.
static void ungain(const PhJointRun *run, const PhJointBlock *block, uint32_t w) {
    const PhUnitWork *work = &works_of(run, block)[w];
    float(*drive)[4] = run->layout->arrays->rows.drive;
    bool split = false;
    for (uint32_t lane = 0; lane < block->count && work->sprung; lane++)
        split |= get(lane_of(run, block, w, lane), FIRST(split)) != 0 ||
                 get(lane_of(run, block, w, lane), FIRST(turn_split)) != 0;
    for (int side = 2; split && side-- > 0;) {
        uint32_t body = work->side[side];
        bool fixed = run->layout->arrays->joints.bodies[block->first_body + body].fixed;
        for (uint32_t lane = 0; lane < block->count && !fixed; lane++)
            memcpy(drive[rows_of(run, block, body)[lane]], work->kept[side][lane],
                   sizeof work->kept[side][lane]);
    }
}

void ph_joints_rest(const PhJointRun *run, const PhBin *bin) {
    const PhJointBlock *blocks = blocks_of(run, bin);
    PhUnitPass pass = {.run = run, .deed = PH_UNIT_REST};
    for (uint32_t k = 0; k < bin->unit_block_count; k++)
        if (blocks[k].sprung)
            pass_block(&pass, &blocks[k]);
    const PhStiffJoint *stiff = run->layout->arrays->joints.stiff;
    for (uint32_t k = 0; k < bin->stiff_groups; k++)
        ph_stiff_rest(run, stiff, stiff[bin->first_work + k].group);
    for (uint32_t k = bin->unit_block_count; k-- > 0;)
        for (uint32_t w = blocks[k].work_count; blocks[k].split_count && w-- > 0;)
            ungain(run, &blocks[k], w);
}

// ------------------------------------------------------------------------------------------------
// passes

// A push; joints alone are soft constraints of the world's frequency (E. Catto, "Soft
// Constraints").
static PhUnitPass make_push(const PhJointRun *run) {
    double stiffest = 0.25 / run->h, hertz = run->parameters->joint_hertz;
    double omega = 2 * PH_PI * (hertz < stiffest ? hertz : stiffest);
    double a = 2 * run->parameters->joint_damping_ratio + run->h * omega;
    return (PhUnitPass){.run = run,
                        .deed = PH_UNIT_SOLVE,
                        .rate = omega / a,
                        .yields = 1 / (1 + run->h * omega * a),
                        .push = true};
}

// Joints alone, every other step from the last to the first; then trees, which have the last word.
static void pass_blocks(const PhUnitPass *pass, const PhBin *bin) {
    const PhJointBlock *blocks = blocks_of(pass->run, bin);
    uint32_t count = bin->unit_block_count, trees = count;
    bool backwards = pass->run->parameters->step_count & 1;
    while (trees > 0 && blocks[trees - 1].direct)
        trees--;
    for (uint32_t i = 0; i < count; i++) {
        const PhJointBlock *block = &blocks[backwards && i < trees ? trees - 1 - i : i];
        if (block->solves)
            pass_block(pass, block);
    }
}

// The impulses of a direct block begin anew.
static void clear_impulses(const PhJointRun *run, const PhJointBlock *block) {
    size_t size = PH_JOINT_ROWS * block->width * sizeof(double);
    for (uint32_t w = 0; w < block->work_count; w++)
        memset(lane_of(run, block, w, 0).fields + FIRST(impulse) * block->width, 0, size);
}

void ph_joints_meet(const PhJointRun *run, const PhBin *bin) {
    const PhJointBlock *blocks = blocks_of(run, bin);
    PhUnitPass meet = {.run = run, .deed = PH_UNIT_SOLVE, .blow = true};
    for (uint32_t k = 0; k < bin->unit_block_count; k++) {
        if (!blocks[k].direct || !blocks[k].solves)
            continue;
        clear_impulses(run, &blocks[k]);
        pass_block(&meet, &blocks[k]);
    }
}

bool ph_joints_push(const PhJointRun *run, const PhBin *bin) {
    const PhJointBlock *blocks = blocks_of(run, bin);
    PhUnitPass warm = {.run = run, .deed = PH_UNIT_WARM}, push = make_push(run);
    for (uint32_t k = 0; k < bin->unit_block_count; k++) {
        if (blocks[k].direct)
            clear_impulses(run, &blocks[k]);
        if (blocks[k].solves && !blocks[k].direct)
            pass_block(&warm, &blocks[k]);
    }
    const PhStiffJoint *stiff = run->layout->arrays->joints.stiff;
    for (uint32_t k = 0; k < bin->stiff_groups; k++)
        ph_stiff_push(run, stiff, stiff[bin->first_work + k].group);
    pass_blocks(&push, bin);
    ph_trees_pass(run, bin, true);
    return note_spins(run, bin);
}

bool ph_joints_relax(const PhJointRun *run, const PhBin *bin) {
    PhUnitPass pass = {.run = run, .deed = PH_UNIT_SOLVE};
    pass_blocks(&pass, bin);
    ph_trees_pass(run, bin, false);
    return note_spins(run, bin);
}

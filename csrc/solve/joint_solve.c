// Joints of a batch in a step: springs, geometric stiffness, warm starts, and what is stored.
//
// How springs, dampers and drives act: see joint_spring_source.h.
//
// The impulse with which a joint holds against its own spring is given along with it, and counts as
// its impulse of the substep (hold_against in joint_spring_source.h). A tree computes how fast its
// joints turn from the velocities at the start; a body that a spring pushes and nothing holds yet
// would turn far too fast.
//
// Two springs in one joint, of its place and its angle: see separate in joint_spring_source.h.
// Springs by implicit Euler on bodies with other joints: see joint_group_source.h.
//
// Bodies that only swing and oscillate are handed over with velocities of the same instant as their
// positions: see joint_instant_source.h.
//
// Geometric stiffness: a body that hangs between loads oscillates like a pendulum, with the
// stiffness k = sum of arm . force. A light body oscillates faster than a substep can follow. Its
// inertia is raised to h^2 k, and its spin is lowered so that its angular momentum stays.
//
// Contacts know only the inertia of the body itself. The spin that they give is lowered
// accordingly, so that their impulses mean the same to joints.
//
// Sources: M. Tournier, M. Nesme, B. Gilles, F. Faure, "Stable Constrained Dynamics" (2015); S.
// Andrews, M. Teichmann, P. Kry, "Geometric Stiffness for Real-time Constrained Multibody Dynamics"
// (2017); E. Catto, "Soft Constraints" (GDC 2011).
#include "solve/articulations.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "math/trig.h"
#include "solve/joint_lanes.h"
#include "solve/spring_factors.h"

// Of two springs in one joint: x^2 with what levers make of it.
#define LARGEST_BY_LEVERS 0.1
// What levers add to how a body follows a force, where they add nothing.
#define LEAST_LEVERS 1e-6
// Of a velocity, the most that what is held with a tuning of its own takes in a substep.
#define MOST_TUNED 0.65
// x^2 of springs that no levers make faster than that.
#define LEAST_FAST 1e-4

static uint32_t slot_of(const PhJointRun *run, uint32_t solver_body) {
    return run->layout->arrays->solver_body_slot[solver_body];
}

// ------------------------------------------------------------------------------------------------
// packs

static PhJointPack *packs_of(const PhJointRun *run, const PhIslandBatch *batch) {
    return run->layout->arrays->joints.joint_packs + batch->first_joint_pack;
}
static PhArticulationWork *works_of(const PhJointRun *run, const PhJointPack *pack) {
    return run->layout->arrays->joints.articulation_works + pack->first_work;
}
// Of a body of a pack, by lane.
static const uint32_t *solver_bodies_of(const PhJointRun *run, const PhJointPack *pack,
                                        uint32_t body) {
    size_t first = pack->first_solver_body + (size_t)body * pack->width;
    return run->layout->arrays->joints.pack_bodies + first;
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
    PhVec2 local = ph_joint_anchor(joint, side);
    if (slot == PH_NULL) {
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

// Numbers of a joint of a pack in one of its lanes.
typedef struct Lane {
    double *fields;
    size_t width;
} Lane;
#define FIRST(member) (offsetof(PhArticulationFields, member) / sizeof(double))

static Lane lane_of(const PhJointRun *run, const PhJointPack *pack, uint32_t work, uint32_t lane) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    return (Lane){ph_articulation_fields(own, pack, work) + lane, pack->width};
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
    put(to, FIRST(place.terms.shortest), run->parameters->lengths->joint_shortest);
    put_vec(to, FIRST(place.arm_a), a.arm);
    put_vec(to, FIRST(place.arm_b), b.arm);
    put_vec(to, FIRST(place.gap), ph_wrap_least(wrap, ph_sub(b.anchor, a.anchor)));
    if (ph_joint_info(joint)->grounded) {
        PhVec2 from_a = ph_vec(ground[0], ground[1]), from_b = ph_vec(ground[2], ground[3]);
        put_vec(to, FIRST(place.reach_a), ph_wrap_least(wrap, ph_sub(a.anchor, from_a)));
        put_vec(to, FIRST(place.reach_b), ph_wrap_least(wrap, ph_sub(b.anchor, from_b)));
    }
    put_vec(to, FIRST(place.rot_a), ph_vec(a.rot.c, a.rot.s));
    put(to, FIRST(place.angle), b.angle - a.angle - joint->reference);
}

// Springs that are neither implicit nor bounded give their forces first.
static bool is_bounded(const PhJoint *joint) {
    return ph_joint_is_bounded(joint) && !ph_joint_spring_is_free(ph_joint_info(joint));
}
static bool is_split(PhJointSpring spring, const PhJoint *joint) {
    return spring.exact && !is_bounded(joint);
}

// Of one row about an angle alone, most_force is its torque.
static void load_bounds(const PhJointRun *run, const PhJoint *joint, Lane to) {
    const double *value = joint->value;
    bool turns = ph_joint_info(joint)->geared || ph_row_is_angle((PhJointKind)joint->kind, 0);
    put(to, FIRST(most_force),
        run->h * (turns ? value[PH_JOINT_MAX_TORQUE] : value[PH_JOINT_MAX_FORCE]));
    put(to, FIRST(most_torque), run->h * value[PH_JOINT_MAX_TORQUE]);
}

// Of what is held with a bound or a tuning: as stiff and as damped as it is told, or as the world
// is. A tuning that takes nearly all of a velocity in a substep would learn too late what others
// hand to it.
static void load_hold(const PhJointRun *run, const PhJoint *joint, const PhJointResult *last,
                      Lane to) {
    double hertz = run->parameters->joint_hertz, zeta = run->parameters->joint_damping_ratio;
    double stiffest = 0.25 / run->h;
    bool tuned = ph_joint_is_tuned(joint);
    if (tuned) {
        const double *value = joint->value;
        stiffest = PH_JOINT_STIFFEST_TUNING / run->h;
        hertz = isnan(value[PH_JOINT_TUNED_HERTZ]) ? hertz : value[PH_JOINT_TUNED_HERTZ];
        zeta = isnan(value[PH_JOINT_TUNED_ZETA]) ? zeta : value[PH_JOINT_TUNED_ZETA];
    }
    double omega = 2 * PH_PI * (hertz < stiffest ? hertz : stiffest), x = omega * run->h;
    double most = (1 / (1 - MOST_TUNED) - 1 - x * x) / (2 * x);
    zeta = tuned && zeta > most ? most : zeta;
    PhJointSpring spring = ph_spring_implicit(omega, zeta, run->h);
    put(to, FIRST(hold_error), spring.error);
    put(to, FIRST(hold_velocity), spring.velocity);
    put(to, FIRST(tuned), tuned);
    for (size_t k = 0; k < PH_JOINT_ROWS; k++) {
        bool firm = joint->firm_rows >> k & 1;
        put(to, FIRST(left) + k, NAN);
        double others = tuned && firm ? run->h * (double)last->load[k] : 0;
        put(to, FIRST(added) + k, others);
        put(to, FIRST(others) + k, others);
    }
}

// Returns whether this one does.
static bool load_spring(const PhJointRun *run, const PhJoint *joint, const PhArticulationWork *work,
                        Lane to, PhSpringCache *cache) {
    const double *value = joint->value;
    bool turns = work->sprung == 4 && ph_joint_is_apart(joint);
    bool pulls = turns || value[PH_JOINT_HERTZ] > 0;
    PhJointSpring spring = {.velocity = 1};
    if (turns) {
        spring = ph_spring_factors((PhJointKind)joint->kind, ph_joint_turn_hertz(joint),
                                   ph_joint_turn_zeta(joint), run->h);
    } else if (pulls) {
        spring = ph_joint_spring(joint, run->h, cache);
    }
    bool split = is_split(spring, joint);
    put(to, FIRST(grouped), 0);
    put(to, FIRST(by_levers), 0);
    put(to, FIRST(split), split);
    put(to, FIRST(slows), split ? spring.slows : 0);
    put(to, FIRST(lags), split ? spring.lags : 0);
    put(to, FIRST(turn_slows), 0);
    put(to, FIRST(turn_lags), 0);
    put(to, FIRST(pull), spring.pull);
    put(to, FIRST(error), spring.error);
    put(to, FIRST(velocity), spring.velocity);
    put(to, FIRST(gained), spring.gained);
    bool twists = pulls;
    if (work->apart) {
        twists = ph_joint_turn_hertz(joint) > 0;
    }
    put_vec(to, FIRST(wanted),
            pulls ? ph_vec(0, 0) : ph_vec(value[PH_JOINT_LINEAR], value[PH_JOINT_LINEAR + 1]));
    put(to, FIRST(wanted) + 2, twists ? 0 : value[PH_JOINT_ANGULAR]);
    return split;
}

// One that its levers have made too fast.
static void load_implicit(const PhJointRun *run, const PhJoint *joint, Lane to) {
    double omega = 2 * PH_PI * joint->value[PH_JOINT_HERTZ];
    PhJointSpring spring = ph_spring_implicit(omega, joint->value[PH_JOINT_ZETA], run->h);
    put(to, FIRST(split), 0);
    put(to, FIRST(slows), 0);
    put(to, FIRST(lags), 0);
    put(to, FIRST(error), spring.error);
    put(to, FIRST(velocity), spring.velocity);
    put(to, FIRST(gained), spring.gained);
    put(to, FIRST(by_levers), 1);
}

// Masses of the springs that are told by stiffness and damping, or have to be: equal in all
// directions. bare: what a force at the centres of mass meets.
static void even_out(const PhJoint *joint, const PhArticulationWork *work, double bare,
                     double masses[6]) {
    double place, angle;
    ph_joint_elastic_masses(masses, work->holds & 3, work->holds & 4, &place, &angle);
    bool both = work->apart, even = ph_joint_kind(work->kind)->even;
    if (ph_joint_is_elastic(joint) || even) {
        masses[0] = masses[3] = ph_joint_is_elastic(joint) ? place : bare;
        masses[1] = 0;
    }
    masses[5] = ph_joint_turn_is_elastic(joint) ? angle : masses[5];
    masses[2] = both ? 0 : masses[2];
    masses[4] = both ? 0 : masses[4];
}

// Of a body without what geometric stiffness adds.
static void inverse_masses(const PhJointRun *run, uint32_t solver_body, double inverse[2]) {
    const PhJointMass *mass = &run->layout->arrays->joints.masses[solver_body];
    inverse[0] = mass->inv_mass;
    inverse[1] = mass->mass > 0 ? 1 / mass->own : 0;
}

// Two springs in one joint, after its stiffness. What is fast by the levers is met as one that is
// fast by its frequency. The place or the angle of a motor joint that has none is driven.
static bool load_springs_apart(const PhJointRun *run, const PhJointPack *pack, uint32_t w,
                               uint32_t lane, Lane to) {
    const PhArticulationWork *work = &works_of(run, pack)[w];
    const PhJoint *joint = &run->bodies->joints->joint[work->joint[lane]];
    const bool turns = work->sprung & 4;
    double masses[6], give[6], inverse[2][2], h = run->h;
    for (int side = 0; side < 2; side++) {
        inverse_masses(run, solver_bodies_of(run, pack, work->side[side])[lane], inverse[side]);
    }
    for (size_t k = 0; k < 6; k++) {
        masses[k] = get(to, FIRST(stiffness) + k);
    }
    ph_joint_invert(masses, give);
    if (ph_joint_is_elastic(joint) || ph_joint_turn_is_elastic(joint) || !turns) {
        even_out(joint, work, 1 / (inverse[0][0] + inverse[1][0]), masses);
        for (size_t k = 0; k < 6; k++) {
            put(to, FIRST(stiffness) + k, masses[k]);
        }
    }
    double levers[2] = {give[0] * masses[0] + 2 * give[1] * masses[1] + give[3] * masses[3] - 1,
                        give[5] * masses[5]};
    double hertz[2] = {joint->value[PH_JOINT_HERTZ], turns ? ph_joint_turn_hertz(joint) : 0};
    double zeta[2] = {joint->value[PH_JOINT_ZETA], ph_joint_turn_zeta(joint)};
    const size_t place[7] = {FIRST(pull),  FIRST(error), FIRST(velocity), FIRST(gained),
                             FIRST(split), FIRST(slows), FIRST(lags)};
    const size_t turn[7] = {FIRST(turn_pull),   FIRST(turn_error), FIRST(turn_velocity),
                            FIRST(turn_gained), FIRST(turn_split), FIRST(turn_slows),
                            FIRST(turn_lags)};
    bool any = false;
    for (int k = 0; k < 2; k++) {
        const size_t *at = k ? turn : place;
        PhJointSpring spring = {.velocity = work->sprung >> (2 * k) & 1 ? 1 : 0};
        double x = 2 * PH_PI * hertz[k] * h;
        if (hertz[k] > 0) {
            spring = ph_spring_factors((PhJointKind)joint->kind, hertz[k], zeta[k], h);
        }
        bool bare = !turns && levers[0] < 1 + LEAST_LEVERS;
        double most = bare ? PH_SPRING_EXACT * PH_SPRING_EXACT : LARGEST_BY_LEVERS;
        bool fast = !(x * x * levers[k] <= most);
        if (spring.exact && fast) {
            spring = ph_spring_implicit(2 * PH_PI * hertz[k], zeta[k], h);
        }
        bool split = is_split(spring, joint);
        put(to, at[0], spring.pull);
        put(to, at[1], spring.error);
        put(to, at[2], spring.velocity);
        put(to, at[3], spring.gained);
        put(to, at[4], split);
        put(to, at[5], split ? spring.slows : 0);
        put(to, at[6], split ? spring.lags : 0);
        any |= split;
    }
    return any;
}

static void load_stiffness(const PhJointRun *run, const PhJointPack *pack, uint32_t w,
                           uint32_t lane, Lane to) {
    const PhArticulationWork *work = &works_of(run, pack)[w];
    const PhJoint *joint = &run->bodies->joints->joint[work->joint[lane]];
    double inverse[2][2], masses[6];
    PhVec2 arm[2];
    for (int side = 0; side < 2; side++) {
        uint32_t solver_body = solver_bodies_of(run, pack, work->side[side])[lane];
        Side of = side_of(run, joint, side);
        arm[side] = ph_unrotate(of.rot, of.arm);
        inverse_masses(run, solver_body, inverse[side]);
    }
    ph_joint_rest_masses(joint, work->holds | work->sprung, arm, inverse, masses);
    bool elastic = ph_joint_is_elastic(joint) || ph_joint_turn_is_elastic(joint);
    if (elastic && !work->apart && ph_joint_info(joint)->coordinates < 0) {
        even_out(joint, work, 0, masses);
    }
    for (size_t k = 0; k < 6; k++) {
        put(to, FIRST(stiffness) + k, masses[k]);
    }
}

// Trace of K S, of which rows without use have 1: by how much of its own stiffness the bodies of a
// spring follow it, when they will have turned for a time.
static double followed(const PhJointRun *run, const PhJoint *joint, const PhArticulationWork *work,
                       const double inverse[2][2], Lane from, double time) {
    Side a = side_of(run, joint, 0), b = side_of(run, joint, 1);
    double turn[2] = {0, 0}, masses[6], follows[6], stiffness[6], s[6], off[2];
    for (int side = 0; side < 2; side++) {
        uint32_t slot = joint->body[side];
        turn[side] = slot == PH_NULL ? 0 : time * run->bodies->angular_velocity[slot];
    }
    PhVec2 gap = ph_vec(get(from, FIRST(place.gap)), get(from, FIRST(place.gap) + 1));
    PhVec2 arm_a = ph_unrotate(a.rot, a.arm), arm_b = ph_unrotate(a.rot, b.arm);
    arm_b = ph_rotate(ph_rot(turn[1] - turn[0]), arm_b);
    gap = ph_rotate(ph_rot(-turn[0]), ph_unrotate(a.rot, gap));
    const double *value = joint->value;
    PhJointTerms terms = {.axis = {joint->axis.x, joint->axis.y},
                          .offset = {value[PH_JOINT_POINT], value[PH_JOINT_POINT + 1]},
                          .turn = value[PH_JOINT_TARGET],
                          .shortest = run->parameters->lengths->joint_shortest};
    PhJointPose pose = {.arm_a = {arm_a.x, arm_a.y},
                        .arm_b = {arm_b.x, arm_b.y},
                        .gap = {gap.x, gap.y},
                        .rot_a = {1, 0}};
    uint8_t used = work->holds | work->sprung;
    ph_joint_masses(work->kind, used, &terms, &pose, inverse, masses);
    ph_joint_invert(masses, follows);
    for (size_t k = 0; k < 6; k++) {
        stiffness[k] = s[k] = get(from, FIRST(stiffness) + k);
    }
    if (work->sprung == 7) {
        double angle = get(from, FIRST(place.angle)) + turn[1] - turn[0];
        double rest = ph_joint_kind(work->kind)->driven ? terms.turn : 0;
        ph_joint_carry_stiffness(stiffness, angle - rest, s, off);
    }
    return follows[0] * s[0] + follows[3] * s[3] + follows[5] * s[5] +
           2 * (follows[1] * s[1] + follows[2] * s[2] + follows[4] * s[4]);
}

// Whether a spring, by what its levers have grown to since it was at rest, or will within the step,
// is faster than a substep follows.
static bool is_fast_by_levers(const PhJointRun *run, const PhJointPack *pack, uint32_t w,
                              uint32_t lane, Lane from) {
    const PhArticulationWork *work = &works_of(run, pack)[w];
    const PhJoint *joint = &run->bodies->joints->joint[work->joint[lane]];
    double inverse[2][2], x = 2 * PH_PI * joint->value[PH_JOINT_HERTZ] * run->h;
    if (!(x * x > LEAST_FAST)) {
        return false;
    }
    for (int side = 0; side < 2; side++) {
        inverse_masses(run, solver_bodies_of(run, pack, work->side[side])[lane], inverse[side]);
    }
    // What a lone row would be followed by, were there no levers.
    bool lone = work->sprung == 1 && !work->holds, fast = false;
    double bare = (inverse[0][0] + inverse[1][0]) * get(from, FIRST(stiffness));
    for (int part = 0; part < 3 && !fast; part++) {
        double sum = followed(run, joint, work, inverse, from, 0.5 * part * run->parameters->dt);
        bool turns = sum - 2 > 2 || (lone && sum - 2 > 2 * bare);
        double most = turns ? PH_SPRING_WITH_ARMS : PH_SPRING_EXACT;
        fast = !(x * x * (sum - 2) <= most * most);
    }
    return fast;
}

static void load_work(const PhJointRun *run, const PhArticulationWork *work, const PhJoint *joint,
                      const PhJointResult *last, Lane to) {
    const PhJointKindInfo *info = ph_joint_kind(work->kind);
    const double *value = joint->value;
    bool held = work->limited >= 0 && work->rigid >> work->limited & 1;
    double rest = info->limited >= 0 ? value[PH_JOINT_TARGET] : 0;
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
static bool is_stiff(const PhArticulationWork *work, const PhJoint *joint, Lane from) {
    bool driven = ph_joint_kind(work->kind)->driven;
    bool pulls = !driven || (joint->value[PH_JOINT_HERTZ] > 0 && ph_joint_turn_hertz(joint) > 0);
    bool split = get(from, FIRST(split)) != 0;
    if (work->apart && work->sprung & 4) {
        split = split && get(from, FIRST(turn_split)) != 0;
    }
    return work->sprung && pulls && !split && !is_bounded(joint) && !work->firm;
}

// Of all lanes; those that are left over repeat the first.
static void load_pack(const PhJointRun *run, PhJointPack *pack, PhSpringCache *cache) {
    const PhSolverJoints *joints = run->bodies->joints;
    const PhArticulationWork *works = works_of(run, pack);
    pack->split_count = pack->stiff_count = pack->damped_count = pack->late_count = 0;
    pack->tuned_count = 0;
    for (uint32_t w = 0; w < pack->work_count; w++) {
        for (uint32_t lane = 0; lane < pack->width; lane++) {
            uint32_t index = works[w].joint[lane];
            const PhJoint *joint = &joints->joint[index];
            Lane to = lane_of(run, pack, w, lane);
            load_work(run, &works[w], joint, &joints->result[index], to);
            if (works[w].sprung | works[w].firm) {
                load_bounds(run, joint, to);
            }
            if (works[w].sprung) {
                bool split = load_spring(run, joint, &works[w], to, cache);
                if (ph_joint_keeps_stiffness(works[w].kind) || works[w].apart) {
                    load_stiffness(run, pack, w, lane, to);
                    if (split && !works[w].apart && is_fast_by_levers(run, pack, w, lane, to)) {
                        load_implicit(run, joint, to);
                        split = false;
                    }
                }
                if (works[w].apart) {
                    split = load_springs_apart(run, pack, w, lane, to);
                }
                pack->split_count += split && lane < pack->count;
                bool pair = works[w].apart && works[w].sprung & 4;
                bool both =
                    get(to, FIRST(split)) != 0 && (!pair || get(to, FIRST(turn_split)) != 0);
                pack->late_count += lane < pack->count && !both;
                pack->damped_count += lane < pack->count &&
                                      (get(to, FIRST(slows)) > 0 || get(to, FIRST(turn_slows)) > 0);
                pack->stiff_count += lane < pack->count && is_stiff(&works[w], joint, to);
            }
            if (works[w].firm) {
                load_hold(run, joint, &joints->result[index], to);
                pack->late_count += lane < pack->count;
                pack->tuned_count += lane < pack->count && ph_joint_is_tuned(joint);
            }
            for (int k = 0; k < 2 && works[w].gear; k++) {
                const PhJointLayout *own = &run->layout->arrays->joints;
                Lane part = {ph_articulation_part(own, pack, works[w].gear, k) + lane, pack->width};
                load_place(run, &joints->joint[joint->geared[k]], part);
            }
        }
    }
}

#include "solve/joint_grouping_source.h"

static void load_packs(const PhJointRun *run, PhIslandBatch *batch) {
    PhArticulationPass pass = {.run = run, .operation = PH_ARTICULATION_START};
    PhSpringCache cache = {.known = false};
    PhJointPack *packs = packs_of(run, batch);
    uint32_t stiff = 0;
    for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
        load_pack(run, &packs[k], &cache);
        stiff += packs[k].stiff_count;
        if (packs[k].solves) {
            ph_articulation_pass(&pass, &packs[k]);
        }
    }
    batch->stiff_groups = 0;
    if (stiff) {
        group_stiff(run, batch);
    }
}

static void store_work(const PhJointRun *run, const PhArticulationWork *work, uint32_t lane,
                       Lane from) {
    const PhSolverJoints *joints = run->bodies->joints;
    PhJointResult *result = &joints->result[work->joint[lane]];
    double inv_dt = 1 / run->parameters->dt;
    bool tuned = work->firm && ph_joint_is_tuned(&joints->joint[work->joint[lane]]);
    for (size_t k = 0; k < PH_JOINT_ROWS; k++) {
        bool others = tuned && work->firm >> k & 1;
        result->load[k] =
            (float)(get(from, (others ? FIRST(others) : FIRST(impulse)) + k) / run->h);
        result->state[k] = (uint8_t)get(from, FIRST(state) + k);
    }
    for (size_t k = 0; k < 2; k++) {
        result->force[k] = inv_dt * get(from, FIRST(sum_force) + k);
    }
    result->torque = inv_dt * get(from, FIRST(sum_torque));
}

#include "solve/joint_instant_source.h"

double ph_joint_own_inertia(const PhSolverBodies *bodies, uint32_t slot) {
    return bodies->mass[slot][1] > 0 ? bodies->exact_inertia[slot]
                                     : bodies->unturnable * bodies->exact_mass[slot];
}

static void load_mass(const PhJointRun *run, uint32_t solver_body) {
    uint32_t slot = slot_of(run, solver_body);
    double own = ph_joint_own_inertia(run->bodies, slot),
           before = run->bodies->joints->effective_inertia[slot];
    double mass = run->bodies->exact_mass[slot], inertia = before > own ? before : own;
    run->layout->arrays->joints.masses[solver_body] =
        (PhJointMass){mass, 1 / mass, own, inertia, 1 / inertia, 0};
}

void ph_joints_load(const PhJointRun *run, PhIslandBatch *batch) {
    PhJointLayout *own = &run->layout->arrays->joints;
    uint32_t first = batch->first_solver_body, last = first + batch->solver_body_count;
    own->masses[first] = (PhJointMass){.mass = 0};
    for (uint32_t r = first + 1 + batch->body_count; r < last; r++) { // kinematic
        own->masses[r] = (PhJointMass){.mass = 0};
    }
    for (uint32_t k = batch->first_jointed; k < batch->first_jointed + batch->jointed_count; k++) {
        load_mass(run, own->jointed[k]);
    }
    load_packs(run, batch);
    gain_springs(run, batch);
    ph_trees_load(run, batch);
    shift_velocities(run, batch, -0.5);
    ungain_springs(run, batch);
}

void ph_joints_store(const PhJointRun *run, const PhIslandBatch *batch) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    const PhSolverJoints *joints = run->bodies->joints;
    const PhJointPack *packs = packs_of(run, batch);
    PhArticulationPass note = {.run = run, .operation = PH_ARTICULATION_NOTE};
    for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
        if (packs[k].tuned_count) {
            ph_articulation_pass(&note, &packs[k]);
        }
    }
    gain_springs(run, batch);
    shift_velocities(run, batch, 0.5);
    for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
        for (uint32_t w = 0; w < packs[k].work_count; w++) {
            for (uint32_t lane = 0; lane < packs[k].count; lane++) {
                store_work(run, &works_of(run, &packs[k])[w], lane,
                           lane_of(run, &packs[k], w, lane));
            }
        }
    }
    ph_trees_store(run, batch);
    for (uint32_t k = batch->first_jointed; k < batch->first_jointed + batch->jointed_count; k++) {
        uint32_t r = own->jointed[k], slot = slot_of(run, r);
        const PhJointMass *mass = &own->masses[r];
        joints->effective_inertia[slot] = mass->inertia > mass->own ? mass->inertia : 0;
    }
}

// ------------------------------------------------------------------------------------------------
// geometric stiffness

// By a share, so that momentum stays when inertia grows.
static void lower_spin(const PhJointRun *run, uint32_t solver_body, double share) {
    const PhSolverBodyArrays *solver_bodies = &run->layout->arrays->solver_bodies;
    float was = solver_bodies->velocity[solver_body][2];
    solver_bodies->velocity[solver_body][2] = (float)((double)was * share);
    solver_bodies->before[solver_body][2] += solver_bodies->velocity[solver_body][2] - was;
}

static void add_pulls(const PhJointRun *run, const PhJointPack *pack) {
    PhJointMass *masses = run->layout->arrays->joints.masses;
    const PhArticulationWork *works = works_of(run, pack);
    for (uint32_t w = 0; w < pack->work_count; w++) {
        const uint32_t *a = solver_bodies_of(run, pack, works[w].side[0]);
        const uint32_t *b = solver_bodies_of(run, pack, works[w].side[1]);
        for (uint32_t lane = 0; lane < pack->count; lane++) {
            Lane from = lane_of(run, pack, w, lane);
            masses[a[lane]].note += get(from, FIRST(pull_a));
            masses[b[lane]].note += get(from, FIRST(pull_b));
        }
    }
}

bool ph_joints_stiffen(const PhJointRun *run, const PhIslandBatch *batch) {
    PhJointLayout *own = &run->layout->arrays->joints;
    const PhJointPack *packs = packs_of(run, batch);
    const PhSolverBodyArrays *solver_bodies = &run->layout->arrays->solver_bodies;
    const uint32_t *jointed = own->jointed + batch->first_jointed;
    bool any = false;
    PhArticulationPass note = {.run = run, .operation = PH_ARTICULATION_NOTE};
    for (uint32_t k = 0; k < batch->jointed_count; k++) {
        own->masses[jointed[k]].note = 0;
    }
    for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
        if (packs[k].solves) {
            add_pulls(run, &packs[k]);
        }
        if (packs[k].damped_count | packs[k].tuned_count) {
            ph_articulation_pass(&note, &packs[k]);
        }
    }
    ph_trees_pull(run, batch);
    for (uint32_t k = 0; k < batch->jointed_count; k++) {
        PhJointMass *mass = &own->masses[jointed[k]];
        double wanted = run->h * mass->note, now = wanted > mass->own ? wanted : mass->own;
        if (now > mass->inertia) {
            lower_spin(run, jointed[k], mass->inertia / now);
        }
        if (now != mass->inertia) {
            mass->inertia = now;
            mass->inv_inertia = 1 / now;
        }
        if (now > mass->own) { // what the first warm start begins with
            mass->note = (double)solver_bodies->velocity[jointed[k]][2] +
                         (double)solver_bodies->drive[jointed[k]][2];
            any = true;
        }
    }
    return any;
}

// Spins of bodies with an effective inertia as the joints have left them, before contacts act.
// Whether there are any.
static bool note_spins(const PhJointRun *run, const PhIslandBatch *batch) {
    PhJointLayout *own = &run->layout->arrays->joints;
    const PhSolverBodyArrays *solver_bodies = &run->layout->arrays->solver_bodies;
    bool any = false;
    for (uint32_t k = batch->first_jointed; k < batch->first_jointed + batch->jointed_count; k++) {
        PhJointMass *mass = &own->masses[own->jointed[k]];
        if (!(mass->inertia > mass->own)) {
            continue;
        }
        mass->note = (double)solver_bodies->velocity[own->jointed[k]][2];
        any = true;
    }
    return any;
}

void ph_joints_weigh(const PhJointRun *run, const PhIslandBatch *batch) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    for (uint32_t k = batch->first_jointed; k < batch->first_jointed + batch->jointed_count; k++) {
        const PhJointMass *mass = &own->masses[own->jointed[k]];
        float *velocity = run->layout->arrays->solver_bodies.velocity[own->jointed[k]];
        if (mass->inertia > mass->own) {
            velocity[2] = (float)(mass->note + ((double)velocity[2] - mass->note) *
                                                   (mass->own * mass->inv_inertia));
        }
    }
}

// ------------------------------------------------------------------------------------------------
// springs and drives

void ph_joints_force(const PhJointRun *run, const PhIslandBatch *batch) {
    const PhJointPack *packs = packs_of(run, batch);
    PhArticulationPass pass = {.run = run, .operation = PH_ARTICULATION_FORCE};
    for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
        if (packs[k].split_count) {
            ph_articulation_pass(&pass, &packs[k]);
        }
    }
}

static void ungain_split(const PhJointRun *run, const PhJointPack *pack, uint32_t w) {
    bool split = false;
    for (uint32_t lane = 0; lane < pack->count && works_of(run, pack)[w].sprung; lane++) {
        split |= get(lane_of(run, pack, w, lane), FIRST(split)) != 0 ||
                 get(lane_of(run, pack, w, lane), FIRST(turn_split)) != 0;
    }
    if (split) {
        ungain(run, pack, w);
    }
}

void ph_joints_rest(const PhJointRun *run, const PhIslandBatch *batch) {
    const PhJointPack *packs = packs_of(run, batch);
    PhArticulationPass pass = {.run = run, .operation = PH_ARTICULATION_REST};
    for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
        if (packs[k].late_count) {
            ph_articulation_pass(&pass, &packs[k]);
        }
    }
    const PhStiffJoint *stiff = run->layout->arrays->joints.stiff;
    PhSupport supports[PH_MOST_SUPPORTS];
    bool supported = batch->stiff_groups > 0 && batch->articulated;
    uint32_t count = supported ? ph_supports_list(run, batch, supports) : 0;
    for (uint32_t k = 0; k < batch->stiff_groups; k++) {
        ph_stiff_rest(run, stiff, stiff[batch->first_work + k].group, supports, count);
    }
    for (uint32_t k = batch->joint_pack_count; k-- > 0;) {
        for (uint32_t w = packs[k].work_count; packs[k].split_count && w-- > 0;) {
            ungain_split(run, &packs[k], w);
        }
    }
}

// ------------------------------------------------------------------------------------------------
// passes

// What springs have given to what their joints hold counts as impulses of the substep.
static void count_held(const PhJointRun *run, const PhJointPack *pack) {
    const PhArticulationWork *works = works_of(run, pack);
    for (uint32_t w = 0; w < pack->work_count; w++) {
        if (!(works[w].sprung | works[w].firm) || !works[w].rigid) {
            continue;
        }
        double *fields = lane_of(run, pack, w, 0).fields;
        double *held = fields + FIRST(held) * pack->width;
        double *impulse = fields + FIRST(impulse) * pack->width;
        for (size_t k = 0; k < (size_t)PH_JOINT_ROWS * pack->width; k++) {
            impulse[k] += held[k];
            held[k] = 0;
        }
    }
}

// A biased solve; joints alone are soft constraints of the world's frequency (E. Catto, "Soft
// Constraints").
static PhArticulationPass make_solve(const PhJointRun *run) {
    double stiffest = 0.25 / run->h, hertz = run->parameters->joint_hertz;
    double omega = 2 * PH_PI * (hertz < stiffest ? hertz : stiffest);
    double a = 2 * run->parameters->joint_damping_ratio + run->h * omega;
    return (PhArticulationPass){.run = run,
                                .operation = PH_ARTICULATION_SOLVE,
                                .rate = omega / a,
                                .yields = 1 / (1 + run->h * omega * a),
                                .biased = true};
}

// Joints alone, every other step from the last to the first; then trees, which have the last word.
static void pass_packs(const PhArticulationPass *pass, const PhIslandBatch *batch) {
    const PhJointPack *packs = packs_of(pass->run, batch);
    uint32_t count = batch->joint_pack_count, trees = count;
    bool backwards = pass->run->parameters->step_count & 1;
    while (trees > 0 && packs[trees - 1].direct) {
        trees--;
    }
    for (uint32_t i = 0; i < count; i++) {
        const PhJointPack *pack = &packs[backwards && i < trees ? trees - 1 - i : i];
        if (pack->solves) {
            ph_articulation_pass(pass, pack);
        }
    }
}

// The impulses of a direct pack begin anew.
static void clear_impulses(const PhJointRun *run, const PhJointPack *pack) {
    size_t size = PH_JOINT_ROWS * pack->width * sizeof(double);
    for (uint32_t w = 0; w < pack->work_count; w++) {
        memset(lane_of(run, pack, w, 0).fields + FIRST(impulse) * pack->width, 0, size);
    }
}

void ph_joints_meet(const PhJointRun *run, const PhIslandBatch *batch) {
    const PhJointPack *packs = packs_of(run, batch);
    PhArticulationPass meet = {.run = run, .operation = PH_ARTICULATION_SOLVE, .bounce = true};
    for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
        if (!packs[k].direct || !packs[k].solves) {
            continue;
        }
        clear_impulses(run, &packs[k]);
        ph_articulation_pass(&meet, &packs[k]);
    }
}

bool ph_joints_solve(const PhJointRun *run, const PhIslandBatch *batch) {
    const PhJointPack *packs = packs_of(run, batch);
    PhArticulationPass warm = {.run = run, .operation = PH_ARTICULATION_WARM},
                       solve = make_solve(run);
    for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
        if (packs[k].direct) {
            clear_impulses(run, &packs[k]);
        }
        if (packs[k].solves && !packs[k].direct) {
            ph_articulation_pass(&warm, &packs[k]);
        }
    }
    const PhStiffJoint *stiff = run->layout->arrays->joints.stiff;
    for (uint32_t k = 0; k < batch->stiff_groups; k++) {
        ph_stiff_solve(run, stiff, stiff[batch->first_work + k].group);
    }
    for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
        if (packs[k].sprung && packs[k].solves && packs[k].direct) {
            count_held(run, &packs[k]);
        }
    }
    pass_packs(&solve, batch);
    ph_trees_pass(run, batch, true);
    return note_spins(run, batch);
}

void ph_joints_gain(const PhJointRun *run, const PhIslandBatch *batch) {
    PhArticulationPass gain = {.run = run, .operation = PH_ARTICULATION_GAIN};
    const PhJointPack *packs = packs_of(run, batch);
    for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
        if (packs[k].damped_count) {
            ph_articulation_pass(&gain, &packs[k]);
        }
    }
    ph_trees_gain(run, batch);
}

bool ph_joints_relax(const PhJointRun *run, const PhIslandBatch *batch) {
    PhArticulationPass pass = {.run = run, .operation = PH_ARTICULATION_SOLVE};
    PhArticulationPass damp = {.run = run, .operation = PH_ARTICULATION_DAMP};
    const PhJointPack *packs = packs_of(run, batch);
    for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
        if (packs[k].damped_count) {
            ph_articulation_pass(&damp, &packs[k]);
        }
    }
    pass_packs(&pass, batch);
    ph_trees_pass(run, batch, false);
    return note_spins(run, batch);
}

// Joints of a bin through a step: springs, geometric stiffness, warm starts, and what is stored.
//
// Springs and drives get one impulse per substep, from the velocities after gravity and before
// anything is held. With x = w h (w the angular frequency, z the damping ratio), C the error, v the
// velocity J v of the row, g what gravity and forces added to it in this substep, and m its
// effective mass with the rigid rows of the same joint held,
//     v' = v - b1 (v - g) - b2 v - a C,
//     b1 + b2 = 1 - d,  d = exp(-2 z x),  h a = 1 + d - 2 sqrt(d) cos(x sqrt(1 - z^2)),
//     b2 = 1 - h a / x^2.
// C' = C + h v' then has the frequency and the damping of the differential equation to the last
// bit: the trace and the determinant of its map are theirs; and b2 lets a load hang where
// a C = (1 - b2) g, which is C = g / (h w^2), as it does in the equation. Above x = 1/2 implicit
// Euler stands in, which is stable whatever else pulls at the bodies.
//
// To one of several springs on a body the others are forces too, that g has to count. So f = h w^2
// C of each is given first, and counts as gained by both bodies; with G and V for g and v after
// that, and s f for what the spring itself has added to G,
//     v' = v - b1 (v - g) - b2 v - a C = V - b1 (V - G) - b2 V + b2 (1 - s) f,
// where g = G + s f, v = V + s f. At rest G is zero: each pulls with f, as the equation has it.
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
#include "solve/joint_lanes.h"

#include <math.h>
#include <string.h>

#include "math/trig.h"

// Of the inverse of inertia: bodies that do not turn are this much harder to turn than to push at
// one metre.
#define UNTURNABLE 1e12
#define LARGEST_EXACT 0.5

// ------------------------------------------------------------------------------------------------
// rows

static uint32_t slot_of(const PhJointRun *run, uint32_t row) {
    return run->layout->arrays->row_slot[row];
}

void ph_joint_change_row(const PhJointRun *run, uint32_t row, const double velocity[3]) {
    const PhRows *rows = &run->layout->arrays->rows;
    double speed = 2 * run->parameters->max_speed, spin = PH_PI / run->h;
    for (int k = 0; k < 3; k++) {
        // Beyond all limits, or none where masses are beyond float64.
        double most = k < 2 ? speed : spin, wanted = velocity[k];
        float next = (float)(wanted > most ? most : wanted < -most ? -most : wanted);
        next = next == next ? next : rows->velocity[row][k];
        rows->before[row][k] += next - rows->velocity[row][k];
        rows->velocity[row][k] = next;
    }
}

static PhVec2 turned_by(const float delta[4], PhVec2 arm) {
    double c = 1 + (double)delta[2], s = (double)delta[3];
    return (PhVec2){c * arm.x - s * arm.y, s * arm.x + c * arm.y};
}

PhJointPose ph_joint_pose_of(const PhJointRun *run, const PhJointWork *work) {
    const PhRows *rows = &run->layout->arrays->rows;
    const float *da = rows->delta[work->row_a], *db = rows->delta[work->row_b];
    const float *va = rows->velocity[work->row_a], *vb = rows->velocity[work->row_b];
    PhVec2 arm_a = turned_by(da, work->arm_a), arm_b = turned_by(db, work->arm_b);
    PhVec2 moved_a = ph_sub(arm_a, work->arm_a), moved_b = ph_sub(arm_b, work->arm_b);
    PhVec2 way_a = {(double)da[0] + moved_a.x, (double)da[1] + moved_a.y};
    PhVec2 way_b = {(double)db[0] + moved_b.x, (double)db[1] + moved_b.y};
    double ca = 1 + (double)da[2], sa = (double)da[3];
    return (PhJointPose){
        .arm_a = arm_a,
        .arm_b = arm_b,
        .gap = {work->gap.x + ((double)db[0] - (double)da[0]) + (moved_b.x - moved_a.x),
                work->gap.y + ((double)db[1] - (double)da[1]) + (moved_b.y - moved_a.y)},
        .reach_a = ph_add(work->reach_a, way_a),
        .reach_b = ph_add(work->reach_b, way_b),
        .rot_a = {ca * work->rot_a.c - sa * work->rot_a.s, sa * work->rot_a.c + ca * work->rot_a.s},
        .angle =
            work->angle + ((double)rows->turned[work->row_b] - (double)rows->turned[work->row_a]),
        .velocity_a = {(double)va[0], (double)va[1]},
        .velocity_b = {(double)vb[0], (double)vb[1]},
        .spin_a = (double)va[2],
        .spin_b = (double)vb[2],
    };
}

PhJointPose ph_joint_fill(const PhJointRun *run, const PhJointWork *work, PhJointRow *rows) {
    if (!work->gear) {
        PhJointPose pose = ph_joint_pose_of(run, work);
        work->info->fill(work->of, &pose, rows);
        return pose;
    }
    const PhJointWork *part = run->layout->arrays->joints.gears[work->gear - 1].part;
    const PhJoint *const joints[2] = {part[0].of, part[1].of};
    const PhJointPose poses[2] = {ph_joint_pose_of(run, &part[0]), ph_joint_pose_of(run, &part[1])};
    ph_joint_gear_fill(work->of, joints, poses, rows);
    return (PhJointPose){.angle = 0}; // no arms: what it pulls at does not stiffen
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

// What a pose follows from.
static void load_place(const PhJointRun *run, PhJointWork *work) {
    const PhJoint *joint = &run->bodies->joints->joint[work->joint];
    Side a = side_of(run, joint, 0), b = side_of(run, joint, 1);
    work->of = joint;
    work->info = ph_joint_kind((PhJointKind)joint->kind);
    work->arm_a = a.arm;
    work->arm_b = b.arm;
    const PhWrap *wrap = &run->bodies->wrap;
    work->gap = ph_wrap_least(wrap, ph_sub(b.anchor, a.anchor));
    const double *ground = joint->value + PH_JOINT_GROUND;
    work->reach_a = ph_wrap_least(wrap, ph_sub(a.anchor, ph_vec(ground[0], ground[1])));
    work->reach_b = ph_wrap_least(wrap, ph_sub(b.anchor, ph_vec(ground[2], ground[3])));
    work->rot_a = a.rot;
    work->angle = b.angle - a.angle - joint->reference;
}

// Springs that are neither implicit nor bounded nor held fast in angle, where forces say little of
// what comes, can give their forces first.
static void load_spring(const PhJointRun *run, PhJointWork *work) {
    const double *value = work->of->value;
    double hertz = value[PH_JOINT_HERTZ];
    bool pulls = hertz > 0, turns = (work->rigid | work->sprung) >> 2 & 1;
    work->spring =
        pulls ? ph_joint_spring(hertz, value[PH_JOINT_ZETA], run->h) : (PhJointSpring){0, 1, 0};
    work->split = pulls && !turns && ph_joint_spring_is_exact(hertz, run->h) &&
                  !(value[PH_JOINT_MAX_FORCE] < INFINITY);
}

static void load_work(const PhJointRun *run, PhJointWork *work) {
    load_place(run, work);
    const PhJoint *joint = work->of;
    const PhJointResult *last = &run->bodies->joints->result[work->joint];
    for (int k = 0; work->gear && k < 2; k++)
        load_place(run, &run->layout->arrays->joints.gears[work->gear - 1].part[k]);
    work->rigid = ph_joint_rigid_rows(joint);
    work->axis = ph_joint_axis_rows(joint);
    work->sprung = ph_joint_sprung_rows(joint);
    work->split = false;
    work->sum_force = ph_vec(0, 0);
    work->sum_torque = 0;
    if (work->sprung)
        load_spring(run, work);
    PhJointRow rows[PH_JOINT_ROWS] = {{.couple = 0}};
    PhJointPose pose = ph_joint_fill(run, work, rows);
    work->pull_a = work->pull_b = 0;
    for (int k = 0; k < PH_JOINT_ROWS; k++) {
        work->state[k] = last->state[k];
        work->impulse[k] = run->h * (double)last->load[k];
        work->pull_a += work->impulse[k] * ph_joint_pull_a(&rows[k], pose.arm_a);
        work->pull_b += work->impulse[k] * ph_joint_pull_b(&rows[k], pose.arm_b);
    }
}

// Gives everybody who swings so much of the velocity that a substep gains.
static void shift_velocities(const PhJointRun *run, const PhBin *bin, double share) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    PhJointPass pass = {.run = run, .shift = share};
    for (uint32_t u = bin->first_unit; u < bin->first_unit + bin->unit_count; u++)
        if (own->units[u].swings && !own->units[u].in_lanes)
            ph_joints_solve_unit(&pass, &own->units[u]);
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

void ph_joints_load(const PhJointRun *run, const PhBin *bin) {
    PhJointLayout *own = &run->layout->arrays->joints;
    uint32_t first = bin->first_row, last = first + bin->row_count;
    own->masses[first] = (PhJointMass){.mass = 0};
    for (uint32_t r = first + 1 + bin->body_count; r < last; r++) // kinematic
        own->masses[r] = (PhJointMass){.mass = 0};
    for (uint32_t k = bin->first_tied; k < bin->first_tied + bin->tied_count; k++)
        load_mass(run, own->tied[k]);
    for (uint32_t w = 0; w < bin->work_count; w++)
        load_work(run, &own->works[bin->first_work + w]);
    ph_trees_load(run, bin);
    shift_velocities(run, bin, -0.5);
}

void ph_joints_store(const PhJointRun *run, const PhBin *bin) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    const PhSolverJoints *joints = run->bodies->joints;
    double inv_dt = 1 / run->parameters->dt;
    shift_velocities(run, bin, 0.5);
    for (uint32_t w = bin->first_work; w < bin->first_work + bin->work_count; w++) {
        const PhJointWork *work = &own->works[w];
        PhJointResult *result = &joints->result[work->joint];
        for (int k = 0; k < PH_JOINT_ROWS; k++) {
            result->load[k] = (float)(work->impulse[k] / run->h);
            result->state[k] = work->state[k];
        }
        result->force[0] = inv_dt * work->sum_force.x;
        result->force[1] = inv_dt * work->sum_force.y;
        result->torque = inv_dt * work->sum_torque;
    }
    ph_trees_store(run, bin);
    for (uint32_t k = bin->first_tied; k < bin->first_tied + bin->tied_count; k++) {
        uint32_t r = own->tied[k], slot = slot_of(run, r);
        const PhJointMass *mass = &own->masses[r];
        joints->inflated[slot] = mass->inertia > mass->own ? mass->inertia : 0;
    }
}

// ------------------------------------------------------------------------------------------------
// geometric stiffness

bool ph_joints_stiffen(const PhJointRun *run, const PhBin *bin) {
    PhJointLayout *own = &run->layout->arrays->joints;
    const PhRows *rows = &run->layout->arrays->rows;
    const uint32_t *tied = own->tied + bin->first_tied;
    bool any = false;
    for (uint32_t k = 0; k < bin->tied_count; k++)
        own->masses[tied[k]].note = 0;
    for (uint32_t w = bin->first_work; w < bin->first_work + bin->work_count; w++) {
        const PhJointWork *work = &own->works[w];
        own->masses[work->row_a].note += work->pull_a;
        own->masses[work->row_b].note += work->pull_b;
    }
    ph_trees_pull(run, bin);
    for (uint32_t k = 0; k < bin->tied_count; k++) {
        PhJointMass *mass = &own->masses[tied[k]];
        double wanted = run->h * mass->note, now = wanted > mass->own ? wanted : mass->own;
        if (now > mass->inertia) {
            const float *v = rows->velocity[tied[k]];
            double velocity[3] = {(double)v[0], (double)v[1], (double)v[2] * (mass->inertia / now)};
            ph_joint_change_row(run, tied[k], velocity);
        }
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

bool ph_joint_spring_is_exact(double hertz, double h) {
    return 2 * PH_PI * hertz * h <= LARGEST_EXACT;
}

PhJointSpring ph_joint_spring(double hertz, double zeta, double h) {
    double omega = 2 * PH_PI * hertz, x = omega * h;
    if (!ph_joint_spring_is_exact(hertz, h)) {
        double damping = 1 / (1 + 2 * zeta * x + x * x);
        return (PhJointSpring){omega * x * damping, 1 - damping, 0};
    }
    double d = decay(2 * zeta * x), root = sqrt(fabs(1 - zeta * zeta)), twice;
    if (zeta < 1)
        twice = 2 * decay(zeta * x) * ph_rot(x * root).c;
    else
        twice = decay((zeta - root) * x) + decay((zeta + root) * x);
    double ha = 1 + d - twice, second = 1 - ha / (x * x);
    return (PhJointSpring){ha / h, 1 - d, 1 - d - second};
}

static double clamp_to(double x, double most) {
    return x > most ? most : x < -most ? -most : x;
}

// The inverse of what the rows of a joint that are in use do to each other.
static void invert_rows(const PhJointRow *rows, uint8_t used, const PhJointBody *a,
                        const PhJointBody *b, double inverse[6]) {
    double k[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++) {
        double da[3] = {0}, db[3] = {0};
        if (!(used >> i & 1))
            continue;
        ph_push_body(a, rows[i].a, 1, da);
        ph_push_body(b, rows[i].b, 1, db);
        for (int j = i; j < 3; j++)
            if (used >> j & 1)
                k[i][j] = ph_dot3(rows[j].a, da) + ph_dot3(rows[j].b, db);
    }
    double m[6] = {k[0][0], k[0][1], k[0][2], k[1][1], k[1][2], k[2][2]};
    ph_sym_invert(m, inverse);
}

static double gained_along(const PhJointRun *run, const PhJointWork *work, const PhJointRow *row) {
    const PhRows *rows = &run->layout->arrays->rows;
    const float *a = rows->drive[work->row_a], *b = rows->drive[work->row_b];
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += row->a[k] * (double)a[k] + row->b[k] * (double)b[k];
    return sum;
}

// A spring acts at once, or first by its force and then by the rest.
typedef enum SpringPart { SPRING_WHOLE, SPRING_FORCE, SPRING_REST } SpringPart;

// Lets a body have gained what it has got since `before`.
static void gain(const PhJointRun *run, const PhJointBody *body, const double before[3],
                 float kept[3]) {
    float *drive = run->layout->arrays->rows.drive[body->row];
    for (int k = 0; k < 3 && !body->fixed; k++) {
        kept[k] = drive[k];
        drive[k] += (float)(body->v[k] - before[k]);
    }
}

static void ungain(const PhJointRun *run, uint32_t row, const float kept[3]) {
    if (run->layout->arrays->joints.masses[row].inv_mass != 0)
        memcpy(run->layout->arrays->rows.drive[row], kept, 3 * sizeof *kept);
}

// What a spring's own force has added along one of its rows, and the force itself: (1 - s) f.
static double held_back(const PhJointWork *work, const PhJointRow *rows, int k,
                        const PhJointBody *a, const PhJointBody *b, double force) {
    double va[3] = {0}, vb[3] = {0};
    for (int i = 0; i < 3; i++) {
        if (!(work->sprung >> i & 1))
            continue;
        ph_push_body(a, rows[i].a, work->force[i], va);
        ph_push_body(b, rows[i].b, work->force[i], vb);
    }
    return force + ph_dot3(rows[k].a, va) + ph_dot3(rows[k].b, vb);
}

static void spring_work(const PhJointRun *run, PhJointWork *work, SpringPart part) {
    const PhJoint *joint = work->of;
    const PhJointKindInfo *info = work->info;
    uint8_t sprung = work->sprung;
    if (!sprung)
        return;
    const double *value = joint->value;
    PhJointRow rows[PH_JOINT_ROWS]; // those in use are filled
    PhJointPose pose = ph_joint_pose_of(run, work);
    PhJointBody a, b;
    ph_joint_load_body(run, work->row_a, &a);
    ph_joint_load_body(run, work->row_b, &b);
    double inverse[6], asked[3] = {0}, impulse[3];
    info->fill(joint, &pose, rows);
    invert_rows(rows, sprung | work->rigid, &a, &b, inverse);
    bool pulls = value[PH_JOINT_HERTZ] > 0;
    PhJointSpring spring = work->spring;
    double omega = 2 * PH_PI * value[PH_JOINT_HERTZ];
    const double wanted[3] = {value[PH_JOINT_LINEAR], value[PH_JOINT_LINEAR + 1],
                              value[PH_JOINT_ANGULAR]};
    for (int k = 0; k < 3; k++) {
        if (!(sprung >> k & 1))
            continue;
        double rest = info->limited >= 0 ? value[PH_JOINT_TARGET] : 0;
        double velocity = ph_dot3(rows[k].a, a.v) + ph_dot3(rows[k].b, b.v);
        double pull = omega * omega * run->h * (rows[k].coordinate - rest);
        if (part == SPRING_FORCE) {
            asked[k] = pull;
            continue;
        }
        asked[k] = spring.velocity * (velocity - (pulls ? 0 : wanted[k])) -
                   spring.gained * gained_along(run, work, &rows[k]);
        asked[k] += part == SPRING_WHOLE ? spring.error * (rows[k].coordinate - rest)
                                         : (spring.gained - spring.velocity) *
                                               held_back(work, rows, k, &a, &b, pull);
    }
    ph_sym_apply(inverse, asked, impulse);
    PhVec2 force = {0, 0};
    for (int k = 0; k < 3; k++) {
        // Rows of anchors that are torn very far apart may not be told from each other.
        bool pushes = sprung >> k & 1 && isfinite(impulse[k]);
        impulse[k] = pushes ? -impulse[k] : 0;
        if (pushes)
            force = ph_mul_add(force, impulse[k], rows[k].along);
    }
    double most = run->h * value[PH_JOINT_MAX_FORCE], length = ph_length(force);
    double share = length > most ? most / length : 1, torque = 0;
    for (int k = 0; k < 3; k++) {
        if (!(sprung >> k & 1))
            continue;
        if (rows[k].couple != 0)
            torque += impulse[k] = clamp_to(impulse[k], run->h * value[PH_JOINT_MAX_TORQUE]);
        else
            impulse[k] *= share;
        ph_push_body(&a, rows[k].a, impulse[k], a.v);
        ph_push_body(&b, rows[k].b, impulse[k], b.v);
    }
    work->sum_force = ph_mul_add(work->sum_force, share, force);
    work->sum_torque += torque;
    if (part == SPRING_FORCE) {
        memcpy(work->force, impulse, sizeof work->force);
        gain(run, &a, a.start, work->kept_a);
        gain(run, &b, b.start, work->kept_b);
    }
    if (!a.fixed)
        ph_joint_change_row(run, work->row_a, a.v);
    if (!b.fixed)
        ph_joint_change_row(run, work->row_b, b.v);
}

// Whether a spring of the bin has to count with others.
static bool are_several(const PhJointRun *run, const PhBin *bin) {
    const PhJointWork *works = run->layout->arrays->joints.works + bin->first_work;
    uint32_t split = bin->spring_count;
    for (uint32_t w = 0; w < bin->work_count && split < 2; w++)
        split += works[w].split;
    return split > 1;
}

void ph_joints_force(const PhJointRun *run, const PhBin *bin) {
    PhJointWork *works = run->layout->arrays->joints.works + bin->first_work;
    bool several = are_several(run, bin);
    for (uint32_t w = 0; several && w < bin->work_count; w++)
        if (works[w].split)
            spring_work(run, &works[w], SPRING_FORCE);
}

void ph_joints_rest(const PhJointRun *run, const PhBin *bin) {
    PhJointWork *works = run->layout->arrays->joints.works + bin->first_work;
    bool several = are_several(run, bin);
    for (uint32_t w = 0; w < bin->work_count; w++)
        spring_work(run, &works[w], several && works[w].split ? SPRING_REST : SPRING_WHOLE);
    for (uint32_t w = bin->work_count; several && w-- > 0;) {
        if (works[w].split) {
            ungain(run, works[w].row_b, works[w].kept_b);
            ungain(run, works[w].row_a, works[w].kept_a);
        }
    }
}

// ------------------------------------------------------------------------------------------------
// passes

static void push_row(const PhJointRun *run, uint32_t row, const double jacobian[3],
                     double impulse) {
    PhJointBody body;
    ph_joint_load_body(run, row, &body);
    if (body.fixed)
        return;
    ph_push_body(&body, jacobian, impulse, body.v);
    ph_joint_change_row(run, row, body.v);
}

static void warm_start(const PhJointRun *run, const PhJointUnit *unit) {
    PhJointLayout *own = &run->layout->arrays->joints;
    PhJointWork *work = &own->works[own->links[unit->first_link].work];
    PhJointRow rows[PH_JOINT_ROWS] = {{.couple = 0}};
    ph_joint_fill(run, work, rows);
    if (work->gear) {
        const PhJointWork *part = own->gears[work->gear - 1].part;
        push_row(run, work->row_a, rows[0].a, work->impulse[0]);
        push_row(run, work->row_b, rows[0].b, work->impulse[0]);
        push_row(run, part[0].row_a, rows[1].a, work->impulse[0]);
        push_row(run, part[1].row_a, rows[1].b, work->impulse[0]);
        return;
    }
    PhJointBody a, b;
    ph_joint_load_body(run, work->row_a, &a);
    ph_joint_load_body(run, work->row_b, &b);
    for (int k = 0; k < 3; k++) {
        ph_push_body(&a, rows[k].a, work->impulse[k], a.v);
        ph_push_body(&b, rows[k].b, work->impulse[k], b.v);
    }
    if (!a.fixed)
        ph_joint_change_row(run, work->row_a, a.v);
    if (!b.fixed)
        ph_joint_change_row(run, work->row_b, b.v);
}

// A push; joints alone are soft constraints of the world's frequency (E. Catto, "Soft
// Constraints").
static PhJointPass make_push(const PhJointRun *run) {
    double stiffest = 0.25 / run->h, hertz = run->parameters->joint_hertz;
    double omega = 2 * PH_PI * (hertz < stiffest ? hertz : stiffest);
    double a = 2 * run->parameters->joint_damping_ratio + run->h * omega;
    return (PhJointPass){
        .run = run, .rate = omega / a, .yields = 1 / (1 + run->h * omega * a), .push = true};
}

bool ph_joints_push(const PhJointRun *run, const PhBin *bin) {
    PhJointLayout *own = &run->layout->arrays->joints;
    bool any = bin->unit_count > 0;
    for (uint32_t u = bin->first_unit; any && u < bin->first_unit + bin->unit_count; u++) {
        const PhJointUnit *unit = &own->units[u];
        if (unit->in_lanes)
            continue;
        for (uint32_t l = 0; unit->direct && l < unit->link_count + unit->cut_count; l++) {
            PhJointWork *work = &own->works[own->links[unit->first_link + l].work];
            memset(work->impulse, 0, sizeof work->impulse);
        }
        if (!unit->direct)
            warm_start(run, unit);
    }
    PhJointPass pass = make_push(run);
    bool backwards = run->parameters->step_count & 1;
    for (uint32_t i = 0; i < bin->unit_count; i++) {
        uint32_t u = bin->first_unit + (backwards ? bin->unit_count - 1 - i : i);
        if (!own->units[u].in_lanes)
            ph_joints_solve_unit(&pass, &own->units[u]);
    }
    ph_trees_pass(run, bin, true);
    return note_spins(run, bin);
}

bool ph_joints_relax(const PhJointRun *run, const PhBin *bin) {
    PhJointLayout *own = &run->layout->arrays->joints;
    PhJointPass pass = {.run = run};
    bool backwards = run->parameters->step_count & 1;
    for (uint32_t i = 0; i < bin->unit_count; i++) {
        uint32_t u = bin->first_unit + (backwards ? bin->unit_count - 1 - i : i);
        if (!own->units[u].in_lanes)
            ph_joints_solve_unit(&pass, &own->units[u]);
    }
    ph_trees_pass(run, bin, false);
    return note_spins(run, bin);
}

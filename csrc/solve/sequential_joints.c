// Joints of the solver sequential_impulses: points and lengths, one after the other, in float64.
// This is the readable twin of the engine's joints (articulation_source.h,
// iterative_joints_source.h), which solve the same equations (joint_revolute_source.h,
// joint_distance_source.h) tree by tree or in lanes.
//
// Symbols: r_a, r_b from the centres of mass to the anchors p_a, p_b; d = p_b - p_a; J v = d'.
//
// A revolute joint holds d = 0 along both axes at once, with the 2 x 2 matrix
//     K = (1/m_a + 1/m_b) 1 + [r_a]^T [r_a] / I_a + [r_b]^T [r_b] / I_b,  [r] = (-r.y, r.x),
//     K j = -(J v + baumgarte / dt d).
// A distance joint holds L = |d|. Its direction n = d / L takes the part of a contact normal. Each
// limit is a row of its own, whose accumulated impulse only pushes (lower) or only pulls (upper).
// If the length has not reached the limit, it may still do so: v_n = (limit - L) / dt. If both
// limits are equal, they are one row of any sign.
//
// While a step runs, the loads of a joint are sums of its impulses, N s. Between steps they are N,
// as in the other solver: of a revolute joint along x and y, of a distance joint those of lower and
// upper.
//
// A wheel joint without spring, limits and motor holds a point on a line: with t perpendicular to
// its axis, a row of any sign holds t . d = 0. The lever arm of a goes to the anchor of b. Locks of
// bodies are such lines.
//
// Source: E. Catto, "Iterative Dynamics with Temporal Coherence" (2005).
#include "solve/sequential_impulses.h"

#include <math.h>

typedef struct Sides { // where the sides of a joint are at the start of the step
    uint32_t slot[2];
    PhVec2 arm[2], gap;
} Sides;

static Sides sides_of(const PhSolverBodies *bodies, const PhJoint *joint) {
    Sides sides = {.slot = {joint->body[0], joint->body[1]}};
    PhVec2 anchor[2];
    for (int k = 0; k < 2; k++) {
        anchor[k] = ph_joint_anchor(joint, k);
        if (sides.slot[k] != PH_NULL) {
            const PhTransform *at = &bodies->joints->transform[sides.slot[k]];
            const double *center = bodies->center[sides.slot[k]];
            anchor[k] = ph_apply(*at, anchor[k]);
            sides.arm[k] = ph_sub(anchor[k], ph_vec(center[0], center[1]));
        }
    }
    sides.gap = ph_wrap_least(&bodies->wrap, ph_sub(anchor[1], anchor[0]));
    return sides;
}

// ------------------------------------------------------------------------------------------------
// points

static void apply_point(const Sides *sides, PhVec2 j, Motion *a, Motion *b) {
    a->v = ph_mul_add(a->v, -a->inv_mass, j);
    a->w -= a->inv_inertia * ph_cross(sides->arm[0], j);
    b->v = ph_mul_add(b->v, b->inv_mass, j);
    b->w += b->inv_inertia * ph_cross(sides->arm[1], j);
}

static PhVec2 gap_velocity(const Sides *sides, const Motion *a, const Motion *b) {
    PhVec2 of_a = ph_mul_add(a->v, a->w, ph_left(sides->arm[0]));
    PhVec2 of_b = ph_mul_add(b->v, b->w, ph_left(sides->arm[1]));
    return ph_sub(of_b, of_a);
}

// The impulse on b that gives the anchors the wanted relative velocity.
static PhVec2 point_impulse(const Sides *sides, PhVec2 wanted, const Motion *a, const Motion *b) {
    PhVec2 ra = sides->arm[0], rb = sides->arm[1];
    PhVec2 off = ph_sub(wanted, gap_velocity(sides, a, b));
    double mass = a->inv_mass + b->inv_mass;
    double xx = mass + a->inv_inertia * ra.y * ra.y + b->inv_inertia * rb.y * rb.y;
    double xy = -a->inv_inertia * ra.x * ra.y - b->inv_inertia * rb.x * rb.y;
    double yy = mass + a->inv_inertia * ra.x * ra.x + b->inv_inertia * rb.x * rb.x;
    double det = xx * yy - xy * xy; // > 0, as one of the bodies has a mass
    return ph_vec((yy * off.x - xy * off.y) / det, (xx * off.y - xy * off.x) / det);
}

// ------------------------------------------------------------------------------------------------
// lengths

typedef struct Length {
    double length, low, high; // low, high: bounds of the velocity along n
    bool held;
    ConstraintRow row;
} Length;

static Length length_of(const Sides *sides, const PhJoint *joint, const PhStepParameters *p,
                        const Motion *a, const Motion *b, PhRot rot_a) {
    double length = ph_length(sides->gap), back = p->baumgarte / p->dt;
    double lower = ph_joint_lower(ph_joint_info(joint), joint),
           upper = joint->value[PH_JOINT_UPPER];
    PhVec2 n = length > p->lengths->joint_shortest ? ph_scale(1 / length, sides->gap)
                                                   : ph_rotate(rot_a, joint->axis);
    Length result = {.length = length, .held = joint->value[PH_JOINT_LOWER] == upper};
    result.row = make_row(a, b, sides->arm[0], sides->arm[1], n);
    result.low = result.held || length < lower ? back * (lower - length) : (lower - length) / p->dt;
    result.high = length > upper ? back * (upper - length) : (upper - length) / p->dt;
    return result;
}

// Solves both limits of a length. Each sees the impulse of the other.
static void solve_length(const Length *at, float load[2], Motion *a, Motion *b) {
    for (int k = 0; k < 2 && at->row.k > 0; k++) {
        double bound = k ? at->high : at->low;
        if (!isfinite(bound) || (k && at->held)) {
            continue;
        }
        double sum = (double)load[k];
        double wanted = sum + (bound - row_velocity(&at->row, a, b)) / at->row.k;
        if (!at->held) {
            wanted = k ? ph_min(wanted, 0) : ph_max(wanted, 0);
        }
        apply(&at->row, a, b, add_to(&load[k], wanted));
    }
}

// ------------------------------------------------------------------------------------------------
// the step

typedef enum Visit { START, SOLVE, FINISH, FINISH_APART } Visit;

// Closes a part of the gap: bodies are moved in proportion to their inverse masses, without a
// change of velocity.
static void close_gap(const PhSolverBodies *bodies, const Sides *sides, PhVec2 gap, const Motion *a,
                      const Motion *b) {
    double inv[2] = {a->inv_mass, b->inv_mass}, sum = inv[0] + inv[1];
    for (int k = 0; k < 2 && sum > 0; k++) {
        if (inv[k] > 0) {
            double share = (k ? -1 : 1) * inv[k] / sum;
            bodies->center[sides->slot[k]][0] += share * gap.x;
            bodies->center[sides->slot[k]][1] += share * gap.y;
        }
    }
}

static void visit_point(const PhSolverBodies *bodies, const PhStepParameters *p, Visit visit,
                        const Sides *sides, PhJointResult *result, Motion *a, Motion *b) {
    float *load = result->load;
    if (visit == START) {
        apply_point(sides, ph_vec((double)load[0], (double)load[1]), a, b);
    } else if (visit == SOLVE) {
        PhVec2 j = point_impulse(sides, ph_scale(-p->baumgarte / p->dt, sides->gap), a, b);
        PhVec2 given = {add_to(&load[0], (double)load[0] + j.x),
                        add_to(&load[1], (double)load[1] + j.y)};
        apply_point(sides, given, a, b);
    } else if (visit == FINISH_APART) {
        close_gap(bodies, sides, sides->gap, a, b);
    }
    result->force[0] = (double)load[0] / p->dt;
    result->force[1] = (double)load[1] / p->dt;
}

// The rotation of body a.
static PhRot rot_of(const PhSolverBodies *bodies, const PhJoint *joint) {
    uint32_t slot = joint->body[0];
    return slot == PH_NULL ? (PhRot){1, 0} : bodies->joints->transform[slot].q;
}

static void visit_length(const PhSolverBodies *bodies, const PhStepParameters *p, Visit visit,
                         const Sides *sides, const PhJoint *joint, PhJointResult *result, Motion *a,
                         Motion *b) {
    Length at = length_of(sides, joint, p, a, b, rot_of(bodies, joint));
    if (visit == START) {
        apply(&at.row, a, b, (double)result->load[0] + (double)result->load[1]);
    } else if (visit == SOLVE) {
        solve_length(&at, result->load, a, b);
    } else if (visit == FINISH_APART) {
        double lower = ph_joint_lower(ph_joint_info(joint), joint);
        double upper = joint->value[PH_JOINT_UPPER];
        double error = at.length - (at.length < lower   ? lower
                                    : at.length > upper ? upper
                                                        : at.length);
        close_gap(bodies, sides, ph_scale(error, at.row.u), a, b);
    }
    double force = ((double)result->load[0] + (double)result->load[1]) / p->dt;
    result->force[0] = force * at.row.u.x;
    result->force[1] = force * at.row.u.y;
}

static void visit_line(const PhSolverBodies *bodies, const PhStepParameters *p, Visit visit,
                       const Sides *sides, const PhJoint *joint, PhJointResult *result, Motion *a,
                       Motion *b) {
    PhVec2 t = ph_left(ph_rotate(rot_of(bodies, joint), joint->axis));
    ConstraintRow row = make_row(a, b, ph_add(sides->arm[0], sides->gap), sides->arm[1], t);
    double off = ph_dot(t, sides->gap), sum = (double)result->load[0];
    if (visit == START) {
        apply(&row, a, b, sum);
    } else if (visit == SOLVE) {
        double wanted = -p->baumgarte / p->dt * off;
        double more = row.k > 0 ? (wanted - row_velocity(&row, a, b)) / row.k : 0;
        apply(&row, a, b, add_to(&result->load[0], sum + more));
    } else if (visit == FINISH_APART) {
        close_gap(bodies, sides, ph_scale(off, t), a, b);
    }
    result->force[0] = (double)result->load[0] / p->dt * t.x;
    result->force[1] = (double)result->load[0] / p->dt * t.y;
}

static void visit_all(const PhSolverBodies *bodies, const PhStepParameters *p, Visit visit) {
    const PhSolverJoints *joints = bodies->joints;
    bool warm = p->warm_starting && p->accumulate && !p->translate;
    for (uint32_t j = 0; joints && j < joints->limit; j++) {
        const PhJoint *joint = &joints->joint[j];
        PhJointResult *result = &joints->result[j];
        if (!joint->alive || !joint->active) {
            continue;
        }
        for (int k = 0; k < PH_JOINT_ROWS && visit == START; k++) {
            result->load[k] = warm ? (float)(p->dt * (double)result->load[k]) : 0;
        }
        Sides sides = sides_of(bodies, joint);
        Motion a = get_motion(bodies, p->gravity, sides.slot[0]);
        Motion b = get_motion(bodies, p->gravity, sides.slot[1]);
        if (ph_joint_info(joint)->distance) {
            visit_length(bodies, p, visit, &sides, joint, result, &a, &b);
        } else if (ph_joint_info(joint)->holds_point) {
            visit_point(bodies, p, visit, &sides, result, &a, &b);
        } else {
            visit_line(bodies, p, visit, &sides, joint, result, &a, &b);
        }
        if (visit < FINISH) {
            set_motion(bodies, sides.slot[0], &a);
            set_motion(bodies, sides.slot[1], &b);
        }
        for (int k = 0; k < PH_JOINT_ROWS && visit >= FINISH; k++) {
            result->load[k] = (float)((double)result->load[k] / p->dt);
        }
    }
}

void ph_sequential_joints_start(const PhSolverBodies *bodies, const PhStepParameters *parameters) {
    visit_all(bodies, parameters, START);
}

void ph_sequential_joints_solve(const PhSolverBodies *bodies, const PhStepParameters *parameters) {
    visit_all(bodies, parameters, SOLVE);
}

void ph_sequential_joints_finish(const PhSolverBodies *bodies, const PhStepParameters *parameters) {
    visit_all(bodies, parameters, parameters->translate ? FINISH_APART : FINISH);
}

bool ph_sequential_has(PhJointKind kind) {
    return ph_joint_kind(kind)->sequential;
}

int32_t ph_sequential_refuses(PhJointKind kind, const double value[PH_JOINT_VALUES]) {
    bool angle =
        !ph_joint_kind(kind)->distance; // not of a distance, or of a line, which has no limits
    return value[PH_JOINT_HERTZ] > 0                    ? PH_JOINT_HERTZ
           : value[PH_JOINT_MAX_MOTOR] > 0              ? PH_JOINT_MAX_MOTOR
           : value[PH_JOINT_MAX_FORCE] < INFINITY       ? PH_JOINT_MAX_FORCE
           : !isnan(value[PH_JOINT_TUNED_HERTZ])        ? PH_JOINT_TUNED_HERTZ
           : !isnan(value[PH_JOINT_TUNED_ZETA])         ? PH_JOINT_TUNED_ZETA
           : angle && value[PH_JOINT_LOWER] > -INFINITY ? PH_JOINT_LOWER
           : angle && value[PH_JOINT_UPPER] < INFINITY  ? PH_JOINT_UPPER
                                                        : -1;
}

// The solver sequential_impulses: the tutorial's method, in contact order and float64. Short rather
// than fast.
//
// Symbols (D. Sotirov's notebook tutorial; R. Gaul's posts on impulse resolution; E. Catto,
// "Iterative Dynamics with Temporal Coherence", 2005): r_a, r_b from the centres of mass to the
// point, n the normal from a to b, t = (n.y, -n.x);
//   k(u) = 1/m_a + 1/m_b + (r_a x u)^2 / I_a + (r_b x u)^2 / I_b,   j = (-dv . n + bias) / k(n),
//   bias = baumgarte / dt * max(0, depth - slop);  a point still apart may close its gap: bias =
//   -separation / dt.
// With accumulate, the sum of a point's impulses is kept >= 0; without, each single one is. Points
// that meet fast bounce at once with their speed of that moment, which is what passes an impact
// along a row of balls; what a bounce has given is never taken back. Masses are infinite (inverse
// 0) for all but dynamic bodies.
//
// Joints (sequential_joints.c) are rows like contacts, and come before them in each iteration.
//
// While a step runs, records hold the sums: normal_impulse, tangent_impulse, rolling_impulse, and
// in total_normal the part of normal_impulse that bounces have given.
#include "solve/sequential_impulses.h"

// Sweeps over the two points of a contact that bounces; see RESTITUTION_SWEEPS of the lane kernels.
#define BOUNCE_SWEEPS 16

typedef struct Solve {
    const PhContacts *contacts;
    PhContactRecord *records;
    const PhSolverBodies *bodies;
    const PhStepParameters *parameters;
} Solve;

static double clamp(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

static void make_rows(const PhSolverManifold *m, int i, const Motion *a, const Motion *b,
                      ConstraintRow *normal, ConstraintRow *tangent) {
    PhVec2 n = {(double)m->nx, (double)m->ny};
    PhVec2 ra = {(double)m->point[i].x, (double)m->point[i].y};
    PhVec2 rb = {ra.x - (double)m->dx, ra.y - (double)m->dy};
    *normal = make_row(a, b, ra, rb, n);
    *tangent = make_row(a, b, ra, rb, ph_right(n));
}

// Two bodies that are about to meet fast part again at restitution x the speed at which they met:
// all points of the contact together, by sweeps over them, or else a box that lands flat would
// start to spin. What gravity and forces have added in this step does not count as speed, so that a
// fall from height h returns to restitution^2 h.
static void bounce(const Solve *solve, const PhSolverManifold *m, PhContactRecord *record,
                   const ConstraintRow normal[2], const bool valid[2], Motion *a, Motion *b) {
    const PhStepParameters *p = solve->parameters;
    double target[2] = {0, 0}, given[2] = {0, 0};
    for (int i = 0; i < 2 && m->restitution > 0; i++) {
        double vn = valid[i] ? row_velocity(&normal[i], a, b) : 0;
        double approach = vn - p->dt * ph_dot(ph_sub(b->a, a->a), normal[i].u);
        bool arrives = vn < 0 && vn + (double)m->point[i].separation / p->dt < 0;
        if (arrives && approach < -p->restitution_threshold) {
            target[i] = -(double)m->restitution * approach;
        }
    }
    for (int sweep = 0; sweep < BOUNCE_SWEEPS && (target[0] > 0 || target[1] > 0); sweep++) {
        for (int i = 0; i < 2; i++) {
            if (!(target[i] > 0)) {
                continue;
            }
            double j = (target[i] - row_velocity(&normal[i], a, b)) / normal[i].k;
            double sum = ph_max(given[i] + j, 0);
            apply(&normal[i], a, b, sum - given[i]);
            given[i] = sum;
        }
    }
    for (int i = 0; i < 2; i++) {
        if (target[i] > 0) {
            add_to(&record->normal_impulse[i], (double)record->normal_impulse[i] + given[i]);
            record->total_normal[i] = record->normal_impulse[i];
        }
    }
}

static void solve_normal(const Solve *solve, const PhSolverManifold *m, PhContactRecord *record,
                         int i, const ConstraintRow *row, Motion *a, Motion *b) {
    const PhStepParameters *p = solve->parameters;
    double separation = (double)m->point[i].separation;
    double bias = separation > 0 ? -separation / p->dt
                                 : p->baumgarte / p->dt * ph_max(0, -separation - p->slop);
    double j = (bias - row_velocity(row, a, b)) / row->k;
    double sum = (double)record->normal_impulse[i], given = (double)record->total_normal[i];
    double wanted = p->accumulate ? ph_max(sum + j, given) : sum + ph_max(j, 0);
    apply(row, a, b, add_to(&record->normal_impulse[i], wanted));
}

// Coulomb: the friction of a point is at most friction x its normal impulse; without accumulation,
// x that of this visit.
static void solve_friction(const Solve *solve, const PhSolverManifold *m, PhContactRecord *record,
                           int i, double visit, const ConstraintRow *row, Motion *a, Motion *b) {
    double vt = row_velocity(row, a, b) - (double)m->tangent_speed, j = -vt / row->k;
    double sum = (double)record->tangent_impulse[i], limit = (double)m->friction, wanted;
    if (solve->parameters->accumulate) {
        limit *= (double)record->normal_impulse[i];
        wanted = clamp(sum + j, -limit, limit);
    } else {
        limit *= visit;
        wanted = sum + clamp(j, -limit, limit);
    }
    apply(row, a, b, add_to(&record->tangent_impulse[i], wanted));
}

static void solve_rolling(const PhSolverManifold *m, PhContactRecord *record, Motion *a,
                          Motion *b) {
    double inv = a->inv_inertia + b->inv_inertia;
    double limit = (double)m->rolling_radius *
                   ((double)record->normal_impulse[0] + (double)record->normal_impulse[1]);
    if (!(inv > 0) || !(m->rolling_radius > 0)) {
        return;
    }
    double wanted = clamp((double)record->rolling_impulse - (b->w - a->w) / inv, -limit, limit);
    double impulse = add_to(&record->rolling_impulse, wanted);
    a->w -= a->inv_inertia * impulse;
    b->w += b->inv_inertia * impulse;
}

static void solve_contact(const Solve *solve, uint32_t c) {
    const PhSolverManifold *m = &solve->contacts->manifold[solve->contacts->pair[c]];
    PhContactRecord *record = &solve->records[solve->contacts->pair[c]];
    uint32_t slot_a = solve->contacts->body_a[c], slot_b = solve->contacts->body_b[c];
    PhVec2 gravity = solve->parameters->gravity;
    Motion a = get_motion(solve->bodies, gravity, slot_a);
    Motion b = get_motion(solve->bodies, gravity, slot_b);
    ConstraintRow normal[2], tangent[2];
    bool valid[2];
    float before[2] = {record->normal_impulse[0], record->normal_impulse[1]};
    for (int i = 0; i < 2; i++) {
        make_rows(m, i, &a, &b, &normal[i], &tangent[i]);
        valid[i] = ph_has_point(m, i) && normal[i].k > 0 && tangent[i].k > 0;
    }
    bounce(solve, m, record, normal, valid, &a, &b);
    for (int i = 0; i < 2; i++) {
        if (!valid[i]) {
            continue;
        }
        solve_normal(solve, m, record, i, &normal[i], &a, &b);
        double visit = (double)record->normal_impulse[i] - (double)before[i];
        solve_friction(solve, m, record, i, visit, &tangent[i], &a, &b);
    }
    solve_rolling(m, record, &a, &b);
    set_motion(solve->bodies, slot_a, &a);
    set_motion(solve->bodies, slot_b, &b);
}

// Impulses of the last step where the contact is still the same, else zero.
static void warm_start(const Solve *solve, uint32_t c) {
    const PhStepParameters *p = solve->parameters;
    const PhSolverManifold *m = &solve->contacts->manifold[solve->contacts->pair[c]];
    PhContactRecord *record = &solve->records[solve->contacts->pair[c]];
    uint32_t slot_a = solve->contacts->body_a[c], slot_b = solve->contacts->body_b[c];
    PhVec2 gravity = solve->parameters->gravity;
    Motion a = get_motion(solve->bodies, gravity, slot_a);
    Motion b = get_motion(solve->bodies, gravity, slot_b);
    const float last = (float)p->lengthened;
    bool same = p->warm_starting && p->accumulate && !p->translate &&
                record->nx * m->nx + record->ny * m->ny > 0.9f;
    for (int i = 0; i < 2; i++) {
        record->total_normal[i] = record->total_tangent[i] = 0;
        if (!same || !ph_has_point(m, i)) {
            record->normal_impulse[i] = record->tangent_impulse[i] = 0;
            continue;
        }
        ConstraintRow normal, tangent;
        make_rows(m, i, &a, &b, &normal, &tangent);
        record->normal_impulse[i] *= last;
        record->tangent_impulse[i] *= last;
        apply(&normal, &a, &b, (double)record->normal_impulse[i]);
        apply(&tangent, &a, &b, (double)record->tangent_impulse[i]);
    }
    record->rolling_impulse = same && m->rolling_radius > 0 ? last * record->rolling_impulse : 0;
    a.w -= a.inv_inertia * (double)record->rolling_impulse;
    b.w += b.inv_inertia * (double)record->rolling_impulse;
    record->nx = m->nx;
    record->ny = m->ny;
    set_motion(solve->bodies, slot_a, &a);
    set_motion(solve->bodies, slot_b, &b);
}

// Moves the two bodies apart along the normal by `fraction` of the depth beyond `slop`, shared by
// inverse mass.
static void separate(const Solve *solve, uint32_t c, double fraction, double slop) {
    const PhSolverManifold *m = &solve->contacts->manifold[solve->contacts->pair[c]];
    double depth = 0;
    for (int i = 0; i < 2; i++) {
        if (ph_has_point(m, i)) {
            depth = ph_max(depth, -(double)m->point[i].separation);
        }
    }
    uint32_t slot[2] = {solve->contacts->body_a[c], solve->contacts->body_b[c]};
    double inv[2];
    for (int k = 0; k < 2; k++) {
        inv[k] = solve->bodies->role[slot[k]] == PH_ROLE_DYNAMIC
                     ? ph_inv_mass(solve->bodies, slot[k])
                     : 0;
    }
    double sum = inv[0] + inv[1], move = fraction * (depth - slop);
    if (!(move > 0) || !(sum > 0)) {
        return;
    }
    for (int k = 0; k < 2; k++) {
        double share = (k ? move : -move) * inv[k] / sum;
        solve->bodies->center[slot[k]][0] += share * (double)m->nx;
        solve->bodies->center[slot[k]][1] += share * (double)m->ny;
    }
}

static void integrate_velocities(const PhLayout *layout, const Solve *solve) {
    const PhSolverBodies *bodies = solve->bodies;
    const PhStepParameters *all = solve->parameters;
    double dt = all->dt;
    for (uint32_t i = 0; i < bodies->count; i++) {
        if (bodies->role[i] != PH_ROLE_DYNAMIC || !layout->in_contact[i]) {
            continue;
        }
        PhVec2 a = ph_acceleration(bodies, i, solve->parameters->gravity);
        double linear = 1 / (1 + dt * (bodies->linear_damping[i] + all->linear_damping));
        double angular = 1 / (1 + dt * (bodies->angular_damping[i] + all->angular_damping));
        PhVec2 v = {bodies->velocity[i][0], bodies->velocity[i][1]};
        v = ph_scale(linear, ph_mul_add(v, dt, a));
        bodies->velocity[i][0] = v.x;
        bodies->velocity[i][1] = v.y;
        bodies->angular_velocity[i] =
            angular * (bodies->angular_velocity[i] + dt * ph_angular_acceleration(bodies, i));
    }
}

static void integrate_positions(const PhLayout *layout, const Solve *solve) {
    const PhSolverBodies *bodies = solve->bodies;
    double dt = solve->parameters->dt;
    for (uint32_t i = 0; i < bodies->count; i++) {
        if (bodies->role[i] != PH_ROLE_DYNAMIC || !layout->in_contact[i]) {
            continue;
        }
        PhVec2 v = {bodies->velocity[i][0], bodies->velocity[i][1]};
        double spin = bodies->angular_velocity[i];
        double w = ph_clamp_abs(spin, solve->parameters->max_angular_speed);
        bool limited = w != spin;
        v = ph_limit_speed(v, solve->parameters->max_speed, &limited);
        if (limited) {
            bodies->limited[i] = solve->parameters->step_count + 1;
        }
        bodies->velocity[i][0] = v.x;
        bodies->velocity[i][1] = v.y;
        bodies->center[i][0] += dt * v.x;
        bodies->center[i][1] += dt * v.y;
        bodies->angular_velocity[i] = w;
        bodies->angle[i] += dt * w;
    }
}

static void trace_constraints(const Solve *solve, const PhSolveTrace *trace) {
    for (uint32_t c = 0; c < solve->contacts->count; c++) {
        const PhSolverManifold *m = &solve->contacts->manifold[solve->contacts->pair[c]];
        const PhContactRecord *record = &solve->records[solve->contacts->pair[c]];
        PhVec2 gravity = solve->parameters->gravity;
        Motion a = get_motion(solve->bodies, gravity, solve->contacts->body_a[c]);
        Motion b = get_motion(solve->bodies, gravity, solve->contacts->body_b[c]);
        for (int i = 0; i < 2; i++) {
            if (trace->number[c][i] == PH_NULL) {
                continue;
            }
            ConstraintRow normal, tangent;
            PhConstraintRow *row = &trace->constraint[trace->number[c][i]];
            make_rows(m, i, &a, &b, &normal, &tangent);
            row->batch = row->color = -1;
            row->normal_mass = normal.k > 0 ? 1 / normal.k : 0;
            row->tangent_mass = tangent.k > 0 ? 1 / tangent.k : 0;
            row->normal_impulse = (double)record->normal_impulse[i];
            row->tangent_impulse = (double)record->tangent_impulse[i];
        }
    }
}

static void trace_iteration(const PhLayout *layout, const Solve *solve, const PhSolveTrace *trace,
                            int32_t iteration) {
    const PhSolverBodies *bodies = solve->bodies;
    PhSolveFrame now = ph_solve_frame(trace, (uint32_t)iteration);
    for (uint32_t c = 0; c < solve->contacts->count; c++) {
        for (int i = 0; i < 2; i++) {
            const PhContactRecord *record = &solve->records[solve->contacts->pair[c]];
            uint32_t point = trace->number[c][i];
            if (point == PH_NULL) {
                continue;
            }
            now.normal_impulse[point] = (double)record->normal_impulse[i];
            now.tangent_impulse[point] = (double)record->tangent_impulse[i];
        }
    }
    for (uint32_t i = 0; i < bodies->count; i++) {
        if (bodies->role[i] == PH_ROLE_DYNAMIC && layout->in_contact[i]) {
            now.velocity[i][0] = bodies->velocity[i][0];
            now.velocity[i][1] = bodies->velocity[i][1];
            now.angular_velocity[i] = bodies->angular_velocity[i];
        }
    }
}

void ph_sequential_impulses_solve(const PhLayout *layout, const PhContacts *contacts,
                                  const PhPairList *pairs, const PhSolverBodies *bodies,
                                  const PhStepParameters *parameters, PhSolveTrace *trace) {
    Solve solve = {contacts, pairs->record, bodies, parameters};
    integrate_velocities(layout, &solve);
    for (uint32_t c = 0; c < contacts->count; c++) {
        warm_start(&solve, c);
    }
    ph_sequential_joints_start(bodies, parameters);
    if (trace) {
        trace_constraints(&solve, trace);
    }
    for (int32_t k = 0; k < parameters->iterations && !parameters->translate; k++) {
        if (ph_stop_wanted(parameters->stop)) {
            return;
        }
        ph_sequential_joints_solve(bodies, parameters);
        for (uint32_t c = 0; c < contacts->count; c++) {
            solve_contact(&solve, c);
        }
        if (trace) {
            trace_iteration(layout, &solve, trace, k);
        }
    }
    integrate_positions(layout, &solve);
    ph_sequential_joints_finish(bodies, parameters);
    for (uint32_t c = 0; c < contacts->count; c++) {
        if (parameters->translate) { // "the bad way": depths vanish, velocities know nothing of it
            separate(&solve, c, 1, 0);
        } else {
            separate(&solve, c, parameters->positional_correction, parameters->slop);
        }
        uint32_t k = contacts->pair[c], touches = 0;
        PhContactRecord *record = &pairs->record[k];
        for (int i = 0; i < 2; i++) {
            record->total_normal[i] = record->normal_impulse[i];
            record->total_tangent[i] = record->tangent_impulse[i];
            touches |=
                record->total_normal[i] > 0 || contacts->manifold[k].point[i].separation <= 0;
        }
        pairs->flags[k] = (uint8_t)(PH_PAIR_ACTIVE | touches * PH_PAIR_TOUCHING |
                                    (pairs->flags[k] & PH_PAIR_TOUCHED));
    }
}

// Stiff springs of joints that share bodies, solved together: part of articulations_single.c.
//
// Springs that are too fast for a substep are solved by implicit Euler (joint_solve.c). Solved one
// by one, they may disturb each other: the second undoes what the first has settled, and what else
// is held in their tree makes the bodies heavier than each spring knows. So all springs of a group
// are solved by one system, together with what its joints hold. With K = J M^-1 J^T over all bodies
// of the group, and f the impulses,
//     (K + C) f = -(v + b):
// where C and b are 0 for held rows, and for the rows of a spring follow from its equation alone,
//     C = (1 - b1 - b2) / (b1 + b2) S^-1,  b = (a error - b1 g) / (b1 + b2),
// with S the masses at which its stiffness is w^2 S. Then no group gains energy, with any stiffness
// or damping: including the energy of its springs, a substep of implicit Euler only loses. The
// impulses of held rows count as theirs in the biased solve that follows.
//
// What stands on something fixed does not give way either, as a wheel under a load a hundred times
// its mass. So contacts that have pressed in the substep before are held rows too, as long as they
// push. They only tell what the springs give: contacts are solved later.
//
// Source: D. Baraff, A. Witkin, "Large Steps in Cloth Simulation" (1998), on implicit springs.

// Damping below which there is nothing to add to a force that is given first.
#define LEAST_DAMPED 1e-9

#define FIRST_FIELD(member) (offsetof(PhArticulationFields, member) / sizeof(double))

typedef struct GroupRow {
    double a[3], b[3], along[2], couple;
    const PhStiffJoint *joint;
    uint8_t k;
    bool sprung;
} GroupRow;

typedef struct GroupBody {
    uint32_t solver_body;
    double v[3];
} GroupBody;

typedef struct Group {
    uint32_t count, body_count;
    uint32_t joint_rows; // the others are of supports
    uint32_t support[PH_STIFF_ROWS];
    GroupBody bodies[2 * PH_STIFF_ROWS];
    GroupRow rows[PH_STIFF_ROWS];
    double a[PH_STIFF_ROWS][PH_STIFF_ROWS], f[PH_STIFF_ROWS];
} Group;

typedef struct GroupPair {
    PhArticulationWork *work;
    double *fields; // of its lane, a number every `width`
    size_t width;
    ArticulationBody a, b;
} GroupPair;

static PhArticulationWork *stiff_work(const PhJointLayout *own, const PhStiffJoint *joint) {
    return &own->articulation_works[own->joint_packs[joint->pack].first_work + joint->work];
}

// The bodies of a joint as they are.
static void load_pair(const PhJointRun *run, const PhStiffJoint *joint, GroupPair *pair) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    const PhJointPack *pack = &own->joint_packs[joint->pack];
    static const PhArticulationPass pass = {.operation = PH_ARTICULATION_REST};
    pair->work = stiff_work(own, joint);
    const PhJointBody named[2] = {own->bodies[pack->first_body + pair->work->side[0]],
                                  own->bodies[pack->first_body + pair->work->side[1]]};
    const Articulation articulation = {.pass = &pass,
                                       .run = run,
                                       .pack = pack,
                                       .named = named,
                                       .solver_bodies = joint->solver_body};
    pair->fields = ph_articulation_fields(own, pack, joint->work) + joint->lane;
    pair->width = pack->width;
    load_body(&articulation, 0, &pair->a);
    load_body(&articulation, 1, &pair->b);
}

static void copy_fields(const GroupPair *pair, Fields *fields) {
    double *numbers = (double *)(void *)fields;
    for (size_t i = 0; i < sizeof *fields / sizeof *numbers; i++) {
        numbers[i] = pair->fields[i * pair->width];
    }
}

// C of the rows of a place, from the masses along the axes of the world.
static void soften_place(double xx, double xy, double yy, double share, double c[3][3]) {
    double inv = share / (xx * yy - xy * xy);
    c[0][0] = inv * yy;
    c[0][1] = c[1][0] = -inv * xy;
    c[1][1] = inv * xx;
}

// C and b of the rows of one spring; bits of those that are met here.
static uint8_t one_spring(const PhArticulationWork *work, const Fields *fields,
                          const ConstraintRow *rows, const Pose *pose, const double inverse[6],
                          double c[3][3], double b[3]) {
    static const int diagonal[3] = {0, 3, 5};
    const double *s = fields->stiffness, *q = pose->rot_a;
    double share = (1 - fields->velocity) / fields->velocity, off[3], carried[6];
    bool keeps = ph_joint_keeps_stiffness(work->kind), both = work->sprung == 7;
    for (int i = 0; i < 3; i++) {
        off[i] = rows[i].coordinate - fields->rest;
    }
    if (both) {
        carry_stiffness(fields, q, carried, off);
    }
    for (int i = 0; i < 3; i++) {
        b[i] = fields->error / fields->velocity * off[i];
    }
    if (both) { // the inverse of S turns as S does
        double back[6], place[3];
        sym_invert(carried, back);
        turn_stiffness(back, q, place);
        c[0][0] = share * place[0];
        c[0][1] = c[1][0] = share * place[1];
        c[1][1] = share * place[2];
        c[0][2] = c[2][0] = share * (q[0] * back[2] - q[1] * back[4]);
        c[1][2] = c[2][1] = share * (q[1] * back[2] + q[0] * back[4]);
        c[2][2] = share * back[5];
    } else if (work->sprung == 3) {
        double place[3] = {inverse[0], inverse[1], inverse[3]};
        if (keeps) {
            turn_stiffness(s, q, place);
        }
        soften_place(place[0], place[1], place[2], share, c);
    } else {
        int i = has(work->sprung, 0) ? 0 : has(work->sprung, 1) ? 1 : 2;
        c[i][i] = share / (keeps ? s : inverse)[diagonal[i]];
    }
    return work->sprung;
}

// The same of two springs in one joint. One that is not stiff has given its force.
static uint8_t two_springs(const PhJointRun *run, const GroupPair *pair, const Fields *fields,
                           const ConstraintRow *rows, const Pose *pose, const double inverse[6],
                           double c[3][3], double b[3]) {
    const float(*drive)[4] = (const float(*)[4])run->layout->arrays->solver_bodies.drive;
    double place[3], angle = fields->stiffness[5], g[3], pressed[3], drives[2][3];
    uint8_t met = 0;
    turn_stiffness(fields->stiffness, pose->rot_a, place);
    for (int k = 0; k < 3; k++) {
        drives[0][k] = (double)drive[pair->a.solver_body[0]][k];
        drives[1][k] = (double)drive[pair->b.solver_body[0]][k];
    }
    for (int i = 0; i < 3; i++) {
        g[i] = dot3(rows[i].a, drives[0]) + dot3(rows[i].b, drives[1]);
    }
    sym_apply(inverse, g, pressed);
    if (fields->split == 0 && fields->velocity > LEAST_DAMPED) {
        double share = (1 - fields->velocity) / fields->velocity, d[3][3];
        soften_place(place[0], place[1], place[2], 1, d);
        met |= 3;
        for (int i = 0; i < 2; i++) {
            double back = d[i][0] * pressed[0] + d[i][1] * pressed[1];
            double error = fields->error * rows[i].coordinate;
            b[i] = (error - fields->gained * back) / fields->velocity;
            for (int j = 0; j < 2; j++) {
                c[i][j] = share * d[i][j];
            }
        }
    }
    if (fields->turn_split == 0 && fields->turn_velocity > LEAST_DAMPED) {
        double error = fields->turn_error * rows[2].coordinate;
        met |= 4;
        b[2] = (error - fields->turn_gained * pressed[2] / angle) / fields->turn_velocity;
        c[2][2] = (1 - fields->turn_velocity) / (fields->turn_velocity * angle);
    }
    return met;
}

static double between(const PhStiffJoint *one, const PhStiffJoint *other, const GroupRow *x,
                      const GroupRow *y, const GroupPair *pair) {
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        const ArticulationBody *body = i ? &pair->b : &pair->a;
        for (int j = 0; j < 2 && !body->fixed; j++) {
            if (one->solver_body[i] != other->solver_body[j]) {
                continue;
            }
            const double *u = i ? x->b : x->a, *v = j ? y->b : y->a;
            sum += body->inv_mass * (u[0] * v[0] + u[1] * v[1]) + body->inv_inertia * u[2] * v[2];
        }
    }
    return sum;
}

// Adds the rows of a joint that are held, and those of its stiff spring.
static void add_rows(const PhJointRun *run, Group *group, const PhStiffJoint *joint) {
    GroupPair pair;
    Fields fields;
    Pose pose;
    ConstraintRow rows[PH_JOINT_ROWS];
    double k[6], inverse[6], c[3][3] = {{0}}, b[3] = {0};
    load_pair(run, joint, &pair);
    copy_fields(&pair, &fields);
    const PhArticulationWork *work = pair.work;
    pose_of(&fields.place, &pair.a, &pair.b, &pose);
    fill_kind(work->kind, &fields.place.terms, &pose, rows);
    uint8_t met = 0;
    if (work->apart && !has(work->sprung, 2)) { // a place alone
        memset(&rows[2], 0, sizeof rows[2]);
    }
    if (joint->stiff) {
        couple_rows(rows, work->rigid | work->sprung, &pair.a, &pair.b, k);
        sym_invert(k, inverse);
        met = work->apart ? two_springs(run, &pair, &fields, rows, &pose, inverse, c, b)
                          : one_spring(work, &fields, rows, &pose, inverse, c, b);
    }
    uint32_t first = group->count, own[3];
    for (uint8_t i = 0; i < PH_JOINT_ROWS; i++) {
        if (!has(met | work->rigid, i)) {
            continue;
        }
        uint32_t n = group->count++;
        GroupRow *row = &group->rows[n];
        own[n - first] = i;
        memcpy(row->a, rows[i].a, sizeof row->a);
        memcpy(row->b, rows[i].b, sizeof row->b);
        row->joint = joint;
        memcpy(row->along, rows[i].along, sizeof row->along);
        row->couple = rows[i].couple;
        row->k = i;
        row->sprung = has(met, i);
        group->f[n] = -(dot3(row->a, pair.a.v) + dot3(row->b, pair.b.v) + b[i]);
        for (uint32_t m = 0; m <= n; m++) {
            const GroupRow *other = &group->rows[m];
            group->a[n][m] = between(joint, other->joint, row, other, &pair);
            if (m >= first && row->sprung && other->sprung) {
                group->a[n][m] += c[i][own[m - first]];
            }
        }
        if (!row->sprung) {
            group->a[n][n] *= 1 + FINE_EPSILON;
        }
    }
}

// A x = f in place, by L D L^T; rows that others determine get nothing.
static void solve_group(Group *group) {
    double d[PH_STIFF_ROWS];
    uint32_t n = group->count;
    for (uint32_t j = 0; j < n; j++) {
        double *row = group->a[j], own = row[j], sum = own;
        for (uint32_t k = 0; k < j; k++) {
            double part = row[k]; // L D
            for (uint32_t m = 0; m < k; m++) {
                part -= row[m] * group->a[k][m];
            }
            row[k] = part;
        }
        for (uint32_t k = 0; k < j; k++) {
            double part = row[k];
            row[k] = part * d[k];
            sum -= part * row[k];
        }
        d[j] = sum > 1e-14 * own ? 1 / sum : 0;
        for (uint32_t k = 0; k < j; k++) {
            group->f[j] -= row[k] * group->f[k];
        }
    }
    for (uint32_t j = n; j-- > 0;) {
        group->f[j] *= d[j];
        for (uint32_t i = j + 1; i < n; i++) {
            group->f[j] -= group->a[i][j] * group->f[i];
        }
    }
}

static void apply_to_group_body(Group *group, const ArticulationBody *body,
                                const double jacobian[3], double f) {
    uint32_t n = 0;
    if (body->fixed) {
        return;
    }
    while (n < group->body_count && group->bodies[n].solver_body != body->solver_body[0]) {
        n++;
    }
    GroupBody *of = &group->bodies[n];
    if (n == group->body_count) {
        group->body_count++;
        of->solver_body = body->solver_body[0];
        memcpy(of->v, body->v, sizeof of->v);
    }
    apply_to_body(body, jacobian, f, of->v);
}

// The impulses of the rows of a joint, to its bodies and its sums; returns the next row.
static uint32_t give_rows(const PhJointRun *run, Group *group, uint32_t n) {
    const PhStiffJoint *joint = group->rows[n].joint;
    GroupPair pair;
    load_pair(run, joint, &pair);
    for (; n < group->joint_rows && group->rows[n].joint == joint; n++) {
        const GroupRow *row = &group->rows[n];
        const size_t sum = FIRST_FIELD(sum_force), width = pair.width;
        double f = group->f[n];
        if (!(fabs(f) < INFINITY)) {
            continue;
        }
        apply_to_group_body(group, &pair.a, row->a, f);
        apply_to_group_body(group, &pair.b, row->b, f);
        if (!row->sprung) { // the biased solve counts it
            pair.fields[(FIRST_FIELD(held) + row->k) * width] += f;
            continue;
        }
        pair.fields[sum * width] += f * row->along[0];
        pair.fields[(sum + 1) * width] += f * row->along[1];
        pair.fields[(sum + 2) * width] += f * row->couple;
    }
    return n;
}

static bool is_of_group(const Group *group, uint32_t solver_body) {
    for (uint32_t n = 0; n < group->joint_rows; n++) {
        const uint32_t *own = group->rows[n].joint->solver_body;
        if (own[0] == solver_body || own[1] == solver_body) {
            return true;
        }
    }
    return false;
}

// Adds the rows of the contacts that support bodies of the group, as held ones.
static void add_supports(const PhJointRun *run, Group *group, const PhSupport *supports,
                         uint32_t count) {
    const struct PhLayoutArrays *arrays = run->layout->arrays;
    uint32_t own = 0;
    for (uint32_t k = 0; k < count; k++) {
        own += !supports[k].dropped && is_of_group(group, supports[k].joint.solver_body[0]);
    }
    if (group->count + own > PH_STIFF_ROWS) { // some alone would tilt what stands on all
        return;
    }
    for (uint32_t k = 0; k < count; k++) {
        const PhSupport *support = &supports[k];
        uint32_t body = support->joint.solver_body[0], n = group->count;
        if (support->dropped || !is_of_group(group, body)) {
            continue;
        }
        const PhJointMass *mass = &arrays->joints.masses[body];
        const float *v = arrays->solver_bodies.velocity[body];
        const GroupPair pair = {
            .a = {.inv_mass = 1 / mass->mass, .inv_inertia = 1 / mass->inertia},
            .b = {.fixed = true},
        };
        GroupRow *row = &group->rows[group->count++];
        *row = (GroupRow){.joint = &support->joint};
        memcpy(row->a, support->row, sizeof row->a);
        group->support[n - group->joint_rows] = k;
        group->f[n] = support->speed;
        for (int i = 0; i < 3; i++) {
            group->f[n] -= row->a[i] * (double)v[i];
        }
        for (uint32_t m = 0; m <= n; m++) {
            const GroupRow *other = &group->rows[m];
            group->a[n][m] = between(&support->joint, other->joint, row, other, &pair);
        }
        group->a[n][n] *= 1 + FINE_EPSILON;
    }
}

// Drops the supports that pull. Returns whether there was one.
static bool drop_supports(const Group *group, PhSupport *supports) {
    bool any = false;
    for (uint32_t n = group->joint_rows; n < group->count; n++) {
        bool pulls = !(group->f[n] <= 0);
        supports[group->support[n - group->joint_rows]].dropped |= pulls;
        any |= pulls;
    }
    return any;
}

void ph_stiff_rest(const PhJointRun *run, const PhStiffJoint *joints, uint32_t first,
                   PhSupport *supports, uint32_t support_count) {
    Group group;
    do {
        group.count = group.body_count = 0;
        for (uint32_t j = first; j != PH_NULL; j = joints[j].next) {
            add_rows(run, &group, &joints[j]);
        }
        group.joint_rows = group.count;
        add_supports(run, &group, supports, support_count);
        solve_group(&group);
    } while (drop_supports(&group, supports));
    for (uint32_t n = 0; n < group.joint_rows;) {
        n = give_rows(run, &group, n);
    }
    const Articulation articulation = {.run = run};
    for (uint32_t n = 0; n < group.body_count; n++) {
        const ArticulationBody body = {.solver_body = &group.bodies[n].solver_body};
        store_body(&articulation, &body, group.bodies[n].v, wide_all());
    }
}

void ph_stiff_solve(const PhJointRun *run, const PhStiffJoint *joints, uint32_t first) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    for (uint32_t j = first; j != PH_NULL; j = joints[j].next) {
        const PhJointPack *pack = &own->joint_packs[joints[j].pack];
        double *fields = ph_articulation_fields(own, pack, joints[j].work);
        for (size_t k = 0; k < PH_JOINT_ROWS; k++) {
            double *held = &fields[(FIRST_FIELD(held) + k) * pack->width];
            double *impulse = &fields[(FIRST_FIELD(impulse) + k) * pack->width];
            for (uint32_t lane = 0; lane < pack->width; lane++) {
                if (ph_lane_is_of(pack, joints[j].lane, lane)) {
                    impulse[lane] += held[joints[j].lane];
                    held[lane] = lane == joints[j].lane ? held[lane] : 0;
                }
            }
            held[joints[j].lane] = 0;
        }
    }
}

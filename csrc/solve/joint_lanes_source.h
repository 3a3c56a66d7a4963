// Trees of pins in lanes of float64: one source for every width, part of kernels_source.h.
//
// The method is that of joint_tree.c, whose names this keeps, for trees in which every joint is
// revolute and none closes a loop. Several trees of one shape are solved side by side, each by the
// operations that it would see alone: lanes never exchange data, a lane that is done before others
// meets the same numbers again, and a lane that must be solved once more is stored apart.
//
// With T(r) = [1 0 -ry; 0 1 rx; 0 0 1] the Jacobian of the child's side is T(r_c), of the parent's
// -T(r_p): rows are told from the parent to the child, whichever is body a of the joint.

#if PH_LANES == 1
#define PH_WIDE 1
typedef double Wide;
typedef int WideMask; // 1 or 0
#else
#define PH_WIDE (PH_LANES / 2)
typedef double Wide __attribute__((vector_size(8 * PH_WIDE)));
typedef int64_t WideMask __attribute__((vector_size(8 * PH_WIDE))); // all bits or none
#endif

PH_INLINE Wide wide_splat(double x) {
#if PH_WIDE == 1
    return x;
#elif PH_WIDE == 2
    return (Wide){x, x};
#else
    return (Wide){x, x, x, x};
#endif
}
PH_INLINE Wide wide_select(WideMask m, Wide a, Wide b) { // m ? a : b
#if PH_WIDE == 1
    return m ? a : b;
#elif PH_LANES == 8
    return (Wide)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)m);
#else
    return (Wide)((m & (WideMask)a) | (~m & (WideMask)b));
#endif
}
PH_INLINE Wide wide_keep(WideMask m, Wide a) { // m ? a : 0
#if PH_WIDE == 1
    return m ? a : 0;
#else
    return (Wide)(m & (WideMask)a);
#endif
}
PH_INLINE WideMask wide_not(WideMask m) {
#if PH_WIDE == 1
    return !m;
#else
    return ~m;
#endif
}
PH_INLINE uint32_t wide_bits(WideMask m) { // bit l: lane l
#if PH_WIDE == 1
    return (uint32_t)m;
#elif PH_LANES == 8
    return (uint32_t)_mm256_movemask_pd((__m256d)m);
#else
    return (uint32_t)(m[0] & 1) | (uint32_t)(m[1] & 2);
#endif
}
PH_INLINE WideMask wide_mask(uint32_t bits) {
#if PH_WIDE == 1
    return (int)(bits & 1);
#elif PH_WIDE == 2
    return (WideMask){-(int64_t)(bits & 1), -(int64_t)(bits >> 1 & 1)};
#else
    return (WideMask){-(int64_t)(bits & 1), -(int64_t)(bits >> 1 & 1), -(int64_t)(bits >> 2 & 1),
                      -(int64_t)(bits >> 3 & 1)};
#endif
}
PH_INLINE double wide_lane(const Wide *x, uint32_t l) {
    double out;
    memcpy(&out, (const char *)x + l * sizeof out, sizeof out);
    return out;
}
PH_INLINE void wide_set(Wide *x, uint32_t l, double value) {
    memcpy((char *)x + l * sizeof value, &value, sizeof value);
}

// Float quads of PH_WIDE rows.
PH_INLINE void wide_load_quads(float (*const quads)[4], const uint32_t *row, Wide out[4]) {
#if PH_LANES == 8
    __m128 a = _mm_load_ps(quads[row[0]]), b = _mm_load_ps(quads[row[1]]);
    __m128 c = _mm_load_ps(quads[row[2]]), d = _mm_load_ps(quads[row[3]]);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    out[0] = (Wide)_mm256_cvtps_pd(a);
    out[1] = (Wide)_mm256_cvtps_pd(b);
    out[2] = (Wide)_mm256_cvtps_pd(c);
    out[3] = (Wide)_mm256_cvtps_pd(d);
#else
    for (uint32_t l = 0; l < PH_WIDE; l++)
        for (int k = 0; k < 4; k++)
            wide_set(&out[k], l, (double)quads[row[l]][k]);
#endif
}

// Masses and angles of PH_WIDE rows.
PH_INLINE void wide_load_masses(const PhJointMass *masses, const uint32_t *row, Wide out[4]) {
    _Static_assert(offsetof(PhJointMass, inertia) == 3 * sizeof(double), "four in a row");
#if PH_LANES == 8
    __m256d a = _mm256_loadu_pd(&masses[row[0]].mass), b = _mm256_loadu_pd(&masses[row[1]].mass);
    __m256d c = _mm256_loadu_pd(&masses[row[2]].mass), d = _mm256_loadu_pd(&masses[row[3]].mass);
    __m256d ab = _mm256_unpacklo_pd(a, b), cd = _mm256_unpacklo_pd(c, d);
    __m256d ab1 = _mm256_unpackhi_pd(a, b), cd1 = _mm256_unpackhi_pd(c, d);
    out[0] = (Wide)_mm256_permute2f128_pd(ab, cd, 0x20);
    out[1] = (Wide)_mm256_permute2f128_pd(ab1, cd1, 0x20);
    out[2] = (Wide)_mm256_permute2f128_pd(ab, cd, 0x31);
    out[3] = (Wide)_mm256_permute2f128_pd(ab1, cd1, 0x31);
#else
    for (uint32_t l = 0; l < PH_WIDE; l++) {
        const PhJointMass *mass = &masses[row[l]];
        wide_set(&out[0], l, mass->mass);
        wide_set(&out[1], l, mass->inv_mass);
        wide_set(&out[2], l, mass->own);
        wide_set(&out[3], l, mass->inertia);
    }
#endif
}
PH_INLINE Wide wide_load_floats(const float *numbers, const uint32_t *row) {
#if PH_LANES == 8
    return (Wide)_mm256_cvtps_pd(
        _mm_setr_ps(numbers[row[0]], numbers[row[1]], numbers[row[2]], numbers[row[3]]));
#else
    Wide out = wide_splat(0);
    for (uint32_t l = 0; l < PH_WIDE; l++)
        wide_set(&out, l, (double)numbers[row[l]]);
    return out;
#endif
}

// Velocities of rows of some lanes; what changes them is no business of the contacts' warm start.
// What is not a number stays out.
PH_INLINE void wide_change_rows(const PhRows *rows, const uint32_t *row, uint32_t lanes,
                                const Wide next[3]) {
#if PH_LANES == 8
    __m128 to[4] = {_mm256_cvtpd_ps((__m256d)next[0]), _mm256_cvtpd_ps((__m256d)next[1]),
                    _mm256_cvtpd_ps((__m256d)next[2]), _mm_set1_ps(NAN)};
    _MM_TRANSPOSE4_PS(to[0], to[1], to[2], to[3]);
    for (uint32_t l = 0; l < PH_WIDE; l++) {
        if (!(lanes >> l & 1))
            continue;
        __m128 old = _mm_load_ps(rows->velocity[row[l]]);
        __m128 is = _mm_blendv_ps(old, to[l], _mm_cmpord_ps(to[l], to[l]));
        __m128 before = _mm_load_ps(rows->before[row[l]]);
        _mm_store_ps(rows->before[row[l]], _mm_add_ps(before, _mm_sub_ps(is, old)));
        _mm_store_ps(rows->velocity[row[l]], is);
    }
#else
    for (uint32_t l = 0; l < PH_WIDE; l++) {
        float *velocity = rows->velocity[row[l]], *before = rows->before[row[l]];
        for (int k = 0; k < 3 && (lanes >> l & 1); k++) {
            float to = (float)wide_lane(&next[k], l);
            to = to == to ? to : velocity[k];
            before[k] += to - velocity[k];
            velocity[k] = to;
        }
    }
#endif
}

// As joint_lanes.c writes and reads it, field by field.
typedef struct TreeLink {
    Wide arm_c[2], arm_p[2], gap[2], angle; // at the start of the step
    Wide lower, upper, speed, motor;        // of the angle; largest torque
    Wide spring[3], target;                 // factors of error, velocity, what was gained
    Wide impulse[3], force[2], torque;      // of the substep; sums of the step
    Wide pull_c, pull_p;
    Wide state[2]; // PhAxisState, as a number: after the last push, after the last relax
} TreeLink;
_Static_assert(sizeof(TreeLink) == 8 * PH_TREE_FIELDS * PH_WIDE, "fields of joint_lanes.c");

typedef struct TreeWork {
    Wide r_c[2], r_p[2], gap[2], bias[2], low, high, most, stiffness[6], error[3], sum[3], state;
} TreeWork;

typedef struct TreeBody {
    Wide mass, inertia, inv_mass, inv_inertia;
    Wide start[3], v[3], dv[3], sum[3], p[3];
    Wide matrix[6], inverse[6];
    Wide delta[4], turned, gained;
} TreeBody;
_Static_assert(sizeof(TreeWork) + sizeof(TreeBody) == 8 * PH_TREE_SCRATCH * PH_WIDE, "scratch");

typedef struct LaneTree {
    const PhTreePass *pass;
    const PhTreeBlock *block;
    TreeLink *links;
    TreeWork *works;
    TreeBody *bodies;
} LaneTree;

#define PH_TREE_EPSILON 1.00001
#define PH_TREE_ERROR_SHARE 0.2
#define PH_TREE_CURVATURE_SHARE 0.45
#define PH_TREE_SUDDEN 1.5
enum { PH_TREE_TRIES = 4, PH_TREE_ON_STACK = 24 };

PH_INLINE void wide_invert(const Wide m[6], Wide out[6]) {
    Wide xx = m[3] * m[5] - m[4] * m[4];
    Wide xy = m[2] * m[4] - m[1] * m[5];
    Wide xw = m[1] * m[4] - m[2] * m[3];
    Wide inv = wide_splat(1) / (m[0] * xx + m[1] * xy + m[2] * xw);
    out[0] = inv * xx;
    out[1] = inv * xy;
    out[2] = inv * xw;
    out[3] = inv * (m[0] * m[5] - m[2] * m[2]);
    out[4] = inv * (m[1] * m[2] - m[0] * m[4]);
    out[5] = inv * (m[0] * m[3] - m[1] * m[1]);
}

PH_INLINE void wide_apply(const Wide m[6], const Wide v[3], Wide out[3]) {
    Wide x = v[0], y = v[1], w = v[2];
    out[0] = m[0] * x + m[1] * y + m[2] * w;
    out[1] = m[1] * x + m[3] * y + m[4] * w;
    out[2] = m[2] * x + m[4] * y + m[5] * w;
}

static void tree_load_bodies(const LaneTree *tree) {
    const PhTreePass *pass = tree->pass;
    const PhRows *rows = &pass->rows;
    const Wide one = wide_splat(1);
    for (uint32_t i = 0; i < tree->block->body_count; i++) {
        TreeBody *body = &tree->bodies[i];
        const uint32_t *row = tree->block->rows + (size_t)i * PH_WIDE;
        Wide zero = wide_splat(0), velocity[4], drive[4] = {zero, zero, zero, zero};
        wide_load_quads(rows->velocity, row, velocity);
        wide_load_quads(rows->delta, row, body->delta);
        bool wants_drive = tree->block->sprung || pass->shift != 0;
        if (wants_drive)
            wide_load_quads(rows->drive, row, drive);
        Wide masses[4];
        wide_load_masses(pass->masses, row, masses);
        body->turned = wide_load_floats(rows->turned, row);
        body->mass = masses[0];
        body->inv_mass = masses[1];
        body->inertia = masses[3];
        if (tree->block->fixed[i])
            body->inv_inertia = wide_splat(0);
        else
            body->inv_inertia = one / body->inertia;
        body->gained = wants_drive ? drive[2] : wide_splat(0);
        for (int k = 0; k < 3; k++) {
            body->start[k] = velocity[k];
            if (pass->shift != 0)
                body->start[k] =
                    tree->block->fixed[i] ? wide_splat(0) : wide_splat(pass->shift) * drive[k];
        }
    }
}

// Arms and gaps as they are now.
static void tree_place_links(const LaneTree *tree) {
    for (uint32_t i = 0; i < tree->block->link_count; i++) {
        const TreeLink *link = &tree->links[i];
        TreeWork *work = &tree->works[i];
        const Wide *dc = tree->bodies[tree->block->links[i].child].delta;
        const Wide *dp = tree->bodies[tree->block->links[i].parent].delta;
        const Wide one = wide_splat(1);
        Wide cc = one + dc[2], cp = one + dp[2];
        work->r_c[0] = cc * link->arm_c[0] - dc[3] * link->arm_c[1];
        work->r_c[1] = dc[3] * link->arm_c[0] + cc * link->arm_c[1];
        work->r_p[0] = cp * link->arm_p[0] - dp[3] * link->arm_p[1];
        work->r_p[1] = dp[3] * link->arm_p[0] + cp * link->arm_p[1];
        for (int k = 0; k < 2; k++)
            work->gap[k] = link->gap[k] + (dc[k] - dp[k]) +
                           ((work->r_c[k] - link->arm_c[k]) - (work->r_p[k] - link->arm_p[k]));
    }
}

PH_INLINE Wide tree_angle(const LaneTree *tree, uint32_t i) {
    const PhJointLink *link = &tree->block->links[i];
    return tree->links[i].angle +
           (tree->bodies[link->child].turned - tree->bodies[link->parent].turned);
}

// One impulse of each spring, see joint_solve.c.
static void tree_push_springs(const LaneTree *tree) {
    for (uint32_t i = 0; i < tree->block->link_count; i++) {
        TreeLink *link = &tree->links[i];
        const TreeWork *work = &tree->works[i];
        TreeBody *c = &tree->bodies[tree->block->links[i].child];
        TreeBody *p = &tree->bodies[tree->block->links[i].parent];
        if (!(tree->block->flags[i] & PH_TREE_SPRUNG))
            continue;
        Wide m = c->inv_mass + p->inv_mass, ic = c->inv_inertia, ip = p->inv_inertia;
        Wide xc = work->r_c[0], yc = work->r_c[1], xp = work->r_p[0], yp = work->r_p[1];
        Wide k00 = m + ic * yc * yc + ip * yp * yp, k11 = m + ic * xc * xc + ip * xp * xp;
        Wide k01 = -(ic * xc * yc + ip * xp * yp), k02 = -(ic * yc + ip * yp);
        Wide k12 = ic * xc + ip * xp, k22 = ic + ip, two = k00 * k11 - k01 * k01;
        Wide det = two * k22 + k02 * (k01 * k12 - k02 * k11) - k12 * (k00 * k12 - k01 * k02);
        Wide asked = link->spring[1] * (c->start[2] - p->start[2]) +
                     link->spring[0] * (tree_angle(tree, i) - link->target) -
                     link->spring[2] * (c->gained - p->gained);
        Wide impulse = -(two / det) * asked;
        link->torque += impulse;
        c->start[2] += ic * impulse;
        p->start[2] -= ip * impulse;
    }
}

PH_INLINE WideMask is_state(Wide state, PhAxisState which) {
    return state == wide_splat((double)which);
}

// What each row lacks: biases of the points, limits and motor of the angle, and a state that it can
// have.
static void tree_fill_rows(const LaneTree *tree) {
    const PhTreePass *pass = tree->pass;
    const Wide zero = wide_splat(0), inv_h = wide_splat(1 / pass->h);
    const Wide back = wide_splat(pass->push ? PH_TREE_ERROR_SHARE / pass->h : 0);
    const Wide curve = wide_splat(pass->push ? PH_TREE_CURVATURE_SHARE * pass->h : 0);
    const Wide least = wide_splat(-INFINITY), largest = wide_splat(INFINITY);
    for (uint32_t i = 0; i < tree->block->link_count; i++) {
        TreeLink *link = &tree->links[i];
        TreeWork *work = &tree->works[i];
        const TreeBody *c = &tree->bodies[tree->block->links[i].child];
        const TreeBody *p = &tree->bodies[tree->block->links[i].parent];
        Wide wc = c->start[2] * c->start[2], wp = p->start[2] * p->start[2];
        for (int k = 0; k < 2; k++) {
            work->bias[k] = back * work->gap[k] + curve * (wp * work->r_p[k] - wc * work->r_c[k]);
            if (!pass->push)
                work->bias[k] = zero;
        }
        if (!(tree->block->flags[i] & PH_TREE_AXIS))
            continue;
        Wide angle = tree_angle(tree, i), below = link->lower - angle, above = link->upper - angle;
        work->low = wide_select(below > zero, back, inv_h) * below;
        work->high = wide_select(above < zero, back, inv_h) * above;
        work->most = wide_splat(pass->h) * link->motor;
        Wide state = link->state[!pass->push];
        WideMask motor = work->most > zero;
        WideMask can = (is_state(state, PH_AXIS_LOW) & (work->low > least)) |
                       (is_state(state, PH_AXIS_HIGH) & (work->high < largest)) |
                       (is_state(state, PH_AXIS_DRIVEN) & motor) |
                       (is_state(state, PH_AXIS_PUSHED) & (work->most < largest)) |
                       (is_state(state, PH_AXIS_PULLED) & motor & (work->most < largest));
        Wide other = wide_select(motor, wide_splat(PH_AXIS_DRIVEN), wide_splat(PH_AXIS_PUSHED));
        work->state = wide_select(can, state, other);
    }
}

// Not held: a motor at its bound, or nothing, gives its impulse.
PH_INLINE WideMask is_free(Wide state) {
    return is_state(state, PH_AXIS_PUSHED) | is_state(state, PH_AXIS_PULLED);
}

static void tree_give_impulses(const LaneTree *tree) {
    const Wide zero = wide_splat(0);
    for (uint32_t i = 0; i < tree->block->body_count; i++) {
        TreeBody *body = &tree->bodies[i];
        for (int k = 0; k < 3; k++) {
            body->v[k] = body->start[k];
            body->sum[k] = body->dv[k] = body->p[k] = zero;
        }
        for (int k = 0; k < 6; k++)
            body->matrix[k] = zero;
        body->matrix[0] = body->matrix[3] = body->mass;
        body->matrix[5] = body->inertia;
    }
    for (uint32_t i = 0; i < tree->block->link_count; i++) {
        TreeWork *work = &tree->works[i];
        TreeBody *c = &tree->bodies[tree->block->links[i].child];
        TreeBody *p = &tree->bodies[tree->block->links[i].parent];
        work->sum[0] = work->sum[1] = work->sum[2] = zero;
        if (!(tree->block->flags[i] & PH_TREE_AXIS) || tree->pass->shift != 0)
            continue;
        Wide most = wide_select(is_state(work->state, PH_AXIS_PULLED), -work->most, work->most);
        Wide given = wide_keep(is_free(work->state), most - tree->links[i].impulse[2]);
        work->sum[2] = given;
        c->v[2] += c->inv_inertia * given;
        p->v[2] -= p->inv_inertia * given;
    }
}

// S of the rows that are held, K = T W T^T inverted.
PH_INLINE void tree_factor_link(const LaneTree *tree, uint32_t i) {
    const TreeBody *c = &tree->bodies[tree->block->links[i].child];
    TreeWork *work = &tree->works[i];
    const Wide *w = c->inverse, x = work->r_c[0], y = work->r_c[1];
    const Wide zero = wide_splat(0), one = wide_splat(1), more = wide_splat(PH_TREE_EPSILON);
    Wide k02 = w[2] - y * w[5], k12 = w[4] + x * w[5];
    Wide k00 = more * (w[0] - y * w[2] - y * k02), k01 = w[1] + x * w[2] - y * k12;
    Wide k11 = more * (w[3] + x * w[4] + x * k12);
    if (!(tree->block->flags[i] & PH_TREE_AXIS)) {
        Wide inv = one / (k00 * k11 - k01 * k01);
        work->stiffness[0] = inv * k11;
        work->stiffness[1] = -(inv * k01);
        work->stiffness[3] = inv * k00;
        work->stiffness[2] = work->stiffness[4] = work->stiffness[5] = zero;
        return;
    }
    WideMask held = wide_not(is_free(work->state));
    Wide m[6] = {k00,
                 k01,
                 wide_keep(held, k02),
                 k11,
                 wide_keep(held, k12),
                 wide_select(held, more * w[5], one)};
    wide_invert(m, work->stiffness);
    work->stiffness[5] = wide_keep(held, work->stiffness[5]);
}

// From the leaves to the root: inertias with all that hangs on a body, and what it is pushed by.
static void tree_sweep_up(const LaneTree *tree) {
    const PhTreeBlock *block = tree->block;
    const Wide zero = wide_splat(0);
    for (uint32_t i = block->link_count; i-- > 0;) {
        TreeWork *work = &tree->works[i];
        TreeBody *c = &tree->bodies[block->links[i].child];
        TreeBody *p = &tree->bodies[block->links[i].parent];
        if (block->flags[i] & PH_TREE_LEAF) {
            c->inverse[0] = c->inverse[3] = c->inv_mass;
            c->inverse[1] = c->inverse[2] = c->inverse[4] = zero;
            c->inverse[5] = c->inv_inertia;
        } else {
            wide_invert(c->matrix, c->inverse);
        }
        tree_factor_link(tree, i);
        Wide u[3], pushed[3];
        wide_apply(c->inverse, c->p, u);
        for (int k = 0; k < 3; k++)
            u[k] += c->v[k];
        Wide xc = work->r_c[0], yc = work->r_c[1], xp = work->r_p[0], yp = work->r_p[1];
        work->error[0] = (u[0] - yc * u[2]) - (p->v[0] - yp * p->v[2]) + work->bias[0];
        work->error[1] = (u[1] + xc * u[2]) - (p->v[1] + xp * p->v[2]) + work->bias[1];
        work->error[2] = zero;
        if (block->flags[i] & PH_TREE_AXIS) {
            Wide at = wide_select(
                is_state(work->state, PH_AXIS_LOW), work->low,
                wide_select(is_state(work->state, PH_AXIS_HIGH), work->high, tree->links[i].speed));
            if (tree->pass->shift != 0)
                at = zero;
            work->error[2] = wide_keep(wide_not(is_free(work->state)), (u[2] - p->v[2]) - at);
        }
        if (block->fixed[block->links[i].parent])
            continue;
        const Wide *s = work->stiffness;
        wide_apply(s, work->error, pushed);
        p->p[0] += pushed[0];
        p->p[1] += pushed[1];
        p->p[2] += xp * pushed[1] - yp * pushed[0] + pushed[2];
        Wide a0 = s[1] * xp - s[0] * yp + s[2], a1 = s[3] * xp - s[1] * yp + s[4];
        Wide a2 = s[4] * xp - s[2] * yp + s[5];
        p->matrix[0] += s[0];
        p->matrix[1] += s[1];
        p->matrix[2] += a0;
        p->matrix[3] += s[3];
        p->matrix[4] += a1;
        p->matrix[5] += xp * a1 - yp * a0 + a2;
    }
}

// Back from the root: impulses and what they change.
static void tree_sweep_down(const LaneTree *tree) {
    const PhTreeBlock *block = tree->block;
    if (block->root != PH_NULL) {
        TreeBody *root = &tree->bodies[block->root];
        wide_invert(root->matrix, root->inverse);
        wide_apply(root->inverse, root->p, root->dv);
        for (int k = 0; k < 3; k++)
            root->sum[k] = root->dv[k];
    }
    for (uint32_t i = 0; i < block->link_count; i++) {
        TreeWork *work = &tree->works[i];
        TreeBody *c = &tree->bodies[block->links[i].child];
        const TreeBody *p = &tree->bodies[block->links[i].parent];
        Wide xc = work->r_c[0], yc = work->r_c[1], xp = work->r_p[0], yp = work->r_p[1];
        Wide lacking[3] = {work->error[0] - (p->dv[0] - yp * p->dv[2]),
                           work->error[1] - (p->dv[1] + xp * p->dv[2]), work->error[2] - p->dv[2]};
        Wide less[3];
        wide_apply(work->stiffness, lacking, less);
        for (int k = 0; k < 3; k++)
            work->sum[k] -= less[k];
        c->p[0] -= less[0];
        c->p[1] -= less[1];
        c->p[2] -= xc * less[1] - yc * less[0] + less[2];
        wide_apply(c->inverse, c->p, c->dv);
        for (int k = 0; k < 3; k++)
            c->sum[k] = c->dv[k];
    }
}

// Where on its staircase each angle is (joint_tree.c). Returns whether any is elsewhere than
// guessed.
static bool tree_move_all(const LaneTree *tree) {
    const Wide zero = wide_splat(0), infinite = wide_splat(INFINITY);
    const Wide pushed = wide_splat(PH_AXIS_PUSHED), pulled = wide_splat(PH_AXIS_PULLED);
    const Wide driven = wide_splat(PH_AXIS_DRIVEN);
    const Wide at_low = wide_splat(PH_AXIS_LOW), at_high = wide_splat(PH_AXIS_HIGH);
    uint32_t changed = 0;
    for (uint32_t i = 0; i < tree->block->link_count; i++) {
        if (!(tree->block->flags[i] & PH_TREE_AXIS))
            continue;
        TreeWork *work = &tree->works[i];
        const TreeBody *c = &tree->bodies[tree->block->links[i].child];
        const TreeBody *p = &tree->bodies[tree->block->links[i].parent];
        Wide u = (c->v[2] + c->sum[2]) - (p->v[2] + p->sum[2]);
        Wide impulse = tree->links[i].impulse[2] + work->sum[2], was = work->state;
        Wide low = work->low, high = work->high, s = tree->links[i].speed, m = work->most;
        WideMask motor = m > zero, bounded = m < infinite;
        Wide up = wide_select(bounded, pushed, driven);
        Wide down = wide_select(motor, wide_select(bounded, pulled, driven), pushed);
        WideMask low_first = low<s, high_first = high> s;
        Wide from_low = wide_select(impulse < wide_select(motor & low_first, m, -m),
                                    wide_select(low_first, up, down), at_low);
        Wide from_high = wide_select(impulse > wide_select(motor & high_first, -m, m),
                                     wide_select(high_first, down, up), at_high);
        Wide from_driven = wide_select(
            s < low, at_low,
            wide_select(s > high, at_high,
                        wide_select(impulse > m, pushed, wide_select(impulse < -m, pulled, was))));
        WideMask is_up = is_state(was, PH_AXIS_PUSHED);
        WideMask beyond = motor & ((is_up & (u > s)) | (wide_not(is_up) & (u < s)));
        Wide from_free = wide_select(
            u < low, at_low, wide_select(u > high, at_high, wide_select(beyond, driven, was)));
        Wide now = wide_select(
            is_state(was, PH_AXIS_LOW), from_low,
            wide_select(is_state(was, PH_AXIS_HIGH), from_high,
                        wide_select(is_state(was, PH_AXIS_DRIVEN), from_driven, from_free)));
        changed |= wide_bits(now != was);
        work->state = now;
    }
    return changed != 0;
}

static void tree_solve(const LaneTree *tree) {
    for (int tries = 0; tries < PH_TREE_TRIES; tries++) {
        tree_give_impulses(tree);
        tree_sweep_up(tree);
        tree_sweep_down(tree);
        if (tree->pass->shift != 0 || !tree->block->axes || !tree_move_all(tree))
            break;
    }
}

// Raises inertias against sudden pulls; the lanes of trees where it did.
static uint32_t tree_brace(const LaneTree *tree) {
    const PhTreeBlock *block = tree->block;
    const Wide zero = wide_splat(0), sudden = wide_splat(PH_TREE_SUDDEN);
    uint32_t any = 0;
    for (uint32_t i = 0; i < block->body_count; i++)
        tree->bodies[i].p[0] = zero;
    for (uint32_t i = 0; i < block->link_count; i++) {
        const TreeWork *work = &tree->works[i];
        Wide x = tree->links[i].impulse[0] + work->sum[0];
        Wide y = tree->links[i].impulse[1] + work->sum[1];
        tree->bodies[block->links[i].child].p[0] += work->r_c[0] * x + work->r_c[1] * y;
        tree->bodies[block->links[i].parent].p[0] -= work->r_p[0] * x + work->r_p[1] * y;
    }
    for (uint32_t i = 0; i < block->body_count; i++) {
        TreeBody *body = &tree->bodies[i];
        Wide wanted = wide_splat(tree->pass->h) * body->p[0];
        WideMask more = wanted > sudden * body->inertia;
        uint32_t bits = block->fixed[i] ? 0 : wide_bits(more);
        if (!bits)
            continue;
        any |= bits;
        body->start[2] *= wide_select(more, body->inertia / wanted, wide_splat(1));
        body->inertia = wide_select(more, wanted, body->inertia);
        body->inv_inertia = wide_splat(1) / body->inertia;
    }
    return any;
}

// Bodies and links of some lanes.
static void tree_store(const LaneTree *tree, uint32_t lanes, bool braced) {
    const PhTreePass *pass = tree->pass;
    const PhTreeBlock *block = tree->block;
    const PhRows *rows = &pass->rows;
    WideMask mask = wide_mask(lanes);
    for (uint32_t i = 0; i < block->body_count; i++) {
        const TreeBody *body = &tree->bodies[i];
        Wide next[3];
        if (block->fixed[i])
            continue;
        for (int k = 0; k < 3; k++) {
            Wide most = wide_splat(k < 2 ? pass->most_speed : pass->most_spin);
            next[k] = body->v[k] + body->sum[k];
            if (pass->shift == 0)
                next[k] =
                    wide_select(next[k] > most, most, wide_select(next[k] < -most, -most, next[k]));
        }
        const uint32_t *row = block->rows + (size_t)i * PH_WIDE;
        if (pass->shift == 0)
            wide_change_rows(rows, row, lanes, next);
        for (uint32_t l = 0; (braced || pass->shift != 0) && l < PH_WIDE; l++) {
            if (!(lanes >> l & 1))
                continue;
            for (int k = 0; k < 3 && pass->shift != 0; k++)
                rows->velocity[row[l]][k] += (float)wide_lane(&next[k], l);
            if (!braced)
                continue;
            pass->masses[row[l]].inertia = wide_lane(&body->inertia, l);
            pass->masses[row[l]].inv_inertia = wide_lane(&body->inv_inertia, l);
        }
    }
    for (uint32_t i = 0; i < block->link_count && pass->shift == 0; i++) {
        TreeLink *link = &tree->links[i];
        const TreeWork *work = &tree->works[i];
        for (int k = 0; k < 3; k++)
            link->impulse[k] += wide_keep(mask, work->sum[k]);
        if (block->flags[i] & PH_TREE_AXIS)
            link->state[!pass->push] = wide_select(mask, work->state, link->state[!pass->push]);
        if (pass->push)
            continue;
        Wide x = link->impulse[0], y = link->impulse[1];
        link->force[0] += wide_keep(mask, x);
        link->force[1] += wide_keep(mask, y);
        link->torque += wide_keep(mask, link->impulse[2]);
        link->pull_c = work->r_c[0] * x + work->r_c[1] * y;
        link->pull_p = -(work->r_p[0] * x + work->r_p[1] * y);
    }
}

static void tree_pass(const PhTreePass *pass, const PhTreeBlock *block) {
    TreeWork works[PH_TREE_ON_STACK];
    TreeBody bodies[PH_TREE_ON_STACK];
    bool fits = block->body_count <= PH_TREE_ON_STACK;
    LaneTree tree = {pass, block, (TreeLink *)(void *)block->data, works, bodies};
    if (!fits) {
        tree.works = (TreeWork *)(void *)block->scratch;
        tree.bodies = (TreeBody *)(tree.works + block->body_count);
    }
    const uint32_t all = (1u << block->count) - 1;
    tree_load_bodies(&tree);
    tree_place_links(&tree);
    for (uint32_t i = 0; pass->push && i < block->link_count; i++)
        for (int k = 0; k < 3; k++)
            tree.links[i].impulse[k] = wide_splat(0);
    if (pass->push && block->sprung)
        tree_push_springs(&tree);
    tree_fill_rows(&tree);
    tree_solve(&tree);
    uint32_t braced = pass->push ? tree_brace(&tree) & all : 0;
    if (braced != all)
        tree_store(&tree, all & ~braced, false);
    if (braced) {
        tree_solve(&tree);
        tree_store(&tree, braced, true);
    }
}

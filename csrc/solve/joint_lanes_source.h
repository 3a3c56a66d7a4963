// Trees of pins in lanes: one source for every width, part of kernels_source.h.
//
// The method is that of joint_tree.c for trees in which every joint is revolute and none closes a
// loop; then no matrix needs to be inverted. What a body and all that hangs on it does when the
// point c at which it hangs is given the velocity a, and the body the spin w, is the least of
//     1/2 a^T A a + w b^T a + 1/2 C w^2 - f^T a - y w
// (velocities are those that the pass adds). Of the body alone, with m and I, r the arm from its
// centre to c and q = (r_y, -r_x): A = m, b = m q, C = I + m r^2. w is free, so w = (y - b^T a) / C,
// and what remains is 1/2 a^T S a - s^T a with
//     S = A - b b^T / C,  s = f - b y / C.
// The point moves with its parent, which hangs at a distance d, t = (-d_y, d_x), but for what the
// joint lacks: a = a_p + w_p t - e. So the parent gets S, S t, t^T S t to its A, b, C, and
// F = s + S e, t^T F to its f, y. That is done from the leaves on; back from the root a and w
// follow, and the impulse on the child is S a - s. Where a limit or a motor holds the angle,
// w = w_p - e_w, and A, b, C, f, y go to the parent as they are.
//
// Masses are in units of a power of two near the heaviest of the tree. Rounding S leaves an error
// of its larger part in the smaller one; a little more than that is added, so that it stays
// positive at any ratio.
//
// A tree that is alone, in an island without contacts and other joints, stays here for all of its
// substeps. Any other one is called for each pass and reads and writes its rows. A few trees of
// one shape, or a single one, go through the kernels of width 1: each lane sees the operations that
// it would see alone, in the same order; lanes never exchange data, a lane that is done before
// others meets the same numbers again, and results of a lane that must be solved once more are kept
// apart.
//
// Source: R. Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapter 7, on impulses.

// As joint_lanes.c writes and reads it, field by field.
typedef struct TreeBody {
    Lanes mass, inertia, own; // own: of the body alone
    Lanes v[3], delta[4], turned;
    Lanes drive[3], damping[3];
    Lanes note; // sum of pulls
    // Of the joint that it hangs on: at the start of the step; of the substep, of the step.
    Lanes arm_c[2], arm_p[2], gap[2], impulse[2], force[2];
    // Of a pass; A, b, C and f, y become S, b / C and s, y / C.
    Lanes r[2], t[2], e[2], h[6], g[3], d[3], l[2];
} TreeBody;
_Static_assert(sizeof(TreeBody) == 4 * PH_TREE_BODY_FIELDS * PH_LANES, "fields of joint_lanes.c");

// The angle of that joint, in blocks where one has limits, a motor or a spring.
typedef struct TreeAngle {
    Lanes lower, upper, target; // less the angle at the start of the step; the angle less that
    Lanes speed, motor;         // largest torque
    Lanes spring[3];            // factors of error, velocity, what was gained
    Lanes impulse, torque;
    Lanes state[2]; // PhAxisState, as a number: after the last push, after the last relax
    Lanes low, high, most, now, sum, e, b[2], c, y;
} TreeAngle;
_Static_assert(sizeof(TreeAngle) == 4 * PH_TREE_ANGLE_FIELDS * PH_LANES, "fields of joint_lanes.c");

typedef struct LaneTree {
    const PhTreePass *pass;
    const PhTreeBlock *block;
    TreeBody *bodies;
    TreeAngle *angles; // NULL: none has one
} LaneTree;

#define PH_TREE_MORE 3e-7f
#define PH_TREE_ERROR_SHARE 0.2f
#define PH_TREE_CURVATURE_SHARE 0.45f
#define PH_TREE_SUDDEN 1.5f
enum { PH_TREE_TRIES = 4 };

PH_INLINE LaneTree tree_of(const PhTreePass *pass, const PhTreeBlock *block) {
    LaneTree tree = {pass, block, (TreeBody *)(void *)block->data, NULL};
    if (block->axes || block->sprung)
        tree.angles = (TreeAngle *)(void *)(tree.bodies + block->body_count);
    return tree;
}

PH_INLINE Mask is_state(Lanes state, PhAxisState which) {
    Lanes other = lanes_splat((float)which);
    return lanes_at_most(state, other) & lanes_at_most(other, state);
}

// Not held: a motor at its bound, or nothing, gives its impulse.
PH_INLINE Mask is_free(Lanes state) {
    return is_state(state, PH_AXIS_PUSHED) | is_state(state, PH_AXIS_PULLED);
}

// ------------------------------------------------------------------------------------------------
// rows of a pass

// The arm as it is now, and that of the parent's side from where the parent hangs.
PH_INLINE void place_body(TreeBody *c, const TreeBody *p, Lanes gap[2]) {
    const Lanes *dc = c->delta, *dp = p->delta;
    Lanes mx = dc[2] * c->arm_c[0] - dc[3] * c->arm_c[1];
    Lanes my = dc[3] * c->arm_c[0] + dc[2] * c->arm_c[1];
    Lanes nx = dp[2] * c->arm_p[0] - dp[3] * c->arm_p[1];
    Lanes ny = dp[3] * c->arm_p[0] + dp[2] * c->arm_p[1];
    gap[0] = c->gap[0] + ((dc[0] - dp[0]) + (mx - nx));
    gap[1] = c->gap[1] + ((dc[1] - dp[1]) + (my - ny));
    c->r[0] = c->arm_c[0] + mx;
    c->r[1] = c->arm_c[1] + my;
    c->t[0] = p->r[1] - (c->arm_p[1] + ny);
    c->t[1] = (c->arm_p[0] + nx) - p->r[0];
}

// The arm on the parent's side, from its centre.
PH_INLINE void arm_of_parent(const TreeBody *c, const TreeBody *p, Lanes r[2]) {
    r[0] = p->r[0] + c->t[1];
    r[1] = p->r[1] - c->t[0];
}

// What the joint lacks with the velocities vc and vp.
PH_INLINE void miss_velocity(TreeBody *c, const Lanes r[2], const Lanes vc[3], const Lanes vp[3]) {
    c->e[0] = (vc[0] - vc[2] * c->r[1]) - (vp[0] - vp[2] * r[1]);
    c->e[1] = (vc[1] + vc[2] * c->r[0]) - (vp[1] + vp[2] * r[0]);
}

// The bias of a push.
PH_INLINE void miss_place(const PhTreePass *pass, TreeBody *c, const TreeBody *p, const Lanes r[2],
                          const Lanes gap[2]) {
    const Lanes back = lanes_splat(PH_TREE_ERROR_SHARE * pass->inv_h);
    const Lanes curve = lanes_splat(PH_TREE_CURVATURE_SHARE * pass->h);
    Lanes wc = c->v[2] * c->v[2], wp = p->v[2] * p->v[2];
    for (int k = 0; k < 2; k++)
        c->e[k] += back * gap[k] + curve * (wp * r[k] - wc * c->r[k]);
}

// Its inertia about the point where it hangs; nothing pushes it.
PH_INLINE void weigh_body(TreeBody *c) {
    const Lanes zero = lanes_splat(0);
    Lanes x = c->r[0], y = c->r[1], m = c->mass;
    c->h[0] = c->h[2] = m;
    c->h[1] = c->g[0] = c->g[1] = c->g[2] = zero;
    c->h[3] = m * y;
    c->h[4] = -(m * x);
    c->h[5] = c->inertia + m * (x * x + y * y);
}

// Bodies that hang on none have their centre for that point.
PH_INLINE void fill_body(const LaneTree *tree, uint32_t i, bool push) {
    uint32_t parent = tree->block->parent[i];
    TreeBody *c = &tree->bodies[i];
    if (parent != PH_NULL) {
        const TreeBody *p = &tree->bodies[parent];
        Lanes gap[2], r[2];
        place_body(c, p, gap);
        arm_of_parent(c, p, r);
        miss_velocity(c, r, c->v, p->v);
        if (push)
            miss_place(tree->pass, c, p, r, gap);
    }
    weigh_body(c);
}

// Limits and motors, and a state that each angle can have.
static void fill_angles(const LaneTree *tree, bool push) {
    const PhTreePass *pass = tree->pass;
    const Lanes zero = lanes_splat(0), inv_h = lanes_splat(pass->inv_h);
    const Lanes back = lanes_splat(push ? PH_TREE_ERROR_SHARE * pass->inv_h : 0);
    const Lanes least = lanes_splat(-INFINITY), largest = lanes_splat(INFINITY);
    for (uint32_t i = 0; i < tree->block->body_count; i++) {
        TreeAngle *angle = &tree->angles[i];
        if (!(tree->block->flags[i] & PH_TREE_AXIS))
            continue;
        const TreeBody *c = &tree->bodies[i], *p = &tree->bodies[tree->block->parent[i]];
        Lanes turned = c->turned - p->turned;
        if (push)
            angle->impulse = zero;
        Lanes below = angle->lower - turned, above = angle->upper - turned;
        angle->low = lanes_select(lanes_less(zero, below), back, inv_h) * below;
        angle->high = lanes_select(lanes_less(above, zero), back, inv_h) * above;
        // 0 of no limit within it would be no number.
        angle->low = lanes_select(lanes_less(least, below), angle->low, least);
        angle->high = lanes_select(lanes_less(above, largest), angle->high, largest);
        angle->most = lanes_splat(pass->h) * angle->motor;
        Lanes state = angle->state[!push];
        Mask motor = lanes_less(zero, angle->most), bounded = lanes_less(angle->most, largest);
        Mask can = (is_state(state, PH_AXIS_LOW) & lanes_less(least, angle->low)) |
                   (is_state(state, PH_AXIS_HIGH) & lanes_less(angle->high, largest)) |
                   (is_state(state, PH_AXIS_DRIVEN) & motor) |
                   (is_state(state, PH_AXIS_PUSHED) & bounded) |
                   (is_state(state, PH_AXIS_PULLED) & motor & bounded);
        Lanes other = lanes_select(motor, lanes_splat(PH_AXIS_DRIVEN), lanes_splat(PH_AXIS_PUSHED));
        angle->now = lanes_select(can, state, other);
    }
}

// One impulse of each spring, see joint_solve.c; arms are those of now.
static void push_springs(const LaneTree *tree) {
    const Lanes zero = lanes_splat(0), one = lanes_splat(1);
    for (uint32_t i = 0; i < tree->block->body_count; i++) {
        if (!(tree->block->flags[i] & PH_TREE_SPRUNG))
            continue;
        uint32_t parent = tree->block->parent[i];
        TreeAngle *angle = &tree->angles[i];
        TreeBody *c = &tree->bodies[i], *p = &tree->bodies[parent];
        bool fixed = tree->block->flags[parent] & PH_TREE_FIXED;
        Lanes r[2];
        arm_of_parent(c, p, r);
        Lanes ic = one / c->inertia, ip = fixed ? zero : one / p->inertia;
        Lanes m = one / c->mass + (fixed ? zero : one / p->mass);
        Lanes xc = c->r[0], yc = c->r[1], xp = r[0], yp = r[1];
        Lanes k00 = m + ic * yc * yc + ip * yp * yp, k11 = m + ic * xc * xc + ip * xp * xp;
        Lanes k01 = -(ic * xc * yc + ip * xp * yp), k02 = -(ic * yc + ip * yp);
        Lanes k12 = ic * xc + ip * xp, k22 = ic + ip, two = k00 * k11 - k01 * k01;
        Lanes det = two * k22 + k02 * (k01 * k12 - k02 * k11) - k12 * (k00 * k12 - k01 * k02);
        Lanes asked = angle->spring[1] * (c->v[2] - p->v[2]) +
                      angle->spring[0] * (angle->target + (c->turned - p->turned)) -
                      angle->spring[2] * (c->drive[2] - p->drive[2]);
        Lanes impulse = -(two / det) * asked;
        angle->torque += impulse;
        c->v[2] += ic * impulse;
        p->v[2] -= ip * impulse;
    }
}

// Impulses of motors at their bounds.
static void give_impulses(const LaneTree *tree, bool shift) {
    const Lanes zero = lanes_splat(0);
    for (uint32_t i = 0; i < tree->block->body_count; i++) {
        TreeAngle *angle = &tree->angles[i];
        if (!(tree->block->flags[i] & PH_TREE_AXIS))
            continue;
        angle->sum = zero;
        if (shift)
            continue;
        Mask down = is_state(angle->now, PH_AXIS_PULLED);
        Lanes given = lanes_flip(down, angle->most) - angle->impulse;
        angle->sum = lanes_keep(is_free(angle->now), given);
        tree->bodies[i].g[2] += angle->sum;
        tree->bodies[tree->block->parent[i]].g[2] -= angle->sum;
    }
}

// The velocity that an angle lacks where it is held.
PH_INLINE void miss_spin(TreeAngle *angle, Lanes spin, bool shift) {
    Lanes at = lanes_select(is_state(angle->now, PH_AXIS_LOW), angle->low,
                            lanes_select(is_state(angle->now, PH_AXIS_HIGH), angle->high,
                                         angle->speed));
    angle->e = lanes_keep(lanes_not(is_free(angle->now)), shift ? spin : spin - at);
}

// ------------------------------------------------------------------------------------------------
// elimination

// From the leaves to the root.
PH_INLINE void sweep_up(const LaneTree *tree, bool axes) {
    const Lanes one = lanes_splat(1), two = lanes_splat(2), more = lanes_splat(PH_TREE_MORE);
    for (uint32_t i = tree->block->body_count; i-- > 0;) {
        unsigned flags = tree->block->flags[i];
        uint32_t parent = tree->block->parent[i];
        TreeBody *c = &tree->bodies[i];
        if (flags & PH_TREE_FIXED)
            continue;
        TreeAngle *angle = axes && flags & PH_TREE_AXIS ? &tree->angles[i] : NULL;
        Lanes h3 = c->h[3], h4 = c->h[4], inv = one / c->h[5];
        Mask held = lanes_none();
        if (angle) {
            held = lanes_not(is_free(angle->now));
            inv = lanes_keep(lanes_not(held), inv);
        }
        Lanes zx = h3 * inv, zy = h4 * inv, y = c->g[2] * inv;
        Lanes xx = c->h[0] - zx * h3, xy = c->h[1] - zx * h4, yy = c->h[2] - zy * h4;
        Lanes most = more * (xx + yy), sx = c->g[0] - h3 * y, sy = c->g[1] - h4 * y;
        xx += most;
        yy += most;
        c->h[0] = xx;
        c->h[1] = xy;
        c->h[2] = yy;
        c->h[3] = zx;
        c->h[4] = zy;
        if (angle) {
            angle->b[0] = lanes_keep(held, h3);
            angle->b[1] = lanes_keep(held, h4);
            angle->c = lanes_keep(held, c->h[5]);
            angle->y = lanes_keep(held, c->g[2]);
        }
        c->g[0] = sx;
        c->g[1] = sy;
        c->g[2] = y;
        if (parent == PH_NULL || tree->block->flags[parent] & PH_TREE_FIXED)
            continue;
        TreeBody *p = &tree->bodies[parent];
        Lanes ex = c->e[0], ey = c->e[1], tx = c->t[0], ty = c->t[1];
        Lanes fx = sx + (xx * ex + xy * ey), fy = sy + (xy * ex + yy * ey);
        Lanes ux = xx * tx + xy * ty, uy = xy * tx + yy * ty, turn = tx * ux + ty * uy;
        if (angle) {
            Lanes bx = angle->b[0], by = angle->b[1];
            fx += bx * angle->e;
            fy += by * angle->e;
            p->g[2] += angle->y + (bx * ex + by * ey) + angle->c * angle->e;
            turn += two * (tx * bx + ty * by) + angle->c;
            ux += bx;
            uy += by;
        }
        p->h[0] += xx;
        p->h[1] += xy;
        p->h[2] += yy;
        p->h[3] += ux;
        p->h[4] += uy;
        p->h[5] += turn;
        p->g[0] += fx;
        p->g[1] += fy;
        p->g[2] += tx * fx + ty * fy;
    }
}

// What the pass adds to the velocity of a body.
PH_INLINE void gain_of(const TreeBody *c, Lanes gain[3]) {
    gain[0] = c->d[0] + c->d[2] * c->r[1];
    gain[1] = c->d[1] - c->d[2] * c->r[0];
    gain[2] = c->d[2];
}

// A body that hangs on nothing.
PH_INLINE void move_root(TreeBody *c) {
    Lanes xx = c->h[0], xy = c->h[1], yy = c->h[2], sx = c->g[0], sy = c->g[1];
    Lanes inv = lanes_splat(1) / (xx * yy - xy * xy);
    Lanes x = inv * (yy * sx - xy * sy), y = inv * (xx * sy - xy * sx);
    c->d[0] = x;
    c->d[1] = y;
    c->d[2] = c->g[2] - (c->h[3] * x + c->h[4] * y);
    c->note = lanes_splat(0);
}

PH_INLINE void commit_body(const LaneTree *tree, TreeBody *c);

// Back from the root. The impulse of the substep begins with a push and ends with a relax.
typedef enum TreeSweep { TREE_PUSH, TREE_RELAX, TREE_SHIFT } TreeSweep;
PH_INLINE void sweep_down(const LaneTree *tree, bool axes, TreeSweep kind, bool commits) {
    const Lanes zero = lanes_splat(0);
    for (uint32_t i = 0; i < tree->block->body_count; i++) {
        unsigned flags = tree->block->flags[i];
        uint32_t parent = tree->block->parent[i];
        TreeBody *c = &tree->bodies[i];
        if (flags & PH_TREE_FIXED) {
            c->d[0] = c->d[1] = c->d[2] = c->note = zero;
            continue;
        }
        if (parent == PH_NULL) {
            move_root(c);
        } else {
            TreeBody *p = &tree->bodies[parent];
            Lanes x = (p->d[0] + p->d[2] * c->t[0]) - c->e[0];
            Lanes y = (p->d[1] + p->d[2] * c->t[1]) - c->e[1];
            Lanes w = c->g[2] - (c->h[3] * x + c->h[4] * y);
            Lanes lx = (c->h[0] * x + c->h[1] * y) - c->g[0];
            Lanes ly = (c->h[1] * x + c->h[2] * y) - c->g[1];
            if (axes && flags & PH_TREE_AXIS) {
                TreeAngle *angle = &tree->angles[i];
                Mask held = lanes_not(is_free(angle->now));
                Lanes bx = angle->b[0], by = angle->b[1];
                w = lanes_select(held, p->d[2] - angle->e, w);
                lx += bx * w;
                ly += by * w;
                Lanes turn = ((bx * x + by * y) + angle->c * w) - angle->y;
                angle->sum = lanes_select(held, turn, angle->sum);
            }
            c->d[0] = x;
            c->d[1] = y;
            c->d[2] = w;
            c->l[0] = lx;
            c->l[1] = ly;
            if (kind == TREE_RELAX) {
                lx += c->impulse[0];
                ly += c->impulse[1];
            }
            if (kind != TREE_SHIFT) {
                Lanes r[2];
                arm_of_parent(c, p, r);
                c->note = c->r[0] * lx + c->r[1] * ly;
                p->note -= r[0] * lx + r[1] * ly;
            }
            if (commits) {
                c->impulse[0] = lx;
                c->impulse[1] = ly;
                c->force[0] += lx;
                c->force[1] += ly;
            }
        }
        if (commits)
            commit_body(tree, c);
    }
}

// Where on its staircase each angle is (joint_tree.c). Returns whether any is elsewhere than
// guessed.
static bool move_angles(const LaneTree *tree) {
    const Lanes zero = lanes_splat(0), infinite = lanes_splat(INFINITY);
    const Lanes pushed = lanes_splat(PH_AXIS_PUSHED), pulled = lanes_splat(PH_AXIS_PULLED);
    const Lanes driven = lanes_splat(PH_AXIS_DRIVEN);
    const Lanes at_low = lanes_splat(PH_AXIS_LOW), at_high = lanes_splat(PH_AXIS_HIGH);
    Mask changed = lanes_none();
    for (uint32_t i = 0; i < tree->block->body_count; i++) {
        if (!(tree->block->flags[i] & PH_TREE_AXIS))
            continue;
        TreeAngle *angle = &tree->angles[i];
        const TreeBody *c = &tree->bodies[i], *p = &tree->bodies[tree->block->parent[i]];
        Lanes u = (c->v[2] + c->d[2]) - (p->v[2] + p->d[2]);
        Lanes impulse = angle->impulse + angle->sum, was = angle->now;
        Lanes low = angle->low, high = angle->high, s = angle->speed, m = angle->most;
        Mask motor = lanes_less(zero, m), bounded = lanes_less(m, infinite);
        Lanes up = lanes_select(bounded, pushed, driven);
        Lanes down = lanes_select(motor, lanes_select(bounded, pulled, driven), pushed);
        Mask low_first = lanes_less(low, s), high_first = lanes_less(s, high);
        Lanes from_low =
            lanes_select(lanes_less(impulse, lanes_select(motor & low_first, m, -m)),
                         lanes_select(low_first, up, down), at_low);
        Lanes from_high =
            lanes_select(lanes_less(lanes_select(motor & high_first, -m, m), impulse),
                         lanes_select(high_first, down, up), at_high);
        Lanes from_driven = lanes_select(
            lanes_less(s, low), at_low,
            lanes_select(lanes_less(high, s), at_high,
                         lanes_select(lanes_less(m, impulse), pushed,
                                      lanes_select(lanes_less(impulse, -m), pulled, was))));
        Mask is_up = is_state(was, PH_AXIS_PUSHED);
        Mask beyond =
            motor & ((is_up & lanes_less(s, u)) | (lanes_not(is_up) & lanes_less(u, s)));
        Lanes from_free =
            lanes_select(lanes_less(u, low), at_low,
                         lanes_select(lanes_less(high, u), at_high,
                                      lanes_select(beyond, driven, was)));
        Lanes now = lanes_select(
            is_state(was, PH_AXIS_LOW), from_low,
            lanes_select(is_state(was, PH_AXIS_HIGH), from_high,
                         lanes_select(is_state(was, PH_AXIS_DRIVEN), from_driven, from_free)));
        changed = changed | lanes_less(now, was) | lanes_less(was, now);
        angle->now = now;
    }
    return lanes_any(changed);
}

// Bodies are weighed already.
static void solve_angles(const LaneTree *tree, TreeSweep kind) {
    bool shift = kind == TREE_SHIFT;
    for (int tries = 0; tries < PH_TREE_TRIES; tries++) {
        for (uint32_t i = 0; tries > 0 && i < tree->block->body_count; i++)
            weigh_body(&tree->bodies[i]);
        give_impulses(tree, shift);
        for (uint32_t i = 0; i < tree->block->body_count; i++) {
            if (!(tree->block->flags[i] & PH_TREE_AXIS))
                continue;
            const Lanes share = lanes_splat(tree->pass->share);
            const TreeBody *c = &tree->bodies[i], *p = &tree->bodies[tree->block->parent[i]];
            Lanes spin = shift ? share * (c->drive[2] - p->drive[2]) : c->v[2] - p->v[2];
            miss_spin(&tree->angles[i], spin, shift);
        }
        sweep_up(tree, true);
        sweep_down(tree, true, kind, false);
        if (shift || !move_angles(tree))
            break;
    }
}

// ------------------------------------------------------------------------------------------------
// what comes out

// Beyond all limits, or none where masses are beyond float32: that stays out.
PH_INLINE void keep_within(const LaneTree *tree, const Lanes v[3], Lanes next[3]) {
    const Lanes speed = lanes_splat(tree->pass->most_speed);
    const Lanes spin = lanes_splat(tree->pass->most_spin), zero = lanes_splat(0);
    Lanes x = lanes_abs(next[0]), y = lanes_abs(next[1]), w = lanes_abs(next[2]);
    Mask within = lanes_at_most(x, speed) & lanes_at_most(y, speed) & lanes_at_most(w, spin);
    if (!lanes_any(lanes_not(within)))
        return;
    for (int k = 0; k < 3; k++) {
        Lanes most = k < 2 ? speed : spin, size = lanes_abs(next[k]);
        Lanes end = lanes_flip(lanes_less(next[k], zero), most);
        next[k] = lanes_select(lanes_at_most(size, most), next[k],
                               lanes_select(lanes_less(most, size), end, v[k]));
    }
}

PH_INLINE void commit_body(const LaneTree *tree, TreeBody *c) {
    Lanes next[3];
    gain_of(c, next);
    for (int k = 0; k < 3; k++)
        next[k] += c->v[k];
    keep_within(tree, c->v, next);
    for (int k = 0; k < 3; k++)
        c->v[k] = next[k];
}

// The same in some lanes, with the impulses of a push.
PH_INLINE void commit_lanes(const LaneTree *tree, TreeBody *c, Mask lanes) {
    Lanes next[3];
    gain_of(c, next);
    for (int k = 0; k < 3; k++)
        next[k] += c->v[k];
    keep_within(tree, c->v, next);
    for (int k = 0; k < 3; k++)
        c->v[k] = lanes_select(lanes, next[k], c->v[k]);
    for (int k = 0; k < 2; k++)
        c->impulse[k] = lanes_select(lanes, c->l[k], c->impulse[k]);
}

// After a push or a relax, in some lanes.
static void commit_angles(const LaneTree *tree, bool push, Mask lanes) {
    for (uint32_t i = 0; i < tree->block->body_count; i++) {
        TreeAngle *angle = &tree->angles[i];
        if (!(tree->block->flags[i] & PH_TREE_AXIS))
            continue;
        angle->impulse += lanes_keep(lanes, angle->sum);
        angle->state[!push] = lanes_select(lanes, angle->now, angle->state[!push]);
        if (!push)
            angle->torque += angle->impulse;
    }
}

PH_INLINE void solve_tree(const LaneTree *tree, TreeSweep kind, bool commits) {
    if (tree->block->axes) {
        solve_angles(tree, kind);
    } else {
        sweep_up(tree, false);
        sweep_down(tree, false, kind, commits);
    }
}

// Whether a sudden pull asks for more inertia; the lanes of trees where it does.
static Mask find_sudden(const LaneTree *tree) {
    const Lanes h = lanes_splat(tree->pass->h), sudden = lanes_splat(PH_TREE_SUDDEN);
    Mask any = lanes_none();
    for (uint32_t i = 0; i < tree->block->body_count; i++) {
        const TreeBody *c = &tree->bodies[i];
        if (!(tree->block->flags[i] & PH_TREE_FIXED))
            any = any | lanes_less(sudden * c->inertia, h * c->note);
    }
    return any;
}

// To the rows of a tree that is not alone.
PH_INLINE void write_inertia(const LaneTree *tree, uint32_t i) {
    const TreeBody *c = &tree->bodies[i];
    const uint32_t *rows = tree->block->rows + (size_t)i * PH_LANES;
    for (uint32_t l = 0; l < tree->block->count; l++) {
        PhJointMass *mass = &tree->pass->masses[rows[l] / 16];
        mass->inertia = (double)((const float *)&c->inertia)[l] / tree->block->scale[l];
        mass->inv_inertia = 1 / mass->inertia;
    }
}

// All that a push has found, and in the lanes named: found again with more inertia.
static void brace(const LaneTree *tree, Mask sudden, bool rows) {
    const Lanes h = lanes_splat(tree->pass->h);
    const PhTreeBlock *block = tree->block;
    for (uint32_t i = 0; i < block->body_count; i++) {
        TreeBody *c = &tree->bodies[i];
        if (block->flags[i] & PH_TREE_FIXED)
            continue;
        commit_lanes(tree, c, lanes_not(sudden));
        Lanes wanted = h * c->note;
        Mask more = lanes_less(lanes_splat(PH_TREE_SUDDEN) * c->inertia, wanted);
        c->v[2] = lanes_select(more, c->v[2] * (c->inertia / wanted), c->v[2]);
        c->inertia = lanes_select(more, wanted, c->inertia);
        if (rows && lanes_any(more))
            write_inertia(tree, i);
    }
    if (tree->angles)
        commit_angles(tree, true, lanes_not(sudden));
    for (uint32_t i = 0; i < block->body_count; i++)
        fill_body(tree, i, true);
    solve_tree(tree, TREE_PUSH, false);
    for (uint32_t i = 0; i < block->body_count; i++)
        if (!(block->flags[i] & PH_TREE_FIXED))
            commit_lanes(tree, &tree->bodies[i], sudden);
    if (tree->angles)
        commit_angles(tree, true, sudden);
}

// ------------------------------------------------------------------------------------------------
// passes

PH_INLINE void load_numbers(const float *numbers, const uint32_t *rows, Lanes *out) {
    for (uint32_t l = 0; l < PH_LANES; l++)
        ((float *)out)[l] = numbers[rows[l] / 16];
}

// Bodies as their rows are; all there is of trees that are alone, else what a pass needs.
static void load_bodies(const LaneTree *tree, bool all) {
    const PhTreePass *pass = tree->pass;
    const PhTreeBlock *block = tree->block;
    for (uint32_t i = 0; i < block->body_count; i++) {
        TreeBody *c = &tree->bodies[i];
        const uint32_t *rows = block->rows + (size_t)i * PH_LANES;
        Lanes quad[4];
        lanes_load_quads(pass->rows.velocity, rows, quad);
        for (int k = 0; k < 3; k++)
            c->v[k] = quad[k];
        lanes_load_quads(pass->rows.delta, rows, c->delta);
        if (all || block->axes || block->sprung)
            load_numbers(pass->rows.turned, rows, &c->turned);
        if (all || block->sprung || pass->share != 0) {
            lanes_load_quads(pass->rows.drive, rows, quad);
            for (int k = 0; k < 3; k++)
                c->drive[k] = quad[k];
        }
        if (!all || !block->damped)
            continue;
        lanes_load_quads(pass->rows.damping, rows, quad);
        for (int k = 0; k < 3; k++)
            c->damping[k] = quad[k];
    }
}

// Geometric stiffness may have changed since the last pass.
static void load_inertias(const LaneTree *tree) {
    const PhTreeBlock *block = tree->block;
    for (uint32_t i = 0; i < block->body_count; i++) {
        const uint32_t *rows = block->rows + (size_t)i * PH_LANES;
        float *inertia = (float *)&tree->bodies[i].inertia;
        for (uint32_t l = 0; l < PH_LANES && !(block->flags[i] & PH_TREE_FIXED); l++)
            inertia[l] =
                (float)(tree->pass->masses[rows[l] / 16].inertia * block->scale[l]);
    }
}

// Velocities to the rows, of lanes that are trees; those that are left over repeat the first.
// joined: what joints change is no business of the contacts' warm start.
static void store_velocities(const LaneTree *tree, bool joined) {
    const PhRows *to = &tree->pass->rows;
    for (uint32_t i = 0; i < tree->block->body_count; i++) {
        const TreeBody *c = &tree->bodies[i];
        const uint32_t *rows = tree->block->rows + (size_t)i * PH_LANES;
        Lanes quad[4], before[4];
        if (tree->block->flags[i] & PH_TREE_FIXED)
            continue;
        lanes_load_quads(to->velocity, rows, quad);
        if (joined) {
            lanes_load_quads(to->before, rows, before);
            for (int k = 0; k < 3; k++)
                before[k] += c->v[k] - quad[k];
            lanes_store_quads(to->before, rows, before);
        }
        for (int k = 0; k < 3; k++)
            quad[k] = c->v[k];
        lanes_store_quads(to->velocity, rows, quad);
    }
}

static void store_places(const LaneTree *tree) {
    const PhRows *to = &tree->pass->rows;
    for (uint32_t i = 0; i < tree->block->body_count; i++) {
        const TreeBody *c = &tree->bodies[i];
        const uint32_t *rows = tree->block->rows + (size_t)i * PH_LANES;
        if (tree->block->flags[i] & PH_TREE_FIXED)
            continue;
        lanes_store_quads(to->delta, rows, c->delta);
        for (uint32_t l = 0; l < PH_LANES; l++)
            to->turned[rows[l] / 16] = ((const float *)&c->turned)[l];
    }
}

// Gives everybody who swings a share of what a substep gains, as far as joints let it.
static void shift_tree(const LaneTree *tree) {
    const PhTreeBlock *block = tree->block;
    const Lanes share = lanes_splat(tree->pass->share);
    for (uint32_t i = 0; i < block->body_count; i++) {
        TreeBody *c = &tree->bodies[i];
        if (block->parent[i] != PH_NULL) {
            const TreeBody *p = &tree->bodies[block->parent[i]];
            Lanes gap[2], r[2], vc[3], vp[3];
            for (int k = 0; k < 3; k++) {
                vc[k] = share * c->drive[k];
                vp[k] = share * p->drive[k];
            }
            place_body(c, p, gap);
            arm_of_parent(c, p, r);
            miss_velocity(c, r, vc, vp);
        }
        weigh_body(c);
    }
    if (block->axes)
        fill_angles(tree, false);
    solve_tree(tree, TREE_SHIFT, false);
    for (uint32_t i = 0; i < block->body_count; i++) {
        TreeBody *c = &tree->bodies[i];
        Lanes gain[3];
        if (block->flags[i] & PH_TREE_FIXED)
            continue;
        gain_of(c, gain);
        for (int k = 0; k < 3; k++)
            c->v[k] += share * c->drive[k] + gain[k];
    }
}

// What velocities are before a push: inertias follow the pulls, forces act.
PH_INLINE void start_body(const LaneTree *tree, TreeBody *c) {
    Lanes wanted = lanes_splat(tree->pass->h) * c->note;
    Lanes now = lanes_max(wanted, c->own);
    Mask more = lanes_less(c->inertia, now);
    if (lanes_any(more))
        c->v[2] = lanes_select(more, c->v[2] * (c->inertia / now), c->v[2]);
    c->inertia = now;
    for (int k = 0; k < 3; k++) {
        c->v[k] += c->drive[k];
        if (tree->block->damped)
            c->v[k] *= c->damping[k];
    }
}

// As the kernels of the rows do it.
PH_INLINE void move_body(const LaneTree *tree, TreeBody *c) {
    const Lanes h = lanes_splat(tree->pass->h), one = lanes_splat(1);
    Lanes *d = c->delta, angle = h * c->v[2];
    Lanes cosine = d[2] + one, c2 = cosine - angle * d[3], s2 = d[3] + angle * cosine;
    Lanes scale = one / lanes_sqrt(c2 * c2 + s2 * s2);
    d[0] += h * c->v[0];
    d[1] += h * c->v[1];
    d[2] = c2 * scale - one;
    d[3] = s2 * scale;
    c->turned += angle;
}

// Springs and the first solution of a push, whose rows are filled; whether all of it is committed.
static bool push_tree(const LaneTree *tree, bool rows) {
    const PhTreeBlock *block = tree->block;
    if (block->sprung) {
        push_springs(tree);
        for (uint32_t i = 0; i < block->body_count; i++)
            fill_body(tree, i, true);
    }
    if (block->axes)
        fill_angles(tree, true);
    solve_tree(tree, TREE_PUSH, false);
    Mask sudden = find_sudden(tree);
    if (lanes_any(sudden))
        brace(tree, sudden, rows);
    else if (block->axes)
        commit_angles(tree, true, lanes_not(sudden));
    return lanes_any(sudden);
}

PH_INLINE void commit_push(const LaneTree *tree, TreeBody *c) {
    commit_body(tree, c);
    c->impulse[0] = c->l[0];
    c->impulse[1] = c->l[1];
}

// Rows are filled.
static void relax_tree(const LaneTree *tree) {
    const PhTreeBlock *block = tree->block;
    if (block->axes)
        fill_angles(tree, false);
    solve_tree(tree, TREE_RELAX, true);
    for (uint32_t i = 0; block->axes && i < block->body_count; i++) {
        TreeBody *c = &tree->bodies[i];
        if (block->flags[i] & PH_TREE_FIXED)
            continue;
        commit_body(tree, c);
        for (int k = 0; k < 2; k++) {
            c->impulse[k] += c->l[k];
            c->force[k] += c->impulse[k];
        }
    }
    if (block->axes)
        commit_angles(tree, false, lanes_not(lanes_none()));
}

static void run_substep(const LaneTree *tree) {
    const PhTreeBlock *block = tree->block;
    for (uint32_t i = 0; i < block->body_count; i++) {
        if (!(block->flags[i] & PH_TREE_FIXED))
            start_body(tree, &tree->bodies[i]);
        fill_body(tree, i, true);
    }
    bool committed = push_tree(tree, false);
    for (uint32_t i = 0; i < block->body_count; i++) {
        TreeBody *c = &tree->bodies[i];
        if (!committed && !(block->flags[i] & PH_TREE_FIXED))
            commit_push(tree, c);
        move_body(tree, c);
        fill_body(tree, i, false);
    }
    relax_tree(tree);
}

// One pass of a tree on whose rows others act as well.
static void pass_rows(const LaneTree *tree, bool push) {
    const PhTreeBlock *block = tree->block;
    load_bodies(tree, false);
    if (push)
        load_inertias(tree);
    for (uint32_t i = 0; i < block->body_count; i++)
        fill_body(tree, i, push);
    if (!push) {
        relax_tree(tree);
    } else if (!push_tree(tree, true)) {
        for (uint32_t i = 0; i < block->body_count; i++)
            if (!(block->flags[i] & PH_TREE_FIXED))
                commit_push(tree, &tree->bodies[i]);
    }
    store_velocities(tree, true);
}

static void tree_pass(const PhTreePass *pass, const PhTreeBlock *block) {
    LaneTree tree = tree_of(pass, block);
    bool swings = block->swings, alone = block->alone;
    switch (pass->kind) {
    case PH_TREE_START:
        if (alone || swings)
            load_bodies(&tree, true);
        if (swings)
            shift_tree(&tree);
        if (swings && !alone)
            store_velocities(&tree, false);
        break;
    case PH_TREE_RUN:
        for (int32_t k = 0; k < pass->substeps; k++)
            run_substep(&tree);
        if (pass->watched) {
            store_velocities(&tree, false);
            store_places(&tree);
        }
        break;
    case PH_TREE_PUSH:
    case PH_TREE_RELAX:
        pass_rows(&tree, pass->kind == PH_TREE_PUSH);
        break;
    default: // PH_TREE_END
        if (swings && !alone)
            load_bodies(&tree, true);
        if (swings)
            shift_tree(&tree);
        if (swings || alone)
            store_velocities(&tree, false);
        if (alone)
            store_places(&tree);
    }
}

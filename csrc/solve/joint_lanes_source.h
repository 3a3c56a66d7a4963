// Trees of revolute joints in lanes: one source for every width, part of kernels_source.h.
//
// The method is that of articulation_source.h for trees in which every joint is revolute and none
// closes a loop; then no matrix needs to be inverted. What a body and all that hangs on it does
// when the point c at which it hangs is given the velocity a, and the body the spin w, is the least
// of
//     1/2 a^T A a + w b^T a + 1/2 C w^2 - f^T a - y w
// (velocities are those that the pass adds). Of the body alone, with m and I, r the arm from its
// centre to c and q = (r_y, -r_x): A = m, b = m q, C = I + m r^2. w is free, so w = (y - b^T a) /
// C, and what remains is 1/2 a^T S a - s^T a with
//     S = A - b b^T / C,  s = f - b y / C.
// The point moves with its parent, which hangs at a distance d, t = (-d_y, d_x), but for what the
// joint lacks: a = a_p + w_p t - e. So the parent gets S, S t, t^T S t to its A, b, C, and
// F = s + S e, t^T F to its f, y. That is done from the leaves on; back from the root a and w
// follow, and the impulse on the child is S a - s. Where a limit or a motor holds the angle,
// w = w_p - e_w, and A, b, C, f, y go to the parent as they are.
//
// Masses are in units of a power of two near the heaviest of the tree. Rounding S leaves an error
// of its larger part in the smaller one; about as much is added, so that it stays positive at any
// ratio.
//
// Each lane sees the operations that it would see alone, in the same order: lanes never exchange
// data, a lane that is done before others meets the same numbers again, and results of a lane that
// must be solved once more are kept apart.
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
    Lanes r[2], q[2]; // the arm as it is now, and that of the parent
    // Of a pass; what A, b, C and f, y get from some of those that hang on it, then S, z = b / C,
    // z^T t, and s, y / C + z^T e.
    Lanes t[2], e[2], h[6], g[3], d[3], l[2];
    Lanes was[8]; // v, delta and turned before a biased solve
} TreeBody;
_Static_assert(sizeof(TreeBody) == 4 * PH_TREE_BODY_FIELDS * PH_LANES, "fields of joint_lanes.c");

// The angle of that joint, in packs where one has limits, a motor or a spring.
typedef struct TreeAngle {
    Lanes lower, upper, target; // less the angle at the start of the step; the angle less that
    Lanes speed, motor;         // largest torque
    Lanes spring[3];            // factors of the angle; of the spin, and of what that has gained
    Lanes spin;                 // as the substep begins, then what has come to it
    Lanes impulse, torque;
    Lanes state[2]; // PhAxisState, as a number: after the last biased solve, after the last relax
    Lanes low, high, most, now, sum, e, b[2], c, y; // of a pass
    Lanes held[2]; // what the spring of the substep has given to what the joint holds
} TreeAngle;
_Static_assert(sizeof(TreeAngle) == 4 * PH_TREE_ANGLE_FIELDS * PH_LANES, "fields of joint_lanes.c");

typedef struct LaneTree {
    const PhTreePass *pass;
    const PhTreePack *pack;
    TreeBody *bodies;
    TreeAngle *angles; // NULL: none has one
} LaneTree;

#define PH_TREE_MORE 1.2e-7f
#define PH_TREE_ERROR_SHARE 0.2f
#define PH_TREE_CURVATURE_SHARE 0.46f
#define PH_TREE_SUDDEN 1.5f
enum { PH_TREE_FREE_TRIES = 3, PH_TREE_TRIES = 12 };

PH_INLINE LaneTree tree_of(const PhTreePass *pass, const PhTreePack *pack) {
    LaneTree tree = {pass, pack, (TreeBody *)(void *)pack->data, NULL};
    if (pack->axes || pack->sprung) {
        tree.angles = (TreeAngle *)(void *)(tree.bodies + pack->body_count);
    }
    return tree;
}

PH_INLINE Mask is_state(Lanes state, PhAxisState which) {
    return lanes_equal(state, lanes_splat((float)which));
}

// Not held: a motor at its bound, or nothing, gives its impulse.
PH_INLINE Mask is_free(Lanes state) {
    return is_state(state, PH_AXIS_PUSHED) | is_state(state, PH_AXIS_PULLED);
}

// ------------------------------------------------------------------------------------------------
// rows of a pass

typedef enum TreeSweep { TREE_SOLVE, TREE_RELAX, TREE_SHIFT } TreeSweep;

PH_INLINE void turn_arm(TreeBody *c) {
    const Lanes *d = c->delta;
    c->r[0] = c->arm_c[0] + (d[2] * c->arm_c[0] - d[3] * c->arm_c[1]);
    c->r[1] = c->arm_c[1] + (d[3] * c->arm_c[0] + d[2] * c->arm_c[1]);
}

// The arm of the parent as it is now; turn: how far that has moved the anchor.
PH_INLINE void turn_parent_arm(const TreeBody *c, const TreeBody *p, Lanes turn[2], Lanes arm[2]) {
    const Lanes *dp = p->delta;
    turn[0] = dp[2] * c->arm_p[0] - dp[3] * c->arm_p[1];
    turn[1] = dp[3] * c->arm_p[0] + dp[2] * c->arm_p[1];
    arm[0] = c->arm_p[0] + turn[0];
    arm[1] = c->arm_p[1] + turn[1];
}

// What the joint lacks; the arm of the parent, and from where that hangs to the joint.
PH_INLINE void miss(const PhTreePass *pass, TreeBody *c, const TreeBody *p, TreeSweep kind) {
    const Lanes *dc = c->delta, *dp = p->delta;
    Lanes turn[2], arm[2];
    turn_parent_arm(c, p, turn, arm);
    Lanes nx = turn[0], ny = turn[1], x = arm[0], y = arm[1], rx = c->r[0], ry = c->r[1];
    c->q[0] = x;
    c->q[1] = y;
    c->t[0] = p->r[1] - y;
    c->t[1] = x - p->r[0];
    if (kind == TREE_SHIFT) {
        const Lanes share = lanes_splat(pass->share), *vc = c->drive, *vp = p->drive;
        c->e[0] = share * ((vc[0] - vc[2] * ry) - (vp[0] - vp[2] * y));
        c->e[1] = share * ((vc[1] + vc[2] * rx) - (vp[1] + vp[2] * x));
        return;
    }
    Lanes wc = c->v[2], wp = p->v[2];
    Lanes ex = (c->v[0] - wc * ry) - (p->v[0] - wp * y);
    Lanes ey = (c->v[1] + wc * rx) - (p->v[1] + wp * x);
    if (kind == TREE_SOLVE) {
        const Lanes back = lanes_splat(PH_TREE_ERROR_SHARE * pass->inv_h);
        const Lanes curve = lanes_splat(PH_TREE_CURVATURE_SHARE * pass->h);
        // How far turning has moved the anchors; the arms' difference would be as coarse as they.
        Lanes mx = dc[2] * c->arm_c[0] - dc[3] * c->arm_c[1];
        Lanes my = dc[3] * c->arm_c[0] + dc[2] * c->arm_c[1];
        Lanes gx = c->gap[0] + ((dc[0] - dp[0]) + (mx - nx));
        Lanes gy = c->gap[1] + ((dc[1] - dp[1]) + (my - ny));
        wc *= wc;
        wp *= wp;
        ex += back * gx + curve * (wp * x - wc * rx);
        ey += back * gy + curve * (wp * y - wc * ry);
    }
    c->e[0] = ex;
    c->e[1] = ey;
}

// Limits and motors, and a state that each angle can have.
static void fill_angles(const LaneTree *tree, bool biased) {
    const PhTreePass *pass = tree->pass;
    const Lanes zero = lanes_splat(0), inv_h = lanes_splat(pass->inv_h);
    const Lanes back = lanes_splat(biased ? PH_TREE_ERROR_SHARE * pass->inv_h : 0);
    const Lanes least = lanes_splat(-INFINITY), largest = lanes_splat(INFINITY);
    for (uint32_t i = 0; i < tree->pack->body_count; i++) {
        TreeAngle *angle = &tree->angles[i];
        if (!(tree->pack->flags[i] & PH_TREE_AXIS)) {
            continue;
        }
        const TreeBody *c = &tree->bodies[i], *p = &tree->bodies[tree->pack->parent[i]];
        Lanes turned = c->turned - p->turned;
        if (biased) {
            angle->impulse = zero;
        }
        Lanes below = angle->lower - turned, above = angle->upper - turned;
        angle->low = lanes_select(lanes_less(zero, below), back, inv_h) * below;
        angle->high = lanes_select(lanes_less(above, zero), back, inv_h) * above;
        // 0 of no limit within it would be no number.
        angle->low = lanes_select(lanes_less(least, below), angle->low, least);
        angle->high = lanes_select(lanes_less(above, largest), angle->high, largest);
        angle->most = lanes_splat(pass->h) * angle->motor;
        Lanes state = angle->state[!biased];
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

typedef enum TreeSpringPart {
    TREE_FORCE,
    TREE_DAMPER,
    TREE_GAIN, // the force counts as gained by the bodies, and is not given
} TreeSpringPart;

// One impulse of each spring, or of its damper, and what its joint holds against it, see
// joint_solve.c; arms are those of now.
static void apply_springs(const LaneTree *tree, TreeSpringPart part) {
    const Lanes zero = lanes_splat(0), one = lanes_splat(1);
    for (uint32_t i = 0; i < tree->pack->body_count; i++) {
        if (!(tree->pack->flags[i] & PH_TREE_SPRUNG)) {
            continue;
        }
        uint32_t parent = tree->pack->parent[i];
        TreeAngle *angle = &tree->angles[i];
        TreeBody *c = &tree->bodies[i], *p = &tree->bodies[parent];
        bool fixed = tree->pack->flags[parent] & PH_TREE_FIXED;
        Lanes turn[2], arm[2];
        turn_parent_arm(c, p, turn, arm);
        Lanes ic = one / c->inertia, ip = fixed ? zero : one / p->inertia;
        Lanes mc = one / c->mass, mp = fixed ? zero : one / p->mass, m = mc + mp;
        Lanes xc = c->r[0], yc = c->r[1], xp = arm[0], yp = arm[1];
        Lanes k00 = m + ic * yc * yc + ip * yp * yp, k11 = m + ic * xc * xc + ip * xp * xp;
        Lanes k01 = -(ic * xc * yc + ip * xp * yp), k02 = -(ic * yc + ip * yp);
        Lanes k12 = ic * xc + ip * xp, k22 = ic + ip, two = k00 * k11 - k01 * k01;
        Lanes zero_two = k01 * k12 - k02 * k11, one_two = k01 * k02 - k00 * k12;
        Lanes det = two * k22 + k02 * zero_two + k12 * one_two;
        Lanes spin = c->v[2] - p->v[2];
        Lanes asked = part == TREE_DAMPER
                          ? angle->spring[1] * spin + angle->spring[2] * angle->spin
                          : angle->spring[0] * (angle->target + (c->turned - p->turned));
        Lanes impulse = -(two * asked) / det;
        Lanes share = impulse / two, x = share * zero_two, y = share * one_two;
        if (part == TREE_GAIN) { // what is held follows from it
            c->drive[2] += ic * impulse;
            p->drive[2] -= ip * impulse;
            continue;
        }
        angle->torque += impulse;
        if (part == TREE_DAMPER) { // the biased solve has counted its own
            c->impulse[0] += x;
            c->impulse[1] += y;
        } else {
            angle->held[0] = x;
            angle->held[1] = y;
        }
        c->v[0] += mc * x;
        c->v[1] += mc * y;
        c->v[2] += ic * (impulse + (xc * y - yc * x));
        p->v[0] -= mp * x;
        p->v[1] -= mp * y;
        p->v[2] -= ip * (impulse + (xp * y - yp * x));
    }
}

// Impulses of motors at their bounds.
static void give_impulses(const LaneTree *tree, bool shift) {
    const Lanes zero = lanes_splat(0);
    for (uint32_t i = 0; i < tree->pack->body_count; i++) {
        TreeAngle *angle = &tree->angles[i];
        if (!(tree->pack->flags[i] & PH_TREE_AXIS)) {
            continue;
        }
        angle->sum = zero;
        if (shift) {
            continue;
        }
        Mask down = is_state(angle->now, PH_AXIS_PULLED);
        Lanes given = lanes_flip(down, angle->most) - angle->impulse;
        angle->sum = lanes_keep(is_free(angle->now), given);
    }
}

// The velocity that an angle lacks where it is held.
PH_INLINE void miss_spin(TreeAngle *angle, Lanes spin, bool shift) {
    Lanes at =
        lanes_select(is_state(angle->now, PH_AXIS_LOW), angle->low,
                     lanes_select(is_state(angle->now, PH_AXIS_HIGH), angle->high, angle->speed));
    angle->e = lanes_keep(lanes_not(is_free(angle->now)), shift ? spin : spin - at);
}

// ------------------------------------------------------------------------------------------------
// elimination

// A, b, C and f, y of a body with all that hangs on it. It takes over from the one behind it what
// that gives to it; from others through memory.
PH_INLINE void collect(const TreeBody *c, unsigned flags, const Lanes give[9], Lanes all[9]) {
    const Lanes zero = lanes_splat(0);
    Lanes m = c->mass, x = c->r[0], y = c->r[1];
    all[0] = all[2] = m;
    all[1] = all[6] = all[7] = all[8] = zero;
    all[3] = m * y;
    all[4] = -(m * x);
    all[5] = c->inertia + m * (x * x + y * y);
    for (int k = 0; k < 9 && flags & PH_TREE_SHARED; k++) {
        all[k] += k < 6 ? c->h[k] : c->g[k - 6];
    }
    bool sum = flags & PH_TREE_SHARED;
    for (int k = 0; k < 9 && flags & PH_TREE_JOINED; k++) {
        all[k] = sum || k == 0 || (k > 1 && k < 6) ? all[k] + give[k] : give[k];
    }
}

// What a turn of the parent takes of S.
PH_INLINE void square_arm(const TreeBody *c, Lanes square[3]) {
    square[0] = c->t[0] * c->t[0];
    square[1] = c->t[1] * c->t[1];
    square[2] = lanes_splat(2) * c->t[0] * c->t[1];
}

// From the leaves to the root. A relax looks whether the biased solve before it was too sudden.
// again: nothing has been committed since the last one, so joints lack what they lacked.
PH_INLINE void sweep_up(const LaneTree *tree, TreeSweep kind, bool axes, bool again, Mask *sudden) {
    const PhTreePack *pack = tree->pack;
    const Lanes zero = lanes_splat(0), one = lanes_splat(1), two = lanes_splat(2);
    const Lanes more = lanes_splat(PH_TREE_MORE), step = lanes_splat(tree->pass->h);
    Lanes give[9] = {zero, zero, zero, zero, zero, zero, zero, zero, zero};
    for (uint32_t i = pack->body_count; i-- > 0;) {
        unsigned flags = pack->flags[i];
        uint32_t parent = pack->parent[i];
        TreeBody *c = &tree->bodies[i];
        if (flags & PH_TREE_FIXED) {
            continue;
        }
        if (sudden) {
            *sudden =
                *sudden | lanes_less(lanes_splat(PH_TREE_SUDDEN) * c->inertia, step * c->note);
        }
        Lanes all[9];
        collect(c, flags, give, all);
        Lanes xx = all[0], xy = all[1], yy = all[2], bx = all[3], by = all[4], turn = all[5];
        Lanes fx = all[6], fy = all[7], y = all[8];
        TreeAngle *angle = axes && flags & PH_TREE_AXIS ? &tree->angles[i] : NULL;
        Lanes inv = one / turn;
        Mask held = lanes_none();
        if (angle) {
            held = lanes_not(is_free(angle->now));
            inv = lanes_keep(lanes_not(held), inv);
            y += lanes_keep(lanes_not(held), angle->sum);
            angle->b[0] = lanes_keep(held, bx);
            angle->b[1] = lanes_keep(held, by);
            angle->c = lanes_keep(held, turn);
            angle->y = lanes_keep(held, y);
        }
        Lanes most = more * (xx + yy), zx = bx * inv, zy = by * inv, w = y * inv;
        // From turn to turn in as few steps as possible.
        xx = (xx + most) - inv * (bx * bx);
        xy = xy - inv * (bx * by);
        yy = (yy + most) - inv * (by * by);
        fx = fx - bx * w;
        fy = fy - by * w;
        c->h[0] = xx;
        c->h[1] = xy;
        c->h[2] = yy;
        c->h[3] = zx;
        c->h[4] = zy;
        c->g[0] = fx;
        c->g[1] = fy;
        c->g[2] = w;
        if (parent == PH_NULL) {
            continue;
        }
        TreeBody *p = &tree->bodies[parent];
        if (!again) {
            miss(tree->pass, c, p, kind);
        }
        Lanes ex = c->e[0], ey = c->e[1], tx = c->t[0], ty = c->t[1];
        c->h[5] = zx * tx + zy * ty;
        c->g[2] = w + (zx * ex + zy * ey);
        if (pack->flags[parent] & PH_TREE_FIXED) {
            continue;
        }
        Lanes ux = xx * tx + xy * ty, uy = xy * tx + yy * ty;
        fx += xx * ex + xy * ey;
        fy += xy * ex + yy * ey;
        Lanes square[3];
        square_arm(c, square);
        turn = (xx * square[0] + yy * square[1]) + xy * square[2];
        y = zero;
        if (angle) {
            bx = angle->b[0];
            by = angle->b[1];
            fx += bx * angle->e;
            fy += by * angle->e;
            y = (angle->y + (bx * ex + by * ey) + angle->c * angle->e) -
                lanes_keep(lanes_not(held), angle->sum);
            turn += two * (tx * bx + ty * by) + angle->c;
            ux += bx;
            uy += by;
        }
        y += tx * fx + ty * fy;
        const Lanes out[9] = {xx, xy, yy, ux, uy, turn, fx, fy, y};
        if (parent + 1 == i) {
            for (int k = 0; k < 9; k++) {
                give[k] = out[k];
            }
            continue;
        }
        bool first = flags & PH_TREE_FIRST;
        for (int k = 0; k < 6; k++) {
            p->h[k] = first ? out[k] : p->h[k] + out[k];
        }
        for (int k = 0; k < 3; k++) {
            p->g[k] = first ? out[6 + k] : p->g[k] + out[6 + k];
        }
    }
}

// What the pass adds to the velocity of a body; d: to that of its point, and the spin.
PH_INLINE void gain_of(const TreeBody *c, const Lanes d[3], Lanes gain[3]) {
    gain[0] = d[0] + d[2] * c->r[1];
    gain[1] = d[1] - d[2] * c->r[0];
    gain[2] = d[2];
}

// A body that hangs on nothing.
PH_INLINE void move_root(TreeBody *c) {
    Lanes xx = c->h[0], xy = c->h[1], yy = c->h[2], sx = c->g[0], sy = c->g[1];
    Lanes inv = lanes_splat(1) / (xx * yy - xy * xy);
    Lanes x = inv * (yy * sx - xy * sy), y = inv * (xx * sy - xy * sx);
    c->d[0] = x;
    c->d[1] = y;
    c->d[2] = c->g[2] - (c->h[3] * x + c->h[4] * y);
}

// Beyond all limits, or none where masses are beyond float32: that stays out.
PH_INLINE void keep_within(const LaneTree *tree, const Lanes v[3], Lanes next[3]) {
    const Lanes speed = lanes_splat(tree->pass->most_speed);
    const Lanes spin = lanes_splat(tree->pass->most_spin), zero = lanes_splat(0);
    Lanes x = lanes_abs(next[0]), y = lanes_abs(next[1]), w = lanes_abs(next[2]);
    Mask within = lanes_at_most(x, speed) & lanes_at_most(y, speed) & lanes_at_most(w, spin);
    if (!lanes_any(lanes_not(within))) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        Lanes most = k < 2 ? speed : spin, size = lanes_abs(next[k]);
        Lanes end = lanes_flip(lanes_less(next[k], zero), most);
        next[k] = lanes_select(lanes_at_most(size, most), next[k],
                               lanes_select(lanes_less(most, size), end, v[k]));
    }
}

PH_INLINE void next_velocity(const LaneTree *tree, const TreeBody *c, const Lanes d[3],
                             Lanes next[3]) {
    gain_of(c, d, next);
    for (int k = 0; k < 3; k++) {
        next[k] += c->v[k];
    }
    keep_within(tree, c->v, next);
}

// As the kernels of the rows do it.
PH_INLINE void move_body(const LaneTree *tree, TreeBody *c) {
    const Lanes h = lanes_splat(tree->pass->h);
    Lanes *d = c->delta, angle = h * c->v[2];
    d[0] += h * c->v[0];
    d[1] += h * c->v[1];
    rotate_lanes(angle, d + 2);
    c->turned += angle;
    turn_arm(c);
}

// What is done with what is found.
typedef enum TreeOperation {
    TREE_LEAVE,
    TREE_COMMIT, // after a relax, the impulse of the substep is complete
    TREE_MOVE,   // of a biased solve, on trial
} TreeOperation;

PH_INLINE void commit_body(const LaneTree *tree, TreeBody *c, const Lanes d[3]) {
    Lanes next[3];
    next_velocity(tree, c, d, next);
    for (int k = 0; k < 3; k++) {
        c->v[k] = next[k];
    }
}

PH_INLINE void note_place(TreeBody *c) {
    for (int k = 0; k < 3; k++) {
        c->was[k] = c->v[k];
    }
    for (int k = 0; k < 4; k++) {
        c->was[3 + k] = c->delta[k];
    }
    c->was[7] = c->turned;
}

// Back from the root.
PH_INLINE void sweep_down(const LaneTree *tree, bool axes, TreeSweep kind,
                          TreeOperation operation) {
    const PhTreePack *pack = tree->pack;
    const Lanes zero = lanes_splat(0);
    Lanes px = zero, py = zero, pw = zero; // of the body before
    for (uint32_t i = 0; i < pack->body_count; i++) {
        unsigned flags = pack->flags[i];
        uint32_t parent = pack->parent[i];
        TreeBody *c = &tree->bodies[i];
        if (flags & PH_TREE_FIXED) {
            px = py = pw = c->d[0] = c->d[1] = c->d[2] = c->note = zero;
            if (operation == TREE_MOVE) {
                note_place(c);
                move_body(tree, c);
            }
            continue;
        }
        if (parent == PH_NULL) {
            move_root(c);
            if (kind != TREE_SHIFT) {
                c->note = zero;
            }
            px = c->d[0];
            py = c->d[1];
            pw = c->d[2];
        } else {
            TreeBody *p = &tree->bodies[parent];
            if (parent + 1 != i) {
                px = p->d[0];
                py = p->d[1];
                pw = p->d[2];
            }
            // From body to body in as few steps as possible: w = y / C - z^T a.
            Lanes w = (c->g[2] - c->h[3] * px) - (c->h[4] * py + c->h[5] * pw);
            Lanes x = (px - c->e[0]) + pw * c->t[0], y = (py - c->e[1]) + pw * c->t[1];
            Lanes lx = (c->h[0] * x + c->h[1] * y) - c->g[0];
            Lanes ly = (c->h[1] * x + c->h[2] * y) - c->g[1];
            if (axes && flags & PH_TREE_AXIS) {
                TreeAngle *angle = &tree->angles[i];
                Mask held = lanes_not(is_free(angle->now));
                Lanes bx = angle->b[0], by = angle->b[1];
                w = lanes_select(held, pw - angle->e, w);
                lx += bx * w;
                ly += by * w;
                Lanes turn = ((bx * x + by * y) + angle->c * w) - angle->y;
                angle->sum = lanes_select(held, turn, angle->sum);
            }
            px = x;
            py = y;
            pw = w;
            // What is committed for good is not asked for again, but those that hang on it.
            if (operation != TREE_COMMIT || flags & PH_TREE_SHARED) {
                c->d[0] = x;
                c->d[1] = y;
                c->d[2] = w;
            }
            if (operation != TREE_COMMIT) {
                c->l[0] = lx;
                c->l[1] = ly;
            }
            if (kind == TREE_RELAX) {
                lx += c->impulse[0];
                ly += c->impulse[1];
            }
            if (kind != TREE_SHIFT) {
                c->note = c->r[0] * lx + c->r[1] * ly;
                p->note -= c->q[0] * lx + c->q[1] * ly;
            }
            if (operation != TREE_LEAVE) {
                c->impulse[0] = lx;
                c->impulse[1] = ly;
            }
            if (operation == TREE_COMMIT) {
                c->force[0] += lx;
                c->force[1] += ly;
            }
        }
        if (operation == TREE_MOVE) {
            note_place(c);
        }
        const Lanes gained[3] = {px, py, pw};
        if (operation != TREE_LEAVE) {
            commit_body(tree, c, gained);
        }
        if (operation == TREE_MOVE) {
            move_body(tree, c);
        }
    }
}

// Where on its staircase each angle is (articulation_source.h). Returns whether any is elsewhere
// than guessed. first: the first one alone may change over.
static bool move_angles(const LaneTree *tree, bool first) {
    const Lanes zero = lanes_splat(0), infinite = lanes_splat(INFINITY);
    const Lanes pushed = lanes_splat(PH_AXIS_PUSHED), pulled = lanes_splat(PH_AXIS_PULLED);
    const Lanes driven = lanes_splat(PH_AXIS_DRIVEN);
    const Lanes at_low = lanes_splat(PH_AXIS_LOW), at_high = lanes_splat(PH_AXIS_HIGH);
    Mask changed = lanes_none();
    for (uint32_t i = 0; i < tree->pack->body_count; i++) {
        if (!(tree->pack->flags[i] & PH_TREE_AXIS)) {
            continue;
        }
        TreeAngle *angle = &tree->angles[i];
        const TreeBody *c = &tree->bodies[i], *p = &tree->bodies[tree->pack->parent[i]];
        Lanes u = (c->v[2] + c->d[2]) - (p->v[2] + p->d[2]);
        Lanes impulse = angle->impulse + angle->sum, was = angle->now;
        Lanes low = angle->low, high = angle->high, s = angle->speed, m = angle->most;
        Mask motor = lanes_less(zero, m), bounded = lanes_less(m, infinite);
        Lanes up = lanes_select(bounded, pushed, driven);
        Lanes down = lanes_select(motor, lanes_select(bounded, pulled, driven), pushed);
        Mask low_first = lanes_less(low, s), high_first = lanes_less(s, high);
        Lanes from_low = lanes_select(lanes_less(impulse, lanes_select(motor & low_first, m, -m)),
                                      lanes_select(low_first, up, down), at_low);
        Lanes from_high = lanes_select(lanes_less(lanes_select(motor & high_first, -m, m), impulse),
                                       lanes_select(high_first, down, up), at_high);
        Lanes from_driven = lanes_select(
            lanes_less(s, low), at_low,
            lanes_select(lanes_less(high, s), at_high,
                         lanes_select(lanes_less(m, impulse), pushed,
                                      lanes_select(lanes_less(impulse, -m), pulled, was))));
        Mask is_up = is_state(was, PH_AXIS_PUSHED);
        // The motor's speed comes before the limit behind it.
        Mask beyond = motor & ((is_up & lanes_less(s, u)) | (lanes_not(is_up) & lanes_less(u, s)));
        beyond = beyond & lanes_at_most(low, s) & lanes_at_most(s, high);
        // A motor whose speed lies behind a limit pushes towards that limit alone.
        Mask behind =
            motor & ((is_up & lanes_less(s, low)) | (lanes_not(is_up) & lanes_less(high, s)));
        Lanes free_one = lanes_select(behind, lanes_select(is_up, down, up), was);
        Lanes from_free =
            lanes_select(beyond, driven,
                         lanes_select(lanes_less(u, low), at_low,
                                      lanes_select(lanes_less(high, u), at_high, free_one)));
        Lanes now = lanes_select(
            is_state(was, PH_AXIS_LOW), from_low,
            lanes_select(is_state(was, PH_AXIS_HIGH), from_high,
                         lanes_select(is_state(was, PH_AXIS_DRIVEN), from_driven, from_free)));
        if (first) {
            now = lanes_select(changed, was, now);
        }
        changed = changed | lanes_not(lanes_equal(now, was));
        angle->now = now;
    }
    return lanes_any(changed);
}

static void solve_angles(const LaneTree *tree, TreeSweep kind) {
    bool shift = kind == TREE_SHIFT;
    for (int tries = 0; tries < PH_TREE_TRIES; tries++) {
        give_impulses(tree, shift);
        for (uint32_t i = 0; i < tree->pack->body_count; i++) {
            if (!(tree->pack->flags[i] & PH_TREE_AXIS)) {
                continue;
            }
            const Lanes share = lanes_splat(tree->pass->share);
            const TreeBody *c = &tree->bodies[i], *p = &tree->bodies[tree->pack->parent[i]];
            Lanes spin = shift ? share * (c->drive[2] - p->drive[2]) : c->v[2] - p->v[2];
            miss_spin(&tree->angles[i], spin, shift);
        }
        sweep_up(tree, kind, true, tries > 0, NULL);
        sweep_down(tree, true, kind, TREE_LEAVE);
        if (shift || !move_angles(tree, tries >= PH_TREE_FREE_TRIES)) {
            break;
        }
    }
}

// ------------------------------------------------------------------------------------------------
// what comes out

// What a biased solve has found, in some lanes.
PH_INLINE void commit_lanes(const LaneTree *tree, TreeBody *c, Mask lanes) {
    Lanes next[3];
    next_velocity(tree, c, c->d, next);
    for (int k = 0; k < 3; k++) {
        c->v[k] = lanes_select(lanes, next[k], c->v[k]);
    }
    uint32_t i = (uint32_t)(c - tree->bodies);
    bool sprung = tree->pack->sprung && tree->pack->flags[i] & PH_TREE_SPRUNG;
    for (int k = 0; k < 2; k++) {
        Lanes all = sprung ? c->l[k] + tree->angles[i].held[k] : c->l[k];
        c->impulse[k] = lanes_select(lanes, all, c->impulse[k]);
    }
}

// After a biased solve or a relax, in some lanes.
static void commit_angles(const LaneTree *tree, bool biased, Mask lanes) {
    for (uint32_t i = 0; i < tree->pack->body_count; i++) {
        TreeAngle *angle = &tree->angles[i];
        if (!(tree->pack->flags[i] & PH_TREE_AXIS)) {
            continue;
        }
        angle->impulse += lanes_keep(lanes, angle->sum);
        angle->state[!biased] = lanes_select(lanes, angle->now, angle->state[!biased]);
        if (!biased) {
            angle->torque += angle->impulse;
        }
    }
}

PH_INLINE void solve_tree(const LaneTree *tree, TreeSweep kind, TreeOperation operation) {
    if (tree->pack->axes) {
        solve_angles(tree, kind);
    } else {
        sweep_up(tree, kind, false, false, NULL);
        sweep_down(tree, false, kind, operation);
    }
}

// Whether a sudden pull asks for more inertia; the lanes of trees where it does.
static Mask find_sudden(const LaneTree *tree) {
    const Lanes h = lanes_splat(tree->pass->h), sudden = lanes_splat(PH_TREE_SUDDEN);
    Mask any = lanes_none();
    for (uint32_t i = 0; i < tree->pack->body_count; i++) {
        const TreeBody *c = &tree->bodies[i];
        if (!(tree->pack->flags[i] & PH_TREE_FIXED)) {
            any = any | lanes_less(sudden * c->inertia, h * c->note);
        }
    }
    return any;
}

// To the rows of a tree that is not alone, in some lanes: what others have there is not of float32.
PH_INLINE void write_inertia(const LaneTree *tree, uint32_t i, Mask lanes) {
    const TreeBody *c = &tree->bodies[i];
    const uint32_t *solver_bodies = tree->pack->solver_bodies + (size_t)i * PH_LANES,
                   bits = lanes_bits(lanes);
    for (uint32_t l = 0; l < tree->pack->count; l++) {
        if (!(bits >> l & 1)) {
            continue;
        }
        PhJointMass *mass = &tree->pass->masses[solver_bodies[l] / 16];
        mass->inertia = (double)((const float *)&c->inertia)[l] / tree->pack->scale[l];
        mass->inv_inertia = 1 / mass->inertia;
    }
}

// All that a biased solve has found, and in the lanes named: found again with more inertia.
static void brace(const LaneTree *tree, Mask sudden, bool writes_back) {
    const Lanes h = lanes_splat(tree->pass->h);
    const PhTreePack *pack = tree->pack;
    for (uint32_t i = 0; i < pack->body_count; i++) {
        TreeBody *c = &tree->bodies[i];
        if (pack->flags[i] & PH_TREE_FIXED) {
            continue;
        }
        commit_lanes(tree, c, lanes_not(sudden));
        Lanes wanted = h * c->note;
        Mask more = lanes_less(lanes_splat(PH_TREE_SUDDEN) * c->inertia, wanted);
        c->v[2] = lanes_select(more, c->v[2] * (c->inertia / wanted), c->v[2]);
        c->inertia = lanes_select(more, wanted, c->inertia);
        if (writes_back) {
            write_inertia(tree, i, more);
        }
    }
    if (tree->angles) {
        commit_angles(tree, true, lanes_not(sudden));
    }
    solve_tree(tree, TREE_SOLVE, TREE_LEAVE);
    for (uint32_t i = 0; i < pack->body_count; i++) {
        if (!(pack->flags[i] & PH_TREE_FIXED)) {
            commit_lanes(tree, &tree->bodies[i], sudden);
        }
    }
    if (tree->angles) {
        commit_angles(tree, true, sudden);
    }
}

// A tree of revolute joints that has a pack to itself, with its bodies in the lanes: part of
// kernels_source.h, after joint_lanes_passes.h.
//
// The method and each of its operations are those of joint_lanes_source.h, so the bits are those of
// the same tree in one lane. What belongs to a single body or joint (arms, errors, inertia,
// impulse, displacement) is computed for PH_LANES of them at once. Only the recursion from joint to
// joint, the elimination and its back substitution, goes one by one. Trees with limits, motors or
// springs are left to joint_lanes_passes.h.
//
// A field of TreeBody is an array over the bodies, padded to whole rows of PH_TREE_OCTET. The
// fields of the recursion are in rows of their own, where all offsets are constant. Beyond the last
// body all masses, inertias and impulses are 0. Body 0 is the only one without a parent.

// The additional fields of an octet, for which joint_lanes.c makes room: PH_TREE_ACROSS_FIELDS of
// PH_TREE_OCTET words.
typedef struct AcrossOctet {
    float moves[PH_TREE_OCTET];  // 1, or 0 for a fixed body and for none
    float joined[PH_TREE_OCTET]; // of the first of PH_LANES: 1 if the parent of each is the one
                                 // before it
    float mass[PH_TREE_OCTET], own[3][PH_TREE_OCTET]; // b and C of the body alone
    float e[2][PH_TREE_OCTET], t[2][PH_TREE_OCTET], tt[3][PH_TREE_OCTET]; // tt: square_arm()
    float h[6][PH_TREE_OCTET], g[3][PH_TREE_OCTET], d[3][PH_TREE_OCTET];
} AcrossOctet;
_Static_assert(sizeof(AcrossOctet) == 4 * PH_TREE_ACROSS_FIELDS * PH_TREE_OCTET, "fields of a row");
_Static_assert(PH_TREE_OCTET % PH_LANES == 0, "rows of whole lanes");

typedef struct AcrossTree {
    LaneTree tree;
    float *fields; // as in TreeBody
    size_t stride; // words from field to field
    AcrossOctet *octets;
    uint32_t count, first; // first: the first body that moves
} AcrossTree;

#define PH_FIELD(name) (offsetof(TreeBody, name) / sizeof(Lanes))

PH_INLINE AcrossTree across_of(const PhTreePass *pass, const PhTreePack *pack) {
    size_t stride = ((size_t)pack->body_count + PH_TREE_OCTET - 1) / PH_TREE_OCTET * PH_TREE_OCTET;
    float *octets = pack->data + PH_TREE_BODY_FIELDS * stride;
    return (AcrossTree){.tree = {pass, pack, NULL, NULL},
                        .fields = pack->data,
                        .stride = stride,
                        .octets = (AcrossOctet *)(void *)octets,
                        .count = pack->body_count,
                        .first = pack->flags[0] & PH_TREE_FIXED ? 1 : 0};
}

// Loads some fields of PH_LANES bodies, from body i on.
PH_INLINE void get(const AcrossTree *tree, uint32_t i, size_t field, int count, Lanes *out) {
    const float *from = tree->fields + field * tree->stride + i;
    for (int k = 0; k < count; k++, from += tree->stride) {
        out[k] = lanes_load(from);
    }
}
PH_INLINE void put(const AcrossTree *tree, uint32_t i, size_t field, int count, const Lanes *in) {
    float *to = tree->fields + field * tree->stride + i;
    for (int k = 0; k < count; k++, to += tree->stride) {
        lanes_store(to, in[k]);
    }
}
PH_INLINE void get_octet(const float (*from)[PH_TREE_OCTET], uint32_t i, int count, Lanes *out) {
    for (int k = 0; k < count; k++) {
        out[k] = lanes_load(&from[k][i % PH_TREE_OCTET]);
    }
}
PH_INLINE void put_octet(float (*to)[PH_TREE_OCTET], uint32_t i, int count, const Lanes *in) {
    for (int k = 0; k < count; k++) {
        lanes_store(&to[k][i % PH_TREE_OCTET], in[k]);
    }
}
PH_INLINE Mask moves_of(const AcrossTree *tree, uint32_t i) {
    Lanes moves = lanes_load(&tree->octets[i / PH_TREE_OCTET].moves[i % PH_TREE_OCTET]);
    return lanes_less(lanes_splat(0), moves);
}

PH_INLINE uint32_t parent_of(const AcrossTree *tree, uint32_t i) {
    return i == 0 || i >= tree->count ? 0 : tree->tree.pack->parent[i];
}
PH_INLINE bool is_joined(const AcrossTree *tree, uint32_t i) {
    return tree->octets[i / PH_TREE_OCTET].joined[i % PH_TREE_OCTET] > 0;
}
// Loads the same fields of their parents. For body 0, and beyond the last body, the values are
// arbitrary.
PH_INLINE void get_parents(const AcrossTree *tree, uint32_t i, size_t field, int count,
                           Lanes *out) {
    const float *from = tree->fields + field * tree->stride;
    if (is_joined(tree, i)) {
        for (int k = 0; k < count; k++, from += tree->stride) {
            memcpy(&out[k], from + i - 1, sizeof out[k]);
        }
        return;
    }
    for (int k = 0; k < count; k++, from += tree->stride) {
        float each[PH_LANES];
        for (uint32_t l = 0; l < PH_LANES; l++) {
            each[l] = from[parent_of(tree, i + l)];
        }
        memcpy(&out[k], each, sizeof out[k]);
    }
}

// ------------------------------------------------------------------------------------------------
// a pass

// Computes the errors of joints, and what depends on a single body. A relax also checks whether the
// biased solve before it was too sudden.
PH_INLINE bool ready_across(const AcrossTree *tree, TreeSweep kind, bool watch) {
    const Lanes step = lanes_splat(tree->tree.pass->h), most = lanes_splat(PH_TREE_SUDDEN);
    Mask sudden = lanes_none();
    for (uint32_t i = 0; i < tree->count; i += PH_LANES) {
        AcrossOctet *octet = &tree->octets[i / PH_TREE_OCTET];
        TreeBody c, p;
        Lanes own[3];
        get(tree, i, PH_FIELD(mass), 1, &c.mass);
        get(tree, i, PH_FIELD(inertia), 1, &c.inertia);
        get(tree, i, PH_FIELD(delta), 4, c.delta);
        get(tree, i, PH_FIELD(r), 2, c.r);
        get(tree, i, PH_FIELD(arm_p), 2, c.arm_p);
        get_parents(tree, i, PH_FIELD(delta), 4, p.delta);
        get_parents(tree, i, PH_FIELD(r), 2, p.r);
        if (kind == TREE_SHIFT) {
            get(tree, i, PH_FIELD(drive), 3, c.drive);
            get_parents(tree, i, PH_FIELD(drive), 3, p.drive);
        } else {
            get(tree, i, PH_FIELD(v), 3, c.v);
            get_parents(tree, i, PH_FIELD(v), 3, p.v);
        }
        if (kind == TREE_SOLVE) {
            get(tree, i, PH_FIELD(arm_c), 2, c.arm_c);
            get(tree, i, PH_FIELD(gap), 2, c.gap);
        }
        miss(tree->tree.pass, &c, &p, kind);
        put(tree, i, PH_FIELD(q), 2, c.q);
        put_octet(octet->e, i, 2, c.e);
        put_octet(octet->t, i, 2, c.t);
        square_arm(&c, own);
        put_octet(octet->tt, i, 3, own);
        Lanes m = c.mass, x = c.r[0], y = c.r[1];
        own[0] = m * y;
        own[1] = -(m * x);
        own[2] = c.inertia + m * (x * x + y * y);
        put_octet(octet->own, i, 3, own);
        if (watch) {
            get(tree, i, PH_FIELD(note), 1, &c.note);
            sudden = sudden | (moves_of(tree, i) & lanes_less(most * c.inertia, step * c.note));
        }
    }
    return lanes_any(sudden);
}

// A, b, C and f, y, as in collect().
typedef struct AcrossSum {
    float xx, xy, yy, bx, by, turn, fx, fy, y;
} AcrossSum;

// Adds the share of a body to its parent, if that is not the body before it.
static void give_share(const AcrossTree *tree, uint32_t parent, bool first, const float out[9]) {
    float *to = tree->fields + parent;
    for (size_t k = 0; k < 9; k++) {
        float *at = to + (k < 6 ? PH_FIELD(h) + k : PH_FIELD(g) + k - 6) * tree->stride;
        *at = first ? out[k] : *at + out[k];
    }
}
// Not inlined, so that runs without such shares pay no registers for it.
__attribute__((noinline)) static void take_share(const AcrossTree *tree, uint32_t i,
                                                 AcrossSum *all) {
    const float *from = tree->fields + i, *h = from + PH_FIELD(h) * tree->stride;
    const float *g = from + PH_FIELD(g) * tree->stride;
    size_t k = tree->stride;
    *all = (AcrossSum){all->xx + h[0],     all->xy + h[k],     all->yy + h[2 * k],
                       all->bx + h[3 * k], all->by + h[4 * k], all->turn + h[5 * k],
                       all->fx + g[0],     all->fy + g[k],     all->y + g[2 * k]};
}

// The sum of the body itself and of what its other children have added.
PH_INLINE AcrossSum own_share(const AcrossTree *tree, uint32_t i) {
    const AcrossOctet *octet = &tree->octets[i / PH_TREE_OCTET];
    uint32_t l = i % PH_TREE_OCTET;
    float m = octet->mass[l];
    AcrossSum all = {m, 0, m, octet->own[0][l], octet->own[1][l], octet->own[2][l], 0, 0, 0};
    if (tree->tree.pack->flags[i] & PH_TREE_SHARED) {
        take_share(tree, i, &all);
    }
    return all;
}

// Solves body 0, unless it is fixed. It has no joint, so no impulse.
static void find_root(const AcrossTree *tree) {
    AcrossOctet *octet = tree->octets;
    float xx = octet->h[0][0], xy = octet->h[1][0], yy = octet->h[2][0];
    float sx = octet->g[0][0], sy = octet->g[1][0];
    float inv = 1 / (xx * yy - xy * xy);
    float x = inv * (yy * sx - xy * sy), y = inv * (xx * sy - xy * sx);
    octet->d[0][0] = x;
    octet->d[1][0] = y;
    octet->d[2][0] = octet->g[2][0] - (octet->h[3][0] * x + octet->h[4][0] * y);
    octet->h[0][0] = octet->h[1][0] = octet->h[2][0] = octet->g[0][0] = octet->g[1][0] = 0;
}

// Eliminates a run of bodies, from its end on, each of which is the child of the one before.
// Returns where the run ends.
PH_INLINE uint32_t eliminate_run(const AcrossTree *tree, uint32_t i) {
    const uint32_t *parents = tree->tree.pack->parent, first = tree->first;
    const uint8_t *flags = tree->tree.pack->flags;
    AcrossOctet *octet = &tree->octets[i / PH_TREE_OCTET];
    uint32_t l = i % PH_TREE_OCTET;
    AcrossSum all = own_share(tree, i);
    for (;;) {
        float inv = 1 / all.turn, bx = all.bx, by = all.by, most = PH_TREE_MORE * (all.xx + all.yy);
        float zx = bx * inv, zy = by * inv, w = all.y * inv;
        float xx = (all.xx + most) - inv * (bx * bx), xy = all.xy - inv * (bx * by);
        float yy = (all.yy + most) - inv * (by * by), fx = all.fx - bx * w, fy = all.fy - by * w;
        octet->h[0][l] = xx;
        octet->h[1][l] = xy;
        octet->h[2][l] = yy;
        octet->h[3][l] = zx;
        octet->h[4][l] = zy;
        octet->g[0][l] = fx;
        octet->g[1][l] = fy;
        octet->g[2][l] = w;
        uint32_t parent = parents[i];
        if (i == 0 || parent < first) {
            return i;
        }
        float ex = octet->e[0][l], ey = octet->e[1][l], tx = octet->t[0][l], ty = octet->t[1][l];
        float ux = xx * tx + xy * ty, uy = xy * tx + yy * ty;
        float turn = (xx * octet->tt[0][l] + yy * octet->tt[1][l]) + xy * octet->tt[2][l];
        fx += xx * ex + xy * ey;
        fy += xy * ex + yy * ey;
        float y = tx * fx + ty * fy;
        if (parent + 1 != i) {
            const float out[9] = {xx, xy, yy, ux, uy, turn, fx, fy, y};
            give_share(tree, parent, flags[i] & PH_TREE_FIRST, out);
            return i;
        }
        i = parent;
        octet = &tree->octets[i / PH_TREE_OCTET];
        l = i % PH_TREE_OCTET;
        if (flags[i] & PH_TREE_SHARED) {
            all = own_share(tree, i);
            all = (AcrossSum){all.xx + xx,     all.xy + xy, all.yy + yy, all.bx + ux, all.by + uy,
                              all.turn + turn, all.fx + fx, all.fy + fy, all.y + y};
        } else {
            float m = octet->mass[l];
            all = (AcrossSum){m + xx,
                              xy,
                              m + yy,
                              octet->own[0][l] + ux,
                              octet->own[1][l] + uy,
                              octet->own[2][l] + turn,
                              fx,
                              fy,
                              y};
        }
    }
}

// From the leaves to the root.
static void eliminate(const AcrossTree *tree) {
    for (uint32_t i = tree->count; i > tree->first;) {
        i = eliminate_run(tree, i - 1);
    }
    if (tree->first == 0) {
        find_root(tree);
    }
}

// The part of the back substitution that can be done before it.
PH_INLINE void join_across(const AcrossTree *tree) {
    for (uint32_t i = (tree->count - 1) / PH_LANES * PH_LANES + PH_LANES; i > 0;) {
        AcrossOctet *octet = &tree->octets[(i -= PH_LANES) / PH_TREE_OCTET];
        Lanes z[2], w, t[2], e[2], turn;
        get_octet(octet->h + 3, i, 2, z);
        get_octet(octet->g + 2, i, 1, &w);
        get_octet(octet->t, i, 2, t);
        get_octet(octet->e, i, 2, e);
        turn = z[0] * t[0] + z[1] * t[1];
        w = w + (z[0] * e[0] + z[1] * e[1]);
        put_octet(octet->h + 5, i, 1, &turn);
        put_octet(octet->g + 2, i, 1, &w);
    }
}

static void substitute(const AcrossTree *tree) {
    const uint32_t *parents = tree->tree.pack->parent;
    float px = tree->octets->d[0][0], py = tree->octets->d[1][0], pw = tree->octets->d[2][0];
    for (uint32_t i = 1; i < tree->count; i++) {
        AcrossOctet *octet = &tree->octets[i / PH_TREE_OCTET];
        uint32_t l = i % PH_TREE_OCTET, parent = parents[i];
        if (parent + 1 != i) {
            const AcrossOctet *from = &tree->octets[parent / PH_TREE_OCTET];
            px = from->d[0][parent % PH_TREE_OCTET];
            py = from->d[1][parent % PH_TREE_OCTET];
            pw = from->d[2][parent % PH_TREE_OCTET];
        }
        float w =
            (octet->g[2][l] - octet->h[3][l] * px) - (octet->h[4][l] * py + octet->h[5][l] * pw);
        float x = (px - octet->e[0][l]) + pw * octet->t[0][l];
        float y = (py - octet->e[1][l]) + pw * octet->t[1][l];
        octet->d[0][l] = px = x;
        octet->d[1][l] = py = y;
        octet->d[2][l] = pw = w;
    }
}

// Applies the impulses on parents, in the order of the children.
static void pull_parents(const AcrossTree *tree) {
    float *note = tree->fields + PH_FIELD(note) * tree->stride;
    const float *pull = tree->fields + PH_FIELD(l) * tree->stride;
    for (uint32_t i = 0; i < tree->count; i += PH_LANES) {
        if (is_joined(tree, i)) {
            Lanes sum;
            memcpy(&sum, note + i - 1, sizeof sum);
            sum -= lanes_load(pull + i);
            memcpy(note + i - 1, &sum, sizeof sum);
            continue;
        }
        for (uint32_t j = i; j < i + PH_LANES && j < tree->count; j++) {
            note[parent_of(tree, j)] -= pull[j];
        }
    }
}

// Stores the results: impulses, velocities, and with TREE_MOVE displacements.
PH_INLINE void finish_across(const AcrossTree *tree, TreeSweep kind, TreeOperation operation) {
    const Lanes share = lanes_splat(tree->tree.pass->share);
    for (uint32_t i = 0; i < tree->count; i += PH_LANES) {
        const AcrossOctet *octet = &tree->octets[i / PH_TREE_OCTET];
        Mask moves = moves_of(tree, i);
        TreeBody c;
        get_octet(octet->d, i, 3, c.d);
        get(tree, i, PH_FIELD(r), 2, c.r);
        get(tree, i, PH_FIELD(v), 3, c.v);
        const Lanes was[3] = {c.v[0], c.v[1], c.v[2]};
        if (kind == TREE_SHIFT) {
            Lanes gain[3];
            get(tree, i, PH_FIELD(drive), 3, c.drive);
            gain_of(&c, c.d, gain);
            for (int k = 0; k < 3; k++) {
                c.v[k] += share * c.drive[k] + gain[k];
            }
        } else {
            get_octet(octet->h, i, 3, c.h);
            get_octet(octet->g, i, 2, c.g);
            get(tree, i, PH_FIELD(q), 2, c.q);
            Lanes lx = (c.h[0] * c.d[0] + c.h[1] * c.d[1]) - c.g[0];
            Lanes ly = (c.h[1] * c.d[0] + c.h[2] * c.d[1]) - c.g[1];
            if (kind == TREE_RELAX) {
                get(tree, i, PH_FIELD(impulse), 2, c.impulse);
                lx += c.impulse[0];
                ly += c.impulse[1];
            }
            c.note = c.r[0] * lx + c.r[1] * ly;
            c.l[0] = c.q[0] * lx + c.q[1] * ly;
            put(tree, i, PH_FIELD(note), 1, &c.note);
            put(tree, i, PH_FIELD(l), 1, c.l);
            c.impulse[0] = lx;
            c.impulse[1] = ly;
            put(tree, i, PH_FIELD(impulse), 2, c.impulse);
            if (operation == TREE_COMMIT) {
                get(tree, i, PH_FIELD(force), 2, c.force);
                c.force[0] += lx;
                c.force[1] += ly;
                put(tree, i, PH_FIELD(force), 2, c.force);
            }
            commit_body(&tree->tree, &c, c.d);
        }
        for (int k = 0; k < 3; k++) {
            c.v[k] = lanes_select(moves, c.v[k], was[k]);
        }
        put(tree, i, PH_FIELD(v), 3, c.v);
        if (operation != TREE_MOVE) {
            continue;
        }
        get(tree, i, PH_FIELD(delta), 4, c.delta);
        get(tree, i, PH_FIELD(turned), 1, &c.turned);
        get(tree, i, PH_FIELD(arm_c), 2, c.arm_c);
        put(tree, i, PH_FIELD(was), 3, was);
        put(tree, i, PH_FIELD(was) + 3, 4, c.delta);
        put(tree, i, PH_FIELD(was) + 7, 1, &c.turned);
        move_body(&tree->tree, &c);
        put(tree, i, PH_FIELD(delta), 4, c.delta);
        put(tree, i, PH_FIELD(turned), 1, &c.turned);
        put(tree, i, PH_FIELD(r), 2, c.r);
    }
    if (kind == TREE_SHIFT) {
        return;
    }
    // Body 0 has no impulse on a parent, whatever its numbers are; nor has the float before the
    // first body.
    tree->fields[PH_FIELD(note) * tree->stride] = tree->fields[PH_FIELD(l) * tree->stride] = 0;
    pull_parents(tree);
}

PH_INLINE void solve_across(const AcrossTree *tree, TreeSweep kind, TreeOperation operation) {
    eliminate(tree);
    join_across(tree);
    substitute(tree);
    finish_across(tree, kind, operation);
}

// ------------------------------------------------------------------------------------------------
// a step

static void start_across(const AcrossTree *tree) {
    for (uint32_t i = 0; i < tree->count; i += PH_LANES) {
        Mask moves = moves_of(tree, i);
        TreeBody c;
        get(tree, i, PH_FIELD(inertia), 1, &c.inertia);
        get(tree, i, PH_FIELD(own), 1, &c.own);
        get(tree, i, PH_FIELD(v), 3, c.v);
        get(tree, i, PH_FIELD(drive), 3, c.drive);
        get(tree, i, PH_FIELD(note), 1, &c.note);
        if (tree->tree.pack->damped) {
            get(tree, i, PH_FIELD(damping), 3, c.damping);
        }
        const Lanes was[3] = {c.v[0], c.v[1], c.v[2]};
        start_body(&tree->tree, &c);
        for (int k = 0; k < 3; k++) {
            c.v[k] = lanes_select(moves, c.v[k], was[k]);
        }
        put(tree, i, PH_FIELD(inertia), 1, &c.inertia);
        put(tree, i, PH_FIELD(v), 3, c.v);
    }
}

// Undoes a biased solve that moved all bodies too suddenly, and increases the inertia.
static void retract(const AcrossTree *tree) {
    const Lanes h = lanes_splat(tree->tree.pass->h), sudden = lanes_splat(PH_TREE_SUDDEN);
    for (uint32_t i = 0; i < tree->count; i += PH_LANES) {
        TreeBody c;
        get(tree, i, PH_FIELD(was), 8, c.was);
        get(tree, i, PH_FIELD(arm_c), 2, c.arm_c);
        get(tree, i, PH_FIELD(inertia), 1, &c.inertia);
        get(tree, i, PH_FIELD(note), 1, &c.note);
        for (int k = 0; k < 4; k++) {
            c.delta[k] = c.was[3 + k];
        }
        turn_arm(&c);
        Lanes wanted = h * c.note;
        Mask more = moves_of(tree, i) & lanes_less(sudden * c.inertia, wanted);
        c.was[2] = lanes_select(more, c.was[2] * (c.inertia / wanted), c.was[2]);
        c.inertia = lanes_select(more, wanted, c.inertia);
        put(tree, i, PH_FIELD(v), 3, c.was);
        put(tree, i, PH_FIELD(delta), 5, c.was + 3);
        put(tree, i, PH_FIELD(r), 2, c.r);
        put(tree, i, PH_FIELD(inertia), 1, &c.inertia);
    }
}

static void step_across(const AcrossTree *tree) {
    start_across(tree);
    ready_across(tree, TREE_SOLVE, false);
    solve_across(tree, TREE_SOLVE, TREE_MOVE);
    if (ready_across(tree, TREE_RELAX, true)) {
        retract(tree);
        ready_across(tree, TREE_SOLVE, false);
        solve_across(tree, TREE_SOLVE, TREE_MOVE);
        ready_across(tree, TREE_RELAX, false);
    }
    solve_across(tree, TREE_RELAX, TREE_COMMIT);
}

static void shift_across(const AcrossTree *tree) {
    ready_across(tree, TREE_SHIFT, false);
    solve_across(tree, TREE_SHIFT, TREE_LEAVE);
}

static void load_across(const AcrossTree *tree) {
    const PhTreePass *pass = tree->tree.pass;
    const PhTreePack *pack = tree->tree.pack;
    for (uint32_t i = 0; i < tree->count; i += PH_LANES) {
        AcrossOctet *octet = &tree->octets[i / PH_TREE_OCTET];
        uint32_t solver_bodies[PH_LANES];
        bool joined = true;
        TreeBody c;
        Lanes quad[4];
        for (uint32_t l = 0; l < PH_LANES; l++) {
            uint32_t j = i + l;
            bool one = j < tree->count;
            solver_bodies[l] = pack->solver_bodies[one ? j : i];
            joined &= !one || j == 0 || pack->parent[j] + 1 == j;
            octet->moves[j % PH_TREE_OCTET] = one && j >= tree->first ? 1 : 0;
        }
        octet->joined[i % PH_TREE_OCTET] = joined ? 1 : 0;
        get(tree, i, PH_FIELD(mass), 1, &c.mass);
        put_octet(&octet->mass, i, 1, &c.mass);
        lanes_load_quads(pass->solver_bodies.velocity, solver_bodies, quad);
        put(tree, i, PH_FIELD(v), 3, quad);
        lanes_load_quads(pass->solver_bodies.delta, solver_bodies, c.delta);
        load_numbers(pass->solver_bodies.turned, solver_bodies, &c.turned);
        get(tree, i, PH_FIELD(arm_c), 2, c.arm_c);
        turn_arm(&c);
        put(tree, i, PH_FIELD(delta), 4, c.delta);
        put(tree, i, PH_FIELD(turned), 1, &c.turned);
        put(tree, i, PH_FIELD(r), 2, c.r);
        lanes_load_quads(pass->solver_bodies.drive, solver_bodies, quad);
        put(tree, i, PH_FIELD(drive), 3, quad);
        lanes_load_quads(pass->solver_bodies.damping, solver_bodies, quad);
        put(tree, i, PH_FIELD(damping), 3, quad);
    }
}

static void store_across(const AcrossTree *tree, bool places) {
    const PhSolverBodyArrays *to = &tree->tree.pass->solver_bodies;
    for (uint32_t i = tree->first; i < tree->count; i++) {
        uint32_t at = tree->tree.pack->solver_bodies[i] / 4;
        const float *v = tree->fields + PH_FIELD(v) * tree->stride + i;
        const float *delta = tree->fields + PH_FIELD(delta) * tree->stride + i;
        float *velocity = (float *)to->velocity + at, *place = (float *)to->delta + at;
        for (size_t k = 0; k < 3; k++) {
            velocity[k] = v[k * tree->stride];
        }
        for (size_t k = 0; k < 4 && places; k++) {
            place[k] = delta[k * tree->stride];
        }
        if (places) {
            to->turned[at / 4] = delta[4 * tree->stride];
        }
    }
}

static void pass_across(const PhTreePass *pass, const PhTreePack *pack) {
    AcrossTree tree = across_of(pass, pack);
    if (pass->kind == PH_TREE_START) {
        load_across(&tree);
    }
    if (pass->kind != PH_TREE_RUN && pack->joints_only) {
        shift_across(&tree);
    }
    for (int32_t k = 0; k < pass->substeps && pass->kind == PH_TREE_RUN; k++) {
        step_across(&tree);
    }
    if (pass->kind == PH_TREE_END || (pass->kind == PH_TREE_RUN && pass->watched)) {
        store_across(&tree, true);
    }
}

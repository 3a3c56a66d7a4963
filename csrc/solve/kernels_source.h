// Contact kernels of soft_step: one source for every width. The including unit sets PH_LANES,
// PH_KERNELS, PH_KERNELS_NAME, PH_MANIFOLDS.
//
// Symbols. n: unit normal from a to b; t = (ny, -nx): tangent. r: point from the centre of mass of
// a or b.
//   rn = r x n and nt = r . n (r x t = -nt) are constants of a step: the Jacobian in contact space.
//   Relative velocity at a point: vn = (vb - va) . n + wb rnb - wa rna, vt = (vb - va) . t - wb ntb
//   + wa nta. Separation of the moved point: s = s0 + (db - da) . n + [(cos - 1) nt + sin rn]_b -
//   [...]_a.
// Invariant: lanes never exchange data, and all lanes of two wide contacts that follow each other
// have different dynamic bodies (hubs.c); so order and bits of every operation on a contact are the
// same at every width.
//
// Sources: E. Catto, "Fast and Simple Physics using Sequential Impulses" (GDC 2006), "Soft
// Constraints" (GDC 2011) and "Solver2D" (2024); M. Macklin et al., "Small Steps in Physics
// Simulation" (2019).
#include <float.h>
#include <stddef.h>

#include "math/four.h"
#include "math/lanes.h"
#include "math/rotation_step.h"

#include "solve/wide_contacts_source.h"

#define LANES_CONSTANT(x) lanes_splat((float)(x))
PH_ROTATION_STEP(Lanes, LANES_CONSTANT, rotate_lanes)
PH_ROTATION_STEP(float, (float), rotate_float)

// Of an impact: normals and friction are found anew so often at most, see comes_in in PhLengths.
enum { SLIDING_ROUNDS = 40 };

// What few wide contacts need, out of the way of the others: inlined it would cost them registers.
#define PH_SELDOM static __attribute__((noinline))

// ------------------------------------------------------------------------------------------------
// passes

PH_INLINE void warm_start_wide_contacts(const PhPass *pass, PhWideParts parts, uint32_t count,
                                        bool fixed, bool surface) {
    const WideContact *k = parts.wide_contacts;
    const Rest *r = parts.rests;
    const Extra *extra = parts.extras;
    float(*velocity)[4] = pass->solver_bodies.velocity;
    for (uint32_t i = 0; i < count; i++, k++, r++) {
        const Point *p = &k->point[0], *q = &k->point[1];
        const RestPoint *o = &r->point[0], *u = &r->point[1];
        Lanes a[4], b[4];
        Lanes jn = p->normal_impulse + q->normal_impulse;
        Lanes jt = o->tangent_impulse + u->tangent_impulse;
        Lanes px = jn * k->nx + jt * k->ny, py = jn * k->ny - jt * k->nx;
        Lanes roll = surface ? extra[i].rolling_impulse : lanes_splat(0);
        lanes_load_quads(velocity, k->solver_a, a);
        a[0] -= k->mass_a * px;
        a[1] -= k->mass_a * py;
        a[2] -= k->inertia_a * (p->rn_a * p->normal_impulse + q->rn_a * q->normal_impulse -
                                o->nt_a * o->tangent_impulse - u->nt_a * u->tangent_impulse + roll);
        lanes_store_quads(velocity, k->solver_a, a);
        if (fixed) {
            continue;
        }
        lanes_load_quads(velocity, k->solver_b, b);
        b[0] += k->mass_b * px;
        b[1] += k->mass_b * py;
        b[2] += k->inertia_b * (p->rn_b * p->normal_impulse + q->rn_b * q->normal_impulse -
                                o->nt_b * o->tangent_impulse - u->nt_b * u->tangent_impulse + roll);
        lanes_store_quads(velocity, k->solver_b, b);
    }
}

// x + d in some lanes; others keep their bits, the sign of a zero too.
PH_INLINE Lanes add_in(Mask mask, Lanes x, Lanes d) {
    return lanes_select(mask, x + d, x);
}

// The new normal impulses of both points of a contact: the one pair that is not negative and leaves
// no approach, w = A x + q >= 0, x >= 0, w x = 0, of which both, the first, the second or none may
// be positive (E. Catto, "Iterative Dynamics with Temporal Coherence", GDC 2005, on contact wide
// contacts). In rows that are divided by their own diagonal A is 1, c0; c1, 1 and q is -alone: what
// each point would get if the other one had nothing. `both` has no velocity left at either point.
// Where it is negative at one point, nothing acts there, and the other point gets what is due to it
// alone, or nothing if that is negative: as c0 c1 < 1, no more is to be told apart.
PH_INLINE void solve_pair(const Lanes isolated[2], Lanes c0, Lanes c1, Lanes scale,
                          Lanes total[2]) {
    const Lanes zero = lanes_splat(0);
    Lanes both0 = scale * (isolated[0] - c0 * isolated[1]),
          both1 = scale * (isolated[1] - c1 * isolated[0]);
    total[0] = lanes_max(lanes_by_sign(both1, isolated[0], both0), zero);
    total[1] = lanes_max(lanes_by_sign(both0, isolated[1], both1), zero);
}

// What each point of a wide contact would get if the other one had nothing, in a hard row. gap:
// velocity that is too much with the impulses `old`; a point that is not there gets nothing.
PH_INLINE void find_isolated(const WideContact *k, const Lanes old[2], const Lanes gap[2],
                             Lanes isolated[2]) {
    for (int j = 0; j < 2; j++) {
        const Point *p = &k->point[j];
        isolated[j] = old[j] + p->shared * old[1 - j] - p->normal_mass * gap[j];
    }
}

// How far apart the points of a wide contact are when its bodies stand at a and b. extra: NULL
// where the arms in the wide contact are those of the start of the step.
PH_INLINE void gaps_at(const WideContact *k, const Rest *r, const Extra *extra, const Lanes a[4],
                       const Lanes b[4], Lanes gap[2]) {
    Lanes along = (b[0] - a[0]) * k->nx + (b[1] - a[1]) * k->ny;
    along += b[2] * r->radius_b + a[2] * r->radius_a;
    for (int j = 0; j < 2; j++) {
        const RestPoint *o = &r->point[j];
        Lanes nt_a = extra ? extra->nt_a[j] : o->nt_a, nt_b = extra ? extra->nt_b[j] : o->nt_b;
        Lanes rn_a = extra ? extra->rn_a[j] : k->point[j].rn_a;
        Lanes rn_b = extra ? extra->rn_b[j] : k->point[j].rn_b;
        gap[j] = o->separation + along + b[2] * nt_b + b[3] * rn_b - a[2] * nt_a - a[3] * rn_a;
    }
}

// Where both bodies of a wide contact are now.
PH_INLINE void load_places(const PhPass *pass, const WideContact *k, Lanes a[4], Lanes b[4]) {
    lanes_load_quads(pass->solver_bodies.delta, k->solver_a, a);
    lanes_load_quads(pass->solver_bodies.delta, k->solver_b, b);
}

// Of b against a, at the centres of mass.
PH_INLINE Lanes normal_speed_of(const WideContact *k, const Lanes a[4], const Lanes b[4]) {
    return (b[0] - a[0]) * k->nx + (b[1] - a[1]) * k->ny;
}

PH_INLINE void speeds_of(const WideContact *k, const Lanes a[4], const Lanes b[4], Lanes vn[2]) {
    Lanes un = normal_speed_of(k, a, b);
    for (int j = 0; j < 2; j++) {
        const Point *p = &k->point[j];
        vn[j] = un + b[2] * p->rn_b - a[2] * p->rn_a;
    }
}

#include "solve/arms_source.h"

// A wide contact within a pass.
typedef struct ContactState {
    WideContact *k;
    Rest *r;
    Extra *extra;
    Lanes a[4], b[4]; // velocities of its bodies
    Lanes un, ut;     // of b against a along normal and tangent: found by the pass; now
    Lanes vn[2];      // of the points along the normal, as the pass found them
    Lanes jn, jt;     // impulses of the pass
    Lanes mass_sum;
    Lanes own[2]; // own_speeds, once they are known
    bool knows_own;
    Mask moves, jammed; // see find_separable
    Lanes deep;         // separation below which it is separated
} ContactState;

// What a pass is made for: constants where it is inlined.
typedef struct Kind {
    bool soft, fixed, extra;
    bool deep; // soft, but deep overlaps are left to PH_SEPARATE
    bool last; // relaxation of the step
    bool free; // of a batch that nothing holds
} Kind;

// What all wide contacts of a pass have in common.
typedef struct Common {
    const PhPass *pass;
    Lanes inv_h, rate, scale, limit_separation;
    Lanes thrown, stopped_at_once, comes_in, stays, never; // m/s
    Lanes open_gap, bears, deep, deep_if_free;             // the latter of what bounces
} Common;

PH_INLINE Common common_of(const PhPass *pass, bool fixed) {
    const PhSoftness softness = pass->soft[fixed];
    return (Common){
        .pass = pass,
        .inv_h = lanes_splat(pass->inv_h),
        .rate = lanes_splat(softness.bias_rate),
        .scale = lanes_splat(softness.mass_scale),
        .limit_separation = lanes_splat(-pass->push_speed),
        .thrown = lanes_load(pass->lengths->lane.thrown_apart),
        .stopped_at_once = lanes_load(pass->lengths->lane.stopped_at_once),
        .comes_in = lanes_load(pass->lengths->lane.comes_in),
        .stays = lanes_load(pass->lengths->lane.stays),
        .never = lanes_load(pass->lengths->lane.never),
        .open_gap = lanes_load(pass->lengths->lane.open_gap),
        .bears = lanes_splat(pass->bears),
        .deep = lanes_splat(0) - lanes_load(pass->lengths->lane.deep_overlap),
        .deep_if_free = lanes_splat(0) - lanes_load(pass->lengths->lane.free_overlap),
    };
}

// Lanes of which a body may have a pseudo-velocity; jammed: lanes of two bodies with joints, in
// entangled islands.
PH_INLINE Mask find_separable(const PhPass *pass, const WideContact *k, Mask *jammed) {
    const Lanes zero = lanes_splat(0);
    Lanes a[4], b[4];
    lanes_load_quads(pass->solver_bodies.pseudo, k->solver_a, a);
    lanes_load_quads(pass->solver_bodies.pseudo, k->solver_b, b);
    const Lanes most = lanes_max(a[3], b[3]);
    *jammed = lanes_less(most, zero);
    return lanes_less(zero, most);
}

// Separations of a wide contact that are deep. Of what bounces, in a batch that nothing holds, next
// to all: what pushes it apart by velocities would change its energy.
PH_INLINE Lanes deep_of(const Common *c, PhWideParts parts, uint32_t i) {
    if (!c->pass->free) {
        return c->deep;
    }
    Mask bounces = lanes_less(lanes_splat(0), ((const Extra *)parts.extras)[i].restitution);
    return lanes_select(bounces, c->deep_if_free, c->deep);
}

// What bounces, in a batch that nothing holds, and has come into each other within the step is left
// so until the next one begins, which separates it by displacements: in some lanes.
PH_INLINE void leave_to_next_step(const PhPass *pass, const WideContact *k, const Extra *extra,
                                  Mask lanes, Lanes gap[2]) {
    const Lanes zero = lanes_splat(0);
    const Lanes deep = zero - lanes_load(pass->lengths->lane.free_overlap);
    lanes =
        lanes & lanes_less(lanes_min(gap[0], gap[1]), deep) & lanes_less(zero, extra->restitution);
    if (!lanes_any(lanes)) {
        return;
    }
    if (pass->separates) {
        Mask jammed;
        lanes = lanes & lanes_not(find_separable(pass, k, &jammed));
    }
    for (int j = 0; j < 2; j++) {
        gap[j] = lanes_select(lanes, lanes_max(gap[j], zero), gap[j]);
    }
}

PH_INLINE Lanes normal_speed(const ContactState *f, const Point *p) {
    return f->un + f->b[2] * p->rn_b - f->a[2] * p->rn_a;
}

PH_INLINE void load_contact(ContactState *f, const Common *c, PhWideParts parts, uint32_t i,
                            Kind kind) {
    WideContact *k = (WideContact *)parts.wide_contacts + i;
    f->k = k;
    f->r = (Rest *)parts.rests + i;
    f->extra = kind.extra ? (Extra *)parts.extras + i : NULL;
    if (kind.extra) {
        f->own[0] = f->own[1] = lanes_splat(0);
        f->knows_own = false;
    }
    if (!kind.soft) {
        Lanes a[4], b[4], gap[2];
        load_places(c->pass, k, a, b);
        if (kind.free) {
            f->extra->later = lanes_splat(0);
            carry_arms_on(lanes_not(lanes_none()), c->pass, a, b, k, f->r, f->extra);
        }
        gaps_at(k, f->r, f->extra, a, b, gap);
        if (kind.free) {
            leave_to_next_step(c->pass, k, f->extra, lanes_not(lanes_none()), gap);
        }
        for (int j = 0; j < 2; j++) {
            k->point[j].gap = gap[j];
        }
    }
    lanes_load_quads(c->pass->solver_bodies.velocity, k->solver_a, f->a);
    lanes_load_quads(c->pass->solver_bodies.velocity, k->solver_b, f->b);
    f->a[3] = f->b[3] = lanes_splat(0); // as they are
    if (kind.deep) {
        f->moves = f->jammed = lanes_none();
        f->deep = deep_of(c, parts, i);
        if (c->pass->jammed ||
            lanes_any(lanes_less(lanes_min(k->point[0].gap, k->point[1].gap), f->deep))) {
            f->moves = find_separable(c->pass, k, &f->jammed);
        }
    }
    Lanes dvx = f->b[0] - f->a[0], dvy = f->b[1] - f->a[1];
    f->un = dvx * k->nx + dvy * k->ny;
    f->ut = dvx * k->ny - dvy * k->nx;
    if (kind.extra) {
        f->ut -= f->extra->tangent_speed;
    }
    f->mass_sum = kind.fixed ? k->mass_a : k->mass_a + k->mass_b;
    for (int j = 0; j < 2; j++) {
        f->vn[j] = normal_speed(f, &k->point[j]);
    }
}

// Normal velocities of the points of a wide contact that the bodies have of themselves: without
// what contacts, gravity and forces have given them in this substep. What rests has none, however
// hard it is pressed, and however wrong the contacts around it still are.
PH_SELDOM void own_speeds(const PhPass *pass, const WideContact *k, bool fixed, Lanes speed[2]) {
    Lanes a[4], b[4], drive[4];
    load_drive(pass, k->solver_a, false, drive);
    velocities_before(pass, k->solver_a, drive, a);
    load_drive(pass, k->solver_b, fixed, drive);
    velocities_before(pass, k->solver_b, drive, b);
    speeds_of(k, a, b, speed);
}

// Lanes whose points come fast: in a relaxation they are left to their impact.
PH_INLINE void find_waiting(ContactState *f, const Common *c, const Lanes vn[2], bool fixed,
                            Mask waits[2]) {
    const Lanes least = lanes_splat(0) - f->extra->least;
    if (!f->knows_own) { // they stay in a pass
        Lanes own[2];
        own_speeds(c->pass, f->k, fixed, own);
        f->own[0] = own[0];
        f->own[1] = own[1];
        f->knows_own = true;
    }
    for (int j = 0; j < 2; j++) {
        waits[j] = lanes_less(vn[j], least) & lanes_less(f->own[j], least);
    }
}

#include "solve/thrown_source.h"

// How much of the normal velocities `vn` of the points is too much in a hard row: gaps may be
// closed within the substep, and what meets in the next step or waits for its impact is left to
// that, unless it has borne something in this step. Who would not be stopped now need not be asked.
PH_INLINE void hard_gaps(ContactState *f, const Common *c, const Lanes vn[2], Kind kind,
                         Lanes gap[2]) {
    const Lanes zero = lanes_splat(0), never = c->never;
    Mask stops = lanes_none();
    for (int j = 0; j < 2; j++) {
        const Point *p = &f->k->point[j];
        gap[j] = vn[j] + lanes_max(p->gap * c->inv_h, zero);
        if (kind.last) {
            Mask open =
                lanes_less(c->open_gap, p->gap) & ~lanes_less(c->bears, f->r->total_normal[j]);
            gap[j] = lanes_select(open, never, gap[j]);
        }
        stops = stops | lanes_less(gap[j], zero) | lanes_less(zero, p->normal_impulse);
    }
    if (!kind.extra || c->pass->stirred ||
        !lanes_any(stops & lanes_less(lanes_min(vn[0], vn[1]), zero - f->extra->least))) {
        return;
    }
    Mask waits[2];
    find_waiting(f, c, vn, kind.fixed, waits);
    for (int j = 0; j < 2; j++) {
        gap[j] = lanes_select(waits[j], never, gap[j]);
    }
}

// A soft row is (1 + s) K d = -(vn + bias + s K old), and 1 / (1 + s) is the mass scale: as a row
// for the whole impulse it is a hard one, times that scale. Hard is a row of points that are apart,
// and of what comes fast, which is stopped at once: soft rows would let part of it through.
PH_INLINE void soft_normals(const ContactState *f, const Common *c, const Lanes old[2], Kind kind,
                            Lanes total[2]) {
    const Lanes one = lanes_splat(1);
    const WideContact *k = f->k;
    Lanes gap[2], isolated[2], shared[2], scale[2];
    Mask fast = lanes_less(lanes_min(f->vn[0], f->vn[1]), -c->stopped_at_once);
    for (int j = 0; j < 2; j++) {
        Lanes s = k->point[j].gap;
        Mask apart = lanes_less(lanes_splat(0), s);
        Lanes bias = lanes_max(s * lanes_select(apart, c->inv_h, c->rate), c->limit_separation);
        scale[j] = lanes_select(apart | fast, one, c->scale);
        if (kind.deep) {
            Mask deep = lanes_less(s, f->deep) & f->moves;
            bias = lanes_select(deep, lanes_splat(0), bias);
            bias = lanes_select(f->jammed, lanes_max(bias, c->deep * c->rate), bias);
            scale[j] = lanes_select(deep, one, scale[j]);
        }
        gap[j] = f->vn[j] + bias;
    }
    find_isolated(k, old, gap, isolated);
    for (int j = 0; j < 2; j++) {
        isolated[j] = scale[j] * isolated[j];
        shared[j] = scale[j] * k->point[j].shared;
    }
    solve_pair(isolated, shared[0], shared[1], one / (one - shared[0] * shared[1]), total);
}

PH_INLINE void normals(ContactState *f, const Common *c, Kind kind) {
    WideContact *k = f->k;
    Point *p = &k->point[0], *q = &k->point[1];
    const Lanes old[2] = {p->normal_impulse, q->normal_impulse};
    Lanes gap[2], isolated[2], total[2];
    if (kind.soft) {
        soft_normals(f, c, old, kind, total);
    } else {
        hard_gaps(f, c, f->vn, kind, gap);
        find_isolated(k, old, gap, isolated);
        solve_pair(isolated, p->shared, q->shared, f->r->pair_scale, total);
        for (int j = 0; j < 2; j++) {
            f->r->total_normal[j] += total[j];
        }
    }
    p->normal_impulse = total[0];
    q->normal_impulse = total[1];
    Lanes first = total[0] - old[0], second = total[1] - old[1];
    f->jn = first + second;
    f->a[2] -= k->inertia_a * (p->rn_a * first + q->rn_a * second);
    if (!kind.fixed) {
        f->b[2] += k->inertia_b * (p->rn_b * first + q->rn_b * second);
    }
}

PH_INLINE void friction(ContactState *f, int j, Kind kind) {
    WideContact *k = f->k;
    Rest *r = f->r;
    RestPoint *o = &r->point[j];
    Lanes vt = f->ut - f->b[2] * o->nt_b + f->a[2] * o->nt_a;
    Lanes limit = r->friction * k->point[j].normal_impulse, old = o->tangent_impulse;
    Lanes total = lanes_max(-limit, lanes_min(old - o->tangent_mass * vt, limit));
    Lanes impulse = total - old;
    o->tangent_impulse = total;
    r->total_tangent[j] += total;
    f->jt = j == 0 ? impulse : f->jt + impulse;
    f->ut += f->mass_sum * impulse;
    f->a[2] += k->inertia_a * o->nt_a * impulse;
    if (!kind.fixed) {
        f->b[2] -= k->inertia_b * o->nt_b * impulse;
    }
}

// Lanes in which friction has made a point come in.
PH_INLINE Mask slides_in(const ContactState *f, const Common *c, Kind kind) {
    const Point *p = &f->k->point[0], *q = &f->k->point[1];
    Lanes first = f->b[2] * p->rn_b - f->a[2] * p->rn_a;
    Lanes second = f->b[2] * q->rn_b - f->a[2] * q->rn_a;
    if (kind.extra) { // an impact comes from afar
        Mask comes = lanes_less(f->extra->least, lanes_splat(FLT_MAX));
        first += lanes_keep(comes, lanes_max(p->gap * c->inv_h, lanes_splat(0)));
        second += lanes_keep(comes, lanes_max(q->gap * c->inv_h, lanes_splat(0)));
    }
    Lanes un = f->un + f->mass_sum * f->jn;
    return lanes_less(un + lanes_min(first, second), -c->comes_in);
}

// Lanes in which a point comes in, and faster than it is to; gap: by how much.
PH_INLINE Mask comes_in(ContactState *f, const Common *c, Lanes limit, Kind kind, Lanes gap[2]) {
    Lanes un = f->un + f->mass_sum * f->jn;
    Lanes vn[2];
    for (int j = 0; j < 2; j++) {
        const Point *p = &f->k->point[j];
        vn[j] = un + f->b[2] * p->rn_b - f->a[2] * p->rn_a;
    }
    hard_gaps(f, c, vn, kind, gap);
    Mask any = lanes_none();
    for (int j = 0; j < 2; j++) {
        Mask valid = lanes_less(lanes_splat(0), f->k->point[j].normal_mass);
        any = any | (valid & lanes_less(gap[j], limit));
    }
    return any;
}

// Normal impulses and friction of an impact belong together: where friction makes a point come in,
// normal impulses move over to it, in the lanes `active`. Others keep their bits. gap: see
// comes_in.
PH_SELDOM void settle_slide(ContactState *f, Mask active, Lanes gap[2], const Common *c,
                            Kind kind) {
    WideContact *k = f->k;
    for (int round = 0; round < SLIDING_ROUNDS && lanes_any(active); round++) {
        Lanes isolated[2], total[2];
        const Lanes old[2] = {k->point[0].normal_impulse, k->point[1].normal_impulse};
        find_isolated(k, old, gap, isolated);
        solve_pair(isolated, k->point[0].shared, k->point[1].shared, f->r->pair_scale, total);
        for (int j = 0; j < 2; j++) {
            Point *p = &k->point[j];
            Lanes impulse = total[j] - old[j];
            p->normal_impulse = lanes_select(active, total[j], old[j]);
            f->r->total_normal[j] = add_in(active, f->r->total_normal[j], impulse);
            f->jn = add_in(active, f->jn, impulse);
            f->a[2] = add_in(active, f->a[2], -k->inertia_a * p->rn_a * impulse);
            if (!kind.fixed) {
                f->b[2] = add_in(active, f->b[2], k->inertia_b * p->rn_b * impulse);
            }
        }
        for (int j = 0; j < 2; j++) {
            RestPoint *o = &f->r->point[j];
            Lanes vt = f->ut - f->b[2] * o->nt_b + f->a[2] * o->nt_a, was = o->tangent_impulse;
            Lanes most = f->r->friction * k->point[j].normal_impulse;
            Lanes now = lanes_max(-most, lanes_min(was - o->tangent_mass * vt, most));
            Lanes impulse = now - was;
            o->tangent_impulse = lanes_select(active, now, was);
            f->r->total_tangent[j] = add_in(active, f->r->total_tangent[j], impulse);
            f->jt = add_in(active, f->jt, impulse);
            f->ut = add_in(active, f->ut, f->mass_sum * impulse);
            f->a[2] = add_in(active, f->a[2], k->inertia_a * o->nt_a * impulse);
            if (!kind.fixed) {
                f->b[2] = add_in(active, f->b[2], -k->inertia_b * o->nt_b * impulse);
            }
        }
        active = active & comes_in(f, c, -c->stays, kind, gap);
    }
}

PH_INLINE void settle(ContactState *f, Mask slides, const Common *c, Kind kind) {
    Lanes gap[2];
    slides = slides & comes_in(f, c, -c->comes_in, kind, gap);
    if (!lanes_any(slides)) {
        return;
    }
    ContactState copy; // what settle_slide knows
    copy.k = f->k;
    copy.r = f->r;
    copy.extra = f->extra;
    copy.a[2] = f->a[2];
    copy.b[2] = f->b[2];
    copy.un = f->un;
    copy.ut = f->ut;
    copy.jn = f->jn;
    copy.jt = f->jt;
    copy.mass_sum = f->mass_sum;
    if (kind.extra) {
        copy.own[0] = f->own[0];
        copy.own[1] = f->own[1];
        copy.knows_own = f->knows_own;
    }
    settle_slide(&copy, slides, gap, c, kind);
    f->a[2] = copy.a[2];
    f->b[2] = copy.b[2];
    f->ut = copy.ut;
    f->jn = copy.jn;
    f->jt = copy.jt;
}

PH_INLINE void rolling(ContactState *f, Kind kind) {
    Extra *e = f->extra;
    if (!lanes_any(lanes_less(lanes_splat(0), e->rolling_mass))) {
        f->b[2] += lanes_splat(0); // an impulse of 0 has no other effect
        return;
    }
    Lanes load = f->k->point[0].normal_impulse + f->k->point[1].normal_impulse;
    Lanes limit = e->rolling_radius * load, old = e->rolling_impulse;
    Lanes wanted = old - e->rolling_mass * (f->b[2] - f->a[2]);
    Lanes total = lanes_max(-limit, lanes_min(wanted, limit)), impulse = total - old;
    e->rolling_impulse = total;
    f->a[2] -= f->k->inertia_a * impulse;
    if (!kind.fixed) {
        f->b[2] += f->k->inertia_b * impulse;
    }
}

PH_INLINE void store_contact(ContactState *f, const Common *c, Kind kind) {
    WideContact *k = f->k;
    Lanes px = f->jn * k->nx, py = f->jn * k->ny;
    if (!kind.soft) {
        px += f->jt * k->ny;
        py -= f->jt * k->nx;
    }
    f->a[0] -= k->mass_a * px;
    f->a[1] -= k->mass_a * py;
    lanes_store_quads(c->pass->solver_bodies.velocity, k->solver_a, f->a);
    if (kind.fixed) {
        return;
    }
    f->b[0] += k->mass_b * px;
    f->b[1] += k->mass_b * py;
    lanes_store_quads(c->pass->solver_bodies.velocity, k->solver_b, f->b);
}

// One wide contact, or two side by side: in each, most operations wait for the one before, and what
// the other can do meanwhile is further ahead than a processor looks. Three gain no more.
PH_INLINE void solve_contacts(ContactState *f, ContactState *g, const Common *c, Kind kind) {
    Mask first, second = lanes_none();
    if (kind.soft) {
        first = is_thrown(f, c);
        second = g ? is_thrown(g, c) : second;
        if (lanes_any(first | second)) {
            without_impact(f, first, kind);
            if (g) {
                without_impact(g, second, kind);
            }
        }
    }
    normals(f, c, kind);
    if (g) {
        normals(g, c, kind);
    }
    if (!kind.soft) {
        friction(f, 0, kind);
        if (g) {
            friction(g, 0, kind);
        }
        friction(f, 1, kind);
        if (g) {
            friction(g, 1, kind);
        }
        first = slides_in(f, c, kind);
        second = g ? slides_in(g, c, kind) : second;
        if (lanes_any(first | second)) {
            settle(f, first, c, kind);
            if (g) {
                settle(g, second, c, kind);
            }
        }
        if (kind.extra) {
            rolling(f, kind);
            if (g) {
                rolling(g, kind);
            }
        }
    }
    store_contact(f, c, kind);
    if (g) {
        store_contact(g, c, kind);
    }
}

// One pass over a color. soft: pushes overlaps apart with a soft mass, normal only. Otherwise: hard
// normal without bias, then friction, then rolling resistance. Both normal impulses of a contact
// are found at once: one after the other they would turn a body that lands flat. Points that are
// still apart may close their gap within the substep, no more.
PH_INLINE void solve_wide_contacts(const PhPass *pass, PhWideParts parts, uint32_t count,
                                   Kind kind) {
    const Common common = common_of(pass, kind.fixed);
    uint32_t i = 0;
    ContactState f, g;
    // Contacts of one lane may share bodies: they stay one after the other.
    for (; PH_LANES > 1 && i + 1 < count; i += 2) {
        load_contact(&f, &common, parts, i, kind);
        load_contact(&g, &common, parts, i + 1, kind);
        solve_contacts(&f, &g, &common, kind);
    }
    for (; i < count; i++) {
        load_contact(&f, &common, parts, i, kind);
        solve_contacts(&f, NULL, &common, kind);
    }
}

#include "solve/middle_source.h"

#include "solve/separation_source.h"

#include "solve/impact_source.h"

#define WARM_START(name, fixed, surface)                                                           \
    static void name(const PhPass *pass, PhWideParts parts, uint32_t count) {                      \
        warm_start_wide_contacts(pass, parts, count, fixed, surface);                              \
    }
WARM_START(warm_start, false, false)
WARM_START(warm_start_fixed, true, false)
WARM_START(warm_start_surface, false, true)
WARM_START(warm_start_surface_fixed, true, true)

#define SOLVE(name, soft, fixed)                                                                   \
    static void name(const PhPass *pass, PhWideParts parts, uint32_t count) {                      \
        if (!soft && pass->last)                                                                   \
            solve_wide_contacts(pass, parts, count, (Kind){soft, fixed, .last = true});            \
        else                                                                                       \
            solve_wide_contacts(pass, parts, count, (Kind){soft, fixed, .last = false});           \
    }
SOLVE(solve, true, false)
SOLVE(solve_fixed, true, true)
SOLVE(relax, false, false)
SOLVE(relax_fixed, false, true)

#define SOLVE_DEEP(name, fixed)                                                                    \
    static void name(const PhPass *pass, PhWideParts parts, uint32_t count) {                      \
        solve_wide_contacts(pass, parts, count, (Kind){.soft = true, fixed, .deep = true});        \
    }
SOLVE_DEEP(solve_deep, false)
SOLVE_DEEP(solve_deep_fixed, true)

// These are long, so that one copy asks in each contact whether it is the last pass.
#define RELAX_EXTRA(name, ...)                                                                     \
    static void name(const PhPass *pass, PhWideParts parts, uint32_t count) {                      \
        solve_wide_contacts(pass, parts, count,                                                    \
                            (Kind){.extra = true, .last = pass->last, __VA_ARGS__});               \
    }
RELAX_EXTRA(relax_extra, .fixed = false)
RELAX_EXTRA(relax_extra_fixed, .fixed = true)
RELAX_EXTRA(relax_free, .free = true)
static void turn_back(const PhPass *pass, PhWideParts parts, uint32_t count) {
    turn_back_wide_contacts(pass, parts, count);
}

static void to_middle(const PhPass *pass, PhWideParts parts, uint32_t count) {
    move_contacts_to_middle(pass, parts, count, false);
}
static void to_middle_fixed(const PhPass *pass, PhWideParts parts, uint32_t count) {
    move_contacts_to_middle(pass, parts, count, true);
}

// ------------------------------------------------------------------------------------------------
// rows

// Impulses act through Jacobians that are constant in a step, so what the contacts did to a body in
// one substep is a velocity difference. Adding it again is the warm start of the next substep.
PH_INLINE void integrate_velocities(const PhPass *pass, uint32_t first, uint32_t last, bool damped,
                                    bool again) {
    float *velocity = pass->solver_bodies.velocity[first],
          *before = pass->solver_bodies.before[first];
    const float *drive = pass->solver_bodies.drive[first],
                *damping = pass->solver_bodies.damping[first];
    size_t count = (size_t)(last - first) * 4;
    for (size_t i = 0; i < count; i += PH_LANES) {
        Lanes v = lanes_load(velocity + i), next = v + lanes_load(drive + i);
        if (damped) {
            next *= lanes_load(damping + i);
        }
        Lanes warm = again ? next + (v - lanes_load(before + i)) : next;
        lanes_store(before + i, next);
        lanes_store(velocity + i, warm);
    }
}
static void integrate_velocity(const PhPass *pass, uint32_t first, uint32_t last, bool damped,
                               bool again) {
    if (damped) {
        integrate_velocities(pass, first, last, true, again);
    } else {
        integrate_velocities(pass, first, last, false, again);
    }
}

static void integrate_position(const PhPass *pass, uint32_t first, uint32_t last) {
    const Lanes h = lanes_splat(pass->h);
    for (uint32_t i = first; i < last; i += PH_LANES) {
        uint32_t at[PH_LANES];
        for (uint32_t l = 0; l < PH_LANES; l++) {
            at[l] = (i + l) * 16;
        }
        Lanes v[4], d[4];
        lanes_load_quads(pass->solver_bodies.velocity, at, v);
        lanes_load_quads(pass->solver_bodies.delta, at, d);
        const Lanes angle = h * v[2];
        d[0] += h * v[0];
        d[1] += h * v[1];
        rotate_lanes(angle, d + 2);
        lanes_store_quads(pass->solver_bodies.delta, at, d);
        lanes_store(pass->solver_bodies.turned + i,
                    lanes_load(pass->solver_bodies.turned + i) + angle);
    }
}

static void integrate_separated(const PhPass *pass, uint32_t first, uint32_t last) {
    const Lanes h = lanes_splat(pass->h), zero = lanes_splat(0);
    for (uint32_t i = first; i < last; i += PH_LANES) {
        uint32_t at[PH_LANES];
        for (uint32_t l = 0; l < PH_LANES; l++) {
            at[l] = (i + l) * 16;
        }
        Lanes v[4], d[4], pseudo[4];
        lanes_load_quads(pass->solver_bodies.velocity, at, v);
        lanes_load_quads(pass->solver_bodies.pseudo, at, pseudo);
        lanes_load_quads(pass->solver_bodies.delta, at, d);
        const Lanes angle = h * (v[2] + pseudo[2]);
        d[0] += h * (v[0] + pseudo[0]);
        d[1] += h * (v[1] + pseudo[1]);
        rotate_lanes(angle, d + 2);
        pseudo[0] = pseudo[1] = pseudo[2] = zero;
        lanes_store_quads(pass->solver_bodies.pseudo, at, pseudo);
        lanes_store_quads(pass->solver_bodies.delta, at, d);
        lanes_store(pass->solver_bodies.turned + i,
                    lanes_load(pass->solver_bodies.turned + i) + angle);
    }
}

#include "solve/joint_lanes_source.h"

#include "solve/joint_lanes_passes.h"

#include "solve/iterative_joints_source.h"
#include "solve/joint_across_source.h"
#include "solve/joint_ends_source.h"
#include "solve/solver_body_ends_source.h"

const PhKernels PH_KERNELS = {
    .name = PH_KERNELS_NAME,
    .lanes = PH_LANES,
    .manifolds = &PH_MANIFOLDS,
    .wide_size = sizeof(WideContact),
    .rest_size = sizeof(Rest),
    .extra_size = sizeof(Extra),
    .prepare = {prepare_moving, prepare_fixed},
    .prepare_extra = prepare_extra,
    .flag_touching = flag_touching,
    .store = store,
    .show = show,
    .pass =
        {
            [PH_WARM_START] = {warm_start, warm_start_fixed},
            [PH_WARM_START_SURFACE] = {warm_start_surface, warm_start_surface_fixed},
            [PH_SOLVE] = {solve, solve_fixed},
            [PH_SOLVE_DEEP] = {solve_deep, solve_deep_fixed},
            [PH_SEPARATE] = {separate, separate_fixed},
            [PH_BEGIN_ANEW] = {begin_anew, begin_anew},
            [PH_RELAX] = {relax, relax_fixed},
            [PH_RELAX_EXTRA] = {relax_extra, relax_extra_fixed},
            [PH_IMPACT] = {impact, impact_fixed},
            [PH_FIND_IMPACT] = {find_impacts, find_impacts_fixed},
            [PH_GIVE_IMPACT] = {give_impacts, give_impacts_fixed},
            [PH_LEAVE_IMPACT] = {leave_impacts_wide, NULL},
            [PH_RELAX_FREE] = {relax_free, NULL},
            [PH_LOOK_AGAIN] = {look_again, look_again},
            [PH_TURN_BACK] = {turn_back, NULL},
            [PH_TO_MIDDLE] = {to_middle, to_middle_fixed},
        },
    .iterative_warm_start = {revolute_warm_start, distance_warm_start},
    .iterative_solve = {revolute_solve, distance_solve},
    .iterative_relax = {revolute_relax, distance_relax},
    .iterative_force = {[PH_ITERATIVE_SPRING] = spring_force},
    .iterative_rest = {[PH_ITERATIVE_SPRING] = spring_rest},
    .iterative_note = {[PH_ITERATIVE_SPRING] = spring_note},
    .iterative_gain = {[PH_ITERATIVE_SPRING] = spring_gain},
    .iterative_damp = {[PH_ITERATIVE_SPRING] = spring_damp},
    .tree_pass = tree_pass,
    .pass_across = pass_across,
    .tree_load = PH_TREE_LOAD,
    .tree_store = PH_TREE_STORE,
#ifdef PH_FOUR_AVX2
    .wide_doubles = true,
    .articulation_pass = ph_articulation_pass_avx2,
    .single_pass = ph_articulation_pass_single_avx2,
#else
    .articulation_pass = ph_articulation_pass_plain,
    .single_pass = ph_articulation_pass_single,
#endif
    .load_falling = load_falling,
    .fall_free = fall_free,
    .store_bodies = store_bodies,
    .integrate_velocity = integrate_velocity,
    .integrate_position = integrate_position,
    .integrate_separated = integrate_separated,
};

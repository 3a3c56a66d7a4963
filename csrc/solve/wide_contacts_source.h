// Wide contacts: what they hold, how a step begins with them and what it leaves in the records. A
// part of kernels_source.h, which explains the symbols.

#include "solve/wide_contact.h"

static const PhSolverManifold no_manifold = {
    .point = {{.separation = PH_NO_POINT}, {.separation = PH_NO_POINT}}};
static const PhContactRecord no_record;

// ------------------------------------------------------------------------------------------------
// prepare, store

PH_INLINE void load_point(Point *p, RestPoint *o, const Lanes m[4], const WideContact *k, Lanes dx,
                          Lanes dy, Lanes absent, bool fixed) {
    const Lanes one = lanes_splat(1), least = lanes_splat(FLT_MIN);
    Mask valid = lanes_less(m[2], lanes_splat(PH_NO_POINT));
    Lanes rx = lanes_keep(valid, m[0]), ry = lanes_keep(valid, m[1]);
    p->rn_a = rx * k->ny - ry * k->nx;
    o->nt_a = rx * k->nx + ry * k->ny;
    rx = rx - dx;
    ry = ry - dy;
    p->rn_b = rx * k->ny - ry * k->nx;
    o->nt_b = rx * k->nx + ry * k->ny;
    o->separation = lanes_select(valid, m[2], absent);
    p->gap = o->separation + lanes_splat(0);
    Lanes kn = k->mass_a + k->inertia_a * p->rn_a * p->rn_a;
    Lanes kt = k->mass_a + k->inertia_a * o->nt_a * o->nt_a;
    if (!fixed) {
        kn = kn + (k->mass_b + k->inertia_b * p->rn_b * p->rn_b);
        kt = kt + (k->mass_b + k->inertia_b * o->nt_b * o->nt_b);
    }
    // Bodies too heavy for float32 count as immovable.
    p->normal_mass = lanes_keep(valid & lanes_less(least, kn), one / kn);
    o->tangent_mass = lanes_keep(valid & lanes_less(least, kt), one / kt);
}

// How the points of a contact answer each other. Where they lie close together the matrix of both
// is nearly singular: a thousandth more on its diagonal keeps what they get bounded, and the next
// pass makes up for it.
PH_INLINE void couple_points(WideContact *k, Rest *r, bool fixed) {
    const Lanes one = lanes_splat(1);
    Point *p = &k->point[0], *q = &k->point[1];
    Lanes k01 = k->mass_a + k->inertia_a * p->rn_a * q->rn_a;
    if (!fixed) {
        k01 = k01 + (k->mass_b + k->inertia_b * p->rn_b * q->rn_b);
    }
    Lanes product = (k01 * p->normal_mass) * (k01 * q->normal_mass);
    Mask close = lanes_less(lanes_splat(0.998f), product);
    Lanes less = lanes_select(close, lanes_splat(1 / 1.001f), one);
    p->normal_mass = less * p->normal_mass;
    q->normal_mass = less * q->normal_mass;
    p->shared = k01 * p->normal_mass;
    q->shared = k01 * q->normal_mass;
    r->pair_scale = one / (one - p->shared * q->shared);
}

// The bodies of a new contact.
PH_INLINE void load_ends(WideContact *k, const PhEnds *ends) {
    const void *at_a[PH_LANES], *at_b[PH_LANES];
    Lanes a[4], b[4]; // offsets and batches moved as bits
    for (int l = 0; l < PH_LANES; l++) {
        at_a[l] = &ends[l].a;
        at_b[l] = &ends[l].b;
    }
    lanes_gather_quads(at_a, 0, a);
    lanes_gather_quads(at_b, 0, b);
    memcpy(k->solver_a, &a[0], sizeof k->solver_a);
    memcpy(k->solver_b, &b[0], sizeof k->solver_b);
    k->mass_a = a[2];
    k->mass_b = b[2];
    k->inertia_a = a[3];
    k->inertia_b = b[3];
}

// Contacts of a color lie far from each other: asks for what a wide contact will need.
PH_INLINE void fetch_contact(const PhContactSource *source, const uint32_t *lane, bool carried) {
    for (int l = 0; l < PH_LANES; l++) {
        uint32_t k = lane[l] == PH_NULL ? 0 : lane[l];
        __builtin_prefetch(&source->manifolds[k]);
        if (!carried) {
            __builtin_prefetch(&source->records[k]);
        }
    }
}

// Where the manifolds and records of a wide contact are. Empty lanes come last, so most wide
// contacts have none.
PH_INLINE void find_sources(const PhContactSource *source, const uint32_t *lane,
                            const void *manifold[PH_LANES], const void *record[PH_LANES]) {
    if (lane[PH_LANES - 1] != PH_NULL) {
        for (int l = 0; l < PH_LANES; l++) {
            manifold[l] = &source->manifolds[lane[l]];
            record[l] = &source->records[lane[l]];
        }
        return;
    }
    for (int l = 0; l < PH_LANES; l++) {
        manifold[l] = lane[l] == PH_NULL ? &no_manifold : &source->manifolds[lane[l]];
        record[l] = lane[l] == PH_NULL ? &no_record : &source->records[lane[l]];
    }
}

// Contacts of round surfaces, or of one point on a side.
PH_INLINE Mask may_roll(const WideContact *k, const Rest *r) {
    const Lanes zero = lanes_splat(0);
    Mask round = lanes_less(zero, r->radius_a + r->radius_b);
    Mask single =
        lanes_at_most(k->point[1].normal_mass, zero) & lanes_less(zero, lanes_abs(r->side));
    return lanes_less(zero, k->point[0].normal_mass) & (round | single);
}

PH_INLINE uint32_t prepare_wide_contacts(const PhContactSource *source, PhHeads heads,
                                         PhWideParts parts, uint32_t count, bool fixed,
                                         bool carried) {
    WideContact *k = parts.wide_contacts;
    Rest *r = parts.rests;
    const Lanes zero = lanes_splat(0), one = lanes_splat(1);
    const Lanes last = lanes_splat((carried ? 1 : source->share) * source->lengthened);
    const Lanes absent = lanes_load(source->lengths->lane.one);
    const Lanes overlap = lanes_splat(0) - lanes_load(source->lengths->lane.deep_overlap);
    const Lanes bouncing =
        lanes_splat(0) - lanes_load(source->free ? source->lengths->lane.free_overlap
                                                 : source->lengths->lane.deep_overlap);
    Mask bounces = lanes_none(), surface = lanes_none(), deep = lanes_none(), rolls = lanes_none();
    for (uint32_t i = 0; i < count; i++, k++, r++) {
        const uint32_t *pairs = heads.pair + (size_t)i * PH_LANES;
        if (i + 4 < count) {
            fetch_contact(source, pairs + 4 * PH_LANES, carried);
        }
        if (!carried) {
            load_ends(k, heads.ends + (size_t)i * PH_LANES);
        }
        const void *manifold[PH_LANES], *record[PH_LANES];
        find_sources(source, pairs, manifold, record);
        Lanes head[4], tail[4], point[2][4], old[4], old_tangent[4];
        lanes_gather_quads(manifold, 0, head);
        lanes_gather_quads(manifold, 16, point[0]);
        lanes_gather_quads(manifold, 32, point[1]);
        lanes_gather_quads(manifold, 48, tail);
        if (carried) {
            old[0] = k->nx;
            old[1] = k->ny;
            for (int j = 0; j < 2; j++) {
                old[2 + j] = last * k->point[j].normal_impulse;
                old_tangent[j] = last * r->point[j].tangent_impulse;
            }
        } else {
            lanes_gather_quads(record, 0, old);
            lanes_gather_quads(record, 16, old_tangent);
            for (int j = 0; j < 2; j++) {
                old[2 + j] = last * old[2 + j];
                old_tangent[j] = last * old_tangent[j];
            }
        }
        k->nx = head[0];
        k->ny = head[1];
        r->friction = head[2];
        r->radius_a = lanes_abs(point[0][3]);
        r->radius_b = lanes_abs(point[1][3]);
        r->side = lanes_by_sign(point[0][3], -one, lanes_by_sign(point[1][3], one, zero));
        bounces |= lanes_less(zero, head[3]);
        surface |= lanes_less(zero, tail[0]) | lanes_less(zero, lanes_abs(tail[1]));
        // Points are ordered along the tangent: impulses fit although the reference face may be
        // another one now.
        Mask same = lanes_less(lanes_splat(0.9f), old[0] * k->nx + old[1] * k->ny);
        for (int j = 0; j < 2; j++) {
            Point *p = &k->point[j];
            RestPoint *o = &r->point[j];
            load_point(p, o, point[j], k, tail[2], tail[3], absent, fixed);
            Mask warm = same & lanes_less(zero, p->normal_mass);
            p->normal_impulse = lanes_keep(warm, old[2 + j]);
            o->tangent_impulse = lanes_keep(warm, old_tangent[j]);
            r->total_normal[j] = zero;
            r->total_tangent[j] = zero;
        }
        rolls |= may_roll(k, r);
        Lanes least = lanes_min(r->point[0].separation, r->point[1].separation);
        deep |= lanes_less(least, lanes_select(lanes_less(zero, head[3]), bouncing, overlap));
        couple_points(k, r, fixed);
    }
    return (lanes_any(bounces) ? (uint32_t)PH_FEATURE_RESTITUTION : 0) |
           (lanes_any(surface) ? (uint32_t)PH_FEATURE_SURFACE : 0) |
           (lanes_any(deep) ? (uint32_t)PH_FEATURE_DEEP : 0) |
           (lanes_any(rolls) ? (uint32_t)PH_FEATURE_ROLLS : 0);
}
static uint32_t prepare_moving(const PhContactSource *source, PhHeads heads, PhWideParts parts,
                               uint32_t count, bool carried) {
    return carried ? prepare_wide_contacts(source, heads, parts, count, false, true)
                   : prepare_wide_contacts(source, heads, parts, count, false, false);
}
static uint32_t prepare_fixed(const PhContactSource *source, PhHeads heads, PhWideParts parts,
                              uint32_t count, bool carried) {
    return carried ? prepare_wide_contacts(source, heads, parts, count, true, true)
                   : prepare_wide_contacts(source, heads, parts, count, true, false);
}

PH_INLINE Lanes load_by_pair(const float *column, const uint32_t *pairs) {
    float number[PH_LANES];
    for (int l = 0; l < PH_LANES; l++) {
        number[l] = pairs[l] == PH_NULL ? 0 : column[pairs[l]];
    }
    Lanes found; // numbers need not be aligned as lanes_load wants them
    memcpy(&found, number, sizeof found);
    return found;
}

// The middle of what nearly meets is not quite on a circle: puts arms that end so near to one, in
// some lanes, on its line through the centre of mass, so that no normal impulse turns it.
PH_INLINE void put_on_circles(const Rest *r, Extra *extra, Mask lanes, Lanes nearly) {
    const Lanes zero = lanes_splat(0), centred = lanes_splat(1e-5f);
    for (int j = 0; j < 2; j++) {
        Lanes core_a = extra->nt_a[j] - r->radius_a, core_b = extra->nt_b[j] + r->radius_b;
        Mask a = lanes & lanes_less(zero, r->radius_a) & lanes_at_most(lanes_abs(core_a), nearly) &
                 lanes_at_most(lanes_abs(extra->rn_a[j]), centred * r->radius_a);
        Mask b = lanes & lanes_less(zero, r->radius_b) & lanes_at_most(lanes_abs(core_b), nearly) &
                 lanes_at_most(lanes_abs(extra->rn_b[j]), centred * r->radius_b);
        extra->rn_a[j] = lanes_select(a, zero, extra->rn_a[j]);
        extra->rn_b[j] = lanes_select(b, zero, extra->rn_b[j]);
        extra->nt_a[j] = lanes_select(a, r->radius_a, extra->nt_a[j]);
        extra->nt_b[j] = lanes_select(b, zero - r->radius_b, extra->nt_b[j]);
    }
}

static void prepare_extra(const PhContactSource *source, const uint32_t *pairs, PhWideParts parts,
                          uint32_t count, uint32_t features, bool carried) {
    const WideContact *k = parts.wide_contacts;
    const Rest *r = parts.rests;
    Extra *extra = parts.extras;
    const Lanes zero = lanes_splat(0), one = lanes_splat(1), least = lanes_splat(FLT_MIN);
    const Lanes last = lanes_splat(source->share * source->lengthened);
    const Lanes threshold = lanes_splat(source->threshold);
    const Lanes fast = lanes_load(source->lengths->lane.fast_impact), never = lanes_splat(FLT_MAX);
    const Lanes passed_on = lanes_splat(source->passed_on);
    const Lanes nearly = lanes_splat(1.01f) * lanes_load(source->lengths->lane.ahead_slack);
    for (uint32_t i = 0; i < count; i++, k++, r++, extra++, pairs += PH_LANES) {
        const void *manifold[PH_LANES], *record[PH_LANES];
        find_sources(source, pairs, manifold, record);
        Lanes head[4], tail[4], old[4], old_tangent[4];
        lanes_gather_quads(manifold, 0, head);
        extra->restitution = head[3];
        extra->least = lanes_select(lanes_less(zero, head[3]), threshold, never);
        extra->passed_on = never;
        extra->predicted = extra->later = zero;
        extra->seen[0] = extra->seen[1] = extra->seen[2] = zero;
        if (features & (PH_FEATURE_FREE | PH_FEATURE_IMPACT)) {
            extra->later = load_by_pair(source->later, pairs);
        }
        if (features & PH_FEATURE_FREE) {
            extra->predicted = one;
        }
        if (features & PH_FEATURE_IMPACT) {
            Mask comes = lanes_less(fast, load_by_pair(source->approach, pairs)) &
                         lanes_at_least(extra->later, zero);
            extra->least = lanes_select(comes, lanes_min(fast, extra->least), extra->least);
            extra->predicted = lanes_select(comes, one, extra->predicted);
            if (source->passes_on) {
                Lanes gap = lanes_min(r->point[0].separation, r->point[1].separation);
                Mask touches = lanes_at_most(gap, lanes_load(source->lengths->lane.meet_together)) &
                               lanes_at_most(head[3], zero) & lanes_at_least(extra->later, zero);
                Mask plastic = comes & lanes_at_most(head[3], zero);
                extra->passed_on = lanes_select(touches | plastic, passed_on, never);
            }
        }
        for (int j = 0; j < 2; j++) {
            extra->rn_a[j] = k->point[j].rn_a;
            extra->rn_b[j] = k->point[j].rn_b;
            extra->nt_a[j] = r->point[j].nt_a;
            extra->nt_b[j] = r->point[j].nt_b;
            extra->from_t[j] = extra->rn_b[j] - extra->rn_a[j];
            extra->from_n[j] = extra->nt_b[j] - extra->nt_a[j];
            // Points that are not yet together are midway between the surfaces.
            Mask apart =
                lanes_less(zero, extra->predicted) & lanes_at_most(lanes_abs(extra->later), least);
            Lanes half = lanes_keep(apart, lanes_splat(0.5f) * r->point[j].separation);
            extra->nt_a[j] = extra->nt_a[j] - half;
            extra->nt_b[j] = extra->nt_b[j] + half;
            extra->bounce_normal[j] = extra->bounce_tangent[j] = zero;
        }
        Mask predicted = lanes_less(zero, extra->predicted);
        if (lanes_any(predicted)) {
            put_on_circles(r, extra, predicted, nearly);
        }
        Mask used = lanes_less(extra->least, never) | predicted;
        parts.met[i] = 0;
        parts.used[i] = lanes_any(used);
        if (!(features & PH_FEATURE_SURFACE)) {
            extra->tangent_speed = extra->rolling_radius = zero;
            extra->rolling_impulse = extra->rolling_mass = zero;
            continue;
        }
        lanes_gather_quads(manifold, 48, tail);
        lanes_gather_quads(record, 0, old);
        lanes_gather_quads(record, 16, old_tangent);
        Mask same = lanes_less(lanes_splat(0.9f), old[0] * k->nx + old[1] * k->ny);
        Lanes inertia = k->inertia_a + k->inertia_b;
        Mask rolls = lanes_less(zero, tail[0]) & lanes_less(least, inertia);
        extra->rolling_radius = tail[0];
        extra->tangent_speed = tail[1];
        extra->rolling_mass = lanes_keep(rolls, one / inertia);
        Lanes rolling = lanes_keep(same & rolls, last * old_tangent[2]);
        extra->rolling_impulse = carried ? zero : rolling;
        used = rolls | lanes_less(zero, lanes_abs(tail[1]));
        parts.used[i] |= lanes_any(used);
    }
}

// An impulse has acted, or there was no gap at the start.
PH_INLINE uint32_t find_touching(const Rest *r) {
    const Lanes zero = lanes_splat(0);
    Mask acted = lanes_less(zero, r->total_normal[0]) | lanes_less(zero, r->total_normal[1]);
    Mask met =
        lanes_at_most(r->point[0].separation, zero) | lanes_at_most(r->point[1].separation, zero);
    return lanes_bits(acted | met);
}

static void store(const PhContactSource *source, const uint32_t *pairs, PhWideParts parts,
                  uint32_t count) {
    const WideContact *k = parts.wide_contacts;
    const Rest *r = parts.rests;
    const Extra *extra = parts.extras;
    PhContactRecord unused = no_record;
    const Lanes whole = lanes_splat(1 / source->share);
    for (uint32_t i = 0; i < count; i++, k++, r++, pairs += PH_LANES) {
        void *record[PH_LANES];
        const uint32_t *lane = pairs, *later = pairs + 2 * PH_LANES;
        for (int l = 0; i + 2 < count && l < PH_LANES; l++) {
            __builtin_prefetch(&source->records[later[l] == PH_NULL ? 0 : later[l]], 1);
        }
        bool full = lane[PH_LANES - 1] != PH_NULL;
        for (int l = 0; full && l < PH_LANES; l++) {
            record[l] = &source->records[lane[l]];
        }
        for (int l = 0; !full && l < PH_LANES; l++) {
            record[l] = lane[l] == PH_NULL ? &unused : &source->records[lane[l]];
        }
        uint32_t age[PH_LANES], older = source->aging;
        uint32_t touching = older ? find_touching(r) : UINT32_MAX;
        for (int l = 0; l < PH_LANES; l++) {
            age[l] = touching >> l & 1 ? ((PhContactRecord *)record[l])->age + older : 0;
        }
        Lanes normal[4] = {k->nx, k->ny, whole * k->point[0].normal_impulse,
                           whole * k->point[1].normal_impulse};
        Lanes tangent[4] = {whole * r->point[0].tangent_impulse,
                            whole * r->point[1].tangent_impulse,
                            extra ? whole * extra[i].rolling_impulse : lanes_splat(0)};
        memcpy(&tangent[3], age, sizeof age);
        Lanes total[4] = {r->total_normal[0], r->total_normal[1], r->total_tangent[0],
                          r->total_tangent[1]};
        lanes_scatter_quads(record, 0, normal);
        lanes_scatter_quads(record, 16, tangent);
        lanes_scatter_quads(record, 32, total);
    }
}

static void flag_touching(const PhContactSource *source, const uint32_t *pairs, PhWideParts parts,
                          uint32_t count) {
    const Rest *r = parts.rests;
    uint8_t *flags = source->flags;
    for (uint32_t i = 0; i < count; i++, r++, pairs += PH_LANES) {
        uint32_t bits = find_touching(r);
        for (int l = 0; l < PH_LANES && pairs[l] != PH_NULL; l++) {
            uint32_t before = flags[pairs[l]] & PH_PAIR_TOUCHED, is = bits >> l & 1;
            flags[pairs[l]] = (uint8_t)(PH_PAIR_ACTIVE | is * PH_PAIR_TOUCHING | before);
        }
    }
}

static float lane_of(const Lanes *lanes, int l) {
    float x;
    memcpy(&x, (const char *)lanes + (size_t)l * sizeof x, sizeof x);
    return x;
}

// As load_point has it: what couple_points makes of it serves both points together.
static float own_mass(const WideContact *k, const Point *p, int l) {
    float rn_a = lane_of(&p->rn_a, l), rn_b = lane_of(&p->rn_b, l);
    float mass = lane_of(&k->mass_a, l) + lane_of(&k->inertia_a, l) * rn_a * rn_a;
    mass += lane_of(&k->mass_b, l) + lane_of(&k->inertia_b, l) * rn_b * rn_b;
    return lane_of(&p->normal_mass, l) > 0 ? 1 / mass : 0;
}

// For a trace, so one lane after the other.
static void show(const PhContacts *contacts, const uint32_t *pairs, PhWideParts parts,
                 uint32_t count, PhPointState (*states)[2]) {
    const WideContact *k = parts.wide_contacts;
    const Rest *r = parts.rests;
    const Extra *extra = parts.extras;
    for (uint32_t i = 0; i < count; i++, k++, r++, pairs += PH_LANES) {
        for (int l = 0; l < PH_LANES; l++) {
            for (int j = 0; j < 2 && pairs[l] != PH_NULL; j++) {
                states[ph_contact_of(contacts, pairs[l])][j] = (PhPointState){
                    .normal_mass = own_mass(k, &k->point[j], l),
                    .tangent_mass = lane_of(&r->point[j].tangent_mass, l),
                    .normal_impulse = lane_of(&k->point[j].normal_impulse, l),
                    .tangent_impulse = lane_of(&r->point[j].tangent_impulse, l),
                    .bounce_normal = extra ? lane_of(&extra[i].bounce_normal[j], l) : 0,
                    .bounce_tangent = extra ? lane_of(&extra[i].bounce_tangent[j], l) : 0,
                };
            }
        }
    }
}

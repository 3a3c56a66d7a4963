// Entry to the narrow phase: refuses what cannot be computed, moves the frame next to the pieces,
// picks the kind of pair.
//
// Invariant: a stored manifold is finite; with any NaN or infinity in the input there is none.
#include "narrow/collide.h"

#include "narrow/faces.h"

static inline bool is_finite(double x) {
    return x - x == 0;
}

static bool is_sound(const PhManifold *m) {
    double sum = m->normal.x + m->normal.y;
    for (int32_t i = 0; i < m->count; i++) {
        sum += m->points[i].point.x + m->points[i].point.y + m->points[i].separation;
    }
    return is_finite(sum);
}

// Squared, with slack for rounding: a filter must not lose what touches exactly.
static bool is_near(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb,
                    double margin) {
    double reach = a->extent + b->extent + margin;
    PhVec2 offset = ph_sub(ph_apply(tb, b->centroid), ph_apply(ta, a->centroid));
    return reach >= 0 && ph_length_squared(offset) <= reach * reach * (1 + 1e-12);
}

// A chain piece against a chain piece: each must be in front of the other.
static bool is_in_front(const PhPiece *chain, PhTransform tc, const PhPiece *body, PhTransform tb) {
    PhVec2 local = ph_unapply(tc, ph_apply(tb, body->centroid));
    return ph_dot(chain->normals[1], ph_sub(local, chain->vertices[0])) >= 0;
}

static void clear_record(PhClipRecorder *recorder) {
    PhVec2 none = {NAN, NAN};
    *recorder = (PhClipRecorder){.kind = PH_CONTACT_APART,
                                 .normal = none,
                                 .reference = {none, none},
                                 .incident = {none, none}};
}

// Gives the recorder the frame, the names and the answer of the manifold.
static void finish_record(PhClipRecorder *recorder, const PhManifold *manifold, bool flip,
                          PhVec2 origin) {
    if (flip) {
        recorder->flipped = !recorder->flipped;
        recorder->normal = ph_neg(recorder->normal);
    }
    if (manifold->count > 0) {
        recorder->normal = manifold->normal;
    } else {
        recorder->kind = PH_CONTACT_APART;
    }
    recorder->normal = ph_add(recorder->normal, ph_vec(0, 0));
    for (int i = 0; i < 2; i++) {
        recorder->reference[i] = ph_add(recorder->reference[i], origin);
        recorder->incident[i] = ph_add(recorder->incident[i], origin);
        for (int stage = 0; stage < 4; stage++) {
            recorder->stage[stage][i] = ph_add(recorder->stage[stage][i], origin);
        }
    }
}

void ph_collide(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb, double margin,
                const PhLengths *lengths, PhManifold *out) {
    ph_collide_recorded(a, ta, b, tb, margin, lengths, NULL, out);
}

void ph_collide_recorded(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb,
                         double margin, const PhLengths *lengths, PhClipRecorder *recorder,
                         PhManifold *out) {
    *out = (PhManifold){.count = 0};
    if (recorder) {
        clear_record(recorder);
    }
    PhVec2 origin = ta.p;
    tb.p = ph_sub(tb.p, origin);
    ta.p = ph_vec(0, 0);
    if (!is_finite(tb.p.x + tb.p.y + ta.q.c + ta.q.s + tb.q.c + tb.q.s)) {
        return;
    }
    bool in_reach = is_near(a, ta, b, tb, margin);
    if (!in_reach && !recorder) {
        return;
    }

    bool chain_a = a->flags & PH_PIECE_ONE_SIDED, chain_b = b->flags & PH_PIECE_ONE_SIDED;
    bool flip = chain_a || chain_b ? !chain_a : a->count == 1 && b->count > 1;
    if (chain_a) {
        if (!chain_b || is_in_front(b, tb, a, ta)) {
            ph_collide_chain(a, ta, b, tb, margin, lengths, out);
        }
    } else if (chain_b) {
        ph_collide_chain(b, tb, a, ta, margin, lengths, out);
    } else if (flip) {
        ph_collide_circle(b, tb, a, ta, margin, lengths, recorder, out);
    } else if (b->count > 1) {
        ph_collide_polygons(a, ta, b, tb, margin, lengths, recorder, out);
    } else if (a->count > 1) {
        ph_collide_circle(a, ta, b, tb, margin, lengths, recorder, out);
    } else {
        ph_collide_circles(a, ta, b, tb, margin, recorder, out);
    }
    if (out->count == 0 || !in_reach || !is_sound(out)) {
        *out = (PhManifold){.count = 0};
    } else {
        if (flip) {
            ph_flip(out);
        }
        out->normal = ph_add(out->normal, ph_vec(0, 0)); // no negative zeros
        for (int32_t i = 0; i < out->count; i++) {
            out->points[i].point = ph_add(out->points[i].point, origin);
        }
    }
    if (recorder) {
        finish_record(recorder, out, flip, origin);
    }
}

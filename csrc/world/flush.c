// Floors of several pieces in the narrow phase. Pieces may lie flush beside each other, as tiles,
// collinear segments or boxes of one body do. A body that lands on them gets the contact that it
// would have with a single piece in their place. The contact is found with that merged piece, and
// so are grazing corners and predicted impacts. The result is then distributed: each piece gets the
// points that lie on it.
//
// A merged piece has the surface that its pieces have in common and, below it, as much as is solid
// under all of it. It is made anew in each step, for each piece that may meet it, from the pieces
// within reach, so it depends on positions and velocities alone. Pairs that may have one are found
// when the list of pairs is. Worlds without flush pieces do nothing else.
//
// Invariant: after ph_flush_part() every pair has its own record again. Pairs that no merged piece
// takes are as they were found.
#include "world/flush.h"
#include <string.h>

#include "base/memory.h"
#include "world/contact_stage.h"
#include "world/continuous.h"

enum {
    MOST_PIECES = 128,
    MOST_EDGES = 512,
    MOST_COMPARED = 16 // pieces of a body with each other, when it is measured
};

// Sine of the angle between surfaces that are one.
#define SAME_LINE_SINE 1e-3

// A side of a piece of which the outward normal is on its right.
typedef struct Edge {
    PhVec2 from, to, n, along; // seen from the centre of mass of the owner; unit
    double length;
    uint32_t piece; // among those of the run
    int32_t side;   // of the piece
    bool next;      // another goes on where it ends
    bool later;     // it goes on where another ends
} Edge;

typedef struct Edges {
    uint32_t count;
    uint32_t sides; // of all pieces within reach
    uint32_t pair[MOST_PIECES];
    PhTransform pose[MOST_PIECES];
    bool taken[MOST_PIECES];
    Edge edge[MOST_EDGES];
} Edges;

static const PhPiece *piece_of(const PhWorld *world, uint32_t k) {
    return world->proxy_piece[world->broad.pairs.other[k]];
}

static uint32_t body_of(const PhWorld *world, uint32_t k) {
    return world->proxies.body[world->broad.pairs.other[k]];
}

// Whether the pieces of two pairs of one owner may be those of a floor.
static bool may_be_one(const PhWorld *world, uint32_t k, uint32_t j) {
    uint32_t b = body_of(world, k), other = body_of(world, j);
    return b == other || (!ph_is_dynamic(world, b) && !ph_is_dynamic(world, other));
}

static bool are_alike(const PhWorld *world, uint32_t k, uint32_t j) {
    uint32_t b = body_of(world, k), other = body_of(world, j);
    const PhPairList *pairs = &world->broad.pairs;
    const PhMaterial *m = &world->material[pairs->other[k]], *n = &world->material[pairs->other[j]];
    const PhSurfaceSort *s = &world->surface_sort[pairs->other[k]];
    const PhSurfaceSort *t = &world->surface_sort[pairs->other[j]];
    const PhPiece *p = piece_of(world, k), *q = piece_of(world, j);
    bool fixed = world->role[b] == PH_ROLE_FIXED && world->role[other] == PH_ROLE_FIXED;
    return (b == other || fixed) && m->friction == n->friction &&
           m->restitution == n->restitution && m->rolling_resistance == n->rolling_resistance &&
           m->tangent_speed == n->tangent_speed && s->material == t->material &&
           s->friction_rule == t->friction_rule && s->restitution_rule == t->restitution_rule &&
           p->radius == q->radius && (p->count == 2) == (q->count == 2) &&
           (p->flags & PH_PIECE_ONE_SIDED) == (q->flags & PH_PIECE_ONE_SIDED);
}

// Whether the piece of a pair may go on in another one.
static bool may_be_flush_with_any(const PhWorld *world, uint32_t k) {
    uint32_t b = body_of(world, k);
    return !ph_is_dynamic(world, b) || world->continuous.several[b] & PH_SEVERAL_FLUSH;
}

// The first side of a piece that is solid.
static int32_t first_side(const PhPiece *piece) {
    return piece->flags & PH_PIECE_ONE_SIDED ? 1 : 0;
}

static int32_t end_of(const PhPiece *piece, int32_t side) {
    return side + 1 < piece->count ? side + 1 : 0;
}

// Adds the sides of the other piece of pair k, as number i, if they are solid, within reach of the
// owner, and may be those of a floor. anywhere: within reach or not. Returns false where there are
// too many within reach.
static bool list_edges_of(const PhWorld *world, uint32_t k, uint32_t i, bool anywhere, Edges *out) {
    const PhPairList *pairs = &world->broad.pairs;
    uint32_t p = pairs->owner[k], q = pairs->other[k];
    const PhPiece *piece = world->proxy_piece[q];
    out->pair[i] = k;
    out->taken[i] = false;
    if (piece->count < 2 ||
        (!anywhere && !ph_overlaps(world->proxies.box[p], world->proxies.box[q]))) {
        return true;
    }
    out->sides += (uint32_t)(piece->count - first_side(piece));
    if (out->sides > MOST_EDGES || !may_be_flush_with_any(world, k)) {
        return out->sides <= MOST_EDGES;
    }
    PhTransform own, pose;
    ph_pair_frames(world, world->proxies.body[p], world->proxies.body[q], &own, &pose);
    out->pose[i] = pose;
    for (int32_t side = first_side(piece); side < piece->count; side++) {
        int32_t after = end_of(piece, side);
        Edge *edge = &out->edge[out->count++];
        *edge = (Edge){.from = ph_apply(pose, piece->vertices[side]),
                       .to = ph_apply(pose, piece->vertices[after]),
                       .n = ph_rotate(pose.q, piece->normals[side]),
                       .piece = i,
                       .side = side};
        edge->along = ph_left(edge->n);
        edge->length = ph_dot(ph_sub(edge->to, edge->from), edge->along);
    }
    return true;
}

static bool list_edges(const PhWorld *world, PhRange run, Edges *out) {
    bool all = true;
    out->count = out->sides = 0;
    for (uint32_t i = 0; i < run.count && all; i++) {
        all = list_edges_of(world, run.first + i, i, false, out);
    }
    return all;
}

// Whether an edge f of another piece, parallel to e, goes on where e ends, or before that, and
// further.
static bool goes_on_along(const PhWorld *world, const Edges *edges, const Edge *e, const Edge *f) {
    const double seam = world->lengths.flush_seam, level = world->lengths.flush_level;
    PhVec2 from = ph_sub(f->from, e->from), to = ph_sub(f->to, e->from);
    double start = ph_dot(from, e->along), end = ph_dot(to, e->along);
    return start > seam && start < e->length + seam && end > e->length + seam &&
           fabs(ph_dot(from, e->n)) < level && fabs(ph_dot(to, e->n)) < level &&
           are_alike(world, edges->pair[e->piece], edges->pair[f->piece]);
}

// Whether two edges of different pieces face the same way. The same for both of them.
static inline bool are_parallel(const Edge *e, const Edge *f) {
    return e->piece != f->piece && ph_dot(e->n, f->n) > 0 &&
           fabs(ph_cross(e->n, f->n)) <= SAME_LINE_SINE;
}

static inline bool goes_on(const PhWorld *world, const Edges *edges, const Edge *e, const Edge *f) {
    return are_parallel(e, f) && goes_on_along(world, edges, e, f);
}

// Whether the piece of another one lies against all of an edge.
static bool is_covered(const PhWorld *world, const Edges *edges, const Edge *e) {
    if (piece_of(world, edges->pair[e->piece])->count < 3) {
        return false;
    }
    const double seam = world->lengths.flush_seam;
    for (uint32_t i = 0; i < edges->count; i++) {
        const Edge *f = &edges->edge[i];
        PhVec2 from = ph_sub(f->from, e->from), to = ph_sub(f->to, e->from);
        if (f->piece != e->piece && ph_dot(e->n, f->n) < 0 &&
            fabs(ph_cross(e->n, f->n)) < SAME_LINE_SINE && fabs(ph_dot(from, e->n)) < seam &&
            fabs(ph_dot(to, e->n)) < seam && ph_dot(from, e->along) > e->length - seam &&
            ph_dot(to, e->along) < seam && piece_of(world, edges->pair[f->piece])->count >= 3 &&
            may_be_one(world, edges->pair[e->piece], edges->pair[f->piece])) {
            return true;
        }
    }
    return false;
}

// The edge that goes on where e ends and reaches furthest; NULL: none. Chains are marked.
static Edge *next_of(const PhWorld *world, Edges *edges, const Edge *e) {
    Edge *best = NULL;
    double most = -INFINITY;
    for (uint32_t i = 0; e->next && i < edges->count; i++) {
        Edge *f = &edges->edge[i];
        double end = ph_dot(ph_sub(f->to, e->from), e->along);
        if (end > most && !edges->taken[f->piece] && goes_on(world, edges, e, f)) {
            best = f;
            most = end;
        }
    }
    return best;
}

static void mark_chains(const PhWorld *world, Edges *edges) {
    for (uint32_t i = 0; i < edges->count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            Edge *e = &edges->edge[i], *f = &edges->edge[j];
            if (!are_parallel(e, f)) {
                continue;
            }
            if (goes_on_along(world, edges, e, f)) {
                e->next = f->later = true;
            }
            if (goes_on_along(world, edges, f, e)) {
                f->next = e->later = true;
            }
        }
    }
}

// ------------------------------------------------------------------------------------------------
// runs

// The pairs that have the owner of pair k.
static PhRange run_around(const PhPairList *pairs, uint32_t k) {
    const uint32_t *owner = pairs->owner;
    uint32_t first = k, end = k + 1;
    while (first > 0 && owner[first - 1] == owner[k]) {
        first--;
    }
    while (end < pairs->count && owner[end] == owner[k]) {
        end++;
    }
    return (PhRange){first, end - first};
}

// Whether side l of q, parallel to side i of p, may go on where that one ends. With some room for
// rounding.
static bool may_go_on(const PhWorld *world, const PhPiece *p, int32_t i, const PhPiece *q,
                      int32_t l) {
    const double level = 1.001 * world->lengths.flush_level, seam = world->lengths.flush_seam;
    PhVec2 n = p->normals[i], along = ph_left(n), end = p->vertices[end_of(p, i)];
    PhVec2 from = ph_sub(q->vertices[l], end), to = ph_sub(q->vertices[end_of(q, l)], end);
    return fabs(ph_dot(from, n)) < level && fabs(ph_dot(to, n)) < level &&
           ph_dot(ph_sub(q->vertices[l], p->vertices[i]), along) > 0.999 * seam &&
           ph_dot(from, along) < 1.001 * seam && ph_dot(to, along) > 0.999 * seam;
}

// Whether two pieces of one body may be flush, which no turn of the body changes.
static bool may_be_flush(const PhWorld *world, const PhPiece *p, const PhPiece *q) {
    for (int32_t i = first_side(p); i < p->count; i++) {
        for (int32_t l = first_side(q); l < q->count; l++) {
            PhVec2 n = p->normals[i], m = q->normals[l];
            if (fabs(ph_cross(n, m)) < 1.001 * SAME_LINE_SINE && ph_dot(n, m) > 0 &&
                (may_go_on(world, p, i, q, l) || may_go_on(world, q, l, p, i))) {
                return true;
            }
        }
    }
    return false;
}

bool ph_may_have_flush(const PhWorld *world, uint32_t slot) {
    const PhPiece *seen[MOST_COMPARED];
    PhParts parts = ph_parts_of(world, slot);
    bool may = false;
    uint32_t count = 0;
    for (uint32_t p; !may && ph_next_part(world, &parts, &p);) {
        const PhPiece *piece = world->proxy_piece[p];
        may = count == MOST_COMPARED;
        for (uint32_t i = 0; !may && i < count; i++) {
            may = may_be_flush(world, seen[i], piece);
        }
        if (!may) {
            seen[count++] = piece;
        }
    }
    return may;
}

// The first pair from k on, where a run begins, that is the second one of its owner with something
// fixed, or has another piece of the same body as the pair before, as pieces of one body are beside
// each other in the list, if pieces of that body may be flush: other runs have no floor.
static uint32_t next_suspect(const PhWorld *world, uint32_t k) {
    const PhPairList *pairs = &world->broad.pairs;
    for (uint32_t before = PH_NULL, above = PH_NULL; k < pairs->count; k++) {
        uint32_t q = pairs->other[k], slot = world->proxies.body[q];
        bool fixed = !(world->proxies.flags[q] & PH_PROXY_DYNAMIC);
        if (fixed || slot == before) {
            bool same = slot == before && pairs->owner[k] == pairs->owner[k - 1] &&
                        world->continuous.several[slot] & PH_SEVERAL_FLUSH;
            if (same || (fixed && above == pairs->owner[k])) {
                break;
            }
            above = fixed ? pairs->owner[k] : above;
        }
        before = slot;
    }
    return k;
}

// Answers for two pieces, of the last that were asked for: most bodies are above the same ones.
enum { KNOWN_BITS = 11, KNOWN = 1 << KNOWN_BITS };
typedef struct Known {
    uint32_t first[KNOWN], second[KNOWN]; // proxies; the same twice: none
    bool flush[KNOWN];
} Known;

// The highest bits of a product with a large odd number differ between neighbours.
static uint32_t place_of(uint32_t first, uint32_t second) {
    return (first * 2654435769u + second * 2246822519u) >> (32 - KNOWN_BITS);
}

static bool are_flush(const PhWorld *world, uint32_t k, uint32_t j, Edges *edges) {
    const PhPiece *p = piece_of(world, k), *q = piece_of(world, j);
    edges->count = edges->sides = 0;
    if (p->count < 2 || q->count < 2 ||
        (body_of(world, k) == body_of(world, j) && !may_be_flush(world, p, q))) {
        return false;
    }
    if (!list_edges_of(world, k, 0, true, edges) || !list_edges_of(world, j, 1, true, edges)) {
        return false;
    }
    for (uint32_t i = 0; i < edges->count; i++) {
        for (uint32_t l = 0; l < edges->count; l++) {
            if (goes_on(world, edges, &edges->edge[i], &edges->edge[l])) {
                return true;
            }
        }
    }
    return false;
}

static bool has_flush(const PhWorld *world, PhRange run, Known *known, Edges *edges) {
    const uint32_t *other = world->broad.pairs.other, *body = world->proxies.body;
    const uint32_t last = run.first + run.count;
    for (uint32_t k = run.first; k < last; k++) {
        const uint32_t b = body[other[k]];
        const bool fixed = !ph_is_dynamic(world, b);
        for (uint32_t j = k + 1; j < last; j++) {
            const uint32_t next = body[other[j]]; // see may_be_one
            if (next != b && !fixed) {
                break; // the others are of other bodies
            }
            if (next != b ? ph_is_dynamic(world, next)
                          : !(world->continuous.several[b] & PH_SEVERAL_FLUSH)) {
                continue;
            }
            uint32_t at = place_of(other[k], other[j]);
            if (known->first[at] != other[k] || known->second[at] != other[j]) {
                known->first[at] = other[k];
                known->second[at] = other[j];
                known->flush[at] = are_flush(world, k, j, edges);
            }
            if (known->flush[at]) {
                return true;
            }
        }
    }
    return false;
}

PhStatus ph_flush_reserve(PhWorld *world) {
    PhFlush *flush = &world->flush;
    const PhPairList *pairs = &world->broad.pairs;
    flush->merged_count = flush->fresh = 0;
    if (!flush->stale) {
        return PH_OK;
    }
    uint32_t members = 0;
    Known known;
    Edges edges;
    flush->run_count = 0;
    uint32_t k = world->wrapped ? pairs->count : next_suspect(world, 0);
    if (k < pairs->count) {
        memset(&known, 0, sizeof known);
    }
    while (k < pairs->count) {
        PhRange run = run_around(pairs, k);
        if (run.count <= MOST_PIECES && has_flush(world, run, &known, &edges)) {
            PhStatus status = ph_reserve_array(&flush->run, &flush->run_capacity,
                                               flush->run_count + 1ull, sizeof *flush->run);
            if (status) {
                return status;
            }
            flush->run[flush->run_count++] = (PhFlushRun){run, false};
            members += run.count;
        }
        k = next_suspect(world, run.first + run.count);
    }
    PhStatus status = ph_reserve_array(&flush->merged, &flush->merged_capacity, members / 2,
                                       sizeof *flush->merged);
    status = status ? status
                    : ph_reserve_array(&flush->member, &flush->member_capacity, members,
                                       sizeof *flush->member);
    flush->stale = status != PH_OK;
    return status;
}

// ------------------------------------------------------------------------------------------------
// merged pieces

// How far a piece reaches into the floor below an edge, and how far the side beside that edge does.
// side: receives the direction along that side.
static double depth_of(const PhWorld *world, const Edges *edges, const Edge *e, bool before,
                       PhVec2 *side) {
    const PhPiece *piece = piece_of(world, edges->pair[e->piece]);
    PhTransform pose = edges->pose[e->piece];
    int32_t count = piece->count, end = e->side + 1 < count ? e->side + 1 : 0;
    int32_t at = before ? (e->side + count - 1) % count : (end + 1) % count;
    PhVec2 corner = before ? e->from : e->to;
    *side = ph_sub(ph_apply(pose, piece->vertices[at]), corner);
    double depth = -ph_dot(*side, e->n);
    *side = depth > 0 ? ph_scale(1 / depth, *side) : *side;
    return depth;
}

static double height_of(const PhWorld *world, const Edges *edges, const Edge *e) {
    const PhPiece *piece = piece_of(world, edges->pair[e->piece]);
    double most = 0;
    for (int32_t i = 0; i < piece->count; i++) {
        PhVec2 v = ph_apply(edges->pose[e->piece], piece->vertices[i]);
        most = ph_max(most, ph_dot(ph_sub(e->from, v), e->n));
    }
    return most;
}

// How far the owner is above an edge.
static double above(const PhWorld *world, uint32_t k, const Edge *e) {
    const PhPairList *pairs = &world->broad.pairs;
    uint32_t p = pairs->owner[k], slot = world->proxies.body[p];
    const PhPiece *piece = world->proxy_piece[p];
    PhRot q = world->transform[slot].q;
    PhTransform pose = {ph_neg(ph_rotate(q, world->body[slot].center_local)), q};
    double least = INFINITY;
    for (int32_t i = 0; i < piece->count; i++) {
        PhVec2 v = ph_sub(ph_apply(pose, piece->vertices[i]), e->from);
        least = ph_min(least, ph_dot(v, e->n));
    }
    return least - piece->radius - piece_of(world, k)->radius;
}

static void set_piece(PhFlushPiece *merged, int32_t count, double radius) {
    PhPiece *piece = &merged->piece;
    PhVec2 sum = {0, 0};
    *piece = (PhPiece){.vertices = merged->vertex,
                       .normals = merged->normal,
                       .count = count,
                       .radius = radius,
                       .flags = merged->piece.flags,
                       .ghost_before = merged->piece.ghost_before,
                       .ghost_after = merged->piece.ghost_after};
    for (int32_t i = 0; i < count; i++) {
        PhVec2 edge = ph_sub(merged->vertex[i + 1 < count ? i + 1 : 0], merged->vertex[i]);
        merged->normal[i] = ph_normalize_or(ph_right(edge), (PhVec2){0, 1});
        sum = ph_add(sum, merged->vertex[i]);
    }
    piece->centroid = ph_scale(1.0 / count, sum);
    double width = INFINITY;
    for (int32_t i = 0; i < count; i++) {
        double reach = 0;
        for (int32_t j = 0; j < count; j++) {
            PhVec2 v = ph_sub(merged->vertex[i], merged->vertex[j]);
            reach = ph_max(reach, ph_dot(v, merged->normal[i]));
        }
        width = ph_min(width, reach);
        piece->extent =
            ph_max(piece->extent, ph_length(ph_sub(merged->vertex[i], piece->centroid)));
    }
    piece->extent += radius;
    piece->width = (count > 2 ? width : 0) + 2 * radius;
}

// Of a chain of edges, the merged piece, if it serves what is above it. Returns false if not.
static bool merge_edges(PhWorld *world, Edges *edges, Edge *const *chain, uint32_t length,
                        PhFlushPiece *merged) {
    const Edge *first = chain[0], *last = chain[length - 1];
    const PhPiece *piece = piece_of(world, edges->pair[first->piece]);
    PhVec2 before, after;
    int32_t count = piece->count == 2 ? 2 : 4;
    double depth = 0;
    *merged = (PhFlushPiece){.lead = edges->pair[first->piece], .count = length};
    PhVec2 end = ph_mul_add(last->to, -ph_dot(ph_sub(last->to, first->from), first->n), first->n);
    if (count == 2 && piece->flags & PH_PIECE_ONE_SIDED) { // its free side is on the left
        const PhPiece *tail = piece_of(world, edges->pair[first->piece]);
        const PhPiece *head = piece_of(world, edges->pair[last->piece]);
        PhTransform lead = edges->pose[first->piece];
        merged->piece.flags = PH_PIECE_ONE_SIDED | (head->flags & PH_PIECE_GHOST_BEFORE) |
                              (tail->flags & PH_PIECE_GHOST_AFTER);
        merged->piece.ghost_after = tail->ghost_after;
        merged->piece.ghost_before =
            ph_unapply(lead, ph_apply(edges->pose[last->piece], head->ghost_before));
        merged->vertex[0] = end;
        merged->vertex[1] = first->from;
    } else if (count == 2) {
        merged->vertex[0] = first->from;
        merged->vertex[1] = end;
    } else {
        double whole = 0;
        depth = ph_min(depth_of(world, edges, first, true, &before),
                       depth_of(world, edges, last, false, &after));
        for (uint32_t i = 0; i < length; i++) {
            double height = height_of(world, edges, chain[i]);
            depth = ph_min(depth, height);
            whole = ph_max(whole, height);
        }
        double width = ph_dot(ph_sub(end, first->from), first->along);
        double closing = ph_dot(ph_sub(before, after), first->along);
        depth = closing > 0 ? ph_min(depth, 0.9 * width / closing) : depth;
        // Of what is not solid further down, only what is above it is served.
        bool all = whole - depth < world->lengths.flush_level;
        if (!(depth > 0) || (!all && above(world, merged->lead, first) < -0.5 * depth)) {
            return false;
        }
        merged->vertex[0] = first->from;
        merged->vertex[1] = end;
        merged->vertex[2] = ph_mul_add(end, depth, after);
        merged->vertex[3] = ph_mul_add(first->from, depth, before);
    }
    PhTransform lead = edges->pose[first->piece];
    for (int32_t i = 0; i < count; i++) {
        merged->vertex[i] = ph_unapply(lead, merged->vertex[i]);
    }
    merged->along = ph_unrotate(lead.q, first->along);
    set_piece(merged, count, piece->radius);
    return true;
}

typedef struct Chain {
    Edge *start;
    double above;
} Chain;

// The chain that begins with an edge, of pieces that are not taken.
static uint32_t follow(const PhWorld *world, Edges *edges, Edge *start, Edge **chain) {
    uint32_t length = 0;
    bool in[MOST_PIECES] = {false};
    for (Edge *e = start; e && !in[e->piece] && length < MOST_PIECES;) {
        chain[length++] = e;
        in[e->piece] = true;
        Edge *on = next_of(world, edges, e);
        e = on && fabs(ph_dot(ph_sub(on->to, start->from), start->n)) < world->lengths.flush_level
                ? on
                : NULL;
    }
    return length;
}

static void merge_edgess(PhWorld *world, PhRange run) {
    PhFlush *flush = &world->flush;
    Edges edges;
    Chain open[MOST_EDGES];
    Edge *chain[MOST_PIECES];
    uint32_t count = 0;
    if (!list_edges(world, run, &edges)) {
        return;
    }
    mark_chains(world, &edges);
    for (uint32_t i = 0; i < edges.count; i++) {
        Edge *e = &edges.edge[i];
        if (e->next && !e->later) {
            open[count++] = (Chain){e, above(world, run.first, e)};
        }
    }
    while (count > 0) { // the one that is most in front first
        uint32_t best = 0;
        for (uint32_t i = 1; i < count; i++) {
            best = open[i].above > open[best].above ? i : best;
        }
        Edge *start = open[best].start;
        open[best] = open[--count];
        if (edges.taken[start->piece]) {
            continue;
        }
        uint32_t length = follow(world, &edges, start, chain);
        PhFlushPiece *merged = &flush->merged[flush->merged_count];
        bool covered = true;
        for (uint32_t i = 0; i < length && covered; i++) {
            covered = is_covered(world, &edges, chain[i]);
        }
        if (length < 2 || covered || !merge_edges(world, &edges, chain, length, merged)) {
            continue;
        }
        uint32_t used = flush->merged_count > 0 ? merged[-1].first + merged[-1].count : 0;
        merged->first = used;
        for (uint32_t i = 0; i < length; i++) {
            PhVec2 base = edges.pose[chain[0]->piece].p;
            flush->member[used + i] = (PhFlushMember){
                .pair = edges.pair[chain[i]->piece],
                .from = ph_dot(ph_sub(chain[i]->from, base), start->along),
                .to = ph_dot(ph_sub(chain[i]->to, base), start->along),
            };
            edges.taken[chain[i]->piece] = true;
        }
        flush->merged_count++;
    }
}

const PhPiece *ph_flush_piece(const PhWorld *world, uint32_t k) {
    const PhFlush *flush = &world->flush;
    uint32_t low = flush->fresh, high = flush->merged_count;
    uint32_t own = world->broad.pairs.owner[k];
    while (low < high) { // the first of the owner
        uint32_t middle = low + (high - low) / 2;
        bool before = world->broad.pairs.owner[flush->merged[middle].lead] < own;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    for (; low < flush->merged_count && world->broad.pairs.owner[flush->merged[low].lead] == own;
         low++) {
        if (flush->merged[low].lead == k) {
            return &flush->merged[low].piece;
        }
    }
    return piece_of(world, k);
}

static bool is_seen(const PhWorld *world, PhRange run) {
    const uint8_t *next = world->next_active + run.first;
    bool seen = true;
    for (uint32_t i = 0; i < run.count; i++) {
        seen &= next[i] != PH_ANSWER_FROZEN;
    }
    return seen &&
           world->role[world->proxies.body[world->broad.pairs.owner[run.first]]] == PH_ROLE_DYNAMIC;
}

void ph_flush_find(PhWorld *world, bool first) {
    PhFlush *flush = &world->flush;
    for (uint32_t r = 0; r < flush->run_count; r++) {
        PhFlushRun *run = &flush->run[r];
        run->done = run->done && !first;
        if (!run->done && is_seen(world, run->pairs)) {
            run->done = true;
            merge_edgess(world, run->pairs);
        }
    }
}

// ------------------------------------------------------------------------------------------------
// shares

// Where a point of a manifold lies along the surface of a merged piece, from the lead's own place.
static double place_on(const PhWorld *world, const PhFlushPiece *merged,
                       const PhSolverManifold *manifold, int i) {
    uint32_t slot = body_of(world, merged->lead);
    PhRot q = world->transform[slot].q;
    PhVec2 point = {(double)manifold->point[i].x - (double)manifold->dx,
                    (double)manifold->point[i].y - (double)manifold->dy};
    PhVec2 arm = ph_rotate(q, world->body[slot].center_local);
    return ph_dot(ph_add(point, arm), ph_rotate(q, merged->along));
}

// The member on which a place lies: the first that reaches so far.
static uint32_t member_at(const PhFlushMember *members, uint32_t count, double at) {
    uint32_t m = 0;
    while (m + 1 < count && members[m].to < at) {
        m++;
    }
    return m;
}

static void share(PhWorld *world, PhFlushPiece *merged) {
    const PhFlushMember *members = world->flush.member + merged->first;
    PhSolverManifold *manifold = world->contacts.manifold;
    const PhSolverManifold whole = manifold[merged->lead];
    uint8_t found = world->next_active[merged->lead];
    float approach = world->approach[merged->lead], later = world->later[merged->lead];
    uint32_t on[2] = {merged->count, merged->count}; // members of the points
    double at[2] = {0, 0};
    for (int i = 0; i < 2 && found == PH_ANSWER_NEAR; i++) {
        if (ph_has_point(&whole, i)) {
            at[i] = place_on(world, merged, &whole, i);
            on[i] = member_at(members, merged->count, at[i]);
        }
    }
    bool both = on[0] < merged->count && on[1] < merged->count;
    uint32_t low = both && on[1] < on[0] ? on[1] : on[0], high = both ? on[0] + on[1] - low : low;
    merged->low = low;
    merged->high = high;
    uint32_t lead_body = body_of(world, merged->lead);
    for (uint32_t m = 0; m < merged->count; m++) {
        uint32_t k = members[m].pair, b = body_of(world, k);
        bool between = both && m > low && m < high, has = on[0] == m || on[1] == m || between;
        world->next_active[k] = has ? PH_ANSWER_NEAR : PH_ANSWER_APART;
        world->approach[k] = has ? approach : 0;
        world->later[k] = later;
        if (!has) {
            continue;
        }
        PhSolverManifold *shared = &manifold[k];
        *shared = whole;
        shared->dx += (float)(world->center[b][0] - world->center[lead_body][0]);
        shared->dy += (float)(world->center[b][1] - world->center[lead_body][1]);
        if (between) { // in line with the others, for events
            double middle = 0.5 * (members[m].from + members[m].to);
            float part = (float)((middle - at[0]) / (at[1] - at[0]));
            shared->point[0].x += part * (whole.point[1].x - whole.point[0].x);
            shared->point[0].y += part * (whole.point[1].y - whole.point[0].y);
            shared->point[0].separation +=
                part * (whole.point[1].separation - whole.point[0].separation);
            shared->point[1].separation = PH_NO_POINT;
        } else {
            for (int i = 0; i < 2; i++) {
                shared->point[i].separation = on[i] == m ? whole.point[i].separation : PH_NO_POINT;
            }
        }
    }
}

void ph_flush_part(PhWorld *world) {
    PhFlush *flush = &world->flush;
    for (; flush->fresh < flush->merged_count; flush->fresh++) {
        share(world, &flush->merged[flush->fresh]);
    }
}

// ------------------------------------------------------------------------------------------------
// carried

// What touches a floor already has had its impact, on whichever of its pieces.
static void see_touch(PhWorld *world, const PhFlushPiece *merged) {
    const uint8_t *flags = world->broad.pairs.flags;
    const PhFlushMember *members = world->flush.member + merged->first;
    bool touches = false;
    for (uint32_t m = 0; m < merged->count; m++) {
        touches |= (flags[members[m].pair] & PH_PAIR_TOUCHING) != 0;
    }
    for (uint32_t m = 0; touches && m < merged->count; m++) {
        uint32_t k = members[m].pair;
        if (world->contacts.manifold[k].restitution == 0) {
            world->later[k] = ph_not_due(world->later[k]);
        }
    }
}

void ph_flush_see_touch(PhWorld *world) {
    for (uint32_t s = 0; s < world->flush.merged_count; s++) {
        see_touch(world, &world->flush.merged[s]);
    }
}

void ph_flush_take(PhWorld *world) {
    const PhPairList *pairs = &world->broad.pairs;
    for (uint32_t s = 0; s < world->flush.merged_count; s++) {
        PhFlushPiece *merged = &world->flush.merged[s];
        const PhFlushMember *members = world->flush.member + merged->first;
        const PhContactRecord *first = NULL, *last = NULL;
        for (uint32_t m = 0; m < merged->count; m++) {
            uint32_t k = members[m].pair;
            if (pairs->flags[k] & PH_PAIR_ACTIVE) {
                last = ph_record(world, pairs, k);
                first = first ? first : last;
            }
        }
        merged->carried = first ? *first : (PhContactRecord){0};
        if (first != last) {
            merged->carried.normal_impulse[1] = last->normal_impulse[1];
            merged->carried.tangent_impulse[1] = last->tangent_impulse[1];
        }
    }
}

void ph_flush_give(PhWorld *world) {
    const PhPairList *pairs = &world->broad.pairs;
    PhContactRecord *records = pairs->record;
    for (uint32_t s = 0; s < world->flush.merged_count; s++) {
        const PhFlushPiece *merged = &world->flush.merged[s];
        const PhFlushMember *members = world->flush.member + merged->first;
        const PhContactRecord *from = &merged->carried;
        for (uint32_t m = 0; m < merged->count; m++) {
            uint32_t k = members[m].pair;
            if (!(world->next_active[k] & pairs->flags[k] & PH_PAIR_ACTIVE)) {
                continue;
            }
            PhContactRecord *record = &records[k];
            bool low = m == merged->low, high = m == merged->high;
            record->nx = from->nx;
            record->ny = from->ny;
            record->rolling_impulse = low ? from->rolling_impulse : 0;
            for (int i = 0; i < 2; i++) {
                bool has = i ? high : low;
                record->normal_impulse[i] = has ? from->normal_impulse[i] : 0;
                record->tangent_impulse[i] = has ? from->tangent_impulse[i] : 0;
            }
        }
    }
}

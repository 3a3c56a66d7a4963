// Entangled bodies of several pieces. When two such bodies have been driven into each other, each
// pair of pieces pushes along a direction of its own. Then they may hold each other for ever, as a
// hook that has gone through a ring, or a spike that friction holds between two prongs. The two
// bodies are separated along one direction, their *escape*: of some directions, the one along which
// the smallest displacement separates all of their pieces.
//
// In this step, contacts of the two that hinder the escape do not act, and one of them acts along
// it instead: with its normal, and with two points so far apart that the bodies do not turn about
// it. The other contacts go on pushing, without friction, because friction is what holds a wedge.
// All of them keep their restitution: two that have come into each other in one step, before a
// contact could stop them, meet along the escape, and what bounces is to keep its energy.
// The displacement along the escape shrinks by what the bodies move along it, and along other
// directions by no more. So the next step finds the same direction without a memory of this one. An
// escape is pushed like any overlap and adds no energy.
//
// This is done only where a contact is deep and contacts of the two bodies contradict each other or
// the escape. What lies, stands or is pressed together is left as it is.
//
// Invariant: outside of ph_escapes_begin() and ph_escapes_end() all manifolds are as the narrow
// phase found them. The result depends on poses, pieces and the contacts of the two bodies alone.
//
// Source of the idea that the smallest displacement counts: S. Cameron, R. Culley, "Determining the
// minimum translational distance between two convex polyhedra" (1986); here for all pieces at once.
#include <string.h>

#include "base/memory.h"
#include "math/trig.h"
#include "narrow/faces.h"
#include "world/continuous.h"
#include "world/deep_contacts.h"
#include "world/internal.h"

// Between the two depths of PhLengths the pair finds its rest; a single limit would give and take
// friction for ever.
#define NEAR 3.0       // times the deepest contact: most escapes are no longer
#define OPPOSED -0.1   // cosine between two normals that are at odds
#define OUTWARD 0.17   // of those, cosine between a normal and an escape that it does not hinder
#define SIDEWAYS -0.15 // the same of others: no escape is exactly one of the directions
#define PART_TURN 1e-9 // cosine below which a direction goes along a face
enum {
    DIRECTIONS = 32,
    // Of a body: pieces that are examined, and those near the other body; there is no escape from
    // more.
    MOST_PIECES = 4096,
    MOST_PARTS = 64,
    MOST_COUPLES = 1 << 15 // couples of pieces in a step, of about a microsecond each
};

// Where b has to be moved along a direction for two pieces to overlap: between low and high.
typedef struct Span {
    double low, high;
} Span;

// The same along each direction.
typedef struct Barrier {
    double low[DIRECTIONS], high[DIRECTIONS];
} Barrier;

typedef struct Parts {
    uint32_t count, proxy[MOST_PARTS];
} Parts;

// Two bodies with a deep contact, and all contacts of theirs.
typedef struct BodyPair {
    const uint32_t *contact; // their numbers, upwards
    uint32_t count, deepest; // deepest: the contact
    uint32_t a, b;           // slots of the two
    bool at_odds;            // whether contacts push against each other
    double hinders;          // cosine between a normal and an escape below which it hinders
    Parts of_a, of_b;        // pieces near the other
    PhTransform ta, tb;
} BodyPair;

// Loops over directions choose between two values by one comparison at a time: so compilers make
// several of them at once, for any processor.
typedef struct Search {
    PhWorld *world;
    Barrier *barrier;                    // of couples of pieces, along all directions
    uint32_t couples;                    // of pieces, in this step
    PhVec2 unit[DIRECTIONS];             // directions in the frame of the first body
    double x[DIRECTIONS], y[DIRECTIONS]; // and in the world
} Search;

// The pieces of a body near a box. False where one is not solid, and for more than there is room
// for.
static bool list_parts(const PhWorld *world, uint32_t slot, PhAabb near, Parts *out) {
    PhParts parts = ph_parts_of(world, slot);
    out->count = 0;
    uint32_t seen = 0;
    for (uint32_t p; ph_next_part(world, &parts, &p);) {
        if (!world->wrapped && !ph_overlaps(world->proxies.box[p], near)) {
            if (++seen > MOST_PIECES) {
                return false;
            }
            continue;
        }
        if (out->count == MOST_PARTS || world->proxy_piece[p]->flags & PH_PIECE_ONE_SIDED) {
            return false;
        }
        out->proxy[out->count++] = p;
    }
    return true;
}

// What lies further from a body than its own size is not in its way.
static PhAabb box_around(const PhWorld *world, uint32_t slot) {
    const double *center = world->center[slot], reach = 3 * world->body[slot].extent;
    return (PhAabb){{center[0] - reach, center[1] - reach}, {center[0] + reach, center[1] + reach}};
}

// Cuts off what a face leaves free: it is `separation` away, and goes away by `along` for each
// metre of escape.
static inline Span cut_span(Span span, double separation, double along) {
    const double beside = separation >= 0 ? -INFINITY : INFINITY;
    double distance = -separation / along;
    double away = along > PART_TURN ? distance : INFINITY;
    double back = along < -PART_TURN ? distance : -INFINITY;
    double shut = fabs(along) > PART_TURN ? INFINITY : beside;
    double high = ph_min(span.high, away);
    return (Span){ph_max(span.low, back), ph_min(high, shut)};
}

static void cut(const Search *restrict search, double separation, PhVec2 normal,
                Barrier *restrict out) {
    for (int d = 0; d < DIRECTIONS; d++) {
        double along = normal.x * search->x[d] + normal.y * search->y[d];
        Span span = cut_span((Span){out->low[d], out->high[d]}, separation, along);
        out->low[d] = span.low;
        out->high[d] = span.high;
    }
}

// How far apart a face and a piece are, with their radii; a touch is apart.
static double face_separation(const Search *search, const PhPiece *owner, int32_t edge,
                              const PhPiece *other, PhTransform to_other) {
    double radii = owner->radius + other->radius;
    return ph_face_separation(owner, edge, other, to_other) - radii +
           search->world->lengths.escape_touching;
}

// Faces that separate the pieces only beyond `limit` metres are skipped: up to that they change
// nothing.
static void cut_by_faces(const Search *search, const PhPiece *owner, PhTransform pose,
                         const PhPiece *other, PhTransform other_pose, double sign, double limit,
                         Barrier *out) {
    PhTransform to_other = ph_relative(other_pose, pose);
    for (int32_t e = 0; owner->count > 1 && e < owner->count; e++) {
        double separation = face_separation(search, owner, e, other, to_other);
        if (separation >= -limit) {
            cut(search, separation, ph_scale(sign, ph_rotate(pose.q, owner->normals[e])), out);
        }
    }
}

// Where discs around two pieces overlap, which are `gap` apart at first, and beside each other by
// the root of `beside`.
static inline Span disc_span(double along, double beside) {
    double square = along * along - beside;
    double root = sqrt(square > 0 ? square : 0), half = square > 0 ? root : -INFINITY;
    return (Span){-along - half, -along + half};
}

// Whether they overlap anywhere ahead.
static bool find_discs(const Search *restrict search, PhVec2 gap, double beside,
                       Barrier *restrict out) {
    bool any = false;
    for (int d = 0; d < DIRECTIONS; d++) {
        Span span = disc_span(gap.x * search->x[d] + gap.y * search->y[d], beside);
        out->low[d] = span.low;
        out->high[d] = span.high;
    }
    for (int d = 0; d < DIRECTIONS; d++) {
        any |= out->high[d] > 0;
    }
    return any;
}

// False where the two are nowhere in the way, or not on the first `limit` metres. Round corners
// count as square ones.
static bool find_barrier(const Search *search, const PhPiece *a, PhTransform ta, const PhPiece *b,
                         PhTransform tb, double limit, Barrier *out) {
    PhVec2 gap = ph_sub(ph_apply(tb, b->centroid), ph_apply(ta, a->centroid));
    double reach = a->extent + b->extent - search->world->lengths.escape_touching;
    double beside = ph_length_squared(gap) - reach * reach;
    if (ph_length(gap) > reach + limit || !find_discs(search, gap, beside, out)) {
        return false;
    }
    cut_by_faces(search, a, ta, b, tb, 1, limit, out);
    cut_by_faces(search, b, tb, a, ta, -1, limit, out);
    return true;
}

// Whether a barrier moves a place; those at its end stay.
static bool pass_barrier(const Barrier *restrict barrier, double *restrict distances) {
    double moves = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        double beyond = ph_max(barrier->high[d], distances[d]);
        double distance = barrier->low[d] < distances[d] ? beyond : distances[d];
        double further = distance > distances[d] ? 1 : 0;
        moves += further;
        distances[d] = distance;
    }
    return moves > 0;
}

// The first place along each direction at which no couple of pieces overlaps.
static void find_distances(const Search *search, uint32_t count, double distances[DIRECTIONS]) {
    memset(distances, 0, DIRECTIONS * sizeof *distances);
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < count; i++) {
            moved |= pass_barrier(&search->barrier[i], distances);
        }
    }
}

static void turn_directions(Search *search, PhRot turn) {
    for (int d = 0; d < DIRECTIONS; d++) {
        PhVec2 direction = ph_rotate(turn, search->unit[d]);
        search->x[d] = direction.x;
        search->y[d] = direction.y;
    }
}

// The shortest translation of body b out of body a, up to `limit` metres; infinity where there is
// none.
static double shortest_escape(Search *search, const BodyPair *bodies, double limit,
                              PhVec2 *escape) {
    const PhWorld *world = search->world;
    const Parts *of_a = &bodies->of_a, *of_b = &bodies->of_b;
    uint32_t count = 0;
    for (uint32_t i = 0; i < of_a->count; i++) {
        for (uint32_t j = 0; j < of_b->count; j++) {
            uint32_t p = of_a->proxy[i], q = of_b->proxy[j];
            count += ph_proxies_collide(&world->proxies, p, q) && !ph_is_refused(world, p, q) &&
                     find_barrier(search, world->proxy_piece[p], bodies->ta, world->proxy_piece[q],
                                  bodies->tb, limit, &search->barrier[count]);
        }
    }
    double least = INFINITY, distance[DIRECTIONS];
    find_distances(search, count, distance);
    for (int d = 0; d < DIRECTIONS; d++) {
        if (distance[d] < least) {
            least = distance[d];
            *escape = ph_vec(search->x[d], search->y[d]);
        }
    }
    return least <= limit ? least : INFINITY;
}

static const PhSolverManifold *manifold_of(const PhWorld *world, uint32_t contact) {
    return &world->contacts.manifold[world->contacts.pair[contact]];
}

// The normal of a contact, from body a to the other.
static PhVec2 normal_from(const PhWorld *world, uint32_t contact, uint32_t a) {
    const PhSolverManifold *manifold = manifold_of(world, contact);
    double sign = world->contacts.body_a[contact] == a ? 1 : -1;
    return ph_vec(sign * (double)manifold->nx, sign * (double)manifold->ny);
}

static bool is_touching(const PhWorld *world, uint32_t contact) {
    return ph_depth_of(manifold_of(world, contact)) > world->lengths.escape_touching;
}

// A piece of body a and one of body b.
typedef struct Couple {
    const PhPiece *a, *b;
} Couple;

static Couple couple_of(const PhWorld *world, const BodyPair *bodies, uint32_t contact) {
    uint32_t k = world->contacts.pair[contact];
    const PhPiece *owner = world->proxy_piece[world->broad.pairs.owner[k]];
    const PhPiece *other = world->proxy_piece[world->broad.pairs.other[k]];
    bool same = world->contacts.body_a[contact] == bodies->a;
    return (Couple){same ? owner : other, same ? other : owner};
}

// The two pieces of the deepest contact. Every displacement that separates the bodies has to
// separate these.
static Couple deepest_pieces(const PhWorld *world, const BodyPair *bodies) {
    return couple_of(world, bodies, bodies->deepest);
}

// The direction (unit, world) of the smallest displacement of any length. Returns the length, or 0
// if it is no escape or none is searched for.
static double find_escape(Search *search, BodyPair *bodies, double depth, PhVec2 *escape,
                          PhStatus *status) {
    const PhWorld *world = search->world;
    uint32_t a = bodies->a, b = bodies->b;
    Couple deepest = deepest_pieces(world, bodies); // near each other, so asked before all others
    if ((deepest.a->flags | deepest.b->flags) & PH_PIECE_ONE_SIDED) {
        return 0;
    }
    if (!list_parts(world, a, box_around(world, b), &bodies->of_a) ||
        !list_parts(world, b, box_around(world, a), &bodies->of_b)) {
        return 0;
    }
    uint32_t couples = bodies->of_a.count * bodies->of_b.count;
    if (couples < 2 || search->couples + couples > MOST_COUPLES) {
        return 0;
    }
    search->couples += couples;
    ph_pair_frames(world, a, b, &bodies->ta, &bodies->tb);
    *status = PH_RESERVE(search->barrier, couples);
    if (*status) {
        return 0;
    }
    turn_directions(search, bodies->ta.q);
    double distance = shortest_escape(search, bodies, NEAR * depth, escape);
    if (distance == INFINITY) {
        distance = shortest_escape(search, bodies, INFINITY, escape);
    }
    return distance < INFINITY ? distance : 0;
}

// ------------------------------------------------------------------------------------------------
// what becomes of the contacts

// Whether a contact of the two bodies pushes against the deepest one.
static bool are_at_odds(const PhWorld *world, const BodyPair *bodies) {
    PhVec2 normal = normal_from(world, bodies->deepest, bodies->a);
    bool odds = false;
    for (uint32_t m = 0; m < bodies->count && !odds; m++) {
        odds = is_touching(world, bodies->contact[m]) &&
               ph_dot(normal_from(world, bodies->contact[m], bodies->a), normal) < OPPOSED;
    }
    return odds;
}

// Makes the contact one that holds the escape, for all contacts of the two bodies: in the middle of
// the points of those that overlap. normal: from the contact's own body a.
static void hold_escape(const PhWorld *world, const BodyPair *bodies, uint32_t lead, PhVec2 normal,
                        double distance, PhSolverManifold *manifold) {
    const PhContacts *contacts = &world->contacts;
    uint32_t a = contacts->body_a[lead], b = contacts->body_b[lead];
    PhVec2 middle = {0, 0};
    double points = 0;
    for (uint32_t m = 0; m < bodies->count; m++) {
        const PhSolverManifold *other = manifold_of(world, bodies->contact[m]);
        bool same = contacts->body_a[bodies->contact[m]] == a;
        for (int i = 0; i < 2; i++) {
            if (other->point[i].separation < 0) {
                PhVec2 point = {(double)other->point[i].x, (double)other->point[i].y};
                PhVec2 offset = {(double)other->dx, (double)other->dy};
                middle = ph_add(middle, same ? point : ph_sub(point, offset));
                points++;
            }
        }
    }
    middle = ph_scale(1 / points, middle);
    double half = 0.5 * ph_min(world->body[a].extent, world->body[b].extent);
    manifold->nx = (float)normal.x;
    manifold->ny = (float)normal.y;
    for (int i = 0; i < 2; i++) { // along the tangent (ny, -nx)
        PhVec2 point = ph_mul_add(middle, i ? half : -half, ph_vec(normal.y, -normal.x));
        manifold->point[i].x = (float)point.x;
        manifold->point[i].y = (float)point.y;
        manifold->point[i].separation = -(float)distance;
    }
}

static bool is_hindered(const PhWorld *world, const BodyPair *bodies, uint32_t contact,
                        PhVec2 escape) {
    return ph_dot(normal_from(world, contact, bodies->a), escape) < bodies->hinders;
}

// The contacts of two bodies that may be entangled. Rows are reserved.
static PhStatus judge(Search *search, const uint32_t *contact, uint32_t count) {
    PhWorld *world = search->world;
    BodyPair bodies;
    bodies.contact = contact;
    bodies.count = count;
    bodies.deepest = contact[0];
    bodies.a = world->contacts.body_a[contact[0]];
    bodies.b = world->contacts.body_b[contact[0]];
    float depth = ph_depth_of(manifold_of(world, contact[0]));
    for (uint32_t m = 1; m < count; m++) {
        float other = ph_depth_of(manifold_of(world, contact[m]));
        bodies.deepest = other > depth ? contact[m] : bodies.deepest;
        depth = other > depth ? other : depth;
    }
    const float deep = world->lengths.lane.escape_deep[0];
    const float slips = world->lengths.lane.escape_slips[0];
    if (depth <= slips) {
        return PH_OK;
    }
    bodies.at_odds = are_at_odds(world, &bodies);
    bodies.hinders = bodies.at_odds ? OUTWARD : SIDEWAYS;
    double distance = 0;
    PhVec2 escape = {0, 0};
    PhStatus status = PH_OK;
    bool stuck = bodies.at_odds;
    for (uint32_t m = 0; m < count && !stuck; m++) {
        stuck = ph_is_stuck(world, contact[m], ph_depth_of(manifold_of(world, contact[m])));
    }
    if (depth > deep && stuck) {
        distance = find_escape(search, &bodies, (double)depth, &escape, &status);
    }
    uint32_t lead = PH_NULL; // the first one that overlaps and hinders the escape
    for (uint32_t m = 0; distance > 0 && m < count && lead == PH_NULL; m++) {
        bool leads =
            is_hindered(world, &bodies, contact[m], escape) && is_touching(world, contact[m]);
        lead = leads ? contact[m] : PH_NULL;
    }
    if (status || (lead == PH_NULL && !bodies.at_odds)) {
        return status;
    }
    float grip = depth < deep ? (deep - depth) / (deep - slips) : 0;
    for (uint32_t m = 0; m < count; m++) {
        bool off = lead != PH_NULL && is_hindered(world, &bodies, contact[m], escape);
        PhEscapeRow *row = &world->escapes.row[world->escapes.count++];
        *row = (PhEscapeRow){.pair = world->contacts.pair[contact[m]],
                             .part = off ? PH_ESCAPE_OFF : PH_ESCAPE_SLIDES,
                             .grip = grip};
        if (contact[m] == lead) {
            bool same = world->contacts.body_a[lead] == bodies.a;
            row->part = PH_ESCAPE_HOLDS;
            row->made = *manifold_of(world, lead);
            hold_escape(world, &bodies, lead, same ? escape : ph_neg(escape),
                        ph_min(distance, (double)depth), &row->made);
        }
    }
    return PH_OK;
}

// The other solver has its own slop.
PhStatus ph_escapes_find(PhWorld *world) {
    PhEscapes *escapes = &world->escapes;
    escapes->count = 0;
    if (world->def.solver != PH_SOFT_STEP || !world->continuous.any_several) {
        return PH_OK;
    }
    PhDeepContacts deep = {0};
    PhStatus status = ph_deep_contacts_list(world, &deep);
    status = status ? status
                    : ph_reserve_array(&escapes->row, &escapes->capacity, deep.found,
                                       sizeof *escapes->row);
    Search search = {.world = world};
    for (int d = 0; d < DIRECTIONS && deep.count; d++) {
        PhRot turn = ph_rot(2 * PH_PI * d / DIRECTIONS);
        search.unit[d] = ph_vec(turn.c, turn.s);
    }
    for (uint32_t i = 0; i < deep.count && !status; i++) {
        uint32_t first = deep.first[i];
        status = judge(&search, deep.contact + first, deep.first[i + 1] - first);
    }
    ph_free(search.barrier);
    ph_deep_contacts_free(&deep);
    return status;
}

// ------------------------------------------------------------------------------------------------
// around the solve

void ph_escapes_begin(PhWorld *world) {
    PhEscapes *escapes = &world->escapes;
    if (escapes->count) {
        ph_settle_records(world);
        world->layout.joined = true;
    }
    for (uint32_t i = 0; i < escapes->count; i++) {
        PhEscapeRow *row = &escapes->row[i];
        uint32_t k = row->pair;
        PhSolverManifold *manifold = &world->contacts.manifold[k];
        row->kept = *manifold;
        row->approach = world->approach[k];
        *manifold = row->part == PH_ESCAPE_HOLDS ? row->made : *manifold;
        manifold->friction *= row->grip;
        if (row->part == PH_ESCAPE_OFF) {
            manifold->point[0].separation = manifold->point[1].separation = PH_NO_POINT;
            world->approach[k] = 0;
            world->broad.pairs.record[k] = (PhContactRecord){0}; // starts nothing
        }
    }
}

void ph_escapes_end(PhWorld *world) {
    const PhEscapes *escapes = &world->escapes;
    for (uint32_t i = 0; i < escapes->count; i++) {
        const PhEscapeRow *row = &escapes->row[i];
        world->contacts.manifold[row->pair] = row->kept;
        world->approach[row->pair] = row->approach;
    }
}

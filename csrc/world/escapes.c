// Entangled bodies of several pieces. When two such bodies have been driven into each other, each
// pair of pieces pushes along a direction of its own. Then they may hold each other for ever, as a
// hook that has gone through a ring, or a spike that friction holds between two prongs. The two
// bodies are separated along one direction, their *escape*: of some directions, the one along which
// the smallest displacement separates all of their pieces.
//
// In this step, contacts of the two that hinder the escape do not act, and one of them acts along
// it instead: with its normal, and with two points so far apart that the bodies do not turn about
// it. The other contacts go on pushing, without friction, because friction is what holds a wedge.
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
#include "base/sort.h"
#include "math/trig.h"
#include "narrow/faces.h"
#include "world/continuous.h"
#include "world/internal.h"

// Between the two depths of PhLengths the pair finds its rest; a single limit would give and take
// friction for ever.
#define NEAR 3.0       // times the deepest contact: most ways out are no longer
#define OPPOSED -0.1   // cosine between two normals that are at odds
#define OUTWARD 0.17   // of those, cosine between a normal and an escape that it does not hinder
#define SIDEWAYS -0.15 // the same of others: no escape is exactly one of the directions
#define PART_TURN 1e-9 // cosine below which a direction goes along a face
enum {
    DIRECTIONS = 32,
    // Of a body: pieces that are looked at, and those near the other body; there is no escape from
    // more.
    MOST_PIECES = 4096,
    MOST_PARTS = 64,
    MOST_COUPLES = 1 << 15 // couples of pieces in a step, of about a microsecond each
};

// Where b has to be moved along each direction for two pieces to overlap: between low and high.
typedef struct Barrier {
    double low[DIRECTIONS], high[DIRECTIONS];
} Barrier;

typedef struct Parts {
    uint32_t count, proxy[MOST_PARTS];
} Parts;

// A contact of two bodies of which one is deep.
typedef struct Member {
    uint64_t bodies; // slots, the lower one in the high half
    uint32_t contact;
} Member;

// Loops over directions choose between two values by one comparison at a time: so compilers make
// several of them at once, for any processor.
typedef struct Search {
    PhWorld *world;
    Barrier *barrier;
    uint32_t couples;                    // of pieces, in this step
    PhVec2 unit[DIRECTIONS];             // directions in the frame of the first body
    double x[DIRECTIONS], y[DIRECTIONS]; // and in the world
} Search;

static float depth_of(const PhSolverManifold *manifold) {
    float a = manifold->point[0].separation, b = manifold->point[1].separation;
    return -(a < b ? a : b);
}

static uint64_t bodies_of(const PhContacts *contacts, uint32_t c) {
    uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

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
// metre of the way.
static void cut(const Search *restrict search, double separation, PhVec2 normal,
                Barrier *restrict out) {
    const double beside = separation >= 0 ? -INFINITY : INFINITY;
    for (int d = 0; d < DIRECTIONS; d++) {
        double along = normal.x * search->x[d] + normal.y * search->y[d];
        double way = -separation / along;
        double away = along > PART_TURN ? way : INFINITY;
        double back = along < -PART_TURN ? way : -INFINITY;
        double shut = fabs(along) > PART_TURN ? INFINITY : beside;
        double high = ph_min(out->high[d], away);
        out->high[d] = ph_min(high, shut);
        out->low[d] = ph_max(out->low[d], back);
    }
}

static void cut_by_faces(const Search *search, const PhPiece *owner, PhTransform pose,
                         const PhPiece *other, PhTransform other_pose, double sign, Barrier *out) {
    PhTransform to_other = ph_relative(other_pose, pose);
    double radii = owner->radius + other->radius;
    for (int32_t e = 0; owner->count > 1 && e < owner->count; e++) {
        double separation = ph_face(owner, e, other, to_other).separation - radii +
                            search->world->lengths.escape_touching;
        PhVec2 normal = ph_scale(sign, ph_rotate(pose.q, owner->normals[e]));
        cut(search, separation, normal, out);
    }
}

// Where discs around two pieces overlap, which are `gap` apart at first, and beside each other by
// the root of `beside`. Whether they do anywhere ahead.
static bool find_discs(const Search *restrict search, PhVec2 gap, double beside,
                       Barrier *restrict out) {
    bool any = false;
    for (int d = 0; d < DIRECTIONS; d++) {
        double along = gap.x * search->x[d] + gap.y * search->y[d], square = along * along - beside;
        double root = sqrt(square > 0 ? square : 0), half = square > 0 ? root : -INFINITY;
        out->low[d] = -along - half;
        out->high[d] = -along + half;
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
    cut_by_faces(search, a, ta, b, tb, 1, out);
    cut_by_faces(search, b, tb, a, ta, -1, out);
    return true;
}

// Whether a barrier moves a place; those at its end stay.
static bool pass_barrier(const Barrier *restrict barrier, double *restrict ways) {
    double moves = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        double beyond = ph_max(barrier->high[d], ways[d]);
        double way = barrier->low[d] < ways[d] ? beyond : ways[d];
        double further = way > ways[d] ? 1 : 0;
        moves += further;
        ways[d] = way;
    }
    return moves > 0;
}

// The first place along each direction at which no couple of pieces overlaps.
static void find_ways(const Search *search, uint32_t count, double ways[DIRECTIONS]) {
    memset(ways, 0, DIRECTIONS * sizeof *ways);
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < count; i++) {
            moved |= pass_barrier(&search->barrier[i], ways);
        }
    }
}

// The shortest way of body b out of body a, up to `limit` metres; infinity where there is none.
static double shortest_way(Search *search, uint32_t a, const Parts *of_a, uint32_t b,
                           const Parts *of_b, double limit, PhVec2 *escape) {
    const PhWorld *world = search->world;
    PhTransform ta, tb;
    ph_pair_frames(world, a, b, &ta, &tb);
    for (int d = 0; d < DIRECTIONS; d++) {
        PhVec2 direction = ph_rotate(ta.q, search->unit[d]);
        search->x[d] = direction.x;
        search->y[d] = direction.y;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < of_a->count; i++) {
        for (uint32_t j = 0; j < of_b->count; j++) {
            uint32_t p = of_a->proxy[i], q = of_b->proxy[j];
            count += ph_proxies_collide(&world->proxies, p, q) && !ph_is_refused(world, p, q) &&
                     find_barrier(search, world->proxy_piece[p], ta, world->proxy_piece[q], tb,
                                  limit, &search->barrier[count]);
        }
    }
    double least = INFINITY, way[DIRECTIONS];
    find_ways(search, count, way);
    for (int d = 0; d < DIRECTIONS; d++) {
        if (way[d] < least) {
            least = way[d];
            *escape = ph_vec(search->x[d], search->y[d]);
        }
    }
    return least <= limit ? least : INFINITY;
}

// The same of any length: unit, world. Returns the length, or 0 where none is looked for.
static double find_escape(Search *search, uint32_t a, uint32_t b, double deepest, PhVec2 *escape,
                          PhStatus *status) {
    Parts of_a, of_b;
    const PhWorld *world = search->world;
    if (!list_parts(world, a, box_around(world, b), &of_a) ||
        !list_parts(world, b, box_around(world, a), &of_b)) {
        return 0;
    }
    uint32_t couples = of_a.count * of_b.count;
    if (couples < 2 || search->couples + couples > MOST_COUPLES) {
        return 0;
    }
    search->couples += couples;
    *status = PH_RESERVE(search->barrier, couples);
    if (*status) {
        return 0;
    }
    double way = shortest_way(search, a, &of_a, b, &of_b, NEAR * deepest, escape);
    if (way == INFINITY) {
        way = shortest_way(search, a, &of_a, b, &of_b, INFINITY, escape);
    }
    return way < INFINITY ? way : 0;
}

// ------------------------------------------------------------------------------------------------
// what becomes of the contacts

static bool is_before(const void *a, const void *b, const void *context) {
    const Member *x = a, *y = b;
    (void)context;
    return x->bodies != y->bodies ? x->bodies < y->bodies : x->contact < y->contact;
}

static bool is_key_before(const void *a, const void *b, const void *context) {
    (void)context;
    return *(const uint64_t *)a < *(const uint64_t *)b;
}

static bool holds_key(const uint64_t *keys, uint32_t count, uint64_t key) {
    uint32_t low = 0;
    while (count > 1) {
        uint32_t half = count / 2;
        low += keys[low + half] <= key ? half : 0;
        count -= half;
    }
    return keys[low] == key;
}

static const PhSolverManifold *manifold_of(const PhWorld *world, const Member *member) {
    return &world->contacts.manifold[world->contacts.pair[member->contact]];
}

// The normal of a contact, from body a to the other.
static PhVec2 normal_from(const PhWorld *world, const Member *member, uint32_t a) {
    const PhSolverManifold *manifold = manifold_of(world, member);
    double sign = world->contacts.body_a[member->contact] == a ? 1 : -1;
    return ph_vec(sign * (double)manifold->nx, sign * (double)manifold->ny);
}

// Whether a contact of the two bodies pushes against the deepest one.
static bool are_at_odds(const PhWorld *world, const Member *members, uint32_t count, uint32_t a,
                        const Member *deepest) {
    PhVec2 normal = normal_from(world, deepest, a);
    bool odds = false;
    for (uint32_t m = 0; m < count && !odds; m++) {
        odds = depth_of(manifold_of(world, &members[m])) > world->lengths.escape_touching &&
               ph_dot(normal_from(world, &members[m], a), normal) < OPPOSED;
    }
    return odds;
}

// Makes the contact one that holds the escape, for all contacts of the two bodies: in the middle of
// the points of those that overlap. normal: from the contact's own body a.
static void hold_escape(const PhWorld *world, const Member *members, uint32_t count,
                        const Member *lead, PhVec2 normal, double way, PhSolverManifold *manifold) {
    const PhContacts *contacts = &world->contacts;
    uint32_t a = contacts->body_a[lead->contact], b = contacts->body_b[lead->contact];
    PhVec2 middle = {0, 0};
    double points = 0;
    for (uint32_t m = 0; m < count; m++) {
        const PhSolverManifold *other = manifold_of(world, &members[m]);
        bool same = contacts->body_a[members[m].contact] == a;
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
        manifold->point[i].separation = -(float)way;
    }
}

// Contacts of two bodies, of which one is deep. Rows are reserved.
static PhStatus judge(Search *search, const Member *members, uint32_t count) {
    PhWorld *world = search->world;
    uint32_t a = world->contacts.body_a[members[0].contact];
    uint32_t b = world->contacts.body_b[members[0].contact];
    const Member *deepest = &members[0];
    for (uint32_t m = 1; m < count; m++) {
        bool deeper =
            depth_of(manifold_of(world, &members[m])) > depth_of(manifold_of(world, deepest));
        deepest = deeper ? &members[m] : deepest;
    }
    const float deep = world->lengths.lane.escape_deep[0];
    const float slips = world->lengths.lane.escape_slips[0];
    float depth = depth_of(manifold_of(world, deepest));
    bool odds = are_at_odds(world, members, count, a, deepest);
    double way = 0, hinders = odds ? OUTWARD : SIDEWAYS;
    PhVec2 escape = {0, 0};
    PhStatus status = PH_OK;
    if (depth > deep) {
        way = find_escape(search, a, b, (double)depth, &escape, &status);
    }
    const Member *lead = NULL; // the first one that overlaps and hinders the escape
    for (uint32_t m = 0; way > 0 && m < count && !lead; m++) {
        bool leads = ph_dot(normal_from(world, &members[m], a), escape) < hinders &&
                     depth_of(manifold_of(world, &members[m])) > world->lengths.escape_touching;
        lead = leads ? &members[m] : NULL;
    }
    if (status || (!lead && !odds)) {
        return status;
    }
    float grip = depth < deep ? (deep - depth) / (deep - slips) : 0;
    for (uint32_t m = 0; m < count; m++) {
        bool off = lead && ph_dot(normal_from(world, &members[m], a), escape) < hinders;
        PhEscapeRow *row = &world->escapes.row[world->escapes.count++];
        *row = (PhEscapeRow){.pair = world->contacts.pair[members[m].contact],
                             .part = off ? PH_ESCAPE_OFF : PH_ESCAPE_SLIDES,
                             .grip = grip};
        if (&members[m] == lead) {
            bool same = world->contacts.body_a[members[m].contact] == a;
            row->part = PH_ESCAPE_HOLDS;
            row->made = *manifold_of(world, lead);
            hold_escape(world, members, count, lead, same ? escape : ph_neg(escape),
                        ph_min(way, (double)depth), &row->made);
        }
    }
    return PH_OK;
}

// Whether one of the bodies of a contact has several pieces.
static bool has_several(const PhWorld *world, uint32_t c) {
    const uint8_t *several = world->continuous.several;
    return several[world->contacts.body_a[c]] | several[world->contacts.body_b[c]];
}

static bool is_deep(const PhWorld *world, uint32_t c) {
    const PhSolverManifold *manifold = &world->contacts.manifold[world->contacts.pair[c]];
    const float slips = world->lengths.lane.escape_slips[0];
    bool deep = (manifold->point[0].separation < -slips) | (manifold->point[1].separation < -slips);
    return deep && has_several(world, c);
}

// Names the contacts of all bodies that have a deep one. *members is the caller's to free.
static PhStatus list_members(const PhWorld *world, uint32_t deep, Member **members,
                             uint32_t *count) {
    const PhContacts *contacts = &world->contacts;
    uint64_t *keys = ph_alloc(deep, sizeof *keys);
    uint32_t n = 0, found = 0;
    if (!keys) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t c = 0; c < contacts->count; c++) {
        if (is_deep(world, c)) {
            keys[n++] = bodies_of(contacts, c);
        }
    }
    ph_sort(keys, n, sizeof *keys, is_key_before, NULL);
    PhStatus status = PH_OK;
    for (uint32_t c = 0; c < contacts->count && !status; c++) {
        if (has_several(world, c) && holds_key(keys, n, bodies_of(contacts, c))) {
            status = ph_reserve(members, found + 1ull, sizeof **members);
            if (!status) {
                (*members)[found++] = (Member){bodies_of(contacts, c), c};
            }
        }
    }
    ph_free(keys);
    *count = found;
    return status;
}

PhStatus ph_escapes_find(PhWorld *world) {
    PhEscapes *escapes = &world->escapes;
    const PhContacts *contacts = &world->contacts;
    uint32_t deep = 0, count = 0;
    escapes->count = 0;
    if (world->def.solver != PH_SOFT_STEP) { // the other has its own slop
        return PH_OK;
    }
    for (uint32_t c = 0; c < contacts->count; c++) {
        deep += is_deep(world, c);
    }
    if (!deep) {
        return PH_OK;
    }
    Search search = {.world = world};
    for (int d = 0; d < DIRECTIONS; d++) {
        PhRot turn = ph_rot(2 * PH_PI * d / DIRECTIONS);
        search.unit[d] = ph_vec(turn.c, turn.s);
    }
    Member *members = NULL;
    PhStatus status = list_members(world, deep, &members, &count);
    status = status
                 ? status
                 : ph_reserve_array(&escapes->row, &escapes->capacity, count, sizeof *escapes->row);
    if (!status) {
        ph_sort(members, count, sizeof *members, is_before, NULL);
    }
    for (uint32_t first = 0, last; first < count && !status; first = last) {
        for (last = first + 1; last < count && members[last].bodies == members[first].bodies;) {
            last++;
        }
        status = judge(&search, members + first, last - first);
    }
    ph_free(search.barrier);
    ph_free(members);
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
        if (row->grip == 0) {
            manifold->restitution = 0;
            world->approach[k] = 0;
        }
        if (row->part == PH_ESCAPE_OFF) {
            manifold->point[0].separation = manifold->point[1].separation = PH_NO_POINT;
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

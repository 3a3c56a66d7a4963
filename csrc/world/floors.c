// Floors of several pieces in the solver, and feet. A body that lies across flush tiles, collinear
// segments or boxes of one body touches each of them, and one of several pieces may stand on
// several of its own. If such contacts were solved one after the other, bounces and friction would
// differ from those on a single floor, and a table that lands flat would turn. Flush pieces are
// treated as one piece when contacts are found (flush.c), which puts the points on several of them.
// Around the solve, contacts of one body that have one normal become one manifold with the two
// outermost points, as with a single floor.
//
// The first contact of a group, its lead, has these points. The others have none meanwhile, and
// keep their places in the layout. The lead takes over the impulses of nearby points, wherever they
// are recorded. Afterwards impulses go back to the contacts that the points came from. So records
// say what they would say without this, and a point that moves on from piece to piece keeps its
// warm start.
//
// A body that touches more than one moving thing is left as it is: the pieces of a group are fixed,
// or belong to one body. A point between the outermost ones is left out only if it is no higher
// than the line between them.
//
// Invariant: outside of ph_floors_join() and ph_floors_part() all manifolds are as the narrow phase
// found them. The result depends on the contacts of each body alone.
#include "base/memory.h"
#include "geometry/distance.h"
#include "world/internal.h"

enum { MOST_MEMBERS = 64 };

#define SAME_NORMAL 2e-3f // sine of the angle between normals
#define HIDDEN_SINE 1e-3  // the same, of what is hidden
#define SAME_SIDE 0.1     // cosine of the angle to a side that is met from above like the cover

static bool is_fixed(const PhWorld *world, uint32_t body) {
    return world->role[body] == PH_ROLE_FIXED;
}

static bool has_any_point(const PhSolverManifold *manifold) {
    return ph_has_point(manifold, 0) || ph_has_point(manifold, 1);
}

// Whether two contacts of one owner may be those of a floor, by what the others are.
static bool may_join(const PhWorld *world, uint32_t c, uint32_t d) {
    uint32_t b = world->contacts.body_b[c], other = world->contacts.body_b[d];
    return b == other || (!ph_is_dynamic(world, b) && !ph_is_dynamic(world, other));
}

// The contacts from `first` on of the same body, as many as a group may have. Those of one piece
// stay together.
static uint32_t run_length(const PhWorld *world, uint32_t first) {
    const PhContacts *contacts = &world->contacts;
    const uint32_t *owner = world->broad.pairs.owner, *pair = contacts->pair + first;
    uint32_t count = 1, whole = 0; // contacts, and of these those of pieces that are complete
    while (first + count < contacts->count &&
           contacts->body_a[first + count] == contacts->body_a[first]) {
        if (owner[pair[count]] != owner[pair[count - 1]]) {
            whole = count;
        }
        if (count == MOST_MEMBERS) {
            return whole ? whole : count;
        }
        count++;
    }
    return count;
}

PhStatus ph_floors_reserve(PhWorld *world) {
    PhFloors *floors = &world->floors;
    const PhContacts *contacts = &world->contacts;
    if (!floors->stale) {
        return PH_OK;
    }
    uint32_t members = 0;
    floors->run_count = 0;
    for (uint32_t c = 0; c + 1 < contacts->count;) {
        uint32_t count = contacts->body_a[c + 1] == contacts->body_a[c] ? run_length(world, c) : 1;
        bool joins = false;
        for (uint32_t d = c + 1; d < c + count && !joins; d++) {
            joins = may_join(world, d - 1, d);
        }
        if (joins) {
            PhStatus status = ph_reserve_array(&floors->run, &floors->run_capacity,
                                               floors->run_count + 1ull, sizeof *floors->run);
            if (status) {
                return status;
            }
            floors->run[floors->run_count++] = (PhRange){c, count};
            members += count;
        }
        c += count;
    }
    PhStatus status = ph_reserve_array(&floors->member, &floors->member_capacity, members,
                                       sizeof *floors->member);
    status = status ? status
                    : ph_reserve_array(&floors->group, &floors->group_capacity, members,
                                       sizeof *floors->group);
    floors->stale = status != PH_OK;
    return status;
}

// ------------------------------------------------------------------------------------------------
// hidden

static PhVec2 outward(const PhSolverManifold *manifold) {
    return ph_vec(-(double)manifold->nx, -(double)manifold->ny);
}

static double distance_to(const PhPiece *piece, PhTransform pose, PhVec2 point) {
    const PhVec2 zero = {0, 0};
    const PhPiece dot = {.vertices = &zero, .count = 1};
    return ph_distance(piece, pose, &dot, (PhTransform){point, {1, 0}}).distance;
}

// Whether a point is further than that from a piece. Its faces tell for most points.
static bool is_further(const PhPiece *piece, PhTransform pose, PhVec2 point, double distance) {
    PhVec2 local = ph_unapply(pose, point);
    double gap = -INFINITY;
    for (int32_t i = 0; piece->count > 1 && i < piece->count; i++) {
        gap = ph_max(gap, ph_dot(piece->normals[i], ph_sub(local, piece->vertices[i])));
    }
    if (gap - piece->radius > distance) {
        return true;
    }
    bool inside = gap <= 0 && piece->count > 2;
    return !inside && distance_to(piece, pose, point) > distance;
}

// How far a piece reaches along a direction.
static double reach_of(const PhPiece *piece, PhTransform pose, PhVec2 m) {
    double most = -INFINITY;
    for (int32_t i = 0; i < piece->count; i++) {
        most = ph_max(most, ph_dot(ph_apply(pose, piece->vertices[i]), m));
    }
    return most + piece->radius;
}

// Whether the other piece of contact c is met from a side that the other piece of contact d covers:
// below the surface of that one, which goes on there, and not standing out from it. So is the side
// of the next tile of a floor. A side that rises out of that surface is met itself, as in a bowl.
static bool is_hidden_by(const PhWorld *world, uint32_t c, uint32_t d) {
    const PhContacts *contacts = &world->contacts;
    const double seam = world->lengths.floor_seam;
    uint32_t k = contacts->pair[c], j = contacts->pair[d];
    const PhSolverManifold *manifold = &contacts->manifold[k], *cover = &contacts->manifold[j];
    PhVec2 o = outward(manifold), m = outward(cover);
    double across = ph_dot(o, m), sine = ph_cross(m, o);
    if (fabs(sine) < (double)SAME_NORMAL || across < -0.1) {
        return false;
    }
    const PhPairList *pairs = &world->broad.pairs;
    const PhPiece *b = world->proxy_piece[pairs->other[k]],
                  *a = world->proxy_piece[pairs->other[j]];
    if (a->flags & b->flags & PH_PIECE_ONE_SIDED) { // chains judge their normals by themselves
        return false;
    }
    uint32_t body_b = contacts->body_b[c], body_a = contacts->body_b[d];
    PhVec2 origin = {world->center[body_b][0], world->center[body_b][1]};
    PhTransform pose_b = world->transform[body_b], pose_a = world->transform[body_a];
    pose_b.p = ph_sub(pose_b.p, origin);
    pose_a.p = ph_sub(pose_a.p, origin);
    if (!ph_piece_has_side(a, pose_a.q, m, HIDDEN_SINE)) {
        return false;
    }
    PhVec2 along = ph_scale(sine > 0 ? 1 : -1, ph_left(m));
    double level = reach_of(a, pose_a, m), low = world->lengths.floor_hidden_height;
    if (across > SAME_SIDE && reach_of(b, pose_b, m) > level + low &&
        ph_piece_has_side(b, pose_b.q, o, HIDDEN_SINE)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (!ph_has_point(manifold, i)) {
            continue;
        }
        PhVec2 point = {(double)manifold->point[i].x - (double)manifold->dx,
                        (double)manifold->point[i].y - (double)manifold->dy};
        double height = ph_dot(point, m) - level;
        double gap = ph_max(ph_min((double)manifold->point[i].separation, 2 * seam), 0);
        if (height > low + 0.5 * gap) { // the point is midway
            return false;
        }
        PhVec2 on =
            ph_mul_add(ph_mul_add(point, world->lengths.floor_beside, along), -(height + seam), m);
        PhVec2 above = ph_mul_add(point, 2 * seam - height, m);
        if (is_further(a, pose_a, on, 1.2 * seam) || !is_further(b, pose_b, above, seam)) {
            return false;
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------------------
// join

static float place_of(const PhSolverManifold *lead, const PhSolverManifold *manifold, int i) {
    return lead->ny * manifold->point[i].x - lead->nx * manifold->point[i].y;
}

static bool are_of_one_floor(const PhWorld *world, uint32_t c, uint32_t d) {
    uint32_t b = world->contacts.body_b[c], other = world->contacts.body_b[d];
    return b == other || (is_fixed(world, b) && is_fixed(world, other));
}

static bool has_same_radii(const PhSolverManifold *p, const PhSolverManifold *q) {
    return fabsf(p->point[0].radius) == fabsf(q->point[0].radius) &&
           fabsf(p->point[1].radius) == fabsf(q->point[1].radius);
}

// Whether two contacts of the same dynamic bodies are seen at one moment of the step. What is seen
// where it will meet has arms of that moment.
static bool are_of_one_moment(const PhWorld *world, const PhSolverManifold *p,
                              const PhSolverManifold *q, uint32_t b) {
    const float most = world->lengths.lane.floor_flat[0];
    return is_fixed(world, b) || (fabsf(p->dx - q->dx) < most && fabsf(p->dy - q->dy) < most);
}

static bool is_like(const PhWorld *world, uint32_t c, uint32_t d) {
    const uint32_t *pair = world->contacts.pair;
    const PhSolverManifold *p = &world->contacts.manifold[pair[c]];
    const PhSolverManifold *q = &world->contacts.manifold[pair[d]];
    float sine = p->nx * q->ny - p->ny * q->nx, cosine = p->nx * q->nx + p->ny * q->ny;
    return are_of_one_floor(world, c, d) && has_any_point(q) && sine < SAME_NORMAL &&
           sine > -SAME_NORMAL && cosine > 0 && p->friction == q->friction &&
           p->restitution == q->restitution && p->rolling_radius == q->rolling_radius &&
           p->tangent_speed == q->tangent_speed && has_same_radii(p, q) &&
           are_of_one_moment(world, p, q, world->contacts.body_b[c]);
}

// The outermost points of members, along the surface of the first one. False where one between them
// is higher than they are, or there is nothing to gain.
static bool find_ends(const PhFloorGroup *group, const PhFloorMember *members,
                      const PhLaneLengths *lengths, PhFloorEnd end[2]) {
    const PhSolverManifold *lead = &members[0].kept;
    end[0] = (PhFloorEnd){0, 0, INFINITY, 0};
    end[1] = (PhFloorEnd){0, 0, -INFINITY, 0};
    for (uint32_t m = 0; m < group->count; m++) {
        const PhSolverManifold *manifold = &members[m].kept;
        for (int i = 0; i < 2; i++) {
            if (!ph_has_point(manifold, i)) {
                continue;
            }
            float at = place_of(lead, manifold, i), gap = manifold->point[i].separation;
            if (at < end[0].at) {
                end[0] = (PhFloorEnd){m, i, at, gap};
            }
            if (at > end[1].at) {
                end[1] = (PhFloorEnd){m, i, at, gap};
            }
        }
    }
    float width = end[1].at - end[0].at, rise = (end[1].gap - end[0].gap) / width;
    if (width < lengths->floor_one_place[0]) { // the lower one of the two counts
        end[0] = end[1].gap < end[0].gap ? end[1] : end[0];
        end[1].at = end[0].at;
        return true;
    }
    for (uint32_t m = 0; m < group->count; m++) {
        const PhSolverManifold *manifold = &members[m].kept;
        for (int i = 0; i < 2; i++) {
            if (!ph_has_point(manifold, i)) {
                continue;
            }
            float line = end[0].gap + rise * (place_of(lead, manifold, i) - end[0].at);
            if (manifold->point[i].separation < line - lengths->floor_flat[0]) {
                return false;
            }
        }
    }
    return true;
}

// What the members have carried, to the ends of the group that are nearer.
static PhContactRecord gather(const PhWorld *world, const PhFloorGroup *group,
                              const PhFloorMember *members) {
    const PhContactRecord *records = world->broad.pairs.record;
    const PhSolverManifold *lead = &members[0].kept;
    PhContactRecord sum = {.nx = lead->nx, .ny = lead->ny};
    float middle = 0.5f * (group->end[0].at + group->end[1].at);
    for (uint32_t m = 0; m < group->count; m++) {
        const PhContactRecord *record = &records[members[m].pair];
        if (!(record->nx * lead->nx + record->ny * lead->ny > 0.9f)) {
            continue;
        }
        for (int i = 0; i < 2; i++) {
            int known = ph_has_point(&members[m].kept, i) ? i : 1 - i;
            int to = !group->single && place_of(lead, &members[m].kept, known) > middle;
            sum.normal_impulse[to] += record->normal_impulse[i];
            sum.tangent_impulse[to] += record->tangent_impulse[i];
        }
        sum.rolling_impulse += record->rolling_impulse;
    }
    return sum;
}

// The contacts of a run that are of the same piece as contact c of it. They stand in a row.
static PhRange of_same_piece(const PhWorld *world, PhRange run, uint32_t c) {
    const uint32_t *owner = world->broad.pairs.owner, *pair = world->contacts.pair + run.first;
    uint32_t end = c + 1;
    while (end < run.count && owner[pair[end]] == owner[pair[c]]) {
        end++;
    }
    return (PhRange){run.first + c, end - c};
}

// Whether contact c, of these of one piece, is hidden by another one of them. taken: bits of those
// of the run that are hidden themselves, and hide nothing: two would hide each other.
static bool is_hidden(const PhWorld *world, PhRange run, PhRange piece, uint64_t taken,
                      uint32_t c) {
    const PhContacts *contacts = &world->contacts;
    if (piece.count == 1 || !has_any_point(&contacts->manifold[contacts->pair[c]])) {
        return false;
    }
    for (uint32_t d = piece.first; d < piece.first + piece.count; d++) {
        if (d != c && !(taken >> (d - run.first) & 1) && are_of_one_floor(world, c, d) &&
            has_any_point(&contacts->manifold[contacts->pair[d]]) && is_hidden_by(world, c, d)) {
            return true;
        }
    }
    return false;
}

// What members see within so many seconds they see at once.
#define AT_SAME_TIME 1e-5f

static void join(PhWorld *world, PhFloorGroup *group, PhFloorMember *members) {
    PhSolverManifold *manifold = world->contacts.manifold, *lead = &manifold[members[0].pair];
    PhContactRecord *records = world->broad.pairs.record;
    PhContactRecord carried = gather(world, group, members);
    float approach = 0, later = INFINITY;
    bool alike = true; // as the narrow phase has found them together
    bool side[2] = {false, false};
    for (uint32_t m = 0; m < group->count; m++) {
        PhSolverManifold *member = &manifold[members[m].pair];
        members[m].age = records[members[m].pair].age;
        members[m].approach = world->approach[members[m].pair];
        approach = members[m].approach > approach ? members[m].approach : approach;
        members[m].later = world->later[members[m].pair];
        for (int i = 0; i < 2; i++) { // what lies on a corner and on a side lies on the side
            side[i] |= signbit(member->point[i].radius) != 0;
        }
        alike &= members[m].approach == members[0].approach && members[m].later == members[0].later;
        bool counts = members[m].approach > 0;
        later = !counts                                          ? later
                : later == INFINITY                              ? members[m].later
                : fabsf(members[m].later - later) < AT_SAME_TIME ? later
                                                                 : -1; // at different times
        member->point[0].separation = member->point[1].separation = PH_NO_POINT;
        records[members[m].pair] = (PhContactRecord){0}; // those without points start nothing
        world->approach[members[m].pair] = 0;
    }
    if (group->single) { // over a seam the corner of the other piece has a normal of its own
        lead->nx = carried.nx = members[group->end[0].member].kept.nx;
        lead->ny = carried.ny = members[group->end[0].member].kept.ny;
    }
    for (int i = 0; i < 2; i++) {
        lead->point[i].radius = copysignf(lead->point[i].radius, side[i] ? -1 : 1);
    }
    for (int i = 0; i < 2 - group->single; i++) {
        const PhSolverManifold *from = &members[group->end[i].member].kept;
        int point = group->end[i].point;
        lead->point[i].x = from->point[point].x;
        lead->point[i].y = from->point[point].y;
        lead->point[i].separation = from->point[point].separation;
    }
    // All points are as the first member sees them.
    bool leads = members[0].approach > 0 || later == 0;
    later = alike ? members[0].later : later;
    world->approach[members[0].pair] = approach;
    world->later[members[0].pair] =
        later >= 0 && (alike || leads) ? later : ph_not_due(members[0].later);
    carried.age = members[0].age;
    records[members[0].pair] = carried;
}

// Impulses are in the records from now on.
static void settle(PhWorld *world) {
    if (!world->floors.settled) {
        ph_settle_records(world);
        world->floors.settled = true;
    }
}

void ph_floors_join(PhWorld *world) {
    PhFloors *floors = &world->floors;
    const uint32_t *pair = world->contacts.pair;
    uint32_t members = 0;
    floors->group_count = 0;
    floors->settled = false;
    for (uint32_t r = 0; r < floors->run_count; r++) {
        PhRange run = floors->run[r];
        uint32_t first = floors->group_count;
        uint64_t taken = 0; // bits
        PhRange piece = {run.first, 0};
        for (uint32_t c = 0; c < run.count; c++) {
            if (run.first + c == piece.first + piece.count) {
                piece = of_same_piece(world, run, c);
            }
            if (is_hidden(world, run, piece, taken, run.first + c)) {
                settle(world);
                uint32_t k = pair[run.first + c];
                PhFloorMember *member = floors->member + members;
                *member = (PhFloorMember){.pair = k, .kept = world->contacts.manifold[k]};
                PhFloorGroup group = {.first = members++, .count = 1, .hidden = true};
                floors->group[floors->group_count++] = group;
                taken |= UINT64_C(1) << c;
            }
        }
        for (uint32_t g = first; g < floors->group_count; g++) {
            PhSolverManifold *hidden =
                &world->contacts.manifold[floors->member[floors->group[g].first].pair];
            hidden->point[0].separation = hidden->point[1].separation = PH_NO_POINT;
        }
        for (uint32_t c = 0; c + 1 < run.count; c++) {
            if (taken >> c & 1 || !has_any_point(&world->contacts.manifold[pair[run.first + c]])) {
                continue;
            }
            uint64_t joined = UINT64_C(1) << c;
            for (uint32_t d = c + 1; d < run.count; d++) {
                bool like = !(taken >> d & 1) && is_like(world, run.first + c, run.first + d);
                joined |= (uint64_t)like << d;
            }
            if (joined >> c == 1) { // it alone
                continue;
            }
            PhFloorGroup group = {.first = members};
            PhFloorMember *member = floors->member + members;
            for (uint64_t bits = joined; bits; bits &= bits - 1) {
                uint32_t k = pair[run.first + (uint32_t)__builtin_ctzll(bits)];
                member[group.count++] =
                    (PhFloorMember){.pair = k, .kept = world->contacts.manifold[k]};
            }
            if (!find_ends(&group, member, &world->lengths.lane, group.end)) {
                continue;
            }
            group.single = group.end[0].at == group.end[1].at;
            taken |= joined;
            members += group.count;
            floors->group[floors->group_count++] = group;
            settle(world);
            join(world, &group, member);
        }
    }
    world->layout.joined = floors->group_count > 0;
}

void ph_floors_show(const PhWorld *world, uint32_t (*number)[2]) {
    const PhFloors *floors = &world->floors;
    const PhContacts *contacts = &world->contacts;
    for (uint32_t g = 0; g < floors->group_count; g++) {
        const PhFloorGroup *group = &floors->group[g];
        const PhFloorMember *members = floors->member + group->first;
        uint32_t of_end[2] = {PH_NULL, PH_NULL};
        for (int i = 0; i < 2 - group->single && !group->hidden; i++) {
            const PhFloorEnd *end = &group->end[i];
            of_end[i] = number[ph_contact_of(contacts, members[end->member].pair)][end->point];
        }
        for (uint32_t m = 0; m < group->count; m++) {
            uint32_t c = ph_contact_of(contacts, members[m].pair);
            for (int i = 0; i < 2; i++) {
                number[c][i] = m == 0 ? of_end[i] : PH_NULL;
            }
        }
    }
}

// ------------------------------------------------------------------------------------------------
// part

static bool is_met(const PhSolverManifold *manifold) {
    return manifold->point[0].separation <= 0 || manifold->point[1].separation <= 0;
}

void ph_floors_part(PhWorld *world, uint32_t aging) {
    const PhFloors *floors = &world->floors;
    PhContactRecord *records = world->broad.pairs.record;
    uint8_t *flags = world->broad.pairs.flags;
    for (uint32_t g = 0; g < floors->group_count; g++) {
        const PhFloorGroup *group = &floors->group[g];
        const PhFloorMember *members = floors->member + group->first;
        if (group->hidden) { // what it carried is for the floor that covers it
            uint32_t k = members[0].pair;
            world->contacts.manifold[k] = members[0].kept;
            continue;
        }
        const PhContactRecord done = records[members[0].pair];
        bool acted[2] = {done.total_normal[0] > 0, done.total_normal[1] > 0};
        for (uint32_t m = 0; m < group->count; m++) {
            uint32_t k = members[m].pair;
            PhContactRecord record = {.nx = done.nx, .ny = done.ny};
            bool touches = is_met(&members[m].kept), outside = false;
            for (int i = 0; i < 2 - group->single; i++) {
                int at = group->end[i].point;
                if (group->end[i].member != m) {
                    continue;
                }
                record.normal_impulse[at] = done.normal_impulse[i];
                record.tangent_impulse[at] = done.tangent_impulse[i];
                record.total_normal[at] = done.total_normal[i];
                record.total_tangent[at] = done.total_tangent[i];
                record.rolling_impulse = i == 0 ? done.rolling_impulse : record.rolling_impulse;
                touches |= acted[i];
                outside = true;
            }
            touches |= !outside && acted[0] && acted[!group->single];
            world->approach[k] = members[m].approach;
            world->later[k] = members[m].later;
            record.age = touches ? members[m].age + aging : 0;
            records[k] = record;
            flags[k] = (uint8_t)(PH_PAIR_ACTIVE | touches * PH_PAIR_TOUCHING |
                                 (flags[k] & PH_PAIR_TOUCHED));
            world->contacts.manifold[k] = members[m].kept;
        }
    }
}

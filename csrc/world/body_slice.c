// Owns the plan of a cut: the pieces of the body's colliders, which of them hang together, and the
// definitions of the bodies that these become.
//
// Invariant: until the commit nothing in the world has changed but reserved room. Lengths are in
// the body's frame, where the line goes from a to b; both are near the body, whatever the caller
// gave.
#include "world/body_slice.h"
#include "world/changes.h"

#include <float.h>
#include <string.h>

#include "base/sort.h"
#include "geometry/distance.h"
#include "geometry/operations.h"
#include "geometry/outline.h"
#include "world/internal.h"

// Shorter stretches of segments and chains are left out, where the unit of length is 1.
#define LEAST_LENGTH 1e-8

// What is thinner stays with its neighbour; no shape may be thinner than PH_MIN_WIDTH anyway.
static double thinnest(const PhWorld *world) {
    return PH_MIN_WIDTH * ph_max(world->lengths.one, 1);
}
// A little more, as pieces are moved once more.
static double least_width(const PhWorld *world) {
    return 1.01 * thinnest(world);
}

typedef struct Part {
    PhShape *shape; // in the frame of the body; owned
    uint32_t collider;
    int side;       // +1 on the left
    uint32_t group; // parent in the tree of what hangs together, then number of the new body
    double mass;    // as it counts in the body
} Part;

struct PhSlice {
    PhId body;
    PhCutLine line;
    double snap;
    PhMassData data; // of the body
    double mass;     // natural, by densities
    bool as_rods;
    Part *parts;
    uint32_t part_count;
    // The new bodies; shapes and materials group by group.
    uint32_t group_count;
    PhBodyDef *defs;
    uint32_t *starts; // group_count + 1
    PhVec2 *forces;
    double *torques;
    PhShape **shapes; // owned
    PhColliderDef *materials;
};

void ph_slice_drop(PhSlice *slice) {
    if (!slice) {
        return;
    }
    for (uint32_t i = 0; i < slice->part_count; i++) {
        ph_shape_release(slice->parts[i].shape);
        if (slice->shapes) {
            ph_shape_release(slice->shapes[i]);
        }
        if (slice->materials) {
            ph_segments_release(slice->materials[i].segments);
        }
    }
    ph_free(slice->parts);
    ph_free(slice->defs);
    ph_free(slice->starts);
    ph_free(slice->forces);
    ph_free(slice->torques);
    ph_free(slice->shapes);
    ph_free(slice->materials);
    ph_free(slice);
}

static PhStatus no_memory(PhError *error) {
    return ph_fail(error, PH_ERROR_MEMORY, "no memory to slice a body");
}

// ------------------------------------------------------------------------------------------------
// pieces

// Takes over the reference, also on failure.
static PhStatus add_part(PhSlice *slice, PhShape *shape, uint32_t collider, int side,
                         PhError *error) {
    uint64_t need = (uint64_t)slice->part_count + 1;
    if (PH_RESERVE(slice->parts, need)) {
        ph_shape_release(shape);
        return no_memory(error);
    }
    slice->parts[slice->part_count++] = (Part){shape, collider, side, 0, 0};
    return PH_OK;
}

static PhStatus add_whole(PhSlice *slice, const PhWorld *world, uint32_t collider, int side,
                          PhError *error) {
    PhShape *shape = world->collider[collider].shape;
    ph_shape_retain(shape);
    return add_part(slice, shape, collider, side, error);
}

static PhStatus add_slices(PhSlice *slice, const PhSlices *slices, uint32_t collider,
                           const PhStop *stop, PhError *error) {
    PhStatus status = PH_OK;
    for (int32_t part = 0; part < slices->part_count && status == PH_OK; part++) {
        int32_t ring = slices->part_starts[part], end = slices->part_starts[part + 1];
        const int32_t *starts = slices->ring_starts + ring;
        const PhVec2 *outer = slices->vertices + starts[0];
        int32_t holes = end - ring - 1;
        int32_t *counts = ph_alloc((size_t)holes, sizeof *counts);
        if (!counts) {
            return no_memory(error);
        }
        for (int32_t i = 0; i < holes; i++) {
            counts[i] = starts[i + 2] - starts[i + 1];
        }
        PhError why = {.status = PH_OK};
        PhShape *shape =
            ph_shape_polygon_or_stop(outer, starts[1] - starts[0], outer + starts[1] - starts[0],
                                     counts, holes, 0, false, stop, &why);
        ph_free(counts);
        if (!shape) {
            return ph_fail(error, why.status, "the part of a collider: %s", why.message);
        }
        status = add_part(slice, shape, collider, slices->sides[part], error);
    }
    return status;
}

// Cuts rings; a collider that stays in one piece keeps its shape.
static PhStatus cut_rings(PhSlice *slice, const PhWorld *world, uint32_t collider,
                          const PhVec2 *vertices, const int32_t *starts, int32_t ring_count,
                          PhError *error) {
    PhSlices slices;
    PhStatus status = ph_slice_rings(vertices, starts, ring_count, &slice->line, slice->snap,
                                     least_width(world), world->stop, &slices, error);
    if (status != PH_OK) {
        return status;
    }
    status = slices.part_count == 1 ? add_whole(slice, world, collider, slices.sides[0], error)
                                    : add_slices(slice, &slices, collider, world->stop, error);
    ph_slices_free(&slices);
    return status;
}

static PhStatus cut_polygon(PhSlice *slice, const PhWorld *world, uint32_t collider,
                            PhError *error) {
    const PhShape *shape = world->collider[collider].shape;
    int32_t *starts = ph_alloc((size_t)shape->hole_count + 2, sizeof *starts);
    if (!starts) {
        return no_memory(error);
    }
    memcpy(starts + 1, shape->hole_starts, ((size_t)shape->hole_count + 1) * sizeof *starts);
    PhStatus status =
        cut_rings(slice, world, collider, shape->vertices, starts, shape->hole_count + 1, error);
    ph_free(starts);
    return status;
}

static PhStatus cut_round(PhSlice *slice, const PhWorld *world, uint32_t collider, PhError *error) {
    const PhShape *shape = world->collider[collider].shape;
    PhVec2 left = ph_left(ph_sub(slice->line.q, slice->line.p));
    double top = ph_line_height(&slice->line, ph_shape_support(shape, left));
    double bottom = ph_line_height(&slice->line, ph_shape_support(shape, ph_neg(left)));
    if (bottom >= -least_width(world) || top <= least_width(world)) {
        return add_whole(slice, world, collider, top + bottom >= 0 ? 1 : -1, error);
    }
    PhVec2 *points;
    int32_t starts[2] = {0, 0};
    PhStatus status = ph_shape_outline(shape, true, &points, &starts[1], error);
    if (status == PH_OK) {
        status = cut_rings(slice, world, collider, points, starts, 1, error);
        ph_free(points);
    }
    return status;
}

// A point of a segment or chain: one of its own, or where it crosses the line.
typedef struct Bead {
    PhVec2 point;
    int side;
    int after; // side of the next bead that is not on the line, this one included; 0: none
} Bead;

// All points, around a loop, crossings between them; returns their number. Room for 2 per vertex.
static int32_t string_beads(const PhSlice *slice, const PhShape *shape, Bead *beads) {
    int32_t count = shape->vertex_count, size = 0;
    const PhVec2 *v = shape->vertices;
    for (int32_t i = 0; i < count; i++) {
        double height = ph_line_height(&slice->line, v[i]);
        int side = fabs(height) <= slice->snap ? 0 : height > 0 ? 1 : -1;
        if (size > 0 && beads[size - 1].side * side < 0) {
            beads[size++] = (Bead){ph_line_cut(&slice->line, v[i - 1], v[i]), 0, 0};
        }
        beads[size++] = (Bead){v[i], side, 0};
    }
    if (shape->loop && beads[size - 1].side * beads[0].side < 0) {
        beads[size++] = (Bead){ph_line_cut(&slice->line, v[count - 1], v[0]), 0, 0};
    }
    int after = 0;
    for (int32_t i = shape->loop ? 2 * size : size; i-- > 0;) {
        after = beads[i % size].side != 0 ? beads[i % size].side : after;
        beads[i % size].after = after;
    }
    return size;
}

// Makes a shape of the beads from .. to, counted around; one that is too short is left out.
static PhStatus add_run(PhSlice *slice, const PhWorld *world, uint32_t collider, const Bead *beads,
                        int32_t bead_count, int32_t from, int32_t to, int side, PhError *error) {
    PhVec2 *points = ph_alloc((size_t)(to - from) + 1, sizeof *points);
    if (!points) {
        return no_memory(error);
    }
    int32_t count = 0;
    for (int32_t i = from; i <= to; i++) {
        PhVec2 point = beads[i % bead_count].point;
        if (count == 0 ||
            ph_length(ph_sub(point, points[count - 1])) >= LEAST_LENGTH * world->lengths.one) {
            points[count++] = point;
        }
    }
    PhStatus status = PH_OK;
    if (count >= 2) {
        PhError why = {.status = PH_OK};
        bool segment = world->collider[collider].shape->kind == PH_SHAPE_SEGMENT;
        PhShape *shape = segment ? ph_shape_segment(points[0], points[1], &why)
                                 : ph_shape_chain(points, count, false, &why);
        status = shape ? add_part(slice, shape, collider, side, error)
                       : ph_fail(error, why.status, "the part of a collider: %s", why.message);
    }
    ph_free(points);
    return status;
}

// Where a loop goes over to the other side; -1: nowhere.
static int32_t find_change(const Bead *beads, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        int before = beads[i > 0 ? i - 1 : count - 1].side;
        if (beads[i].side == 0 && before * beads[i].after < 0) {
            return i;
        }
    }
    return -1;
}

// Segments and chains are parted where they go over to the other side; what lies on the line stays
// with what follows.
static PhStatus cut_strand(PhSlice *slice, const PhWorld *world, uint32_t collider,
                           PhError *error) {
    const PhShape *shape = world->collider[collider].shape;
    Bead *beads = ph_alloc((size_t)shape->vertex_count, 2 * sizeof *beads);
    if (!beads) {
        return no_memory(error);
    }
    int32_t count = string_beads(slice, shape, beads);
    int32_t first = shape->loop ? find_change(beads, count) : 0;
    int32_t start = first, last = shape->loop ? first + count : count - 1;
    int side = first < 0 ? beads[0].after : beads[first].after;
    PhStatus status = PH_OK;
    for (int32_t i = first + 1; first >= 0 && i < last && status == PH_OK; i++) {
        const Bead *bead = &beads[i % count];
        if (bead->side == 0 && bead->after * side < 0) {
            status = add_run(slice, world, collider, beads, count, start, i, side, error);
            start = i;
            side = bead->after;
        }
    }
    if (status == PH_OK) {
        status = start == 0 || first < 0
                     ? add_whole(slice, world, collider, side >= 0 ? 1 : -1, error)
                     : add_run(slice, world, collider, beads, count, start, last, side, error);
    }
    ph_free(beads);
    return status;
}

static PhStatus cut_collider(PhSlice *slice, const PhWorld *world, uint32_t collider,
                             PhError *error) {
    const PhShape *shape = world->collider[collider].shape;
    if (ph_shape_kinds[shape->kind]->line) {
        return cut_strand(slice, world, collider, error);
    }
    return shape->radius > 0 ? cut_round(slice, world, collider, error)
                             : cut_polygon(slice, world, collider, error);
}

// ------------------------------------------------------------------------------------------------
// what hangs together

static uint32_t root_of(const PhSlice *slice, uint32_t part) {
    while (slice->parts[part].group != part) {
        part = slice->parts[part].group;
    }
    return part;
}

// The lower number is the root.
static void unite(PhSlice *slice, uint32_t a, uint32_t b) {
    a = root_of(slice, a);
    b = root_of(slice, b);
    slice->parts[a > b ? a : b].group = a > b ? b : a;
}

// One piece of a part; its box reaches as far as it touches.
typedef struct Piece {
    PhAabb box;
    const PhPiece *piece;
    uint32_t part;
} Piece;

static const PhTransform no_motion = {{0, 0}, {1, 0}};

static bool by_lower_x(const void *a, const void *b, const void *context) {
    const Piece *pieces = context;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    double x = pieces[i].box.lower.x, y = pieces[j].box.lower.x;
    return x < y || (x == y && i < j);
}

static bool touch(const PhWorld *world, const Piece *a, const Piece *b) {
    return ph_overlaps(a->box, b->box) &&
           ph_distance(a->piece, no_motion, b->piece, no_motion).distance <= thinnest(world);
}

// Two pieces in reach of each other: solid parts are united; a sensor remembers the first part that
// it touches.
static void meet(PhSlice *slice, const PhWorld *world, const Piece *a, const Piece *b,
                 uint32_t *home) {
    const Part *m = &slice->parts[a->part], *n = &slice->parts[b->part];
    bool m_sensor = world->collider[m->collider].def.sensor;
    bool n_sensor = world->collider[n->collider].def.sensor;
    if (m->side != n->side || m->collider == n->collider || (m_sensor && n_sensor)) {
        return;
    }
    if (m_sensor || n_sensor) {
        uint32_t sensor = m_sensor ? a->part : b->part, solid = m_sensor ? b->part : a->part;
        if (solid < home[sensor] && touch(world, a, b)) {
            home[sensor] = solid;
        }
    } else if (root_of(slice, a->part) != root_of(slice, b->part) && touch(world, a, b)) {
        unite(slice, a->part, b->part);
    }
}

// Whether the plan goes on: asked once in so many times.
static PhStatus go_on(const PhWorld *world, uint32_t *seen, uint32_t portion, PhError *error) {
    bool stops = ++*seen % portion == 0 && ph_stop_wanted(world->stop);
    return stops ? ph_fail(error, PH_ERROR_STOPPED, "stopped") : PH_OK;
}

// Sorts the pieces along x and examines those whose boxes overlap there (sweep and prune).
static PhStatus join_touching(PhSlice *slice, const PhWorld *world, PhError *error) {
    size_t count = 0, at = 0;
    for (uint32_t i = 0; i < slice->part_count; i++) {
        count += (size_t)slice->parts[i].shape->piece_count;
    }
    Piece *pieces = ph_alloc(count, sizeof *pieces);
    uint32_t *order = ph_alloc(count, sizeof *order);
    uint32_t *home = ph_alloc(slice->part_count, sizeof *home);
    PhStatus status = PH_OK;
    if (!pieces || !order || !home || count > UINT32_MAX / 2) {
        status = no_memory(error);
    }
    for (uint32_t i = 0; status == PH_OK && i < slice->part_count; i++) {
        const PhShape *shape = slice->parts[i].shape;
        home[i] = PH_NULL;
        for (int32_t k = 0; k < shape->piece_count; k++, at++) {
            PhAabb box = ph_piece_aabb(&shape->pieces[k], no_motion);
            pieces[at] = (Piece){ph_grow(box, thinnest(world)), &shape->pieces[k], i};
            order[at] = (uint32_t)at;
        }
    }
    if (status == PH_OK) {
        ph_sort(order, count, sizeof *order, by_lower_x, pieces);
        uint32_t seen = 0;
        for (size_t i = 0; i < count && status == PH_OK; i++) {
            const Piece *a = &pieces[order[i]];
            for (size_t j = i + 1; j < count && status == PH_OK; j++) {
                const Piece *b = &pieces[order[j]];
                if (b->box.lower.x > a->box.upper.x) {
                    break;
                }
                meet(slice, world, a, b, home);
                status = go_on(world, &seen, 1024, error);
            }
        }
        for (uint32_t i = 0; i < slice->part_count; i++) {
            if (home[i] != PH_NULL) {
                unite(slice, i, home[i]);
            }
        }
    }
    ph_free(home);
    ph_free(order);
    ph_free(pieces);
    return status;
}

// Mass of each part as it counts in the body.
static void weigh_parts(PhSlice *slice, const PhWorld *world) {
    slice->mass = 0;
    for (uint32_t i = 0; i < slice->part_count; i++) {
        Part *part = &slice->parts[i];
        PhMassData data = {0};
        ph_mass_add_shape(&data, part->shape, world->collider[part->collider].def.density,
                          slice->as_rods);
        part->mass = data.mass;
        slice->mass += data.mass;
    }
}

// Groups of a dynamic body that weigh nothing join the nearest that does, on their side if there is
// one. Sums of groups are kept with their roots.
static PhStatus join_weightless(PhSlice *slice, PhError *error) {
    double *sums = ph_alloc(slice->part_count, sizeof *sums);
    if (!sums) {
        return no_memory(error);
    }
    for (uint32_t i = 0; i < slice->part_count; i++) {
        sums[root_of(slice, i)] += slice->parts[i].mass;
    }
    for (uint32_t i = 0; i < slice->part_count; i++) {
        const Part *part = &slice->parts[i];
        if (part->group != i || sums[i] > 0) {
            continue;
        }
        uint32_t best = PH_NULL;
        double least = INFINITY;
        for (uint32_t j = 0; j < slice->part_count; j++) {
            const Part *other = &slice->parts[j];
            double distance = ph_distance_squared(part->shape->centroid, other->shape->centroid);
            bool same_side = other->side == part->side;
            bool better = best == PH_NULL || same_side == (slice->parts[best].side == part->side)
                              ? distance < least
                              : same_side;
            if (sums[root_of(slice, j)] > 0 && better) {
                best = j;
                least = distance;
            }
        }
        if (best != PH_NULL) {
            uint32_t root = root_of(slice, best);
            sums[i] = sums[root]; // whichever is the root from now on
            unite(slice, i, best);
        }
    }
    ph_free(sums);
    return PH_OK;
}

// Numbers the groups: those on the left first, then by their first part. Leaves the number in each
// part's `group`.
static PhStatus number_groups(PhSlice *slice, PhError *error) {
    uint32_t *numbers = ph_alloc(slice->part_count, sizeof *numbers);
    if (!numbers) {
        return no_memory(error);
    }
    slice->group_count = 0;
    for (int side = 1; side >= -1; side -= 2) {
        for (uint32_t i = 0; i < slice->part_count; i++) {
            if (slice->parts[i].group == i && slice->parts[i].side == side) {
                numbers[i] = slice->group_count++;
            }
        }
    }
    for (uint32_t i = 0; i < slice->part_count; i++) {
        numbers[i] = numbers[root_of(slice, i)];
    }
    for (uint32_t i = 0; i < slice->part_count; i++) {
        slice->parts[i].group = numbers[i];
    }
    ph_free(numbers);
    return PH_OK;
}

// ------------------------------------------------------------------------------------------------
// the new bodies

// Puts the parts in order of their groups; within a group they keep their order.
static PhStatus sort_parts(PhSlice *slice, PhError *error) {
    Part *sorted = ph_alloc(slice->part_count, sizeof *sorted);
    slice->starts = ph_alloc((size_t)slice->group_count + 1, sizeof *slice->starts);
    if (!sorted || !slice->starts) {
        ph_free(sorted);
        return no_memory(error);
    }
    uint32_t *starts = slice->starts;
    for (uint32_t i = 0; i < slice->part_count; i++) {
        starts[slice->parts[i].group]++;
    }
    uint32_t total = 0;
    for (uint32_t group = 0; group < slice->group_count; group++) {
        total += starts[group];
        starts[group] = total - starts[group];
    }
    for (uint32_t i = 0; i < slice->part_count; i++) { // moves each start to the end of its group
        sorted[starts[slice->parts[i].group]++] = slice->parts[i];
    }
    for (uint32_t group = slice->group_count; group > 0; group--) {
        starts[group] = starts[group - 1];
    }
    starts[0] = 0;
    memcpy(slice->parts, sorted, slice->part_count * sizeof *sorted);
    ph_free(sorted);
    return PH_OK;
}

// Mass and centre of a group in the frame of the body. What has no mass, or does not need one, is
// measured by its area, or its length.
static PhMassData measure_group(const PhSlice *slice, const PhWorld *world, uint32_t group,
                                bool by_density) {
    PhMassData data = {0};
    double area = 0;
    for (uint32_t i = slice->starts[group]; i < slice->starts[group + 1]; i++) {
        area += slice->parts[i].shape->area;
    }
    for (uint32_t i = slice->starts[group]; i < slice->starts[group + 1]; i++) {
        const Part *part = &slice->parts[i];
        double density = by_density ? world->collider[part->collider].def.density : 1;
        ph_mass_add_shape(&data, part->shape, density, by_density ? slice->as_rods : area <= 0);
    }
    return data;
}

// The shapes of a group about its origin. Where rounding of the move spoils one, the group keeps
// the body's origin. *origin: in the frame of the body.
static PhStatus place_shapes(PhSlice *slice, uint32_t group, PhVec2 *origin, const PhStop *stop,
                             PhError *error) {
    for (int attempt = 0; attempt < 2; attempt++) {
        PhVec2 by = attempt == 0 ? ph_neg(*origin) : ph_vec(0, 0);
        bool fine = true;
        for (uint32_t i = slice->starts[group]; i < slice->starts[group + 1] && fine; i++) {
            ph_shape_release(slice->shapes[i]);
            slice->shapes[i] = ph_shape_translated(slice->parts[i].shape, by, stop, error);
            fine = slice->shapes[i] != NULL;
        }
        if (fine) {
            *origin = ph_neg(by);
            return PH_OK;
        }
        if (error->status == PH_ERROR_MEMORY || error->status == PH_ERROR_STOPPED) {
            break;
        }
    }
    return error->status;
}

static PhStatus check_mass(const PhSlice *slice, uint32_t group, PhError *error) {
    uint32_t start = slice->starts[group], end = slice->starts[group + 1];
    PhMassData data = {0};
    double weight = 0;
    for (uint32_t i = start; i < end; i++) {
        weight += slice->shapes[i]->area * slice->materials[i].density;
    }
    for (uint32_t i = start; i < end; i++) {
        ph_mass_add_shape(&data, slice->shapes[i], slice->materials[i].density, weight <= 0);
    }
    const PhGivenMass given = {.mass = slice->defs[group].mass};
    ph_mass_finish(&data, &given);
    return ph_mass_check(&data, &given, error);
}

// The definition of one new body: the rigid motion of the old one at its centre of mass, its share
// of a given mass, and of the forces what gives the same acceleration everywhere.
static PhStatus define_body(PhSlice *slice, const PhWorld *world, uint32_t group, PhBodyDef def,
                            double override, PhError *error) {
    uint32_t slot = slice->body.index;
    const PhState *state = world->state;
    PhTransform pose = ph_body_transform(world, slot);
    bool dynamic = def.kind == PH_DYNAMIC, weighs = dynamic && slice->mass > 0;
    PhMassData data = measure_group(slice, world, group, weighs);
    PhVec2 origin = data.center;
    PhStatus status = place_shapes(slice, group, &origin, world->stop, error);
    if (status != PH_OK) {
        return status;
    }
    double share = 1.0 / slice->group_count;
    if (weighs) {
        share = data.mass / slice->mass;
    }
    PhVec2 arm = ph_rotate(pose.q, ph_sub(data.center, world->body[slot].center_local));
    if (dynamic && !weighs) {
        // Weightless bodies have their mass in the origin.
        arm = ph_rotate(pose.q, ph_sub(origin, world->body[slot].center_local));
        override = slice->data.mass;
    }
    double spin = state->angular_velocity[slot];
    def.position = ph_apply(pose, origin);
    def.velocity = ph_mul_add(ph_slot_velocity(world, slot), spin, ph_left(arm));
    def.velocity.x = ph_limit_velocity(def.velocity.x);
    def.velocity.y = ph_limit_velocity(def.velocity.y);
    def.mass = override > 0 ? override * share : 0;
    slice->defs[group] = def;
    if (dynamic) {
        PhVec2 force = {state->force[slot][0], state->force[slot][1]};
        bool turns = world->mass[slot][1] != 0;
        double turning = turns ? state->torque[slot] / slice->data.inertia : 0;
        double scale = slice->mass > 0 ? slice->data.mass / slice->mass : 0; // of a given mass
        PhVec2 pull = ph_scale(turning * data.mass * scale, ph_left(arm));
        slice->forces[group] = ph_mul_add(pull, share, force);
        slice->torques[group] =
            turns ? turning * data.inertia * scale : share * state->torque[slot];
        status = check_mass(slice, group, error);
    }
    return status;
}

static PhStatus define_bodies(PhSlice *slice, const PhWorld *world, PhError *error) {
    size_t parts = slice->part_count, groups = slice->group_count;
    uint32_t slot = slice->body.index;
    const PhBody *body = &world->body[slot];
    slice->defs = ph_alloc(groups, sizeof *slice->defs);
    slice->forces = ph_alloc(groups, sizeof *slice->forces);
    slice->torques = ph_alloc(groups, sizeof *slice->torques);
    slice->materials = ph_alloc(parts, sizeof *slice->materials);
    slice->shapes = ph_alloc(parts, sizeof(PhShape *));
    if (!slice->defs || !slice->forces || !slice->torques || !slice->materials || !slice->shapes) {
        return no_memory(error);
    }
    for (uint32_t i = 0; i < slice->part_count; i++) {
        slice->materials[i] = world->collider[slice->parts[i].collider].def;
        ph_segments_retain(slice->materials[i].segments);
    }
    PhBodyDef def = {
        .kind = world->state->kind[slot],
        .angle = world->state->angle[slot],
        .angular_velocity = world->state->angular_velocity[slot],
        .gravity_scale = world->gravity_scale[slot],
        .linear_damping = world->linear_damping[slot],
        .angular_damping = world->angular_damping[slot],
        .awake = true,
        .can_sleep = body->can_sleep,
        .bullet = body->bullet,
        .fixed_rotation = body->fixed_rotation,
        .enabled = body->enabled,
        .sleep_threshold = body->sleep_threshold,
    };
    PhStatus status = PH_OK;
    uint32_t seen = 0;
    for (uint32_t group = 0; group < slice->group_count && status == PH_OK; group++) {
        status = define_body(slice, world, group, def, body->given.mass, error);
        status = status ? status : go_on(world, &seen, 64, error);
    }
    return status;
}

// ------------------------------------------------------------------------------------------------
// plan and commit

// The line in the frame of the body, as two points near it.
static PhStatus place_line(PhSlice *slice, const PhWorld *world, PhVec2 p, PhVec2 q,
                           PhError *error) {
    uint32_t slot = slice->body.index;
    PhVec2 gap = ph_sub(q, p);
    double largest = fmax(fabs(gap.x), fabs(gap.y));
    if (!(largest > 0)) {
        return ph_fail(error, PH_ERROR_VALUE, "q: must differ from p, got (%g, %g)", q.x, q.y);
    }
    if (!(fmax(fabs(p.x), fabs(p.y)) <= 1e150) || !(largest <= 1e150)) {
        return ph_fail(error, PH_ERROR_VALUE, "p, q: must be within +-1e150 m");
    }
    PhTransform pose = ph_body_transform(world, slot);
    if (world->wrapped) { // the image whose middle is nearest to the body
        PhVec2 middle = ph_mul_add(p, 0.5, gap), image = ph_body_image_of(world, slot, middle);
        p = ph_add(p, ph_sub(image, middle));
    }
    PhVec2 along = ph_unrotate(pose.q, ph_vec(gap.x / largest, gap.y / largest));
    along = ph_normalize_or(along, ph_vec(1, 0));
    PhVec2 start = ph_unapply(pose, p), center = world->body[slot].center_local;
    PhVec2 foot = ph_mul_add(start, ph_dot(ph_sub(center, start), along), along);
    double reach = fmax(world->body[slot].extent, thinnest(world));
    slice->line.p = ph_mul_add(foot, -reach, along);
    slice->line.q = ph_mul_add(foot, reach, along);
    slice->line.by_normal = false;
    double scale = fmax(ph_length(pose.p) + ph_length(p), ph_length(start) + reach);
    slice->snap = 8 * DBL_EPSILON * scale;
    return PH_OK;
}

static PhStatus cut_body(PhSlice *slice, PhWorld *world, PhError *error) {
    uint32_t slot = slice->body.index, collider_count = 0;
    double weight = 0;
    for (uint32_t c = world->body[slot].first_collider; c != PH_NULL; c = world->collider[c].next) {
        weight += world->collider[c].shape->area * world->collider[c].def.density;
        collider_count++;
    }
    slice->as_rods = weight <= 0;
    PhStatus status = PH_OK;
    uint32_t seen = 0;
    for (uint32_t c = world->body[slot].first_collider; c != PH_NULL && status == PH_OK;
         c = world->collider[c].next) {
        status = cut_collider(slice, world, c, error);
        status = status ? status : go_on(world, &seen, 64, error);
    }
    bool both = false;
    for (uint32_t i = 0; i < slice->part_count && status == PH_OK; i++) {
        slice->parts[i].group = i;
        both = both || slice->parts[i].side != slice->parts[0].side;
    }
    slice->group_count = 1;
    if (status != PH_OK || !both) {
        return status;
    }
    if (collider_count > 1) {
        status = join_touching(slice, world, error);
    }
    weigh_parts(slice, world);
    if (status == PH_OK && ph_is_dynamic(world, slot) && slice->mass > 0) {
        status = join_weightless(slice, error);
    }
    status = status ? status : number_groups(slice, error);
    if (status != PH_OK || slice->group_count < 2) {
        return status;
    }
    status = sort_parts(slice, error);
    return status ? status : define_bodies(slice, world, error);
}

// Room for the new bodies, and for the end of the old one's contacts.
static PhStatus reserve(const PhSlice *slice, PhWorld *world, PhError *error) {
    uint64_t pieces = 0, touching = 0;
    for (uint32_t i = 0; i < slice->part_count; i++) {
        pieces += (uint64_t)slice->shapes[i]->piece_count;
    }
    PhStatus status = ph_bodies_reserve(world, slice->group_count, 1, error);
    status = status ? status : ph_colliders_reserve(world, slice->part_count, pieces, error);
    if (status) {
        return status;
    }
    PhPairCursor cursor = {0, 0};
    uint32_t k;
    for (const PhPairList *pairs; ph_next_pair(&world->broad, &cursor, &pairs, &k);) {
        bool own = world->proxies.body[pairs->owner[k]] == slice->body.index ||
                   world->proxies.body[pairs->other[k]] == slice->body.index;
        touching += own && pairs->flags[k] & PH_PAIR_TOUCHING;
    }
    return ph_event_room(&world->lost, touching, sizeof(PhTouchEvent)) ? no_memory(error) : PH_OK;
}

PhStatus ph_slice_plan(PhWorld *world, PhId body, PhVec2 p, PhVec2 q, PhSlice **plan,
                       PhError *error) {
    if (!ph_body_valid(world, body)) {
        return ph_fail(error, PH_ERROR_REMOVED, "the body has been removed");
    }
    PhStatus status = ph_check_state_row(world, body.index, error);
    ph_measure_bodies(world);
    PhSlice *slice = status ? NULL : ph_alloc(1, sizeof *slice);
    if (!slice) {
        return status ? status : no_memory(error);
    }
    PhError why = {.status = PH_OK};
    const PhState *state = world->state;
    slice->body = body;
    slice->data.mass = state->mass[body.index];
    slice->data.inertia = state->inertia[body.index];
    status = place_line(slice, world, p, q, &why);
    status = status ? status : cut_body(slice, world, &why);
    if (!status && slice->group_count > 1) {
        status = reserve(slice, world, &why);
    }
    if (status) {
        ph_slice_drop(slice);
        return ph_fail(error, status, "%s", why.message);
    }
    *plan = slice;
    return PH_OK;
}

uint32_t ph_slice_count(const PhSlice *slice) {
    return slice->group_count;
}

void ph_slice_ids(const PhWorld *world, const PhSlice *slice, PhId *ids) {
    uint32_t found = 0;
    for (uint32_t slot = 0; found < slice->group_count; slot++) {
        if (slot == slice->body.index || !ph_slot_alive(world, slot)) {
            ids[found++] = (PhId){slot, ph_next_generation(world, world->body[slot].generation)};
        }
    }
}

void ph_slice_commit(PhWorld *world, PhSlice *slice) {
    (void)ph_body_destroy(world, slice->body, NULL);
    (void)ph_world_clean_zombies(world, NULL); // has room: proxies get the lowest numbers
    for (uint32_t group = 0; group < slice->group_count; group++) {
        uint32_t start = slice->starts[group];
        uint32_t slot = ph_body_add(world, &slice->defs[group], slice->shapes + start,
                                    slice->materials + start, 1, slice->starts[group + 1] - start);
        world->state->force[slot][0] = slice->forces[group].x;
        world->state->force[slot][1] = slice->forces[group].y;
        world->state->torque[slot] = slice->torques[group];
        ph_note_force(world, slot);
    }
    ph_slice_drop(slice);
}

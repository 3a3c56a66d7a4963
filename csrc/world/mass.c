// Owns masses: what a body weighs by its colliders, where its centre of mass is, how hard it turns.
//
// Invariant: mass and inertia of a dynamic body stay in a range in which float32 keeps their
// inverses.
#include "world/changes.h"
#include "world/internal.h"

// Masses are divided by and narrowed to float32: outside of this they would lose their meaning.
#define LEAST_MASS 1e-30
#define MOST_MASS 1e30

static void add_mass(PhMassData *sum, double mass, PhVec2 center, double inertia) {
    double total = sum->mass + mass;
    if (total <= 0) {
        return;
    }
    PhVec2 gap = ph_sub(center, sum->center);
    sum->inertia += inertia + sum->mass * mass / total * ph_length_squared(gap);
    sum->center = ph_mul_add(sum->center, mass / total, gap);
    sum->mass = total;
}

void ph_mass_add_shape(PhMassData *sum, const PhShape *shape, double density, bool as_rods) {
    if (!as_rods) {
        add_mass(sum, density * shape->area, shape->centroid, density * shape->inertia);
        return;
    }
    for (int32_t i = 0; i < shape->piece_count; i++) {
        const PhPiece *piece = &shape->pieces[i];
        PhVec2 p = piece->vertices[0], q = piece->vertices[piece->count == 2];
        double length = ph_length(ph_sub(q, p));
        add_mass(sum, density * length, ph_lerp(p, q, 0.5),
                 density * length * length * length / 12);
    }
}

void ph_mass_finish(PhMassData *data, const PhGivenMass *given) {
    if (given->mass > 0) {
        data->inertia *= data->mass > 0 ? given->mass / data->mass : 0;
        data->mass = given->mass;
    } else if (data->mass <= 0) { // nothing that weighs: a point of one kilogram
        *data = (PhMassData){.mass = 1, .center = data->center};
    }
    if (given->inertia > 0) {
        data->inertia = given->inertia;
    }
    if (given->has_center) {
        data->center = given->center;
    }
}

PhStatus ph_mass_check(const PhMassData *data, const PhGivenMass *given, PhError *error) {
    bool mass_ok = data->mass >= LEAST_MASS && data->mass <= MOST_MASS;
    bool inertia_ok =
        data->inertia == 0 || (data->inertia >= LEAST_MASS && data->inertia <= MOST_MASS);
    if (mass_ok && inertia_ok) {
        return PH_OK;
    }
    return ph_fail(error, PH_ERROR_VALUE,
                   "%s: mass %g kg and inertia %g kg m^2 must be between %g and %g",
                   mass_ok && given->inertia > 0 ? "inertia"
                   : given->mass > 0             ? "mass"
                                                 : "density",
                   data->mass, data->inertia, LEAST_MASS, MOST_MASS);
}

static bool has_weight(const PhCollider *collider) {
    return collider->shape->area * collider->def.density > 0;
}

static bool all_rods(const PhWorld *world, uint32_t slot) {
    uint32_t c = world->body[slot].first_collider;
    while (c != PH_NULL && !has_weight(&world->collider[c])) {
        c = world->collider[c].next;
    }
    return c == PH_NULL;
}

PhMassData ph_mass_of_slot(const PhWorld *world, uint32_t slot, uint32_t special, double density) {
    const PhBody *body = &world->body[slot];
    if (body->summed && special == PH_NULL) {
        return body->sum;
    }
    bool as_rods = all_rods(world, slot);
    PhMassData data = {0};
    for (uint32_t c = body->first_collider; c != PH_NULL; c = world->collider[c].next) {
        const PhCollider *collider = &world->collider[c];
        ph_mass_add_shape(&data, collider->shape, c == special ? density : collider->def.density,
                          as_rods);
    }
    return data;
}

void ph_mass_grow(PhWorld *world, uint32_t slot, const PhCollider *last) {
    PhBody *body = &world->body[slot];
    if (body->summed && body->as_rods && has_weight(last)) {
        body->summed = false; // those before are no rods any more
    }
    if (body->summed) {
        ph_mass_add_shape(&body->sum, last->shape, last->def.density, body->as_rods);
    }
}

void ph_mass_forget(PhWorld *world, uint32_t slot) {
    world->body[slot].summed = false;
}

void ph_mass_keep(PhWorld *world, uint32_t slot) {
    PhBody *body = &world->body[slot];
    if (ph_is_dynamic(world, slot)) {
        body->given = (PhGivenMass){world->state->mass[slot], world->state->inertia[slot],
                                    body->center_local, true};
    }
}

// ------------------------------------------------------------------------------------------------
// what follows from it

void ph_measure_later(PhWorld *world, uint32_t slot) {
    PhBody *body = &world->body[slot];
    if (!body->unmeasured) {
        body->unmeasured = true;
        body->unmeasured_next = world->unmeasured;
        world->unmeasured = slot;
    }
}

static uint32_t take_unmeasured(PhWorld *world) {
    uint32_t slot = world->unmeasured;
    world->unmeasured = world->body[slot].unmeasured_next;
    world->body[slot].unmeasured = false;
    return slot;
}

void ph_measure_last(PhWorld *world) {
    uint32_t slot = take_unmeasured(world);
    PhBody *body = &world->body[slot];
    body->extent = 0;
    for (uint32_t c = body->first_collider; c != PH_NULL; c = world->collider[c].next) {
        const PhShape *shape = world->collider[c].shape;
        for (int32_t i = 0; i < shape->vertex_count; i++) {
            double reach =
                ph_length(ph_sub(shape->vertices[i], body->center_local)) + shape->radius;
            body->extent = reach > body->extent ? reach : body->extent;
        }
    }
    world->sleep_reach[slot] = body->can_sleep ? body->extent : INFINITY;
    ph_continuous_measure(world, slot);
}

void ph_measure_bodies(PhWorld *world) {
    while (world->unmeasured != PH_NULL) {
        ph_measure_last(world);
    }
}

void ph_mass_set(PhWorld *world, uint32_t slot, PhMassData data) {
    ph_note_layout(world); // its wide contacts hold masses
    PhState *state = world->state;
    PhBody *body = &world->body[slot];
    PhVec2 old_center = body->center_local;
    bool dynamic = state->kind[slot] == PH_DYNAMIC;
    body->center_local = dynamic ? data.center : ph_vec(0, 0);
    state->mass[slot] = dynamic ? data.mass : 0;
    state->inertia[slot] = dynamic ? data.inertia : 0;
    bool turns = dynamic && data.inertia > 0 && !body->fixed_rotation;
    world->mass[slot][0] = dynamic ? (float)(1 / data.mass) : 0;
    world->mass[slot][1] = turns ? (float)(1 / data.inertia) : 0;
    world->mass[slot][2] = world->mass[slot][3] = 0;
    // The centre of mass has moved inside the body: it takes the velocity that this point had. A
    // spin written through a view that is no number is refused in its own row, and stays there.
    PhVec2 shift = ph_rotate(world->transform[slot].q, ph_sub(body->center_local, old_center));
    double w = isfinite(state->angular_velocity[slot]) ? state->angular_velocity[slot] : 0;
    state->velocity[slot][0] = ph_limit_velocity(state->velocity[slot][0] - w * shift.y);
    state->velocity[slot][1] = ph_limit_velocity(state->velocity[slot][1] + w * shift.x);
    if (world->wrapped) {
        ph_wrap_find_middle(world, slot);
    }
    world->off_center[slot] = body->center_local.x != 0 || body->center_local.y != 0 ||
                              signbit(body->center_local.x) || signbit(body->center_local.y);
    ph_measure_later(world, slot);
    ph_refresh_slot(world, slot);
}

PhStatus ph_body_update_mass(PhWorld *world, uint32_t slot) {
    PhMassData data = {.mass = 1};
    if (ph_is_dynamic(world, slot)) {
        PhBody *body = &world->body[slot];
        data = body->sum = ph_mass_of_slot(world, slot, PH_NULL, 0);
        body->as_rods = body->summed ? body->as_rods : all_rods(world, slot);
        body->summed = true;
        ph_mass_finish(&data, &body->given);
    }
    PhStatus status = ph_mass_check(&data, &world->body[slot].given, NULL);
    if (status) { // what is left after a removal weighs next to nothing
        data = (PhMassData){.mass = 1, .center = data.center};
    }
    ph_mass_set(world, slot, data);
    return status;
}

PhStatus ph_body_check_density(const PhWorld *world, uint32_t collider, double density,
                               PhError *error) {
    uint32_t slot = world->collider[collider].body;
    if (!ph_is_dynamic(world, slot)) {
        return PH_OK;
    }
    PhMassData data = ph_mass_of_slot(world, slot, collider, density);
    ph_mass_finish(&data, &world->body[slot].given);
    return ph_mass_check(&data, &world->body[slot].given, error);
}

PhStatus ph_body_check_attach(const PhWorld *world, uint32_t slot, const PhShape *shape,
                              double density, PhError *error) {
    if (!ph_is_dynamic(world, slot)) {
        return PH_OK;
    }
    PhMassData data = ph_mass_of_slot(world, slot, PH_NULL, 0);
    ph_mass_add_shape(&data, shape, density, false);
    ph_mass_finish(&data, &world->body[slot].given);
    return ph_mass_check(&data, &world->body[slot].given, error);
}

// A fluid: everything under a surface. It lifts with the weight of what a body displaces, and drags
// along what is in it.
//
// Lift is -density area g at the centroid of the submerged area (Archimedes), wherever gravity
// points. Drag is a force -k density (v - flow) on every bit of the submerged area: over the area A
// with the polar moment I about its centroid c that is exactly the force k density A (flow - v(c))
// at c and the torque -k density I w. k = drag + quadratic_drag |v(c) - flow|.
#include "world/fields.h"
#include "world/internal.h"

enum { DENSITY, DRAG, QUADRATIC, FLOW };

static const PhSurface *surface_of(const PhField *field) {
    return &field->def.surface;
}

static bool takes_collider(const PhField *field, const PhCollider *collider) {
    return collider->def.category & field->def.mask && !collider->def.sensor;
}

static void add_part(const PhField *field, PhFieldBody *body, const PhSubmerged *part) {
    const double *value = field->def.value;
    double mass = value[DENSITY] * part->area; // of the fluid that is displaced
    PhVec2 g = body->world->def.gravity, r = part->centroid, flow = {value[FLOW], value[FLOW + 1]};
    PhVec2 lift = ph_scale(-mass, g);
    body->met = true;
    body->force = ph_add(body->force, lift);
    body->torque += ph_cross(r, lift);
    // Rising by h takes h times the waterline out of the fluid; turning moves the lift's lever.
    double spring = g.y < 0 ? -g.y * value[DENSITY] : 0, lever = ph_dot(r, lift);
    body->stiffness += spring * part->waterline;
    body->stiffness_first += spring * part->waterline_first;
    body->stiffness_second += spring * part->waterline_second + (lever > 0 ? lever : 0);
    PhVec2 v = ph_mul_add(body->velocity, body->spin, ph_left(r));
    double k = value[DRAG] + value[QUADRATIC] * ph_length(ph_sub(v, flow));
    if (k > 0) {
        PhResistance drag = {k * mass, k * value[DENSITY] * part->inertia, r, flow, 0};
        ph_resistance_add(&body->resistance, drag);
    }
}

static void act(const PhField *field, PhFieldBody *body) {
    const PhWorld *world = body->world;
    const PhBody *cold = &world->body[body->slot];
    if (!(field->def.value[DENSITY] > 0) || !(body->center.y - cold->extent < field->top)) {
        return;
    }
    for (uint32_t c = cold->first_collider; c != PH_NULL; c = world->collider[c].next) {
        PhSubmerged part;
        if (takes_collider(field, &world->collider[c]) &&
            ph_submerge(world->collider[c].shape, body->pose, body->center, surface_of(field),
                        &part)) {
            add_part(field, body, &part);
        }
    }
}

static bool reaches(const PhField *field, const PhWorld *world, uint32_t slot) {
    PhTransform pose = ph_body_transform(world, slot);
    uint32_t c = world->body[slot].first_collider;
    bool under = false;
    for (; c != PH_NULL && !under; c = world->collider[c].next) {
        PhAabb box = ph_shape_aabb(world->collider[c].shape, pose);
        double least, most;
        ph_surface_range(surface_of(field), box.lower.x, box.upper.x, &least, &most);
        under = takes_collider(field, &world->collider[c]) && box.lower.y < most;
    }
    return under;
}

const PhFieldRow ph_fluid_row = {
    .info = {.name = "fluid",
             .has_surface = true,
             .parameters = {{"density", DENSITY, 1, 0, NAN, 0, false},
                            {"drag", DRAG, 1, 0, 1, 0, false},
                            {"quadratic_drag", QUADRATIC, 1, 0, 0, 0, false},
                            {"flow", FLOW, 2, -PH_FIELD_MOST, 0, 0, false}}},
    .act = act,
    .reaches = reaches,
};

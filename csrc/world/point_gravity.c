// Gravity of a point: every body is drawn to it (or driven away, by a negative strength) with the
// acceleration
//     strength d / s^power, s^2 = d^2 + softening^2, times d / s,
// d its distance from the centre of mass; power 2 is Newton's law with G M for the strength, 0 the
// same pull everywhere, -1 a spring, or the inside of a planet. It acts at the centre of mass, as
// if the body were small: no tides, no torque.
//
// The pull goes to the step at the place where the body will be after a part of it (fields.c): a
// map that keeps areas, so orbits neither grow nor shrink, with an error of the second order in dt
// in period and apsides.
//
// Near the centre of a law that grows without bound no step is short enough: what passes would be
// thrown out with more energy than it came with. So the pull is kept below that of a spring with a
// turn of 2 pi sqrt(30) = 34 steps, d / (30 dt^2), which those maps still follow; for power 2 this
// is so within (30 strength dt^2)^(1/3). What is a spring or flatter anyway is followed up to
// d / dt^2, six steps a turn.
//
// Sources: I. Newton, "Principia" (1687), book 1, props. 11 and 10; H. C. Plummer, "On the Problem
// of Distribution in Globular Star Clusters" (1911), for the softened law.
#include "solve/motion.h"
#include "world/fields.h"
#include "world/internal.h"

// Of pull times dt^2 per distance.
#define STEEPEST (1.0 / 30)

enum { CENTER, STRENGTH = 2, POWER, SOFTENING, RADIUS };

// To the centre, in a wrapped world to its nearest image.
static PhVec2 offset_to_center(const PhField *field, const PhWorld *world, PhVec2 place) {
    PhVec2 d = {field->def.value[CENTER] - place.x, field->def.value[CENTER + 1] - place.y};
    return ph_wrap_least(&world->wrap, d);
}

static bool pulls_at(const PhField *field, const PhWorld *world, PhVec2 place) {
    const double *value = field->def.value;
    PhVec2 d = offset_to_center(field, world, place);
    return value[STRENGTH] != 0 && ph_length(d) <= value[RADIUS];
}

static void act(const PhField *field, PhFieldBody *body) {
    const PhWorld *world = body->world;
    const double *value = field->def.value;
    if (!pulls_at(field, world, body->center) || !ph_field_takes(field, world, body->slot)) {
        return;
    }
    PhVec2 d = offset_to_center(field, world, body->center);
    double s = sqrt(ph_length_squared(d) + value[SOFTENING] * value[SOFTENING]);
    double k = value[STRENGTH], dt = body->dt;
    int n = (int)value[POWER] + 1;
    for (; n > 0; n--) {
        k /= s;
    }
    for (; n < 0; n++) {
        k *= s;
    }
    double limit = (value[POWER] > -1 ? STEEPEST : 1) / (dt * dt);
    body->met = true;
    if (d.x != 0 || d.y != 0) {
        double mass = world->state->mass[body->slot] * world->gravity_scale[body->slot];
        body->force = ph_mul_add(body->force, mass * ph_clamp_abs(k, limit), d);
    }
}

static bool reaches(const PhField *field, const PhWorld *world, uint32_t slot) {
    PhVec2 center = ph_apply(ph_body_transform(world, slot), world->body[slot].center_local);
    return pulls_at(field, world, center) && ph_field_takes(field, world, slot);
}

const PhFieldRow ph_point_gravity_row = {
    .info = {.name = "point_gravity",
             .parameters = {{"center", CENTER, 2, -PH_FIELD_MOST, NAN, 0, false},
                            {"strength", STRENGTH, 1, -PH_FIELD_MOST, NAN, 0, false},
                            {"power", POWER, 1, -8, 2, 8, true},
                            {"softening", SOFTENING, 1, 0, 0, 0, false},
                            {"radius", RADIUS, 1, 0, PH_FIELD_MOST, 0, false}}},
    .act = act,
    .reaches = reaches,
};

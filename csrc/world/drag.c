// Drag of still air on whole bodies: linear (Stokes), quadratic (Newton), and the tutorial's, whose
// velocity loses clamp_magnitude(v, 1) clamped dt.
//
// Linear and quadratic are forces at the centre of mass, so the heavier of two bodies falls faster;
// clamped is a deceleration, the same for all.
#include "world/fields.h"
#include "world/internal.h"

enum { LINEAR, QUADRATIC, CLAMPED, ANGULAR };

static void act(const PhField *field, PhFieldBody *body) {
    const double *value = field->def.value;
    if (!ph_field_takes(field, body->world, body->slot)) {
        return;
    }
    PhResistance drag = {
        .rate = value[LINEAR] + value[QUADRATIC] * ph_length(body->velocity),
        .spin_rate = value[ANGULAR],
    };
    body->met = true;
    body->clamped += value[CLAMPED];
    ph_resistance_add(&body->resistance, drag);
}

static bool reaches(const PhField *field, const PhWorld *world, uint32_t slot) {
    return ph_field_takes(field, world, slot);
}

const PhFieldRow ph_drag_row = {
    .info = {.name = "drag",
             .parameters = {{"linear", LINEAR, 1, 0, 0, 0, false},
                            {"quadratic", QUADRATIC, 1, 0, 0, 0, false},
                            {"clamped", CLAMPED, 1, 0, 0, 0, false},
                            {"angular", ANGULAR, 1, 0, 0, 0, false}}},
    .act = act,
    .reaches = reaches,
};

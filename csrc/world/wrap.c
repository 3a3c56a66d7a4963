// Owns what a wrapped world asks of bodies: that they are small enough for two of them to meet in
// one place only, and that their origins lie in [0, width) x [0, height) after each step.
//
// Invariant: what two bodies do to each other follows from the difference of their places alone, so
// a wrapped world is one in which that difference is taken between nearest images
// (ph_image_shift): in the narrow phase, in queries and fields. The solver deals in differences
// only. A body is no wider than half of the world, so when two touch, the images that do are those
// whose middles are nearest.
#include "geometry/build.h"
#include "world/internal.h"

// Where the unit of length is 1.
#define LEAST_SIZE 0.1
#define MOST_SIZE 1e9
#define FARTHEST 100.0 // of a body from its origin, in sizes

PhStatus ph_wrap_check(PhVec2 size, double length_unit, PhError *error) {
    const double least = LEAST_SIZE * length_unit, most = MOST_SIZE * length_unit;
    const struct {
        const char *name;
        double value;
    } sides[] = {{"width", size.x}, {"height", size.y}};
    for (int k = 0; k < 2; k++) {
        if (!((sides[k].value >= least && sides[k].value <= most) || sides[k].value == INFINITY)) {
            return ph_fail(error, PH_ERROR_VALUE,
                           "wrap: the %s must be between %g and %g m, or inf where the world does "
                           "not wrap, got %s",
                           sides[k].name, least, most, ph_number_text(sides[k].value).text);
        }
    }
    return PH_OK;
}

// Boxes of shapes in the body's frame grow by what is given; lower > upper: nothing yet.
static const PhAabb no_box = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};

static PhVec2 middle_of(PhAabb box) {
    return box.lower.x <= box.upper.x ? ph_lerp(box.lower, box.upper, 0.5) : ph_vec(0, 0);
}

void ph_wrap_find_middle(PhWorld *world, uint32_t slot) {
    PhAabb box = no_box;
    PhBody *body = &world->body[slot];
    for (uint32_t c = body->first_collider; c != PH_NULL; c = world->collider[c].next) {
        box = ph_union(box, world->collider[c].shape->aabb);
    }
    body->middle = middle_of(box);
}

static double reach_from(PhVec2 middle, const PhShape *shape) {
    double reach = 0;
    for (int32_t i = 0; i < shape->vertex_count; i++) {
        reach = ph_max(reach, ph_length(ph_sub(shape->vertices[i], middle)) + shape->radius);
    }
    return reach;
}

PhStatus ph_wrap_check_body(const PhWorld *world, uint32_t slot, PhShape *const *shapes,
                            uint32_t count, PhError *error) {
    if (!world->wrapped) {
        return PH_OK;
    }
    uint32_t first = slot == PH_NULL ? PH_NULL : world->body[slot].first_collider;
    PhAabb box = no_box;
    for (uint32_t i = 0; i < count; i++) {
        if (shapes[i]->kind == PH_SHAPE_CHAIN) {
            return ph_fail(error, PH_ERROR_VALUE,
                           "shape: a wrapped world holds no Chain; use a Polygon or Segments");
        }
        box = ph_union(box, shapes[i]->aabb);
    }
    for (uint32_t c = first; c != PH_NULL; c = world->collider[c].next) {
        box = ph_union(box, world->collider[c].shape->aabb);
    }
    PhVec2 middle = middle_of(box);
    double reach = 0;
    for (uint32_t i = 0; i < count; i++) {
        reach = ph_max(reach, reach_from(middle, shapes[i]));
    }
    for (uint32_t c = first; c != PH_NULL; c = world->collider[c].next) {
        reach = ph_max(reach, reach_from(middle, world->collider[c].shape));
    }
    PhVec2 size = world->def.wrap;
    double least = ph_min(size.x, size.y);
    if (ph_length(middle) > FARTHEST * least) { // images are counted from the origins
        return ph_fail(error, PH_ERROR_VALUE,
                       "shape: the body would lie %g m from its origin; in a world that wraps at "
                       "%g m that must be at most %g m",
                       ph_length(middle), least, FARTHEST * least);
    }
    if (2 * reach < 0.5 * least) {
        return PH_OK;
    }
    return ph_fail(
        error, PH_ERROR_VALUE,
        "shape: the body would be %g m across; in a world that wraps at %g m bodies must "
        "be smaller than half of that, %g m",
        2 * reach, least, 0.5 * least);
}

bool ph_fold_slot(PhWorld *world, uint32_t slot) {
    PhState *state = world->state;
    PhVec2 raw = ph_slot_position(world, slot), place = ph_wrap_fold(&world->wrap, raw);
    if (place.x == raw.x && place.y == raw.y) {
        return false;
    }
    state->position[slot][0] = place.x;
    state->position[slot][1] = place.y;
    return true;
}

void ph_fold_all(PhWorld *world) {
    uint32_t moving = world->dynamic_count, count = moving + world->kinematic_count;
    for (uint32_t k = 0; world->wrapped && k < count; k++) {
        uint32_t slot = k < moving ? world->dynamic[k] : world->kinematic[k - moving];
        PhVec2 place = ph_slot_position(world, slot);
        if (isfinite(place.x + place.y) && ph_fold_slot(world, slot)) {
            ph_sensors_shift(world, slot, ph_sub(ph_slot_position(world, slot), place));
            ph_refresh_slot(world, slot);
        }
    }
}

// A displacement of more than this part of the world is not looked ahead.
#define AHEAD 0.125

void ph_wrap_limit_ahead(PhWorld *world, uint32_t proxy) {
    PhProxies *p = &world->proxies;
    PhReach reach = p->reach[proxy];
    double x = fabs(reach.x) * world->wrap.inverse.x, y = fabs(reach.y) * world->wrap.inverse.y;
    double displacement = ph_max(x, y);
    if (p->left[proxy] != PH_LEFT_FOREVER && displacement * p->left[proxy] > AHEAD) {
        p->left[proxy] = (uint8_t)(AHEAD / displacement);
    }
}

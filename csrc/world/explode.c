// Explosions: an impulse at once, no field that stays.
//
// A collider in reach gets an impulse along the unit vector e from the centre to the nearest of its
// points, at that point: impulse per metre, times its width across e as far as that lies in reach
// (the length of the outline that faces the centre, seen from far off), times what is left at its
// distance. Nothing is in the lee of anything. Where the centre lies inside, e leads to the
// collider's centroid and the impulse acts at the centre.
//
// Source: E. Catto, Box2D 3 (b2World_Explode).
#include "geometry/build.h"
#include "geometry/distance.h"
#include "world/internal.h"

static PhStatus check_def(const PhExplosionDef *def, PhError *error) {
    const struct {
        const char *name;
        double value, least;
    } numbers[] = {{"radius", def->radius, 0},
                   {"impulse", def->impulse, -PH_FIELD_MOST},
                   {"falloff", def->falloff, 0}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (!(numbers[i].value >= numbers[i].least && numbers[i].value <= PH_FIELD_MOST)) {
            return ph_fail(error, PH_ERROR_VALUE, "%s: must be between %g and %g, got %s",
                           numbers[i].name, numbers[i].least, PH_FIELD_MOST,
                           ph_number_text(numbers[i].value).text);
        }
    }
    return ph_check_vector("center", def->center, error);
}

// Of the origin to a shape, over its pieces.
static PhDistance find_nearest(const PhShape *shape, PhTransform pose) {
    const PhVec2 origin = {0, 0};
    const PhPiece point = {.vertices = &origin, .count = 1};
    const PhTransform here = {{0, 0}, {1, 0}};
    PhDistance nearest = {.distance = INFINITY};
    for (int32_t i = 0; i < shape->piece_count; i++) {
        PhDistance d = ph_distance(&point, here, &shape->pieces[i], pose);
        nearest = d.distance < nearest.distance ? d : nearest;
    }
    return nearest;
}

// How much of the shape's extent along the unit vector t lies within reach of the origin.
static double width_along(const PhShape *shape, PhTransform pose, PhVec2 t, double reach) {
    PhVec2 local = ph_unrotate(pose.q, t);
    double high = ph_dot(t, ph_apply(pose, ph_shape_support(shape, local)));
    double low = ph_dot(t, ph_apply(pose, ph_shape_support(shape, ph_neg(local))));
    return ph_max(ph_min(high, reach) - ph_max(low, -reach), 0);
}

// False when the collider is out of reach.
static bool hit_collider(const PhWorld *world, const PhExplosionDef *def, uint32_t index,
                         PhExplosionRow *row) {
    const PhCollider *collider = &world->collider[index];
    PhTransform pose = world->transform[collider->body];
    PhVec2 center = ph_body_image_of(world, collider->body, def->center);
    pose.p = ph_sub(pose.p, center);
    PhDistance nearest = find_nearest(collider->shape, pose);
    double beyond = nearest.distance - def->radius, reach = def->radius + def->falloff;
    if (!(nearest.distance <= reach) || (beyond > 0 && !(beyond < def->falloff))) {
        return false;
    }
    PhVec2 to = nearest.distance > 0 ? nearest.point_b : ph_vec(0, 0), direction = nearest.normal;
    if (!(nearest.distance > 0)) {
        direction = ph_normalize_or(ph_apply(pose, collider->shape->centroid), ph_vec(0, 0));
    }
    double left = beyond > 0 ? 1 - beyond / def->falloff : 1;
    double width = width_along(collider->shape, pose, ph_left(direction), reach);
    PhVec2 impulse = ph_scale(def->impulse * left * width, direction), at = ph_add(def->center, to);
    *row = (PhExplosionRow){
        .body = (int32_t)collider->body,
        .collider = (int32_t)index,
        .distance = nearest.distance,
        .point = {at.x, at.y},
        .impulse = {impulse.x, impulse.y},
    };
    return isfinite(impulse.x + impulse.y + at.x + at.y);
}

PhStatus ph_explosion_find(PhWorld *world, const PhExplosionDef *def, PhExplosionRow **rows,
                           uint32_t *count, PhError *error) {
    PhStatus status = check_def(def, error);
    if (status) {
        return status;
    }
    uint32_t *found, near, hits = 0;
    double reach = def->radius + def->falloff;
    PhAabb box = ph_grow((PhAabb){def->center, def->center}, reach);
    PhQueryFilter filter = {.mask = def->mask};
    status = ph_world_query_aabb(world, box, filter, &found, &near, error);
    if (status) {
        return status;
    }
    PhExplosionRow *list = ph_alloc(near, sizeof *list);
    if (!list) {
        ph_free(found);
        return ph_fail(error, PH_ERROR_MEMORY, "no memory for an explosion of %u colliders", near);
    }
    for (uint32_t i = 0, seen = 0; !status && i < near; i++) {
        if (ph_stops_now(world, &seen)) {
            status = ph_fail(error, PH_ERROR_STOPPED, "stopped");
        }
        if (ph_is_dynamic(world, world->collider[found[i]].body)) {
            hits += hit_collider(world, def, found[i], &list[hits]);
        }
    }
    ph_free(found);
    if (status) {
        ph_free(list);
        return status;
    }
    *rows = list;
    *count = hits;
    return PH_OK;
}

void ph_explosion_apply(PhWorld *world, const PhExplosionRow *rows, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        PhId body = ph_body_id(world, (uint32_t)rows[i].body);
        PhVec2 impulse = {rows[i].impulse[0], rows[i].impulse[1]};
        PhVec2 point = {rows[i].point[0], rows[i].point[1]};
        (void)ph_body_apply_impulse(world, body, impulse, &point, NULL); // finite numbers
    }
}

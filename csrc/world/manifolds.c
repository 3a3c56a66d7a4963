// From a pair to its manifold: that of now, or that of an impact ahead. Depends
// on poses and velocities alone.
//
// Source: contacts ahead of time after P. Firth, "Speculative Contacts" (2011).
#include "world/manifolds.h"

#include "narrow/materials.h"
#include "world/ahead.h"

void ph_mix_materials(const PhWorld *world, uint32_t p, uint32_t q, PhSolverManifold *manifold) {
    ph_mix_surfaces(world->def.friction_rule, world->def.restitution_rule, &world->material[p],
                    &world->material[q], manifold);
    if (world->own_surfaces) {
        const PhSurfaces surfaces = ph_world_surfaces(world);
        float mixed[3], radius_a = manifold->point[0].radius, radius_b = manifold->point[1].radius;
        ph_mix_sorts(&surfaces, p, q, mixed);
        manifold->friction = mixed[0];
        manifold->restitution = mixed[1];
        manifold->rolling_radius = mixed[2] * (radius_a > radius_b ? radius_a : radius_b);
    }
}

double ph_noted_approach(const PhWorld *world) {
    return ph_min(world->def.hit_event_threshold, world->lengths.fast_impact);
}

// Sine of the angle from which on a normal is not that of a side.
#define SIDE_SINE 4e-5

bool ph_write_manifold(PhWorld *world, const PhPairList *pairs, uint32_t k,
                       const PhManifold *manifold, PhVec2 gap, double later, double dt) {
    uint32_t p = pairs->owner[k], q = pairs->other[k];
    uint32_t a = world->proxies.body[p], b = world->proxies.body[q];
    PhSolverManifold *solved = &world->contacts.manifold[k];
    *solved = (PhSolverManifold){
        .nx = (float)manifold->normal.x,
        .ny = (float)manifold->normal.y,
        .dx = (float)gap.x,
        .dy = (float)gap.y,
    };
    for (int i = 0; i < 2; i++) {
        solved->point[i].radius = (float)world->proxy_piece[i ? q : p]->radius;
        solved->point[i].separation = PH_NO_POINT;
    }
    ph_mix_materials(world, p, q, solved);
    if (ph_piece_has_side(world->proxy_piece[p], world->transform[a].q, manifold->normal,
                          SIDE_SINE)) {
        solved->point[0].radius = -solved->point[0].radius;
    } else if (ph_piece_has_side(world->proxy_piece[q], world->transform[b].q,
                                 ph_neg(manifold->normal), SIDE_SINE)) {
        solved->point[1].radius = -solved->point[1].radius;
    }
    double approach = 0;
    bool active = false;
    for (int i = 0; i < manifold->count; i++) {
        const PhManifoldPoint *point = &manifold->points[i];
        PhVec2 velocity = ph_relative_velocity(world, a, b, point->point, gap);
        double speed = -ph_dot(velocity, manifold->normal);
        // Beyond the usual distance only what will arrive within the step.
        bool valid = point->separation <= world->lengths.speculative ||
                     point->separation <= speed * dt + ph_fall(world, dt);
        solved->point[i].x = (float)point->point.x;
        solved->point[i].y = (float)point->point.y;
        solved->point[i].separation = valid ? (float)point->separation : PH_NO_POINT;
        approach = valid && speed > approach ? speed : approach;
        active |= valid;
    }
    world->approach[k] = approach > ph_noted_approach(world) ? (float)approach : 0;
    world->later[k] = (float)later;
    return active;
}

bool ph_pair_is_near(const PhWorld *world, const PhPairList *pairs, uint32_t k) {
    uint32_t p = pairs->owner[k], q = pairs->other[k];
    PhAabb box = world->proxies.box[q];
    if (world->wrapped) {
        PhVec2 shift = ph_image_shift(world, world->proxies.body[p], world->proxies.body[q]);
        box = (PhAabb){ph_add(box.lower, shift), ph_add(box.upper, shift)};
    }
    return ph_overlaps(world->proxies.box[p], box);
}

uint8_t ph_find_manifold(PhWorld *world, const PhPairList *pairs, uint32_t k, const PhPiece *piece,
                         double dt) {
    uint32_t p = pairs->owner[k], q = pairs->other[k];
    uint32_t a = world->proxies.body[p], b = world->proxies.body[q];
    PhVec2 gap = {world->center[b][0] - world->center[a][0],
                  world->center[b][1] - world->center[a][1]};
    if (world->wrapped) {
        gap = ph_add(gap, ph_image_shift(world, a, b));
    }
    PhTransform ta, tb;
    PhManifold manifold;
    ph_pair_frames(world, a, b, &ta, &tb);
    double margin = ph_pair_margin(world, p, q, dt);
    ph_collide(world->proxy_piece[p], ta, piece, tb, margin, &world->lengths, &manifold);
    world->approach[k] = 0;
    if (!manifold.count) {
        return 0;
    }
    PhCouple couple = {a, b, world->proxy_piece[p], piece, ta, tb};
    bool ahead = ph_is_ahead(world, &couple, &manifold, gap, dt);
    const PhManifold now = manifold;
    PhVec2 then = gap;
    bool jerked =
        ph_are_laden(world, a, b) && now.points[0].separation <= world->lengths.speculative;
    double later = 0;
    if (ahead) {
        const PhEncounter encounter = ph_encounter(world, &couple, gap, margin, dt);
        ahead = ph_find_impact(&encounter, &manifold, &then, &later);
        if (!ahead && !jerked) {
            return PH_ANSWER_APART;
        }
        manifold = ahead ? manifold : now;
    }
    bool passes = !jerked && ph_corners_pass(world, &couple, &now, gap, dt);
    bool active = ph_write_manifold(world, pairs, k, &manifold, then, later * dt, dt);
    return !active                             ? PH_ANSWER_APART
           : passes                            ? PH_ANSWER_PASSES
           : ahead && !ph_is_dynamic(world, b) ? PH_ANSWER_AHEAD
                                               : PH_ANSWER_NEAR;
}

// Owns what follows from poses: transforms, centres of mass, boxes. Works from the live arrays, so
// that a write through a view is seen like any other change.
#include "math/trig.h"
#include "world/internal.h"

void ph_refresh_slot(PhWorld *world, uint32_t slot) {
    world->pose_angle[slot] = world->state->angle[slot];
    world->transform[slot] = ph_body_transform(world, slot);
    PhVec2 center = ph_apply(world->transform[slot], world->body[slot].center_local);
    world->center[slot][0] = center.x;
    world->center[slot][1] = center.y;
    world->tree_stale[slot] = 1;
    world->query_stale = true;
}

void ph_refresh_poses(PhWorld *world) {
    const PhState *state = world->state;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        const PhTransform *seen = &world->transform[i];
        if (!state->alive[i] ||
            (state->position[i][0] == seen->p.x && state->position[i][1] == seen->p.y &&
             state->angle[i] == world->pose_angle[i])) {
            continue;
        }
        if (!isfinite(state->position[i][0] + state->position[i][1] + state->angle[i])) {
            continue; // the next step refuses it; until then the last good pose answers queries
        }
        ph_refresh_slot(world, i);
        world->moved[i] = PH_MOVED_PLACED;
    }
}

// The shape's box, half of the speculative distance, and the way the body may go in this step.
// Never more than half of the piece's width for speed, as no contact looks ahead further than that
// (see ph_pair_margin).
static PhAabb grown_box(const PhWorld *world, uint32_t proxy, double dt) {
    uint32_t slot = world->proxies.body[proxy];
    const PhPiece *piece = world->proxy_piece[proxy];
    double way = ph_length(ph_slot_velocity(world, slot)) * dt;
    double most = piece->width > 0 ? 0.5 * piece->width : INFINITY;
    double growth = PH_BOX_SLACK + (way < most ? way : most);
    return ph_grow(ph_piece_aabb(piece, world->transform[slot]), growth);
}

double ph_pair_margin(const PhWorld *world, uint32_t proxy_a, uint32_t proxy_b, double dt) {
    double width_a = world->proxy_piece[proxy_a]->width,
           width_b = world->proxy_piece[proxy_b]->width;
    width_a = width_a > 0 ? width_a : INFINITY;
    width_b = width_b > 0 ? width_b : INFINITY;
    double most = 0.5 * (width_a < width_b ? width_a : width_b);
    uint32_t a = world->proxies.body[proxy_a], b = world->proxies.body[proxy_b];
    PhVec2 v = ph_sub(ph_slot_velocity(world, b), ph_slot_velocity(world, a));
    double way = ph_length(v) * dt;
    way = way < most ? way : most;
    return way > PH_SPECULATIVE ? way : PH_SPECULATIVE;
}

void ph_refresh_resting_boxes(PhWorld *world, uint32_t slot) {
    PhProxies *p = &world->proxies;
    for (uint32_t c = world->body[slot].first_collider; c != PH_NULL; c = world->collider[c].next) {
        uint32_t first = world->collider[c].first_proxy;
        for (uint32_t i = first; i < first + (uint32_t)world->collider[c].shape->piece_count; i++) {
            p->box[i] = grown_box(world, i, 0);
            world->pairs_dirty |= !ph_encloses(p->fat[i], p->box[i]);
        }
    }
}

// Boxes of what moves are made anew each step; those of what rests are as they were when it came to
// rest.
bool ph_refresh_boxes(PhWorld *world, double dt) {
    PhProxies *p = &world->proxies;
    bool escaped = false;
    for (uint32_t i = 0; i < p->count; i++) {
        if (!(p->flags[i] & PH_PROXY_ALIVE)) {
            continue;
        }
        uint32_t slot = p->body[i];
        uint8_t role = world->role[slot];
        if (role == PH_ROLE_DYNAMIC || role == PH_ROLE_KINEMATIC || world->moved[slot]) {
            p->box[i] = grown_box(world, i, dt);
            if (!ph_encloses(p->fat[i], p->box[i])) {
                escaped = true;
                world->static_changed |= (p->flags[i] & PH_PROXY_STATIC) != 0;
            }
        }
    }
    return escaped;
}

void ph_refresh_fat(PhWorld *world) {
    PhProxies *p = &world->proxies;
    for (uint32_t i = 0; i < p->count; i++) {
        if (!(p->flags[i] & PH_PROXY_ALIVE)) {
            continue;
        }
        uint32_t slot = p->body[i];
        uint8_t role = world->role[slot];
        if (role == PH_ROLE_DYNAMIC || role == PH_ROLE_KINEMATIC || world->moved[slot]) {
            PhVec2 size = ph_sub(p->box[i].upper, p->box[i].lower);
            double side = size.x < size.y ? size.x : size.y;
            bool rests = p->flags[i] & PH_PROXY_STATIC;
            p->fat[i] =
                rests ? p->box[i] : ph_grow(p->box[i], PH_FAT_FRACTION * side + PH_BOX_SLACK);
        }
    }
}

void ph_pair_frames(const PhWorld *world, uint32_t a, uint32_t b, PhTransform *ta,
                    PhTransform *tb) {
    PhRot qa = world->transform[a].q, qb = world->transform[b].q;
    PhVec2 gap = {world->center[b][0] - world->center[a][0],
                  world->center[b][1] - world->center[a][1]};
    *ta = (PhTransform){ph_neg(ph_rotate(qa, world->body[a].center_local)), qa};
    *tb = (PhTransform){ph_sub(gap, ph_rotate(qb, world->body[b].center_local)), qb};
}

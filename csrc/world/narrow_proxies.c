// Owns proxies as the narrow phase reads them: pieces in lanes, their rings and materials, and
// which are to be examined.
//
// Invariant: a proxy that stirs has its piece where its body is; those of all others have stayed.
#include "world/narrow_proxies.h"
#include "narrow/materials.h"

#include <string.h>

enum { CHUNK_PROXIES = 1024 }; // of the team

void ph_proxy_prepare(PhWorld *world, uint32_t proxy) {
    PhLaneKind kind = ph_lane_piece_init(world->proxy_piece[proxy], &world->lengths,
                                         &world->lane_place[proxy], &world->lane_piece[proxy]);
    const PhLanePlace *place = &world->lane_place[proxy];
    bool ring = kind == PH_LANE_RING_4 || kind == PH_LANE_RING_8;
    bool plain = place->middle.x == 0 && place->middle.y == 0 && place->axis.c == 1;
    world->narrow_flags[proxy] =
        (uint8_t)(kind << PH_NARROW_KIND_SHIFT | (ring ? PH_NARROW_NEEDS_RING : 0) |
                  (plain ? PH_NARROW_PLAIN : 0));
    world->lane_kinds |= (uint8_t)(1 << kind);
    world->ring_limit = ring && proxy >= world->ring_limit ? proxy + 1 : world->ring_limit;
    world->rings_missing |= ring;
}

PhStatus ph_proxies_make_rings(PhWorld *world) {
    if (!world->rings_missing) {
        return PH_OK;
    }
    PhStatus status = ph_reserve_array(&world->lane_ring, &world->ring_capacity, world->ring_limit,
                                       sizeof *world->lane_ring);
    for (uint32_t i = 0; !status && i < world->ring_limit; i++) {
        if (world->narrow_flags[i] & PH_NARROW_NEEDS_RING && world->proxy_piece[i]) {
            ph_lane_ring_init(world->proxy_piece[i], &world->lane_place[i], &world->lane_ring[i]);
        }
        world->narrow_flags[i] &= (uint8_t)~PH_NARROW_NEEDS_RING;
    }
    world->rings_missing = status != PH_OK;
    return status;
}

void ph_proxy_set_material(PhWorld *world, uint32_t proxy, const PhColliderDef *def) {
    PhMaterial material = {
        .friction = ph_surface_number(def->friction),
        .restitution = ph_surface_number(def->restitution),
        .rolling_resistance = ph_surface_number(def->rolling_resistance),
        .tangent_speed = ph_surface_number(def->tangent_speed),
    };
    if (world->live_proxies == 0) { // the first: that of all, until another comes
        world->one_material = material;
    }
    bool own = def->material || def->friction_rule || def->restitution_rule;
    world->own_surfaces |= own;
    world->mixed_materials |= own || memcmp(&material, &world->one_material, sizeof material) != 0;
    world->surface_sort[proxy] =
        (PhSurfaceSort){def->material, def->friction_rule, def->restitution_rule};
    world->material[proxy] = material;
}

// Brings the piece to where its body is.
static inline void move_piece(PhWorld *world, uint32_t i) {
    uint32_t slot = world->proxies.body[i];
    PhVec2 v = ph_slot_velocity(world, slot);
    double w = world->state->angular_velocity[slot];
    if (world->narrow_flags[i] & PH_NARROW_PLAIN && !world->off_center[slot]) {
        ph_lane_piece_move_plain(&world->lane_piece[i], world->transform[slot], v, w);
    } else {
        PhVec2 center = {world->center[slot][0], world->center[slot][1]};
        ph_lane_piece_move(&world->lane_piece[i], &world->lane_place[i], world->transform[slot],
                           center, v, w);
    }
}

static void flag_proxy(PhWorld *world, uint32_t i) {
    uint32_t slot = world->proxies.body[i];
    uint8_t role = world->role[slot], before = world->narrow_flags[i];
    bool stirs = role == PH_ROLE_DYNAMIC || role == PH_ROLE_KINEMATIC || world->moved[slot];
    if (stirs || before & PH_NARROW_STIRS) {
        move_piece(world, i);
    }
    world->narrow_flags[i] =
        (uint8_t)((before & ~(PH_NARROW_STIRS | PH_NARROW_SLEEPS)) | (stirs ? PH_NARROW_STIRS : 0) |
                  (role == PH_ROLE_NONE ? PH_NARROW_SLEEPS : 0));
}

void ph_proxies_place_all(PhWorld *world) {
    for (uint32_t i = 0; i < world->proxies.count; i++) {
        world->narrow_flags[i] |= PH_NARROW_STIRS;
    }
}

static void move_pieces(void *context, uint32_t chunk) {
    PhWorld *world = context;
    uint32_t first = chunk * CHUNK_PROXIES, left = world->proxies.moving_count - first;
    const uint32_t *moving = world->proxies.moving + first;
    for (uint32_t k = 0; k < left && k < CHUNK_PROXIES; k++) {
        move_piece(world, moving[k]);
    }
}

void ph_proxies_flag(PhWorld *world) {
    const PhProxies *p = &world->proxies;
    ph_list_active(world);
    bool all = world->narrow_flags_stale || world->rest_changed;
    for (uint32_t i = 0; all && i < p->count; i++) {
        if (p->flags[i] & PH_PROXY_ALIVE) {
            flag_proxy(world, i);
        }
    }
    if (!all) {
        ph_jobs_run(world->jobs, move_pieces, world,
                    (p->moving_count + CHUNK_PROXIES - 1) / CHUNK_PROXIES);
    }
    world->narrow_flags_stale = world->rest_changed;
}

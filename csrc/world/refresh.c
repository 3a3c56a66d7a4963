// Owns what follows from poses: transforms, centres of mass, boxes. Works from the live arrays, so
// that a write through a view is seen like any other change.
#include "broad/displacement_field.h"
#include "world/changes.h"
#include "world/internal.h"
#include "world/passes.h"

void ph_refresh_slot(PhWorld *world, uint32_t slot) {
    world->pose_angle[slot] = world->state->angle[slot];
    world->transform[slot] = ph_body_transform(world, slot);
    PhVec2 center = ph_apply(world->transform[slot], world->body[slot].center_local);
    world->center[slot][0] = center.x;
    world->center[slot][1] = center.y;
    ph_note_pose(world, slot);
}

void ph_refresh_pose(PhWorld *world, uint32_t slot) {
    const PhState *state = world->state;
    const PhTransform *seen = &world->transform[slot];
    double x = state->position[slot][0], y = state->position[slot][1], angle = state->angle[slot];
    if (x == seen->p.x && y == seen->p.y && angle == world->pose_angle[slot]) {
        return;
    }
    if (!ph_pose_in_range(ph_vec(x, y), angle)) {
        return; // the next step refuses it; until then the last good pose answers queries
    }
    if (world->wrapped && ph_fold_slot(world, slot) && state->position[slot][0] == seen->p.x &&
        state->position[slot][1] == seen->p.y && angle == world->pose_angle[slot]) {
        return; // the same place
    }
    ph_refresh_slot(world, slot);
    ph_note_moved(world, slot, PH_MOVED_PLACED);
    world->shifted[slot] |= PH_SHIFT_TO_COME;
}

void ph_refresh_poses(PhWorld *world) {
    const PhState *state = world->state;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        if (state->alive[i]) {
            ph_refresh_pose(world, i);
        }
    }
}

// The shape's box and half of the speculative distance.
PhAabb ph_near_box(const PhWorld *world, uint32_t proxy) {
    const PhPiece *piece = world->proxy_piece[proxy];
    return ph_grow(ph_piece_aabb(piece, world->transform[world->proxies.body[proxy]]),
                   world->lengths.box_slack);
}

// Never more than some times the piece's width for speed, as no contact looks ahead further than
// that (see ph_pair_margin).
static double displacement_limit(const PhPiece *piece) {
    return piece->width > 0 ? PH_AHEAD_WIDTHS * piece->width : INFINITY;
}

static double sweep_of(const PhWorld *world, uint32_t proxy, double dt) {
    return ph_max(ph_spin_travel(world, proxy, dt) - world->lengths.spin_slack, 0);
}

// The box grown by the displacement that its body may have in this step.
static PhAabb grown_box(const PhWorld *world, uint32_t proxy, double dt) {
    const PhPiece *piece = world->proxy_piece[proxy];
    uint32_t slot = world->proxies.body[proxy];
    double displacement = ph_length(ph_slot_velocity(world, slot)) * dt,
           most = displacement_limit(piece);
    double growth = world->lengths.box_slack + (displacement < most ? displacement : most);
    growth += sweep_of(world, proxy, dt);
    return ph_grow(ph_piece_aabb(piece, world->transform[slot]), growth);
}

// A predicted AABB that keeps still, around what rests: as it is, if it does and the near box is
// inside. Returns whether it had to be made anew.
static bool rest_box(PhWorld *world, uint32_t proxy) {
    PhProxies *p = &world->proxies;
    PhAabb near = ph_near_box(world, proxy);
    if (p->left[proxy] == PH_LEFT_FOREVER && ph_encloses(p->predicted[proxy], near)) {
        return false;
    }
    PhVec2 size = ph_sub(near.upper, near.lower);
    double side = size.x < size.y ? size.x : size.y;
    bool fixed = p->flags[proxy] & PH_PROXY_STATIC;
    p->predicted[proxy] = fixed ? near : ph_grow(near, PH_PREDICTED_FRACTION * side);
    p->reach[proxy] = (PhReach){.limit = displacement_limit(world->proxy_piece[proxy])};
    p->left[proxy] = PH_LEFT_FOREVER;
    return p->flags[proxy] & PH_PROXY_ENABLED;
}

double ph_fall(const PhWorld *world, double dt) {
    double fall = ph_length(world->def.gravity) * dt * dt;
    return ph_max(ph_min(fall, world->lengths.most_fall), world->lengths.least_fall);
}

double ph_pair_margin(const PhWorld *world, uint32_t proxy_a, uint32_t proxy_b, double dt) {
    double width_a = world->proxy_piece[proxy_a]->width,
           width_b = world->proxy_piece[proxy_b]->width;
    width_a = width_a > 0 ? width_a : INFINITY;
    width_b = width_b > 0 ? width_b : INFINITY;
    double most = PH_AHEAD_WIDTHS * (width_a < width_b ? width_a : width_b);
    uint32_t a = world->proxies.body[proxy_a], b = world->proxies.body[proxy_b];
    PhVec2 v = ph_sub(ph_slot_velocity(world, b), ph_slot_velocity(world, a));
    double displacement = ph_length(v) * dt;
    displacement = displacement < most ? displacement : most;
    displacement += sweep_of(world, proxy_a, dt) + sweep_of(world, proxy_b, dt);
    displacement += ph_fall(world, dt);
    return displacement > world->lengths.speculative ? displacement : world->lengths.speculative;
}

void ph_refresh_resting_boxes(PhWorld *world, uint32_t slot) {
    PhProxies *p = &world->proxies;
    for (uint32_t c = world->body[slot].first_collider; c != PH_NULL; c = world->collider[c].next) {
        uint32_t first = world->collider[c].first_proxy;
        for (uint32_t i = first; i < first + (uint32_t)world->collider[c].shape->piece_count; i++) {
            p->box[i] = grown_box(world, i, 0);
            if (rest_box(world, i)) {
                ph_note_pairs(world);
            }
        }
    }
}

// A body that is in no list but was made, changed or placed since the last step.
static bool rests_elsewhere(const PhWorld *world, uint32_t proxy) {
    uint32_t slot = world->proxies.body[proxy];
    return world->proxies.flags[proxy] & PH_PROXY_ALIVE && world->moved[slot] &&
           world->role[slot] < PH_ROLE_KINEMATIC;
}

// What has come to rest since pairs were last found keeps still from here on. Returns whether a box
// had to be made anew for that.
static bool refresh_resting(PhWorld *world, double dt) {
    PhProxies *p = &world->proxies;
    bool any = false;
    for (uint32_t i = 0; i < p->count; i++) {
        if ((p->flags[i] & (PH_PROXY_ALIVE | PH_PROXY_MOVES)) != PH_PROXY_ALIVE) {
            continue;
        }
        bool elsewhere = rests_elsewhere(world, i);
        if (elsewhere) {
            p->box[i] = grown_box(world, i, dt);
        }
        if (elsewhere || p->left[i] != PH_LEFT_FOREVER) {
            bool anew = rest_box(world, i);
            if (anew && p->flags[i] & PH_PROXY_STATIC) {
                ph_note_fixed(world);
            }
            any |= anew;
        }
    }
    return any;
}

static void make_slabs(const PhWorld *world, PhProxies *p, double dt);

// Boxes of what moves are made anew each step; those of what rests are as they were when it came to
// rest.
bool ph_refresh_boxes(PhWorld *world, double dt) {
    PhProxies *p = &world->proxies;
    for (uint32_t k = 0; k < p->enlarged_count; k++) {
        p->flags[p->enlarged[k]] &= (uint8_t)~PH_PROXY_ENLARGED;
    }
    ph_list_active(world);
    PhDisplacementField displacements = ph_fit_displacements(p);
    displacements.short_horizon = ph_is_short_horizon(p);
    ph_grow_all_boxes(world, dt, &displacements);
    p->slabs = displacements.short_horizon;
    if (displacements.short_horizon) {
        make_slabs(world, p, dt);
    }
    ph_note_enlarged(p);
    for (uint32_t k = 0; world->wrapped && k < p->enlarged_count; k++) {
        ph_wrap_limit_ahead(world, p->enlarged[k]);
    }
    bool look = world->rest_changed || world->roster_changed || world->pairs_dirty;
    if (look && refresh_resting(world, dt)) {
        ph_note_pairs(world);
    }
    return p->enlarged_count > 0;
}

// Whether a vertex is one of the corners (+-x, +-y).
static bool is_corner(PhVec2 vertex, double x, double y) {
    return fabs(vertex.x) == x && fabs(vertex.y) == y;
}

PhSpan ph_span_of(const PhPiece *piece) {
    const PhVec2 *v = piece->vertices;
    PhSpan span = {NAN, NAN, piece->radius, displacement_limit(piece)};
    double x = fabs(v[0].x), y = fabs(v[0].y);
    bool alike = piece->count == 1   ? x == 0 && y == 0
                 : piece->count == 2 ? (x == 0 || y == 0) && v[1].x == -v[0].x && v[1].y == -v[0].y
                                     : piece->count == 4;
    for (int k = 1; alike && k < 4 && piece->count == 4; k++) {
        alike = is_corner(v[k], x, y);
    }
    // Four corners of a convex polygon that are all different.
    if (alike) {
        span.x = x;
        span.y = y;
    }
    return span;
}

// The direction of the longest side of a piece of two vertices or more.
static PhVec2 long_side(const PhPiece *piece) {
    PhVec2 along = {0, 0};
    for (int32_t i = 0; i < piece->count; i++) {
        PhVec2 side = ph_sub(piece->vertices[i + 1 < piece->count ? i + 1 : 0], piece->vertices[i]);
        along = ph_dot(side, side) > ph_dot(along, along) ? side : along;
    }
    return ph_normalize_or(along, ph_vec(1, 0));
}

// What the vertices of a piece are between, along a line.
static void find_ends(const PhPiece *piece, PhVec2 line, double *low, double *high) {
    *low = *high = ph_dot(piece->vertices[0], line);
    for (int32_t i = 1; i < piece->count; i++) {
        double at = ph_dot(piece->vertices[i], line);
        *low = at < *low ? at : *low;
        *high = at > *high ? at : *high;
    }
}

bool ph_is_long(const PhPiece *piece) {
    enum { LEAST_RATIO = 6 };
    if (piece->count < 2) {
        return false;
    }
    double low, high, left, right;
    PhVec2 along = long_side(piece);
    find_ends(piece, along, &low, &high);
    find_ends(piece, ph_left(along), &left, &right);
    return high - low > LEAST_RATIO * (right - left + 2 * piece->radius);
}

// Slabs of what is long and moves.
static void make_slabs(const PhWorld *world, PhProxies *p, double dt) {
    for (uint32_t k = 0; k < p->moving_count; k++) {
        uint32_t proxy = p->moving[k];
        if (!(p->flags[proxy] & PH_PROXY_LONG)) {
            continue;
        }
        const PhPiece *piece = world->proxy_piece[proxy];
        const PhTransform *t = &world->transform[p->body[proxy]];
        PhVec2 across = ph_left(long_side(piece)), normal = ph_rotate(t->q, across);
        double low, high,
            at = ph_dot(normal, t->p),
            more = piece->radius + world->lengths.box_slack + sweep_of(world, proxy, dt);
        find_ends(piece, across, &low, &high);
        p->slab[proxy] = (PhSlab){normal.x, normal.y, at + low - more, at + high + more};
    }
}

void ph_pair_frames(const PhWorld *world, uint32_t a, uint32_t b, PhTransform *ta,
                    PhTransform *tb) {
    PhRot qa = world->transform[a].q, qb = world->transform[b].q;
    PhVec2 gap = {world->center[b][0] - world->center[a][0],
                  world->center[b][1] - world->center[a][1]};
    if (world->wrapped) {
        gap = ph_add(gap, ph_image_shift(world, a, b));
    }
    *ta = (PhTransform){ph_neg(ph_rotate(qa, world->body[a].center_local)), qa};
    *tb = (PhTransform){ph_sub(gap, ph_rotate(qb, world->body[b].center_local)), qb};
}

// The pre-solve hook: contacts that a hook wants to judge before they act.
//
// Between the narrow phase and the layout of a step, the contacts of colliders with `pre_solve` are
// shown in one table, in the order of the pairs. What comes back goes into their manifolds, which
// the next narrow phase makes anew; one that is not enabled is, for this step, no contact at all:
// it carries no impulse, joins no island and counts as apart in events. Behind them come those that
// fast bodies would be stopped at (predicted_contacts.c), of which only that counts.
//
// Invariant: nothing of the state has changed yet, so a hook that fails fails the step.
#include "world/contact_stage.h"
#include "world/manifolds.h"

static bool asks(const PhWorld *world, uint32_t proxy) {
    return world->collider[world->proxies.collider[proxy]].def.pre_solve;
}

// A contact as ph_list_contacts has it, that is asked for.
static bool is_shown(const PhWorld *world, uint32_t k) {
    const PhPairList *pairs = &world->broad.pairs;
    uint32_t a = pairs->owner[k], b = pairs->other[k];
    return world->next_active[k] == 1 && (asks(world, a) || asks(world, b)) &&
           world->role[world->proxies.body[a]] == PH_ROLE_DYNAMIC;
}

static PhPreSolveRow show(const PhWorld *world, uint32_t k) {
    const PhPairList *pairs = &world->broad.pairs;
    const PhProxies *p = &world->proxies;
    const PhSolverManifold *m = &world->contacts.manifold[k];
    uint32_t owner = pairs->owner[k], other = pairs->other[k];
    uint32_t a = p->body[owner], b = p->body[other];
    int deep = m->point[1].separation < m->point[0].separation;
    PhVec2 n = {(double)m->nx, (double)m->ny};
    PhVec2 arm = {(double)m->point[deep].x, (double)m->point[deep].y};
    PhVec2 gap = {(double)m->dx, (double)m->dy};
    const double *spin = world->state->angular_velocity, *center = world->center[a];
    PhVec2 va = ph_mul_add(ph_slot_velocity(world, a), spin[a], ph_left(arm));
    PhVec2 vb = ph_mul_add(ph_slot_velocity(world, b), spin[b], ph_left(ph_sub(arm, gap)));
    return (PhPreSolveRow){
        .body_a = (int32_t)a,
        .body_b = (int32_t)b,
        .collider_a = (int32_t)p->collider[owner],
        .collider_b = (int32_t)p->collider[other],
        .piece_a = (int32_t)p->piece[owner],
        .piece_b = (int32_t)p->piece[other],
        .normal = {n.x, n.y},
        .point = {center[0] + arm.x, center[1] + arm.y},
        .separation = (double)m->point[deep].separation,
        .approach = ph_dot(ph_sub(va, vb), n),
        .id = ph_contact_id(&world->contact_ids, p->collider[owner], p->collider[other]),
        .friction = (double)m->friction,
        .restitution = (double)m->restitution,
        .tangent_speed = (double)m->tangent_speed,
        .enabled = 1,
    };
}

// Products stay within float32, as those of materials do.
static float narrow(double x) {
    return (float)ph_max(ph_min(x, 1e18), -1e18);
}

static void take(PhWorld *world, uint32_t k, const PhPreSolveRow *row) {
    PhSolverManifold *m = &world->contacts.manifold[k];
    m->friction = narrow(row->friction);
    m->restitution = narrow(row->restitution);
    m->tangent_speed = narrow(row->tangent_speed);
    world->next_active[k] = row->enabled ? PH_ANSWER_NEAR : PH_ANSWER_OFF;
}

static PhPreSolveRow show_predicted(const PhWorld *world, const PhPredictedContact *seen) {
    const PhProxies *p = &world->proxies;
    PhSolverManifold mixed = {.nx = 0};
    ph_mix_materials(world, seen->owner, seen->other, &mixed);
    return (PhPreSolveRow){
        .body_a = (int32_t)p->body[seen->owner],
        .body_b = (int32_t)p->body[seen->other],
        .collider_a = (int32_t)p->collider[seen->owner],
        .collider_b = (int32_t)p->collider[seen->other],
        .piece_a = (int32_t)p->piece[seen->owner],
        .piece_b = (int32_t)p->piece[seen->other],
        .normal = {seen->normal.x, seen->normal.y},
        .point = {seen->point.x, seen->point.y},
        .separation = seen->separation,
        .approach = seen->approach,
        .id =
            ph_contact_id(&world->contact_ids, p->collider[seen->owner], p->collider[seen->other]),
        .friction = (double)mixed.friction,
        .restitution = (double)mixed.restitution,
        .tangent_speed = (double)mixed.tangent_speed,
        .enabled = 1,
    };
}

// Whether the set of contacts is another one than in the last step, after the hook.
static bool differs_now(const PhWorld *world) {
    const PhPairList *pairs = &world->broad.pairs;
    for (uint32_t k = 0; k < pairs->count; k++) {
        uint8_t next = world->next_active[k];
        if (next != PH_ANSWER_FROZEN && (next ^ pairs->flags[k]) & PH_PAIR_ACTIVE) {
            return true;
        }
    }
    return false;
}

PhStatus ph_pre_solve(PhWorld *world, double dt, bool *differs) {
    const PhPairList *pairs = &world->broad.pairs;
    world->predicted_count = 0;
    if (!world->pre_solve.call) {
        return PH_OK;
    }
    PhStatus status = ph_predict_contacts(world, dt);
    if (status) {
        return status;
    }
    uint32_t count = world->predicted_count, at = 0;
    for (uint32_t k = 0; k < pairs->count; k++) {
        count += is_shown(world, k);
    }
    if (count == 0) {
        return PH_OK;
    }
    PhPreSolveRow *rows = ph_alloc(count, sizeof *rows);
    if (!rows) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t k = 0; k < pairs->count; k++) {
        if (is_shown(world, k)) {
            rows[at++] = show(world, k);
        }
    }
    for (uint32_t i = 0; i < world->predicted_count; i++) {
        rows[at + i] = show_predicted(world, &world->predicted_contact[i]);
    }
    bool good = world->pre_solve.call(world->pre_solve.context, rows, count);
    at = 0;
    for (uint32_t k = 0; good && k < pairs->count; k++) {
        if (is_shown(world, k)) {
            take(world, k, &rows[at++]);
        }
    }
    for (uint32_t i = 0; good && i < world->predicted_count; i++) {
        world->predicted_contact[i].off = !rows[at + i].enabled;
    }
    *differs = good && differs_now(world);
    ph_free(rows);
    return good ? PH_OK : PH_ERROR_STOPPED;
}

void ph_world_set_pre_solve(PhWorld *world, PhPreSolve hook) {
    world->pre_solve = hook;
}

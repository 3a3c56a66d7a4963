// Owns what can be read of a world: contacts, pairs, islands, energies, counters, and the hash of
// its state.
#include <string.h>

#include "base/hash.h"
#include "world/internal.h"

// ------------------------------------------------------------------------------------------------
// contacts
static bool reads_pair(const PhWorld *world, const PhPairList *pairs, uint32_t k, uint8_t flag) {
    return (flag == 0 || pairs->flags[k] & flag) &&
           (world->proxies.flags[pairs->owner[k]] & world->proxies.flags[pairs->other[k]] &
            PH_PROXY_ALIVE);
}

static PhPairRow pair_row(const PhWorld *world, const PhPairList *pairs, uint32_t k) {
    const PhProxies *p = &world->proxies;
    uint32_t a = pairs->owner[k], b = pairs->other[k];
    return (PhPairRow){(int32_t)p->body[a],     (int32_t)p->body[b],  (int32_t)p->collider[a],
                       (int32_t)p->collider[b], (int32_t)p->piece[a], (int32_t)p->piece[b]};
}

// Distributes the impulses of the last step over the points that the pair has now. When a point has
// come or gone since, the sum stays what it was and goes to the deeper point.
static void share_impulses(const PhWorld *world, const PhManifold *manifold,
                           const PhContactRecord *record, double normal[2], double tangent[2]) {
    for (int i = 0; i < 2; i++) {
        normal[i] = (double)record->total_normal[i];
        tangent[i] = (double)record->total_tangent[i];
    }
    bool both = normal[0] != 0 && normal[1] != 0;
    int deep =
        manifold->count == 2 && manifold->points[1].separation < manifold->points[0].separation;
    bool deeper = manifold->count == 2 &&
                  manifold->points[deep].separation <
                      manifold->points[1 - deep].separation - world->lengths.same_depth;
    if (manifold->count == 1 || (!both && normal[deep] == 0 && deeper)) {
        normal[deep] = normal[0] + normal[1];
        tangent[deep] = tangent[0] + tangent[1];
        normal[1 - deep] = tangent[1 - deep] = 0;
    }
}

static uint32_t write_contacts(PhWorld *world, const PhPairList *pairs, uint32_t k,
                               PhContactPoint *rows) {
    const PhContactRecord *record = ph_record(world, pairs, k);
    uint32_t p = pairs->owner[k], q = pairs->other[k], count = 0;
    PhPairRow ids = pair_row(world, pairs, k);
    uint32_t a = (uint32_t)ids.body_a, b = (uint32_t)ids.body_b;
    PhTransform ta, tb;
    PhManifold manifold;
    ph_pair_frames(world, a, b, &ta, &tb);
    // A pair that bounced may be apart again: it is still told, with the gap.
    double reach = ph_length(ph_sub(tb.p, ta.p)) + world->proxy_piece[p]->extent +
                   world->proxy_piece[q]->extent;
    ph_collide(world->proxy_piece[p], ta, world->proxy_piece[q], tb, 2 * reach + world->lengths.one,
               &world->lengths, &manifold);
    if (!manifold.count) {
        return 0;
    }
    double normal[2], tangent[2];
    share_impulses(world, &manifold, record, normal, tangent);
    uint64_t id =
        ph_contact_id(&world->contact_ids, world->proxies.collider[p], world->proxies.collider[q]);
    for (int i = 0; i < manifold.count; i++) {
        const PhManifoldPoint *point = &manifold.points[i];
        if (point->separation > 0 && normal[i] == 0) {
            continue;
        }
        rows[count++] = (PhContactPoint){
            .body_a = ids.body_a,
            .body_b = ids.body_b,
            .collider_a = ids.collider_a,
            .collider_b = ids.collider_b,
            .piece_a = ids.piece_a,
            .piece_b = ids.piece_b,
            .normal = {manifold.normal.x, manifold.normal.y},
            .point = {world->center[a][0] + point->point.x, world->center[a][1] + point->point.y},
            .separation = point->separation,
            .normal_impulse = normal[i],
            .tangent_impulse = tangent[i],
            .feature = point->feature,
            .age = record->age,
            .id = id,
        };
    }
    return count;
}

static uint32_t count_touching(const PhPairList *pairs) {
    uint32_t touching = 0;
    for (uint32_t k = 0; k < pairs->count; k++) {
        touching += (pairs->flags[k] & PH_PAIR_TOUCHING) != 0;
    }
    return touching;
}

// Whether contacts of this pair are asked for: all, or those of one slot.
static bool wants_contacts(const PhWorld *world, const PhPairList *pairs, uint32_t k,
                           uint32_t slot) {
    return reads_pair(world, pairs, k, PH_PAIR_TOUCHING) &&
           (slot == PH_NULL || world->proxies.body[pairs->owner[k]] == slot ||
            world->proxies.body[pairs->other[k]] == slot);
}

uint64_t ph_world_contact_limit(const PhWorld *world, uint32_t slot) {
    const PhBroad *broad = &world->broad;
    if (slot == PH_NULL) {
        return 2 * ((uint64_t)count_touching(&broad->pairs) + count_touching(&broad->rest));
    }
    uint64_t touching = 0;
    for (uint32_t k = 0; k < broad->pairs.count; k++) {
        touching += wants_contacts(world, &broad->pairs, k, slot);
    }
    for (uint32_t k = 0; k < broad->rest.count; k++) {
        touching += wants_contacts(world, &broad->rest, k, slot);
    }
    return 2 * touching;
}

uint64_t ph_world_contacts(PhWorld *world, uint32_t slot, PhContactPoint *rows) {
    const PhPairList *pairs;
    uint64_t n = 0;
    uint32_t k;
    ph_refresh_poses(world);
    for (PhPairCursor cursor = {0, 0}; ph_next_pair(&world->broad, &cursor, &pairs, &k);) {
        if (wants_contacts(world, pairs, k, slot)) {
            n += write_contacts(world, pairs, k, rows + n);
        }
    }
    return n;
}

// Of the pairs of a list whose owner is a piece of one collider and whose other is one of
// another's: those that touch. Their rows are written where there is room for any.
static uint32_t write_between(PhWorld *world, const PhPairList *pairs, const PhCollider *owner,
                              const PhCollider *other, PhContactPoint *rows) {
    uint32_t end = other->first_proxy + (uint32_t)other->shape->piece_count, count = 0;
    for (uint32_t i = 0; i < (uint32_t)owner->shape->piece_count; i++) {
        uint32_t p = owner->first_proxy + i;
        for (uint32_t k = ph_pairs_from(pairs, p, other->first_proxy);
             k < pairs->count && pairs->owner[k] == p && pairs->other[k] < end; k++) {
            if (reads_pair(world, pairs, k, PH_PAIR_TOUCHING)) {
                count += rows ? write_contacts(world, pairs, k, rows + count) : 2;
            }
        }
    }
    return count;
}

// All of two colliders, of which either may own the pairs.
static uint32_t write_contact(PhWorld *world, const PhContactId *contact, PhContactPoint *rows) {
    uint32_t count = 0;
    for (int i = 0; i < 4; i++) {
        const PhCollider *owner = &world->collider[i & 1 ? contact->high : contact->low];
        const PhCollider *other = &world->collider[i & 1 ? contact->low : contact->high];
        const PhPairList *pairs = i & 2 ? &world->broad.rest : &world->broad.pairs;
        count += write_between(world, pairs, owner, other, rows ? rows + count : NULL);
    }
    return count;
}

PhStatus ph_world_contact(PhWorld *world, uint64_t id, PhContactPoint **rows, uint32_t *count,
                          PhError *error) {
    *rows = NULL;
    *count = 0;
    PhStatus status = ph_world_clean_zombies(world, error); // theirs have ended
    uint32_t row = status ? PH_NULL : ph_contact_ids_find(&world->contact_ids, id);
    if (row == PH_NULL) {
        return status;
    }
    const PhContactId contact = world->contact_ids.row[row];
    PhContactPoint *list = ph_alloc(write_contact(world, &contact, NULL), sizeof *list);
    if (!list) {
        return ph_fail(error, PH_ERROR_MEMORY, "no memory for a contact");
    }
    ph_refresh_poses(world);
    *count = write_contact(world, &contact, list);
    *rows = list;
    return PH_OK;
}

PhStatus ph_world_pairs(PhWorld *world, PhPairRow **rows, uint32_t *count, PhError *error) {
    uint32_t n = 0, k, most = world->broad.pairs.count + world->broad.rest.count;
    PhPairRow *list = ph_alloc(most, sizeof *list);
    if (!list) {
        return ph_fail(error, PH_ERROR_MEMORY, "no memory for %u pairs", most);
    }
    const PhPairList *pairs;
    for (PhPairCursor cursor = {0, 0}; ph_next_pair(&world->broad, &cursor, &pairs, &k);) {
        if (reads_pair(world, pairs, k, 0)) {
            list[n++] = pair_row(world, pairs, k);
        }
    }
    *rows = list;
    *count = n;
    return PH_OK;
}

// ------------------------------------------------------------------------------------------------
// sums
double ph_world_kinetic_energy(const PhWorld *world) {
    const PhState *s = world->state;
    double energy = 0;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        if (s->alive[i] && s->kind[i] == PH_DYNAMIC) {
            double w = s->angular_velocity[i];
            energy += 0.5 * (s->mass[i] * ph_length_squared(ph_slot_velocity(world, i)) +
                             s->inertia[i] * w * w);
        }
    }
    return energy;
}

static PhVec2 center_now(const PhWorld *world, uint32_t slot) {
    PhVec2 arm = world->body[slot].center_local;
    bool centred = arm.x == 0 && arm.y == 0;
    return centred ? ph_slot_position(world, slot) : ph_apply(ph_body_transform(world, slot), arm);
}

double ph_world_potential_energy(const PhWorld *world) {
    const PhState *s = world->state;
    double energy = 0;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        if (s->alive[i] && s->kind[i] == PH_DYNAMIC) {
            energy -= s->mass[i] * world->gravity_scale[i] *
                      ph_dot(world->def.gravity, center_now(world, i));
        }
    }
    return energy;
}

PhVec2 ph_world_momentum(const PhWorld *world) {
    const PhState *s = world->state;
    PhVec2 sum = {0, 0};
    for (uint32_t i = 0; i < world->slot_count; i++) {
        if (s->alive[i] && s->kind[i] == PH_DYNAMIC) {
            sum = ph_mul_add(sum, s->mass[i], ph_slot_velocity(world, i));
        }
    }
    return sum;
}

double ph_world_angular_momentum(const PhWorld *world, PhVec2 about) {
    const PhState *s = world->state;
    double sum = 0;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        if (s->alive[i] && s->kind[i] == PH_DYNAMIC) {
            PhVec2 arm = ph_sub(center_now(world, i), about);
            sum += s->mass[i] * ph_cross(arm, ph_slot_velocity(world, i)) +
                   s->inertia[i] * s->angular_velocity[i];
        }
    }
    return sum;
}

const double *ph_world_profile(const PhWorld *world) {
    return world->profile;
}

PhCounters ph_world_counters(const PhWorld *world) {
    const PhStepCounts *counts = &world->counts;
    PhCounters counters = {
        .bodies = world->body_count,
        .colliders = world->collider_count,
        .proxies = world->live_proxies,
        .pairs = world->broad.pairs.count + world->broad.rest.count,
        .contacts = counts->contacts,
        .touching = world->touching_pairs,
        .visits = ph_world_visit_count(world),
        .islands = counts->islands,
        .batches = counts->batches,
        .colors = counts->colors,
        .wide_contacts = counts->wide_contacts,
        .rows = counts->rows,
        .stopped = world->continuous.stopped,
        .left_out = counts->left_out,
        .pair_rebuilds = world->pair_rebuilds,
        .layout_rebuilds = world->layout_rebuilds,
        .substeps = counts->substeps,
        .bytes = (uint64_t)world->slot_count * 91,
    };
    for (uint32_t i = 0; i < world->slot_count; i++) {
        counters.awake += world->state->awake[i];
        counters.limited += world->limited[i] != 0 && world->limited[i] == world->step_count;
    }
    return counters;
}

// ------------------------------------------------------------------------------------------------
// islands

// Lowest slot of the island as far as the last layout or the ring of sleepers tells; the body
// itself when new.
static uint32_t island_key(const PhWorld *world, uint32_t slot) {
    if (world->state->awake[slot]) {
        // An island that has lost its root since the last step counts as so many bodies.
        uint32_t root =
            slot < PH_CAPACITY(world->layout.island) ? world->layout.island[slot] : PH_NULL;
        bool laid = root <= slot && world->role[root] == PH_ROLE_DYNAMIC &&
                    world->layout.island[root] == root;
        return laid ? root : slot;
    }
    uint32_t lowest = slot;
    for (uint32_t at = world->body[slot].sleep_next; at != slot; at = world->body[at].sleep_next) {
        lowest = at < lowest ? at : lowest;
    }
    return lowest;
}

PhStatus ph_world_islands(PhWorld *world, int32_t *islands) {
    int32_t *number = ph_alloc(world->slot_count, sizeof *number), next = 0;
    if (!number) {
        return PH_ERROR_MEMORY;
    }
    memset(number, 0xff, world->slot_count * sizeof *number);
    for (uint32_t i = 0; i < world->slot_count; i++) {
        islands[i] = -1;
        if (!ph_slot_alive(world, i) || !ph_is_dynamic(world, i)) {
            continue;
        }
        bool sleeps = !world->state->awake[i];
        if (sleeps && number[i] >= 0) { // its ring has been numbered from its lowest member
            islands[i] = number[i];
            continue;
        }
        uint32_t key = sleeps ? i : island_key(world, i);
        if (number[key] < 0) {
            number[key] = next++;
        }
        islands[i] = number[key];
        for (uint32_t at = world->body[i].sleep_next; sleeps && at != i;
             at = world->body[at].sleep_next) {
            number[at] = number[key];
        }
    }
    ph_free(number);
    return PH_OK;
}

// ------------------------------------------------------------------------------------------------
// hash
static uint64_t add_double(uint64_t hash, double value) {
    return ph_hash(hash, &value, sizeof value);
}
static uint64_t add_number(uint64_t hash, uint64_t value) {
    return ph_hash(hash, &value, sizeof value);
}

static uint64_t hash_settings(uint64_t hash, const PhWorld *world) {
    const PhWorldDef *d = &world->def;
    const double numbers[] = {
        d->gravity.x,
        d->gravity.y,
        d->contact_hertz,
        d->contact_damping_ratio,
        d->contact_push_speed,
        d->joint_hertz,
        d->joint_damping_ratio,
        d->restitution_threshold,
        d->hit_event_threshold,
        d->max_speed,
        d->baumgarte,
        d->slop,
        d->positional_correction,
        world->time,
    };
    const uint64_t words[] = {
        (uint64_t)d->substeps,   (uint64_t)d->solver,        (uint64_t)d->sleeping,
        (uint64_t)d->continuous, (uint64_t)d->friction_rule, (uint64_t)d->restitution_rule,
        (uint64_t)d->iterations, (uint64_t)d->warm_starting, (uint64_t)d->accumulate,
        (uint64_t)d->translate,  world->step_count,
    };
    hash = ph_hash(hash, numbers, sizeof numbers);
    if (d->length_unit != 1) {
        hash = add_double(hash, d->length_unit);
    }
    if (d->max_angular_speed != ph_world_def(1).max_angular_speed) {
        hash = ph_hash(hash, &d->max_angular_speed, sizeof d->max_angular_speed);
    }
    if (world->wrapped) {
        hash = ph_hash(hash, &d->wrap, sizeof d->wrap);
    }
    if (d->linear_damping != 0 || d->angular_damping != 0) {
        hash = add_double(hash, d->linear_damping);
        hash = add_double(hash, d->angular_damping);
    }
    if (world->material_count) {
        hash = ph_hash(hash, world->material_pairs,
                       (size_t)world->material_count * world->material_count *
                           sizeof *world->material_pairs);
    }
    return ph_hash(hash, words, sizeof words);
}

uint64_t ph_joints_hash(const PhWorld *world, uint64_t hash) {
    const PhJoints *joints = &world->joints;
    for (uint32_t j = 0; j < joints->limit; j++) {
        const PhJoint *joint = &joints->joint[j];
        const PhJointResult *result = &joints->result[j];
        if (!ph_joint_alive(world, j)) { // locks are with their bodies
            continue;
        }
        const uint64_t words[] = {j,
                                  joint->kind,
                                  joint->collide_connected,
                                  joint->body[0],
                                  joint->body[1],
                                  joint->geared[0],
                                  joint->geared[1],
                                  result->state[0],
                                  result->state[1],
                                  result->state[2]};
        const double numbers[] = {joint->anchor[0].x, joint->anchor[0].y, joint->anchor[1].x,
                                  joint->anchor[1].y, joint->axis.x,      joint->axis.y,
                                  joint->reference};
        hash = ph_hash(hash, words, sizeof words);
        hash = ph_hash(hash, numbers, sizeof numbers);
        size_t told = ph_joint_is_apart(joint) ? PH_JOINT_TUNED_HERTZ : PH_JOINT_TURN_HERTZ;
        double value[PH_JOINT_VALUES];
        memcpy(value, joint->value, sizeof value);
        if (ph_joint_is_elastic(joint)) { // these follow
            value[PH_JOINT_HERTZ] = value[PH_JOINT_ZETA] = 0;
        }
        if (ph_joint_turn_is_elastic(joint)) {
            value[PH_JOINT_TURN_HERTZ] = value[PH_JOINT_TURN_ZETA] = 0;
        }
        hash = ph_hash(hash, value, told * sizeof *value);
        if (ph_joint_is_tuned(joint)) {
            hash = add_double(hash, value[PH_JOINT_TUNED_HERTZ]);
            hash = add_double(hash, value[PH_JOINT_TUNED_ZETA]);
        }
        hash = ph_hash(hash, result->load, sizeof result->load);
        for (int side = 0; side < 2; side++) {
            uint32_t slot = joint->body[side];
            if (slot < joints->effective_inertia_capacity && joints->effective_inertia[slot] != 0) {
                hash = ph_hash(hash, &joints->effective_inertia[slot],
                               sizeof *joints->effective_inertia);
            }
        }
    }
    return hash;
}

static uint64_t hash_body(uint64_t hash, const PhWorld *world, uint32_t i) {
    const PhState *s = world->state;
    const PhBody *body = &world->body[i];
    bool fixed = s->kind[i] == PH_STATIC; // what is written to its velocity counts for nothing
    PhVec2 velocity = ph_unlocked(world, i, ph_slot_velocity(world, i));
    const double numbers[] = {
        s->position[i][0],
        s->position[i][1],
        s->angle[i],
        fixed ? 0 : velocity.x,
        fixed ? 0 : velocity.y,
        fixed ? 0 : s->angular_velocity[i],
        s->force[i][0],
        s->force[i][1],
        s->torque[i],
        s->mass[i],
        s->inertia[i],
        world->sleep_time[i],
        world->gravity_scale[i],
        world->linear_damping[i],
        world->angular_damping[i],
        body->center_local.x,
        body->center_local.y,
    };
    const uint64_t words[] = {
        i,
        s->kind[i],
        s->awake[i],
        s->awake[i] ? PH_MOVED_NOT : world->moved[i],
        body->can_sleep,
        body->bullet,
        body->fixed_rotation,
        body->enabled,
        body->has_target,
        ph_is_dynamic(world, i) && !s->awake[i] ? body->sleep_next : PH_NULL,
    };
    hash = ph_hash(hash, numbers, sizeof numbers);
    hash = ph_hash(hash, words, sizeof words);
    if (world->substep_level[i].level || world->substep_level[i].calm) {
        hash = add_number(hash, world->substep_level[i].level);
        hash = add_number(hash, world->substep_level[i].calm);
    }
    if (world->substep_level[i].jointed) {
        hash = add_number(hash, world->substep_level[i].jointed);
    }
    if (world->substep_level[i].pressed) {
        hash = add_number(hash, world->substep_level[i].pressed);
    }
    if (body->has_target) {
        hash = add_double(hash, body->target.x);
        hash = add_double(hash, body->target.y);
        hash = add_double(hash, body->target_angle);
        hash = add_double(hash, body->target_dt);
    }
    if (body->sleep_threshold >= 0) {
        hash = add_double(hash, body->sleep_threshold);
    }
    if (body->locks) { // where is what the step begins with
        hash = add_number(hash, body->locks);
        hash = ph_hash(hash, world->joints.result[body->lock_joint].load,
                       sizeof world->joints.result[body->lock_joint].load);
    }
    for (uint32_t c = body->first_collider; c != PH_NULL; c = world->collider[c].next) {
        const PhColliderDef *d = &world->collider[c].def;
        const double material[] = {d->density, d->friction, d->restitution, d->rolling_resistance,
                                   d->tangent_speed};
        const uint64_t filter[] = {ph_shape_hash(world->collider[c].shape),
                                   c,
                                   d->category,
                                   d->mask,
                                   (uint64_t)d->group,
                                   d->sensor,
                                   d->pre_solve};
        hash = ph_hash(hash, material, sizeof material);
        hash = ph_hash(hash, filter, sizeof filter);
        if (d->material || d->friction_rule || d->restitution_rule) {
            hash = add_number(hash, d->material);
            hash = add_number(hash, d->friction_rule);
            hash = add_number(hash, d->restitution_rule);
        }
        if (d->segments) {
            hash = ph_hash(hash, d->segments->surface,
                           d->segments->count * sizeof *d->segments->surface);
        }
    }
    return hash;
}

uint64_t ph_world_hash(PhWorld *world) {
    ph_refresh_poses(world); // a write through a view counts from the moment it was made
    uint64_t hash = ph_fields_hash(&world->fields, hash_settings(PH_HASH_START, world));
    hash = ph_joints_hash(world, hash);
    hash = ph_sensors_hash(world, hash);
    for (uint32_t i = 0; i < world->slot_count; i++) {
        if (world->state->alive[i]) {
            hash = hash_body(hash, world, i);
        }
    }
    // Of the pairs only those in range count: the others are a matter of predicted AABBs.
    const PhPairList *pairs;
    uint32_t k;
    for (PhPairCursor cursor = {0, 0}; ph_next_pair(&world->broad, &cursor, &pairs, &k);) {
        if (reads_pair(world, pairs, k, PH_PAIR_ACTIVE)) {
            hash = add_number(hash, pairs->owner[k]);
            hash = add_number(hash, pairs->other[k]);
            hash = add_number(hash, pairs->flags[k]);
            hash = ph_hash(hash, ph_record(world, pairs, k), sizeof(PhContactRecord));
        }
    }
    return hash;
}

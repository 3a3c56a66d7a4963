// The step: the one place to read the order of things.
//
//   check -> see what was written from outside -> boxes -> pairs (of enlarged proxies)
//   -> manifolds and waking, crowds -> the pre-solve hook
//   -> layout (when the set of contacts changed) -> laws of springs are asked -> commit
//   -> springs of laws, fields -> floors joined -> solve -> floors parted -> place -> continuous ->
//   events -> sensors -> joints that break -> sleep
//
// Invariant: everything that can fail comes before the first change of the state, and is undone
// when it does. A step can be stopped until its solver begins; where that takes long for the size
// of the world, also in the solver, and the world goes back to a copy made before.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "solve/articulations.h"
#include "world/changes.h"
#include "world/contact_stage.h"
#include "world/continuous.h"
#include "world/flush.h"
#include "world/passes.h"

const char *const ph_stage_names[PH_STAGE_COUNT] = {"refresh", "pairs",      "narrow", "layout",
                                                    "solve",   "continuous", "finish", "step"};

static PhStatus check_row(const PhWorld *world, uint32_t slot, PhError *error) {
    PhStatus status = ph_check_state_row(world, slot, error);
    return status ? status : ph_joints_check_place(world, slot, error);
}

// Bodies with joints that were placed by a call, or move by themselves.
static PhStatus check_places(const PhWorld *world, PhError *error) {
    PhStatus status = PH_OK;
    for (uint32_t k = 0; !status && k < world->kinematic_count; k++) {
        status = ph_joints_check_place(world, world->kinematic[k], error);
    }
    for (uint32_t i = 0; !status && world->placed && i < world->slot_count; i++) {
        status =
            world->moved[i] == PH_MOVED_PLACED ? ph_joints_check_place(world, i, error) : PH_OK;
    }
    return status;
}

// Lists the slots that were written to through a view, if a user could, and checks their numbers.
static PhStatus scan_for_writes(PhWorld *world, PhError *error) {
    world->found_count = 0;
    if (!world->watched && !world->suspect) {
        return PH_OK;
    }
    world->suspect = true; // until every row has been found good
    uint32_t count = world->passes->scan_writes(world, world->found);
    for (uint32_t i = 0; i < count; i++) {
        PhStatus status =
            world->state->alive[world->found[i]] ? check_row(world, world->found[i], error) : PH_OK;
        if (status) {
            return status;
        }
    }
    world->found_count = count;
    world->suspect = false;
    return PH_OK;
}

// The first kinematic body from a slot on, or PH_NULL.
static uint32_t next_kinematic(const PhWorld *world, uint32_t slot) {
    const uint8_t *kind = world->state->kind;
    const uint8_t *at = slot < world->slot_count
                            ? memchr(kind + slot, PH_KINEMATIC, world->slot_count - slot)
                            : NULL;
    return at ? (uint32_t)(at - kind) : PH_NULL;
}

// A fixed body that went away or came wakes what lies on it.
static void wake_on_moved_ground(PhWorld *world) {
    PhPairCursor cursor = {0, 0};
    uint32_t k;
    for (const PhPairList *pairs; ph_next_pair(&world->broad, &cursor, &pairs, &k);) {
        uint32_t b = world->proxies.body[pairs->other[k]];
        if (!ph_is_dynamic(world, b) && world->moved[b] == PH_MOVED_PLACED &&
            pairs->flags[k] & PH_PAIR_ACTIVE) {
            ph_wake_in_step(world, world->proxies.body[pairs->owner[k]]);
        }
    }
}

// What was written through a view, or set by a call, since the last step: teleports and pushes
// wake, and velocities and forces of static bodies count for nothing.
static void see_changes(PhWorld *world) {
    PhState *s = world->state;
    for (uint32_t k = 0; k < world->found_count; k++) {
        uint32_t i = world->found[k];
        if (!s->alive[i]) {
            ph_state_poison(s, i);
            continue;
        }
        ph_refresh_pose(world, i);
        if (s->kind[i] == PH_STATIC) { // kinematic ones: below
            s->velocity[i][0] = s->velocity[i][1] = s->angular_velocity[i] = 0;
        } else if (s->kind[i] == PH_DYNAMIC && !s->awake[i] &&
                   (s->velocity[i][0] != 0 || s->velocity[i][1] != 0 ||
                    s->angular_velocity[i] != 0 || s->force[i][0] != 0 || s->force[i][1] != 0 ||
                    s->torque[i] != 0)) {
            ph_wake_in_step(world, i);
        }
    }
    world->kinematics_turned = false;
    if (world->kinematics_stale || world->watched) {
        for (uint32_t i = next_kinematic(world, 0); i != PH_NULL;
             i = next_kinematic(world, i + 1)) {
            bool was = s->awake[i];
            ph_body_update_role(world, i);
            world->body[i].turned = s->awake[i] != was;
            world->kinematics_turned |= world->body[i].turned;
        }
    }
    world->kinematics_stale = false;
    bool fixed_moved = false;
    for (uint32_t i = 0; world->placed && i < world->slot_count; i++) {
        if (world->moved[i] == PH_MOVED_PLACED) {
            fixed_moved |= !ph_is_dynamic(world, i);
            if (ph_is_dynamic(world, i) && !s->awake[i]) {
                ph_wake_in_step(world, i);
            }
        }
    }
    ph_list_active(world);
    for (uint32_t k = 0; k < world->kinematic_count; k++) {
        fixed_moved |= world->moved[world->kinematic[k]] == PH_MOVED_PLACED;
    }
    if (fixed_moved && world->has_sleepers) {
        wake_on_moved_ground(world);
        ph_list_active(world);
    }
    if (world->has_sleepers) {
        ph_joints_wake_in_step(world, fixed_moved || world->kinematic_count > 0);
        ph_list_active(world);
    }
}

static double lap(double *since) {
    double now = ph_clock(), passed = now - *since;
    *since = now;
    return 1e3 * passed;
}

// Whether a body that moves may have a force or torque: while a user can write them, by a scan.
static bool are_forced(const PhWorld *world) {
    const PhState *s = world->state;
    bool forced = world->forced || world->rest_forced;
    for (uint32_t k = 0; world->watched && !forced && k < world->dynamic_count; k++) {
        uint32_t i = world->dynamic[k];
        forced = (s->force[i][0] != 0) | (s->force[i][1] != 0) | (s->torque[i] != 0);
    }
    return forced;
}

static PhSolverBodies solver_bodies(PhWorld *world) {
    ph_list_active(world);
    world->solver_joints = ph_joints_for_solver(world);
    return (PhSolverBodies){
        .count = world->slot_count,
        .dynamic = world->dynamic,
        .dynamic_count = world->dynamic_count,
        .role = world->role,
        .mass = (const float(*)[4])world->mass,
        .exact_mass = world->state->mass,
        .exact_inertia = world->state->inertia,
        .unturnable = ph_unturnable(world->lengths.one),
        .center = world->center,
        .angle = world->state->angle,
        .velocity = world->state->velocity,
        .angular_velocity = world->state->angular_velocity,
        .force = (const double(*)[2])world->state->force,
        .torque = world->state->torque,
        .gravity_scale = world->gravity_scale,
        .linear_damping = world->linear_damping,
        .angular_damping = world->angular_damping,
        .limited = world->limited,
        .substep_level = world->def.solver == PH_SOFT_STEP ? world->substep_level : NULL,
        .joints = world->joints.active ? &world->solver_joints : NULL,
        .wrap = world->wrap,
    };
}

// What an impact has left in the impulses of a short step is no load, and must not grow with it.
#define MOST_LENGTHENED 5.0

static double substep_of(const PhWorld *world, double dt) {
    return dt / (world->def.substeps < 1 ? 1 : world->def.substeps);
}

static PhStepParameters step_parameters(const PhWorld *world, double dt) {
    const PhWorldDef *def = &world->def;
    double substep = substep_of(world, dt), last = world->last_substep;
    return (PhStepParameters){
        .lengths = &world->lengths,
        .dt = dt,
        .lengthened = last > 0 ? ph_min(substep / last, MOST_LENGTHENED) : 1,
        .gravity = def->gravity,
        .step_count = world->step_count,
        .substeps = def->substeps,
        .joint_hertz = def->joint_hertz,
        .joint_damping_ratio = def->joint_damping_ratio,
        .contact_hertz = def->contact_hertz,
        .contact_damping_ratio = def->contact_damping_ratio,
        .contact_push_speed = def->contact_push_speed,
        .restitution_threshold = def->restitution_threshold,
        .max_speed = def->max_speed,
        .max_angular_speed = def->max_angular_speed,
        .linear_damping = def->linear_damping,
        .angular_damping = def->angular_damping,
        .iterations = def->iterations,
        .baumgarte = def->baumgarte,
        .slop = def->slop,
        .positional_correction = def->positional_correction,
        .warm_starting = def->warm_starting,
        .accumulate = def->accumulate,
        .translate = def->translate,
    };
}

// A guess, in seconds, at how long the solver will take, and whether that is long for the size of
// the world: then it can afford a savepoint, to which it goes back when it is stopped.
static bool solves_long(const PhWorld *world) {
    enum { MANY_PASSES = 32 };
    const double most = 0.05, most_of_few = 0.15, per_pair = 2e-8, per_joint = 2e-7,
                 per_body = 1e-8, first_touch = 5;
    const PhWorldDef *def = &world->def;
    bool soft = def->solver == PH_SOFT_STEP;
    double passes = def->iterations;
    if (soft) {
        passes = ph_layout_most_substeps(&world->layout, def->substeps);
    }
    double seconds = per_pair * world->broad.pairs.count + per_joint * world->joints.count +
                     per_body * world->dynamic_count;
    // More pairs than ever: the system hands over pages, and a savepoint is little beside that.
    bool fresh = world->broad.pairs.count > world->most_pairs;
    seconds *= fresh ? first_touch : 1;
    return passes * seconds > (passes >= MANY_PASSES || fresh ? most : most_of_few);
}

// The same for the bodies that will be fast, where many are known to be: each has a path, and
// bullets are tested against each other.
static bool flies_long(PhWorld *world, double dt) {
    enum { FEW_BULLETS = 256, MANY_FAST = 8192, MANY_DYNAMIC = 1 << 16 };
    const double most = 0.05, per_path = 4e-6, per_box_test = 3e-8;
    const PhContinuous *c = &world->continuous;
    ph_list_active(world);
    if (!world->def.continuous || (c->bullets < FEW_BULLETS && c->fast_count < MANY_FAST &&
                                   world->dynamic_count < MANY_DYNAMIC)) {
        return false;
    }
    double fast = 0, bullets = 0;
    for (uint32_t k = 0; k < world->dynamic_count; k++) {
        uint32_t slot = world->dynamic[k];
        if (dt * ph_length(ph_slot_velocity(world, slot)) > c->limit[slot]) {
            fast++;
            bullets += world->body[slot].bullet;
        }
    }
    return per_path * fast + per_box_test * bullets * fast > most;
}

// Pairs and their manifolds. Bodies that wake here make another round, in which their pairs
// are listed.
static PhStatus find_contacts(PhWorld *world, double dt, PhRebuild what, bool *rebuilt,
                              bool *changed, bool *differs, double *clock) {
    world->profile[PH_STAGE_PAIRS] = world->profile[PH_STAGE_NARROW] = 0;
    for (;;) {
        PhStatus status = PH_OK;
        if (what != PH_REBUILD_NONE) {
            if (*rebuilt) { // from the lists that the step began with, so that it can be undone
                ph_broad_undo(&world->broad);
                world->flush.stale = true;
                *rebuilt = false;
            }
            ph_settle_records(world);
            bool sifts = world->pair_filter.call != NULL;
            world->broad.sieve = (PhSieve){sifts ? ph_sift_pairs : NULL, world};
            status = ph_broad_rebuild(&world->broad, &world->proxies, what, world->static_changed,
                                      rebuilt);
            *changed |= *rebuilt;
        }
        world->profile[PH_STAGE_PAIRS] += lap(clock);
        world->flush.stale |= *rebuilt || what == PH_REBUILD_ALL || world->placed;
        bool all = what == PH_REBUILD_ALL, woke = false;
        status = status ? status : ph_narrow_phase(world, dt, all, &woke, differs);
        world->profile[PH_STAGE_NARROW] += lap(clock);
        if (status || !woke || all) {
            world->roster_changed = world->roster_changed && status;
            // Where every pair is listed, those of sleepers leave the list in the next step.
            if (all && world->has_sleepers) {
                ph_note_roster(world);
            }
            return status;
        }
        ph_list_active(world);
        what = PH_REBUILD_ROSTER;
    }
}

// Whether forces that bodies have been given will press contacts harder than the layout expects.
static bool forces_press(PhWorld *world, double dt) {
    if (!are_forced(world)) {
        return false;
    }
    PhSolverBodies bodies = solver_bodies(world);
    PhStepParameters parameters = step_parameters(world, dt);
    return ph_substep_level_predict(&world->layout, &world->contacts, &bodies, &parameters);
}

// Whether an impact will meet a body that a joint holds, which the layout is to know.
static bool will_hit(PhWorld *world, double dt) {
    if (world->def.solver != PH_SOFT_STEP || !world->joints.count || !world->contacts.count) {
        return false;
    }
    PhSolverBodies bodies = solver_bodies(world);
    PhStepParameters parameters = step_parameters(world, dt);
    if (!ph_impact_predict(&world->layout, &world->contacts, NULL, &bodies, &parameters)) {
        return false;
    }
    ph_settle_records(world); // they tell what acted in the last step
    return ph_impact_predict(&world->layout, &world->contacts, world->broad.pairs.record, &bodies,
                             &parameters);
}

// Finds the contacts of this step and reserves all memory it needs. *rebuilt tells whether the pair
// list was replaced.
static PhStatus find_and_lay_out(PhWorld *world, double dt, bool *rebuilt, double *clock) {
    see_changes(world);
    ph_locks_begin(world);
    bool timed = world->joints.hinged || world->singular || world->layout.watch_substeps ||
                 are_forced(world); // what the layout says depends on the length of a substep
    if (timed && world->layout.substep != substep_of(world, dt)) {
        ph_note_layout(world);
    }
    bool escaped = ph_refresh_boxes(world, dt), differs = false;
    bool changed = world->layout_dirty || world->levels_dirty;
    world->profile[PH_STAGE_REFRESH] = lap(clock);
    PhRebuild what = world->pairs_dirty || world->rest_changed ? PH_REBUILD_ALL
                     : world->roster_changed                   ? PH_REBUILD_ROSTER
                     : escaped                                 ? PH_REBUILD_MOVED
                                                               : PH_REBUILD_NONE;
    uint32_t bodies = world->slot_count;
    PhStatus status = ph_stop_between(world->stop, bodies);
    status = status ? status : ph_joints_prepare(world);
    status = status ? status : find_contacts(world, dt, what, rebuilt, &changed, &differs, clock);
    if (world->static_changed || (what == PH_REBUILD_ALL && world->continuous.fixed_kinematic)) {
        world->continuous.fixed_state = PH_FIXED_STALE;
    }
    status = status ? status : ph_ask_ahead(world, dt);
    status = status ? status : ph_leave_out_contacts(world, &differs);
    status = status ? status : ph_pre_solve(world, dt, &differs);
    changed |= differs;
    bool stays = !world->layout_dirty && !world->levels_dirty;
    if (!status && stays && forces_press(world, dt)) {
        ph_note_levels(world);
        stays = false;
    }
    if (!status && stays && will_hit(world, dt)) {
        world->layout.watch_substeps = changed = true; // also where the contacts are the same
    }
    if (!status && (changed || !stays)) {
        PhLayoutChange change = world->layout_dirty   ? PH_ALL_CHANGED
                                : world->levels_dirty ? PH_LEVELS_CHANGED
                                                      : PH_CONTACTS_CHANGED;
        ph_note_layout(world); // until it is complete
        if (change == PH_ALL_CHANGED) {
            ph_joints_activate(world);
        }
        PhSolverBodies moving = solver_bodies(world);
        moving.fall_alike = !world->singular && !are_forced(world);
        PhStepParameters parameters = step_parameters(world, dt);
        parameters.stop = world->stop;
        ph_settle_records(world);
        status = ph_list_contacts(world);
        world->floors.stale = world->escapes.stale = true;
        status = status ? status : ph_stop_between(world->stop, world->broad.pairs.count);
        status = status ? status
                        : ph_layout_build(&world->layout, world->kernels, &world->contacts,
                                          &world->broad.pairs, &moving, &parameters, change);
    }
    status = status ? status : ph_stop_between(world->stop, bodies);
    status = status ? status : ph_floors_reserve(world);
    status = status ? status : ph_escapes_find(world);
    status = status ? status : ph_stop_between(world->stop, bodies);
    status = status ? status : ph_events_reserve(world);
    status = status ? status : ph_stop_between(world->stop, bodies);
    status = status ? status : ph_fields_reserve(world);
    status = status ? status : ph_sensors_prepare(world);
    status = status ? status : ph_continuous_reserve(world);
    status = status ? status : ph_missed_impacts_reserve(world, dt);
    status = status ? status : ph_stop_between(world->stop, bodies);
    status = status ? status : ph_spring_laws_ask(world, dt);
    world->profile[PH_STAGE_LAYOUT] = lap(clock);
    return status;
}

// Kinematic bodies move, or do not, as before the step that failed; the next sees it again.
static void undo_kinematics(PhWorld *world) {
    uint32_t i = world->kinematics_turned ? next_kinematic(world, 0) : PH_NULL;
    for (; i != PH_NULL; i = next_kinematic(world, i + 1)) {
        if (world->body[i].turned) {
            bool was = !world->state->awake[i];
            world->state->awake[i] = was;
            world->role[i] = was ? PH_ROLE_KINEMATIC : PH_ROLE_FIXED;
            ph_note_lists(world);
            ph_note_roster(world);
            ph_note_kinematics(world);
        }
    }
    world->kinematics_turned = false;
}

static void undo(PhWorld *world, bool rebuilt) {
    ph_undo_wakes(world);
    undo_kinematics(world);
    if (rebuilt) { // the lists before the rebuild are still whole
        ph_broad_undo(&world->broad);
    }
    ph_note_pairs(world);
    ph_note_layout(world);
    world->joints.uneasy = world->joints.count > 0;
}

// The first pair from k on whose activity may have changed; most have not, so eight at a time.
static uint32_t next_switch(const uint8_t *flags, const uint8_t *next, uint32_t count, uint32_t k) {
    const uint64_t ones = UINT64_C(0x0101010101010101);
    for (uint64_t is, was; k + 8 <= count; k += 8) {
        memcpy(&is, next + k, sizeof is);
        memcpy(&was, flags + k, sizeof was);
        if ((is & ~(ones * PH_ANSWER_OFF)) != (was & (ones * PH_PAIR_ACTIVE))) {
            break;
        }
    }
    while (k < count && (next[k] == PH_ANSWER_FROZEN || !((next[k] ^ flags[k]) & PH_PAIR_ACTIVE))) {
        k++;
    }
    return k;
}

// From here on nothing fails: the pairs that have come and gone are entered.
static void commit(PhWorld *world) {
    const uint8_t *next = world->next_active;
    uint8_t *flags = world->broad.pairs.flags;
    uint32_t count = world->broad.pairs.count;
    for (uint32_t k = 0; k < count; k++) {
        flags[k] |= (uint8_t)((flags[k] & PH_PAIR_TOUCHING) << 1); // PH_PAIR_TOUCHED
    }
    ph_flush_see_touch(world);
    if (world->layout_dirty) {
        ph_flush_take(world);
    }
    for (uint32_t k = 0; world->layout_dirty && (k = next_switch(flags, next, count, k)) < count;
         k++) {
        flags[k] = (uint8_t)((next[k] & PH_PAIR_ACTIVE) | (flags[k] & PH_PAIR_TOUCHED));
        world->broad.pairs.record[k] = (PhContactRecord){0};
    }
    if (world->layout_dirty) {
        ph_flush_give(world);
    }
    world->layout_rebuilds += world->layout_dirty;
    world->pairs_dirty = world->static_changed = world->layout_dirty = false;
    world->levels_dirty = false;
    ph_commit_wakes(world);
    for (uint32_t i = 0; world->placed && i < world->slot_count; i++) {
        if (world->shifted[i] & PH_SHIFT_TO_COME) {
            world->shifted[i] = world->step_count + 1;
        }
    }
    if (world->marked) {
        memset(world->moved, PH_MOVED_NOT, world->slot_count);
    }
    world->marked = world->placed = world->rest_changed = false;
}

static void solve(PhWorld *world, double dt, PhSolveTrace *trace) {
    PhSolverBodies bodies = solver_bodies(world);
    bodies.fall_alike = !world->singular && !are_forced(world);
    PhStepParameters parameters = step_parameters(world, dt);
    const PhPairList *pairs = &world->broad.pairs;
    bool soft = world->def.solver == PH_SOFT_STEP;
    parameters.stop = world->stoppable ? world->stop : NULL;
    parameters.aging = soft && world->layout.fresh && world->aged == world->step_count;
    ph_floors_join(world);
    if (trace) {
        ph_floors_show(world, trace->number);
    }
    ph_escapes_begin(world);
    world->contacts.approach = world->fast ? world->approach : NULL;
    world->contacts.later = world->later;
    if (soft) {
        ph_soft_step_solve(&world->layout, world->kernels, &world->contacts, pairs, &bodies,
                           &parameters, world->jobs, trace);
        ph_escapes_end(world);
        ph_floors_part(world, parameters.aging);
        if (ph_substeps_update(&world->layout, &world->contacts, pairs->record, &bodies,
                               &parameters)) {
            ph_note_levels(world);
        }
        ph_warm_starts_lower(&world->layout, &world->contacts, world->broad.pairs.record, &bodies,
                             &parameters);
    } else {
        ph_sequential_impulses_solve(&world->layout, &world->contacts, pairs, &bodies, &parameters,
                                     trace);
        ph_escapes_end(world);
        ph_floors_part(world, 0);
    }
    world->aged += parameters.aging;
    ph_integrate_free(&world->layout, world->kernels, &bodies, &parameters,
                      soft ? parameters.substeps : 1, soft ? trace : NULL);
}

// A kinematic body moves; a target is hit to the last bit. Whether it was.
static bool drive(PhWorld *world, uint32_t slot, double dt) {
    PhState *s = world->state;
    PhBody *body = &world->body[slot];
    bool lands = body->has_target && body->target_dt == dt &&
                 body->target_velocity[0] == s->velocity[slot][0] &&
                 body->target_velocity[1] == s->velocity[slot][1] &&
                 body->target_spin == s->angular_velocity[slot];
    for (int k = 0; k < 2; k++) {
        double target = k ? body->target.y : body->target.x;
        s->position[slot][k] = lands ? target : s->position[slot][k] + dt * s->velocity[slot][k];
    }
    s->angle[slot] = lands ? body->target_angle : s->angle[slot] + dt * s->angular_velocity[slot];
    body->has_target = false;
    const PhTransform *seen = &world->transform[slot];
    if (s->position[slot][0] != seen->p.x || s->position[slot][1] != seen->p.y ||
        s->angle[slot] != world->pose_angle[slot]) {
        ph_refresh_slot(world, slot);
        ph_note_driven(world, slot);
        world->shifted[slot] = world->step_count + 1;
    }
    world->suspect |= !isfinite(s->position[slot][0] + s->position[slot][1] + s->angle[slot]);
    return lands;
}

static void clear_force(PhState *state, uint32_t slot) {
    state->force[slot][0] = state->force[slot][1] = state->torque[slot] = 0;
}

static void clear_forces(PhWorld *world) {
    bool all = world->rest_forced;
    for (uint32_t i = 0; all && i < world->slot_count; i++) {
        if (world->state->alive[i]) {
            clear_force(world->state, i);
        }
    }
    for (uint32_t k = 0; !all && k < world->found_count; k++) {
        if (world->state->alive[world->found[k]]) {
            clear_force(world->state, world->found[k]);
        }
    }
    for (uint32_t k = 0; !all && (world->forced || world->watched) && k < world->dynamic_count;
         k++) {
        clear_force(world->state, world->dynamic[k]);
    }
    uint32_t i = all || !world->watched ? PH_NULL : next_kinematic(world, 0);
    for (; i != PH_NULL; i = next_kinematic(world, i + 1)) {
        clear_force(world->state, i);
    }
    world->forced = world->rest_forced = false;
}

// Origins from centres of mass, for the bodies in the lists.
static void place_bodies(PhWorld *world, double dt) {
    ph_list_active(world);
    clear_forces(world);
    ph_continuous_begin(world);
    for (uint32_t k = 0; k < world->kinematic_count; k++) {
        ph_continuous_keep(world, world->kinematic[k]);
        bool landed = drive(world, world->kinematic[k], dt);
        ph_continuous_watch(world, world->kinematic[k], landed);
    }
    double slow_dt = world->def.sleeping ? dt : 0;
    if (slow_dt > 0) {
        ph_sleep_keep_times(world);
    }
    ph_locks_end(world);
    bool good = ph_place_all(world, slow_dt);
    if (slow_dt > 0) {
        ph_sleep_judge_times(world, slow_dt);
    }
    world->suspect = world->suspect || !good;
}

PhStatus ph_world_check_dt(double dt, PhError *error) {
    if (dt >= 1e-9 && dt <= 1) { // 1 / dt and its square stay in float32
        return PH_OK;
    }
    if (dt > 1 && dt < 1000 && dt != floor(dt)) { // no number of steps, and a step in milliseconds
        return ph_fail(error, PH_ERROR_VALUE,
                       "dt: must be at most 1 second, got %g; %g milliseconds are dt=%g; for a "
                       "longer time give more steps, as in step(1 / 60, n=600)",
                       dt, dt, dt / 1000);
    }
    if (dt > 1) { // what was meant is most often a number of steps, or another unit
        return ph_fail(error, PH_ERROR_VALUE,
                       "dt: must be at most 1 second, got %g; for %g steps give n=%g, for a longer "
                       "time more steps (step(dt, n): substeps are world.substeps)",
                       dt, dt, dt);
    }
    return ph_fail(error, PH_ERROR_VALUE, "dt: must be between 1e-9 and 1 second, got %g", dt);
}

// Whether the step was stopped before its end: then the world is again as it was before it.
static bool is_taken_back(PhWorld *world, bool rebuilt) {
    if (!ph_step_stops(world)) {
        return false;
    }
    world->stoppable = false;
    if (world->savepoint.taken) { // else it is no longer needed
        ph_savepoint_restore(world);
        undo(world, rebuilt);
    }
    return true;
}

static PhStatus tell_stopped(PhStepTrace *trace, PhError *error) {
    if (trace) {
        ph_step_trace_free(trace);
    }
    return ph_fail(error, PH_ERROR_STOPPED, "stopped");
}

static void count(PhWorld *world) {
    const PhLayout *layout = &world->layout;
    world->counts = (PhStepCounts){
        .contacts = world->contacts.count,
        .islands = layout->island_count,
        .batches = layout->batch_count,
        .colors = layout->color_count,
        .wide_contacts = layout->wide_count,
        .rows = layout->solver_body_count,
        .left_out = world->left_out,
    };
    if (world->def.solver == PH_SOFT_STEP) {
        world->counts.substeps = ph_layout_most_substeps(layout, world->def.substeps);
    }
}

static PhStatus fail_for_pairs(const PhWorld *world, PhError *error) {
    return ph_fail(error, PH_ERROR_CAPACITY,
                   "a step of %u bodies has more than %llu pairs of shapes near each other: move "
                   "apart what lies in one place, or let mask or group filter it",
                   world->body_count, (unsigned long long)ph_most_pairs(&world->proxies));
}

// trace: NULL, or receives what each stage left behind.
static PhStatus step(PhWorld *world, double dt, PhStepTrace *trace, PhError *error) {
    if (ph_world_check_dt(dt, error)) {
        return PH_ERROR_VALUE;
    }
    if (world->slot_count == 0) {
        if (trace && ph_step_trace_begin(world, dt, trace)) {
            return ph_fail(error, PH_ERROR_MEMORY, "no memory for the trace of a step");
        }
        world->time += dt;
        world->step_count++;
        return PH_OK;
    }
    double clock = ph_clock(), start = clock;
    ph_measure_bodies(world);
    PhStatus status = ph_world_clean_zombies(world, error);
    status = status ? status : ph_world_settle_events(world, error);
    status = status ? status : scan_for_writes(world, error);
    status = status || !world->joints.count ? status : check_places(world, error);
    if (status) {
        return status;
    }
    if (!trace) { // a traced step is the caller's alone; the bits are the same
        (void)ph_world_team(world);
    }
    bool rebuilt = false;
    status = find_and_lay_out(world, dt, &rebuilt, &clock);
    if (trace && !status) {
        status = ph_step_trace_begin(world, dt, trace);
    }
    if (!status && world->stop && !trace &&
        (world->stop->eager || solves_long(world) || flies_long(world, dt))) {
        status = ph_savepoint_take(world);
    } else if (!status && world->savepoint.rows) {
        ph_savepoint_drop(world);
    }
    if (status) {
        undo(world, rebuilt);
        return status == PH_ERROR_CAPACITY
                   ? fail_for_pairs(world, error)
                   : ph_fail(error, status,
                             "no memory for a step of %u bodies with %u convex pieces",
                             world->body_count, world->live_proxies);
    }
    world->stoppable = trace || world->savepoint.taken;
    world->pair_rebuilds += rebuilt;
    ph_events_of_sleep(world, false); // put to sleep by the user since the last step
    ph_events_of_sleep(world, true);
    commit(world);
    ph_spring_laws_apply(world);
    ph_fields_apply(world, dt);
    solve(world, dt, trace ? &trace->solve : NULL);
    if (is_taken_back(world, rebuilt)) {
        return tell_stopped(trace, error);
    }
    if (world->broad.pairs.count > world->most_pairs) {
        world->most_pairs = world->broad.pairs.count;
    }
    world->profile[PH_STAGE_SOLVE] = lap(&clock);
    world->continuous.report = trace ? trace->fast : NULL;
    place_bodies(world, dt);
    world->profile[PH_STAGE_FINISH] = lap(&clock);
    ph_stop_fast_bodies(world);
    ph_undo_missed_impacts(world, dt);
    if (is_taken_back(world, rebuilt)) {
        return tell_stopped(trace, error);
    }
    world->savepoint.taken = false;
    world->stoppable = trace != NULL;
    world->continuous.report = NULL;
    ph_fold_all(world); // last of all that moves: until here a path is one piece
    world->profile[PH_STAGE_CONTINUOUS] = lap(&clock);
    ph_events_of_contacts(world, dt);
    if (trace) {
        trace->fast_count = world->continuous.reported;
        ph_step_trace_end(world, trace);
        if (is_taken_back(world, rebuilt)) {
            return tell_stopped(trace, error);
        }
        world->stoppable = false;
    }
    ph_sensors_finish(world);
    ph_joints_break(world);
    if (world->def.sleeping) {
        ph_sleep_islands(world, dt);
        ph_events_of_sleep(world, false);
    }
    count(world);
    world->awake_changed = false;
    ph_note_queries(world);
    world->time += dt;
    world->step_count++;
    world->last_substep = substep_of(world, dt);
    world->profile[PH_STAGE_FINISH] += lap(&clock);
    world->profile[PH_STAGE_STEP] = 1e3 * (clock - start);
    return PH_OK;
}

void ph_world_set_stop(PhWorld *world, const PhStop *stop) {
    world->stop = world->broad.stop = stop;
}

PhStatus ph_world_step(PhWorld *world, double dt, PhError *error) {
    return step(world, dt, NULL, error);
}

PhStatus ph_world_step_traced(PhWorld *world, double dt, PhStepTrace *trace, PhError *error) {
    *trace = (PhStepTrace){0};
    return step(world, dt, trace, error);
}

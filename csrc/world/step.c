// The step: the one place to read the order of things.
//
//   check -> see what was written from outside -> boxes -> pairs (when a box has left its fat box)
//   -> manifolds and waking
//   -> layout (when the set of contacts changed) -> fields -> solve -> events -> place -> sleep
//
// Invariant: everything that can fail comes before the first change of the state, and is undone
// when it does.
#include <string.h>

#include "base/clock.h"
#include "world/internal.h"

const char *const ph_stage_names[PH_STAGE_COUNT] = {"refresh", "pairs",  "narrow", "layout",
                                                    "solve",   "finish", "step"};

static PhStatus check_state(const PhWorld *world, PhError *error) {
    const PhState *s = world->state;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        // x * 0 is 0 for finite x and NaN otherwise; one test for the whole row.
        double sum = s->position[i][0] * 0 + s->position[i][1] * 0 + s->angle[i] * 0 +
                     s->velocity[i][0] * 0 + s->velocity[i][1] * 0 + s->angular_velocity[i] * 0 +
                     s->force[i][0] * 0 + s->force[i][1] * 0 + s->torque[i] * 0;
        if (sum == 0 || !s->alive[i]) {
            continue;
        }
        const struct {
            const char *name;
            double value;
        } numbers[] = {
            {"positions", s->position[i][0]},  {"positions", s->position[i][1]},
            {"angles", s->angle[i]},           {"velocities", s->velocity[i][0]},
            {"velocities", s->velocity[i][1]}, {"angular_velocities", s->angular_velocity[i]},
            {"forces", s->force[i][0]},        {"forces", s->force[i][1]},
            {"torques", s->torque[i]},
        };
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            if (!isfinite(numbers[k].value)) {
                ph_fail(error, PH_ERROR_NONFINITE,
                        "%s: body %u has %g; every number must be finite", numbers[k].name, i,
                        numbers[k].value);
                break;
            }
        }
        if (error) {
            error->index = i;
        }
        return PH_ERROR_NONFINITE;
    }
    return PH_OK;
}

// What was written through a view, or set by a call, since the last step: teleports and pushes
// wake, fixed bodies that went away or came wake what lies on them, and velocities and forces of
// static bodies count for nothing.
static void see_changes(PhWorld *world) {
    PhState *s = world->state;
    bool fixed_moved = false;
    ph_refresh_poses(world);
    for (uint32_t i = 0; i < world->slot_count; i++) {
        if (!s->alive[i]) {
            ph_state_poison(s, i);
            continue;
        }
        if (s->kind[i] == PH_DYNAMIC) {
            bool pushed = s->velocity[i][0] != 0 || s->velocity[i][1] != 0 ||
                          s->angular_velocity[i] != 0 || s->force[i][0] != 0 ||
                          s->force[i][1] != 0 || s->torque[i] != 0;
            if (!s->awake[i] && (pushed || world->moved[i] == PH_MOVED_PLACED)) {
                ph_wake_in_step(world, i);
            }
        } else {
            if (s->kind[i] == PH_STATIC) {
                s->velocity[i][0] = s->velocity[i][1] = s->angular_velocity[i] = 0;
            }
            ph_body_update_role(world, i);
            fixed_moved |= world->moved[i] == PH_MOVED_PLACED;
        }
    }
    const PhPairList *pairs = &world->broad.pairs;
    for (uint32_t k = 0; fixed_moved && k < pairs->count; k++) {
        uint32_t b = world->proxies.body[pairs->other[k]];
        if (!ph_is_dynamic(world, b) && world->moved[b] == PH_MOVED_PLACED &&
            pairs->flags[k] & PH_PAIR_ACTIVE) {
            ph_wake_in_step(world, world->proxies.body[pairs->owner[k]]);
        }
    }
}

static double lap(double *since) {
    double now = ph_clock(), passed = now - *since;
    *since = now;
    return 1e3 * passed;
}

static PhSolverBodies solver_bodies(PhWorld *world) {
    return (PhSolverBodies){
        .count = world->slot_count,
        .role = world->role,
        .mass = (const float(*)[4])world->mass,
        .exact_mass = world->state->mass,
        .exact_inertia = world->state->inertia,
        .center = world->center,
        .angle = world->state->angle,
        .velocity = world->state->velocity,
        .angular_velocity = world->state->angular_velocity,
        .force = (const double(*)[2])world->state->force,
        .torque = world->state->torque,
        .gravity_scale = world->gravity_scale,
        .linear_damping = world->linear_damping,
        .angular_damping = world->angular_damping,
        .effort = world->def.solver == PH_SOFT_STEP ? world->effort : NULL,
    };
}

static PhStepParameters step_parameters(const PhWorld *world, double dt) {
    const PhWorldDef *def = &world->def;
    return (PhStepParameters){
        .dt = dt,
        .gravity = def->gravity,
        .step_count = world->step_count,
        .substeps = def->substeps,
        .contact_hertz = def->contact_hertz,
        .contact_damping_ratio = def->contact_damping_ratio,
        .contact_push_speed = def->contact_push_speed,
        .restitution_threshold = def->restitution_threshold,
        .max_speed = def->max_speed,
        .iterations = def->iterations,
        .baumgarte = def->baumgarte,
        .slop = def->slop,
        .positional_correction = def->positional_correction,
        .warm_starting = def->warm_starting,
        .accumulate = def->accumulate,
        .translate = def->translate,
    };
}

// Finds the contacts of this step and reserves all memory it needs. *rebuilt tells whether the pair
// list was replaced.
static PhStatus prepare(PhWorld *world, double dt, bool *rebuilt, double *clock) {
    see_changes(world);
    bool escaped = ph_refresh_boxes(world, dt);
    world->profile[PH_STAGE_REFRESH] = lap(clock);
    if (escaped || world->pairs_dirty) {
        world->pairs_dirty = true;
        ph_refresh_fat(world);
        PhStatus status = ph_broad_rebuild(&world->broad, &world->proxies, world->static_changed);
        if (status) {
            return status;
        }
        *rebuilt = true;
    }
    world->profile[PH_STAGE_PAIRS] = lap(clock);
    bool changed = *rebuilt || world->layout_dirty;
    PhStatus status = ph_narrow_phase(world, dt, &changed);
    world->profile[PH_STAGE_NARROW] = lap(clock);
    if (!status && (changed || world->layout_dirty)) {
        world->layout_dirty = true; // until it is complete
        PhSolverBodies bodies = solver_bodies(world);
        PhStepParameters parameters = step_parameters(world, dt);
        status = ph_list_contacts(world);
        status = status ? status
                        : ph_layout_build(&world->layout, world->kernels, &world->contacts,
                                          world->broad.pairs.record, &bodies, &parameters);
    }
    status = status ? status : ph_events_reserve(world);
    status = status ? status : ph_fields_reserve(world);
    world->profile[PH_STAGE_LAYOUT] = lap(clock);
    return status;
}

static void undo(PhWorld *world, bool rebuilt) {
    ph_undo_wakes(world);
    if (rebuilt) { // the list before the rebuild is still whole
        PhPairList list = world->broad.pairs;
        world->broad.pairs = world->broad.spare;
        world->broad.spare = list;
        world->broad.ended_count = 0;
    }
    world->pairs_dirty = world->layout_dirty = true;
}

// From here on nothing fails: the pairs that have come and gone are entered.
static void commit(PhWorld *world) {
    PhPairList *pairs = &world->broad.pairs;
    world->layout_rebuilds += world->layout_dirty;
    world->pairs_dirty = world->static_changed = world->layout_dirty = false;
    ph_commit_wakes(world);
    for (uint32_t k = 0; k < pairs->count; k++) {
        uint8_t active = pairs->flags[k] & PH_PAIR_ACTIVE;
        pairs->flags[k] |= pairs->flags[k] & PH_PAIR_TOUCHING ? PH_PAIR_TOUCHED : 0;
        if (world->next_active[k] == active || world->next_active[k] > 1) {
            continue;
        }
        pairs->flags[k] = (uint8_t)(world->next_active[k] | (pairs->flags[k] & PH_PAIR_TOUCHED));
        pairs->record[k] = (PhContactRecord){0};
    }
    for (uint32_t i = 0; i < world->slot_count; i++) {
        world->moved[i] = PH_MOVED_NOT;
    }
}

static void solve(PhWorld *world, double dt, PhSolveTrace *trace) {
    PhSolverBodies bodies = solver_bodies(world);
    PhStepParameters parameters = step_parameters(world, dt);
    PhContactRecord *records = world->broad.pairs.record;
    bool soft = world->def.solver == PH_SOFT_STEP;
    if (soft) {
        ph_soft_step_solve(&world->layout, world->kernels, &world->contacts, records, &bodies,
                           &parameters, world->jobs, trace);
        world->layout_dirty =
            ph_effort_update(&world->layout, &world->contacts, records, &bodies, &parameters);
    } else {
        ph_sequential_impulses_solve(&world->layout, &world->contacts, records, &bodies,
                                     &parameters, trace);
    }
    ph_integrate_free(&world->layout, &bodies, &parameters, soft ? parameters.substeps : 1,
                      soft ? trace : NULL);
}

// Origins from centres of mass; kinematic bodies go their way. A target is hit to the last bit.
static void place_bodies(PhWorld *world, double dt) {
    PhState *s = world->state;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        PhBody *body = &world->body[i];
        if (world->role[i] == PH_ROLE_DYNAMIC) {
            PhVec2 center = {world->center[i][0], world->center[i][1]};
            PhVec2 origin = ph_origin(body, center, s->angle[i]);
            s->position[i][0] = origin.x;
            s->position[i][1] = origin.y;
        } else if (world->role[i] == PH_ROLE_KINEMATIC) {
            bool lands = body->has_target && body->target_dt == dt &&
                         body->target_velocity[0] == s->velocity[i][0] &&
                         body->target_velocity[1] == s->velocity[i][1] &&
                         body->target_spin == s->angular_velocity[i];
            s->position[i][0] = lands ? body->target.x : s->position[i][0] + dt * s->velocity[i][0];
            s->position[i][1] = lands ? body->target.y : s->position[i][1] + dt * s->velocity[i][1];
            s->angle[i] = lands ? body->target_angle : s->angle[i] + dt * s->angular_velocity[i];
            body->has_target = false;
        }
        if (s->alive[i]) {
            s->force[i][0] = s->force[i][1] = s->torque[i] = 0;
        }
    }
}

// trace: NULL, or receives what each stage left behind.
static PhStatus step(PhWorld *world, double dt, PhStepTrace *trace, PhError *error) {
    if (!(dt >= 1e-9 && dt <= 1e4)) { // beyond, 1 / dt or its square leaves float32
        return ph_fail(error, PH_ERROR_VALUE, "dt: must be between 1e-9 and 1e4 seconds, got %g",
                       dt);
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
    PhStatus status = ph_world_clean_zombies(world, error);
    status = status ? status : check_state(world, error);
    if (status) {
        return status;
    }
    if (!trace) { // a traced step is the caller's alone; the bits are the same
        (void)ph_world_team(world);
    }
    bool rebuilt = false;
    status = prepare(world, dt, &rebuilt, &clock);
    if (trace && !status) {
        status = ph_step_trace_begin(world, dt, trace);
    }
    if (status) {
        undo(world, rebuilt);
        return ph_fail(error, status, "no memory for a step of %u bodies", world->body_count);
    }
    world->pair_rebuilds += rebuilt;
    ph_events_of_sleep(world, false); // put to sleep by the user since the last step
    ph_events_of_sleep(world, true);
    commit(world);
    ph_fields_apply(world, dt);
    solve(world, dt, trace ? &trace->solve : NULL);
    world->profile[PH_STAGE_SOLVE] = lap(&clock);
    ph_events_of_contacts(world);
    place_bodies(world, dt);
    if (trace) {
        ph_step_trace_end(world, trace);
    }
    if (world->def.sleeping) {
        ph_sleep_islands(world, dt);
        ph_events_of_sleep(world, false);
    }
    world->query_stale = true;
    world->time += dt;
    world->step_count++;
    world->profile[PH_STAGE_FINISH] = lap(&clock);
    world->profile[PH_STAGE_STEP] = 1e3 * (clock - start);
    return PH_OK;
}

PhStatus ph_world_step(PhWorld *world, double dt, PhError *error) {
    return step(world, dt, NULL, error);
}

PhStatus ph_world_step_traced(PhWorld *world, double dt, PhStepTrace *trace, PhError *error) {
    *trace = (PhStepTrace){0};
    return step(world, dt, trace, error);
}

// Writes down the stages of a step. Owns the arrays of a PhStepTrace.
//
// Invariant: everything is reserved and all but the frames is filled before the step changes
// anything; nothing here touches the world.
#include "world/step_trace.h"

#include "world/internal.h"

void ph_step_trace_free(PhStepTrace *trace) {
    ph_free(trace->box);
    ph_free(trace->predicted);
    ph_free(trace->body);
    ph_free(trace->collider);
    ph_free(trace->piece);
    ph_free(trace->pair);
    ph_free(trace->manifold);
    ph_solve_trace_free(&trace->solve);
    ph_free(trace->fast);
    *trace = (PhStepTrace){0};
}

static PhStatus trace_bounds(const PhWorld *world, PhStepTrace *trace) {
    uint32_t count = world->live_proxies, n = 0;
    trace->box = ph_alloc(count, sizeof *trace->box);
    trace->predicted = ph_alloc(count, sizeof *trace->predicted);
    trace->body = ph_alloc(count, sizeof *trace->body);
    trace->collider = ph_alloc(count, sizeof *trace->collider);
    trace->piece = ph_alloc(count, sizeof *trace->piece);
    if (!trace->box || !trace->predicted || !trace->body || !trace->collider || !trace->piece) {
        return PH_ERROR_MEMORY;
    }
    const PhProxies *p = &world->proxies;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->flags[i] & PH_PROXY_ALIVE) {
            trace->box[n] = ph_near_box(world, i);
            // No search starts from disabled ones.
            trace->predicted[n] = p->flags[i] & PH_PROXY_ENABLED ? p->predicted[i] : trace->box[n];
            trace->body[n] = (int32_t)p->body[i];
            trace->collider[n] = (int32_t)p->collider[i];
            trace->piece[n++] = (int32_t)p->piece[i];
        }
    }
    PH_ASSERT(n == count);
    trace->proxy_count = n;
    return PH_OK;
}

static uint32_t count_points(const PhWorld *world) {
    uint32_t points = 0;
    for (uint32_t c = 0; c < world->contacts.count; c++) {
        const PhSolverManifold *m = &world->contacts.manifold[world->contacts.pair[c]];
        points += (uint32_t)ph_has_point(m, 0) + (uint32_t)ph_has_point(m, 1);
    }
    return points;
}

// Point i of a contact in double precision. Where lanes and double precision chose different
// features (near ties), what the solver had is shown.
static PhManifoldPoint trace_point(const PhSolverManifold *solved, const PhManifold *manifold,
                                   int i, const PhLengths *lengths) {
    PhManifoldPoint own = {.point = {(double)solved->point[i].x, (double)solved->point[i].y},
                           .separation = (double)solved->point[i].separation};
    bool same = i < manifold->count &&
                ph_distance_squared(own.point, manifold->points[i].point) <
                    lengths->same_point * lengths->same_point &&
                fabs(own.separation - manifold->points[i].separation) < lengths->same_separation;
    return same ? manifold->points[i] : own;
}

// The manifold once more in double precision.
static void trace_contact(const PhWorld *world, PhStepTrace *trace, uint32_t c, uint32_t *next,
                          const int32_t *islands) {
    uint32_t k = world->contacts.pair[c], a = world->contacts.body_a[c];
    uint32_t p = world->broad.pairs.owner[k], q = world->broad.pairs.other[k];
    const PhSolverManifold *solved = &world->contacts.manifold[k];
    const PhProxies *proxies = &world->proxies;
    PhTransform ta, tb;
    PhManifold manifold;
    ph_pair_frames(world, a, world->contacts.body_b[c], &ta, &tb);
    ph_collide(world->proxy_piece[p], ta, world->proxy_piece[q], tb,
               ph_pair_margin(world, p, q, trace->dt), &world->lengths, &manifold);
    PhVec2 normal = {(double)solved->nx, (double)solved->ny};
    // By the angle: the length of a normal in float32 tells nothing as fine as its cosine.
    if (manifold.count && ph_dot(normal, manifold.normal) > 0 &&
        fabs(ph_cross(normal, manifold.normal)) < 1e-5) {
        normal = manifold.normal;
    }
    for (int i = 0; i < 2; i++) {
        trace->solve.number[c][i] = PH_NULL;
        if (!ph_has_point(solved, i)) {
            continue;
        }
        const PhManifoldPoint point = trace_point(solved, &manifold, i, &world->lengths);
        trace->solve.number[c][i] = *next;
        trace->solve.constraint[*next] = (PhConstraintRow){
            .island = islands[a],
            .friction = (double)solved->friction,
            .restitution = (double)solved->restitution,
        };
        trace->manifold[(*next)++] = (PhManifoldPointRow){
            .body_a = (int32_t)proxies->body[p],
            .body_b = (int32_t)proxies->body[q],
            .collider_a = (int32_t)proxies->collider[p],
            .collider_b = (int32_t)proxies->collider[q],
            .piece_a = (int32_t)proxies->piece[p],
            .piece_b = (int32_t)proxies->piece[q],
            .normal = {normal.x, normal.y},
            .point = {world->center[a][0] + point.point.x, world->center[a][1] + point.point.y},
            .separation = point.separation,
            .arm_a = {point.point.x, point.point.y},
            .arm_b = {point.point.x - (double)solved->dx, point.point.y - (double)solved->dy},
            .feature = point.feature,
            .id = ph_contact_id(&world->contact_ids, proxies->collider[p], proxies->collider[q]),
        };
    }
}

// Where the bodies are when the step begins; the last frame keeps it until the step is over.
static void trace_start(const PhWorld *world, PhSolveFrame frame) {
    for (uint32_t i = 0; i < world->slot_count; i++) {
        frame.position[i][0] = world->state->position[i][0];
        frame.position[i][1] = world->state->position[i][1];
        frame.angle[i] = world->state->angle[i];
    }
}

static PhStatus trace_contacts(PhWorld *world, PhStepTrace *trace) {
    uint32_t points = count_points(world), next = 0;
    uint32_t frames = trace->substeps ? trace->substeps + 1 : trace->iterations;
    PhStatus status = ph_solve_trace_init(&trace->solve, world->contacts.count, points,
                                          world->slot_count, frames + 1, world->stop);
    trace->manifold = ph_alloc(points, sizeof *trace->manifold);
    int32_t *islands = ph_alloc(world->slot_count, sizeof *islands);
    if (!status) {
        status = trace->manifold && islands ? ph_world_islands(world, islands) : PH_ERROR_MEMORY;
    }
    uint32_t seen = 0;
    for (uint32_t c = 0; !status && c < world->contacts.count; c++) {
        trace_contact(world, trace, c, &next, islands);
        status = ph_stops_now(world, &seen) ? PH_ERROR_STOPPED : PH_OK;
    }
    if (!status) {
        trace_start(world, ph_solve_frame(&trace->solve, frames));
    }
    ph_free(islands);
    return status;
}

PhStatus ph_step_trace_begin(PhWorld *world, double dt, PhStepTrace *trace) {
    const PhWorldDef *def = &world->def;
    bool soft = def->solver == PH_SOFT_STEP;
    PhError error;
    *trace = (PhStepTrace){
        .dt = dt,
        .substeps = soft ? (uint32_t)def->substeps : 0,
        .iterations = soft || def->translate ? 0 : (uint32_t)def->iterations,
    };
    trace->fast = ph_alloc(world->slot_count, sizeof *trace->fast);
    PhStatus status = trace->fast ? trace_bounds(world, trace) : PH_ERROR_MEMORY;
    status = status ? status : ph_stop_between(world->stop, world->live_proxies);
    status = status ? status : ph_world_pairs(world, &trace->pair, &trace->pair_count, &error);
    status = status ? status : trace_contacts(world, trace);
    if (status) {
        ph_step_trace_free(trace);
    }
    return status;
}

// Row i of the frame: given by the solver for bodies that it moves, and by the bodies' own motion
// for all others. part: of the step that is over, for what moves at a steady speed.
static void finish_row(const PhWorld *world, const PhStepTrace *trace, PhSolveFrame frame,
                       uint32_t i, double part) {
    const PhState *s = world->state;
    PhSolveFrame first = ph_solve_frame(&trace->solve, trace->solve.frame_count - 1);
    PhVec2 start = {first.position[i][0], first.position[i][1]}, end = ph_slot_position(world, i);
    end = ph_wrap_near(&world->wrap, start, end);
    double start_angle = first.angle[i];
    bool dynamic = world->role[i] == PH_ROLE_DYNAMIC, soft = trace->substeps > 0;
    if (dynamic && soft) {
        PhVec2 center = {frame.position[i][0], frame.position[i][1]};
        PhVec2 origin = ph_origin(&world->body[i], center, frame.angle[i]);
        frame.position[i][0] = origin.x;
        frame.position[i][1] = origin.y;
        return;
    }
    PhVec2 now = end;
    double angle = s->angle[i];
    if (world->role[i] == PH_ROLE_KINEMATIC && part < 1) {
        now = ph_lerp(start, end, part);
        angle = start_angle + part * (angle - start_angle);
    } else if (dynamic) { // sequential impulses: bodies move when all iterations are over
        now = start;
        angle = start_angle;
    }
    frame.position[i][0] = now.x;
    frame.position[i][1] = now.y;
    frame.angle[i] = angle;
    if (!dynamic || !world->layout.in_contact[i]) {
        frame.velocity[i][0] = s->velocity[i][0];
        frame.velocity[i][1] = s->velocity[i][1];
        frame.angular_velocity[i] = s->angular_velocity[i];
    }
}

static void finish_placed(const PhWorld *world, PhSolveFrame frame) {
    const PhState *s = world->state;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        for (int k = 0; k < 2; k++) {
            frame.position[i][k] = s->position[i][k];
            frame.velocity[i][k] = s->velocity[i][k];
        }
        frame.angle[i] = s->angle[i];
        frame.angular_velocity[i] = s->angular_velocity[i];
    }
}

void ph_step_trace_end(const PhWorld *world, PhStepTrace *trace) {
    uint32_t last = trace->solve.frame_count - 1;
    for (uint32_t k = 0; k < last && !ph_step_stops(world); k++) {
        PhSolveFrame frame = ph_solve_frame(&trace->solve, k);
        double part = k < trace->substeps ? (k + 1.0) / trace->substeps : trace->iterations ? 0 : 1;
        for (uint32_t i = 0; i < world->slot_count; i++) {
            if (world->state->alive[i]) {
                finish_row(world, trace, frame, i, part);
                continue;
            }
            frame.position[i][0] = frame.position[i][1] = frame.angle[i] = NAN;
            frame.velocity[i][0] = frame.velocity[i][1] = frame.angular_velocity[i] = NAN;
        }
    }
    finish_placed(world, ph_solve_frame(&trace->solve, last));
}

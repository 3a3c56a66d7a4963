// Owns the force fields of a world and what they do together in a step.
//
// Invariant: the points of a living field's surface are its own copy, with growing x; a step reads
// fields and never changes them.
//
// Forces of position (lift) act explicitly, resistance implicitly: with v* the velocity that all
// forces alone would give, the velocity v' at the end of the step solves
//     M (v' - v*) = dt rate (flow - v')
// in plane motion and spin together, so no coefficient and no dt ever turns a motion round. The
// outcome goes to the solver as force and torque.
//
// The solver spreads a force over n substeps, which moves a body by (n + 1) / (2 n) dt^2 a. Forces
// of position are taken where the body will be after the other part, (n - 1) / (2 n) dt, of the
// step: then a step without drag keeps areas in phase space, and what bobs neither gains nor loses
// energy in the long run. Where a spring of such stiffness would still be too fast for dt, the mass
// that it has to move is increased (see add_forces).
//
// Source: E. Hairer, C. Lubich, G. Wanner, "Geometric Numerical Integration Illustrated by the
// Stormer-Verlet Method" (2003), for maps that keep areas.
#include "world/fields.h"
#include "world/changes.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "geometry/build.h"
#include "math/trig.h"
#include "solve/motion.h"
#include "world/internal.h"

// Without contact, a body that would be accelerated by more than this part of gravity if it were
// stopped does not fall asleep, however slow it is.
#define UNBALANCED 1e-3
// Most that a step's resistance may be of the mass that it acts on, where it has directions.
#define MOST_STIFFNESS_NUMBER 1e7

static const PhFieldRow *const rows[PH_FIELD_KIND_COUNT] = {
    [PH_FIELD_FLUID] = &ph_fluid_row,
    [PH_FIELD_DRAG] = &ph_drag_row,
    [PH_FIELD_WIND] = &ph_wind_row,
    [PH_FIELD_POINT_GRAVITY] = &ph_point_gravity_row,
};

const PhFieldKindInfo *ph_field_kind(PhFieldKind kind) {
    return &rows[kind]->info;
}

// ------------------------------------------------------------------------------------------------
// fields of a world

PhFieldDef ph_field_def(PhFieldKind kind) {
    PhFieldDef def = {.kind = kind, .mask = UINT64_MAX};
    const PhFieldParameter *p = rows[kind]->info.parameters;
    for (int i = 0; i < PH_FIELD_PARAMETERS && p[i].name; i++) {
        for (int32_t k = 0; k < p[i].width; k++) {
            def.value[p[i].at + k] = p[i].initial;
        }
    }
    return def;
}

PhStatus ph_surface_check(const PhSurface *surface, const char *name, PhError *error) {
    if (!surface->points) {
        if (fabs(surface->level) <= PH_FIELD_MOST) {
            return PH_OK;
        }
        return ph_fail(error, PH_ERROR_VALUE, "%s: must be within +-%g m, got %s", name,
                       PH_FIELD_MOST, ph_number_text(surface->level).text);
    }
    for (uint32_t i = 0; i < surface->count; i++) {
        PhVec2 p = surface->points[i];
        if (!(fabs(p.x) <= PH_FIELD_MOST && fabs(p.y) <= PH_FIELD_MOST)) {
            return ph_fail(error, PH_ERROR_VALUE, "%s[%u]: must be within +-%g m, got (%s, %s)",
                           name, i, PH_FIELD_MOST, ph_number_text(p.x).text,
                           ph_number_text(p.y).text);
        }
        if (i > 0 && !(p.x > surface->points[i - 1].x)) {
            return ph_fail(error, PH_ERROR_VALUE, "%s[%u]: x must increase, got %s after %s", name,
                           i, ph_number_text(p.x).text,
                           ph_number_text(surface->points[i - 1].x).text);
        }
    }
    return PH_OK;
}

static PhStatus check_def(const PhFieldDef *def, PhError *error) {
    const PhFieldKindInfo *info = &rows[def->kind]->info;
    for (int i = 0; i < PH_FIELD_PARAMETERS && info->parameters[i].name; i++) {
        const PhFieldParameter *p = &info->parameters[i];
        for (int32_t k = 0; k < p->width; k++) {
            double value = def->value[p->at + k], most = p->most > 0 ? p->most : PH_FIELD_MOST;
            if (!(value >= p->least && value <= most)) {
                return ph_fail(error, PH_ERROR_VALUE, "%s: must be between %g and %g, got %s",
                               p->name, p->least, most, ph_number_text(value).text);
            }
            if (p->whole && value != floor(value)) {
                return ph_fail(error, PH_ERROR_VALUE, "%s: must be a whole number, got %s", p->name,
                               ph_number_text(value).text);
            }
        }
    }
    return info->has_surface ? ph_surface_check(&def->surface, "surface", error) : PH_OK;
}

// A surface has an end below and, unless it is flat, to the sides.
static PhStatus check_surface_in_world(const PhWorld *world, const PhFieldDef *def,
                                       PhError *error) {
    if (!rows[def->kind]->info.has_surface || !world->wrapped) {
        return PH_OK;
    }
    if (world->wrap.size.y > 0) {
        return ph_fail(error, PH_ERROR_VALUE,
                       "surface: a world that wraps from top to bottom holds no fluid");
    }
    return !def->surface.points ? PH_OK
                                : ph_fail(error, PH_ERROR_VALUE,
                                          "surface: must be flat, one level, in a wrapped world");
}

// A field of its own copy of the definition.
static PhStatus make_field(const PhFieldDef *def, PhField *field) {
    const PhSurface *surface = &def->surface;
    PhField made = {.alive = true, .def = *def, .top = surface->level};
    if (surface->points) {
        made.points = ph_alloc(surface->count, sizeof *made.points);
        if (!made.points) {
            return PH_ERROR_MEMORY;
        }
        memcpy(made.points, surface->points, surface->count * sizeof *made.points);
        made.def.surface.points = made.points;
        made.top = made.points[0].y;
        for (uint32_t i = 1; i < surface->count; i++) {
            made.top = made.points[i].y > made.top ? made.points[i].y : made.top;
        }
    }
    made.generation = field->generation;
    *field = made;
    return PH_OK;
}

static void wake_reached(PhWorld *world, const PhField *field) {
    for (uint32_t i = 0; i < world->slot_count; i++) {
        if (ph_slot_alive(world, i) && ph_is_dynamic(world, i) && !world->state->awake[i] &&
            rows[field->def.kind]->reaches(field, world, i)) {
            ph_wake(world, i);
        }
    }
}

PhStatus ph_field_create(PhWorld *world, const PhFieldDef *def, PhId *id, PhError *error) {
    PhFields *fields = &world->fields;
    uint32_t index = 0;
    PhStatus status = check_def(def, error);
    status = status ? status : check_surface_in_world(world, def, error);
    if (status) {
        return status;
    }
    while (index < fields->limit && fields->field[index].alive) {
        index++;
    }
    status = PH_RESERVE(fields->field, (uint64_t)index + 1);
    status = status ? status : make_field(def, &fields->field[index]);
    if (status) {
        return ph_fail(error, status, "no memory for a field");
    }
    PhField *field = &fields->field[index];
    field->generation = ph_take_generation(world, field->generation);
    fields->limit = index < fields->limit ? fields->limit : index + 1;
    fields->count++;
    wake_reached(world, field);
    *id = (PhId){index, field->generation};
    return PH_OK;
}

PhStatus ph_field_place(PhWorld *world, uint32_t index, const PhFieldDef *def, PhError *error) {
    PhFields *fields = &world->fields;
    PhStatus status = check_def(def, error);
    status = status ? status : check_surface_in_world(world, def, error);
    if (!status && make_field(def, &fields->field[index])) {
        status = ph_fail(error, PH_ERROR_MEMORY, "no memory for a field");
    }
    fields->count += !status;
    return status;
}

PhStatus ph_field_destroy(PhWorld *world, PhId id, PhError *error) {
    if (!ph_field_valid(world, id)) {
        return ph_fail(error, PH_ERROR_REMOVED, "the field has been removed");
    }
    PhField *field = &world->fields.field[id.index];
    wake_reached(world, field);
    ph_free(field->points);
    *field = (PhField){.generation = field->generation};
    world->fields.count--;
    return PH_OK;
}

static bool same_def(const PhFieldDef *a, const PhFieldDef *b) {
    const PhSurface *s = &a->surface, *t = &b->surface;
    if (a->mask != b->mask || !s->points != !t->points || s->count != t->count ||
        s->level != t->level) {
        return false;
    }
    for (int i = 0; i < PH_FIELD_VALUES; i++) {
        if (a->value[i] != b->value[i]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->points[i].x != t->points[i].x || s->points[i].y != t->points[i].y) {
            return false;
        }
    }
    return true;
}

PhStatus ph_field_set(PhWorld *world, PhId id, const PhFieldDef *def, PhError *error) {
    if (!ph_field_valid(world, id)) {
        return ph_fail(error, PH_ERROR_REMOVED, "the field has been removed");
    }
    PhField *field = &world->fields.field[id.index], changed = *field;
    PhStatus status = check_def(def, error);
    status = status ? status : check_surface_in_world(world, def, error);
    if (status || same_def(&field->def, def)) {
        return status;
    }
    status = make_field(def, &changed);
    if (status) {
        return ph_fail(error, status, "no memory for a surface of %u points", def->surface.count);
    }
    wake_reached(world, field);
    wake_reached(world, &changed);
    ph_free(field->points);
    *field = changed;
    return PH_OK;
}

bool ph_field_alive(const PhWorld *world, uint32_t index) {
    return index < world->fields.limit && world->fields.field[index].alive;
}
bool ph_field_valid(const PhWorld *world, PhId id) {
    return ph_field_alive(world, id.index) &&
           world->fields.field[id.index].generation == id.generation;
}
PhFieldDef ph_field_get(const PhWorld *world, uint32_t index) {
    return world->fields.field[index].def;
}
uint32_t ph_field_count(const PhWorld *world) {
    return world->fields.count;
}
uint32_t ph_field_limit(const PhWorld *world) {
    return world->fields.limit;
}
PhId ph_field_id(const PhWorld *world, uint32_t index) {
    return (PhId){index, world->fields.field[index].generation};
}

void ph_fields_free(PhFields *fields) {
    for (uint32_t i = 0; i < fields->limit; i++) {
        ph_free(fields->field[i].points);
    }
    ph_free(fields->field);
    ph_free(fields->support);
    *fields = (PhFields){0};
}

PhStatus ph_fields_copy(PhFields *to, const PhFields *from) {
    PhFields copy = {0};
    PhStatus status = PH_RESERVE(copy.field, from->limit);
    for (uint32_t i = 0; !status && i < from->limit; i++) {
        copy.field[i].generation = from->field[i].generation;
        status = from->field[i].alive ? make_field(&from->field[i].def, &copy.field[i]) : PH_OK;
        copy.limit = i + 1;
    }
    if (status) {
        ph_fields_free(&copy);
        return status;
    }
    copy.count = from->count;
    *to = copy;
    return PH_OK;
}

uint64_t ph_fields_hash(const PhFields *fields, uint64_t hash) {
    for (uint32_t i = 0; i < fields->limit; i++) {
        const PhFieldDef *def = &fields->field[i].def;
        if (fields->field[i].alive) {
            const uint64_t words[] = {i, (uint64_t)def->kind, def->mask, def->surface.count};
            hash = ph_hash(hash, words, sizeof words);
            hash = ph_hash(hash, def->value, sizeof def->value);
            hash = ph_hash(hash, &def->surface.level, sizeof def->surface.level);
            if (def->surface.points) {
                hash = ph_hash(hash, def->surface.points,
                               def->surface.count * sizeof *def->surface.points);
            }
        }
    }
    return hash;
}

// ------------------------------------------------------------------------------------------------
// the step

bool ph_field_takes(const PhField *field, const PhWorld *world, uint32_t slot) {
    uint32_t c = world->body[slot].first_collider;
    bool takes = c == PH_NULL;
    for (; c != PH_NULL && !takes; c = world->collider[c].next) {
        takes = world->collider[c].def.category & field->def.mask;
    }
    return takes;
}

// Two points that are dragged act as one at their weighted mean; what this leaves out is turning
// about it (the parallel axis theorem). No term cancels, so any sizes may be mixed.
void ph_resistance_add(PhResistance *sum, PhResistance more) {
    double rate = sum->rate + more.rate;
    if (rate > 0) {
        double part = more.rate / rate, reduced = sum->rate * part;
        PhVec2 arm = ph_sub(more.center, sum->center), drift = ph_sub(more.flow, sum->flow);
        sum->spin_rate += reduced * ph_length_squared(arm);
        sum->twist += reduced * ph_cross(arm, drift);
        sum->center = ph_mul_add(sum->center, part, arm);
        sum->flow = ph_mul_add(sum->flow, part, drift);
    }
    sum->rate = rate;
    sum->spin_rate += more.spin_rate;
    sum->twist += more.twist;
}

typedef struct Motion { // of a body in plane and spin; inertia 0: it does not turn
    double mass, inertia;
    PhVec2 velocity;
    double spin;
} Motion;

// All forces of the step, with the body as if nothing resisted. A spring of stiffness k is followed
// while dt^2 k / M is below 4; what rises or turns with a larger one meets so much more inertia
// that it stays below. Equilibria stay where they are.
static void add_forces(Motion *m, const PhFieldBody *body, PhVec2 force, double torque, double dt) {
    double turns = m->inertia > 0 ? 1 / m->inertia : 0;
    double stiffness_number =
        dt * dt * (body->stiffness / m->mass + body->stiffness_second * turns);
    if (!(stiffness_number > 1)) {
        m->velocity = ph_mul_add(m->velocity, dt / m->mass, force);
        m->spin += dt * torque * turns;
        return;
    }
    double share = 0.25 * dt * dt * (1 - 1 / stiffness_number);
    double a = share * body->stiffness, b = share * body->stiffness_first;
    double c = share * body->stiffness_second, both = a * c - b * b;
    m->velocity.x += dt / m->mass * force.x;
    if (turns == 0) {
        m->velocity.y += dt / (m->mass + a) * force.y;
        return;
    }
    double determinant =
        m->mass * m->inertia + m->mass * c + a * m->inertia + (both > 0 ? both : 0);
    m->velocity.y += dt * ((m->inertia + c) * force.y - b * torque) / determinant;
    m->spin += dt * ((m->mass + a) * torque - b * force.y) / determinant;
}

// M dv = dt rate e', I dw = r x M dv + dt (twist - spin_rate w'), where e' is the mismatch of the
// flow and the body at the centre r of resistance after the step. With q the quarter turn of r, e'
// = e - dv - q dw: two equations, solved for dw.
static void resist_evenly(Motion *m, const PhFieldBody *body, double dt) {
    const PhResistance *r = &body->resistance;
    double gain = dt * r->rate, share = gain / (m->mass + gain), turned = 0;
    PhVec2 q = ph_left(r->center);
    PhVec2 e = ph_sub(ph_sub(r->flow, m->velocity), ph_scale(m->spin, q));
    if (m->inertia > 0) {
        double k = share * m->mass;
        turned = (k * ph_cross(r->center, e) + dt * (r->twist - r->spin_rate * m->spin)) /
                 (m->inertia + dt * r->spin_rate + k * ph_length_squared(r->center));
        m->spin += turned;
    }
    m->velocity = ph_mul_add(m->velocity, share, ph_mul_add(e, -turned, q));
}

// (M + dt A) dV = dt ((push, twist) - A V) with everything that resists in A: three equations, by
// the factors L D L' of a symmetric matrix. The turning is measured as the speed s = k w, k^2 = I /
// m, so that M is m times the identity. No pivot can then be less than m, and rounding is kept from
// making it so by a limit to dt A: what would leave less than a ten millionth of a motion leaves
// that.
static void resist_by_direction(Motion *m, const PhFieldBody *body, double dt) {
    const PhResistance *r = &body->resistance;
    PhExposure a = body->exposure;
    PhVec2 drift = ph_scale(r->rate, r->flow);
    ph_exposure_add(&a, r->rate, r->center);
    a.ss += r->spin_rate;
    PhVec2 push = ph_add(a.push, drift), v = m->velocity;
    double twist = a.twist + ph_cross(r->center, drift) + r->twist;
    double turns = m->inertia > 0 ? sqrt(m->mass / m->inertia) : 0, s = m->spin;
    double fx = push.x - (a.xx * v.x + a.xy * v.y + a.xs * s);
    double fy = push.y - (a.xy * v.x + a.yy * v.y + a.ys * s);
    double fs = turns * (twist - (a.xs * v.x + a.ys * v.y + a.ss * s));
    double xs = turns * a.xs, ys = turns * a.ys, ss = turns * turns * a.ss;
    double stiffness_number = dt * (a.xx + a.yy + ss), most = MOST_STIFFNESS_NUMBER * m->mass;
    double h = stiffness_number > most ? dt * (most / stiffness_number) : dt;
    double d0 = m->mass + h * a.xx, l1 = h * a.xy / d0, l2 = h * xs / d0;
    double d1 = ph_max(m->mass + h * (a.yy - l1 * a.xy), m->mass), e = h * (ys - l1 * xs);
    double d2 = ph_max(m->mass + h * (ss - l2 * xs) - e * (e / d1), m->mass);
    double y0 = h * fx, y1 = h * fy - l1 * y0, y2 = h * fs - l2 * y0 - e / d1 * y1;
    double gain_s = y2 / d2, gain_y = (y1 - e * gain_s) / d1;
    double gain_x = y0 / d0 - l1 * gain_y - l2 * gain_s;
    m->velocity = ph_add(v, ph_vec(gain_x, gain_y));
    m->spin += turns * gain_s;
}

static void resist(Motion *m, const PhFieldBody *body, double dt) {
    const double one = body->world->lengths.one; // m/s: the most that `clamped` acts on
    double speed = ph_length(m->velocity),
           loss = body->clamped * dt * one / (speed > one ? speed : one);
    m->velocity = ph_scale(loss < 1 ? 1 - loss : 0, m->velocity);
    if (body->exposed) {
        resist_by_direction(m, body, dt);
    } else {
        resist_evenly(m, body, dt);
    }
}

// The part of a force that can move a body on which contacts press along `support`: they take what
// is directed against them. Without this a body that lies on the ground would be dragged as if it
// began to fall, and weigh less.
static PhVec2 free_part(PhVec2 force, PhVec2 support) {
    PhVec2 n = ph_normalize_or(support, ph_vec(0, 0));
    double pressed = ph_dot(force, n);
    return pressed < 0 ? ph_mul_add(force, -pressed, n) : force;
}

// A body in a thick or slow fluid is slow long before it is where it belongs. Only the forces that
// it would feel at rest tell.
static void keep_awake(PhWorld *world, const PhFieldBody *body, const Motion *m, PhVec2 force,
                       double torque) {
    const PhResistance *r = &body->resistance;
    PhVec2 drift = ph_scale(r->rate, r->flow), g = world->def.gravity;
    double push = ph_length(ph_add(ph_add(force, drift), body->exposure.push)) / m->mass;
    double twist = torque + ph_cross(r->center, drift) + r->twist + body->exposure.twist;
    double turn = m->inertia > 0 ? fabs(twist) / m->inertia * world->body[body->slot].extent : 0;
    if (push + turn > UNBALANCED * ph_length(g)) {
        world->sleep_time[body->slot] = 0;
    }
}

static Motion motion_of(const PhWorld *world, uint32_t slot, int32_t substeps, double dt) {
    const PhState *s = world->state;
    bool spins = world->def.solver != PH_SOFT_STEP || !world->layout.in_contact[slot];
    double limit = world->def.max_angular_speed; // as the solver has it
    limit = spins ? limit : ph_min(limit, PH_PI * substeps / dt);
    bool limited = false;
    return (Motion){
        .mass = s->mass[slot],
        .inertia = world->mass[slot][1] != 0 ? s->inertia[slot] : 0,
        .velocity = ph_limit_speed(ph_slot_velocity(world, slot), world->def.max_speed, &limited),
        .spin = ph_clamp_abs(s->angular_velocity[slot], limit),
    };
}

// The body as the fields are to see it, and what they do to it.
static PhFieldBody meet_fields(const PhWorld *world, uint32_t slot, const Motion *start, double dt,
                               double ahead) {
    PhRot q = ph_rot(world->state->angle[slot] + ahead * start->spin);
    PhVec2 center = {world->center[slot][0], world->center[slot][1]};
    PhFieldBody body = {
        .world = world,
        .slot = slot,
        .center = ph_mul_add(center, ahead, start->velocity),
        .pose = {ph_neg(ph_rotate(q, world->body[slot].center_local)), q},
        .dt = dt,
        .velocity = start->velocity,
        .spin = start->spin,
    };
    for (uint32_t i = 0; i < world->fields.limit; i++) {
        const PhField *field = &world->fields.field[i];
        if (field->alive) {
            rows[field->def.kind]->act(field, &body);
        }
    }
    return body;
}

static void act(PhWorld *world, uint32_t slot, double dt) {
    PhState *s = world->state;
    int32_t n = world->def.solver == PH_SOFT_STEP ? world->def.substeps : 1;
    Motion start = motion_of(world, slot, n, dt);
    PhFieldBody body = meet_fields(world, slot, &start, dt, dt * (n - 1) / (2.0 * n));
    if (!body.met) {
        return;
    }
    PhVec2 weight = ph_scale(start.mass * world->gravity_scale[slot], world->def.gravity);
    PhVec2 force = ph_add(body.force, ph_vec(s->force[slot][0], s->force[slot][1]));
    PhVec2 support = world->fields.support[slot];
    double torque = body.torque + s->torque[slot];
    force = ph_add(force, weight);
    Motion end = start, dragged = start;
    add_forces(&end, &body, force, torque, dt);
    add_forces(&dragged, &body, free_part(force, support), torque, dt);
    Motion free = dragged;
    resist(&dragged, &body, dt);
    PhVec2 gain =
        ph_add(ph_sub(end.velocity, start.velocity), ph_sub(dragged.velocity, free.velocity));
    PhVec2 total = ph_scale(start.mass / dt, gain);
    double twist = start.inertia / dt * ((end.spin - start.spin) + (dragged.spin - free.spin));
    if (!isfinite(total.x + total.y + twist)) {
        return; // numbers without meaning, such as places beyond float64
    }
    s->force[slot][0] = total.x - weight.x;
    s->force[slot][1] = total.y - weight.y;
    s->torque[slot] = start.inertia > 0 ? twist : s->torque[slot];
    if (support.x == 0 && support.y == 0) {
        keep_awake(world, &body, &start, force, torque);
    }
}

PhStatus ph_fields_reserve(PhWorld *world) {
    PhFields *fields = &world->fields;
    uint64_t need = fields->count > 0 ? world->slot_count : 0;
    return PH_RESERVE(fields->support, need);
}

static void find_support(PhWorld *world) {
    PhVec2 *support = world->fields.support;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        support[i] = ph_vec(0, 0);
    }
    for (uint32_t c = 0; c < world->contacts.count; c++) {
        const PhContactRecord *record = ph_record_of_impulses(world, world->contacts.pair[c]);
        double impulse = (double)record->total_normal[0] + (double)record->total_normal[1];
        uint32_t a = world->contacts.body_a[c], b = world->contacts.body_b[c];
        PhVec2 push = {impulse * (double)record->nx, impulse * (double)record->ny};
        support[a] = ph_sub(support[a], push);
        support[b] = ph_add(support[b], push);
    }
}

void ph_fields_apply(PhWorld *world, double dt) {
    if (world->fields.count == 0) {
        return;
    }
    find_support(world);
    ph_note_fields(world);
    for (uint32_t i = 0; i < world->dynamic_count; i++) {
        act(world, world->dynamic[i], dt);
    }
}

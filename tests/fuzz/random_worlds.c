// Random worlds without Python: for comparing machines (CI lane `arm`).
//
//   random_worlds FIRST COUNT [workers]     prints seed, step and hash of the world after each step
//
// The same lines at every PYPHYS2D_SIMD, by every number of workers, on every machine: numbers come
// from integers by operations that round correctly, one draw to an expression. A call that is
// refused counts with its status.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "world/fields.h"
#include "world/joints.h"
#include "world/world.h"

enum { MOST_BODIES = 400, MOST_JOINTS = 600, MOST_FIELDS = 4 };

typedef struct Maker {
    uint64_t state; // of the random numbers
    uint64_t told;  // statuses
    PhWorld *world;
    PhId body[MOST_BODIES], joint[MOST_JOINTS], field[MOST_FIELDS];
    uint32_t bodies, joints, fields;
} Maker;

// ------------------------------------------------------------------------------------------------
// numbers

// Sebastiano Vigna's splitmix64 (2015).
static uint64_t draw(Maker *m) {
    uint64_t z = m->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static uint32_t below(Maker *m, uint32_t n) {
    return (uint32_t)(draw(m) >> 33) % n;
}
static double between(Maker *m, double low, double high) {
    double share = (double)(draw(m) >> 11) * 0x1p-53;
    return low + (high - low) * share;
}
static bool maybe(Maker *m, double chance) {
    return between(m, 0, 1) < chance;
}
static PhVec2 vector(Maker *m, double size) {
    double x = between(m, -size, size);
    double y = between(m, -size, size);
    return (PhVec2){x, y};
}
static double power(Maker *m, int low, int high) {
    double x = between(m, 1, 10);
    int exponent = low + (int)below(m, (uint32_t)(high - low));
    for (; exponent > 0; exponent--) {
        x *= 10;
    }
    for (; exponent < 0; exponent++) {
        x /= 10;
    }
    return x;
}
static double speed(Maker *m) {
    static const double most[] = {0, 1, 1, 10, 10, 100, 400, 1e4};
    return maybe(m, 0.03) ? 9e8 : most[below(m, 8)];
}
static double spin(Maker *m) {
    static const double most[] = {0, 0, 1, 1, 10, 100, 1e3, 1e5};
    return maybe(m, 0.03) ? 9e8 : most[below(m, 8)];
}
static PhVec2 place(Maker *m, double wide) {
    double x = between(m, -wide, wide);
    double y = between(m, 0, 10);
    return (PhVec2){x, y};
}
static void tell(Maker *m, PhStatus status) {
    m->told = ph_hash(m->told, &status, sizeof status);
}

// ------------------------------------------------------------------------------------------------
// bodies

static PhShape *polygon(Maker *m, double size, PhVec2 middle) {
    static const PhVec2 unit[4][8] = {
        {{-1, -0.6}, {1, -0.6}, {1, 0.6}, {-1, 0.6}},
        {{-1, -0.6}, {1, -0.6}, {0, 1}},
        {{0, 1}, {-0.95, 0.31}, {-0.59, -0.81}, {0.59, -0.81}, {0.95, 0.31}},
        {{1, 0}, {0.2, 0.2}, {0, 1}, {-0.2, 0.2}, {-1, 0}, {-0.2, -0.2}, {0, -1}, {0.2, -0.2}},
    };
    static const int32_t count[4] = {4, 3, 5, 8};
    uint32_t which = below(m, 4);
    double radius = which < 3 && maybe(m, 0.3) ? 0.2 * size : 0;
    PhVec2 ring[8];
    PhError error = {0};
    for (int32_t k = 0; k < count[which]; k++) {
        ring[k] = (PhVec2){middle.x + size * unit[which][k].x, middle.y + size * unit[which][k].y};
    }
    return ph_shape_polygon(ring, count[which], NULL, NULL, 0, radius, false, &error);
}

static PhShape *one_shape(Maker *m, PhVec2 middle) {
    PhError error = {0};
    double size = between(m, 0.15, 0.8);
    switch (below(m, 4)) {
    case 0:
        return ph_shape_circle(size, middle, &error);
    case 1: {
        PhVec2 end = {middle.x + 2 * size, middle.y};
        return ph_shape_capsule(middle, end, 0.4 * size, &error);
    }
    default:
        return polygon(m, size, middle);
    }
}

// Takes over the shapes. The slot, PH_NULL where it was refused.
static uint32_t add(Maker *m, const PhBodyDef *def, const PhColliderDef *material,
                    PhShape *const *shapes, uint32_t count) {
    PhError error = {0};
    uint32_t slot = PH_NULL;
    bool room = m->bodies < MOST_BODIES;
    for (uint32_t k = 0; k < count; k++) {
        room &= shapes[k] != NULL;
    }
    PhStatus status = PH_ERROR_VALUE;
    if (room) {
        status =
            ph_bodies_create(m->world, 1, def, 0, material, 0, shapes, 0, count, &slot, &error);
    }
    tell(m, status);
    if (!status) {
        m->body[m->bodies++] = ph_body_id(m->world, slot);
    }
    for (uint32_t k = 0; k < count; k++) {
        ph_shape_release(shapes[k]);
    }
    return status ? PH_NULL : slot;
}

static uint32_t add_random(Maker *m, PhVec2 at, double fastest, double spins, bool ghost) {
    PhBodyDef def = ph_body_def();
    PhColliderDef material = ph_collider_def();
    def.position = at;
    def.angle = maybe(m, 0.5) ? between(m, -3, 3) : 0;
    def.velocity = maybe(m, 0.6) ? vector(m, fastest) : (PhVec2){0, 0};
    def.angular_velocity = maybe(m, 0.6) ? between(m, -spins, spins) : 0;
    def.bullet = maybe(m, 0.1);
    def.fixed_rotation = maybe(m, 0.05);
    def.awake = !maybe(m, 0.05);
    def.linear_damping = maybe(m, 0.1) ? power(m, -2, 1) : 0;
    def.angular_damping = maybe(m, 0.1) ? power(m, -2, 1) : 0;
    def.gravity_scale = maybe(m, 0.1) ? between(m, -1, 2) : 1;
    material.density = maybe(m, 0.4) ? power(m, -2, 2) : 1;
    material.friction = maybe(m, 0.3) ? between(m, 0, 2) : 0.6;
    material.restitution = maybe(m, 0.3) ? between(m, 0, 1) : 0;
    material.rolling_resistance = maybe(m, 0.1) ? between(m, 0, 0.2) : 0;
    material.tangent_speed = maybe(m, 0.1) ? between(m, -3, 3) : 0;
    material.sensor = maybe(m, 0.06);
    material.mask = ghost ? 0 : material.mask;
    PhShape *shapes[3];
    uint32_t count = maybe(m, 0.2) ? 3 : 1;
    for (uint32_t k = 0; k < count; k++) {
        shapes[k] = one_shape(m, (PhVec2){0.4 * k, 0});
    }
    return add(m, &def, &material, shapes, count);
}

static void add_ground(Maker *m) {
    PhError error = {0};
    PhBodyDef def = ph_body_def();
    PhColliderDef material = ph_collider_def();
    const PhVec2 ring[4] = {{-30, -2}, {30, -2}, {30, 0}, {-30, 0}};
    const PhVec2 hills[6] = {{-30, 20}, {-25, 0}, {-6, -1}, {3, 0.5}, {25, 0}, {30, 20}};
    bool flat = maybe(m, 0.6);
    PhShape *shape = flat ? ph_shape_polygon(ring, 4, NULL, NULL, 0, 0, false, &error)
                          : ph_shape_chain(hills, 6, false, &error);
    def.kind = PH_STATIC;
    add(m, &def, &material, &shape, 1);
    if (!maybe(m, 0.3)) {
        return;
    }
    def.kind = PH_KINEMATIC;
    def.position = place(m, 10);
    def.velocity = vector(m, 3);
    def.angular_velocity = between(m, -3, 3);
    shape = polygon(m, 2, (PhVec2){0, 0});
    add(m, &def, &material, &shape, 1);
}

static void add_heap(Maker *m) {
    double fastest = speed(m), spins = spin(m);
    for (uint32_t k = 2 + below(m, 14); k > 0; k--) {
        PhVec2 at = place(m, 6);
        bool fast = maybe(m, 0.4);
        add_random(m, at, fast ? fastest : 1, spins, false);
    }
}

// ------------------------------------------------------------------------------------------------
// joints

static bool has(PhJointKind kind, int at) {
    const PhJointKindInfo *info = ph_joint_kind(kind);
    for (int k = 0; k < PH_JOINT_PARAMETERS && info->parameters[k].name; k++) {
        if (info->parameters[k].at == at) {
            return true;
        }
    }
    return false;
}

static void vary(Maker *m, PhJointDef *def, PhVec2 at) {
    double *value = def->value;
    if (has(def->kind, PH_JOINT_LOWER) && maybe(m, 0.35)) {
        value[PH_JOINT_LOWER] = between(m, 0, 0.4) - (def->kind == PH_JOINT_DISTANCE ? 0 : 1);
        value[PH_JOINT_UPPER] = between(m, 0.5, 2);
    }
    if (has(def->kind, PH_JOINT_SPEED) && maybe(m, 0.3)) {
        value[PH_JOINT_SPEED] = between(m, -8, 8);
        value[PH_JOINT_MAX_MOTOR] = power(m, -1, 4);
    }
    if (has(def->kind, PH_JOINT_HERTZ) && (def->kind == PH_JOINT_MOUSE || maybe(m, 0.3))) {
        value[PH_JOINT_HERTZ] = power(m, -1, 1);
        value[PH_JOINT_ZETA] = power(m, -2, 0);
    }
    if (has(def->kind, PH_JOINT_TURN_HERTZ) && maybe(m, 0.3)) {
        value[PH_JOINT_TURN_HERTZ] = maybe(m, 0.2) ? 0 : power(m, -1, 3);
    }
    if (has(def->kind, PH_JOINT_BREAK_FORCE) && maybe(m, 0.1)) {
        value[PH_JOINT_BREAK_FORCE] = power(m, 0, 3);
    }
    if (has(def->kind, PH_JOINT_LINEAR)) {
        value[PH_JOINT_LINEAR] = between(m, -2, 2);
    }
    bool pulls = def->kind == PH_JOINT_MOTOR || def->kind == PH_JOINT_MOUSE;
    if (has(def->kind, PH_JOINT_MAX_FORCE) && (pulls || maybe(m, 0.2))) {
        value[PH_JOINT_MAX_FORCE] = power(m, 0, 4);
    }
    if (has(def->kind, PH_JOINT_MAX_TORQUE) && maybe(m, 0.2)) {
        value[PH_JOINT_MAX_TORQUE] = power(m, -1, 3);
    }
    if (has(def->kind, PH_JOINT_TUNED_HERTZ) && maybe(m, 0.15)) {
        value[PH_JOINT_TUNED_HERTZ] = maybe(m, 0.2) ? NAN : power(m, -1, 3);
        value[PH_JOINT_TUNED_ZETA] = maybe(m, 0.3) ? NAN : power(m, -2, 1);
    }
    if (has(def->kind, PH_JOINT_RATIO)) {
        value[PH_JOINT_RATIO] = power(m, -1, 1);
    }
    if (has(def->kind, PH_JOINT_TOOTH)) {
        value[PH_JOINT_TOOTH] = between(m, 0.05, 1);
    }
    for (int k = 0; k < 4 && has(def->kind, PH_JOINT_GROUND); k++) {
        value[PH_JOINT_GROUND + k] = k % 2 ? at.y + 5 : at.x + k - 1;
    }
    for (int k = 0; k < 2 && def->kind == PH_JOINT_MOUSE; k++) {
        value[PH_JOINT_POINT + k] = between(m, -5, 10);
    }
    def->axis = vector(m, 1);
    def->collide_connected = maybe(m, 0.2);
}

// Between two slots, PH_NULL being the world, near a point.
static void join(Maker *m, PhJointKind kind, uint32_t a, uint32_t b, PhVec2 at) {
    PhJointDef def = ph_joint_def(kind);
    PhError error = {0};
    if (b == PH_NULL || m->joints == MOST_JOINTS) {
        return;
    }
    vary(m, &def, at);
    def.body[0] =
        a == PH_NULL || kind == PH_JOINT_MOUSE ? (PhId){PH_NULL, 0} : ph_body_id(m->world, a);
    def.body[1] = ph_body_id(m->world, b);
    for (int side = 0; side < 2; side++) {
        PhVec2 off = vector(m, kind == PH_JOINT_DISTANCE || side == 0 ? 0.5 : 0);
        bool own = kind == PH_JOINT_DISTANCE || kind == PH_JOINT_PULLEY || side == 0;
        def.anchor[side] = own ? (PhVec2){at.x + off.x, at.y + off.y} : def.anchor[0];
    }
    if (kind == PH_JOINT_GEAR) {
        def.geared[0] = m->joints ? m->joint[below(m, m->joints)] : (PhId){PH_NULL, 0};
        def.geared[1] = m->joints ? m->joint[below(m, m->joints)] : (PhId){PH_NULL, 0};
    }
    PhId id;
    PhStatus status = ph_joint_create(m->world, &def, &id, &error);
    tell(m, status);
    if (!status) {
        m->joint[m->joints++] = id;
    }
}

// Copies of one form side by side, of one kind of joint or of many.
static void add_mechanisms(Maker *m) {
    uint32_t copies = 1 + below(m, 9), links = 2 + below(m, maybe(m, 0.5) ? 1 : 6);
    PhJointKind kind = maybe(m, 0.4) ? PH_JOINT_REVOLUTE : below(m, PH_JOINT_KIND_COUNT);
    bool various = maybe(m, 0.25), tree = maybe(m, 0.4), ghost = maybe(m, 0.5);
    bool held = maybe(m, 0.3), loop = maybe(m, 0.15);
    double fastest = speed(m), spins = spin(m);
    for (uint32_t copy = 0; copy < copies; copy++) {
        PhVec2 at = {12.0 * copy - 6.0 * copies, 3};
        at.y += between(m, 0, 5);
        uint32_t slot[8];
        for (uint32_t k = 0; k < links; k++) {
            slot[k] = add_random(m, (PhVec2){at.x + k, at.y}, fastest, spins, ghost);
            PhJointKind here = various ? below(m, PH_JOINT_KIND_COUNT) : kind;
            if (k > 0) {
                join(m, here, slot[tree ? k / 2 : k - 1], slot[k], (PhVec2){at.x + k - 0.5, at.y});
            }
        }
        if (held) {
            join(m, various ? kind : PH_JOINT_REVOLUTE, PH_NULL, slot[0], at);
        }
        if (loop && links > 2) {
            join(m, kind, slot[0], slot[links - 1], at);
        }
    }
}

static void add_net(Maker *m) {
    uint32_t n = 2 + below(m, 5), slot[36];
    PhJointKind kind = maybe(m, 0.5) ? PH_JOINT_REVOLUTE : PH_JOINT_DISTANCE;
    for (uint32_t k = 0; k < n * n; k++) {
        PhVec2 at = {0.7 * (k % n), 9 - 0.7 * (k / n)};
        slot[k] = add_random(m, at, 1, 1, n > 3);
        if (k % n) {
            join(m, kind, slot[k - 1], slot[k], at);
        }
        if (k >= n) {
            join(m, kind, slot[k - n], slot[k], at);
        }
    }
    join(m, PH_JOINT_REVOLUTE, PH_NULL, slot[0], (PhVec2){0, 9});
}

// ------------------------------------------------------------------------------------------------
// fields, and what happens between steps

static void add_field(Maker *m) {
    PhFieldDef def = ph_field_def(below(m, PH_FIELD_KIND_COUNT));
    const PhFieldKindInfo *info = ph_field_kind(def.kind);
    PhError error = {0};
    for (int k = 0; k < PH_FIELD_PARAMETERS && info->parameters[k].name; k++) {
        const PhFieldParameter *parameter = &info->parameters[k];
        for (int i = 0; i < parameter->width; i++) {
            def.value[parameter->at + i] =
                parameter->whole ? (double)(1 + below(m, 3)) : between(m, 0, 3);
        }
    }
    PhStatus status = ph_field_create(m->world, &def, &m->field[m->fields], &error);
    tell(m, status);
    m->fields += !status;
}

static void change(Maker *m) {
    PhError error = {0};
    if (!m->bodies) {
        return;
    }
    PhWorld *world = m->world;
    PhId body = m->body[below(m, m->bodies)];
    PhVec2 at = place(m, 10), v = vector(m, 1);
    double fastest = speed(m), turn = spin(m) * v.x;
    PhVec2 velocity = {fastest * v.x, fastest * v.y};
    bool yes = maybe(m, 0.5);
    uint32_t which = below(m, 14);
    if (which < 2 && m->joints) {
        tell(m, ph_joint_destroy(world, m->joint[below(m, m->joints)], &error));
    } else if (which < 4) {
        tell(m, ph_body_destroy(world, body, &error));
    } else if (which < 6) {
        tell(m, ph_body_set_velocity(world, body, velocity, turn, &error));
    } else if (which == 6) {
        tell(m, ph_body_set_pose(world, body, at, turn, &error));
    } else if (which == 7) {
        tell(m, ph_body_set_kind(world, body, below(m, 3), &error));
    } else if (which == 8) {
        tell(m, ph_body_set_flag(world, body, below(m, 4), yes, &error));
    } else if (which == 9) {
        tell(m, ph_body_set_awake(world, body, yes, &error));
    } else if (which == 10) {
        tell(m, ph_body_apply_impulse(world, body, velocity, yes ? &at : NULL, &error));
    } else if (which == 11) {
        tell(m, ph_body_move_to(world, body, at, v.y, 1.0 / 60, &error));
    } else if (which == 12 && m->fields) {
        tell(m, ph_field_destroy(world, m->field[below(m, m->fields)], &error));
    } else {
        add_heap(m);
    }
}

static PhWorld *make_world(Maker *m, int32_t workers) {
    PhError error = {0};
    PhWorldDef def = ph_world_def(1);
    static const int32_t substeps[] = {1, 1, 2, 4, 4, 8};
    static const double most[] = {10, 1e4, 1e9};
    def.workers = workers;
    def.substeps = substeps[below(m, 6)];
    def.gravity.x = maybe(m, 0.3) ? between(m, -5, 5) : 0;
    def.gravity.y = maybe(m, 0.8) ? -10 : 0;
    def.solver = maybe(m, 0.12) ? PH_SEQUENTIAL_IMPULSES : PH_SOFT_STEP;
    def.broadphase = maybe(m, 0.6) ? def.broadphase : below(m, 3);
    def.sleeping = maybe(m, 0.6);
    def.continuous = maybe(m, 0.85);
    def.max_speed = maybe(m, 0.2) ? most[below(m, 3)] : def.max_speed;
    def.wrap = maybe(m, 0.12) ? (PhVec2){80, maybe(m, 0.5) ? 40 : INFINITY} : def.wrap;
    return ph_world_create(&def, &error);
}

static bool run(uint64_t seed, int32_t workers) {
    Maker maker = {.state = seed * 0x2545f4914f6cdd1du}, *m = &maker;
    PhError error = {0};
    m->world = make_world(m, workers);
    if (!m->world) {
        return false;
    }
    if (maybe(m, 0.6)) {
        add_ground(m);
    }
    for (uint32_t parts = 1 + below(m, 3); parts > 0; parts--) {
        static void (*const make[])(Maker *) = {add_mechanisms, add_mechanisms, add_heap, add_heap,
                                                add_net};
        make[below(m, 5)](m);
    }
    for (uint32_t fields = below(m, 3); fields > 0; fields--) {
        add_field(m);
    }
    double busy = maybe(m, 0.5) ? 0.4 : 0, dt = maybe(m, 0.8) ? 1.0 / 60 : 0.1;
    for (int step = 0; step < 15; step++) {
        while (maybe(m, busy)) {
            change(m);
        }
        ph_world_clear_events(m->world);
        tell(m, ph_world_step(m->world, dt, &error));
        uint64_t hash = ph_world_hash(m->world);
        printf("%llu %d %016llx %016llx\n", (unsigned long long)seed, step,
               (unsigned long long)hash, (unsigned long long)m->told);
    }
    ph_world_destroy(m->world);
    return true;
}

int main(int count, char **arguments) {
    if (count < 3) {
        fputs("random_worlds FIRST COUNT [workers]\n", stderr);
        return 2;
    }
    uint64_t first = strtoull(arguments[1], NULL, 10), worlds = strtoull(arguments[2], NULL, 10);
    int workers = count > 3 ? atoi(arguments[3]) : 1;
    for (uint64_t k = 0; k < worlds; k++) {
        if (!run(first + k, workers)) {
            return 2;
        }
    }
    return 0;
}

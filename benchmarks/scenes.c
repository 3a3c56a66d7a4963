// Nine scenes without Python: for counting instructions, for watching threads, and for comparing
// machines.
//
//   scenes NAME [steps [workers [substeps]]]     prints time per step, kernels, hash of the end
//   scenes --list
//
// Built from csrc/ by benchmarks/instructions.py. With valgrind --tool=callgrind
// --toggle-collect=ph_world_step only the steps are counted.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "math/trig.h"
#include "world/joints.h"
#include "world/world.h"

static void die(const char *what, const PhError *error) {
    fprintf(stderr, "%s: %s\n", what, error ? error->message : "no memory");
    exit(2);
}

static PhWorld *make_world(PhVec2 gravity, bool sleeping, int32_t workers, int32_t substeps) {
    PhError error = {0};
    PhWorldDef def = ph_world_def(1);
    def.gravity = gravity;
    def.sleeping = sleeping;
    def.workers = workers;
    def.substeps = substeps;
    PhWorld *world = ph_world_create(&def, &error);
    if (!world) {
        die("world", &error);
    }
    return world;
}

// Takes over the shapes.
static uint32_t add(PhWorld *world, const PhBodyDef *def, const PhColliderDef *material,
                    PhShape *const *shapes, uint32_t count) {
    PhError error = {0};
    uint32_t slot;
    for (uint32_t k = 0; k < count; k++) {
        if (!shapes[k]) {
            die("shape", NULL);
        }
    }
    if (ph_bodies_create(world, 1, def, 0, material, 0, shapes, 0, count, &slot, &error)) {
        die("body", &error);
    }
    for (uint32_t k = 0; k < count; k++) {
        ph_shape_release(shapes[k]);
    }
    return slot;
}

static PhShape *box_at(double half_x, double half_y, double x, double y) {
    PhError error = {0};
    const PhVec2 ring[4] = {{x - half_x, y - half_y},
                            {x + half_x, y - half_y},
                            {x + half_x, y + half_y},
                            {x - half_x, y + half_y}};
    PhShape *shape = ph_shape_polygon(ring, 4, NULL, NULL, 0, 0, false, &error);
    if (!shape) {
        die("box", &error);
    }
    return shape;
}

static PhShape *regular(int32_t n, double r) {
    PhError error = {0};
    PhVec2 ring[8];
    for (int32_t k = 0; k < n; k++) {
        PhRot turn = ph_rot(2 * PH_PI * k / n);
        ring[k] = (PhVec2){r * turn.c, r * turn.s};
    }
    PhShape *shape = ph_shape_polygon(ring, n, NULL, NULL, 0, 0, false, &error);
    if (!shape) {
        die("regular polygon", &error);
    }
    return shape;
}

static void add_one(PhWorld *world, PhBodyKind kind, PhVec2 position, PhShape *shape) {
    PhBodyDef def = ph_body_def();
    def.kind = kind;
    def.position = position;
    PhColliderDef material = ph_collider_def();
    add(world, &def, &material, &shape, 1);
}

static PhWorld *pyramid(int32_t base, int32_t workers, int32_t substeps) {
    PhWorld *world = make_world((PhVec2){0, -10}, false, workers, substeps);
    add_one(world, PH_STATIC, (PhVec2){0, -1}, box_at(2 * base, 1, 0, 0));
    for (int32_t i = 0; i < base; i++) {
        for (int32_t j = i; j < base; j++) {
            PhVec2 place = {0.5 * (i + 1) + (j - i) - 0.5 * base, 0.5 * (2 * i + 1)};
            add_one(world, PH_DYNAMIC, place, box_at(0.5, 0.5, 0, 0));
        }
    }
    return world;
}

static PhWorld *large_pyramid(int32_t workers, int32_t substeps) {
    return pyramid(70, workers, substeps);
}

// A hundred small islands.
static PhWorld *many_pyramids(int32_t workers, int32_t substeps) {
    PhWorld *world = make_world((PhVec2){0, -10}, false, workers, substeps);
    add_one(world, PH_STATIC, (PhVec2){0, -1}, box_at(1200, 1, 0, 0));
    for (int32_t p = 0; p < 100; p++) {
        for (int32_t i = 0; i < 10; i++) {
            for (int32_t j = i; j < 10; j++) {
                PhVec2 place = {11.0 * p - 550 + 0.5 * i + (j - i), 0.5 * (2 * i + 1)};
                add_one(world, PH_DYNAMIC, place, box_at(0.5, 0.5, 0, 0));
            }
        }
    }
    return world;
}

static PhWorld *tumbler(int32_t workers, int32_t substeps) {
    PhWorld *world = make_world((PhVec2){0, -10}, true, workers, substeps);
    PhBodyDef drum = ph_body_def();
    drum.kind = PH_KINEMATIC;
    drum.position = (PhVec2){0, 10};
    drum.angular_velocity = 25 * PH_PI / 180;
    PhShape *walls[4] = {box_at(0.5, 10, 10, 0), box_at(0.5, 10, -10, 0), box_at(10, 0.5, 0, 10),
                         box_at(10, 0.5, 0, -10)};
    PhColliderDef material = ph_collider_def();
    add(world, &drum, &material, walls, 4);
    for (int32_t i = 0; i < 45; i++) {
        for (int32_t j = 0; j < 45; j++) {
            PhVec2 place = {-9 + 0.4 * i, 1 + 0.4 * j};
            add_one(world, PH_DYNAMIC, place, box_at(0.125, 0.125, 0, 0));
        }
    }
    return world;
}

static void add_tray(PhWorld *world, double half_width, double height) {
    PhBodyDef tray = ph_body_def();
    tray.kind = PH_STATIC;
    PhShape *walls[3] = {box_at(half_width + 2, 1, 0, -1),
                         box_at(1, height / 2, -half_width - 1, height / 2),
                         box_at(1, height / 2, half_width + 1, height / 2)};
    PhColliderDef material = ph_collider_def();
    add(world, &tray, &material, walls, 3);
}

static PhWorld *circles(int32_t workers, int32_t substeps) {
    PhError error = {0};
    PhWorld *world = make_world((PhVec2){0, -10}, true, workers, substeps);
    add_tray(world, 20, 80);
    for (int32_t j = 0; j < 60; j++) {
        for (int32_t i = 0; i < 48; i++) {
            PhVec2 place = {-19 + 0.8 * i + (j % 2 ? 0.05 : -0.05), 0.6 + 0.8 * j};
            add_one(world, PH_DYNAMIC, place, ph_shape_circle(0.35, (PhVec2){0, 0}, &error));
        }
    }
    return world;
}

// Capsules, boxes, rounded boxes, pentagons, triangles and circles.
static PhWorld *mixed(int32_t workers, int32_t substeps) {
    PhError error = {0};
    PhWorld *world = make_world((PhVec2){0, -10}, true, workers, substeps);
    add_tray(world, 20, 80);
    for (int32_t k = 0; k < 2400; k++) {
        PhShape *shape = NULL;
        const PhVec2 square[4] = {{-0.2, -0.2}, {0.2, -0.2}, {0.2, 0.2}, {-0.2, 0.2}};
        switch (k % 6) {
        case 0:
            shape = ph_shape_capsule((PhVec2){-0.2, 0}, (PhVec2){0.2, 0}, 0.15, &error);
            break;
        case 1:
            shape = box_at(0.35, 0.25, 0, 0);
            break;
        case 2:
            shape = ph_shape_polygon(square, 4, NULL, NULL, 0, 0.1, false, &error);
            break;
        case 3:
            shape = regular(5, 0.35);
            break;
        case 4:
            shape = regular(3, 0.4);
            break;
        default:
            shape = ph_shape_circle(0.3, (PhVec2){0, 0}, &error);
            break;
        }
        PhVec2 place = {-19 + 0.95 * (k % 40) + (k / 40 % 2 ? 0.1 : -0.1), 0.6 + 0.9 * (k / 40)};
        add_one(world, PH_DYNAMIC, place, shape);
    }
    return world;
}

// Every kernel of the solver: bodies that bounce and roll on a conveyor, columns under a heavy box
// (block kernels, more substeps), and more contacts at a body than there are colors.
static void add_materials(PhWorld *world) {
    PhError error = {0};
    PhBodyDef body = ph_body_def();
    PhColliderDef material = ph_collider_def();
    PhShape *shape = box_at(100, 1, 0, -1);
    body.kind = PH_STATIC;
    material.tangent_speed = 1.5;
    material.rolling_resistance = 0.05;
    add(world, &body, &material, &shape, 1);
    body.kind = PH_DYNAMIC;
    material.tangent_speed = 0;
    for (int32_t k = 0; k < 150; k++) {
        shape = k % 2 ? box_at(0.3, 0.4, 0, 0) : ph_shape_circle(0.4, (PhVec2){0, 0}, &error);
        body.position = (PhVec2){-60 + 0.95 * (k % 50), 0.6 + 1.2 * (k / 50)};
        body.velocity = (PhVec2){0.1 * (k % 7), -4};
        body.angle = 0.1 * k;
        body.linear_damping = 0.01 * (k % 4);
        material.restitution = 0.1 * (k % 8);
        material.rolling_resistance = 0.02 * (k % 5);
        material.friction = 0.1 * (k % 11);
        add(world, &body, &material, &shape, 1);
    }
    body = ph_body_def();
    material = ph_collider_def();
    for (int32_t k = 0; k < 35; k++) {
        static const double density[5] = {1, 10, 100, 1000, 10000};
        body.position = (PhVec2){4 * (k % 5) + 0.01 * (k / 5), 0.5 + k / 5};
        material.density = k < 30 ? 1 : density[k % 5];
        material.rolling_resistance = k % 5 == 3 ? 0.02 : 0;
        shape = box_at(0.5, 0.5, 0, 0);
        add(world, &body, &material, &shape, 1);
    }
    material = ph_collider_def();
    for (int32_t k = 0; k < 120; k++) {
        body.position = (PhVec2){40 + 0.01 * (k % 12), 0.6 + 0.01 * (k / 12)};
        material.restitution = k % 2 ? 0.2 : 0;
        shape = k % 2 ? box_at(0.25, 0.25, 0, 0) : ph_shape_circle(0.5, (PhVec2){0, 0}, &error);
        add(world, &body, &material, &shape, 1);
    }
}

static PhWorld *materials(int32_t workers, int32_t substeps) {
    PhWorld *world = make_world((PhVec2){0, -10}, false, workers, substeps);
    add_materials(world);
    return world;
}

// A hundred balls in a frame, and twenty thousand sleepers which nobody touches.
static PhWorld *sleepers(int32_t workers, int32_t substeps) {
    PhError error = {0};
    PhWorld *world = make_world((PhVec2){0, 0}, true, workers, substeps);
    for (int32_t side = -1; side <= 1; side += 2) {
        add_one(world, PH_STATIC, (PhVec2){12.0 * side, 0}, box_at(1, 13, 0, 0));
        add_one(world, PH_STATIC, (PhVec2){0, 12.0 * side}, box_at(13, 1, 0, 0));
    }
    PhColliderDef material = ph_collider_def();
    material.restitution = 1;
    for (int32_t k = 0; k < 100; k++) {
        PhBodyDef body = ph_body_def();
        body.position = (PhVec2){2 * (k % 10) - 9, 2 * (k / 10) - 9};
        body.velocity = (PhVec2){0.1 * (k * 37 % 101 - 50), 0.1 * (k * 53 % 97 - 48)};
        PhShape *shape = ph_shape_circle(0.4, (PhVec2){0, 0}, &error);
        add(world, &body, &material, &shape, 1);
    }
    for (int32_t k = 0; k < 20000; k++) {
        PhBodyDef body = ph_body_def();
        body.position = (PhVec2){30 + 2 * (k % 200), 2 * (k / 200)};
        body.awake = false;
        PhShape *shape = box_at(0.5, 0.5, 0, 0);
        add(world, &body, &material, &shape, 1);
    }
    return world;
}

// The same as materials under the other solver.
static PhWorld *impulses(int32_t workers, int32_t substeps) {
    PhError error = {0};
    PhWorldDef def = ph_world_def(1);
    def.solver = PH_SEQUENTIAL_IMPULSES;
    def.workers = workers;
    def.substeps = substeps;
    PhWorld *world = ph_world_create(&def, &error);
    if (!world) {
        die("world", &error);
    }
    add_materials(world);
    return world;
}

// ------------------------------------------------------------------------------------------------
// joints

static uint32_t add_limb(PhWorld *world, PhVec2 place, PhShape *shape, double density,
                         int32_t group) {
    PhBodyDef def = ph_body_def();
    def.position = place;
    PhColliderDef material = ph_collider_def();
    material.density = density;
    material.group = group;
    return add(world, &def, &material, &shape, 1);
}

// Between two slots, PH_NULL being the world, at a point (a pulley at its own); no values: as they
// are by default.
static PhId join(PhWorld *world, PhJointKind kind, uint32_t a, uint32_t b, PhVec2 at,
                 const PhJointDef *values) {
    PhError error = {0};
    PhJointDef def = values ? *values : ph_joint_def(kind);
    PhId id;
    def.body[0] = a == PH_NULL ? (PhId){PH_NULL, 0} : ph_body_id(world, a);
    def.body[1] = ph_body_id(world, b);
    if (kind != PH_JOINT_PULLEY) {
        def.anchor[0] = def.anchor[1] = at;
    }
    if (ph_joint_create(world, &def, &id, &error)) {
        die("joint", &error);
    }
    return id;
}

// A doll of a trunk and four limbs of two parts, with limits, springs and motors.
static void add_doll(PhWorld *world, PhVec2 at, int32_t family) {
    PhJointDef loose = ph_joint_def(PH_JOINT_REVOLUTE);
    loose.value[PH_JOINT_LOWER] = -0.7;
    loose.value[PH_JOINT_UPPER] = 0.9;
    loose.value[PH_JOINT_HERTZ] = 2;
    loose.value[PH_JOINT_ZETA] = 0.5;
    loose.value[PH_JOINT_MAX_MOTOR] = 0.02;
    uint32_t trunk = add_limb(world, at, box_at(0.15, 0.3, 0, 0), 1, -family);
    for (int32_t limb = 0; limb < 4; limb++) {
        double x = limb % 2 ? 0.2 : -0.2, y = limb < 2 ? 0.3 : -0.3;
        uint32_t parent = trunk;
        for (int32_t part = 0; part < 2; part++) {
            PhVec2 pin = {at.x + x * (1 + 1.5 * part), at.y + y};
            PhVec2 middle = {pin.x + 0.75 * x, pin.y};
            uint32_t child = add_limb(world, middle, box_at(0.14, 0.05, 0, 0), 1, -family);
            join(world, PH_JOINT_REVOLUTE, parent, child, pin, &loose);
            parent = child;
        }
    }
}

// Twelve links from the world, and a ball of a hundred times their mass.
static void add_chain(PhWorld *world, PhVec2 at, int32_t family) {
    PhError error = {0};
    uint32_t last = PH_NULL;
    for (int32_t link = 0; link < 13; link++) {
        PhVec2 pin = {at.x + 0.4 * link, at.y}, middle = {pin.x + 0.2, at.y};
        PhShape *shape =
            link < 12 ? box_at(0.19, 0.05, 0, 0) : ph_shape_circle(0.3, (PhVec2){0, 0}, &error);
        uint32_t next = add_limb(world, middle, shape, link < 12 ? 1 : 30, -family);
        join(world, PH_JOINT_REVOLUTE, last, next, pin, NULL);
        last = next;
    }
}

// Circles and pins, held by the upper row; larger than a bin, so that threads share it.
static void add_net(PhWorld *world, PhVec2 at, int32_t size, int32_t family) {
    PhError error = {0};
    uint32_t *slots = malloc((size_t)size * (size_t)size * sizeof *slots);
    if (!slots) {
        die("net", NULL);
    }
    for (int32_t k = 0; k < size * size; k++) {
        PhVec2 place = {at.x + 0.5 * (k % size), at.y - 0.5 * (k / size)};
        slots[k] = add_limb(world, place, ph_shape_circle(0.2, (PhVec2){0, 0}, &error), 1, -family);
        uint32_t above = k < size ? PH_NULL : slots[k - size];
        if (above != PH_NULL || k % 6 == 0) {
            join(world, PH_JOINT_REVOLUTE, above, slots[k], (PhVec2){place.x, place.y + 0.25},
                 NULL);
        }
        if (k % size) {
            join(world, PH_JOINT_REVOLUTE, slots[k - 1], slots[k],
                 (PhVec2){place.x - 0.25, place.y}, NULL);
        }
    }
    free(slots);
}

// A cart with two driven wheels that are geared, and a load with one joint of each other kind.
static void add_cart(PhWorld *world, PhVec2 at) {
    PhError error = {0};
    uint32_t cart = add_limb(world, at, box_at(1, 0.2, 0, 0), 1, 0);
    PhJointDef drive = ph_joint_def(PH_JOINT_WHEEL);
    drive.value[PH_JOINT_HERTZ] = 4;
    drive.value[PH_JOINT_ZETA] = 0.7;
    drive.value[PH_JOINT_SPEED] = -5;
    drive.value[PH_JOINT_MAX_MOTOR] = 2;
    for (int32_t side = -1; side <= 1; side += 2) {
        PhVec2 place = {at.x + 0.7 * side, at.y - 0.4};
        uint32_t wheel = add_limb(world, place, ph_shape_circle(0.3, (PhVec2){0, 0}, &error), 1, 0);
        join(world, PH_JOINT_WHEEL, cart, wheel, place, &drive);
    }
    PhId pins[2];
    uint32_t cogs[2];
    for (int32_t k = 0; k < 2; k++) {
        PhVec2 place = {at.x - 0.4 + 0.8 * k, at.y + 0.7};
        cogs[k] = add_limb(world, place, ph_shape_circle(0.3, (PhVec2){0, 0}, &error), 1, 0);
        pins[k] = join(world, PH_JOINT_REVOLUTE, cart, cogs[k], place, NULL);
    }
    PhJointDef gear = ph_joint_def(PH_JOINT_GEAR), ratchet = ph_joint_def(PH_JOINT_RATCHET);
    PhId id;
    gear.geared[0] = pins[0];
    gear.geared[1] = pins[1];
    gear.value[PH_JOINT_RATIO] = 1;
    if (ph_joint_create(world, &gear, &id, &error)) {
        die("gear", &error);
    }
    ratchet.value[PH_JOINT_TOOTH] = 0.3;
    join(world, PH_JOINT_RATCHET, cart, cogs[0], at, &ratchet);
    static const PhJointKind kinds[] = {PH_JOINT_PRISMATIC, PH_JOINT_WELD, PH_JOINT_DISTANCE,
                                        PH_JOINT_MOTOR, PH_JOINT_FILTER};
    for (int32_t k = 0; k < 5; k++) {
        PhVec2 place = {at.x - 1 + 0.5 * k, at.y + 1.4};
        uint32_t load = add_limb(world, place, box_at(0.15, 0.15, 0, 0), 1, 0);
        PhJointDef def = ph_joint_def(kinds[k]);
        def.value[PH_JOINT_HERTZ] = kinds[k] == PH_JOINT_DISTANCE ? 3 : def.value[PH_JOINT_HERTZ];
        def.value[PH_JOINT_BREAK_FORCE] = kinds[k] == PH_JOINT_WELD ? 30 : INFINITY;
        join(world, kinds[k], cart, load, place, &def);
    }
}

// Dolls, chains and carts that fall and swing, pulleys, a net, balls that drop into all of it, and
// sensors on their way.
static PhWorld *joints(int32_t workers, int32_t substeps) {
    PhError error = {0};
    PhWorld *world = make_world((PhVec2){0, -10}, true, workers, substeps);
    add_one(world, PH_STATIC, (PhVec2){0, -1}, box_at(80, 1, 0, 0));
    for (int32_t k = 0; k < 60; k++) {
        add_doll(world, (PhVec2){-70 + 2.0 * (k % 20), 1.2 + 1.5 * (k / 20)}, 1 + k);
    }
    for (int32_t k = 0; k < 20; k++) {
        add_chain(world, (PhVec2){-70 + 2.0 * k, 14 + 0.3 * (k % 4)}, 100 + k);
    }
    for (int32_t k = 0; k < 8; k++) {
        add_cart(world, (PhVec2){-20 + 4.0 * k, 1.5});
        PhJointDef rope = ph_joint_def(PH_JOINT_PULLEY);
        double *value = rope.value;
        uint32_t side[2];
        for (int32_t s = 0; s < 2; s++) {
            PhVec2 place = {-20 + 4.0 * k + 1.5 * s, 6};
            side[s] = add_limb(world, place, box_at(0.3, 0.3, 0, 0), 1 + s, 0);
            rope.anchor[s] = place;
            value[PH_JOINT_GROUND + 2 * s] = place.x;
            value[PH_JOINT_GROUND + 2 * s + 1] = 10;
        }
        value[PH_JOINT_RATIO] = 1;
        join(world, PH_JOINT_PULLEY, side[0], side[1], (PhVec2){0, 0}, &rope);
        PhJointDef mouse = ph_joint_def(PH_JOINT_MOUSE);
        mouse.value[PH_JOINT_POINT] = mouse.value[PH_JOINT_POINT + 1] = 4;
        mouse.value[PH_JOINT_MAX_FORCE] = 20;
        join(world, PH_JOINT_MOUSE, PH_NULL, side[1], (PhVec2){-18.5 + 4.0 * k, 6}, &mouse);
    }
    add_net(world, (PhVec2){20, 30}, 48, 200);
    for (int32_t k = 0; k < 200; k++) {
        PhVec2 place = {-70 + 0.7 * k, 31 + 0.2 * (k % 7)};
        add_limb(world, place, ph_shape_circle(0.25, (PhVec2){0, 0}, &error), 2, 0);
    }
    PhColliderDef ghost = ph_collider_def();
    ghost.sensor = true;
    for (int32_t k = 0; k < 10; k++) {
        PhBodyDef def = ph_body_def();
        def.kind = PH_STATIC;
        def.position = (PhVec2){-65 + 12.0 * k, 3 + 2 * (k % 5)};
        PhShape *shape = box_at(3, 0.5, 0, 0);
        add(world, &def, &ghost, &shape, 1);
    }
    return world;
}

static const struct {
    const char *name;
    PhWorld *(*make)(int32_t workers, int32_t substeps);
} scenes[] = {
    {"large_pyramid", large_pyramid},
    {"many_pyramids", many_pyramids},
    {"tumbler", tumbler},
    {"circles", circles},
    {"mixed", mixed},
    {"materials", materials},
    {"impulses", impulses},
    {"sleepers", sleepers},
    {"joints", joints},
};
enum { SCENE_COUNT = sizeof scenes / sizeof scenes[0] };

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "--list";
    int steps = count > 2 ? atoi(arguments[2]) : 100;
    int workers = count > 3 ? atoi(arguments[3]) : 1;
    int substeps = count > 4 ? atoi(arguments[4]) : 4;
    for (int k = 0; k < SCENE_COUNT; k++) {
        if (strcmp(name, "--list") == 0) {
            puts(scenes[k].name);
        } else if (strcmp(name, scenes[k].name) == 0) {
            PhError error = {0};
            PhWorld *world = scenes[k].make(workers, substeps);
            double start = ph_clock();
            for (int step = 0; step < steps; step++) {
                ph_world_clear_events(world);
                if (ph_world_step(world, 1.0 / 60, &error)) {
                    die("step", &error);
                }
            }
            double spent = ph_clock() - start;
            printf("%s %u bodies %d steps %d workers %.4f ms/step %s hash %016llx\n", name,
                   ph_world_body_count(world), steps, workers, 1e3 * spent / (steps ? steps : 1),
                   ph_world_simd(world), (unsigned long long)ph_world_hash(world));
            ph_world_destroy(world);
            return 0;
        }
    }
    return strcmp(name, "--list") == 0 ? 0 : 2;
}

// Eight scenes without Python: for counting instructions, for watching threads, and for comparing
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
#include "world/world.h"

static void die(const char *what, const PhError *error) {
    fprintf(stderr, "%s: %s\n", what, error ? error->message : "no memory");
    exit(2);
}

static PhWorld *make_world(PhVec2 gravity, bool sleeping, int32_t workers, int32_t substeps) {
    PhError error = {0};
    PhWorldDef def = ph_world_def();
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
    if (ph_bodies_create(world, 1, def, 0, material, 0, shapes, count, &slot, &error)) {
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

// A hundred balls in a frame, and twenty thousand sleepers whom nobody touches.
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
    PhWorldDef def = ph_world_def();
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

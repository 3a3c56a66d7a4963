"""Joints of every kind in lanes, four units of one shape at a time: copies of a mechanism at one
place, which do not collide, against the mechanism alone, bit for bit; and nets of units against
statics.
"""

import itertools

import numpy as np
import pytest

import pyphys2d as p2

DT = 1 / 60
ARRAYS = ("positions", "angles", "velocities", "angular_velocities")
SPRING = {"spring_hertz": 4, "spring_damping_ratio": 0.5}


def free_world(**options):
    return p2.World(**{"gravity": (0, -10), "sleeping": False, **options})


def add_box(world, x, y, **options):
    return world.add_body(p2.Box(1, 0.5), (x, y), mask=0, **options)


def add_circle(world, x, y, **options):
    return world.add_body(p2.Circle(0.4), (x, y), mask=0, **options)


def car(world, k):
    chassis, wheels = add_box(world, 0, 1), []
    for x in (-1, 1):
        wheel = add_circle(world, x, 0.5)
        anchor = (x, 0.5)
        options = {"lower": -0.1, "upper": 0.2, "motor_speed": -3 - k, "max_motor_torque": 0.2 * k}
        world.add_wheel_joint(chassis, wheel, anchor=anchor, axis=(0, 1), **SPRING, **options)
        wheels.append(wheel)
    ground = add_box(world, 0, -1, kind="static")
    world.add_weld_joint(ground, wheels[0], anchor=(0, 0), spring_hertz=2)
    return [chassis, *wheels]


def elevator(world, k):
    cabin, load = add_box(world, 0, 0), add_circle(world, 1.5, 0)
    rail = {"lower": -0.3 * k, "upper": 0.5, "motor_speed": 1, "max_motor_force": 8 * k}
    world.add_prismatic_joint(None, cabin, anchor=(0, 0), axis=(0, 1), **rail)
    world.add_prismatic_joint(cabin, load, anchor=(1.5, 0), axis=(1, 1), lower=-0.2, upper=0.2)
    return [cabin, load]


def welded(world, k):
    bodies = [add_box(world, 1.2 * i, 0, density=1 + i + k) for i in range(4)]
    for a, b in itertools.pairwise(bodies):
        world.add_weld_joint(a, b, anchor=(b.position[0] - 0.6, 0))
    world.add_revolute_joint(None, bodies[0], anchor=(-0.5, 0), lower=-0.4, upper=0.1 * k)
    return bodies


def ring(world, k):
    """Closed by a cut, whose motor drives it."""
    bodies = [add_box(world, x, y) for x, y in ((0, 0), (1, 1), (0, 2), (-1, 1))]
    for i, anchor in enumerate(((0.5, 0.5), (0.5, 1.5), (-0.5, 1.5), (-0.5, 0.5))):
        motor = {"motor_speed": 1 + k, "max_motor_torque": 3} if i == 3 else {}
        world.add_revolute_joint(bodies[i], bodies[(i + 1) % 4], anchor=anchor, **motor)
    return bodies


def gears(world, k):
    wheels = [add_circle(world, x, 0) for x in (0, 1)]
    joints = [world.add_revolute_joint(None, wheel, anchor=wheel.position) for wheel in wheels]
    wheels[0].angular_velocity = 3 * k
    world.add_gear_joint(*joints, ratio=2)
    return wheels


def hoist(world, k):
    """A pulley, a ratchet, and a motor joint that pulls the heavier side."""
    a, b = add_box(world, -1, 0, density=1 + k), add_box(world, 1, 0)
    world.add_pulley_joint(a, b, ground_a=(-1, 3), ground_b=(1, 3))
    world.add_ratchet_joint(None, a, tooth=0.1)
    world.add_motor_joint(None, b, linear_velocity=(0.5, 0), max_force=3 * k, max_torque=1)
    a.angular_velocity = -2 if k % 2 else 2
    return [a, b]


MECHANISMS = [car, elevator, welded, ring, gears, hoist]


def state(world, bodies):
    rows = [body.index for body in bodies]
    return [getattr(world, name)[rows] for name in ARRAYS]


@pytest.mark.parametrize("count", [2, 4, 7])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_what_shares_a_block_changes_no_bit(mechanism, count):
    """Each with numbers of its own: some at their limits or motors' bounds while others are not."""
    many, alone = free_world(), [free_world() for _ in range(count)]
    copies = [mechanism(many, k) for k in range(count)]
    singles = [mechanism(world, k) for k, world in enumerate(alone)]
    for world in (many, *alone):
        world.step(DT, n=90)
    for copy, single, world in zip(copies, singles, alone, strict=True):
        for a, b in zip(state(many, copy), state(world, single), strict=True):
            np.testing.assert_array_equal(a, b)
    loads = np.concatenate([world.joint_state["force"] for world in alone])
    np.testing.assert_array_equal(many.joint_state["force"], loads)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("blow", [30, 300, 3000])
def test_a_blow_to_one_is_no_business_of_its_block(mechanism, blow):
    """A sudden pull has a unit solved again, with more inertia: one of four, and one of two in a
    block that has lanes left over.
    """
    many, alone, struck = free_world(), free_world(), free_world()
    copies = [mechanism(many, 1) for _ in range(6)]
    single, hit = mechanism(alone, 1), mechanism(struck, 1)
    for world in (many, alone, struck):
        world.step(DT, n=20)
    for bodies in (copies[2], copies[5], hit):
        bodies[-1].velocity = (blow, blow)
    for world in (many, alone, struck):
        world.step(DT, n=40)
    for k, copy in enumerate(copies):
        other = (struck, hit) if k in (2, 5) else (alone, single)
        for a, b in zip(state(many, copy), state(*other), strict=True):
            np.testing.assert_array_equal(a, b)


def random_plan(seed):
    """Joints of three to six boxes, of any kinds and with any numbers; -1 is what turns. Springs
    are of angles: others act in another way where there are several.
    """
    random, plan = np.random.default_rng(seed), []
    count = int(random.integers(3, 7))
    places = random.uniform((-1, 0), (1, 3), (count, 2))
    for _ in range(int(random.integers(2, 2 * count))):
        kind = str(random.choice(["revolute", "distance", "prismatic", "weld", "wheel", "pulley"]))
        a, b = int(random.integers(-1, count)), int(random.integers(0, count))
        options = {}
        if kind in ("revolute", "prismatic", "wheel"):
            options["anchor"] = random.uniform(-1, 1, 2)
            most = "max_motor_force" if kind == "prismatic" else "max_motor_torque"
            if random.random() < 0.5:
                options |= {"lower": -random.uniform(0, 1), "upper": random.uniform(0, 1)}
            if random.random() < 0.6:
                options |= {"motor_speed": random.uniform(-5, 5), most: 10 ** random.uniform(-1, 3)}
        if kind in ("prismatic", "wheel"):
            options["axis"] = (random.uniform(-1, 1), 1)
        if kind == "pulley":
            options |= {"ground_a": (0, 6), "ground_b": (2, 6)}
        elif kind in ("revolute", "weld") and random.random() < 0.4:
            options |= {"spring_hertz": random.uniform(0.5, 12), "spring_damping_ratio": 0.3}
        if a != b:
            plan.append((kind, a, b, options))
    return places, 10 ** random.uniform(-1, 2, count), plan


def build_plan(world, places, densities, plan, k):
    turner = add_box(world, -3, 5, kind="kinematic", angular_velocity=1, velocity=(0.5, 0))
    bodies = [add_box(world, *at, density=d) for at, d in zip(places, densities, strict=True)]
    for kind, a, b, options in plan:
        if "motor_speed" in options:
            options = options | {"motor_speed": options["motor_speed"] * (1 + 0.1 * k)}
        ends = turner if a < 0 else bodies[a], bodies[b]
        getattr(world, f"add_{kind}_joint")(*ends, **options)
    return bodies


@pytest.mark.fast_cases(6)
@pytest.mark.parametrize("seed", range(12))
def test_random_mechanisms_move_as_they_do_alone(seed):
    """Six each: a block of four and one of two, of which two lanes are left over."""
    for case in range(10):
        plan = random_plan(100 * seed + case)
        many, alone = free_world(), [free_world() for _ in range(6)]
        copies = [build_plan(many, *plan, k) for k in range(6)]
        singles = [build_plan(world, *plan, k) for k, world in enumerate(alone)]
        for world in (many, *alone):
            world.step(DT, n=40)
        for copy, single, world in zip(copies, singles, alone, strict=True):
            for a, b in zip(state(many, copy), state(world, single), strict=True):
                np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", ["weld", "prismatic", "wheel"])
def test_a_net_of_units_hangs_by_its_weight(kind):
    """A lattice with too many loops for a tree: joints alone, by color."""
    world, size, body = free_world(), 7, {}
    for i in range(size):
        for j in range(size):
            fixed = "static" if j == 0 and i % 3 == 0 else "dynamic"
            body[i, j] = world.add_body(p2.Box(0.4, 0.4), (0.5 * i, -0.5 * j), kind=fixed, mask=0)
    for (i, j), a in body.items():
        for side in ((i + 1, j), (i, j + 1)):
            b = body.get(side)
            if b is None or {a.kind, b.kind} == {"static"}:
                continue
            anchor = tuple((np.array(a.position) + b.position) / 2)
            if kind == "weld" or j % 2:
                world.add_weld_joint(a, b, anchor=anchor)
            else:
                add = getattr(world, f"add_{kind}_joint")
                add(a, b, anchor=anchor, axis=(0, 1), lower=-0.01, upper=0.01)
    forces = []
    for _ in range(500):
        world.velocities *= 0.95
        world.angular_velocities *= 0.95
        world.step(DT)
        table = world.joint_state
        held = world.kinds[table["body_b"]] == 0
        holds = world.kinds[table["body_a"]] == 0
        forces.append(table["force"][holds].sum(axis=0) - table["force"][held].sum(axis=0))
    weight = world.masses[world.kinds == 2].sum() * 10
    np.testing.assert_allclose(np.mean(forces[-60:], axis=0), (0, weight), atol=0.01 * weight)

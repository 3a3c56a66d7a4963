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
@pytest.mark.parametrize("blow", [0, 300])
def test_a_blow_to_one_is_no_business_of_its_block(mechanism, blow):
    """A sudden pull has a unit solved again, with more inertia."""
    many, alone = free_world(), free_world()
    copies = [mechanism(many, 1) for _ in range(4)]
    single = mechanism(alone, 1)
    many.step(DT, n=20)
    alone.step(DT, n=20)
    copies[2][-1].velocity = (blow, blow)
    many.step(DT, n=20)
    alone.step(DT, n=20)
    for k in (0, 1, 3):
        for a, b in zip(state(many, copies[k]), state(alone, single), strict=True):
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

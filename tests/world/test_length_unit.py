"""World(length_unit=u): the twin in metres, u times as large, to the last bit where u is a power of
two; at other units as nearly as a first rounding allows.
"""

import copy
import json
import math
import pickle
import random
import sys
from pathlib import Path

import numpy as np
import pytest
from scaled_worlds import Scaled

import pyphys2d as p2

sys.path.append(str(Path(__file__).parent.parent / "fuzz"))
import determinism_worlds

UNITS = (64.0, 2.0**-10)
POWERS = {  # of length, of what is read
    **dict.fromkeys(("max_speed", "restitution_threshold", "hit_event_threshold"), 1),
    **dict.fromkeys(("contact_push_speed", "slop"), 1),
}


def rows(world, unit=1.0):
    """Where bodies are and how they move, in metres."""
    alive = world.alive
    return np.column_stack(
        [
            world.positions[alive] / unit,
            world.angles[alive],
            world.velocities[alive] / unit,
            world.angular_velocities[alive],
            world.awake[alive],
        ]
    )


def pile(q, steps):
    world = q.World((0, -10))
    world.add_body(q.Box(40, 2), (0, -1), kind="static")
    k = np.arange(60)
    places = np.stack([1.02 * (k % 10) - 5, 0.6 + 1.1 * (k // 10)], 1)
    world.add_bodies(q.Box(1, 1), places, restitution=(k % 4) * 0.1, friction=0.2 + 0.01 * k)
    for i in range(20):
        shape = [q.Circle(0.3), q.Capsule((-0.3, 0), (0.3, 0), 0.2), q.RegularPolygon(5, 0.4)][
            i % 3
        ]
        world.add_body(shape, (0.7 * i - 7, 9 + 0.3 * i), 0.2 * i, rolling_resistance=0.02)
    yield from run(q, world, steps)


def joints(q, steps):
    world = q.World((0, -10))
    world.add_body(q.Box(40, 2), (0, -4), kind="static")
    last = None
    for i in range(8):
        link = world.add_body(q.Box(0.8, 0.2), (0.8 * i + 0.4, 3))
        world.add_revolute_joint(last, link, anchor=(0.8 * i, 3), lower=-2, upper=2)
        last = link
    weight = world.add_body(q.Box(1, 1), (8, 3), mass=50)
    world.add_distance_joint(last, weight, lower=0.2, upper=2)
    a, b = (world.add_body(q.Circle(0.4), (-4 + 2 * i, 2)) for i in range(2))
    world.add_prismatic_joint(None, a, axis=(0, 1), motor_speed=1, max_motor_force=30, upper=2)
    world.add_weld_joint(a, b, spring_hertz=3)
    world.add_wheel_joint(a, world.add_body(q.Circle(0.3), (-4, 1)), spring_hertz=4)
    world.add_mouse_joint(b, target=(-1, 4), max_force=100)
    c, d = (world.add_body(q.Box(0.5, 0.5), (-9 + 3 * i, 1)) for i in range(2))
    world.add_pulley_joint(c, d, ground_a=(-9, 5), ground_b=(-6, 5), ratio=1.5)
    e = world.add_body(q.Circle(0.4), (-12, 1))
    world.add_motor_joint(None, e, linear_velocity=(1, 0.5), max_force=40, max_torque=3)
    world.add_distance_joint(None, e, anchor_a=(-12, 4), stiffness=30, damping=1, break_force=60)
    yield from run(q, world, steps)


def ropes(q, steps):
    """Chains of light links that carry heavy weights, and one-sided chains below them."""
    world = q.World((0, -10))
    line = [(-20, 6), (-15, 0), (-6, -1), (3, 0.5), (15, 0), (20, 6)]
    world.add_body(q.Chain(line), kind="static")
    for column in range(3):
        x, last = 5.0 * column - 5, None
        for i in range(7):
            link = world.add_body(q.Capsule((0, -0.2), (0, 0.2), 0.08), (x, 9 - 0.5 * i))
            world.add_revolute_joint(last, link, anchor=(x, 9.25 - 0.5 * i))
            last = link
        ball = world.add_body(q.Circle(0.5), (x, 5.2), mass=200, velocity=(4, 0))
        world.add_revolute_joint(last, ball, anchor=(x, 5.75))
    for i in range(12):
        world.add_body(q.RegularPolygon(3 + i % 4, 0.4), (2.5 * i - 14, 2 + i), 0.3 * i)
    yield from run(q, world, steps)


def fast(q, steps):
    """Bullets through walls, and what turns fast."""
    world = q.World((0, -10))
    world.add_body(q.Box(40, 1), (0, -0.5), kind="static")
    for x in (-8, 8):
        world.add_body(q.Box(0.15, 8), (x, 4), kind="static")
    world.add_body(q.Segment((-3, 2), (3, 2.5)), kind="static")
    world.add_body(q.Box(4, 0.2), (0, 5), kind="kinematic", angular_velocity=9)
    for i in range(14):
        shape = q.Circle(0.1) if i % 2 else q.Box(0.3, 0.15)
        velocity = (math.ldexp(200 - 31 * i, 0), 11.0 * i - 90)
        spin = 30.0 * i - 200
        world.add_body(shape, (0.4 * i - 3, 1.2), velocity=velocity, angular_velocity=spin,
                       bullet=i % 3 == 0, restitution=0.3)  # fmt: skip
    yield from run(q, world, steps)


def fields(q, steps):
    world = q.World((0, -10))
    world.add_fluid(2.5, 2.0, 1.0, quadratic_drag=0.5, flow=(0.5, 0))
    world.add_wind((6, 1), 1.2, drag=0.4, lift=0.3)
    world.add_drag(linear=0.01, quadratic=0.02, clamped=0.3, angular=0.01)
    world.add_point_gravity((0, 9), 20, softening=0.5, power=2, radius=30)
    world.add_body(q.Box(40, 1), (0, -0.5), kind="static")
    gate = world.add_body(q.Box(3, 3), (0, 4), kind="static", sensor=True)
    for i in range(16):
        shape = [q.Box(0.8, 0.5), q.Circle(0.4), q.RegularPolygon(6, 0.5)][i % 3]
        world.add_body(shape, (1.1 * i - 8, 3 + 0.2 * (i % 5)), 0.2 * i, velocity=(2, 1))
    for row in run(q, world, steps):
        inside = q.worlds[-1].bodies[gate.index].colliders[0]
        yield np.append(row.ravel(), [len(q.worlds[-1].events.sensor_begin), inside.index])


def wrapped(q, steps):
    world = q.World((0.5, -3), wrap=(12, 16))
    for i in range(24):
        shape = [q.Box(0.9, 0.6), q.Circle(0.4), q.Polygon([(0, 0), (1, 0), (0.2, 0.8)])][i % 3]
        world.add_body(shape, (0.5 * i, 13.0 * i % 16), 0.3 * i, velocity=(3, -1))
    yield from run(q, world, steps)


def tutorial(q, steps):
    world = q.World((0, -10), solver="sequential_impulses")
    world.add_body(q.Box(40, 2), (0, -1), kind="static")
    k = np.arange(20)
    places = np.stack([1.1 * (k % 5) - 2, 0.57 + 1.13 * (k // 5)], 1)
    world.add_bodies(q.Box(1, 1), places, restitution=0.2)
    a = world.add_body(q.Circle(0.4), (6, 5))
    world.add_distance_joint(None, a, anchor_a=(8, 6))
    yield from run(q, world, steps)


def run(q, world, steps):
    for _ in range(steps):
        world.step(1 / 60)
        yield rows(q.worlds[-1], q.unit)


SCENES = (pile, joints, ropes, fast, fields, wrapped, tutorial)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("scene", SCENES)
def test_a_power_of_two_gives_the_bits_of_the_twin_in_metres(scene, unit):
    steps = 100
    for a, b in zip(scene(Scaled(1.0), steps), scene(Scaled(unit), steps), strict=True):
        np.testing.assert_array_equal(a, b)


# What the solver iterates on is float32, of heavy weights on light links with few digits to spare.
NEAR = {pile: 1e-5, joints: 1e-5, ropes: 2e-3, fields: 1e-12, wrapped: 1e-12, tutorial: 1e-7}


@pytest.mark.parametrize("unit", [100.0, 0.001])
@pytest.mark.parametrize("scene", NEAR)
def test_another_unit_goes_the_same_way_before_chaos(scene, unit):
    for a, b in zip(scene(Scaled(1.0), 8), scene(Scaled(unit), 8), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=NEAR[scene])


def test_a_pile_falls_asleep_at_the_same_step():
    for unit in UNITS:
        twins = pile(Scaled(1.0), 600), pile(Scaled(unit), 600)
        slept = [np.array([row[:, -1].sum() for row in twin]) for twin in twins]
        np.testing.assert_array_equal(*slept)
        assert slept[0].min() < slept[0].max()


def test_a_character_walks_the_same_way():
    paths = []
    for unit in (1.0, *UNITS):
        q = Scaled(unit)
        world = q.World((0, -10))
        steps = [(-9, 0), (-3, 0), (-3, 0.2), (0, 0.2), (3, 1.5), (9, 1.5)]
        world.add_body(q.Chain(steps), kind="static")
        world.add_body(q.Box(0.6, 0.6), (1, 1.5), mass=3)
        capsule = q.Capsule((0, 0.3), (0, 1.5), 0.3)
        hero = p2.CharacterMover(q.worlds[0], capsule, (-6 * unit, 0.01 * unit), mass=1.5)
        path = []
        for _ in range(150):
            world.step(1 / 60)
            hero.move((4 * unit, 0 if hero.grounded else -3 * unit), 1 / 60)
            path.append([*(np.array(hero.position) / unit), hero.grounded])
        paths.append(np.array(path))
    assert paths[0][-1, 0] > -1
    for path in paths[1:]:
        np.testing.assert_array_equal(paths[0], path)


# Lines that are read, or that add numbers of a unit of 1 to arrays. No polygon is thinner than
# 0.1 mm, so units are not as small as above, and what is cut is so in larger units alone.
LEFT_OUT = ("w.on_", "see(", "stages", "k = np")


def answers(lines, unit):
    """Of a program of `determinism_worlds`, after each step."""
    q, found = Scaled(unit), []
    space = {"math": math, "np": np, "p2": q, "WORKERS": 1, "b": {}, "j": {}, "f": {}}
    for line in lines:
        try:
            exec(line, space)
        except Exception as error:
            found.append(type(error).__name__)
        if "step(" in line and q.worlds:
            found.append(rows(q.worlds[0], unit).tobytes())
    return found


def bounded(lines):
    """Without numbers that are larger than a world takes when they are scaled, and without the mass
    of a line, of which the density is one along its length."""
    return [
        line.replace("update_mass=True", "update_mass=False") if "Chain(" in line else line
        for line in lines
        if not line.startswith(LEFT_OUT) and "stages" not in line and "e+" not in line
    ]


def hold_random_worlds(seeds):
    different, same = [], 0
    for seed in seeds:
        lines = bounded(determinism_worlds.program(seed, 0))
        if any("1000000000" in line or "max_speed=10000" in line for line in lines):
            continue
        unit = random.Random(seed).choice((64.0, 2.0**-4))
        same += 1
        if unit < 1:
            lines = [line for line in lines if "w.slice(" not in line]
        if answers(lines, 1.0) != answers(lines, unit):
            different.append((seed, unit))
    assert not different
    assert same > len(seeds) / 2


def test_random_worlds():
    hold_random_worlds(range(20))


@pytest.mark.slow
def test_more_random_worlds():
    hold_random_worlds(range(20, 150))


# ------------------------------------------------------------------------------------- the setting


def test_defaults_follow_and_what_is_given_is_taken():
    metres = p2.World(solver="sequential_impulses")
    pixels = p2.World(length_unit=100, solver="sequential_impulses")
    assert (metres.length_unit, pixels.length_unit) == (1, 100)
    for name in POWERS:
        assert getattr(pixels, name) == pytest.approx(100 * getattr(metres, name), rel=1e-15)
    np.testing.assert_array_equal(pixels.gravity, metres.gravity)
    assert pixels.contact_hertz == metres.contact_hertz
    given = p2.World(length_unit=100, max_speed=7, restitution_threshold=3)
    assert (given.max_speed, given.restitution_threshold) == (7, 3)


@pytest.mark.parametrize("bad", [0, -1, 1e-7, 1e7, math.inf, math.nan])
def test_units_out_of_range_are_refused_by_name(bad):
    with pytest.raises(ValueError, match="length_unit: must be"):
        p2.World(length_unit=bad)


def test_it_is_settled_when_a_world_is_made():
    world = p2.World(length_unit=100)
    with pytest.raises(AttributeError, match="length_unit"):
        world.length_unit = 1
    with pytest.raises(TypeError, match="length_unit"):
        p2.World(length_unit="metre")
    assert p2.World(length_unit=1).hash() == p2.World().hash()
    assert p2.World(length_unit=2, max_speed=400).hash() != p2.World(max_speed=400).hash()


def boxes():
    world = p2.World(gravity=(0, -900), length_unit=100)
    world.add_body(p2.Box(2000, 40), (0, -20), kind="static")
    for i in range(6):
        world.add_body(p2.Box(100, 90), (20 * i, 60 + 110 * i), 0.1 * i, restitution=0.3, mass=2)
    world.step(1 / 60, n=40)
    return world


@pytest.mark.parametrize(
    "again",
    [
        copy.copy,
        lambda world: pickle.loads(pickle.dumps(world)),
        lambda world: p2.World.from_snapshot(world.snapshot()),
    ],
)
def test_copies_have_it_and_the_same_future(again):
    world = boxes()
    other = again(world)
    assert other.length_unit == 100
    world.step(1 / 60, n=60)
    other.step(1 / 60, n=60)
    assert other.hash() == world.hash()


def test_a_world_that_becomes_another_takes_its_unit():
    world, other = boxes(), p2.World()
    other.restore(world.snapshot())
    assert other.length_unit == 100
    world.step(1 / 60, n=30)
    other.step(1 / 60, n=30)
    assert other.hash() == world.hash()


def test_scene_files_keep_it(tmp_path):
    world = boxes()
    path = tmp_path / "pixels.json"
    p2.save(world, path)
    data = json.loads(path.read_text())
    assert data["world"] == {"gravity": [0, -900], "length_unit": 100}
    loaded = p2.load(path)
    assert loaded.length_unit == 100
    assert loaded.max_speed == world.max_speed


def test_call_logs_keep_it(tmp_path):
    world, path = boxes(), tmp_path / "pixels.calls"
    with world.record_calls(path):
        world.step(1 / 60, n=20)
    again = p2.replay(path)
    assert again.same
    assert (again.world.length_unit, again.world.hash()) == (100, world.hash())


def test_diff_tells():
    assert any("length_unit" in row[0] for row in p2.World().diff(p2.World(length_unit=2)))


def test_check_suggests_the_size_of_the_bodies():
    world = p2.World(gravity=(0, -900))
    for size in (80, 110, 130):
        world.add_body(p2.Box(size, size), (8 * size, 0), mass=1)
    (finding,) = world.check()
    assert (finding.kind, "World(length_unit=100)" in finding.message) == ("scale", True)
    world = p2.World()
    world.add_body(p2.Circle(0.0012), mass=1e-6)
    (finding,) = world.check()
    assert (finding.kind, "World(length_unit=0.002)" in finding.message) == ("scale", True)
    fitting = p2.World(gravity=(0, -900), length_unit=100)
    fitting.add_body(p2.Box(100, 100), mass=1)
    assert fitting.check() == []

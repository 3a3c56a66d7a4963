"""Contacts ahead of time: what passes is not touched, what is hit goes as theory says, what lands
flat stays flat, and floors of pieces are floors.
"""

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d import geometry

DT = 1 / 60
SHAPES = {
    "ball": lambda s: p2.Circle(s),
    "box": lambda s: p2.Box(2 * s, 0.8 * s),
    "capsule": lambda s: p2.Capsule((-s, 0), (s, 0), 0.3 * s),
    "triangle": lambda s: p2.Polygon([(-s, -0.5 * s), (s, -0.5 * s), (0, s)]),
    "hexagon": lambda s: p2.RegularPolygon(6, s),
    "decagon": lambda s: p2.RegularPolygon(10, s),
    "segment": lambda s: p2.Segment((-s, 0), (s, 0)),
    "chain": lambda s: p2.Chain([(-2 * s, 0), (-s, 0.1 * s), (0, 0), (s, 0)]),
}


def least_distance(a, b, motion_a, pose_b, start, end):
    """Over a time: sampled, and once more around the least of the samples."""
    for count in (801, 401):
        time = np.linspace(start, end, count)
        distance = geometry.distance(a, b, motion_a(time), pose_b)["distance"]
        least = time[distance.argmin()]
        step = time[1] - time[0]
        start, end = least - step, least + step
    return distance.min()


def side_with_gap(a, b, motion, pose_b, gap, end):
    """How far a's way has to be moved sideways for the two to pass with that gap."""
    low, high = 0.0, 8.0
    for _ in range(20):
        side = 0.5 * (low + high)
        if least_distance(a, b, lambda time, y=side: motion(time, y), pose_b, 0, end) < gap:
            low = side
        else:
            high = side
    return high


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("spins", [False, True])
def test_what_passes_is_not_touched(name, spins):
    """Gaps of 2 to 45 mm at 1 to 100 m/s, in any phase; the struck one static or dynamic."""
    r = np.random.default_rng(list(SHAPES).index(name))
    for k in range(20):
        b = SHAPES[name](r.uniform(0.1, 1))
        a = list(SHAPES.values())[r.integers(7)](r.uniform(0.1, 1))
        dynamic = name not in ("segment", "chain") and k % 2 == 0
        speed = 10 ** r.uniform(0, 2)
        spin = r.uniform(-10, 10) * min(1, speed / 10) if spins else 0
        angle_a, angle_b = r.uniform(0, 6.28, 2)
        end = 4 * DT + 3 / speed
        start = -speed * (0.5 * end + r.uniform(0, DT))

        def motion(time, y, start=start, speed=speed, angle=angle_a, spin=spin):
            return np.column_stack([start + speed * time, y + 0 * time, angle + spin * time])

        gap = 10 ** r.uniform(np.log10(2.1e-3), np.log10(45e-3))
        y = side_with_gap(a, b, motion, (0, 0, angle_b), gap, end)
        world = p2.World(gravity=(0, 0), sleeping=False)
        kind = "dynamic" if dynamic else "static"
        other = world.add_body(b, (0, 0), angle_b, kind=kind)
        body = world.add_body(
            a, (start, y), angle_a, velocity=(speed, 0), angular_velocity=spin, bullet=k % 3 == 0
        )
        world.step(n=int(end / DT) + 1)
        np.testing.assert_allclose(body.velocity, (speed, 0), atol=1e-5 * speed, err_msg=f"{k}")
        assert body.angular_velocity == pytest.approx(spin, abs=1e-4)
        np.testing.assert_array_equal(other.velocity, (0, 0))


@pytest.mark.parametrize("restitution", [0.0, 1.0])
@pytest.mark.parametrize("speed", [5.0, 10.0, 20.0, 50.0])
@pytest.mark.parametrize("b", [0.3, 0.6, 0.9, 0.95])
def test_glancing_hits_of_discs_are_those_of_theory(b, speed, restitution):
    """Offset b of two radii: the impulse is (1 + e) / 2 m v cos along the line of centres."""
    radius = 0.25
    for phase in np.linspace(0, 1, 7):
        world = p2.World(gravity=(0, 0), sleeping=False, restitution_threshold=0)
        striking, struck = (
            world.add_body(p2.Circle(radius), place, friction=0, restitution=restitution)
            for place in ((-3 - speed * DT * phase, 2 * radius * b), (0, 0))
        )
        striking.velocity = (speed, 0)
        world.step(n=int(6 / speed / DT) + 6)
        normal = np.array([np.sqrt(1 - b * b), -b])
        gained = (1 + restitution) / 2 * speed * normal[0] * normal
        np.testing.assert_allclose(struck.velocity, gained, atol=0.002 * speed)
        np.testing.assert_allclose(striking.velocity, (speed, 0) - gained, atol=0.002 * speed)


@pytest.mark.parametrize("friction", [0.0, 0.6])
@pytest.mark.parametrize("size", [(1, 1), (1, 0.4), (0.3, 2)])
def test_what_hits_a_wall_flat_stays_there(size, friction):
    for speed in (1, 5, 20, 100, 400):
        for phase in np.linspace(0, 1, 5):
            world = p2.World(gravity=(0, 0), sleeping=False)
            world.add_body(p2.Box(100, 1), (0, -0.5), kind="static", friction=friction)
            height = 0.5 * size[1] + 0.01 + speed * DT * (1 + phase)
            body = world.add_body(
                p2.Box(*size), (0, height), velocity=(0, -speed), friction=friction
            )
            world.step(n=10)
            assert np.hypot(*body.velocity) < 1e-3 * speed
            assert abs(body.angular_velocity) * max(size) < 1e-3 * speed


def test_columns_that_are_dropped_upright_stay_upright():
    for k in range(20):
        world = p2.World(gravity=(0, -10))
        world.add_body(p2.Box(100, 1), (0, -0.5), kind="static")
        body = world.add_body(p2.Box(0.4, 2.4), (0, 2.9 + 0.01 * k))
        world.step(n=240)
        assert abs(body.angle) < 1e-3


@pytest.mark.parametrize("restitution", [0.0, 0.8])
def test_balls_land_on_tiles_as_on_one_floor(restitution):
    """Tiles of 1 m, flush: what lies behind the first is no wall. One landing in each run; it may
    come a step earlier or later.
    """
    r = np.random.default_rng(5)
    for _ in range(40):
        vx, vy = 10 ** r.uniform(0.3, 1.5), -r.uniform(2, 8)
        x, y = r.uniform(-15, -14), 0.5 + r.uniform(0.02, 0.3)
        ends = []
        for tiles in (False, True):
            world = p2.World(gravity=(0, -10), sleeping=False)
            for k in range(-20, 20) if tiles else (0,):
                shape = p2.Box(1, 1) if tiles else p2.Box(400, 1)
                world.add_body(shape, (k + 0.5, -0.5), kind="static", restitution=restitution)
            body = world.add_body(
                p2.Circle(0.5), (x, y), velocity=(vx, vy), restitution=restitution
            )
            world.step(n=12)
            ends.append([*body.velocity, body.angular_velocity * 0.5])
        np.testing.assert_allclose(ends[1], ends[0], atol=0.01 * np.hypot(vx, vy) + 10 * DT)

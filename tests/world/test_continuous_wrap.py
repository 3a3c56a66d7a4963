"""Continuous collision across the seams of a wrapped world."""

import numpy as np
import pytest
from clock import within

import pyphys2d as p2
from pyphys2d import geometry

SIZE = np.array([30.0, 24.0])
SHAPES = [
    p2.Circle(0.3),
    p2.Box(0.7, 0.5),
    p2.Capsule((-0.6, 0), (0.6, 0), 0.05),
    p2.Polygon([(-0.5, -0.5), (0.5, -0.5), (0.5, -0.3), (-0.3, -0.3), (-0.3, 0.5), (-0.5, 0.5)]),
]


def between(places, others):
    gap = np.asarray(places) - others
    return gap - np.round(gap / SIZE) * SIZE


@pytest.mark.parametrize("kind", ["static", "kinematic", "dynamic"])
def test_of_a_thousand_shots_over_a_seam_none_passes(kind):
    """A wall beyond a seam or a corner of the plane, at any angle."""
    rng = np.random.default_rng(6)
    crossed = 0
    for k in range(1000):
        world = p2.World((0, 0), wrap=SIZE, sleeping=False)
        angle = rng.uniform(-np.pi, np.pi)
        normal = geometry.direction(angle)
        along = np.array([-normal[1], normal[0]])
        corner = SIZE * rng.integers(0, 2, 2)
        at = corner + rng.uniform(-0.5, 0.5, 2)
        speed = rng.uniform(-20, 20) * (kind == "kinematic")
        wall = world.add_body(
            p2.Box(10 ** rng.uniform(-3, -0.5), 10), at, angle, kind=kind, velocity=speed * normal
        )
        if kind == "dynamic":
            wall.mass = 50
        start = at - rng.uniform(1.3, 5) * normal + rng.uniform(-2, 2) * along
        body = world.add_body(
            SHAPES[k % len(SHAPES)],
            start,
            rng.uniform(-3, 3),
            velocity=rng.uniform(100, 390) * geometry.direction(angle + rng.uniform(-0.4, 0.4)),
            angular_velocity=rng.uniform(-30, 30),
            bullet=kind == "dynamic",
        )
        for _ in range(5):
            crossed += (np.floor(start / SIZE) != np.floor(wall.position / SIZE)).any()
            world.step()
            gap = between(body.to_world(body.center_of_mass), wall.position)
            x, y = (
                gap @ geometry.direction(wall.angle),
                gap @ geometry.direction(wall.angle + np.pi / 2),
            )
            if abs(y) > 4:
                break
            assert x < 0, k
    assert crossed > 1000


def test_bullets_stop_bullets_over_a_seam_and_a_corner():
    dt = 1 / 60
    for va, vb in (((300, 0), (-300, 0)), ((300, 0), (0, 300)), ((380, 90), (100, 0))):
        for part in np.linspace(0.05, 0.95, 10):
            for at in ((0.2, 12), (15, 23.9), (29.9, 0.1)):
                world = p2.World((0, 0), wrap=SIZE)
                va, vb, t = np.asarray(va, float), np.asarray(vb, float), (1 + part) * dt
                a = world.add_body(
                    p2.Circle(0.1), at - t * va, velocity=va, bullet=True, friction=0
                )
                world.add_body(p2.Circle(0.1), at - t * vb, velocity=vb, bullet=True, friction=0)
                world.step(n=4)
                assert np.hypot(*(a.velocity - va)) > 20
                assert world.momentum() == pytest.approx(a.mass * (va + vb), rel=1e-4, abs=0.02)


def crowd(shift, **options):
    """Fast bodies among walls that stay, turn and fly, and bullets."""
    rng = np.random.default_rng(9)
    world = p2.World((0, 0), wrap=SIZE, **options)
    for k in range(8):
        world.add_body(p2.Box(0.05, 6), rng.uniform((0, 0), SIZE) + shift, k, kind="static")
    world.add_body(p2.Box(0.1, 8), np.add((3, 4), shift), kind="kinematic", angular_velocity=25)
    world.add_body(p2.Box(0.1, 5), np.add((20, 9), shift), kind="kinematic", velocity=(150, 40))
    for k in range(48):
        world.add_body(
            SHAPES[k % len(SHAPES)],
            rng.uniform((0, 0), SIZE) + shift,
            velocity=rng.uniform(-250, 250, 2),
            angular_velocity=rng.uniform(-30, 30),
            bullet=k % 5 == 0,
            restitution=0.3,
        )
    return world


@pytest.mark.parametrize("shift", [(11.3, -7.9), (-14.0, 0.0), (0.01, 12.5)])
def test_the_seam_is_nowhere(shift):
    """The first step of a crowd is the same wherever the seams lie, and so is who was stopped."""
    one, two = crowd((0, 0)), crowd(shift)
    for step in range(3):
        one.step()
        two.step()
        assert one.counters["stopped"] == two.counters["stopped"] > 3
        away = between(two.positions, np.add(one.positions, shift))
        assert abs(away).max() < 1e-9 * 1000**step  # what meets thins out differences
    assert (one.positions >= 0).all()
    assert (two.positions < SIZE).all()


def test_bits_do_not_depend_on_workers_nor_on_the_broad_phase():
    hashes = set()
    for options in ({}, {"workers": 3}, {"broadphase": "tree"}, {"broadphase": "all_pairs"}):
        world = crowd((0, 0), **options)
        world.step(n=30)
        assert np.isfinite(world.positions).all()
        hashes.add(world.hash())
    assert len(hashes) == 1


@pytest.mark.parametrize("asleep", [False, True])
def test_a_fast_paddle_takes_along_what_rests_beyond_the_seam(asleep):
    world = p2.World((0, 0), wrap=SIZE)
    paddle = world.add_body(p2.Box(0.05, 11), (28, 12), kind="kinematic", velocity=(200, 0))
    balls = [
        world.add_body(p2.Circle(0.2), (29.8 + 0.1 * k, 9 + k), awake=not asleep) for k in range(6)
    ]
    world.step(n=4)
    for ball in balls:
        assert ball.awake
        assert 0 < between(ball.position, paddle.position)[0] < 3
        assert ball.velocity[0] == pytest.approx(200, rel=0.02)
        assert (ball.position >= 0).all()
        assert (ball.position < SIZE).all()


@pytest.mark.parametrize("speed", [90, 300, 390])
def test_sensors_crossed_over_a_seam_in_one_step_tell_both_ends(speed):
    """Ways of more than half of the world, too: 6.5 m of 9 m."""
    for at in np.linspace(0.3, 8.9, 7):
        for sign in (1, -1):
            world = p2.World((0, 0), wrap=(9, 9))
            gate = world.add_body(p2.Box(0.01, 2), (at, 4), kind="static", sensor=True)
            shot = world.add_body(
                p2.Circle(0.05), (at - sign * 0.5, 4), velocity=(sign * speed, 0), bullet=True
            )
            world.add_body(p2.Box(0.01, 2), (at - sign, 4), kind="static", sensor=True)
            world.step()
            events = world.events
            for rows in (events.sensor_begin, events.sensor_end):
                assert [(r["body_a"], r["body_b"]) for r in rows] == [(gate.index, shot.index)]


def test_ways_around_the_world_end():
    """Meeting what lies on the first round, and nothing absurd."""
    world = p2.World((0, 0), wrap=(2.0, np.inf))
    world.add_body(p2.Box(0.01, 0.9), (1.0, 0), kind="static")
    ball = world.add_body(p2.Circle(0.1), (1.2, 0), velocity=(399, 0))
    world.step()  # 6.6 m
    assert ball.position[0] == pytest.approx(1.0 - 0.005 - 0.1 - 1e-3, abs=1e-6)
    for speed in (1e4, 1e7, 1e9):
        world = p2.World((0, 0), wrap=(2.0, 3.0), max_speed=1e6)
        world.add_body(p2.Box(0.01, 0.9), (1.0, 0), kind="kinematic", velocity=(speed, -speed))
        world.add_body(p2.Circle(0.1), (1.2, 0), velocity=(-1e5, 3e5), bullet=True)
        world.add_body(p2.Circle(0.1), (0.2, 1))
        world.step(n=3)
        assert np.isfinite(world.positions).all()


def test_a_kinematic_wall_goes_the_way_of_its_velocity_or_the_shortest_to_its_target():
    """6 m of 9 m in a step; a target over the seam is half a metre away."""
    for x, touched in ((4.0, True), (0.5, True), (8.0, False)):  # from 0 to 6
        world = p2.World((0, 0), wrap=(9, 9))
        wall = world.add_body(p2.Box(0.1, 3), (0.0, 4), kind="kinematic", velocity=(360, 0))
        ball = world.add_body(p2.Circle(0.1), (x, 4))
        gate = world.add_body(p2.Box(0.1, 1), (x, 1), kind="static", sensor=True, mask=2)
        world.add_body(p2.Box(0.1, 1), (0.0, 1), kind="kinematic", velocity=(360, 0), category=2)
        world.step()
        assert (abs(ball.position[0] - x) > 0.1) == touched
        assert [r["body_a"] for r in world.events.sensor_begin] == [gate.index] * touched
        assert wall.position[0] == pytest.approx(6)
    world = p2.World((0, 0), wrap=(9, 9))
    gates = [world.add_body(p2.Box(0.01, 3), (x, 4), kind="static", sensor=True) for x in (0, 2, 7)]
    wall = world.add_body(p2.Box(0.1, 3), (8.75, 4), kind="kinematic")
    wall.move_to((0.25, 4), 0, 1 / 60)
    world.step()
    assert tuple(wall.position) == (0.25, 4)
    assert [r["body_a"] for r in world.events.sensor_begin] == [gates[0].index]


@pytest.mark.parametrize("dt", [0.1, 1.0])
@pytest.mark.parametrize("speed", [400.0, 1e8])
def test_what_goes_around_too_often_sweeps_nothing(speed, dt):
    """A sensor's way was searched in every image that its bounding box meets: 48 s a step."""
    world = p2.World((0, 0), wrap=(3, 2), max_speed=1e9)
    rng = np.random.default_rng(3)
    angles = rng.uniform(-np.pi, np.pi, 60)
    ways = speed * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    places = rng.uniform(0, 2, (60, 2))
    world.add_bodies(p2.Circle(0.05), places, velocity=ways, sensor=True, kind="kinematic")
    world.add_bodies(p2.Box(0.1, 0.1), places[::-1], velocity=ways, kind="kinematic")
    world.add_bodies(p2.Circle(0.05), places, velocity=ways[::-1], bullet=True)
    with within(10):
        for _ in range(3):
            world.step(dt)
    assert (world.positions >= 0).all()
    assert (world.positions <= (3, 2)).all()
    np.testing.assert_allclose(world.velocities[:60], ways)

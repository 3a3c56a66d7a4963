"""Energy of a body, forces in its frame, its sleep threshold, what wakes; damping of a world."""

import numpy as np
import pytest

import pyphys2d as p2


def test_kinetic_energy():
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Box(2, 1), velocity=(3, 4), angular_velocity=2)
    assert body.kinetic_energy == pytest.approx(0.5 * 2 * 25 + 0.5 * body.inertia * 4, rel=1e-15)
    other = world.add_body(p2.Circle(1), (9, 0), velocity=(0, 1))
    door = world.add_body(p2.Box(1, 1), (20, 0), kind="kinematic", velocity=(5, 0))
    assert door.kinetic_energy == 0
    total = body.kinetic_energy + other.kinetic_energy
    assert world.kinetic_energy() == pytest.approx(total, rel=1e-15)


@pytest.mark.parametrize("wrap", [None, (10, 10)])
def test_forces_in_the_frame_of_the_body(wrap):
    world = p2.World(gravity=(0, 0), wrap=wrap)
    one = world.add_body(p2.Box(2, 1), (4.5, 1), 0.7)
    other = world.add_body(p2.Box(2, 1), (4.5, -3), 0.7)
    force, point = np.array([1.0, -2.0]), np.array([0.9, 0.3])
    one.apply_force(force, point, local=True)
    other.apply_force(other.to_world(force, vectors=True), other.to_world(point))
    assert one.world.forces[one.index] == pytest.approx(world.forces[other.index], rel=1e-14)
    torque = point[0] * force[1] - point[1] * force[0]
    assert world.torques[one.index] == pytest.approx(torque, rel=1e-12)
    one.apply_impulse(force, point, local=True)
    other.apply_impulse(other.to_world(force, vectors=True), other.to_world(point))
    np.testing.assert_allclose(one.velocity, other.velocity, rtol=1e-14)
    assert one.angular_velocity == pytest.approx(torque / one.inertia, rel=1e-12)


def test_a_local_push_without_a_point_does_not_turn():
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Box(2, 1), angle=np.pi / 2)
    body.apply_impulse((4, 0), local=True)
    np.testing.assert_allclose(body.velocity, (0, 2), atol=1e-15)
    assert body.angular_velocity == 0


def test_vectors_and_velocities_in_the_frame_of_the_body():
    world = p2.World()
    body = world.add_body(p2.Box(2, 1), (5, 6), np.pi / 2, velocity=(1, 0), angular_velocity=2)
    np.testing.assert_allclose(body.to_world((1, 0), vectors=True), (0, 1), atol=1e-15)
    np.testing.assert_allclose(body.to_local((0, 1), vectors=True), (1, 0), atol=1e-15)
    points = np.array([[[1.0, 0.0], [0.0, 1.0]]])
    turned = body.to_world(points, vectors=True)
    assert turned.shape == points.shape
    np.testing.assert_allclose(body.to_local(turned, vectors=True), points, atol=1e-15)
    np.testing.assert_allclose(body.velocity_at((1, 0), local=True), (1 - 2 * 1, 0), atol=1e-15)
    np.testing.assert_allclose(
        body.velocity_at(points, local=True), body.velocity_at(body.to_world(points)), atol=1e-14
    )


def test_a_sleep_threshold_of_a_body():
    world = p2.World()
    world.add_body(p2.Box(100, 1), (0, -0.5), kind="static")
    thresholds = {0: None, 1: 1.0, 2: 0, 3: 0.4}
    boxes = [
        world.add_body(p2.Box(1, 1), (5 * k, 0.5), velocity=(0.5, 0), friction=0, sleep_threshold=t)
        for k, t in thresholds.items()
    ]
    world.step(1 / 60, n=60)
    assert [box.awake for box in boxes] == [True, False, True, True]
    for box in boxes:
        if box.awake:
            box.velocity = (0, 0)
    world.step(1 / 60, n=60)
    assert [box.awake for box in boxes] == [False, False, True, False]
    boxes[2].sleep_threshold = None
    world.step(1 / 60, n=60)
    assert not boxes[2].awake


def test_wake_touching():
    world = p2.World()
    floor = world.add_body(p2.Box(10, 1), (0, -0.5), kind="static")
    world.add_body(p2.Box(10, 1), (20, -0.5), kind="static")
    boxes = [world.add_body(p2.Box(1, 1), place) for place in ((-2, 0.5), (2, 0.5), (20, 0.5))]
    on_top = world.add_body(p2.Box(1, 1), (2, 1.5))
    hung = world.add_body(p2.Box(1, 1), (12, -5))
    world.add_revolute_joint(floor, hung, anchor=(12, -5))
    world.step(n=120)
    everyone = [*boxes, on_top, hung]
    assert not any(body.awake for body in everyone)
    floor.wake_touching()
    assert [body.awake for body in everyone] == [True, True, False, True, True]
    world.step(n=120)
    on_top.wake_touching()
    assert [body.awake for body in everyone] == [False, True, False, True, False]


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
def test_damping_of_a_world_is_that_of_every_body(solver):
    def run(of_world, of_body, **late):
        world = p2.World(solver=solver, **of_world)
        world.add_body(p2.Box(30, 1), (0, -0.5), kind="static")
        for k in range(5):
            world.add_body(
                p2.Box(1, 1), (k * 0.8, 2 + k), velocity=(k, 1), angular_velocity=k, **of_body
            )
        world.step(n=30)
        for name, value in late.items():
            setattr(world, name, value)
        world.step(n=30)
        return world.positions, world.angles, world.velocities

    damped = {"linear_damping": 0.5, "angular_damping": 1.25}
    expected = run({}, damped)
    for some in (
        run(damped, {}),
        run({"linear_damping": 0.25, "angular_damping": 1}, dict.fromkeys(damped, 0.25)),
    ):
        for a, b in zip(some, expected, strict=True):
            np.testing.assert_array_equal(a, b)
    late = run({}, {}, damping=0.5)
    assert not np.array_equal(late[0], run({}, {})[0])


def test_damping_by_the_formula():
    world = p2.World(gravity=(0, 0), damping=0.5, substeps=4)
    ball = world.add_body(p2.Circle(1), velocity=(2, 0), angular_velocity=3, linear_damping=0.25)
    world.step(1 / 50, n=10)
    h = 1 / 200
    assert ball.velocity[0] == pytest.approx(2 / (1 + 0.75 * h) ** 40, rel=1e-12)
    assert ball.angular_velocity == pytest.approx(3 / (1 + 0.5 * h) ** 40, rel=1e-12)


def test_damping_is_one_number_for_both():
    world = p2.World()
    assert (world.damping, world.linear_damping, world.angular_damping) == (0, 0, 0)
    world.damping = 0.5
    assert (world.damping, world.linear_damping, world.angular_damping) == (0.5, 0.5, 0.5)
    world.linear_damping = 1
    assert world.damping is None
    with pytest.raises(TypeError, match="damping: is linear_damping and angular_damping at once"):
        p2.World(damping=1, linear_damping=2)
    for name in ("damping", "linear_damping", "angular_damping"):
        for value in (-1, np.nan, 1e10):
            with pytest.raises(ValueError, match="damping: must be"):
                setattr(world, name, value)
            with pytest.raises(ValueError, match="damping: must be"):
                p2.World(**{name: value})

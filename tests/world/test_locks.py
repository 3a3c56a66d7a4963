"""Locks of x and y: coordinates of the centre of mass that a body keeps."""

import numpy as np
import pytest

import pyphys2d as p2


def test_a_lock_keeps_its_coordinate_to_the_last_bit():
    world = p2.World()
    x, y = 0.1 + 0.2, 7.3
    body = world.add_body(p2.Box(1, 1), (x, y), lock_x=True, velocity=(3, 0), angular_velocity=1)
    for k in range(60):
        body.apply_force((100 * np.sin(k), 5))
        world.step()
        assert body.position[0] == x
        assert body.velocity[0] == 0
    fallen = 0.5 * (9.81 - 5 / body.mass) * 1.0
    assert y - body.position[1] == pytest.approx(fallen, rel=0.01)
    assert body.angle == pytest.approx(1, rel=1e-6)


def test_both_locks_leave_the_rotation():
    world = p2.World()
    wheel = world.add_body(p2.Circle(1), (2, 3), lock_x=True, lock_y=True)
    wheel.apply_torque(4)
    world.step(1 / 64)
    assert tuple(wheel.position) == (2, 3)
    assert wheel.angular_velocity == pytest.approx(4 / wheel.inertia / 64, rel=1e-5)
    wheel.lock_y = False
    assert wheel.lock_x
    world.step(1 / 64, n=10)
    assert wheel.position[0] == 2
    assert wheel.position[1] < 3


@pytest.mark.parametrize("mass", [0.01, 1, 100])
@pytest.mark.parametrize("e", [1.0, 0.5])
def test_what_bounces_off_a_locked_body_sees_a_wall(mass, e):
    """As off a static one, v' = -e v, however light the paddle; along y it is free."""
    world = p2.World(gravity=(0, 0))
    paddle = world.add_body(
        p2.Box(0.5, 2), (5, 0), mass=mass, lock_x=True, fixed_rotation=True, velocity=(0, 0.5)
    )
    ball = world.add_body(p2.Circle(0.2), (3, 0), mass=1, velocity=(6, 0), restitution=e)
    paddle.colliders[0].friction = ball.colliders[0].friction = 0
    world.step(n=60)
    assert ball.velocity[0] == pytest.approx(-6 * e, rel=1e-3)
    assert paddle.position[0] == 5
    assert paddle.velocity[1] == pytest.approx(0.5, rel=1e-6)


def test_a_light_locked_platform_carries_heavy_boxes():
    world = p2.World()
    platform = world.add_body(
        p2.Box(4, 0.2), (0, 1), mass=1, lock_y=True, fixed_rotation=True, velocity=(0.5, 0)
    )
    boxes = [world.add_body(p2.Box(1, 1), (0, 1.6 + k), mass=100) for k in range(3)]
    world.step(n=240)
    assert platform.position[1] == 1
    for k, box in enumerate(boxes):
        assert box.position[1] == pytest.approx(1.6 + k, abs=2e-3)


def test_users_may_move_what_is_locked():
    world = p2.World()
    body = world.add_body(p2.Box(1, 1), lock_x=True)
    world.step(n=5)
    body.position = (4, 1)
    world.step(n=5)
    assert body.position[0] == 4
    world.positions[body.index, 0] = -2.5
    world.step(n=5)
    assert body.position[0] == -2.5
    body.center_of_mass = (0.25, 0)
    world.step(n=5)
    assert body.to_world((0.25, 0))[0] == -2.25


def test_what_is_locked_takes_no_velocity():
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Box(1, 1), lock_x=True, velocity=(1, 2))
    assert tuple(body.velocity) == (0, 2)
    body.velocity = (5, 3)
    assert tuple(body.velocity) == (0, 3)
    body.apply_impulse((4, -1))
    assert tuple(body.velocity) == (0, 2)
    before = world.hash()
    world.velocities[body.index] = (7, 2)
    assert world.hash() == before
    world.step()
    assert body.position[0] == 0
    assert tuple(body.velocity) == (0, 2)


def test_locks_are_of_the_center_of_mass():
    world = p2.World(gravity=(0, 0))
    body = world.add_body(
        p2.Box(2, 1), center_of_mass=(0.5, 0), lock_x=True, lock_y=True, angular_velocity=2
    )
    world.step(n=60)
    np.testing.assert_allclose(body.to_world((0.5, 0)), (0.5, 0), atol=1e-15)
    assert body.angle == pytest.approx(2, rel=1e-6)


def test_a_lock_is_no_joint():
    world = p2.World()
    body = world.add_body(p2.Box(1, 1), (0, 2), lock_y=True)
    other = world.add_body(p2.Box(1, 1), (2, 2))
    joint = world.add_revolute_joint(body, other, anchor=(1, 2))
    world.step()
    assert len(world.joints) == len(world.joint_state) == len(body.joints) == 1
    assert list(world.joints) == [joint]
    assert set(world.draw_list().joints["joint"]) == {joint.index}
    with pytest.raises(KeyError):
        world.joints[1 - joint.index]
    world.remove(body)
    assert len(world.joints) == 0
    world.step()


def test_kinds_and_sleep():
    world = p2.World()
    body = world.add_body(p2.Box(1, 1), kind="kinematic", lock_x=True, velocity=(1, 0))
    sleeper = world.add_body(p2.Box(1, 1), (9, 9), lock_y=True, awake=False)
    world.step(n=60)
    assert body.position[0] == pytest.approx(1)  # a kinematic body goes as it is told
    assert not sleeper.awake
    body.kind = "dynamic"
    body.velocity = (1, 0)
    before = body.position[0]
    world.step(n=60)
    assert body.position[0] == before
    rest = world.add_body(p2.Box(1, 1), (20, 0), lock_y=True)
    world.step(n=90)
    assert not rest.awake


def test_arrays_of_locks():
    world = p2.World()
    slots = world.add_bodies(
        p2.Circle(1), np.zeros((4, 2)), lock_x=[0, 1, 0, 1], lock_y=[False, False, True, True]
    )
    bodies = [world.bodies[slot] for slot in slots]
    assert [(b.lock_x, b.lock_y) for b in bodies] == [
        (False, False),
        (True, False),
        (False, True),
        (True, True),
    ]


def locked():
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    world.add_body(p2.Box(4, 0.2), (0, 2), lock_y=True, angular_velocity=0.3)
    world.add_bodies(p2.Box(1, 1), [(x, 3) for x in (-1, 1)], lock_x=[False, True])
    world.add_body([p2.Circle(0.4), p2.Box(1, 0.3, (0.5, 0))], (-4, 2), lock_x=True)
    world.bodies[4].colliders[1].density = 3
    return world


def test_snapshots_copies_and_scene_files(tmp_path):
    world = locked()
    p2.save(world, tmp_path / "scene.json")
    loaded = p2.load(tmp_path / "scene.json")
    assert not world.diff(loaded)
    assert loaded.hash() == world.hash()
    world.step(n=20)
    others = [p2.World.from_snapshot(world.snapshot()), *world.fork(1)]
    for other in others:
        assert not world.diff(other)
        assert len(other.joints) == 0
    for each in (world, *others):
        each.step(n=60)
        each.bodies[1].lock_y = False
        each.bodies[2].lock_x = True
        each.step(n=60)
    assert {other.hash() for other in others} == {world.hash()}


def test_calls_are_replayed(tmp_path):
    world = locked()
    with world.record_calls(tmp_path / "calls"):
        world.step(n=5)
        world.bodies[1].lock_x = True
        world.add_body(p2.Circle(1), (0, 9), lock_x=True)
        world.step(n=20)
        world.bodies[1].lock_y = False
        world.step(n=20)
    assert p2.replay(tmp_path / "calls").world.hash() == world.hash()


def test_the_solver_of_the_lessons_has_locks():
    """A slope pushes a box aside, which may move along one axis, or along none."""
    for locks in ({"lock_x": True}, {"lock_y": True}, {"lock_x": True, "lock_y": True}):
        world = p2.World(solver="sequential_impulses")
        world.add_body(p2.Polygon([(-4, -2), (4, -2), (-4, 3)]), kind="static")
        box = world.add_body(p2.Box(1, 1), (0.2, 3), friction=0, **locks)
        free = world.add_body(p2.Circle(0.3), (6, 3), velocity=(1, 2), lock_x=True)
        start = np.array(box.position)
        for _ in range(60):
            world.step(n=2)
            if box.lock_x:
                assert box.position[0] == start[0]
                assert box.velocity[0] == 0
            if box.lock_y:
                assert box.position[1] == start[1]
                assert box.velocity[1] == 0
        assert (free.position[0], free.velocity[0]) == (6, 0)
        assert free.velocity[1] == pytest.approx(2 - 9.81 * 2, rel=1e-6)
        assert np.allclose(box.position, start, atol=1e-12) == (
            len(locks) == 2 or "lock_y" in locks
        )
        twin = p2.World.from_snapshot(world.snapshot())
        for each in (world, twin):
            each.step(n=20)
        assert twin.hash() == world.hash()
    assert box.fixed_rotation is False


def test_locks_go_with_a_world_that_changes_its_solver():
    world = p2.World()
    body = world.add_body(p2.Circle(1), lock_x=True, velocity=(0, 3))
    world.solver = "sequential_impulses"
    world.step(n=10)
    assert body.position[0] == 0
    body.lock_y = True
    world.step(n=10)
    assert body.velocity.tolist() == [0, 0]
    world.solver = "soft_step"
    body.lock_x = False
    world.gravity = (2, -9)
    world.step(n=30)
    assert body.velocity == pytest.approx((1, 0), abs=1e-6)


def test_a_push_across_a_lock_turns_no_other_body():
    """A bar that hangs on a locked body: the lock gives what the bar's pull asks."""
    for solver in ("soft_step", "sequential_impulses"):
        world = p2.World(solver=solver, iterations=200) if "seq" in solver else p2.World()
        cart = world.add_body(p2.Box(1, 0.2), (0, 0), lock_y=True, mask=0)
        bob = world.add_body(p2.Circle(0.2), (1, 0), mass=2, mask=0)
        world.add_distance_joint(cart, bob)
        before = world.momentum()[0]
        world.step(n=60)
        assert cart.position[1] == 0
        assert world.momentum()[0] == pytest.approx(before, abs=2e-3)


def test_a_locked_body_in_a_wrapped_world():
    world = p2.World(gravity=(0, 0), wrap=(10, 10))
    body = world.add_body(p2.Box(1, 1), (9.5, 5), lock_x=True, velocity=(0, 4))
    world.step(n=150)
    assert body.position[0] == 9.5
    assert body.position[1] == pytest.approx(5, abs=1e-3)

"""Round bodies that roll, bodies that slide over seams, and limits that hold within a step."""

import numpy as np
import pytest

import pyphys2d as p2


@pytest.mark.parametrize("speed", [5.0, 20.0, 60.0, 100.0])
def test_a_rolling_ball_keeps_its_height(speed):
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Box(2000, 2), (0, -1), kind="static")
    ball = world.add_body(
        p2.Circle(0.5), (-900, 0.5), velocity=(speed, 0), angular_velocity=-speed / 0.5
    )
    for _ in range(300):
        world.step()
        assert ball.position[1] == pytest.approx(0.5, abs=1e-4)
        assert abs(ball.velocity[1]) < 1e-3
    # It rolls without slipping, so friction does no work: speed and way are those of the start.
    assert ball.velocity[0] == pytest.approx(speed, rel=1e-4)
    assert ball.position[0] == pytest.approx(-900 + 5 * speed, abs=0.01)


@pytest.mark.parametrize("shape", [p2.Circle(0.5), p2.Box(1, 1)], ids=["circle", "box"])
@pytest.mark.parametrize("speed", [1.0, 2.0, 3.0, 8.0, 15.0])
def test_nothing_snags_on_the_seams_of_flush_tiles(shape, speed):
    world = p2.World(gravity=(0, -10))
    tiles = np.column_stack([np.arange(-2.0, 80.0), np.full(82, -0.5)])
    world.add_bodies(p2.Box(1, 1), tiles, kind="static", friction=0)
    body = world.add_body(shape, (0, 0.5), velocity=(speed, 0), friction=0)
    while body.position[0] < 75 and world.time < 15:
        world.step()
        assert body.position[1] == pytest.approx(0.5, abs=1e-3)
    assert body.velocity[0] == pytest.approx(speed, rel=1e-3)


def test_a_step_of_a_tile_still_stops_a_box():
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Box(40, 1), (0, -0.5), kind="static", friction=0)
    world.add_body(p2.Box(1, 0.2), (5, 0.1), kind="static")
    box = world.add_body(p2.Box(1, 1), (0, 0.5), velocity=(2, 0), friction=0, fixed_rotation=True)
    world.step(n=240)
    assert box.position[0] <= 4.0 + 0.01  # its right side at the step's left side, x = 4.5


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
@pytest.mark.parametrize("in_contact", [False, True])
def test_a_force_cannot_carry_a_body_beyond_max_speed_within_a_step(solver, in_contact):
    world = p2.World(gravity=(0, 0), solver=solver, max_speed=100)
    if in_contact:
        world.add_body(p2.Box(200, 1), (0, -1.5), kind="static", friction=0)
    body = world.add_body(p2.Circle(1), mass=1)
    body.apply_force((6e7, 0))
    world.step()
    assert np.hypot(*body.velocity) <= 100 * (1 + 1e-6)
    assert np.hypot(*body.position) <= 100 / 60 * (1 + 1e-6)


@pytest.mark.parametrize("force", [1e37, 1e60, 1e300, 1.7e308])
def test_absurd_forces_leave_finite_numbers(force):
    world = p2.World()
    world.add_body(p2.Box(10, 1), kind="static")
    boxes = [world.add_body(p2.Box(1, 1), (x, 1)) for x in (0.0, 0.9, 3.0)]
    for box in boxes:
        box.apply_force((0, -force))
        box.apply_torque(force)
    world.step(n=3)
    for name in ("positions", "angles", "velocities", "angular_velocities"):
        assert np.isfinite(getattr(world, name)).all()

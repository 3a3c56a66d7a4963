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


def floor_shapes(kind):
    """Shapes of a floor with its top at y = 0 from x = -4 to 40, and seams at whole numbers."""
    x = np.arange(-4.0, 41.0)
    if kind == "chain":
        return [p2.Chain(np.column_stack([x, 0 * x]))]
    if kind == "tiles":
        return [p2.Box(1, 1, (left + 0.5, -0.5)) for left in x[:-1]]
    if kind == "triangles":
        lower = [p2.Polygon([(a, 0), (a, -1), (a + 1, -1)]) for a in x[:-1]]
        return lower + [p2.Polygon([(a, 0), (a + 1, -1), (a + 1, 0)]) for a in x[:-1]]
    # One concave shape, cut into many pieces, of which the upper sides continue each other.
    top, below = np.column_stack([x, 0 * x]), np.column_stack([x, -1 - 0.5 * (x % 2)])
    shape = p2.Polygon([*below, *top[::-1]])
    upper = [part for part in shape.parts if np.isclose(part[:, 1], 0).sum() >= 2]
    assert len(upper) > 15
    return [shape]


SLIDERS = {
    "box": (p2.Box(1, 1), 0.0),
    "small box": (p2.Box(0.2, 0.2), 0.0),
    "plank": (p2.Box(2, 0.1), 0.0),
    "rounded box": (p2.Box(0.8, 0.8, radius=0.1), 0.0),
    "capsule": (p2.Capsule((-0.4, 0), (0.4, 0), 0.3), 0.0),
    "sliding ball": (p2.Circle(0.5), 0.0),
    "rolling ball": (p2.Circle(0.5), 0.6),
}
SPEEDS = (2.0, 2.9, 5.0, 8.0, 13.0, 20.0, 30.0)


@pytest.mark.fast_cases(6)
@pytest.mark.parametrize("at", [0.0, 0.37, 1e7])
@pytest.mark.parametrize("floor", ["chain", "tiles", "triangles", "concave"])
def test_what_slides_over_thirty_seams_keeps_its_way(floor, at):
    """Each slider at each speed has a floor of its own, three metres above the one before."""
    world = p2.World(gravity=(0, -10), sleeping=False)
    lanes = []
    for shape, friction in SLIDERS.values():
        for speed in SPEEDS:
            y = 3.0 * len(lanes)
            if floor in ("tiles", "triangles"):  # separate bodies
                for part in floor_shapes(floor):
                    world.add_body(part, (at, y), kind="static", friction=friction)
            else:
                world.add_body(floor_shapes(floor), (at, y), kind="static", friction=friction)
            y -= shape.aabb[0][1]
            spin = -speed / 0.5 if friction else 0
            body = world.add_body(
                shape, (at, y), velocity=(speed, 0), angular_velocity=spin, friction=friction
            )
            lanes.append((body, y, speed))
    index = np.array([body.index for body, _, _ in lanes])
    height = np.array([y for _, y, _ in lanes])
    speed = np.array([v for _, _, v in lanes])
    x = world.positions[index, 0]
    for _ in range(400):
        world.step()
        now = world.positions[index]
        on = now[:, 0] < at + 31  # the others have come to the end
        assert (now[on, 0] > x[on]).all()
        assert np.abs(now[on, 1] - height[on]).max(initial=0) < 1e-3
        np.testing.assert_allclose(world.velocities[index, 0][on], speed[on], rtol=5e-3)
        x = now[:, 0]
        assert world.counters["stopped"] == 0


@pytest.mark.parametrize("floor", ["chain", "tiles", "concave"])
def test_a_slow_box_slides_over_thirty_seams(floor):
    world = p2.World(gravity=(0, -10))
    world.add_body(floor_shapes(floor), kind="static", friction=0)
    box = world.add_body(p2.Box(1, 1), (0.2, 0.5), velocity=(0.5, 0), friction=0)
    x = 0.2
    while x < 31 and world.time < 65:
        world.step(n=4)
        assert box.position[0] > x
        assert box.position[1] == pytest.approx(0.5, abs=1e-3)
        x = box.position[0]
    assert x >= 31


@pytest.mark.parametrize("height", [0.6, 3.0, 40.0])
def test_a_ball_dropped_on_every_vertex_of_a_terrain_stays_above(height):
    rng = np.random.default_rng(4)
    x = np.cumsum(rng.uniform(0.2, 2, 120))
    points = np.column_stack([x, np.cumsum(rng.uniform(-1, 1, 120))])
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Chain(points), kind="static", restitution=0.3)
    # Groups keep balls apart from each other.
    balls = world.add_bodies(
        p2.Circle(0.1), np.add(points[2:-2], (0, height)), group=-1, friction=0.5
    )
    alive = np.ones(len(balls), bool)
    for _ in range(240):
        world.step()
        place = world.positions[balls]
        alive &= (place[:, 0] > x[0]) & (place[:, 0] < x[-1])
        ground = np.interp(place[:, 0], *points.T)
        assert (place[alive, 1] > ground[alive]).all()
    assert alive.sum() > 100

"""Contacts as a user sees them: rest, sliding, bouncing, inclines, carrying, rolling, conveyors.

Every test runs with the default solver; those that the tutorial's method must pass too take both.
"""

import numpy as np
import pytest
from scenes_for_tests import ground, mixed

import pyphys2d as p2

BOTH = pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])


@BOTH
def test_a_box_comes_to_rest_on_the_ground(solver):
    world = p2.World(gravity=(0, -10), solver=solver)
    ground(world)
    body = world.add_body(p2.Box(2, 2), (0, 4))
    world.step(n=90)
    assert abs(body.position[0]) < 0.01
    assert abs(body.position[1] - 1) < 0.01 + (0.01 if solver != "soft_step" else 0)  # its slop
    assert abs(body.angle) < 0.01


@pytest.mark.parametrize("width", [1.0, 2.0])
def test_sliding_distance(width):
    world = p2.World(gravity=(0, -10), sleeping=False)
    ground(world, friction=0.6)
    body = world.add_body(p2.Box(width, 0.5), (0, 0.25), velocity=(5, 0), friction=0.6)
    world.step(n=120)
    assert body.position[0] == pytest.approx(25 / 12, rel=0.01)
    assert np.hypot(*body.velocity) < 1e-3


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("geometric_mean", 0.2), ("max", 0.4), ("min", 0.1), ("average", 0.25), ("multiply", 0.04)],
)
def test_friction_rules(rule, expected):
    world = p2.World(gravity=(0, -10), friction_rule=rule, sleeping=False)
    ground(world, friction=0.4)
    body = world.add_body(p2.Box(2, 0.2), (0, 0.1), velocity=(3, 0), friction=0.1)
    world.step(n=30)
    # Coulomb: constant deceleration mu g while it slides
    assert body.velocity[0] == pytest.approx(3 - 10 * expected * 0.5, rel=0.01)


@pytest.mark.parametrize("form", ["circle", "box"])
@BOTH
def test_first_apex_of_a_bouncing_body(form, solver):
    shape = p2.Circle(0.5) if form == "circle" else p2.Box(1, 1)
    world = p2.World(gravity=(0, -10), solver=solver)
    ground(world, restitution=0)
    body = world.add_body(shape, (0, 4.5), restitution=0.8)
    heights, falling = [], True
    for _ in range(200):
        world.step()
        heights.append(body.position[1])
        if falling and body.velocity[1] > 0:
            falling = False
            heights.clear()
    assert not falling
    tolerance = 0.02 if solver == "soft_step" else 0.06  # one step of dt: the bounce is met late
    assert max(heights) == pytest.approx(0.5 + 0.64 * 4, rel=tolerance)


@pytest.mark.parametrize(
    ("rule", "expected"), [("max", 0.8), ("min", 0.2), ("average", 0.5), ("multiply", 0.16)]
)
def test_restitution_rules(rule, expected):
    world = p2.World(gravity=(0, 0), restitution_rule=rule)
    ground(world, restitution=0.2)
    body = world.add_body(p2.Circle(0.5), (0, 1), velocity=(0, -10), restitution=0.8)
    world.step(n=20)
    assert body.velocity[1] == pytest.approx(10 * expected, rel=0.01)


def test_no_bounce_below_the_threshold():
    world = p2.World(gravity=(0, 0), restitution_threshold=3)
    ground(world)
    body = world.add_body(p2.Circle(0.5), (0, 1), velocity=(0, -2.5), restitution=1)
    world.step(n=60)
    assert abs(body.velocity[1]) < 0.1


@pytest.mark.parametrize("ratio", [1.0, 3.0, 50.0])
@pytest.mark.parametrize("offset", [0.0, 0.4])
def test_elastic_collision_of_two_circles(ratio, offset):
    """Momentum and energy are kept; the velocities are those of the impulse along the normal at
    contact.
    """
    world = p2.World(gravity=(0, 0), sleeping=False)
    options = {"restitution": 1, "friction": 0}
    a = world.add_body(p2.Circle(0.5), (-2, 0), velocity=(6, 0), **options)
    b = world.add_body(p2.Circle(0.5), (0, offset), density=ratio, **options)
    momentum, energy = world.momentum(), world.kinetic_energy()
    for _ in range(60):
        world.step()
        np.testing.assert_allclose(world.momentum(), momentum, rtol=1e-6, atol=1e-6 * momentum[0])
    assert world.kinetic_energy() == pytest.approx(energy, rel=0.01)
    n = np.array([np.sqrt(1 - offset**2), offset])
    share = 2 * (6 * n[0]) / (1 + 1 / ratio) / ratio
    np.testing.assert_allclose(b.velocity, share * n, atol=0.15)
    assert a.angular_velocity == 0


def test_momentum_of_a_gas_of_elastic_discs():
    world = p2.World(gravity=(0, 0), sleeping=False)
    rng = np.random.default_rng(4)
    grid = np.stack(np.meshgrid(np.arange(8), np.arange(8)), axis=-1).reshape(-1, 2) * 1.3
    world.add_bodies(
        p2.Circle(0.5), grid, velocity=rng.normal(0, 4, grid.shape), restitution=1, friction=0
    )
    momentum, scale = world.momentum(), np.abs(world.velocities).sum()
    for _ in range(120):
        world.step()
        np.testing.assert_allclose(world.momentum(), momentum, rtol=0, atol=1e-6 * scale)


def test_momentum_with_friction_and_spin():
    """Internal forces: linear and angular momentum stay, energy only falls."""
    world = p2.World(gravity=(0, 0), sleeping=False)
    world.add_body(p2.Box(1, 1), (-2, 0.2), velocity=(5, 0), angular_velocity=3)
    world.add_body(p2.Box(2, 1), (0, 0), 0.4)
    momentum, spin, energy = world.momentum(), world.angular_momentum(), world.kinetic_energy()
    world.step(n=100)
    np.testing.assert_allclose(world.momentum(), momentum, rtol=1e-6, atol=1e-6 * momentum[0])
    # lever arms are those of the beginning of the step
    assert world.angular_momentum() == pytest.approx(spin, rel=1e-2)
    assert world.kinetic_energy() < energy


def test_a_row_of_billiard_balls_passes_a_blow_on():
    world = p2.World(
        gravity=(0, 0), solver="sequential_impulses", restitution_rule="min", iterations=20
    )
    balls = [
        world.add_body(p2.Circle(0.5), (1.0 * i, 0), restitution=1, friction=0) for i in range(5)
    ]
    balls[0].position = (-3, 0)
    balls[0].velocity = (5, 0)
    world.step(n=90)
    assert balls[-1].velocity[0] > 1
    np.testing.assert_allclose(world.momentum()[0], balls[0].mass * 5, rtol=1e-6)


# ---------------------------------------------------------------- inclines


def incline(angle, friction, **options):
    world = p2.World(gravity=(0, -10), sleeping=False, **options)
    slope = p2.Box(60, 2)
    down = np.array([-np.cos(angle), -np.sin(angle)])
    up = np.array([-np.sin(angle), np.cos(angle)])
    world.add_body(slope, -up, angle, kind="static", friction=friction)
    body = world.add_body(p2.Box(1, 0.5), 0.25 * up, angle, friction=friction)
    return world, body, down


@pytest.mark.parametrize("friction", [0.3, 0.6, 1.0])
@BOTH
def test_a_box_holds_below_the_angle_of_friction(friction, solver):
    world, body, _ = incline(np.arctan(friction) * 0.95, friction, solver=solver)
    world.step(n=30)
    start = body.position
    world.step(n=180)
    assert np.hypot(*(body.position - start)) < 0.02


@pytest.mark.parametrize("friction", [0.0, 0.3, 0.6])
@BOTH
def test_a_box_slides_above_the_angle_of_friction(friction, solver):
    angle = np.arctan(friction) + 0.1
    world, body, down = incline(angle, friction, solver=solver)
    world.step(n=30)
    before = body.velocity @ down
    world.step(n=60)
    acceleration = 10 * (np.sin(angle) - friction * np.cos(angle))
    assert body.velocity @ down - before == pytest.approx(acceleration, rel=0.03)


# ---------------------------------------------------------------- kinematic bodies


def test_a_moving_platform_carries():
    world = p2.World(gravity=(0, -10))
    platform = world.add_body(p2.Box(10, 1), (0, -0.5), kind="kinematic", velocity=(1.5, 0))
    body = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=120)
    assert body.velocity[0] == pytest.approx(1.5, rel=0.01)
    assert platform.position[0] == pytest.approx(3, rel=1e-9)
    assert body.awake


def test_a_lift_lifts():
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Box(10, 1), (0, -0.5), kind="kinematic", velocity=(0, 2))
    body = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=120)
    assert body.position[1] == pytest.approx(4.5, abs=0.02)


def test_a_moving_wall_pushes():
    world = p2.World(gravity=(0, -10))
    ground(world)
    wall = world.add_body(p2.Box(1, 4), (-3, 2.01), kind="kinematic", velocity=(1, 0))
    bodies = [world.add_body(p2.Box(1, 1), (i, 0.5)) for i in range(3)]
    world.step(n=300)
    assert wall.position[0] == pytest.approx(2, rel=1e-9)
    for i, body in enumerate(bodies):
        assert body.position[0] == pytest.approx(3 + i, abs=0.03)
    np.testing.assert_allclose(wall.velocity, (1, 0))


def test_a_turning_drum_carries_its_load():
    world = p2.World(gravity=(0, -10))
    drum = [
        p2.Box(1, 10, (5, 0)),
        p2.Box(1, 10, (-5, 0)),
        p2.Box(10, 1, (0, 5)),
        p2.Box(10, 1, (0, -5)),
    ]
    world.add_body(drum, kind="kinematic", angular_velocity=0.5)
    grid = np.stack(np.meshgrid(np.arange(8), np.arange(8)), axis=-1).reshape(-1, 2) * 0.6 - 2
    world.add_bodies(p2.Box(0.5, 0.5), grid)
    world.step(n=600)
    inside = world.positions[1:]
    assert (np.hypot(*inside.T) < 4.5 * np.sqrt(2)).all()
    assert world.awake[1:].any()


# ---------------------------------------------------------------- rolling, conveyors


def test_a_wheel_rolls_without_slipping():
    world = p2.World(gravity=(0, -10), sleeping=False)
    ground(world, friction=1)
    body = world.add_body(p2.Circle(0.5), (0, 0.5), velocity=(3, 0), friction=1)
    world.step(n=60)
    # sliding becomes rolling at two thirds of the speed, whatever the friction
    assert body.velocity[0] == pytest.approx(2, rel=0.01)
    assert body.angular_velocity == pytest.approx(-body.velocity[0] / 0.5, rel=0.01)


def test_rolling_resistance_stops_a_wheel_at_the_distance_of_the_formula():
    """Torque = coefficient r N: deceleration of a rolling disc is (2 / 3) coefficient g."""
    world = p2.World(gravity=(0, -10), sleeping=False)
    ground(world, friction=1, rolling_resistance=0.1)
    body = world.add_body(
        p2.Circle(0.5),
        (0, 0.5),
        velocity=(2, 0),
        angular_velocity=-4,
        friction=1,
        rolling_resistance=0.1,
    )
    world.step(n=300)
    assert np.hypot(*body.velocity) < 0.01
    assert body.position[0] == pytest.approx(4 / (2 * 2 / 3), rel=0.04)


def test_without_rolling_resistance_a_wheel_rolls_on():
    world = p2.World(gravity=(0, -10), sleeping=False)
    ground(world, friction=1)
    body = world.add_body(
        p2.Circle(0.5), (0, 0.5), velocity=(2, 0), angular_velocity=-4, friction=1
    )
    world.step(n=300)
    assert body.velocity[0] == pytest.approx(2, rel=0.01)


@pytest.mark.parametrize("speed", [2.0, -1.5])
@pytest.mark.parametrize("floor_first", [True, False])
@BOTH
def test_a_positive_tangent_speed_on_a_floor_carries_towards_plus_x(speed, floor_first, solver):
    world = p2.World(gravity=(0, -10), solver=solver)
    if not floor_first:
        body = world.add_body(p2.Box(1, 0.5), (0, 0.25))
    ground(world, tangent_speed=speed)
    if floor_first:
        body = world.add_body(p2.Box(1, 0.5), (0, 0.25))
    world.step(n=90)
    assert body.velocity[0] == pytest.approx(speed, rel=0.02)


def test_a_ceiling_conveyor_carries_the_other_way():
    """The outward normal turned clockwise: towards -x under a ceiling."""
    world = p2.World(gravity=(0, 10))
    world.add_body(p2.Box(100, 2), (0, 1), kind="static", tangent_speed=2)
    body = world.add_body(p2.Box(1, 0.5), (0, -0.25))
    world.step(n=90)
    assert body.velocity[0] == pytest.approx(-2, rel=0.02)


# ---------------------------------------------------------------- what contacts say


@BOTH
def test_impulses_balance_the_weight_at_rest(solver):
    world = p2.World(gravity=(0, -10), sleeping=False, solver=solver)
    floor = ground(world)
    bodies = [world.add_body(p2.Box(1, 1), (0, 0.5 + i), density=1 + i) for i in range(4)]
    world.step(n=300)
    for body in bodies:
        rows = world.contacts
        up = 0.0
        for row in rows:
            impulse = row["normal_impulse"] * row["normal"][1]
            if row["body_b"] == body.index:
                up += impulse
            elif row["body_a"] == body.index:
                up -= impulse
        assert up == pytest.approx(body.mass * 10 / 60, rel=1e-2)
    carried = sum(
        row["normal_impulse"]
        for row in world.contacts
        if floor.index in (row["body_a"], row["body_b"])
    )
    assert carried == pytest.approx(sum(b.mass for b in bodies) * 10 / 60, rel=1e-2)


def test_tangent_impulses_hold_a_box_on_an_incline():
    world, body, _ = incline(0.3, 0.6)
    world.step(n=120)
    rows = world.contacts
    assert np.abs(rows["tangent_impulse"].sum()) == pytest.approx(
        body.mass * 10 * np.sin(0.3) / 60, rel=0.02
    )
    assert rows["normal_impulse"].sum() == pytest.approx(
        body.mass * 10 * np.cos(0.3) / 60, rel=0.02
    )
    assert (
        np.abs(rows["tangent_impulse"]) <= 0.6 * rows["normal_impulse"] * (1 + 1e-3) + 1e-6
    ).all()


def test_normals_point_from_a_to_b():
    world = mixed()
    world.step(n=150)
    rows = world.contacts
    assert len(rows) > 50
    convex = 0
    for row in rows:
        a, b = world.colliders[int(row["collider_a"])], world.colliders[int(row["collider_b"])]
        assert a.body.index == row["body_a"]
        assert b.body.index == row["body_b"]
        if not all(
            getattr(c.shape, "is_convex", not isinstance(c.shape, p2.Chain)) for c in (a, b)
        ):
            continue
        if isinstance(a.shape, p2.Segment) or isinstance(b.shape, p2.Segment):
            continue
        convex += 1
        centers = [c.body.to_world(c.shape.centroid) for c in (a, b)]
        assert (centers[1] - centers[0]) @ row["normal"] > 0
    assert convex > 20
    np.testing.assert_allclose(np.hypot(*rows["normal"].T), 1, atol=1e-6)
    assert (rows["normal_impulse"] >= 0).all()


def test_a_contact_ages_while_it_lasts():
    world = p2.World(gravity=(0, -10), sleeping=False)
    ground(world)
    world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=10)
    first = int(world.contacts["age"].min())
    world.step(n=10)
    assert int(world.contacts["age"].min()) == first + 10


def test_one_sided_chain_lets_pass_from_below_and_holds_from_above():
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Chain([(-10, 0), (-4, 0), (4, 0), (10, 0)]), kind="static")
    above = world.add_body(p2.Circle(0.3), (2, 1))
    below = world.add_body(p2.Circle(0.3), (-2, -2), velocity=(0, 12))
    world.step(n=45)
    assert below.position[1] > 0.5
    world.step(n=200)
    assert above.position[1] == pytest.approx(0.3, abs=0.02)
    assert below.position[1] == pytest.approx(0.3, abs=0.02)


def test_a_counter_clockwise_loop_holds_bodies_in():
    world = p2.World(gravity=(0, -10))
    t = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    world.add_body(p2.Chain(5 * np.column_stack([np.cos(t), np.sin(t)]), loop=True), kind="static")
    bodies = world.add_bodies(p2.Circle(0.3), np.random.default_rng(0).uniform(-2.5, 2.5, (30, 2)))
    world.step(n=300)
    assert (np.hypot(*world.positions[bodies].T) < 5).all()


def test_a_segment_holds_from_both_sides():
    world = p2.World(gravity=(0, 0))
    world.add_body(p2.Segment((-5, 0), (5, 0)), kind="static")
    above = world.add_body(p2.Circle(0.3), (1, 1), velocity=(0, -2))
    below = world.add_body(p2.Circle(0.3), (-1, -1), velocity=(0, 2))
    world.step(n=120)
    assert above.position[1] > 0.25
    assert below.position[1] < -0.25


@pytest.mark.parametrize("seed", range(3))
def test_nothing_falls_out_of_a_bin_of_mixed_shapes(seed):
    world = mixed()
    dynamic = world.kinds == 2
    world.velocities[dynamic] += np.random.default_rng(seed).normal(0, 1, (dynamic.sum(), 2))
    world.step(n=600)
    assert np.isfinite(world.positions).all()
    assert (world.positions[dynamic, 1] > -1.2).all()
    assert world.contacts["separation"].min() > -0.1

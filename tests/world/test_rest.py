"""Who falls asleep, and who does not: what is at rest, and what only is slow."""

import numpy as np
import pytest

import pyphys2d as p2

DT = 1 / 60


def is_asleep_within(world, seconds):
    for _ in range(round(seconds / DT)):
        world.step(DT)
        if world.counters["awake"] == 0:
            return True
    return False


@pytest.mark.parametrize("g", [1e-2, 5e-2, 1])
def test_a_slow_fall_goes_on(g):
    world = p2.World(gravity=(0, -g))
    body = world.add_body(p2.Circle(0.5))
    world.step(DT, n=600)
    assert body.position[1] == pytest.approx(-0.5 * g * 10**2, rel=1e-3)


@pytest.mark.parametrize("speed", [1e-3, 1e-2, 4e-2])
def test_a_slow_drift_and_a_slow_turn_go_on(speed):
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Box(1, 1), velocity=(speed, 0))
    other = world.add_body(p2.Box(1, 1), (0, 5), angular_velocity=speed)
    world.step(DT, n=600)
    assert body.position[0] == pytest.approx(10 * speed, rel=1e-6)
    assert other.angle == pytest.approx(10 * speed, rel=1e-6)


@pytest.mark.parametrize("length", [1, 20, 50])
@pytest.mark.parametrize("swing", [0.002, 0.1, 1])
@pytest.mark.parametrize("hinge", [True, False])
def test_a_pendulum_turns_back(length, swing, hinge):
    world = p2.World()
    place = length * np.sin(swing), -length * np.cos(swing)
    body = world.add_body(p2.Circle(0.2), place)
    if hinge:
        world.add_revolute_joint(None, body, anchor=(0, 0))
    else:
        world.add_distance_joint(None, body, anchor_a=(0, 0), anchor_b=place)
    assert not is_asleep_within(world, 30)


def test_what_is_at_rest_sleeps_with_and_without_contact():
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    world.add_bodies(p2.Box(1, 1), [(0, 0.5), (0, 1.5), (3, 0.5)])
    hanging = world.add_body(p2.Box(1, 1), (6, 5))
    world.add_revolute_joint(None, hanging, anchor=(6, 8))
    assert is_asleep_within(world, 1)
    space = p2.World(gravity=(0, 0))
    space.add_body(p2.Circle(1))
    assert is_asleep_within(space, 1)


@pytest.mark.parametrize("kind", ["wheel", "prismatic", "weld", "distance"])
@pytest.mark.parametrize(("hertz", "zeta"), [(0.5, 0.2), (0.5, 2), (1, 2), (3, 1)])
def test_a_load_on_a_spring_that_stands_on_the_ground_comes_to_its_place(kind, hertz, zeta):
    """It fell asleep at up to 4 cm/s, centimetres short of it."""
    world = p2.World()
    world.add_body(p2.Box(50, 2), (0, -1), kind="static")
    carrier = world.add_body(p2.Box(2, 1), (0, 0.5), mass=2)
    load = world.add_body(p2.Box(1, 0.5), (0, 4), mass=1, mask=0, fixed_rotation=True)
    omega = 2 * np.pi * hertz
    spring = {"stiffness": omega**2, "damping": 2 * zeta * omega}
    if kind == "wheel":
        world.add_wheel_joint(load, carrier, anchor=(0, 1), axis=(0, 1), **spring)
    elif kind == "prismatic":
        world.add_prismatic_joint(carrier, load, anchor=(0, 1), axis=(0, 1), **spring)
    elif kind == "weld":
        world.add_weld_joint(carrier, load, anchor=(0, 1), **spring)
    else:
        world.add_distance_joint(carrier, load, anchor_a=(0, 1), anchor_b=(0, 4), **spring)
    assert is_asleep_within(world, 30)
    assert load.position[1] == pytest.approx(4 - 9.81 / omega**2, abs=2e-3)


@pytest.mark.parametrize("swing", [0.001, 0.003, 0.005])
def test_a_pendulum_on_a_stand_goes_on(swing):
    world = p2.World()
    world.add_body(p2.Box(60, 1), (0, -0.5), kind="static")
    parts = [p2.Box(8, 0.3, center=(0, 0.15)), p2.Box(0.3, 10, center=(0, 5))]
    stand = world.add_body(parts, mass=100, mask=1)
    place = 4 * np.sin(swing), 9.5 - 4 * np.cos(swing)
    ball = world.add_body(p2.Circle(0.1), place, mass=0.1, mask=0)
    world.add_revolute_joint(stand, ball, anchor=(0, 9.5))
    assert not is_asleep_within(world, 20)


def test_slow_motors_go_on_and_blocked_ones_sleep():
    world = p2.World(gravity=(0, 0))
    wheel = world.add_body(p2.Box(1, 1))
    world.add_revolute_joint(None, wheel, anchor=(0, 0), motor_speed=0.01, max_motor_torque=10)
    pushed = world.add_body(p2.Box(1, 1), (5, 0))
    world.add_motor_joint(None, pushed, linear_velocity=(0, 0.01), max_force=100)
    world.step(DT, n=600)
    assert wheel.angle == pytest.approx(0.1, rel=1e-4)
    assert pushed.position[1] == pytest.approx(0.1, rel=1e-3)

    yard = p2.World()
    yard.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    car = yard.add_body(p2.Box(1, 1), (0, 0.5))
    arm = yard.add_body(p2.Box(2, 0.2), (1.2, 0.5), density=100)
    joint = yard.add_revolute_joint(car, arm, anchor=(0.2, 0.5), motor_speed=1, max_motor_torque=1)
    assert is_asleep_within(yard, 5)
    joint.motor_speed = -1
    assert arm.awake
    assert is_asleep_within(yard, 5)
    joint.max_motor_torque = 1e5
    yard.step(DT, n=6)
    assert arm.awake
    assert abs(arm.angular_velocity - car.angular_velocity) > 0.5


@pytest.mark.parametrize("shape", [p2.Circle(0.5), p2.Box(1, 1)])
def test_two_in_one_place_part_before_they_sleep(shape):
    world = p2.World(gravity=(0, 0))
    world.add_bodies(shape, [(0, 0), (0, 0)])
    assert is_asleep_within(world, 10)
    assert np.hypot(*(world.positions[1] - world.positions[0])) > 0.99


def plain_shapes(size):
    """A box, a circle and a capsule of about that half width."""
    capsule = p2.Capsule((-size, 0), (size, 0), size / 2)
    return [p2.Box(2 * size, size), p2.Circle(size), capsule]


def pile(seed, restitution):
    world, rng = p2.World(), np.random.default_rng(seed)
    world.add_body(p2.Box(60, 2), (0, -1), kind="static", restitution=restitution)
    for x in -4, 4:
        world.add_body(p2.Box(1, 40), (x, 19), kind="static")
    for i in range(30):
        size = rng.uniform(0.3, 0.6)
        polygon = p2.RegularPolygon(int(rng.integers(3, 8)), size)
        shape = [*plain_shapes(size), polygon][i % 4]
        place = rng.uniform(-2.5, 2.5), 1 + 0.7 * i
        world.add_body(shape, place, rng.uniform(0, 6), restitution=restitution)
    return world


def test_piles_sleep():
    """All but a few, whose stones still slip a little now and then."""
    piles = [pile(seed, restitution) for seed in range(8) for restitution in (0, 0.2, 0.5)]
    assert sum(is_asleep_within(each, 25) for each in piles) >= 22


def stones(seed):
    """A heap of stars, angles and boxes with low friction between two walls."""
    world, rng = p2.World(), np.random.default_rng(1000 + seed)
    material = {"friction": rng.uniform(0.2, 0.4), "restitution": rng.choice([0, 0.2, 0.4])}
    world.add_body(p2.Box(60, 2), (0, -1), kind="static", **material)
    for x in -3.5, 3.5:
        world.add_body(p2.Box(1, 60), (x, 29), kind="static", **material)
    turns = np.pi * np.arange(10) / 5
    star = np.where(np.arange(10) % 2, 0.45, 1.0)[:, None] * np.c_[np.cos(turns), np.sin(turns)]
    angle = np.array([(-1, -1), (1, -1), (1, -0.3), (-0.3, -0.3), (-0.3, 1), (-1, 1)])
    for i in range(25):
        size = rng.uniform(0.3, 0.6)
        shape = [
            p2.Polygon(1.2 * size * star),
            p2.Polygon(size * angle),
            p2.Box(2 * size, size),
        ][i % 3]
        place = rng.uniform(-2.2, 2.2), 1 + 0.8 * i
        world.add_body(shape, place, rng.uniform(0, 6), **material)
    return world


@pytest.mark.parametrize("seed", [30, 76, 82, 107, 109, 121, 124, 133])
def test_heaps_of_concave_stones_sleep(seed):
    assert is_asleep_within(stones(seed), 20)


@pytest.mark.slow
@pytest.mark.slow
def test_heaps_in_which_something_rocks_come_to_rest():
    """Of the first 200 of these heaps 15 were awake for as long as one box or capsule rocked on a
    round one.
    """
    awake = []
    for seed in range(600):
        rng = np.random.default_rng(100 + seed)
        material = {"restitution": 0.2, "friction": 0.6}
        world = p2.World(gravity=(0, -10))
        world.add_body(p2.Box(40, 1), (0, -0.5), kind="static", **material)
        for x in (-4, 4):
            world.add_body(p2.Box(0.5, 20), (x, 10), kind="static", **material)
        for i in range(30):
            size = rng.uniform(0.3, 0.6)
            shape = plain_shapes(size)[i % 3]
            world.add_body(shape, (rng.uniform(-2.5, 2.5), 1 + 0.7 * i), **material)
        if not is_asleep_within(world, 20):
            awake.append(seed)
    assert len(awake) <= 6, awake


def test_what_rolls_over_a_heap_at_rest_goes_on():
    """A ball on forty planks that lie side by side, and a pole that falls over beside boxes."""
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Box(80, 1), (0, -0.5), kind="static")
    for k in range(40):
        world.add_body(p2.Box(1, 0.2), (k - 20 + 0.5, 0.1))
    world.step(DT, n=120)
    ball = world.add_body(
        p2.Circle(0.3), (-15, 0.5), velocity=(0.4, 0), angular_velocity=-0.4 / 0.3
    )
    world.step(DT, n=300)
    assert ball.velocity[0] > 0.3
    assert ball.position[0] > -15 + 0.3 * 5


def test_a_pole_topples_as_fast_beside_a_heap():
    times = []
    for boxes in (1, 24):
        world = p2.World(gravity=(0, -10))
        world.add_body(p2.Box(80, 1), (0, -0.5), kind="static")
        for k in range(boxes):
            world.add_body(p2.Box(1, 1), (k, 0.5))
        pole = world.add_body(p2.Box(0.2, 4), (0, 3), 0.06)
        while abs(pole.angle) < 1 and world.time < 10:
            world.step(DT)
        times.append(world.time)
    assert times[1] == pytest.approx(times[0], abs=0.1)


def test_what_rocks_without_a_heap_goes_on():
    """Three planks on discs, and a row of boxes elsewhere, swing on: their island is no heap."""
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Box(40, 1), (0, -0.5), kind="static")
    for k in range(12):
        world.add_body(p2.Box(1, 1), (k - 15, 0.5))
    planks = []
    for k in range(3):
        world.add_body(p2.Circle(1), (5 * k, 1), kind="static", friction=1)
        planks.append(world.add_body(p2.Box(2, 0.2), (5 * k, 2.1), 0.0, friction=1))
        planks[k].angular_velocity = 0.2
    world.step(DT, n=1200)
    swing = np.zeros(3)
    for _ in range(300):
        world.step(DT)
        swing = np.maximum(swing, [abs(plank.angular_velocity) for plank in planks])
    assert swing.min() > 0.19


@pytest.mark.parametrize("mirror", [1, -1])
@pytest.mark.parametrize(("tilt", "wide"), [(0.02, 0.002), (0.02, 0.004), (0.05, 0.004)])
def test_a_plank_rests_by_its_corner_on_an_edge(mirror, tilt, wide):
    """The points of such a contact are as near to each other as those of two corners that pass,
    and one of them is open: the other carries its share in every step all the same.
    """
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Box(2, 1), (mirror * (wide - 1), -0.5), kind="static", friction=1)
    along = np.array([np.cos(tilt), np.sin(tilt)])
    center = 0.5 * along + 0.1 * np.array([-along[1], along[0]])
    place = mirror * center[0], center[1]
    plank = world.add_body(p2.Box(1, 0.2), place, mirror * tilt, friction=1)
    rest = mirror * (along[0] - 0.2), along[1] - 0.25 - 0.2 * np.tan(tilt)
    world.add_body(p2.Box(0.5, 0.5), rest, kind="static", friction=1)
    world.step(DT, n=10)
    for _ in range(20):
        world.step(DT)
        low = world.contacts[world.contacts["point"][:, 1] < 0.1 * along[1]]
        assert low["normal_impulse"].sum() > 0.05 * plank.mass * 10 * DT
        assert np.hypot(*plank.velocity) < 5e-3
    assert is_asleep_within(world, 1)


@pytest.mark.parametrize("seed", range(6))
def test_no_step_of_a_pile_gains_energy(seed):
    """However its contacts still err: what bounces are the bodies themselves."""
    world = pile(seed, 0.5)
    world.step(DT, n=60)
    energy = [world.kinetic_energy() + world.potential_energy()]
    for _ in range(900):
        world.step(DT)
        energy.append(world.kinetic_energy() + world.potential_energy())
    assert np.maximum(np.diff(energy), 0).sum() < 0.02 * energy[0]


@pytest.mark.parametrize("rate", [10, 25, 45, 60, 75, 95, 120])
def test_bodies_fall_asleep_at_any_length_of_a_step(rate):
    """At 1/25 and 1/75 s, among others, 0.25 + dt - dt is below 0.25."""
    world = p2.World()
    world.add_body(p2.Box(9, 1), (0, -0.5), kind="static")
    box = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(1 / rate, n=2 * rate)
    assert not box.awake

"""Gravity of points against Kepler, conservation laws and closed forms."""

import numpy as np
import pytest

import pyphys2d as p2

DT = 1 / 60


@pytest.fixture
def world():
    return p2.World(gravity=(0, 0), sleeping=False)


@pytest.mark.parametrize("softening", [0, 0.7])
@pytest.mark.parametrize("power", [-8, -1, 0, 1, 2, 3, 8])
@pytest.mark.parametrize("strength", [3, -2])
def test_the_pull_is_that_of_the_formula(world, power, strength, softening):
    """At rest, one substep: the force is taken where the body is."""
    world = p2.World(gravity=(0, 0), substeps=1)
    world.add_point_gravity((1, -2), strength, power=power, softening=softening)
    body = world.add_body(p2.Box(1, 1, (0.4, 0.1)), (2.2, -1.3), 0.6, density=3)
    center = body.to_world(body.center_of_mass)
    d = np.array([1, -2]) - center
    s = np.sqrt(d @ d + softening**2)
    dt = 1e-5
    world.step(dt)
    np.testing.assert_allclose(body.velocity / dt, strength / s**power * d / s, rtol=1e-12)
    assert body.angular_velocity == 0


def test_mass_does_not_matter_and_gravity_scale_does(world):
    world.add_point_gravity((0, 0), 5)
    light = world.add_body(p2.Circle(0.1), (3, 0), mass=0.01)
    heavy = world.add_body(p2.Circle(0.1), (0, 3), mass=1e5)
    double = world.add_body(p2.Circle(0.1), (-3, 0), gravity_scale=-2)
    world.step(DT)
    assert light.velocity[0] == pytest.approx(heavy.velocity[1], rel=1e-12)
    assert double.velocity[0] == pytest.approx(2 * light.velocity[0], rel=1e-12)


def orbit(eccentricity, *, seconds, dt=DT, axis=4.0, strength=100.0, **options):
    """Positions and velocities of a body that starts at the far end of its ellipse."""
    world = p2.World(gravity=(0, 0), sleeping=False, **options)
    world.add_point_gravity((10, 20), strength)
    e = eccentricity
    speed = np.sqrt(strength / axis * (1 - e) / (1 + e))
    body = world.add_body(p2.Circle(0.1), (10 + axis * (1 + e), 20), velocity=(0, speed))
    rows = []
    for _ in range(round(seconds / dt)):
        world.step(dt)
        rows.append([*(body.position - (10, 20)), *body.velocity])
    return np.array(rows)


def invariants(rows, strength=100.0):
    x, y, u, v = rows.T
    return 0.5 * (u * u + v * v) - strength / np.hypot(x, y), x * v - y * u


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
@pytest.mark.parametrize(("eccentricity", "drift"), [(0, 1e-5), (0.3, 2e-3), (0.6, 1e-2)])
def test_an_orbit_keeps_energy_and_angular_momentum(solver, eccentricity, drift):
    """For a hundred turns, at five seconds each."""
    rows = orbit(eccentricity, seconds=500, solver=solver)
    energy, momentum = invariants(rows)
    np.testing.assert_allclose(momentum, momentum[0], rtol=1e-12)
    if solver == "soft_step":
        np.testing.assert_allclose(energy, energy[0], rtol=drift)
    else:  # one kick a step, seen after it: the error swings, and does not grow
        np.testing.assert_allclose(energy, energy[0], rtol=0.2)
    turn = round(5.03 / DT)
    start, end = energy[: 3 * turn].mean(), energy[-3 * turn :].mean()
    assert end == pytest.approx(start, rel=2e-3 * eccentricity + 1e-6)


def test_an_orbit_closes_with_keplers_period():
    """T^2 = 4 pi^2 a^3 / (G M), with an error of the second order in dt."""
    errors = []
    for axis in (2.0, 4.0):
        period = 2 * np.pi * np.sqrt(axis**3 / 100)
        for steps in (300, 600):
            rows = orbit(0.4, seconds=period, dt=period / steps, axis=axis)
            errors.append(np.hypot(rows[-1, 0] - 1.4 * axis, rows[-1, 1]) / axis)
    assert errors[0] == pytest.approx(errors[2], rel=1e-6)  # the law is one of similar orbits
    assert errors[0] < 5e-3
    assert errors[1] == pytest.approx(errors[0] / 4, rel=0.1)


def test_a_spring_swings_at_its_rate(world):
    """power=-1: x'' = -strength x, any amplitude."""
    world.add_point_gravity((0, 0), 4.0, power=-1)
    body = world.add_body(p2.Circle(0.1), (3, 0))
    x = []
    for _ in range(3000):
        world.step(DT)
        x.append(body.position[0])
    x = np.array(x)
    up = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0))
    times = up + x[up] / (x[up] - x[up + 1])
    assert np.diff(times).mean() * DT == pytest.approx(2 * np.pi / 2, rel=1e-3)
    assert np.abs(x[-400:]).max() == pytest.approx(3, rel=1e-3)


def test_the_inside_and_the_outside_of_a_planet():
    """A fall through a tunnel takes as long as any other: half of 2 pi sqrt(R^3 / G M)."""
    for start in (0.2, 1.7):
        world = p2.World(gravity=(0, 0))
        world.add_point_gravity((0, 0), 10 / 2**3, power=-1, radius=2)
        body = world.add_body(p2.Circle(0.05), (0, start))
        steps = 0
        while body.velocity[1] <= 0:
            world.step(1e-3)
            steps += 1
        assert steps * 1e-3 == pytest.approx(np.pi * np.sqrt(8 / 10), rel=3e-3)


def test_nothing_beyond_the_radius(world):
    field = world.add_point_gravity((0, 0), 1, power=0, radius=5)
    near = world.add_body(p2.Circle(0.5), (4.9, 0))
    far = world.add_body(p2.Circle(0.5), (0, 5.1))
    world.step(DT)
    assert near.velocity[0] == pytest.approx(-DT, rel=1e-12)
    assert far.velocity[1] == 0
    field.radius = 6
    world.step(DT)
    assert far.velocity[1] == pytest.approx(-DT, rel=1e-12)


@pytest.mark.parametrize("power", [-8, -1, 0, 1, 2])
@pytest.mark.parametrize("strength", [0.01, 1, 100, 1e4, 1e15])
def test_nothing_is_thrown_out_of_the_center(power, strength):
    """Dropped at rest, or almost, it never comes much further out than it was."""
    world = p2.World(gravity=(0, 0), sleeping=False)
    world.add_point_gravity((0, 0), strength, power=power)
    drop = world.add_body(p2.Circle(0.5), (1.3, 0), mask=0)
    pass_by = world.add_body(p2.Circle(0.5), (0, 1.3), velocity=(0.03, 0), mask=0)
    for _ in range(1200):
        world.step(DT)
        assert np.linalg.norm(drop.position) <= 1.3 * 1.1
        assert np.linalg.norm(pass_by.position) <= 1.3 * 1.1


def test_at_the_center_nothing_happens(world):
    world.add_point_gravity((3, 4), 1e15)
    body = world.add_body(p2.Circle(0.5), (3, 4))
    world.step(DT, n=10)
    np.testing.assert_array_equal(body.position, (3, 4))


@pytest.mark.parametrize(
    "shape", [p2.Box(1, 1), p2.Circle(0.5), p2.Capsule((-0.4, 0), (0.4, 0), 0.3)]
)
def test_what_lies_on_a_round_planet_comes_to_rest_and_sleeps(shape):
    world = p2.World(gravity=(0, 0))
    planet = world.add_body(
        p2.Circle(10), (50, 0), kind="static", friction=1, rolling_resistance=0.1
    )
    field = world.add_point_gravity(planet.position, 10 * 11**2)
    bodies = []
    for k in range(12):
        angle = 2 * np.pi * k / 12
        out = np.array([np.cos(angle), np.sin(angle)])
        bodies += [
            world.add_body(shape, planet.position + h * out, angle, rolling_resistance=0.1)
            for h in (11, 13)
        ]
    world.step(DT, n=1200)
    assert not any(b.awake for b in bodies)
    for b in bodies:
        assert 10.2 < np.linalg.norm(b.position - planet.position) < 12.6
    rows = world.contacts
    down = (rows["point"] - planet.position) * rows["normal_impulse"][:, None]
    assert len(rows) >= 12
    assert np.isfinite(down).all()
    field.strength *= 1.0
    assert not any(b.awake for b in bodies)
    field.strength *= -1
    assert all(b.awake for b in bodies)
    world.step(DT, n=60)
    assert all(np.linalg.norm(b.position - planet.position) > 12 for b in bodies)


def test_the_ground_of_a_planet_carries_the_weight():
    world = p2.World(gravity=(0, 0))
    world.add_body(p2.Circle(10), kind="static")
    world.add_point_gravity((0, 0), 7, power=0)
    body = world.add_body(p2.Box(1, 1), (0, 10.5), density=3)
    world.step(DT, n=60)
    assert world.contacts["normal_impulse"].sum() == pytest.approx(3 * 7 * DT, rel=2e-2)
    assert abs(body.position[1] - 10.5) < 0.01


def test_a_change_wakes_those_within_the_radius():
    world = p2.World(gravity=(0, 0))
    near = world.add_body(p2.Circle(0.5), (3, 0), awake=False)
    far = world.add_body(p2.Circle(0.5), (30, 0), awake=False)
    other = world.add_body(p2.Circle(0.5), (0, 3), awake=False, category=4)
    field = world.add_point_gravity((0, 0), 1, radius=10, mask=1)
    assert (near.awake, far.awake, other.awake) == (True, False, False)
    field.center = (30, 0)
    assert far.awake
    assert not other.awake


def test_a_point_gravity_is_a_handle(world):
    field = world.add_point_gravity((1, 2), 100, softening=0.5)
    assert isinstance(field, p2.PointGravity)
    assert repr(field) == (
        "<PointGravity 0, center=(1.0, 2.0), strength=100.0, power=2.0, softening=0.5, "
        "radius=1000000000000000.0>"
    )
    hashes = {world.hash()}
    changes = {"center": (3, 4), "strength": -2, "power": 1, "softening": 0, "radius": 9, "mask": 5}
    for name, value in changes.items():
        setattr(field, name, value)
        np.testing.assert_array_equal(getattr(field, name), value)
        hashes.add(world.hash())
    assert len(hashes) == 7
    world.remove(field)
    with pytest.raises(p2.RemovedError):
        field.strength = 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"center": (np.nan, 0)}, "center"),
        ({"strength": np.inf}, "strength"),
        ({"power": 1.5}, "power: must be a whole number, got 1.5"),
        ({"power": 9}, "power: must be between -8 and 8, got 9"),
        ({"softening": -1}, "softening"),
        ({"radius": -1}, "radius"),
        ({"center": 3}, "center"),
    ],
)
def test_bad_numbers_are_refused(world, options, message):
    field = world.add_point_gravity((0, 0), 1)
    before = world.hash()
    with pytest.raises(ValueError, match=message):
        world.add_point_gravity(**{"center": (0, 0), "strength": 1, **options})
    name, value = next(iter(options.items()))
    with pytest.raises(ValueError, match=message):
        setattr(field, name, value)
    assert world.hash() == before


def test_wrong_types_are_refused(world):
    for args in [((0, 0),), ("here", 1), ((0, 0), "1"), ((0, 0), 1, 2)]:
        with pytest.raises(TypeError):
            world.add_point_gravity(*args)

"""A body that meets several others in the same moment: their impulses are solved together, so that
no side comes first. Expected: Newton's restitution at all contacts at once, by a linear system.
"""

import math

import numpy as np
import pytest

import pyphys2d as p2


def turned(angle, *points):
    c, s = math.cos(angle), math.sin(angle)
    return [(c * x - s * y, s * x + c * y) for x, y in points]


def hit_two(angles, radii, masses, restitution, speed, turn):
    """A disc flies along x, from -3, and meets two discs in the origin, which stand at these angles
    about it. Masses: of the three; inf: fixed. Returns their velocities, in the frame of the hit.
    """
    world = p2.World(gravity=(0, 0))
    places = [(-3, 0)]
    places += [
        ((radii[0] + r) * math.cos(a), (radii[0] + r) * math.sin(a))
        for a, r in zip(angles, radii[1:], strict=True)
    ]
    bodies = [
        world.add_body(
            p2.Circle(radius),
            place,
            kind="dynamic" if mass < math.inf else "static",
            restitution=restitution,
            friction=0,
        )
        for radius, place, mass in zip(radii, turned(turn, *places), masses, strict=True)
    ]
    for body, mass in zip(bodies, masses, strict=True):
        if mass < math.inf:
            body.mass = mass
    bodies[0].velocity = turned(turn, (speed, 0))[0]
    world.step(n=math.ceil(60 * 3.2 / speed))
    return np.array(turned(-turn, *(body.velocity for body in bodies)))


def theory_of_two(angles, masses, restitution, speed):
    normals = np.array([(math.cos(a), math.sin(a)) for a in angles])
    inverse = 1 / np.array(masses)
    system = inverse[0] * normals @ normals.T + np.diag(inverse[1:])
    impulses = np.linalg.solve(system, (1 + restitution) * speed * normals[:, 0])
    assert (impulses > 0).all()
    striker = np.array((speed, 0)) - inverse[0] * impulses @ normals
    return np.vstack((striker, inverse[1:, None] * impulses[:, None] * normals))


@pytest.mark.parametrize("restitution", [0, 0.3, 0.8, 1])
@pytest.mark.parametrize("turn", [0, 0.7, 2.0, -1.1])
@pytest.mark.parametrize("apart", [35, 60, 85])
@pytest.mark.parametrize("kind", ["dynamic", "static"])
def test_two_that_are_hit_at_once_share_the_blow(kind, apart, turn, restitution):
    """The first one took most of it, so that the striking disc left to the other's side."""
    angles = np.radians((-apart / 2, apart / 2))
    masses = (1, 1, 1) if kind == "dynamic" else (1, math.inf, math.inf)
    radii = (0.5, 0.5, 0.5) if apart > 60 else (1, 0.25, 0.25)
    got = hit_two(angles, radii, masses, restitution, 8, turn)
    theory = theory_of_two(angles, masses, restitution, 8)
    assert got == pytest.approx(theory, abs=8 * 2e-3)
    assert abs(got[0][1]) < 8 * 1e-4


@pytest.mark.parametrize("seed", range(40))
def test_unlike_ones_that_are_hit_at_once_leave_as_in_theory(seed):
    rng = np.random.default_rng(seed)
    angles = rng.uniform(math.radians(12), math.radians(40), 2) * (-1, 1)
    radii = rng.uniform(0.1, 0.2, 3) * (5, 1, 1)
    masses = rng.uniform(0.6, 1.6, 3)
    speed, restitution = rng.uniform(2, 15), rng.uniform(0, 1)
    got = hit_two(angles, radii, masses, restitution, speed, rng.uniform(0, 6))
    theory = theory_of_two(angles, masses, restitution, speed)
    assert got == pytest.approx(theory, abs=5e-3 * speed)


@pytest.mark.parametrize("gap", [0, 1e-3])
@pytest.mark.parametrize("restitution", [0.95, 1])
@pytest.mark.parametrize(("turn", "radius", "speed"), [(0, 0.5, 10), (0.7, 0.5, 2), (2, 0.03, 3)])
def test_a_rack_breaks_evenly(turn, radius, speed, restitution, gap):
    """Fifteen balls in a triangle, hit in the middle: both halves leave as mirror images. They were
    a third of the striking ball's speed apart.
    """
    world = p2.World(gravity=(0, 0))
    row = 2 * radius * (1 + gap)
    places = [
        (i * row * math.sqrt(3) / 2, (j - i / 2) * row) for i in range(5) for j in range(i + 1)
    ]
    balls = [
        world.add_body(p2.Circle(radius), place, restitution=restitution, friction=0)
        for place in turned(turn, *places)
    ]
    (place,), (velocity,) = turned(turn, (-6 * radius, 0)), turned(turn, (speed, 0))
    striker = world.add_body(
        p2.Circle(radius), place, velocity=velocity, restitution=restitution, friction=0
    )
    energy = world.kinetic_energy()
    world.step(n=math.ceil(60 * 12 * radius / speed))
    out = np.array(turned(-turn, *(ball.velocity for ball in balls), striker.velocity))
    mirrored = [i * (i + 1) // 2 + i - j for i in range(5) for j in range(i + 1)]
    assert out[:15] == pytest.approx(out[mirrored] * (1, -1), abs=1e-3 * speed)
    assert abs(out[15, 1]) < 1e-3 * speed
    assert out.sum(axis=0) == pytest.approx((speed, 0), abs=1e-5 * speed)
    if restitution == 1:
        assert world.kinetic_energy() == pytest.approx(energy, rel=2e-3)


@pytest.mark.parametrize("restitution", [0, 0.5, 0.9, 1])
@pytest.mark.parametrize("slope", [30, 45, 60])
def test_a_ball_in_a_gutter_stays_in_its_middle(slope, restitution):
    """It was thrown from one side to the other, up to 14 m with restitution 1."""
    world = p2.World()
    x, y = 5 * math.cos(math.radians(slope)), 5 * math.sin(math.radians(slope))
    for side in (-x, x):
        world.add_body(
            p2.Segment((0, 0), (side, y)), kind="static", restitution=restitution, friction=0
        )
    ball = world.add_body(p2.Circle(0.5), (0, 4), restitution=restitution, friction=0)
    for _ in range(240):
        world.step()
        assert abs(ball.position[0]) < 0.02


def test_it_makes_no_difference_which_body_was_added_first():
    """Of a break, as of all that is even: the bodies have the same velocities in any order."""
    rng = np.random.default_rng(5)
    places = [(0, 0), (0.9, 0.55), (0.9, -0.55), (1.8, 0)]
    results = []
    for _ in range(8):
        world = p2.World(gravity=(0, 0))
        order = rng.permutation(5)
        bodies = {}
        for n in order:
            place, velocity = ((-4, 0), (9, 0)) if n == 4 else (places[n], (0, 0))
            bodies[n] = world.add_body(
                p2.Circle(0.5), place, velocity=velocity, restitution=0.9, friction=0
            )
        world.step(n=60)
        results.append([bodies[n].velocity for n in range(5)])
    assert np.array(results[1:]) == pytest.approx(np.array([results[0]] * 7), abs=1e-3)

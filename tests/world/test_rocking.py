"""What rocks and rolls keeps its swing: contacts are those of the middle of a step."""

from itertools import pairwise

import numpy as np
import pytest

import pyphys2d as p2

G = 9.81


def swings(world, angle, seconds, parts=6, dt=1 / 60):
    """The largest angle in each part of a run."""
    found = []
    for _ in range(parts):
        most = 0.0
        for _ in range(round(seconds / parts / dt)):
            world.step(dt)
            most = max(most, abs(angle()))
        found.append(most)
    return np.array(found)


def plank_on_disc(shape, thickness, start, radius=0.5, **options):
    """A plank that has rolled on a fixed disc by an angle."""
    world = p2.World(gravity=(0, -G), sleeping=False, **options)
    world.add_body(p2.Circle(radius), kind="static", friction=1)
    normal, along = (
        np.array([-np.sin(start), np.cos(start)]),
        np.array([np.cos(start), np.sin(start)]),
    )
    place = (radius + thickness) * normal + radius * start * along
    plank = world.add_body(shape, place, angle=start, friction=1)
    return world, plank


PLANKS = {
    "box": p2.Box(2, 0.2),
    "capsule": p2.Capsule((-1, 0), (1, 0), 0.1),
    "polygon": p2.Polygon([(-1, -0.1), (1, -0.1), (1.1, 0), (1, 0.1), (-1, 0.1), (-1.1, 0)]),
}


@pytest.mark.parametrize("substeps", [4, 8, 16])
@pytest.mark.parametrize("kind", PLANKS)
def test_a_plank_rocks_on_a_disc_for_a_minute(kind, substeps):
    """It used to gain 4 % of its swing in a second, and fell off after a minute."""
    world, plank = plank_on_disc(PLANKS[kind], 0.1, 0.1, substeps=substeps)
    most = swings(world, lambda: plank.angle, 60)
    assert most.max() <= 0.1001
    assert most[-1] > 0.098


def test_the_period_of_a_plank_on_a_disc():
    """It turns about the point where it touches: w^2 = g (R - h) / (k^2 + h^2) for small swings."""
    world, plank = plank_on_disc(PLANKS["box"], 0.1, 0.02)
    angles = []
    for _ in range(1200):
        world.step(1 / 60)
        angles.append(plank.angle)
    angles = np.array(angles)
    at = np.flatnonzero((angles[:-1] < 0) & (angles[1:] >= 0))
    crossing = at - angles[at] / (angles[at + 1] - angles[at])
    period = np.diff(crossing).mean() / 60
    rate = np.sqrt(G * (0.5 - 0.1) / (plank.inertia / plank.mass + 0.1**2))
    assert period == pytest.approx(2 * np.pi / rate, rel=2e-3)


def test_a_weighted_disc_rolls_to_and_fro():
    """A roly-poly tripled its swing in a minute."""
    world = p2.World(gravity=(0, -G), sleeping=False)
    world.add_body(p2.Box(40, 1), (0, -0.5), kind="static", friction=1)
    body = world.add_body(p2.Circle(0.5), (0, 0.5), friction=1, angle=0.3)
    body.attach(p2.Circle(0.15, center=(0, -0.3)), density=10)
    most = swings(world, lambda: body.angle, 60)
    assert most.max() <= 0.3001
    assert most[-1] > 0.297


@pytest.mark.parametrize("friction", [0, 1])
@pytest.mark.parametrize("pieces", [50, 200, 1000])
def test_a_ball_in_a_bowl_does_not_climb(pieces, friction):
    """In a bowl of a thousand pieces it climbed from 0.5 to 1.1 rad in a minute."""
    around = np.linspace(np.pi, 2 * np.pi, pieces)
    world = p2.World(gravity=(0, -G), sleeping=False)
    bowl = p2.Chain(np.column_stack([np.cos(around), np.sin(around)]))
    world.add_body(bowl, kind="static", friction=friction)
    start = (0.9 * np.sin(0.5), -0.9 * np.cos(0.5))
    ball = world.add_body(p2.Circle(0.1), start, friction=friction)
    most = swings(world, lambda: np.arctan2(ball.position[0], -ball.position[1]), 30)
    assert most.max() <= 0.501
    assert (np.diff(most) < 1e-3).all()
    assert most[1] > 0.4


@pytest.mark.parametrize("speed", [0.5, 1.4, 3.0, 5.0, 12.0])
@pytest.mark.parametrize("slope", [0.02, 0.064, 0.3])
def test_a_ball_goes_up_a_ramp_of_a_chain(slope, speed):
    """It keeps v cos(slope), its speed along the ramp; it used to sink in by a millimetre."""
    world = p2.World(gravity=(0, 0), sleeping=False)
    chain = p2.Chain([(-10, 0), (-5, 0), (0, 0), (10, 10 * slope), (20, 20 * slope)])
    world.add_body(chain, kind="static", friction=0)
    ball = world.add_body(p2.Circle(0.1), (-0.5, 0.1), velocity=(speed, 0), friction=0)
    normal = np.array([-slope, 1]) / np.hypot(slope, 1)
    deepest = 0.0
    for _ in range(round(60 / speed) + 10):
        world.step()
        deepest = min(deepest, ball.position @ normal - 0.1)
    assert ball.position[0] > 0.2
    assert deepest > -1e-4
    along = np.array([normal[1], -normal[0]])
    assert ball.velocity @ along == pytest.approx(speed * normal[1], rel=2e-3)
    assert ball.velocity @ normal == pytest.approx(0, abs=2e-3 * speed)


def test_a_ball_in_a_fine_bowl_has_a_contact():
    around = np.linspace(np.pi, 2 * np.pi, 1000)
    world = p2.World(sleeping=False)
    world.add_body(p2.Chain(np.column_stack([np.cos(around), np.sin(around)])), kind="static")
    world.add_body(p2.Circle(0.1), (0.9 * np.sin(0.5), -0.9 * np.cos(0.5)))
    world.step(n=20)
    for _ in range(30):
        world.step()
        assert len(world.contacts)


@pytest.mark.parametrize("pieces", [64, 104, 160])
@pytest.mark.parametrize("friction", [0, 0.6])
def test_a_ball_in_a_bowl_of_segments_is_as_in_one_of_a_chain(pieces, friction):
    """Neighbouring segments hid each other's contact below their own surface, and the ball lost
    62 % of its energy in a quarter of a second.
    """
    around = np.linspace(1.05 * np.pi, 1.95 * np.pi, pieces + 1)
    points = 0.5 * np.column_stack([np.cos(around), np.sin(around)])
    kept = []
    for shapes in (
        [p2.Chain(points)],
        [p2.Segment(p, q) for p, q in pairwise(points)],
    ):
        world = p2.World(gravity=(0, -G), sleeping=False)
        for shape in shapes:
            world.add_body(shape, kind="static", friction=friction)
        start = (0.395 * np.sin(0.35), -0.395 * np.cos(0.35))
        ball = world.add_body(p2.Circle(0.1), start, friction=friction)
        first = world.kinetic_energy() + world.potential_energy()
        drop = ball.mass * G * 0.395 * (1 - np.cos(0.35))
        world.step(n=30)
        kept.append(1 + (world.kinetic_energy() + world.potential_energy() - first) / drop)
    assert kept[0] > 0.75  # it has fallen by 5 mm
    assert kept[1] == pytest.approx(kept[0], abs=0.06)

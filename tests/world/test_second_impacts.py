"""Free bodies that meet twice within a step.

Without friction, and with restitution 1, nothing takes energy from two free bodies: it stays what
it was, as do momentum and angular momentum, however often and wherever they meet.
"""

import numpy as np
import pytest
from same_bits import check_same_bits

import pyphys2d as p2

KINDS = ("L", "U", "T", "star", "gear", "discs", "box", "polygon")


def shapes_of(kind: str, size: float, rng: np.random.Generator) -> list[p2.Shape]:
    t = rng.uniform(0.2, 0.4)
    tips = int(rng.integers(3, 9))
    if kind == "discs":
        angle = 2 * np.pi * np.arange(3) / 3
        centers = 0.6 * size * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return [p2.Circle(0.35 * size, center=tuple(center)) for center in centers]
    if kind == "box":
        return [p2.Box(2 * size, 2 * size * t)]
    if kind == "polygon":
        return [p2.RegularPolygon(tips, size)]
    if kind == "L":
        points = [(0, 0), (1.4, 0), (1.4, t), (t, t), (t, 1.4), (0, 1.4)]
    elif kind == "U":
        points = [(0, 0), (1.5, 0), (1.5, 1.2), (1.5 - t, 1.2), (1.5 - t, t), (t, t)]
        points += [(t, 1.2), (0, 1.2)]
    elif kind == "T":
        points = [(-0.8, 0), (0.8, 0), (0.8, t), (t / 2, t), (t / 2, 1.4), (-t / 2, 1.4)]
        points += [(-t / 2, t), (-0.8, t)]
    else:
        inner = rng.uniform(0.4, 0.6) if kind == "star" else 0.75
        angle = np.pi * np.arange(2 * tips) / tips
        radius = np.where(np.arange(2 * tips) % 2 == 0, 1, inner)
        points = [*(radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1))]
    return [p2.Polygon(size * np.array(points, dtype=float), recenter=True)]


def add_pair(
    world: p2.World, kind: str, speed: float, seed: int, restitution: float, place=(0, 0)
) -> None:
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    surface = {"friction": 0, "restitution": restitution}
    first, second = (shapes_of(kind, rng.uniform(0.3, 0.5), rng) for _ in range(2))
    start = -1.6 - speed / 60 * rng.random(), rng.uniform(-0.5, 0.5)
    world.add_body(
        first,
        np.add(place, start),
        rng.uniform(-3, 3),
        velocity=(speed, 0),
        angular_velocity=rng.uniform(-20, 20),
        **surface,
    )
    world.add_body(
        second, place, rng.uniform(-3, 3), angular_velocity=rng.uniform(-20, 20), **surface
    )


@pytest.mark.fast_cases(12)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("speed", [10, 30, 60])
def test_elastic_pairs_keep_their_energy(kind, speed):
    """Of the Ls at 50 m/s one in eleven used to lose more than a hundredth, the worst 57 %."""
    for seed in range(60):
        world = p2.World(gravity=(0, 0))
        add_pair(world, kind, speed, seed, restitution=1)
        energy, momentum = world.kinetic_energy(), world.momentum()
        spin = world.angular_momentum()
        for _ in range(int(200 / speed) + 10):
            world.step()
            assert world.kinetic_energy() == pytest.approx(energy, rel=1e-2), seed
            assert world.kinetic_energy() < 1.0001 * energy, seed
        scale = np.hypot(*momentum)
        assert world.momentum() == pytest.approx(momentum, abs=1e-6 * scale), seed
        assert world.angular_momentum() == pytest.approx(spin, abs=2e-6 * scale), seed


@pytest.mark.parametrize("kind", ["L", "star", "box", "polygon"])
@pytest.mark.parametrize("restitution", [0, 0.5])
def test_others_gain_none(kind, restitution):
    for seed in range(60):
        world = p2.World(gravity=(0, 0))
        add_pair(world, kind, 40, seed, restitution)
        energy = world.kinetic_energy()
        for _ in range(20):
            world.step()
            assert world.kinetic_energy() < 1.0001 * energy, seed


def test_a_hook_switches_second_impacts_off():
    """What it lets through is not moved."""
    centers = []
    for others in (0, 1):
        world = p2.World(gravity=(0, 0))
        world.on_pre_solve = lambda contacts: contacts["enabled"].fill(False)
        rod = world.add_body(
            p2.Box(2, 0.2), (0, 0), velocity=(3, 0), angular_velocity=90, pre_solve=True
        )
        for _ in range(others):
            world.add_body(p2.Box(2, 0.2), (2.1, 0), angular_velocity=-80, pre_solve=True)
        world.step(n=40)
        centers.append((*rod.position, rod.angle))
    assert centers[0] == centers[1]


def test_a_restored_world_goes_on_alike():
    found = []
    for restores in (False, True):
        world = p2.World(gravity=(0, 0))
        for seed in range(6):
            for i, kind in enumerate(KINDS):
                add_pair(world, kind, 60, seed, 1, (6 * seed, 5 * i))
        for k in range(60):
            if restores and k % 7 == 3:
                world.restore(world.snapshot())
            world.step()
        found.append(world.hash())
    assert found[0] == found[1]


def test_two_that_fly_together_keep_their_common_centre():
    """Under gravity, and seen from a frame in which they do not fly."""
    for seed in range(60):
        world = p2.World(gravity=(0, -10), damping=0)
        add_pair(world, "L", 60, seed, 1)
        for body in world.bodies:
            body.velocity = np.add(body.velocity, (20, 3))
        mass = world.masses[:2] / world.masses[:2].sum()
        start, drift = mass @ world.positions[:2], mass @ world.velocities[:2]
        steps, h = 40, 1 / 480
        world.step(n=steps)
        time = steps / 60
        fall = np.array([0, -10]) * (time * time / 2)
        now = mass @ world.positions[:2]
        assert now == pytest.approx(start + drift * time + fall, abs=5 * h * time + 1e-3), seed
        later = np.add(drift, (0, -10 * time))
        assert mass @ world.velocities[:2] == pytest.approx(later, abs=1e-3), seed


def crowd(**options) -> p2.World:
    world = p2.World(gravity=(0, 0), **options)
    for seed in range(8):
        for i, kind in enumerate(KINDS):
            add_pair(world, kind, 60, seed, 1, (100 * seed, 100 * i))
    world.step(n=20)
    return world


def test_bits():
    check_same_bits(crowd, workers=(1, 3), others=({"broadphase": "tree"},))


def test_pairs_do_not_depend_on_others():
    """But for the rounding of places far from the origin."""
    world = crowd()
    row = 0
    for seed in range(8):
        for kind in KINDS:
            alone = p2.World(gravity=(0, 0))
            add_pair(alone, kind, 60, seed, 1)
            alone.step(n=20)
            pair = world.velocities[row : row + 2]
            assert pair == pytest.approx(alone.velocities[:2], abs=1e-3), (kind, seed)
            row += 2

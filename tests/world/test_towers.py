"""Towers stand where theory has them stand: each cut's centre of mass is above its support."""

import math

import numpy as np
import pytest

import pyphys2d as p2


def random_tower(seed):
    """Rows of width, height, offset, density; 5 to 15 boxes, not one as another."""
    rng = np.random.default_rng(seed)
    count, size = int(rng.integers(5, 16)), 10 ** rng.uniform(-0.7, 0.5)
    width = size * rng.uniform(0.6, 1.2, count)
    height = width * rng.uniform(0.4, 1, count)
    offset = size * rng.uniform(-0.03, 0.03, count)
    return size, np.column_stack([width, height, offset, 10 ** rng.uniform(-0.5, 0.5, count)])


def build(tower, at=0.0, **settings):
    world = p2.World(**settings)
    world.add_body(p2.Box(200, 4), (0, -2), kind="static")
    top = 0.0
    for width, height, offset, density in tower:
        world.add_body(p2.Box(width, height), (at + offset, top + height / 2), density=density)
        top += height
    return world


def margin(tower):
    """The least distance of a centre of mass from the edges of its support, over its width."""
    width, height, offset, density = tower.T
    mass, least = width * height * density, 1.0
    for k in range(len(tower)):
        center = np.average(offset[k:], weights=mass[k:])
        low, high = offset[k] - width[k] / 2, offset[k] + width[k] / 2
        if k:
            low = max(low, offset[k - 1] - width[k - 1] / 2)
            high = min(high, offset[k - 1] + width[k - 1] / 2)
        least = min(least, min(center - low, high - center) / (high - low))
    return least


@pytest.mark.parametrize(
    "first", [0, 20, *(pytest.param(k, marks=pytest.mark.slow) for k in (40, 60, 80))]
)
def test_towers_of_unequal_boxes_stand(first):
    """Before, 18 of the 100 fell: those whose contacts yielded more than the width puts right."""
    for seed in range(first, first + 20):
        size, tower = random_tower(seed)
        assert margin(tower) > 0.4  # theory: far from falling
        world = build(tower, sleeping=False)
        world.step(n=720)
        moved = np.abs(world.positions[1:, 0] - tower[:, 2]).max()
        assert moved < 0.02 * size, (seed, moved / size)


@pytest.mark.parametrize("size", [0.1, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("count", [15, 25, 30])
def test_tall_towers_of_equal_boxes_stand(count, size):
    rng = np.random.default_rng(count)
    ones = np.ones(count)
    tower = np.column_stack(
        [size * ones, size * ones, size * rng.uniform(-0.03, 0.03, count), ones]
    )
    world = build(tower, sleeping=False)
    world.step(n=1800)
    assert np.abs(world.positions[1:, 0] - tower[:, 2]).max() < 0.02 * size


def test_a_tower_stands_on_a_lift_and_under_any_gravity():
    _, tower = random_tower(0)
    world = build(tower[::-1], sleeping=False)
    world.bodies[0].kind = "kinematic"
    world.bodies[0].velocity = (0, 1.5)
    world.step(n=600)
    assert np.abs(world.positions[1:, 0] - tower[::-1, 2]).max() < 0.01
    side = p2.World(gravity=(9.81, 0), sleeping=False)  # down is to the right
    side.add_body(p2.Box(4, 200), (2, 0), kind="static")
    top = 0.0
    for width, height, offset, density in tower:
        side.add_body(p2.Box(height, width), (-top - height / 2, offset), density=density)
        top += height
    side.step(n=600)
    assert np.abs(side.positions[1:, 1] - tower[:, 2]).max() < 0.01


def test_a_tower_has_more_substeps_only_where_it_needs_them():
    low = build(np.tile([1.0, 1.0, 0.0, 1.0], (8, 1)), sleeping=False)
    low.step(n=60)
    assert low.counters["substeps"] == 8
    high = build(np.tile([1.0, 1.0, 0.0, 1.0], (25, 1)), sleeping=False)
    high.step(n=60)
    # The yield of 25 boxes of 1 m: 4 g n^3 / 3 w^2 = 1.4, and a fourth of it for twice as many.
    assert high.counters["substeps"] == 32
    wide = p2.World(sleeping=False)
    wide.add_body(p2.Box(200, 4), (0, -2), kind="static")
    for row in range(25):
        for k in range(12):
            wide.add_body(p2.Box(1, 1), (k + 0.5 * (row % 2), 0.5 + row))
    wide.step(n=60)
    assert wide.counters["substeps"] == 8


def test_a_restored_tower_goes_on_with_the_same_bits():
    _, tower = random_tower(2)
    world = build(tower)
    world.add_body(p2.Circle(0.1), (-3, 1.0), velocity=(3, 3))
    for steps in (1, 7, 40, 90):
        world.step(n=steps)
        other = p2.World.from_snapshot(world.snapshot())
        ahead = p2.World.from_snapshot(world.snapshot())
        other.step(n=30)
        ahead.step(n=30)
        world.step(n=30)
        assert np.array_equal(world.positions, other.positions)
        assert np.array_equal(ahead.velocities, other.velocities)


@pytest.mark.parametrize("drop", [0, 0.02, 0.2, 1])
@pytest.mark.parametrize("load", [40, 100, 300])
@pytest.mark.parametrize("count", [6, 10])
def test_a_tower_does_not_throw_what_is_put_on_it(count, load, drop):
    """Contacts got stiffer while the load compressed them: a block of 100 times the mass of its ten
    boxes, put on them at rest, went up by 41 cm.
    """
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    for k in range(count):
        world.add_body(p2.Box(1, 0.5), (0, 0.25 + 0.5 * k), mass=1)
    at_rest = count / 2 + 1
    block = world.add_body(p2.Box(2, 2), (0, at_rest + drop), mass=load)
    world.step(n=math.ceil(60 * math.sqrt(2 * drop / 9.81)) + 1)
    for _ in range(300):
        world.step()
        assert block.position[1] < at_rest + 1e-3
    assert abs(block.velocity[1]) < 0.02

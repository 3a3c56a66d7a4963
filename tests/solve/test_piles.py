"""Stacks and pyramids: penetration, drift, settling, mass ratios, far from the origin."""

import numpy as np
import pytest
from scenes_for_tests import ground, penetrations, pyramid

import pyphys2d as p2


@pytest.mark.slow
def test_the_pyramid_of_5050_boxes_stands_and_settles():
    world, slots = pyramid(100)
    top = int(slots[-1])
    start = world.positions[top].copy()
    assert len(slots) == 5050
    assert start[1] == 99.5
    energies = []
    for _ in range(5):
        world.step(1 / 60, n=100)
        energies.append(world.kinetic_energy())
    depths = penetrations(world)
    # two points for each of the 10,000 contacts that carry; neighbours in a row may part
    assert len(depths) >= 20_000
    assert depths.mean() < 0.003
    assert start[1] - world.positions[top, 1] < 0.3
    assert abs(world.positions[top, 0] - start[0]) < 0.1
    assert energies[-1] < 0.2 * max(energies)
    assert np.abs(world.angles[slots]).max() < 0.05


@pytest.mark.slow
def test_the_pyramid_of_5050_boxes_sleeps():
    world, slots = pyramid(100, sleeping=True)
    for _ in range(20):
        world.step(1 / 60, n=100)
        if not world.awake[slots].any():
            break
    assert not world.awake[slots].any()
    assert world.kinetic_energy() == 0
    positions = world.positions.copy()
    world.step(n=10)
    np.testing.assert_array_equal(world.positions, positions)


def test_a_stack_of_ten_with_a_ten_times_heavier_box_on_top_stands():
    world = p2.World(gravity=(0, -10), sleeping=False)
    ground(world)
    for i in range(10):
        world.add_body(p2.Box(1, 1), (0, 0.5 + i))
    top = world.add_body(p2.Box(1, 1), (0, 10.5), density=10)
    world.step(1 / 60, n=600)
    assert top.position[1] > 10.5 - 0.1
    assert abs(top.position[0]) < 0.05
    assert abs(top.angle) < 0.02
    assert penetrations(world).max() < 0.0135
    assert world.kinetic_energy() < 1e-4


def test_an_equal_stack_is_better_than_the_reference_row():
    world = p2.World(gravity=(0, -10), sleeping=False)
    ground(world)
    bodies = [world.add_body(p2.Box(1, 1), (0, 0.5 + i)) for i in range(11)]
    world.step(1 / 60, n=600)
    assert bodies[-1].position[1] > 10.5 - 0.04
    assert penetrations(world).max() < 0.0071
    assert world.kinetic_energy() < 5e-7


def test_a_scene_far_away_settles_as_at_the_origin():
    heights, pairs = [], []
    for x in (0.0, 1e7):
        world, slots = pyramid(10, x=x)
        world.step(1 / 60, n=300)
        heights.append(world.positions[slots, 1].copy())
        pairs.append(len(world.pairs))
        np.testing.assert_allclose(
            world.positions[slots, 0] - x, pyramid(10)[0].positions[slots, 0], atol=0.05
        )
    np.testing.assert_allclose(heights[1], heights[0], atol=1e-3)
    assert pairs[0] == pairs[1]


def test_a_pile_of_circles_comes_to_rest():
    world = p2.World(gravity=(0, -10))
    ground(world)
    for x in (-6.5, 6.5):
        world.add_body(p2.Box(1, 40), (x, 19), kind="static")
    rng = np.random.default_rng(1)
    start = np.stack(np.meshgrid(np.arange(14), np.arange(20)), axis=-1).reshape(-1, 2) * 0.8
    slots = world.add_bodies(
        p2.Circle(0.35), start - (5.2, -0.5) + rng.uniform(-0.04, 0.04, start.shape)
    )
    first = None
    for _ in range(20):
        world.step(n=60)
        first = first or world.kinetic_energy()
    assert (np.abs(world.positions[slots, 0]) < 6.2).all()
    assert (world.positions[slots, 1] > 0.3).all()
    assert world.kinetic_energy() < 0.01 * first
    assert penetrations(world).mean() < 0.005

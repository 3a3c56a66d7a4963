"""The order of solver rows: spatial where it pays, and without a trace in any bit."""

import numpy as np
import pytest
from scenes_for_tests import ground

import pyphys2d as p2
from pyphys2d import _testing


def path(points):
    """How far one goes from the first point over all others to the last."""
    return np.abs(np.diff(points, axis=0)).sum()


def grid(side):
    return np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2) * 1.0


def test_rows_of_a_shuffled_giant_go_along_a_short_way():
    points = np.random.default_rng(1).permutation(grid(80)) + np.array([1e6, -3])
    order = _testing.row_order(points)
    assert sorted(order) == list(range(len(points)))
    # a way through all points of a unit grid cannot be shorter than one less than their number
    assert path(points[order]) < 1.5 * (len(points) - 1)


def test_rows_of_what_was_made_in_order_go_by_slot():
    points = grid(80)
    np.testing.assert_array_equal(_testing.row_order(points), np.arange(len(points)))


def test_rows_of_a_small_island_go_by_slot():
    points = np.random.default_rng(1).permutation(grid(40))
    np.testing.assert_array_equal(_testing.row_order(points), np.arange(len(points)))


@pytest.mark.parametrize("place", [(0, 0), (1e300, -1e300)])
def test_bodies_in_one_place_go_by_slot(place):
    points = np.tile(place, (6000, 1)).astype(float)
    np.testing.assert_array_equal(_testing.row_order(points), np.arange(len(points)))


def heap(far, raft):
    """A pyramid in random slots, on a floor or a raft, between boxes that are driven; and some
    others.
    """
    world = p2.World(gravity=(0, -10), sleeping=False, substeps=2)
    base = 75
    if raft:  # has more contacts than there are colors, in an island with room for them
        world.add_body(p2.Box(base + 2, 2), (0, -1))
        world.add_body(p2.Box(100, 2), (0, -3), kind="static")
    else:
        ground(world)
    i, j = np.triu_indices(base)
    places = np.column_stack([0.5 * i + (j - i) - 0.5 * base, 0.5 + i])
    places = np.random.default_rng(2).permutation(places)
    slots = world.add_bodies(p2.Box(1, 1), places, friction=0.6, rolling_resistance=0.1)
    # more contacts at one body than there are colors, of owners that come before it
    world.add_body(p2.Box(20, 2), (60, -1.2), kind="static")
    angles = np.arange(80) * (2 * np.pi / 80)
    rim = np.column_stack([np.cos(angles), np.sin(angles)]) * 3.1 + (60, 3)
    rim = np.random.default_rng(3).permutation(rim)
    slots = np.concatenate([slots, world.add_bodies(p2.Circle(0.1), rim)])
    hub = world.add_body(p2.Circle(3), (60, 3), mass=1)
    slots = np.append(slots, hub.index)
    for x in (-39, 39):
        world.add_body(p2.Box(1, 1), (x, 0.5), kind="kinematic", velocity=(-0.01 * x, 0))
    world.add_bodies(p2.Circle(0.5), far)
    return world, slots


@pytest.mark.slow
@pytest.mark.parametrize("raft", [False, True])
def test_the_order_of_rows_changes_no_bit(raft):
    # One after the other on a long line: the order by slot is then as good as any.
    line = np.column_stack([np.arange(400) * 1e5 + 1e6, np.full(400, 1e6)])
    (curved, slots), (straight, _) = heap(line[:1], raft), heap(line, raft)
    for world in (curved, straight):
        world.step(n=1)
        assert world.counters["contacts"] > 4096
    for _ in range(12):
        for world in (curved, straight):
            world.step(n=10)
        for name in ("positions", "angles", "velocities", "angular_velocities"):
            a, b = (getattr(world, name)[slots] for world in (curved, straight))
            np.testing.assert_array_equal(a, b)
    assert curved.counters["layout_rebuilds"] > 64  # so that the order was looked at again
